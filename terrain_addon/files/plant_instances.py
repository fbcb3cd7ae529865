"""Plants in a GLB file: models of the species, and all plants as GPU instances of them.

References
----------
EXT_mesh_gpu_instancing, vendor extension for glTF 2.0, Khronos Group.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.ecosystem.plants import Plants
from ..core.meshing.plant_meshes import PARTS, PlantMesh
from .glb_document import VERTICES, GlbDocument, LinearColour, Skin
from .grid_mesh import Floats, check_unit_range, colour_levels, stack

INSTANCING = "EXT_mesh_gpu_instancing"
"""Name of the extension of glTF."""

MODEL_PARTS = (*PARTS, "far")
"""What a triangle of a model is made of: the parts of meshes, and cards with a picture of the whole plant."""


_FULL_SHARE = 65535.0  # of 16 bits


@dataclass(frozen=True)
class PlantModel:
    """The meshes and colours of the plants of one species.

    Parameters
    ----------
    name : str
        Name of the species.
    meshes : tuple of tuple of PlantMesh
        For each variant its levels of detail, the finest first; all are 1 m high; files have them
        `height` times as large.
    colours : tuple of tuple of float
        Linear colours of the parts of the meshes, in the order of `MODEL_PARTS`, 0 to 1; the tint of a mesh darkens
        them.
    height : float
        Metres of a plant whose scale is 1, such as of one that someone paints in an engine.
    skins : tuple of Skin or None
        Pictures of the parts that have some; empty for none.
    places : tuple of tuple of ndarray of float32, shape (vertices, 2)
        For each mesh where its vertices lie on the picture of their part, to the right and down from its upper left
        corner; empty if there are no pictures.
    form : str
        Form of plant from which views from all sides can be drawn; empty for none.

    Raises
    ------
    ValueError
        If there is no mesh, or a colour is missing or out of range.
    """

    name: str
    meshes: tuple[tuple[PlantMesh, ...], ...]
    colours: tuple[LinearColour, ...]
    height: float = 1.0
    skins: tuple[Skin | None, ...] = ()
    places: tuple[tuple[Floats, ...], ...] = ()
    form: str = ""

    def __post_init__(self) -> None:
        if not self.meshes or not all(self.meshes):
            raise ValueError(f"the model of {self.name} has no meshes")
        parts = max(int(mesh.part.max(initial=0)) for levels in self.meshes for mesh in levels) + 1
        if len(self.colours) < parts:
            raise ValueError(f"the model of {self.name} has {parts} parts, but {len(self.colours)} colours")
        if not (math.isfinite(self.height) and self.height > 0.0):
            raise ValueError(f"height = {self.height!r} m of {self.name} is not a finite length above 0 m")
        for colour in self.colours:
            if len(colour) != 3:
                raise ValueError(f"the colour {colour!r} of {self.name} is not red, green and blue")
            check_unit_range(np.array(colour, np.float32), f"the colour {colour!r} of {self.name}")


@dataclass(frozen=True)
class Vegetation:
    """Plants on the land.

    Parameters
    ----------
    plants : Plants
        The plants; their places are measured from the south-west corner of the land.
    altitude : ndarray of float32, shape (plants,)
        Height of the ground at the foot of each plant in metres.
    models : tuple of PlantModel
        Their meshes and colours, by species.
    cell : float
        Side in metres of the square cells into which plants are divided, so that a renderer can skip cells that are out
        of sight.  Each cell has a node per species and variant: large land with few plants needs larger cells.

    Raises
    ------
    ValueError
        If arrays differ in length, hold NaN or infinity, or refer to a species or variant without a model, or `cell` is
        not above 0.
    """

    plants: Plants
    altitude: Floats
    models: tuple[PlantModel, ...]
    cell: float = 256.0

    def __post_init__(self) -> None:
        plants = self.plants
        columns = {name: getattr(plants, name) for name in ("x", "y", "height", "rotation", "age")}
        for name, values in (columns | {"altitude": self.altitude}).items():
            if values.shape != (len(plants),):
                raise ValueError(f"{name} has shape {values.shape}, but there are {len(plants)} plants")
            if not np.isfinite(values).all():
                raise ValueError(f"{name} of plants holds NaN or infinity")
        if not (math.isfinite(self.cell) and self.cell > 0.0):
            raise ValueError(f"cell = {self.cell!r} m is not a finite length above 0 m")
        for index in np.unique(plants.species):
            if not 0 <= index < len(self.models):
                raise ValueError(f"there are plants of species {index}, but {len(self.models)} models")
            variants = plants.variant[plants.species == index]
            if variants.min() < 0 or variants.max() >= len(self.models[index].meshes):
                raise ValueError(
                    f"plants of {self.models[index].name} have variants {variants.min()} to {variants.max()}, "
                    f"but there are {len(self.models[index].meshes)} meshes"
                )

    @property
    def scale(self) -> Floats:
        """How many times each plant is as large as the mesh of its model, shape (plants,)."""
        heights = np.array([model.height for model in self.models], np.float32)
        scale: Floats = self.plants.height.astype(np.float32) / heights[self.plants.species]
        return scale


def add_instances(
    document: GlbDocument, vegetation: Vegetation, middle: tuple[float, float], level: int = 0, pictures: str = ""
) -> int:
    """Add plants as a node whose children are instanced meshes.

    Instances have TRANSLATION, ROTATION and SCALE, and for scripts ``_SPECIES`` (index of the model) and ``_AGE``
    (years).

    Parameters
    ----------
    document : GlbDocument
        The file.
    vegetation : Vegetation
        At least one plant.
    middle : tuple of float
        The origin of the file, in metres east and north of the corner from which plants are measured.
    level : int
        Level of detail of the meshes, 0 is the finest.
    pictures : str
        Path of the folder with the pictures of the models, relative to the file; empty to make them a part of it.

    Returns
    -------
    int
        Index of the node.

    References
    ----------
    EXT_mesh_gpu_instancing, vendor extension for glTF 2.0, Khronos Group.
    """
    plants = vegetation.plants
    order, groups = group_plants(vegetation)
    used = sorted({(group.species, group.variant) for group in groups})
    materials: dict[tuple[str, int], int] = {}
    meshes = {
        (species, variant): _add_mesh(document, vegetation.models[species], (variant, level), pictures, materials)
        for species, variant in used
    }
    translation = stack(plants.x - middle[0], vegetation.altitude, middle[1] - plants.y)[order]
    rotation = rotations_about_up(plants.rotation)[order]
    scale = np.repeat(vegetation.scale[order, None], 3, axis=1)
    species = plants.species.astype(np.float32)[order]
    age = plants.age.astype(np.float32)[order]
    nodes = []
    for group in groups:
        part = slice(group.first, group.end)
        attributes = {
            "TRANSLATION": document.add(translation[part]),
            "ROTATION": document.add(rotation[part]),
            "SCALE": document.add(scale[part]),
            "_SPECIES": document.add(species[part]),
            "_AGE": document.add(age[part]),
        }
        name = f"{vegetation.models[group.species].name} {group.variant} cell {group.column} {group.row}"
        mesh = meshes[group.species, group.variant]
        extension = {INSTANCING: {"attributes": attributes}}
        nodes.append(document.add_node({"name": name, "mesh": mesh, "extensions": extension}))
    return document.add_node({"name": "Plants", "children": nodes})


def add_plant_mesh(document: GlbDocument, model: PlantModel, variant: int, level: int = 0, pictures: str = "") -> int:
    """Add one mesh of a species, with its own materials.

    Parameters
    ----------
    document : GlbDocument
        The file.
    model : PlantModel
        The species.
    variant : int
        Which of its variants.
    level : int
        Level of detail, 0 is the finest.
    pictures : str
        As in `add_instances`.

    Returns
    -------
    int
        Index of the mesh.
    """
    return _add_mesh(document, model, (variant, level), pictures, {})


def rotations_about_up(degrees: Floats) -> Floats:
    """Return quaternions (x, y, z, w) for turns about +y, counter-clockwise seen from above.

    Parameters
    ----------
    degrees : ndarray of float32, shape (n,)
        Angles.

    Returns
    -------
    ndarray of float32, shape (n, 4)
        Of length 1.

    Notes
    -----
    The sine is a Taylor series of sums and products.  Unlike numpy's own it is the same on every processor.

    Examples
    --------
    >>> (np.round(rotations_about_up(np.array([0.0, 180.0], np.float32)), 3) + 0.0).tolist()
    [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]
    """
    turn = np.mod(degrees.astype(np.float64), 360.0)
    # Half the turn minus a quarter turn lies within ±90°, where the series below is exact to 1e-13.
    t = (turn / 2 - 90.0) * (math.pi / 180.0)
    square = t * t
    sine, cosine = np.zeros_like(t), np.zeros_like(t)
    for order in range(18, -1, -2):
        sign = -1.0 if order % 4 else 1.0
        cosine = cosine * square + sign / math.factorial(order)
        sine = sine * square + sign / math.factorial(order + 1)
    # sin(t + 90°) = cos t, cos(t + 90°) = −sin t.
    nothing = np.zeros_like(t)
    return stack(nothing, cosine, nothing, -sine * t)


class Group(NamedTuple):
    """The plants of one species and variant in one cell.

    Parameters
    ----------
    species, variant : int
        Index of the model and of its variant.
    row, column : int
        The cell, counted from the south-west corner of the land.
    first, end : int
        The plants in the order of `group_plants`, from `first` to before `end`.
    """

    species: int
    variant: int
    row: int
    column: int
    first: int
    end: int


def group_plants(vegetation: Vegetation) -> tuple[npt.NDArray[np.int64], list[Group]]:
    """Sort plants into groups; within a group plants keep their order.

    Parameters
    ----------
    vegetation : Vegetation
        At least one plant.

    Returns
    -------
    order : ndarray of int64, shape (plants,)
        Indices of the plants, group after group.
    groups : list of Group
        Sorted by species, variant, row and column.
    """
    plants = vegetation.plants
    row, column = (np.floor(place / np.float64(vegetation.cell)).astype(np.int64) for place in (plants.y, plants.x))
    first_row, first_column = row.min(), column.min()
    shape = (
        len(vegetation.models),
        max(len(model.meshes) for model in vegetation.models),
        int(row.max() - first_row) + 1,
        int(column.max() - first_column) + 1,
    )
    keys = np.ravel_multi_index((plants.species, plants.variant, row - first_row, column - first_column), shape)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    ends = np.append(starts[1:], len(keys))
    species, variant, row, column = np.unravel_index(keys[starts], shape)
    groups = np.stack((species, variant, row + first_row, column + first_column, starts, ends), axis=1)
    return order, [Group(*group) for group in groups.tolist()]


def _add_mesh(
    document: GlbDocument,
    model: PlantModel,
    which: tuple[int, int],
    pictures: str,
    materials: dict[tuple[str, int], int],
) -> int:
    """Add the mesh of a variant and level, and the materials that are not in `materials` yet; return the mesh."""
    variant, level = which
    mesh = model.meshes[variant][level]
    places = model.places[variant][level] if model.places else None
    primitives = []
    for part, colour in enumerate(model.colours):
        triangles = mesh.triangles[mesh.part == part]
        if triangles.size == 0:
            continue
        skin = model.skins[part] if part < len(model.skins) else None
        if (model.name, part) not in materials:
            name, foliage = f"{model.name} {MODEL_PARTS[part]}", MODEL_PARTS[part] == "foliage"
            materials[model.name, part] = (
                document.add_material(name, colour, double_sided=foliage)
                if skin is None
                else document.add_skin(name, skin, pictures)
            )
        shape = _add_part(document, mesh, triangles, places, model.height, skin is not None)
        primitives.append(shape | {"material": materials[model.name, part]})
    return document.add_mesh({"name": f"{model.name} {variant}", "primitives": primitives})


def _add_part(
    document: GlbDocument,
    mesh: PlantMesh,
    triangles: npt.NDArray[np.int32],
    places: Floats | None,
    height: float,
    is_cut: bool,
) -> dict[str, Any]:
    """Add the vertices of some triangles of a mesh; return them as a primitive without a material.

    If they are cut by a picture, they get tangents for its normals.
    """
    used, indices = np.unique(triangles, return_inverse=True)
    x, y, z = mesh.vertices[used].T * np.float32(height)
    east, north, up = mesh.normals[used].T
    attributes = {
        "POSITION": document.add(stack(x, z, -y), VERTICES, bounds=True),
        "NORMAL": document.add(stack(east, up, -north), VERTICES),
        "COLOR_0": document.add(colour_levels(np.repeat(mesh.tint[used, None], 3, axis=1)), VERTICES),
    }
    if places is not None or mesh.wind.any():
        # Further places have to follow a first one.
        first = np.zeros((len(used), 2), np.float32) if places is None else places[used]
        attributes["TEXCOORD_0"] = document.add(np.ascontiguousarray(first), VERTICES)
    if is_cut:
        shape = stack(x, z, -y), stack(east, up, -north)
        attributes["TANGENT"] = document.add(tangents_of(*shape, first, indices.reshape(-1, 3)), VERTICES)
    if mesh.wind.any():
        phase, sway, flutter = np.rint(mesh.wind[used].T * np.float32(_FULL_SHARE)).astype(np.uint16)
        attributes["TEXCOORD_1"] = document.add(np.stack((phase, sway), axis=1), VERTICES)
        attributes["TEXCOORD_2"] = document.add(np.stack((flutter, 0 * flutter), axis=1), VERTICES)
    return {"attributes": attributes, "indices": document.add_triangles(indices, len(used))}


def tangents_of(positions: Floats, normals: Floats, places: Floats, triangles: npt.NDArray[Any]) -> Floats:
    """Return the tangents of vertices.

    Parameters
    ----------
    positions, normals : ndarray of float32, shape (vertices, 3)
    places : ndarray of float32, shape (vertices, 2)
        On the picture, to the right and down.
    triangles : ndarray of int, shape (triangles, 3)

    Returns
    -------
    ndarray of float32, shape (vertices, 4)
        The direction in which the picture goes to the right, and 1 or -1 for its handedness.
    """
    corners, spots = positions[triangles].astype(np.float64), places[triangles].astype(np.float64)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    (u1, v1), (u2, v2) = (spots[:, 1] - spots[:, 0]).T, (spots[:, 2] - spots[:, 0]).T
    turn = np.where(u1 * v2 - u2 * v1 < 0.0, -1.0, 1.0)[:, None]
    # Larger triangles count more; the picture's places go down, so its upward direction is that of falling places.
    right = turn * (first * v2[:, None] - second * v1[:, None])
    upward = -turn * (second * u1[:, None] - first * u2[:, None])
    sums = np.zeros((2, *positions.shape))
    for corner in triangles.T:
        np.add.at(sums[0], corner, right)
        np.add.at(sums[1], corner, upward)
    normal = normals.astype(np.float64)
    tangent = sums[0] - normal * (normal * sums[0]).sum(axis=1, keepdims=True)
    # Where a picture stands still or runs along the normal, any direction across it does.
    across = np.cross(normal, np.where(np.abs(normal[:, :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    length = np.sqrt((tangent * tangent).sum(axis=1, keepdims=True))
    tangent = np.where(length > 1e-9, tangent, across)
    tangent /= np.sqrt((tangent * tangent).sum(axis=1, keepdims=True))
    hand = np.where((np.cross(normal, tangent) * sums[1]).sum(axis=1) < 0.0, -1.0, 1.0)
    return np.concatenate((tangent, hand[:, None]), axis=1).astype(np.float32)
