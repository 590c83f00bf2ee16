"""The page of a layer: everything that a report says, in one file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Expr

from lngen.check.stability import StabilityTable
from lngen.derivation.derivation import Proof, Step, StepEvidence
from lngen.derivation.rules import RULES, Rule
from lngen.errors import counted, printable
from lngen.files import render
from lngen.files.render import Markup
from lngen.page import panel, plots
from lngen.page.formulas import EquationHtml, Writer, meanings
from lngen.page.graph import graph
from lngen.page.listing import Line, lines_of, listing, without_the_rest
from lngen.page.machine_code import MachineCode
from lngen.pipeline import Derived
from lngen.plan.planner import Plan
from lngen.report.changes import alike, changes
from lngen.report.content import Content, content, saving_text
from lngen.report.formulas import atoms, gradients, textbook_forward

_FILES = (
    ("numpy", "NumPy", "numpy_kernels.py"),
    ("numpy-2", "NumPy", "numpy_second_order.py"),
    ("cuda", "CUDA", "kernels.cu"),
)


@dataclass(frozen=True)
class StepHtml:
    """A step: where a quantity appears for the first time `before` is None.

    `contributions` are what the chain rule collects, each with the name of what it comes through, None for what was
    there; `uses` are equations that hold and that the step used; `code` has files and lines that come from it.
    """

    number: int
    rule: Rule
    reason: Markup
    facts: str
    evidence: StepEvidence | None
    proof: Markup
    contributions: tuple[tuple[Markup | None, Markup], ...]
    uses: tuple[EquationHtml, ...]
    before: Markup | None
    after: EquationHtml
    code: tuple[tuple[str, str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class File:
    """An emitted file: what it is called in a link, its title, its name, its lines."""

    key: str
    title: str
    name: str
    lines: list[Line]

    @property
    def shown(self) -> list[Line | int]:
        """Return the lines that the page shows, see `without_the_rest`."""
        return without_the_rest(self.lines)


def page(
    layer: Derived, table: StabilityTable | None = None, home: str = "", machine: MachineCode | None = None
) -> str:
    """The page as HTML. With `table` it has a plot of errors, with `machine` what the kernels are for an architecture;
    `home` is the address of a site's index.
    """
    said = content(layer.plan)
    writer, names = meanings(layer.plan)
    files = _files(layer, writer)
    code = panel.script(layer.plan)
    data = json.dumps(panel.panel(layer.plan), allow_nan=False).replace("<", "\\u003c")
    script = "\n".join([code, dense(render.render("html/panel.js")), dense(render.render("html/page.js"))])
    return render.render(
        "html/page.html.jinja",
        **_fields(layer.plan, said, writer, files),
        home=home,
        names=names,
        files=files,
        programs=_programs(layer.plan, said),
        cost=said.cost,
        size_title=said.size_title,
        size=said.size,
        error_plot=None if table is None else Markup(plots.error_plot(table)),
        bytes_plot=Markup(plots.bytes_plot(layer.plan)) if plots.can_plot() else None,
        missing=plots.MISSING,
        machine=machine,
        style=Markup(dense(render.render("html/page.css"))),
        script=Markup(script),
        script_hash=script_hash(script),
        panel=Markup(data),
    )


def steps(plan: Plan) -> str:
    """Return the steps alone, to stand in another page that has the style of this one."""
    writer, _ = meanings(plan)
    plain = Writer(writer.order, ())
    return render.render("html/steps.html.jinja", parts=_parts(plan, content(plan), plain, []))


def fragment(plan: Plan) -> str:
    """The result, its evidence and its steps, to stand in a notebook: without script, style or anchors of a page."""
    writer, _ = meanings(plan)
    plain = Writer(writer.order, ())
    return render.render("html/fragment.html.jinja", **_fields(plan, content(plan), plain, []))


def dense(text: str) -> str:
    """A script or a style sheet without what only its readers need: indentation, comments, empty lines.

    >>> dense("a;\\n\\n  // why\\n  b;\\n/* what */\\nc;")
    'a;\\nb;\\nc;'
    """
    return re.sub(r"\n(\s*(//.*|/\*.*\*/)?\n)*\s*", "\n", text)


def script_hash(script: str) -> str:
    """Return the hash of a script for a Content-Security-Policy, so that no other script runs."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _fields(plan: Plan, said: Content, writer: Writer, files: Sequence[File]) -> dict[str, Any]:
    d = plan.derivation
    parts = _parts(plan, said, writer, files)
    return {
        "title": said.name,
        "citation": [printable(paragraph) for paragraph in said.citation],
        "verdict": said.headline,
        "proved": bool(said.evidence) and all(item.passed for item in said.evidence),
        "warning": said.audit.warning,
        "saving": said.saving,
        "gradients": writer.equations(gradients(d)),
        "atoms": writer.equations(atoms(d)),
        "definition": "\n".join(printable(line) for line in said.definition),
        "forward": writer.equations(textbook_forward(d)),
        "parts": parts,
        "rules": list({step.rule.name: step.rule for part in parts for step in part["steps"]}.values()),
        "identities": [writer.equation(left, right) for _, left, right in d.identities],
        "evidence": _grouped(said.evidence, writer),
        "hazards": [(h, writer.prose(h.danger), writer.prose(h.remedy)) for h in said.audit.hazards],
        "rewrites": [
            (r.step.number, r.step.rule, writer.prose(r.step.reason), saving_text(r.saving))
            for r in said.audit.rewrites
        ],
    }


def _parts(plan: Plan, said: Content, writer: Writer, files: Sequence[File]) -> list[dict[str, Any]]:
    """The parts of the derivation as the reports have them, their formulas for a page."""
    derivatives = plan.derivation.derivatives()
    steps = {step.number: step for derivative in derivatives.values() for step in derivative.steps}
    found = []
    for part in said.parts:
        shown = []
        read: Step | None = None
        for step in (steps[step.number] for step in part.steps):
            again = read is not None and (read.target, read.after) == (step.target, step.before)
            shown.append(_step(step, writer, files, again=again))
            read = step
        direction = steps[part.steps[0].number].part
        results = derivatives[direction].equations if part.results else ()
        found.append(
            {
                "key": direction,
                "title": part.title,
                "sentence": part.sentence,
                "steps": shown,
                "results": writer.equations(results),
            }
        )
    return found


def _step(step: Step, writer: Writer, files: Sequence[File], *, again: bool) -> StepHtml:
    """A step; `again` says that the line it begins with is the one that has just been read."""
    gone, new = (frozenset(), frozenset()) if step.before is None else changes(step.before, step.after)
    done = counted(step.operations_after, "operation")

    def write(before: Expr) -> Markup:
        return writer.elided(before, gone) if again else writer.expression(before, alike(gone), "=")

    return StepHtml(
        number=step.number,
        rule=RULES[step.rule],
        reason=writer.prose(step.reason),
        facts=done if step.operations_before is None else f"{step.operations_before} → {done}",
        evidence=step.evidence,
        proof=Markup() if step.evidence is None else writer.prose(_behind(step.evidence)),
        contributions=tuple(
            (None if c.source == step.target else writer.name(c.source.name), writer.expression(c.expression))
            for c in step.contributions
        ),
        uses=tuple(writer.equation(left, right) for left, right in step.uses),
        before=None if step.before is None else write(step.before),
        after=writer.equation(step.target, step.after, alike(new)),
        code=tuple((file.key, file.title, found[:3]) for file in files if (found := lines_of(step.number, file.lines))),
    )


def _behind(evidence: StepEvidence) -> str:
    """Describe the grounds of a grade: digits, the equations that it rests on, the reason why it is no better.

    >>> _behind(StepEvidence("exact at every D", ("rstd", "xhat")))
    'exact at every D, by the equations of rstd, xhat'
    """
    rests = f", by the equations of {', '.join(evidence.names)}" if evidence.names else ""
    return evidence.words + rests + (f"; {evidence.reason}" if evidence.reason else "")


def _files(layer: Derived, writer: Writer) -> list[File]:
    return [
        File(key, title, name, listing(layer.text(name), writer.names))
        for key, title, name in _FILES
        if name in layer.files
    ]


def _grouped(evidence: Sequence[Proof], writer: Writer) -> list[tuple[str, list[tuple[str, Markup]]]]:
    """The statements by their kind, in the order of the kinds' first ones: how each came out, and what it says."""
    kinds: dict[str, list[tuple[str, Markup]]] = {}
    for item in evidence:
        kinds.setdefault(item.kind, []).append((item.outcome, writer.prose(item.statement)))
    return list(kinds.items())


def _programs(plan: Plan, said: Content) -> list[dict[str, Any]]:
    return [
        {
            "direction": program.direction,
            "title": program.direction.replace("_", " ").capitalize(),
            "words": f"reads {words.reads}; writes {words.writes}; {words.saves}",
            "graph": Markup(graph(program)),
        }
        for program, words in zip(plan.programs(), said.programs, strict=True)
    ]
