"""Run every shipped layer in every direction on a few shapes: what compute-sanitizer watches.

    python -m tools.gpu.exercise [--emulator] [--quick]

The shapes have few rows: each access is watched, which takes long, and the faults that are looked for do not
depend on the number of rows beyond a block or two. With `--quick` it is the smoke test: toy shapes of two layers.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import grid, layers
from benchmarks.device import opened
from benchmarks.gate import Judge, some_rows


def main(arguments: list[str]) -> int:
    """Run, and print each shape that ran. The exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.gpu.exercise", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--emulator", action="store_true", help="run on the emulator")
    parser.add_argument("--quick", action="store_true", help="toy shapes alone")
    parser.add_argument("--parts", type=int, default=1, help="processes that share the shapes (%(default)s)")
    parser.add_argument("--part", type=int, default=0, help="this one of them, from 0 on (%(default)s)")
    options = parser.parse_args(arguments)
    with opened(emulated=options.emulator) as device:
        for job in grid.watched(layers.names(), quick=options.quick)[options.part :: options.parts]:
            # Watched results are judged by samples, since NumPy would take longer than the device.
            rows = None if options.quick else some_rows(job.case)
            Judge(layers.Calls(job.layer, job.case, device), rows).own()
            device.synchronize()
            print(job, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
