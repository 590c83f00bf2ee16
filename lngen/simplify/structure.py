"""The normal form of a forward: unnamed structure gets a name, so that spelling does not matter.

A one-line definition and a six-line one say the same thing; here they become the same equations. Four kinds of
structure are found and named, wherever they stand:

* a *reduction*: `m = Mean(body)`;
* a *row-scalar factor* that is a root, a reciprocal or a function: `rstd = (var + eps)**(-1/2)`;
* a *centred* row: a row value plus row scalars of the same row, `x - mu`;
* a *scaled* row: a row value times factors that are never zero, `(x - mu)*rstd`;

and every function of a row value (`tanh(u)`), so that its derivative can be written with its value.

What the user named keeps the user's name. A name that serves nothing but to be used once is written out again.
"""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Add, Expr, Mul, Pow
from sympy.core.relational import Relational

from lngen.symbolic import (
    Mean,
    Reduction,
    StopGradient,
    TypedSymbol,
    Where,
    axes,
    is_row,
    symbol_like,
)
from lngen.translate import Equation, Forward, Names, known_sign, reduction_name

_CHEAP = (sympy.Abs, sympy.sign, StopGradient, Where)


def normal_form(forward: Forward) -> Forward:
    """The same mathematics with all structure named; see the module's docstring.

    >>> from lngen.definition import parse
    >>> from lngen.translate import translate
    >>> text = '''
    ... from lngen.language import Row, Constant, mean, sqrt
    ... def one_line(x: Row, eps: Constant = 1e-5):
    ...     return (x - mean(x)) / sqrt(mean((x - mean(x))**2) + eps)
    ... '''
    >>> for equation in normal_form(translate(parse(text))).equations:
    ...     print(equation.symbol, "=", equation.expression)
    mu = Mean(x)
    x_centred = -mu + x
    var = Mean(x_centred**2)
    rstd = 1/sqrt(var + eps)
    y = rstd*x_centred
    """
    return _Structure(forward).result()


class _Structure:
    def __init__(self, forward: Forward) -> None:
        self.forward = forward
        self.names = Names(
            [symbol.name for symbol in forward.symbols]
            + [equation.symbol.name for equation in forward.equations if equation.named]
        )
        self.equations: list[Equation] = []
        self.symbol_of: dict[Expr, TypedSymbol] = {}
        self.body_of: dict[TypedSymbol, Expr] = {}
        self.depends: dict[TypedSymbol, frozenset[TypedSymbol]] = {}
        self.rename: dict[TypedSymbol, TypedSymbol] = {}
        self.optional_names: set[TypedSymbol] = set()
        for symbol in forward.symbols:
            self.depends[symbol] = frozenset([symbol] if axes(symbol).rows else [])

    def result(self) -> Forward:
        environment: dict[TypedSymbol, Expr] = {}
        for equation in self.forward.equations:
            environment[equation.symbol] = self._statement(equation, environment)
        outputs = []
        for output in self.forward.outputs:
            value = environment.get(output, output)
            if not isinstance(value, TypedSymbol) or value in self.forward.symbols:
                value = self._define(value, output.name, reuse=False)
            outputs.append(value)
        return self._tidy(outputs)

    # ---- statements

    def _statement(self, equation: Equation, environment: dict[TypedSymbol, Expr]) -> Expr:
        expression = equation.expression.xreplace(environment)
        if equation.reduction is not None:
            coefficient = equation.expression / equation.reduction
            value: Expr = self._reduction(equation.reduction.xreplace(environment), coefficient, equation)
        elif is_row(expression):
            value = self._row(expression)
            if not isinstance(value, TypedSymbol):
                value = self._define(value, equation.symbol.name)
                self.optional_names.add(value)
        elif axes(expression).rows:
            value = self._row_scalar(expression)
        else:
            value = self._define(expression, equation.symbol.name)
            self.optional_names.add(value)
        if equation.named and isinstance(value, TypedSymbol) and value not in self.forward.symbols:
            self.rename.setdefault(value, _renamed(value, equation.symbol.name))
        return value

    def _reduction(self, reduction: Reduction, coefficient: Expr, equation: Equation) -> TypedSymbol:
        body = reduction.args[0]
        body = self._row(body) if is_row(body) else body
        rows = [symbol for symbol in body.free_symbols if is_row(symbol)]
        mixed = len(rows) > 1 or any(axes(s).features and not axes(s).rows for s in body.free_symbols)
        if isinstance(body, Add) and mixed:
            body = self._define(body, self.names.fresh("total"))
        expression = coefficient * reduction.func(body)
        symbol = self._define(expression, self._reduction_name(reduction.func(body), equation))
        self.body_of[symbol] = body
        if equation.stopped:
            self.equations = [replace(q, stopped=True) if q.symbol == symbol else q for q in self.equations]
        return symbol

    def _reduction_name(self, reduction: Reduction, equation: Equation) -> str:
        if equation.named:
            return equation.symbol.name
        body = reduction.args[0]
        defined = {q.symbol: q.expression for q in self.equations}
        if isinstance(body, Pow) and body.exp == 2 and isinstance(defined.get(body.base), Add):
            return self.names.fresh("var")
        if isinstance(body, TypedSymbol) and defined.get(body, body).is_Function:
            return self.names.fresh(f"mean_{body.name}")
        return self.names.fresh(reduction_name(reduction))

    # ---- row values

    def _row(self, e: Expr) -> Expr:
        if not axes(e).rows or isinstance(e, TypedSymbol):
            return e
        if not axes(e).features:
            return self._row_scalar(e)
        if isinstance(e, Relational):
            return e.func(*(self._row(argument) for argument in e.args))
        if isinstance(e, Mul):
            return self._product(e)
        if isinstance(e, Add):
            return self._sum(e)
        if isinstance(e, Pow) and e.exp.is_Integer:
            base = self._row(e.base)
            return base**e.exp
        arguments = [self._row(argument) for argument in e.args]
        if isinstance(e, _CHEAP):
            return e.func(*arguments)
        if not isinstance(arguments[0], TypedSymbol):
            arguments[0] = self._define(arguments[0], self.names.fresh("u"))
        return self._define(e.func(*arguments), self.names.fresh(_function_name(e, arguments[0])))

    def _product(self, e: Mul) -> Expr:
        rows = [self._row(factor) for factor in e.args if is_row(factor)]
        scalars = [self._factor(factor) for factor in e.args if axes(factor) == (True, False)]
        others = [factor for factor in e.args if not axes(factor).rows]
        for i, row in enumerate(rows):
            if not isinstance(row, TypedSymbol):
                continue
            scales = [s for s in scalars if s.is_nonzero and self._related(s, row)]
            if scales:
                scalars = [s for s in scalars if s not in scales]
                root = self._root(row)
                rows[i] = self._define(Mul(row, *scales), self.names.fresh(f"{root.name}hat"))
                break
        return Mul(*others, *scalars, *rows)

    def _sum(self, e: Add) -> Expr:
        content, primitive = e.primitive()
        if content != 1:
            inner = self._sum(primitive)
            return content * inner
        terms = [self._row(term) for term in e.args]
        terms = list(Add.make_args(Add(*terms)))
        scalars = [term for term in terms if axes(term) == (True, False)]
        for shift in scalars:
            symbols = [s for s in shift.free_symbols if axes(s).rows]
            body = self.body_of.get(symbols[0]) if len(symbols) == 1 else None
            whole = next((q for q in self.equations if q.symbol == body), None)
            if whole is not None and isinstance(whole.expression, Add):
                parts = whole.expression.args
                if all(part in terms for part in parts):
                    terms = [term for term in terms if term not in parts] + [whole.symbol]
        rows = sorted((t for t in terms if isinstance(t, TypedSymbol) and is_row(t)), key=lambda s: s.name)
        rows += sorted((-t for t in terms if is_row(t) and isinstance(-t, TypedSymbol)), key=lambda s: s.name)
        for row in rows:
            sign = 1 if row in terms else -1
            shifts = [s for s in scalars if self._related(s, row)]
            if shifts:
                means = all(isinstance(q.reduction, Mean) for s in shifts for q in self.equations if q.symbol == -sign * s)
                centred = self._define(
                    row + Add(*(sign * s for s in shifts)),
                    self.names.fresh(f"{self._root(row).name}_{'centred' if means else 'shifted'}"),
                )
                rest = [t for t in terms if t not in shifts and t != sign * row]
                return Add(*rest) + sign * centred
        return Add(*terms)

    # ---- row scalars

    def _row_scalar(self, e: Expr) -> Expr:
        if isinstance(e, TypedSymbol) or not axes(e).rows:
            return e
        if isinstance(e, Relational):
            return e.func(*(self._row_scalar(argument) for argument in e.args))
        if isinstance(e, Pow) and not e.exp.is_Integer:
            root = sympy.Rational(1 if e.exp > 0 else -1, e.exp.q)
            name = {(1, 2): "std", (-1, 2): "rstd"}.get((root.p, root.q), "root" if root > 0 else "scale")
            symbol = self._define(self._row_scalar(e.base) ** root, self.names.fresh(name))
            return symbol ** abs(e.exp.p)
        arguments = [self._row_scalar(argument) for argument in e.args]
        rebuilt = e.func(*arguments)
        if isinstance(e, (Add, Mul, Pow, *_CHEAP)):
            return rebuilt
        return self._define(rebuilt, self.names.fresh(_function_name(e, arguments[0])))

    def _factor(self, e: Expr) -> Expr:
        inner = self._row_scalar(e)
        if isinstance(inner, Pow) and inner.exp.is_Integer and inner.exp < 0:
            base = inner.base
            name = f"inv_{base.name}" if isinstance(base, TypedSymbol) else "scale"
            symbol = self._define(1 / base, self.names.fresh(name))
            return symbol ** (-inner.exp)
        return inner

    # ---- bookkeeping

    def _define(self, expression: Expr, name: str, *, reuse: bool = True) -> TypedSymbol:
        if reuse and expression in self.symbol_of:
            return self.symbol_of[expression]
        symbol = symbol_like(name, expression, **known_sign(expression))
        self.symbol_of.setdefault(expression, symbol)
        self.equations.append(Equation(symbol, expression))
        self.depends[symbol] = frozenset().union(
            *(self.depends.get(s, frozenset()) for s in expression.free_symbols)
        )
        return symbol

    def _related(self, scalar: Expr, row: TypedSymbol) -> bool:
        depends: frozenset[TypedSymbol] = frozenset().union(
            *(self.depends.get(s, frozenset()) for s in scalar.free_symbols)
        )
        return bool(depends & self.depends[row])

    def _root(self, symbol: TypedSymbol) -> TypedSymbol:
        equation = next((q for q in self.equations if q.symbol == symbol), None)
        if equation is None or equation.reduction is not None:
            return symbol
        rows = [s for s in equation.expression.free_symbols if is_row(s)]
        simple = isinstance(equation.expression, (Add, Mul)) and len(rows) == 1
        return self._root(rows[0]) if simple else symbol

    def _tidy(self, outputs: list[TypedSymbol]) -> Forward:
        equations, optional = self.equations, self.optional_names - set(outputs)
        reduced = set(self.body_of.values())
        while True:
            uses: dict[TypedSymbol, int] = {}
            for equation in equations:
                for symbol in equation.expression.free_symbols:
                    uses[symbol] = uses.get(symbol, 0) + 1
            needed = [q for q in equations if q.symbol in uses or q.symbol in outputs]
            once = next(
                (q for q in needed if q.symbol in optional and uses[q.symbol] == 1 and q.symbol not in reduced),
                None,
            )
            if once is None and len(needed) == len(equations):
                break
            equations = needed
            if once is not None:
                inline = {once.symbol: once.expression}
                equations = [
                    replace(q, expression=q.expression.xreplace(inline)) for q in equations if q is not once
                ]
        kept = {q.symbol for q in equations}
        rename = {old: new for old, new in self.rename.items() if old in kept}
        return Forward(
            self.forward.layer,
            self.forward.inputs,
            self.forward.symbols,
            tuple(
                Equation(
                    rename.get(q.symbol, q.symbol),
                    q.expression.xreplace(rename),
                    q.symbol in rename,
                    q.stopped,
                )
                for q in equations
            ),
            tuple(rename.get(symbol, symbol) for symbol in outputs),
        )


def _renamed(symbol: TypedSymbol, name: str) -> TypedSymbol:
    known = {key: True for key in ("positive", "nonnegative", "nonzero") if getattr(symbol, f"is_{key}")}
    known = {key: True for key in ("positive",) if key in known} or known
    return type(symbol)(name, **known)


def _function_name(e: Expr, argument: Expr) -> str:
    stem = "root" if isinstance(e, Pow) else type(e).__name__.lower()
    words = sorted(symbol.name for symbol in argument.free_symbols if axes(symbol).rows)
    return "_".join([stem, *words[:2]])

