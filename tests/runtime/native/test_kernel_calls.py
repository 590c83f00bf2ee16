"""Calls of a layer compiled for the processor: what they refuse, where results go, and that nothing is kept."""

from __future__ import annotations

import gc
import inspect
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.runtime.native.extensions import headers
from tests.compiled import Layer, layer
from tests.requirements import needs_gxx

pytestmark = [needs_gxx, pytest.mark.skipif(not headers(), reason="no headers of Python")]


@pytest.fixture
def norm() -> Layer:
    return layer("layer_norm")


def few(features: int = 7, dtype: Any = np.float32) -> tuple[np.ndarray, ...]:
    draw = np.random.default_rng(features)
    return tuple(draw.standard_normal(shape).astype(dtype) for shape in ((3, features), (features,), (features,)))


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_what_is_left_out_and_where_results_go(norm, dtype):
    x, gamma, beta = few(dtype=dtype)
    x.flags.writeable = False
    for parameters in ((), (gamma,), (None, beta), (gamma, beta), (gamma.astype(np.float32), beta)):
        y = np.empty_like(x)
        given, saved = norm.cpu.forward(x, *parameters, out=y, threads=2)
        assert given is y
        assert saved.x is x
        assert norm.cpu.forward(x, *parameters, save=False)[1] is None
        plain, other = norm.numpy.forward(x, *parameters)
        assert [value if value is None else value.dtype for value in saved[3:]] == [
            value if value is None else value.dtype for value in other[3:]
        ]
        assert saved[:3] == other[:3]
        np.testing.assert_allclose(np.asarray(y, float), np.asarray(plain, float), rtol=0.02, atol=0.02)
        own = [np.empty_like(x), *(None if value is None else np.empty_like(value) for value in saved[4:5])]
        own.append(np.empty_like(beta) if len(parameters) > 1 else None)
        gradients = norm.cpu.backward(saved, x, out=own)
        assert norm.cpu.backward(saved, x, out=gradients) == gradients
        assert all(mine is each for mine, each in zip(gradients, own, strict=True))
        assert norm.cpu.jvp(saved, x, out=y) is y


def swapped(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder())


@pytest.mark.ci
@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.tolist(),
        lambda x: np.repeat(x, 2, -1)[..., ::2],
        lambda x: x.T.copy().T,
        lambda x: swapped(x),
        lambda x: x.astype(np.longdouble),
        lambda x: x.view(type("Own", (np.ndarray,), {})),
        lambda x: x[:0],
        lambda x: x.astype(int),
        lambda x: x[..., :0],
        lambda x: x[0, 0],
        lambda x: None,
    ],
)
def test_unusual_rows_are_answered_as_by_numpy(norm, change):
    x, gamma, _ = few()
    answers = []
    for module in (norm.cpu, norm.numpy):
        try:
            y, saved = module.forward(change(x), gamma[: np.shape(change(x))[-1]] if np.ndim(change(x)) else gamma)
            answers.append((y.dtype, y.shape, saved[:3]))
        except (TypeError, ValueError) as error:
            answers.append(str(error))
    assert answers[0] == answers[1]


@pytest.mark.ci
def test_refusals_are_those_of_numpy(norm):
    x, gamma, beta = few()
    saved = norm.cpu.forward(x, gamma, beta)[1]
    wrong = norm.cpu.forward(x[:2], gamma, beta)[1]
    rows = np.zeros((6, 7), np.float32)
    read_only = np.empty_like(x)
    read_only.flags.writeable = False
    refused: list[Callable[[Any], Any]] = [
        lambda m: m.forward(x, gamma[:3]),
        lambda m: m.forward(x, gamma.astype(complex)),
        lambda m: m.forward(x, gamma, threads=0),
        lambda m: m.forward(x, gamma, threads=True),
        lambda m: m.forward(x, gamma, out=x),
        lambda m: m.forward(x, gamma, out=read_only),
        lambda m: m.forward(x, gamma, out=np.empty((3, 7))),
        lambda m: m.forward(x, gamma, out=(np.empty_like(x),)),
        lambda m: m.forward(rows[:3], out=rows[1:4]),
        lambda m: m.backward(tuple(saved), x),
        lambda m: m.backward(saved, None),
        lambda m: m.backward(saved, x[:2]),
        lambda m: m.backward(saved, x, out=np.empty_like(x)),
        lambda m: m.backward(saved, x, out=(np.empty_like(x), None)),
        lambda m: m.backward(saved, x, out=(np.empty_like(x), gamma, gamma)),
        lambda m: m.backward(saved, x, out=(np.empty_like(x), np.empty_like(gamma), saved.x[0])),
        lambda m: m.backward(saved._replace(mu=wrong.mu), x),
        lambda m: m.backward(saved._replace(shape=(3, -7)), x),
        lambda m: m.backward(saved._replace(shape=[3, 7]), x),
        lambda m: m.backward(saved._replace(gamma=None), x),
        lambda m: m.backward(saved._replace(dtype=np.dtype(int)), x),
        lambda m: m.backward(saved._replace(dtypes=("a", None, None)), x),
        lambda m: m.jvp(saved),
        lambda m: m.jvp(norm.cpu.forward(x)[1], x, gamma),
        lambda m: m.backward_backward(saved, x),
        lambda m: m.backward_backward(saved, (x, x), x),
    ]
    for number, call in enumerate(refused):
        said = []
        for module in (norm.cpu, norm.numpy):
            with pytest.raises((TypeError, ValueError)) as error:
                call(module)
            said.append((type(error.value), str(error.value)))
        assert said[0] == said[1], number


@pytest.mark.ci
def test_nothing_is_kept_of_a_call(norm):
    x, gamma, beta = few(dtype=ml_dtypes.bfloat16)
    wide = gamma.astype(np.float32)
    saved, y = norm.cpu.forward(x, wide, beta)[1], np.empty_like(x)
    one = np.float16(1)
    watched = (x, wide, beta, y, saved, saved.mu, x.dtype, wide.dtype, None, 1e-5, norm.numpy.Saved, one)

    def step() -> None:
        _, found = norm.cpu.forward(x, wide, beta, out=y)
        norm.cpu.backward(found, x)
        norm.cpu.jvp(found, x)
        norm.cpu.backward_backward(found, x, x)
        for call in (lambda: norm.cpu.forward(x[:, :3], wide), lambda: norm.cpu.backward(found, x, out=(y, y, beta))):
            with pytest.raises(ValueError, match="pass"):
                call()

    def counts() -> list[int]:
        gc.collect()
        return [sys.getrefcount(value) for value in watched]

    step()
    before, blocks = counts(), sys.getallocatedblocks()
    for _ in range(500):
        step()
    assert all(abs(after - first) < 50 for after, first in zip(counts(), before, strict=True))
    assert sys.getallocatedblocks() - blocks < 500


def test_several_threads_of_python_at_a_time(norm):
    cases = [(few(features), few(features)[0] ** 2) for features in (5, 700, 3000)]
    expected = [norm.cpu.backward(norm.cpu.forward(*given)[1], dy) for given, dy in cases]
    wrong = []

    def work() -> None:
        for number in range(200):
            given, dy = cases[number % 3]
            found = norm.cpu.backward(norm.cpu.forward(*given)[1], dy)
            if any((a != b).any() for a, b in zip(found, expected[number % 3], strict=True)):
                wrong.append(number)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_functions_have_the_signature_and_docstring_of_those_on_numpy(norm):
    for name in ("forward", "backward", "jvp", "backward_backward"):
        made, other = vars(norm.cpu)[name], vars(norm.numpy)[name]
        assert made is not other
        assert made.__module__ == norm.cpu.__name__
        assert pickle.loads(pickle.dumps(made)) is made
        assert inspect.signature(made) == inspect.signature(other)
        assert inspect.getdoc(made) == inspect.getdoc(other)
