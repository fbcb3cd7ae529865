"""``python -m terrain_addon``: the command line without Blender's program; with the bpy module it renders too."""

import os
import sys

from .command_line import main

status = main(sys.argv[1:], "python -m terrain_addon")
sys.stdout.flush()
sys.stderr.flush()
# Leaves without Python's own ending, in which some versions of Blender as a module crash or hang.
os._exit(status)
