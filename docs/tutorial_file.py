"""The file docs/examples/tutorial.blend: a land with a drawn river, and a text that says what to try."""

import tempfile
from pathlib import Path

import bpy

from terrain_addon.blender.look.scenery import set_scenery
from terrain_addon.core.building.recipe import load_recipe
from terrain_addon.core.direction.features import River

RESOLUTION = 97  # so that the file stays small
RECIPE = "valley_with_road.json"
STEPS = """Tutorial: a valley with a brook
===============================

You need the extension Procedural Landscape. The land is active; if not, click it.

1. Put the mouse over the 3D view and press N. Open the tab "Landscape".
2. Drag "Strength" to the right. The land follows. Ctrl+Z brings it back.
3. In the Outliner, open the collection "Features" and click "Brook". Press Tab, move a point with G, press Tab again.
   The brook finds its new bed.
4. Click the land. Open "Plants" and press "Plant". Drag "Plant Cover".
5. Open "Draw", press "Road", click two places on the land, and press Enter. The road finds its way.
6. Open "Paint", press "Paint No Plants" and paint a meadow. Leave by the button in the panel.
7. Open "Light and Material". "Camera" goes from view to view. Drag "Time of Day" above. F12 renders.
8. Set "Resolution" to 513 for a finer land.
9. Open "Bake and Export" for textures, meshes and game engines.

The page "First landscape in five minutes" of the manual has pictures: right-click any slider, Online Manual.
"""


def make_tutorial_file(folder: Path) -> None:
    """Build the land of an example without plants, and save it.

    Parameters
    ----------
    folder : Path
        Where the examples are.

    Raises
    ------
    RuntimeError
        If this Blender is so new that the oldest one could not read the file.
    """
    if bpy.app.version >= (4, 3):
        raise RuntimeError(f"Blender {bpy.app.version_string} writes files that 4.2 cannot read: run this in 4.2")
    bpy.ops.wm.read_factory_settings()
    for one in list(bpy.data.objects):
        bpy.data.objects.remove(one)
    with tempfile.TemporaryDirectory() as here:
        small = Path(here) / "tutorial.json"
        recipe = load_recipe(folder / RECIPE)
        rivers = tuple(one for one in recipe.features if isinstance(one, River))
        small.write_text(recipe.replace(resolution=RESOLUTION, features=rivers).dumps(), encoding="utf-8")
        bpy.ops.landscape.generate_from_recipe(filepath=str(small))
    land = bpy.context.view_layer.objects.active
    bpy.ops.landscape.clear_plants()
    set_scenery(bpy.context.scene, land)
    bpy.context.view_layer.objects.active = land
    bpy.data.texts.new("Steps").from_string(STEPS)
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    bpy.context.preferences.filepaths.save_version = 0  # no copy of the former file beside it
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "tutorial.blend"), compress=True, relative_remap=True)
