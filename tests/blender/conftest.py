"""A real Blender with the add-on registered and an empty scene."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest

import terrain_addon
from terrain_addon import core
from terrain_addon.blender.look.ground_material import ground_group
from terrain_addon.blender.plants.near_ground import near_ground_steps
from terrain_addon.blender.plants.scatter_tree import scatter_tree
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.relief.fractal_noise import FractalNoise
from tests.mountains import mountains


@pytest.fixture(scope="session")
def made_groups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the large node groups, as the add-on makes them: to make them takes two seconds, to append them none.

    Tests of how they are made start from `bare_blender`.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    groups = {ground_group(), run(near_ground_steps()), scatter_tree()}
    file = tmp_path_factory.mktemp("groups") / "groups.blend"
    bpy.data.libraries.write(str(file), groups)
    return file


@pytest.fixture
def bare_blender() -> Iterator[None]:
    """An empty scene with the add-on at work in it, in a file that holds nothing."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    terrain_addon.register()
    yield
    terrain_addon.unregister()


@pytest.fixture
def blender(made_groups: Path, bare_blender: None) -> None:
    """An empty scene with the add-on at work in it, and the node groups that every land needs."""
    with bpy.data.libraries.load(str(made_groups)) as (there, wanted):
        wanted.node_groups = there.node_groups


@pytest.fixture
def recipe() -> core.Recipe:
    """A landscape of some thousand plants."""
    return mountains(
        seed=3,
        resolution=65,
        width=640.0,
        depth=640.0,
        relief=Relief.of(
            FractalNoise(wavelength=2800.0, height=3000.0, base_altitude=200.0, attenuation=1.5, gain=0.42)
        ),
        erosion=(Weathering(),),
    )


@pytest.fixture(scope="session")
def kept_land(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test that wants a land leaves it for the others: making its materials takes a second."""
    return tmp_path_factory.mktemp("land") / "land.blend"


@pytest.fixture
def fresh_land(blender: None, recipe: core.Recipe) -> bpy.types.Object:
    """That landscape, active and selected, as this session has just made it."""
    from terrain_addon.blender.land.building import build_landscape
    from terrain_addon.blender.land.land_objects import add_landscape

    return activated(add_landscape(bpy.context.collection, build_landscape(recipe), "Alpine"))


@pytest.fixture
def land(bare_blender: None, kept_land: Path, request: pytest.FixtureRequest) -> bpy.types.Object:
    """That landscape, active and selected, from this session or as appended from another file."""
    if not kept_land.is_file():
        made: bpy.types.Object = request.getfixturevalue("fresh_land")
        bpy.ops.wm.save_as_mainfile(filepath=str(kept_land), copy=True, compress=False)
        return made
    # It brings node groups of its own.
    bpy.data.batch_remove(bpy.data.node_groups)
    with bpy.data.libraries.load(str(kept_land)) as (_, wanted):
        wanted.objects = ["Alpine"]
    land = wanted.objects[0]
    for part in (land, *land.children):
        bpy.context.collection.objects.link(part)
    return activated(land)


def activated(land: bpy.types.Object) -> bpy.types.Object:
    """The land, active and selected."""
    land.select_set(True)
    bpy.context.view_layer.objects.active = land
    return land
