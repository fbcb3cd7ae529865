"""Makes world.jpg: a whole world of 16,384 cells a side, and 800 × 800 samples of it where four tiles meet.

``python docs/world_picture.py WORLD`` takes a finished world.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from terrain_addon.core.tiling.blocks import Block
from terrain_addon.worlds import open_world
from terrain_addon.worlds.pictures import picture_window, picture_world

SIDE, GAP, SAMPLES = 640, 8, 800
QUALITY = 85


def main(world: Path) -> None:
    """Write the picture.

    Parameters
    ----------
    world : Path
        Folder of a finished world.
    """
    cells = open_world(world).size
    corner = cells // 2 - SAMPLES // 2
    picture = Image.new("RGB", (2 * SIDE + GAP, SIDE), "white")
    with tempfile.TemporaryDirectory() as scratch:
        whole, part = Path(scratch, "whole.png"), Path(scratch, "part.png")
        picture_world(world, whole)
        picture_window(world, Block(corner, corner, SAMPLES, SAMPLES), part)
        for file, left in ((whole, 0), (part, SIDE + GAP)):
            with Image.open(file) as opened:
                picture.paste(opened.convert("RGB").resize((SIDE, SIDE), Image.Resampling.LANCZOS), (left, 0))
    low, high = (round(SIDE * end / cells) for end in (corner, corner + SAMPLES))
    # Row 0 is south, and pixels are counted from the north.
    ImageDraw.Draw(picture).rectangle((low, SIDE - high, high, SIDE - low), outline="red", width=2)
    picture.save(FOLDER / "world.jpg", quality=QUALITY)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
