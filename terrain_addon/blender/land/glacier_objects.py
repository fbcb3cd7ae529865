"""The glaciers of a land as one object."""

import bpy

from ...core.meshing.ice_mesh import IceMesh
from ..data.attributes import FIRN, ICE_DEBRIS, ICE_STRAIN
from ..look.ice_material import ice_material
from .parts import show_part


def set_glaciers(land: bpy.types.Object, ice: IceMesh) -> None:
    """Show ice on a land instead of the ice it showed before; see `show_part`."""
    show_part(land, "Glaciers", ice, {FIRN: ice.firn, ICE_STRAIN: ice.strain, ICE_DEBRIS: ice.debris}, ice_material)
