"""Gain of a second process: `python -m benchmarks.processes`.

The processes are joined by pipes, or by an MPI: `mpiexec -n 2 python -m benchmarks.processes --mpi`. Forward and
backward are timed, compiled, with one thread a process, in three ways. In the first, one process has all rows. In the
second, each process has some rows, and the gradients of parameters are added up over all. In the third, each has some
features (`cpu_sharded`). The three are run in turns, all processes beginning a run together; a run takes as long as the
slowest of them.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import tables
from benchmarks.results import quartiles
from lngen.language.parsing import load
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived
from lngen.runtime.protocol.interface import PARAMETERS
from lngen.runtime.sharded.collectives import Communicator, MPICommunicator, PipeCommunicator

Array = np.ndarray[Any, Any]
Work = Callable[[], object]

SHAPES = ("64x8192", "1024x8192", "8192x1024", "64x262144")
_WARM_ROUNDS = 2
_DERIVE = Path(__file__).resolve().parents[1] / "derive"


def main(arguments: list[str]) -> int:
    """Measure, and print a table in Markdown; processes but the first print nothing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.processes", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("layers", nargs="*", default=["layer_norm", "softmax"], metavar="LAYER")
    parser.add_argument("--shapes", nargs="+", default=SHAPES, metavar="ROWSxFEATURES", help="(%(default)s)")
    parser.add_argument("--rounds", type=int, default=30, help="of each way once (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="joined by pipes (%(default)s)")
    parser.add_argument("--mpi", action="store_true", help="the processes are those that an MPI has started")
    options = parser.parse_args(arguments)
    if options.rounds < 2 or options.processes < 2:
        parser.error("quartiles take two --rounds at least, and a second process two --processes")
    with packages(options.layers) as folders, joined(options) as communicator:
        rows = [
            row(name, shape, measured(folders[name], shape, options.rounds, communicator))
            for name, shape in cases(options)
        ]
        if communicator.rank == 0:
            print(table(rows, communicator.size))
    return 0


def cases(options: argparse.Namespace) -> list[tuple[str, tuple[int, int]]]:
    """The layers, each with each shape."""
    shapes = [tuple(map(int, text.split("x"))) for text in options.shapes]
    return [(name, (shape[0], shape[1])) for name in options.layers for shape in shapes]


@contextlib.contextmanager
def packages(names: Sequence[str]) -> Iterator[dict[str, Path]]:
    """Write each layer's package for this process, with sharded code, and yield the folders."""
    with tempfile.TemporaryDirectory(prefix="lngen-processes-") as text:
        folder = Path(text)
        for name in names:
            manifest.write(derived(load(_DERIVE / f"{name}.py"), proved=False, backends=["sharded"]).emission, folder)
        yield {name: folder / name for name in names}


@contextlib.contextmanager
def joined(options: argparse.Namespace) -> Iterator[Communicator]:
    """Join this process with the others, which are started if no MPI has done so."""
    if options.mpi:
        yield MPICommunicator()
        return
    context, size = multiprocessing.get_context("spawn"), options.processes
    own, *others = PipeCommunicator.together(size, context=context)
    processes = [context.Process(target=_other, args=(each, options), daemon=True) for each in others]
    for process in processes:
        process.start()
    for each in others:
        each.close()
    yield own
    for process in processes:
        process.join()


def _other(communicator: Communicator, options: argparse.Namespace) -> None:
    with packages(options.layers) as folders:
        for name, shape in cases(options):
            measured(folders[name], shape, options.rounds, communicator)


# ---- what is measured


class Waits:
    """A communicator, and the seconds that this process has spent in it."""

    def __init__(self, communicator: Communicator) -> None:
        self.rank, self.size, self.seconds = communicator.rank, communicator.size, 0.0
        self._communicator: Any = communicator
        if hasattr(communicator, "all_to_all"):
            self.all_to_all = self._timed(self._communicator.all_to_all)

    def all_gather(self, sent: Array) -> Array:
        """Gather the bytes of every process."""
        return self._timed(self._communicator.all_gather)(sent)

    def _timed(self, call: Callable[[Array], Array]) -> Callable[[Array], Array]:
        def timed(sent: Array) -> Array:
            start = time.perf_counter()
            found = call(sent)
            self.seconds += time.perf_counter() - start
            return found

        return timed


def measured(
    package: Path, shape: tuple[int, int], rounds: int, communicator: Communicator
) -> dict[str, list[tuple[float, float]]]:
    """Return the seconds of the slowest process in each round for each way, and those of the first in collectives."""
    name = loading.load(package).__name__
    whole, parts = (import_module(f"{name}.{each}") for each in ("cpu_backend", "cpu_sharded"))
    waits = Waits(communicator)
    ways = {
        "one process": one(whole, shape) if communicator.rank == 0 else _nothing,
        "data parallel": rows_apart(whole, shape, waits),
        "tensor parallel": features_apart(parts, shape, waits),
    }
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for turn in range(_WARM_ROUNDS + rounds):
        for way, work in ways.items():
            communicator.all_gather(np.zeros(8, np.uint8))
            waits.seconds, start = 0.0, time.perf_counter()
            work()
            own = np.array([time.perf_counter() - start, waits.seconds])
            every = communicator.all_gather(own.view(np.uint8)).view(np.float64)
            if turn >= _WARM_ROUNDS:
                found[way].append((float(every[:, 0].max()), float(every[0, 1])))
    return found


def one(module: Any, shape: tuple[int, int]) -> Work:
    """Forward and backward of all rows."""
    inputs, cotangents = drawn(module.INTERFACE, shape)

    def work() -> None:
        module.backward(module.forward(*inputs)[1], *cotangents)

    return work


def rows_apart(module: Any, shape: tuple[int, int], communicator: Communicator) -> Work:
    """The same of this process's rows, and the gradients of parameters of all."""
    own = len(range(communicator.rank, shape[0], communicator.size))
    inputs, cotangents = drawn(module.INTERFACE, (own, shape[1]))
    kinds = {each["name"]: each["kind"] for each in module.INTERFACE["inputs"]}
    of = [each["of"] for each in module.INTERFACE["gradients"]]
    shared = [place for place, name in enumerate(of) if kinds[name] in PARAMETERS]

    def work() -> None:
        gradients = module.backward(module.forward(*inputs)[1], *cotangents)
        if shared:
            sums = np.concatenate([np.reshape(gradients[place], -1) for place in shared])
            every = communicator.all_gather(sums.view(np.uint8)).view(sums.dtype)
            np.add.reduce(every, axis=0)

    return work


def features_apart(module: Any, shape: tuple[int, int], communicator: Communicator) -> Work:
    """The same of this process's features of all rows."""
    own = len(range(communicator.rank, shape[1], communicator.size))
    inputs, cotangents = drawn(import_module(module.__package__ + ".numpy_backend").INTERFACE, (shape[0], own))

    def work() -> None:
        _, saved = module.forward(*inputs, communicator=communicator)
        module.backward(saved, *cotangents, communicator=communicator)

    return work


def drawn(interface: Mapping[str, Any], shape: tuple[int, int]) -> tuple[list[Array], list[Array]]:
    """Inputs and cotangents of rows of this shape, in float32."""
    random = np.random.default_rng(0)
    shapes = {"Row": shape, "Data": shape, "RowScalar": shape[:1], "Feature": shape[1:], "Scalar": ()}

    def draw(kind: str) -> Array:
        return np.asarray(random.standard_normal(shapes[kind]), np.float32)

    return [draw(each["kind"]) for each in interface["inputs"]], [draw(e["kind"]) for e in interface["outputs"]]


def _nothing() -> None:
    return None


# ---- the table


def row(name: str, shape: tuple[int, int], found: Mapping[str, Sequence[tuple[float, float]]]) -> list[str]:
    """Quartiles in milliseconds, then for each way to split the time in collectives and the speedup."""
    quarters = {way: quartiles([seconds * 1e3 for seconds, _ in times]) for way, times in found.items()}
    cells = [name, f"{shape[0]} x {shape[1]}", _spread(quarters["one process"])]
    for way in ("data parallel", "tensor parallel"):
        speedup = quartiles(
            [alone / own for (alone, _), (own, _) in zip(found["one process"], found[way], strict=True)]
        )
        waited = quartiles([seconds * 1e3 for _, seconds in found[way]])[1]
        cells += [_spread(quarters[way]), f"{waited:.2f}", f"{speedup[1]:.2f}"]
    return cells


def table(rows: Sequence[Sequence[str]], size: int) -> str:
    """The table in Markdown."""
    heads = ["layer", "rows x features", "one process, ms"]
    for way in ("data parallel", "tensor parallel"):
        heads += [f"{size} processes, {way}, ms", "in collectives, ms", "speedup"]
    return tables.table(heads, rows)


def _spread(quarters: Sequence[float]) -> str:
    low, middle, high = quarters
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
