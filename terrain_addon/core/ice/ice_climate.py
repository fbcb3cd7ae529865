"""What glaciers live on: snow, melt, and how easily they slide.

>>> IceClimate().weather(equilibrium_line_altitude=2900.0)
IceWeather(line=2900.0, gradient=0.007, most=1.5, sea=-inf)
"""

from dataclasses import dataclass

from ..foundation.parameters import ParameterSet, parameter
from .ice_flow import IceLaw, IceWeather, ice_law


@dataclass(frozen=True)
class IceClimate(ParameterSet):
    """Snow and melt, and how easily ice slides."""

    mass_balance_gradient: float = parameter(
        0.007,
        "How much more ice gathers in a year for each metre of altitude: dry mountains 0.003, wet coasts 0.01",
        unit="1/yr",
        limits=(0.0, 0.1),
        soft=(0.001, 0.015),
        advanced=True,
    )
    maximum_accumulation: float = parameter(
        1.5,
        "Most ice that can gather in a year, however high the land is",
        unit="m/yr",
        limits=(0.0, 20.0),
        soft=(0.0, 5.0),
        advanced=True,
    )
    sliding: float = parameter(
        30.0,
        "Sliding speed below 100 m of ice at a shear stress of 100 kPa",
        unit="m/yr",
        limits=(0.0, 1000.0),
        soft=(0.0, 100.0),
        advanced=True,
    )
    fastest: float = parameter(
        300.0,
        "Highest speed that ice can reach",
        unit="m/yr",
        limits=(1.0, 10000.0),
        soft=(50.0, 1000.0),
        label="Fastest Ice",
        advanced=True,
    )
    constriction: float = parameter(
        1000.0,
        "How strongly narrow valleys slow their ice down, so that they become wider: ice has half its speed where the "
        "bed is curved with this radius",
        unit="m",
        limits=(0.0, 100000.0),
        soft=(0.0, 3000.0),
        advanced=True,
    )

    def weather(self, equilibrium_line_altitude: float) -> IceWeather:
        """Return snow and melt, as kernels take them.

        Parameters
        ----------
        equilibrium_line_altitude : float
            Metres, -10,000 to 10,000.

        Returns
        -------
        IceWeather
        """
        return IceWeather(equilibrium_line_altitude, self.mass_balance_gradient, self.maximum_accumulation)

    @property
    def law(self) -> IceLaw:
        """How ice flows, as kernels take it."""
        return ice_law(self.sliding, self.fastest, self.constriction)
