"""The page of trust names tests that are there."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "docs" / "trust.md").read_text(encoding="utf-8"))
    assert len(set(named)) > 15
    assert [path for path in named if not (ROOT / path).is_file()] == []
