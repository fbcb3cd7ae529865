"""The default plants: what a renderer or an engine relies on, and the same bytes in every process."""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.core.ecosystem.plants import VARIANTS
from terrain_addon.core.meshing.plant_forms.habit import Age
from terrain_addon.core.meshing.plant_meshes import (
    FORMS,
    LEVELS,
    MOST_TRIANGLES,
    PARTS,
    PlantMesh,
    aged_variants,
    looks_of,
    make_plant_mesh,
    part_colours,
    variant_and_age,
)

pytestmark = pytest.mark.once

TREES = ("conifer", "broadleaf", "bush", "spruce", "pine", "beech", "birch", "oak", "rainforest_tree")
AGED = (*(tree for tree in TREES if tree != "bush"), "palm")
LEAFY = (*TREES, "palm", "fern", "grass", "reed")
LYING = ("rock", "dead_wood")


def plants(forms: Iterable[str], levels: Iterable[int] = range(LEVELS)) -> pytest.MarkDecorator:
    """Every variant of some forms in some levels of detail."""
    cases = [(form, variant, level) for form in forms for variant in range(VARIANTS) for level in levels]
    return pytest.mark.parametrize(("form", "variant", "level"), cases)


every_plant = plants(FORMS)


def digest(mesh: PlantMesh) -> str:
    arrays = (mesh.vertices, mesh.normals, mesh.triangles, mesh.part, mesh.tint, mesh.wind)
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def digest_of_all() -> str:
    """Return a digest of every mesh that there is."""
    meshes = [make_plant_mesh(form, v, level) for form in FORMS for v in range(VARIANTS) for level in range(LEVELS)]
    return hashlib.sha256("".join(digest(mesh) for mesh in meshes).encode()).hexdigest()


def open_edges(triangles: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the edges that not exactly two triangles share, once in each direction."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    directed, uses = np.unique(edges, axis=0, return_counts=True)
    assert uses.max() == 1
    opposite = {(b, a) for a, b in directed.tolist()}
    return np.array([edge for edge in directed.tolist() if tuple(edge) not in opposite], np.int32).reshape(-1, 2)


def cross_products(mesh: PlantMesh) -> npt.NDArray[np.float64]:
    """Return per triangle the vector out of its front, twice as long as its area."""
    a, b, c = (mesh.vertices[mesh.triangles[:, corner]].astype(np.float64) for corner in range(3))
    return np.cross(b - a, c - a)


def leaves_of(mesh: PlantMesh) -> npt.NDArray[np.int32]:
    return np.unique(mesh.triangles[mesh.part == PARTS.index("foliage")])


def silhouette(mesh: PlantMesh, pixels: int = 64) -> npt.NDArray[np.bool_]:
    """What the plant covers as seen from the south, 2 m wide and 1 m high, by points strewn over its triangles."""
    rng = np.random.default_rng(1)
    corners = mesh.vertices[mesh.triangles].astype(np.float64)
    u, v = rng.random((2, len(corners), max(200_000 // len(corners), 1)))
    u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
    places = corners[:, None, 0] + u[..., None] * (corners[:, None, 1] - corners[:, None, 0])
    places = (places + v[..., None] * (corners[:, None, 2] - corners[:, None, 0])).reshape(-1, 3)
    counts, _, _ = np.histogram2d(places[:, 2], places[:, 0], (pixels, 2 * pixels), ((0.0, 1.0), (-1.0, 1.0)))
    return counts > 0


@every_plant
def test_arrays_have_the_promised_types_and_shapes(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    vertices, triangles = len(mesh.vertices), len(mesh.triangles)
    assert mesh.vertices.shape == mesh.normals.shape == mesh.wind.shape == (vertices, 3)
    assert mesh.triangles.shape == (triangles, 3)
    assert mesh.tint.shape == (vertices,)
    assert mesh.part.shape == (triangles,)
    assert mesh.vertices.dtype == mesh.normals.dtype == mesh.tint.dtype == mesh.wind.dtype == np.float32
    assert mesh.triangles.dtype == mesh.part.dtype == np.int32


@every_plant
def test_triangles_stay_within_the_budget(form: str, variant: int, level: int) -> None:
    assert 9 < len(make_plant_mesh(form, variant, level).triangles) <= MOST_TRIANGLES[level]


@plants(sorted(set(FORMS) - {"dead_wood"}))
def test_plant_is_one_metre_high_and_stands_on_the_ground(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    z = mesh.vertices[:, 2]
    assert z.max() == pytest.approx(1.0, abs=1e-5)
    if form in ("fern", "grass", "reed"):
        assert z.min() == 0.0
    elif form == "rock":
        assert -0.6 < z.min() < -0.2
    else:
        assert -0.08 < z.min() <= -0.02
    if form in LEAFY:
        assert z[leaves_of(mesh)].min() >= 0.0


@plants(["dead_wood"])
def test_a_log_is_one_metre_long_and_touches_the_ground(form: str, variant: int, level: int) -> None:
    places = make_plant_mesh(form, variant, level).vertices
    assert np.ptp(places[:, 0]) == pytest.approx(1.0, abs=1e-5)
    assert -0.05 < places[:, 2].min() < 0.0 < places[:, 2].max() < 0.25


@plants(sorted(set(FORMS) - set(LYING)))
def test_plant_is_rooted_at_the_origin_and_does_not_spread_too_far(form: str, variant: int, level: int) -> None:
    places = make_plant_mesh(form, variant, level).vertices.astype(np.float64)
    foot = places[places[:, 2] < 0.05, :2]
    assert np.hypot(*foot.mean(axis=0)) < (0.2 if form == "bush" else 0.05)
    from_axis = np.hypot(places[:, 0], places[:, 1])
    # An oak that had room is wider than it is high: its broadest crown has a radius of 0.39, and twigs reach beyond it.
    assert from_axis.max() < {"bush": 1.2, "fern": 2.4, "grass": 1.2, "oak": 0.7}.get(form, 0.6)


@plants(["rock"])
def test_a_boulder_is_closed_and_looks_outwards(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    assert len(open_edges(mesh.triangles)) == 0
    first = mesh.vertices[mesh.triangles[:, 0]].astype(np.float64)
    volume = float(np.sum(first * cross_products(mesh)) / 6.0)
    box = float(np.prod(np.ptp(mesh.vertices, axis=0)))
    assert 0.3 * box < volume < 0.7 * box


@plants(["rock"])
def test_a_boulder_has_flat_faces_with_edges(form: str, variant: int, level: int) -> None:
    """A round lump has no triangle whose corners are shaded alike; the coarsest level is shaded as one body."""
    mesh = make_plant_mesh(form, variant, level)
    area = np.linalg.norm(cross_products(mesh), axis=1)
    is_flat = np.ptp(mesh.normals[mesh.triangles], axis=1).max(axis=1) < 1e-6
    if level < 2:
        assert area[is_flat].sum() > 0.6 * area.sum()
    faces = (cross_products(mesh) / area[:, None]).round(3)[is_flat if level < 2 else slice(None)]
    assert 7 <= len(np.unique(faces, axis=0)) < 40


@plants(["conifer", "bush"])
def test_stems_are_open_below_the_ground_only(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    rim = open_edges(mesh.triangles[mesh.part == PARTS.index("bark")])
    assert len(rim) >= 3
    assert mesh.vertices[rim.ravel(), 2].max() < -0.01


@every_plant
def test_every_vertex_is_used_and_every_index_exists(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    np.testing.assert_array_equal(np.unique(mesh.triangles), np.arange(len(mesh.vertices)))


@every_plant
def test_no_triangle_is_degenerate(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    corners = mesh.vertices[mesh.triangles].astype(np.float64)
    longest_edge = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    height = np.linalg.norm(cross_products(mesh), axis=1) / longest_edge
    assert height.min() > 2e-5


@every_plant
def test_normals_are_unit_vectors_on_the_front_of_their_triangles(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-5)
    shading = mesh.normals[mesh.triangles].sum(axis=1)
    assert np.all(np.sum(cross_products(mesh) * shading, axis=1) > 0.0)


@plants(TREES)
def test_foliage_is_shaded_away_from_the_crown(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    leaves = leaves_of(mesh)
    from_axis = mesh.vertices[leaves, :2]
    outside = np.hypot(*from_axis.T) > 0.5 * np.hypot(*from_axis.T).max()
    outward = np.sum(from_axis[outside] * mesh.normals[leaves, :2][outside], axis=1) > 0.0
    # In the coarsest level a twig is as long as a fifth of the crown: some of its corners lie beyond the stem.
    assert outward.mean() > (0.9 if level < 2 else 0.85)


@plants(TREES, [0, 1])
def test_tint_is_a_share_and_darker_inside_the_crown(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    assert mesh.tint.min() >= 0.0
    assert mesh.tint.max() <= 1.0
    leaves = leaves_of(mesh)
    if form in ("conifer", "spruce"):
        # How deep a needle lies is told by its distance from the stem, compared with others at its height.
        leaves = leaves[np.abs(mesh.vertices[leaves, 2] - 0.3) < 0.05]
        depth = np.hypot(mesh.vertices[leaves, 0], mesh.vertices[leaves, 1])
    else:
        places = mesh.vertices[leaves]
        depth = np.linalg.norm((places - places.mean(axis=0)) / places.std(axis=0), axis=1)
    inner, outer = np.quantile(depth, [0.2, 0.7])
    # The plates of leaves of a pine are thin, so that light comes into its crown from everywhere.
    darker = 0.08 if form == "pine" else 0.1
    assert mesh.tint[leaves[depth < inner]].mean() + darker < mesh.tint[leaves[depth > outer]].mean()


@every_plant
def test_parts_have_colours(form: str, variant: int, level: int) -> None:
    used = np.unique(make_plant_mesh(form, variant, level).part)
    for part in range(len(PARTS)):
        assert (max(part_colours(form)[part]) > 0.0) == (part in used) or (PARTS[part] == "bark" and part not in used)


@every_plant
def test_wind_moves_tops_and_leaves_and_leaves_the_ground_alone(form: str, variant: int, level: int) -> None:
    mesh = make_plant_mesh(form, variant, level)
    phase, sway, flutter = mesh.wind.T
    assert mesh.wind.min() >= 0.0 and mesh.wind.max() <= 1.0
    if form in LYING:
        assert not mesh.wind.any()
        return
    np.testing.assert_allclose(sway, np.maximum(mesh.vertices[:, 2], 0.0) ** 2, atol=1e-4)
    assert len(np.unique(phase)) > 3
    if form in LEAFY:
        assert flutter[leaves_of(mesh)].max() == 1.0


@pytest.mark.parametrize("variant", range(VARIANTS))
@pytest.mark.parametrize("form", TREES)
def test_levels_of_detail_cover_much_the_same(form: str, variant: int) -> None:
    finest = silhouette(make_plant_mesh(form, variant, 0))
    for level, least in ((1, 0.75), (2, 0.6)):
        coarser = silhouette(make_plant_mesh(form, variant, level))
        assert (finest & coarser).sum() / (finest | coarser).sum() > least
        assert 0.7 < coarser.sum() / finest.sum() < 1.4


def test_another_form_would_not_cover_the_same() -> None:
    tree, bush = silhouette(make_plant_mesh("conifer", 1)), silhouette(make_plant_mesh("bush", 0))
    assert (tree & bush).sum() / (tree | bush).sum() < 0.4


@pytest.mark.parametrize("form", FORMS)
def test_variants_and_levels_differ(form: str) -> None:
    meshes = [make_plant_mesh(form, variant, level) for variant in range(VARIANTS) for level in range(LEVELS)]
    assert len({digest(mesh) for mesh in meshes}) == VARIANTS * LEVELS


@pytest.mark.parametrize("form", FORMS)
def test_coarser_levels_have_fewer_triangles(form: str) -> None:
    for variant in range(VARIANTS):
        counts = [len(make_plant_mesh(form, variant, level).triangles) for level in range(LEVELS)]
        assert counts == sorted(set(counts), reverse=True)


@pytest.mark.parametrize("form", FORMS)
def test_variants_look_different(form: str) -> None:
    shapes = [silhouette(make_plant_mesh(form, variant)) for variant in range(VARIANTS)]
    for one in range(VARIANTS):
        for other in range(one):
            assert (shapes[one] & shapes[other]).sum() / (shapes[one] | shapes[other]).sum() < 0.9


def widest(mesh: PlantMesh) -> tuple[float, float]:
    """Height and radius of the widest place of a crown, as shares of the height of the plant."""
    places = mesh.vertices[leaves_of(mesh)].astype(np.float64)
    bands = np.clip((places[:, 2] * 12.0).astype(int), 0, 11)
    radii = [np.quantile(np.hypot(*places[bands == k, :2].T), 0.9) if (bands == k).any() else 0.0 for k in range(12)]
    return (int(np.argmax(radii)) + 0.5) / 12.0, max(radii)


def lowest_leaf(mesh: PlantMesh) -> float:
    """Height above which all but a twentieth of the leaves are."""
    return float(np.quantile(mesh.vertices[leaves_of(mesh), 2], 0.05))


@pytest.mark.parametrize("variant", range(VARIANTS))
def test_each_tree_has_the_habit_of_its_kind(variant: int) -> None:
    spruce, pine, beech, birch, oak, rainforest = (
        make_plant_mesh(form, variant) for form in ("spruce", "pine", "beech", "birch", "oak", "rainforest_tree")
    )
    # Narrow and widest near the ground; bare below a crown; broad.
    assert widest(spruce)[0] < 0.25 and widest(spruce)[1] < 0.22 and lowest_leaf(spruce) < 0.12
    assert lowest_leaf(pine) > 0.45 and lowest_leaf(rainforest) > 0.4
    assert 0.1 < lowest_leaf(beech) < 0.4 and widest(beech)[0] > 0.4
    assert widest(oak)[1] > 1.3 * widest(birch)[1]
    # Twigs of a birch hang: their tips are below their roots.
    assert twig_drop(birch) < -0.02 < twig_drop(oak)


def twig_drop(mesh: PlantMesh) -> float:
    """By how much the tip of a twig is above its root, in the mean."""
    along, beside, length = mesh.leaf.T
    tips = np.flatnonzero((length > 0.0) & (beside == 0.0) & (along > 0.0))
    # A twig is drawn from its root over its left edge to its tip.
    return float((mesh.vertices[tips, 2] - mesh.vertices[tips - 2, 2]).mean())


@pytest.mark.parametrize("form", AGED)
def test_young_and_old_trees_are_no_scaled_copies(form: str) -> None:
    young, grown, old = (make_plant_mesh(form, 0, age=age) for age in Age)
    assert len({digest(mesh) for mesh in (young, grown, old)}) == 3
    for mesh in (young, old):
        assert 9 < len(mesh.triangles) <= MOST_TRIANGLES[0]
        assert mesh.vertices[:, 2].max() == pytest.approx(1.0, abs=1e-5)
    if form != "palm":  # the fronds of a palm hang anywhere
        assert lowest_leaf(young) <= lowest_leaf(old) + 0.02


@pytest.mark.parametrize("level", [0, 1])
def test_a_bush_is_cut_into_leaves_no_longer_than_a_finger(level: int) -> None:
    bush = make_plant_mesh("bush", 0, level)
    leaves = bush.leaf[np.unique(bush.triangles[bush.part == PARTS.index("foliage")])]
    along, beside, length = leaves.T
    assert (length > 0.0).all()
    assert (along <= length + 1e-5).all()
    assert float((np.abs(beside) / length).max()) == pytest.approx(looks_of("bush").twig_width, rel=1e-3)
    assert looks_of("bush").leaf <= 0.06


def test_age_follows_from_height_and_keeps_the_variant() -> None:
    variant = np.array([0, 1, 2, 1], np.int32)
    share = np.array([0.1, 0.6, 1.0, 0.95], np.float32)
    numbers = aged_variants(variant, share)
    assert [variant_and_age(k) for k in numbers.tolist()] == [
        (0, Age.SAPLING), (1, Age.GROWN), (2, Age.OLD), (1, Age.OLD),
    ]  # fmt: skip
    np.testing.assert_array_equal(aged_variants(numbers, share), numbers)


def test_a_meadow_has_no_ages() -> None:
    assert make_plant_mesh("grass", 0, age=Age.OLD) is make_plant_mesh("grass", 0)
    with pytest.raises(ValueError, match="age is 3"):
        make_plant_mesh("oak", 0, age=3)  # type: ignore[arg-type]


def test_another_process_makes_the_same_bytes() -> None:
    code = "import sys; from tests.core.test_plant_meshes import digest_of_all; print(digest_of_all())"
    # Sets and dictionaries of strings would be in another order.
    environment = os.environ | {"PYTHONHASHSEED": "1234"}
    root = Path(__file__).resolve().parents[2]
    other = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    assert other.stdout.strip() == digest_of_all()


def test_nobody_can_change_a_mesh_for_others() -> None:
    with pytest.raises(ValueError, match="read-only"):
        make_plant_mesh("bush", 0).vertices[0] = 1.0


def test_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="form is 'cactus', but must be one of conifer, broadleaf, bush"):
        make_plant_mesh("cactus", 0)
    with pytest.raises(ValueError, match="form is 'cactus'"):
        part_colours("cactus")


@pytest.mark.parametrize("variant", [-1, VARIANTS])
def test_unknown_variant_is_refused(variant: int) -> None:
    message = re.escape(f"variant is {variant}, but must be a whole number from 0 to {VARIANTS - 1}")
    with pytest.raises(ValueError, match=message):
        make_plant_mesh("bush", variant)


@pytest.mark.parametrize("level", [-1, LEVELS])
def test_unknown_level_is_refused(level: int) -> None:
    with pytest.raises(ValueError, match=f"level is {level}, but must be a whole number from 0 to 2"):
        make_plant_mesh("bush", 0, level)
