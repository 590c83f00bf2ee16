"""Real PyCUDA on the emulated driver: what a GPU would do is done, and what it would let pass is an error."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.extensions.simt import driver, nvcc
from lngen.extensions.simt.driver.image import Image
from tests.requirements import needs_gxx, needs_pycuda

pytestmark = [
    pytest.mark.cuda,
    needs_gxx,
    needs_pycuda,
    pytest.mark.skipif(driver.has_device_files(), reason="a GPU's driver is there, and cannot be replaced"),
]

ROOT = Path(__file__).resolve().parents[3]

SOURCE = r"""
extern "C" __device__ int scale_launch[] = {128, 7};

extern "C" __global__ void scale(const double* __restrict__ x, double* __restrict__ y, double factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
extern "C" __global__ void scale_past_the_end(const double* x, double* y, double factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i + 1] = factor * x[i];
}
extern "C" __global__ void arrivals(int* order, int* count) { order[(*count)++] = threadIdx.x; }
extern "C" __global__ void reversed_in_block(float* x) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = x[threadIdx.x];
#ifndef FORGOTTEN
  __syncthreads();
#endif
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void endless(int* x) {
  volatile int* flag = x;
  while (*flag == 0) {}
}
"""


@pytest.fixture(scope="module")
def cuda() -> Iterator[Any]:
    """PyCUDA's parts, with the primary context current."""
    before = {name: os.environ.get(name) for name in ("PATH", "PYCUDA_CACHE_DIR", "LNGEN_COMPILER")}
    driver.enable()
    import pycuda.driver
    from pycuda import compiler, gpuarray

    pycuda.driver.init()
    device = pycuda.driver.Device(0)
    context = device.retain_primary_context()
    context.push()
    yield SimpleNamespace(driver=pycuda.driver, array=gpuarray, compiler=compiler, device=device)
    context.pop()
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(scope="module")
def module(cuda: Any) -> Any:
    return cuda.compiler.SourceModule(SOURCE, no_extern_c=True)


@pytest.fixture(autouse=True)
def _no_findings_left() -> Iterator[None]:
    driver.forget()
    yield
    driver.forget()


def arrays(cuda: Any, n: int = 300) -> tuple[Any, Any]:
    return cuda.array.to_gpu(np.arange(float(n))), cuda.array.empty(n, np.float64)


def call(function: Any, *arguments: Any, threads: int = 128, blocks: int = 3, **options: Any) -> None:
    function(*arguments, grid=(blocks, 1), block=(threads, 1, 1), **options)


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line)


# ---------------------------------------------------------------------------------------------- device and
# memory


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int32, np.uint8])
@pytest.mark.parametrize("shape", [(1,), (7, 33), (2, 3, 5)])
def test_arrays_go_to_the_device_and_back(cuda: Any, dtype: type, shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    there = cuda.array.to_gpu(array)
    again = cuda.array.empty_like(there)
    cuda.driver.memcpy_dtod(again.gpudata, there.gpudata, there.nbytes)
    np.testing.assert_array_equal(again.get(), array)
    np.testing.assert_array_equal(there[1:].get(), array[1:])


def test_new_memory_is_poisoned(cuda: Any) -> None:
    assert np.isnan(cuda.array.empty((5, 3), np.float64).get()).all()
    assert np.isnan(cuda.array.empty(9, np.float16).get()).all()


def test_copies_stay_in_their_allocation(cuda: Any) -> None:
    there = cuda.driver.mem_alloc(64)
    with pytest.raises(cuda.driver.LogicError, match="72 bytes from there are not all in an allocation"):
        cuda.driver.memcpy_htod(there, np.zeros(9))
    with pytest.raises(cuda.driver.LogicError, match="not all in an allocation"):
        cuda.driver.memcpy_dtoh(np.zeros(8), int(there) + 8)
    freed = int(there)
    there.free()
    with pytest.raises(cuda.driver.LogicError, match="not all in an allocation"):
        cuda.driver.memcpy_dtoh(np.zeros(1), freed)


@pytest.mark.ci
def test_memory_ends(cuda: Any) -> None:
    gc.collect()  # what an earlier test has left would be given back in between
    free, total = cuda.driver.mem_get_info()
    with pytest.raises(cuda.driver.MemoryError):
        cuda.driver.mem_alloc(total + 1)
    for _ in range(50):  # more than there is, were nothing given back
        cuda.driver.mem_alloc(1 << 20).free()
    assert cuda.driver.mem_get_info()[0] == free


def test_a_device_address_cannot_be_followed_by_the_host() -> None:
    done = in_another_process(
        "there = drv.mem_alloc(8)\nimport ctypes, resource\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
        "context.pop()\nctypes.string_at(int(there), 8)"
    )
    assert done.returncode < 0


# ------------------------------------------------------------------------------------------------ kernels
# that work


def test_a_kernel_runs(cuda: Any, module: Any) -> None:
    x, y = arrays(cuda)
    call(module.get_function("scale"), x, y, np.float64(3), np.int32(300))
    np.testing.assert_array_equal(y.get(), 3 * np.arange(300.0))
    assert driver.findings() == ()


def test_arguments_that_are_copied_by_pycuda(cuda: Any, module: Any) -> None:
    x, y = np.arange(300.0), np.empty(300)
    call(module.get_function("scale"), cuda.driver.In(x), cuda.driver.Out(y), np.float64(2), np.int32(300))
    np.testing.assert_array_equal(y, 2 * x)


def test_prepared_launches_and_streams(cuda: Any, module: Any) -> None:
    x, y = arrays(cuda)
    scale = module.get_function("scale").prepare("PPdi")
    scale.prepared_call((3, 1), (128, 1, 1), x.gpudata, y.gpudata, 5.0, 300)
    np.testing.assert_array_equal(y.get(), 5 * np.arange(300.0))
    stream = cuda.driver.Stream()
    back = cuda.driver.pagelocked_empty(300, np.float64)
    scale.prepared_async_call((3, 1), (128, 1, 1), stream, x.gpudata, y.gpudata, 6.0, 300)
    y.get_async(stream, back)
    stream.synchronize()
    assert stream.is_done()
    np.testing.assert_array_equal(back, 6 * np.arange(300.0))


def test_events_tell_the_time(cuda: Any, module: Any) -> None:
    x, y = arrays(cuda)
    start, end, unused = (cuda.driver.Event() for _ in range(3))
    start.record()
    call(module.get_function("scale"), x, y, np.float64(3), np.int32(300))
    end.record().synchronize()
    assert 0 < start.time_till(end) < 60_000
    assert end.query()
    with pytest.raises(cuda.driver.LogicError, match="not recorded"):
        start.time_till(unused)


def test_much_shared_memory_is_asked_for_as_on_a_gpu(cuda: Any, module: Any) -> None:
    x = cuda.array.to_gpu(np.arange(128, dtype=np.float32))
    function = module.get_function("reversed_in_block")
    with pytest.raises(cuda.driver.LogicError, match="MAX_DYNAMIC_SHARED_SIZE_BYTES"):
        call(function, x, blocks=1, shared=96 * 1024)
    function.set_attribute(cuda.driver.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 96 * 1024)
    call(function, x, blocks=1, shared=96 * 1024)
    np.testing.assert_array_equal(x.get(), np.arange(128)[::-1])


def test_the_schedule_can_be_chosen(cuda: Any, module: Any) -> None:
    def order() -> list[int]:
        there, count = cuda.array.zeros(64, np.int32), cuda.array.zeros(1, np.int32)
        call(module.get_function("arrivals"), there, count, threads=64, blocks=1)
        return list(map(int, there.get()))

    assert order() == list(range(64))
    with driver.using(schedule="reverse"):
        assert order() == list(range(64))[::-1]
    with driver.using(schedule="random", seed=1):
        first = order()
        assert first == order()
    with driver.using(schedule="random", seed=2):
        assert order() != first
    assert driver.settings() == driver.Settings()


# --------------------------------------------------------------------------------------------- launches
# that do not fit


def test_arguments_are_counted_and_measured(cuda: Any, module: Any) -> None:
    x, y = arrays(cuda)
    scale = module.get_function("scale")
    with pytest.raises(cuda.driver.LogicError, match=r"was given 24 bytes .* takes 28 \(x at 0, y at 8, factor at 16"):
        call(scale, x, y, np.float64(3))
    with pytest.raises(cuda.driver.LogicError, match="was given 32 bytes"):
        call(scale, x, y, np.float64(3), np.int64(300))
    assert np.isnan(y.get()).all()


@pytest.mark.parametrize(("threads", "blocks"), [(1025, 1), (0, 1), (32, 0)])
def test_geometry_is_checked(cuda: Any, module: Any, threads: int, blocks: int) -> None:
    x, y = arrays(cuda)
    with pytest.raises(cuda.driver.LogicError, match=r"a (block|grid) has"):
        call(module.get_function("scale"), x, y, np.float64(3), np.int32(300), threads=threads, blocks=blocks)


def test_what_is_not_in_a_module(cuda: Any, module: Any) -> None:
    with pytest.raises(cuda.driver.LogicError, match="no kernel nothing"):
        module.get_function("nothing")
    with pytest.raises(cuda.driver.Error, match="not code for a GPU"):
        cuda.driver.module_from_buffer(b"\x7fELF" + bytes(100))


def test_a_source_that_does_not_compile(cuda: Any) -> None:
    with pytest.raises(cuda.driver.CompileError, match=r"kernel.cu:2:\d+: error"):
        cuda.compiler.SourceModule('extern "C" __global__ void f() {\n  int x = y;\n}', no_extern_c=True)


# --------------------------------------------------------------------------------------------- kernels that
# go wrong


def test_a_write_past_the_end_is_found(cuda: Any, module: Any) -> None:
    x, y = arrays(cuda, 256)
    with pytest.raises(cuda.driver.LaunchError, match="write at byte 2048 of y, which has 2048"):
        call(module.get_function("scale_past_the_end"), x, y, np.float64(3), np.int32(256), blocks=2)
    assert [(f.kind, f.buffer, f.offset) for f in driver.findings()] == [("out of bounds", "y", 2048)]
    call(module.get_function("scale"), x, y, np.float64(3), np.int32(256), blocks=2)


def test_the_checker_says_which_line(cuda: Any, module: Any) -> None:
    x, y = arrays(cuda, 256)
    with driver.using(check=True), pytest.raises(cuda.driver.LaunchError, match="out of bounds"):
        call(module.get_function("scale_past_the_end"), x, y, np.float64(3), np.int32(256), blocks=2)
    (finding,) = driver.findings()
    assert finding.line == line_of("y[i + 1]")
    assert (finding.buffer, finding.offset, finding.block) == ("y", 2048, (1, 0, 0))


def test_the_checker_knows_what_holds_a_value(cuda: Any, module: Any) -> None:
    x, y = arrays(cuda)
    scale = module.get_function("scale")
    with driver.using(check=True):
        call(scale, x, y, np.float64(3), np.int32(200))
        with pytest.raises(cuda.driver.LaunchError, match="uninitialised read"):
            call(scale, y, x, np.float64(3), np.int32(201))
        call(scale, y, x, np.float64(3), np.int32(200))
        cuda.driver.memset_d8(int(y.gpudata) + 1600, 0, 800)
        call(scale, y, x, np.float64(3), np.int32(300))


def test_a_race_is_found(cuda: Any) -> None:
    module = cuda.compiler.SourceModule(SOURCE, no_extern_c=True, options=["-DFORGOTTEN"])
    x = cuda.array.to_gpu(np.arange(64, dtype=np.float32))
    with driver.using(check=True), pytest.raises(cuda.driver.LaunchError):
        call(module.get_function("reversed_in_block"), x, threads=64, blocks=1, shared=256)
    assert {finding.kind for finding in driver.findings()} <= {"data race", "uninitialised read"}
    assert line_of("blockDim.x - 1") in {finding.line for finding in driver.findings()}


def test_a_crash_is_an_error(cuda: Any, module: Any) -> None:
    x, y = arrays(cuda)
    scale = module.get_function("scale")
    with pytest.raises(cuda.driver.LaunchError, match="segmentation fault"):
        call(scale, np.uintp(0), y, np.float64(3), np.int32(300))
    assert [(f.kind, f.line) for f in driver.findings()] == [("crash", line_of("y[i] = factor"))]
    # What is on the device, and what is loaded, outlive the process that crashed.
    call(scale, x, y, np.float64(4), np.int32(300))
    np.testing.assert_array_equal(y.get(), 4 * np.arange(300.0))


def test_memory_that_was_freed(cuda: Any, module: Any) -> None:
    _, y = arrays(cuda)
    freed = cuda.driver.mem_alloc(2400)
    address = np.uintp(int(freed))
    freed.free()
    with pytest.raises(cuda.driver.LaunchError, match="an address outside of memory"):
        call(module.get_function("scale"), address, y, np.float64(3), np.int32(300))


def test_an_endless_kernel_ends(cuda: Any, module: Any) -> None:
    flag = cuda.array.zeros(1, np.int32)
    with driver.using(seconds=0.5), pytest.raises(cuda.driver.Error, match=r"has not ended after 0\.5 s"):
        call(module.get_function("endless"), flag, threads=1, blocks=1)
    assert [finding.kind for finding in driver.findings()] == ["time limit"]


# -------------------------------------------------------------------------------------------------------
# turning it on


def in_another_process(script: str, before: str = "") -> subprocess.CompletedProcess[str]:
    text = f"""
from lngen.extensions.simt import driver
{before}
driver.enable()
import pycuda.driver as drv
drv.init()
context = drv.Device(0).retain_primary_context()
context.push()
{script}
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path]))}
    return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False)


def test_a_loaded_driver_is_not_replaced() -> None:
    done = in_another_process("", "import sys\nsys.modules['pycuda._driver'] = driver")
    assert "enable the emulator before pycuda.driver is imported" in done.stderr


def test_a_gpu_is_not_hidden() -> None:
    done = in_another_process("", "driver.has_device_files = lambda: True")
    assert "this machine has a GPU's driver" in done.stderr


def test_a_forked_process_is_told() -> None:
    done = in_another_process(
        """
import os
if os.fork() == 0:
    try:
        drv.mem_alloc(8)
    except drv.Error as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
context.pop()
"""
    )
    assert "a forked process cannot go on" in done.stdout, done.stderr


def test_settings_are_checked() -> None:
    with pytest.raises(LngenError, match="choose one of forward"):
        driver.Settings(schedule="sideways")  # type: ignore[arg-type]
    with pytest.raises(LngenError, match="seed counts from 0"):
        driver.Settings(seed=-1)


# ------------------------------------------------------------------------------------------------- the
# stand-in for nvcc


def test_nvcc_compiles_to_an_image(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "k.cu"
    source.write_text('#include "twice.h"\nextern "C" __global__ void f(int* x) { *x = twice(N); }\n', encoding="utf-8")
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "twice.h").write_text("__device__ int twice(int n) { return 2 * n; }\n", encoding="utf-8")
    options = [
        "--cubin",
        "-DN=4",
        "-arch",
        "sm_90",
        "-std=c++17",
        "-lineinfo",
        "-I",
        str(tmp_path / "include"),
    ]
    assert nvcc.main([*options, str(source)]) == 0, capsys.readouterr().err
    magic, _, payload = (tmp_path / "k.cubin").read_bytes().partition(b"\n")
    assert magic == b"lngen-simt-image %d" % len(payload)
    assert b'["N", "4"]' in payload


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cubin", "--link", "k.cu"], "does not know the option --link"),
        (["--cubin"], "give one source file"),
        (["k.cu"], "compiles to --cubin"),
        (["--cubin", "-o"], "an option has no value"),
    ],
)
def test_nvcc_refuses(
    options: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text("", encoding="utf-8")
    assert nvcc.main(options) == 1
    assert message in capsys.readouterr().err


def test_nvcc_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert nvcc.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("lngen emulator")


def test_an_image_outlives_the_cache(cuda: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = Image('extern "C" __global__ void f(int* x) { *x = N; }', (("N", "5"),), "k.cu").to_bytes()
    x = cuda.array.zeros(1, np.int32)
    call(cuda.driver.module_from_buffer(image).get_function("f"), x, threads=1, blocks=1)
    assert x.get() == 5


def test_the_driver_s_own_bindings_find_its_functions(cuda: Any) -> None:
    from cuda.bindings import driver as bindings

    def found(name: bytes, version: int) -> tuple[int, int]:
        error, address, status = bindings.cuGetProcAddress(name, version, 0)
        assert not error
        return address, int(status)

    names = (b"cuCtxCreate_v2", b"cuCtxCreate_v4", b"cuInit", b"cuNothing")
    old, new, unversioned, nothing = (found(name, 13000) for name in names)
    assert found(b"cuCtxCreate", 3020) == old != new == found(b"cuCtxCreate", 12050)
    assert unversioned[0]
    assert nothing == (0, 1)
    memory = cuda.driver.mem_alloc(16)
    context_of = bindings.CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT
    assert int(bindings.cuPointerGetAttribute(context_of, int(memory))[1]) == int(bindings.cuCtxGetCurrent()[1])
    assert bindings.cuPointerGetAttribute(context_of, 16)[0] == bindings.CUresult.CUDA_ERROR_INVALID_VALUE
    assert bindings.cuGetErrorString(bindings.cuMemAlloc(0)[0])[1].startswith(b"invalid argument")
