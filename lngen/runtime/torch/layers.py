# SPDX-License-Identifier: MIT
"""A layer as a function of tensors: the long way of a call, where the emitted file has the straight one.

Kernels take calls on the processor that nobody else has a say in, if there is a compiler. Programs that are compiled
have the layer's operator, and all else the decomposition, which PyTorch differentiates to any order.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from importlib import import_module
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

from . import gpu
from .asked import (
    FLOATS,
    SAME_SHAPE,
    Tensor,
    are_alone,
    forward_ad,
    is_recorded,
    is_tensor_like,
    is_traced,
    takes_operator,
    torch,
    whole,
)
from .operators import Operators

Result = TypeVar("Result")

_LEAST, _LARGEST = -(2**31), 2**31 - 1


def is_autocast(rows: Tensor) -> bool:
    """Test whether autocast has a say in the type that rows are computed in."""
    kind = rows.device.type
    return bool(_has_autocast(kind) and torch.is_autocast_enabled(kind) and rows.dtype != torch.float64)


def _has_autocast(kind: str) -> bool:
    if torch.compiler.is_compiling():  # PyTorch before 2.10 breaks a program at the question below
        return kind in ("cpu", "cuda", "xpu", "mps")
    return bool(torch.amp.is_autocast_available(kind))


def each_of(values: Any) -> tuple[Any, ...]:
    """Results one by one, which are a tuple if there are several."""
    return values if isinstance(values, tuple) else (values,)


def only(values: Sequence[Any]) -> Any:
    """Results as a function returns them: a tuple if there are several."""
    return tuple(values) if len(values) > 1 else values[0]


def constant(name: str, value: Any, signed: bool) -> float:
    """A finite real number; not a negative one unless it may be `signed`."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r} of type {type(value).__name__}; pass a number")
    try:
        is_finite = isfinite(value)
    except OverflowError:
        raise ValueError(f"{name} is larger than any float; pass a finite number") from None
    if not is_finite:
        raise ValueError(f"{name} is {value!r}; pass a finite number")
    if not signed and value < 0:
        raise ValueError(f"{name} is {value!r}; pass 0 or more")
    return cast(float, value)


class Printed(NamedTuple):
    """Functions of an emitted file: the one for callers first.

    `decomposed` takes the inputs, the Constants and the sizes of axes. `forward` and `backward` take a function that
    runs kernels, as guards.py has them, the row scalars, and the Constants. Then `forward` takes the inputs, and
    returns the outputs, and the row scalars for None; `backward` takes the inputs, the outputs that are kept and the
    cotangents, and returns a gradient for each input. `recorded` is the function of autograd that takes what `forward`
    returns, and then the arguments of `decomposed`. Where axes have names, `rows` and `pulled_rows` make what both
    take of arrays and sizes, and `outputs` and `gradients` make arrays of what they return.

    `forward_on_gpu` takes Triton's kernels, whether to save row scalars, and the arguments of `decomposed`, and returns
    the outputs and the row scalars. `backward_on_gpu` takes these in place of whether to save them, and further the
    outputs that are kept, and the cotangents. `fuse` says whether a compiled program on a GPU has the decomposition.
    """

    function: Callable[..., Any]
    decomposed: Callable[..., Any]
    forward: Callable[..., Any]
    backward: Callable[..., Any]
    recorded: Any
    forward_on_gpu: Callable[..., Any]
    backward_on_gpu: Callable[..., Any]
    fuse: Callable[[], bool]
    rows: Callable[..., Any] | None = None
    pulled_rows: Callable[..., Any] | None = None
    outputs: Callable[..., Any] | None = None
    gradients: Callable[..., Any] | None = None


class TorchLayer(Generic[Result]):
    """A layer as a function of tensors, of a `file` in a package.

    `inputs` and `outputs` have the letters of guards.py by name, and `rows` are the inputs that have rows and are no
    parameters. `data` have no gradient. `constants` say by name if they may be signed, and `sizes` are those of axes.
    The results of kernels at the places `casts` have types of their own. Some outputs are integers, and some are `kept`
    for backward, beside so many `scalars` of each row. It `has_kernels` if they can be compiled, or were.
    """

    def __init__(
        self,
        file: str,
        package: str,
        emitted: Printed,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str],
        rows: Sequence[str],
        constants: Mapping[str, bool],
        sizes: Sequence[str] = (),
        *,
        data: Sequence[str] = (),
        casts: Sequence[int] = (),
        integers: Sequence[str] = (),
        kept: Sequence[str] = (),
        scalars: int = 0,
    ) -> None:
        self.folder, self.emitted, self.decomposed = Path(file).parent, emitted, emitted.decomposed
        self.package = package
        self.inputs, self.constants, self.sizes, self.scalars = [*inputs], dict(constants), sizes, scalars
        self.count, self.outputs, places = len(inputs), len(outputs), [*outputs]
        self.letters = "".join(inputs.values()).lower()
        self.kept = [places.index(each) for each in kept]
        made = [*outputs.values()]
        self.form = "".join([self.letters, *(made[place] for place in self.kept), *made])
        self.casts = casts
        self.integers = [places.index(each) for each in integers]
        self.required = [letter.isupper() for letter in inputs.values()]
        self.given_rows = [self.inputs.index(each) for each in rows]
        of_rows = [place for place, letter in enumerate(self.letters) if letter == "r"]
        self.labels = of_rows[1:] if {*made} == {"s"} else []  # of a loss
        self.differentiable = [n for n, each in enumerate(inputs) if each not in data and self.letters[n] in "rsfn"]
        self.has_kernels = (Path(__file__).parent.with_name("native")).is_dir() and self._can_run()
        self.operators = Operators(package, self)

    def _can_run(self) -> bool:
        """Test whether there is a compiler for the kernels, or what it made: a traced program cannot ask."""
        from ..native import compiler

        return compiler.can_run(self.folder)

    @cached_property
    def interface(self) -> Any:
        """The layer as callers see it, of its manifest."""
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))["interface"]

    # ---- what callers pass

    def call(self, *values: Any) -> Result:
        """The output of the layer, a tuple of several; `values` are its inputs, its Constants and sizes."""
        values = self.taken(*values)
        made = None if is_traced(values) else self._by_kernels(values)
        if made is None and takes_operator(values, self.has_operator_on(values)):
            found = self.operators.forward(*values)  # a stand-in for a tuple, where a program is traced by symbols
            made = found[0] if self.outputs == 1 else found[: self.outputs]
        return cast(Result, self.decomposed(*values) if made is None else made)

    def has_operator_on(self, values: Sequence[Any]) -> Sequence[str]:
        """The types of devices on which a program of a call has the layer's operator."""
        found = ["cpu"] * self.has_kernels
        if torch.compiler.is_compiling() and not self.emitted.fuse():
            device = self.row(values).device
            found += [device.type] * gpu.is_supported(device)
        return found

    def taken(self, *values: Any) -> Any:
        """Arguments of a caller, with tensors for numbers, which make rows no wider.

        Raises TypeError for an input that is not a tensor, or its stand-in in a traced program; one of the rows has to
        be there. Rows of several types are of the widest under autocast, so that no sum loses digits.
        """
        found = list(values)
        rows = [found[place] for place in self.given_rows if isinstance(found[place], Tensor)]
        row = rows[0] if rows else None  # PyTorch 2.6 compiles no `next` of two arguments
        for place, letter in enumerate(self.letters):
            if letter == "k" and isinstance(found[place], int):
                nearest = max(_LEAST, min(_LARGEST, found[place]))
                found[place] = torch.full((), nearest, dtype=torch.int32, device=None if row is None else row.device)
            elif letter == "n" and isinstance(found[place], (int, float)) and row is not None:
                kind = torch.promote_types(row.dtype, torch.float32)
                found[place] = torch.full((), found[place], dtype=kind, device=row.device)
            self._look(place, found[place])
        if all(found[place] is None for place in self.given_rows):
            raise TypeError(f"each of {', '.join(self.inputs[n] for n in self.given_rows)} is None; pass one of them")
        there = [place for place in self.given_rows if isinstance(found[place], Tensor)]
        if len({found[place].dtype for place in there}) > 1 and is_autocast(found[there[0]]):
            kind = reduce(torch.promote_types, [found[place].dtype for place in there])
            for place in there:
                found[place] = found[place].to(kind)
        return tuple(found)

    def _look(self, place: int, value: Any) -> None:
        if value is None and not self.required[place]:
            return
        name, letter = self.inputs[place], self.letters[place]
        if not is_tensor_like(value):
            if letter == "n" and isinstance(value, (int, float)):
                problem = "and the traced program does not know the type of the rows; pass a tensor"
                raise TypeError(f"{name} is {value!r}, {problem}")
            others = {"n": "a tensor or a number", "k": "a tensor of integers or an int"}
            found = "None" if value is None else f"of type {type(value).__name__}"
            raise TypeError(f"{name} is {found}; pass {others.get(letter, 'a tensor, such as torch.as_tensor makes')}")
        if not isinstance(value, Tensor):
            return
        if place in self.labels and "int" in str(value.dtype):
            one_hot = f"and labels one-hot, as torch.nn.functional.one_hot({name}, D).float()"
            remedy = f"pass float16, bfloat16, float32 or float64, as {name}.float(), {one_hot}"
            raise TypeError(f"{name} is of type {value.dtype}; {remedy}")
        if value.is_nested:
            raise TypeError(f"{name} is a nested tensor; pass each of {name}.unbind(), or all rows as {name}.values()")
        if value.layout != torch.strided:
            kind = str(value.layout).removeprefix("torch.")
            raise TypeError(f"{name} is a sparse tensor, {kind}; pass a dense one, such as {name}.to_dense()")

    # ---- calls that kernels take

    def _by_kernels(self, values: Sequence[Any]) -> Any:
        """The outputs by kernels, or None where they have no say, or for a call that is wrong."""
        inputs, (numbers, _) = values[: self.count], self.numbers(values)
        on_gpu = gpu.takes(inputs)
        if not self.row(inputs).numel() or not (on_gpu or are_alone(inputs)):
            return None
        for (name, signed), value in zip(self.constants.items(), numbers, strict=True):
            constant(name, value, signed)
        if on_gpu:
            return self._on_gpu(values)
        if not self.has_kernels:
            return None
        if not is_recorded(inputs):
            found = self.made(values, False)
            return None if found is None else only(self.arranged(found, values))
        with torch.no_grad():
            found = self.made(values, None)
        return None if found is None else self.emitted.recorded.apply(found, *values)

    def _on_gpu(self, values: Sequence[Any]) -> Any:
        """The outputs by Triton's kernels."""
        recorded = is_recorded(values[: self.count])
        with torch.no_grad():
            made = self.emitted.forward_on_gpu(self.triton, recorded, *values)
        return gpu.RecordedLaunch.apply(self, made, *values) if recorded else only(made[0])

    @cached_property
    def triton(self) -> Any:
        """The module of Triton's kernels."""
        return import_module(f"{self.package}.triton_kernels")

    def made(self, values: Sequence[Any], kept: Any) -> Any:
        """The results of compiled kernels, and the row scalars for None; None for what no kernel takes."""
        (numbers, sizes), row = self.numbers(values), self.row(values)
        given = self.dense(values[: self.count], sizes)
        found = None if given is None else self.emitted.forward(self._run_anyhow, kept, *numbers, *given)
        if found is None:
            return None
        made = each_of(found)
        count = len(made) - (kept is None)
        outputs = [v if n in self.casts else v.to(row.dtype) for n, v in enumerate(made[:count])]
        return *outputs, *made[count:]

    @staticmethod
    def _run_anyhow(*values: Any) -> Any:
        from . import guards

        return guards.run_anyhow(*values)

    def arranged(self, results: Sequence[Any], values: Sequence[Any]) -> Sequence[Any]:
        """Results of kernels as callers have the outputs."""
        if self.emitted.outputs is None:
            return results
        return each_of(self.emitted.outputs(*results, *values[: self.count], *self.numbers(values)[1]))

    def numbers(self, values: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
        """The Constants of a call, and its sizes."""
        end = self.count + len(self.constants)
        return values[self.count : end], values[end : end + len(self.sizes)]

    def row(self, inputs: Sequence[Any]) -> Any:
        """The first rows among the inputs."""
        return next(inputs[place] for place in self.given_rows if inputs[place] is not None)

    def dense(self, values: Sequence[Any], sizes: Sequence[Any]) -> Any:
        """Inputs, outputs that are kept, and cotangents as kernels take them: without gaps, of types that go together.

        Rows of several types are computed in the widest, and so are those of 16 bits that share a parameter, whose
        gradient is a sum over them. None for a type that no kernel takes.
        """
        pairs, row = [*zip(self.form, values, strict=False)], self.row(values)
        inputs = [(letter, value) for letter, value in pairs[: self.count] if value is not None]
        floats = [value.dtype for letter, value in inputs if letter in "rsfn"]
        if not {*floats} <= {*FLOATS} or any(
            v.is_floating_point() or v.is_complex() for n, v in inputs if n in SAME_SHAPE
        ):
            return None
        wide = reduce(torch.promote_types, floats, torch.float32)
        stored = {value.dtype for letter, value in inputs if letter in "rs"}
        shares = self.emitted.rows is not None and self.letters.count("r") > 1
        is_one = len(stored) == 1 and not (row.dtype.itemsize == 2 and shares)
        kind = row.dtype if is_one and torch.promote_types(row.dtype, torch.float32) == wide else wide
        found = [
            v if v is None else whole(v) if letter in SAME_SHAPE else v.to(kind if letter in "rs" else wide)
            for letter, v in pairs
        ]
        arranged = self.emitted.rows if len(found) == self.count else self.emitted.pulled_rows
        return arranged(*found, *sizes) if arranged else [v if v is None else v.contiguous() for v in found]

    def room(self, values: Sequence[Any]) -> Any:
        """Return memory for the row scalars of a call, as the first result of kernels that is no output has them."""
        inputs, row = values[: self.count], self.row(values)
        if not self.scalars:
            return row.new_empty(0)
        floats = [each.dtype for each in inputs if each is not None and each.is_floating_point()]
        D = row.shape[-1] if self.emitted.rows is None else self.emitted.rows(*inputs, *self.numbers(values)[1])[0]
        return row.new_empty((self.scalars, row.numel() // D), dtype=reduce(torch.promote_types, floats, torch.float32))

    results = staticmethod(each_of)

    # ---- gradients

    def gradients(
        self, kept: Any, values: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The gradient of each input, None for one without; `outputs` are those that are kept."""
        tensors = [*values[: self.count], *outputs, *cotangents]
        if all(each is None for each in cotangents):
            return [None] * self.count
        wide = [each.float() if each is not None and each.itemsize == 1 else each for each in cotangents]
        if not is_recorded(tensors) and gpu.takes([*values[: self.count], *outputs, *wide]):
            made: Sequence[Any] = self.emitted.backward_on_gpu(self.triton, kept, *values, *outputs, *wide)
            return made
        if is_recorded(tensors) or not are_alone(tensors):
            return self.by_decomposition(values, cotangents)
        return self.pulled(kept, tensors, values)

    def pulled(self, kept: Any, tensors: Sequence[Any], values: Sequence[Any]) -> Sequence[Any]:
        """The same by kernels, given inputs, outputs that are kept, and cotangents."""
        (numbers, sizes), inputs = self.numbers(values), tensors[: self.count]
        found: Sequence[Any] = self.emitted.backward(self._run_anyhow, kept, *numbers, *self.dense(tensors, sizes))
        return found if self.emitted.gradients is None else self.emitted.gradients(*found, *inputs, *sizes)

    def by_decomposition(self, values: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """The gradient of each input that requires one, which can be differentiated again where autograd is on."""
        is_on, own = torch.is_grad_enabled(), [*values]
        # Inside a node both modes of autograd may be off.
        with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
            moved = [n for n in self.differentiable if isinstance(own[n], Tensor) and own[n].requires_grad]
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
