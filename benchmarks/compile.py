"""Compile the kernels of a grid ahead, in several processes: `python -m benchmarks.compile`.

A kernel is compiled when it is first called, and one after the other the grid's take minutes. What is compiled here
is found in the cache by every process that comes later.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import multiprocessing
import os
import sys
import time
from pathlib import Path

from benchmarks import grid, layers
from benchmarks.device import NoDevice, opened
from benchmarks.gate import few_rows
from benchmarks.results import Results


def main(arguments: list[str]) -> int:
    """Compile, and record how many kernels. The exit status is 1 if any failed, 2 without a device."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compile", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--results", type=Path, help="the record to add to, a .json file")
    parser.add_argument("--seconds", type=float, default=60.0, help="leave the rest after so long (%(default)s)")
    parser.add_argument("--emulator", action="store_true", help="for the emulator")
    parser.add_argument("--quick", action="store_true", help="the toy grid")
    options = parser.parse_args(arguments)
    try:
        with opened(emulated=options.emulator):
            pass  # without a device every process would say so
    except NoDevice as error:
        print(error, file=sys.stderr)
        return 2
    names = layers.names()
    measured = grid.toy_jobs(names) if options.quick else grid.jobs(names)
    # What is compiled depends on D and the types, not on the number of rows.
    wanted = dict.fromkeys(
        (job.layer, job.case.dtype, job.case.features)
        for job in (*measured, *grid.watched(names, quick=options.quick))
    )  # fmt: skip
    faults, done = compile_all(list(wanted), emulated=options.emulator, seconds=options.seconds)
    if options.results:
        summary = {"layers_and_shapes": len(wanted), "compiled": done, "faults": faults[:10]}
        Results.read(options.results).put("compile", summary)
    for fault in faults:
        print(fault)
    print(f"{done} of {len(wanted)} pairs of a layer and a row are compiled")
    return bool(faults)


def compile_all(jobs: list[tuple[str, str, int]], *, emulated: bool, seconds: float) -> tuple[list[str], int]:
    """Compile all directions of each (layer, dtype, D). What failed, and how many did not."""
    deadline = time.monotonic() + seconds
    workers = min(len(jobs), 12, len(os.sched_getaffinity(0)))
    faults, done = [], 0
    # A process that was forked has no use of the driver, so each begins anew.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, context) as pool:
        pending = {pool.submit(compile_one, *job, emulated): job for job in jobs}
        try:
            for future in concurrent.futures.as_completed(pending, max(0.0, deadline - time.monotonic())):
                if error := future.exception():
                    name, dtype, features = pending[future]
                    faults.append(f"{name}, {dtype}, D = {features}: {type(error).__name__}: {error}")
                else:
                    done += 1
        except TimeoutError:
            pool.shutdown(wait=False, cancel_futures=True)
    return faults, done


def compile_one(name: str, dtype: str, features: int, emulated: bool) -> None:
    """Call a layer once on the rows that the gate has."""
    with opened(emulated=emulated) as device:
        layers.Calls(name, few_rows(grid.Case(dtype, features, 1 << 30)), device)
        device.synchronize()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
