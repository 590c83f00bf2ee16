"""What people write from habit and the language does not have, with what to write instead.

Each was met in someone's first definition, where the nearest name there is would have been the wrong advice.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

_RUNNING = "no entry of a row knows its place; sum, mean, max and min reduce the whole row"
_ROWS = (
    "rows do not meet in a definition: reduce over the feature axis, with that axis last, or pass what was computed "
    "over the rows as a Feature"
)
_LAST_AXIS = "a reduction is over the feature axis, the last one, and broadcasts back by itself"

FUNCTIONS: dict[str, str] = {
    "absolute": "write abs(x)",
    "amax": "write max(x)",
    "amin": "write min(x)",
    "argmax": _RUNNING,
    "argmin": _RUNNING,
    "batch_mean": _ROWS,
    "clamp": "write minimum(maximum(x, low), high)",
    "clip": "write minimum(maximum(x, low), high)",
    "cosh": "write (exp(x) + exp(-x))/2",
    "cumprod": _RUNNING,
    "cumsum": _RUNNING,
    "dot": "write sum(a*b)",
    "dropout": "multiply by a mask that is a Row input",
    "elu": "write where(x > 0, x, expm1(minimum(x, 0)))",
    "fabs": "write abs(x)",
    "leaky_relu": "write where(x > 0, x, 0.01*x)",
    "log10": "write log(x)/log(10)",
    "log2": "write log(x)/log(2)",
    "matmul": "write sum(a*b) for an inner product over the feature axis",
    "mean_rows": _ROWS,
    "norm": "write sqrt(sum(x**2))",
    "one_hot": "pass it as a Row input",
    "pow": "write a**b for a number b, and exp(b*log(a)) otherwise",
    "power": "write a**b for a number b, and exp(b*log(a)) otherwise",
    "reciprocal": "write 1/x",
    "rms": "write sqrt(mean(x**2))",
    "sinh": "write (exp(x) - exp(-x))/2",
    "square": "write x**2",
    "std": "write sqrt(mean((x - mean(x))**2))",
    "sum_rows": _ROWS,
    "swish": "write silu(x)",
    "tan": "write sin(x)/cos(x)",
    "var": "write mean((x - mean(x))**2)",
}
"""A function by its name."""

CONSTANTS: dict[str, str] = {
    "e": "write exp(1)",
    "inf": "numbers are finite; write the limit itself",
    "nan": "numbers are real; choose with where(condition, a, b)",
    "pi": "write 3.141592653589793",
}
"""A constant by its name."""

KEYWORDS: Mapping[str, str] = {
    "axis": _LAST_AXIS,
    "dim": _LAST_AXIS,
    "keepdim": _LAST_AXIS,
    "keepdims": _LAST_AXIS,
    "correction": "write sum((x - mean(x))**2)/(D - 1) for the unbiased variance",
    "ddof": "write sum((x - mean(x))**2)/(D - 1) for the unbiased variance",
    "unbiased": "write sum((x - mean(x))**2)/(D - 1) for the unbiased variance",
}
"""A keyword argument by its name."""

INDEX = (
    "values have no indices: reduce with mean, sum, max or min, or pass a one-hot Row t and write sum(x*t) for the "
    "entry that it marks"
)


def suggestion(
    name: str, known: Iterable[str], otherwise: str, habits: Mapping[str, str] = MappingProxyType({})
) -> str:
    """What to write for a name that means nothing here: that of a habit, else the nearest name, else `otherwise`.

    >>> suggestion("clamp", ["max"], "", FUNCTIONS), suggestion("sqroot", ["sqrt"], "", FUNCTIONS)
    ('write minimum(maximum(x, low), high)', "did you mean 'sqrt'?")
    >>> suggestion("zzz", ["sqrt"], "assign it first")
    'assign it first'
    """
    if name in habits:
        return habits[name]
    close = difflib.get_close_matches(name[:80], known, n=1)
    return f"did you mean {close[0]!r}?" if close else otherwise
