"""A whole landscape as one GLB file: the land as a mesh, plants as GPU instances.

Written from arrays, because Blender's exporter makes one node per instance and drops their attributes.

Sources: glTF 2.0 Specification, Khronos Group, 2021; vendor extension EXT_mesh_gpu_instancing.

glTF has y up: a point (x, y, z) of Blender is (x, z, −y) in the file.  That is a quarter turn about x, so that the
winding of triangles, the sense of rotations and the handedness stay as they are.  The origin lies in the middle of the
land, at altitude 0.
"""

import json
import math
import os
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.ecosystem.plant_meshes import PARTS, PlantMesh
from ..core.ecosystem.plants import Plants
from ..core.terrain import Field, Grid, as_field
from .writing import atomic_write

INSTANCING = "EXT_mesh_gpu_instancing"

Colour = tuple[float, float, float]
"""Linear red, green and blue, 0 to 1."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LandMesh:
    """The land as a mesh.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; at least 2 × 2; row 0 is south.
    cell_size : float
        Metres between neighbouring samples.
    colour : ndarray of float32, shape (rows, columns, 3), or None
        Linear colour of every sample, 0 to 1; grey where None.
    step : int
        Every how many samples there is a vertex, from the south-west corner on.  The last row and column always have
        vertices too, so that the land keeps its size; where `step` does not divide rows − 1, the last strip of cells is
        narrower than the others.

    Raises
    ------
    ValueError
        If an array has another shape or values out of range, or `cell_size` or `step` is out of range.
    """

    heights: Field
    cell_size: float
    colour: Floats | None = None
    step: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "heights", as_field(self.heights, "heights"))
        rows, columns = self.grid.shape
        if rows < 2 or columns < 2:
            raise ValueError(f"heights have shape {self.heights.shape}; a mesh needs at least 2 × 2 samples")
        if self.step < 1:
            raise ValueError(f"step = {self.step} is below 1")
        if self.colour is not None:
            if self.colour.shape != (rows, columns, 3):
                raise ValueError(f"colour has shape {self.colour.shape}, not the {(rows, columns, 3)} of the heights")
            _check_unit_range(self.colour, "colour")

    @property
    def grid(self) -> Grid:
        """Where the samples lie."""
        rows, columns = self.heights.shape
        return Grid(rows, columns, self.cell_size)


@dataclass(frozen=True)
class PlantModel:
    """What the plants of one species look like.

    Parameters
    ----------
    name : str
        Name of the species.
    meshes : tuple of PlantMesh
        One per variant, 1 m high.
    bark, foliage : tuple of float
        Linear colours, 0 to 1; the tint of the mesh darkens them.

    Raises
    ------
    ValueError
        If there is no mesh or a colour is out of range.
    """

    name: str
    meshes: tuple[PlantMesh, ...]
    bark: Colour
    foliage: Colour

    def __post_init__(self) -> None:
        if not self.meshes:
            raise ValueError(f"the model of {self.name} has no meshes")
        for colour in (self.bark, self.foliage):
            if len(colour) != 3:
                raise ValueError(f"the colour {colour!r} of {self.name} is not red, green and blue")
            _check_unit_range(np.array(colour, np.float32), f"the colour {colour!r} of {self.name}")


@dataclass(frozen=True)
class Vegetation:
    """Plants on the land.

    Parameters
    ----------
    plants : Plants
        Where they stand, from the south-west corner of the land.
    altitude : ndarray of float32, shape (plants,)
        Height of the ground at the foot of each plant in metres.
    models : tuple of PlantModel
        What they look like, by species.
    cell : float
        Side in metres of the square cells into which plants are divided, so that a renderer can leave out those that
        are out of sight.  Each cell is a node per species and variant: on large land with few plants, take it larger.

    Raises
    ------
    ValueError
        If arrays differ in length, hold NaN or infinity, or name a species or variant without a model, or `cell` is
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


def write_landscape_glb(path: str | os.PathLike[str], land: LandMesh, vegetation: Vegetation | None = None) -> None:
    """Write a landscape as GLB 2.0; the same input gives the same bytes.

    The file holds a node ``Land`` with one mesh (positions, smooth normals, texture coordinates with u to the east and
    v to the south, so that the first row of a texture lies in the north, and vertex colours) and, where there are
    plants, a node ``Plants`` whose children are instanced meshes: TRANSLATION, ROTATION, SCALE, and for scripts
    ``_SPECIES`` (index into the models) and ``_AGE`` (years).  Within a cell plants keep their order.

    Parameters
    ----------
    path : path
        Where to write; see `atomic_write`.
    land : LandMesh
        The ground.
    vegetation : Vegetation or None
        What grows on it.  Without plants the file needs no extension.

    Raises
    ------
    ValueError
        If the file would be larger than the 4 GiB that GLB allows, or cannot be written.
    """
    document = _Document()
    nodes = [document.add_node({"name": "Land", "mesh": _add_land(document, land)})]
    if vegetation is not None and len(vegetation.plants) > 0:
        children = _add_plants(document, vegetation, land.grid)
        nodes.append(document.add_node({"name": "Plants", "children": children}))
    document.write(path, nodes, [INSTANCING] if len(nodes) > 1 else [])


def _add_land(document: "_Document", land: LandMesh) -> int:
    grid = land.grid
    rows, columns = _every(grid.rows, land.step), _every(grid.columns, land.step)
    heights = land.heights[np.ix_(rows, columns)]
    # float64 until the end: far from the corner float32 would move vertices by visible amounts.
    x = (columns * grid.cell_size - grid.width / 2).astype(np.float32)
    y = (rows * grid.cell_size - grid.depth / 2).astype(np.float32)
    attributes = {
        "POSITION": document.add(_stack(x[None, :], heights, -y[:, None]), _VERTICES, bounds=True),
        "NORMAL": document.add(_smooth_normals(x, y, heights), _VERTICES),
        "TEXCOORD_0": document.add(
            _stack(columns[None, :] / (grid.columns - 1), (1.0 - rows / (grid.rows - 1))[:, None]), _VERTICES
        ),
    }
    if land.colour is not None:
        colour = land.colour[np.ix_(rows, columns)].reshape(-1, 3)
        attributes["COLOR_0"] = document.add(_colour_bytes(colour), _VERTICES)
    grey = 0.5 if land.colour is None else 1.0
    primitive = {
        "attributes": attributes,
        "indices": document.add(_grid_triangles(len(rows), len(columns)), _INDICES),
        "material": document.add_material("Land", (grey, grey, grey)),
    }
    return document.add_mesh({"name": "Land", "primitives": [primitive]})


def _every(samples: int, step: int) -> npt.NDArray[np.int64]:
    indices = np.arange(0, samples, step, dtype=np.int64)
    return indices if indices[-1] == samples - 1 else np.append(indices, samples - 1)


def _smooth_normals(x: Floats, y: Floats, heights: Floats) -> Floats:
    """Return normals (vertices, 3) in glTF axes, from central differences, one-sided at the border."""
    rise_east = _difference(heights.T) / _difference(x)[:, None]
    rise_north = _difference(heights) / _difference(y)[:, None]
    upward = np.float32(1.0) / np.sqrt(np.float32(1.0) + rise_east.T * rise_east.T + rise_north * rise_north)
    return _stack(-rise_east.T * upward, upward, rise_north * upward)


def _difference(values: Floats) -> Floats:
    """Return the next value less the one before along axis 0."""
    around = np.concatenate((values[:1], values, values[-1:]))
    return around[2:] - around[:-2]


def _grid_triangles(rows: int, columns: int) -> npt.NDArray[np.uint32]:
    """Return two triangles a cell, counter-clockwise seen from above."""
    corner = np.arange(rows * columns, dtype=np.uint32).reshape(rows, columns)
    south_west, south_east = corner[:-1, :-1], corner[:-1, 1:]
    north_west, north_east = corner[1:, :-1], corner[1:, 1:]
    around = (south_west, south_east, north_east, south_west, north_east, north_west)
    return np.stack(around, axis=-1).reshape(-1)


def _add_plants(document: "_Document", vegetation: Vegetation, grid: Grid) -> list[int]:
    plants = vegetation.plants
    order, groups = _grouped(vegetation)
    meshes = _add_models(document, vegetation, sorted({(species, variant) for species, variant, *_ in groups}))

    half_width, half_depth = grid.width / 2, grid.depth / 2
    translation = _stack(plants.x - half_width, vegetation.altitude, half_depth - plants.y)[order]
    rotation = _rotations_about_up(plants.rotation)[order]
    scale = np.repeat(plants.height.astype(np.float32)[order, None], 3, axis=1)
    species = plants.species.astype(np.float32)[order]
    age = plants.age.astype(np.float32)[order]
    nodes = []
    for kind, variant, row, column, start, end in groups:
        attributes = {
            "TRANSLATION": document.add(translation[start:end]),
            "ROTATION": document.add(rotation[start:end]),
            "SCALE": document.add(scale[start:end]),
            "_SPECIES": document.add(species[start:end]),
            "_AGE": document.add(age[start:end]),
        }
        nodes.append(
            document.add_node(
                {
                    "name": f"{vegetation.models[kind].name} {variant} cell {column} {row}",
                    "mesh": meshes[kind, variant],
                    "extensions": {INSTANCING: {"attributes": attributes}},
                }
            )
        )
    return nodes


def _grouped(vegetation: Vegetation) -> tuple[npt.NDArray[np.int64], list[list[int]]]:
    """Return the order that sorts plants into groups; per group species, variant, cell row, cell column, start, end."""
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
    return order, groups.tolist()


def _add_models(
    document: "_Document", vegetation: Vegetation, worn: list[tuple[int, int]]
) -> dict[tuple[int, int], int]:
    """Add the meshes of the given species and variants."""
    meshes = {}
    materials: dict[tuple[int, int], int] = {}
    for species, variant in worn:
        model = vegetation.models[species]
        mesh = model.meshes[variant]
        primitives = []
        for part, colour in enumerate((model.bark, model.foliage)):
            triangles = mesh.triangles[mesh.part == part]
            if triangles.size == 0:
                continue
            if (species, part) not in materials:
                foliage = PARTS[part] == "foliage"
                materials[species, part] = document.add_material(f"{model.name} {PARTS[part]}", colour, foliage)
            primitives.append(_add_part(document, mesh, triangles) | {"material": materials[species, part]})
        meshes[species, variant] = document.add_mesh({"name": f"{model.name} {variant}", "primitives": primitives})
    return meshes


def _add_part(document: "_Document", mesh: PlantMesh, triangles: npt.NDArray[np.int32]) -> dict[str, Any]:
    used, indices = np.unique(triangles, return_inverse=True)
    x, y, z = mesh.vertices[used].T
    east, north, up = mesh.normals[used].T
    attributes = {
        "POSITION": document.add(_stack(x, z, -y), _VERTICES, bounds=True),
        "NORMAL": document.add(_stack(east, up, -north), _VERTICES),
        "COLOR_0": document.add(_colour_bytes(np.repeat(mesh.tint[used, None], 3, axis=1)), _VERTICES),
    }
    return {"attributes": attributes, "indices": document.add(indices.reshape(-1).astype(np.uint32), _INDICES)}


def _rotations_about_up(degrees: Floats) -> Floats:
    """Return quaternions (x, y, z, w) for turns about +y, counter-clockwise seen from above.

    The sine is a Taylor series in plain sums and products, which unlike numpy's own is the same on every processor.
    """
    turn = np.mod(degrees.astype(np.float64), 360.0)
    # Half the turn, less a quarter turn: within ±90°, where the series below is exact to 1e-13.
    t = (turn / 2 - 90.0) * (math.pi / 180.0)
    square = t * t
    sine, cosine = np.zeros_like(t), np.zeros_like(t)
    for order in range(18, -1, -2):
        sign = -1.0 if order % 4 else 1.0
        cosine = cosine * square + sign / math.factorial(order)
        sine = sine * square + sign / math.factorial(order + 1)
    # sin(t + 90°) = cos t, cos(t + 90°) = −sin t.
    nothing = np.zeros_like(t)
    return _stack(nothing, cosine, nothing, -sine * t)


def _stack(*components: npt.NDArray[Any]) -> Floats:
    """Return vectors (n, components) in float32 of components that broadcast against each other."""
    shape = np.broadcast_shapes(*(c.shape for c in components))
    vectors = np.empty((*shape, len(components)), np.float32)
    for i, component in enumerate(components):
        vectors[..., i] = component
    return vectors.reshape(-1, len(components))


def _colour_bytes(colours: Floats) -> npt.NDArray[np.uint8]:
    rgba = np.full((len(colours), 4), 255, np.uint8)
    rgba[:, :3] = np.rint(colours * np.float32(255.0))
    return rgba


def _check_unit_range(colour: Floats, name: str) -> None:
    # Written so that NaN fails it.
    if not (colour.min() >= 0.0 and colour.max() <= 1.0):
        raise ValueError(f"{name} runs from {colour.min()!s} to {colour.max()!s}, outside 0 to 1")


_VERTICES, _INDICES = 34962, 34963
_COMPONENTS = {"float32": 5126, "uint32": 5125, "uint8": 5121}
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
_LARGEST_FILE = 2**32 - 1


class _Document:
    """A GLB file in the making: its JSON, and the arrays that its binary part is made of."""

    def __init__(self) -> None:
        self.arrays: list[npt.NDArray[Any]] = []
        self.length = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []

    def add(self, values: npt.NDArray[Any], target: int | None = None, *, bounds: bool = False) -> int:
        """Add an array (n,) or (n, components) whose size is a multiple of 4 bytes; return its accessor."""
        view = {"buffer": 0, "byteOffset": self.length, "byteLength": values.nbytes}
        accessor: dict[str, Any] = {
            "bufferView": len(self.views),
            "componentType": _COMPONENTS[values.dtype.name],
            "count": len(values),
            "type": _TYPES[values.shape[1] if values.ndim == 2 else 1],
        }
        if target is not None:
            view["target"] = target
        if values.dtype == np.uint8:
            accessor["normalized"] = True
        if bounds:
            accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        self.arrays.append(values)
        self.length += values.nbytes
        self.views.append(view)
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def add_material(self, name: str, colour: Colour, double_sided: bool = False) -> int:
        factors = {"baseColorFactor": [*map(float, colour), 1.0], "metallicFactor": 0.0, "roughnessFactor": 1.0}
        self.materials.append({"name": name, "pbrMetallicRoughness": factors, "doubleSided": double_sided})
        return len(self.materials) - 1

    def add_mesh(self, mesh: dict[str, Any]) -> int:
        self.meshes.append(mesh)
        return len(self.meshes) - 1

    def add_node(self, node: dict[str, Any]) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def write(self, path: str | os.PathLike[str], roots: list[int], extensions: list[str]) -> None:
        content: dict[str, Any] = {"asset": {"version": "2.0", "generator": "terrain_addon"}}
        if extensions:
            content |= {"extensionsUsed": extensions, "extensionsRequired": extensions}
        content |= {
            "scene": 0,
            "scenes": [{"name": "Landscape", "nodes": roots}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": self.length}],
        }
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8")
        text += b" " * (-len(text) % 4)
        size = 12 + 8 + len(text) + 8 + self.length
        if size > _LARGEST_FILE:
            raise ValueError(f"a GLB file of {size / 2**30:.1f} GiB is larger than 4 GiB; raise step, or plant less")
        with atomic_write(path) as file:
            file.write(struct.pack("<4sII", b"glTF", 2, size))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", self.length, b"BIN\0"))
            for values in self.arrays:
                file.write(np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).data)
