"""The script for Unity, compiled and run twice with mono against a stub that writes down what it is asked, in order."""

import dataclasses
import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.files.engines.engine import SCRIPTS
from terrain_addon.files.engines.package import Package, PackageOptions, write_package
from tests.files.engine_land import f_land

pytestmark = pytest.mark.once

DATA = Path(__file__).parent / "data"
STUB, SPLINES = DATA / "UnityStub.cs", DATA / "UnitySplinesStub.cs"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with 30 plants, and a program that builds it, lets an artist work on it, and builds it again."""
    if not (shutil.which("mcs") and shutil.which("mono")):
        pytest.skip("there is no mono, which compiles and runs the script for Unity")
    folder = tmp_path_factory.mktemp("unity")
    package = write_package(folder / "level", f_land(65, 65, 30), "unity")
    return compiled(folder / "build.exe", package, "-define:UNITY_2022_2_OR_NEWER")


def compiled(made: Path, package: Package, *more: str) -> Path:
    """A program of the script of a package and the stub, with the packages Splines and Mathematics beside it."""
    script, folder = package.folder / "Editor" / "LandscapePackage.cs", made.parent
    mathematics, splines = folder / "Unity.Mathematics.dll", folder / "Unity.Splines.dll"
    for command in (
        ["-warnaserror", "-nowarn:0649,0108", f"-out:{made}", str(script), str(STUB), *more],
        ["-target:library", "-define:MATHEMATICS", f"-out:{mathematics}", str(SPLINES)],
        ["-target:library", f"-r:{made}", f"-r:{mathematics}", f"-out:{splines}", str(SPLINES)],
    ):
        done = subprocess.run(["mcs", "-langversion:7", *command], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
    return made


def said(program: Path, pipeline: str, *later: Path, first: Path | None = None) -> list[str]:
    """What the program writes down in a project without assets; `later` is the package of a second build."""
    shutil.rmtree(program.parent / "Assets", ignore_errors=True)
    command = ["mono", str(program), "-landscape", str(first or program.parent / "level"), pipeline, *map(str, later)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=program.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("pipeline", ["Standard", "URP", "HDRP"])
def test_what_json_leaves_out_is_read_in_the_same_way_by_all_versions(
    program: Path, tmp_path: Path, pipeline: str
) -> None:
    """Some versions keep what the class says, or make empty things; others leave 0 and null."""
    shutil.copytree(program.parent / "level", tmp_path / "level")
    package = Package(tmp_path / "level", {}, "")
    other = compiled(tmp_path / "build.exe", package, "-define:UNITY_2022_2_OR_NEWER", "-define:MISSING_IS_DEFAULT")
    assert said(other, pipeline) == said(program, pipeline)


def test_no_file_begins_with_what_a_mesh_may_lack(program: Path) -> None:
    """JSON leaves 0 for a missing index: that is no index, because the first accessor has another type."""
    for file in (program.parent / "level").rglob("*.glb"):
        data = file.read_bytes()
        document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
        assert document["accessors"][0]["type"] in ("SCALAR", "VEC3"), file.name
        assert all("roughnessFactor" in one["pbrMetallicRoughness"] for one in document.get("materials", [])), file.name


def test_weights_are_painted_on_an_asset_and_the_scene_is_saved(program: Path) -> None:
    lines = said(program, "Standard")
    first = lines[: lines.index("AGAIN")]
    assert "SetAlphamaps lost" not in lines
    assert first.index("CreateAsset TerrainData Assets/Landscapes/level/Terrain_0_0.asset") < first.index(
        "SetAlphamaps kept"
    )
    assert first[0] == "NewScene" and first[-2:] == ["SaveAssets", "SaveScene Assets/Landscapes/level/level.unity"]


def test_building_again_keeps_guids_and_what_an_artist_made(program: Path) -> None:
    lines = said(program, "URP")
    again = lines[lines.index("AGAIN") :]
    assert not [line for line in again if line.startswith("CreateAsset")]
    for kept in ("same assets True", "same objects True", "house True", "layers 9 weights True"):
        assert kept in lines
    assert "trees 30 then 31" in lines and "edited 0.77" in lines


@pytest.mark.parametrize(
    ("pipeline", "smoothness", "both_sides", "blend"),
    [
        ("Standard", "_Glossiness=0.95", None, "_Mode=3 .*_SrcBlend=1 "),
        ("URP", "_Smoothness=0.95", "_Cull=0", "_SrcBlend=5 _SURFACE_TYPE_TRANSPARENT=on _Surface=1"),
        (
            "HDRP",
            "_Smoothness=0.95",
            "_DOUBLESIDED_ON=on _DoubleSidedEnable=1",
            "_SURFACE_TYPE_TRANSPARENT=on _SurfaceType=1",
        ),
    ],
)
def test_materials_keep_sides_opacity_and_roughness(
    program: Path, pipeline: str, smoothness: str, both_sides: str | None, blend: str
) -> None:
    lines = said(program, pipeline)
    materials = dict(re.match(r"material (.*?): (.*)", line).groups() for line in lines if line.startswith("material "))
    foliage, water, bark = materials["00_tree foliage"], materials["Water"], materials["00_tree bark"]
    for value in blend.split(" _S") if pipeline != "Standard" else [blend]:
        assert re.search(value, water), water
    assert smoothness in water and "=0.8" in water and "queue=3000" in water
    if both_sides is None:  # Standard draws one side: the other one is in the mesh
        counts = [
            int(line.split()[-1]) for p in ("Standard", "URP") for line in said(program, p) if "mesh water_Sea" in line
        ]
        assert counts[0] == 2 * counts[1]
    else:
        assert both_sides in water and both_sides not in bark
    # Twigs are cut into leaves, which are seen from both sides, and far plants are cards, which are not.
    # Only HDRP, which has no shader of ours, shows cards.
    far = "00_tree far" if pipeline == "HDRP" else "00_tree far views"
    assert ("00_tree far" in materials) == (pipeline == "HDRP") != ("00_tree far views" in materials)
    for material in (foliage, materials["00_tree far"]) if pipeline == "HDRP" else (foliage,):
        assert "_ALPHATEST_ON=on" in material and "queue=2450" in material
        assert "_colour.png" in material and "_normal.png" in material
    pictures = "far_conifer_120_colour" if pipeline == "HDRP" else "views_conifer_120_colour"
    assert "leaves_conifer_colour" in foliage and pictures in materials[far]
    assert ("_DoubleSidedEnable=1" if pipeline == "HDRP" else "_Cull=0") in foliage


def test_plants_sway_and_stop_bodies(program: Path) -> None:
    lines = said(program, "URP")
    materials = dict(re.match(r"material (.*?): (.*)", line).groups() for line in lines if line.startswith("material "))
    for part in ("00_tree bark", "00_tree foliage"):
        assert materials[part].startswith("Landscape/level/Plants ") and "_Height=12" in materials[part]
    far = materials["00_tree far views"]
    assert far.startswith("Landscape/level/Far Plants ") and "_Height=12" in far and "_Grid=6,3,0.0268,0.0179" in far
    assert "_Cylinder=" in far and "views_conifer_120_surface.png" in far
    # A quad, whose vertices lie in the corners of the box of the plant.
    (quad,) = [line for line in lines if line.startswith("mesh 00_tree_0_views")]
    assert "vertices 4 " in quad
    (tree,) = [line for line in lines if line.startswith("mesh 00_tree_0_lod0")]
    count = re.search(r"vertices (\d+)", tree).group(1)
    assert f"uvs 0:{count},1:{count},2:{count} tangents True" in tree
    stems = {line.split()[1]: float(line.split()[3]) for line in lines if line.startswith("stem ")}
    assert 0.1 < stems["00_tree_0_lod0"] < 0.4
    assert not [name for name in stems if "bush" in name or "dead_wood" in name]
    # Small copies of leaves have no holes: finer ones are shown for longer.
    assert (
        "import Assets/Landscapes/level/leaves_conifer_colour.png Default coverage True Repeat sRGB True bias -2"
        in lines
    )
    for kind, is_colour in (("colour", True), ("surface", False)):
        picture = f"import Assets/Landscapes/level/views_conifer_120_{kind}.png"
        assert f"{picture} Default coverage False Repeat sRGB {is_colour} bias 0 exact" in lines


def test_layers_of_the_terrain_have_the_textures_of_the_package(program: Path) -> None:
    lines = said(program, "URP")
    assert "layer ground_sand_colour.png ground_sand_normal.png ground_sand_packed.png 2.5" in lines
    assert len([line for line in lines if line.startswith("layer ")]) == 8
    folder = "import Assets/Landscapes/level/ground_rock"
    assert f"{folder}_normal.png NormalMap coverage False Repeat sRGB False bias 0" in lines
    assert f"{folder}_packed.png Default coverage False Repeat sRGB False bias 0" in lines


def test_tufts_and_stones_are_strewn_as_dense_as_the_layers_say(program: Path) -> None:
    """In the stub all pictures are white: everything is as dense as it can be."""
    first = said(program, "URP")
    lines = [line.split() for line in first[: first.index("AGAIN")] if line.startswith("SetDetailLayer ")]
    counts: dict[str, list[int]] = {}
    for _, name, count, _, side, _, triangles in lines:
        assert int(side) == 320 and int(triangles) < 500
        counts.setdefault(name.split("_")[1], []).append(int(count))
    # A land of 320 m: what is strewn twice, once for each mesh, is so many a square metre.
    for kind, per_m2 in (("tufts", 6.0), ("ferns", 0.3), ("stones", 2.0)):
        assert len(counts[kind]) == 2
        assert abs(sum(counts[kind]) / 320.0**2 / per_m2 - 1.0) < 0.02


@pytest.mark.parametrize(("painted", "strewn", "kinds"), [("", 6, 6), ("counts", 0, 6), ("kinds", 0, 7)])
def test_a_second_build_strews_again_unless_somebody_has_painted(
    program: Path, monkeypatch: pytest.MonkeyPatch, painted: str, strewn: int, kinds: int
) -> None:
    monkeypatch.setenv("PAINTED", painted)
    lines = said(program, "URP")
    again = lines[lines.index("AGAIN") :]
    assert len([line for line in again if line.startswith("SetDetailLayer ")]) == strewn
    assert f"details {kinds} red 0" in lines, "a colour that somebody has chosen stays"


def test_the_sun_shines_from_where_the_manifest_says(program: Path) -> None:
    # A sun in the south-west shines to the north-east, 19 degrees down; the land has a diagonal of 453 m.
    assert "sun 19 420 haze 0.00288" in said(program, "URP")


def test_hdrp_is_told_what_it_does_not_get(program: Path) -> None:
    """Its haze and its light are set in volumes and in lux; the script leaves them to the project and says so."""
    lines = said(program, "HDRP")
    (log,) = [line for line in lines if line.startswith("Log HDRP")]
    assert "Distance is 347 m" in log and "sun 19 420 haze 0" in lines  # 1 / 0.00288
    assert not [line for line in said(program, "URP") if line.startswith("Log ")]


def test_packages_live_side_by_side(program: Path, tmp_path: Path) -> None:
    """A project compiles all its editor scripts into one assembly, and a shader's name belongs to one shader."""
    name = PackageOptions(name="moor.2-new")
    other = write_package(tmp_path / "moor", f_land(65, 65, 0), "unity", name).folder
    compiled(
        tmp_path / "both.exe",
        write_package(tmp_path / "level", f_land(65, 65, 0), "unity"),
        str(other / "Editor" / "LandscapePackage.cs"),
    )
    own = program.parent / "level"
    shaders = [path.read_text() for folder in (own, other) for path in (folder / "Shaders").glob("*.shader")]
    names = re.findall(r'^Shader "(.*)"', "\n".join(shaders), re.M)
    assert len(names) == 4 == len(set(names))
    scripts = [(folder / "Editor" / "LandscapePackage.cs").read_text() for folder in (own, other)]
    menus = [re.findall(r'MenuItem\("(.*?)"', script) for script in scripts]
    assert menus == [[f"Tools/Landscape/{name}/Build from Package..."] for name in ("level", "moor_2e_2_2d_new")]
    for script in scripts:
        assert set(re.findall(r'"(Landscape/.*?)"', script)) <= set(names)


@cache
def road_land(*roads: str) -> core.Landscape:
    """A land with roads, which cross it side by side, and no water."""
    made = tuple(
        core.Road(name=name, points=((60.0, 60.0 + 200.0 * row), (580.0, 160.0 + 200.0 * row)), longest_bridge=1e4)
        for row, name in enumerate(roads)
    )
    noise = Relief.of(FractalNoise(wavelength=500.0, height=30.0))
    recipe = Recipe(width=640.0, depth=640.0, resolution=65, relief=noise, erosion=(), features=made)
    return core.build(recipe, extent="maps")


def objects(lines: list[str]) -> dict[str, str]:
    """What is under the root in the end, by its place in the outline."""
    return dict(re.match("object (/.*?) at (.*)", line).groups() for line in lines if line.startswith("object "))


def test_roads_stop_bodies_and_those_that_are_gone_go(program: Path, tmp_path: Path) -> None:
    folders = [
        write_package(tmp_path / str(number), road_land(*roads), "unity", PackageOptions(name="level")).folder
        for number, roads in enumerate((("Pass", "Lane"), ("Lane",), ()))
    ]
    same, fewer, none = (objects(said(program, "URP", folder, first=folders[0])) for folder in folders)
    assert same["/level/roads/Roads"].endswith("body roads_Roads")
    assert "spline of" in same["/level/Road Pass"] and "spline of" in same["/level/Road Lane"]
    assert "/level/Road Pass" not in fewer and "/level/Road Lane" in fewer and "/level/roads/Roads" in fewer
    assert not [path for path in none if "oad" in path] and "/level/house" in none


def test_what_the_package_no_longer_has_goes_and_what_an_artist_made_stays(program: Path, tmp_path: Path) -> None:
    dry = write_package(
        tmp_path / "dry", dataclasses.replace(f_land(65, 65, 30), waters=None), "unity", PackageOptions(name="level")
    )
    assert not dry.manifest["water"]
    before, after = objects(said(program, "URP")), objects(said(program, "URP", dry.folder))
    assert {"/level/water/Sea", "/level/sea_around/Sea"} <= set(before)
    assert not {"/level/water", "/level/sea_around/Sea"} & set(after)
    assert {"/level/house", "/level/sea_around/Sea (1)", "/level/sea_around/boat", "/level/Road to my house"} <= set(
        after
    )


def test_a_land_that_was_moved_and_switched_off_is_built_again_in_its_place(program: Path) -> None:
    lines = said(program, "URP", program.parent / "level")
    assert "lands 1" in lines
    assert objects(lines)["/level/Terrain_0_0"] == "-60"  # 160 m west of its middle, which was moved by 100 m


def test_no_lamp_becomes_the_sun(program: Path) -> None:
    lines = said(program, "URP")
    assert "lamp Spot" in lines and "sun is Daylight" in lines and "sun 19 420 haze 0.00288" in lines


def test_a_sun_that_the_scene_has_stays(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_SUN", "1")
    lines = said(program, "URP")
    assert "sun is Own sun" in lines and "sun 60 30 haze 0.00288" in lines


def test_numbers_of_details_are_counts(program: Path) -> None:
    """Unity 2022.2 takes them for shares of the ground, if it is not told."""
    lines = said(program, "URP")
    first = lines[: lines.index("AGAIN")]
    told = first.index("SetDetailScatterMode InstanceCountMode")
    assert told < min(number for number, line in enumerate(first) if line.startswith("SetDetailLayer "))


def test_species_of_one_name_have_their_own_materials(program: Path, tmp_path: Path) -> None:
    folders = []
    for heights in ((12.0, 5.0), (20.0, 5.0)):
        land = f_land(65, 65, 30)
        tree, _ = land.recipe.ecosystem.species
        oaks = tuple(dataclasses.replace(tree, name="oak", height=height) for height in heights)
        ecosystem = dataclasses.replace(land.recipe.ecosystem, species=oaks)
        land = dataclasses.replace(land, recipe=land.recipe.replace(ecosystem=ecosystem))
        name = PackageOptions(name="level")
        folders.append(write_package(tmp_path / str(heights[0]), land, "unity", name).folder)
    for later, height in zip(folders, ("12", "20")):
        lines = said(program, "URP", later, first=folders[0])
        materials = dict(re.match(r"material (.*?): (.*)", line).groups() for line in lines if "material " in line)
        for part in ("bark", "foliage", "far views"):
            assert f"_Height={height}" in materials[f"00_oak {part}"].split()
            assert "_Height=5" in materials[f"01_oak {part}"].split()
        # The artist's own number stays, also on a material of an earlier version that had the name of the species only.
        assert "edited 0.77" in lines and "material of the name oak bark: False, of 00_oak bark: the same True" in lines


FORMS = DATA / "UrpStub.hlsl"


def passes(shader: Path) -> tuple[str, dict[str, str]]:
    """What all passes for the Universal Render Pipeline share, and each of them by its mode of light."""
    pipeline = shader.read_text().split("    SubShader")[1]
    (shared,) = re.findall("HLSLINCLUDE(.*?)ENDHLSL", pipeline, re.S)
    return shared, dict(re.findall(r'"LightMode" = "(\w+)".*?HLSLPROGRAM(.*?)ENDHLSL', pipeline, re.S))


@pytest.mark.parametrize("name", ["LandscapePlants", "LandscapeFarPlants"])
def test_shaders_are_drawn_by_forward_and_deferred_renderers(name: str) -> None:
    """UniversalForwardOnly is drawn by both; a Deferred one takes normals of such passes from DepthNormalsOnly."""
    _, made = passes(SCRIPTS / f"{name}.shader")
    assert set(made) == {"UniversalForwardOnly", "ShadowCaster", "DepthOnly", "DepthNormalsOnly"}
    assert "_GBUFFER_NORMALS_OCT" in made["DepthNormalsOnly"]


@pytest.mark.parametrize("packs", [False, True])
@pytest.mark.parametrize("name", ["LandscapePlants", "LandscapeFarPlants"])
def test_shaders_compile_with_the_forms_of_the_pipeline(tmp_path: Path, name: str, packs: bool) -> None:
    if not shutil.which("glslangValidator"):
        pytest.skip("there is no glslangValidator, which compiles HLSL")
    shared, made = passes(SCRIPTS / f"{name}.shader")
    own = re.findall(r'#include "(Landscape\w+\.hlsl)"', "".join((shared, *made.values())))
    for mode, code in made.items():
        program = re.sub('#include "Packages/.*"', "", shared + code)
        program = FORMS.read_text() + ("#define _GBUFFER_NORMALS_OCT\n" if packs else "") + program
        for file in own:
            program = program.replace(f'#include "{file}"', (SCRIPTS / file).read_text())
        for stage in ("vertex", "fragment"):
            (entry,) = re.findall(rf"#pragma {stage} (\w+)", code)
            source = tmp_path / f"{mode}_{stage}.hlsl"
            source.write_text(re.sub("#pragma .*", "", program))
            command = ["glslangValidator", "-D", "-V", "--auto-map-bindings", "--auto-map-locations", "-S", stage[:4]]
            command += ["-e", entry, "-o", str(tmp_path / "made.spv"), str(source)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, f"{mode}, {stage}:\n{done.stdout}"
