"""A record as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import Any

from benchmarks.sections import COMPARED, ROOFS, who_and_direction

_MIB = 2**20


def document(record: dict[str, Any]) -> str:
    """The whole record for a reader: what ran, where, and the measured figures."""
    stages = record["stages"]
    benchmark = stages.get("benchmark", {})
    blocks = [
        [f"# {record['device']}"],
        _head(record),
        ["## What ran", *_checks(stages)],
    ]
    if cases := benchmark.get("cases"):
        blocks.append(["## Speed", _METHOD, *_roofs(cases), *_ratios(cases)])
        blocks += [[f"### {name}", *_speeds(cases, name)] for name in dict.fromkeys(case["layer"] for case in cases)]
    if overheads := benchmark.get("overheads"):
        blocks.append(["## The cost of a call", *_overheads(overheads)])
    failures = [failure for stage in ("tests", "matrix") for failure in stages.get(stage, {}).get("failures", [])]
    if faults := [*failures, *benchmark.get("faults", [])]:
        blocks.append(["## What failed", *(f"* {_cell(fault)}" for fault in faults)])
    return "\n\n".join("\n\n".join(block) for block in blocks) + "\n"


def _head(record: dict[str, Any]) -> list[str]:
    lines = []
    if record["place"] == "emulator":
        lines.append("On the emulator: this shows that everything runs, and its times are no times of a GPU.")
    if not record["complete"]:
        lines.append("This run did not come to its end; what it had measured is here.")
    facts = [("started", record["started"])]
    machine = record["stages"].get("device", {})
    benchmark = record["stages"].get("benchmark", {})
    device = benchmark.get("device", {})
    if device:
        memory = f"{device['memory_bytes'] / 2**30:.0f} GiB, L2 {device['l2_bytes'] / _MIB:.0f} MiB"
        facts.append(("device", f"{device['compute_capability']}, {device['multiprocessors']} SMs, {memory}"))
    for title, clocks in (("before", machine.get("clocks")), ("under load", benchmark.get("clocks"))):
        if clocks:
            text = ", ".join(f"{name} {value}" for name, value in clocks.items() if name != "name")
            facts.append((f"nvidia-smi, {title}", text))
    if found := machine.get("machine"):
        listed = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
        facts.append(("versions", f"Python {found['python']}, {listed}"))
        facts.append(("commit", found["commit"] or "unknown"))
    if peers := benchmark.get("peers"):
        facts.append(("peers", "; ".join(f"{name}: {version}" for name, version in peers.items())))
    return [*lines, table(("", ""), facts)]


def _checks(stages: dict[str, Any]) -> list[str]:
    rows = [
        (name, values.get("status", "under way"), values.get("summary", ""), f"{values.get('seconds', 0):.0f}")
        for name, values in stages.items()
    ]
    return [table(("stage", "status", "result", "seconds"), rows)]


_METHOD = (
    "GB/s counts the tensors of rows that a layer has to move, 1e9 bytes to a GB; everyone is held to the same bytes. "
    "In brackets the share of the roof: the faster copy, or the triad for what reads more than it writes, measured in "
    "turns with it. The ratio is the time of the best peer over lngen's, round by round: above 1 lngen is faster. "
    "Medians; the quartiles are in the JSON file."
)


def _roofs(cases: list[dict[str, Any]]) -> list[str]:
    """The roofs, by the size of a tensor: of all cases of a size the median one."""
    sizes = sorted({round(case["tensor_bytes"] / _MIB) for case in cases})
    rows = []
    for size in sizes:
        there = [case["sections"] for case in cases if round(case["tensor_bytes"] / _MIB) == size]
        rates = [sorted(sections[name]["gigabytes_per_second"][1] for sections in there) for name in ROOFS]
        rows.append((str(size), str(len(there)), *(f"{found[len(found) // 2]:.0f}" for found in rates)))
    return [table(("MiB a tensor", "cases", *(f"{name}, GB/s" for name in ROOFS)), rows)]


def _ratios(cases: list[dict[str, Any]]) -> list[str]:
    """Layers beside the best of their peers, over all shapes."""
    found: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for case in cases:
        for direction, best in case["best_peer"].items():
            found.setdefault((case["layer"], direction), []).append(
                (best["ratio"][1], f"{best['name']}, {_shape(case)}")
            )
    if not found:
        return []
    rows = [
        (*key, str(len(ratios)), f"{_mean(ratios):.2f}", f"{min(ratios)[0]:.2f} ({min(ratios)[1]})")
        for key, ratios in found.items()
    ]
    titles = ("layer", "direction", "shapes", "time of the best peer over lngen's, geometric mean", "least")
    return [table(titles, rows)]


def _mean(ratios: list[tuple[float, str]]) -> float:
    return exp(sum(log(max(ratio, 1e-9)) for ratio, _ in ratios) / len(ratios))


def _shape(case: dict[str, Any]) -> str:
    return f"{case['dtype']} {case['rows']} x {case['features']}"


def _speeds(cases: list[dict[str, Any]], layer: str) -> list[str]:
    """A table for each direction that has peers, and one for those that have none."""
    own = sorted(
        (case for case in cases if case["layer"] == layer),
        key=lambda case: (case["dtype"], case["features"], case["rows"]),
    )
    names = [name for case in own for name in case["sections"] if name not in ROOFS]
    alone = [name for name in dict.fromkeys(names) if who_and_direction(name)[1] not in COMPARED]
    blocks = []
    for direction in COMPARED:
        columns = [name for name in dict.fromkeys(names) if who_and_direction(name)[1] == direction]
        blocks += [f"#### {direction}", _speed_table(own, columns, direction if len(columns) > 1 else None)]
    if alone:
        blocks += ["#### second order", _speed_table(own, alone, None)]
    if any(case.get("peak_bytes") for case in own):
        blocks += ["#### memory of forward with backward, in tensors of rows", _memory_table(own)]
    return [*blocks, *_left_out(own)]


def _speed_table(cases: list[dict[str, Any]], columns: list[str], compared: str | None) -> str:
    """The speeds of some sections; with the best peer of a direction that has peers."""
    rows = []
    for case in cases:
        cells = [_speed(case["sections"].get(name)) for name in columns]
        if compared:
            best = case["best_peer"].get(compared)
            cells += [best["name"], f"{best['ratio'][1]:.2f}"] if best else ["", ""]
        rows.append((case["dtype"], str(case["features"]), str(case["rows"]), *cells))
    who = [who_and_direction(name)[0] if who_and_direction(name)[1] in COMPARED else name for name in columns]
    more = ("best peer", "ratio") if compared else ()
    return table(("type", "D", "rows", *who, *more), rows)


def _memory_table(cases: list[dict[str, Any]]) -> str:
    """The memory at the peak, besides inputs and cotangents."""
    names = list(dict.fromkeys(name for case in cases for name in case.get("peak_bytes", {})))
    rows = []
    for case in cases:
        sizes = [case.get("peak_bytes", {}).get(name) for name in names]
        cells = ["" if size is None else f"{size / case['tensor_bytes']:.2f}" for size in sizes]
        rows.append((case["dtype"], str(case["features"]), str(case["rows"]), *cells))
    return table(("type", "D", "rows", *names), rows)


def _left_out(cases: list[dict[str, Any]]) -> list[str]:
    """The peers that were not compared at a shape, those for one reason together."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        for name, why in case["left_out"].items():
            reasons.setdefault((name, why), []).append(_shape(case))
    return [f"* {name} is not compared at {'; '.join(shapes)}: {_cell(why)}" for (name, why), shapes in reasons.items()]


def _speed(section: dict[str, Any] | None) -> str:
    if section is None:
        return ""
    return f"{section['gigabytes_per_second'][1]:.0f} ({100 * section['of_roof'][1]:.0f} %)"


def _overheads(overheads: list[dict[str, Any]]) -> list[str]:
    text = "Host time of one call in microseconds, `out=` and `workspace=` given to ours: median (quartiles)."
    rows = []
    for entry in overheads:
        low, middle, high = entry["microseconds"]
        rows.append((entry["layer"], entry["call"], entry["shape"], f"{middle:.1f} ({low:.1f} to {high:.1f})"))
    return [text, table(("layer", "call", "shape", "microseconds"), rows)]


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [titles, ["---"] * len(titles), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
