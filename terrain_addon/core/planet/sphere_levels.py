"""Coarser spheres over the same ground: a planet takes its large shape on a coarse one and its detail on finer ones.

Every second sample of a face is a sample of the next coarser face.

References
----------
Lane, J. M. & Riesenfeld, R. F. (1980). A theoretical development for the computer generation and display of piecewise
polynomial surfaces. IEEE Transactions on Pattern Analysis and Machine Intelligence 2(1), 35–46.
doi:10.1109/TPAMI.1980.4766968  (Doubling and averaging, which gives B-splines.)
"""

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from .sphere_links import Sphere, make_sphere

# Samples along an edge of a face of the coarsest sphere, the same for every planet, so that all start from one shape.
_COARSEST = 65


def coarsest_resolution(resolution: int) -> int:
    """Return how many samples an edge of a face of the coarsest sphere has.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face of the finest sphere.

    Returns
    -------
    int
    """
    return min(resolution, _COARSEST)


def spheres_from_coarse(resolution: int, radius: float) -> list[Sphere]:
    """Return the spheres of a coarse-to-fine sequence.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face of the finest sphere: a power of two, plus one.
    radius : float
        Metres, above 0.

    Returns
    -------
    list of Sphere
        From coarse to fine.

    Examples
    --------
    >>> [sphere.resolution for sphere in spheres_from_coarse(129, 1000.0)]
    [65, 129]
    """
    found = [resolution]
    while found[0] > _COARSEST:
        found.insert(0, found[0] // 2 + 1)
    return [make_sphere(one, radius) for one in found]


def halve(values: Array, fine: Sphere, coarse: Sphere) -> Array:
    """Return means over the cells of the next coarser sphere.

    Parameters
    ----------
    values : ndarray of float32, shape (1, cells)
        On the fine sphere.
    fine, coarse : Sphere
        Both spheres.

    Returns
    -------
    ndarray of float32, shape (1, cells)
        On the coarse sphere: a cell and its neighbours, weighted by their areas; neighbours count for a half, those
        across corners for a quarter.
    """
    cells = fine.cells.number[:, ::2, ::2].reshape(-1)[coarse.cells.first]
    result = np.empty(len(cells), np.float32)
    _average(values.reshape(-1), fine.mesh.links.cells, fine.mesh.area, cells, result)
    return result.reshape(1, -1)


def double(values: Array, coarse: Sphere, fine: Sphere) -> Array:
    """Return a smooth field on the next finer sphere: a step of subdivision of a bicubic B-spline.

    Parameters
    ----------
    values : ndarray of float32, shape (1, cells)
        On the coarse sphere.
    coarse, fine : Sphere
        Both spheres.

    Returns
    -------
    ndarray of float32, shape (1, cells)
        On the fine sphere, within the range of `values`.
    """
    known = coarse.cells.on_faces(values)
    size = fine.resolution
    faces = np.empty((len(known), size, size), np.float32)
    faces[:, ::2, ::2] = known
    half = np.float32(0.5)
    np.multiply(known[:, :, :-1] + known[:, :, 1:], half, out=faces[:, ::2, 1::2])
    # Opposite corners first: both sides of an edge, and a planet that was turned, get the same bytes.
    np.multiply(known[:, :-1] + known[:, 1:], half, out=faces[:, 1::2, ::2])
    across = (known[:, :-1, :-1] + known[:, 1:, 1:]) + (known[:, :-1, 1:] + known[:, 1:, :-1])
    np.multiply(across, np.float32(0.25), out=faces[:, 1::2, 1::2])
    rough = fine.cells.of(faces)
    result = np.empty_like(rough)
    _average(rough[0], fine.mesh.links.cells, None, np.arange(rough.size, dtype=np.int32), result[0])
    return result


@parallel_kernel
def _average(part: Part, values: Array, links: Array, area: Array | None, cells: Array, result: Array) -> None:
    """Write the mean of each cell and its neighbours, weighted 4 : 2 : 1, and by area if it is given."""
    for k in portion(part, result.size):
        cell = cells[k]
        own = 4.0 if area is None else 4.0 * area[cell]
        total, weights = own * values[cell], own
        for direction in range(8):
            there = links[cell, direction]
            if there != cell:
                weight = 1.0 if direction & 1 else 2.0
                if area is not None:
                    weight *= area[there]
                total += weight * values[there]
                weights += weight
        result[k] = total / weights
