"""`cuda_backend.py` through real PyCUDA: on the GPU where there is one, else on the emulator."""

import ctypes
import importlib
import os
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.runtime.cuda.arrays import part
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

ROOT = Path(__file__).parents[2]
BF16 = ml_dtypes.bfloat16
# Of doubles, more rows than one kernel takes backward.
ROWS, FEATURES = 9, 33


def cuda_of(name: str) -> Any:
    return importlib.import_module(f"generated.{name}.cuda_backend")


def numpy_of(name: str) -> Any:
    return importlib.import_module(f"generated.{name}.numpy_backend")


def normal(shape: tuple[int, ...], dtype: Any = np.float64, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def inputs_of(layer: Any, dtype: Any, parameters: Any, rows: int, features: int) -> dict[str, Any]:
    """Random inputs by name; away from zero, where nothing is hard to compute."""
    found = {}
    for seed, (name, kind) in enumerate((each.symbol, each.kind) for each in layer._LAYER.inputs):
        own = dtype if kind in ("Row", "RowScalar") else parameters
        found[name] = (1.5 + np.tanh(normal(part(kind, (rows, features)), seed=seed))).astype(own)
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


def test_rows_are_read_where_they_lie(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a slice, in another order of axes and at one place; with steps of dense rows results are others."""
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
    places = importlib.import_module("generated._runtime.cuda.places").RowPlaces
    of_kernel = places.of_kernel
    with monkeypatch.context() as patch:
        patch.setattr(places, "of_kernel", lambda self, *of: of_kernel(self._replace(apart={}), *of))
        layer._LAYER.plans.clear()
        assert not any(map(np.array_equal, results(given)[:3], expected))
    layer._LAYER.plans.clear()


@pytest.mark.parametrize(
    ("strides", "message"),
    [
        ([(6, 0, 1), None, None], "overlap"),
        ([None, (36, 0, 1), None], "overlap"),
    ],
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


def assert_close(found: dict[str, Any], wanted: dict[str, Any], bound: float) -> None:
    assert list(found) == list(wanted)
    for name, value in wanted.items():
        if value is None:
            assert found[name] is None, name
            continue
        assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape), name
        exact, ours = (np.asarray(array, np.float64) for array in (value, found[name]))
        error = np.abs(ours - exact).max(initial=0) / max(1, np.abs(exact).max(initial=0))
        assert error <= bound, (name, error)


# A few dozen operations and sums of 33 terms: 450 roundings of the compute type, none shared by two backends.
# Where storage is narrower, two results that are close may round to neighbours: one unit in the last place.
BOUNDS = {
    np.float64: 450 * 2.0**-53,
    np.float32: 450 * 2.0**-24,
    np.float16: 450 * 2.0**-24 + 2.0**-10,
    BF16: 450 * 2.0**-24 + 2.0**-7,
}


def test_a_number_for_a_scalar(cuda: Any) -> None:
    ours, theirs = cuda_of("dynamic_tanh"), numpy_of("dynamic_tanh")
    for device in ours._launcher.devices.DEVICES.values():
        device.numbers.clear()
    inputs = inputs_of(ours, np.float64, np.float64, ROWS, FEATURES)
    scalar = next(each.symbol for each in ours._LAYER.inputs if each.kind == "Scalar")
    inputs[scalar] = 0.7
    assert_close(both(ours, cuda, inputs), both(theirs, None, inputs), BOUNDS[np.float64])


def test_nothing_is_saved_if_so_asked(cuda: Any) -> None:
    for name in ("layer_norm", "add_rms_norm"):
        ours = cuda_of(name)
        arrays = [on_device(cuda, value) for value in inputs_of(ours, np.float32, np.float32, 5, 33).values()]
        kept, _ = ours.forward(*arrays)
        found, saved = ours.forward(*arrays, save=False)
        assert saved is None
        pairs = zip(kept, found, strict=True) if name == "add_rms_norm" else [(kept, found)]
        assert all(np.array_equal(first.get(), second.get()) for first, second in pairs)


def test_what_saves_nothing_writes_outputs_alone(centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No memory is made beside `out`, and kernels are passed null for row scalars."""
    x, gamma, beta = (on_device(cuda, v) for v in inputs_of(centred, np.float32, np.float32, 5, 33).values())
    wanted, _ = centred.forward(x, gamma, beta)
    y = cuda.gpuarray.zeros((5, 33), np.float32)
    passed: list[tuple[Any, ...]] = []
    kernels = centred._launcher.kernels
    run = kernels.Launches.run

    def noted(self: Any, objects: list[Any], values: list[Any], *rest: Any) -> None:
        run(self, objects, values, *rest)
        passed.append(tuple(values[self.plan.slots[each.symbol]] for each in self.plan.takes.row_scalars))

    monkeypatch.setattr(kernels.Launches, "run", noted)
    monkeypatch.setattr(centred._launcher.driver, "Allocation", None)
    assert centred.forward(x, gamma, beta, save=False, out=y) == (y, None)
    assert passed
    assert not any(passed[0])
    np.testing.assert_array_equal(y.get(), wanted.get())


def test_leading_axes_and_one_row(cuda: Any) -> None:
    ours, theirs = cuda_of("layer_norm"), numpy_of("layer_norm")
    for shape in ((2, 1, 3, FEATURES), (FEATURES,)):
        inputs = {"x": normal(shape), "gamma": normal((FEATURES,)), "beta": normal((FEATURES,))}
        assert_close(both(ours, cuda, inputs), both(theirs, None, inputs), BOUNDS[np.float64])


def test_out_and_workspace_leave_nothing_to_allocate(centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    wanted = both(centred, cuda, inputs)
    x, gamma, beta = (on_device(cuda, value) for value in inputs.values())
    dy = on_device(cuda, normal((ROWS, FEATURES), seed=100))

    def filled(shape: Any, dtype: Any) -> Any:
        return cuda.gpuarray.to_gpu(np.full(shape, np.nan, dtype))

    y, *grads = (filled(wanted[name].shape, np.float64) for name in wanted)
    first = filled(centred.workspace_bytes("forward", x, gamma, beta) // 4, np.float32)
    monkeypatch.setattr(centred._launcher.driver, "Allocation", None)
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


# Calls that are like an earlier one


@dataclass
class Warm:
    """Arrays of a call that has been made before, with all that it may be given."""

    forward: dict[str, Any]
    backward: dict[str, Any]
    wanted: dict[str, Any]

    def run(self, layer: Any) -> None:
        out, saved = layer.forward(**self.forward)
        layer.backward(saved, **self.backward)
        results = (out, *self.backward["out"])
        for array, (name, value) in zip(results, self.wanted.items(), strict=True):
            np.testing.assert_array_equal(array.get(), value, err_msg=name)


@pytest.fixture
def warm(centred: Any, cuda: Any) -> Warm:
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    wanted = both(centred, cuda, inputs)
    arrays = {name: on_device(cuda, value) for name, value in inputs.items()}
    dy = on_device(cuda, normal((ROWS, FEATURES), seed=100))

    def empty(name: str) -> Any:
        return on_device(cuda, np.full(wanted[name].shape, np.nan))

    first = cuda.gpuarray.zeros(centred.workspace_bytes("forward", *arrays.values()), np.uint8)
    forward = {**arrays, "out": empty("y"), "workspace": first}
    _, saved = centred.forward(**forward)
    second = cuda.gpuarray.zeros(centred.workspace_bytes("backward", saved, dy), np.uint8)
    grads = tuple(empty(name) for name in list(wanted)[1:])
    found = Warm(forward, {"dy": dy, "out": grads, "workspace": second}, wanted)
    found.run(centred)
    return found


def test_a_call_like_an_earlier_one_is_not_planned_again(
    warm: Warm, centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = centred._launcher
    for module, name in (
        (parts.plans, "plan_forward"),
        (parts.plans, "plan_later"),
        (parts.devices, "_find_device"),
        (parts.driver, "Allocation"),
        (parts.kernels, "Launches"),
    ):
        monkeypatch.setattr(module, name, None)
    warm.run(centred)
    # Other arrays and other numbers are no reason to plan either.
    warm.forward["x"] = on_device(cuda, warm.forward["x"].get())
    warm.run(centred)
    assert np.isfinite(centred.forward(**{**warm.forward, "eps": 1.0})[0].get()).all()


def test_addresses_and_numbers_are_checked_in_every_call(warm: Warm, centred: Any, cuda: Any) -> None:
    """Values that a plan does not depend on are checked in every call."""
    y, x, gamma = warm.forward["out"], warm.forward["x"], warm.forward["gamma"]
    before = y.get()

    def moved(array: Any, start: int, strides: Any = None) -> Any:
        return cuda.gpuarray.GPUArray(array.shape, array.dtype, gpudata=start, strides=strides)

    host = np.ones((ROWS, FEATURES))
    cases: list[tuple[dict[str, Any], str]] = [
        ({"x": moved(x, host.ctypes.data // 16 * 16)}, "x is at 0x[0-9a-f]+, which is not device memory"),
        ({"out": moved(y, int(x.gpudata))}, "out for y overlaps x"),
        ({"out": moved(y, int(gamma.gpudata))}, "out for y overlaps gamma"),
        ({"workspace": moved(warm.forward["workspace"], int(y.gpudata))}, "workspace overlaps out for y"),
        ({"eps": float("inf")}, "eps is inf; pass a finite number"),
        ({"x": moved(x, 0)}, r"x has shape \(9, 33\) and no memory"),
        ({"x": moved(x, int(x.gpudata) + 4)}, "which is not aligned for float64"),
        ({"gamma": moved(gamma, int(gamma.gpudata) + 1)}, "which is not aligned for float64"),
        ({"x": moved(x, int(x.gpudata), x.strides[::-1])}, "x has strides"),
        ({"x": x.reshape(FEATURES, ROWS)}, r"gamma has shape \(33,\); pass \(D,\), which is \(9,\)"),
        ({"workspace": warm.forward["workspace"][:16]}, "workspace has 16 bytes and forward needs 768"),
    ]
    for changes, words in cases:
        with pytest.raises(ValueError, match=words):
            centred.forward(**{**warm.forward, **changes})
    _, saved = centred.forward(**warm.forward)
    dx, *rest = warm.backward["out"]
    # A gradient may be written over rows, but not over a part of them.
    behind = x.strides[0]
    given = warm.backward["dy"]
    for array, offset, name in (
        (saved.mu, 0, "saved mu"), (saved.x, behind, "x"), (given, behind, "dy"), (rest[0], 0, "out for dx")
    ):  # fmt: skip
        start = int(array.gpudata) + offset
        out = (moved(dx, start), *rest)
        with pytest.raises(ValueError, match=f"overlaps {name}"):
            centred.backward(saved, **{**warm.backward, "out": out})
    freed = on_device(cuda, x.get())
    centred.forward(**{**warm.forward, "x": freed})
    freed.gpudata.free()
    with pytest.raises(ValueError, match=r"x is at 0x[0-9a-f]+, which is not device memory"):
        centred.forward(**{**warm.forward, "x": freed})
    np.testing.assert_array_equal(y.get(), before)


def test_arrays_of_other_libraries_are_checked_in_every_call(warm: Warm, centred: Any) -> None:
    """The interface of an array may change after a valid call."""
    given = {name: Borrowed(array) for name, array in warm.forward.items()}
    centred.forward(**given)
    start = given["out"].__cuda_array_interface__["data"][0]
    cases: list[tuple[str, dict[str, Any], type[Exception], str]] = [
        ("out", {"data": (start, True)}, ValueError, "out for y is read-only"),
        ("workspace", {"data": (start, True)}, ValueError, "workspace is read-only"),
        ("x", {"mask": given["x"]}, TypeError, "x has a mask"),
        ("x", {"strides": (8, 40)}, ValueError, "x has strides"),
        ("x", {"typestr": "<i8"}, TypeError, "x is of type <i8, not floating point"),
        ("x", {"shape": (ROWS, FEATURES, 1), "strides": None}, ValueError, "gamma has shape"),
        ("x", {"data": (0, False)}, ValueError, "and no memory"),
    ]
    for name, changes, kind, words in cases:
        odd = Borrowed(warm.forward[name])
        odd.__cuda_array_interface__ |= changes
        with pytest.raises(kind, match=words):
            centred.forward(**{**given, name: odd})


def test_plans_hold_no_arrays_and_are_bounded(
    warm: Warm, centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    centred._LAYER.plans.clear()
    monkeypatch.setattr(centred._launcher.plans, "MOST_PLANS", 2)
    device = centred._launcher.devices.DEVICES[cuda.context.handle]
    device.launches.clear()
    warm.run(centred)
    for rows in (1, 2, 3, 4):
        x = on_device(cuda, normal((rows, FEATURES)))
        _, saved = centred.forward(x)
        centred.backward(saved, x)
        kept = weakref.ref(x)
        assert len(centred._LAYER.plans) <= 2
        assert len(device.launches) <= 2
        del x, saved
        assert kept() is None
    warm.run(centred)


def test_threads_and_streams_at_once(warm: Warm, centred: Any, cuda: Any) -> None:
    """Each has a stream, or the stream of its thread, and gradients of its own; all share kernels."""
    inputs, dy = dict(list(warm.forward.items())[:3]), warm.backward["dy"]
    errors: list[BaseException] = []

    def work(stream: Any) -> None:
        try:
            cuda.context.push()
            try:
                for _ in range(5):
                    y, saved = centred.forward(**inputs, stream=stream)
                    found = (y, *centred.backward(saved, dy, stream=stream))
                    for array, (name, value) in zip(found, warm.wanted.items(), strict=True):
                        np.testing.assert_array_equal(array.get(), value, err_msg=name)
            finally:
                cuda.driver.Context.pop()
        except BaseException as error:
            errors.append(error)

    own, foreign = cuda.driver.Stream(), cuda.driver.Stream()
    threads = [threading.Thread(target=work, args=(stream,)) for stream in (None, own, foreign.handle)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_a_stream_is_kept_with_the_memory_that_it_shares(
    warm: Warm, centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handle that is reused for another stream would lead to memory that is still in use."""
    _, saved = centred.forward(**warm.forward)
    device = centred._launcher.devices.DEVICES[cuda.context.handle]
    monkeypatch.setattr(centred._launcher.devices, "MOST_STREAMS", 2)
    monkeypatch.setattr(device, "scratch", {})
    handles = []
    for _ in range(4):
        stream = cuda.driver.Stream()
        handles.append(stream.handle)
        centred.backward(saved, warm.backward["dy"], stream=stream)
        assert device.scratch[stream.handle, "sums"][1] is stream
        del stream
        assert list(device.scratch) == [(handle, "sums") for handle in handles[-2:]]
    thread = device.scratch_for(None, 2, 8)
    assert (2, "sums") not in device.scratch
    assert device.scratch_for(None, 2, 8) is not thread


def test_numbers_outlive_the_launch_that_reads_them(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = cuda_of("dynamic_tanh"), numpy_of("dynamic_tanh")
    monkeypatch.setattr(ours._launcher.devices, "MOST_NUMBERS", 1)
    for device in ours._launcher.devices.DEVICES.values():
        device.numbers.clear()
        device.places = None
    inputs = inputs_of(ours, np.float64, np.float64, ROWS, FEATURES)
    scalar = next(each.symbol for each in ours._LAYER.inputs if each.kind == "Scalar")
    for value in (0.7, 0.8, 0.7, 2):
        inputs[scalar] = value
        assert_close(both(ours, cuda, inputs), both(theirs, None, inputs), BOUNDS[np.float64])
        device = ours._launcher.devices.DEVICES[cuda.context.handle]
        assert len(device.numbers) == 1


def test_a_context_that_pycuda_did_not_make_current(warm: Warm, centred: Any, cuda: Any) -> None:
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


def test_no_memory_is_where_new_memory_would_be(centred: Any, cuda: Any) -> None:
    """Without rows, and without parameters, no address says where the gradients belong."""
    x = cuda.gpuarray.empty((0, FEATURES), np.float64)
    context = cuda.driver.Device(0).make_context()
    try:
        _, saved = centred.forward(x, None, cuda.gpuarray.zeros(FEATURES, np.float64))
        gradients = centred.backward(saved, x)
        assert centred._launcher.devices._place("dbeta", gradients.dbeta.ptr) == (0, context.handle)
        np.testing.assert_array_equal(gradients.dbeta.get(), np.zeros(FEATURES))
        del saved, gradients
        centred._launcher.devices.DEVICES.pop(context.handle)
    finally:
        context.pop()


def test_out_for_some_results(cuda: Any) -> None:
    for name in ("layer_norm", "add_layer_norm"):
        ours = cuda_of(name)
        inputs = inputs_of(ours, np.float64, np.float64, ROWS, FEATURES)
        wanted = both(ours, cuda, inputs)
        names = [each.symbol for each in ours._LAYER.takes["forward"].results] if hasattr(ours, "Outputs") else ["y"]
        for odd in (0, 1):
            given = {
                name: cuda.gpuarray.empty(value.shape, value.dtype)
                for place, (name, value) in enumerate(wanted.items())
                if place % 2 == odd
            }
            outs = tuple(given.get(name) for name in names)
            out, saved = ours.forward(
                *(on_device(cuda, value) for value in inputs.values()), out=outs if len(names) > 1 else outs[0]
            )
            results = dict(zip(names, out if len(names) > 1 else [out], strict=True))
            cotangents = []
            for seed, value in enumerate(results.values()):
                cotangents.append(on_device(cuda, normal(tuple(value.shape), seed=100 + seed).astype(value.dtype)))
            outs = tuple(given.get(name) for name in ours.Gradients._fields)
            results |= ours.backward(saved, *cotangents, out=outs)._asdict()
            for name, value in wanted.items():
                assert name not in given or results[name] is given[name]
                np.testing.assert_array_equal(results[name].get(), value, err_msg=name)


# Results that are equal, rows that do not see one another


def test_gradients_that_are_the_same(cuda: Any) -> None:
    residual = cuda_of("add_rms_norm")
    inputs = inputs_of(residual, np.float64, np.float64, ROWS, FEATURES)
    out, saved = residual.forward(*(on_device(cuda, value) for value in inputs.values()))
    dy = on_device(cuda, normal((ROWS, FEATURES)))
    made = residual.backward(saved, *[dy] * len(out))
    assert made.dx.gpudata != made.dresidual.gpudata
    own = cuda.gpuarray.zeros((ROWS, FEATURES), np.float64)
    outs = dict.fromkeys(residual.Gradients._fields) | {"dresidual": own}
    one = residual.backward(saved, *[dy] * len(out), out=tuple(outs.values()))
    assert one.dresidual is own
    assert one.dx is not own
    outs["dx"] = cuda.gpuarray.zeros((ROWS, FEATURES), np.float64)
    apart = residual.backward(saved, *[dy] * len(out), out=tuple(outs.values()))
    assert apart.dx is outs["dx"]
    assert apart.dresidual is own
    for found in (made.dresidual, one.dx, one.dresidual, apart.dx, apart.dresidual):
        np.testing.assert_array_equal(found.get(), made.dx.get())


def test_rows_do_not_see_their_neighbours(centred: Any, cuda: Any) -> None:
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    inputs["x"][2] = np.nan
    whole = both(centred, cuda, inputs)
    assert np.isnan(whole["y"][2]).all()
    for row in (0, 1, 3):
        alone = centred.forward(*(on_device(cuda, v) for v in {**inputs, "x": inputs["x"][row]}.values()))[0]
        np.testing.assert_array_equal(alone.get(), whole["y"][row])
    assert np.isfinite(whole["dx"][[0, 1, 3, 4]]).all()


class Borrowed:
    """An array of another library, as far as the interface goes."""

    def __init__(self, array: Any, start: int = 0, shape: Any = None) -> None:
        self.array = array
        interface = dict(array.__cuda_array_interface__)
        interface["data"] = (interface["data"][0] + start, False)
        if shape is not None:
            interface |= {"shape": shape, "strides": None}
        self.__cuda_array_interface__ = interface


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


def test_memory_that_is_not_aligned_to_vectors(cuda: Any) -> None:
    ours, theirs = cuda_of("layer_norm"), numpy_of("layer_norm")
    rows, features = 3, 32
    x = normal((rows, features), np.float32)
    storage = cuda.gpuarray.to_gpu(np.concatenate([[np.float32(0)], x.ravel()]))
    y, saved = ours.forward(Borrowed(storage, 4, (rows, features)))
    gradients = ours.backward(saved, cuda.gpuarray.to_gpu(x))
    expected, known = theirs.forward(x)
    found = {"y": y.get(), "dx": gradients.dx.get()}
    assert_close(found, {"y": expected, "dx": theirs.backward(known, x).dx}, BOUNDS[np.float32])
    modules = ours._launcher.devices.DEVICES[cuda.context.handle].modules
    assert {narrow for _, _, narrow, *_ in modules} == {False, True}


def test_raw_bfloat16(centred: Any, cuda: Any) -> None:
    x = normal((ROWS, FEATURES), BF16)
    gamma, beta = normal((FEATURES,), np.float32), normal((FEATURES,), np.float32)
    parameters = [cuda.gpuarray.to_gpu(value) for value in (gamma, beta)]
    typed = centred.forward(cuda.gpuarray.to_gpu(x), *parameters)[0]
    raw = centred.forward(cuda.gpuarray.to_gpu(x.view("V2")), *parameters)[0]
    assert (typed.dtype, raw.dtype) == (np.dtype(BF16), np.dtype("V2"))
    assert typed.get().tobytes() == raw.get().tobytes()


def test_no_context_is_left_behind(centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a context of the caller's own, and in a thread; what is freed elsewhere is freed."""
    monkeypatch.setattr(centred._launcher.driver, "MOST_POOLED", 0)
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
    pointer = int(found.pop().gpudata)
    with pytest.raises(ValueError, match="is not device memory"):
        centred._launcher.devices._place("y", pointer)


def test_a_context_that_is_not_the_primary_one(centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of a context of the caller's own, as `pycuda.autoinit` makes one, are worked on in it."""
    inputs = inputs_of(centred, np.float64, np.float64, ROWS, FEATURES)
    wanted = both(centred, cuda, inputs)
    context = cuda.driver.Device(0).make_context()
    try:
        found = both(centred, cuda, inputs)
        assert context.handle in centred._launcher.devices.DEVICES
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
    with monkeypatch.context() as patched:
        patched.setattr(centred._launcher.devices, "DEVICES", {})
        with pytest.raises(ValueError, match=outside):
            centred.forward(*arrays)
        ordinals = {"x": 0, "gamma": 1}
        patched.setattr(centred._launcher.devices, "_place", lambda name, pointer: (ordinals[name], None))
        with pytest.raises(ValueError, match="gamma is on device 1 and x on device 0; pass both on one"):
            centred.forward(*arrays)
    context.push()
    # What was loaded there ends before the context does.
    arrays.clear()
    mixed.clear()
    del centred._launcher.devices.DEVICES[context.handle]
    context.pop()


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
from lngen.runtime.cuda.arrays import part
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
