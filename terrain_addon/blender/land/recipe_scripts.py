"""A recipe as a Python script."""

from ...core.building.recipe import Recipe
from ...core.foundation.parameters import ParameterSet, parameters_of


def python_script(recipe: Recipe) -> str:
    """Return a Python script that builds a recipe; it names only the parameters that differ from the defaults."""
    package = __package__.rpartition(".blender")[0]
    return (
        f"from {package} import core\n\n"
        f"recipe = core.Recipe.from_json({_literal(_differences(recipe))})\nlandscape = core.build(recipe)\n"
    )


def _differences(values: ParameterSet) -> dict[str, object]:
    """The parameters that differ from the defaults, as JSON data."""
    mine, default = values.to_json(), type(values)().to_json()
    return {p.name: mine[p.name] for p in parameters_of(type(values)) if mine[p.name] != default[p.name]}


def _literal(data: object) -> str:
    """Data as Python source, on one line if it is short."""
    return repr(data) if len(repr(data)) < 100 else _folded(data, 0)


def _folded(data: object, depth: int) -> str:
    """Data as Python source over several lines, indented by depth."""
    inner, outer = "    " * (depth + 1), "    " * depth
    if isinstance(data, dict) and data:
        lines = [f"{inner}{key!r}: {_folded(value, depth + 1)}," for key, value in data.items()]
        return "{\n" + "\n".join(lines) + f"\n{outer}}}"
    if isinstance(data, list) and any(isinstance(item, dict) for item in data):
        return "[\n" + "\n".join(f"{inner}{_folded(item, depth + 1)}," for item in data) + f"\n{outer}]"
    return repr(data)
