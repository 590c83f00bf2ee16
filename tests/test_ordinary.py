"""Definitions as a person ordinarily writes them, with any default, on every backend, beside the text itself."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.checks.executed import run_as_python
from lngen.checks.on_device import OnDevice, device
from lngen.language.definition import Definition
from lngen.language.parsing import parse
from lngen.pipeline.stages import derived
from tests import compiled
from tests.requirements import needs_gxx, needs_jax, needs_pycuda, needs_torch

DEFAULTS = ("0", "1", "2", "-1", "3", "0.5", "0.1", "1e-3", "0.333", "1e30")
KINDS = ("Row", "RowScalar", "Feature", "Scalar", "Data")
SHAPES = {
    "scaled": "def f(x: Row, a: {kind} = {default}): return a*x",
    "shifted": "def f(x: Row, a: {kind} = {default}, b: {kind} = {default}): return (1 + a)*x - b",
    "rms norm": """
def f(x: Row, a: {kind} = {default}, eps: Constant = 1e-5):
    y = a*x/sqrt(mean(x**2) + eps)
    return y""",
    "layer norm, two outputs": """
def f(x: Row, residual: {kind} = {default}, gamma: Feature = {default}, eps: Constant = 1e-5):
    h = x + residual
    c = h - mean(h)
    y = gamma*c/sqrt(mean(c**2) + eps)
    return y, h""",
    "blend": """
def f(x: Row, alpha: {kind} = {default}):
    r = rsqrt(mean(x**2) + 0.1)
    y = alpha*x*r + (1 - alpha)*x
    return y, r""",
    "bounded": "def f(x: Row, a: {kind} = {default}, c: {kind} = {default}): return c*tanh(a*x)",
    "softmax": "def f(x: Row, t: {kind} = {default}): return exp(t*x)/sum(exp(t*x))",
    "gate": "def f(x: Row, g: {kind} = {default}): return x*sigmoid(g) + silu(g*x)",
    "quotient": "def f(x: Row, a: {kind} = {default}): return x/(1 + abs(a)) + a/(2 + x**2)",
    "loss": "def f(x: Row, t: {kind} = {default}, c: Constant = {default}): return mean((x - t)**2)*(1 + c)",
    "threshold": "def f(x: Row, a: {kind} = {default}): return where(x > a, x, 0.1*x) + maximum(x, a)",
    "power": "def f(x: Row, p: Scalar = {default}, a: {kind} = {default}): return (1 + x**2)**(-p/(1 + p**2))*a",
    "named axes": """
def f(x: Array["b t (h d)"], scale: Array["h"] = {default}, shift: Array["(h d)"] = {default}, h: Size = 2):
    return scale*x/sqrt(mean(x**2, "d") + 0.1) + shift""",
}

FAILED = {
    "a largest entry alone": "def f(x: Row): return max(x) + 0*x",
    "a square of what is negative": "def f(x: Row): return (-exp(x))**2 + log((-sigmoid(x))**2 + 0.5)",
    "roots over the largest": """
def f(x: Row):
    y = sqrt(x)/max(sqrt(x))
    return y""",
    "logarithms less the largest": """
def f(x: Row):
    m = max(log(x))
    y = log(x) - m
    return y""",
    "a gate beside a norm, long": """
def f(q: Row, scale: Feature = 1, k: RowScalar = 0, v: Row = 0, beta: Scalar = 1):
    mu = mean(q)
    c = q - mu
    r = rsqrt(sum(c**2)/D + 1e-2)
    y = (scale*(c*r) + scale)*sigmoid(k) - v + beta*0.5
    return y, mu""",
    "two roots of a mean, long": """
def f(x: Row, k0: Constant, bias: Feature = 0, r: Row = 0.5, alpha: Feature = -1):
    root = sqrt(mean(r**2) + 1e-5) + k0
    small = bias*(r/root)
    y = bias*(r/sqrt(mean(r**2) + k0))*sigmoid(x)*(1 + alpha)
    return y, small""",
    "a third moment, long": """
def f(x: Row, residual: Row, gamma: Feature = 1, beta: Feature = 0, lam: Scalar = 1, eps: Constant = 1e-5):
    h = x + residual
    c = h - mean(h)
    xhat = c/sqrt(mean(c**2) + eps)
    y = gamma*(xhat - lam*mean(xhat**3)) + beta
    return y, h""",
    "skewness, long": """
def f(x: Row, residual: Row = 0, gamma: Feature = 1, beta: Feature = 0, lam: Scalar = 1, eps: Constant = 1e-5):
    h = x + residual
    c = h - mean(h)
    xhat = c/sqrt(mean(c**2) + eps)
    y = gamma*(xhat - lam*mean(xhat**3)*(xhat**2 - 1)/6) + beta
    return y, h""",
    "attention residuals, long": """
def f(a: Row, b: Row, c: Row, w: Feature):
    s0 = sum(w*a)
    s1 = sum(w*b)
    s2 = sum(w*c)
    m = maximum(maximum(s0, s1), s2)
    e0 = exp(s0 - m)
    e1 = exp(s1 - m)
    e2 = exp(s2 - m)
    y = (e0*a + e1*b + e2*c)/(e0 + e1 + e2)
    return y""",
    "ten optional vectors, long": """
def f(
    x: Row, a: Feature = 1, b: Feature = 0, c: Feature = 1, d: Feature = 0, e: Feature = 1, f_: Feature = 0,
    g: Feature = 1, h: Feature = 0, k: Feature = 1, m: Feature = 0, eps: Constant = 1e-6,
):
    s = ((((x*a + b)*c + d)*e + f_)*g + h)*k + m
    y = s/sqrt(mean(s**2) + eps)
    return y""",
    "attention inside of a norm, long": """
def f(
    x: Array["b t (h d)"], seed: Int[""], temperature: Array["h"] = 1, gamma: Array["(h d)"] = 1, p: Scalar = 2,
    h: Size = 4, rate: Constant = 0.1, eps: Constant = 1e-5,
):
    e = exp(temperature*abs(x))
    w = e/sum(e, "d")
    c = x - sum(w*x, "d")
    scale = (sum(w*maximum(abs(c), eps)**p, "d") + eps)**(1/p)
    y = gamma*dropout(c/scale, rate, seed)
    return y, scale""",
}
"""Definitions that were refused or called wrong, and are right; the proof of one that is `long` takes seconds."""


# ---- backends, each as functions of NumPy arrays


def numpy(text: str, definition: Definition) -> Any:
    return compiled.layer(text).numpy


def cpu(text: str, definition: Definition) -> Any:
    return compiled.layer(text).cpu


def cuda(text: str, definition: Definition) -> Any:
    return OnDevice(compiled.backend(text, "cuda"), ("f64",))


def torch(text: str, definition: Definition) -> Any:
    import torch as framework

    module = compiled.backend(text, "torch")
    function = getattr(module, module.__all__[-1])

    def forward(*inputs: Any, **options: Any) -> Any:
        given = [None if value is None else framework.from_numpy(np.array(value)) for value in inputs]
        for each in moved(definition, given):
            each.requires_grad_()
        made = function(*given, **options)
        outputs = made if isinstance(made, tuple) else (made,)
        found = tuple(each.detach().numpy() for each in outputs)
        return found if len(found) > 1 else found[0], (outputs, given)

    def backward(saved: Any, *cotangents: Any) -> Any:
        outputs, given = saved
        found = framework.autograd.grad(outputs, moved(definition, given), list(map(framework.from_numpy, cotangents)))
        return named(definition, given, [each.numpy() for each in found])

    return SimpleNamespace(forward=forward, backward=backward)


def jax(text: str, definition: Definition) -> Any:
    import jax as framework

    module = compiled.backend(text, "jax")
    function = getattr(module, module.__all__[-1])

    def forward(*inputs: Any, **options: Any) -> Any:
        def call(*moving: Any) -> Any:
            own = iter(moving)
            pairs = zip(definition.positional, inputs, strict=True)
            given = [next(own) if e.kind.has_gradient and value is not None else value for e, value in pairs]
            return function(*given, **options)

        made, pull = framework.vjp(call, *moved(definition, inputs))
        return tuple(map(np.asarray, made)) if isinstance(made, tuple) else np.asarray(made), (pull, inputs)

    def backward(saved: Any, *cotangents: Any) -> Any:
        pull, inputs = saved
        found = pull(cotangents if len(cotangents) > 1 else cotangents[0])
        return named(definition, inputs, [np.asarray(each) for each in found])

    return SimpleNamespace(forward=forward, backward=backward)


def moved(definition: Definition, given: Any) -> list[Any]:
    """The inputs that are there and have a gradient."""
    pairs = zip(definition.positional, given, strict=True)
    return [value for entry, value in pairs if entry.kind.has_gradient and value is not None]


def named(definition: Definition, given: Any, found: list[Any]) -> Any:
    """The gradients by name, as `backward` of NumPy gives them."""
    own = iter(found)
    pairs = [(e.name, v) for e, v in zip(definition.positional, given, strict=True) if e.kind.has_gradient]
    gradients = {f"d{name}": None if value is None else next(own) for name, value in pairs}
    return SimpleNamespace(_asdict=lambda: gradients)


BACKENDS: dict[Callable[[str, Definition], Any], tuple[Any, ...]] = {
    numpy: (),
    cpu: (needs_gxx,),
    cuda: (needs_gxx, needs_pycuda, pytest.mark.cuda),
    torch: (needs_torch,),
    jax: (needs_jax,),
}
NUMBERS = {backend: number for number, backend in enumerate(BACKENDS)}
STEPS = {cuda: len(SHAPES), torch: len(SHAPES), jax: len(SHAPES)}
FEW = [
    {"shape": shape, "default": DEFAULTS[(3 * number + place) % len(DEFAULTS)], "backend": backend}
    for backend, place in NUMBERS.items()
    for number, shape in enumerate(SHAPES)
    # What is compiled again for each case takes seconds of them.
    if backend is numpy or number % STEPS.get(backend, 4) == place % 4
    if backend is not cuda or shape != "named axes"
]
"""Each shape and each default on NumPy, and a quarter of them, or fewer, on each of the others."""
EVERY = [
    {"shape": shape, "default": default, "kind": kind, "backend": backend}
    for shape in SHAPES
    for default in DEFAULTS
    for kind in KINDS
    for backend in BACKENDS
    # Kernels take rows: arrays with named axes are arranged by the others, whose kernels for rows are tried.
    if backend is not cuda or shape != "named axes"
]


def parameters(cases: list[dict[str, Any]], *marks: Any) -> list[Any]:
    found = []
    for number, case in enumerate(cases):
        kind = case.get("kind", KINDS[number % len(KINDS)])
        text = SHAPES[case["shape"]].format(kind=kind, default=case["default"])
        name = f"{case['backend'].__name__}, {case['shape']}, {kind} = {case['default']}"
        every = [*BACKENDS[case["backend"]], *marks]
        found.append(pytest.param(text, case["backend"], id=name, marks=every))
    return found


def tier(name: str, backend: Any = numpy) -> pytest.MarkDecorator:
    """Tier of a definition that failed on all backends at once: CI has NumPy and one more, and nightly has all."""
    others = (cpu, torch, jax)
    in_ci = backend in (numpy, others[[*FAILED].index(name) % len(others)])
    return pytest.mark.ci if in_ci and not name.endswith("long") else pytest.mark.exhaustive


@functools.cache
def definition_of(text: str) -> Definition:
    return parse(text)


@pytest.mark.ci
@pytest.mark.parametrize(("text", "backend"), parameters(FEW))
def test_an_ordinary_definition_is_right(text, backend):
    holds(text, backend)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("text", "backend"), parameters(EVERY))
def test_an_ordinary_definition_is_right_with_any_kind(text, backend):
    holds(text, backend)


@pytest.mark.parametrize("text", [pytest.param(text, id=name, marks=tier(name)) for name, text in FAILED.items()])
def test_a_definition_that_once_failed_is_proved(text):
    derived(definition_of(text))  # raises EvidenceError for a statement that does not hold


@pytest.mark.parametrize(
    ("text", "backend"),
    [
        pytest.param(text, backend, id=f"{backend.__name__}, {name}", marks=[*BACKENDS[backend], tier(name, backend)])
        for name, text in FAILED.items()
        for backend in BACKENDS
        if backend is not cuda or "Array" not in text
    ],
)
def test_a_definition_that_once_failed_is_right(text, backend):
    holds(text, backend)


def holds(text: str, backend: Callable[[str, Definition], Any]) -> None:
    definition = definition_of(text)
    with device() if backend is cuda else enabled_x64(backend):
        found = [*run_as_python(definition, backend(text, definition), 0)]
    assert not [each for each in found if not each.passed]
    assert any(each.what == "gradients" for each in found)


def enabled_x64(backend: Any) -> Any:
    if backend is not jax:
        return contextlib.nullcontext()
    from lngen.checks.in_jax import enable_x64

    return enable_x64()
