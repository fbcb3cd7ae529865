"""What all operators share: prepare, compute without freezing the window, change the scene last, say one sentence."""

import sys

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ...core.foundation.progress import Progress
from ..land.preparation import Preparation, nothing
from ..session.jobs import FAILURES, Job, Task, running
from ..session.live import find_object, redraw_sidebars, show_progress

_TICK = 0.05  # seconds between two looks at a job
_BAR = 24  # characters


class LandscapeOperator(bpy.types.Operator):
    """Base of operators: `prepare` says what to do, as a task.

    From a button the task runs in a thread of its own under a progress bar, and Esc cancels it; from a script it runs
    at once.
    """

    bl_options = {"REGISTER", "UNDO"}

    def prepare(self, context: bpy.types.Context) -> Task:
        """Check everything and return the work to do; nothing is changed yet.

        Raises
        ------
        ValueError
            If it cannot be done.
        """
        raise NotImplementedError

    def preparation(self) -> Preparation:
        """Return what the main thread can make while the work is under way."""
        return Preparation(nothing())

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do the work at once."""
        try:
            sentence = self.prepare(context).run(_text_bar if bpy.app.background and sys.stderr.isatty() else None)
        except FAILURES as error:
            return self._refuse(error)
        self.report({"INFO"}, sentence)
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Start the work in a thread, and watch it."""
        return self.begin(context)

    def begin(self, context: bpy.types.Context) -> set[str]:
        """Start the work in a thread, and watch it; without a window, do it at once."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        try:
            task = self.prepare(context)
        except FAILURES as error:
            return self._refuse(error)
        self._watch(context, task)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Look at the job; everything but Esc goes on to whoever wants it."""
        if event.type == "ESC" and event.value == "PRESS":
            self._job.cancel()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        show_progress()
        if self._job not in running:
            # Another job took over what this one was to change, or a file was loaded.
            self._preparation.undo()
            self._leave(context)
            return {"CANCELLED"}
        if not self._job.cancelled and self._preparation.step():
            return {"PASS_THROUGH"}
        if not self._job.done:
            return {"PASS_THROUGH"}
        return self._finish(context)

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop when Blender takes the operator away: a file is loaded, or the window closes."""
        self._job.discard()
        self._leave(context)

    def _watch(self, context: bpy.types.Context, task: Task) -> None:
        """Start a task in a thread, in place of what is being computed for the same land."""
        for job in tuple(running):
            if task.land != 0 and job.task.land == task.land:
                job.discard()
        self._job, self._preparation = Job(task), self.preparation()
        self._timer = context.window_manager.event_timer_add(_TICK, window=context.window)
        context.workspace.status_text_set(rpt_("Esc: cancel, and leave the scene as it is"))

    def _finish(self, context: bpy.types.Context) -> set[str]:
        self._leave(context)
        try:
            sentence = self._job.show()
        except FAILURES as error:
            return self._refuse(error)
        if self._job.cancelled:
            self._preparation.undo()
            self.report({"INFO"}, rpt_("Cancelled; nothing was changed"))
            return {"CANCELLED"}
        self.report({"INFO"}, sentence)
        redraw_sidebars()
        return {"FINISHED"}

    def _leave(self, context: bpy.types.Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        if context.workspace is not None:
            context.workspace.status_text_set(None)

    def _refuse(self, error: Exception) -> set[str]:
        if isinstance(error, MemoryError):
            self.report({"ERROR"}, rpt_("There is not enough memory; lower the resolution"))
        else:
            self.report({"ERROR"}, _sentence(error))
        return {"CANCELLED"}


class LandOperator(LandscapeOperator):
    """Base of operators that work on the active landscape."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a landscape that can be worked on."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def prepare(self, context: bpy.types.Context) -> Task:
        """Find the landscape and say what to do with it."""
        land = active_land(context)
        if land is None:
            raise ValueError("select a landscape first")
        return self.prepare_for(land)

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Check everything and return the work to do on a landscape; see `prepare`."""
        raise NotImplementedError


class FileOperator(LandscapeOperator):
    """Base of operators that ask for a file or folder before they start; comes before `LandOperator` among bases."""

    asked: bpy.props.BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask, unless that has been done."""
        if self.asked:
            return self.begin(context)
        self._was_invoked = True
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do the work at once; after the file browser, start it anew in a thread."""
        if not getattr(self, "_was_invoked", False):
            return super().execute(context)
        # Blender frees an operator when its file browser closes, so another one has to watch the job.  Asked of the
        # class, because an instance gives its name in another form: LANDSCAPE_OT_export.
        module, name = type(self).bl_idname.split(".")
        settings = self.as_keywords(ignore=("filter_glob", "filter_folder", "check_existing", "asked"))
        getattr(getattr(bpy.ops, module), name)("INVOKE_DEFAULT", asked=True, **settings)
        return {"FINISHED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop; before the file is chosen there is nothing to stop."""
        if self.asked:
            super().cancel(context)


def active_land(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the landscape in question: the active object, or the land whose plants or water it carries."""
    active = context.active_object
    if active is None:
        return None
    if active.landscape.is_landscape:
        return active
    parent = active.parent
    return parent if parent is not None and parent.landscape.is_landscape else None


def why_not(context: bpy.types.Context) -> str:
    """Return why there is no landscape to work on, empty if there is one."""
    land = active_land(context)
    if land is None:
        return rpt_("Select a landscape first")
    return why_not_on(land)


def why_not_on(land: bpy.types.Object) -> str:
    """Return why a landscape cannot be worked on, empty if it can."""
    if land.type != "MESH":
        return rpt_("{name} is no longer a mesh").format(name=land.name)
    if land.mode != "OBJECT":
        return rpt_("Leave edit mode first")
    if not land.is_editable or not land.data.is_editable:
        return rpt_("{name} is linked from another file").format(name=land.name)
    return ""


def still_there(uid: int, name: str) -> bpy.types.Object:
    """Return the object with this session uid; pointers to it do not survive an undo.

    Raises
    ------
    ValueError
        If it was deleted meanwhile, or can no longer be worked on.
    """
    land = find_object(uid)
    if land is None:
        raise ValueError(rpt_("{name} was deleted meanwhile; nothing was changed").format(name=name))
    reason = why_not_on(land)
    if reason:
        raise ValueError(reason)
    return land


def absolute_path(path: str) -> str:
    """Return a path of Blender as one of the system.

    Raises
    ------
    ValueError
        If it is relative to a .blend file that was never saved.
    """
    if path.startswith("//") and not bpy.data.filepath:
        sentence = rpt_("{path} is relative to the .blend file; save the file first or choose another folder")
        raise ValueError(sentence.format(path=path))
    return bpy.path.abspath(path)


def _sentence(error: Exception) -> str:
    text = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
    return text[:1].upper() + text[1:]


def _text_bar(progress: Progress) -> None:
    filled = round(_BAR * progress.fraction)
    sys.stderr.write(f"\r[{'#' * filled}{'.' * (_BAR - filled)}] {progress.stage:40.40}")
    sys.stderr.flush()
