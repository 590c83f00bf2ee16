# SPDX-License-Identifier: MIT
"""A layer as an operator of PyTorch with its gradient, to which programs are compiled for the processor.

Forward takes the inputs and the Constants, and returns the outputs, then the row scalars in one tensor. Backward takes
the same, the row scalars, the outputs that are kept, and the cotangents. An absent argument is None, and its result is
a tensor without entries.
"""

from collections.abc import Sequence
from typing import Any

from .guards import torch

_libraries: dict[str, Any] = vars(torch.ops.lngen).setdefault("libraries", {})  # it outlives this module, as they do


class Operators:
    """Operators `torch.ops.lngen.NAME_forward` and `NAME_backward`.

    `name` is the name of the layer's package with two underscores for each dot, and with its digits where that would be
    the name of another package: two layers of one name can coexist.
    """

    def __init__(self, package: str, layer: Any) -> None:
        name = package.replace(".", "__")
        self.name = name if name.replace("__", ".") == package else f"{name}_{package.encode().hex()}"
        self.layer, of = layer, layer.protocol
        if self.name in _libraries:  # the module is imported anew
            _libraries.pop(self.name)._destroy()
        library = _libraries[self.name] = torch.library.Library("lngen", "FRAGMENT")
        inputs = [f"Tensor{'?' * each.may_be_none} {each.name}" for each in of.inputs]
        inputs += [f"float {each.name}" for each in of.constants]
        others = ["Tensor saved_", *(f"Tensor saved_{of.outputs[place].name}_" for place in layer.kept)]
        others += [f"Tensor{'?' * (layer.outputs > 1)} cotangent_{each.name}_" for each in of.outputs]
        results = layer.outputs + 1, len(of.differentiable)
        for direction, arguments, count in zip(
            ("forward", "backward"), (inputs, inputs + others), results, strict=True
        ):
            returned = ", ".join(["Tensor"] * count)
            schema = f"({', '.join(arguments)}) -> {f'({returned})' if count > 1 else returned}"
            library.define(f"{self.name}_{direction}{schema}", tags=(torch.Tag.pt2_compliant_tag,))
            library.impl(f"{self.name}_{direction}", getattr(self, f"_{direction}"), "CPU")
            fake = getattr(self, f"_fake_{direction}")
            torch.library.register_fake(f"lngen::{self.name}_{direction}", fake, lib=library)
        self.forward: Any = getattr(torch.ops.lngen, f"{self.name}_forward").default
        self.backward: Any = getattr(torch.ops.lngen, f"{self.name}_backward").default
        torch.library.register_autograd(
            f"lngen::{self.name}_forward", self._gradients, setup_context=self._keep, lib=library
        )

    def _forward(self, *values: Any) -> Any:
        layer, inputs = self.layer, values[: self.layer.count]
        kept = None
        if (row := layer.row(inputs)).numel() and (given := layer.dense(inputs)) and layer.fits(given, values):
            made, kept = layer.backend().forward(given, values[layer.count :])
            made = layer.shaped(made, inputs)
        else:  # without rows, or wrong: the decomposition has the words for it
            made = layer.results(layer.decomposed(*values))
        return *[each.contiguous() for each in made], kept if isinstance(kept, torch.Tensor) else row.new_empty(0)

    def _backward(self, *values: Any) -> Any:
        layer, (inputs, constants, kept, *others) = self.layer, self._parted(values)
        if layer.row(inputs).numel():
            found = layer.pulled(layer.backend(), kept, [*inputs, *others], constants)
        else:
            found = [None if each is None else each.new_zeros(each.shape) for each in inputs]
        return self._made(found, inputs)

    def _made(self, found: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Gradients as an operator returns them."""
        places, row = self.layer.protocol.differentiable, self.layer.row(inputs)
        made = [
            row.new_empty(0, dtype=torch.float32)
            if inputs[place] is None
            else found[place].to(inputs[place].dtype).contiguous()
            for place in places
        ]
        return tuple(made) if len(made) > 1 else made[0]

    def _parted(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The inputs, the Constants, and then each further argument of backward."""
        first, end = self.layer.count, self.layer.count + len(self.layer.protocol.constants)
        return values[:first], values[first:end], *values[end:]

    # ---- on what has a shape and a type, and no entries

    def _fake_forward(self, *values: Any) -> Any:
        """Tensors as forward makes them. Raises TypeError or ValueError where forward would."""
        layer, inputs = self.layer, values[: self.layer.count]
        made = [each.new_empty(each.shape) for each in layer.results(layer.decomposed(*values))]
        return *made, layer.room(inputs)

    def _fake_backward(self, *values: Any) -> Any:
        inputs, *_ = self._parted(values)
        return self._made([each if each is None else each.new_empty(each.shape) for each in inputs], inputs)

    # ---- the derivative

    def _keep(self, ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        """Save what backward takes."""
        layer, ctx.constants = self.layer, inputs[self.layer.count :]
        ctx.save_for_backward(*inputs[: layer.count], output[-1], *[output[place] for place in layer.kept])
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(output[-1], *[output[place] for place in layer.integers])

    def _gradients(self, ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
        """The gradient of each argument, by the decomposition where it is to be differentiated again."""
        layer, tensors, own = self.layer, ctx.saved_tensors, cotangents[:-1]
        values = (*tensors[: layer.count], *ctx.constants)
        found: Sequence[Any] = [None] * layer.count
        if torch.is_grad_enabled() and any(each is not None for each in own):
            found = layer.by_decomposition(values, own)
        elif any(each is not None for each in own):
            made = iter(layer.results(self.backward(*values, *tensors[layer.count :], *own)))
            places = {*layer.protocol.differentiable}
            found = [next(made) if place in places else None for place in range(layer.count)]
            found = [None if value is None else each for each, value in zip(found, values, strict=False)]
        return *found, *[None] * len(ctx.constants)
