"""What cannot be drawn: each fault is one sentence that says what to change, before anything is computed.

>>> from .features import Pad, River
>>> check_features([River(name="A", points=((10.0, 10.0, 300.0), (90.0, 90.0, 320.0)))], 100.0, 100.0)
Traceback (most recent call last):
    ...
ValueError: the river 'A' (number 1) would run uphill: point 2 lies 20 m above point 1; reverse the order of its points

References
----------
R. E. Barlow, D. J. Bartholomew, J. M. Bremner and H. D. Brunk (1972), "Statistical inference under order restrictions",
Wiley, London: isotonic regression by pooling neighbours that break the order.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np

from ..foundation.compilation import Array, kernel
from .features import Cliff, Feature, Lake, Pad, Ridge, River, Road, Shore, Summit, Valley, place_text, title_of
from .lines import DrawnLine, measure_from, smooth_line

# Pieces along the longer side of a land into which lines are cut to look for crossings.
_PIECES = 512.0
# A river that ends this soon after it crosses another one, as a share of the shorter side, flows into it.
_NEAR_END = 0.03
# A point this close to the border, as a share of the longer side of a land, is on it.
_ON_BORDER = 1e-3
# Each stop of a road needs a search.
_MOST_STOPS = 100
# Metres by which a point of a river may lie above the one before: advice is rounded.
_LEVEL = 0.01
# An outline that is nowhere broader has no area; in metres.
_THIN = 0.01
# What ground gets that is drawn as two things.
_OF_PAD = "the level of the pad, and is under water where that is lower than the lake"
_LEVEL_WHERE_SHARED: dict[tuple[type[Feature], type[Feature]], str] = {
    (Lake, Lake): "the lower of their levels",
    (Pad, Pad): "the level of the later one in the list",
    (Lake, Pad): _OF_PAD,
    (Pad, Lake): _OF_PAD,
}
# Lines that lie this close to one another ask for the same ground, as a share of the longer side of a land.
_SAME_GROUND = 0.005
# They lie on one another if they do so for this share of the shorter of them; else they cross.
_SHARED = 0.33
# Metres by which heights of one place may differ: they are rounded.
_SAME_HEIGHT = 1.0
# So many points are named in the advice for a river that is drawn uphill.
_MOST_NAMED = 12


def check_features(features: Sequence[Feature], width: float, depth: float) -> None:
    """Refuse features that cannot be.

    Parameters
    ----------
    features : sequence of Feature
        Of a recipe; those that are off, or have no points, are not looked at.
    width, depth : float
        Of the land, in metres.

    Raises
    ------
    ValueError
        If a feature has too few points, lies outside the land, or crosses itself where it must not; if a river would
        run uphill, or two rivers cross.
    """
    _check(tuple(features), width, depth)


def leave_out_refused(
    features: Sequence[Feature], width: float, depth: float
) -> tuple[tuple[Feature, ...], tuple[str, ...]]:
    """Return features, with those off that `check_features` would refuse.

    Parameters
    ----------
    features : sequence of Feature
        Of a recipe.
    width, depth : float
        Of the land, in metres.

    Returns
    -------
    features : tuple of Feature
        As many, in the same order.
    refused : tuple of str
        A sentence for each that is off now: of two that cannot be together the second.
    """
    kept, refused = list(features), []
    try:
        _check(tuple(kept), width, depth)
    except ValueError:
        for place, one in enumerate(features):
            try:
                _check(tuple(kept[: place + 1]), width, depth)
            except ValueError as error:
                kept[place] = one.replace(enabled=False)
                refused.append(left_out(str(error)))
    return tuple(kept), tuple(refused)


def left_out(refusal: str) -> str:
    """Return what is told of a feature that is left out because of a refusal, which begins with its name.

    Parameters
    ----------
    refusal : str
        A sentence.

    Returns
    -------
    str
    """
    return f"left out: {refusal}"


def feature_warnings(features: Sequence[Feature], width: float, depth: float) -> tuple[str, ...]:
    """Return a sentence for each feature without points, with points outside the land, or on another one's ground.

    Cliffs and other forms that ask for the opposite on one line are told as well.

    Parameters
    ----------
    features : sequence of Feature
        Of a recipe.
    width, depth : float
        Of the land, in metres.

    Returns
    -------
    tuple of str
    """
    alone = (
        sentence
        for number, one in enumerate(features, start=1)
        if one.enabled
        for sentence in _warnings_of(one, number, width, depth)
    )
    return (*alone, *_overlaps(tuple(features), width, depth), *_opposites(tuple(features), width, depth))


@lru_cache(maxsize=64)
def _overlaps(features: tuple[Feature, ...], width: float, depth: float) -> tuple[str, ...]:
    """A sentence for each lake or pad that shares ground with one before it."""
    outlines = {
        number: smooth_line(one.points, max(width, depth) / _PIECES, closed=True)
        for number, one in enumerate(features, start=1)
        if isinstance(one, Lake | Pad) and one.enabled and one.points
    }
    told = []
    for (first, outline), (second, other) in combinations(outlines.items(), 2):
        shared = _shared_place(outline, other)
        if shared is not None:
            before, later = features[first - 1], features[second - 1]
            told.append(
                f"{_called(later, second)} overlaps {_called(before, first)} at {place_text(*shared)}; "
                f"the ground there gets {_LEVEL_WHERE_SHARED[type(before), type(later)]}"
            )
    return tuple(told)


@lru_cache(maxsize=64)
def _opposites(features: tuple[Feature, ...], width: float, depth: float) -> tuple[str, ...]:
    """A sentence for each form that lies on one before it and asks for something else."""
    size = max(width, depth)
    lines = {
        number: smooth_line(one.points, size / _PIECES)
        for number, one in enumerate(features, start=1)
        if isinstance(one, Ridge | Valley | Cliff | Shore | Summit) and one.enabled and one.points
    }
    told = []
    for (first, line), (second, other) in combinations(lines.items(), 2):
        before, later = features[first - 1], features[second - 1]
        if isinstance(before, Summit) and isinstance(later, Summit):
            what = "another height" if _differ(before, later, _SAME_GROUND * size) else ""
        else:
            what = "the opposite" if _oppose(before, later, line, other, _SAME_GROUND * size) else ""
        if what:
            told.append(
                f"{_called(later, second)} lies on {_called(before, first)} and asks for {what}; remove one of them"
            )
    return tuple(told)


def _differ(one: Summit, other: Summit, near: float) -> bool:
    """Whether two summits give one place two heights, both of the same kind: altitudes, or above the land."""
    return any(
        math.dist(a[:2], b[:2]) <= near
        and len(a) == len(b)
        and abs((a[2] - b[2]) if len(a) > 2 else (one.height - other.height)) > _SAME_HEIGHT
        for a in one.points
        for b in other.points
    )


def _oppose(one: Feature, other: Feature, line: DrawnLine, along: DrawnLine, near: float) -> bool:
    """Whether a ridge and a valley, or two steps up to opposite sides, lie on one line."""
    are_steps = isinstance(one, Cliff | Shore) and isinstance(other, Cliff | Shore)
    if not (are_steps or {type(one), type(other)} == {Ridge, Valley}) or min(line.x.size, along.x.size) < 2:
        return False
    dx, dy = np.diff(along.x), np.diff(along.y)
    middle_x, middle_y = along.x[:-1] + 0.5 * dx, along.y[:-1] + 0.5 * dy
    found = measure_from(middle_x.astype(np.float32), middle_y.astype(np.float32), line, near)
    piece = np.clip(found.place.astype(np.int64), 0, line.x.size - 2)
    turned = dx * np.diff(line.x)[piece] + dy * np.diff(line.y)[piece] < 0.0
    counts = (found.place >= 0.0) & (turned | (not are_steps))
    shared = float(np.sqrt(dx * dx + dy * dy)[counts].sum())
    return shared >= _SHARED * min(float(line.along[-1]), float(along.along[-1]))


def _shared_place(one: DrawnLine, other: DrawnLine) -> tuple[float, float] | None:
    """A place that lies within two outlines, or on both, if there is one."""
    i, _ = _first_crossing(one.x, one.y, other.x, other.y, False, False)
    if i >= 0:
        return float(one.x[i]), float(one.y[i])
    for inner, outer in ((one, other), (other, one)):
        if _encloses(outer, inner.x[0], inner.y[0]):
            return float(inner.x[0]), float(inner.y[0])
    return None


def _encloses(line: DrawnLine, x: float, y: float) -> bool:
    """Whether a place lies within a closed line: a ray to the east crosses it an odd number of times."""
    crossed = (line.y[:-1] > y) != (line.y[1:] > y)
    (ax, bx), (ay, by) = ((part[:-1][crossed], part[1:][crossed]) for part in (line.x, line.y))
    return int(np.count_nonzero(x < ax + (y - ay) * (bx - ax) / (by - ay))) % 2 == 1


def _warnings_of(one: Feature, number: int, width: float, depth: float) -> tuple[str, ...]:
    """What is left out of one feature."""
    if not one.points:
        return (f"{_called(one, number)} is left out: it has no points",)
    beyond = [max(-p[0], p[0] - width, -p[1], p[1] - depth) for p in one.points]
    outside = sum(away > _ON_BORDER * max(width, depth) for away in beyond)
    if not outside:
        return ()
    where = place_text(*one.points[beyond.index(max(beyond))][:2])
    have = "one of its points lies outside," if outside == 1 else f"{outside} of its points lie outside, up to"
    what = "the road turns at the border there" if isinstance(one, Road) else "only what lies on the land counts"
    return (f"{_called(one, number)} leaves the land: {have} {max(beyond):.0f} m away at {where}; {what}",)


@lru_cache(maxsize=64)
def _check(features: tuple[Feature, ...], width: float, depth: float) -> None:
    """Look at each feature alone, then at each pair of rivers."""
    lines: dict[int, DrawnLine] = {}
    for number, one in enumerate(features, start=1):
        if not (one.enabled and one.points):
            continue
        _check_points(one, number)
        closed = isinstance(one, Lake | Pad)
        if isinstance(one, Summit):
            lines[number] = DrawnLine(*np.array([(*point[:2], 0.0) for point in one.points]).T.copy())
        else:
            lines[number] = smooth_line(one.points, max(width, depth) / _PIECES, closed=closed)
        _check_place(one, number, lines[number], width, depth)
        if closed or isinstance(one, River):
            _check_loops(one, number, lines[number], closed)
        if isinstance(one, River):
            _check_fall(one, number)
    rivers = [number for number in lines if isinstance(features[number - 1], River)]
    for place, number in enumerate(rivers):
        for other in rivers[:place]:
            pair = (features[other - 1], other), (features[number - 1], number)
            _check_crossing(pair, lines[other], lines[number], _NEAR_END * min(width, depth))


def _called(one: Feature, number: int) -> str:
    """What a feature is called in a message."""
    return f"{title_of(one)} (number {number})"


def _check_points(one: Feature, number: int) -> None:
    least = 3 if isinstance(one, Lake | Pad) else 1 if isinstance(one, Summit) else 2
    places = len({point[:2] for point in one.points})
    if places < least:
        have = f"{places} different points" if places > 1 else "only one different point"
        if len(one.points) == 1:
            have = "one point"
        raise ValueError(f"{_called(one, number)} has {have}; it needs {least} or more")
    if isinstance(one, Road) and len(one.points) > _MOST_STOPS:
        raise ValueError(
            f"{_called(one, number)} has {len(one.points):,} stops; at most {_MOST_STOPS} can be searched between: "
            "leave out those between which it finds its way"
        )


def _check_place(one: Feature, number: int, line: DrawnLine, width: float, depth: float) -> None:
    within = (line.x >= 0.0) & (line.x <= width) & (line.y >= 0.0) & (line.y <= depth)
    if not within.any():
        if isinstance(one, Lake | Pad) and _encloses(line, 0.5 * width, 0.5 * depth):
            raise ValueError(
                f"{_called(one, number)} covers the whole land: its outline lies all outside of it; move a part of "
                f"it to within ({width:.0f}, {depth:.0f}) m"
            )
        x, y = zip(*(point[:2] for point in one.points))
        raise ValueError(
            f"{_called(one, number)} has no point or line on the land: its points reach from ({min(x):.0f}, "
            f"{min(y):.0f}) to {place_text(max(x), max(y))}, the land to ({width:.0f}, {depth:.0f}) m"
        )


def _breadth(line: DrawnLine) -> float:
    """How far points of a line lie from the straight line through its first point and the farthest from it, at most."""
    x, y = line.x - line.x[0], line.y - line.y[0]
    squared = x * x + y * y
    far = int(squared.argmax())
    return float(np.abs(x * y[far] - y * x[far]).max() / math.sqrt(squared[far]))


def _check_loops(one: Feature, number: int, line: DrawnLine, closed: bool) -> None:
    if closed and _breadth(line) < _THIN:
        raise ValueError(f"{_called(one, number)} has no area: its points lie on one line; move one of them aside")
    i, _ = _first_crossing(line.x, line.y, line.x, line.y, True, closed)
    if i >= 0:
        raise ValueError(
            f"{_called(one, number)} crosses itself at {place_text(line.x[i], line.y[i])}; move a point so that it "
            "does not"
        )


def _check_fall(river: River, number: int) -> None:
    """Refuse heights that rise, with the least change that mends all of them."""
    known = [(place, point[2]) for place, point in enumerate(river.points, start=1) if len(point) > 2]
    heights = [height for _, height in known]
    for (before, high), (after, low) in pairwise(known):
        if low > high + _LEVEL:
            if heights == sorted(heights):
                change = "reverse the order of its points"
            else:
                fitted = _falling(heights)
                moved = [
                    f"point {place} to {round(new, 2):.10g} m"
                    for (place, old), new in zip(known, fitted)
                    if abs(new - old) > 0.5 * _LEVEL
                ]
                change = f"set {', '.join(moved[:_MOST_NAMED])}"
                if len(moved) > _MOST_NAMED:
                    change += f" and {len(moved) - _MOST_NAMED} more, each no higher than the one before"
            raise ValueError(
                f"{_called(river, number)} would run uphill: point {after} lies {low - high:.4g} m above point "
                f"{before}; {change}"
            )


def _falling(heights: Sequence[float]) -> list[float]:
    """The heights that fall all the way and differ least from those given, in all (isotonic regression in L1).

    Each run that rises is taken together at its median (Barlow, Bartholomew, Bremner and Brunk 1972); so most points
    keep their heights, and all new ones are heights that were drawn.
    """
    runs: list[list[float]] = []
    for height in heights:
        runs.append([height])
        while len(runs) > 1 and _low_median(runs[-1]) > _low_median(runs[-2]):
            runs[-2:] = [sorted(runs[-2] + runs[-1])]
    return [_low_median(run) for run in runs for _ in run]


def _low_median(values: list[float]) -> float:
    return values[(len(values) - 1) // 2]


def _check_crossing(
    pair: tuple[tuple[Feature, int], tuple[Feature, int]], line: DrawnLine, other: DrawnLine, near: float
) -> None:
    """Refuse rivers that cross anywhere but where one of them ends: in reverse, one ends where the other begins."""
    is_far = np.ones(line.x.size - 1, bool)
    for one in (line, other):
        is_far &= (line.x[:-1] - one.x[-1]) ** 2 + (line.y[:-1] - one.y[-1]) ** 2 > near * near
    pieces = np.flatnonzero(is_far)
    for run in np.split(pieces, np.flatnonzero(np.diff(pieces) > 1) + 1):
        if run.size == 0:
            continue
        part = slice(run[0], run[-1] + 2)
        _, j = _first_crossing(line.x[part], line.y[part], other.x, other.y, False, False)
        if j >= 0:
            raise ValueError(
                f"{_called(*pair[1])} crosses {_called(*pair[0])} at {place_text(other.x[j], other.y[j])}; let one of "
                "them end there, and it flows into the other"
            )


@kernel
def _first_crossing(ax: Array, ay: Array, bx: Array, by: Array, same: bool, closed: bool) -> tuple[int, int]:
    """Numbers of the first two pieces of two lines that cross, or (−1, −1)."""
    last = ax.size - 2
    for i in range(ax.size - 1):
        low_x, high_x = min(ax[i], ax[i + 1]), max(ax[i], ax[i + 1])
        low_y, high_y = min(ay[i], ay[i + 1]), max(ay[i], ay[i + 1])
        for j in range(i + 2 if same else 0, bx.size - 1):
            if same and closed and i == 0 and j == last:
                continue
            if (
                max(bx[j], bx[j + 1]) < low_x
                or min(bx[j], bx[j + 1]) > high_x
                or max(by[j], by[j + 1]) < low_y
                or min(by[j], by[j + 1]) > high_y
            ):
                continue
            one = _turn(ax[i], ay[i], ax[i + 1], ay[i + 1], bx[j], by[j])
            two = _turn(ax[i], ay[i], ax[i + 1], ay[i + 1], bx[j + 1], by[j + 1])
            three = _turn(bx[j], by[j], bx[j + 1], by[j + 1], ax[i], ay[i])
            four = _turn(bx[j], by[j], bx[j + 1], by[j + 1], ax[i + 1], ay[i + 1])
            if one * two <= 0.0 and three * four <= 0.0:
                return i, j
    return -1, -1


@kernel
def _turn(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Above 0 if c lies to the left of the way from a to b."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
