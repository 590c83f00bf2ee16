"""Random numbers in PyTorch and JAX: a sample has the numbers of a call of its own under each transform."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.checks.in_jax import enable_x64
from lngen.language.definition import Draw
from lngen.language.oracle.random import drawn_from
from tests import hosts
from tests.compiled import backend
from tests.requirements import needs_jax, needs_release, needs_shard_map, needs_torch
from tests.test_random import NAMED, NOISE

SEED, SEEDS = 7, (7, -1)
# Forward mode has PyTorch load what it has deprecated itself.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")


def in_torch() -> SimpleNamespace:
    torch = importlib.import_module("torch")
    return SimpleNamespace(**vars(torch.func), numpy=torch, array=torch.as_tensor, module=backend(NOISE, "torch"))


def in_jax() -> SimpleNamespace:
    jax = importlib.import_module("jax")
    return SimpleNamespace(**vars(jax), array=jax.numpy.asarray, module=backend(NOISE, "jax"))


@pytest.fixture(
    params=[pytest.param(in_torch, marks=needs_torch), pytest.param(in_jax, marks=[needs_jax, pytest.mark.ci])]
)
def framework(request: pytest.FixtureRequest) -> Any:
    if request.param is in_torch:
        yield in_torch()
        return
    with enable_x64():
        yield in_jax()


def textbook(of: Any, x: Any, seed: int, s: Any) -> Any:
    """The definition in a framework's own operations, with the numbers of the oracle."""
    shape = tuple(x.shape)
    u, v, w = (of.array(drawn_from(Draw("seed", stream), {"seed": seed}, shape)) for stream in (0, 1, 5))
    return of.numpy.where(w >= s, x / (1 - s), 0) * u + of.numpy.where(v < u, x**2, 0)


def given(of: Any, *shape: int) -> tuple[Any, Any]:
    return of.array(np.random.default_rng(0).normal(size=shape)), of.array(np.array(0.3))


def is_near(one: Any, other: Any) -> bool:
    return np.allclose(np.asarray(one), np.asarray(other), rtol=1e-12, atol=1e-14)


def compile_nothing(of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if hasattr(of.module, "_LAYER"):
        hosts.compile_nothing([of.module], monkeypatch.setattr)


def of_samples(of: Any, call: Callable[..., Any], x: Any, s: Any, take: Callable[..., Any]) -> Any:
    """Samples of rows with one seed, samples of seeds with the same rows, and samples of both."""
    seeds = of.array(np.array(SEEDS))
    return [
        of.vmap(lambda rows: take(lambda a, b: call(a, SEED, b), rows, s))(x),
        of.vmap(lambda seed: take(lambda a, b: call(a, seed, b), x[0], s))(seeds),
        of.vmap(lambda rows, seed: take(lambda a, b: call(a, seed, b), rows, s))(x, seeds),
    ]


def one_by_one(of: Any, x: Any, s: Any, take: Callable[..., Any]) -> Any:
    def one(rows: Any, seed: int) -> Any:
        return take(lambda a, b: textbook(of, a, seed, b), rows, s)

    pairs = [(x, (SEED, SEED)), ((x[0], x[0]), SEEDS), (x, SEEDS)]
    return [of.numpy.stack([*map(one, rows, seeds)]) for rows, seeds in pairs]


def test_a_sample_has_the_numbers_of_a_call_of_its_own(framework, monkeypatch):
    of, (x, s) = framework, given(framework, 2, 3, 5)
    compile_nothing(of, monkeypatch)
    call = of.module.noise
    assert is_near(call(x, SEED, s), textbook(of, x, SEED, s))

    def values(function: Any, rows: Any, s: Any) -> Any:
        return function(rows, s)

    def gradients(function: Any, rows: Any, s: Any) -> Any:
        return of.grad(lambda a, b: function(a, b).sum(), 1)(rows, s)

    wanted = [one_by_one(of, x, s, take) for take in (values, gradients)]
    for take, each in zip((values, gradients), wanted, strict=True):
        assert all(map(is_near, of_samples(of, call, x, s, take), each))
    nested = of.vmap(lambda seed: of.vmap(lambda rows: call(rows, seed, s))(x))(of.array(np.array(SEEDS)))
    assert is_near(nested[1][1], textbook(of, x[1], SEEDS[1], s))


@pytest.mark.ci
def test_derivatives_of_the_second_order_have_the_numbers_of_the_call(framework):
    of, (x, s) = framework, given(framework, 2, 3, 4)
    jacobians = ((of.jacfwd, of.jacrev), (of.jacrev, of.jacfwd), (of.jacrev, of.jacrev))
    for (outer, inner), places in zip(jacobians, ((0, 1), (1, 0), (0, 0)), strict=True):

        def hessian(call: Any, rows: Any, s: Any, how: Any = (outer, inner), places: Any = places) -> Any:
            return how[0](how[1](call, places[0]), places[1])(rows, s)

        assert is_near(
            hessian(lambda a, b: of.module.noise(a, SEED, b), x[0], s),
            hessian(lambda a, b: textbook(of, a, SEED, b), x[0], s),
        )
    wanted = one_by_one(of, x, s, hessian)
    assert all(map(is_near, of_samples(of, of.module.noise, x, s, hessian), wanted))


@needs_torch
@pytest.mark.ci
def test_a_compiled_step_of_pytorch_takes_a_new_seed():
    of = in_torch()
    x, s = given(of, 4, 5)
    step = of.numpy.compile(of.module.noise, fullgraph=True, backend="aot_eager")
    for seed in (1, 2, 3, of.array(4)):
        assert is_near(step(x, seed, s), of.module.noise(x, seed, s))
        assert not is_near(step(x, seed, s), of.module.noise(x, seed + 1, s))


@needs_torch
def test_a_seed_beside_named_axes_is_an_int_or_a_tensor():
    torch, call = importlib.import_module("torch"), backend(NAMED, "torch").f
    x = torch.zeros(3, 4, 5)
    assert torch.equal(call(x, SEED), call(x, torch.tensor(SEED)))
    assert not torch.equal(call(x, SEED), call(x, SEED + 1))


@needs_jax
def test_a_key_of_jax_is_no_seed():
    of, jax = in_jax(), importlib.import_module("jax")
    for key, said in (
        (jax.random.key(0), "seed is of type key.*; pass integers"),
        (jax.random.PRNGKey(0), "seed has shape"),
    ):
        with pytest.raises((TypeError, ValueError), match=said):
            of.module.noise(jax.numpy.zeros((2, 3)), key)


@needs_jax
@needs_shard_map
@pytest.mark.ci
def test_devices_of_shard_map_are_to_have_seeds_of_their_own():
    of = in_jax()
    jax = importlib.import_module("jax")
    rows, x = jax.sharding.PartitionSpec("rows"), of.array(np.ones((2, 5), np.float32))
    mesh = jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))

    def shared(call: Any, is_checked: bool = True, place: Any = rows) -> Any:
        return jax.shard_map(call, mesh=mesh, in_specs=place, out_specs=place, check_vma=is_checked)(x)

    wanted = of.module.noise(x, SEED)
    for call in (shared, lambda step: shared(step, False)):
        with pytest.raises(NotImplementedError, match=r"as seed \+ jax.lax.axis_index"):
            call(lambda rows: of.module.noise(rows, SEED))
    own = shared(lambda rows: of.module.noise(rows, SEED + jax.lax.axis_index("rows")))
    replicated = shared(lambda rows: of.module.noise(rows, SEED), place=jax.sharding.PartitionSpec())
    assert is_near(own, wanted)
    assert is_near(replicated, wanted)


@needs_jax
@needs_release("jax", "0.8", "has a pmap that does not tell devices apart")
@pytest.mark.ci
def test_devices_of_pmap_are_to_have_seeds_of_their_own():
    of = in_jax()
    jax = importlib.import_module("jax")
    with pytest.raises(NotImplementedError, match=r"as seed \+ jax.lax.axis_index"):
        jax.pmap(lambda rows: of.module.noise(rows, SEED))(of.array(np.ones((1, 2, 5), np.float32)))
