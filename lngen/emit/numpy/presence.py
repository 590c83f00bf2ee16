"""The cases of one direction, and conditions on its arguments as Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lngen.plan.presence import ALWAYS, Condition, Literal, all_of, any_of


@dataclass(frozen=True)
class Cases:
    """Cases of one direction: its optional names, and which of them may be absent together.

    `variables` has the variable that is None where a name is absent, if that is not the name itself. At least one name
    of each group of `groups` is present; the first name of a pair of `implied` only if the second is.

    >>> from lngen.plan.presence import ALWAYS, NEVER
    >>> cases = Cases(("gamma", "beta"))
    >>> cases.condition(cases.present("gamma"))
    'gamma is not None'
    >>> cases.condition(~cases.present("beta"))
    'beta is None'
    >>> cases.condition(cases.present("gamma") & cases.present("beta"))
    'gamma is not None and beta is not None'
    >>> cases.condition(ALWAYS), cases.condition(NEVER)
    ('', 'False')

    What all products have in common stands before them:

    >>> cases = Cases(("a", "b", "c"))
    >>> a, b, c = map(cases.present, cases.names)
    >>> cases.condition(a & b | a & c)
    'a is not None and (b is not None or c is not None)'
    """

    names: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    implied: tuple[tuple[str, str], ...] = ()

    @property
    def everything(self) -> Condition:
        """All cases that occur."""
        return _occurring(self)

    def present(self, name: str) -> Condition:
        """The cases in which an argument is present; all of them for one that is required."""
        return Condition.of(name) if name in self.names else ALWAYS

    @lru_cache(maxsize=1024)  # noqa: B019 (few cases, which are as good for the next emission)
    def condition(self, cases: Condition) -> str:
        """A short sum of products that is true in these cases, as Python; "" where it always is."""
        wanted = cases & self.everything
        if wanted == self.everything or not wanted:
            return "" if wanted else "False"
        chosen = self._cover(wanted)
        if len(chosen) == 1:
            return self._text(chosen[0])
        common = [literal for literal in chosen[0] if all(literal in term for term in chosen)]
        others = [tuple(literal for literal in term if literal not in common) for term in chosen]
        text = " or ".join(f"({self._text(term)})" if len(term) > 1 else self._text(term) for term in others)
        return f"{self._text(common)} and ({text})" if common else text

    def is_long(self, cases: Condition) -> bool:
        """Test whether the condition of these cases has more than one test."""
        return self.condition(cases).count(" is ") > 1

    def _cover(self, wanted: Condition) -> list[tuple[Literal, ...]]:
        """Products that together are true in exactly the wanted cases, the widest taken first."""
        left, chosen = wanted, []
        for_others = self.everything & ~wanted
        allowed = ~for_others.possible(set(self.names) - set(self._deciding(wanted, for_others)))
        implicants = sorted((self._in_order(term) for term in allowed.products()), key=self._place)
        while left:
            best = max(implicants, key=lambda term: ((_cases_of(term) & left).share(), -len(term)))
            chosen.append(best)
            left &= ~_cases_of(best)
        return chosen

    def _deciding(self, wanted: Condition, others: Condition) -> list[str]:
        """Return arguments that separate the wanted cases from the others, as few as possible."""
        left = []
        for name in self.names:
            blind = wanted.possible([name]), others.possible([name])
            if blind[0] & blind[1]:
                left.append(name)
            else:
                wanted, others = blind
        return left

    def _in_order(self, term: Sequence[Literal]) -> tuple[Literal, ...]:
        return tuple(sorted(term, key=lambda literal: self.names.index(literal[0])))

    def _place(self, term: Sequence[Literal]) -> tuple[int, list[int], list[bool]]:
        """Return the sort key of a product: short ones first, then by the order of the names."""
        return len(term), [self.names.index(name) for name, _ in term], [not sign for _, sign in term]

    def _text(self, term: Sequence[Literal]) -> str:
        variables = dict(self.variables)
        return " and ".join(f"{variables.get(name, name)} is {'not ' if sign else ''}None" for name, sign in term)


def _cases_of(term: Sequence[Literal]) -> Condition:
    return all_of(Condition.of(name) if sign else ~Condition.of(name) for name, sign in term)


@lru_cache(maxsize=1024)
def _occurring(cases: Cases) -> Condition:
    found = all_of(any_of(map(cases.present, group)) for group in cases.groups)
    return found & all_of(~cases.present(name) | cases.present(needs) for name, needs in cases.implied)
