"""The options of the commands: what may follow each of them, and what their texts mean."""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .core.building.planet_landscape import SHARED_BORDER, place_around
from .core.building.recipe import Recipe, load_recipe, preset_names
from .core.ecosystem.biome_presets import biome_presets
from .core.maps.realism import LAND_CLASSES
from .core.meshing.plant_meshes import LEVELS
from .core.planet.local_plane import Place
from .core.planet.planet_recipe import PlanetRecipe, load_planet_recipe, planet_preset_names
from .files.baking import BAKED_MAPS, MESH_MAPS
from .files.compressing import TOOL
from .files.engines.package import ENGINES
from .files.landscape_glb import MESH_FORMATS
from .files.planet_maps import WIDEST
from .worlds.command import add_world_options

_NEGATIVES = re.compile(r"-[\d.].*,.*")  # several numbers; the first is negative
_MOST_SEEDS = 100_000
BY_CLIMATE = "climate"
"""Stands in place of the name of a biome: that which the climate asks for."""
MESHES = tuple(ending.removeprefix(".") for ending in MESH_FORMATS)
"""Formats of one file, beside the packages for engines."""
PACKAGE_SIZES = {
    "resolution": (int, "N", "samples along the longer side of a tile (default: what suits the engine and the land)"),
    "tiles": (int, "N", "tiles along the longer side of the land (default: as few as the engine allows)"),
    "lods": (int, "N", "meshes of the land, each with half the vertices a side of the one before (default: 3)"),
    "ground": (int, "TEXELS", "side of textures of the ground: 512, 1024, 2048, or 0 for none (default: 1024)"),
    "cell": (float, "METRES", "side of the cells into which plants are divided (default: what suits the engine)"),
}
"""Options of packages, with type, unit and help text."""
_PLANET_WIDTH = 2048  # pixels of equirectangular maps

_Run = Callable[[argparse.Namespace], int]


class RecipeKind(NamedTuple):
    """Recipes that a command takes: their class, how files are read, their presets, and the one it takes by itself.

    Attributes
    ----------
    recipe : type
        `Recipe` or `PlanetRecipe`.
    load : callable
        Reads a file.
    presets : callable
        Returns the names of the presets.
    default : str
        The preset that is taken if none is named.
    """

    recipe: Any
    load: Callable[[Path], Any]
    presets: Callable[[], tuple[str, ...]]
    default: str


LANDSCAPES = RecipeKind(Recipe, load_recipe, preset_names, "alpine")
PLANETS = RecipeKind(PlanetRecipe, load_planet_recipe, planet_preset_names, "temperate")


def joined_numbers(arguments: Sequence[str]) -> list[str]:
    """Join options and pairs of numbers that begin with a minus sign: argparse takes ``-33.9,18.4`` for an option.

    Parameters
    ----------
    arguments : sequence of str
        Of a terminal.

    Returns
    -------
    list of str

    Examples
    --------
    >>> joined_numbers(["here", "--at", "-33.9,18.4"])
    ['here', '--at=-33.9,18.4']
    """
    joined: list[str] = []
    for text in arguments:
        if joined and _NEGATIVES.fullmatch(text) and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={text}"
        else:
            joined.append(text)
    return joined


def make_parser(prog: str, commands: Mapping[str, _Run]) -> argparse.ArgumentParser:
    """Return what understands the arguments of a terminal.

    Parameters
    ----------
    prog : str
        Name of the program in its help.
    commands : mapping of str to callable
        What runs each command, by its name; the docstring is its help.

    Returns
    -------
    ArgumentParser
        Its options have the function as `run`.
    """
    parser = argparse.ArgumentParser(prog=prog, description="Landscapes from recipes.")
    added_to = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_command(added_to, "new", commands["new"]).add_argument(
        "--out", type=Path, help="file to write (default: the terminal)"
    )
    _add_command(added_to, "info", commands["info"])
    _add_batch(added_to, "build", commands["build"])
    _add_bake(_add_batch(added_to, "bake", commands["bake"]))
    _add_export(_add_batch(added_to, "export", commands["export"]))
    _add_render(_add_batch(added_to, "render", commands["render"]))
    _add_command(added_to, "realism", commands["realism"]).add_argument(
        "--class",
        dest="land_class",
        choices=LAND_CLASSES,
        help="the kind of measured land (default: that of the recipe, or mountains)",
    )
    _add_compare(added_to, commands["compare"])
    add_world_options(_add_command(added_to, "world", commands["world"]))
    for name, add in (("planet", _add_planet), ("here", _add_here)):
        added = _add_command(added_to, name, commands[name], PLANETS)
        added.add_argument("--out", type=Path, default=Path(), help="folder for the files; several seeds get one each")
        added.add_argument("--resolution", type=int, metavar="N", help="samples along an edge of each face: 2ⁿ + 1")
        add(added)
    return parser


def _add_command(commands: Any, name: str, run: _Run, kind: RecipeKind = LANDSCAPES) -> argparse.ArgumentParser:
    """Add a command that takes a recipe."""
    added: argparse.ArgumentParser = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
    presets = (*kind.presets(), *planet_preset_names()) if name in ("new", "info") else kind.presets()
    added.set_defaults(run=run, presets=presets)
    added.add_argument(
        "recipe",
        nargs="?",
        default=kind.default,
        help=f"recipe file, or a preset: {', '.join(presets)} (default: {kind.default})",
    )
    added.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="change a parameter, e.g. relief.wavelength=800",
    )
    if kind is LANDSCAPES:
        added.add_argument(
            "--feature",
            action="append",
            default=[],
            type=Path,
            metavar="FILE",
            help="add what is drawn in a JSON file: a feature, or a list of them, as in `features` of a recipe",
        )
        added.add_argument(
            "--biome",
            choices=(*biome_presets(), BY_CLIMATE),
            help="give the land the plants of a biome, in place of its own, or as its climate asks for",
        )
    added.add_argument("--seed", type=_seeds, metavar="N or A..B", help="seed, or a range of them for a batch")
    added.add_argument("--json", action="store_true", help="print one JSON object per line instead of text")
    return added


def _add_batch(commands: Any, name: str, run: _Run) -> argparse.ArgumentParser:
    """Add a command that writes files for each of several seeds."""
    added = _add_command(commands, name, run)
    added.add_argument(
        "--out", type=Path, default=Path(), help="folder for the files; several seeds get one folder each inside it"
    )
    added.add_argument(
        "--resume",
        action="store_true",
        help="skip landscapes whose files are complete and made from the same things",
    )
    return added


def _add_bake(baking: argparse.ArgumentParser) -> None:
    """Add the options of maps of a land."""
    maps = [name for name in BAKED_MAPS if name not in MESH_MAPS]
    baking.add_argument(
        "--maps",
        nargs="+",
        choices=maps,
        default=("height", "normal"),
        metavar="MAP",
        help=f"some of: {', '.join(maps)} (default: height normal)",
    )


def _add_export(export: argparse.ArgumentParser) -> None:
    """Add the options of files for engines."""
    export.add_argument("--engine", choices=(*MESHES, *ENGINES), default="glb", help="format or engine (default: glb)")
    export.add_argument("--name", help="name of the level in the engine, and of its folder (default: the recipe's)")
    export.add_argument(
        "--lod",
        type=int,
        choices=range(LEVELS),
        metavar="N",
        help="level of detail of plants in glb, gltf and usda: 0, 1 or 2",
    )
    export.add_argument("--compress", action="store_true", help=f"make a glb smaller with {TOOL}, if it is installed")
    for name, (kind, unit, text) in PACKAGE_SIZES.items():
        export.add_argument(f"--{name}", type=kind, metavar=unit, help=text)


def _add_render(render: argparse.ArgumentParser) -> None:
    """Add the options of pictures."""
    render.add_argument(
        "--render-engine", choices=("CYCLES", "EEVEE"), default="CYCLES", help="what renders (default: %(default)s)"
    )
    for side, usual in (("width", 1280), ("height", 720)):
        text = f"{side} of the picture (default: %(default)s)"
        render.add_argument(f"--picture-{side}", type=int, default=usual, metavar="PIXELS", help=text)
    text = "samples for each pixel; more leave less noise and take longer (default: %(default)s)"
    render.add_argument("--samples", type=int, default=24, metavar="N", help=text)
    render.add_argument("--blend", action="store_true", help="also save the scene as a .blend file")


def _add_planet(planet: argparse.ArgumentParser) -> None:
    """Add the options of maps of a planet."""
    planet.add_argument(
        "--width",
        type=int,
        default=_PLANET_WIDTH,
        metavar="PIXELS",
        help=f"width of equirectangular maps, up to {WIDEST} (default: {_PLANET_WIDTH})",
    )
    planet.add_argument(
        "--shown-radius",
        type=float,
        metavar="METRES",
        help="radius in planet.glb, for programs that cannot hold a whole planet (default: its own)",
    )
    planet.add_argument(
        "--exaggeration",
        type=float,
        metavar="FACTOR",
        help="how much higher mountains are in planet.glb and in normal maps than they are; 1 is true to scale "
        "(default: look.exaggeration of the recipe)",
    )


def _add_here(here: argparse.ArgumentParser) -> None:
    """Add the options of a square of a planet."""
    here.add_argument("--at", type=_place, required=True, metavar="LAT,LON", help="its place in degrees, e.g. 46.5,8")
    here.add_argument("--size", type=float, default=6000.0, metavar="METRES", help="length of a side (default: 6000)")
    here.add_argument("--samples", type=int, default=513, metavar="N", help="samples along a side (default: 513)")
    here.add_argument(
        "--square",
        type=_steps,
        default=(0, 0),
        metavar="EAST,NORTH",
        help=f"how many squares away from that around the place; {SHARED_BORDER} (default: 0,0)",
    )


def _add_compare(commands: Any, run: _Run) -> None:
    """Add the command that takes several recipes."""
    compare = commands.add_parser("compare", help=run.__doc__, description=run.__doc__)
    compare.set_defaults(run=run)
    compare.add_argument("recipes", nargs="+", metavar="RECIPE", help="recipe files, or names of presets")
    compare.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change all recipes")
    compare.add_argument(
        "--seeds", type=_number_of_seeds, default=3, metavar="N", help="lands of each recipe (default: 3)"
    )
    compare.add_argument("--resolution", type=int, default=513, metavar="N", help="vertices a side (default: 513)")
    compare.add_argument("--out", type=Path, metavar="PLOT.svg", help="also draw the comparison into this file")
    compare.add_argument("--class", dest="land_class", choices=LAND_CLASSES, help="the kind of measured land")
    compare.add_argument("--json", action="store_true", help="print one JSON object per line instead of a table")


def _number_of_seeds(text: str) -> int:
    """Return how many seeds an option asks for."""
    if not (text.isdecimal() and 1 <= int(text) <= _MOST_SEEDS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {_MOST_SEEDS}")
    return int(text)


def _seeds(text: str) -> range:
    """Return the seeds of an option such as ``3`` or ``1..100``."""
    first, dots, last = text.partition("..")
    try:
        begin = int(first)
        end = int(last) if dots else begin
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number, nor a range such as 1..100") from None
    if not (0 <= begin < 2**31 and 0 <= end < 2**31):
        raise argparse.ArgumentTypeError(f"{text} is outside 0 to 2147483647")
    if begin > end or end - begin >= _MOST_SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a rising range of up to {_MOST_SEEDS} seeds")
    return range(begin, end + 1)


def _place(text: str) -> Place:
    """Return the place of an option such as ``46.5,8``."""
    try:
        latitude, longitude = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a latitude and a longitude") from None
    try:
        return place_around(latitude, longitude)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a latitude and a longitude: {error}") from None


def _steps(text: str) -> tuple[int, int]:
    """Return two whole numbers of an option such as ``1,-2``."""
    try:
        east, north = map(int, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not two whole numbers such as 1,-2") from None
    return east, north
