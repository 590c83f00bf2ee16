# SPDX-License-Identifier: MIT
"""A layer as a function of tensors: the long way of a call, where the emitted file has the straight one.

Kernels take calls on the processor that nobody else has a say in: those compiled for it, else NumPy. Programs that are
compiled have the layer's operator, and all else the decomposition, which PyTorch differentiates to any order.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

from ..native import compiler as host_compiler
from ..numpy.axes import on_rows
from ..protocol.axes import without_axes
from ..protocol.calls import constant
from ..protocol.casts import TARGETS
from ..protocol.directions import FEATURE, NUMBER, ROW, ROW_SCALAR, Entry, LayerProtocol, leading
from ..protocol.interface import Interface, labels
from ..protocol.parameters import is_parameter
from .guards import (
    SAME_SHAPE,
    Node,
    Tensor,
    are_alone,
    forward_ad,
    is_recorded,
    is_tensor_like,
    is_traced,
    layout,
    run_anyhow,
    takes_operator,
    torch,
    whole,
)
from .host import OnNumPy
from .operators import Operators

Result = TypeVar("Result")

_LETTERS = {ROW: "r", ROW_SCALAR: "s", FEATURE: "f", NUMBER: "n"}
_WHOLE = {letter: whole for whole, letter in SAME_SHAPE.items()}
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_LEAST, _LARGEST = -(2**31), 2**31 - 1


def _letter(each: Entry) -> str:
    """The letter of an input in a form of guards.py."""
    letter = _LETTERS[each.part]
    letter = _WHOLE[letter] if each.is_integer else letter
    return letter if each.may_be_none else letter.upper()


def is_autocast(rows: Tensor) -> bool:
    """Test whether autocast has a say in the type that rows are computed in."""
    kind = rows.device.type
    is_on = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
    return bool(is_on and rows.dtype != torch.float64)


def each_of(values: Any) -> tuple[Any, ...]:
    """Results one by one, which are a tuple if there are several."""
    return values if isinstance(values, tuple) else (values,)


def only(values: Sequence[Any]) -> Any:
    """Results as a function returns them: a tuple if there are several."""
    return tuple(values) if len(values) > 1 else values[0]


class Printed(NamedTuple):
    """Functions of an emitted file: the one for callers first.

    `decomposed` takes the inputs and the Constants. `forward` and `backward` take a function that runs kernels, as
    guards.py has them, and the row scalars. Then `forward` takes the inputs and the Constants, and returns the outputs,
    and the row scalars for None; `backward` takes the inputs, the outputs that are kept, the cotangents and the
    Constants, and returns a gradient for each input. Where axes have names, `flat` makes rows of an array
    beside others, and `beside` the array of rows. Both take a letter of guards.py, the array, and the rows as
    `decomposed` takes them.
    """

    function: Callable[..., Any]
    decomposed: Callable[..., Any]
    forward: Callable[..., Any]
    backward: Callable[..., Any]
    flat: Callable[..., Any] | None = None
    beside: Callable[..., Any] | None = None


class TorchLayer(Generic[Result]):
    """A layer as a function of tensors; `package` is the name of its package, `numpy` and `compiled` its modules.

    A call is `straight` once its kernels are compiled.
    """

    straight = False

    def __init__(self, package: str, interface: Interface, numpy: Any, compiled: Any, emitted: Printed) -> None:
        self.interface, self.emitted, self.decomposed = interface, emitted, emitted.decomposed
        self.numpy, self.compiled, self.named = numpy, compiled, "layout" in interface
        self.protocol = of = LayerProtocol(without_axes(interface) if self.named else interface)
        self.count, self.outputs = len(of.inputs), len(of.outputs)
        letters = [_letter(each) for each in of.inputs]
        self.made = [_LETTERS[each.part] for each in of.outputs]
        self.kept = of.kept
        by = [letter.upper() if self.outputs == 1 else letter for letter in self.made]
        self.forms = "".join(letters), "".join([*letters, *(self.made[place].upper() for place in self.kept), *by])
        self.casts = [each.cast for each in of.outputs]
        self.integers = [place for place, cast in enumerate(self.casts) if cast and not TARGETS[cast].digits]
        public = LayerProtocol(interface)
        self.required = tuple(not each.may_be_none for each in public.inputs)
        self.numbers = [place for place, each in enumerate(public.inputs) if each.part == NUMBER]
        self.whole = {place for place in self.numbers if public.inputs[place].is_integer}
        self.given_rows = [place for place, each in enumerate(public.inputs) if each.kind == "Row"]
        owned = [is_parameter(interface, each) for each in interface["inputs"]]
        self.labels = labels(interface)
        self.widest = [place for place in self.given_rows if not owned[place]]
        self.host: Any = None
        self.operators = Operators(package, self)

    # ---- what callers pass

    def call(self, *values: Any) -> Result:
        """The output of the layer, a tuple of several; `values` are its inputs, then its Constants."""
        if not self.named:
            values = self.taken(*values)
        made = None if is_traced(values) else self._by_kernels(values)
        if made is None and takes_operator(values):
            found = self.operators.forward(*values)  # a stand-in for a tuple, where a program is traced by symbols
            made = found[0] if self.outputs == 1 else found[: self.outputs]
        return cast(Result, self.decomposed(*values) if made is None else made)

    def taken(self, *values: Any) -> Any:
        """Arguments of a caller, with tensors for numbers, which make rows no wider.

        Raises TypeError for an input that is not a tensor, or its stand-in in a traced program; one of the rows has to
        be there. Rows of several types are of the widest under autocast, so that no sum loses digits.
        """
        found = list(values)
        rows = [found[place] for place in self.given_rows if isinstance(found[place], Tensor)]
        row = rows[0] if rows else None
        for place in self.numbers:
            if place in self.whole and isinstance(found[place], int):
                nearest = max(_LEAST, min(_LARGEST, found[place]))
                found[place] = torch.full((), nearest, dtype=torch.int32, device=None if row is None else row.device)
            elif place not in self.whole and isinstance(found[place], (int, float)) and row is not None:
                kind = torch.promote_types(row.dtype, torch.float32)
                found[place] = torch.full((), found[place], dtype=kind, device=row.device)
        for place, is_required in enumerate(self.required):
            self._look(place, found[place], is_required)
        if all(found[place] is None for place in self.given_rows):
            leading(LayerProtocol(self.interface).inputs, found)
        there = [place for place in self.widest if isinstance(found[place], Tensor)]
        if len({found[place].dtype for place in there}) > 1 and is_autocast(found[there[0]]):
            kind = reduce(torch.promote_types, [found[place].dtype for place in there])
            for place in there:
                found[place] = found[place].to(kind)
        return tuple(found)

    def _look(self, place: int, value: Any, is_required: bool) -> None:
        name = self.interface["inputs"][place]["name"]
        if is_required if value is None else not is_tensor_like(value):
            if place in self.numbers and place not in self.whole and isinstance(value, (int, float)):
                problem = (
                    f"{name} is {value!r}, and the traced program does not know the type of the rows; pass a tensor"
                )
                raise TypeError(problem)
            remedy = "a tensor or a number" if place in self.numbers else "a tensor, such as torch.as_tensor makes"
            remedy = "a tensor of integers or an int" if place in self.whole else remedy
            found = "None" if value is None else f"of type {type(value).__name__}"
            raise TypeError(f"{name} is {found}; pass {remedy}")
        if place in self.labels and isinstance(value, Tensor) and "int" in str(value.dtype):
            one_hot = f"and labels one-hot, as torch.nn.functional.one_hot({name}, D).float()"
            remedy = f"pass float16, bfloat16, float32 or float64, as {name}.float(), {one_hot}"
            raise TypeError(f"{name} is of type {value.dtype}; {remedy}")
        if isinstance(value, Tensor) and value.is_nested:
            raise TypeError(f"{name} is a nested tensor; pass each of {name}.unbind(), or all rows as {name}.values()")
        if isinstance(value, Tensor) and value.layout != torch.strided:
            kind = str(value.layout).removeprefix("torch.")
            raise TypeError(f"{name} is a sparse tensor, {kind}; pass a dense one, such as {name}.to_dense()")

    # ---- calls that kernels take

    def _by_kernels(self, values: Sequence[Any]) -> Any:
        """The outputs by kernels, or None where they have no say, or for a call that is wrong."""
        inputs, constants = values[: self.count], values[self.count :]
        row = self.row(inputs)
        if not row.numel() or not are_alone(inputs):
            return None
        given, backend = self.dense(inputs), self.backend()
        if given is None or not self.fits(given, values):
            return None
        if is_recorded(inputs):
            return _LongCall.apply(self, backend, given, *values)
        return only(self.shaped(backend.forward(given, constants)[0], inputs))

    def backend(self) -> Any:
        """Return the kernels, which are found at the first call."""
        if self.host is None:
            self.straight = host_compiler.can_run(Path(str(self.compiled.__file__)).parent)
            self.host = self if self.straight else self.on_numpy()
        return self.host

    def on_numpy(self) -> OnNumPy:
        """Return the directions on rows of the processor without a compiler."""
        return OnNumPy(self.protocol, on_rows(self.numpy))

    def forward(self, given: Sequence[Any], constants: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        """The outputs by compiled kernels, and the row scalars, of inputs that are `dense`."""
        *made, kept = self.emitted.forward(run_anyhow, None, *given, *constants)
        return made, kept

    def backward(self, given: Sequence[Any], kept: Any, constants: Sequence[Any]) -> Sequence[Any]:
        """The gradient of each input by compiled kernels, given what is `dense`."""
        found: Sequence[Any] = self.emitted.backward(run_anyhow, kept, *given, *constants)
        return found

    def row(self, inputs: Sequence[Any]) -> Any:
        """The first rows among the inputs."""
        return inputs[leading(self.protocol.inputs, inputs)]

    def fits(self, given: Sequence[Any], values: Sequence[Any]) -> bool:
        """Test whether inputs that are `dense` are right; the decomposition has the words for others.

        Raises TypeError or ValueError for a Constant that no layer takes.
        """
        for each, value in zip(self.interface["constants"], values[self.count :], strict=True):
            constant(each["name"], value, each["sign"] == "any")
        found = layout(self.forms[0], *given)
        return found is not None and bool(found[2] >= self.interface["minimum_features"])

    def room(self, inputs: Sequence[Any]) -> Any:
        """Return memory for the row scalars of a call, as the first result of kernels that is no output has them."""
        row, count = self.row(inputs), len(self.protocol.row_scalars)
        if not count:
            return row.new_empty(0)
        floats = [each.dtype for each in inputs if each is not None and each.is_floating_point()]
        rows = row if self.emitted.flat is None else self.emitted.flat("r", row, row)
        return row.new_empty((count, prod(rows.shape[:-1])), dtype=reduce(torch.promote_types, floats, torch.float32))

    def dense(self, values: Sequence[Any]) -> list[Any] | None:
        """Inputs, outputs that are kept, and cotangents as kernels take them: without gaps, of types that go together.

        Rows of several types are computed in the widest, and so are those of 16 bits that share a parameter, whose
        gradient is a sum over them. None for a type that no kernel takes.
        """
        form, row = self.forms[1].lower(), self.row(values)
        pairs = [(letter, value) for letter, value in zip(form, values, strict=False)]
        inputs = [(letter, value) for letter, value in pairs[: self.count] if value is not None]
        floats = [value.dtype for letter, value in inputs if letter in "rsfn"]
        if not {*floats} <= {*_FLOATS} or any(
            v.is_floating_point() or v.is_complex() for n, v in inputs if n in "jilk"
        ):
            return None
        wide = reduce(torch.promote_types, floats, torch.float32)
        stored = {value.dtype for letter, value in inputs if letter in "rs"}
        is_one = len(stored) == 1 and (
            row.dtype.itemsize > 2 or not (self.named and form.count("r", 0, self.count) > 1)
        )
        kind = row.dtype if is_one and torch.promote_types(row.dtype, torch.float32) == wide else wide
        return [value if value is None else self._dense(letter, value, row, kind, wide) for letter, value in pairs]

    def _dense(self, letter: str, value: Any, row: Any, kind: Any, wide: Any) -> Any:
        flat, known = self.emitted.flat, letter in "jilk"
        if flat is not None:
            value = flat(SAME_SHAPE.get(letter, letter), value, row)
        if known:
            value = whole(value)
        return (value if known else value.to(kind if letter in "rs" else wide)).contiguous()

    def shaped(self, made: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """Outputs that kernels make as `decomposed` has them."""
        row, beside = self.row(inputs), self.emitted.beside
        found = [each if cast else each.to(row.dtype) for each, cast in zip(made, self.casts, strict=True)]
        if beside is None:
            return found
        # No view: autograd refuses to change one in place that a node made.
        return [beside(letter, each, row).detach() for each, letter in zip(found, self.made, strict=True)]

    results = staticmethod(each_of)

    # ---- gradients

    def gradients(
        self, backend: Any, kept: Any, values: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The gradient of each input, None for one without; `outputs` are those that are kept."""
        tensors = [*values[: self.count], *outputs, *cotangents]
        if all(each is None for each in cotangents):
            return [None] * self.count
        if is_recorded(tensors) or not are_alone(tensors):
            return self.by_decomposition(values, cotangents)
        return self.pulled(backend, kept, tensors, values[self.count :])

    def pulled(self, backend: Any, kept: Any, tensors: Sequence[Any], constants: Sequence[Any]) -> Sequence[Any]:
        """The same by kernels, given inputs, outputs that are kept, and cotangents."""
        given, beside = self.dense(tensors), self.emitted.beside
        assert given is not None
        found: Sequence[Any] = backend.backward(given, kept, constants)
        inputs = tensors[: self.count]
        if beside is None:
            return found
        row = self.row(inputs)
        return [
            None if each is None else beside(letter, each, row).sum_to_size(value.shape)
            for letter, each, value in zip(self.forms[0].lower(), found, inputs, strict=True)
        ]

    def by_decomposition(self, values: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """The gradient of each input that requires one, which can be differentiated again where autograd is on."""
        is_on, own = torch.is_grad_enabled(), [*values]
        # Inside a node both modes of autograd may be off.
        with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
            moved = [n for n in self.protocol.differentiable if isinstance(own[n], Tensor) and own[n].requires_grad]
            for place in moved:  # one input may depend on another, and its gradient is not by way of that
                own[place] = own[place].view_as(own[place])
            pairs = zip(each_of(self.decomposed(*own)), cotangents, strict=True)
            there = [(made, by) for made, by in pairs if by is not None and made.requires_grad]
            found: list[Any] = [None] * self.count
            if there and moved:
                made, by = zip(*there, strict=True)
                of = [own[place] for place in moved]
                gradients = torch.autograd.grad(made, of, by, create_graph=is_on, allow_unused=True)
                for place, gradient in zip(moved, gradients, strict=True):
                    found[place] = gradient
        return found


class _LongCall(Node):  # type: ignore[misc]
    """A call on its long way that autograd records."""

    @staticmethod
    def forward(ctx: Any, layer: Any, backend: Any, given: Sequence[Any], *values: Any) -> Any:
        inputs, ctx.constants = values[: layer.count], values[layer.count :]
        made, kept = backend.forward(given, ctx.constants)
        made = layer.shaped(made, inputs)
        ctx.layer, ctx.backend, ctx.kept = layer, backend, kept
        ctx.save_for_backward(*inputs, *[made[place] for place in layer.kept])
        ctx.set_materialize_grads(False)
        if layer.integers:
            ctx.mark_non_differentiable(*[made[place] for place in layer.integers])
        return only(made)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        layer, tensors = ctx.layer, ctx.saved_tensors
        values, outputs = (*tensors[: layer.count], *ctx.constants), tensors[layer.count :]
        found = layer.gradients(ctx.backend, ctx.kept, values, outputs, cotangents)
        return None, None, None, *found, *[None] * len(ctx.constants)
