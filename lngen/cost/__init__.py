"""What a layer costs: operations, bytes, and what the same layer costs when every operation is a kernel of
its own.
"""

from lngen.cost.operations import Operations, operations
from lngen.cost.traffic import ITEMSIZE, Cost, cost, reductions, unfused
from lngen.cost.units import DType, microseconds, parse_bandwidth, parse_dtype, parse_shape

__all__ = [
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
