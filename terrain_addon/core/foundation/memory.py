"""Whether work fits into the memory that is free, checked before anything is allocated.

What is free is the least of what the system can give and what each container around this process still allows.

References
----------
Linux kernel documentation, "Control Group v2", memory.max, memory.current and memory.stat; "Memory Resource
Controller" for version 1; proc(5), MemAvailable.
Microsoft, "GlobalMemoryStatusEx function".
"""

import ctypes
import math
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

_limit: int | None = None
# When memory was asked for, and what was free then; for so many seconds that is known for what needs so small a part.
_seen: tuple[float, int | None] = (0.0, None)
_FRESH, _SMALL_PART = 0.5, 8


def set_memory_limit(limit: int | None) -> None:
    """Choose how much memory one landscape may need, however much is free.

    Parameters
    ----------
    limit : int or None
        Bytes, above 0; None for all that is free.

    Raises
    ------
    ValueError
        If `limit` is not above 0.
    """
    global _limit
    if limit is not None and limit <= 0:
        raise ValueError(f"memory limit = {limit} bytes is not above 0")
    _limit = limit


def check_bytes(needed: int, what: str, advice: str | Callable[[int], str]) -> None:
    """Refuse work that needs more memory than is free.

    Parameters
    ----------
    needed : int
        Bytes.
    what : str
        What needs them, for the message.
    advice : str or callable
        What the user can do, for the message.  A callable gets the bytes that there are.

    Raises
    ------
    ValueError
        Saying how much is needed, and how much is free or allowed.
    """
    free = _free_for(needed)
    if _limit is not None and needed > _limit:
        room = f"the preferences allow {_amount(_limit, math.floor)}"
        fitting = _advice(advice, _limit if free is None else min(_limit, free))
        raise ValueError(_refusal(needed, what, room, f"{fitting}, or raise the limit"))
    if free is not None and needed > free:
        room = f"{_amount(free, math.floor)} are free"
        raise ValueError(_refusal(needed, what, room, f"{_advice(advice, free)}, or close programs"))


def _refusal(needed: int, what: str, room: str, advice: str) -> str:
    return f"{what} needs about {_amount(needed, math.ceil)} of memory, {room}; {advice}"


def _advice(advice: str | Callable[[int], str], room: int) -> str:
    return advice if isinstance(advice, str) else advice(room)


def forget_free_memory() -> None:
    """Ask the system again at the next check, however small the work."""
    global _seen
    _seen = (0.0, None)


def _free_for(needed: int) -> int | None:
    """What is free; while a slider is dragged, the system is not asked again for what takes a small part of it."""
    global _seen
    when, free = _seen
    if free is None or time.monotonic() - when > _FRESH or _SMALL_PART * needed > free:
        free = available_memory()
        _seen = (time.monotonic(), free)
    return free


def available_memory(root: Path = Path("/")) -> int | None:
    """Return how many bytes of memory this process can still take.

    Parameters
    ----------
    root : Path
        Where ``proc`` and ``sys`` are, on Linux.

    Returns
    -------
    int or None
        0 or more; None if the system does not say.

    Notes
    -----
    On Linux, memory of files that can be read again counts as free.  On Windows it is the free physical memory.  On
    macOS, and on other systems, it is all memory that the computer has.
    """
    if sys.platform == "win32":
        return _free_on_windows()
    found = [limit for limit in (_free_of_system(root), *_free_of_containers(root)) if limit is not None]
    return max(min(found), 0) if found else physical_memory()


def _free_of_system(root: Path) -> int | None:
    """Return what Linux can give without swapping."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB", _text(root / "proc/meminfo"), re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def _free_of_containers(root: Path) -> list[int]:
    """Return what each control group around this process still allows."""
    free = []
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if controllers == "":
            names, tops = _VERSION_2, ["sys/fs/cgroup", "sys/fs/cgroup/unified"]
        elif "memory" in controllers.split(","):
            names, tops = _VERSION_1, ["sys/fs/cgroup/memory"]
        else:
            continue
        for top in tops:
            # Inside a container the path can be that of the host, so only the top is there.
            group = root / top / path.strip("/")
            while group.is_relative_to(root / top):
                limit, used = (_number(group / name) for name in names[:2])
                if limit is not None and used is not None:
                    files = re.search(rf"^{names[2]} (\d+)", _text(group / "memory.stat"), re.MULTILINE)
                    free.append(limit - used + (int(files[1]) if files else 0))
                group = group.parent
    return free


_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_VERSION_2 = ("memory.max", "memory.current", "inactive_file")


def _free_on_windows() -> int | None:
    """Return the free physical memory of Windows."""
    status = (ctypes.c_ulonglong * 8)()  # The structure MEMORYSTATUSEX: two numbers of 4 bytes, seven of 8.
    ctypes.cast(status, ctypes.POINTER(ctypes.c_ulong))[0] = ctypes.sizeof(status)
    answered = ctypes.CDLL("kernel32").GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status[2]) if answered else None


def physical_memory() -> int | None:
    """Return how much memory the computer has.

    Returns
    -------
    int or None
        Bytes; None where the system does not say.
    """
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    pages, page_size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    # A system answers −1 if it does not know.
    return pages * page_size if min(pages, page_size) > 0 else None


def _number(path: Path) -> int | None:
    """Return the number in a file of the system; None if there is none, such as for ``max``."""
    text = _text(path).strip()
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    """Return the text of a file of the system; empty if it cannot be read."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _amount(count: int, rounded: Callable[[float], int]) -> str:
    """Return bytes in words; what is needed is rounded up and what there is down, so that they differ."""
    return f"{rounded(10 * count / 2**30) / 10:.1f} GiB" if count >= 2**30 else f"{rounded(count / 2**20)} MiB"
