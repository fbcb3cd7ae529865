"""A library of assets: the plants, rocks and materials of the extension, for Blender's asset browser.

It is one .blend file and a list of catalogs in a folder of its own.  Objects are the default models; users drag them
into any scene, or put them into a collection of their own that a species then names.
"""

from collections.abc import Iterator
from pathlib import Path

import bpy

from ...core.building.recipe import Appearance
from ...core.ecosystem.plant_form import PlantForm
from ...core.ecosystem.plants import VARIANTS
from ...core.meshing.plant_meshes import LEVELS, PARTS
from ..data import pictures
from ..data.preferences import asset_folder
from ..look.ground_material import GROUND_GROUP, ground_group, land_material
from ..look.plant_materials import plant_material
from ..look.water_material import water_material
from ..plants.plant_assets import plant_mesh

LIBRARY_NAME = "Landscape"
_FILE = "landscape_assets.blend"
_CATALOGS_FILE = "blender_assets.cats.txt"
# Catalogs by the path that users see; Blender knows them by these numbers, which must stay as they are.
_CATALOGS = {
    "Landscape/Plants": "5c0d1c55-6f0b-4b0e-9a35-0f4c8f7a5d01",
    "Landscape/Dead Wood": "5c0d1c55-6f0b-4b0e-9a35-0f4c8f7a5d02",
    "Landscape/Rocks": "5c0d1c55-6f0b-4b0e-9a35-0f4c8f7a5d03",
    "Landscape/Materials": "5c0d1c55-6f0b-4b0e-9a35-0f4c8f7a5d04",
    "Landscape/Shaders": "5c0d1c55-6f0b-4b0e-9a35-0f4c8f7a5d05",
}
_LICENSE = "CC0"
_AUTHOR = "Landscape"


def make_asset_library() -> Path:
    """Write the library and tell Blender where it is; an older one is replaced.

    Data-blocks that are made for it are removed again, so this is for operators only.

    Returns
    -------
    Path
        The .blend file.

    Raises
    ------
    ValueError
        If the file cannot be written.
    """
    folder = Path(asset_folder())
    path = folder / _FILE
    before = {block.session_uid for block in _possible_blocks()}
    assets, marked = set(), []
    try:
        for block, catalog, form in _blocks():
            assets.add(block)
            if block.asset_data is None:  # otherwise users have put it into a catalog of their own
                marked.append(block)
                _mark(block, catalog, form)
        try:
            bpy.data.libraries.write(str(path), assets, fake_user=True, compress=True)
            _write_catalogs(folder / _CATALOGS_FILE)
        except (RuntimeError, OSError) as error:
            raise ValueError(f"{path} cannot be written: {error}") from None
    finally:
        for block in marked:
            block.asset_clear()
        bpy.data.batch_remove([block for block in _possible_blocks() if block.session_uid not in before])
    _register(folder)
    return path


def _blocks() -> Iterator[tuple[bpy.types.ID, str, PlantForm | None]]:
    """All assets with their catalogs, and the form of those that are plants.

    A collection holds all variants and levels of detail of a form, as species take them; the finest are assets too.
    """
    for form in PlantForm:
        collection = bpy.data.collections.new(form.words.capitalize())
        for variant in range(VARIANTS):
            for level in range(LEVELS):
                name = f"{form.words.capitalize()} {variant + 1}_LOD{level}"
                plant = bpy.data.objects.new(name, plant_mesh(form.value, variant, level))
                collection.objects.link(plant)
                if level == 0:
                    yield plant, _catalog_of(form), form
        yield collection, _catalog_of(form), form
    for part in PARTS:
        yield plant_material(part), "Landscape/Materials", None
    ground = land_material(Appearance())
    ground.name = GROUND_GROUP
    yield ground, "Landscape/Materials", None
    yield water_material(), "Landscape/Materials", None
    yield ground_group(), "Landscape/Shaders", None


def _catalog_of(form: PlantForm) -> str:
    if form is PlantForm.ROCK:
        return "Landscape/Rocks"
    return "Landscape/Dead Wood" if form.lasts else "Landscape/Plants"


def _mark(block: bpy.types.ID, catalog: str, form: PlantForm | None) -> None:
    """Make a data-block an asset, with a picture if it is a plant."""
    block.asset_mark()
    data = block.asset_data
    data.catalog_id, data.author, data.license = _CATALOGS[catalog], _AUTHOR, _LICENSE
    data.tags.new("landscape")
    if form is not None:
        data.description = form.description
        pixels = pictures.plant_pixels(form.value)
        picture = block.preview_ensure()
        picture.image_size = pixels.shape[:2]
        picture.image_pixels_float[:] = pixels.ravel()


def _possible_blocks() -> Iterator[bpy.types.ID]:
    """All data-blocks of the kinds that the library needs."""
    for kind in ("collections", "objects", "meshes", "materials", "node_groups"):
        yield from getattr(bpy.data, kind)


def _write_catalogs(path: Path) -> None:
    lines = [f"{number}:{name}:{name.replace('/', '-')}" for name, number in _CATALOGS.items()]
    path.write_text("VERSION 1\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _register(folder: Path) -> None:
    """Put the library into Blender's preferences, once."""
    libraries = bpy.context.preferences.filepaths.asset_libraries
    if not any(Path(bpy.path.abspath(one.path)) == folder for one in libraries):
        libraries.new(name=LIBRARY_NAME, directory=str(folder))
