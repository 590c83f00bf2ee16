"""The error of a subtraction: small beside the result, small beside its terms alone, or unknown.

An error of a few roundings of the terms is one of the result where the result is as large as they are. So it is where
both terms are as the caller passed them, where all terms have one sign, and where a projection is taken of a cotangent.
It is not where the terms are made of the same values: `x - sin(x)` has no digit left where x is small.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import combinations

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.exponentials import Exponentials
from lngen.algebra.symbols import (
    D,
    Log1p,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    Sigmoid,
    SumRows,
    TypedSymbol,
    axes,
)
from lngen.derivation.derivation import Direction
from lngen.report.audit.findings import Status

Found = tuple[str, str, str, Status]
"""The kind of a hazard, the danger, the remedy and the status."""

_AGREE = "terms that are made of the same values may agree in all their digits"
_CANCEL = "terms that nearly cancel leave few digits of the result"
_OF_TERMS = "off by a few roundings of the largest term: small beside that, not beside the result"
_NO_RULE = "none: no rule rewrites it"
_LIMITED = (sympy.tanh, Sigmoid, sympy.sin, sympy.cos, sympy.erf)


class Differences:
    """The sums of a program whose `values` are known by their symbols, reductions among them.

    `given` are what it reads, `cotangents` those of them in which it is linear, `residual_of` what rounding left in the
    mean of a row, and `outputs` the outputs of a forward.
    """

    def __init__(
        self,
        direction: Direction,
        values: Mapping[TypedSymbol, Expr],
        given: Collection[TypedSymbol],
        cotangents: Collection[TypedSymbol],
        residual_of: Mapping[Expr, TypedSymbol],
        outputs: Collection[TypedSymbol],
        exponentials: Exponentials,
        text: Callable[[Expr], str],
    ) -> None:
        self.direction = direction
        self.values = values
        self.given = given
        self.cotangents = cotangents
        self.residual_of = residual_of
        self.outputs = outputs
        self.exponentials = exponentials
        self.text = text
        residuals = set(residual_of.values())
        self.mean_of = {
            s: value.args[0] for s, value in values.items() if isinstance(value, Mean) and s not in residuals
        }
        self._sources: dict[Expr, frozenset[TypedSymbol]] = {}
        self._own: dict[Expr, frozenset[TypedSymbol]] = {}
        self._polynomials: dict[Expr, bool] = {}

    def of(self, e: Add, name: TypedSymbol, weighted: bool) -> Found | None:
        """Judge a sum in the line of `name`; None where nothing is taken off."""
        if e.free_symbols <= {D} or all(term.is_nonnegative for term in e.args):
            return None
        return (
            self._shift(e, name)
            or self._tail(e, name in self.outputs and not weighted)
            or self._difference(e, weighted)
        )

    def weighs(self, product: Expr, factor: Expr) -> bool:
        """Test whether a factor of a product is multiplied by a row of the forward: some entries may then vanish."""
        others = [other for other in product.args if other != factor] if isinstance(product, Mul) else []
        return any(axes(other) == (True, True) and not self._moving(other) for other in others)

    # ---- shifts of a row

    def _shift(self, e: Add, name: TypedSymbol) -> Found | None:
        mean = next((s for s in e.free_symbols if self.mean_of.get(s) in (e + s, s - e)), None)
        if mean is not None:
            return ("row centred on its mean", *self._centred(name, mean))
        kind, exact = "shift by the largest entry", "exact at the largest entry"
        top = next((s for s in e.free_symbols if self.values.get(s) == RowMax(e + s)), None)
        if top is not None:
            danger = f"rounds once; the difference is never above 0, for {top} is an entry of the row"
            return kind, danger, exact, "beside the result"
        if e in self.exponentials.differences:
            danger = "rounds once; the difference is never above 0, for what is taken off is the largest of both"
            return kind, danger, "exact at the largest", "beside the result"
        residual = next((s for s in self.residual_of.values() if s in e.free_symbols), None)
        if residual is not None and len(e.args) == 2:
            danger = f"{residual} is what rounding left in the mean, small beside the row"
            return "residual taken off", danger, "rounds once, in the row's own scale", "beside the result"
        return None

    def _centred(self, name: TypedSymbol, mean: TypedSymbol) -> tuple[str, str, Status]:
        body = self.mean_of[mean]
        shown = self.text(body)
        residual = self.residual_of.get(name)
        if residual is None and self.direction == "backward":
            danger = f"where {shown} hardly varies, terms that nearly cancel leave few digits of the result"
            remedy = f"off by a few roundings of the largest |{shown}| of the row"
            return danger, remedy, "beside the result" if self._moving(body) else "beside its terms"
        danger = (
            f"the rounding of {mean} stands in every entry, and counts where |{mean}| is much larger than the"
            " row's spread"
        )
        if residual is None:
            return danger, "none: keep the row's offset near its spread", "open"
        remedy = (
            f"mean({name}) is zero in exact arithmetic; what it is, {residual}, is measured and taken"
            f" off, and {mean} is kept as value and correction"
        )
        return danger, remedy, "removed"

    # ---- functions near a limit

    def _tail(self, e: Add, alone: bool) -> Found | None:
        """Judge 1 - u or 1 + u, or a multiple, where u is a function with values between -1 and 1.

        `alone` if an output is that and nothing larger.
        """
        if len(e.args) != 2 or not e.args[0].is_number:
            return None
        function = e.args[1] / e.args[0]
        limit = "-1" if not function.as_coeff_Mul()[0].is_negative else "1"
        function = -function if limit == "1" else function
        value = self.values.get(function, function)
        base = value.base if isinstance(value, Pow) else value
        if not isinstance(self.values.get(base, base), _LIMITED):
            return None
        shown = self.text(function)
        danger = f"where {shown} is close to {limit} few digits of the difference are left, and from some point on none"
        remedy = "off by one rounding of 1: small beside 1, not beside the difference"
        return "one minus a function", danger, _NO_RULE if alone else remedy, "open" if alone else "beside its terms"

    # ---- the others

    def _difference(self, e: Add, weighted: bool) -> Found | None:
        kind = "difference" if axes(e).features or self.direction == "backward" else "statistic by subtraction"
        subtracts = any(_is_negative(term) for term in e.args)
        if not subtracts and (kind == "difference" or not axes(e).rows or any(t.is_nonnegative for t in e.args)):
            return None
        if all(self._is_nonpositive(term) for term in e.args) or self._is_spread(e):
            return kind, "all terms have one sign", "off by a few roundings of the result", "beside the result"
        if len(e.args) == 2 and all(self._is_given(term) for term in e.args):
            return kind, "both terms are as the caller passed them", "rounds once", "beside the result"
        if any(self.exponentials.is_largest(term) and self._is_small_logarithm(e - term) for term in e.args):
            danger = "the largest entry and a logarithm between 0 and log(D) may be of unlike sign"
            remedy = "off by a few roundings of the largest entry or of log(D), as the row itself may be"
            return "difference", danger, remedy, "beside its terms"
        if all(self._moving(term) for term in e.args):
            return (kind, *self._projection(e, weighted))
        if self._may_agree(e.args):
            return kind, _AGREE, _NO_RULE, "open"
        return kind, _CANCEL, _OF_TERMS, "beside its terms"

    def _projection(self, e: Add, weighted: bool) -> tuple[str, str, Status]:
        """Judge a sum that is linear in cotangents: each entry's own, and what its row has of them."""
        terms: dict[object, list[Expr]] = {}
        for term in e.args:
            moving = [factor for factor in Mul.make_args(term) if self._moving(factor)]
            own = [factor for factor in moving if axes(factor).features]
            key = frozenset(self._inside(Mul(*own)) & {*self.cotangents}) if own else Mul(*moving)
            terms.setdefault(key, []).append(term)
        alike = [members for members in terms.values() if len(members) > 1]
        if any(any(map(_is_negative, m)) and not all(map(_is_negative, m)) and self._may_agree(m) for m in alike):
            return _AGREE, _NO_RULE, "open"
        if alike or weighted:
            return _CANCEL, _OF_TERMS, "beside its terms"
        danger = "terms nearly cancel for a cotangent of a special kind alone"
        return danger, "off by a few roundings of the row's largest entry", "beside the result"

    def _may_agree(self, terms: Collection[Expr]) -> bool:
        """Test whether two terms may be equal: both depend on the same entries, or one is a row and one its number.

        A number may also equal a function of rows that takes it as a value.
        """
        if all(map(_is_negative, terms)):
            return False
        for one, other in combinations(terms, 2):
            if self._entries(one) & self._entries(other):
                return True
            varying = [term for term in (one, other) if self._rows(term)]
            if len(varying) == 1 and not self._is_polynomial(varying[0]):
                return True
            if not all(axes(term).features for term in (one, other)) and self._rows(one) & self._rows(other):
                return True
        return False

    # ---- what a value is made of

    def _inside(self, e: Expr) -> frozenset[TypedSymbol]:
        """The values that the program reads and a value is made of."""
        if e not in self._sources:
            found = {e} if e in self.given and e not in self.values else set()
            parts = [self.values[e]] if e in self.values else e.args
            self._sources[e] = frozenset(found).union(*map(self._inside, parts))
        return self._sources[e]

    def _moving(self, e: Expr) -> bool:
        return not self._inside(e).isdisjoint(self.cotangents)

    def _rows(self, e: Expr) -> set[TypedSymbol]:
        return {symbol for symbol in self._inside(e) if axes(symbol).rows and symbol not in self.cotangents}

    def _entries(self, e: Expr) -> frozenset[TypedSymbol]:
        """The rows of the forward of which each entry of a value is made of the same one."""
        if e not in self._own:
            found = {e} if e in self._rows(e) and axes(e).features else set()
            parts = [self.values[e]] if e in self.values else e.args
            reduces = isinstance(e, (Reduction, SumRows))
            self._own[e] = frozenset(found).union(*(() if reduces else map(self._entries, parts)))
        return self._own[e]

    def _is_given(self, term: Expr) -> bool:
        """Test whether a term has no rounding: a number, or an argument or its extreme, times a power of two."""
        times, symbol = term.as_coeff_Mul()
        value = self.values.get(symbol, symbol)
        value = value.args[0] if isinstance(value, (RowMax, RowMin)) else value
        exact = all(int(part).bit_count() == 1 for part in (abs(times.p), times.q)) if times.is_Rational else False
        return term.is_number or (exact and value in self.given)

    def _is_polynomial(self, e: Expr) -> bool:
        if e not in self._polynomials:
            if isinstance(e, TypedSymbol):
                self._polynomials[e] = e not in self.values or self._is_polynomial(self.values[e])
            else:
                whole = isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0
                made = e.is_number or whole or isinstance(e, (Add, Mul, Reduction, SumRows))
                self._polynomials[e] = bool(made) and all(map(self._is_polynomial, e.args))
        return self._polynomials[e]

    def _is_spread(self, e: Add) -> bool:
        """Test whether a sum is the largest less the smallest entry of a row, plus terms that are not negative."""
        for term in e.args:
            least = self.values.get(-term)
            if isinstance(least, RowMin):
                others = [self.values.get(other, other) for other in e.args if other != term]
                largest = RowMax(least.args[0])
                return largest in others and all(v == largest or v.is_nonnegative for v in others)
        return False

    def _is_nonpositive(self, term: Expr) -> bool:
        value = self.values.get(term, term)
        known = (-term).is_nonnegative or {term, value} & self.exponentials.never_positive
        return bool(known) or self._is_small_logarithm(-term)

    def _is_small_logarithm(self, e: Expr) -> bool:
        """Test whether a row scalar is the logarithm of a sum of exponentials, the largest of which is 1."""
        value = self.values.get(e, e)
        if isinstance(value, Log1p):
            return True
        return isinstance(value, sympy.log) and self.exponentials.least(value.args[0]) == (sympy.S.One,)


def _is_negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)
