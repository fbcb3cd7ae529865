"""The order in which `build.py test` runs what: the newest Blender first, older ones only while there is time."""

import subprocess
import sys
from typing import IO, Any

import pytest

import build

pytestmark = pytest.mark.once


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> list[str]:
    """The names of the runs that have begun; each passes at once, in no environment."""
    names: list[str] = []

    def begin(command: list[str], file: IO[bytes], variables: Any) -> subprocess.Popen[bytes]:
        names.append(command[-1])
        return subprocess.Popen([sys.executable, "-c", ""], stdout=file)

    monkeypatch.setattr(build, "ENVIRONMENTS", tmp_path)
    (tmp_path / "tests").mkdir()
    monkeypatch.setattr(build, "started", begin)
    monkeypatch.setattr(build.TestRun, "command", lambda run: [run.name])
    return names


def test_everything_on_the_newest_blender_comes_first(begun: list[str]) -> None:
    runs = build.test_runs(list(build.BLENDERS), ())
    ended = dict(build.side_by_side(runs))
    assert set(ended.values()) == {0} and len(ended) == len(begun) == len(runs)
    newest = [name.startswith(f"Blender {list(build.BLENDERS)[-1]}") for name in begun]
    assert newest == sorted(newest, reverse=True) and not all(newest)
    assert [run.skippable for run in runs] == [not is_newest for is_newest in newest]


def test_older_blenders_are_left_out_when_time_is_short(begun: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "LAST_MINUTE", -1)
    ended = {run.name: status for run, status in build.side_by_side(build.test_runs(list(build.BLENDERS), ()))}
    newest = f"Blender {list(build.BLENDERS)[-1]}"
    assert {name for name, status in ended.items() if status == build.NO_TIME} == {
        name for name in ended if not name.startswith(newest)
    }
    assert begun == [name for name in begun if name.startswith(newest)]
