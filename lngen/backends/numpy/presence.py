"""Which arguments are there: sets of cases, and conditions on arguments as text.

An optional input or a cotangent may be left out, so a program with k of them has 2**k *cases*. A set of cases
is an `int` with one bit a case; in case `c`, bit `i` of `c` says that argument `i` is present. Set algebra is
then `&`, `|`, `~`, and what a line of emitted code needs is known exactly, with nothing approximated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, product

from lngen.errors import LngenError

MOST_OPTIONAL = 10


@cache
def _cases_with(argument: int, count: int) -> int:
    """The cases, of so many arguments, in which one is present: every other run of 2**argument bits."""
    run = 1 << argument
    return sum(((1 << run) - 1) << start for start in range(run, 1 << count, 2 * run))


@dataclass(frozen=True)
class Cases:
    """The cases of one direction: the optional names, what is written for "is present", which cases occur.

    At least one name of `one_of`, and of each group of `groups`, is present; the first name of a pair of `implied` only
    where the second is.

    >>> cases = Cases(("gamma", "beta"))
    >>> cases.condition(cases.present("gamma"))
    'gamma is not None'
    >>> cases.condition(cases.everything & ~cases.present("beta"))
    'beta is None'
    >>> cases.condition(cases.present("gamma") & cases.present("beta"))
    'gamma is not None and beta is not None'
    >>> cases.condition(cases.everything), cases.condition(0)
    ('', 'False')

    What all products have in common stands before them:

    >>> cases = Cases(("a", "b", "c"))
    >>> a, b, c = map(cases.present, cases.names)
    >>> cases.condition(a & b | a & c)
    'a is not None and (b is not None or c is not None)'
    """

    names: tuple[str, ...]
    tests: tuple[tuple[str, str], ...] = ()
    one_of: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    implied: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if len(self.names) > MOST_OPTIONAL:
            raise LngenError(
                f"{len(self.names)} arguments can be left out ({', '.join(self.names)}); "
                f"the NumPy backend follows at most {MOST_OPTIONAL}: make some of them required"
            )

    @property
    def everything(self) -> int:
        """All cases that occur."""
        return _occurring(self)

    def present(self, name: str) -> int:
        """The cases in which an argument is present; all of them for one that is required."""
        if name not in self.names:
            return (1 << (1 << len(self.names))) - 1
        return _cases_with(self.names.index(name), len(self.names))

    def condition(self, cases: int) -> str:
        """A short sum of products that is true in these cases, as Python; "" where it always is."""
        return _condition(self, cases)

    def _condition(self, cases: int) -> str:
        everything = self.everything
        wanted = cases & everything
        if wanted == everything:
            return ""
        if not wanted:
            return "False"
        either = self._one_clause(wanted)
        if either is not None:
            return either
        chosen = self._cover(wanted)
        common = [literal for literal in chosen[0] if all(literal in term for term in chosen)]
        others = [tuple(literal for literal in term if literal not in common) for term in chosen]
        if len(chosen) == 1:
            return self._text(chosen[0])
        either = " or ".join(f"({self._text(term)})" if len(term) > 1 else self._text(term) for term in others)
        return f"{self._text(tuple(common))} and ({either})" if common else either

    def _one_clause(self, wanted: int) -> str | None:
        """`a or not b`: a product of none of the literals, when that is shorter than any sum of products."""
        for size in (1, 2):
            for indices in combinations(range(len(self.names)), size):
                for signs in product((True, False), repeat=size):
                    literals = list(zip(indices, signs, strict=True))
                    covered = 0
                    for literal in literals:
                        covered |= self._cases_of((literal,))
                    if covered & self.everything == wanted:
                        return " or ".join(self._text((literal,)) for literal in literals)
        return None

    def _cover(self, wanted: int) -> list[tuple[tuple[int, bool], ...]]:
        """Products that together are true in exactly the wanted cases, the widest taken first."""
        left, chosen = wanted, []
        others = self.everything & ~wanted
        deciding = self._deciding(wanted, others)
        implicants = [term for term in self._products(deciding) if not self._cases_of(term) & others]
        while left:
            best = max(implicants, key=lambda term: ((self._cases_of(term) & left).bit_count(), -len(term)))
            chosen.append(best)
            left &= ~self._cases_of(best)
        return chosen

    def _deciding(self, wanted: int, others: int) -> list[int]:
        """Arguments that tell the wanted cases from the others; as many as can be are left out, the first first."""
        left = []
        for index, name in enumerate(self.names):
            present, run = self.present(name), 1 << index
            blind = [cases | (cases & present) >> run | (cases & ~present) << run for cases in (wanted, others)]
            if blind[0] & blind[1]:
                left.append(index)
            else:
                wanted, others = blind
        return left

    def _products(self, indices_of: list[int]) -> Iterator[tuple[tuple[int, bool], ...]]:
        for size in range(1, len(indices_of) + 1):
            for indices in combinations(indices_of, size):
                for signs in product((True, False), repeat=size):
                    yield tuple(zip(indices, signs, strict=True))

    def _cases_of(self, term: tuple[tuple[int, bool], ...]) -> int:
        cases = (1 << (1 << len(self.names))) - 1
        for index, sign in term:
            present = self.present(self.names[index])
            cases &= present if sign else ~present
        return cases

    def _text(self, term: tuple[tuple[int, bool], ...]) -> str:
        tests = dict(self.tests)
        words = []
        for index, sign in term:
            test = tests.get(self.names[index], f"{self.names[index]} is not None")
            if sign:
                words.append(test)
            else:
                words.append(test.replace(" is not None", " is None") if " is not None" in test else f"not {test}")
        return " and ".join(words)


@lru_cache(maxsize=1024)
def _occurring(cases: Cases) -> int:
    found = (1 << (1 << len(cases.names))) - 1
    for group in (cases.one_of, *cases.groups):
        some = 0
        for name in group:
            some |= cases.present(name)
        found &= some if group else found
    for name, needs in cases.implied:
        found &= ~cases.present(name) | cases.present(needs)
    return found


@lru_cache(maxsize=1024)
def _condition(cases: Cases, wanted: int) -> str:
    return cases._condition(wanted)
