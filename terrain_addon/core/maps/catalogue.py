"""All maps of a land, each declared beside the function that measures it."""

from .climate import COARSE_RAIN, MOISTURE, RAIN_MAP, SEA_WARMTH, SNOW_DAYS, TEMPERATURE
from .curvature import CURVATURE, PLAN_CURVATURE, PROFILE_CURVATURE
from .declaration import Map, Measurement
from .deposition import DEPOSITED_SEDIMENT
from .glaciers import GLACIERS, ICE_THICKNESS
from .humidity import HUMIDITY
from .illumination import ILLUMINATION
from .sky import AMBIENT_OCCLUSION, SKY_VIEW
from .slope import GRADIENT, SLOPE
from .sun import SHADOW, SHADOW_HOURS, SUN_HOURS
from .terrain_fields import ALTITUDE, SEDIMENT
from .topographic_position import TOPOGRAPHIC_POSITION
from .water import DRAINAGE, WATER_DEPTH, WATERS
from .water_distance import WATER_DISTANCE, WET_GROUND
from .winter import COURSE, SNOW_DEPTH, SNOWPACK, SWOLLEN_WATERS

_LISTED = (
    ALTITUDE,
    SLOPE,
    GRADIENT,
    CURVATURE,
    PROFILE_CURVATURE,
    PLAN_CURVATURE,
    TOPOGRAPHIC_POSITION,
    ILLUMINATION,
    SKY_VIEW,
    AMBIENT_OCCLUSION,
    SUN_HOURS,
    SHADOW_HOURS,
    HUMIDITY,
    DRAINAGE,
    SEDIMENT,
    DEPOSITED_SEDIMENT,
    WATER_DEPTH,
    WATER_DISTANCE,
    WET_GROUND,
    SHADOW,
    RAIN_MAP,
    TEMPERATURE,
    MOISTURE,
    SNOW_DAYS,
    ICE_THICKNESS,
    SNOW_DEPTH,
)

MAPS: dict[str, Map] = {one.name: one for one in _LISTED}
"""By name, in the order in which a landscape holds them."""

OFFERED = [name for name in MAPS if name != "wet_ground"]
"""Names of maps in the order of menus.

Blender stores a choice by its number, so a map keeps its place, and a new one goes to the end.
"""
OFFERED.insert(OFFERED.index("drainage"), "wet_ground")

_NO_MAPS = (WATERS, SEA_WARMTH, COARSE_RAIN, GLACIERS, COURSE, SNOWPACK, SWOLLEN_WATERS)

MEASUREMENTS: dict[str, Measurement] = {one.name: one for one in (*_NO_MAPS, *_LISTED)}
"""By name: all that can be measured on a terrain."""
