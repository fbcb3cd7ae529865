"""Where the extension keeps its own files."""

import bpy

_PACKAGE = __package__.rpartition(".blender.")[0]


def cache_folder() -> str:
    """Return the folder for compiled kernels."""
    return _folder("kernels")


def asset_folder() -> str:
    """Return the folder for the library of assets, made where it is missing."""
    return _folder("assets", create=True)


def _folder(name: str, *, create: bool = False) -> str:
    """Return a folder for files of the extension.

    An installed extension must not write into the folder of its code; Blender gives it another one for such files.  A
    package that Blender does not know as an extension, as in tests, gets a folder beside that.
    """
    try:
        return bpy.utils.extension_path_user(_PACKAGE, path=name, create=create)
    except ValueError:
        return bpy.utils.user_resource("DATAFILES", path=f"{_PACKAGE}/{name}", create=create)
