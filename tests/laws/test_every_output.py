"""Every output of a recipe has the stored bytes, on every Blender."""

import socket

import pytest

from tests.laws import every_output


def wrong(name: str) -> list[str]:
    """The outputs of a stored recipe that are not as they are stored."""
    now, before = every_output.digests_of(name), every_output.stored()[name]
    assert now.keys() == before.keys()
    return [key for key in now if now[key] != before[key]]


def test_a_land_with_everything_is_the_same_everywhere_and_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something reaches for the network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    assert wrong("drawn") == []


@pytest.mark.once
@pytest.mark.parametrize("name", [name for name in every_output.names() if name != "drawn"])
def test_every_output_has_the_stored_bytes(name: str) -> None:
    assert wrong(name) == []


@pytest.mark.once
def test_digests_see_one_changed_bit() -> None:
    import numpy as np

    values = np.zeros((3, 4), np.float32)
    before = every_output.digest({"a": values, "b": (1, None)})
    values.view(np.uint32)[2, 3] = 1
    assert every_output.digest({"a": values, "b": (1, None)}) != before
    assert every_output.digest(np.zeros((4, 3), np.float32)) != every_output.digest(np.zeros((3, 4), np.float32))
