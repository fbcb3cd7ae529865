"""The water and the plants of a land: each land has its own, and they are removed when the land is deleted."""

from collections.abc import Collection

import bpy

from .lookup import lands

ATTACHMENTS = ("water", "plants")
"""Members of an object's landscape settings that point to the objects that belong to it."""

# Session uids of the attachments of each land, by the session uid of the land.
_remembered: dict[int, tuple[int, ...]] = {}


def shares_attachments(land: bpy.types.Object) -> bool:
    """Return whether a land points to attachments of another land, as a fresh duplicate does."""
    return any(_belongs_to_another(land, name) for name in ATTACHMENTS)


def remember_attachments(land: bpy.types.Object) -> None:
    """Remember which attachments a land has, so that they can be removed after the land was deleted."""
    attachments = (getattr(land.landscape, name) for name in ATTACHMENTS)
    _remembered[land.session_uid] = tuple(one.session_uid for one in attachments if one is not None)


def own_attachments(land: bpy.types.Object) -> None:
    """Give a duplicated land its own attachments, link those that are in no collection, and remember them all.

    An appended land brings its attachments along, but Blender puts them into no collection.  Lands of other files, and
    library overrides of them, stay as they are.
    """
    if not land.is_editable or land.override_library is not None:
        return
    for name in ATTACHMENTS:
        attachment = getattr(land.landscape, name)
        if attachment is None:
            continue
        if _belongs_to_another(land, name):
            attachment = attachment.copy()
            attachment.data = attachment.data.copy()
            attachment.parent = land
            attachment.matrix_parent_inverse.identity()
            setattr(land.landscape, name, attachment)
        if not attachment.users_collection:
            for collection in land.users_collection:
                if collection.is_editable:
                    collection.objects.link(attachment)
    remember_attachments(land)


def remove_attachments_of_deleted(present: Collection[int]) -> None:
    """Remove the attachments of deleted lands, and the deleted lands that Blender kept because attachments use them.

    Parameters
    ----------
    present : collection of int
        Session uids of the lands that still exist.
    """
    deleted = {uid for uid in _remembered if uid not in present}
    orphans = {attachment for uid in deleted for attachment in _remembered.pop(uid)}
    used = {getattr(land.landscape, name) for land in lands() for name in ATTACHMENTS}
    for attachment in [o for o in bpy.data.objects if o.session_uid in orphans and o not in used]:
        _remove(attachment)
    for land in [o for o in bpy.data.objects if o.session_uid in deleted and o.users == 0]:
        _remove(land)


def forget_attachments() -> None:
    """Forget which attachments each land has."""
    _remembered.clear()


def _remove(item: bpy.types.Object) -> None:
    """Remove an object, and its mesh if nothing else uses it."""
    data = item.data
    bpy.data.objects.remove(item)
    if isinstance(data, bpy.types.Mesh) and data.users == 0:
        bpy.data.meshes.remove(data)


def _belongs_to_another(land: bpy.types.Object, name: str) -> bool:
    """Whether another land points to the same attachment, and the attachment is no child of this land."""
    attachment = getattr(land.landscape, name)
    if attachment is None or attachment.parent == land:
        return False
    return any(getattr(other.landscape, name) == attachment for other in lands() if other != land)
