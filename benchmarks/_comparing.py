"""Compare the figures of two runs of a benchmark: what takes longer now, beside other programs?

Usage: ``python _comparing.py BEFORE NOW``, both as ``build.py bench TOPIC --json`` writes them.
A machine may be slower today.  Other programs are then slower, too, so each of our times is divided by theirs.
"""

import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

OTHERS = (
    "fastscapelib",
    "mathutils",
    "opensimplex",
    "orographic_precipitation",
    "pyfastnoisesimd",
    "richdem",
    "xarray-spatial",
)
"""Words in the names of rows that measure other programs."""
SLOWER = 1.10


class Compared(NamedTuple):
    """How our times changed.

    Parameters
    ----------
    machine : float
        How many times as long other programs take now.
    changes : dict of str to float
        How many times as long each of our rows takes now, apart from what the machine makes slower.
    gone : list of str
        Rows that only the earlier run has.
    """

    machine: float
    changes: dict[str, float]
    gone: list[str]


def times_of(figures: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Yield each row with its number, from any of the shapes in which topics write their figures.

    Examples
    --------
    >>> tables = {"1024²": {"ours": 2.0, "richdem": 8.0}, "rows": [["a", 1.0, ""]], "png": {"ms": 3.0, "aim": 9.0}}
    >>> list(times_of(tables))
    [('1024², ours', 2.0), ('1024², richdem', 8.0), ('rows, a', 1.0), ('png', 3.0)]
    """
    if isinstance(figures, Mapping):
        for key, value in figures.items():
            if key != "aim":
                yield from times_of(value, name if key == "ms" else f"{name}, {key}".removeprefix(", "))
    elif isinstance(figures, list):
        for row in figures:
            if isinstance(row, list) and len(row) > 1 and isinstance(row[0], str):
                yield from times_of(row[1], f"{name}, {row[0]}".removeprefix(", "))
    elif isinstance(figures, (int, float)) and not isinstance(figures, bool) and figures > 0.0:
        yield name, float(figures)


def compare(before: Any, now: Any) -> Compared:
    """Return what changed between two runs.

    Raises
    ------
    ValueError
        If no other program was measured in both runs: a time by itself says more of the machine than of the code.

    Examples
    --------
    >>> before = {"ours: fill": 10.0, "ours: route": 10.0, "richdem": 50.0}
    >>> compared = compare(before, {"ours: fill": 20.0, "ours: route": 30.0, "richdem": 100.0})
    >>> compared.machine, compared.changes
    (2.0, {'ours: fill': 1.0, 'ours: route': 1.5})
    """
    earlier, later = dict(times_of(before)), dict(times_of(now))
    ratios = {name: later[name] / earlier[name] for name in earlier if name in later}
    theirs = [math.log(ratio) for name, ratio in ratios.items() if _is_other(name)]
    if not theirs:
        raise ValueError("no other program was measured in both runs, so the times cannot be compared")
    machine = math.exp(sum(theirs) / len(theirs))
    changes = {name: ratio / machine for name, ratio in ratios.items() if not _is_other(name)}
    return Compared(round(machine, 9), changes, sorted(set(earlier) - set(later)))


def report(compared: Compared) -> str:
    """Return what a person reads: the rows that take longer by more than a tenth, slowest first."""
    slower = sorted(((change, name) for name, change in compared.changes.items() if change > SLOWER), reverse=True)
    lines = [f"Other programs take {compared.machine:.2f} times as long as then; our times are divided by that."]
    lines += [f"{change:6.2f} ×  {name}" for change, name in slower]
    lines += [f"not measured now: {name}" for name in compared.gone]
    lines.append(f"{len(slower)} of {len(compared.changes)} rows of ours take longer by more than 10 %.")
    return "\n".join(lines)


def _is_other(name: str) -> bool:
    return any(other in name for other in OTHERS)


def main() -> int:
    """Print the report; return 1 if something takes longer."""
    before, now = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3])
    try:
        compared = compare(before, now)
    except ValueError as error:
        print(error)
        return 1
    print(f"\n{report(compared)}")
    return int(any(change > SLOWER for change in compared.changes.values()))


if __name__ == "__main__":
    sys.exit(main())
