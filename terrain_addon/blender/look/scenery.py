"""Light, air and a camera for a land."""

import math
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from ...core.ecosystem.plant_attributes import PlantAttribute
from ..data.attributes import read_attribute, read_positions
from .atmosphere import haze_group
from .camera import heading_of, set_camera, show_up_to, view_of
from .placement import check_extent, is_where_we_put_it, placement_of, unscaled_placement_of
from .render_settings import aspect_of
from .seen_land import SeenCrowns, SeenLand, View
from .sun import set_sun
from .sunlight import find_sun_over
from .views import find_view
from .world import choose_clouds, has_our_sky, set_world

# Custom property of our camera: metres above the ground where it was placed.
_RISE = "landscape_rise"
_LEAST_TREE = 2.0  # metres; lower plants hide no view
# It is placed again below this share of that height, and if it is higher by this share of the land's diagonal.
_BURIED, _LIFTED = 0.3, 0.01
# The camera sees as far as so many diagonals of the land: there even thin air hides the ground, so no edge shows.
_HORIZON = 30.0
# Diagonals of the land after which the air at its foot hides all but 5 % of the contrast: on flat land, which lies deep
# in haze, and in mountains, from which one looks over it; and ranges of heights, as shares of the diagonal, of both.
_FLAT_AIR, _MOUNTAIN_AIR, _FLAT, _MOUNTAINS = 3.0, 5.5, 0.03, 0.12


@dataclass(frozen=True)
class Survey:
    """What camera, sun and haze depend on.

    Attributes
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Of the land in metres.
    width, depth : float
        Size of the land in metres.
    view : View
        The camera on it.
    foot, top : float
        Altitudes of low ground (the 5 % quantile) and of the summit in metres.
    """

    heights: npt.NDArray[np.float32]
    width: float
    depth: float
    view: View
    foot: float
    top: float


def survey_land(
    heights: npt.NDArray[np.float32],
    width: float,
    depth: float,
    aspect: float,
    sea_level: float | None,
    view: str = "vista",
    crowns: SeenCrowns | None = None,
) -> Survey:
    """Look for the best view of one kind of a land; this may run in any thread.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Altitudes in metres, row 0 in the south.
    width, depth : float
        Size of the land from west to east and from south to north in metres.
    aspect : float
        Width of the picture over its height.
    sea_level : float or None
        Altitude of the sea in metres; None if there is none.
    view : str
        One of views.VIEWS.
    crowns : SeenCrowns, optional
        Crowns of its trees, in which no camera should stand.

    Raises
    ------
    ValueError
        If the land is smaller than 2 × 2 samples, or there is no view of that name.
    """
    found = find_view(heights, width, depth, aspect, sea_level, view, crowns)
    return Survey(heights, width, depth, found, float(np.percentile(heights, 5)), float(heights.max()))


def survey_of(scene: bpy.types.Scene, land: bpy.types.Object, view: str = "vista") -> Survey:
    """Look for the best view of one kind of the land that an object shows.

    Parameters
    ----------
    scene : Scene
        Whose pictures it is for.
    land : Object
        As in `set_scenery`.
    view : str
        One of views.VIEWS.

    Raises
    ------
    ValueError
        If `land` is no land, or there is no view of that name.
    """
    return survey_land(*_heights_of(land), aspect_of(scene), _sea_surface_of(land), view, _crowns_of(land))


def set_scenery(scene: bpy.types.Scene, land: bpy.types.Object, survey: Survey | None = None) -> None:
    """Give a scene what it lacks to show a land: a sun, a sky with haze, and a camera that frames the summit.

    Cameras, lights and worlds of the user stay as they are.  Those of Blender's untouched startup scene are not the
    user's.  A second call moves what the first one made to suit the land, except for what the user has moved since.

    Parameters
    ----------
    scene : Scene
    land : Object
        A mesh that is a grid of rows from south to north, each from west to east, with altitude as z.
    survey : Survey, optional
        Of the land; without, it is made here.

    Raises
    ------
    ValueError
        If `land` is not such a mesh.
    """
    if survey is None:
        survey = survey_of(scene, land)
    place, size = unscaled_placement_of(land), math.hypot(survey.width, survey.depth)
    camera = _aim(scene, survey, place)
    azimuth = survey.view.sun
    if azimuth is None or not is_where_we_put_it(camera):
        azimuth = find_sun_over(SeenLand(survey.heights, survey.width, survey.depth, None), heading_of(camera))
    sun = set_sun(scene, azimuth)
    set_world(scene, sun)
    choose_clouds(scene, _seed_of(land))
    _set_haze(scene, survey, place)
    set_contrast(scene)
    show_up_to(camera, 6.0 * size)
    camera.data.clip_end = max(camera.data.clip_end, _HORIZON * size)


def aim_again(scene: bpy.types.Scene, land: bpy.types.Object) -> None:
    """Place our camera again if a land has moved away from under it, or over it; a camera that users moved stays.

    Parameters
    ----------
    scene : Scene
    land : Object
        A land whose heights have changed.
    """
    camera = scene.camera
    if camera is None or _RISE not in camera or not is_where_we_put_it(camera):
        return
    try:
        heights, width, depth = _heights_of(land)
    except ValueError:
        return
    place = unscaled_placement_of(land).inverted() @ camera.matrix_basis.translation
    if not (2.0 * abs(place.x) <= width and 2.0 * abs(place.y) <= depth):
        return  # it belongs to another land, or the land has no place
    rise, wanted = place.z - _altitude_at(heights, width, depth, place), camera[_RISE]
    if rise < _BURIED * wanted or rise > wanted + _LIFTED * math.hypot(width, depth):
        _aim(
            scene,
            survey_of(scene, land, view_of(camera) or "vista"),
            unscaled_placement_of(land),
        )


def _aim(scene: bpy.types.Scene, survey: Survey, place: Matrix) -> bpy.types.Object:
    """Place our camera for a land, and remember how high it stands; return the camera of the scene."""
    camera = set_camera(scene, survey.view, place, math.hypot(survey.width, survey.depth))
    if is_where_we_put_it(camera):
        camera[_RISE] = survey.view.z - _altitude_at(survey.heights, survey.width, survey.depth, survey.view)
    return camera


def _altitude_at(heights: npt.NDArray[np.float32], width: float, depth: float, place: View | Vector) -> float:
    """Return the height of the sample nearest to a place; x and y are metres from the middle of the land."""
    rows, columns = heights.shape
    row = round((place.y / depth + 0.5) * (rows - 1))
    column = round((place.x / width + 0.5) * (columns - 1))
    return float(heights[min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)])


def _heights_of(land: bpy.types.Object) -> tuple[npt.NDArray[np.float32], float, float]:
    """Return a land's heights (rows, columns) and its width and depth, all in metres of the world."""
    if land.type != "MESH":
        raise ValueError(f"{land.name} is a {land.type.lower()}, not a land: it must be a mesh")
    check_extent(land)
    points = read_positions(land.data)
    count = len(points)
    # A row ends where y changes.
    changed = np.flatnonzero(points[:, 1] != points[:1, 1])
    columns = int(changed[0]) if changed.size else count
    if columns < 2 or count % columns or not _is_grid(points.reshape(-1, columns, 3)):
        raise ValueError(
            f"{land.name} with {count} vertices is not a land: its vertices are not a grid of 2 × 2 or more"
        )
    scale = placement_of(land).to_scale()
    width, depth = (points[-1] - points[0])[:2] * np.array(scale)[:2]
    return points[:, 2].reshape(-1, columns) * np.float32(scale.z), float(abs(width)), float(abs(depth))


def _sea_surface_of(land: bpy.types.Object) -> float | None:
    """Return the altitude of a land's sea in metres of the world; None if it has none."""
    settings = getattr(land, "landscape", None)  # absent while the extension is switched off
    if settings is None or not settings.is_landscape:
        return None
    water = settings.recipe.water
    return water.sea_level * placement_of(land).to_scale().z if water.sea else None


def _seed_of(land: bpy.types.Object) -> int:
    """Return the seed of a land; 0 for a mesh of the user."""
    settings = getattr(land, "landscape", None)
    return settings.recipe.seed if settings is not None and settings.is_landscape else 0


def _crowns_of(land: bpy.types.Object) -> SeenCrowns | None:
    """Return the crowns of a land's trees in metres of the world; None where it has none."""
    settings = getattr(land, "landscape", None)
    plants = None if settings is None or not settings.is_landscape else settings.plants
    if plants is None or not plants.data.vertices:
        return None
    height, radius = (read_attribute(plants.data, name) for name in (PlantAttribute.HEIGHT, PlantAttribute.RADIUS))
    if height is None or radius is None:  # users have removed them
        return None
    is_tree = height > _LEAST_TREE
    scale = np.array(placement_of(land).to_scale(), np.float32)
    places = read_positions(plants.data)[is_tree] * scale
    order = np.argsort(places[:, 0], kind="stable")
    x, y, foot = places[order].T
    return SeenCrowns(x, y, foot + height[is_tree][order] * scale[2], radius[is_tree][order] * scale[0])


def _is_grid(points: npt.NDArray[np.float32]) -> bool:
    """Return whether points (rows, columns, 3) lie on a grid: x rises along each row, y from row to row."""
    x, y = points[..., 0], points[..., 1]
    rising = (np.diff(x, axis=1) > 0.0).all() and (np.diff(y, axis=0) > 0.0).all()
    return len(points) >= 2 and bool(rising and np.array_equal(x, x[:1].repeat(len(x), 0)))


def _set_haze(scene: bpy.types.Scene, survey: Survey, place: Matrix) -> None:
    """Fit the haze to the land: a land of 1 km looks as deep as one of 10 km.

    Under the user's own sky there is no haze, because its colour would not fit.
    """
    size = math.hypot(survey.width, survey.depth)
    steep = (survey.top - survey.foot) / size
    clear = float(np.interp(steep, (_FLAT, _MOUNTAINS), (_FLAT_AIR, _MOUNTAIN_AIR)))
    values = {
        "Base": place.translation.z + survey.foot,
        "Thickness": max(0.6 * (survey.top - survey.foot), 0.02 * size),
        "Visibility": clear * size if has_our_sky(scene) else 1e9,
    }
    nodes = haze_group().nodes
    for label, value in values.items():
        if label in nodes:
            nodes[label].outputs[0].default_value = value


def set_contrast(scene: bpy.types.Scene) -> None:
    """Add contrast to Blender's default view, which is flat; another choice of the user stays."""
    settings = scene.view_settings
    if settings.view_transform == "AgX" and settings.look == "None":
        settings.look = "AgX - High Contrast"
