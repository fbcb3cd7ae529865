"""A file is written as a whole or not at all."""

import errno
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.foundation.compilation import set_thread_count, thread_count
from terrain_addon.files.baking import bake
from terrain_addon.files.exr import write_exr
from terrain_addon.files.parallel import map_in_order
from terrain_addon.files.png import write_png
from terrain_addon.files.writing import atomic_write, check_target, write_together


def write(path: Path, data: bytes) -> None:
    with atomic_write(path) as file:
        file.write(data)


def everything_in(folder: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


def test_files_are_packed_in_as_many_threads_as_the_preferences_allow() -> None:
    before = thread_count()
    set_thread_count(1)
    try:
        assert len(set(map_in_order(lambda _: threading.get_ident(), range(50)))) == 1
    finally:
        set_thread_count(before)


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    write(tmp_path / "land.bin", b"first")
    write(tmp_path / "land.bin", b"2nd")
    assert everything_in(tmp_path) == {"land.bin": b"2nd"}


def test_until_the_end_the_old_file_is_there(tmp_path: Path) -> None:
    write(tmp_path / "land.bin", b"old")
    with atomic_write(tmp_path / "land.bin") as file:
        file.write(b"new")
        file.flush()
        assert (tmp_path / "land.bin").read_bytes() == b"old"
    assert (tmp_path / "land.bin").read_bytes() == b"new"


@pytest.mark.parametrize("fault", [RuntimeError("stop"), KeyboardInterrupt(), ValueError("bad heights")])
def test_a_fault_leaves_the_old_file_and_nothing_else(tmp_path: Path, fault: BaseException) -> None:
    write(tmp_path / "land.bin", b"old")
    with pytest.raises(type(fault)), atomic_write(tmp_path / "land.bin") as file:
        file.write(b"half of the n")
        raise fault
    assert everything_in(tmp_path) == {"land.bin": b"old"}


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "land.bin", b"x")
    assert (tmp_path / "a" / "b" / "land.bin").read_bytes() == b"x"


def test_a_fault_takes_the_folders_it_made_with_it(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(RuntimeError), atomic_write(tmp_path / "there" / "a" / "b" / "land.bin"):
        raise RuntimeError
    assert everything_in(tmp_path) == {"there": None}


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="a limit on file sizes stands in for a full disk")
    write(tmp_path / "land.bin", b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(ValueError, match=r"^cannot write .*land\.bin: File too large$"):
            write(tmp_path / "land.bin", bytes(1_000_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert everything_in(tmp_path) == {"land.bin": b"old"}


def test_an_error_of_the_system_names_path_and_reason(tmp_path: Path) -> None:
    reason = r"^cannot write .*land\.bin: No space left on device$"
    with pytest.raises(ValueError, match=reason), atomic_write(tmp_path / "land.bin"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert everything_in(tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("folder", "there is a folder of that name"),
        ("file.txt/land.bin", "is not a folder"),
        ("x" * 300, "too long|cannot find"),
        ("null\0character", "null character"),
        ("\ud800", "characters that no file can have|surrogates"),
    ],
)
def test_places_that_cannot_be_written(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.txt").write_bytes(b"keep")
    with pytest.raises(ValueError, match=f"^cannot write .*({reason})"):
        write(tmp_path / name, b"x")
    assert everything_in(tmp_path) == {"file.txt": b"keep", "folder": None}


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_place_is_tried_before_long_work(tmp_path: Path, kind: Literal["file", "folder"]) -> None:
    (tmp_path / "file.txt").write_bytes(b"keep")
    check_target(tmp_path / "new" / "land", kind)
    check_target(tmp_path / "land", kind)
    with pytest.raises(ValueError, match=r"^cannot write .*is not a folder"):
        check_target(tmp_path / "file.txt" / "land", kind)
    assert everything_in(tmp_path) == {"file.txt": b"keep"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no folder like this")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_folder_where_even_the_superuser_cannot_write_is_found(kind: Literal["file", "folder"]) -> None:
    with pytest.raises(ValueError, match=r"^cannot write /proc/new/land: "):
        check_target("/proc/new/land", kind)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_write_protection_is_respected(tmp_path: Path) -> None:
    write(tmp_path / "land.bin", b"old")
    (tmp_path / "land.bin").chmod(0o444)
    with pytest.raises(ValueError, match="write-protected"):
        write(tmp_path / "land.bin", b"new")
    (tmp_path / "locked").mkdir(mode=0o555)
    with pytest.raises(ValueError, match="Permission denied"):
        write(tmp_path / "locked" / "land.bin", b"new")
    assert everything_in(tmp_path) == {"land.bin": b"old", "locked": None}


@pytest.mark.parametrize("name", ["Höhe 高程 🏔.png", "x" * 250, " .hidden"])
def test_unusual_names(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, b"x")
    assert everything_in(tmp_path) == {name: b"x"}


@pytest.mark.skipif(os.name == "nt", reason="links and rights as POSIX has them")
def test_links_and_rights_are_those_of_a_plain_write(tmp_path: Path) -> None:
    (tmp_path / "plain.bin").write_bytes(b"")
    (tmp_path / "link.bin").symlink_to(tmp_path / "land.bin")
    write(tmp_path / "link.bin", b"x")
    assert (tmp_path / "link.bin").is_symlink()
    assert (tmp_path / "land.bin").read_bytes() == b"x"
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain.bin", "land.bin")}
    assert len(modes) == 1


MAPS = {
    "land.png": lambda path: write_png(path, np.random.default_rng(0).integers(0, 65536, (700, 900), np.uint16)),
    "land.exr": lambda path: write_exr(path, {"Y": np.random.default_rng(0).random((700, 900), np.float32)}),
}


@pytest.mark.parametrize("name", MAPS)
def test_a_disk_that_fills_up_under_a_map_leaves_the_old_one(tmp_path: Path, name: str) -> None:
    resource = pytest.importorskip("resource", reason="a limit on file sizes stands in for a full disk")
    write(tmp_path / name, b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
    try:
        with pytest.raises(ValueError, match=r"^cannot write .*land\....: File too large$"):
            MAPS[name](tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert everything_in(tmp_path) == {name: b"old"}
    MAPS[name](tmp_path / name)
    assert (tmp_path / name).stat().st_size > 300_000


def test_a_full_disk_is_named_by_the_place_of_the_file(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="a limit on file sizes stands in for a full disk")
    land = core.build(core.Recipe(resolution=129, erosion=()), extent="terrain")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
    try:
        with pytest.raises(ValueError, match=r"^cannot write .*: File too large$") as caught:
            bake(tmp_path / "out", "hill", land, ["height"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert str(tmp_path / "out" / "hill_height.png") in str(caught.value)
    assert everything_in(tmp_path) == {}


@pytest.mark.parametrize("name", MAPS)
def test_threads_change_no_byte(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    for processors in (1, 2, 7):
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        MAPS[name](tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1] == written[2]


def test_files_are_replaced_together(tmp_path: Path) -> None:
    write(tmp_path / "out" / "a.txt", b"old")
    write(tmp_path / "out" / "other.txt", b"other")
    with write_together(tmp_path / "out") as part:
        (part / "a.txt").write_bytes(b"new")
        (part / "b.txt").write_bytes(b"new")
        assert (tmp_path / "out" / "a.txt").read_bytes() == b"old"
    whole = {"out": None, "out/a.txt": b"new", "out/b.txt": b"new", "out/other.txt": b"other"}
    assert everything_in(tmp_path) == whole
    with pytest.raises(RuntimeError), write_together(tmp_path / "out") as part:
        (part / "a.txt").write_bytes(b"half")
        raise RuntimeError
    (tmp_path / "out" / "b.txt").unlink()
    (tmp_path / "out" / "b.txt").mkdir()
    with (
        pytest.raises(ValueError, match=r"b\.txt: there is a folder of that name"),
        write_together(tmp_path / "out") as part,
    ):
        (part / "a.txt").write_bytes(b"again")
        (part / "b.txt").write_bytes(b"again")
    assert everything_in(tmp_path) == whole | {"out/b.txt": None}


def test_a_fault_removes_the_folders_of_files_that_go_together(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^cannot write to .*new: No space"), write_together(tmp_path / "a" / "new"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert everything_in(tmp_path) == {}


def test_only_plain_files_are_replaced(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("a system without pipes that have names")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    if os.geteuid() == 0:  # A device like /dev/null, which only the superuser can replace, and make.
        os.mknod(tmp_path / "device", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    before = {path.name: path.lstat().st_ino for path in tmp_path.iterdir()}
    for name in before:
        reason = r"^cannot write .*: there is a device or pipe of that name$"
        with pytest.raises(ValueError, match=reason):
            write(tmp_path / name, b"x")
        with pytest.raises(ValueError, match=reason), write_together(tmp_path / name) as part:
            (part / "land.txt").write_bytes(b"x")
        with pytest.raises(ValueError, match=reason), write_together(tmp_path) as part:
            (part / name).write_bytes(b"x")
    assert {path.name: path.lstat().st_ino for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "name", ["../../evil", "a/b", "/evil", "..", "", "a\\b", "C:evil", "a\0b", "\ud800", "x" * 201]
)
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    land = core.build(core.Recipe(resolution=9, width=80.0, depth=80.0, erosion=()), extent="terrain")
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"name of the land|land has the name"):
        bake(tmp_path / "a" / "b", name, land, ["height"])
    assert everything_in(tmp_path) == {"a": None, "a/b": None}


def test_obsolete_files_are_removed_but_nothing_outside(tmp_path: Path) -> None:
    write(tmp_path / "outside.txt", b"keep")
    write(tmp_path / "out" / "sub" / "old.txt", b"old")
    write(tmp_path / "out" / "other.txt", b"other")
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    obsolete = ["sub/old.txt", "../outside.txt", "link/outside.txt", "missing.txt", str(tmp_path / "outside.txt")]
    with write_together(tmp_path / "out", obsolete) as part:
        (part / "new.txt").write_bytes(b"new")
    (tmp_path / "out" / "link").unlink()
    assert everything_in(tmp_path) == {
        "out": None,
        "out/new.txt": b"new",
        "out/other.txt": b"other",
        "outside.txt": b"keep",
    }


def test_a_run_does_not_clear_away_what_another_one_writes_now(tmp_path: Path) -> None:
    with write_together(tmp_path) as first:
        (first / "a.txt").write_bytes(b"a")
        with write_together(tmp_path) as second:
            (second / "b.txt").write_bytes(b"b")
        write(tmp_path / "c.txt", b"c")
        assert (first / "a.txt").read_bytes() == b"a"
    assert everything_in(tmp_path) == {"a.txt": b"a", "b.txt": b"b", "c.txt": b"c"}
