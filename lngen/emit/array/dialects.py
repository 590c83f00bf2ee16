"""The words in which array libraries differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Dialect:
    """Words of an array library, which is imported as `module`.

    `functions` are those that it spells otherwise than the language does, or that an emitted file has itself. `rsqrt`
    is empty where it has none. `cast` makes a type of an array, `arange` the numbers below another.
    """

    module: str
    functions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    axis: str = "axis"
    keep: str = "keepdims"
    cast: str = "{}.astype({})"
    rsqrt: str = ""
    arange: str = "arange({})"

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
        return f"{self.module}.{operator}({text}, {self.axis}={axes}, {self.keep}=True)"


JNP = Dialect(
    "jnp",
    {"sigmoid": "jax.nn.sigmoid", "softplus": "jax.nn.softplus", "erf": "jax.lax.erf"},
    rsqrt="jax.lax.rsqrt",
)
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
