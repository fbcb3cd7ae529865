"""Jobs in threads can be cancelled and finished early, and their errors are reported."""

import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from terrain_addon import core
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.drawings import Drawing, draw
from terrain_addon.blender.land.lookup import DeletedError
from terrain_addon.blender.operators.base import FileOperator, TaskOperator
from terrain_addon.blender.session import compiler, jobs
from terrain_addon.blender.session.jobs import Job, Task
from terrain_addon.blender.session.making import ready_steps
from terrain_addon.core.foundation.progress import Progress

pytestmark = pytest.mark.once

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    jobs.end_all()
    assert jobs.running == []


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.002)


def endless(counted: list[int]) -> Generator[Progress, bool | None, str]:
    """Counts until it is asked to finish early."""
    while True:
        counted.append(len(counted))
        if (yield Progress("counting", 0.5)):
            return "finished early"
        time.sleep(0.001)


def short(result: Any) -> Generator[Progress, bool | None, Any]:
    yield Progress("thinking", 0.0)
    return result


def failing(error: Exception) -> Generator[Progress, bool | None, None]:
    yield Progress("thinking", 0.0)
    raise error


def test_the_result_is_shown_in_the_thread_that_asks_for_it() -> None:
    threads: list[int] = []

    def work() -> Generator[Progress, bool | None, int]:
        yield Progress("", 0.0)
        return threading.get_ident()

    def show(worker: int) -> str:
        threads.extend((worker, threading.get_ident()))
        return "done"

    assert Job(Task("Work", work(), show)).show() == "done"
    assert threads[0] != threads[1] == threading.get_ident()


def test_a_cancelled_job_shows_nothing_and_stops_counting() -> None:
    counted: list[int] = []
    shown: list[object] = []
    job = Job(Task("Count", endless(counted), lambda result: shown.append(result) or "shown"))  # type: ignore[func-returns-value]
    wait_for(lambda: len(counted) > 3)
    job.cancel()
    assert job.show() == "" and shown == []
    count = len(counted)
    time.sleep(0.02)
    assert len(counted) == count


def test_a_result_that_comes_after_cancelling_is_not_shown() -> None:
    shown: list[object] = []
    job = Job(Task("Work", short(1), lambda result: shown.append(result) or ""))  # type: ignore[func-returns-value]
    wait_for(lambda: job.done)
    job.cancel()
    assert job.show() == "" and shown == []


def test_finishing_early_takes_the_state_at_hand() -> None:
    counted: list[int] = []
    job = Job(Task("Count", endless(counted), str))
    wait_for(lambda: len(counted) > 3)
    assert not job.done
    job.finish_early()
    assert job.show() == "finished early"


class PressedLate(Job):
    """A job whose user asks to finish early just after its thread has looked whether he did."""

    is_pressed, was_looked_at = False, False

    @property
    def _finishes_early(self) -> bool:
        before = self.is_pressed
        if not self.was_looked_at:
            self.was_looked_at = self.is_pressed = True
        return before

    @_finishes_early.setter
    def _finishes_early(self, pressed: bool) -> None:
        self.is_pressed = pressed


def test_the_wish_to_finish_early_is_never_lost() -> None:
    job = PressedLate(Task("Count", endless([]), str))
    wait_for(lambda: job.done)
    assert job.show() == "finished early"


@pytest.mark.parametrize("error", [ValueError("depth = 3 m is too little"), MemoryError(), OSError("disk full")])
def test_failures_are_raised_where_the_result_is_asked_for(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        Job(Task("Work", failing(error), str)).show()
    assert caught.value is error


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bug_is_reported_in_one_sentence() -> None:
    with pytest.raises(jobs.Fault, match="Work stopped because of a bug"):
        Job(Task("Work", failing(ZeroDivisionError()), str)).show()


def test_two_jobs_at_once_have_numbers_and_results_of_their_own() -> None:
    first, second = (Job(Task(name, short(name), str)) for name in ("one", "two"))
    assert first.number != second.number
    assert (second.show(), first.show()) == ("two", "one")


def test_ending_all_waits_for_the_threads() -> None:
    before = threading.active_count()
    for _ in range(3):
        Job(Task("Count", endless([]), str))
    assert len(jobs.running) == 3 and threading.active_count() == before + 3
    jobs.end_all()
    assert jobs.running == [] and threading.active_count() == before


def test_threads_switch_faster_only_while_there_is_a_job() -> None:
    usual = sys.getswitchinterval()
    job = Job(Task("Count", endless([]), str))
    assert sys.getswitchinterval() < 0.2 * usual
    job.cancel()
    job.show()
    assert sys.getswitchinterval() == pytest.approx(usual)


def test_threads_switch_fast_for_a_job_that_begins_while_another_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = sys.getswitchinterval()
    seconds_set: list[float] = []
    begun: list[threading.Thread] = []

    def begin() -> None:
        Job(Task("Count", endless([]), str))

    def set_interval(seconds: float) -> None:
        if seconds == usual and not begun:
            begun.append(threading.Thread(target=begin))
            begun[0].start()
            begun[0].join(0.2)
        seconds_set.append(seconds)

    monkeypatch.setattr(sys, "setswitchinterval", set_interval)
    Job(Task("Work", short(1), str)).show()
    wait_for(lambda: len(seconds_set) == 3)
    begun[0].join()
    assert seconds_set[-1] < 0.2 * usual


def test_a_progress_bar_says_stage_and_time_left() -> None:
    counted: list[int] = []
    job = Job(Task("Alpine", endless(counted), str))
    wait_for(lambda: len(counted) > 1)
    assert jobs.describe(job) == "Counting"
    job._started -= 9.5
    assert jobs.describe(job) == "Counting · about 10 s left"
    job.cancel()
    assert jobs.describe(job) == "Stopping…"


@pytest.mark.parametrize(
    "seconds, text",
    [(0.4, ""), (3.2, " · about 4 s left"), (31.0, " · about 35 s left"), (130.0, " · about 3 min left")],
)
def test_a_progress_bar_rounds_the_time_left_up(seconds: float, text: str) -> None:
    def build() -> Generator[Progress, bool | None, None]:
        yield Progress("forest", 0.5, seconds)

    job = Job(Task("Alpine", build(), str))
    wait_for(lambda: job.done)
    assert jobs.describe(job) == f"Forest{text}"
    job.show()


def test_a_progress_bar_says_when_kernels_are_compiled() -> None:
    import numba

    compiler.listen()
    said: list[str] = []

    def compile_one() -> Generator[Progress, bool | None, None]:
        yield Progress("wet_ground", 0.1)
        numba.njit(lambda x: x * 3 + 1)(2)

    job = Job(Task("Alpine", compile_one(), str))
    while not job.done:
        said.append(jobs.describe(job))
    job.show()
    assert "Preparing the code (only the first time)" in said
    assert not compiler.is_compiling()
    compiler.stop_listening()


def test_a_build_waits_for_kernels_that_are_compiled_ahead(blender: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from terrain_addon import core
    from terrain_addon.blender.land import building
    from terrain_addon.blender.land.building import landscape_steps

    class Busy:
        def __init__(self, recipe: core.Recipe) -> None:
            pass

        def is_warm(self, recipe: core.Recipe, extent: str) -> bool:
            return extent == "terrain"

        def wait(self, recipe: core.Recipe, extent: str) -> Generator[float, bool | None, None]:
            yield 0.2
            yield 0.6

        def stop(self) -> None:
            pass

    recipe = core.Recipe(resolution=33)
    building.forget_results()
    monkeypatch.setattr(building, "Warming", Busy)
    building.warm(recipe)
    said = list(landscape_steps(recipe, "maps"))
    assert [step.stage for step in said[:2]] == ["preparing the code (only the first time)"] * 2
    assert 0.0 < said[0].fraction < said[1].fraction and said[2].stage.startswith("layer")
    assert said == sorted(said, key=lambda step: step.fraction)
    assert not any("preparing" in step.stage for step in landscape_steps(recipe, "terrain"))
    building.forget_results()


def test_prepared_data_that_nothing_uses_is_removed(bare_blender: None) -> None:
    import bpy

    from terrain_addon.blender.land.preparation import Preparation, attachment_pieces
    from terrain_addon.core.building.recipe import Recipe

    def made() -> set[str]:
        kinds = (bpy.data.meshes, bpy.data.materials, bpy.data.node_groups)
        return {item.name for kind in kinds for item in kind} - before

    before: set[str] = set()
    before = made()
    preparation = Preparation(attachment_pieces(Recipe.preset("alpine")))
    while preparation.step():
        pass
    assert {"Landscape Water", "Landscape Plants", "Plant Bark"} <= made()
    wanted = next(mesh for mesh in bpy.data.meshes if mesh.name.startswith("Plant"))
    user = bpy.data.objects.new("User", wanted)
    preparation.undo()
    assert wanted.name in made() and {m.name for m in wanted.materials} <= made()
    assert not {"Landscape Water", "Landscape Plants"} & made()
    preparation = Preparation(attachment_pieces(Recipe.preset("alpine")))
    bpy.data.objects.remove(user)
    bpy.data.meshes.remove(wanted)
    while preparation.step():
        pass
    preparation.undo()
    assert not [name for name in made() if name.startswith("Plant ") and name in bpy.data.meshes]


def operator_of(job: Job, undone: list[str]) -> SimpleNamespace:
    """Stands for an operator that watches a job."""

    def forget(context: object) -> None:
        pass

    def report(kinds: set[str], sentence: str) -> None:
        pass

    preparation = SimpleNamespace(undo=lambda: undone.append("undone"))
    return SimpleNamespace(_job=job, _preparation=preparation, _leave=forget, report=report, asked=False)


@pytest.mark.parametrize("error", [ValueError("depth = 3 m is too little"), DeletedError("the land is gone")])
def test_a_failed_job_takes_back_what_was_prepared_for_it(bare_blender: None, error: Exception) -> None:
    undone: list[str] = []
    assert TaskOperator.finish(operator_of(Job(Task("Work", failing(error), str)), undone), None) == {"CANCELLED"}
    assert undone == ["undone"]


def test_a_bar_says_what_goes_on_after_the_thread_has_ended(bare_blender: None) -> None:
    def place() -> Generator[Progress, bool | None, None]:
        yield Progress("placing the camera", 0.9)

    job = Job(Task("Work", place(), str))
    wait_for(lambda: job.done)
    operator = operator_of(job, [])
    operator._preparation.step = lambda: True
    event = SimpleNamespace(type="TIMER", value="NOTHING")
    assert TaskOperator.modal(operator, None, event) == {"PASS_THROUGH"}
    assert jobs.describe(job).startswith("Making materials and meshes")
    job.show()


def test_the_bar_of_a_new_land_is_full_at_its_end_only(bare_blender: None) -> None:
    terrain = build_landscape(core.Recipe(resolution=33, erosion=()), "terrain")

    def drawing() -> Generator[Progress, bool | None, Drawing]:
        yield Progress("making meshes", 1.0)
        return draw(terrain, ())

    said = list(ready_steps(drawing(), "mountains", 1.5))
    assert [step.stage for step in said] == ["making meshes", "measuring realism", "placing the camera"]
    shares = [step.fraction for step in said]
    assert shares == sorted(shares) and shares[-1] < 1.0


def test_a_job_on_a_dropped_file_ends_with_its_operator(bare_blender: None) -> None:
    """Nobody was asked for the file."""
    job = Job(Task("Work", endless([]), str))
    FileOperator.cancel(operator_of(job, []), None)
    assert job.cancelled and job not in jobs.running
