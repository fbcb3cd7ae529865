"""Where objects are, and whether they are still where we put them."""

import bpy
import numpy as np
from mathutils import Matrix

# Custom property of what we placed: its place.  What users moved since then is left alone.
_PLACED_KEY = "landscape_placed"


def placement_of(thing: bpy.types.Object) -> Matrix:
    """Return where an object is in the world, also right after it was moved."""
    # The world matrix is up to date only after the next evaluation.
    return thing.matrix_world if thing.parent is not None else thing.matrix_basis


def unscaled_placement_of(thing: bpy.types.Object) -> Matrix:
    """Return where an object is and how it is turned, without its scale."""
    place, turn, _ = placement_of(thing).decompose()
    return Matrix.LocRotScale(place, turn, None)


def check_place(thing: bpy.types.Object) -> None:
    """Refuse an object whose place, turn or scale is not a number.

    Raises
    ------
    ValueError
        Naming the object.
    """
    if not np.isfinite(np.array(placement_of(thing))).all():
        raise ValueError(
            f"the location, rotation or scale of {thing.name} is not a finite number; set it in the sidebar"
        )


def check_extent(thing: bpy.types.Object) -> None:
    """Refuse an object that is scaled to nothing: all places of the world would be one of it.

    Raises
    ------
    ValueError
        If a scale of the object is 0.
    """
    if 0.0 in tuple(placement_of(thing).to_scale()):
        raise ValueError(f"{thing.name} is scaled to nothing: its scale is {tuple(thing.scale)!r}; set it to 1 first")


def put(thing: bpy.types.Object, where: Matrix) -> None:
    """Place an object, and remember that it was placed there by us."""
    thing.matrix_world = where
    thing[_PLACED_KEY] = _numbers(thing)


def is_where_we_put_it(thing: bpy.types.Object) -> bool:
    """Return whether `put` placed an object and nobody has moved it since."""
    placed = thing.get(_PLACED_KEY)
    return placed is not None and list(placed) == _numbers(thing)


def was_put(thing: bpy.types.Object) -> bool:
    """Return whether `put` placed an object, wherever it is now."""
    return _PLACED_KEY in thing


def _numbers(thing: bpy.types.Object) -> list[float]:
    """Return place and turn as numbers that can be compared."""
    return [*thing.location, *thing.rotation_euler]
