"""Where the extension keeps its own files."""

import bpy

_PACKAGE = __package__.rpartition(".blender.")[0]


def cache_folder() -> str:
    """Return the folder for compiled kernels.

    An installed extension must not write into the folder of its code; Blender gives it another one for such files.  A
    package that Blender does not know as an extension, as in tests, gets a folder beside that.
    """
    try:
        return bpy.utils.extension_path_user(_PACKAGE, path="kernels")
    except ValueError:
        return bpy.utils.user_resource("DATAFILES", path=f"{_PACKAGE}/kernels")
