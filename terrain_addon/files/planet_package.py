"""A planet for engines and other programs: its GLB, its maps, and its recipe."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from ..core.planet.planet import Planet
from .engines.engine import SCRIPTS
from .planet_glb import write_planet_glb
from .planet_lines import write_planet_rivers
from .planet_maps import PLANET_RECORD, fill_with_maps
from .writing import write_together

GLB = "planet.glb"
"""Name of the file with the mesh."""

GODOT_SCRIPT = "import_planet.gd"
"""Name of the script that builds a scene in Godot 4."""

RIVERS = "rivers.geojson"
"""Name of the file with the rivers."""


def write_planet_package(
    folder: str | os.PathLike[str],
    planet: Planet,
    width: int = 4096,
    radius: float | None = None,
    exaggeration: float | None = None,
) -> tuple[Path, ...]:
    """Write a planet as `planet.glb`, its maps and rivers, its recipe, a script for Godot, and what all of them hold.

    Programs that read glTF 2.0 open `planet.glb` as it is.  Heights in metres are in
    `height_x_plus.exr` and so on, because some engines read only 8 bits of a PNG.  `import_planet.gd` makes a scene of
    `planet.glb` in Godot 4, with levels of detail by distance and air.

    Parameters
    ----------
    folder : str or PathLike
        Where the files go.  Files of these names are replaced, all together.
    planet : Planet
        What to write.
    width : int
        Pixels of equirectangular maps from west to east; see `planet_maps.write_planet_maps`.
    radius : float, optional
        Of the planet in `planet.glb` in metres; left out, its own.
    exaggeration : float, optional
        How much higher mountains are in `planet.glb` and in normal maps than they are, 0 to 200; left out, as the look
        of the recipe says.  With 1 they are true to scale.

    Returns
    -------
    tuple of Path
        The files, in alphabetical order.

    Raises
    ------
    ValueError
        If `width`, `radius` or `exaggeration` is out of range, or a file cannot be written.
    """
    if exaggeration is not None:
        look = planet.recipe.look.replace(exaggeration=exaggeration)
        planet = replace(planet, recipe=planet.recipe.replace(look=look))
    with write_together(folder, record=PLANET_RECORD) as part:
        fill_with_maps(part, planet, width)
        write_planet_glb(part / GLB, planet, radius)
        write_planet_rivers(part / RIVERS, planet)
        shutil.copyfile(SCRIPTS / GODOT_SCRIPT, part / GODOT_SCRIPT)
        names = sorted(path.name for path in part.iterdir())
    return tuple(Path(folder, name) for name in names)
