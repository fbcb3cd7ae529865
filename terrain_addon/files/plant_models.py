"""The plants of a recipe as files have them: meshes as high as their species, pictures of leaves, and far plants.

Two levels of detail are meshes whose twigs are cut into leaves by a picture.  The last one is that of `far_plants`:
cards with pictures of the whole plant.  Rocks, grasses and dead wood that lies keep their coarsest mesh instead.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from ..core.building.recipe import Recipe
from ..core.ecosystem.plant_fate import Condition
from ..core.ecosystem.plant_form import DEAD_FORMS, FORM_OF, PlantForm
from ..core.ecosystem.plants import VARIANTS, Plants
from ..core.meshing.far_plants import Looker, draw_far, far_cards
from ..core.meshing.leaf_pictures import PlantPicture, draw_leaves, leaf_places
from ..core.meshing.plant_meshes import LEVELS, make_plant_mesh, part_colours
from .glb_document import Skin
from .grid_mesh import srgb_levels
from .heightmaps import normal_map
from .plant_instances import MODEL_PARTS, PlantModel
from .png import png_bytes

_FOLIAGE, _FAR = MODEL_PARTS.index("foliage"), MODEL_PARTS.index("far")
_LOW_FORMS = (PlantForm.FERN, PlantForm.GRASS, PlantForm.REED, PlantForm.ROCK)  # they look alike from all sides


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
    living = tuple(given.get(i) or _model(one.name, one.form, one.height) for i, one in enumerate(species))
    # What is dead was of any species.
    tallest = max((one.height for one in species), default=1.0)
    return living + tuple(_model(form.words, form, tallest) for form in DEAD_FORMS)


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


def _model(name: str, form: str, height: float) -> PlantModel:
    """Return the model of a plant form, as high as when it is full-grown, with all variants and levels of detail."""
    meshes = [[make_plant_mesh(form, variant, level) for level in range(LEVELS)] for variant in range(VARIANTS)]
    places = [[leaf_places(mesh, form, level, height) for level, mesh in enumerate(levels)] for levels in meshes]
    leaves, far = _leaf_skin(form), None
    if not (FORM_OF[form].lies or form in _LOW_FORMS):
        far = _far_skin(form, height)
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
    )


@cache
def _leaf_skin(form: str) -> Skin | None:
    """Return the pictures of the leaves of a form, None if they have their true shape."""
    leaves = draw_leaves(form)
    return None if leaves is None else Skin(f"leaves_{form}", *_packed(leaves))


@cache
def _far_skin(form: str, height: float) -> Skin:
    """Return the pictures of far plants of a form that grow so high."""
    leaves = draw_leaves(form)
    lookers = []
    for variant in range(VARIANTS):
        mesh = make_plant_mesh(form, variant)
        lookers.append(Looker(mesh, leaf_places(mesh, form, 0, height), part_colours(form), leaves, _FOLIAGE))
    name = f"far_{form}_{round(10.0 * height)}"
    return Skin(name, *_packed(draw_far(lookers)), cutoff=0.5, double_sided=False)


def _packed(picture: PlantPicture) -> tuple[bytes, bytes]:
    """Return colour with cover, and normals, as PNG."""
    cover = np.rint(picture.cover * np.float32(255.0)).astype(np.uint8)
    colour = np.concatenate((srgb_levels(picture.colour), cover[..., None]), axis=2)
    # A normal map has its first row in the north, the picture has it at its upper border.
    return png_bytes(colour), png_bytes(normal_map(picture.normal[::-1]))
