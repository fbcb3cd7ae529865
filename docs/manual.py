"""Makes the manual that comes with the extension: the pages of this folder that users need, as plain HTML.

``build.py`` runs it when it makes the zips: ``python docs/manual.py FOLDER``.
"""

import re
import shutil
import sys
from pathlib import Path

import markdown

DOCS = Path(__file__).resolve().parent
_START = DOCS.parent / "README.md"
# The start of the site; the manual has the one above in its place, with the same headings.
_SITE_START = DOCS / "index.md"
# The title of each page by its source, in the order of the line at the top.
PAGES = {
    _START: "Start",
    DOCS / "first_landscape.md": "First landscape",
    DOCS / "tour.md": "The panel",
    DOCS / "direction.md": "Draw",
    DOCS / "paint.md": "Paint",
    DOCS / "relief_for_artists.md": "Relief",
    DOCS / "erosion_for_artists.md": "Erosion",
    DOCS / "climate.md": "Climate",
    DOCS / "winter.md": "Winter",
    DOCS / "ice.md": "Glaciers",
    DOCS / "sand.md": "Sand",
    DOCS / "rock.md": "Rock",
    DOCS / "wandering_rivers.md": "Wandering rivers",
    DOCS / "forests.md": "Forests",
    DOCS / "animation.md": "Animation",
    DOCS / "materials.md": "Materials",
    DOCS / "real_terrain.md": "Real terrain",
    DOCS / "planets.md": "Planets",
    DOCS / "worlds.md": "Worlds",
    DOCS / "unity.md": "Unity",
    DOCS / "unreal.md": "Unreal",
    DOCS / "godot.md": "Godot",
    DOCS / "engines.md": "All engines",
    DOCS / "formats.md": "Files",
    DOCS / "headless.md": "Without a window",
    DOCS / "render_farm.md": "Many machines",
    DOCS / "operators.md": "Operators",
    DOCS / "parameters.md": "Parameters",
    DOCS / "models.md": "Models",
    DOCS / "realism.md": "Realism",
    DOCS / "trust.md": "Trust",
    DOCS / "gallery.md": "Gallery",
    DOCS / "glossary.md": "Words",
    DOCS / "preferences.md": "Preferences",
    DOCS / "troubleshooting.md": "Troubleshooting",
}
# Pages that the line at the top leaves out, because another one lists them.
LISTED = {page: page.stem.replace("_", " ").capitalize() for page in sorted((DOCS / "models").glob("*.md"))}
_PICTURES = (".jpg", ".png", ".svg", ".webp")
_STYLE = """body { max-width: 52rem; margin: 1.5rem auto; padding: 0 1rem; font: 16px/1.5 sans-serif; color: #222; }
nav { border-bottom: 1px solid #ccc; padding-bottom: .5rem; }
nav a { margin-right: .8rem; }
table { border-collapse: collapse; }
td, th { border: 1px solid #ccc; padding: .2rem .5rem; vertical-align: top; text-align: left; }
img { max-width: 100%; }
pre { background: #f4f4f4; padding: .6rem; overflow-x: auto; }
:target { background: #ffe9a8; }"""


def write_manual(folder: Path) -> None:
    """Write all pages, and the pictures that they show, into a new folder."""
    folder.mkdir(parents=True)
    pictures: set[Path] = set()
    for source, title in (PAGES | LISTED).items():
        body = markdown.markdown(source.read_text(encoding="utf-8"), extensions=["tables", "fenced_code", "toc"])
        body = _with_links(body, source.parent, pictures)
        (folder / _page(source)).write_text(_whole(title, body), encoding="utf-8")
    for picture in sorted(pictures):
        shutil.copyfile(picture, folder / picture.name)


def _page(source: Path) -> str:
    if source == _START:
        return "index.html"
    return f"model_{source.stem}.html" if source in LISTED else f"{source.stem}.html"


def _with_links(body: str, folder: Path, pictures: set[Path]) -> str:
    """Let links lead to other pages and pictures of the manual; to what it does not hold there is no link.

    The pictures that it has to hold are added to the set.
    """

    def link(found: re.Match[str]) -> str:
        kind, target, heading = found[1], found[2], found[3] or ""
        if not target or "://" in target:
            return found[0]
        source = (folder / target).resolve()
        source = _START if source == _SITE_START else source
        if source in PAGES or source in LISTED:
            return f'{kind}="{_page(source)}{heading}"'
        if source.suffix in _PICTURES:
            pictures.add(source)
            return f'{kind}="{source.name}"'
        return ""

    linked = re.sub(r'(href|src)="([^"#]*)(#[^"]*)?"', link, body)
    return re.sub(r"<a >(.*?)</a>", r"\1", linked, flags=re.DOTALL)


def _whole(title: str, body: str) -> str:
    pages = " ".join(f'<a href="{_page(source)}">{label}</a>' for source, label in PAGES.items())
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>Procedural Landscape: {title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n"
        f"<body>\n<nav>{pages}</nav>\n{body}\n</body>\n</html>\n"
    )


if __name__ == "__main__":
    write_manual(Path(sys.argv[1]))
