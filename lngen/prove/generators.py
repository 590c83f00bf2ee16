"""Sparse polynomials over generators, with which a proof for every D computes.

A generator is a value that is not a polynomial in others: an input at a generic feature, the mean of a product, a root,
an exponential. It has axes, and may be known to be positive. A monomial is a sorted tuple of (generator, exponent) with
rational exponents: `u**(-1/2)` is one generator u to the power -1/2, beside any other powers of u.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import QQ

from lngen.algebra.budget import Budget
from lngen.algebra.symbols import NOTHING, Axes

Exponent = Any
Monomial = tuple[tuple[int, Exponent], ...]
Polynomial = dict[Monomial, Any]
Items = frozenset[tuple[Monomial, Any]]

_UNIT = QQ(1)
ONE: Polynomial = {(): _UNIT}


class UndefinedError(Exception):
    """Error for a divisor that is zero, whatever the values of its symbols."""


class _HashedFraction(Fraction):
    """Fraction that keeps its hash, which takes a modular inverse."""

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:  # type: ignore[override]
        try:
            return self._hash
        except AttributeError:
            self._hash = super().__hash__()
            return self._hash


@dataclass(frozen=True)
class Generator:
    """Generator of the polynomials, with its known properties.

    `inside` is the argument of a root, a function, an indicator or an extreme, and `body` that of a mean or a sum.
    `attained` marks an indicator that is 1 at one feature of every row. `one_sided` marks an indicator whose argument
    is not negative. `squared` is the square of a cosine. `found` is the sum of the indicator of one place: 1 where the
    row has that place.
    """

    kind: str
    axes: Axes
    positive: bool = False
    nonnegative: bool = False
    inside: Items = frozenset()
    body: Monomial = ()
    attained: bool = False
    one_sided: bool = False
    squared: Items = frozenset()
    found: Items = frozenset()

    @property
    def base(self) -> Polynomial:
        """Return the argument as a polynomial."""
        return dict(self.inside)

    @property
    def square(self) -> Polynomial:
        """The square of a cosine, as a polynomial."""
        return dict(self.squared)


INDICATORS = ("positive", "negative", "attains")
"""Kinds of generators that are 0 or 1."""

FUNCTIONS = ("power", "exp", "log", "normal", "sine", "cosine", "arc sine", "arc tangent")
"""Kinds of generators that are functions of one value."""


_HASHED = (int, _HashedFraction)
"""Types of the exponents of a product."""


_FACTORS = 16
"""Factors of two terms whose product is a unit of work."""


class Generators:
    """Generators found so far, each once, in an order in which each comes after its parts."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.known: list[Generator] = []
        self._places: dict[Any, int] = {}
        self._indicators: set[int] = set()
        self._primes: dict[int, int] = {}
        self._within: dict[int, frozenset[int]] = {}
        self._products: dict[Monomial, dict[Monomial, tuple[Any, Monomial] | None]] = {}
        self._sums: dict[tuple[Exponent, Exponent], Exponent] = {}

    def place(self, key: Any, make: Callable[[], Generator]) -> int:
        """The number of the generator with this key, made where it is new."""
        if key not in self._places:
            made = make()
            self._places[key] = len(self.known)
            self.known.append(made)
            if made.kind in INDICATORS:
                self._indicators.add(self._places[key])
            if made.kind == "prime":
                self._primes[self._places[key]] = key[1]
        return self._places[key]

    def known_as(self, key: Any) -> int | None:
        """Return the number of the generator with this key; None if there is none."""
        return self._places.get(key)

    def opposite(self, place: int) -> int:
        """The indicator of the other sign: the two are made together."""
        return place + 1 if self.known[place].kind == "positive" else place - 1

    # ---- arithmetic

    def product_of(self, a: Monomial, b: Monomial) -> tuple[Any, Monomial] | None:
        """The product of two monomials and a number that comes out of it; None where it is zero."""
        found = self._products.setdefault(a, {})
        if b not in found:
            found[b] = self._product_of(a, b)
        return found[b]

    def _product_of(self, a: Monomial, b: Monomial) -> tuple[Any, Monomial] | None:
        powers = dict(a)
        for place, exponent in b:
            powers[place] = self._sum(powers[place], exponent) if place in powers else exponent
        number = _UNIT
        for place in powers.keys() & self._indicators:
            powers[place] = min(powers[place], 1)
            if powers[place] == 1 and self.known[place].kind == "positive" and powers.get(place + 1, 0) > 0:
                return None
        for place in powers.keys() & self._primes.keys():
            whole = powers[place] // 1
            number *= QQ(self._primes[place]) ** int(whole)
            powers[place] = self._sum(powers[place], -whole)
        factors = [
            (place, exponent if type(exponent) in _HASHED else self._sum(exponent, 0))
            for place, exponent in powers.items()
            if type(exponent) is not int or exponent
        ]
        return number, tuple(sorted(factors))

    def _sum(self, a: Exponent, b: Exponent) -> Exponent:
        if type(a) is int and type(b) is int:
            return a + b
        key = a, b
        if key not in self._sums:
            total = Fraction(a + b)
            self._sums[key] = int(total) if total.denominator == 1 else _HashedFraction(total)
        return self._sums[key]

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The product of two polynomials, multiplied out."""
        # Two terms of many factors, as an exponential of a long sum has, take as long as many of a few.
        longest = sum(max(map(len, p), default=0) for p in (a, b))
        self.budget.spend(len(a) * len(b) * (1 + longest // _FACTORS))
        result: Polynomial = {}
        for one, c in a.items():
            products = self._products.setdefault(one, {})
            for other, d in b.items():
                if other not in products:
                    products[other] = self._product_of(one, other)
                found = products[other]
                if found is not None:
                    number, monomial = found
                    add_term(result, monomial, c * d if number is _UNIT else c * d * number)
        return result

    def whole_power(self, p: Polynomial, exponent: int) -> Polynomial:
        """A polynomial multiplied by itself."""
        result = ONE
        for _ in range(exponent):
            result = self.product(result, p)
        return result

    def divided(self, monomial: Monomial, by: Monomial) -> Monomial | None:
        """Return the quotient of two monomials; None if it has a pole that the first monomial lacks.

        A rewrite may divide by a positive factor, or remove a power. A new pole would be mistaken for one of the
        statement.
        """
        powers = dict(monomial)
        if not all(self.known[p].positive or powers.get(p, 0) >= k or powers.get(p, 0) < 0 for p, k in by):
            return None
        found = self.product_of(monomial, inverse(by))
        return None if found is None else found[1]

    def has_pole(self, monomial: Monomial) -> bool:
        """Test whether a monomial divides by a factor that is not known to be positive."""
        return any(exponent < 0 and not self.known[place].positive for place, exponent in monomial)

    # ---- what is known

    def axes(self, monomial: Monomial) -> Axes:
        """Return the axes that a product varies over."""
        found = NOTHING
        for place, _ in monomial:
            found = found.join(self.known[place].axes)
        return found

    def split(self, monomial: Monomial, varies: Callable[[Axes], bool]) -> tuple[Monomial, Monomial]:
        """Return the factors whose axes do not satisfy `varies`, and those whose axes do."""
        inner = tuple(factor for factor in monomial if varies(self.known[factor[0]].axes))
        return tuple(factor for factor in monomial if factor not in inner), inner

    def nonnegative(self, monomial: Monomial) -> bool:
        """Test whether each factor is known not to be negative.

        The base of an even root is not negative wherever the root is defined.
        """
        return all(
            self.known[place].nonnegative or exponent % 2 == 0 or exponent.denominator % 2 == 0
            for place, exponent in monomial
        )

    def positive(self, monomial: Monomial) -> bool:
        """Test whether each factor is known to be positive."""
        return all(self.known[place].positive for place, _ in monomial)

    def within(self, place: int) -> frozenset[int]:
        """Return the generators inside a generator, those inside of them, and so on."""
        if place not in self._within:
            g = self.known[place]
            inner = {*places(g.base), *(other for other, _ in g.body)}
            self._within[place] = frozenset(inner).union(*map(self.within, inner))
        return self._within[place]

    def sign(self, p: Polynomial) -> int | None:
        """Return 1 if p is positive by its form, 0 if it is not negative, None if neither is visible."""
        if not all(c > 0 and self.nonnegative(m) for m, c in p.items()):
            return None
        return int(any(map(self.positive, p)))


def add_term(p: Polynomial, monomial: Monomial, coefficient: Any) -> None:
    """Add a term to a polynomial, in place."""
    before = p.get(monomial)
    total = coefficient if before is None else before + coefficient
    if total:
        p[monomial] = total
    else:
        p.pop(monomial, None)


def add(total: Polynomial, p: Polynomial) -> None:
    """Add a polynomial to another one, in place."""
    for monomial, coefficient in p.items():
        add_term(total, monomial, coefficient)


def plus(*polynomials: Polynomial) -> Polynomial:
    """The sum.

    >>> plus({(): QQ(1)}, {(): QQ(-1), ((0, 1),): QQ(2)}) == {((0, 1),): 2}
    True
    """
    first, *others = sorted(polynomials, key=len, reverse=True)
    result = dict(first)
    for p in others:
        add(result, p)
    return result


def scaled(p: Polynomial, factor: Any) -> Polynomial:
    """Every coefficient times a number."""
    return {m: c * factor for m, c in p.items()} if factor else {}


def minus(a: Polynomial, b: Polynomial) -> Polynomial:
    """The difference."""
    return plus(a, scaled(b, QQ(-1)))


def single(place: int, exponent: Exponent = 1) -> Polynomial:
    """A power of a generator."""
    return {((place, exponent),): QQ(1)}


def inverse(monomial: Monomial, exponent: Exponent = -1) -> Monomial:
    """A power of a monomial, factor by factor."""
    return tuple((place, power * exponent) for place, power in monomial)


def in_order(monomials: Iterable[Monomial]) -> list[Monomial]:
    """Monomials, the largest first: by the exponent of the generator that was made last, then of the one before.

    >>> in_order([(), ((0, 5),), ((0, 1), (1, 1))])
    [((0, 1), (1, 1)), ((0, 5),), ()]
    """
    return sorted(monomials, key=lambda m: tuple(reversed(m)), reverse=True)


def places(p: Polynomial) -> Iterator[int]:
    """The generators of a polynomial, some more than once."""
    return (place for monomial in p for place, _ in monomial)
