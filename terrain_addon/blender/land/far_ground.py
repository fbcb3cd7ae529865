"""The ground beyond the border of a land: coarse, from the same recipe, and joined to the land's border."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.building.recipe import Recipe
from ...core.foundation.resampling import resample
from ...core.foundation.terrain import Field
from ...core.meshing.open_sea import LEAST_SEA, sea_along_sides

_CELLS = 128  # along the width of the land; so wide are also the lands around it
# What the border of the land differs from the ground around fades within this share of the land's size; colours fade
# sooner, because they would show as streaks.
_FADE, _FADE_OF_MAPS = 0.12, 0.03
_WET_MAPS = ("drainage", "wet_ground", "water_depth")
# The outermost cells reach so many times as far, down to low ground: what is there is hidden in haze.
_APRON, _LOW_GROUND = 8.0, 0.1
# From the first to the second of these shares of the land's size away from its middle, ground becomes even and takes
# its mean colour: on the long cells farther out, what differs from place to place would be drawn out to rays.
_EVEN = (1.4, 1.48)


class InnerGround(NamedTuple):
    """The land in the middle: its fields (rows, columns) by name, "height" among them, and its size in metres."""

    fields: Mapping[str, Field]
    width: float
    depth: float

    @property
    def heights(self) -> Field:
        """Altitudes in metres."""
        return self.fields["height"]


@dataclass(frozen=True)
class FarGround:
    """The mesh of the ground around a land, with a hole where the land is.

    Attributes
    ----------
    positions : ndarray of float32, shape (vertices, 3)
        Metres, from the middle of the land at altitude 0.
    triangles : ndarray of int32, shape (triangles, 3)
    maps : mapping of str to ndarray of float32, shape (vertices,)
        As the land has them.
    """

    positions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    maps: Mapping[str, npt.NDArray[np.float32]]


def far_recipe(recipe: Recipe) -> Recipe:
    """Return the recipe of the land around another: the same relief and erosion at the same place, on few samples.

    It is three times as wide and deep.  It has no plants, and nothing that was drawn.
    """
    return recipe.replace(
        width=3.0 * recipe.width,
        depth=3.0 * recipe.depth,
        resolution=3 * _CELLS + 1,
        origin_east=recipe.origin_east - recipe.width,
        origin_north=recipe.origin_north - recipe.depth,
        fixed_border=False,
        features=(),
        water=recipe.water.replace(inflows=()),
        ecosystem=recipe.ecosystem.replace(species=()),
    )


def far_fields(far: Landscape) -> dict[str, Field]:
    """Return the fields of what `far_recipe` became, by the names of `InnerGround`.

    Nothing is wet: the beds of rivers and lakes, which are not shown, would be as wide as the coarse cells.
    """
    dry = dict.fromkeys(_WET_MAPS, np.zeros_like(far.terrain.surface))
    return {"height": far.terrain.surface, "sediment": far.terrain.sediment, **far.maps, **dry}


def join_far_ground(near: InnerGround, far: Mapping[str, Field], sea_level: float | None) -> FarGround:
    """Return the ground around a land; at the border its heights and maps are those of the land, vertex by vertex.

    Parameters
    ----------
    near : InnerGround
    far : mapping of str to ndarray of float32, shape (rows, columns)
        From `far_fields`.  A field that is missing is that of the land, mirrored at its border.
    sea_level : float or None
        Altitude of the sea in metres; None if there is none.
    """
    layout = _layout(near)
    if sea_level is None and "height" in far:
        far = {**far, "height": far["height"] + _step_between(layout, near.heights, far["height"])}
    joined = {
        name: _join(layout, field, far.get(name), _FADE if name == "height" else _FADE_OF_MAPS)
        for name, field in near.fields.items()
    }
    heights = joined.pop("height")
    for name, field in joined.items():
        joined[name] = _even_far_away(layout, field, float(field.mean()))
    outermost = np.ones(heights.shape, np.bool_)
    outermost[1:-1, 1:-1] = False
    even = _even_far_away(layout, heights, float(np.quantile(heights, _LOW_GROUND)))
    # The bottom of a sea stays below its surface.
    heights = even if sea_level is None else np.minimum(heights, even)
    if sea_level is not None:
        heights = _dry_land(near, layout, heights, sea_level)
    out = np.where(outermost, _APRON, 1.0)
    x, y = np.meshgrid(layout.x, layout.y)
    rows, columns = near.heights.shape
    near_x, near_y = np.meshgrid(
        np.linspace(-0.5, 0.5, columns) * near.width, np.linspace(-0.5, 0.5, rows) * near.depth
    )
    axes = ((x * out, near_x), (y * out, near_y), (heights, near.heights))
    positions = np.stack([_values(layout, *pair) for pair in axes], axis=1).astype(np.float32)
    used, triangles = np.unique(_triangles(layout, near.heights.shape), return_inverse=True)
    maps = {name: _values(layout, field, near.fields[name]).astype(np.float32)[used] for name, field in joined.items()}
    return FarGround(positions[used], triangles.reshape(-1, 3).astype(np.int32), maps)


class _Layout(NamedTuple):
    """Where the coarse samples lie: metres from the middle of the land, and samples along one side of the land."""

    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    along: int
    up: int
    width: float
    depth: float


def _layout(near: InnerGround) -> _Layout:
    along, up = _CELLS, max(round(_CELLS * near.depth / near.width), 2)
    x, y = np.linspace(-1.5, 1.5, 3 * along + 1), np.linspace(-1.5, 1.5, 3 * up + 1)
    return _Layout(x * near.width, y * near.depth, along, up, near.width, near.depth)


def _join(layout: _Layout, near: Field, far: Field | None, fade: float) -> npt.NDArray[np.float64]:
    """Return a field at the coarse samples; what it differs from the land at the border fades outwards."""
    x, y = layout.x / layout.width, layout.y / layout.depth
    if far is None:
        return _sample(near, _mirrored(y) + 0.5, _mirrored(x) + 0.5)
    border_x, border_y = np.clip(x, -0.5, 0.5), np.clip(y, -0.5, 0.5)
    at_border = _sample(near, border_y + 0.5, border_x + 0.5)
    step = at_border - _sample(far, border_y / 3.0 + 0.5, border_x / 3.0 + 0.5)
    away = np.hypot((x - border_x) * layout.width, ((y - border_y) * layout.depth)[:, None])
    share = np.clip(1.0 - away / (fade * max(layout.width, layout.depth)), 0.0, 1.0)
    joined = _sample(far, y / 3.0 + 0.5, x / 3.0 + 0.5) + step * share * share * (3.0 - 2.0 * share)
    low, high = min(near.min(), far.min()), max(near.max(), far.max())
    return np.clip(joined, float(low), float(high))


def _even_far_away(layout: _Layout, field: npt.NDArray[np.float64], value: float) -> npt.NDArray[np.float64]:
    """Return a field that takes one value far away from the land."""
    away = np.maximum(np.abs(layout.x / layout.width), np.abs(layout.y / layout.depth)[:, None])
    share = np.clip((away - _EVEN[0]) / (_EVEN[1] - _EVEN[0]), 0.0, 1.0)
    return field + (value - field) * share * share * (3.0 - 2.0 * share)


def _step_between(layout: _Layout, near: Field, far: Field) -> np.float32:
    """Return how much higher the border of the land is than the same place of the ground around, in the mean.

    Rivers of a small land are nearer to where they leave it, so that they cut deeper, and all of it is lower.
    """
    ends, x, y = np.array((-0.5, 0.5)), layout.x / layout.width, layout.y / layout.depth
    x, y = x[np.abs(x) <= 0.5], y[np.abs(y) <= 0.5]
    steps = [
        (_sample(near, up + 0.5, along + 0.5) - _sample(far, up / 3.0 + 0.5, along / 3.0 + 0.5)).mean()
        for up, along in ((ends, x), (y, ends))
    ]
    return np.float32(np.mean(steps))


def _mirrored(place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return places between −1.5 and 1.5 mirrored at ±0.5."""
    return np.where(place > 0.5, 1.0 - place, np.where(place < -0.5, -1.0 - place, place))


def _sample(field: Field, up: npt.NDArray[np.float64], along: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a field at the crossings of rows and columns, given as shares of its depth and width."""
    rows, columns = field.shape
    limits = float(field.min()), float(field.max())
    return resample(field, up * (rows - 1), along * (columns - 1), 1.0, limits).astype(np.float64)


def _dry_land(
    near: InnerGround, layout: _Layout, heights: npt.NDArray[np.float64], sea_level: float
) -> npt.NDArray[np.float64]:
    """Return the heights without ground below the sea on those sides where the sea does not go on.

    Its surface ends at the border there, and the bottom of a sea without water would show.
    """
    x, y = layout.x / layout.width, (layout.y / layout.depth)[:, None]
    south, west, north, east = sea_along_sides(near.heights, sea_level) >= LEAST_SEA
    is_open = np.where(np.abs(y) > np.abs(x), np.where(y > 0.0, north, south), np.where(x > 0.0, east, west))
    return np.where(is_open, heights, np.maximum(heights, sea_level))


def _ring(field: npt.NDArray[np.floating]) -> list[npt.NDArray[np.floating]]:
    """Return the south, east, north and west side of a field, as somebody walks around it counter-clockwise."""
    return [field[0], field[:, -1], field[-1, ::-1], field[::-1, 0]]


def _values(
    layout: _Layout, coarse: npt.NDArray[np.float64], near: npt.NDArray[np.floating]
) -> npt.NDArray[np.float64]:
    """Return a field at all vertices: the coarse samples, the border of the land, and a line one cell farther out.

    That line has as many vertices as the border.  They lie on straight edges of the coarse cells, so nothing gapes.
    """
    along, up = layout.along, layout.up
    inner = _ring(near)
    lines = [
        coarse[up - 1, along : 2 * along + 1],
        coarse[up : 2 * up + 1, 2 * along + 1],
        coarse[2 * up + 1, along : 2 * along + 1][::-1],
        coarse[up : 2 * up + 1, along - 1][::-1],
    ]
    outer = [
        np.interp(np.linspace(0.0, 1.0, side.size), np.linspace(0.0, 1.0, line.size), line)
        for side, line in zip(inner, lines)
    ]
    coarse = coarse.copy()
    coarse[np.ix_((up, 2 * up), (along, 2 * along))] = near[np.ix_((0, -1), (0, -1))]
    return np.concatenate([coarse.ravel(), *inner, *outer])


def _triangles(layout: _Layout, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return triangles around the hole: coarse cells, and strips between the border and the line around it."""
    up, along = 3 * layout.up + 1, 3 * layout.along + 1
    vertex = np.arange(up * along).reshape(up, along)
    kept = np.ones((up - 1, along - 1), np.bool_)
    kept[layout.up - 1 : 2 * layout.up + 1, layout.along - 1 : 2 * layout.along + 1] = False
    kept[np.ix_((layout.up - 1, 2 * layout.up), (layout.along - 1, 2 * layout.along))] = True
    around = np.stack((vertex[:-1, :-1], vertex[:-1, 1:], vertex[1:, 1:], vertex[1:, :-1]), axis=-1)
    quads, start, total = [around[kept]], vertex.size, 2 * sum(shape)
    for side in _ring(np.empty(shape, np.bool_)):
        inner = np.arange(start, start + side.size)
        outer = inner + total
        quads.append(np.stack((outer[:-1], outer[1:], inner[1:], inner[:-1]), axis=-1))
        start += side.size
    faces = np.concatenate(quads)
    return np.concatenate((faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]))
