"""The records of a growing forest: which plants were there when, how large, how healthy, and how they died."""

from collections.abc import Sequence

import numpy as np

from ..foundation.compilation import Array
from .forest import Forest
from .plants import Plants
from .population import Population
from .species import Species

_FOREVER = np.float32(np.inf)


class ForestRecords:
    """States that were stored while a forest grew, and deaths of plants that a state holds.

    Parameters
    ----------
    widest : ndarray of float64, shape (species,)
        Largest crown radius that a plant comes to, in metres.
    """

    def __init__(self, widest: Array) -> None:
        self._widest = widest
        self._newcomers: list[Population] = []
        self._deaths: list[tuple[Array, Array, Array]] = []
        self._states: list[tuple[float, Array, Array, Array]] = []

    def store(self, year: float, here: Population) -> None:
        """Keep a state.

        Parameters
        ----------
        year : float
            When it is.
        here : Population
            What lives; plants that no state held before are given a record.
        """
        new = here.record < 0
        known = sum(part.x.size for part in self._newcomers)
        here.record[new] = np.arange(known, known + int(new.sum()))
        self._newcomers.append(here.only(new))
        size = np.rint(here.radius / self._widest[here.species] * 65535.0).clip(1, 65535).astype(np.uint16)
        health = np.rint(here.health * np.float32(255.0)).clip(0, 255).astype(np.uint8)
        self._states.append((year, here.record.copy(), size, health))

    def note_deaths(self, record: Array, year: Array, fate: Array) -> None:
        """Keep how plants died.

        Parameters
        ----------
        record : ndarray of int64, shape (deaths,)
            Records of the plants.
        year : ndarray of float32, shape (deaths,)
            When each died.
        fate : ndarray of uint8, shape (deaths,)
            How, as a number of Fate.
        """
        self._deaths.append((record, year, fate))

    def forest(self, species: Sequence[Species], lasting: Plants) -> Forest:
        """Turn the records into the lives of all plants.

        Parameters
        ----------
        species : sequence of Species
            What plants count.
        lasting : Plants
            What neither grows nor dies.

        Returns
        -------
        Forest
        """
        counts = [part.x.size for part in self._newcomers]
        count = sum(counts)
        first_state = np.repeat(np.arange(len(counts)), counts)
        first_size, sizes, healths = self._sizes(count, first_state)
        death, fate = np.full(count, _FOREVER, np.float32), np.zeros(count, np.uint8)
        for record, year, how in self._deaths:
            death[record], fate[record] = year, how

        def whole(name: str) -> Array:
            return np.concatenate([getattr(part, name) for part in self._newcomers])

        return Forest(
            species=tuple(species),
            state_years=np.array([year for year, _, _, _ in self._states]),
            x=whole("x"),
            y=whole("y"),
            kind=whole("species").astype(np.uint8),
            birth=whole("birth"),
            death=death,
            fate=fate,
            bits=whole("bits"),
            first_state=first_state.astype(np.uint16),
            first_size=first_size,
            sizes=sizes,
            healths=healths,
            lasting=lasting,
        )

    def _sizes(self, count: int, first_state: Array) -> tuple[Array, Array, Array]:
        """Where the sizes of each plant begin, and its sizes and healths from its first state on."""
        samples = np.zeros(count, np.int64)
        for _, record, _, _ in self._states:
            samples[record] += 1
        first_size = np.concatenate([[0], np.cumsum(samples)])
        sizes, healths = np.empty(int(first_size[-1]), np.uint16), np.empty(int(first_size[-1]), np.uint8)
        for state, (_, record, size, health) in enumerate(self._states):
            place = first_size[record] + state - first_state[record]
            sizes[place], healths[place] = size, health
        return first_size, sizes, healths
