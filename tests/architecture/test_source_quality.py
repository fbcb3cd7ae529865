"""Formatting, lint and types."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.once


def run_tool(*arguments: str) -> None:
    """Run a module of Python as a command in the project's folder; its complaints become the test's failure."""
    if importlib.util.find_spec(arguments[0]) is None:
        pytest.skip(f"{arguments[0]} is not installed; `python build.py test` brings it")
    checked = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    if checked.returncode:
        pytest.fail(checked.stdout + checked.stderr, pytrace=False)


def test_lint() -> None:
    run_tool("ruff", "check", ".")


def test_formatting() -> None:
    run_tool("ruff", "format", "--check", ".")


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason=f"numpy {np.__version__} has older types")
def test_types() -> None:
    # numpy's types differ from version to version; those of the newest Blender's numpy are the ones to agree with.
    run_tool("mypy")
