"""What all operators share: check, compute, change the scene last, report one sentence.

`InstantOperator` does its work at once.  `TaskOperator` computes in a thread while the window stays usable.
`FileOperator` asks for a file first.
"""

import sys
from pathlib import Path

import bpy

from ...core.foundation.error_text import error_sentence
from ...core.foundation.progress import Progress, text_bar
from ..data.sentences import WarningText, panel_sentence
from ..land.lookup import DeletedError, active_land, why_no_land
from ..land.preparation import Preparation, no_pieces
from ..look.placement import check_place
from ..session.jobs import FAILURES, Job, Task, discard_jobs_of, running
from ..session.redrawing import redraw_sidebars, show_progress

_TICK = 0.05  # seconds between two checks of a job


class InstantOperator(bpy.types.Operator):
    """Base of operators that do their work at once: `perform` does it and returns the sentence to report."""

    bl_options = {"REGISTER", "UNDO"}

    def perform(self, context: bpy.types.Context) -> str:
        """Do the work; return the sentence to report, or empty for none.

        Raises
        ------
        FAILURES
            If it cannot be done; then nothing was changed.
        """
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do the work and report it, or report why it cannot be done."""
        try:
            sentence = self.perform(context)
        except FAILURES as error:
            return refuse(self, error)
        if sentence:
            tell(self, sentence)
        return {"FINISHED"}


class InstantLandOperator(InstantOperator):
    """Base of operators that do something to the active land at once."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a land that can be changed."""
        return can_run(cls, why_no_land(context))

    def perform(self, context: bpy.types.Context) -> str:
        """Find the land and work on it."""
        return self.perform_on(context, require_land(context))

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Do the work on a land; see `perform`."""
        raise NotImplementedError


class InstantFileOperator(InstantLandOperator):
    """Base of operators that read or write a file of the active land at once."""

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class TaskOperator(bpy.types.Operator):
    """Base of operators that compute for long: `prepare` returns the task.

    From a button the task runs in a thread below a progress bar, and Esc cancels it.  From a script it runs at once.
    """

    bl_options = {"REGISTER", "UNDO"}

    def prepare(self, context: bpy.types.Context) -> Task:
        """Check everything and return the task; nothing is changed yet.

        Raises
        ------
        FAILURES
            If it cannot be done.
        """
        raise NotImplementedError

    def preparation(self) -> Preparation:
        """Return what the main thread can make while the task runs."""
        return Preparation(no_pieces())

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run the task at once."""
        try:
            sentence = self.prepare(context).run(_show_text_bar if bpy.app.background and sys.stderr.isatty() else None)
        except FAILURES as error:
            return refuse(self, error)
        tell(self, sentence)
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Run the task in a thread."""
        return self.begin(context)

    def begin(self, context: bpy.types.Context) -> set[str]:
        """Run the task in a thread and watch it; without a window, run it at once."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        try:
            task = self.prepare(context)
        except FAILURES as error:
            return refuse(self, error)
        self.watch(context, task)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Check the job at each timer event; all other events except Esc are passed on."""
        if event.type == "ESC" and event.value == "PRESS":
            self._job.cancel()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        show_progress()
        if self._job not in running:
            # A newer job for the same land replaced this one, or another file was opened.
            self._preparation.undo()
            self._leave(context)
            return {"CANCELLED"}
        if not self._job.cancelled and self._preparation.step():
            if self._job.done:
                self._job.say("making materials and meshes")
            return {"PASS_THROUGH"}
        if not self._job.ready:
            return {"PASS_THROUGH"}
        return self.finish(context)

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop when Blender ends the operator: another file is opened, or the window closes."""
        if hasattr(self, "_job"):  # nothing runs while a file is chosen
            self._job.discard()
            self._leave(context)

    def watch(self, context: bpy.types.Context, task: Task) -> None:
        """Start a task in a thread, instead of what is being computed for the same land."""
        discard_jobs_of(task.land)
        self._job, self._preparation = Job(task), self.preparation()
        self._timer = context.window_manager.event_timer_add(_TICK, window=context.window)
        context.workspace.status_text_set("Esc: cancel, and leave the scene as it is")

    def finish(self, context: bpy.types.Context) -> set[str]:
        """Show the result of the job, and report it."""
        self._leave(context)
        try:
            sentence = self._job.show()
        except DeletedError as error:
            self._preparation.undo()
            # Whoever deleted the land or took it back knows it, so this is no fault.
            self.report({"INFO"}, panel_sentence(error_sentence(error)))
            return {"CANCELLED"}
        except FAILURES as error:
            self._preparation.undo()
            return refuse(self, error)
        if self._job.cancelled:
            self._preparation.undo()
            self.report({"INFO"}, self.what_stays())
            return {"CANCELLED"}
        tell(self, sentence)
        redraw_sidebars()
        return {"FINISHED"}

    def what_stays(self) -> str:
        """Return the sentence to report after the user has cancelled the job."""
        return "Cancelled; nothing was changed"

    def start_again(self, **settings: object) -> None:
        """Start another operator of this class from its invoke, with these settings."""
        # The class has the name in the form landscape.export; an instance has it as LANDSCAPE_OT_export.
        module, name = type(self).bl_idname.split(".")
        getattr(getattr(bpy.ops, module), name)("INVOKE_DEFAULT", **settings)

    def _leave(self, context: bpy.types.Context) -> None:
        """Stop watching the job."""
        context.window_manager.event_timer_remove(self._timer)
        if context.workspace is not None:
            context.workspace.status_text_set(None)


class LandOperator(TaskOperator):
    """Base of operators that compute for the active land."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a land that can be changed."""
        return can_run(cls, why_no_land(context))

    def prepare(self, context: bpy.types.Context) -> Task:
        """Find the land and return the task for it."""
        return self.prepare_for(require_land(context))

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Check everything and return the task for a land; see `prepare`."""
        raise NotImplementedError


class FileOperator(TaskOperator):
    """Base of operators that ask for a file or folder first; comes before `LandOperator` among the bases."""

    asked: bpy.props.BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask, unless that was done."""
        if self.asked:
            return self.begin(context)
        self._was_invoked = True
        return self.ask(context)

    def ask(self, context: bpy.types.Context) -> set[str]:
        """Open the file browser."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run the task at once; after the file browser, start again in a thread."""
        if not getattr(self, "_was_invoked", False):
            return super().execute(context)
        # Blender frees an operator when its file browser closes, so another one has to watch the job.
        settings = self.as_keywords(ignore=("filter_glob", "filter_folder", "check_existing", "asked"))
        self.start_again(asked=True, **settings)
        return {"FINISHED"}


def can_run(operator: type[bpy.types.Operator], reason: str) -> bool:
    """Return whether an operator can run, for its poll; tell Blender the reason why not."""
    if reason:
        operator.poll_message_set(reason)
    return not reason


def tell(operator: bpy.types.Operator, sentence: str) -> None:
    """Report what was done, as a warning if the sentence is one."""
    if isinstance(sentence, WarningText):
        operator.report({"WARNING"}, panel_sentence(sentence))
    else:
        operator.report({"INFO"}, sentence)


def refuse(operator: bpy.types.Operator, error: Exception) -> set[str]:
    """Report an error in one sentence; return what a cancelled operator returns."""
    operator.report({"ERROR"}, panel_sentence(error_sentence(error)))
    return {"CANCELLED"}


def require_land(context: bpy.types.Context) -> bpy.types.Object:
    """Return the land to work on.

    Raises
    ------
    ValueError
        If there is none, or its place is not a number.
    """
    land = active_land(context)
    if land is None:
        raise ValueError("select a land first")
    check_place(land)
    return land


def absolute_path(path: str) -> str:
    """Return a path of Blender as a path of the system.

    Raises
    ------
    ValueError
        If it is empty, or relative to a .blend file that was never saved.
    """
    if not path:
        raise ValueError("no file or folder is chosen")
    if path.startswith("//") and not bpy.data.filepath:
        raise ValueError(f"{path} is relative to the .blend file; save the file first or choose another folder")
    return bpy.path.abspath(path)


def path_to_write(path: str) -> str:
    """Return a path of Blender to which a file will be written as a path of the system.

    Raises
    ------
    ValueError
        As `absolute_path`, or if it is the path of a folder.
    """
    absolute = absolute_path(path)
    if Path(absolute).is_dir() or absolute.endswith(("/", "\\")):
        raise ValueError(f"cannot write {absolute}: it is a folder; add the name of a file")
    return absolute


def _show_text_bar(progress: Progress) -> None:
    """Write a progress bar to the terminal."""
    sys.stderr.write(f"\r{text_bar(progress.fraction)} {progress.stage:40.40}")
    sys.stderr.flush()
