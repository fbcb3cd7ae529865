"""Takes pages into the site that do not lie in docs/: what changed, how to help, and how fast it is."""

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


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside, and the pictures that they show."""
    for name, source in TAKEN.items():
        files.append(File.generated(config, name, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links of those pages begin in docs/, where the site lies."""
    return re.sub(r"\]\((\.\./)?docs/", "](", markdown) if page.file.src_uri in PAGES else markdown
