"""JSON files with a checksum in them, so that a changed value shows."""

import json
import zlib
from pathlib import Path
from typing import Any

from ..files.reading import read_short_text

LONGEST_JSON = 1 << 28
"""Bytes that a file of JSON of a world has at most."""

_CHECKSUM = "crc32"


def write_json(file: Path, content: Any) -> None:
    """Write a file of JSON, all at once.

    Parameters
    ----------
    file : Path
        To write; its folder is made if it is missing.
    content : object
        A dict gets a checksum.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}")
    part.write_bytes(json_bytes(content))
    part.replace(file)


def json_bytes(content: Any) -> bytes:
    """Return what `write_json` writes.

    Parameters
    ----------
    content : object
        As for `write_json`.

    Returns
    -------
    bytes
    """
    if isinstance(content, dict):
        content = {**content, _CHECKSUM: _checksum_of(content)}
    return json.dumps(content, indent=1, ensure_ascii=False).encode()


def read_json(file: Path) -> dict[str, Any]:
    """Read a dict that `write_json` wrote.

    Parameters
    ----------
    file : Path
        To read.

    Returns
    -------
    dict
        Without the checksum.

    Raises
    ------
    ValueError
        If it is not there, is no JSON, or its checksum is wrong.
    """
    try:
        content: dict[str, Any] = json.loads(read_short_text(file, LONGEST_JSON))
        if content.pop(_CHECKSUM) == _checksum_of(content):
            return content
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is damaged ({error})") from error
    raise ValueError(f"{file} is damaged (its checksum is wrong)")


def _checksum_of(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True)
    return f"{zlib.crc32(text.encode()):08x}"
