"""Content of a report before its layout: every section as plain strings, in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sympy import Expr

from lngen.algebra.notation import latex, latex_name, text
from lngen.algebra.symbols import FeatureSum, Mean, RowMax, RowMin, SumRows, TypedSymbol, operation_count
from lngen.derivation.derivation import Derivation, Derivative, Proof, Step
from lngen.derivation.rules import RULE_OF
from lngen.derivation.vjp import Contribution
from lngen.errors import counted
from lngen.language.names import tangent
from lngen.plan.passes import PASS_RULES
from lngen.plan.passes.moments import written_out
from lngen.plan.planner import Plan
from lngen.plan.program import PassLine, RowProgram, Stage
from lngen.report.answers import PlanAnswer, answers
from lngen.report.audit import Audit, audit
from lngen.report.changes import Span, changes, elided_latex, marked_latex, spans
from lngen.report.costs import EXAMPLE_DTYPE, cost_entries, cost_rows, size_rows
from lngen.report.derivatives import Derivatives
from lngen.report.formulas import (
    Formula,
    atoms,
    formula,
    gradients,
    reading_order,
    result,
    summed_over,
    textbook_forward,
)
from lngen.report.grades import by_grade
from lngen.report.legend import legend
from lngen.report.projection import Projection, projections
from lngen.report.shapes import example_shape


@dataclass(frozen=True)
class Side:
    """One side of a step: as text, cut where what changed begins and ends, and as LaTeX with that in colour."""

    text: str
    latex: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class StepText:
    """A step of the derivation; `before` is None where a quantity appears for the first time.

    `lemma` is what the rule says, where the report uses it for the first time. `contributions` are what the chain rule
    collects, by the name of what each comes through; `uses` are equations that hold and that the step used.
    """

    number: int
    part: str
    rule: str
    anchor: str
    lemma: str
    target: str
    target_latex: str
    contributions: tuple[Formula, ...]
    uses: tuple[Formula, ...]
    before: Side | None
    after: Side
    reason: str
    operations_before: int | None
    operations_after: int
    evidence: str

    @property
    def facts(self) -> str:
        """Operations and agreement, in words."""
        done = counted(self.operations_after, "operation")
        if self.operations_before is not None:
            done = f"{self.operations_before} -> {done}"
        return f"{done}, {self.evidence}" if self.evidence else done


@dataclass(frozen=True)
class Sign:
    """Name of a formula's symbol in code, and its meaning."""

    name: str
    latex: str
    code: str
    meaning: str


@dataclass(frozen=True)
class Part:
    """A part of the derivation: a title, a sentence, its steps, and what they end at.

    `signs` are those of its arguments and results, where code has them under other names.
    """

    title: str
    sentence: str
    steps: tuple[StepText, ...]
    results: tuple[Formula, ...] = ()
    signs: tuple[Sign, ...] = ()


@dataclass(frozen=True)
class StageLines:
    """One stage of a row program: a title and its lines."""

    title: str
    formulas: tuple[Formula, ...]


@dataclass(frozen=True)
class ProgramText:
    """One direction of the plan."""

    direction: str
    reads: str
    writes: str
    saves: str
    stages: tuple[StageLines, ...]


@dataclass(frozen=True)
class Content:
    """All that a report says.

    `legend` says what the signs of the formulas mean, `projection` how the Jacobian reads where it is one.
    """

    name: str
    citation: tuple[str, ...]
    legend: tuple[str, ...]
    definition: tuple[str, ...]
    forward: tuple[Formula, ...]
    adjoint: tuple[Formula, ...]
    adjoint_operations: int
    parts: tuple[Part, ...]
    identities: tuple[Formula, ...]
    gradients: tuple[Formula, ...]
    atoms: tuple[Formula, ...]
    projection: tuple[Projection, ...]
    result_operations: int
    evidence: tuple[Proof, ...]
    programs: tuple[ProgramText, ...]
    passes: tuple[StageLines, ...]
    pass_rules: tuple[str, ...]
    cost: tuple[tuple[str, str, str], ...]
    example: str
    size: tuple[tuple[str, str, str], ...]
    cost_entries: dict[str, object]
    audit: Audit
    plan: Plan = field(repr=False)

    @property
    def steps(self) -> tuple[StepText, ...]:
        """All steps, of every part."""
        return tuple(step for part in self.parts for step in part.steps)

    @cached_property
    def answers(self) -> tuple[PlanAnswer, ...]:
        """Reasons for the reductions, what is saved, time and memory, and how one kernel does it."""
        return answers(self.plan)

    @property
    def size_title(self) -> str:
        """The heading of `size`."""
        return f"For {self.example}:"

    @property
    def proved(self) -> bool:
        """Test whether there is evidence, and all of it speaks for the derivation."""
        return bool(self.evidence) and all(item.passed for item in self.evidence)

    @property
    def verdict(self) -> str:
        """The evidence in one line."""
        failed = sum(not item.passed for item in self.evidence)
        if not self.evidence:
            return "not proved: no evidence was asked for"
        if failed:
            return f"NOT PROVED: {failed} of {counted(len(self.evidence), 'statement')} failed"
        open_ = sum(not item.claimed for item in self.evidence)
        if open_ == len(self.evidence):
            return "not proved: nothing is claimed"
        return f"proved: {by_grade(self.evidence)}"

    @property
    def headline(self) -> str:
        """The evidence, and what it does not speak of: an overflow on the way to a result."""
        return "; ".join(filter(None, (self.verdict, self.audit.warning)))

    @property
    def saving(self) -> str:
        """Describe the effect of the simplification in one line."""
        before = f"{counted(self.adjoint_operations, 'operation')} by the chain rule"
        is_less = self.result_operations < self.adjoint_operations
        return f"{before}, simplified to {self.result_operations}" if is_less else before


def content(plan: Plan) -> Content:
    """Return the content of a plan's report."""
    d = plan.derivation
    order = reading_order(d)
    numbers = d.step_of()
    return Content(
        name=d.definition.name,
        citation=tuple(" ".join(p.split()) for p in d.definition.docstring.strip().split("\n\n") if p.strip()),
        legend=legend(d),
        definition=_source(d),
        forward=tuple(
            formula(q.symbol, q.expression, order, numbers.get(q.symbol.name, 0)) for q in textbook_forward(d)
        ),
        adjoint=tuple(formula(q.symbol, q.expression, order) for q in d.adjoint.equations),
        adjoint_operations=sum(operation_count(q.expression) for q in d.adjoint.equations),
        parts=tuple(_parts(d, order)),
        identities=tuple(
            Formula(text(left, order), text(right, order), f"{latex(left, order)} = {latex(right, order)}")
            for _, left, right in d.identities
        ),
        gradients=tuple(result(q, order, summed_over(d)) for q in gradients(d)),
        atoms=tuple(formula(q.symbol, q.expression, order) for q in atoms(d)),
        projection=projections(d, order),
        result_operations=sum(operation_count(q.expression) for q in d.backward),
        evidence=d.proofs,
        programs=tuple(_program(program, order) for program in plan.programs()),
        passes=tuple(_pass_line(line, order) for line in plan.passes()),
        pass_rules=_pass_rules(plan),
        cost=tuple(cost_rows(plan)),
        example=f"{' x '.join(map(str, example_shape(d.definition)))} in {EXAMPLE_DTYPE.name}",
        size=tuple(size_rows(plan)),
        cost_entries=cost_entries(plan),
        audit=audit(plan),
        plan=plan,
    )


def _parts(d: Derivation, order: tuple[str, ...]) -> Iterator[Part]:
    met: set[str] = set()
    last: dict[str, int] = {}
    known = [(q.symbol, q.expression) for q in d.forward.equations]
    known += [(q.symbol, q.expression) for made in d.derivatives().values() for q in made.equations]
    rules = Derivatives(known, order)

    def told(steps: Iterable[Step]) -> tuple[StepText, ...]:
        # A line that has just been read need not be written again in full.
        read: Step | None = None
        found = []
        for step in steps:
            again = read is not None and (read.target, read.after) == (step.target, step.before)
            found.append(_step(step, order, met, last, rules, again=again))
            read, last[step.target.name] = step, step.number
        return tuple(found)

    words = (
        "Every value gets a name. The first step that uses a rule says what the rule is; docs/rules.md has the proofs."
    )
    yield Part("The forward, step by step", words, told(step for step in d.steps if step.part == "forward"))
    before = counted(sum(operation_count(q.expression) for q in d.adjoint.equations), "operation")
    words = (
        f"Each equation hands its gradient on to its operands. Each sum is then made shorter; as it stands: {before}."
    )
    yield Part("The gradient by the chain rule", words, told(step for step in d.steps if step.part != "forward"))
    parts = (
        ("The tangents of the outputs: jvp", d.jvp, "What the outputs move by when the inputs move by their tangents"),
        (
            "The gradients of the gradients: backward_backward",
            d.backward_backward,
            "The gradients as equations, and what each sends to its operands",
        ),
    )
    for title, derivative, words in parts:
        if derivative is not None and derivative.steps:
            note = f" ({derivative.note})" if derivative.note else ""
            numbers = {step.target: step.number for step in derivative.steps}
            results = tuple(
                formula(q.symbol, q.expression, order, numbers.get(q.symbol, 0)) for q in derivative.equations
            )
            yield Part(title, f"{words}{note}.", told(derivative.steps), results, tuple(_signs(d, derivative, order)))


def _signs(d: Derivation, derivative: Derivative, order: tuple[str, ...]) -> Iterator[Sign]:
    def sign(symbol: TypedSymbol, code: str, meaning: str) -> Sign:
        return Sign(symbol.name, latex_name(symbol.name, order), code, meaning)

    inputs = [d.definition.public(symbol.name) for symbol in d.forward.differentiable]
    outputs = [d.definition.public(name) for name in d.definition.outputs]
    symbols = [symbol for _, symbol in derivative.results]
    if derivative is d.jvp:
        for name, symbol in zip(inputs, derivative.arguments, strict=True):
            yield sign(symbol, f"the argument {tangent(name)}", f"the tangent of {name}")
        for name, symbol in zip(outputs, symbols, strict=True):
            yield sign(symbol, f"returned as {name}" if len(outputs) > 1 else "returned", f"the tangent of {name}")
        return
    for name, symbol in zip(inputs, derivative.arguments, strict=True):
        yield sign(symbol, f"the argument dd{name}", f"the cotangent of the gradient d{name}")
    for name, symbol in zip(inputs, symbols, strict=False):
        yield sign(symbol, f"returned as d{name}", f"the gradient of {name}, of the second order")
    for name, symbol in zip(outputs, symbols[len(inputs) :], strict=True):
        yield sign(symbol, f"returned as dd{name}", f"the gradient of the cotangent d{name}")


def _source(d: Derivation) -> tuple[str, ...]:
    """The function as the user wrote it, and what is called otherwise in the derivation."""
    lines = d.definition.source.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("def ")), 0)
    while lines and not lines[-1].strip():
        lines.pop()
    renamed = d.definition.renamed
    return (*lines[first:], *(f"# {there} is {here} below, where {there} is something else" for here, there in renamed))


def _step(
    step: Step, order: tuple[str, ...], met: set[str], last: Mapping[str, int], rules: Derivatives, *, again: bool
) -> StepText:
    """A step as text. The lemma of its rule comes with the first step that uses it: `met` are the rules before.

    `last` is the step that each name has been written in; `again` says that the left side has just been read.
    """
    rule = RULE_OF[step.rule]
    lemma = "" if rule.name in met else rule.statement
    met.add(rule.name)
    gone, new = (frozenset(), frozenset()) if step.before is None else changes(step.before, step.after)
    target = latex_name(step.target.name, order)
    return StepText(
        step.number,
        step.part,
        rule.name,
        rule.anchor,
        lemma,
        step.target.name,
        target,
        tuple(_sent(c, order, last) for c in step.contributions),
        tuple(
            Formula(text(left, order), text(right, order), f"{latex(left, order)} = {latex(right, order)}")
            for left, right in step.uses
        )
        + tuple(rules.used(step)),
        None if step.before is None else _side(step.before, gone, order, again=again),
        _side(step.after, new, order),
        step.reason,
        step.operations_before,
        step.operations_after,
        step.evidence.words if step.evidence else "",
    )


def _sent(contribution: Contribution, order: tuple[str, ...], last: Mapping[str, int]) -> Formula:
    """A contribution by the name of what it comes through; without one where the value has that cotangent already."""
    of_itself = contribution.source == contribution.target
    made = last.get(str(contribution.expression), 0) if of_itself else 0
    written = text(contribution.expression, order), latex(contribution.expression, order)
    return Formula("" if of_itself else contribution.source.name, *written, made)


def _side(expression: Expr, changed: frozenset[Expr], order: tuple[str, ...], *, again: bool = False) -> Side:
    cut = spans(expression, changed, order)
    write = elided_latex if again else marked_latex
    return Side("".join(span.text for span in cut), write(expression, changed, order), cut)


def _program(program: RowProgram, order: tuple[str, ...]) -> ProgramText:
    used = program.read()
    reads = [row.symbol.name for row in program.rows if row.symbol in used]
    reads += [parameter.symbol.name for parameter in program.parameters if parameter.symbol in used]
    reads += [f"{row.symbol.name} = {row.text}" for row in program.random]
    saved = ", ".join(symbol.name for symbol in program.saved) or "nothing"
    found = []
    if program.prologue:
        found.append(
            StageLines("before the rows", tuple(formula(a.symbol, a.expression, order) for a in program.prologue))
        )
    count = 0
    for stage in program.stages:
        scalars_only = not (stage.temps or stage.reductions or stage.stores or stage.rows_reductions)
        count += not scalars_only
        title = "before the stages" if scalars_only else f"stage {count}"
        found.append(StageLines(title + (", a correction" if stage.correction else ""), tuple(_stage(stage, order))))
    if program.epilogue:
        found.append(
            StageLines("after the rows", tuple(formula(a.symbol, a.expression, order) for a in program.epilogue))
        )
    return ProgramText(
        program.direction,
        ", ".join(reads),
        ", ".join(name for store in program.results for name in store.names),
        f"keeps {saved} for backward" if program.direction == "forward" else f"and what forward kept: {saved}",
        tuple(found),
    )


def _pass_line(line: PassLine, order: tuple[str, ...]) -> StageLines:
    shown = formula(line.symbol, written_out(line.expression), order)
    return StageLines(f"pass {line.number}, {line.words}", (shown,))


def _pass_rules(plan: Plan) -> tuple[str, ...]:
    used = {line.rule for line in plan.passes()}
    return tuple(f"{rule}: {words}." for rule, words in PASS_RULES.items() if rule in used)


def _stage(stage: Stage, order: tuple[str, ...]) -> list[Formula]:
    reductions = {"mean": Mean, "sum": FeatureSum, "max": RowMax, "min": RowMin}
    return [
        *(formula(a.symbol, a.expression, order) for a in stage.temps),
        *(formula(r.symbol, reductions[r.operator](r.body), order) for r in stage.reductions),
        *(formula(a.symbol, a.expression, order) for a in stage.row_scalars),
        *(formula(r.symbol, SumRows(r.body), order) for r in stage.rows_reductions),
    ]
