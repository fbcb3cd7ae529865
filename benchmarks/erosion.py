"""Flow and erosion beside their peers.

Peers and we run in one process, the best of several runs counts.  ``python build.py bench erosion`` prints the table.
"""

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _timing import best_of

from terrain_addon.core.erosion.droplets import Droplets, erode_by_droplets
from terrain_addon.core.erosion.river_incision import Conditions, RiverIncision
from terrain_addon.core.erosion.stream_power import StreamPower, erode_by_stream_power
from terrain_addon.core.flow.drainage import drainage_area
from terrain_addon.core.flow.filling import raise_to_level
from terrain_addon.core.flow.multiple_flow import accumulate_flow
from terrain_addon.core.flow.routing import Router
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.terrain import Field, Grid, Terrain
from terrain_addon.core.maps.illumination import Illumination, measure_illumination
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise

Rows = list[tuple[str, float | None]]
CELL_SIZE = 2.0
EXPONENT = 1.1
UPLIFT, ERODIBILITY, YEARS = 1e-3, 1e-5, 1e4
DROPLETS = 100_000


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep a library that prints from C++ quiet."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        for number, copy in enumerate(kept, start=1):
            os.dup2(copy, number)
            os.close(copy)


def noise_land(side: int) -> Field:
    """Land full of depressions, the hardest case: fractal noise of eight octaves."""
    return make_fractal_noise(Grid(side, side, CELL_SIZE), FractalNoise(wavelength=512.0 * CELL_SIZE, octaves=8), 1)


# --- flow: fill depressions, find directions, gather drainage area ----------------------------------------------------


def our_single_flow(land: Field) -> Callable[[], Any]:
    def flow() -> tuple[Any, Any]:
        router = Router(land.shape)
        router.route(land)
        return raise_to_level(land, router.basins), drainage_area(router.routes(CELL_SIZE))

    return flow


def our_multiple_flow(land: Field) -> Callable[[], Any]:
    return lambda: accumulate_flow(land, CELL_SIZE, exponent=EXPONENT)


def richdem_flow(land: Field, method: str, **options: float) -> Callable[[], Any] | None:
    try:
        import richdem
    except ImportError:
        return None

    def flow() -> Any:
        with silence():
            elevation = richdem.rdarray(land.copy(), no_data=-9999.0)
            elevation.geotransform = [0, CELL_SIZE, 0, 0, 0, -CELL_SIZE]
            # With an epsilon, so that flats drain.
            return richdem.flow_accumulation(
                richdem.fill_depressions(elevation, epsilon=True), method=method, **options
            )

    return flow


def fastscapelib_flow(land: Field) -> Callable[[], Any] | None:
    try:
        import fastscapelib as fs
    except ImportError:
        return None

    def flow() -> Any:
        grid = fs.RasterGrid(list(land.shape), [CELL_SIZE, CELL_SIZE], fs.NodeStatus.FIXED_VALUE)
        graph = fs.FlowGraph(grid, [fs.SingleFlowRouter(), fs.MSTSinkResolver()])
        graph.update_routes(land.astype(np.float64))
        return grid, graph.accumulate(1.0)  # the graph does not keep its grid alive

    return flow


def xarray_spatial_flow(land: Field) -> Callable[[], Any] | None:
    try:
        import xarray
        from xrspatial import hydro
    except ImportError:
        return None
    elevation = xarray.DataArray(land, dims=("y", "x"), attrs={"res": (CELL_SIZE, CELL_SIZE)})
    return lambda: hydro.flow_accumulation_d8(hydro.flow_direction_d8(hydro.fill_d8(elevation)))


def flow_rows(side: int) -> Rows:
    """Return rows of depressions, directions and drainage area at one size."""
    land = noise_land(side)
    rows: Rows = []
    for threads in (2, 1):
        compilation.set_thread_count(threads)
        rows.append((f"ours: D8, depressions and flats resolved, {threads} threads", best_of(7, our_single_flow(land))))
        rows.append((f"ours: multiple flow, p = {EXPONENT}, {threads} threads", best_of(5, our_multiple_flow(land))))
    compilation.set_thread_count(2)
    level = np.round(land / 10.0) * np.float32(10.0)
    rows.append(("ours: D8 on the same land in steps of 10 m, most of it flat", best_of(5, our_single_flow(level))))
    for name, work in (
        ("py-richdem 2.2.0rc3: priority flood + ε, D8", richdem_flow(land, "D8")),
        (f"py-richdem 2.2.0rc3: the same, Freeman p = {EXPONENT}", richdem_flow(land, "Freeman", exponent=EXPONENT)),
        ("fastscapelib 0.3.0: D8, spanning tree, carved", fastscapelib_flow(land)),
        ("xarray-spatial 0.10.20: D8, flats left as they are", xarray_spatial_flow(land)),
    ):
        rows.append((name, best_of(2, work) if work else None))
    return rows


def our_hundred_steps(relief: Field, cell_size: float) -> Callable[[], Any]:
    """A hundred implicit steps of 10,000 years with uplift, depressions routed at each."""
    everywhere = np.ones_like(relief)
    conditions = Conditions(np.float32(UPLIFT) * everywhere, np.float32(ERODIBILITY), lambda: everywhere)

    def steps() -> Any:
        rivers = RiverIncision(Grid(*relief.shape, cell_size), 0.45, 1.0)
        height, sediment = relief.astype(np.float64), np.zeros_like(relief)
        for _ in range(100):
            rivers.step(height, sediment, YEARS, conditions)
        return height

    return steps


def fastscapelib_hundred_steps(relief: Field, cell_size: float) -> Callable[[], Any] | None:
    try:
        import fastscapelib as fs
    except ImportError:
        return None

    def steps() -> Any:
        grid = fs.RasterGrid(list(relief.shape), [cell_size, cell_size], fs.NodeStatus.FIXED_VALUE)
        graph = fs.FlowGraph(grid, [fs.SingleFlowRouter(), fs.MSTSinkResolver()])
        eroder = fs.SPLEroder(graph, ERODIBILITY, 0.45, 1.0)
        height = relief.astype(np.float64)
        for _ in range(100):
            height[1:-1, 1:-1] += UPLIFT * YEARS
            filled = graph.update_routes(height)
            height -= eroder.erode(filled, graph.accumulate(1.0), YEARS)
        return grid, height

    return steps


def xarray_spatial_droplets(relief: Field) -> Callable[[], Any] | None:
    try:
        import xarray
        from xrspatial.erosion import erode
    except ImportError:
        return None
    return lambda: erode(xarray.DataArray(relief, dims=("y", "x")), iterations=DROPLETS)


def process_rows(side: int) -> Rows:
    """Return rows of what works on a land of noise, 8 km wide."""
    grid = Grid(side, side, 8000.0 / (side - 1))
    relief = make_fractal_noise(grid, FractalNoise(wavelength=4000.0, height=2500.0), 3)
    land = Terrain(relief, np.zeros_like(relief), grid.cell_size)

    def mature() -> Any:
        heights = make_fractal_noise(grid, FractalNoise(wavelength=4000.0, height=2500.0), 3)
        bare = Terrain(heights, np.zeros_like(heights), grid.cell_size)
        return run(erode_by_stream_power(bare, StreamPower(), seed=1))

    drops = Droplets(density=DROPLETS / relief.size)
    light = Illumination(azimuths=16)
    peers = fastscapelib_hundred_steps(relief, grid.cell_size), xarray_spatial_droplets(relief)
    return [
        ("ours: 100 implicit steps, depressions routed", best_of(1, our_hundred_steps(relief, grid.cell_size))),
        ("fastscapelib 0.3.0: the same 100 steps", best_of(1, peers[0], warm_up=False) if peers[0] else None),
        ("ours: mature mountains from nothing, coarse to fine", best_of(3, mature)),
        (f"ours: {DROPLETS} droplets", best_of(5, lambda: run(erode_by_droplets(land, drops, seed=1)))),
        (f"xarray-spatial 0.10.20: {DROPLETS} droplets", best_of(3, peers[1]) if peers[1] else None),
        (
            "ours: illumination, 16 azimuths, any length",
            best_of(5, lambda: measure_illumination(relief, grid.cell_size, light)),
        ),
    ]


def _reason(peer: str) -> str:
    """Return why a peer was not measured."""
    # xarray-spatial knows erosion and rivers only in versions for newer Pythons.
    old = peer.startswith("xarray-spatial") and sys.version_info < (3, 13)
    return "needs Python 3.13" if old else "not installed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--side", type=int, default=2048, help="cells along a side (default: 2048)")
    options = parser.parse_args()
    side = options.side
    tables: dict[str, Rows] = {}
    for title, measure, cells in (
        ("fill depressions, flow directions, drainage area", flow_rows, side),
        ("processes", process_rows, side // 2),
    ):
        rows = tables[f"{title} {cells}²"] = measure(cells)
        print(f"\n{title} {cells}²", flush=True)
        ours = rows[0][1] or 1.0
        for name, milliseconds in rows:
            if milliseconds is None:
                print(f"  {_reason(name):>12}          {name}")
            else:
                print(f"  {milliseconds:9.1f} ms  {milliseconds / ours:7.1f} ×  {name}")
    if options.json:
        options.json.write_text(json.dumps({t: dict(rows) for t, rows in tables.items()}, indent=2) + "\n")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Some versions of Blender as a module hang or crash at Python's own ending.
