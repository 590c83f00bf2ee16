"""Derivatives of any order behind `stop_gradient`, in JAX and PyTorch, beside the definition run in their own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lngen.checks.in_jax import enable_x64
from lngen.emit import jax as jax_emitter
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned
from lngen.report.heading import notes
from tests import compiled
from tests.hosts import decomposed
from tests.requirements import needs_jax, needs_torch
from tests.tiers import sample

DEFINITIONS = {
    "a factor that is stopped": "g*x*stop_gradient(mean(x**2))",
    "what is read in other terms too": "g*x*stop_gradient(x)*x",
    "a mean of which a row is taken": "g*(x - stop_gradient(mean(x)))*mean((x - stop_gradient(mean(x)))**2)",
    "a stopped row less its mean": "g*(stop_gradient(x) - mean(x))**3",
    "a norm": "g*(x - stop_gradient(mean(x)))/sqrt(mean((x - stop_gradient(mean(x)))**2) + 0.1)",
    "a norm whose scale is stopped": "g*(x - mean(x))/sqrt(stop_gradient(mean((x - mean(x))**2)) + 0.1)",
    "a stopped norm": "x*g*stop_gradient(g*(x - mean(x))/sqrt(mean((x - mean(x))**2) + 0.1))",
    "a function": "x*stop_gradient(g*tanh(x*mean(x))) + sin(g*x)",
    "within what is stopped": "x*x*stop_gradient(sin(x*stop_gradient(x) + g))",
    "a scalar of parameters": "x**2*stop_gradient(mean(g**2)) + g**2*x",
    "a product of row scalars": "g*x*mean(x)*stop_gradient(mean(x**2))*mean(x**3)",
    "a branch": "where(x > 0, x**2*stop_gradient(mean(x**2)), g*x*x*stop_gradient(x))",
    "a value with a stop in a branch": "g*where(x > 0, stop_gradient(x*mean(x*x))*x*x, sin(x*mean(x)))",
    "a maximum": "g*x*exp(x - stop_gradient(max(x)))",
    "a softmax of some": "exp(x*g)/sum(exp(x*g))*stop_gradient(exp(x))*x",
    "two means that differ in a stop": "mean(x*x)*mean(x*stop_gradient(x))*x*g",
}

FEW = ("what is read in other terms too", "a norm")
WITHOUT_TANGENTS = (*FEW, "within what is stopped", "a branch")
"""Definitions whose backward CI tries without a jvp beside it too: both write the same stops. Nightly tries all."""

X = np.array([[0.3, -1.2, 0.7, 1.9], [-0.4, 0.9, -0.6, 0.2]])
G = np.array([1.1, -0.7, 0.4, 0.9])
ALONG = np.random.default_rng(0).normal(size=(3, *X.shape))


def text_of(name: str) -> str:
    return f"def f(x: Row, g: Feature = 1): return {DEFINITIONS[name]}"


def by_hand(name: str, words: dict[str, Any]) -> Callable[..., Any]:
    """The definition as a function of arrays, with the functions of a library."""
    return lambda x, g: eval(DEFINITIONS[name], {"x": x, "g": g, **words})


def orders(function: Callable[..., Any], gradient: Callable[[Any], Any], x: Any, g: Any, directions: Any) -> list[Any]:
    """The values of a function, and its gradient of three orders, each along a direction of the one before."""
    found, last = [function(x, g)], lambda u: function(u, g)
    for direction in directions:
        last = gradient(lambda u, of=last, along=direction: (of(u) * along).sum())
        found.append(last(x))
    return found


def same(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    for one, other in zip(found, wanted, strict=True):
        scale = max(1.0, float(np.abs(np.asarray(other)).max()))
        np.testing.assert_allclose(np.asarray(one) / scale, np.asarray(other) / scale, rtol=0, atol=1e-12)


def of_jax(name: str, directions: int = 4) -> Callable[..., Any]:
    plan, module = planned(parse(text_of(name)), proved=False), ModuleType("emitted")
    exec(jax_emitter.emit(plan.programs()[:directions], notes(plan, "jax"))["jax_backend.py"], module.__dict__)
    return module.f


@needs_jax
@pytest.mark.parametrize("name", sample(DEFINITIONS, FEW, [*DEFINITIONS][::2]))
def test_jax_finds_the_derivatives_of_the_definition(name):
    assert_finds_derivatives(name, of_jax(name))


@needs_jax
@pytest.mark.parametrize("name", sample(DEFINITIONS, FEW, WITHOUT_TANGENTS))
def test_jax_finds_the_derivatives_of_the_definition_without_a_jvp(name):
    assert_finds_derivatives(name, of_jax(name, directions=2))


def assert_finds_derivatives(name: str, made: Callable[..., Any]) -> None:
    import jax
    from jax import numpy as jnp

    def reduced(of: Callable[..., Any]) -> Callable[..., Any]:
        return lambda u: of(u, axis=-1, keepdims=True)

    words: dict[str, Any] = {each: reduced(getattr(jnp, each)) for each in ("mean", "sum", "max")}
    words |= {each: getattr(jnp, each) for each in ("sqrt", "tanh", "sin", "exp", "where")}
    words |= {"stop_gradient": jax.lax.stop_gradient}
    with enable_x64():
        x, along = jnp.asarray(X), [*map(jnp.asarray, ALONG)]
        for g, given, modes in (
            (jnp.asarray(G), jnp.asarray(G), ((jax.grad, 3), (jax.jacfwd, 2))),
            (jnp.ones(4), None, ((jax.grad, 2),)),
        ):
            wanted = orders(by_hand(name, words), jax.grad, x, g, along[: modes[0][1]])
            for gradient, count in modes:
                same(orders(made, gradient, x, given, along[:count]), wanted[: count + 1])


@needs_torch
@pytest.mark.parametrize("name", sample(DEFINITIONS, FEW))
def test_torch_finds_the_derivatives_of_the_definition(name):
    import torch

    words: dict[str, Any] = {"max": lambda u: u.amax(-1, keepdim=True)}
    words |= {"mean": lambda u: u.mean(-1, keepdim=True), "sum": lambda u: u.sum(-1, keepdim=True)}
    words |= {each: getattr(torch, each) for each in ("sqrt", "tanh", "sin", "exp", "where")}
    words |= {"stop_gradient": torch.Tensor.detach}
    made = decomposed(compiled.backend(text_of(name), "torch"))
    x, along = torch.tensor(X), [*map(torch.tensor, ALONG)]
    for g, given in ((torch.tensor(G), torch.tensor(G)), (torch.ones(4, dtype=x.dtype), None)):
        wanted = orders(by_hand(name, words), torch.func.grad, x, g, along)
        same(orders(made, torch.func.grad, x, given, along), wanted)


@needs_jax
@pytest.mark.parametrize("name", ["a factor that is stopped", "a norm whose scale is stopped"])
def test_a_stop_that_a_page_lacks_is_seen(name):
    plan, module = planned(parse(text_of(name)), proved=False), ModuleType("emitted")
    text = jax_emitter.emit(plan.programs(), notes(plan, "jax"))["jax_backend.py"]
    exec(text.replace("jax.lax.stop_gradient(", "("), module.__dict__)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        assert_finds_derivatives(name, module.f)
