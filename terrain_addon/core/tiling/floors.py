"""The new height of a cell as a function of the height to which it drains, put together along whole rivers.

One implicit step of river incision gives a cell the height h = min(c, a + b·f), where f is the new height of its
receiver, the floor: for n = 1 the drop shrinks by a constant factor, and where the floor is higher than the cell,
nothing erodes (c).  Such functions follow one another as such functions: min(c, a + b·min(c′, a′ + b′·f)) =
min(min(c, a + b·c′), a + b·a′ + b·b′·f) for b ≥ 0.  So each block tells for each cell on its rim how its height
follows from the floor at its exit, one graph finds all floors, and each block then solves its cells one by one.  The
form is exact; rounding differs from a solution in one piece, so blocks are the same for every tiling.
"""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from .block_flow import BlockFlow, ExitGraph, find_entries
from .blocks import Block, Blocks, land_cells, rim_of

Rises = npt.NDArray[np.float64]
"""Functions f ↦ min(c, a + b·f), as rows c, a, b: shape (3, n)."""


def chain_floors(flow: BlockFlow, own: Rises, block: Block, blocks: Blocks) -> dict[str, Array]:
    """Return how the height of each cell on the rim of a block follows from the floor of its exit.

    Parameters
    ----------
    flow : BlockFlow
        Of the block.
    own : ndarray of float64, shape (3, cells)
        For each cell, c, a and b of its height as a function of the new height of its receiver; for outlets b = 0.
        Overwritten: afterwards, as a function of the floor of its exit.
    block : Block
        Where the block lies.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    dict of str to ndarray
        ``entry``: cells on the rim; ``entry_c``, ``entry_a``, ``entry_b``: their functions.
    """
    _chain(flow.order, flow.receiver, own)
    rim = rim_of(block.shape)
    c, a, b = own[:, rim]
    return {"entry": land_cells(rim, block, blocks), "entry_c": c, "entry_a": a, "entry_b": b}


def find_floors(graph: ExitGraph, summary: dict[str, Array]) -> npt.NDArray[np.float64]:
    """Return the floor of each exit: the new height of the cell of another block to which it drains.

    Parameters
    ----------
    graph : ExitGraph
        From `join_exits`.
    summary : dict of str to ndarray
        From `chain_floors` for every block, put together by `blocks.joined`, in any order.

    Returns
    -------
    ndarray of float64, shape (exits,)
        Metres.
    """
    floors = np.empty(graph.exit.size)
    if floors.size:
        at = find_entries(graph.target, summary["entry"])
        rises = np.stack([summary[name][at] for name in ("entry_c", "entry_a", "entry_b")])
        _find_floors(graph.following, graph.order, rises, floors)
    return floors


@kernel
def _chain(order: Array, receiver: Array, rises: Array) -> None:
    """Put the function of each cell before that of its receiver, downstream first."""
    for cell in order:
        below = receiver[cell]
        if below >= 0:
            c, a, b = rises[0, cell], rises[1, cell], rises[2, cell]
            rises[0, cell] = min(c, a + b * rises[0, below])
            rises[1, cell] = a + b * rises[1, below]
            rises[2, cell] = b * rises[2, below]


@kernel
def _find_floors(following: Array, order: Array, rises: Array, floors: Array) -> None:
    """Solve exit after exit, downstream first; a path that ends at an outlet has b = 0."""
    for index in order:
        beyond = following[index]
        beneath = floors[beyond] if beyond >= 0 else 0.0
        floors[index] = min(rises[0, index], rises[1, index] + rises[2, index] * beneath)
