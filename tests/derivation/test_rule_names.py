"""Names that rules make, given to a user's values: no rule takes another value for its own.

The names are those that rules ask for while a definition is derived, so that a new rule is tried with its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from lngen.algebra.equations import Names
from lngen.derivation.derivation import Derivation
from lngen.derivation.gradients import derive
from lngen.derivation.second_order import with_second_order
from lngen.errors import DefinitionError
from lngen.language.names import fault
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.prove import prove
from tests.corpus import FILES, TEXTS
from tests.fuzz.tree import names_of, renamed
from tests.tiers import sample

NORMALIZED = "def f(x: Row):\n    h = x - log(sum(exp(x)))\n    return mean(h**2)\n"
SCALED = "def f(x: Row, c: Constant = 2): return exp(c*x)/sum(exp(c*x))"
DEFINITIONS = {"normalized": NORMALIZED, "scaled": SCALED, **FILES, **TEXTS}
CI = ["log_partition", "normalized", "scaled", *[*FILES, *TEXTS][1::120]]


def derived(text: str) -> Derivation:
    """The derivation with its proofs, made now. They hold."""
    made = prove(with_second_order(derive(parse(text))))
    assert [proof.statement for proof in made.proofs if not proof.passed] == []
    return made


def made_by_rules(text: str) -> list[str]:
    """The names that rules and the planner ask for while a definition is derived, where a user may."""
    found: set[str] = set()

    fresh = Names.fresh
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Names, "fresh", lambda self, wanted: found.update([wanted]) or fresh(self, wanted))
        plan(with_second_order(derive(parse(text))))
    return sorted(name for name in found if fault(name) is None and name not in names_of(text))


def named(text: str, names: dict[str, str]) -> str:
    """The definition with its values under other names; the key `def` is that of the function."""
    text = renamed(text, {old: new for old, new in names.items() if old != "def"})
    return re.sub(r"def \w+\(", f"def {names['def']}(", text) if "def" in names else text


def variants(text: str, turn: int) -> Iterator[str]:
    """Definitions in which each name that a rule makes has a role: another one in each turn, of `len(roles)`."""
    roles = [*names_of(text), "def"]
    made = made_by_rules(text)
    for start in range(0, len(made), len(roles)):
        few = made[start : start + len(roles)]
        places = [roles[(place + turn) % len(roles)] for place in range(len(few))]
        together = named(text, dict(zip(places, few, strict=True)))
        if is_read(together):
            yield together
        else:  # such as `dx` beside `x`, of which one would be the gradient of the other
            yield from filter(is_read, (named(text, {place: name}) for place, name in zip(places, few, strict=True)))


def is_read(text: str) -> bool:
    """Test whether the language accepts a definition."""
    try:
        parse(text)
    except DefinitionError:
        return False
    return True


@pytest.mark.parametrize("name", sample(DEFINITIONS, (), {*CI}))
def test_rules_with_their_names_taken_derive_the_same_layer(name: str) -> None:
    for text in variants(DEFINITIONS[name], turn=0):
        derived(text)


@pytest.mark.parametrize("result", sample(["mean(p**2)", "p*mean(p)", "p**2"], ["mean(p**2)"]))
def test_a_statement_called_p_is_no_normalized_exponential(result: str) -> None:
    derived(f"def f(x: Row):\n    p = x - log(sum(exp(x)))\n    return {result}")
