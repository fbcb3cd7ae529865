"""Materials of a landscape package in Unreal: of plants, far plants and the ground, for import_unreal.py."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import unreal  # type: ignore[import-not-found]

CENTIMETRES = 100.0
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


ready: dict[str, Any] = {}
"""Materials of plants that this run has made or filled anew, by their names."""


def plant_material(package: Path, species: dict[str, Any], part: str, folder: str) -> Any:
    """Return the material of a part of a species, with the pictures and sizes of the package."""
    name = f"MI_{species['id']}_{part}"
    if name in ready:
        return ready[name]
    views = species.get("views") if part == "far" else None
    skin = species["skins"].get(part)
    pictures = {}
    if views is not None:
        pictures["Picture"] = import_picture(package / views["colour"], f"{folder}/pictures", kind="views")
        pictures["Surface"] = import_picture(package / views["surface"], f"{folder}/pictures", kind="numbers")
    elif skin is not None:
        kind = "leaves" if skin["double_sided"] else "far"
        pictures["Picture"] = import_picture(package / skin["colour"], f"{folder}/pictures", skin["cutoff"])
        pictures["Normals"] = import_picture(package / skin["normal"], f"{folder}/pictures")
    else:
        kind = "solid"
    by_kind = (
        views_material(package, folder, pictures) if views is not None else master_material(folder, kind, pictures)
    )
    material = instance(name, folder, by_kind)
    numbers = {"Height": CENTIMETRES * species["height_m"]}
    vectors = {} if pictures else {"Colour": species["colours"][part]}
    if views is not None:
        numbers |= {"Cutoff": views["cutoff"], "Glow": views["glow"]}
        vectors["Cylinder"] = views["cylinder_m"]
        vectors["Grid"] = [views["along"], views["variants"], 0.0]
        vectors["Margin"] = [*views["margin"], 0.0]
    fill(material, numbers, {name: (*vector, 1.0) for name, vector in vectors.items()}, pictures)
    ready[name] = material
    return material


def instance(name: str, folder: str, master: Any) -> Any:
    """Return the material of this name, which an earlier run may have made, as an instance of a master material."""
    if unreal.EditorAssetLibrary.does_asset_exist(f"{folder}/{name}"):
        material = unreal.EditorAssetLibrary.load_asset(f"{folder}/{name}")
    else:
        material = unreal.AssetToolsHelpers.get_asset_tools().create_asset(
            name, folder, unreal.MaterialInstanceConstant, unreal.MaterialInstanceConstantFactoryNew()
        )
    unreal.MaterialEditingLibrary.set_material_instance_parent(material, master)
    return material


def fill(
    material: Any, numbers: dict[str, float], vectors: dict[str, tuple[float, ...]], pictures: dict[str, Any]
) -> None:
    """Set the parameters that a package knows, and no others, so that wind that someone has set stays."""
    edit = unreal.MaterialEditingLibrary
    for parameter, number in numbers.items():
        edit.set_material_instance_scalar_parameter_value(material, parameter, number)
    for parameter, vector in vectors.items():
        edit.set_material_instance_vector_parameter_value(material, parameter, unreal.LinearColor(*vector))
    for parameter, picture in pictures.items():
        edit.set_material_instance_texture_parameter_value(material, parameter, picture)
    edit.update_material_instance(material)
    unreal.EditorAssetLibrary.save_loaded_asset(material)


@cache
def import_picture(file: Path, folder: str, cutoff: float = 0.0, kind: str = "leaf_normal") -> Any:
    """Import a picture of colours with a cover, or if its cutoff is 0 of colours, normals or other numbers.

    It replaces that of an earlier run; in this run it comes in once, although many materials ask for it.
    """
    picture = import_file(file, folder)[0]
    compression = unreal.TextureCompressionSettings
    if cutoff > 0.0:
        # Smaller copies cover as much as the picture, so that far trees do not become thin.
        picture.set_editor_property("alpha_coverage_thresholds", unreal.Vector4(0.0, 0.0, 0.0, cutoff))
        with suppress(Exception):  # versions without this switch need none, and say so in this way
            picture.set_editor_property("do_scale_mips_for_alpha_coverage", True)
    elif kind in ("views", "numbers"):
        # A node of code reads them; pictures of virtual textures would need other code.
        picture.set_editor_property("virtual_texture_streaming", False)
        picture.set_editor_property("compression_settings", compression.TC_BC7)
        picture.set_editor_property("srgb", kind == "views")
        # Only sides of powers of two have smaller copies.  Unreal 5.1 and 5.2 cannot stretch: far plants flicker there.
        stretched = getattr(unreal.TexturePowerOfTwoSetting, "STRETCH_TO_POWER_OF_TWO", None)
        if stretched is not None:
            picture.set_editor_property("power_of_two_mode", stretched)
    elif kind in ("normal", "leaf_normal"):
        picture.set_editor_property("srgb", False)
        picture.set_editor_property("compression_settings", compression.TC_NORMALMAP)
        # Pictures that GLB files share have green up, as glTF wants it; those of the ground have it down.
        picture.set_editor_property("flip_green_channel", kind == "leaf_normal")
    elif kind != "colour":
        picture.set_editor_property("srgb", False)
        picture.set_editor_property("compression_settings", compression.TC_MASKS)
    unreal.EditorAssetLibrary.save_loaded_asset(picture)
    return picture


def land_material(package: Path, manifest: dict[str, Any], tile: dict[str, Any], folder: str, grass: list[Any]) -> Any:
    """Return the material of the ground of a tile, for its mesh or for a Landscape, with what the package says of it.

    Its master, and the pictures of single layers in it, are kept if they exist.
    """
    assets = unreal.EditorAssetLibrary
    files, layers = tile["files"], manifest["layers"]
    pictures = {"Macro": import_picture(package / files["colour"], folder, kind="colour")}
    for number, layer in enumerate(layers):
        picture = import_picture(package / files[f"layer_{layer['name']}"], folder, kind="weights")
        pictures[f"W{number}"] = picture
    for number, kind in enumerate(manifest["details"]):
        picture = import_picture(package / files[f"density_{kind['name']}"], folder, kind="weights")
        pictures[f"D{number}"] = picture
    if assets.does_asset_exist(f"{folder}/M_ground"):
        master = assets.load_asset(f"{folder}/M_ground")
    else:
        master = ground_material(package, layers, folder, pictures, grass)
    material = instance(f"MI_ground{name_of(manifest, tile)}", folder, master)
    # A sample of the land is the middle of a texel; the first texel lies in the north-west.
    about = manifest["tile"]
    factors = [
        (count - 1) / (count * CENTIMETRES * size)
        for count, size in ((about["columns"], about["width_m"]), (about["rows"], about["depth_m"]))
    ]
    corner = CENTIMETRES * tile["west_m"], -CENTIMETRES * (tile["south_m"] + about["depth_m"])
    offsets = [
        0.5 / count - factor * start for count, factor, start in zip((about["columns"], about["rows"]), factors, corner)
    ]
    fill(material, {}, {"Factor": (*factors, 0.0, 0.0), "Offset": (*offsets, 0.0, 0.0)}, pictures)
    return material


def ground_material(
    package: Path, layers: list[dict[str, Any]], folder: str, pictures: dict[str, Any], grass: list[Any]
) -> Any:
    """Return the material that the ground of all tiles is an instance of, with pictures of one of them."""
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

    def sampled(name: str, kind: Any, place: Any, picture: Any = None) -> Any:
        # Shared samplers: a material has no more than 16 of its own.  A node without a picture of its kind is an error.
        source = sources.SSM_CLAMP_WORLD_GROUP_SETTINGS if picture is None else sources.SSM_WRAP_WORLD_GROUP_SETTINGS
        made = node(
            unreal.MaterialExpressionTextureSampleParameter2D,
            parameter_name=name,
            sampler_type=kind,
            sampler_source=source,
            texture=picture or pictures[name],
        )
        edit.connect_material_expressions(place, "", made, "UVs")
        return made

    def times(place: Any, factor: float) -> Any:
        made = node(unreal.MaterialExpressionMultiply, const_b=factor)
        edit.connect_material_expressions(place, "", made, "A")
        return made

    ground = node(unreal.MaterialExpressionComponentMask, r=True, g=True, b=False, a=False)
    edit.connect_material_expressions(node(unreal.MaterialExpressionWorldPosition), "", ground, "")
    offsets = {
        name: node(unreal.MaterialExpressionVectorParameter, parameter_name=name) for name in ("Factor", "Offset")
    }
    # By places of the world: a mesh and a Landscape have them in common, and they are more exact than those of a mesh.
    whole = coded(node, edit, "return Place.xy * Factor.xy + Offset.xy;", {"Place": ground, **offsets}, "CMOT_FLOAT2")
    inputs = {
        "Macro": (sampled("Macro", kinds.SAMPLERTYPE_COLOR, whole), "RGB"),
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
        inputs[f"W{number}"] = sampled(f"W{number}", kinds.SAMPLERTYPE_MASKS, whole), "R"
    numbers = range(len(layers))
    code = BLEND % ("\n".join(map(HIGHEST.format, numbers)), "\n".join(map(ADD.format, numbers)))
    blend = coded(node, edit, code, inputs, more={"Normal": "CMOT_FLOAT3", "Rest": "CMOT_FLOAT3"})
    edit.connect_material_property(blend, "return", unreal.MaterialProperty.MP_BASE_COLOR)
    edit.connect_material_property(blend, "Normal", unreal.MaterialProperty.MP_NORMAL)
    for channel, target in (
        ("r", unreal.MaterialProperty.MP_AMBIENT_OCCLUSION),
        ("g", unreal.MaterialProperty.MP_ROUGHNESS),
    ):
        only = node(unreal.MaterialExpressionComponentMask, r=channel == "r", g=channel == "g", b=False, a=False)
        edit.connect_material_expressions(blend, "Rest", only, "")
        edit.connect_material_property(only, "", target)
    output, given = node(unreal.MaterialExpressionLandscapeGrassOutput), []
    for number, kind in enumerate(grass):
        given.append(unreal.GrassInput())
        given[-1].set_editor_property("name", f"Grass{number}")
        given[-1].set_editor_property("grass_type", kind)
    output.set_editor_property("grass_types", given)
    for number in range(len(grass)):
        density = sampled(f"D{number}", kinds.SAMPLERTYPE_MASKS, whole)
        edit.connect_material_expressions(density, "R", output, f"Grass{number}")
    edit.recompile_material(material)
    unreal.EditorAssetLibrary.save_loaded_asset(material)
    return material


def coded(
    node: Any,
    edit: Any,
    code: str,
    inputs: dict[str, Any],
    output: str = "CMOT_FLOAT3",
    more: dict[str, str] | None = None,
) -> Any:
    """Return a node of code; an input is a node, or a node and the name of its output."""
    names, others = [], []
    for name in inputs:
        names.append(unreal.CustomInput())
        names[-1].set_editor_property("input_name", name)
    for name, kind in (more or {}).items():
        others.append(unreal.CustomOutput())
        others[-1].set_editor_property("output_name", name)
        others[-1].set_editor_property("output_type", getattr(unreal.CustomMaterialOutputType, kind))
    made = node(
        unreal.MaterialExpressionCustom,
        code=code,
        inputs=names,
        additional_outputs=others,
        output_type=getattr(unreal.CustomMaterialOutputType, output),
    )
    for name, given in inputs.items():
        source, channel = given if isinstance(given, tuple) else (given, "")
        edit.connect_material_expressions(source, channel, made, name)
    return made


def views_material(package: Path, folder: str, pictures: dict[str, Any]) -> Any:
    """Return the material of far plants that show views from all sides on a quad before the eye."""
    name = "M_plants_views"
    if unreal.EditorAssetLibrary.does_asset_exist(f"{folder}/{name}"):
        return unreal.EditorAssetLibrary.load_asset(f"{folder}/{name}")
    material = unreal.AssetToolsHelpers.get_asset_tools().create_asset(
        name, folder, unreal.Material, unreal.MaterialFactoryNew()
    )
    edit, properties = unreal.MaterialEditingLibrary, unreal.MaterialProperty

    def node(kind: Any, **properties: Any) -> Any:
        made = edit.create_material_expression(material, kind, -600, 0)
        for key, value in properties.items():
            made.set_editor_property(key, value)
        return made

    def less(first: Any, second: Any) -> Any:
        made = node(unreal.MaterialExpressionSubtract)
        edit.connect_material_expressions(first, "", made, "A")
        edit.connect_material_expressions(second, "", made, "B")
        return made

    def for_texels(source: Any) -> Any:
        made = node(unreal.MaterialExpressionVertexInterpolator)
        edit.connect_material_expressions(source, "", made, "")
        return made

    def vector(name: str) -> Any:
        return node(unreal.MaterialExpressionVectorParameter, parameter_name=name)

    def picture(name: str, kind: Any) -> Any:
        return node(
            unreal.MaterialExpressionTextureObjectParameter,
            parameter_name=name,
            texture=pictures[name],
            sampler_type=kind,
        )

    material.set_editor_property("blend_mode", unreal.BlendMode.BLEND_MASKED)
    material.set_editor_property("opacity_mask_clip_value", 0.5)
    material.set_editor_property("two_sided", True)
    material.set_editor_property("shading_model", unreal.MaterialShadingModel.MSM_TWO_SIDED_FOLIAGE)
    material.set_editor_property("tangent_space_normal", False)
    material.set_editor_property("dithered_lod_transition", True)
    foot, up = stand(edit, node)
    east = to_world(edit, node, unreal.LinearColor(1.0, 0.0, 0.0, 0.0))
    camera = node(unreal.MaterialExpressionCameraPositionWS)
    still = unreal.WorldPositionIncludedOffsets.WPT_EXCLUDE_ALL_SHADER_OFFSETS
    own = less(node(unreal.MaterialExpressionWorldPosition, world_position_shader_offset=still), foot)
    shared = {
        "UV": node(unreal.MaterialExpressionTextureCoordinate, coordinate_index=0),
        "Cylinder": vector("Cylinder"),
        "Grid": vector("Grid"),
    }
    corners = {"Eye": less(camera, foot), "East": east, "Up": up, "Sway": sway(edit, node)}
    place = (package / "shaders" / "far_plants_place.hlsl").read_text(encoding="utf-8")
    moved = coded(node, edit, place, shared | corners | {"Own": own})
    edit.connect_material_property(moved, "", properties.MP_WORLD_POSITION_OFFSET)
    kinds = unreal.MaterialSamplerType
    texels = {name: for_texels(source) for name, source in corners.items()}
    texels |= {
        "Ray": less(node(unreal.MaterialExpressionWorldPosition), camera),
        "Margin": vector("Margin"),
        "Cutoff": node(unreal.MaterialExpressionScalarParameter, parameter_name="Cutoff", default_value=0.5),
        "Picture": picture("Picture", kinds.SAMPLERTYPE_COLOR),
        "Surface": picture("Surface", kinds.SAMPLERTYPE_LINEAR_COLOR),
    }
    code = (package / "shaders" / "far_plants_colour.hlsl").read_text(encoding="utf-8")
    seen = coded(node, edit, code, shared | texels, more={"Cover": "CMOT_FLOAT1", "Bump": "CMOT_FLOAT3"})
    edit.connect_material_property(seen, "return", properties.MP_BASE_COLOR)
    edit.connect_material_property(seen, "Cover", properties.MP_OPACITY_MASK)
    edit.connect_material_property(seen, "Bump", properties.MP_NORMAL)
    through = node(unreal.MaterialExpressionMultiply)
    edit.connect_material_expressions(seen, "return", through, "A")
    glow = node(unreal.MaterialExpressionScalarParameter, parameter_name="Glow", default_value=0.0)
    edit.connect_material_expressions(glow, "", through, "B")
    edit.connect_material_property(through, "", properties.MP_SUBSURFACE_COLOR)
    edit.connect_material_property(node(unreal.MaterialExpressionConstant, r=1.0), "", properties.MP_ROUGHNESS)
    edit.set_material_usage(material, unreal.MaterialUsage.MATUSAGE_INSTANCED_STATIC_MESHES)
    edit.recompile_material(material)
    unreal.EditorAssetLibrary.save_loaded_asset(material)
    return material


def master_material(folder: str, part: str, pictures: dict[str, Any]) -> object:
    """Return the material that those of all species are instances of: solid parts, leaves, or far cards.

    It has pictures of one of them: without pictures of the right kind it could not be compiled.
    """
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
        sampler = unreal.MaterialExpressionTextureSampleParameter2D
        own = node(sampler, parameter_name="Picture", texture=pictures["Picture"])
        bumps = node(
            sampler,
            parameter_name="Normals",
            texture=pictures["Normals"],
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
    material.set_editor_property("dithered_lod_transition", True)
    edit.connect_material_property(sway(edit, node), "", unreal.MaterialProperty.MP_WORLD_POSITION_OFFSET)
    edit.set_material_usage(material, unreal.MaterialUsage.MATUSAGE_INSTANCED_STATIC_MESHES)
    edit.recompile_material(material)
    unreal.EditorAssetLibrary.save_loaded_asset(material)
    return material


def to_world(edit: Any, node: Any, axis: Any) -> Any:
    """Return the node of an axis of a plant in the world, as long as the plant is scaled."""
    turned = node(
        unreal.MaterialExpressionTransform,
        transform_source_type=unreal.MaterialVectorCoordTransformSource.TRANSFORMSOURCE_INSTANCE,
        transform_type=unreal.MaterialVectorCoordTransform.TRANSFORM_WORLD,
    )
    given = node(unreal.MaterialExpressionConstant3Vector, constant=axis)
    edit.connect_material_expressions(given, "", turned, "")
    return turned


def stand(edit: Any, node: Any) -> tuple[Any, Any]:
    """Return the nodes of the foot of a plant and of its axis upwards, in the world."""
    foot = node(
        unreal.MaterialExpressionTransformPosition,
        transform_source_type=unreal.MaterialPositionTransformSource.TRANSFORMPOSSOURCE_INSTANCE,
        transform_type=unreal.MaterialPositionTransformSource.TRANSFORMPOSSOURCE_WORLD,
    )
    edit.connect_material_expressions(node(unreal.MaterialExpressionConstant3Vector), "", foot, "")
    return foot, to_world(edit, node, unreal.LinearColor(0.0, 0.0, 1.0, 0.0))


def sway(edit: Any, node: Any) -> Any:
    """Return the node that says how far wind moves a place, in centimetres of the world."""
    foot, up = stand(edit, node)
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
    return coded(node, edit, SWAY, inputs)


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


def name_of(manifest: dict[str, Any], tile: dict[str, Any]) -> str:
    """Return the column and row of a tile as World Partition counts them: from the north-west."""
    return f"_x{tile['column']}_y{manifest['tile_rows'] - 1 - tile['row']}"
