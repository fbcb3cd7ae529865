"""The forms of plants: what a plant looks like, and whether it grows.

A form is declared here once.  The choices of `Species.form`, the meshes and what Blender and the exporters draw follow
from it.

>>> FORM_OF["fern"].description
'A rosette of arching fronds'
>>> [str(form) for form in PlantForm if form.lasts]
['dead_tree', 'dead_wood', 'rock']
"""

from enum import StrEnum
from typing import Self


class PlantForm(StrEnum):
    """What a plant looks like; the value is its name in recipes.

    Attributes
    ----------
    description : str
        What it looks like, in one sentence.
    lasts : bool
        Whether it is there in every year: it neither grows nor dies.
    lies : bool
        Whether it lies on the ground: it leans with the slope, and wind does not move it.
    """

    description: str
    lasts: bool
    lies: bool

    CONIFER = "conifer", "A cone of needles on a straight trunk"
    BROADLEAF = "broadleaf", "A round crown of leaves on a branching trunk"
    BUSH = "bush", "A low dome of leaves with no trunk to speak of"
    FERN = "fern", "A rosette of arching fronds"
    GRASS = "grass", "A tuft of blades"
    REED = "reed", "Stalks with long leaves and brown plumes"
    DEAD_TREE = (
        "dead_tree",
        "A bare trunk with broken branches; what stands dead from the beginning neither grows nor decays",
        True,
    )
    DEAD_WOOD = (
        "dead_wood",
        "A log that lies along the ground, as long as a plant would be high; it stays as it is",
        True,
        True,
    )
    ROCK = "rock", "A boulder, which stands as plants do but neither grows nor dies", True, True
    # Files of Blender hold a form by its number, so what came later stands last.
    SPRUCE = "spruce", "A narrow cone of drooping tiers of needles"
    PINE = "pine", "Clumps of needles in a flat crown on a bare red-brown stem"
    BEECH = "beech", "A full oval crown on a smooth grey stem"
    BIRCH = "birch", "Thin hanging twigs with light leaves on a white stem"
    OAK = "oak", "A broad domed crown of heavy crooked limbs on a short thick stem"
    RAINFOREST_TREE = "rainforest_tree", "A flat dome of dark leaves high on a pale stem with buttresses"
    PALM = "palm", "A tuft of long fronds on a slender bowed stem"

    def __new__(cls, name: str, description: str = "", lasts: bool = False, lies: bool = False) -> Self:
        form = str.__new__(cls, name)
        form._value_ = name
        form.description, form.lasts, form.lies = description, lasts, lies
        return form

    @property
    def words(self) -> str:
        """The name as words."""
        return self.value.replace("_", " ")


DEAD_FORMS = (PlantForm.DEAD_TREE, PlantForm.DEAD_WOOD)
"""What plants of any species look like when they are dead, in the order of the conditions that follow `LIVING`."""

FORM_OF = {form.value: form for form in PlantForm}
"""Each form by its name in recipes."""
