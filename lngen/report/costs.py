"""The cost of a layer as a table, as a line for a file's header, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy import Expr

from lngen.algebra.notation import text
from lngen.algebra.symbols import D
from lngen.layout import WIDTH, table
from lngen.plan.cost import (
    ACCUMULATE_ITEMSIZE,
    ITEMSIZE,
    Cost,
    DType,
    cost,
    parse_dtype,
    reductions,
)
from lngen.plan.planner import Plan
from lngen.report.shapes import example_shape, row_sizes

EXAMPLE_DTYPE = parse_dtype("bf16")
DEFAULT_DTYPE = parse_dtype("f32")
"""The rows whose bytes a table has where no type is asked for."""


def cost_rows(plan: Plan, dtype: DType = DEFAULT_DTYPE) -> list[tuple[str, str, str]]:
    """The cost table: what, forward, backward; bytes are those of a number type, in D at most."""
    costs = _both(plan)
    sizes = {ITEMSIZE: dtype.itemsize, ACCUMULATE_ITEMSIZE: dtype.accumulate_itemsize}
    rows = [(f"rows of {dtype.name}", "forward", "backward")]

    def add(label: str, *values: str) -> None:
        rows.append((label, *values))  # type: ignore[arg-type]

    def size(expression: Expr) -> str:
        return text(sympy.expand(expression.subs(sizes)))

    add("row tensors moved", *(f"{c.tensors} {_read_and_written(c)}{_worth(c, dtype)}" for c in costs))
    if any(c.smaller for c in costs):
        add("smaller arrays moved", *(_smaller(c) for c in costs))
    add("bytes per row element", *(size(c.row_bytes) for c in costs))
    if any(c.scalar_bytes for c in costs):
        add("row scalars, bytes per row", *(size(c.scalar_bytes) for c in costs))
    add("kept for backward, bytes per row", *(size(c.saved_bytes_per_row) for c in costs))
    add("flops per row element", *(str(c.operations.element) for c in costs))
    add("flops per row", *(str(c.operations.row) for c in costs))
    if any(c.operations.functions for c in costs):
        add("functions among them", *(_functions(c) for c in costs))
    add("bytes of parameters, once", *(size(c.parameter_bytes) for c in costs))
    if any(c.partial_features or c.partial_numbers for c in costs):
        add("bytes of partial sums per block", *(size(c.partial_bytes) for c in costs))
    return rows


def size_rows(
    plan: Plan,
    shape: Sequence[int] | None = None,
    dtype: DType = EXAMPLE_DTYPE,
) -> list[tuple[str, str, str]]:
    """Return the cost for a shape of the first array: MB (1e6 bytes), and flops.

    Raises LngenError for a shape that is not of its axes.
    """
    definition = plan.derivation.definition
    sizes = row_sizes(definition, example_shape(definition) if shape is None else shape)
    rows, features = sizes.rows, sizes.features
    costs = _both(plan)
    whole = [c.at(rows, features, dtype.itemsize, dtype.accumulate_itemsize) for c in costs]
    smaller = [sum(each.bytes(sizes.axes, dtype.itemsize) for each in c.smaller) for c in costs]
    done = [(moved + more, flops) for (moved, flops), more in zip(whole, smaller, strict=True)]

    def line(label: str, *values: str) -> tuple[str, str, str]:
        forward, backward = values
        return label, forward, backward

    lines = [line("", "forward", "backward"), line("moved", *(_megabytes(size) for size, _ in done))]
    if any(smaller):
        tensor = max(rows * features * dtype.itemsize, 1)
        lines.append(
            line("smaller arrays", *(f"{_megabytes(each)}, {each / tensor:.2g} of a row tensor" for each in smaller))
        )
    kept = [rows * c.saved * dtype.accumulate_itemsize for c in costs]
    lines.append(line("kept for backward", *(_megabytes(size) for size in kept)))
    lines.append(line("flops", *(f"{flops / 1e6:,.1f} million" if flops >= 1e5 else f"{flops:,}" for _, flops in done)))
    return lines


def cost_report(plan: Plan, shape: Sequence[int], dtype: DType, width: int = WIDTH) -> str:
    """The cost of a layer at a shape, as text."""
    where = f"{' x '.join(map(str, shape))} in {dtype.name}"
    lines = [
        f"{plan.derivation.definition.name}: cost",
        "",
        *table(cost_rows(plan, dtype), width),
        "",
        where,
        "",
        *table(size_rows(plan, shape, dtype), width),
    ]
    return "\n".join(lines)


def cost_entries(plan: Plan) -> dict[str, Any]:
    """The cost as JSON values: counts, and bytes and flops as formulas in rows, D and the two item sizes.

    Arrays that lack axes of the rows are listed with those that they have; no formula has their bytes.
    """
    entries: dict[str, Any] = {}
    for program, c in zip((plan.forward, plan.backward), _both(plan), strict=True):
        entries[program.direction] = {
            "reductions": reductions(program),
            "row_tensors_read": c.rows_read,
            "row_tensors_written": c.rows_written,
            "bytes": _formula(c.bytes),
            **({"smaller_arrays": {each.name: list(each.axes) for each in c.smaller}} if c.smaller else {}),
            "saved_bytes_per_row": _formula(c.saved_bytes_per_row),
            "parameter_bytes": _formula(c.parameter_bytes),
            "partial_bytes_per_block": _formula(c.partial_bytes),
            "flops": _formula(c.flops),
            "flops_per_element": c.operations.element,
            "flops_per_row": c.operations.row,
            "functions": [
                {"name": function, "per_element": element, "per_row": row}
                for function, element, row in c.operations.functions
            ],
        }
    return entries


def _both(plan: Plan) -> tuple[Cost, Cost]:
    return cost(plan.forward), cost(plan.backward)


def _formula(expression: Expr) -> str:
    return text(expression, ("rows", D.name))


def _read_and_written(c: Cost) -> str:
    return f"({c.rows_read} read, {c.rows_written} written)"


def _worth(c: Cost, dtype: DType) -> str:
    """The row tensors that have as many bytes, where some arrays have a type of their own."""
    worth = c.row_bytes.subs({ITEMSIZE: dtype.itemsize}) / dtype.itemsize
    return f", the bytes of {float(worth):g}" if worth != c.tensors else ""


def _smaller(c: Cost) -> str:
    return ", ".join(f"{each.name} ({' '.join(each.axes)})" for each in c.smaller) or "none"


def _functions(c: Cost) -> str:
    parts = []
    for name, element, row in c.operations.functions:
        parts += [f"{element} {name} per element"] * (element > 0) + [f"{row} {name} per row"] * (row > 0)
    return ", ".join(parts) or "none"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.2f} MB" if size >= 1e5 or not size else f"{size / 1e3:,.2f} kB"
