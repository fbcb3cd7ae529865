"""Where the extension keeps files of its own."""

import bpy

_PACKAGE = __package__.rpartition(".blender.")[0]


def cache_folder() -> str:
    """Return the folder for compiled kernels.

    Installed extensions have a folder of their own for such files (their code must not be written to); a package that
    Blender does not know as an extension, as in tests, gets one beside it.
    """
    try:
        return bpy.utils.extension_path_user(_PACKAGE, path="kernels")
    except ValueError:
        return bpy.utils.user_resource("DATAFILES", path=f"{_PACKAGE}/kernels")
