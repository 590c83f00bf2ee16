"""Cross entropy of `h @ weight.T` with labels, by chunks and whole: `python -m benchmarks.chunked_linear`.

What is timed is a step: the loss, and the gradients of `h` and `weight`. The variants take turns in one process. Memory
is the most that a process of its own has in a first step, beyond what it has before.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch

import lngen
import lngen.torch
from benchmarks import tables
from benchmarks.results import quartiles

LOSS = "label_cross_entropy"
SHAPE = "2048x512x32000"

Step = Callable[[], Sequence[torch.Tensor]]


def main(arguments: list[str]) -> int:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.chunked_linear", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--shape", default=SHAPE, metavar="ROWSxFEATURESxENTRIES", help="(%(default)s)")
    parser.add_argument("--rows", nargs="*", type=int, default=[], help="of further chunks, beside those by default")
    parser.add_argument("--dtype", default="float32", choices=("float32", "bfloat16"), help="(%(default)s)")
    parser.add_argument("--steps", type=int, default=5, help="of each variant (%(default)s)")
    parser.add_argument("--peak", metavar="VARIANT", help="print the memory of this one alone")
    options = parser.parse_args(arguments)
    shape, dtype = [*map(int, options.shape.split("x"))], getattr(torch, options.dtype)
    if options.peak:
        variants([8, 8, 8], dtype, options.rows)[options.peak]()  # which imports what is needed
        print(peak(variants(shape, dtype, options.rows)[options.peak]))
        return 0
    steps = variants(shape, dtype, options.rows)
    agreed(steps)
    times = timed(steps, options.steps)
    program = [sys.executable, "-m", "benchmarks.chunked_linear", *arguments, "--peak"]
    peaks = {name: float(subprocess.check_output([*program, name], text=True)) for name in steps}
    print(table(times, peaks))
    return 0


def variants(shape: Sequence[int], dtype: torch.dtype, chunks: Sequence[int]) -> dict[str, Step]:
    """A step of each variant; the first is PyTorch's."""
    rows, features, entries = shape
    random = torch.Generator().manual_seed(0)
    h = torch.randn(rows, features, generator=random).to(dtype).requires_grad_()
    weight = (torch.randn(entries, features, generator=random) / features**0.5).to(dtype).requires_grad_()
    label = torch.randint(0, entries, (rows,), generator=random)
    layer = getattr(lngen.load(LOSS, backend="torch"), LOSS)

    def step(loss: Callable[[], torch.Tensor]) -> Step:
        return lambda: [made := loss(), *torch.autograd.grad(made, (h, weight))]

    found = {
        "PyTorch": step(lambda: torch.nn.functional.cross_entropy(h @ weight.T, label)),
        "emitted, whole": step(lambda: layer(h @ weight.T, label).mean()),
    }
    for size in (None, *chunks):
        loss = lngen.torch.chunked_linear(LOSS, size)
        name = "emitted, chunks" if size is None else f"emitted, chunks of {size} rows"
        found[name] = step(lambda loss=loss: loss(h, weight, label))  # type: ignore[misc]
    return found


def agreed(steps: Mapping[str, Step]) -> None:
    """Raises AssertionError if a variant computes something else than the first."""
    first, *others = (step() for step in steps.values())
    for made in others:
        for found, expected in zip(made, first, strict=True):
            size = float(expected.detach().abs().max())
            tolerance = (1e-4 if expected.dtype == torch.float32 else 5e-2) * size
            torch.testing.assert_close(found.to(expected.dtype), expected, rtol=0, atol=tolerance)


def timed(steps: Mapping[str, Step], count: int) -> dict[str, list[float]]:
    """The quartiles of the seconds of each variant, which take turns."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(count):
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            times[name].append(time.perf_counter() - start)
    return {name: quartiles(own) for name, own in times.items()}


def peak(step: Step) -> float:
    """The MiB that a step needs at most, beyond what is there: the memory of its arguments and of the libraries."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak is that from now on
    before = memory("VmRSS")
    step()
    return memory("VmHWM") - before


def memory(name: str) -> float:
    """A size of this process in MiB, as Linux has it."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else float("nan")


def table(times: Mapping[str, Sequence[float]], peaks: Mapping[str, float]) -> str:
    """A table of medians, with quartiles, and of both beside the first variant."""
    first = next(iter(times))
    rows = [
        (
            name,
            f"{median:.3g} ({low:.3g} to {high:.3g})",
            f"{peaks[name]:.0f}",
            f"{median / times[first][1]:.2f}",
            f"{peaks[name] / peaks[first]:.2f}",
        )
        for name, (low, median, high) in times.items()
    ]
    return tables.table(("step", "seconds", "MiB", "time over PyTorch's", "memory over PyTorch's"), rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
