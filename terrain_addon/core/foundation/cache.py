"""Results of stages, kept between builds."""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class _Kept:
    """The result of a stage, its size in bytes, whether it was made without finishing early, and whether it passes."""

    result: Any
    size: int
    is_whole: bool
    passes: bool


class Cache:
    """Results of stages, kept as long as they fit into a given amount of memory; the longest unused goes first.

    Results that pass, as each position of a slider that is dragged does, have a small part of it to themselves: they do
    not drive out what took long to compute, and come and go in the same memory, because fresh memory is slow.

    Several threads may use it at once.

    Parameters
    ----------
    limit : int
        Bytes for all results.
    passing_limit : int
        Bytes for those of them that pass.
    """

    def __init__(self, limit: int = 2**30, passing_limit: int = 2**25) -> None:
        self.limit = limit
        self.passing_limit = passing_limit
        self._results: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def find(self, keys: Iterable[str], *, passes: bool = False) -> dict[str, Any]:
        """Return what there is under some keys, and note that it was used.

        Parameters
        ----------
        keys : iterable of str
            Keys of stages.
        passes : bool
            Whether this use passes; any other use makes a result stay.

        Returns
        -------
        dict of str to object
            Results by key, without keys that have none.
        """
        with self._lock:
            found = {key: self._results[key] for key in keys if key in self._results}
            for key, kept in found.items():
                self._results[key] = replace(kept, passes=kept.passes and passes)
                self._results.move_to_end(key)
        return {key: kept.result for key, kept in found.items()}

    def put(self, key: str, result: Any, *, is_whole: bool = True, passes: bool = False) -> None:
        """Keep a result, and let go of the longest unused ones while there is too much.

        Parameters
        ----------
        key : str
            Of the stage.
        result : object
            As in `arrays_of`.
        is_whole : bool
            False if a process finished early.  The land shows such a result until `forget_cut_short`.
        passes : bool
            Whether it is only looked at in passing.
        """
        with self._lock:
            self._results[key] = _Kept(result, _size_in_bytes(result), is_whole, passes)
            self._results.move_to_end(key)
            self._shrink([key for key, kept in self._results.items() if kept.passes], self.passing_limit)
            self._shrink(list(self._results), self.limit)

    def are_whole(self, keys: Iterable[str]) -> bool:
        """Return whether none of these results was cut short.

        Parameters
        ----------
        keys : iterable of str
            Keys of stages; those without a result do not count.

        Returns
        -------
        bool
            True also if there are none.
        """
        with self._lock:
            return all(self._results[key].is_whole for key in keys if key in self._results)

    def forget_cut_short(self) -> None:
        """Let go of results that are not whole, so that the next build makes them."""
        with self._lock:
            for key in [key for key, kept in self._results.items() if not kept.is_whole]:
                del self._results[key]

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._results.clear()

    def _shrink(self, keys: list[str], limit: int) -> None:
        """Let go of the first of these until the others fit; the last one stays."""
        size = sum(self._results[key].size for key in keys)
        for key in keys[:-1]:
            if size <= limit:
                break
            size -= self._results.pop(key).size


def arrays_of(result: Any) -> list[np.ndarray[Any, Any]]:
    """Return all arrays in the result of a stage.

    Parameters
    ----------
    result : object
        An array, or a dataclass or tuple that holds such things.

    Returns
    -------
    list of ndarray
        Not copied.
    """
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, tuple):
        return [array for one in result for array in arrays_of(one)]
    if is_dataclass(result):
        return [array for field in fields(result) for array in arrays_of(getattr(result, field.name))]
    return []


def _size_in_bytes(result: Any) -> int:
    return sum(array.nbytes for array in arrays_of(result))
