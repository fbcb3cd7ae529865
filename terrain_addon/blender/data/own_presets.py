"""Presets that users save, in Blender's folder of presets, and the list of all presets to choose from."""

from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt

from ...core.building.recipe import PRESET_FOLDER, PRESETS, preset_names
from ...core.foundation.parameters import menu_name
from ...core.foundation.terrain import Field
from ...core.maps.colour import ramp_colour
from ...core.maps.slope import surface_normals
from ...files.png import write_png
from ...files.writing import atomic_write, file_name_of
from . import pictures
from .mesh_heights import grid_shape, heights_of_grid
from .properties import read_recipe

_FOLDER = "presets/landscape"
_OWN = "own: "
"""How own presets begin in the list of all presets; older ones may have the name of one of the extension."""

_SIDE = 112  # pixels of a picture
# Direction to the sun: north-west, as on maps.
_SUN = np.array([-0.5, 0.5, 0.707], np.float32)


def own_presets() -> dict[str, Path]:
    """Return the files of the presets that the user saved, by name, in alphabetical order."""
    folder = Path(bpy.utils.user_resource("SCRIPTS", path=_FOLDER))
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def find_own_preset(name: str) -> Path | None:
    """Return the file of an own preset by the name that was given to it, None if there is none."""
    return own_presets().get(file_name_of(name))


def save_preset(name: str, land: bpy.types.Object, *, overwrite: bool = False) -> None:
    """Save the recipe of a land as a preset, with a picture of the land from above.

    Parameters
    ----------
    name : str
        Of the preset.
    land : Object
    overwrite : bool
        Whether it may replace an own preset of this name.

    Raises
    ------
    ValueError
        If the name has no letter and no digit, is that of a preset of the extension or of another own preset, or the
        values of the recipe do not fit together.
    OSError
        If the file cannot be written.
    """
    recipe = read_recipe(land)
    path = _new_file(name, overwrite=overwrite)
    with atomic_write(path) as file:
        file.write(recipe.dumps().encode())
    shape = grid_shape(land.data)
    if shape is not None and min(shape) > 2:
        picture = _picture_of(path)
        picture.parent.mkdir(exist_ok=True)
        write_png(picture, _seen_from_above(heights_of_grid(land.data, shape), land.dimensions.x / (shape[1] - 1)))
    refresh_presets()


def _new_file(name: str, *, overwrite: bool) -> Path:
    """Return the file of a preset that will be saved."""
    plain = file_name_of(name)
    if not plain:
        raise ValueError(f"the name of a preset needs a letter or a digit; {name!r} has none")
    if plain.casefold().replace(" ", "_") in preset_names():
        raise ValueError(f"{plain!r} is the name of a preset of the extension; choose another name")
    if not overwrite and plain in own_presets():
        raise ValueError(f"there is a preset of your own called {plain!r}; choose another name, or turn on Overwrite")
    return Path(bpy.utils.user_resource("SCRIPTS", path=_FOLDER, create=True)) / f"{plain}.json"


def remove_preset(path: Path) -> None:
    """Delete a preset and its picture.

    Raises
    ------
    OSError
        If it cannot be deleted.
    """
    path.unlink()
    _picture_of(path).unlink(missing_ok=True)
    refresh_presets()


def own_name(choice: str) -> str:
    """Return the name of the own preset behind a choice in the list; empty for a preset of the extension."""
    return choice.removeprefix(_OWN) if choice.startswith(_OWN) else ""


def choice_of(name: str) -> str:
    """Return the choice in the list for the name of a preset; of the user's own where two have the same name."""
    return _OWN + name if name in own_presets() else name


def choose(choice: str) -> None:
    """Let the list show a choice; nothing happens if it is no longer there."""
    if choice in _choices():
        bpy.context.window_manager.landscape_preset = choice


def _choices() -> list[str]:
    """The list of all presets."""
    return [*preset_names(), *(_OWN + name for name in own_presets())]


def register() -> None:
    """Add the property of the window manager that remembers the chosen preset."""
    items: list[tuple[str, str, str, int | str, int]] = [
        (name, title(name), PRESETS[name], shipped_icon(name), number) for number, name in enumerate(preset_names())
    ]
    for name, path in own_presets().items():
        icon = pictures.preset_icon(_picture_of(path)) or "USER"
        items.append((_OWN + name, name, "A preset of your own", icon, len(items)))
    bpy.types.WindowManager.landscape_preset = bpy.props.EnumProperty(
        name="Preset", description="Kind of land that New Landscape makes", items=items
    )


def unregister() -> None:
    """Remove that property."""
    del bpy.types.WindowManager.landscape_preset


def refresh_presets() -> None:
    """Make the list again after presets were added or removed; the choice stays."""
    # A list that is made while Blender draws can crash it, so this one is made only when it changes.
    manager = bpy.context.window_manager
    chosen = manager.landscape_preset
    unregister()
    register()
    names = _choices()
    manager.landscape_preset = chosen if chosen in names else names[0]


def title(name: str) -> str:
    """Return the name of a preset of the extension as users read it."""
    return menu_name(name)


def shipped_icon(name: str) -> int:
    """Return the icon of a preset of the extension; 0, which is no icon, if there is no picture."""
    return pictures.preset_icon(_picture_of(PRESET_FOLDER / f"{name}.json"))


def _picture_of(path: Path) -> Path:
    """Return where the picture of a preset is."""
    return path.parent / "thumbnails" / f"{path.stem}.png"


def _seen_from_above(heights: Field, cell_size: float) -> npt.NDArray[np.uint8]:
    """Return a picture of the middle square of a land in the colours of an atlas, shaded, north up."""
    side = min(heights.shape)
    south, west = (length - side for length in heights.shape)
    square = np.ascontiguousarray(heights[south // 2 :, west // 2 :][:side, :side])
    light = np.clip(surface_normals(square, cell_size) @ _SUN, 0.0, 1.0)
    colours = ramp_colour(square, "hypsometric") * (0.3 + 0.9 * light)[..., np.newaxis]
    places = np.linspace(0.0, side - 1.0, _SIDE).round().astype(int)
    seen = colours[places[::-1]][:, places]
    return np.rint(255.0 * np.clip(seen, 0.0, 1.0) ** (1.0 / 2.2)).astype(np.uint8)
