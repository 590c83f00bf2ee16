"""Bytes that a launch reads and writes of each array, as the emulator counts them."""

import numpy as np
import pytest

from lngen.extensions import simt
from tests.requirements import needs_gxx

pytestmark = [needs_gxx, pytest.mark.cuda]

# The threads from n on work on the last entry again, and store nothing.
DOUBLED = r"""
extern "C" __global__ void doubled(const float* x, const float* by, float* y, int n, bool again) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, own = i < n ? i : n - 1;
  float value = *by * x[own];
  __syncthreads();
  if (again) value += x[n - 1 - own];
  if (i < n) y[i] = value;
}
"""


@pytest.mark.ci
def test_moved_counts_reads_that_are_ordered_and_each_write() -> None:
    """An entry that many threads read at a time counts once a block, and once more where it is read later."""
    x, by, y = np.ones(40, np.float32), np.ones(1, np.float32), simt.Uninitialised(np.empty(40, np.float32))
    kernels = simt.build(DOUBLED, check=True)
    kernels["doubled"](2, 32, 0, x, by, y, 40, False)
    assert kernels.moved() == {"x": (160, 0), "by": (8, 0), "y": (0, 160)}
    # The second block has eight entries of its own, and reads again eight of the first block.
    kernels["doubled"](2, 32, 0, x, by, y, 40, True)
    assert kernels.moved() == {"x": (320, 0), "by": (8, 0), "y": (0, 160)}
