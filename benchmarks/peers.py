"""Others who compute a shipped layer, on the same memory and where they are installed: PyTorch, and kernels for it.

One of them is lngen itself, called as a user of PyTorch calls it: the kernels in Triton that `torch_backend` launches,
in a plain call and in a compiled program. A peer's table says which of its functions computes what a layer does; each
is called with the layer's inputs in order.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.layers import Calls, backend, names
from benchmarks.torch_layers import EPS, LAYERS, Function

# torch.as_tensor takes integers of every size from other libraries, and not all types of floating point.
_INTEGERS = {2: "<i2", 4: "<i4", 8: "<i8"}
_TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}


@dataclass(frozen=True)
class Peer:
    """One who computes layers.

    `functions` has for a layer's name what is called with the module `torch` and gives the function. `package` is the
    distribution it comes in. Kernels that are `slow` to compile take seconds for every shape. The layers of
    `float32_parameters` are given their parameters in float32, since nothing else is taken.
    """

    name: str
    package: str
    functions: Mapping[str, Callable[[Any], Function]]
    slow: bool = False
    float32_parameters: frozenset[str] = frozenset()
    is_own: bool = False
    """True for lngen itself, which no other is compared with."""


def torch_module() -> Any:
    """PyTorch if it can be imported and sees the GPU. Raises ImportError."""
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        raise ImportError("PyTorch does not see the GPU")
    return torch


class PeerCalls:
    """A peer's function for a layer on the buffers of its calls, forward and backward.

    Raises what the peer raises, if only at a shape that it does not take.
    """

    def __init__(self, torch: Any, peer: Peer, calls: Calls) -> None:
        self.torch, self.peer, self.calls = torch, peer, calls
        self.function = peer.functions[calls.name](torch)
        self.leaves = [self._leaves(buffers.inputs) for buffers in calls.sets]
        self.with_gradient = [[leaf for leaf in leaves if leaf.requires_grad] for leaves in self.leaves]
        self.cotangents = [
            [as_tensor(torch, array, calls.case.dtype) for array in buffers.cotangents.values()]
            for buffers in calls.sets
        ]
        # The graphs are kept, so that backward can be timed alone and again.
        self.outputs = [self._call(leaves) for leaves in self.leaves]
        for chosen in range(len(calls.sets)):
            self.forward(chosen)
            self.backward(chosen)
        torch.cuda.synchronize()

    def forward(self, chosen: int) -> None:
        """Forward as in training: what backward needs is kept."""
        self._call(self.leaves[chosen])

    def backward(self, chosen: int) -> Sequence[Any]:
        """Backward alone; the gradients in the order of the inputs."""
        found: Sequence[Any] = self.torch.autograd.grad(
            self.outputs[chosen], self.with_gradient[chosen], self.cotangents[chosen], retain_graph=True
        )
        return found

    def peak_bytes(self) -> int:
        """Return the memory that forward with backward takes at its peak, besides the inputs and cotangents."""
        memory = self.torch.cuda
        memory.synchronize()
        before = memory.memory_allocated()
        memory.reset_peak_memory_stats()
        self.torch.autograd.grad(self._call(self.leaves[0]), self.with_gradient[0], self.cotangents[0])
        peak: int = memory.max_memory_allocated()
        return peak - before

    def results(self, rows: Sequence[int] | None) -> dict[str, dict[str, Any]]:
        """Return the results of each direction on the first set, by name.

        They are of some rows without sums over rows, or of all rows.
        """
        outputs = dict(zip(self.calls.results["forward"], self.outputs[0], strict=True))
        gradients = dict(zip(self.calls.results["backward"], self.backward(0), strict=True))
        return {
            direction: {name: self._fetched(found[name], rows) for name in self.calls.compared(direction, rows)}
            for direction, found in (("forward", outputs), ("backward", gradients))
        }

    def _fetched(self, tensor: Any, rows: Sequence[int] | None) -> Any:
        some = tensor.detach() if rows is None else tensor.detach()[list(rows)]
        return np.asarray(some.double().cpu().numpy())

    def _call(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        found = self.function(*leaves)
        return tuple(found) if isinstance(found, tuple | list) else (found,)

    def _leaves(self, inputs: Mapping[str, Any]) -> list[Any]:
        found = {name: as_tensor(self.torch, array, self.calls.case.dtype) for name, array in inputs.items()}
        if self.calls.name in self.peer.float32_parameters:
            found = {
                name: tensor if self.calls.kinds[name].over_rows else tensor.float() for name, tensor in found.items()
            }
        return [
            tensor.requires_grad_() if self.calls.kinds[name].has_gradient else tensor for name, tensor in found.items()
        ]


def as_tensor(torch: Any, array: Any, dtype: str) -> Any:
    """A GPUArray's memory as a tensor of a type such as `bf16`."""
    interface = array.__cuda_array_interface__
    tensor = torch.as_tensor(_Integers(array, interface), device="cuda")
    return tensor.view(getattr(torch, _TYPES[dtype]))


class _Integers:
    """A GPUArray's memory as integers of the same size."""

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        self.owner = owner
        size = int(interface["typestr"][2:])
        self.__cuda_array_interface__ = {
            "shape": interface["shape"],
            "typestr": _INTEGERS[size],
            "data": interface["data"],
            "version": 3,
        }


def present(torch: Any, names: Iterable[str] | None = None) -> tuple[list[Peer], dict[str, str]]:
    """The peers that can be imported, of those named or all, and for each peer its version or why it is left out."""
    there, said = [], {}
    for peer in PEERS:
        if names is not None and peer.name not in names:
            said[peer.name] = "not asked for"
            continue
        try:
            for load in peer.functions.values():
                load(torch)
            said[peer.name] = importlib.metadata.version(peer.package)
        except Exception as error:  # a package that is broken is as good as none, whatever it raises
            said[peer.name] = f"{type(error).__name__}: {error}"[:200]
        else:
            there.append(peer)
    return there, said


# PyTorch


def _compiled(eager: Callable[[Any], Function]) -> Callable[[Any], Function]:
    def load(torch: Any) -> Function:
        # A graph that is kept needs its buffers, and what was compiled for another shape is no use.
        functorch: Any = importlib.import_module("torch._functorch.config")
        functorch.donated_buffer = False
        torch._dynamo.reset()
        function: Function = torch.compile(eager(torch), dynamic=False, fullgraph=True)
        return function

    return load


# Others


def _autograd(module: str, function: str, *after: Any) -> Callable[[Any], Function]:
    """The `apply` of an autograd function, called with more behind the layer's inputs."""

    def load(_: Any) -> Function:
        apply = getattr(importlib.import_module(module), function).apply
        return lambda *inputs: apply(*inputs, *after)

    return load


def _called(module: str, function: str, *after: Any, **options: Any) -> Callable[[Any], Function]:
    """A function, called with more behind the layer's inputs."""

    def load(_: Any) -> Function:
        called = getattr(importlib.import_module(module), function)
        return lambda *inputs: called(*inputs, *after, **options)

    return load


def _quack_add_rms_norm(_: Any) -> Function:
    norm = importlib.import_module("quack.rmsnorm").rmsnorm
    return lambda x, residual, gamma: norm(x, gamma, residual=residual, prenorm=True, eps=EPS)


def _quack_layer_norm(torch: Any) -> Function:
    """Wrap the two functions of Quack's layer norm, which has no autograd function yet."""
    module = importlib.import_module("quack.rmsnorm")
    once, back = module.layernorm_fwd, module.layernorm_bwd

    class LayerNorm(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, gamma: Any, beta: Any) -> Any:
            y, rstd, mean = once(x, gamma, beta, EPS, return_rstd=True, return_mean=True)
            ctx.save_for_backward(x, gamma, rstd, mean)
            return y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            x, gamma, rstd, mean = ctx.saved_tensors
            return back(x, gamma, dy, rstd, mean)

    apply: Function = LayerNorm.apply
    return apply


def _apex_layer_norm(_: Any) -> Function:
    norm = importlib.import_module("apex.normalization.fused_layer_norm").fused_layer_norm_affine
    importlib.import_module("fused_layer_norm_cuda")
    return lambda x, gamma, beta: norm(x, gamma, beta, tuple(x.shape[-1:]), EPS)


def _apex_rms_norm(_: Any) -> Function:
    norm = importlib.import_module("apex.normalization.fused_layer_norm").fused_rms_norm_affine
    importlib.import_module("fused_layer_norm_cuda")
    return lambda x, gamma: norm(x, gamma, tuple(x.shape[-1:]), EPS)


def _apex_fast_layer_norm(_: Any) -> Function:
    function = importlib.import_module("apex.contrib.layer_norm.layer_norm").FastLayerNormFN
    # Newer ones want to be told besides that memory is not to be saved.
    more = [False] * ("memory_efficient" in inspect.signature(function.forward).parameters)
    return lambda x, gamma, beta: function.apply(x, gamma, beta, EPS, *more)


def _flash_add_rms_norm(_: Any) -> Function:
    norm = importlib.import_module(_FLASH).rms_norm_fn
    return lambda x, residual, gamma: norm(x, gamma, None, residual=residual, eps=EPS, prenorm=True)


def _transformer_engine(module: str) -> Callable[[Any], Function]:
    """A module of Transformer Engine, with the parameters of each call."""

    def load(torch: Any) -> Function:
        of = functools.cache(getattr(importlib.import_module("transformer_engine.pytorch"), module))

        def call(x: Any, *parameters: Any) -> Any:
            own = of(x.shape[-1], eps=EPS, params_dtype=x.dtype)
            return torch.func.functional_call(own, dict(zip(("weight", "bias"), parameters, strict=False)), (x,))

        return call

    return load


def _emitted(name: str) -> Callable[[Any], Function]:
    def load(_: Any) -> Function:
        function: Function = getattr(backend(name, "torch"), name)
        return function

    return load


def _triton_layer_norm(_: Any) -> Function:
    norm = importlib.import_module("benchmarks.triton_layer_norm").layer_norm
    return lambda x, gamma, beta: norm(x, gamma, beta, EPS)


_LIGER = "liger_kernel.ops"
_NOT_IN_PLACE = (EPS, 0.0, "llama", False)
"""eps, no offset, its default for rounding, and cotangents are not to be overwritten: they are used again."""

_FLASH = "flash_attn.ops.triton.layer_norm"

PEERS: tuple[Peer, ...] = (
    Peer("lngen in torch", "torch", {name: _emitted(name) for name in names()}, is_own=True),
    Peer(
        "lngen in torch, compiled",
        "torch",
        {name: _compiled(_emitted(name)) for name in names()},
        slow=True,
        is_own=True,
    ),
    Peer("torch", "torch", LAYERS),
    Peer(
        "liger",
        "liger-kernel",
        {
            "layer_norm": _autograd(_LIGER, "LigerLayerNormFunction", EPS),
            "rms_norm": _autograd(_LIGER, "LigerRMSNormFunction", *_NOT_IN_PLACE),
            "add_rms_norm": _autograd(_LIGER, "LigerFusedAddRMSNormFunction", *_NOT_IN_PLACE),
            "softmax": _autograd(_LIGER, "LigerSoftmaxFunction"),
        },
    ),
    Peer("apex", "apex", {"layer_norm": _apex_layer_norm, "rms_norm": _apex_rms_norm}),
    Peer("apex fast", "apex", {"layer_norm": _apex_fast_layer_norm}),
    Peer(
        "flash-attn",
        "flash-attn",
        {
            "layer_norm": _called(_FLASH, "layer_norm_fn", eps=EPS),
            "rms_norm": _called(_FLASH, "rms_norm_fn", None, eps=EPS),
            "add_rms_norm": _flash_add_rms_norm,
        },
    ),
    Peer(
        "transformer engine",
        "transformer-engine",
        {"layer_norm": _transformer_engine("LayerNorm"), "rms_norm": _transformer_engine("RMSNorm")},
    ),
    Peer("triton", "triton", {"layer_norm": _triton_layer_norm}),
    Peer(
        "quack",
        "quack-kernels",
        {
            "layer_norm": _quack_layer_norm,
            "rms_norm": _called("quack.rmsnorm", "rmsnorm", eps=EPS),
            "add_rms_norm": _quack_add_rms_norm,
            "softmax": _called("quack.softmax", "softmax"),
        },
        slow=True,
        float32_parameters=frozenset({"layer_norm"}),
    ),
    Peer("torch compiled", "torch", {name: _compiled(eager) for name, eager in LAYERS.items()}, slow=True),
)
"""Peers by name, with the layers that each computes."""
