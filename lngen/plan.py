"""A derivation becomes two row programs, forward and backward.

Three decisions are made here, each by a rule that holds for every layer:

* *Once a row, once a call.* What does not vary over features is computed once a row, and what is made of parameters
  alone once a call.
* *What backward reads.* Row values are recomputed from the fewest tensors: from the inputs, or from an output
  where that spares a tensor or a transcendental function. Row scalars of the forward are saved, a few bytes a row.
* *A mean used as a shift is corrected.* For `c = x - m` with `m = Mean(x)`, the mean of c is zero; whatever it is
  in floating point is the rounding error of m, so it is measured and taken off. A large offset then costs no
  digits, and m is saved as value and correction.

Which sweep over the row a line runs in is decided by `lngen.schedule`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from sympy import Add, Expr, Mul
from sympy.core.relational import Relational

from lngen.balance import balanced, grown, met_by_readers
from lngen.definition import Kind
from lngen.derivation import Derivation
from lngen.growth import Growth
from lngen.program import (
    OPERATORS,
    Parameter,
    RowArgument,
    RowProgram,
    Store,
)
from lngen.schedule import Line, sorted_out, stages_of
from lngen.simplify.linear import show_sums
from lngen.symbolic import (
    NOTHING,
    D,
    Mean,
    Reduction,
    RowScalarSymbol,
    RowSymbol,
    StopGradient,
    SumRows,
    TypedSymbol,
    axes,
    heads_that,
    is_row,
    symbol_like,
)
from lngen.translate import Equation, Names

_COSTLY = heads_that(lambda entry: entry.roundings)


@dataclass(frozen=True)
class Plan:
    """The directions of a layer, and the derivation they come from.

    `jvp` and `backward_backward` are None until `lngen.secondary` plans them.
    """

    derivation: Derivation
    forward: RowProgram
    backward: RowProgram
    jvp: RowProgram | None = None
    backward_backward: RowProgram | None = None

    def programs(self) -> tuple[RowProgram, ...]:
        """Those that there are, in this order."""
        return tuple(q for q in (self.forward, self.backward, self.jvp, self.backward_backward) if q is not None)


def plan(derivation: Derivation) -> Plan:
    """The row programs of a derivation."""
    steps = derivation.step_of()
    names = Names.of(derivation.forward, derivation.backward)
    forward_lines = without_nested_reductions(
        [_line(q, steps) for q in derivation.forward.equations],
        names,
    )
    forward_lines = _corrected(forward_lines, names)
    growth = Growth.at_the_ends(derivation.forward.symbols, [(q.symbol, q.expression) for q in forward_lines])
    forward_lines = in_range(forward_lines, growth, names)
    backward_lines = without_nested_reductions(
        [_line(q, steps) for q in derivation.backward if not _is_alias(q.expression, derivation)],
        names,
    )
    gradients = [gradient for _, gradient in derivation.gradients]
    backward_lines = in_range(met_by_readers(backward_lines, growth, names, gradients), growth, names)
    needed, sources = _recomputed(derivation, forward_lines, backward_lines)
    saved = tuple(
        line.symbol
        for line in forward_lines
        if isinstance(line.symbol, RowScalarSymbol) and line.symbol in _read_by([*needed, *backward_lines])
    )
    forward_lines, backward_lines, saved = _kept_apart(
        derivation, forward_lines, [*needed, *backward_lines], saved, names
    )
    return Plan(
        derivation,
        _program(derivation, "forward", forward_lines, saved, names, (), growth),
        _program(derivation, "backward", backward_lines, saved, names, sources, growth),
    )


# ---- equations made ready


def _line(equation: Equation, steps: Mapping[str, int]) -> Line:
    """An equation of a derivation as a line of a program, where there is no gradient left to stop."""
    expression = equation.expression.replace(StopGradient, lambda value: value)
    return Line(equation.symbol, show_sums(expression), steps.get(equation.symbol.name, 0))


def _kept_apart(
    derivation: Derivation,
    forward: Sequence[Line],
    backward: Sequence[Line],
    saved: tuple[RowScalarSymbol, ...],
    names: Names,
) -> tuple[list[Line], list[Line], tuple[RowScalarSymbol, ...]]:
    """A row scalar that is both an output and saved is saved under a name of its own.

    The output is rounded to the type of the rows and belongs to the caller; backward wants the value as computed.
    """
    apart = {s: RowScalarSymbol(names.fresh(f"{s.name}_saved")) for s in saved if s in derivation.forward.outputs}
    step_of = {line.symbol: line.step for line in forward}
    return (
        [*forward, *(Line(copy, symbol, step_of[symbol]) for symbol, copy in apart.items())],
        [replace(line, expression=line.expression.xreplace(apart)) for line in backward],
        tuple(apart.get(symbol, symbol) for symbol in saved),
    )


def without_nested_reductions(lines: Iterable[Line], names: Names) -> list[Line]:
    """Every reduction on a line of its own, each computed once.

    >>> x, g = RowSymbol("x"), RowSymbol("g")
    >>> for line in without_nested_reductions([Line(RowSymbol("dx"), g - x*Mean(g*x), 7)], Names([])):
    ...     print(line.symbol, "=", line.expression)
    mean_g_x = Mean(g*x)
    dx = -mean_g_x*x + g
    """
    known: dict[Expr, TypedSymbol] = {}
    result: list[Line] = []

    def extract(expression: Expr, step: int) -> Expr:
        if not expression.atoms(Reduction):
            return expression
        expression = expression.func(*(extract(argument, step) for argument in expression.args))
        if not isinstance(expression, Reduction):
            return expression
        if expression not in known:
            kind = OPERATORS[type(expression)]
            known[expression] = symbol_like(names.fresh(f"{kind}_{_words(expression.args[0])}"), expression)
            result.append(Line(known[expression], expression, step))
        return known[expression]

    for line in lines:
        # The gradient of a feature that is the same for all of them repeats a reduction: that is a line, and its own.
        if isinstance(line.expression, Reduction) and axes(line.expression) == axes(line.symbol):
            body = extract(line.expression.args[0], line.step)
            expression = line.expression.func(body)
            known.setdefault(expression, line.symbol)
        else:
            expression = extract(line.expression, line.step)
        result.append(Line(line.symbol, expression, line.step))
    return result


def _is_alias(expression: Expr, derivation: Derivation) -> bool:
    """Whether a gradient is another gradient: it is computed once, and the results share it."""
    return expression in [gradient for _, gradient in derivation.gradients]


def in_range(lines: list[Line], growth: tuple[Growth, ...], names: Names) -> list[Line]:
    """The lines in products that stay in the range of a float, what does not vary over features multiplied once a row.

    `growth` is that of what the lines read, at each end.
    """
    return once_a_row(balanced(lines, growth, names), names)


def once_a_row(lines: Sequence[Line], names: Names) -> list[Line]:
    """Factors that do not vary over features multiplied once a row, parameters' sums formed once a call.

    >>> from lngen.symbolic import FeatureSymbol
    >>> x, s, t, w = RowSymbol("x"), RowScalarSymbol("s"), RowScalarSymbol("t"), FeatureSymbol("w")
    >>> for line in once_a_row([Line(RowSymbol("y"), x*s*t*(1 + w)/D, 3)], Names([])):
    ...     print(line.symbol, "=", line.expression)
    t_scaled = s*t/D
    w_shifted = w + 1
    y = w_shifted*t_scaled*x
    """
    known: dict[Expr, TypedSymbol] = {}
    result: list[Line] = []

    def named(expression: Expr, step: int) -> Expr:
        if expression not in known:
            words = sorted((s.name for s in expression.free_symbols if s != D), key=lambda name: (len(name), name))
            ending = "scaled" if isinstance(expression, Mul) else "shifted"
            known[expression] = symbol_like(names.fresh(f"{words[-1]}_{ending}"), expression)
            result.append(Line(known[expression], expression, step))
        return known[expression]

    def hoist(expression: Expr, step: int) -> Expr:
        varies = axes(expression)
        if not expression.args or varies == NOTHING:
            return expression
        if isinstance(expression, Relational):
            return expression.func(*(hoist(argument, step) for argument in expression.args))
        if isinstance(expression, Mul):
            return product(expression, step)
        if varies != RowSymbol.varies:
            return named(expression, step)
        return expression.func(*(hoist(argument, step) for argument in expression.args))

    def product(expression: Expr, step: int) -> Expr:
        sign = [factor for factor in expression.args if factor == -1]
        once = [factor for factor in expression.args if factor != -1 and not axes(factor).features]
        per_row = [factor for factor in once if axes(factor).rows]
        if per_row and not (len(once) == 1 and isinstance(once[0], TypedSymbol)):
            once = [named(Mul(*once), step)]
        rest = [hoist(factor, step) for factor in expression.args if axes(factor).features]
        return Mul(*sign, *once, *rest)

    for line in lines:
        if line.operator is not None or isinstance(line.expression, SumRows):
            expression = line.expression.func(hoist(line.expression.args[0], line.step))
        elif is_row(line.symbol):
            expression = hoist(line.expression, line.step)
        else:
            expression = line.expression
        result.append(Line(line.symbol, expression, line.step, line.correction))
    return result


def _words(body: Expr) -> str:
    symbols = sorted({symbol.name for symbol in body.free_symbols if axes(symbol).features})
    return "_".join(symbols[:3]) if symbols else "one"


def _corrected(lines: Sequence[Line], names: Names) -> list[Line]:
    """Every row centred on its own mean is centred twice: on the mean, then on what the mean left."""
    means = {line.symbol: line.expression.args[0] for line in lines if line.operator == "mean"}
    result = []
    for line in lines:
        shift = next((m for m in line.expression.free_symbols if means.get(m) == line.expression + m), None)
        if shift is None or not is_row(line.symbol) or not isinstance(line.expression, Add):
            result.append(line)
            continue
        body = means[shift]
        stem = body.name if isinstance(body, TypedSymbol) else line.symbol.name
        shifted = RowSymbol(names.fresh(f"{stem}_shifted"))
        residual = RowScalarSymbol(names.fresh(f"{shift.name}_residual"))
        result += [
            Line(shifted, line.expression, line.step),
            Line(residual, Mean(shifted), line.step, correction=True),
            Line(line.symbol, shifted - residual, line.step),
        ]
    return result


def _read_by(lines: Iterable[Line]) -> set[TypedSymbol]:
    return {symbol for line in lines for symbol in line.expression.free_symbols}


# ---- what backward reads


def _recomputed(
    derivation: Derivation, forward: Sequence[Line], backward: Sequence[Line]
) -> tuple[list[Line], tuple[TypedSymbol, ...]]:
    """The forward lines that backward computes again, and the row values it reads for that."""
    line_of = {line.symbol: line for line in forward}
    wanted = sorted(
        (s for s in _read_by(backward) if is_row(s) and (s in line_of or s in derivation.forward.symbols)),
        key=lambda s: s.name,
    )
    inputs = [symbol for symbol in derivation.forward.symbols if is_row(symbol)]
    outputs = [symbol for symbol in derivation.forward.outputs if is_row(symbol) and symbol not in inputs]
    best: tuple[tuple[int, int, int, int], tuple[TypedSymbol, ...], set[TypedSymbol]] | None = None
    readable = [*inputs, *outputs]
    # What cannot be had from all the others has to be read; only the rest is a choice.
    forced = [s for s in readable if _closure(wanted, set(readable) - {s}, line_of) is None]
    for size in range(len(readable) - len(forced) + 1):
        for chosen in combinations([s for s in readable if s not in forced], size):
            sources = tuple(s for s in readable if s in forced or s in chosen)
            again = _closure(wanted, set(sources), line_of)
            if again is None:
                continue
            lines = [line_of[symbol] for symbol in again]
            functions = sum(bool(line.expression.atoms(*_COSTLY)) for line in lines)
            price = (size, functions, sum(s in outputs for s in sources), len(lines))
            if best is None or price < best[0]:
                best = (price, sources, again)
        if best is not None:
            break
    assert best is not None, "the inputs themselves always suffice"
    again = best[2] | _parameter_lines(forward, [*backward, *(line_of[s] for s in best[2])])
    return [line for line in forward if line.symbol in again], best[1]


def _closure(
    wanted: Iterable[TypedSymbol], sources: set[TypedSymbol], line_of: dict[TypedSymbol, Line]
) -> set[TypedSymbol] | None:
    again: set[TypedSymbol] = set()
    pending = list(wanted)
    while pending:
        symbol = pending.pop()
        if symbol in sources or symbol in again:
            continue
        if symbol not in line_of:
            return None
        again.add(symbol)
        pending += [s for s in line_of[symbol].expression.free_symbols if is_row(s)]
    return again


def _parameter_lines(forward: Sequence[Line], users: Iterable[Line]) -> set[TypedSymbol]:
    line_of = {line.symbol: line for line in forward if not axes(line.symbol).rows}
    found: set[TypedSymbol] = set()
    pending = [s for s in _read_by(users) if s in line_of]
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending += [s for s in line_of[symbol].expression.free_symbols if s in line_of]
    return found


# ---- programs


def _program(
    derivation: Derivation,
    direction: Literal["forward", "backward"],
    lines: Sequence[Line],
    saved: tuple[RowScalarSymbol, ...],
    names: Names,
    sources: tuple[TypedSymbol, ...],
    growth: tuple[Growth, ...],
) -> RowProgram:
    definition = derivation.definition
    results = _results(derivation, direction)
    stored = {store.symbol for store in results}
    prologue, epilogue, sums, rows = sorted_out(lines, names)
    stages = stages_of(rows, sums, [store for store in results if axes(store.symbol).rows])
    read = _read_by(lines) | stored
    by_name = dict(zip([e.name for e in definition.inputs], derivation.forward.symbols, strict=True))
    return RowProgram(
        layer=definition.name,
        direction=direction,
        minimum_features=definition.minimum_features,
        rows=tuple(_arguments(derivation, direction, read, sources)),
        parameters=tuple(
            Parameter(entry.name, by_name[entry.name], entry.kind.value, entry.default)  # type: ignore[arg-type]
            for entry in definition.inputs
            if not entry.kind.over_rows and (direction == "forward" or by_name[entry.name] in read)
        ),
        prologue=tuple(prologue),
        stages=tuple(stages),
        epilogue=tuple(epilogue),
        saved=saved,
        results=results,
        optional=tuple(
            (entry.name, entry.default)
            for entry in definition.inputs
            if entry.default is not None and entry.kind is not Kind.CONSTANT
        ),
        growth=grown(growth, lines),
    )


def _results(derivation: Derivation, direction: str) -> tuple[Store, ...]:
    if direction == "forward":
        return tuple(
            Store((name,), symbol)
            for name, symbol in zip(derivation.definition.outputs, derivation.forward.outputs, strict=True)
        )
    value = {equation.symbol: equation.expression for equation in derivation.backward}
    shared: dict[TypedSymbol, list[str]] = {}
    for _, gradient in derivation.gradients:
        same = value[gradient] if _is_alias(value[gradient], derivation) else gradient
        shared.setdefault(same, []).append(gradient.name)
    return tuple(Store(tuple(names), symbol) for symbol, names in shared.items())


def _arguments(
    derivation: Derivation, direction: str, read: set[TypedSymbol], sources: tuple[TypedSymbol, ...]
) -> Iterator[RowArgument]:
    for symbol in derivation.forward.symbols:
        if axes(symbol).rows and direction == "forward":
            yield RowArgument(symbol.name, symbol, "input")
        elif axes(symbol).rows and (symbol in sources or (not is_row(symbol) and symbol in read)):
            yield RowArgument(symbol.name, symbol, "saved input")
    if direction == "forward":
        return
    for name, symbol in zip(derivation.definition.outputs, derivation.forward.outputs, strict=True):
        if symbol in sources:
            yield RowArgument(name, symbol, "saved output")
    for cotangent in derivation.adjoint.cotangents:
        yield RowArgument(cotangent.name, cotangent, "cotangent")
