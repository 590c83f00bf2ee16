"""The words in which array libraries differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Dialect:
    """Words of an array library, which is imported as `module`.

    `functions` are those that it spells otherwise than the language does, or that an emitted file has itself. `rsqrt`
    is empty where it has none. `cast` makes a type of an array, `arange` the numbers below another. A
    number is `refused` under a condition, and `refused_signed` under that of one that may be negative. What it has
    `stopped` has no derivative.

    A library that `differentiates` the lines is shown what a derivative does not see. Its selects are of arrays:
    `number` makes one of a number. Random numbers are like what is `drawn`.
    """

    module: str
    functions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    axis: str = "axis"
    keep: str = "keepdims"
    cast: str = "{}.astype({})"
    rsqrt: str = ""
    arange: str = "np.arange({})"
    permute: str = "transpose"
    shape: str = "{}.shape"
    refused: str = "not (0 <= {} < np.inf)"
    refused_signed: str = "not (-np.inf < {} < np.inf)"
    stopped: str = "{}"
    differentiates: bool = False
    number: str = "{}"
    drawn: str = "dtype"

    def function(self, name: str) -> str:
        """The name of a function of the language.

        >>> JNP.function("tanh"), JNP.function("sigmoid"), NUMPY.function("asin")
        ('jnp.tanh', 'jax.nn.sigmoid', 'np.arcsin')
        """
        own = self.functions.get(name, name)
        return own if "." in own or own.startswith("_") else f"{self.module}.{own}"

    def reduced(self, operator: str, text: str, axes: str) -> str:
        """A reduction of an expression over some axes, which stay with size 1.

        >>> JNP.reduced("mean", "x**2", "-1")
        'jnp.mean(x**2, axis=-1, keepdims=True)'
        """
        own = self.functions.get(operator, f"{self.module}.{operator}")
        return f"{own}({text}, {self.axis}={axes}, {self.keep}=True)"


JNP = Dialect(
    "jnp",
    {"sigmoid": "jax.nn.sigmoid", "softplus": "jax.nn.softplus", "erf": "jax.lax.erf"},
    rsqrt="jax.lax.rsqrt",
    arange="jnp.arange({})",
    # The value of an array of JAX is not looked at: it may be traced, or not be there yet.
    refused="jnp.ndim({0}) or not (isinstance({0}, jax.Array) or 0 <= float({0}) < jnp.inf)",
    refused_signed="jnp.ndim({0}) or not (isinstance({0}, jax.Array) or -jnp.inf < float({0}) < jnp.inf)",
    stopped="jax.lax.stop_gradient({})",
)
TORCH = Dialect(
    "torch",
    {"softplus": "_softplus", "max": "_max", "min": "_min"},
    axis="dim",
    keep="keepdim",
    cast="{}.to({})",
    rsqrt="torch.rsqrt",
    arange="_index(zero, {})",
    permute="permute",
    shape="tuple({}.shape)",
    refused='not (0 <= {} < float("inf"))',
    refused_signed='not (float("-inf") < {} < float("inf"))',
    stopped="{}.detach()",
    differentiates=True,
    number="(zero + {})",
    drawn="zero",
)
"""PyTorch, which differentiates the lines. `zero` is a number of their type, on the device of the rows."""

NUMPY = Dialect(
    "np",
    {
        "asin": "arcsin",
        "acos": "arccos",
        "atan": "arctan",
        "sigmoid": "_sigmoid",
        "softplus": "_softplus",
        "erf": "_erf",
    },
)
"""Plain NumPy, of which no backend is made: tests print with it what they compare exactly."""
