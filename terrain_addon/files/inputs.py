"""The files that a recipe asks for."""

from collections.abc import Callable

from ..core.recipe import PRESET_FOLDER, Recipe
from ..core.relief.elevation import Elevation
from ..core.relief.elevation_model import ElevationModel
from .elevation import read_elevation

SAMPLE = "sample:"
_SAMPLE_FOLDER = PRESET_FOLDER / "elevation"


def read_inputs(
    recipe: Recipe, resolve: Callable[[str], str] = str, problems: dict[str, str] | None = None
) -> dict[str, Elevation]:
    """Read all elevation data that a recipe names.

    Parameters
    ----------
    recipe : Recipe
        What will be built.
    resolve : callable
        Turns a path of the recipe into one that the system can open.
    problems : dict of str to str, optional
        Takes a sentence for each path that cannot be read, and the rest goes on without it; left out, the first such
        file is an error.

    Returns
    -------
    dict of str to Elevation
        By the path in the recipe, as `core.build` wants them.

    Raises
    ------
    ValueError
        If a file is missing or cannot be read as heights, and `problems` is left out.
    """
    inputs = {}
    for layer in recipe.relief.layers:
        model = layer.source
        if layer.enabled and isinstance(model, ElevationModel) and model.path not in inputs:
            try:
                inputs[model.path] = read_input(
                    model.path, lowest=model.lowest, highest=model.highest, fill_holes=model.fill_holes, resolve=resolve
                )
            except ValueError as error:
                if problems is None:
                    raise
                problems[model.path] = str(error)
    return inputs


def read_input(
    path: str,
    *,
    lowest: float = 0.0,
    highest: float = 1.0,
    fill_holes: bool = True,
    resolve: Callable[[str], str] = str,
) -> Elevation:
    """Read one file that a recipe names.

    Parameters
    ----------
    path : str
        As it stands in the recipe; ``sample:NAME`` is land that comes with the extension.
    lowest, highest : float
        Metres that black and white of a picture stand for.
    fill_holes : bool
        Whether missing heights are filled smoothly or refused.
    resolve : callable
        Turns a path into one that the system can open.

    Returns
    -------
    Elevation
        Row 0 south.

    Raises
    ------
    ValueError
        If the file is missing or cannot be read as heights.
    """
    found = sample_path(path) if path.startswith(SAMPLE) else resolve(path)
    return read_elevation(found, lowest=lowest, highest=highest, fill_holes=fill_holes)


def sample_path(name: str) -> str:
    """Return where the land called ``sample:NAME`` lies.

    Raises
    ------
    ValueError
        If none of that name comes with the extension.
    """
    samples = {path.stem: path for path in _SAMPLE_FOLDER.glob("*.npz")}
    wanted = name.removeprefix(SAMPLE)
    if wanted not in samples:
        raise ValueError(f"there is no elevation sample {wanted!r}; there are: {', '.join(sorted(samples))}")
    return str(samples[wanted])
