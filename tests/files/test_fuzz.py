"""Files broken in every way: each gives heights or one sentence, never anything else.

The test reads a few thousand broken files.  More of them, other ones each time the first number is another:

    python -m tests.files.test_fuzz 100000 [FIRST]
"""

import faulthandler
import io
import json
import re
import struct
import sys
import tempfile
import time
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.files.elevation import READERS, preview_elevation, read_elevation
from terrain_addon.files.exr import write_exr
from terrain_addon.files.png import write_png
from tests.files.tiff_writer import PLACE, geo_keys, make_tiff, nodata

pytestmark = pytest.mark.once

DATA = Path(__file__).parent / "data"
LAND = (np.random.default_rng(5).normal(0.0, 3.0, (23, 17)).cumsum(axis=0) + 500.0).astype(np.float32)
TEXTS = (".asc", ".hdr", ".json", ".prj")
LONGEST_MESSAGE = 600
HANGING = 120

Files = dict[str, bytes]
"""The bytes of a file and of those beside it; the first is the one to read."""


def npy(values: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def zipped(members: Files, method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def written(write: Callable[[Path], None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "file")
        return (Path(folder) / "file").read_bytes()


def whole_files() -> list[Files]:
    """Return a whole file of every kind: small ones, of which most is header, and those that other programs wrote."""
    found: list[Files] = []
    for path in sorted(DATA.iterdir()):
        if path.suffix in READERS and path.stat().st_size < 40_000:
            beside = [path.with_suffix(suffix) for suffix in TEXTS[1:]]
            found.append({p.name: p.read_bytes() for p in (path, *beside) if p.is_file()})
    place = PLACE | geo_keys(model=1, unit=9002, vertical=9003) | nodata("-9999")
    for kind, options in (
        ("<i2", {}),
        ("<u1", {"strip_rows": 5, "packing": 5}),
        ("<f4", {"tile": (16, 16), "packing": 8, "predictor": 3}),
        ("<f8", {"order": ">", "big": True, "tile": (16, 32)}),
        ("<i4", {"strip_rows": 1, "packing": 5, "predictor": 2}),
        ("<f2", {"strip_rows": 8, "packing": 8, "order": ">"}),
    ):
        values = LAND.astype(kind) if kind != "<u1" else (LAND - 450).astype(kind)
        found += [{"land.tif": make_tiff(values, tags=tags, **options)} for tags in ({}, place)]  # type: ignore[arg-type]
    degrees = {33550: (12, [1 / 1200, 1 / 1200, 0]), 33922: (12, [0, 0, 0, 7.0, 46.0, 0])} | geo_keys(model=2)
    found.append({"land.tif": make_tiff(LAND, tags=degrees)})
    found.append({"land.png": written(lambda p: write_png(p, (LAND * 9).astype(np.uint16)))})
    found.append({"land.png": written(lambda p: write_png(p, (LAND / 9).astype(np.uint8)))})
    found.append({"land.exr": written(lambda p: write_exr(p, {"Y": LAND}))})
    found.append({"land.exr": written(lambda p: write_exr(p, {name: np.round(LAND) for name in "RGB"}))})
    found += [{"land.npy": npy(values)} for values in (LAND, LAND.astype(">i2"), np.asfortranarray(LAND))]
    members = {"elevation.npy": npy(LAND), "cell_size.npy": npy(np.array(30.0))}
    found += [{"land.npz": zipped(members, method)} for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
    rows = "\n".join(" ".join(f"{h:.1f}" for h in row) for row in LAND)
    head = f"ncols 17\nnrows 23\nxllcorner 7.5\nyllcorner 46.1\ncellsize 0.000833\nNODATA_value -9999\n{rows}\n"
    found.append({"land.asc": head.encode(), "land.prj": b'GEOGCS["GCS_WGS_1984",UNIT["Degree",0.0174532925199433]]'})
    float_grid = (
        "ncols 17\nnrows 23\nxllcorner 4e5\nyllcorner 5e6\ncellsize 25\nnodata_value -9999\nbyteorder LSBFIRST\n"
    )
    found.append({"land.flt": LAND.tobytes(), "land.hdr": float_grid.encode()})
    found.append({"land.r8": bytes(range(144)), "land.json": b'{"width": 18, "height": 8}'})
    found.append({"N46E007.hgt": bytes(2 * 1201 * 601)})
    return found


def break_bytes(data: bytes, others: list[bytes], random: Random) -> bytes:
    """Return data with one thing wrong."""
    broken = bytearray(data)
    # Headers are what readers believe: half of all faults lie there, or at the end, where TIFF and ZIP keep theirs.
    reach = random.choice((len(data), 64, 400))
    place = random.randrange(max(1, min(reach, len(data))))
    if random.random() < 0.3:
        place = max(0, len(data) - 1 - place)
    width = random.choice((1, 2, 4, 8))
    match random.randrange(9):
        case 0 if broken:
            broken[place] ^= 1 << random.randrange(8)
        case 1:
            broken[place : place + 1] = bytes([random.choice((0, 1, 127, 128, 255, random.randrange(256)))])
        case 2:
            number = random.choice((0, 1, 2**15, 2**16 - 1, 2**31, 2**31 - 1, 2**32 - 1, 2**63, 2**64 - 1, len(data)))
            number = max(0, number + random.randrange(-2, 3)) % 256**width
            broken[place : place + width] = number.to_bytes(width, random.choice(("little", "big")))  # type: ignore[arg-type]
        case 3:
            del broken[place:]
        case 4:
            del broken[place : place + random.choice((1, 2, 4, 12, 100))]
        case 5:
            broken[place:place] = random.randbytes(random.choice((1, 2, 4, 12, 100)))
        case 6:
            number = random.choice((float("nan"), float("inf"), -1.0, 0.0, 1e300, 1e-300, 1e30))
            broken[place : place + 8] = struct.pack(random.choice("<>") + "d", number)
        case 7:
            other = random.choice(others)
            start = random.randrange(max(1, len(other)))
            broken[place : place + random.choice((8, 64, 1000))] = other[start : start + random.choice((8, 64, 1000))]
        case _:
            length = random.choice((2, 4, 8, 12, 20))
            start = random.randrange(max(1, len(data)))
            broken[place : place + length] = data[start : start + length]
    return bytes(broken)


WORDS = (
    "nan inf -inf 1e999 -1 0 1 2 3 1e-9 99999999999 0x10 1,5 9999999 -9999 16384 FLOAT M ENVI { } [ ] null true é \0"
)
NUMBER = re.compile(rb"-?[0-9.]+")


def break_text(data: bytes, random: Random) -> bytes:
    """Return a text with one word replaced, or a line lost or said twice."""
    if random.random() < 0.3:
        lines = data.split(b"\n")
        line = random.randrange(min(len(lines), 12))
        lines[line : line + 1] = random.choice(([], [lines[line]] * 2, [lines[line][::-1]], [b"[" * 3000]))
        return b"\n".join(lines)
    words = list(NUMBER.finditer(data[:2000] if random.random() < 0.8 else data))
    if not words:
        return data + b"7"
    word = random.choice(words)
    return data[: word.start()] + random.choice(WORDS.split(" ")).encode() + data[word.end() :]


def mend_png(data: bytes) -> bytes:
    """Return a PNG image with right checksums, so that what is wrong behind them is looked at."""
    mended, place = bytearray(data), 8
    while place + 12 <= len(mended):
        (length,) = struct.unpack_from(">I", mended, place)
        end = place + 8 + length
        if end + 4 > len(mended):
            break
        mended[end : end + 4] = struct.pack(">I", zlib.crc32(mended[place + 4 : end]))
        place = end + 4
    return bytes(mended)


def break_inside(name: str, data: bytes, others: list[bytes], random: Random) -> bytes:
    """Return a file that is packed rightly, but holds something wrong."""
    if name.endswith(".npz"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {member: archive.read(member) for member in archive.namelist()}
        member = random.choice(sorted(members))
        members[member] = break_bytes(members[member], others, random)
        return zipped(members, zipfile.ZIP_DEFLATED)
    return mend_png(break_bytes(data, others, random))


def broken_files(whole: list[Files], number: int) -> Files:
    """Return the broken files of a number: the same ones each time."""
    random = Random(number)
    files = dict(random.choice(whole))
    if next(iter(files)).endswith(".hgt") and random.random() < 0.95:
        files = dict(whole[number % (len(whole) - 1)])  # Large, and nothing in them can lie.
    others = [next(iter(f.values()))[:5000] for f in whole]
    for turn in range(random.choice((1, 1, 1, 2, 5))):
        name = random.choice(sorted(files))
        if name.endswith(TEXTS) and random.random() < 0.7:
            files[name] = break_text(files[name], random)
        elif name.endswith((".npz", ".png")) and turn == 0 and random.random() < 0.5:
            files[name] = break_inside(name, files[name], others, random)
        else:
            files[name] = break_bytes(files[name], others, random)
    if random.random() < 0.03:  # Mislabelled, or alone.
        first = next(iter(files))
        stem, _ = first.rsplit(".", 1)
        files = (
            {f"{stem}{random.choice(sorted(READERS))}": files[first]}
            if random.random() < 0.5
            else {first: files[first]}
        )
    return files


def outcome(folder: Path, files: Files, number: int) -> str:
    """Read broken files and tell what came of it; raise what no reader may raise."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    path = folder / next(iter(files))
    try:
        if number % 5 == 0:
            preview_elevation(path)
        crop = (0.2, 0.1, 0.7, 0.9) if number % 7 == 0 else (0.0, 0.0, 1.0, 1.0)
        elevation = read_elevation(path, fill_holes=number % 3 > 0, crop=crop)
    except ValueError as error:
        message = str(error)
        if not message.startswith(f"cannot read {path}: ") or "\n" in message or len(message) > LONGEST_MESSAGE:
            raise AssertionError(f"no sentence for the user: {message!r}") from error
        reason = message.removeprefix(f"cannot read {path}: ")
        return f"{path.suffix}  {re.sub(r'[0-9][0-9.e+-]*|[^ ]*[^ -~×±][^ ]*', '#', reason)[:60]}"
    finally:
        for name in files:
            (folder / name).unlink()
    assert isinstance(elevation, StoredField)
    assert np.isfinite(elevation.heights).all()
    return f"{path.suffix}  read"


def run(folder: Path, first: int, count: int) -> Counter[str]:
    """Break and read `count` files; the number of one that goes wrong is in the error."""
    whole = whole_files()
    outcomes: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What numpy before 2.? says where it cannot parse a text: the reader finds that out by itself.
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        for number in range(first, first + count):
            try:
                outcomes[outcome(folder, broken_files(whole, number), number)] += 1
            except Exception as error:
                raise AssertionError(f"input {number} ended in {type(error).__name__}: {error}") from error
    return outcomes


def test_whole_files_are_read(tmp_path: Path) -> None:
    for files in whole_files():
        if "piz" not in next(iter(files)):
            assert outcome(tmp_path, files, 1).endswith("read"), next(iter(files))


def test_broken_files_give_heights_or_one_sentence(tmp_path: Path) -> None:
    outcomes = run(tmp_path, 0, 2500)
    # Neither everything refused nor nothing, and for many reasons: the faults do reach into the readers.
    read = sum(count for name, count in outcomes.items() if name.endswith("  read"))
    assert 100 < read < 2000
    assert len(outcomes) > 100
    assert {name.split("  ")[0] for name in outcomes} >= {
        ".tif",
        ".png",
        ".exr",
        ".npy",
        ".npz",
        ".asc",
        ".bil",
        ".r16",
    }


def main(count: int, first: int) -> None:
    """Read many broken files, and say what came of them."""
    started, done, outcomes = time.monotonic(), 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        while done < count:
            # Whatever hangs longer than this is shown, and the end.
            faulthandler.dump_traceback_later(HANGING, exit=True)
            step = min(1000, count - done)
            outcomes += run(Path(folder), first + done, step)
            done += step
            print(f"{done} files, {time.monotonic() - started:.0f} s", end="\r", flush=True)
    faulthandler.cancel_dump_traceback_later()
    read = sum(n for name, n in outcomes.items() if name.endswith("  read"))
    print(f"{count} broken files in {time.monotonic() - started:.0f} s: {read} were read, {count - read} refused")
    print(json.dumps(dict(outcomes.most_common(40)), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
