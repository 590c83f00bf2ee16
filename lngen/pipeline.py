"""From a definition to the files of its layer: every stage in order, held together by nothing but values.

    load -> derive -> plan -> prove -> emit NumPy, CUDA, the derivation as a document, the manifest

Nothing here reads the clock, the machine, or any file but the templates: the same definition gives the same
bytes everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Any, TypeVar

from lngen import __version__
from lngen.backends import Notes, cuda, numpy
from lngen.backends.description import description
from lngen.cache import values
from lngen.cache.results import kept
from lngen.cache.summaries import summary
from lngen.derivation.derivation import Derivation, Proof
from lngen.derivation.simplify import derive
from lngen.derivation.simplify.second_order import second_order
from lngen.errors import LngenError
from lngen.files import manifest, render
from lngen.files.manifest import Emission, sha256_text
from lngen.language.definition import Definition
from lngen.plan.planner import Plan, plan
from lngen.plan.secondary import with_secondary
from lngen.plan.widen import widened
from lngen.prove import has_values, prove
from lngen.report import cost_entries, cost_line, formulas, report, secondary_formulas

Kept = TypeVar("Kept")

STAGES = ("derive", "plan", "prove", "numpy", "cuda", "derivation.md")
"""What `derived` goes through, in order, by the names it passes to `on_stage`."""

_SAFE_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}")
# In this order: what takes the place of one must not make another.
_UNSAFE_IN_COMMENTS = (
    ("\\", "/"),
    ("*/", "* /"),
    ("/*", "/ *"),
    ("??/", "? ?/"),
    ("-->", "- ->"),
    ("--!>", "- -!>"),
)


class EvidenceError(LngenError):
    """A derivation that does not hold: an emitted layer must not come from it."""


@dataclass(frozen=True)
class Derived:
    """A definition, its derivation with both row programs, and the files of the layer."""

    definition: Definition
    plan: Plan
    emission: Emission

    def text(self, path: str) -> str:
        """The text of one emitted file, such as `kernels.cu`; KeyError if there is none."""
        return dict(self.emission.files)[path]


def planned(
    definition: Definition, *, proved: bool = True, on_stage: Callable[[str], None] = lambda stage: None
) -> Plan:
    """The plan of a definition. With `proved` its derivation carries evidence; without, it takes no time.

    `on_stage` is told the name of each of `STAGES` as it begins, of those that have to be gone through; what was made
    before and is still the same is taken from the cache. Raises EvidenceError if the evidence speaks against the
    derivation, LngenError for what cannot be derived, and with `proved` for a definition that has no finite real value
    anywhere it was tried.
    """
    if proved:
        return _kept("plan with proofs", definition, lambda: _with_proofs(definition, on_stage))
    return _kept("plan", definition, lambda: _planned(definition, on_stage))


def _planned(definition: Definition, on_stage: Callable[[str], None]) -> Plan:
    on_stage("derive")
    derivation = second_order(derive(definition))
    on_stage("plan")
    return widened(with_secondary(plan(derivation)))


def _with_proofs(definition: Definition, on_stage: Callable[[str], None]) -> Plan:
    found = planned(definition, proved=False, on_stage=on_stage)
    on_stage("prove")
    return replace(found, derivation=_proved(found.derivation))


def derived(
    definition: Definition, *, proved: bool = True, on_stage: Callable[[str], None] = lambda stage: None
) -> Derived:
    """A definition with its derivation, its plan and its files.

    Takes and raises what `planned` takes and raises, and raises LngenError for an expression that a backend cannot
    print.
    """
    plan = planned(definition, proved=proved, on_stage=on_stage)
    what = "files" if proved else "files without proofs"
    files = _kept(what, definition, lambda: _emitted(plan, proved, on_stage))
    return Derived(definition, plan, files)


def _emitted(planned: Plan, proved: bool, on_stage: Callable[[str], None]) -> Emission:
    on_stage("numpy")
    notes = _notes(planned, "numpy")
    files = numpy.emit(planned.forward, planned.backward, notes, planned.jvp, planned.backward_backward)
    programs = (planned.forward, planned.backward, planned.jvp, planned.backward_backward)
    interface = description([program for program in programs if program is not None], notes)
    on_stage("cuda")
    files |= cuda.emit(
        planned.forward, planned.backward, _notes(planned, "cuda"), planned.jvp, planned.backward_backward
    )
    on_stage("derivation.md")
    files["derivation.md"] = _document(planned)
    definition = planned.derivation.definition
    summary(definition, lambda: planned)  # so that `lngen list` has it
    return manifest.emission(
        definition.name,
        files,
        definition_text=definition.canonical(),
        templates=render.sources("numpy", "cuda", "report"),
        options={"backends": ["cuda", "numpy"], "proved": proved},
        cost=cost_entries(planned),
        interface=interface,
        evidence=[_evidence_entry(proof) for proof in planned.derivation.proofs],
    )


def _kept(what: str, definition: Definition, make: Callable[[], Kept]) -> Kept:
    """What was made of the definition before, or is made now: where the pipeline looks into the cache."""
    write, read = partial(values.encode_surely, given=definition), partial(values.decode, given=definition)
    value: Kept = kept(what, definition, make, write, read)
    return value


def _proved(derivation: Derivation) -> Derivation:
    if not has_values(derivation):
        raise LngenError(
            f"{derivation.definition.name} has no finite real value for any inputs from -2 to 2 that were tried. "
            "Look for the root of what is negative, the logarithm of what is not positive, or a division by zero."
        )
    derivation = prove(derivation)
    _require_evidence(derivation)
    return derivation


def _require_evidence(derivation: Derivation) -> None:
    failed = [f"{proof.kind}: {proof.statement}" for proof in derivation.proofs if not proof.passed]
    if failed:
        raise EvidenceError(
            f"the derivation of {derivation.definition.name} does not hold:\n  "
            + "\n  ".join(failed)
            + "\nNothing was emitted. This is a fault of lngen, not of the definition: please report both."
        )


# ---- what an emitted file says about itself


def _notes(planned: Plan, templates: str) -> Notes:
    definition = planned.derivation.definition
    forward, backward = formulas(planned)
    renamed = (f"{name} is the {written} of the definition" for name, written in definition.renamed)
    return Notes(
        layer=definition.name,
        title=_title(definition),
        header=header(planned, templates),
        forward_formulas=(*renamed, *forward),
        backward_formulas=tuple(backward),
        inputs=tuple(entry.name for entry in definition.differentiable),
        jvp_formulas=secondary_formulas(planned, planned.derivation.jvp),
        backward_backward_formulas=secondary_formulas(planned, planned.derivation.backward_backward),
        nonnegative=definition.needed_positive,
        renamed=definition.renamed,
    )


def header(planned: Plan, templates: str) -> tuple[str, ...]:
    """The comment lines at the top of an emitted file, each safe in a Python, a C and an HTML comment.

    `templates` names the folder of templates that the file was printed with.
    """
    definition = planned.derivation.definition
    file = PurePath(definition.filename).name
    lines = [
        f"Made by lngen {__version__} from the definition of {definition.name}.",
        f"Do not edit; edit {file} and run: lngen derive {file}"
        if _SAFE_FILE_NAME.fullmatch(file)
        else "Do not edit; edit the definition and run: lngen derive FILE",
        f"Cost: {cost_line(planned)}.",
        _evidence_line(planned.derivation.proofs),
        f"definition sha256:{sha256_text(definition.canonical())}",
        f"templates  sha256:{_combined_hash(render.sources(templates))}",
    ]
    return tuple(comment_safe(line) for line in lines)


def comment_safe(line: str) -> str:
    r"""One line of plain ASCII that can neither end nor continue a comment.

    >>> comment_safe("a */ b\n\\")
    'a * / b /'
    """
    text = " ".join(line.split()).encode("ascii", "replace").decode()
    text = "".join(char for char in text if char.isprintable())
    for found, instead in _UNSAFE_IN_COMMENTS:
        text = text.replace(found, instead)
    return text


def _title(definition: Definition) -> str:
    """The first line of the docstring, safe inside a docstring."""
    first = definition.docstring.strip().partition("\n")[0]
    return comment_safe(first).replace('"', "'") or definition.name


def _combined_hash(texts: Mapping[str, str]) -> str:
    return sha256_text("".join(f"{path} {sha256_text(text)}\n" for path, text in sorted(texts.items())))


def _evidence_line(proofs: Sequence[Proof]) -> str:
    kinds = dict.fromkeys(proof.kind for proof in proofs if proof.claimed)
    counted = [
        f"{kind} {sum(proof.passed for proof in proofs if proof.kind == kind)}"
        f" of {sum(proof.kind == kind for proof in proofs)}"
        for kind in kinds
    ]
    unclaimed = sum(not proof.claimed for proof in proofs)
    counted += [f"no claim on {unclaimed}"] if unclaimed else []
    return f"Evidence: {', '.join(counted) or 'none was asked for'}; derivation.md says of what."


def _evidence_entry(proof: Proof) -> dict[str, Any]:
    return {"kind": proof.kind, "statement": proof.statement, "passed": proof.passed}


def _document(planned: Plan) -> str:
    return "\n".join(["<!--", *header(planned, "report"), "-->", "", report(planned, "markdown").strip("\n"), ""])
