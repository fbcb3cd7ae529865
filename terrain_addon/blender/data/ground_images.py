"""Images that users choose for the covers of the ground: colour, roughness, normal and height of each."""

from typing import Any

import bpy

from ...core.foundation.parameters import menu_name

GROUNDS = ("soil", "grass", "forest_floor", "scree", "rock", "sand", "snow")
"""Covers that can have images, each lying over those before it."""

_KINDS = {
    "colour": "Picture of the ground from above",
    "roughness": "How rough the ground is: white is rough",
    "normal": "Directions of the ground as OpenGL has them: green is north",
    "height": "Relief of the ground: white is high, middle grey is level",
}


class LandscapeGroundImages(bpy.types.PropertyGroup):
    """Images of one cover; the class gets one pointer for each kind of image."""

    __annotations__ = {
        kind: bpy.props.PointerProperty(type=bpy.types.Image, name=kind.capitalize(), description=text)
        for kind, text in _KINDS.items()
    } | {
        "size": bpy.props.FloatProperty(
            name="Image Size",
            description="Length of ground that an image shows from side to side",
            default=4.0,
            min=0.01,
            max=1e5,
            soft_max=100.0,
            subtype="DISTANCE",
        ),
        "relief": bpy.props.FloatProperty(
            name="Image Relief",
            description="Height from the lowest to the highest place of the height image",
            default=0.1,
            min=0.0,
            max=100.0,
            soft_max=1.0,
            subtype="DISTANCE",
        ),
    }


class LandscapeGrounds(bpy.types.PropertyGroup):
    """Images of all covers of a land, and which cover the panel shows; the class gets one member for each cover."""

    __annotations__ = {
        name: bpy.props.PointerProperty(type=LandscapeGroundImages, name=menu_name(name)) for name in GROUNDS
    } | {
        "shown": bpy.props.EnumProperty(
            name="Ground",
            description="Ground whose images are chosen below",
            items=[(name, menu_name(name), "") for name in GROUNDS],
            default="rock",
        )
    }


def images_of(grounds: Any) -> list[tuple[str, str, bpy.types.Image]]:
    """Return all chosen images of a land, each with the name of its ground and its kind.

    Parameters
    ----------
    grounds : LandscapeGrounds
        The property of a land.
    """
    return [
        (name, kind, image)
        for name in GROUNDS
        for kind in _KINDS
        if (image := getattr(getattr(grounds, name), kind)) is not None
    ]


def image_kinds() -> tuple[str, ...]:
    """Return which images a ground can have."""
    return tuple(_KINDS)


def register() -> None:
    """Register the property groups and put them on objects."""
    bpy.utils.register_class(LandscapeGroundImages)
    bpy.utils.register_class(LandscapeGrounds)
    bpy.types.Object.landscape_grounds = bpy.props.PointerProperty(type=LandscapeGrounds, name="Images of the Ground")


def unregister() -> None:
    """Remove them."""
    del bpy.types.Object.landscape_grounds
    bpy.utils.unregister_class(LandscapeGrounds)
    bpy.utils.unregister_class(LandscapeGroundImages)
