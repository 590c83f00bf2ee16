from lngen.plan.cost import cost
from lngen.report.explanation.complexity import section
from tests.report.explanation.layers import defined, shipped


def test_time_and_memory_are_orders_with_the_counts_of_the_cost():
    plan = shipped("layer_norm")
    time, memory = section(plan).paragraphs
    for program in (plan.forward, plan.backward):
        c = cost(program)
        assert f"{program.direction} takes O(N*D) time, {c.operations.element} operations an entry" in time
        assert f"{c.tensors} row tensors ({c.rows_read} read, {c.rows_written} written)" in time
    assert "O(log D) steps, those of 2 reductions one after the other" in time
    assert "O(N) between forward and backward, 3 numbers a row" in memory
    assert "Backward takes O(D) for each block of rows, the partial sums of dgamma and dbeta." in memory


def test_without_saved_numbers_and_reductions_nothing_is_said_to_be_kept():
    time, memory = section(defined("swish_scale")).paragraphs
    assert "O(1) steps" in time
    assert memory.startswith("Memory beside inputs and results: nothing between forward and backward.")
