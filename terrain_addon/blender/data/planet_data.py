"""Meshes and pictures of planets, made from arrays.

Lengths are those of the scene: a planet may be shown much smaller than it is.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt

from ...core.planet.cube_sphere import face_directions
from ...core.planet.planet import Planet
from ...core.planet.planet_colour import planet_colour
from ...core.planet.planet_mesh import PlanetMesh, atlas, planet_mesh, planet_residual
from ...files.png import write_png
from .attributes import UV_MAP, set_attribute, set_positions
from .images import pack_texture, read_packed

SHELL_RESOLUTION = 65
"""Vertices along an edge of a face of the spheres of air and clouds."""

FINEST_MESH = 257
"""Vertices along an edge of a face of the ground; finer maps go to the pictures."""


@dataclass(frozen=True)
class PlanetDrawing:
    """A planet as arrays that Blender can show.

    Attributes
    ----------
    planet : Planet
        What is shown.
    size : float
        Radius in the scene.
    ground : PlanetMesh
        Its mesh.
    places : ndarray of float32, shape (vertices, 3)
        Where its vertices are, mountains exaggerated.
    sea_quads : ndarray of bool, shape (quads,)
        Which quads have sea above them.
    sea_radius : float
        Of the sea, 0 if there is none.
    top : float
        Distance of the highest ground from the middle.
    colours : ndarray of uint8
        The picture of colours, sRGB; row 0 is the bottom.
    relief : ndarray of uint16
        The picture of residual, ice and depth of the sea, as shares of the range of each.
    residuals : tuple of float
        What black and white mean for the residual.
    """

    planet: Planet
    size: float
    ground: PlanetMesh
    places: npt.NDArray[np.float32]
    sea_quads: npt.NDArray[np.bool_]
    sea_radius: float
    top: float
    colours: npt.NDArray[np.uint8]
    relief: npt.NDArray[np.uint16]
    residuals: tuple[float, float]


def draw_planet(planet: Planet, size: float, finest: int | None = None) -> PlanetDrawing:
    """Return a planet as arrays that Blender can show; it does not touch Blender, so any thread may call it.

    Parameters
    ----------
    planet : Planet
    size : float
        Radius in the scene.
    finest : int, optional
        Most vertices along an edge of a face; left out, `FINEST_MESH`.
    """
    recipe = planet.recipe
    scale = size / recipe.radius
    tall = scale * recipe.look.exaggeration
    mesh_resolution = min(finest or FINEST_MESH, recipe.resolution)
    ground = planet_mesh(recipe.resolution, mesh_resolution)
    heights = planet.surface.ravel()[ground.samples].astype(np.float64)
    places = ground.directions * np.maximum(size + tall * heights, 0.02 * size)[:, np.newaxis]
    rest = planet_residual(planet.surface, mesh_resolution) * np.float32(tall)
    low, high = float(rest.min()), float(rest.max())
    depth = planet.maps["sea_depth"]
    deepest = max(float(depth.max()), 1.0)
    layers = (
        (atlas(rest) - low) / max(high - low, 1e-30),
        atlas(planet.maps["ice"]),
        atlas(depth) / deepest,
    )
    colours = planet_colour(planet)
    below = depth.ravel()[ground.samples] > 0.0
    return PlanetDrawing(
        planet,
        size,
        ground,
        places.astype(np.float32),
        np.asarray(below[ground.quads].any(axis=1)),
        size + tall * planet.sea_level if recipe.has_sea else 0.0,
        size + tall * max(float(planet.surface.max()), 0.0),
        _srgb_bytes(np.stack([atlas(colours[..., channel]) for channel in range(3)], axis=-1)),
        np.rint(np.clip(np.stack(layers, axis=-1), 0.0, 1.0) * 65535.0).astype(np.uint16),
        (low, high),
    )


def fill_ground(mesh: bpy.types.Mesh, drawing: PlanetDrawing) -> None:
    """Make a mesh the ground, in place: smooth quads without seams, maps as attributes, and a UV map of the faces."""
    _set_quads(mesh, drawing.places, drawing.ground.quads, drawing.ground.uv)
    planet = drawing.planet
    for attribute, values in {**planet.maps, "height": planet.surface}.items():
        set_attribute(mesh, attribute, values.ravel()[drawing.ground.samples])
    set_attribute(mesh, "biome", planet.biomes.ravel()[drawing.ground.samples].astype(np.int32))


def fill_sea(mesh: bpy.types.Mesh, drawing: PlanetDrawing) -> None:
    """Make a mesh the sea, in place: the part of a sphere below which there is ground."""
    quads, uv = drawing.ground.quads[drawing.sea_quads], drawing.ground.uv[drawing.sea_quads]
    used, corners = np.unique(quads, return_inverse=True)
    places = (drawing.ground.directions[used] * drawing.sea_radius).astype(np.float32)
    _set_quads(mesh, places, corners.reshape(quads.shape).astype(np.int32), uv)


def fill_shell(mesh: bpy.types.Mesh, radius: float) -> None:
    """Make a mesh a whole sphere, in place."""
    ball = planet_mesh(SHELL_RESOLUTION, SHELL_RESOLUTION)
    _set_quads(mesh, (ball.directions * radius).astype(np.float32), ball.quads, ball.uv)


def pack_pictures(name: str, drawing: PlanetDrawing) -> tuple[bpy.types.Image, bpy.types.Image]:
    """Store the pictures of colours and of relief in the .blend as new images."""
    with tempfile.TemporaryDirectory() as folder:
        colours, relief = _picture_files(Path(folder), name, drawing)
        return (
            pack_texture(colours, is_colour=True, replaces=False),
            pack_texture(relief, is_colour=False, replaces=False),
        )


def repack_pictures(pictures: tuple[bpy.types.Image, bpy.types.Image], drawing: PlanetDrawing) -> None:
    """Store other pictures in the images that there are, in place."""
    with tempfile.TemporaryDirectory() as folder:
        for image, file in zip(pictures, _picture_files(Path(folder), "Planet", drawing)):
            packed = file.read_bytes()
            image.pack(data=packed, data_len=len(packed))
            read_packed(image)


def best_direction(planet: Planet) -> tuple[float, float, float]:
    """Return the direction from which a planet looks best: a bit above the equator, where colours differ most."""
    resolution = min(17, planet.recipe.resolution)
    step = (planet.recipe.resolution - 1) // (resolution - 1)
    directions = face_directions(resolution)
    colours = planet_colour(planet)[:, ::step, ::step] ** (1.0 / 2.2)
    scores = {}
    for turn in range(24):
        angle = turn * np.pi / 12.0
        towards = np.array([np.cos(angle) * 0.95, np.sin(angle) * 0.95, 0.31])
        facing = np.clip((directions * towards).sum(axis=-1), 0.0, 1.0)
        mean = (colours * facing[..., np.newaxis]).sum(axis=(0, 1, 2)) / facing.sum()
        spread = (np.square(colours - mean).sum(axis=-1) * facing**2).sum()
        scores[turn] = float(spread), (float(towards[0]), float(towards[1]), float(towards[2]))
    return max(scores.values())[1]


def _set_quads(
    mesh: bpy.types.Mesh, places: npt.NDArray[np.float32], quads: npt.NDArray[np.int32], uv: npt.NDArray[np.float32]
) -> None:
    """Make a mesh smooth quads with a UV map, in place; materials and custom properties stay."""
    if not _has_quads(mesh, len(places), quads):
        mesh.clear_geometry()
        mesh.vertices.add(len(places))
        mesh.attributes["position"].data.foreach_set("vector", places.ravel())
        mesh.loops.add(quads.size)
        mesh.loops.foreach_set("vertex_index", quads.ravel())
        mesh.polygons.add(len(quads))
        mesh.polygons.foreach_set("loop_start", np.arange(0, quads.size, 4, dtype=np.int32))
        mesh.polygons.foreach_set("use_smooth", np.ones(len(quads), bool))
        mesh.uv_layers.new(name=UV_MAP)
        mesh.update(calc_edges=True)
    layer = mesh.uv_layers.get(UV_MAP) or mesh.uv_layers.new(name=UV_MAP)
    layer.uv.foreach_set("vector", uv.ravel())
    set_positions(mesh, places)


def _has_quads(mesh: bpy.types.Mesh, vertices: int, quads: npt.NDArray[np.int32]) -> bool:
    """Whether a mesh has these quads already."""
    if len(mesh.vertices) != vertices or len(mesh.polygons) != len(quads) or len(mesh.loops) != quads.size:
        return False
    corners = np.empty(quads.size, np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return np.array_equal(corners, quads.ravel())


def _picture_files(folder: Path, name: str, drawing: PlanetDrawing) -> tuple[Path, Path]:
    """Write the pictures of colours and of relief as PNG."""
    plain = name.replace("/", "_")
    colours, relief = folder / f"{plain} colour.png", folder / f"{plain} relief.png"
    write_png(colours, drawing.colours[::-1])
    write_png(relief, drawing.relief[::-1])
    return colours, relief


def _srgb_bytes(linear: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    linear = np.clip(linear, 0.0, 1.0)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1.0 / 2.4) - 0.055)
    return np.rint(255.0 * srgb).astype(np.uint8)
