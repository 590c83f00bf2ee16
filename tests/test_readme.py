"""Every block of code in README.md and in the how-tos, run in order in a copy of this checkout.

A Python block that begins with `# NAME.py` is that file; any other is a program of its own, and those of a page that
need a framework run one after another in one process, which imports the framework once. A console block
is a command and what it prints, where a line of dots stands for any lines. A measured number may be off by a
factor of ten. A line of a Python block that begins with `# ` after one that prints is what that prints.
A block whose title is an emitted file has lines of it.
"""

import importlib.util
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import lngen
from lngen.checks.derived import checkable
from lngen.checks.stability import stability
from lngen.derivation.derivation import EVERY_D, QUOTIENTS
from tests.requirements import NO_JAX, NO_TORCH, needs_gxx, needs_pycuda
from tests.shipped import ROOT, shipped

FILE = re.compile(r"# (\w+\.py)")
"""The first line of a block that is a file."""
EXTRACT = re.compile(r'text title="(generated/[\w/]+\.py)"')
"""The language of a block that is lines of an emitted file, where a line of dots stands for any lines."""
MEASURED = re.compile(r"\b(?:\d\.\de[-+]\d\d|inf)\b")


class Block(NamedTuple):
    line: int
    language: str
    lines: tuple[str, ...]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a Markdown text."""
    found, start = [], None
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if start is None:
                start = number
            else:
                found.append(Block(start + 1, lines[start].removeprefix("```"), tuple(lines[start + 1 : number])))
                start = None
    assert start is None
    return found


def same(expected: str, printed: str) -> bool:
    """Test whether two lines are equal except for white space at the end and the size of measured numbers."""
    if MEASURED.sub("#", expected).split() != MEASURED.sub("#", printed).split():
        return False
    pairs = zip(MEASURED.findall(expected), MEASURED.findall(printed), strict=True)
    return all(_size(a) - 1 <= _size(b) <= _size(a) + 1 for a, b in pairs)


def _size(number: str) -> float:
    """The decimal logarithm; an error of 1 leaves no digit, and a larger one leaves none either."""
    return math.log10(min(float(number), 1.0)) if float(number) else -300.0


def first_difference(expected: Sequence[str], printed: Sequence[str]) -> str | None:
    """The first expected line that was not printed in its place, where a line of dots skips any lines."""
    place, skipping = 0, False
    for line in expected:
        if line == "...":
            skipping = True
            continue
        while skipping and place < len(printed) and not same(line, printed[place]):
            place += 1
        if place >= len(printed) or not same(line, printed[place]):
            return line
        place, skipping = place + 1, False
    return None if skipping or place == len(printed) else f"nothing more, but: {printed[place]}"


HOW_TO = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "how_to").glob("*.md"))
PAGES = {page: blocks((ROOT / page).read_text(encoding="utf-8")) for page in ("README.md", *HOW_TO)}


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with what it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


def said(block: Block) -> list[str]:
    """Lines that a Python block expects its calls of print to print."""
    pairs = zip(block.lines, block.lines[1:], strict=False)
    return [line[2:] for before, line in pairs if before.startswith("print(") and line.startswith("# ")]


COPIED = ("lngen", "templates", "generated", "derive", "tools", "pyproject.toml")


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    for name in COPIED[:-1]:
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / COPIED[-1], folder)
    return folder


@pytest.fixture
def checkout(copied: Path) -> Iterator[Path]:
    """A copy of the checkout; what a page writes beside it is gone before the next one."""
    yield copied
    for path in copied.iterdir():
        if path.is_dir() and path.name not in COPIED:
            shutil.rmtree(path)
        elif path.name not in COPIED:
            path.unlink()


def run(checkout: Path, *arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    # `make gpu` keeps PyCUDA in a folder of its own, which the path names.
    places = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if Path(place, "pycuda").is_dir()]
    # A copy of the checkout, where there is one, comes first: it is the working folder.
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *places])
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, input=given)


def on_a_device(block: Block) -> bool:
    """Test whether a block needs a GPU, or PyCUDA to run on the emulator."""
    return any("pycuda" in line or "--backend cuda" in line for line in block.lines)


FRAMEWORKS = {"torch": NO_TORCH, "jax": NO_JAX}


def framework_of(block: Block) -> str:
    """The framework that a block needs, if it needs one."""
    named = {name for name in FRAMEWORKS for line in block.lines if line.startswith(f"import {name}")}
    named |= {"torch" for line in block.lines if line.startswith("$ ") and "--torch" in line}
    return next(iter(named), "")


@pytest.mark.ci
@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs_and_prints_what_is_said(checkout, page):
    on_host = [block for block in PAGES[page] if not on_a_device(block)]
    missing = {name for name in map(framework_of, on_host) if name and importlib.util.find_spec(name) is None}
    run_blocks(checkout, page, [block for block in on_host if framework_of(block) not in missing])
    for name in sorted(missing):
        pytest.skip(FRAMEWORKS[name])


@needs_pycuda
@needs_gxx
@pytest.mark.cuda
@pytest.mark.ci
@pytest.mark.parametrize("page", [page for page, found in PAGES.items() if any(map(on_a_device, found))])
def test_every_block_for_a_device_runs_and_prints_what_is_said(tmp_path, page):
    """Blocks run from another folder with the lngen of this checkout: a copy would have the emulator compiled again."""
    chosen = [block for block in PAGES[page] if on_a_device(block)]
    assert chosen
    run_blocks(tmp_path, page, chosen)


IN_TURN = """
import contextlib, io, json, sys

printed = []
for where, text in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(text, where, "exec"), {"__name__": "__main__"})
    printed.append(out.getvalue().splitlines())
json.dump(printed, sys.stdout)
"""


def run_blocks(checkout: Path, page: str, chosen: Sequence[Block]) -> None:
    later = []
    for block in chosen:
        where = f"{page}:{block.line}"
        if block.language == "python":
            text = "\n".join(block.lines) + "\n"
            if name := FILE.fullmatch(block.lines[0]):
                (checkout / name[1]).write_text(text, encoding="utf-8")
                continue
            if framework_of(block):
                later.append((where, text, said(block)))
                continue
            result = run(checkout, "-W", "error", "-c", text)
            assert (result.returncode, result.stderr) == (0, ""), where
            if expected := said(block):
                assert result.stdout.splitlines() == expected, where
        elif block.language == "console":
            for command, expected in commands(block):
                program, *arguments = shlex.split(command)
                if program == "make":
                    assert expected == []
                    continue
                assert program in ("lngen", "python"), where
                result = run(checkout, *(["-m", "lngen"] if program == "lngen" else []), *arguments)
                printed = (result.stdout + result.stderr).rstrip("\n").split("\n")
                assert "Traceback" not in result.stderr, where
                difference = first_difference(expected, printed)
                assert difference is None, f"{where}: `{command}` did not print: {difference}\n" + "\n".join(printed)
        elif block.language == "toml":
            tomllib.loads("\n".join(block.lines))
        elif block.language.startswith(("cpp ", "cmake ")) or EXTRACT.fullmatch(block.language):
            continue  # test_own_build.py builds it; test_an_extract_is_of_its_file compares it
        else:
            pytest.fail(f"{where}: a block of {block.language or 'no language'} cannot be run")
    if later:
        result = run(checkout, "-W", "error", "-c", IN_TURN, given=json.dumps([each[:2] for each in later]))
        assert (result.returncode, result.stderr) == (0, "")
        for (where, _, expected), printed in zip(later, json.loads(result.stdout), strict=True):
            assert not expected or printed == expected, where


EXTRACTS = [
    (page, block, found[1]) for page in PAGES for block in PAGES[page] if (found := EXTRACT.match(block.language))
]


def missing(extract: Sequence[str], text: str) -> str | None:
    """The first piece of an extract that a text does not have in its place."""
    for piece in re.split(r"^ *\.\.\.\n", "\n".join([*extract, ""]), flags=re.MULTILINE):
        found, piece_there, text = text.partition(piece)
        if not piece_there or (found and not found.endswith("\n")):
            return piece
    return None


@pytest.mark.parametrize(("page", "block", "file"), EXTRACTS, ids=[page for page, *_ in EXTRACTS])
def test_an_extract_is_of_its_file(page, block, file):
    assert missing(block.lines, (ROOT / file).read_text(encoding="utf-8")) is None, f"{page}:{block.line}"


@pytest.mark.parametrize("name", ["use_a_layer", "pytorch", "jax", "vendor_a_layer"])
def test_a_page_of_a_backend_shows_what_is_emitted(name):
    assert f"docs/how_to/{name}.md" in {page for page, *_ in EXTRACTS}


def test_the_make_targets_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"\bmake (\w+)\b", "\n".join(re.findall(r"`[^`]+`|^\$ .*", text, re.MULTILINE))))
    assert targets >= {"derive", "test"}
    made = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets <= set(made)


def test_the_figures_are_those_of_the_layers():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    manifests = {path.parent.name: json.loads(path.read_text()) for path in ROOT.glob("generated/*/manifest.json")}
    layer = manifests["layer_norm"]
    counts = [each["count"] for each in layer["evidence"] if each["about"] != QUOTIENTS]
    proved = sum(each["count"] for each in layer["evidence"] if each["kind"] == EVERY_D)
    assert f"| {proved} of {sum(counts)} |" in text
    moved = [
        sum(layer["cost"][each][f"row_tensors_{way}"] for way in ("read", "written"))
        for each in ("forward", "backward")
    ]
    assert f"| {moved[0]} forward + {moved[1]} backward |" in text
    steps = re.findall(r"layer_norm.json: (\d+) steps", text)
    assert f"| {steps[0]} of {steps[0]} |" in text
    weaker = [
        f"`{name}`"
        for name, held in sorted(manifests.items())
        if any(each["about"] == "gradients" and each["kind"] != EVERY_D for each in held.get("evidence", ()))
    ]
    assert f"gradients of {' and '.join(weaker)} are not proved but held to 50 digits" in text


def test_the_error_of_readme_is_that_of_the_table():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = stability(checkable(shipped("layer_norm").plan, lngen.load("layer_norm")), (1e4,), ("float32",))
    stated = float(re.findall(r"error of y, mean 10,000, D = 256 \| (\S+) \|", text)[0])
    assert 0.5 < table.lines[0].emitted / stated < 2


@pytest.mark.parametrize(
    "document", ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
)
def test_links_lead_somewhere(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    missing = [link for link in links if not ((ROOT / document).parent / link.partition("#")[0]).exists()]
    assert missing == []


class TestTheComparison:
    def test_a_missing_or_a_further_line_is_a_difference(self):
        assert first_difference(["a", "b"], ["a"]) == "b"
        assert first_difference(["a"], ["a", "b"]) == "nothing more, but: b"
        assert first_difference(["...", "x"], ["a", "b"]) == "x"

    def test_a_line_that_is_not_in_the_file_is_missing(self):
        text = "a = 1\nb = 2\nc = 3\n"
        assert missing(["a = 1", "...", "c = 3"], text) is None
        assert missing(["a = 1", "c = 3"], text) == "a = 1\nc = 3\n"
        assert missing(["c = 3", "...", "a = 1"], text) == "a = 1\n"
        assert missing(["= 2"], text) == "= 2\n"
