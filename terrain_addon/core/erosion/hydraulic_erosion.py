"""Hydraulic erosion: running water removes sediment, and then rock, where the ground is wet and steep.

This is the hydraulic half of the layered model; `erosion_factors` describes that model.  Its formulae have no numbers:

    Q = T · H · Sl        if S ≤ Q:  B ← B − (Q − S), S ← 0        else:  S ← S − Q

>>> from terrain_addon.core.foundation.progress import run
>>> slope = np.array([[0.0, 10.0, 20.0]] * 3, np.float32)
>>> eroded = run(erode_by_water(Terrain(slope, np.zeros_like(slope), 10.0), HydraulicErosion(passes=1)))
>>> print((slope - eroded.terrain.surface)[1].round(3), round(eroded.balance.left, 1))
[0.707 0.707 0.707] 636.4

References
----------
B. Benes and R. Forsbach (2001), "Layered data representation for visual simulation of terrain erosion", SCCG,
doi:10.1109/SCCG.2001.945341: bedrock and sediment as two layers.

F. K. Musgrave, C. E. Kolb and R. S. Mace (1989), "The synthesis and rendering of eroded fractal terrains", SIGGRAPH,
doi:10.1145/74333.74337: erosion by running water on a grid.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import parameter
from ..foundation.progress import Steps, within
from ..foundation.terrain import Field, Terrain
from ..maps.humidity import pour_humidity
from .erosion_factors import checked_factor, slope_factor
from .layers import heights_of
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process, ProcessParameters
from .stabilisation import SLIDE_REACH, settle

_Heights = npt.NDArray[np.floating]

_WETNESS = {
    "index": "The map humidity: from 0 on dry ridges to 1 on valley floors",
    "poured": "Water flows from each cell to its lower neighbours, more to steeper ones; the wettest place has 1",
}


@dataclass(frozen=True)
class HydraulicErosion(ProcessParameters):
    """Water washes loose ground away where it is wet and steep, and cuts into the rock below."""

    rate: float = parameter(0.1, "How much ground the water carries away in each pass", limits=(0.0, 1.0))
    passes: int = parameter(
        10,
        "How often water erodes and loose ground slides; more passes deepen the valleys",
        limits=(1, 1000),
        soft=(1, 50),
    )
    talus_angle: float = parameter(
        45.0, "Steepest slope on which loose ground stays", unit="°", limits=(0.0, 89.0), soft=(20.0, 50.0)
    )
    depth: float = parameter(
        10.0,
        "Thickness of ground that one pass at rate 1 removes from a vertical wall in the wettest place",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 50.0),
        advanced=True,
    )
    stabilise: bool = parameter(True, "Whether loose ground slides after each pass", advanced=True)
    wetness: str = parameter("index", "How the wetness of each place is found", choices=_WETNESS, advanced=True)


def erode_by_water(terrain: Terrain, process: HydraulicErosion, *, humidity: Field | None = None) -> Steps[Eroded]:
    """Remove sediment, and then rock, where it is steep and wet, let the rest slide, and repeat.

    Each pass is one `hydraulic_step` and then the stabilisation.  Sl is the sine of the slope angle, measured again in
    each pass, and T · H · Sl = 1 removes `depth` metres.  The humidity of the layered model counts cells, so it depends
    on their size.  Here it is an index from 0 to 1, or the number of cells as a share of the largest one; depth is a
    length and slopes count true distances.  So a finer grid gives the same land with more detail.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : HydraulicErosion
        Rate, number of passes, talus angle and depth.
    humidity : ndarray of float32, shape (rows, columns), optional
        0 to 1; without it everything has humidity 1.  Poured wetness does not use it.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land as it is then.

    Returns
    -------
    Eroded
        What the water removes leaves the land; in the mass balance it is `left`.

    Raises
    ------
    ValueError
        If the humidity has another shape than the land, or values outside 0 to 1.
    """
    wetness = checked_factor(humidity, "humidity", terrain)
    before, left = volume_of(terrain), 0.0
    bedrock, surface = terrain.bedrock, heights_of(terrain)
    early: bool | None = yield 0.0
    for number in range(process.passes):
        if early:
            break
        slope = slope_factor(surface, terrain.cell_size)
        if process.wetness == "poured":
            poured = pour_humidity(surface.astype(np.float32))
            wetness = poured / poured.max()
        height = float(surface.sum())
        bedrock, sediment = hydraulic_step(bedrock, surface - bedrock, slope, wetness, process.rate * process.depth)
        surface = bedrock + sediment
        left += (height - float(surface.sum())) * terrain.cell_size**2
        if process.stabilise:
            slides = settle(surface, bedrock, terrain.cell_size, process.talus_angle)
            early = yield from within(slides, number / process.passes, (number + 1) / process.passes)
        early = early or (yield (number + 1) / process.passes)
    after = Terrain(bedrock, (surface - bedrock).astype(np.float32), terrain.cell_size)
    return Eroded(after, MassBalance(before, volume_of(after), left=left))


def hydraulic_step(
    bedrock: _Heights, sediment: _Heights, slope: npt.ArrayLike, humidity: npt.ArrayLike, rate: float
) -> tuple[_Heights, _Heights]:
    """Remove Q = T · H · Sl as the layered model does: from S first, the rest from B.

    If S ≤ Q, the result is B − (Q − S) and 0, else B and S − Q.

    Parameters
    ----------
    bedrock, sediment : ndarray of float, shape (rows, columns)
        B and S in metres.
    slope, humidity : array_like of float
        Sl and H: any measure that is 0 where nothing happens.  In the layered model H is 1 on summits and grows
        with the land above.
    rate : float
        T; usual settings are 0.01, 0.1, 0.5 and 1.

    Returns
    -------
    tuple of ndarray
        B and S afterwards, new arrays of the types they had; their sum is lower by Q.
    """
    carried = np.multiply(rate, humidity) * slope  # Q = T · H · Sl
    rock = bedrock - np.maximum(carried - sediment, 0.0)
    return rock.astype(bedrock.dtype), np.maximum(sediment - carried, 0.0).astype(sediment.dtype)


def _reach(process: HydraulicErosion, cell_size: float) -> int | None:
    if process.wetness == "poured":
        return None  # It pours over the whole land.
    return process.passes + SLIDE_REACH * process.stabilise


HYDRAULIC_EROSION = Process(
    HydraulicErosion, erode_by_water, exchanged=("left",), measurements=("humidity",), reach=_reach, layers=22
)
