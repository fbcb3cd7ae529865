"""The material of glaciers: white firn, bare ice with blue crevasses where it is pulled, and bands of rock.

References
----------
Cuffey, K. M. & Paterson, W. S. B. (2010). The Physics of Glaciers, 4th ed. Elsevier: crevasses open where ice is pulled
faster than some hundredths a year; albedo of firn 0.5 to 0.8, of bare ice 0.2 to 0.5, of ice below debris 0.1 to 0.25.
"""

import bpy

from ..data.attributes import FIRN, ICE_DEBRIS, ICE_STRAIN
from .nodes import Nodes, Value
from .shading import finish_material, found_or_made, new_material

ICE_MATERIAL = "Landscape Ice"

_FIRN, _WORN, _ICE = (0.86, 0.88, 0.92), (0.62, 0.68, 0.72), (0.46, 0.57, 0.66)
_DEEP, _ROCK = (0.07, 0.26, 0.42), (0.13, 0.12, 0.11)
# Strain rates, 1 per year, at which the first crevasses open, and at which there are most.
_FIRST, _MOST = 0.03, 0.12


def ice_material() -> bpy.types.Material:
    """Return the material of glaciers, made where it is missing.

    It reads the point attributes `FIRN`, `ICE_STRAIN` and `ICE_DEBRIS` of a mesh of glaciers, see `data.attributes`.
    """
    return found_or_made(ICE_MATERIAL, _new_ice_material)


def _new_ice_material() -> bpy.types.Material:
    """Make the material: snow over bare ice, lines of crevasses in both, and rock on what has no snow."""
    material, nodes = new_material(ICE_MATERIAL, (0.80, 0.86, 0.92))
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    firn, strain, rock = (nodes.attribute(name).outputs["Fac"] for name in (FIRN, ICE_STRAIN, ICE_DEBRIS))
    uneven = nodes.signed_noise(position, 120.0, 5.0, 0.6)
    snow = nodes.smooth_step(nodes.math("MULTIPLY_ADD", uneven, 0.6, firn), 0.25, 0.75)
    crevasses = _crevasses(nodes, position, strain, snow)
    dusty = nodes.mix_colours(nodes.smooth_step(nodes.noise(position, 60.0, 6.0, 0.6), 0.35, 0.75), _ICE, _WORN)
    bare = nodes.mix_colours(crevasses, dusty, _DEEP)
    white = nodes.mix_colours(nodes.product(crevasses, 0.6), _FIRN, _DEEP)
    ragged = nodes.math("MULTIPLY_ADD", nodes.signed_noise(position, 25.0, 6.0, 0.65), 0.35, rock)
    covered = nodes.product(nodes.smooth_step(ragged, 0.18, 0.45), nodes.math("SUBTRACT", 1.0, snow))
    grains = nodes.noise(position, 3.0, 5.0, 0.7)
    colour = nodes.mix_colours(snow, bare, white)
    colour = nodes.mix_colours(covered, colour, _ROCK)
    relief = nodes.sum(nodes.product(crevasses, -4.0), nodes.product(grains, 0.5))
    surface = nodes.node(
        "ShaderNodeBsdfPrincipled",
        {
            "Base Color": colour,
            "Roughness": nodes.mix_numbers(snow, 0.45, 0.8),
            "Normal": nodes.bump(0.8, 1.0, relief),
        },
    ).outputs[0]
    finish_material(nodes, surface)
    return material


def _crevasses(nodes: Nodes, position: Value, strain: Value, snow: Value) -> bpy.types.NodeSocket:
    """Return where crevasses are, 0 to 1: ragged lines some metres wide, closer where ice is pulled faster."""
    lines = nodes.ridged_noise(position, 45.0, 3.0, 0.55)
    open_ = nodes.product(nodes.smooth_step(strain, _FIRST, _MOST), nodes.mix_numbers(snow, 1.0, 0.7))
    return nodes.product(nodes.smooth_step(lines, 0.35, 0.75), open_)
