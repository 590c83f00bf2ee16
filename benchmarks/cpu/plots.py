"""A record as plots."""

from __future__ import annotations

from pathlib import Path
from statistics import geometric_mean
from typing import Any

from benchmarks.cpu.report import WIDE, Record, of_the_roof, others, over_compiled


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "lngen"
    from matplotlib import pyplot

    return pyplot


def _write(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def against_others(record: Record, path: Path) -> None:
    """The ratio to each peer by shape, both types, as an SVG file."""
    pyplot = _pyplot()
    cases = [case for case in record["cases"] if case["layer"] == "layer_norm" and case["dtype"] in WIDE]
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4), sharey=True)
    for axis, dtype in zip(axes, WIDE, strict=True):
        own = [case for case in cases if case["dtype"] == dtype]
        names = others(own)
        places = range(len(own))
        for name in names:
            found = [case["peers"].get(name, {}).get("ratio", {}).get("emitted", [float("nan")] * 3) for case in own]
            low, middle, high = zip(*found, strict=True)
            axis.plot(places, middle, marker="o", markersize=3, label=name)
            axis.fill_between(places, low, high, alpha=0.15)
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set_xticks(list(places), ["\n".join(map(str, case["shape"])) for case in own], fontsize=7)
        axis.set_yscale("log", base=2)
        axis.set_title(f"{dtype}, 1 thread")
    axes[0].set_ylabel("time of the peer / time of the emitted code")
    axes[1].legend(fontsize=7)
    _write(figure, path)


def compiled(record: Record, path: Path) -> None:
    """The share of the roof by shape, and the ratio of the fastest other to the compiled kernels by layer."""
    figure, (left, right) = _pyplot().subplots(1, 2, figsize=(11, 4))
    cases = [case for case in record["cases"] if case["layer"] == "layer_norm" and of_the_roof(case)]
    own = [case for case in cases if case["dtype"] == "float32"]
    for part, direction in enumerate(("forward over a copy", "backward over a triad")):
        left.plot([of_the_roof(case)[part] for case in own], marker="o", markersize=3, label=direction)
    left.axhline(1, color="black", linewidth=0.8)
    left.set_xticks(range(len(own)), ["\n".join(map(str, case["shape"])) for case in own], fontsize=7)
    left.set_title("layer norm, float32, 1 thread: share of the memory's speed")
    left.legend(fontsize=7)
    best = {
        layer: min(geometric_mean(ratios) for ratios in each if ratios)
        for layer, each in over_compiled(record["cases"]).items()
    }
    right.barh(list(best), list(best.values()))
    right.axvline(1, color="black", linewidth=0.8)
    right.tick_params(axis="y", labelsize=7)
    right.invert_yaxis()
    right.set_title("time of the fastest other / time of the compiled kernels")
    _write(figure, path)
