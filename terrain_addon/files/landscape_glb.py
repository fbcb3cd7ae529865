"""A landscape as a mesh in a file that other programs read."""

import os
from dataclasses import replace

import numpy as np

from ..core.building.landscape import Landscape
from ..core.ecosystem.plant_fate import Condition
from ..core.ecosystem.plant_form import DEAD_FORMS
from ..core.ecosystem.plants import VARIANTS, Plants
from ..core.foundation.sampling import sample
from ..core.maps.colour import land_colour
from ..core.meshing.plant_meshes import LEVELS, make_plant_mesh, part_colours
from .gltf import LandMesh, write_landscape_glb
from .meshes import write_land
from .plant_instances import PlantModel, Vegetation

WITH_PLANTS = (".glb", ".gltf")
"""Endings of files that hold plants too."""


def export_landscape(path: str | os.PathLike[str], landscape: Landscape, step: int = 1) -> None:
    """Write the land in metres; as glTF with its plants as GPU instances.

    Parameters
    ----------
    path : path
        Ends in .glb, .gltf (which has a .bin beside it), .obj, .stl or .ply.
    landscape : Landscape
        With maps; plants if it was built with them.
    step : int
        Every how many samples the land has a vertex, 1 and above.

    Raises
    ------
    ValueError
        If the landscape has no maps, `step` is below 1, the name ends in something else or the file cannot be written.
    """
    if not landscape.maps:
        raise ValueError("a landscape without maps has no colours to export; build it with extent='maps' or 'plants'")
    terrain, maps = landscape.terrain, landscape.maps
    snow_line = landscape.recipe.appearance.snow_line_now
    colour = land_colour(terrain.surface, terrain.sediment, maps["slope"], maps["humidity"], snow_line)
    land = LandMesh(terrain.surface, terrain.cell_size, colour, step)
    if str(path).lower().endswith(WITH_PLANTS):
        write_landscape_glb(path, land, _vegetation(landscape))
    else:
        write_land(path, land)


def plant_models(landscape: Landscape) -> tuple[PlantModel, ...]:
    """Return what plants look like: a model for each species, one for standing and one for lying dead wood."""
    living = tuple(_model(species.name, species.form) for species in landscape.recipe.ecosystem.species)
    return living + tuple(_model(form.words, form) for form in DEAD_FORMS)


def plants_by_model(landscape: Landscape) -> Plants | None:
    """Return the plants of a landscape with the index of their model for a species; None if there are none."""
    plants = landscape.plants
    if plants is None or len(plants) == 0:
        return None
    species = len(landscape.recipe.ecosystem.species)
    model = np.where(plants.condition == Condition.LIVING, plants.species, species - 1 + plants.condition)
    return replace(plants, species=model.astype(np.int32))


def _vegetation(landscape: Landscape) -> Vegetation | None:
    plants, terrain = plants_by_model(landscape), landscape.terrain
    if plants is None:
        return None
    altitude = sample(terrain.surface, terrain.cell_size, plants.x, plants.y)
    # About eight by eight cells: enough to leave out what is out of sight, few enough to draw.
    cell = float(np.ceil(max(terrain.grid.width, terrain.grid.depth) / 8.0))
    return Vegetation(plants, altitude, plant_models(landscape), cell)


def _model(name: str, form: str) -> PlantModel:
    meshes = tuple(
        tuple(make_plant_mesh(form, variant, level) for level in range(LEVELS)) for variant in range(VARIANTS)
    )
    return PlantModel(name, meshes, part_colours(form))
