"""Definitions in which digits can be lost, and how many are: emitted float32 beside 60 digits of the same inputs.

python -m tests.report.losses
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import mpmath
import numpy as np

from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D, TypedSymbol, axes
from lngen.plan.planner import Plan
from lngen.report.audit import Hazard, audit
from tests import derivatives

ROWS, FEATURES, DIGITS = 2, 64, 60
OFFSETS = (0.0, 10.0, 1e3, 1e4)
SCALES = (1e-4, 1e-2, 1.0, 1e2, 1e4)

LOST = 1e-3
"""The error of a result, beside its largest entry, from which on its digits count as lost."""

_X, _XZ, _XW = "x: Row", "x: Row, z: Row", "x: Row, w: Feature"

DEFINITIONS = {
    "root less modulus": (_X, "sqrt(x**2 + 1) - abs(x)"),
    "one minus cosine": (_X, "1 - cos(x)"),
    "root less one": (_X, "sqrt(1 + x**2) - 1"),
    "x less sine": (_X, "x - sin(x)"),
    "x less tanh": (_X, "x - tanh(x)"),
    "one minus tanh": (_X, "1 - tanh(x)"),
    "one plus tanh": (_X, "1 + tanh(x)"),
    "one minus tanh squared": (_X, "1 - tanh(x)**2"),
    "gelu less x": (_X, "gelu(x) - x"),
    "softplus less x": (_X, "softplus(x) - x"),
    "covariance": (_XZ, "x*(mean(x*z) - mean(x)*mean(z))"),
    "weighted variance": (_XW, "x*(sum(w*x**2)/sum(w) - (sum(w*x)/sum(w))**2)"),
    "squared distance": (_XZ, "x*(mean(x**2) + mean(z**2) - 2*mean(x*z))"),
    "logarithm less mean": (_X, "x*(log(mean(exp(x))) - mean(x))"),
    "one minus softmax": (_X, "1 - exp(x)/sum(exp(x))"),
    "variance": (_X, "x*(mean(x**2) - mean(x)**2)"),
    "third moment": (_X, "x*(mean(x**3) - 3*mean(x)*mean(x**2) + 2*mean(x)**3)"),
    "sums over D": (_X, "x*(sum(x**2)/D - (sum(x)/D)**2)"),
    "least and most": (_X, "(x - min(x))/(max(x) - min(x) + 1)"),
    "centred ratio": (_X, "(x - mean(x))/(1 + max(x) - mean(x))"),
    "one minus sigmoid": (_X, "1 - sigmoid(x)"),
    "one minus erf": (_X, "1 - erf(x)"),
    "layer norm": (_X, "(x - mean(x))*rsqrt(mean((x - mean(x))**2) + 1e-5)"),
    "softmax": (_X, "exp(x)/sum(exp(x))"),
    "logarithm of one more": (_X, "log(1 + x**2)"),
    "exponential less one": (_X, "x*(exp(-x**2) - 1)"),
    "one minus a pick": ("x: Row, t: Data", "x*(1 - sum(t*exp(x))/sum(exp(x)))"),
    "difference of the caller's": (_XZ, "x*(x - z)"),
}


def text_of(name: str) -> str:
    """The definition of that name."""
    arguments, body = DEFINITIONS[name]
    return f"def f({arguments}): return {body}\n"


def cases(plan: Plan) -> Iterator[tuple[float, float, dict[str, Any]]]:
    """Inputs and a cotangent in float32, with their offset and scale; the cotangent and the weights have neither."""
    forward = plan.derivation.forward
    for offset in OFFSETS:
        for scale in SCALES:
            rng = np.random.default_rng(5)
            drawn = {}
            for symbol in forward.symbols:
                if axes(symbol).rows:
                    drawn[symbol.name] = offset + scale * rng.standard_normal((ROWS, FEATURES))
                else:
                    drawn[symbol.name] = rng.uniform(0.5, 1.5, FEATURES)
            if "t" in drawn:
                drawn["t"] = (np.arange(FEATURES) == drawn["x"].argmax(-1, keepdims=True)).astype(float)
            drawn["dy"] = rng.standard_normal((ROWS, FEATURES))
            yield offset, scale, {name: value.astype(np.float32) for name, value in drawn.items()}


@dataclass(frozen=True)
class Loss:
    """The error of a result in a case, relative to its largest entry."""

    error: float
    result: str
    offset: float
    scale: float


def values(plan: Plan, given: dict[str, Any], arithmetic: Arithmetic) -> dict[str, Any]:
    """All results of the definition as it is written and of its unsimplified adjoint, in some arithmetic."""
    written, adjoint = plan.derivation.written, plan.derivation.adjoint
    kind = mpmath.mpf if arithmetic.digits else arithmetic.dtype.type
    number = np.frompyfunc(lambda v: kind(float(v)), 1, 1)
    drawn = {name: number(value) if arithmetic.digits else value for name, value in given.items()}
    (output,) = written.outputs
    environment: dict[TypedSymbol, Any] = {D: FEATURES, adjoint.cotangents[0]: drawn["dy"]}
    environment |= {symbol: drawn[symbol.name] for symbol in written.symbols}
    found = evaluate_equations([*written.equations, *adjoint.equations], environment, arithmetic)
    gradients = {f"d{symbol.name}": found[gradient] for symbol, gradient in adjoint.gradients}
    return {name: np.asarray(value) for name, value in ({"y": found[output]} | gradients).items()}


def emitted(plan: Plan, given: dict[str, Any], module: ModuleType) -> dict[str, Any]:
    """All results of the emitted code."""
    names = [symbol.name for symbol in plan.derivation.forward.symbols]
    y, saved = module.forward(*(given[name] for name in names))
    return {"y": y} | module.backward(saved, given["dy"])._asdict()


def losses(name: str) -> Iterator[tuple[Loss, Loss]]:
    """The errors of emitted float32, and of float32 as the definition is written, of each result that is normal."""
    text = text_of(name)
    plan, module = derivatives.planned(text), derivatives.module(text)
    for offset, scale, given in cases(plan):
        with np.errstate(all="ignore"):
            both = emitted(plan, given, module), values(plan, given, Arithmetic(dtype=np.float32))
        with mpmath.workdps(DIGITS):
            for result, right in values(plan, given, Arithmetic(digits=DIGITS)).items():
                largest = max(map(abs, right.ravel()))
                if np.finfo(np.float32).tiny < largest < np.finfo(np.float32).max:
                    first, second = (float(_error(found[result], right) / largest) for found in both)
                    yield Loss(first, result, offset, scale), Loss(second, result, offset, scale)


def _error(found: Any, right: Any) -> Any:
    pairs = zip(np.ravel(found), right.ravel(), strict=True)
    return max(abs(mpmath.mpf(float(a)) - b) if np.isfinite(a) else mpmath.inf for a, b in pairs)


def worst(found: Iterable[Loss]) -> Loss:
    """The largest of some errors."""
    return max(found, key=lambda loss: loss.error)


def main() -> None:
    """Print the worst error of each definition, emitted and as it is written, and the words of the audit."""
    needless = 0
    for name in DEFINITIONS:
        now, as_written = map(worst, zip(*losses(name), strict=True))
        hazards = audit(derivatives.planned(text_of(name))).hazards
        words = Counter(f"{hazard.status}: {hazard.kind}" for hazard in hazards)
        needless += now.error < LOST and bool(open_differences(name))
        print(f"| {name} | {as_written.error:.0e} | {now.error:.0e} ({now.result}) | {'; '.join(words)} |")
    print(f"{needless} of {len(DEFINITIONS)} have an open difference and lose nothing here")


def open_differences(name: str) -> list[Hazard]:
    """The subtractions that the audit leaves open."""
    kinds = ("difference", "statistic by subtraction", "one minus a function", "row centred on its mean")
    return [h for h in audit(derivatives.planned(text_of(name))).hazards if h.status == "open" and h.kind in kinds]


if __name__ == "__main__":
    main()
