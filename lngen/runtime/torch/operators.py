# SPDX-License-Identifier: MIT
"""A layer as an operator of PyTorch with its gradient, to which programs are compiled.

On a GPU a compiled program does not keep the operator: it sees the launches of Triton's kernels, and plans around them.

Forward takes the inputs, the Constants and the sizes of axes. It returns the outputs, then the row scalars in one
tensor. Backward takes the same, the row scalars, the outputs that are kept, and the cotangents. An absent argument is
None, and its result is a tensor without entries.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from . import gpu
from .guards import FunctionalTensorMode, torch

_libraries: dict[str, Any] = vars(torch.ops.lngen).setdefault("libraries", {})  # it outlives this module, as they do
_KERNELS: dict[str, Any] = vars(torch._library.triton).get("triton_ops_to_kernels", {})


class _KernelsOf:
    """The kernels of a layer, by whose text PyTorch knows a program that it has compiled before."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __iter__(self) -> Iterator[Any]:
        return (each for each in vars(self.layer.triton).values() if hasattr(each, "src"))


class Operators:
    """Operators `torch.ops.lngen.NAME_forward` and `NAME_backward`.

    `name` is the name of the layer's package with two underscores for each dot, and with its digits where that would be
    the name of another package: two layers of one name can coexist.
    """

    def __init__(self, package: str, layer: Any) -> None:
        name = package.replace(".", "__")
        self.name = name if name.replace("__", ".") == package else f"{name}_{package.encode().hex()}"
        self.layer = layer
        if self.name in _libraries:  # the module is imported anew
            _libraries.pop(self.name)._destroy()
        library = _libraries[self.name] = torch.library.Library("lngen", "FRAGMENT")
        inputs = [f"Tensor{'?' * (not r)} {n}" for n, r in zip(layer.inputs, layer.required, strict=True)]
        inputs += [*(f"float {each}" for each in layer.constants), *(f"SymInt {each}" for each in layer.sizes)]
        others = ["Tensor saved_", *(f"Tensor kept_{place}_" for place in layer.kept)]
        others += [f"Tensor{'?' * (layer.outputs > 1)} cotangent_{place}_" for place in range(layer.outputs)]
        results = layer.outputs + 1, len(layer.differentiable)
        for direction, arguments, count in zip(
            ("forward", "backward"), (inputs, inputs + others), results, strict=True
        ):
            returned = ", ".join(["Tensor"] * count)
            schema = f"({', '.join(arguments)}) -> {f'({returned})' if count > 1 else returned}"
            library.define(f"{self.name}_{direction}{schema}", tags=(torch.Tag.pt2_compliant_tag,))
            own = getattr(self, f"_{direction}")
            for key in ("CPU", "CUDA", "XPU"):
                library.impl(f"{self.name}_{direction}", own, key)
            name = f"lngen::{self.name}_{direction}"
            torch.library.register_torch_dispatch(name, FunctionalTensorMode, partial(self._seen, own), lib=library)
            _KERNELS[name] = _KernelsOf(layer)
            fake = getattr(self, f"_fake_{direction}")
            torch.library.register_fake(f"lngen::{self.name}_{direction}", fake, lib=library)
        self.forward: Any = getattr(torch.ops.lngen, f"{self.name}_forward").default
        self.backward: Any = getattr(torch.ops.lngen, f"{self.name}_backward").default
        torch.library.register_autograd(
            f"lngen::{self.name}_forward", self._gradients, setup_context=self._keep, lib=library
        )

    def _seen(self, function: Callable[..., Any], mode: Any, call: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Return the results of a call of which a program is made: on a GPU by what the program is to have."""
        if gpu.is_supported(self.layer.row(args).device):
            try:
                with mode:
                    return function(*args)
            except gpu.NotSeen:
                pass
        return mode.__torch_dispatch__(call, types, args, kwargs)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _forward(self, *values: Any) -> Any:
        layer, row = self.layer, self.layer.row(values)
        if row.numel() and gpu.is_supported(row.device):
            outputs, saved = layer.emitted.forward_on_gpu(layer.triton, True, *values)
            return *outputs, torch.stack(saved) if saved else row.new_empty(0)
        made = layer.made(values, None) if row.numel() and row.is_cpu and layer.has_kernels else None
        # Without rows or kernels, or wrong: the decomposition has the words for it.
        outputs = layer.arranged(made[:-1], values) if made else layer.results(layer.decomposed(*values))
        kept = made and made[-1]
        return *[each.contiguous() for each in outputs], kept if isinstance(kept, torch.Tensor) else row.new_empty(0)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _backward(self, *values: Any) -> Any:
        layer, (inputs, kept, *others) = self.layer, self._parted(values)
        if layer.row(inputs).numel() and gpu.is_supported(kept.device):
            saved = kept.unbind() if kept.ndim > 1 else ()
            numbers = values[layer.count : len(values) - len(others) - 1]
            wide = [each if each is None or each.itemsize > 1 else each.float() for each in others]
            return self._made(layer.emitted.backward_on_gpu(layer.triton, saved, *inputs, *numbers, *wide), inputs)
        if layer.row(inputs).numel() and kept.is_cpu and layer.has_kernels:
            return self._made(layer.pulled(kept, [*inputs, *others], values), inputs)
        own = [*inputs]
        for place in layer.differentiable:
            own[place] = own[place] if own[place] is None else own[place].detach().requires_grad_()
        numbers, sizes = layer.numbers(values)
        found = layer.by_decomposition((*own, *numbers, *sizes), others[-layer.outputs :])
        if layer.row(inputs).numel() and all(each is None for each in found):  # autograd is off in a compiled program
            raise RuntimeError("a compiled program of this call needs a C++ compiler; install one, or call it as it is")
        return self._made(found, inputs)

    def _made(self, found: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Gradients as an operator returns them."""
        places, row = self.layer.differentiable, self.layer.row(inputs)
        made = [
            row.new_empty(0, dtype=torch.float32)
            if inputs[place] is None
            else torch.zeros_like(inputs[place])
            if found[place] is None
            else found[place].to(inputs[place].dtype).contiguous()
            for place in places
        ]
        return tuple(made) if len(made) > 1 else made[0]

    def _parted(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The inputs, and then each further argument of backward besides numbers."""
        first, layer = self.layer.count, self.layer
        return values[:first], *values[first + len(layer.constants) + len(layer.sizes) :]

    # ---- on what has a shape and a type, and no entries

    def _fake_forward(self, *values: Any) -> Any:
        """Tensors as forward makes them. Raises TypeError or ValueError where forward would."""
        layer = self.layer
        if gpu.is_supported(layer.row(values).device):
            with gpu.shapes_alone():
                return self._forward(*values)
        made = [each.new_empty(each.shape) for each in layer.results(layer.decomposed(*values))]
        return *made, layer.room(values)

    def _fake_backward(self, *values: Any) -> Any:
        inputs, *_ = self._parted(values)
        return self._made([each if each is None else each.new_empty(each.shape) for each in inputs], inputs)

    # ---- the derivative

    def _keep(self, ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        """Save what backward takes."""
        layer, ctx.numbers = self.layer, inputs[self.layer.count :]
        ctx.save_for_backward(*inputs[: layer.count], output[-1], *[output[place] for place in layer.kept])
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(output[-1], *[output[place] for place in layer.integers])

    def _gradients(self, ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
        """The gradient of each argument, by the decomposition where it is to be differentiated again."""
        layer, tensors, own = self.layer, ctx.saved_tensors, cotangents[:-1]
        values = (*tensors[: layer.count], *ctx.numbers)
        found: Sequence[Any] = [None] * layer.count
        if torch.is_grad_enabled() and any(each is not None for each in own):
            found = layer.by_decomposition(values, own)
        elif any(each is not None for each in own):
            made = iter(layer.results(self.backward(*values, *tensors[layer.count :], *own)))
            places = {*layer.differentiable}
            found = [next(made) if place in places else None for place in range(layer.count)]
            found = [None if value is None else each for each, value in zip(found, values, strict=False)]
        return *found, *[None] * len(ctx.numbers)
