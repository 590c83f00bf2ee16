"""The shipped layers whose arrays have named axes, integers or casts, beside PyTorch's own operations.

Other backends are held to NumPy, or to the layer on rows: test_named_axes.py, test_integers_on_backends.py and
test_jax_backend.py.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import pytest

from tests import compiled
from tests.beyond_rows import DATA, DEFINITIONS, INTEGERS, SHAPES, SHIPPED, arrays, in_pytorch
from tests.requirements import needs_torch
from tests.tiers import sample

EACH = sample([name for name in SHAPES if name != "add_rms_norm_fp8"], ("group_norm", "label_cross_entropy"))
"""Names of layers, without one whose output has no gradient in PyTorch's own operations."""


def test_every_layer_beyond_rows_has_arrays_to_pass():
    assert set(SHAPES) == set(DEFINITIONS)


def backend(name: str, kind: str) -> Any:
    """The function of a layer in the arrays of a framework."""
    return getattr(numpy_of(name, kind), name)


def numpy_of(name: str, kind: str) -> ModuleType:
    """A module of a layer: that which is committed, or that of a layer that nobody ships."""
    if name in SHIPPED:
        return importlib.import_module(f"generated.{name}.{kind}_backend")
    return compiled.backend(DEFINITIONS[name], kind)


def differences(name, function):
    torch = importlib.import_module("torch")
    given = {
        key: torch.tensor(value, requires_grad=key not in (*DATA, *INTEGERS)) for key, value in arrays(name).items()
    }
    moving = [value for value in given.values() if value.requires_grad]
    mine, theirs = (
        made if isinstance(made, tuple) else (made,) for made in (function(*given.values()), in_pytorch(name)(**given))
    )
    rng = torch.Generator().manual_seed(0)
    weights = [torch.randn(each.shape, generator=rng, dtype=torch.float64) for each in theirs]

    def gradients(made):
        loss = sum((each * weight).sum() for each, weight in zip(made, weights, strict=True))
        first = torch.autograd.grad(loss, moving, create_graph=True)
        # A gradient that is the same wherever the inputs are has no derivative of its own.
        total = sum(each.sin().sum() for each in first) + 0 * sum(each.sum() for each in moving)
        second = torch.autograd.grad(total, moving, allow_unused=True)
        return [
            *first,
            *(torch.zeros_like(of) if each is None else each for each, of in zip(second, moving, strict=True)),
        ]

    pairs = [*zip(mine, theirs, strict=True), *zip(gradients(mine), gradients(theirs), strict=True)]
    return [float((a - b).detach().abs().max() / max(1, float(b.detach().abs().max()))) for a, b in pairs]


@needs_torch
@pytest.mark.parametrize("name", EACH)
def test_values_gradients_and_second_order_are_those_of_pytorch(name):
    assert max(differences(name, backend(name, "torch"))) < 1e-13


@needs_torch
def test_a_wrong_layer_is_far_from_pytorch():
    right = backend("group_norm", "torch")
    assert max(differences("group_norm", lambda x, gamma, beta: right(x, gamma, beta, g=16))) > 1e-3
