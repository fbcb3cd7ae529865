"""Base of the operator that makes a land in two jobs."""

from dataclasses import replace

import bpy

from ...core.building.plan import Extent
from ..land.building import is_compiled, warm
from ..land.lookup import LandReference
from ..land.preparation import Preparation, attachment_pieces, land_pieces
from ..session.growth import begin_growth, end_growth
from ..session.jobs import Task, discard_jobs_of
from ..session.making import NewLand, complete_task, new_land_task
from .base import TaskOperator


class GrowingLandOperator(TaskOperator):
    """Base: `new_land` says what to make; subclasses have a property `stage`.

    In a window the first job makes the land, so that it is seen soon, and the second job adds erosion, water, maps and
    plants.  For Blender both are one operator and one undo step.  From a script there is one job.  When settings are
    adjusted afterwards, a new land replaces the one that was made.
    """

    made: bpy.props.IntProperty(
        name="Made", description="Session uid of the land that was made", options={"HIDDEN", "SKIP_SAVE"}
    )
    replaces: bpy.props.IntProperty(
        name="Replaces",
        description="Session uid of the land that the new one replaces",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    _is_watched = False
    _is_there = False

    def new_land(self) -> NewLand:
        """Return what to make; its extent, first recipe and the land that it replaces are chosen here."""
        raise NotImplementedError

    def begin(self, context: bpy.types.Context) -> set[str]:
        """Make the land in a thread, and complete it after that."""
        self._is_watched = not bpy.app.background and context.window is not None
        return super().begin(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Make it at once; if settings were adjusted afterwards, in a thread, to replace the first land."""
        if not self.options.is_repeat or bpy.app.background or context.window is None:
            return super().execute(context)
        discard_jobs_of(self.made)
        self.start_again(replaces=self.made, **self.as_keywords(ignore=("made", "replaces")))
        # Blender has undone the first land to repeat the operator.  If the operator is cancelled, Blender brings the
        # first land back, so that there is a land until the new one is ready.
        return {"CANCELLED"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Check the job; once the land is there it stays, even if the second job fails."""
        result = super().modal(context, event)
        if not self._is_there or result not in ({"FINISHED"}, {"CANCELLED"}):
            return result
        end_growth(self.made)
        return {"FINISHED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop when Blender ends the operator; a land that is there stays as it is."""
        end_growth(self.made)
        super().cancel(context)

    def preparation(self) -> Preparation:
        """Make the material during the first job, and the meshes of plants during the second."""
        return Preparation(attachment_pieces(self._new.recipe) if self._is_there else land_pieces())

    def prepare(self, context: bpy.types.Context) -> Task:
        """Return the first job."""
        new = self._new = self.new_land()
        if not bpy.app.background:
            warm(new.recipe)
        first = new.recipe
        if self._is_watched and not is_compiled(first, "terrain"):
            # Until all kernels are compiled, show the land before erosion instead of nothing.
            first = first.replace(erosion=())
        extent: Extent = "terrain" if self._is_watched else "plants"
        job = replace(new, extent=extent, first=first, replaces=self.replaces)
        return new_land_task(context, job, self._remember)

    def finish(self, context: bpy.types.Context) -> set[str]:
        """Show the result of a job; after the first one, start the second."""
        result = super().finish(context)
        if result == {"CANCELLED"} or self._is_there or not self._is_watched:
            return result
        self._is_there = True
        begin_growth(self.made)
        # Blender has to know the land at once, or undo could crash it.
        bpy.ops.ed.undo_push(message="Begin Landscape")
        self.watch(context, complete_task(context, LandReference(self.made, self._new.name), self._new.with_scenery))
        return {"RUNNING_MODAL"}

    def what_stays(self) -> str:
        """Return the sentence to report after the user has cancelled one of the jobs."""
        if self._is_there:
            return "Cancelled. The land has no plants yet; press Plant to add them"
        return super().what_stays()

    def _remember(self, land: bpy.types.Object) -> None:
        """Store which land was made."""
        self.made = land.session_uid
