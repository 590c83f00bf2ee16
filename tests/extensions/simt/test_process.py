"""A kernel that crashes or never ends is an error in Python, and the next launch works."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from lngen.extensions import simt
from lngen.extensions.simt.process import process
from tests.requirements import needs_gxx

pytestmark = [needs_gxx, pytest.mark.cuda]

SOURCE = """\
extern "C" {
__global__ void null_pointer(float* x) { x[3] = 1; }
__global__ void wild(float* x) { x[1ll << 40] = 1; }
__global__ void traps() { __builtin_trap(); }
__global__ void endless(volatile int* x) {
  while (*x == 0) {}
}
__device__ int deep(int n) {
  volatile int kept[256];
  kept[n % 256] = n;
  return n > 0 ? deep(n - 1) + kept[n % 256] : 0;
}
__global__ void overflows(int* x) { x[0] = deep(1 << 20); }
__global__ void prints() { printf("answers 0\\\\n"); }
__global__ void fine(int* x) { x[threadIdx.x] = threadIdx.x; }
}
"""


@pytest.fixture(scope="module")
def kernels():
    return simt.build(SOURCE)


def works(kernels):
    out = np.zeros(8, np.int32)
    kernels["fine"](1, 8, 0, out)
    return out.tolist() == list(range(8))


@pytest.mark.parametrize(
    ("name", "arguments", "message", "line"),
    [
        ("null_pointer", [None], "line 2: crash: an address outside of memory", 2),
        ("wild", [np.zeros(1, np.float32)], "line 3: crash: an address outside of memory", 3),
        ("traps", [], "line 4: crash: a trap", 4),
        ("overflows", [np.zeros(1, np.int32)], "crash: an address outside of memory", 8),
    ],
)
def test_a_crash_is_an_error(kernels, name, arguments, message, line):
    with pytest.raises(simt.KernelFault, match=message) as caught:
        kernels[name](1, 32, 0, *arguments)
    finding = caught.value.findings[-1]
    assert finding.kind == "crash"
    assert finding.block == (0, 0, 0)
    assert finding.thread == (0, 0, 0)
    assert line <= finding.line <= line + 3
    assert works(kernels)


def test_an_endless_loop_has_an_end(kernels):
    with pytest.raises(simt.KernelFault, match=r"time limit: the kernel has not ended after 0\.3 s") as caught:
        kernels["endless"](1, 2, 0, np.zeros(1, np.int32), seconds=0.3)
    assert caught.value.findings[-1].line == 6
    assert works(kernels)


def test_a_worker_that_is_killed_is_started_again(kernels):
    assert works(kernels)
    killer = threading.Timer(0.3, lambda: process._running.kill())
    killer.start()
    with pytest.raises(simt.KernelFault, match="the process that the kernel ran in was lost"):
        kernels["endless"](1, 1, 0, np.zeros(1, np.int32), seconds=30)
    killer.join()
    assert works(kernels)


def test_what_a_kernel_prints_is_not_taken_for_an_answer(kernels, capfd):
    kernels["prints"](1, 2, 0)
    assert works(kernels)


def test_threads_of_python_may_launch_at_once(kernels):
    right = []
    threads = [threading.Thread(target=lambda: right.append(works(kernels))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 8


def test_larger_arrays_than_before(kernels):
    for size in (1 << 10, 1 << 20, 1 << 22):
        out = np.zeros(size, np.int32)
        kernels["fine"](1, 8, 0, out)
        assert out[:9].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 0]


@pytest.mark.ci
def test_no_worker_outlives_its_process(kernels):
    script = (
        "import numpy, sys\n"
        "from lngen.extensions import simt\n"
        "from lngen.extensions.simt.process import process\n"
        "simt.build(sys.stdin.read())['fine'](1, 8, 0, numpy.zeros(8, numpy.int32))\n"
        "print(process._running.pid, flush=True)\n"
        "import os; os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=SOURCE, capture_output=True, text=True, timeout=120, check=True
    )
    pid = int(done.stdout)
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        threading.Event().wait(0.05)
    # It may be there still as a zombie, where nobody waits for orphans.
    with open(f"/proc/{pid}/stat") as status:
        assert status.read().split(") ")[1].startswith("Z")


@needs_gxx
@pytest.mark.cuda
@pytest.mark.ci
def test_many_modules_in_one_process():
    """A process has 65530 mappings at most, and a stack of a thread is two of them."""
    out = np.zeros(1024, np.float32)
    for number in range(40):
        source = f'extern "C" __global__ void fill(float* x) {{ x[threadIdx.x] = {number}; }}\n'
        simt.build(source)["fill"](1, 1024, 0, out)
        assert (out == number).all()
