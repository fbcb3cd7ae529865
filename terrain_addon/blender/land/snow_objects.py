"""The snow of a land as an object: a surface that lies on the land."""

import bpy

from ...core.meshing.snow_mesh import SnowMesh
from ..data.attributes import DEPTH_OF_SNOW
from ..look.snow_material import snow_material
from .parts import show_part


def set_snow(land: bpy.types.Object, snow: SnowMesh) -> None:
    """Show snow on a land instead of the snow it showed before; see `show_part`."""
    show_part(land, "Snow", snow, {DEPTH_OF_SNOW: snow.depth}, snow_material)
