"""`jvp` and `backward_backward` of emitted CUDA beside those of NumPy: on the GPU where there is one, else emulated."""

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.check.on_device import OnDevice, device
from lngen.runtime.cuda.arrays import part
from tests.emit.test_cuda_launcher_runs import BOUNDS
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

BF16 = ml_dtypes.bfloat16
SHAPE = (5, 33)
ONES = np.ones(SHAPE, np.float32)


@pytest.fixture(scope="module", autouse=True)
def place() -> Iterator[None]:
    with device():
        yield


class Beside:
    """Two backends of a shipped layer on the same random numbers, without the inputs in `absent`."""

    def __init__(self, name: str, dtype: Any = np.float64, absent: tuple[str, ...] = (), scalar: Any = None) -> None:
        backend = importlib.import_module(f"generated.{name}.cuda_backend")
        self.cuda, self.numpy = OnDevice(backend), importlib.import_module(f"generated.{name}.numpy_backend")
        self.kinds = {each.symbol: each.kind for each in backend._LAYER.inputs}
        self.dtype, self.parameters = dtype, dtype if np.dtype(dtype).itemsize > 2 else np.float32
        self.random = np.random.default_rng(0)
        inputs = {n: None if n in absent else self.draw(kind, 1.5) for n, kind in self.kinds.items()}
        if scalar is not None:
            inputs |= {n: scalar for n, kind in self.kinds.items() if kind == "Scalar"}
        self.saved = [module.forward(*inputs.values())[1] for module in (self.cuda, self.numpy)]
        self.tangents = [None if n in absent else self.draw(kind) for n, kind in self.kinds.items()]
        self.cotangents = tuple(self.draw(each.kind) for each in backend._LAYER.takes["forward"].results)

    def draw(self, kind: str, centre: float = 0.0) -> Any:
        dtype = self.dtype if kind in ("Row", "RowScalar") else self.parameters
        return np.asarray(centre + np.tanh(self.random.standard_normal(part(kind, SHAPE)))).astype(dtype)

    def check(self, direction: str, *arguments: Any, **options: Any) -> Any:
        modules: tuple[Any, ModuleType] = (self.cuda, self.numpy)
        found, wanted = (
            getattr(module, direction)(saved, *arguments, **options)
            for module, saved in zip(modules, self.saved, strict=True)
        )
        for ours, theirs in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, wanted)), strict=True):
            assert (ours is None) == (theirs is None)
            if theirs is not None:
                assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
                exact, value = np.asarray(theirs, np.float64), np.asarray(ours, np.float64)
                # A second gradient adds several times as many terms as a gradient.
                error = np.abs(value - exact).max(initial=0) / max(1, np.abs(exact).max(initial=0))
                assert error <= 4 * BOUNDS[self.dtype]
        return found

    def check_both(self) -> None:
        self.check("jvp", *self.tangents)
        self.check("backward_backward", self.cotangents, *self.tangents)


def test_what_is_left_out() -> None:
    """Inputs, and tangents of inputs that are there."""
    beside = Beside("layer_norm", absent=("gamma", "beta"))
    beside.check_both()
    beside = Beside("layer_norm")
    for keep in range(3):
        alone = [tangent if place == keep else None for place, tangent in enumerate(beside.tangents)]
        beside.check("jvp", *alone)
        beside.check("backward_backward", beside.cotangents, *alone)


def test_one_cotangent_of_several() -> None:
    beside = Beside("add_layer_norm")
    beside.check("backward_backward", (beside.cotangents[0], None), *beside.tangents)
    beside.check("backward_backward", (None, beside.cotangents[1]), *beside.tangents)


def test_a_number_for_a_scalar_and_for_its_tangent() -> None:
    beside = Beside("dynamic_tanh", scalar=0.7)
    tangents = [0.3 if kind == "Scalar" else beside.draw(kind) for kind in beside.kinds.values()]
    beside.check("jvp", *tangents)


def test_results_go_to_arrays_of_the_caller() -> None:
    beside = Beside("layer_norm", np.float32)
    out = np.full(SHAPE, np.nan, np.float32)
    assert beside.check("jvp", beside.tangents[0], out=out) is not None
    grads = beside.numpy.backward_backward(beside.saved[1], beside.cotangents, *beside.tangents)
    outs = tuple(np.full(value.shape, np.nan, value.dtype) for value in grads)
    found = beside.cuda.backward_backward(beside.saved[0], beside.cotangents, *beside.tangents, out=outs)
    assert all(ours is given for ours, given in zip(found, outs, strict=True))
    assert all(np.isfinite(value).all() for value in outs)


@pytest.mark.parametrize(
    ("direction", "arguments", "words"),
    [
        ("backward_backward", ((None,), ONES), "dy is None; pass an array of floats"),
        ("backward_backward", ((), ONES), "cotangents has 0 entries; pass 1"),
    ],
)
def test_bad_arguments(direction: str, arguments: tuple[Any, ...], words: str) -> None:
    beside = Beside("layer_norm", np.float32, absent=("beta",))
    with pytest.raises((TypeError, ValueError), match=words):
        getattr(beside.cuda, direction)(beside.saved[0], *arguments)


def test_a_tangent_of_another_type() -> None:
    beside = Beside("layer_norm", np.float32)
    with pytest.raises(TypeError, match="x_dot is of type float64 and x of type float32; pass x_dot in float32"):
        beside.cuda.jvp(beside.saved[0], np.ones(SHAPE))
    with pytest.raises(
        TypeError, match="gamma_dot is of type float64 and gamma of type float32; pass gamma_dot in float32"
    ):
        beside.cuda.jvp(beside.saved[0], None, np.ones(33))


def test_how_much_workspace_a_second_gradient_needs() -> None:
    """Partial sums of one Feature in the compute type, a block each; few rows and a tangent need none."""
    beside = Beside("layer_norm", np.float32)
    backend, saved = beside.cuda.functions, beside.saved[0]
    given = [*map(_up, (*beside.cotangents, *beside.tangents))]
    assert backend.workspace_bytes("backward_backward", saved, *given) == 0
    rows, features = _up(np.ones((300, SHAPE[1]), np.float32)), _up(np.ones(SHAPE[1], np.float32))
    _, of_many = backend.forward(rows, features, features)
    needed = backend.workspace_bytes("backward_backward", of_many, rows, rows, features, features)
    assert needed
    assert needed % (4 * SHAPE[1]) == 0
    assert backend.workspace_bytes("jvp", saved, *given[1:]) == 0


def _up(value: Any) -> Any:
    from pycuda import gpuarray

    return gpuarray.to_gpu(value)
