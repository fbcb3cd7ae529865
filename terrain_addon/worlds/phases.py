"""All phases by name, and one tile going through one of them, in this process."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..core.foundation.compilation import set_thread_count
from .erosion_phases import (
    SCRATCH,
    carve_tile,
    chain_tile,
    fill_tile,
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
from .store import Store
from .tiles import WorldTile
from .workshop import Workshop
from .world import Phase, World

PHASES: dict[str, Callable[[WorldTile], None]] = {
    "refine": refine_tile,
    "ground": make_ground,
    "carve": carve_tile,
    "chain": chain_tile,
    "solve": solve_tile,
    "fill": fill_tile,
    "surface": make_surface,
    "route": route_tile,
    "finish": finish_tile,
    "grow": grow_plants,
    "plants": join_plants,
}

WEIGHTS = {"refine": 3.0, "ground": 4.0, "carve": 1.0, "chain": 1.5, "solve": 2.5, "fill": 1.0, "surface": 2.0}
"""About how long a tile takes in each phase; 1 where nothing is said."""


def arrays_for(world: World, phase: Phase) -> dict[str, Any]:
    """Return the arrays into which a phase writes, or that it is the first of its step to need, with their types."""
    states = {"height": "f8", "sediment": "f4"}
    if phase.name in ("refine", "fill"):
        return {state_path(phase.level, phase.step, name): dtype for name, dtype in states.items()}
    if phase.name == "ground":
        return {scratch_path(phase.level, phase.step, name): dtype for name, dtype in SCRATCH.items()}
    if phase.name == "surface":
        return {**finished_arrays(world), **working_arrays()}
    return {}


def create_arrays(world: World, store: Store, phase: Phase) -> None:
    """Make the arrays that a phase needs, where they are missing."""
    shape = world.land(phase.level).shape
    for path, dtype in arrays_for(world, phase).items():
        store.create(path, shape, dtype, world.scale.side, packed=not path.startswith("work"))


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


@lru_cache(maxsize=1)
def workshop_of(folder: str, described: str) -> Workshop:
    """Return the workshop of a world, the same one for the same world."""
    return Workshop(World.from_json(json.loads(described)), Store(Path(folder)))
