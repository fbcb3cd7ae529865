"""Few triangles: without cracks, over the whole land, never off by more than allowed."""

import numpy as np
import pytest

from terrain_addon.core.meshing.triangulation import Triangulation, triangulate

pytestmark = pytest.mark.once

SHAPES = [(2, 2), (3, 3), (2, 9), (17, 17), (33, 33), (20, 37), (37, 20), (30, 31), (5, 40)]


def hills(shape: tuple[int, int]) -> np.ndarray:
    y, x = np.mgrid[: shape[0], : shape[1]]
    noise = np.random.default_rng(1).random(shape)
    return (np.sin(x / 7) * np.cos(y / 5) * 10 + noise * 0.3).astype(np.float32)


def largest_miss(surface: np.ndarray, mesh: Triangulation) -> float:
    """By barycentric coordinates of all samples in each triangle; also whether every sample is covered."""
    rows, columns = mesh.rows[mesh.triangles], mesh.columns[mesh.triangles]
    heights = surface.ravel()[mesh.samples][mesh.triangles].astype(np.float64)
    worst, seen = 0.0, np.zeros(surface.shape, bool)
    for r, c, z in zip(rows, columns, heights):
        place = np.s_[r.min() : r.max() + 1, c.min() : c.max() + 1]
        y, x = np.mgrid[place]
        area = (c[1] - c[0]) * (r[2] - r[0]) - (c[2] - c[0]) * (r[1] - r[0])
        beta = ((x - c[0]) * (r[2] - r[0]) - (c[2] - c[0]) * (y - r[0])) / area
        gamma = ((c[1] - c[0]) * (y - r[0]) - (x - c[0]) * (r[1] - r[0])) / area
        inside = (beta >= -1e-9) & (gamma >= -1e-9) & (beta + gamma <= 1.0 + 1e-9)
        flat = z[0] + beta * (z[1] - z[0]) + gamma * (z[2] - z[0])
        worst = max(worst, float(np.abs(flat - surface[place])[inside].max()))
        seen[place] |= inside
    assert seen.all()
    return worst


def areas(mesh: Triangulation) -> np.ndarray:
    r, c = mesh.rows[mesh.triangles], mesh.columns[mesh.triangles]
    return ((c[:, 1] - c[:, 0]) * (r[:, 2] - r[:, 0]) - (c[:, 2] - c[:, 0]) * (r[:, 1] - r[:, 0])) / 2


def open_edges(mesh: Triangulation) -> np.ndarray:
    """Edges that only one triangle has, as pairs of samples."""
    t = mesh.triangles
    edges = np.sort(np.concatenate((t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]])), axis=1)
    found, uses = np.unique(edges, axis=0, return_counts=True)
    assert uses.max() <= 2
    return mesh.samples[found[uses == 1]]


@pytest.mark.parametrize("chunk", [None, 4])
@pytest.mark.parametrize("tolerance", [0.0, 0.2, 2.0, 100.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_within_tolerance_and_without_cracks(shape: tuple[int, int], tolerance: float, chunk: int | None) -> None:
    surface = hills(shape)
    mesh = triangulate(surface, tolerance, chunk)
    assert largest_miss(surface, mesh) <= tolerance + 1e-5
    assert areas(mesh).min() > 0.0
    assert areas(mesh).sum() == (shape[0] - 1) * (shape[1] - 1)
    # All that is open is the border: nothing inside hangs beside the middle of a longer edge.
    rows, columns = open_edges(mesh) // shape[1], open_edges(mesh) % shape[1]
    on_border = [
        np.all(v == end, axis=1) for v, last in ((rows, shape[0]), (columns, shape[1])) for end in (0, last - 1)
    ]
    assert np.logical_or.reduce(on_border).all()


def test_less_is_needed_where_it_is_even() -> None:
    surface = hills((33, 33))
    counts = [len(triangulate(surface, tolerance).triangles) for tolerance in (0.0, 0.2, 2.0, 100.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 2 * 32 * 32 and counts[-1] == 2
    surface[:, :16] = 5.0
    half = triangulate(surface, 0.05)
    west = (half.columns[half.triangles].max(axis=1) <= 15).sum()
    assert west < 0.2 * len(half.triangles)


def test_one_sample_that_stands_out_is_kept() -> None:
    surface = np.zeros((65, 65), np.float32)
    surface[21, 40] = 9.0
    mesh = triangulate(surface, 1.0)
    assert 21 * 65 + 40 in mesh.samples
    assert len(mesh.triangles) < 120


def test_pieces_make_up_the_whole_and_share_their_sides() -> None:
    surface = hills((33, 49))
    mesh = triangulate(surface, 0.5, chunk=16)
    pieces = list(mesh.chunks(16))
    assert [(row, column) for row, column, _ in pieces] == [(r, c) for r in range(2) for c in range(3)]
    assert sum(len(p.triangles) for _, _, p in pieces) == len(mesh.triangles)
    for row, column, piece in pieces:
        assert piece.rows.min() == 16 * row and piece.rows.max() == 16 * row + 16
        assert piece.columns.min() == 16 * column and piece.columns.max() == 16 * column + 16
    by_place = {(row, column): piece for row, column, piece in pieces}
    west, east = by_place[0, 0], by_place[0, 1]
    np.testing.assert_array_equal(west.samples[west.columns == 16], east.samples[east.columns == 16])


def test_no_triangle_crosses_the_lines_of_the_chunks() -> None:
    surface = hills((33, 49))
    for chunk, crosses in ((16, False), (None, True)):
        mesh = triangulate(surface, 1000.0, chunk)
        columns = mesh.columns[mesh.triangles]
        assert bool(np.any((columns.min(axis=1) < 16) & (columns.max(axis=1) > 16))) == crosses


@pytest.mark.parametrize(
    ("surface", "tolerance", "chunk", "words"),
    [
        (np.zeros((1, 5)), 1.0, None, "no faces"),
        (np.full((3, 3), np.nan), 1.0, None, "NaN"),
        (np.zeros((3, 3)), -1.0, None, "tolerance = -1.0 m"),
        (np.zeros((3, 3)), np.nan, None, "tolerance = nan m"),
        (np.zeros((3, 3)), 1.0, 12, "chunk = 12 cells is not a power of two"),
    ],
)
def test_what_can_not_be_is_refused(surface: np.ndarray, tolerance: float, chunk: int | None, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        triangulate(surface, tolerance, chunk)
