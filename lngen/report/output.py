"""A report in the format that is asked for. The templates under `templates/report/` place what is prepared
here.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from lngen import render
from lngen.audit import Hazard
from lngen.errors import LngenError, printable
from lngen.plan import Plan
from lngen.report import escape
from lngen.report.content import Content, content, saving_text
from lngen.report.layout import WIDTH, aligned, cut, expression, prose, table

Format = Literal["text", "markdown", "latex", "json"]

SCHEMA = 1
"""The version of the JSON document; it rises when a field changes its meaning or goes."""

THEME = Theme(
    {
        "report.title": "bold cyan",
        "report.heading": "bold",
        "report.result": "bold green",
        "report.rule": "yellow",
        "report.quiet": "dim",
        "report.good": "green",
        "report.bad": "bold red",
        "report.plain": "",
    }
)

_KEPT = "kept as a second derivation and compared with the result"
_UNFUSED = "Unfused is the same with a kernel for each operation"
_OUTCOME_STYLES = {"ok": "report.good", "FAILED": "report.bad", "open": "report.quiet"}
_MARKS = {"removed": "report.good", "bounded": "report.quiet", "open": "report.bad"}


def report(plan: Plan, format: Format = "text") -> str:
    """The report of a plan.

    "text" is plain, no line longer than 110 columns. "markdown" has each formula as text and as LaTeX in `$$`
    blocks. "latex" is a whole document; it needs amsmath and geometry. "json" is an object with the fields

    * `schema` (1), `name`, `citation` (paragraphs), `definition` (source);
    * `forward`, `adjoint`, `gradients`, `where`, `identities`: lists of `{name, text, latex}`, of an identity
      `name` is the left side; `operations`: `{adjoint, result}`;
    * `steps`: `{number, part, rule, target, before, after, reason, operations_before, operations_after,
      digits}`, in which `before`, `operations_before` and `digits` may be null;
    * `beyond`: `{title, formulas}` of the JVP and of the double backward, in order of computation;
    * `proofs`: `{kind, statement, passed}`;
    * `plan`: `{direction, reads, writes, sweeps: [{title, lines}]}`;
    * `cost`: `{forward, backward}`, see `cost_entries`;
    * `hazards`: `{kind, status, direction, step, name, text, danger, remedy}`;
    * `rewrites`: `{step, rule, saving}`, saving null or `{before, after, example}` in bits of float32.

    Raises LngenError for another format.
    """
    if format == "text":
        return Text.from_markup(_markup(content(plan), WIDTH), emoji=False).plain
    if format == "markdown":
        return render.render("report/derivation.md.jinja", **_markdown(content(plan)))
    if format == "latex":
        return render.render("report/derivation.tex.jinja", **_latex(content(plan)))
    if format == "json":
        return json.dumps(_json(content(plan)), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    raise LngenError(f"there is no report format {format!r}. Use text, markdown, latex or json.")


def to_console(plan: Plan, console: Console) -> None:
    """Print the report on a console, with colour where it has one, in its width up to 110 columns."""
    width = max(40, min(console.width, WIDTH))
    with console.use_theme(THEME):
        text = Text.from_markup(_markup(content(plan), width), emoji=False)
        console.print(text, soft_wrap=True, highlight=False, end="")


def _markup(c: Content, width: int) -> str:
    def lines(found: list[str]) -> list[str]:
        return [escape.markup(line) for line in found]

    steps = []
    for step in c.steps:
        head = f"{step.number:>4}  "
        before = [] if step.before is None else expression(step.before.text, width, " " * 10)
        sign = f"{' ' * 8}= " if before else f"{' ' * 10}{step.target} = "
        steps.append(
            {
                "number": head,
                "rule": escape.markup(step.rule),
                "target": escape.markup(step.target),
                **_note(step.facts, f"{head}{step.rule}, {step.target}", width, " " * 6),
                "reason": lines(prose(step.reason, width, " " * 6)),
                "before": lines(before),
                "after": lines(expression(step.after.text, width, sign)),
            }
        )
    proofs = [
        {
            "mark": f"{item.outcome:8}",
            "style": _OUTCOME_STYLES[item.outcome],
            "lines": lines(prose(f"{item.kind}: {item.statement}", width - 10)),
        }
        for item in c.evidence
    ]
    programs = [
        {
            "head": lines(prose(f"{p.direction}: reads {p.reads}; writes {p.writes}; {p.saves}", width, "  ")),
            "sweeps": [
                {"title": f"    {s.title}", "lines": lines(aligned(s.formulas, width, "      "))} for s in p.sweeps
            ],
        }
        for p in c.programs
    ]
    hazards = [
        {
            "status": f"{h.status:<8}",
            "style": _MARKS[h.status],
            "kind": escape.markup(h.kind),
            **_note(_place(h), f"  {h.status:<8}{h.kind}", width, " " * 10),
            "text": lines(expression(h.where.text, width, " " * 10)),
            "lines": lines([*prose(h.danger, width, " " * 10), *prose(f"-> {h.remedy}", width, " " * 10)]),
        }
        for h in c.audit.hazards
    ]
    return render.render(
        "report/text.jinja",
        title=escape.markup(c.name),
        rule="=" * min(width, len(c.name)),
        citation=[lines(prose(paragraph, width)) for paragraph in c.citation],
        gradients=lines(aligned(c.gradients, width)),
        atoms=lines(aligned(c.atoms, width, "    ")),
        verdict=lines(prose(c.verdict, width, "  ")),
        proved=bool(c.evidence) and all(item.passed for item in c.evidence),
        saving=lines(prose(c.saving, width, "  ")),
        definition=[escape.markup(f"  {part}") for line in c.definition for part in cut(line, width - 2)],
        forward=lines(aligned(c.forward, width)),
        adjoint=lines(aligned(c.adjoint, width)),
        adjoint_note=lines(prose(f"Unsimplified, {c.adjoint_operations} operations; {_KEPT}.", width, "  ")),
        steps=steps,
        identities=lines(aligned(c.identities, width)),
        beyond=[
            {
                "title": escape.markup(part.title),
                "sentence": lines(prose(part.sentence, width, "  ")),
                "lines": lines(aligned(part.formulas, width)),
            }
            for part in c.beyond
        ],
        proofs=proofs,
        programs=programs,
        cost_note=lines(prose(f"{_UNFUSED}.", width, "  ")),
        cost=lines(table(c.cost, width)),
        size_title=c.size_title,
        size=lines(table(c.size, width)),
        hazards=hazards,
        rewrites=[lines(prose(_rewrite(item), width, "  ")) for item in c.audit.rewrites],
    )


def _markdown(c: Content) -> dict[str, Any]:
    fence = escape.fence("\n".join(c.definition))
    return {
        "title": escape.markdown(c.name),
        "citation": [escape.markdown(paragraph) for paragraph in c.citation],
        "fence": fence,
        "definition": [part for line in c.definition for part in cut(line, WIDTH)],
        "verdict": escape.markdown(c.verdict),
        "saving": escape.markdown(c.saving),
        "gradients": _both(c.gradients),
        "atoms": _both(c.atoms),
        "forward": _both(c.forward),
        "adjoint": _both(c.adjoint),
        "adjoint_operations": c.adjoint_operations,
        "steps": [
            {
                "number": step.number,
                "rule": escape.markdown(step.rule),
                "target": step.target,
                "facts": escape.markdown(step.facts),
                "reason": escape.markdown(step.reason),
                "lines": _step_lines(step),
                "latex": step.after.latex,
            }
            for step in c.steps
        ],
        "identities": _both(c.identities),
        "beyond": [
            {
                "title": escape.markdown(part.title),
                "sentence": escape.markdown(part.sentence),
                "formulas": _both(part.formulas),
            }
            for part in c.beyond
        ],
        "proofs": [
            {"kind": escape.markdown(i.kind), "statement": escape.markdown(i.statement), "outcome": i.outcome}
            for i in c.evidence
        ],
        "programs": [
            {
                "direction": p.direction,
                "head": escape.markdown(f"Reads {p.reads}; writes {p.writes}; {p.saves}."),
                "lines": [line for s in p.sweeps for line in (f"# {s.title}", *aligned(s.formulas, WIDTH, ""))],
            }
            for p in c.programs
        ],
        "notes": {"adjoint": _KEPT, "cost": _UNFUSED},
        "cost": [[escape.markdown(cell) for cell in row] for row in c.cost],
        "size_title": c.size_title,
        "size": [[escape.markdown(cell) for cell in row] for row in c.size],
        "hazards": [
            {
                "status": h.status,
                "kind": escape.markdown(h.kind),
                "where": escape.markdown(_place(h)),
                "text": h.where.text,
                "danger": escape.markdown(h.danger),
                "remedy": escape.markdown(h.remedy),
            }
            for h in c.audit.hazards
        ],
        "rewrites": [escape.markdown(_rewrite(item)) for item in c.audit.rewrites],
    }


def _latex(c: Content) -> dict[str, Any]:
    return {
        "title": escape.latex(c.name),
        "citation": [escape.latex(paragraph) for paragraph in c.citation],
        # Nothing can end a line of \texttt early, as it could a verbatim block.
        "definition": [_spaces(escape.latex(part)) for line in c.definition for part in cut(line, WIDTH)],
        "verdict": escape.latex(c.verdict),
        "saving": escape.latex(c.saving),
        "gradients": [f.latex for f in c.gradients],
        "atoms": [f.latex for f in c.atoms],
        "forward": [f.latex for f in c.forward],
        "adjoint": [f.latex for f in c.adjoint],
        "adjoint_operations": c.adjoint_operations,
        "steps": [
            {
                "number": step.number,
                "rule": escape.latex(step.rule),
                "target": escape.latex(step.target),
                "facts": escape.latex(step.facts),
                "reason": escape.latex(step.reason),
                "before": None if step.before is None else step.before.latex,
                "after": step.after.latex,
            }
            for step in c.steps
        ],
        "identities": [f.latex for f in c.identities],
        "beyond": [
            {
                "title": escape.latex(part.title),
                "sentence": escape.latex(part.sentence),
                "formulas": [f.latex for f in part.formulas],
            }
            for part in c.beyond
        ],
        "proofs": [
            {"kind": escape.latex(i.kind), "statement": escape.latex(i.statement), "outcome": i.outcome}
            for i in c.evidence
        ],
        "notes": {"adjoint": _KEPT, "cost": _UNFUSED},
        "cost": [[escape.latex(cell) for cell in row] for row in c.cost],
        "size_title": escape.latex(c.size_title),
        "size": [[escape.latex(cell) for cell in row] for row in c.size],
        "hazards": [
            {
                "status": h.status,
                "kind": escape.latex(h.kind),
                "where": escape.latex(_place(h)),
                "text": escape.latex(h.where.text),
                "danger": escape.latex(h.danger),
                "remedy": escape.latex(h.remedy),
            }
            for h in c.audit.hazards
        ],
        "rewrites": [escape.latex(_rewrite(item)) for item in c.audit.rewrites],
    }


def _json(c: Content) -> dict[str, Any]:
    def listed(formulas: Any) -> list[dict[str, str]]:
        return [{"name": f.name, "text": f.text, "latex": f.latex} for f in formulas]

    return {
        "schema": SCHEMA,
        "name": c.name,
        "citation": list(c.citation),
        "definition": "\n".join(c.definition),
        "forward": listed(c.forward),
        "adjoint": listed(c.adjoint),
        "gradients": listed(c.gradients),
        "where": listed(c.atoms),
        "identities": listed(c.identities),
        "beyond": [{"title": part.title, "formulas": listed(part.formulas)} for part in c.beyond],
        "operations": {"adjoint": c.adjoint_operations, "result": c.result_operations},
        "steps": [
            {
                "number": s.number,
                "part": s.part,
                "rule": s.rule,
                "target": s.target,
                "before": None if s.before is None else s.before.text,
                "after": s.after.text,
                "reason": s.reason,
                "operations_before": s.operations_before,
                "operations_after": s.operations_after,
                "digits": s.digits,
            }
            for s in c.steps
        ],
        "proofs": [{"kind": i.kind, "statement": i.statement, "passed": i.passed} for i in c.evidence],
        "plan": [
            {
                "direction": p.direction,
                "reads": p.reads.split(", "),
                "writes": p.writes.split(", "),
                "sweeps": [{"title": s.title, "lines": [f.line for f in s.formulas]} for s in p.sweeps],
            }
            for p in c.programs
        ],
        "cost": c.cost_entries,
        "hazards": [
            {
                "kind": h.kind,
                "status": h.status,
                "direction": h.where.direction,
                "step": h.where.step,
                "name": h.where.name,
                "text": h.where.text,
                "danger": h.danger,
                "remedy": h.remedy,
            }
            for h in c.audit.hazards
        ],
        "rewrites": [
            {
                "step": item.step.number,
                "rule": item.step.rule,
                "saving": None
                if item.saving is None
                else {
                    "before": item.saving.before,
                    "after": item.saving.after,
                    "example": item.saving.example,
                },
            }
            for item in c.audit.rewrites
        ],
    }


def _both(formulas: Any) -> dict[str, list[str]]:
    return {"lines": aligned(formulas, WIDTH, ""), "latex": [f.latex for f in formulas]}


def _step_lines(step: Any) -> list[str]:
    if step.before is None:
        return expression(step.after.text, WIDTH, f"{step.target} = ")
    return [*expression(step.before.text, WIDTH, "  "), *expression(step.after.text, WIDTH, "= ")]


def _note(words: str, head: str, width: int, indent: str) -> dict[str, Any]:
    """A note beside a heading where there is room, else below it."""
    beside = f"  ({printable(words)})"
    if len(head) + len(beside) <= width:
        return {"beside": escape.markup(beside), "below": []}
    return {"beside": "", "below": [escape.markup(line) for line in prose(words, width, indent)]}


def _place(hazard: Hazard) -> str:
    where = hazard.where
    return f"{where.direction}, {f'step {where.step}, ' if where.step else ''}{where.name}"


def _rewrite(item: Any) -> str:
    measured = saving_text(item.saving)
    measured = f"; on {measured}" if measured else ""
    return f"step {item.step.number}, {item.step.rule}: {item.step.reason}{measured}"


def _spaces(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return "~" * indent + line[indent:]
