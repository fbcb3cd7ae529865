"""The elevation files that a recipe names."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..core.building.recipe import PRESET_FOLDER, Recipe
from ..core.foundation.stored_field import StoredField
from ..core.planet.planet_recipe import PlanetRecipe
from ..core.planet.whole_map import check_whole
from ..core.relief.elevation_model import ElevationModel
from .elevation import READERS, read_elevation
from .records import digest_of_file

SAMPLE = "sample:"
"""How a path starts that names an elevation file of the extension itself."""

_SAMPLE_FOLDER = PRESET_FOLDER / "elevation"
_ENDINGS_BESIDE = tuple(
    case(ending)
    for ending in sorted({ending for kind in READERS.values() for ending in kind.beside})
    for case in (str.lower, str.upper)
)


class InputCache:
    """The heights that were read for the last recipe; files that have not changed are not read again."""

    def __init__(self) -> None:
        self._found: dict[tuple[Any, ...], StoredField] = {}

    def keep(self, inputs: dict[tuple[Any, ...], StoredField]) -> None:
        """Keep these heights and remove all others.

        Parameters
        ----------
        inputs : dict of tuple to StoredField
            Heights by the state of their files: names, times of the last change, how they are read.
        """
        self._found = inputs

    def get(self, state: tuple[Any, ...]) -> StoredField | None:
        """Return heights that are kept.

        Parameters
        ----------
        state : tuple
            The state of their files.

        Returns
        -------
        StoredField or None
            None if there are none from files in this state.
        """
        return self._found.get(state)


def read_inputs(
    recipe: Recipe,
    resolve: Callable[[str], str] = str,
    problems: dict[str, str] | None = None,
    cache: InputCache | None = None,
) -> dict[str, StoredField]:
    """Read all elevation data that a recipe names.

    Parameters
    ----------
    recipe : Recipe
        What will be built.
    resolve : callable
        Turns a path of the recipe into one that the system can open, such as Blender's ``//``.
    problems : dict of str to str, optional
        Gets one sentence by key for each model that cannot be read, and the others are read.  Without it, the first
        file that cannot be read is an error.
    cache : InputCache, optional
        Heights of earlier calls; it keeps those of this call.

    Returns
    -------
    dict of str to StoredField
        Heights by the `key` of their elevation model, for `core.build`.

    Raises
    ------
    ValueError
        If a file is missing or cannot be read as heights, and `problems` is not given.
    """
    inputs: dict[str, StoredField] = {}
    states: dict[tuple[Any, ...], StoredField] = {}
    for layer in recipe.relief.layers:
        model = layer.source
        if layer.enabled and isinstance(model, ElevationModel) and model.key not in inputs:
            try:
                state = _state_of(model.key, find_file(model.path, resolve))
                found = cache.get(state) if cache is not None else None
                inputs[model.key] = states[state] = found or read_input(model, resolve)
            except ValueError as error:
                if problems is None:
                    raise
                problems[model.key] = str(error)
    if cache is not None:
        cache.keep(states)
    return inputs


def read_input(model: ElevationModel, resolve: Callable[[str], str] = str) -> StoredField:
    """Read the file of an elevation model.

    Parameters
    ----------
    model : ElevationModel
        Its path may be ``sample:NAME``, an elevation file of the extension itself.
    resolve : callable
        Turns a path into one that the system can open.

    Returns
    -------
    StoredField
        Row 0 south.

    Raises
    ------
    ValueError
        If the file is missing or cannot be read as heights.
    """
    return read_elevation(
        find_file(model.path, resolve),
        lowest=model.lowest,
        highest=model.highest,
        fill_holes=model.fill_holes,
        crop=model.crop.shares,
    )


def read_planet_elevation(
    recipe: PlanetRecipe, resolve: Callable[[str], str] = str, cache: InputCache | None = None
) -> StoredField | None:
    """Read the heights of the whole planet that a recipe names.

    Parameters
    ----------
    recipe : PlanetRecipe
        What will be built.
    resolve : callable
        Turns a path of the recipe into one that the system can open.
    cache : InputCache, optional
        Heights of earlier calls; it keeps those of this call.

    Returns
    -------
    StoredField or None
        Row 0 south, for `core.build_planet`; None if the ground of the planet is made.

    Raises
    ------
    ValueError
        If the file is missing, cannot be read as heights, or is not twice as wide as high; the sentence names it.
    """
    model = recipe.elevation
    if not model.path:
        return None
    path = resolve(model.path)
    state = _state_of(json.dumps(model.to_json()), path)
    found = cache.get(state) if cache is not None else None
    heights = found or read_elevation(
        path, lowest=model.lowest, highest=model.highest, fill_holes=model.fill_holes, square_cells=False
    )
    try:
        check_whole(heights)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if cache is not None:
        cache.keep({state: heights})
    return heights


def input_digests(recipe: Recipe, resolve: Callable[[str], str] = str) -> dict[str, str]:
    """Return digests of all elevation files that a recipe names, and of files beside them that say how they are read.

    Parameters
    ----------
    recipe : Recipe
        What will be built.
    resolve : callable
        Turns a path of the recipe into one that the system can open.

    Returns
    -------
    dict of str to str
        SHA-256 by path; files that cannot be read are left out.

    Raises
    ------
    ValueError
        If the recipe names a sample that the extension does not have.
    """
    models = (layer.source for layer in recipe.relief.layers if layer.enabled)
    paths = {find_file(model.path, resolve) for model in models if isinstance(model, ElevationModel)}
    digests = {str(file): digest_of_file(file) for path in sorted(paths) for file in _files_of(Path(path))}
    return {path: digest for path, digest in digests.items() if digest is not None}


def find_file(path: str, resolve: Callable[[str], str] = str) -> str:
    """Return the file that a path of a recipe means.

    Parameters
    ----------
    path : str
        Path of a file, or ``sample:NAME``.
    resolve : callable
        Turns a path into one that the system can open.

    Returns
    -------
    str
        A path that the system can open.

    Raises
    ------
    ValueError
        If the extension has no sample of this name.
    """
    return sample_path(path) if path.startswith(SAMPLE) else resolve(path)


def _state_of(key: str, file_name: str) -> tuple[Any, ...]:
    """Return what the heights of a model depend on: how they are read, and when its files were last changed."""
    path = Path(file_name)
    times = []
    for file in _files_of(path):
        try:
            times.append(file.stat().st_mtime_ns)
        except (OSError, ValueError):
            times.append(0)
    return key, path, *times


def _files_of(path: Path) -> tuple[Path, ...]:
    """Return an elevation file, and all that may lie beside it and say how it is read."""
    return path, *(path.parent / f"{path.stem}{ending}" for ending in _ENDINGS_BESIDE)


def sample_path(name: str) -> str:
    """Return the file of ``sample:NAME``.

    Parameters
    ----------
    name : str
        ``sample:NAME``.

    Returns
    -------
    str
        A path that the system can open.

    Raises
    ------
    ValueError
        If the extension has no sample of this name.
    """
    samples = {path.stem: path for path in _SAMPLE_FOLDER.glob("*.npz")}
    wanted = name.removeprefix(SAMPLE)
    if wanted not in samples:
        raise ValueError(f"there is no elevation sample {wanted!r}; there are: {', '.join(sorted(samples))}")
    return str(samples[wanted])
