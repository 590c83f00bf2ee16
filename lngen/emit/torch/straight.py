"""The straight call of a layer's compiled kernels on tensors, which autograd records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lngen.algebra.symbols import RowSymbol
from lngen.emit.array.arrays import ArgumentOfRows, PublicArrays
from lngen.emit.cpp.contract import LaunchContract
from lngen.emit.cpp.kernels import KernelPair
from lngen.emit.interface import PublicInput, PublicInterface
from lngen.emit.layout import WIDTH, call, in_lines, laid, listed, tuple_of
from lngen.emit.spelling import gradient, marked, reading
from lngen.emit.torch.named import NamedRows
from lngen.errors import LngenError
from lngen.language.syntax import Kind
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.casts import TARGETS

SAME_SHAPE = {"j": "r", "i": "s", "l": "f", "k": "n"}
"""Letters of floats of the shapes that letters of integers stand for, as guards.py has them."""

_LETTERS = ("nk", "fl"), ("si", "rj")
_OF_RUNS = str.maketrans("rR", "cC")
_MOST_SCALARS = ord("@") - ord("0") + 1
_SKIPPED = ("workspace", "rows", "blocks", "D", "Constant")


@dataclass(frozen=True)
class StraightCall:
    """Lines that call the kernels of forward and backward; `arguments` are those of the decomposition's rows."""

    layer: PublicInterface
    forward: RowProgram
    backward: RowProgram
    kernels: tuple[KernelPair, KernelPair]
    arguments: Sequence[ArgumentOfRows]
    first: str
    arrays: PublicArrays

    @cached_property
    def outputs(self) -> dict[str, str]:
        """The letter of each output by its name."""
        return {
            name: "r" if isinstance(store.symbol, RowSymbol) else "s"
            for store in self.forward.results
            for name in store.names
        }

    @cached_property
    def inputs(self) -> list[str]:
        """The names of the inputs."""
        return [each.name for each in self.arguments]

    @cached_property
    def kept(self) -> list[str]:
        """The outputs that backward reads."""
        read = {argument.part for argument in self.kernels[1].contract.arguments}
        return [name for name in self.outputs if name in read]

    @cached_property
    def saved(self) -> list[str]:
        """The row scalars that forward saves, as kernels name them. Raises LngenError for more than a form has."""
        found = [argument.part for argument in self.kernels[0].contract.arguments if argument.role == "save"]
        if len(found) > _MOST_SCALARS:
            raise LngenError(
                f"PyTorch's calls keep at most {_MOST_SCALARS} numbers a row, and forward saves {len(found)}"
            )
        return found

    @property
    def least(self) -> int:
        """The smallest number of features."""
        return max(self.forward.minimum_features, self.backward.minimum_features)

    @property
    def cotangents(self) -> list[str]:
        """The names of the cotangents."""
        return [gradient(name) for name in self.outputs]

    @cached_property
    def forms(self) -> tuple[str, str]:
        """The forms of the tensors that forward and backward take."""
        own = "".join(self._letter(each) for each in self.arguments)
        kept = "".join(self.outputs[name].upper() for name in self.kept)
        by = "".join(self.outputs.values())
        return own, own + kept + (by.upper() if len(by) == 1 else by)

    def _letter(self, each: ArgumentOfRows) -> str:
        return letter_of(Kind(each.given.kind), each.given.required)

    @property
    def wide(self) -> list[str]:
        """The test that rows have more than 16 bits, where they share parameters: a gradient is a sum over them."""
        shares = self.is_named and self.forms[0].lower().count("r") > 1
        return [f"{self.arrays.first.public}.itemsize > 2"] * shares

    @property
    def is_named(self) -> bool:
        """Test whether axes have names."""
        return self.arrays.layout.named

    @cached_property
    def named(self) -> NamedRows:
        """The rows of arrays whose axes have names."""
        letters = {each.name: self._letter(each).lower() for each in self.arguments}
        letters = {name: SAME_SHAPE.get(letter, letter) for name, letter in letters.items()}
        read = {part for each in self.kernels[1].contracts for part in _parts(each, None)}
        return NamedRows(self.arrays, self.arguments, letters, read)

    def public_letter(self, each: PublicInput) -> str:
        """Return the letter of an input of callers."""
        return letter_of(Kind(each.kind), each.required)

    # ---- the functions

    def functions(self) -> dict[str, list[str]]:
        """Return the lines of each function by its field of the template."""
        constants = [each.name for each in self.layer.constants]
        D = [marked("D"), *self.named.tables] if self.is_named else []
        forward = ", ".join(["run", "kept", *constants, *D, *self.inputs])
        read = _parts(self.kernels[1].contract, ("Constant",))
        given = [name if name in read else f"_{name}" for name in constants]
        backward = ", ".join(["run", "kept", *given, *D, *self.inputs, *self.kept, *self.cotangents])
        docstring = _letters_in_words(self._form(self.kernels[0])[0])
        found = {
            "made": [f"def _forward({forward}):", *docstring, *laid(self._of_forward())],
            "pulled": [f"def _backward({backward}):", _BACKWARD, *laid(self._of_backward())],
        }
        return found | {"beside": self._recorded(), "arranged": self._arranged()}

    def _arranged(self) -> list[str]:
        """The functions that make rows of arrays, and arrays of rows."""
        if not self.is_named:
            return []
        found = (
            self.named.rows(self.least),
            self.named.pulled_rows(self.kept),
            self.named.outputs(self.outputs),
            self.named.gradients(),
        )
        return [line for function in found if function for line in (*function, "", "")][:-2]

    @cached_property
    def _made(self) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]]:
        """The letter of each result of forward and of backward, and a tensor of its type."""
        casts, runs = dict(self.forward.casts), self.named.runs if self.is_named else {}
        outputs = {
            f"out {name}": (letter, f"_guards.of_type(torch.{casts[name]})" if name in casts else self.first)
            for name, letter in self.outputs.items()
        }
        gradients = {
            f"out {gradient(each.name)}": ("c" if each.name in runs else self._letter(each).lower(), each.name)
            for each in self.arguments
            if each.given.has_gradient
        }
        return outputs, gradients

    def _of_forward(self) -> list[str]:
        return [f"return {self._run(self.kernels[0])}"]

    def _of_backward(self) -> list[str]:
        made, run = self._made[1], self._run(self.kernels[1])
        order = [part for part in self._parts_of(self.kernels[1]) if part in made]
        if order == [*made] and len(made) == len(self.arguments) > 1:
            return [f"return {run}"]
        gradients = []
        for each in self.arguments:
            name = gradient(each.name)
            if not each.given.has_gradient:
                gradients.append("None")
            elif f"out {name}" in order:
                gradients.append(name)
            else:
                absent = "" if each.given.required else f"None if {each.name} is None else "
                gradients.append(f"{absent}torch.zeros_like({each.name})")
        names = ", ".join(part.removeprefix("out ") for part in order)
        return [
            f"made = {run}",
            "if made is None or made is True:",
            "    return made",
            f"{names} = made",
            f"return {', '.join(gradients)}{',' * (len(gradients) == 1)}",
        ]

    def _parts_of(self, kernels: KernelPair) -> list[str]:
        return [part for contract in kernels.contracts for part in _parts(contract, None)]

    def _form(self, kernels: KernelPair) -> tuple[str, list[str]]:
        """The form of a call of kernels, and its tensors."""
        is_later = kernels is self.kernels[1]
        values, made = [*self.inputs, *(self.kept + self.cotangents) * is_later], self._made[is_later]
        letters = dict(zip(values, self.forms[is_later], strict=True))
        starts, runs = (self.named.starts, self.named.runs) if self.is_named else ({}, {})
        letters |= {name: f"*{letters[name].translate(_OF_RUNS) if name in runs else letters[name]}" for name in starts}
        letters |= {part: f"+{letter}" for part, (letter, _) in made.items()}
        letters |= {part: chr(ord("0") + place) for place, part in enumerate(self.saved)}
        sections = [_parts(each, None) for each in kernels.contracts]
        unread = [name for name in values if name not in self._parts_of(kernels)]
        sections += [[]] * (2 - len(sections)) + [unread] if unread else []
        form = "=" * self.is_named + "|".join("".join(letters[part] for part in each) for each in sections)
        given = [
            name
            for part in (part for each in sections for part in each if part not in self.saved)
            for name in ([made[part][1]] if part in made else [part, starts[part]] if part in starts else [part])
        ]
        return form, given

    def macros(self, kernels: KernelPair) -> list[str]:
        """The macros of kernels that read arrays where they lie: host_places.h says what they mean."""
        form, _ = self._form(kernels)
        found = ["LNGEN_PLACED"] * ("*" in form)
        for name, made in (("OF_RUNS", False), ("SUMMED_BY_RUN", True)):
            rows = [
                each for each in re.findall(r"[+*]?[rc]", form.partition("|")[0].lower()) if (each[0] == "+") == made
            ]
            bits = sum(1 << place for place, each in enumerate(rows) if each[-1] == "c")
            found += [f"LNGEN_{name}={bits}ull"] if bits else []
        return found

    def _run(self, kernels: KernelPair) -> str:
        """The call of kernels."""
        form, given = self._form(kernels)
        absent = tuple_of([f"{flag} is None" for flag in kernels.flags if reading(flag) in kernels.optional])
        numbers = tuple_of(_parts(kernels.contract, ("Constant",)))
        least = marked("D") if self.is_named else str(self.least)
        return call("run", f"_{kernels.name.upper()}", f'"{form}"', least, absent, numbers, "kept", *given)

    def looked(self, constants: Sequence[str]) -> list[str]:
        """Return the lines that compute the outputs of tensors, or of copies."""
        values, sizes = [each.public for each in self.layer.inputs], [each.name for each in self.layer.sizes]
        if self.is_named:
            lines = [
                f"given = {call('_rows_of', *values, *sizes)}",
                f"kept = None if _guards.is_recorded({tuple_of(values)}) else True",
                f"made = {call('given and _forward', '_guards.run', 'kept', *constants, '*given')}",
            ]
        else:
            made = f"made = {call('_forward', '_guards.run', 'True', *constants, *values)}"
            copied = call("_guards.dense", f'"{self.forms[0]}"', *values)
            lines = [made, "if made is None:", f"    {listed(values)} = {copied}", f"    {made}"]
        outputs = ", ".join(self.outputs)
        returned = f"({outputs})" if len(self.outputs) > 1 else outputs
        if self.is_named and self.named.outputs(self.outputs):
            returned = call("_outputs", *self.outputs, *values, *sizes)
        recorded = call("_Recorded.apply", "made", *values, *constants, *sizes)
        return [
            *lines,
            "if made is not None:",
            f"    {outputs}, kept = made",
            f"    return {returned} if kept is None else {recorded}",
        ]

    def _recorded(self) -> list[str]:
        """The class of calls that autograd records."""
        named, layer, casts = self.is_named, self.layer, dict(self.forward.casts)
        constants, sizes = [each.public for each in layer.constants], [each.name for each in layer.sizes]
        inputs, numbers = [each.public for each in layer.inputs], [*constants, *sizes]
        outputs = [each.name for each in layer.outputs] if named else [*self.outputs]
        kept = [each.name for each in layer.outputs if {each.name, *each.parts} & {*self.kept}]
        cotangents = [gradient(each.name) for each in layer.outputs]
        whole = [name for name in outputs if name in casts and not TARGETS[casts[name]].digits]
        arranged = named and self.named.outputs(self.outputs)
        head = [f"{', '.join(self.outputs)}, ctx.kept = made"]
        head += [f"{', '.join(outputs)} = {call('_outputs', *self.outputs, *inputs, *sizes)}"] * bool(arranged)
        every = [*inputs, *kept]
        forward = [
            *head,
            call("ctx.save_for_backward", *every),
            f"ctx.numbers = {tuple_of(numbers)}" if numbers else "",
            "ctx.set_materialize_grads(False)" if len(outputs) > 1 else "",
            call("ctx.mark_non_differentiable", *whole) if whole else "",
            f"return {', '.join(outputs)}",
        ]
        own = [*inputs, *kept, *cotangents]
        pulled = f"found = {call('_backward', '_guards.run', 'ctx.kept', *constants, '*given')}"
        long = call(
            "_LAYER.gradients",
            "ctx.kept",
            tuple_of([*inputs, *numbers]),
            tuple_of(kept) if kept else "()",
            tuple_of(cotangents),
        )
        none = ", None" * len(numbers)
        backward = [
            f"{listed(every)} = ctx.saved_tensors",
            f"{listed(numbers)} = ctx.numbers" if numbers else "",
        ]
        if named:
            backward += [
                "found = None",
                f"if {' and '.join([*self.wide, 'not torch.is_grad_enabled()'])}:  # no derivative of gradients",
                f"    given = {call('_pulled_rows', *own, *sizes)}",
                f"    {pulled}",
                "if found is None:",
                f"    found = {long}",
                f"    return None, *found{none}",
            ]
            of = call("_gradients", "*found", *inputs, *sizes) if self.named.gradients() else "found"
            backward.append(f"return None, *{of}{none}")
        else:
            if len(cotangents) == 1:  # which is never None, and expanded where y is summed
                own[-1] += ".contiguous()"
            backward += [
                pulled.replace("*given", ", ".join(own)),
                "if found is None or found is True:",
                f"    found = {long}",
                f"return None, *found{none}",
            ]
        return [
            "class _Recorded(_guards.Node):",
            '    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""',
            "",
            "    @staticmethod",
            f"    def forward({', '.join(['ctx', 'made', *inputs, *numbers])}):",
            *_within([line for line in forward if line]),
            "",
            "    @staticmethod",
            f"    def backward({', '.join(['ctx', *cotangents])}):",
            *_within([line for line in backward if line]),
        ]


def _within(lines: Sequence[str]) -> list[str]:
    return laid(f"    {line}" for line in lines)


def _parts(contract: LaunchContract, roles: Sequence[str] | None) -> list[str]:
    """The values of a kernel with some roles, or all arrays."""
    if roles is None:
        return [each.part for each in contract.arguments if each.role not in _SKIPPED]
    return [each.part for each in contract.arguments if each.role in roles]


def letter_of(kind: Kind, is_required: bool) -> str:
    """Return the letter of an input in the form of a call."""
    letter = _LETTERS[kind.over_rows][kind.over_features][kind.is_integer]
    return letter.upper() if is_required else letter


def _letters_in_words(form: str) -> list[str]:
    """The docstring of forward, which says what the letters of its form stand for."""
    shapes = {"r": "the shape of rows", "s": "one value a row", "f": "one a feature", "n": "one value"}
    shapes |= {"c": "one for each run of a row"}
    found = [f"{letter} has {shapes[letter]}" for letter in shapes if letter in form.lower()]
    whole = [f"{letter} {shapes[SAME_SHAPE[letter]]}" for letter in SAME_SHAPE if letter in form.lower()]
    words = f"The form says how tensors have to lie: {', '.join(found)}"
    words += (f", of integers {', '.join(whole)}" if whole else "") + "; a capital has to be there"
    words += ", * lies where a table says" * ("*" in form)
    words += ". Behind + is a result, of the shape and type of the tensor that is passed for it"
    words += "; a digit is a row scalar" * any(c.isdigit() for c in form)
    words += ". A bar begins what the kernel of sums reads, another what neither kernel does"
    words += ". The number behind the form is the least D"
    first = '"""The outputs by the compiled kernel, then the row scalars: if `kept` is True, where'
    lines = [f"    {first}", "    autograd records the call, and else None.", ""]
    return [*lines, *in_lines(words + ".", WIDTH - 4, "    ", "    "), '    """']


_BACKWARD = '    """The gradients by the compiled kernels."""'
