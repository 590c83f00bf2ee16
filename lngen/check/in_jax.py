"""Evidence about a layer in JAX: its function under every transformation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from lngen.check import frameworks
from lngen.check.apart import Tell
from lngen.check.evidence import Evidence
from lngen.check.frameworks import SAMPLES, as_tuple, claims, require
from lngen.language.definition import Definition


def in_jax(
    definition: Definition, module: ModuleType, seed: int = 0, tell: Tell = lambda what: None
) -> Iterator[Evidence]:
    """A claim for each check of `jax_backend` of a layer, in float64 on a few rows.

    An exception of the emitted code or of JAX's is a claim that does not hold. `tell` is told of each check.
    """
    of = JaxSubject(definition, module, seed)
    checks: dict[str, Callable[[JaxSubject], object]] = {
        "values and gradients are those of the kernels": _values,
        "second derivatives: jvp of grad, grad of grad, grad of jvp, jvp of jvp": _second_derivatives,
        "vmap of rows, of parameters, of their gradients for each sample, and of second derivatives": _samples,
    }
    differenced: dict[str, Callable[[JaxSubject], object]] = {
        "check_grads to the second order, in reverse": _in_reverse,
        "check_grads, forward mode": _forwards,
        "check_grads with every optional input left out": _left_out,
    }
    yield from claims(of, checks, differenced, of.jax.enable_x64(True), tell)


@dataclass(frozen=True)
class JaxSubject(frameworks.FrameworkSubject):
    """A layer in JAX."""

    @property
    def jax(self) -> Any:
        import jax

        return jax

    def arguments(self, *samples: int, draw: int = 0) -> list[Any]:
        """Inputs without the Constants."""
        return [self.jax.numpy.asarray(array) for array in self.arrays(*samples, draw=draw)]

    def of_moving(self, function: Callable[..., Any]) -> tuple[Callable[..., Any], list[Any]]:
        """A function of those arguments alone that have a gradient, and these."""
        inputs, places = self.arguments(), self.differentiable

        def moved(*values: Any) -> Any:
            chosen = dict(zip(places, values, strict=True))
            return function(*[chosen.get(place, value) for place, value in enumerate(inputs)])

        return moved, [inputs[place] for place in places]

    def check_grads(self, call: Callable[..., Any], inputs: Sequence[Any], order: int, modes: Sequence[str]) -> None:
        """Hold derivatives against differences, as JAX does. Raises AssertionError."""
        from jax.test_util import check_grads

        check_grads(self.jax.jit(call), inputs, order=order, modes=modes)


def _values(of: JaxSubject) -> None:
    arrays, places = of.arrays(), of.differentiable
    made, pull = of.jax.vjp(of.outputs, *of.arguments())
    host = of.layer.kernels.host
    y, saved = host.forward(*arrays, **of.named_constants)
    found, ones = pull(tuple(map(of.jax.numpy.ones_like, made))), [np.ones_like(each) for each in as_tuple(y)]
    expected = host.backward(saved, *ones)
    for value, other in (
        *zip(made, as_tuple(y), strict=True),
        *zip([found[place] for place in places], expected, strict=True),
    ):
        require(np.asarray(value).tobytes() == np.asarray(other).tobytes(), "bits differ from those of the kernels")


def _in_reverse(of: JaxSubject) -> None:
    of.check_grads(*of.of_moving(of.call), order=2, modes=["rev"])


def _forwards(of: JaxSubject) -> None:
    of.check_grads(*of.of_moving(of.call), order=1, modes=["fwd"])


def _left_out(of: JaxSubject) -> None:
    is_there, inputs = of.required, of.arguments()
    places = [place for place in of.differentiable if is_there[place]]

    def call(*values: Any) -> Any:
        chosen = dict(zip(places, values, strict=True))
        given = [value if there else None for value, there in zip(inputs, is_there, strict=True)]
        return of.call(*[chosen.get(place, value) for place, value in enumerate(given)])

    of.check_grads(call, [inputs[place] for place in places], order=2, modes=["rev"])


def _second_derivatives(of: JaxSubject) -> None:
    jax = of.jax
    loss, inputs = of.of_moving(of.loss)
    places = tuple(range(len(inputs)))
    first, second = (tuple([of.arguments(draw=draw)[place] for place in of.differentiable]) for draw in (1, 2))

    def paired(gradients: Sequence[Any], moved: Sequence[Any]) -> Any:
        return sum((a * b).sum() for a, b in zip(gradients, moved, strict=True))

    def along(*given: Any) -> Any:
        return jax.jvp(loss, given, first)[1]

    def ways(*given: Any) -> tuple[Any, ...]:
        gradient = jax.grad(loss, places)
        return (
            paired(jax.jvp(gradient, given, first)[1], second),
            paired(jax.grad(lambda *a: paired(gradient(*a), first), places)(*given), second),
            paired(jax.grad(along, places)(*given), second),
            jax.jvp(along, given, second)[1],
        )

    found = np.asarray(jax.jit(ways)(*inputs))
    np.testing.assert_allclose(found, found[0], rtol=1e-9, atol=1e-11)


def _samples(of: JaxSubject) -> None:
    jax, jnp, places = of.jax, of.jax.numpy, of.differentiable
    of_rows = tuple(0 if entry.kind.over_rows else None for entry in of.definition.positional)
    every = [jnp.stack(parts) for parts in zip(*[of.arguments(draw=n) for n in range(SAMPLES)], strict=True)]

    def derivatives(*given: Any) -> Any:
        second = jax.grad(lambda *a: jnp.sin(jax.grad(of.loss, places[0])(*a)).sum(), places)(*given)
        return [*of.outputs(*given), *jax.grad(of.loss, places)(*given), *second]

    one = jax.jit(derivatives)
    for inputs, dims in ((of.arguments(SAMPLES), of_rows), (every, (0,) * len(of_rows))):
        together = jax.jit(jax.vmap(derivatives, dims))(*inputs)
        for n in range(SAMPLES):
            alone = one(*[value if at is None else value[n] for value, at in zip(inputs, dims, strict=True)])
            for value, other in zip(together, alone, strict=True):
                np.testing.assert_allclose(value[n], other, rtol=1e-9, atol=1e-11)
