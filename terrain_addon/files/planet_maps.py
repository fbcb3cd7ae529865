"""Maps of a planet as pictures: one for each face of its cube, and equirectangular ones.

An equirectangular map is twice as wide as high; its columns are longitudes from 180° west to 180° east, its rows
latitudes from the north pole to the south pole.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.foundation.terrain import Field
from ..core.maps.colour import srgb_of_linear
from ..core.planet.biomes import Biome
from ..core.planet.cube_sphere import CUBE_FACES, FACE_RIGHTS, Directions, nearest_samples, sample_faces
from ..core.planet.ground_layers import PLANET_LAYERS, ground_layers
from ..core.planet.normals import planet_normals
from ..core.planet.planet import Planet
from ..core.planet.planet_colour import planet_colour
from .exr import write_exr
from .png import Pixels, write_png
from .writing import write_together

PLANET_MAPS = {
    "height": "Grey, 16 bits: from the lowest to the highest ground, which the note gives in metres",
    "normal": "Normals of the exaggerated ground; red to the right, green up, blue out of the planet",
    "colour": "Colours of ground and sea, sRGB",
    "biome": "Grey, 8 bits: the number of the biome; the note names them",
    "splat_1": "Weights of the first four layers of ground in red, green, blue and alpha; the note names them",
    "splat_2": "Weights of the other four; all eight add up to 255",
    "surface": "Roughness in green, share of metal in blue, as glTF has them",
}
"""The maps that are written, with what their pixels hold."""

PLANET_RECORD = "planet.json"
"""Name of the file with the recipe; it says that all other files are there."""

WIDEST = 8192
"""Pixels from west to east that an equirectangular map may have."""

_WATER, _ICE, _LAND = 0.34, 0.6, 0.95  # roughness; from space the waves of a whole region are one rough mirror
_BAND = 128  # rows that are computed at a time


class _View(NamedTuple):
    """A picture of the planet: its size, and the directions of rows of its pixels with the frames of their normals."""

    shape: tuple[int, int]
    directions: Callable[[int, int], Directions]
    right: Callable[[Directions], Directions]


def write_planet_maps(folder: str | os.PathLike[str], planet: Planet, width: int = 4096) -> tuple[Path, ...]:
    """Write all maps of a planet, its recipe, and a note that says what they hold.

    Parameters
    ----------
    folder : str or PathLike
        Where the files go: `height_x_plus.png` and so on for each face, `height.png` and so on for the whole planet,
        `planet.json` for the recipe, and `maps.json` for the note.  Files of these names are replaced.
    planet : Planet
        What to write.
    width : int
        Pixels of equirectangular maps from west to east: even, 2 to WIDEST.

    Returns
    -------
    tuple of Path
        The files, in alphabetical order.

    Raises
    ------
    ValueError
        If `width` is not in its range, or a file cannot be written.
    """
    with write_together(folder, record=PLANET_RECORD) as part:
        fill_with_maps(part, planet, width)
        names = sorted(path.name for path in part.iterdir())
    return tuple(Path(folder, name) for name in names)


def fill_with_maps(folder: Path, planet: Planet, width: int) -> None:
    """Write what `write_planet_maps` writes into a folder of a package that is being made.

    Parameters
    ----------
    folder : Path
        That exists.
    planet, width
        As for `write_planet_maps`.

    Raises
    ------
    ValueError
        As `write_planet_maps`.
    """
    if width % 2 or not 2 <= width <= WIDEST:
        raise ValueError(f"width = {width} is not an even number of pixels from 2 to {WIDEST}")
    pictures = PlanetPictures(planet)
    (folder / PLANET_RECORD).write_text(planet.recipe.dumps(), encoding="utf-8")
    (folder / "maps.json").write_text(json.dumps(_note(planet, width), indent=2) + "\n", encoding="utf-8")
    for number, face in enumerate(CUBE_FACES):
        for name, pixels in pictures.of_face(number).items():
            write_png(folder / f"{name}_{face}.png", pixels)
        metres = np.ascontiguousarray(planet.surface[number, ::-1])
        write_exr(folder / f"height_{face}.exr", {"Y": metres})
    for name, pixels in pictures.of_whole(width):
        write_png(folder / f"{name}.png", pixels)


class PlanetPictures:
    """Makes all pictures of a planet, of a face or of the whole.

    Parameters
    ----------
    planet : Planet
        Of which pictures are made.
    """

    def __init__(self, planet: Planet) -> None:
        recipe = planet.recipe
        self._planet = planet
        self.surface = planet.surface
        self.low, self.high = _range_of(planet)
        self.biomes = planet.biomes
        self.colours = _channels(planet_colour(planet))
        # Normals are those of the planet as it is shown: the sea is smooth, mountains are exaggerated.
        shown = np.maximum(planet.surface, np.float32(planet.sea_level)) * np.float32(recipe.exaggeration)
        self.normals = _channels(planet_normals(shown, planet.directions, recipe.radius))

        self.ice, self.water = planet.maps["ice"], (planet.maps["sea_depth"] > 0.0).astype(np.float32)

    def of_face(self, number: int) -> dict[str, Pixels]:
        """Return the pictures of a face, a pixel for each sample, row 0 at the top.

        Parameters
        ----------
        number : int
            Of the face.

        Returns
        -------
        dict of str to ndarray of uint8 or uint16
            By the names of `PLANET_MAPS`.
        """
        view = _face_view(self._planet, number)
        return {name: _picture(self, view, name) for name in _MAKERS}

    def of_whole(self, width: int) -> Iterator[tuple[str, Pixels]]:
        """Yield the equirectangular pictures one after the other: all of them together are large.

        Parameters
        ----------
        width : int
            Pixels from west to east.

        Yields
        ------
        str, ndarray of uint8 or uint16
            A name of `PLANET_MAPS`, and its picture.
        """
        view = _whole_view(width)
        for name in _MAKERS:
            yield name, _picture(self, view, name)


def _channels(values: npt.NDArray[Any]) -> list[Field]:
    return [np.ascontiguousarray(values[..., channel], np.float32) for channel in range(3)]


def _picture(sources: PlanetPictures, view: _View, name: str) -> Pixels:
    """Make one map of a view, a band of rows at a time."""
    rows = view.shape[0]
    picture: Pixels | None = None
    for first in range(0, rows, _BAND):
        band = _MAKERS[name](sources, view, view.directions(first, min(first + _BAND, rows)))
        if picture is None:
            picture = np.empty((rows, *band.shape[1:]), band.dtype)
        picture[first : first + len(band)] = band
    if picture is None:
        raise ValueError("a picture has no rows")
    return picture


def _height(sources: PlanetPictures, view: _View, directions: Directions) -> Pixels:
    share = (sample_faces(sources.surface, directions) - sources.low) / max(sources.high - sources.low, 1e-6)
    return np.rint(np.clip(share, 0.0, 1.0) * 65535.0).astype(np.uint16)


def _normal(sources: PlanetPictures, view: _View, directions: Directions) -> Pixels:
    return _packed_normals(sources, directions, view.right(directions)).astype(np.uint8)


def _colour(sources: PlanetPictures, view: _View, directions: Directions) -> Pixels:
    seen = np.stack([sample_faces(one, directions) for one in sources.colours], axis=-1)
    return np.rint(255.0 * srgb_of_linear(seen)).astype(np.uint8)


def _biome(sources: PlanetPictures, view: _View, directions: Directions) -> Pixels:
    return sources.biomes.ravel()[nearest_samples(directions, sources.biomes.shape[1])]


def _splat_1(sources: PlanetPictures, view: _View, directions: Directions) -> Pixels:
    return ground_layers(sources.biomes, directions)[..., :4]


def _splat_2(sources: PlanetPictures, view: _View, directions: Directions) -> Pixels:
    return ground_layers(sources.biomes, directions)[..., 4:]


def _surface(sources: PlanetPictures, view: _View, directions: Directions) -> Pixels:
    """Roughness in the second channel: open water mirrors, ice a little."""
    ice = sample_faces(sources.ice, directions)
    rough = _LAND + sample_faces(sources.water, directions) * (_WATER - _LAND)
    rough += ice * (_ICE - rough)
    return np.rint(255.0 * np.stack((np.ones_like(rough), rough, np.zeros_like(rough)), axis=-1)).astype(np.uint8)


_MAKERS: dict[str, Callable[[PlanetPictures, _View, Directions], Pixels]] = {
    "height": _height,
    "normal": _normal,
    "colour": _colour,
    "biome": _biome,
    "splat_1": _splat_1,
    "splat_2": _splat_2,
    "surface": _surface,
}


def _packed_normals(sources: PlanetPictures, directions: Directions, right: Directions) -> npt.NDArray[np.float64]:
    """Normals in the frame of the picture, as numbers from 0 to 255."""
    normals = np.stack([sample_faces(one, directions) for one in sources.normals], axis=-1).astype(np.float64)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    up = np.cross(directions, right)
    parts = [(normals * axis).sum(axis=-1) for axis in (right, up, directions)]
    return np.rint(127.5 + 127.5 * np.stack(parts, axis=-1))


def _face_view(planet: Planet, number: int) -> _View:
    """The picture of a face: a pixel for each sample, row 0 at the top."""
    directions = planet.directions[number, ::-1]

    def right_of(places: Directions) -> Directions:
        # The direction of the columns, made level.
        level = FACE_RIGHTS[number] - places * (places * FACE_RIGHTS[number]).sum(axis=-1, keepdims=True)
        level /= np.linalg.norm(level, axis=-1, keepdims=True)
        return level

    shape = directions.shape[0], directions.shape[1]
    return _View(shape, lambda first, last: directions[first:last], right_of)


def _whole_view(width: int) -> _View:
    """The equirectangular picture."""
    rows = width // 2
    longitude = np.radians((np.arange(width) + 0.5) * (360.0 / width) - 180.0)

    def directions(first: int, last: int) -> Directions:
        latitude = np.radians(90.0 - (np.arange(first, last) + 0.5) * (180.0 / rows))[:, np.newaxis]
        parts = (np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude))
        return np.stack((*parts, np.broadcast_to(np.sin(latitude), parts[0].shape)), axis=-1)

    def east_of(places: Directions) -> Directions:
        east = np.stack((-places[..., 1], places[..., 0], np.zeros(places.shape[:-1])), axis=-1)
        east /= np.linalg.norm(east, axis=-1, keepdims=True)
        return east

    return _View((rows, width), directions, east_of)


def _range_of(planet: Planet) -> tuple[float, float]:
    return float(planet.surface.min()), float(planet.surface.max())


def _note(planet: Planet, width: int) -> dict[str, Any]:
    """What the files hold, for people and programs."""
    low, high = _range_of(planet)
    return {
        "maps": PLANET_MAPS,
        "faces": {
            name: {"axis": face.axis, "right": face.right, "up": face.up, "pixels": planet.recipe.resolution}
            for name, face in CUBE_FACES.items()
        },
        "equirectangular": {"width": width, "height": width // 2},
        "lowest": low,
        "highest": high,
        "sea_level": planet.recipe.sea_level if planet.recipe.has_sea else None,
        "radius": planet.recipe.radius,
        "exaggeration": planet.recipe.exaggeration,
        "layers": list(PLANET_LAYERS),
        "biomes": {biome.value: biome.name.lower() for biome in Biome},
    }
