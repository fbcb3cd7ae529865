"""The preferences of the extension, and where it keeps its own files."""

import time
from pathlib import Path

import bpy

from ...core.foundation.compilation import cache_root, processors, set_cache_folder, set_thread_count
from ...core.foundation.kernel_files import kept_bytes
from ...core.foundation.memory import set_memory_limit

_PACKAGE = __package__.rpartition(".blender.")[0]
_MIB, _GIB = 2**20, 2**30
_MEASURED_EVERY = 2.0  # seconds
_measured: tuple[Path, float, float] | None = None
"""A folder, when its compiled code was measured, and its size in MiB."""

FIRST_SHOWN, AT_START, WHEN_NEEDED = "FIRST_SHOWN", "AT_START", "WHEN_NEEDED"
"""When kernels are compiled ahead."""


def _on_change(settings: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    apply_preferences()


class LandscapePreferences(bpy.types.AddonPreferences):
    """How much of the computer landscapes may use, and where compiled code is kept"""

    bl_idname = _PACKAGE

    threads: bpy.props.IntProperty(
        name="Threads",
        description="How many processors make a landscape at once; 0 for all. The land is the same for any number",
        default=0,
        min=0,
        soft_max=64,
        max=1024,
        update=_on_change,
    )
    memory_limit: bpy.props.FloatProperty(
        name="Memory Limit (GiB)",
        description="Landscapes that need more memory than this are refused before anything is made; 0 for all that is "
        "free",
        default=0.0,
        min=0.0,
        soft_max=64.0,
        max=65536.0,
        precision=1,
        update=_on_change,
    )
    compile_when: bpy.props.EnumProperty(
        name="Compile",
        description="When the code that computes landscapes is compiled: once, and again after an update or on another "
        "processor. It takes one to two minutes on two cores, in processes of its own",
        items=[
            (
                FIRST_SHOWN,
                "When the Panel Is First Shown",
                "In the background, once the sidebar shows this panel",
            ),
            (AT_START, "When Blender Starts", "In the background, a second after Blender has started"),
            (WHEN_NEEDED, "When Needed", "Only when a landscape is made, which then takes longer the first time"),
        ],
        default=FIRST_SHOWN,
    )
    cache_folder: bpy.props.StringProperty(
        name="Folder",
        description="Where compiled code is kept between sessions; empty for the one that Blender gives",
        subtype="DIR_PATH",
        update=_on_change,
    )

    def draw(self, context: bpy.types.Context) -> None:
        """Show the preferences, and how large the compiled code is."""
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "threads")
        layout.prop(self, "memory_limit")
        layout.separator()
        layout.label(text="Compiled Code")
        layout.prop(self, "compile_when")
        layout.prop(self, "cache_folder")
        row = layout.row()
        row.label(text=f"{_kept_mebibytes():.0f} MiB in {cache_root()}")
        row = layout.row()
        row.operator("landscape.compile_now")
        row.operator("landscape.clear_compiled")


def _kept_mebibytes() -> float:
    """How large the compiled code is; measured every few seconds only, because Blender draws very often."""
    global _measured
    now = time.monotonic()
    if _measured is None or _measured[0] != cache_root() or now - _measured[1] > _MEASURED_EVERY:
        _measured = cache_root(), now, kept_bytes(cache_root()) / _MIB
    return _measured[2]


def preferences() -> LandscapePreferences | None:
    """Return the preferences; None where the package is used without being enabled as an extension, as by scripts."""
    addon = bpy.context.preferences.addons.get(_PACKAGE)
    found: LandscapePreferences | None = addon.preferences if addon is not None else None
    return found


def compile_when() -> str:
    """Return when kernels are compiled ahead: one of the constants of this module."""
    found = preferences()
    return FIRST_SHOWN if found is None else str(found.compile_when)


def apply_preferences() -> None:
    """Let the preferences act on what is made from now on."""
    found = preferences()
    if found is None:
        set_cache_folder(_folder("kernels"))
        return
    set_cache_folder(bpy.path.abspath(found.cache_folder) or _folder("kernels"))
    set_thread_count(min(found.threads or processors(), processors()))
    set_memory_limit(int(found.memory_limit * _GIB) if found.memory_limit > 0.0 else None)


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


CLASSES = (LandscapePreferences,)
