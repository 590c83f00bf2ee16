"""Cost of a layer: operations and bytes."""

from lngen.plan.cost.operations import Operations, operations
from lngen.plan.cost.traffic import ACCUMULATE_ITEMSIZE, ITEMSIZE, Cost, cost, reductions
from lngen.plan.cost.units import DType, parse_dtype, parse_shape

__all__ = [
    "ACCUMULATE_ITEMSIZE",
    "ITEMSIZE",
    "Cost",
    "DType",
    "Operations",
    "cost",
    "operations",
    "parse_dtype",
    "parse_shape",
    "reductions",
]
