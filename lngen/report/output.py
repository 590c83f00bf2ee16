"""A report in the format that is asked for. The templates under `templates/report/` place what is prepared here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from lngen.algebra.notation import latex_name
from lngen.derivation.derivation import Proof
from lngen.emit import render
from lngen.errors import LngenError
from lngen.layout import WIDTH, aligned, cut
from lngen.plan.planner import Plan
from lngen.report import escape
from lngen.report.audit import Hazard
from lngen.report.content import Content, StepText, content
from lngen.report.formulas import Formula
from lngen.report.section import Section
from lngen.report.terminal import Shown, printed
from lngen.report.words import PASSES, place, rewrite, way

Format = Literal["text", "markdown", "latex", "json"]

SCHEMA = 1
"""The version of the JSON document; it rises when a field changes its meaning or goes."""

_LATEX_WIDTH = 240
"""Millimetres of a line in LaTeX that the columns of a table share."""


def report(plan: Plan, format: Format = "text") -> str:
    """The report of a plan.

    "text" is plain, no line longer than 110 columns. "markdown" has the formulas as LaTeX in `$$` blocks. "latex" is a
    whole document; it needs amsmath, xcolor and geometry. "json" is an object with the fields

    * `schema` (1), `name`, `citation` (paragraphs), `legend` (lines), `definition` (source);
    * `forward`, `adjoint`, `gradients`, `where`, `identities`: lists of `{name, text, latex}`, of an identity
      `name` is the left side; `operations`: `{adjoint, result}`;
    * `projection`: `{formulas, words}`, of each gradient that is a number of the row times one;
    * `steps`, of every part: `{number, part, rule, target, before, after, contributions, uses, reason,
      operations_before, operations_after, evidence}`, in which `before` and `operations_before` may be null;
      `contributions` are `{through, text}`, `uses` equations;
    * `beyond`: `{title, formulas}` of the JVP and of the double backward, in order of computation;
    * `proofs`: `{kind, statement, passed, about, count}`;
    * `plan`: `{direction, reads, writes, stages: [{title, lines}]}`;
    * `cost`: `{forward, backward}`, see `cost_entries`;
    * `explanation`: the sections in words, `{title, paragraphs, table}`, table null or `{header, rows}` of text cells:
      reductions, what is saved, time and memory, edge cases, danger zones with measured errors, how one kernel does it;
    * `hazards`: `{kind, status, direction, step, name, text, danger, remedy}`, status being "removed", "beside the
      result", "beside its terms", "range" or "open";
    * `rewrites`: `{step, rule, saving}`, saving null or `{before, after, example}` in bits of float32.

    Raises LngenError for another format.
    """
    if format == "text":
        return printed(plan, Shown.everything()).plain
    if format == "markdown":
        return render.render("report/derivation.md.jinja", **_fields(content(plan), _MARKDOWN))
    if format == "latex":
        return render.render("report/derivation.tex.jinja", **_fields(content(plan), _LATEX))
    if format == "json":
        return json.dumps(_json(content(plan)), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    raise LngenError(f"there is no report format {format!r}. Use text, markdown, latex or json.")


def _fields(c: Content, style: _Markup) -> dict[str, Any]:
    """Return the fields of all templates by name, each written as the style says."""
    words, prose, formulas = style.words, style.prose, style.formulas
    return {
        "title": words(c.name),
        "citation": [prose(paragraph) for paragraph in c.citation],
        "legend": [prose(line, "  ") for line in c.legend],
        "projection": [
            {"formulas": formulas((found.gradient, found.matrix)), "words": prose(found.words, "  ")}
            for found in c.projection
        ],
        "fence": escape.fence("\n".join(c.definition)),
        "definition": [style.source(line) for whole in c.definition for line in cut(whole, style.source_width)],
        "verdict": prose(c.headline, "  "),
        "proved": c.proved,
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
                "stages": [{"title": s.title, "formulas": formulas(s.formulas, " " * 6)} for s in p.stages],
            }
            for p in c.programs
        ],
        "passes": [{"title": s.title, "formulas": formulas(s.formulas, " " * 6)} for s in c.passes],
        "passes_note": prose(PASSES, "  "),
        "pass_rules": [prose(words, "  ") for words in c.pass_rules],
        "cost_note": prose("Unfused is the same with a kernel for each operation.", "  "),
        "cost": style.table(c.cost),
        "size_title": words(c.size_title),
        "size": style.table(c.size),
        # A function, for it takes time: only templates that place it call it.
        "explanation": lambda: [_section(section, style) for section in c.explanation],
        "hazards": [{"status": h.status, "kind": words(h.kind), **style.hazard(h)} for h in c.audit.hazards],
        "rewrites": [prose(rewrite(item), "  ") for item in c.audit.rewrites],
    }


def _section(section: Section, style: _Markup) -> dict[str, Any]:
    rows = [section.table.header, *section.table.rows] if section.table else []
    return {
        "title": style.words(section.title),
        "paragraphs": [style.prose(paragraph, "  ") for paragraph in section.paragraphs],
        "table": style.table(rows),
        "columns": _latex_columns(rows),
    }


def _latex_columns(rows: Sequence[Sequence[str]]) -> str:
    """Columns for LaTeX in which cells are broken into lines, as wide as they are long.

    >>> _latex_columns([("stage", "what it does"), ("one", "reads and writes")])
    'p{57mm}p{182mm}'
    """
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(f"p{{{_LATEX_WIDTH * size // sum(sizes)}mm}}" for size in sizes)


@dataclass(frozen=True)
class _Markup:
    """Markdown or LaTeX: a paragraph is one line, and `formulas` come as LaTeX."""

    words: Callable[[str], str]
    code: Callable[[str], str]
    source: Callable[[str], str]
    show: Callable[[Sequence[Formula]], Any]
    source_width = WIDTH

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
            "where": self.words(place(h)),
            "text": self.code(h.where.text),
            "danger": self.words(h.danger),
            "remedy": self.words(h.remedy),
        }


def _collected(step: StepText) -> str:
    """The sum of the contributions, each with what it comes through below it."""
    pieces = []
    for index, sent in enumerate(step.contributions):
        minus = sent.latex.startswith("-")
        below = rf"\text{{through }} {latex_name(sent.name)}" if sent.name else rf"\text{{{way(sent)}}}"
        sign = "-" if minus else "+" if index else ""
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


def _json(c: Content) -> dict[str, Any]:
    def listed(formulas: Sequence[Formula]) -> list[dict[str, str]]:
        return [{"name": f.name, "text": f.text, "latex": f.latex} for f in formulas]

    return {
        "schema": SCHEMA,
        "name": c.name,
        "citation": list(c.citation),
        "legend": list(c.legend),
        "definition": "\n".join(c.definition),
        "forward": listed(c.forward),
        "adjoint": listed(c.adjoint),
        "gradients": listed(c.gradients),
        "where": listed(c.atoms),
        "projection": [
            {"formulas": listed((found.gradient, found.matrix)), "words": found.words} for found in c.projection
        ],
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
        "passes": [
            {"number": p.number, "rule": p.rule, "step": p.step, "backends": p.backends, "line": s.formulas[0].line}
            for p, s in zip(c.plan.passes(), c.passes, strict=True)
        ],
        "cost": c.cost_entries,
        "explanation": [asdict(section) for section in c.explanation],
        "hazards": [
            {"kind": h.kind, "status": h.status, **vars(h.where), "danger": h.danger, "remedy": h.remedy}
            for h in c.audit.hazards
        ],
        "rewrites": [
            {"step": step.number, "rule": step.rule, "saving": saving and vars(saving)}
            for step, saving in ((item.step, item.saving) for item in c.audit.rewrites)
        ],
    }
