"""A land that looks like no mirror image of itself: a letter F carved into a slope, with water in it."""

import numpy as np

from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.ecosystem.plants import Plants
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.slope import measure_slope

DEPTH = 20.0
CELL = 5.0


def letter_f(rows: int, columns: int) -> np.ndarray:
    """Where the letter is, as seen on a map: its stem in the west, its bars reaching east, open in the south-east."""
    north, east = np.mgrid[0:rows, 0:columns]
    north, east = north / (rows - 1), east / (columns - 1)
    stem = (east > 0.2) & (east < 0.35) & (north > 0.15) & (north < 0.85)
    top = (east >= 0.35) & (east < 0.8) & (north > 0.7) & (north < 0.85)
    middle = (east >= 0.35) & (east < 0.6) & (north > 0.45) & (north < 0.58)
    return stem | top | middle


def f_land(rows: int = 65, columns: int = 65, plants: int = 200, **changes: object) -> Landscape:
    """The slope rises by 0.1 to the east and 0.2 to the north."""
    carved = letter_f(rows, columns)
    north, east = np.mgrid[0:rows, 0:columns] * CELL
    heights = (300.0 + 0.1 * east + 0.2 * north - DEPTH * carved).astype(np.float32)
    terrain = Terrain(heights, np.zeros_like(heights), CELL)
    maps = {
        "slope": measure_slope(heights, CELL),
        "humidity": np.zeros_like(heights),
        "illumination": np.ones_like(heights),
        "sky_view": np.ones_like(heights),
        "water_depth": carved.astype(np.float32),
        "water_distance": np.full_like(heights, 1e6),
    }
    waters = find_water(heights, CELL, Water(sea=True, sea_level=305.0))
    recipe = Recipe().replace(seed=5, width=(columns - 1) * CELL, depth=(rows - 1) * CELL, resolution=columns)
    # Its plants stand all over, also in the sea and in the lake.
    species = tuple(one.replace(deepest_water=100.0) for one in recipe.ecosystem.species)
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(species=species))
    given = {"recipe": recipe, "terrain": terrain, "maps": maps, "plants": f_plants(terrain, plants), "waters": waters}
    return Landscape(**(given | changes))  # type: ignore[arg-type]


def f_plants(terrain: Terrain, count: int) -> Plants:
    """Plants all over, of which the age is the number."""
    random = np.random.default_rng(3)
    single = np.float32
    return Plants(
        x=random.uniform(0.0, terrain.grid.width, count).astype(single),
        y=random.uniform(0.0, terrain.grid.depth, count).astype(single),
        species=random.integers(0, 2, count).astype(np.int32),
        age=np.arange(1, count + 1, dtype=single),
        height=random.uniform(1.0, 9.0, count).astype(single),
        rotation=random.uniform(0.0, 360.0, count).astype(single),
        variant=random.integers(0, 3, count).astype(np.int32),
    )


def ground(landscape: Landscape, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height of the ground at places from the south-west corner, bilinear, in plain numpy."""
    heights = landscape.terrain.surface.astype(np.float64)
    column, row = np.asarray(x, np.float64) / CELL, np.asarray(y, np.float64) / CELL
    c = np.clip(np.floor(column).astype(int), 0, heights.shape[1] - 2)
    r = np.clip(np.floor(row).astype(int), 0, heights.shape[0] - 2)
    u, v = column - c, row - r
    south = heights[r, c] * (1 - u) + heights[r, c + 1] * u
    north = heights[r + 1, c] * (1 - u) + heights[r + 1, c + 1] * u
    return south * (1 - v) + north * v


def ground_of_triangles(landscape: Landscape, x: np.ndarray, y: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """Height of the triangle below each place; a turned cell is divided from south-east to north-west."""
    cell = landscape.terrain.cell_size
    return on_triangles(landscape.terrain.surface, np.asarray(x, float) / cell, np.asarray(y, float) / cell, turned)


def on_triangles(surface: np.ndarray, column: np.ndarray, row: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """Height of the triangle below each place, whose coordinates count cells from the south-west corner."""
    surface = surface.astype(np.float64)
    heights = []
    for i, j in zip(column, row):
        west, south = (min(max(int(n), 0), size - 2) for n, size in zip((i, j), surface.shape[::-1]))
        corners = [(west, south), (west + 1, south), (west + 1, south + 1), (west, south + 1)]
        if turned[south, west]:
            corners = corners[1:] + corners[:1]
        # The place is on the side of the second or of the fourth corner of the diagonal from the first to the third.
        (ax, ay), (_, _), (cx, cy), (_, _) = corners
        is_right = (cx - ax) * (j - ay) - (cy - ay) * (i - ax) <= 0.0
        three = np.array(corners)[[0, 1, 2] if is_right else [0, 2, 3]]
        plane = np.column_stack((three, np.ones(3)))
        a, b, c = np.linalg.solve(plane, surface[three[:, 1], three[:, 0]])
        heights.append(a * i + b * j + c)
    return np.array(heights)
