"""A landscape, and how it is built from a recipe."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from ..ecosystem.forest import Forest
from ..ecosystem.plants import Plants
from ..erosion.mass_balance import MassBalance
from ..flow.water import Waters
from ..foundation.memory import check_memory
from ..foundation.progress import Progress, mapped, run, watched
from ..foundation.terrain import Field, Terrain
from .atlas import maps_wanted
from .layers import Inputs
from .recipe import Recipe
from .stages import (
    EROSION,
    HISTORY,
    NO_PROBLEMS,
    Problems,
    Stage,
    land_of,
    last_land,
    stage_keys,
    stages_of,
    warnings_of,
)

Extent = Literal["terrain", "maps", "plants"]


@dataclass(frozen=True)
class Landscape:
    """What a recipe became.

    Attributes
    ----------
    recipe : Recipe
        What it was made from.
    terrain : Terrain
        Bedrock and sediment.
    maps : mapping of str to ndarray of float32, shape (rows, columns)
        By name; empty if only the terrain was asked for.
    plants : Plants or None
        None if they were not asked for.
    forest : Forest or None
        The plants with their past; None as `plants`.
    waters : Waters or None
        Sea, lakes and rivers; None if only the terrain was asked for.
    balances : mapping of str to MassBalance
        Books of each process of erosion, by the name of its stage.
    warnings : tuple of str
        A sentence for each layer that was left out.
    is_whole : bool
        Whether no process behind it was asked to finish early.
    """

    recipe: Recipe
    terrain: Terrain
    maps: Mapping[str, Field]
    plants: Plants | None
    forest: Forest | None = None
    waters: Waters | None = None
    balances: Mapping[str, MassBalance] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    is_whole: bool = True


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
        """Return what there is under these keys, and note that it was used, and stays unless this use passes."""
        with self._lock:
            found = {key: self._results[key] for key in keys if key in self._results}
            for key, kept in found.items():
                self._results[key] = replace(kept, passes=kept.passes and passes)
                self._results.move_to_end(key)
        return {key: kept.result for key, kept in found.items()}

    def put(self, key: str, result: Any, *, is_whole: bool = True, passes: bool = False) -> None:
        """Keep a result, and let go of the longest unused ones while there is too much.

        One that is not whole, because a process finished early, is what the land shows until `forget_cut_short`.
        """
        with self._lock:
            self._results[key] = _Kept(result, _size_in_bytes(result), is_whole, passes)
            self._shrink([key for key, kept in self._results.items() if kept.passes], self.passing_limit)
            self._shrink(list(self._results), self.limit)

    def are_whole(self, keys: Iterable[str]) -> bool:
        """Return whether none of these results was cut short."""
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


def build(
    recipe: Recipe,
    *,
    inputs: Inputs | None = None,
    problems: Problems = NO_PROBLEMS,
    cache: Cache | None = None,
    extent: Extent = "plants",
    report: Callable[[Progress], None] | None = None,
) -> Landscape:
    """Make the landscape of a recipe.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    inputs : mapping of str to StoredField, optional
        Stored fields by the keys that the recipe's layers ask for; `files.inputs.read_inputs` reads them.
    problems : mapping of str to str
        Why elevation data that the recipe names are not among `inputs`, for the warnings.
    cache : Cache, optional
        Results of earlier builds; stages that nothing has changed for are taken from it.
    extent : {'terrain', 'maps', 'plants'}
        How far to go.
    report : callable, optional
        Called before each step; what it raises stops the build and passes through.

    Returns
    -------
    Landscape
        Arrays are read-only, and shared with the cache.

    Raises
    ------
    ValueError
        If an input is missing, or the landscape would not fit into memory.
    """
    return run(build_steps(recipe, inputs=inputs, problems=problems, cache=cache, extent=extent), report)


def build_steps(
    recipe: Recipe,
    *,
    inputs: Inputs | None = None,
    problems: Problems = NO_PROBLEMS,
    cache: Cache | None = None,
    extent: Extent = "plants",
    passes: bool = False,
) -> Generator[Progress, bool | None, Landscape]:
    """Make the landscape of a recipe step by step; see `build`.  Close the generator to cancel.

    Parameters
    ----------
    recipe, inputs, problems, cache, extent
        As for `build`.
    passes : bool
        Whether the landscape is only looked at in passing; see `Cache`.

    Yields
    ------
    Progress
        Before each step.
    """
    check_memory(recipe.grid)
    stages = stages_of(recipe, inputs or {}, problems)
    keys = stage_keys(stages)
    land = last_land(stages)
    eroded = tuple(stage.name for stage in stages if stage.name.startswith(EROSION))
    maps = maps_wanted(recipe)
    charts = (*maps, "water")
    wanted = {"terrain": (), "maps": charts, "plants": (*charts, "forest", "plants")}[extent] + (land, *eroded)
    cache = cache or Cache(limit=0)

    found = cache.find(keys.values(), passes=passes)
    results = {name: found[key] for name, key in keys.items() if key in found}
    is_whole = cache.are_whole(found)
    pending = _pending(stages, wanted, results)
    hurried: set[str] = set()
    for number, stage in enumerate(pending):
        steps = mapped(stage.compute(results), partial(_progress, stage.name, number, len(pending)))
        result, in_full = yield from watched(steps, finish_early=stage.name in hurried)
        is_whole = is_whole and in_full
        if not in_full:
            # Who has enough of a history does not want to wait for the land that grows from it.
            hurried.add(stage.name.removeprefix(HISTORY))
        results[stage.name] = _freeze(result)
        cache.put(keys[stage.name], results[stage.name], is_whole=is_whole, passes=passes)
    return Landscape(
        recipe,
        land_of(results[land]),
        maps={name: results[name] for name in maps if extent != "terrain"},
        plants=results["plants"] if extent == "plants" else None,
        forest=results["forest"] if extent == "plants" else None,
        waters=results["water"] if extent != "terrain" else None,
        balances={name: results[name].balance for name in eroded},
        warnings=warnings_of(recipe, inputs or {}, problems),
        is_whole=is_whole,
    )


def _progress(stage: str, number: int, count: int, share: float) -> Progress:
    return Progress(stage, (number + share) / count)


def _pending(stages: list[Stage], wanted: tuple[str, ...], results: Mapping[str, Any]) -> list[Stage]:
    """Stages that have to be computed: wanted or needed by one that is, and without a result."""
    needed = set(wanted)
    pending = []
    for stage in reversed(stages):
        if stage.name in needed and stage.name not in results:
            needed.update(stage.needs)
            pending.append(stage)
    return pending[::-1]


def _freeze(result: Any) -> Any:
    """Make the arrays of a result read-only, because they are shared."""
    for array in _arrays(result):
        array.flags.writeable = False
    return result


def _size_in_bytes(result: Any) -> int:
    return sum(array.nbytes for array in _arrays(result))


def _arrays(result: Any) -> list[Any]:
    if isinstance(result, np.ndarray):
        return [result]
    if is_dataclass(result):
        return [a for f in fields(result) for a in _arrays(getattr(result, f.name))]
    return []
