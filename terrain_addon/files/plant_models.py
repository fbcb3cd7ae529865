"""The plants of a recipe as files have them: meshes as high as their species, pictures of leaves, and far plants.

Two levels of detail are meshes whose twigs are cut into leaves by a picture.  The last one is that of `far_plants`:
cards with pictures of the whole plant.  Rocks, grasses and dead wood that lies keep their coarsest mesh instead.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.building.recipe import Recipe
from ..core.ecosystem.flooded_ground import deepest_of
from ..core.ecosystem.plant_fate import Condition
from ..core.ecosystem.plant_form import DEAD_FORMS, FORM_OF, PlantForm
from ..core.ecosystem.plants import VARIANTS, Plants
from ..core.foundation.terrain import Field
from ..core.meshing.far_plants import Looker, draw_far, far_cards
from ..core.meshing.leaf_pictures import PlantPicture, Texels, draw_leaves, leaf_places
from ..core.meshing.plant_meshes import LEVELS, make_plant_mesh, part_colours
from ..core.meshing.plant_views import PlantRoom, draw_views, view_quad
from .glb_document import Skin
from .grid_mesh import srgb_levels
from .heightmaps import normal_map
from .plant_instances import MODEL_PARTS, PlantModel
from .png import png_bytes

_FOLIAGE, _FAR = MODEL_PARTS.index("foliage"), MODEL_PARTS.index("far")
_CUT_VIEWS = 0.38  # of the cover of three views together, at which the area of a plant is that of its mesh
_LOW_FORMS = (PlantForm.FERN, PlantForm.GRASS, PlantForm.REED, PlantForm.ROCK)  # they look alike from all sides


class ViewPictures(NamedTuple):
    """Pictures of a plant from all sides above the ground.

    Attributes
    ----------
    name : str
        What their files are called, without an ending.
    colour : bytes
        PNG, sRGB; alpha is the share that is covered.
    surface : bytes
        PNG, normals to the east, north and up from 0 for −1 to 255 for 1; alpha is the depth, as `plant_views.Views`
        has it.
    room : PlantRoom
        The cylinder around the plant, in its heights.
    cutoff : float
        What three views together cover less than this is seen through.
    """

    name: str
    colour: bytes
    surface: bytes
    room: PlantRoom
    cutoff: float = _CUT_VIEWS


def plant_models(recipe: Recipe, own: Mapping[int, PlantModel] | None = None) -> tuple[PlantModel, ...]:
    """Return the models of all plants of the landscapes of a recipe.

    Parameters
    ----------
    recipe : Recipe
        Whose species they are.
    own : mapping of int to PlantModel, optional
        Models of the user for some species, by their number.

    Returns
    -------
    tuple of PlantModel
        One for each species, as high as it grows, then one for dead trees that stand and one for dead wood that lies.
    """
    species = recipe.ecosystem.species
    given = own or {}
    living = tuple(given.get(i) or form_model(one.name, one.form, one.height) for i, one in enumerate(species))
    # What is dead was of any species.
    tallest = max((one.height for one in species), default=1.0)
    return living + tuple(form_model(form.words, form, tallest) for form in DEAD_FORMS)


def plants_by_model(plants: Plants | None, recipe: Recipe) -> Plants | None:
    """Return plants with the index of their model as species.

    Parameters
    ----------
    plants : Plants or None
        Of a landscape.
    recipe : Recipe
        Of that landscape.

    Returns
    -------
    Plants or None
        `species` is an index of `plant_models`; None if there are no plants.
    """
    if plants is None or len(plants) == 0:
        return None
    species = len(recipe.ecosystem.species)
    model = np.where(plants.condition == Condition.LIVING, plants.species, species - 1 + plants.condition)
    return replace(plants, species=model.astype(np.int32))


def water_borne_by(plants: Plants, recipe: Recipe) -> Field:
    """Return how deep the water may be in which each plant stands.

    Parameters
    ----------
    plants : Plants
        From `plants_by_model`.
    recipe : Recipe
        Of their landscape.

    Returns
    -------
    ndarray of float32, shape (plants,)
        Metres; no limit for dead plants.
    """
    living = deepest_of(recipe.ecosystem.species)
    return np.concatenate((living, np.full(len(DEAD_FORMS), np.inf))).astype(np.float32)[plants.species]


def form_model(name: str, form: str, height: float) -> PlantModel:
    """Return the model of a plant form with all variants and levels of detail.

    Parameters
    ----------
    name : str
        What it is called.
    form : str
        One of `plant_meshes.FORMS`.
    height : float
        Metres of a full-grown plant.

    Returns
    -------
    PlantModel
    """
    meshes = [[make_plant_mesh(form, variant, level) for level in range(LEVELS)] for variant in range(VARIANTS)]
    places = [[leaf_places(mesh, form, level, height) for level, mesh in enumerate(levels)] for levels in meshes]
    leaves, far, far_form = _leaf_skin(form), None, ""
    if not (FORM_OF[form].lies or form in _LOW_FORMS):
        far = _far_skin(form, height)
        far_form = form
        for levels, on_pictures, (cards, on_cards) in zip(meshes, places, far_cards([one[0] for one in meshes])):
            levels[-1] = replace(cards, part=np.full_like(cards.part, _FAR))
            on_pictures[-1] = on_cards
    return PlantModel(
        name,
        tuple(map(tuple, meshes)),
        (*part_colours(form), (1.0, 1.0, 1.0)),
        height,
        tuple({_FOLIAGE: leaves, _FAR: far}.get(part) for part in range(len(MODEL_PARTS))),
        tuple(map(tuple, places)),
        far_form,
    )


def views_of(model: PlantModel) -> ViewPictures | None:
    """Return the pictures of a model from all sides.

    Parameters
    ----------
    model : PlantModel
        Of `plant_models`.

    Returns
    -------
    ViewPictures or None
        None for low plants, for what lies, and for models of the user.
    """
    return _view_pictures(model.form, model.height) if model.form else None


def view_model(model: PlantModel, pictures: ViewPictures) -> PlantModel:
    """Return a model whose only level of detail is the quad that shows its views.

    Parameters
    ----------
    model : PlantModel
        With a form.
    pictures : ViewPictures
        Of `views_of`.

    Returns
    -------
    PlantModel
        Its quad is a far part; shaders of engines place it before the eye.
    """
    sways = bool(model.meshes[0][0].wind.any())
    quads = [view_quad(pictures.room, variant, len(model.meshes), sways) for variant in range(len(model.meshes))]
    meshes = tuple((replace(quad, part=np.full_like(quad.part, _FAR)),) for quad, _ in quads)
    return replace(model, meshes=meshes, places=tuple((places,) for _, places in quads), skins=())


@cache
def _leaf_skin(form: str) -> Skin | None:
    """Return the pictures of the leaves of a form, None if they have their true shape."""
    leaves = draw_leaves(form)
    return None if leaves is None else Skin(f"leaves_{form}", *_packed(leaves))


@cache
def _far_skin(form: str, height: float) -> Skin:
    """Return the pictures of far plants of a form that grow so high."""
    name = f"far_{form}_{round(10.0 * height)}"
    return Skin(name, *_packed(draw_far(_lookers(form, height))), cutoff=0.5, double_sided=False)


@cache
def _view_pictures(form: str, height: float) -> ViewPictures:
    """Return the pictures from all sides of plants of a form that grow so high."""
    views = draw_views(_lookers(form, height))
    shares = np.concatenate((views.normal, views.depth[..., None]), axis=2) * np.float32(0.5) + np.float32(0.5)
    surface = png_bytes(np.rint(shares * np.float32(255.0)).astype(np.uint8))
    colour = png_bytes(_with_cover(views.colour, views.cover))
    return ViewPictures(f"views_{form}_{round(10.0 * height)}", colour, surface, views.room)


def _lookers(form: str, height: float) -> list[Looker]:
    """Return all variants of a form as they are drawn."""
    leaves, lookers = draw_leaves(form), []
    for variant in range(VARIANTS):
        mesh = make_plant_mesh(form, variant)
        lookers.append(Looker(mesh, leaf_places(mesh, form, 0, height), part_colours(form), leaves, _FOLIAGE))
    return lookers


def _with_cover(colour: Texels, cover: Texels) -> npt.NDArray[np.uint8]:
    """Return sRGB colours with their cover as alpha."""
    alpha = np.rint(cover * np.float32(255.0)).astype(np.uint8)
    return np.concatenate((srgb_levels(colour), alpha[..., None]), axis=2)


def _packed(picture: PlantPicture) -> tuple[bytes, bytes]:
    """Return colour with cover, and normals, as PNG."""
    # A normal map has its first row in the north, the picture has it at its upper border.
    return png_bytes(_with_cover(picture.colour, picture.cover)), png_bytes(normal_map(picture.normal[::-1]))
