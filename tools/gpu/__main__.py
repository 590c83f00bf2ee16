"""Tests, benchmark and compute-sanitizer on a machine with a GPU: `python -m tools.gpu`, or `make gpu`.

Needs Python 3.11 and its standard library; what else is needed is brought along (packages.py beside this file).
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import time
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 the interpreter is whichever is there
    sys.exit("lngen needs Python 3.11 or newer; name another one: make gpu PYTHON=python3.12")

from benchmarks.machine import anonymous
from benchmarks.results import Results
from benchmarks.results import folder as results_folder
from tools.gpu import packages, stages

SECONDS = 1500.0
_ROOT = packages.ROOT
_NO_GPU = "make gpu needs a GPU and its driver, and here {why}. `make test` runs the same tests on the CPU."


def main(arguments: list[str]) -> int:
    """Run all stages.

    The exit status is 0 if none failed, 1 if one did, 2 if a package cannot be had, and 3 if there is no GPU to run on.
    """
    parser = argparse.ArgumentParser(prog="python -m tools.gpu", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--wheelhouse", type=Path, help="install from this folder of wheels, and not from the network")
    parser.add_argument("--results", type=Path, help="where the record goes (benchmarks/results)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for everything together (%(default)s)")
    parser.add_argument("--emulator", action="store_true", help="run on the emulator, to try the whole out")
    parser.add_argument("--quick", action="store_true", help="a toy grid and one test")
    options = parser.parse_args(arguments)
    deadline = time.monotonic() + options.seconds
    place = "emulator" if options.emulator else "gpu"
    folder = (options.results or results_folder(place)).absolute()
    try:
        name = "emulator" if options.emulator else device_name()
        scratch = _ROOT / "build" / "gpu"
        scratch.mkdir(parents=True, exist_ok=True)
        site = scratch / f"site-{sys.implementation.cache_tag}"
        brought = packages.prepare(site, options.wheelhouse)
    except (NoGpu, packages.PackagesMissing) as error:
        print(error, file=sys.stderr)
        return 3 if isinstance(error, NoGpu) else 2
    print(f"{name}; brought along: {', '.join(brought) or 'nothing'}", flush=True)
    results = Results.begin(folder, name, place)
    log = results.path.with_suffix(".log")
    log.unlink(missing_ok=True)
    run = stages.GpuRun(
        results=results,
        environment=packages.environment(site),
        log=log,
        scratch=scratch,
        deadline=deadline,
        seconds=options.seconds,
        emulator=options.emulator,
        quick=options.quick,
    )
    passed = stages.in_order(run)
    table = results.path.with_suffix(".md")
    print(f"\n{table.read_text(encoding='utf-8')}\n{anonymous(str(table))} and .json are the record, .log all output")
    return 0 if passed else 1


class NoGpu(Exception):
    """Error for a missing GPU; the message says what else can be done."""


def device_name() -> str:
    """Return the driver's name of the first device; raises NoGpu."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise NoGpu(_NO_GPU.format(why="is no libcuda.so.1")) from None
    count, device, text = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)
    if code := cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)):
        raise NoGpu(_NO_GPU.format(why=f"the driver answers with error {code}"))
    if not count.value:
        raise NoGpu(_NO_GPU.format(why="the driver finds none"))
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuDeviceGetName(text, len(text), device)
    return text.value.decode(errors="replace")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
