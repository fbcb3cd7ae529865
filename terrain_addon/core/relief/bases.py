"""The noises that octaves are made of, in the form that kernels take."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array
from .cellular_noise import FEATURES, METRICS, cellular_limit
from .lattice import FADES, LEVELS, PLANE_GRADIENTS, SPACE_GRADIENTS, fade, layer_seed, wrap
from .octaves import Octaves
from .simplex_noise import PLANE_VECTORS, SPACE_VECTORS

BASES = {
    "gradient": "Slopes at the nodes of a lattice: even, rounded hills",
    "value": "Heights at the nodes of a lattice: blocky, with flat tops",
    "simplex": "Slopes at the corners of triangles: sharper, the same in more directions",
    "cellular": "Distance to scattered points: pits and sharp crests between them",
}
"""Kinds of noise; a kernel is given the number of one in this order."""

LATTICE, SIMPLEX, CELLULAR = 0, 1, 2


class Basis(NamedTuple):
    """One kind of noise in some octaves, scaled to [−1, 1] and weighted.

    Attributes
    ----------
    kind : int
        `LATTICE`, `SIMPLEX` or `CELLULAR`.
    in_space : bool
        Whether the noise is cut out of space at the time of the octaves.
    layers : ndarray of uint32, shape (octaves, 1 or 2)
        Seeds; of a lattice in space, those of the two layers around the moment.
    shares : ndarray of float32, shape (octaves, 1 or 2, 2)
        For each layer the factor on the noise, and the one on the third component of vectors; of cellular noise the
        second is what is taken away.
    periods : ndarray of int64, shape (octaves,)
    depths : ndarray of float64, shape (octaves,)
        Third coordinate in cells.
    vectors : ndarray of float32, shape (3, n)
    flat : bool
        Whether third components play no part.
    fade, feature, metric : int
        Places in `FADES`, `FEATURES` and `METRICS`.
    """

    kind: int
    in_space: bool
    layers: Array
    shares: Array
    periods: Array
    depths: Array
    vectors: Array
    flat: bool
    fade: int
    feature: int
    metric: int


def new_basis(
    name: str,
    octaves: Octaves,
    weights: float | npt.NDArray[np.float64],
    *,
    in_space: bool,
    fade: str = "quintic",
    gradients: str = "unit_256",
    feature: str = "f1",
    metric: str = "euclidean",
) -> Basis:
    """Return octaves of one of `BASES`, each between minus and plus its weight.

    Parameters
    ----------
    name : str
        A key of `BASES`.
    octaves : Octaves
        Seeds, periods and the moment.
    weights : float or ndarray of float64, shape (octaves,)
    in_space : bool
        Whether the noise is cut out of space; its gradients are then those of space.
    fade, gradients, feature, metric : str
        Keys of `FADES`, `PLANE_GRADIENTS`, `FEATURES` and `METRICS`.
    """
    weights = np.broadcast_to(np.asarray(weights, np.float64), octaves.seeds.shape)
    kind, vectors, limit = LATTICE, LEVELS.vectors, 1.0
    if name == "gradient":
        chosen = SPACE_GRADIENTS["cube_edges"] if in_space else PLANE_GRADIENTS[gradients]
        vectors, limit = chosen.vectors, chosen.limits[fade]
    elif name == "simplex":
        kind, vectors = SIMPLEX, SPACE_VECTORS if in_space else PLANE_VECTORS
    elif name == "cellular":
        kind, limit = CELLULAR, cellular_limit(feature, metric, in_space=in_space)
    layers, shares = _layers(octaves, weights / limit, list(FADES).index(fade), name, in_space)
    if kind == CELLULAR:
        shares[:, 0, 1] = weights
    return Basis(
        kind,
        in_space,
        layers,
        shares,
        octaves.periods,
        np.ascontiguousarray(octaves.starts[:, 2]),
        np.ascontiguousarray(vectors.T, np.float32),
        name == "gradient" and not in_space,
        list(FADES).index(fade),
        list(FEATURES).index(feature),
        list(METRICS).index(metric),
    )


def _layers(
    octaves: Octaves, weights: npt.NDArray[np.float64], kind: int, name: str, in_space: bool
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
    count = len(weights)
    # Noise in space at one moment is noise in the plane, whose nodes blend the vectors of two layers.
    blended = in_space and name in ("gradient", "value")
    layers = np.empty((count, 2 if blended else 1), np.uint32)
    shares = np.empty((count, 2 if blended else 1, 2), np.float32)
    for octave in range(count):
        weight = weights[octave]
        if not blended:
            layers[octave, 0] = octaves.seeds[octave]
            shares[octave, 0] = weight, weight if name == "value" else 0.0
            continue
        z = octaves.starts[octave, 2]
        layer = int(np.floor(z))
        s = float(fade(float(z - layer), kind))
        for above, share in ((0, weight * (1.0 - s)), (1, weight * s)):
            number = int(wrap(layer + above, int(octaves.periods[octave])))
            layers[octave, above] = layer_seed(number, octaves.seeds[octave])
            shares[octave, above] = share, share if name == "value" else share * (z - layer - above)
    return layers, shares
