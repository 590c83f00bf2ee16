# SPDX-License-Identifier: MIT
"""Fast paths around PyTorch's dispatcher.

Its keys are bits that describe a tensor and the transforms around a call. If the keys are those of plain tensors of a
device, a kernel is called at once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from .kernels import Tensor, only, torch, torch_func

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


@contextmanager
def _recorded() -> Iterator[None]:
    """Turn on autograd for the next transform, inside a node and its rules.

    Autograd is off there, and the next transform is differentiated all the same.
    """
    with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
        yield


@contextmanager
def next_transform() -> Iterator[None]:
    """Let the next transform differentiate a rule for tangents that uses PyTorch's own operators."""
    if not _C._are_functorch_transforms_active():
        yield
        return
    with _C._AutoDispatchBelowAutograd(), _recorded():
        yield


def below(operator: Any, on_processor: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes an operator without autograd.

    It calls a kernel at once, if no transform is active.
    """

    def compute(keyset: Any, args: Sequence[Any], in_node: bool = False) -> Any:
        if is_plain(keyset):
            return on_processor(*args)
        with _C._AutoDispatchBelowAutograd():
            if not in_node or not _C._are_functorch_transforms_active():
                return operator.redispatch(keyset & _AFTER_AUTOGRAD, *args)
            with _recorded():
                return operator.redispatch(keyset & _AFTER_AUTOGRAD, *args)

    return compute


def differentiated(compute: Callable[..., Any], node: Any) -> Callable[..., Any]:
    """The kernel of an operator for autograd."""

    def kernel(keyset: Any, *args: Any) -> Any:
        recorded = _C.is_grad_enabled() and _C._any_requires_grad(*args)
        if not recorded and forward_ad._current_level < 0:
            return compute(keyset, args)
        if not _C._are_functorch_transforms_active():
            return node.apply(keyset, *args)
        # Transforms come to this kernel one by one, each with arguments of its own level.
        with torch_func.enable_single_level_autograd_function():
            return node.apply(keyset, *args)

    return kernel


def is_plain(keyset: Any) -> bool:
    """Test whether a call with these keys needs only a kernel for the processor, below autograd."""
    return bool(keyset.raw_repr() & _DECIDING == CPU & _DECIDING)


def are_plain(tensors: Sequence[Tensor | None], device: int = CPU) -> bool:
    """The same of a call with these tensors of a device, here: no mode, transform or subclass, and no tangent."""
    if forward_ad._current_level >= 0:  # no key says which tensors have one
        return False
    keys = _C._dispatch_tls_local_include_set().raw_repr()
    for tensor in tensors:
        if tensor is not None:
            keys |= _C._dispatch_keys(tensor).raw_repr()
    return bool(keys & _DECIDING == device & _DECIDING)


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
