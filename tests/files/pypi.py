"""Packages of PyPI that only a test reads, each installed once into a folder of its own beside the environments."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ENVIRONMENTS = Path(__file__).resolve().parents[2] / ".environments"


def installed(package: str, version: str) -> Path:
    """The folder to put on the path of a Python like this one; skips the test where pip cannot fetch the package."""
    cache = ENVIRONMENTS / f"{package}-{version}-{sys.version_info.major}.{sys.version_info.minor}"
    if not cache.exists():
        cache.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache.parent) as part:
            pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--only-binary", ":all:", "--target", part]
            done = subprocess.run([*pip, f"{package}=={version}"], capture_output=True, text=True, timeout=300)
            if done.returncode:
                pytest.skip(f"pip could not fetch {package}: {done.stderr.strip().splitlines()[-1:]}")
            shutil.copytree(part, cache, dirs_exist_ok=True)
    return cache
