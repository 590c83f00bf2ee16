"""Reports of faults, read from the lines that a module writes."""

from pathlib import Path

import numpy as np
import pytest

from lngen.extensions import simt
from lngen.extensions.simt.report import read_report
from tests.requirements import needs_gxx

NOWHERE = Path("module.so")


def line_of(kind, **fields):
    order = ("block", "thread", "line", "other_line", "code", "other_code", "other_thread", "offset", "bytes", "whole")
    usual = {"block": "1,0,0", "thread": "7,0,0", "code": "0", "other_code": "0", "other_thread": "-1"}
    numbers = [str((usual | fields).get(name, 0)) for name in order]
    return "\t".join([kind, *numbers, fields.get("buffer", ""), *fields["text"]])


def test_a_race_names_both_sides():
    line = line_of(
        "data race", line=3, other_line=9, code="10", bytes=8, whole=80, buffer="shared memory", other_thread=33,
        text=["read", "write", "same block"],
    )  # fmt: skip
    (found,) = read_report([line], NOWHERE, "kernels.cu")
    assert found.message == (
        "read of 8 bytes at byte 0 of shared memory, which has 80, "
        "unordered with a write by thread 33 of the same block in line 9"
    )
    assert found.other_line == 9


@needs_gxx
@pytest.mark.cuda
def test_a_finding_in_an_included_file_is_called_from_the_source():
    source = """#line 1 "sums.cuh"
__device__ __forceinline__ void barrier_but_one() {
  if (threadIdx.x) __syncthreads();
}
template <class T> __device__ __forceinline__ void write(T* to, int at) {
  to[at] = 1;
}
#line 2 "kernels.cu"
extern "C" __global__ void meets(float* x) { barrier_but_one(); __syncthreads(); }
extern "C" __global__ void writes(float* x) { write(x, 100 + threadIdx.x); }
"""
    kernels = simt.build(source, check=True)
    with pytest.raises(simt.KernelFault) as caught:
        kernels["meets"](1, 2, 0, np.zeros(1, np.float32))
    (found,) = caught.value.findings
    assert {str(found.line), str(found.other_line)} == {"2 of sums.cuh", "2"}
    assert "sums.cuh:2" in found.message or "kernels.cu:2" in found.message
    with pytest.raises(simt.KernelFault) as caught:
        kernels["writes"](1, 1, 0, np.zeros(1, np.float32))
    assert str(caught.value.findings[0]).startswith("line 5 of sums.cuh (called from 3): out of bounds")
