"""Builds the level of a landscape package: land, water, roads and foliage.  Runs in Unreal's editor.

    Tools > Execute Python Script, or in the Python console:   py "PACKAGE/import_unreal.py" [PACKAGE] [--foliage-only]

It needs Unreal 5.1 or later, which imports glTF by itself (Interchange), with the plugins Python Editor Script Plugin
and Editor Scripting Utilities.  A second run replaces the actors and plants of the first, and leaves all others.  In
World Partition, load the whole region before that: actors that are not loaded cannot be replaced.

Unreal's Python cannot create a Landscape from heights, so the land comes as meshes, which collide with their own
triangles.  With Nanite they would collide with a coarser mesh.  For a Landscape, import heights/height_x0_y0.png and
the layers in Landscape mode with the location and scale that this script logs, and run it with --foliage-only.

A place (x, y, z) in metres is (100 x, -100 y, 100 z) here; the import of glTF does the same with meshes.
"""

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import unreal  # type: ignore[import-not-found]

ASSETS = "/Game/Landscapes"
VERSION = (5, 1)  # of Unreal, the first that imports glTF as this script asks for it
INSTANCE = struct.Struct("<5f")  # x, y, z in centimetres, yaw in degrees, scale


def build(package: Path, foliage_only: bool = False) -> None:
    """Build the level that is open."""
    manifest = json.loads((package / "manifest.json").read_text(encoding="utf-8"))
    if manifest["format"] != "landscape package" or manifest["engine"] != "unreal":
        raise ValueError(f"{package} holds no landscape package for Unreal")
    version = unreal.SystemLibrary.get_engine_version()
    if tuple(int(part) for part in version.split(".")[:2]) < VERSION:
        raise RuntimeError(f"Unreal {version} is too old for this script: it needs {VERSION[0]}.{VERSION[1]} or later")
    level = str(manifest["name"])
    assets = f"{ASSETS}/{level}"
    placement = manifest["placement"]
    unreal.log(f"Landscape: location {placement['landscape_location']}, scale {placement['landscape_scale']}")
    with unreal.ScopedSlowTask(len(manifest["tiles"]) + 1, "Building landscape") as task:
        task.make_dialog(True)
        task.enter_progress_frame(1)
        if not foliage_only:
            remove_actors(level)
            for file in manifest["water"]:
                place_meshes(import_meshes(package / file, f"{assets}/water"), level, "Water")
            if "roads" in manifest:
                roads = import_meshes(package / manifest["roads"], f"{assets}/roads")
                collide_exactly(roads)
                place_meshes(roads, level, "Roads")
            if "road_records" in manifest:
                records = json.loads((package / manifest["road_records"]).read_text(encoding="utf-8"))
                for road in records["roads"]:
                    add_spline(road, level)
        foliage = [
            [make_foliage(package, variant["lods"], assets) for variant in species["variants"]]
            for species in manifest["species"]
        ]
        remove_plants(f"{assets}/species")
        for tile in manifest["tiles"]:
            task.enter_progress_frame(1)
            files = tile["files"]
            if not foliage_only:
                folder = f"{assets}/tile_{tile['column']}_{tile['row']}"
                land = import_meshes(package / files["land_lod0"], folder)
                collide_exactly(land)
                place_meshes(land, level, "Land")
            if "instances" in files:
                plant(package / files["instances"], tile["plant_groups"], foliage)


def read_instances(path: Path, first: int, end: int) -> Iterator[tuple[float, float, float, float, float]]:
    """Go through x, y, z, yaw and scale of instances `first` to before `end`."""
    with path.open("rb") as file:
        file.seek(first * INSTANCE.size)
        yield from INSTANCE.iter_unpack(file.read((end - first) * INSTANCE.size))


def plant(path: Path, groups: list[dict[str, int]], foliage: list[list[object]]) -> None:
    """Add the instances of a tile to the level's foliage."""
    world = unreal.get_editor_subsystem(unreal.UnrealEditorSubsystem).get_editor_world()
    for group in groups:
        transforms = [
            unreal.Transform(
                location=unreal.Vector(x, y, z),
                rotation=unreal.Rotator(roll=0.0, pitch=0.0, yaw=yaw),
                scale=unreal.Vector(scale, scale, scale),
            )
            for x, y, z, yaw, scale in read_instances(path, group["first"], group["end"])
        ]
        kind = foliage[group["species"]][group["variant"]]
        unreal.InstancedFoliageActor.add_instances(world, kind, transforms)


def make_foliage(package: Path, levels: list[str], assets: str) -> object:
    """Return a foliage type whose mesh has the given levels of detail."""
    meshes = [import_meshes(package / file, f"{assets}/species/{Path(file).stem}")[0] for file in levels]
    editor = unreal.get_editor_subsystem(unreal.StaticMeshEditorSubsystem)
    for level, mesh in enumerate(meshes[1:], start=1):
        editor.set_lod_from_static_mesh(meshes[0], level, mesh, 0, True)
    name = f"FT_{Path(levels[0]).stem}"
    folder = f"{assets}/species"
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
    unreal.EditorAssetLibrary.save_loaded_asset(kind)
    return kind


def import_meshes(file: Path, folder: str) -> list[object]:
    """Import a GLB file and return its static meshes."""
    task = unreal.AssetImportTask()
    for name, value in {
        "filename": str(file),
        "destination_path": folder,
        "automated": True,
        "replace_existing": True,
        "save": True,
    }.items():
        task.set_editor_property(name, value)
    unreal.AssetToolsHelpers.get_asset_tools().import_asset_tasks([task])
    meshes = [asset for asset in task.get_objects() if isinstance(asset, unreal.StaticMesh)]
    if not meshes:
        raise RuntimeError(f"{file} was not imported; see the log")
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


def place_meshes(meshes: list[object], level: str, kind: str) -> None:
    """Put meshes into the level; they bring their places along."""
    actors = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    for mesh in meshes:
        actor = actors.spawn_actor_from_object(mesh, unreal.Vector(0.0, 0.0, 0.0))
        mark(actor, level, kind)


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
    build(Path(given[0]) if given else Path(__file__).resolve().parent, "--foliage-only" in sys.argv)
