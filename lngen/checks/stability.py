"""Errors of a layer at large offsets: the naive form, the two-pass form, PyTorch's module, and the emitted code.

The *naive* form is the definition with every centred reduction multiplied out into raw moments, so that a row is swept
once: `mean((x - mu)**2)` becomes `mean(x**2) - mu**2`. SymPy makes it from the given definition. The *two-pass* form is
the definition as written. NumPy evaluates both in the working precision. The reference has 80 digits, and starts from
the same rounded inputs. PyTorch's module is the one that the definition's docstring names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.notation import text
from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import Mean, RowScalarSymbol, TypedSymbol, is_row
from lngen.checks import counterpart, inputs, reference
from lngen.checks.derived import arguments, shaped
from lngen.checks.evidence import metric_error
from lngen.checks.layer import Array, Case, Checkable, run
from lngen.derivation.from_definition import translate
from lngen.errors import LngenError
from lngen.language.definition import Counterpart, Definition

OFFSETS = tuple(10.0**k for k in range(2, 15))
DTYPES = ("float32", "float64")
_ROWS = 2


@dataclass(frozen=True)
class StabilityRow:
    """Errors of the outputs at one offset, in the metric of `evidence.metric_error`."""

    dtype: str
    offset: float
    naive: float
    two_pass: float
    emitted: float
    torch: float | None = None


@dataclass(frozen=True)
class StabilityTable:
    """All offsets and types; `note` says so where the naive form is the definition itself.

    `torch` is the name of the evaluated module of PyTorch, None without one.
    """

    layer: str
    rows: int
    features: int
    naive_form: tuple[str, ...]
    note: str
    lines: tuple[StabilityRow, ...]
    torch: str | None = None


def stability(
    layer: Checkable,
    offsets: Iterable[float] = OFFSETS,
    dtypes: Iterable[str] = DTYPES,
    features: int = 256,
    *,
    torch: bool = False,
) -> StabilityTable:
    """Tabulate the error of the outputs for rows of deviation one and a mean of `offset`.

    `torch` adds PyTorch's module. Raises LngenError for a dtype other than float32 and float64, and for `torch` where
    the definition names no module or PyTorch is not installed.
    """
    definition = layer.definition
    peer = counterpart.counterpart(definition) if torch else None
    forward = translate(definition.straight_through)
    naive, changed = in_raw_moments(forward)
    base = inputs.ordinary(definition, _ROWS, features, seed=0)
    spread = {entry.name: _standardized(np.asarray(base.inputs[entry.name])) for entry in definition.rows}
    lines = []
    for dtype in dtypes:
        if dtype not in DTYPES:
            raise LngenError(f"stability is tabulated in {' and '.join(DTYPES)}, not in {dtype!r}.")
        for offset in offsets:
            moved = {name: value + offset for name, value in spread.items()}
            case = Case(f"offset {offset:g}", _ROWS, features, {**base.inputs, **moved}, base.cotangents)
            stored = case.astype(dtype)
            lines.append(_line(layer, forward, naive, stored, dtype, offset, peer))
            if not any(np.ptp(stored.inputs[name], axis=-1).any() for name in moved):
                break  # nor does the type hold a deviation beside larger offsets
    note = "" if changed else "no centred reduction: the naive form is the definition as written"
    form = tuple(f"{line.symbol.name} = {text(line.expression)}" for line in changed)
    return StabilityTable(definition.name, _ROWS, features, form, note, tuple(lines), peer.name if peer else None)


def _standardized(x: Array) -> Array:
    # Its mean stays what it is: with whole means the naive form would be exact by luck.
    return np.asarray(x / x.std(-1, keepdims=True))


def _line(
    layer: Checkable,
    forward: Forward,
    naive: Sequence[Equation],
    case: Case,
    dtype: str,
    offset: float,
    peer: Counterpart | None,
) -> StabilityRow:
    definition = layer.definition.straight_through
    exact = reference.outputs(definition, case)

    def error(outputs: Mapping[str, object]) -> float:
        return max(metric_error(np.asarray(outputs[name]).astype(np.longdouble), exact[name]) for name in exact)

    with np.errstate(all="ignore"):
        return StabilityRow(
            dtype,
            offset,
            error(outputs(definition, forward, naive, case)),
            error(outputs(definition, forward, forward.equations, case)),
            error(run(layer, case).outputs),
            None if peer is None else error(counterpart.outputs(layer.definition, peer, case)),
        )


def outputs(definition: Definition, forward: Forward, lines: Iterable[Equation], case: Case) -> dict[str, Array]:
    """Return the outputs by some lines for those of a forward, in the type of a case's rows."""
    first = np.asarray(case.inputs[definition.rows[0].name])
    values = evaluate_equations(lines, arguments(forward, case.inputs, first), Arithmetic(dtype=first.dtype))
    named = zip(definition.outputs, forward.outputs, strict=True)
    return {name: shaped(values[symbol], definition.output_kind(name), *first.shape) for name, symbol in named}


def in_raw_moments(forward: Forward) -> tuple[list[Equation], list[Equation]]:
    """Return the lines of a forward with centred reductions expanded into raw moments, and those that are another then.

    >>> from lngen.language.parsing import parse
    >>> centred = parse("def f(x: Row):\\n m = mean(x)\\n v = mean((x - m)**2)\\n return (x - m)/sqrt(1 + v)")
    >>> [text(line.expression) for line in in_raw_moments(translate(centred))[1]]
    ['mean(x**2) - m**2']
    """
    elementwise = {e.symbol: e.expression for e in forward.equations if is_row(e.symbol)}
    means: dict[Expr, TypedSymbol] = {}
    lines: list[Equation] = []
    changed: list[Equation] = []
    for equation in forward.equations:
        raw = _raw_moments(equation, elementwise, means)
        line = equation if raw is None else replace(equation, expression=raw)
        if isinstance(line.expression, Mean):
            means[line.expression] = equation.symbol
        lines.append(line)
        changed += [] if raw is None else [line]
    return lines, changed


def _raw_moments(
    equation: Equation, elementwise: Mapping[TypedSymbol, Expr], means: Mapping[Expr, TypedSymbol]
) -> Expr | None:
    """The reduction of an equation by raw moments, or None if it is not a polynomial in a centred row."""
    reduction = equation.reduction
    if not isinstance(reduction, Mean):
        return None
    body = reduction.args[0]
    while body.free_symbols & elementwise.keys():
        body = body.xreplace(elementwise)
    rows = sorted((s for s in body.free_symbols if is_row(s)), key=lambda s: s.name)
    scalars = {s for s in body.free_symbols if isinstance(s, RowScalarSymbol)}
    if not rows or not scalars & set(means.values()) or not body.is_polynomial(*rows):
        return None
    split = sympy.S.Zero
    for term in sympy.Add.make_args(sympy.expand(body)):
        outside, inside = term.as_independent(*rows, as_Add=False)
        features = [f for f in sympy.Mul.make_args(outside) if f.free_symbols and _over_features(f)]
        inside = sympy.Mul(inside, *features)
        outside = sympy.Mul(*(f for f in sympy.Mul.make_args(outside) if f not in features))
        moment = Mean(inside) if inside.free_symbols & set(rows) or features else sympy.S.One
        split += outside * means.get(moment, moment)
    return sympy.expand(equation.expression.xreplace({reduction: split}))


def _over_features(expression: Expr) -> bool:
    return any(symbol.varies.features for symbol in expression.free_symbols if isinstance(symbol, TypedSymbol))
