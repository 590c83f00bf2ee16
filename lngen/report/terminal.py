"""The report as text: a screenful of derivation with its evidence, and more of it where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from lngen.errors import counted, printable
from lngen.layout import NARROWEST, WIDTH, NamedFormula, aligned, cut, expression, prose, table
from lngen.plan.planner import Plan
from lngen.report import escape
from lngen.report.audit import Hazard
from lngen.report.audit.findings import Status
from lngen.report.content import Content, Part, Side, StepText, content
from lngen.report.words import PASSES, UNFUSED, place, rewrite, way

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


@dataclass(frozen=True)
class Shown:
    """The parts of the report that are printed on request.

    The result, the steps of its derivation, the evidence, the lost digits and the cost are always printed. `details`
    are the definition, its forward and identities, what each rule says, the operations of each step, the answers, and
    all rows of the cost.
    """

    tangents: bool = False
    second_order: bool = False
    plan: bool = False
    details: bool = False

    @classmethod
    def everything(cls) -> Shown:
        """All parts."""
        return cls(**{field.name: True for field in fields(cls)})


_PrintedSection: TypeAlias = tuple[str, list[str]]
"""A title and lines; a section without lines is not printed."""


def printed(plan: Plan, shown: Shown, width: int = WIDTH) -> Text:
    """The report in so many columns, with the parts that are to be shown."""
    return Text.from_markup(_Lines(content(plan), shown, width).whole(), emoji=False)


def to_console(plan: Plan, console: Console, shown: Shown | None = None) -> None:
    """Print the report on a console, with colour where it has one, in its width up to 110 columns."""
    width = max(NARROWEST, min(console.width, WIDTH))
    with console.use_theme(THEME):
        console.print(printed(plan, shown or Shown(), width), soft_wrap=True, highlight=False, end="")


@dataclass(frozen=True)
class _Lines:
    """The lines of a report, in rich's markup."""

    said: Content
    shown: Shown
    width: int

    def whole(self) -> str:
        """The report, a section after the other."""
        said = self.said
        lines = _styled("report.title", [escape.markup(said.name), "=" * min(self.width, len(said.name))])
        lines += [line for paragraph in said.citation for line in self.prose(paragraph)]
        lines += ["", *_styled("report.quiet", [line for words in said.legend for line in self.prose(words, "  ")])]
        lines += ["", *self.result(), ""]
        lines += _styled("report.good" if said.proved else "report.bad", self.prose(said.headline, "  "))
        lines += self.prose(said.saving, "  ")
        for title, found in self.sections():
            lines += ["", f"[report.heading]{title}[/]", *found] if found else []
        return "\n".join([*lines, ""])

    def sections(self) -> Iterator[_PrintedSection]:
        """The sections in the order in which they are read."""
        said, shown = self.said, self.shown
        derivatives = {part.steps[0].part: part for part in said.parts if part.results}
        if shown.details:
            source = [f"  {line}" for whole in said.definition for line in cut(whole, self.width - 2)]
            yield ("Definition", _escaped(source))
            yield ("Forward", self.formulas(said.forward))
            yield ("Identities of the definition", self.formulas(said.identities))
        for part in said.parts:
            wanted = {"jvp": shown.tangents, "backward_backward": shown.second_order}
            if part not in derivatives.values() or wanted.get(part.steps[0].part, True):
                yield from self.part(part)
        if shown.details:
            yield ("What the rules say", self.lemmas())
        yield ("Evidence", self.evidence() or ["  none was asked for"])
        if shown.plan:
            yield ("Plan", self.plan())
        for answer in said.answers if shown.details else ():
            words = [line for paragraph in answer.paragraphs for line in self.prose(paragraph, "  ")]
            yield (answer.question, [*words, *self.table(answer.stages)])
        yield ("Where digits can be lost", self.hazards() or ["  nowhere"])
        if shown.details:
            rewrites = [line for item in said.audit.rewrites for line in self.prose(rewrite(item), "  ")]
            yield ("Rewritten so that digits are kept", rewrites)
        yield ("Cost", self.cost())
        yield ("More", self.more(derivatives))

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

    def step(self, step: StepText, last: StepText | None, common: str) -> list[str]:
        """A step: its number and its rule, the equation, and what it rests on, beside it where there is room.

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
        if step.before is None:
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

    def note(self, step: StepText, common: str) -> str:
        """Say what a step rests on: what each term comes through, the equations it uses, its reason."""
        sent = step.contributions
        words = step.reason
        if len(sent) == 1 and sent[0].name and "through" not in words:
            words = f"{words}, {way(sent[0])}"
        if len(sent) > 1:
            words += ": " + ", ".join(f"{each.text} {way(each)}" for each in sent)
        if step.uses:
            words += ": " + ", ".join(used.line for used in step.uses)
        facts = [step.evidence] if step.evidence and step.evidence != common else []
        if self.shown.details:
            facts = [replace(step, evidence=facts[0] if facts else "").facts]
        return printable(" ".join([words, *(f"({fact})" for fact in facts)]))

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
        if not self.shown.details:
            # The first rows are the tensors that are moved, which are as many in each type and size.
            rows = (said.size[0], *said.cost[1:3], *said.size[1:])
            return [*self.table(rows), *self.prose(f"Amounts are for {said.example}. {UNFUSED}", "  ")]
        size = ["", f"  {escape.markup(said.size_title)}", "", *self.table(said.size)]
        return [*self.prose(UNFUSED, "  "), "", *self.table(said.cost), *size]

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

    def more(self, derivatives: dict[Any, Part]) -> list[str]:
        """Name what is not shown, a line each, with the option that prints it."""
        shown = self.shown
        rows = []
        for direction, option, is_shown in (
            ("jvp", "--tangents", shown.tangents),
            ("backward_backward", "--second-order", shown.second_order),
        ):
            if direction in derivatives and not is_shown:
                part = derivatives[direction]
                rows.append((option, f"{part.title}, {counted(len(part.steps), 'step')}"))
        if not shown.plan:
            rows.append(("--plan", "the stages of each direction, as the code runs them"))
        if not shown.details:
            rows.append(
                (
                    "--full",
                    "all of that, what each rule says, why so many reductions, what is saved, how a kernel does it",
                )
            )
        return self.table(rows)

    def prose(self, words: str, indent: str = "") -> list[str]:
        return _escaped(prose(words, self.width, indent))

    def formulas(self, formulas: Sequence[NamedFormula], indent: str = "  ") -> list[str]:
        return _escaped(aligned(formulas, self.width, indent))

    def table(self, rows: Sequence[Sequence[str]]) -> list[str]:
        return _escaped(table(rows, self.width))


def _common_evidence(steps: Sequence[StepText]) -> str:
    """Evidence that all equalities of some steps share, else nothing; a first line may just give a name."""
    found = {step.evidence for step in steps if step.evidence or step.before}
    return found.pop() if len(found) == 1 else ""


def _styled(style: str, lines: list[str]) -> list[str]:
    return [f"[{style}]{line}[/]" for line in lines]


def _escaped(lines: list[str]) -> list[str]:
    return [escape.markup(line) for line in lines]
