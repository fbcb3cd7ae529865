"""Builds the level of a landscape package: land, water, roads and foliage.  Runs in Unreal's editor.

    Tools > Execute Python Script, or in the Python console:   py "PACKAGE/import_unreal.py" [PACKAGE] [--foliage-only]

Unreal's Python cannot create a Landscape from heights, so the land comes as meshes (turn on Nanite for them).  For a
Landscape, import heights/height_x0_y0.png and the layers in Landscape mode with the location and scale that this script
logs, and run it with --foliage-only.

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
INSTANCE = struct.Struct("<5f")  # x, y, z in centimetres, yaw in degrees, scale


def build(package: Path, foliage_only: bool = False) -> None:
    """Build the level that is open."""
    manifest = json.loads((package / "manifest.json").read_text(encoding="utf-8"))
    if manifest["format"] != "landscape package" or manifest["engine"] != "unreal":
        raise ValueError(f"{package} holds no landscape package for Unreal")
    assets = f"{ASSETS}/{package.name}"
    placement = manifest["placement"]
    unreal.log(f"Landscape: location {placement['landscape_location']}, scale {placement['landscape_scale']}")
    with unreal.ScopedSlowTask(len(manifest["tiles"]) + 1, "Building landscape") as task:
        task.make_dialog(True)
        task.enter_progress_frame(1)
        if not foliage_only:
            for file in manifest["water"]:
                place_meshes(import_meshes(package / file, f"{assets}/water"), "Landscape/Water")
            if "roads" in manifest:
                place_meshes(import_meshes(package / manifest["roads"], f"{assets}/roads"), "Landscape/Roads")
            if "road_records" in manifest:
                records = json.loads((package / manifest["road_records"]).read_text(encoding="utf-8"))
                for road in records["roads"]:
                    add_spline(road)
        foliage = [
            [make_foliage(package, variant["lods"], assets) for variant in species["variants"]]
            for species in manifest["species"]
        ]
        for tile in manifest["tiles"]:
            task.enter_progress_frame(1)
            files = tile["files"]
            if not foliage_only:
                folder = f"{assets}/tile_{tile['column']}_{tile['row']}"
                place_meshes(import_meshes(package / files["land_lod0"], folder), "Landscape/Land")
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
        unreal.EditorAssetLibrary.delete_asset(f"{folder}/{name}")
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


def place_meshes(meshes: list[object], outliner_folder: str) -> None:
    """Put meshes into the level; they bring their places along."""
    actors = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    for mesh in meshes:
        actor = actors.spawn_actor_from_object(mesh, unreal.Vector(0.0, 0.0, 0.0))
        actor.set_folder_path(outliner_folder)


def add_spline(road: dict[str, Any]) -> None:
    """Add an actor with the middle of a road as a spline."""
    actor = unreal.get_editor_subsystem(unreal.EditorActorSubsystem).spawn_actor_from_class(
        unreal.Actor, unreal.Vector(0.0, 0.0, 0.0)
    )
    actor.set_actor_label(f"Road {road['name']}")
    actor.set_folder_path("Landscape/Roads")
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
