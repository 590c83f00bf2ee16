"""Command `lngen cost`: bytes and operations of a layer at a shape."""

from __future__ import annotations

from lngen.cli import console
from lngen.language.definition import Definition
from lngen.pipeline.stages import planned
from lngen.plan.cost import parse_dtype, parse_shape
from lngen.report import cost_report


def run(definition: Definition, shape: str, dtype: str) -> None:
    """Print the cost of a layer."""
    sizes, kind = parse_shape(shape), parse_dtype(dtype)
    plan = planned(definition, proved=False)
    print(cost_report(plan, sizes, kind, console.width()))
