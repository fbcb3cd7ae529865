"""Pictures of plants, drawn in software with the text of the shaders for Godot, by a small client of OpenGL.

Only the names that Godot gives are put around the text.  Light is a sun and an even sky.
"""

import io
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from PIL import Image

from terrain_addon.core.meshing.plant_meshes import PlantMesh
from terrain_addon.files.engines.engine import SCRIPTS
from terrain_addon.files.plant_instances import tangents_of

moderngl = pytest.importorskip("moderngl")

_SHARED = (
    "#version 330\nuniform mat4 MODEL_MATRIX, VIEW_MATRIX, INV_VIEW_MATRIX, PROJECTION_MATRIX; uniform float TIME;\n"
)
_VERTEX = """
in vec3 at_place; in vec3 at_normal; in vec4 at_tangent; in vec2 at_uv; in vec2 at_uv2; in float at_flutter;
in float at_tint;
out vec2 uv_; out vec3 normal_; out vec4 tangent_; out float tint_;
vec3 VERTEX; vec2 UV; vec2 UV2; vec4 CUSTOM0;
"""
_VERTEX_MAIN = """
void main() {
    VERTEX = at_place; UV = at_uv; UV2 = at_uv2; CUSTOM0 = vec4(at_flutter);
    given_vertex();
    mat3 turned = mat3(VIEW_MATRIX) * mat3(MODEL_MATRIX);
    uv_ = at_uv; normal_ = turned * at_normal; tangent_ = vec4(turned * at_tangent.xyz, at_tangent.w); tint_ = at_tint;
    gl_Position = PROJECTION_MATRIX * VIEW_MATRIX * MODEL_MATRIX * vec4(VERTEX, 1.0);
}
"""
_FRAGMENT = """
in vec2 uv_; in vec3 normal_; in vec4 tangent_; in float tint_; out vec4 result; uniform vec3 SUN;
vec2 UV; vec4 COLOR; vec3 ALBEDO; vec3 NORMAL; vec3 NORMAL_MAP = vec3(-1.0); float ROUGHNESS;
vec3 BACKLIGHT = vec3(0.0); float AO = 1.0; float AO_LIGHT_AFFECT = 0.0;
bool FRONT_FACING; vec4 FRAGCOORD;
"""
_FRAGMENT_MAIN = """
void main() {
    UV = uv_; COLOR = vec4(vec3(tint_), 1.0); FRONT_FACING = gl_FrontFacing; FRAGCOORD = gl_FragCoord;
    float side = gl_FrontFacing ? 1.0 : -1.0;
    NORMAL = side * normalize(normal_);
    given_fragment();
    if (NORMAL_MAP.x >= 0.0) {
        vec3 bump = NORMAL_MAP * 2.0 - 1.0;
        bump.z = sqrt(max(0.0, 1.0 - dot(bump.xy, bump.xy)));
        vec3 right = normalize(tangent_.xyz);
        NORMAL = bump.x * side * right + bump.y * tangent_.w * cross(normalize(normal_), right) + bump.z * NORMAL;
    }
    float lit = dot(normalize(NORMAL), normalize(mat3(VIEW_MATRIX) * SUN));
    vec3 colour = ALBEDO * (0.35 + 1.2 * max(lit, 0.0)) + 1.2 * BACKLIGHT * max(-lit, 0.0);
    result = vec4(pow(colour, vec3(1.0 / 2.2)), 1.0);
}
"""
_ATTRIBUTES = {"place": 3, "normal": 3, "tangent": 4, "uv": 2, "uv2": 2, "flutter": 1, "tint": 1}


def glsl(shader: str) -> tuple[str, str]:
    """The text of a shader for Godot, or that in a file, as one for vertices and one for fragments of OpenGL."""
    text = re.sub(r"//[^\n]*", "", shader if "\n" in shader else (SCRIPTS / shader).read_text())
    text = re.sub(r"(shader_type|render_mode)[^;]*;", "", text)
    text = re.sub(r"(uniform \w+ \w+)\s*:[^;=]*(=[^;]*)?;", lambda found: f"{found[1]} {found[2] or ''};", text)
    vertex, fragment = text.index("void vertex()"), text.index("void fragment()")
    common = text[:vertex]

    def passed(way: str) -> str:
        return re.sub(r"varying (flat )?", lambda found: f"{found[1] or ''}{way} ", common)

    above = text[vertex:fragment].replace("void vertex", "void given_vertex")
    below = text[fragment:].replace("void fragment", "void given_fragment")
    return (
        _SHARED + _VERTEX + passed("out") + above + _VERTEX_MAIN,
        _SHARED + _FRAGMENT + passed("in") + below + _FRAGMENT_MAIN,
    )


class Client:
    """Draws square pictures."""

    def __init__(self, side: int) -> None:
        try:
            self.context = moderngl.create_standalone_context(backend="egl", require=330)
        except Exception as missing:  # noqa: BLE001, whatever its drivers raise
            pytest.skip(f"there is no OpenGL without a window: {missing}")
        self.side = side
        picture = self.context.texture((side, side), 4)
        self.target = self.context.framebuffer([picture], self.context.depth_renderbuffer((side, side)))
        self.programs: dict[str, Any] = {}
        self.pictures: dict[tuple[bytes, bool], Any] = {}

    def clear(self) -> None:
        self.target.use()
        self.target.clear(0, 0, 0, 0)
        self.context.enable(moderngl.DEPTH_TEST)

    def draw(
        self,
        shader: str,
        mesh: list[np.ndarray],
        numbers: Mapping[str, Any],
        pictures: Mapping[str, tuple[bytes, bool]],
    ) -> None:
        """Draw what `shown_mesh` returns; a picture is a PNG, and whether it is sRGB."""
        if shader not in self.programs:
            vertex, fragment = glsl(shader)
            self.programs[shader] = self.context.program(vertex, fragment)
        program = self.programs[shader]
        for name, value in numbers.items():
            if name in program and np.ndim(value) == 2:
                program[name].write(np.ascontiguousarray(np.array(value, "f4").T).tobytes())
            elif name in program:
                program[name].value = tuple(value) if np.ndim(value) else value
        for place, (name, (png, is_srgb)) in enumerate(pictures.items()):
            if name in program:
                self._texture(png, is_srgb).use(place)
                program[name].value = place
        *columns, triangles = mesh
        data = self.context.buffer(np.concatenate(columns, axis=1).astype("f4").tobytes())
        corners = self.context.buffer(triangles.astype("i4").tobytes())
        kept = {f"at_{name}": size for name, size in _ATTRIBUTES.items()}
        form = " ".join(f"{size}f" if name in program else f"{size}x4" for name, size in kept.items())
        array = self.context.vertex_array(program, [(data, form, *(name for name in kept if name in program))], corners)
        array.render()

    def read(self) -> np.ndarray:
        """Colour and cover, 0 to 1, the upper row first."""
        texels = np.frombuffer(self.target.read(components=4), np.uint8).reshape(self.side, self.side, 4)
        return texels[::-1].astype(np.float32) / 255.0

    def _texture(self, png: bytes, is_srgb: bool) -> Any:
        if (png, is_srgb) not in self.pictures:
            texels = np.array(Image.open(io.BytesIO(png)))
            rows, columns, channels = texels.shape
            kind = {4: 0x8C43, 3: 0x8C41}[channels] if is_srgb else None
            texture = self.context.texture((columns, rows), channels, texels.tobytes(), internal_format=kind)
            texture.build_mipmaps()
            texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
            self.pictures[png, is_srgb] = texture
        return self.pictures[png, is_srgb]


def shown_mesh(mesh: PlantMesh, places: np.ndarray, height: float, triangles: np.ndarray) -> list[np.ndarray]:
    """Some triangles of a mesh as files have them, with x to the east, y up and −z to the north."""
    used, corners = np.unique(triangles, return_inverse=True)
    corners = corners.reshape(-1, 3)
    x, y, z = mesh.vertices[used].T * np.float32(height)
    east, north, up = mesh.normals[used].T
    place, normal, uv = np.stack((x, z, -y), axis=1), np.stack((east, up, -north), axis=1), places[used]
    wind = mesh.wind[used]
    tangent = tangents_of(place, normal, uv, corners)
    return [place, normal, tangent, uv, wind[:, :2], wind[:, 2:], mesh.tint[used][:, None], corners]


def camera(eye: np.ndarray, middle: np.ndarray, angle: float) -> dict[str, np.ndarray]:
    """The matrices of a camera at `eye` that looks at `middle`, in degrees from its lower to its upper border."""
    ahead = (middle - eye) / np.linalg.norm(middle - eye)
    right = np.cross(ahead, (0.0, 1.0, 0.0))
    right /= np.linalg.norm(right)
    view = np.eye(4)
    view[:3, :3] = [right, np.cross(right, ahead), -ahead]
    view[:3, 3] = -view[:3, :3] @ eye
    near, far, scale = 0.5, 2000.0, 1.0 / np.tan(np.radians(angle) / 2.0)
    projection = np.diag((scale, scale, (far + near) / (near - far), 0.0))
    projection[2, 3], projection[3, 2] = 2.0 * far * near / (near - far), -1.0
    return {"VIEW_MATRIX": view, "INV_VIEW_MATRIX": np.linalg.inv(view), "PROJECTION_MATRIX": projection}
