"""Colour of the land as seen from afar: one colour per sample, for vertex colours and previews."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease
from ..foundation.parameters import Named
from ..foundation.terrain import Field

_Real = TypeVar("_Real", np.float32, np.float64)

PALETTE = {
    "rock": (0.190, 0.172, 0.155),
    "scree": (0.205, 0.182, 0.155),
    "soil": (0.150, 0.108, 0.068),
    "grass": (0.072, 0.098, 0.026),
    "forest_floor": (0.040, 0.042, 0.018),
    "sand": (0.360, 0.295, 0.195),
    "snow": (0.800, 0.830, 0.880),
    "water": (0.020, 0.050, 0.060),
}
"""Colour of each kind of ground cover on grey rock as seen from afar: linear RGB albedo by name."""

OwnColours = Mapping[str, tuple[float, float, float]]
"""Colours of the user for some kinds of ground cover: linear RGB albedo by the names of `PALETTE`."""


class Stone(NamedTuple):
    """A kind of rock as it looks.

    Attributes
    ----------
    description : str
    tint : tuple of float
        Its colour as a factor on that of grey rock, linear RGB.
    banding : float
        How strongly its beds differ in colour; 1 for grey rock.
    bed_spacing : float
        Usual height from one bed to the next of its colour, in metres.
    """

    description: str
    tint: tuple[float, float, float]
    banding: float
    bed_spacing: float = 46.0

    @property
    def earthy_tint(self) -> tuple[float, float, float]:
        """The tint of soil and sand, which consist of other things too: the root of the tint of the rock."""
        red, green, blue = map(math.sqrt, self.tint)
        return red, green, blue


STONES = {
    "grey": Stone("Grey rock, as of granite, gneiss and slate", (1.0, 1.0, 1.0), 1.0),
    "pale": Stone("Pale rock, as of limestone and chalk", (1.80, 1.72, 1.50), 1.2),
    "red": Stone("Red rock in bands, as of desert sandstone", (1.95, 0.98, 0.56), 2.4),
    "dark": Stone("Dark rock, as of basalt and lava", (0.36, 0.35, 0.37), 0.8),
    "banded": Stone("Clay in bands of cream and rose, as of badlands", (2.35, 1.66, 1.26), 2.4, 13.0),
}
"""Kinds of rock by name; their tints and bandings are set by eye."""

# What consists of the rock itself has all of its tint.
_STONY, _EARTHY = ("rock", "scree", "gravel"), ("soil", "sand")

COLOURINGS = {
    "physical": "Rock, scree, soil, grass, forest floor, sand, gravel and snow as they look",
    "published_ramp": Named(
        "Altitude Colours",
        "Dark blue, blue, dark green, green, brown, white: evenly from the lowest to the highest place",
    ),
    "hypsometric": Named("Atlas Colours", "Colours of an atlas, which stand for altitudes above the sea"),
    "published_ramp_in_25_steps": Named(
        "Altitude Colours, 25 Steps", "Dark blue to white as above, in 25 steps of one colour each"
    ),
    "published_ramp_in_15_steps": Named(
        "Altitude Colours, 15 Steps", "Dark blue to white as above, in 15 steps of one colour each"
    ),
}
"""Ways to colour a land, with their descriptions."""

RAMP_OF = {
    "published_ramp": "terrain",
    "hypsometric": "hypsometric",
    "published_ramp_in_25_steps": "terrain in 25 steps",
    "published_ramp_in_15_steps": "terrain in 15 steps",
}
"""For ways to colour that show only height: the key of their ramp in `RAMPS`."""

COLDEST = 0.8
"""The coldest time of the year, in months since New Year."""

# Kinds of ground cover that `land_colour` distinguishes, in the order in which `_colour` uses them.
_SEEN_FROM_AFAR = ("rock", "soil", "grass", "forest_floor", "snow")

_TERRAIN = ((0, 0, 128), (0, 0, 255), (0, 128, 0), (0, 255, 0), (128, 128, 0), (255, 255, 255))


def _in_steps(count: int) -> tuple[tuple[float, tuple[int, int, int]], ...]:
    """Return the terrain ramp in equal steps, each with the height where it begins and its colour."""
    places, last = np.linspace(0.0, len(_TERRAIN) - 1.0, count), np.arange(len(_TERRAIN))
    channels = [np.round(np.interp(places, last, channel)).astype(int) for channel in zip(*_TERRAIN)]
    return tuple((step / count, (int(r), int(g), int(b))) for step, (r, g, b) in enumerate(zip(*channels)))


RAMPS = {
    "terrain": tuple((number / 5.0, colour) for number, colour in enumerate(_TERRAIN)),
    "terrain in 25 steps": _in_steps(25),
    "terrain in 15 steps": _in_steps(15),
    "hypsometric": (
        (-6000.0, (20, 62, 110)),
        (-2000.0, (72, 130, 178)),
        (-1.0, (176, 214, 232)),
        (0.0, (112, 166, 110)),
        (200.0, (152, 190, 120)),
        (500.0, (222, 214, 150)),
        (1000.0, (214, 178, 112)),
        (2000.0, (168, 120, 78)),
        (3000.0, (140, 104, 92)),
        (4500.0, (236, 234, 236)),
    ),
}
"""Colour ramps: stops of height (metres for 'hypsometric', else a share of the range) and sRGB colour."""

STEPPED = ("terrain in 25 steps", "terrain in 15 steps")
"""Ramps of steps: each colour holds from its stop to the next."""

# Heights that `ramp_colour` tells apart.  The stops of the terrain ramp are among them, so that its colours are exact.
_SHADES = 1021


def coldness(season: float) -> float:
    """Return how cold a season is: 1 in late January, 0 in late July, a squared cosine wave between.

    Parameters
    ----------
    season : float
        Months since New Year, 0 to 12.

    Returns
    -------
    float
        In [0, 1].
    """
    return (0.5 + 0.5 * math.cos((season - COLDEST) * math.pi / 6.0)) ** 2


def palette_on(stone: str, own: OwnColours | None = None) -> dict[str, tuple[float, float, float]]:
    """Return the colour of each kind of ground cover on a kind of rock.

    Parameters
    ----------
    stone : str
        A key of `STONES`.
    own : mapping of str to tuple of float, optional
        Colours of the user for some kinds of ground cover.

    Returns
    -------
    dict of str to tuple of float
        Linear RGB albedo by the names of `PALETTE`.
    """
    chosen = STONES[stone]
    tints = {**dict.fromkeys(_STONY, chosen.tint), **dict.fromkeys(_EARTHY, chosen.earthy_tint)}
    usual = {cover: _tinted(colour, tints.get(cover, (1.0, 1.0, 1.0))) for cover, colour in PALETTE.items()}
    return usual | dict(own or {})


def _tinted(colour: tuple[float, float, float], tint: tuple[float, float, float]) -> tuple[float, float, float]:
    red, green, blue = (part * factor for part, factor in zip(colour, tint))
    return red, green, blue


def cover_colour(
    weights: npt.NDArray[np.uint8], layers: Sequence[str], stone: str = "grey", own: OwnColours | None = None
) -> npt.NDArray[np.float32]:
    """Return the colour of the ground cover: the mean of the colours of all layers, by their weights.

    Parameters
    ----------
    weights : ndarray of uint8, shape (rows, columns, len(layers))
        Weight of each layer, from `ground_cover.splat_weights`; they add up to 255.
    layers : sequence of str
        Keys of `PALETTE`.
    stone : str
        Kind of rock, a key of `STONES`.
    own : mapping of str to tuple of float, optional
        As for `palette_on`.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        Linear RGB in [0, 1].

    Raises
    ------
    ValueError
        If a layer has no colour, or the numbers of layers and weights differ.
    """
    unknown = [name for name in layers if name not in PALETTE]
    if unknown or weights.shape[2:] != (len(layers),):
        raise ValueError(f"layers = {list(layers)!r} must be {weights.shape[2:]} of: {', '.join(PALETTE)}")
    palette = palette_on(stone, own)
    colours = np.array([palette[name] for name in layers], np.float32) / np.float32(255.0)
    result = np.zeros((*weights.shape[:2], 3), np.float32)
    for layer, colour in enumerate(colours):
        result += weights[..., layer, np.newaxis] * colour
    return result


def land_colour(
    surface: Field,
    sediment: Field,
    slope: Field,
    humidity: Field,
    snow_line: float,
    stone: str = "grey",
    own: OwnColours | None = None,
    snow_depth: Field | None = None,
) -> npt.NDArray[np.float32]:
    """Return the colour of the ground: bare rock, soil on sediment, grass and forest where it is wet, snow high up.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    sediment : ndarray of float32, shape (rows, columns)
        Thickness in metres.
    slope : ndarray of float32, shape (rows, columns)
        Degrees.
    humidity : ndarray of float32, shape (rows, columns)
        Scaled topographic wetness index in [0, 1].
    snow_line : float
        Altitude in metres above which snow lies on slopes below about 50°.
    stone : str
        Kind of rock, a key of `STONES`.
    own : mapping of str to tuple of float, optional
        As for `palette_on`.
    snow_depth : ndarray of float32, shape (rows, columns), optional
        Metres; where it is given, it says where snow lies instead of the snow line.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        Linear RGB in [0, 1].
    """
    colour, palette = np.empty((*surface.shape, 3), np.float32), palette_on(stone, own)
    _colour(
        surface,
        sediment,
        slope,
        humidity,
        np.float32(snow_line),
        np.empty((0, 0), np.float32) if snow_depth is None else snow_depth,
        np.array([palette[name] for name in _SEEN_FROM_AFAR], np.float32),
        colour,
    )
    return colour


def ramp_colour(surface: Field, ramp: str = "terrain") -> npt.NDArray[np.float32]:
    """Return colours that show only height.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    ramp : {'terrain', 'terrain in 25 steps', 'terrain in 15 steps', 'hypsometric'}
        'terrain': dark blue, blue, dark green, green, brown and white, evenly from the lowest to the highest place,
        as a smooth ramp or in equal steps.  'hypsometric': the colours of an atlas, each for an altitude above the sea.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        Linear RGB in [0, 1].

    Raises
    ------
    ValueError
        If there is no such ramp.

    Examples
    --------
    The ramp 'terrain' ends in white:

    >>> import numpy as np
    >>> from terrain_addon.core.maps.colour import ramp_colour
    >>> ramp_colour(np.array([[0, 500, 1000]], np.float32))[0, -1].round(2)
    array([1., 1., 1.], dtype=float32)
    """
    if ramp not in RAMPS:
        raise ValueError(f"ramp = {ramp!r} is none of: {', '.join(RAMPS)}")
    heights, colours = np.array([height for height, _ in RAMPS[ramp]]), _ramp_colours(ramp)
    lowest, highest = (heights[0], heights[-1]) if ramp == "hypsometric" else (surface.min(), surface.max())
    span = float(highest) - float(lowest)
    share = (surface - np.float32(lowest)) * np.float32(1.0 / span if span > 0.0 else 0.0)
    if ramp in STEPPED:
        steps = np.clip(share * np.float32(len(heights)), 0.0, len(heights) - 1.0)
        return colours.astype(np.float32)[steps.astype(np.int16)]
    places = np.linspace(heights[0], heights[-1], _SHADES)
    table = np.stack([np.interp(places, heights, channel) for channel in colours.T], axis=1)
    shades = np.clip(np.round(share * np.float32(_SHADES - 1)), 0.0, _SHADES - 1.0)
    return table.astype(np.float32)[shades.astype(np.int16)]


def ramp_stops(ramp: str) -> tuple[tuple[float, tuple[float, float, float]], ...]:
    """Return the stops of a colour ramp.

    Parameters
    ----------
    ramp : str
        A key of `RAMPS`.

    Returns
    -------
    tuple of (float, (float, float, float))
        Height (metres for 'hypsometric', else a share of the range) and linear RGB of each stop.
    """
    colours = _ramp_colours(ramp)
    return tuple((height, (float(r), float(g), float(b))) for (height, _), (r, g, b) in zip(RAMPS[ramp], colours))


def _ramp_colours(ramp: str) -> npt.NDArray[np.float64]:
    """Return the colours of all stops of a ramp as linear RGB."""
    return linear_of_srgb(np.array([colour for _, colour in RAMPS[ramp]]) / 255.0)


def linear_of_srgb(srgb: npt.NDArray[_Real]) -> npt.NDArray[_Real]:
    """Return how much light colours of pictures stand for.

    Parameters
    ----------
    srgb : ndarray of float
        Non-linear, 0 to 1.

    Returns
    -------
    ndarray of float, of the same shape and kind
        Linear, 0 to 1.

    References
    ----------
    IEC 61966-2-1:1999, "Default RGB colour space: sRGB".
    """
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def srgb_of_linear(linear: npt.NDArray[_Real]) -> npt.NDArray[_Real]:
    """Return the colours of pictures that stand for light.

    Parameters
    ----------
    linear : ndarray of float
        What is outside 0 to 1 counts as the nearer of both.

    Returns
    -------
    ndarray of float, of the same shape and kind
        Non-linear, 0 to 1.

    References
    ----------
    IEC 61966-2-1:1999, "Default RGB colour space: sRGB".

    Examples
    --------
    >>> srgb_of_linear(np.array([0.0, 0.214, 2.0])).round(2).tolist()
    [0.0, 0.5, 1.0]
    """
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1.0 / 2.4) - 0.055)


@kernel
def _step(value: float, low: float, high: float) -> float:
    """Return a smooth step in float64: 0 at `low`, 1 at `high`, 3t² − 2t³ between."""
    t = min(max((value - low) / (high - low), 0.0), 1.0)
    return ease(t)


@parallel_kernel
def _colour(
    part: Part,
    surface: Array,
    sediment: Array,
    slope: Array,
    humidity: Array,
    snow_line: np.float32,
    snow_depth: Array,
    palette: Array,
    colour: Array,
) -> None:
    """Write the colour of each sample: each kind of ground cover is blended over those before it."""
    for row in portion(part, surface.shape[0]):
        for column in range(surface.shape[1]):
            soil = _step(sediment[row, column], 0.02, 0.4)
            grass = soil * _step(humidity[row, column], 0.05, 0.25)
            forest = grass * _step(humidity[row, column], 0.25, 0.6)
            snow = _step(surface[row, column] - snow_line, -60.0, 60.0) * (1.0 - _step(slope[row, column], 40.0, 55.0))
            if snow_depth.size > 0:
                snow = _step(snow_depth[row, column], 0.02, 0.15)
            for k in range(3):
                value = palette[0, k] + soil * (palette[1, k] - palette[0, k])
                value += grass * (palette[2, k] - value)
                value += forest * (palette[3, k] - value)
                colour[row, column, k] = value + snow * (palette[4, k] - value)
