# SPDX-License-Identifier: MIT
"""JaxInputs of a layer as a function of arrays of JAX's, and their refusals."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..protocol.calls import INT32, Words, array, integers, is_float, not_floats, scalar, whole
from ..protocol.directions import computed
from ..protocol.interface import INTEGERS, Interface, labels
from .primitives import Array, jax, jnp

_SINGLE = Words("{name}.astype(jnp.{type})", "jax.nn.one_hot({name}, D)", "float32")
_DOUBLE = _SINGLE._replace(widest="float64")


class JaxInputs:
    """JaxInputs of a layer, of which `rows` are places, and `seeds` are those of random numbers."""

    def __init__(self, interface: Interface) -> None:
        self.interface, self.labels = interface, labels(interface)
        self.rows = [number for number, each in enumerate(interface["inputs"]) if each["kind"] == "Row"]
        self.seeds = [number for number, each in enumerate(interface["inputs"]) if each.get("draws")]

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

    def check_shards(self, arrays: Sequence[Any]) -> None:
        """Refuse random numbers of rows that devices share by `shard_map`, unless each device has a seed of its own.

        They go by the number of a row among all rows, which a device does not know. Raises NotImplementedError.
        """
        manual = jax.sharding.get_abstract_mesh().manual_axes if self.seeds else ()
        if not manual:
            return
        is_known = jax.typeof(jax.lax.axis_index(manual[0])).mat.varying
        shared = frozenset().union(*[_varying(arrays[place]) for place in self.rows])
        for place in self.seeds:
            if is_known and shared <= _varying(arrays[place]):
                continue
            name, axis = self.interface["inputs"][place]["name"], min(map(str, shared or manual))
            raise NotImplementedError(
                f"{self.interface['name']} makes random numbers of {name} by the number of a row among all rows, which "
                f'a device does not know; pass each device a seed of its own, as {name} + jax.lax.axis_index("{axis}")'
                f"{'' if is_known else ', under jax.shard_map with check_vma=True'}"
            )


def _varying(value: Any) -> frozenset[Any]:
    """The axes of a mesh over which an array varies."""
    found: frozenset[Any] = frozenset() if value is None else jax.typeof(value).mat.varying
    return found


def _integers(name: str, value: Any, required: bool) -> Any:
    """Integers in 32 bits, as kernels take them."""
    if not isinstance(value, Array):
        found = integers(name, value, required)
        return None if found is None else jnp.asarray(whole(found))
    if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
        raise TypeError(f"{name} is a key; pass an integer, such as jax.random.randint({name}, (), 0, 2**31 - 1)")
    integers(name, np.zeros((), value.dtype), required)
    if not np.can_cast(value.dtype, INT32):
        limits = np.iinfo(INT32)
        value = jnp.clip(value, max(limits.min, np.iinfo(value.dtype).min), limits.max)
    return value.astype(INT32)


def _is_tree(value: Any) -> bool:
    """Test whether a value is a tree of several leaves; lists and tuples of numbers count as arrays, as in NumPy."""
    return value is not None and not isinstance(value, (list, tuple)) and not jax.tree_util.all_leaves([value])
