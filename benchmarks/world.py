"""Worlds: cost per cell, memory and workers from 1024² up, beside the same land in memory and beside dask.

Each build runs in a process of its own, so that its peak of memory is its own.  ``python build.py bench world`` prints
the tables; run this file itself with ``--sizes`` for larger worlds, ``--plot`` for a drawing.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from terrain_addon import core
from terrain_addon.core.foundation import compilation
from terrain_addon.core.tiling.basin_graph import join_basins
from terrain_addon.core.tiling.block_basins import (
    carve_block,
    find_block_directions,
    label_block,
    summarise_basins,
)
from terrain_addon.core.tiling.block_flow import (
    collect,
    collect_at_entries,
    join_exits,
    order_block,
    summarise_flow,
)
from terrain_addon.core.tiling.blocks import Block, Blocks, cut_by_block, joined, local_cells
from terrain_addon.worlds import build_world, open_world
from terrain_addon.worlds.clients import open_client
from terrain_addon.worlds.store import Store
from terrain_addon.worlds.tiles import clipped

SIZES, ALL_SIZES = (1024, 2048, 4096), (1024, 2048, 4096, 8192, 16384)
TILE = 2048
IN_MEMORY = 2048
FLOW_SIZE, FLOW_TILE = 2048, 1024

Figures = dict[str, Any]


# --- builds, each in a process of its own -----------------------------------------------------------------------------


def measure_build(size: int, workers: int, folder: Path) -> Figures:
    """Build a world with so many workers, 0 for this process alone; without a folder in memory by `core.build`."""
    recipe = core.Recipe.preset("alpine")
    core.build(recipe.replace(resolution=65))  # compiles
    compilation.set_thread_count(2)
    if workers == 1 and hasattr(os, "sched_setaffinity"):
        # One worker has one processor, all that is started for it included; otherwise it borrows time from a second.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    peaks: list[int] = []
    started, before = time.perf_counter(), _processor_time()
    if workers < 0:
        core.build(recipe.replace(resolution=size + 1))
    else:
        with open_client(workers or None, None, None, TILE) as client:
            build_world(recipe, size=size, tile=TILE, store=folder, client=client)
            peaks = [] if client is None else sorted(client.run(_peak).values())
    return {
        "size": size,
        "workers": workers,
        "seconds": time.perf_counter() - started,
        "processor seconds": _processor_time() - before,
        "peak": _peak(),
        "peaks of workers": peaks,
        "load": os.getloadavg()[0],
    }


def _peak() -> int:
    """Return the highest memory of this process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _processor_time() -> float:
    """Return the processor time of this process and of those that it has started and that have ended, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def in_own_process(size: int, workers: int, folder: Path) -> Figures:
    """Measure a build in a process of its own."""
    arguments = ["--one", str(size), str(workers), str(folder)]
    ran = subprocess.run(
        [sys.executable, __file__, *arguments], check=True, capture_output=True, text=True, timeout=4 * 3600
    )
    figures: Figures = json.loads(ran.stdout.splitlines()[-1])
    return figures


# --- filled depressions and drainage area from one store to another ---------------------------------------------------


def our_flow(folder: Path, out: Path) -> Callable[[], Any]:
    """Fill depressions and gather drainage area of a world's surface, block by block, in this process."""

    def flow() -> None:
        world, store, target = open_world(folder), Store(folder), Store(out)
        blocks = world.blocks(world.levels)
        for name in ("filled", "area"):
            target.create(name, (blocks.rows, blocks.columns), np.float32, blocks.side, packed=False)
        every = [blocks.at(row, column) for row in range(blocks.down) for column in range(blocks.across)]
        directions, labels, told = [], [], []
        for block in every:
            surface = _around(store, block, blocks)
            directions.append(find_block_directions(surface, block, blocks, -np.inf))
            labels.append(label_block(directions[-1], block, blocks))
            told.append(summarise_basins(surface, directions[-1], labels[-1], block, blocks))
        basins = join_basins(joined(told), blocks)
        turned = cut_by_block({"cell": basins.turned_cell, "way": basins.turned_way}, blocks)
        for number, found in turned.items():
            carve_block(directions[number], every[number], blocks, found["cell"], found["way"])
        flows, told = [], []
        for block, here in zip(every, directions):
            flows.append(order_block(here))
            amounts = np.ones(here.size, np.int64)
            collect(flows[-1], amounts)
            told.append(summarise_flow(here, flows[-1], amounts, block, blocks))
        summary = joined(told)
        cells, entering = collect_at_entries(join_exits(summary), summary)
        shares = cut_by_block({"cell": cells, "amount": entering}, blocks)
        for number, block in enumerate(every):
            amounts = np.ones(flows[number].order.size, np.int64)
            if number in shares:
                np.add.at(amounts, local_cells(shares[number]["cell"], block, blocks), shares[number]["amount"])
            collect(flows[number], amounts)
            target.write("area", block, amounts.reshape(block.shape).astype(np.float32))
            at = basins.basin[np.searchsorted(basins.end, labels[number].end[1:])]
            level = np.append(-np.inf, basins.level[at])[labels[number].labels].reshape(block.shape)
            target.write("filled", block, np.maximum(store.read("surface", block), level).astype(np.float32))

    return flow


def _around(store: Store, block: Block, blocks: Blocks) -> npt.NDArray[np.float32]:
    land = (blocks.rows, blocks.columns)
    near = clipped(block.grown(1), land)
    south, west = int(block.first_row == 0), int(block.first_column == 0)
    missing = [(south, block.rows + 2 - near.rows - south), (west, block.columns + 2 - near.columns - west)]
    return np.pad(store.read("surface", near), missing, mode="edge")


def dask_flow(folder: Path, out: Path) -> Callable[[], Any] | None:
    """The same by xarray-spatial on dask, in chunks; what it fills it leaves level, so that water stays there."""
    try:
        import dask
        import dask.array
        import xarray
        from xrspatial import hydro
    except ImportError:
        return None

    def flow() -> None:
        with dask.config.set(scheduler="threads", num_workers=2):
            surface = dask.array.from_zarr(str(folder), component="surface").rechunk((FLOW_TILE, FLOW_TILE))
            land = xarray.DataArray(surface, dims=("y", "x"), attrs={"res": (1.0, 1.0)})
            filled = hydro.fill_d8(land)
            area = hydro.flow_accumulation_d8(hydro.flow_direction_d8(filled))
            dask.array.to_zarr(filled.data, str(out / "filled"), overwrite=True)
            dask.array.to_zarr(area.data, str(out / "area"), overwrite=True)

    return flow


def flow_rows(folder: Path, size: int) -> list[Figures]:
    """Measure fill and drainage area of a world's surface."""
    rows = []
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        for name, work in (
            ("ours, blocks of 512, one thread", our_flow(folder, Path(scratch) / "ours")),
            ("xarray-spatial 0.10.20 on dask, tiles of 1024, two threads", dask_flow(folder, Path(scratch) / "dask")),
        ):
            if work is None:
                rows.append({"name": f"{name}: not installed"})
                continue
            work()
            started, before = time.perf_counter(), time.process_time()
            work()
            seconds, processor = time.perf_counter() - started, time.process_time() - before
            rows.append({"name": name, "size": size, "seconds": seconds, "processor seconds": processor})
    return rows


# --- tables -----------------------------------------------------------------------------------------------------------


def measure(sizes: tuple[int, ...], folder: Path) -> Figures:
    """Measure all builds, and flow on the largest world of at most `FLOW_SIZE`."""
    builds = [in_own_process(IN_MEMORY, -1, folder / "none")]
    flows: list[Figures] = []
    print(head())
    print(line(builds[0], builds[0]), flush=True)
    for size in sizes:
        for workers in (0, 1, 2) if size > IN_MEMORY else (0,):
            world = folder / f"{size}_{workers}"
            builds.append(in_own_process(size, workers, world))
            print(line(builds[-1], builds[0]), flush=True)
            if size == min(FLOW_SIZE, max(sizes)) and workers == 0:
                flows = flow_rows(world, size)
            shutil.rmtree(world)
    for row in flows:
        print(flow_line(row))
    return {"builds": builds, "flow": flows}


def head() -> str:
    """Return the head of the table of builds."""
    return f"{'cells':>7} {'workers':>9} {'s':>8} {'CPU s':>8} {'µs/cell':>12} {'ratio':>6} {'peak GB':>8}  each  load"


def line(row: Figures, in_memory: Figures) -> str:
    """Return a line of the table of builds."""
    cost, usual = (1e6 * one["processor seconds"] / one["size"] ** 2 for one in (row, in_memory))
    who = {-1: "in memory", 0: "none"}.get(row["workers"], str(row["workers"]))
    peaks = " ".join(f"{peak / 1e9:.2f}" for peak in row["peaks of workers"]) or "–"
    return (
        f"{row['size']:6d}² {who:>9} {row['seconds']:8.1f} {row['processor seconds']:8.1f} {cost:12.2f} "
        f"{cost / usual:6.2f} {row['peak'] / 1e9:8.2f}  {peaks:10}  {row['load']:.1f}"
    )


def flow_line(row: Figures) -> str:
    """Return a line of the table of fill and drainage area."""
    if "seconds" not in row:
        return str(row["name"])
    return f"{row['size']}² {row['name']:60} {row['seconds']:8.2f} s, processor {row['processor seconds']:8.2f} s"


def draw(builds: list[Figures]) -> str:
    """Return processor time per cell against the side of the world, as an SVG drawing."""
    left, top, width, height = 60.0, 30.0, 420.0, 220.0
    rows = [row for row in builds if row["workers"] >= 0]
    cost = [1e6 * row["processor seconds"] / row["size"] ** 2 for row in rows]
    highest = 1.25 * max(cost)
    low, high = np.log2(min(ALL_SIZES)), np.log2(max(ALL_SIZES))
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="540" height="310" font-family="sans-serif" font-size="12">',
        '<rect width="540" height="310" fill="white"/>',
        f'<text x="{left}" y="18" font-weight="bold">processor time per cell, µs</text>',
    ]
    for tick in range(int(highest) + 1):
        y = top + height * (1.0 - tick / highest)
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tick}</text>')
    for size in ALL_SIZES:
        x = left + width * (np.log2(size) - low) / (high - low)
        parts.append(f'<text x="{x:.1f}" y="{top + height + 20}" text-anchor="middle">{size}²</text>')
    for workers, colour in ((0, "#1f6f8b"), (1, "#b5562b"), (2, "#5b8c2a")):
        for row, amount in zip(rows, cost):
            if row["workers"] == workers:
                x = left + width * (np.log2(row["size"]) - low) / (high - low)
                y = top + height * (1.0 - amount / highest)
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        name = f"{workers} worker{'s' * (workers != 1)}" if workers else "one process alone"
        parts.append(f'<text x="{left + 130 * workers}" y="{top + height + 45}" fill="{colour}">● {name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    """Print the tables; write figures and a drawing if they are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--sizes", type=int, nargs="+", choices=ALL_SIZES, default=SIZES, help="cells a side")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw cost per cell")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        size, workers, folder = options.one
        print(json.dumps(measure_build(int(size), int(workers), Path(folder))))
        return
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(tuple(options.sizes), Path(folder))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    if options.plot:
        options.plot.write_text(draw(figures["builds"]), encoding="utf-8")


if __name__ == "__main__":
    main()
