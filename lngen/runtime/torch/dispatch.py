# SPDX-License-Identifier: MIT
"""Fast paths around PyTorch's dispatcher.

Its keys are bits that describe a tensor and the transforms around a call. If the keys are those of plain tensors of a
device, a kernel is called at once.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from .kernels import KERNEL_TYPES, Tensor, only, torch

_C: Any = torch._C
forward_ad: Any = torch.autograd.forward_ad
_AFTER_AUTOGRAD = _C._after_autograd_keyset
# These two are in every call's keys, and do nothing to an operator that is given tensors.
_DECIDING: int = _AFTER_AUTOGRAD.remove(_C.DispatchKey.ADInplaceOrView).remove(_C.DispatchKey.BackendSelect).raw_repr()
CPU: int = _C.DispatchKeySet(_C.DispatchKey.CPU).raw_repr()
"""Keys of a plain tensor of the processor."""

CUDA: int = _C.DispatchKeySet(_C.DispatchKey.CUDA).raw_repr()
"""Keys of a plain tensor of a GPU."""

IGNORED: int = (
    ~(CPU | CUDA)
    & (
        _C.DispatchKeySet(_C.DispatchKey.ADInplaceOrView)
        | _C.DispatchKeySet(_C.DispatchKey.BackendSelect)
        | _C.DispatchKeySet(_C.DispatchKey.AutogradCPU)
        | _C.DispatchKeySet(_C.DispatchKey.AutogradCUDA)
        | _C.DispatchKeySet(_C.DispatchKey.AutocastCPU)
        | _C.DispatchKeySet(_C.DispatchKey.AutocastCUDA)
    ).raw_repr()
)
"""Keys of a plain tensor that decide nothing where SILENT is."""

SILENT = (
    _C._len_torch_function_stack,
    _C._is_any_autocast_enabled,
    _C._autograd._profiler_enabled,
    partial(_C._autograd._top_saved_tensors_default_hooks, False),
)
"""Functions whose results are 0, False and None where no mode, cast, profiler or hook has a say in a call."""

_KINDS = (Tensor, torch.nn.Parameter)


def takes_operator(values: Sequence[Any]) -> bool:
    """Test whether a call is one of a layer's operator: on memory that kernels have a way to, whoever looks on.

    A program that is compiled has the operator where its rows are such, and one that is exported has none. So has
    what is no tensor, but stands for one that has no entries yet, such as that of a symbolic trace.
    """
    if torch.compiler.is_exporting() or forward_ad._current_level >= 0 or _C._are_functorch_transforms_active():
        return False
    if not torch.compiler.is_compiling() and _C._len_torch_dispatch_stack():
        return False
    return all(
        type(each) in _KINDS and each.device.type in ("cpu", "cuda") and each.dtype in KERNEL_TYPES
        for each in values
        if isinstance(each, Tensor)
    )


def are_plain(tensors: Sequence[Tensor | None], device: int = CPU) -> bool:
    """Test whether a call with these tensors of a device needs kernels alone: no mode, transform, subclass, tangent."""
    if forward_ad._current_level >= 0:  # no key says which tensors have one
        return False
    here, wanted = _C._dispatch_tls_local_include_set().raw_repr(), device & _DECIDING
    # One by one: a batched tensor has no key of a device, which another would lend it.
    return all(
        (here | _C._dispatch_keys(tensor).raw_repr()) & _DECIDING == wanted for tensor in tensors if tensor is not None
    )


class Way(NamedTuple):
    """Forward of a layer without the dispatcher, for tensors of one kind of device: kernels, and a node of autograd.

    `direct` is a faster way for some of these calls, which returns None for others.
    """

    kernels: Any
    node: Any
    direct: Callable[[tuple[Any, ...]], Any] | None = None


def at_once(required: Sequence[bool], ways: Mapping[int, Way]) -> Callable[[tuple[Any, ...]], Any]:
    """A layer's forward without the dispatcher, for calls that nothing but autograd has a say in; else it is None.

    Such a call is of tensors whose keys are in `ways`, and is seen by no mode, transform, tracer, profiler or hook.
    `required` says which values are not None.
    """

    directs = {device == CUDA: way.direct for device, way in ways.items() if way.direct is not None}

    def forward(values: tuple[Any, ...]) -> Any:
        if torch.compiler.is_compiling():
            return None
        first = values[0]
        if type(first) in _KINDS and (direct := directs.get(first.is_cuda)) and (made := direct(values)) is not None:
            return made
        if forward_ad._current_level >= 0 or any(each() for each in SILENT):
            return None
        keys = _C._dispatch_tls_local_include_set().raw_repr()
        is_recorded = False
        for value, is_required in zip(values, required, strict=False):
            if type(value) in _KINDS:
                keys |= _C._dispatch_keys(value).raw_repr()
                is_recorded = is_recorded or value.requires_grad
            elif value is not None or is_required:
                return None
        way = ways.get(keys & ~IGNORED & ~_C._dispatch_tls_local_exclude_set().raw_repr())
        if way is None:
            return None
        if is_recorded and _C.is_grad_enabled():
            return way.node.apply(*values)
        return only(way.kernels.forward_in_part(values)[0])

    return forward
