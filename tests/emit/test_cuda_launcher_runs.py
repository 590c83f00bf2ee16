"""`cuda_backend.py` through real PyCUDA: on the GPU where there is one, else on the emulator."""

import ctypes
import importlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.runtime.protocol.directions import PARTS, shapes
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

ROOT = Path(__file__).parents[2]
BF16 = ml_dtypes.bfloat16
# Of doubles, more rows than one kernel takes backward.
ROWS, FEATURES = 9, 33


def cuda_of(name: str) -> Any:
    return importlib.import_module(f"generated.{name}.cuda_backend")


def normal(shape: tuple[int, ...], dtype: Any = np.float64, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def inputs_of(layer: Any, dtype: Any, parameters: Any, rows: int, features: int) -> dict[str, Any]:
    """Random inputs by name; away from zero, where nothing is hard to compute."""
    found = {}
    interface = importlib.import_module(layer.__package__).INTERFACE
    for seed, (name, kind) in enumerate((each["name"], each["kind"]) for each in interface["inputs"]):
        own = dtype if kind in ("Row", "RowScalar") else parameters
        found[name] = (1.5 + np.tanh(normal(shapes((rows, features))[PARTS[kind]], seed=seed))).astype(own)
    return found


def on_device(cuda: Any, value: Any) -> Any:
    return cuda.gpuarray.to_gpu(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


def viewed(cuda: Any, value: Any, shape: tuple[int, ...], strides: tuple[int, ...], start: int = 0) -> Any:
    """Rows in the memory of an array on the device, which begin so many entries behind its own."""
    base = on_device(cuda, value)
    size = value.itemsize
    steps = tuple(size * stride for stride in strides)
    return cuda.gpuarray.GPUArray(
        shape, value.dtype, base=base, gpudata=int(base.gpudata) + size * start, strides=steps
    )


def test_rows_are_read_where_they_lie(cuda: Any) -> None:
    """Rows of a slice, in another order of axes and at one place."""
    layer, features = cuda_of("ada_layer_norm"), 36
    wide, scale, shift = (
        normal(shape, np.float32, seed) for seed, shape in enumerate([(4, 6, 40), (2, 36), (3, 2, 36)])
    )
    written = [
        wide[1:3, 2:5, 4:],
        np.broadcast_to(scale[:, None], (2, 3, features)),
        np.ascontiguousarray(shift.transpose(1, 0, 2)),
    ]
    shape = (2, 3, features)
    given = [
        viewed(cuda, wide, shape, (240, 40, 1), 240 + 80 + 4),
        viewed(cuda, scale, shape, (36, 0, 1)),
        viewed(cuda, shift, shape, (36, 72, 1)),
    ]

    def results(inputs: list[Any]) -> list[Any]:
        out, saved = layer.forward(*inputs)
        gradients = layer.backward(saved, on_device(cuda, normal(shape, np.float32, 3)))
        return [each.get() for each in (out, *gradients)]

    expected = results([on_device(cuda, np.ascontiguousarray(each)) for each in written])
    assert all(map(np.array_equal, results(given), expected))


@pytest.mark.parametrize(
    ("strides", "message"),
    [([(6, 0, 1), None, None], "overlap"), ([None, (36, 0, 1), None], "overlap")],
)
def test_results_that_kernels_cannot_write_are_refused(cuda: Any, strides: list[Any], message: str) -> None:
    layer, shape = cuda_of("ada_layer_norm"), (3, 3, 36)
    _, saved = layer.forward(*(on_device(cuda, normal(shape, np.float32, seed)) for seed in range(3)))
    dy = on_device(cuda, normal(shape, np.float32, 3))
    given = [each and viewed(cuda, normal(shape, np.float32), shape, each) for each in strides]
    with pytest.raises(ValueError, match=message):
        layer.backward(saved, dy, out=given)
    shared = viewed(cuda, normal((3, 36), np.float32), shape, (36, 0, 1))
    with pytest.raises(ValueError, match="overlap"):
        layer.forward(*(on_device(cuda, normal(shape, np.float32, seed)) for seed in range(3)), out=shared)


def both(layer: Any, cuda: Any, inputs: dict[str, Any], absent: tuple[str, ...] = (), **options: Any) -> dict[str, Any]:
    """Outputs and gradients by name, from device arrays or from NumPy's where `cuda` is None."""

    def up(value: Any) -> Any:
        return value if cuda is None else on_device(cuda, value)

    out, saved = layer.forward(*(up(value) for value in inputs.values()), **options)
    names = list(layer.Outputs._fields) if hasattr(layer, "Outputs") else ["y"]
    outs = list(out) if hasattr(layer, "Outputs") else [out]
    cotangents = []
    for seed, (name, value) in enumerate(zip(names, outs, strict=True)):
        dy = normal(tuple(value.shape), seed=100 + seed).astype(value.dtype)
        cotangents.append(None if f"d{name}" in absent else up(dy))
    gradients = layer.backward(saved, *cotangents, **options)
    results = dict(zip(names, outs, strict=True)) | gradients._asdict()
    return {k: v.get() if cuda is not None and v is not None else v for k, v in results.items()}


def test_out_and_workspace_are_the_memory_of_results(centred: Any, cuda: Any) -> None:
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    wanted = both(centred, cuda, inputs)
    x, gamma, beta = (on_device(cuda, value) for value in inputs.values())
    dy = on_device(cuda, normal((ROWS, FEATURES), seed=100))

    def filled(shape: Any, dtype: Any) -> Any:
        return cuda.gpuarray.to_gpu(np.full(shape, np.nan, dtype))

    y, *grads = (filled(wanted[name].shape, np.float64) for name in wanted)
    first = filled(centred.workspace_bytes("forward", x, gamma, beta) // 4, np.float32)
    out, saved = centred.forward(x, gamma, beta, out=y, workspace=first)
    with pytest.raises(ValueError, match="workspace has 8 bytes and backward needs"):
        centred.backward(saved, dy, out=tuple(grads), workspace=filled(2, np.float32))
    second = filled(centred.workspace_bytes("backward", saved, dy) // 4, np.float32)
    gradients = centred.backward(saved, dy, out=tuple(grads), workspace=second)
    assert out is y
    assert all(given is got for given, got in zip(grads, gradients, strict=True))
    for array, (name, value) in zip((y, *grads), wanted.items(), strict=True):
        np.testing.assert_array_equal(array.get(), value, err_msg=name)
    assert saved.rstd.base is first


def test_a_context_that_pycuda_did_not_make_current(centred: Any, cuda: Any) -> None:
    """PyCUDA has to be told of a context that another library made current, such as PyTorch."""
    x = on_device(cuda, normal((2, 7)))
    library, found = ctypes.CDLL("libcuda.so.1"), []

    def work() -> None:
        library.cuCtxPushCurrent_v2(ctypes.c_void_p(cuda.context.handle))
        try:
            found.append(centred.forward(x)[0])
            current = ctypes.c_void_p()
            library.cuCtxGetCurrent(ctypes.byref(current))
            found.append(current.value)
        finally:
            library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0].get(), centred.forward(x)[0].get())
    assert found[1] == cuda.context.handle


def test_out_for_some_results(centred: Any, cuda: Any) -> None:
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    wanted = both(centred, cuda, inputs)
    x, gamma, beta = (on_device(cuda, value) for value in inputs.values())
    y, saved = centred.forward(x, gamma, beta)
    given = cuda.gpuarray.empty((FEATURES,), np.float64)
    gradients = centred.backward(saved, on_device(cuda, normal((ROWS, FEATURES), seed=100)), out=(None, given, None))
    assert gradients.dgamma is given
    for name, value in zip(wanted, (y, *gradients), strict=True):
        np.testing.assert_array_equal(value.get(), wanted[name], err_msg=name)


class Borrowed:
    """An array of another library, as far as the interface goes."""

    def __init__(self, array: Any) -> None:
        self.array, self.__cuda_array_interface__ = array, dict(array.__cuda_array_interface__)


def test_streams_and_arrays_of_other_libraries(centred: Any, cuda: Any) -> None:
    """Launched through the driver itself, and by PyCUDA, the same kernels give the same bits."""
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    wanted = both(centred, cuda, inputs)
    stream = cuda.driver.Stream()
    arrays = [Borrowed(on_device(cuda, value)) for value in inputs.values()]
    dy = Borrowed(on_device(cuda, normal((ROWS, FEATURES), seed=100)))
    for given in (stream, stream.handle, 0, SimpleNamespace(cuda_stream=stream.handle)):
        y, saved = centred.forward(*arrays, stream=given)
        gradients = centred.backward(saved, dy, stream=given)
        cuda.context.synchronize()
        for name, value in zip(wanted, (y, *gradients), strict=True):
            np.testing.assert_array_equal(value.get(), wanted[name], err_msg=name)


def test_raw_bfloat16(centred: Any, cuda: Any) -> None:
    x = normal((ROWS, FEATURES), BF16)
    gamma, beta = normal((FEATURES,), np.float32), normal((FEATURES,), np.float32)
    parameters = [cuda.gpuarray.to_gpu(value) for value in (gamma, beta)]
    typed = centred.forward(cuda.gpuarray.to_gpu(x), *parameters)[0]
    raw = centred.forward(cuda.gpuarray.to_gpu(x.view("V2")), *parameters)[0]
    assert (typed.dtype, raw.dtype) == (np.dtype(BF16), np.dtype("V2"))
    assert typed.get().tobytes() == raw.get().tobytes()


def test_no_context_is_left_behind(centred: Any, cuda: Any) -> None:
    """Without a context of the caller's own, and in a thread."""
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    arrays = [on_device(cuda, value) for value in inputs.values()]
    wanted = centred.forward(*arrays)[0].get()
    found: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            assert cuda.driver.Context.get_current() is None
            found.append(centred.forward(*arrays)[0])
            assert cuda.driver.Context.get_current() is None
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not errors
    np.testing.assert_array_equal(found[0].get(), wanted)


def test_a_context_that_is_not_the_primary_one(centred: Any, cuda: Any) -> None:
    """Arrays of a context of the caller's own, as `pycuda.autoinit` makes one, are worked on in it."""
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    wanted = both(centred, cuda, inputs)
    context = cuda.driver.Device(0).make_context()
    try:
        found = both(centred, cuda, inputs)
        arrays = [on_device(cuda, value) for value in inputs.values()]
    finally:
        context.pop()
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
    outside = "x is of a context that is neither its device's primary one nor current"
    with pytest.raises(ValueError, match=outside):
        centred.forward(*arrays)
    mixed = [on_device(cuda, inputs["x"]), *arrays[1:]]
    with pytest.raises(ValueError, match="gamma and x belong to two CUDA contexts; allocate both in one"):
        centred.forward(*mixed)
    context.push()
    # What was loaded there ends before the context does.
    arrays.clear()
    mixed.clear()
    del centred._launcher.devices.DEVICES[context.handle]
    context.pop()


def test_what_is_left_of_a_context_that_has_ended_is_not_given_back(
    centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, given_back = centred._launcher.driver, []
    monkeypatch.setattr(driver.Allocation, "give_back", lambda it, cuda: given_back.append(it.size))
    context = cuda.driver.Device(0).make_context()
    left, freed = driver.Allocation(16), driver.Allocation(32)
    del freed
    context.pop()
    context.detach()
    del left
    assert given_back == [32]


def test_host_memory_is_refused(centred: Any, cuda: Any) -> None:
    x = Borrowed(on_device(cuda, normal((ROWS, FEATURES))))
    host = np.ones((ROWS, FEATURES))
    x.__cuda_array_interface__["data"] = (host.ctypes.data, False)
    with pytest.raises(ValueError, match=r"x is at 0x[0-9a-f]+, which is not device memory"):
        centred.forward(x)


def test_a_second_process_compiles_nothing(centred: Any, cuda: Any, tmp_path: Path) -> None:
    """Every compiler run of the process is counted, the question for its version too.

    NVIDIA's bindings ask ldconfig where the system's libraries are.
    """
    both(centred, cuda, inputs_of(centred, np.float64, np.float64, ROWS, FEATURES))
    place = Path(centred.__file__).parent
    code = f"""
import subprocess, sys
sys.path[:0] = [{str(ROOT)!r}, {str(place.parent.parent)!r}]
import numpy as np
from lngen.extensions.simt import driver
from tests.requirements import has_gpu
if not has_gpu():
    driver.enable()
from {place.parent.name}.{place.name} import cuda_backend
started = []
sys.addaudithook(lambda event, about: started.append(about[0]) if event == "subprocess.Popen" else None)
import pycuda.driver, pycuda.gpuarray
pycuda.driver.init()
context = pycuda.driver.Device(0).retain_primary_context()
context.push()
x = pycuda.gpuarray.to_gpu(np.ones(({ROWS}, {FEATURES})))
gamma, beta = (pycuda.gpuarray.to_gpu(np.ones({FEATURES})) for _ in range(2))
y, saved = cuda_backend.forward(x, gamma, beta)
cuda_backend.backward(saved, x)
print(cuda_backend.compilations(), started, y.get().sum())
del x, gamma, beta, y, saved
context.pop()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
        cwd=ROOT,
    )
    found = done.stdout.replace("'/sbin/ldconfig'", "")
    assert found == f"0 [] {float(ROWS * FEATURES)}\n", done.stderr
