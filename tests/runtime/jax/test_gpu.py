"""Arrays of JAX's on a GPU: the handler that launches kernels for them, and where there is no GPU, on the emulator.

The tests are the same for both, but for where an array is put. Without a GPU, XLA's processor stands for one: what
calls the handler copies operands to the emulator's memory and results back (jax_device.cpp). How a program is lowered,
what a call is told, and the handler itself are what a GPU runs.
"""

import contextlib
import ctypes
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lngen.extensions.simt import driver
from tests import compiled
from tests.requirements import NO_GPU_IN_JAX, NO_JAX, has_gpu, needs_gxx, needs_pycuda

jax = pytest.importorskip("jax", reason=NO_JAX)
pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, needs_gxx]
jnp = jax.numpy
runtime = importlib.import_module("generated._runtime.jax")
gpu = importlib.import_module("generated._runtime.jax.gpu")
handlers = importlib.import_module("generated._runtime.jax.handlers")
devices = importlib.import_module("generated._runtime.cuda.devices")
functions_of_driver = importlib.import_module("generated._runtime.cuda.driver")
host_compiler = importlib.import_module("generated._runtime.native.compiler")


CALLED = ("cuCtxPushCurrent", "cuCtxPopCurrent", "cuMemAlloc", "cuMemFree", "cuMemcpyHtoD", "cuMemcpyDtoH")


@pytest.fixture(scope="module", autouse=True)
def device() -> Iterator[None]:
    """A GPU that XLA knows; or XLA's processor calls the handler for CUDA, by way of the emulator's memory."""
    if has_gpu():
        if jax.default_backend() != "gpu":
            pytest.skip(NO_GPU_IN_JAX)
        gpu._handler()
        yield
        return
    driver.enable()
    import pycuda.driver

    pycuda.driver.init()
    context = pycuda.driver.Device(0).retain_primary_context()
    context.push()
    stream = pycuda.driver.Stream()
    source = Path(__file__).with_name("jax_device.cpp")
    found = host_compiler.library(source, [], includes=[Path(jax.ffi.include_dir())])
    functions = map(functions_of_driver.address, CALLED)
    given = [gpu._handler().address("jax_gpu_call"), context.handle, stream.handle, *functions]
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(found.address("jax_device_uses"))((ctypes.c_void_p * len(given))(*given))
    handler = ctypes.CFUNCTYPE(ctypes.c_void_p)(found.address("jax_device"))
    jax.ffi.register_ffi_target(handlers.target("jax_gpu_call"), jax.ffi.pycapsule(handler), platform="cpu")
    yield
    pycuda.driver.Context.pop()


def both(numpy: Any, cpu: Any) -> tuple[Any, Any]:
    """A layer on the device, and on the processor."""
    there, here = runtime.JaxLayer(numpy, cpu), runtime.JaxLayer(numpy, cpu)
    there.kernels, here.kernels.host = there.gpu, numpy
    return there, here


def shipped(name: str) -> tuple[Any, Any]:
    backend = importlib.import_module(f"generated.{name}.jax_backend")
    return both(backend._numpy, backend._cpu)


def beside(arrays: Any) -> Any:
    """Arrays in the processor's memory: where there is no GPU, as they are."""
    return jax.device_put(arrays, jax.devices("cpu")[0])


def drawn(layer: Any, rows: tuple[int, ...], dtype: Any = "float32", seed: int = 0) -> list[Any]:
    """Inputs without the Constants."""
    generator = np.random.default_rng(seed)
    shapes = {"Row": (*rows, 33), "Data": (*rows, 33), "RowScalar": rows, "Feature": (33,), "Scalar": ()}
    every = [shapes[each["kind"]] for each in layer.interface["inputs"]]
    return [jnp.asarray(generator.normal(size=shape), dtype) for shape in every]


def derivatives(layer: Any) -> Any:
    """A function of the inputs: outputs, gradients, tangents and second derivatives."""
    constants = [each["default"] for each in layer.interface["constants"]]

    def call(*inputs: Any) -> Any:
        made = layer.call(*inputs, *constants)
        return made if isinstance(made, tuple) else (made,)

    def first(*inputs: Any) -> Any:
        made, pull = jax.vjp(call, *inputs)
        return made, pull(made)

    def second(*inputs: Any) -> Any:
        return jax.vjp(lambda *a: jax.vjp(call, *a)[1](call(*inputs)), *inputs)[1](inputs)

    return lambda *inputs: (first(*inputs), jax.jvp(call, inputs, inputs)[1], second(*inputs))


def assert_close(found: Any, expected: Any, dtype: Any) -> None:
    step = float(jnp.finfo(dtype).eps)
    pairs = [*zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)]
    assert len(pairs) >= 3
    for value, other in pairs:
        assert (value.dtype, value.shape) == (other.dtype, other.shape)
        value, other = (np.asarray(each, np.float64) for each in (value, other))
        np.testing.assert_allclose(value, other, rtol=64 * step, atol=64 * step * np.abs(other).max(initial=1))


@pytest.mark.parametrize(
    ("name", "dtype"), [("add_layer_norm", "float32"), ("dynamic_tanh", "bfloat16"), ("cross_entropy", "float32")]
)
def test_every_direction_computes_what_the_processor_does(name, dtype):
    there, here = shipped(name)
    inputs = drawn(there, (2, 3), dtype)
    made = jax.jit(derivatives(there))
    assert "jax_gpu_call" in made.lower(*inputs).as_text()
    assert_close(made(*inputs), derivatives(here)(*beside(inputs)), dtype)
    assert_close(derivatives(there)(*inputs), made(*inputs), dtype)


def test_rows_of_one_type_with_parameters_of_another_and_without():
    there, here = shipped("layer_norm")
    x, gamma, _ = drawn(there, (5,))
    x = x.astype(jnp.bfloat16)

    def gradients(layer, *inputs):
        y, pull = jax.vjp(lambda *a: layer.call(*a, *[None] * (3 - len(a)), 1e-5), *inputs)
        return y, pull(y), pull(-y)

    for inputs in ((x, gamma), (x,)):
        assert_close(gradients(there, *inputs), gradients(here, *beside(inputs)), "bfloat16")
    with pytest.raises(TypeError, match="beta is of type bfloat16 and gamma of type float32; pass beta in float32"):
        there.call(x, gamma, gamma.astype(jnp.bfloat16), 1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: Row, gamma: Feature, c: Constant = 0.3):\n    return gamma*silu(mean(max(x)*x**3) - c*x)",
        "def f(x: Row, gamma: Feature, beta: Feature):\n    return x + beta + 0.5*gamma",
    ],
    ids=["with a Constant", "with second derivatives that are zero"],
)
def test_other_layers_do(text):
    made = compiled.layer(text)
    there, here = both(made.numpy, made.cpu)
    inputs = drawn(there, (3,))
    assert_close(jax.jit(derivatives(there))(*inputs), derivatives(here)(*beside(inputs)), "float32")


@pytest.mark.parametrize("in_axes", [(0, None, None), (None, 0, 0), (0, 0, None)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_samples_are_one_call_with_the_bits_of_many(in_axes, dtype):
    there, _ = shipped("layer_norm")
    every = [drawn(there, (3,), dtype, seed) for seed in range(3)]
    given = [every[0][n] if at is None else jnp.stack([each[n] for each in every]) for n, at in enumerate(in_axes)]
    function = derivatives(there)
    together = jax.jit(jax.vmap(function, in_axes))
    assert "stablehlo.while" not in together.lower(*given).as_text()
    found = together(*given)
    for number in range(3):
        one = [value if at is None else value[number] for value, at in zip(given, in_axes, strict=True)]
        for value, other in zip(jax.tree.leaves(found), jax.tree.leaves(function(*one)), strict=True):
            np.testing.assert_array_equal(value[number], other)


@pytest.mark.parametrize("rows", [(0,), (2, 0)])
def test_there_may_be_no_row(rows):
    there, here = shipped("layer_norm")
    inputs = drawn(there, rows)
    assert_close(derivatives(there)(*inputs), derivatives(here)(*beside(inputs)), "float32")
    found = jax.vmap(derivatives(there), (0, None, None))(jnp.ones((*rows, 2, 33)), *inputs[1:])
    assert not np.asarray(found[0][1][1]).any()


def test_no_launch_begins_outside_of_what_it_is_given():
    there, here = shipped("layer_norm")
    inputs = drawn(there, (3,))
    driver.forget()  # what a test that plants faults has found
    # A GPU is watched by compute-sanitizer.
    with driver.using(check=True, schedule="reverse") if driver.enabled() else contextlib.nullcontext():
        assert_close(derivatives(there)(*inputs), derivatives(here)(*beside(inputs)), "float32")
    assert not driver.findings()


# ---- what cannot be done


def test_a_program_for_a_gpu_is_lowered_where_its_driver_is():
    there, _ = shipped("layer_norm")
    lowered = jax.jit(derivatives(there)).trace(*drawn(there, (2,))).lower(lowering_platforms=("cuda",))
    assert handlers.target("jax_gpu_call") in lowered.as_text()


def test_without_a_driver_it_is_said(monkeypatch):
    def none() -> Any:
        raise ImportError(devices._NO_DRIVER.format(error="libcuda.so.1 is not there"))

    monkeypatch.setattr(devices, "_pycuda", none)
    monkeypatch.setattr(devices, "DEVICES", {})
    there, _ = shipped("layer_norm")
    with pytest.raises(ImportError, match="finds no NVIDIA driver or GPU"):
        there.call(*drawn(there, (2,)), 1e-5)


def test_without_a_compiler_it_is_said(monkeypatch):
    def none(name: str) -> Any:
        raise host_compiler.NoCompiler("no C++ compiler", "install one")

    monkeypatch.setattr(gpu, "handler", none)
    gpu._handler.cache_clear()
    there, _ = shipped("layer_norm")
    with pytest.raises(RuntimeError, match=r"compiled in C\+\+ on first use: no C\+\+ compiler; install a C\+\+ compi"):
        there.call(*drawn(there, (2,)), 1e-5)


def handler_called(names: str, words: list[int], zeros: list[int]) -> Any:
    """Two numbers that the handler makes of two ones."""
    struct = jax.ShapeDtypeStruct((2,), np.float32)
    made = jax.ffi.ffi_call(handlers.target("jax_gpu_call"), struct)
    lists = {"sizes": [1, *zeros], "strides": [0, 0], "words": words}
    arrays = {name: np.array(each, np.int64) for name, each in lists.items()}
    return np.asarray(made(jnp.ones(2), names=names, numbers=np.zeros(1), **arrays))


def test_rows_that_blocks_share(monkeypatch):
    """A short row, with limits by which it is shared as long ones are."""
    kernels, variants = (importlib.import_module(f"generated._runtime.cuda.{name}") for name in ("kernels", "variants"))
    monkeypatch.setattr(kernels, "most_blocks_of_cluster", lambda *_: 8)
    monkeypatch.setattr(variants, "VARIANTS", (("LNGEN_THREADS_PER_ROW=128", "LNGEN_ROOM=8"),))
    monkeypatch.setattr(devices, "DEVICES", {})
    there, here = shipped("layer_norm")
    random = np.random.default_rng(1)
    given = (*(jnp.asarray(random.normal(size=size), "float32") for size in ((3, 999), 999, 999)), 1e-5)
    np.testing.assert_allclose(there.call(*given), here.call(*given), rtol=1e-5, atol=1e-5)
    (device,) = devices.DEVICES.values()
    if device.has_clusters:
        assert [each.steps[0][0].blocks_per_row for each in device.launches.values()] == [2]


def test_what_no_kernel_writes_is_zero_where_it_is_said_to_be():
    assert handler_called("", [], [0]).tolist() == [0, 0]
    if driver.enabled():  # what else is there, jax_device.cpp makes no number
        assert np.isnan(handler_called("", [], [])).all()


def test_what_the_driver_refuses_is_the_error_of_the_call():
    words = [0, 1, 32, 0, 1, 0]
    with pytest.raises(Exception, match="there is no image of forward_f32 in this process"):
        handler_called("none\nforward_f32\n", words, [])
    know = gpu._handler().address("jax_gpu_call_knows")
    ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)(know)(b"damaged", b"no image", 9)
    with pytest.raises(Exception, match=r"cuModuleLoadData failed with error [0-9]+: "):
        handler_called("damaged\nforward_f32\n", words, [])
