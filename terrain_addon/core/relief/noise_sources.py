"""All reliefs that are made of noise, each with the function that makes it: function(grid, source, seed, time)."""

from collections.abc import Callable

from ..foundation.terrain import Field
from .cells import CellularNoise, make_cellular_noise
from .double_ridged_noise import DoubleRidgedNoise, make_double_ridged_noise
from .fractal_noise import FractalNoise, make_fractal_noise
from .height_range import HeightRange
from .multifractal_noise import MultifractalNoise, make_multifractal_noise
from .slope_damped_noise import SlopeDampedNoise, make_slope_damped_noise
from .white_noise import WhiteNoise, make_white_noise

SOURCES: dict[type[HeightRange], Callable[..., Field]] = {
    FractalNoise: make_fractal_noise,
    MultifractalNoise: make_multifractal_noise,
    SlopeDampedNoise: make_slope_damped_noise,
    DoubleRidgedNoise: make_double_ridged_noise,
    CellularNoise: make_cellular_noise,
    WhiteNoise: make_white_noise,
}
"""In the order in which a menu should offer them."""
