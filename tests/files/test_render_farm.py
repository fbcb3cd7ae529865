"""The job types for Flamenco in the documentation, run by node with a stand-in of what Flamenco offers scripts."""

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from terrain_addon.command_line import main

pytestmark = pytest.mark.once

PAGE = Path(__file__).resolve().parents[2] / "docs" / "render_farm.md"
# What Flamenco's manager gives a job compiler script: an author of tasks and commands, and a job with settings.
STAND_IN = """
const author = {
    Task: (name, type) => ({ name, type, commands: [], addCommand(command) { this.commands.push(command); } }),
    Command: (name, parameters) => ({ name, parameters }),
};
const given = JSON.parse(process.argv[1]);
const settings = Object.fromEntries(JOB_TYPE.settings.map(s => [s.key, s.key in given ? given[s.key] : s.default]));
const job = { settings, tasks: [], addTask(task) { this.tasks.push(task); } };
compileJob(job);
console.log(JSON.stringify({ type: JOB_TYPE, tasks: job.tasks }));
"""


def compiled(script: int = 0, **settings: Any) -> dict[str, Any]:
    if not shutil.which("node"):
        pytest.skip("node is not installed; it runs the job type of Flamenco")
    text = re.findall(r"```js\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[script]
    node = ["node", "-e", text + STAND_IN, json.dumps(settings)]
    return json.loads(subprocess.run(node, capture_output=True, text=True, timeout=60, check=True).stdout)


@pytest.mark.parametrize("script", [0, 1])
def test_the_form_says_what_flamenco_asks_of_it(script: int) -> None:
    job_type = compiled(script, recipe="alpine", world="/world", folder="/share")["type"]
    assert job_type["label"]
    for setting in job_type["settings"]:
        assert setting["type"] in ("string", "int32", "float", "bool")
        assert setting["key"].isidentifier() and setting["description"]


def test_there_is_a_task_for_each_year() -> None:
    tasks = compiled(recipe="/share/my recipe.json", years="10-30", chunk_size=10, folder="/share/years")["tasks"]
    assert [task["name"] for task in tasks] == ["year-10", "year-20", "year-30"]
    assert all(task["type"] == "blender" and len(task["commands"]) == 1 for task in tasks)
    command = tasks[1]["commands"][0]
    assert command["name"] == "exec" and command["parameters"]["exe"] == "blender"
    arguments = command["parameters"]["args"]
    assert arguments[:4] == ["--command", "landscape", "render", "/share/my recipe.json"]
    assert arguments[-2:] == ["/share/years/20", "--resume"]
    assert len(compiled(recipe="alpine", folder="/share")["tasks"]) == 31


def test_our_command_line_takes_the_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (task,) = compiled(recipe="alpine", years="20-20", folder=str(tmp_path))["tasks"]
    arguments = task["commands"][0]["parameters"]["args"][2:]
    # All but the picture: what `render` alone has is left out.
    told = ["info", *(a for a in arguments[1:] if a not in ("--out", "--resume", str(tmp_path / "20"))), "--json"]
    assert main(told) == 0
    assert json.loads(capsys.readouterr().out)["species"]


def test_there_is_a_task_for_each_tile_of_a_world() -> None:
    tasks = compiled(1, world='/my "worlds"/alps', rows=2, columns=3, folder="/share/tiles")["tasks"]
    assert [task["name"] for task in tasks] == [f"tile-{row}_{column}" for row in range(2) for column in range(3)]
    *options, script = tasks[5]["commands"][0]["parameters"]["args"]
    assert options == ["--background", "--python-exit-code", "1", "--python-expr"]
    called = [step.value for step in ast.parse(script).body if isinstance(step, ast.Expr | ast.Assign)]
    assert [ast.unparse(one) for one in called][1:] == [
        "bpy.ops.landscape.open_world(directory='/my \"worlds\"/alps', tiles='1_2')",
        "'CYCLES'",
        "'/share/tiles/1_2.png'",
        "bpy.ops.render.render(write_still=True)",
    ]
