"""Emitted layers in the eyes of a type checker that is told nothing but to be strict."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.ci

ROOT = Path(__file__).parents[1]

RIGHT = """
from enum import IntEnum
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import lngen
from generated import add_layer_norm, layer_norm
from generated._runtime.protocol.interface import Interface
from generated.layer_norm import cuda_backend


def step(x: npt.NDArray[np.float32], gamma: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
    y, saved = layer_norm.forward(x, gamma, eps=1e-6)
    assert_type(saved, layer_norm.Saved)
    gradients = layer_norm.backward(saved, y, threads=2)
    assert_type(gradients, layer_norm.Gradients)
    if gradients.dgamma is not None:
        gamma -= gradients.dgamma
    out, nothing = layer_norm.forward(x, save=False, out=y)
    assert_type(nothing, layer_norm.Saved | None)
    second = layer_norm.backward_backward(saved, out, ddx=x)
    return layer_norm.jvp(saved, x_dot=second.dx)


def fused(x: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    outputs, saved = add_layer_norm.forward(x, x)
    assert_type(outputs, add_layer_norm.Outputs)
    into = (x, np.empty_like(x), None, None)
    return add_layer_norm.backward(saved, None, outputs.h, out=into).dresidual


class Array:
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {}


class Tensor:
    def __dlpack__(self, *, stream: Any = -1, max_version: tuple[int, int] | None = None) -> Any:
        return None

    def __dlpack_device__(self) -> tuple[IntEnum, int]:
        raise NotImplementedError


def trained(x: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
    norm = layer_norm.LayerNorm(8, beta=False, backend="auto", dtype="float64")
    assert_type(norm(x), npt.NDArray[Any])
    norm.parameters["gamma"] -= 0.1 * norm.gradients["gamma"]
    fused = add_layer_norm.AddLayerNorm(8)
    assert_type(fused(x, x), add_layer_norm.Outputs)
    return norm.backward(fused.backward(x)[0])


def on_device(x: Array, t: Tensor) -> int:
    y, saved = cuda_backend.forward(x, t)
    cuda_backend.backward(saved, y, stream=0, like=t)
    return cuda_backend.workspace_bytes("backward", saved, y)


assert_type(layer_norm.INTERFACE, Interface)
layer: lngen.Layer = lngen.load("layer_norm")
print(layer.INTERFACE["inputs"][0]["name"], layer.forward(np.ones((2, 3)))[0])
"""

WRONG = """
import numpy as np

from generated import layer_norm
from generated.layer_norm import cuda_backend

x = np.ones((2, 3))
y, saved = layer_norm.forward(x)
layer_norm.forward(x, eps="small")
layer_norm.backward(y, saved)
layer_norm.forward(x, save=False)[1].x
cuda_backend.forward(x)
layer_norm.INTERFACE["input"]
"""


def checked(text: str, folder: Path) -> list[str]:
    (folder / "script.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary"]
    # What the script imports is as if it were installed: not looked for mistakes, which `make lint` does.
    command += ["--follow-imports=silent", "script.py"]
    cache = f"--cache-dir={ROOT / '.mypy_cache' / 'scripts'}"
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run([*command, cache], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if "No module named mypy" in done.stderr:
        pytest.skip("no mypy: pip install mypy")
    assert not done.stderr
    return done.stdout.splitlines()


def test_a_script_that_is_right_is_found_right(tmp_path: Path) -> None:
    assert checked(RIGHT, tmp_path) == []


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    found = [line.split(":")[1] for line in checked(WRONG, tmp_path) if ": error:" in line]
    assert sorted(set(found), key=int) == ["9", "10", "11", "12", "13"]
