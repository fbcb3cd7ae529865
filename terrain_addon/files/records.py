"""A record of what was written to a folder, so that a batch that was stopped can continue.

The record says for each run what was asked, which files it read and which it wrote, with a digest of each file.  A run
is complete if all of this is still true.  A record that cannot be read counts as none.
"""

import hashlib
import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .staging import files_below, finish_interrupted, is_inside

RECORD = "landscape_record.json"
"""Name of the file with the record."""

RECIPE = "recipe.json"
"""Name of the file with the recipe, which every run writes."""

_VERSION = 1
_LONGEST_RECORD = 1 << 26


class Run(NamedTuple):
    """What one run was asked for, read and wrote.

    Attributes
    ----------
    asked : Mapping
        The command with its options, and the recipe, as JSON.
    inputs : Mapping of str to str
        SHA-256 by path of the files that were read.
    outputs : Mapping of str to str
        SHA-256 of the files that were written, by path inside the folder with ``/`` between names.
    """

    asked: Mapping[str, Any]
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]


def is_complete(folder: Path, asked: Mapping[str, Any], inputs: Mapping[str, str]) -> bool:
    """Return whether a run was asked for the same, read the same files, and all that it wrote is still there.

    Parameters
    ----------
    folder : Path
        Where the run wrote; files of an interrupted run are cleared away first.
    asked : Mapping
        What is asked for, as JSON.
    inputs : Mapping of str to str
        SHA-256 by path of the files that will be read.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If files of an interrupted run cannot be moved.
    """
    try:
        finish_interrupted(folder)
    except OSError as error:
        raise ValueError(f"cannot write to {folder}: {error.strerror or error}") from error
    run = next((run for run in _read(folder) if run.asked == asked and run.inputs == inputs), None)
    return run is not None and all(
        is_inside(name) and digest_of_file(folder / name) == digest for name, digest in run.outputs.items()
    )


def add_record(part: Path, folder: Path, asked: Mapping[str, Any], inputs: Mapping[str, str]) -> list[str]:
    """Write a record of the files that are about to move to a folder; earlier runs stay in it if their files do.

    Parameters
    ----------
    part : Path
        What `write_together` gave, with all files of the run.
    folder : Path
        Where these files will be.
    asked : Mapping
        What was asked for, as JSON.
    inputs : Mapping of str to str
        SHA-256 by path of the files that were read.

    Returns
    -------
    list of str
        Files of the folder that are obsolete, for `write_together`: an earlier run wrote them of another land beside
        files that this run writes, and they have not been changed since.
    """
    own = Run(asked, inputs, {name: str(digest_of_file(part / name)) for name in files_below(part)})
    before = _read(folder)
    others = [run for run in before if not _is_replaced(run, asked, own.outputs)]
    runs = [run._asdict() for run in (*others, own)]
    text = json.dumps({"format": "landscape record", "format_version": _VERSION, "runs": runs}, indent=1)
    (part / RECORD).write_text(text + "\n", encoding="utf-8")
    return [
        name
        for run in before
        if _is_of_another_land(run, own)
        for name in run.outputs.keys() - own.outputs.keys()
        if is_inside(name) and digest_of_file(folder / name) == run.outputs[name]
    ]


def digest_of_file(path: Path) -> str | None:
    """Return the SHA-256 of a file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str or None
        64 hexadecimal digits; None if this is no plain file that can be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return None


def _is_replaced(run: Run, asked: Mapping[str, Any], outputs: Mapping[str, str]) -> bool:
    """Return whether another run was asked for the same, or writes other content to a file of this run."""
    same = run.outputs.keys() & outputs.keys()
    return run.asked == asked or any(run.outputs[name] != outputs[name] for name in same)


def _is_of_another_land(run: Run, own: Run) -> bool:
    """Return whether a run wrote files of the same names, not only its recipe, but of another land."""
    same_land = run.asked.get("recipe") == own.asked["recipe"] and run.inputs == own.inputs
    return not same_land and len((run.outputs.keys() & own.outputs.keys()) - {RECIPE}) > 0


def _read(folder: Path) -> list[Run]:
    """Return all runs that the record of a folder tells of; none if it is damaged."""
    try:
        with (folder / RECORD).open("rb") as file:
            data = json.loads(file.read(_LONGEST_RECORD))
        if data["format_version"] != _VERSION:
            return []
        runs = [Run(dict(run["asked"]), dict(run["inputs"]), dict(run["outputs"])) for run in data["runs"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [run for run in runs if run.outputs]
