"""Cost of a call through PyTorch, beside torch.nn.LayerNorm: `python -m benchmarks.torch_call`.

Both are modules, called in turns on one thread, and torch.nn.LayerNorm is on the processor. The first table is of our
kernels for the processor. The second is of the caller's time alone on a GPU: kernels are planned for the emulator's
device, and a driver that returns at once stands for the launches, which it counts.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import torch

from lngen.extensions.simt import driver as emulator

SHAPES = ((1, 768), (2, 16, 64), (64, 1024), (4096, 256))

_DRIVER = """
int launches = 0;
int current_device(int *device) { *device = 0; return 0; }
int current_context(void **context) { *context = &launches; return 0; }
int launch(const void *how, void *function, void **arguments, void **more) { ++launches; return 0; }
"""


def main(arguments: Sequence[str]) -> int:
    """Measure, and print both tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torch_call", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=150, help="of forty calls each, or fewer of long ones")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    module = importlib.import_module("generated.layer_norm.torch_backend")
    print("on the processor, over torch.nn.LayerNorm (us)")
    print("\n".join(table(module, SHAPES, options.rounds)))
    with tempfile.TemporaryDirectory() as folder:
        stand_in = standing_in(module, Path(folder))
        print(
            "\nthe caller's time on a GPU whose launches return at once, over torch.nn.LayerNorm on the processor (us)"
        )
        print("\n".join(table(module, SHAPES[:2], options.rounds)))
        print(f"launches: {', '.join(counted(module, stand_in))}")
        importlib.import_module("pycuda.driver").Context.pop()
    return 0


def table(module: Any, shapes: Sequence[tuple[int, ...]], rounds: int) -> list[str]:
    """Return a line for each shape: medians of ratios, and of microseconds of both."""
    lines = [f"{'':16}{'forward':>24}{'forward, recorded':>24}{'and backward':>24}"]
    for shape in shapes:
        calls = {name: _calls(of, shape) for name, of in (("ours", module.LayerNorm), ("torch", torch.nn.LayerNorm))}
        times = _in_turns(calls, rounds, 40 if shape[0] < 1000 else 2)
        columns = [_column(*of.values()) for of in times]
        lines.append(f"{' x '.join(map(str, shape)):16}" + "".join(f"{each:>24}" for each in columns))
    return lines


def _column(ours: Sequence[float], torchs: Sequence[float]) -> str:
    ratio = median(one / other for one, other in zip(ours, torchs, strict=True))
    return f"{ratio:.2f} ({median(ours):.1f}/{median(torchs):.1f})"


def _calls(of: Any, shape: tuple[int, ...]) -> list[Callable[[], object]]:
    x, weight = torch.randn(shape), torch.randn(shape)
    module, recorded = of(shape[-1]), x.clone().requires_grad_()
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


# ---- a GPU whose launches return at once


def standing_in(module: Any, folder: Path) -> ctypes.CDLL:
    """Let a layer take tensors of the processor for those of a GPU; returns the driver that stands for the launches."""
    emulator.enable()
    import pycuda.driver

    pycuda.driver.init()
    pycuda.driver.Device(0).retain_primary_context().push()
    (folder / "driver.c").write_text(_DRIVER)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "driver.c", "-o", "driver.so"], check=True, cwd=folder)
    library = ctypes.CDLL(str(folder / "driver.so"))
    functions = (library.current_device, library.current_context, library.launch)
    addresses = [ctypes.cast(each, ctypes.c_void_p).value for each in functions]
    calls, derivatives, dispatch = (importlib.import_module(f"generated._runtime.torch.{name}") for name in (
        "calls", "derivatives", "dispatch"))  # fmt: skip

    class StandIn(calls.TorchGpuCalls):  # type: ignore[misc,name-defined]
        device, keys = calls.TorchCalls.device, calls.TorchCalls.keys

        def _driver(self) -> list[Any]:
            return addresses

    layer = module._LAYER
    operators = layer.operators
    own = StandIn(operators.kernels, operators.gpu)
    layer.at_once = dispatch.at_once(operators.kernels.required, derivatives.ways(operators, {own.keys: own}))
    return library


def counted(module: Any, library: ctypes.CDLL) -> list[str]:
    """Return how many kernels a call of forward, and of forward and backward, launches."""
    launches, found = ctypes.c_int.in_dll(library, "launches"), []
    for name, call in zip(("forward", "forward and backward"), _calls(module.LayerNorm, (1, 768))[::2], strict=True):
        before = launches.value
        call()
        found.append(f"{launches.value - before} of {name}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
