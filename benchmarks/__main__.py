"""The benchmark: `python -m benchmarks --results FILE.json`; see README.md beside this file.

`make gpu` runs it after the tests. It adds to a record that is there, and saves it after each shape.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import comparators, grid, layers, machine, measure
from benchmarks.device import Device, opened
from benchmarks.results import Results

ROUNDS = 60
TOY_ROUNDS = 3
_COMPILING = 20.0
OVERHEAD_CASE = grid.Case("f32", 256, 4)


def main(arguments: list[str]) -> int:
    """Measure, and record. The exit status is 1 if a shape could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--results", type=Path, required=True, help="the record to add to, a .json file")
    parser.add_argument("--seconds", type=float, default=240.0, help="begin nothing new after so long (%(default)s)")
    parser.add_argument("--emulator", action="store_true", help="run on the emulator, to try the benchmark out")
    parser.add_argument("--quick", action="store_true", help="the toy grid")
    options = parser.parse_args(arguments)
    results = Results.read(options.results)
    with opened(emulated=options.emulator) as device:
        run = Run(results, device, options.seconds, quick=options.quick)
        run.all()
    for fault in run.faults:
        print(fault)
    print(f"{len(run.cases)} shapes measured, {len(run.faults)} failed, {run.left} left out")
    return bool(run.faults)


class Run:
    """What has been measured so far, and until when something new may begin."""

    def __init__(self, results: Results, device: Device, seconds: float, *, quick: bool) -> None:
        self.results, self.device, self.quick = results, device, quick
        self.deadline = time.monotonic() + seconds
        self.torch = None if device.emulated else comparators.torch_module()
        self.rounds = TOY_ROUNDS if quick else ROUNDS
        self.cases: list[dict[str, Any]] = []
        self.overheads: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.left = 0
        self.cannot_compile = False

    def all(self) -> None:
        """Everything, the most telling first."""
        versions = {"torch": self.torch.__version__} if self.torch else {}
        self.results.put("benchmark", {"device": self.device.facts(), "versions": versions})
        largest = measure.largest_mib(self.device)
        shapes = grid.toy_cases() if self.quick else grid.cases(largest)
        names = layers.names(quick=self.quick)
        for name in names:
            self._try(f"{name}, a call", lambda name=name: self._overhead(name))
        # What others have is measured at every shape before what nobody has.
        for some in (names[: len(layers.FEW)], names[len(layers.FEW) :]):
            for case in shapes:
                for name in some:
                    self._measure(name, case, compiled=False)
        self.results.put("benchmark", {"clocks": machine.clocks()})
        if self.torch:
            # Compiling takes seconds, and what is begun has to be done before the end.
            self.deadline -= _COMPILING
            for case in grid.compiled_cases(largest):
                for name in sorted(comparators.FUNCTIONS):
                    self._measure(name, case, compiled=True)
        self._save()

    def _measure(self, name: str, case: grid.Case, *, compiled: bool) -> None:
        torch = self.torch if name in comparators.FUNCTIONS else None
        if time.monotonic() > self.deadline or (compiled and self.cannot_compile):
            self.left += 1
            return

        def once() -> None:
            found = measure.layer(name, case, self.device, rounds=self.rounds, torch=torch, compiled=compiled)
            self.cases.append(found)

        what = f"{name}, {case}{', torch compiled' * compiled}"
        if self._try(what, once) or not torch:
            return
        if compiled:
            self.cannot_compile = True
        else:  # what failed may be PyTorch's part
            torch = None
            self._try(f"{what}, without torch", once)

    def _overhead(self, name: str) -> None:
        torch = self.torch if name in comparators.FUNCTIONS else None
        calls = 20 if self.quick else 2000
        self.overheads += measure.overhead(name, OVERHEAD_CASE, self.device, calls=calls, torch=torch)

    def _try(self, what: str, work: Any) -> bool:
        """Do it, and save what is known then. A failure is recorded, and the rest goes on."""
        try:
            work()
        except Exception as error:
            self.faults.append(f"{what}: {type(error).__name__}: {machine.anonymous(str(error))[:500]}")
            return False
        finally:
            self._save()
            if self.torch:  # what PyTorch keeps for its next results is wanted for the next buffers
                self.torch.cuda.empty_cache()
        return True

    def _save(self) -> None:
        values = {"cases": self.cases, "overheads": self.overheads, "faults": self.faults, "left_out": self.left}
        self.results.put("benchmark", values)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
