"""Blender properties made from the parameters of core, and how values get from one to the other.

Every parameter set becomes a PropertyGroup with one property per parameter.  Where one of several sets can be chosen,
the group has a menu and one member for each set; such a group is called a holder here.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import bpy

from ...core.building.recipe import Recipe, is_older
from ...core.direction.features import Feature
from ...core.foundation.parameters import CURVE_SIZE, Parameter, ParameterSet, parameters_of
from ...core.planet.planet_recipe import PlanetRecipe
from .. import compat
from . import pictures

_MODEL = "model"
_FEATURES = next(parameter for parameter in parameters_of(Recipe) if parameter.name == "features")


class LandscapeSettings(bpy.types.PropertyGroup):
    """What is stored on the object of a land; the class gets its member `recipe` from core when it is registered."""

    is_landscape: bpy.props.BoolProperty(
        name="Is Landscape", description="Whether this object is a landscape made from its recipe", options={"HIDDEN"}
    )
    water: bpy.props.PointerProperty(
        type=bpy.types.Object, name="Water", description="Object that shows the water of this landscape"
    )
    roads: bpy.props.PointerProperty(
        type=bpy.types.Object, name="Roads", description="Object that shows the roads of this landscape"
    )
    glaciers: bpy.props.PointerProperty(
        type=bpy.types.Object, name="Glaciers", description="Object that shows the ice of this landscape"
    )
    snow: bpy.props.PointerProperty(
        type=bpy.types.Object, name="Snow", description="Object that shows the snow of this landscape"
    )
    far_land: bpy.props.PointerProperty(
        type=bpy.types.Object, name="Far Land", description="Object that shows what is beyond the border"
    )
    is_planted: bpy.props.BoolProperty(
        name="Is Planted", description="Whether plants grow here where they can", options={"HIDDEN"}
    )
    plants: bpy.props.PointerProperty(
        type=bpy.types.Object, name="Plants", description="Object that carries the plants of this landscape"
    )
    near_ground: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Near Ground",
        description="Object that adds crags and the ground near the camera while this land has no plants",
    )
    preset: bpy.props.StringProperty(
        name="Preset", description="Preset that this landscape was made from, as the list calls it", options={"HIDDEN"}
    )
    named: bpy.props.StringProperty(
        name="Named", description="Name of this landscape when its parts were named after it", options={"HIDDEN"}
    )
    saved_recipe: bpy.props.StringProperty(
        name="Saved Recipe", description="The recipe as JSON, as it was when the file was saved", options={"HIDDEN"}
    )


class LandscapeFeatureSettings(bpy.types.PropertyGroup):
    """What is stored on a curve, mesh or empty that is a feature; the class gets its member `feature` from core."""

    land: bpy.props.PointerProperty(
        type=bpy.types.Object, name="Land", description="Landscape on which this is drawn; none if it is no feature"
    )
    takes_heights: bpy.props.BoolProperty(
        name="Take Heights",
        description="The land takes the heights of the points; otherwise only their places count",
        default=False,
    )
    was_drawn: bpy.props.BoolProperty(
        name="Was Drawn",
        description="The add-on made this object, so it is deleted with its feature; objects of the user stay",
        default=False,
        options={"HIDDEN"},
    )


def read_recipe(land: bpy.types.Object) -> Recipe:
    """Return the recipe that a landscape object carries.

    A land that was linked or appended from a file of an older version still has the properties of that version, so its
    recipe is read from the JSON beside them.

    Raises
    ------
    ValueError
        If its values do not fit together.
    """
    saved = saved_recipe_of(land)
    return Recipe.loads(saved) if is_older(saved) else _read_set(land.landscape.recipe, Recipe)


def saved_recipe_of(land: bpy.types.Object) -> str:
    """Return the recipe as JSON that was saved with a land; empty if there is none, or if it is no text."""
    try:
        saved: str = land.landscape.saved_recipe
    except UnicodeDecodeError:  # Only a program that is not Blender writes such a file.
        return ""
    return saved


def write_recipe(land: bpy.types.Object, recipe: Recipe) -> None:
    """Store a recipe on an object, so that it is saved with the file."""
    _write_set(land.landscape.recipe, recipe)
    if is_older(saved_recipe_of(land)):
        land.landscape.saved_recipe = ""  # from now on the properties count
    land.landscape.is_landscape = True


def read_features(land: bpy.types.Object) -> tuple[Feature, ...]:
    """Return the features in the recipe of a land.

    Raises
    ------
    ValueError
        If their values do not fit together.
    """
    features: tuple[Feature, ...] = _read_series(_FEATURES, land.landscape.recipe.features)
    return features


def write_features(land: bpy.types.Object, features: Sequence[Feature]) -> None:
    """Store features in the recipe of a land."""
    _write_series(_FEATURES, land.landscape.recipe.features, features)


def read_drawn_feature(drawn: bpy.types.Object) -> Feature:
    """Return the feature that a curve, mesh or empty stands for, without name and points.

    Raises
    ------
    ValueError
        If its values do not fit together.
    """
    feature: Feature = _read_member(_FEATURES, drawn.landscape_feature.feature)
    return feature


def write_drawn_feature(drawn: bpy.types.Object, feature: Feature) -> None:
    """Store on a curve, mesh or empty which feature it stands for; its points are those of the object."""
    _fill_holder(_FEATURES, drawn.landscape_feature.feature, feature.replace(name="", points=()))


def group_name(cls: type[ParameterSet]) -> str:
    """Return the name of the property group of a parameter set."""
    return f"Landscape{cls.__name__}"


def _radius_in_km(settings: bpy.types.PropertyGroup) -> float:
    return float(settings.recipe.radius) / 1000.0


def _set_radius_in_km(settings: bpy.types.PropertyGroup, radius: float) -> None:
    settings.recipe.radius = 1000.0 * radius
    settings.id_data.update_tag()  # Blender tags nothing for a property that is not stored


class LandscapePlanetSettings(bpy.types.PropertyGroup):
    """What is stored on the object of a planet; the class gets its member `recipe` from core when it is registered."""

    is_planet: bpy.props.BoolProperty(
        name="Is Planet", description="Whether this object is a planet made from its recipe", options={"HIDDEN"}
    )
    size: bpy.props.FloatProperty(
        name="Radius in Scene",
        description="How large the planet is in the scene; its real radius is a part of the recipe",
        default=10.0,
        min=0.01,
        max=1e6,
        subtype="DISTANCE",
    )
    radius_km: bpy.props.FloatProperty(
        name="Radius (km)",
        description="Distance from the middle of the real planet to the ground",
        get=_radius_in_km,
        set=_set_radius_in_km,
        min=0.1,
        max=1e5,
        soft_min=0.5,
        soft_max=2e4,
        precision=3,
    )
    colours: bpy.props.PointerProperty(
        type=bpy.types.Image, name="Colours", description="Picture with the colours of the ground"
    )
    relief: bpy.props.PointerProperty(
        type=bpy.types.Image, name="Relief", description="Picture with residual, ice and depth of the sea"
    )
    place: bpy.props.FloatVectorProperty(
        name="Place", description="Direction of the place near which the ground is fine; 0 for none", options={"HIDDEN"}
    )
    ahead: bpy.props.FloatVectorProperty(
        name="Ahead", description="Level direction in which the ground is fine", options={"HIDDEN"}
    )
    height: bpy.props.FloatProperty(
        name="Height",
        description="Of the eye above the sphere in radii; 0 for one on the ground",
        options={"HIDDEN"},
    )


def read_planet_recipe(planet: bpy.types.Object) -> PlanetRecipe:
    """Return the recipe that the object of a planet carries.

    Raises
    ------
    ValueError
        If its values do not fit together.
    """
    recipe: PlanetRecipe = _read_set(planet.landscape_planet.recipe, PlanetRecipe)
    return recipe


def write_planet_recipe(planet: bpy.types.Object, recipe: PlanetRecipe, size: float) -> None:
    """Store the recipe of a planet and its radius in the scene on an object, so that they are saved with the file."""
    settings = planet.landscape_planet
    _write_set(settings.recipe, recipe)
    settings.size, settings.is_planet = size, True


def series_of(recipe: Any, path: str) -> tuple[Any, Any, str]:
    """Return a list in the properties of a recipe.

    Parameters
    ----------
    recipe : PropertyGroup
    path : str
        Such as ``relief.layers``.

    Returns
    -------
    items : bpy_prop_collection
    owner : PropertyGroup
        The group that the list is in.
    index_name : str
        Name of the property of the owner that holds the number of the active item.
    """
    *groups, name = path.split(".")
    owner = recipe
    for group in groups:
        owner = getattr(owner, group)
    return getattr(owner, name), owner, f"{name}_index"


def copy_item(source: bpy.types.PropertyGroup, target: bpy.types.PropertyGroup) -> None:
    """Copy all properties of one group to another of the same kind."""
    for declared in source.bl_rna.properties:
        name = declared.identifier
        if name == "rna_type":
            continue
        if declared.type == "POINTER":
            copy_item(getattr(source, name), getattr(target, name))
        elif declared.type == "COLLECTION":
            for item in getattr(source, name):
                copy_item(item, getattr(target, name).add())
        else:
            setattr(target, name, getattr(source, name))


def register() -> None:
    """Register the property groups and put them on objects."""
    LandscapeSettings.__annotations__["recipe"] = bpy.props.PointerProperty(type=_group_of(Recipe), name="Recipe")
    bpy.utils.register_class(LandscapeSettings)
    bpy.types.Object.landscape = bpy.props.PointerProperty(type=LandscapeSettings, name="Landscape")
    LandscapeFeatureSettings.__annotations__["feature"] = bpy.props.PointerProperty(
        type=_holder_of(_FEATURES.members), name="Feature"
    )
    bpy.utils.register_class(LandscapeFeatureSettings)
    bpy.types.Object.landscape_feature = bpy.props.PointerProperty(type=LandscapeFeatureSettings, name="Feature")
    LandscapePlanetSettings.__annotations__["recipe"] = bpy.props.PointerProperty(
        type=_group_of(PlanetRecipe), name="Recipe"
    )
    bpy.utils.register_class(LandscapePlanetSettings)
    bpy.types.Object.landscape_planet = bpy.props.PointerProperty(type=LandscapePlanetSettings, name="Planet")


def unregister() -> None:
    """Remove the property groups from objects, and unregister them."""
    del bpy.types.Object.landscape_planet
    bpy.utils.unregister_class(LandscapePlanetSettings)
    del bpy.types.Object.landscape_feature
    bpy.utils.unregister_class(LandscapeFeatureSettings)
    del bpy.types.Object.landscape
    bpy.utils.unregister_class(LandscapeSettings)
    for group in reversed(_groups.values()):
        bpy.utils.unregister_class(group)
    _groups.clear()


# --- classes ----------------------------------------------------------------------------------------------------------

# Registered groups by class name, members before those that point to them.
_groups: dict[str, type[bpy.types.PropertyGroup]] = {}


def _group_of(cls: type[ParameterSet]) -> type[bpy.types.PropertyGroup]:
    """Return the registered PropertyGroup of a parameter set."""
    name = group_name(cls)
    if name not in _groups:
        properties: dict[str, Any] = {}
        for parameter in parameters_of(cls):
            properties |= _PROPERTIES[parameter.kind](parameter)
        _register_group(name, cls.__doc__ or "", properties)
    return _groups[name]


def _choice_of(members: tuple[type[ParameterSet], ...]) -> type[bpy.types.PropertyGroup]:
    """Return the registered PropertyGroup that holds one of several parameter sets: a menu, and each of the sets."""
    # Blender takes names of up to 63 characters.
    name = f"LandscapeOneOf{len(members)}Like{members[0].__name__}"
    if name not in _groups:
        items = [(m.model(), m.title(), (m.__doc__ or "").rstrip(".")) for m in members]
        properties = {_MODEL: bpy.props.EnumProperty(name="Model", description="Which model is used", items=items)}
        for member in members:
            properties[member.model()] = bpy.props.PointerProperty(type=_group_of(member))
        _register_group(name, "One of several models.", properties)
    return _groups[name]


def _register_group(name: str, doc: str, properties: dict[str, Any]) -> None:
    group = type(name, (bpy.types.PropertyGroup,), {"__annotations__": properties, "__doc__": doc})
    bpy.utils.register_class(group)
    _groups[name] = group


# How a label may name the unit itself.
_UNIT_NAMES = {"yr": "Years", "d": "Day"}


def _texts(parameter: Parameter) -> dict[str, str]:
    """Return label and tooltip; the label names the unit once, except for metres, which Blender shows itself."""
    named = _UNIT_NAMES.get(parameter.unit, "")
    shows_unit = parameter.unit in ("", "m") or (named and named in parameter.label)
    return {
        "name": parameter.label if shows_unit else f"{parameter.label} ({parameter.unit})",
        "description": parameter.description,
    }


def _ranges(parameter: Parameter) -> dict[str, Any]:
    """Return hard and soft limits."""
    limits = parameter.limits or (-3.4e38, 3.4e38)
    soft = parameter.soft or limits
    return {"min": limits[0], "max": limits[1], "soft_min": soft[0], "soft_max": soft[1]}


def _number(parameter: Parameter) -> dict[str, Any]:
    # A slider over many units moves by 1, one over few by 0.01.
    soft = parameter.soft or parameter.limits or (0.0, 1.0)
    fine = soft[1] - soft[0] <= 20.0
    digits = 1 if not fine else 3 if 0.0 < abs(parameter.default) < 0.1 else 2
    is_share = parameter.limits == (0.0, 1.0) and not parameter.unit
    subtype = "DISTANCE" if parameter.unit == "m" else "FACTOR" if is_share else "NONE"
    details = {"precision": digits, "step": 1 if fine else 100, "subtype": subtype}
    return {
        parameter.name: bpy.props.FloatProperty(
            default=parameter.default, **details, **_texts(parameter), **_ranges(parameter)
        )
    }


def _curve(parameter: Parameter) -> dict[str, Any]:
    flat = [number for point in parameter.default for number in point]
    return {
        parameter.name: bpy.props.FloatVectorProperty(
            size=2 * CURVE_SIZE, default=flat, precision=2, **_texts(parameter)
        )
    }


def _points(parameter: Parameter) -> dict[str, Any]:
    # Blender has no property for a list of points of any length, so it is kept as JSON.
    return {parameter.name: bpy.props.StringProperty(default="[]", options={"HIDDEN"}, **_texts(parameter))}


def _choice(parameter: Parameter) -> dict[str, Any]:
    items = [
        (value, parameter.choice_name(value), text, _ICONS.get(parameter.name, _no_icon)(value), number)
        for number, (value, text) in enumerate(parameter.choices.items())
    ]
    return {parameter.name: bpy.props.EnumProperty(items=items, default=parameter.default, **_texts(parameter))}


def _no_icon(value: str) -> int:
    return 0


# Functions that return the icon of a choice, by the name of the parameter.
_ICONS: dict[str, Callable[[str], int]] = {"form": pictures.plant_icon}


def _member(parameter: Parameter) -> dict[str, Any]:
    return {parameter.name: bpy.props.PointerProperty(type=_holder_of(parameter.members), **_texts(parameter))}


def _series(parameter: Parameter) -> dict[str, Any]:
    return {
        parameter.name: bpy.props.CollectionProperty(type=_holder_of(parameter.members), **_texts(parameter)),
        f"{parameter.name}_index": bpy.props.IntProperty(name=f"Chosen Item of {parameter.label}", options={"HIDDEN"}),
    }


def _holder_of(members: Sequence[type[ParameterSet]]) -> type[bpy.types.PropertyGroup]:
    """Return the registered PropertyGroup of one or several parameter sets."""
    return _group_of(members[0]) if len(members) == 1 else _choice_of(tuple(members))


_PROPERTIES: dict[str, Callable[[Parameter], dict[str, Any]]] = {
    "float": _number,
    "int": lambda p: {p.name: bpy.props.IntProperty(default=p.default, **_texts(p), **_ranges(p))},
    "bool": lambda p: {p.name: bpy.props.BoolProperty(default=p.default, **_texts(p))},
    "text": lambda p: {p.name: bpy.props.StringProperty(default=p.default, **_texts(p))},
    "path": lambda p: {
        p.name: bpy.props.StringProperty(
            default=p.default, subtype="FILE_PATH", options=compat.BLEND_RELATIVE, **_texts(p)
        )
    },
    "choice": _choice,
    "curve": _curve,
    "points": _points,
    "group": _member,
    "variant": _member,
    "series": _series,
}


# --- values -----------------------------------------------------------------------------------------------------------


def _read_set(group: Any, cls: type[Any]) -> Any:
    return cls(**{p.name: _READ.get(p.kind, _read_plain)(p, getattr(group, p.name)) for p in parameters_of(cls)})


def _read_plain(parameter: Parameter, value: Any) -> Any:
    return value


def _read_curve(parameter: Parameter, value: Any) -> Any:
    numbers = list(value)
    return tuple(zip(numbers[0::2], numbers[1::2]))


def _read_points(parameter: Parameter, value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _read_member(parameter: Parameter, holder: Any) -> Any:
    if len(parameter.members) == 1:
        return _read_set(holder, parameter.members[0])
    cls = next(m for m in parameter.members if m.model() == getattr(holder, _MODEL))
    return _read_set(getattr(holder, cls.model()), cls)


def _read_series(parameter: Parameter, holders: Any) -> Any:
    return tuple(_read_member(parameter, holder) for holder in holders)


_READ = {
    "curve": _read_curve,
    "points": _read_points,
    "group": _read_member,
    "variant": _read_member,
    "series": _read_series,
}


def _write_set(group: Any, values: ParameterSet) -> None:
    for parameter in parameters_of(type(values)):
        _WRITE.get(parameter.kind, _write_plain)(parameter, group, getattr(values, parameter.name))


def _write_plain(parameter: Parameter, group: Any, value: Any) -> None:
    setattr(group, parameter.name, value)


def _write_curve(parameter: Parameter, group: Any, points: Any) -> None:
    setattr(group, parameter.name, [number for point in points for number in point])


def _write_points(parameter: Parameter, group: Any, points: Any) -> None:
    setattr(group, parameter.name, json.dumps(points))


def _write_member(parameter: Parameter, group: Any, value: ParameterSet) -> None:
    _fill_holder(parameter, getattr(group, parameter.name), value)


def _write_items(parameter: Parameter, group: Any, values: Sequence[ParameterSet]) -> None:
    _write_series(parameter, getattr(group, parameter.name), values)


def _write_series(parameter: Parameter, holders: Any, values: Sequence[ParameterSet]) -> None:
    holders.clear()
    for value in values:
        _fill_holder(parameter, holders.add(), value)


def _fill_holder(parameter: Parameter, holder: Any, value: ParameterSet) -> None:
    if len(parameter.members) > 1:
        setattr(holder, _MODEL, value.model())
        holder = getattr(holder, value.model())
    _write_set(holder, value)


_WRITE: dict[str, Callable[[Parameter, Any, Any], None]] = {
    "curve": _write_curve,
    "points": _write_points,
    "group": _write_member,
    "variant": _write_member,
    "series": _write_items,
}
