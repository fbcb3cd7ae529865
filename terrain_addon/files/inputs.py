"""The files that a recipe asks for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..core.building.recipe import PRESET_FOLDER, Recipe
from ..core.foundation.stored_field import StoredField
from ..core.relief.elevation_model import ElevationModel
from .elevation import SIDECARS, read_elevation

SAMPLE = "sample:"
_SAMPLE_FOLDER = PRESET_FOLDER / "elevation"


class ReadBefore:
    """Stored fields that were read for the last recipe, so that what is on disk as it was is not read again."""

    def __init__(self) -> None:
        self._found: dict[tuple[Any, ...], StoredField] = {}

    def take(self, inputs: dict[tuple[Any, ...], StoredField]) -> None:
        """Keep these, and let go of all others."""
        self._found = inputs

    def get(self, state: tuple[Any, ...]) -> StoredField | None:
        """Return what was read from files in this state, None if nothing was."""
        return self._found.get(state)


def read_inputs(
    recipe: Recipe,
    resolve: Callable[[str], str] = str,
    problems: dict[str, str] | None = None,
    before: ReadBefore | None = None,
) -> dict[str, StoredField]:
    """Read all elevation data that a recipe names.

    Parameters
    ----------
    recipe : Recipe
        What will be built.
    resolve : callable
        Turns a path of the recipe into one that the system can open.
    problems : dict of str to str, optional
        Takes a sentence for each model that cannot be read, by its key, and the rest goes on without it; left out, the
        first such file is an error.
    before : ReadBefore, optional
        What earlier calls read.

    Returns
    -------
    dict of str to StoredField
        By the `key` of each elevation model, as `core.build` wants them.

    Raises
    ------
    ValueError
        If a file is missing or cannot be read as heights, and `problems` is left out.
    """
    inputs: dict[str, StoredField] = {}
    states: dict[tuple[Any, ...], StoredField] = {}
    for layer in recipe.relief.layers:
        model = layer.source
        if layer.enabled and isinstance(model, ElevationModel) and model.key not in inputs:
            try:
                state = _state_of(model, resolve)
                found = before.get(state) if before is not None else None
                inputs[model.key] = states[state] = found or read_input(model, resolve)
            except ValueError as error:
                if problems is None:
                    raise
                problems[model.key] = str(error)
    if before is not None:
        before.take(states)
    return inputs


def read_input(model: ElevationModel, resolve: Callable[[str], str] = str) -> StoredField:
    """Read the file of an elevation model.

    Parameters
    ----------
    model : ElevationModel
        Its path may be ``sample:NAME``, which is land that comes with the extension.
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


def find_file(path: str, resolve: Callable[[str], str] = str) -> str:
    """Return where the file lies that a path of a recipe means.

    Raises
    ------
    ValueError
        If none of that name comes with the extension.
    """
    return sample_path(path) if path.startswith(SAMPLE) else resolve(path)


def _state_of(model: ElevationModel, resolve: Callable[[str], str]) -> tuple[Any, ...]:
    """What the heights of a model depend on: how they are read, and when the files were last written."""
    path = Path(find_file(model.path, resolve))
    times = []
    for suffix in (path.suffix, *SIDECARS):
        try:
            times.append((path.parent / f"{path.stem}{suffix}").stat().st_mtime_ns)
        except (OSError, ValueError):
            times.append(0)
    return model.key, path, *times


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
