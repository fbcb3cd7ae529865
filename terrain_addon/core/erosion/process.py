"""The declaration of a process of erosion, from which everything else follows.

From a `Process` follow its entry in the list of a recipe, in the panel and on the command line, its stages in the plan,
what makes them out of date, and the laws that tests hold it to.  To add a process, write a parameter set and a function
that works on a terrain, declare them below it, and list the declaration in `processes`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from ..foundation.parameters import ParameterSet, parameter, variant
from ..foundation.progress import Steps
from ..maps.masks import MASKS, Mask
from .mass_balance import Eroded


@dataclass(frozen=True)
class ProcessParameters(ParameterSet):
    """Base of the parameters of all processes."""

    enabled: bool = parameter(True, "Whether this process takes part")
    mask: Mask = variant(MASKS, "Where this process acts; elsewhere the land stays as it finds it")

    def acting_at(self, altitude: float) -> Self:
        """Return this process with settings by which it acts on land above an altitude; most do so with any.

        Parameters
        ----------
        altitude : float
            Metres.

        Returns
        -------
        Self
            For compiling ahead, which needs every kernel called once.
        """
        return self


class Factor(NamedTuple):
    """Something that a mask changes from place to place.

    Parameters
    ----------
    name : str
        The parameter that holds the mask, and the keyword by which `work` takes the field.
    least, most : float
        What it is multiplied by where the mask is 0 and 1.
    """

    name: str
    least: float
    most: float


RAIN = Factor("rain", 0.1, 1.0)
HARDNESS = Factor("hardness", 1.0, 8.0)


@dataclass(frozen=True)
class History:
    """A process that gives its terrain at any age once its history is known.

    Attributes
    ----------
    follow : callable
        As `Process.work`, gives the steps towards the history.
    grow : callable
        ``grow(history, value)`` gives the steps towards the terrain.
    age : str
        The parameter on which only `grow` depends.
    doing : str
        What following the history does, for a progress bar.
    """

    follow: Callable[..., Steps[Any]]
    grow: Callable[[Any, Any], Steps[Eroded]]
    age: str
    doing: str


@dataclass(frozen=True)
class Process:
    """How a process is declared and run.

    Attributes
    ----------
    parameters : type of ProcessParameters
        Its settings.
    work : callable
        ``work(terrain, parameters, **inputs)`` gives the steps that change the terrain.
    exchanged : tuple of str
        Terms of its `MassBalance` that may differ from 0, ``uplifted`` and ``left``; without any, the rock and sediment
        of the land stay the same volume.
    seeded : bool
        Whether `work` takes the keyword ``seed``.
    at_sea : bool
        Whether `work` takes the keyword ``sea_level``, in metres or None.
    fed : bool
        Whether `work` takes the keyword ``inflows``: rivers that come from beyond the land.
    factors : tuple of Factor
        Masks that `work` takes as fields.
    measurements : tuple of str
        Maps and other measurements of the terrain that `work` takes, by name.
    slides : bool
        Whether ground slides down slopes in it, which takes plants along.
    keeps_surface : bool
        Whether it only tells rock from sediment, and the surface stays where it is.
    land_class : str, optional
        The class of measured land that it makes.
    history : History, optional
        For a process whose age can change without computing everything again.
    reach : callable, optional
        ``reach(parameters, cell_size)`` gives how many cells around a place the process looks at, so that a large land
        can be made piece by piece; None where it may look at the whole land.
    overview : callable, optional
        For a process that takes the keyword ``overview``: the land on the grid of a preview, and the factors there.
        Makes it from the terrain, the fields of `factors` and the `measurements`.
    directed : bool
        Whether `work` takes the keyword ``drawing``: what somebody drew, which it obeys.
    sketch : callable, optional
        As `work`, but quicker and less exact, for a process that is too slow to follow what is being drawn.
    layers : int
        How many float32 fields would fill the memory that is in use while it acts, with the land before all erosion,
        before it and after it; measured, see docs/trust.md.
    """

    parameters: type[ProcessParameters]
    work: Callable[..., Steps[Eroded]]
    exchanged: tuple[str, ...] = ()
    seeded: bool = False
    at_sea: bool = False
    fed: bool = False
    factors: tuple[Factor, ...] = ()
    measurements: tuple[str, ...] = ()
    history: History | None = None
    slides: bool = False
    keeps_surface: bool = False
    land_class: str | None = None
    overview: Callable[..., Any] | None = None
    directed: bool = False
    reach: Callable[[Any, float], int | None] | None = None
    sketch: Callable[..., Steps[Eroded]] | None = None
    layers: int = 18
