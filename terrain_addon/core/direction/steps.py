"""Drawn cliffs: steps along a line, raised before and after erosion, and held while the land erodes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.easing import ease_of
from ..foundation.sampling import sample
from ..foundation.terrain import Field
from .features import Cliff
from .lines import DrawnLine, Numbers, measure_nearness, smooth_line, values_at

# Means over three points of a line, before what lacks of a step is made again.
_EVENING = 4


class Step(NamedTuple):
    """A cliff: on the left of the line the land is higher, by a height that fades at both ends.

    Parameters
    ----------
    line : DrawnLine
        Where the step is.
    height : float
        Metres.
    width : float
        How far the land is lifted and lowered, in metres.
    """

    line: DrawnLine
    height: float
    width: float


class HeldStep(NamedTuple):
    """A step on a grid, for `hold_step`.

    Parameters
    ----------
    cell : ndarray of int64, shape (cells,)
        Flat indices of the cells that rise and sink with it.
    weight : ndarray of float32, shape (cells,)
        How far each moves for a metre that lacks: above 0 on the left, below on the right.
    place : ndarray of float32, shape (cells,)
        Where on the line it is nearest; see `Nearness`.
    left, right : ndarray of int64, shape (points,)
        Flat indices of the cells on both sides of each point of the line.
    wanted : ndarray of float64, shape (points,)
        Height of the step there, in metres.
    """

    cell: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float32]
    place: npt.NDArray[np.float32]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    wanted: Numbers


def find_step(cliff: Cliff, spacing: float) -> Step:
    """Return a drawn cliff as a step.

    Parameters
    ----------
    cliff : Cliff
        With two points or more.
    spacing : float
        Between points of lines, in metres.

    Returns
    -------
    Step
    """
    return Step(smooth_line(cliff.points, spacing), cliff.height * cliff.strength, cliff.width)


def raise_steps(surface: Field, steps: Sequence[Step], cell_size: float) -> Field:
    """Return a land with a step along each line; what of it is there already is not made again.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    steps : sequence of Step
        From `find_step`.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Half of the step is lifted, half lowered.
    """
    change = np.zeros_like(surface)
    for step in steps:
        near = measure_nearness(step.line, surface.shape, cell_size, step.width)
        reached = near.side != 0
        missing = step.height - _step_there(surface, _sides(step.line, surface.shape, cell_size), cell_size)
        half = values_at(0.5 * np.maximum(missing, 0.0) * _taper(step), near.place[reached])
        share = np.float32(1.0) - near.distance[reached] / np.float32(step.width)
        change[reached] += near.side[reached] * half * share * share
    return surface + change


def hold_of(step: Step, shape: tuple[int, int], cell_size: float) -> HeldStep:
    """Return what `hold_step` needs of a step on a grid.

    Parameters
    ----------
    step : Step
        From `find_step`.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    HeldStep
    """
    near = measure_nearness(step.line, shape, cell_size, step.width)
    cell = np.flatnonzero(near.side)
    share = np.float32(1.0) - near.distance.ravel()[cell] / np.float32(step.width)
    weight = np.float32(0.5) * near.side.ravel()[cell] * share * share
    left, right = (
        np.clip(np.rint(y / cell_size), 0, shape[0] - 1).astype(np.int64) * shape[1]
        + np.clip(np.rint(x / cell_size), 0, shape[1] - 1).astype(np.int64)
        for x, y in _sides(step.line, shape, cell_size)
    )
    return HeldStep(cell, weight, near.place.ravel()[cell], left, right, step.height * _taper(step))


def hold_step(height: Numbers, held: HeldStep) -> float:
    """Let the land rise on the left of a step and sink on its right where less of it is left than drawn, in place.

    Parameters
    ----------
    height : ndarray of float64, shape (rows, columns)
        Heights in metres.
    held : HeldStep
        From `hold_of`, for this grid.

    Returns
    -------
    float
        Height that rose, less what sank, summed over the cells, in metres.
    """
    heights = height.ravel()
    lack = held.wanted - (heights[held.left] - heights[held.right])
    # Where a valley crosses it the step stays open: only what lacks over some way counts.
    for _ in range(_EVENING):
        lack[1:-1] = 0.25 * (lack[:-2] + 2.0 * lack[1:-1] + lack[2:])
    change = held.weight * values_at(np.maximum(lack, 0.0), held.place)
    heights[held.cell] += change
    return float(change.sum(dtype=np.float64))


def _taper(step: Step) -> Numbers:
    """Share of the height of a step at each point of its line: it fades at both ends."""
    along = step.line.along
    ends = np.minimum(along, along[-1] - along) / max(min(0.5 * step.width, 0.25 * float(along[-1])), 1e-9)
    share = np.minimum(ends, 1.0)
    return ease_of(share)


def _sides(line: DrawnLine, shape: tuple[int, int], cell_size: float) -> list[tuple[Numbers, Numbers]]:
    """Places one and a half cells to the left and to the right of a line."""
    dx, dy = np.gradient(line.x), np.gradient(line.y)
    length = np.maximum(np.sqrt(dx * dx + dy * dy), 1e-9)
    away = 1.5 * cell_size
    return [
        (
            np.clip(line.x - side * away * dy / length, 0.0, (shape[1] - 1) * cell_size),
            np.clip(line.y + side * away * dx / length, 0.0, (shape[0] - 1) * cell_size),
        )
        for side in (1.0, -1.0)
    ]


def _step_there(surface: Field, sides: list[tuple[Numbers, Numbers]], cell_size: float) -> Numbers:
    """How much higher the land is on the left of a line than on the right."""
    left, right = (sample(surface, cell_size, x, y).astype(np.float64) for x, y in sides)
    return np.asarray(left - right)
