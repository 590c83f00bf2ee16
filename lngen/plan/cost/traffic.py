"""Memory traffic of a row program, and of the same formulas with a kernel for every operation.

>>> from lngen.language.parsing import parse
>>> from lngen.plan.planner import plan
>>> from lngen.derivation.simplify import derive
>>> layer = plan(derive(parse('''
... from lngen.language import Row, mean
... def centred(x: Row):
...     return x - mean(x)
... ''')))
>>> forward = cost(layer.forward)
>>> forward.tensors, unfused(layer)[0].tensors
(2, 3)
>>> forward.at(rows=16384, features=768, itemsize=2, accumulate_itemsize=4)
(50331648, 50364416)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import prod

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.equations import Equation, read_by
from lngen.algebra.symbols import D, Reduction, RowSymbol, SumRows, TypedSymbol, axes, is_row
from lngen.plan.cost.operations import Operations, operations, power_multiplications
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.casts import itemsize

ROWS = sympy.Symbol("rows", integer=True, nonnegative=True)
ITEMSIZE = sympy.Symbol("itemsize", integer=True, positive=True)
ACCUMULATE_ITEMSIZE = sympy.Symbol("accumulate_itemsize", integer=True, positive=True)

INTEGER_ITEMSIZE = 8
"""Bytes of an integer, such as a label of PyTorch. A caller may pass a narrower type."""


@dataclass(frozen=True)
class SmallerArray:
    """Array read or written that lacks axes of the rows: those that it has, and its bytes an entry if not the rows'."""

    name: str
    axes: tuple[str, ...]
    own: int | None = None

    def bytes(self, sizes: Mapping[str, int], itemsize: int) -> int:
        """Bytes moved, given the size of each axis and of an entry of rows.

        >>> SmallerArray("scale", ("b", "d")).bytes({"b": 2, "t": 100, "d": 3}, 4)
        24
        """
        return (self.own or itemsize) * prod(sizes[axis] for axis in self.axes)


@dataclass(frozen=True)
class Cost:
    """Cost of one direction.

    `rows_read` and `rows_written` count tensors of the rows' shape. `scalars_read` and `scalars_written` count row
    scalars that are inputs, cotangents or results, in the rows' type. `saved` counts the row scalars saved for
    backward, in the accumulation type. `features` and `numbers` count Features and Scalars read or written.
    `partial_features` and `partial_numbers` are sums over rows, with one partial result for every block of rows.
    `own_rows` and the others are the sizes, in bytes, of those among them that have a type of their own: integers, and
    results that are cast. `smaller` are arrays read or written that lack axes of the rows. Their size is not a formula
    in rows and D, and `bytes` has none of it.
    """

    operations: Operations
    rows_read: int
    rows_written: int
    scalars_read: int
    scalars_written: int
    saved: int
    features: int
    numbers: int
    partial_features: int
    partial_numbers: int
    own_rows: tuple[int, ...] = ()
    own_scalars: tuple[int, ...] = ()
    own_features: tuple[int, ...] = ()
    own_numbers: tuple[int, ...] = ()
    smaller: tuple[SmallerArray, ...] = ()

    @property
    def tensors(self) -> int:
        """Row tensors moved: each is read or written once."""
        return self.rows_read + self.rows_written

    @property
    def row_bytes(self) -> Expr:
        """Bytes moved for an entry of a row."""
        return _bytes(self.tensors, self.own_rows)

    @property
    def scalar_bytes(self) -> Expr:
        """Bytes per row of the row scalars that are inputs, cotangents or results."""
        return _bytes(self.scalars_read + self.scalars_written, self.own_scalars)

    @property
    def bytes(self) -> Expr:
        """Bytes moved, in rows, D, itemsize and accumulate_itemsize; partial sums excluded."""
        scalars = self.scalar_bytes + self.saved_bytes_per_row
        return ROWS * (D * self.row_bytes + scalars) + self.parameter_bytes

    @property
    def saved_bytes_per_row(self) -> Expr:
        """Bytes per row that are kept between forward and backward besides the caller's own arrays."""
        return self.saved * ACCUMULATE_ITEMSIZE

    @property
    def parameter_bytes(self) -> Expr:
        """Bytes of Features and Scalars, once per call."""
        of_rows = D * (self.features - len(self.own_features)) + self.numbers - len(self.own_numbers)
        return ITEMSIZE * of_rows + D * sum(self.own_features) + sum(self.own_numbers)

    @property
    def partial_bytes(self) -> Expr:
        """Bytes that each block of rows writes for the sums over rows."""
        return ACCUMULATE_ITEMSIZE * (D * self.partial_features + self.partial_numbers)

    @property
    def flops(self) -> Expr:
        """Operations, in rows and D."""
        return self.operations.total(ROWS)

    def at(self, rows: int, features: int, itemsize: int, accumulate_itemsize: int) -> tuple[int, int]:
        """Bytes moved and operations done for a shape: `features` is D, sizes are in bytes."""
        values = {ROWS: rows, D: features, ITEMSIZE: itemsize, ACCUMULATE_ITEMSIZE: accumulate_itemsize}
        return int(self.bytes.subs(values)), int(self.flops.subs(values))


def _bytes(count: int, own: tuple[int, ...]) -> Expr:
    """Bytes of an entry of several arrays, some of them of types of their own with these sizes."""
    return (count - len(own)) * ITEMSIZE + sum(own)


@dataclass(frozen=True)
class Unfused:
    """Cost of one direction with a kernel for every operation, each of which reads and writes whole row tensors.

    Backward reads the intermediate rows that forward saved; `kept` counts those that are neither inputs nor outputs.
    Row scalars and parameters are small, and not counted.
    """

    kernels: int
    tensors: int
    kept: int

    @property
    def saved_bytes_per_row(self) -> Expr:
        """Bytes per row of the intermediate rows that are kept for backward."""
        return D * ITEMSIZE * self.kept


def cost(program: RowProgram) -> Cost:
    """The cost of a program in which every row is read once and every result written once."""
    used, casts = program.read(), dict(program.casts)
    given = [*((row.name, row.symbol) for row in program.rows), *((p.name, p.symbol) for p in program.parameters)]
    read = {symbol: name for name, symbol in given if symbol in used}
    made = [(n, store.symbol) for store in program.results for n in store.names if store.symbol not in program.saved]
    own = {name: itemsize(target) for name, target in casts.items()}
    own |= {name: INTEGER_ITEMSIZE for symbol, name in read.items() if symbol.is_integer}
    axes_of = dict(program.smaller)
    taken = [(name, symbol) for symbol, name in read.items() if symbol not in program.saved]

    def whole(pairs: Iterable[tuple[str, TypedSymbol]], rows: bool, features: bool) -> list[str]:
        return [name for name, symbol in pairs if name not in axes_of and axes(symbol) == (rows, features)]

    def sizes(rows: bool, features: bool) -> tuple[int, ...]:
        return tuple(own[name] for name in whole([*taken, *made], rows, features) if name in own)

    return Cost(
        operations=operations(program),
        rows_read=len(whole(taken, True, True)),
        rows_written=len(whole(made, True, True)),
        scalars_read=len(whole(taken, True, False)),
        scalars_written=len(whole(made, True, False)),
        saved=len(program.saved),
        features=len(whole([*taken, *made], False, True)),
        numbers=len(whole([*taken, *made], False, False)),
        partial_features=sum(axes(r.symbol).features for stage in program.stages for r in stage.rows_reductions),
        partial_numbers=sum(not axes(r.symbol).features for stage in program.stages for r in stage.rows_reductions),
        own_rows=sizes(True, True),
        own_scalars=sizes(True, False),
        own_features=sizes(False, True),
        own_numbers=sizes(False, False),
        smaller=tuple(
            SmallerArray(name, axes_of[name], own.get(name)) for name, _ in (*taken, *made) if name in axes_of
        ),
    )


def reductions(program: RowProgram) -> int:
    """Reductions over the feature axis that a row takes; one that only measures rounding is not counted."""
    return sum(len(stage.reductions) for stage in program.stages if not stage.correction)


def unfused(plan: Plan) -> tuple[Unfused, Unfused]:
    """Return the cost of forward and backward, operation by operation.

    The formulas are the simplified ones, so that the difference from `cost` is due to fusing alone.
    """
    derivation = plan.derivation
    forward, backward = derivation.forward.equations, derivation.backward
    made = {q.symbol for q in forward if is_row(q.symbol)} - set(derivation.forward.outputs)
    used = read_by(backward)
    return Unfused(*_kernels(forward), len(made & used)), Unfused(*_kernels(backward), len(made & used))


_Run = Callable[..., None]


def _kernels(equations: Iterable[Equation]) -> tuple[int, int]:
    """Kernels that touch rows, and the row tensors that they move."""
    kernels = tensors = 0
    seen: set[Expr] = set()

    def run(reads: Iterable[Expr], *, result: bool) -> None:
        nonlocal kernels, tensors
        kernels += 1
        tensors += sum(is_row(operand) for operand in set(reads)) + result

    def visit(e: Expr) -> None:
        if e in seen or not e.args or isinstance(e, TypedSymbol):
            return
        seen.add(e)
        for argument in e.args:
            # A sign is free: a term is taken off instead of added.
            visit(-argument if isinstance(e, Add) and argument.as_coeff_Mul()[0] == -1 else argument)
        if isinstance(e, (Reduction, SumRows)):
            if is_row(e.args[0]):
                run([e.args[0]], result=False)
        elif is_row(e):
            _elementwise(e, run)

    for equation in equations:
        expression = equation.expression
        reduction = equation.reduction
        visit(expression if reduction is None else reduction)
    return kernels, tensors


def _elementwise(e: Expr, run: _Run) -> None:
    if isinstance(e, Pow):
        steps = power_multiplications(abs(int(e.exp))) if e.exp.is_Integer else 1
        for _ in range(steps + bool(e.exp.is_negative)):
            run([e.base], result=True)
    elif isinstance(e, (Add, Mul)):
        _chain(e, run)
    else:
        run(e.args, result=True)


def _chain(e: Expr, run: _Run) -> None:
    """Count a sum or product of n operands as n - 1 kernels; operands that are not rows are combined first, at no
    cost.
    """
    rows = [argument for argument in e.args if is_row(argument)]
    others = [argument for argument in e.args if not is_row(argument) and argument != -1]
    if len(rows) == 1 and not others:
        run(rows, result=True)
        return
    if not rows:
        return
    partial: Expr = rows[0]
    for operand in [*others[:1], *rows[1:]]:
        run([partial, operand], result=True)
        # The running result is a row tensor of its own.
        partial = RowSymbol("_")
