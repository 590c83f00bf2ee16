"""Every construct of the language in a layer that nobody ships, from its text to checked code on both backends."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from lngen.checks import check
from lngen.checks.derived import checkable
from lngen.checks.on_device import OnDevice, device
from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import Derived, derived
from tests import derivatives
from tests.compiled import backend
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.tiers import sample

EPS = "eps: Constant = 1e-5"

TEXTS = {
    "range of a row": f"def f(x: Row, g: Feature = 1, {EPS}): return g*(x - mean(x)) / (max(x) - min(x) + eps)",
    "an extreme that comes out": "def f(x: Row, g: Feature = 1):\n    m = min(x*g)\n    y = x*g - m\n    return y, m",
    "an extreme of a norm": f"def f(x: Row, {EPS}):\n    h = x*rsqrt(mean(x**2) + eps)\n    return h / (2 + max(h))",
    "an extreme in an extreme": "def f(x: Row, w: Feature = 1): return x - max(w*max(x*w))",
    "a Feature alone is summed": "def f(x: Row, w: Feature): return x*w / sqrt(sum(w**2) + 1)",
    "the largest of a Feature": "def f(x: Row, w: Feature = 1): return x*w / (max(abs(w)) + 0.5)",
    "weights inside reductions": "def f(x: Row, w: Feature = 1): return x - mean(w*(x - mean(x*w))**2)",
    "D": "def f(x: Row, w: Feature): return x*sqrt(D) / (1 + sum(x**2)/(D - 1)) + w/D",
    "a RowScalar that comes out": (
        "def f(x: Row, s: RowScalar, t: RowScalar = 1):\n    y = x*s + t\n    m = mean(y**2)*s\n    return y, m"
    ),
    "only a RowScalar comes out": "def f(x: Row, w: Feature = 1): return max(x)*sum(w)",
    "neutral values of every kind": (
        f"def f(x: Row, r: Row = 0, s: RowScalar = 1, g: Feature = 1, a: Scalar = 2, {EPS}):\n"
        "    h = x + r\n"
        "    return a*g*s*h*rsqrt(mean(h**2) + eps)"
    ),
    "neutral values in a function": (
        "def f(x: Row, s: RowScalar = 1, g: Feature = 1, a: Scalar = 0):\n    h = s + g + a\n    return silu(h)*x"
    ),
    "a comparison with a mean": "def f(x: Row, a: Scalar = 0): return where(x > mean(x), x**2, a*x)",
    "an input that only a comparison reads": "def f(x: Row, s: RowScalar): return where(s > 0.3, x, 2*x)",
    "what is stopped": "def f(x: Row): return x - stop_gradient(max(x))*mean(x)",
    "functions of numbers": "def f(x: Row): return x*(3/(2*(sigmoid(-1) + 1))) + softplus(1.5) + log1p(2)*expm1(1)",
    "pi and clipped values": (
        "def f(x: Row, w: Feature = 1, a: Scalar = 1):\n    n = x*rsqrt(mean(x**2)/pi + 1)\n"
        "    y = clip(n, -1, a)*softplus(pi*n*w)\n    z = sum(clip(x, 0.5, w))/pi\n    return y, z"
    ),
    "an angle and its margin": (
        "def f(x: Row, w: Feature = 1, m: Constant = 0.5, eps: Constant = 1e-5):\n"
        "    c = x*rsqrt(sum(x**2) + eps)\n    y = cos(acos(c) + m)*w + atan(x)*asin(c)\n"
        "    top = max(acos(c))\n    return y, top"
    ),
    "a negative domain": "def f(x: Row): return (-x)**(1/3)*log(-x)",
    "an exponential that overflows": "def f(x: Row, t: Scalar = 1):\n    e = exp(x/t)\n    return e/sum(e)",
}

ON_CUDA = (
    "range of a row",
    "an extreme that comes out",
    "the largest of a Feature",
    "D",
    "neutral values of every kind",
    "an input that only a comparison reads",
    "functions of numbers",
)


@functools.cache
def layer(name: str) -> Derived:
    return derived(parse(TEXTS[name]))


# Every kind of input and output, an extreme, a select, an exponential.
FEW = ("an extreme that comes out", "an exponential that overflows")


@pytest.mark.parametrize("name", sample(TEXTS, (), [*FEW, *[*TEXTS][::4]]))
def test_on_numpy(name: str) -> None:
    made = layer(name)
    report = check(checkable(made.plan, module_from_files(made.files, "f")), shapes=[(3, 7), (2, 3), (2, 1)])
    assert [(e.kind, e.what, e.dtype, e.detail) for e in report.failures] == []
    assert report.passed


@pytest.mark.cuda
@needs_pycuda
@(needs_gxx if not has_gpu() else lambda test: test)
@pytest.mark.parametrize("name", sample(ON_CUDA, (), ON_CUDA[1:5:3]))
def test_on_cuda(name: str) -> None:
    made, module = layer(name), OnDevice(backend(TEXTS[name], "cuda"))
    with device():
        kinds = ("exact proof", "forward vs oracle", "complex step", "precision")
        report = check(checkable(made.plan, module), [(3, 7)], ("float64", "float32"), "cuda", kinds=kinds)
    assert [(e.kind, e.what, e.dtype, e.detail) for e in report.failures] == []
    assert report.passed


@pytest.mark.parametrize("function", ["max", "min"])
def test_the_gradient_of_an_extreme_goes_to_the_first_that_attains_it(function: str) -> None:
    module = derivatives.module(f"def f(x: Row): return {function}(x)")
    sign = 1.0 if function == "max" else -1.0
    rows = sign * np.array([[1.0, 3.0, 3.0, 2.0], [0.0, -0.0, 0.0, 0.0], [np.inf, 1.0, np.inf, 5.0]])
    with np.errstate(all="raise"):
        y, saved = module.forward(rows)
        gradient = module.backward(saved, np.array([2.0, 5.0, 7.0])).dx
    assert y.tolist() == [sign * 3.0, 0.0, sign * np.inf]
    assert gradient.tolist() == [[0, 2.0, 0, 0], [5.0, 0, 0, 0], [7.0, 0, 0, 0]]
