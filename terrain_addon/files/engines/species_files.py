"""The species of a package: a file for each level of detail of each variant, and pictures of leaves and far plants."""

from pathlib import Path
from typing import Any

import numpy as np

from ...core.meshing.plant_views import VIEW_MARGIN, VIEW_SHAPE, VIEWS_ALONG
from ..glb_document import GlbDocument
from ..plant_instances import MODEL_PARTS, PlantModel, add_plant_mesh
from ..plant_models import ViewPictures, view_model, views_of
from .engine import Engine, Files, plain_name

PICTURES = "../textures"
"""Folder of pictures, as seen from a GLB file."""

_GLOW = 0.4  # share of the light that comes through leaves
# Shares of the height of a plant: between these heights the stem is measured, so thick it is at most, and so high its
# capsule is.  Plants below so many metres stop nobody.
_TRUNK_FROM, _TRUNK_TO, _THICKEST, _TRUNK_HEIGHT, _LEAST_TREE = 0.01, 0.3, 0.05, 0.4, 2.0


def write_species(root: Path, models: tuple[PlantModel, ...], engine: Engine) -> list[dict[str, Any]]:
    """Write one file for each level of detail of each variant.

    Parameters
    ----------
    root : Path
        The folder of the package.
    models : tuple of PlantModel
        The species.
    engine : Engine
        Says what far plants are.

    Returns
    -------
    list of dict
        The species, for the manifest.
    """
    species = []
    for number, model in enumerate(models):
        own_name = f"{number:02}_{plain_name(model.name)}"
        variants = []
        views = views_of(model) if engine.far != "cards" else None
        quads = None if views is None else view_model(model, views)
        for variant, levels in enumerate(model.meshes):
            files = Files(root)
            last = len(levels) - 1
            for level in range(len(levels)):
                document = GlbDocument()
                is_quad = quads is not None and engine.far == "views" and level == last
                shown, place = (quads, 0) if quads is not None and is_quad else (model, level)
                mesh = add_plant_mesh(document, shown, variant, place, PICTURES)
                node = document.add_node({"name": f"{model.name} {variant} LOD{level}", "mesh": mesh})
                name = f"species/{own_name}_{variant}_lod{level}.glb"
                document.write(files.add(str(level), name), [node], [])
            about_variant: dict[str, Any] = {"lods": list(files.names.values())}
            about_variant |= _trunk_of(model, variant)
            if quads is not None and engine.far == "both":
                document = GlbDocument()
                mesh = add_plant_mesh(document, quads, variant, 0, PICTURES)
                node = document.add_node({"name": f"{model.name} {variant} views", "mesh": mesh})
                name = f"species/{own_name}_{variant}_views.glb"
                document.write(Files(root).add("views", name), [node], [])
                about_variant["views"] = name
            variants.append(about_variant)
        skins = {
            MODEL_PARTS[part]: {
                "colour": f"textures/{skin.name}_colour.png",
                "normal": f"textures/{skin.name}_normal.png",
                "normal_green": "up",  # as glTF wants it: the GLB files share the picture
                "cutoff": skin.cutoff,
                "double_sided": skin.double_sided,
            }
            for part, skin in enumerate(model.skins)
            if skin is not None and not (views is not None and engine.far == "views" and MODEL_PARTS[part] == "far")
        }
        colours = dict(zip(MODEL_PARTS, map(list, model.colours)))
        about = {"id": own_name, "name": model.name, "height_m": model.height, "colours": colours}
        about |= {} if views is None else {"views": _about_views(views, model)}
        species.append(about | {"variants": variants, "skins": skins})
    return species


def _about_views(views: ViewPictures, model: PlantModel) -> dict[str, Any]:
    """Return what a shader needs to know of the views of a plant, for the manifest."""
    return {
        "colour": f"textures/{views.name}_colour.png",
        "surface": f"textures/{views.name}_surface.png",
        "along": VIEWS_ALONG,
        "variants": len(model.meshes),
        "margin_texels": VIEW_MARGIN,
        "margin": [VIEW_MARGIN / texels for texels in VIEW_SHAPE[::-1]],
        "glow": _GLOW if any(skin is not None and skin.double_sided for skin in model.skins) else 0.0,
        "cylinder_m": [model.height * size for size in views.room],
        "cutoff": views.cutoff,
    }


def write_skins(root: Path, models: tuple[PlantModel, ...], engine: Engine) -> None:
    """Write the pictures of leaves and of far plants, each once.

    Parameters
    ----------
    root, models, engine
        As for `write_species`.
    """
    pictures: dict[str, dict[str, bytes]] = {}
    for model in models:
        views = views_of(model) if engine.far != "cards" else None
        pictures |= {} if views is None else {views.name: {"colour": views.colour, "surface": views.surface}}
        for part, skin in enumerate(model.skins):
            if skin is not None and not (views is not None and engine.far == "views" and MODEL_PARTS[part] == "far"):
                pictures[skin.name] = {"colour": skin.colour, "normal": skin.normal}
    for name, kinds in pictures.items():
        for kind, picture in kinds.items():
            Files(root).add("picture", f"textures/{name}_{kind}.png").write_bytes(picture)


def _trunk_of(model: PlantModel, variant: int) -> dict[str, dict[str, float]]:
    """Return the capsule that stops bodies at the stem of a plant, for the manifest."""
    mesh = model.meshes[variant][0]
    bark = mesh.vertices[np.unique(mesh.triangles[mesh.part == MODEL_PARTS.index("bark")])]
    stem = bark[(bark[:, 2] > _TRUNK_FROM) & (bark[:, 2] < _TRUNK_TO)]
    aside = np.hypot(stem[:, 0], stem[:, 1])
    aside = aside[aside < _THICKEST]
    if not mesh.wind.any() or aside.size < 3 or model.height < _LEAST_TREE:
        return {}
    height = float(min(_TRUNK_HEIGHT, bark[:, 2].max()))
    return {"trunk": {"radius_m": float(np.median(aside)) * model.height, "height_m": height * model.height}}
