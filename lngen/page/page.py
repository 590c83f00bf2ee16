"""The page of a layer: everything that a report says, in one file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lngen.check.stability import StabilityTable
from lngen.derivation.derivation import Direction, Proof, Step
from lngen.errors import counted, printable
from lngen.files import render
from lngen.files.render import Markup
from lngen.page import panel, plots
from lngen.page.formulas import EquationHtml, Writer, changes, meanings
from lngen.page.graph import graph
from lngen.page.listing import Line, lines_of, listing
from lngen.pipeline import Derived
from lngen.plan.planner import Plan
from lngen.report.content import Content, content, saving_text
from lngen.report.formulas import atoms, gradients, textbook_forward

_TITLES: dict[Direction, tuple[str, str]] = {
    "forward": ("Forward", "The definition, in the values that are computed."),
    "backward": ("The gradients", "What a loss moves by when the inputs move, given its cotangents of the outputs."),
    "jvp": ("The tangents of the outputs", "What the outputs move by when the inputs move by their tangents."),
    "backward_backward": ("The gradients of the gradients", "The adjoint of the gradients' own equations."),
}
_FILES = (("numpy", "NumPy", "numpy_kernels.py"), ("cuda", "CUDA", "kernels.cu"))


@dataclass(frozen=True)
class StepHtml:
    """A step: where a quantity appears for the first time `before` is None."""

    number: int
    rule: str
    target: str
    reason: str
    facts: str
    badge: str
    before: Markup | None
    after: EquationHtml
    marked: Markup
    code: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True)
class File:
    """An emitted file: what it is called in a link, its title, its name, its lines."""

    key: str
    title: str
    name: str
    lines: list[Line]


def page(layer: Derived, table: StabilityTable | None = None, home: str = "") -> str:
    """The page as HTML. With `table` it has a plot of errors; `home` is the address of a site's index."""
    said = content(layer.plan)
    writer, names = meanings(layer.plan)
    files = _files(layer, writer)
    code = panel.script(layer.plan)
    data = json.dumps(panel.panel(layer.plan), allow_nan=False).replace("<", "\\u003c")
    script = "\n".join([code, render.render("html/panel.js"), render.render("html/page.js")])
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
        style=Markup(render.render("html/page.css")),
        script=Markup(script),
        script_hash=script_hash(script),
        panel=Markup(data),
    )


def fragment(plan: Plan) -> str:
    """The result, its evidence and its steps, to stand in a notebook: without script, style or anchors of a page."""
    writer, _ = meanings(plan)
    plain = Writer(writer.order, ())
    return render.render("html/fragment.html.jinja", **_fields(plan, content(plan), plain, []))


def script_hash(script: str) -> str:
    """What a Content-Security-Policy calls a script, so that no other runs."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _fields(plan: Plan, said: Content, writer: Writer, files: Sequence[File]) -> dict[str, Any]:
    d = plan.derivation
    return {
        "title": said.name,
        "citation": [printable(paragraph) for paragraph in said.citation],
        "verdict": said.verdict,
        "proved": bool(said.evidence) and all(item.passed for item in said.evidence),
        "saving": said.saving,
        "gradients": writer.equations(gradients(d)),
        "atoms": writer.equations(atoms(d)),
        "definition": "\n".join(printable(line) for line in said.definition),
        "forward": writer.equations(textbook_forward(d)),
        "adjoint": writer.equations(d.adjoint.equations),
        "parts": list(_parts(plan, writer, files)),
        "identities": [writer.equation(left, right) for _, left, right in d.identities],
        "evidence": _grouped(said.evidence),
        "hazards": said.audit.hazards,
        "rewrites": [
            {"number": r.step.number, "rule": r.step.rule, "reason": r.step.reason, "saving": saving_text(r.saving)}
            for r in said.audit.rewrites
        ],
    }


def _parts(plan: Plan, writer: Writer, files: Sequence[File]) -> list[dict[str, Any]]:
    """The steps of each direction."""
    found = []
    for direction, (title, sentence) in _TITLES.items():
        derivative = plan.derivation.derivatives().get("backward" if direction == "forward" else direction)
        steps = [step for step in (derivative.steps if derivative else ()) if step.part == direction]
        if steps:
            shown = [_step(step, writer, files) for step in steps]
            found.append({"key": direction, "title": title, "sentence": sentence, "steps": shown})
    return found


def _step(step: Step, writer: Writer, files: Sequence[File]) -> StepHtml:
    gone, come = (frozenset(), frozenset()) if step.before is None else changes(step.before, step.after)
    done = counted(step.operations_after, "operation")
    return StepHtml(
        number=step.number,
        rule=step.rule,
        target=step.target.name,
        reason=printable(step.reason),
        facts=done if step.operations_before is None else f"{step.operations_before} → {done}",
        badge=step.evidence.grade if step.evidence else "",
        before=None if step.before is None else writer.expression(step.before, gone),
        after=writer.equation(step.target, step.after),
        marked=writer.expression(step.after, come, "="),
        code=tuple(
            (file.key, file.title, number) for file in files for number in lines_of(step.number, file.lines)[:3]
        ),
    )


def _files(layer: Derived, writer: Writer) -> list[File]:
    return [
        File(key, title, name, listing(layer.text(name), writer.names))
        for key, title, name in _FILES
        if name in layer.files
    ]


def _grouped(evidence: Sequence[Proof]) -> list[tuple[str, list[Proof]]]:
    """The statements by their kind, in the order of the kinds' first ones."""
    kinds = dict.fromkeys(item.kind for item in evidence)
    return [(kind, [item for item in evidence if item.kind == kind]) for kind in kinds]


def _programs(plan: Plan, said: Content) -> list[dict[str, Any]]:
    return [
        {
            "direction": program.direction,
            "title": _TITLES[program.direction][0],
            "words": f"reads {words.reads}; writes {words.writes}; {words.saves}",
            "graph": Markup(graph(program)),
        }
        for program, words in zip(plan.programs(), said.programs, strict=True)
    ]
