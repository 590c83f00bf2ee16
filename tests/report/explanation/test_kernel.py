import pytest

from lngen.plan.cost import cost
from lngen.report.explanation.kernel import section
from lngen.report.formulas import reading_order
from tests.report.explanation.layers import of_file, shipped
from tests.shipped import DEFINITIONS
from tests.tiers import sample


def told(plan):
    return section(plan, reading_order(plan.derivation))


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::4]), ids=lambda path: path.stem)
def test_the_bytes_of_the_stages_are_those_of_the_cost(path):
    plan = of_file(path)
    rows = told(plan).table.rows
    for program in (plan.forward, plan.backward):
        moved = sum(int(size) for stage, _, size in rows if stage.startswith(f"{program.direction} "))
        assert moved == 4 * cost(program).tensors


def test_each_stage_says_what_it_reads_reduces_and_writes():
    rows = {stage: words for stage, words, _ in told(shipped("layer_norm")).table.rows}
    assert rows["forward 1"] == "reads x; reduces mu = mean(x)"
    assert rows["forward 2"].endswith("left out where rounding cannot matter")
    assert rows["backward 1"].endswith("adds to the block's sums dgamma and dbeta")
    assert rows["backward 2"] == "writes dx"
    assert rows["after the rows"].endswith("partial sums in a fixed order: dgamma and dbeta (D numbers a block)")


def test_bytes_stand_beside_those_of_separate_kernels():
    (words,) = told(shipped("layer_norm")).paragraphs
    assert "Forward moves 8 bytes an entry in float32; a kernel for each operation moves 48 in 7 kernels." in words


def test_the_gradient_of_a_scalar_is_one_number_a_block():
    rows = {stage: words for stage, words, _ in told(shipped("dynamic_tanh")).table.rows}
    assert rows["after the rows"].endswith("dgamma and dbeta (D numbers a block) and dalpha (one number a block)")
