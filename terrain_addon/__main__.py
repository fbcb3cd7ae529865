"""``python -m terrain_addon``: the command line without Blender's program; with the bpy module it renders too."""

import os
import sys
from typing import Any


def render(*arguments: Any, **options: Any) -> None:
    """Render a landscape with the module bpy; only here does the command line reach Blender.

    Raises
    ------
    ValueError
        If bpy is not installed.
    """
    try:
        from .blender.land.rendering import render_landscape
        from .blender.registration import ensure_registered
    except ImportError as error:
        raise ValueError(f"rendering needs Blender, or its module bpy ({error})") from None
    ensure_registered()
    render_landscape(*arguments, **options)


program = "python -m terrain_addon"
try:
    # Takes a second, in which a user may press Ctrl-C as well as later.
    from .command_line import main

    status = main(sys.argv[1:], program, render)
except KeyboardInterrupt:
    print(f"{program}: stopped", file=sys.stderr)
    status = 130
sys.stdout.flush()
sys.stderr.flush()
# Leaves without Python's own ending, in which some versions of Blender as a module crash or hang.
os._exit(status)
