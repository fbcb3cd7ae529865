"""The grid of triangles under simplex noise: how it is skewed, and how far its noise can reach.

`noise_lines` evaluates the noise; `oracle.simplex_noise` is the plain definition that it is tested against.

References
----------
Perlin, K. (2001). Noise hardware. In: Real-Time Shading, SIGGRAPH course notes.
Gustavson, S. (2005). Simplex noise demystified. Linköping University.
"""

import math

from .lattice import PLANE_GRADIENTS

PLANE_VECTORS = PLANE_GRADIENTS["unit_256"].vectors
"""Gradients at the corners of triangles, float64 of shape (256, 3)."""

PLANE_SKEW = (math.sqrt(3.0) - 1.0) / 2.0
"""Times x + y, added to both coordinates: turns rhombi of two triangles into squares."""

PLANE_UNSKEW = (3.0 - math.sqrt(3.0)) / 6.0
"""Times column + row, taken from both coordinates: the way back."""

PLANE_SCALE = 1.0 / 0.01008020471
"""One over the largest sum that the corners of a triangle can agree on, found numerically."""

PLANE_MASK = len(PLANE_VECTORS) - 1
"""The bits of a hash that choose one of `PLANE_VECTORS`."""
