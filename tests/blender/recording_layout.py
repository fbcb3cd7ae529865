"""A layout that draws nothing: it checks what a panel asks for against Blender's own lists, and records it.

Blender prints exceptions of `draw` to the terminal and goes on, and without a window it does not draw at all.  So tests
call `draw` with this layout.
"""

from types import FunctionType, MethodType, SimpleNamespace
from typing import Any

import bpy

SIDEBAR = 280
"""Width of the sidebar in pixels, about as Blender opens it."""

_LAYOUT = bpy.types.UILayout.bl_rna
_SETTINGS = {name for name, declared in _LAYOUT.properties.items() if not declared.is_readonly}
_ICONS = set(_LAYOUT.functions["label"].parameters["icon"].enum_items.keys())


class Properties:
    """Properties of an operator in a button; only those that it has can be set, to values that it takes."""

    def __init__(self, operator: str) -> None:
        group, name = operator.split(".")
        vars(self)["rna"] = getattr(getattr(bpy.ops, group), name).get_rna_type()

    def __setattr__(self, name: str, value: Any) -> None:
        declared = self.rna.properties[name]
        # Items that Blender asks a function for are not known here.
        if declared.type == "ENUM" and declared.enum_items:
            assert value in declared.enum_items, f"{name} = {value!r}"
        vars(self)[name] = value


class Layout:
    """A layout and all layouts in it; `calls` are the calls to all of them in order."""

    def __init__(self, calls: list[tuple[str, dict[str, Any]]] | None = None) -> None:
        vars(self)["calls"] = [] if calls is None else calls

    @property
    def texts(self) -> list[str]:
        """All texts that were asked for, and the names of the properties that bring their own."""
        found = []
        for name, given in self.calls:
            text = given.get("text")
            if text is None and name in ("prop", "prop_search"):
                declared = given["data"].bl_rna.properties.get(given["property"])
                text = declared.name if declared is not None else ""
            found += [text] if text else []
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in _SETTINGS, f"a layout has no setting {name}"
        vars(self)[name] = value
        self.calls.append((f"set {name}", {"value": value}))

    def __getattr__(self, name: str) -> Any:
        if name in _SETTINGS:
            return _LAYOUT.properties[name].default
        declared = [p.identifier for p in _LAYOUT.functions[name].parameters if not p.is_output]
        if name in ("panel", "panel_prop"):
            declared = ["idname", "default_closed"]

        def call(*arguments: Any, **named: Any) -> Any:
            given = dict(zip([p for p in declared if p not in named], arguments)) | named
            # Python has one argument that the declaration does not show.
            assert given.keys() <= {*declared, "text_ctxt"}, f"{name}: {given.keys() - set(declared)}"
            _check(given)
            self.calls.append((name, given))
            return self._result(name, given)

        return call

    def _result(self, name: str, given: dict[str, Any]) -> Any:
        if name in ("operator", "operator_menu_enum"):
            return Properties(given["operator"])
        if name == "panel":
            return Layout(self.calls), Layout(self.calls)
        if name in ("row", "column", "box", "split", "grid_flow", "column_flow"):
            return Layout(self.calls)
        if name == "menu":
            assert hasattr(bpy.types, given["menu"]), given["menu"]
        elif name in ("prop", "prop_enum", "prop_search"):
            _check_property(given["data"], given["property"], given.get("index", -1))
        return None


def _check(given: dict[str, Any]) -> None:
    """Check texts and icons."""
    assert isinstance(given.get("text", ""), str), given["text"]
    assert given.get("icon", "NONE") in _ICONS, given["icon"]


def _check_property(data: Any, name: str, index: int) -> None:
    """Check that data has a property, and as many numbers as asked for."""
    if name.startswith("["):
        assert name[2:-2] in data, name
        return
    declared = data.bl_rna.properties[name]
    assert index < max(getattr(declared, "array_length", 0), 1), (name, index)


class Around:
    """The context of a sidebar of the usual width."""

    region = SimpleNamespace(width=SIDEBAR, type="UI")
    # Without a window Blender says 0.
    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))

    def __init__(self, **other: Any) -> None:
        vars(self).update(other)

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)


def drawn(cls: type[Any], **other: Any) -> Layout:
    """Return what a panel or menu draws now; nothing where it does not appear.

    Parameters
    ----------
    cls : type
        A registered Panel or Menu.
    **other
        Members of the context that differ from those of Blender.
    """
    shown, context = _Shown(cls), Around(**other)
    if not hasattr(cls, "poll") or cls.poll(context):
        for method in ("draw_header", "draw_header_preset", "draw"):
            if hasattr(cls, method):
                getattr(shown, method)(context)
    return shown.layout


class _Shown:
    """Stands for an instance of a panel or menu, which only Blender can make."""

    def __init__(self, cls: type[Any]) -> None:
        self.cls, self.layout = cls, Layout()

    def __getattr__(self, name: str) -> Any:
        member = getattr(self.cls, name)
        return MethodType(member, self) if isinstance(member, FunctionType) else member
