"""A glTF file put together from arrays: binary in one file, or as JSON with its arrays in a file beside it.

Source: glTF 2.0 Specification, Khronos Group, 2021.
"""

import json
import os
import struct
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from .writing import atomic_write

Colour = tuple[float, float, float]
"""Linear red, green and blue, 0 to 1."""

VERTICES, INDICES = 34962, 34963
"""What an array is for."""

_COMPONENTS = {"float32": 5126, "uint32": 5125, "uint16": 5123}
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
_LARGEST_FILE = 2**32 - 1
_MOST_SHORT_INDICES = 65535  # the index 65535 itself is reserved
_CLAMP_TO_EDGE = 33071


class GlbDocument:
    """A glTF file in the making: its JSON, and the arrays that its binary part is made of."""

    def __init__(self) -> None:
        self._arrays: list[npt.NDArray[Any]] = []
        self._length = 0
        self._content: dict[str, list[dict[str, Any]]] = {}

    def add(self, values: npt.NDArray[Any], target: int | None = None, *, bounds: bool = False) -> int:
        """Add an array and return its accessor, which several meshes may use.

        Parameters
        ----------
        values : ndarray of float32, uint32 or uint16, shape (n,) or (n, components)
            Whole numbers that are not indices stand for shares of their full scale.
        target : {VERTICES, INDICES} or None
            What it is for; None for attributes of instances.
        bounds : bool
            Whether to note the smallest and largest values, as positions need.
        """
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self._length, "byteLength": values.nbytes}
        accessor: dict[str, Any] = {
            "bufferView": len(self._content.get("bufferViews", ())),
            "componentType": _COMPONENTS[values.dtype.name],
            "count": len(values),
            "type": _TYPES[values.shape[1] if values.ndim == 2 else 1],
        }
        if target is not None:
            view["target"] = target
        if target == VERTICES and values.dtype.kind == "u":
            accessor["normalized"] = True
        if bounds:
            accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        self._arrays.append(values)
        self._length += _padded(values.nbytes)
        self._append("bufferViews", view)
        return self._append("accessors", accessor)

    def add_triangles(self, triangles: npt.NDArray[Any], vertices: int) -> int:
        """Add indices of triangles, in 16 bits where that is enough; return their accessor."""
        kind = np.uint16 if vertices <= _MOST_SHORT_INDICES else np.uint32
        return self.add(triangles.reshape(-1).astype(kind), INDICES)

    def add_material(
        self,
        name: str,
        colour: Colour,
        *,
        opacity: float = 1.0,
        roughness: float = 1.0,
        double_sided: bool = False,
        texture: str = "",
    ) -> int:
        """Add a material of one colour, times a texture if its path relative to the file is given; return its index."""
        surface: dict[str, Any] = {
            "baseColorFactor": [*map(float, colour), opacity],
            "metallicFactor": 0.0,
            "roughnessFactor": roughness,
        }
        if texture:
            self._append("samplers", {"wrapS": _CLAMP_TO_EDGE, "wrapT": _CLAMP_TO_EDGE})
            image = self._append("images", {"uri": texture})
            surface["baseColorTexture"] = {"index": self._append("textures", {"sampler": 0, "source": image})}
        material: dict[str, Any] = {"name": name, "pbrMetallicRoughness": surface, "doubleSided": double_sided}
        if opacity < 1.0:
            material["alphaMode"] = "BLEND"
        return self._append("materials", material)

    def add_mesh(self, mesh: dict[str, Any]) -> int:
        """Add a mesh as JSON and return its index."""
        return self._append("meshes", mesh)

    def add_node(self, node: dict[str, Any]) -> int:
        """Add a node as JSON and return its index."""
        return self._append("nodes", node)

    def write(self, path: str | os.PathLike[str], roots: list[int], extensions: list[str]) -> None:
        """Write the file; where the name ends in .gltf, the arrays go beside it under the same name with .bin.

        Parameters
        ----------
        path : path
            Where to write; see `atomic_write`.  Of two files, both are complete before the first takes its place.
        roots : list of int
            Nodes of the scene.
        extensions : list of str
            Without which a program cannot show the file.

        Raises
        ------
        ValueError
            If the file would be larger than the 4 GiB that GLB allows, or cannot be written.
        """
        target = Path(path)
        if target.suffix.lower() == ".gltf":
            arrays = target.with_suffix(".bin")
            with atomic_write(arrays) as binary, atomic_write(path) as file:
                self._write_arrays(binary)
                file.write(self._text(roots, extensions, {"uri": quote(arrays.name)}))
            return
        text = self._text(roots, extensions, {})
        text += b" " * (_padded(len(text)) - len(text))
        size = 12 + 8 + len(text) + 8 + self._length
        if size > _LARGEST_FILE:
            raise ValueError(f"a GLB file of {size / 2**30:.1f} GiB is larger than 4 GiB; raise step, or plant less")
        with atomic_write(path) as file:
            file.write(struct.pack("<4sII", b"glTF", 2, size))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", self._length, b"BIN\0"))
            self._write_arrays(file)

    def _text(self, roots: list[int], extensions: list[str], buffer: dict[str, Any]) -> bytes:
        content: dict[str, Any] = {"asset": {"version": "2.0", "generator": "terrain_addon"}}
        if extensions:
            content |= {"extensionsUsed": extensions, "extensionsRequired": extensions}
        content |= {"scene": 0, "scenes": [{"name": "Landscape", "nodes": roots}]}
        content |= self._content | {"buffers": [{"byteLength": self._length, **buffer}]}
        return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8")

    def _write_arrays(self, file: BinaryIO) -> None:
        for values in self._arrays:
            file.write(np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).data)
            file.write(bytes(_padded(values.nbytes) - values.nbytes))

    def _append(self, kind: str, item: dict[str, Any]) -> int:
        items = self._content.setdefault(kind, [])
        items.append(item)
        return len(items) - 1


def _padded(size: int) -> int:
    """Return the next multiple of 4."""
    return -(-size // 4) * 4
