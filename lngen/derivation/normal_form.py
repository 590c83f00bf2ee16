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

from collections.abc import Collection, Sequence
from dataclasses import replace

import sympy
from sympy import Add, Expr, Mul, Pow
from sympy.core.relational import Relational

from lngen.algebra.equations import Equation, Forward, Names, leading_to
from lngen.algebra.reductions import known_sign
from lngen.algebra.symbols import (
    D,
    Mean,
    Reduction,
    Sigmoid,
    StopGradient,
    TypedSymbol,
    Where,
    axes,
    is_row,
    renamed,
    symbol_like,
)
from lngen.derivation.inline import inlined, with_symbols
from lngen.derivation.naming import function_name, statistic_name
from lngen.derivation.rules.linearity import powers_of_sums, tree_size

_CHEAP = (sympy.Abs, sympy.sign, StopGradient, Where)


def named_structure(forward: Forward) -> tuple[Forward, dict[TypedSymbol, Expr]]:
    """The same mathematics with all structure named, and what each symbol of the given forward is in it.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = '''
    ... from lngen.language import Row, Constant, mean, sqrt
    ... def one_line(x: Row, eps: Constant = 1e-5):
    ...     return (x - mean(x)) / sqrt(mean((x - mean(x))**2) + eps)
    ... '''
    >>> for equation in named_structure(translate(parse(text)))[0].equations:
    ...     print(equation.symbol, "=", equation.expression)
    mu = Mean(x)
    x_centred = -mu + x
    var = Mean(x_centred**2)
    rstd = 1/sqrt(var + eps)
    y = rstd*x_centred
    """
    structure = _Structure(name_centred_bodies(forward))
    normal = structure.result()
    return normal, structure.meaning(normal)


class _Structure:
    def __init__(self, forward: Forward) -> None:
        self.forward = forward
        self.names = Names.of(forward)
        self.equations: list[Equation] = []
        # A value includes whether gradients flow through it: the same maximum may be a shift and a feature.
        self.symbol_of: dict[tuple[Expr, bool], TypedSymbol] = {}
        self.body_of: dict[TypedSymbol, Expr] = {}
        self.depends: dict[TypedSymbol, frozenset[TypedSymbol]] = {}
        self.rename: dict[TypedSymbol, TypedSymbol] = {}
        self.environment: dict[TypedSymbol, Expr] = {}
        self.user_named: set[TypedSymbol] = set()
        self.optional_names: set[TypedSymbol] = set()
        for symbol in forward.symbols:
            self.depends[symbol] = frozenset([symbol] if axes(symbol).rows else [])

    def result(self) -> Forward:
        environment = self.environment
        for equation in self.forward.equations:
            environment[equation.symbol] = self._statement(equation, environment)
        outputs: list[TypedSymbol] = []
        for output in self.forward.outputs:
            value = environment.get(output, output)
            if type(value) is not type(output) or value in outputs or value in self.forward.symbols:
                # Another output may have come to the value that has this one's name.
                taken = any(equation.symbol.name == output.name for equation in self.equations)
                name = self.names.fresh(output.name) if taken else output.name
                value = self._define(value, name, like=output, reuse=False)
            # The output's name is the output's alone, also where its value had it before.
            self.rename = {old: new for old, new in self.rename.items() if new.name != output.name}
            for symbol in (q.symbol for q in self.equations if q.symbol.name == output.name):
                self.rename.setdefault(symbol, renamed(symbol, self.names.fresh(output.name)))
            self.rename[value] = renamed(value, output.name)
            self.user_named.add(value)
            outputs.append(value)
        return self._tidy(outputs)

    def meaning(self, normal: Forward) -> dict[TypedSymbol, Expr]:
        """Map each symbol of the given forward to its expression in the normal form."""
        kept = {equation.symbol for equation in normal.equations}
        gone = {q.symbol: q.expression for q in self.equations if self.rename.get(q.symbol, q.symbol) not in kept}
        result: dict[TypedSymbol, Expr] = {}
        for symbol, value in self.environment.items():
            while value.free_symbols & gone.keys():
                value = value.xreplace(gone)
            result[symbol] = value.xreplace(self.rename)
        return result

    # ---- statements

    def _statement(self, equation: Equation, environment: dict[TypedSymbol, Expr]) -> Expr:
        try:
            expression = equation.expression.xreplace(environment)
        except TypeError as error:  # SymPy's, for a comparison that a value now decides
            if "non-real" not in str(error):
                raise
            expression = sympy.nan
        reduction = replace(equation, expression=expression).reduction
        value: Expr
        if reduction is not None:
            value = self._reduction(reduction, expression / reduction, equation)
        elif equation.stopped:
            value = self._define(expression, equation.symbol.name, stopped=True)
        elif is_row(expression):
            value = self._row(expression)
            if is_row(value) and not isinstance(value, TypedSymbol):
                value = self._define(value, equation.symbol.name)
                self.optional_names.add(value)
        elif axes(expression).rows:
            value = self._row_scalar(expression)
            # The terms of a statistic are met one by one, those of a sum of inputs are added first.
            given = isinstance(value, Add) and value.free_symbols <= {D, *self.forward.symbols}
            if given or isinstance(value, StopGradient) or is_long(value) or powers_of_sums(value) > 1:
                value = self._define(value, equation.symbol.name)
        elif isinstance(expression, TypedSymbol) or expression.is_number:
            value = expression
        else:
            value = self._define(expression, equation.symbol.name)
            self.optional_names.add(value)
        if isinstance(value, TypedSymbol) and value not in self.forward.symbols:
            if equation.named and value not in self.user_named:
                self.user_named.add(value)
                self.rename[value] = renamed(value, equation.symbol.name)
            elif is_row(value):
                # A row that an earlier rule named: its step speaks of that name.
                self.rename.setdefault(value, renamed(value, equation.symbol.name))
        return value

    def _reduction(self, reduction: Reduction, coefficient: Expr, equation: Equation) -> Expr:
        body = reduction.args[0]
        body = self._row(body) if is_row(body) else body
        if isinstance(body, Pow) and is_row(body.base) and not isinstance(body.base, TypedSymbol):
            # Then the power is a statistic of a row that has a name.
            body = self._define(body.base, self.names.fresh("u")) ** body.exp
        rows = [symbol for symbol in body.free_symbols if is_row(symbol)]
        mixed = len(rows) > 1 or any(axes(s).features and not axes(s).rows for s in body.free_symbols)
        if isinstance(body, Add) and mixed:
            body = self._define(body, self.names.fresh("total"))
        reduced = reduction.func(body)
        if not isinstance(reduced, Reduction):
            # The reduced value turned out not to vary over features.
            return self._row_scalar(coefficient * reduced)
        name = equation.symbol.name if equation.named else self._reduction_name(reduced, equation)
        symbol = self._define(coefficient * reduced, name, stopped=equation.stopped)
        self.body_of[symbol] = body
        return symbol

    def _reduction_name(self, reduction: Reduction, equation: Equation) -> str:
        # By what the values in it are called in the end.
        written = {new: old for old, new in self.rename.items()}
        shown = reduction.xreplace(self.rename)
        wanted = statistic_name(
            shown, equation, lambda value: self._value(written.get(value, value)), self.forward.spoken_for
        )
        return wanted if wanted == equation.symbol.name else self.names.fresh(wanted)

    # ---- row values

    def _row(self, e: Expr) -> Expr:
        value = self._row_value(e)
        return self.symbol_of.get((value, False), value)

    def _row_value(self, e: Expr) -> Expr:
        if not axes(e).rows or isinstance(e, TypedSymbol):
            return e
        if not axes(e).features:
            return self._row_scalar(e)
        if isinstance(e, Relational):
            return e.func(*map(self._row, e.args))
        if isinstance(e, Mul):
            return self._product(e)
        if isinstance(e, Add):
            return self._sum(e)
        if isinstance(e, Pow) and e.exp.is_Integer:
            return self._row(e.base) ** e.exp
        arguments = [self._row(argument) for argument in e.args]
        if isinstance(e, _CHEAP):
            return e.func(*arguments)
        if not isinstance(arguments[0], TypedSymbol):
            arguments[0] = self._define(arguments[0], self.names.fresh("u"))
        name = function_name(e, arguments[0].xreplace(self.rename))
        return self._define(e.func(*arguments), self.names.fresh(name))

    def _product(self, e: Mul) -> Expr:
        rows = [self._row(factor) for factor in e.args if is_row(factor)]
        scalars = [self._factor(factor) for factor in e.args if axes(factor) == (True, False)]
        others = [factor for factor in e.args if not axes(factor).rows]
        for i, factor in enumerate(rows):
            row, power = factor.as_base_exp()
            if not isinstance(row, TypedSymbol) or not power.is_Integer or power < 1:
                continue
            # `(r*x)**2` is r**2*x**2 to SymPy, and r*x is a value of the layer all the same.
            scales = {s: s ** (1 / power) for s in scalars if s.is_nonzero and self._related(s, row)}
            scales = {s: root for s, root in scales.items() if power == 1 or came_out_even(root)}
            if scales:
                scalars = [s for s in scalars if s not in scales]
                stem = self._root(row).name
                hat = f"{stem}_scaled" if "_" in stem else f"{stem}hat"
                rows[i] = self._define(Mul(row, *scales.values()), self.names.fresh(hat)) ** power
                break
        return Mul(*others, *scalars, *self._gated(rows))

    def _gated(self, rows: list[Expr]) -> list[Expr]:
        """The factors of a product, a row and a function of that row as one: `z*sigmoid(z)` is `silu_z`."""
        for gate in rows:
            function = self._value(gate)
            if function is not None and function.is_Function and function.args[0] in rows:
                row = function.args[0]
                name = f"silu_{row}" if isinstance(function, Sigmoid) else f"{row}_{function_name(function, row)}"
                product = self._define(row * gate, self.names.fresh(name))
                return self._gated([product, *(other for other in rows if other not in (row, gate))])
        return rows

    def _sum(self, e: Add) -> Expr:
        content, primitive = e.primitive()
        if content != 1:
            inner = self._sum(primitive)
            return content * inner
        terms = [self._row(term) for term in e.args]
        terms = list(Add.make_args(Add(*terms)))
        scalars = [term for term in terms if axes(term) == (True, False)]
        rows = sorted((t for t in terms if isinstance(t, TypedSymbol) and is_row(t)), key=lambda s: s.name)
        rows += sorted((-t for t in terms if is_row(t) and isinstance(-t, TypedSymbol)), key=lambda s: s.name)
        for row in rows:
            sign = 1 if row in terms else -1
            shifts = [s for s in scalars if self._related(s, row)]
            row, shifts, terms = self._known_shift(row, sign, shifts, terms)
            if shifts:
                own = [q for s in shifts for q in self.equations if q.symbol == -sign * s]
                means = all(isinstance(q.reduction, Mean) for q in own)
                name = f"{self._root(row).name}_{'centred' if means else 'shifted'}"
                centred = self._define(row + Add(*(sign * s for s in shifts)), self.names.fresh(name))
                rest = [t for t in terms if t not in shifts and t != sign * row]
                return Add(*rest) + sign * centred
        return Add(*terms)

    def _known_shift(
        self, row: TypedSymbol, sign: int, shifts: list[Expr], terms: list[Expr]
    ) -> tuple[TypedSymbol, list[Expr], list[Expr]]:
        """Write `x - m - s` as `c - s` where `c = x - m` has a name.

        Return the row (c in the place of x), the shifts left (s), and all terms of the sum with c; `sign` is that of
        the row in the sum.
        """
        for shift in shifts if len(shifts) > 1 else ():
            known = self.symbol_of.get((row + sign * shift, False))
            if known is not None:
                rest = [s for s in shifts if s != shift]
                return known, rest, [*(t for t in terms if t not in (shift, sign * row)), sign * known]
        return row, shifts, terms

    # ---- row scalars

    def _row_scalar(self, e: Expr) -> Expr:
        value = self._row_scalar_value(e)
        return self.symbol_of.get((value, False), value) if isinstance(value, Where) else value

    def _row_scalar_value(self, e: Expr) -> Expr:
        if isinstance(e, TypedSymbol) or not axes(e).rows:
            return e
        if isinstance(e, Relational):
            return e.func(*map(self._row_scalar, e.args))
        if isinstance(e, Pow) and not e.exp.is_Integer:
            root = sympy.Rational(1 if e.exp > 0 else -1, e.exp.q)
            name = "rstd" if root == sympy.Rational(-1, 2) else "root" if root > 0 else "scale"
            symbol = self._define(self._row_scalar(e.base) ** root, self.names.fresh(name))
            return symbol ** abs(e.exp.p)
        inverse = self._reciprocal_root(self._row_scalar(e.base)) if isinstance(e, Pow) and e.exp < 0 else None
        if inverse is not None:
            return inverse ** (-e.exp)
        arguments = [self._row_scalar(argument) for argument in e.args]
        if isinstance(e, (Add, Mul, Pow, *_CHEAP)):
            return e.func(*arguments)
        if any(power.exp.is_negative for power in arguments[0].atoms(Pow)):
            # Multiplied out in a derivative, a quotient of row scalars would have high powers of what it divides by.
            arguments[0] = self._define(arguments[0], self.names.fresh("u"))
        rebuilt = e.func(*arguments)
        return self._define(rebuilt, self.names.fresh(function_name(e, arguments[0])))

    def _factor(self, e: Expr) -> Expr:
        inner = self._row_scalar(e)
        if isinstance(inner, Pow) and inner.exp.is_Integer and inner.exp < 0:
            base = inner.base
            root = self.symbol_of.get((base ** sympy.Rational(-1, 2), False))
            if root is not None:
                return root ** (-2 * inner.exp)
            name = f"inv_{base.name}" if isinstance(base, TypedSymbol) else "scale"
            symbol = self._define(1 / base, self.names.fresh(name))
            return symbol ** (-inner.exp)
        return inner

    def _reciprocal_root(self, base: Expr) -> Expr | None:
        """`1/base` where that is a root: dividing by `sqrt(v)` is multiplying by rstd, and there is one of them."""
        known = self._value(base)
        if isinstance(known, Pow) and known.exp.q > 1 and base.is_positive:
            return self._row_scalar(1 / known)
        return None

    # ---- bookkeeping

    def _define(
        self, expression: Expr, name: str, *, like: TypedSymbol | None = None, reuse: bool = True, stopped: bool = False
    ) -> TypedSymbol:
        if reuse and (expression, stopped) in self.symbol_of:
            return self.symbol_of[expression, stopped]
        symbol = symbol_like(name, expression if like is None else like, **known_sign(expression))
        self.symbol_of.setdefault((expression, stopped), symbol)
        self.equations.append(Equation(symbol, expression, stopped=stopped))
        self.depends[symbol] = frozenset().union(*(self.depends.get(s, frozenset()) for s in expression.free_symbols))
        return symbol

    def _value(self, symbol: Expr | None) -> Expr | None:
        return next((q.expression for q in self.equations if q.symbol == symbol), None)

    def _related(self, scalar: Expr, row: TypedSymbol) -> bool:
        depends = (self.depends.get(symbol, frozenset()) for symbol in scalar.free_symbols)
        return any(found & self.depends[row] for found in depends)

    def _root(self, symbol: TypedSymbol) -> TypedSymbol:
        value = self._value(symbol)
        rows = [s for s in value.free_symbols if is_row(s)] if isinstance(value, (Add, Mul)) else []
        return self._root(rows[0]) if is_row(symbol) and len(rows) == 1 else symbol

    def _tidy(self, outputs: list[TypedSymbol]) -> Forward:
        kept = inline_optional(self.equations, outputs, self.optional_names - set(outputs), set(self.body_of.values()))
        known = {q.symbol for q in kept}
        rename = {old: new for old, new in self.rename.items() if old in known}
        taken = [symbol.name for symbol in rename.values()]
        assert len(set(taken)) == len(taken), "two values under one name"
        outputs = [rename.get(symbol, symbol) for symbol in outputs]
        kept = tuple(replace(q, named=q.symbol in self.user_named) for q in kept)
        return replace(self.forward, equations=with_symbols(kept, rename), outputs=tuple(outputs))


def name_centred_bodies(forward: Forward) -> Forward:
    """A row expression u that is centred on its own mean, `u - Mean(u)`, is given a name first.

    Then `u` is a row like another: `Mean(u)`, `u - Mean(u)` and what follows are its statistics.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = "def f(x: Row): return x**3 - mean(x**3)"
    >>> for equation in name_centred_bodies(translate(parse(text))).equations:
    ...     print(equation.symbol, "=", equation.expression)
    u = x**3
    mean_x3 = Mean(u)
    y = -mean_x3 + u
    """
    for at, equation in enumerate(forward.equations):
        mean = equation.expression
        if not isinstance(mean, Mean) or isinstance(mean.args[0], TypedSymbol) or not is_row(mean.args[0]):
            continue
        body, later = mean.args[0], forward.equations[at + 1 :]
        parts = set(Add.make_args(body))
        centred = {
            total
            for q in later
            for total in q.expression.atoms(Add)
            if parts <= set(total.args) and -equation.symbol in total.args
        }
        if centred:
            symbol = symbol_like(Names.of(forward).fresh("total" if isinstance(body, Add) else "u"), body)
            table = {total: symbol + Add(*(set(total.args) - parts)) for total in centred}
            first = (Equation(symbol, body), replace(equation, expression=Mean(symbol)))
            later = tuple(replace(q, expression=q.expression.xreplace(table)) for q in later)
            return name_centred_bodies(replace(forward, equations=(*forward.equations[:at], *first, *later)))
    return forward


_LONGEST_LINE = 60
"""The nodes of an expression; what is longer keeps the name that its parts have."""


def is_long(expression: Expr) -> bool:
    """Test whether an expression is too long to be a part of a line."""
    return tree_size(expression, _LONGEST_LINE) > _LONGEST_LINE


def inline_optional(
    equations: Sequence[Equation],
    outputs: Collection[TypedSymbol],
    optional: Collection[TypedSymbol],
    reduced: Collection[Expr],
) -> tuple[Equation, ...]:
    """The equations that an output needs; an `optional` name that is used once is written out where it is.

    What a reduction is of, `reduced`, keeps its name.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, u, y, z = (RowSymbol(name) for name in ("x", "u", "y", "z"))
    >>> from sympy import tanh
    >>> given = [Equation(u, 2 * x), Equation(z, x**2), Equation(y, tanh(u))]
    >>> [(q.symbol, q.expression) for q in inline_optional(given, [y], [u, z], [])]
    [(y, tanh(2*x))]
    """

    def merged(value: Equation, reader: Equation, written: Expr) -> Expr | None:
        stays = value.symbol not in optional or value.symbol in reduced or reader.expression.count(value.symbol) != 1
        return None if stays or _nests(value, reader.expression) else written

    return inlined(leading_to(outputs, equations), merged)


def _nests(equation: Equation, reader: Expr) -> bool:
    """Test whether a value should keep its own line, because inlining it would do harm.

    Inlining may merge a sum into another, put a sum or a product of rows under a power, or make a line too long to
    read. Sums under powers under powers are polynomials whose degree doubles with every line. And `(x/y)**4` is
    x**4/y**4 to SymPy, each of which may be too large or too small for a float.
    """
    if is_long(equation.expression) or _melts(equation, reader) or _spreads(equation, reader):
        return True
    powers = {power.base for power in reader.atoms(Pow)}
    rows = [factor for factor in Mul.make_args(equation.expression) if is_row(factor)]
    return equation.symbol in powers and (isinstance(equation.expression, Add) or len(rows) > 1)


def _melts(equation: Equation, reader: Expr) -> bool:
    """Test whether a value is a sum that SymPy would merge into another sum, where digits may be lost."""
    if not isinstance(equation.expression, Add):
        return False
    terms = (term for part in reader.atoms(Add, Mul) for term in Add.make_args(part))
    return any(term.as_coeff_Mul()[1] == equation.symbol for term in terms)


def _spreads(equation: Equation, reader: Expr) -> bool:
    """Test whether a value is a select that the gradient would multiply into, and so write once for each use."""
    if not isinstance(equation.expression, Where):
        return False
    return any(equation.symbol in part.args for part in reader.atoms(Add, Mul, Pow))


def came_out_even(root: Expr) -> bool:
    """Test whether the root of a product is a product of whole powers."""
    return all(factor.as_base_exp()[1].is_Integer for factor in Mul.make_args(root))
