"""From a recipe to a landscape: the plan of stages, and how it is carried out."""
