"""New lands that are shown before they are complete; undo and redo go past the incomplete state."""

import bpy

from ..land.lookup import find_object, lands

# Custom property of an incomplete land: its own session uid, so that copies of it are not incomplete too.
_GROWING = "landscape_growing"


def begin_growth(uid: int) -> None:
    """Mark the land with this session uid as incomplete."""
    land = find_object(uid)
    if land is not None:
        land[_GROWING] = uid


def end_growth(uid: int) -> None:
    """Mark the land with this session uid as complete, or as complete as it will be."""
    land = find_object(uid)
    if land is not None:
        land.pop(_GROWING, None)


def is_growing(land: bpy.types.Object) -> bool:
    """Return whether a land is incomplete."""
    return bool(land.get(_GROWING) == land.session_uid)


def end_all_growth() -> None:
    """Mark all lands of a file that was just opened as complete."""
    for land in lands():
        if land.is_editable:
            land.pop(_GROWING, None)
