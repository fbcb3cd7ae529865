"""Response curves as curves that can be dragged: the recipe follows the curve, and the curve the recipe."""

import bpy
import pytest

from terrain_addon.blender.data.curve_nodes import curve_nodes, is_in_step, make_curve_nodes, node_of_curve
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.session.curve_following import ask_for_curve, follow_curves
from terrain_addon.blender.ui import plants_panel
from terrain_addon.core.ecosystem.species import Species
from terrain_addon.core.foundation.parameters import parameters_of
from tests.blender.recording_layout import drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

ALTITUDE = next(p for p in parameters_of(Species) if p.name == "altitude_response")


def shown(land: bpy.types.Object, index: int = 0) -> bpy.types.Node:
    """The node of the curve of altitude of a species, as the panel shows it."""
    make_curve_nodes()
    group = land.landscape.recipe.ecosystem.species[index]
    ask_for_curve(group, ALTITUDE)
    follow_curves()
    node = node_of_curve(group, ALTITUDE)
    assert node is not None and is_in_step(node, group, ALTITUDE)
    return node


def response(land: bpy.types.Object, index: int = 0) -> list[tuple[float, float]]:
    return list(read_recipe(land).ecosystem.species[index].altitude_response)


def test_a_dragged_point_changes_the_species(land: bpy.types.Object) -> None:
    before = read_recipe(land)
    node = shown(land)
    assert read_recipe(land) == before  # looking changes nothing
    points = node.mapping.curves[0].points
    assert len(points) == 4
    points[2].location = (points[2].location.x, 0.5)
    node.mapping.update()
    shown(land)
    after = response(land)
    assert max(y for _, y in after) == 1.0 and any(y == pytest.approx(0.5) for _, y in after)
    # Where the curve was level it still is, and the altitudes of the other points are as they were.
    changed = before.ecosystem.species[0].altitude_response[1]
    assert any(x == pytest.approx(changed[0], abs=0.5) for x, _ in after)


def test_the_curve_follows_the_numbers_and_the_active_species(land: bpy.types.Object) -> None:
    node = shown(land)
    first = [tuple(p.location) for p in node.mapping.curves[0].points]
    land.landscape.recipe.ecosystem.species[0].altitude_response[3] = 0.25
    assert not is_in_step(node, land.landscape.recipe.ecosystem.species[0], ALTITUDE)
    assert [tuple(p.location) for p in shown(land).mapping.curves[0].points] != first
    other = response(land, 1)
    shown(land, 1)
    shown(land, 0)
    assert response(land, 1) == other


def test_more_and_fewer_points_become_four(land: bpy.types.Object) -> None:
    curve = shown(land).mapping.curves[0]
    curve.points.new(0.9, 0.9)
    shown(land)
    assert len(response(land)) == 4 and len(curve.points) == 5
    while len(curve.points) > 2:
        curve.points.remove(curve.points[1])
    shown(land)
    assert len(response(land)) == 4


def test_the_panel_shows_the_curve_and_files_without_it_a_button(land: bpy.types.Object) -> None:
    def calls() -> list[str]:
        return [
            name if name != "operator" else given["operator"]
            for name, given in drawn(plants_panel.VIEW3D_PT_landscape_plants).calls
        ]

    make_curve_nodes()
    tree = curve_nodes()
    assert tree is not None and "template_curve_mapping" in calls() and "landscape.show_curves" not in calls()
    bpy.data.node_groups.remove(tree)
    assert "template_curve_mapping" not in calls() and "landscape.show_curves" in calls()
    assert bpy.ops.landscape.show_curves() == {"FINISHED"}
    assert "template_curve_mapping" in calls()
