"""The preferences act on what is made, and compiling ahead waits for the panel."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest

from terrain_addon.blender.data import preferences
from terrain_addon.blender.session import compiling_ahead
from terrain_addon.core.building import warming
from terrain_addon.core.foundation import memory
from terrain_addon.core.foundation.compilation import (
    cache_root,
    processors,
    set_cache_folder,
    set_thread_count,
    thread_count,
)
from terrain_addon.core.foundation.kernel_files import KERNEL_ENDING, kept_bytes, remove_kept


@pytest.fixture
def chosen(blender: None, tmp_path: Path) -> Iterator[Any]:
    """The preferences of the extension as Blender keeps them for one that is enabled."""
    threads, folder = thread_count(), cache_root().parent
    addon = bpy.context.preferences.addons.new()
    addon.module = "terrain_addon"
    yield addon.preferences
    bpy.context.preferences.addons.remove(addon)
    set_thread_count(threads)
    set_cache_folder(folder)
    memory.set_memory_limit(None)


def test_threads_are_those_that_the_user_chose(chosen: Any) -> None:
    chosen.threads = 1
    assert thread_count() == 1
    chosen.threads = 1024
    assert thread_count() == processors()
    chosen.threads = 1
    chosen.threads = 0
    assert thread_count() == processors()


def test_a_land_above_the_memory_limit_is_refused_and_nothing_is_made(chosen: Any) -> None:
    chosen.memory_limit = 0.01
    before = set(bpy.data.objects)
    with pytest.raises(RuntimeError, match=r"needs about .* of memory, the preferences allow 10 MiB; lower the res"):
        bpy.ops.landscape.generate(preset="alpine", resolution=1025)
    assert set(bpy.data.objects) == before
    chosen.memory_limit = 0.0
    memory.check_bytes(20 * 2**20, "a land", "lower the resolution")


def test_compiled_code_goes_where_the_user_wants_it_and_can_be_removed(chosen: Any, tmp_path: Path) -> None:
    chosen.cache_folder = str(tmp_path)
    folder = cache_root() / "one"
    assert folder.is_relative_to(tmp_path)
    folder.mkdir(parents=True)
    for name in ("a", "b"):
        (folder / f"{name}{KERNEL_ENDING}").write_bytes(bytes(500))
    (folder / "mine.txt").write_text("not a kernel")
    mark = warming.mark_folder(warming.__name__) / "relief"
    mark.touch()
    assert kept_bytes(cache_root()) == 1000
    assert bpy.ops.landscape.clear_compiled() == {"FINISHED"}
    assert kept_bytes(cache_root()) == 0 and remove_kept(cache_root()) == 0
    assert (folder / "mine.txt").is_file() and not mark.exists()


@pytest.mark.parametrize(
    ("choice", "at_start", "at_panel"),
    [("FIRST_SHOWN", False, True), ("AT_START", True, True), ("WHEN_NEEDED", False, False)],
)
def test_compiling_begins_when_the_user_wants_it(
    chosen: Any, monkeypatch: pytest.MonkeyPatch, choice: str, at_start: bool, at_panel: bool
) -> None:
    monkeypatch.setattr(compiling_ahead.bpy, "app", _WithWindow())
    compiling_ahead.stop_compiling_ahead()
    chosen.compile_when = choice
    compiling_ahead.compile_as_preferred()
    assert bool(_WithWindow.timers.registered) == at_start
    for _ in range(3):
        compiling_ahead.notice_panel()
    assert len(_WithWindow.timers.registered) == at_panel
    _WithWindow.timers.registered.clear()
    compiling_ahead.stop_compiling_ahead()


def test_what_was_cleared_can_be_compiled_again(chosen: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen.cache_folder = str(tmp_path)
    monkeypatch.setattr(compiling_ahead.bpy, "app", _WithWindow())
    counts = []
    for operator in ("compile_now", "compile_now", "clear_compiled", "compile_now"):
        assert getattr(bpy.ops.landscape, operator)() == {"FINISHED"}
        counts.append(len(_WithWindow.timers.registered))
    _WithWindow.timers.registered.clear()
    compiling_ahead.stop_compiling_ahead()
    assert counts == [1, 1, 1, 2]


def test_without_preferences_the_panel_begins(blender: None) -> None:
    assert preferences.preferences() is None and preferences.compile_when() == "FIRST_SHOWN"


class _Timers:
    """Timers of a Blender that has a window."""

    def __init__(self) -> None:
        self.registered: list[object] = []

    def register(self, function: object, first_interval: float) -> None:
        self.registered.append(function)

    def is_registered(self, function: object) -> bool:
        return False


class _WithWindow:
    """What of `bpy.app` is asked for."""

    background = False
    timers = _Timers()
