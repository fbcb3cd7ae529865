"""Maps of a terrain with the parameters of a recipe: as stages of a plan, or at once for masks and processes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..foundation.progress import Steps
from ..foundation.stages import Results, Stage
from ..foundation.terrain import Field, Terrain
from ..maps.catalogue import MAPS, MEASUREMENTS
from ..maps.declaration import Kept, Map, Measurement
from .recipe import Recipe
from .stage import StageKind, land_of

RELIEF = "relief"
"""Name of the stage that makes the terrain before erosion."""


def maps_wanted(recipe: Recipe) -> tuple[str, ...]:
    """Return the names of the maps that a landscape of a recipe has.

    Parameters
    ----------
    recipe : Recipe
        Whose `extra_maps`, `climate`, `glaciers` and `winter` add the optional ones.

    Returns
    -------
    tuple of str
        In the order of the catalogue.
    """
    return tuple(
        name
        for name, one in MAPS.items()
        if one.kept is Kept.ALWAYS
        or (one.kept is Kept.ON_REQUEST and getattr(recipe.extra_maps, name))
        or (one.kept is Kept.WHERE_ON and is_on(one, recipe))
    )


class QuickMap:
    """A map that is not kept, but measured at each reading.

    Parameters
    ----------
    measure : callable
        Returns it: float32 (rows, columns).
    """

    def __init__(self, measure: Callable[[], Field]) -> None:
        self.measure = measure


def values_of(result: Any) -> Any:
    """Return what a stage measured: its result, or the values of a map that is measured at each reading.

    Parameters
    ----------
    result : object
        Of a stage of `measurement_stages`.

    Returns
    -------
    object
        A map is float32 (rows, columns), read-only.
    """
    if not isinstance(result, QuickMap):
        return result
    values = result.measure()
    values.flags.writeable = False
    return values


class LandMaps(Mapping[str, Field]):
    """The maps of a landscape by name: float32 (rows, columns), those that are quick measured anew at each reading.

    Parameters
    ----------
    parts : mapping of str to ndarray or QuickMap
        What is kept of each, as stages made it.

    Attributes
    ----------
    parts : mapping of str to ndarray or QuickMap
        The same objects as long as no map has changed.
    """

    def __init__(self, parts: Mapping[str, Field | QuickMap]) -> None:
        self.parts = parts

    def __getitem__(self, name: str) -> Field:
        values: Field = values_of(self.parts[name])
        return values

    def __contains__(self, name: object) -> bool:
        return name in self.parts

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __reduce__(self) -> tuple[type[dict[str, Field]], tuple[dict[str, Field]]]:
        # Another process gets all values: it may hold nothing that they could be measured from.
        return dict, (dict(self),)


def kept_of(maps: Mapping[str, Field]) -> Mapping[str, Field | QuickMap]:
    """Return what is kept of the maps of a landscape.

    Parameters
    ----------
    maps : mapping of str to ndarray of float32, shape (rows, columns)
        `Landscape.maps`, however the landscape was made.

    Returns
    -------
    mapping of str to ndarray or QuickMap
        The same objects as long as no map has changed.
    """
    return maps.parts if isinstance(maps, LandMaps) else maps


@dataclass
class Measured:
    """All measurements of one terrain, each made when it is first asked for.

    Parameters
    ----------
    terrain : Terrain
        What is measured.
    recipe : Recipe
        Where measurements read their parameters.
    relief : Terrain or None
        The terrain before erosion; None where nobody knows it.
    instead : mapping of str to callable, optional
        What measures some of them differently here; it takes this.
    """

    terrain: Terrain
    recipe: Recipe
    relief: Terrain | None
    instead: Mapping[str, Callable[["Measured"], Any]] = field(default_factory=dict)
    _known: dict[str, Any] = field(default_factory=dict)

    def __call__(self, name: str) -> Any:
        """Return a measurement.

        Raises
        ------
        ValueError
            If there is none of that name, or it needs a relief that nobody knows.
        """
        if name == RELIEF:
            if self.relief is None:
                raise ValueError("the terrain before erosion is not known here")
            return self.relief
        if name not in self._known:
            if name not in MEASUREMENTS:
                raise ValueError(f"there is no map {name!r}; there are: {', '.join(MAPS)}")
            own = self.instead.get(name)
            self._known[name] = own(self) if own else measure(MEASUREMENTS[name], self.terrain, self.recipe, self)
        return self._known[name]


def is_on(measurement: Measurement, recipe: Recipe) -> bool:
    """Return whether a landscape has a measurement.

    Parameters
    ----------
    measurement : Measurement
        Which may have a switch.
    recipe : Recipe
        Whose parameter set turns it on.

    Returns
    -------
    bool
    """
    return not measurement.switch or bool(getattr(recipe, measurement.switch).enabled)


def needs_of(measurement: Measurement, recipe: Recipe) -> tuple[str, ...]:
    """Return the names of the other measurements that one takes.

    Parameters
    ----------
    measurement : Measurement
        What is to be measured.
    recipe : Recipe
        Whose climate may be on.

    Returns
    -------
    tuple of str
    """
    return (*measurement.needs, *(measurement.with_climate if recipe.climate.enabled else ()))


def measure(measurement: Measurement, terrain: Terrain, recipe: Recipe, get: Callable[[str], Any]) -> Any:
    """Measure something on a terrain.

    Parameters
    ----------
    measurement : Measurement
        What to measure.
    terrain : Terrain
        What is measured.
    recipe : Recipe
        Where it reads its parameters.
    get : callable
        From the names that it needs to those measurements.

    Returns
    -------
    object
        A map is float32 (rows, columns).
    """
    needed = {name: get(name) for name in needs_of(measurement, recipe)}
    return measurement.measure(terrain, **needed, **{name: getattr(recipe, name) for name in measurement.reads})


def reads_of(name: str, recipe: Recipe) -> Any:
    """Return what a measurement depends on apart from the terrain, and what it needs in turn.

    Parameters
    ----------
    name : str
        Of a measurement, or ``relief``.
    recipe : Recipe
        Where it reads its parameters.

    Returns
    -------
    list
        As JSON.
    """
    if name == RELIEF:
        return []
    one = MEASUREMENTS[name]
    return [
        [getattr(recipe, part).to_json() for part in one.reads],
        [reads_of(need, recipe) for need in needs_of(one, recipe)],
    ]


def needs_relief(name: str) -> bool:
    """Return whether a measurement compares a terrain with what it was before erosion.

    Parameters
    ----------
    name : str
        Of a measurement, or ``relief``.

    Returns
    -------
    bool
        Whether it needs the relief, or something that does.
    """
    return name == RELIEF or any(needs_relief(need) for need in MEASUREMENTS[name].needs)


def measurement_stages(recipe: Recipe, land: str) -> list[Stage]:
    """Return a stage for each measurement of the finished terrain, each after those it needs.

    Parameters
    ----------
    recipe : Recipe
        Where they read their parameters.
    land : str
        Name of the stage that makes the finished terrain.

    Returns
    -------
    list of Stage
        One for each that the terrain does not hold already.
    """
    stages: dict[str, Stage] = {}

    def add(name: str) -> None:
        one = MEASUREMENTS.get(name)
        if one is None or name in stages:
            return
        needs = needs_of(one, recipe)
        for need in needs:
            add(need)
        reads = [getattr(recipe, part).to_json() for part in one.reads]
        stages[name] = Stage(StageKind.MEASUREMENT, name, (land, *needs), reads, _measuring(one, recipe, land))

    # First those that compare the land with what it was before erosion, so that this need not be kept for long.
    for name in sorted(MEASUREMENTS, key=lambda name: (needs_relief(name), MEASUREMENTS[name].layers), reverse=True):
        is_held = name in MAPS and MAPS[name].kept is Kept.IN_TERRAIN
        if not is_held and is_on(MEASUREMENTS[name], recipe):
            add(name)
    return list(stages.values())


def _measuring(one: Measurement, recipe: Recipe, land: str) -> Callable[[Results], Steps[Any]]:
    def compute(results: Results) -> Steps[Any]:
        yield 0.0
        # Only these results are kept as long as a quick map is.
        needed = {name: land_of(results[name]) if name == RELIEF else results[name] for name in needs_of(one, recipe)}
        work = partial(measure, one, land_of(results[land]), recipe, lambda name: values_of(needed[name]))
        return QuickMap(work) if isinstance(one, Map) and one.is_quick else work()

    return compute
