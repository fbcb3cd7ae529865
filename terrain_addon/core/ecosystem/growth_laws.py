"""How the crown of a plant widens with time: three laws, each solved for the radius and for the time.

    linear:    R(t) = R₀ + ε t
    logistic:  R(t) = R_max / (1 + (R_max / R₀ − 1) · exp(−r t))
    Gompertz:  R(t) = R_max · (R₀ / R_max)^exp(−r t)

References
----------
Verhulst, P.-F. (1838).  Notice sur la loi que la population suit dans son accroissement.  Correspondance mathématique
et physique 10, 113-121.

Gompertz, B. (1825).  On the nature of the function expressive of the law of human mortality.  Philosophical
Transactions of the Royal Society of London 115, 513-583.  doi:10.1098/rstl.1825.0026
"""

import math

from ..foundation.compilation import kernel
from ..foundation.elementary import exp, log, power
from .traits import LINEAR, LOGISTIC


@kernel
def widened(law: int, radius: float, full: float, growth: float) -> float:
    """Return the radius of a crown after some growth.

    Parameters
    ----------
    law : int
        Number of the law; see `GrowthTraits`.
    radius : float
        Before, in metres, above 0.
    full : float
        Of a full-grown plant, in metres.
    growth : float
        Rate of growth times time: a number, or metres if growth is linear.

    Returns
    -------
    float
        Metres.
    """
    if law == LINEAR:
        # R(t) = R0 + ε t.
        return radius + growth
    if law == LOGISTIC:
        # R(t) = Rmax / (1 + (Rmax / R0 − 1) · exp(−r t)), Verhulst (1838).
        return full / (1.0 + (full / radius - 1.0) * exp(-growth))
    # R(t) = Rmax · (R0 / Rmax)^exp(−r t), Gompertz (1825).
    return full * power(radius / full, exp(-growth))


@kernel
def time_to_reach(law: int, radius: float, wanted: float, full: float, pace: float) -> float:
    """Return the time in which a crown reaches another radius.

    Parameters
    ----------
    law : int
        Number of the law; see `GrowthTraits`.
    radius : float
        Now, in metres, above 0.
    wanted : float
        The other one, in metres.
    full : float
        Of a full-grown plant, in metres.
    pace : float
        Rate of growth in 1/yr, or in m/yr if growth is linear.

    Returns
    -------
    float
        Years; 0 if it is that wide already, infinite if it never will be.
    """
    if radius >= wanted:
        return 0.0
    if pace <= 0.0 or (law != LINEAR and wanted >= full):
        return math.inf
    if law == LINEAR:
        return (wanted - radius) / pace
    if law == LOGISTIC:
        return log((full / radius - 1.0) / (full / wanted - 1.0)) / pace
    return log(log(radius / full) / log(wanted / full)) / pace
