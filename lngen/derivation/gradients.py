"""The whole way from a definition to its gradients, each step recorded."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from lngen.algebra.budget import limited_work
from lngen.algebra.equations import Equation, Forward, Names, atoms_numbered, in_order, leading_to, read_by
from lngen.algebra.reductions import identity_shown
from lngen.algebra.symbols import D, TypedSymbol, symbol_like
from lngen.derivation.derivation import Derivation, Step
from lngen.derivation.from_definition import require_real, translate
from lngen.derivation.inline import under_names_of_results, with_symbols
from lngen.derivation.normal_form import named_structure
from lngen.derivation.reverse_pass import ReversePass
from lngen.derivation.rules.driver import System, run
from lngen.derivation.rules.linearity import TooManyTermsError
from lngen.derivation.rules.table import DEFINITION_RULES, LINE_RULES, VALUE_RULES
from lngen.derivation.trail import Trail, as_read, renamed
from lngen.derivation.vjp import adjoint
from lngen.language.definition import Definition

_MOST_WORK = 60_000
"""Units of work, some seconds; no layer takes more than 2,000, twelve norms of norms 57,000."""


def derive(definition: Definition) -> Derivation:
    """The derivation of a definition: forward in normal form, gradients in their shortest form.

    >>> from lngen.language.parsing import parse
    >>> text = '''
    ... from lngen.language import Row, Feature, Constant, mean, sqrt
    ... def scaled(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    ...     return gamma * x / sqrt(mean(x**2) + eps)
    ... '''
    >>> for equation in derive(parse(text)).backward:
    ...     print(equation.symbol, "=", equation.expression)
    g = gamma*dy
    dx = rstd*(g - xhat*Mean(g*xhat))
    dgamma = SumRows(dy*xhat)
    """
    written = translate(definition)
    trail = Trail()
    stable = run(DEFINITION_RULES, System(written, (), Names.of(written)), trail).forward
    forward, meaning = named_structure(stable)
    require_real(definition, forward.equations)
    trail.steps = _of_known(forward, written, [renamed(step, meaning) for step in trail.steps])
    _forward_steps(forward, written, meaning, trail)
    reverse = ReversePass(forward, trail)
    results = [*map(forward.cotangent, forward.differentiable)]
    with limited_work(_MOST_WORK, TooManyTermsError):
        equations = reverse.inlined(leading_to(results, reverse.run()), results)
    system = run(LINE_RULES, System(forward, equations, reverse.names), trail)
    forward, ordered = system.forward, in_order(system.lines)
    assert ordered is not None, "lines that wait for each other"
    rename, equations = _named(ordered, results, forward, trail)
    return Derivation(
        definition=definition,
        written=written,
        forward=forward,
        adjoint=adjoint(written),
        backward=equations,
        gradients=tuple(zip(forward.differentiable, results, strict=True)),
        identities=tuple(
            (basis.symbol, *identity_shown(left, right))
            for basis in reverse.bases.values()
            for left, right in basis.identities
        ),
        steps=_with_casts(
            as_read([renamed(step, rename) for step in trail.steps], results, equations),
            definition,
            forward,
        ),
    )


def _with_casts(steps: tuple[Step, ...], definition: Definition, forward: Forward) -> tuple[Step, ...]:
    """The steps, whose reasons say where an output is rounded: its derivative goes straight through."""
    targets = dict(definition.casts)
    outputs = zip(definition.outputs, forward.outputs, strict=True)
    casts = {symbol: cast_words(targets[name]) for name, symbol in outputs if name in targets}
    return tuple(
        replace(step, reason=f"{step.reason}; {casts.pop(step.target)}")
        if step.part == "forward" and step.target in casts
        else step
        for step in steps
    )


def cast_words(target: str) -> str:
    """Say what becomes of an output that is cast, and what its derivative is.

    >>> cast_words("int8")
    'as an output rounded to int8; its derivative goes straight through, as if the rounding had slope 1'
    """
    return f"as an output rounded to {target}; its derivative goes straight through, as if the rounding had slope 1"


def _of_known(forward: Forward, written: Forward, steps: list[Step]) -> list[Step]:
    """The steps, numbered anew, but for those of a value that nothing depends on: the normal form lacks its parts."""
    known = {D, *forward.symbols} | {q.symbol for q in (*written.equations, *forward.equations)}
    kept = (s for s in steps if s.after.free_symbols <= known and (s.before is None or s.before.free_symbols <= known))
    return [replace(step, number=number) for number, step in enumerate(kept, 1)]


def _forward_steps(forward: Forward, written: Forward, meaning: dict[TypedSymbol, Expr], trail: Trail) -> None:
    """Write the trail's steps anew: one for each line of the normal form.

    A step of an earlier rule comes before the first line by which all that it reads is known, and one about a line's
    own name directly before that line.
    """
    earlier, trail.steps = trail.steps, []
    before_of, values = _written_out(written, meaning), {q.symbol: q.expression for q in written.equations}
    own = {equation.symbol.name for equation in forward.equations}
    known = {symbol.name for symbol in (D, *forward.symbols, *values)} - own
    for equation in forward.equations:
        symbol, before = equation.symbol, before_of.get(equation.symbol.name) if equation.named else None
        if before == equation.expression:
            before = None
        for step in tuple(earlier):
            if step.target.name == symbol.name or (
                step.target.name not in own and {met.name for met in step.read} <= known
            ):
                earlier.remove(step)
                mine = step.target.name == symbol.name
                trail.steps.append(replace(step, target=symbol) if mine else step)
                before = step.after if mine else before
        rule = next(rule for rule in VALUE_RULES if rule.function(equation))
        used_twice = rule.name == "definition" and not equation.named
        reason = "named, because it is used more than once" if used_twice else rule.gains
        gone = () if before is None else ((s, e) for s, e in values.items() if before.has(s) and s.name not in own)
        trail.add("forward", rule.name, symbol, before, equation.expression, reason, uses=gone)
        known.add(symbol.name)
    trail.steps += earlier


def _written_out(written: Forward, meaning: dict[TypedSymbol, Expr]) -> dict[str, Expr]:
    """The statements of a definition, what the user left without a name written out, in the normal form's names."""
    unnamed: dict[TypedSymbol, Expr] = {}
    result = {}
    for equation in written.equations:
        expression = equation.expression.xreplace(unnamed)
        result[equation.symbol.name] = expression.xreplace(meaning)
        if not equation.named:
            unnamed[equation.symbol] = expression
    return result


def _named(
    equations: tuple[Equation, ...], results: list[TypedSymbol], forward: Forward, trail: Trail
) -> tuple[dict[TypedSymbol, TypedSymbol], tuple[Equation, ...]]:
    """A result that is only another name for a cotangent takes that cotangent's place; `g` comes first, then `g_2`.

    Steps go on to speak of a cotangent that one result alone is; they may speak of what is no line any more: that comes
    last.
    """
    rename, equations = under_names_of_results(equations, results)
    read, names = read_by(equations), Names.of(forward, equations)
    value_of = {forward.cotangent(symbol): symbol for symbol in forward.differentiable}
    collected = {step.target: step.contributions[0].target for step in trail.steps if step.contributions}
    for old, new in tuple(rename.items()):
        value = collected.get(old, value_of[new])
        if new not in read and value != value_of[new]:
            (line,) = (q for q in equations if q.symbol == new)
            trail.derived("written out", new, old, line.expression, f"substitute {old}")
            rename[old] = symbol_like(names.fresh(forward.cotangent(value).name), old)
    steps = trail.steps
    own = [q.symbol for q in equations if q.symbol not in results]
    own += [step.target for step in steps if step.part == "backward" and step.target not in {*own, *results, *rename}]
    again = atoms_numbered(own, Names.of(forward))
    return rename | again, with_symbols(equations, again)
