"""Takes pages into the site that do not lie in docs/: what changed, how to help, and how fast it is."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
TAKEN = {
    "changelog.md": ROOT / "CHANGELOG.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "performance.md": ROOT / "benchmarks" / "README.md",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside."""
    for name, source in TAKEN.items():
        files.append(File.generated(config, name, content=source.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links of those pages begin in docs/, where the site lies."""
    return markdown.replace("](docs/", "](") if page.file.src_uri in TAKEN else markdown
