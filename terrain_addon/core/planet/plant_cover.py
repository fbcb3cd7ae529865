"""Where the species of landscapes could grow on a planet.

Species answer to soil, light, wetness, slope and altitude by their response curves (`ecosystem.density`).  On a planet
the climate stands in for what a landscape knows from its surface:

* altitude is the one at which it would be as cold in a temperate land;
* wetness is the share of rain in rain and evaporation;
* light falls with latitude;
* soil is deep where it is wet and level, beside what rivers have laid down;
* a sample stands for a region full of streams: species of banks have the share of it that lies beside one.

References
----------
Horton, R. E. (1945). Erosional development of streams and their drainage basins. Geological Society of America Bulletin
56(3), 275–370. doi:10.1130/0016-7606(1945)56[275:EDOSAT]2.0.CO;2  (Drainage density; 1/(2 D) is the mean distance of a
place to a stream.)

North, G. R. (1975). Theory of energy-balance climate models. Journal of the Atmospheric Sciences 32(11), 2033–2043.
doi:10.1175/1520-0469(1975)032<2033:TOEBCM>2.0.CO;2  (Sunlight by latitude.)
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..ecosystem.density import Habitat, plant_density
from ..ecosystem.species import Species, load_species, species_presets
from ..foundation.elementary import exp_of
from ..foundation.terrain import Field

# A temperate land for which species have their curves of altitude: °C at altitude 0, and °C per metre.
_TEMPERATE, _LAPSE_RATE = 13.0, 0.0065
# Altitudes that curves know.
_LOWEST, _HIGHEST = -12000.0, 12000.0
# Evaporation in mm per year at 0 °C where water is plenty, and how much more for each °C.
_EVAPORATION, _PER_DEGREE = 330.0, 0.058
# Soil in metres where it is wet and level; wetness at which there is none, and from which on it is as deep as that;
# the slope in degrees on which 1/e of it stays.
_SOIL, _DRY, _WET, _STEEP = 0.8, 0.25, 0.65, 5.0
# Metres of streams in a square metre of wet land, and at which wetness there are none and as many as that.
_DRAINAGE_DENSITY, _NO_STREAMS, _ALL_STREAMS = 0.001, 0.2, 0.6
# Sunlight of a year by the sine of the latitude, s(x) = 1 − 0.477 P₂(x), as a share of that at the equator.
_POLAR_LOSS = 1.5 * 0.477 / (1.0 + 0.5 * 0.477)


_ANYWHERE = ((0.0, 1.0), (1.0, 1.0), (10.0, 1.0), (100.0, 1.0))  # water_response of a species that needs no bank


class PlantCover(Mapping[str, Field]):
    """A map for each species that comes with the extension: the share of the ground that it could cover, 0 to 1.

    Maps are float32 of shape (6, resolution, resolution), and made when they are asked for.

    Parameters
    ----------
    maps : mapping of str to ndarray of float32
        Of a planet.
    sine_of_latitude : ndarray of float64, shape (6, resolution, resolution)
        The z of the directions.
    has_life : bool
        Whether the planet has air and water.
    """

    def __init__(self, maps: Mapping[str, Field], sine_of_latitude: npt.NDArray[np.float64], *, has_life: bool) -> None:
        self._maps, self._sine, self._has_life = maps, sine_of_latitude, has_life
        self._habitat: Habitat | None = None

    def __getitem__(self, name: str) -> Field:
        if name not in species_presets():
            raise KeyError(name)
        return self.of(load_species(name))

    def __iter__(self) -> Iterator[str]:
        return iter(species_presets())

    def __len__(self) -> int:
        return len(species_presets())

    def of(self, species: Species) -> Field:
        """Return the map of any species.

        Parameters
        ----------
        species : Species
            What it likes.

        Returns
        -------
        ndarray of float32, shape (6, resolution, resolution)
            0 in the sea, in lakes and on ice.
        """
        shape = self._sine.shape
        if not self._has_life:
            return np.zeros(shape, np.float32)
        if self._habitat is None:
            self._habitat = _habitat(self._maps, self._sine)
        anywhere = species.replace(water_response=_ANYWHERE)
        cover = plant_density(self._habitat, anywhere).reshape(shape)
        cover *= _share_beside_streams(species, self._habitat.humidity).reshape(shape)
        cover *= np.float32(1.0) - self._maps["ice"]
        cover[self._maps["sea_depth"] > 0.0] = 0.0
        if "lake_depth" in self._maps:
            cover[self._maps["lake_depth"] > 0.0] = 0.0
        return cover


def _habitat(maps: Mapping[str, Field], sine: npt.NDArray[np.float64]) -> Habitat:
    """What the climate offers to plants, all faces in one field."""
    one = np.float32(1.0)
    temperature, rain, slope = maps["temperature"], maps["rain"], maps["slope"]
    evaporation = np.float32(_EVAPORATION) * exp_of(np.float32(_PER_DEGREE) * temperature)
    wetness = rain / np.maximum(rain + evaporation, np.float32(1e-6))
    soil = np.clip((wetness - np.float32(_DRY)) / np.float32(_WET - _DRY), 0.0, 1.0)
    soil = np.float32(_SOIL) * soil * exp_of(slope * np.float32(-1.0 / _STEEP))
    if "sediment" in maps:
        soil += np.minimum(maps["sediment"], one) * (wetness > _DRY)
    light = one - np.float32(_POLAR_LOSS) * (sine * sine).astype(np.float32)
    altitude = np.clip((np.float32(_TEMPERATE) - temperature) / np.float32(_LAPSE_RATE), _LOWEST, _HIGHEST)

    def in_one(field: npt.NDArray[np.floating]) -> Field:
        return field.astype(np.float32).reshape(-1, sine.shape[-1])

    return Habitat(in_one(soil), in_one(light), in_one(wetness), in_one(slope), in_one(altitude))


def _share_beside_streams(species: Species, wetness: Field) -> Field:
    """The mean of the response to the distance of water, over a region with streams.

    Distances have the density k exp(−k x) with k = 2 D, so the mean of a response r is r(0) + ∫ r′(x) exp(−k x) dx.
    """
    streams = np.clip((wetness - np.float32(_NO_STREAMS)) / np.float32(_ALL_STREAMS - _NO_STREAMS), 1e-3, 1.0)
    k = np.float32(2.0 * _DRAINAGE_DENSITY) * streams
    points = species.water_response
    mean = np.full(wetness.shape, np.float32(points[0][1]))
    for (near, one), (far, other) in pairwise(points):
        if other != one:
            slope = np.float32((other - one) / max(far - near, 1e-3))
            mean += slope * (exp_of(-k * np.float32(near)) - exp_of(-k * np.float32(far))) / k
    return mean
