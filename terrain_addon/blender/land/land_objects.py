"""A landscape as Blender objects: the land, its water, snow and roads, and one object that carries all its plants."""

import json
import math

import bpy
import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.building.plan import Extent
from ...core.building.recipe import Appearance, Recipe
from ...core.foundation.levels import refine
from ...core.foundation.sampling import vertex_positions
from ...core.foundation.terrain import Field, Grid, Terrain
from ...core.relief.volcano import Volcano
from .. import compat
from ..data.attributes import (
    CROWN_COVER,
    DETAIL,
    SEASON,
    SNOW_COVER,
    read_floats,
    set_attribute,
    set_positions,
    set_vectors,
)
from ..data.curve_nodes import make_curve_nodes
from ..data.mesh_heights import grid_shape, heights_of_grid
from ..data.meshes import NO_POINTS, PlantPoints, new_land_mesh, set_grid, set_points, set_surface
from ..data.properties import read_recipe, write_recipe
from ..data.vertex_weights import all_weights, give_weights
from ..look.displacement import has_detail, remove_detail
from ..look.ground_material import land_material
from ..look.ground_site import CELL_SIZE, GROUND_MAPS, RIVER_AS_A_CELL, SEA, SLOPE_MAP, VENT
from ..plants.near_ground import add_near_ground, set_near_ground_looks, tell_near_ground
from ..plants.plant_assets import plant_collection, variant_stride
from ..plants.plant_masks import GROUPS, fitted_masks
from ..plants.scatter_inputs import SHARE_INPUT, SHOWN_AT_FIRST
from ..plants.scatter_modifier import add_scatter_modifier, scatter_modifier
from .drawings import Drawing, draw
from .far_land import hide_far_land
from .glacier_objects import set_glaciers
from .lookup import linked_duplicates
from .parts import new_part
from .road_objects import set_roads
from .sculpting import forget_hands, surface_names
from .snow_objects import set_snow
from .water_objects import set_clarity, set_water

# Custom property of a land's mesh: mass balances of the processes that eroded it, as JSON.
# The name under which files of all versions hold mass balances.
_BALANCES = "landscape_books"

_MANY_MORE = 4.0  # times as many plants as before are too many for a viewport


def add_landscape(
    collection: bpy.types.Collection, landscape: Landscape, name: str = "Landscape", drawing: Drawing | None = None
) -> bpy.types.Object:
    """Add a landscape to a collection as a new object, with its water, snow, roads and plants as children.

    The origin of the object is the middle of the land at altitude 0.

    Parameters
    ----------
    collection : Collection
    landscape : Landscape
    name : str
    drawing : Drawing, optional
        Arrays of the landscape; without it they are computed here.

    Returns
    -------
    Object
        The land.
    """
    drawing = drawing or draw(landscape)
    land = bpy.data.objects.new(name, new_land_mesh(name, landscape.terrain, drawing.positions))
    write_recipe(land, landscape.recipe)
    make_curve_nodes()
    land.landscape.is_planted, land.landscape.named = landscape.plants is not None, land.name
    collection.objects.link(land)
    _show_drawing(land, drawing)
    return land


def update_landscape(land: bpy.types.Object, landscape: Landscape, drawing: Drawing | None = None) -> None:
    """Show another landscape on an existing land; materials, modifiers and transform of the object stay.

    Meshes are changed in place, and nothing is removed: this may happen between two steps of undo.  A land that is not
    planted gets no plants.

    Parameters
    ----------
    land : Object
    landscape : Landscape
    drawing : Drawing, optional
        Arrays of the landscape; without it they are computed here.  What it leaves out stays as it is on the land.
    """
    drawing = drawing or draw(landscape)
    if drawing.positions is not None:
        _update_ground(land, landscape.terrain, drawing.positions)
    if not _has_recipe(land, landscape.recipe):
        # Writing makes new items in lists, and a slider that the user holds may belong to an old one.
        write_recipe(land, landscape.recipe)
    _show_drawing(land, drawing)


def extent_of(land: bpy.types.Object) -> Extent:
    """Return how far a landscape must be built for everything that its land shows."""
    planted = land.landscape.is_planted or land.landscape.plants is not None
    return "plants" if planted else "maps"


def shared_extent_of(land: bpy.types.Object) -> Extent:
    """Return how far a landscape must be built for everything that a land and its linked duplicates show."""
    extents = {extent_of(one) for one in (land, *linked_duplicates(land))}
    return "plants" if "plants" in extents else "maps"


def show_surface(land: bpy.types.Object, surface: Field, grid: Grid) -> None:
    """Move the vertices of a land to a surface; everything else stays until `update_landscape`.

    Parameters
    ----------
    land : Object
        If its mesh has another shape than `grid`, the mesh becomes that grid and keeps its maps, interpolated.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres; with fewer samples than the grid they are interpolated.
    grid : Grid
    """
    hide_far_land(land)
    if not _has_shape(land.data, grid):
        _reshape(land, grid)
    set_positions(land.data, vertex_positions(refine(surface, grid.shape), grid.cell_size))
    forget_hands(land)


def mass_balances_of(land: bpy.types.Object) -> dict[str, tuple[float, float, float]]:
    """Return the mass balances of the processes that eroded a land.

    Returns
    -------
    dict of str to tuple of float
        By the number of the process in the recipe, from 1 on: volume that left in m³, volume that was uplifted in m³,
        and the error as a share of all the ground there was.
    """
    return {number: tuple(volumes) for number, volumes in json.loads(land.data.get(_BALANCES, "{}")).items()}


def set_plants(land: bpy.types.Object, landscape: Landscape, points: PlantPoints | None = None) -> None:
    """Show the plants of a landscape on its land, instead of the plants it showed before.

    Parameters
    ----------
    land : Object
    landscape : Landscape
    points : PlantPoints, optional
        The points of the plants; without them they are computed here.

    Raises
    ------
    ValueError
        If the landscape has no plants.
    """
    points = points or draw(landscape).plants
    if points is None:
        raise ValueError("this land has no plants")
    plants = land.landscape.plants
    name, species = f"{land.name} Plants", landscape.recipe.ecosystem.species
    is_new = plants is None
    if is_new:
        plants = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        plants.parent = land
        land.landscape.plants = plants
    share = _bearable_share(plants, len(points.places))
    set_points(plants.data, points)
    if is_new:
        for collection in land.users_collection:
            collection.objects.link(plants)
    add_scatter_modifier(plants, plant_collection(species), share, land, variant_stride(species))
    if is_new:
        # After the plants, which would else grow on what it adds.
        add_near_ground(plants, land)
        set_near_ground_looks(plants, landscape.recipe.appearance_now)
        if land.landscape.near_ground is not None:
            tell_near_ground(land.landscape.near_ground, None)


def clear_plants(land: bpy.types.Object) -> None:
    """Remove the plants of a land, and their mesh if nothing else uses it; crags and tufts stay."""
    plants = land.landscape.plants
    land.landscape.is_planted = False
    if plants is not None:
        mesh = plants.data
        bpy.data.objects.remove(plants)
        _remove_unused(mesh)
        _show_bare_ground(land, read_recipe(land).appearance_now)


def _show_bare_ground(land: bpy.types.Object, appearance: Appearance) -> None:
    """Let a land without plants have crags and the ground near the camera, too."""
    settings = land.landscape
    if settings.near_ground is None:
        settings.near_ground = new_part(land, "Near Ground")
        add_near_ground(settings.near_ground, land)
    # While there were plants, it added nothing.
    tell_near_ground(settings.near_ground, land)
    set_near_ground_looks(settings.near_ground, appearance)


def _update_ground(land: bpy.types.Object, terrain: Terrain, positions: npt.NDArray[np.float32]) -> None:
    """Move the vertices of a land, whose mesh becomes another grid where the shape is another."""
    hide_far_land(land)
    if _has_shape(land.data, terrain.grid):
        if has_detail(land) and not np.array_equal(heights_of_grid(land.data, terrain.grid.shape), terrain.surface):
            # Its detail textures belong to the ground that it had before.
            remove_detail(land)
    else:
        _reshape(land, terrain.grid)
    set_surface(land.data, terrain, positions)
    forget_hands(land)


def _show_drawing(land: bpy.types.Object, drawing: Drawing) -> None:
    """Show attributes, material, water, snow, roads and plants of a landscape, as far as it was built."""
    landscape = drawing.landscape
    if drawing.maps is not None:
        set_attribute(land.data, "sediment", landscape.terrain.sediment)
        for name, values in drawing.maps.items():
            set_attribute(land.data, name, values)
        if SNOW_COVER not in drawing.maps and SNOW_COVER in land.data.attributes:
            # The snow line says so again.
            set_attribute(land.data, SNOW_COVER, np.zeros(landscape.terrain.grid.shape, np.float32))
        land.data[_BALANCES] = json.dumps(_mass_balances(landscape))
    materials = land.data.materials
    if any(materials):
        land_material(landscape.recipe.appearance_now, next(material for material in materials if material is not None))
    else:
        materials.clear()
        materials.append(land_material(landscape.recipe.appearance_now))
    if drawing.detail is not None:
        set_vectors(land.data, DETAIL, drawing.detail)
    if drawing.water is not None:
        set_water(land, drawing.water)
    set_clarity(land, landscape.recipe.appearance.water_clarity)
    _tell_cells(land, landscape)
    _tell_vent(land, landscape.recipe)
    _tell_sea(land, landscape.recipe)
    if drawing.ice is not None:
        set_glaciers(land, drawing.ice)
    if drawing.snow is not None:
        set_snow(land, drawing.snow)
    if drawing.roads is not None:
        set_roads(land, drawing.roads, landscape.roads)
    if drawing.plants is not None and extent_of(land) == "plants":
        set_plants(land, landscape, drawing.plants)
        if drawing.crown_cover is not None:
            set_attribute(land.data, CROWN_COVER, drawing.crown_cover)
    elif landscape.plants is not None and not landscape.plants and land.landscape.plants is not None:
        # Nothing grows here now; with other settings something may grow again.
        _set_share(land.landscape.plants, 0)
        set_points(land.landscape.plants.data, NO_POINTS)
        set_attribute(land.data, CROWN_COVER, np.zeros(landscape.terrain.grid.shape, np.float32))
    # Plants that were made real are children of the land with a season of their own.
    real = [item for item in land.children if SEASON in item and item.is_editable]
    plants = land.landscape.plants
    if plants is not None:
        set_near_ground_looks(plants, landscape.recipe.appearance_now)
    elif SLOPE_MAP in land.data.attributes:
        _show_bare_ground(land, landscape.recipe.appearance_now)
    for item in (*real, plants) if plants is not None else real:
        _set_season(item, landscape.recipe.appearance_now.season)


def _bearable_share(plants: bpy.types.Object, count: int) -> float | None:
    """Percentage of new plants that viewports show; None to leave it as it is.

    At first it is so many that any graphics card can draw them; renders show every plant, and users may show more.
    As long as they do not, the percentage follows the number of plants.  After that it stays, but where another biome
    has a hundred times as many, about as many are shown as before.
    """
    modifier = scatter_modifier(plants)
    if modifier is None:
        return _share_at_first(count)
    if modifier.node_group is None:  # deleted by the user
        return None
    share, before = float(compat.modifier_input(modifier, SHARE_INPUT)), len(plants.data.vertices)
    if math.isclose(share, _share_at_first(before), rel_tol=1e-5):
        return _share_at_first(count)
    usual = max(0.01 * share * before, SHOWN_AT_FIRST)
    return 100.0 * usual / count if 0.01 * share * count > _MANY_MORE * usual else None


def _set_share(plants: bpy.types.Object, count: int) -> None:
    """Let viewports show the bearable share of so many plants, before the plants change."""
    modifier, share = scatter_modifier(plants), _bearable_share(plants, count)
    if modifier is not None and share is not None:
        compat.set_modifier_input(modifier, SHARE_INPUT, share)


def _share_at_first(count: int) -> float:
    """Percentage of some plants that viewports show before users ask for another."""
    return min(100.0, 100.0 * SHOWN_AT_FIRST / max(count, 1))


def _tell_cells(land: bpy.types.Object, landscape: Landscape) -> None:
    """Tell the material how wide cells are, and which rivers are narrower than one."""
    cell_size = landscape.terrain.cell_size
    cells_wide = cell_size / max(landscape.recipe.water.river_width, 0.01)
    for name, value in ((CELL_SIZE, cell_size), (RIVER_AS_A_CELL, math.log10(1e6 * cells_wide * cells_wide))):
        if land.get(name) != value:
            land[name] = value
            land.update_tag()


def _tell_sea(land: bpy.types.Object, recipe: Recipe) -> None:
    """Tell the material how high the sea stands."""
    level = recipe.water.sea_surface
    sea = (0.0, 0.0, 0.0) if level is None else (level, 1.0, 0.0)
    if tuple(land.get(SEA, ())) != sea:
        land[SEA] = sea
        land.update_tag()


def _tell_vent(land: bpy.types.Object, recipe: Recipe) -> None:
    """Tell the material where the first volcano of a recipe has its vent, and how wide its crater is."""
    cones = [layer.source for layer in recipe.relief.layers if layer.enabled and isinstance(layer.source, Volcano)]
    vent = (0.0, 0.0, 0.0)
    if cones:
        east = cones[0].east - recipe.origin_east - 0.5 * recipe.width
        vent = (east, cones[0].north - recipe.origin_north - 0.5 * recipe.depth, cones[0].crater_radius)
    if tuple(land.get(VENT, ())) != vent:
        land[VENT] = vent
        land.update_tag()


def _set_season(plants: bpy.types.Object, season: float) -> None:
    """Store the season for leaves; 0 months become 12, because shaders read 0 where nothing is stored."""
    season = season or 12.0
    if plants.get(SEASON) != season:
        plants[SEASON] = season
        plants.update_tag()


def _mass_balances(landscape: Landscape) -> dict[str, tuple[float, float, float]]:
    """What `mass_balances_of` returns, for a new landscape."""
    found = {}
    for number, balance in landscape.process_balances.items():
        ground = abs(balance.before) + abs(balance.uplifted)
        found[str(number)] = (balance.left, balance.uplifted, abs(balance.error) / ground if ground > 0.0 else 0.0)
    return found


def _has_recipe(land: bpy.types.Object, recipe: Recipe) -> bool:
    """Whether the settings of a land are this recipe."""
    try:
        return read_recipe(land) == recipe
    except ValueError:
        return False


def _reshape(land: bpy.types.Object, grid: Grid) -> None:
    """Make the mesh of a land another grid, in place; what was painted, sculpted and measured stays, interpolated."""
    shape, weights = grid_shape(land.data), all_weights(land, skipped=GROUPS.values())
    kept = fitted_masks(land, grid.shape)
    for name in (*GROUND_MAPS, *surface_names(land)):
        values = read_floats(land.data, name)
        if values is not None and shape is not None:
            kept[name] = refine(values.reshape(shape), grid.shape)
    set_grid(land.data, grid)
    for name, field in kept.items():
        set_attribute(land.data, name, field)
    give_weights(land, weights)


def _has_shape(mesh: bpy.types.Mesh, grid: Grid) -> bool:
    """Whether a mesh is this grid: the numbers of vertices and faces agree, and so does the first face."""
    faces = (grid.rows - 1) * (grid.columns - 1)
    if len(mesh.vertices) != grid.rows * grid.columns or len(mesh.polygons) != faces:
        return False
    return max(mesh.polygons[0].vertices) == grid.columns + 1


def _remove_unused(mesh: bpy.types.Mesh) -> None:
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)
