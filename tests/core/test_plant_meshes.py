"""The default plants: what a renderer or an engine relies on, and the same bytes everywhere."""

import hashlib
import re

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.core.ecosystem.plant_meshes import PARTS, PlantMesh, make_plant_mesh
from terrain_addon.core.ecosystem.plants import VARIANTS
from terrain_addon.core.ecosystem.species import FORMS

MOST_TRIANGLES = {"conifer": 1200, "broadleaf": 1200, "bush": 500}
DIGESTS = {
    "conifer": (
        "1f70944e59391fb735926f77b6a11fce972848fce58b1774904c46a4b331fc58",
        "529f3d3011fcb56f45a92322034833ac9ba55e42ece2bfa36fba8ebb1c41d230",
        "b9fe3fe67d862454387b9e28d755577af9740bd6d258193f7097a59b215f2b97",
    ),
    "broadleaf": (
        "747c5bbd535ad313078463b79c89197472ffebe6c21caea456fd9c6a73801178",
        "3f3e0e4e3eabf9dba60bd865be296beb6fc1a7d382ba35b297a9bf8955708df2",
        "3eeefb41f3263081d15886758f74e3cc29fdd6b5c600ff0eabf6ea925697edd9",
    ),
    "bush": (
        "761f809cb65274ccd4a2e67e0088e9fe9052986bed8a5da2dd09e2c974ff364e",
        "b8702b33c80b4f26b831be48d41081a360701b6514629e319468d08201fa1508",
        "f67caaaa8d1d49d395b617a4d73735584d86667de134052e27da8d4513c7b6d6",
    ),
}
every_plant = pytest.mark.parametrize(("form", "variant"), [(form, v) for form in FORMS for v in range(VARIANTS)])


def digest(mesh: PlantMesh) -> str:
    arrays = (mesh.vertices, mesh.normals, mesh.triangles, mesh.part, mesh.tint)
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def cross_products(mesh: PlantMesh) -> npt.NDArray[np.float64]:
    """Return per triangle the vector out of its front, twice as long as its area."""
    a, b, c = (mesh.vertices[mesh.triangles[:, corner]].astype(np.float64) for corner in range(3))
    return np.cross(b - a, c - a)


@every_plant
def test_arrays_have_the_promised_types_and_shapes(form: str, variant: int) -> None:
    mesh = make_plant_mesh(form, variant)
    vertices, triangles = len(mesh.vertices), len(mesh.triangles)
    assert mesh.vertices.shape == mesh.normals.shape == (vertices, 3)
    assert mesh.triangles.shape == (triangles, 3)
    assert mesh.tint.shape == (vertices,)
    assert mesh.part.shape == (triangles,)
    assert mesh.vertices.dtype == mesh.normals.dtype == mesh.tint.dtype == np.float32
    assert mesh.triangles.dtype == mesh.part.dtype == np.int32


@every_plant
def test_triangles_stay_within_the_budget(form: str, variant: int) -> None:
    assert 0.8 * MOST_TRIANGLES[form] < len(make_plant_mesh(form, variant).triangles) <= MOST_TRIANGLES[form]


@every_plant
def test_plant_is_one_metre_high_and_stands_on_the_ground(form: str, variant: int) -> None:
    mesh = make_plant_mesh(form, variant)
    z = mesh.vertices[:, 2]
    assert z.max() == pytest.approx(1.0, abs=1e-5)
    assert -0.06 < z.min() <= -0.02
    assert z[mesh.triangles[mesh.part == PARTS.index("foliage")]].min() >= 0.0


@every_plant
def test_every_vertex_is_used_and_every_index_exists(form: str, variant: int) -> None:
    mesh = make_plant_mesh(form, variant)
    np.testing.assert_array_equal(np.unique(mesh.triangles), np.arange(len(mesh.vertices)))


@every_plant
def test_no_triangle_is_degenerate(form: str, variant: int) -> None:
    mesh = make_plant_mesh(form, variant)
    corners = mesh.vertices[mesh.triangles].astype(np.float64)
    longest_edge = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    height = np.linalg.norm(cross_products(mesh), axis=1) / longest_edge
    assert height.min() > 1e-3


@every_plant
def test_normals_are_unit_vectors_on_the_front_of_their_triangles(form: str, variant: int) -> None:
    mesh = make_plant_mesh(form, variant)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-5)
    shading = mesh.normals[mesh.triangles].sum(axis=1)
    assert np.all(np.sum(cross_products(mesh) * shading, axis=1) > 0.0)


@every_plant
def test_foliage_is_shaded_away_from_the_crown(form: str, variant: int) -> None:
    mesh = make_plant_mesh(form, variant)
    leaves = np.unique(mesh.triangles[mesh.part == PARTS.index("foliage")])
    from_axis = mesh.vertices[leaves, :2]
    outside = np.hypot(*from_axis.T) > 0.5 * np.hypot(*from_axis.T).max()
    outward = np.sum(from_axis[outside] * mesh.normals[leaves, :2][outside], axis=1) > 0.0
    assert outward.mean() > 0.9


@every_plant
def test_tint_is_a_share_and_darker_inside_the_crown(form: str, variant: int) -> None:
    mesh = make_plant_mesh(form, variant)
    assert mesh.tint.min() >= 0.0
    assert mesh.tint.max() <= 1.0
    leaves = np.unique(mesh.triangles[mesh.part == PARTS.index("foliage")])
    if form == "conifer":
        # How deep a needle lies is told by its distance from the stem, compared with others at its height.
        leaves = leaves[np.abs(mesh.vertices[leaves, 2] - 0.3) < 0.05]
        depth = np.hypot(mesh.vertices[leaves, 0], mesh.vertices[leaves, 1])
    else:
        places = mesh.vertices[leaves]
        depth = np.linalg.norm((places - places.mean(axis=0)) / places.std(axis=0), axis=1)
    inner, outer = np.quantile(depth, [0.3, 0.7])
    assert mesh.tint[leaves[depth < inner]].mean() + 0.1 < mesh.tint[leaves[depth > outer]].mean()


@every_plant
def test_plant_has_bark_and_more_foliage(form: str, variant: int) -> None:
    bark, foliage = np.bincount(make_plant_mesh(form, variant).part, minlength=len(PARTS))
    assert 0 < bark < foliage


@pytest.mark.parametrize("form", FORMS)
def test_variants_differ(form: str) -> None:
    assert len({digest(make_plant_mesh(form, variant)) for variant in range(VARIANTS)}) == VARIANTS


@every_plant
def test_bytes_are_the_same_everywhere(form: str, variant: int) -> None:
    assert digest(make_plant_mesh(form, variant)) == DIGESTS[form][variant]
    assert digest(make_plant_mesh(form, variant)) == digest(make_plant_mesh(form, variant))


def test_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="form is 'cactus', but must be one of conifer, broadleaf, bush"):
        make_plant_mesh("cactus", 0)


@pytest.mark.parametrize("variant", [-1, VARIANTS])
def test_unknown_variant_is_refused(variant: int) -> None:
    message = re.escape(f"variant is {variant}, but must be a whole number from 0 to {VARIANTS - 1}")
    with pytest.raises(ValueError, match=message):
        make_plant_mesh("bush", variant)
