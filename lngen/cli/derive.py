"""`lngen derive`: derive, print, write; or compare with what was written."""

from __future__ import annotations

import json
import multiprocessing
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from lngen.checks.field.numpy_text import require_exact_text
from lngen.cli import console, layers
from lngen.cli.cores import cores
from lngen.emit.backends import added, backend, parsed, takes_integers, with_needed
from lngen.emit.class_names import class_of
from lngen.errors import LngenError, counted, printable, printable_lines
from lngen.language.definition import Definition
from lngen.layout import table
from lngen.paths import RUNTIME, require_package
from lngen.pipeline.cache import entries
from lngen.pipeline.files import atomic, manifest
from lngen.pipeline.files.manifest import Drift
from lngen.pipeline.pages import pages
from lngen.pipeline.project import backends_for
from lngen.pipeline.stages import STAGES, Derived, EvidenceError, derived, is_derived
from lngen.report import report, to_console
from lngen.report.grades import exact_at_every_size
from lngen.report.summary import first_gradient
from lngen.runtime.emitted import BACKENDS
from lngen.runtime.protocol.interface import DIRECTIONS

Format: TypeAlias = Literal["text", "markdown", "json"]


def run(
    definitions: Sequence[Definition],
    words: Sequence[str],
    out: Path | None,
    check: bool,
    format: Format,
    *,
    html: Path | None = None,
    certificate: Path | None = None,
    full: bool = False,
    backend: str | None = None,
    directions: str | None = None,
) -> int:
    """Derive layers, which `words` name; `html` and `certificate` are files for one, whose report may be `full`.

    `backend` names what is written, such as "numpy,cuda"; None is what `backends_for` says. `directions` names those
    that are derived, such as "forward,backward"; None is those of what is there, else all.

    The exit status is 1 for drift and for evidence that fails. Every layer is derived, and every folder looked at,
    before the first file is written: what is refused leaves all as it was.
    """
    documents = {option: file for option, file in (("html", html), ("certificate", certificate)) if file is not None}
    _require_room(documents, definitions, check=check)
    if html is not None:
        pages()  # an error if there is none, before anything is derived
    _require_one(full, definitions, format)
    asked = None if backend is None else parsed(backend)
    folder = _folder(out, definitions)
    if check and folder is None:
        raise LngenError("there is no generated/ of a project here to compare with. Say with --out DIR which folder.")
    definitions = [replace(each, directions=_directions(each.name, folder, directions)) for each in definitions]
    if folder is not None and not check:
        manifest.require_writable((RUNTIME, *(definition.name for definition in definitions)), folder)
    chosen = {each.name: chosen_for(each.name, folder, asked) for each in definitions}
    try:
        every = derive_all(definitions, chosen)
    except LngenError as error:
        # A definition that is right but cannot be emitted now, say for a broken template, fails a check.
        if not check and not isinstance(error, EvidenceError):
            raise
        console.note(str(error))
        return 1
    lost = [line for layer in every for line in manifest.lost_grades(layer.emission, folder)] if folder else []
    for line in lost:
        console.note(f"weaker evidence: {line}")
    if check and folder is not None:
        command = _command(words, out, backend, directions)
        return _check(every, folder, every_layer=not words and out is None, command=command)
    in_lines = format == "text" and len(every) > 1
    if not in_lines:
        _print(every, format, full)
    # Writing a document may fail, so the code comes after.
    for option, file in documents.items():
        text = pages().page(every[0]) if option == "html" else _certificate(every[0])
        atomic.write(file, text)
    others = {each.emission.name for each in every if folder and manifest.replaces_another(each.emission, folder)}
    changed = {} if folder is None else _written(every, folder)
    if in_lines:
        _print_lines(every, changed)
    for file in documents.values():
        _tell(f"wrote {layers.shown(file)}", format)
    if folder is None and not documents:
        _tell("Nothing was written: say with --out DIR where the code is to go.", format)
    for layer in every:
        for remark in _remarks(layer, chosen[layer.emission.name]):
            _tell(f"{layer.emission.name}: {remark}", format)
    if folder is not None:
        if backend is not None and (more := added(backend, chosen[definitions[0].name])):
            _tell(more, format)
        _tell_changes(_emissions(every, folder), changed, others, folder, format, each=not in_lines)
    if folder is not None and any(changed.values()):
        check_it = shlex.join(["lngen", "check", *words, *([] if out is None else ["--out", str(out)])])
        _tell(f"Next: `{check_it}` holds the code against its definition.", format)
        for line in _imports(every[0].emission.name, folder, chosen) if len(every) == 1 else ():
            _tell(line, format)
    if in_lines:
        word = words[0] if words else every[0].emission.name
        _tell(f"`lngen derive {word}` prints the derivation, and with --full each proof and stage.", format)
    return 0


def _imports(name: str, folder: Path, chosen: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The lines that import a layer: from here where the folder is below, else from beside it."""
    place, here = folder.resolve(), Path.cwd()
    parts = place.relative_to(here).parts if place.is_relative_to(here) else ()
    package = ".".join(parts) if parts and all(map(str.isidentifier, parts)) else place.name
    if "numpy" in chosen[name]:
        yield f"Import it: `from {package} import {name}`"
    if "torch" in chosen[name]:
        yield f"In PyTorch: `from {package}.{name}.torch_backend import {class_of(name)}`"
    if "jax" in chosen[name]:
        yield f"In JAX: `from {package}.{name}.jax_backend import {name}`"


def _folder(out: Path | None, definitions: Sequence[Definition]) -> Path | None:
    """Find the folder for the code: the one that was named, or that of the project; None without one."""
    if out is not None:
        require_package(out)
        return out
    # Beside the code of the folder's definitions, that of one from elsewhere would be left over.
    return layers.output_folder() if layers.in_project() and not _strangers(definitions) else None


def _directions(name: str, folder: Path | None, asked: str | None) -> tuple[str, ...]:
    """The directions of an option, else those of the layer in a folder, else all."""
    if asked is None:
        return DIRECTIONS if folder is None else manifest.directions_of(folder / name)
    words = [word.strip() for word in asked.split(",")]
    if not {*DIRECTIONS[:2]} <= {*words} <= {*DIRECTIONS}:
        wrong = next((word for word in words if word not in DIRECTIONS), "")
        said = f"there is no direction {printable(wrong)!r}" if wrong else "forward and backward are always derived"
        raise LngenError(f"--directions: {said}. Name forward,backward and, if wanted, jvp or backward_backward.")
    return tuple(each for each in DIRECTIONS if each in words)


def _written(every: Sequence[Derived], folder: Path) -> dict[str, list[Drift]]:
    """Write what differs from what is there; what that was, by the name of what was emitted."""
    emissions = _emissions(every, folder)
    manifest.require_writable((emission.name for emission in emissions), folder)
    return manifest.update(emissions, folder)


def _certificate(layer: Derived) -> str:
    from lngen.report.certificate import certificate

    return certificate(layer.plan.derivation)


def _require_room(documents: Mapping[str, Path], definitions: Sequence[Definition], *, check: bool) -> None:
    """Raise LngenError where a document cannot be written, or not be of one layer."""
    for option, file in documents.items():
        if check:
            raise LngenError(f"--check writes nothing: leave out --{option}.")
        if len(definitions) != 1:
            others = " `lngen site --to DIR` writes the pages of all." if option == "html" else ""
            raise LngenError(f"--{option} is for one layer: name it.{others}")
        if why := atomic.obstacle(file):
            raise LngenError(f"{layers.shown(file)} {why}. Name a file in an existing folder.")


def _require_one(full: bool, definitions: Sequence[Definition], format: Format) -> None:
    """Raise LngenError where there is no one derivation to print more of."""
    if full and format != "text":
        raise LngenError(f"--format {format} prints the whole report: leave out --full.")
    if full and len(definitions) != 1:
        raise LngenError("of several layers a line each is printed. To print more, name one layer.")


def _print_lines(every: Sequence[Derived], changed: Mapping[str, Sequence[Drift]]) -> None:
    """A line a layer: its gradient, the evidence for it, and what changed of its files."""
    rows = [("layer", "on disk", "exact at\nevery D", "gradient of its first row")]
    for layer in every:
        name = layer.emission.name
        found = len(changed.get(name, ()))
        files = counted(found, "file") if found else "unchanged" if name in changed else "not written"
        rows.append((name, files, exact_at_every_size(layer.plan.derivation.proofs), first_gradient(layer.plan)[-1]))
    print("\n".join([*table(rows, console.width(), ""), ""]))


def _tell_changes(
    emissions: Sequence[manifest.Emission],
    changed: Mapping[str, Sequence[Drift]],
    others: Collection[str],
    folder: Path,
    format: Format,
    *,
    each: bool,
) -> None:
    """Print a line for each folder that was written, or one for all; then the number of unchanged files.

    The layers `others` were of another definition before.
    """
    drifts = [entry for entries in changed.values() for entry in entries]
    for emission in emissions if each else ():
        if found := changed[emission.name]:
            removed = [entry for entry in found if entry.kind == "left over"]
            gone = f"; removed {counted(len(removed), 'file')}" if removed else ""
            files = counted(len(found) - len(removed), "file")
            gone += "; it was of another definition" if emission.name in others else ""
            gone += ", which the layers share: copy them with it" if emission.name == RUNTIME else ""
            _tell(f"wrote {layers.shown(folder / emission.name)}: {files}{gone}", format)
    if drifts and not each:
        _tell(f"changed in {layers.shown(folder)}: {counted(len(drifts), 'file')}", format)
    written = [entry for entry in drifts if entry.kind != "left over"]
    unchanged = sum(len(emission.files) for emission in emissions) - len(written)
    if unchanged:
        _tell(f"unchanged in {layers.shown(folder)}: {counted(unchanged, 'file')}", format)


def _emissions(every: Sequence[Derived], folder: Path) -> list[manifest.Emission]:
    """Return the emissions, the shared runtime first, so that no layer is written without it."""
    emissions = [layer.emission for layer in every]
    return [manifest.shared_emission(emissions, folder), *emissions]


def _strangers(definitions: Sequence[Definition]) -> list[Path]:
    """The files of definitions that are not in the folder of definitions."""
    home = layers.definitions_folder().resolve()
    files = (Path(definition.filename) for definition in definitions)
    return [file for file in files if file.resolve().parent != home]


def chosen_for(name: str, folder: Path | None, asked: Sequence[str] | None = None) -> tuple[str, ...]:
    """The backends to emit a layer for in a folder."""
    return with_needed(backends_for(name, folder, asked))


def _remarks(layer: Derived, names: Sequence[str]) -> list[str]:
    """Return the remarks of backends on a layer, and the names of those that are left out."""
    lacking = [name for name in names if not takes_integers(name, layer.definition)]
    left_out = f"not written for {', '.join(lacking)}: the layer has integers, and no `takes_integers` there"
    remarks = [backend(name).remark(layer.plan) for name in names]
    return [*filter(None, remarks), *[left_out] * bool(lacking)]


def derive_all(definitions: Sequence[Definition], backends: Mapping[str, Sequence[str]] | None = None) -> list[Derived]:
    """Each derived and proved, on all cores, its text of NumPy run modulo a prime.

    stderr has a bar, or a line for each in a pipe.
    `backends` are those of a layer by its name; all for one that is not there. Raises as `derived` does.
    """

    wanted = {each.name: (backends or {}).get(each.name, BACKENDS) for each in definitions}

    def begin(name: str, stage: str) -> None:
        part(f"{name}: {stage}")

    with console.progress(len(definitions) * len(STAGES)) as part, _derived_ahead(definitions, wanted) as ahead:
        found = []
        for definition in definitions:
            ahead(definition)
            on_stage = partial(begin, definition.name)
            found.append(derived(definition, backends=wanted[definition.name], on_stage=on_stage))
            require_exact_text(found[-1])
            if len(definitions) > 1:
                part.done(f"{definition.name}: derived, {len(found)} of {len(definitions)}")
        return found


@contextmanager
def _derived_ahead(
    definitions: Sequence[Definition], backends: Mapping[str, Collection[str]]
) -> Iterator[Callable[[Definition], None]]:
    """Derive into the cache by a process for each core; yield what waits until a definition has been.

    A process hands on nothing but what the cache keeps, so what it fails to derive is derived here, and its error is
    raised here.
    """
    new = [each for each in definitions if not is_derived(each, backends[each.name])]
    processes = min(len(new), cores())
    if processes < 2 or entries.usage().obstacle:
        yield lambda definition: None
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = {each.name: pool.submit(_fill_cache, each, backends[each.name]) for each in new}
        try:
            yield lambda definition: running[definition.name].result() if definition.name in running else None
        finally:
            pool.shutdown(cancel_futures=True)


def _fill_cache(definition: Definition, backends: Collection[str]) -> None:
    with suppress(LngenError):
        require_exact_text(derived(definition, backends=backends))


def _check(every: Sequence[Derived], folder: Path, *, every_layer: bool, command: str) -> int:
    emissions = _emissions(every, folder)
    drifts = manifest.drift(emissions, folder, every_layer=every_layer)
    if drifts:
        print(printable_lines(manifest.drift_message(drifts, command)))
        return 1
    files = sum(len(emission.files) for emission in emissions)
    print(f"{files} files of {counted(len(every), 'layer')} in {layers.shown(folder)} are what lngen emits.")
    return 0


def _command(words: Sequence[str], out: Path | None, backend: str | None, directions: str | None) -> str:
    options = [*(["--out", str(out)] if out is not None else [])]
    options += ["--backend", backend] if backend is not None else []
    options += ["--directions", directions] if directions is not None else []
    return " ".join(["lngen derive", *words, *options])


def _print(every: Sequence[Derived], format: Format, full: bool) -> None:
    if format == "json":
        # One document, a list even for one layer, so that a reader need not ask which it is.
        console.print_json([json.loads(report(layer.plan, "json")) for layer in every])
        return
    out = console.output()
    for layer in every:
        if format == "text":
            to_console(layer.plan, out, full=full)
            print(flush=True)
        else:
            print(report(layer.plan, format))


def _tell(line: str, format: Format) -> None:
    """Print a line about the written files: below the derivation, or on stderr beside a document."""
    if format == "text":
        console.say(line)
    else:
        console.note(line)
