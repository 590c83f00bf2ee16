"""Manifest of an emission, atomic writing, and drift: the difference of a folder from what lngen emits."""

import difflib
import importlib.metadata
import json
import keyword
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, Literal

from lngen import paths, runtime
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.language.parsing import parse
from lngen.paths import RUNTIME
from lngen.pipeline.files.atomic import replacing
from lngen.pipeline.files.shared import runtime_files
from lngen.runtime.cache import COMPILED, digest
from lngen.runtime.protocol.interface import DIRECTIONS
from lngen.version import DISTRIBUTION, __version__

MANIFEST = "manifest.json"

_OF_BUILD = (".so", ".cubin", ".ptx")
"""Suffixes of what `lngen build` adds to layers."""

_MAXIMUM_DIFF_LINES = 60

_SHORT = 100
"""Columns of an object of a manifest that stands on one line."""


@dataclass(frozen=True)
class Emission:
    """The files of one emitted layer: its folder's `name`, and (relative POSIX path, text) sorted by path.

    Raises LngenError if the name is no identifier, or a path is absolute, leaves the folder or occurs twice.
    """

    name: str
    files: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or keyword.iskeyword(self.name):
            raise LngenError(f"an emitted layer has to be called by an identifier, not {self.name!r}")
        for path, _ in self.files:
            _require_inside(path)
        if len(dict(self.files)) != len(self.files):
            raise LngenError(f"the emission of {self.name} holds two files of the same path")
        object.__setattr__(self, "files", tuple(sorted(self.files)))


def _require_inside(path: str) -> None:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or pure.as_posix() != path or path == ".":
        raise LngenError(f"{path!r} is not a path inside the folder of an emitted layer")


def supported_sympy() -> str:
    """The range of SymPy that lngen declares, lower bound first.

    It is read from where it is declared: the metadata in a wheel, `pyproject.toml` in a checkout, since the
    metadata of an editable install may be older.
    """
    declared = paths.project_table().get("dependencies") or importlib.metadata.requires(DISTRIBUTION) or []
    bounds = next(found[1] for each in declared if (found := re.fullmatch(r"sympy(?![\w.-])([^;]*)(;.*)?", each)))
    # Packaging tools reorder the bounds, and the manifest must not depend on which tool it was.
    return ",".join(sorted((bound.replace(" ", "") for bound in bounds.strip(" ()").split(",")), reverse=True))


def as_json(value: object, level: int = 0) -> str:
    """Return JSON with a line for each fact, so that a diff shows what changed; `level` 0 is the whole manifest.

    Objects stand on one line at the third level, lists of words and what is short at the second.
    """
    line = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    words = isinstance(value, list) and not any(isinstance(entry, dict) for entry in value)
    if not isinstance(value, dict | list) or level > 2 or (level == 2 and (words or len(line) <= _SHORT)):
        return line
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}: {as_json(entry, level + 1)}" for key, entry in sorted(value.items())]
    else:
        entries = [as_json(entry, 3) for entry in value]
    indent = "\n" + "  " * level
    return f"{line[0]}{indent}  " + f",{indent}  ".join(entries) + f"{indent}{line[-1]}" if entries else line


def _runtime(needed: Iterable[str] | None) -> dict[str, str]:
    every = runtime_files()
    return every if needed is None else {path: every[path] for path in sorted(set(needed)) if path in every}


def shared_emission(layers: Iterable[Emission], folder: Path | None = None) -> Emission:
    """Return the emission of the runtime files that layers need, which is written once beside them.

    The layers are to be written to `folder`. Files that other layers there need, by their manifests, stay.
    """
    manifests = {layer.name: dict(layer.files).get(MANIFEST, "{}") for layer in layers}
    needed = {path for text in manifests.values() for path in _needed(json.loads(text))}
    if folder is not None:
        needed.update(path for other in layers_in(folder, manifests) for path in _needed(_read(other)))
    return runtime_emission(needed)


def layers_in(folder: Path, without: Iterable[str] = ()) -> list[Path]:
    """The folders of the layers that lngen wrote to a folder, sorted, without those of some names."""
    left_out = {RUNTIME, *without}
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    return [entry for entry in entries if entry.name not in left_out and _read(entry)]


def _by_folder(files: Iterable[str]) -> dict[str, list[str]]:
    """Names of files by their folder, which a manifest has room for.

    >>> _by_folder(["cache.py", "numpy/blocks.py", "numpy/rows.py"])
    {'.': ['cache.py'], 'numpy': ['blocks.py', 'rows.py']}
    """
    found: dict[str, list[str]] = {}
    for path in map(PurePosixPath, sorted(files)):
        found.setdefault(str(path.parent), []).append(path.name)
    return found


def _needed(manifest: Mapping[str, Any]) -> list[str]:
    """The files of the runtime that a layer needs by its manifest; one of an older lngen lists their paths."""
    listed = manifest.get("runtime")
    if isinstance(listed, dict):
        return [str(PurePosixPath(folder, name)) for folder, names in listed.items() for name in _words(names)]
    return _words(listed)


def runtime_emission(needed: Iterable[str] | None = None) -> Emission:
    """Return the emission of the runtime with the files that are needed; None is all."""
    files = _runtime(needed)
    manifest = {
        "files": {path: digest([text]) for path, text in files.items()},
        "lngen": __version__,
        "name": RUNTIME,
    }
    return Emission(RUNTIME, (*files.items(), (MANIFEST, as_json(manifest) + "\n")))


def emission(
    name: str,
    files: Mapping[str, str],
    *,
    definition: Definition,
    templates: Mapping[str, str],
    options: Mapping[str, Any],
    cost: Mapping[str, Any],
    gradient: Sequence[str],
    interface: Mapping[str, Any],
    evidence: Sequence[Mapping[str, Any]],
    needed: Iterable[str] | None = None,
) -> Emission:
    """The files of a layer, with `manifest.json`: definition, sources of the files, their interface, their proofs.

    `templates` and `files` map a relative POSIX path to its text, and `gradient` has the lines of the first gradient.
    `needed` names the files of the runtime that the layer needs; None is all. The manifest depends only on the
    arguments, the version of lngen and its range of SymPy, and not on time, place or installed versions. Raises
    TypeError for a value that JSON lacks, and ValueError for a number that is not finite.
    """
    for path in templates:
        _require_inside(path)
    manifest = {
        "cost": dict(cost),
        "definition": digest([definition.canonical()]),
        "evidence": [dict(entry) for entry in evidence],
        "file": PurePath(definition.filename).name,
        "files": {path: digest([content]) for path, content in files.items()},
        "gradient": list(gradient),
        "interface": dict(interface),
        "lngen": __version__,
        "name": name,
        "options": dict(options),
        "runtime": _by_folder(_runtime(needed)),
        "sympy": supported_sympy(),
        "templates": {path: digest([content]) for path, content in templates.items()},
        "text": definition.source,
    }
    return Emission(name, (*files.items(), (MANIFEST, as_json(manifest) + "\n")))


def write(emission: Emission, folder: Path) -> tuple[Path, ...]:
    """Write the emission to `folder/<name>/`, and the shared runtime beside it, as `update` does; return its paths."""
    shared = [] if emission.name == RUNTIME else [shared_emission([emission], folder)]
    update([*shared, emission], folder)
    return tuple(folder / emission.name / path for path, _ in emission.files)


def require_writable(names: Iterable[str], folder: Path) -> None:
    """Refuse, before any work is done, layers that `write` would refuse.

    Raises LngenError if `folder` is a file or cannot be written to, if `folder/<name>/` is not ours, or if other layers
    there run on the runtime of another lngen.
    """
    names = tuple(names)
    there = next(place for place in (folder, *folder.absolute().parents) if os.path.lexists(place))
    if not there.is_dir():
        raise LngenError(f"{there} is a file; layers are written to a folder. Choose another --out.")
    try:
        tempfile.TemporaryFile(dir=there).close()
    except OSError as error:
        why = f"{there} may not be written to: {error.strerror}"
        raise LngenError(f"{why}. Change its permissions, or choose another --out.") from error
    for name in names:
        _require_ours(folder / name)
    _require_same_runtime(names, folder)


def _require_same_runtime(names: Iterable[str], folder: Path) -> None:
    """Refuse to change files of the runtime below layers that need them and are not written again."""
    there, ours = _read(folder / RUNTIME), _runtime(None)
    if not there or _is_runtime(folder / RUNTIME):
        return
    changed = {path for path, made in there["files"].items() if path not in ours or digest([ours[path]]) != made}
    others = [each.name for each in layers_in(folder, names) if not changed.isdisjoint(_needed(_read(each)))]
    if others:
        raise LngenError(
            f"{folder / RUNTIME} is of another lngen, {there['lngen']}, and layers beside it need it as it is: "
            f"{', '.join(others)}. Derive them again, from the texts in their manifests, with "
            f"`lngen derive --all --out {folder}`, or choose another --out."
        )


def _is_runtime(target: Path) -> bool:
    """Test whether a path is, or in the checkout has to be, the link to `lngen/runtime`, which needs no copy."""
    if target.name != RUNTIME:
        return False
    is_ours = paths.checkout is not None and target.parent.resolve() == paths.generated_folder().resolve()
    return is_ours or (target.is_symlink() and target.resolve() == _runtime_folder())


def _runtime_folder() -> Path:
    return Path(runtime.__path__[0]).resolve()


def _require_ours(target: Path) -> None:
    """Refuse to replace a folder unless every file in it is one that lngen wrote there."""
    if _is_runtime(target):
        return
    if target.is_symlink():
        raise LngenError(f"{target} is a symbolic link; lngen writes folders only. Remove it, or choose another --out.")
    if not target.exists():
        return
    if not target.is_dir():
        raise LngenError(
            f"{target} is a file; lngen needs a folder of that name. Move the file, or choose another --out."
        )
    ours = _listed_files(target)
    foreign = sorted(path for path in _files_in(target) if path not in ours or (target / path).is_symlink())
    if foreign:
        raise LngenError(
            f"{target} holds {_some(foreign)}, which lngen did not write there. "
            "Move what you want to keep, remove the folder, and run the command again."
        )


def _listed_files(folder: Path) -> frozenset[str]:
    """The files that the folder's manifest lists, itself included; empty if there is no manifest of ours."""
    found = _read(folder)
    return frozenset((*found["files"], MANIFEST)) if found else frozenset()


def options_of(folder: Path) -> Mapping[str, Any]:
    """Return the options with which the layer in a folder was emitted; empty without a manifest of ours."""
    found = _read(folder).get("options")
    return found if isinstance(found, dict) else {}


def backends_of(folder: Path) -> tuple[str, ...]:
    """Return the backends that the layer in a folder was emitted for; empty without a manifest of ours."""
    names = options_of(folder).get("backends")
    return tuple(names) if isinstance(names, list) else ()


def directions_of(folder: Path) -> tuple[str, ...]:
    """Return the directions that the layer in a folder was derived with; all without a manifest of ours."""
    asked = options_of(folder).get("directions", DIRECTIONS)
    return tuple(each for each in DIRECTIONS if each in asked)


def _words(found: object) -> list[str]:
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []


def replaces_another(emission: Emission, folder: Path) -> bool:
    """Test whether the layer in `folder` of this name is of another definition."""
    before, after = _read(folder / emission.name), json.loads(dict(emission.files).get(MANIFEST, "{}"))
    return before.get("definition") not in (None, after["definition"])


def lost_grades(emission: Emission, folder: Path) -> list[str]:
    """List statements of the layer in `folder` that were exact by its manifest, and are not now; a line for each
    sort.
    """
    after = json.loads(dict(emission.files).get(MANIFEST, "{}"))
    known, now = _not_exact(_read(folder / emission.name)), _not_exact(after)
    return [
        f"{emission.name}: {now[about]} of its {about} are not exact, and {known[about]} were not before"
        for about in sorted(now.keys() & known.keys())
        if now[about] > known[about]
    ]


def _not_exact(manifest: Mapping[str, Any]) -> dict[str, int]:
    """Count the statements of each sort that are less than exact."""
    found: dict[str, int] = {}
    for entry in manifest.get("evidence", ()):
        about, count = entry.get("about", ""), 0 if entry["kind"].startswith("exact at") else entry.get("count", 1)
        found[about] = found.get(about, 0) + count
    return found


def summary(folder: Path, definition: Definition) -> tuple[str, str, str] | None:
    """Return the reductions and the row tensors of the layer in a folder, forward and backward, and its first gradient.

    None unless lngen wrote it there from this definition.
    """
    found = _read(folder)
    derived = replace(definition, directions=directions_of(folder))
    if found.get("definition") != digest([derived.canonical()]) or "gradient" not in found:
        return None
    costs = [found["cost"][direction] for direction in DIRECTIONS[:2]]
    tensors = "   ".join(str(each["row_tensors_read"] + each["row_tensors_written"]) for each in costs)
    return "   ".join(str(each["reductions"]) for each in costs), tensors, "\n".join(found["gradient"])


def definition_in(folder: Path) -> Definition:
    """Return the definition of the layer that lngen wrote to a folder, read from the manifest there.

    Raises LngenError for a folder without one, and DefinitionError for one whose text is no definition.
    """
    found = _read(folder)
    text, file = found.get("text"), found.get("file")
    if not isinstance(text, str) or not isinstance(file, str):
        raise LngenError(
            f"{folder} holds no layer that this lngen wrote. Name the folder of one, or a definition file."
        )
    return replace(parse(text, str(folder / PurePath(file).name)), directions=directions_of(folder))


def _read(folder: Path) -> Mapping[str, Any]:
    """Return the folder's manifest; empty if it has none of ours."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if "lngen" in found and found["name"] == folder.name:
            return {**found, "files": dict(found["files"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return {}


def _files_in(folder: Path) -> Iterator[str]:
    """Yield the relative POSIX paths of the files below a folder, without those that Python and `lngen build` add."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            if entry.name != "__pycache__":
                yield from (f"{entry.name}/{path}" for path in _files_in(entry))
        elif entry.suffix != ".pyc" and not (folder.name == COMPILED and entry.suffix in _OF_BUILD):
            yield entry.name


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more files"


@dataclass(frozen=True)
class Drift:
    """File under `generated/` that differs from what lngen emits; `path` is POSIX and relative to that folder."""

    kind: Literal["differs", "missing", "left over"]
    path: str
    diff: str = ""


def drift(emissions: Iterable[Emission], folder: Path, *, every_layer: bool = True) -> list[Drift]:
    """Compare emissions with the content of a folder, byte by byte.

    `every_layer` means that the emissions are complete, so that an emitted layer without a definition is left over. A
    folder without a manifest of ours belongs to somebody else, and is ignored.
    """
    emissions = sorted(emissions, key=lambda emission: emission.name)
    found = [entry for emission in emissions for entry in _drift_of(emission, folder)]
    if every_layer and folder.is_dir():
        names = {RUNTIME, *(emission.name for emission in emissions)}
        for stranger in sorted(folder.iterdir()):
            if stranger.name not in names and stranger.is_dir() and _listed_files(stranger):
                found += (Drift("left over", f"{stranger.name}/{path}") for path in _files_in(stranger))
    return found


def update(emissions: Sequence[Emission], folder: Path) -> dict[str, list[Drift]]:
    """Write each emission that `folder/<name>/` differs from, all or none; return the differences by its name.

    At any moment, also after the process was killed, a reader of a folder sees all of its old files or all of the new
    ones. Nothing else in `folder` is touched. Raises LngenError, and changes nothing, if one of the folders holds a
    file that lngen did not write, is a symbolic link, or cannot be written.
    """
    drifts = {emission.name: drift([emission], folder, every_layer=False) for emission in emissions}
    for emission in emissions:
        if MANIFEST not in dict(emission.files):
            raise LngenError(f"the emission of {emission.name} has no {MANIFEST}, so it could not be replaced later")
        _require_ours(folder / emission.name)
    if drifts.get(RUNTIME) and _is_runtime(folder / RUNTIME):
        _link(folder / RUNTIME)
    changed = [each for each in emissions if drifts[each.name] and not _is_runtime(folder / each.name)]
    targets = [folder / emission.name for emission in changed]
    try:
        with replacing(*targets) as news:
            for new, emission in zip(news, changed, strict=True):
                for path, text in emission.files:
                    (new / path).parent.mkdir(parents=True, exist_ok=True)
                    (new / path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        where = targets[0] if len(targets) == 1 else folder
        raise LngenError(f"{where} cannot be written: {error.strerror or error}") from error
    return drifts


def _link(target: Path) -> None:
    """Put the link to `lngen/runtime` in the place of what is there, if that is ours."""
    if not target.is_symlink() and target.exists():
        raise LngenError(f"{target} has to be a link to {_runtime_folder()}. Remove it, and run the command again.")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    target.symlink_to(os.path.relpath(_runtime_folder(), target.parent.resolve()), target_is_directory=True)


def _drift_of(emission: Emission, folder: Path) -> Iterator[Drift]:
    target = folder / emission.name
    if emission.name == RUNTIME and len(emission.files) == 1 and not os.path.lexists(target):
        return  # no layer needs a file of it
    if _is_runtime(target):
        if not (target.is_symlink() and target.resolve() == _runtime_folder()):
            yield Drift("differs" if os.path.lexists(target) else "missing", f"{RUNTIME} (a link to lngen/runtime)")
        return
    for path, text in emission.files:
        shown = f"{emission.name}/{path}"
        try:
            content = (target / path).read_bytes()
        except OSError:
            yield Drift("missing", shown)
            continue
        if content != text.encode():
            yield Drift("differs", shown, _diff(content.decode(errors="backslashreplace"), text, shown))
    if target.is_dir():
        texts = dict(emission.files)
        yield from (Drift("left over", f"{emission.name}/{path}") for path in _files_in(target) if path not in texts)


def _diff(committed: str, regenerated: str, path: str) -> str:
    # Split at newlines alone: a carriage return or a form feed that was put in is a difference to show.
    lines = difflib.unified_diff(
        committed.split("\n"),
        regenerated.split("\n"),
        f"{path} (as it stands)",
        f"{path} (as lngen emits it)",
        lineterm="",
    )
    shown = [line.replace("\r", "\\r") for line in lines]
    more = len(shown) - _MAXIMUM_DIFF_LINES
    return "\n".join(shown[:_MAXIMUM_DIFF_LINES] + ([f"... and {more} more lines"] if more > 0 else []))


def drift_message(drifts: Sequence[Drift], command: str = "lngen derive") -> str:
    """Describe the drift, file by file with its diff, and the command that repairs it; empty if there is none."""
    if not drifts:
        return ""
    parts = [f"{entry.path}: {entry.kind}" + (f"\n{entry.diff}" if entry.diff else "") for entry in drifts]
    files = "1 file is" if len(drifts) == 1 else f"{len(drifts)} files are"
    remedy = f"{files} not what lngen emits. Run `{command}` and commit what it writes."
    if any(entry.kind == "left over" for entry in drifts):
        remedy += " Remove what is left over."
    return "\n".join([*parts, remedy])
