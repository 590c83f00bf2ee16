"""Run every shipped layer forward and backward on a few shapes: what compute-sanitizer watches.

    python -m tools.gpu.exercise [--emulator] [--quick]

The shapes have few rows: each access is watched, which takes long, and the faults that are looked for do not
depend on the number of rows beyond a block or two.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import grid, layers
from benchmarks.device import opened

ROWS = 37
FEATURES = (128, 1000, 4096, 65536)


def cases(*, quick: bool) -> list[grid.Case]:
    """Row lengths of each way that a row is kept, the main types; the others at one length. All are in the grid."""
    if quick:
        return list(grid.toy_cases())
    main = [grid.Case(dtype, features, ROWS) for features in FEATURES for dtype in grid.MAIN_DTYPES]
    return [*main, *(grid.Case(dtype, 4096, ROWS) for dtype in grid.OTHER_DTYPES)]


def main(arguments: list[str]) -> int:
    """Run, and print each shape that ran. The exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.gpu.exercise", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--emulator", action="store_true", help="run on the emulator")
    parser.add_argument("--quick", action="store_true", help="two toy shapes alone")
    options = parser.parse_args(arguments)
    with opened(emulated=options.emulator) as device:
        for name in layers.names(quick=options.quick):
            for case in cases(quick=options.quick):
                layers.Calls(name, case, device).verify()
                device.synchronize()
                print(f"{name}, {case}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
