"""One declaration per parameter: default, unit, range and description, from which everything else follows.

A process declares its parameters as a frozen dataclass that inherits from `ParameterSet`:

>>> @dataclass(frozen=True)
... class StreamPower(ParameterSet):
...     '''Rivers cut into rising rock.'''
...     erodibility: float = parameter(2e-6, "How easily rivers cut the rock", unit="1/yr", limits=(0.0, 1.0))
>>> StreamPower(erodibility=-1.0)
Traceback (most recent call last):
    ...
ValueError: erodibility = -1.0 1/yr is outside 0.0 to 1.0 1/yr

Checks, JSON, the properties of Blender's panel, tooltips and tables in the documentation all come from that line:

>>> StreamPower().to_json()
{'erodibility': 2e-06}
>>> StreamPower.from_json({"erodability": 1e-5})
Traceback (most recent call last):
    ...
ValueError: erodability is not a parameter of stream_power; did you mean erodibility?

Modules that declare parameters must not use ``from __future__ import annotations``.
"""

import dataclasses
import difflib
import math
import operator
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, Self, TypeVar, cast
from unicodedata import category

import numpy as np

# PointList of a piecewise-linear curve, (x, y), from left to right.
CurvePoints = tuple[tuple[float, float], ...]
CURVE_SIZE = 4

PointList = tuple[tuple[float, ...], ...]
"""PointList of a line or an outline, each (x, y) or (x, y, z)."""
MOST_POINTS = 10_000
"""Longest list of points."""

MOST_ITEMS = 1000
"""Longest list of parameter sets."""

_METADATA = "parameter"
_SMALL_WORDS = frozenset(("and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"))
_VARIANT_KEY = "model"

S = TypeVar("S", bound="ParameterSet")


def menu_name(name: str) -> str:
    """Return an identifier as people read it in menus.

    Parameters
    ----------
    name : str
        Words with underscores or spaces between them.

    Returns
    -------
    str

    Examples
    --------
    >>> menu_name("mesa_and_canyon"), menu_name("wet_ground")
    ('Mesa and Canyon', 'Wet Ground')
    """
    words = name.replace("_", " ").split()
    return " ".join(
        word if number and word in _SMALL_WORDS else word[:1].upper() + word[1:] for number, word in enumerate(words)
    )


class Named(str):
    """The description of a choice whose name in menus does not follow from its value.

    >>> Named("Nearest Point", "Distance to the nearest point").name
    'Nearest Point'
    """

    name: str

    def __new__(cls, name: str, description: str) -> Self:
        text = super().__new__(cls, description)
        text.name = name
        return text

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.name, str(self)


@dataclass(frozen=True)
class Parameter:
    """The declaration of one parameter.

    Attributes
    ----------
    name : str
        Its name in code and JSON.
    kind : str
        A key of `KINDS`: float, int, bool, choice, text, path, curve, points, group, variant or series.
    default : object
        The value when none is given; for a group or variant, the type that makes it.
    description : str
        What it does, as one sentence without a full stop.
    label : str
        Its name in a panel.
    unit : str
        SI unit or ° or %; empty for a pure number.
    limits, soft : tuple of float or None
        The accepted range, and the range of a slider.
    choices : dict of str to str
        For a choice: each value with the sentence that explains it, which is `Named` where the value says little.
    members : tuple of type
        For a group, variant or series: the parameter sets it may hold.
    advanced : bool
        Whether a panel hides it among the advanced ones.
    """

    name: str
    kind: str
    default: Any
    description: str
    label: str
    unit: str
    limits: tuple[float, float] | None
    soft: tuple[float, float] | None
    choices: Mapping[str, str]
    members: tuple[type["ParameterSet"], ...]
    advanced: bool

    def choice_name(self, value: str) -> str:
        """Return the name of a choice in menus.

        Parameters
        ----------
        value : str
            A key of `choices`.

        Returns
        -------
        str
        """
        text = self.choices[value]
        return text.name if isinstance(text, Named) else menu_name(value)

    def amount(self, value: Any) -> str:
        """Return a value followed by the unit, for messages.

        Parameters
        ----------
        value : object
            The value.

        Returns
        -------
        str
        """
        return f"{shown(value)} {self.unit}".rstrip()

    @property
    def range(self) -> str:
        """The accepted range in words."""
        if self.limits is None:
            return "any value"
        return f"{self.limits[0]!r} to {self.limits[1]!r} {self.unit}".rstrip()


def parameter(
    default: Any,
    description: str,
    *,
    unit: str = "",
    limits: tuple[float, float] | None = None,
    soft: tuple[float, float] | None = None,
    choices: Mapping[str, str] | None = None,
    kind: str = "",
    label: str = "",
    advanced: bool = False,
) -> Any:
    """Declare a number, switch, choice, text, path or curve.

    Parameters
    ----------
    default : float, int, bool, str or CurvePoints
        The value when none is given.
    description : str
        What it does to the landscape, as one sentence without a full stop.
    unit : str
        SI unit or ° or %; empty for a pure number.
    limits, soft : pair of numbers
        Accepted range, and the range of a slider.  For a curve, the range of x.
    choices : mapping
        Values of a choice with their descriptions.
    kind : str
        A key of `KINDS`; left out, it follows from the default.
    label : str
        Its name in a panel; left out, it follows from the name of the field.
    advanced : bool
        Whether a panel hides it among the advanced ones.

    Returns
    -------
    dataclasses.Field
        What a dataclass wants on the right of the declaration.
    """
    if not kind:
        kind = "choice" if choices else _KIND_OF_TYPE[type(default)]
    return _declare(
        kind,
        description,
        default=default,
        unit=unit,
        limits=limits,
        soft=soft,
        choices=choices,
        label=label,
        advanced=advanced,
    )


def same_as(cls: type["ParameterSet"], name: str, **changes: Any) -> Any:
    """Declare a parameter as another set declares it.

    Parameters
    ----------
    cls : type
        The other set.
    name : str
        Of the parameter there.
    **changes
        What differs here: `default`, `description` and other arguments of `parameter`.

    Returns
    -------
    dataclasses.Field
        What a dataclass wants on the right of the declaration.

    Raises
    ------
    ValueError
        If the other set has no parameter of this name.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Hill(ParameterSet):
    ...     height: float = parameter(100.0, "How high it is", unit="m", limits=(0.0, 9000.0))
    >>> @dataclass(frozen=True)
    ... class Dune(ParameterSet):
    ...     height: float = same_as(Hill, "height", default=20.0)
    >>> parameters_of(Dune)[0].range, Dune().height
    ('0.0 to 9000.0 m', 20.0)
    """
    found = next((one for one in dataclasses.fields(cls) if one.name == name), None)
    if found is None:
        raise ValueError(f"{cls.__name__} has no parameter {name!r}")
    details = {key: value for key, value in found.metadata[_METADATA].items() if key != "members"}
    return _declare(**({"default": found.default} | details | changes))


def group(members: type[S], description: str, *, label: str = "") -> S:
    """Declare a nested parameter set.

    Parameters
    ----------
    members : type
        The type of the set; made without arguments, it is the default.
    description : str
        What the set is for, as one sentence without a full stop.
    label : str
        Its name in a panel; left out, it follows from the name of the field.

    Returns
    -------
    dataclasses.Field
    """
    return cast(S, _declare("group", description, members=(members,), default=members, label=label))


def variant(members: Sequence[type[S]], description: str, *, label: str = "", advanced: bool = False) -> Any:
    """Declare a nested parameter set of one of several types.

    Parameters
    ----------
    members : sequence of type
        The types that are accepted; the first is the default.
    description : str
        What the set is for, as one sentence without a full stop.
    label : str
        Its name in a panel; left out, it follows from the name of the field.
    advanced : bool
        Whether a panel hides it among the advanced ones.

    Returns
    -------
    dataclasses.Field
    """
    return _declare("variant", description, members=tuple(members), default=members[0], label=label, advanced=advanced)


def series(members: Sequence[type[S]], default: Sequence[S], description: str, *, label: str = "") -> Any:
    """Declare an ordered list of parameter sets.

    Parameters
    ----------
    members : sequence of type
        The types that items may have.
    default : sequence of ParameterSet
        The items when none are given.
    description : str
        What the list is for, as one sentence without a full stop.
    label : str
        Its name in a panel; left out, it follows from the name of the field.

    Returns
    -------
    dataclasses.Field
    """
    return _declare("series", description, members=tuple(members), default=tuple(default), label=label)


def _declare(kind: str, description: str, *, default: Any, members: Any = (), **details: Any) -> Any:
    """Return a field that carries a declaration."""
    metadata = {_METADATA: {"kind": kind, "description": description, "members": members, **details}}
    if kind in ("group", "variant"):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class ParameterSet:
    """Base of every parameter dataclass: its values are checked, and converted to one form, when it is made."""

    def __post_init__(self) -> None:
        for declared in parameters_of(type(self)):
            value = KINDS[declared.kind].check(declared, getattr(self, declared.name))
            object.__setattr__(self, declared.name, value)
        self.check()

    def check(self) -> None:
        """Raise ValueError if values that are valid alone do not fit together; by default all do."""

    @classmethod
    def model(cls) -> str:
        """The name of this set in JSON and in menus: the class name in snake case."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("_")

    @classmethod
    def title(cls) -> str:
        """The name of this set as people read it in menus: the class name in words."""
        return menu_name(cls.model())

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Return the set that `to_json` has written; parameters that are left out take their defaults.

        Parameters
        ----------
        data : dict
            Values by name.

        Returns
        -------
        ParameterSet

        Raises
        ------
        ValueError
            Naming the parameter by its path, for unknown names, wrong types and values out of range.
        """
        if not isinstance(data, Mapping):
            raise ValueError(f"{cls.model()} must be an object with parameters, not {shown(data)}")
        declared = {p.name: p for p in parameters_of(cls)}
        values = {}
        for name, value in data.items():
            if name not in declared:
                raise ValueError(
                    f"{_shown_name(name)} is not a parameter of {cls.model()}{_suggestion(name, declared)}"
                )
            values[name] = KINDS[declared[name].kind].from_json(declared[name], value)
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Return the values as numbers, strings, lists and dictionaries."""
        return {p.name: KINDS[p.kind].to_json(p, getattr(self, p.name)) for p in parameters_of(type(self))}

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some parameters changed.

        Parameters
        ----------
        **changes
            New values by name.

        Returns
        -------
        ParameterSet

        Raises
        ------
        ValueError
            If a name is unknown, or a value is of the wrong type or out of range.
        """
        known = [p.name for p in parameters_of(type(self))]
        for name in changes:
            if name not in known:
                raise ValueError(f"{name} is not a parameter of {self.model()}{_suggestion(name, known)}")
        return dataclasses.replace(self, **changes)


def parameters_of(cls: type[ParameterSet]) -> tuple[Parameter, ...]:
    """Return the declarations of a parameter set, in the order in which they are written.

    Parameters
    ----------
    cls : type
        A dataclass that inherits from `ParameterSet`.

    Returns
    -------
    tuple of Parameter

    Raises
    ------
    TypeError
        If a field was not declared with `parameter`, `group`, `variant` or `series`.
    """
    return _declared_in(cast(Any, cls))


@cache
def _declared_in(cls: type[Any]) -> tuple[Parameter, ...]:
    """The declarations of a parameter set; dragged points ask for them all the time."""
    return tuple(_parameter_of(cls, f) for f in dataclasses.fields(cls))


def _parameter_of(cls: type[ParameterSet], declared: "dataclasses.Field[Any]") -> Parameter:
    """Return the declaration that a field carries."""
    details = declared.metadata.get(_METADATA)
    if details is None:
        raise TypeError(
            f"{cls.__name__}.{declared.name} is not declared with parameter(), group(), variant() or series()"
        )
    return Parameter(
        name=declared.name,
        kind=details["kind"],
        default=declared.default if declared.default is not dataclasses.MISSING else declared.default_factory,
        description=details["description"],
        label=details.get("label") or menu_name(declared.name),
        unit=details.get("unit", ""),
        limits=details.get("limits"),
        soft=details.get("soft"),
        choices=details.get("choices") or {},
        members=details["members"],
        advanced=details.get("advanced", False),
    )


# --- kinds: how a value is checked, written and read ------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """How values of one kind are checked (and converted to one form), written to JSON and read from it."""

    check: Callable[[Parameter, Any], Any]
    to_json: Callable[[Parameter, Any], Any] = lambda declared, value: value
    from_json: Callable[[Parameter, Any], Any] = lambda declared, value: value


def shown(value: Any) -> str:
    """Return any value as a short text in one line, for messages.

    Parameters
    ----------
    value : object
        Of any type and size.

    Returns
    -------
    str
        What `repr` gives, cut after 100 characters.

    Examples
    --------
    >>> shown(0.5), shown("a\\nb"), len(shown(10**400))
    ('0.5', "'a\\\\nb'", 102)
    """
    if isinstance(value, int) and abs(value) >= _LONGEST_INTEGER:
        return f"{'-' if value < 0 else ''}{_digits_of(value)} …"
    text = _SHORT.repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} …"


def _digits_of(value: int) -> str:
    """Return the first digits of a long integer; to write all of them can be refused, and takes long."""
    size = abs(value)
    while size.bit_length() > 2 * _LONGEST_INTEGER.bit_length():
        size //= 10 ** (size.bit_length() // 8)
    return str(size)[:_MOST_SHOWN]


_SHORT = reprlib.Repr()
_SHORT.maxlevel = 3
_SHORT.maxdict = _SHORT.maxlist = _SHORT.maxtuple = 6
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 100
_MOST_SHOWN = 100  # characters
_LONGEST_INTEGER = 10**100


def _shown_name(name: Any) -> str:
    """Return a name from a file for a message: as it is, unless it is long or holds what cannot be shown."""
    return name if isinstance(name, str) and name.isprintable() and 0 < len(name) <= _MOST_SHOWN else shown(name)


def _check_float(declared: Parameter, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ValueError(f"{declared.name} = {shown(value)} is not a number ({declared.range})")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{declared.name} = {declared.amount(value)} is outside {declared.range}") from None
    if not math.isfinite(number):
        raise ValueError(f"{declared.name} = {number} is not a finite number ({declared.range})")
    # Blender stores float32: 0.4 comes back as 0.4000000059604645.  So each value becomes the shortest decimal number
    # with the same float32: then panel, script and command line agree.
    if abs(number) <= float(np.finfo(np.float32).max):
        number = float(str(np.float32(number)))
    return _check_range(declared, number)


def _check_int(declared: Parameter, value: Any) -> int:
    if isinstance(value, (bool, float, np.floating)) or not hasattr(value, "__index__"):
        raise ValueError(f"{declared.name} = {shown(value)} is not a whole number ({declared.range})")
    number = operator.index(value)
    _check_range(declared, number)
    return number


def _check_range(declared: Parameter, number: float) -> float:
    if declared.limits is not None and not declared.limits[0] <= number <= declared.limits[1]:
        raise ValueError(f"{declared.name} = {declared.amount(number)} is outside {declared.range}")
    return number


def _check_bool(declared: Parameter, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{declared.name} = {shown(value)} is neither true nor false")
    return bool(value)


def _check_choice(declared: Parameter, value: Any) -> str:
    if value not in tuple(declared.choices):
        raise ValueError(f"{declared.name} = {shown(value)} is none of: {', '.join(declared.choices)}")
    return cast(str, value)


def _check_text(declared: Parameter, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{declared.name} = {shown(value)} is not a text")
    if "\0" in value:
        raise ValueError(f"{declared.name} = {shown(value)} holds a null character")
    if any(category(sign) == "Cs" for sign in value):
        raise ValueError(f"{declared.name} = {shown(value)} holds half of a character, a surrogate without its pair")
    return value


def _check_curve(declared: Parameter, value: Any) -> CurvePoints:
    shape = f"{CURVE_SIZE} points [x, y] from left to right, y from 0 to 1"
    try:
        points = tuple((_coordinate(x), _coordinate(y)) for x, y in value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{declared.name} = {shown(value)} is not a curve: {shape}") from None
    if len(points) != CURVE_SIZE or not all(math.isfinite(x) and 0.0 <= y <= 1.0 for x, y in points):
        raise ValueError(f"{declared.name} = {shown(points)} is not a curve: {shape}")
    if any(left[0] > right[0] for left, right in pairwise(points)):
        raise ValueError(f"{declared.name} = {shown(points)} is out of order: x must not decrease")
    return points


def _check_points(declared: Parameter, value: Any) -> PointList:
    """Return points of two or three coordinates, each within the range."""
    shape = "list of points [x, y] or [x, y, height]"
    try:
        points = tuple(tuple(map(_coordinate, point)) for point in value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{declared.name} = {shown(value)} is not a {shape}") from None
    if len(points) > MOST_POINTS:
        raise ValueError(f"{declared.name} are {len(points):,}, at most {MOST_POINTS:,} can be taken; leave some out")
    for number, point in enumerate(points):
        if len(point) not in (2, 3):
            raise ValueError(f"{declared.name}[{number}] = {shown(point)} is not a point [x, y] or [x, y, height]")
        for coordinate in point:
            if not math.isfinite(coordinate):
                raise ValueError(f"{declared.name}[{number}] = {shown(point)} is not finite")
            _check_range(dataclasses.replace(declared, name=f"{declared.name}[{number}]"), coordinate)
    return points


def _coordinate(number: Any) -> float:
    """Return a coordinate of a point, as `_check_float` rounds it."""
    if isinstance(number, (bool, str, bytes)):
        raise TypeError
    with np.errstate(over="ignore"):
        return float(str(np.float32(number)))


def _check_member(declared: Parameter, value: Any) -> ParameterSet:
    if type(value) not in declared.members:
        names = ", ".join(m.__name__ for m in declared.members)
        raise ValueError(f"{declared.name} = {shown(value)} is none of: {names}")
    return cast(ParameterSet, value)


def _check_series(declared: Parameter, value: Any) -> tuple[ParameterSet, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise ValueError(f"{declared.name} = {shown(value)} is not a list")
    _check_length(declared, value)
    return tuple(_check_member(declared, v) for v in value)


def _check_length(declared: Parameter, items: Sequence[Any]) -> None:
    if len(items) > MOST_ITEMS:
        raise ValueError(f"{declared.name} has {len(items)} items, outside 0 to {MOST_ITEMS}")


def _member_to_json(declared: Parameter, value: ParameterSet) -> dict[str, Any]:
    named = {_VARIANT_KEY: value.model()} if len(declared.members) > 1 else {}
    return named | value.to_json()


def _member_from_json(declared: Parameter, data: Any) -> ParameterSet:
    if not isinstance(data, Mapping):
        raise ValueError(f"{declared.name} must be an object with parameters, not {shown(data)}")
    cls = declared.members[0]
    if len(declared.members) > 1:
        models = {m.model(): m for m in declared.members}
        name = data.get(_VARIANT_KEY, cls.model())
        if not isinstance(name, str) or name not in models:
            raise ValueError(f"{declared.name}.{_VARIANT_KEY} = {shown(name)} is none of: {', '.join(models)}")
        cls = models[name]
        data = {k: v for k, v in data.items() if k != _VARIANT_KEY}
    return _under(declared.name, cls, data)


def _series_from_json(declared: Parameter, data: Any) -> tuple[ParameterSet, ...]:
    if not isinstance(data, list):
        raise ValueError(f"{declared.name} = {shown(data)} is not a list")
    _check_length(declared, data)
    return tuple(
        _member_from_json(dataclasses.replace(declared, name=f"{declared.name}[{i}]"), item)
        for i, item in enumerate(data)
    )


def _under(path: str, cls: type[ParameterSet], data: Any) -> ParameterSet:
    """Read a nested set; what is wrong in it is reported with its path."""
    try:
        return cls.from_json(data)
    except ValueError as error:
        # A sentence about a thing with a name of its own is no longer path.
        joint = ": " if str(error).startswith("the ") else "."
        raise ValueError(f"{path}{joint}{error}") from None


def _suggestion(name: str, known: Any) -> str:
    """Return the end of a message on an unknown name: the closest known one, or all of them."""
    close = difflib.get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {close[0]}?" if close else f"; it has: {', '.join(known)}"


KINDS: Mapping[str, Kind] = {
    "float": Kind(_check_float),
    "int": Kind(_check_int),
    "bool": Kind(_check_bool),
    "choice": Kind(_check_choice),
    "text": Kind(_check_text),
    "path": Kind(_check_text),
    "curve": Kind(_check_curve, lambda _, points: [list(p) for p in points]),
    "points": Kind(_check_points, lambda _, points: [list(p) for p in points]),
    "group": Kind(_check_member, _member_to_json, _member_from_json),
    "variant": Kind(_check_member, _member_to_json, _member_from_json),
    "series": Kind(
        _check_series,
        lambda declared, values: [_member_to_json(declared, v) for v in values],
        _series_from_json,
    ),
}

_KIND_OF_TYPE = {float: "float", int: "int", bool: "bool", str: "text", tuple: "curve"}
