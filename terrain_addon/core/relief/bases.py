"""The kinds of noise that octaves can be made of, in the form that kernels take.

Noise that moves is at time 0 the noise that stands still, changes in place, and is spread over its range in the same
way at all times:

- Gradient noise is a cut through noise in space, whose third axis is time.  Between two layers of nodes, of which the
  one at time 0 is the lattice that stands still, n = ρ · Σ w · ((1 − s) (g·d + c σ t) + s (g′·d + c σ′ (t − 1))), with
  g and g′ the slopes of a node in the two layers, t the time since the first, s = fade(t), and random signs σ and σ′.
  The factors c and ρ keep the variance of n constant.
- Simplex noise turns the slope at each corner, each at a speed of its own (Perlin & Neyret 2001).
- Value noise moves its nodes up and down, cellular noise its points within their cells, each at a speed of its own.

References
----------
Perlin, K. & Neyret, F. (2001). Flow noise. SIGGRAPH 2001 technical sketches and applications, 187.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array
from .cell_distances import FEATURES, METRICS, cellular_limit
from .lattice import FADES, NODE_HEIGHTS, PLANE_GRADIENTS, fade, layer_seed
from .octaves import Octaves
from .simplex import PLANE_VECTORS

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

WEIGHT, MIDDLE, SLOPE, RISE = 0, 1, 2, 4
"""Where numbers stand among the factors of a `Basis`; there are two each of the last two, one for each layer."""

# The mean of |d|², squared distances from nodes, each counted as much as the node counts in the variance of the noise:
# 2 ∫ (1 − s)² t² dt / ∫ (1 − s)² dt.
_SQUARED_DISTANCES = {"quintic": 1070.0 / 7059.0, "cubic": 19.0 / 117.0, "linear": 0.2}


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
    has_heights : bool
        Whether the nodes of a lattice have heights instead of slopes.
    layers : ndarray of uint32, shape (octaves, 1 or 2)
        Seeds: of the only layer, or for gradient noise that moves, of the two layers that the moment lies between.
    factors : ndarray of float32, shape (octaves, 6)
        `WEIGHT`, the factor on the noise; `MIDDLE`, which is subtracted from cellular noise; and for gradient noise
        from `SLOPE` on, for each layer, the factor on the slopes of its nodes, from `RISE` on that on their signs.
    moments : ndarray of float64, shape (octaves,)
        Time in new shapes.
    periods : ndarray of int64, shape (octaves,)
        Number of cells after which an octave repeats, 0 for never.
    vectors : ndarray of float32, shape (3, n)
        The vectors that nodes choose from.
    fade, feature, metric : int
        Positions in `FADES`, `FEATURES` and `METRICS`.
    """

    kind: int
    has_heights: bool
    layers: Array
    factors: Array
    moments: Array
    periods: Array
    vectors: Array
    fade: int
    feature: int
    metric: int


def new_basis(choice: BasisChoice, octaves: Octaves, weights: float | npt.NDArray[np.float64]) -> Basis:
    """Return octaves of one kind of noise, each between minus and plus its weight.

    Parameters
    ----------
    choice : BasisChoice
        Which noise.
    octaves : Octaves
        Seeds, periods, and how much time has passed: at time 0 the noise is that which stands still.
    weights : float or ndarray of float64, shape (octaves,)
        Largest magnitude of each octave.  Between two layers, gradient noise rarely exceeds it.

    Returns
    -------
    Basis
    """
    name = choice.name
    sign = -1.0 if choice.upside_down else 1.0
    weights = np.broadcast_to(sign * np.asarray(weights, np.float64), octaves.seeds.shape)
    kind, vectors, limit = LATTICE, NODE_HEIGHTS.vectors, 1.0
    if name == "gradient":
        chosen = PLANE_GRADIENTS[choice.gradients]
        vectors, limit = chosen.vectors, chosen.limits[choice.fade]
    elif name == "simplex":
        kind, vectors = SIMPLEX, PLANE_VECTORS
    elif name == "cellular":
        kind, limit = CELLULAR, cellular_limit(choice.feature, choice.metric)
    faded = list(FADES).index(choice.fade)
    squared_length = math.fsum(vectors.ravel() ** 2) / len(vectors)
    rise = math.sqrt(2.0 * squared_length * _SQUARED_DISTANCES[choice.fade])
    moved = name == "gradient" and bool(octaves.starts[:, 2].any())
    layers = octaves.seeds[:, np.newaxis].copy()
    factors = np.zeros((len(layers), 6), np.float32)
    factors[:, WEIGHT], factors[:, MIDDLE], factors[:, SLOPE] = weights / limit, weights, 1.0
    if moved:
        rise = math.sqrt(2.0 * squared_length * _SQUARED_DISTANCES[choice.fade])
        layers = _layers(octaves, rise, faded, factors)
    return Basis(
        kind,
        name == "value",
        layers,
        factors,
        np.ascontiguousarray(octaves.starts[:, 2]),
        octaves.periods,
        np.ascontiguousarray(vectors.T, np.float32),
        faded,
        list(FEATURES).index(choice.feature),
        list(METRICS).index(choice.metric),
    )


def _layers(octaves: Octaves, rise: float, kind: int, factors: npt.NDArray[np.float32]) -> npt.NDArray[np.uint32]:
    """Return the seeds of the layers that each octave lies between, and write what each of them counts.

    The variance of a sum of two layers is that of one layer times ρ⁻² = (1 − s)² + s² + 4 ((1 − s)² t² + s² (1 − t)²).
    With the rise c, both halves of ρ⁻² are ½ half way between two layers, where ρ is 1 as it is on each layer.
    """
    layers = np.empty((len(octaves.seeds), 2), np.uint32)
    for octave, seed in enumerate(octaves.seeds):
        z = float(octaves.starts[octave, 2])
        below = math.floor(z)
        t, s = z - below, float(fade(z - below, kind))
        spread = (1.0 - s) ** 2 * (1.0 + 4.0 * t * t) + s * s * (1.0 + 4.0 * (1.0 - t) ** 2)
        scale = 1.0 / math.sqrt(spread)
        layers[octave] = layer_seed(below, seed), layer_seed(below + 1, seed)
        factors[octave, SLOPE : SLOPE + 2] = scale * (1.0 - s), scale * s
        factors[octave, RISE : RISE + 2] = scale * rise * (1.0 - s) * t, scale * rise * s * (t - 1.0)
    return layers
