"""What a cache keeps, and what it lets go of first."""

import numpy as np
import pytest

from terrain_addon.core.foundation.cache import Cache, arrays_of
from terrain_addon.core.foundation.terrain import Terrain

pytestmark = pytest.mark.once


def field(size: int) -> np.ndarray:
    """An array of so many bytes."""
    return np.zeros(size, np.uint8)


def test_results_are_found_under_their_keys_alone() -> None:
    cache = Cache()
    kept = field(3)
    cache.put("a", kept)
    assert cache.find(["a", "b"]) == {"a": kept} and "a" in cache and "b" not in cache
    cache.clear()
    assert cache.find(["a"]) == {} and "a" not in cache


def test_usual_limits_are_a_gibibyte_and_a_small_part_of_it_for_what_passes() -> None:
    assert (Cache().limit, Cache().passing_limit) == (1024**3, 32 * 1024**2)


def test_what_fits_exactly_stays_and_one_byte_more_drives_out_the_longest_unused() -> None:
    cache = Cache(limit=30)
    for key in "abc":
        cache.put(key, field(10))
    assert all(key in cache for key in "abc")
    cache.find(["a"])
    cache.put("d", field(1))
    assert "b" not in cache and all(key in cache for key in "acd")


def test_no_more_goes_than_has_to() -> None:
    cache = Cache(limit=30)
    for key, size in (("a", 20), ("b", 5), ("c", 5), ("d", 10)):
        cache.put(key, field(size))
    assert "a" not in cache and all(key in cache for key in "bcd")


def test_a_result_under_a_known_key_takes_its_place() -> None:
    cache = Cache(limit=30)
    for _ in range(5):
        cache.put("a", field(20))
    cache.put("b", field(10))
    assert "a" in cache and "b" in cache


def test_a_result_that_is_made_again_is_the_newest() -> None:
    cache = Cache(limit=30)
    for key, size in (("a", 10), ("b", 10), ("a", 15), ("c", 10)):
        cache.put(key, field(size))
    assert "a" in cache and "b" not in cache


def test_the_newest_stays_however_large_it_is() -> None:
    cache = Cache(limit=1)
    cache.put("a", field(10))
    cache.put("b", field(10))
    assert "a" not in cache and "b" in cache


def test_what_passes_drives_out_only_what_passes() -> None:
    cache = Cache(limit=100, passing_limit=20)
    cache.put("slow", field(60))
    for key in "abc":
        cache.put(key, field(10), passes=True)
    assert "slow" in cache and "a" not in cache and "b" in cache and "c" in cache


def test_what_is_used_once_for_itself_does_not_pass_any_more() -> None:
    cache = Cache(limit=100, passing_limit=10)
    cache.put("a", field(10), passes=True)
    cache.put("b", field(10), passes=True)
    assert "a" not in cache
    cache.find(["b"], passes=True)
    cache.put("c", field(10), passes=True)
    assert "b" not in cache
    cache.find(["c"])
    cache.find(["c"], passes=True)
    cache.put("d", field(10), passes=True)
    assert "c" in cache and "d" in cache


def test_what_was_cut_short_is_known_and_forgotten() -> None:
    cache = Cache()
    cache.put("whole", field(1))
    cache.put("short", field(1), is_whole=False)
    assert cache.are_whole(["whole", "unknown"]) and cache.are_whole([]) and not cache.are_whole(["whole", "short"])
    cache.forget_cut_short()
    assert "whole" in cache and "short" not in cache and cache.are_whole(["short"])


def test_arrays_are_found_in_tuples_and_dataclasses_at_any_depth() -> None:
    one, two, terrain = field(1), field(2), Terrain([[1.0]], [[0.0]], 1.0)
    found = arrays_of((one, ("text", two), terrain, 3))
    assert [id(array) for array in found] == [id(a) for a in (one, two, terrain.bedrock, terrain.sediment)]
    assert arrays_of(None) == []
