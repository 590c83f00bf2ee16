"""`benchmarks.chunked_linear`: what is timed computes the same, and the memory of a step is seen."""

import pytest

from tests.requirements import NO_TORCH, needs_gxx

torch = pytest.importorskip("torch", reason=NO_TORCH)
chunked_linear = pytest.importorskip("benchmarks.chunked_linear")
pytestmark = [needs_gxx, pytest.mark.ci]


def test_every_variant_computes_the_same():
    steps = chunked_linear.variants([6, 4, 9], torch.float32, [2])
    chunked_linear.agreed(steps)
    with pytest.raises(AssertionError):
        chunked_linear.agreed({**steps, "planted": lambda: [2 * each for each in steps["PyTorch"]()]})
    text = chunked_linear.table(chunked_linear.timed(steps, 2), dict.fromkeys(steps, 1.0))
    assert "| emitted, chunks of 2 rows |" in text


def test_the_memory_of_a_step_is_seen():
    assert 60 < chunked_linear.peak(lambda: [torch.ones(64 << 18)]) < 80
