"""The script for Unreal, run twice against a stand-in for its editor, which keeps actors, assets and foliage."""

import ast
import json
import re
import sys
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.files.engines.engine import SCRIPTS
from terrain_addon.files.engines.package import ENGINES, Package, PackageOptions, write_package
from tests.files.engine_land import f_land

pytestmark = pytest.mark.once


class Thing:
    """An object with properties that can be set."""

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(named, values=values)

    def set_editor_property(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def get_editor_property(self, name: str) -> Any:
        return getattr(self, name)


class Names:
    """An enumeration: each name is its own value."""

    def __getattr__(self, name: str) -> str:
        return name


class Kinds(types.ModuleType):
    """The module `unreal`: classes and enumerations that are only handed on come into being when they are asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Thing,), {}) if name.startswith("MaterialExpression") else Names()
        setattr(self, name, made)
        return made


class Actor(Thing):
    tags: tuple[str, ...] = ()
    folder = ""

    def set_folder_path(self, folder: str) -> None:
        self.folder = folder

    def set_actor_label(self, label: str) -> None:
        self.label = label

    def set_actor_scale3d(self, scale: Any) -> None:
        self.scale = scale

    def set_actor_rotation(self, turn: dict[str, float], teleport: bool) -> None:
        self.turn = turn

    def get_component_by_class(self, kind: Any) -> Thing:
        return self.__dict__.setdefault("component", Component())


class Component(Thing):
    def set_collision_profile_name(self, name: str) -> None:
        self.collides = name


class StaticMesh(Thing):
    """Imported meshes have no collision of their own until someone says so."""

    @property
    def static_materials(self) -> list[Thing]:
        return [Thing(material_slot_name=name) for name in names_in(Path(self.file), "materials")]

    def set_material(self, slot: int, material: Any) -> None:
        self.worn = {**getattr(self, "worn", {}), self.static_materials[slot].material_slot_name: material}


class Picture(Thing):
    """Some versions have a switch for what others always do; the editor refuses names that it does not know."""

    def set_editor_property(self, name: str, value: Any) -> None:
        if name == "do_scale_mips_for_alpha_coverage" and not self.scales_covers:
            raise Exception(f"Failed to find property '{name}'")
        super().set_editor_property(name, value)


class FoliageType(Thing):
    pass


def names_in(path: Path, kind: str) -> list[str]:
    """Names of the materials or meshes in a GLB file."""
    data = path.read_bytes()
    document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    return [thing["name"] for thing in document.get(kind, [])]


class Editor:
    """As much of the editor's Python as the script uses; what it is told stays between runs."""

    def __init__(self, version: str = "5.4.2-0+++UE5") -> None:
        self.assets: dict[str, Any] = {}
        self.actors: list[Actor] = []
        self.imports: list[str] = []  # names of files
        self.logged: list[str] = []
        self.plants: list[tuple[Any, Any]] = []
        self.version = version
        self.scales_covers = True  # whether pictures have the switch for it
        self.kinds: dict[str, type[Actor]] = {}
        self.nodes: list[Any] = []  # of all materials
        self.wires: list[tuple[Any, ...]] = []  # between nodes of materials

    def imported(self, tasks: list[Any]) -> None:
        """Unreal may name meshes after those in the file; what has the name of another asset replaces it."""
        for task in tasks:
            file = Path(task.filename)
            assert file.is_file() and task.replace_existing
            self.imports.append(file.name)
            is_mesh = file.suffix == ".glb"
            task.objects = []
            for name in names_in(file, "meshes") if is_mesh else [file.stem]:
                path = f"{task.destination_path}/{name}"
                made = (
                    StaticMesh(body_setup=Thing(agg_geom=Thing()), nanite_settings=Thing(enabled=True), saved=None)
                    if is_mesh
                    else Picture(scales_covers=self.scales_covers)
                )
                task.objects.append(self.assets.setdefault(path, made))
                task.objects[-1].file = task.filename

    def created(self, name: str, folder: str, kind: Any, factory: Any) -> Any:
        assert f"{folder}/{name}" not in self.assets, "asks whether to overwrite"
        assert re.fullmatch(r"[\w/-]+", f"{folder}/{name}", re.ASCII), "no name of an asset"
        return self.assets.setdefault(f"{folder}/{name}", kind(body_instance=Thing(), parameters={}))

    def saved(self, asset: Any) -> None:
        asset.saved = dict(asset.body_setup.__dict__) if isinstance(asset, StaticMesh) else True

    def spawned(self, mesh: Any, place: Any) -> Actor:
        assert place == (0.0, 0.0, 0.0)
        self.actors.append(Actor(mesh=mesh))
        return self.actors[-1]

    def made(self, kind: Any, place: Any) -> Actor:
        self.actors.append(kind(place=place, mesh=None))
        return self.actors[-1]

    def planted(self, world: Any, kind: Any, transforms: list[Any]) -> None:
        self.plants += [(kind, transform) for transform in transforms]

    def cleared(self, world: Any, kind: Any) -> None:
        self.plants = [plant for plant in self.plants if plant[0] is not kind]

    def changed(self, material: Any, name: str, value: Any) -> None:
        material.parameters[name] = value

    def module(self) -> types.ModuleType:
        """What `import unreal` gives."""

        class Task(Thing):
            def get_objects(self) -> list[Any]:
                return list(self.objects)

        class Progress(Thing):
            def __enter__(self) -> Any:
                return types.SimpleNamespace(make_dialog=lambda _: None, enter_progress_frame=lambda _: None)

            def __exit__(self, *_: Any) -> None: ...

        space = types.SimpleNamespace
        tools = space(import_asset_tasks=self.imported, create_asset=self.created)
        subsystem = space(
            get_editor_world=lambda: "world",
            set_lod_from_static_mesh=lambda mesh, level, source, own, keep: None,
            spawn_actor_from_object=self.spawned,
            spawn_actor_from_class=self.made,
            get_all_level_actors=lambda: list(self.actors),
            destroy_actor=self.actors.remove,
        )
        library = space(
            does_asset_exist=self.assets.__contains__,
            load_asset=self.assets.__getitem__,
            list_assets=lambda folder: [path for path in self.assets if path.startswith(f"{folder}/")],
            save_loaded_asset=self.saved,
        )
        material = space(
            create_material_expression=lambda owner, kind, x, y: self.nodes.append(kind()) or self.nodes[-1],
            connect_material_expressions=lambda *ends: self.wires.append(ends),
            connect_material_property=lambda *ends: self.wires.append(ends),
            set_material_usage=lambda owner, usage: None,
            recompile_material=lambda owner: None,
            update_material_instance=lambda made: None,
            set_material_instance_parent=lambda made, master: setattr(made, "parent", master),
            set_material_instance_scalar_parameter_value=self.changed,
            set_material_instance_vector_parameter_value=self.changed,
            set_material_instance_texture_parameter_value=self.changed,
        )
        unreal = Kinds("unreal")
        lights = ("DirectionalLight", "ExponentialHeightFog", "SkyLight", "SkyAtmosphere", "NavMeshBoundsVolume")
        unreal.__dict__.update({name: self.kinds.setdefault(name, type(name, (Actor,), {})) for name in lights})
        unreal.__dict__.update(
            log=self.logged.append,
            SystemLibrary=space(get_engine_version=lambda: self.version),
            ScopedSlowTask=Progress,
            Vector=lambda *xyz: xyz,
            Rotator=lambda **angles: angles,
            Transform=lambda **parts: space(**parts),
            StaticMesh=StaticMesh,
            AssetImportTask=Task,
            InstancedFoliageActor=space(add_instances=self.planted, remove_all_instances=self.cleared),
            FoliageType_InstancedStaticMesh=FoliageType,
            FoliageType_InstancedStaticMeshFactory=Thing,
            MaterialEditingLibrary=material,
            Material=type("Material", (Thing,), {}),
            MaterialFactoryNew=Thing,
            MaterialInstanceConstant=type("MaterialInstanceConstant", (Thing,), {}),
            MaterialInstanceConstantFactoryNew=Thing,
            LinearColor=lambda *rgba: rgba,
            Vector4=lambda *xyzw: xyzw,
            Int32Interval=lambda *ends: ends,
            FloatInterval=lambda *ends: ends,
            PerPlatformFloat=lambda default: default,
            PerPlatformInt=lambda default: default,
            GrassVariety=Thing,
            GrassInput=Thing,
            LandscapeGrassType=type("LandscapeGrassType", (Thing,), {}),
            KSphylElem=Thing,
            CustomInput=Thing,
            CustomOutput=Thing,
            CollisionTraceFlag=space(CTF_USE_COMPLEX_AS_SIMPLE="complex as simple"),
            AssetToolsHelpers=space(get_asset_tools=lambda: tools),
            EditorAssetLibrary=library,
            UnrealEditorSubsystem=0,
            EditorActorSubsystem=0,
            StaticMeshEditorSubsystem=0,
            get_editor_subsystem=lambda _: subsystem,
        )
        return unreal


def build(editor: Editor, package: Package, monkeypatch: pytest.MonkeyPatch, **options: bool) -> None:
    """Run the script of a package."""
    monkeypatch.setitem(sys.modules, "unreal", editor.module())
    place = package.folder / "import_unreal.py"
    script: dict[str, Any] = {"__name__": "import_unreal", "__file__": str(place)}
    exec(place.read_text(encoding="utf-8"), script)
    script["build"](package.folder, **options)


def test_it_places_what_the_file_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    landscape, editor = f_land(127, 127, 40), Editor()
    package = write_package(tmp_path / "package", landscape, "unreal")
    build(editor, package, monkeypatch)
    plants = landscape.plants
    assert plants is not None and len(editor.plants) == 40
    transforms = [transform for _, transform in editor.plants]
    found = np.array([t.location for t in transforms]) / 100.0 * (1, -1, 1) + (315.0, 315.0, 0.0)
    nearest = np.abs(found[:, None, :2] - np.stack((plants.x, plants.y), axis=1)[None]).sum(axis=2).argmin(axis=1)
    assert sorted(nearest.tolist()) == list(range(40))
    yaw = [t.rotation["yaw"] for t in transforms]
    assert np.allclose((np.array(yaw) + plants.rotation[nearest]) % 360.0 % 359.9999, 0.0, atol=1e-3)
    grown = np.array([species.height for species in landscape.recipe.ecosystem.species])[plants.species]
    assert np.allclose([t.scale[0] for t in transforms], (plants.height / grown)[nearest], rtol=1e-6)
    worn = [Path(kind.mesh.file).stem for kind, _ in editor.plants]
    assert worn == [
        f"{s:02}_{('tree', 'bush')[s]}_{v}_lod0" for s, v in zip(plants.species[nearest], plants.variant[nearest])
    ]


def test_the_land_stops_who_walks_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    build(editor, write_package(tmp_path / "package", f_land(127, 127, 5), "unreal"), monkeypatch)
    land = [actor.mesh for actor in editor.actors if actor.folder == "package/Land"]
    assert len(land) == 1
    assert all(mesh.saved["collision_trace_flag"] == "complex as simple" for mesh in land)


def test_tiles_are_loaded_by_distance_and_the_land_is_walkable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    options = PackageOptions(tiles=2, resolution=127)
    package = write_package(tmp_path / "heath", f_land(127, 127, 0), "unreal", options)
    build(editor, package, monkeypatch)
    land = {actor.label: actor for actor in editor.actors if actor.folder == "heath/Land"}
    assert set(land) == {f"heath_Land_x{column}_y{row}_0" for column in (0, 1) for row in (0, 1)}
    for label, actor in land.items():
        assert actor.is_spatially_loaded
        # Rows count from the north, as in the names of the files.
        assert label[len("heath_Land") : -len("_0")] in Path(actor.mesh.file).stem
    (volume,) = [actor for actor in editor.actors if actor.folder == "heath/Navigation"]
    about, height = package.manifest["land"], package.manifest["height"]
    assert volume.scale[:2] == (about["width_m"] / 2, about["depth_m"] / 2)
    assert volume.place[2] - 100 * volume.scale[2] < 100 * height["lowest_m"]
    assert volume.place[2] + 100 * volume.scale[2] > 100 * height["highest_m"]


def test_a_second_run_doubles_nothing_and_packages_stay_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor, house = Editor(), Actor(mesh="house")
    heath = write_package(tmp_path / "a", f_land(127, 127, 40), "unreal", PackageOptions(name="heath"))
    moor = write_package(tmp_path / "b", f_land(127, 127, 30), "unreal", PackageOptions(name="moor"))
    build(editor, heath, monkeypatch)
    editor.actors.append(house)
    kind = editor.plants[0][0]
    kind.set_editor_property("cull_distance", 7000)
    actors, assets = len(editor.actors), set(editor.assets)
    build(editor, heath, monkeypatch)
    assert (len(editor.actors), len(editor.plants), set(editor.assets)) == (actors, 40, assets)
    assert house in editor.actors and editor.plants[0][0].cull_distance == 7000
    build(editor, moor, monkeypatch)
    assert len(editor.plants) == 70
    others = set(editor.assets) - assets
    assert others and all(path.startswith("/Game/Landscapes/moor/") for path in others)


def test_a_second_run_brings_what_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor, options = Editor(), PackageOptions(resolution=127)
    build(editor, write_package(tmp_path / "heath", f_land(127, 127, 40), "unreal", options), monkeypatch)
    ground = editor.assets["/Game/Landscapes/heath/ground/MI_ground_x0_y0"]
    foliage = editor.assets["/Game/Landscapes/heath/species/MI_00_tree_foliage"]
    editor.changed(foliage, "Wind", "of someone")
    before, editor.imports = dict(ground.parameters), []
    larger = f_land(253, 253, 40)
    tree, bush = larger.recipe.ecosystem.species
    taller = replace(larger.recipe.ecosystem, species=(replace(tree, height=21.0), bush))
    larger = replace(larger, recipe=larger.recipe.replace(ecosystem=taller))
    build(editor, write_package(tmp_path / "heath", larger, "unreal", options), monkeypatch)
    assert ground.parameters["Factor"] == pytest.approx([part / 2.0 for part in before["Factor"]])
    assert ground.parameters["W1"] is before["W1"]  # which was imported again in its place, as were the others
    for name in ("colour_x0_y0.png", "1_scree_x0_y0.png", "tufts_x0_y0.png", "leaves_conifer_colour.png"):
        assert editor.imports.count(name) == 1, name
    assert foliage.parameters["Height"] == 2100.0 and foliage.parameters["Wind"] == "of someone"


def test_water_of_each_tile_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor, land = Editor(), f_land(127, 127, 0)
    high_sea = find_water(land.terrain.surface, land.terrain.cell_size, Water(sea=True, sea_level=400.0))
    options = PackageOptions(tiles=2, resolution=127)
    package = write_package(tmp_path / "heath", replace(land, waters=high_sea), "unreal", options)
    assert len(package.manifest["water"]) == 5  # that of four tiles, and the sea around them
    build(editor, package, monkeypatch)
    water = [actor.mesh for actor in editor.actors if actor.folder == "heath/Water"]
    files = {Path(mesh.file).name for mesh in water}
    assert files == {Path(file).name for file in package.manifest["water"]}
    assert len({id(mesh) for mesh in water}) == len(water)
    # Unreal puts a hull around what it imports, at which bodies would stop.
    bodies = {actor.component.collides for actor in editor.actors if actor.folder == "heath/Water"}
    assert bodies == {"NoCollision"}


def test_for_a_landscape_only_the_meshes_of_the_land_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, land = Editor(), f_land(127, 127, 10)
    high_sea = find_water(land.terrain.surface, land.terrain.cell_size, Water(sea=True, sea_level=400.0))
    package = write_package(tmp_path / "heath", replace(land, waters=high_sea), "unreal")
    build(editor, package, monkeypatch)
    before = sorted(actor.folder for actor in editor.actors)
    assert {"heath/Land", "heath/Water", "heath/Light", "heath/Navigation"} == set(before)
    for _ in range(2):
        build(editor, package, monkeypatch, without_land=True)
        assert sorted(actor.folder for actor in editor.actors) == [one for one in before if one != "heath/Land"]
        assert len(editor.plants) == 10


def test_species_of_one_name_have_their_own_materials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor, landscape = Editor(), f_land(127, 127, 40)
    tree, _ = landscape.recipe.ecosystem.species
    name = "Oak (old) #2/é.x"
    twins = replace(
        landscape.recipe.ecosystem, species=(replace(tree, name=name), replace(tree, name=name, height=5.0))
    )
    landscape = replace(landscape, recipe=landscape.recipe.replace(ecosystem=twins))
    build(editor, write_package(tmp_path / "package", landscape, "unreal"), monkeypatch)
    for part in ("bark", "foliage", "far"):
        heights = [
            editor.assets[f"/Game/Landscapes/package/species/MI_{number}_oak_old_2_e_x_{part}"].parameters["Height"]
            for number in ("00", "01")
        ]
        assert heights == [1200.0, 500.0]


def test_a_name_with_a_point_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    options = PackageOptions(name="heath.2")
    build(editor, write_package(tmp_path / "package", f_land(127, 127, 5), "unreal", options), monkeypatch)
    assert all(path.startswith("/Game/Landscapes/heath_2/") for path in editor.assets)


def test_each_landscape_is_told_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    package = write_package(tmp_path / "heath", f_land(127, 127, 0), "unreal", PackageOptions(tiles=2, resolution=127))
    build(editor, package, monkeypatch)
    # The first sample of an image is the corner in the north-west; the land is 630 m wide, with its middle at 0, 0.
    for column, row, corner in ((0, 0, "-31500.0, -31500.0"), (1, 0, "0.0, -31500.0"), (0, 1, "-31500.0, 0.0")):
        (said,) = [line for line in editor.logged if line.startswith(f"Landscape_x{column}_y{row}: ")]
        assert f"location [{corner}" in said


def test_scripts_run_in_the_python_of_unreal_5_1() -> None:
    """Which is 3.9: it has no unions of types except in annotations that nobody evaluates, and fewer functions."""
    scripts = [SCRIPTS / name for name in ENGINES["unreal"].scripts if name.endswith(".py")]
    assert len(scripts) == 2
    newer = {"pairwise", "bit_count", "cbrt", "exp2", "batched", "UTC", "StrEnum", "Self", "assert_never", "chdir"}
    for script in scripts:
        tree = ast.parse(script.read_text(encoding="utf-8"), script.name, feature_version=(3, 9))
        first = tree.body[1]
        assert isinstance(first, ast.ImportFrom) and first.module == "__future__", script.name
        assert [name.name for name in first.names] == ["annotations"]
        for node in ast.walk(tree):
            assert not (isinstance(node, ast.Attribute) and node.attr in newer), node.attr
            assert not (isinstance(node, ast.alias) and node.name.rsplit(".")[-1] in newer | {"tomllib"}), node.name
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                is_strict = node.func.id == "zip" and any(one.arg == "strict" for one in node.keywords)
                asks = node.func.id in ("isinstance", "issubclass")
                of_union = asks and any(isinstance(one, ast.BinOp) for one in node.args)
                assert not is_strict and not of_union and node.func.id not in ("aiter", "anext"), ast.unparse(node)
            if isinstance(node, ast.Assign):
                assert not re.search(r"\| None\b", ast.unparse(node.value)), ast.unparse(node)


def test_an_engine_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor("4.27.2-18319896+++UE4")
    package = write_package(tmp_path / "package", f_land(127, 127, 5), "unreal")
    with pytest.raises(RuntimeError, match=r"Unreal 4\.27.* needs 5\.1 or later"):
        build(editor, package, monkeypatch)
    assert not editor.assets and not editor.actors


def test_trees_have_leaves_wind_and_stems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    build(editor, write_package(tmp_path / "package", f_land(127, 127, 40), "unreal"), monkeypatch)
    tree = next(kind for kind, _ in editor.plants if "tree" in kind.mesh.file)
    bark, foliage = tree.mesh.worn["tree bark"], tree.mesh.worn["tree foliage"]
    assert foliage.parent.blend_mode == "BLEND_MASKED" and foliage.parent.two_sided
    assert Path(foliage.parameters["Picture"].file).name == "leaves_conifer_colour.png"
    assert foliage.parameters["Normals"].flip_green_channel and not foliage.parameters["Normals"].srgb
    assert foliage.parameters["Picture"].alpha_coverage_thresholds == pytest.approx((0.0, 0.0, 0.0, 0.4))
    assert foliage.parameters["Picture"].do_scale_mips_for_alpha_coverage
    assert foliage.parameters["Height"] == 1200.0 and len(bark.parameters["Colour"]) == 4
    # Every master material moves with the wind, and the wind has all it asks for.
    moved = [wire for wire in editor.wires if wire[-1] == "MP_WORLD_POSITION_OFFSET"]
    assert len(moved) == 4
    assert not tree.mesh.nanite_settings.enabled
    for sway, *_ in moved:
        wired = {wire[3] for wire in editor.wires if len(wire) == 4 and wire[2] is sway}
        assert wired == {one.input_name for one in sway.inputs} and all(name in sway.code for name in wired)
    (stem,) = tree.mesh.body_setup.agg_geom.sphyl_elems
    assert 10.0 < stem.radius < 40.0 and stem.center[2] == pytest.approx(240.0)
    assert tree.body_instance.collision_profile_name == "BlockAll" and tree.cull_distance == (57600, 72000)


def test_a_version_without_a_switch_for_covers_gets_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    editor.scales_covers = False
    build(editor, write_package(tmp_path / "package", f_land(127, 127, 40), "unreal"), monkeypatch)
    (leaves,) = [one for one in editor.assets.values() if "leaves_conifer_colour" in getattr(one, "file", "")]
    assert leaves.saved and not hasattr(leaves, "do_scale_mips_for_alpha_coverage")


def test_the_ground_has_the_textures_of_its_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    package = write_package(tmp_path / "package", f_land(127, 127, 0), "unreal")
    build(editor, package, monkeypatch)
    (land,) = [actor.mesh for actor in editor.actors if actor.folder == "package/Land"]
    material = land.worn["Land"]
    for number, layer in enumerate(package.manifest["layers"]):
        weights = material.parameters[f"W{number}"]
        assert f"{number}_{layer['name']}" in weights.file and not weights.srgb
    assert Path(material.parameters["Macro"].file).stem == "colour_x0_y0"
    # The middle of the texel in the north-west is the first sample there; 630 m have 126 cells.
    (across, down), (right, below) = (material.parameters[name][:2] for name in ("Factor", "Offset"))
    assert np.allclose((-31500.0 * across + right, -31500.0 * down + below), 0.5 / 127)
    assert np.allclose((31500.0 * across + right, 31500.0 * down + below), 126.5 / 127)
    # The node that blends has an input of each name in its code.
    (blend,) = {wire[2] for wire in editor.wires if len(wire) == 4 and "Rest" in getattr(wire[2], "code", "")}
    wired = {wire[3] for wire in editor.wires if len(wire) == 4 and wire[2] is blend}
    assert set(re.findall(r"\b[CBNPW]\d\b", blend.code)) | {"Macro", "Depth"} == wired
    fixed = {
        wire[0].texture.file for wire in editor.wires if wire[-1] is blend or wire[2:3] == (blend,) if sampled(wire)
    }
    assert len([name for name in fixed if "/ground_" in name]) == 24
    # Their green points down already.
    normals = [asset for asset in editor.assets.values() if re.search("ground_.*_normal", getattr(asset, "file", ""))]
    assert len(normals) == 8 and not any(asset.flip_green_channel for asset in normals)


def sampled(wire: tuple[Any, ...]) -> bool:
    """Whether a wire comes from a picture."""
    return hasattr(wire[0], "sampler_type")


def test_every_node_has_a_picture_of_its_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unreal compiles no material with a node that has none, or one of colours where it wants normals."""
    editor = Editor()
    build(editor, write_package(tmp_path / "package", f_land(127, 127, 40), "unreal"), monkeypatch)
    wanted = {
        "TC_NORMALMAP": "SAMPLERTYPE_NORMAL",
        "TC_MASKS": "SAMPLERTYPE_MASKS",
        ("TC_BC7", False): "SAMPLERTYPE_LINEAR_COLOR",
    }
    nodes = [node for node in editor.nodes if "Texture" in type(node).__name__ and hasattr(node, "parameter_name")]
    assert len(nodes) > 40
    for node in nodes:
        form, srgb = getattr(node.texture, "compression_settings", ""), getattr(node.texture, "srgb", True)
        kind = wanted.get(form) or wanted.get((form, srgb), "SAMPLERTYPE_COLOR")
        assert getattr(node, "sampler_type", "SAMPLERTYPE_COLOR") == kind, node.texture.file
    # What an instance has in place of it is of the same kind.
    kinds = {node.parameter_name: getattr(node.texture, "compression_settings", "") for node in nodes}
    for asset in editor.assets.values():
        for name, picture in getattr(asset, "parameters", {}).items():
            if isinstance(picture, Thing):
                assert name in kinds
                assert getattr(picture, "srgb", True) == (name in ("Picture", "Macro"))


def test_far_plants_show_views_before_the_eye(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    package = write_package(tmp_path / "package", f_land(127, 127, 40), "unreal")
    for _ in range(2):
        build(editor, package, monkeypatch)
    tree = next(species for species in package.manifest["species"] if species["name"] == "tree")
    (mesh,) = [asset for asset in editor.assets.values() if "00_tree_0_lod2" in getattr(asset, "file", "")]
    far = mesh.worn["tree far"]
    assert far.parent.two_sided and not far.parent.tangent_space_normal and far.parent.dithered_lod_transition
    assert far.parameters["Cylinder"][:3] == tuple(tree["views"]["cylinder_m"])
    assert far.parameters["Grid"][:2] == (6, 3) and far.parameters["Cutoff"] == tree["views"]["cutoff"]
    for name, kind, srgb in (("Picture", "colour", True), ("Surface", "surface", False)):
        picture = far.parameters[name]
        assert Path(picture.file) == package.folder / tree["views"][kind] and picture.srgb is srgb
        assert picture.virtual_texture_streaming is False
    # Both codes are given all that they ask for, and nothing else.
    codes = {node: node.code for node in editor.nodes if "Cylinder" in getattr(node, "code", "")}
    assert len(codes) == 2
    for node, code in codes.items():
        wired = {wire[3] for wire in editor.wires if len(wire) == 4 and wire[2] is node}
        assert wired == {one.input_name for one in node.inputs}
        assert all(re.search(rf"\b{name}\b", code) for name in wired)
        given = wired | {one.output_name for one in node.additional_outputs} | {f"{name}Sampler" for name in wired}
        asked = set(re.findall(r"\b[A-Z]\w+\b", re.sub(r"//.*", "", code))) - {"Texture2DSampleGrad"}
        assert asked <= given


def test_grass_grows_out_of_the_ground_of_a_landscape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    package = write_package(tmp_path / "package", f_land(127, 127, 0), "unreal")
    build(editor, package, monkeypatch)
    folder = "/Game/Landscapes/package/details"
    tufts = editor.assets[f"{folder}/GT_tufts"]
    assert tufts.grass_varieties[0].grass_density == pytest.approx(30.0)  # on ten square metres, of either mesh
    assert tufts.grass_varieties[0].scale_x == pytest.approx((1 / 3, 1.0))
    tufts.set_editor_property("grass_varieties", tufts.grass_varieties[:1])
    build(editor, package, monkeypatch)
    assert len(tufts.grass_varieties) == 1, "what someone has set stays"
    (output,) = [node for node in editor.nodes if type(node).__name__ == "MaterialExpressionLandscapeGrassOutput"]
    ground = editor.assets["/Game/Landscapes/package/ground/MI_ground_x0_y0"]
    for given, kind in zip(output.grass_types, package.manifest["details"], strict=True):
        assert given.grass_type is editor.assets[f"{folder}/GT_{kind['name']}"]
        ((source, channel, _, _),) = [wire for wire in editor.wires if wire[2:] == (output, given.name)]
        assert channel == "R" and kind["name"] in ground.parameters[source.parameter_name].file


def test_the_level_is_lit_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor()
    package = write_package(tmp_path / "package", f_land(127, 127, 0), "unreal")
    for _ in range(2):
        build(editor, package, monkeypatch)
    lights = {type(actor).__name__: actor for actor in editor.actors if actor.folder == "package/Light"}
    assert len(lights) == 4 == len([actor for actor in editor.actors if actor.folder == "package/Light"])
    # From the south-west to the north-east, which is towards +x and -y.
    assert lights["DirectionalLight"].turn == {"roll": 0.0, "pitch": -19.0, "yaw": 330.0}
    # 3 / (2.3 diagonals) per metre.
    density = lights["ExponentialHeightFog"].component.fog_density / 14.42695
    assert density == pytest.approx(3.0 / (2.3 * 630.0 * 2.0**0.5), rel=1e-3)
