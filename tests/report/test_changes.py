"""Marks on the changes of a step."""

import pytest

from lngen.language.parsing import parse
from lngen.pipeline.stages import planned
from lngen.report import report


@pytest.mark.parametrize("style", ["text", "markdown", "latex", "json"])
def test_a_comparison_may_be_what_changed(style):
    """A comparison has no sign, and cannot be subtracted."""
    assert report(planned(parse("def f(x: Row): return maximum(x - mean(x), 0)*x"), proved=False), style)
