"""Features of a land as curves, empties and outlines of meshes, which users draw and edit with Blender's own tools.

An object holds the settings of its feature and the land that it is drawn on.  `gather_features` writes what the objects
say to the recipe of the land; so a feature is undone, copied and saved with its object.  Features that a recipe
has without objects stay as they are until `draw_stored_features` makes objects for them.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.geometry import interpolate_bezier

from ...core.direction.checks import leave_out_refused, left_out
from ...core.direction.features import Cliff, Feature, Lake, Pad, Ridge, River, Road, Shore, Summit, Valley
from ..data.properties import read_drawn_feature, read_features, write_drawn_feature, write_features
from ..data.view_layer import collection_beside, shown_collections
from ..look.placement import check_extent

COLLECTION = "Features"
"""Name of the collections that hold what is drawn."""

OUTLINES = (Lake, Pad)
"""Features whose points go round an area."""

_SMOOTH = (River, Ridge, Valley, Cliff, Shore, Lake)
_MATERIAL, _COLOUR = "Drawn Feature", (1.0, 0.45, 0.05, 1.0)
_THICKNESS = 0.001  # radius of a drawn line, as a share of the width of the land
_ARROW = 0.05  # length of the arrow of a summit, as a share of the width of the land
_STILL = 1e-3  # metres by which a land may seem to have moved: matrices have the accuracy of float32
_STEPS = 8  # samples from one point of a smooth curve to the next

# Names of the features of each land, by its session uid, that objects stood for in this session.
_seen: dict[int, set[str]] = {}
# Why drawn objects are left out, by the session uid of their land.
_faults: dict[int, tuple[str, ...]] = {}
# Session uids of those objects.
_objects: dict[int, set[int]] = {}


def drawn_features(land: bpy.types.Object) -> list[bpy.types.Object]:
    """Return the objects that are drawn on a land and not deleted, by name."""
    found = [o for o in bpy.data.objects if o.landscape_feature.land == land and o.users_collection]
    return sorted(found, key=lambda drawn: drawn.name)


def gather_features(land: bpy.types.Object) -> None:
    """Write what is drawn on a land to its recipe.

    Only properties of the land change, so this may happen between two steps of undo.  Objects that cannot be features,
    for example because they have too many points, are left out; `feature_faults` tells which.
    """
    drawn, seen = drawn_features(land), _seen.get(land.session_uid, set())
    if not land.is_editable or not (drawn or seen):
        return
    found, faults = [], []
    for one in drawn:
        try:
            found += _features_of(one, land)
        except ValueError as error:
            faults.append(left_out(str(error)))
    _faults[land.session_uid] = tuple(faults)
    names = seen | {name for one in drawn for name in _names_of(one)}
    shapes = {(type(feature), feature.points) for feature in found}
    stored = read_features(land)
    others = [one for one in stored if one.name not in names and (type(one), one.points) not in shapes]
    if (*others, *found) != stored:
        write_features(land, (*others, *found))
    _seen[land.session_uid] = names
    _objects[land.session_uid] = {one.session_uid for one in drawn}


def feature_faults(land: bpy.types.Object | None) -> tuple[str, ...]:
    """Return a sentence for each object that `gather_features` left out, because it cannot be a feature."""
    return () if land is None else _faults.get(land.session_uid, ())


def refused_features(land: bpy.types.Object) -> tuple[str, ...]:
    """Return a sentence for each feature of a land that is known to be left out before the land is built."""
    recipe = land.landscape.recipe
    return feature_faults(land) + leave_out_refused(read_features(land), recipe.width, recipe.depth)[1]


def lost_features(land: bpy.types.Object) -> bool:
    """Return whether objects that were drawn on a land have been deleted since `gather_features`."""
    known = _objects.get(land.session_uid)
    return known is not None and not known <= {one.session_uid for one in drawn_features(land)}


def forget_features() -> None:
    """Forget what was drawn, before another file is opened."""
    _seen.clear()
    _faults.clear()
    _objects.clear()


def forget_deleted_features(land: bpy.types.Object) -> None:
    """Forget which features of a land were deleted, because its recipe got others."""
    _seen[land.session_uid] = {one.name for one in drawn_features(land)}


def add_feature(
    land: bpy.types.Object, feature: Feature, places: Sequence[Sequence[float]], smooth: bool = True
) -> list[bpy.types.Object]:
    """Add a feature to a land as a new curve, or as an empty for each summit; for operators.

    Parameters
    ----------
    land : Object
    feature : Feature
        Its settings.
    places : sequence of (x, y, z)
        In metres, in the space of the land.
    smooth : bool
        Whether the curve bends smoothly at its points, where such a feature does.

    Returns
    -------
    list of Object

    Raises
    ------
    ValueError
        If there are too few places.
    """
    fewest = 3 if isinstance(feature, OUTLINES) else 1 if isinstance(feature, Summit) else 2
    if len(places) < fewest:
        raise ValueError(f"a {type(feature).model()} needs {fewest} points or more, not {len(places)}")
    name = feature.name or type(feature).model().capitalize()
    if isinstance(feature, Summit):
        return [_placed(_new_empty(name, land, place), land, feature) for place in places]
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    if smooth and isinstance(feature, _SMOOTH):
        _add_smooth_spline(curve, places)
    else:
        _add_straight_spline(curve, places)
    curve.splines[0].use_cyclic_u = isinstance(feature, OUTLINES)
    # Blender draws curves as black lines, which one does not see on a dark forest.
    curve.bevel_depth = _THICKNESS * land.landscape.recipe.width
    curve.materials.append(_material())
    return [_placed(bpy.data.objects.new(name, curve), land, feature)]


def use_as_feature(drawn: bpy.types.Object, land: bpy.types.Object, feature: Feature) -> None:
    """Make an object of the user a feature of a land; it stays where it is; for operators.

    Raises
    ------
    ValueError
        If it has no points that a feature could take, or the land is scaled to nothing.
    """
    check_extent(land)
    if not any(points for points in _lines_of(drawn)):
        raise ValueError(f"{drawn.name} is no curve, empty or mesh with an outline")
    write_drawn_feature(drawn, feature)
    if drawn.parent is None:
        drawn.parent, drawn.matrix_parent_inverse = land, land.matrix_world.inverted_safe()
    drawn.landscape_feature.land = land


def draw_stored_features(land: bpy.types.Object) -> list[bpy.types.Object]:
    """Make objects for the features that a recipe has without objects; for operators."""
    gather_features(land)
    drawn = {feature.name for one in drawn_features(land) for feature in _features_of(one, land)}
    stored = read_features(land)
    missing = [one for one in stored if one.name not in drawn or not one.name]
    write_features(land, [one for one in stored if one not in missing])
    new = []
    corner = _corner_of(land)
    for feature in missing:
        places = [(p[0] + corner.x, p[1] + corner.y, p[2] if len(p) > 2 else 0.0) for p in feature.points]
        if places:
            new += add_feature(land, feature, places, smooth=False)
            new[-1].landscape_feature.takes_heights = all(len(point) > 2 for point in feature.points)
    gather_features(land)
    return new


def switch_off_forms(land: bpy.types.Object) -> None:
    """Switch off all objects on a land that shape its ground, but roads and pads."""
    for drawn in drawn_features(land):
        holder = drawn.landscape_feature.feature
        if holder.model not in (Road.model(), Pad.model()):
            getattr(holder, holder.model).enabled = False


def stored_only(land: bpy.types.Object) -> list[str]:
    """Return the names of the features that the recipe of a land has without objects."""
    drawn = {name for one in drawn_features(land) for name in _names_of(one)}
    return [item.name for item in _chosen_items(land) if item.name not in drawn]


def begin_of_feature(drawn: bpy.types.Object) -> tuple[Vector, Vector]:
    """Return the first point of a feature, and the way to the second, in metres of the world."""
    line = next(iter(_lines_of(drawn)), [])
    begin = drawn.matrix_world @ line[0] if line else drawn.matrix_world.translation.copy()
    return begin, drawn.matrix_world.to_3x3() @ (line[1] - line[0]) if len(line) > 1 else Vector()


def remove_feature(land: bpy.types.Object, name: str) -> tuple[list[str], bool]:
    """Remove the features of an object, or the feature of a recipe that has no object; for operators.

    The object is deleted if the add-on drew it; one of the user stays where it is, and is a feature no longer.

    Returns
    -------
    names : list of str
        Of the features that are gone: an object stands for one with each of its lines.
    stays : bool
        Whether there is an object that stays.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    drawn = next((one for one in drawn_features(land) if name in _names_of(one)), None)
    names, stays = [name], False
    if drawn is not None:
        names, stays = _names_of(drawn), not drawn.landscape_feature.was_drawn
        if stays:
            _release(drawn, land)
        else:
            _delete(drawn)
    elif name in stored_only(land):
        write_features(land, [one for one in read_features(land) if one.name != name])
    else:
        raise ValueError(f"{land.name} has no feature {name!r}")
    gather_features(land)
    return names, stays


def _release(drawn: bpy.types.Object, land: bpy.types.Object) -> None:
    """Let an object be no feature; it stays in its place, without the parent that `use_as_feature` gave it."""
    drawn.landscape_feature.land = None
    if drawn.parent != land:
        return
    moved = land.matrix_world @ drawn.matrix_parent_inverse
    drawn.parent = None
    # Where the land still lies as it did, angles above 180 degrees, which matrices do not hold, stay as well.
    if not np.allclose(moved, np.eye(4), atol=_STILL):
        drawn.matrix_basis = moved @ drawn.matrix_basis


def _delete(drawn: bpy.types.Object) -> None:
    """Delete an object, and its curve if nothing else uses it."""
    data = drawn.data
    bpy.data.objects.remove(drawn)
    if isinstance(data, bpy.types.Curve) and data.users == 0:
        bpy.data.curves.remove(data)


# --- from objects to features -----------------------------------------------------------------------------------------


def _features_of(drawn: bpy.types.Object, land: bpy.types.Object) -> list[Feature]:
    """The features that an object stands for: one for each of its lines."""
    settings, to_land = read_drawn_feature(drawn), _to_land(drawn, land)
    corner, with_heights = _corner_of(land), drawn.landscape_feature.takes_heights
    found = []
    for name, line in zip(_names_of(drawn), _lines_of(drawn)):
        places = [to_land @ point for point in line]
        if places and isinstance(settings, OUTLINES) and places[0] == places[-1]:
            places.pop()
        points = [(p.x - corner.x, p.y - corner.y, *((p.z,) if with_heights else ())) for p in places]
        found.append(settings.replace(name=name, points=tuple(points)))
    return found


def _names_of(drawn: bpy.types.Object) -> list[str]:
    """The names of the features that an object stands for."""
    count = len(drawn.data.splines) if drawn.type == "CURVE" else 1
    return [drawn.name if number == 1 else f"{drawn.name} {number}" for number in range(1, count + 1)]


def _lines_of(drawn: bpy.types.Object) -> list[list[Vector]]:
    """The points of each line of an object, in its own space; empty lines for what has none."""
    if drawn.type == "EMPTY":
        return [[Vector((0.0, 0.0, 0.0))]]
    if drawn.type == "MESH":
        return [_outline_of(drawn.data)]
    if drawn.type == "CURVE":
        return [_points_of(spline) for spline in drawn.data.splines]
    return [[]]


def _points_of(spline: bpy.types.Spline) -> list[Vector]:
    """The points of a line of a curve; a smooth one is sampled."""
    if spline.type != "BEZIER":
        return [point.co.to_3d() for point in spline.points]
    knots = list(spline.bezier_points)
    if len(knots) < 2:
        return [knot.co.copy() for knot in knots]
    pairs = pairwise([*knots, knots[0]] if spline.use_cyclic_u else knots)
    line = [knots[0].co.copy()]
    for a, b in pairs:
        line += [*interpolate_bezier(a.co, a.handle_right, b.handle_left, b.co, _STEPS + 1)[1:-1], b.co.copy()]
    return line


def _outline_of(mesh: bpy.types.Mesh) -> list[Vector]:
    """The points around a mesh: the longest line of its edges that have fewer than two faces."""
    counts: dict[tuple[int, int], int] = {tuple(edge.key): 0 for edge in mesh.edges}
    for face in mesh.polygons:
        for key in face.edge_keys:
            counts[tuple(key)] += 1
    near: dict[int, list[int]] = {}
    for (a, b), count in counts.items():
        if count < 2:
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    lines: list[list[int]] = []
    # Lines with two ends begin at one of them.
    for start in sorted(near, key=lambda vertex: len(near[vertex]) != 1):
        line = [start]
        while near[line[-1]]:
            there = near[line[-1]].pop()
            near[there].remove(line[-1])
            line.append(there)
        lines.append(line)
    longest = max(lines, key=len, default=[])
    return [mesh.vertices[vertex].co.copy() for vertex in longest]


def _to_land(drawn: bpy.types.Object, land: bpy.types.Object) -> Matrix:
    """From the space of an object to that of its land, up to date also before the next evaluation."""
    if drawn.parent == land and drawn.parent_type == "OBJECT":
        return drawn.matrix_parent_inverse @ drawn.matrix_basis
    return land.matrix_world.inverted_safe() @ drawn.matrix_world


def _corner_of(land: bpy.types.Object) -> Vector:
    """The south-west corner of a land in its own space."""
    recipe = land.landscape.recipe
    cell = recipe.width / max(recipe.resolution - 1, 1)
    return Vector((-0.5 * recipe.width, -0.5 * cell * round(recipe.depth / cell)))


def _chosen_items(land: bpy.types.Object) -> Iterable[bpy.types.PropertyGroup]:
    """The settings of each feature in the recipe of a land."""
    return [getattr(item, item.model) for item in land.landscape.recipe.features]


# --- new objects ------------------------------------------------------------------------------------------------------


def _placed(drawn: bpy.types.Object, land: bpy.types.Object, feature: Feature) -> bpy.types.Object:
    """Put a new object on a land and into its collection of features."""
    drawn.show_in_front, drawn.hide_render = True, True
    _collection_of(land).objects.link(drawn)
    write_drawn_feature(drawn, feature)
    drawn.parent = land
    drawn.landscape_feature.land, drawn.landscape_feature.was_drawn = land, True
    return drawn


def _material() -> bpy.types.Material:
    """What drawn lines are made of."""
    found = bpy.data.materials.get(_MATERIAL)
    if found is None or not found.is_editable:
        found = bpy.data.materials.new(_MATERIAL)
        found.diffuse_color = _COLOUR
    return found


def _collection_of(land: bpy.types.Object) -> bpy.types.Collection:
    """The collection for what is drawn, in the collection of the land; made where it is missing."""
    beside, shown = collection_beside(land), shown_collections()
    for found in beside.children:
        if found.name.partition(".")[0] == COLLECTION and found.is_editable and found in shown:
            return found
    new = bpy.data.collections.new(COLLECTION)
    beside.children.link(new)
    return new


def _new_empty(name: str, land: bpy.types.Object, place: Sequence[float]) -> bpy.types.Object:
    """An arrow at a summit."""
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type = "SINGLE_ARROW"
    empty.empty_display_size = _ARROW * land.landscape.recipe.width
    empty.location = place
    return empty


def _add_smooth_spline(curve: bpy.types.Curve, places: Sequence[Sequence[float]]) -> None:
    """Add a line that bends smoothly at its points."""
    spline = curve.splines.new("BEZIER")
    spline.bezier_points.add(len(places) - 1)
    for knot, place in zip(spline.bezier_points, places):
        knot.co = place
    for knot in spline.bezier_points:
        # After all places are known: Blender computes the handles at once.
        knot.handle_left_type = knot.handle_right_type = "AUTO"


def _add_straight_spline(curve: bpy.types.Curve, places: Sequence[Sequence[float]]) -> None:
    """Add a line that is straight between its points."""
    spline = curve.splines.new("POLY")
    spline.points.add(len(places) - 1)
    for point, place in zip(spline.points, places):
        point.co = (*place, 1.0)
