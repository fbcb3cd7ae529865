"""Snow that the wind carries: it leaves ground that the wind beats, and settles where ground shelters from the wind.

Shelter is Sx of Winstral, Elder & Davis (2002): the largest angle up to the ground that lies upwind within some
distance; it is below 0 where all of that ground lies lower.  The snow in the air, q, obeys along the wind

    dq/dx = e(Sx) · fresh snow − q / L(Sx)                                                                         (1)

in sweeps from the windward border, so every grain that leaves a place comes down at another one or leaves the land.

References
----------
Winstral, A., Elder, K. & Davis, R. E. (2002). Spatial snow modeling of wind-redistributed snow using terrain-based
parameters. Journal of Hydrometeorology 3, 524–538. doi:10.1175/1525-7541(2002)003<0524:SSMOWR>2.0.CO;2
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.elementary import cos, exp, sin
from ..foundation.terrain import Field

SHELTER_DISTANCE = 100.0
"""How far upwind shelter is looked for, in metres; Winstral et al. (2002) found 100 m best in their basin."""

# Sx in degrees at which wind takes all that it can, and at which it takes nothing.
_BEATEN, _HIDDEN = -10.0, 5.0
# Sx in degrees at which snow settles fastest, and the lengths in metres over which it settles there and in the open.
_SHELTERED = 15.0
_SHORT_WAY, _LONG_WAY = 50.0, 500.0


class WindFrame(NamedTuple):
    """How a land is turned so that the wind blows from its first row to its last.

    Attributes
    ----------
    transposed, flipped : bool
        Whether rows and columns change places, and then whether the order of rows is turned round.
    sideways : float
        Columns by which the wind is off its row when it comes to the next one, −1 to 1.
    """

    transposed: bool
    flipped: bool
    sideways: float

    def turned(self, field: Array) -> Array:
        """Return a field as the wind meets it.

        Parameters
        ----------
        field : ndarray, shape (rows, columns)
            As it lies on the land.

        Returns
        -------
        ndarray
            A new array.
        """
        turned = field.T if self.transposed else field
        return np.array(turned[::-1] if self.flipped else turned, order="C")

    def turned_back(self, field: Array) -> Array:
        """Return a field as it lies on the land.

        Parameters
        ----------
        field : ndarray, shape (rows, columns)
            As the wind meets it.

        Returns
        -------
        ndarray
            C-contiguous.
        """
        back = field[::-1] if self.flipped else field
        return np.ascontiguousarray(back.T if self.transposed else back)


def wind_frame(direction: float) -> WindFrame:
    """Return how to turn a land for a wind.

    Parameters
    ----------
    direction : float
        Degrees: where the wind comes from, clockwise from north.

    Returns
    -------
    WindFrame

    Examples
    --------
    >>> wind_frame(180.0).transposed, wind_frame(180.0).flipped, wind_frame(270.0).transposed
    (False, False, True)
    """
    east, north = -sin(math.radians(direction)), -cos(math.radians(direction))
    transposed = abs(east) > abs(north)
    along, across = (east, north) if transposed else (north, east)
    return WindFrame(transposed, along < 0.0, round(across / abs(along), 9))


class DriftLaw(NamedTuple):
    """What the wind does at each place, as it meets them.

    Attributes
    ----------
    taken : ndarray of float32, shape (rows, columns)
        Share of fresh snow that it takes at a time.
    settled : ndarray of float32, shape (rows, columns)
        Share of the snow in the air that comes down, above 0.
    sideways : float
        As in `WindFrame`.
    """

    taken: npt.NDArray[np.float32]
    settled: npt.NDArray[np.float32]
    sideways: float


def drift_law(shelter: Field, cell_size: float, strength: float, sideways: float) -> DriftLaw:
    """Return what a wind does on a land.

    Parameters
    ----------
    shelter : ndarray of float32, shape (rows, columns)
        Sx in degrees.
    cell_size : float
        Metres.
    strength : float
        Share of fresh snow that is taken from the most exposed ground, 0 to 1.
    sideways : float
        As in `WindFrame`.

    Returns
    -------
    DriftLaw
    """
    taken, settled = np.empty_like(shelter), np.empty_like(shelter)
    step = cell_size * math.sqrt(1.0 + sideways * sideways)
    _weigh(shelter.ravel(), strength, step, taken.ravel(), settled.ravel())
    return DriftLaw(taken, settled, sideways)


@kernel
def _weigh(shelter: Array, strength: float, step: float, taken: Array, settled: Array) -> None:
    """Write the shares of eq. (1) for one step."""
    for cell in range(shelter.size):
        beaten = (_HIDDEN - shelter[cell]) / (_HIDDEN - _BEATEN)
        taken[cell] = strength * min(max(beaten, 0.0), 1.0)
        hidden = min(max(shelter[cell] / _SHELTERED, 0.0), 1.0)
        per_metre = 1.0 / _LONG_WAY + hidden * (1.0 / _SHORT_WAY - 1.0 / _LONG_WAY)
        settled[cell] = 1.0 - exp(-per_metre * step)


def blow_snow(water: Array, fresh: Array, law: DriftLaw) -> float:
    """Let the wind carry fresh snow over a land once; afterwards no snow is fresh.

    Parameters
    ----------
    water : ndarray of float64, shape (rows, columns)
        Snow as water in mm, as the wind meets it; changed.
    fresh : ndarray of float32, shape (rows, columns)
        The part of it that the wind can take, in mm; set to 0.
    law : DriftLaw

    Returns
    -------
    float
        What left the land over its borders, less what came in, in mm · cells.  Beyond the windward border the land
        counts as going on alike.
    """
    room = water.shape[1]
    return float(_blow(water, fresh, law, np.zeros(room), np.zeros(room)))


@kernel
def _from_beyond(fresh: Array, law: DriftLaw, row: int, column: int) -> float:
    """Return the snow in the air that comes to a cell of a windward border, if the land goes on there alike.

    It is what eq. (1) comes to where as much is taken as settles.
    """
    settled = law.settled[row, column]
    return np.float64(law.taken[row, column]) * fresh[row, column] * ((1.0 - settled) / settled)


@kernel
def _blow(water: Array, fresh: Array, law: DriftLaw, air: Array, ahead: Array) -> float:
    """Sweep with the wind, row after row; `air` is what hangs over a row, `ahead` what is blown to the next."""
    taken, settled, sideways = law
    rows, columns = water.shape
    share = abs(sideways)
    side = 1 if sideways > 0.0 else -1
    left = 0.0
    for column in range(columns):
        air[column] = _from_beyond(fresh, law, 0, column)
        left -= air[column]
    for row in range(rows):
        for column in range(columns):
            up = np.float64(taken[row, column]) * fresh[row, column]
            load = air[column] + up
            down = load * settled[row, column]
            water[row, column] += down - up
            fresh[row, column] = np.float32(0.0)
            air[column] = load - down
        for column in range(columns):
            source = column - side
            beside = 0.0
            if 0 <= source < columns:
                beside = air[source]
            elif share > 0.0 and row < rows - 1:
                beside = _from_beyond(fresh, law, row + 1, column)
                left -= share * beside
            ahead[column] = (1.0 - share) * air[column] + share * beside
        if share > 0.0:
            left += share * air[columns - 1 if side > 0 else 0]
        for column in range(columns):
            air[column] = ahead[column]
    for column in range(columns):
        left += air[column]
    return left
