"""Calls of a layer compiled for the processor: what they refuse, where results go, and that nothing is kept."""

from __future__ import annotations

import gc
import inspect
import pickle
import sys
import threading
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
