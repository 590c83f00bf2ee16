# SPDX-License-Identifier: MIT
"""JaxInputs of a layer as a function of arrays of JAX's, and their refusals."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..protocol.calls import (
    INT32,
    Words,
    array,
    integers,
    is_float,
    not_floats,
    scalar,
    whole,
)
from ..protocol.directions import computed
from ..protocol.interface import INTEGERS, Interface, labels
from .primitives import Array, jax, jnp

__all__ = ["JaxInputs"]

_SINGLE = Words("{name}.astype(jnp.{type})", "jax.nn.one_hot({name}, D)", "float32")
_DOUBLE = _SINGLE._replace(widest="float64")


class JaxInputs:
    """JaxInputs of a layer, of which `rows` are places."""

    def __init__(self, interface: Interface) -> None:
        self.interface, self.labels = interface, labels(interface)
        self.rows = [number for number, each in enumerate(interface["inputs"]) if each["kind"] == "Row"]

    def arrays(self, values: Sequence[Any]) -> list[Any]:
        """Return the inputs as arrays. Numbers have the type that rows are computed in: they make it no wider."""
        found: list[Any] = []
        words = _DOUBLE if jax.config.jax_enable_x64 else _SINGLE
        for number, (each, value) in enumerate(zip(self.interface["inputs"], values, strict=True)):
            name, may_be_labels = each["name"], number in self.labels
            if each["kind"] in INTEGERS:
                found.append(_integers(name, value, each["default"] is None))
                continue
            if isinstance(value, Array):
                if not is_float(value.dtype):
                    raise not_floats(name, value.dtype, may_be_labels, words)
            elif _is_tree(value):
                kind = type(value).__name__
                raise TypeError(f"{name} is a pytree, of type {kind}; pass one array, as jax.tree.map passes each leaf")
            else:
                looked = scalar if each["kind"] == "Scalar" else array
                value = looked(name, value, each["default"] is None, may_be_labels, words)
            found.append(value if value is None or isinstance(value, float) else jnp.asarray(value))
        row = next((found[number] for number in self.rows if found[number] is not None), None)
        dtype = np.float32 if row is None else computed([np.dtype(row.dtype)])
        return [jnp.asarray(each, dtype) if isinstance(each, float) else each for each in found]


def _integers(name: str, value: Any, required: bool) -> Any:
    """Integers in 32 bits, as kernels take them."""
    if not isinstance(value, Array):
        found = integers(name, value, required)
        return None if found is None else jnp.asarray(whole(found))
    integers(name, np.zeros((), value.dtype), required)
    if not np.can_cast(value.dtype, INT32):
        limits = np.iinfo(INT32)
        value = jnp.clip(value, max(limits.min, np.iinfo(value.dtype).min), limits.max)
    return value.astype(INT32)


def _is_tree(value: Any) -> bool:
    """Test whether a value is a tree of several leaves; lists and tuples of numbers count as arrays, as in NumPy."""
    return value is not None and not isinstance(value, (list, tuple)) and not jax.tree_util.all_leaves([value])
