"""What a recipe makes, each output as a SHA-256, to compare threads, processors, Blenders and ways to build.

Run as a program it prints the digests of all stored recipes, or of those that are named, as JSON; ``--threads N`` says
how many threads make them, and ``--write`` stores them.  A change of what is stored is a change of every user's land.
"""

import argparse
import dataclasses
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parents[1] / "data"
RECIPES, STORED = DATA / "recipes", DATA / "digests.json"
"""Recipes with every parameter written out, so that other presets and other defaults do not change them."""
MAPS = ("height", "normal", "splat", "colour")
# What counts of the water: what users read, however it is kept.
_READ = {
    "Waters": ("sea_level", "water_level", "water_depth", "drainage_area", "lakes", "rivers"),
    "Lakes": ("level", "outlet", "area", "volume", "greatest_depth", "labels"),
}


def names() -> list[str]:
    """The stored recipes."""
    return sorted(file.stem for file in RECIPES.glob("*.json"))


def digests_of(name: str) -> dict[str, str]:
    """The digest of each output of a stored recipe."""
    from terrain_addon import core
    from terrain_addon.core.building.recipe import load_recipe
    from terrain_addon.core.meshing.road_mesh import make_road_mesh
    from terrain_addon.core.meshing.water_mesh import make_water_mesh
    from terrain_addon.files.baking import bake
    from terrain_addon.files.engines.package import write_package
    from terrain_addon.files.inputs import read_inputs
    from terrain_addon.files.landscape_glb import export_landscape

    recipe = load_recipe(RECIPES / f"{name}.json")
    land = core.build(recipe, inputs=read_inputs(recipe))
    made: dict[str, Any] = {field: getattr(land, field) for field in ("terrain", "plants", "forest", "waters")}
    made |= {f"map {key}": values for key, values in land.maps.items()}
    made |= {"detail": land.detail, "roads": land.roads, "pads": land.pads}
    made["water mesh"] = None if land.waters is None else make_water_mesh(land.terrain, land.waters)
    made["road mesh"] = make_road_mesh(land.terrain, land.roads, land.pads)
    digests = {key: digest(value) for key, value in made.items()}
    with tempfile.TemporaryDirectory() as folder:
        bake(Path(folder, "textures"), "land", land, MAPS)
        write_package(Path(folder, "package"), land, "generic")
        for part in ("textures", "package"):
            digests[part] = _digest_of_files(Path(folder, part))
        export_landscape(Path(folder, "land.glb"), land)
        digests["glb"] = hashlib.sha256(Path(folder, "land.glb").read_bytes()).hexdigest()
    return digests


def digest(value: Any) -> str:
    """The SHA-256 of all arrays and numbers in a value, in the order of its fields."""
    found = hashlib.sha256()
    for part in _parts(value):
        found.update(part)
    return found.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    elif isinstance(value, (bool, int, float, np.number, str, type(None))):
        yield repr(value.item() if isinstance(value, np.number) else value).encode()
    elif dataclasses.is_dataclass(value):
        for name in _READ.get(type(value).__name__, [field.name for field in dataclasses.fields(value)]):
            yield from _parts(getattr(value, name))
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield from _parts(key)
            yield from _parts(value[key])
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _parts(one)
    else:
        raise TypeError(f"{type(value)} has no digest")


def _digest_of_files(folder: Path) -> str:
    found = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


def stored() -> dict[str, dict[str, str]]:
    """The digests of all recipes as they are stored."""
    found: dict[str, dict[str, str]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.threads:
        from terrain_addon.core.foundation import compilation

        compilation.set_thread_count(options.threads)
    made = {one: digests_of(one) for one in options.names or names()}
    print(json.dumps(made, indent=1, sort_keys=True))
    if options.write:
        text = json.dumps(stored() | made, indent=1, sort_keys=True)
        STORED.write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    # As a program this file is run from the folder of the project.
    sys.path.insert(0, str(DATA.parents[1]))
    main()
