"""Programs that print the addresses of headers: their pieces, and what becomes of each assertion."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.addresses.headers import CUDA, HERE, RUNTIME, cuda_texts, native_texts, shape_texts
from tools.addresses.solver import Assertion, Prover, Terms, recorded, z3

OPTIONS = ("-std=c++20", "-O0", "-g", "-w", "-no-pie", "-fno-omit-frame-pointer", "-fmax-errors=5")
SECONDS = 1800
REACHED_BY = 8
"""Ways to an access of which one has to be possible."""


class NotCompiled(Exception):
    """A compiler refuses a header's text with symbols in it."""


@dataclass(frozen=True)
class HeaderProgram:
    """A text with pieces: what each calls, and for which geometry that stands."""

    name: str
    source: str
    texts: Callable[[Path], dict[str, str]]
    pieces: Mapping[str, str]
    macros: Sequence[str] = ()


@dataclass(frozen=True)
class OpenAssertion:
    """An assertion that is not shown, and the reason: a point, or what was not followed."""

    piece: str
    kind: str
    what: str
    line: str
    reason: str


@dataclass(frozen=True)
class ProgramOutcome:
    """Outcome of a program: its assertions by line, those that are not shown, and the work that it was."""

    program: str
    assertions: Sequence[Assertion]
    findings: Sequence[OpenAssertion]
    ways: int
    questions: int
    seconds: float


def _row(
    vector: int, copied: int, row: str, sums: str = "IN_REGISTERS", features: str = "true", of: str = "f32"
) -> str:
    return f"Geometry<{of}, {vector}, {copied}, {row}, {sums}, {features}>"


def _rows(layer: str, geometry: str) -> str:
    return f"rows_call<{layer}, {geometry.partition('<')[2].partition(',')[0]}, {geometry}>()"


_READING = {
    "rows in registers, of 4 entries an access": _rows("Reading", _row(4, 0, "WIDENED")),
    "rows as stored, of 8, three copied ahead": _rows("Reading", _row(8, 3, "PACKED", features="false", of="f16")),
    "rows read again, of 2, two copied ahead": _rows("Reading", _row(2, 2, "READ_AGAIN", features="false", of="f64")),
    "rows in registers, of 1 of two bytes, one copied ahead": _rows("Reading", _row(1, 1, "WIDENED", of="f16")),
    "rows read again, of 1": _rows("Reading", _row(1, 0, "READ_AGAIN", features="false")),
}
_OF_THE_CALL = {"rows in registers, of 1 entry an access": _rows("Reading", _row(1, 0, "WIDENED"))}
_SUMMING = {
    "sums in registers": _rows("Summing", _row(4, 0, "WIDENED")),
    "sums in shared memory": _rows("Summing", _row(2, 0, "READ_AGAIN", "IN_SHARED_MEMORY", "false")),
    "sums in the workspace": _rows("Summing", _row(1, 0, "READ_AGAIN", "IN_WORKSPACE", "false")),
}
_OF_WARPS = {"rows of whole warps": _rows("Reading", _row(4, 0, "WIDENED"))}
_COLUMNS = {
    "the end of sums, in turn": "columns_call<ColumnsLaunch<f32, Ending<COLUMNS_OF_BLOCK>>, f32>()",
    "the end of sums, in one block": "columns_call<ColumnsLaunch<f32, Ending<0>>, f32>()",
}
_SHAPES = {
    "parts of shape_of": "parts_call(), copies_call()",
    **{f"shape_of, entries of {size} bytes": f"shape_call<{size}, {max(size, 4)}, 16>()" for size in (2, 4, 8)},
    "shape_of, an entry an access": "shape_call<4, 4, 1>()",
}
_WHOLE_WARPS = {
    f"whole warps, {chunks} chunks of {vector}": f"whole_warps_call<{chunks}, {vector}>()"
    for chunks, vector in ((1, 8), (3, 1), (4, 8), (5, 8), (6, 8), (12, 2))
}
_NATIVE = {
    "sums of a row": "sweep_call()",
    "columns of a row": "columns_call()",
    "chunks of rows": "chunks_call()",
    "sums of a chunk": "workspace_call()",
    "sums of all chunks": "totals_call()",
}
_PLACED = {
    "a quotient and its rest": "divided_call()",
    "rows that lie apart": _rows("Placed", _row(4, 0, "WIDENED", features="false")),
}


_SEGMENTS = {
    "segments, in registers": _rows("Segmented", _row(4, 0, "WIDENED", features="false")),
    "segments, read again": _rows("Segmented", _row(2, 0, "READ_AGAIN", features="false")),
}

_RUNS = {"the end of runs": "ends_call<f32>()"}


def _every() -> dict[str, str]:
    """Return the pieces of rows for each width of an access, form of a row and number of rows copied ahead."""
    found = {}
    for of, vectors in (("f16", (1, 2, 4, 8)), ("f32", (1, 2, 4)), ("f64", (1, 2))):
        for vector in vectors:
            for row in ("WIDENED", "PACKED", "READ_AGAIN"):
                for copied in range(9):
                    features = "true" if row == "WIDENED" else "false"
                    name = f"{row.lower()}, {vector} of {of}, {copied} ahead"
                    found[name] = _rows("Reading", _row(vector, copied, row, features=features, of=of))
    return found


PROGRAMS = (
    HeaderProgram("reading rows", "cuda.cpp", cuda_texts, _READING),
    HeaderProgram("reading rows, D of the call", "cuda.cpp", cuda_texts, _OF_THE_CALL, ("ANY_D",)),
    HeaderProgram("rows of whole warps", "cuda.cpp", cuda_texts, _OF_WARPS, ("OF_WHOLE_WARPS",)),
    HeaderProgram("sums over rows", "cuda.cpp", cuda_texts, _SUMMING),
    HeaderProgram("the end of sums", "cuda.cpp", cuda_texts, _COLUMNS),
    HeaderProgram("the processor", "native.cpp", native_texts, _NATIVE),
    HeaderProgram("places of rows", "cuda.cpp", cuda_texts, _PLACED, ("LNGEN_AXES=2",)),
    HeaderProgram(
        "rows in segments",
        "cuda.cpp",
        cuda_texts,
        _SEGMENTS,
        ("LNGEN_AXES=1", "LNGEN_SEGMENT=12", "LNGEN_OF_SEGMENT=2", "LNGEN_SUMMED_BY_SEGMENT=2"),
    ),
    HeaderProgram("the end of runs", "cuda.cpp", cuda_texts, _RUNS, ("LNGEN_AXES=2", "LNGEN_SUMMED=1")),
    HeaderProgram("layouts of whole warps", "shapes.cpp", shape_texts, _WHOLE_WARPS),
)
"""The programs that the command shows."""

EVERY = (
    *PROGRAMS,
    HeaderProgram("layouts", "shapes.cpp", shape_texts, _SHAPES),
    *(HeaderProgram(name, "cuda.cpp", cuda_texts, {name: call}) for name, call in _every().items()),
)
"""The same for every width of an access, form of a row and number of rows copied ahead, and shape_of."""


def shown(
    program: HeaderProgram,
    folder: Path = RUNTIME,
    pieces: Iterable[str] | None = None,
    about: tuple[str, str] | None = None,
) -> ProgramOutcome:
    """Compile a program with the headers of a folder, run it, and show what it asserts.

    With `about`, only assertions of a kind about an array, or with these words, are looked at.
    Raises NotCompiled, tools.addresses.text.Changed if a header is not as it is read, and NoSolver.
    """
    z3()
    began = time.monotonic()
    chosen = [*program.pieces] if pieces is None else [*pieces]
    texts = program.texts(folder)
    with tempfile.TemporaryDirectory(prefix="lngen-") as temporary:
        made = Path(temporary)
        for name, text in texts.items():
            (made / name).write_text(text, encoding="utf-8")
        calls = "".join(f'explore("{piece}", [] {{ {program.pieces[piece]}; }});\n' for piece in chosen)
        (made / "calls.h").write_text(calls, encoding="utf-8")
        shutil.copy(HERE / program.source, made)
        command = ["g++", *OPTIONS, "-DPARAMETER=f32", *(f"-D{each}" for each in program.macros), f"-I{made}"]
        binary = made / "addresses"
        done = subprocess.run(
            [*command, str(made / program.source), "-o", str(binary)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NotCompiled(f"{program.name}: {done.stderr[:2000]}")
        run = subprocess.run([binary], capture_output=True, text=True, check=False, timeout=SECONDS)
        if run.returncode:
            raise NotCompiled(f"{program.name}: the program ended with status {run.returncode}")
        found = recorded(binary, run.stdout, [*CUDA, "rows.cuh", "host_rows.h"])
    if about is not None:
        found.assertions = [each for each in found.assertions if (each.kind, each.what) == about]
    terms, prover = Terms(found.nodes), Prover()
    findings = [OpenAssertion("", "open", "", "", each) for each in dict.fromkeys(found.open)]
    findings += _refuted(prover, terms, found.assertions)
    findings += _never_reached(prover, terms, found.assertions)
    seconds = time.monotonic() - began
    return ProgramOutcome(program.name, found.assertions, findings, sum(found.ways.values()), prover.asked, seconds)


def _refuted(prover: Prover, terms: Terms, assertions: Iterable[Assertion]) -> Iterator[OpenAssertion]:
    """Yield the assertions that do not hold, or are not known to: of each line one."""
    told = set()
    for each in assertions:
        key = each.kind, each.what, each.line
        if key in told:
            continue
        reason = prover.refuted(terms, each)
        if reason is not None:
            told.add(key)
            yield OpenAssertion(each.piece, each.kind, each.what, each.line, reason)


def _never_reached(prover: Prover, terms: Terms, assertions: Iterable[Assertion]) -> Iterator[OpenAssertion]:
    """Yield the accesses that no way reaches: what is shown of them says nothing."""
    ways: dict[tuple[str, str], list[Assertion]] = {}
    for each in assertions:
        if each.kind == "access":
            ways.setdefault((each.what, each.line), []).append(each)
    for (what, line), of in ways.items():
        # The shortest way is the likeliest.
        of.sort(key=lambda each: len(each.conditions))
        if not any(prover.is_reached(terms, each) for each in of[:REACHED_BY]):
            yield OpenAssertion(of[0].piece, "reached", what, line, "no call is found that comes to it")
