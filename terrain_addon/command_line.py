"""The command line: ``blender --command landscape …`` and ``python -m terrain_addon …``.

Only `render` needs Blender; all other commands run in any Python with numpy and numba.
"""

import argparse
import json
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .core.building.climate_biome import CHOICE_RESOLUTION, with_biome_of_climate
from .core.building.comparing import Compared, compare_recipe, table_head, table_line
from .core.building.judging import judge, land_class_of
from .core.building.landscape import Landscape, build
from .core.building.memory_needed import bytes_needed
from .core.building.overrides import override
from .core.building.plan import Extent, plan_of
from .core.building.planet_landscape import (
    SHARED_BORDER,
    Square,
    landscape_of_planet,
    place_around,
    spacing_of_samples,
    warnings_of_square,
)
from .core.building.recipe import Recipe, load_features, load_recipe, preset_names
from .core.ecosystem.biome_presets import biome_presets
from .core.erosion.mass_balance import MassBalance
from .core.foundation.error_text import error_sentence
from .core.foundation.numba_check import CompilerMissing
from .core.foundation.parameters import KINDS, parameters_of
from .core.foundation.progress import Progress, text_bar
from .core.foundation.recipe_text import load_recipe_file, parse_recipe
from .core.maps.realism import LAND_CLASSES
from .core.planet.local_plane import Place
from .core.planet.planet import Planet, build_planet
from .core.planet.planet_recipe import PlanetRecipe, load_planet_recipe, planet_preset_names
from .core.relief.elevation_model import ElevationModel
from .files.baking import BAKED_MAPS, MESH_MAPS, bake, extent_for
from .files.comparison_plot import draw_comparison
from .files.compressing import TOOL, compress, find_compressor
from .files.engines.engine import plain_name
from .files.engines.folder import PackageName, find_obsolete
from .files.engines.package import ENGINES, Package, PackageOptions, write_package
from .files.inputs import input_digests, read_inputs, read_planet_elevation
from .files.landscape_glb import MESH_FORMATS, export_landscape
from .files.planet_maps import WIDEST
from .files.planet_package import write_planet_package
from .files.records import RECORD, add_record, is_complete
from .files.roads import Built, road_text
from .files.writing import atomic_write, write_together
from .worlds.command import add_world_options, make_world

_NEGATIVES = re.compile(r"-[\d.].*,.*")  # several numbers; the first is negative
_MOST_SEEDS = 100_000
_BY_CLIMATE = "climate"  # instead of the name of a biome
_MESHES = tuple(ending.removeprefix(".") for ending in MESH_FORMATS)
_PACKAGE_SIZES = {
    "resolution": (int, "N", "samples along the longer side of a tile (default: what suits the engine and the land)"),
    "tiles": (int, "N", "tiles along the longer side of the land (default: as few as the engine allows)"),
    "lods": (int, "N", "meshes of the land, each with half the vertices a side of the one before (default: 3)"),
    "ground": (int, "TEXELS", "side of textures of the ground: 512, 1024, 2048, or 0 for none (default: 1024)"),
    "cell": (float, "METRES", "side of the cells into which plants are divided (default: what suits the engine)"),
}
_RECIPE, _HEIGHTS = "recipe.json", "heights.npy"
_PLANET_WIDTH = 2048  # pixels of equirectangular maps


class _RecipeKind(NamedTuple):
    """Recipes that a command takes: their class, how files are read, their presets, and the one it takes by itself."""

    recipe: Any
    load: Callable[[Path], Any]
    presets: Callable[[], tuple[str, ...]]
    default: str


_LANDSCAPES = _RecipeKind(Recipe, load_recipe, preset_names, "alpine")
_PLANETS = _RecipeKind(PlanetRecipe, load_planet_recipe, planet_preset_names, "temperate")


@dataclass(frozen=True)
class _Job:
    """One landscape of a batch."""

    recipe: Recipe
    folder: Path


@dataclass(frozen=True)
class _Work:
    """What a command makes of each landscape.

    Attributes
    ----------
    asked : dict
        The command and the options on which its files depend, as JSON.
    extent : {'terrain', 'maps', 'plants'}
        How far the landscape is built.
    write : callable
        Writes files of the landscape to a folder; may return facts for the report.
    package : callable or None
        Returns the name of the package among these files from the recipe; its folder is called after it.
    """

    asked: dict[str, Any]
    extent: Extent
    write: Callable[[Path, Landscape], Any]
    package: Callable[[Recipe], PackageName] | None = None


def main(arguments: Sequence[str], prog: str = "landscape", render: Callable[..., Any] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str
        Without the name of the program.
    prog : str
        Name of the program in its help.
    render : callable, optional
        `blender.land.rendering.render_landscape`; None if this Python has no Blender.

    Returns
    -------
    int
        The exit status: 0 for success, 1 if something failed, 2 if the command was not understood, 130 if it was
        stopped, and 141 if nobody reads what it prints.

    Examples
    --------
    >>> main(["info", "plains", "--set", "resolution=65"])  # doctest: +ELLIPSIS
    rows 65  columns 65 ...
    0
    """
    _replace_closed_streams()
    parser = _parser(prog)
    try:
        options = parser.parse_args(_joined(arguments))
        options.renderer = render
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return int(options.run(options))
    except BrokenPipeError:
        # Who reads the lines has gone, as `head` does. What is left to write must not fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ValueError, CompilerMissing, MemoryError, OSError) as error:
        print(f"{prog}: {error_sentence(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{prog}: stopped", file=sys.stderr)
        return 130


def _replace_closed_streams() -> None:
    """Let what is printed go nowhere if the shell has closed the terminal's output: Python has no stream then."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join options and pairs of numbers that begin with a minus sign: argparse takes ``-33.9,18.4`` for an option."""
    joined: list[str] = []
    for text in arguments:
        if joined and _NEGATIVES.fullmatch(text) and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={text}"
        else:
            joined.append(text)
    return joined


# --- commands ---------------------------------------------------------------------------------------------------------


def _new(options: argparse.Namespace) -> int:
    """Write a recipe to a file, or to the terminal."""
    _refuse_many_seeds(options, "a recipe has 1 seed", "write one recipe after the other")
    recipe = _recipe(options, _kind_of(options.recipe))
    if options.out is None:
        sys.stdout.write(recipe.dumps())
    else:
        with atomic_write(options.out) as file:
            file.write(recipe.dumps().encode())
    return 0


def _info(options: argparse.Namespace) -> int:
    """Describe the land or the planet of a recipe without building it."""
    _refuse_many_seeds(options, "a recipe has 1 seed", "ask for one after the other")
    kind = _kind_of(options.recipe)
    recipe = _recipe(options, kind)
    if kind is _PLANETS:
        _say(_planet_facts(recipe), options)
        return 0
    problems: dict[str, str] = {}
    inputs = read_inputs(recipe, problems=problems)
    grid, plan = recipe.grid, plan_of(recipe, inputs, problems)
    facts = {
        "rows": grid.rows,
        "columns": grid.columns,
        "cell_size": grid.cell_size,
        "width": grid.width,
        "depth": grid.depth,
        "memory_mb": bytes_needed(recipe) / 1e6,
        "stages": [stage.title for stage in plan.stages],
        "warnings": list(plan.warnings),
        "species": [species.name for species in recipe.ecosystem.species],
    }
    _say(facts, options)
    return 0


def _planet_facts(recipe: PlanetRecipe) -> dict[str, Any]:
    """Describe a planet that is not built."""
    return {
        "radius": recipe.radius,
        "resolution": recipe.resolution,
        "sample_spacing": spacing_of_samples(recipe),
        "sea_level": recipe.sea_level if recipe.has_sea else None,
        "craters": recipe.craters.enabled,
        "erosion": recipe.erosion.enabled,
        "climate": recipe.climate.enabled,
        "exaggeration": recipe.exaggeration,
        "heights_from": recipe.elevation.path or None,
    }


def _build(options: argparse.Namespace) -> int:
    """Build landscapes and save them as arrays."""
    return _write_each(options, _Work({"command": "build"}, "plants", _write_arrays))


def _bake(options: argparse.Namespace) -> int:
    """Build landscapes and write their maps as textures."""
    maps = tuple(dict.fromkeys(options.maps))

    def write(folder: Path, land: Landscape) -> None:
        bake(folder, "landscape", land, maps)

    return _write_each(options, _Work({"command": "bake", "maps": sorted(maps)}, extent_for(maps), write))


def _export(options: argparse.Namespace) -> int:
    """Build landscapes and write them for an engine, as glTF in one or two files, or as USD."""

    if options.compress and options.engine != "glb":
        raise ValueError(f"--compress: only --engine glb has it, not {options.engine}")
    asked = {name: getattr(options, name) for name in ("name", *_PACKAGE_SIZES) if getattr(options, name) is not None}
    asked |= {"command": "export", "engine": options.engine} | ({"lod": options.lod} if options.lod else {})
    if options.engine in _MESHES:
        refused = [f"--{name}" for name in asked if name in ("name", *_PACKAGE_SIZES)]
        if refused:
            raise ValueError(f"{', '.join(refused)}: only packages have it, and --engine {options.engine} writes none")

        compressor = find_compressor() if options.compress else None

        def write_mesh(folder: Path, land: Landscape) -> None:
            path = folder / f"landscape.{options.engine}"
            export_landscape(path, land, lod=options.lod or 0)
            if compressor is not None:
                compress(path, compressor)

        asked |= {"compress": True} if options.compress else {}
        return _write_each(options, _Work(asked, "plants", write_mesh))
    if options.lod is not None:
        raise ValueError("--lod: only glb, gltf and usda have it; packages have all levels of detail")
    sizes = {name: asked[name] for name in _PACKAGE_SIZES if name in asked}
    name = options.name or plain_name(Path(options.recipe).stem)
    settings = PackageOptions(name=name, **sizes)
    many = options.seed is not None and len(options.seed) > 1

    def own(recipe: Recipe) -> PackageName:
        return PackageName(f"{name}_{recipe.seed}" if many else name, options.engine)

    def write(folder: Path, land: Landscape) -> dict[str, Any]:
        level = own(land.recipe)
        package = write_package(folder / "_".join(level), land, level.engine, replace(settings, name=level.name))
        return _package_facts(package)

    return _write_each(options, _Work(asked, "plants", write, own))


def _package_facts(package: Package) -> dict[str, Any]:
    """Return what the report says of a package: also where it differs from the land."""
    land, tile = package.manifest["land"], package.manifest["tile"]
    facts = {
        "package": package.folder.name,
        "tiles": [package.manifest["tile_columns"], package.manifest["tile_rows"]],
        "samples_of_a_tile": [tile["columns"], tile["rows"]],
    }
    own = [land["landscape_columns"], land["landscape_rows"]]
    return facts | ({"resampled_from": own} if land["resampled"] else {})


def _render(options: argparse.Namespace) -> int:
    """Build landscapes and render a picture of each."""
    if options.renderer is None:
        raise ValueError("rendering needs Blender: run `blender --command landscape render`")

    size = (options.picture_width, options.picture_height)

    def render(folder: Path, land: Landscape) -> None:
        options.renderer(
            land,
            folder / "landscape.png",
            engine=options.render_engine,
            size=size,
            samples=options.samples,
            blend=folder / "landscape.blend" if options.blend else None,
        )

    asked = {"command": "render", "engine": options.render_engine, "size": list(size), "samples": options.samples}
    return _write_each(options, _Work(asked | {"blend": options.blend}, "plants", render))


def _realism(options: argparse.Namespace) -> int:
    """Build the land and compare it with measured land."""

    def check(job: _Job, report: dict[str, Any]) -> None:
        land = _build_land(options, job, "terrain")
        land_class = options.land_class or land_class_of(land.recipe) or "mountains"
        realism = judge(land, land_class)
        report |= _describe(land) | {
            "class": land_class,
            "score": realism.score,
            "sentence": realism.sentence,
            "numbers": {number.name: number.value for number in realism.numbers},
            "too perfect": list(realism.too_perfect),
        }

    return _each(options, check)


def _compare(options: argparse.Namespace) -> int:
    """Build lands of several recipes and compare how real they are, beside measured land."""
    if options.out is not None and options.out.suffix.lower() != ".svg":
        raise ValueError(f"{options.out}: the drawing is an SVG file; give it a name that ends in .svg")
    recipes: list[Compared] = []
    for name in options.recipes:
        recipe = override(_named_recipe(name).replace(resolution=options.resolution), options.set)
        compared = compare_recipe(Path(name).stem, recipe, options.seeds, read_inputs, options.land_class)
        is_other_class = not recipes or recipes[-1].land_class != compared.land_class
        if options.json:
            scores = [land.score for land in compared.lands]
            medians = {number.name: number.value for number in compared.medians}
            _say({"recipe": compared.name, "class": compared.land_class, "scores": scores, "medians": medians}, options)
        else:
            for line in table_head(compared.medians) if is_other_class else ():
                print(line)
            print(table_line(compared), flush=True)
        recipes.append(compared)
    if options.out is not None:
        with atomic_write(options.out) as file:
            file.write(draw_comparison(recipes).encode())
    return 0


def _planet(options: argparse.Namespace) -> int:
    """Build planets and write them as GLB, and as maps: six faces, and equirectangular."""
    if options.shown_radius is not None and not 0.0 < options.shown_radius < math.inf:
        raise ValueError(f"--shown-radius = {options.shown_radius:g} m is not a finite length above 0 m")

    def write(folder: Path, planet: Planet) -> dict[str, Any]:
        files = write_planet_package(folder, planet, options.width, options.shown_radius, options.exaggeration)
        return {"files": len(files), "lowest": float(planet.surface.min()), "highest": float(planet.surface.max())}

    return _each_planet(options, write)


def _here(options: argparse.Namespace) -> int:
    """Write the recipe and the heights of a landscape: a square of a planet, with climate and species of the place."""
    samples = next(one for one in parameters_of(Recipe) if one.name == "resolution")
    KINDS[samples.kind].check(replace(samples, name="samples"), options.samples)
    square = Square(options.at, options.size, options.samples, *options.square)

    def write(folder: Path, planet: Planet) -> dict[str, Any]:
        made = landscape_of_planet(planet, square, ElevationModel(path=_HEIGHTS))
        with write_together(folder, record=_RECIPE) as part:
            np.save(part / _HEIGHTS, made.heights.heights[::-1])
            (part / _RECIPE).write_text(made.recipe.dumps(), encoding="utf-8", newline="\n")
        low, high = made.heights.limits
        species = [one.name for one in made.recipe.ecosystem.species]
        facts = {"recipe": str(folder / _RECIPE), "lowest": low, "highest": high, "species": species}
        warnings = warnings_of_square(planet, square, made)
        return facts | ({"warnings": warnings} if warnings else {})

    return _each_planet(options, write)


def _each_planet(options: argparse.Namespace, write: Callable[[Path, Planet], dict[str, Any]]) -> int:
    """Build the planet of each seed, and write files of it; `write` returns facts for the report."""
    recipe = _recipe(options, _PLANETS)
    if options.resolution is not None:
        recipe = recipe.replace(resolution=options.resolution)
    elevation = read_planet_elevation(recipe)
    seeds = options.seed or range(recipe.seed, recipe.seed + 1)
    for seed in seeds:
        started = time.perf_counter()
        folder = options.out / f"seed_{seed}" if len(seeds) > 1 else options.out
        facts = write(folder, build_planet(recipe.replace(seed=seed), elevation=elevation))
        seconds = round(time.perf_counter() - started, 3)
        _say({"seed": seed, "folder": str(folder)} | facts | {"seconds": seconds}, options)
    return 0


def _world(options: argparse.Namespace) -> int:
    """Make land larger than memory, tile by tile; needs dask and zarr."""
    is_named = bool(options.recipe or options.set or options.seed or options.feature or options.biome)
    _refuse_many_seeds(options, "a world has 1 seed", "make one world after the other")
    options.recipe = options.recipe or _LANDSCAPES.default
    return make_world(_recipe(options), options, lambda facts: _say(facts, options), is_named=is_named)


# --- batches ----------------------------------------------------------------------------------------------------------


def _each(options: argparse.Namespace, work: Callable[[_Job, dict[str, Any]], None]) -> int:
    """Do the work for each seed; it fills the report.  A landscape that fails is reported, and the others continue."""
    failed = 0
    for job in _jobs(options):
        report: dict[str, Any] = {"seed": job.recipe.seed}
        started = time.perf_counter()
        try:
            work(job, report)
            report["seconds"] = round(time.perf_counter() - started, 3)
        except (ValueError, MemoryError, OSError) as error:
            failed += 1
            report["error"] = error_sentence(error)
        _say(report, options)
    return 1 if failed else 0


def _write_each(options: argparse.Namespace, work: _Work) -> int:
    """Write the files of each landscape, with its recipe and a record, all at once."""

    def write(job: _Job, report: dict[str, Any]) -> None:
        report["folder"] = str(job.folder)
        asked = work.asked | {"recipe": job.recipe.dumps()}
        inputs = input_digests(job.recipe)
        if options.resume and is_complete(job.folder, asked, inputs):
            report["skipped"] = True
            return
        own = work.package(job.recipe) if work.package else None
        obsolete = find_obsolete(job.folder, "_".join(own), own) if own else ()
        with write_together(job.folder, obsolete, RECORD) as part:
            land = _build_land(options, job, work.extent)
            facts = work.write(part, land)
            (part / _RECIPE).write_text(job.recipe.dumps(), encoding="utf-8", newline="\n")
            add_record(part, job.folder, asked, inputs)
        report |= _describe(land) | (facts or {})

    return _each(options, write)


def _build_land(options: argparse.Namespace, job: _Job, extent: Extent) -> Landscape:
    """Build the landscape of a job, and show the progress."""
    return build(job.recipe, inputs=read_inputs(job.recipe), extent=extent, report=_progress_bar(options, job))


def _jobs(options: argparse.Namespace) -> Iterator[_Job]:
    recipe = _recipe(options)
    seeds = options.seed or range(recipe.seed, recipe.seed + 1)
    out = getattr(options, "out", None) or Path()
    for seed in seeds:
        yield _Job(recipe.replace(seed=seed), out / f"seed_{seed}" if len(seeds) > 1 else out)


def _write_arrays(folder: Path, land: Landscape) -> None:
    """Write bedrock, sediment, maps and plants as one npz file, row 0 south; and roads and pads as JSON."""
    arrays = {"bedrock": land.terrain.bedrock, "sediment": land.terrain.sediment, **land.maps}
    if land.plants is not None:
        arrays |= {f"plants_{item.name}": getattr(land.plants, item.name) for item in fields(land.plants)}
    with atomic_write(folder / "landscape.npz") as file:
        np.savez(file, cell_size=np.float64(land.terrain.cell_size), **arrays)  # type: ignore[arg-type]
    if land.roads or land.pads:
        with atomic_write(folder / "roads.json") as file:
            file.write(road_text(land.terrain.grid, Built(land.roads, land.pads)).encode())


def _describe(land: Landscape) -> dict[str, Any]:
    """Return facts on a landscape for the report."""
    surface = land.terrain.surface
    described: dict[str, Any] = {
        "rows": surface.shape[0],
        "columns": surface.shape[1],
        "lowest": float(surface.min()),
        "highest": float(surface.max()),
    }
    if land.balances:
        described["balances"] = {name: _mass_balance(balance) for name, balance in land.balances.items()}
    if land.plants is not None:
        described["plants"] = len(land.plants)
    if land.warnings:
        described["warnings"] = list(land.warnings)
    return described


def _mass_balance(balance: MassBalance) -> dict[str, float]:
    """Return how a process changed the volume of the land, in m³."""
    return {item.name: getattr(balance, item.name) for item in fields(balance)} | {"error": balance.error}


# --- options and words ------------------------------------------------------------------------------------------------


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=prog, description="Landscapes from recipes.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_command(commands, "new", _new).add_argument("--out", type=Path, help="file to write (default: the terminal)")
    _add_command(commands, "info", _info)
    _add_batch(commands, "build", _build)
    _add_bake(_add_batch(commands, "bake", _bake))
    _add_export(_add_batch(commands, "export", _export))
    _add_render(_add_batch(commands, "render", _render))
    _add_command(commands, "realism", _realism).add_argument(
        "--class",
        dest="land_class",
        choices=LAND_CLASSES,
        help="the kind of measured land (default: that of the recipe, or mountains)",
    )
    _add_compare(commands)
    add_world_options(_add_command(commands, "world", _world))
    for name, run, add in (("planet", _planet, _add_planet), ("here", _here, _add_here)):
        added = _add_command(commands, name, run, _PLANETS)
        added.add_argument("--out", type=Path, default=Path(), help="folder for the files; several seeds get one each")
        added.add_argument("--resolution", type=int, metavar="N", help="samples along an edge of each face: 2ⁿ + 1")
        add(added)
    return parser


def _add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], kind: _RecipeKind = _LANDSCAPES
) -> argparse.ArgumentParser:
    """Add a command that takes a recipe."""
    added: argparse.ArgumentParser = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
    added.set_defaults(run=run)
    presets = (*kind.presets(), *planet_preset_names()) if run in (_new, _info) else kind.presets()
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
    if kind is _LANDSCAPES:
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
            choices=(*biome_presets(), _BY_CLIMATE),
            help="give the land the plants of a biome, in place of its own, or as its climate asks for",
        )
    added.add_argument("--seed", type=_seeds, metavar="N or A..B", help="seed, or a range of them for a batch")
    added.add_argument("--json", action="store_true", help="print one JSON object per line instead of text")
    return added


def _add_batch(commands: Any, name: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
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
    export.add_argument("--engine", choices=(*_MESHES, *ENGINES), default="glb", help="format or engine (default: glb)")
    export.add_argument("--name", help="name of the level in the engine, and of its folder (default: the recipe's)")
    export.add_argument(
        "--lod", type=int, metavar="N", help="level of detail of plants in glb, gltf and usda: 0, 1 or 2"
    )
    export.add_argument("--compress", action="store_true", help=f"make a glb smaller with {TOOL}, if it is installed")
    for name, (kind, unit, text) in _PACKAGE_SIZES.items():
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


def _add_compare(commands: Any) -> None:
    """Add the command that takes several recipes."""
    compare = commands.add_parser("compare", help=_compare.__doc__, description=_compare.__doc__)
    compare.set_defaults(run=_compare)
    compare.add_argument("recipes", nargs="+", metavar="RECIPE", help="recipe files, or names of presets")
    compare.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change all recipes")
    compare.add_argument(
        "--seeds", type=_number_of_seeds, default=3, metavar="N", help="lands of each recipe (default: 3)"
    )
    compare.add_argument("--resolution", type=int, default=513, metavar="N", help="vertices a side (default: 513)")
    compare.add_argument("--out", type=Path, metavar="PLOT.svg", help="also draw the comparison into this file")
    compare.add_argument("--class", dest="land_class", choices=LAND_CLASSES, help="the kind of measured land")
    compare.add_argument("--json", action="store_true", help="print one JSON object per line instead of a table")


def _recipe(options: argparse.Namespace, kind: _RecipeKind = _LANDSCAPES) -> Any:
    """Return the recipe of a file or preset, with the changes of the options."""
    recipe = _named_recipe(options.recipe, kind)
    for path in getattr(options, "feature", ()):
        recipe = recipe.replace(features=(*recipe.features, *load_features(path)))
    recipe = override(recipe, options.set)
    if getattr(options, "biome", None):
        # Plants follow size and snow line; and what is set counts more than the biome.
        recipe = override(_with_biome(recipe, options), options.set)
    return recipe.replace(seed=options.seed[0]) if options.seed else recipe


def _refuse_many_seeds(options: argparse.Namespace, rule: str, instead: str) -> None:
    """Refuse a range of seeds for a command that uses one."""
    if options.seed and len(options.seed) > 1:
        raise ValueError(f"{rule}, but --seed asks for {len(options.seed)}; {instead}")


def _with_biome(recipe: Recipe, options: argparse.Namespace) -> Recipe:
    """Return a recipe with the plants of the biome of the options, by its climate on the land of the first seed."""
    if options.biome != _BY_CLIMATE:
        return recipe.with_biome(options.biome)
    seed = options.seed[0] if options.seed else recipe.seed
    small = recipe.replace(seed=seed, resolution=min(recipe.resolution, CHOICE_RESOLUTION))
    chosen = with_biome_of_climate(build(small, inputs=read_inputs(small), extent="maps"))
    return chosen.replace(seed=recipe.seed, resolution=recipe.resolution)


def _kind_of(name: str) -> _RecipeKind:
    """Return the kind of the recipe in a file or preset."""
    if name in planet_preset_names() and name not in preset_names():
        return _PLANETS
    try:
        is_planet = Path(name).is_file() and load_recipe_file(Path(name), parse_recipe).get("kind") == "planet"
    except ValueError:
        return _LANDSCAPES  # which says what is wrong
    return _PLANETS if is_planet else _LANDSCAPES


def _named_recipe(name: str, kind: _RecipeKind = _LANDSCAPES) -> Any:
    """Return the recipe of a file or preset."""
    path = Path(name)
    if name in kind.presets():
        return kind.recipe.preset(name)
    if not path.is_file():
        raise ValueError(f"{name!r} is neither a file nor a preset; presets: {', '.join(kind.presets())}")
    return kind.load(path)


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
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor a range such as 1..100") from None
    if not 0 <= begin <= end < 2**31 or end - begin >= _MOST_SEEDS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a rising range of up to {_MOST_SEEDS} seeds from 0 to 2147483647"
        )
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


def _progress_bar(options: argparse.Namespace, job: _Job) -> Callable[[Progress], None] | None:
    """Return a function that draws the progress in the terminal, None if there is no terminal."""
    if options.json or not sys.stderr.isatty():
        return None

    def show(progress: Progress) -> None:
        sys.stderr.write(f"\rseed {job.recipe.seed} {text_bar(progress.fraction)} {progress.stage:36.36}")
        sys.stderr.flush()

    return show


def _say(facts: dict[str, Any], options: argparse.Namespace) -> None:
    """Print facts as one line of JSON, or as text: one line of single values, then a line for each part of others."""
    if options.json:
        print(json.dumps(_with_null(facts), ensure_ascii=False, allow_nan=False), flush=True)
        return
    clear = "\r" + 80 * " " + "\r" if sys.stderr.isatty() else ""
    sys.stderr.write(clear)
    several = {name: value for name, value in facts.items() if isinstance(value, dict | list)}
    print("  ".join(f"{name} {_words(value)}" for name, value in facts.items() if name not in several))
    for name, value in several.items():
        parts = [f"{part} {_words(inner)}" for part, inner in value.items()] if isinstance(value, dict) else value
        print("".join(f"  {line}\n" for line in (f"{name}:", *(f"  {part}" for part in parts)) if parts), end="")
    sys.stdout.flush()


def _with_null(value: Any) -> Any:
    """Return a value for JSON, which knows no NaN: with None for each number that is not known."""
    if isinstance(value, dict):
        return {name: _with_null(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_with_null(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _words(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return "; ".join(f"{name} {_words(inner)}" for name, inner in value.items())
    return str(value)
