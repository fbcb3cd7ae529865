"""Operators without Blender around them, for tests of what they do at an event: only Blender can make real ones."""

from typing import Any

import bpy


def plain(cls: type[bpy.types.Operator], **members: Any) -> Any:
    """Return an object with the methods of an operator and these members.

    Parameters
    ----------
    cls : type of Operator
    **members
        Its properties, what Blender gives it, and what its own methods have stored in it.
    """
    methods = {name: member for name, member in vars(cls).items() if callable(member) or name.startswith("bl_")}
    made = type(cls.__name__, (), methods)()
    vars(made).update(members)
    return made
