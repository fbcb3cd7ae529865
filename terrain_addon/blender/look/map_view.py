"""A map shown as false colours on the mesh of a land, for viewports with solid shading."""

import bpy
import numpy as np
import numpy.typing as npt

from ...core.maps.catalogue import MAPS

MAP_COLOURS = "Map View"
# Custom properties of the mesh: the map it shows, and the values of the darkest and the brightest colour.
_NAME, _LOW, _HIGH = "landscape_map", "landscape_map_low", "landscape_map_high"

# From dark to bright in even steps of lightness.  Maps with two signs go from blue through grey to orange.
_RAMP = (
    (0.10, 0.07, 0.28),
    (0.16, 0.27, 0.49),
    (0.11, 0.46, 0.51),
    (0.25, 0.65, 0.42),
    (0.71, 0.80, 0.28),
    (0.99, 0.93, 0.55),
)
_TWO_SIGNS = ((0.10, 0.25, 0.62), (0.45, 0.65, 0.88), (0.88, 0.88, 0.88), (0.94, 0.63, 0.35), (0.72, 0.24, 0.06))


def maps_on(land: bpy.types.Object) -> list[str]:
    """Return the names of the maps that a land carries."""
    there = land.data.attributes.keys()
    return [name for name in MAPS if name in there]


def shown_on(land: bpy.types.Object) -> tuple[str, float, float] | None:
    """Return the map that a land shows and the values of its darkest and brightest colours; None if it shows none."""
    data = land.data
    return (data[_NAME], data[_LOW], data[_HIGH]) if _NAME in data else None


def show_map(land: bpy.types.Object, name: str) -> None:
    """Colour a land by one of its maps.

    Parameters
    ----------
    land : Object
    name : str
        One of `maps_on(land)`.

    Raises
    ------
    ValueError
        If the land does not have that map.
    """
    mesh = land.data
    if name not in maps_on(land):
        raise ValueError(f"{land.name} has no map {name!r}; it has: {', '.join(maps_on(land)) or 'none'}")
    values = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes[name].data.foreach_get("value", values)
    low, high = _span(name, values)
    colours = mesh.color_attributes.get(MAP_COLOURS)
    if colours is None:
        colours = mesh.color_attributes.new(MAP_COLOURS, "BYTE_COLOR", "POINT")
    colours.data.foreach_set("color", _colours(name, values, low, high).ravel())
    mesh.color_attributes.active_color = colours
    mesh[_NAME], mesh[_LOW], mesh[_HIGH] = name, low, high
    mesh.update()


def hide_map(land: bpy.types.Object) -> None:
    """Remove the colours of the map that a land shows."""
    mesh = land.data
    colours = mesh.color_attributes.get(MAP_COLOURS)
    if colours is not None:
        mesh.color_attributes.remove(colours)
    for key in (_NAME, _LOW, _HIGH):
        if key in mesh:
            del mesh[key]


def recolour_map(land: bpy.types.Object) -> None:
    """Colour a land that shows a map again, after its maps have changed."""
    shown = shown_on(land)
    if shown is None:
        return
    if shown[0] in maps_on(land):
        show_map(land, shown[0])
    else:
        hide_map(land)


def _span(name: str, values: npt.NDArray[np.float32]) -> tuple[float, float]:
    """Return the values of the end colours; outliers do not count, because all other values would look alike."""
    low, high = (float(value) for value in np.percentile(values, (1.0, 99.0)))
    if low == high:
        low, high = float(values.min()), float(values.max())
    if MAPS[name].signed:
        high = max(abs(low), abs(high))
        low = -high
    return low, high


def _colours(name: str, values: npt.NDArray[np.float32], low: float, high: float) -> npt.NDArray[np.float32]:
    """Return the colour of each value, float32 (values, 4)."""
    if MAPS[name].logarithmic:
        values = np.log(np.maximum(values, 1e-6))
        low, high = float(np.log(max(low, 1e-6))), float(np.log(max(high, 1e-6)))
    share = np.clip((values - low) / (high - low), 0.0, 1.0) if high > low else np.zeros_like(values)
    ramp = np.array(_TWO_SIGNS if MAPS[name].signed else _RAMP)
    places = np.linspace(0.0, 1.0, len(ramp))
    colours = np.ones((values.size, 4), np.float32)
    for channel in range(3):
        # The ramps are in sRGB, Blender takes linear colours.
        colours[:, channel] = np.interp(share, places, ramp[:, channel]) ** 2.2
    return colours
