"""The command line, without Blender."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from terrain_addon import command_line, core
from terrain_addon.command_line import main
from terrain_addon.core.building.judging import judge
from terrain_addon.core.building.memory_needed import bytes_needed
from terrain_addon.core.building.overrides import override

pytestmark = pytest.mark.once

SVG = "{http://www.w3.org/2000/svg}"
SMALL = ["--set", "resolution=33", "--set", "ecosystem.cover=0.02", "--set", "width=300", "--set", "depth=300"]


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("command", ["new", "info"])
def test_commands_for_one_recipe_take_one_seed(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "alpine", "--seed", "1..3"]) == 1
    assert "a recipe has 1 seed, but --seed asks for 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["new", "info", "build", "bake", "export", "render", "realism", "compare", "world", "planet", "here"]
)
def test_help_explains_every_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    said = capsys.readouterr().out.splitlines()
    begins = [number for number, line in enumerate(said) if line.startswith("  -")]
    assert len(begins) >= 4
    bare = [
        line
        for line, below in ((said[number], [*said, ""][number + 1]) for number in begins)
        if "  " not in line.strip() and not below.startswith(10 * " ")
    ]
    assert bare == []


def test_a_recipe_may_begin_with_a_byte_order_mark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "recipe.json"
    path.write_bytes(b"\xef\xbb\xbf" + b'{"schema": 4, "resolution": 65}')
    assert main(["info", str(path)]) == 0
    assert "rows 65" in capsys.readouterr().out


def test_a_reader_that_stops_reading_is_no_error() -> None:
    command = [sys.executable, "-m", "terrain_addon", "info", "alpine"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_output_is_no_error(closed: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m terrain_addon info alpine {closed}"
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="holes in files, and limits of memory")
@pytest.mark.parametrize("command", ["info", "new"])
def test_no_more_is_read_than_a_recipe_can_have(command: str, tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(6 << 30)
    code = "import resource, sys; from terrain_addon.command_line import main;"
    code += "resource.setrlimit(resource.RLIMIT_AS, 2 * (4 << 30,)); sys.exit(main(sys.argv[1:]))"
    for name, sentence in ((str(huge), "longer than"), ("/dev/zero", "neither a file nor a preset")):
        ran = subprocess.run([sys.executable, "-c", code, command, name], capture_output=True, text=True, check=False)
        assert ran.returncode == 1 and sentence in ran.stderr and len(ran.stderr.splitlines()) == 1


def test_a_stop_while_the_code_is_loaded_is_said() -> None:
    code = """
import runpy, sys
class Stop:
    def find_spec(self, name, *_):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Stop())
sys.argv = ["terrain_addon", "info"]
runpy.run_module("terrain_addon", run_name="__main__", alter_sys=True)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "python -m terrain_addon: stopped\n")


def test_new_writes_a_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "höhe" / "recipe.json"
    path.parent.mkdir()
    assert main(["new", "rolling_hills", "--set", "relief.wavelength=800", "--seed", "5", "--out", str(path)]) == 0
    expected = override(core.Recipe.preset("rolling_hills", seed=5), ["relief.wavelength=800"])
    assert core.Recipe.loads(path.read_text(encoding="utf-8")) == expected
    assert main(["new", str(path)]) == 0
    assert core.Recipe.loads(capsys.readouterr().out) == expected


def test_a_batch_makes_the_bytes_that_scripts_make_and_can_be_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["build", "rolling_hills", *SMALL, "--seed", "3..4", "--out", str(tmp_path), "--json"]
    assert main(arguments) == 0
    first = lines(capsys.readouterr().out)
    assert [line["seed"] for line in first] == [3, 4]
    recipe = core.Recipe.loads((tmp_path / "seed_4" / "recipe.json").read_text(encoding="utf-8"))
    land = core.build(recipe)
    with np.load(tmp_path / "seed_4" / "landscape.npz") as kept:
        np.testing.assert_array_equal(kept["bedrock"], land.terrain.bedrock)
        np.testing.assert_array_equal(kept["humidity"], land.maps["humidity"])
        np.testing.assert_array_equal(kept["plants_x"], land.plants.x)  # type: ignore[union-attr]
        np.testing.assert_array_equal(kept["plants_radius"], land.plants.radius)  # type: ignore[union-attr]

    (tmp_path / "seed_3" / "recipe.json").unlink()
    assert main([*arguments, "--resume"]) == 0
    assert [line.get("skipped", False) for line in lines(capsys.readouterr().out)] == [False, True]


@pytest.mark.parametrize(
    ("command", "record"),
    [
        (["bake", "plains", *SMALL, "--maps", "height"], "landscape_record.json"),
        (["planet", "moon", "--resolution", "9", "--width", "16"], "planet.json"),
        (["here", "moon", "--resolution", "9", "--at", "1,2", "--samples", "17"], "recipe.json"),
    ],
)
def test_a_folder_whose_files_are_not_all_there_has_no_record(
    command: list[str], record: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([*command, "--out", str(tmp_path)]) == 0
    (tmp_path / "mine.txt").touch()  # So the folder cannot be replaced in one step.
    there, moved, replace = {path.name for path in tmp_path.iterdir()}, [], Path.replace

    def fail_at_last(self: Path, target: Path) -> Path:
        if target.parent == tmp_path and target.name in there:
            moved.append(target.name)
            if len(moved) == len(there) - 1:
                raise OSError
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail_at_last)
        assert main([*command, "--seed", "77", "--out", str(tmp_path)]) == 1
    assert moved[-1] == record and not (tmp_path / record).exists()
    assert main([*command, "--out", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == there


def test_files_of_a_former_land_go(tmp_path: Path) -> None:
    """Only those that a record names, of the same kind, and that nobody has changed since."""
    road = tmp_path / "road.json"
    road.write_text('{"model": "road", "points": [[20.0, 20.0], [280.0, 250.0]]}')
    small, out = ["rolling_hills", *SMALL, "--out", str(tmp_path / "out")], tmp_path / "out"
    assert main(["build", *small, "--feature", str(road)]) == 0
    assert (out / "roads.json").exists()
    assert main(["build", *small]) == 0
    assert not (out / "roads.json").exists()

    assert main(["export", *small, "--engine", "generic", "--ground", "0", "--lods", "1", "--name", "level"]) == 0
    assert main(["bake", *small, "--maps", "height"]) == 0
    assert main(["bake", *small, "--maps", "normal", "slope"]) == 0
    assert (out / "landscape_height.png").exists()  # which is of the same land
    (out / "mine.txt").touch()
    (out / "landscape_slope.png").write_bytes(b"painted over")
    assert main(["bake", *small, "--seed", "9", "--maps", "height"]) == 0
    assert not list(out.glob("landscape_normal.*"))
    kept = {path.name for path in out.iterdir()}
    assert kept >= {"mine.txt", "landscape_slope.png", "level_generic", "landscape.npz", "landscape_height.png"}


def test_what_fails_is_reported_and_the_others_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "seed_3").write_text("in the way")
    arguments = ["build", "rolling_hills", *SMALL, "--seed", "3..4", "--out", str(tmp_path)]
    assert main([*arguments, "--json"]) == 1
    said = capsys.readouterr()
    reports = lines(said.out)
    assert "seed_3" in str(reports[0]["error"]) and "error" not in reports[1]
    # A farm reads the standard error, whatever else is printed.
    assert said.err == f"landscape: seed 3: {reports[0]['error']}\n"
    assert main(arguments) == 1
    text = capsys.readouterr()
    assert text.err == said.err and text.out.startswith("seed 4 ") and "error" not in text.out.splitlines()[0]


def test_chosen_maps_are_baked_and_the_books_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bake", "alpine", *SMALL, "--maps", "slope", "splat", "--out", str(tmp_path), "--json"]
    assert main(arguments) == 0
    assert {"landscape_slope.png", "landscape_splat_1.png", "landscape_textures.json"} <= {
        file.name for file in tmp_path.iterdir()
    }
    books = lines(capsys.readouterr().out)[0]["balances"]
    assert isinstance(books, dict) and any("stream power" in process for process in books)
    for process in books.values():
        assert abs(process["error"]) <= 1e-4 * (abs(process["before"]) + process["uplifted"])
    assert main(["bake", "alpine", "--maps", "taste"]) == 2


def test_an_export_tells_how_many_plants_are_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    valley = str(Path(__file__).parents[2] / "docs" / "examples" / "valley_with_road.json")
    small = [valley, "--set", "resolution=129", "--out", str(tmp_path), "--json"]
    assert main(["build", *small]) == 0
    grown = lines(capsys.readouterr().out)[0]["plants"]
    assert main(["export", *small, "--engine", "generic", "--ground", "0", "--lods", "1", "--name", "valley"]) == 0
    in_package = lines(capsys.readouterr().out)[0]["plants"]
    manifest = json.loads((tmp_path / "valley_generic" / "manifest.json").read_text(encoding="utf-8"))
    assert grown > in_package == manifest["plant_count"] > 1000  # type: ignore[operator]
    assert main(["export", *small, "--engine", "glb", "--lod", "2"]) == 0
    in_file = lines(capsys.readouterr().out)[0]["plants"]
    data = (tmp_path / "landscape.glb").read_bytes()
    tree = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    places = {
        tuple(node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"].items())
        for node in tree["nodes"]
        if "EXT_mesh_gpu_instancing" in node.get("extensions", {})
    }
    assert grown > in_file == sum(tree["accessors"][dict(one)["TRANSLATION"]]["count"] for one in places)  # type: ignore[operator]


def test_recipes_are_compared_with_measured_land(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    noise = core.Recipe.preset("alpine").replace(erosion=())
    (tmp_path / "noise & more.json").write_text(noise.dumps(), encoding="utf-8")
    plot = tmp_path / "plot.svg"
    arguments = ["compare", "alpine", str(tmp_path / "noise & more.json"), "--resolution", "257", "--seeds", "2"]
    assert main([*arguments, "--out", str(plot)]) == 0
    table = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in table[2:]] == ["real land", "passes if", "alpine", "noise & more"]
    assert "0 to 0.31" in table[2] and "< 0.55" in table[3]
    drawing = ElementTree.parse(plot).getroot()
    texts = [element.text for element in drawing.iter(f"{SVG}text")]
    assert texts.count("alpine") == texts.count("noise & more") == 8
    assert len(list(drawing.iter(f"{SVG}circle"))) == 8 * 2 * 2

    assert main([*arguments, "--json"]) == 0
    eroded, rough = lines(capsys.readouterr().out)
    recipe = core.Recipe.preset("alpine", resolution=257)
    judged = [
        judge(core.build(recipe.replace(seed=s), extent="terrain"), "mountains") for s in (recipe.seed, recipe.seed + 1)
    ]
    assert eroded["scores"] == [one.score for one in judged]
    volume = sum(one["depression volume"].value for one in judged) / 2
    assert eroded["medians"]["depression volume"] == pytest.approx(volume)  # type: ignore[index]
    assert min(eroded["scores"]) > max(rough["scores"])  # type: ignore[call-overload]


def test_a_comparison_that_cannot_be_made_is_refused_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "alpine", "--out", str(tmp_path / "plot.png")]) == 1
    assert "give it a name that ends in .svg" in capsys.readouterr().err
    # Known at once, so no line of the table comes before.
    assert main(["compare", "alpine", "nowhere", "--resolution", "33", "--seeds", "1"]) == 1
    assert (said := capsys.readouterr()).out == "" and "'nowhere' is neither a file nor a preset" in said.err
    (tmp_path / "file").touch()
    plot = tmp_path / "file" / "plot.svg"
    assert main(["compare", "alpine", "--resolution", "33", "--seeds", "1", "--out", str(plot)]) == 1
    assert (said := capsys.readouterr()).out == "" and "is not a folder" in said.err
    assert main(["compare", "alpine", "--resolution", "17"]) == 1
    assert "too small to judge" in capsys.readouterr().err
    assert main(["compare", "alpine", "--set", "resolution=18"]) == 1
    assert "18" in (small := capsys.readouterr().err) and "too small to judge" in small
    assert main(["compare", "alpine", "--seeds", "0"]) == 2


def test_a_broken_file_is_named_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "peak.png"
    broken.write_bytes(b"\x89PNG\r\n\x1a\nnothing more")
    assert main(["info", "big_tujunga", "--set", f"relief.path={broken}", "--json"]) == 1
    said = capsys.readouterr().err
    assert "nothing is left of the relief" in said and "peak.png" in said and "is not there" not in said


def test_realism_and_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["realism", "big_tujunga", "--set", "resolution=257", "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["score"] == 8
    assert main(["info", "alpine", "--set", "resolution=129", "--json"]) == 0
    info = lines(capsys.readouterr().out)[0]
    assert (info["rows"], info["columns"]) == (129, 129)
    assert info["memory_mb"] == bytes_needed(core.Recipe.preset("alpine", resolution=129)) / 1e6


def test_a_number_that_is_not_known_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    flat = ["--set", "resolution=65", "--set", "relief.exaggeration=0"]
    assert main(["realism", "big_tujunga", *flat, "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["numbers"]["drained share"] is None  # type: ignore[index]


def test_a_biome_or_a_feature_asks_for_another_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(command_line, "make_world", lambda *_, is_named: asked.append(is_named) or 0)
    (tmp_path / "drawn.json").write_text('{"model": "summit", "points": [[10.0, 20.0]]}')
    for options in ([], ["--biome", "savanna"], ["--feature", str(tmp_path / "drawn.json")]):
        assert main(["world", "--out", str(tmp_path / "world"), "--resume", *options]) == 0
    assert asked == [False, True, True]


def test_a_world_tells_what_a_land_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    road = {"model": "road", "name": "A", "points": [[300, 300], [340, 300], [300, 310]], "least_radius": 400}
    (tmp_path / "road.json").write_text(json.dumps(road))
    asked = ["rolling_hills", "--feature", str(tmp_path / "road.json"), "--set", "ecosystem.grove_size=3000"]
    assert main(["world", *asked, "--size", "128", "--out", str(tmp_path / "world")]) == 0
    said = capsys.readouterr().err
    assert said.count("Groves 3,000 m wide") == 1
    assert said.count("the road 'A' has a bend of") == 1


def test_text_shows_parts_in_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "alpine", "--set", "resolution=129"]) == 0
    first, stages, layer, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("rows 129  columns 129  cell_size 78.125") and "erosion" not in first
    assert (stages, layer) == ("  stages:", "    layer 1: Massifs") and "    spruce" in rest
    assert "  warnings:" not in rest


def test_text_says_what_the_numbers_of_a_land_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["rolling_hills", *SMALL, "--out", str(tmp_path)]
    assert main(["export", *small, "--engine", "generic", "--tiles", "2", "--resolution", "9", "--ground", "0"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert "tiles 2 × 2 (columns × rows)  samples_of_a_tile 9 × 9 (columns × rows)" in first
    balances = rest[rest.index("  balances:") + 1 :]
    assert re.search(r"; error -?[0-9.e-]+ m³ \(-?\de[+-]\d\d\)$", balances[0])
    said = (tmp_path / "rolling_hills_generic" / "README.txt").read_text(encoding="utf-8")
    assert "a landscape for any program." in said


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        ([], 2, "required"),
        (["new", "himalaya"], 1, "'himalaya' is neither a file nor a preset; presets: alpine"),
        (["info", "himalaya"], 1, "volcano, archipelago, asteroid"),
        (["new", "temperate", "--biome", "boreal"], 1, "--biome: only landscapes have it, and temperate is a planet"),
        (["info", "moon", "--feature", "river.json"], 1, "--feature: only landscapes have it, and moon is a planet"),
        (["build", "--seed", "5..1"], 2, "is not a rising range"),
        (["build", "--seed", "x"], 2, "'x' is no whole number, nor a range such as 1..100"),
        (["build", "--seed", "1.5"], 2, "'1.5' is no whole number"),
        (["build", "--seed", "-1"], 2, "-1 is outside 0 to 2147483647"),
        (["new", "--set", "snow=1"], 1, "snow is not a parameter of this recipe"),
        (["here", "moon", "--at", "0,0", "--samples", "1"], 1, "samples = 1 is outside 2 to 8193"),
        (["planet", "moon", "--shown-radius", "-1"], 1, "--shown-radius = -1 m is not a finite length above 0 m"),
        (["info", "--set", "width=0"], 1, "width = 0.0 m is outside 1.0 to 1000000.0 m"),
        (["info", "--set", "weathering.talus_angle=90"], 1, "talus_angle = 90.0 ° is outside 1.0 to 89.0 °"),
    ],
)
def test_what_is_wrong_is_said(
    arguments: list[str], status: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == status
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("model", ["salted_perlin", "zoomed_perlin", "sliding_perlin", "random_angle_perlin"])
def test_the_published_noises_can_be_chosen(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    changes = ["--set", f"relief.layers.0.source={model}", "--set", f"{model}.wavelength=800"]
    assert main(["new", "plains", *changes]) == 0
    source = core.Recipe.loads(capsys.readouterr().out).relief.layers[0].source
    assert source.model() == model and source.wavelength == 800.0
