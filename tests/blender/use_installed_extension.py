"""Runs in a Blender of its own, with empty settings: installs a zip, makes a small landscape, prints what happened."""

import hashlib
import importlib
import json
import os
import sys
from pathlib import Path

import bpy

MODULE = "bl_ext.user_default.procedural_landscape"


def files_in(folder: Path) -> dict[str, str]:
    """Every file with its digest; what Python itself compiles is left out."""
    files = [f for f in sorted(folder.rglob("*")) if f.is_file() and f.suffix != ".pyc"]
    return {f.relative_to(folder).as_posix(): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def save_bare_preset() -> None:
    """Keep a recipe without erosion and plants, which needs few kernels, as a preset of the user's own."""
    recipe = importlib.import_module(f"{MODULE}.core").Recipe(resolution=65, erosion=())
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(species=()))
    folder = Path(bpy.utils.user_resource("SCRIPTS", path="presets/landscape", create=True))
    (folder / "Bare.json").write_text(recipe.dumps(), encoding="utf-8")


def main(zip_file: str) -> None:
    extensions = Path(os.environ["BLENDER_USER_RESOURCES"]) / "extensions"
    bpy.ops.extensions.package_install_files(filepath=zip_file, repo="user_default", enable_on_install=True)
    enabled = MODULE in bpy.context.preferences.addons
    folder = extensions / "user_default" / "procedural_landscape"
    before = files_in(folder)
    # Here, unlike in Blender, there is a numba beside bpy; the one from the zip is to be used.
    (wheels,) = (extensions / ".local").glob("lib/python*/site-packages")
    sys.path.insert(0, str(wheels))
    save_bare_preset()
    bpy.ops.landscape.generate_own(name="Bare")
    import numba

    report = {
        "enabled": enabled,
        "installed": sorted(before),
        "changed": sorted(set(before.items()) ^ set(files_in(folder).items())),
        "vertices": len(bpy.context.view_layer.objects.active.data.vertices),
        "compiler": str(Path(numba.__file__).parent.parent),
        "wheels": str(wheels),
    }
    bpy.ops.preferences.addon_disable(module=MODULE)
    report["disabled"] = MODULE not in bpy.context.preferences.addons
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
    sys.stdout.flush()
    os._exit(0)  # as in tests/conftest.py
