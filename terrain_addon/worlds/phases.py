"""All phases by name, and one tile going through one of them, in this process."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..core.foundation.compilation import set_thread_count
from .drawing_phases import DRAWING_SCRATCH, build_tile, dig_tile, form_tile, lay_beds_in_tile, rim_tile, trace_tile
from .erosion_phases import (
    EROSION_SCRATCH,
    carve_tile,
    chain_tile,
    creep_tile,
    fill_tile,
    keep_tile,
    make_ground,
    refine_tile,
    scratch_path,
    solve_tile,
    state_path,
)
from .finishing_phases import (
    finish_tile,
    finished_arrays,
    grow_plants,
    join_plants,
    make_surface,
    route_tile,
    working_arrays,
)
from .shaping_phases import (
    SHAPING_SCRATCH,
    bed_tile,
    course_tile,
    cut_tile,
    drain_tile,
    fall_tile,
    lead_tile,
    shape_tile,
    sink_tile,
)
from .store import ArrayKind, Store
from .survey_phases import spread_tile, survey_tile
from .tiles import WorldTile, summary_file
from .workshop import Workshop
from .world import FALL_PHASES, Phase, World

PHASES: dict[str, Callable[[WorldTile], None]] = {
    "refine": refine_tile,
    "ground": make_ground,
    "carve": carve_tile,
    "chain": chain_tile,
    "solve": solve_tile,
    "fill": fill_tile,
    "creep": creep_tile,
    "keep": keep_tile,
    "shape": shape_tile,
    **dict.fromkeys(FALL_PHASES, fall_tile),
    "lead": lead_tile,
    "drain": drain_tile,
    "course": course_tile,
    "sink": sink_tile,
    "bed": bed_tile,
    "cut": cut_tile,
    "survey": survey_tile,
    "spread": spread_tile,
    "form": form_tile,
    "rim": rim_tile,
    "trace": trace_tile,
    "dig": dig_tile,
    "lay": lay_beds_in_tile,
    "build": build_tile,
    "surface": make_surface,
    "route": route_tile,
    "finish": finish_tile,
    "grow": grow_plants,
    "plants": join_plants,
}

WEIGHTS = {"refine": 3.0, "ground": 4.0, "carve": 1.0, "chain": 1.5, "solve": 2.5, "fill": 1.0, "creep": 1.0}
WEIGHTS |= {"shape": 1.5, "cut": 2.0, **dict.fromkeys(FALL_PHASES, 1.5), "surface": 1.0}
"""About how long a tile takes in each phase; 1 where nothing is said."""


def arrays_for(world: World, phase: Phase) -> dict[str, Any]:
    """Return the arrays into which a phase writes, with their types."""
    if phase.name == "surface":
        return {**finished_arrays(world), **working_arrays()}
    if world.is_last_of_step(phase):
        top = {"height": "f8"} if phase.step <= world.steps else {"bedrock": "f4"}
        return {state_path(phase.level, phase.step, name): kind for name, kind in {**top, "sediment": "f4"}.items()}
    scratch = {**EROSION_SCRATCH, **SHAPING_SCRATCH, **DRAWING_SCRATCH}.get(phase.name, {})
    return {scratch_path(phase.level, phase.step, name): dtype for name, dtype in scratch.items()}


def maker_of(world: World, path: str) -> Phase:
    """Return the phase that writes an array in which tiles keep the land, or what phases of a step tell one another.

    Parameters
    ----------
    world : World
        What is made.
    path : str
        From `state_path` or `scratch_path`.

    Returns
    -------
    Phase
    """
    level, step = map(int, path.split("/")[2:4])
    names = world.step_phases(level, step) if step else ("refine",)
    return next(phase for name in names if path in arrays_for(world, phase := Phase(name, level, step)))


def create_arrays(world: World, store: Store, phase: Phase) -> None:
    """Make the arrays that a phase needs, where they are missing."""
    for path, dtype in arrays_for(world, phase).items():
        store.create(path, array_kind(world, phase.level, path, dtype))


def array_kind(world: World, level: int, path: str, dtype: Any) -> ArrayKind:
    """Return what an array of a level is like; those that other programs read are compressed."""
    shape = world.land(level).shape
    return ArrayKind(shape, np.dtype(dtype).name, world.scale.side, packed=not path.startswith("work"))


def work_on_tile(folder: str, described: str, phase: Phase, number: int, threads: int | None = None) -> int:
    """Let one tile go through one phase.

    Parameters
    ----------
    folder : str
        Of the world.
    described : str
        JSON of the world.
    phase : Phase
        What to do.
    number : int
        Of the tile.
    threads : int, optional
        How many threads kernels use; left out, as many as before.

    Returns
    -------
    int
        The number of the tile.

    Raises
    ------
    CorruptChunk
        If something that it reads is corrupt.
    """
    if threads is not None:
        set_thread_count(threads)
    tile = WorldTile(workshop_of(folder, described), Phase(*phase), number)
    PHASES[tile.phase.name](tile)
    tile.finish()
    return number


def work_on_waiting_tile(folder: str, described: str, phase: Phase, number: int) -> None:
    """Let one tile go through one phase, unless it has.

    Dask gives out again what a lost worker had done, and later phases may have changed what it read.

    Parameters
    ----------
    folder : str
        Of the world.
    described : str
        JSON of the world.
    phase : Phase
        What to do.
    number : int
        Of the tile.

    Raises
    ------
    CorruptChunk
        If something that it reads is corrupt.
    """
    if not summary_file(Path(folder), Phase(*phase), number).is_file():
        work_on_tile(folder, described, phase, number, threads=1)


@lru_cache(maxsize=1)
def workshop_of(folder: str, described: str) -> Workshop:
    """Return the workshop of a world, the same one for the same world."""
    return Workshop(World.from_json(json.loads(described)), Store(Path(folder)))
