"""The benchmark on a GPU: `python -m benchmarks.gpu`; README.md beside this file says what is measured, and how.

`make gpu` runs it after the tests. It adds to the record that it is given, and saves it after each shape.
"""

from __future__ import annotations

import argparse
import functools
import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import grid, layers, machine, measure, peers, plot
from benchmarks.device import Device, NoDevice, opened
from benchmarks.results import Results, UnreadableRecord, folder

SECONDS = 420.0
ROUNDS = 60
TOY_ROUNDS = 3
OVERHEAD_CASE = grid.Case("f32", 256, 4)
_COMPILING = 30.0
"""Seconds that peers with slow compilation take at one shape; a started shape has to end before the deadline."""


def main(arguments: list[str]) -> int:
    """Measure, and record. The exit status is 1 if a shape could not be measured, 2 for what cannot be done."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu", description=(__doc__ or "").partition(":")[0] + "."
    )
    parser.add_argument(
        "--results", type=Path, help="the record to add to or to begin, a .json file (benchmarks/results)"
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="begin nothing new after so long (%(default)s)")
    parser.add_argument("--layers", type=_names, help="these alone, with commas between")
    parser.add_argument("--peers", type=_names, help="compare with these alone, with commas between")
    parser.add_argument("--emulator", action="store_true", help="run on the emulator, to try the benchmark out")
    parser.add_argument("--quick", action="store_true", help="the toy grid")
    options = parser.parse_args(arguments)
    chosen = options.layers or list(layers.names())
    for what, asked, known in (
        ("layer", chosen, layers.names()),
        ("peer", options.peers or [], [peer.name for peer in peers.PEERS]),
    ):
        if strangers := [name for name in asked if name not in known]:
            print(f"no such {what}: {', '.join(strangers)}; there are {', '.join(known)}", file=sys.stderr)
            return 2
    deadline = time.monotonic() + options.seconds
    try:
        with opened(emulated=options.emulator) as device:
            results, is_new = _record(options.results, device)
            run = Run(results, device, deadline, chosen, options.peers, quick=options.quick)
            run.all()
    except (NoDevice, UnreadableRecord) as error:
        print(error, file=sys.stderr)
        return 2
    if is_new:
        results.finish()
    for fault in run.faults:
        print(fault)
    drawn = plot.draw(results)
    print(drawn if isinstance(drawn, str) else f"{machine.anonymous(str(drawn))} is the plot")
    print(run.summary())
    return bool(run.faults)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _record(path: Path | None, device: Device) -> tuple[Results, bool]:
    """The record, and whether it is begun here. Raises UnreadableRecord."""
    if path is not None and path.exists():
        return Results.read(path), False
    name, place = ("emulator", "emulator") if device.emulated else (device.facts()["name"], "gpu")
    if path is None:
        return Results.begin(folder(place), name, place), True
    return Results.begin_at(path, name, place), True


class Run:
    """Run of the benchmark: results so far, and the time until which a new one may begin."""

    def __init__(
        self,
        results: Results,
        device: Device,
        deadline: float,
        names: Sequence[str],
        asked: Sequence[str] | None = None,
        *,
        quick: bool = False,
    ) -> None:
        self.results, self.device, self.deadline, self.quick = results, device, deadline, quick
        self.names = list(names)
        self.rounds = TOY_ROUNDS if quick else ROUNDS
        self.torch, self.peers, self.said = _peers(device, asked)
        self.measured: dict[str, dict[str, Any]] = {}
        self.overheads: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.left = 0
        self.is_lost = False

    @property
    def cases(self) -> list[dict[str, Any]]:
        """The records of the shapes."""
        return [*self.measured.values()]

    def all(self) -> None:
        """Measure everything, the most important first."""
        self.results.put("benchmark", {"device": self.device.facts(), "peers": self.said})
        largest = measure.largest_mib(self.device)
        size = grid.tensor_mib(self.device.l2_bytes, largest)
        jobs = grid.toy_jobs(self.names) if self.quick else grid.jobs(self.names, size, largest)
        for job in {job.layer: job for job in jobs[:2]}.values():
            self._try(f"{job.layer}, a call", functools.partial(self._overhead, job.layer, job.case))
        # Peers that take seconds to compile are compared once every shape has had its turn.
        again = [job for job in jobs if job.slow_peers and any(peer.slow for peer in self.peers)]
        for number, job in enumerate((*(replace(job, slow_peers=False) for job in jobs), *again)):
            self._measure(job)
            if number == 2:  # the device is warm, and what follows may not come to its end
                self.results.put("benchmark", {"clocks": machine.clocks()})
        self._save()
        status = "failed" if self.faults else "passed"
        self.results.put("benchmark", {"status": status, "summary": self.summary()})

    def summary(self) -> str:
        """Summarize the run in a line."""
        return f"{len(self.cases)} shapes measured, {len(self.faults)} failed, {self.left} left out"

    def _measure(self, job: grid.Job) -> None:
        now, is_new = time.monotonic(), str(job) not in self.measured
        if now + _COMPILING * job.slow_peers > self.deadline or self.is_lost:
            self.left += is_new
            return
        compared = [peer for peer in self.peers if job.slow_peers or not peer.slow]

        def once(compared: Sequence[peers.Peer] = compared) -> None:
            found = measure.layer(
                job.layer, job.case, self.device, rounds=self.rounds, torch=self.torch, peers=compared
            )
            self.measured[str(job)] = found

        if not self._try(str(job), once) and compared and is_new and not self.is_lost:
            self._try(f"{job}, without peers", lambda: once([]))

    def _overhead(self, name: str, toy: grid.Case) -> None:
        quick = [peer for peer in self.peers if not peer.slow]
        # What is compiled for the toy grid is enough to try this out.
        case, calls = (toy, 20) if self.quick else (OVERHEAD_CASE, 2000)
        self.overheads += measure.overhead(name, case, self.device, calls=calls, torch=self.torch, peers=quick)

    def _try(self, what: str, work: Callable[[], None]) -> bool:
        """Do it, and save what is known then. A failure is recorded, and the rest goes on if the device does."""
        try:
            work()
        except Exception as error:
            self.faults.append(f"{what}: {type(error).__name__}: {machine.anonymous(str(error))[:500]}")
            self._look_after(what)
            return False
        finally:
            self._save()
            if self.torch and not self.is_lost:  # what PyTorch keeps is wanted for the next buffers
                gc.collect()
                self.torch.cuda.empty_cache()
        return True

    def _look_after(self, what: str) -> None:
        """Test the device after a failure: after an invalid access it answers no further call of this process."""
        try:
            self.device.synchronize()
        except Exception as error:
            self.is_lost = True
            self.faults.append(
                f"after {what} the device answers no more ({type(error).__name__}), and the rest is left out; "
                "--peers leaves out who did it"
            )

    def _save(self) -> None:
        values = {"cases": self.cases, "overheads": self.overheads, "faults": self.faults, "left_out": self.left}
        self.results.put("benchmark", values)


def _peers(device: Device, asked: Sequence[str] | None) -> tuple[Any, list[peers.Peer], dict[str, str]]:
    """PyTorch, the peers that are there, and what is to be said of each."""
    if device.emulated:
        return None, [], {}
    try:
        torch = peers.torch_module()
    except Exception as error:
        return None, [], {"torch": f"{type(error).__name__}: {error}"[:200]}
    there, said = peers.present(torch, asked)
    return torch, there, {name: machine.anonymous(words) for name, words in said.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
