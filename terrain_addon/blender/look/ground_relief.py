"""Relief of the ground that stands out of the mesh as geometry.

Near the camera it is what the material shows elsewhere as bump, from the same noise: ledges, notches, stones, hummocks.
Steep rock has crags everywhere, which are too large for bump: buttresses, ledges and blocks.  Relief only rises, so
that ground which carries it lies above the mesh of the land and hides it.
"""

import bpy

from .ground_bump import RoughCovers
from .ground_patterns import loose_stones
from .ground_site import GroundInputs
from .nodes import Nodes, Value

# Metres: the middle and the height of crests of rock, ledges of beds, and open joints.
_ROCK, _CREST, _LEDGE, _JOINT = 0.75, 0.60, 0.30, 0.40
# Stones of scree, and how their height falls away from their middles; hummocks of soft ground, and of its grain.
_STONE, _ROUND = 0.55, 1.20
_LEAST = 0.06  # so that the mesh below does not show between stones
_SOFT, _HUMMOCK, _GRAIN = 0.10, 0.10, 0.04
# Metres on a land with cells of this size: a buttress and how high it stands, a ledge and how far it juts, a block.
_CELL = 9.8
_BUTTRESS, _STANDS, _BED, _JUTS, _BLOCK = 110.0, 9.0, 30.0, 12.0, 12.0
_SMALLEST, _LARGEST = 0.15, 1.5  # shares of these
_CLOSE = (1200.0, 300.0)  # metres from the camera, beyond and within which crags are rough and smooth
_ON_CRESTS = 0.6  # share of the height of crags on sharp crests; higher ones would be needles
_RIB = 8.0  # metres that ribs stand higher than slopes, and gullies lie lower
# By which crags of walls are higher and those of volcanoes lower, as shares; and how high they are on smooth and on
# broken faces.
_WALL, _ASH_HIDES, _BROKEN = 0.8, 0.65, (0.35, 1.25)


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
    rough = nodes.product(_dryness(nodes, site), nodes.mix_numbers(covers.snow, 1.0, 0.25))
    return nodes.product(nodes.math("MAXIMUM", height, _LEAST), rough, site.inputs["Detail"])


def crag_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where crags stand out, 0 to 1: on steep ground and sharp crests without soil, forest and water."""
    bare, sharp = (nodes.math("MULTIPLY_ADD", site.sediment, -4.0, s) for s in (site.bare_slope, site.steepness))
    on_crests = nodes.product(nodes.smooth_step(sharp, 28.0, 44.0), _ON_CRESTS)
    return nodes.product(
        nodes.math("MAXIMUM", nodes.smooth_step(bare, 28.0, 44.0), on_crests),
        # A forest needs soil.
        nodes.smooth_step(site.crown_cover, 0.5, 0.1),
        _dryness(nodes, site),
        # A glacier lies on smooth rock, and a winter buries what is low.
        nodes.smooth_step(site.moraine, 0.5, 0.0),
        nodes.smooth_step(site.snow_cover, 3.5, 1.3),
        site.bed_share,
    )


def crag_size(nodes: Nodes, cell_size: Value) -> bpy.types.NodeSocket:
    """Return how large crags are, as a share of those on usual cells.

    Crags are what the mesh cannot show, so they grow with its cells; but only with the root of their size, because rock
    of small lands is rough, too.

    Parameters
    ----------
    nodes : Nodes
    cell_size : NodeSocket or float
        Metres between samples of the land.
    """
    size = nodes.math("SQRT", nodes.math("DIVIDE", cell_size, _CELL))
    return nodes.math("MINIMUM", nodes.math("MAXIMUM", size, _SMALLEST), _LARGEST)


def crag_height(nodes: Nodes, site: GroundInputs, covers: RoughCovers, cell_size: Value) -> bpy.types.NodeSocket:
    """Return by how many metres crags stand out where they do: buttresses, ledges between beds, and blocks.

    Forms and sizes are chosen by eye; no model of erosion makes them.

    Parameters
    ----------
    nodes : Nodes
    site : GroundInputs
        The place.
    covers : RoughCovers
        Shares of what lies there.
    cell_size : NodeSocket or float
        Metres between samples of the land.
    """
    size = crag_size(nodes, cell_size)
    place = nodes.scaled(site.position, nodes.math("DIVIDE", 1.0, size))
    buttress = nodes.ridged_noise(nodes.vector_math("MULTIPLY", place, (1.0, 1.0, 0.3)), _BUTTRESS, 4.0)
    # Near the camera small faces and the edges of covers are much smaller than crags, and would be needles of rock.
    close = nodes.smooth_step(site.distance, *_CLOSE)
    faces = site.broken_faces(nodes, nodes.mix_numbers(close, 4.0, 0.5))
    block = nodes.node("ShaderNodeSeparateXYZ", {0: faces}).outputs["X"]
    height = nodes.math("MULTIPLY_ADD", buttress, _STANDS, nodes.product(block, _BLOCK))
    # Ribs and gullies run down slopes: rock stands on ribs, and what falls off has swept the gullies.
    height = nodes.math("MULTIPLY_ADD", site.hollow, _RIB, height)
    height = nodes.math("MULTIPLY_ADD", _ledge(nodes, site, size), _JUTS, height)
    # Some faces are smooth and others broken.  Walls are rougher than slopes.  Ash and cinders hide most young rock.
    size = nodes.product(
        size,
        nodes.mix_numbers(nodes.smooth_step(site.broad, -0.5, 0.3), *_BROKEN),
        nodes.math("MULTIPLY_ADD", nodes.smooth_step(site.bare_slope, 45.0, 65.0), _WALL, 1.0),
        nodes.math("MULTIPLY_ADD", site.volcanic, -_ASH_HIDES, 1.0),
    )
    # Where soil or snow hides rock, less of it stands out.
    bare = nodes.mix_numbers(close, nodes.math("MULTIPLY_ADD", covers.rock, 0.6, 0.4), 0.7)
    free = nodes.mix_numbers(close, nodes.mix_numbers(covers.snow, 1.0, 0.15), 0.5)
    return nodes.product(nodes.math("MAXIMUM", height, 0.0), bare, free, size)


def _dryness(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return 0 in water and on its shores, and 1 away from them."""
    return nodes.product(nodes.smooth_step(site.wet_ground, 0.6, 0.3), nodes.smooth_step(site.water_depth, 0.05, 0.0))


def _ledge(nodes: Nodes, site: GroundInputs, size: Value) -> bpy.types.NodeSocket:
    """Return how far beds jut, 0 to 1: a wall at the foot of each, and above it a tread that leans back."""
    level = nodes.math("DIVIDE", site.altitude, nodes.product(size, _BED))
    level = nodes.sum(level, nodes.product(site.middle, 0.17), nodes.product(site.broad, 0.33))
    part = nodes.math("FRACT", level)
    juts = nodes.product(nodes.math("SUBTRACT", 1.0, part), nodes.smooth_step(part, 0.0, 0.12))
    # Beds come out in some places and not in others.
    return nodes.product(juts, nodes.smooth_step(nodes.sum(site.middle, site.broad), -0.3, 0.4))
