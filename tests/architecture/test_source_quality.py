"""Formatting, lint and types."""

import importlib.util
import subprocess
import sys
from pathlib import Path

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


def test_types() -> None:
    run_tool("mypy")
