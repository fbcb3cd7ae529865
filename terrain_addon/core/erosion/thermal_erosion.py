"""Heat and frost: lit, steep rock crumbles, and the scree slides to its angle of repose."""

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
class ThermalErosion(ParameterSet):
    """Lit, steep rock crumbles to scree, which slides down and gathers at the foot of the slopes."""

    enabled: bool = parameter(True, "Whether this process takes part")
    rate: float = parameter(0.1, "How readily rock crumbles, the rate T of the published model", limits=(0.0, 1.0))
    passes: int = parameter(
        10, "How often rock crumbles and scree slides; more passes lower the crests", limits=(1, 1000), soft=(1, 50)
    )
    talus_angle: float = parameter(
        45.0, "Steepest slope on which scree stays", unit="°", limits=(0.0, 89.0), soft=(20.0, 50.0)
    )
    depth: float = parameter(
        10.0,
        "Rock that one pass at rate 1 would take from a fully lit, vertical wall",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 50.0),
        advanced=True,
    )
    stabilise: bool = parameter(True, "Whether scree slides after each pass or stays where it broke off", advanced=True)


def erode_by_frost(terrain: Terrain, process: ThermalErosion, *, illumination: Field | None = None) -> Steps[Eroded]:
    """Turn rock to scree where it is steep and lit, let it slide, and again.

    Each pass is the published thermal start with Sl the sine of the slope angle, measured anew, and `depth` metres for
    T · Sl · I = 1, then the stabilisation.  Depth is a length and slopes are taken over true distances, so a finer grid
    shows the same land more finely.

    Parameters
    ----------
    terrain : Terrain
        The land.  Nothing leaves it.
    process : ThermalErosion
        How much, how often, how steep.
    illumination : ndarray of float32, shape (rows, columns), optional
        0 to 1; everything is lit if left out.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns what there is.

    Returns
    -------
    Eroded
        No sediment steeper than the talus angle + 0.1°, if `stabilise` is on; the volume is unchanged.

    Raises
    ------
    ValueError
        If the illumination has another shape than the land, or values outside 0 to 1.
    """
    light = share_map(illumination, "illumination", terrain)
    before = volume_of(terrain)
    bedrock, surface = terrain.bedrock, heights_of(terrain)
    early: bool | None = yield 0.0
    for number in range(process.passes):
        if early:
            break
        slope = published_slope(surface, terrain.cell_size)
        # The surface stays exactly where it is; sediment is what lies between it and the rock.
        bedrock, _ = thermal_start(bedrock, surface - bedrock, slope, light, process.rate * process.depth)
        if process.stabilise:
            slides = settle(surface, bedrock, terrain.cell_size, process.talus_angle)
            early = yield from within(slides, number / process.passes, (number + 1) / process.passes)
        early = early or (yield (number + 1) / process.passes)
    after = Terrain(bedrock, (surface - bedrock).astype(np.float32), terrain.cell_size)
    return Eroded(after, MassBalance(before, volume_of(after)))


def thermal_start(
    bedrock: Layer, sediment: Layer, slope: npt.ArrayLike, illumination: npt.ArrayLike, rate: float
) -> tuple[Layer, Layer]:
    """Turn bedrock into sediment, as published: B − T · Sl · I and S + T · Sl · I.

    Parameters
    ----------
    bedrock, sediment : ndarray of float, shape (rows, columns)
        B and S in metres.
    slope, illumination : array_like of float
        Sl and I: any measure that is 0 where nothing shall happen, by custom up to 1.
    rate : float
        T; in the published examples 0.01, 0.1, 0.5 and 1.

    Returns
    -------
    tuple of ndarray
        B and S afterwards, new arrays of the types they had; their sum is unchanged.
    """
    crumbled = np.multiply(rate, slope) * illumination
    return (bedrock - crumbled).astype(bedrock.dtype), (sediment + crumbled).astype(sediment.dtype)


THERMAL_EROSION = Process(ThermalErosion, erode_by_frost, measurements=("illumination",))
