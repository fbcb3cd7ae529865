"""See the project, test it, pack it, measure it.

    python build.py demo     make a landscape and pictures of it under demo/
    python build.py test     run the tests on every Blender there is a Python for (4.2, 4.5 and 5.2)
    python build.py build    make the extension's zips under dist/
    python build.py release  make what a user downloads under dist/: zips, checksums, notes, check-list
    python build.py bench    measure, compared with other programs
    python build.py docs     make the pictures, tables and the site of docs/ again

Needs Python 3.11 or 3.13 and nothing else: Blender comes as the Python package bpy.  What a command needs is installed
on its first run into `.environments/`, at the versions pinned in pyproject.toml; delete that folder to start over.
"""

import sys

if sys.version_info[:2] not in ((3, 11), (3, 13)):
    sys.exit(f"build.py runs on Python 3.11 or 3.13, as Blender does, and not on {sys.version.split()[0]}.")

import argparse
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "terrain_addon"
ORACLE = PACKAGE / "core" / "relief" / "oracle"  # only tests use it
BENCHMARKS = ROOT / "benchmarks"
ENVIRONMENTS = ROOT / ".environments"
WHEELS = ENVIRONMENTS / "wheels"

# Each Blender that is tested, oldest first, with the Python that is built into it.
BLENDERS = {"4.2": "3.11", "4.5": "3.11", "5.2": "3.13"}
BENCH_BLENDER = "4.5"
SITE = "site"  # a part of the documentation, and the group of what makes it
TUTORIAL = "tutorial"  # a part of the documentation

SPACE_NEEDED = 3 * 1024**3
MINUTE = 60
TIME_LIMITS = {
    "demo": 30 * MINUTE,
    "test": 29 * MINUTE,
    "bench": 60 * MINUTE,
    "soak": 600 * MINUTE,
    "docs": 240 * MINUTE,
}

# After so many minutes nothing more begins in a window or on older Blenders: a slow machine still ends in time.
LAST_MINUTE = 25
# A clean clone has no kernels yet, so this compiles what all others use, and would only wait for them.
FIRST = ("tests/core/test_warming.py",)
# On the oldest Blender everything runs that is not the same on all: first the stored bytes, then what Blender itself
# does.  It runs as if on the first processors of their kind: the bytes must not depend on what numba, numpy and the C
# library choose for newer ones.
STORED_BYTES = ("tests/laws/test_determinism.py", "tests/laws/test_every_output.py")
OLDEST = (
    "tests/blender",
    "tests/files",
    "tests/core",
    "tests/laws",
    "tests/reference",
    "tests/architecture",
    "tests/gui",
)
OLD_PROCESSOR = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NPY_DISABLE_CPU_FEATURES": "SSE42 AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-AVX512F,-AVX512F_Usable",
}
# What still differs between the oldest and the newest Blender shows in these; tests/soak compares whole lands, too.
BETWEEN = (
    "tests/blender/test_registration.py",
    "tests/laws/test_determinism.py::test_reliefs_are_the_same_everywhere",
)
# The tests in parts that share nothing, so that two can run side by side on the newest Blender.  Laws begin beside what
# needs no kernels, and have compiled most of them when those of Blender begin.
PARTS = {
    "laws": ("tests/laws", "--ignore=tests/laws/test_kernels.py"),
    "architecture": ("tests/architecture", "tests/gui/test_command.py"),
    "Blender": ("tests/blender",),
    "files": ("tests/files", "tests/reference"),
    "kernels and core": ("tests/laws/test_kernels.py", "tests/core", *(f"--ignore={path}" for path in FIRST)),
}
# A window without a graphics card takes minutes, so it comes after what must run in any case.
WINDOW = ("tests/gui/test_window.py",)
AT_ONCE = 2  # a run uses one processor most of the time, and up to 3 GB of memory
NO_TEST_CHOSEN = 5  # pytest's exit status
NO_TIME = -1000  # the run was left out; a process that a signal has ended has -1 to -64

say = functools.partial(print, flush=True)


class Failure(Exception):
    """Something that the person in front of the screen can act on, as one sentence."""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return the exit status."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = _parser().parse_args(arguments[:end])
    options.passed_on = arguments[end + 1 :]
    if options.passed_on and options.command is not test:
        raise Failure("only `test` takes arguments after --, which go to pytest")
    signal.signal(signal.SIGTERM, stop)
    status: int = options.command(options)
    return status


def stop(*_: object) -> None:
    """End in order when told to from outside, as `timeout` does: what is known by then is still said.

    Raises
    ------
    Failure
    """
    raise Failure("stopped from outside")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="build.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(function: Callable[[argparse.Namespace], int], summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(function.__name__, help=summary, description=summary)
        added.set_defaults(command=function)
        return added

    added = command(demo, "Make a landscape and pictures of it.")
    added.add_argument("--out", type=Path, default=ROOT / "demo", help="where to put it (default: demo)")
    added.add_argument("--recipe", type=Path, help="a recipe as JSON, instead of the one that comes along")

    added = command(test, "Run the tests; what follows -- goes to pytest.")
    added.add_argument("--blender", choices=[*BLENDERS, "all"], default="all", help="on which Blender (default: all)")
    added.add_argument("--soak", action="store_true", help="instead run what takes hours, on all Blenders")

    added = command(build, "Make the zips to install in Blender.")
    added.add_argument("--out", type=Path, default=ROOT / "dist", help="where to put them (default: dist)")
    which = added.add_mutually_exclusive_group()
    which.add_argument("--platform", choices=WHEEL_PLATFORMS, help="only the zips for this platform")
    which.add_argument("--local", action="store_true", help="only one zip, for this machine and every Python")

    added = command(release, "Make what a user downloads: the zips, their checksums, notes and a check-list.")
    added.add_argument("--out", type=Path, default=ROOT / "dist", help="where to put it (default: dist)")
    added.add_argument("--website", help="address of the project's page, for the manifests")

    added = command(bench, "Measure, compared with other programs.")
    added.add_argument(
        "topic", nargs="?", choices=_topics() or None, metavar="TOPIC", help=f"of {', '.join(_topics())}"
    )
    added.add_argument("--json", type=Path, help="where to write a topic's figures")
    added.add_argument("--check", type=Path, metavar="FILE", help="say what takes longer than in these figures")

    added = command(docs, "Make the pictures, tables and the site of docs/ again.")
    added.add_argument("parts", nargs="*", metavar="PART", help="what to make: site, or as docs/make.py calls it")
    return parser


# --- the commands ----------------------------------------------------------------------------------------------------


def demo(options: argparse.Namespace) -> int:
    """Make a landscape in the Blender that fits the Python in use, and list what was left."""
    blender = newest_blender(running_python())
    interpreter = environment(blender)
    out = options.out.resolve()
    recipe = ["--recipe", str(options.recipe.resolve())] if options.recipe else []
    started = time.time()
    status = run([interpreter, "-m", "terrain_addon.blender.demo", "--out", str(out), *recipe], "demo")
    if status:
        raise Failure(f"the demo ended with status {status}; what it says stands above")
    left = sorted(f for f in out.rglob("*") if f.is_file() and f.stat().st_mtime >= started - 1)
    if not left:
        raise Failure(f"the demo left nothing in {out}")
    for file in left:
        say(f"{file.stat().st_size / 1e6:9.2f} MB  {file}")
    say(f"{len(left)} files in {time.time() - started:.0f} s, made with Blender {blender}.")
    return 0


def test(options: argparse.Namespace) -> int:
    """Run pytest on each Blender, two runs side by side; the closing line of one is the last thing printed."""
    if options.soak:
        os.environ["TERRAIN_SOAK"] = "1"
        soak = TestRun("soak", list(BLENDERS)[-1], tuple(options.passed_on))
        return run(soak.command(), "soak")
    wanted = list(BLENDERS) if options.blender == "all" else [options.blender]
    able = [blender for blender in wanted if find_python(BLENDERS[blender])]
    if not able:
        raise Failure(f"there is no Python {' or '.join(sorted({BLENDERS[b] for b in wanted}))} on this machine")
    os.environ["TERRAIN_TESTS_BEGAN"] = str(time.time())
    os.environ["TERRAIN_LAST_MINUTE"] = str(LAST_MINUTE)
    runs = test_runs(able, options.passed_on)
    if len(runs) == 1:
        return run(runs[0].command(), "test")
    statuses: dict[str, int] = {}
    try:
        for ended, status in side_by_side(runs):
            statuses[ended.name] = status
            say(f"{ended.name}: {verdict(status)}")
    finally:
        for blender in set(wanted) - set(able):
            say(f"Blender {blender}: not run, there is no Python {BLENDERS[blender]} here")
        # What failed or did not end comes last, where it is seen first.
        for each in sorted(runs, key=lambda one: statuses.get(one.name) not in (0, NO_TEST_CHOSEN, NO_TIME)):
            said = each.output.read_text(errors="replace") if each.output.exists() else ""
            say(f"\n{each.name}: {verdict(statuses.get(each.name))}\n{said}", end="")
    # A run without a test that was asked for is no failure, unless there is no such test at all.
    ended_with = set(statuses.values()) - {NO_TIME}
    return int(any(ended_with) and ended_with != {0, NO_TEST_CHOSEN})


@dataclass(frozen=True)
class TestRun:
    """One call of pytest."""

    name: str
    blender: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    alone: bool = False
    skippable: bool = False

    @property
    def output(self) -> Path:
        """Where what it says is kept, so that it can be read while it runs."""
        return ENVIRONMENTS / "tests" / f"{self.name}.txt"

    def command(self) -> list[str]:
        """Return what to run, in an environment that is made if it is missing."""
        self.output.parent.mkdir(parents=True, exist_ok=True)
        # The libraries for worlds need a newer numpy than older Blenders have.
        worlds = ("worlds",) if self.blender == list(BLENDERS)[-1] else ()
        return [environment(self.blender, "test", "check", "manual", *worlds), "-m", "pytest", *self.arguments]


def test_runs(able: Sequence[str], chosen: Sequence[str]) -> list[TestRun]:
    """Return the calls of pytest for some Blenders, in the order in which they begin.

    Tests marked `once` say the same on every Blender, so they run on the newest only.
    """
    *older, newest = able
    if any((ROOT / argument.partition("::")[0]).exists() for argument in chosen):
        old = [TestRun(f"Blender {blender}", blender, ("-m", "not once", *chosen)) for blender in older]
        return [TestRun(f"Blender {newest}", newest, tuple(chosen)), *old]
    parts = [TestRun(f"Blender {newest}, {name}", newest, (*paths, *chosen)) for name, paths in PARTS.items()]
    first = TestRun(f"Blender {newest}, compiling", newest, (*FIRST, *chosen), alone=True)
    window = TestRun(f"Blender {newest}, window", newest, (*WINDOW, *chosen), skippable=True)

    def on_the_oldest(name: str, paths: Sequence[str]) -> list[TestRun]:
        arguments = ("-m", "not once", *paths, *chosen)
        return [TestRun(f"Blender {one}{name}", one, arguments, OLD_PROCESSOR, skippable=True) for one in older[:1]]

    stored, oldest = on_the_oldest(", stored bytes", STORED_BYTES), on_the_oldest("", OLDEST)
    between = [
        TestRun(f"Blender {blender}", blender, ("-m", "not once", *BETWEEN, *chosen), skippable=True)
        for blender in older[1:]
    ]
    # Windows and older Blenders come last: where a machine is slow, it is there that tests are skipped.
    return [first, *parts, *stored, window, *oldest, *between]


def verdict(status: int | None) -> str:
    """Return how a run ended, by its exit status; None if it did not end."""
    words = {0: "passed", NO_TEST_CHOSEN: "no such test", NO_TIME: "left out, there was no time", None: "not ended"}
    return words.get(status, f"FAILED, status {status}")


def side_by_side(runs: Sequence[TestRun]) -> Iterator[tuple[TestRun, int]]:
    """Run some of the tests beside others, each into its file; yield each that has ended, with its exit status."""
    waiting, running = list(runs), dict[TestRun, subprocess.Popen[bytes]]()
    for each in runs:
        each.output.unlink(missing_ok=True)
    began = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < AT_ONCE and not any(each.alone for each in running):
                following = waiting.pop(0)
                if following.skippable and time.monotonic() - began > LAST_MINUTE * MINUTE:
                    # Even its environment might take too long.
                    yield following, NO_TIME
                    continue
                command = following.command()
                with following.output.open("wb") as file:
                    running[following] = started(command, file, following.variables)
                say(f"{following.name} runs and says what it finds in {following.output}")
            for each, process in list(running.items()):
                status = process.poll()
                if status is not None:
                    del running[each]
                    yield each, status
            if time.monotonic() - began > TIME_LIMITS["test"]:
                raise Failure(f"the tests were stopped after {TIME_LIMITS['test'] // MINUTE} minutes")
            time.sleep(0.2)
    finally:
        for process in running.values():
            process.kill()
            process.wait()


def build(options: argparse.Namespace) -> int:
    """Make the zips and let Blender's own checker look at each of them."""
    interpreter = environment(newest_blender(), "manual")
    packages = [local_package()] if options.local else [p for p in PACKAGES if options.platform in (None, p.platform)]
    for package in packages:
        file = make_zip(package, options.out.resolve(), interpreter)
        validate(file, interpreter)
        say(f"{file.stat().st_size / 1e6:6.1f} MB  {file}")
    return 0


def release(options: argparse.Namespace) -> int:
    """Make the zips of all platforms, and beside them their checksums, what is new, and what is left to do by hand."""
    interpreter, out = environment(newest_blender(), "manual"), options.out.resolve()
    files = [make_zip(package, out, interpreter, options.website) for package in PACKAGES]
    for file in files:
        validate(file, interpreter)
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    version = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    notes = release_notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    texts = {"SHA256SUMS": sums, "NOTES.md": notes, "CHECKLIST.md": checklist(version, options.website)}
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")
    for file in [*files, *(out / name for name in texts)]:
        say(f"{file.stat().st_size / 1e6:6.1f} MB  {file}")
    return 0


def release_notes(changelog: str, version: str) -> str:
    """Return what the changelog says of a version, or of what is not released yet."""
    parts = re.split(r"^## (.+)$", changelog, flags=re.MULTILINE)
    entries = {title.split()[0]: text.strip() for title, text in zip(parts[1::2], parts[2::2])}
    for title in (version, "Unreleased"):
        if entries.get(title):
            return f"# {version}\n\n{entries[title]}\n"
    raise Failure(f"CHANGELOG.md says nothing of version {version}, and nothing is unreleased")


def checklist(version: str, website: str | None) -> str:
    """Return what is left to do by hand before a version goes out, as Markdown."""
    steps = [
        f"CHANGELOG.md has a heading `## {version}` with the day, and CITATION.cff has this version",
        "`python build.py test` passes on a clean clone",
        "the zip of this machine installs by drag and drop into an installed Blender, and *New Landscape* works",
        "the zips of Windows and macOS were tried by somebody who has these systems, or the notes say that nobody has",
        "`sha256sum --check SHA256SUMS` passes after the upload",
        f"the commit has the tag `v{version}`",
    ]
    if website is None:
        steps.insert(1, "the release is made with `--website`, the address of the project's page")
    return f"# Before {version} goes out\n\n" + "".join(f"- [ ] {step}\n" for step in steps)


def bench(options: argparse.Namespace) -> int:
    """Run benchmarks/<topic>.py, or all of them one after the other."""
    if not _topics():
        raise Failure(f"there are no benchmarks in {BENCHMARKS}")
    for name in ("json", "check"):
        if getattr(options, name) and not options.topic:
            raise Failure(f"--{name} needs a topic, one of: {', '.join(_topics())}")
    if options.check:
        return check_bench(options.topic, options.check, options.json)
    figures = ["--json", str(options.json.resolve())] if options.json else []
    topics = [options.topic] if options.topic else _topics()
    ended = [run([_bench_interpreter(topic), str(BENCHMARKS / f"{topic}.py"), *figures], "bench") for topic in topics]
    return int(any(ended))


def check_bench(topic: str, before: Path, kept: Path | None) -> int:
    """Measure a topic and compare it with the figures of an earlier run; 1 if something of ours takes longer."""
    if not before.is_file():
        raise Failure(f"there are no figures in {before}; `build.py bench {topic} --json {before}` writes them")
    interpreter = _bench_interpreter(topic)
    with tempfile.TemporaryDirectory() as folder:
        now = kept.resolve() if kept else Path(folder, "now.json")
        status = run([interpreter, str(BENCHMARKS / f"{topic}.py"), "--json", str(now)], "bench")
        return status or run([interpreter, str(BENCHMARKS / "_comparing.py"), str(before.resolve()), str(now)], "bench")


def _bench_interpreter(topic: str) -> str:
    """Return a Python with the Blender and the peers that a topic is measured beside."""
    if topic == "erosion":
        # xarray-spatial knows erosion and rivers only in versions for newer Pythons.
        return environment(newest_blender(running_python()), "bench-erosion")
    if topic == "world":
        return environment(list(BLENDERS)[-1], "worlds", "bench-erosion")
    if topic == "forces":
        return environment(BENCH_BLENDER, "bench-forces")
    interpreter = environment(BENCH_BLENDER, "bench")
    for peer in requirements_of("bench-from-source") if topic == "relief" else ():
        try:
            build_wheel(peer, interpreter)
            interpreter = environment(BENCH_BLENDER, "bench", "bench-from-source")
        except Failure as failure:
            say(f"Measuring without {peer}, which could not be built here: {failure}")
    return interpreter


def docs(options: argparse.Namespace) -> int:
    """Make what in docs/ is made; the oldest Blender writes the file of the tutorial, so that all can read it."""
    newest = newest_blender(running_python())
    if options.parts == [SITE]:
        return make_site(newest)
    oldest = next(blender for blender, python in BLENDERS.items() if find_python(python))
    parts = [part for part in options.parts if part != SITE]
    # The pictures of the window install the extension, which brings its manual along.
    status = run([environment(newest, "pictures", "manual"), str(ROOT / "docs" / "make.py"), *parts], "docs")
    status = status or (make_site(newest) if not options.parts or SITE in options.parts else 0)
    if status or oldest == newest or (options.parts and TUTORIAL not in options.parts):
        return status
    return run([environment(oldest, "pictures"), str(ROOT / "docs" / "make.py"), TUTORIAL], "docs")


def make_site(blender: str) -> int:
    """Make the site of the documentation under dist/site; a broken link or an unknown name ends it.

    Not with --quiet, which hides warnings from the strict mode, too.
    """
    interpreter = environment(blender, SITE)
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # about a version that is not out
    status = run([interpreter, "-m", "mkdocs", "build", "-f", str(ROOT / "docs" / "site" / "mkdocs.yml")], "docs")
    if not status:
        site = ROOT / "dist" / "site"
        say(f"The site is {site / 'index.html'}; `python -m http.server -d {site}` shows it with its search")
    return status


def _topics() -> list[str]:
    return sorted(file.stem for file in BENCHMARKS.glob("[a-z]*.py"))


# --- Python and Blender on this machine -------------------------------------------------------------------------------


def running_python() -> str:
    """Return the Python in use, as in "3.13"."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def newest_blender(python: str = "") -> str:
    """Return the newest Blender that can be run with the given Python, or with any that is on this machine."""
    for blender, needed in reversed(BLENDERS.items()):
        if needed == python if python else find_python(needed):
            return blender
    raise Failure(f"no Blender runs on Python {python or 'versions of this machine'}")


@functools.cache
def find_python(version: str) -> str | None:
    """Return the path of a Python of this version which can make virtual environments, or None.

    Candidates are tried by running them: a name on the PATH may be a launcher for a version that isn't there.
    """
    folder = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    candidates = [[sys.executable], [f"python{version}"], *([str(p)] for p in folder.glob(f"{version}.*/bin/python"))]
    if os.name == "nt":
        candidates.append(["py", f"-{version}"])
    # The real path, so that an environment is not made from another environment.
    report = (
        "import os, sys, ensurepip, venv;"
        "print('%d.%d' % sys.version_info[:2], os.path.realpath(sys.executable), sep='|')"
    )
    for candidate in candidates:
        try:
            said = subprocess.run([*candidate, "-c", report], capture_output=True, text=True, timeout=MINUTE)
        except (OSError, subprocess.TimeoutExpired):
            continue
        found, _, path = said.stdout.strip().partition("|")
        if said.returncode == 0 and found == version:
            return path
    return None


def environment(blender: str, *groups: str) -> str:
    """Return the interpreter of the virtual environment with this Blender, our kernels' compiler and further groups.

    There is one for each Blender, and groups are added to it when they are first wanted.  `installed.json` in it says
    what it holds; it is taken away before anything changes and written afterwards, so that an installation which was
    interrupted is never taken for a whole one: without the file, or with other pins, the environment is made anew.
    """
    python = find_python(BLENDERS[blender])
    if python is None:
        raise Failure(f"Blender {blender} needs Python {BLENDERS[blender]}, which is not on this machine")
    folder = ENVIRONMENTS / f"blender-{blender}"
    interpreter = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    wanted = {g: fingerprint(requirements_of(g)) for g in (f"blender-{blender}", "kernels", *groups)}
    record = folder / "installed.json"
    installed = json.loads(record.read_text()) if record.is_file() and Path(interpreter).is_file() else {}
    if installed and all(installed.get(group, mark) == mark for group, mark in wanted.items()):
        missing = [group for group in wanted if group not in installed]
    else:
        installed, missing = {}, list(wanted)
    if missing:
        record.unlink(missing_ok=True)
        if not installed:
            make_environment(python, folder)
        requirements = [r for group in missing for r in requirements_of(group)]
        # Python compiles what is imported when it is; most of what comes never is.
        pip(interpreter, ["install", "--no-deps", "--no-compile", *requirements])
        record.write_text(json.dumps(installed | wanted, indent=1))
    return interpreter


def stubs(blender: str, interpreter: str) -> Path:
    """Return a folder with the types of Blender's interface as fake-bpy-module describes them, for MYPYPATH."""
    requirements = requirements_of(f"stubs-{blender}")
    folder = ENVIRONMENTS / f"stubs-{blender}"
    record = folder / "installed.json"
    if not record.is_file() or json.loads(record.read_text()) != requirements:
        shutil.rmtree(folder, ignore_errors=True)
        pip(interpreter, ["install", "--no-deps", "--target", str(folder), *requirements])
        # mypy looks for NAME-stubs beside installed packages only; on its path it wants NAME.
        for package in folder.glob("*-stubs"):
            package.rename(folder / package.name.removesuffix("-stubs"))
        record.write_text(json.dumps(requirements))
    return folder


def make_environment(python: str, folder: Path) -> None:
    """Make an empty virtual environment, in place of what was there."""
    if folder.exists():
        shutil.rmtree(folder)
    made = subprocess.run([python, "-m", "venv", str(folder)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if made.returncode:
        raise Failure(
            f"{python} could not make a virtual environment in {folder}: {(made.stdout + made.stderr).strip()}"
        )


def requirements_of(group: str) -> list[str]:
    """Return what a dependency group of pyproject.toml pins."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    lists = ([r] if isinstance(r, str) else requirements_of(r["include-group"]) for r in groups[group])
    return [requirement for listed in lists for requirement in listed]


def fingerprint(parts: Iterable[str]) -> str:
    """Return a short text that changes when a part does."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def pip(interpreter: str, arguments: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
    """Run pip, show what it downloads, and turn its failures into one sentence."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    free = shutil.disk_usage(ENVIRONMENTS).free
    if free < SPACE_NEEDED:
        raise Failure(
            f"{free / 1e9:.1f} GB are free in {ENVIRONMENTS}, and an installation needs {SPACE_NEEDED / 1e9:.1f} GB"
        )
    pins = [a.replace("==", " ") for a in arguments if "==" in a]
    more = f" and {len(pins) - 3} more" if len(pins) > 3 else ""
    size = "about 500 MB, " if pins[0].startswith("bpy ") else ""
    say(f"Fetching {', '.join(pins[:3])}{more} ({size}the first time only)")
    started = time.monotonic()
    options = ["--disable-pip-version-check", "--progress-bar", "off", "--retries", "2", "--timeout", "30"]
    output = []
    with subprocess.Popen(
        [interpreter, "-m", "pip", arguments[0], *options, *arguments[1:]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=os.environ | (variables or {}),
    ) as process:
        for line in process.stdout or ():
            output.append(line)
            if line.lstrip().startswith(("Downloading", "Building wheel", "Installing")):
                say(f"  {time.monotonic() - started:4.0f} s  {line.strip()[:100]}")
    if process.returncode:
        raise Failure(explain(output))
    say(f"  {time.monotonic() - started:4.0f} s  done")


def explain(output: Sequence[str]) -> str:
    """Return the reason why pip failed, with the end of what it said."""
    said = "".join(output)
    reason = next((r for r, signs in PIP_FAILURES.items() if any(sign in said for sign in signs)), "pip failed")
    return f"{reason}; pip's last words:\n" + "".join(f"    {line.rstrip()}\n" for line in output[-8:]).rstrip()


# The first one with a sign in what pip said is the reason.
PIP_FAILURES = {
    "the disk is full": ("No space left on device", "Errno 28"),
    "the package index cannot be reached (no network?)": (
        "NewConnectionError",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "ProxyError",
        "name resolution",
        "getaddrinfo failed",
    ),
    "a package does not exist for this system and Python": ("No matching distribution", "not a supported wheel"),
}


def build_wheel(requirement: str, interpreter: str) -> None:
    """Build a package that comes as source only, against our numpy, into the folder of wheels; pip looks there too."""
    os.environ["PIP_FIND_LINKS"] = WHEELS.as_uri()
    name, version = requirement.split("==")
    if any(WHEELS.glob(f"{name}-{version}-*.whl")):
        return
    headers = subprocess.check_output(
        [interpreter, "-c", "import numpy; print(numpy.get_include())"], text=True
    ).strip()
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", str(WHEELS)]
    pip(interpreter, ["wheel", *options, requirement], {"CPATH": headers})


def run(command: Sequence[str], purpose: str) -> int:
    """Run a command of the project in its folder."""
    process = started(command)
    try:
        return finished(process, purpose)
    finally:
        process.kill()
        process.wait()


def started(
    command: Sequence[str], output: IO[bytes] | None = None, added: Mapping[str, str] = MappingProxyType({})
) -> subprocess.Popen[bytes]:
    """Start a command in the project's folder, with Blender's settings kept apart from the user's own.

    What runs without Blender keeps its kernels where Blender does, so that they are compiled once for both.
    """
    user = ENVIRONMENTS / "blender-user"
    variables = os.environ | {"BLENDER_USER_RESOURCES": str(user), "XDG_CACHE_HOME": str(user / "datafiles"), **added}
    errors = subprocess.STDOUT if output else None
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=variables)


def finished(process: subprocess.Popen[bytes], purpose: str) -> int:
    """Wait for a command to end, and return its exit status; one that goes on for too long is left to the caller."""
    limit = TIME_LIMITS[purpose]
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        raise Failure(f"{purpose} was stopped because it took more than {limit // MINUTE} minutes") from None


# --- the extension's zips ---------------------------------------------------------------------------------------------

# For each platform of Blender the tags of wheels that run on it.
WHEEL_PLATFORMS = {
    "linux-x64": "manylinux_2_28_x86_64",
    "windows-x64": "win_amd64",
    "windows-arm64": "win_arm64",
    "macos-arm64": "macosx_12_0_arm64",
}
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
PACKED = (".py", ".json", ".npz", ".png", ".md", ".cs", ".gd", ".gdshader", ".hlsl", ".shader")


@dataclass(frozen=True)
class Package:
    """One zip: the platform and Blender versions it is for, and the Pythons it brings compiled packages for."""

    label: str
    platform: str
    pythons: tuple[str, ...]
    blender_min: str = "4.2.0"


def _package(name: str) -> Package:
    """Return the zip for a platform, with the compiled packages for the Pythons of Blender 4.2 to 5.2."""
    if name == "windows-arm64":  # no wheels for Python 3.11 there
        return Package(name, name, ("3.13",), blender_min="5.1.0")
    return Package(name, name, ("3.11", "3.13"))


PACKAGES = tuple(map(_package, WHEEL_PLATFORMS))


def local_package() -> Package:
    """Return the zip for this machine and every Python that a Blender on it may have, Linux distributions' included."""
    name = f"{SYSTEMS.get(sys.platform, sys.platform)}-{MACHINES.get(platform.machine().lower(), platform.machine())}"
    if name not in WHEEL_PLATFORMS:
        raise Failure(f"there is no compiler package for {name}, only for {', '.join(WHEEL_PLATFORMS)}")
    pythons = ("3.13", "3.14") if name == "windows-arm64" else ("3.11", "3.13", "3.14")
    return Package(f"{name}-local", name, pythons, blender_min="5.1.0" if "3.11" not in pythons else "4.2.0")


def make_zip(package: Package, out: Path, interpreter: str, website: str | None = None) -> Path:
    """Write one zip, the same bytes each time, and return its path."""
    wheels = [wheel for python in package.pythons for wheel in fetch_wheels(package.platform, python, interpreter)]
    contents = {f"wheels/{wheel.name}": checked_wheel(wheel) for wheel in wheels}
    contents |= licenses_in(wheels)
    for file in sorted(PACKAGE.rglob("*")):
        if "__pycache__" in file.parts or file.is_relative_to(ORACLE) or file.is_dir():
            continue
        if file.suffix not in PACKED:
            raise Failure(
                f"{file.relative_to(ROOT)} is neither of {', '.join(PACKED)}, so it must not be in the package"
            )
        contents[file.relative_to(PACKAGE).as_posix()] = file.read_bytes()
    contents |= manual_pages(interpreter)
    contents["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    text = manifest((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"), package, sorted(wheels), website)
    contents["blender_manifest.toml"] = text.encode()
    known = tomllib.loads(text)
    target = out / f"{known['id']}-{known['version']}-{package.label}.zip"
    out.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".unfinished")
    with zipfile.ZipFile(unfinished, "w") as archive:
        for name, data in sorted(contents.items()):
            # Neither times nor this machine's permissions, and no compression: wheels are compressed already.
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    unfinished.replace(target)
    return target


def manual_pages(interpreter: str) -> dict[str, bytes]:
    """Return the pages and pictures of the manual by their names in the zip."""
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "manual"
        written = subprocess.run(
            [interpreter, str(ROOT / "docs" / "manual.py"), str(pages)], capture_output=True, text=True
        )
        if written.returncode:
            raise Failure(f"the manual could not be made: {(written.stdout + written.stderr).strip()}")
        return {f"manual/{page.name}": page.read_bytes() for page in pages.iterdir()}


def manifest(text: str, package: Package, wheels: Sequence[Path], website: str | None = None) -> str:
    """Return the project's manifest completed for one zip."""
    added = [f"platforms = {json.dumps([package.platform])}"]
    added += [f"website = {json.dumps(website)}"] if website else []
    added += ["wheels = " + json.dumps([f"./wheels/{wheel.name}" for wheel in wheels], indent=4)]
    text, count = re.subn(
        r"^blender_version_min = .*$",
        "\n".join([f'blender_version_min = "{package.blender_min}"', *added]),
        text,
        flags=re.MULTILINE,
    )
    if count != 1:
        raise Failure(f"blender_manifest.toml has {count} lines blender_version_min, not one")
    return text


def fetch_wheels(name: str, python: str, interpreter: str) -> list[Path]:
    """Return the wheels of numba and llvmlite for a platform and Python, downloaded where they aren't there yet."""
    kept = WHEELS / f"{name}-{python}"
    pins = requirements_of("kernels")
    record = kept / "pins.txt"
    if not record.is_file() or record.read_text() != fingerprint(pins):
        if kept.exists():
            shutil.rmtree(kept)
        abi = "cp" + python.replace(".", "")
        target = [
            "--platform",
            WHEEL_PLATFORMS[name],
            "--python-version",
            python,
            "--implementation",
            "cp",
            "--abi",
            abi,
        ]
        pip(interpreter, ["download", "--only-binary=:all:", "--no-deps", "--dest", str(kept), *target, *pins])
        record.write_text(fingerprint(pins))
    return sorted(kept.glob("*.whl"))


def checked_wheel(wheel: Path) -> bytes:
    """Return the bytes of a wheel whose checksum is pinned.

    Raises
    ------
    Failure
        If its checksum is another one, or none is pinned.
    """
    pinned = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["wheels"]["sha256"]
    data = wheel.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if pinned.get(wheel.name) != found:
        raise Failure(
            f"{wheel.name} has the checksum {found}, and pyproject.toml pins {pinned.get(wheel.name, 'none')}; remove "
            f"{wheel} and try again, or pin it if it is a new version"
        )
    return data


def licenses_in(wheels: Sequence[Path]) -> dict[str, bytes]:
    """Return the licences that wheels bring, by their names in the zip: of numba, of llvmlite and of LLVM in it."""
    found = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                folder, _, rest = name.partition(".dist-info/licenses/")
                if rest:
                    found[f"licenses/{folder.partition('-')[0]}/{rest}"] = archive.read(name)
    return found


def validate(file: Path, interpreter: str) -> None:
    """Let the checker that comes with Blender look at a zip."""
    find = "import importlib.util; print(importlib.util.find_spec('bpy').origin)"
    bpy = Path(subprocess.check_output([interpreter, "-c", find], text=True).strip()).parent
    (checker,) = bpy.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    checked = subprocess.run(
        [interpreter, str(checker), "validate", str(file), "--valid-tags", ""], capture_output=True, text=True
    )
    if checked.returncode:
        raise Failure(f"Blender refuses {file.name}: {(checked.stdout + checked.stderr).strip()}")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"build.py: {failure}")
    except KeyboardInterrupt:
        sys.exit("build.py: stopped")
