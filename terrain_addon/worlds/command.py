"""The command ``world`` of the command line."""

import argparse
import sys
from pathlib import Path

from ..core.building.recipe import Recipe
from ..core.tiling.blocks import Block
from .building import WORLD_FILE, build_world
from .clients import open_client, parse_memory
from .exports import CONTOUR_SPACING, EXPORTS, export_world
from .pictures import look, picture_window, picture_world
from .running import WorldProgress

_BAR = 24  # characters


def add_world_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser.

    Parameters
    ----------
    parser : ArgumentParser
        With a recipe already.
    """
    parser.add_argument("--size", type=int, default=16384, metavar="CELLS", help="cells a side (default: 16384)")
    parser.add_argument(
        "--tile", type=int, default=2048, metavar="CELLS", help="cells along a side of a tile (default: 2048)"
    )
    parser.add_argument("--out", type=Path, help="folder of the world; zarr.open opens it")
    parser.add_argument("--workers", type=int, metavar="N", help="processes to start (default: this one alone)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a running scheduler of Dask instead")
    parser.add_argument("--memory", metavar="AMOUNT", help="how much all workers may take, such as 4GB")
    parser.add_argument("--resume", action="store_true", help="go on with the world in the folder; repair its chunks")
    parser.add_argument(
        "--look", type=Path, metavar="FILE.png", help="write a picture: of the world in --out, or quickly of the recipe"
    )
    parser.add_argument(
        "--window",
        type=int,
        nargs=4,
        metavar=("ROW", "COLUMN", "ROWS", "COLUMNS"),
        help="samples of the world in --out that --look shows at full detail; row 0 is south",
    )
    parser.add_argument(
        "--to",
        choices=tuple(EXPORTS),
        help="write the world in --out for other programs, into a folder of that name in it",
    )
    parser.add_argument(
        "--contour-spacing",
        type=float,
        default=CONTOUR_SPACING,
        metavar="METRES",
        help=f"from one contour of --to contours to the next (default: {CONTOUR_SPACING:g})",
    )


def make_world(recipe: Recipe, options: argparse.Namespace) -> int:
    """Do what the options of the command ask for.

    Parameters
    ----------
    recipe : Recipe
        Of the world.
    options : Namespace
        With those of `add_world_options`.

    Returns
    -------
    int
        The exit status, 0.

    Raises
    ------
    ValueError
        If options do not fit, or the world cannot be made.
    """
    if options.out is None and options.look is None:
        raise ValueError("say where the world goes by --out, or ask for a picture by --look")
    if options.out is None:
        look(recipe, options.look)
        return 0
    is_there = (options.out / WORLD_FILE).is_file()
    if options.to is not None and not is_there:
        raise ValueError(f"{options.out}: there is no world to write for {options.to}; make it first, without --to")
    memory = None if options.memory is None else parse_memory(options.memory)
    if options.resume or not (is_there and (options.look is not None or options.to is not None)):
        with open_client(options.workers, options.scheduler, memory, options.tile) as client:
            build_world(
                recipe,
                size=options.size,
                tile=options.tile,
                store=options.out,
                client=client,
                report=_show,
                notice=lambda sentence: print(f"\n{sentence}", file=sys.stderr, flush=True),
                resume=options.resume,
            )
        print(f"\n{options.out}: done", flush=True)
    if options.look is not None:
        if options.window is None:
            picture_world(options.out, options.look)
        else:
            picture_window(options.out, Block(*options.window), options.look)
    if options.to is not None:
        with open_client(options.workers, options.scheduler, memory, options.tile) as client:
            written = export_world(options.out, options.to, options.contour_spacing, _show, client)
        print(f"\n{written}", flush=True)
    return 0


def _show(progress: WorldProgress) -> None:
    """Draw how far the world is, in one line of the terminal, or a line each time there is none."""
    filled = round(_BAR * progress.fraction)
    left = "" if progress.seconds_left is None else f"{_clock(progress.seconds_left)} left"
    line = f"[{'#' * filled}{'.' * (_BAR - filled)}] {progress.fraction:6.1%} {progress.what:32.32} {left:>14}"
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{line}")
        sys.stderr.flush()


def _clock(seconds: float) -> str:
    """Return a duration as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
