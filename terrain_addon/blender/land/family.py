"""The objects that belong to a land: each land has water and plants of its own, and they go when it goes."""

from collections.abc import Collection

import bpy

PARTS = ("water", "plants")
"""Members of an object's landscape settings that point to its parts."""

# Session uids of the parts of each land, by that of the land.
_parts: dict[int, tuple[int, ...]] = {}


def lands() -> list[bpy.types.Object]:
    """Return all landscapes of the file that the user did not delete."""
    # A deleted one stays in the file, but in no collection, for as long as its plants point to it.
    return [o for o in bpy.data.objects if o.landscape.is_landscape and o.users_collection]


def is_shared(land: bpy.types.Object) -> bool:
    """Return whether a land points to parts of another one, as a duplicate does."""
    return any(_belongs_elsewhere(land, name) for name in PARTS)


def remember(land: bpy.types.Object) -> None:
    """Remember which parts belong to a land, for the time when it is gone."""
    parts = (getattr(land.landscape, name) for name in PARTS)
    _parts[land.session_uid] = tuple(part.session_uid for part in parts if part is not None)


def claim(land: bpy.types.Object) -> None:
    """Give a duplicated land parts of its own, show parts that are nowhere to be seen, and remember them all.

    An appended land brings its parts along, but Blender puts them into no collection.  What belongs to another file,
    or overrides what does, stays as it is there.
    """
    if not land.is_editable or land.override_library is not None:
        return
    for name in PARTS:
        part = getattr(land.landscape, name)
        if part is None:
            continue
        if _belongs_elsewhere(land, name):
            part = part.copy()
            part.data = part.data.copy()
            part.parent = land
            part.matrix_parent_inverse.identity()
            setattr(land.landscape, name, part)
        if not part.users_collection:
            for collection in land.users_collection:
                if collection.is_editable:
                    collection.objects.link(part)
    remember(land)


def bury(left: Collection[int]) -> None:
    """Remove the parts of lands that are gone, and what Blender kept of the lands because their parts point to them.

    Parameters
    ----------
    left : collection of int
        Session uids of the lands that are still there.
    """
    gone = {uid for uid in _parts if uid not in left}
    orphans = {part for uid in gone for part in _parts.pop(uid)}
    kept = {getattr(land.landscape, name) for land in lands() for name in PARTS}
    for part in [o for o in bpy.data.objects if o.session_uid in orphans and o not in kept]:
        _remove(part)
    for land in [o for o in bpy.data.objects if o.session_uid in gone and o.users == 0]:
        _remove(land)


def _remove(thing: bpy.types.Object) -> None:
    data = thing.data
    bpy.data.objects.remove(thing)
    if isinstance(data, bpy.types.Mesh) and data.users == 0:
        bpy.data.meshes.remove(data)


def forget() -> None:
    """Forget which parts belong to which land."""
    _parts.clear()


def _belongs_elsewhere(land: bpy.types.Object, name: str) -> bool:
    part = getattr(land.landscape, name)
    if part is None or part.parent == land:
        return False
    return any(getattr(other.landscape, name) == part for other in lands() if other != land)
