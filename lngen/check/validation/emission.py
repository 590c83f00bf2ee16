"""The text that a layer is about to be emitted as, validated before it is written."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from lngen.check.validation.layer_text import FILES, LONGEST, Validated, validated
from lngen.check.validation.numpy_text import TextFinding, worst
from lngen.check.validation.questions import within
from lngen.check.validation.recorded import LAYER, CppValidated, Recording
from lngen.derivation.derivation import EMITTED_TEXT, EVERY_D, NONE, Proof
from lngen.emit.render import sha256_text
from lngen.paths import RUNTIME
from lngen.pipeline.cache import values
from lngen.pipeline.cache.results import kept
from lngen.pipeline.files import manifest
from lngen.pipeline.stages import Derived, require_evidence
from lngen.runtime.native.compiler import NoCompiler, compiler

_WORK = 100_000
"""Work that the validation of one language may take while a layer is derived, in terms multiplied: a few seconds.

What it takes is counted, so that the evidence is the same on every machine.
"""

_NOTHING = ": no case within the budget of work"
_NUMPY = ("numpy_backend.py", *sorted({f"{name}.py" for name in FILES.values()}))


def with_validated_text(layer: Derived) -> Derived:
    """Return a layer with the evidence that its emitted text computes what its programs say.

    NumPy's text runs on symbols at a few row lengths, in the calls that are brief to make. C++'s is read back for every
    D, where there is a compiler. `lngen check` takes more calls. Raises EvidenceError if a text does not.
    """
    what = " ".join(["emitted text", *(f"{name} {digest}" for name, digest in validated_files(layer).items())])
    write, read = partial(values.encode, given=layer.definition), partial(values.decode, given=layer.definition)
    found = kept(what, layer.definition, lambda: tuple(proofs(layer)), write, read)
    derivation = layer.plan.derivation
    derivation = replace(derivation, proofs=(*derivation.proofs, *found))
    require_evidence(derivation)
    return replace(layer, plan=replace(layer.plan, derivation=derivation))


def validated_files(layer: Derived) -> dict[str, str]:
    """Return the SHA-256 of each file that is validated, by its path from the folder of the layer."""
    names = [name for name in (*_NUMPY, LAYER) if _can_be_validated(layer, name)]
    found = {name: layer.text(name) for name in names}
    if _NUMPY[0] in found:
        shared = manifest.shared_emission([layer.emission]).files
        found |= {f"../{RUNTIME}/{path}": text for path, text in shared if path.startswith("numpy/")}
    return {name: sha256_text(text) for name, text in found.items()}


def _can_be_validated(layer: Derived, name: str) -> bool:
    """Test whether a file is emitted, and can be validated here."""
    can_be = _compiles() if name == LAYER else layer.definition.minimum_features <= LONGEST
    return name in layer.files and can_be


def _compiles() -> bool:
    try:
        compiler()
    except NoCompiler:
        return False
    return True


def proofs(layer: Derived, work: int = _WORK) -> Iterator[Proof]:
    """Yield the evidence about the text of a layer, from so much work for each language."""
    programs = layer.plan.programs()
    with tempfile.TemporaryDirectory() as folder:
        manifest.write(layer.emission, Path(folder))
        place = Path(folder, layer.emission.name)
        # The compiler is at work on the one text while the other runs.
        with Recording(place, programs, work) if _can_be_validated(layer, LAYER) else nullcontext() as recording:
            if _can_be_validated(layer, _NUMPY[0]):
                yield from _tried("NumPy", lambda: _of_numpy(validated(place, programs, is_brief=True, work=work)))
            if recording:
                yield from _tried("C++ and CUDA", lambda: _of_cpp(recording.validated()))


def _tried(language: str, made: Callable[[], Iterator[Proof]]) -> list[Proof]:
    """Return proofs, or what kept them from being made: that speaks neither for the text nor against it."""
    try:
        return [*made()]
    except Exception as error:  # of the validation itself, as those of a text are findings
        return [Proof(NONE, f"the text of {language}: {type(error).__name__}: {error}", True, EMITTED_TEXT)]


def _of_numpy(found: Mapping[str, Validated]) -> Iterator[Proof]:
    yield from _not_shown("NumPy", {name: each.findings for name, each in found.items()})
    right = {name: each for name, each in found.items() if each.runs and not each.findings}
    if right:
        least = min(right.values(), key=lambda each: len(each.features))
        lines = sum(len(each.shown) for each in right.values())
        what = f"{lines} lines and results{_of(right, found)}{least.left_out}"
        statement = f"the text of NumPy computes its steps: {what}"
        yield Proof(f"exact at {least.sizes}", statement, True, EMITTED_TEXT, len(right))
    elif not any(each.findings for each in found.values()):
        yield Proof(NONE, f"the text of NumPy{_NOTHING}", True, EMITTED_TEXT)


def _of_cpp(found: Mapping[str, CppValidated]) -> Iterator[Proof]:
    yield from _not_shown("C++ and CUDA", {name: each.findings for name, each in found.items()})
    right = {name: each.compared for name, each in found.items() if each.cases and not each.findings}
    if right:
        left_out = within(sum(each.cases for each in found.values()), sum(each.of for each in found.values()))
        what = f"{sum(right.values())} values{_of(right, found)}{left_out}"
        statement = f"the text of C++ and CUDA computes its steps: {what}"
        yield Proof(EVERY_D, statement, True, EMITTED_TEXT, len(right))


def _of(right: Collection[str], found: Collection[str]) -> str:
    """Name the directions that are right, where others are not."""
    return "" if len(right) == len(found) else f" of {', '.join(right)}"


def _not_shown(language: str, findings: Mapping[str, Sequence[TextFinding]]) -> Iterator[Proof]:
    for name, each in findings.items():
        if found := worst(each):
            statement = f"the text of {language}, {name}: {found.where}: {found.trouble}"
            yield Proof(NONE, statement, not found.speaks_against, EMITTED_TEXT)
