"""What commands print: facts, and how far the work is."""

import argparse
import json
import math
import shutil
import sys
from collections.abc import Callable
from typing import Any

from .core.foundation.progress import Progress, text_bar


def progress_bar(seed: int, options: argparse.Namespace) -> Callable[[Progress], None] | None:
    """Return a function that draws the progress in the terminal, None if there is no terminal.

    Parameters
    ----------
    seed : int
        Of the land that is made.
    options : Namespace
        With `json`.

    Returns
    -------
    callable or None
    """
    if options.json or not sys.stderr.isatty():
        return None

    def show(progress: Progress) -> None:
        sys.stderr.write(f"\rseed {seed} {text_bar(progress.fraction)} {progress.stage:36.36}")
        sys.stderr.flush()

    return show


def say(facts: dict[str, Any], options: argparse.Namespace) -> None:
    """Print facts as one line of JSON, or as text: one line of single values, then a line for each part of others.

    Parameters
    ----------
    facts : dict
        JSON by name.
    options : Namespace
        With `json`.
    """
    if options.json:
        print(json.dumps(_with_null(facts), ensure_ascii=False, allow_nan=False), flush=True)
        return
    _clear_progress()
    facts = {name: _TEXTS[name](value) if name in _TEXTS else value for name, value in facts.items()}
    several = {name: value for name, value in facts.items() if isinstance(value, dict | list)}
    print("  ".join(f"{name} {_words(value)}" for name, value in facts.items() if name not in several))
    for name, value in several.items():
        parts = [f"{part} {_words(inner)}" for part, inner in value.items()] if isinstance(value, dict) else value
        print("".join(f"  {line}\n" for line in (f"{name}:", *(f"  {part}" for part in parts)) if parts), end="")
    sys.stdout.flush()


def say_error(prog: str, sentence: str) -> None:
    """Print what went wrong on the standard error, where shells and farms look for it.

    Parameters
    ----------
    prog : str
        Name of the program.
    sentence : str
        What went wrong.
    """
    _clear_progress()
    print(f"{prog}: {sentence}", file=sys.stderr, flush=True)


def _clear_progress() -> None:
    """Remove the progress from the line of the terminal in which it is drawn."""
    if sys.stderr.isatty():
        sys.stderr.write("\r" + (shutil.get_terminal_size().columns - 1) * " " + "\r")


def _with_null(value: Any) -> Any:
    """Return a value for JSON, which knows no NaN: with None for each number that is not known."""
    if isinstance(value, dict):
        return {name: _with_null(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_with_null(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _sides(sides: list[int]) -> str:
    """Return the two sides of a grid as text."""
    return f"{sides[0]} × {sides[1]} (columns × rows)"


def _balances(balances: dict[str, dict[str, float]]) -> dict[str, str]:
    """Return mass balances as text, each error also as a share of the volume."""
    return {name: _balance(volumes) for name, volumes in balances.items()}


def _balance(volumes: dict[str, float]) -> str:
    whole = abs(volumes["before"]) + volumes["uplifted"]
    share = f" ({volumes['error'] / whole:.0e})" if whole > 0.0 else ""
    return "; ".join(f"{name} {volume:.6g} m³" for name, volume in volumes.items()) + share


_TEXTS: dict[str, Callable[[Any], Any]] = {
    "tiles": _sides,
    "samples_of_a_tile": _sides,
    "resampled_from": _sides,
    "balances": _balances,
}


def _words(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return "; ".join(f"{name} {_words(inner)}" for name, inner in value.items())
    return str(value)
