"""What the land looks like: rendered, not only wired."""

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon.blender import compat
from terrain_addon.blender.data.attributes import (
    CROWN_COVER,
    DEPTH_OF_WATER,
    DETAIL,
    SNOW_COVER,
    WATER_KIND,
    set_attribute,
    set_vectors,
)
from terrain_addon.blender.data.meshes import new_land_mesh
from terrain_addon.blender.look import ground_material
from terrain_addon.blender.look.canopy import show_canopy
from terrain_addon.blender.look.ground_site import RIVER_AS_A_CELL, SEA, VENT
from terrain_addon.blender.look.water_material import water_material
from terrain_addon.core.building.recipe import Appearance
from terrain_addon.core.foundation.terrain import Field, Terrain
from terrain_addon.core.maps.colour import RAMPS, ramp_colour

SIDE = 17
CELL = 20.0
LIGHT = np.pi  # W/m²: a white plane below it is 1


def map_of(value: float) -> Field:
    return np.full((SIDE, SIDE), value, np.float32)


@pytest.fixture(scope="module", autouse=True)
def without_what_others_left() -> None:
    """Nothing in the file is from other tests."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def empty_the_file() -> None:
    """Leave the groups of nodes alone in the file: to make those of the ground takes six times as long as a picture."""
    if not bpy.data.node_groups:
        bpy.ops.wm.read_factory_settings(use_empty=True)
    kinds = ("objects", "meshes", "materials", "cameras", "lights", "images", "textures")
    bpy.data.batch_remove([one for kind in kinds for one in getattr(bpy.data, kind)])


@pytest.fixture
def render(tmp_path: Path) -> Callable[..., np.ndarray]:
    """Render a land from above; linear colour, row 0 south.

    The sun is at the zenith; for 24 m of ground from near it is low in the west.
    """

    def take(
        look: Appearance,
        heights: Field,
        maps: dict[str, float] | None = None,
        *,
        near: bool = False,
        rise: float = 0.0,
        dress: Callable[[Appearance], bpy.types.Material] = ground_material.land_material,
    ) -> np.ndarray:
        empty_the_file()
        scene = bpy.context.scene
        land = bpy.data.objects.new("Land", new_land_mesh("Land", Terrain(heights, np.zeros_like(heights), CELL)))
        for name, value in (maps or {}).items():
            set_attribute(land.data, name, map_of(value))
        set_vectors(land.data, DETAIL, np.tile(np.float32([rise, 0.0, 0.0]), (SIDE * SIDE, 1)))
        land.data.materials.append(dress(look))
        camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        camera.data.type, camera.data.ortho_scale, camera.data.clip_end = "ORTHO", CELL * (SIDE - 1), 1e5
        camera.location.z = 20000.0
        sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
        sun.data.energy, sun.data.angle = LIGHT, 0.0
        if near:
            camera.data.ortho_scale, camera.location.z = 24.0, float(heights.max()) + 40.0
            sun.rotation_euler.y = -1.1
        for thing in (land, camera, sun):
            scene.collection.objects.link(thing)
        scene.camera = camera
        settings = scene.render
        settings.engine, settings.resolution_x, settings.resolution_y = "CYCLES", 24, 24
        # Things near the camera are finer than a pixel: with 4 samples, noise is a sixth of what ripples show.
        scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.max_bounces = 16 if near else 4, False, 0
        scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BOX", 1.0
        scene.view_settings.view_transform = "Raw"
        settings.filepath = str(tmp_path / "shot.exr")
        settings.image_settings.file_format, settings.image_settings.color_depth = "OPEN_EXR", "32"
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(settings.filepath)
        image.colorspace_settings.name = "Non-Color"
        pixels = np.empty(24 * 24 * image.channels, np.float32)
        image.pixels.foreach_get(pixels)
        return pixels.reshape(24, 24, -1)[..., :3]

    return take


MEADOW = {"slope": 10.0, "sediment": 1.0, "humidity": 0.2, "illumination": 0.6}
TYPICAL = {
    # what lies there: its maps, the altitude, and which colour of a new material it comes nearest to
    "rock": ({**MEADOW, "slope": 65.0, "sediment": 0.0}, 2000.0),
    "scree": ({**MEADOW, "slope": 35.0, "humidity": 0.1}, 2200.0),
    "soil": ({**MEADOW, "humidity": 0.0}, 1500.0),
    "grass": ({**MEADOW, "humidity": 0.7}, 1750.0),
    "dry_grass": ({**MEADOW, "humidity": 0.15}, 1000.0),
    "forest_floor": ({**MEADOW, "humidity": 0.7, CROWN_COVER: 0.8}, 500.0),
    "sand": ({**MEADOW, "slope": 0.0, "wet_ground": 0.75, "humidity": 0.3}, 500.0),
    "snow": (MEADOW, 3500.0),
}


@pytest.mark.parametrize("cover", TYPICAL)
def test_ground_looks_like_what_lies_there(render: Callable[..., np.ndarray], cover: str) -> None:
    maps, altitude = TYPICAL[cover]
    look = Appearance(snow_line=3000.0, tree_line=1700.0)
    # The maps decide, not the mesh, which is level.
    seen = render(look, map_of(altitude), maps).mean(axis=(0, 1))
    assert np.isfinite(seen).all()

    def likeness(name: str) -> float:
        wanted = np.array(ground_material.GROUND_COLOURS[name])
        return float(np.linalg.norm(np.log(seen + 0.01) - np.log(wanted + 0.01)))

    assert min(TYPICAL, key=likeness) == cover


def test_land_where_nothing_grows_is_sand(render: Callable[..., np.ndarray]) -> None:
    def at(vegetation: float) -> np.ndarray:
        look = Appearance(snow_line=3000.0, vegetation=vegetation)
        return render(look, map_of(900.0), {**MEADOW, "humidity": 0.0}).mean(axis=(0, 1))

    soil, sand = (np.array(ground_material.GROUND_COLOURS[name]) for name in ("soil", "sand"))
    # Both are mottled and a little dark in hollows; how light they are beside one another stays.
    assert at(0.0) / at(0.1) == pytest.approx(sand / soil, rel=0.1)


@pytest.mark.once
def test_snow_comes_with_winter_and_autumn_is_russet(render: Callable[..., np.ndarray]) -> None:
    def at(season: float, altitude: float) -> np.ndarray:
        look = Appearance(snow_line=2000.0, tree_line=1700.0, season=season)
        return render(look, map_of(altitude), MEADOW).mean(axis=(0, 1))

    assert at(7.0, 1500.0).max() < 0.25 and at(1.0, 1500.0).min() > 0.5
    assert at(1.0, 300.0).max() < 0.25
    summer, autumn = at(7.0, 900.0), at(9.8, 900.0)
    assert autumn[0] / autumn[1] > 1.2 * summer[0] / summer[1]


@pytest.mark.parametrize("colouring", ["published_ramp", "hypsometric"])
def test_ramps_show_the_colours_of_core(render: Callable[..., np.ndarray], colouring: str) -> None:
    # A slope from west to east, lit as it lies.
    x = np.linspace(0.0, 1.0, SIDE, dtype=np.float32)
    rise = 3.0 if colouring == "published_ramp" else 900.0
    heights = np.ascontiguousarray(np.broadcast_to(rise * x, (SIDE, SIDE)))
    seen = render(Appearance(colouring=colouring, snow_line=-9000.0), heights, MEADOW)[12]
    seen *= np.hypot(1.0, rise / (CELL * (SIDE - 1)))
    ramp = "terrain" if colouring == "published_ramp" else "hypsometric"
    # A pixel shows the mean of the colours in it.
    places = ((np.arange(24 * 16, dtype=np.float32) + 0.5) / (24 * 16) * rise)[np.newaxis]
    # The range of the ramp is that of the land, which the middles of the pixels do not reach.
    ends = np.array([[0.0, rise]], np.float32)
    colours = ramp_colour(np.concatenate((places, ends), axis=1), ramp)[0, : 24 * 16]
    expected = colours.reshape(24, 16, 3).mean(axis=1)
    np.testing.assert_allclose(seen, expected, atol=0.025)
    if ramp == "terrain":
        assert np.ptp(seen, axis=0).min() > 0.5
    assert len(RAMPS[ramp]) >= 6


def test_bump_fades_with_distance_and_is_absent_under_ramps(render: Callable[..., np.ndarray]) -> None:
    maps = {**MEADOW, "slope": 65.0, "sediment": 0.0}
    contrast = {
        colouring: render(Appearance(colouring=colouring, snow_line=9000.0), map_of(100.0), maps).std(axis=(0, 1)).max()
        for colouring in ("physical", "hypsometric")
    }
    assert contrast["hypsometric"] < 1e-3 < contrast["physical"]


@pytest.mark.once
def test_ripples_in_sand_lie_across_the_wind(render: Callable[..., np.ndarray]) -> None:
    def stripes(vegetation: float, slope: float, curvature: float = 0.0) -> float:
        maps = {**MEADOW, "slope": slope, "humidity": 0.0, "curvature": curvature}
        rough, smooth = (
            render(Appearance(snow_line=9000.0, vegetation=vegetation, detail=detail), map_of(100.0), maps, near=True)[
                ..., 0
            ]
            for detail in (1.0, 0.0)
        )
        # Light without colours.  The wind blows from the west: means from south to north keep ripples, not humps.
        light = rough / smooth
        return float(light.mean(axis=0).std() / light.mean(axis=1).std())

    assert stripes(vegetation=0.0, slope=0.0) > 12.0
    # Plants keep the wind off, and nothing lies on a slip face.
    assert stripes(vegetation=1.0, slope=0.0) < 3.0
    assert stripes(vegetation=0.0, slope=40.0) < 3.0
    # On a brink they would be teeth; on a broad crest of 500 m radius they lie.
    assert stripes(vegetation=0.0, slope=0.0, curvature=0.05) < 3.0
    assert stripes(vegetation=0.0, slope=0.0, curvature=0.002) > 12.0


def test_detail_of_the_vertices_leans_the_ground(render: Callable[..., np.ndarray]) -> None:
    def light(detail: float, rise: float) -> float:
        return float(
            render(Appearance(snow_line=-9000.0, detail=detail), map_of(0.0), {"slope": 0.0}, rise=rise).mean()
        )

    level = light(1.0, 0.0)
    # Snow as level as this is even; a rise of 1 is 45°.
    assert light(1.0, 1.0) / level == pytest.approx(np.sqrt(0.5), rel=0.03)
    assert light(0.0, 1.0) / level == pytest.approx(1.0, rel=0.03)


def test_the_sea_foams_along_its_shore(render: Callable[..., np.ndarray]) -> None:
    def light(kind: float, depth: float) -> float:
        maps = {WATER_KIND: kind, DEPTH_OF_WATER: depth}
        return float(render(Appearance(), map_of(0.0), maps, near=True, dress=lambda _: water_material()).mean())

    assert light(0.0, 0.0) > 3.0 * max(light(0.0, 5.0), light(1.0, 0.0))


def test_steps_of_rivers_are_lit_as_level_water_is(render: Callable[..., np.ndarray]) -> None:
    # Low sun along the slope: on the mesh itself it makes a step of 11° much lighter or darker.
    step = 0.2 * CELL * np.tile(np.arange(SIDE, dtype=np.float32), (SIDE, 1))

    def light(kind: float, heights: Field) -> float:
        maps = {WATER_KIND: kind, DEPTH_OF_WATER: 5.0}
        return float(render(Appearance(), heights, maps, near=True, dress=lambda _: water_material()).mean())

    river, lake = (light(kind, step) / light(kind, map_of(0.0)) for kind in (2.0, 1.0))
    assert abs(lake - 1.0) > 0.25 and river == pytest.approx(1.0, abs=0.1)


def test_clear_shallows_are_turquoise_and_cloudy_ones_hide_their_ground(render: Callable[..., np.ndarray]) -> None:
    def bed(depth: float, clarity: float) -> np.ndarray:
        maps = {**MEADOW, "slope": 0.0, "wet_ground": 1.0, "water_depth": depth}
        return render(Appearance(water_clarity=clarity), map_of(-depth), maps).mean(axis=(0, 1))

    dry, shallow, deep, cloudy = bed(0.0, 30.0), bed(6.0, 30.0), bed(80.0, 30.0), bed(6.0, 2.0)
    assert shallow[1] > 3.0 * shallow[0] and shallow[1] > 2.0 * deep[1] and dry[0] > dry[2]
    assert deep[2] > deep[1] > deep[0]
    # Where one sees 2 m down, no light comes back from 6 m, and algae leave green.
    assert cloudy[1] > cloudy[2] and np.abs(cloudy - bed(30.0, 2.0)).max() < 0.1 * cloudy.max()
    # Silt throws light back, most of it red: a river in flood is brown and brighter than a green one.
    silty = bed(6.0, 0.2)
    assert silty[0] > 1.2 * silty[1] > 1.4 * silty[2] and silty.mean() > 2.0 * cloudy.mean()


@pytest.mark.once
@pytest.mark.parametrize(("drainage", "has_banks"), [(3e5, False), (3e8, True), (100.0, True)])
def test_rivers_narrower_than_a_cell_have_no_banks(
    render: Callable[..., np.ndarray], drainage: float, has_banks: bool
) -> None:
    """They would be a row of pale spots, as wide as cells; shores, to which little drains, keep theirs."""

    def seen(wet: float) -> np.ndarray:
        def dressed(look: Appearance) -> bpy.types.Material:
            bpy.data.objects["Land"][RIVER_AS_A_CELL] = 6.5
            return ground_material.land_material(look)

        maps = {**MEADOW, "slope": 0.0, "drainage": drainage, "wet_ground": wet}
        return render(Appearance(snow_line=3000.0), map_of(500.0), maps, dress=dressed).mean(axis=(0, 1))

    change = float(np.abs(np.log(seen(0.75) / seen(0.0))).max())
    assert change > 0.2 if has_banks else change < 0.01


def test_waves_wet_a_steep_shore_of_the_sea_and_nothing_else(render: Callable[..., np.ndarray]) -> None:
    def light(altitude: float, slope: float, sea: tuple[float, float, float]) -> float:
        def dressed(look: Appearance) -> bpy.types.Material:
            bpy.data.objects["Land"][SEA] = sea
            return ground_material.land_material(look)

        maps = {**MEADOW, "slope": slope, "humidity": 0.0}
        return float(render(Appearance(snow_line=3000.0), map_of(altitude), maps, dress=dressed).mean())

    sea, none = (100.0, 1.0, 0.0), (0.0, 0.0, 0.0)
    assert light(100.5, 45.0, sea) < 0.75 * light(100.5, 45.0, none)
    for altitude, slope in ((115.0, 45.0), (80.0, 45.0), (100.5, 3.0)):
        assert light(altitude, slope, sea) == pytest.approx(light(altitude, slope, none), rel=0.02)


def test_maps_that_are_missing_leave_a_land_without_water(render: Callable[..., np.ndarray]) -> None:
    seen = render(Appearance(snow_line=3000.0), map_of(100.0)).mean(axis=(0, 1))
    assert np.isfinite(seen).all() and seen.min() > 0.02
    sand = np.array(ground_material.GROUND_COLOURS["sand"])
    assert np.linalg.norm(seen - sand) > 0.1


def test_dark_rock_is_a_volcano_and_lies_under_ash(render: Callable[..., np.ndarray]) -> None:
    def at(stone: str, altitude: float, humidity: float = 0.0) -> np.ndarray:
        look = Appearance(snow_line=4000.0, tree_line=1700.0, stone=stone)
        return render(look, map_of(altitude), {**MEADOW, "humidity": humidity}).mean(axis=(0, 1))

    ash = at("dark", 2600.0)
    assert ash.max() < 0.5 * at("grey", 2600.0).max()
    assert ash.max() / ash.min() < 1.3, "ash has little colour"
    # Lava in the gullies is darker than all around it.
    assert at("dark", 2600.0, humidity=0.9).max() < 0.6 * ash.min()


def test_snow_melts_on_the_hot_ground_of_a_crater(render: Callable[..., np.ndarray]) -> None:
    def seen(crater_radius: float) -> np.ndarray:
        def dressed(look: Appearance) -> bpy.types.Material:
            bpy.data.objects["Land"][VENT] = (0.0, 0.0, crater_radius)
            return ground_material.land_material(look)

        look = Appearance(snow_line=2000.0, tree_line=1700.0, stone="dark")
        return render(look, map_of(2600.0), MEADOW, dress=dressed).mean(axis=(0, 1))

    snow, hot = seen(0.0), seen(1e5)
    assert snow.min() > 0.5 and hot.max() < 0.6 * snow.min()
    # Rust and sulphur.
    assert hot[0] > 1.3 * hot[2]


def test_clay_lies_in_beds_of_different_hues(render: Callable[..., np.ndarray]) -> None:
    def hues(stone: str) -> np.ndarray:
        bare = {**MEADOW, "slope": 20.0, "humidity": 0.0}
        look = Appearance(stone=stone, vegetation=0.1, snow_line=4000.0)
        slope = np.linspace(600.0, 660.0, SIDE, dtype=np.float32)[:, None].repeat(SIDE, axis=1)
        seen = render(look, slope, bare).mean(axis=1)
        return seen[:, 0] / seen[:, 2]

    assert np.ptp(hues("banded")) > 2.0 * np.ptp(hues("grey"))


def test_snow_ends_in_thin_snow_and_wet_ground(render: Callable[..., np.ndarray]) -> None:
    def light(altitude: float) -> np.ndarray:
        return render(Appearance(snow_line=3000.0), map_of(altitude), MEADOW).mean(axis=2)

    edge, bare = light(3080.0), light(2300.0)
    assert edge.min() < 0.8 * bare.mean(), "melt water darkens the ground"
    # Between whole snow and bare ground lie places with some of each.
    between = (edge > 2.0 * bare.mean()) & (edge < 0.5)
    assert between.mean() > 0.1


@pytest.mark.once
def test_snow_overhangs_below_crests_on_the_lee(render: Callable[..., np.ndarray]) -> None:
    def light(rise: float, curvature: float) -> float:
        falls = np.linspace(0.0, rise * CELL * (SIDE - 1), SIDE, dtype=np.float32)[None].repeat(SIDE, axis=0)
        return float(render(Appearance(snow_line=-9000.0), falls, {"slope": 0.0, "curvature": curvature}).mean())

    # The wind blows from the west: what falls to the east is the lee, and there a sharp crest throws a shade.
    assert light(-0.6, 0.016) < 0.85 * light(-0.6, 0.0)
    assert light(0.6, 0.016) == pytest.approx(light(0.6, 0.0), rel=0.05)


@pytest.mark.once
def test_moraine_is_grey_and_hides_the_meadow(render: Callable[..., np.ndarray]) -> None:
    meadow, till = (
        render(Appearance(snow_line=4000.0), map_of(1500.0), {**MEADOW, SNOW_COVER: -share}).mean(axis=(0, 1))
        for share in (0.0, 1.0)
    )
    assert np.ptp(till) / till.max() < 0.15 < np.ptp(meadow) / meadow.max()


@pytest.mark.once
def test_lava_stands_out_of_its_ash(render: Callable[..., np.ndarray]) -> None:
    def relief(stone: str) -> float:
        look = Appearance(snow_line=9000.0, tree_line=1700.0, stone=stone)
        maps = {**MEADOW, "humidity": 0.41}
        even, seen = (
            render(look.replace(detail=detail), map_of(2600.0), maps, near=True).mean(axis=2) for detail in (0.0, 1.0)
        )
        return float((seen / even).std())  # light without colours

    # Other rock has no lava in its gullies.
    assert relief("dark") > 1.5 * relief("grey")


def test_red_rock_is_red(render: Callable[..., np.ndarray]) -> None:
    face = {**MEADOW, "slope": 65.0, "sediment": 0.0}
    grey, red = (render(Appearance(stone=kind), map_of(100.0), face).mean(axis=(0, 1)) for kind in ("grey", "red"))
    assert red[0] / red[2] > 2.0 * grey[0] / grey[2]


@pytest.mark.once
def test_rock_is_broken_into_faces_that_turn_different_ways(render: Callable[..., np.ndarray]) -> None:
    wall = {"slope": 60.0, "sediment": 0.0, "humidity": 0.0}

    def light(altitude: float) -> float:
        """Return the light without colours that a place a few metres wide has in the mean."""
        look = Appearance(vegetation=0.0, snow_line=9000.0, stone="pale")
        faced, plain = (
            render(look.replace(detail=detail), map_of(altitude), wall, near=True).mean(axis=2) for detail in (1.0, 0.0)
        )
        return float((faced / plain).mean())

    # Most faces are wider than such a place, which so is light or dark as a whole.  Without faces the places differ by
    # 0.03, with them by 0.13 in Blender 4.2 and by 0.14 in 5.2, which draw other noise.
    assert np.std([light(altitude) for altitude in (600.0, 900.0, 1000.0, 1300.0, 1700.0, 2000.0, 2400.0)]) > 0.07


def test_varnish_hangs_down_walls_of_red_rock(render: Callable[..., np.ndarray]) -> None:
    def darkness(slope: float, stone: str) -> float:
        bare = {"slope": slope, "sediment": 0.0, "humidity": 0.0}
        seen = render(Appearance(vegetation=0.12, snow_line=9000.0, stone=stone), map_of(1000.0), bare).mean(axis=2)
        return float(seen.mean())

    red, pale = (darkness(70.0, stone) / darkness(44.0, stone) for stone in ("red", "pale"))
    # Notches darken walls of any rock, by some percent.
    assert red < 0.9 and red < 0.94 * pale


def test_sand_hides_the_rock_below_dunes(render: Callable[..., np.ndarray]) -> None:
    def colour(sand: float) -> np.ndarray:
        steep = {"slope": 41.0, "sediment": sand, "humidity": 0.0}
        look = Appearance(vegetation=0.0, snow_line=9000.0, stone="red", detail=0.0)
        return render(look, map_of(300.0), steep).mean(axis=(0, 1))

    deep, thin, none = colour(5.0), colour(0.7), colour(0.0)
    assert np.abs(thin - deep).max() < 0.1 * deep.max()
    assert np.abs(none - deep).max() > 0.1 * deep.max()


def test_brush_covers_dry_slopes_from_afar_and_nothing_else(render: Callable[..., np.ndarray]) -> None:
    dry = {**MEADOW, "humidity": 0.15}

    def change(maps: dict[str, float], near: bool = False) -> float:
        bare, grown = (
            render(Appearance(brush=brush, snow_line=3000.0), map_of(500.0), maps, near=near).mean()
            for brush in (0.0, 0.9)
        )
        return float(grown / bare)

    assert change(dry) < 0.6
    assert change(dry, near=True) == pytest.approx(1.0, abs=1e-3), "near the camera a picture of shrubs would be flat"
    for elsewhere in ({"slope": 65.0, "sediment": 0.0}, {CROWN_COVER: 1.0}, {"slope": 0.0, "water_depth": 2.0}):
        assert change({**dry, **elsewhere}) == pytest.approx(1.0, abs=0.01), elsewhere
    some, many = (render(Appearance(brush=brush, snow_line=3000.0), map_of(500.0), dry).mean() for brush in (0.3, 0.8))
    assert many < 0.85 * some


def test_appearance_reaches_every_input() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    look = Appearance(colouring="hypsometric", season=3.5, winter_descent=10.0)
    ground = ground_material.ground_node(ground_material.land_material(look))
    assert ground is not None
    assert ground.inputs["Colouring"].default_value == 2
    assert ground.inputs["Season"].default_value == 3.5
    assert ground.inputs["Winter Descent"].default_value == 10.0
    sockets = {s.name: s for s in ground.node_tree.interface.items_tree if s.in_out == "INPUT"}
    assert all(sockets[name].description for name in ("Colouring", "Season", "Snow Line"))


def test_a_ground_group_of_an_earlier_version_still_takes_what_it_knows() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    tree = bpy.data.node_groups.new(ground_material.GROUND_GROUP, "ShaderNodeTree")
    tree.interface.new_socket("Snow Line", in_out="INPUT", socket_type="NodeSocketFloat")
    material = bpy.data.materials.new("old")
    compat.enable_nodes(material).nodes.new("ShaderNodeGroup").node_tree = tree
    assert ground_material.land_material(Appearance(snow_line=77.0), material) == material
    assert ground_material.ground_node(material).inputs["Snow Line"].default_value == 77.0


def test_the_ground_reads_no_more_attributes_than_eevee_can() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    material = ground_material.land_material(Appearance())
    show_canopy(material)

    def names(tree: bpy.types.NodeTree) -> set[str]:
        own = {one.attribute_name for one in tree.nodes if getattr(one, "attribute_type", "") == "GEOMETRY"}
        return own.union(*(names(one.node_tree) for one in tree.nodes if one.type == "GROUP"))

    # 15 for a material, with the place in the land and the map of images; beyond, EEVEE shows it as an error.
    assert len(names(material.node_tree)) <= 13


def test_bumps_look_a_pixel_far_in_every_version(land: bpy.types.Object) -> None:
    # Blender's own default of a tenth gives the ground a pattern of dots in EEVEE.
    groups = [*bpy.data.node_groups, *(m.node_tree for m in bpy.data.materials if m.node_tree is not None)]
    bumps = [node for tree in groups for node in tree.nodes if node.bl_idname == "ShaderNodeBump"]
    assert bumps
    assert all(node.inputs["Filter Width"].default_value == 1.0 for node in bumps if "Filter Width" in node.inputs)
    # Nor may one ask neighbouring pixels for the noise of the ground: at edges of triangles they may be wrong.
    ground = next(tree for tree in groups if tree.name == "Landscape Ground Bump")
    heights = {node.name for node in ground.nodes if node.label == "Ground Height"}
    assert len(heights) == 3
    assert not any(link.from_node.name in heights and link.to_node in bumps for link in ground.links)
