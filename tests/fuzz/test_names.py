"""Names that are hard to bear."""

from __future__ import annotations

import random

from tests.fuzz.generate import SMALL, definition_text
from tests.fuzz.minimise import minimise
from tests.fuzz.names import awkward_in, awkwardly_named, plainly_named
from tests.fuzz.tree import names_of


def test_a_definition_keeps_everything_but_its_names() -> None:
    plain = definition_text(3, 4, SMALL)
    awkward = definition_text(3, 4, SMALL, awkward=True)
    assert awkward != plain
    assert plainly_named(awkward) == plainly_named(plain)
    assert len(set(names_of(awkward))) == len(names_of(plain))


def test_names_are_given_by_chance_and_are_not_given_twice() -> None:
    text = "def f(x: Row, w: Feature = 1):\n    h = x * w\n    return h"
    made = {awkwardly_named(text, random.Random(seed)) for seed in range(20)}
    assert len(made) > 15
    assert all(len(set(names_of(text))) == 3 for text in made)


def test_the_smallest_definition_has_plain_names_where_they_are_not_the_cause() -> None:
    text = "def f(rows: Row, shape: Feature):\n    dtype = rows * shape\n    return dtype"
    small = minimise(text, lambda candidate: "shape" in names_of(candidate))
    assert awkward_in(small) == ["shape"]
