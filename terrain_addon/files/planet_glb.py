"""A planet as one GLB file: six faces with levels of detail, their pictures inside the file.

A vertex has the normal of the sphere, not of the ground: the slopes of the ground are all in the normal maps, so that
light counts nothing twice, whatever the level.  The extension MSFT_lod names the coarser levels of each face; a program
that does not know it shows the finest.

In glTF y is up: a direction (x, y, z) of the planet, with z to the north pole, is (x, z, −y) in the file.

References
----------
glTF 2.0 Specification, Khronos Group (2021).
MSFT_lod, vendor extension for glTF 2.0, Microsoft.
"""

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.planet.cube_sphere import CUBE_FACES, FACE_RIGHTS
from ..core.planet.planet import Planet
from ..core.planet.planet_mesh import planet_residual
from .glb_document import VERTICES, GlbDocument, Textures
from .grid_mesh import grid_triangles
from .planet_maps import PlanetPictures
from .png import png_bytes

LOD = "MSFT_lod"
"""The extension that names coarser levels."""

_FINEST, _COARSEST, _LEVELS = 257, 9, 4  # vertices along an edge of a face, and how many levels
_SCREEN = (0.5, 0.2, 0.05)  # share of the screen down to which each level is shown

Vectors = npt.NDArray[np.float64]


def write_planet_glb(path: str | os.PathLike[str], planet: Planet, radius: float | None = None) -> None:
    """Write a planet as glTF 2.0; the same planet gives the same bytes.

    The nodes ``x_plus`` and so on are the faces; the coarser levels of a face are ``x_plus_LOD1`` and so on.  Mountains
    are exaggerated as the look of the recipe says; the extras of the node ``Planet`` name the factor.  The sea is a
    smooth part of the faces.

    Parameters
    ----------
    path : str or PathLike
        Where to write; see `atomic_write`.
    planet : Planet
        What to write.
    radius : float, optional
        Of the planet in the file in metres; left out, its own.

    Raises
    ------
    ValueError
        If `radius` is not above 0, or the file cannot be written.

    References
    ----------
    glTF 2.0 Specification, Khronos Group (2021).
    MSFT_lod, vendor extension for glTF 2.0, Microsoft.
    """
    radius = planet.recipe.radius if radius is None else radius
    if not 0.0 < radius < np.inf:
        raise ValueError(f"radius = {radius} m, that of the planet in the file, is not a finite length above 0 m")
    shown = np.maximum(planet.surface, np.float32(planet.sea_level)) * np.float32(planet.recipe.exaggeration)
    lengths = radius * (1.0 + shown.astype(np.float64) / planet.recipe.radius)
    levels = _levels(planet.recipe.resolution)
    drops = [radius / planet.recipe.radius * float(np.abs(planet_residual(shown, n)).max()) for n in levels]
    document, pictures = GlbDocument(), PlanetPictures(planet)
    faces = []
    for number, name in enumerate(CUBE_FACES):
        material = document.add_textured_material(name, _textures(pictures, number))
        nodes = []
        for level, (n, drop) in enumerate(zip(levels, drops)):
            mesh = _add_face(document, planet, lengths, number, n, 2.0 * drop + 1e-4 * radius, material)
            nodes.append(document.add_mesh({"name": f"{name}_LOD{level}", "primitives": [mesh]}))
        faces.append(_add_levels(document, name, nodes))
    extras = {"radius": radius, "exaggeration": planet.recipe.exaggeration}
    root = document.add_node({"name": "Planet", "children": faces, "extras": extras})
    document.write(path, [root], [], used=[LOD] if len(levels) > 1 else [])


def _levels(resolution: int) -> list[int]:
    """Vertices along an edge of a face for each level, the finest first."""
    levels = [min(_FINEST, resolution)]
    while len(levels) < _LEVELS and levels[-1] > _COARSEST:
        levels.append((levels[-1] - 1) // 2 + 1)
    return levels


def _add_levels(document: GlbDocument, name: str, meshes: list[int]) -> int:
    """Add the nodes of a face; return that of the finest level."""
    coarser = [document.add_node({"name": f"{name}_LOD{n}", "mesh": mesh}) for n, mesh in enumerate(meshes) if n > 0]
    node: dict[str, Any] = {"name": name, "mesh": meshes[0]}
    if coarser:
        node["extensions"] = {LOD: {"ids": coarser}}
        node["extras"] = {"MSFT_screencoverage": [*_SCREEN[: len(coarser)], 0.0]}
    return document.add_node(node)


def _add_face(
    document: GlbDocument, planet: Planet, lengths: Vectors, face: int, vertices: int, drop: float, material: int
) -> dict[str, Any]:
    """Add a level of a face with a skirt, a strip towards the middle of the planet that hides cracks."""
    resolution = planet.recipe.resolution
    step = (resolution - 1) // (vertices - 1)
    along = slice(None, None, step)
    outwards, far = planet.directions[face, along, along], lengths[face, along, along]
    to_right = FACE_RIGHTS[face] - outwards * (outwards @ FACE_RIGHTS[face])[..., np.newaxis]
    to_right /= np.linalg.norm(to_right, axis=-1, keepdims=True)
    # The middle of the pixel of each sample; row 0 of a picture is its top.
    middle = (np.arange(0, resolution, step) + 0.5) / resolution
    uv = np.stack(np.broadcast_arrays(middle[np.newaxis, :], 1.0 - middle[:, np.newaxis]), axis=-1)
    triangles = grid_triangles(vertices, vertices)
    places = _with_skirt(outwards * far[..., np.newaxis], outwards * (far - drop)[..., np.newaxis])
    attributes = {
        "POSITION": document.add(_upright(places), VERTICES, bounds=True),
        "NORMAL": document.add(_upright(_with_skirt(outwards)), VERTICES),
        "TANGENT": document.add(
            np.append(_upright(_with_skirt(to_right)), np.ones((len(places), 1), np.float32), axis=1), VERTICES
        ),
        "TEXCOORD_0": document.add(_with_skirt(uv).astype(np.float32), VERTICES),
    }
    triangles = np.concatenate((triangles, _skirt_triangles(vertices)))
    return {"attributes": attributes, "indices": document.add_triangles(triangles, len(places)), "material": material}


def _with_skirt(values: Vectors, hanging: Vectors | None = None) -> Vectors:
    """Values of a grid as a list, and after them those of the ends of its skirt, border by border."""
    ends = values if hanging is None else hanging
    return np.concatenate([values.reshape(-1, values.shape[-1]), *_borders(ends)])


def _borders(grid: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """The western, eastern, southern and northern border of a grid."""
    return grid[:, 0], grid[:, -1], grid[0], grid[-1]


def _skirt_triangles(vertices: int) -> npt.NDArray[np.uint32]:
    """Triangles between the borders of a grid and the ends of its skirt, seen from outside the face."""
    number = np.arange(vertices * vertices, dtype=np.uint32).reshape(vertices, vertices)
    found = []
    for which, top in enumerate(_borders(number)):
        low = np.arange(vertices, dtype=np.uint32) + np.uint32(vertices * vertices + which * vertices)
        around = (top[:-1], top[1:], low[1:], top[:-1], low[1:], low[:-1])
        triangles = np.stack(around, axis=-1).reshape(-1, 3)
        # Seen from outside, the eastern and the southern border run from left to right.
        found.append(triangles[:, ::-1] if which in (1, 2) else triangles)
    return np.concatenate(found)


def _upright(vectors: Vectors) -> npt.NDArray[np.float32]:
    """Turn vectors so that y is up."""
    return np.stack((vectors[:, 0], vectors[:, 2], -vectors[:, 1]), axis=-1).astype(np.float32)


def _textures(pictures: PlanetPictures, face: int) -> Textures:
    """The pictures of a face as PNG."""
    found = pictures.of_face(face)
    return Textures(*(png_bytes(found[name]) for name in ("colour", "normal", "surface")))
