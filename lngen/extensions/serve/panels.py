"""Parts of the page that show a derivation, as HTML by the name of the panel that each fills."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from lngen.emit import render
from lngen.emit.backends import backend
from lngen.extensions.page.formulas import Writer
from lngen.extensions.page.page import steps
from lngen.pipeline.stages import Derived
from lngen.plan.planner import Plan
from lngen.report.content import content
from lngen.report.formulas import atoms, gradients, reading_order, summed_over
from lngen.runtime.emitted import BACKENDS

Panels = dict[str, str]
"""HTML by the name of a panel."""

NAMES = ("result", "derivation", "evidence", "cost", "code")
"""The panels, in the order in which they stand on the page."""

_BY_ENDING = {"cu": "cuda", "cpp": "cpu", "h": "cpu"}


def of_plan(plan: Plan) -> Panels:
    """Return all panels but the code. Of a plan without evidence, the headline says that its proof is to come."""
    said = content(plan)
    writer = Writer(reading_order(plan.derivation), ())
    result = render.render(
        "serve/result.html.jinja",
        title=said.name,
        verdict=said.headline if said.evidence else "derived, and not proved yet",
        grade="good" if said.proved else "bad" if said.evidence else "",
        saving=said.saving,
        gradients=writer.results(gradients(plan.derivation), summed_over(plan.derivation)),
        atoms=writer.equations(atoms(plan.derivation)),
    )
    kinds = sorted(said.evidence, key=attrgetter("kind"))
    evidence = render.render(
        "serve/evidence.html.jinja",
        verdict=said.verdict,
        kinds=[
            (kind, [(p.outcome, p.statement) for p in proofs]) for kind, proofs in groupby(kinds, attrgetter("kind"))
        ],
    )
    cost = render.render("serve/cost.html.jinja", cost=said.cost, size=said.size, size_title=said.size_title)
    found = {"result": result, "derivation": steps(plan), "cost": cost}
    return {**found, "evidence": evidence} if said.evidence else found


def of_code(layer: Derived) -> Panels:
    """Return the panel of the emitted code, each file below its backend."""
    files = [(backend_of(name), name, text) for name, text in layer.files.items()]
    groups = [
        (backend(each).title, [(name, text) for owner, name, text in files if owner == each]) for each in BACKENDS
    ]
    return {"code": render.render("serve/code.html.jinja", name=layer.definition.name, groups=groups)}


def backend_of(file: str) -> str:
    """Return the backend that an emitted file is of; empty for what is no code of one.

    >>> [backend_of(name) for name in ("numpy_kernels.py", "kernels.cu", "layer.h", "manifest.json")]
    ['numpy', 'cuda', 'cpu', '']
    """
    name, _, ending = file.rpartition(".")
    beginning = name.partition("_")[0]
    return _BY_ENDING.get(ending) or (beginning if beginning in BACKENDS else "")
