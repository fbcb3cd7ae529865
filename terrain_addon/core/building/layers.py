"""A relief as a stack of layers: each adds, cuts or blends its own heights into the land beneath it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import Purpose, derive_seed
from ..foundation.parameters import Named, ParameterSet, group, parameter, series, variant
from ..foundation.placement import Borders, borders_of
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field, Grid
from ..maps.masks import MASKS, Mask, Surroundings, evaluate_mask
from ..relief.shaping import Shaping, shaped_limits
from ..relief.source import HeightLimits, Source
from ..relief.sources import SOURCES

BLENDS = {
    "add": "The heights of the layer are added to the land beneath",
    "subtract": "The heights of the layer are taken away from the land beneath",
    "multiply": "Where the layer is low, the land beneath sinks towards the lowest it could be",
    "screen": "Where the layer is high, the land beneath rises towards the highest it could be",
    "min": Named("Lower", "The lower of layer and land"),
    "max": Named("Higher", "The higher of layer and land"),
    "smooth_min": Named("Smooth Lower", "The lower of layer and land, rounded where they meet"),
    "smooth_max": Named("Smooth Higher", "The higher of layer and land, rounded where they meet"),
    "replace": "The layer takes the place of the land beneath",
}

Inputs = Mapping[str, StoredField]
"""What comes from outside, by the name under which the recipe asks for it."""


@dataclass(frozen=True)
class Layer(ParameterSet):
    """Heights, and how they are blended into the land beneath."""

    name: str = parameter("Layer", "What the layer is called in the list")
    enabled: bool = parameter(True, "Whether the layer takes part")
    source: Any = variant(tuple(SOURCES), "Where the heights of the layer come from")
    blend: str = parameter("add", "How the layer is combined with the land beneath", choices=BLENDS)
    opacity: float = parameter(
        1.0,
        "How strongly the layer acts: 0 leaves the land beneath as it is, 1 shows the full blend",
        limits=(0.0, 1.0),
    )
    softness: float = parameter(
        100.0,
        "Difference of height within which smooth min and max round the place where layer and land meet",
        unit="m",
        limits=(0.0, 1e5),
        soft=(0.0, 1000.0),
        advanced=True,
    )
    mask: Mask = variant(MASKS, "Where the layer acts")
    variation: int = parameter(
        0,
        "Number of the random pattern; each gives another pattern of the same kind",
        limits=(0, 2**31 - 1),
        soft=(0, 100),
        advanced=True,
    )

    @property
    def made_by(self) -> Source:
        """How the heights of its source are made."""
        return SOURCES[type(self.source)]

    @property
    def moves(self) -> bool:
        """Whether it looks different at another time."""
        return self.made_by.moves(self.source)


@dataclass(frozen=True)
class Relief(ParameterSet):
    """The shape that the land starts from."""

    layers: tuple[Layer, ...] = series((Layer,), (Layer(),), "Layers, the lowest first")
    shaping: Shaping = group(Shaping, "What happens to the stack as a whole")

    @classmethod
    def of(cls, *sources: ParameterSet) -> Self:
        """Return a relief with one layer for each source, added up.

        Parameters
        ----------
        sources : ParameterSet
            Each of one of the types in `SOURCES`.

        Returns
        -------
        Relief
            Without masks and shaping.
        """
        return cls(layers=tuple(Layer(name=s.title(), source=s) for s in sources))


def inputs_of(relief: Relief) -> tuple[str, ...]:
    """Return the keys of everything that the enabled layers need from outside.

    Parameters
    ----------
    relief : Relief
        Whose layers are asked.

    Returns
    -------
    tuple of str
        Each once, in the order of the layers.
    """
    keys = [key for layer in relief.layers if layer.enabled for key in inputs_of_layer(layer)]
    return tuple(dict.fromkeys(keys))


def inputs_of_layer(layer: Layer) -> tuple[str, ...]:
    """Return the keys of what a layer and its mask need from outside.

    Parameters
    ----------
    layer : Layer
        On or off.

    Returns
    -------
    tuple of str
        That of its source first.
    """
    own = layer.made_by.key(layer.source)
    return (() if own is None else (own,)) + layer.mask.keys


def missing_inputs(layer: Layer, inputs: Inputs) -> tuple[str, ...]:
    """Return the keys of what a layer needs and lacks; a layer that lacks anything is left out of the stack.

    Parameters
    ----------
    layer : Layer
        On or off.
    inputs : mapping of str to StoredField
        What there is, by key.

    Returns
    -------
    tuple of str
        Empty if it lacks nothing.
    """
    return tuple(key for key in inputs_of_layer(layer) if key not in inputs)


def stack_limits(relief: Relief, inputs: Inputs) -> tuple[HeightLimits, ...]:
    """Return the lowest and highest height that there could be beneath each layer, and on top of all.

    They follow from the parameters, and from the range of what comes from outside, not from the heights of one tile:
    every tile has the same.

    Parameters
    ----------
    relief : Relief
        The stack.
    inputs : mapping of str to StoredField
        What comes from outside, by key.

    Returns
    -------
    tuple of (low, high)
        In metres, one more than there are layers; the first is (0, 0).
    """
    limits = [(0.0, 0.0)]
    for layer in relief.layers:
        limits.append(_blended_limits(layer, limits[-1], inputs))
    return tuple(limits)


def height_range(relief: Relief, inputs: Inputs) -> HeightLimits:
    """Return the lowest and highest height that a relief could have after shaping.

    Parameters
    ----------
    relief : Relief
        The stack and its shaping.
    inputs : mapping of str to StoredField
        What comes from outside, by key.

    Returns
    -------
    tuple of 2 floats
        In metres, known before anything is computed.
    """
    return shaped_limits(relief.shaping, stack_limits(relief, inputs)[-1])


class Setting(NamedTuple):
    """Where and when a layer is laid, and what it can use.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    seed : int
        The recipe's, 0 to 2³¹ − 1.  What a layer looks like depends on it and on its `variation`, not on its place in
        the stack.
    inputs : mapping of str to StoredField
        What comes from outside, by key.
    time : float
        Seconds; third coordinate of noise that moves.
    borders : tuple of 4 floats, optional
        West, south, east and north border of the landscape in metres; left out, those of `grid`.
    maps : callable, optional
        From the name of a map to that map of the land beneath; needed where a mask follows a map.
    """

    grid: Grid
    seed: int
    inputs: Inputs
    time: float = 0.0
    borders: Borders | None = None
    maps: Callable[[str], Field] | None = None


def apply_layer(below: Field | None, layer: Layer, setting: Setting, limits: HeightLimits = (0.0, 0.0)) -> Field:
    """Return the land after one more layer.

    With b the land beneath and v the layer, the blend f is b + v, b − v, v, or the lower or higher of both; smooth
    min and max are the quadratic ones of Quilez, lower or higher by a quarter of `softness` where b = v.  To multiply
    and to screen, v counts as a share u of the layer's own range, 0 at its lowest and 1 at its highest, and b within
    its limits: multiply is low + (b − low) · u, screen b + (high − b) · u.  The result is b + opacity · mask · (f − b).

    Parameters
    ----------
    below : ndarray of float32, shape (rows, columns), or None
        The land beneath in metres, which is not changed; None is level at 0 m.
    layer : Layer
        A layer that is off, or lacks an input, changes nothing.
    setting : Setting
        Where and when it is laid, and what it can use.
    limits : tuple of 2 floats
        Lowest and highest height that there could be beneath, from `stack_limits`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.

    Raises
    ------
    ValueError
        If the land beneath is not of the grid's shape, the mask follows a map and there are none, or what comes from
        outside does not fit.

    References
    ----------
    Quilez, I. (2013). Smooth minimum. iquilezles.org, articles.
    """
    grid = setting.grid
    if below is not None and below.shape != grid.shape:
        raise ValueError(f"the land beneath a layer has shape {below.shape}, not {grid.shape}")
    if not layer.enabled or missing_inputs(layer, setting.inputs):
        return np.zeros(grid.shape, np.float32) if below is None else below
    borders = setting.borders or borders_of(grid)
    own_seed = int(derive_seed(setting.seed, Purpose.LAYER, layer.variation))
    heights = _heights(layer, setting._replace(seed=own_seed, borders=borders))
    if below is None:
        if layer.mask.is_everywhere and layer.opacity == 1.0 and layer.blend in ("add", "replace"):
            return heights
        below = np.zeros(grid.shape, np.float32)
    if layer.mask.is_everywhere:
        shares = np.ones((1, grid.columns), np.float32)
    else:
        mask_seed = int(derive_seed(own_seed, Purpose.LAYER_MASK))
        maps = setting.maps or _no_maps
        shares = evaluate_mask(layer.mask, Surroundings(grid, below, maps, setting.inputs, mask_seed, borders))
    numbers = _blend_numbers(layer, limits, _own_limits(layer, setting.inputs)).astype(np.float32)
    _blend(below, shares, np.float32(layer.opacity), layer.blend in _EXTREMES, numbers, heights)
    return heights


def _heights(layer: Layer, setting: Setting) -> Field:
    """The heights of a layer's source, in an array of their own."""
    made_by, source = layer.made_by, layer.source
    there: dict[str, Any] = {
        "seed": setting.seed,
        "time": setting.time,
        "elevation": _stored(layer, setting.inputs),
        "borders": setting.borders,
    }
    return made_by.make(setting.grid, source, **{name: there[name] for name in made_by.inputs})


def _stored(layer: Layer, inputs: Inputs) -> StoredField | None:
    """The stored field that a layer's source asks for."""
    key = layer.made_by.key(layer.source)
    return None if key is None else inputs[key]


def _own_limits(layer: Layer, inputs: Inputs) -> HeightLimits:
    """The range of heights of a layer's source."""
    return layer.made_by.limits(layer.source, _stored(layer, inputs))


def _no_maps(name: str) -> Field:
    raise ValueError(f"the mask follows the map {name!r}, but there are no maps of the land beneath this layer")


# --- blending ---------------------------------------------------------------------------------------------------------

# Every blend is one of two forms: p + q·b + r·v + s·b·v, with b and v counted from heights of their own, and the lower
# of b and v, rounded, both turned upside down for the higher.
_EXTREMES = {"min": 1.0, "max": -1.0, "smooth_min": 1.0, "smooth_max": -1.0}


def _blend_numbers(layer: Layer, below: HeightLimits, own: HeightLimits) -> npt.NDArray[np.float64]:
    """What the form of a blend needs: (b₀, v₀, p, q, r, s), or (sign, softness)."""
    if layer.blend in _EXTREMES:
        softness = layer.softness if layer.blend.startswith("smooth") else 0.0
        return np.array([_EXTREMES[layer.blend], softness])
    share = 1.0 / (own[1] - own[0]) if own[1] > own[0] else 0.0
    numbers = {
        "add": (0.0, 0.0, 0.0, 1.0, 1.0, 0.0),
        "subtract": (0.0, 0.0, 0.0, 1.0, -1.0, 0.0),
        "replace": (0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
        "multiply": (below[0], own[0], below[0], 0.0, 0.0, share),
        "screen": (below[1], own[0], below[1], 1.0, 0.0, -share),
    }
    return np.array(numbers[layer.blend])


def _blended_limits(layer: Layer, below: HeightLimits, inputs: Inputs) -> HeightLimits:
    """Interval arithmetic: every blend rises, or falls, with b and with v over the whole of their ranges."""
    if not layer.enabled or missing_inputs(layer, inputs):
        return below
    own = _own_limits(layer, inputs)
    numbers = _blend_numbers(layer, below, own)
    form = _extreme.py_func if layer.blend in _EXTREMES else _product.py_func
    facing = own[::-1] if layer.blend == "subtract" else own
    ends = [float(form(b, v, numbers)) for b, v in zip(below, facing)]
    weakest = layer.opacity if layer.mask.is_everywhere else 0.0
    shares = (weakest, layer.opacity)
    low, high = ([(1.0 - share) * b + share * end for share in shares] for b, end in zip(below, ends))
    return min(low), max(high)


@kernel
def _product(b: np.float32, v: np.float32, numbers: Array) -> np.float32:
    b, v = b - numbers[0], v - numbers[1]
    return (numbers[2] + numbers[3] * b) + (numbers[4] * v + numbers[5] * (b * v))


@kernel
def _extreme(b: np.float32, v: np.float32, numbers: Array) -> np.float32:
    """Quadratic smooth minimum (Quilez): min(b, v) − k h² / 4, h = max(k − |b − v|, 0) / k."""
    sign, softness = numbers[0], numbers[1]
    b, v = sign * b, sign * v
    overlap = max(softness - abs(b - v), np.float32(0.0))
    rounding = overlap * overlap / max(softness, np.float32(1e-6))
    return sign * (min(b, v) - np.float32(0.25) * rounding)


@parallel_kernel
def _blend(
    part: Part, below: Array, mask: Array, opacity: np.float32, extreme: bool, numbers: Array, heights: Array
) -> None:
    """Blend heights into what is below them, in place; a mask of one row holds for all rows."""
    one = np.float32(1.0)
    for row in portion(part, heights.shape[0]):
        under, line, shares = below[row], heights[row], mask[row % mask.shape[0]]
        if extreme:
            for column in range(line.size):
                share = opacity * shares[column]
                line[column] = (one - share) * under[column] + share * _extreme(under[column], line[column], numbers)
        else:
            for column in range(line.size):
                share = opacity * shares[column]
                line[column] = (one - share) * under[column] + share * _product(under[column], line[column], numbers)
