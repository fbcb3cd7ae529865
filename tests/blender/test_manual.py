"""*Online Manual* in the menu of a right click opens the page and heading that tells of a button or value."""

import re
import runpy
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import bpy
import pytest

from terrain_addon.blender.data.properties import group_name
from terrain_addon.blender.operators import CLASSES
from terrain_addon.blender.ui import manual
from terrain_addon.core.foundation.parameters import parameters_of

pytestmark = pytest.mark.usefixtures("blender")

DOCS = Path(__file__).resolve().parents[2] / "docs"
OPERATORS = [cls.bl_idname for cls in CLASSES if issubclass(cls, bpy.types.Operator)]
# A name is Blender's own property, which every group has.
PROPERTIES = [
    f"{group_name(cls)}.{one.name}"
    for cls in manual.parameter_sets()
    for one in parameters_of(cls)
    if one.name != "name"
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manual as it is in the zips."""
    folder = tmp_path_factory.mktemp("extension") / "my manual"
    runpy.run_path(str(DOCS / "manual.py"))["write_manual"](folder)
    return folder


def opened(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """The page and heading that Blender opens for an operator or property."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url, *_, **__: addresses.append(url))
    assert bpy.ops.wm.doc_view_manual(doc_id=name) == {"FINISHED"}, name
    address = urlsplit(addresses[0])
    assert address.scheme == "file"
    return Path(url2pathname(address.path)), unquote(address.fragment)


def headings_of(page: Path) -> set[str]:
    pattern = r'<h\d id="([^"]+)"' if page.suffix == ".html" else r"^## (\S+)$"
    return set(re.findall(pattern, page.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.once
@pytest.mark.parametrize("where", ["extension", "checkout"])
def test_each_button_and_value_has_a_page_and_heading(
    where: str, built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(manual, "BUILT", built if where == "extension" else built / "missing")
    headings: dict[Path, set[str]] = {}
    for name in (*OPERATORS, *PROPERTIES):
        page, heading = opened(name, monkeypatch)
        known = headings.setdefault(page, headings_of(page))
        assert heading in known, f"{name} leads to {page.name}#{heading}"
    assert {page.stem for page in headings} == {"operators", "parameters"}
    assert next(iter(headings)).parent == (built if where == "extension" else DOCS)


def test_settings_that_are_no_parameters_lead_to_a_page_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "LandscapeFeatureSettings.takes_heights",
        "WindowManager.landscape_live",
        "LANDSCAPE_OT_generate.seed",
    ):
        assert opened(name, monkeypatch)[0].is_file()


@pytest.mark.once
def test_preferences_lead_to_their_page(monkeypatch: pytest.MonkeyPatch) -> None:
    # Older Blenders find no page for the preferences of any extension.
    assert opened("LandscapePreferences.threads", monkeypatch)[0].name == "preferences.md"


def test_no_link_of_the_manual_leads_nowhere(built: Path) -> None:
    for page in built.glob("*.html"):
        for target, heading in re.findall(r'(?:href|src)="([^":#]*)(?:#([^"]*))?"', page.read_text(encoding="utf-8")):
            other = built / target if target else page
            assert other.is_file(), f"{page.name} names {target}"
            assert not heading or heading in headings_of(other), f"{page.name} names {target}#{heading}"


def test_the_manual_has_every_picture_and_page_that_its_sources_show(built: Path) -> None:
    made = runpy.run_path(str(DOCS / "manual.py"))
    pages = set(made["PAGES"] | made["LISTED"])
    for source in pages:
        text = source.read_text(encoding="utf-8")
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
            assert (built / Path(target).name).is_file(), f"{source.name} shows {target}"
    for page in built.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"<a (?!href=)[^>]*>|<a>|<img(?![^>]*src=)[^>]*>", text) == [], page.name
    without = {"CHANGELOG", "CONTRIBUTING", "README", "api", "architecture"}
    named = {(page.parent / name).resolve() for page in pages for name in linked_pages(page)}
    assert {page.stem for page in named - pages - {DOCS / "index.md"}} == without, "pages for programmers, on the site"


def linked_pages(page: Path) -> list[str]:
    return re.findall(r"\]\((?!https?:)([^)\s#]+\.md)", page.read_text(encoding="utf-8"))
