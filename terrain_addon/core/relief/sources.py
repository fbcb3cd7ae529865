"""All sources of heights that a layer can have."""

from .cells import CellularNoise, make_cellular_noise
from .double_ridged_noise import DoubleRidgedNoise, make_double_ridged_noise
from .elevation_model import ElevationModel, elevation_range, sample_elevation
from .fractal_noise import FractalNoise, make_fractal_noise
from .midpoint_displacement import MidpointDisplacement, displace_midpoints
from .multifractal_noise import MultifractalNoise, make_multifractal_noise
from .octaves import OctaveNoise
from .published_perlin import (
    RandomAnglePerlin,
    SaltedPerlin,
    SlidingPerlin,
    ZoomedPerlin,
    make_random_angle_perlin,
    make_salted_perlin,
    make_sliding_perlin,
    make_zoomed_perlin,
)
from .slope_damped_noise import SlopeDampedNoise, make_slope_damped_noise
from .source import Source
from .stored_heights import StoredHeights
from .volcano import Volcano, make_volcano
from .white_noise import WhiteNoise, make_white_noise


def _noise_moves(noise: OctaveNoise) -> bool:
    """Whether noise changes or drifts with time."""
    return noise.speed != 0.0 or noise.drift_east != 0.0 or noise.drift_north != 0.0


def _slides(noise: SlidingPerlin) -> bool:
    """Whether noise slides with time."""
    return noise.slide != 0.0


def _key_of(source: ElevationModel | StoredHeights) -> str:
    """The key of stored heights."""
    return source.key


_LISTED = (
    Source(FractalNoise, make_fractal_noise, moves=_noise_moves),
    Source(MultifractalNoise, make_multifractal_noise, moves=_noise_moves),
    Source(SlopeDampedNoise, make_slope_damped_noise, moves=_noise_moves),
    Source(DoubleRidgedNoise, make_double_ridged_noise, moves=_noise_moves),
    Source(CellularNoise, make_cellular_noise, moves=_noise_moves),
    Source(WhiteNoise, make_white_noise),
    Source(MidpointDisplacement, displace_midpoints),
    Source(Volcano, make_volcano, land_class="volcano"),
    Source(ElevationModel, sample_elevation, inputs=("elevation", "borders"), limits=elevation_range, key=_key_of),
    Source(StoredHeights, sample_elevation, inputs=("elevation", "borders"), limits=elevation_range, key=_key_of),
    Source(SaltedPerlin, make_salted_perlin),
    Source(ZoomedPerlin, make_zoomed_perlin),
    Source(SlidingPerlin, make_sliding_perlin, moves=_slides),
    Source(RandomAnglePerlin, make_random_angle_perlin),
)

SOURCES = {one.parameters: one for one in _LISTED}
"""By the type of their parameters, in the order in which a menu should offer them."""
