"""Evidence about a layer in PyTorch: its operators under PyTorch's own checks, and every transformation of them."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from lngen.check import frameworks
from lngen.check.apart import Tell
from lngen.check.evidence import Evidence
from lngen.check.frameworks import SAMPLES, NotRun, as_tuple, claims, require
from lngen.emit.class_names import attribute, class_of
from lngen.language.definition import Definition
from lngen.runtime.protocol.directions import DIRECTIONS


def in_torch(
    definition: Definition, module: ModuleType, seed: int = 0, tell: Tell = lambda what: None
) -> Iterator[Evidence]:
    """A claim for each check of `torch_backend` of a layer, in float64 on a few rows.

    An exception of the emitted code or of PyTorch's is a claim that does not hold. `tell` is told of each check.
    """
    checks: dict[str, Callable[[TorchSubject], object]] = {
        "values and gradients are those of the kernels": _values,
        **{f"torch.library.opcheck of {name}": _operator(name) for name in DIRECTIONS},
        "hessian: jacfwd and jacrev, each of each": _hessians,
        "vmap of rows, of parameters, and of their gradients": _samples,
        "torch.compile without a graph break": _compiled,
        "torch.compile by Inductor, as one graph": _compiled_by_inductor,
        "torch.export of the module, saved, loaded, with more rows": _exported,
    }
    differenced = {
        "gradcheck, forward mode too, batched": _first_order,
        "gradgradcheck, forward over reverse too, batched": _second_order,
        "gradcheck with every optional input left out": _left_out,
        "reverse over forward": _reverse_over_forward,
    }
    yield from claims(TorchSubject(definition, module, seed), checks, differenced, tell=tell)


@dataclass(frozen=True)
class TorchSubject(frameworks.FrameworkSubject):
    """A layer in PyTorch."""

    @property
    def torch(self) -> Any:
        import torch

        return torch

    def arguments(self, *samples: int, draw: int = 0) -> list[Any]:
        """Return inputs without the Constants, with recorded gradients."""
        entries = self.definition.positional
        return [
            made.requires_grad_(entry.kind.has_gradient)
            for made, entry in zip(self.detached(*samples, draw=draw), entries, strict=True)
        ]

    def detached(self, *samples: int, draw: int = 0) -> list[Any]:
        """Return the same arguments without recorded gradients."""
        return [self.torch.from_numpy(array) for array in self.arrays(*samples, draw=draw)]

    def samples(self) -> list[Any]:
        """Return arguments of some samples, each with parameters of its own."""
        drawn = [self.detached(draw=number) for number in range(SAMPLES)]
        pairs = zip(self.definition.positional, zip(*drawn, strict=True), strict=True)
        return [self.torch.stack(each).requires_grad_(entry.kind.has_gradient) for entry, each in pairs]


def _values(of: TorchSubject) -> None:
    kernels, inputs = of.layer.operators.kernels, of.arguments()
    with of.torch.no_grad():
        outputs = of.outputs(*inputs)
    arrays = [each.detach().numpy() for each in inputs]
    host = kernels.host
    made, saved = host.forward(*arrays, **of.named_constants)
    same = [(a.numpy() == b).all() for a, b in zip(outputs, as_tuple(made), strict=True)]
    require(all(same), "outputs differ from those of the kernels")
    recorded = of.outputs(*inputs)
    ones = [of.torch.ones_like(each) for each in recorded]
    places = of.differentiable
    found = of.torch.autograd.grad(recorded, [inputs[place] for place in places], ones)
    expected = host.backward(saved, *[each.numpy() for each in ones])
    same = [(a.numpy() == b).all() for a, b in zip(found, expected, strict=True)]
    require(all(same), "gradients differ from those of the kernels")


def _operator(direction: str) -> Callable[[TorchSubject], object]:
    def check(of: TorchSubject) -> None:
        operators = of.layer.operators
        for by_sample, draw in ((False, of.arguments), (True, of.samples)):
            inputs = draw()
            made = as_tuple(operators.forward(*[each.detach() for each in inputs], *of.constants, by_sample))
            kept = [made[number] for number in operators.kept]
            cotangents = [of.torch.ones_like(each) for each in made[: operators.outputs]]
            moved = [of.torch.ones_like(inputs[number]) for number in operators.differentiable]
            if direction == "backward_backward":  # which is not differentiated
                inputs = [each.detach() for each in inputs]
            fixed = [*inputs, *of.constants, by_sample]
            operands = {
                "forward": fixed,
                "backward": [*fixed, *kept, *cotangents],
                "jvp": [*fixed, *kept, *moved],
                "backward_backward": [*fixed, *kept, *cotangents, *moved],
            }
            of.torch.library.opcheck(getattr(operators, direction), tuple(operands[direction]))

    return check


def _first_order(of: TorchSubject) -> None:
    of.torch.autograd.gradcheck(
        of.call, of.arguments(), check_forward_ad=True, check_batched_forward_grad=True, check_batched_grad=True
    )


def _second_order(of: TorchSubject) -> None:
    of.torch.autograd.gradgradcheck(of.call, of.arguments(), check_fwd_over_rev=True, check_batched_grad=True)


def _left_out(of: TorchSubject) -> None:
    is_there = of.required
    given = [value for value, here in zip(of.arguments(), is_there, strict=True) if here]

    def call(*values: Any) -> Any:
        left = iter(values)
        return of.call(*[next(left) if here else None for here in is_there])

    of.torch.autograd.gradcheck(call, given, check_forward_ad=True)
    of.torch.autograd.gradgradcheck(call, given)


def _reverse_over_forward(of: TorchSubject) -> None:
    inputs, moved, places = of.arguments(), of.detached(draw=1), of.differentiable

    def pushed(*given: Any) -> Any:
        def loss(*chosen: Any) -> Any:
            values = dict(zip(places, chosen, strict=True))
            return of.loss(*[values.get(place, each) for place, each in enumerate(inputs)])

        return of.torch.func.jvp(loss, given, tuple(moved[place] for place in places))[1]

    of.torch.autograd.gradcheck(pushed, [inputs[place] for place in places])


def _hessians(of: TorchSubject) -> None:
    func, inputs = of.torch.func, of.detached()
    for place in of.differentiable:

        def loss(x: Any, place: int = place) -> Any:
            return of.loss(*inputs[:place], x, *inputs[place + 1 :])

        expected = of.torch.autograd.functional.hessian(loss, inputs[place])
        for outer, inner in itertools.product((func.jacfwd, func.jacrev), repeat=2):
            of.torch.testing.assert_close(outer(inner(loss))(inputs[place]), expected)


def _samples(of: TorchSubject) -> None:
    func, torch, places = of.torch.func, of.torch, of.differentiable
    entries = of.definition.positional
    of_rows = [0 if entry.kind.over_rows else None for entry in entries]
    every = [each.detach() for each in of.samples()]
    functions = (
        of.loss,
        func.grad(of.loss, places),
        func.grad(lambda *given: sum(each.sin().sum() for each in func.grad(of.loss, places)(*given)), places),
    )
    for inputs, dims in ((of.detached(SAMPLES), of_rows), (every, [0] * len(entries))):
        for function in functions:
            together = as_tuple(func.vmap(function, tuple(dims))(*inputs))
            alone = [
                as_tuple(function(*[each if at is None else each[n] for each, at in zip(inputs, dims, strict=True)]))
                for n in range(SAMPLES)
            ]
            torch.testing.assert_close(together, tuple(torch.stack(each) for each in zip(*alone, strict=True)))


def _compiled(of: TorchSubject, backend: str = "aot_eager") -> None:
    inputs, places, call, constants = of.arguments(), of.differentiable, of.layer.call, of.constants

    def loss(*given: Any) -> Any:
        return sum((each**2).sum() for each in as_tuple(call(*given, *constants)))

    of.torch.compiler.reset()  # a program is compiled anew for so many layers only
    compiled = of.torch.compile(loss, fullgraph=True, backend=backend)
    chosen: Sequence[Any] = [inputs[place] for place in places]
    made = compiled(*inputs), loss(*inputs)
    of.torch.testing.assert_close(*made)
    of.torch.testing.assert_close(*[of.torch.autograd.grad(each, chosen) for each in made])


def _compiled_by_inductor(of: TorchSubject) -> None:
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.exc import InvalidCxxCompiler

    try:
        get_cpp_compiler()
    except InvalidCxxCompiler:
        raise NotRun("Inductor finds no C++ compiler; install g++, or name one in CXX") from None
    _compiled(of, "inductor")


def _exported(of: TorchSubject) -> None:
    torch, entries, values = of.torch, of.definition.positional, of.detached(SAMPLES)
    module = _module(of, values)
    given = [value for value, entry in zip(values, entries, strict=True) if entry.kind.over_rows]
    fewer = tuple(each[:2] for each in given)
    program = torch.export.export(module, fewer, dynamic_shapes=[{0: torch.export.Dim("samples")}] * len(given))
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    found = as_tuple(torch.export.load(file).module()(*given))
    torch.testing.assert_close(found, of.outputs(*values), rtol=0, atol=0)


def _module(of: TorchSubject, values: Sequence[Any]) -> Any:
    """Return the layer's module, with parameters from the values of the inputs."""
    definition, entries = of.definition, of.definition.positional
    constants = {attribute(name): value for name, value in of.named_constants.items()}
    size = [of.features] if definition.features else []
    dtype = {"dtype": of.torch.float64} if definition.features or definition.scalars else {}
    made = getattr(of.module, class_of(definition.name))(*size, **constants, **dtype)
    with of.torch.no_grad():
        for entry, value in zip(entries, values, strict=True):
            if not entry.kind.over_rows:
                getattr(made, attribute(definition.public(entry.name))).copy_(value)
    return made
