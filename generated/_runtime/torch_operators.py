# SPDX-License-Identifier: MIT
"""The four directions of a layer as operators of PyTorch's, made from the layer's `INTERFACE`.

Each takes the inputs and the Constants; all but forward then take what forward kept, which is outputs that are saved
and the row scalars; then come the cotangents or the tangents. An entry that is None is one that was left out, and what
it would have had for a result is a tensor without entries.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .interface import Interface
from .torch_derivatives import NODES
from .torch_dispatch import below, differentiated
from .torch_gpu import OnGPU
from .torch_kernels import Kernels, each, only, torch

__all__ = ["PER_ROW", "Operators", "Part", "Parts"]

_C: Any = torch._C
_AUTOCAST = ("AutocastCPU", "AutocastCUDA")
PER_ROW = ("Row", "RowScalar", "Data")
"""The kinds of which each row has its own."""

_libraries: dict[str, Any] = {}


class Part(NamedTuple):
    """An argument or a result of an operator: its `kind` is that of an input, or Constant."""

    name: str
    kind: str
    optional: bool = False


class Parts:
    """The arguments of an operator and its results."""

    def __init__(self, results: Sequence[Part], *arguments: Sequence[Part]) -> None:
        self.results, self.arguments = results, [part for group in arguments for part in group]
        # A gradient has the name of what it belongs to.
        places = {part.name: place for place, part in enumerate(self.arguments)}
        self.owners = [places.get(part.name) for part in results]

    def schema(self) -> str:
        """The signature as `torch.library` reads it."""
        kinds = [
            "float" if kind == "Constant" else "Tensor?" if optional else "Tensor"
            for _, kind, optional in self.arguments
        ]
        arguments = ", ".join(f"{kind} {part.name}" for kind, part in zip(kinds, self.arguments, strict=True))
        results = ", ".join(["Tensor"] * len(self.results))
        return f"({arguments}) -> {f'({results})' if len(self.results) > 1 else results}"


class Operators:
    """The operators `torch.ops.lngen.NAME_forward`, `NAME_backward`, `NAME_jvp` and `NAME_backward_backward`.

    `name` is that of the layer's package, each dot of it twice an underscore: two of one name live side by side.
    """

    forward: Any
    backward: Any
    jvp: Any
    backward_backward: Any

    def __init__(self, package: str, interface: Interface, numpy: Any, compiled: Any) -> None:
        self.name = package.replace(".", "__")
        inputs = [Part(given["name"], given["kind"], given["default"] is not None) for given in interface["inputs"]]
        constants = [Part(given["name"], "Constant") for given in interface["constants"]]
        outputs = [Part(output["name"], output["kind"]) for output in interface["outputs"]]
        row_scalars = [
            Part(field["name"], "RowScalar") for field in interface["saved"] if field["kind"] == "row scalar"
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
        # No name of a definition ends with an underscore.
        made = [part._replace(name=f"{part.name}_") for part in (*outputs, *row_scalars)]
        kept = [made[number]._replace(name=f"saved_{made[number].name}") for number in self.kept]
        several = len(outputs) > 1
        cotangents = [Part(f"cotangent_{output.name}_", output.kind, several) for output in outputs]
        tangents = [Part(f"tangent_{given.name}_", given.kind, True) for given in moved]
        self.parts = {
            "forward": Parts(made, inputs, constants),
            "backward": Parts(moved, inputs, constants, kept, cotangents),
            "jvp": Parts(made[: self.outputs], inputs, constants, kept, tangents),
            "backward_backward": Parts([*moved, *cotangents], inputs, constants, kept, cotangents, tangents),
        }
        self.kernels = Kernels(interface, numpy, compiled, self.differentiable, self.kept)
        self.gpu = OnGPU(self.kernels, package)
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
            torch.library.register_vmap(f"lngen::{name}", _batched(operator, parts), lib=library)
        for key in _AUTOCAST:
            library.impl(f"{self.name}_forward", self._autocast(key), key)

    def _autocast(self, key: str) -> Callable[..., Any]:
        """Rows of several types are taken in the widest of them, so that no sum of rows loses what one of them has.

        Nothing is cast besides: kernels compute in float32 at the least, and take parameters of another type.
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


def _batched(operator: Any, parts: Parts) -> Callable[..., Any]:
    """The rule of an operator for arguments with a dimension more: rows of all samples are rows.

    A parameter of each sample, or a sum over its rows, takes a call for each.
    """
    is_row = [part.kind in PER_ROW for part in parts.arguments]
    sums = [owner for owner, part in zip(parts.owners, parts.results, strict=True) if part.kind not in PER_ROW]

    def rule(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        size = info.batch_size
        shared = [at is None for at in in_dims]
        args = tuple([value if at is None else value.movedim(at, 0) for value, at in zip(args, in_dims, strict=True)])
        has_sums = any(owner is not None and args[owner] is not None for owner in sums)
        if not has_sums and all(map(max, shared, is_row)):
            together = [
                value.expand(size, *value.shape) if row and one and value is not None else value
                for value, one, row in zip(args, shared, is_row, strict=True)
            ]
            made = operator(*together)
            dims = [None if owner is not None and args[owner] is None else 0 for owner in parts.owners]
            return made, only(dims)
        samples = [
            each(operator(*[value if one else value[number] for value, one in zip(args, shared, strict=True)]))
            for number in range(size)
        ]
        return only([torch.stack(values) for values in zip(*samples, strict=True)]), only([0] * len(parts.results))

    return rule
