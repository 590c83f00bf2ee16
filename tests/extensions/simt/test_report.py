"""Reports of faults, read from the lines that a module writes."""

from pathlib import Path

import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.extensions import simt
from lngen.extensions.simt.report import crash, read_report
from tests.requirements import needs_gxx

NOWHERE = Path("module.so")


def line_of(kind, **fields):
    order = ("block", "thread", "line", "other_line", "code", "other_code", "other_thread", "offset", "bytes", "whole")
    usual = {"block": "1,0,0", "thread": "7,0,0", "code": "0", "other_code": "0", "other_thread": "-1"}
    numbers = [str((usual | fields).get(name, 0)) for name in order]
    return "\t".join([kind, *numbers, fields.get("buffer", ""), *fields["text"]])


def test_an_access_is_described():
    line = line_of("out of bounds", code="10", line=3, offset=64, bytes=4, whole=64, buffer="out_y", text=["write"])
    (found,) = read_report([line], NOWHERE, "kernels.cu")
    assert str(found) == (
        "line 3: out of bounds: write of 4 bytes at byte 64 of out_y, which has 64 [block (1, 0, 0), thread (7, 0, 0)]"
    )
    assert (found.buffer, found.offset, found.block, found.thread) == ("out_y", 64, (1, 0, 0), (7, 0, 0))


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


def test_an_access_in_no_buffer():
    (found,) = read_report([line_of("out of bounds", code="10", bytes=2, text=["read"])], NOWHERE, "kernels.cu")
    assert found.message == "read of 2 bytes at an address that is in none of the kernel's buffers"
    assert (found.line, found.offset) == (0, -1)


def test_a_crash_comes_after_what_was_found_before():
    before = line_of("undefined arithmetic", line=4, text=["a sum of integers overflows"])
    found = crash(["11 0,0,0:3,0,0 0 -1", before], NOWHERE, "kernels.cu", 1.0)
    assert [finding.kind for finding in found] == ["undefined arithmetic", "crash"]
    assert found[1].thread == (3, 0, 0)
    (alone,) = crash(["6 - 0 -1"], NOWHERE, "kernels.cu", 1.0)
    assert (alone.message, alone.block) == ("abort", None)


def test_a_fault_is_an_error_of_lngen_with_all_findings():
    findings = [simt.Finding("crash", "abort", line=n) for n in (1, 2)]
    fault = simt.KernelFault("kernels.cu: kernel f:", findings)
    assert isinstance(fault, LngenError)
    assert str(fault).splitlines() == ["kernels.cu: kernel f:", "  line 1: crash: abort", "  line 2: crash: abort"]
    assert fault.findings == tuple(findings)
    with pytest.raises(AttributeError):
        findings[0].line = 3


def test_callers_are_shown():
    assert str(simt.Finding("crash", "abort", 5, (7, 9))) == "line 5 (called from 7, 9): crash: abort"


def test_a_line_of_an_included_file_names_it():
    line = line_of("data race", line="sums.cuh:3", other_line="kernels.cu:9", code="10", bytes=8, whole=80,
                   text=["read", "write", "same block"])  # fmt: skip
    (found,) = read_report([line], NOWHERE, "folder/kernels.cu")
    assert str(found).startswith("line 3 of sums.cuh: data race")
    assert (found.line, found.line.file, found.other_line.file) == (3, "sums.cuh", "")


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
