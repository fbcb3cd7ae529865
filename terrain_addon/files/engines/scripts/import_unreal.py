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
CENTIMETRES = 100.0
LOG2_E = 1.442695
SEEN_HEIGHTS = 60.0  # a plant is seen to so many times its height
WIND = (4.0, -1.5)  # metres a second to the east and to the south, until someone changes the materials

# How far wind moves a point of a plant, as a share of its height: a gust takes a second for ten metres.
SWAY = """
float turn = 6.2831853;
float start = dot(Foot.xy, float2(0.001, 0.0007));
float lean = 0.6 + sin(turn * (0.31 * Seconds - start)) * (0.65 + 0.35 * sin(turn * 0.113 * Seconds - start));
float across = sin(turn * (0.425 * Seconds + 0.25) - start);
float swing = sin(turn * (1.7 * Seconds + Branch.x));
float3 along = float3(Wind.x, Wind.y, 0.0) / 10.0;
float3 beside = float3(-along.y, along.x, 0.0);
float3 move = along * (0.02 * lean * Branch.y + 0.006 * swing * Flutter.x) + beside * (0.008 * across * Branch.y);
move.z += 0.0042 * swing * Flutter.x * length(along);
return Height * length(Up) * move;
"""

# Which layer is seen where: of two that meet, the higher one first.  Far away the colours of the whole land are seen.
BLEND = """
float total = 0.0;
float3 colour = 0.0, bump = 0.0, rest = 0.0;
float highest = 0.0;
%s
%s
float coarse = smoothstep(3000.0, 9000.0, Depth);
Normal = normalize(lerp(bump / total, float3(0.0, 0.0, 1.0), 0.8 * coarse));
Rest = lerp(rest / total, float3(1.0, rest.y / total, 0.0), coarse);
return lerp(colour / total, Macro, 0.25 + 0.65 * smoothstep(3000.0, 22000.0, Depth));
"""
HIGHEST = "highest = max(highest, P{0}.z * step(0.01, W{0}) + 2.0 * W{0});"
ADD = """{{
float share = max(P{0}.z + 2.0 * W{0} - highest + 0.2, 0.0) * step(0.01, W{0});
total += share;
colour += share * lerp(C{0}, B{0}, 0.7 * smoothstep(3000.0, 9000.0, Depth));
bump += share * N{0};
rest += share * P{0};
}}"""


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
            light_up(manifest["daylight"], level)
            add_navigation(manifest, level)
            of_tiles = {tile["files"].get("water"): name_of(manifest, tile) for tile in manifest["tiles"]}
            for file in manifest["water"]:
                place_meshes(import_meshes(package / file, f"{assets}/water"), level, "Water", of_tiles.get(file, ""))
            if "roads" in manifest:
                roads = import_meshes(package / manifest["roads"], f"{assets}/roads")
                collide_exactly(roads)
                place_meshes(roads, level, "Roads")
            if "road_records" in manifest:
                records = json.loads((package / manifest["road_records"]).read_text(encoding="utf-8"))
                for road in records["roads"]:
                    add_spline(road, level)
        masters = {part: master_material(f"{assets}/species", part) for part in ("solid", "leaves", "far")}
        foliage = [
            [make_foliage(package, species, variant, assets, masters) for variant in species["variants"]]
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
                if "ground" in manifest["layers"][0]:
                    material = land_material(package, manifest, files, f"{assets}/ground", folder)
                    for mesh in land:
                        mesh.set_material(0, material)
                        unreal.EditorAssetLibrary.save_loaded_asset(mesh)
                place_meshes(land, level, "Land", name_of(manifest, tile))
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


def make_foliage(
    package: Path, species: dict[str, Any], variant: dict[str, Any], assets: str, masters: dict[str, Any]
) -> object:
    """Return a foliage type whose mesh has the levels of detail of a variant, its materials and its stem."""
    levels, folder = variant["lods"], f"{assets}/species"
    meshes = [import_meshes(package / file, f"{folder}/{Path(file).stem}")[0] for file in levels]
    editor = unreal.get_editor_subsystem(unreal.StaticMeshEditorSubsystem)
    for mesh in meshes:
        dress(mesh, package, species, folder, masters)
    for level, mesh in enumerate(meshes[1:], start=1):
        editor.set_lod_from_static_mesh(meshes[0], level, mesh, 0, True)
    dress(meshes[0], package, species, folder, masters)
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


def dress(mesh: Any, package: Path, species: dict[str, Any], folder: str, masters: dict[str, Any]) -> None:
    """Give a mesh the materials of its species; slots have the names of the materials in the GLB file."""
    for number, slot in enumerate(mesh.get_editor_property("static_materials")):
        part = str(slot.get_editor_property("material_slot_name")).replace("_", " ").split(" ")[-1]
        mesh.set_material(number, plant_material(package, species, part, folder, masters))


def plant_material(package: Path, species: dict[str, Any], part: str, folder: str, masters: dict[str, Any]) -> object:
    """Return the material of a part of a species; one that exists is not touched."""
    name = f"MI_{species['name'].replace(' ', '_')}_{part}"
    if unreal.EditorAssetLibrary.does_asset_exist(f"{folder}/{name}"):
        return unreal.EditorAssetLibrary.load_asset(f"{folder}/{name}")
    skin = species["skins"].get(part)
    master = masters["solid" if skin is None else "leaves" if skin["double_sided"] else "far"]
    material = unreal.AssetToolsHelpers.get_asset_tools().create_asset(
        name, folder, unreal.MaterialInstanceConstant, unreal.MaterialInstanceConstantFactoryNew()
    )
    edit = unreal.MaterialEditingLibrary
    edit.set_material_instance_parent(material, master)
    edit.set_material_instance_scalar_parameter_value(material, "Height", CENTIMETRES * species["height_m"])
    if skin is None:
        colour = unreal.LinearColor(*species["colours"][part], 1.0)
        edit.set_material_instance_vector_parameter_value(material, "Colour", colour)
    else:
        pictures = {"Picture": ("colour", skin["cutoff"]), "Normals": ("normal", 0.0)}
        for parameter, (kind, cutoff) in pictures.items():
            picture = import_picture(package / skin[kind], f"{folder}/pictures", cutoff)
            edit.set_material_instance_texture_parameter_value(material, parameter, picture)
    unreal.EditorAssetLibrary.save_loaded_asset(material)
    return material


def import_picture(file: Path, folder: str, cutoff: float = 0.0, kind: str = "normal") -> Any:
    """Import a picture of colours with a cover, or if its cutoff is 0 of colours, normals or other numbers."""
    path = f"{folder}/{file.stem}"
    if unreal.EditorAssetLibrary.does_asset_exist(path):
        return unreal.EditorAssetLibrary.load_asset(path)
    picture = import_file(file, folder)[0]
    compression = unreal.TextureCompressionSettings
    if cutoff > 0.0:
        # Smaller copies cover as much as the picture, so that far trees do not become thin.
        picture.set_editor_property("alpha_coverage_thresholds", unreal.Vector4(0.0, 0.0, 0.0, cutoff))
    elif kind == "normal":
        picture.set_editor_property("srgb", False)
        picture.set_editor_property("compression_settings", compression.TC_NORMALMAP)
        picture.set_editor_property("flip_green_channel", True)  # the files have green up
    elif kind != "colour":
        picture.set_editor_property("srgb", False)
        picture.set_editor_property("compression_settings", compression.TC_MASKS)
    unreal.EditorAssetLibrary.save_loaded_asset(picture)
    return picture


def land_material(package: Path, manifest: dict[str, Any], files: dict[str, str], shared: str, folder: str) -> Any:
    """Return the material of the ground of a tile; one that exists is not touched."""
    edit, assets = unreal.MaterialEditingLibrary, unreal.EditorAssetLibrary
    layers = manifest["layers"]
    if assets.does_asset_exist(f"{folder}/MI_ground"):
        return assets.load_asset(f"{folder}/MI_ground")
    if assets.does_asset_exist(f"{shared}/M_ground"):
        master = assets.load_asset(f"{shared}/M_ground")
    else:
        master = ground_material(package, layers, shared)
    material = unreal.AssetToolsHelpers.get_asset_tools().create_asset(
        "MI_ground", folder, unreal.MaterialInstanceConstant, unreal.MaterialInstanceConstantFactoryNew()
    )
    edit.set_material_instance_parent(material, master)
    macro = import_picture(package / files["colour"], folder, kind="colour")
    edit.set_material_instance_texture_parameter_value(material, "Macro", macro)
    for number, layer in enumerate(layers):
        weights = import_picture(package / files[f"layer_{layer['name']}"], folder, kind="weights")
        edit.set_material_instance_texture_parameter_value(material, f"W{number}", weights)
    assets.save_loaded_asset(material)
    return material


def ground_material(package: Path, layers: list[dict[str, Any]], folder: str) -> Any:
    """Return the material that the ground of all tiles is an instance of."""
    material = unreal.AssetToolsHelpers.get_asset_tools().create_asset(
        "M_ground", folder, unreal.Material, unreal.MaterialFactoryNew()
    )
    edit = unreal.MaterialEditingLibrary
    kinds, sources = unreal.MaterialSamplerType, unreal.SamplerSourceMode

    def node(kind: Any, **properties: Any) -> Any:
        made = edit.create_material_expression(material, kind, -900, 0)
        for key, value in properties.items():
            made.set_editor_property(key, value)
        return made

    def sampled(name: str, kind: Any, place: Any, picture: Any) -> Any:
        # Shared samplers: a material has no more than 16 of its own.
        own = {"sampler_source": sources.SSM_CLAMP_WORLD_GROUP_SETTINGS}
        if place is not None:
            own = {"sampler_source": sources.SSM_WRAP_WORLD_GROUP_SETTINGS}
        if picture is not None:
            own["texture"] = picture
        made = node(unreal.MaterialExpressionTextureSampleParameter2D, parameter_name=name, sampler_type=kind, **own)
        if place is not None:
            edit.connect_material_expressions(place, "", made, "UVs")
        return made

    def times(place: Any, factor: float) -> Any:
        made = node(unreal.MaterialExpressionMultiply, const_b=factor)
        edit.connect_material_expressions(place, "", made, "A")
        return made

    ground = node(unreal.MaterialExpressionComponentMask, r=True, g=True, b=False, a=False)
    edit.connect_material_expressions(node(unreal.MaterialExpressionWorldPosition), "", ground, "")
    inputs = {
        "Macro": (sampled("Macro", kinds.SAMPLERTYPE_COLOR, None, None), "RGB"),
        "Depth": (node(unreal.MaterialExpressionPixelDepth), ""),
    }
    for number, layer in enumerate(layers):
        about = layer["ground"]
        colour, normal, packed = (
            import_picture(package / about[kind], folder, kind=kind) for kind in ("colour", "normal", "packed")
        )
        near = times(ground, 1.0 / (CENTIMETRES * about["side_m"]))
        # The same picture six times as large: no whole number of one fits into the other.
        inputs[f"C{number}"] = sampled(f"C{number}", kinds.SAMPLERTYPE_COLOR, near, colour), "RGB"
        inputs[f"B{number}"] = sampled(f"B{number}", kinds.SAMPLERTYPE_COLOR, times(near, 0.1618), colour), "RGB"
        inputs[f"N{number}"] = sampled(f"N{number}", kinds.SAMPLERTYPE_NORMAL, near, normal), "RGB"
        inputs[f"P{number}"] = sampled(f"P{number}", kinds.SAMPLERTYPE_MASKS, near, packed), "RGB"
        inputs[f"W{number}"] = sampled(f"W{number}", kinds.SAMPLERTYPE_MASKS, None, None), "R"
    names = []
    for name in inputs:
        names.append(unreal.CustomInput())
        names[-1].set_editor_property("input_name", name)
    more = []
    for name in ("Normal", "Rest"):
        more.append(unreal.CustomOutput())
        more[-1].set_editor_property("output_name", name)
        more[-1].set_editor_property("output_type", unreal.CustomMaterialOutputType.CMOT_FLOAT3)
    numbers = range(len(layers))
    code = BLEND % ("\n".join(map(HIGHEST.format, numbers)), "\n".join(map(ADD.format, numbers)))
    blend = node(
        unreal.MaterialExpressionCustom,
        code=code,
        inputs=names,
        additional_outputs=more,
        output_type=unreal.CustomMaterialOutputType.CMOT_FLOAT3,
    )
    for name, (source, channel) in inputs.items():
        edit.connect_material_expressions(source, channel, blend, name)
    edit.connect_material_property(blend, "return", unreal.MaterialProperty.MP_BASE_COLOR)
    edit.connect_material_property(blend, "Normal", unreal.MaterialProperty.MP_NORMAL)
    for channel, target in (
        ("r", unreal.MaterialProperty.MP_AMBIENT_OCCLUSION),
        ("g", unreal.MaterialProperty.MP_ROUGHNESS),
    ):
        only = node(unreal.MaterialExpressionComponentMask, r=channel == "r", g=channel == "g", b=False, a=False)
        edit.connect_material_expressions(blend, "Rest", only, "")
        edit.connect_material_property(only, "", target)
    edit.recompile_material(material)
    unreal.EditorAssetLibrary.save_loaded_asset(material)
    return material


def master_material(folder: str, part: str) -> object:
    """Return the material that those of all species are instances of: solid parts, leaves, or far plants."""
    name = f"M_plants_{part}"
    if unreal.EditorAssetLibrary.does_asset_exist(f"{folder}/{name}"):
        return unreal.EditorAssetLibrary.load_asset(f"{folder}/{name}")
    material = unreal.AssetToolsHelpers.get_asset_tools().create_asset(
        name, folder, unreal.Material, unreal.MaterialFactoryNew()
    )
    edit = unreal.MaterialEditingLibrary

    def node(kind: Any, **properties: Any) -> Any:
        made = edit.create_material_expression(material, kind, -600, 0)
        for key, value in properties.items():
            made.set_editor_property(key, value)
        return made

    shade = node(unreal.MaterialExpressionVertexColor)
    colour = node(unreal.MaterialExpressionMultiply)
    edit.connect_material_expressions(shade, "", colour, "A")
    if part == "solid":
        own = node(unreal.MaterialExpressionVectorParameter, parameter_name="Colour")
        edit.connect_material_expressions(own, "", colour, "B")
    else:
        material.set_editor_property("blend_mode", unreal.BlendMode.BLEND_MASKED)
        material.set_editor_property("opacity_mask_clip_value", 0.4 if part == "leaves" else 0.5)
        own = node(unreal.MaterialExpressionTextureSampleParameter2D, parameter_name="Picture")
        bumps = node(
            unreal.MaterialExpressionTextureSampleParameter2D,
            parameter_name="Normals",
            sampler_type=unreal.MaterialSamplerType.SAMPLERTYPE_NORMAL,
        )
        if part == "leaves":
            # In small copies of leaves there are no holes, and twigs would become solid.
            own.set_editor_property("mip_value_mode", unreal.TextureMipValueMode.TMVM_MIP_BIAS)
            own.set_editor_property("const_mip_value", -2)
        edit.connect_material_expressions(own, "RGB", colour, "B")
        edit.connect_material_property(own, "A", unreal.MaterialProperty.MP_OPACITY_MASK)
        edit.connect_material_property(bumps, "RGB", unreal.MaterialProperty.MP_NORMAL)
    if part == "leaves":
        material.set_editor_property("two_sided", True)
        material.set_editor_property("shading_model", unreal.MaterialShadingModel.MSM_TWO_SIDED_FOLIAGE)
        edit.connect_material_property(colour, "", unreal.MaterialProperty.MP_SUBSURFACE_COLOR)
    edit.connect_material_property(colour, "", unreal.MaterialProperty.MP_BASE_COLOR)
    edit.connect_material_property(
        node(unreal.MaterialExpressionConstant, r=1.0), "", unreal.MaterialProperty.MP_ROUGHNESS
    )
    edit.connect_material_property(sway(edit, node), "", unreal.MaterialProperty.MP_WORLD_POSITION_OFFSET)
    edit.set_material_usage(material, unreal.MaterialUsage.MATUSAGE_INSTANCED_STATIC_MESHES)
    edit.recompile_material(material)
    unreal.EditorAssetLibrary.save_loaded_asset(material)
    return material


def sway(edit: Any, node: Any) -> Any:
    """Return the node that says how far wind moves a place, in centimetres of the world."""
    zero = node(unreal.MaterialExpressionConstant3Vector)
    upward = node(unreal.MaterialExpressionConstant3Vector, constant=unreal.LinearColor(0.0, 0.0, 1.0, 0.0))
    foot = node(
        unreal.MaterialExpressionTransformPosition,
        transform_source_type=unreal.MaterialPositionTransformSource.TRANSFORMPOSSOURCE_INSTANCE,
        transform_type=unreal.MaterialPositionTransformSource.TRANSFORMPOSSOURCE_WORLD,
    )
    up = node(
        unreal.MaterialExpressionTransform,
        transform_source_type=unreal.MaterialVectorCoordTransformSource.TRANSFORMSOURCE_INSTANCE,
        transform_type=unreal.MaterialVectorCoordTransform.TRANSFORM_WORLD,
    )
    edit.connect_material_expressions(zero, "", foot, "")
    edit.connect_material_expressions(upward, "", up, "")
    inputs = {
        "Foot": foot,
        "Up": up,
        "Branch": node(unreal.MaterialExpressionTextureCoordinate, coordinate_index=1),
        "Flutter": node(unreal.MaterialExpressionTextureCoordinate, coordinate_index=2),
        "Seconds": node(unreal.MaterialExpressionTime),
        "Height": node(unreal.MaterialExpressionScalarParameter, parameter_name="Height", default_value=CENTIMETRES),
        "Wind": node(
            unreal.MaterialExpressionVectorParameter,
            parameter_name="Wind",
            default_value=unreal.LinearColor(*WIND, 0.0, 0.0),
        ),
    }
    names = []
    for name in inputs:
        names.append(unreal.CustomInput())
        names[-1].set_editor_property("input_name", name)
    made = node(
        unreal.MaterialExpressionCustom,
        code=SWAY,
        inputs=names,
        output_type=unreal.CustomMaterialOutputType.CMOT_FLOAT3,
    )
    for name, source in inputs.items():
        edit.connect_material_expressions(source, "", made, name)
    return made


def import_meshes(file: Path, folder: str) -> list[Any]:
    """Import a GLB file and return its static meshes."""
    meshes = [asset for asset in import_file(file, folder) if isinstance(asset, unreal.StaticMesh)]
    if not meshes:
        raise RuntimeError(f"{file} was not imported; see the log")
    return meshes


def import_file(file: Path, folder: str) -> list[Any]:
    """Import a file and return its assets."""
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
    return list(task.get_objects())


def collide_exactly(meshes: list[Any]) -> None:
    """Let meshes stop bodies at their own triangles: imported ones have a box around them, or nothing."""
    for mesh in meshes:
        setup = mesh.get_editor_property("body_setup")
        setup.set_editor_property("collision_trace_flag", unreal.CollisionTraceFlag.CTF_USE_COMPLEX_AS_SIMPLE)
        mesh.set_editor_property("body_setup", setup)
        unreal.EditorAssetLibrary.save_loaded_asset(mesh)


def name_of(manifest: dict[str, Any], tile: dict[str, Any]) -> str:
    """Return the column and row of a tile as World Partition counts them: from the north-west."""
    return f"_x{tile['column']}_y{manifest['tile_rows'] - 1 - tile['row']}"


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


def place_meshes(meshes: list[object], level: str, kind: str, tile: str = "") -> None:
    """Put meshes into the level; they bring their places along.  World Partition loads those of a tile by distance."""
    actors = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    for number, mesh in enumerate(meshes):
        actor = actors.spawn_actor_from_object(mesh, unreal.Vector(0.0, 0.0, 0.0))
        mark(actor, level, kind)
        actor.set_actor_label(f"{level}_{kind}{tile}_{number}")
        actor.set_editor_property("is_spatially_loaded", bool(tile))


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
    build(Path(given[0]) if given else Path(__file__).resolve().parent, "--foliage-only" in sys.argv)
