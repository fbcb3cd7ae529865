"""How each form of plant is built, one file per kind; `plant_meshes` is the way in."""
