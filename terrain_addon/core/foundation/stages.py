"""Work in stages: each names the stages it uses and what else it reads, and is done again only if one of them changed.

The key of a stage is a hash of both, so whoever keeps results can tell which of them still hold.
"""

import hashlib
import json
from collections.abc import Callable, Container, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from .cache import Cache, arrays_of
from .pace import Pace, expected_seconds, note_seconds
from .progress import Progress, Steps, mapped, watched

Results: TypeAlias = Mapping[str, Any]
"""What stages have made, by their names."""


class KindOfStage(Enum):
    """What a stage makes; the members are those of its subclasses.

    Parameters
    ----------
    description : str
        What it makes.
    usual_seconds : float
        How long it takes for a million samples on two processors.
    """

    def __init__(self, description: str, usual_seconds: float) -> None:
        self.description, self.usual_seconds = description, usual_seconds


@dataclass(frozen=True)
class Stage:
    """A step that is computed again only if what it depends on has changed.

    Attributes
    ----------
    kind : KindOfStage
        What it makes.
    name : str
        Unique within a plan.
    needs : tuple of str
        Names of the stages whose results it uses.
    reads : object
        Everything else that its result depends on, as JSON.
    compute : callable
        From results by name to the steps of this stage.
    index : int
        Number of the layer or process in the recipe, from 1; 0 for all others.
    doing : str
        What a progress bar shows while it is computed; empty for its title.
    """

    kind: KindOfStage
    name: str
    needs: tuple[str, ...]
    reads: Any
    compute: Callable[[Results], Steps[Any]]
    index: int = 0
    doing: str = ""

    @property
    def title(self) -> str:
        """The name as a person writes it."""
        return self.name.replace("_", " ")


class Done(NamedTuple):
    """What stages have made.

    Attributes
    ----------
    results : mapping of str to object
        What was asked for, by the names of the stages; arrays are read-only.
    is_whole : bool
        Whether no stage behind them was asked to finish early.
    """

    results: Results
    is_whole: bool


class Work(NamedTuple):
    """Stages that are to be computed.

    Attributes
    ----------
    stages : sequence of Stage
        In an order in which each comes after those it needs.
    keys : mapping of str to str
        From `keys_of`.
    wanted : iterable of str
        Names of the stages whose results are asked for.
    samples : int
        Of the land; they decide how long stages take.
    hurried_by : callable
        From a stage to the name of one with which it is cut short, None for none.
    part : callable
        From the name and the result of a stage that is asked for to what is asked for; the rest is let go when no
        other stage needs it any more.
    """

    stages: Sequence[Stage]
    keys: Mapping[str, str]
    wanted: Iterable[str]
    samples: int
    hurried_by: Callable[[Stage], str | None] = lambda _: None
    part: Callable[[str, Any], Any] = lambda _, result: result


def keys_of(stages: Sequence[Stage]) -> dict[str, str]:
    """Return a key for each stage: equal keys mean equal results, within one version of this package.

    Parameters
    ----------
    stages : sequence of Stage
        In an order in which each comes after those it needs.

    Returns
    -------
    dict of str to str
        By name.
    """
    keys: dict[str, str] = {}
    for stage in stages:
        content = json.dumps([stage.name, [keys[name] for name in stage.needs], stage.reads])
        keys[stage.name] = hashlib.sha256(content.encode()).hexdigest()
    return keys


def pending_stages(stages: Sequence[Stage], wanted: Iterable[str], known: Container[str]) -> list[Stage]:
    """Return the stages that have to be computed: wanted or needed by one that is, and without a result.

    Parameters
    ----------
    stages : sequence of Stage
        In an order in which each comes after those it needs.
    wanted : iterable of str
        Names of the stages whose results are asked for.
    known : container of str
        Names of the stages that have a result.

    Returns
    -------
    list of Stage
        In their order.
    """
    needed = set(wanted)
    pending = []
    for stage in reversed(stages):
        if stage.name in needed and stage.name not in known:
            needed.update(stage.needs)
            pending.append(stage)
    return pending[::-1]


def stage_steps(work: Work, cache: Cache, *, passes: bool = False) -> Generator[Progress, bool | None, Done]:
    """Compute the stages that no cache has.  Close the generator to cancel; what is finished stays in the cache.

    A result that no later stage needs, and nobody has asked for, is let go at once.

    Parameters
    ----------
    work : Work
        What to compute.
    cache : Cache
        Results of earlier work; new ones are put there.
    passes : bool
        Whether the results are only looked at in passing; see `Cache`.

    Yields
    ------
    Progress
        Before each step.

    Returns
    -------
    Done
        With the results of all stages that were asked for.
    """
    found = cache.find(work.keys.values(), passes=passes)
    results = {name: found[key] for name, key in work.keys.items() if key in found}
    is_whole = cache.are_whole(found)
    pending = pending_stages(work.stages, work.wanted, results)
    cut_short: set[str | None] = set()
    pace = Pace([expected_seconds(stage.name, stage.kind.usual_seconds, work.samples) for stage in pending])
    del found
    for number, stage in enumerate(pending):
        _let_go(results, work, pending[number:])
        steps = mapped(stage.compute(results), partial(_progress, stage, pace))
        result, in_full = yield from watched(steps, finish_early=work.hurried_by(stage) in cut_short)
        is_whole = is_whole and in_full
        seconds = pace.end_stage()
        if in_full:
            note_seconds(stage.name, work.samples, seconds)
        else:
            cut_short.add(stage.name)
        results[stage.name] = _freeze(result)
        del steps, result
        cache.put(work.keys[stage.name], results[stage.name], is_whole=is_whole, passes=passes)
    _let_go(results, work, ())
    return Done(results, is_whole)


def _let_go(results: dict[str, Any], work: Work, ahead: Sequence[Stage]) -> None:
    """Let go of what the stages ahead do not need and nobody has asked for."""
    needed = {name for stage in ahead for name in stage.needs}
    wanted = set(work.wanted)
    for name in results.keys() - needed:
        if name in wanted:
            results[name] = work.part(name, results[name])
        else:
            del results[name]


def _progress(stage: Stage, pace: Pace, share: float) -> Progress:
    return Progress(stage.doing or stage.title, pace.fraction(share), pace.seconds_left(share))


def _freeze(result: Any) -> Any:
    """Make the arrays of a result read-only, because they are shared."""
    for array in arrays_of(result):
        array.flags.writeable = False
    return result
