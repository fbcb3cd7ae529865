"""``blender --command landscape …``: our command line inside Blender's own program."""

from typing import Any

import bpy

from ... import command_line
from ..land.rendering import render_landscape

NAME = "landscape"

_registered: Any = None


def register() -> None:
    """Make the command known to Blender."""
    global _registered
    _registered = bpy.utils.register_cli_command(NAME, _run)


def unregister() -> None:
    """Remove the command."""
    global _registered
    if _registered is not None:
        bpy.utils.unregister_cli_command(_registered)
        _registered = None


def _run(arguments: list[str]) -> int:
    return command_line.main(arguments, f"blender --command {NAME}", render_landscape)
