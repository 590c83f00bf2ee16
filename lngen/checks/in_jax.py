"""A layer in JAX: its adapter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cache, cached_property
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from lngen.checks.frameworks import FrameworkAdapter, Recorded
from lngen.checks.placed_rows import PlacedRows
from lngen.language.definition import Definition

_ROUNDED = {"xla_allow_excess_precision": False}
_UNOPTIMISED = {**_ROUNDED, "xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}
_QUICK: tuple[dict[str, Any], ...] = (
    # In one piece: the many of a large program take a small one half as long again.
    {**_UNOPTIMISED, "xla_cpu_parallel_codegen_split_count": 1},
    _UNOPTIMISED,
    _ROUNDED,
    {},
)
"""Options of a compilation that takes a quarter of the time, and rounds as one operation at a time does."""


def enable_x64() -> AbstractContextManager[Any]:
    """Allow float64 within a block: older releases of JAX have it among what is experimental."""
    import jax
    import jax.experimental

    home: Any = jax if hasattr(jax, "enable_x64") else jax.experimental
    allowed: AbstractContextManager[Any] = home.enable_x64(True)
    return allowed


@cache
def quick_options() -> dict[str, Any]:
    """The first of these options that the installed version of JAX knows."""
    import jax

    for options in _QUICK:
        with suppress(jax.errors.JaxRuntimeError):
            jax.jit(lambda x: x + 1, compiler_options=options)(1.0)
            break
    return options


class JaxRows:
    """The function of an emitted module on arrays of rows, whatever names the axes of its arrays have.

    Constants follow the inputs.
    """

    def __init__(self, definition: Definition, module: ModuleType) -> None:
        self.definition, self.module = definition, module

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The outputs of inputs on rows, compiled as a whole: an operation at a time takes ten times as long."""
        import jax

        compiled: Callable[..., Any] = jax.jit(self._outputs)
        return compiled

    def _outputs(self, *values: Any) -> Any:
        """Return the outputs of inputs on rows."""
        import jax

        definition, layout = self.definition, self.definition.layout
        if layout is None:
            names = [definition.public(entry.name) for entry in definition.constants]
            count = len(definition.positional)
            function: Callable[..., Any] = getattr(self.module, definition.name)
            return function(*values[:count], **dict(zip(names, values[count:], strict=True)))
        arrays = [value if value is None else jax.numpy.asarray(value) for value in values]
        return PlacedRows(definition, layout, self.module._layer)(*arrays)


class JittedCalls(Recorded):
    """The same, outputs and gradients as one program for each shape: an operation at a time takes ten times as long."""

    of: InJax

    def __init__(self, of: InJax) -> None:
        super().__init__(of)
        self.programs: dict[tuple[float, ...], tuple[Any, Any]] = {}

    def forward(self, *inputs: Any, **constants: float) -> tuple[Any, Any]:
        """Return the outputs, and what pulls cotangents back."""
        key = tuple(constants.values())
        if key not in self.programs:
            self.programs[key] = self._programs(self.with_constants(constants))
        outputs, both = self.programs[key]
        made, _ = both(inputs, tuple(np.zeros(each.shape, each.dtype) for each in outputs.eval_shape(*inputs)))

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            found: tuple[Any, ...] = both(inputs, cotangents)[1]
            return found

        return made if len(made) > 1 else made[0], pull

    def _programs(self, call: Callable[..., Any]) -> tuple[Any, Any]:
        jax = self.of.jax
        outputs = jax.jit(call)

        def both(inputs: Any, cotangents: Any) -> tuple[Any, Any]:
            made, pull = self.of.pulled(call, inputs)
            return made, pull(cotangents)

        return outputs, jax.jit(both, compiler_options=quick_options())


class InJax(FrameworkAdapter):
    """A layer in JAX, whose arrays have no strides."""

    can = FrameworkAdapter.can - {"strides", "cotangents left out"}
    checker = "check_grads"
    keeps_bits = False

    def __init__(self, definition: Definition, module: ModuleType, seed: int = 0) -> None:
        super().__init__(definition, module, seed)
        self.functions = JittedCalls(self)

    @property
    def layer(self) -> Any:
        """The function of the layer on rows."""
        return getattr(self.module, "_LAYER", None) or self._rows

    @cached_property
    def _rows(self) -> JaxRows:
        return JaxRows(self.definition, self.module)

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
        return enable_x64()

    def array(self, value: Any) -> Any:
        """Make an array of JAX's."""
        return value if value is None or isinstance(value, float) else self.jax.device_put(np.array(value))

    def value(self, array: Any) -> Any:
        """Read an array."""
        return None if array is None else np.asarray(array)

    def pulled(
        self, call: Callable[..., tuple[Any, ...]], inputs: Sequence[Any], places: Sequence[int] | None = None
    ) -> tuple[Any, Any]:
        """Return the results of a call, and a function of their cotangents that gives the gradients."""
        wanted = self.differentiable if places is None else places
        moved, chosen = self.moving(call, inputs, wanted)
        made, pull_all = self.jax.vjp(moved, *chosen)

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            pairs = zip(cotangents, made, strict=True)
            found = iter(pull_all(tuple(self._cotangent(each, of) for each, of in pairs)))
            return tuple(None if inputs[place] is None else next(found) for place in wanted)

        return made, pull

    def _cotangent(self, value: Any, of: Any) -> Any:
        """Return the cotangent of a result, in its type; integers have those of a type without values."""
        is_exact = not self.jax.numpy.issubdtype(of.dtype, self.jax.numpy.inexact)
        return np.zeros(of.shape, self.jax.dtypes.float0) if is_exact else value.astype(of.dtype)

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

        slopes = self.jax.jit(self.jax.grad(total, (0, 1)), compiler_options=quick_options())
        by_input, by_cotangent = slopes(tuple(chosen), tuple(cotangents))
        return (*by_input, *by_cotangent)

    def against_differences(
        self, call: Callable[..., Any], inputs: Sequence[Any], order: int, *, batched: bool = True
    ) -> None:
        """Hold derivatives to an order against differences, as JAX does. Raises for those that are wrong."""
        from jax.test_util import check_grads

        modes = ["fwd", "rev"] if order == 1 else ["rev"]
        check_grads(self.jax.jit(call), inputs, order=order, modes=modes)
