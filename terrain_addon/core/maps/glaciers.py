"""The map of glaciers of today, and what else is known of their ice.

References
----------
K. Hutter (1983), Theoretical Glaciology, Reidel: the shallow ice approximation; see `ice.glaciers`.

A. H. Jarosch, C. G. Schoof and F. S. Anslow (2013), "Restoring mass conservation to shallow ice flow models over
complex terrain", The Cryosphere 7, 229-240, doi:10.5194/tc-7-229-2013: how thickness is followed.
"""

from ..ice.glaciers import find_glaciers
from .declaration import Kept, Map, Measurement

GLACIERS = Measurement(
    "glacier_fields",
    lambda terrain, glaciers, water: find_glaciers(terrain.surface, terrain.cell_size, glaciers, water.sea_surface),
    reads=("glaciers", "water"),
    switch="glaciers",
    layers=12,
)
ICE_THICKNESS = Map(
    "ice_thickness",
    lambda terrain, glacier_fields: glacier_fields.thickness,
    needs=(GLACIERS.name,),
    description="Thickness of the ice of glaciers",
    unit="m",
    kept=Kept.WHERE_ON,
    switch="glaciers",
)
