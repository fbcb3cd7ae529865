"""Every name of Blender's interface that we use is there in 4.2, as fake-bpy-module describes it.

On 5.2 all tests run, on 4.2 only some.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="mypy is not installed; `python build.py test` installs it")

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.once

# Classes whose attributes are in subclasses, made at run time, or not described: what is asked of them goes unchecked.
NOT_DESCRIBED = {
    "Attribute",
    "ContextTempOverride",
    "Gizmo",
    "Light",
    "Modifier",
    "Node",
    "NodeSocket",
    "NodeTree",
    "NodeTreeInterfaceItem",
    "NodeTreeInterfaceSocket",
    "NodesModifier",
    "NodesModifierProperties",
    "None",
    "PropertyGroup",
    "Space",
}
OURS = {("Object", "landscape"), ("type[Object]", "landscape")}
OURS |= {("Object", "landscape_planet"), ("type[Object]", "landscape_planet")}
OURS |= {("Object", "landscape_feature"), ("type[Object]", "landscape_feature")}
OURS |= {("Object", "landscape_grounds"), ("type[Object]", "landscape_grounds")}
OURS |= {("WindowManager", "landscape_response"), ("type[WindowManager]", "landscape_response")}
OURS |= {("WindowManager", "landscape_planet_preset"), ("type[WindowManager]", "landscape_planet_preset")}
OURS |= {("WindowManager", "landscape_live"), ("type[WindowManager]", "landscape_live")}
OURS |= {("WindowManager", "landscape_preset"), ("type[WindowManager]", "landscape_preset")}
OURS |= {("Scene", "landscape_daylight"), ("type[Scene]", "landscape_daylight")}
# The stubs take the pixels of an image for one number, and leave out the methods of a context manager.
OURS |= {("float", "foreach_get"), ("MatrixStackContext", "__enter__"), ("MatrixStackContext", "__exit__")}

CONFIGURATION = """
[mypy]
explicit_package_bases = true
strict_optional = false
check_untyped_defs = true
"""


def wrong_names(blender: str, tmp_path: Path, *sources: str) -> list[str]:
    import build

    configuration = tmp_path / "mypy.ini"
    configuration.write_text(CONFIGURATION)
    # A cache for each Blender, because what mypy knows of one is wrong for the other.
    kept = f"--cache-dir={ROOT / '.mypy_cache' / blender}"
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", kept, "--config-file", str(configuration), *sources],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": str(build.stubs(blender, sys.executable))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert re.search(r"^(Found \d+ errors|Success)", ran.stdout, re.MULTILINE), ran.stdout[-2000:] + ran.stderr
    wrong = []
    for line in ran.stdout.splitlines():
        if not line.startswith(sources) or not re.search(r"\[(attr-defined|name-defined|call-arg)\]$", line):
            continue
        if line.endswith('Module has no attribute "landscape"  [attr-defined]'):
            continue  # bpy.ops.landscape: our own operators
        lacks = re.search(r'"([^"]+)" has no attribute "(\w+)"', line)
        if lacks is None or (lacks[1] not in NOT_DESCRIBED and lacks.groups() not in OURS):
            wrong.append(line)
    return wrong


def test_names_are_there_and_one_that_is_not_is_found(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    # Of the same text mypy would repeat what it said in an earlier run, with the former path.
    bad.write_text(
        f"# {tmp_path}\nimport bpy\n\nbpy.data.landscapes.new('a')\nbpy.types.Mountain\nbpy.context.active_objekt\n"
    )
    wrong = wrong_names("4.2", tmp_path, "terrain_addon/blender", str(bad))
    assert [line for line in wrong if not line.startswith(str(bad))] == []
    assert len(wrong) == 3
