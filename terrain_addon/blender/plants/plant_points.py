"""Plants read from a mesh with one vertex per plant, and some of them removed from it."""

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...core.ecosystem.plant_attributes import PLANT_MEMBERS, PlantAttribute
from ...core.ecosystem.plants import Plants
from ..data.attributes import read_attribute, read_positions, set_attribute
from .regions import Places


def plants_of(mesh: bpy.types.Mesh) -> tuple[Plants, Places]:
    """Return the plants of a mesh of plants, and where they are.

    Returns
    -------
    plants : Plants
    places : ndarray of float32, shape (plants, 3)
        In the metres of its object.

    Raises
    ------
    ValueError
        If the mesh lacks one of the attributes.
    """
    places = read_positions(mesh)
    values: dict[str, Any] = {name: _known(mesh, name) for name in PLANT_MEMBERS}
    for name in (PlantAttribute.SPECIES, PlantAttribute.VARIANT, PlantAttribute.CONDITION):
        values[name] = values[name].astype(np.int32)
    return Plants(x=places[:, 0].copy(), y=places[:, 1].copy(), **values), places


def keep_points(mesh: bpy.types.Mesh, stays: npt.NDArray[np.bool_]) -> None:
    """Remove the other points from a mesh of loose vertices; those that stay keep all their attributes.

    Parameters
    ----------
    mesh : Mesh
    stays : ndarray of bool, shape (vertices,)
    """
    if stays.all():
        return
    places = read_positions(mesh)
    # Positions are vectors, which `read_attribute` leaves out.
    found = {attribute.name: read_attribute(mesh, attribute.name) for attribute in mesh.attributes}
    mesh.clear_geometry()
    mesh.vertices.add(int(np.count_nonzero(stays)))
    for name, values in found.items():
        if values is not None:
            set_attribute(mesh, name, np.ascontiguousarray(values[stays]))
    mesh.attributes["position"].data.foreach_set("vector", places[stays].ravel())
    mesh.update()


def _known(mesh: bpy.types.Mesh, name: str) -> npt.NDArray[Any]:
    """Return an attribute that every mesh of plants has."""
    values = read_attribute(mesh, name)
    if values is None:
        raise ValueError(f"the plants {mesh.name} have lost their attribute {name}; press Plant again")
    return values
