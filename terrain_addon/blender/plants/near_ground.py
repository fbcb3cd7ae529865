"""The ground near the camera: relief as geometry, and tufts of grass, flowers, ferns and stones that lie on it.

Farther away, up to 3 km, patches of long grass and fallen blocks lie there.

A node group makes them in every render, so that no file holds them.  What lies where, and the colour of the grass,
follow from the same rules as the material of the ground.
"""

from functools import partial
from typing import NamedTuple

import bpy

from ...core.building.recipe import Appearance
from ...core.foundation.progress import run
from ...core.maps.colour import COLOURINGS, STONES
from .. import compat
from ..data.attributes import CROWN_COVER, DETAIL
from ..look.ground_bump import RoughCovers
from ..look.ground_colours import grass_colour
from ..look.ground_material import GROUND_COLOURS, input_name
from ..look.ground_relief import crag_height, crag_share, raised_ground
from ..look.ground_shares import blown_over, forest_share, grass_share, rock_share, scree_share, shore_share
from ..look.ground_site import GROUND_MAPS, PIXEL, TEXTURE_SPACING, GroundInputs, GroundSite
from ..look.nodes import UNFINISHED, NodeTreeSteps, Value, find_group, name_group
from ..look.shading import tinted
from ..look.snowy_ground import snow_reach, snow_share
from .camera_nodes import CameraNodes
from .crags import OUTSIDE, away_from_roads, crag_patches, lifted, seen_share
from .frame_inputs import add_input, declare_frame
from .geometry_nodes import GeometryNodes
from .near_ground_models import COLOUR_ATTRIBUTE, THINGS, VARIANTS_OF_A_THING, near_ground_collection
from .near_relief import near_mesh, raised_patch, stored
from .scatter_inputs import COLLECTION_INPUT, LAND_INPUT

NEAR_GROUND = "Landscape Near Ground"
"""Name of the modifier and of its node group."""

AMOUNT_INPUT, REACH_INPUT, VIEWPORT_INPUT = "Amount", "Reach", "Show in Viewport"
RELIEF_INPUT, CRAGS_INPUT = "Relief", "Crags"
ROADS_INPUT = "Roads"

_GEOMETRY_TREE = "GeometryNodeTree"
# Of the appearance of a land, what decides about the covers.
_LOOKS = ("snow_line", "tree_line", "vegetation", "season", "detail", "winter_descent", "stone", "colouring")
_CHOICES = {"stone": list(STONES), "colouring": list(COLOURINGS)}
_LEAST_STONE, _FRAGMENTS = 0.06, 2.3  # metres; exponent of the number of stones that are larger
_LARGEST_BLOCK = 4.0  # metres
_TALUS = (18.0, 26.0)  # degrees: below the first no fallen block lies, from the second on all do
_SCREE_FOOT = (38.0, 28.0)  # degrees: where scree falls, and where it comes to rest
_BURIES = (0.02, 0.2)  # metres of blown sand, from the first on of which stones are fewer; from the second on none lies
# Things on a square metre, up to so many metres from the camera; farther away they are as dense in the picture.
_DENSITY, _FULL = 110.0, 9.0
# The mesh of a land meets its roads and pads within so many metres; bridges and tunnels are farther away.
_ROAD_MARGIN = 2.5
# With the usual reach that is at most 2π · 110 · 9² · (½ + ln 333) ≈ 353,000 points all around the camera, and about a
# sixth of them before it.  They end gradually, from this share of the reach on.
_REACH, _FADES = 3000.0, 0.5
# Metres from the camera between which flowers and ferns end, and fallen blocks begin.
_SINGLE = (60.0, 150.0)
_WIDEST = 60.0  # metres around a place on the ground, within which all that stands there fits
# Height of the least stone that is shown, as a share of its distance: 2 pixels.
_VISIBLE = 2.0 * PIXEL


class _Things(NamedTuple):
    """What lies at a point.

    Attributes
    ----------
    kind : NodeSocket
        Its number in THINGS, −1 for nothing.
    colour : NodeSocket
        Linear RGB.
    height : NodeSocket
        Metres.
    """

    kind: bpy.types.NodeSocket
    colour: bpy.types.NodeSocket
    height: bpy.types.NodeSocket


def near_ground_carrier(land: bpy.types.Object) -> bpy.types.Object | None:
    """Return the object that adds crags and the ground near the camera to a land: its plants, else one for it alone."""
    plants: bpy.types.Object | None = land.landscape.plants
    return plants if plants is not None else land.landscape.near_ground


def add_near_ground(carrier: bpy.types.Object, land: bpy.types.Object) -> None:
    """Let an object strew the ground of a land near the camera and add crags, in renders.

    Parameters
    ----------
    carrier : Object
        It carries the plants of the land or nothing.  It gets a modifier, if it has none yet.
    land : Object
        The ground.
    """
    modifier = carrier.modifiers.get(NEAR_GROUND) or carrier.modifiers.new(NEAR_GROUND, "NODES")
    tree = run(near_ground_steps())
    if modifier.node_group != tree:
        modifier.node_group = tree
    compat.set_modifier_input(modifier, COLLECTION_INPUT, near_ground_collection())
    tell_near_ground(carrier, land)


def set_near_ground_looks(carrier: bpy.types.Object, appearance: Appearance) -> None:
    """Let what lies on the ground fit the appearance of its land; nothing happens where users removed the modifier."""
    modifier = carrier.modifiers.get(NEAR_GROUND)
    if modifier is None or modifier.node_group is None:
        return
    for name in _LOOKS:
        value = getattr(appearance, name)
        number = float(_CHOICES[name].index(value)) if name in _CHOICES else float(value)
        compat.set_modifier_input(modifier, input_name(name), number)


def tell_near_ground(carrier: bpy.types.Object, land: bpy.types.Object | None) -> None:
    """Let the ground near the camera be that of a land, and nothing lie on its roads and pads; None adds nothing.

    Node groups of older files know nothing of roads.
    """
    modifier = carrier.modifiers.get(NEAR_GROUND)
    if modifier is None or modifier.node_group is None:
        return
    for name, wanted in ((LAND_INPUT, land), (ROADS_INPUT, land and land.landscape.roads)):
        known = name in modifier.node_group.interface.items_tree
        if known and compat.modifier_input(modifier, name) != wanted:
            compat.set_modifier_input(modifier, name, wanted)


def near_ground_steps() -> NodeTreeSteps:
    """Return the steps that make the node group where it is missing; they can be spread over time."""
    tree = find_group(NEAR_GROUND, _GEOMETRY_TREE)
    return tree if tree is not None else (yield from _new_tree())


def _new_tree() -> NodeTreeSteps:
    """Make the node group: points on the ground near the camera, and an instance on each."""
    tree = bpy.data.node_groups.new(UNFINISHED, _GEOMETRY_TREE)
    tree.is_modifier = True
    _declare_sockets(tree)
    nodes = GeometryNodes(tree)
    source = nodes.node("NodeGroupInput").outputs
    land = nodes.node("GeometryNodeObjectInfo", {"Object": source[LAND_INPUT]}, transform_space="RELATIVE")
    camera = CameraNodes(nodes)
    # Other colourings are measured by the height of the whole land, which its piece does not know.
    strength = nodes.product(source[RELIEF_INPUT], nodes.compare("LESS_THAN", source["Colouring"], 0.5))
    strength = nodes.product(strength, nodes.compare("GREATER_THAN", source["Detail"], 0.0))
    with nodes.section("Near Ground Mesh"):
        near = near_mesh(nodes, land.outputs["Geometry"], camera, strength)
    yield
    with nodes.section("Near Ground Frame"):
        framed = yield from camera.sees(source, _WIDEST)
    with nodes.section("Near Ground Points"):
        points = _points(nodes, near.geometry, source, camera, framed)
    yield
    looks = {input_name(name): source[input_name(name)] for name in _LOOKS}
    colours = {input_name(name): colour for name, colour in GROUND_COLOURS.items()}
    with nodes.section("Near Ground Place"):
        maps = {name: nodes.named_attribute(name, "FLOAT") for name in GROUND_MAPS}
        place = nodes.node("GeometryNodeInputPosition").outputs[0]
        detail, crowns = nodes.named_attribute(DETAIL, "FLOAT_VECTOR"), nodes.named_attribute(CROWN_COVER, "FLOAT")
        site = GroundInputs(
            nodes,
            looks | colours | {TEXTURE_SPACING: 0.0},
            GroundSite(place, 0.0, camera.distance, maps, detail, crowns, cell_size=near.cell_size),
        )
    yield
    with nodes.section("Near Ground Covers"):
        snow = snow_share(nodes, site, snow_reach(nodes, site))
        covers = RoughCovers(rock_share(nodes, site), scree_share(nodes, site), snow)
    with nodes.section("Near Ground Things"):
        things = _things(nodes, site, covers)
    yield
    with nodes.section("Near Ground Roads"):
        roads = nodes.node(
            "GeometryNodeObjectInfo", {"Object": source[ROADS_INPUT]}, transform_space="RELATIVE"
        ).outputs["Geometry"]
        wild, roadless = _wild_share(nodes, roads), away_from_roads(nodes, roads)
    with nodes.section("Near Ground Crags"):
        # Other colourings show the land as it is, as above.
        shown = nodes.compare("GREATER_THAN", strength, 0.0)
        share = nodes.product(crag_share(nodes, site), shown, roadless, source[CRAGS_INPUT])
        crags = nodes.product(crag_height(nodes, site, covers, near.cell_size), share)
        far = crag_patches(nodes, near, camera, nodes.product(share, framed), crags)
        seen_crags = nodes.product(crags, seen_share(nodes, near, camera))
    yield
    with nodes.section("Near Ground Relief"):
        raised = nodes.product(raised_ground(nodes, site, covers), wild, near.share)
        raised = nodes.sum(raised, seen_crags)
    with nodes.section("Near Ground Patch"):
        patch = raised_patch(nodes, near, raised, source["Detail"])
    yield
    points = stored(nodes, points, COLOUR_ATTRIBUTE, "FLOAT_VECTOR", things.colour)
    lift = nodes.scaled(near.normal, raised)
    points = nodes.node("GeometryNodeSetPosition", {"Geometry": points, "Offset": lift}).outputs[0]
    strewn = _strewn(nodes, points, source, things, camera.distance, wild)
    made = _joined(nodes, source, camera, [patch, far], strewn)
    nodes.node("NodeGroupOutput", {"Plants": made})
    yield
    nodes.arrange()
    return name_group(tree, NEAR_GROUND, find_group(NEAR_GROUND, _GEOMETRY_TREE))


def _strewn(
    nodes: GeometryNodes,
    points: Value,
    source: bpy.types.bpy_prop_collection,
    things: _Things,
    distance: Value,
    wild: Value,
) -> bpy.types.NodeSocket:
    """Return a tuft, a fern, a flower or a stone on each point where something lies and the ground is wild."""
    is_stone = nodes.compare("GREATER_THAN", things.kind, THINGS.index("rock") - 0.5)
    models = nodes.node(
        "GeometryNodeCollectionInfo",
        {"Collection": source[COLLECTION_INPUT], "Separate Children": True, "Reset Children": True},
    ).outputs[0]
    variant = nodes.math("FLOOR", _random(nodes, 0.0, VARIANTS_OF_A_THING - 0.001, 5))
    # Stones have rolled, plants stand.
    rolled = nodes.switch("FLOAT", is_stone, 0.0, _random(nodes, -1.2, 1.2, 8))
    turn = nodes.node("ShaderNodeCombineXYZ", {"X": rolled, "Z": _random(nodes, 0.0, 6.283, 6)}).outputs[0]
    return nodes.node(
        "GeometryNodeInstanceOnPoints",
        {
            "Points": points,
            "Selection": nodes.all_of(nodes.compare("GREATER_THAN", things.kind, -0.5), wild),
            "Instance": models,
            "Pick Instance": True,
            "Instance Index": nodes.math("MULTIPLY_ADD", things.kind, float(VARIANTS_OF_A_THING), variant),
            "Rotation": nodes.node("FunctionNodeEulerToRotation", {0: turn}).outputs[0],
            "Scale": nodes.scaled(_spread(nodes, distance, is_stone), things.height),
        },
    ).outputs[0]


def _joined(
    nodes: GeometryNodes,
    source: bpy.types.bpy_prop_collection,
    camera: CameraNodes,
    grounds: list[bpy.types.NodeSocket],
    strewn: Value,
) -> bpy.types.NodeSocket:
    """Return the plants of the land, lifted onto the ground near the camera, with that ground and what lies on it."""
    shows = nodes.either(
        source[VIEWPORT_INPUT],
        nodes.node(
            "FunctionNodeBooleanMath", {0: nodes.node("GeometryNodeIsViewport").outputs[0]}, operation="NOT"
        ).outputs[0],
    )
    shown = nodes.all_of(shows, camera.is_there)
    none = nodes.node("GeometryNodeJoinGeometry").outputs[0]
    ground = nodes.node("GeometryNodeJoinGeometry", {0: grounds[0]})
    for further in grounds[1:]:
        nodes.set(ground.inputs[0], further)
    standing = lifted(nodes, source["Plants"], ground.outputs[0])
    made = nodes.node("GeometryNodeJoinGeometry", {0: nodes.switch("GEOMETRY", shown, source["Plants"], standing)})
    for other in (ground.outputs[0], strewn):
        nodes.set(made.inputs[0], nodes.switch("GEOMETRY", shown, none, other))
    return made.outputs[0]


def _declare_sockets(tree: bpy.types.GeometryNodeTree) -> None:
    """Give the node group its inputs and its output."""

    add = partial(add_input, tree)
    add("Plants", "Geometry", "Instances that stand on the ground")
    tree.interface.new_socket("Plants", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    add(LAND_INPUT, "Object", "The ground")
    add(COLLECTION_INPUT, "Collection", "Tufts, ferns, flowers and stones: three of each, by name")
    amount = "How many things lie on the ground near the camera; 0 leaves them out"
    add(AMOUNT_INPUT, "Float", amount, 1.0, (0.0, 10.0))
    reach = add(REACH_INPUT, "Float", "How far from the camera things lie on the ground", _REACH, (0.0, 1e6))
    reach.subtype = "DISTANCE"
    relief = "How much of the relief near the camera is geometry instead of bump, in renders"
    add(RELIEF_INPUT, "Float", relief, 1.0, (0.0, 1.0))
    crags = "How high crags of steep rock stand out of the mesh, in renders; 0 leaves them out"
    add(CRAGS_INPUT, "Float", crags, 1.0, (0.0, 5.0))
    add(ROADS_INPUT, "Object", "Where roads and pads lie, nothing grows and the ground stays flat")
    add(VIEWPORT_INPUT, "Bool", "Strew the ground in the viewport too, and not only in renders")
    declare_frame(tree, "Leave out crags, tufts and stones that the camera does not see")
    for name in _LOOKS:
        add(input_name(name), "Float", "As in the material of the land")


def _points(
    nodes: GeometryNodes, mesh: Value, source: bpy.types.bpy_prop_collection, camera: CameraNodes, framed: Value
) -> bpy.types.NodeSocket:
    """Return points on the ground before the camera; they lie still when it moves, and come and go far away only."""
    thinning = nodes.math("DIVIDE", _FULL, nodes.math("MAXIMUM", camera.distance, _FULL))
    # What is behind the camera casts no shadow into the picture, but triangles are wide.
    is_near = nodes.all_of(
        framed,
        nodes.compare("LESS_THAN", camera.distance, source[REACH_INPUT]),
        nodes.compare("GREATER_THAN", camera.ahead, nodes.product(camera.distance, OUTSIDE)),
    )
    ends = nodes.smooth_step(nodes.math("DIVIDE", camera.distance, source[REACH_INPUT]), 1.0, _FADES)
    density = nodes.product(thinning, thinning, source[AMOUNT_INPUT], _DENSITY, ends)
    density = nodes.switch("FLOAT", is_near, 0.0, density)
    return nodes.node("GeometryNodeDistributePointsOnFaces", {"Mesh": mesh, "Density": density}).outputs["Points"]


def _wild_share(nodes: GeometryNodes, roads: Value) -> bpy.types.NodeSocket:
    """Return 1 on ground without a road or a pad, 0 under one."""
    place = nodes.node("GeometryNodeInputPosition").outputs[0]
    rays = {
        "Target Geometry": roads,
        "Source Position": nodes.vector_math("SUBTRACT", place, (0.0, 0.0, _ROAD_MARGIN)),
        "Ray Direction": (0.0, 0.0, 1.0),
        "Ray Length": 2.0 * _ROAD_MARGIN,
    }
    return nodes.math("SUBTRACT", 1.0, nodes.node("GeometryNodeRaycast", rays).outputs["Is Hit"])


def _spread(nodes: GeometryNodes, distance: Value, is_stone: Value) -> bpy.types.NodeSocket:
    """Return how many times as large things are as one of them.

    Plants that are farther away than the density is full stand for several.  Near the camera these are a group; far
    away a patch of long grass, wide and low.
    """
    several = nodes.math("SQRT", nodes.math("MAXIMUM", nodes.math("DIVIDE", distance, _FULL), 1.0))
    tall = nodes.math("MINIMUM", several, nodes.math("MULTIPLY_ADD", nodes.math("SQRT", several), 0.2, 1.2))
    patch = nodes.node("ShaderNodeCombineXYZ", {"X": several, "Y": several, "Z": tall}).outputs[0]
    return nodes.switch("VECTOR", is_stone, patch, (1.0, 1.0, 1.0))


def _things(nodes: GeometryNodes, site: GroundInputs, covers: RoughCovers) -> _Things:
    """Return what lies at a point."""
    rock, scree, shore = covers.rock, covers.scree, shore_share(nodes, site)
    bare = [nodes.math("SUBTRACT", 1.0, share) for share in (rock, shore, covers.snow)]
    forest = forest_share(nodes, site)
    green = nodes.product(nodes.math("MAXIMUM", grass_share(nodes, site), forest), *bare)
    far = nodes.smooth_step(site.distance, *_SINGLE)
    dry = nodes.smooth_step(site.water_depth, 0.05, 0.0)
    # More would hide the stones that the material shows.
    stony = nodes.sum(0.002, nodes.product(scree, 0.035), nodes.product(rock, 0.002), nodes.product(shore, 0.02))
    stony = nodes.mix_numbers(far, stony, _block_share(nodes, site, covers, forest))
    stony = nodes.product(stony, dry, bare[2], nodes.math("SUBTRACT", 1.0, blown_over(nodes, site, *_BURIES)))
    chance, which = _random(nodes, 0.0, 1.0, 1), _random(nodes, 0.0, 1.0, 2)
    is_stone = nodes.compare("LESS_THAN", chance, stony)
    # Tufts stand in groups, and few grow under trees.  Far away one sees only where grass is long.
    long_grass = nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.broad, 0.5, site.middle), 0.05, 0.40)
    groups = nodes.mix_numbers(far, nodes.smooth_step(site.grain, -0.75, 0.15), long_grass)
    # Rivers have no depth on the ground, but it is wet there; and a patch of grass is wider than a tuft.
    ashore = nodes.math("SUBTRACT", 1.0, nodes.product(far, nodes.smooth_step(site.wet_ground, 0.02, 0.2)))
    grows = nodes.product(green, dry, groups, ashore, nodes.math("MULTIPLY_ADD", forest, -0.86, 1.0))
    is_green = nodes.compare("LESS_THAN", nodes.math("SUBTRACT", chance, stony), grows)
    single = nodes.math("SUBTRACT", 1.0, far)
    flowering = nodes.product(nodes.smooth_step(site.middle, 0.0, 0.3), 0.07, nodes.math("SUBTRACT", 1.0, site.cold))
    flowering = nodes.product(flowering, single)
    is_flower = nodes.compare("LESS_THAN", which, flowering)
    is_fern = nodes.compare("LESS_THAN", _random(nodes, 0.0, 1.0, 3), nodes.product(forest, single))
    grass, fern, flower, stone = (float(THINGS.index(kind)) for kind in ("grass", "fern", "flower", "rock"))
    plant = nodes.switch("FLOAT", is_fern, nodes.switch("FLOAT", is_flower, grass, flower), fern)
    kind = nodes.switch("FLOAT", is_stone, nodes.switch("FLOAT", is_green, -1.0, plant), stone)
    size = _stone_size(nodes, site, covers)
    tall = nodes.product(_random(nodes, 0.16, 0.36, 4), nodes.mix_numbers(forest, 1.0, 1.5))
    height = nodes.switch("FLOAT", is_stone, tall, size)
    light = _random(nodes, 0.75, 1.25, 7)
    # Blocks have lain long enough to weather as the rock above them has.
    stones = nodes.mix_colours(far, GROUND_COLOURS["scree"], GROUND_COLOURS["rock"])
    stones = tinted(nodes, stones, site.tint)
    colour = nodes.scaled(nodes.switch("VECTOR", is_stone, grass_colour(nodes, site), stones), light)
    return _Things(kind, colour, height)


def _block_share(nodes: GeometryNodes, site: GroundInputs, covers: RoughCovers, forest: Value) -> bpy.types.NodeSocket:
    """Return which share of points far from the camera are blocks that have fallen off rock.

    They lie in groups: on scree, and fewer on slopes that are too gentle for rock and too steep for soil to stay.
    """
    groups = nodes.smooth_step(nodes.sum(site.broad, nodes.product(site.middle, 0.6)), -0.1, 0.5)
    slope = nodes.product(
        nodes.smooth_step(site.bare_slope, *_TALUS),
        nodes.math("MULTIPLY_ADD", forest, -0.8, 1.0),
        nodes.math("SUBTRACT", 1.0, covers.rock),
    )
    share = nodes.math("MULTIPLY_ADD", covers.scree, 0.4, nodes.product(slope, 0.3))
    return nodes.product(share, nodes.mix_numbers(groups, 0.1, 1.0), site.bed_share)


def _stone_size(nodes: GeometryNodes, site: GroundInputs, covers: RoughCovers) -> bpy.types.NodeSocket:
    """Return the height of a stone in metres: many are small and few are large, and scree is coarse at its foot.

    The number of fragments larger than d goes with d^-2.3.  Large ones roll further, so that they lie sorted.

    References
    ----------
    Turcotte, D. L. (1986). Fractals and fragmentation. Journal of Geophysical Research 91(B2), 1921–1926.
    doi:10.1029/JB091iB02p01921
    Statham, I. (1976). A scree slope rockfall model. Earth Surface Processes 1(1), 43–62. doi:10.1002/esp.3290010106
    """
    foot = nodes.smooth_step(site.bare_slope, *_SCREE_FOOT)
    sorted_by = nodes.mix_numbers(covers.scree, 1.0, nodes.mix_numbers(foot, 0.6, 1.7))
    least = nodes.math("MAXIMUM", nodes.product(site.distance, _VISIBLE), _LEAST_STONE)
    broken = nodes.product(nodes.math("POWER", _random(nodes, 1e-3, 1.0, 4), -1.0 / _FRAGMENTS), least)
    most = nodes.mix_numbers(nodes.math("MAXIMUM", covers.scree, covers.rock), 0.15, 0.70)
    # Far away only the largest ones are seen.
    most = nodes.mix_numbers(nodes.smooth_step(site.distance, *_SINGLE), most, _LARGEST_BLOCK)
    # Thin beds of clay break into small pieces.
    most = nodes.product(most, nodes.smooth_step(site.bed_share, 0.0, 0.8))
    size = nodes.product(nodes.math("MINIMUM", broken, nodes.sum(most, _LEAST_STONE)), sorted_by)
    return nodes.math("MINIMUM", size, _LARGEST_BLOCK)


def _random(nodes: GeometryNodes, least: float, most: float, seed: int) -> bpy.types.NodeSocket:
    """Return a random number for each point, the same in every picture."""
    node = nodes.node("FunctionNodeRandomValue", {"Min": least, "Max": most, "Seed": seed}, data_type="FLOAT")
    return next(output for output in node.outputs if output.enabled)
