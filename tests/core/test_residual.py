"""A coarse mesh and what it leaves out are the fine land, once."""

import numpy as np
import pytest

from terrain_addon.core.maps.slope import surface_normals
from terrain_addon.core.meshing.residual import FACES, mesh_heights, residual, residual_normals

pytestmark = pytest.mark.once

RNG = np.random.default_rng(11)
FINE = (np.cumsum(RNG.standard_normal((49, 73)), axis=1) + 900.0).astype(np.float32)
MESH = np.ascontiguousarray(FINE[::8, ::8])


@pytest.mark.parametrize("faces", FACES)
def test_mesh_and_residual_are_the_fine_land(faces: str) -> None:
    mesh = mesh_heights(MESH, 16.0, FINE.shape, 2.0, faces).astype(np.float64)
    rest = residual(FINE, 2.0, MESH, 16.0, faces)
    # Two roundings to float32: of the mesh and of the residual.
    np.testing.assert_allclose(mesh + rest, FINE, rtol=0.0, atol=1.5 * np.spacing(np.float32(FINE.max())))
    assert np.abs(rest[::8, ::8]).max() == 0.0
    assert np.abs(rest).max() > 1.0
    # Counted twice it is another land.
    assert np.abs(mesh + 2.0 * rest - FINE).max() > 1.0


def test_residual_of_any_mesh_adds_up() -> None:
    """Also of one that was not taken from the fine land, and that does not share its samples."""
    mesh = (900.0 + 20.0 * RNG.random((5, 8))).astype(np.float32)
    spacing = 16.0 * 7 / 72
    rest = residual(FINE, spacing, mesh, 16.0)
    np.testing.assert_allclose(mesh_heights(mesh, 16.0, FINE.shape, spacing) + rest, FINE, atol=2e-4)


def test_bilinear_faces_by_hand() -> None:
    mesh = np.array([[0.0, 4.0], [8.0, 20.0]], np.float32)
    heights = mesh_heights(mesh, 100.0, (3, 3), 50.0, "bilinear")
    np.testing.assert_array_equal(heights, [[0, 2, 4], [4, 8, 12], [8, 14, 20]])


def test_quads_are_split_along_the_diagonal_that_is_nearer_to_level() -> None:
    mesh = np.array([[0.0, 4.0], [8.0, 20.0]], np.float32)
    heights = mesh_heights(mesh, 100.0, (3, 3), 50.0, "triangles")
    np.testing.assert_array_equal(heights, [[0, 2, 4], [4, 6, 12], [8, 14, 20]])
    heights = mesh_heights(np.ascontiguousarray(mesh[:, ::-1]), 100.0, (3, 3), 50.0, "triangles")
    np.testing.assert_array_equal(heights, [[4, 2, 0], [12, 6, 4], [20, 14, 8]])
    alike = np.array([[0.0, 4.0], [20.0, 24.0]], np.float32)
    assert mesh_heights(alike, 100.0, (3, 3), 50.0, "triangles")[1, 1] == 12.0


def test_quads_are_divided_alike_however_steep_they_are() -> None:
    mesh = np.array([[0.0, 400.0], [800.0, 0.0]], np.float32)
    steep, flat = (mesh_heights(mesh, side, (3, 3), side / 2.0, "triangles") for side in (100.0, 1e5))
    np.testing.assert_array_equal(steep, flat)
    assert steep[1, 1] in (0.0, 600.0)


@pytest.mark.parametrize("faces", FACES)
def test_a_plane_has_no_residual_even_beyond_the_border(faces: str) -> None:
    y, x = np.mgrid[0:4, 0:6]
    mesh = (3.0 * x - 2.0 * y).astype(np.float32)
    y, x = np.mgrid[0:20, 0:30]
    fine = (3.0 * x / 5.0 - 2.0 * y / 5.0).astype(np.float32)
    np.testing.assert_allclose(residual(fine, 1.0, mesh, 5.0, faces), 0.0, atol=1e-5)


def test_normals_turned_back_by_the_frame_of_the_mesh_are_the_fine_ones() -> None:
    seen = residual_normals(FINE, 2.0, MESH, 16.0)
    corner = surface_normals(MESH, 16.0).astype(np.float64)
    expected = surface_normals(FINE, 2.0)
    for row in range(FINE.shape[0]):
        for column in range(FINE.shape[1]):
            r, c = min(row // 8, MESH.shape[0] - 2), min(column // 8, MESH.shape[1] - 2)
            v, u = row / 8 - r, column / 8 - c
            up = (1 - v) * ((1 - u) * corner[r, c] + u * corner[r, c + 1])
            up += v * ((1 - u) * corner[r + 1, c] + u * corner[r + 1, c + 1])
            up /= np.linalg.norm(up)
            tangent = np.array([1.0, 0.0, -up[0] / up[2]])
            tangent /= np.linalg.norm(tangent)
            frame = np.stack((tangent, np.cross(up, tangent), up))
            np.testing.assert_allclose(seen[row, column] @ frame, expected[row, column], atol=2e-6)
    assert np.abs(seen - expected).max() > 0.1


def test_a_mesh_as_fine_as_the_land_leaves_straight_normals() -> None:
    np.testing.assert_allclose(residual_normals(FINE, 2.0, FINE, 2.0)[..., 2], 1.0, atol=1e-6)


@pytest.mark.parametrize("call", [residual, residual_normals])
def test_mesh_without_faces_is_refused(call: object) -> None:
    with pytest.raises(ValueError, match="no faces"):
        call(FINE, 2.0, FINE[:1], 2.0)  # type: ignore[operator]


def test_unknown_faces_are_refused() -> None:
    with pytest.raises(ValueError, match="faces = 'round' is none of: triangles, bilinear"):
        residual(FINE, 2.0, MESH, 16.0, "round")
