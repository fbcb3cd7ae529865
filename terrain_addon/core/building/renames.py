"""Parameters that have another name since schema 3 of the recipe."""

from typing import Any

RENAMED: dict[str, dict[str, str]] = {
    "river_beds": {"banks": "width_ratio"},
    "stream_power": {"straying": "flow_perturbation"},
}
"""By the model of the parameter set: the old name of each parameter and the new one."""


NEW_NAMES = {old: new for names in RENAMED.values() for old, new in names.items()}
"""New names of all renamed parameters, by the old ones."""


def renamed(values: dict[str, Any], usual: str) -> dict[str, Any]:
    """Return the JSON of a parameter set with its parameters under their new names.

    Parameters
    ----------
    values : dict
        JSON of one parameter set, as schema 1 or 2 wrote it.
    usual : str
        The model of a set that does not name one.

    Returns
    -------
    dict
        The same values in the same order.

    Examples
    --------
    >>> renamed({"model": "river_beds", "depth": 2.0, "banks": 3.0}, "stream_power")
    {'model': 'river_beds', 'depth': 2.0, 'width_ratio': 3.0}
    """
    names = RENAMED.get(str(values.get("model", usual)), {})
    return {names.get(name, name): value for name, value in values.items()}
