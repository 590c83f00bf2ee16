"""A layer in JAX: its adapter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

import numpy as np

from lngen.checks.frameworks import FrameworkAdapter


class InJax(FrameworkAdapter):
    """A layer in JAX, whose arrays have no strides."""

    can = FrameworkAdapter.can - {"strides"}
    checker = "check_grads"

    @property
    def jax(self) -> Any:
        """JAX."""
        import jax

        return jax

    @property
    def func(self) -> Any:
        """JAX's transformations, and a function to apply to gradients."""
        return SimpleNamespace(**vars(self.jax), sin=self.jax.numpy.sin)

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is compiled as a whole."""
        jitted: Callable[..., Any] = self.jax.jit(function)
        return jitted

    def setting(self) -> AbstractContextManager[Any]:
        """Allow float64."""
        allowed: AbstractContextManager[Any] = self.jax.enable_x64(True)
        return allowed

    def array(self, value: Any) -> Any:
        """Make an array of JAX's."""
        return value if value is None or isinstance(value, float) else self.jax.numpy.asarray(value)

    def value(self, array: Any) -> Any:
        """Read an array."""
        return None if array is None else np.asarray(array)

    def pulled(
        self, call: Callable[..., tuple[Any, ...]], inputs: Sequence[Any], places: Sequence[int] | None = None
    ) -> tuple[Any, Any]:
        """Return the results of a call, and a function of their cotangents that gives the gradients."""
        wanted = self.differentiable if places is None else places
        moved, chosen = self.moving(call, inputs, wanted)
        made = moved(*chosen)

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            inexact = [self.jax.numpy.issubdtype(each.dtype, self.jax.numpy.inexact) for each in made]
            there = [number for number, each in enumerate(cotangents) if each is not None and inexact[number]]
            # One call of the layer: its outputs have one backward together.
            _, pull_some = self.jax.vjp(lambda *given: [*map(moved(*given).__getitem__, there)], *chosen)
            found = iter(pull_some([cotangents[number].astype(made[number].dtype) for number in there]))
            return tuple(None if inputs[place] is None else next(found) for place in wanted)

        return made, pull

    def moved_along(
        self,
        call: Callable[..., tuple[Any, ...]],
        inputs: Sequence[Any],
        cotangents: Sequence[Any],
        along: Sequence[Any],
    ) -> Sequence[Any]:
        """Return the derivatives of <along, gradients> by inputs that have a gradient, and by cotangents."""
        moved, chosen = self.moving(call, inputs)

        def total(chosen: Any, by: Any) -> Any:
            gradients = self.jax.vjp(moved, *chosen)[1](by)
            return sum((a * b).sum() for a, b in zip(along, gradients, strict=True))

        by_input, by_cotangent = self.jax.grad(total, (0, 1))(tuple(chosen), tuple(cotangents))
        return (*by_input, *by_cotangent)

    def against_differences(
        self, call: Callable[..., Any], inputs: Sequence[Any], order: int, *, batched: bool = True
    ) -> None:
        """Hold derivatives to an order against differences, as JAX does. Raises for those that are wrong."""
        from jax.test_util import check_grads

        modes = ["fwd", "rev"] if order == 1 else ["rev"]
        check_grads(self.jax.jit(call), inputs, order=order, modes=modes)
