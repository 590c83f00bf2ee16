"""Cost of a call on the host beside PyCUDA's own launches of the same kernels: `python -m benchmarks.host`.

Both are timed in turns, on a shape so small that the device is done first, with `out=` and `workspace=` given. On the
emulator, which is used without a GPU, a launch returns at once: the rest is the time of the caller.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks import layers
from benchmarks.device import Device, opened
from benchmarks.grid import Case
from benchmarks.results import quartiles
from lngen.extensions.simt import driver as emulator

CASE = Case("f32", 256, 512)
_CALLS_A_ROUND = 40
"""Number of calls in a round; a device's queue holds more, so that no call waits for a place in it."""
_WARM_ROUNDS = 3


def main(arguments: list[str]) -> int:
    """Measure, and print a table of microseconds: quartiles over rounds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.host", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("layers", nargs="*", default=["layer_norm", "rms_norm", "add_rms_norm"], metavar="LAYER")
    parser.add_argument("--rounds", type=int, default=100, help="of forty calls each (%(default)s)")
    options = parser.parse_args(arguments)
    if options.rounds < 2:
        parser.error("--rounds: quartiles take two at least")
    emulated = not emulator.has_device_files()
    rows = []
    with opened(emulated=emulated) as device:
        for name in options.layers:
            rows += measured(name, device, options.rounds)
    print("\n".join(table(rows)))
    return 0


def measured(name: str, device: Device, rounds: int) -> list[dict[str, Any]]:
    """Quartiles, in microseconds, of a call of each direction, of PyCUDA's launches, and of the difference."""
    calls = layers.Calls(name, CASE, device)
    found = []
    for direction in ("forward", "backward"):
        call = calls.call(direction, 0)
        launch, kernels = own_launches(calls.cuda, call)
        parts: dict[str, Callable[[], object]] = {"call": call, "PyCUDA": launch}
        times = in_turns(parts, device, rounds)
        both = zip(times["call"], times["PyCUDA"], strict=True)
        times["difference"] = [call_time - launch_time for call_time, launch_time in both]
        quarters = {part: quartiles(values) for part, values in times.items()}
        found.append({"layer": name, "direction": direction, "kernels": kernels, **quarters})
    return found


def own_launches(layer: Any, call: Callable[[], object]) -> tuple[Callable[[], None], int]:
    """Return PyCUDA's own launches (`prepared_async_call`) of a call's kernels, and their number."""
    noted: list[tuple[Any, list[Any]]] = []
    launches_of_layers = layer._launcher.kernels.Launches
    run = launches_of_layers.run

    def note(self: Any, objects: list[Any], values: list[Any], *rest: Any) -> None:
        run(self, objects, values, *rest)
        noted.append((self, values))

    launches_of_layers.run = note
    try:
        call()
    finally:
        launches_of_layers.run = run
    launches, values = noted[-1]
    prepared = []
    for kernel, blocks, arguments in launches.steps:
        module = launches.device.pycuda.module_from_buffer(kernel.code.cubin)
        function = module.get_function(kernel.name).prepare(kernel.letters)
        prepared.append((function, (blocks, 1), (kernel.threads, 1, 1), arguments(values), kernel.shared_bytes))

    def launch() -> None:
        for function, grid, block, arguments, shared in prepared:
            function.prepared_async_call(grid, block, None, *arguments, shared_size=shared)

    return launch, len(prepared)


def in_turns(parts: dict[str, Callable[[], object]], device: Device, rounds: int) -> dict[str, list[float]]:
    """Microseconds of a call of each part, a value a round, all parts in each round."""
    times: dict[str, list[float]] = {name: [] for name in parts}
    with emulator.using(run=False):
        for number in range(rounds + _WARM_ROUNDS):
            for name, work in parts.items():
                device.synchronize()
                before = time.perf_counter_ns()
                for _ in range(_CALLS_A_ROUND):
                    work()
                if number >= _WARM_ROUNDS:
                    times[name].append((time.perf_counter_ns() - before) * 1e-3 / _CALLS_A_ROUND)
    return times


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The lines of a table in Markdown.

    >>> quarters = {part: [1.0, 2.0, 3.0] for part in ("PyCUDA", "call", "difference")}
    >>> table([{"layer": "norm", "direction": "forward", "kernels": 1, **quarters}])[2]
    '| norm | forward | 1 | 2.0 [1.0, 3.0] | 2.0 [1.0, 3.0] | 2.0 [1.0, 3.0] |'
    """
    parts = ("PyCUDA", "call", "difference")
    head = ("layer", "direction", "kernels", "PyCUDA's launches, us", "call, us", "difference, us")
    lines = [" | ".join(head), " | ".join("-" for _ in head)]
    for row in rows:
        cells = [f"{row[part][1]:.1f} [{row[part][0]:.1f}, {row[part][2]:.1f}]" for part in parts]
        lines.append(" | ".join([row["layer"], row["direction"], str(row["kernels"]), *cells]))
    return [f"| {line} |" for line in lines]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
