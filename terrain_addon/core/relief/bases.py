"""The kinds of noise that octaves can be made of, in the form that kernels take."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array
from .cell_distances import FEATURES, METRICS, cellular_limit
from .lattice import FADES, NODE_HEIGHTS, PLANE_GRADIENTS, SPACE_GRADIENTS, fade, layer_seed, wrap
from .octaves import Octaves
from .simplex import PLANE_VECTORS, SPACE_VECTORS

BASES = {
    "gradient": "Slopes at the nodes of a lattice: even, rounded hills",
    "value": "Heights at the nodes of a lattice: blocky, with flat tops",
    "simplex": "Slopes at the corners of triangles: sharper hills, alike in more directions",
    "cellular": "Distance to scattered points: pits and sharp crests between them",
}
"""Kinds of noise, each with a sentence."""

LATTICE_BASES = ("gradient", "value")
"""Those of `BASES` that a lattice of nodes makes, so that whole rows can share the work."""

LATTICE, SIMPLEX, CELLULAR = 0, 1, 2
"""How a basis is evaluated."""


class BasisChoice(NamedTuple):
    """Which noise the octaves are made of.

    Attributes
    ----------
    name : str
        A key of `BASES`.
    fade, gradients, feature, metric : str
        Keys of `FADES`, `PLANE_GRADIENTS`, `FEATURES` and `METRICS`.  Each counts only for the bases that have it.
    upside_down : bool
        Whether the noise is turned upside down.
    """

    name: str = "gradient"
    fade: str = "quintic"
    gradients: str = "unit_256"
    feature: str = "f1"
    metric: str = "euclidean"
    upside_down: bool = False


class Basis(NamedTuple):
    """One kind of noise in some octaves, scaled to [−1, 1] and weighted.

    Attributes
    ----------
    kind : int
        `LATTICE`, `SIMPLEX` or `CELLULAR`.
    in_space : bool
        Whether the noise is a cut through noise in space, at the time of the octaves.
    layers : ndarray of uint32, shape (octaves, 1 or 2)
        Seeds; for a lattice in space, those of the two layers of nodes around the cut.
    shares : ndarray of float32, shape (octaves, 1 or 2, 2)
        For each layer the factor on the noise, and the factor on the third component of vectors.  For cellular noise
        the second number is subtracted instead.
    periods : ndarray of int64, shape (octaves,)
        Number of cells after which an octave repeats, 0 for never.
    depths : ndarray of float64, shape (octaves,)
        Third coordinate in cells.
    vectors : ndarray of float32, shape (3, n)
        The vectors that nodes choose from.
    flat : bool
        Whether the third components of vectors are without effect.
    fade, feature, metric : int
        Positions in `FADES`, `FEATURES` and `METRICS`.
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
    choice: BasisChoice, octaves: Octaves, weights: float | npt.NDArray[np.float64], *, in_space: bool
) -> Basis:
    """Return octaves of one kind of noise, each between minus and plus its weight.

    Parameters
    ----------
    choice : BasisChoice
        Which noise.
    octaves : Octaves
        Seeds, periods and the third coordinate.
    weights : float or ndarray of float64, shape (octaves,)
        Largest magnitude of each octave.
    in_space : bool
        Whether the noise is a cut through noise in space; its gradients are then those of space.

    Returns
    -------
    Basis
    """
    name = choice.name
    sign = -1.0 if choice.upside_down else 1.0
    weights = np.broadcast_to(sign * np.asarray(weights, np.float64), octaves.seeds.shape)
    kind, vectors, limit = LATTICE, NODE_HEIGHTS.vectors, 1.0
    if name == "gradient":
        chosen = SPACE_GRADIENTS["cube_edges"] if in_space else PLANE_GRADIENTS[choice.gradients]
        vectors, limit = chosen.vectors, chosen.limits[choice.fade]
    elif name == "simplex":
        kind, vectors = SIMPLEX, SPACE_VECTORS if in_space else PLANE_VECTORS
    elif name == "cellular":
        kind, limit = CELLULAR, cellular_limit(choice.feature, choice.metric, in_space=in_space)
    layers, shares = _layers(octaves, weights / limit, list(FADES).index(choice.fade), name, in_space)
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
        list(FADES).index(choice.fade),
        list(FEATURES).index(choice.feature),
        list(METRICS).index(choice.metric),
    )


def _layers(
    octaves: Octaves, weights: npt.NDArray[np.float64], kind: int, name: str, in_space: bool
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
    """Return the seeds of the layers of nodes that each octave blends, and the factors on them."""
    count = len(weights)
    # A cut through a lattice in space is noise in the plane, whose nodes blend the vectors of two layers.
    blended = in_space and name in LATTICE_BASES
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
