"""Presence conditions: predicates on which optional arguments are given.

With k such arguments there are 2**k cases, so none is ever listed. A condition is the set of cases in which it holds,
held as a reduced ordered binary decision diagram (BDD): it tests one flag after the other, in the order of their names,
and skips flags that do not matter. Equal conditions are one object, and every answer is exact.

>>> gamma, beta = Condition.of("gamma"), Condition.of("beta")
>>> gamma & ~gamma is NEVER, (gamma | beta) & gamma is gamma, (gamma & beta).implies(gamma)
(True, True, True)
>>> (gamma & ~beta | beta & ~gamma).products()
((('beta', False), ('gamma', True)), (('beta', True), ('gamma', False)))
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache, reduce
from typing import TypeAlias

from lngen.errors import LngenError

Literal: TypeAlias = tuple[str, bool]
"""A flag, and whether it is set."""

MOST_PRODUCTS = 400
"""Limit of the products of a condition that is printed: longer ones serve neither a reader nor a compiler."""

_CACHED = 1 << 16
_AFTER_ALL_FLAGS = "\U0010ffff"


class Condition:
    """Set of cases, with `&`, `|` and `~`; a condition that holds in no case is false.

    `flag` is the first flag that it tests, `present` and `absent` are the conditions that remain then. Both are None in
    `ALWAYS` and `NEVER`, which test no flag.
    """

    __slots__ = ("absent", "flag", "present")

    def __init__(self, flag: str, present: Condition | None, absent: Condition | None) -> None:
        self.flag, self.present, self.absent = flag, present, absent

    @staticmethod
    def of(flag: str) -> Condition:
        """True where the argument is present."""
        return _node(flag, ALWAYS, NEVER)

    def __and__(self, other: Condition) -> Condition:
        return _both(self, other)

    def __or__(self, other: Condition) -> Condition:
        return _opposite(_both(_opposite(self), _opposite(other)))

    def __invert__(self) -> Condition:
        return _opposite(self)

    def __bool__(self) -> bool:
        return self is not NEVER

    def __repr__(self) -> str:
        return f"Condition({self.products()})"

    def implies(self, other: Condition) -> bool:
        """Test whether `other` holds wherever this condition holds."""
        return not self & ~other

    def branches(self, flag: str) -> tuple[Condition, Condition]:
        """Return the conditions that remain where a flag is set, and where it is not.

        The flag is not after the first flag that this condition tests.
        """
        if self.present is None or self.absent is None or self.flag != flag:
            return self, self
        return self.present, self.absent

    def given(self, flags: Iterable[str]) -> Condition:
        """Return the condition that remains where these flags are set.

        >>> (Condition.of("a") & Condition.of("b")).given(["a"]) == Condition.of("b")
        True
        """
        return reduce(_given, flags, self)

    def possible(self, flags: Iterable[str]) -> Condition:
        """Return the cases of the other flags in which this condition can hold, whatever these flags are.

        >>> (Condition.of("a") & Condition.of("b")).possible(["a"]) == Condition.of("b")
        True
        """
        return reduce(_possible, flags, self)

    def flags(self) -> frozenset[str]:
        """The flags that the condition depends on."""
        return _flags(self)

    def share(self) -> float:
        """Return the share of all cases in which the condition holds."""
        return _share(self)

    def products(self) -> tuple[tuple[Literal, ...], ...]:
        """Return the prime implicants, sorted: each product of literals that suffices, and that is minimal.

        Raises LngenError if there are more than `MOST_PRODUCTS`.
        """
        return tuple(sorted(_products(self)))


ALWAYS = Condition(_AFTER_ALL_FLAGS, None, None)
NEVER = Condition(_AFTER_ALL_FLAGS, None, None)


def any_of(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that holds where one of these holds."""
    return reduce(Condition.__or__, conditions, NEVER)


def all_of(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that holds where all of these hold."""
    return reduce(Condition.__and__, conditions, ALWAYS)


def _node(flag: str, present: Condition, absent: Condition) -> Condition:
    """Return the unique condition that tests a flag first; the flags of the others come after it."""
    return present if present is absent else _made_once(flag, present, absent)


@cache
def _made_once(flag: str, present: Condition, absent: Condition) -> Condition:
    return Condition(flag, present, absent)


@lru_cache(_CACHED)
def _both(one: Condition, other: Condition) -> Condition:
    if one is other or other is ALWAYS:
        return one
    if one is ALWAYS:
        return other
    if one is NEVER or other is NEVER:
        return NEVER
    flag = min(one.flag, other.flag)
    (there, not_there), (there_too, not_there_too) = one.branches(flag), other.branches(flag)
    return _node(flag, _both(there, there_too), _both(not_there, not_there_too))


@lru_cache(_CACHED)
def _opposite(condition: Condition) -> Condition:
    if condition.present is None or condition.absent is None:
        return NEVER if condition is ALWAYS else ALWAYS
    return _node(condition.flag, _opposite(condition.present), _opposite(condition.absent))


@lru_cache(_CACHED)
def _given(condition: Condition, flag: str) -> Condition:
    if condition.present is None or condition.absent is None or condition.flag >= flag:
        return condition.branches(flag)[0]
    return _node(condition.flag, _given(condition.present, flag), _given(condition.absent, flag))


@lru_cache(_CACHED)
def _possible(condition: Condition, flag: str) -> Condition:
    if condition.present is None or condition.absent is None or condition.flag >= flag:
        present, absent = condition.branches(flag)
        return present | absent
    return _node(condition.flag, _possible(condition.present, flag), _possible(condition.absent, flag))


@lru_cache(_CACHED)
def _flags(condition: Condition) -> frozenset[str]:
    if condition.present is None or condition.absent is None:
        return frozenset()
    return frozenset({condition.flag}) | _flags(condition.present) | _flags(condition.absent)


@lru_cache(_CACHED)
def _share(condition: Condition) -> float:
    if condition.present is None or condition.absent is None:
        return float(condition is ALWAYS)
    return (_share(condition.present) + _share(condition.absent)) / 2


@lru_cache(_CACHED)
def _products(condition: Condition) -> tuple[tuple[Literal, ...], ...]:
    """Return the prime implicants: those of cases that hold either way, and those of each way that need the flag."""
    if condition.present is None or condition.absent is None:
        return ((),) if condition is ALWAYS else ()
    both = condition.present & condition.absent
    found = list(_products(both))
    for branch, sign in ((condition.present, True), (condition.absent, False)):
        found += [((condition.flag, sign), *product) for product in _products(branch) if not _suffices(product, both)]
    if len(found) > MOST_PRODUCTS:
        raise LngenError(
            f"the results depend in more than {MOST_PRODUCTS} ways on which arguments are omitted: "
            "make some of them required"
        )
    return tuple(found)


def _suffices(product: tuple[Literal, ...], condition: Condition) -> bool:
    """Test whether a product, whose literals are in the order of their flags, implies a condition."""
    if not product or condition.present is None or condition.absent is None:
        return condition is ALWAYS
    flag, sign = product[0]
    if flag > condition.flag:
        return _suffices(product, condition.present) and _suffices(product, condition.absent)
    return _suffices(product[1:], condition.branches(flag)[0 if sign else 1])
