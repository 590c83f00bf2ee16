"""Errors of a layer at large offsets: the naive form, the two-pass form, PyTorch's module, and the emitted code.

The *naive* form is the definition with every centred reduction multiplied out into raw moments, so that a row is swept
once: `mean((x - mu)**2)` becomes `mean(x**2) - mu**2`. SymPy makes it from the given definition. The *two-pass* form is
the definition as written. Both are evaluated with every operation rounded to the working precision. The reference has
80 digits, and starts from the same rounded inputs. PyTorch's module is the one that the definition's docstring names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.equations import Equation, leading_to
from lngen.algebra.notation import text
from lngen.algebra.notation.plain import WORDS
from lngen.algebra.symbols import Mean, Power, RowScalarSymbol, TypedSymbol, is_row
from lngen.check import counterpart, inputs, reference
from lngen.check.evidence import metric_error
from lngen.check.layer import Array, Case, Checkable, run
from lngen.derivation.from_definition import translate
from lngen.errors import LngenError
from lngen.language.definition import Counterpart, Definition
from lngen.language.oracle.evaluate import FLOAT32, FLOAT64, evaluate
from lngen.language.parsing import parse

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
    naive = naive_form(definition)
    changed = naive is not definition
    base = inputs.ordinary(definition, _ROWS, features, seed=0)
    spread = {entry.name: _standardized(np.asarray(base.inputs[entry.name])) for entry in definition.rows}
    lines = []
    for dtype in dtypes:
        if dtype not in DTYPES:
            raise LngenError(f"stability is tabulated in {' and '.join(DTYPES)}, not in {dtype!r}.")
        for offset in offsets:
            moved = {name: value + offset for name, value in spread.items()}
            case = Case(f"offset {offset:g}", _ROWS, features, {**base.inputs, **moved}, base.cotangents)
            lines.append(_line(layer, naive, case.astype(dtype), dtype, offset, peer))
    note = "" if changed else "no centred reduction: the naive form is the definition as written"
    form = tuple(f"{line.symbol.name} = {text(line.expression)}" for line in _in_raw_moments(definition)[1])
    return StabilityTable(definition.name, _ROWS, features, form, note, tuple(lines), peer.name if peer else None)


def _standardized(x: Array) -> Array:
    # Its mean stays what it is: with whole means the naive form would be exact by luck.
    return np.asarray(x / x.std(-1, keepdims=True))


def _line(
    layer: Checkable, naive: Definition, case: Case, dtype: str, offset: float, peer: Counterpart | None
) -> StabilityRow:
    numbers = FLOAT32 if dtype == "float32" else FLOAT64
    definition = layer.definition.straight_through
    exact = reference.outputs(definition, case)

    def error(outputs: Mapping[str, object]) -> float:
        return max(metric_error(np.asarray(outputs[name]).astype(np.longdouble), exact[name]) for name in exact)

    with np.errstate(all="ignore"):
        return StabilityRow(
            dtype,
            offset,
            error(evaluate(naive, case.inputs, numbers)),
            error(evaluate(definition, case.inputs, numbers)),
            error(run(layer, case).outputs),
            None if peer is None else error(counterpart.outputs(layer.definition, peer, case)),
        )


def naive_form(definition: Definition) -> Definition:
    """Return the definition with centred reductions expanded into raw moments; the same one if it has none.

    >>> from lngen.language.parsing import parse
    >>> centred = parse("def f(x: Row):\\n m = mean(x)\\n v = mean((x - m)**2)\\n return (x - m)/sqrt(1 + v)")
    >>> [line for line in naive_form(centred).canonical().splitlines() if line.startswith("v")]
    ['v: RowScalar = (mean((x ** 2)) + ((-1) * (m ** 2)))']
    """
    lines, changed = _in_raw_moments(definition)
    outputs = (line.symbol for line in lines if line.symbol.name in definition.outputs)
    return _rebuilt(definition, leading_to(outputs, lines)) if changed else definition


def _in_raw_moments(definition: Definition) -> tuple[list[Equation], list[Equation]]:
    """Every line of a definition, centred reductions multiplied out, and those lines that are another way then."""
    forward = translate(definition)
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


def _rebuilt(definition: Definition, lines: Iterable[Equation]) -> Definition:
    arguments = ", ".join(
        f"{entry.name}: {entry.kind.value}" + ("" if entry.default is None else f" = {float(entry.default)!r}")
        for entry in definition.passed
    )
    drawn = [f"    {entry.name} = {entry.draws}" for entry in definition.inputs if entry.draws]
    body = "\n".join([*drawn, *(f"    {line.symbol.name} = {_text(line.expression)}" for line in lines)])
    returned = f"    return {', '.join(definition.outputs)}"
    return parse(f"def {definition.name}({arguments}):\n{body}\n{returned}\n", f"{definition.filename} (naive)")


def _number(value: object) -> str:
    text = str(value)
    return f"({text})" if "/" in text or text.startswith("-") else text


def _text(expression: Expr) -> str:
    """A SymPy expression in the definition language."""
    if expression.is_Symbol:
        return str(expression.name)
    if expression.is_Rational:
        return _number(expression)
    if expression == sympy.pi:
        return "pi"
    arguments = expression.args
    if expression.is_Add:
        return "(" + " + ".join(_text(term) for term in _in_order(arguments)) + ")"
    if expression.is_Mul:
        return "(" + " * ".join(_text(factor) for factor in _in_order(arguments)) + ")"
    if expression.is_Pow and arguments[1] == sympy.Rational(1, 2):
        return f"sqrt({_text(arguments[0])})"
    if expression.is_Pow:
        return f"{_text(arguments[0])}**{_number(arguments[1])}"
    if expression.is_Relational:
        return f"{_text(expression.lhs)} {expression.rel_op} {_text(expression.rhs)}"
    if isinstance(expression, Power):
        return f"({_text(arguments[0])}**({_text(arguments[1])}))"
    if expression.func in WORDS:
        return f"{WORDS[expression.func]}({', '.join(_text(argument) for argument in arguments)})"
    if expression.is_number:
        return repr(float(expression))
    raise LngenError(f"the naive form cannot be written: {expression.func.__name__} has no name in the language.")


def _in_order(arguments: tuple[Expr, ...]) -> list[Expr]:
    """Sort moments before the terms that are subtracted from them, in any order of SymPy."""
    return sorted(arguments, key=lambda e: (not e.is_Rational, e.could_extract_minus_sign(), e.sort_key()))
