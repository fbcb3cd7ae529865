"""Examples in docstrings say what really comes out."""

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import terrain_addon.core
import terrain_addon.files

pytestmark = pytest.mark.once


def modules_with_examples() -> list[ModuleType]:
    """The modules of core and files whose docstrings hold examples, the packages themselves among them."""
    packages = (terrain_addon.core, terrain_addon.files)
    names = [info.name for one in packages for info in pkgutil.walk_packages(one.__path__, f"{one.__name__}.")]
    modules = [*packages, *map(importlib.import_module, names)]
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [module for module in modules if any(test.examples for test in finder.find(module))]


@pytest.mark.parametrize("module", modules_with_examples(), ids=lambda module: module.__name__)
def test_examples_are_true(module: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    done = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert done.attempted > 0
    assert done.failed == 0, capsys.readouterr().out


def test_there_are_examples() -> None:
    assert modules_with_examples()
