"""Names: each has one meaning, private ones stay at home, and words are plain."""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "terrain_addon"

pytestmark = pytest.mark.once

DEFINED_AGAIN = {
    "main": "where a command begins: the command line, and the demo",
    "CLASSES": "the classes that a module of blender registers",
    "register": "what Blender calls, and what a module does when it does",
    "unregister": "what Blender calls, and what a module does when it does",
}
"""Public names that several modules may define, each with the reason."""

PLAIN_WORDS = {
    "amongst": "among",
    "books": "mass balance",
    "forthwith": "at once",
    "haste": "relaxation factor",
    "hereof": "of this",
    "heretofore": "so far",
    "hither": "here",
    "lest": "so that … not",
    "nought": "nothing",
    "oft": "often",
    "soon said": "say it",
    "straying": "flow perturbation",
    "thereof": "of it",
    "thither": "there",
    "upon": "on",
    "whence": "from where",
    "wherein": "in which",
    "whereof": "of which",
    "whilst": "while",
    "FIXME": "an issue",
    "TODO": "an issue",
}
"""Words that no sentence in the package uses, each with what to write instead."""

PLAIN_NAMES = ("books", "bury", "glimpse", "haste", "hurry", "soon", "straying")
"""Words that no name in the package has among its parts."""


def files(*folders: str) -> list[Path]:
    return [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def must_be_empty(found: Iterable[str]) -> None:
    """Fail with a line for each fault."""
    if faults := sorted(set(found)):
        pytest.fail("\n".join(faults), pytrace=False)


def code_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


# --- one name, one meaning --------------------------------------------------------------------------------------------


def defined_names(code: ast.Module) -> Iterator[tuple[str, int]]:
    """Public classes, functions and constants at the top of a module, with their lines."""
    for node in code.body:
        names = []
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        yield from ((name, node.lineno) for name in names if not name.startswith("_"))


def test_a_public_name_is_defined_in_one_module() -> None:
    places = defaultdict(list)
    for file in files("terrain_addon"):
        if "scripts" not in file.parts:
            for name, line in defined_names(code_of(file)):
                places[name].append(f"{name_of(file)}:{line}")
    must_be_empty(
        f"{name} is defined in {', '.join(where)}"
        for name, where in places.items()
        if len(where) > 1 and name not in DEFINED_AGAIN
    )


# --- private names ----------------------------------------------------------------------------------------------------


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def uses_of_private_names(file: Path) -> Iterator[str]:
    """Where a file uses a private name of a module of the package."""
    code = code_of(file)
    modules, ours = set(), set()
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("terrain_addon")):
            for alias in node.names:
                ours.add(alias.asname or alias.name)
                if is_private(alias.name):
                    module = "." * node.level + (node.module or "")
                    yield f"{name_of(file)}:{node.lineno} imports {alias.name} from {module}"
        elif isinstance(node, ast.Import):
            modules |= {(a.asname or a.name) for a in node.names if a.name.split(".")[0] == "terrain_addon"}
    for node in ast.walk(code):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = ast.unparse(node.value)
            if owner.split(".")[0] in ours | modules:
                yield f"{name_of(file)}:{node.lineno} uses {owner}.{node.attr}"
        # monkeypatch.setattr(module, "_name", …) and getattr(module, "_name")
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("attr") and len(node.args) > 1:
            owner, name = ast.unparse(node.args[0]), node.args[1]
            named = name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""
            if is_private(named) and owner.split(".")[0] in ours | modules:
                yield f"{name_of(file)}:{node.lineno} uses {owner}.{named}"


@pytest.mark.parametrize("folder", ["terrain_addon", "tests", "benchmarks", "docs"])
def test_private_names_stay_in_their_module(folder: str) -> None:
    must_be_empty(use for file in files(folder) for use in uses_of_private_names(file))


# --- words ------------------------------------------------------------------------------------------------------------


def sentences(file: Path) -> Iterator[tuple[int, str]]:
    """Comments and texts of a file, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline):
        kind = tokenize.tok_name[token.type]
        if kind in ("COMMENT", "STRING", "FSTRING_MIDDLE"):
            for number, line in enumerate(token.string.splitlines()):
                yield token.start[0] + number, line


def odd_words(file: Path) -> Iterator[str]:
    banned = re.compile(rf"\b({'|'.join(map(re.escape, PLAIN_WORDS))})\b", re.IGNORECASE)
    plain = {word.lower(): instead for word, instead in PLAIN_WORDS.items()}
    for line, text in sentences(file):
        for word in banned.findall(text):
            yield f"{name_of(file)}:{line} says {word!r}; plainer: {plain[word.lower()]}"


def odd_names(file: Path) -> Iterator[str]:
    for node in ast.walk(code_of(file)):
        names = [
            getattr(node, field)
            for field in ("id", "attr", "arg", "name")
            if isinstance(getattr(node, field, None), str)
        ]
        for name in names:
            if set(PLAIN_NAMES) & set(name.lower().split("_")):
                yield f"{name_of(file)}:{getattr(node, 'lineno', 0)} names something {name}"


def test_odd_words_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "odd.py"
    odd.write_text('"""The\nbooks whereof I told."""\nhaste = 1  # TODO later\n')
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    assert [sentence.split(";")[0] for sentence in odd_words(odd)] == [
        "odd.py:2 says 'books'",
        "odd.py:2 says 'whereof'",
        "odd.py:3 says 'TODO'",
    ]
    assert list(odd_names(odd)) == ["odd.py:3 names something haste"]


def test_words_are_plain() -> None:
    # The table of renamed parameters has to name the old ones.
    checked = (file for file in files("terrain_addon") if file.name != "renames.py")
    must_be_empty(sentence for file in checked for sentence in odd_words(file))


def test_names_are_plain() -> None:
    must_be_empty(sentence for file in files("terrain_addon") for sentence in odd_names(file))
