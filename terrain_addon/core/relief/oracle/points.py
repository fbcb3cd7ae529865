"""Points, seeds and periods for the definitions, checked before they are used."""

import numpy as np
import numpy.typing as npt


def checked_seed(seed: int) -> np.uint32:
    """Return a seed in the form that kernels take.

    Parameters
    ----------
    seed : int
        0 to 2³² − 1.

    Returns
    -------
    numpy.uint32

    Raises
    ------
    ValueError
        If it does not fit 32 bits.
    """
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed = {seed} is outside 0 to 2³² − 1")
    return np.uint32(seed)


def checked_period(period: int) -> int:
    """Return a period that a lattice can keep.

    Parameters
    ----------
    period : int
        Number of cells, 0 to 2³¹ − 1.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If it is out of range.
    """
    if not 0 <= period < 2**31:
        raise ValueError(f"period = {period} cells is outside 0 to 2³¹ − 1 cells")
    return period


def checked_points(**coordinates: npt.ArrayLike) -> tuple[tuple[int, ...], list[npt.NDArray[np.float64]]]:
    """Return the common shape of coordinates, and each of them flat, as float64.

    Parameters
    ----------
    **coordinates : array_like of float64
        Coordinates by name, in cells, of any sign; they are broadcast against one another.

    Returns
    -------
    shape : tuple of int
    points : list of ndarray of float64, shape (points,)

    Raises
    ------
    ValueError
        If shapes do not fit one another, or a coordinate is not finite or not below 2⁴⁰ in magnitude.
    """
    arrays = {name: np.asarray(values, np.float64) for name, values in coordinates.items()}
    try:
        shape = np.broadcast_shapes(*(values.shape for values in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {values.shape}" for name, values in arrays.items())
        raise ValueError(f"the shapes of coordinates do not fit one another: {shapes}") from None
    for name, values in arrays.items():
        if not np.all(np.abs(values) < 2.0**40):
            raise ValueError(f"{name} holds coordinates that are not finite or not below 2⁴⁰ cells")
    return shape, [np.ascontiguousarray(np.broadcast_to(values, shape)).ravel() for values in arrays.values()]
