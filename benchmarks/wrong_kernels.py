"""Wrong kernels, most of them after a public bug report, and what finds them.

    python -m benchmarks.wrong_kernels [WORDS OF A NAME ...]

Each is held to its layer by `lngen.check`, by `torch.autograd.gradcheck` as it comes (4 x 6, float64), and by a
comparison with PyTorch's own at 32 x 256 in float32, as tests usually have it. Two right ones stand beside them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F

import lngen
from benchmarks import faults
from lngen.derived import definition_of

POLICY = """
from lngen.language import Constant, Data, RowScalar, clip, exp, minimum

def policy_loss(logp: RowScalar, old: Data["..."], advantage: Data["..."], width: Constant = 0.2):
    ratio = exp(logp - old)
    y = -minimum(ratio*advantage, clip(ratio, 1 - width, 1 + width)*advantage)
    return y
"""


def own_rms(x, gamma, eps):
    return F.rms_norm(x, (x.shape[-1],), gamma, eps)


def own_ln(x, gamma, beta, eps):
    return F.layer_norm(x, (x.shape[-1],), gamma, beta, eps)


def own_labels(x, label):
    return F.cross_entropy(x, label, reduction="none")


def own_policy(logp, old, advantage, width):
    ratio = torch.exp(logp - old)
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - width, 1 + width) * advantage)


def own_add(x, residual, gamma, eps):
    return own_rms(x + residual, gamma, eps), x + residual


def own_gated(x, z, gamma, eps):
    return own_rms(x, gamma, eps) * F.silu(z)


def own_smoothed(x, label):
    return F.cross_entropy(x, label, reduction="none", label_smoothing=0.1)


@dataclass(frozen=True)
class Kernel:
    """A kernel, the claim that finds its fault, its layer, PyTorch's own, and Constants that it does not take."""

    function: Any
    claim: str
    layer: str = "rms_norm"
    own: Callable[..., Any] = own_rms
    constants: Mapping[str, float] = field(default_factory=dict)

    @property
    def fault(self) -> str:
        """The fault, in words."""
        return str(self.function.__doc__)

    @property
    def callable(self) -> Callable[..., Any]:
        """The function itself, whose arguments stand in the order of PyTorch's own."""
        return self.function.apply if isinstance(self.function, type) else self.function  # type: ignore[no-any-return]


VALUES, STRIDES = "precision", "non-contiguous inputs give the same result"
LN, ADD = ("layer_norm", own_ln), ("add_rms_norm", own_add)
RIGHT = (Kernel(faults.Rms, ""), Kernel(faults.Ln, "", *LN))
WRONG = (
    *(Kernel(each, VALUES) for each in (faults.GammaOutside, faults.NoTail, faults.TwoBlocks, faults.FirstRows)),
    *(Kernel(each, VALUES) for each in (faults.First1024, faults.NarrowSums, faults.FixedEps, faults.eps_outside)),
    Kernel(faults.detached, VALUES),
    *(Kernel(each, STRIDES) for each in (faults.PackedInput, faults.StridesOfX)),
    Kernel(faults.PackedCotangent, "cotangents of a sum, which are one entry in memory"),
    Kernel(faults.OverInput, "inputs are never written"),
    Kernel(faults.ScaledTwice, "backward again, with another cotangent"),
    Kernel(faults.AnyOrder, "ten runs give the same bits"),
    Kernel(faults.OnlyWithX, "some inputs want no gradient"),
    Kernel(faults.FirstAxis, "any leading shape"),
    Kernel(faults.KeptGamma, "another value of a parameter is read"),
    Kernel(faults.Shared, "two calls before a backward"),
    Kernel(faults.Silent, "second derivative"),
    Kernel(faults.FromOutput, "parameters with zeros and negatives"),
    Kernel(faults.GammaRounded, "parameters of float32"),
    Kernel(faults.wide_result, "dtypes and shapes of results"),
    *(Kernel(each, VALUES, *LN) for each in (faults.MeanTwice, faults.Padded, faults.unbiased)),
    Kernel(faults.one_pass, "offset 10000", *LN),
    *(Kernel(each, VALUES, *ADD) for each in (faults.ResidualFirst, faults.SecondOutput)),
    Kernel(faults.Swapped, VALUES, "gated_rms_norm", own_gated),
    Kernel(faults.Ignored, "labels of -100", "label_cross_entropy", own_labels),
    Kernel(faults.FirstCotangent, VALUES, "label_cross_entropy", own_labels),
    Kernel(faults.smoothed, VALUES, "label_cross_entropy", own_smoothed, {"smoothing": 0.1}),
    Kernel(faults.sign_inside, VALUES, POLICY, own_policy),
    Kernel(faults.softmax_without_a_shift, "scales 1e-3 to 1e6", "softmax", lambda x: F.softmax(x, -1)),
    Kernel(faults.log_of_softmax, VALUES, "log_softmax", lambda x: F.log_softmax(x, -1)),
)


def drawn(kernel: Kernel, rows: int, size: int, dtype: torch.dtype) -> dict[str, Any]:
    """The arguments of a kernel, of order one; numbers have their defaults."""
    torch.manual_seed(0)
    definition, made = definition_of(kernel.layer), {}
    code = kernel.own.__code__
    entries = {entry.name: entry for entry in definition.inputs}
    for name in code.co_varnames[: code.co_argcount]:
        entry = entries[name]
        if entry in definition.constants:
            made[name] = float(entry.default)
        elif entry.kind.is_integer:
            made[name] = torch.randint(0, size, (rows,))
        else:
            shape = (size,) if entry in definition.features else (rows, size) if entry in definition.rows else (rows,)
            made[name] = torch.randn(shape, dtype=dtype, requires_grad=entry.kind.has_gradient)
    return made


def by_gradcheck(kernel: Kernel) -> bool:
    """Test whether `gradcheck` as it comes finds the fault."""
    given = drawn(kernel, 4, 6, torch.float64)
    names = [name for name, value in given.items() if torch.is_tensor(value)]

    def called(*tensors: Any) -> Any:
        return kernel.callable(*{**given, **dict(zip(names, tensors, strict=True))}.values())

    return raises(lambda: torch.autograd.gradcheck(called, [given[name] for name in names]))


def by_comparison(kernel: Kernel) -> bool:
    """Test whether a comparison with PyTorch's own finds the fault."""

    def results(function: Callable[..., Any]) -> list[Any]:
        given = drawn(kernel, 32, 256, torch.float32)
        made = function(*given.values())
        outputs = made if isinstance(made, tuple) else (made,)
        torch.manual_seed(1)
        wanted = [v for v in given.values() if torch.is_tensor(v) and v.requires_grad]
        return [*outputs, *torch.autograd.grad(outputs, wanted, [torch.randn_like(each) for each in outputs])]

    def compare() -> None:
        for mine, own in zip(results(kernel.callable), results(kernel.own), strict=True):
            torch.testing.assert_close(mine, own)

    return raises(compare)


def raises(what: Callable[[], Any]) -> bool:
    """Test whether something raises."""
    try:
        what()
    except Exception:  # whatever finds the fault
        return True
    return False


def table(words: Sequence[str]) -> Iterator[str]:
    """The lines of the table: each kernel, and what finds it."""
    found = {"lngen": 0, "gradcheck": 0, "comparison": 0}
    yield f"{'layer':20} {'fault':62} gradcheck  comparison  lngen.check, by its first claim"
    chosen = [each for each in (*RIGHT, *WRONG) if not words or any(word in each.fault for word in words)]
    for kernel in chosen:
        layer = definition_of(kernel.layer).name
        report = lngen.check(kernel.callable, kernel.layer, constants=kernel.constants).report
        others = by_gradcheck(kernel), by_comparison(kernel)
        first = next(iter(report.failures), None)
        claim = "" if first is None else f"{first.kind}: {first.what}".strip(": ")
        marks = ["found" if each else "-" for each in others]
        yield f"{layer:20} {kernel.fault:62} {marks[0]:9}  {marks[1]:10}  {claim or '-'}"
        if kernel in WRONG:
            for name, one in zip(found, (bool(claim), *others), strict=True):
                found[name] += one
    wrong = sum(each in WRONG for each in chosen)
    yield f"of {wrong} wrong ones: " + ", ".join(f"{name} {count}" for name, count in found.items())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in table(sys.argv[1:]):
        print(line, flush=True)
