"""Recipes of landscapes that begin with given heights: an elevation file, or a mesh of the scene."""

from pathlib import Path

import bpy

from ...core.building.given_land import fit_to_land
from ...core.building.layers import Layer, Relief
from ...core.building.recipe import Recipe
from ...core.erosion.stream_power import StreamPower
from ...core.foundation.placement import Placement
from ...core.relief.elevation_model import ElevationModel
from ...core.relief.stored_heights import StoredHeights
from ...files.elevation import ElevationPreview
from ..data.mesh_heights import heights_of_mesh
from .inputs import MESH

# Sources of heights that come from outside.
_GIVEN = (ElevationModel.model(), StoredHeights.model())

MOST_BY_DEFAULT = 1025
"""Vertices along the longer side of an imported land, unless the user asks for more."""


def recipe_of_elevation(
    preview: ElevationPreview, model: ElevationModel, *, true_size: bool, width: float, resolution: int
) -> Recipe:
    """Return the recipe of a land with the heights of a file, and with gentle erosion that is off.

    Parameters
    ----------
    preview : ElevationPreview
        Of the file.
    model : ElevationModel
        Which part of the file is used, and how its values become heights; its placement is chosen here.
    true_size : bool
        Whether the land is as large as the file says, if the file says so.
    width : float
        Metres from west to east otherwise.
    resolution : int
        Vertices from west to east; 0 takes one for each sample, up to `MOST_BY_DEFAULT` along a side.

    Raises
    ------
    ValueError
        If the part has less than two rows or columns.
    """
    rows, columns = preview.part(model.crop.shares)
    if min(rows, columns) < 2:
        raise ValueError(f"the part has {columns} × {rows} samples; land needs 2 × 2 or more")
    is_true = true_size and preview.cell_size is not None
    cell = preview.cell_size if is_true and preview.cell_size else width / (columns - 1)
    share = min(1.0, (MOST_BY_DEFAULT - 1) / (max(rows, columns) - 1))
    source = model.replace(placement=Placement(fit="true_size" if is_true else "stretched"))
    relief = Relief(layers=(Layer(name=Path(model.path).stem, source=source),))
    return Recipe(
        width=(columns - 1) * cell,
        depth=(rows - 1) * cell,
        resolution=resolution or max(round((columns - 1) * share), 1) + 1,
        relief=relief,
        erosion=_erosion_that_is_off(relief),
    )


def recipe_of_mesh(mesh: bpy.types.Object, resolution: int) -> Recipe:
    """Return the recipe of a land with the heights of a mesh object, at its size, and with gentle erosion that is off.

    Parameters
    ----------
    mesh : Object
    resolution : int
        Vertices from west to east.

    Raises
    ------
    ValueError
        If the mesh has no surface that can be seen from above.
    """
    heights = heights_of_mesh(mesh)
    if heights is None or heights.cell_size is None:
        raise ValueError(f"{mesh.name} has no surface that can be seen from above")
    rows, columns = heights.heights.shape
    relief = Relief(layers=(Layer(name=mesh.name, source=StoredHeights(key=MESH + mesh.name)),))
    return Recipe(
        width=(columns - 1) * heights.cell_size,
        depth=(rows - 1) * heights.cell_size,
        resolution=resolution,
        relief=relief,
        erosion=_erosion_that_is_off(relief),
    )


def _erosion_that_is_off(relief: Relief) -> tuple[StreamPower, ...]:
    """Return erosion for given land, which keeps its shape until users switch this on."""
    return (fit_to_land(StreamPower(enabled=False), relief),)


def next_step(land: bpy.types.Object) -> str:
    """Return what users can do next with land of given heights to which nothing was added yet; empty for other land."""
    recipe = land.landscape.recipe
    is_given = any(layer.source.model in _GIVEN for layer in recipe.relief.layers)
    is_eroded = any(getattr(process, process.model).enabled for process in recipe.erosion)
    if not is_given or is_eroded or land.landscape.plants is not None:
        return ""
    return (
        "The heights are as they were given. "
        "Next: switch on a process under Erosion, or open the panel Plants and press Plant"
    )


def facts_of(preview: ElevationPreview) -> list[tuple[str, str]]:
    """Return what an elevation file contains, as lines of text with icons."""
    apart = "" if preview.cell_size is None else f", {length_text(preview.cell_size)} apart"
    facts = [(f"{preview.columns:,} × {preview.rows:,} samples{apart}", "MESH_GRID")]
    if preview.width is None or preview.depth is None:
        facts.append(("The file does not say its size", "INFO"))
    else:
        facts.append((f"{length_text(preview.width)} wide, {length_text(preview.depth)} deep", "ARROW_LEFTRIGHT"))
    if preview.coordinates:
        facts.append((preview.coordinates, "WORLD"))
    about = "" if preview.is_complete else "about "
    if preview.is_picture:
        facts.append((f"Shades of grey, {about}{preview.lowest:.1%} to {preview.highest:.1%}", "IMAGE_DATA"))
    else:
        facts.append((f"{about.capitalize()}{preview.lowest:,.1f} m to {preview.highest:,.1f} m high", "RNDCURVE"))
    if preview.missing > 0.0:
        facts.append((f"{about.capitalize()}{preview.missing:.2%} of the heights are missing", "ERROR"))
    return facts


def length_text(metres: float) -> str:
    """Return a length in metres or kilometres as text."""
    return f"{metres / 1000.0:,.2f} km" if metres >= 1000.0 else f"{metres:.4g} m"
