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
    # A window, which takes minutes, comes after the stored bytes of the oldest Blender.
    must = [name.startswith(f"Blender {list(build.BLENDERS)[-1]}") and not name.endswith("window") for name in begun]
    assert must == sorted(must, reverse=True) and not all(must)
    assert [run.skippable for run in runs] == [not one for one in must]


def test_windows_and_older_blenders_are_left_out_when_time_is_short(
    begun: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "LAST_MINUTE", -1)
    ended = {run.name: status for run, status in build.side_by_side(build.test_runs(list(build.BLENDERS), ()))}
    newest = f"Blender {list(build.BLENDERS)[-1]}"
    may_be_left_out = {name for name in ended if not name.startswith(newest) or name.endswith("window")}
    assert {name for name, status in ended.items() if status == build.NO_TIME} == may_be_left_out
    assert not may_be_left_out & set(begun)
    assert build.verdict(build.NO_TIME).startswith("left out")


def test_a_run_that_a_signal_has_ended_was_not_left_out() -> None:
    assert [build.verdict(-signal) for signal in range(1, 65)] == [f"FAILED, status -{n}" for n in range(1, 65)]
