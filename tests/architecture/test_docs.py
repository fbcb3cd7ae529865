"""What docs/ says of the parameters is what they are."""

import ast
import pkgutil
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.foundation.parameters import menu_name, parameters_of
from terrain_addon.core.maps.catalogue import MAPS
from terrain_addon.core.relief.sources import SOURCES

bpy = pytest.importorskip("bpy", reason="docs/make.py also renders")
pytestmark = pytest.mark.once

from terrain_addon.blender.land.painting import PURPOSES  # noqa: E402
from terrain_addon.blender.look.space import PLANET_VIEWS  # noqa: E402
from terrain_addon.blender.operators import CLASSES as OPERATORS  # noqa: E402
from terrain_addon.blender.operators.features import FEATURES_BY_NAME  # noqa: E402
from terrain_addon.blender.ui.manual import parameter_sets  # noqa: E402

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_table_of_parameters_is_current() -> None:
    table = runpy.run_path(str(DOCS / "make.py"))["parameter_table"]()
    assert (DOCS / "parameters.md").read_text(encoding="utf-8") == table, "run `python build.py docs`"


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        return runpy.run_path(str(DOCS / "models.py"))


def test_pages_of_models_are_current(models: dict[str, Any]) -> None:
    assert (DOCS / "models.md").read_text(encoding="utf-8") == models["models_page"](), "run `build.py docs models`"
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (DOCS / "models").glob("*.md")}
    assert pages == models["model_pages"](), "run `build.py docs models`"


def test_each_model_has_a_page_with_equation_picture_laws_and_sources(models: dict[str, Any]) -> None:
    pages = models["model_pages"]()
    assert set(pages) == set(models["MODELS"]) >= {cls.model() for cls in (*SOURCES, *PROCESSES)}
    index = models["models_page"]()
    for name, page in pages.items():
        assert f"(models/{name}.md)" in index
        computed, parameters, laws, sources = re.split(r"^## .+$", page, flags=re.MULTILINE)[1:]
        assert re.search(r"\n\n    \S.*[=←·].*\n", computed), f"{name}: no equation"
        (picture,) = re.findall(r"!\[.+\]\(\.\./(.+)\)", page)
        assert (DOCS / picture).is_file(), f"{name}: {picture}"
        assert "<br>`" in parameters, f"{name}: no parameters"
        for file in re.findall(r"^`(tests/.+)`: \S", laws, re.MULTILINE):
            tests = laws.partition(f"`{file}`")[2].partition("`")[0]
            assert (DOCS.parent / file).is_file() and "\n- " in tests, f"{name}: no tests in {file}"
        assert "\n- " in laws.partition("For all of")[0], f"{name}: no laws of its own"
        assert "\n- " in sources or "None: a model of our own" in sources


def test_table_of_classes_is_current() -> None:
    page = (DOCS / "realism.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(DOCS / "class_table.py"))["with_class_table"](page) == page, "run `build.py docs realism`"


@pytest.mark.parametrize("page", [*sorted(DOCS.rglob("*.md")), DOCS.parent / "README.md"], ids=lambda page: page.name)
def test_links_lead_to_what_is_there(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, heading = target.partition("#")
        file = page.parent / name if name else page
        assert file.is_file(), f"{page.name}: {target}"
        if heading and file.suffix == ".md":
            assert heading in headings(file), f"{page.name}: {target}"


def headings(page: Path) -> set[str]:
    """The anchors of a page, as Markdown names them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_what_draws_is_among_what_docs_installs() -> None:
    # `build.py docs` installs Blender, its numpy, and these groups.
    groups = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    installed = {requirement.partition("==")[0] for name in ("pictures", "manual") for requirement in groups[name]}
    distributions = {"PIL": "pillow", "markdown": "Markdown"}
    ours = {script.stem for script in DOCS.glob("*.py")} | {"terrain_addon", "tests", "build"}
    blender = {"bpy", "mathutils", "numpy"}
    for script in DOCS.glob("*.py"):
        tree = ast.parse(script.read_text(encoding="utf-8"))
        names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
        foreign = {name.partition(".")[0] for name in names} - ours - blender - sys.stdlib_module_names
        missing = {distributions.get(name, name) for name in foreign} - installed
        assert not missing, f"{script.name}: {missing}"


def test_the_site_has_every_page() -> None:
    listed = set(re.findall(r": (\S+\.md)$", (DOCS / "site" / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    from_outside = {"changelog.md", "contributing.md", "performance.md"}  # docs/site/hooks.py takes them in
    # What docs/models.md links to, docs/site/hooks.py lists.
    index = (DOCS / "models.md").read_text(encoding="utf-8")
    listed |= set(re.findall(r"^\| \[.+?\]\((models/\w+\.md)\)", index, re.MULTILINE))
    assert listed == {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} | from_outside


def test_names_of_the_api_are_there_and_introduced() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    found = re.findall(r"^(`.+`: .+\.)\n\n::: (\S+)\n((?:    .+\n)*)", page, re.MULTILINE)
    assert len(found) == page.count("\n::: ") > 10
    for sentence, path, options in found:
        short = path.removeprefix("terrain_addon.")
        assert sentence.startswith(f"`{short}`: ")
        thing = pkgutil.resolve_name(path)
        for member in re.findall(r"\w+", "".join(re.findall(r"members: \[(.+?)\]", options))):
            own = member in vars(thing)
            assert hasattr(thing, member) and (own or "inherited_members: true" in options), f"{path}.{member}"


def test_readme_and_landing_page_name_the_same_tasks() -> None:
    readme, index = ((DOCS / name).read_text(encoding="utf-8") for name in ("../README.md", "index.md"))
    tasks = [re.findall(r"^\| ([^|\n]+) \| \[", page, re.MULTILINE) for page in (readme, index)]
    assert len(tasks[0]) > 15 and tasks[0] == tasks[1]


def test_it_is_said_when_to_use_each_set_of_parameters() -> None:
    when = runpy.run_path(str(DOCS / "parameters_page.py"))["WHEN"]
    always = {"recipe", "planet_recipe", "relief"}
    assert set(when) == {cls.model() for cls in parameter_sets()} - always


def test_every_command_is_written_down_and_no_other() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "terrain_addon", "--help"], cwd=DOCS.parent, capture_output=True, text=True, check=True
    ).stdout
    page = (DOCS / "headless.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+`) \| ", page, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(re.findall(r"^    (\w+) ", shown, re.MULTILINE))
    shown = subprocess.run(
        [sys.executable, "build.py", "--help"], cwd=DOCS.parent, capture_output=True, text=True
    ).stdout
    pages = "".join((DOCS.parent / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    named = set(re.findall(r"build\.py ([a-z]+)", pages))
    assert named == set(re.findall(r"^    python build\.py (\w+) ", shown, re.MULTILINE))


def test_text_for_the_extension_site_is_that_of_the_manifest() -> None:
    manifest = tomllib.loads((DOCS.parent / "blender_manifest.toml").read_text(encoding="utf-8"))
    page = (DOCS / "extension_site.md").read_text(encoding="utf-8")
    tagline = manifest["tagline"]
    assert len(tagline) <= 64 and tagline[-1].isalnum()
    for text in (manifest["name"], tagline, ", ".join(manifest["tags"]), *manifest["permissions"].values()):
        assert f"| {text} |" in page
    with Image.open(DOCS / "featured.jpg") as image:
        assert image.size == (1920, 1080)


def test_pages_of_relief_and_erosion_for_artists_are_current() -> None:
    pictures = set()
    for name, page in (("relief", "relief_page"), ("erosion", "sliders_page")):
        made = runpy.run_path(str(DOCS / f"{name}_sliders.py"))
        text = (DOCS / f"{name}_for_artists.md").read_text(encoding="utf-8")
        assert text == made[page](), "run `python build.py docs sliders`"
        pictures |= {made["picture_of"](row) for row in made["ROWS"]}
    assert {p.stem for p in DOCS.glob("sliders_*.jpg")} == pictures


def test_the_gallery_shows_every_preset() -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    for preset in (DOCS.parent / "terrain_addon" / "presets").glob("*.json"):
        assert f"({preset.stem}.jpg)" in page


def test_list_of_operators_is_current() -> None:
    table = runpy.run_path(str(DOCS / "make.py"))["operator_table"]()
    assert (DOCS / "operators.md").read_text(encoding="utf-8") == table, "run `python build.py docs operators`"


def test_words_of_buttons_are_those_of_the_panel() -> None:
    """All of them that are not the name of the operator, too."""
    table = runpy.run_path(str(DOCS / "button_words.py"))["BUTTONS"]
    called: dict[str, set[str]] = {}
    for _, words, name in table:
        called.setdefault(name, set()).update(re.findall(r"\*(.+?)\*", words))
    made = {
        "draw_feature": {kind.capitalize() for kind in FEATURES_BY_NAME},
        "paint": {f"Paint {purpose.label}" for purpose in PURPOSES.values()},
        "show_map": {menu_name(name) for name in MAPS},
        "view_planet": {view.title() for view in PLANET_VIEWS},
    }
    trees = [ast.parse(path.read_text("utf-8")) for path in (DOCS.parent / "terrain_addon/blender").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    texts |= {one.label for cls in parameter_sets() for one in parameters_of(cls)}
    for name, words in called.items():
        assert words <= made.get(name, texts), f"{name}: {words - made.get(name, texts)}"
    labels = {cls.bl_idname: cls.bl_label for cls in OPERATORS if issubclass(cls, bpy.types.Operator)}
    identifiers = {cls.__name__: cls.bl_idname for cls in OPERATORS if issubclass(cls, bpy.types.Operator)}
    said = 0
    for node in nodes:
        if isinstance(node, ast.Call) and re.search(r"\.operator(_menu_enum)?$", ast.unparse(node.func)):
            name = ast.unparse(node.args[0]).strip("'").removesuffix(".bl_idname")
            name = identifiers.get(name, name)
            texts = {
                one.value.value for one in node.keywords if one.arg == "text" and isinstance(one.value, ast.Constant)
            }
            for text in texts - {"", labels.get(name)} if name in labels else ():
                assert text in called.get(name.partition(".")[2], ()), f"{name} says {text!r}"
                said += 1
    assert said > 15


@pytest.mark.parametrize("folder", ["core", "blender"])
def test_picture_of_the_house_is_current(folder: str) -> None:
    drawn = runpy.run_path(str(DOCS / "house.py"))["draw"](f"terrain_addon/{folder}")
    assert (DOCS / f"house_{folder}.svg").read_text(encoding="utf-8") == drawn, "run `python build.py docs house`"


def test_pictures_are_small_and_there_is_one_of_every_preset() -> None:
    pictures = {p.stem: p.stat().st_size for p in DOCS.glob("*.jpg")}
    presets = {p.stem for p in (DOCS.parent / "terrain_addon" / "presets").glob("*.json")}
    planets = {"planets", "planet_bump", "planet_desert", "planet_ground", "planet_orbit", "planet_standing"}
    windows = {"install_1", "install_2", "install_3", "first_drag", "first_river"}
    sliders = {path.stem for path in DOCS.glob("sliders_*.jpg")}
    panels = ("main", "draw", "paint", "relief", "erosion", "water", "maps", "plants", "light", "output")
    tour = {f"tour_{panel}" for panel in panels}
    assert set(pictures) == presets | planets | windows | sliders | tour | {
        "cliffs",
        "climate",
        "dragged_river",
        "engines_godot",
        "engines_walk",
        "erosion",
        "featured",
        "forest",
        "glaciers",
        "hoodoos",
        "ice",
        "painted_forest",
        "parabolic_dunes",
        "plants",
        "roads",
        "sand",
        "wandering_rivers",
        "winter",
        "world",
    }
    assert max(pictures.values()) <= 300_000
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS.parent / "README.md", *DOCS.rglob("*.md")))
    assert [name for name in pictures if f"{name}.jpg" not in pages] == [], "pictures that no page shows"


def test_films_are_small_and_move_and_the_gallery_shows_them() -> None:
    films = sorted(DOCS.glob("*.webp"))
    assert {film.stem for film in films} == set(runpy.run_path(str(DOCS / "animations.py"))["FILMS"])
    for film in films:
        assert film.stat().st_size <= 1_000_000
        with Image.open(film) as image:
            assert image.n_frames >= 12
            first = np.asarray(image.convert("RGB"), np.int16)
            image.seek(image.n_frames - 1)
            assert np.abs(np.asarray(image.convert("RGB"), np.int16) - first).mean() > 4.0
        assert f"({film.name})" in (DOCS / "gallery.md").read_text(encoding="utf-8")
