"""The stages that lay a relief: one for each layer, and one that shapes them all."""

from collections.abc import Callable, Mapping

import numpy as np

from ..foundation.progress import Steps
from ..foundation.stages import Results, Stage
from ..foundation.terrain import Field, Terrain
from ..maps.masks import Everywhere
from ..relief.elevation_model import ElevationModel
from ..relief.shaping import shape_relief
from ..relief.source import HeightLimits
from .layers import Inputs, Layer, Setting, apply_layer, inputs_of_layer, missing_inputs, stack_limits
from .measuring import RELIEF, Measured, reads_of
from .recipe import Recipe
from .stage import StageKind

Problems = Mapping[str, str]
"""For inputs that are not there, by key: the reason, as a sentence."""
NO_PROBLEMS: Problems = {}


def relief_stages(recipe: Recipe, inputs: Inputs, problems: Problems = NO_PROBLEMS) -> list[Stage]:
    """Return one stage for each layer, each on top of the one before, and one that shapes them all.

    Layers that are off, or lack an input, have no stage.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    inputs : mapping of str to StoredField
        What comes from outside, by key.
    problems : mapping of str to str
        Why inputs are not there, by key.

    Returns
    -------
    list of Stage
        The last one makes the terrain before erosion.

    Raises
    ------
    ValueError
        If no layer is left because of missing inputs.
    """
    grid, borders = recipe.grid, recipe.borders
    place = [grid.rows, grid.columns, grid.cell_size, grid.first_row, grid.first_column, recipe.seed, borders]
    limits = stack_limits(recipe.relief, inputs)
    layers = list(enumerate(recipe.relief.layers, start=1))
    working = [(index, layer) for index, layer in layers if layer.enabled and not missing_inputs(layer, inputs)]
    if not working and any(layer.enabled for _, layer in layers):
        files_were_read = inputs or problems or not any(isinstance(one.source, ElevationModel) for _, one in layers)
        hint = "" if files_were_read else "; give what terrain_addon.files.inputs.read_inputs(recipe) reads as inputs"
        raise ValueError(f"nothing is left of the relief: {'; '.join(warnings_of(recipe, inputs, problems))}{hint}")

    stages: list[Stage] = []
    for index, layer in working:
        needs = (stages[-1].name,) if stages else ()
        below = limits[index - 1]
        reads = [
            [place, layer.replace(name="").to_json(), below],
            recipe.time if layer.moves else 0.0,
            [reads_of(name, recipe) for name in layer.mask.maps],
            [inputs[key].digest for key in inputs_of_layer(layer)],
        ]
        compute = _lay(recipe, layer, below, needs, inputs)
        stages.append(Stage(StageKind.LAYER, f"layer {index}: {layer.name}", needs, reads, compute, index))

    def shape(results: Results) -> Steps[Terrain]:
        yield 0.0
        heights = results[needs[0]] if needs else np.zeros(grid.shape, np.float32)
        shaped = shape_relief(heights, grid, borders, recipe.relief.shaping, limits[-1])
        # Unlike that of `zeros_like`, this memory is taken only where something is written.
        return Terrain(shaped, np.zeros(shaped.shape, np.float32), grid.cell_size)

    needs = (stages[-1].name,) if stages else ()
    return [
        *stages,
        Stage(StageKind.RELIEF, RELIEF, needs, [place, recipe.relief.shaping.to_json(), limits[-1]], shape),
    ]


def warnings_of(recipe: Recipe, inputs: Inputs, problems: Problems = NO_PROBLEMS) -> tuple[str, ...]:
    """Return a sentence for each layer that lacks something it needs, and for a mask with no ground below.

    Parameters
    ----------
    recipe : Recipe
        Whose layers are asked.
    inputs : mapping of str to StoredField
        What there is, by key.
    problems : mapping of str to str
        Why inputs are not there, by key.

    Returns
    -------
    tuple of str
        With the name of the layer and the reason.
    """
    return (*_left_out(recipe, inputs, problems), *_holes(recipe))


def _holes(recipe: Recipe) -> tuple[str, ...]:
    """A sentence if the lowest layer has a mask, and no ground lies below it."""
    lowest = next((layer for layer in recipe.relief.layers if layer.enabled), None)
    altitude = getattr(lowest.source, "base_altitude", 0.0) if lowest is not None else 0.0
    if lowest is None or isinstance(lowest.mask, Everywhere) or altitude == 0.0:
        return ()
    return (
        f"layer {lowest.name!r} is the lowest and has a mask: where it does not act, the land lies at 0 m instead of "
        f"{altitude:g} m; put a layer without a mask below it",
    )


def _left_out(recipe: Recipe, inputs: Inputs, problems: Problems) -> tuple[str, ...]:
    """A sentence for each layer that lacks an input."""
    return tuple(
        f"layer {layer.name!r} is left out: {problems.get(key, f'{key} is not there')}"
        for layer in recipe.relief.layers
        if layer.enabled
        for key in missing_inputs(layer, inputs)
    )


def _lay(
    recipe: Recipe, layer: Layer, limits: HeightLimits, needs: tuple[str, ...], inputs: Inputs
) -> Callable[[Results], Steps[Field]]:
    def compute(results: Results) -> Steps[Field]:
        yield 0.0
        grid = recipe.grid
        below: Field | None = results[needs[0]] if needs else None
        ground = np.zeros(grid.shape, np.float32) if below is None else below
        # Nothing has been deposited on it yet: it is its own relief.
        beneath = Terrain(ground, np.zeros_like(ground), grid.cell_size)
        maps = Measured(beneath, recipe, relief=beneath)
        return apply_layer(below, layer, Setting(grid, recipe.seed, inputs, recipe.time, recipe.borders, maps), limits)

    return compute
