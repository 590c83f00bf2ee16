# SPDX-License-Identifier: MIT
"""Calls of kernels on tensors of the processor that kernels alone have a say in.

`run(kernels, form, least, absent, numbers, kept, *tensors)` is None where a mode, a transform, a subclass, a tangent, a
profiler, a hook, autocast or an inner library has a say in a call, where a tensor is not as its letter of the form has
it, and where rows have fewer than `least` features. It is True where autograd is to record gradients. Else it runs
`kernels[stored, *absent]` for the type of the rows, with these Constants, and returns the results: a tuple of several.
The letters are those of the arguments of the kernel of rows in its order, after a | those of the one that ends sums,
and after another those of tensors that neither reads. A letter is capital for a tensor that has to be there, and has no
gaps:

    r, s    as rows are stored: of their shape, or one value a row
    f, n    as parameters are: one value a feature, or one; all in the compute type, or in that of rows of 16 bits
    j, i    int32, of the shape of rows, or one a row
    l, k    int32, one a feature, or one
    c       one value for each run of a row: a result, or with a table
    *       before a letter: rows lie where the next argument of `run` says, a table that `starts` makes
    +       before a letter: a result of such a shape, and the type of the tensor; None if that is None
    0 to @  row scalars by number, in the order of ASCII: `kept` is their tensor; if it is None that is made, and
            returned last, False if there are none; if it is True the same where autograd is to record the call, else
            None is returned last; False is scratch

The first letter r has the shape of the rows. In a form that begins with = tensors have the entries of these shapes, and
any axes: the rows have `least` features then. A result has the shape of its tensor if they have as many entries.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial, reduce
from math import prod
from operator import or_
from struct import Struct
from typing import Any, cast

import numpy as np

from ..native.compiled import KEPT_ROWS, MOST_FEATURES, row_starts
from ..native.extensions import extension
from ..native.memory import LARGE, lent

try:
    import torch
    from torch import Tensor
    from torch._subclasses.functional_tensor import FunctionalTensorMode
    from torch.overrides import is_tensor_like
except ImportError as error:
    raise ImportError("torch_backend needs PyTorch, which is not installed: pip install torch ml_dtypes") from error

__all__ = [
    "FunctionalTensorMode",
    "Node",
    "Tensor",
    "are_alone",
    "is_tensor_like",
    "is_traced",
    "is_watched",
    "run",
    "run_anyhow",
    "takes_operator",
    "torch",
]

_C: Any = torch._C
forward_ad: Any = torch.autograd.forward_ad


def _private(of: Any, name: str) -> Any:
    """A name of PyTorch that it does not document. Raises ImportError, which says so, for one that is missing."""
    try:
        return getattr(of, name)
    except AttributeError:
        problem = f"PyTorch {torch.__version__} has no {name}, by which lngen knows who has a say in a call"
        raise ImportError(f"{problem}; take a release of PyTorch from 2.6 on that has it, and tell lngen") from None


_private(forward_ad, "_current_level")
_included: Callable[[], Any] = _private(_C, "_dispatch_tls_local_include_set")
_keys: Callable[[Any], Any] = _private(_C, "_dispatch_keys")
_transforms: Callable[[], bool] = _private(_C, "_are_functorch_transforms_active")
_modes: Callable[[], int] = _private(_C, "_len_torch_dispatch_stack")
# PyTorch 2.6 has neither: hooks see there what a call saves, and an exported program has the operator.
_HOOKS: Callable[[bool], Any] = getattr(_C._autograd, "_top_saved_tensors_default_hooks", lambda _: None)
is_exporting: Callable[[], bool] = getattr(torch.compiler, "is_exporting", lambda: False)
_SILENT: tuple[Callable[[], Any], ...] = (
    _private(_C, "_len_torch_function_stack"),
    _private(_C, "_is_any_autocast_enabled"),
    partial(_HOOKS, False),
    _private(_C._autograd, "_profiler_enabled"),
)
"""Functions whose results are 0, False or None where no mode, cast, profiler or hook has a say in a call."""

Node: Any = getattr(torch.autograd.function, "_SingleLevelFunction", torch.autograd.Function)
"""Function of autograd that looks for no transform around it, where there is such a one: a plain call has none."""


def _bits(*names: str) -> int:
    """The bits of some keys of the dispatcher."""
    return reduce(or_, [int(_C.DispatchKeySet(getattr(_C.DispatchKey, name)).raw_repr()) for name in names])


SAME_SHAPE = {"j": "r", "i": "s", "l": "f", "k": "n"}
"""Letters of floats of the shapes that letters of integers stand for."""

_KINDS = (Tensor, torch.nn.Parameter)
_STORED = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64"}

FLOATS = (*_STORED,)
"""Types of rows and parameters that kernels take."""

# Keys of a plain tensor that decide nothing where `_SILENT` is.
_DECIDE_NOTHING = ("ADInplaceOrView", "BackendSelect", "AutogradCPU", "AutocastCPU")
_OF_DEVICE: int = _bits("CPU")
_IGNORED: int = _bits(*_DECIDE_NOTHING) & ~_OF_DEVICE


@cache
def _of_tensors(device: str) -> int:
    """The keys of plain tensors of a type of device."""
    return _bits(*(each.replace("CPU", device.upper()) for each in (*_DECIDE_NOTHING, "CPU")))


def are_alone(tensors: Sequence[Any], gpu: str = "") -> bool:
    """Test whether a call with these tensors of a device, or None, is nobody's but a kernel's and autograd's.

    The device is the processor, or a `gpu` by its type, where a profiler sees the kernels, and hooks what is saved.
    """
    silent, device = (_SILENT[:2], gpu) if gpu else (_SILENT, "cpu")
    if forward_ad._current_level >= 0 or any(each() for each in silent):  # no key says which tensors have a tangent
        return False
    # One by one: a batched tensor has no key of a device, which another would lend it.
    keys = [_included()] + [_keys(each) for each in tensors if isinstance(each, Tensor)]
    return not any(each.raw_repr() & ~_of_tensors(device) for each in keys) and all(
        type(each) in _KINDS and each.device.type == device for each in tensors if each is not None
    )


def is_traced(values: Sequence[Any]) -> bool:
    """Test whether a program is made of a call: a compiled one, or a symbolic trace, whose values have no data."""
    return torch.compiler.is_compiling() or any(
        is_tensor_like(each) and not isinstance(each, Tensor) for each in values
    )


def is_watched() -> bool:
    """Test whether a mode of PyTorch sees the operators of a call: that of tensors without entries, or of a trace."""
    return _modes() > 0


def takes_operator(values: Sequence[Any], devices: Sequence[str] = ("cpu",)) -> bool:
    """Test whether a call is one of a layer's operator: on memory of one of some types of devices, whoever looks on.

    A program that is compiled has the operator where its rows are such, and one that is exported has none. So has
    what is no tensor, but stands for one that has no entries yet, such as that of a symbolic trace.
    """
    if is_exporting() or forward_ad._current_level >= 0 or _transforms():
        return False
    if not torch.compiler.is_compiling() and _modes():
        return False
    tensors = [each for each in values if isinstance(each, Tensor)]
    return any(all(type(each) in _KINDS and each.device.type == kind for each in tensors) for kind in devices)


def is_recorded(tensors: Sequence[Any]) -> bool:
    """Test whether autograd records a call with these tensors, or None."""
    return torch.is_grad_enabled() and any(each is not None and each.requires_grad for each in tensors)


# ---- calls of kernels


def layout(form: str, least: int, *tensors: Any) -> tuple[str, int, int] | None:
    """Return the type of the rows, how many there are, and D; None if a tensor is not as the form has it."""
    own = [each for each in _arguments(form, tensors) if each[0].isalpha()]
    pairs = [(letter, each) for letter, each, *_ in own]
    rows = _rows(own)
    if rows is None or rows.dtype not in _STORED or not rows.ndim or not rows.numel():
        return None
    D = least if form[0] == "=" else rows.shape[-1]
    if not 0 < least <= D <= MOST_FEATURES or rows.numel() % D:
        return None
    stored = _STORED[rows.dtype]
    parameters = next((each.dtype for letter, each in pairs if letter in "fnFN" and each is not None), None)
    wide = torch.promote_types(rows.dtype, torch.float32)
    if parameters == rows.dtype != wide:
        stored, wide = f"{stored}_{stored}", rows.dtype
    types = dict.fromkeys("jilk", torch.int32) | dict.fromkeys("rsc", rows.dtype) | dict.fromkeys("fn", wide)
    for letter, each, _, table in own:
        if each is None and letter.isupper():
            return None
        if each is not None:
            shape = each.numel() if table else _shape(form, letter.lower(), rows, D)
            if not _has(each, shape) or each.dtype != types[letter.lower()] or not each.data_ptr():
                return None
    return stored, rows.numel() // D, D


def _has(tensor: Any, shape: Any) -> bool:
    """Test whether a tensor without gaps has a shape, or as many entries where that is their number."""
    return bool(tensor.is_contiguous() and (tensor.numel() if isinstance(shape, int) else tensor.shape) == shape)


def _arguments(form: str, tensors: Sequence[Any]) -> Iterator[tuple[str, Any, int, Any]]:
    """The letter of each argument, a made one with a plus, its tensor, the kernel that takes it, and its table."""
    given = iter(tensors)
    for letter, kernel in _letters(form.removeprefix("=")):
        value = None if _is_scalar(letter) else next(given)
        yield letter.removeprefix("*"), value, kernel, next(given) if letter[0] == "*" else None


def starts(run: int, sizes: tuple[int, ...], steps: tuple[int, ...]) -> bytes:
    """Return a table of the places at which rows start, along axes of some sizes, so many entries apart.

    A row has one entry for each `run` of columns, or all where that is 0; the table begins with it. Of few rows it is
    kept from call to call. In a traced program, whose sizes are symbols, there is none.
    """
    if not all(type(each) is int for each in (run, *sizes, *steps)):
        return b""
    return (_kept_starts if prod(sizes) <= KEPT_ROWS else _starts)(run, sizes, steps)


def _starts(run: int, sizes: tuple[int, ...], steps: tuple[int, ...]) -> bytes:
    return np.append(np.int64(run), row_starts(sizes, steps)).tobytes()


_kept_starts = lru_cache(maxsize=64)(_starts)


def _is_scalar(letter: str) -> bool:
    return "0" <= letter <= "@"


def _rows(arguments: Sequence[tuple[str, Any, int, Any]]) -> Tensor | None:
    """The first rows of a call."""
    return next(
        (each for letter, each, _, table in arguments if letter in "rR" and each is not None and not table), None
    )


@cache
def _letters(form: str) -> list[tuple[str, int]]:
    return [(each, kernel) for kernel, part in enumerate(form.split("|")) for each in re.findall(r"[+*]?[^|+*]", part)]


def _shape(form: str, letter: str, rows: Tensor, D: int) -> Any:
    """The shape of a letter, or the number of entries."""
    letter = SAME_SHAPE.get(letter, letter)
    if form[0] == "=":
        return {"r": rows.numel(), "s": rows.numel() // D, "f": D, "n": 1}[letter]
    return {"r": rows.shape, "s": rows.shape[:-1], "f": rows.shape[-1:], "n": ()}[letter]


def _in_python(kernels: Any, form: str, least: int, absent: Any, numbers: Any, kept: Any, *tensors: Any) -> Any:
    """The same without a compiler for C, or before PyTorch 2.10."""
    own = [each for each in tensors if not isinstance(each, bytes)]
    found = layout(form, least, *tensors) if are_alone(own) else None
    if found is None:
        return None
    if is_recorded(own):
        if kept is not None and kept is not True:
            return True
        kept = None
    return _computed(found[0], kernels, form, least, absent, numbers, kept, *tensors)


def run_anyhow(kernels: Any, form: str, least: int, absent: Any, numbers: Any, kept: Any, *tensors: Any) -> Any:
    """The same, whoever has a say in the call."""
    found = layout(form, least, *tensors)
    return found and _computed(found[0], kernels, form, least, absent, numbers, kept, *tensors)


def _computed(
    stored: str, kernels: Any, form: str, least: int, absent: Any, numbers: Any, kept: Any, *tensors: Any
) -> Any:
    """The results of tensors that are as the form has them, of a type by its name in kernels.

    Raises RuntimeError for row scalars of other rows.
    """
    arguments = [*_arguments(form, tensors)]
    rows = cast(Tensor, _rows(arguments))
    D, kind = least if form[0] == "=" else rows.shape[-1], torch.promote_types(rows.dtype, torch.float32)
    count, scalars = rows.numel() // D, [ord(each) - ord("0") for each, *_ in arguments if _is_scalar(each)]
    shape = max(scalars, default=-1) + 1, count
    own = None if not scalars else kept if isinstance(kept, Tensor) else torch.empty(shape, dtype=kind)
    if own is not None and (own.dtype != kind or own.shape[1] != count):
        raise RuntimeError("the rows have another type or shape than forward saw; pass forward a tensor of its own")
    made: list[Any] = []
    places: list[list[int]] = [[], [], []]
    apart = [
        np.frombuffer(bytes(8) if each is None else table or bytes(8), np.int64) for _, each, _, table in arguments
    ]
    run = max(int(table[0]) for table in apart) or D
    for letter, each, kernel, _ in arguments:
        place = 0
        if _is_scalar(letter):
            place = own.data_ptr() + (ord(letter) - ord("0")) * count * kind.itemsize  # type: ignore[union-attr]
        elif letter[0] == "+":
            of = rows.numel() // run if letter[1] == "c" else _shape(form, letter[1], rows, D)
            if each is not None and isinstance(of, int):
                is_row = letter[1] in "rj"
                of = each.shape if each.numel() == of else rows.shape if is_row else (of,) * (letter[1] != "n")
            each = None if each is None else _result(of, each)
            made.append(each)
        if each is not None:
            place = each.data_ptr()
        places[kernel].append(place)
    tables = [int(each.size > 1) and each[1:].ctypes.data for each in apart][: len(places[0])]
    of_rows = tuple(places[0]), numbers, count, D, threads_for(count, D), tuple(places[1])
    kernels[(stored, *absent)](*of_rows, (*tables, 0) if "*" in form else (), run)  # and the workspace has none
    made += [own is not None and own] if kept is None else [None] if kept is True else []
    return tuple(made) if len(made) > 1 else made[0]


def _result(shape: Sequence[int], like: Tensor) -> Tensor:
    """Return a tensor for a result, of the type of another; a large one reuses the memory of freed ones."""
    entries = prod(shape)
    space = lent(entries * like.itemsize) if entries * like.itemsize >= LARGE else None
    if space is None:
        return torch.empty(shape, dtype=like.dtype)
    # No view: autograd refuses to change one in place that a node made.
    return torch.frombuffer(space, dtype=like.dtype, count=entries).resize_(shape)


def _first(*given: Any) -> Any:
    """Choose the function at the first call, which native/addresses.c has where it can be compiled."""
    global run
    table = getattr(Tensor, "__dlpack_c_exchange_api__", None)
    prepare = None if table is None else extension("addresses")
    asked = forward_ad, _C.is_grad_enabled, _included, *_SILENT
    limits = Struct("2q").pack(MOST_FEATURES, _SHARED_ENTRIES)
    made = prepare and prepare(table, limits, _IGNORED & (1 << 64) - 1, *_KINDS, _computed, *asked)
    run = made or _in_python
    return run(*given)


run: Callable[..., Any] = _first


@cache
def of_type(dtype: Any) -> Tensor:
    """Return a tensor of a type, for a result that has one of its own."""
    return torch.empty(1, dtype=dtype)


def dense(form: str, *tensors: Any) -> tuple[Any, ...]:
    """Copies as a form has them, which autograd records, of tensors with gaps, other integers, and narrow parameters.

    Others are returned as they are: those of a call in which a mode or a transform has a say, and of another device.
    """
    first = tensors[0]
    if _modes() or _transforms() or forward_ad._current_level >= 0 or not isinstance(first, Tensor):
        return tensors
    if not first.is_cpu or first.dtype not in _STORED:
        return tensors
    wide = torch.promote_types(first.dtype, torch.float32)
    pairs = [*zip(form.lower(), tensors, strict=True)]
    if {each.dtype for letter, each in pairs if letter in "fn" and isinstance(each, Tensor)} == {first.dtype}:
        wide = first.dtype
    found = []
    for letter, each in pairs:
        if isinstance(each, Tensor) and each.layout is torch.strided:
            if letter in "jilk" and not each.is_floating_point():
                each = whole(each)
            elif letter in "fn" and each.dtype in _STORED and each.itemsize == 2:
                each = each.to(wide)
            each = each.contiguous()
        found.append(each)
    return tuple(found)


def whole(value: Tensor) -> Tensor:
    """Integers in 32 bits, those beyond as the nearest."""
    return value if value.dtype == torch.int32 else value.long().clamp(-(2**31), 2**31 - 1).int()


def threads_for(rows: int, D: int) -> int:
    """Return the number of threads for some rows.

    For few entries one thread is faster: PyTorch's own threads wait actively, and delay others.
    """
    return torch.get_num_threads() if rows * D >= _SHARED_ENTRIES else 1


_SHARED_ENTRIES = 2**20
