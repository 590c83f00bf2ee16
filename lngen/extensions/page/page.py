"""The page of a layer: everything that a report says, in one file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from sympy import Expr

from lngen import paths
from lngen.derivation.derivation import Proof, Step, StepEvidence
from lngen.derivation.rules import RULE_OF, Rule
from lngen.emit import render
from lngen.emit.description import description
from lngen.emit.render import Markup
from lngen.errors import counted, printable
from lngen.extensions.page.assets import dense, script_hash, style
from lngen.extensions.page.formulas import EquationHtml, Writer, meanings
from lngen.extensions.page.graph import graph
from lngen.pipeline.stages import Derived
from lngen.plan.planner import Plan
from lngen.report.axes import AxesWords
from lngen.report.changes import alike, changes
from lngen.report.content import Content, StepText, content
from lngen.report.formulas import atoms, gradients, summed_over, textbook_forward
from lngen.report.heading import file_word, notes
from lngen.runtime.protocol.interface import INTEGERS
from lngen.version import __version__

_SECTIONS = {"docs/rules.md": ("rules", "Rules")}
"""The section of a page that holds what a document of the checkout holds for other reports: its anchor and title."""


@dataclass(frozen=True)
class StepHtml:
    """A step: where a quantity appears for the first time `before` is None.

    `lemma` is what its rule says, at the first step that uses the rule. `contributions` are what the chain rule
    collects, each with the name of what it comes through, None for what was there; `uses` are equations that hold and
    that the step used.
    """

    number: int
    rule: Rule
    lemma: str
    reason: Markup
    facts: str
    evidence: StepEvidence | None
    proof: Markup
    contributions: tuple[tuple[Markup | None, Markup], ...]
    uses: tuple[EquationHtml, ...]
    before: Markup | None
    after: EquationHtml


def page(layer: Derived, home: str = "") -> str:
    """Return the page as HTML. `home` is the address of a site's index."""
    plan = layer.plan
    said = content(plan)
    writer, names = meanings(plan)
    fields = _fields(plan, said, writer)
    parts = [part | {"sentence": _linked(part["sentence"]), "folded": _is_folded(part)} for part in fields["parts"]]
    script = dense(render.render("html/page.js"))
    return render.render(
        "html/page.html.jinja",
        **fields | {"parts": parts},
        home=home,
        legend=[writer.prose(line) for line in said.legend],
        projection=[
            ([writer.formula(found.gradient), writer.formula(found.matrix)], writer.prose(found.words))
            for found in said.projection
        ],
        takes=_takes(plan),
        minimum=plan.forward.minimum_features,
        meaning_of_size=AxesWords(plan.derivation.definition).size,
        command=_command(plan),
        version=__version__,
        names=names,
        graph=Markup(graph(plan.backward)),
        style=style(),
        script=Markup(script),
        script_hash=script_hash(script),
    )


def fragment(plan: Plan) -> str:
    """The result, its evidence and its steps, to stand in a notebook: without script, style or anchors of a page."""
    writer, _ = meanings(plan)
    plain = Writer(writer.order, ())
    return render.render("html/fragment.html.jinja", **_fields(plan, content(plan), plain))


def _fields(plan: Plan, said: Content, writer: Writer) -> dict[str, Any]:
    d = plan.derivation
    parts = _parts(plan, said, writer)
    return {
        "title": said.name,
        "citation": [printable(paragraph) for paragraph in said.citation],
        "verdict": said.headline,
        "proved": said.proved,
        "warning": said.audit.warning,
        "saving": said.saving,
        "gradients": writer.results(gradients(d), summed_over(d)),
        "atoms": writer.equations(atoms(d)),
        "definition": "\n".join(printable(line) for line in said.definition),
        "forward": writer.equations(textbook_forward(d)),
        "parts": parts,
        "rules": list({step.rule.name: step.rule for part in parts for step in part["steps"]}.values()),
        "identities": [writer.equation(left, right) for _, left, right in d.identities],
        "evidence": _grouped(said.evidence, writer),
        "hazards": [(h, writer.prose(h.danger), writer.prose(h.remedy)) for h in said.audit.hazards],
        "rewrites": [(step.number, step.rule, writer.prose(step.reason)) for step in said.audit.rewrites],
    }


def _parts(plan: Plan, said: Content, writer: Writer) -> list[dict[str, Any]]:
    """The parts of the derivation as the reports have them, their formulas for a page."""
    derivatives = plan.derivation.derivatives()
    steps = {step.number: step for derivative in derivatives.values() for step in derivative.steps}
    found = []
    for part in said.parts:
        shown = []
        read: Step | None = None
        for words in part.steps:
            step = steps[words.number]
            again = read is not None and (read.target, read.after) == (step.target, step.before)
            shown.append(_step(step, words, writer, again=again))
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


def _step(step: Step, words: StepText, writer: Writer, *, again: bool) -> StepHtml:
    """A step; `again` says that the line it begins with is the one that has just been read."""
    gone, new = (frozenset(), frozenset()) if step.before is None else changes(step.before, step.after)
    done = counted(step.operations_after, "operation")

    def write(before: Expr) -> Markup:
        return writer.elided(before, gone) if again else writer.expression(before, alike(gone), "=")

    return StepHtml(
        number=step.number,
        rule=RULE_OF[step.rule],
        lemma=words.lemma,
        reason=writer.prose(step.reason),
        facts=done if step.operations_before is None else f"{step.operations_before} → {done}",
        evidence=step.evidence,
        proof=Markup() if step.evidence is None else writer.prose(_behind(step.evidence)),
        contributions=tuple(
            (None if c.source == step.target else writer.name(c.source.name), writer.expression(c.expression))
            for c in step.contributions
        ),
        uses=tuple(map(writer.formula, words.uses)),
        before=None if step.before is None else write(step.before),
        after=writer.equation(step.target, step.after, alike(new)),
    )


def _behind(evidence: StepEvidence) -> str:
    """Describe the grounds of a grade: digits, the equations that it rests on, the reason why it is no better.

    >>> _behind(StepEvidence("exact at every D", ("rstd", "xhat")))
    'exact at every D, by the equations of rstd, xhat'
    """
    rests = f", by the equations of {', '.join(evidence.names)}" if evidence.names else ""
    return evidence.words + rests + (f"; {evidence.reason}" if evidence.reason else "")


def _linked(sentence: str) -> Markup:
    """A sentence, in which the name of a document leads to the section that says the same here.

    >>> _linked("docs/rules.md has <proofs>")
    Markup('<a href="#rules">Rules</a> has &lt;proofs&gt;')
    """
    text = escape(sentence)
    for document, (anchor, title) in _SECTIONS.items():
        text = text.replace(document, f'<a href="#{anchor}">{title}</a>')
    return Markup(text)


def _is_folded(part: dict[str, Any]) -> bool:
    """Test whether a part of the derivation starts folded: tangents, and gradients of gradients."""
    return part["key"] not in ("forward", "backward")


def _command(plan: Plan) -> str:
    """Command that makes the page again."""
    definition = plan.derivation.definition
    shipped = Path(definition.filename).parent == paths.derive_folder()
    word = definition.name if shipped else file_word(definition)
    return f"lngen derive {word} --html {definition.name}.html"


def _takes(plan: Plan) -> list[tuple[str, str, str, str]]:
    """The arguments of forward: name, kind, shape or axes, and what is assumed of it."""
    interface = description(plan.programs(), notes(plan, "numpy"))
    definition = plan.derivation.definition
    words = AxesWords(definition)
    kinds = {}
    for entry in definition.passed:
        whole = definition.whole(entry.name)
        kinds[whole.name if whole else definition.public(entry.name)] = words.kind_and_shape(entry)
    rows = [("argument", "kind", "axes" if definition.layout else "shape", "assumed")]
    for given in interface["inputs"]:
        default = "" if given["default"] is None else f"{given['default']:g} where it is left out"
        numbers = "integers" if given["kind"] in INTEGERS else "real numbers"
        rows.append((given["name"], *kinds[given["name"]], default or numbers))
    for constant in interface["constants"]:
        default = "" if constant["default"] is None else f", {constant['default']:g} where it is left out"
        sign = "0 or more" if constant["sign"] == "nonnegative" else "any finite number"
        rows.append((constant["name"], "Constant", "one number", sign + default))
    for size in interface["layout"]["sizes"] if "layout" in interface else ():
        default = "" if size["default"] is None else f", {size['default']} where it is left out"
        rows.append((size["name"], "Size", "one integer", f"the size of the axis{default}"))
    return rows


def _grouped(evidence: Sequence[Proof], writer: Writer) -> list[tuple[str, list[tuple[str, Markup]]]]:
    """The statements by their kind, in the order of the kinds' first ones: how each came out, and what it says."""
    kinds: dict[str, list[tuple[str, Markup]]] = {}
    for item in evidence:
        kinds.setdefault(item.kind, []).append((item.outcome, writer.prose(item.statement)))
    return list(kinds.items())
