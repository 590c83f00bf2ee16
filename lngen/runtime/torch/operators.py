# SPDX-License-Identifier: MIT
"""Four directions of a layer as operators of PyTorch, made from the layer's `INTERFACE`.

Each takes the inputs, the Constants, and the flag `by_sample_`. All but forward then take the values that forward
saved, which are outputs and row scalars. Then come the cotangents or the tangents. An absent argument is None, and its
result is a tensor without entries. By sample, every tensor has one more axis, the first: samples have parameters of
their own, and sums over their own rows.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..protocol.directions import LayerProtocol
from ..protocol.interface import Interface
from .derivatives import NODES
from .dispatch import below, differentiated
from .gpu import TorchOnGPU
from .kernels import TorchKernels, torch
from .samples import batched

_C: Any = torch._C
_AUTOCAST = ("AutocastCPU", "AutocastCUDA")
_libraries: dict[str, Any] = vars(torch.ops.lngen).setdefault("libraries", {})  # it outlives this module, as they do


class Operators:
    """Operators `torch.ops.lngen.NAME_forward`, `NAME_backward`, `NAME_jvp` and `NAME_backward_backward`.

    `name` is the name of the layer's package with two underscores for each dot, and with its digits where that would be
    the name of another package: two layers of one name can coexist.
    """

    forward: Any
    backward: Any
    jvp: Any
    backward_backward: Any

    def __init__(self, package: str, interface: Interface, numpy: Any, compiled: Any) -> None:
        name = package.replace(".", "__")
        self.name = name if name.replace("__", ".") == package else f"{name}_{package.encode().hex()}"
        layer = LayerProtocol(interface)
        self.kept: Sequence[int] = layer.kept
        self.differentiable: Sequence[int] = layer.differentiable
        self.inputs, self.constants, self.outputs = len(layer.inputs), len(layer.constants) + 1, len(layer.outputs)
        self.results = len(layer.directions["forward"].makes)
        self.casts: Sequence[str | None] = [each.cast for each in layer.outputs]
        self.kernels = TorchKernels(layer, interface, numpy, compiled)
        self.parts = self.kernels.parts
        self.gpu = TorchOnGPU(self.kernels, package)
        self._define()

    def _define(self) -> None:
        if self.name in _libraries:  # the module is imported anew
            _libraries.pop(self.name)._destroy()
        library = _libraries[self.name] = torch.library.Library("lngen", "FRAGMENT")
        for direction, parts in self.parts.items():
            name = f"{self.name}_{direction}"
            library.define(f"{name}{parts.schema()}", tags=(torch.Tag.pt2_compliant_tag,))
            operator = getattr(torch.ops.lngen, name).default
            setattr(self, direction, operator)
            on_processor = getattr(self.kernels, direction)
            library.impl(name, on_processor, "CPU")
            on_gpu = self.gpu.forward if direction == "forward" else partial(self.gpu.later, direction)
            library.impl(name, on_gpu, "CUDA")
            compute = below(operator, on_processor)
            node = NODES[direction](self, compute)
            library.impl(name, differentiated(compute, node), "Autograd", with_keyset=True)
            torch.library.register_fake(f"lngen::{name}", partial(self.kernels.fake, direction), lib=library)
            torch.library.register_vmap(f"lngen::{name}", batched(operator, parts), lib=library)
        for key in _AUTOCAST:
            library.impl(f"{self.name}_forward", self._autocast(key), key)

    def _autocast(self, key: str) -> Callable[..., Any]:
        """Cast rows of several types to the widest of them, so that no sum of rows loses digits.

        Nothing else is cast: kernels compute in float32 at least, and take parameters of another type.
        """
        rows = [number for number, part in enumerate(self.parts["forward"].arguments) if part.kind == "Row"]
        excluded = _C.DispatchKeySet(getattr(_C.DispatchKey, key))

        def forward(*args: Any) -> Any:
            there = [number for number in rows if args[number] is not None]
            widest = args[there[0]].dtype if there else None
            for number in there:
                widest = torch.promote_types(widest, args[number].dtype)
            values = list(args)
            for number in there:
                values[number] = args[number].to(widest)
            with _C._ExcludeDispatchKeyGuard(excluded):
                return self.forward(*values)

        return forward
