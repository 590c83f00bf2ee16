"""Names that are hard to bear."""

from __future__ import annotations

from tests.fuzz.generate import SMALL, definition_text
from tests.fuzz.minimise import minimise
from tests.fuzz.names import awkward_in, plainly_named
from tests.fuzz.tree import names_of


def test_a_definition_keeps_everything_but_its_names() -> None:
    plain = definition_text(3, 4, SMALL)
    awkward = definition_text(3, 4, SMALL, awkward=True)
    assert awkward != plain
    assert plainly_named(awkward) == plainly_named(plain)
    assert len(set(names_of(awkward))) == len(names_of(plain))


def test_the_smallest_definition_has_plain_names_where_they_are_not_the_cause() -> None:
    text = "def f(rows: Row, shape: Feature):\n    dtype = rows * shape\n    return dtype"
    small = minimise(text, lambda candidate: "shape" in names_of(candidate))
    assert awkward_in(small) == ["shape"]
