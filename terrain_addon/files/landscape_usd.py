"""A whole landscape as USD, for films: the land, its water and roads as meshes, plants as a PointInstancer.

z is up, and a unit is a metre.  The origin is the middle of the land at altitude 0.

References
----------
Pixar, Universal Scene Description, "UsdGeomPointInstancer".
"""

import os
from pathlib import Path

import numpy as np

from ..core.meshing.cell_diagonals import turned_cells
from ..core.meshing.road_mesh import ROAD_PARTS, RoadMesh
from ..core.meshing.water_mesh import WaterMesh
from .glb_document import Skin
from .gltf import LandMesh
from .grid_mesh import Floats, every_nth_sample, grid_triangles, smooth_normals, stack
from .plant_instances import MODEL_PARTS, PlantModel, Vegetation, rotations_about_up
from .usd_text import UsdLook, UsdMesh, UsdText
from .water import WATER_COLOUR, WATER_NAMES
from .writing import write_together

_ROOT = "Landscape"
_LOOKS = f"/{_ROOT}/Looks"


def write_landscape_usd(
    path: str | os.PathLike[str],
    land: LandMesh,
    vegetation: Vegetation | None = None,
    roads: RoadMesh | None = None,
    water: WaterMesh | None = None,
    lod: int = 0,
) -> None:
    """Write a landscape as USD text, with pictures of leaves in the folder ``NAME_textures`` beside it.

    Parameters
    ----------
    path : str or PathLike
        Ends in .usda.
    land, vegetation, roads, water, lod
        As for `write_landscape_glb`.

    Raises
    ------
    ValueError
        If a file cannot be written.
    """
    target = Path(path)
    used = [] if vegetation is None else _used_models(vegetation)
    skins = {skin.name: skin for model, _ in used for skin in model.skins if skin is not None}
    pictures = f"{target.stem}_textures"
    with write_together(target.parent, record=target.name) as part:
        if skins:
            (part / pictures).mkdir()
        for skin in skins.values():
            (part / pictures / f"{skin.name}_colour.png").write_bytes(skin.colour)
            (part / pictures / f"{skin.name}_normal.png").write_bytes(skin.normal)
        with (part / target.name).open("xb") as file:
            text = UsdText(file, _ROOT)
            with text.prim("Xform", _ROOT, 'kind = "assembly"'):
                with text.prim("Scope", "Looks"):
                    _write_looks(text, used, pictures)
                text.mesh("Land", _land(land))
                for name, mesh in (_water(water) | _roads(roads)).items():
                    text.mesh(name, mesh)
                if vegetation is not None and len(vegetation.plants) > 0:
                    _write_plants(text, vegetation, used, (land.grid.width / 2, land.grid.depth / 2), lod)


def _used_models(vegetation: Vegetation) -> list[tuple[PlantModel, int]]:
    """Return the models that plants have, with their numbers."""
    return [(vegetation.models[number], int(number)) for number in np.unique(vegetation.plants.species)]


def _skin(model: PlantModel, part: int) -> Skin | None:
    return model.skins[part] if part < len(model.skins) else None


def _write_looks(text: UsdText, used: list[tuple[PlantModel, int]], pictures: str) -> None:
    """Write all materials; those of plants are numbered, because names of species can be any text."""
    text.material(f"{_LOOKS}/Land", UsdLook())
    text.material(f"{_LOOKS}/Water", UsdLook(WATER_COLOUR, roughness=0.05, opacity=0.8))
    for name, colour in ROAD_PARTS.items():
        text.material(f"{_LOOKS}/Road_{name}", UsdLook(colour, roughness=0.9))
    for model, number in used:
        for part, name in enumerate(MODEL_PARTS):
            skin = _skin(model, part)
            look = UsdLook()
            if skin is not None:
                stem = f"{pictures}/{skin.name}"
                look = UsdLook(picture=f"{stem}_colour.png", normals=f"{stem}_normal.png", cutoff=skin.cutoff)
            text.material(_plant_look(number, name), look)


def _plant_look(number: int, part: str) -> str:
    return f"{_LOOKS}/Plant_{number:02}_{part.replace(' ', '_')}"


def _land(land: LandMesh) -> UsdMesh:
    """Return the ground with its colours."""
    grid = land.grid
    rows, columns = every_nth_sample(grid.rows, land.step), every_nth_sample(grid.columns, land.step)
    heights = land.heights[np.ix_(rows, columns)]
    x = (columns * grid.cell_size - grid.width / 2).astype(np.float32)
    y = (rows * grid.cell_size - grid.depth / 2).astype(np.float32)
    places = stack(columns[None, :] / (grid.columns - 1), (rows / (grid.rows - 1))[:, None])
    colours = None if land.colour is None else land.colour[np.ix_(rows, columns)].reshape(-1, 3)
    east, up, south = np.moveaxis(smooth_normals(x, y, heights), -1, 0)
    return UsdMesh(
        stack(x[None, :], y[:, None], heights).reshape(-1, 3),
        grid_triangles(len(rows), len(columns), turned_cells(heights)),
        stack(east, -south, up).reshape(-1, 3),
        f"{_LOOKS}/Land",
        places.reshape(-1, 2),
        np.full((heights.size, 3), 0.5, np.float32) if colours is None else colours,
    )


def _water(water: WaterMesh | None) -> dict[str, UsdMesh]:
    """Return the sea, lakes and rivers, as far as there are any."""
    if water is None or len(water) == 0:
        return {}
    kinds, meshes = water.kind[water.triangles[:, 0]], {}
    for kind, name in WATER_NAMES.items():
        triangles = water.triangles[kinds == kind]
        if triangles.size:
            used, corners = np.unique(triangles, return_inverse=True)
            points = water.positions[used].astype(np.float32)
            upward = np.tile(np.array([0.0, 0.0, 1.0], np.float32), (len(used), 1))
            places = water.flow[used].astype(np.float32)
            shape = corners.reshape(-1, 3)
            meshes[name] = UsdMesh(points, shape, upward, f"{_LOOKS}/Water", places, is_double_sided=True)
    return meshes


def _roads(roads: RoadMesh | None) -> dict[str, UsdMesh]:
    """Return the parts of roads."""
    meshes = {}
    for number, name in enumerate(ROAD_PARTS):
        triangles = np.empty((0, 3)) if roads is None else roads.triangles[roads.part == number]
        if roads is not None and triangles.size:
            used, corners = np.unique(triangles, return_inverse=True)
            points, normals, places = (array[used] for array in (roads.positions, roads.normals, roads.texture))
            meshes[f"Road_{name}"] = UsdMesh(points, corners.reshape(-1, 3), normals, f"{_LOOKS}/Road_{name}", places)
    return meshes


def _write_plants(
    text: UsdText, vegetation: Vegetation, used: list[tuple[PlantModel, int]], middle: tuple[float, float], lod: int
) -> None:
    """Write all plants as instances; a prototype is a variant of a model."""
    plants = vegetation.plants
    prototypes = [(number, variant) for model, number in used for variant in range(len(model.meshes))]
    places = {prototype: place for place, prototype in enumerate(prototypes)}
    index = np.array([places[pair] for pair in zip(plants.species.tolist(), plants.variant.tolist(), strict=True)])
    positions = stack(plants.x - middle[0], plants.y - middle[1], vegetation.altitude)
    # Turns about z: the same numbers as about the y of glTF.
    _, sine, _, cosine = rotations_about_up(plants.rotation).T
    turns = stack(cosine, 0 * sine, 0 * sine, sine)
    names = [f"Plant_{number:02}_{variant}" for number, variant in prototypes]
    tops = np.array([_reach(vegetation.models[n].meshes[v][lod].vertices) for n, v in prototypes])
    size = (vegetation.scale * np.array([vegetation.models[n].height for n, _ in prototypes], np.float32)[index])[
        :, None
    ]
    aside, low, high = (size * tops[index]).T
    reach = stack(aside, aside, 0 * aside)
    lowest = (positions - reach)[:, :].min(axis=0), (positions[:, 2] + low).min()
    highest = (positions + reach)[:, :].max(axis=0), (positions[:, 2] + high).max()
    extent = np.array([[*lowest[0][:2], lowest[1]], [*highest[0][:2], highest[1]]])
    with text.prim("PointInstancer", "Plants"):
        text.array("float3[] extent", extent)
        text.array("int[] protoIndices", index)
        text.array("point3f[] positions", positions)
        text.array("quath[] orientations", turns)
        text.array("float3[] scales", np.repeat(vegetation.scale[:, None], 3, axis=1))
        text.array("float[] primvars:age", plants.age.astype(np.float32), "vertex")
        paths = ", ".join(f"</{_ROOT}/Plants/Prototypes/{name}>" for name in names)
        text.line(f"rel prototypes = [{paths}]")
        with text.prim("Scope", "Prototypes"):
            for name, (number, variant) in zip(names, prototypes):
                model = vegetation.models[number]
                with text.prim("Xform", name, f'displayName = "{_quoted(model.name)} {variant}"'):
                    _write_model(text, model, number, (variant, lod))


def _reach(vertices: Floats) -> tuple[float, float, float]:
    """Return how far a mesh reaches aside, down and up."""
    return float(np.hypot(*vertices[:, :2].T).max()), float(vertices[:, 2].min()), float(vertices[:, 2].max())


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


def _write_model(text: UsdText, model: PlantModel, number: int, which: tuple[int, int]) -> None:
    """Write a mesh for each part of a plant; parts without pictures have the shade in the crown in their colours."""
    mesh = model.meshes[which[0]][which[1]]
    for part, name in enumerate(MODEL_PARTS[: len(model.colours)]):
        triangles = mesh.triangles[mesh.part == part]
        if triangles.size == 0:
            continue
        used, corners = np.unique(triangles, return_inverse=True)
        skin, places, colours = _skin(model, part), None, None
        if skin is not None and model.places:
            right, down = model.places[which[0]][which[1]][used].T
            places = stack(right, 1.0 - down)
        else:
            colours = mesh.tint[used, None] * np.array(model.colours[part], np.float32)
        shape = UsdMesh(
            mesh.vertices[used] * np.float32(model.height),
            corners.reshape(-1, 3),
            mesh.normals[used],
            _plant_look(number, name),
            places,
            colours,
            is_double_sided=skin.double_sided if skin is not None else name == "foliage",
        )
        text.mesh(name.replace(" ", "_"), shape)
