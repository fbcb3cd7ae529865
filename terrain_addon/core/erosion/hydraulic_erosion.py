"""Running water as published: it carries sediment off, and then rock, where the ground is wet and steep."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import ParameterSet, parameter
from ..foundation.progress import Steps, within
from ..foundation.terrain import Field, Terrain
from .layers import heights_of
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process
from .published_maps import published_slope, share_map
from .stabilisation import settle

Layer = npt.NDArray[np.floating]


@dataclass(frozen=True)
class HydraulicErosion(ParameterSet):
    """Water washes loose ground away where it is wet and steep, and cuts into the rock below."""

    enabled: bool = parameter(True, "Whether this process takes part")
    rate: float = parameter(0.1, "How much water carries off, the rate T of the published model", limits=(0.0, 1.0))
    passes: int = parameter(
        10, "How often water takes and the rest slides; more passes deepen the valleys", limits=(1, 1000), soft=(1, 50)
    )
    talus_angle: float = parameter(
        45.0, "Steepest slope on which loose ground stays", unit="°", limits=(0.0, 89.0), soft=(20.0, 50.0)
    )
    depth: float = parameter(
        10.0,
        "What one pass at rate 1 would take from a vertical wall in the wettest place",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 50.0),
        advanced=True,
    )
    stabilise: bool = parameter(True, "Whether loose ground slides after each pass", advanced=True)


def erode_by_water(terrain: Terrain, process: HydraulicErosion, *, humidity: Field | None = None) -> Steps[Eroded]:
    """Take sediment, and then rock, where it is steep and wet, let the rest slide, and again.

    Each pass is the published hydraulic start with Sl the sine of the slope angle, measured anew, and `depth` metres
    for T · H · Sl = 1, then the stabilisation.  The published humidity counts cells and so depends on their size; an
    index from 0 to 1, a depth that is a length, and slopes over true distances make the land the same on a finer grid.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : HydraulicErosion
        How much, how often, how steep.
    humidity : ndarray of float32, shape (rows, columns), optional
        0 to 1; all is as wet as can be if left out.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns what there is.

    Returns
    -------
    Eroded
        What the water takes leaves the land, as published; the books have it under `left`.

    Raises
    ------
    ValueError
        If the humidity has another shape than the land, or values outside 0 to 1.
    """
    wetness = share_map(humidity, "humidity", terrain)
    before, left = volume_of(terrain), 0.0
    bedrock, surface = terrain.bedrock, heights_of(terrain)
    early: bool | None = yield 0.0
    for number in range(process.passes):
        if early:
            break
        slope = published_slope(surface, terrain.cell_size)
        height = float(surface.sum())
        bedrock, sediment = hydraulic_start(bedrock, surface - bedrock, slope, wetness, process.rate * process.depth)
        surface = bedrock + sediment
        left += (height - float(surface.sum())) * terrain.cell_size**2
        if process.stabilise:
            slides = settle(surface, bedrock, terrain.cell_size, process.talus_angle)
            early = yield from within(slides, number / process.passes, (number + 1) / process.passes)
        early = early or (yield (number + 1) / process.passes)
    after = Terrain(bedrock, (surface - bedrock).astype(np.float32), terrain.cell_size)
    return Eroded(after, MassBalance(before, volume_of(after), left=left))


def hydraulic_start(
    bedrock: Layer, sediment: Layer, slope: npt.ArrayLike, humidity: npt.ArrayLike, rate: float
) -> tuple[Layer, Layer]:
    """Carry off Q = T · H · Sl, as published: from S what there is, the rest from B.

    If S ≤ Q, B − (Q − S) and S = 0, else S − Q.

    Parameters
    ----------
    bedrock, sediment : ndarray of float, shape (rows, columns)
        B and S in metres.
    slope, humidity : array_like of float
        Sl and H: any measure that is 0 where nothing shall happen; the published H is 1 on summits and grows with all
        the land above.
    rate : float
        T; in the published examples 0.01, 0.1, 0.5 and 1.

    Returns
    -------
    tuple of ndarray
        B and S afterwards, new arrays of the types they had; their sum is lower by Q.
    """
    carried = np.multiply(rate, humidity) * slope
    rock = bedrock - np.maximum(carried - sediment, 0.0)
    return rock.astype(bedrock.dtype), np.maximum(sediment - carried, 0.0).astype(sediment.dtype)


HYDRAULIC_EROSION = Process(HydraulicErosion, erode_by_water, exchanged=("left",), measurements=("humidity",))
