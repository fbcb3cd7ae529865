"""Small things that engines strew around the camera: tufts, ferns and stones as meshes, and how dense they are where.

How many there are follows from the layers of ground cover; on roads, in deep water and on ground that is kept clear
there are none.  They are too many to be in a file one by one: an engine strews them itself, from a picture of their
density.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.maps.ground_cover import LAYERS
from ...core.meshing.plant_meshes import make_plant_mesh, part_colours
from ..glb_document import GlbDocument
from ..grid_mesh import Floats
from ..plant_instances import MODEL_PARTS, PlantModel, add_plant_mesh
from ..png import write_png
from .engine import Files, Weights
from .free_ground import EngineGround, deeper_than, kept_clear, texels_of

_VARIANTS = 2
_ENDINGS = ("", "_far")  # of the names of files, by level of detail


class Detail(NamedTuple):
    """A kind of small things.

    Attributes
    ----------
    form : str
        One of `plant_meshes.FORMS`.
    layers : dict of str to float
        How dense it is on which layers, 1 for as dense as anywhere.
    per_m2 : float
        How many stand on a square metre where it is densest.
    heights : tuple of float
        Metres of the lowest and the highest one.
    deepest_water : float
        Metres of water under which it still is.
    """

    form: str
    layers: dict[str, float]
    per_m2: float
    heights: tuple[float, float]
    deepest_water: float


DETAILS = {
    "tufts": Detail("grass", {"grass": 1.0, "forest_floor": 0.15, "soil": 0.1}, 6.0, (0.15, 0.45), 0.05),
    "ferns": Detail("fern", {"forest_floor": 1.0}, 0.3, (0.25, 0.6), 0.05),
    "stones": Detail("rock", {"scree": 1.0, "rock": 0.1, "soil": 0.15}, 2.0, (0.04, 0.2), 0.3),
}
"""All kinds, by name."""


def write_details(root: Path, levels: tuple[int, ...]) -> list[dict[str, Any]]:
    """Write the meshes of all kinds.

    Parameters
    ----------
    root : Path
        The folder of the package.
    levels : tuple of int
        Levels of detail: that of the meshes, and perhaps a coarser one for those a few steps away.

    Returns
    -------
    list of dict
        The kinds, for the manifest.
    """
    kinds = []
    for name, detail in DETAILS.items():
        meshes = tuple(
            tuple(make_plant_mesh(detail.form, variant, level) for level in levels) for variant in range(_VARIANTS)
        )
        model = PlantModel(name, meshes, part_colours(detail.form), detail.heights[1])
        files = [Files(root) for _ in levels]
        for variant in range(_VARIANTS):
            for place, ending in enumerate(_ENDINGS[: len(levels)]):
                document = GlbDocument()
                mesh = add_plant_mesh(document, model, variant, place)
                node = document.add_node({"name": f"{name} {variant}", "mesh": mesh})
                document.write(files[place].add(str(variant), f"details/{name}_{variant}{ending}.glb"), [node], [])
        low, high = detail.heights
        kinds.append(
            {
                "name": name,
                "meshes": list(files[0].names.values()),
                "per_m2": detail.per_m2,
                "height_m": high,
                "smallest": low / high,
                "colours": dict(zip(MODEL_PARTS, map(list, model.colours))),
                "sways": bool(meshes[0][0].wind.any()),
            }
            | ({"far_meshes": list(files[1].names.values())} if len(levels) > 1 else {})
        )
    return kinds


def density_of(detail: Detail, weights: Weights) -> Floats:
    """Return how dense things are, as a share of where they are densest.

    Parameters
    ----------
    detail : Detail
        Their kind.
    weights : ndarray of uint8, shape (rows, columns, layers)
        How much of each layer there is.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 to 1.

    Examples
    --------
    >>> half_grass = np.array([[[0, 0, 0, 127, 0, 128, 0, 0]]], np.uint8)
    >>> density_of(DETAILS["tufts"], half_grass).round(2).tolist()
    [[0.5]]
    """
    # In whole numbers, so that all sums are exact.
    percent = np.array([round(100.0 * detail.layers.get(layer, 0.0)) for layer in LAYERS], np.int32)
    sums = (weights.astype(np.int32) * percent).sum(axis=2)
    return sums.astype(np.float32) / np.float32(25500.0)


def write_densities(files: Files, weights: Weights, ground: EngineGround) -> None:
    """Write a grey picture of the density of each kind, row 0 north, 255 where it is densest.

    Parameters
    ----------
    files : Files
        Of the tile.
    weights : ndarray of uint8, shape (rows, columns, layers)
        Row 0 south.
    ground : EngineGround
        With what keeps things away.  Where that is anything, pictures are several times as fine as the weights.
    """
    texels = texels_of(ground, weights.shape[:2])
    clear = kept_clear(ground, texels)
    depths = {detail.deepest_water for detail in DETAILS.values()}
    taken = {depth: clear | deeper_than(ground, texels, depth) for depth in depths}
    for name, detail in DETAILS.items():
        density = np.rint(density_of(detail, weights) * np.float32(255.0)).astype(np.uint8)
        if any(mask.any() for mask in taken.values()):
            density = density.repeat(texels.finer, axis=0).repeat(texels.finer, axis=1)
            density[taken[detail.deepest_water]] = 0
        write_png(files.add(f"density_{name}", f"details/{name}.png"), np.ascontiguousarray(density[::-1]))
