# SPDX-License-Identifier: MIT
"""Four directions of a layer as operators of PyTorch, made from the layer's `INTERFACE`.

Each takes the inputs, the Constants, and the flag `by_sample_`. All but forward then take the values that forward
saved, which are outputs and row scalars. Then come the cotangents or the tangents. An absent argument is None, and its
result is a tensor without entries. By sample, every tensor has one more axis, the first: samples have parameters of
their own, and sums over their own rows.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..protocol.interface import Interface
from .derivatives import NODES
from .dispatch import below, differentiated
from .gpu import TorchOnGPU
from .kernels import TorchKernels, torch
from .parts import OperatorValue, OperatorValues
from .samples import batched

__all__ = ["Operators"]

_C: Any = torch._C
_AUTOCAST = ("AutocastCPU", "AutocastCUDA")
_libraries: dict[str, Any] = {}


class Operators:
    """Operators `torch.ops.lngen.NAME_forward`, `NAME_backward`, `NAME_jvp` and `NAME_backward_backward`.

    `name` is the name of the layer's package with two underscores for each dot: two layers of one name can coexist.
    """

    forward: Any
    backward: Any
    jvp: Any
    backward_backward: Any

    def __init__(self, package: str, interface: Interface, numpy: Any, compiled: Any) -> None:
        self.name = package.replace(".", "__")
        inputs = [
            OperatorValue(given["name"], given["kind"], given["default"] is not None) for given in interface["inputs"]
        ]
        constants = [OperatorValue(given["name"], "Constant") for given in interface["constants"]]
        # No name of a definition ends with an underscore.
        constants.append(OperatorValue("by_sample_", "Flag"))
        outputs = [OperatorValue(output["name"], output["kind"]) for output in interface["outputs"]]
        row_scalars = [
            OperatorValue(field["name"], "RowScalar") for field in interface["saved"] if field["kind"] == "row scalar"
        ]
        kept_outputs = [
            number
            for number, output in enumerate(interface["outputs"])
            if any(field["kind"] == "output" and field["of"] == output["name"] for field in interface["saved"])
        ]
        self.kept: Sequence[int] = [*kept_outputs, *range(len(outputs), len(outputs) + len(row_scalars))]
        self.inputs, self.constants, self.outputs = len(inputs), len(constants), len(outputs)
        self.results = len(outputs) + len(row_scalars)
        self.differentiable: Sequence[int] = [number for number, given in enumerate(inputs) if given.kind != "Data"]
        moved = [inputs[number] for number in self.differentiable]
        made = [part._replace(name=f"{part.name}_") for part in (*outputs, *row_scalars)]
        kept = [made[number]._replace(name=f"saved_{made[number].name}") for number in self.kept]
        several = len(outputs) > 1
        cotangents = [OperatorValue(f"cotangent_{output.name}_", output.kind, several) for output in outputs]
        tangents = [OperatorValue(f"tangent_{given.name}_", given.kind, True) for given in moved]
        self.parts = {
            "forward": OperatorValues(made, inputs, constants),
            "backward": OperatorValues(moved, inputs, constants, kept, cotangents),
            "jvp": OperatorValues(made[: self.outputs], inputs, constants, kept, tangents),
            "backward_backward": OperatorValues([*moved, *cotangents], inputs, constants, kept, cotangents, tangents),
        }
        self.kernels = TorchKernels(interface, numpy, compiled, self.differentiable, self.kept)
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
            library.impl(name, getattr(self.gpu, direction), "CUDA")
            compute = below(operator, on_processor)
            node = NODES[direction](self, compute)
            library.impl(name, differentiated(compute, node), "Autograd", with_keyset=True)
            torch.library.register_fake(f"lngen::{name}", getattr(self.kernels, f"{direction}_fake"), lib=library)
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
