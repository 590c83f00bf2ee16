"""Cost of a call through PyTorch, beside torch.nn.LayerNorm: `python -m benchmarks.torch_call`.

Both are modules, called in turns on one thread, and torch.nn.LayerNorm is on the processor. The first tables are of
our kernels for the processor, in float32 and bfloat16; `--large` adds the shapes of docs/cpu.md. Then come layers
whose axes have names, beside PyTorch's modules for the same.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from math import prod
from statistics import median
from typing import Any

import torch

from benchmarks.cpu.cases import SHAPES as LARGE

SHAPES = ((1, 768), (2, 16, 64), (64, 1024), (4096, 256))

Modules = tuple[Any, Any]
"""A module of ours and PyTorch's for the same."""


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torch_call", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=150, help="of forty calls each, or fewer of long ones")
    parser.add_argument("--large", action="store_true", help="the shapes of docs/cpu.md, too")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    module = importlib.import_module("generated.layer_norm.torch_backend")
    print("on the processor, over torch.nn.LayerNorm (us)")
    shapes = (*SHAPES, *LARGE) if options.large else SHAPES
    for dtype in (torch.float32, torch.bfloat16):
        print(str(dtype).removeprefix("torch."))
        print("\n".join(table({_words(each): (norms(module, each, dtype), each) for each in shapes}, options.rounds)))
    print("\nlayers whose axes have names, on the processor, over PyTorch's modules (us)")
    print("\n".join(table(named_axes(), options.rounds)))
    return 0


def norms(module: Any, shape: Sequence[int], dtype: Any = torch.float32) -> Modules:
    """Our layer norm of a shape, and PyTorch's."""
    return module.LayerNorm(shape[-1], dtype=dtype), torch.nn.LayerNorm(shape[-1], dtype=dtype)


def named_axes() -> dict[str, tuple[Modules, Sequence[int]]]:
    """Modules of layers whose axes have names, and a shape for each."""
    ours = {
        name: importlib.import_module(f"generated.{name}.torch_backend")
        for name in ("group_norm", "layer_norm_hw", "head_rms_norm")
    }
    nn = torch.nn
    return {
        "group_norm": ((ours["group_norm"].GroupNorm(8, 32), nn.GroupNorm(8, 32)), (2, 32, 8, 8)),
        "layer_norm_hw": ((ours["layer_norm_hw"].LayerNormHW(8, 16), nn.LayerNorm((8, 16))), (2, 4, 8, 16)),
        # PyTorch's has no weight for each head.
        "head_rms_norm": ((ours["head_rms_norm"].HeadRMSNorm(4, 64), nn.RMSNorm(64, 1e-6)), (2, 8, 4, 64)),
    }


def table(cases: dict[str, tuple[Modules, Sequence[int]]], rounds: int) -> list[str]:
    """Return a line for each case: medians of ratios, and of microseconds of both."""
    lines = [f"{'':16}{'forward':>24}{'forward, recorded':>24}{'and backward':>24}"]
    for name, (modules, shape) in cases.items():
        calls = {of: _calls(module, shape) for of, module in zip(("ours", "torch"), modules, strict=True)}
        # Some ten milliseconds a turn at the most.
        few = max(1, min(40, 2**21 // prod(shape)))
        times = _in_turns(calls, rounds if few > 1 else min(rounds, 30), few)
        columns = [_column(*of.values()) for of in times]
        lines.append(f"{name:16}" + "".join(f"{each:>24}" for each in columns))
    return lines


def _words(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))


def _column(ours: Sequence[float], torchs: Sequence[float]) -> str:
    ratio = median(one / other for one, other in zip(ours, torchs, strict=True))
    return f"{ratio:.2f} ({median(ours):.1f}/{median(torchs):.1f})"


def _calls(module: Any, shape: Sequence[int]) -> list[Callable[[], object]]:
    kind = next((each.dtype for each in module.parameters()), torch.float32)
    x, weight = torch.randn(*shape).to(kind), torch.randn(*shape).to(kind)
    recorded = x.clone().requires_grad_()
    moved = [recorded, *module.parameters()]

    def forward() -> object:
        with torch.no_grad():
            return module(x)

    return [forward, lambda: module(recorded), lambda: torch.autograd.grad(module(recorded), moved, weight)]


def _in_turns(calls: dict[str, list[Callable[[], object]]], rounds: int, times: int) -> list[dict[str, list[float]]]:
    """Microseconds of each call by round; both take turns."""
    found: list[dict[str, list[float]]] = [{name: [] for name in calls} for _ in calls["ours"]]
    for number in range(-2, rounds):
        for place, into in enumerate(found):
            for name, own in calls.items():
                start = time.perf_counter()
                for _ in range(times):
                    own[place]()
                if number >= 0:
                    into[name].append((time.perf_counter() - start) / times * 1e6)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
