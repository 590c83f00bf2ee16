"""A record as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

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
        blocks.append(["## Speed", _METHOD, *_copies(cases)])
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
        versions = {**found["versions"], **benchmark.get("versions", {})}
        listed = ", ".join(f"{name} {version}" for name, version in versions.items())
        facts.append(("versions", f"Python {found['python']}, {listed}"))
        facts.append(("commit", found["commit"] or "unknown"))
    return [*lines, table(("", ""), facts)]


def _checks(stages: dict[str, Any]) -> list[str]:
    rows = [
        (name, values.get("status", "under way"), values.get("summary", ""), f"{values.get('seconds', 0):.0f}")
        for name, values in stages.items()
    ]
    return [table(("stage", "status", "result", "seconds"), rows)]


_METHOD = (
    "GB/s counts the tensors of rows that a layer has to move, 1e9 bytes to a GB; PyTorch is held to the same bytes. "
    "The share is that of the faster copy, measured in turns with it. Medians; the quartiles are in the JSON file."
)


def _copies(cases: list[dict[str, Any]]) -> list[str]:
    """The copies, by the size of a tensor: of all cases of a size the median one."""
    names = ("copy by the driver", "copy by a kernel", "two reads, one write")
    sizes = sorted({round(case["tensor_bytes"] / _MIB) for case in cases})
    rows = []
    for size in sizes:
        there = [case["sections"] for case in cases if round(case["tensor_bytes"] / _MIB) == size]
        rates = [sorted(sections[name]["gigabytes_per_second"][1] for sections in there) for name in names]
        rows.append((str(size), str(len(there)), *(f"{found[len(found) // 2]:.0f}" for found in rates)))
    return [table(("MiB a tensor", "cases", *(f"{name}, GB/s" for name in names)), rows)]


def _speeds(cases: list[dict[str, Any]], layer: str) -> list[str]:
    own = [case for case in cases if case["layer"] == layer]
    by_shape: dict[tuple[Any, ...], dict[str, Any]] = {}
    for case in own:
        shape = (case["dtype"], case["features"], case["rows"])
        # The figures without torch.compile stand first where there are both.
        by_shape[shape] = {**case["sections"], **by_shape.get(shape, {})}
    columns = [name for name in _COLUMNS if any(name in sections for sections in by_shape.values())]
    rows = [
        (dtype, str(features), str(count), *(_speed(sections.get(name)) for name in columns))
        for (dtype, features, count), sections in sorted(by_shape.items())
    ]
    return [table(("type", "D", "rows", *columns), rows)]


_COLUMNS = tuple(f"{who}{which}" for which in ("forward", "backward") for who in ("", "torch ", "torch compiled "))


def _speed(section: dict[str, Any] | None) -> str:
    if section is None:
        return ""
    return f"{section['gigabytes_per_second'][1]:.0f} ({100 * section['of_copy'][1]:.0f} %)"


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
