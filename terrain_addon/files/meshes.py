"""The land as a plain mesh in formats that everything reads: OBJ, STL and PLY.

STL and PLY have z up, as the land has; OBJ has y up: a point (x, y, z) is (x, z, −y).  Blender reads them so.
The origin lies in the middle of the land, at altitude 0; lengths are metres.
"""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..core.foundation.compilation import kernel
from .gltf import LandMesh, write_landscape_glb
from .grid_mesh import Floats, every_sample, grid_triangles, smooth_normals, srgb_levels, stack
from .writing import atomic_write

_DECIMALS = 4  # a tenth of a millimetre
_LONGEST_NUMBER = 20
_ROWS_AT_A_TIME = 1 << 16


def write_land(path: str | os.PathLike[str], land: LandMesh) -> None:
    """Write the land as a mesh in the format that the name ends in; the same land gives the same bytes.

    Parameters
    ----------
    path : path
        Ends in .glb, .gltf (which has a .bin beside it), .obj, .stl or .ply; see `atomic_write`.
    land : LandMesh
        glTF and PLY keep its colours.

    Raises
    ------
    ValueError
        If the name ends in something else, or the file cannot be written.
    """
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS:
        raise ValueError(f"cannot write {path}: a mesh ends in one of {', '.join(_WRITERS)}")
    _WRITERS[ending](path, land)


def _write_obj(path: str | os.PathLike[str], land: LandMesh) -> None:
    x, y, heights = _vertices(land)
    normals = smooth_normals(x, y, heights).reshape(-1, 3)
    u, v = (x - x[0]) / (x[-1] - x[0]), (y - y[0]) / (y[-1] - y[0])
    triangles = grid_triangles(*heights.shape).astype(np.int64) + 1
    with atomic_write(path) as file:
        file.write(b"o Land\n")
        for keyword, values in (
            (b"v", stack(x[None, :], heights, -y[:, None]).reshape(-1, 3)),
            (b"vt", stack(u[None, :], v[:, None]).reshape(-1, 2)),
            (b"vn", normals),
        ):
            scaled = np.rint(values.astype(np.float64) * 10.0**_DECIMALS).astype(np.int64)
            for first in range(0, len(scaled), _ROWS_AT_A_TIME):
                file.write(_lines(keyword, scaled[first : first + _ROWS_AT_A_TIME], _DECIMALS, 1))
        for first in range(0, len(triangles), _ROWS_AT_A_TIME):
            file.write(_lines(b"f", triangles[first : first + _ROWS_AT_A_TIME], 0, 3))


def _write_stl(path: str | os.PathLike[str], land: LandMesh) -> None:
    x, y, heights = _vertices(land)
    positions = stack(x[None, :], y[:, None], heights).reshape(-1, 3)
    triangles = grid_triangles(*heights.shape)
    with atomic_write(path) as file:
        file.write(b"Land".ljust(80, b"\0") + np.uint32(len(triangles)).astype("<u4").tobytes())
        for first in range(0, len(triangles), _ROWS_AT_A_TIME):
            corners = positions[triangles[first : first + _ROWS_AT_A_TIME]]
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            normal /= np.sqrt((normal * normal).sum(axis=1, keepdims=True))
            facets = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
            facets["normal"], facets["corners"] = normal, corners
            file.write(facets.tobytes())


def _write_ply(path: str | os.PathLike[str], land: LandMesh) -> None:
    x, y, heights = _vertices(land)
    triangles = grid_triangles(*heights.shape)
    fields = [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("nx", "<f4"), ("ny", "<f4"), ("nz", "<f4")]
    colour = _colours(land)
    if colour is not None:
        fields += [("red", "u1"), ("green", "u1"), ("blue", "u1")]
    vertices = np.zeros(heights.shape, fields)
    vertices["x"], vertices["y"], vertices["z"] = x[None, :], y[:, None], heights
    normals = smooth_normals(x, y, heights)
    vertices["nx"], vertices["ny"], vertices["nz"] = normals[..., 0], -normals[..., 2], normals[..., 1]
    if colour is not None:
        vertices["red"], vertices["green"], vertices["blue"] = np.moveaxis(colour, -1, 0)
    faces = np.zeros(len(triangles), [("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, triangles
    names = {"<f4": "float", "u1": "uchar"}
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {vertices.size}"]
    header += [f"property {names[kind]} {name}" for name, kind in fields]
    header += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    with atomic_write(path) as file:
        file.write("\n".join(header).encode())
        file.write(vertices.tobytes())
        file.write(faces.tobytes())


_WRITERS: dict[str, Callable[[str | os.PathLike[str], LandMesh], None]] = {
    ".glb": write_landscape_glb,
    ".gltf": write_landscape_glb,
    ".obj": _write_obj,
    ".stl": _write_stl,
    ".ply": _write_ply,
}


FORMATS = tuple(_WRITERS)
"""Endings of files that `write_land` can write."""


def _vertices(land: LandMesh) -> tuple[Floats, Floats, Floats]:
    """Return metres east and north of the middle, and heights, of the vertices."""
    grid = land.grid
    rows, columns = every_sample(grid.rows, land.step), every_sample(grid.columns, land.step)
    x = (columns * grid.cell_size - grid.width / 2).astype(np.float32)
    y = (rows * grid.cell_size - grid.depth / 2).astype(np.float32)
    return x, y, land.heights[np.ix_(rows, columns)]


def _colours(land: LandMesh) -> npt.NDArray[np.uint8] | None:
    """Return the colours of the vertices as sRGB, which is how programs take the bytes of a PLY file."""
    if land.colour is None:
        return None
    grid = land.grid
    rows, columns = every_sample(grid.rows, land.step), every_sample(grid.columns, land.step)
    return srgb_levels(land.colour[np.ix_(rows, columns)])


def _lines(keyword: bytes, values: npt.NDArray[np.int64], decimals: int, repeat: int) -> bytes:
    """Return a line of text per row: the keyword, then its numbers; each `repeat` times with slashes between."""
    rows, columns = values.shape
    head = np.frombuffer(keyword, np.uint8)
    text = np.empty(rows * (len(keyword) + 1 + columns * repeat * (_LONGEST_NUMBER + 1)), np.uint8)
    length = _print_lines(head, values, decimals, repeat, np.empty(_LONGEST_NUMBER, np.uint8), text)
    return text[:length].tobytes()


@kernel
def _print_lines(
    head: npt.NDArray[np.uint8],
    values: npt.NDArray[np.int64],
    decimals: int,
    repeat: int,
    digits: npt.NDArray[np.uint8],
    text: npt.NDArray[np.uint8],
) -> int:
    """Write whole numbers of units of 10^-decimals into `text`; return how many bytes they took."""
    zero, space, dot, minus, slash, newline = 48, 32, 46, 45, 47, 10
    end = 0
    for row in range(values.shape[0]):
        for i in range(head.size):
            text[end] = head[i]
            end += 1
        for column in range(values.shape[1]):
            text[end] = space
            end += 1
            value = values[row, column]
            if value < 0:
                text[end] = minus
                end += 1
            # Unsigned, so that the division is a multiplication.
            left, count = np.uint64(abs(value)), 0
            while left > 0 or count <= decimals:
                rest = left // np.uint64(10)
                digits[count] = zero + np.uint8(left - rest * np.uint64(10))
                left = rest
                count += 1
            for again in range(repeat):
                if again > 0:
                    text[end] = slash
                    end += 1
                for i in range(count - 1, -1, -1):
                    text[end] = digits[i]
                    end += 1
                    if i == decimals and decimals > 0:
                        text[end] = dot
                        end += 1
        text[end] = newline
        end += 1
    return end
