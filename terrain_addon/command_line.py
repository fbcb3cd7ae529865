"""The command line: ``blender --command landscape …`` and ``python -m terrain_addon …``.

Only `render` needs Blender; all other commands run in any Python with numpy and numba.
"""

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from .command_options import (
    BY_CLIMATE,
    LANDSCAPES,
    MESHES,
    PACKAGE_SIZES,
    PLANETS,
    RecipeKind,
    joined_numbers,
    make_parser,
)
from .command_report import progress_bar, say, say_error
from .core.building.climate_biome import CHOICE_RESOLUTION, with_biome_of_climate
from .core.building.comparing import Compared, compare_recipe, table_head, table_line
from .core.building.judging import judge, land_class_of
from .core.building.landscape import Landscape, build
from .core.building.memory_needed import bytes_needed
from .core.building.overrides import override
from .core.building.plan import Extent, plan_of
from .core.building.planet_landscape import (
    Square,
    landscape_of_planet,
    spacing_of_samples,
    warnings_of_square,
)
from .core.building.recipe import Recipe, load_features, preset_names
from .core.erosion.mass_balance import MassBalance
from .core.foundation.error_text import error_sentence
from .core.foundation.numba_check import CompilerMissing
from .core.foundation.parameters import KINDS, parameters_of
from .core.foundation.recipe_text import load_recipe_file, parse_recipe
from .core.planet.planet import Planet, build_planet
from .core.planet.planet_recipe import PlanetRecipe, planet_preset_names
from .core.relief.elevation_model import ElevationModel
from .files.baking import bake, extent_for
from .files.comparison_plot import draw_comparison
from .files.compressing import compress, find_compressor
from .files.engines.engine import plain_name
from .files.engines.folder import PackageName, find_obsolete
from .files.engines.package import ENGINES, Package, PackageOptions, check_resolution, write_package
from .files.inputs import input_digests, read_inputs, read_planet_elevation
from .files.landscape_glb import export_landscape
from .files.numpy_arrays import write_npy
from .files.planet_package import write_planet_package
from .files.records import RECIPE, RECORD, add_record, is_complete
from .files.roads import Built, road_text
from .files.writing import atomic_write, check_target, write_together
from .worlds.command import make_world

_HEIGHTS = "heights.npy"


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
    parser = make_parser(prog, _COMMANDS)
    try:
        options = parser.parse_args(joined_numbers(arguments))
        options.prog, options.renderer = prog, render
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return int(options.run(options))
    except BrokenPipeError:
        # Who reads the lines has gone, as `head` does. What is left to write must not fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ValueError, CompilerMissing, MemoryError, OSError) as error:
        say_error(prog, error_sentence(error))
        return 1
    except KeyboardInterrupt:
        say_error(prog, "stopped")
        return 130


def _replace_closed_streams() -> None:
    """Let what is printed go nowhere if the shell has closed the terminal's output: Python has no stream then."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))


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
    if kind is PLANETS:
        say(_planet_facts(recipe), options)
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
    say(facts, options)
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
    asked = {name: getattr(options, name) for name in ("name", *PACKAGE_SIZES) if getattr(options, name) is not None}
    asked |= {"command": "export", "engine": options.engine} | ({"lod": options.lod} if options.lod else {})
    if options.engine in MESHES:
        refused = [f"--{name}" for name in asked if name in ("name", *PACKAGE_SIZES)]
        if refused:
            *some, last = ENGINES
            rule = f"work{'s' if len(refused) == 1 else ''} only with --engine {', '.join(some)} or {last}"
            raise ValueError(f"{', '.join(refused)} {rule}")

        compressor = find_compressor() if options.compress else None

        def write_mesh(folder: Path, land: Landscape) -> dict[str, Any]:
            path = folder / f"landscape.{options.engine}"
            plants = export_landscape(path, land, lod=options.lod or 0)
            if compressor is not None:
                compress(path, compressor)
            return _plants_written(land, plants)

        asked |= {"compress": True} if options.compress else {}
        return _write_each(options, _Work(asked, "plants", write_mesh))
    if options.lod is not None:
        raise ValueError("--lod: only glb, gltf and usda have it; packages have all levels of detail")
    sizes = {name: asked[name] for name in PACKAGE_SIZES if name in asked}
    name = options.name or plain_name(Path(options.recipe).stem)
    settings = PackageOptions(name=name, **sizes)
    check_resolution(options.engine, settings)
    many = options.seed is not None and len(options.seed) > 1

    def own(recipe: Recipe) -> PackageName:
        return PackageName(f"{name}_{recipe.seed}" if many else name, options.engine)

    def write(folder: Path, land: Landscape) -> dict[str, Any]:
        level = own(land.recipe)
        package = write_package(folder / "_".join(level), land, level.engine, replace(settings, name=level.name))
        return _package_facts(package) | _plants_written(land, package.manifest["plant_count"])

    return _write_each(options, _Work(asked, "plants", write, own))


def _plants_written(land: Landscape, count: int) -> dict[str, int]:
    """Return what the report says of the plants in a file, which has none that stand in water as it is shown."""
    return {} if land.plants is None else {"plants": count}


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
    if options.out is not None:
        check_target(options.out, "file")
    named = [(name, _named_recipe(name, LANDSCAPES.presets())) for name in options.recipes]
    lands = [(name, override(one.replace(resolution=options.resolution), options.set)) for name, one in named]
    recipes: list[Compared] = []
    for name, recipe in lands:
        compared = compare_recipe(Path(name).stem, recipe, options.seeds, read_inputs, options.land_class)
        is_other_class = not recipes or recipes[-1].land_class != compared.land_class
        if options.json:
            scores = [land.score for land in compared.lands]
            medians = {number.name: number.value for number in compared.medians}
            say({"recipe": compared.name, "class": compared.land_class, "scores": scores, "medians": medians}, options)
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
        with write_together(folder, record=RECIPE) as part:
            write_npy(part / _HEIGHTS, made.heights.heights[::-1])
            (part / RECIPE).write_text(made.recipe.dumps(), encoding="utf-8", newline="\n")
        low, high = made.heights.limits
        species = [one.name for one in made.recipe.ecosystem.species]
        facts = {"recipe": str(folder / RECIPE), "lowest": low, "highest": high, "species": species}
        warnings = warnings_of_square(planet, square, made)
        return facts | ({"warnings": warnings} if warnings else {})

    return _each_planet(options, write)


def _each_planet(options: argparse.Namespace, write: Callable[[Path, Planet], dict[str, Any]]) -> int:
    """Build the planet of each seed, and write files of it; `write` returns facts for the report."""
    recipe = _recipe(options, PLANETS)
    if options.resolution is not None:
        recipe = recipe.replace(resolution=options.resolution)
    elevation = read_planet_elevation(recipe)
    seeds = options.seed or range(recipe.seed, recipe.seed + 1)
    for seed in seeds:
        started = time.perf_counter()
        folder = options.out / f"seed_{seed}" if len(seeds) > 1 else options.out
        check_target(folder, "folder")
        facts = write(folder, build_planet(recipe.replace(seed=seed), elevation=elevation))
        seconds = round(time.perf_counter() - started, 3)
        say({"seed": seed, "folder": str(folder)} | facts | {"seconds": seconds}, options)
    return 0


def _world(options: argparse.Namespace) -> int:
    """Make land larger than memory, tile by tile; needs dask and zarr."""
    is_named = bool(options.recipe or options.set or options.seed or options.feature or options.biome)
    _refuse_many_seeds(options, "a world has 1 seed", "make one world after the other")
    options.recipe = options.recipe or LANDSCAPES.default
    return make_world(_recipe(options), options, lambda facts: say(facts, options), is_named=is_named)


# --- batches ----------------------------------------------------------------------------------------------------------


def _each(options: argparse.Namespace, work: Callable[[_Job, dict[str, Any]], None]) -> int:
    """Do the work for each seed; it fills the report.  A landscape that fails is reported, and the others continue.

    Errors are on the standard error; where programs read the output, they are in its report too.
    """
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
            say_error(options.prog, f"seed {job.recipe.seed}: {report['error']}")
            if not options.json:
                continue
        say(report, options)
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
        obsolete = find_obsolete(job.folder, "_".join(own), own) if own else []
        with write_together(job.folder, obsolete, RECORD) as part:
            land = _build_land(options, job, work.extent)
            facts = work.write(part, land)
            (part / RECIPE).write_text(job.recipe.dumps(), encoding="utf-8", newline="\n")
            obsolete += add_record(part, job.folder, asked, inputs)
        report |= _describe(land) | (facts or {})

    return _each(options, write)


def _build_land(options: argparse.Namespace, job: _Job, extent: Extent) -> Landscape:
    """Build the landscape of a job, and show the progress."""
    return build(
        job.recipe, inputs=read_inputs(job.recipe), extent=extent, report=progress_bar(job.recipe.seed, options)
    )


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


# --- recipes ----------------------------------------------------------------------------------------------------------


def _recipe(options: argparse.Namespace, kind: RecipeKind = LANDSCAPES) -> Any:
    """Return the recipe of a file or preset, with the changes of the options."""
    if kind is PLANETS:
        for name in ("feature", "biome"):
            if getattr(options, name, None):
                raise ValueError(f"--{name}: only landscapes have it, and {options.recipe} is a planet")
    recipe = _named_recipe(options.recipe, options.presets, kind)
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
    if options.biome != BY_CLIMATE:
        return recipe.with_biome(options.biome)
    seed = options.seed[0] if options.seed else recipe.seed
    small = recipe.replace(seed=seed, resolution=min(recipe.resolution, CHOICE_RESOLUTION))
    chosen = with_biome_of_climate(build(small, inputs=read_inputs(small), extent="maps"))
    return chosen.replace(seed=recipe.seed, resolution=recipe.resolution)


def _kind_of(name: str) -> RecipeKind:
    """Return the kind of the recipe in a file or preset."""
    if name in planet_preset_names() and name not in preset_names():
        return PLANETS
    try:
        is_planet = Path(name).is_file() and load_recipe_file(Path(name), parse_recipe).get("kind") == "planet"
    except ValueError:
        return LANDSCAPES  # which says what is wrong
    return PLANETS if is_planet else LANDSCAPES


def _named_recipe(name: str, presets: Sequence[str], kind: RecipeKind = LANDSCAPES) -> Any:
    """Return the recipe of a file or preset; `presets` are those that the command takes."""
    path = Path(name)
    if name in kind.presets():
        return kind.recipe.preset(name)
    if not path.is_file():
        raise ValueError(f"{name!r} is neither a file nor a preset; presets: {', '.join(presets)}")
    return kind.load(path)


_COMMANDS = {
    "new": _new,
    "info": _info,
    "build": _build,
    "bake": _bake,
    "export": _export,
    "render": _render,
    "realism": _realism,
    "compare": _compare,
    "world": _world,
    "planet": _planet,
    "here": _here,
}
