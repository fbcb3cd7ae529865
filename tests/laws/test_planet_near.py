"""The ground of a planet close by: a closed mesh, fine where the viewer is, of the same land as from space."""

from functools import cache

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.planet.close_ground import ground_at, is_between
from terrain_addon.core.planet.cube_sphere import face_directions, lattice_directions, sample_faces
from terrain_addon.core.planet.gullies import GulliedLand, gullied_heights
from terrain_addon.core.planet.near_mesh import Viewer, mesh_near
from terrain_addon.core.planet.near_plants import plants_near, wooded_share
from terrain_addon.core.planet.planet_mesh import PlanetMesh, planet_mesh
from terrain_addon.core.planet.standing import viewer_at, where_to_orbit, where_to_stand

pytestmark = pytest.mark.once

# A face centre, a place on an edge of the cube, and a corner, where three faces meet.
SPOTS = {"centre": (1.0, 0.0, 0.0), "edge": (1.0, 1.0, 0.0), "corner": (1.0, 1.0, 1.0)}


@cache
def seen_from(spot: str) -> PlanetMesh:
    place = np.array(SPOTS[spot]) / np.linalg.norm(SPOTS[spot])
    return mesh_near(33, 33, Viewer(place * 1.1, np.array((0.0, 0.0, 1.0)), 1.0))


@pytest.mark.parametrize("spot", SPOTS)
def test_the_mesh_is_closed_wherever_the_viewer_stands(spot: str) -> None:
    mesh = seen_from(spot)
    following = np.arange(len(mesh.corners)) + 1
    following[np.append(mesh.starts[1:], len(mesh.corners)) - 1] = mesh.starts
    one, two = mesh.corners, mesh.corners[following]
    ends = np.minimum(one, two).astype(np.int64) * len(mesh.directions) + np.maximum(one, two)
    edges, sides = np.unique(ends, return_counts=True)
    assert (sides == 2).all()
    assert len(mesh.directions) - len(edges) + len(mesh.starts) == 2


@pytest.mark.parametrize("spot", SPOTS)
def test_pieces_are_small_close_by_and_large_behind(spot: str) -> None:
    mesh, place = seen_from(spot), np.array(SPOTS[spot]) / np.linalg.norm(SPOTS[spot])
    along = mesh.directions @ place
    close = along > np.cos(0.05)
    assert np.radians(mesh.spacing[close]).max() < 0.1 / 20.0 < 3.0 * np.radians(mesh.spacing[close]).min()
    assert mesh.spacing[along < 0.0].min() > 10.0 * mesh.spacing[close].max()
    # The vertices of samples are those of the planet, to the last byte.
    known = mesh.samples >= 0
    assert known.any() and (face_directions(33).reshape(-1, 3)[mesh.samples[known]] == mesh.directions[known]).all()


def test_places_of_two_faces_that_are_one_have_the_same_bytes() -> None:
    face, row, column = np.indices((6, 17, 17)).reshape(3, -1)
    assert (lattice_directions(np.stack((face, row, column), axis=1), 16) == face_directions(17).reshape(-1, 3)).all()


def test_close_ground_is_the_land_that_is_seen_from_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrain_addon.core.planet.near_mesh._IN_VIEW", 0.05)
    planet = core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))
    standing = where_to_stand(planet, np.array((0.3, -1.0, 0.4)))
    viewer = viewer_at(planet, standing)
    mesh = mesh_near(33, 33, viewer)
    close = ground_at(planet, mesh)
    between = is_between(33, mesh)
    known = ~between
    assert known.any() and (close.heights[known] == planet.surface.ravel()[mesh.samples[known]]).all()
    # What is finer stays near the samples around it.
    tall = planet.recipe.look.exaggeration / planet.recipe.radius
    coarse = sample_faces(planet.surface, mesh.directions[between])
    assert 1e-4 < tall * np.abs(close.heights[between] - coarse).max() < 0.1
    here = np.argmax(mesh.directions @ standing.place)
    shown = 1.0 + close.heights[here] * planet.recipe.look.exaggeration / planet.recipe.radius
    eye = float(np.linalg.norm(viewer.eye))
    assert close.maps["sea_depth"][here] == 0.0 and shown < eye < shown + 0.003
    # A mesh without a viewer has all samples and nothing else.
    plain = ground_at(planet, planet_mesh(33, 33))
    assert plain.heights.tobytes() == planet.surface.ravel()[planet_mesh(33, 33).samples].tobytes()


def sloping() -> GulliedLand:
    """Land that falls from the north pole to the south pole."""
    surface = (np.float32(3.0) * face_directions(33)[..., 2]).astype(np.float32)
    return GulliedLand(surface, -1.0, 1.0, np.eye(3), 5)


def line_through(spot: str, along: tuple[float, float, float], step: float) -> np.ndarray:
    places = np.array(SPOTS[spot]) / np.linalg.norm(SPOTS[spot])
    line = places + step * np.arange(-300, 301)[:, np.newaxis] * np.array(along)
    return line / np.linalg.norm(line, axis=1, keepdims=True)


@pytest.mark.parametrize("spot", SPOTS)
def test_gullies_go_on_over_the_edges_of_the_cube(spot: str) -> None:
    line = line_through(spot, (1.0, -1.0, 0.3), 1e-6)
    heights = gullied_heights(sloping(), line, np.full(len(line), 1e-4)).astype(np.float64)
    steps = np.abs(np.diff(heights)) / 1e-6
    # No step is a tear: the slope stays that of steep ground.
    assert steps.max() < 12.0


def test_gullies_run_down_the_slope() -> None:
    land = sloping()
    ups_and_downs = []
    for way in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        line = line_through("centre", way, 1e-3)
        # Vertices far from one another show hills, but no gullies.
        fine, hills = (gullied_heights(land, line, np.full(len(line), spacing)) for spacing in (0.2, 20.0))
        ups_and_downs.append(float(np.abs(np.diff((fine - hills).astype(np.float64))).sum()))
    across, down = ups_and_downs
    assert across > 1.4 * down


def test_orbit_shows_land_where_there_is_land() -> None:
    planet = core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))
    for towards in ((0.3, -1.0, 0.4), (-1.0, 0.2, 0.0)):
        place, ahead, height = where_to_orbit(planet, np.array(towards))
        assert 0.05 < height < 0.3
        angles = np.radians(np.arange(2.0, 25.0))[:, np.newaxis]
        seen = np.cos(angles) * place + np.sin(angles) * ahead
        assert 0.25 < (sample_faces(planet.surface, seen) > planet.sea_level).mean() < 1.0


def test_a_tree_stands_where_it_stands_for_every_viewer() -> None:
    planet = core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))
    standing = where_to_stand(planet, np.array((0.3, -1.0, 0.4)))
    viewer = viewer_at(planet, standing)
    here = plants_near(planet, viewer)
    moved = viewer._replace(eye=viewer.eye * 1.0005)
    there = plants_near(planet, moved)
    known = {tuple(place) for place in here.directions}
    assert len(known) > 500
    shared = [number for number, place in enumerate(there.directions) if tuple(place) in known]
    assert len(shared) > 0.5 * len(known)
    assert (here.ground > planet.sea_level).all() and here.height.max() < 60.0
    # As dense as the forest that the ground shows.
    assert (
        wooded_share(planet, viewer, here.directions, 0.01).mean()
        > wooded_share(planet, viewer, planet.directions.reshape(-1, 3), 0.01).mean()
    )


def test_somebody_on_a_planet_stands_in_a_clearing() -> None:
    planet = core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))
    place = planet.directions.reshape(-1, 3)[planet.cover["tropical_tree"].argmax()]
    viewer = viewer_at(planet, where_to_stand(planet, place, is_exact=True))
    foot, aside = viewer.eye / np.linalg.norm(viewer.eye), np.cross(viewer.eye, viewer.ahead)
    line = foot + np.linspace(0.0, 0.004, 40)[:, np.newaxis] * aside / np.linalg.norm(aside)
    share = wooded_share(planet, viewer, line / np.linalg.norm(line, axis=1)[:, np.newaxis], 0.01)
    assert share[:10].max() == 0.0 and share[25:].max() > 0.5


@pytest.mark.parametrize("preset", ["moon", "ice"])
def test_nothing_grows_where_it_is_too_cold_or_there_is_no_air(preset: str) -> None:
    world = core.build_planet(core.PlanetRecipe.preset(preset, resolution=17))
    viewer = viewer_at(world, where_to_stand(world, np.array((0.0, 0.0, 1.0)), is_exact=True))
    assert len(plants_near(world, viewer).kind) == 0
