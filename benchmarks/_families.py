"""The published comparison of the two families of relief: sums of noise and midpoint displacement."""

import hashlib
import math
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from terrain_addon.core import Grid
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement, displace_midpoints

SIDES = (129, 257, 513, 1025, 2049, 4097)
REPEATS = 10
EXTENT = 4096.0


@dataclass(frozen=True)
class Measurement:
    """One family at one size: mean and standard uncertainty of the time in ms, memory in MiB, and what was made."""

    side: int
    mean: float
    uncertainty: float
    memory: float
    peaks: int
    valleys: int
    dimension: float
    digests: int


@dataclass
class Families:
    """Measurements by the name of the family, and what extreme parameters do."""

    measured: dict[str, list[Measurement]] = field(default_factory=dict)
    extremes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the comparison as lines of a table."""
        lines = [f"{'':24}{'size':>6} {'time/ms':>17} {'MiB':>7} {'peaks':>7} {'valleys':>7} {'dimension':>9} equal"]
        for name, rows in self.measured.items():
            lines += [
                f"{name:24}{m.side:>5}² {m.mean:9.2f} ± {m.uncertainty:5.2f} {m.memory:7.1f} {m.peaks:7d} "
                f"{m.valleys:7d} {m.dimension:9.2f} {'yes' if m.digests == 1 else 'NO'}"
                for m in rows
            ]
        return lines + self.extremes

    def as_json(self) -> dict[str, Any]:
        """Return everything as dictionaries and lists."""
        return {name: [asdict(m) for m in rows] for name, rows in self.measured.items()} | {"extremes": self.extremes}


def fractal(side: int, **changes: Any) -> Callable[[], Any]:
    """Noise over ground of one extent, with an octave for every doubling of the size as midpoints have."""
    octaves = max(1, round(math.log2(side - 1)) - 1)
    noise = FractalNoise(wavelength=EXTENT / 2.0, **{"octaves": octaves} | changes)
    return lambda: make_fractal_noise(Grid(side, side, EXTENT / (side - 1)), noise, 1)


def midpoints(side: int, **changes: Any) -> Callable[[], Any]:
    """Midpoint displacement of one square that is split down to the samples."""
    displacement = MidpointDisplacement(wavelength=EXTENT, **{"smoothness": 1.0} | changes)
    return lambda: displace_midpoints(Grid(side, side, EXTENT / (side - 1)), displacement, 1)


FAMILIES = {"fBm of gradient noise": fractal, "midpoint displacement": midpoints}


def compare_families() -> Families:
    """Measure both families at all sizes."""
    families = Families()
    for name, family in FAMILIES.items():
        families.measured[name] = [measure(family(side), side) for side in SIDES]
    for name, make in {
        "fBm, gain 0": fractal(257, gain=0.0),
        "fBm, gain 1, 24 octaves": fractal(257, gain=1.0, octaves=24),
        "fBm, lacunarity 8": fractal(257, lacunarity=8.0),
        "fBm, attenuation 8": fractal(257, attenuation=8.0),
        "midpoints, H = 0": midpoints(257, smoothness=0.0),
        "midpoints, H = 2": midpoints(257, smoothness=2.0),
    }.items():
        z = make()
        families.extremes.append(
            f"{name:24} 257²: {float(z.min()):7.1f} to {float(z.max()):7.1f} of 0 to 1800 m, "
            f"dimension {fractal_dimension(z):.2f}, {'all finite' if np.isfinite(z).all() else 'NOT FINITE'}"
        )
    return families


def measure(make: Callable[[], Any], side: int) -> Measurement:
    """Time ten runs after one that does not count, and look at what they made."""
    make()
    times, digests = [], set()
    for _ in range(REPEATS):
        started = time.perf_counter()
        z = make()
        times.append(1e3 * (time.perf_counter() - started))
        digests.add(hashlib.sha256(z.tobytes()).digest())
    tracemalloc.start()
    z = make()
    memory = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    uncertainty = float(np.std(times, ddof=1)) / math.sqrt(REPEATS)
    peaks, valleys = count_extremes(z), count_extremes(-z)
    return Measurement(
        side, float(np.mean(times)), uncertainty, memory, peaks, valleys, fractal_dimension(z), len(digests)
    )


def count_extremes(z: Any) -> int:
    """Return how many inner samples are higher than their eight neighbours."""
    rows, columns = z.shape
    middle = z[1:-1, 1:-1]
    higher = np.ones(middle.shape, bool)
    for i in (0, 1, 2):
        for j in (0, 1, 2):
            if (i, j) != (1, 1):
                higher &= middle > z[i : rows - 2 + i, j : columns - 2 + j]
    return int(higher.sum())


def fractal_dimension(z: Any) -> float:
    """Return 3 − H, with H from how the root mean square of differences grows with distance (2 to 32 samples)."""
    lags = [lag for lag in (2, 4, 8, 16, 32) if lag < z.shape[1]]
    spread = [math.sqrt(float(np.mean(np.square(z[:, lag:] - z[:, :-lag], dtype=np.float64)))) for lag in lags]
    if min(spread) <= 0.0:
        return 2.0
    return 3.0 - float(np.polyfit(np.log(lags), np.log(spread), 1)[0])


def draw_families(families: Families) -> str:
    """Return time and memory against size as an SVG drawing with logarithmic axes."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="760" height="360" font-family="sans-serif" font-size="12">'
    ]
    parts.append('<rect width="760" height="360" fill="white"/>')
    for place, (title, value) in enumerate({"time, ms": "mean", "memory, MiB": "memory"}.items()):
        parts += _panel(families, 60 + 380 * place, title, value)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(families: Families, left: float, title: str, value: str) -> list[str]:
    width, top, bottom = 290.0, 40.0, 310.0
    values = [getattr(m, value) for rows in families.measured.values() for m in rows]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(side: int) -> float:
        return left + width * math.log2((side - 1) / 128.0) / 5.0

    def y(amount: float) -> float:
        return bottom - (bottom - top) * (math.log10(amount) - low) / (high - low)

    parts = [f'<text x="{left}" y="20" font-weight="bold">{title}</text>']
    for power in range(low, high + 1):
        parts.append(
            f'<line x1="{left}" x2="{left + width}" y1="{y(10.0**power):.1f}" y2="{y(10.0**power):.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{left - 8}" y="{y(10.0**power) + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for side in SIDES:
        parts.append(f'<text x="{x(side):.1f}" y="{bottom + 18}" text-anchor="middle">{side}²</text>')
    for number, (name, rows) in enumerate(families.measured.items()):
        colour = ("#1f6f8b", "#b5562b")[number]
        path = " ".join(f"{x(m.side):.1f},{y(getattr(m, value)):.1f}" for m in rows)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for m in rows:
            amount = getattr(m, value)
            parts.append(f'<circle cx="{x(m.side):.1f}" cy="{y(amount):.1f}" r="3" fill="{colour}"/>')
            if value == "mean":
                ends = y(amount + m.uncertainty), y(max(amount - m.uncertainty, 10.0**low))
                parts.append(
                    f'<line x1="{x(m.side):.1f}" x2="{x(m.side):.1f}" y1="{ends[0]:.1f}" y2="{ends[1]:.1f}" '
                    f'stroke="{colour}"/>'
                )
        parts.append(f'<text x="{left + 12}" y="{top + 16 + 16 * number}" fill="{colour}">{name}</text>')
    return parts
