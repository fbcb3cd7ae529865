"""The files that a recipe asks for."""

from collections.abc import Callable

from ..core.recipe import PRESET_FOLDER, Recipe
from ..core.relief.elevation import Elevation
from ..core.relief.elevation_model import ElevationModel
from .elevation import read_elevation

SAMPLE = "sample:"
_SAMPLE_FOLDER = PRESET_FOLDER / "elevation"


def read_inputs(recipe: Recipe, resolve: Callable[[str], str] = str) -> dict[str, Elevation]:
    """Read all elevation data that a recipe names.

    Parameters
    ----------
    recipe : Recipe
        What will be built.
    resolve : callable
        Turns a path of the recipe into one that the system can open.

    Returns
    -------
    dict of str to Elevation
        By the path in the recipe, as `core.build` wants them.

    Raises
    ------
    ValueError
        If a file is missing or cannot be read as heights.
    """
    model = recipe.relief
    if not isinstance(model, ElevationModel):
        return {}
    path = _sample_path(model.path) if model.path.startswith(SAMPLE) else resolve(model.path)
    elevation = read_elevation(path, lowest=model.lowest, highest=model.highest, fill_holes=model.fill_holes)
    return {model.path: elevation}


def _sample_path(name: str) -> str:
    samples = {path.stem: path for path in _SAMPLE_FOLDER.glob("*.npz")}
    wanted = name.removeprefix(SAMPLE)
    if wanted not in samples:
        raise ValueError(f"there is no elevation sample {wanted!r}; there are: {', '.join(sorted(samples))}")
    return str(samples[wanted])
