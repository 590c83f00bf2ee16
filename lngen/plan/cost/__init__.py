"""Cost of a layer: operations and bytes, fused, and with a kernel for every operation."""

from lngen.plan.cost.operations import Operations, operations
from lngen.plan.cost.traffic import ACCUMULATE_ITEMSIZE, ITEMSIZE, Cost, cost, reductions, unfused
from lngen.plan.cost.units import DType, microseconds, parse_bandwidth, parse_dtype, parse_shape

__all__ = [
    "ACCUMULATE_ITEMSIZE",
    "ITEMSIZE",
    "Cost",
    "DType",
    "Operations",
    "cost",
    "microseconds",
    "operations",
    "parse_bandwidth",
    "parse_dtype",
    "parse_shape",
    "reductions",
    "unfused",
]
