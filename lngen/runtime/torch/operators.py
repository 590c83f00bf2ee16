# SPDX-License-Identifier: MIT
"""A layer as an operator of PyTorch with its gradient, to which programs are compiled.

Each takes the inputs, the Constants, and a flag that is False. That of the gradient then takes the values that forward
saved, which are outputs and row scalars, and the cotangents. An absent argument is None, and its result is a tensor
without entries.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..protocol.directions import LayerProtocol
from ..protocol.interface import Interface
from .derivatives import by_decomposition, of_inputs, straight, without_gradient
from .gpu import TorchOnGPU
from .kernels import TorchKernels, each, torch

_C: Any = torch._C
_AUTOCAST = ("AutocastCPU", "AutocastCUDA")
_libraries: dict[str, Any] = vars(torch.ops.lngen).setdefault("libraries", {})  # it outlives this module, as they do


class Operators:
    """Operators `torch.ops.lngen.NAME_forward` and `NAME_backward`.

    `name` is the name of the layer's package with two underscores for each dot, and with its digits where that would be
    the name of another package: two layers of one name can coexist.
    """

    forward: Any
    backward: Any

    def __init__(
        self,
        package: str,
        interface: Interface,
        numpy: Any,
        compiled: Any,
        decomposed: Callable[[Sequence[Any]], Any],
    ) -> None:
        name = package.replace(".", "__")
        self.name = name if name.replace("__", ".") == package else f"{name}_{package.encode().hex()}"
        self.decomposed = decomposed
        layer = LayerProtocol(interface)
        self.kept: Sequence[int] = layer.kept
        self.differentiable: Sequence[int] = layer.differentiable
        self.inputs, self.constants, self.outputs = len(layer.inputs), len(layer.constants) + 1, len(layer.outputs)
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
            torch.library.register_fake(f"lngen::{name}", partial(self.kernels.fake, direction), lib=library)
        forward = f"lngen::{self.name}_forward"
        torch.library.register_autograd(forward, self._gradients, setup_context=self._keep, lib=library)
        for key in _AUTOCAST:
            library.impl(f"{self.name}_forward", self._autocast(key), key)

    # ---- the derivative

    def _keep(self, ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        """Save what backward takes."""
        made, first = each(output), self.inputs
        ctx.save_for_backward(*inputs[:first], *[made[number] for number in self.kept])
        ctx.further = inputs[first:]
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*made[self.outputs :], *without_gradient(self, made))

    def _gradients(self, ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
        """The gradient of each argument, by the decomposition where it is to be differentiated again."""
        own, tensors, first = cotangents[: self.outputs], ctx.saved_tensors, self.inputs
        values = (*tensors[:first], *ctx.further)
        if all(value is None for value in own):
            found: list[Any] = [None] * first
        elif torch.is_grad_enabled():
            found = by_decomposition(self, values, own)
        else:
            made = self.backward(*values, *tensors[first:], *straight(self, values, own))
            found = of_inputs(self, values, each(made))
        return *found, *[None] * self.constants

    # ---- types

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
