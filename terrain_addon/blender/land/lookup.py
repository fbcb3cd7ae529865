"""Finding lands in the open file, and the reasons why a land cannot be changed."""

from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Vector

_SEAM = 0.05  # of their size that two lands may share and still lie beside each other

# Session uid of the land that was active last; 0 for none.
_last = 0


class DeletedError(ValueError):
    """The object that a job worked for was deleted by the user, or taken back."""


def lands() -> list[bpy.types.Object]:
    """Return all lands of the file that the user did not delete."""
    # A deleted land stays in the file, in no collection, as long as its plants point to it.
    return [o for o in bpy.data.objects if o.landscape.is_landscape and o.users_collection]


def linked_duplicates(land: bpy.types.Object) -> list[bpy.types.Object]:
    """Return the other lands that use the mesh of a land and can be changed."""
    if land.data is None or land.data.users < 2:
        return []
    return [other for other in lands() if other != land and other.data == land.data and other.is_editable]


def land_at_same_place(land: bpy.types.Object) -> bpy.types.Object | None:
    """Return another land in view that covers some of the ground of a land, seen from above; None if there is none."""
    for other in lands():
        if other != land and other.visible_get() and all(map(_overlap, *map(_outline_of, (land, other)))):
            return other
    return None


def _outline_of(land: bpy.types.Object) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where a land lies, from west to east and from south to north, in metres of the world."""
    recipe = land.landscape.recipe
    place = land.matrix_world if land.parent is not None else land.matrix_basis
    half = [0.5 * recipe.width, 0.5 * recipe.depth]
    corners = [place @ Vector((east * half[0], north * half[1], 0.0)) for east in (-1, 1) for north in (-1, 1)]
    xs, ys = ([corner[axis] for corner in corners] for axis in (0, 1))
    return (min(xs), max(xs)), (min(ys), max(ys))


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether two spans share more than a seam: neighbouring tiles share a row of cells at most."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared > _SEAM * min(one[1] - one[0], other[1] - other[0])


def find_object(uid: int) -> bpy.types.Object | None:
    """Return the object with this session uid, or None if it is gone.

    Pointers to objects do not survive an undo, session uids do.
    """
    return next((o for o in bpy.data.objects if o.session_uid == uid), None)


def require_object(uid: int, name: str) -> bpy.types.Object:
    """Return the object with this session uid, which had this name.

    Raises
    ------
    DeletedError
        If it is gone.
    """
    found = find_object(uid)
    if found is None:
        raise DeletedError(f"{name} was deleted meanwhile; nothing was changed")
    return found


def land_of_feature(drawn: bpy.types.Object) -> bpy.types.Object | None:
    """Return the land that an object is drawn on; None if it is no feature, or its land was deleted."""
    land: bpy.types.Object | None = drawn.landscape_feature.land
    return land if land is not None and land.users_collection else None


def active_land(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the land to work on: the active object, or the land whose water, plants or features are active.

    While something else is active that is neither a mesh nor a planet, such as a camera or a lamp, it is the land that
    was active last in this view layer.
    """
    global _last
    active = context.active_object
    found = _land_of(active) if active is not None else None
    if found is not None:
        _last = found.session_uid
        return found
    if active is not None and (active.type == "MESH" or active.mode != "OBJECT"):
        return None
    last = find_object(_last) if _last else None
    is_there = last is not None and last.landscape.is_landscape and last.name in context.view_layer.objects
    return last if is_there else None


def forget_last_land() -> None:
    """Forget which land was active last, before another file is opened."""
    global _last
    _last = 0


def _land_of(active: bpy.types.Object) -> bpy.types.Object | None:
    """The land that is an object, or that it is a part of."""
    if active.landscape.is_landscape:
        return active
    drawn_on, parent = land_of_feature(active), active.parent
    if drawn_on is not None:
        return drawn_on
    return parent if parent is not None and parent.landscape.is_landscape and parent.users_collection else None


def why_no_land(context: bpy.types.Context) -> str:
    """Return why there is no land to work on; empty if there is one."""
    land = active_land(context)
    return "Select a land first" if land is None else why_not_editable(land)


def why_no_settings(context: bpy.types.Context) -> str:
    """Return why there is no land whose settings can be changed; empty if there is one, in any mode."""
    land = active_land(context)
    return "Select a land first" if land is None else why_settings_are_locked(land)


def why_not_editable(land: bpy.types.Object) -> str:
    """Return why a land cannot be changed; empty if it can."""
    return why_settings_are_locked(land) or (f"Leave {mode_name(land)} first" if land.mode != "OBJECT" else "")


def why_settings_are_locked(land: bpy.types.Object) -> str:
    """Return why even the settings of a land cannot be changed; empty if they can, in any mode."""
    if land.type != "MESH":
        return f"{land.name} is no longer a mesh"
    if not land.is_editable or not land.data.is_editable:
        return f"{land.name} is linked from another file"
    return ""


def mode_name(land: bpy.types.Object) -> str:
    """Return what Blender calls the mode that an object is in, such as Sculpt Mode."""
    modes: Any = land.bl_rna.properties["mode"]
    return str(modes.enum_items[land.mode].name)


def check_scene(context: bpy.types.Context) -> None:
    """Check that a new land can be added to the scene.

    Raises
    ------
    ValueError
        If an object is in edit mode, or the active collection is linked from another file.
    """
    if context.mode != "OBJECT":
        raise ValueError(f"leave {mode_name(context.active_object)} first")
    if not context.collection.is_editable:
        name = context.collection.name
        raise ValueError(f"the active collection {name} is linked from another file; choose another in the outliner")


@dataclass(frozen=True)
class LandReference:
    """A land that a job works for; the land may be gone when the job ends.

    Attributes
    ----------
    uid : int
        Session uid of the object.
    name : str
        What it was called when the job began.
    """

    uid: int
    name: str

    @classmethod
    def of(cls, land: bpy.types.Object) -> "LandReference":
        """Return the reference to a land."""
        return cls(land.session_uid, land.name)

    def land(self) -> bpy.types.Object:
        """Return the land.

        Raises
        ------
        DeletedError
            If it was deleted.
        ValueError
            If it can no longer be changed.
        """
        land = require_object(self.uid, self.name)
        reason = why_not_editable(land)
        if reason:
            raise ValueError(reason)
        return land
