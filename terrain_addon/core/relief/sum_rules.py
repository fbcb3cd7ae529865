"""Ways to combine octaves of noise into one surface; `octave_sums` does it.

References
----------
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
Ebert, D. S., Musgrave, F. K., Peachey, D., Perlin, K. & Worley, S. (1994). Texturing & Modeling: A Procedural Approach.
Academic Press.
Quilez, I. (2008). Value noise derivatives. iquilezles.org, articles.
de Carpentier, G. (2012). Scape: 3. Procedural extensions. decarpentier.nl.
"""

from dataclasses import dataclass

SMOOTH, BILLOW, RIDGED, RIDGED_MULTIFRACTAL, HYBRID, HETERO, DAMPED, SWISS, JORDAN = range(9)
"""Ways to combine octaves; see `SumRule`."""

SLOPE_KINDS = (DAMPED, SWISS, JORDAN)
"""Those that need the slopes of octaves."""


@dataclass(frozen=True)
class SumRule:
    """How octaves n in [−1, 1] of amplitude a are combined, and the range that the result cannot leave.

    Parameters
    ----------
    kind : int
        One of the constants above:

        - SMOOTH: Σ a n
        - BILLOW: Σ a |n|
        - RIDGED: Σ a (1 − |n|)
        - RIDGED_MULTIFRACTAL: Σ a w (offset − |n|)², w = strength · the term before, within [0, 1]
        - HYBRID: Σ a w (n + offset), w = product of the terms before, at most 1
        - HETERO: h ← h + a (n + offset) h
        - DAMPED: Σ a n / (1 + strength · |Σ ∇n|²)
        - SWISS: Σ a w (1 − |n|), w = product of the sums before, within [0, 1], sampled at p − strength · Σ a w n ∇n
        - JORDAN: Σ a (1 − strength / (1 + |Σ n∇n|²)) n², sampled at p + 0.35 Σ n∇n
    lowest, highest : float
        The range of the sum, which is scaled to [0, 1].
    offset, strength : float
        Numbers in the formulas; each counts only for the kinds that have it.
    """

    kind: int
    lowest: float
    highest: float
    offset: float = 0.0
    strength: float = 0.0
