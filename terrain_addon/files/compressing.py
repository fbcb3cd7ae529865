"""Smaller GLB files by gltfpack of meshoptimizer, if it is installed: the extension holds no compression of its own.

References
----------
meshoptimizer, gltfpack, https://github.com/zeux/meshoptimizer (MIT).  Khronos Group, EXT_meshopt_compression and
KHR_mesh_quantization.
"""

import shutil
import subprocess
from pathlib import Path

from .staging import staging_folder

TOOL = "gltfpack"
"""The program that is asked for on the path."""

# Names of materials stay, equal meshes become instances, positions stay as exact as they are: with the usual 14 bits a
# land of 6 km would move by 0.4 m.
_OPTIONS = ("-km", "-mi", "-vpf", "-cc")
_LONGEST_REASON = 200


def find_compressor() -> Path:
    """Return the program that makes GLB files smaller.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If it is not on the path.
    """
    found = shutil.which(TOOL)
    if found is None:
        raise ValueError(
            f"compressing needs {TOOL}, which is not on the path: "
            "`npm install -g gltfpack`, or https://github.com/zeux/meshoptimizer/releases"
        )
    return Path(found)


def compress(path: Path, compressor: Path) -> None:
    """Replace a GLB file by a smaller one, with EXT_meshopt_compression and KHR_mesh_quantization.

    Parameters
    ----------
    path : Path
        Ends in .glb.
    compressor : Path
        What `find_compressor` returns.

    Raises
    ------
    ValueError
        If the program fails; the file stays as it was.
    """
    with staging_folder(path.parent) as part:
        smaller = part / path.name
        command = [str(compressor), "-i", str(path), "-o", str(smaller), *_OPTIONS]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        if done.returncode or not smaller.is_file():
            lines = (done.stderr.strip() or done.stdout.strip() or f"it ended with {done.returncode}").splitlines()
            reason = next((line for line in lines if "rror" in line), lines[-1])
            raise ValueError(f"{TOOL} could not compress {path.name}: {reason.strip()[:_LONGEST_REASON]}")
        smaller.replace(path)
