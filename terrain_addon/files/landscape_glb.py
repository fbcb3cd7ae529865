"""A landscape as glTF or USD, for other programs."""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..core.building.landscape import Landscape
from ..core.ecosystem.plants import remove_plants
from ..core.maps.colour import OwnColours, land_colour
from ..core.meshing.cell_diagonals import altitude_on_mesh, turned_cells
from ..core.meshing.cut_water import water_on_land
from ..core.meshing.plant_meshes import LEVELS
from ..core.meshing.road_mesh import make_road_mesh
from ..core.meshing.under_water import GroundPlaces
from ..core.meshing.water_mesh import WaterMesh, make_water_mesh
from .fitted_rivers import ShownGround, fit_rivers
from .gltf import LandMesh, write_landscape_glb
from .landscape_usd import write_landscape_usd
from .plant_instances import PlantModel, Vegetation
from .plant_models import plant_models, plants_by_model, water_borne_by
from .plants_in_water import stand_in_water

MESH_FORMATS = (".glb", ".gltf", ".usda")
"""Endings of files that `export_landscape` writes."""

_EXPORTERS = {".obj": "wm.obj_export", ".stl": "wm.stl_export", ".ply": "wm.ply_export"}
_EXPORTERS |= {".fbx": "export_scene.fbx", ".abc": "wm.alembic_export"}  # in bpy.ops


def export_landscape(
    path: str | os.PathLike[str],
    landscape: Landscape,
    step: int = 1,
    lod: int = 0,
    own_models: Mapping[int, PlantModel] | None = None,
    own_colours: OwnColours | None = None,
) -> int:
    """Write the land, its water, its roads and its plants as glTF or USD, in metres; plants are instances.

    Plants that stand in a river, as the file shows it, are left out.

    Parameters
    ----------
    path : str or PathLike
        Ends in .glb, in .gltf, which has a .bin file beside it, or in .usda, which has a folder of pictures beside it.
    landscape : Landscape
        With maps; it has plants if it was built with them.
    step : int
        Distance between vertices of the land in samples, 1 or more.
    lod : int
        Level of detail of the plants, 0 to 2: 0 is the finest, with thousands of triangles for each plant.
    own_models : mapping of int to PlantModel, optional
        Models of the user for some species, by their number.
    own_colours : mapping of str to tuple of float, optional
        Colours of the user for some kinds of ground, as for `palette_on`.

    Returns
    -------
    int
        How many plants the file has.

    Raises
    ------
    ValueError
        If the landscape has no maps, `step` is below 1, there is no such `lod`, the name ends in something else or the
        file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from terrain_addon import core
    >>> land = core.build(core.Recipe.preset("plains", resolution=17), extent="maps")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plants = export_landscape(Path(folder, "plains.glb"), land)
    ...     Path(folder, "plains.glb").read_bytes()[:4]
    b'glTF'
    """
    refuse_other_formats(path)
    if Path(path).suffix.lower() not in MESH_FORMATS:
        raise ValueError(f"cannot write {path}: its ending is none of {', '.join(MESH_FORMATS)}")
    if lod not in range(LEVELS):
        raise ValueError(f"lod = {lod!r} is outside 0 to {LEVELS - 1}")
    if not landscape.maps:
        raise ValueError("a landscape without maps has no colours to export; build it with extent='maps' or 'plants'")
    terrain, maps = landscape.terrain, landscape.maps
    look = landscape.recipe.appearance_now
    seen = (terrain.surface, terrain.sediment, maps["slope"], maps["humidity"])
    colour = land_colour(*seen, look.snow_line_now, look.stone, own_colours, maps.get("snow_depth"))
    land = LandMesh(terrain.surface, terrain.cell_size, colour, step)
    roads = make_road_mesh(terrain, landscape.roads, landscape.pads)
    waters = landscape.waters
    size = terrain.grid.width, terrain.grid.depth
    shown = ShownGround(terrain.surface, size, turned=turned_cells(terrain.surface))
    water = None if waters is None else water_on_land(fit_rivers(make_water_mesh(terrain, waters), shown), size)
    write = write_landscape_usd if Path(path).suffix.lower() == ".usda" else write_landscape_glb
    vegetation = _vegetation(landscape, own_models, water)
    write(path, land, vegetation, roads, water, lod)
    return 0 if vegetation is None else len(vegetation.plants)


def refuse_other_formats(path: str | os.PathLike[str]) -> None:
    """Refuse a mesh format that Blender itself writes, and name its exporter.

    Parameters
    ----------
    path : str or PathLike
        Name of the file.

    Raises
    ------
    ValueError
        If the name ends in .obj, .stl, .ply, .fbx or .abc; or in .usd or .usdc, which only other programs write.
    """
    ending = Path(path).suffix.lower()
    if ending in (".usd", ".usdc"):
        raise ValueError(f"cannot write {path}: USD is written as text; let the name end in .usda")
    if ending in _EXPORTERS:
        raise ValueError(
            f"cannot write {path}: {ending[1:].upper()} files come from Blender's File > Export, "
            f"in a script from bpy.ops.{_EXPORTERS[ending]}"
        )


def _vegetation(
    landscape: Landscape, own_models: Mapping[int, PlantModel] | None, water: WaterMesh | None
) -> Vegetation | None:
    """Return the plants of a landscape for the file, but those in its water; None if there are none."""
    plants, terrain = plants_by_model(landscape.plants, landscape.recipe), landscape.terrain
    if plants is None:
        return None
    surface, size = terrain.surface, (terrain.grid.width, terrain.grid.depth)
    altitude = altitude_on_mesh(surface, terrain.cell_size, plants.x, plants.y, turned_cells(surface))
    if water is not None:
        places, deepest = GroundPlaces(plants.x, plants.y, altitude), water_borne_by(plants, landscape.recipe)
        is_dry = ~stand_in_water(places, deepest, water, (0.5 * size[0], 0.5 * size[1]), size)
        plants, altitude = remove_plants(plants, is_dry), altitude[is_dry]
    # About eight by eight cells: a renderer can skip those out of sight, and there are few to draw.
    cell = float(np.ceil(max(terrain.grid.width, terrain.grid.depth) / 8.0))
    return Vegetation(plants, altitude, plant_models(landscape.recipe, own_models), cell)
