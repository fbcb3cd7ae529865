"""What all tests share: reproducible examples, the extension's zip, and a clean end on every Blender."""

import os
import sys
import time
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent.parent

# What takes hours runs only when it is asked for, and nothing else then.
SOAK = "TERRAIN_SOAK" in os.environ

# The same examples in every run; no deadline, because the first example pays for compiling a kernel.
hypothesis.settings.register_profile("project", derandomize=True, deadline=None, database=None, print_blob=True)
hypothesis.settings.load_profile("project")


@pytest.fixture(scope="session")
def local_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as one zip for this machine, which holds compiled packages for every Python."""
    import build

    return build.make_zip(build.local_package(), tmp_path_factory.mktemp("dist"), sys.executable)


@pytest.fixture(scope="session")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished world, which tests leave as it is."""
    from tests.small_world import make_small_world

    return make_small_world(tmp_path_factory.mktemp("worlds") / "small world")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if (ROOT / "tests" / "soak") in item.path.parents:
            item.add_marker("soak")
    chosen, others = [], []
    for item in items:
        (chosen if (item.get_closest_marker("soak") is not None) == SOAK else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


def pytest_runtest_setup(item: pytest.Item) -> None:
    began = float(os.environ.get("TERRAIN_TESTS_BEGAN") or time.time())
    last_minute = float(os.environ.get("TERRAIN_LAST_MINUTE") or "inf")
    if item.config.getoption("markexpr") == "not once" and time.time() - began > 60.0 * last_minute:
        pytest.skip(f"the suite has taken {last_minute:g} minutes, so it has none left for an older Blender")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    # With properties that have an update callback, the bpy module crashes (4.2) or hangs (4.5) while Python shuts down.
    if "bpy" in sys.modules and _STATUS in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[_STATUS])


_STATUS = pytest.StashKey[int]()
