"""Meshes and pictures of planets, made from arrays.

Lengths are those of the scene: a planet may be shown much smaller than it is.
"""

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix

from ...core.foundation.terrain import Field
from ...core.maps.colour import srgb_of_linear
from ...core.meshing.plant_meshes import LEVELS
from ...core.planet.close_ground import CloseGround, ground_at, is_between
from ...core.planet.cube_sphere import face_directions
from ...core.planet.near_mesh import Viewer, mesh_near
from ...core.planet.near_plants import NearPlants, is_above_trees, plants_near, wooded_share
from ...core.planet.planet import Planet
from ...core.planet.planet_colour import ColouredPlaces, colour_at, land_and_sea_colour, planet_colour
from ...core.planet.planet_mesh import PlanetMesh, atlas, planet_mesh, planet_residual
from ...files.png import write_png
from .attributes import UV_MAP, set_attribute, set_colours, set_positions
from .images import pack_texture, read_packed

SHELL_RESOLUTION = 65
"""Vertices along an edge of a face of the spheres of air and clouds."""

FINEST_MESH = 257
"""Vertices along an edge of a face of the ground; finer maps go to the pictures."""

NEAR, NEAR_COLOUR, FOREST = "near", "near_colour", "forest"
"""Attributes of ground that is finer than its pictures: 1 there, its colour, and the share of it under trees."""

TREE_MODEL, TREE_TURN, TREE_HEIGHT = "model", "turn", "height"
"""Attributes of the points of trees: number of the model in the collection, Euler angles, and height in the scene."""

_DIGEST = "landscape_digest"  # of an image: a hash of its pixels
_SHALLOW = 100.0  # metres of water that the sea has at least where its colour is not that of the ground
# Trees that look smaller than this many radians have the next coarser model.
_LEVEL_SIZES = (0.03, 0.008)


class PlanetBall(NamedTuple):
    """A planet as a ball in its colours.

    Attributes
    ----------
    directions : ndarray of float32, shape (vertices, 3)
        Unit vectors.
    triangles : ndarray of int32, shape (triangles, 3)
        Vertices of each, counter-clockwise seen from outside.
    colours : ndarray of float32, shape (vertices, 3)
        sRGB, 0 to 1.
    """

    directions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    colours: npt.NDArray[np.float32]


class PlanetTrees(NamedTuple):
    """Trees as arrays that Blender can show.

    Attributes
    ----------
    plants : NearPlants
        What they are.
    places : ndarray of float32, shape (plants, 3)
        Where they stand.
    turns : ndarray of float32, shape (plants, 3)
        Euler angles.
    heights : ndarray of float32, shape (plants,)
        As they are shown.
    levels : ndarray of int32, shape (plants,)
        Level of detail of each, by how far away it is.
    """

    plants: NearPlants
    places: npt.NDArray[np.float32]
    turns: npt.NDArray[np.float32]
    heights: Field
    levels: npt.NDArray[np.int32]


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
    close : CloseGround
        Heights and maps at its vertices.
    places : ndarray of float32, shape (vertices, 3)
        Where its vertices are, mountains exaggerated.
    near_colours, near_waters : ndarray of float32, shape (vertices, 3), or None
        Colours of ground, and of the sea above it, at vertices between samples; None if there are no such vertices.
    is_under_sea : ndarray of bool, shape (polygons,)
        Which polygons have sea above them.
    sea_radius : float
        Of the sea, 0 if there is none.
    top : float
        Distance of the highest ground from the middle.
    colours : ndarray of uint8
        The picture of colours, sRGB; row 0 is the bottom.  Those of the sea, if there is one, lie above those of the
        ground.
    relief : ndarray of uint16
        The picture of residual, ice and depth of the sea, as shares of the range of each.
    residuals : tuple of float
        What black and white mean for the residual.
    forest : ndarray of float32, shape (vertices,), or None
        Which share of the ground of vertices between samples is under trees; None if there are no such vertices.
    trees : PlanetTrees or None
        Trees near the viewer; None if there are none.
    """

    planet: Planet
    size: float
    ground: PlanetMesh
    close: CloseGround
    places: npt.NDArray[np.float32]
    near_colours: npt.NDArray[np.float32] | None
    near_waters: npt.NDArray[np.float32] | None
    is_under_sea: npt.NDArray[np.bool_]
    sea_radius: float
    top: float
    colours: npt.NDArray[np.uint8]
    relief: npt.NDArray[np.uint16]
    residuals: tuple[float, float]
    forest: Field | None
    trees: PlanetTrees | None


def draw_planet(planet: Planet, size: float, finest: int | None = None, viewer: Viewer | None = None) -> PlanetDrawing:
    """Return a planet as arrays that Blender can show; it does not touch Blender, so any thread may call it.

    Parameters
    ----------
    planet : Planet
    size : float
        Radius in the scene.
    finest : int, optional
        Most vertices along an edge of a face; left out, `FINEST_MESH`.
    viewer : Viewer, optional
        Near whom the ground is finer than that; left out, it is equally fine everywhere.
    """
    recipe = planet.recipe
    scale = size / recipe.radius
    tall = scale * recipe.exaggeration
    mesh_resolution = min(finest or FINEST_MESH, recipe.resolution)
    if viewer is None:
        ground = planet_mesh(recipe.resolution, mesh_resolution)
    else:
        ground = mesh_near(recipe.resolution, mesh_resolution, viewer)
    close = ground_at(planet, ground)
    heights = close.heights.astype(np.float64)
    places = ground.directions * np.maximum(size + tall * heights, 0.02 * size)[:, np.newaxis]
    pictures = _pictures(planet, mesh_resolution)
    below = close.maps["sea_depth"] > 0.0
    return PlanetDrawing(
        planet,
        size,
        ground,
        close,
        places.astype(np.float32),
        None if viewer is None else _near_colours(planet, ground, close),
        None if viewer is None or not recipe.has_sea else _near_colours(planet, ground, close, least_depth=_SHALLOW),
        np.logical_or.reduceat(below[ground.corners], ground.starts),
        size + tall * planet.sea_level if recipe.has_sea else 0.0,
        size + tall * max(float(planet.surface.max()), 0.0),
        pictures.colours,
        pictures.relief,
        (tall * pictures.residuals[0], tall * pictures.residuals[1]),
        None if viewer is None else _near_forest(planet, ground, viewer),
        None if viewer is None else _trees(planet, viewer, size),
    )


def _colour_atlas(colours: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The six faces of a map of colours as one picture."""
    return np.stack([atlas(colours[..., channel]) for channel in range(3)], axis=-1)


class _Pictures(NamedTuple):
    """Pictures of a planet, and what black and white of its residual mean in metres."""

    colours: npt.NDArray[np.uint8]
    relief: npt.NDArray[np.uint16]
    residuals: tuple[float, float]


# The pictures of the planets that were drawn last, a preview and the whole, with what they were made from.
_drawn: list[tuple[tuple[object, ...], _Pictures]] = []


def _pictures(planet: Planet, mesh_resolution: int) -> _Pictures:
    """The pictures of a planet; those that were drawn last serve again while only its shape in the scene changes.

    A planet that is built again has the same arrays where nothing has changed.
    """
    made_from = (planet.surface, planet.biomes, planet.recipe.look.colours, str(planet.recipe.has_sea), mesh_resolution)
    for known, pictures in tuple(_drawn):
        if all(one is other or (isinstance(one, str | int) and one == other) for one, other in zip(known, made_from)):
            return pictures
    rest = planet_residual(planet.surface, mesh_resolution)
    low, high = float(rest.min()), float(rest.max())
    depth, (land, sea) = planet.maps["sea_depth"], land_and_sea_colour(planet, _SHALLOW)
    layers = (
        (atlas(rest) - low) / max(high - low, 1e-30),
        atlas(planet.maps["ice"]),
        atlas(depth) / max(float(depth.max()), 1.0),
    )
    pictures = _Pictures(
        _srgb_bytes(np.concatenate([_colour_atlas(colours) for colours in (land, sea) if colours.size])),
        np.rint(np.clip(np.stack(layers, axis=-1), 0.0, 1.0) * 65535.0).astype(np.uint16),
        (low, high),
    )
    _drawn[:] = [(made_from, pictures), *_drawn][:2]
    return pictures


def planet_ball(planet: Planet) -> PlanetBall:
    """Return a planet as a ball in its colours; any thread may call it."""
    resolution = planet.recipe.resolution
    ball = planet_mesh(resolution, min(SHELL_RESOLUTION, resolution))
    maps = {name: values.ravel()[ball.samples] for name, values in planet.maps.items()}
    finest = 2.0 * float(ball.spacing[0])
    places = ColouredPlaces(ball.directions, planet.surface.ravel()[ball.samples], maps, finest)
    colours = _srgb_bytes(colour_at(planet, places)).astype(np.float32) / np.float32(255.0)
    corners = ball.corners.reshape(-1, 4)
    triangles = np.concatenate((corners[:, (0, 1, 2)], corners[:, (0, 2, 3)]))
    return PlanetBall(ball.directions.astype(np.float32), np.ascontiguousarray(triangles, np.int32), colours)


def fill_ground(mesh: bpy.types.Mesh, drawing: PlanetDrawing) -> None:
    """Make a mesh the ground, in place: a smooth surface without seams, maps as attributes, a UV map of the faces."""
    ground, close = drawing.ground, drawing.close
    _set_polygons(mesh, drawing.places, ground.corners, ground.starts, ground.uv)
    for attribute, values in {**close.maps, "height": close.heights}.items():
        set_attribute(mesh, attribute, values)
    set_attribute(mesh, "biome", close.biomes.astype(np.int32))
    if drawing.near_colours is not None and drawing.forest is not None:
        set_attribute(mesh, NEAR, is_between(drawing.planet.recipe.resolution, ground).astype(np.float32))
        set_attribute(mesh, FOREST, drawing.forest)
        set_colours(mesh, NEAR_COLOUR, drawing.near_colours)


def fill_sea(mesh: bpy.types.Mesh, drawing: PlanetDrawing) -> None:
    """Make a mesh the sea, in place: the part of a sphere below which there is ground."""
    ground = drawing.ground
    sizes = np.diff(ground.starts, append=len(ground.corners))
    is_corner = np.repeat(drawing.is_under_sea, sizes)
    corners = ground.corners[is_corner]
    is_used = np.zeros(len(ground.directions), bool)
    is_used[corners] = True
    used, corners = np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[corners]
    places = (ground.directions[used] * drawing.sea_radius).astype(np.float32)
    starts = np.cumsum(sizes[drawing.is_under_sea]) - sizes[drawing.is_under_sea]
    _set_polygons(mesh, places, corners.astype(np.int32), starts.astype(np.int32), ground.uv[is_corner])
    if drawing.near_waters is not None:
        is_near = is_between(drawing.planet.recipe.resolution, ground)[used]
        set_attribute(mesh, NEAR, is_near.astype(np.float32))
        set_colours(mesh, NEAR_COLOUR, drawing.near_waters[used])


def fill_shell(mesh: bpy.types.Mesh, radius: float) -> None:
    """Make a mesh a whole sphere, in place."""
    ball = planet_mesh(SHELL_RESOLUTION, SHELL_RESOLUTION)
    _set_polygons(mesh, (ball.directions * radius).astype(np.float32), ball.corners, ball.starts, ball.uv)


def pack_pictures(name: str, drawing: PlanetDrawing) -> tuple[bpy.types.Image, bpy.types.Image]:
    """Store the pictures of colours and of relief in the .blend as new images."""
    with tempfile.TemporaryDirectory() as folder:
        colours, relief = _picture_files(Path(folder), name, drawing)
        images = (
            pack_texture(colours, is_colour=True, replaces=False),
            pack_texture(relief, is_colour=False, replaces=False),
        )
    for image, digest in zip(images, _digests(drawing)):
        image[_DIGEST] = digest
    return images


def repack_pictures(pictures: tuple[bpy.types.Image, bpy.types.Image], drawing: PlanetDrawing) -> None:
    """Store other pictures in the images that there are, in place; those that are the same stay."""
    digests = _digests(drawing)
    if [image.get(_DIGEST) for image in pictures] == digests:
        return
    with tempfile.TemporaryDirectory() as folder:
        for image, file, digest in zip(pictures, _picture_files(Path(folder), "Planet", drawing), digests):
            packed = file.read_bytes()
            image.pack(data=packed, data_len=len(packed))
            image[_DIGEST] = digest
            read_packed(image)


def _digests(drawing: PlanetDrawing) -> list[str]:
    """A hash of the picture of colours, and of that of relief."""
    return [hashlib.sha256(pixels).hexdigest() for pixels in (drawing.colours.tobytes(), drawing.relief.tobytes())]


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


def _near_colours(
    planet: Planet, ground: PlanetMesh, close: CloseGround, least_depth: float = 0.0
) -> npt.NDArray[np.float32]:
    """Colours of ground at vertices between samples, or of sea of some depth at least; the picture has the others."""
    is_near = np.flatnonzero(is_between(planet.recipe.resolution, ground))
    if least_depth > 0.0:
        is_near = is_near[close.heights[is_near] < planet.sea_level + least_depth]
    colours = np.zeros((len(ground.samples), 3), np.float32)
    if len(is_near):
        finest = 2.0 * float(ground.spacing[is_near].min())
        maps: dict[str, Field] = {name: values[is_near] for name, values in close.maps.items()}
        if least_depth > 0.0:
            maps["sea_depth"] = np.maximum(maps["sea_depth"], np.float32(least_depth))
        else:
            maps["sea_depth"] = np.zeros_like(maps["sea_depth"])
        colours[is_near] = colour_at(
            planet, ColouredPlaces(ground.directions[is_near], close.heights[is_near], maps, finest)
        )
    return colours


def fill_trees(mesh: bpy.types.Mesh, trees: PlanetTrees, stride: int) -> None:
    """Make a mesh the points of trees, in place; `stride` is how many variants the collection of models has."""
    plants = trees.plants
    mesh.clear_geometry()
    mesh.vertices.add(len(trees.places))
    set_positions(mesh, trees.places)
    set_attribute(mesh, TREE_MODEL, (plants.kind * stride + plants.variant) * LEVELS + trees.levels)
    set_attribute(mesh, TREE_HEIGHT, trees.heights)
    attribute = mesh.attributes.get(TREE_TURN) or mesh.attributes.new(TREE_TURN, "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", trees.turns.ravel())


def _near_forest(planet: Planet, ground: PlanetMesh, viewer: Viewer) -> Field:
    """Share of the ground under trees at the vertices between samples."""
    is_near = np.flatnonzero(is_between(planet.recipe.resolution, ground))
    forest = np.zeros(len(ground.samples), np.float32)
    # From high above, the colour of the ground is that of its plants already.
    if len(is_near) and not is_above_trees(viewer):
        finest = 2.0 * float(ground.spacing[is_near].min())
        forest[is_near] = wooded_share(planet, viewer, ground.directions[is_near], finest)
    return forest


def _trees(planet: Planet, viewer: Viewer, size: float) -> PlanetTrees | None:
    """Trees near a viewer, as they are shown."""
    if is_above_trees(viewer):
        return None
    plants = plants_near(planet, viewer)
    if not len(plants.kind):
        return None
    tall = size * planet.recipe.exaggeration / planet.recipe.radius
    places = plants.directions * (size + tall * plants.ground.astype(np.float64))[:, np.newaxis]
    heights = plants.height * np.float32(tall)
    far = np.sqrt(np.square(places - size * viewer.eye).sum(axis=1))
    levels = np.searchsorted(np.array(_LEVEL_SIZES)[::-1], heights / far)
    x, y, z = plants.directions.T
    # Turned about its own stem, tilted from the pole, and turned to its longitude.
    tilt = np.arctan2(np.hypot(x, y), z)
    longitude = np.arctan2(y, x)
    turns = [
        (Matrix.Rotation(a, 3, "Z") @ Matrix.Rotation(b, 3, "Y") @ Matrix.Rotation(c, 3, "Z")).to_euler()
        for a, b, c in zip(longitude, tilt, plants.turn.tolist())
    ]
    return PlanetTrees(
        plants, places.astype(np.float32), np.array(turns, np.float32), heights, (LEVELS - 1 - levels).astype(np.int32)
    )


def _set_polygons(
    mesh: bpy.types.Mesh,
    places: npt.NDArray[np.float32],
    corners: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int32],
    uv: npt.NDArray[np.float32],
) -> None:
    """Make a mesh smooth polygons with a UV map, in place; materials and custom properties stay."""
    if not _has_polygons(mesh, len(places), corners, starts):
        mesh.clear_geometry()
        mesh.vertices.add(len(places))
        mesh.attributes["position"].data.foreach_set("vector", places.ravel())
        mesh.loops.add(corners.size)
        mesh.attributes[".corner_vert"].data.foreach_set("value", corners)
        mesh.polygons.add(starts.size)
        mesh.polygons.foreach_set("loop_start", starts)
        mesh.polygons.foreach_set("use_smooth", np.ones(starts.size, bool))
        mesh.uv_layers.new(name=UV_MAP)
        mesh.update(calc_edges=True)
    layer = mesh.uv_layers.get(UV_MAP) or mesh.uv_layers.new(name=UV_MAP)
    layer.uv.foreach_set("vector", uv.ravel())
    set_positions(mesh, places)


def _has_polygons(
    mesh: bpy.types.Mesh, vertices: int, corners: npt.NDArray[np.int32], starts: npt.NDArray[np.int32]
) -> bool:
    """Whether a mesh has these polygons already."""
    if len(mesh.vertices) != vertices or len(mesh.polygons) != starts.size or len(mesh.loops) != corners.size:
        return False
    found = np.empty(corners.size, np.int32)
    mesh.attributes[".corner_vert"].data.foreach_get("value", found)
    return np.array_equal(found, corners)


def _picture_files(folder: Path, name: str, drawing: PlanetDrawing) -> tuple[Path, Path]:
    """Write the pictures of colours and of relief as PNG."""
    plain = name.replace("/", "_")
    colours, relief = folder / f"{plain} colour.png", folder / f"{plain} relief.png"
    write_png(colours, drawing.colours[::-1])
    write_png(relief, drawing.relief[::-1])
    return colours, relief


def _srgb_bytes(linear: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    return np.rint(255.0 * srgb_of_linear(linear)).astype(np.uint8)
