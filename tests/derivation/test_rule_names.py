"""Names that rules make, given to a user's values: no rule takes another value for its own.

The names are those that rules ask for while a definition is derived, so that a new rule is tried with its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lngen.algebra.equations import Names
from lngen.algebra.symbols import TypedSymbol, symbol_like
from lngen.derivation.derivation import Derivation
from lngen.derivation.simplify import normalized
from lngen.errors import DefinitionError
from lngen.language.names import fault
from lngen.language.parsing import parse
from lngen.pipeline import stages
from tests.corpus import FILES, TEXTS
from tests.fuzz.tree import names_of, renamed
from tests.tiers import sample

NORMALIZED = "def f(x: Row):\n    h = x - log(sum(exp(x)))\n    return mean(h**2)\n"
SCALED = "def f(x: Row, c: Constant = 2): return exp(c*x)/sum(exp(c*x))"
DEFINITIONS = {"normalized": NORMALIZED, "scaled": SCALED, **FILES, **TEXTS}
CI = ["log_partition", "normalized", "scaled", *[*FILES, *TEXTS][1::120]]
SOURCES = sorted((Path(__file__).parents[2] / "lngen").rglob("*.py"))


def derived(text: str) -> Derivation:
    """The derivation with its proofs, made now. Raises EvidenceError where it does not hold."""
    made = stages._proved(stages._planned(parse(text), lambda stage: None).derivation)
    stages.require_evidence(made)
    return made


def made_by_rules(text: str) -> list[str]:
    """The names that rules and the planner ask for while a definition is derived, where a user may."""
    found: set[str] = set()

    fresh = Names.fresh
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Names, "fresh", lambda self, wanted: found.update([wanted]) or fresh(self, wanted))
        stages._planned(parse(text), lambda stage: None)
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


@pytest.mark.parametrize("result", ["mean(p**2)", pytest.param("p*mean(p)", marks=pytest.mark.ci), "p**2"])
def test_a_statement_called_p_is_no_normalized_exponential(result: str) -> None:
    derived(f"def f(x: Row):\n    p = x - log(sum(exp(x)))\n    return {result}")


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", DEFINITIONS)
def test_rules_with_their_names_in_every_role_derive_the_same_layer(name: str) -> None:
    text = DEFINITIONS[name]
    for turn in range(1, 1 + len(names_of(text))):
        for variant in variants(text, turn):
            derived(variant)


@pytest.mark.ci
def test_a_rule_that_makes_a_symbol_of_a_bare_name_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalized, "stand_in", lambda words, like: symbol_like("p", like))
    assert "p" in made_by_rules(NORMALIZED)
    with pytest.raises(stages.EvidenceError, match="normalized exponentials"):
        derived(named(NORMALIZED, {"h": "p"}))


# ---- no symbol of a bare name

_MAKERS = {"symbol_like", "Symbol", *(kind.__name__ for kind in TypedSymbol.__subclasses__())}
_OWN = ("algebra/symbols.py", "plan/cost/", "prove/", "emit/cuda/")
"""Files whose symbols never meet those of a definition: D itself, units, and renamed names."""


def bare_names(source: str) -> list[str]:
    """The calls in a module that make a symbol of a text, and not of a name that was asked for.

    >>> bare_names('a = symbol_like("p", x); b = symbol_like(names.fresh("p"), x); c = RowSymbol(f"held_{n}")')
    ['symbol_like("p", x)', 'RowSymbol(f"held_{n}")']
    """
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args]
    return [
        ast.get_source_segment(source, call) or ""
        for call in calls
        if _called(call.func) in _MAKERS and isinstance(call.args[0], (ast.Constant, ast.JoinedStr))
    ]


def _called(function: Any) -> str:
    return str(getattr(function, "attr", getattr(function, "id", "")))


@pytest.mark.ci
def test_no_module_makes_a_symbol_of_a_bare_name() -> None:
    paths = [path for path in SOURCES if not any(own in path.as_posix() for own in _OWN)]
    assert len(paths) > 200
    found = {path.name: bare_names(path.read_text(encoding="utf-8")) for path in paths}
    assert {name: calls for name, calls in found.items() if calls} == {}
