"""A layer in PyTorch: its adapter, and the claims about operators, modules and compilation."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from lngen.checks.claim import Claim, NotRun
from lngen.checks.frameworks import SAMPLES, FrameworkAdapter, assert_close
from lngen.checks.layer import as_tuple
from lngen.checks.on_rows import on_rows
from lngen.checks.placed_rows import PlacedRows
from lngen.emit.class_names import attribute, class_of
from lngen.runtime.emitted import is_emitted
from lngen.runtime.protocol.casts import dtype


class InTorch(FrameworkAdapter):
    """A layer in PyTorch."""

    checker = "gradcheck"

    @cached_property
    def layer(self) -> Any:
        """The layer; of one whose axes have names, calls of it on rows."""
        found, layout, torch = self.module._LAYER, self.definition.layout, self.torch
        if layout is None:
            return found
        placed = PlacedRows(self.definition, layout, found.call, torch.cat)
        known = {"operators": found.operators, "kept": found.kept, "folder": found.folder}
        known |= {"has_kernels": found.has_kernels and placed.is_possible, "operands": placed.arguments}
        # Else by its operations, which take arrays that have all axes.
        call = placed if placed.is_possible else PlacedRows(self.definition, layout, self.module._rows)
        return SimpleNamespace(call=call, takes_rows=placed.is_possible, **known)

    @property
    def takes_rows(self) -> bool:
        """Test whether the layer itself can be called on rows."""
        return self.definition.layout is None or bool(self.layer.takes_rows)

    def operands(self, *values: Any) -> list[Any]:
        """Return the arguments of the layer's operators, of inputs on rows and Constants."""
        return list(values) if self.definition.layout is None else self.layer.operands(*values)

    @property
    def torch(self) -> Any:
        """PyTorch."""
        import torch

        return torch

    @property
    def func(self) -> Any:
        """PyTorch's transformations, and a function to apply to gradients."""
        return SimpleNamespace(**vars(self.torch.func), sin=self.torch.sin)

    @property
    def host(self) -> Any:
        """The kernels that `cpu_backend` calls too, on rows; None if the layer calls none."""
        layer = self.layer
        if not layer.has_kernels or not is_emitted(layer.folder, "cpu"):
            return None
        return on_rows(import_module(f"{self.module.__package__}.cpu_backend"))

    def array(self, value: Any) -> Any:
        """Make a tensor in memory of its own, on the processor or where the setting says."""
        if value is None or isinstance(value, float):
            return value
        if np.asarray(value).dtype.isbuiltin == 1:
            return self.torch.tensor(value)
        return self.torch.tensor(value.view(f"i{value.itemsize}")).view(getattr(self.torch, value.dtype.name))

    def value(self, array: Any) -> Any:
        """Read a tensor."""
        if array is None:
            return None
        name = str(array.dtype).removeprefix("torch.")
        if name != "bfloat16" and not name.startswith("float8"):
            return array.detach().cpu().numpy()
        kind = dtype(name)
        return array.detach().cpu().view(getattr(self.torch, f"int{8 * kind.itemsize}")).numpy().view(kind)

    def recorded(self, inputs: Sequence[Any], places: Sequence[int] | None = None) -> list[Any]:
        """The inputs with recorded gradients, all or those at some places, without those that are left out."""
        wanted = self.differentiable if places is None else places
        return [
            each if each is None else each.detach().requires_grad_(place in wanted) for place, each in enumerate(inputs)
        ]

    def pulled(
        self, call: Callable[..., tuple[Any, ...]], inputs: Sequence[Any], places: Sequence[int] | None = None
    ) -> tuple[Any, Any]:
        """Return the results of a call, and a function of their cotangents that gives the gradients."""
        given = self.recorded(inputs, places)
        made = call(*given)
        moved = [given[place] for place in (self.differentiable if places is None else places)]

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            every = zip(made, cotangents, strict=True)
            pairs = [(each, by) for each, by in every if by is not None and each.requires_grad]
            present = [each for each in moved if each is not None]
            if not pairs:  # integers have no gradient
                return tuple(None if each is None else self.torch.zeros_like(each) for each in moved)
            there, by = map(list, zip(*pairs, strict=True))
            made_of = self.torch.autograd.grad(there, present, by, retain_graph=True, allow_unused=True)
            found = iter(self.torch.zeros_like(x) if g is None else g for x, g in zip(present, made_of, strict=True))
            return tuple(None if each is None else next(found) for each in moved)

        return made, pull

    def moved_along(
        self,
        call: Callable[..., tuple[Any, ...]],
        inputs: Sequence[Any],
        cotangents: Sequence[Any],
        along: Sequence[Any],
    ) -> Sequence[Any]:
        """Return the derivatives of <along, gradients> by inputs that have a gradient, and by cotangents."""
        grad = self.torch.autograd.grad
        given, by = self.recorded(inputs), [each.requires_grad_() for each in cotangents]
        moved = [given[place] for place in self.differentiable if given[place] is not None]
        gradients = grad(call(*given), moved, by, create_graph=True)
        total = sum((a * b).sum() for a, b in zip(along, gradients, strict=True))
        leaves = [*moved, *by]
        found = grad(total, leaves, allow_unused=True)
        if all(each is None for each in found):  # as those of a function that is differentiable once
            raise NotRun("the gradients have no derivative")
        return [self.torch.zeros_like(leaf) if each is None else each for leaf, each in zip(leaves, found, strict=True)]

    def against_differences(
        self, call: Callable[..., Any], inputs: Sequence[Any], order: int, *, batched: bool = True
    ) -> None:
        """Hold derivatives to an order against differences, as PyTorch does. Raises for those that are wrong."""
        check = self.torch.autograd
        given = [each.detach().requires_grad_() for each in inputs]
        if order == 1:
            each_way = {"check_batched_forward_grad": batched, "check_batched_grad": batched}
            check.gradcheck(call, given, check_forward_ad=True, **each_way)
        else:
            check.gradgradcheck(call, given, check_fwd_over_rev=batched, check_batched_grad=batched)


def _operator(direction: str) -> Callable[[InTorch], None]:
    def check(of: InTorch) -> None:
        if not of.module._LAYER.has_kernels:
            raise NotRun("operators call kernels, and there is no C++ compiler; install g++, or name one in CXX")
        if not of.layer.has_kernels:
            raise NotRun("kernels read arrays by the names of their axes, and this claim passes rows")
        operands = of.operands(*of.recorded(of.arguments()), *of.constants)
        operators = of.layer.operators
        if direction == "backward":  # which is not differentiated: another function is where that is asked for
            operands = of.operands(*of.arguments(), *of.constants)
            *made, kept = operators.forward(*operands)
            operands = [*operands, kept, *(made[place] for place in of.layer.kept), *map(of.torch.ones_like, made)]
        of.torch.library.opcheck(getattr(operators, direction), tuple(operands))

    return check


def _hessians(of: InTorch) -> None:
    func, inputs = of.torch.func, of.arguments()
    for place in of.differentiable:

        def loss(x: Any, place: int = place) -> Any:
            return of.loss(*inputs[:place], x, *inputs[place + 1 :])

        expected = of.torch.autograd.functional.hessian(loss, inputs[place])
        for outer, inner in ((func.jacfwd, func.jacrev), (func.jacrev, func.jacfwd), (func.jacrev, func.jacrev)):
            of.torch.testing.assert_close(outer(inner(loss))(inputs[place]), expected)


def _compiled(of: InTorch, backend: str = "aot_eager") -> None:
    inputs, places, call, constants = of.recorded(of.arguments()), of.differentiable, of.layer.call, of.constants

    def loss(*given: Any) -> Any:
        return sum((each**2).sum() for each in of.uncast(as_tuple(call(*given, *constants))))

    of.torch.compiler.reset()  # a program is compiled anew for so many layers only
    compiled = of.torch.compile(loss, fullgraph=True, backend=backend)
    chosen: Sequence[Any] = [inputs[place] for place in places]
    made = compiled(*inputs), loss(*inputs)
    of.torch.testing.assert_close(*made)
    of.torch.testing.assert_close(*[of.torch.autograd.grad(each, chosen) for each in made])


def _compiled_by_inductor(of: InTorch) -> None:
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.exc import InvalidCxxCompiler

    try:
        get_cpp_compiler()
    except InvalidCxxCompiler:
        raise NotRun("Inductor finds no C++ compiler; install g++, or name one in CXX") from None
    _compiled(of, "inductor")


def _exported(of: InTorch) -> None:
    torch, entries, values = of.torch, of.definition.positional, of.arguments(SAMPLES)
    if of.definition.layout:
        raise NotRun("the module takes arrays whose axes have names, and this claim passes rows")
    module = _module(of, values)
    pairs = zip(values, entries, strict=True)
    given, per_row = zip(*((v, e.kind.over_rows) for v, e in pairs if e not in of.definition.parameters), strict=True)
    fewer = tuple(each[:2] if one else each for each, one in zip(given, per_row, strict=True))
    samples = {0: torch.export.Dim("samples")}
    program = torch.export.export(module, fewer, dynamic_shapes=[samples if one else {} for one in per_row])
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    found = as_tuple(torch.export.load(file).module()(*given))
    for value, other in zip(found, of.outputs(*values), strict=True):  # the program has the operations of PyTorch
        assert_close(of, value, other)


def _module(of: InTorch, values: Sequence[Any]) -> Any:
    """Return the layer's module, with parameters from the values of the inputs."""
    definition, entries = of.definition, of.definition.positional
    constants = {attribute(name): value for name, value in of.named_constants.items()}
    size = [of.features] if definition.features else []
    dtype = {"dtype": of.torch.float64} if definition.features or definition.scalars else {}
    made = getattr(of.module, class_of(definition.name))(*size, **constants, **dtype)
    with of.torch.no_grad():
        for entry, value in zip(entries, values, strict=True):
            if entry in definition.parameters:
                getattr(made, attribute(definition.public(entry.name))).copy_(value)
    return made


InTorch.own = (
    # PyTorch's check adds up and exports results, which it cannot for floats of 8 bits.
    *(Claim(f"torch.library.opcheck of {name}", _operator(name), no_casts=True) for name in ("forward", "backward")),
    Claim("hessian: jacfwd of jacrev, jacrev of jacfwd, jacrev of jacrev", _hessians, every_direction=True),
    Claim("torch.compile without a graph break", _compiled),
    Claim("torch.compile by Inductor, as one graph", _compiled_by_inductor),
    Claim("torch.export of the module, saved, loaded, with more rows", _exported),
)
