"""Packages of npm, each installed once into a folder of its own beside the environments."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ENVIRONMENTS = Path(__file__).resolve().parents[2] / ".environments"


def installed(package: str, version: str) -> Path:
    """The folder that a package is installed in; skips the test where there is no npm."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip(f"node and npm are not installed; {package} needs them")
    cache = ENVIRONMENTS / f"{package}-{version}"
    if not cache.exists():
        cache.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache.parent) as part:
            npm = ["npm", "install", "--no-save", "--ignore-scripts", "--prefix", part, f"{package}@{version}"]
            done = subprocess.run(npm, capture_output=True, text=True, timeout=300)
            if done.returncode:
                pytest.skip(f"npm could not fetch {package}: {done.stderr.strip().splitlines()[-1:]}")
            shutil.copytree(part, cache, dirs_exist_ok=True)
    return cache
