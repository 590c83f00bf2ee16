"""The row programs of the JVP and the double backward: what they read."""

from dataclasses import replace

import pytest

from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.plan.history import with_sources
from lngen.plan.planner import plan
from lngen.plan.program import RowProgram
from tests.corpus import SOME
from tests.derivatives import CORPUS, planned
from tests.tiers import sample


def unnumbered(program: RowProgram) -> RowProgram:
    return with_sources(replace(program, passes=()))


@pytest.mark.parametrize("name", sample(sorted(CORPUS), SOME))
def test_nothing_is_saved_for_them(name):
    """The forward program is that of a plan without them, and row scalars that they read are among its own."""
    found = planned(name)
    alone = plan(derive(parse(CORPUS[name])))
    assert [*map(unnumbered, (found.forward, found.backward))] == [*map(unnumbered, (alone.forward, alone.backward))]
    for program in (found.jvp, found.backward_backward):
        assert set(program.saved) <= set(found.forward.saved)
        kept = {row.name for row in program.rows if row.origin.startswith("saved")}
        assert kept <= {
            symbol.name for symbol in (*found.derivation.forward.symbols, *found.derivation.forward.outputs)
        }
