"""Layers with named axes and labels beside PyTorch's functions on a processor: `python -m benchmarks.beyond_rows`.

What is timed is a step, forward and backward with new results, on one thread: the emitted function of tensors,
PyTorch's own operations, and the same under torch.compile. They take turns in one process.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import torch
from torch.nn import functional

from benchmarks import tables
from benchmarks.results import quartiles

SECONDS = 4.0
FEWEST = 5


@dataclass(frozen=True)
class Step:
    """A layer at a size: shapes of its inputs by name, what PyTorch computes of them, and the type of numbers."""

    layer: str
    shapes: Mapping[str, tuple[int, ...]]
    theirs: Callable[..., Any]
    dtype: torch.dtype = torch.float32

    def inputs(self) -> list[torch.Tensor]:
        """Normal numbers, labels that are classes, and positions."""
        numbers, made = torch.Generator().manual_seed(0), []
        for name, shape in self.shapes.items():
            if name == "label":
                made.append(torch.randint(self.shapes["x"][-1], shape, generator=numbers))
            elif name == "position":
                made.append(torch.arange(*shape))
            else:
                made.append(torch.randn(shape, generator=numbers).to(self.dtype).requires_grad_())
        return made

    def __str__(self) -> str:
        kind = str(self.dtype).removeprefix("torch.")
        return f"{self.layer}, {' x '.join(map(str, self.shapes['x']))}, {kind}"


def _ada_layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    return (1 + scale[:, None]) * functional.layer_norm(x, x.shape[-1:], eps=1e-6) + shift[:, None]


def _batch_norm(x: Any, gamma: Any, beta: Any) -> Any:
    return functional.batch_norm(x, None, None, gamma, beta, True)


def _group_norm(x: Any, gamma: Any, beta: Any) -> Any:
    return functional.group_norm(x, 32, gamma, beta)


def _causal_softmax(x: Any, position: Any) -> Any:
    return torch.softmax(x.masked_fill(torch.arange(x.shape[-1]) > position[:, None], -torch.inf), -1)


def _head_rms_norm(x: Any, weight: Any) -> Any:
    return weight * functional.rms_norm(x, x.shape[-1:], eps=1e-6)


_CLASSES = {"x": (8192, 32000), "label": (8192,)}
_LOSS = {"theirs": lambda x, label: functional.cross_entropy(x, label, reduction="none")}

STEPS = (
    Step("group_norm", {"x": (8, 256, 32, 32), "gamma": (256,), "beta": (256,)}, _group_norm),
    Step("batch_norm", {"x": (32, 64, 56, 56), "gamma": (64,), "beta": (64,)}, _batch_norm),
    Step("ada_layer_norm", {"x": (8, 1024, 1152), "scale": (8, 1152), "shift": (8, 1152)}, _ada_layer_norm),
    Step("head_rms_norm", {"x": (4, 1024, 16, 128), "weight": (16, 128)}, _head_rms_norm),
    Step("causal_softmax", {"x": (1, 16, 1024, 1024), "position": (1024,)}, _causal_softmax),
    Step("label_cross_entropy", _CLASSES, **_LOSS),
    Step("label_cross_entropy", _CLASSES, **_LOSS, dtype=torch.bfloat16),
)


def main(arguments: list[str]) -> int:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.beyond_rows", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("layers", nargs="*", metavar="LAYER", help="those alone")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each line (%(default)s)")
    options = parser.parse_args(arguments)
    steps = [each for each in STEPS if not options.layers or each.layer in options.layers]
    if not steps:
        parser.error(f"pass of {', '.join(dict.fromkeys(each.layer for each in STEPS))}")
    torch.set_num_threads(1)
    rows, ratios = [], []
    for each in steps:
        times = measured(each, options.seconds)
        ratios.append([times[name][1] / times["emitted"][1] for name in ("eager", "compiled")])
        cells = [f"{1e3 * median:.2f} ({1e3 * low:.2f} to {1e3 * high:.2f})" for low, median, high in times.values()]
        rows.append((str(each), *cells, *(f"{ratio:.2f}" for ratio in ratios[-1])))
    heads = ("step", "emitted, ms", "PyTorch eager, ms", "torch.compile, ms", "beside eager", "beside compiled")
    print(tables.table(heads, rows))
    means = " and ".join(f"{geometric_mean(each):.2f}" for each in zip(*ratios, strict=True))
    print(f"\ngeometric means: {means} times as fast")
    return 0


def measured(step: Step, seconds: float) -> dict[str, list[float]]:
    """The quartiles of the seconds of each. Raises AssertionError where they do not compute the same."""
    inputs = step.inputs()
    backend: Any = importlib.import_module(f"generated.{step.layer}.torch_backend")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ways = {
            "emitted": work(getattr(backend, step.layer), inputs),
            "eager": work(step.theirs, inputs),
            "compiled": work(torch.compile(step.theirs), inputs),
        }
        found = {name: way() for name, way in ways.items()}
    tolerance = 64 * torch.finfo(step.dtype).eps
    for mine, theirs in zip(found["emitted"], found["eager"], strict=True):
        torch.testing.assert_close(mine, theirs, rtol=tolerance, atol=tolerance * float(theirs.detach().abs().max()))
    times: dict[str, list[float]] = {name: [] for name in ways}
    begin = time.perf_counter()
    while len(times["emitted"]) < FEWEST or time.perf_counter() - begin < seconds:
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - start)
    return {name: quartiles(each) for name, each in times.items()}


def work(function: Callable[..., Any], inputs: Sequence[torch.Tensor]) -> Callable[[], list[torch.Tensor]]:
    """Forward and backward of a function: its first output, and all gradients."""
    moving = [each for each in inputs if each.requires_grad]
    cotangents: dict[torch.Size, torch.Tensor] = {}

    def of_step() -> list[torch.Tensor]:
        made = function(*inputs)
        y = made[0] if isinstance(made, tuple) else made
        if y.shape not in cotangents:
            cotangents[y.shape] = torch.randn(y.shape, generator=torch.Generator().manual_seed(1)).to(y.dtype)
        return [y, *torch.autograd.grad(y, moving, cotangents[y.shape])]

    return of_step


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
