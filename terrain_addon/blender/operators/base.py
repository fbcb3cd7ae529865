"""What all operators share: compute first, change the scene last, turn errors into one sentence."""

import bpy

from ...core.compilation import CompilerMissing


class LandscapeOperator(bpy.types.Operator):
    """Base of operators: `perform` does the work and returns the sentence to report."""

    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run `perform`, and report what it says or why it could not."""
        try:
            sentence = self.perform(context)
        except (ValueError, CompilerMissing) as error:
            self.report({"ERROR"}, _sentence(error))
            return {"CANCELLED"}
        except MemoryError:
            self.report({"ERROR"}, "There is not enough memory; lower the resolution")
            return {"CANCELLED"}
        self.report({"INFO"}, sentence)
        return {"FINISHED"}

    def perform(self, context: bpy.types.Context) -> str:
        """Do the work.

        Raises
        ------
        ValueError
            If it cannot be done; nothing was changed then.
        """
        raise NotImplementedError


class LandOperator(LandscapeOperator):
    """Base of operators that work on the active landscape."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a landscape that can be worked on."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def perform(self, context: bpy.types.Context) -> str:
        """Find the landscape and work on it."""
        land = active_land(context)
        if land is None:
            raise ValueError("select a landscape first")
        return self.work_on(land)

    def work_on(self, land: bpy.types.Object) -> str:
        """Do the work on a landscape; return the sentence to report.

        Raises
        ------
        ValueError
            If it cannot be done; nothing was changed then.
        """
        raise NotImplementedError


def active_land(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the landscape in question: the active object, or the land whose plants it carries."""
    active = context.active_object
    if active is None:
        return None
    if active.landscape.is_landscape:
        return active
    parent = active.parent
    return parent if parent is not None and parent.landscape.plants == active else None


def why_not(context: bpy.types.Context) -> str:
    """Return why there is no landscape to work on, empty if there is one."""
    land = active_land(context)
    if land is None:
        return "Select a landscape first"
    if land.type != "MESH":
        return f"{land.name} is no longer a mesh"
    if land.mode != "OBJECT":
        return "Leave edit mode first"
    if not land.is_editable or not land.data.is_editable:
        return f"{land.name} is linked from another file"
    return ""


def absolute_path(path: str) -> str:
    """Return a path of Blender as one of the system.

    Raises
    ------
    ValueError
        If it is relative to a .blend file that was never saved.
    """
    if path.startswith("//") and not bpy.data.filepath:
        raise ValueError(f"{path} is relative to the .blend file; save the file first or choose another folder")
    return bpy.path.abspath(path)


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
