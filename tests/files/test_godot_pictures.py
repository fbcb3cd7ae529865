"""A package drawn by a real Godot 4: the light of its preview, its ground, plants near and far, and its stems.

The fuller film of the preset alpine is a part of the documentation: ``python build.py docs godot``.
"""

from typing import Any

import numpy as np
import pytest
from PIL import Image

from terrain_addon.files.engines.package import PackageOptions, write_package
from tests.files.engine_land import f_land
from tests.files.godot_window import drawn, godot_command, imported, screen_command

pytestmark = pytest.mark.once

# Level, over the land to the north; down on the ground; and up into the sky.
VIEWS = [[0.0, 60.0, 200.0, 0.0, -10.0, 75.0], [30.0, 1.7, 30.0, 0.0, -60.0, 75.0], [0.0, 60.0, 0.0, 0.0, 60.0, 40.0]]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[dict[str, Any], np.ndarray]]:
    """What Godot says of each picture, and the picture."""
    if not godot_command():
        pytest.skip("there is no Godot 4 on the path; TERRAIN_GODOT may name its command")
    if screen_command() is None:
        pytest.skip("Godot draws in a window, and there is neither a screen nor xvfb-run")
    project = tmp_path_factory.mktemp("drawn")
    write_package(project / "level", f_land(129, 129, 4000), "godot", PackageOptions(ground=512))
    imported(project, "level")
    told = {"scene": "res://level/preview.scn", "out": str(project / "out"), "views": VIEWS}
    said = drawn(project, told, (160, 90), "gl_compatibility")
    pictures = [np.asarray(Image.open(path)) for path in sorted((project / "out").glob("*.png"))]
    return list(zip(said, pictures, strict=True))


def test_the_preview_is_a_day(film: list[tuple[dict[str, Any], np.ndarray]]) -> None:
    """A sky that is too dark makes all shadows black."""
    sky = film[2][1][..., :3].mean(axis=(0, 1))
    assert 60.0 < sky[0] < sky[1] < sky[2] < 240.0
    for _, picture in film[:2]:
        light = picture[..., :3].mean(axis=2)
        assert (light < 8).mean() < 0.3 and (light > 250).mean() < 0.1 and light.std() > 5.0


def test_near_plants_are_fine_and_frames_are_small(film: list[tuple[dict[str, Any], np.ndarray]]) -> None:
    said = [one for one, _ in film]
    assert sum(one["near"] for one in said) > 0
    assert sum(one["fine"] for one in said) >= 0.95 * sum(one["near"] for one in said)
    assert max(one["seen"] for one in said) < 3_000_000


def test_stems_stop_a_ray(film: list[tuple[dict[str, Any], np.ndarray]]) -> None:
    stems, hits = film[1][0]["stems"]
    assert 0 < stems == hits
