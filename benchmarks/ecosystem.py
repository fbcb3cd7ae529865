"""The ecosystem beside its peers: placing a million plants, and letting forests grow.

Blender's own Poisson distribution and we run in one process, the best of several runs counts.  ``python build.py bench
ecosystem`` prints the tables.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _timing import best_of

from terrain_addon.core.ecosystem.dart_throwing import DartThrowing, throw_darts
from terrain_addon.core.ecosystem.density import Habitat
from terrain_addon.core.ecosystem.ecosystem import Ecosystem, grow_forest
from terrain_addon.core.ecosystem.evolution_parameters import Evolution
from terrain_addon.core.ecosystem.forest import Forest
from terrain_addon.core.ecosystem.species import ALWAYS, Species
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.progress import run

SIDE = 513
CELL = 2.4

Rows = list[tuple[str, float | None, str]]


def patchy() -> np.ndarray:
    """A density map with clearings, thickets and all between."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    return (0.5 + 0.5 * np.sin(9 * x) * np.cos(7 * y)).astype(np.float32)


def placing_rows() -> Rows:
    """Return how long a million plants take to find their places."""
    dense, density = np.ones((SIDE, SIDE), np.float32), patchy()

    def throw(densities: list[np.ndarray], *species: Species) -> Callable[[], Any]:
        return lambda: run(throw_darts(densities, CELL, species, 1, DartThrowing()))

    mixed = [Species(radius=radius, undergrowth=radius < 1.0) for radius in (6.0, 3.0, 1.5, 0.72)]
    cases = [
        ("ours: one radius, full cover", throw([dense], Species(radius=1.03))),
        ("ours: one radius, density map", throw([density], Species(radius=0.84))),
        ("ours: radius varies by half, density map", throw([density], Species(radius=1.25, radius_variation=0.5))),
        ("ours: four species, radii 6 to 0.72 m", throw([0.3 * density, 0.3 * dense, density, density], *mixed)),
    ]
    rows: Rows = []
    for threads in (2, 1):
        compilation.set_thread_count(threads)
        for name, work in cases:
            plants, shortest = work(), best_of(3, work, warm_up=False)
            rows.append((f"{name}, {threads} threads", shortest, f"{len(plants)} plants"))
    compilation.set_thread_count(2)
    for name, field, distance in (
        ("Blender: Poisson disk, full cover", dense, 1.03),
        ("Blender: Poisson disk, density attribute", density, 0.84),
    ):
        rows.append(blender_row(name, field, distance))
    return rows


def blender_row(name: str, density: np.ndarray, distance: float) -> tuple[str, float | None, str]:
    """Measure Blender's Distribute Points on Faces on a grid of the same size, its density as a point attribute."""
    try:
        import bpy
    except ImportError:
        return name, None, ""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("Ground")
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) * CELL
    corner = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
    faces = np.stack([corner, corner + 1, corner + SIDE + 1, corner + SIDE], axis=1)
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(x.size, np.float32)], axis=1)
    mesh.from_pydata(vertices.tolist(), [], faces.tolist())
    mesh.attributes.new("density", "FLOAT", "POINT").data.foreach_set("value", np.ascontiguousarray(density).ravel())
    ground = bpy.data.objects.new("Ground", mesh)
    bpy.context.scene.collection.objects.link(ground)
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    given, shown = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    scatter, named = (
        tree.nodes.new("GeometryNodeDistributePointsOnFaces"),
        tree.nodes.new("GeometryNodeInputNamedAttribute"),
    )
    scatter.distribute_method = "POISSON"
    named.data_type = "FLOAT"
    named.inputs["Name"].default_value = "density"
    scatter.inputs["Distance Min"].default_value = distance
    # As many candidates as it takes to come near to a full cover.
    scatter.inputs["Density Max"].default_value = 8.0 / distance**2
    tree.links.new(named.outputs["Attribute"], scatter.inputs["Density Factor"])
    tree.links.new(given.outputs[0], scatter.inputs["Mesh"])
    tree.links.new(scatter.outputs["Points"], shown.inputs[0])
    modifier = ground.modifiers.new("Scatter", "NODES")
    modifier.node_group = tree

    seeds = iter(range(1000))

    def distribute() -> int:
        scatter.inputs["Seed"].default_value = next(seeds)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        depsgraph.update()
        geometry = ground.evaluated_get(depsgraph).evaluated_geometry()
        return len(geometry.pointcloud.points)

    count, shortest = distribute(), best_of(2, distribute, warm_up=False)
    return name, shortest, f"{count} plants"


def growing_rows() -> Rows:
    """Return how long forests take to grow, and what a step of the year slider takes."""
    at_home = {f"{name}_response": ALWAYS for name in ("sediment", "illumination", "humidity", "slope", "altitude")}
    tree = Species(name="tree", radius=5.0, growth_rate=0.1, shade_tolerance=0.2, fecundity=0.2, **at_home)
    shrub = Species(
        name="shrub", radius=2.0, height=5.0, shade_tolerance=0.7, lifetime=60.0, growth_rate=0.3, fecundity=0.2,
        **at_home,
    )  # fmt: skip

    def grow(side: int, years: float) -> Forest:
        maps = {"sediment": 1.0, "illumination": 0.5, "humidity": 0.5, "slope": 0.0, "altitude": 0.0}
        habitat = Habitat(**{name: np.full((side, side), value, np.float32) for name, value in maps.items()})
        evolution = Evolution(years=years, start="young")
        return run(grow_forest(habitat, Ecosystem(species=(tree, shrub), evolution=evolution), 10.0, 1))

    grow(21, 3.0)
    rows: Rows = []
    for side, years in ((41, 100.0), (129, 100.0), (401, 100.0), (501, 50.0)):
        started = time.perf_counter()
        forest = grow(side, years)
        taken = 1e3 * (time.perf_counter() - started)
        mean = np.mean([(forest.plants_at(year).condition == 0).sum() for year in np.linspace(0.0, years, 11)])
        each = 1e6 * taken / (mean * years)
        rows.append(
            (
                f"{mean:,.0f} plants on average, {years:.0f} years, year by year",
                taken,
                f"{each:.0f} ns a plant and year, {forest.bytes_stored / forest.x.size:.0f} bytes a life, "
                f"{forest.x.size:,} lives",
            )
        )
        if side == 129:
            show = partial(forest.plants_at, 73.4)
            plants, shortest = show(), best_of(10, show, warm_up=False)
            slider = (f"year slider: {len(plants):,} plants and dead wood of any year", shortest, "")
    return [*rows, slider]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tables = {"placing plants": placing_rows(), "growing forests": growing_rows()}
    for title, rows in tables.items():
        print(f"\n{title}")
        for name, shortest, note in rows:
            print(f"  {name:64} {'not here' if shortest is None else f'{shortest:9.1f} ms'}  {note}")
    if options.json:
        options.json.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
