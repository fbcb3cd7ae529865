"""Whether a landscape fits into the memory of this computer, checked before anything is allocated."""

import os

from .terrain import Grid

# Bedrock, sediment, surface, four maps, drainage area in float64, the stack of cells, and the mesh that Blender makes.
_BYTES_PER_SAMPLE = 160


def check_memory(grid: Grid) -> None:
    """Refuse a grid that needs more memory than the computer has.

    Parameters
    ----------
    grid : Grid
        Samples of the landscape.

    Raises
    ------
    ValueError
        Saying how much is needed and how much there is.
    """
    needed, present = grid.rows * grid.columns * _BYTES_PER_SAMPLE, physical_memory()
    if present is not None and needed > present:
        raise ValueError(
            f"a landscape of {grid.rows} × {grid.columns} samples needs about {needed / 2**30:.1f} GiB of memory, "
            f"this computer has {present / 2**30:.1f} GiB; lower the resolution"
        )


def physical_memory() -> int | None:
    """Return how many bytes of memory this computer has, None if the system does not say."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
