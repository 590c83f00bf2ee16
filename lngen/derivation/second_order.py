"""Second derivatives of a layer, the JVP and the double backward, by the same rules as the gradients.

The JVP is the tangent of the forward in normal form. The double backward is the adjoint of the gradients' own
equations. Both are shortened by the same change of basis. If that makes one longer, its plain form is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from sympy import Add, Expr, Mul, Pow, default_sort_key

from lngen.algebra.budget import TooLargeError, limited_work
from lngen.algebra.equations import Equation, Forward, Names, atoms_numbered, leading_to, read_by, tangent_symbol
from lngen.algebra.symbols import (
    Mean,
    TypedSymbol,
    Where,
    axes,
    operation_count,
)
from lngen.derivation.derivation import Derivation, Derivative
from lngen.derivation.double_backward import BackwardAsForward, backward_as_forward
from lngen.derivation.inline import joined, too_long, under_names_of_results, with_symbols
from lngen.derivation.jvp import tangent as plain_tangent
from lngen.derivation.reverse_pass import ReversePass
from lngen.derivation.rules.basis import cost, in_best_basis
from lngen.derivation.rules.driver import Rewrite, System, rewritten_lines, run
from lngen.derivation.rules.exponentials import expand_normalized
from lngen.derivation.rules.factors import common_factors
from lngen.derivation.rules.known_values import with_complements, with_value
from lngen.derivation.rules.linearity import reductions_in, split_rows_sum
from lngen.derivation.rules.table import LINE_RULES, RULE_OF
from lngen.derivation.short_lines import in_short_lines
from lngen.derivation.tangents import Tangents
from lngen.derivation.trail import Trail, as_read
from lngen.derivation.vjp import Contribution, adjoint
from lngen.language.names import cotangent, tangent

_MOST_WORK = 15_000
"""Units of work in the JVP, and in the double backward; no layer in `derive/` takes a third of it."""

_TOO_LONG = f"as the chain rule gives it: a shorter form would take more than {_MOST_WORK} units of work"

_LINE_BY_LINE = "line by line: writing it out in a basis would be longer"


def with_second_order(derivation: Derivation) -> Derivation:
    """The derivation with its JVP and its double backward, as far as its definition asks for them.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.gradients import derive
    >>> found = with_second_order(derive(parse("def f(x: Row): return x**3")))
    >>> for derivative in (found.jvp, found.backward_backward):
    ...     print(*(f"{q.symbol} = {q.expression}" for q in derivative.equations), sep="; ")
    y_dot = 3*x**2*x_dot
    d2x = 6*ddx*dy*x; ddy = 3*ddx*x**2
    """
    first = len(derivation.steps) + 1
    asked = derivation.definition.directions
    jvp = _jvp(derivation, first) if "jvp" in asked else None
    after = first + len(jvp.steps if jvp else ())
    double = _backward_backward(derivation, after) if "backward_backward" in asked else None
    return replace(derivation, jvp=jvp, backward_backward=double)


def _jvp(derivation: Derivation, first: int) -> Derivative:
    forward = derivation.forward
    try:
        if any_too_long(forward.equations):
            raise TooLargeError
        with limited_work(_MOST_WORK):
            tangents = Tangents(forward, derivation.bases)
            equations, names, note, trail = tangents.run(), tangents.names, "", tangents.trail
        plain = plain_tangents(forward, plain_trail := Trail("jvp"))
        reductions = [sum(reductions_in(q.expression) for q in lines) for lines in (plain, equations)]
        if _takes_fewer_operations(plain, equations) and 3 * reductions[0] <= reductions[1]:
            equations, names, note, trail = plain, Names.of(forward, plain), _LINE_BY_LINE, plain_trail
    except TooLargeError:
        forward, trail = in_short_lines(forward), Trail("jvp")
        _name_lines(forward, derivation, trail)
        equations, note = plain_tangents(forward, trail), _TOO_LONG
        names = Names.of(forward, equations)
        equations = (*_own_lines_read(forward, derivation, equations), *equations)
    # Two outputs may have come to the same value; each keeps its name.
    named = zip(derivation.definition.outputs, forward.outputs, strict=True)
    results = tuple((tangent(name), tangent_symbol(symbol)) for name, symbol in named)
    # Values that only a condition reads have no tangent.
    equations = leading_to((symbol for _, symbol in results), equations)
    equations = run(LINE_RULES, System(derivation.forward, equations, names), trail).lines
    moved = [symbol for _, symbol in results]
    steps = as_read(trail.steps, moved, equations, first)
    return Derivative(tuple(map(tangent_symbol, forward.differentiable)), equations, results, steps, note)


def _backward_backward(derivation: Derivation, first: int) -> Derivative:
    try:
        whole, equations, note, trail = _short_double_backward(derivation)
    except TooLargeError:
        forward, trail = in_short_lines(derivation.forward), Trail("backward_backward")
        vjp = adjoint(forward)
        lines = run(LINE_RULES, System(forward, vjp.equations, Names.of(forward, vjp.equations)), Trail()).lines
        whole = backward_as_forward(forward, vjp.cotangents, lines, vjp.gradients)
        whole = replace(whole, forward=in_short_lines(whole.forward))
        _name_lines(whole.forward, derivation, trail)
        equations, note = plain_cotangents(whole.forward, trail), _TOO_LONG
    names = Names.of(whole.forward, equations)
    results = _second_gradients(whole.forward, derivation)
    equations = leading_to(results.values(), equations)
    equations = run(LINE_RULES, System(whole.forward, equations, names), trail).lines
    rename, equations = under_names_of_results(equations, results.values())
    trail.under_names_of_results(rename, results.values())
    equations = (*_own_lines_read(whole.forward, derivation, equations), *equations)
    again = [RULE_OF["normalized exponentials"]]
    equations = run(again, System(whole.forward, equations, names), trail).lines
    known = {q.symbol for q in (*whole.forward.equations, *derivation.backward)}
    own = [q.symbol for q in equations] + [step.target for step in trail.steps]
    earlier = (Equation(step.target, step.after) for step in derivation.steps)
    numbered = atoms_numbered(
        [s for s in own if s not in known], Names.of(whole.forward, (*derivation.backward, *earlier))
    )
    trail.rename(numbered)
    equations = with_symbols(equations, numbered)
    steps = as_read(trail.steps, results.values(), equations, first)
    arguments = tuple(map(whole.forward.cotangent, whole.gradients))
    return Derivative(arguments, equations, tuple(results.items()), steps, note)


def _second_gradients(whole: Forward, derivation: Derivation) -> dict[str, TypedSymbol]:
    """The results of the double backward, as callers name them."""
    moving = (*derivation.forward.differentiable, *derivation.adjoint.cotangents)
    return {cotangent(symbol.name): whole.cotangent(symbol) for symbol in moving}


def _short_double_backward(
    derivation: Derivation,
) -> tuple[BackwardAsForward, tuple[Equation, ...], str, Trail]:
    """The gradients' equations as a forward, and the shorter form of its adjoint: in bases, or line by line.

    Raises TooLargeError where a line is too long to look for one, or the work is.
    """
    if any_too_long((*derivation.forward.equations, *derivation.backward)):
        raise TooLargeError
    given = (derivation.forward, derivation.adjoint.cotangents)
    gradients = {gradient for _, gradient in derivation.gradients}
    backward = expand_normalized(derivation.backward, derivation.forward, gradients)
    whole = backward_as_forward(*given, backward, derivation.gradients)

    def complemented(e: Expr) -> Expr:
        return with_complements(e, derivation.forward.equations)

    backward = tuple(replace(q, expression=complemented(q.expression)) for q in backward)
    in_one_piece = backward_as_forward(*given, backward, derivation.gradients).forward
    results = [*_second_gradients(in_one_piece, derivation).values()]
    own = {q.symbol: q.expression for q in in_one_piece.equations}
    # Means in which complements differ may have other names.
    written = {
        q.symbol: q.expression for q in whole.forward.equations if complemented(q.expression) == own.get(q.symbol)
    }

    def trail_of_gradients() -> Trail:
        trail = Trail("backward_backward")
        _name_lines(in_one_piece, derivation, trail, written)
        return trail

    with limited_work(_MOST_WORK):
        reverse = ReversePass(in_one_piece, trail_of_gradients(), derivation.bases)
        equations = reverse.inlined(reverse.run(), results)
        equations = _scalings_written_out(equations, results, reverse)
    trail = trail_of_gradients()
    plain = plain_cotangents(in_one_piece, trail)
    if _takes_fewer_operations(plain, equations):
        return whole, plain, _LINE_BY_LINE, trail
    return whole, equations, "", reverse.trail


def _name_lines(
    forward: Forward, derivation: Derivation, trail: Trail, written: Mapping[TypedSymbol, Expr] = MappingProxyType({})
) -> None:
    """Tell the lines that a forward has beyond those of the definition: the gradients, and parts of what is long."""
    known, derived = ({q.symbol for q in each} for each in (derivation.forward.equations, derivation.backward))
    for line in (line for line in forward.equations if line.symbol not in known):
        gradient = line.symbol in forward.outputs or line.symbol in derived
        rule, reason = ("gradient", "as derived above") if gradient else ("name", "a part of what comes after")
        trail.derived(rule, line.symbol, None, written.get(line.symbol, line.expression), reason)


def _scalings_written_out(
    equations: tuple[Equation, ...], results: Sequence[TypedSymbol], reverse: ReversePass
) -> tuple[Equation, ...]:
    """A cotangent that is a row times row scalars, and used once, written out there: the means of both are one."""

    def forms(value: Equation, reader: Equation, written: Expr) -> Iterator[Expr]:
        rows = [factor for factor in Mul.make_args(value.expression) if axes(factor).features]
        if len(rows) != 1 or not isinstance(rows[0], TypedSymbol):
            return
        classes = [c for c in reverse.classes if written.free_symbols & set(c.symbols)]
        short = min([common_factors(written), *(in_best_basis(c, written)[1] for c in classes)], key=cost)
        short = _centred(short)
        if cost(short)[:2] <= cost(reader.expression)[:2]:
            yield short

    return joined(equations, results, forms, reverse.trail)


def _centred(expression: Expr) -> Expr:
    """Terms in a row and in its mean, equal but for the sign, as one in the centred row: what cancels does so first.

    >>> from lngen.algebra.symbols import Mean, RowSymbol, RowScalarSymbol
    >>> g, y, s, t = RowSymbol("g"), RowSymbol("y"), RowScalarSymbol("s"), RowScalarSymbol("t")
    >>> _centred(y - s*g + s*Mean(g) - t*g + t*Mean(g))
    y + (-s - t)*(g - Mean(g))
    """
    if not expression.atoms(Mean) or isinstance(expression, Mean):
        return expression
    expression = expression.func(*(_centred(argument) for argument in expression.args))
    if not isinstance(expression, Add):
        return expression
    terms = list(expression.args)
    for mean in sorted(expression.atoms(Mean), key=default_sort_key):
        row = mean.args[0]
        pairs = [(t, -t / row * mean) for t in terms if row in Mul.make_args(t)]
        pairs = [(term, partner) for term, partner in pairs if partner in terms]
        if pairs:
            terms = [t for t in terms if not any(t in pair for pair in pairs)]
            terms.append(Add(*(term / row for term, _ in pairs)) * (row - mean))
    return Add(*terms)


def _own_lines_read(forward: Forward, derivation: Derivation, equations: tuple[Equation, ...]) -> tuple[Equation, ...]:
    """Return the lines of a forward that the equations read, and that the derivation's own forward does not have."""
    known = {q.symbol for q in derivation.forward.equations}
    return leading_to(read_by(equations), (q for q in forward.equations if q.symbol not in known))


def _takes_fewer_operations(plain: Sequence[Equation], equations: Sequence[Equation]) -> bool:
    """Test whether what the chain rule gives takes fewer operations than a form in bases; a select stays in its own."""
    operations = [sum(operation_count(q.expression) for q in lines) for lines in (plain, equations)]
    return operations[0] < operations[1] and not any(q.expression.atoms(Where) for q in plain)


def any_too_long(equations: Iterable[Equation]) -> bool:
    """Test whether a line is too long for a search for shorter forms."""
    return any(too_long(equation.expression) for equation in equations)


def plain_tangents(forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    """The tangents line by line, each derivative written with the function's own value."""
    said: dict[TypedSymbol, Expr] = {}

    def tell(symbol: TypedSymbol, sent: Sequence[Contribution]) -> None:
        said[symbol] = trail.chain_rule(symbol, sent, "what it moves by when what it is made of moves")

    found = plain_tangent(forward, tell)
    for equation in found.equations:
        reason = "the sum of means is the mean of the sum, and selects on one condition are one"
        trail.derived("collected", equation.symbol, said[equation.symbol], equation.expression, reason)
    own = {equation.symbol for equation in found.equations}
    results = [Equation(tangent_symbol(output), moved) for output, moved in found.results]
    others = [equation for equation in results if equation.symbol not in own]
    for equation in others:
        trail.derived("chain rule", equation.symbol, None, equation.expression, "what it moves by, under its name")
    return _with_values((*found.equations, *others), forward, trail)


def plain_cotangents(forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    """The adjoint line by line, each derivative written with the function's own value."""
    found = adjoint(forward, lambda symbol, sent: trail.chain_rule(symbol, sent, "what reaches it"))
    equations = _with_values(found.equations, forward, trail)
    return rewritten_lines(
        "sums over rows", Rewrite(split_rows_sum, "in as few sums as need no more operations"), equations, trail
    )


def _with_values(equations: tuple[Equation, ...], forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    lines = [q for q in forward.equations if isinstance(q.expression, Pow) or q.expression.is_Function]
    known = [(line, line.expression.free_symbols) for line in lines]

    def change(expression: Expr) -> Expr:
        free = expression.free_symbols
        for line, read in known:
            if read <= free:
                expression = with_value(expression, line)
                free = expression.free_symbols
        return expression

    reason = "a derivative written with what the function is called"
    return rewritten_lines("value of a function", Rewrite(change, reason), equations, trail)
