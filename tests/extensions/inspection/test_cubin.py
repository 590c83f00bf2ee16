"""Arrays read from a cubin."""

import pytest

from lngen.checks.toolchain import nvrtc
from lngen.extensions.inspection.cubin import integers
from tests.requirements import needs_nvrtc

SOURCE = """
extern "C" {
__device__ int scale_launch[] = {256, 4, -1};
__device__ int zeros_launch[2];
__global__ void scale(int* x) { x[threadIdx.x] = scale_launch[0] + zeros_launch[1]; }
}
"""


@needs_nvrtc
@pytest.mark.cuda
def test_arrays_of_integers() -> None:
    cubin = nvrtc.compile(SOURCE, "sm_90").cubin
    assert integers(cubin, "scale_launch") == (256, 4, -1)
    assert integers(cubin, "zeros_launch") == (0, 0)
    assert integers(cubin, "no_launch") is None


def test_what_is_no_cubin_is_refused() -> None:
    with pytest.raises(ValueError, match="not a cubin"):
        integers(b"text", "scale_launch")
