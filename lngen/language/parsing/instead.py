"""Words that people have from elsewhere and the language does not, with the way to say or to compute each.

Each entry was found in a first definition of a user, where the nearest known name would have been wrong advice.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from lngen.paths import derive_folder

_PATHS = "docs/language.md shows how"
_LAST_AXIS = "a reduction is over the feature axis, the last one, and broadcasts back by itself"
_SHAPED = (
    "shapes cannot be said: shape arrays outside, and pass x with what one reduction runs over as its last axis, "
    f"such as x.T or x.reshape(n, groups, -1) ({_PATHS}, under Axes)"
)
_FEATURES = "write D for the number of features of a row"
POWER_OF = "where(a > 0, exp(b*log(where(a > 0, a, 1))), 0)"
"""A power a**b of a >= 0, where b > 1 varies over rows or features. At a = 0 it is 0, and so is its gradient."""

_PICK = (
    'write pick(x, label) for the entry at a place, with an input as `label: Int["..."]`; '
    "where(index() == label, 1, 0) is a one-hot row"
)
_COMPLEX = "complex numbers cannot be said: split them outside, and pass real and imaginary parts as two Rows"
_NUMBER = (
    "write the number itself; numbers are finite, and -1e30 is low enough for what is masked before an exponential"
)
_UNBIASED = "write sum((x - mean(x))**2)/(D - 1) for the unbiased variance"


def _by_word(remedies: Mapping[str, str]) -> dict[str, str]:
    """The remedy of each word, from that of several words.

    >>> _by_word({"absolute fabs": "write abs(x)"})["fabs"]
    'write abs(x)'
    """
    return {word: remedy for words, remedy in remedies.items() for word in words.split()}


FUNCTIONS: dict[str, str] = _by_word(
    {
        "absolute fabs": "write abs(x)",
        "arccos": "write acos(x)",
        "acosh": "write log(x + sqrt(x**2 - 1))",
        "all any logical_and logical_not logical_or": (
            "join comparisons by & (both), | (one of two) and ~ (not): where((a > 0) & (b > 0), u, v)"
        ),
        "amax": "write max(x)",
        "amin": "write min(x)",
        "argmax argmin median percentile quantile searchsorted": (
            'the place of an entry cannot be found: find it outside, and write pick(x, place) with `place: Int["..."]`'
        ),
        "argsort sort unique": (
            "a sort cannot be said: sort outside, before or after the layer; if the sort finds a threshold, pass the "
            "entries above it as `keep: Data`, ones and zeros: sum(keep*x)/sum(keep) is their mean"
        ),
        "arcsin": "write asin(x)",
        "asinh": "write log(x + sqrt(x**2 + 1))",
        "arctan": "write atan(x)",
        "atan2 arctan2": (
            "atan2(a, b) cannot be said: compute it outside, pass it as a Row, and multiply the gradient of that by "
            "b/(a**2 + b**2) for a and by -a/(a**2 + b**2) for b"
        ),
        "atanh": "write (log1p(x) - log1p(-x))/2",
        "average": "write mean(x)",
        "batch_mean mean_rows sum_rows": (
            "a sum or mean over all rows cannot be said: return the value of each row, and reduce outside; for "
            f"statistics over the batch name the axes ({_PATHS}, under Axes)"
        ),
        "bernoulli": 'write where(uniform(seed) < p, 1, 0), with an input `seed: Int[""]`',
        "noise rand random": 'write uniform(seed), with an input `seed: Int[""]`: numbers from 0 to 1',
        "normal randn": (
            'write sqrt(-2*log(1 - uniform(seed)))*cos(2*pi*uniform(seed, 1)), with an input `seed: Int[""]`'
        ),
        "bmm einsum linear matmul mm outer trace": (
            "a product with a matrix cannot be said: take it outside, before or after the layer; "
            "for an inner product of two rows write sum(a*b)"
        ),
        "bool heaviside": "write where(x > 0, 1, 0)",
        "cat chunk concat concatenate split stack": (
            'name halves of a row as an axis, `x: Array["... (s d)"]` with `s: Size = 2`, take one as `at(x, s=0)`, '
            "and return both as `join(a, b)`; rows of other lengths are cut and joined outside"
        ),
        "ceil fix floor int quantize round trunc": (
            "rounding cannot be said, and has no gradient: do it outside, and pass the result as Data; an output is "
            'rounded as a whole, as in `q = cast(u, "int8")`'
        ),
        "clamp": "write clip(x, low, high)",
        "complex": _COMPLEX,
        "cosh": "write (exp(x) + exp(-x))/2",
        "count_nonzero": "write sum(where(x != 0, 1, 0))",
        "cumprod cumsum": (
            "a running sum or product cannot be said: take it outside, before or after the layer, and pass it as a Row"
        ),
        "detach no_grad": "write stop_gradient(x)",
        "diff flip pad roll rotate_half shift": (
            "places in a row cannot be said: shift outside, and pass the shifted row as a Row of its own; for a rotary "
            "embedding take the halves `a = at(x, s=0)` and `b = at(x, s=1)`, and join a*c - b*z and a*z + b*c"
        ),
        "dot": "write sum(a*b)",
        "alpha_dropout feature_dropout": "draw the mask outside, pass it as `mask: Data`, and write x*mask",
        "elu": "write where(x > 0, x, expm1(minimum(x, 0)))",
        "erfc": "write 1 - erf(x)",
        "exp2": "write exp(log(2)*x)",
        "expand_dims flatten moveaxis permute reshape squeeze swapaxes transpose unsqueeze view": _SHAPED,
        "float": _NUMBER,
        "fmod mod remainder": (
            "write a - b*k, and pass the quotient rounded outside as `k: Data`: rounding cannot be said"
        ),
        "full ones ones_like zeros zeros_like": "write the number itself: it broadcasts",
        "arange iota": "write index() for the place of an entry, 0 to D - 1",
        "gather index_select one_hot take take_along_axis": _PICK,
        "hardsigmoid": "write clip(x + 3, 0, 6)/6",
        "hardswish": "write x*clip(x + 3, 0, 6)/6",
        "hardtanh": "write clip(x, -1, 1)",
        "hypot": "write sqrt(a**2 + b**2)",
        "kth kthvalue nlargest partition top_k topk": (
            "which entries are largest cannot be said: find them outside, pass them as `keep: Data`, ones and zeros, "
            "and write where(keep > 0, x, 0)"
        ),
        "leaky_relu": "write where(x > 0, x, 0.01*x)",
        "len shape": _FEATURES,
        "log10": "write log(x)/log(10)",
        "log2": "write log(x)/log(2)",
        "log_sigmoid logsigmoid": "write -softplus(-x)",
        "logaddexp": "write a + softplus(b - a)",
        "masked_fill": "write where(mask > 0, x, low) with `mask: Data`",
        "mish": "write x*tanh(softplus(x))",
        "norm": "write sqrt(sum(x**2))",
        "normalize": "write x/sqrt(sum(x**2) + 1e-12)",
        "pow power": f"write a**b, and {POWER_OF} for a >= 0 and b > 1 that varies over rows or features",
        "prod": "write exp(sum(log(x))) for entries above zero",
        "reciprocal": "write 1/x",
        "relu6": "write clip(x, 0, 6)",
        "rms": "write sqrt(mean(x**2))",
        "sinh": "write (exp(x) - exp(-x))/2",
        "softsign": "write x/(1 + abs(x))",
        "square": "write x**2",
        "std": "write sqrt(mean((x - mean(x))**2)), or sqrt(sum((x - mean(x))**2)/(D - 1)) for the unbiased one",
        "swish": "write silu(x)",
        "tan": "write sin(x)/cos(x)",
        "var variance": "write mean((x - mean(x))**2), or sum((x - mean(x))**2)/(D - 1) for the unbiased variance",
    }
)
"""A function by its name, also where it is a method or stands in a module."""

CONSTANTS: dict[str, str] = {
    "e": "write exp(1)",
    "inf": _NUMBER,
    "nan": "numbers are real; choose with where(condition, a, b)",
}
"""A constant by its name."""

ATTRIBUTES: dict[str, str] = _by_word({"T mT": _SHAPED, "ndim shape size": _FEATURES})
"""An attribute by its name."""

KEYWORDS: dict[str, str] = _by_word({"axis dim keepdim keepdims": _LAST_AXIS, "correction ddof unbiased": _UNBIASED})
"""A keyword argument by its name."""

KINDS: dict[str, str] = _by_word(
    {
        "int Integer long Label Labels Index": (
            'pass one integer per row as `label: Int["..."]`, and write pick(x, label) for its entry'
        ),
        "bool Bool Boolean Mask": "annotate a mask with Data, and pass ones and zeros as floats",
        "float Float Number": "annotate with Constant for a number that is set, with Scalar for one that is learned",
        "ndarray Tensor Vector Matrix": "annotate with Row for shape (..., D), with Feature for shape (D,)",
        "Column Channel Parameter Weight Bias": "annotate with Feature for one value per feature",
        "Input Target Buffer": "annotate with Row, or with Data where no gradient is wanted",
    }
)
"""Remedy for each word that is used as an annotation."""

LITERALS: Mapping[str, str] = {
    "a truth value": "write 1 for True and 0 for False",
    "an imaginary number": _COMPLEX,
    "None": "write the number itself; an input that may be left out has a default, as in `b: Row = 0`",
    "an ellipsis": "write the number or the name itself",
}
"""A literal by what it is called."""

ENTRY = "single entries cannot be set: write where(index() == i, a, x)"
INDEX = f"values have no indices: reduce with mean, sum, max or min; {_PICK}"


def axis(written: str, call: str) -> str:
    """Return what to write in a reduction instead of an axis; `call` is the reduction without it.

    >>> axis("-1", "mean(x)")
    'write mean(x): a reduction is over the feature axis, the last one, and broadcasts back by itself'
    >>> axis("0", "mean(x)").partition(";")[0]
    'a reduction is over the last axis alone'
    """
    another = written != "-1" and re.fullmatch(r"[-\d(), ]+", written)
    return f"a reduction is over the last axis alone; {_SHAPED}" if another else f"write {call}: {_LAST_AXIS}"


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
    ('write clip(x, low, high)', "did you mean 'sqrt'?")
    >>> suggestion("zzz", ["sqrt"], "assign it first")
    'assign it first'
    """
    if name in habits:
        return habits[name]
    close = difflib.get_close_matches(name[:80], known, n=1)
    return f"did you mean {close[0]!r}?" if close else otherwise
