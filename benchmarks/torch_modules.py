"""Emitted modules beside those of PyTorch's that they stand for: `python -m benchmarks.torch_modules`.

What is timed is a step, forward and backward with new results, of rows x features, and the gradients of parameters for
each sample, by `vmap(grad(...))`, of samples x rows x features. Both modules take turns in one process, on one thread.
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import geometric_mean
from typing import Any

import torch

import lngen.torch
from benchmarks import tables
from benchmarks.results import quartiles

PAIRS: Mapping[str, Callable[[int], torch.nn.Module]] = {"layer_norm": torch.nn.LayerNorm, "rms_norm": torch.nn.RMSNorm}
STEPS = ("32x16", "512x256", "4096x256", "4096x1024", "4096x4096", "16384x768", "8192x1024", "2048x8192", "16384x1024")
SAMPLES = ("256x128x256", "64x512x768", "1024x1x1024", "4096x1x256", "64x1x256")
SECONDS = 2.0

Shape = tuple[int, ...]
Work = Callable[[], Sequence[torch.Tensor]]


def main(arguments: list[str]) -> int:
    """Measure, and print two tables in Markdown."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.torch_modules", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("layers", nargs="*", default=["layer_norm"], metavar="LAYER", help=f"of {', '.join(PAIRS)}")
    parser.add_argument("--steps", nargs="*", default=STEPS, metavar="ROWSxFEATURES", help="(%(default)s)")
    parser.add_argument("--samples", nargs="*", default=SAMPLES, metavar="SAMPLESxROWSxFEATURES", help="(%(default)s)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each line (%(default)s)")
    options = parser.parse_args(arguments)
    if strangers := sorted({*options.layers} - {*PAIRS}):
        parser.error(f"{', '.join(strangers)} stands for no module of PyTorch's here; pass of {', '.join(PAIRS)}")
    torch.set_num_threads(1)
    for title, make, texts in (("forward and backward", step, options.steps), ("samples", of_samples, options.samples)):
        shapes = [tuple(map(int, text.split("x"))) for text in texts]
        lines = [
            (name, shape, measured(make, name, shape, options.seconds)) for name in options.layers for shape in shapes
        ]
        if lines:
            print("\n".join(table(title, lines)))
    return 0


def pair(name: str, features: int) -> tuple[torch.nn.Module, torch.nn.Module]:
    """The module of PyTorch's, and the emitted one in its place."""
    theirs = PAIRS[name](features)
    model = torch.nn.Sequential(copy.deepcopy(theirs))
    lngen.torch.replace(model)
    return theirs, model[0]


def step(module: torch.nn.Module, shape: Shape) -> Work:
    """Forward and backward of all rows; what is made are the output and all gradients."""
    x, cotangent = drawn(shape, 0).requires_grad_(), drawn(shape, 1)
    given = [x, *module.parameters()]

    def work() -> Sequence[torch.Tensor]:
        y = module(x)
        return y, *torch.autograd.grad(y, given, cotangent)

    return work


def of_samples(module: torch.nn.Module, shape: Shape) -> Work:
    """The gradients of all parameters for each sample."""
    x, parameters = drawn(shape, 0), {name: each.detach() for name, each in module.named_parameters()}

    def loss(given: Mapping[str, torch.Tensor], sample: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(module, dict(given), (sample,)).square().sum()

    gradients: Any = torch.func.vmap(torch.func.grad(loss), (None, 0))
    return lambda: [*gradients(parameters, x).values()]


def drawn(shape: Shape, seed: int) -> torch.Tensor:
    """Normal numbers."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def measured(
    make: Callable[[torch.nn.Module, Shape], Work], name: str, shape: Shape, seconds: float
) -> tuple[list[float], list[float]]:
    """The quartiles of the seconds of both, ours first. Raises AssertionError where they do not compute the same."""
    theirs, ours = (make(module, shape) for module in pair(name, shape[-1]))
    for found, expected in zip(ours(), theirs(), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4 * float(expected.detach().abs().max()))
    times: tuple[list[float], list[float]] = [], []
    begin = time.perf_counter()
    while len(times[0]) < 5 or time.perf_counter() - begin < seconds:
        for work, own in zip((ours, theirs), times, strict=True):
            start = time.perf_counter()
            work()
            own.append(time.perf_counter() - start)
    return quartiles(times[0]), quartiles(times[1])


def table(title: str, lines: Sequence[tuple[str, Shape, tuple[list[float], list[float]]]]) -> list[str]:
    """A table of medians, with quartiles, and of how many times as fast ours is."""
    rows, ratios = [], []
    for name, shape, both in lines:
        cells = [f"{1e6 * median:.0f} ({1e6 * low:.0f} to {1e6 * high:.0f})" for low, median, high in both]
        ratios.append(both[1][1] / both[0][1])
        rows.append((name, " x ".join(map(str, shape)), *cells, f"{ratios[-1]:.2f}"))
    heads = (title, "shape", "emitted, us", "PyTorch's, us", "times as fast")
    return [tables.table(heads, rows), "", f"geometric mean: {geometric_mean(ratios):.2f} times as fast", ""]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
