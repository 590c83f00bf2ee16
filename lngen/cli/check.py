"""`lngen check`: all evidence about emitted code, as a table or as JSON."""

from __future__ import annotations

import math
import multiprocessing
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import repeat
from pathlib import Path

from rich.table import Table
from rich.text import Text

from lngen.checks import DTYPES, FULL_SHAPES, QUICK_SHAPES, Evidence, Report
from lngen.checks.compiled import DEFAULT_FEATURES
from lngen.checks.emitted import BACKENDS, UNCHANGED, CheckRequest, check_emitted
from lngen.checks.evidence import Outcome
from lngen.checks.toolchain import device, nvrtc
from lngen.cli import console, layers
from lngen.cli.cores import cores
from lngen.emit.backends import adapter, takes_integers, with_needed
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.pipeline.files import gpu, loading, manifest, processor
from lngen.pipeline.stages import Derived, EvidenceError, derived
from lngen.plan.cost import parse_dtype, parse_shape
from lngen.runtime.emitted import WITHIN, left_out
from lngen.runtime.native import compiler as host_compiler

_NUMPY_NAMES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16"}
_LARGEST_CHECK = 2**24
NOT_RUN = 3
"""The exit status where nothing speaks against the code, and some of it was not run."""


def run(
    definitions: Sequence[Definition],
    backend: str,
    shapes: Sequence[str],
    dtypes: Sequence[str],
    seed: int,
    as_json: bool,
    out: Path | None = None,
) -> int:
    """Check layers; the exit status is 1 if evidence speaks against one of them.

    If none does, it is `NOT_RUN` if some code could not run on this machine. A layer is named by its definition or by
    the folder that lngen wrote it to. The code in that folder is checked, or in `out`, or under `generated/` if the
    layer has some there, else the code that is emitted now. That of an extension's backend is emitted now where it is
    not there.
    """
    wanted_shapes, wanted_dtypes = parse_shapes(shapes), parse_dtypes(dtypes)
    features = tuple(sorted({d for _, d in wanted_shapes})) if shapes else DEFAULT_FEATURES
    if backend not in (*BACKENDS, *WITHIN, "all"):
        adapter(backend)  # raises where there is none
    backends, left_out = _everything() if backend == "all" else ((backend,), ())
    written = {each.name: _written(each, out) for each in definitions}
    definitions = tuple(
        each if (folder := written[each.name]) is None else replace(each, directions=manifest.directions_of(folder))
        for each in definitions
    )
    thorough = "full" in shapes
    asked = CheckRequest(wanted_shapes, features, wanted_dtypes, seed, thorough or not shapes, thorough)
    side_by_side = _share_cores(definitions)
    parts = len(definitions) * (1 if side_by_side else 1 + len(backends))
    reports: list[Report] = []
    try:
        with console.progress(parts) as part:
            found = (
                _side_by_side(definitions, written, backends, asked, part)
                if side_by_side
                else _in_turn(definitions, written, backends, asked, part)
            )
            for report in found:
                reports.append(report)
                if not as_json:
                    with part.away():
                        _print(report)
    except EvidenceError as error:
        console.note(str(error))
        return 1
    if as_json:
        console.print_json([report.as_json() for report in reports])
    elif len(reports) > 1 or left_out:
        print(_summary(reports, left_out))
    unasked = {name for folder in written.values() if folder for name in manifest.backends_of(folder)}
    if not as_json and backend == "all" and (unasked := unasked & {*loading.FRAMEWORKS}):
        names = ", ".join(sorted(unasked))
        console.note(f"not asked for: {names}, which call this code and take minutes to check (--backend {names})")
    outcomes = {report.outcome for report in reports} | ({"not run"} if left_out else set())
    return 1 if "failed" in outcomes else NOT_RUN if "not run" in outcomes else 0


def _summary(reports: Sequence[Report], left_out: Sequence[str]) -> str:
    """The outcome of several reports, and of the backends without one."""

    def named(outcome: Outcome) -> list[str]:
        return [f"{report.layer} ({report.backend})" for report in reports if report.outcome == outcome]

    failed, not_run, passed = named("failed"), [*named("not run"), *left_out], len(named("passed"))
    if failed:
        parts = [f"FAILED: {', '.join(failed)}"]
    else:
        parts = [f"all {passed} passed" if passed == len(reports) else f"{passed} of {len(reports)} passed"]
    return "; ".join(parts + ([f"NOT RUN: {', '.join(not_run)}"] if not_run else []))


def _share_cores(definitions: Sequence[Definition]) -> bool:
    """Test whether to check several layers at a time; a single GPU checks one after the other."""
    return min(len(definitions), cores()) > 1 and not gpu.has_device_files()


def _in_turn(
    definitions: Sequence[Definition],
    written: Mapping[str, Path | None],
    backends: Sequence[str],
    asked: CheckRequest,
    part: Callable[[str], None],
) -> Iterator[Report]:
    for definition in definitions:
        yield from _reports(definition, written[definition.name], backends, asked, part)


def _side_by_side(
    definitions: Sequence[Definition],
    written: Mapping[str, Path | None],
    backends: Sequence[str],
    asked: CheckRequest,
    part: Callable[[str], None],
) -> Iterator[Report]:
    """The same reports in the same order, by a process for each core."""
    # Not forked: a process inherits neither the threads that run nor the driver that is loaded here.
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(len(definitions), cores()), mp_context=spawned) as pool:
        folders = [written[each.name] for each in definitions]
        found = pool.map(_all_reports, definitions, folders, repeat(backends), repeat(asked))
        for definition in definitions:
            part(f"{definition.name} and the next")
            yield from next(found)


def _all_reports(
    definition: Definition, written: Path | None, backends: Sequence[str], asked: CheckRequest
) -> list[Report]:
    return list(_reports(definition, written, backends, asked, lambda text: None))


def _reports(
    definition: Definition,
    written: Path | None,
    backends: Sequence[str],
    asked: CheckRequest,
    part: Callable[[str], None],
) -> Iterator[Report]:
    """Yield the reports of one layer, by backend; raises EvidenceError if its derivation does not hold."""
    part(f"{definition.name}: deriving")
    there = with_needed(BACKENDS) if written is None else manifest.backends_of(written)
    needed = [WITHIN.get(name, name) for name in backends]
    if lacking := [name for name in needed if not takes_integers(name, definition)]:
        named = " and ".join(lacking)
        raise LngenError(f"{definition.name} has integers, for which {named} has no code: no `takes_integers` there.")
    if not {*needed} <= {*BACKENDS, *there}:
        written, there = None, with_needed(needed)
    layer = derived(definition, backends=there)
    said = "emitted now, and not kept" if written is None else layers.shown(written)
    file = Path(definition.filename)
    words = [layers.shown(file)] if written is None or file.parent != written else [said]
    if written is not None and words != [said] and written.parent != layers.output_folder():
        words += ["--out", layers.shown(written.parent)]
    asked = replace(asked, word=shlex.join(words))
    with _code(layer, written) as folder:
        for backend in backends:
            part(f"{definition.name}: checking {backend}")
            if WITHIN.get(backend, backend) in there:
                yield replace(check_emitted(layer, folder, backend, asked, console.note), code=said)
            elif len(backends) == 1:
                raise LngenError(f"{left_out(folder, WITHIN.get(backend, backend))}.")


def _everything() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the backends that this machine can check, without frameworks, which run the others' code; then the
    rest.
    """
    without = {}
    try:
        processor.compiler()
    except host_compiler.NoCompiler as missing:
        without["cpu"] = f"cpu is left out: {missing}"
    if not nvrtc.available() and device.survey().pycuda_runs_on is None:
        without["cuda"] = (
            "cuda is left out: nothing here runs its kernels, and NVRTC is missing; `lngen device` says what to install"
        )
    for note in without.values():
        console.note(note)
    return tuple(backend for backend in BACKENDS if backend not in (*without, *loading.FRAMEWORKS)), tuple(without)


def parse_shapes(words: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """(rows, D) of each `--shape`: leading axes are multiplied to rows, `full` stands for `FULL_SHAPES`.

    Raises LngenError for anything else.

    >>> parse_shapes(["5,128", "32,512,768"])
    ((5, 128), (16384, 768))
    """
    if not words:
        return QUICK_SHAPES
    shapes: list[tuple[int, int]] = []
    for word in words:
        if word == "full":
            shapes += FULL_SHAPES
        else:
            *leading, features = parse_shape(word)
            if math.prod(leading) * features > _LARGEST_CHECK:
                raise LngenError(f"a check of {word} takes too long. Pass a shape of at most 2**24 entries.")
            shapes.append((math.prod(leading), features))
    return tuple(shapes)


def parse_dtypes(words: Sequence[str]) -> tuple[str, ...]:
    """Return the storage types of each `--dtype`, all if there is none; raises LngenError for an unknown one.

    >>> parse_dtypes(["f32", "bfloat16"])
    ('float32', 'bfloat16')
    """
    return tuple(_NUMPY_NAMES[parse_dtype(word).name] for word in words) or tuple(DTYPES)


def _written(definition: Definition, out: Path | None) -> Path | None:
    """The folder of a layer's code: where its definition was read, in `out`, or under `generated/` if it is there.

    Raises LngenError where `out` holds no such layer.
    """
    file = Path(definition.filename)
    if file.parent.name == definition.name and (file.parent / manifest.MANIFEST).is_file():
        return file.parent
    if out is not None:
        manifest.definition_in(out / definition.name)
        return out / definition.name
    folder = layers.output_folder() / definition.name
    is_shipped = file.resolve().parent == layers.definitions_folder().resolve()
    return folder if is_shipped and (folder / manifest.MANIFEST).is_file() else None


@contextmanager
def _code(layer: Derived, written: Path | None) -> Iterator[Path]:
    """Yield the folder of the code to check: the written code, or the code that is emitted now."""
    if written is not None:
        yield written
        return
    with tempfile.TemporaryDirectory() as folder:
        manifest.write(layer.emission, Path(folder))
        yield Path(folder) / layer.emission.name


def _print(report: Report) -> None:
    """The table: a line for each kind of evidence, one for what failed, at its smallest, and what claims nothing."""
    out = console.output()
    print(f"code: {report.code}")
    subject = f"{report.layer}, {report.backend}" + (f" on {report.place}" if report.place else "")
    table = Table(box=None, pad_edge=False, title=subject, title_justify="left")
    table.add_column("evidence", no_wrap=True)
    table.add_column("checks", justify="right", no_wrap=True)
    table.add_column("closest to its bound, or what failed", overflow="fold")
    table.add_column("", no_wrap=True)
    for kind in dict.fromkeys(item.kind for item in report.evidence):
        items = [item for item in report.evidence if item.kind == kind]
        held = [item for item in items if item.passed and item.claimed]
        if held:
            table.add_row(Text(kind), str(len(held)), Text(_closest(held)), Text("ok", "green"))
        for item, count in _others(items):
            table.add_row(Text(kind), str(count), Text(_claim(item, count)), _outcome(item))
    out.print(table)
    silent, bad = len(report.unclaimed), len(report.failures)
    count = len(report.evidence) - silent
    verdict = f"{bad} of {count} checks FAILED" if bad else f"{count} checks passed"
    if silent:
        verdict += f", no claim on {silent}"
    if not count:
        verdict = "nothing was checked"
    if report.not_run:
        verdict = f"NOT RUN ({report.not_run}); {verdict}"
    out.print(Text(f"{subject}: {verdict} (seed {report.seed})"))
    if changed := [each.detail for each in report.failures if each.what == UNCHANGED]:
        out.print(Text(f"The rest may follow from this: {changed[0]}"))
    out.print()


def _outcome(item: Evidence) -> Text:
    return Text("no claim", "yellow") if item.passed else Text("FAILED", "bold red")


def _closest(items: Sequence[Evidence]) -> str:
    """Say which of several measured claims is the closest to its bound; nothing where none has one."""
    closest = max(items, key=lambda item: -1.0 if item.ratio is None else item.ratio)
    return "" if closest.ratio is None else f"{closest.ratio:.0%}, {closest.dtype}: {_at(closest)}"


def _others(items: Sequence[Evidence]) -> list[tuple[Evidence, int]]:
    """Return the smallest claim that fails, and those that claim nothing, each with how many it stands for."""
    failed = [item for item in items if not item.passed]
    shown = [(min(failed, key=lambda item: math.prod(item.shape)), len(failed))] if failed else []
    silent: dict[str, list[Evidence]] = {}
    for item in items:
        if item.passed and not item.claimed:
            silent.setdefault(item.what, []).append(item)
    return [*shown, *((each[0], len(each)) for each in silent.values())]


def _at(item: Evidence) -> str:
    return item.what + (f" at {item.shape[0]} x {item.shape[1]}" if len(item.shape) == 2 else "")


def _claim(item: Evidence, count: int) -> str:
    """Return the text of what failed or claims nothing, with its detail, or else its error and bound."""
    text = f"{item.dtype}: {_at(item)}" if item.dtype and not item.passed else _at(item)
    text += f" (and {count - 1} more)" if count > 1 else ""
    if item.detail:
        return f"{text}: {item.detail}"
    return text if item.error is None else f"{text}: off by {item.error:.1e}, of {_number(item.bound)} at most"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1e}"
