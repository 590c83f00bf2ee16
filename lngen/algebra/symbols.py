"""The alphabet of a derivation: symbols that know what they vary over, and the reductions.

SymPy does the mathematics; this module gives it the two things it lacks. A symbol has *axes*: a row value differs from
row to row and from feature to feature, a row scalar from row to row, a Feature from feature to feature, a Scalar not at
all. And a reduction over the feature axis is kept symbolic in D: `Mean(x)` is an atom that later rules split or pull
factors out of, and that nothing ever unrolls.

>>> x, mu, gamma = RowSymbol("x"), RowScalarSymbol("mu"), FeatureSymbol("gamma")
>>> axes(gamma * (x - mu))
Axes(rows=True, features=True)
>>> axes(mu + Mean(gamma * x))
Axes(rows=True, features=False)
>>> axes(Mean(gamma))
Axes(rows=False, features=False)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import sympy
from mpmath.libmp import prec_to_dps
from sympy import Expr, Function, Symbol

from lngen.language import FUNCTIONS
from lngen.language.functions import FunctionEntry, Named


class Axes(NamedTuple):
    """Axes that a value varies over."""

    rows: bool
    features: bool

    def join(self, other: Axes) -> Axes:
        """The axes of an elementwise combination of two values."""
        return Axes(self.rows or other.rows, self.features or other.features)


NOTHING = Axes(False, False)


class TypedSymbol(Symbol):  # type: ignore[misc]
    """A real symbol that knows its axes; use one of the four subclasses."""

    varies = NOTHING

    def __new__(cls, name: str, **assumptions: bool) -> TypedSymbol:
        assumptions.setdefault("real", True)
        return super().__new__(cls, name, **assumptions)  # type: ignore[no-any-return]


class RowSymbol(TypedSymbol):
    """One value per row and feature."""

    varies = Axes(True, True)


class RowScalarSymbol(TypedSymbol):
    """One value per row."""

    varies = Axes(True, False)


class FeatureSymbol(TypedSymbol):
    """One value per feature, shared by the rows."""

    varies = Axes(False, True)


class ScalarSymbol(TypedSymbol):
    """One value, shared by all: a learned Scalar, a Constant, D."""

    varies = NOTHING


SYMBOL_OF_AXES: dict[Axes, type[TypedSymbol]] = {
    kind.varies: kind for kind in (RowSymbol, RowScalarSymbol, FeatureSymbol, ScalarSymbol)
}

D = ScalarSymbol("D", integer=True, positive=True)
"""The number of features of a row."""

PLACE = FeatureSymbol("index()", integer=True, nonnegative=True)
"""The position of an entry in its row, counted from 0, as a definition writes it."""


def is_integer(expression: Any) -> bool:
    """Test whether an expression is an integer: made of integers by sums, products and powers.

    >>> i, x = RowScalarSymbol("i", integer=True), RowSymbol("x")
    >>> is_integer(2*i - PLACE + D), is_integer(i/2), is_integer(x), is_integer(sympy.Abs(i))
    (True, False, False, False)
    """
    match expression:
        case Symbol() | sympy.Rational():
            return bool(expression.is_integer)
        case sympy.Add() | sympy.Mul():
            return all(map(is_integer, expression.args))
        case sympy.Pow():
            return is_integer(expression.base) and bool(expression.exp.is_Integer and expression.exp > 0)
        case _:
            return False


def holds_integers(expression: Expr) -> bool:
    """Test whether an expression is an integer that is made of others than D and numbers.

    >>> holds_integers(PLACE - 1), holds_integers(D - 1), holds_integers(PLACE / 2)
    (True, False, False)
    """
    return any(s.is_integer for s in expression.free_symbols if s != D) and is_integer(expression)


class Reduction(Function):  # type: ignore[misc]
    """A reduction over the feature axis, never unrolled.

    The mean and the extremes of what does not vary over features are that value itself:

    >>> mu = RowScalarSymbol("mu")
    >>> Mean(2 * mu), RowMax(mu), FeatureSum(mu)
    (2*mu, mu, mu*D)
    """

    nargs = 1

    @classmethod
    def eval(cls, body: Expr) -> Expr | None:
        return None if varies_over_features(body) else body

    def _eval_is_real(self) -> bool:
        return True


class Mean(Reduction):
    """The mean over the feature axis.

    Of what is not 0 at one place alone it is known by where that place is:

    >>> i, c = RowScalarSymbol("i", integer=True), RowScalarSymbol("c")
    >>> Mean(Where(sympy.Eq(PLACE, i), c, 0))
    Where(i >= 0, Where(i < D, c/D, 0), 0)
    """

    @classmethod
    def eval(cls, body: Expr) -> Expr | None:
        match body:
            case Where(args=(sympy.Eq(args=(place, i)), chosen, sympy.S.Zero)) if (
                place == PLACE and is_integer(i) and not varies_over_features(i) and not varies_over_features(chosen)
            ):
                return Where(i >= 0, Where(i < D, chosen / D, 0), 0)
        return super().eval(body)

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_nonnegative else None


class FeatureSum(Reduction):
    """The sum over the feature axis. Rules work on `D * Mean(...)`; this is how it is shown and emitted."""

    @classmethod
    def eval(cls, body: Expr) -> Expr | None:
        return None if varies_over_features(body) else D * body


class RowMax(Reduction):
    """The largest entry of a row."""


class RowMin(Reduction):
    """The smallest entry of a row."""


class AttainsFirst(Function):  # type: ignore[misc]
    """`AttainsFirst(body, m)`: 1 at the first feature where body equals the row's extreme m, 0 elsewhere.

    It is constant but for jumps, so its derivative is zero.
    """

    nargs = 2

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        return sympy.S.Zero

    def _eval_is_real(self) -> bool:
        return True


class SumRows(Function):  # type: ignore[misc]
    """The sum over all rows: how a parameter's gradient ends."""

    nargs = 1

    def _eval_is_real(self) -> bool:
        return True


class StopGradient(Function):  # type: ignore[misc]
    """Stop the gradient of an argument: the value is the argument's, and the derivative is zero.

    >>> StopGradient(StopGradient(RowSymbol("x"))), StopGradient(sympy.Rational(2, 3)) < sympy.pi
    (StopGradient(x), True)
    """

    nargs = 1

    @classmethod
    def eval(cls, argument: Expr) -> Expr | None:
        return argument if isinstance(argument, StopGradient) else None

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        return sympy.S.Zero

    def _eval_is_real(self) -> bool:
        return True

    def _eval_evalf(self, prec: int) -> Expr:
        return self.args[0].evalf(prec_to_dps(prec))


class Where(Function):  # type: ignore[misc]
    """Select between two values: `Where(condition, a, b)` is a where the condition holds, b elsewhere.

    Its derivative is a select too.

    >>> x = RowSymbol("x")
    >>> Where(x > 0, x**2, 0).diff(x)
    Where(x > 0, 2*x, 0)

    A select inside a branch of a select with the same condition is decided:

    >>> Where(x > 0, x * Where(x > 0, x, 1), 0)
    Where(x > 0, x**2, 0)

    So is one whose condition excludes it, or follows from it:

    >>> Where(x > 1, x, Where(x > 2, x**2, Where(x < 0, 0, 1)))
    Where(x > 1, x, Where(x < 0, 0, 1))
    """

    nargs = 3

    @classmethod
    def eval(cls, condition: Any, chosen: Expr, otherwise: Expr) -> Expr | None:
        if condition == sympy.true or chosen == otherwise:
            return chosen
        if condition == sympy.false:
            return otherwise
        decided = _decided(chosen, condition, 1), _decided(otherwise, condition, 2)
        return None if decided == (chosen, otherwise) else cls(condition, *decided)

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        condition, chosen, otherwise = self.args
        return Where(condition, chosen.diff(symbol), otherwise.diff(symbol))

    def _eval_is_real(self) -> bool:
        return True


def _decided(branch: Expr, condition: Any, outcome: int) -> Expr:
    # Not inside a reduction: there the condition is that of other features.
    if isinstance(branch, Where):
        inner = _implied(branch.args[0], condition, outcome == 1)
        if inner is not None:
            return _decided(branch.args[1 if inner else 2], condition, outcome)
        return Where(branch.args[0], *(_decided(side, condition, outcome) for side in branch.args[1:]))
    if isinstance(branch, (sympy.Add, sympy.Mul)) and branch.atoms(Where):
        return branch.func(*(_decided(argument, condition, outcome) for argument in branch.args))
    return branch


class _Ray(NamedTuple):
    """The values above a number, or below it with `side` -1; the number itself too if it is `closed`."""

    value: Expr
    side: int
    end: Expr
    closed: bool


_ORDERS = {sympy.Gt: (1, False), sympy.Ge: (1, True), sympy.Lt: (-1, False), sympy.Le: (-1, True)}


def _ray(condition: Any) -> _Ray | None:
    """The values for which a comparison with a number holds."""
    if type(condition) not in _ORDERS:
        return None
    side, closed = _ORDERS[type(condition)]
    left, right = condition.args
    if right.is_Rational:
        return _Ray(left, side, right, closed)
    return _Ray(right, -side, left, closed) if left.is_Rational else None


def _implied(condition: Any, known: Any, holds: bool) -> bool | None:
    """Return whether a condition holds wherever another one does, or does not; None if that decides nothing.

    NaN fulfils no comparison, so nothing follows to hold from one that does not.

    >>> x = RowSymbol("x")
    >>> _implied(x > 2, x > 1, False), _implied(x < 2, x < 1, True), _implied(x >= 1, x < 1, True)
    (False, True, False)
    >>> _implied(x < 2, x > 1, False), _implied(x > 2, x > 1, True)
    (None, None)
    """
    if condition == known:
        return holds
    asked, given = _ray(condition), _ray(known)
    if asked is None or given is None or asked.value != given.value:
        return None
    if not holds:
        given = _Ray(given.value, -given.side, given.end, not given.closed)
    inward = given.side * (given.end - asked.end)
    if asked.side == given.side:
        inside = inward > 0 or (inward == 0 and (asked.closed or not given.closed))
        return True if inside and holds else None
    return False if inward > 0 or (inward == 0 and not (asked.closed and given.closed)) else None


class Elementwise(Function):  # type: ignore[misc]
    """A function of one real number."""

    nargs = 1

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_finite(self) -> bool | None:
        return True if self.args[0].is_number and self.args[0].is_finite else None

    def _written_out(self) -> Expr | None:
        """Return the function written with functions that SymPy can evaluate."""
        return None

    def _eval_evalf(self, prec: int) -> Expr | None:
        written = self._written_out()
        return None if written is None else written.evalf(prec_to_dps(prec))


def _made(entry: FunctionEntry) -> Any:
    """The class of a function that SymPy lacks, made from its entry in the table."""
    derived = entry.derivative
    assert derived
    methods: dict[str, Callable[..., Any]] = {
        "_written_out": lambda self: of_number(entry.name, self.args[0]),
        "fdiff": lambda self, argindex=1: derived(_SYMPY, self.args[0]),
    }
    if entry.positive:
        methods["_eval_is_positive"] = lambda self: True
    return type(entry.head, (Elementwise,), methods)


_SYMPY = Named(lambda name: HEADS.get(name) or getattr(sympy, name))

HEADS: dict[str, Any] = {
    entry.name: _made(entry) if entry.derivative else getattr(sympy, entry.head)
    for entry in FUNCTIONS.values()
    if entry.head
}
"""Classes of the functions that stay whole in a derivation and that a backend computes in one call, by their names."""

ENTRY_OF: dict[type, FunctionEntry] = {head: FUNCTIONS[name] for name, head in HEADS.items()}

Sigmoid, Softplus, Log1p, Expm1 = (HEADS[name] for name in ("sigmoid", "softplus", "log1p", "expm1"))
Asin, Acos, Atan = (HEADS[name] for name in ("asin", "acos", "atan"))


def of_number(name: str, value: Expr) -> Expr:
    """Return a function of `HEADS` at a number, written with functions that SymPy can evaluate.

    >>> of_number("softplus", sympy.S.Zero), of_number("exp", sympy.S.One)
    (log(2), E)
    """
    written = FUNCTIONS[name].written
    return written(_SYMPY, value) if written else HEADS[name](value)


def heads_that(are: Callable[[FunctionEntry], object]) -> tuple[Any, ...]:
    """Return the classes of the functions whose entry passes a test.

    >>> heads_that(lambda entry: entry.positive)
    (exp, Sigmoid, Softplus)
    """
    return tuple(head for head, entry in ENTRY_OF.items() if are(entry))


class Power(Function):  # type: ignore[misc]
    """A power `a**p` whose exponent is no number, defined for a >= 0; with a number it is SymPy's own.

    Its derivatives are the limits where a is 0: p*a**(p - 1), which is 0 for p = 0, and 0 in the direction of p.

    >>> x, p = RowSymbol("x", nonnegative=True), ScalarSymbol("p", positive=True)
    >>> Power(x, p).diff(x), Power(x, p).diff(p), Power(x, p + 2 - p)
    (p*Power(x, p - 1), Where(Eq(x, 0), 0, log(x)*Power(x, p)), x**2)

    What is never 0 needs no select:

    >>> e = sympy.exp(RowSymbol("u"))
    >>> Power(1 + e, ScalarSymbol("q")).diff(ScalarSymbol("q"))
    log(exp(u) + 1)*Power(exp(u) + 1, q)
    """

    nargs = 2

    @classmethod
    def eval(cls, base: Expr, exponent: Expr) -> Expr | None:
        if base.is_negative and not exponent.is_Integer:
            return sympy.S.NaN
        return base**exponent if exponent.is_Rational or base == 1 else None

    @property
    def base(self) -> Expr:
        """The base of the power."""
        return self.args[0]

    @property
    def exp(self) -> Expr:
        """The exponent, as SymPy names it."""
        return self.args[1]

    def fdiff(self, argindex: int = 1) -> Expr:
        base, exponent = self.args
        slope, end = exponent * Power(base, exponent - 1), sympy.Eq(exponent, 0)
        if argindex == 2:
            slope, end = self * sympy.log(base), sympy.Eq(base, 0)
        return slope if base.is_positive else Where(end, 0, slope)

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_nonnegative else None

    def _eval_is_positive(self) -> bool | None:
        return True if self.args[0].is_positive else None

    def _eval_evalf(self, prec: int) -> Expr:
        return (self.args[0] ** self.args[1]).evalf(prec_to_dps(prec))


class Complement(Elementwise):
    """1 - u in one piece, while an expression is worked on: multiplied out, it would cancel where u is near 1.

    >>> s = RowSymbol("s")
    >>> (s * Complement(s)).diff(s), whole(s * Complement(s))
    (-s + Complement(s), s*(1 - s))
    """

    def _written_out(self) -> Expr:
        return 1 - self.args[0]

    def fdiff(self, argindex: int = 1) -> Expr:
        return sympy.S.NegativeOne


def whole(expression: Expr) -> Expr:
    """The expression with its complements as differences again."""
    return expression.replace(Complement, lambda u: 1 - u)


class _Modulus(Elementwise):
    def fdiff(self, argindex: int = 1) -> Expr:
        return _SignFunction(self.args[0])


class _SignFunction(Elementwise):
    def fdiff(self, argindex: int = 1) -> Expr:
        return sympy.S.Zero


@lru_cache(maxsize=10_000)
def derivative(expression: Expr, symbol: Symbol) -> Expr:
    """SymPy's derivative of real functions: the derivative of `Abs` is `sign`, and that of `sign` is 0.

    SymPy's own would be a Dirac delta for `sign`, and real and imaginary parts for the `Abs` of what it cannot prove
    real.

    >>> x = RowSymbol("x")
    >>> derivative(x * sympy.Abs(x), x), derivative(sympy.sign(x), x), derivative(sympy.Abs(sympy.log(x)), x)
    (x*sign(x) + Abs(x), 0, sign(log(x))/x)
    """
    if not expression.has(sympy.Abs, sympy.sign):
        plain = expression.diff(symbol)
        if not plain.has(sympy.Abs, sympy.sign):
            return plain
    marked = expression.replace(sympy.Abs, _Modulus).replace(sympy.sign, _SignFunction)
    found = marked.diff(symbol)
    return found.replace(_Modulus, lambda u: of_real(sympy.Abs, u)).replace(
        _SignFunction, lambda u: of_real(sympy.sign, u)
    )


def of_real(function: Callable[..., Expr], argument: Expr) -> Expr:
    """`Abs` or `sign` of what is real wherever it is defined, also where SymPy cannot prove that.

    SymPy would go on with real and imaginary parts of what stands inside.

    >>> x = RowSymbol("x")
    >>> of_real(sympy.Abs, sympy.exp(x**sympy.Rational(1, 4))), of_real(sympy.Abs, sympy.exp(x))
    (Abs(exp(x**(1/4))), exp(x))
    """
    return function(argument, evaluate=bool(argument.is_extended_real))


@lru_cache(maxsize=50_000)
def axes(expression: Any) -> Axes:
    """Return the axes that an expression varies over."""
    if isinstance(expression, TypedSymbol):
        return expression.varies
    inner = NOTHING
    for argument in expression.args:
        inner = inner.join(axes(argument))
    if isinstance(expression, Reduction):
        return Axes(inner.rows, False)
    if isinstance(expression, SumRows):
        return Axes(False, inner.features)
    return inner


@lru_cache(maxsize=50_000)
def operation_count(expression: Expr) -> int:
    """Additions, multiplications, divisions, powers and functions, a reduction counting as one."""
    return int(sympy.count_ops(expression))


def has_sum(factors: Sequence[Expr]) -> bool:
    """Test whether factors contain a sum, as D times a mean, or as a root of D times one."""
    power = next((factor.as_base_exp()[1] for factor in factors if factor.as_base_exp()[0] == D), sympy.S.Zero)
    return (power == 1 or not power.is_Integer) and any(isinstance(factor, Mean) for factor in factors)


def is_row(expression: Any) -> bool:
    """Test whether an expression has one value per row and feature."""
    return axes(expression) == RowSymbol.varies


def varies_over_features(expression: Any) -> bool:
    """Test whether an expression varies over the feature axis."""
    return axes(expression).features


def symbol_like(name: str, expression: Expr, **assumptions: bool) -> TypedSymbol:
    """A new symbol with the axes of an expression, and an integer if that holds integers."""
    if holds_integers(expression):
        assumptions["integer"] = True
    return SYMBOL_OF_AXES[axes(expression)](name, **assumptions)


def word_of(symbol: Symbol) -> str:
    """The name of a symbol as a part of other names."""
    return "index" if symbol == PLACE else str(symbol.name)


def stand_in(words: str, expression: Expr | type[TypedSymbol], **assumptions: bool) -> TypedSymbol:
    """A symbol of a kind, or with the axes of an expression, in its place while a rule works, and in no result.

    Its name ends in a space, so that neither a definition nor `lngen.algebra.equations.Names` can have given it.

    >>> stand_in("held 0", RowSymbol("x")).name
    'held 0 '
    """
    if isinstance(expression, type):
        made: TypedSymbol = expression(f"{words} ", **assumptions)
        return made
    return symbol_like(f"{words} ", expression, **assumptions)


def renamed(symbol: TypedSymbol, name: str) -> TypedSymbol:
    """The symbol under another name, what is known of its sign kept."""
    known = {key: True for key in ("positive", "nonnegative", "nonzero") if getattr(symbol, f"is_{key}")}
    known = {key: True for key in ("positive",) if key in known} or known
    known |= {"integer": True} if symbol.is_integer else {}
    return type(symbol)(name, **known)
