"""The water, snow, roads and plants of a land: each land has its own, and they leave the scene with the land.

So do the sea, clouds and air of a planet.  Nothing is removed here between two steps of undo.  The parts of a deleted
land or planet are unlinked from all collections, so that Blender neither shows nor saves them; an undo links them
again.  `remove_land` is for operators.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import bpy

from .. import compat
from ..plants.near_ground import near_ground_carrier, tell_near_ground
from .lookup import find_object, lands
from .planet_objects import parts_of, planets

ATTACHMENTS = ("water", "roads", "glaciers", "plants", "near_ground", "far_land", "snow")
"""Members of an object's landscape settings that point to the objects that belong to it."""


_NUMBER = re.compile(r"\.\d{3,}$")


@dataclass
class _Known:
    """What is remembered of a land or planet: its name, and the session uids of all parts that it ever had."""

    name: str = ""
    attachments: set[int] = field(default_factory=set)


# What is known of each land and planet, by its session uid.
_remembered: dict[int, _Known] = {}
# Session uids of attachments that were in a collection once: where they are in none, users have taken them out.
_placed: set[int] = set()
# Session uids of attachments that were unlinked here.
_put_away: set[int] = set()


def shares_attachments(land: bpy.types.Object) -> bool:
    """Return whether a land points to attachments of another land, as a fresh duplicate does."""
    return any(_belongs_to_another(land, name) for name in ATTACHMENTS)


def lacks_attachments(land: bpy.types.Object) -> bool:
    """Return whether `own_attachments` has something to do for a land: a duplicate, or one that was just appended."""
    return _may_own(land) and (shares_attachments(land) or any(map(_is_lost, _attachments_of(land))))


def remember_attachments(land: bpy.types.Object) -> None:
    """Remember which attachments a land has, so that they can leave the scene when it is deleted."""
    remember_parts(land, _attachments_of(land))


def remember_parts(owner: bpy.types.Object, parts: Iterable[bpy.types.Object]) -> None:
    """Remember which objects belong to a land or planet, so that they can leave the scene when it is deleted."""
    known = _remembered.setdefault(owner.session_uid, _Known())
    known.name = owner.name
    for attachment in parts:
        known.attachments.add(attachment.session_uid)
        if attachment.session_uid not in _placed and attachment.users_collection:
            _placed.add(attachment.session_uid)


def own_attachments(land: bpy.types.Object) -> None:
    """Give a duplicated land its own attachments, link those that were never in a collection, and remember them all.

    An appended land brings its attachments along, but Blender puts them into no collection.  Lands of other files, and
    library overrides of them, stay as they are.
    """
    if not _may_own(land):
        return
    copied = False
    for name in ATTACHMENTS:
        if _belongs_to_another(land, name):
            attachment = getattr(land.landscape, name).copy()
            attachment.data = attachment.data.copy()
            attachment.parent = land
            attachment.matrix_parent_inverse.identity()
            setattr(land.landscape, name, attachment)
            copied = True
    carrier = near_ground_carrier(land)
    if copied and carrier is not None:
        # A copy still looks at the land that it was copied from.
        tell_near_ground(carrier, land)
    for attachment in filter(_is_lost, _attachments_of(land)):
        _link(attachment, land)
    remember_attachments(land)


def name_attachments(land: bpy.types.Object) -> None:
    """Name the attachments of a renamed land after it, except those that users have renamed themselves."""
    settings = land.landscape
    before = settings.named or land.data.name
    settings.named = before
    if _without_number(before) == _without_number(land.name):
        return
    for attachment in _attachments_of(land):
        for thing in (attachment, attachment.data) if attachment.parent == land else ():
            for old in (before, _without_number(before)):
                if thing.is_editable and thing.name.startswith(f"{old} "):
                    thing.name = f"{land.name} {_without_number(thing.name.removeprefix(f'{old} '))}"
                    break
    settings.named = land.name


def link_attachments(land: bpy.types.Object) -> None:
    """Link all attachments of a land that are in no collection, also those that users have deleted."""
    for attachment in _attachments_of(land):
        if not attachment.users_collection:
            _link(attachment, land)


def put_away_attachments() -> bool:
    """Unlink the parts of deleted lands and planets from all collections; return whether there were any."""
    open_cases = [(uid, known) for uid, known in _remembered.items() if not known.attachments <= _put_away]
    gone = [known for uid, known in open_cases if not _is_present(uid, known)]
    orphans = {uid for known in gone for uid in known.attachments} - _put_away
    if not orphans:
        return False
    used = {attachment.session_uid for land in lands() for attachment in _attachments_of(land)}
    used |= {part.session_uid for planet in planets() for part in parts_of(planet)}
    _put_away.update(orphans - used)
    for attachment in [o for o in bpy.data.objects if o.session_uid in orphans - used]:
        for collection in attachment.users_collection:
            collection.objects.unlink(attachment)
    return True


def look_again() -> None:
    """Forget which attachments were unlinked: an undo may have linked them again."""
    _put_away.clear()


def remove_land(land: bpy.types.Object) -> None:
    """Remove a land with its attachments, and their meshes and materials if nothing else uses them; for operators."""
    objects = [land, *(one for one in _attachments_of(land) if one.parent == land)]
    meshes = {one.data for one in objects if isinstance(one.data, bpy.types.Mesh)}
    materials = {slot.material for slot in land.material_slots if slot.material is not None}
    bpy.data.batch_remove(objects)
    bpy.data.batch_remove([mesh for mesh in meshes if mesh.users == 0])
    bpy.data.batch_remove([material for material in materials if material.users == 0])


def remove_deleted_lands() -> None:
    """Remove lands that were deleted before the file was saved; only when a file is opened, before any step of undo.

    Such a land and its plants point to each other, and what was drawn on it points to it, and so Blender saves them.
    """
    users = compat.users_of_data(key_types={"OBJECT"})
    for land in [o for o in bpy.data.objects if o.landscape.is_landscape and o.library is None]:
        parts = _attachments_of(land)
        drawn = {one for one in bpy.data.objects if one.landscape_feature.land == land}
        others = users.get(land, set()) - {*parts, *drawn, land}
        is_seen = any(one.users_collection or one.use_fake_user for one in (land, *parts))
        if not others and not is_seen:
            remove_land(land)


def remember_opened() -> None:
    """Remember the attachments of a file that was just opened; users have deleted those that are in no collection."""
    for land in lands():
        remember_attachments(land)
        _placed.update(one.session_uid for one in _attachments_of(land))


def forget_attachments() -> None:
    """Forget which attachments each land has."""
    for known in (_remembered, _placed, _put_away):
        known.clear()


def _attachments_of(land: bpy.types.Object) -> list[bpy.types.Object]:
    """The attachments that a land points to."""
    return [one for one in (getattr(land.landscape, name) for name in ATTACHMENTS) if one is not None]


def _without_number(name: str) -> str:
    """A name without the number that Blender adds where there are two."""
    return _NUMBER.sub("", name)


def _may_own(land: bpy.types.Object) -> bool:
    """Whether a land may be given attachments."""
    return land.is_editable and land.override_library is None


def _is_lost(attachment: bpy.types.Object) -> bool:
    """Whether an attachment is in no collection, though no user has taken it out of one."""
    is_free = attachment.session_uid not in _placed or attachment.session_uid in _put_away
    return is_free and not attachment.users_collection


def _is_present(uid: int, known: _Known) -> bool:
    """Whether a land or planet is still in a collection."""
    land = bpy.data.objects.get(known.name)
    if land is None or land.session_uid != uid:
        land = find_object(uid)  # it was renamed, or is gone
    return land is not None and bool(land.users_collection)


def _link(attachment: bpy.types.Object, land: bpy.types.Object) -> None:
    """Link an attachment to the collections of its land."""
    _put_away.discard(attachment.session_uid)
    for collection in land.users_collection:
        if collection.is_editable:
            collection.objects.link(attachment)


def _belongs_to_another(land: bpy.types.Object, name: str) -> bool:
    """Whether another land points to the same attachment, and the attachment is no child of this land."""
    attachment = getattr(land.landscape, name)
    if attachment is None or attachment.parent == land:
        return False
    return any(getattr(other.landscape, name) == attachment for other in lands() if other != land)
