"""Habits from other libraries that the language does not have, each with what to write instead.

Each entry was found in a first definition of a user, where the nearest known name would have been wrong advice.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from lngen.files.paths import derive_folder

_PATHS = "docs/language.md shows how"
_RUNNING = (
    "no entry of a row knows its place: sum, mean, max and min reduce the whole row; "
    "what depends on places is computed outside and passed as a Row"
)
_ROWS = f"rows do not meet: pass x transposed, so that each channel is a row ({_PATHS}, under Other axes)"
_LAST_AXIS = "a reduction is over the feature axis, the last one, and broadcasts back by itself"
_SHAPED = (
    "arrays are shaped outside: pass x with what one reduction runs over as its last axis, such as x.T or "
    f"x.reshape(n, groups, -1) ({_PATHS}, under Other axes)"
)
_PARTS = "rows are not cut or joined: pass the parts as inputs, and return each result by its name"
_FEATURES = "write D for the number of features of a row"
_CLAMP = "write minimum(maximum(x, low), high)"
_VARIANCE = "write mean((x - mean(x))**2)"
_STOP = "write stop_gradient(x)"
POWER_OF = "where(a > 0, exp(b*log(where(a > 0, a, 1))), 0)"
"""Power a**b of a base that is not negative, where b > 0 is not a number.

At a = 0 it is 0, and so is its gradient.
"""

_POWER = f"write a**b for a number b, and {POWER_OF} otherwise"
_LOGIC = "write where(a > 0, where(b > 0, 1, 0), 0): a condition is one comparison, and where may be nested"
_NO_SLOPE = "rounding has no gradient: do it outside, and pass the result as Data"
_NO_ARC = "the inverses of sin, cos and tan are not in the language: compute them outside, and pass the result as a Row"
_RANDOM = "random numbers are drawn outside and passed as Data"
_PRODUCT = "write sum(a*b) for an inner product over the feature axis; other products are taken outside"
_FILLED = "write the number itself: it broadcasts"
_ONE_HOT = "pass the labels one-hot, as `t: Data`, and write sum(x*t) for the entry that each marks"
_NUMBER = (
    "write the number itself; numbers are finite, and -1e30 is low enough for what is masked before an exponential"
)
_UNBIASED = "write sum((x - mean(x))**2)/(D - 1) for the unbiased variance"

FUNCTIONS: dict[str, str] = {
    "absolute": "write abs(x)",
    "all": _LOGIC,
    "amax": "write max(x)",
    "amin": "write min(x)",
    "any": _LOGIC,
    "argmax": _RUNNING,
    "argmin": _RUNNING,
    "argsort": _RUNNING,
    "batch_mean": _ROWS,
    "bernoulli": _RANDOM,
    "bool": "write where(x > 0, 1, 0)",
    "cat": _PARTS,
    "ceil": _NO_SLOPE,
    "chunk": _PARTS,
    "clamp": _CLAMP,
    "clip": _CLAMP,
    "concat": _PARTS,
    "concatenate": _PARTS,
    "cosh": "write (exp(x) + exp(-x))/2",
    "count_nonzero": "write sum(where(x != 0, 1, 0))",
    "cumprod": _RUNNING,
    "cumsum": _RUNNING,
    "detach": _STOP,
    "dot": "write sum(a*b)",
    "dropout": "draw the mask outside, pass it as `mask: Data`, and write x*mask",
    "einsum": _PRODUCT,
    "elu": "write where(x > 0, x, expm1(minimum(x, 0)))",
    "erfc": "write 1 - erf(x)",
    "exp2": "write exp(log(2)*x)",
    "expand_dims": _SHAPED,
    "fabs": "write abs(x)",
    "flatten": _SHAPED,
    "float": _NUMBER,
    "floor": _NO_SLOPE,
    "fmod": _NO_SLOPE,
    "full": _FILLED,
    "gather": _ONE_HOT,
    "heaviside": "write where(x > 0, 1, 0)",
    "hypot": "write sqrt(a**2 + b**2)",
    "int": _NO_SLOPE,
    "leaky_relu": "write where(x > 0, x, 0.01*x)",
    "len": _FEATURES,
    "linear": _PRODUCT,
    "log10": "write log(x)/log(10)",
    "log2": "write log(x)/log(2)",
    "logaddexp": "write a + softplus(b - a)",
    "logical_and": _LOGIC,
    "logical_not": _LOGIC,
    "logical_or": _LOGIC,
    "logsigmoid": "write -softplus(-x)",
    "masked_fill": "write where(mask > 0, x, low) with `mask: Data`",
    "matmul": _PRODUCT,
    "mean_rows": _ROWS,
    "median": _RUNNING,
    "mod": _NO_SLOPE,
    "moveaxis": _SHAPED,
    "no_grad": _STOP,
    "norm": "write sqrt(sum(x**2))",
    "normalize": "write x/sqrt(sum(x**2) + 1e-12)",
    "one_hot": _ONE_HOT,
    "ones": _FILLED,
    "ones_like": _FILLED,
    "permute": _SHAPED,
    "pow": _POWER,
    "power": _POWER,
    "prod": "write exp(sum(log(x))) for entries above zero",
    "rand": _RANDOM,
    "randn": _RANDOM,
    "reciprocal": "write 1/x",
    "relu6": "write minimum(maximum(x, 0), 6)",
    "reshape": _SHAPED,
    "rms": "write sqrt(mean(x**2))",
    "roll": _RUNNING,
    "round": _NO_SLOPE,
    "shape": _FEATURES,
    "sinh": "write (exp(x) - exp(-x))/2",
    "softsign": "write x/(1 + abs(x))",
    "sort": _RUNNING,
    "split": _PARTS,
    "square": "write x**2",
    "squeeze": _SHAPED,
    "stack": _PARTS,
    "std": "write sqrt(mean((x - mean(x))**2))",
    "sum_rows": _ROWS,
    "swapaxes": _SHAPED,
    "swish": "write silu(x)",
    "take": _ONE_HOT,
    "tan": "write sin(x)/cos(x)",
    "topk": _RUNNING,
    "transpose": _SHAPED,
    "unsqueeze": _SHAPED,
    "var": _VARIANCE,
    "variance": _VARIANCE,
    "view": _SHAPED,
    "zeros": _FILLED,
    "zeros_like": _FILLED,
    **dict.fromkeys(["acos", "arccos", "arcsin", "arctan", "arctan2", "asin", "atan", "atan2"], _NO_ARC),
}
"""A function by its name, also where it is a method or stands in a module."""

CONSTANTS: dict[str, str] = {
    "e": "write exp(1)",
    "inf": _NUMBER,
    "nan": "numbers are real; choose with where(condition, a, b)",
    "pi": "write 3.141592653589793",
}
"""A constant by its name."""

ATTRIBUTES: dict[str, str] = {"T": _SHAPED, "mT": _SHAPED, "ndim": _FEATURES, "shape": _FEATURES, "size": _FEATURES}
"""An attribute by its name."""

KEYWORDS: Mapping[str, str] = {
    "axis": _LAST_AXIS,
    "dim": _LAST_AXIS,
    "keepdim": _LAST_AXIS,
    "keepdims": _LAST_AXIS,
    "correction": _UNBIASED,
    "ddof": _UNBIASED,
    "unbiased": _UNBIASED,
}
"""A keyword argument by its name."""

_WORDS_FOR_KINDS = {
    "int Int Integer long Label Labels Index": _ONE_HOT,
    "bool Bool Boolean Mask": "annotate a mask with Data, and pass ones and zeros as floats",
    "float Float Number": "annotate with Constant for a number that is set, with Scalar for one that is learned",
    "Array ndarray Tensor Vector Matrix": "annotate with Row for shape (..., D), with Feature for shape (D,)",
    "Column Channel Parameter Weight Bias": "annotate with Feature for one value per feature",
    "Input Target Buffer": "annotate with Row, or with Data where no gradient is wanted",
}

KINDS: dict[str, str] = {word: remedy for words, remedy in _WORDS_FOR_KINDS.items() for word in words.split()}
"""Remedy for each word that is used as an annotation."""

INDEX = f"values have no indices: reduce with mean, sum, max or min; {_ONE_HOT}"


def axis(written: str) -> str:
    """Return what to write in a reduction instead of an axis.

    >>> axis("-1")
    'a reduction is over the feature axis, the last one, and broadcasts back by itself'
    >>> axis("0").partition(";")[0]
    'a reduction is over the last axis alone'
    """
    another = written != "-1" and re.fullmatch(r"[-\d(), ]+", written)
    return f"a reduction is over the last axis alone; {_SHAPED}" if another else _LAST_AXIS


def layer(name: str) -> str | None:
    """Return what to write for the name of a layer that comes with lngen; None for another name."""
    file = derive_folder() / f"{name}.py"
    if not name.isidentifier() or not file.is_file():
        return None
    functions = (node for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef))
    lines = [ast.unparse(node) for function in functions for node in function.body if isinstance(node, ast.Assign)]
    return f"it is a layer of its own: write its lines, {'; '.join(lines)}"


def function(name: str) -> str | None:
    """Return what to write for a function of another library; None for an unknown name."""
    return FUNCTIONS.get(name) or layer(name)


def suggestion(
    name: str, known: Iterable[str], otherwise: str, habits: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return what to write for an unknown name: the entry of `habits`, else the nearest name, else `otherwise`.

    >>> suggestion("clamp", ["max"], "", FUNCTIONS), suggestion("sqroot", ["sqrt"], "", FUNCTIONS)
    ('write minimum(maximum(x, low), high)', "did you mean 'sqrt'?")
    >>> suggestion("zzz", ["sqrt"], "assign it first")
    'assign it first'
    """
    if name in habits:
        return habits[name]
    close = difflib.get_close_matches(name[:80], known, n=1)
    return f"did you mean {close[0]!r}?" if close else otherwise
