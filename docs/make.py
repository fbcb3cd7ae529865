"""Makes what in this folder is made: a picture of every preset, small ones for the panel, and the table of parameters.

Others show lands before and after erosion, forests, plants, and every source of relief.

``python build.py docs [PART ...]`` runs it in Blender as a module.
"""

import argparse
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER)]

from animations import make_films
from button_words import button_table
from class_table import write_class_table
from engine_pictures import make_engine_pictures
from erosion_sliders import write_page
from house import draw
from lands import bare, lifted, mountains, species_of
from models import write_models
from parameters_page import parameter_table
from picture_files import pixels_of, save_picture
from picture_set import write_picture_table
from relief_sliders import write_relief_page
from slider_panes import WATER_COLOUR, light_from_north_west, seen_from_above
from source_tiles import ACROSS, ON_SHEET, in_a_row, tiles_of
from tutorial_file import make_tutorial_file
from window_pictures import make_window_pictures

import terrain_addon
from terrain_addon.blender.data.attributes import read_positions, set_positions
from terrain_addon.blender.data.planet_data import draw_planet
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.far_land import hide_the_border
from terrain_addon.blender.land.land_objects import add_landscape, show_surface
from terrain_addon.blender.land.planet_objects import add_planet
from terrain_addon.blender.land.rendering import leave_out_unseen
from terrain_addon.blender.land.water_objects import set_water
from terrain_addon.blender.look.map_view import MAP_COLOURS, show_map
from terrain_addon.blender.look.render_settings import render_settings
from terrain_addon.blender.look.scenery import set_scenery
from terrain_addon.blender.look.space import set_space
from terrain_addon.blender.look.sun import sun_of
from terrain_addon.blender.operators import CLASSES
from terrain_addon.blender.plants.plant_assets import plant_mesh
from terrain_addon.core import (
    Cache,
    Landscape,
    PlanetRecipe,
    Recipe,
    build,
    build_planet,
    planet_preset_names,
    preset_names,
)
from terrain_addon.core.building.quick_drawing import quick_steps
from terrain_addon.core.building.recipe import PRESET_FOLDER
from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.direction.features import River, Road
from terrain_addon.core.direction.lines import smooth_line
from terrain_addon.core.ecosystem.plants import VARIANTS
from terrain_addon.core.erosion.cliff_retreat import CliffRetreat
from terrain_addon.core.erosion.deposition import Deposition
from terrain_addon.core.erosion.glaciation import Glaciation
from terrain_addon.core.erosion.meander_ground import stamp_years
from terrain_addon.core.erosion.sand import Sand
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.erosion.wandering_rivers import WanderingRivers
from terrain_addon.core.flow.water import find_water
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.sampling import sample
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.masks import NoiseMask
from terrain_addon.core.meshing.plant_meshes import FORMS
from terrain_addon.core.meshing.water_mesh import make_water_mesh
from terrain_addon.core.planet.planet_recipe import PLANET_PRESETS
from terrain_addon.core.relief.sources import SOURCES
from terrain_addon.files.png import write_png

SIZE, SAMPLES = (1280, 720), 16
THUMBNAIL = 112  # pixels; with fewer shades, the files stay small
SHADES = 32
FEATURED, FEATURED_PANE, FEATURED_QUALITY = ("alpine", "islands", "mesa_and_canyon", "plains"), (960, 540), 66
# Lands before and after erosion, side by side.
ERODED, WORN = ("alpine", "badlands", "volcano"), "big_tujunga"
PANE, PANE_SAMPLES, PANE_RESOLUTION = (400, 225), 12, 513
FOREST_RESOLUTION, FOREST_VIEW, FOREST_SEEN = 385, (-500.0, -2000.0, 1150.0), (50.0, -100.0, 250.0)
FOREST_YEARS, FOREST_PANE = (5.0, 40.0, 150.0), (400, 268)
PLANET_SIDE, PLANET_SAMPLES, PLANET_RESOLUTION, PLANET_SEED = 360, 24, 513, 3
ORBIT_SEED = 4
SPACE_RESOLUTION = 257  # finer than the pixels of a planet that is seen from space
# The sphere, displaced and bumped: few vertices, so that one sees what the bump map carries.
BUMP_SIZE, BUMP_MESH, BUMP_EXAGGERATION, BUMP_APART = (960, 340), 33, 5.0, 2.35
BUMP_FAR, BUMP_LENS, BUMP_SUN = 14.0, 70.0, 6.0
GROUND_PLACE = (10.02, 18.28, 9000.0)  # latitude, longitude, size
# A road that has a bridge, seen from so many metres after it, to its left, and above it.
ROAD_LAND, ROAD_SEED, ROAD_STOPS, ROAD_VIEW = 2000.0, 17, ((900.0, 1850.0), (1200.0, 200.0)), (95.0, 55.0, 36.0)
# A land of mountains before ice, and after so many years of it; then the sea rises to an altitude.
ICE_LAND, ICE_SEED, ICE_LINE, ICE_YEARS, ICE_SEA = 12000.0, 4, 1500.0, 30_000.0, 1400.0
ICE_PANE = 400
# A plain with larger rivers than the preset has, before they wander and after so many years of it.
RIVER_LAND, RIVER_YEARS, RIVER_SAMPLES, RIVER_STEEPER = 12000.0, 900.0, 961, 4.0
CLIMATE_PANE, CLIMATE_MAPS = 321, ("rain", "temperature", "snow_days", "moisture")
# Days of the year: in January, April and July.
WINTER_DAYS, WINTER_PANE, WINTER_SAMPLES = (20, 115, 195), (480, 400), 24
_ABOUT_OPERATORS = (
    "What the buttons and menus of the extension call. In a script, `bpy.ops.landscape.update()` presses the button "
    "*Update Landscape*. `python build.py docs operators` makes this page from the code.\n\n"
    "Each heading is a name in scripts. The bold words below it are the name in Blender. Most buttons and menus say "
    "the same words; these say others:"
)
# Pages that say more of the operators in a file.
OPERATOR_PAGES = {
    "bake": "materials",
    "compiled_code": "troubleshooting",
    "erosion_brush": "paint",
    "export": "engines",
    "features": "direction",
    "growing": "forests",
    "import_elevation": "real_terrain",
    "masks": "paint",
    "painting": "paint",
    "planet_landscapes": "planets",
    "planets": "planets",
    "plants": "forests",
    "worlds": "worlds",
}
CLIFFS = "mesa_and_canyon"
HOODOO_BEDS = {"hard_bed": 2.0, "weak_bed": 20.0, "years": 6000.0, "altitude": 650.0, "talus_angle": 36.0}
HOODOO_BEDS |= {"debris": 0.05, "unevenness": 0.5, "dip": 1.0, "hoodoo_width": 2.0}
GLACIER_LINE, GLACIER_SEED, GLACIER_SAMPLES, SAND_SAMPLES = 2000.0, 8, 769, 769
# A level land with plants but for some bare patches, and the years after which its dunes are shown.
PARABOLIC_SIZE, PARABOLIC_SAMPLES, PARABOLIC_YEARS = 700.0, 301, (10.0, 40.0, 90.0)
PARABOLIC_SAND = Sand(
    supply=1.2, plant_growth=0.5, plants=NoiseMask(wavelength=200.0, coverage=0.08, softness=0.0, invert=True)
)
# A river on a land of 6 km: first and last point, and its middle before and after it is dragged; size of a pane.
RIVER, RIVER_MIDDLE = ((900.0, 5200.0), (5300.0, 300.0)), ((2500.0, 2900.0), (3700.0, 3500.0))
RIVER_PANE, RIVER_WIDTH, LINE_RADIUS, BALL_RADIUS = (480, 300), 60.0, 9.0, 50.0
PLANET_REDUCTION = 3  # of the pictures in the panel
LOOKED_AT = 440.0  # metres from a camera that climbs to what it keeps in sight


class View(NamedTuple):
    """Where a camera stands and looks, x and y as shares of the width of a land, and how far above what it sees.

    The sun shines from a bearing in degrees, or as it does on the whole land.
    """

    stands: tuple[float, float]
    looks: tuple[float, float]
    above: float
    lens: float
    sun: float | None = None


HOODOO_VIEW = View((0.667, 0.311), (0.762, 0.396), 8.0, 46.0, sun=285.0)
GLACIER_VIEW = View((0.36, 0.42), (0.17, 0.27), 900.0, 30.0)


def preset_picture(preset: str) -> None:
    """Render a preset as it comes, with far land where the camera looks past the border."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", SIZE, SAMPLES)
    land = add_landscape(scene.collection, build_landscape(Recipe.preset(preset)))
    set_scenery(scene, land)
    hide_the_border(land, scene)
    leave_out_unseen(land, scene)
    scene.render.image_settings.file_format = "JPEG"
    scene.render.image_settings.quality = 85
    scene.render.filepath = str(FOLDER / f"{preset}.jpg")
    bpy.ops.render.render(write_still=True)


def thumbnail(preset: str) -> None:
    """Make the small picture for the panel: the middle of the large one."""
    image = bpy.data.images.load(str(FOLDER / f"{preset}.jpg"))
    width, height = image.size
    image.scale(round(THUMBNAIL * width / height), THUMBNAIL)
    pixels = np.empty(4 * image.size[0] * THUMBNAIL, np.float32)
    image.pixels.foreach_get(pixels)
    start = (image.size[0] - THUMBNAIL) // 2
    middle = pixels.reshape(THUMBNAIL, -1, 4)[::-1, start : start + THUMBNAIL, :3]
    shades = np.rint(middle * (SHADES - 1)) * (255.0 / (SHADES - 1))
    folder = PRESET_FOLDER / "thumbnails"
    folder.mkdir(exist_ok=True)
    write_png(folder / f"{preset}.png", shades.astype(np.uint8))
    bpy.data.images.remove(image)


def erosion() -> None:
    """Make one picture of lands before and after erosion: above the bare relief, below what rivers made of it.

    The last is measured land: as it is, and worn by young rivers, with the forest that grows on it then.
    """
    worn = Recipe.preset(WORN)
    young = StreamPower(age=0.1, uplift=0.2, rockiness=0.6)
    afters = [bare(Recipe.preset(name)) for name in ERODED]
    afters.append(worn.replace(erosion=(young, Deposition(), *worn.erosion)))
    width, height = PANE
    sheet = np.ones((2 * height, len(afters) * width, 4), np.float32)
    for number, after in enumerate(afters):
        water = after.water.replace(lakes=False, rivers=False)
        before = bare(after).replace(erosion=(), water=water)
        for row, recipe in enumerate((after, before)):
            pane = _pane(recipe.replace(resolution=PANE_RESOLUTION))
            sheet[row * height : (row + 1) * height, number * width : (number + 1) * width] = pane
    save_picture("erosion", sheet)


def forest() -> None:
    """Make one picture of a valley as its forest grows up, and below of a mountainside with its trees in zones.

    Beech and birch come first, and spruce in their shade outgrows them.
    """
    hills = lifted(Recipe.preset("rolling_hills", seed=2, width=900.0, depth=900.0, resolution=257), 800.0)
    pioneers = species_of("spruce", "beech", "birch", "juniper")
    panes = []
    for years in FOREST_YEARS:
        ecosystem = hills.ecosystem.replace(species=pioneers, evolution=hills.ecosystem.evolution.replace(years=years))
        panes.append(_pane(hills.replace(ecosystem=ecosystem), FOREST_PANE, climb=70.0))
    mountain = mountains(resolution=513, base_altitude=-200.0)
    zones = species_of("beech", "birch", "spruce", "pine", "juniper")
    width, height = FOREST_PANE[0] * len(panes), FOREST_PANE[1] * len(panes) // 2
    slope = _pane(mountain.replace(ecosystem=mountain.ecosystem.replace(species=zones)), (width, height))
    save_picture("forest", np.concatenate([slope, np.concatenate(panes, axis=1)], axis=0))


def _let_eevee_draw() -> None:
    """Choose Mesa's way to draw without a screen, which EEVEE needs where there is none."""
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("EGL_PLATFORM", "surfaceless")


def _pane(recipe: Recipe, size: tuple[int, int] = PANE, climb: float = 0.0) -> NDArray[np.float32]:
    """Render a recipe small, with the camera some metres higher than usual; see `_rendered`."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", size, PANE_SAMPLES)
    set_scenery(scene, add_landscape(scene.collection, build_landscape(recipe)))
    scene.camera.location.z += climb
    scene.camera.rotation_euler.x -= climb / LOOKED_AT
    return _rendered(scene)


def _rendered(scene: bpy.types.Scene) -> NDArray[np.float32]:
    """Render; RGBA from the bottom up, as Blender keeps pixels."""
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "pane.png")
        bpy.ops.render.render(write_still=True)
        return pixels_of(Path(scene.render.filepath))


def bases() -> None:
    """Make pictures of every source of relief that needs no file, from above: one of each, and a sheet of most."""
    sheet: list[NDArray[np.uint8]] = []
    for source in SOURCES:
        tiles = tiles_of(source)
        if tiles:
            write_png(FOLDER / f"bases_{source.model()}.png", in_a_row(tiles))
        sheet += tiles if source in ON_SHEET else []
    rows = [np.concatenate(sheet[first : first + ACROSS], axis=1) for first in range(0, len(sheet), ACROSS)]
    rows[-1] = np.pad(rows[-1], ((0, 0), (0, rows[0].shape[1] - rows[-1].shape[1])), constant_values=255)
    write_png(FOLDER / "bases.png", np.concatenate(rows))


def plants() -> None:
    """Make one picture of all plant forms as seen from 5 m: three variants of each, 2 m high or 1.6 m wide."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", (320, 214), SAMPLES)
    bpy.ops.mesh.primitive_plane_add(size=200.0)
    ground = bpy.data.materials.new("Ground")
    ground.use_nodes = True
    ground.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.16, 0.13, 0.09, 1.0)
    bpy.context.object.data.materials.append(ground)
    bpy.ops.object.light_add(type="SUN", rotation=(0.8, 0.1, 0.6))
    bpy.context.object.data.energy = 4.0
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.42, 0.55, 0.75, 1.0)
    bpy.ops.object.camera_add(location=(0.0, -5.0, 1.6), rotation=(1.46, 0.0, 0.0))
    scene.camera = bpy.context.object
    scene.camera.data.lens = 32.0
    tiles = []
    for form in FORMS:
        stand = [bpy.data.objects.new(form, plant_mesh(form, variant)) for variant in range(VARIANTS)]
        for place, one in enumerate(stand):
            size = min(2.0, 1.6 / max(one.dimensions[:2]))
            one.location, one.scale = (1.75 * (place - 1), 0.0, 0.0), (size, size, size)
            one.rotation_euler.z = 0.6 * place
            scene.collection.objects.link(one)
        tiles.append(_rendered(scene))
        for one in stand:
            bpy.data.objects.remove(one)
    save_picture("plants", _side_by_side(tiles, 4))


def _side_by_side(tiles: list[NDArray[np.float32]], across: int) -> NDArray[np.float32]:
    """Put pictures together row by row, the first at the top left."""
    rows = [np.concatenate(tiles[start : start + across], axis=1) for start in range(0, len(tiles), across)]
    return np.concatenate(rows[::-1], axis=0)


def presets() -> None:
    """Make the pictures of all presets."""
    for name in preset_names():
        preset_picture(name)
        thumbnail(name)
        print(f"docs/{name}.jpg", flush=True)


def planets() -> None:
    """Make one picture of all planets from space, and the small ones for the panel."""
    tiles = []
    for name in planet_preset_names():
        bpy.ops.wm.read_factory_settings(use_empty=True)
        render_settings(bpy.context.scene, "CYCLES", (PLANET_SIDE, PLANET_SIDE), PLANET_SAMPLES)
        bpy.ops.landscape.new_planet(preset=name, seed=PLANET_SEED, resolution=SPACE_RESOLUTION)
        tiles.append(_rendered(bpy.context.scene))
        # Each pixel of the small picture is the mean of a square of the large one.
        side = PLANET_SIDE // PLANET_REDUCTION
        squares = tiles[-1][::-1, :, :3].reshape(side, PLANET_REDUCTION, side, PLANET_REDUCTION, 3)
        shades = np.rint(squares.mean(axis=(1, 3)) * (SHADES - 1)) * (255.0 / (SHADES - 1))
        (PLANET_PRESETS / "thumbnails").mkdir(exist_ok=True)
        write_png(PLANET_PRESETS / "thumbnails" / f"{name}.png", shades.astype(np.uint8))
    save_picture("planets", _side_by_side(tiles, 3))


def planet_bump() -> None:
    """Make the published picture anew: a sphere, one that its heightmap displaces, and one with the rest as bump.

    All three come from one heightmap.  Few vertices carry its large shapes, the residual carries the others.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", BUMP_SIZE, PLANET_SAMPLES)
    recipe = PlanetRecipe.preset("moon", seed=PLANET_SEED, resolution=PLANET_RESOLUTION)
    planet = build_planet(recipe.replace(look=recipe.look.replace(exaggeration=BUMP_EXAGGERATION)))
    drawing = draw_planet(planet, 1.0, BUMP_MESH)
    for number, (is_displaced, has_bump) in enumerate(((False, False), (True, False), (True, True))):
        ball = add_planet(scene.collection, drawing, f"Ball {number}")
        ball.location.x = BUMP_APART * (number - 1)
        if not is_displaced:
            set_positions(ball.data, drawing.ground.directions.astype(np.float32))
        tree = ball.data.materials[0].node_tree
        surface = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
        for name in ("Base Color",) if has_bump else ("Base Color", "Normal"):
            tree.links.remove(surface.inputs[name].links[0])
        surface.inputs["Base Color"].default_value = (0.30, 0.27, 0.24, 1.0)
    set_space(scene, ball, Vector((0.0, -1.0, 0.0)), 1.0)
    # Light from far aside shows small shapes.
    sun = sun_of(scene)
    sun.matrix_basis = Vector((-0.70, -0.62, 0.35)).to_track_quat("Z", "Y").to_matrix().to_4x4()
    sun.data.energy = BUMP_SUN
    camera = scene.camera
    camera.location, camera.data.lens = (0.0, -BUMP_FAR, 0.0), BUMP_LENS
    bpy.context.view_layer.update()
    save_picture("planet_bump", _rendered(scene))


def planet_ground() -> None:
    """Make a picture of a place on a planet: its landscape, with the climate and the plants of the place."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    render_settings(bpy.context.scene, "CYCLES", SIZE, SAMPLES)
    bpy.ops.landscape.new_planet(preset="temperate", seed=PLANET_SEED, resolution=129)
    latitude, longitude, size = GROUND_PLACE
    bpy.ops.landscape.landscape_here(latitude=latitude, longitude=longitude, size=size, resolution=769)
    save_picture("planet_ground", _rendered(bpy.context.scene))


def planet_orbit() -> None:
    """Make a picture of a planet from orbit, whose mesh is fine where the camera looks."""
    save_picture("planet_orbit", _seen_planet("temperate", ORBIT_SEED, "orbit"))


def planet_desert() -> None:
    """Make a picture of a desert from orbit: a sea of sand with dunes between the scarps of plateaus."""
    save_picture("planet_desert", _seen_planet("desert", PLANET_SEED, "orbit"))


def planet_standing() -> None:
    """Make a picture of somebody standing on a planet itself, whose mesh is fine around the camera."""
    save_picture("planet_standing", _seen_planet("temperate", PLANET_SEED, "ground"))


def _seen_planet(preset: str, seed: int, view: str) -> NDArray[np.float32]:
    """Render a view of a planet."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    render_settings(bpy.context.scene, "CYCLES", SIZE, SAMPLES)
    bpy.ops.landscape.new_planet(preset=preset, seed=seed, resolution=SPACE_RESOLUTION)
    bpy.ops.landscape.view_planet(view=view)
    return _rendered(bpy.context.scene)


def roads() -> None:
    """Render a road that found its way over hills: a bridge over a valley, and beyond it a cut."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", SIZE, SAMPLES)
    road = Road(points=ROAD_STOPS, steepest_grade=8.0)
    recipe = Recipe.preset(
        "rolling_hills", width=ROAD_LAND, depth=ROAD_LAND, resolution=513, seed=ROAD_SEED, features=(road,)
    )
    land = build_landscape(recipe)
    set_scenery(scene, add_landscape(scene.collection, land))
    course = land.roads[0]
    bridge = max(course.bridges, key=lambda one: one.end - one.begin)
    middle = 0.5 * (bridge.begin + bridge.end)
    line = (course.line.x - 0.5 * ROAD_LAND, course.line.y - 0.5 * ROAD_LAND, course.line.height)
    here, beyond = (Vector([np.interp(at, course.line.along, axis) for axis in line]) for at in (middle, middle + 5.0))
    ahead = Vector((beyond.x - here.x, beyond.y - here.y, 0.0)).normalized()
    left = Vector((-ahead.y, ahead.x, 0.0))
    after, beside, above = ROAD_VIEW
    scene.camera.location = here + after * ahead + beside * left + Vector((0.0, 0.0, above))
    scene.camera.rotation_euler = (here - scene.camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.camera.data.lens = 30.0
    save_picture("roads", _rendered(scene))


def painted_forest() -> None:
    """Render a forest that was painted: a winding band with clearings; no plants were painted everywhere else."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", SIZE, SAMPLES)
    bpy.ops.landscape.generate(preset="rolling_hills", seed=5, resolution=FOREST_RESOLUTION)
    land = bpy.context.active_object
    bpy.ops.landscape.apply_biome(biome="temperate")
    bpy.ops.landscape.paint(purpose="NO_PLANTS")
    bpy.ops.object.mode_set(mode="OBJECT")
    x, y, _ = read_positions(land.data).T / (0.5 * land.landscape.recipe.width)
    band = np.abs(y - 0.35 * np.sin(3.0 * x + 0.6)) < 0.22 + 0.06 * np.sin(9.0 * x)
    clearings = (np.hypot(x + 0.35, y + 0.05) < 0.09) | (np.hypot(x - 0.45, y - 0.42) < 0.07)
    group = land.vertex_groups.active
    for where, weight in ((band & ~clearings, 0.0), (~band | clearings, 1.0)):
        group.add(np.flatnonzero(where).tolist(), weight, "REPLACE")
    bpy.ops.landscape.update()
    scene.camera.location = FOREST_VIEW
    scene.camera.rotation_euler = (Vector(FOREST_SEEN) - scene.camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.camera.data.lens = 40.0
    save_picture("painted_forest", _rendered(scene))


def climate() -> None:
    """Make one picture of the climate of a land, seen from above under west wind.

    Above rain, temperature and days with snow, each dark where it is low; below moisture, and a forest that needs 1000
    mm of rain, first where no climate is known and then where it is.
    """
    recipe = Recipe.preset("alpine", resolution=CLIMATE_PANE)
    dry_slopes_bare = ((0.0, 0.0), (600.0, 0.0), (1000.0, 1.0), (5000.0, 1.0))
    species = tuple(one.replace(rain_response=dry_slopes_bare) for one in recipe.ecosystem.species)
    usual = recipe.replace(ecosystem=recipe.ecosystem.replace(species=species), climate=Climate())
    lands = [build_landscape(one) for one in (usual, usual.replace(climate=Climate(enabled=True, rain=900.0)))]
    light = lands[1].maps["illumination"][..., np.newaxis]
    light = 0.35 + 0.65 * light / light.max()
    shown = add_landscape(bpy.context.scene.collection, lands[1])
    panes = []
    for name in CLIMATE_MAPS:
        show_map(shown, name)
        colours = np.empty(4 * CLIMATE_PANE**2, np.float32)
        shown.data.color_attributes[MAP_COLOURS].data.foreach_get("color", colours)
        panes.append(light * colours.reshape(CLIMATE_PANE, CLIMATE_PANE, 4)[..., :3] ** (1.0 / 2.2))
    for land in lands:
        ground = light * np.array((0.80, 0.76, 0.68))
        row, column = (np.rint(one / recipe.cell_size).astype(int) for one in (land.plants.y, land.plants.x))
        ground[row, column] *= (0.35, 0.50, 0.30)
        panes.append(ground)
    opaque = [np.dstack((pane, np.ones(pane.shape[:2]))).astype(np.float32) for pane in panes]
    save_picture("climate", _side_by_side(opaque, 3))


def featured() -> None:
    """Put four pictures of presets together to the image of the extension site: 1920 × 1080, at most 300 KB."""
    panes = []
    for name in FEATURED:
        image = bpy.data.images.load(str(FOLDER / f"{name}.jpg"))
        image.scale(*FEATURED_PANE)
        pixels = np.empty((image.size[1], image.size[0], 4), np.float32)
        image.pixels.foreach_get(pixels.ravel())
        panes.append(pixels)
    save_picture("featured", _side_by_side(panes, 2), FEATURED_QUALITY)


def winter() -> None:
    """Make one picture of the alpine preset in January, in April and in July."""
    recipe = Recipe.preset("alpine", resolution=PANE_RESOLUTION)
    panes = []
    for day in WINTER_DAYS:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = bpy.context.scene
        render_settings(scene, "CYCLES", WINTER_PANE, WINTER_SAMPLES)
        snowy = recipe.replace(winter=recipe.winter.replace(enabled=True, day_of_year=day))
        set_scenery(scene, add_landscape(scene.collection, build_landscape(snowy)))
        panes.append(_rendered(scene))
    save_picture("winter", _side_by_side(panes, len(panes)))


def ice() -> None:
    """Make one picture of mountains that rivers made, of the same after a glacial age, and after the sea has risen."""
    plain = bare(Recipe.preset("alpine", seed=ICE_SEED, width=ICE_LAND, depth=ICE_LAND, resolution=ICE_PANE))
    (layer,) = plain.relief.layers
    source = layer.source.replace(wavelength=9000.0, height=6500.0, base_altitude=-700.0, gain=0.42)
    rivers, *later = plain.erosion
    rivers = rivers.replace(rockiness=0.3, strata=type(rivers.strata)())
    before = plain.replace(
        relief=plain.relief.replace(layers=(layer.replace(source=source),)), erosion=(rivers, *later)
    )
    glaciers = Glaciation(equilibrium_line_altitude=ICE_LINE, years=ICE_YEARS)
    after = before.replace(erosion=(rivers, glaciers, *later))
    first, last = build(before), build(after)
    sea = after.water.replace(sea=True, sea_level=ICE_SEA)
    panes = [seen_from_above(first, before.water), seen_from_above(last, after.water), seen_from_above(last, sea)]
    save_picture("ice", _side_by_side(panes, len(panes)))


def cliffs() -> None:
    """Make one picture of a land as young rivers cut it, and after its cliffs have retreated, from one place."""
    after = bare(Recipe.preset(CLIFFS))
    before = after.replace(erosion=tuple(one for one in after.erosion if not isinstance(one, CliffRetreat)))
    save_picture("cliffs", _before_and_after(before, after))


def hoodoos() -> None:
    """Make one picture of badlands below hard beds, without and with columns that pieces of the beds have kept."""
    land = bare(Recipe.preset("badlands"))
    rivers, drops, weathering = land.erosion
    beds = CliffRetreat(**HOODOO_BEDS)
    lands = [land.replace(erosion=(rivers, beds.replace(hoodoos=share), drops, weathering)) for share in (0.0, 1.0)]
    save_picture("hoodoos", _before_and_after(*lands, HOODOO_VIEW))


def glaciers() -> None:
    """Make one picture of a land without and with the glaciers of today."""
    land = bare(Recipe.preset("alpine", seed=GLACIER_SEED, resolution=GLACIER_SAMPLES))
    today = land.glaciers.replace(enabled=True, equilibrium_line_altitude=GLACIER_LINE)
    save_picture("glaciers", _before_and_after(land, land.replace(glaciers=today), GLACIER_VIEW))


def sand() -> None:
    """Make one picture of a desert before the wind has blown, and after."""
    after = bare(Recipe.preset("dunes", resolution=SAND_SAMPLES))
    before = after.replace(
        erosion=tuple(one.replace(years=0.0) if isinstance(one, Sand) else one for one in after.erosion)
    )
    save_picture("sand", _before_and_after(before, after))
    save_picture("parabolic_dunes", _parabolic_dunes())


def _parabolic_dunes() -> NDArray[np.float32]:
    """Return level sand with plants and bare patches after some years of wind, from above."""
    plain = bare(
        Recipe.preset("dunes", width=PARABOLIC_SIZE, depth=PARABOLIC_SIZE, resolution=PARABOLIC_SAMPLES, seed=8)
    )
    (layer,) = plain.relief.layers
    level = plain.relief.replace(layers=(layer.replace(source=layer.source.replace(height=0.0)),))
    lands = [
        build(plain.replace(relief=level, erosion=(PARABOLIC_SAND.replace(years=years),)), extent="terrain")
        for years in PARABOLIC_YEARS
    ]
    tiles = [
        np.pad(seen_from_above(land, plain.water), ((0, 0), (3, 3), (0, 0)), constant_values=1.0) for land in lands
    ]
    return _side_by_side(tiles, len(tiles))


def _before_and_after(before: Recipe, after: Recipe, view: View | None = None) -> NDArray[np.float32]:
    """Render two lands from one place, in one light: from a view, or from where the camera stands on the second."""
    panes: list[NDArray[np.float32]] = []
    seen_from, lens, light = None, 0.0, None
    for recipe in (after, before):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = bpy.context.scene
        render_settings(scene, "CYCLES", RIVER_PANE, PANE_SAMPLES)
        landscape = build_landscape(recipe)
        set_scenery(scene, add_landscape(scene.collection, landscape))
        camera, sun = scene.camera, next(one for one in scene.objects if one.type == "LIGHT")
        if view is not None and view.sun is not None:
            scene.landscape_daylight.direction = math.radians(view.sun)
        if seen_from is None:
            if view is not None:
                _look(camera, landscape, view)
            bpy.context.view_layer.update()
            seen_from, lens, light = camera.matrix_world.copy(), camera.data.lens, sun.matrix_world.copy()
        camera.matrix_world, camera.data.lens, sun.matrix_world = seen_from, lens, light
        panes.append(_rendered(scene))
    return _side_by_side(panes[::-1], len(panes))


def _look(camera: bpy.types.Object, landscape: Landscape, view: View) -> None:
    """Turn a camera towards a place on a land."""
    surface, width = landscape.terrain.surface, landscape.recipe.width
    column, row = (round(share * (surface.shape[0] - 1)) for share in view.looks)
    height = float(surface[row, column])
    stands, looks = (Vector((width * (x - 0.5), width * (y - 0.5), height)) for x, y in (view.stands, view.looks))
    stands.z += view.above
    camera.location = stands
    camera.rotation_euler = (looks - stands).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = view.lens


def realism() -> None:
    """Write the table of classes of land into the page about realism."""
    write_class_table(FOLDER / "realism.md")


def wandering_rivers() -> None:
    """Make one picture of a plain, and of the same after its rivers have wandered."""
    plain = bare(Recipe.preset("plains", width=RIVER_LAND, depth=RIVER_LAND, resolution=RIVER_SAMPLES))
    erosion = tuple(one for one in plain.erosion if not isinstance(one, WanderingRivers))
    lands = [plain.replace(erosion=one) for one in (erosion, (*erosion, WanderingRivers(years=RIVER_YEARS)))]
    panes = [_mapped(build(land)) for land in lands]
    save_picture("wandering_rivers", _side_by_side(panes, len(panes)))


def _mapped(landscape: Landscape) -> NDArray[np.float32]:
    """Return a land from above at half its resolution: steep, greener where it is humid, with its water."""
    terrain, waters, rivers = landscape.terrain, landscape.waters, landscape.waters.rivers
    light = light_from_north_west(RIVER_STEEPER * terrain.surface.astype(np.float64), terrain.cell_size)
    green = landscape.maps["humidity"][..., np.newaxis].astype(np.float64) ** 2
    colours = (1.0 - green) * np.array((0.86, 0.80, 0.58)) + green * np.array((0.42, 0.58, 0.32))
    colours *= (0.15 + 1.05 * light)[..., np.newaxis]
    wet = np.full(terrain.surface.shape, -1.0, np.float32)
    lines = np.column_stack((rivers.points[:, :2], rivers.width)).astype(np.float64)
    stamp_years(lines, rivers.first.astype(np.int64), np.zeros(len(rivers), np.float32), terrain.cell_size, wet)
    colours[(wet >= 0.0) | (waters.water_depth > 0.0)] = np.array(WATER_COLOUR)
    whole = np.clip(colours[:-1, :-1], 0.0, 1.0)
    half = 0.25 * (whole[::2, ::2] + whole[1::2, ::2] + whole[::2, 1::2] + whole[1::2, 1::2])
    return np.dstack((half, np.ones(half.shape[:2]))).astype(np.float32)


def picture() -> None:
    """Render the set of test pictures, and write the table of what is measured of them."""
    _let_eevee_draw()
    write_picture_table(FOLDER / "picture.md")


def sliders() -> None:
    """Make the pages of relief and erosion for artists, and their pictures."""
    write_page(FOLDER / "erosion_for_artists.md", save_picture)
    write_relief_page(FOLDER / "relief_for_artists.md", save_picture)


def films() -> None:
    """Make the short films of the gallery."""
    make_films(FOLDER)


def tutorial() -> None:
    """Make the file of the tutorial; the oldest Blender does it, so that all can read it."""
    if bpy.app.version < (4, 3):
        make_tutorial_file(FOLDER / "examples")


def window() -> None:
    """Make the pictures of the window for the tutorial."""
    make_window_pictures()


def dragged_river() -> None:
    """Make one picture of a land, a river that is drawn on it, a point that is dragged, and the land at rest."""
    plain = bare(mountains(resolution=513, base_altitude=300.0))
    drawn, moved = (
        plain.replace(features=(River(points=(RIVER[0], middle, RIVER[1]), width=RIVER_WIDTH),))
        for middle in RIVER_MIDDLE
    )
    cache = Cache()
    lands = [build(recipe, cache=cache) for recipe in (plain, drawn, moved)]
    look = run(quick_steps(moved, before=drawn.features, inputs={}, cache=cache))
    panes = [
        _seen_from_above(lands[0]),
        _seen_from_above(lands[1], drawn.features),
        _seen_from_above(lands[1], moved.features, look),
        _seen_from_above(lands[2]),
    ]
    save_picture(
        "dragged_river", np.concatenate([np.concatenate(panes[row : row + 2], axis=1) for row in (2, 0)], axis=0)
    )


def _seen_from_above(
    landscape: Landscape, features: tuple[River, ...] = (), look: Landscape | None = None
) -> NDArray[np.float32]:
    """Render a land from high above the south, with lines that are drawn on it; its ground is that of a quick look."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", RIVER_PANE, PANE_SAMPLES)
    land = add_landscape(scene.collection, landscape)
    terrain = landscape.terrain if look is None else look.terrain
    if look is not None:
        show_surface(land, terrain.surface, landscape.recipe.grid)
        set_water(land, make_water_mesh(terrain, find_water(terrain.surface, terrain.cell_size, look.recipe.water)))
    for feature in features:
        _show_line(scene, feature, terrain)
    middle, width = float(terrain.surface.mean()), landscape.recipe.width
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 4.0, (0.7, 0.0, 0.9)
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.camera.location = (0.0, -0.85 * width, middle + 0.95 * width)
    target = Vector((0.0, -0.04 * width, middle))
    scene.camera.rotation_euler = (target - scene.camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.camera.data.lens, scene.camera.data.clip_end = 42.0, 10.0 * width
    for one in (sun, scene.camera):
        scene.collection.objects.link(one)
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.3, 0.36, 0.45, 1.0)
    return _rendered(scene)


def _show_line(scene: bpy.types.Scene, feature: River, terrain: Terrain) -> None:
    """Lay an orange tube along a line and balls at its points, as the view shows a curve in Edit Mode."""
    paint = bpy.data.materials.new("Line")
    paint.use_nodes = True
    paint.node_tree.nodes.clear()
    glow, out = (paint.node_tree.nodes.new(f"ShaderNode{kind}") for kind in ("Emission", "OutputMaterial"))
    glow.inputs["Color"].default_value = (1.0, 0.25, 0.02, 1.0)
    paint.node_tree.links.new(glow.outputs[0], out.inputs[0])
    half = 0.5 * terrain.cell_size * (terrain.surface.shape[1] - 1)
    line = smooth_line(feature.points, terrain.cell_size)
    heights = sample(terrain.surface, terrain.cell_size, line.x, line.y)
    curve = bpy.data.curves.new("Line", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", LINE_RADIUS
    spline = curve.splines.new("POLY")
    spline.points.add(len(line.x) - 1)
    for point, x, y, z in zip(spline.points, line.x - half, line.y - half, heights + 30.0):
        point.co = (x, y, z, 1.0)
    curve.materials.append(paint)
    scene.collection.objects.link(bpy.data.objects.new("Line", curve))
    for x, y in feature.points:
        place = int(np.argmin((line.x - x) ** 2 + (line.y - y) ** 2))
        bpy.ops.mesh.primitive_uv_sphere_add(radius=BALL_RADIUS, location=(x - half, y - half, heights[place] + 30.0))
        bpy.context.object.data.materials.append(paint)


def house() -> None:
    """Draw the floors of core and the wings of blender."""
    for folder in ("core", "blender"):
        (FOLDER / f"house_{folder}.svg").write_text(draw(f"terrain_addon/{folder}"), encoding="utf-8")


def parameters() -> None:
    """Make the tables of all parameters."""
    (FOLDER / "parameters.md").write_text(parameter_table(), encoding="utf-8")


def models() -> None:
    """Make the pages of models."""
    write_models(FOLDER)


def operators() -> None:
    """Write what every operator does."""
    (FOLDER / "operators.md").write_text(operator_table(), encoding="utf-8")


def operator_table() -> str:
    """Return Markdown with a heading for every operator, in the order of their names."""
    known = [cls for cls in CLASSES if issubclass(cls, bpy.types.Operator)]
    labels = {cls.bl_idname.partition(".")[2]: cls.bl_label for cls in known}
    lines = ["# Operators", "", _ABOUT_OPERATORS, "", *button_table(labels)]
    for cls in sorted(known, key=lambda cls: cls.bl_idname):
        name = cls.bl_idname.partition(".")[2]
        page = OPERATOR_PAGES.get(cls.__module__.rpartition(".")[2])
        more = f". More in [{_title(page)}]({page}.md)." if page else "."
        tooltip = " ".join((cls.__doc__ or "").split()).rstrip(".")
        lines += ["", f"## {name}", "", f"**{cls.bl_label}**: {tooltip}{more}"]
        declared = getattr(cls, "__annotations__", {}).values()
        choices = [found.keywords for found in declared if hasattr(found, "keywords")]
        shown = [one for one in choices if one.get("description") and "HIDDEN" not in one.get("options", ())]
        lines += ["", *(f"* {one['name']}: {one['description']}" for one in shown)] if shown else []
    return "\n".join(lines) + "\n"


def _title(page: str) -> str:
    """Return the first heading of a page in docs/."""
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def godot() -> None:
    """Make the pictures of a package in Godot; without a Godot that draws the old ones stay."""
    make_engine_pictures()


_ALL = (
    parameters,
    models,
    operators,
    house,
    bases,
    plants,
    erosion,
    forest,
    presets,
    featured,
    planets,
    planet_bump,
    planet_ground,
    planet_desert,
    planet_orbit,
    planet_standing,
    roads,
    painted_forest,
    climate,
    winter,
    ice,
    cliffs,
    hoodoos,
    glaciers,
    sand,
    realism,
    wandering_rivers,
    picture,
    sliders,
    films,
    tutorial,
    dragged_river,
    window,
    godot,
)
PARTS = {part.__name__: part for part in _ALL}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    chosen = parser.parse_args().parts or PARTS
    unknown = sorted(set(chosen) - set(PARTS))
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}, only {', '.join(PARTS)}")
    terrain_addon.register()
    for name in chosen:
        PARTS[name]()
    sys.stdout.flush()
    os._exit(0)  # Some versions of Blender as a module hang or crash at Python's own ending.
