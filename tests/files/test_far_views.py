"""Far plants in Godot: the shader's quads beside the meshes that they stand for, seen from all around."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.ndimage import uniform_filter

from terrain_addon.core.meshing.plant_meshes import make_plant_mesh
from terrain_addon.files.engines.engine import SCRIPTS
from terrain_addon.files.plant_instances import MODEL_PARTS
from terrain_addon.files.plant_models import form_model, view_model, views_of
from terrain_addon.files.png import png_bytes
from tests.files.godot_pictures import Client, camera, shown_mesh

pytestmark = pytest.mark.once

AWAY, HEIGHT, SIDE, FINER = 60.0, 20.0, 160, 4
WHITE = png_bytes(np.full((1, 1, 4), 255, np.uint8)), True
LEVEL = png_bytes(np.full((1, 1, 3), (128, 128, 255), np.uint8)), False
ABOVE = np.array((0.0, HEIGHT / 2, 0.0))
AROUND = [(azimuth, 4.0) for azimuth in range(10, 370, 45)]
FROM_ABOVE = [(20.0, 25.0), (140.0, 40.0), (260.0, 60.0)]


UNREAL = """
#define float2 vec2
#define float3 vec3
#define float4 vec4
#define frac fract
#define ddx dFdx
#define ddy dFdy
#define Texture2DSampleGrad(picture, sampler, at, along, down) textureGrad(picture, at, along, down)
uniform sampler2D picture : source_color;
uniform sampler2D surface;
uniform vec3 cylinder;
uniform vec2 grid;
uniform vec3 border;
uniform vec3 eye_at;
uniform float cutoff;
varying vec3 spot;

vec3 turned(vec3 place) {
	return place.xzy;
}

vec3 placed(vec2 UV, vec3 Cylinder, vec2 Grid, vec3 Eye, vec3 East, vec3 Up, vec3 Own, vec3 Sway) {
PLACE}

vec3 coloured(vec2 UV, vec3 Cylinder, vec2 Grid, vec3 Eye, vec3 East, vec3 Up, vec3 Ray, vec3 Sway, vec3 Margin,
		float Cutoff, sampler2D Picture, sampler2D Surface, out float Cover, out vec3 Bump);

void vertex() {
	vec3 foot = MODEL_MATRIX[3].xyz;
	vec3 own = 100.0 * turned(mat3(MODEL_MATRIX) * VERTEX);
	vec3 east = turned(MODEL_MATRIX[0].xyz);
	vec3 up = turned(MODEL_MATRIX[1].xyz);
	own += placed(UV, cylinder, grid, 100.0 * turned(eye_at - foot), east, up, own, vec3(0.0));
	spot = 0.01 * turned(own) + foot;
	VERTEX = inverse(mat3(MODEL_MATRIX)) * (spot - foot);
}

void fragment() {
	float cover;
	vec3 bump;
	vec3 eye = 100.0 * turned(eye_at - MODEL_MATRIX[3].xyz);
	vec3 east = turned(MODEL_MATRIX[0].xyz);
	vec3 up = turned(MODEL_MATRIX[1].xyz);
	ALBEDO = coloured(UV, cylinder, grid, eye, east, up, 100.0 * turned(spot - eye_at), vec3(0.0), border, cutoff,
			picture, surface, cover, bump);
	if (cover < 0.5) {
		discard;
	}
	NORMAL = normalize(mat3(VIEW_MATRIX) * turned(bump));
	BACKLIGHT = 0.4 * ALBEDO;
}

vec3 coloured(vec2 UV, vec3 Cylinder, vec2 Grid, vec3 Eye, vec3 East, vec3 Up, vec3 Ray, vec3 Sway, vec3 Margin,
		float Cutoff, sampler2D Picture, sampler2D Surface, out float Cover, out vec3 Bump) {
COLOUR}
"""


def as_godot() -> str:
    """The code of Unreal's nodes as a shader for Godot, whose z is Unreal's y."""
    codes = [(SCRIPTS / f"far_plants_{name}.hlsl").read_text() for name in ("place", "colour")]
    return UNREAL.replace("PLACE", codes[0]).replace("COLOUR", codes[1].replace("[unroll]", ""))


class Stand:
    """One plant, drawn as mesh, cards or views, with the texels of a screen of 1080 rows."""

    def __init__(self, form: str) -> None:
        self.model = form_model(form, form, HEIGHT)
        pictures = views_of(self.model)
        assert pictures is not None
        self.views, self.quads = pictures, view_model(self.model, pictures)
        self.clients = {1: Client(SIDE), FINER: Client(FINER * SIDE)}

    def seen(self, kind: str, azimuth: float, elevation: float, finer: int = 1, **numbers: object) -> np.ndarray:
        """Colour and cover, 0 to 1."""
        client = self.clients[finer]
        client.clear()
        self.draw(client, kind, azimuth, elevation, numbers)
        return client.read().reshape(SIDE, finer, SIDE, finer, 4).mean(axis=(1, 3))

    def draw(self, client: Client, kind: str, azimuth: float, elevation: float, numbers: dict[str, object]) -> None:
        a, e, turn = np.radians((azimuth, elevation, 30.0))
        eye = ABOVE + AWAY * np.array((np.cos(e) * np.cos(a), np.sin(e), np.cos(e) * np.sin(a)))
        turned = np.eye(4)
        turned[:3, :3] = [(np.cos(turn), 0, np.sin(turn)), (0, 1, 0), (-np.sin(turn), 0, np.cos(turn))]
        shared = camera(eye, ABOVE, 28.0) | {"MODEL_MATRIX": turned, "TIME": 0.0, "SUN": (0.6, 0.55, 0.58)}
        shared |= {"wind": (0.0, 0.0), "height": HEIGHT, "shown": (-2.0, -1.0, 1e9, 2e9), "glow": 0.4} | numbers
        if kind in ("views", "unreal"):
            mesh, places = self.quads.meshes[1][0], self.quads.places[1][0]
            room = tuple(HEIGHT * size for size in self.views.room)
            shared |= {"cylinder": room, "views": 6.0, "variants": 3.0, "margin": 3.0, "cutoff": self.views.cutoff}
            pictures = {"picture": (self.views.colour, True), "surface": (self.views.surface, False)}
            shared |= {"eye_at": eye, "grid": (6.0, 3.0), "border": (3.0 / 112.0, 3.0 / 168.0, 0.0)}
            shader = "far_plants.gdshader" if kind == "views" else as_godot()
            client.draw(shader, shown_mesh(mesh, places, HEIGHT, mesh.triangles), shared, pictures)
            return
        level = {"mesh": 0, "middle": 1, "cards": 2}[kind]
        mesh, places = self.model.meshes[1][level], self.model.places[1][level]
        for part, name in enumerate(MODEL_PARTS):
            triangles, skin = mesh.triangles[mesh.part == part], self.model.skins[part]
            if triangles.size:
                looks = {"cutoff": skin.cutoff, "one_sided": not skin.double_sided} if skin else {"cutoff": 0.0}
                colour = (1.0, 1.0, 1.0) if skin else self.model.colours[part]
                numbers = shared | looks | {"colour": colour, "glow": 0.4 if name == "foliage" else 0.0}
                pictures = {"picture": WHITE, "normals": LEVEL}
                if skin:
                    pictures = {"picture": (skin.colour, True), "normals": (skin.normal, False)}
                client.draw("plants.gdshader", shown_mesh(mesh, places, HEIGHT, triangles), numbers, pictures)


def test_tufts_near_the_camera_have_the_colour_of_their_ground() -> None:
    client, tuft = Client(SIDE), make_plant_mesh("grass", 0, 1)
    half_red = np.zeros((2, 2, 4), np.uint8)
    half_red[:, 0] = 200, 20, 20, 255
    half_red[:, 1] = 20, 200, 20, 255
    places = np.zeros((len(tuft.vertices), 2), np.float32)

    def drawn(east: float, away: float) -> np.ndarray:
        client.clear()
        here, foot = np.eye(4), np.array((east, 0.0, -5.0))
        here[:3, 3] = foot
        eye, middle = foot + np.array((0.0, 0.4, away)), foot + np.array((0.0, 0.2, 0.0))
        numbers = camera(eye, middle, 5.0) | {"MODEL_MATRIX": here, "TIME": 1.0}
        numbers |= {"SUN": (0.6, 0.55, 0.58), "tile": (-10.0, -10.0, 20.0, 20.0), "height": 0.45, "wind": (4.0, 1.5)}
        numbers |= {"sways": True, "grown": 30.0, "gone": 44.0}
        mesh = shown_mesh(tuft, places, 0.45, tuft.triangles)
        client.draw("details.gdshader", mesh, numbers, {"macro": (png_bytes(half_red), True)})
        return client.read()

    west, east = drawn(-5.0, 10.0), drawn(5.0, 10.0)
    for picture, strong in ((west, 0), (east, 1)):
        seen = picture[picture[..., 3] > 0.0]
        assert len(seen) > 300 and (seen[:, strong] > 2.0 * seen[:, 1 - strong]).all()
    # Far ones grow out of the ground, so that none appears at once.
    assert (
        not drawn(5.0, 44.1)[..., 3].any() and 0 < drawn(5.0, 38.0)[..., 3].sum() < drawn(5.0, 29.0)[..., 3].sum() / 2
    )


class Likeness(NamedTuple):
    overlap: float
    area: float
    colour: float


def likeness(one: np.ndarray, other: np.ndarray) -> Likeness:
    """How much of both outlines is common, how large the other is, and how far smoothed colours differ, of 255."""
    cover, others = one[..., 3], other[..., 3]
    smooth, smoother = (uniform_filter(picture, (9, 9, 1)) for picture in (one, other))
    both = (smooth[..., 3] > 0.5) & (smoother[..., 3] > 0.5)
    apart = np.abs(smooth[both, :3] / smooth[both, 3:] - smoother[both, :3] / smoother[both, 3:])
    common = np.minimum(cover, others).sum() / np.maximum(cover, others).sum()
    return Likeness(float(common), float(others.sum() / cover.sum()), float(255.0 * apart.mean()))


@pytest.fixture(scope="module", params=["oak", "spruce"])
def stand(request: pytest.FixtureRequest) -> Stand:
    return Stand(request.param)


@pytest.mark.parametrize("directions", [AROUND, FROM_ABOVE], ids=["around", "from above"])
def test_far_plants_look_like_their_meshes(stand: Stand, directions: list[tuple[float, float]]) -> None:
    kinds = {"views": [], "cards": [], "other side": []}
    for azimuth, elevation in directions:
        mesh = stand.seen("mesh", azimuth, elevation, FINER)
        kinds["views"].append(likeness(mesh, stand.seen("views", azimuth, elevation)))
        kinds["cards"].append(likeness(mesh, stand.seen("cards", azimuth, elevation)))
        kinds["other side"].append(likeness(mesh, stand.seen("views", azimuth + 120.0, elevation)))
    views, cards, wrong = (Likeness(*np.mean(found, axis=0)) for found in kinds.values())
    print(views, cards, wrong, min(found.overlap for found in kinds["views"]))
    assert views.overlap > cards.overlap and views.colour < cards.colour
    assert min(found.overlap for found in kinds["views"]) > 0.7 and 0.85 < views.area < 1.15
    # A view from another side is less like it, so this measure tells them apart.
    assert wrong.overlap < views.overlap - 0.05


def test_a_plant_goes_over_from_its_mesh_into_its_views(stand: Stand) -> None:
    away = np.hypot(AWAY, HEIGHT / 2)  # from the eye, which looks at the middle, to the foot
    for share in (0.0, 0.3, 0.7, 1.0):
        end = away - 8.0 * share
        shown = {"middle": (-2.0, -1.0, end, end + 8.0), "views": (end, end + 8.0, 1e9, 2e9)}
        covers = {kind: stand.seen(kind, 0.0, 0.0, shown=spans)[..., 3] for kind, spans in shown.items()}
        whole = {kind: stand.seen(kind, 0.0, 0.0)[..., 3] for kind in shown}
        for kind, part in (("middle", 1.0 - share), ("views", share)):
            assert abs(covers[kind].sum() / whole[kind].sum() - part) < 0.04
        # No texel has both, and those that both cover have one of them.
        assert not ((covers["middle"] > 0.5) & (covers["views"] > 0.5)).any()
        either = (covers["middle"] > 0.5) | (covers["views"] > 0.5)
        assert either[(whole["middle"] > 0.5) & (whole["views"] > 0.5)].all()


def test_unreal_shows_what_godot_shows(stand: Stand) -> None:
    """The code of its nodes, in centimetres and with y to the south, beside the shader for Godot."""
    for azimuth, elevation in [*AROUND[::3], *FROM_ABOVE]:
        ours, theirs = (stand.seen(kind, azimuth, elevation) for kind in ("unreal", "views"))
        assert theirs[..., 3].mean() > 0.03
        assert np.abs(ours - theirs).mean() < 0.0005
    # Half a turn away it is another picture.
    assert np.abs(stand.seen("unreal", 190.0, 4.0) - stand.seen("views", 10.0, 4.0)).mean() > 0.005
