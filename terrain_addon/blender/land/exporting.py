"""Writing a land as a mesh, and as a package for a game engine."""

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import bpy

from ...core.building.landscape import Landscape
from ...core.foundation.progress import Progress, Steps, mapped
from ...files.compressing import compress
from ...files.engines.package import OwnThings, Package, PackageOptions, write_package_steps
from ...files.landscape_glb import export_landscape
from ...files.own_ground import mean_colours
from ..data.properties import read_recipe
from ..plants.plant_assets import has_own_models
from .building import landscape_steps
from .land_objects import extent_of
from .own_grounds import moving_images, own_grounds
from .own_plant_models import are_plain, own_models

_BUILDING = 0.5  # share of the time that building takes; the rest is writing


def stays_in_blender(land: bpy.types.Object) -> str:
    """Return a sentence on what users chose for a land that files do not hold; empty if they hold all.

    Parameters
    ----------
    land : Object
    """
    species = land.landscape.recipe.ecosystem.species
    own = [
        one.name.replace("_", " ")
        for one in species
        if has_own_models(one.collection) and not are_plain(one.collection)
    ]
    sentence = _named("The objects chosen for", own, "files have the trees of the extension")
    moving = [name.replace("_", " ") for name in moving_images(land.landscape_grounds)]
    return "; ".join(filter(None, (sentence, _named("The movies on", moving, "files have still images"))))


def _named(what: str, names: list[str], instead: str) -> str:
    return f"{what} {', '.join(names)} stay in Blender: {instead}" if names else ""


def export_steps(
    land: bpy.types.Object, path: str, step: int, compressor: Path | None = None
) -> Generator[Progress, bool | None, None]:
    """Return the steps that build a land, from the cache where possible, and write it as glTF.

    Parameters
    ----------
    land : Object
    path : str
        Its ending is one of `files.landscape_glb.MESH_FORMATS`.
    step : int
        The mesh has a vertex at every `step`-th sample.
    compressor : Path, optional
        Makes the file smaller; see `files.compressing`.
    """
    building = landscape_steps(read_recipe(land), extent_of(land), land)
    return _build_and_write(building, partial(_export, path, step, _own_things(land), compressor))


def package_steps(
    land: bpy.types.Object, folder: str, engine: str, options: PackageOptions
) -> Generator[Progress, bool | None, Package]:
    """Return the steps that build a land, from the cache where possible, and write a package for a game engine.

    Parameters
    ----------
    land : Object
    folder : str
        Where the package goes.
    engine : str
        Name of one of `files.engines.package.ENGINES`.
    options : PackageOptions
    """
    building = landscape_steps(read_recipe(land), extent_of(land), land)
    own = _own_things(land)
    return _build_and_write(building, lambda landscape: write_package_steps(folder, landscape, engine, options, own))


def _build_and_write(
    building: Generator[Progress, bool | None, Landscape], write: Callable[[Landscape], Steps[Any]]
) -> Generator[Progress, bool | None, Any]:
    landscape = yield from mapped(building, lambda step: Progress(step.stage, _BUILDING * step.fraction))
    return (
        yield from mapped(write(landscape), lambda share: Progress("writing", _BUILDING + (1.0 - _BUILDING) * share))
    )


def _own_things(land: bpy.types.Object) -> OwnThings:
    return OwnThings(own_models(land), own_grounds(land))


def _export(path: str, step: int, own: OwnThings, compressor: Path | None, landscape: Landscape) -> Steps[None]:
    yield 0.0
    export_landscape(path, landscape, step, own_models=own.models, own_colours=mean_colours(own.ground))
    if compressor is not None:
        yield 0.5
        compress(Path(path), compressor)
