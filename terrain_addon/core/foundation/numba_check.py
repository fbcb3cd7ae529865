"""numba, or one sentence that says why it cannot be used.

numba may be missing, damaged, of a wrong version, or hidden by another module of its name.  All of that becomes one
`CompilerMissing` with the reason.
"""

import importlib
import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

OLDEST_NUMBA = (0, 61)
"""Oldest version of numba that is accepted."""

_PATIENCE = 120.0  # seconds
_ADVICE = "reinstall the extension, or remove add-ons that bring their own numba"
_PROBE = """
import importlib.util, json, sys
task = json.load(sys.stdin)
sys.path[:] = task["path"]
spec = importlib.util.spec_from_file_location("numba_check", task["file"])
numba_check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(numba_check)
try:
    numba_check.check_compiling()
except numba_check.CompilerMissing as error:
    print(json.dumps(str(error)))
"""
_lock = threading.RLock()
_numba: Any = None
_problem: str | None = None


class CompilerMissing(RuntimeError):
    """Raised if numba cannot be loaded, so that no landscape can be computed."""


def load_numba() -> Any:
    """Return the module numba.

    Returns
    -------
    module

    Raises
    ------
    CompilerMissing
        If numba is missing, too old or cannot be loaded; the message says why and what to do.
    """
    global _numba, _problem
    with _lock:
        # A module that failed once fails differently when it is loaded again; the first reason is the right one.
        if _numba is None and _problem is None:
            try:
                _numba = _checked(importlib.import_module("numba"))
            except Exception as error:  # noqa: BLE001  A broken module may raise anything.
                _problem = str(compiler_missing(error))
        if _problem is not None:
            raise CompilerMissing(_problem)
        return _numba


def check_compiling() -> None:
    """Load numba, and compile a small function with it; this takes a second.

    Raises
    ------
    CompilerMissing
        As for `load_numba`.
    """
    numba = load_numba()
    try:
        result = numba.njit(_successor)(1)
    except Exception as error:  # A broken module may raise anything.
        raise compiler_missing(error) from error
    if result != 2:
        raise compiler_missing(ImportError("it computes wrong numbers"))


def compiler_missing(error: Exception) -> CompilerMissing:
    """Return the one clear error for anything that goes wrong in numba.

    Parameters
    ----------
    error : Exception
        What was raised.

    Returns
    -------
    CompilerMissing
        To be raised.
    """
    reason = str(error).strip().partition("\n")[0] or type(error).__name__
    return CompilerMissing(f"numba cannot be loaded ({reason[:300]}); {_ADVICE}")


def known_problem() -> str | None:
    """Return why no landscape can be computed, as far as it is known yet, without loading numba.

    Returns
    -------
    str or None
        The sentence of `CompilerMissing`; None as long as no problem is known.
    """
    return _problem


def look_for_problem() -> threading.Thread:
    """Find out in another process whether numba can be used; then `known_problem` knows.

    Returns
    -------
    Thread
        Ends when it is known.
    """
    thread = threading.Thread(target=_probe, name="numba check", daemon=True)
    thread.start()
    return thread


def _probe() -> None:
    """Load numba in another process, because that takes a second in which this one would not react."""
    global _problem
    task = json.dumps({"path": sys.path, "file": str(Path(__file__).resolve())})
    quietly = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        ran = subprocess.run(
            [sys.executable, "-I", "-c", _PROBE],
            input=task,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            creationflags=quietly,
            check=False,
        )
        said = json.loads(ran.stdout.splitlines()[-1]) if ran.stdout.strip() else None
    except (OSError, ValueError, subprocess.SubprocessError):  # Then the first kernel says what is wrong.
        return
    with _lock:
        if _numba is None and isinstance(said, str):
            _problem = said


def _checked(numba: Any) -> Any:
    """Return numba; raise an error with the reason if it is another module or too old."""
    version = str(getattr(numba, "__version__", ""))
    place = getattr(numba, "__file__", None) or next(iter(getattr(numba, "__path__", [])), "an unknown place")
    if not version or not callable(getattr(numba, "njit", None)):
        raise ImportError(f"the module in {place} is not numba")
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST_NUMBA:
        raise ImportError(f"version {version} is older than {'.'.join(map(str, OLDEST_NUMBA))}, in {place}")
    return numba


def _successor(number: int) -> int:
    return number + 1
