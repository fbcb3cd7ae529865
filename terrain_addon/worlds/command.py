"""The command ``world`` of the command line."""

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..core.building.recipe import Recipe
from ..core.foundation.progress import text_bar
from ..core.tiling.blocks import Block
from .building import WORLD_FILE, build_world, open_world
from .clients import open_client, parse_memory
from .exports import CONTOUR_SPACING, EXPORTS, export_world
from .pictures import check_pictured, look, picture_window, picture_world
from .running import WorldProgress
from .world import USUAL_SCALE, World

_SIZE, _TILE = 16384, 2048  # cells


def add_world_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser.

    Parameters
    ----------
    parser : ArgumentParser
        With a recipe already; none is put in for one that is not named.
    """
    parser.set_defaults(recipe=None)
    parser.add_argument("--size", type=int, metavar="CELLS", help=f"cells along the longer side (default: {_SIZE})")
    parser.add_argument("--tile", type=int, metavar="CELLS", help=f"cells along a side of a tile (default: {_TILE})")
    parser.add_argument("--out", type=Path, help="folder of the world; zarr.open opens it")
    parser.add_argument("--workers", type=int, metavar="N", help="processes to start (default: this one alone)")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="address of a running Dask scheduler, in place of --workers"
    )
    parser.add_argument("--memory", metavar="AMOUNT", help="how much all workers may take, such as 4GB")
    parser.add_argument("--resume", action="store_true", help="continue the world in --out, and repair its chunks")
    parser.add_argument(
        "--look", type=Path, metavar="FILE.png", help="write a picture: of the world in --out, or quickly of the recipe"
    )
    parser.add_argument(
        "--window",
        type=int,
        nargs=4,
        metavar=("ROW", "COLUMN", "ROWS", "COLUMNS"),
        help="samples of the world in --out that --look shows at full detail; row 0 is south, "
        "and rows and columns are at least 2",
    )
    parser.add_argument(
        "--to",
        choices=tuple(EXPORTS),
        help="write the world in --out for other programs, into a folder of that name in it",
    )
    parser.add_argument(
        "--contour-spacing",
        type=float,
        metavar="METRES",
        help=f"from one contour of --to contours to the next (default: {CONTOUR_SPACING:g})",
    )


def make_world(
    recipe: Recipe, options: argparse.Namespace, say: Callable[[dict[str, Any]], None], *, is_named: bool
) -> int:
    """Do what the options of the command ask for.

    Parameters
    ----------
    recipe : Recipe
        Of the world.
    options : Namespace
        With those of `add_world_options`, and `json`.
    say : callable
        Prints facts.
    is_named : bool
        Whether the user asked for this recipe; else that of the world in the folder counts.

    Returns
    -------
    int
        The exit status, 0.

    Raises
    ------
    ValueError
        If options do not fit, or the world cannot be made.
    """
    _check_options(options)
    if options.out is None:
        look(recipe, options.look)
        say({"picture": str(options.look)})
        return 0
    is_there = (options.out / WORLD_FILE).is_file()
    if options.to is not None and not is_there:
        raise ValueError(f"{options.out}: there is no world to write for {options.to}; make it first, without --to")
    if not (is_there or is_named) and (options.resume or options.look is not None):
        raise ValueError(f"{options.out}: there is no world; name a recipe to make one there")
    goes_on = options.resume and is_there and not is_named
    recipe, size, tile = _asked(recipe, options, goes_on=goes_on)
    # Only the API sets another scale.
    scale = open_world(options.out).scale if goes_on else USUAL_SCALE
    memory = None if options.memory is None else parse_memory(options.memory)
    report, started = None if options.json else ShownProgress(), time.monotonic()
    if options.resume or not (is_there and (options.look is not None or options.to is not None)):
        world = World(recipe, size, tile, scale)  # refuses what can be no world before memory and workers count
        if options.window is not None:
            check_pictured(world, Block(*options.window))
        with _told_how_to_go_on(options.out), open_client(options.workers, options.scheduler, memory, tile) as client:
            build_world(
                recipe,
                size=size,
                tile=tile,
                store=options.out,
                client=client,
                report=report,
                notice=lambda sentence: print(f"\n{sentence}", file=sys.stderr, flush=True),
                resume=options.resume,
                scale=scale,
            )
        say({"folder": str(options.out), "seconds": round(time.monotonic() - started, 3)})
    elif is_named:
        _check_recipe(recipe, options.out)
    if options.look is not None:
        if options.window is None:
            picture_world(options.out, options.look)
        else:
            picture_window(options.out, Block(*options.window), options.look)
        say({"picture": str(options.look)})
    if options.to is not None:
        with open_client(options.workers, options.scheduler, memory, tile) as client:
            spacing = CONTOUR_SPACING if options.contour_spacing is None else options.contour_spacing
            say({"written": export_world(options.out, options.to, spacing, report, client)})
    return 0


@contextmanager
def _told_how_to_go_on(folder: Path) -> Iterator[None]:
    """Say how a world goes on that the user stops."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"\ncontinue with: world --out {folder} --resume", file=sys.stderr)
        raise


def _asked(recipe: Recipe, options: argparse.Namespace, *, goes_on: bool) -> tuple[Recipe, int, int]:
    """Return recipe, size and tile: those of the world that goes on where the user gave none."""
    size, tile = _SIZE, _TILE
    if goes_on:
        world = open_world(options.out)
        recipe, size, tile = world.recipe, world.size, world.tile
    return recipe, size if options.size is None else options.size, tile if options.tile is None else options.tile


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if options.out is None and options.look is None:
        raise ValueError("name the folder of the world with --out, or a picture of it with --look")
    if options.window is not None and options.look is None:
        raise ValueError("--window says what a picture shows; name the picture with --look FILE.png")
    if options.window is not None and options.out is None:
        raise ValueError("--window shows a part of a finished world; name its folder with --out")
    if options.contour_spacing is not None and options.to != "contours":
        raise ValueError(
            f"--contour-spacing = {options.contour_spacing:g} m counts for --to contours only; leave it out"
        )
    if options.look is not None and options.look.suffix.lower() != ".png":
        raise ValueError(f"{options.look}: the picture is a PNG file; give it a name that ends in .png")


def _check_recipe(recipe: Recipe, folder: Path) -> None:
    """Refuse a recipe that is not that of the world in a folder."""
    there = open_world(folder).recipe
    if recipe.replace(resolution=there.resolution) != there:
        raise ValueError(
            f"{folder} holds a world of another recipe; leave the recipe out, or name another folder with --out"
        )


class ShownProgress:
    """Shows how far a world is: in one line of the terminal, or a line for each new stage where there is none."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, progress: WorldProgress) -> None:
        left = "" if progress.seconds_left is None else f"{_clock(progress.seconds_left)} left"
        if sys.stderr.isatty():
            line = f"{text_bar(progress.fraction)} {progress.fraction:6.1%} {left:>14} {progress.what}"
            room = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r{line[:room]:{room}}")
        elif progress.what != self._last:
            self._last = progress.what
            sys.stderr.write(f"{progress.fraction:6.1%} {left:>14} {progress.what}\n")
        sys.stderr.flush()


def _clock(seconds: float) -> str:
    """Return a duration as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
