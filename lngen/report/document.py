"""The report as a document: each section once, for Markdown and for LaTeX.

A document is a list of blocks, such as a paragraph, a heading or some formulas; the markup says what each looks like.
"""

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
from lngen.report.words import NONE_ASKED, PASSES, UNFUSED, place, rewrite, way

_PREAMBLE = r"""% Needs the packages amsmath, xcolor and geometry.
\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{amsmath}
\usepackage{xcolor}
\usepackage[a4paper, landscape, margin=20mm]{geometry}
\setlength{\parindent}{0pt}
\begin{document}
"""


class MarkdownMarkup:
    """Markdown, with formulas as LaTeX between lines of `$$`, and details that unfold in a browser."""

    words = staticmethod(escape.markdown)

    def whole(self, blocks: Iterable[str]) -> str:
        return "\n\n".join(blocks) + "\n"

    def heading(self, words: str, level: int = 2) -> str:
        return f"{'#' * level} {words}"

    def strong(self, words: str) -> str:
        return f"**{words}**"

    def emphasis(self, words: str) -> str:
        return f"*{words}*"

    def code(self, text: str) -> str:
        return f"`{text}`"

    def sign(self, latex: str) -> str:
        return f"${latex}$"

    def formulas(self, latex: Iterable[str]) -> str:
        lines = [*latex]
        if len(lines) > 1:
            equal = " \\cr\n".join(line.replace(" = ", " &= ", 1) for line in lines)
            lines = [f"\\begin{{aligned}}\n{equal}\n\\end{{aligned}}"]
        return "\n\n".join(f"$$\n{line}\n$$" for line in lines)

    def folded(self, summary: str, blocks: Iterable[str]) -> Iterator[str]:
        yield f"<details>\n<summary>{escaped(summary)}</summary>"
        yield from blocks
        yield "</details>"

    def source(self, lines: Sequence[str], language: str) -> str:
        fence = escape.fence("\n".join(lines))
        return "\n".join([f"{fence}{language}", *lines, fence])

    def items(self, items: Iterable[str]) -> str:
        return "\n".join(f"* {item}" for item in items)

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])

    def proof(self, anchor: str) -> str:
        return f" [Proof](../../docs/rules.md#{anchor})"


class LatexMarkup:
    """A whole document of LaTeX."""

    words = staticmethod(escape.latex)

    def whole(self, blocks: Iterable[str]) -> str:
        return _PREAMBLE + "\n\n".join(blocks) + "\n\\end{document}\n"

    def heading(self, words: str, level: int = 2) -> str:
        return rf"\{'sub' * (level - 1)}section*{{{words}}}"

    def strong(self, words: str) -> str:
        return rf"\textbf{{{words}}}"

    def emphasis(self, words: str) -> str:
        return rf"\emph{{{words}}}"

    def code(self, text: str) -> str:
        return rf"\texttt{{{escape.latex(text)}}}"

    def sign(self, latex: str) -> str:
        return f"${latex}$"

    def formulas(self, latex: Iterable[str]) -> str:
        return "\n".join(rf"\[ {formula} \]" for formula in latex)

    def folded(self, summary: str, blocks: Iterable[str]) -> Iterator[str]:
        yield self.strong(self.words(summary))
        yield from blocks

    def source(self, lines: Sequence[str], language: str) -> str:
        # Nothing can end a line of \texttt early, as it could a verbatim block.
        bare = ((len(line) - len(line.lstrip(" ")), line.lstrip(" ")) for line in lines if line)
        return self.items(rf"\texttt{{{'~' * indent}{escape.latex(line)}}}" for indent, line in bare)

    def items(self, items: Iterable[str]) -> str:
        return "\n".join(rf"{item}\par" for item in items)

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        columns = "l" * len(rows[0])
        lines = (rf"{' & '.join(row)} \\" for row in rows)
        return "\n".join([rf"\noindent\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"])

    def proof(self, anchor: str) -> str:
        return ""


Markup = MarkdownMarkup | LatexMarkup


def document(c: Content, markup: Markup) -> str:
    """The document that has some content."""
    return markup.whole(_blocks(c, markup))


def _blocks(c: Content, m: Markup) -> Iterator[str]:
    yield m.heading(m.words(c.name), 1)
    yield from map(m.words, c.citation)
    found = formulas(c.plan)
    yield m.source(["# forward", *found["forward"], "# backward", *found["backward"]], "python")
    yield m.formulas(_signs(c.gradients))
    if c.atoms:
        yield "where"
        yield m.formulas(_signs(c.atoms))
    yield from map(m.words, c.legend)
    yield f"{m.strong(m.words(c.headline))}. {m.words(c.saving)}."
    for each in c.projection:
        blocks = (m.formulas(_signs((each.gradient, each.matrix))), m.words(each.words))
        yield from m.folded(f"{each.gradient.name} as a projection", blocks)
    yield m.heading("Definition")
    yield m.source([line for whole in c.definition for line in cut(whole, WIDTH)], "python")
    forward, *others = c.parts
    yield from _part(forward, m, _forward(c, m))
    for part in others:
        yield from _part(part, m)
    yield m.heading("Evidence")
    proofs = ((item, m.strong("FAILED") if item.outcome == "FAILED" else item.outcome) for item in c.evidence)
    lines = [f"{outcome}: {m.words(item.kind)}: {m.words(item.statement)}" for item, outcome in proofs]
    yield m.items(lines) if lines else NONE_ASKED
    yield from _plan(c, m)
    for answer in c.answers:
        yield m.heading(answer.question)
        yield from map(m.words, answer.paragraphs)
        if answer.stages:
            items = m.items(m.words(f"{stage}: {words}") for stage, words in answer.stages)
            yield from m.folded("Stage by stage", [items])
    yield m.heading("Cost")
    yield m.words(UNFUSED)
    yield _table(c.cost, m)
    yield from m.folded(c.size_title, [_table(c.size, m)])
    yield m.heading("Where digits can be lost")
    yield m.items(_hazard(hazard, m) for hazard in c.audit.hazards) if c.audit.hazards else "Nowhere."
    if c.audit.rewrites:
        yield m.heading("Rewritten so that digits are kept")
        yield m.items(m.words(rewrite(item)) for item in c.audit.rewrites)


def _signs(formulas: Iterable[Formula]) -> list[str]:
    return [formula.latex for formula in formulas]


def _table(rows: Sequence[Sequence[str]], m: Markup) -> str:
    return m.table([[m.words(cell) for cell in row] for row in rows])


def _forward(c: Content, m: Markup) -> Iterator[str]:
    yield m.formulas(_signs(c.forward))
    if c.identities:
        yield "Identities of the definition:"
        yield m.formulas(_signs(c.identities))


def _part(part: Part, m: Markup, before: Iterable[str] = ()) -> Iterator[str]:
    yield m.heading(m.words(part.title))
    yield m.words(part.sentence)
    if part.results:
        yield m.formulas(_signs(part.results))
    yield from m.folded(counted(len(part.steps), "step"), (*before, *_steps(part, m)))


def _steps(part: Part, m: Markup) -> Iterator[str]:
    if part.signs:
        rows = [(m.sign(s.latex), m.words(s.name), m.words(s.code), m.words(s.meaning)) for s in part.signs]
        yield m.table([("", "sign", "in code", ""), *rows])
    for step in part.steps:
        yield m.heading(f"{step.number}. {m.words(step.rule)}, {m.code(step.target)}", 3)
        if step.lemma:
            yield m.emphasis(m.words(step.lemma)) + m.proof(step.anchor)
        yield f"{m.words(step.reason)} ({m.words(step.facts)})"
        if step.uses:
            yield m.formulas(_signs(step.uses))
        yield m.formulas([_equation(step)])


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


def _plan(c: Content, m: Markup) -> Iterator[str]:
    yield m.heading("Plan")
    for program in c.programs:
        words = f"Reads {program.reads}; writes {program.writes}; {program.saves}."
        yield from m.folded(program.direction, (m.words(words), _stages(program.stages, m)))
    if c.passes:
        blocks = (m.words(PASSES), _stages(c.passes, m), m.items(map(m.words, c.pass_rules)))
        yield from m.folded("Passes", blocks)


def _stages(stages: Iterable[StageLines], m: Markup) -> str:
    lines = ([f"# {stage.title}", *aligned(stage.formulas, WIDTH, "")] for stage in stages)
    return m.source([line for stage in lines for line in stage], "text")


def _hazard(h: Hazard, m: Markup) -> str:
    where = f"{m.emphasis(h.status)}: {m.words(h.kind)} ({m.words(place(h))}): {m.code(h.where.text)}"
    return f"{where}:\n  {m.words(h.danger)}; {m.words(h.remedy)}."
