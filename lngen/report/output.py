"""A report in the format that is asked for. The templates under `templates/report/` place what is prepared here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal

from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from lngen.derivation.derivation import Proof
from lngen.errors import LngenError, printable
from lngen.expressions.notation import latex_name
from lngen.files import render
from lngen.layout import NARROWEST, WIDTH, aligned, cut, expression, prose, table
from lngen.plan.planner import Plan
from lngen.report import escape
from lngen.report.audit import Hazard
from lngen.report.audit.findings import Status
from lngen.report.content import Content, Side, StepText, content, saving_text
from lngen.report.formulas import Formula

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
        "report.changed": "bold magenta",
        "report.lemma": "italic",
        "report.good": "green",
        "report.bad": "bold red",
        "report.plain": "",
    }
)

_OUTCOME_STYLES = {"ok": "report.good", "FAILED": "report.bad", "open": "report.quiet"}
_MARKS: dict[Status, str] = {
    "removed": "report.good",
    "beside the result": "report.good",
    "beside its terms": "report.quiet",
    "range": "report.quiet",
    "open": "report.bad",
}


def report(plan: Plan, format: Format = "text") -> str:
    """The report of a plan.

    "text" is plain, no line longer than 110 columns. "markdown" has the formulas as LaTeX in `$$` blocks. "latex" is a
    whole document; it needs amsmath, xcolor and geometry. "json" is an object with the fields

    * `schema` (1), `name`, `citation` (paragraphs), `definition` (source);
    * `forward`, `adjoint`, `gradients`, `where`, `identities`: lists of `{name, text, latex}`, of an identity
      `name` is the left side; `operations`: `{adjoint, result}`;
    * `steps`, of every part: `{number, part, rule, target, before, after, contributions, uses, reason,
      operations_before, operations_after, evidence}`, in which `before` and `operations_before` may be null;
      `contributions` are `{through, text}`, `uses` equations;
    * `beyond`: `{title, formulas}` of the JVP and of the double backward, in order of computation;
    * `proofs`: `{kind, statement, passed, about, count}`;
    * `plan`: `{direction, reads, writes, stages: [{title, lines}]}`;
    * `cost`: `{forward, backward}`, see `cost_entries`;
    * `hazards`: `{kind, status, direction, step, name, text, danger, remedy}`, status being "removed", "beside the
      result", "beside its terms", "range" or "open";
    * `rewrites`: `{step, rule, saving}`, saving null or `{before, after, example}` in bits of float32.

    Raises LngenError for another format.
    """
    if format == "text":
        return _text(plan, WIDTH).plain
    if format == "markdown":
        return render.render("report/derivation.md.jinja", **_fields(content(plan), _MARKDOWN))
    if format == "latex":
        return render.render("report/derivation.tex.jinja", **_fields(content(plan), _LATEX))
    if format == "json":
        return json.dumps(_json(content(plan)), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    raise LngenError(f"there is no report format {format!r}. Use text, markdown, latex or json.")


def to_console(plan: Plan, console: Console) -> None:
    """Print the report on a console, with colour where it has one, in its width up to 110 columns."""
    width = max(NARROWEST, min(console.width, WIDTH))
    with console.use_theme(THEME):
        console.print(_text(plan, width), soft_wrap=True, highlight=False, end="")


def _text(plan: Plan, width: int) -> Text:
    return Text.from_markup(render.render("report/text.jinja", **_fields(content(plan), _Lines(width))), emoji=False)


def _fields(c: Content, style: _Markup | _Lines) -> dict[str, Any]:
    """Return the fields of all templates by name, each written as the style says."""
    words, prose, formulas = style.words, style.prose, style.formulas
    return {
        "title": words(c.name),
        "rule": "=" * min(style.width, len(c.name)),
        "citation": [prose(paragraph) for paragraph in c.citation],
        "fence": escape.fence("\n".join(c.definition)),
        "definition": [style.source(line) for whole in c.definition for line in cut(whole, style.source_width)],
        "verdict": prose(c.headline, "  "),
        "proved": bool(c.evidence) and all(item.passed for item in c.evidence),
        "saving": prose(c.saving, "  "),
        "gradients": formulas(c.gradients),
        "atoms": formulas(c.atoms, "    "),
        "forward": formulas(c.forward),
        "identities": formulas(c.identities),
        "parts": [
            {
                "title": words(part.title),
                "sentence": prose(part.sentence, "  "),
                "steps": [style.step(step) for step in part.steps],
                "results": formulas(part.results),
                "signs": style.table([(sign.name, sign.code, sign.meaning) for sign in part.signs]),
                "signs_latex": [sign.latex for sign in part.signs],
            }
            for part in c.parts
        ],
        "proofs": [{"outcome": item.outcome, **style.proof(item)} for item in c.evidence],
        "programs": [
            {
                "direction": p.direction,
                "reads": words(p.reads),
                "writes": words(p.writes),
                "saves": words(p.saves),
                "head": prose(f"{p.direction}: reads {p.reads}; writes {p.writes}; {p.saves}", "  "),
                "stages": [{"title": s.title, "formulas": formulas(s.formulas, " " * 6)} for s in p.stages],
            }
            for p in c.programs
        ],
        "cost_note": prose("Unfused is the same with a kernel for each operation.", "  "),
        "cost": style.table(c.cost),
        "size_title": words(c.size_title),
        "size": style.table(c.size),
        "hazards": [{"status": h.status, "kind": words(h.kind), **style.hazard(h)} for h in c.audit.hazards],
        "rewrites": [prose(_rewrite(item), "  ") for item in c.audit.rewrites],
    }


@dataclass(frozen=True)
class _Markup:
    """Markdown or LaTeX: a paragraph is one line, and `formulas` come as LaTeX."""

    words: Callable[[str], str]
    code: Callable[[str], str]
    source: Callable[[str], str]
    show: Callable[[Sequence[Formula]], Any]
    width = source_width = WIDTH

    def prose(self, text: str, indent: str = "") -> str:
        return self.words(text)

    def formulas(self, formulas: Sequence[Formula], indent: str = "") -> Any:
        return self.show(formulas)

    def table(self, rows: Sequence[Sequence[str]]) -> list[list[str]]:
        return [[self.words(cell) for cell in row] for row in rows]

    def step(self, step: StepText) -> dict[str, Any]:
        return {
            "number": step.number,
            "rule": self.words(step.rule),
            "anchor": step.anchor,
            "lemma": self.words(step.lemma),
            "target": self.code(step.target),
            "facts": self.words(step.facts),
            "reason": self.words(step.reason),
            "uses": [used.latex for used in step.uses],
            "name": step.target_latex,
            "before": None if step.before is None else step.before.latex,
            "after": _collected(step) if len(step.contributions) > 1 else step.after.latex,
        }

    def proof(self, item: Proof) -> dict[str, Any]:
        return {"kind": self.words(item.kind), "statement": self.words(item.statement)}

    def hazard(self, h: Hazard) -> dict[str, Any]:
        return {
            "where": self.words(_place(h)),
            "text": self.code(h.where.text),
            "danger": self.words(h.danger),
            "remedy": self.words(h.remedy),
        }


def _way(sent: Formula) -> str:
    """Describe the path of a contribution; one with a name is an output's own cotangent, or of an earlier step."""
    return f"through {sent.name}" if sent.name else "as above" if sent.step else "as an output"


def _collected(step: StepText) -> str:
    """The sum of the contributions, each with what it comes through below it."""
    pieces = []
    for place, sent in enumerate(step.contributions):
        minus = sent.latex.startswith("-")
        below = rf"\text{{through }} {latex_name(sent.name)}" if sent.name else rf"\text{{{_way(sent)}}}"
        sign = "-" if minus else "+" if place else ""
        pieces.append(rf"{sign} \underbrace{{{sent.latex.removeprefix('-')}}}_{{{below}}}")
    return " ".join(pieces).strip()


_MARKDOWN = _Markup(
    words=escape.markdown,
    code=str,
    source=str,
    show=lambda formulas: {"lines": aligned(formulas, WIDTH, ""), "latex": [f.latex for f in formulas]},
)
_LATEX = _Markup(
    words=escape.latex,
    code=escape.latex,
    # Nothing can end a line of \texttt early, as it could a verbatim block.
    source=lambda line: "~" * (len(line) - len(line.lstrip(" "))) + escape.latex(line.lstrip(" ")),
    show=lambda formulas: [f.latex for f in formulas],
)


@dataclass(frozen=True)
class _Lines:
    """Plain text in rich's markup: what may be longer than `width` is a list of lines."""

    width: int

    words = staticmethod(escape.markup)

    @property
    def source_width(self) -> int:
        return self.width - 2

    def source(self, line: str) -> str:
        return escape.markup(f"  {line}")

    def prose(self, text: str, indent: str = "") -> list[str]:
        return _escaped(prose(text, self.width, indent))

    def formulas(self, formulas: Sequence[Formula], indent: str = "  ") -> list[str]:
        return _escaped(aligned(formulas, self.width, indent))

    def table(self, rows: Sequence[Sequence[str]]) -> list[str]:
        return _escaped(table(rows, self.width))

    def step(self, step: StepText) -> dict[str, Any]:
        head = f"{step.number:>4}  "
        used = ", ".join(used.line for used in step.uses)
        sent = step.contributions
        alone = len(sent) == 1 and sent[0].name and "through" not in step.reason
        reason = f"{step.reason}, through {sent[0].name}" if alone else step.reason
        names = [_way(c) for c in sent]
        column = max(map(len, names), default=0)
        sign = f"{' ' * 8}= " if step.before else f"{' ' * 10}{step.target} = "
        return {
            "number": head,
            "rule": escape.markup(step.rule),
            "target": escape.markup(step.target),
            **self._note(step.facts, f"{head}{step.rule}, {step.target}", " " * 6),
            "lemma": self.prose(step.lemma, " " * 6) if step.lemma else [],
            "reason": self.prose(f"{reason}: {used}" if used else reason, " " * 6),
            "sent": _escaped(
                [
                    line
                    for name, c in zip(names, sent, strict=True)
                    for line in expression(c.text, self.width, f"{' ' * 10}{name.ljust(column)}  ")
                ]
                if len(sent) > 1
                else []
            ),
            "before": [] if step.before is None else self._marked(step.before, " " * 10),
            "after": self._marked(step.after, sign),
        }

    def _marked(self, side: Side, first: str) -> list[str]:
        """A side as lines, what changed in colour. Where the lines are broken is found in the plain text."""
        flags = [span.changed for span in side.spans for _ in span.text]
        lines, at = [], 0
        for line in expression(side.text, self.width, first):
            body = line[len(first) :]
            at = side.text.index(body, at)
            pieces = groupby(zip(body, flags[at : at + len(body)], strict=True), key=itemgetter(1))
            at += len(body)
            marked = (("".join(c for c, _ in piece), changed) for changed, piece in pieces)
            lines.append(
                first + "".join(f"[report.changed]{escape.markup(t)}[/]" if c else escape.markup(t) for t, c in marked)
            )
            first = " " * len(first)
        return lines

    def proof(self, item: Proof) -> dict[str, Any]:
        return {
            "mark": f"{item.outcome:8}",
            "style": _OUTCOME_STYLES[item.outcome],
            "lines": _escaped(prose(f"{item.kind}: {item.statement}", self.width - 10)),
        }

    def hazard(self, h: Hazard) -> dict[str, Any]:
        indent = " " * 10
        return {
            "mark": f"{h.status}: ",
            "style": _MARKS[h.status],
            **self._note(_place(h), f"  {h.status}: {h.kind}", indent),
            "text": _escaped(expression(h.where.text, self.width, indent)),
            "lines": [*self.prose(h.danger, indent), *self.prose(f"-> {h.remedy}", indent)],
        }

    def _note(self, words: str, head: str, indent: str) -> dict[str, Any]:
        """A note beside a heading where there is room, else below it."""
        beside = f"  ({printable(words)})"
        if len(head) + len(beside) <= self.width:
            return {"beside": escape.markup(beside), "below": []}
        return {"beside": "", "below": self.prose(words, indent)}


def _escaped(lines: list[str]) -> list[str]:
    return [escape.markup(line) for line in lines]


def _json(c: Content) -> dict[str, Any]:
    def listed(formulas: Sequence[Formula]) -> list[dict[str, str]]:
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
        "beyond": [{"title": part.title, "formulas": listed(part.results)} for part in c.parts if part.results],
        "operations": {"adjoint": c.adjoint_operations, "result": c.result_operations},
        "steps": [
            {
                **{key: value for key, value in vars(s).items() if key not in ("anchor", "lemma", "target_latex")},
                "before": None if s.before is None else s.before.text,
                "after": s.after.text,
                "contributions": [{"through": f.name or s.target, "text": f.text} for f in s.contributions],
                "uses": [f.line for f in s.uses],
            }
            for s in c.steps
        ],
        "proofs": [vars(item) for item in c.evidence],
        "plan": [
            {
                "direction": p.direction,
                "reads": p.reads.split(", "),
                "writes": p.writes.split(", "),
                "stages": [{"title": s.title, "lines": [f.line for f in s.formulas]} for s in p.stages],
            }
            for p in c.programs
        ],
        "cost": c.cost_entries,
        "hazards": [
            {"kind": h.kind, "status": h.status, **vars(h.where), "danger": h.danger, "remedy": h.remedy}
            for h in c.audit.hazards
        ],
        "rewrites": [
            {"step": step.number, "rule": step.rule, "saving": saving and vars(saving)}
            for step, saving in ((item.step, item.saving) for item in c.audit.rewrites)
        ],
    }


def _place(hazard: Hazard) -> str:
    where = hazard.where
    return f"{where.direction}, {f'step {where.step}, ' if where.step else ''}{where.name}"


def _rewrite(item: Any) -> str:
    measured = saving_text(item.saving)
    measured = f"; on {measured}" if measured else ""
    return f"step {item.step.number}, {item.step.rule}: {item.step.reason}{measured}"
