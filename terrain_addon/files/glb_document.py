"""A glTF file made of arrays: one binary file, or JSON with its arrays in a file beside it.

References
----------
glTF 2.0 Specification, Khronos Group (2021).
"""

import json
import os
import struct
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from .writing import atomic_write, find_target, write_together

LinearColour = tuple[float, float, float]
"""Linear red, green and blue, 0 to 1."""

VERTICES, INDICES = 34962, 34963
"""What an array is used for, as glTF numbers it."""

_COMPONENTS = {"float32": 5126, "uint32": 5125, "uint16": 5123}
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
_LARGEST_FILE = 2**32 - 1
_MOST_SHORT_INDICES = 65535  # the index 65535 itself is reserved
_CLAMP_TO_EDGE, _REPEAT = 33071, 10497


class Skin(NamedTuple):
    """Pictures of leaves on a material.

    Attributes
    ----------
    name : str
        What their files are called, without an ending.
    colour : bytes
        PNG, sRGB; alpha is the share that is covered.
    normal : bytes
        PNG, normals in the frame of tangents, green up.
    cutoff : float
        What is covered less than this is seen through, 0 to 1.
    double_sided : bool
        Whether it is also seen from behind.
    """

    name: str
    colour: bytes
    normal: bytes
    cutoff: float = 0.4
    double_sided: bool = True


class Textures(NamedTuple):
    """Pictures of a material, as PNG.

    Attributes
    ----------
    colour : bytes
        sRGB.
    normal : bytes
        Normals in the frame of tangents, green up.
    surface : bytes
        Roughness in green, share of metal in blue.
    """

    colour: bytes
    normal: bytes
    surface: bytes


class GlbDocument:
    """A glTF file that is being built: its JSON, and the arrays of its binary part.

    References
    ----------
    glTF 2.0 Specification, Khronos Group (2021).
    """

    def __init__(self) -> None:
        self._arrays: list[npt.NDArray[Any]] = []
        self._length = 0
        self._content: dict[str, list[dict[str, Any]]] = {}
        self._pictures: dict[str, int] = {}

    def add(self, values: npt.NDArray[Any], target: int | None = None, *, bounds: bool = False) -> int:
        """Add an array; several meshes may use it.

        Parameters
        ----------
        values : ndarray of float32, uint32 or uint16, shape (n,) or (n, components)
            Integers that are not indices are shares of their full scale.
        target : {VERTICES, INDICES} or None
            What it is used for; None for attributes of instances.
        bounds : bool
            Whether the smallest and largest values are stored too, which positions need.

        Returns
        -------
        int
            Index of its accessor.
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
        """Add the indices of triangles, in 16 bits where that is enough.

        Parameters
        ----------
        triangles : ndarray of int, shape (triangles, 3)
            Indices of vertices.
        vertices : int
            How many vertices there are.

        Returns
        -------
        int
            Index of their accessor.
        """
        kind = np.uint16 if vertices <= _MOST_SHORT_INDICES else np.uint32
        return self.add(triangles.reshape(-1).astype(kind), INDICES)

    def add_material(
        self,
        name: str,
        colour: LinearColour,
        *,
        opacity: float = 1.0,
        roughness: float = 1.0,
        double_sided: bool = False,
        texture: str = "",
    ) -> int:
        """Add a material of one colour.

        Parameters
        ----------
        name : str
            Name of the material.
        colour : tuple of float
            Linear red, green and blue, 0 to 1.
        opacity : float
            0 to 1.
        roughness : float
            0 to 1.
        double_sided : bool
            Whether triangles are also seen from behind.
        texture : str
            Path of an image relative to the file, whose colours are multiplied with `colour`; empty for none.

        Returns
        -------
        int
            Index of the material.
        """
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

    def add_textured_material(self, name: str, textures: Textures) -> int:
        """Add a material whose pictures are a part of the file.

        Parameters
        ----------
        name : str
            Name of the material.
        textures : Textures
            Its pictures.

        Returns
        -------
        int
            Index of the material.
        """
        colour, normal, surface = ({"index": self._add_picture(one)} for one in textures)
        pbr = {"baseColorTexture": colour, "metallicRoughnessTexture": surface}
        return self._append("materials", {"name": name, "pbrMetallicRoughness": pbr, "normalTexture": normal})

    def add_skin(self, name: str, skin: Skin, folder: str = "") -> int:
        """Add a material that is cut out of pictures.

        Parameters
        ----------
        name : str
            Name of the material.
        skin : Skin
            Its pictures; materials may share them.
        folder : str
            Path of the folder with the files of the pictures, relative to this file; empty to make them a part of it.

        Returns
        -------
        int
            Index of the material.
        """
        colour, normal = (
            {"index": self._add_leaves(f"{skin.name}_{kind}.png", picture, folder)}
            for kind, picture in (("colour", skin.colour), ("normal", skin.normal))
        )
        material = {
            "name": name,
            "pbrMetallicRoughness": {"baseColorTexture": colour, "metallicFactor": 0.0, "roughnessFactor": 1.0},
            "normalTexture": normal,
            "alphaMode": "MASK",
            "alphaCutoff": skin.cutoff,
            "doubleSided": skin.double_sided,
        }
        return self._append("materials", material)

    def _add_leaves(self, name: str, picture: bytes, folder: str) -> int:
        """Add a picture that repeats, once; return the index of its texture."""
        if name not in self._pictures:
            image = {"uri": f"{folder}/{name}"} if folder else self._stored(picture)
            sampler = self._append("samplers", {"wrapS": _REPEAT, "wrapT": _REPEAT})
            source = self._append("images", image)
            self._pictures[name] = self._append("textures", {"sampler": sampler, "source": source})
        return self._pictures[name]

    def _stored(self, picture: bytes) -> dict[str, Any]:
        """Add a PNG to the arrays; return it as an image."""
        view = {"buffer": 0, "byteOffset": self._length, "byteLength": len(picture)}
        self._arrays.append(np.frombuffer(picture, np.uint8))
        self._length += _padded(len(picture))
        return {"bufferView": self._append("bufferViews", view), "mimeType": "image/png"}

    def _add_picture(self, picture: bytes) -> int:
        """Add a PNG; return the index of its texture, which does not repeat."""
        image = self._stored(picture)
        if not self._content.get("samplers"):
            self._append("samplers", {"wrapS": _CLAMP_TO_EDGE, "wrapT": _CLAMP_TO_EDGE})
        return self._append("textures", {"sampler": 0, "source": self._append("images", image)})

    def add_mesh(self, mesh: dict[str, Any]) -> int:
        """Add a mesh.

        Parameters
        ----------
        mesh : dict
            Its JSON.

        Returns
        -------
        int
            Index of the mesh.
        """
        return self._append("meshes", mesh)

    def add_node(self, node: dict[str, Any]) -> int:
        """Add a node.

        Parameters
        ----------
        node : dict
            Its JSON.

        Returns
        -------
        int
            Index of the node.
        """
        return self._append("nodes", node)

    def write(
        self, path: str | os.PathLike[str], roots: list[int], extensions: list[str], used: list[str] | None = None
    ) -> None:
        """Write the file; if its name ends in .gltf, the arrays go to a file of the same name that ends in .bin.

        Parameters
        ----------
        path : str or PathLike
            Where to write; see `atomic_write`.  Two files are replaced together.
        roots : list of int
            Nodes of the scene.
        extensions : list of str
            Extensions that a program must have to show the file.
        used : list of str, optional
            Others that it may have.

        Raises
        ------
        ValueError
            If the file would be larger than the 4 GiB that GLB allows, or cannot be written.
        """
        target = Path(path)
        if target.suffix.lower() == ".gltf":
            # A link is followed, as by `atomic_write`; both files lie beside each other.
            target = find_target(path, "file")
            arrays = target.with_suffix(".bin")
            with write_together(target.parent, record=target.name) as part:
                with (part / arrays.name).open("wb") as binary:
                    self._write_arrays(binary)
                (part / target.name).write_bytes(self._text(roots, extensions, used or [], {"uri": quote(arrays.name)}))
            return
        text = self._text(roots, extensions, used or [], {})
        text += b" " * (_padded(len(text)) - len(text))
        size = 12 + 8 + len(text) + 8 + self._length
        if size > _LARGEST_FILE:
            raise ValueError(f"a GLB file of {size / 2**30:.1f} GiB is larger than 4 GiB; raise step, or plant less")
        with atomic_write(path) as file:
            file.write(struct.pack("<4sII", b"glTF", 2, size))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", self._length, b"BIN\0"))
            self._write_arrays(file)

    def _text(self, roots: list[int], extensions: list[str], used: list[str], buffer: dict[str, Any]) -> bytes:
        content: dict[str, Any] = {"asset": {"version": "2.0", "generator": "terrain_addon"}}
        if extensions or used:
            content["extensionsUsed"] = extensions + used
        if extensions:
            content["extensionsRequired"] = extensions
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
