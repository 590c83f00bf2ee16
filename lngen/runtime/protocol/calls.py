# SPDX-License-Identifier: MIT
"""Checks of arguments and of saved values, and memory for results, for the public functions of a layer.

Each message names the argument, its fault, and what to pass instead.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
DType = np.dtype[Any]
Shape = tuple[int, ...]

_FLOATS = (np.float32, np.float64, np.float16, np.longdouble)
INT32 = np.dtype(np.int32)
"""The type in which kernels take integers."""
_LARGEST = 2**31 - 1
_AS_IT_WAS = "pass saved as forward returned it"


# ---- arguments


def not_floats(name: str, dtype: Any, may_be_labels: bool) -> TypeError:
    """The error for an array of another type.

    >>> print(not_floats("x", np.dtype(np.int64), False))
    x is of type int64, not floating point; pass real floats, such as x.astype(np.float64)
    >>> print(not_floats("t", np.dtype(np.int64), True))  # doctest: +ELLIPSIS
    t is of type int64, not floating point; pass ... t.astype(np.float64), and labels one-hot, as np.eye(D)[t]
    """
    # Ones and zeros are exact in every type; float32 makes no computation wider.
    wanted, kind = ("zeros and ones", "float32") if dtype == np.bool_ else ("real floats", "float64")
    remedy = f"pass {wanted}, such as {name}.astype(np.{kind})"
    if may_be_labels and "int" in str(dtype):
        remedy += f", and labels one-hot, as np.eye(D)[{name}]"
    return TypeError(f"{name} is of type {dtype}, not floating point; {remedy}")


def array(name: str, value: Any, required: bool, may_be_labels: bool = False) -> Any:
    """Return an array of floats; None stays None for an optional argument."""
    if type(value) is np.ndarray and value.dtype.type in _FLOATS:
        return value
    if value is None:
        if required:
            raise TypeError(f"{name} is None; pass an array of floats")
        return None
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array, and its mask would be lost; "
            "pass an array, with zeros or an input of the layer for the mask"
        )
    try:
        found = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} is not an array: its parts differ in length; pass an array of floats") from None
    if found.dtype == np.object_:
        kind = "dtype object" if isinstance(value, np.ndarray) else f"type {type(value).__name__}"
        raise TypeError(f"{name} is of {kind}; pass an array of floats")
    if not is_float(found.dtype):
        raise not_floats(name, found.dtype, may_be_labels)
    return found


def arrays(required: int, /, **given: Any) -> Iterable[Any]:
    """Return arrays of floats; None stays None but for the first so many, which are required."""
    values = given.values()
    for value in values:
        if type(value) is not np.ndarray or value.dtype.type not in _FLOATS:
            return [array(name, each, place < required) for place, (name, each) in enumerate(given.items())]
    return values


def integers(name: str, value: Any, required: bool, is_number: bool = False) -> Any:
    """Return an array of integers, or one `is_number`; those beyond 32 bits with a sign are the nearest of these.

    >>> integers("i", [2**40, -1], True)
    array([2147483647,         -1])
    """
    if value is None and not required:
        return None
    if isinstance(value, Integral) and not isinstance(value, np.generic):
        return np.asarray(max(-_LARGEST - 1, min(_LARGEST, int(value))))
    found = np.asarray(value) if not isinstance(value, np.ma.MaskedArray) else np.empty(0)
    if not is_integer(found.dtype):
        kind = type(value).__name__ if found.dtype == np.object_ or not found.size else found.dtype
        raise TypeError(f"{name} is of type {kind}; pass integers, such as {name}.astype(np.int32)")
    if is_number and found.ndim:
        raise ValueError(f"{name} has shape {found.shape}; pass a number or a 0-d one")
    is_wide = found.dtype.itemsize > 4 or found.dtype == np.uint32
    if is_wide and found.size and (found.max() > _LARGEST or found.min() < -_LARGEST - 1):
        return np.clip(found, max(-_LARGEST - 1, np.iinfo(found.dtype).min), _LARGEST)
    return found


def whole(integers: Any) -> Array:
    """Return integers in 32 bits, those beyond as the nearest.

    >>> whole(np.array([2**40, -1])), whole(np.array([200], np.uint8))
    (array([2147483647,         -1], dtype=int32), array([200], dtype=int32))
    """
    if not np.can_cast(integers.dtype, INT32):
        integers = np.clip(integers, max(np.iinfo(integers.dtype).min, -_LARGEST - 1), _LARGEST)
    return np.asarray(integers, INT32)


def is_integer(dtype: DType) -> bool:
    """Test whether a dtype is of integers, or of truth values, which are 0 and 1."""
    return dtype.kind in "iub"


def is_float(dtype: DType) -> bool:
    """Test whether a dtype is a type that some layer takes."""
    return dtype.type in _FLOATS or dtype.name == "bfloat16"


def scalar(name: str, value: Any, required: bool, may_be_labels: bool = False) -> Any:
    """A 0-d array, or a Python number as it is: that does not widen the computation."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if whole or type(value) is float:
        return _float(name, value)
    found = array(name, value, required, may_be_labels)
    if found is not None and found.ndim:
        raise ValueError(f"{name} has shape {found.shape}; pass a number or a 0-d one")
    return found


def constant(name: str, value: Any, signed: bool = True) -> float:
    """A finite real number; not a negative one where it is taken to be positive."""
    if type(value) is float and isfinite(value) and (signed or value >= 0):
        return value
    if isinstance(value, np.ndarray) and not value.shape and value.dtype.kind in "fiu":
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool):
        kind = type(value).__name__
        raise TypeError(f"{name} is {value!r} of type {kind}; pass a number")
    if not isfinite(_float(name, value)):
        raise ValueError(f"{name} is {value!r}; pass a finite number")
    if not signed and value < 0:
        raise ValueError(f"{name} is {value!r}; pass 0 or more")
    return value  # type: ignore[return-value]


def _float(name: str, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        problem = f"{name} is larger than any float; pass a finite number"
        raise ValueError(problem) from None


def thread_count(threads: Any) -> int:
    """A whole number, 1 or more."""
    if type(threads) is int and threads > 0:
        return threads
    if isinstance(threads, bool) or not isinstance(threads, Integral):
        raise TypeError(f"threads is {threads!r}; pass a whole number, 1 or more")
    if threads < 1:
        raise ValueError(f"threads is {threads}; pass 1 or more")
    return int(threads)


def row_shape(name: str, rows: Array, minimum_features: int) -> Shape:
    """The shape of the rows, which have so many features at least."""
    if rows.ndim < 1 or rows.shape[-1] < minimum_features:
        raise ValueError(f"{name} has shape {rows.shape}; pass (..., D) with D of {minimum_features} or more")
    return rows.shape


def first_row(**rows: Any) -> tuple[str, Array]:
    """Return the name and the array of the first of several rows that is present.

    Raises TypeError if every row is None.
    """
    for name, row in rows.items():
        if row is not None:
            return name, row
    raise TypeError(f"each of {', '.join(rows)} is None; pass one of them")


def check_shapes(shape: Shape, meaning: str, /, **values: Any) -> None:
    """Refuse arrays of another shape."""
    for name, value in values.items():
        if value is not None and value.shape != shape:
            raise ValueError(f"{name} has shape {value.shape}; pass {meaning}, which is {shape}")


def each_cotangent(cotangents: Any, names: Sequence[str]) -> Sequence[Any]:
    """The cotangents one by one; a single one may come without a tuple."""
    if not isinstance(cotangents, (tuple, list)):
        if len(names) > 1:
            kind, every = type(cotangents).__name__, ", ".join(names)
            raise TypeError(f"cotangents is of type {kind}; pass all of them as a tuple, ({every})")
        return (cotangents,)
    if len(cotangents) != len(names):
        count = len(cotangents)
        wanted = f"pass {len(names)}, for {names}"
        raise ValueError(f"cotangents has {count} entries; {wanted}")
    return cotangents


# ---- the compute type

COMPUTED = _SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
"""The types that a processor has instructions for: rows of them are computed as they are, and by kernels."""

COMPUTED_WORDS = "The compute type is the widest among the inputs, and float32 for 16-bit inputs."
"""The type that `computed` returns, in a sentence about the inputs."""


def computed(dtypes: Iterable[DType | None]) -> DType:
    """Return the compute type of a call from the types of its inputs, None for one that is absent or a number.

    It is the widest of them, and float32 at least.

    >>> half, double = np.dtype(np.float16), np.dtype(np.float64)
    >>> computed([half, None]), computed([half, double])
    (dtype('float32'), dtype('float64'))
    """
    kinds = {kind for kind in dtypes if kind is not None}
    found = kinds.pop() if len(kinds) == 1 else None
    if found is None or (found != _SINGLE and found != _DOUBLE):
        kinds = kinds if found is None else {found}
        found = np.result_type(*(_SINGLE if kind.itemsize == 2 else kind.newbyteorder("=") for kind in kinds))
    return found


def types(values: Mapping[str, Any]) -> tuple[tuple[DType | None, ...], DType]:
    """Return the type of each value, None for None and float64 for a Python number; and the compute type of a call.

    >>> types({"x": np.ones(2, np.float16), "gamma": None, "shift": 0.5})
    ((dtype('float16'), None, dtype('float64')), dtype('float32'))
    """
    each: list[DType | None] = []
    for value in values.values():
        each.append(value.dtype if isinstance(value, np.ndarray) else None if value is None else _DOUBLE)
    return tuple(each), compute_type(values)


def compute_type(values: Mapping[str, Any], kept: DType | None = None) -> DType:
    """Return the compute type of a call from its values, and from that of forward if it was `kept`.

    Neither a Python number nor an array of integers has a say in it.

    >>> compute_type({"x": np.ones(2, np.float16), "shift": 0.5, "place": np.ones(2, np.int64), "gamma": None})
    dtype('float32')
    """
    wanted = kept or _SINGLE
    for value in values.values():
        if value is not None and (type(value) is not np.ndarray or value.dtype is not wanted):
            kinds = [each.dtype for each in values.values() if isinstance(each, np.ndarray)]
            return computed([kept, *[kind for kind in kinds if not is_integer(kind)]])
    return wanted


def parameter(value: Any, dtype: Any) -> Any:
    """Return a value that all rows share in the type that is computed in, without gaps; None stays None."""
    return value if value is None else np.ascontiguousarray(value, dtype)


def number(value: Any, dtype: Any) -> Any:
    """Return a number as an array of the type that is computed in; None stays None."""
    return value if value is None else np.asarray(value, dtype)


# ---- what follows forward


def check_any(kind: str, *values: Any) -> None:
    """Refuse a call in which all of several values are None."""
    if all(value is None for value in values):
        raise ValueError(f"every {kind} is None; pass at least one")


def check_left_out(name: str, value: Any, of: str, dtype: DType | None) -> None:
    """Refuse a tangent, or the like, `of` an input that forward was not given, whose type is None then."""
    if dtype is None and value is not None:
        raise ValueError(f"{of} was left out of forward; pass None for {name}")


# ---- what forward saved


def shape_and_type(name: str, value: Any) -> tuple[Shape, DType]:
    """The shape and the type of an array that is kept, or of a number."""
    if isinstance(value, Real):
        return (), _DOUBLE
    of_integers = isinstance(value, np.ndarray) and is_integer(value.dtype)
    found = value if of_integers else array(name, value, True)
    return found.shape, found.dtype


def check_is_saved(saved: Any, kind: type, layer: str) -> None:
    """Refuse a value that forward did not return."""
    if not isinstance(saved, kind):
        found = "None, as with save=False" if saved is None else f"of type {type(saved).__name__}"
        raise TypeError(f"saved is {found}; pass what forward of {layer} returned as its second value")


def check_first_fields(saved: Any, required: Sequence[bool]) -> None:
    """Refuse the first three fields (shape, compute type, types of inputs) if they were changed."""
    shape, dtype, dtypes = saved[:3]
    right = isinstance(shape, tuple) and isinstance(dtypes, tuple) and len(dtypes) == len(required)
    right = right and isinstance(dtype, np.dtype) and dtype.kind in "fV"
    for kind, is_required in zip(dtypes, required, strict=True) if right else ():
        right = right and (kind.kind in "fViub" if isinstance(kind, np.dtype) else kind is None and not is_required)
    if not right:
        first, second, third = saved._fields[:3]
        raise TypeError(f"saved.{first}, {second} or {third} was changed; {_AS_IT_WAS}")


def check_kept(shape: Shape, given: bool = True, /, **values: Any) -> None:
    """Refuse arrays of floats that were changed for others, or whose shape was changed since."""
    _check_kept(is_float, shape, given, values)


def check_kept_integers(shape: Shape, given: bool = True, /, **values: Any) -> None:
    """Refuse arrays of integers that were changed for others, or whose shape was changed since."""
    _check_kept(is_integer, shape, given, values)


def _check_kept(is_kind: Callable[[DType], bool], shape: Shape, given: bool, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if not (isinstance(value, np.ndarray) if given else value is None):
            found = type(value).__name__
            raise TypeError(f"saved.{name} is of type {found}; {_AS_IT_WAS}")
        if given and not is_kind(value.dtype):
            raise TypeError(f"saved.{name} is of type {value.dtype}; {_AS_IT_WAS}")
        if given and value.shape != shape:
            raise ValueError(f"saved.{name} has shape {value.shape}; pass what forward saw, which is {shape}")


def check_number(name: str, number: Any, given: bool = True) -> None:
    """Refuse a saved number that was replaced by something else."""
    plain = isinstance(number, Real) or (isinstance(number, np.ndarray) and number.ndim == 0)
    if not (plain if given else number is None):
        found = type(number).__name__
        raise TypeError(f"saved.{name} is of type {found}; {_AS_IT_WAS}")


# ---- results


def several(out: Any, names: Sequence[str]) -> Sequence[Any]:
    """`out=` as one array or None for each result."""
    if out is None:
        return (None,) * len(names)
    if isinstance(out, np.ndarray) or not isinstance(out, (tuple, list)):
        kind = type(out).__name__
        raise TypeError(f"out is of type {kind}; pass a tuple for {names}")
    if len(out) != len(names):
        raise ValueError(f"out has {len(out)} entries; pass {len(names)}, for {names}")
    return out


def results(
    out: Any,
    given: dict[str, Any],
    empty: Callable[[Shape, DType], Array],
    /,
    **wanted: tuple[Shape, DType | None],
) -> list[Any]:
    """Return the array of each result, of a shape and a type, as `result` does; `out` has one for each, or is None."""
    outs = several(out, (*wanted,))
    return [result(name, own, *wanted[name], given, empty) for name, own in zip(wanted, outs, strict=True)]


def result(
    name: str,
    out: Any,
    shape: Shape,
    dtype: DType | None,
    given: dict[str, Any],
    empty: Callable[[Shape, DType], Array] = np.empty,
) -> Any:
    """Return the array of a result: the caller's if it is valid, else a new one from `empty`, else None.

    `dtype` is None for an absent result. An array of a subclass, such as a matrix or a memmap, is taken as the plain
    array on its memory, since code computes with the shapes and operators of plain arrays; `returned` gives it back.
    """
    if dtype is None:
        if out is not None:
            raise ValueError(f"out for {name}: its input was left out, so pass None")
        return None
    if out is None:
        return empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        kind = type(out).__name__
        raise TypeError(f"out for {name} is of type {kind}; pass an array")
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out for {name} is a masked array, and its mask would be wrong; pass its data, as out.data")
    if type(out) is not np.ndarray:
        out = out.view(np.ndarray)
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(f"out for {name} has shape {out.shape} and type {out.dtype}; pass np.empty({shape}, {dtype})")
    if not out.flags.writeable:
        raise ValueError(f"out for {name} is read-only; pass a writeable array")
    if _overlaps_itself(out):
        raise ValueError(f"out for {name} overlaps itself; pass an array of its own")
    for other_name, value in given.items():
        if isinstance(value, np.ndarray) and _overlap(out, value):
            raise ValueError(f"out for {name} overlaps {other_name}; pass another array")
    given[f"out for {name}"] = out
    return out


def returned(made: Sequence[Any], outs: Any) -> Sequence[Any]:
    """Return results, the caller's own arrays in the place of plain ones on their memory."""
    return made if outs is None else [value if own is None else own for value, own in zip(made, outs, strict=True)]


def _overlaps_itself(array: Array) -> bool:
    """Test whether two entries of an array may share memory; True if that is costly to decide."""
    if array.flags.c_contiguous:
        return False
    axes = zip(map(abs, array.strides), array.shape, strict=True)
    return array.size > 0 and axes_overlap(axes, array.itemsize)


def axes_overlap(axes: Iterable[tuple[int, int]], entry: int) -> bool:
    """Test whether entries of a size may lie on others, along axes each of a step and a number of them."""
    reach = entry
    for step, size in sorted(axes):
        if size > 1 and step < reach:
            return True
        reach += step * max(size - 1, 0)
    return False


def _overlap(a: Array, b: Array) -> bool:
    """Test whether two arrays may share memory; True if that is costly to decide."""
    if a is not b and a.flags.owndata and b.flags.owndata:
        return False
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
