"""Steps of undo for work that no operator does.

Blender's undo keeps a data-block in memory if two steps agree about it.  If it has come to point to a newer data-block
since, that one is freed and Blender crashes.  So timers change data in place and remove nothing; where they make or
link a data-block, they push a step of their own (`own_step`).

Users know nothing of such a step.  When undo or redo leads to a state that waits for one, it goes one step further.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy

from .. import compat

# What the last undo or redo was, until the timer has looked; and whether the timer itself asked for it.
_last = ""
_is_further = False
# Whether a step has to be pushed as soon as Blender does not render.
_is_owed = False
# Lands and planets by session uid, and marks, for which the timer pushed a step of undo when it showed them.
_shown_by_step: set[tuple[int, str]] = set()


def links() -> dict[int, frozenset[int]]:
    """Return which data-blocks there are, and which of them use which, by their session uids."""
    users = compat.users_of_data()
    return {block.session_uid: frozenset(user.session_uid for user in users[block]) for block in users}


@dataclass
class Changes:
    """Whether data-blocks were made or linked."""

    found: bool = False


@contextmanager
def own_step(message: str, *, later: bool = False) -> Iterator[Changes]:
    """Push a step of undo after work outside operators, if it made or linked data-blocks.

    Parameters
    ----------
    message : str
        Name of the step in Blender's list.
    later : bool
        Whether the timer pushes it, because Blender renders.

    Yields
    ------
    Changes
        Known when the work is over.
    """
    global _is_owed
    before, changes = links(), Changes()
    try:
        yield changes
    finally:
        if links() != before:
            changes.found = _is_owed = True
            if not later:
                push_owed_step(message)


def push_owed_step(message: str) -> bool:
    """Push a step of undo, if one is owed; return whether one was."""
    global _is_owed
    was_owed, _is_owed = _is_owed, False
    if was_owed:
        bpy.ops.ed.undo_push(message=message)
    return was_owed


def note_arrival(step: str) -> None:
    """Store that Blender has just taken a step back or forth.

    Parameters
    ----------
    step : {'undo', 'redo'}
        Which way.
    """
    global _last, _is_owed
    _last, _is_owed = step, False


def take_arrival() -> tuple[str, bool]:
    """Return the last step back or forth, which is forgotten then, and whether `go_further` took it."""
    global _last, _is_further
    found = _last, _is_further
    _last, _is_further = "", False
    return found


def go_further(step: str) -> bool:
    """Undo or redo once more; return whether there was another step."""
    global _is_further
    operator = getattr(bpy.ops.ed, step)
    if not operator.poll():
        return False
    _is_further = True
    return bool(operator() == {"FINISHED"})


def note_shown_by_step(uid: int, mark: str) -> None:
    """Store that the timer pushed a step of undo when it showed a land or planet with this mark."""
    _shown_by_step.add((uid, mark))


def was_shown_by_step(uid: int, mark: str) -> bool:
    """Return whether the timer pushed a step of undo when it showed a land or planet with this mark."""
    return (uid, mark) in _shown_by_step


def forget_steps() -> None:
    """Forget everything, before another file is opened."""
    global _last, _is_further, _is_owed
    _last, _is_further, _is_owed = "", False, False
    _shown_by_step.clear()
