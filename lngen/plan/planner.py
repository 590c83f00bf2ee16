"""A derivation becomes two row programs, forward and backward.

Three decisions are made here, each by a rule that holds for every layer:

* *Once a row, once a call.* What does not vary over features is computed once a row, and what is made of parameters
  alone once a call.
* *What backward reads.* Row values are recomputed from the fewest tensors: from the inputs, or from an output
  where that spares a tensor or a transcendental function. Row scalars of the forward are saved, a few bytes a row.
* *A mean used as a shift is corrected.* For `c = x - m` with `m = Mean(x)`, the mean of c is zero; whatever it is
  in floating point is the rounding error of m, so it is measured and taken off. A large offset then costs no
  digits, and m is saved as value and correction.

Which stage a line runs in is decided by `lngen.plan.stages`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from sympy import Add

from lngen.derivation.derivation import Derivation
from lngen.derivation.from_definition import Equation, Names
from lngen.derivation.simplify.linear import show_sums
from lngen.expressions.growth import Growth
from lngen.expressions.symbols import (
    Mean,
    RowScalarSymbol,
    RowSymbol,
    StopGradient,
    TypedSymbol,
    axes,
    heads_that,
    is_row,
)
from lngen.plan.balance import in_range, met_by_readers
from lngen.plan.lines import Line, read_by, without_nested_reductions
from lngen.plan.program import (
    RowArgument,
    RowProgram,
    Store,
)
from lngen.plan.stages import program_of, stores_of

_COSTLY = heads_that(lambda entry: entry.roundings)


@dataclass(frozen=True)
class Plan:
    """The directions of a layer, and the derivation they come from.

    `jvp` and `backward_backward` are None until `lngen.plan.secondary` plans them.
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
    stores, taken = stores_of(
        [(gradient.name, gradient) for _, gradient in derivation.gradients],
        {equation.symbol: equation.expression for equation in derivation.backward},
    )
    backward_lines = without_nested_reductions(
        [_line(q, steps) for q in derivation.backward if q.symbol not in taken],
        names,
    )
    gradients = [gradient for _, gradient in derivation.gradients]
    backward_lines = in_range(met_by_readers(backward_lines, growth, names, gradients), growth, names)
    needed, sources = _recomputed(derivation, forward_lines, backward_lines)
    saved = tuple(
        line.symbol
        for line in forward_lines
        if isinstance(line.symbol, RowScalarSymbol) and line.symbol in read_by([*needed, *backward_lines])
    )
    forward_lines, backward_lines, saved = _kept_apart(
        derivation, forward_lines, [*needed, *backward_lines], saved, names
    )
    outputs = list(zip(derivation.definition.outputs, derivation.forward.outputs, strict=True))
    inputs = [RowArgument(s.name, s, "input") for s in derivation.forward.symbols if axes(s).rows]
    written = tuple(Store((name,), symbol) for name, symbol in outputs)
    read = read_by(backward_lines) | {store.symbol for store in stores}
    return Plan(
        derivation,
        program_of(
            derivation, "forward", forward_lines, names, rows=inputs, saved=saved, results=written, growth=growth
        ),
        program_of(
            derivation,
            "backward",
            backward_lines,
            names,
            rows=_read_rows(derivation, read, sources),
            saved=saved,
            results=stores,
            growth=growth,
        ),
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


# ---- what backward reads


def _recomputed(
    derivation: Derivation, forward: Sequence[Line], backward: Sequence[Line]
) -> tuple[list[Line], tuple[TypedSymbol, ...]]:
    """The forward lines that backward computes again, and the row values it reads for that."""
    line_of = {line.symbol: line for line in forward}
    wanted = sorted(
        (s for s in read_by(backward) if is_row(s) and (s in line_of or s in derivation.forward.symbols)),
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
    pending = [s for s in read_by(users) if s in line_of]
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending += [s for s in line_of[symbol].expression.free_symbols if s in line_of]
    return found


def _read_rows(
    derivation: Derivation, read: set[TypedSymbol], sources: tuple[TypedSymbol, ...]
) -> Iterator[RowArgument]:
    """What backward reads of each row, given what its lines read and the row values chosen as sources."""
    for symbol in derivation.forward.symbols:
        if axes(symbol).rows and (symbol in sources or (not is_row(symbol) and symbol in read)):
            yield RowArgument(symbol.name, symbol, "saved input")
    for name, symbol in zip(derivation.definition.outputs, derivation.forward.outputs, strict=True):
        if symbol in sources:
            yield RowArgument(name, symbol, "saved output")
    for cotangent in derivation.adjoint.cotangents:
        yield RowArgument(cotangent.name, cotangent, "cotangent")
