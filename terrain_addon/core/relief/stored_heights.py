"""Heights that were made by hand: a sculpted surface, or another mesh.

    h(x, y) = exaggeration · z(x, y)

with z the stored heights, between samples by the bicubic spline of `elevation_model`.
"""

from dataclasses import dataclass

from ..foundation.parameters import ParameterSet, group, parameter
from ..foundation.placement import Placement


@dataclass(frozen=True)
class StoredHeights(ParameterSet):
    """Heights of another mesh, or of this landscape as it was sculpted."""

    key: str = parameter("", "Where the heights are: mesh:NAME of another object, or attribute:NAME of this one")
    exaggeration: float = parameter(1.0, "Factor on all heights", limits=(-100.0, 100.0), soft=(0.5, 3.0))
    placement: Placement = group(Placement, "Where the heights lie")
