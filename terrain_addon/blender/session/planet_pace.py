"""How fine a planet can be drawn right after a slider has moved, from what it has cost before."""

from collections.abc import Iterator

COARSEST = 17
"""Samples along an edge of a face of the coarsest look at a planet."""

# Samples along an edge of a face when nothing is known: where relief and rivers change, where only rivers do, and
# otherwise.
_FIRST_FROM_RELIEF, _FIRST_ERODED, _FIRST = COARSEST, 33, 65
# Twice as many samples along an edge cost at most about so many times as much; less than on the coarsest planet, where
# most of the time goes by between kernels.
_FINER, _FINER_THAN_COARSEST = 4.2, 2.0

Touched = frozenset[str]
"""Names of the stages and of the parts of the recipe that a moved slider touches."""


class PlanetPace:
    """What looks at one planet have cost, for each set of stages that sliders touch.

    Parameters
    ----------
    budget : float
        Seconds from the move of a slider until something is seen.
    """

    def __init__(self, budget: float) -> None:
        self._budget = budget
        self._seconds: dict[tuple[Touched, int], float] = {}

    def choose(self, touched: Touched, whole: int) -> int:
        """Return how fine the next look is to be.

        Parameters
        ----------
        touched : frozenset of str
            What has to be computed.
        whole : int
            Samples along an edge of a face of the whole planet: a power of two, plus one.

        Returns
        -------
        int
            Samples along an edge of a face: the most that probably fit into the budget.
        """
        known = [size for names, size in self._seconds if names == touched]
        if not known:
            return min(_first(touched), whole)
        quick = [size for size, seconds in self._expected(touched, whole) if seconds <= self._budget]
        coarsest = min(known)
        return min(quick[-1] if quick else max(coarsest // 2 + 1, COARSEST), whole)

    def note(self, touched: Touched, resolution: int, seconds: float, *, is_preview: bool) -> None:
        """Store what a look has cost, from the move of the slider until it was seen.

        Parameters
        ----------
        touched : frozenset of str
            What had to be computed.
        resolution : int
            Samples along an edge of a face.
        seconds : float
            By the clock.
        is_preview : bool
            Whether it was coarser than the whole planet.
        """
        key = touched, resolution
        # The first preview of its size also makes what later ones find, so it does not count in full.
        is_first = is_preview and key not in self._seconds
        self._seconds[key] = min(seconds, self._budget) if is_first else seconds

    def _expected(self, touched: Touched, whole: int) -> Iterator[tuple[int, float]]:
        """Sizes from coarse to fine, and how long each probably takes at most."""
        size, seconds = min(COARSEST, whole), float("inf")
        while size <= whole:
            # If a machine was busy once, it need not be so now: what a coarser look costs says more then.
            finer = _FINER if size > 2 * COARSEST - 1 else _FINER_THAN_COARSEST
            seconds = min(self._seconds.get((touched, size), float("inf")), finer * seconds)
            yield size, seconds
            size = 2 * size - 1


def _first(touched: Touched) -> int:
    """How fine a look is when nothing is known of what it costs."""
    if "erosion" not in touched:
        return _FIRST
    return _FIRST_FROM_RELIEF if "young rain" in touched else _FIRST_ERODED
