"""The ground beyond the border of a land: coarse, from the same recipe, and joined to the land's border."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.building.recipe import Recipe
from ...core.erosion.wandering_rivers import WanderingRivers
from ...core.foundation.resampling import resample
from ...core.foundation.terrain import Field, Terrain
from ...core.meshing.detail import LONGEST_GULLY, Origin, detail_slopes
from ...core.meshing.open_sea import LEAST_SEA, sea_along_sides

LANDS_AROUND = 2
"""How many lands lie around a land, each three times as wide as what it surrounds."""
# Cells along the width of what is surrounded; of a long land fewer, so that no more than the second number of cells lie
# along its depth.
_CELLS, _MOST_CELLS_UP = 128, 1024
# So many cells at least lie along the depth of what is surrounded.
_LEAST_CELLS_UP = 2
# What the border of the land differs from the ground around fades within this share of the land's size; colours fade
# sooner, because they would show as streaks.
_FADE, _FADE_OF_MAPS = 0.12, 0.03
_WET_MAPS = ("drainage", "wet_ground", "water_depth")
_DETAIL = ("detail_east", "detail_north", "detail_height")
# The outermost cells reach so many times as far, down to low ground: what is there is hidden in haze.
_APRON, _LOW_GROUND = 8.0, 0.1
# The longest gullies of the ground around, in cells.  Light shows them; the mesh is too coarse.
_GULLY = 8.0
# From the first to the second of these shares of the size of what the last one surrounds, away from its middle, ground
# becomes even and takes its mean colour: on the long cells farther out, what differs would be drawn out to rays.
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
    detail : ndarray of float32, shape (vertices, 3)
        As `detail_slopes` returns it: gullies longer than those of the land, but no deeper.
    """

    positions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    maps: Mapping[str, npt.NDArray[np.float32]]
    detail: npt.NDArray[np.float32]


def far_recipe(recipe: Recipe) -> Recipe:
    """Return the recipe of the land around another: the same relief and erosion at the same place, on few samples.

    It is three times as wide and deep.  It has no plants, and nothing that was drawn.  No river wanders: its bends are
    finer than the cells, and would take minutes.

    Raises
    ------
    ValueError
        If it would be larger, or lie farther out, than a land may.
    """
    cells = max(_cells_along(recipe.width, recipe.depth), _LEAST_CELLS_UP * recipe.width / recipe.depth)
    return recipe.replace(
        erosion=tuple(one for one in recipe.erosion if not isinstance(one, WanderingRivers)),
        width=3.0 * recipe.width,
        depth=3.0 * recipe.depth,
        resolution=round(3.0 * cells) + 1,
        origin_east=recipe.origin_east - recipe.width,
        origin_north=recipe.origin_north - recipe.depth,
        fixed_border=False,
        features=(),
        water=recipe.water.replace(inflows=()),
        ecosystem=recipe.ecosystem.replace(species=()),
    )


def _cells_along(width: float, depth: float) -> float:
    """Return how many cells as long as wide lie along the width of a land that is surrounded, which may be a part."""
    return min(_CELLS, _MOST_CELLS_UP * width / depth)


def far_fields(far: Landscape) -> dict[str, Field]:
    """Return the fields of what `far_recipe` became, by the names of `InnerGround`.

    Nothing is wet: the beds of rivers and lakes, which are not shown, would be as wide as the coarse cells.
    """
    dry = dict.fromkeys(_WET_MAPS, np.zeros_like(far.terrain.surface))
    return {"height": far.terrain.surface, "sediment": far.terrain.sediment, **far.maps, **dry}


def join_far_ground(
    near: InnerGround, around: Sequence[Mapping[str, Field]], sea_level: float | None, seed: int
) -> FarGround:
    """Return the ground around a land; at the border its heights and maps are those of the land, vertex by vertex.

    Parameters
    ----------
    near : InnerGround
    around : sequence of mapping of str to ndarray of float32, shape (rows, columns)
        From `far_fields`, for each land around the one before, at least one.  A field that is missing is that of what
        it surrounds, mirrored at its border.
    sea_level : float or None
        Altitude of the sea in metres; None if there is none.
    seed : int
        Of the recipe.
    """
    near = near._replace(fields={**near.fields, **dict.fromkeys(_DETAIL, np.zeros_like(near.heights))})
    sea = None if sea_level is None else _Sea(sea_level, sea_along_sides(near.heights, sea_level) >= LEAST_SEA)
    rings = []
    for number, far in enumerate(around, 1):
        is_last = number == len(around)
        layout = _layout(near)
        fields = _fields_around(layout, near, far, sea, is_last)
        fields |= _detail_around(layout, fields, seed)
        rings.append(_ring_around(layout, near, fields, _APRON if is_last else 1.0))
        near = InnerGround({name: field.astype(np.float32) for name, field in fields.items()}, *_size_of(layout))
    return _joined_rings(rings)


class _Sea(NamedTuple):
    """A sea: its altitude, and whether it goes on beyond the south, west, north and east side of the land."""

    level: float
    goes_on: npt.NDArray[np.bool_]


class _Layout(NamedTuple):
    """Where the coarse samples lie: metres from the middle of the land, and samples along one side of the land."""

    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    along: int
    up: int
    width: float
    depth: float


def _layout(near: InnerGround) -> _Layout:
    cells = _cells_along(near.width, near.depth)
    along, up = max(round(cells), 2), max(round(cells * near.depth / near.width), _LEAST_CELLS_UP)
    x, y = np.linspace(-1.5, 1.5, 3 * along + 1), np.linspace(-1.5, 1.5, 3 * up + 1)
    return _Layout(x * near.width, y * near.depth, along, up, near.width, near.depth)


def _size_of(layout: _Layout) -> tuple[float, float]:
    """Return the size in metres of the land that surrounds another one."""
    return 3.0 * layout.width, 3.0 * layout.depth


def _fields_around(
    layout: _Layout, near: InnerGround, far: Mapping[str, Field], sea: _Sea | None, is_last: bool
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the fields of a land around another at its coarse samples; of the last one the outermost are even."""
    if sea is None and "height" in far:
        far = {**far, "height": far["height"] + _step_between(layout, near.heights, far["height"])}
    fields = {
        name: _join(layout, field, far.get(name), _FADE if name == "height" else _FADE_OF_MAPS)
        for name, field in near.fields.items()
        if name not in _DETAIL
    }
    heights = fields["height"]
    if is_last:
        fields = {name: _even_far_away(layout, field, float(field.mean())) for name, field in fields.items()}
        even = _even_far_away(layout, heights, float(np.quantile(heights, _LOW_GROUND)))
        # The bottom of a sea stays below its surface.
        heights = even if sea is None else np.minimum(heights, even)
    fields["height"] = heights if sea is None else _dry_land(layout, heights, sea)
    return fields


def _detail_around(
    layout: _Layout, fields: Mapping[str, npt.NDArray[np.float64]], seed: int
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the detail of a land around another as fields."""
    heights = fields["height"].astype(np.float32)
    sediment = fields.get("sediment", np.zeros_like(heights)).astype(np.float32)
    cell_size = float(layout.x[1] - layout.x[0])
    longest = _GULLY * cell_size
    origin = Origin(seed, float(layout.x[0]), float(layout.y[0]), longest)
    detail = detail_slopes(Terrain(heights - sediment, sediment, cell_size), origin).reshape(*heights.shape, 3)
    # The material takes what is high for a rib, and what is low for the bottom of a gully.
    detail[..., 2] *= LONGEST_GULLY / longest
    return {name: detail[..., number].astype(np.float64) for number, name in enumerate(_DETAIL)}


class _RingMesh(NamedTuple):
    """The mesh of a land around another.

    Attributes
    ----------
    positions : ndarray of float32, shape (vertices, 3)
        In metres.
    triangles : ndarray of int64, shape (triangles, 3)
    maps : mapping of str to ndarray of float32, shape (vertices,)
    inner, outer : ndarray of int64, shape (corners,)
        Vertices of both borders, side by side around them.
    """

    positions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int64]
    maps: dict[str, npt.NDArray[np.float32]]
    inner: npt.NDArray[np.int64]
    outer: npt.NDArray[np.int64]


def _ring_around(
    layout: _Layout, near: InnerGround, fields: Mapping[str, npt.NDArray[np.float64]], apron: float
) -> _RingMesh:
    """Return the mesh of a land around another; its outermost vertices lie `apron` times as far out."""
    outermost = np.ones(fields["height"].shape, np.bool_)
    outermost[1:-1, 1:-1] = False
    out = np.where(outermost, apron, 1.0)
    x, y = np.meshgrid(layout.x, layout.y)
    rows, columns = near.heights.shape
    near_x, near_y = np.meshgrid(
        np.linspace(-0.5, 0.5, columns) * near.width, np.linspace(-0.5, 0.5, rows) * near.depth
    )
    axes = ((x * out, near_x), (y * out, near_y), (fields["height"], near.heights))
    positions = np.stack([_values(layout, *pair) for pair in axes], axis=1).astype(np.float32)
    maps = {
        name: _values(layout, field, near.fields[name]).astype(np.float32)
        for name, field in fields.items()
        if name != "height"
    }
    grid = np.arange(out.size).reshape(out.shape)
    inner = out.size + np.arange(2 * (rows + columns))
    return _RingMesh(positions, _triangles(layout, near.heights.shape), maps, inner, np.concatenate(_ring(grid)))


def _joined_rings(rings: Sequence[_RingMesh]) -> FarGround:
    """Return one mesh of lands around each other; they share the vertices where they meet, so that light is smooth."""
    triangles, start = [], 0
    for number, ring in enumerate(rings):
        vertices = start + np.arange(len(ring.positions))
        if number:
            before = rings[number - 1]
            vertices[ring.inner] = start - len(before.positions) + before.outer
        triangles.append(vertices[ring.triangles])
        start += len(ring.positions)
    used, corners = np.unique(np.concatenate(triangles), return_inverse=True)
    maps = {name: np.concatenate([ring.maps[name] for ring in rings])[used] for name in rings[0].maps}
    detail = np.stack([maps.pop(name) for name in _DETAIL], axis=1)
    positions = np.concatenate([ring.positions for ring in rings])[used]
    return FarGround(positions, corners.reshape(-1, 3).astype(np.int32), maps, detail)


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


def _dry_land(layout: _Layout, heights: npt.NDArray[np.float64], sea: _Sea) -> npt.NDArray[np.float64]:
    """Return the heights without ground below the sea on those sides where the sea does not go on.

    Its surface ends at the border there, and the bottom of a sea without water would show.
    """
    x, y = layout.x / layout.width, (layout.y / layout.depth)[:, None]
    south, west, north, east = sea.goes_on
    is_open = np.where(np.abs(y) > np.abs(x), np.where(y > 0.0, north, south), np.where(x > 0.0, east, west))
    return np.where(is_open, heights, np.maximum(heights, sea.level))


def _ring(field: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
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
