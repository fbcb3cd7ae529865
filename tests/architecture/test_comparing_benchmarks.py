"""`build.py bench TOPIC --check FILE` finds what became slower, on a machine of any speed."""

import doctest
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import build

FILE = build.BENCHMARKS / "_comparing.py"
BEFORE = {"flow 2048²": {"ours: fill": 10.0, "ours: route": 10.0, "richdem": 50.0, "fastscapelib": 80.0}}


def compared(folder: Path, now: object) -> subprocess.CompletedProcess[str]:
    """What the program prints of two runs."""
    for name, figures in (("before", BEFORE), ("now", now)):
        folder.joinpath(f"{name}.json").write_text(json.dumps(figures), encoding="utf-8")
    command = [sys.executable, str(FILE), str(folder / "before.json"), str(folder / "now.json")]
    return subprocess.run(command, capture_output=True, text=True, env={"PYTHONIOENCODING": "utf-8"})


@pytest.mark.parametrize("machine", [0.5, 1.0, 4.0])
def test_a_slower_machine_is_not_slower_code(tmp_path: Path, machine: float) -> None:
    now = {"flow 2048²": {name: machine * time for name, time in BEFORE["flow 2048²"].items()}}
    ran = compared(tmp_path, now)
    assert ran.returncode == 0 and "0 of 2 rows" in ran.stdout
    now["flow 2048²"]["ours: route"] *= 1.2
    ran = compared(tmp_path, now)
    assert ran.returncode == 1 and "1.20 ×  flow 2048², ours: route" in ran.stdout and "fill" not in ran.stdout


def test_rows_that_are_gone_are_named_and_no_peer_is_no_comparison(tmp_path: Path) -> None:
    ran = compared(tmp_path, {"flow 2048²": {"ours: fill": 10.0, "richdem": 50.0}})
    assert "not measured now: flow 2048², ours: route" in ran.stdout
    ran = compared(tmp_path, {"flow 2048²": {"ours: fill": 10.0}})
    assert ran.returncode == 1 and "no other program was measured in both runs" in ran.stdout


def test_a_benchmark_that_crashes_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = iter((-11, 0))
    monkeypatch.setattr(build, "run", lambda command, purpose: next(statuses))
    monkeypatch.setattr(build, "_bench_interpreter", lambda topic: "python")
    monkeypatch.setattr(build, "_topics", lambda: ["relief", "flow"])
    assert build.main(["bench"]) == 1


def test_examples_of_the_program_are_true() -> None:
    spec = importlib.util.spec_from_file_location("_comparing", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    done = doctest.testmod(module)
    assert done.attempted >= 4 and not done.failed
