"""Arguments and results of public functions; the messages are tested with emitted code too."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lngen
from lngen.runtime.protocol import calls

FLOAT64 = np.dtype(np.float64)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ([0.0], "out for dx is of type list; pass an array"),
        (np.empty(2), r"out for dx has shape \(2,\) and type float64; pass np.empty\(\(3,\), float64\)"),
        (np.broadcast_to(0.0, 3), "out for dx is read-only"),
        (np.ma.zeros(3), "out for dx is a masked array, and its mask would be wrong; pass its data"),
        (np.lib.stride_tricks.as_strided(np.empty(1), (3,), (0,)), "out for dx overlaps itself"),
    ],
)
def test_an_out_that_will_not_do(out: object, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        calls.result("dx", out, (3,), FLOAT64, {})


class Labelled(np.ndarray):
    """A subclass of the user's."""


@pytest.mark.parametrize("kind", [np.matrix, np.memmap, np.recarray, Labelled])
def test_an_out_of_a_subclass_is_written_as_a_plain_array(kind: Any, tmp_path: Path) -> None:
    plain = np.zeros((3, 4), np.float32)
    out = np.memmap(tmp_path / "rows", np.float32, "w+", shape=(3, 4)) if kind is np.memmap else plain.view(kind)
    made = calls.result("y", out, (3, 4), np.dtype(np.float32), {})
    assert type(made) is np.ndarray
    assert np.shares_memory(made, out)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("cpu", marks=pytest.mark.ci)])
def test_a_layer_writes_to_matrices_what_it_writes_to_arrays(backend: str) -> None:
    layer = lngen.load("rms_norm", backend=backend)
    x = np.random.default_rng(0).standard_normal((7, 12)).astype(np.float32)
    gamma = np.ones(12, np.float32)
    y, saved = layer.forward(x, gamma)
    gradients = layer.backward(saved, x)
    matrices = [np.zeros_like(x).view(np.matrix) for _ in range(2)]
    assert layer.forward(x.view(np.matrix), gamma, out=matrices[0])[0] is matrices[0]
    _, saved = layer.forward(x.view(np.matrix), gamma)
    own = np.zeros_like(gamma)
    found = layer.backward(saved, x.view(np.matrix), out=(matrices[1], own))
    assert found.dx is matrices[1]
    assert found.dgamma is own
    assert (matrices[0] == y).all()
    assert (matrices[1] == gradients.dx).all()
    assert (found.dgamma == gradients.dgamma).all()
