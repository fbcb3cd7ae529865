"""Pictures of leaves and of far plants: what other programs show instead of Blender's materials."""

import numpy as np
import pytest
from scipy.spatial import KDTree

from terrain_addon.core.meshing.far_plants import FAR_PICTURE, Looker, draw_far, far_cards
from terrain_addon.core.meshing.leaf_pictures import draw_leaves, leaf_places
from terrain_addon.core.meshing.plant_meshes import PARTS, make_plant_mesh, part_colours
from terrain_addon.core.meshing.plant_views import VIEW_MARGIN, VIEW_SHAPE, VIEWS_ALONG, draw_views, view_direction

pytestmark = pytest.mark.once

BUSH = [make_plant_mesh("bush", variant) for variant in range(3)]


@pytest.mark.parametrize("form", ["oak", "spruce"])
def test_leaves_have_holes_between_them_and_normals_of_length_1(form: str) -> None:
    picture = draw_leaves(form)
    assert picture is not None
    assert 0.15 < picture.cover.mean() < 0.7
    assert np.abs(np.linalg.norm(picture.normal.astype(np.float64), axis=2) - 1.0).max() < 1e-5
    # Also where nothing is covered there is colour, for smaller copies.
    assert picture.colour.min() > 0.01


def test_needles_repeat_without_a_seam() -> None:
    picture = draw_leaves("spruce")
    assert picture is not None
    step = np.abs(np.diff(picture.cover, axis=1)).mean(axis=0)
    seam = np.abs(picture.cover[:, 0] - picture.cover[:, -1]).mean()
    assert seam < np.quantile(step, 0.99)


@pytest.mark.parametrize("level", [0, 1])
def test_a_twig_is_a_whole_card(level: int) -> None:
    mesh = make_plant_mesh("oak", 0, level)
    places = leaf_places(mesh, "oak", level, 25.0)
    kites = mesh.triangles[mesh.part == PARTS.index("foliage")].reshape(-1, 2, 3)
    corners = places[kites.reshape(len(kites), 6)]
    # From the left border to the right one, and within one of the two cards.
    assert (corners[..., 0].min(axis=1) == 0.0).all() and (corners[..., 0].max(axis=1) == 1.0).all()
    rows = np.stack((corners[..., 1].min(axis=1), corners[..., 1].max(axis=1)), axis=1)
    assert {tuple(row) for row in np.round(rows, 3).tolist()} == {(0.0, 0.5), (0.5, 1.0)}


def test_higher_trees_have_more_leaves_on_a_twig() -> None:
    mesh = make_plant_mesh("oak", 0)
    kites = np.unique(mesh.triangles[mesh.part == PARTS.index("foliage")])
    low, high = (leaf_places(mesh, "oak", 0, height)[kites, 1].mean() for height in (8.0, 40.0))
    assert high > low + 0.3  # the lower card has small leaves


def bush_picture() -> np.ndarray:
    lookers = [
        Looker(mesh, np.zeros((len(mesh.vertices), 2), np.float32), part_colours("bush"), None, 1) for mesh in BUSH
    ]
    picture = draw_far(lookers)
    assert (picture.normal[..., 2] > 0.0).all()
    return picture.cover


def test_far_plants_look_like_the_mesh_from_each_side() -> None:
    cover = bush_picture()
    for variant, (cards, places) in enumerate(far_cards(BUSH)):
        mesh = BUSH[variant]
        # Cards are as high and wide as the plant.
        assert np.ptp(cards.vertices[:, 2]) >= np.ptp(mesh.vertices[:, 2]) - 1e-5
        views = []
        for view in range(4):
            corner = places[4 * view : 4 * view + 4] * FAR_PICTURE
            left, top = np.rint(corner.min(axis=0)).astype(int)
            right, bottom = np.rint(corner.max(axis=0)).astype(int)
            views.append(cover[top:bottom, left:right] > 0.5)
            # Middles of triangles are seen where the card has them.
            lower_left, lower_right, _, upper_left = cards.vertices[4 * view : 4 * view + 4].astype(np.float64)
            right_way, up_way = lower_right - lower_left, upper_left - lower_left
            middles = mesh.vertices[mesh.triangles].mean(axis=1) - lower_left
            across = middles @ right_way / (right_way @ right_way)
            up = middles @ up_way / (up_way @ up_way)
            rows, columns = views[-1].shape
            seen = views[-1][((1.0 - up) * rows).astype(int).clip(0, rows - 1), (across * columns).astype(int)]
            assert seen.mean() > 0.97
        # What is seen from the west is the outline from the east in a mirror.
        for one, other in ((0, 2), (1, 3)):
            assert (views[one] != views[other][:, ::-1]).mean() < 0.01


def test_each_card_faces_its_eye() -> None:
    for cards, _ in far_cards(BUSH):
        corners = cards.vertices[cards.triangles].astype(np.float64)
        fronts = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert (np.sum(fronts * cards.normals[cards.triangles[:, 0]], axis=1) > 0.0).all()


def test_views_show_where_the_surface_of_a_plant_is() -> None:
    lookers = [
        Looker(mesh, np.zeros((len(mesh.vertices), 2), np.float32), part_colours("bush"), None, 1) for mesh in BUSH
    ]
    views = draw_views(lookers)
    room, (rows, columns) = views.room, VIEW_SHAPE
    sphere = np.hypot(room.reach, (room.top - room.base) / 2)
    assert views.cover.shape == (3 * VIEWS_ALONG * rows, VIEWS_ALONG * columns)
    for variant, column, row in ((0, 0, 0), (1, 3, 2), (2, 5, 3)):
        ahead = np.array(view_direction(column, row))
        right = np.array((-ahead[1], ahead[0], 0.0)) / np.hypot(*ahead[:2])
        up = np.cross(ahead, right)
        top, left = (variant * VIEWS_ALONG + row) * rows, column * columns
        cell = np.s_[top : top + rows, left : left + columns]
        i, j = np.nonzero(views.cover[cell] == 1.0)
        half = np.hypot(*ahead[:2]) * (room.top - room.base) / 2 + ahead[2] * room.reach
        inner = rows - 2 * VIEW_MARGIN, columns - 2 * VIEW_MARGIN
        across = ((j + 0.5 - VIEW_MARGIN) / inner[1] * 2 - 1) * room.reach
        upward = (1 - (i + 0.5 - VIEW_MARGIN) / inner[0] * 2) * half
        nearness = views.depth[cell][i, j] * sphere
        places = np.outer(across, right) + np.outer(upward, up) + np.outer(nearness, ahead)
        places[:, 2] += (room.base + room.top) / 2
        mesh = BUSH[variant]
        corners = mesh.vertices[mesh.triangles].astype(np.float64)
        shares = np.random.default_rng(1).dirichlet((1.0, 1.0, 1.0), (len(corners), 40))
        surface = np.einsum("tsc,tcx->tsx", shares, corners).reshape(-1, 3)
        off, _ = KDTree(surface).query(places)
        # At outlines a texel shows what is near and what is far behind it.
        assert np.median(off) < 0.015
        # Seen from the other side, the same depths would lie elsewhere.
        places -= np.outer(2 * nearness, ahead)
        assert np.median(KDTree(surface).query(places)[0]) > 0.03
