"""Redrawing the sidebars when they have something new to show."""

import bpy

from ..land.lookup import lands
from . import jobs
from .land_states import status_of

_BAR = 100  # steps of a progress bar

_drawn: object = None


def show_progress() -> None:
    """Redraw the sidebars if the progress of a job or the status of a land changed since the last call."""
    global _drawn
    progress = [
        (job.number, job.is_long, jobs.describe(job), round(_BAR * job.progress.fraction)) for job in jobs.running
    ]
    now = (progress, [status_of(land) for land in lands()])
    if now != _drawn:
        _drawn = now
        redraw_sidebars()


def redraw_sidebars() -> None:
    """Redraw the sidebars of all 3D views."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
