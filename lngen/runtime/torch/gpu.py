# SPDX-License-Identifier: MIT
"""Launches of a layer's Triton kernels on tensors of a GPU, and calls of them that autograd records.

Triton is imported by the first such call; without it a layer's decomposition is called.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, reduce
from importlib import import_module
from importlib.util import find_spec
from math import gcd
from shutil import which
from typing import Any

from .. import triton as _sizes
from .guards import FLOATS, Node, are_alone, is_watched, torch

__all__ = [
    *("NotSeen", "RecordedLaunch", "dense", "even", "launch", "programs", "real", "room", "sizes", "strides", "takes"),
    *("is_supported", "shapes_alone"),
]

DEVICES = ("cuda", "xpu")
"""Types of the devices whose tensors Triton's kernels take."""

COLUMNS, AT_ONCE = 32, 64
"""Sizes of the kernel that ends sums over rows: the columns of a program, and the sums that it adds up at once."""

_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)


def takes(tensors: Any) -> bool:
    """Test whether a call with these tensors, or None, is one of kernels on a GPU."""
    there = [each for each in tensors if each is not None]
    devices = {each.device for each in there}
    if len(devices) != 1 or (kind := next(iter(devices)).type) not in DEVICES:
        return False
    known = all(each.dtype in FLOATS or each.dtype in _INTEGERS for each in there)
    return known and are_alone(there, kind) and all(map(is_supported, devices))


@cache
def has_triton() -> bool:
    """Test whether Triton can be imported, and finds a C compiler, which it needs to launch a kernel."""
    compilers = filter(None, (os.environ.get("CC"), "clang", "gcc"))
    return find_spec("triton") is not None and any(map(which, compilers))


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def is_supported(device: Any) -> bool:
    """Test whether Triton is there and compiles for a GPU: of NVIDIA's for those since Volta."""
    return _is_supported(device)


@cache
def _is_supported(device: Any) -> bool:
    if device.type not in DEVICES or not has_triton():
        return False
    is_nvidia = device.type == "cuda" and not torch.version.hip
    return not is_nvidia or torch.cuda.get_device_capability(device) >= (7, 0)


@cache
def _module(device: Any) -> Any:
    return None if device.type == "cpu" else torch.get_device_module(device)


@cache
def _processors(device: Any) -> int:
    """The number of multiprocessors of a GPU; of what only stands for one, that of an A100."""
    if device.type == "cpu":
        return 108
    known = _module(device).get_device_properties(device)
    return int(getattr(known, "multi_processor_count", 0) or known.gpu_subslice_count)


def sizes(D: int, itemsize: int, held: int, sums: int) -> _sizes.Sizes:
    """Return the sizes of a kernel; AMD's warps may have more lanes. A traced program is one for its D alone."""
    return _sizes.sizes(int(D), itemsize, held, sums, 64 if torch.version.hip else 32)


def programs(device: Any, rows: int, of: _sizes.Sizes) -> int:
    """Return the number of programs that work on some rows: those that a GPU runs at once, if there is work for all."""
    return torch.sym_min(-(-rows // of.ROWS), of.programs * _processors(device))  # type: ignore[no-any-return]


_SHAPES_ALONE: ContextVar[bool] = ContextVar("shapes_alone", default=False)


@contextmanager
def shapes_alone() -> Iterator[None]:
    """Let nothing be launched while this lasts: results have their shapes alone."""
    kept = _SHAPES_ALONE.set(True)
    try:
        yield
    finally:
        _SHAPES_ALONE.reset(kept)


class NotSeen(Exception):
    """A launch that a traced program cannot have: it has an operator instead, which launches as it runs."""


def launch(kernel: Any, device: Any, count: int, warps: int, fuses: bool, *arguments: Any) -> None:
    """Launch so many programs of a kernel on a device, which need not be the current one.

    A traced program gets the launch itself, unless products may not be added with one rounding there: programs have no
    word for that. Raises NotSeen then.
    """
    if _SHAPES_ALONE.get():
        return
    if is_watched():
        seen = torch.library.wrap_triton(kernel)
        if not fuses or seen is kernel:  # what is interpreted cannot be seen either
            raise NotSeen
        seen[(count,)](*arguments, num_warps=warps, num_stages=1)
        return
    with nullcontext() if device.type == "cpu" else _module(device).device(device):
        kernel[(count,)](*arguments, num_warps=warps, num_stages=1, enable_fp_fusion=fuses)


# ---- what a launch passes


def real(dtype: Any) -> Any:
    """Return the type of Triton that a kernel computes in."""
    return getattr(import_module("triton.language"), str(dtype).removeprefix("torch."))


def even(*lengths: int) -> int:
    """Return what divides lengths of rows and strides, of which up to 16 entries are accessed at once.

    >>> even(1000, 3000)
    8
    """
    return gcd(16, *map(int, lengths))


def strides(value: Any, *places: int) -> tuple[int, ...]:
    """Return the strides of some axes, 0 of what is left out."""
    return tuple(0 if value is None else value.stride(place) for place in places)


def dense(value: Any) -> Any:
    """Return a tensor without gaps; what is left out stays so."""
    return None if value is None else value.contiguous()


def room(shape: Any, *of: Any, dtype: Any = None, zeros: bool = False) -> Any:
    """Return memory for the gradient of a tensor, or of several; None if each of them is left out."""
    there = [each for each in of if each is not None]
    if not there:
        return None
    dtype = dtype or reduce(torch.promote_types, [each.dtype for each in there])
    return (there[0].new_zeros if zeros else there[0].new_empty)(shape, dtype=dtype)


class RecordedLaunch(Node):  # type: ignore[misc]
    """Call of a layer that autograd records: its derivative by kernels, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx: Any, layer: Any, made: Any, *values: Any) -> Any:
        """Return the outputs that kernels made."""
        outputs, saved = made
        ctx.layer, ctx.numbers = layer, values[layer.count :]
        ctx.save_for_backward(*values[: layer.count], *[outputs[place] for place in layer.kept], *saved)
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*[outputs[place] for place in layer.integers])
        return outputs if len(outputs) > 1 else outputs[0]

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        """Return the gradients of the inputs."""
        layer, tensors = ctx.layer, ctx.saved_tensors
        end = layer.count + len(layer.kept)
        inputs, kept, saved = tensors[: layer.count], tensors[layer.count : end], tensors[end:]
        found = layer.gradients(saved, (*inputs, *ctx.numbers), kept, cotangents)
        return None, None, *found, *[None] * len(ctx.numbers)
