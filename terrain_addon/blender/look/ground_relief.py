"""Relief of the ground that stands out near the camera as geometry: ledges, notches, stones, hummocks.

It is what the material shows elsewhere as bump, from the same noise.  It only rises, so that ground which carries it
lies above the mesh of the land and hides it.
"""

import bpy

from .ground_cover import GroundInputs, RoughCovers, loose_stones
from .nodes import Nodes

# Metres: the middle and the height of crests of rock, ledges of beds, and open joints.
_ROCK, _CREST, _LEDGE, _JOINT = 0.75, 0.60, 0.30, 0.40
# Stones of scree, and how their height falls away from their middles; hummocks of soft ground, and of its grain.
_STONE, _ROUND = 0.55, 1.20
_LEAST = 0.06  # so that the mesh below does not show between stones
_SOFT, _HUMMOCK, _GRAIN = 0.10, 0.10, 0.04


def raised_ground(nodes: Nodes, site: GroundInputs, covers: RoughCovers) -> bpy.types.NodeSocket:
    """Return by how many metres the ground near the camera stands out of the mesh, 0 or more.

    Parameters
    ----------
    nodes : Nodes
    site : GroundInputs
        The place.
    covers : RoughCovers
        Shares of what lies there; sand counts as soft ground.
    """
    rock = nodes.math("MULTIPLY_ADD", site.crag, _CREST, _ROCK)
    rock = nodes.math("MULTIPLY_ADD", site.bands, nodes.product(site.bedding, _LEDGE), rock)
    # Thin beds make small ledges.
    rock = nodes.product(nodes.math("MULTIPLY_ADD", site.joint, -_JOINT, rock), site.bed_share)
    middle = loose_stones(nodes, site)["Distance"]
    stones = nodes.math("MULTIPLY_ADD", nodes.product(middle, middle), -_ROUND, _STONE)
    soft = nodes.math("MULTIPLY_ADD", site.middle, _HUMMOCK, _SOFT)
    soft = nodes.math("MULTIPLY_ADD", site.grain, _GRAIN, soft)
    height = nodes.mix_numbers(covers.rock, nodes.mix_numbers(covers.scree, soft, stones), rock)
    # Water, its shores and snow lie smooth.
    dry = nodes.product(
        nodes.smooth_step(site.wet_ground, 0.6, 0.3),
        nodes.smooth_step(site.water_depth, 0.05, 0.0),
        nodes.mix_numbers(covers.snow, 1.0, 0.25),
    )
    return nodes.product(nodes.math("MAXIMUM", height, _LEAST), dry, site.inputs["Detail"])
