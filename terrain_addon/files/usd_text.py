"""Scenes of Universal Scene Description as text, written from arrays: prims, attributes, materials.

Blender's exporter of USD writes no usable instances of plants, and its Python module `pxr` is not in all programs that
run this code.  The text needs neither.

References
----------
Pixar, Universal Scene Description, "Usda File Format" and "UsdPreviewSurface Specification".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from .glb_document import LinearColour
from .grid_mesh import Floats

_BATCH = 1 << 16  # rows that become text at a time
_FORMS = {"f": "%.7g", "i": "%d", "u": "%d"}


class UsdMesh(NamedTuple):
    """A mesh with one material.

    Attributes
    ----------
    points : ndarray of float32, shape (points, 3)
        Metres; z is up.
    triangles : ndarray of int, shape (triangles, 3)
        Counter-clockwise seen from outside.
    normals : ndarray of float32, shape (points, 3)
        Of length 1.
    material : str
        Path of a material.
    places : ndarray of float32, shape (points, 2), or None
        Where points lie on a picture, from its lower left corner.
    colours : ndarray of float32, shape (points, 3), or None
        Linear.
    is_double_sided : bool
        Whether it is also seen from behind.
    """

    points: Floats
    triangles: npt.NDArray[Any]
    normals: Floats
    material: str
    places: Floats | None = None
    colours: Floats | None = None
    is_double_sided: bool = False


class UsdLook(NamedTuple):
    """What a material looks like.

    Attributes
    ----------
    colour : tuple of float or None
        Linear; None for the colours of the points.
    roughness, opacity : float
        0 to 1.
    picture, normals : str
        Paths of pictures, relative to the file, in place of the colour; the colour's alpha is its cover.
    cutoff : float
        What is covered less than this is seen through.
    """

    colour: LinearColour | None = None
    roughness: float = 1.0
    opacity: float = 1.0
    picture: str = ""
    normals: str = ""
    cutoff: float = 0.0


class UsdText:
    """A file that is being written.

    Parameters
    ----------
    file : BinaryIO
        It begins with what this writes.
    root : str
        Name of the prim that holds all others.
    """

    def __init__(self, file: BinaryIO, root: str) -> None:
        self._file = file
        self._depth = 0
        self.line("#usda 1.0")
        self.line(f'(\n    defaultPrim = "{root}"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n')

    def line(self, text: str) -> None:
        """Write a line of text at the depth of the current prim.

        Parameters
        ----------
        text : str
        """
        self._file.write(("    " * self._depth + text + "\n").encode())

    @contextmanager
    def prim(self, kind: str, name: str, about: str = "") -> Iterator[None]:
        """Write a prim; what is written in the block belongs to it.

        Parameters
        ----------
        kind : str
            Its type.
        name : str
            Letters, digits and underscores.
        about : str
            Its metadata.

        Yields
        ------
        None
        """
        self.line(f'def {kind} "{name}"' + (f" ({about})" if about else ""))
        self.line("{")
        self._depth += 1
        yield
        self._depth -= 1
        self.line("}")

    def array(self, declared: str, values: npt.NDArray[Any], interpolation: str = "") -> None:
        """Write an attribute that is an array.

        Parameters
        ----------
        declared : str
            Its type and name, such as ``int[] faceVertexCounts``.
        values : ndarray, shape (n,) or (n, components)
        interpolation : str
            Such as ``vertex``; empty for none.
        """
        self._file.write(("    " * self._depth + declared + " = [").encode())
        one = _FORMS[values.dtype.kind]
        row = one if values.ndim == 1 else f"({', '.join([one] * values.shape[1])})"
        for first in range(0, len(values), _BATCH):
            part = values[first : first + _BATCH]
            text = ", ".join([row] * len(part)) % tuple(part.ravel().tolist())
            self._file.write(((", " if first else "") + text).encode())
        after = f' (interpolation = "{interpolation}")' if interpolation else ""
        self._file.write(f"]{after}\n".encode())

    def mesh(self, name: str, mesh: UsdMesh) -> None:
        """Write a mesh.

        Parameters
        ----------
        name : str
        mesh : UsdMesh
        """
        with self.prim("Mesh", name, 'prepend apiSchemas = ["MaterialBindingAPI"]'):
            self.line('uniform token subdivisionScheme = "none"')
            self.line(f"uniform bool doubleSided = {int(mesh.is_double_sided)}")
            self.array("float3[] extent", np.stack((mesh.points.min(axis=0), mesh.points.max(axis=0))))
            self.array("point3f[] points", mesh.points)
            self.array("int[] faceVertexCounts", np.full(len(mesh.triangles), 3))
            self.array("int[] faceVertexIndices", mesh.triangles.ravel())
            self.array("normal3f[] normals", mesh.normals, "vertex")
            if mesh.places is not None:
                self.array("texCoord2f[] primvars:st", mesh.places, "vertex")
            if mesh.colours is not None:
                self.array("color3f[] primvars:displayColor", mesh.colours, "vertex")
            self.line(f"rel material:binding = <{mesh.material}>")

    def material(self, path: str, look: UsdLook) -> None:
        """Write a material of the kind UsdPreviewSurface.

        Parameters
        ----------
        path : str
            Of the prim; the current one is its parent.
        look : UsdLook
        """
        with self.prim("Material", path.rsplit("/", 1)[1]):
            self.line(f"token outputs:surface.connect = <{path}/Surface.outputs:surface>")
            with self.prim("Shader", "Surface"):
                self.line('uniform token info:id = "UsdPreviewSurface"')
                self.line("float inputs:metallic = 0")
                self.line(f"float inputs:roughness = {look.roughness:.7g}")
                if look.picture:
                    self.line(f"color3f inputs:diffuseColor.connect = <{path}/Picture.outputs:rgb>")
                    self.line(f"float inputs:opacity.connect = <{path}/Picture.outputs:a>")
                    self.line(f"float inputs:opacityThreshold = {look.cutoff:.7g}")
                    self.line(f"normal3f inputs:normal.connect = <{path}/Normals.outputs:rgb>")
                elif look.colour is None:
                    self.line(f"color3f inputs:diffuseColor.connect = <{path}/Colours.outputs:result>")
                else:
                    self.line("color3f inputs:diffuseColor = ({:.7g}, {:.7g}, {:.7g})".format(*look.colour))
                    self.line(f"float inputs:opacity = {look.opacity:.7g}")
                self.line("token outputs:surface")
            if look.picture:
                self._reader("Places", "float2", "st")
                self._texture(path, "Picture", look.picture, "sRGB")
                self._texture(path, "Normals", look.normals, "raw")
            elif look.colour is None:
                self._reader("Colours", "float3", "displayColor")

    def _reader(self, name: str, kind: str, primvar: str) -> None:
        """Write a node that reads what points have."""
        with self.prim("Shader", name):
            self.line(f'uniform token info:id = "UsdPrimvarReader_{kind}"')
            self.line(f'string inputs:varname = "{primvar}"')
            self.line(f"{kind} outputs:result")

    def _texture(self, path: str, name: str, picture: str, space: str) -> None:
        """Write a node that reads a picture; numbers of normals go from −1 to 1."""
        with self.prim("Shader", name):
            self.line('uniform token info:id = "UsdUVTexture"')
            self.line(f"asset inputs:file = @./{picture}@")
            self.line(f"float2 inputs:st.connect = <{path}/Places.outputs:result>")
            self.line(f'token inputs:sourceColorSpace = "{space}"')
            if space == "raw":
                self.line("float4 inputs:scale = (2, 2, 2, 1)")
                self.line("float4 inputs:bias = (-1, -1, -1, 0)")
            # Needles repeat.
            self.line('token inputs:wrapS = "repeat"')
            self.line('token inputs:wrapT = "repeat"')
            self.line("float3 outputs:rgb")
            self.line("float outputs:a")
