"""The report as text: a screen with the derivation and the gradient last, or all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from lngen.errors import printable
from lngen.layout import NARROWEST, WIDTH, NamedFormula, aligned, cut, expression, prose, table
from lngen.plan.planner import Plan
from lngen.report import escape
from lngen.report.audit import Hazard
from lngen.report.audit.findings import Status
from lngen.report.content import Content, Part, Side, StepText, content
from lngen.report.formulas import Formula
from lngen.report.words import PASSES, place, rewrite, way

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
_RULE_COLUMN = 18
_STEP_INDENT = 6 + _RULE_COLUMN + 2
_MOST_STEP_INDENT = 4  # the share of the width that a step begins after
_MOST_STEPS = 12
_BY_THE_CHAIN_RULE = "By the chain rule, in --full line by line: "
_MORE = "--full prints the chain rule line by line, tangents, second order, rules, proofs, stages and cost."


_PrintedSection: TypeAlias = tuple[str, list[str]]
"""A title and lines; a section without lines is not printed."""


def printed(plan: Plan, width: int = WIDTH, *, full: bool = False) -> Text:
    """Return the derivation in so many columns: a screen, or the `full` report."""
    lines = _Lines(content(plan), width)
    return Text.from_markup(lines.whole() if full else lines.screen(), emoji=False)


def to_console(plan: Plan, console: Console, *, full: bool = False) -> None:
    """Print the derivation on a console, with colour where it has one, in its width up to 110 columns."""
    width = max(NARROWEST, min(console.width, WIDTH))
    with console.use_theme(THEME):
        console.print(printed(plan, width, full=full), soft_wrap=True, highlight=False, end="")


@dataclass(frozen=True)
class _Lines:
    """The lines of a report, in rich's markup."""

    said: Content
    width: int

    def screen(self) -> str:
        """Return the forward, the steps that shorten each gradient, what is shown of them, and the gradients last."""
        said = self.said
        steps = self.shortening()
        read = self.read_by(steps)
        lines = [*self.title(), "", *self.legend(), "", *self.formulas(read), ""]
        told = {each.name for each in (*read, *said.gradients)}
        if steps and (others := dict.fromkeys(step.target for step in said.parts[1].steps if step.target not in told)):
            lines += [*self.prose(_BY_THE_CHAIN_RULE + ", ".join(others), "  "), ""]
        before: StepText | None = None
        for step in steps:
            lines += self.step(step, before)
            before = step
        lines += [*[""] * bool(steps), *self.verdict()]
        open_ = [hazard for hazard in said.audit.hazards if hazard.status == "open"]
        lines += [line for hazard in open_ for line in self.hazard(hazard)]
        lines += self.prose(_MORE, "  ")
        return "\n".join([*lines, "", *_styled("report.result", self.formulas(said.gradients)), ""])

    def shortening(self) -> list[StepText]:
        """Return the steps that rewrite a gradient, or what gradients are written in; of many those of the first."""
        results = [each.name for each in (*self.said.gradients, *self.said.atoms)]
        found = [step for step in self.said.parts[1].steps if step.before is not None and step.target in results]
        return found if len(found) <= _MOST_STEPS else [step for step in found if step.target == found[0].target]

    def read_by(self, steps: Sequence[StepText]) -> list[NamedFormula]:
        """Return the forward, and what steps and gradients are written in besides."""
        said = self.said
        found: dict[str, NamedFormula] = {each.name: each for each in (*said.forward, *said.atoms)}
        made = {step.target: step.after.text for part in said.parts[:2] for step in part.steps}
        results = {each.name for each in said.gradients}
        read = [each.text for each in said.gradients] + [step.after.text for step in steps]
        while read:
            new = [name for name in dict.fromkeys(_names(read.pop(0))) if name in made and name not in results]
            for name in new:
                if name not in found:
                    found[name] = Formula(name, made[name], "")
                    read.append(made[name])
        return [*found.values()]

    def whole(self) -> str:
        """Return the report, a section after the other."""
        lines = [*self.title(), "", *self.legend(), "", *self.result(), "", *self.verdict()]
        for title, found in self.sections():
            lines += ["", f"[report.heading]{title}[/]", *found] if found else []
        return "\n".join([*lines, ""])

    def title(self) -> list[str]:
        """Return the name of the layer and its docstring."""
        name = self.said.name
        lines = _styled("report.title", [escape.markup(name), "=" * min(self.width, len(name))])
        return [*lines, *[line for paragraph in self.said.citation for line in self.prose(paragraph)]]

    def legend(self) -> list[str]:
        """Return what the signs of the formulas mean."""
        return _styled("report.quiet", [line for words in self.said.legend for line in self.prose(words, "  ")])

    def verdict(self) -> list[str]:
        """Return what is proved, and how much shorter the gradient is."""
        said = self.said
        proved = _styled("report.good" if said.proved else "report.bad", self.prose(said.headline, "  "))
        return [*proved, *self.prose(said.saving, "  ")]

    def sections(self) -> Iterator[_PrintedSection]:
        """The sections in the order in which they are read."""
        said = self.said
        source = [f"  {line}" for whole in said.definition for line in cut(whole, self.width - 2)]
        yield ("Definition", _escaped(source))
        yield ("Forward", self.formulas(said.forward))
        yield ("Identities of the definition", self.formulas(said.identities))
        for part in said.parts:
            yield from self.part(part)
        yield ("What the rules say", self.lemmas())
        yield ("Evidence", self.evidence() or ["  none was asked for"])
        yield ("Plan", self.plan())
        for answer in said.answers:
            words = [line for paragraph in answer.paragraphs for line in self.prose(paragraph, "  ")]
            yield (answer.question, [*words, *self.table(answer.stages)])
        yield ("Where digits can be lost", self.hazards() or ["  nowhere"])
        rewrites = [line for item in said.audit.rewrites for line in self.prose(rewrite(item), "  ")]
        yield ("Rewritten so that digits are kept", rewrites)
        yield ("Cost", self.cost())

    def result(self) -> list[str]:
        """The gradients, what they are written in, and the Jacobian where it is a projection."""
        found = _styled("report.result", self.formulas(self.said.gradients))
        found += ["  where", *self.formulas(self.said.atoms, "    ")] if self.said.atoms else []
        for each in self.said.projection:
            found += ["", *self.formulas((each.gradient, each.matrix)), *self.prose(each.words, "  ")]
        return found

    def part(self, part: Part) -> Iterator[_PrintedSection]:
        """The steps of a part, and what they end at."""
        common = _common_evidence(part.steps)
        title = escape.markup(part.title)
        heading = f"{title}[/][report.quiet] (each step is {common}, or names a value)" if common else title
        lines = self.table([(sign.name, sign.code, sign.meaning) for sign in part.signs])
        lines += [""] if lines else []
        before: StepText | None = None
        for step in part.steps:
            lines += self.step(step, before, common)
            before = step
        if part.results:
            lines += ["", "  which is", "", *_styled("report.result", self.formulas(part.results))]
        yield (heading, lines)

    def step(self, step: StepText, last: StepText | None, common: str | None = None) -> list[str]:
        """A step: its number and its rule, the equation, and what it rests on, beside it where there is room.

        Its operations and its evidence are left out where there is no `common` one of the steps beside it.

        A line that goes on with the equation above is written as its next line.
        """
        goes_on = (
            last is not None
            and step.before is not None
            and (last.target, last.after.text) == (step.target, step.before.text)
        )
        indent = min(_STEP_INDENT, self.width // _MOST_STEP_INDENT)
        rule = escape.markup(step.rule)
        gap = " " * (indent - 6 - len(step.rule))
        head = f"[report.heading]{step.number:>4}[/]  [report.rule]{rule}[/]{gap}"
        equals = " " * indent + " " * len(step.target) + " = "
        first = f"{' ' * indent}{step.target} = "
        if step.before is None or (common is None and not goes_on):
            lines = self.marked(step.after, first)
        elif goes_on:
            lines = self.marked(step.after, equals)
        else:
            lines = [*self.marked(step.before, first), *self.marked(step.after, equals)]
        if len(gap) < 1:
            made = [head, *(markup for _, markup in lines)]
        else:
            made = [head + lines[0][1][indent:], *(markup for _, markup in lines[1:])]
        note = self.note(step, common)
        if len(lines[-1][0]) + len(f"  # {note}") <= self.width:
            made[-1] += f"[report.quiet]  # {escape.markup(note)}[/]"
        else:
            made += _styled("report.quiet", self.prose(note, " " * (indent + 2) + "# "))
        return made

    def note(self, step: StepText, common: str | None) -> str:
        """Say what a step rests on: what each term comes through, the equations it uses, its reason."""
        sent = step.contributions
        words = step.reason
        if len(sent) == 1 and sent[0].name and "through" not in words:
            words = f"{words}, {way(sent[0])}"
        if len(sent) > 1:
            words += ": " + ", ".join(f"{each.text} {way(each)}" for each in sent)
        if step.uses:
            words += ": " + ", ".join(used.line for used in step.uses)
        if common is not None:
            words += f" ({replace(step, evidence='' if step.evidence == common else step.evidence).facts})"
        return printable(words)

    def marked(self, side: Side, first: str) -> list[tuple[str, str]]:
        """A side as lines, plain and with what changed in colour. Where lines are broken is found in the plain text."""
        flags = [span.changed for span in side.spans for _ in span.text]
        lines, at = [], 0
        for line in expression(side.text, self.width, first):
            body = line[len(first) :]
            at = side.text.index(body, at)
            pieces = groupby(zip(body, flags[at : at + len(body)], strict=True), key=itemgetter(1))
            at += len(body)
            parts = (("".join(c for c, _ in piece), changed) for changed, piece in pieces)
            marked = "".join(f"[report.changed]{escape.markup(t)}[/]" if c else escape.markup(t) for t, c in parts)
            lines.append((line, first + marked))
            first = " " * len(first)
        return lines

    def lemmas(self) -> list[str]:
        """The statement of each rule that was used."""
        found = [(step.rule, step.lemma) for step in self.said.steps if step.lemma]
        return self.table(found)

    def evidence(self) -> list[str]:
        """Each statement that was proved, or was not."""
        lines = []
        for item in self.said.evidence:
            first, *rest = _escaped(prose(f"{item.kind}: {item.statement}", self.width - 10))
            lines.append(f"[{_OUTCOME_STYLES[item.outcome]}]  {item.outcome:8}[/]{first}")
            lines += [" " * 10 + line for line in rest]
        return lines

    def plan(self) -> list[str]:
        """The stages of each direction."""
        lines = []
        for program in self.said.programs:
            head = f"{program.direction}: reads {program.reads}; writes {program.writes}; {program.saves}"
            lines += ["", *self.prose(head, "  ")]
            for stage in program.stages:
                lines += [f"[report.quiet]    {escape.markup(stage.title)}[/]"]
                lines += self.formulas(stage.formulas, " " * 6)
        if self.said.passes:
            lines += ["", *self.prose(PASSES, "  ")]
        for line in self.said.passes:
            lines += _styled("report.quiet", self.prose(line.title, "    "))
            lines += self.formulas(line.formulas, " " * 6)
        for words in self.said.pass_rules:
            lines += self.prose(words, "    ")
        return lines[1:]

    def cost(self) -> list[str]:
        """List what each direction moves and computes, and how much that is for rows of some size."""
        said = self.said
        size = ["", f"  {escape.markup(said.size_title)}", "", *self.table(said.size)]
        return [*self.table(said.cost), *size]

    def hazards(self) -> list[str]:
        """Each place where digits can be lost, and what is done about it."""
        return [line for hazard in self.said.audit.hazards for line in self.hazard(hazard)]

    def hazard(self, h: Hazard) -> list[str]:
        indent = " " * 6
        where, kind = printable(place(h)), printable(h.kind)
        head = f"[{_MARKS[h.status]}]  {escape.markup(h.status)}: [/][report.rule]{escape.markup(kind)}[/]"
        beside = f"  {h.where.text}  ({where})"
        if len(f"  {h.status}: {kind}{beside}") <= self.width:
            lines = [f"{head}  {escape.markup(h.where.text)}[report.quiet]  ({escape.markup(where)})[/]"]
        else:
            lines = [head, *self.prose(f"({where})", indent)]
            lines += _escaped(expression(h.where.text, self.width, indent))
        return [*lines, *self.prose(f"{h.danger} -> {h.remedy}", indent)]

    def prose(self, words: str, indent: str = "") -> list[str]:
        return _escaped(prose(words, self.width, indent))

    def formulas(self, formulas: Sequence[NamedFormula], indent: str = "  ") -> list[str]:
        return _escaped(aligned(formulas, self.width, indent))

    def table(self, rows: Sequence[Sequence[str]]) -> list[str]:
        return _escaped(table(rows, self.width))


def _names(text: str) -> list[str]:
    """Return the names in a formula."""
    return re.findall(r"[A-Za-z_]\w*", text)


def _common_evidence(steps: Sequence[StepText]) -> str:
    """Evidence that all equalities of some steps share, else nothing; a first line may just give a name."""
    found = {step.evidence for step in steps if step.evidence or step.before}
    return found.pop() if len(found) == 1 else ""


def _styled(style: str, lines: list[str]) -> list[str]:
    return [f"[{style}]{line}[/]" for line in lines]


def _escaped(lines: list[str]) -> list[str]:
    return [escape.markup(line) for line in lines]
