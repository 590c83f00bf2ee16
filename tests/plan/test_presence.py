"""The algebra of presence conditions, against truth tables."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lngen.errors import LngenError
from lngen.plan import presence
from lngen.plan.presence import ALWAYS, Condition, all_of, any_of

FLAGS = "abcd"
CASES = [
    frozenset(flag for flag, there in zip(FLAGS, choice, strict=True) if there) for choice in product((0, 1), repeat=4)
]

tables = st.frozensets(st.sampled_from(CASES))
"""Sets of cases, each case the set of flags that are present in it."""


def holding_in(cases):
    """The condition that holds in these cases and in no other."""
    return any_of(
        all_of(Condition.of(flag) if flag in case else ~Condition.of(flag) for flag in FLAGS) for case in cases
    )


def table(condition):
    """The cases in which a condition holds."""
    return frozenset(case for case in CASES if holds(condition, case))


def holds(condition, case):
    return condition.given(case).given(set(FLAGS) - case, there=False) == ALWAYS


@given(tables, tables)
def test_it_is_the_algebra_of_sets(one, other):
    first, second = holding_in(one), holding_in(other)
    assert table(first & second) == one & other
    assert table(first | second) == one | other
    assert table(~first) == frozenset(CASES) - one
    assert first.implies(second) == (one <= other)
    assert bool(first) == bool(one)
    assert first.share() == len(one) / len(CASES)
    assert (first == second) == (one == other)


@given(tables)
def test_products_are_the_prime_implicants(cases):
    """An enumeration of all products gives those that suffice and that no shorter one implies."""
    sufficient = []
    for signs in product((None, True, False), repeat=len(FLAGS)):
        term = tuple((flag, sign) for flag, sign in zip(FLAGS, signs, strict=True) if sign is not None)
        if all(case in cases for case in CASES if all((flag in case) == sign for flag, sign in term)):
            sufficient.append(term)
    primes = [term for term in sufficient if not any(set(other) < set(term) for other in sufficient)]
    assert holding_in(cases).products() == tuple(sorted(primes))


def test_what_cannot_be_spelled_is_refused(monkeypatch):
    monkeypatch.setattr(presence, "MOST_PRODUCTS", 7)
    pairs = [Condition.of(f"a{n}") | Condition.of(f"b{n}") for n in range(4)]
    assert all_of(pairs).share() == (3 / 4) ** 4
    with pytest.raises(LngenError, match=r"in more than 7 ways on which arguments are omitted: make"):
        all_of(pairs).products()
