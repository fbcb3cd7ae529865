"""A landscape as a GLB file."""

import os

import numpy as np

from ..core.ecosystem.plant_meshes import make_plant_mesh
from ..core.ecosystem.plants import VARIANTS
from ..core.ecosystem.species import Species
from ..core.landscape import Landscape
from ..core.maps.colour import land_colour
from ..core.sampling import sample
from .gltf import LandMesh, PlantModel, Vegetation, write_landscape_glb

BARK = (0.09, 0.065, 0.045)
FOLIAGE = {"conifer": (0.030, 0.055, 0.020), "broadleaf": (0.075, 0.110, 0.025), "bush": (0.080, 0.100, 0.035)}
"""Linear RGB of leaves, by plant form."""


def export_landscape(path: str | os.PathLike[str], landscape: Landscape, step: int = 1) -> None:
    """Write land, and plants as GPU instances, in metres.

    Parameters
    ----------
    path : path
        Ends in .glb.
    landscape : Landscape
        With maps; plants if it was built with them.
    step : int
        Every how many samples the land has a vertex, 1 and above.

    Raises
    ------
    ValueError
        If the landscape has no maps, `step` is below 1 or the file cannot be written.
    """
    if not landscape.maps:
        raise ValueError("a landscape without maps has no colours to export; build it with extent='maps' or 'plants'")
    terrain, maps = landscape.terrain, landscape.maps
    snow_line = landscape.recipe.appearance.snow_line
    colour = land_colour(terrain.surface, terrain.sediment, maps["slope"], maps["humidity"], snow_line)
    land = LandMesh(terrain.surface, terrain.cell_size, colour, step)
    write_landscape_glb(path, land, _vegetation(landscape))


def _vegetation(landscape: Landscape) -> Vegetation | None:
    plants, terrain = landscape.plants, landscape.terrain
    if plants is None or len(plants) == 0:
        return None
    altitude = sample(terrain.surface, terrain.cell_size, plants.x, plants.y)
    models = tuple(_model(species) for species in landscape.recipe.ecosystem.species)
    # About eight by eight cells: enough to leave out what is out of sight, few enough to draw.
    cell = float(np.ceil(max(terrain.grid.width, terrain.grid.depth) / 8.0))
    return Vegetation(plants, altitude, models, cell)


def _model(species: Species) -> PlantModel:
    meshes = tuple(make_plant_mesh(species.form, variant) for variant in range(VARIANTS))
    return PlantModel(species.name, meshes, BARK, FOLIAGE[species.form])
