"""Run every stage from a definition to the files of its layer.

    load -> derive -> plan -> prove -> emit NumPy, CUDA, C++, PyTorch, JAX, the derivation as a document, the manifest

No stage reads the clock, the machine, or any file but the templates: the same definition gives the same bytes
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from lngen.derivation.derivation import NONE, Derivation, Proof
from lngen.derivation.gradients import derive
from lngen.derivation.second_order import with_second_order
from lngen.emit import cpp, numpy
from lngen.emit.backends import backend, takes_integers, with_needed
from lngen.emit.description import description
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.pipeline.cache import values
from lngen.pipeline.cache.results import is_kept, kept
from lngen.pipeline.files import manifest
from lngen.pipeline.files.manifest import Emission
from lngen.pipeline.files.shared import needed
from lngen.plan.history import after
from lngen.plan.planner import Plan, plan
from lngen.prove import has_values, prove
from lngen.prove.programs import program_proofs
from lngen.report import cost_entries, formulas, report
from lngen.report.heading import header, notes
from lngen.report.summary import first_gradient
from lngen.runtime.emitted import BACKENDS
from lngen.runtime.protocol.interface import DIRECTIONS

Kept = TypeVar("Kept")

STAGES = ("derive", "plan", "prove", *BACKENDS, "derivation.md")
"""Stages of `derived` in order, by the names passed to `on_stage`."""

_FEWER: tuple[tuple[str, ...], ...] = (DIRECTIONS[:3], DIRECTIONS[:2])
"""Directions to be content with where evidence speaks against one of the second order."""

_PASSES = {"NumPy": numpy.passes, "C++, CUDA and Triton": cpp.passes}
"""The passes of each group of backends, which end with the programs that these print."""


class EvidenceError(LngenError):
    """A derivation that does not hold: an emitted layer must not come from it."""


@dataclass(frozen=True)
class Derived:
    """A definition, its derivation with both row programs, and the files of the layer."""

    definition: Definition
    plan: Plan
    emission: Emission

    @property
    def files(self) -> dict[str, str]:
        """The texts of the emitted files, by name."""
        return dict(self.emission.files)

    def text(self, path: str) -> str:
        """Return the text of one emitted file, such as `kernels.cu`; raises KeyError if there is none."""
        return self.files[path]


def planned(
    definition: Definition, *, proved: bool = True, on_stage: Callable[[str], None] = lambda stage: None
) -> Plan:
    """Return the plan of a definition; `proved=False` skips the proofs, which take most of the time.

    `on_stage` gets the name of each of `STAGES` as it begins; a cached stage is skipped. Raises EvidenceError if the
    evidence speaks against the derivation, and LngenError if the definition cannot be derived. With `proved`, it also
    raises LngenError if no tried point has a finite real value.
    """
    if proved:
        return _kept("plan with proofs", definition, lambda: _with_proofs(definition, on_stage))
    return _kept("plan", definition, lambda: _planned(definition, on_stage))


def _planned(definition: Definition, on_stage: Callable[[str], None]) -> Plan:
    on_stage("derive")
    derivation = with_second_order(derive(definition))
    on_stage("plan")
    return plan(derivation, _PASSES)


def _with_proofs(definition: Definition, on_stage: Callable[[str], None]) -> Plan:
    found = planned(definition, proved=False, on_stage=on_stage)
    on_stage("prove")
    made = proved(found)
    failed = [proof.statement for proof in made.derivation.proofs if not proof.passed]
    for directions in (each for each in _FEWER if failed and {*each} < {*definition.directions}):
        lost = [each for each in definition.directions if each not in directions]
        first = proved(_planned(replace(definition, directions=directions), on_stage))
        if all(proof.passed for proof in first.derivation.proofs):
            words = f"{' and '.join(lost)}: not derived, since evidence speaks against the form found: {failed[0]}"
            proofs = (*first.derivation.proofs, Proof(NONE, words, True, "directions"))
            return replace(first, derivation=replace(first.derivation, proofs=proofs))
    require_evidence(made)
    return made


def proved(found: Plan) -> Plan:
    """Return a plan with the evidence for its derivation and for the programs that backends are handed.

    Raises LngenError if no tried point has a finite real value.
    """
    derivation = _proved(found.derivation)
    handed = {name: [after(passes, program) for program in found.programs()] for name, passes in _PASSES.items()}
    proofs = (*derivation.proofs, *program_proofs(derivation, handed))
    return replace(found, derivation=replace(derivation, proofs=proofs))


def derived(
    definition: Definition,
    *,
    proved: bool = True,
    backends: Collection[str] = BACKENDS,
    on_stage: Callable[[str], None] = lambda stage: None,
) -> Derived:
    """Return a definition with its derivation, its plan and its files.

    The files are those of some `backends`, and of the backends that these need. Arguments and errors are those of
    `planned`. It also raises LngenError for an expression that a backend cannot print, and for an unknown backend.
    """
    plan = planned(definition, proved=proved, on_stage=on_stage)
    chosen = _chosen(definition, backends)

    def emitted() -> Emission:
        return _emitted(plan, proved, chosen, on_stage)

    # What a stranger's backend emits depends on more than the cache knows of.
    known = all(backend(name).emit.__module__.partition(".")[0] == __name__.partition(".")[0] for name in chosen)
    definition = plan.derivation.definition
    return Derived(definition, plan, _kept(_what(chosen, proved), definition, emitted) if known else emitted())


def is_derived(definition: Definition, backends: Collection[str] = BACKENDS) -> bool:
    """Test whether the cache has the files of a definition, so that `derived` takes no time."""
    return is_kept(_what(_chosen(definition, backends), proved=True), definition)


def _chosen(definition: Definition, backends: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in with_needed(backends) if takes_integers(name, definition))


def _what(chosen: tuple[str, ...], proved: bool) -> str:
    """Return the name by which the cache knows the files for some backends."""
    what = "files" if proved else "files without proofs"
    return what if chosen == BACKENDS else f"{what} for {' '.join(chosen)}"


def _emitted(planned: Plan, proved: bool, backends: Sequence[str], on_stage: Callable[[str], None]) -> Emission:
    programs = planned.programs()
    files: dict[str, str] = {}
    templates: dict[str, str] = {}
    for name in backends:
        if name in STAGES:
            on_stage(name)
        made = backend(name).emit(programs, notes(planned, name))
        if taken := sorted(path for path, text in made.items() if files.get(path, text) != text):
            raise LngenError(f"the backend {name} emits {taken[0]}, which another backend emits with another text.")
        files |= made
        templates |= backend(name).sources()
    on_stage("derivation.md")
    files["derivation.md"] = _document(planned)
    definition = planned.derivation.definition
    return manifest.emission(
        definition.name,
        files,
        definition=definition,
        templates=templates,
        options=_options(definition, backends, proved),
        cost=cost_entries(planned),
        gradient=first_gradient(planned),
        interface=description(programs, notes(planned, "numpy")),
        evidence=[_evidence_entry(proof) for proof in planned.derivation.proofs],
        # Where every backend is, so is what no layer imports, and programs may call.
        needed=None if set(backends) >= set(BACKENDS) else needed(files),
    )


def _options(definition: Definition, backends: Sequence[str], proved: bool) -> dict[str, Any]:
    fewer = {} if definition.directions == DIRECTIONS else {"directions": list(definition.directions)}
    return {"backends": sorted(backends), "proved": proved, **fewer}


def _kept(what: str, definition: Definition, make: Callable[[], Kept]) -> Kept:
    """Return a result of the definition from the cache, or make it and cache it."""
    write, read = partial(values.encode, given=definition), partial(values.decode, given=definition)
    value: Kept = kept(what, definition, make, write, read)
    return value


def _proved(derivation: Derivation) -> Derivation:
    if not has_values(derivation):
        raise LngenError(
            f"{derivation.definition.name} has no finite real value for any inputs from -2 to 2 that were tried. "
            "Look for the root of a negative number, the logarithm of a number that is not positive, or a division by "
            "zero."
        )
    return prove(derivation)


def require_evidence(found: Plan) -> None:
    """Raise EvidenceError where evidence speaks against the derivation of a plan."""
    failed = [f"{proof.kind}: {proof.statement}" for proof in found.derivation.proofs if not proof.passed]
    if failed:
        raise evidence_error(found, f"the derivation of {found.derivation.definition.name} does not hold", failed)


def evidence_error(found: Plan, what: str, failed: Sequence[str]) -> EvidenceError:
    """Return the error for a plan that something speaks against, with the gradient that was found."""
    lines = [f"{what}:", *(f"  {line}" for line in failed)]
    lines += ["The gradient that was found:", *(f"  {line}" for line in formulas(found)["backward"])]
    whose = "This is a fault of lngen, not of the definition: please send the definition's file and this message to"
    return EvidenceError("\n".join([*lines, f"Nothing was emitted. {whose} your copy's maintainers."]))


def _evidence_entry(proof: Proof) -> dict[str, Any]:
    entry = {"about": proof.about, "count": proof.count, "kind": proof.kind}
    return {**entry, "statement": proof.statement, "passed": proof.passed}


def _document(planned: Plan) -> str:
    return "\n".join(["<!--", *header(planned), "-->", "", report(planned, "markdown").strip("\n"), ""])
