"""Thermal erosion: heat and frost break lit, steep rock, and the scree slides to its talus angle.

This is the thermal half of the layered model; `erosion_factors` describes that model.  Its formulae have no numbers:

    B ← B − T · Sl · I        S ← S + T · Sl · I

>>> from terrain_addon.core.foundation.progress import run
>>> cliff = np.array([[0.0, 0.0, 40.0, 40.0]] * 3, np.float32)
>>> eroded = run(erode_by_frost(Terrain(cliff, np.zeros_like(cliff), 10.0), ThermalErosion(passes=1)))
>>> print(eroded.terrain.bedrock[1].round(2), eroded.terrain.sediment[1].round(2))
[ 0.   -0.89 39.11 40.  ] [0.   2.09 0.   0.  ]

References
----------
B. Benes and R. Forsbach (2001), "Layered data representation for visual simulation of terrain erosion", SCCG,
doi:10.1109/SCCG.2001.945341: bedrock and sediment as two layers.

F. K. Musgrave, C. E. Kolb and R. S. Mace (1989), "The synthesis and rendering of eroded fractal terrains", SIGGRAPH,
doi:10.1145/74333.74337: thermal weathering with a talus angle.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import parameter
from ..foundation.progress import Steps, within
from ..foundation.terrain import Field, Terrain
from .erosion_factors import checked_factor, slope_factor
from .layers import heights_of
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process, ProcessParameters
from .stabilisation import SLIDE_REACH, settle

_Heights = npt.NDArray[np.floating]


@dataclass(frozen=True)
class ThermalErosion(ProcessParameters):
    """Heat and frost break steep, lit rock into scree, which slides to the foot of the slopes."""

    rate: float = parameter(0.1, "How much rock breaks off in each pass", limits=(0.0, 1.0))
    passes: int = parameter(
        10, "How often rock crumbles and scree slides; more passes lower the crests", limits=(1, 1000), soft=(1, 50)
    )
    talus_angle: float = parameter(
        45.0, "Steepest slope on which scree stays", unit="°", limits=(0.0, 89.0), soft=(20.0, 50.0)
    )
    depth: float = parameter(
        10.0,
        "Thickness of rock that one pass at rate 1 removes from a fully lit, vertical wall",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 50.0),
        advanced=True,
    )
    stabilise: bool = parameter(True, "Whether scree slides after each pass or stays where it broke off", advanced=True)


def erode_by_frost(terrain: Terrain, process: ThermalErosion, *, illumination: Field | None = None) -> Steps[Eroded]:
    """Turn rock to scree where it is steep and lit, let the scree slide, and repeat.

    Each pass is one `thermal_step` and then the stabilisation.  Sl is the sine of the slope angle, measured again in
    each pass, and T · Sl · I = 1 removes `depth` metres.  Depth is a length and slopes count true distances, so a finer
    grid gives the same land with more detail.

    Parameters
    ----------
    terrain : Terrain
        The land.  Nothing leaves it.
    process : ThermalErosion
        Rate, number of passes, talus angle and depth.
    illumination : ndarray of float32, shape (rows, columns), optional
        0 to 1; without it everything is fully lit.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land as it is then.

    Returns
    -------
    Eroded
        If `stabilise` is on, no sediment is steeper than the talus angle + 0.1°.  The volume is unchanged.

    Raises
    ------
    ValueError
        If the illumination has another shape than the land, or values outside 0 to 1.
    """
    light = checked_factor(illumination, "illumination", terrain)
    before = volume_of(terrain)
    bedrock, surface = terrain.bedrock, heights_of(terrain)
    early: bool | None = yield 0.0
    for number in range(process.passes):
        if early:
            break
        slope = slope_factor(surface, terrain.cell_size)
        # The surface stays exactly where it is; sediment is the difference between it and the rock.
        bedrock, _ = thermal_step(bedrock, surface - bedrock, slope, light, process.rate * process.depth)
        if process.stabilise:
            slides = settle(surface, bedrock, terrain.cell_size, process.talus_angle)
            early = yield from within(slides, number / process.passes, (number + 1) / process.passes)
        early = early or (yield (number + 1) / process.passes)
    after = Terrain(bedrock, (surface - bedrock).astype(np.float32), terrain.cell_size)
    return Eroded(after, MassBalance(before, volume_of(after)))


def thermal_step(
    bedrock: _Heights, sediment: _Heights, slope: npt.ArrayLike, illumination: npt.ArrayLike, rate: float
) -> tuple[_Heights, _Heights]:
    """Turn bedrock into sediment as the layered model does: B − T · Sl · I and S + T · Sl · I.

    Parameters
    ----------
    bedrock, sediment : ndarray of float, shape (rows, columns)
        B and S in metres.
    slope, illumination : array_like of float
        Sl and I: any measure that is 0 where nothing happens, usually 0 to 1.
    rate : float
        T; usual settings are 0.01, 0.1, 0.5 and 1.

    Returns
    -------
    tuple of ndarray
        B and S afterwards, new arrays of the types they had; their sum is unchanged.
    """
    crumbled = np.multiply(rate, slope) * illumination  # T · Sl · I
    return (bedrock - crumbled).astype(bedrock.dtype), (sediment + crumbled).astype(sediment.dtype)


def _reach(process: ThermalErosion, cell_size: float) -> int:
    # Scree that stays where it is does not change the surface, so slopes stay too.
    return SLIDE_REACH if process.stabilise else 1


THERMAL_EROSION = Process(
    ThermalErosion,
    erode_by_frost,
    measurements=("illumination",),
    slides=True,
    reach=_reach,
    layers=22,
)
