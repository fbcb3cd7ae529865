"""What users read can be translated: Blender finds the sentences, and sentences with numbers are looked up whole."""

import ast
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest

from terrain_addon.blender.operators import recipes

FOLDER = Path(__file__).resolve().parents[2] / "terrain_addon" / "blender"
SHOWING = ("report", "label", "operator", "poll_message_set", "status_text_set", "progress", "_draw_text")
LOOKING_UP = ("rpt_", "iface_")
FILES = [FOLDER / "panels.py", *(FOLDER / "operators").glob("*.py")]
# What these show is put together in parts.
NOT_YET = ("generate.py", "maps.py", "import_elevation.py")


def calls(path: Path, names: tuple[str, ...]) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            function = node.func
            if getattr(function, "id", getattr(function, "attr", "")) in names:
                yield node


def words_of(formatted: ast.JoinedStr) -> str:
    parts = [part.value for part in formatted.values if isinstance(part, ast.Constant)]
    return " ".join(word for word in " ".join(parts).split() if len(word) > 2 and word.isalpha())


def within(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, but neither steps of progress, which threads name, nor code in Python."""
    name = getattr(getattr(node, "func", node), "id", getattr(node, "name", ""))
    if name not in ("Progress", "python_of"):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from within(child)


def composed(path: Path) -> list[str]:
    """Sentences with values in them that are shown, or returned to be shown, without being looked up."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    shown = [value for call in calls(path, SHOWING) for value in (*call.args, *(k.value for k in call.keywords))]
    shown += [node.value for node in within(tree) if isinstance(node, ast.Return) and node.value is not None]
    return [
        f"{path.name}:{inner.lineno} {words_of(inner)}"
        for value in shown
        for inner in within(value)
        if isinstance(inner, ast.JoinedStr) and words_of(inner)
    ]


@pytest.mark.once
@pytest.mark.parametrize("path", [p for p in FILES if p.name not in NOT_YET], ids=lambda path: path.stem)
def test_sentences_with_values_are_looked_up_whole(path: Path) -> None:
    assert composed(path) == []


@pytest.mark.once
def test_the_rule_sees_what_it_is_about(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text('def f(self):\n    self.report({"INFO"}, f"Saved {self.name}")\n    return f"Planted {3}"\n')
    assert len(composed(wrong)) == 2


@pytest.mark.once
def test_only_constants_are_looked_up() -> None:
    """Blender collects what is to be translated from the source, where it finds literal texts only."""
    looked_up = [call for path in FILES for call in calls(path, LOOKING_UP)]
    assert len(looked_up) > 20
    variable = [ast.unparse(c.args[0]) for c in looked_up if not isinstance(c.args[0], ast.Constant)]
    # Labels of parameters are names of properties, which Blender collects by itself.
    assert set(variable) <= {"parameter.label"}


def test_what_we_register_is_found_in_the_usual_contexts(blender: None) -> None:
    contexts = bpy.app.translations.contexts
    assert bpy.types.LANDSCAPE_OT_save_preset.bl_rna.translation_context == contexts.operator_default
    assert bpy.types.VIEW3D_PT_landscape.bl_rna.translation_context in (contexts.default, contexts.default_real)
    for name in ("LandscapeRecipe", "LandscapeAppearance"):
        group = bpy.types.PropertyGroup.bl_rna_get_subclass_py(name)
        for declared in group.bl_rna.properties:
            assert declared.translation_context in (contexts.default, contexts.default_real, None), declared.identifier


LANGUAGE = "eo"
WORDS = {
    ("*", "There is no preset of your own called {name!r}"): "Mankas {name!r}",
}


@pytest.fixture
def dictionary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Blender speaks another language."""
    bpy.app.translations.register(__name__, {LANGUAGE: WORDS})
    view = bpy.context.preferences.view
    if bpy.app.build_options.international:
        before = view.language
        view.language = LANGUAGE
        yield
        view.language = before
    else:
        # Blender as a module is built without languages: its dictionary takes words and its look-up gives them back.
        monkeypatch.setattr(recipes, "rpt_", lambda text, context="*": WORDS.get((context, text), text))
        yield
    bpy.app.translations.unregister(__name__)


def test_a_sentence_is_said_in_the_language_of_blender(blender: None, dictionary: None) -> None:
    with pytest.raises(RuntimeError, match="Mankas 'Mia'"):
        bpy.ops.landscape.remove_preset(name="Mia")
