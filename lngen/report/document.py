"""The report as a document in Markdown: a list of blocks, such as a paragraph, a heading or some formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape as escaped

from lngen.algebra.notation import latex_name
from lngen.errors import counted
from lngen.layout import WIDTH, aligned, cut
from lngen.report import escape
from lngen.report.audit import Hazard
from lngen.report.content import Content, Part, StageLines, StepText
from lngen.report.formulas import Formula, formulas
from lngen.report.words import NONE_ASKED, PASSES, place, rewrite, way


def document(c: Content) -> str:
    """Return the document that has some content: Markdown, with formulas as LaTeX, and details that unfold."""
    return "\n\n".join(_blocks(c)) + "\n"


def _blocks(c: Content) -> Iterator[str]:
    yield _heading(_words(c.name), 1)
    yield from map(_words, c.citation)
    found = formulas(c.plan)
    yield _source(["# forward", *found["forward"], "# backward", *found["backward"]], "python")
    yield _formulas(_signs(c.gradients))
    if c.atoms:
        yield "where"
        yield _formulas(_signs(c.atoms))
    yield from map(_words, c.legend)
    yield f"**{_words(c.headline)}**. {_words(c.saving)}."
    for each in c.projection:
        blocks = (_formulas(_signs((each.gradient, each.matrix))), _words(each.words))
        yield from _folded(f"{each.gradient.name} as a projection", blocks)
    yield _heading("Definition")
    yield _source([line for whole in c.definition for line in cut(whole, WIDTH)], "python")
    forward, *others = c.parts
    yield from _part(forward, _forward(c))
    for part in others:
        yield from _part(part)
    yield _heading("Evidence")
    proofs = ((item, "**FAILED**" if item.outcome == "FAILED" else item.outcome) for item in c.evidence)
    lines = [f"{outcome}: {_words(item.kind)}: {_words(item.statement)}" for item, outcome in proofs]
    yield _items(lines) if lines else NONE_ASKED
    yield from _plan(c)
    for answer in c.answers:
        yield _heading(answer.question)
        yield from map(_words, answer.paragraphs)
        if answer.stages:
            items = _items(_words(f"{stage}: {words}") for stage, words in answer.stages)
            yield from _folded("Stage by stage", [items])
    yield _heading("Cost")
    yield _cells(c.cost)
    yield from _folded(c.size_title, [_cells(c.size)])
    yield _heading("Where digits can be lost")
    yield _items(_hazard(hazard) for hazard in c.audit.hazards) if c.audit.hazards else "Nowhere."
    if c.audit.rewrites:
        yield _heading("Rewritten so that digits are kept")
        yield _items(_words(rewrite(item)) for item in c.audit.rewrites)


def _signs(formulas: Iterable[Formula]) -> list[str]:
    return [formula.latex for formula in formulas]


def _cells(rows: Sequence[Sequence[str]]) -> str:
    return _table([[_words(cell) for cell in row] for row in rows])


def _forward(c: Content) -> Iterator[str]:
    yield _formulas(_signs(c.forward))
    if c.identities:
        yield "Identities of the definition:"
        yield _formulas(_signs(c.identities))


def _part(part: Part, before: Iterable[str] = ()) -> Iterator[str]:
    yield _heading(_words(part.title))
    yield _words(part.sentence)
    if part.results:
        yield _formulas(_signs(part.results))
    yield from _folded(counted(len(part.steps), "step"), (*before, *_steps(part)))


def _steps(part: Part) -> Iterator[str]:
    if part.signs:
        rows = [(f"${s.latex}$", _words(s.name), _words(s.code), _words(s.meaning)) for s in part.signs]
        yield _table([("", "sign", "in code", ""), *rows])
    for step in part.steps:
        yield _heading(f"{step.number}. {_words(step.rule)}, `{step.target}`", 3)
        if step.lemma:
            yield f"*{_words(step.lemma)}* [Proof](../../docs/rules.md#{step.anchor})"
        yield f"{_words(step.reason)} ({_words(step.facts)})"
        if step.uses:
            yield _formulas(_signs(step.uses))
        yield _formulas([_equation(step)])


def _equation(step: StepText) -> str:
    after = _collected(step) if len(step.contributions) > 1 else step.after.latex
    if step.before is None:
        return f"{step.target_latex} = {after}"
    return rf"\begin{{aligned}} {step.target_latex} &= {step.before.latex} \cr &= {after} \end{{aligned}}"


def _collected(step: StepText) -> str:
    """The sum of the contributions, each with what it comes through below it."""
    pieces = []
    for index, sent in enumerate(step.contributions):
        minus = sent.latex.startswith("-")
        below = rf"\text{{through }} {latex_name(sent.name)}" if sent.name else rf"\text{{{way(sent)}}}"
        sign = "-" if minus else "+" if index else ""
        pieces.append(rf"{sign} \underbrace{{{sent.latex.removeprefix('-')}}}_{{{below}}}")
    return " ".join(pieces).strip()


def _plan(c: Content) -> Iterator[str]:
    yield _heading("Plan")
    for program in c.programs:
        words = f"Reads {program.reads}; writes {program.writes}; {program.saves}."
        yield from _folded(program.direction, (_words(words), _stages(program.stages)))
    if c.passes:
        blocks = (_words(PASSES), _stages(c.passes), _items(map(_words, c.pass_rules)))
        yield from _folded("Passes", blocks)


def _stages(stages: Iterable[StageLines]) -> str:
    lines = ([f"# {stage.title}", *aligned(stage.formulas, WIDTH, "")] for stage in stages)
    return _source([line for stage in lines for line in stage], "text")


def _hazard(h: Hazard) -> str:
    where = f"*{h.status}*: {_words(h.kind)} ({_words(place(h))}): `{h.where.text}`"
    return f"{where}:\n  {_words(h.danger)}; {_words(h.remedy)}."


# ---- Markdown

_words = escape.markdown


def _heading(words: str, level: int = 2) -> str:
    return f"{'#' * level} {words}"


def _formulas(latex: Iterable[str]) -> str:
    lines = [*latex]
    if len(lines) > 1:
        equal = " \\cr\n".join(line.replace(" = ", " &= ", 1) for line in lines)
        lines = [f"\\begin{{aligned}}\n{equal}\n\\end{{aligned}}"]
    return "\n\n".join(f"$$\n{line}\n$$" for line in lines)


def _folded(summary: str, blocks: Iterable[str]) -> Iterator[str]:
    yield f"<details>\n<summary>{escaped(summary)}</summary>"
    yield from blocks
    yield "</details>"


def _source(lines: Sequence[str], language: str) -> str:
    fence = escape.fence("\n".join(lines))
    return "\n".join([f"{fence}{language}", *lines, fence])


def _items(items: Iterable[str]) -> str:
    return "\n".join(f"* {item}" for item in items)


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])
