"""What the dialogs of bake and export show: every map by name with a tick, and sizes in numbers."""

from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from terrain_addon.blender.operators import bake, export
from terrain_addon.core.foundation.parameters import menu_name
from terrain_addon.files.baking import BAKED_MAPS
from tests.blender.recording_layout import Around, Layout

NARROW = 220
"""Width in pixels of the options beside Blender's file browser."""


class Operator(SimpleNamespace):
    """Stands for an operator that was just called: its class, and the values of its properties."""

    def __init__(self, cls: type[Any], **values: Any) -> None:
        group, name = cls.bl_idname.split(".")
        rna = getattr(getattr(bpy.ops, group), name).get_rna_type()
        found = {p.identifier: getattr(p, "default", None) for p in rna.properties if p.identifier != "rna_type"}
        super().__init__(bl_rna=rna, cls=cls, layout=Layout(), **(found | values))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cls, name).__get__(self)


def shown(cls: type[Any], **values: Any) -> Layout:
    operator = Operator(cls, **values)
    cls.draw(operator, Around(region=SimpleNamespace(width=NARROW, type="TOOL_PROPS")))
    return operator.layout


def test_every_map_of_the_land_has_a_tick_and_its_name(land: bpy.types.Object) -> None:
    layout = shown(bake.LANDSCAPE_OT_bake_textures)
    drawn = {given["property"]: given for name, given in layout.calls if name == "prop"}
    rna = bpy.ops.landscape.bake_textures.get_rna_type().properties
    for name in BAKED_MAPS:
        assert rna[f"bake_{name}"].type == "BOOLEAN" and f"bake_{name}" in drawn
        assert rna[f"bake_{name}"].name == menu_name(name)
    assert "maps" not in drawn


def test_the_size_of_the_textures_is_named(land: bpy.types.Object) -> None:
    texts = shown(bake.LANDSCAPE_OT_bake_textures, resolution=65).texts
    assert "65 × 65 pixels, as the land" in texts
    land.landscape.recipe.depth = 320.0
    assert "257 × 129 pixels" in shown(bake.LANDSCAPE_OT_bake_textures, resolution=257).texts


@pytest.mark.parametrize("cls", [bake.LANDSCAPE_OT_bake_textures, export.LANDSCAPE_OT_export_package])
def test_no_label_beside_a_value_is_longer_than_its_room(land: bpy.types.Object, cls: type[Any]) -> None:
    """About a third of the width is left for a label beside its value; alone it has all of it."""
    for name, given in shown(cls).calls:
        if name == "label":
            assert len(given["text"]) <= (NARROW - 20) / 6.5, given["text"]
        if name == "prop" and given.get("text") is None:
            declared = given["data"].bl_rna.properties[given["property"]]
            assert declared.type in ("BOOLEAN", "INT") or len(declared.name) <= 8, declared.name


def test_ticks_are_the_maps_that_are_baked(land: bpy.types.Object, tmp_path: Any) -> None:
    """A tick and the list of maps, which scripts set, are one thing."""
    assert bpy.ops.landscape.bake_textures(directory=str(tmp_path), bake_normal=False, bake_slope=True) == {"FINISHED"}
    stems = {path.stem.removeprefix("Alpine_") for path in tmp_path.iterdir()}
    assert stems == {"height", "slope", "textures"}
