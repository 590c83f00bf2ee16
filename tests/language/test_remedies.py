"""Each refusal's remedy, followed literally: what it leads to is derived, and gives the value that was asked for.

The examples are those of `docs/errors.md`. A remedy either names what to write, or says that something cannot be said
in a definition and where to do it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from docs.refusals import SECTIONS
from docs.refusals.catalogue import Example, formula
from docs.refusals.habits import ARCS
from lngen.derivation.gradients import derive
from lngen.errors import DefinitionError
from lngen.language import FUNCTIONS
from lngen.language.oracle.evaluate import evaluate
from lngen.language.parsing import expressions, instead, parse, parser
from lngen.language.parsing.refusals import REFUSALS
from lngen.language.parsing.source import code_of
from lngen.language.syntax import Kind
from tests.shipped import ROOT
from tests.tiers import sample

EXAMPLES = {f"{section.title} {number}": each for section in SECTIONS for number, each in enumerate(section.examples)}
SHAPES = {Kind.ROW: (3, 5), Kind.DATA: (3, 5), Kind.ROW_SCALAR: (3,), Kind.DATA_PER_ROW: (3,), Kind.FEATURE: (5,)}
# Python's own parser or tokenizer has to trip over the text, differently in each version.
WITHOUT_EXAMPLE = {"type-parameters", "unreadable", "await"}
CANNOT = "cannot be said"


@functools.cache
def refused(text: str) -> DefinitionError:
    with pytest.raises(DefinitionError) as found:
        derive(parse(text, "f.py"))
    return found.value


def inputs(example: Example) -> dict[str, Any]:
    """Random values of what the definition and the value asked for are made from, by name."""
    random = np.random.default_rng(0)
    kinds = {each.name: each.kind for each in parse(example.followed).passed if each.name not in example.outside}
    for function in (example.value, *example.outside.values()):
        kinds = dict.fromkeys(_parameters(function) - {*kinds}, Kind.ROW) | kinds
    found = {name: random.uniform(example.low, example.high, SHAPES.get(kind, ())) for name, kind in kinds.items()}
    return {name: value // 1 if kinds[name].is_integer else value for name, value in found.items()}


def _parameters(function: Any) -> set[str]:
    return {*inspect.signature(function).parameters} if not isinstance(function, np.ufunc) else {"x"}


def asked(function: Any, given: dict[str, Any]) -> Any:
    if isinstance(function, np.ufunc):
        return function(given["x"])
    return function(**{name: given[name] for name in _parameters(function)})


def follow(example: Example) -> None:
    """Raise AssertionError if the definition that the remedy leads to does not give the value asked for."""
    definition, given = parse(example.followed), inputs(example)
    passed = given | {name: asked(function, given) for name, function in example.outside.items()}
    found = evaluate(definition, {each.name: passed.get(each.name) for each in definition.passed})
    wanted = asked(example.value, given)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert len(wanted) == len(found)
    for mine, value in zip(found.values(), wanted, strict=True):
        np.testing.assert_allclose(mine, np.asarray(value, float), rtol=1e-9, atol=1e-12)


def fragments(remedy: str) -> Iterator[ast.expr]:
    """The formulas in a remedy: the longest texts, from the start of a word, that are expressions with an operator."""
    remedy = re.sub(r"\b(write|and|or|pass|for|as|over|is)\b", ";", remedy)
    at = 0
    starts = [found.start() for found in re.finditer(r"(?<![\w.])[-(\w]", remedy)]
    for start in starts:
        if start < at:
            continue
        ends = [found.start() for found in re.finditer(r"(?<=[\w)])(?=[^\w(]|$)", remedy) if found.start() > start]
        for end in reversed(ends):
            if (tree := _formula(remedy[start:end])) is not None:
                at = end
                yield tree
                break


def _formula(text: str) -> ast.expr | None:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    parts = [*ast.walk(tree)]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    if any(not isinstance(call.func, ast.Name) or call.func.id not in FUNCTIONS for call in calls):
        return None
    words = (ast.Attribute, ast.BoolOp, ast.IfExp, ast.Is, ast.IsNot, ast.In, ast.NotIn, ast.Not, ast.Tuple)
    if re.search("[a-z]{3}[-/][a-z]{3}", text):  # words, not names
        return None
    said = any(isinstance(part, ast.BinOp | ast.Call) for part in parts)
    return tree if said and not any(isinstance(part, words) for part in parts) else None


def holds(pattern: Any, node: Any, bound: dict[str, str]) -> bool:
    """Test whether a formula of a remedy matches one of a definition, each name standing for one expression."""
    if isinstance(pattern, ast.Name) and pattern.id not in FUNCTIONS and pattern.id != "D":
        return bound.setdefault(pattern.id, ast.dump(node)) == ast.dump(node)
    if isinstance(pattern, ast.AST):
        fields = [name for name in pattern._fields if name not in ("ctx", "kind")]
        same = type(pattern) is type(node)
        return same and all(holds(getattr(pattern, name), getattr(node, name), bound) for name in fields)
    if isinstance(pattern, list):
        return len(pattern) == len(node) and all(holds(a, b, bound) for a, b in zip(pattern, node, strict=True))
    return bool(pattern == node)


def is_literal(example: Example, remedy: str) -> bool:
    """Test whether a formula of the remedy stands in the definition that it leads to.

    A remedy without a formula, and one that has a Row computed outside, can be followed without one.
    """
    formulas = [*fragments(remedy)]
    if example.outside and re.search(r"pass (it|the shifted row|the result) as a Row|take it outside", remedy):
        return True
    nodes = [node for node in ast.walk(ast.parse(example.followed)) if isinstance(node, ast.expr)]
    return not formulas or any(holds(each, node, {}) for each in formulas for node in nodes)


def faults(example: Example) -> Iterator[str]:
    """Yield what is wrong with the remedy of an example, or with what it leads to."""
    remedy = refused(example.written).remedy
    definition = parse(example.followed)
    try:
        follow(example)
        if not derive(definition).gradients and definition.differentiable:
            yield "it is not derived"
    except (AssertionError, DefinitionError) as error:
        yield str(error)
    if not is_literal(example, remedy):
        yield f"its formula is not followed: {remedy}"
    if example.outside and not re.search(r"\boutside\b|as `\w+: (Data|Int)", remedy):
        yield f"it does not say what is computed outside: {remedy}"
    if CANNOT in remedy and not re.search(r"\boutside\b", remedy):
        yield f"it does not say where: {remedy}"


@pytest.mark.parametrize(
    "section", sample([section.title for section in SECTIONS], lambda title: title == SECTIONS[0].title)
)
def test_a_remedy_followed_literally_gives_the_value_asked_for_and_is_derived(section: str) -> None:
    (chosen,) = (each for each in SECTIONS if each.title == section)
    found = {example.written: [*faults(example)] for example in chosen.examples}
    assert {written: wrong for written, wrong in found.items() if wrong} == {}


def test_a_remedy_that_gives_another_value_is_seen() -> None:
    with pytest.raises(AssertionError):
        follow(formula("cosh(x)", "(exp(x) - exp(-x))/2", lambda x: np.cosh(x)))
    halves = next(each for each in EXAMPLES.values() if "def swiglu" in each.written)
    with pytest.raises(AssertionError):
        follow(replace(halves, value=lambda x_0, x_1: halves.value(x_1, x_0)))


def test_a_definition_that_does_not_follow_its_remedy_is_seen() -> None:
    cosh = formula("cosh(x)", "(exp(x) + exp(-x))/2", lambda x: np.cosh(x))
    remedy = refused(cosh.written).remedy
    assert is_literal(cosh, remedy)
    assert not is_literal(replace(cosh, followed="def f(x: Row): return (exp(x) + 1/exp(x))/2"), remedy)
    assert not is_literal(replace(cosh, followed="def f(x: Row, z: Row): return (exp(x) + exp(-z))/2"), remedy)
    found = fragments("write sum(a*b) for it, and a - b otherwise; a word is none, nor are x[0] and cosh(x)")
    assert [ast.unparse(each) for each in found] == ["sum(a * b)", "a - b"]


def codes() -> set[str]:
    """The stable names of refusals."""
    text = (ROOT / "lngen/derivation/from_definition.py").read_text(encoding="utf-8")
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return {*REFUSALS, *(ast.literal_eval(call.args[2]) for call in calls if ast.unparse(call.func) == "_refused")}


def tables() -> set[str]:
    """The stable names of refusals that a table tells by what was found."""
    rows = [
        *parser._REFUSED.values(),
        *expressions._SIGNS.values(),
        *((found, "") for found in expressions._CONSTANTS.values() if found != "a number"),
        *expressions._REFUSED.values(),
    ]
    # An attribute, a slice and an argument with a star have names of their own; a tuple stands after return alone.
    elsewhere = {"subscript", "starred-expression", "tuple", "lambda"}
    return {code_of(found) for found, _ in rows} - elsewhere | {"subscript", "lambda"}


def test_every_refusal_has_a_stable_name_and_an_example() -> None:
    shown = {refused(example.written).code for example in EXAMPLES.values()}
    assert len(codes()) > 75
    assert sorted((codes() | tables()) - WITHOUT_EXAMPLE - shown) == []
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes() | shown)
    for error in (refused(example.written) for example in EXAMPLES.values()):
        message = REFUSALS[error.code][0] if error.code in REFUSALS else "{}"
        assert re.fullmatch(".*".join(map(re.escape, re.split(r"\{[^}]*\}", message))), error.message, re.DOTALL), (
            message
        )


def test_every_habit_is_followed() -> None:
    shown = {refused(example.written).remedy for example in EXAMPLES.values()}
    habits = {**instead.FUNCTIONS, **instead.CONSTANTS}
    assert {name: remedy for name, remedy in habits.items() if remedy not in shown} == {}


@pytest.mark.parametrize(("written", "function", "slopes"), ARCS, ids=[written for written, _, _ in ARCS])
def test_the_gradient_of_what_is_computed_outside_is_what_the_remedy_says(written, function, slopes) -> None:
    remedy = refused(f"def f({', '.join(f'{name}: Row' for name in slopes)}):\n    return {written}").remedy
    given = {name: np.random.default_rng(0).uniform(0.2, 0.8, 9) for name in slopes}
    for name, slope in slopes.items():
        assert slope in remedy
        moved = [given | {name: given[name] + step} for step in (1e-6, -1e-6)]
        difference = (function(**moved[0]) - function(**moved[1])) / 2e-6
        np.testing.assert_allclose(eval(slope, {"sqrt": np.sqrt} | given), difference, rtol=1e-8)
