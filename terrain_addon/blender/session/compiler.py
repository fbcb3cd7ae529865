"""Whether numba is compiling a kernel right now, for the progress bar."""

import importlib
import sys
from typing import Any

# Kernels that numba is compiling at this moment; kernels that it finds in its cache do not count.
_compiling: list[Any] = []
_listener: Any = None


def is_compiling() -> bool:
    """Return whether numba is compiling a kernel; always False until `listen` was called with numba loaded."""
    return bool(_compiling)


def listen() -> None:
    """Ask numba to tell when it compiles, if numba is loaded and was not asked before."""
    global _listener
    if _listener is not None or "numba.core.event" not in sys.modules:
        return
    event = importlib.import_module("numba.core.event")

    class Listener(event.Listener):  # type: ignore[name-defined]
        def on_start(self, event: Any) -> None:
            _compiling.append(event)

        def on_end(self, event: Any) -> None:
            # Compiling may have begun before this listener was there.
            if _compiling:
                _compiling.pop()

    _listener = Listener()
    event.register("numba:compile", _listener)


def stop_listening() -> None:
    """Stop listening to numba."""
    global _listener
    if _listener is not None:
        importlib.import_module("numba.core.event").unregister("numba:compile", _listener)
        _listener = None
    _compiling.clear()
