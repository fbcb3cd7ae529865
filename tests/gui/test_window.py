"""The extension in a real Blender with a window, used with a real mouse."""

import os
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.gui import window_tool
from tests.gui.window_tool import ROOT, TOOL

# Where screenshots stay to be looked at.
LEFTOVERS = ROOT / ".ci" / "leftovers"

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not TOOL.is_file(), reason=f"{TOOL}, which opens a window, is not there (TERRAIN_WINDOW_TOOL)"),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can open the window"),
]


# Minutes that the suite may have taken when another script begins; it may take 29 in all, and a script up to 5.
LAST_MINUTE = 18
BEGAN = float(os.environ.get("TERRAIN_TESTS_BEGAN") or time.time())


def run_in_window(name: str, package: Path, folder: Path, size: str = "1600x1000") -> dict[str, Any]:
    """Run a script after hands.py in a window, and return what it saw."""
    spent = (time.time() - BEGAN) / 60.0
    if "TERRAIN_TESTS_BEGAN" in os.environ and spent > LAST_MINUTE:
        pytest.skip(f"the other tests have taken {spent:.0f} minutes, so the suite has none left for {name}.py")
    return window_tool.run_in_window(name, package, folder, LEFTOVERS, size)


@pytest.fixture(scope="module", autouse=True)
def no_old_leftovers() -> None:
    LEFTOVERS.mkdir(parents=True, exist_ok=True)
    for old in (*LEFTOVERS.glob("*.png"), *LEFTOVERS.glob("*.txt"), *LEFTOVERS.glob("*.json")):
        old.unlink()


@pytest.fixture(scope="module")
def result(local_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was seen in the first minutes."""
    return run_in_window("first_minutes", local_zip, tmp_path_factory.mktemp("first_minutes"))


def test_new_landscape_is_seen_after_one_click(result: dict[str, Any]) -> None:
    assert result["new"] and result["camera"] == "Landscape Camera"
    assert result["vertices"] == result["resolution"] ** 2
    before, after = (
        np.asarray(Image.open(LEFTOVERS / f"{name}.png").convert("RGB").crop(result["view"]), dtype=np.int16)
        for name in ("1_before", "3_after")
    )
    changed = np.abs(after - before).max(axis=2) > 16
    assert changed.mean() > 0.25, f"only {changed.mean():.0%} of the 3D view look different; see {LEFTOVERS}"


def test_land_moves_while_the_slider_is_dragged(result: dict[str, Any]) -> None:
    assert result["height_while_dragging"] > result["height_before"]
    assert result["relief_while_dragging"] > result["relief_before"] + 1.0
    # What was seen at once and what came when the mouse rested are the same land, more or less finely.
    assert result["relief_after"] == pytest.approx(result["relief_while_dragging"], rel=0.2)


def test_undo_takes_the_slider_back_and_the_land_with_it(result: dict[str, Any]) -> None:
    assert result["relief_after_undo"] == pytest.approx(result["relief_before"], rel=1e-6)


def test_escape_stops_a_job_and_changes_nothing(result: dict[str, Any]) -> None:
    assert result["cancelled_unchanged"]
    assert result["state_after_cancel"] == "Out of date"


def test_the_first_land_is_seen_whole_beside_the_sidebar(result: dict[str, Any]) -> None:
    left, right, bottom, top = result["part_seen"]
    west, east, low, high = result["land_seen"]
    assert left <= west < east <= right and bottom <= low < high <= top
    # In the middle of that part, and as large as it allows.
    assert (west + east) / 2 == pytest.approx((left + right) / 2, abs=0.1 * (right - left))
    assert max((east - west) / (right - left), (high - low) / (top - bottom)) > 0.7
    assert result["cubes"] == []


def test_escape_stops_live_work_until_the_next_change(result: dict[str, Any]) -> None:
    assert len(result["live_bar"]) == 1
    assert (result["state_after_stopping"], result["jobs_after_stopping"]) == ("Out of date", 0)


def test_baking_leaves_textures(result: dict[str, Any]) -> None:
    assert any(name.endswith(".exr") for name in result["baked"])
    assert any(name.endswith(".png") for name in result["baked"])


def test_every_part_has_a_panel(result: dict[str, Any]) -> None:
    parts = "Draw, Paint, Relief, Erosion, Water, Realism and Maps, Plants, Light and Material, Bake and Export"
    assert ", ".join(result["panels"]) == parts


def test_a_file_that_is_opened_again_is_as_it_was(result: dict[str, Any]) -> None:
    assert result["mark_survives"] and result["state_after_reopening"] == ""


@pytest.fixture(scope="module")
def settings_seen(local_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was seen of masks, plants, the sun and the dialogs."""
    return run_in_window("settings_seen", local_zip, tmp_path_factory.mktemp("settings_seen"))


def test_the_land_rises_under_a_brush(settings_seen: dict[str, Any]) -> None:
    assert (settings_seen["mode"], settings_seen["group"]) == ("WEIGHT_PAINT", "Mask")
    assert settings_seen["risen_under_the_brush"] > 100.0
    assert settings_seen["status_after_painting"] == ""


def test_a_stroke_can_be_taken_back(settings_seen: dict[str, Any]) -> None:
    assert settings_seen["left_of_the_last_stroke"] < settings_seen["risen_area"]


def test_the_land_follows_a_river_that_is_clicked_on_it(settings_seen: dict[str, Any]) -> None:
    assert settings_seen["drawn"] == ["River", True]
    assert settings_seen["cut_by_the_river"] > 1.0


def test_a_surface_is_kept_from_sculpt_mode(settings_seen: dict[str, Any]) -> None:
    assert settings_seen["mode_after_keeping"] == "OBJECT"


@pytest.fixture(scope="module")
def random_work(local_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was left after work at random, with undo and redo at any moment; a crash ends with another status."""
    return run_in_window("random_work", local_zip, tmp_path_factory.mktemp("random_work"), "960x640")


def test_undo_at_any_moment_neither_crashes_nor_leaves_ghosts(random_work: dict[str, Any]) -> None:
    assert random_work["strangers"] == []


def test_lands_have_the_plants_that_their_recipes_say_after_undo(random_work: dict[str, Any]) -> None:
    assert random_work["untrue"] == []


@pytest.fixture(scope="module")
def accidents(local_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was seen of accidents, in a small window, which is drawn sooner."""
    return run_in_window("accidents", local_zip, tmp_path_factory.mktemp("accidents"), "960x640")


def test_adjusting_a_new_landscape_replaces_it(accidents: dict[str, Any]) -> None:
    assert accidents["panel_is_seen"] and accidents["lands_while_adjusting"] == 1
    assert accidents["left_by_adjusting"] == []
    assert accidents["plants_after_adjusting"]
    # Each landscape is one step, with its plants.
    assert accidents["steps_of_adjusting"] == [[[1, True]], [], [[1, True]], [[2, True]]]


def test_undo_takes_back_a_land_that_is_growing_and_no_more(accidents: dict[str, Any]) -> None:
    assert accidents["lands_undone_while_growing"] == [0, ["marker"]]


def test_no_accident_is_called_an_error(accidents: dict[str, Any]) -> None:
    assert accidents["errors"] == []


def test_a_copy_goes_its_own_way_with_undo_and_redo(accidents: dict[str, Any]) -> None:
    assert accidents["copy_is_new"] and accidents["copy_has_own_water"]
    assert accidents["original_after_slider"] == 1.0
    assert accidents["copy_after_slider"] > 1.1
    assert accidents["copy_after_undo"] == pytest.approx(1.0, rel=1e-6)
    assert accidents["copy_after_redo"] == pytest.approx(accidents["copy_after_slider"], rel=1e-6)
    assert accidents["left_of_the_copy"] == []


def test_linked_copies_stay_alike(accidents: dict[str, Any]) -> None:
    assert accidents["linked_share_a_mesh"] and accidents["linked_recipes_agree"]
    first, second = accidents["linked_after_slider"]
    assert first == second > 1.1
    assert accidents["left_of_the_linked_copy"] == []


def test_undo_and_redo_during_a_job(accidents: dict[str, Any]) -> None:
    assert (accidents["moved_back"], accidents["moved_again"]) == (100.0, 0.0)
    assert accidents["state_after_undo"] == "" and accidents["vertices_fit"]


def test_a_job_that_finishes_early_shows_its_land(accidents: dict[str, Any]) -> None:
    assert accidents["state_after_finishing_early"] == ""
    assert accidents["vertices_after_finishing_early"] == accidents["vertices_wanted"]


def test_closing_the_window_of_a_job_ends_the_job(accidents: dict[str, Any]) -> None:
    assert accidents["jobs_of_two_windows"] == 1
    assert accidents["lands_after_closing"] == 0


def test_opening_a_file_ends_a_job_and_brings_the_land_back(accidents: dict[str, Any]) -> None:
    assert accidents["jobs_after_opening"] == 0
    assert accidents["lands_after_opening"] == accidents["lands_before_opening"]
    assert accidents["vertices_after_opening"] == accidents["vertices_before_opening"]


def test_a_land_that_is_deleted_during_its_job_stays_deleted(accidents: dict[str, Any]) -> None:
    assert accidents["left_after_deleting"] == []


@pytest.fixture(scope="module")
def ten_steps(local_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was seen while somebody directed a land, took everything back, and made it again."""
    return run_in_window("ten_steps", local_zip, tmp_path_factory.mktemp("ten_steps"))


def in_order(wanted: list[dict[str, Any]], seen: list[dict[str, Any]]) -> list[str]:
    """The steps that were not seen, or not after those before them."""
    missing, left = [], iter(seen)
    for state in wanted:
        if not any(one == {key: state[key] for key in state if key != "step"} for one in left):
            missing.append(state["step"])
            left = iter(())
    return missing


def test_each_step_changes_what_is_seen(ten_steps: dict[str, Any]) -> None:
    states = [{key: state[key] for key in state if key != "step"} for state in ten_steps["states"]]
    assert len(states) == 9 and all(before != after for before, after in pairwise(states))
    by_name = {state["step"]: state for state in ten_steps["states"]}
    assert by_name["draw_a_river"]["heights"] != by_name["drag_its_point"]["heights"]
    assert by_name["draw_a_road"]["drawn"] == ["River", "Road"]
    assert by_name["paint_no_plants"]["painted"] > 1.0
    assert by_name["brush_the_land"]["heights"] != by_name["paint_no_plants"]["heights"]
    assert by_name["pick_a_collection"]["model"] == "My Oaks"


def test_undo_shows_each_land_again_until_there_is_none(ten_steps: dict[str, Any]) -> None:
    assert in_order(ten_steps["states"][::-1], ten_steps["undone"]) == []
    assert ten_steps["undone"][-1] == {"land": None}


def test_redo_shows_each_land_again(ten_steps: dict[str, Any]) -> None:
    assert in_order(ten_steps["states"], ten_steps["redone"]) == []
