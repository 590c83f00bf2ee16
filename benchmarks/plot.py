"""A record's shares of the roof over the row length, drawn: `python -m benchmarks.plot RECORD.json`."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path
from secrets import token_hex
from typing import Any

from benchmarks.results import Results
from benchmarks.sections import COMPARED, OWN, ROOFS, who_and_direction

_FEWEST_LENGTHS = 3
_SIZE = (5.2, 3.2)


def main(arguments: list[str]) -> int:
    """Draw beside the record. The exit status is 1 if there is nothing to draw, or nothing to draw with."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plot", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("record", type=Path)
    options = parser.parse_args(arguments)
    try:
        drawn = draw(Results.read(options.record))
    except (OSError, ValueError) as error:
        drawn = str(error)
    print(drawn)
    return isinstance(drawn, str)


def draw(results: Results) -> Path | str:
    """Write `<record>.png`, whole or not at all; in its place the reason why there is none."""
    curves = shares(results.record["stages"].get("benchmark", {}).get("cases", []))
    if not curves:
        return "no plot: no layer was measured at three row lengths of a type"
    if importlib.util.find_spec("matplotlib") is None:
        return "no plot: matplotlib is not installed; where it is, `python -m benchmarks.plot RECORD.json` draws it"
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    panels = list(dict.fromkeys((layer, dtype) for layer, dtype, _ in curves))
    figure, axes = pyplot.subplots(
        len(panels), len(COMPARED), figsize=(_SIZE[0] * len(COMPARED), _SIZE[1] * len(panels)), squeeze=False,
        sharey=True, layout="constrained",
    )  # fmt: skip
    for row, (layer, dtype) in zip(axes, panels, strict=True):
        for axis, direction in zip(row, COMPARED, strict=True):
            there = curves.get((layer, dtype, direction), {})
            for who, points in there.items():
                lengths, values = zip(*sorted(points.items()), strict=True)
                width, order = (2.4, 3) if who == OWN else (1.2, 2)
                axis.plot(lengths, values, marker="o", markersize=3, linewidth=width, zorder=order, label=who)
            axis.set_xscale("log", base=2)
            axis.set_ylim(0, 110)
            axis.set_title(f"{layer}, {dtype}, {direction}", fontsize="medium")
            axis.set_xlabel("D")
            axis.set_ylabel("% of the roof")
            axis.grid(alpha=0.3)
            if there:
                axis.legend(fontsize="x-small")
    figure.suptitle(results.record["device"])
    path = results.path.with_suffix(".png")
    new = path.with_name(f".{path.stem}.{token_hex(4)}.png")
    try:
        figure.savefig(new, dpi=110)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
        pyplot.close(figure)
    return path


def shares(cases: list[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, dict[int, float]]]:
    """Map (layer, type, direction) to the median percents of the roof, by implementation and row length."""
    found: dict[tuple[str, str, str], dict[str, dict[int, float]]] = {}
    for case in cases:
        for name, section in case["sections"].items():
            who, direction = who_and_direction(name)
            if name in ROOFS or direction not in COMPARED:
                continue
            curve = found.setdefault((case["layer"], case["dtype"], direction), {}).setdefault(who, {})
            # The tensors of the usual size are measured before others.
            curve.setdefault(case["features"], 100 * section["of_roof"][1])
    return {key: curves for key, curves in found.items() if len(curves.get(OWN, ())) >= _FEWEST_LENGTHS}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
