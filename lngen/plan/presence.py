"""Presence conditions: predicates on which optional arguments are given.

A condition is the set of its prime implicants: products of literals that suffice, of which no part does. Any condition
has one such set, so that equal conditions compare equal, and products of the sets of two have all of their conjunction
(A. Blake, 1937).

>>> gamma, beta = Condition.of("gamma"), Condition.of("beta")
>>> gamma & ~gamma == NEVER, (gamma | beta) & gamma == gamma, (gamma & beta).implies(gamma)
(True, True, True)
>>> (gamma & ~beta | beta & ~gamma).products()
((('beta', False), ('gamma', True)), (('beta', True), ('gamma', False)))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TypeAlias

from lngen.errors import LngenError

Literal: TypeAlias = tuple[str, bool]
"""A flag, and whether it is set."""

MOST_PRODUCTS = 400
"""Limit of the products of a condition that is printed: more serve neither a reader nor a compiler."""

_MOST = 2000
"""Limit of the products of any other condition, on the way to one."""


@dataclass(frozen=True)
class Condition:
    """Set of cases, with `&`, `|` and `~`; a condition that holds in no case is false."""

    implicants: frozenset[frozenset[Literal]]

    @staticmethod
    def of(flag: str) -> Condition:
        """True where the argument is present."""
        return Condition(frozenset([frozenset([(flag, True)])]))

    def __and__(self, other: Condition) -> Condition:
        return _both(self, other)

    def __or__(self, other: Condition) -> Condition:
        return ~(~self & ~other)

    def __invert__(self) -> Condition:
        return _opposite(self)

    def __bool__(self) -> bool:
        return bool(self.implicants)

    def implies(self, other: Condition) -> bool:
        """Test whether `other` holds wherever this condition holds."""
        return self & other == self

    def given(self, flags: Iterable[str], there: bool = True) -> Condition:
        """Return the condition that remains where these flags are set, or where they are not.

        >>> (Condition.of("a") & Condition.of("b")).given(["a"]) == Condition.of("b")
        True
        """
        return _given(self, frozenset(flags), there)

    def possible(self, flags: Iterable[str]) -> Condition:
        """Return the cases of the other flags in which this condition can hold, whatever these flags are.

        >>> (Condition.of("a") & Condition.of("b")).possible(["a"]) == Condition.of("b")
        True
        """
        whatever = {(flag, there) for flag in flags for there in (True, False)}
        return ~~Condition(frozenset(term - whatever for term in self.implicants))

    def flags(self) -> frozenset[str]:
        """The flags that the condition depends on."""
        return frozenset(flag for term in self.implicants for flag, _ in term)

    def share(self) -> float:
        """Return the share of all cases in which the condition holds."""
        return _share(self)

    def products(self) -> tuple[tuple[Literal, ...], ...]:
        """Return the prime implicants, sorted. Raises LngenError if there are more than `MOST_PRODUCTS`."""
        _require_few(self.implicants, MOST_PRODUCTS)
        return tuple(sorted(tuple(sorted(term)) for term in self.implicants))


ALWAYS = Condition(frozenset([frozenset()]))
NEVER = Condition(frozenset())


def any_of(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that holds where one of these holds."""
    return reduce(Condition.__or__, conditions, NEVER)


def all_of(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that holds where all of these hold."""
    return reduce(Condition.__and__, conditions, ALWAYS)


def _shortest(terms: Iterable[frozenset[Literal]]) -> Condition:
    """Return the condition of some products, without those that another one is a part of."""
    kept: list[frozenset[Literal]] = []
    for term in sorted({*terms}, key=len):
        if not any(shorter <= term for shorter in kept):
            kept.append(term)
    _require_few(kept, _MOST)
    return Condition(frozenset(kept))


def _require_few(products: Collection[frozenset[Literal]], most: int) -> None:
    if len(products) > most:
        raise LngenError(
            f"the results depend in more than {most} ways on which arguments are omitted: make some of them required"
        )


@lru_cache(1 << 16)
def _both(one: Condition, other: Condition) -> Condition:
    terms = (a | b for a in one.implicants for b in other.implicants)
    return _shortest(term for term in terms if not any((flag, not there) in term for flag, there in term))


@lru_cache(1 << 16)
def _given(condition: Condition, flags: frozenset[str], there: bool) -> Condition:
    known, other = ({(flag, value) for flag in flags} for value in (there, not there))
    return _shortest(term - known for term in condition.implicants if term.isdisjoint(other))


@lru_cache(1 << 16)
def _opposite(condition: Condition) -> Condition:
    # The order, of which the result does not depend, is the same in all processes.
    terms = sorted(map(sorted, condition.implicants))
    return all_of(Condition(frozenset(frozenset([(flag, not there)]) for flag, there in term)) for term in terms)


@lru_cache(1 << 16)
def _share(condition: Condition) -> float:
    flag = min(condition.flags(), default=None)
    if flag is None:
        return float(bool(condition))
    return (_share(condition.given([flag])) + _share(condition.given([flag], there=False))) / 2
