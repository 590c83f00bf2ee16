"""The printed reports, read as a person reads them: from the top, with nothing but what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from lngen.algebra.notation.plain import WORDS
from lngen.derivation.gradients import derive
from lngen.derivation.second_order import with_second_order
from lngen.plan.planner import plan
from lngen.report import report
from lngen.report.content import Content, content
from tests.corpus import FILES, definition
from tests.tiers import sample

_NAME = re.compile(r"[A-Za-z_]\w*")
_KNOWN = {"D", "pi", *WORDS.values(), "sqrt", "exp", "log"}


def lines_of(said: Content) -> Iterator[tuple[str, str, list[str]]]:
    """Each step of a report: its part, its target and the formulas in it."""
    for part in said.parts:
        for step in part.steps:
            before = [step.before.text] if step.before else []
            yield part.title, step.target, [*(sent.text for sent in step.contributions), *before, step.after.text]


@pytest.mark.ci
@pytest.mark.parametrize("name", sample(sorted(FILES), sorted(FILES)[::3]))
def test_every_name_in_a_formula_is_defined_above_it_and_no_step_is_printed_twice(name: str) -> None:
    made = with_second_order(derive(definition(name)))
    assert made.jvp is not None
    assert made.backward_backward is not None
    given = {s.name for s in made.forward.symbols} | {line.symbol.name for line in made.written.equations if line.named}
    cotangents = {cotangent.name for cotangent in made.adjoint.cotangents}
    arguments = {
        "The tangents of the outputs: jvp": {a.name for a in made.jvp.arguments},
        "The gradients of the gradients: backward_backward": {a.name for a in made.backward_backward.arguments},
    }
    printed: set[tuple[str, ...]] = set()
    known, forward, before = given | cotangents, set[str](), ""
    for part, target, lines in lines_of(content(plan(made))):
        if part != before and part in arguments:
            known = given | forward | cotangents | arguments[part]
        before = part
        assert (part, target, *lines) not in printed
        printed.add((part, target, *lines))
        names = {found for line in lines for found in _NAME.findall(re.sub(r"\d+e[-+]?\d+", "", line))}
        assert names - known - _KNOWN <= {target}, (part, target, lines)
        known.add(target)
        if part == "The forward, step by step":
            forward.add(target)
    assert len(printed) > len(made.steps)


@pytest.mark.ci
@pytest.mark.parametrize("name", sample(sorted(FILES), sorted(FILES)[::3]))
def test_no_word_of_the_house_is_printed_without_a_meaning(name: str) -> None:
    shown = report(plan(derive(definition(name))))
    assert not re.search(r"row class|row scalar|adjoint of everything|\batom\b", shown.split("\nPlan\n")[0])
