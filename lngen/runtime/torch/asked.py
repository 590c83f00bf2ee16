# SPDX-License-Identifier: MIT
"""Questions about a call of PyTorch: who has a say in it, beside a kernel and autograd."""

from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from operator import or_
from typing import Any

try:
    import torch
    from torch import Tensor
    from torch._subclasses.functional_tensor import FunctionalTensorMode
    from torch.overrides import is_tensor_like
except ImportError as error:
    raise ImportError("torch_backend needs PyTorch, which is not installed: pip install torch ml_dtypes") from error

__all__ = [
    "FLOATS",
    "IGNORED",
    "KINDS",
    "SAME_SHAPE",
    "SILENT",
    "STORED",
    "C",
    "FunctionalTensorMode",
    "Node",
    "Tensor",
    "are_alone",
    "forward_ad",
    "included",
    "is_exporting",
    "is_recorded",
    "is_tensor_like",
    "is_traced",
    "is_watched",
    "modes",
    "takes_operator",
    "torch",
    "transforms",
    "whole",
]

C: Any = torch._C
forward_ad: Any = torch.autograd.forward_ad


def _private(of: Any, name: str) -> Any:
    """A name of PyTorch that it does not document. Raises ImportError, which says so, for one that is missing."""
    try:
        return getattr(of, name)
    except AttributeError:
        problem = f"PyTorch {torch.__version__} has no {name}, by which lngen knows who has a say in a call"
        raise ImportError(f"{problem}; take a release of PyTorch from 2.6 on that has it, and tell lngen") from None


_private(forward_ad, "_current_level")
included: Callable[[], Any] = _private(C, "_dispatch_tls_local_include_set")
keys_of: Callable[[Any], Any] = _private(C, "_dispatch_keys")
transforms: Callable[[], bool] = _private(C, "_are_functorch_transforms_active")
modes: Callable[[], int] = _private(C, "_len_torch_dispatch_stack")
# Hooks of PyTorch 2.6, which does not name them, see what a kernel saves.
_HOOKS: Callable[[bool], Any] = getattr(C._autograd, "_top_saved_tensors_default_hooks", lambda _: None)
SILENT: tuple[Callable[[], Any], ...] = (
    _private(C, "_len_torch_function_stack"),
    _private(C, "_is_any_autocast_enabled"),
    partial(_HOOKS, False),
    _private(C._autograd, "_profiler_enabled"),
)
"""Functions whose results are 0, False or None where no mode, cast, profiler or hook has a say in a call."""

Node: Any = getattr(torch.autograd.function, "_SingleLevelFunction", torch.autograd.Function)
"""Function of autograd that looks for no transform around it, where there is such a one: a plain call has none."""


def _bits(*names: str) -> int:
    """The bits of some keys of the dispatcher."""
    return reduce(or_, [int(C.DispatchKeySet(getattr(C.DispatchKey, name)).raw_repr()) for name in names])


SAME_SHAPE = {"j": "r", "i": "s", "l": "f", "k": "n"}
"""Letters of floats of the shapes that letters of integers stand for."""

KINDS = (Tensor, torch.nn.Parameter)
STORED = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64"}

FLOATS = (*STORED,)
"""Types of rows and parameters that kernels take."""

# Keys of a plain tensor that decide nothing where `SILENT` is.
_DECIDE_NOTHING = ("ADInplaceOrView", "BackendSelect", "AutogradCPU", "AutocastCPU")
_OF_DEVICE: int = _bits("CPU")
IGNORED: int = _bits(*_DECIDE_NOTHING) & ~_OF_DEVICE


@cache
def _of_tensors(device: str) -> int:
    """The keys of plain tensors of a type of device."""
    return _bits(*(each.replace("CPU", device.upper()) for each in (*_DECIDE_NOTHING, "CPU")))


def are_alone(tensors: Sequence[Any], gpu: str = "") -> bool:
    """Test whether a call with these tensors of a device, or None, is nobody's but a kernel's and autograd's.

    The device is the processor, or a `gpu` by its type, where a profiler sees the kernels, and hooks what is saved.
    """
    silent, device = (SILENT[:2], gpu) if gpu else (SILENT, "cpu")
    if forward_ad._current_level >= 0 or any(each() for each in silent):  # no key says which tensors have a tangent
        return False
    # One by one: a batched tensor has no key of a device, which another would lend it.
    keys = [included()] + [keys_of(each) for each in tensors if isinstance(each, Tensor)]
    return not any(each.raw_repr() & ~_of_tensors(device) for each in keys) and all(
        type(each) in KINDS and each.device.type == device for each in tensors if each is not None
    )


_EXPORTS_ARE_TOLD = hasattr(torch.compiler, "_is_exporting_flag")


def is_exporting() -> bool:
    """Test whether a program is made that may be exported. PyTorch 2.6 says it of no program, so each may be one.

    The flag is read, since 2.9 answers its function by True in every program that is compiled.
    """
    return bool(torch.compiler._is_exporting_flag) if _EXPORTS_ARE_TOLD else torch.compiler.is_compiling()


def is_traced(values: Sequence[Any]) -> bool:
    """Test whether a program is made of a call: a compiled one, or a symbolic trace, whose values have no data."""
    return torch.compiler.is_compiling() or any(
        is_tensor_like(each) and not isinstance(each, Tensor) for each in values
    )


def is_watched() -> bool:
    """Test whether a mode of PyTorch sees the operators of a call: that of tensors without entries, or of a trace."""
    return modes() > 0


def takes_operator(values: Sequence[Any], devices: Sequence[str] = ("cpu",)) -> bool:
    """Test whether a call is one of a layer's operator: on memory of one of some types of devices, whoever looks on.

    A program that is compiled has the operator where its rows are such, and one that is exported has none. So has
    what is no tensor, but stands for one that has no entries yet, such as that of a symbolic trace.
    """
    if is_exporting() or forward_ad._current_level >= 0 or transforms():
        return False
    if not torch.compiler.is_compiling() and modes():
        return False
    tensors = [each for each in values if isinstance(each, Tensor)]
    return any(all(type(each) in KINDS and each.device.type == kind for each in tensors) for kind in devices)


def is_recorded(tensors: Sequence[Any]) -> bool:
    """Test whether autograd records a call with these tensors, or None."""
    return torch.is_grad_enabled() and any(each is not None and each.requires_grad for each in tensors)


def whole(value: Tensor) -> Tensor:
    """Integers in 32 bits, those beyond as the nearest."""
    return value if value.dtype == torch.int32 else value.long().clamp(-(2**31), 2**31 - 1).int()
