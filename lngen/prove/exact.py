"""An exact proof for D = 1, 2, 3, 4: the generated gradient minus `sympy.diff` of the definition is identically zero.

The definition is written out over explicit symbols, one per entry of a row, and differentiated by SymPy. The generated
equations are written out over the same symbols. The row algebra (`lngen.prove.row_algebra`) decides that the difference
vanishes, with no value that varies over features: no `simplify`, no sampling. `lngen.prove.witness` refutes it by a
point at which it does not vanish. If neither succeeds, nothing is claimed.

Three properties keep this short and leave it a proof:

* Rows do not meet in a definition, and a parameter's gradient is a sum over rows, so one row is enough.
* The equations of a gradient may show by their form that it is linear in the cotangents. It is then right if it is
  right for each cotangent that is 1 in one entry and 0 in all others.
* A definition treats all features alike, so the first entry of a gradient stands for all. For it the second entry of a
  cotangent stands for all but the first.

Constants are taken to be positive, as an epsilon is. An identity between roots and powers that holds for positive
values holds wherever both sides are defined. A Constant inside a comparison or an `abs` may have either sign.

A row's largest entry is either a free symbol, where the derivation claims that nothing depends on it, or each entry in
turn. At a tie, and where a `where` or an `abs` changes branch, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, product

import sympy
from sympy import Add, Expr, Mul, Symbol
from sympy.core.relational import Relational

from lngen.algebra.budget import Budget, TooLargeError
from lngen.algebra.equations import Equation
from lngen.algebra.symbols import (
    PLACE,
    AttainsFirst,
    D,
    FeatureSum,
    Mean,
    RowMax,
    RowMin,
    SumRows,
    TypedSymbol,
    Where,
    axes,
    derivative,
    of_real,
)
from lngen.derivation.derivation import NONE, WRITTEN_OUT, Derivation, Proof
from lngen.language.syntax import Kind
from lngen.prove.facts import Facts
from lngen.prove.generators import Items, UndefinedError
from lngen.prove.names import Meanings
from lngen.prove.row_algebra import RowAlgebra
from lngen.prove.vanishing import vanishes
from lngen.prove.witness import differ

SIZES = (1, 2, 3, 4)

_FEATURES = 64
_CHOICES = 64
_NODES = 20_000
_NODES_TO_DIFFERENTIATE = 1200
_DEGREE = 256
_UNDEFINED = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)


def exact_proofs(derivation: Derivation) -> tuple[Proof, ...]:
    """One proof per gradient, for as many D, from the smallest on, as can be had in bounded work; four at most."""
    proved: dict[str, list[int]] = {}
    failed: dict[str, int] = {}
    stopped: dict[str, str] = {}
    smallest = derivation.definition.minimum_features
    budget = Budget()
    unsimplified: set[str] = set()
    for features in range(smallest, smallest + len(SIZES)):
        size, plain = (_RowSize(derivation, features, budget, adjoint=adjoint) for adjoint in (False, True))
        for symbol, gradient in derivation.gradients:
            name = gradient.name
            if name in failed or name in stopped:
                continue
            try:
                if features > _FEATURES:
                    raise TooLargeError(f"the smallest D is {smallest}, and rows are written out up to D = {_FEATURES}")
                try:
                    holds = name not in unsimplified and size.holds(symbol, gradient)
                except TooLargeError:
                    unsimplified.add(name)
                if holds if name not in unsimplified else plain.holds(symbol, gradient):
                    proved.setdefault(name, []).append(features)
                else:
                    failed[name] = features
            except TooLargeError as error:
                stopped[name] = str(error)
            except (_NoDerivativeError, UndefinedError):
                continue
    return tuple(
        _proof(
            symbol.name,
            f"the unsimplified {gradient.name}" if gradient.name in unsimplified else gradient.name,
            proved.get(gradient.name, []),
            failed.get(gradient.name),
            stopped.get(gradient.name),
            any(entry.kind.is_integer for entry in derivation.definition.inputs),
        )
        for symbol, gradient in derivation.gradients
    )


def _proof(
    symbol: str, gradient: str, proved: list[int], failed: int | None, stopped: str | None, of_integers: bool
) -> Proof:
    if failed is not None:
        text = f"{gradient} differs from the derivative of the definition at D = {failed}"
        return Proof(f"exact at D = {failed}", text, passed=False, about=WRITTEN_OUT)
    why = "" if stopped is None else f" (not tried beyond: {stopped})"
    if proved:
        integers = ", for integers near the places of the row and the numbers of the definition" if of_integers else ""
        text = f"{gradient} - d/d{symbol} of the definition written out is identically zero{integers}{why}"
        return Proof(f"exact at D = {', '.join(map(str, proved))}", text, passed=True, about=WRITTEN_OUT)
    # Not evidence against the gradient: it rests on the other kinds.
    reason = stopped or "the definition divides by zero at every D that was tried"
    return Proof(
        NONE, f"{gradient}: no proof with rows written out was found: {reason}", passed=True, about=WRITTEN_OUT
    )


class _NoDerivativeError(Exception):
    """Error for a 0/0 in every row at this D, as in the root of the variance of one feature.

    Nothing is claimed at this D.
    """


class ExplicitAlgebra:
    """Row algebra for expressions in explicit symbols, each of which is one number.

    >>> x, eps = Symbol("x", real=True), Symbol("eps", positive=True)
    >>> r = (x**2 + eps)**sympy.Rational(-1, 2)
    >>> algebra = ExplicitAlgebra(Budget())
    >>> algebra.vanishes(r.diff(x) + x*r**3), algebra.vanishes(r.diff(x) - x*r**3)
    (True, False)
    >>> algebra.vanishes(sympy.Abs(x) - x*sympy.sign(x))
    True
    """

    def __init__(self, budget: Budget) -> None:
        self._names = Meanings(RowAlgebra(budget))

    def vanishes(self, difference: Expr) -> bool:
        """Test whether an expression is shown to be zero; raises TooLargeError or UndefinedError."""
        algebra = self._names.algebra
        poles = self._names.poles([difference], frozenset())
        return vanishes(self._names.form(difference), algebra, Facts(algebra, poles=poles))

    def normal(self, e: Expr) -> Items:
        """Return the same value for expressions of the same form."""
        return frozenset(self._names.form(e).items())

    def claim_not_negative(self, e: Expr) -> None:
        """Note that an expression is not negative, where it occurs as it is."""
        if not e.is_number:
            self._names.algebra.claim_not_negative(self._names.form(e))


class _RowSize:
    """The definition and the derivation, or its unsimplified adjoint, written out for one D, when first asked."""

    def __init__(self, derivation: Derivation, features: int, budget: Budget, *, adjoint: bool) -> None:
        self.derivation = derivation
        self.forward = derivation.written if adjoint else derivation.forward
        self.backward = derivation.adjoint.equations if adjoint else derivation.backward
        self.budget = budget
        self.features = features
        self.ready = False

    def _write_out(self) -> None:
        derivation = self.derivation
        self.algebra = ExplicitAlgebra(self.budget)
        world = _Explicit(self.features, self.algebra)
        decided = {
            symbol
            for equation in derivation.written.equations
            for kink in equation.expression.atoms(Relational, sympy.Abs, sympy.sign)
            for symbol in kink.free_symbols
        }
        for symbol, entry in zip(derivation.forward.symbols, derivation.definition.inputs, strict=True):
            world.declare(symbol, positive=entry.kind is Kind.CONSTANT and symbol not in decided)
        world.near = {
            int(number) + step
            for equation in derivation.written.equations
            for relation in equation.expression.atoms(Relational)
            for number in relation.atoms(sympy.Integer)
            for step in (-1, 0, 1)
        }
        self.written = world.copy()
        self.written.add(derivation.written.equations)
        self.generated = world.copy()
        self.generated.add(self.forward.equations)
        self.ready = True
        self.regions = list(islice(world.regions(), _CHOICES + 1))
        self.linear = _is_linear(self.backward, derivation.adjoint.cotangents)

    def holds(self, symbol: TypedSymbol, gradient: TypedSymbol) -> bool:
        """Test whether one gradient is right, at its first entry.

        Raises TooLargeError if neither a proof nor a refuting point is found, and _NoDerivativeError for a 0/0 in every
        row.
        """
        if not self.ready:
            self._write_out()
        entry = self.written.values[symbol][0]
        if len(self.regions) > _CHOICES:
            raise TooLargeError("too many choices of largest entries")
        for weights in self._cotangents(axes(symbol).features):
            backward = self.generated.copy()
            backward.values.update(weights)
            backward.add(self.backward)
            loss = Add(
                *(
                    weight * value
                    for output, cotangent in self._ends()
                    for weight, value in zip(weights[cotangent], self.written.values[output], strict=True)
                )
            )
            if self.written.nodes(loss) > _NODES_TO_DIFFERENTIATE:
                raise TooLargeError("written out the definition is too long")
            for region in self.regions:
                found = _with_values(backward.values[gradient][0], region)
                wanted = derivative(_with_values(loss, region), entry)
                if wanted.has(*_UNDEFINED) or found.has(*_UNDEFINED):
                    raise _NoDerivativeError
                if not self.algebra.vanishes(found - wanted):
                    if differ(found, wanted, self.generated.order_in(region)):
                        return False
                    raise TooLargeError("no point was found that refutes it, and the algebra does not show it")
        return True

    def _ends(self) -> Iterator[tuple[TypedSymbol, TypedSymbol]]:
        return zip(self.derivation.written.outputs, self.derivation.adjoint.cotangents, strict=True)

    def _cotangents(self, by_feature: bool) -> Iterator[dict[TypedSymbol, list[Expr]]]:
        counts = {cotangent: len(self.written.values[output]) for output, cotangent in self._ends()}
        if not self.linear:
            yield {c: [Symbol(f"{c.name}[{j}]", real=True) for j in range(n)] for c, n in counts.items()}
            return
        for chosen, count in counts.items():
            # For a gradient that is the same for all features, all entries of a cotangent are alike.
            for at in range(min(count, 2 if by_feature else 1)):
                yield {c: [sympy.Integer(c == chosen and j == at) for j in range(n)] for c, n in counts.items()}


def _is_linear(equations: Iterable[Equation], cotangents: Iterable[TypedSymbol]) -> bool:
    """Test whether every equation is, by its form, linear in the cotangents or free of them."""
    known = dict.fromkeys(cotangents, 1)

    def degree(e: Expr) -> int | None:
        if not e.free_symbols & known.keys():
            return 0
        if isinstance(e, TypedSymbol):
            return 1
        inner = [degree(argument) for argument in e.args]
        if isinstance(e, Add) and all(d == 1 for d in inner):
            return 1
        if isinstance(e, Mul) and None not in inner and sum(d or 0 for d in inner) == 1:
            return 1
        if isinstance(e, (Mean, FeatureSum, SumRows)):
            return inner[0]
        branches = zip(e.args[1:], inner[1:], strict=True)
        if isinstance(e, Where) and inner[0] == 0 and all(d == 1 or value == 0 for value, d in branches):
            return 1
        return None

    for equation in equations:
        found = degree(equation.expression)
        if found is None:
            return False
        if found == 1:
            known[equation.symbol] = 1
    return True


class _Explicit:
    """Equations written out over one row of explicit symbols."""

    def __init__(self, features: int, algebra: ExplicitAlgebra) -> None:
        self.features = features
        self.algebra = algebra
        self.values: dict[TypedSymbol, list[Expr]] = {}
        # Reductions to an extreme: which kind, the entries that compete, and the symbol for the one that wins.
        self.integers: list[Symbol] = []
        self.near: set[int] = set()
        self.extremes: dict[tuple[type, tuple[Expr, ...]], tuple[tuple[Expr, ...], Symbol]] = {}
        self.sizes: dict[Expr, int] = {}
        self.degrees: dict[Symbol, int] = {}

    def copy(self) -> _Explicit:
        """Return a copy with the same values; the extremes are shared."""
        other = _Explicit(self.features, self.algebra)
        other.values = dict(self.values)
        other.extremes, other.integers, other.near = self.extremes, self.integers, self.near
        other.sizes = self.sizes
        other.degrees = dict(self.degrees)
        return other

    def declare(self, symbol: TypedSymbol, positive: bool) -> None:
        """Symbols for an input: one, or one per feature. A bracket keeps them apart from the names of a definition."""
        assumptions = {"positive": True} if positive or symbol.is_positive else {"real": True}
        assumptions |= {"integer": True} if symbol.is_integer else {}
        count = self.features if axes(symbol).features else 1
        self.values[symbol] = [Symbol(f"{symbol.name}[{j}]", **assumptions) for j in range(count)]
        self.integers += self.values[symbol] if symbol.is_integer else []

    def add(self, equations: Iterable[Equation]) -> None:
        """Work equations out, in order."""
        for equation in equations:
            self.degrees[equation.symbol] = _degree(equation.expression, self.degrees)
            if self.degrees[equation.symbol] > _DEGREE:
                # SymPy looks for the roots of such a polynomial before it takes a power of it.
                raise TooLargeError(f"written out the expressions are polynomials of a degree above {_DEGREE}")
            count = self.features if axes(equation.symbol).features else 1
            if isinstance(equation.reduction, (RowMax, RowMin)):
                self.values[equation.symbol] = [self._extreme(equation, equation.reduction)] * count
            else:
                self.values[equation.symbol] = [self._at(equation.expression, j) for j in range(count)]
            if equation.symbol.is_nonnegative and equation.reduction is not None:
                self.algebra.claim_not_negative(self.values[equation.symbol][0])
            if any(self.nodes(value) > _NODES for value in self.values[equation.symbol]):
                raise TooLargeError("written out the expressions are too long")

    def nodes(self, e: Expr) -> int:
        """The size of an expression as a tree."""
        if e not in self.sizes:
            self.sizes[e] = 1 + sum(self.nodes(argument) for argument in e.args)
        return self.sizes[e]

    def _extreme(self, equation: Equation, reduction: RowMax | RowMin) -> Symbol:
        name = f"extreme<{equation.symbol.name}>"
        if equation.stopped:
            return Symbol(f"free {name}", real=True)
        entries = tuple(self._at(reduction.args[0], j) for j in range(self.features))
        key = type(reduction), tuple(self.algebra.normal(entry) for entry in entries)
        symbol = Symbol(f"{name}{len(self.extremes)}", real=True)
        return self.extremes.setdefault(key, (entries, symbol))[1]

    def regions(self) -> Iterator[dict[Symbol, Expr]]:
        """Yield the values of the extremes' symbols for each choice of the features that attain the extremes.

        The first two features are tried one by one, and as many of the others as can be told apart. Integers are each
        place of the row, those before and after, and those near a number that the definition compares with.
        """
        choices = range(min(self.features, 2 + len(self.extremes)))
        places = sorted({*range(-1, self.features + 1), *self.near})
        both = product(product(places, repeat=len(self.integers)), product(choices, repeat=len(self.extremes)))
        for numbers, choice in both:
            region: dict[Symbol, Expr] = dict(zip(self.integers, map(sympy.Integer, numbers), strict=True))
            for (entries, extreme), first in zip(self.extremes.values(), choice, strict=True):
                # Entries may hold extremes that were found before.
                region[extreme] = entries[first].xreplace(region)
                region.update({_attains(extreme, j): sympy.Integer(j == first) for j in range(self.features)})
            yield region

    def order_in(self, region: Mapping[Symbol, Expr]) -> list[Expr]:
        """Return expressions that are not negative in a region.

        Each is the lead of the entry that attains an extreme over another entry.
        """
        ahead = []
        for (kind, _), (entries, extreme) in self.extremes.items():
            sign = 1 if kind is RowMax else -1
            ahead += [sign * (region[extreme] - entry.xreplace(dict(region))) for entry in entries]
        return ahead

    def _at(self, e: Expr, j: int) -> Expr:
        """The value of an expression at feature j."""
        if e == D:
            return sympy.Integer(self.features)
        if e == PLACE:
            return sympy.Integer(j)
        if isinstance(e, TypedSymbol):
            entries = self.values[e]
            return entries[j] if len(entries) > 1 else entries[0]
        if not e.args:
            return e
        if isinstance(e, (Mean, FeatureSum)):
            total = Add(*(self._at(e.args[0], k) for k in range(self.features)))
            return total / self.features if isinstance(e, Mean) else total
        if isinstance(e, SumRows):
            return self._at(e.args[0], j)
        if isinstance(e, AttainsFirst):
            return _attains(self._at(e.args[1], 0), j)
        return _rebuilt(e, lambda part: self._at(part, j))


def _rebuilt(e: Expr, value: Callable[[Expr], Expr]) -> Expr:
    """Rebuild an expression from the values of its parts; raises _NoDerivativeError if one is NaN.

    SymPy can neither compare nor approximate NaN, so no expression is made of it. A branch that a select leaves out may
    have any value.
    """
    if isinstance(e, Where):
        condition, *branches = e.args
        decided = value(condition)
        if decided in (sympy.true, sympy.false):
            return value(branches[0] if decided else branches[1])
    arguments = tuple(map(value, e.args))
    if arguments == e.args:
        return e
    result = of_real(e.func, *arguments) if isinstance(e, (sympy.Abs, sympy.sign)) else e.func(*arguments)
    if result in _UNDEFINED:
        raise _NoDerivativeError
    return result


def _with_values(e: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    """The expression with values in place of symbols; raises _NoDerivativeError where that is NaN."""
    return _rebuilt(e, lambda part: _with_values(part, values)) if e.args else values.get(e, e)


def _degree(e: Expr, degrees: dict[Symbol, int]) -> int:
    """The degree of an expression as a polynomial in the inputs, roots and functions counted as their arguments."""
    if isinstance(e, Symbol):
        return degrees.get(e, 1)
    inside = [_degree(argument, degrees) for argument in e.args]
    if isinstance(e, Mul):
        return sum(inside)
    if isinstance(e, sympy.Pow) and e.exp.is_Integer:
        return abs(int(e.exp)) * inside[0]
    return max(inside, default=0)


def _attains(extreme: Expr, j: int) -> Symbol:
    """The unknown that is 1 in the region where feature j is the first to attain the extreme, 0 elsewhere."""
    return Symbol(f"{extreme.name} at {j}", real=True)
