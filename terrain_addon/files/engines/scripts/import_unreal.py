"""Builds the level of a landscape package: land, water, roads and foliage.  Runs in Unreal's editor.

    Tools > Execute Python Script, or in the Python console:   py "PACKAGE/import_unreal.py" [PACKAGE] [--without-land]

It needs Unreal 5.1 or later, which imports glTF by itself (Interchange), with the plugins Python Editor Script Plugin
and Editor Scripting Utilities.  A second run replaces the actors and plants of the first, and leaves all others.  In
World Partition, load the whole region before that: actors that are not loaded cannot be replaced.

Unreal's Python cannot create a Landscape from heights, so the land comes as meshes, which collide with their own
triangles.  With Nanite they would collide with a coarser mesh.  For a Landscape, import heights/height_x0_y0.png in
Landscape mode with the location and scale that this script logs, and run it with --without-land, which only the console
can pass: it brings all but the meshes of the land, and removes those of an earlier run.  Then choose the material
MI_ground_x0_y0 in the folder ground for it: grass, ferns and stones grow out of that material, on a Landscape only.

A place (x, y, z) in metres is (100 x, -100 y, 100 z) here; the import of glTF does the same with meshes.

Unreal 5.1 to 5.3 run Python 3.9, later ones 3.11.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import unreal  # type: ignore[import-not-found]

materials = SimpleNamespace(**run_path(str(Path(__file__).resolve().with_name("unreal_materials.py"))))

ASSETS = "/Game/Landscapes"
VERSION = (5, 1)  # of Unreal, the first that imports glTF as this script asks for it
INSTANCE = struct.Struct("<5f")  # x, y, z in centimetres, yaw in degrees, scale
GROUP = struct.Struct("<6i")  # species, variant, row, column, first, end
CENTIMETRES = 100.0
LOG2_E = 1.442695
SEEN_HEIGHTS = 60.0  # a plant is seen to so many times its height
GRASS_SEEN = 48.0  # metres


def build(package: Path, without_land: bool = False) -> None:
    """Build the level that is open; the meshes of the land can be left out for a Landscape in their place."""
    manifest = json.loads((package / "manifest.json").read_text(encoding="utf-8"))
    if manifest["format"] != "landscape package" or manifest["engine"] != "unreal":
        raise ValueError(f"{package} holds no landscape package for Unreal")
    version = unreal.SystemLibrary.get_engine_version()
    if tuple(int(part) for part in version.split(".")[:2]) < VERSION:
        raise RuntimeError(f"Unreal {version} is too old for this script: it needs {VERSION[0]}.{VERSION[1]} or later")
    level = str(manifest["name"])
    assets = f"{ASSETS}/{level.replace('.', '_')}"  # names of Unreal's packages have no points
    scale = manifest["placement"]["landscape_scale"]
    for place in manifest["placement"]["landscape_locations"]:
        unreal.log(f"Landscape{materials.name_of(manifest, place)}: location {place['location']}, scale {scale}")
    with unreal.ScopedSlowTask(len(manifest["tiles"]) + 1, "Building landscape") as task:
        task.make_dialog(True)
        task.enter_progress_frame(1)
        remove_actors(level)
        light_up(manifest["daylight"], level)
        add_navigation(manifest, level)
        of_tiles = {tile["files"].get("water"): materials.name_of(manifest, tile) for tile in manifest["tiles"]}
        for file in manifest["water"]:
            # Each file has a folder of its own, because meshes of all tiles have the same names, such as Sea.
            water = import_meshes(package / file, f"{assets}/water/{Path(file).stem}")
            for actor in place_meshes(water, level, "Water", of_tiles.get(file, "")):
                # Imported meshes have a hull around them, and nobody could wade or walk on the bank within it.
                body = actor.get_component_by_class(unreal.StaticMeshComponent)
                body.set_collision_profile_name("NoCollision")
        if "roads" in manifest:
            roads = import_meshes(package / manifest["roads"], f"{assets}/roads")
            collide_exactly(roads)
            place_meshes(roads, level, "Roads")
        if "road_records" in manifest:
            records = json.loads((package / manifest["road_records"]).read_text(encoding="utf-8"))
            for road in records["roads"]:
                add_spline(road, level)
        foliage = [
            [make_foliage(package, species, variant, assets) for variant in species["variants"]]
            for species in manifest["species"]
        ]
        has_ground = "ground" in manifest["layers"][0]
        grass = make_grass(package, manifest, assets) if has_ground else []
        remove_plants(f"{assets}/species")
        for tile in manifest["tiles"]:
            task.enter_progress_frame(1)
            files = tile["files"]
            material = (
                materials.land_material(package, manifest, tile, f"{assets}/ground", grass) if has_ground else None
            )
            if not without_land:
                folder = f"{assets}/tile_{tile['column']}_{tile['row']}"
                land = import_meshes(package / files["land_lod0"], folder)
                collide_exactly(land)
                for mesh in land if has_ground else []:
                    mesh.set_material(0, material)
                    unreal.EditorAssetLibrary.save_loaded_asset(mesh)
                place_meshes(land, level, "Land", materials.name_of(manifest, tile))
            if "instances" in files:
                plant(package / files["instances"], package / files["plant_groups"], foliage)


def read_instances(path: Path, first: int, end: int) -> Iterator[tuple[float, float, float, float, float]]:
    """Go through x, y, z, yaw and scale of instances `first` to before `end`."""
    with path.open("rb") as file:
        file.seek(first * INSTANCE.size)
        yield from INSTANCE.iter_unpack(file.read((end - first) * INSTANCE.size))


def plant(path: Path, groups: Path, foliage: list[list[object]]) -> None:
    """Add the instances of a tile to the level's foliage, group by group."""
    world = unreal.get_editor_subsystem(unreal.UnrealEditorSubsystem).get_editor_world()
    for species, variant, _row, _column, first, end in GROUP.iter_unpack(groups.read_bytes()):
        transforms = [
            unreal.Transform(
                location=unreal.Vector(x, y, z),
                rotation=unreal.Rotator(roll=0.0, pitch=0.0, yaw=yaw),
                scale=unreal.Vector(scale, scale, scale),
            )
            for x, y, z, yaw, scale in read_instances(path, first, end)
        ]
        unreal.InstancedFoliageActor.add_instances(world, foliage[species][variant], transforms)


def make_foliage(package: Path, species: dict[str, Any], variant: dict[str, Any], assets: str) -> object:
    """Return a foliage type whose mesh has the levels of detail of a variant, its materials and its stem."""
    levels, folder = variant["lods"], f"{assets}/species"
    meshes = [import_meshes(package / file, f"{folder}/{Path(file).stem}")[0] for file in levels]
    editor = unreal.get_editor_subsystem(unreal.StaticMeshEditorSubsystem)
    for mesh in meshes:
        dress(mesh, package, species, folder)
    for level, mesh in enumerate(meshes[1:], start=1):
        editor.set_lod_from_static_mesh(meshes[0], level, mesh, 0, True)
    dress(meshes[0], package, species, folder)
    if "trunk" in variant:
        add_stem(meshes[0], **variant["trunk"])
    name = f"FT_{Path(levels[0]).stem}"
    if unreal.EditorAssetLibrary.does_asset_exist(f"{folder}/{name}"):
        # What someone has set, such as distances and shadows, stays.
        kind = unreal.EditorAssetLibrary.load_asset(f"{folder}/{name}")
        kind.set_editor_property("mesh", meshes[0])
        unreal.EditorAssetLibrary.save_loaded_asset(kind)
        return kind
    kind = unreal.AssetToolsHelpers.get_asset_tools().create_asset(
        name, folder, unreal.FoliageType_InstancedStaticMesh, unreal.FoliageType_InstancedStaticMeshFactory()
    )
    kind.set_editor_property("mesh", meshes[0])
    far = int(CENTIMETRES * SEEN_HEIGHTS * species["height_m"])
    kind.set_editor_property("cull_distance", unreal.Int32Interval(int(0.8 * far), far))
    if "trunk" in variant:
        body = kind.get_editor_property("body_instance")
        body.set_editor_property("collision_profile_name", "BlockAll")
        kind.set_editor_property("body_instance", body)
    unreal.EditorAssetLibrary.save_loaded_asset(kind)
    return kind


def add_stem(mesh: Any, radius_m: float, height_m: float) -> None:
    """Let the stem of a plant stop bodies: a capsule, and nothing around its crown."""
    stem = unreal.KSphylElem()
    stem.set_editor_property("center", unreal.Vector(0.0, 0.0, 0.5 * CENTIMETRES * height_m))
    stem.set_editor_property("radius", CENTIMETRES * radius_m)
    stem.set_editor_property("length", CENTIMETRES * max(height_m - 2.0 * radius_m, 0.0))
    setup = mesh.get_editor_property("body_setup")
    shapes = setup.get_editor_property("agg_geom")
    shapes.set_editor_property("sphyl_elems", [stem])
    for others in ("box_elems", "sphere_elems", "convex_elems"):
        shapes.set_editor_property(others, [])
    setup.set_editor_property("agg_geom", shapes)
    mesh.set_editor_property("body_setup", setup)
    unreal.EditorAssetLibrary.save_loaded_asset(mesh)


def dress(mesh: Any, package: Path, species: dict[str, Any], folder: str) -> None:
    """Give a mesh the materials of its species; slots have the names of the materials in the GLB file."""
    for number, slot in enumerate(mesh.get_editor_property("static_materials")):
        part = str(slot.get_editor_property("material_slot_name")).replace("_", " ").split(" ")[-1]
        mesh.set_material(number, materials.plant_material(package, species, part, folder))


def make_grass(package: Path, manifest: dict[str, Any], assets: str) -> list[Any]:
    """Return the types of grass that a Landscape strews: tufts, ferns and stones."""
    types = []
    for kind in manifest["details"]:
        folder = f"{assets}/details"
        look = kind | {"id": kind["name"], "skins": {}}
        varieties = []
        for file in kind["meshes"]:
            mesh = import_meshes(package / file, f"{folder}/{Path(file).stem}")[0]
            dress(mesh, package, look, folder)
            unreal.EditorAssetLibrary.save_loaded_asset(mesh)
            varieties.append(unreal.GrassVariety())
            # Unreal counts things on ten square metres.
            density = 10.0 * kind["per_m2"] / len(kind["meshes"])
            for name, value in {
                "grass_mesh": mesh,
                "grass_density": unreal.PerPlatformFloat(default=density),
                "start_cull_distance": unreal.PerPlatformInt(default=int(0.6 * CENTIMETRES * GRASS_SEEN)),
                "end_cull_distance": unreal.PerPlatformInt(default=int(CENTIMETRES * GRASS_SEEN)),
                "scaling": unreal.GrassScaling.UNIFORM,
                "scale_x": unreal.FloatInterval(kind["smallest"], 1.0),
            }.items():
                varieties[-1].set_editor_property(name, value)
        name = f"GT_{kind['name']}"
        if unreal.EditorAssetLibrary.does_asset_exist(f"{folder}/{name}"):
            types.append(unreal.EditorAssetLibrary.load_asset(f"{folder}/{name}"))  # what someone has set stays
            continue
        grass = unreal.AssetToolsHelpers.get_asset_tools().create_asset(name, folder, unreal.LandscapeGrassType, None)
        grass.set_editor_property("grass_varieties", varieties)
        unreal.EditorAssetLibrary.save_loaded_asset(grass)
        types.append(grass)
    return types


def import_meshes(file: Path, folder: str) -> list[Any]:
    """Import a GLB file and return its static meshes."""
    meshes = [asset for asset in materials.import_file(file, folder) if isinstance(asset, unreal.StaticMesh)]
    if not meshes:
        raise RuntimeError(f"{file} was not imported; see the log")
    for mesh in meshes:
        # Nanite would ignore levels of detail, and bodies would collide with a coarser mesh.
        settings = mesh.get_editor_property("nanite_settings")
        settings.set_editor_property("enabled", False)
        mesh.set_editor_property("nanite_settings", settings)
    return meshes


def collide_exactly(meshes: list[Any]) -> None:
    """Let meshes stop bodies at their own triangles: imported ones have a box around them, or nothing."""
    for mesh in meshes:
        setup = mesh.get_editor_property("body_setup")
        setup.set_editor_property("collision_trace_flag", unreal.CollisionTraceFlag.CTF_USE_COMPLEX_AS_SIMPLE)
        mesh.set_editor_property("body_setup", setup)
        unreal.EditorAssetLibrary.save_loaded_asset(mesh)


def tag_of(level: str) -> str:
    """Return the tag of all actors that this script makes."""
    return f"landscape_package_{level}"


def remove_actors(level: str) -> None:
    """Remove what an earlier run has put into the level that is open."""
    actors = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    for actor in actors.get_all_level_actors():
        if tag_of(level) in [str(tag) for tag in actor.get_editor_property("tags")]:
            actors.destroy_actor(actor)


def remove_plants(folder: str) -> None:
    """Remove the plants of an earlier run, also of species that the package no longer has."""
    world = unreal.get_editor_subsystem(unreal.UnrealEditorSubsystem).get_editor_world()
    for path in unreal.EditorAssetLibrary.list_assets(folder):
        kind = unreal.EditorAssetLibrary.load_asset(path)
        if isinstance(kind, unreal.FoliageType_InstancedStaticMesh):
            unreal.InstancedFoliageActor.remove_all_instances(world, kind)


def mark(actor: Any, level: str, kind: str) -> None:
    """Put an actor into the level's folder of the outliner, and mark it as ours."""
    actor.set_folder_path(f"{level}/{kind}")
    actor.set_editor_property("tags", [tag_of(level)])


def place_meshes(meshes: list[object], level: str, kind: str, tile: str = "") -> list[Any]:
    """Put meshes into the level and return their actors; meshes bring their places along.

    World Partition loads those of a tile by distance.
    """
    actors, placed = unreal.get_editor_subsystem(unreal.EditorActorSubsystem), []
    for number, mesh in enumerate(meshes):
        actor = actors.spawn_actor_from_object(mesh, unreal.Vector(0.0, 0.0, 0.0))
        mark(actor, level, kind)
        actor.set_actor_label(f"{level}_{kind}{tile}_{number}")
        actor.set_editor_property("is_spatially_loaded", bool(tile))
        placed.append(actor)
    return placed


def light_up(light: dict[str, Any], level: str) -> None:
    """Add a sun, its sky and haze, unless the level has a sun."""
    actors = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    if any(isinstance(actor, unreal.DirectionalLight) for actor in actors.get_all_level_actors()):
        return
    nowhere = unreal.Vector(0.0, 0.0, 0.0)
    sun = actors.spawn_actor_from_class(unreal.DirectionalLight, nowhere)
    yaw = light["sun_bearing_deg"] - 90.0 + 180.0  # x is the east, and it shines away from where it stands
    sun.set_actor_rotation(unreal.Rotator(roll=0.0, pitch=-light["sun_elevation_deg"], yaw=yaw), False)
    shine = sun.get_component_by_class(unreal.DirectionalLightComponent)
    shine.set_editor_property("atmosphere_sun_light", True)
    fog = actors.spawn_actor_from_class(
        unreal.ExponentialHeightFog, unreal.Vector(0.0, 0.0, CENTIMETRES * light["haze_base_m"])
    )
    air = fog.get_component_by_class(unreal.ExponentialHeightFogComponent)
    # Unreal counts per thousand centimetres and to the base 2.
    per = 1000.0 / CENTIMETRES * LOG2_E
    air.set_editor_property("fog_density", per * light["haze_per_m"])
    air.set_editor_property("fog_height_falloff", per / light["haze_height_m"])
    sky = actors.spawn_actor_from_class(unreal.SkyLight, nowhere)
    sky.get_component_by_class(unreal.SkyLightComponent).set_editor_property("real_time_capture", True)
    atmosphere = actors.spawn_actor_from_class(unreal.SkyAtmosphere, nowhere)
    for actor in (sun, fog, sky, atmosphere):
        mark(actor, level, "Light")


def add_navigation(manifest: dict[str, Any], level: str) -> None:
    """Add a volume around the land, within which Unreal finds out where somebody can walk."""
    land, height = manifest["land"], manifest["height"]
    middle = 0.5 * (height["lowest_m"] + height["highest_m"])
    sizes = land["width_m"], land["depth_m"], height["highest_m"] - height["lowest_m"] + 20.0
    volume = unreal.get_editor_subsystem(unreal.EditorActorSubsystem).spawn_actor_from_class(
        unreal.NavMeshBoundsVolume, unreal.Vector(0.0, 0.0, CENTIMETRES * middle)
    )
    # The editor makes volumes of 2 m a side.
    volume.set_actor_scale3d(unreal.Vector(*(size / 2.0 for size in sizes)))
    mark(volume, level, "Navigation")


def add_spline(road: dict[str, Any], level: str) -> None:
    """Add an actor with the middle of a road as a spline."""
    actor = unreal.get_editor_subsystem(unreal.EditorActorSubsystem).spawn_actor_from_class(
        unreal.Actor, unreal.Vector(0.0, 0.0, 0.0)
    )
    actor.set_actor_label(f"Road {road['name']}")
    mark(actor, level, "Roads")
    parts = unreal.get_engine_subsystem(unreal.SubobjectDataSubsystem)
    root = parts.k2_gather_subobject_data_for_instance(actor)[0]
    handle, failure = parts.add_new_subobject(
        unreal.AddNewSubobjectParams(parent_handle=root, new_class=unreal.SplineComponent)
    )
    if not failure.is_empty():
        unreal.log_warning(f"Road {road['name']}: {failure}")
        return
    library = unreal.SubobjectDataBlueprintFunctionLibrary
    spline = library.get_associated_object(library.get_data(handle))
    points = [
        unreal.Vector(100.0 * x, -100.0 * y, 100.0 * z)
        for x, y, z in zip(*(road["points_m"][axis] for axis in ("x", "y", "z")))
    ]
    spline.set_spline_points(points, unreal.SplineCoordinateSpace.WORLD, True)


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    build(Path(given[0]) if given else Path(__file__).resolve().parent, "--without-land" in sys.argv)
