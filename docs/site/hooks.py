"""Takes pages into the site that do not lie in docs/: what changed, how to help, and how fast it is.

It also lists the pages of models in the navigation, as the page that links to them does, and keeps options of commands
whole where a line of code goes on in the next one.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "changelog.md": ROOT / "CHANGELOG.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "performance.md": ROOT / "benchmarks" / "README.md",
}
TAKEN = PAGES | {path.name: path for path in (ROOT / "benchmarks").glob("*.svg")}
_CODE, _OPTION = re.compile(r"<code>.*?</code>", re.DOTALL), re.compile(r"(?<![\w<!-])--[a-z][\w-]*")
_MODEL = re.compile(r"^\| \[(.+?)\]\((models/\w+\.md)\)", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of models below the one that lists them, under its headings."""
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    groups = ((part.partition("\n")[0], _MODEL.findall(part)) for part in text.split("\n## ")[1:])
    pages = [{heading: [{title: page} for title, page in found]} for heading, found in groups if found]
    for section in config.nav or []:
        if isinstance(section.get("Science"), list):
            section["Science"] += pages
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside, and the pictures that they show."""
    for name, source in TAKEN.items():
        files.append(File.generated(config, name, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links of those pages begin in docs/, where the site lies."""
    return re.sub(r"\]\((\.\./)?docs/", "](", markdown) if page.file.src_uri in PAGES else markdown


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let no line of code end within an option such as --out, as browsers would do on a phone."""
    whole = r'<span class="whole">\g<0></span>'
    return _CODE.sub(lambda code: _OPTION.sub(whole, code[0]), html)
