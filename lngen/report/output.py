"""A report in the format that is asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from lngen.errors import LngenError
from lngen.plan.planner import Plan
from lngen.report.content import Content, content
from lngen.report.document import document
from lngen.report.formulas import Formula
from lngen.report.terminal import printed

Format = Literal["text", "markdown", "json"]

SCHEMA = 1
"""The version of the JSON document; it rises when a field changes its meaning or goes."""


def report(plan: Plan, format: Format = "text") -> str:
    """The report of a plan.

    "text" is plain, no line longer than 110 columns. "markdown" has the formulas as LaTeX in `$$` blocks. "json"
    is an object with the fields

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
    * `answers`: `{question, paragraphs, stages}`, stages being titles and what they do;
    * `cost`: `{forward, backward}`, see `cost_entries`;
    * `hazards`: `{kind, status, direction, step, name, text, danger, remedy}`, status being "removed", "beside the
      result", "beside its terms", "range" or "open";
    * `rewrites`: `{step, rule, reason}`, the steps that keep digits.

    Raises LngenError for another format.
    """
    if format == "text":
        return printed(plan, full=True).plain
    if format == "markdown":
        return document(content(plan))
    if format == "json":
        return json.dumps(_json(content(plan)), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    raise LngenError(f"there is no report format {format!r}. Use text, markdown or json.")


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
        "answers": [asdict(answer) for answer in c.answers],
        "cost": c.cost_entries,
        "hazards": [
            {"kind": h.kind, "status": h.status, **vars(h.where), "danger": h.danger, "remedy": h.remedy}
            for h in c.audit.hazards
        ],
        "rewrites": [{"step": step.number, "rule": step.rule, "reason": step.reason} for step in c.audit.rewrites],
    }
