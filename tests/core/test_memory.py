"""What is free, as the system and the containers around the process say it; the trees of files are made up here."""

import ctypes
import os
import re
import struct
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.memory_needed import bytes_needed, check_recipe
from terrain_addon.core.foundation import memory
from terrain_addon.core.foundation.memory import (
    available_memory,
    check_bytes,
    forget_free_memory,
    physical_memory,
    set_memory_limit,
)
from terrain_addon.core.planet.planet_stages import planet_stages

MIB = 2**20


def system(root: Path, files: dict[str, str]) -> Path:
    files = {"proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable:    4194304 kB\n"} | files
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_without_a_container_it_is_what_the_system_can_give(tmp_path: Path) -> None:
    assert available_memory(system(tmp_path, {})) == 4096 * MIB
    unlimited = {"proc/self/cgroup": "0::/user\n", "sys/fs/cgroup/user/memory.max": "max\n"}
    assert available_memory(system(tmp_path, unlimited)) == 4096 * MIB


def test_the_limit_of_a_container(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/outer/inner\n",
        "sys/fs/cgroup/outer/memory.max": f"{1024 * MIB}\n",
        "sys/fs/cgroup/outer/memory.current": f"{600 * MIB}\n",
        "sys/fs/cgroup/outer/memory.stat": f"anon {400 * MIB}\ninactive_file {100 * MIB}\n",
        "sys/fs/cgroup/outer/inner/memory.max": "max\n",
        "sys/fs/cgroup/outer/inner/memory.current": f"{500 * MIB}\n",
    }
    assert available_memory(system(tmp_path, files)) == 524 * MIB


def test_inside_a_container_the_path_is_that_of_the_host(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/docker/0123\n",
        "sys/fs/cgroup/memory.max": f"{512 * MIB}\n",
        "sys/fs/cgroup/memory.current": f"{200 * MIB}\n",
    }
    assert available_memory(system(tmp_path, files)) == 312 * MIB


def test_version_1_of_control_groups(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "9:cpu,cpuacct:/x\n4:memory:/job/7\n0::/\n",
        "sys/fs/cgroup/memory/job/7/memory.limit_in_bytes": f"{256 * MIB}\n",
        "sys/fs/cgroup/memory/job/7/memory.usage_in_bytes": f"{300 * MIB}\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "1\n",
    }
    assert available_memory(system(tmp_path, files)) == 0


def test_a_group_may_have_colons_in_its_name(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/user/app:1:2\n",
        "sys/fs/cgroup/user/app:1:2/memory.max": f"{512 * MIB}\n",
        "sys/fs/cgroup/user/app:1:2/memory.current": f"{200 * MIB}\n",
    }
    assert available_memory(system(tmp_path, files)) == 312 * MIB


def test_files_that_can_be_read_again_count_as_free_in_version_1(tmp_path: Path) -> None:
    """The total is that of the group and of all in it; what is the group's alone says too little."""
    files = {
        "proc/self/cgroup": "4:memory:/job\n",
        "sys/fs/cgroup/memory/job/memory.limit_in_bytes": f"{512 * MIB}\n",
        "sys/fs/cgroup/memory/job/memory.usage_in_bytes": f"{500 * MIB}\n",
        "sys/fs/cgroup/memory/job/memory.stat": f"inactive_file {MIB}\ntotal_inactive_file {90 * MIB}\n",
    }
    assert available_memory(system(tmp_path, files)) == 102 * MIB


def test_both_versions_of_control_groups_at_once(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "4:memory:/job\n0::/scope\n",
        "sys/fs/cgroup/memory/job/memory.limit_in_bytes": f"{700 * MIB}\n",
        "sys/fs/cgroup/memory/job/memory.usage_in_bytes": f"{100 * MIB}\n",
        "sys/fs/cgroup/unified/scope/memory.max": f"{512 * MIB}\n",
        "sys/fs/cgroup/unified/scope/memory.current": f"{200 * MIB}\n",
    }
    assert available_memory(system(tmp_path, files)) == 312 * MIB


def test_a_limit_counts_only_if_its_use_can_be_read(tmp_path: Path) -> None:
    files = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": f"{512 * MIB}\n"}
    assert available_memory(system(tmp_path, files)) == 4096 * MIB


def test_damaged_files_of_the_system_say_nothing(tmp_path: Path) -> None:
    files = {"proc/meminfo": "\0\0", "proc/self/cgroup": "x\n::\n0::/../../..\n", "sys/fs/cgroup/memory.max": "-1\n"}
    assert available_memory(system(tmp_path, files)) == physical_memory()


def test_the_memory_of_the_computer_is_what_linux_says() -> None:
    said = Path("/proc/meminfo").read_text(encoding="ascii").split()[1]
    # The system counts whole pages, so both are the same number.
    assert physical_memory() == 1024 * int(said)


def test_a_system_that_does_not_say_what_it_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is refused there."""
    monkeypatch.setattr(os, "sysconf", lambda name: -1, raising=False)
    monkeypatch.setattr(os, "sysconf_names", {"SC_PHYS_PAGES": 85, "SC_PAGE_SIZE": 30}, raising=False)
    assert physical_memory() is None, "-1 stands for: not known"
    monkeypatch.setattr(os, "sysconf_names", {"SC_PAGE_SIZE": 30}, raising=False)
    assert physical_memory() is None
    monkeypatch.delattr(os, "sysconf", raising=False)
    monkeypatch.delattr(os, "sysconf_names")
    assert physical_memory() is None
    assert available_memory(tmp_path) is None
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    check_bytes(2**60, "a land", "lower the resolution")


def test_what_windows_says_is_read_from_its_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    """MEMORYSTATUSEX: its length and the load in 32 bits each, then seven numbers of 64 bits; the second is free."""

    answers = [True, False]

    def answer(status: Any) -> bool:
        given = status._obj
        assert ctypes.sizeof(given) == int.from_bytes(bytes(given)[:4], "little") == 64
        struct.pack_into("<LLQQ", given, 0, 64, 50, 8192 * MIB, 3072 * MIB)
        return answers.pop(0)

    kernel = SimpleNamespace(GlobalMemoryStatusEx=answer)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: {"kernel32": kernel}[name])
    assert available_memory() == 3072 * MIB
    assert available_memory() is None


@pytest.fixture(autouse=True)
def _as_if_nothing_was_asked() -> Iterator[None]:
    forget_free_memory()
    yield
    forget_free_memory()


def test_the_sentence_has_both_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 300 * MIB)
    check_bytes(300 * MIB, "a land", "lower the resolution")
    whole = r"^a land needs about 2\.5 GiB of memory, 300 MiB are free; lower the resolution, or close programs$"
    with pytest.raises(ValueError, match=whole):
        check_bytes(5 * 2**29, "a land", "lower the resolution")
    set_memory_limit(200 * MIB)
    try:
        check_bytes(100 * MIB, "a smaller land", "lower the resolution")
        check_bytes(200 * MIB, "a land", "lower the resolution")
        with pytest.raises(ValueError, match=r"^a land needs about 202 MiB of memory, the preferences allow 200 MiB"):
            check_bytes(201 * MIB + 700_000, "a land", "lower the resolution")
    finally:
        set_memory_limit(None)


@pytest.mark.parametrize(
    ("free", "said"),
    [
        (0, "0 MiB"),
        (3 * MIB // 2 + 1, "1 MiB"),
        (700 * MIB, "700 MiB"),
        (1024 * MIB, "1.0 GiB"),
        (1331 * MIB, "1.2 GiB"),
        (100 * 1024 * MIB, "100.0 GiB"),
    ],
)
def test_amounts_of_1_gib_and_more_are_in_gib(monkeypatch: pytest.MonkeyPatch, free: int, said: str) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: free)
    with pytest.raises(ValueError, match=rf"^a land needs about 200\.0 GiB of memory, {re.escape(said)} are free; "):
        check_bytes(200 * 1024 * MIB, "a land", "lower the resolution")


def test_what_is_needed_is_never_shown_as_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 20_530_000_000)
    with pytest.raises(ValueError, match=r"needs about 19\.2 GiB of memory, 19\.1 GiB are free"):
        check_bytes(20_530_000_001, "a land", "lower the resolution")


@pytest.mark.parametrize("shown", [False, True])
def test_the_sentence_names_the_largest_resolution_that_fits(monkeypatch: pytest.MonkeyPatch, shown: bool) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 700 * MIB)
    recipe = core.Recipe.preset("alpine", resolution=8193)
    with pytest.raises(ValueError, match="lower the resolution to ") as caught:
        check_recipe(recipe, shown=shown)
    largest = int(re.search(r"to (\d+) or less, make it a world", str(caught.value))[1])
    check_recipe(recipe.replace(resolution=largest), shown=shown)
    with pytest.raises(ValueError, match="needs about"):
        check_recipe(recipe.replace(resolution=largest + 1), shown=shown)


def test_a_planet_is_told_the_largest_resolution_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 500 * MIB)
    recipe = core.PlanetRecipe.preset("moon", resolution=2049)
    with pytest.raises(ValueError, match=r"lower the resolution to \d+ or less, or close programs$") as caught:
        planet_stages(recipe)
    largest = int(re.search(r"to (\d+) or less", str(caught.value))[1])
    planet_stages(recipe.replace(resolution=largest))
    with pytest.raises(ValueError, match="needs about"):
        planet_stages(recipe.replace(resolution=2 * largest - 1))


def test_a_limit_is_above_0() -> None:
    for limit in (0, -1):
        with pytest.raises(ValueError, match=rf"^memory limit = {limit} bytes is not above 0$"):
            set_memory_limit(limit)
    check_bytes(MIB, "a land after two limits were refused", "lower the resolution")
    set_memory_limit(1)
    try:
        check_bytes(1, "a land", "lower the resolution")
        with pytest.raises(ValueError, match=r"; lower the resolution, or raise the limit$"):
            check_bytes(2, "a land", "lower the resolution")
    finally:
        set_memory_limit(None)


def test_the_system_is_not_asked_again_for_small_work(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    now = [0.25]
    monkeypatch.setattr(memory, "available_memory", lambda: asked.append(1) or 800 * MIB)
    monkeypatch.setattr(memory, "time", SimpleNamespace(monotonic=lambda: now[0]))
    for _ in range(5):
        check_bytes(50 * MIB, "a land", "lower the resolution")
    check_bytes(100 * MIB, "a land", "lower the resolution")
    assert len(asked) == 1
    check_bytes(101 * MIB, "a land that takes more than an eighth", "lower the resolution")
    assert len(asked) == 2
    with pytest.raises(ValueError, match="800 MiB are free"):
        check_bytes(900 * MIB, "a land", "lower the resolution")
    assert len(asked) == 3
    now[0] += 0.5
    check_bytes(50 * MIB, "half a second later", "lower the resolution")
    assert len(asked) == 3
    now[0] += 0.25
    check_bytes(50 * MIB, "more than half a second later", "lower the resolution")
    assert len(asked) == 4


@pytest.mark.once
@pytest.mark.parametrize("name", ["alpine", "mesa_and_canyon"])
def test_a_landscape_needs_what_is_said_before_anything_is_allocated(name: str) -> None:
    """Without plants; arrays of numpy are nearly all that a landscape takes."""
    core.build(core.Recipe.preset(name, resolution=33), extent="maps")  # loads kernels and tables
    recipe = core.Recipe.preset(name, resolution=513)
    tracemalloc.start(1)
    try:
        core.build(recipe, extent="maps")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.5 * bytes_needed(recipe) < peak <= bytes_needed(recipe)


@pytest.mark.once
def test_a_planet_needs_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = core.PlanetRecipe.preset("archipelago", resolution=129)
    core.build_planet(recipe)  # loads kernels and tables
    tracemalloc.start(1)
    try:
        core.build_planet(recipe)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    forget_free_memory()
    monkeypatch.setattr(memory, "available_memory", lambda: peak)
    with pytest.raises(ValueError, match=r"^a planet of 6 × 129 × 129 samples needs about"):
        core.build_planet(recipe)
    forget_free_memory()
    monkeypatch.setattr(memory, "available_memory", lambda: int(1.25 * peak))
    planet_stages(recipe)


def test_what_no_stage_reads_again_is_let_go() -> None:
    """Only the finished terrain is left, with maps that are not quick; its water and deposits take nothing more."""
    recipe = core.Recipe.preset("rolling_hills", resolution=257)
    core.build(recipe, extent="maps")
    # Arrays alone: the compiler of kernels leaves some garbage, which Python collects when it likes.
    arrays = tracemalloc.DomainFilter(True, np.lib.tracemalloc_domain)
    tracemalloc.start(1)
    try:
        land = core.build(recipe, extent="maps")
        left = sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([arrays]).traces)
    finally:
        tracemalloc.stop()
    kept = [name for name in land.maps if not core.maps.catalogue.MAPS[name].is_quick]
    assert len(kept) == len(land.maps) - 3
    # Bedrock and surface; sediment is the map of deposits.
    assert left < (len(kept) + 2.2) * land.terrain.surface.nbytes
