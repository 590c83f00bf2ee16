"""The straight call of a layer's compiled kernels on tensors, which autograd records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lngen.algebra.symbols import RowSymbol
from lngen.emit.array.arrays import ArgumentOfRows
from lngen.emit.array.lines import ArrayAxes
from lngen.emit.cpp.contract import LaunchContract
from lngen.emit.cpp.kernels import KernelPair
from lngen.emit.interface import PublicInterface
from lngen.emit.layout import call, laid, tuple_of
from lngen.emit.spelling import gradient, marked, reading
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.casts import TARGETS
from lngen.runtime.protocol.directions import FEATURE, NUMBER, PARTS, ROW, ROW_SCALAR

_LETTERS = {ROW: "rj", ROW_SCALAR: "si", FEATURE: "fl", NUMBER: "nk"}
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
    arrays: ArrayAxes

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
        """The row scalars that forward saves, as kernels name them."""
        return [argument.part for argument in self.kernels[0].contract.arguments if argument.role == "save"]

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
        letter = _LETTERS[PARTS[each.given.kind]][each.is_integer]
        return letter.upper() if each.given.required else letter

    # ---- the functions

    def functions(self) -> dict[str, list[str]]:
        """Return the lines of each function by its field of the template."""
        constants = [each.name for each in self.layer.constants]
        given = ", ".join(["at", *self.inputs, *constants])
        found = {
            "made": [f"def _forward({given}):", _FORWARD, *laid(self._of_forward())],
            "pulled": [f"def _backward({given.replace('at', 'at, kept', 1)}):", _BACKWARD, *laid(self._of_backward())],
        }
        return found | {"beside": self._on_named(constants) if self.arrays.named else self._node(constants)}

    def _of_forward(self) -> list[str]:
        casts = dict(self.forward.casts)
        lines: list[str] = []
        for name, letter in self.outputs.items():
            cast = f", dtype=torch.{casts[name]}" if name in casts else ""
            row = self.first
            lines.append(
                f"{name} = _guards.empty_like({row}{cast})"
                if letter == "r"
                else f"{name} = {row}.new_empty({row}.shape[:-1]{cast})"
            )
        if self.saved:
            lines.append('size = rows*(8 if stored == "f64" else 4)')
            lines.append(f"kept = _, kept_at = _guards.room({len(self.saved)}*size)")
        made = {f"out {name}": f"{name}.data_ptr()" for name in self.outputs}
        lines += self._called(self.kernels[0], made)
        lines.append(f"return {', '.join([*self.outputs, 'kept' if self.saved else 'None'])}")
        return [self._addresses([], lines), *lines]

    def _of_backward(self) -> list[str]:
        results = {part for contract in self.kernels[1].contracts for part in _parts(contract, ("result",))}
        lines: list[str] = []
        if self.saved:
            lines.append('size = rows*(8 if stored == "f64" else 4)')
            lines.append(f"kept_at = _guards.place_of(kept, {len(self.saved)}*size)")
        gradients, made = [], {}
        for each in self.arguments:
            if not each.given.has_gradient:
                gradients.append("None")
                continue
            name = gradient(each.name)
            made[f"out {name}"] = place = f"{name}.data_ptr()"
            how = "_guards.empty" if f"out {name}" in results else "torch.zeros"
            text = f"{how}_like({each.name})"
            if not each.given.required:
                text, made[f"out {name}"] = (
                    f"None if {each.name} is None else {text}",
                    f"0 if {name} is None else {place}",
                )
            lines.append(f"{name} = {text}")
            gradients.append(name)
        lines += self._called(self.kernels[1], made)
        lines.append(f"return {', '.join(gradients)}{',' * (len(gradients) == 1)}")
        return [self._addresses([*self.kept, *self.cotangents], lines), *lines]

    def _addresses(self, others: Sequence[str], lines: Sequence[str]) -> str:
        """The line that names the addresses that others read."""
        words = {*re.findall(r"\w+", " ".join(lines))}
        names = ", ".join(at if (at := f"{name}_at") in words else "_" for name in (*self.inputs, *others))
        return f"_, stored, rows, D, {names} = at"

    def _called(self, kernels: KernelPair, made: dict[str, str]) -> list[str]:
        places = {
            part: f"kept_at + {n}*size" if n > 1 else f"kept_at{' + size' * n}" for n, part in enumerate(self.saved)
        }
        places |= made
        first, *ends = ([places.get(part, f"{part}_at") for part in _parts(each, None)] for each in kernels.contracts)
        numbers = _parts(kernels.contract, ("Constant",))
        absent = "".join(f", not {flag}_at" for flag in kernels.flags if reading(flag) in kernels.optional)
        key = f"stored{absent or chr(44)}"
        arguments = [
            tuple_of(first),
            tuple_of(numbers) if numbers else "()",
            "rows",
            "D",
            "_guards.threads_for(rows, D)",
        ]
        arguments += [tuple_of(ends[0])] if ends else []
        return [call(f"_cpu._{kernels.name.upper()}[{key}]", *arguments)]

    def _node(self, constants: Sequence[str]) -> list[str]:
        numbers = ["*ctx.constants"] * bool(constants)
        made = f"{', '.join(self.outputs)}, ctx.kept = {call('_forward', 'at', '*given', *constants)}"
        backward = [
            *self.looked(self.forms[1], [*self.inputs, *self.kept, *self.cotangents], follows=True),
            "if at is None or at[0]:",
            f"    found = {self._long(numbers)}",
            "else:",
            f"    found = {call('_backward', 'at', 'ctx.kept', f'*given[:{len(self.inputs)}]', *numbers)}",
            f"return None, None, *found{', None' * len(constants)}",
        ]
        return self._recorded(["at", "given"], constants, [made], backward)

    def looked(self, form: str, values: Sequence[str], follows: bool = False) -> list[str]:
        """Return the lines that find addresses of tensors, or of copies."""
        took, last = f'at = _guards.addresses("{form}", *given)', ", follows=True" * follows
        copied = f'    given = _guards.dense("{form}", *given{last})'
        return [f"given = {tuple_of(values)}", took, "if at is None:", copied, f"    {took}"]

    def _long(self, numbers: Sequence[str]) -> str:
        """The call that finds gradients on the long way."""
        kept = tuple_of(self.kept) if self.kept else "()"
        values = tuple_of([*self.inputs, *numbers])
        return call("_LAYER.gradients", "_LAYER", "ctx.kept", values, kept, tuple_of(self.cotangents))

    def _recorded(
        self, first: Sequence[str], constants: Sequence[str], made: Sequence[str], backward: Sequence[str]
    ) -> list[str]:
        """The class of calls that autograd records, given the lines that make outputs and gradients."""
        casts, every, outputs = dict(self.forward.casts), [*self.inputs, *self.kept], ", ".join(self.outputs)
        whole = [name for name in self.outputs if name in casts and not TARGETS[casts[name]].digits]
        forward = [
            *made,
            call("ctx.save_for_backward", *every),
            f"ctx.constants = {tuple_of(constants)}" if constants else "",
            "ctx.set_materialize_grads(False)" if len(self.outputs) > 1 else "",
            call("ctx.mark_non_differentiable", *whole) if whole else "",
            f"return {outputs}",
        ]
        saved = f"{', '.join(every)}{',' * (len(every) == 1)} = ctx.saved_tensors"
        return [
            "class _Recorded(_guards.Node):",
            '    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""',
            "",
            "    @staticmethod",
            f"    def forward({', '.join(['ctx', *first, *self.inputs, *constants])}):",
            *_within([line for line in forward if line]),
            "",
            "    @staticmethod",
            f"    def backward({', '.join(['ctx', *self.cotangents])}):",
            *_within([saved, *backward]),
        ]

    # ---- axes that have names

    def _on_named(self, constants: Sequence[str]) -> list[str]:
        """The same of arrays beside rows, which are made rows here."""
        outputs, numbers = ", ".join(self.outputs), ["*ctx.constants"] * bool(constants)
        values = [*self.inputs, *constants]
        rows = [self._as_rows(*each) for each in zip(self.forms[0], self.inputs, strict=True)]
        every = [self._as_rows(*each) for each in zip(self.forms[1], self._stand_ins(), strict=True)]
        made = [f'_beside("{letter}", {name}, {self.first})' for name, letter in self.outputs.items()]
        shared = ' and at[1] in ("f32", "f64")' * (self.forms[0].lower().count("r") > 1)
        numbers_are_plain = "".join(f" and type({name}) is float" for name in constants)
        straight = [
            "if _LAYER.straight and not torch.compiler.is_compiling():",
            *(f"    {line}" for line in self.looked(self.forms[0], rows)),
            f"    if at is not None{shared}{numbers_are_plain}:",
            "        if at[0]:",
            f"            return {call('_Recorded.apply', 'at', 'given', *values)}",
            f"        {outputs}, _ = {call('_forward', 'at', '*given', *constants)}",
            f"        return {', '.join(made)}",
            f"return {call('_LAYER.call', *values)}",
        ]
        found = [gradient(each.name) if each.given.has_gradient else "_" for each in self.arguments]
        pulled = call("_backward", "at", "ctx.kept", f"*given[:{len(self.inputs)}]", *numbers)
        results = [self._beside(*each) for each in zip(self.forms[0].lower(), self.arguments, strict=True)]
        backward = [
            *self.looked(self.forms[1], every, follows=True),
            "if at is None or at[0]:",
            f"    found = {self._long(numbers)}",
            f"    return None, None, *found{', None' * len(constants)}",
            f"{', '.join(found)}{',' * (len(found) == 1)} = {pulled}",
            f"return {', '.join(['None', 'None', *results, *['None'] * len(constants)])}",
        ]
        first = [f"{outputs}, ctx.kept = {call('_forward', 'at', '*given', *constants)}"]
        # No view: autograd refuses to change one in place that a node made.
        first += [f"{name} = {text}.detach()" for name, text in zip(self.outputs, made, strict=True)]
        return [
            f"def _of_rows({', '.join(values)}):",
            '    """The outputs as `_rows` has them, by kernels where these alone have a say."""',
            *laid(straight),
            "",
            "",
            *self._recorded(["at", "given"], constants, first, backward),
            "",
            "",
            *self._flat(),
        ]

    def _stand_ins(self) -> list[str]:
        """The values that backward takes; rows stand for others that no kernel reads, so that none is copied."""
        read = {part for each in self.kernels[1].contracts for part in _parts(each, None)}
        letters = self.forms[0].lower()
        inputs = [
            name if name in read or letter != "r" or each.given.required else f"{name}={self.first}"
            for name, letter, each in zip(self.inputs, letters, self.arguments, strict=True)
        ]
        return [*inputs, *self.kept, *self.cotangents]

    def _beside(self, letter: str, each: ArgumentOfRows) -> str:
        """The gradient of an argument as the decomposition has that."""
        if not each.given.has_gradient:
            return "None"
        text = gradient(each.name)
        if letter != "n":
            summed = "" if each.name == self.first else f".sum_to_size({each.name}.shape)"
            text = f'_beside("{letter}", {text}, {self.first}){summed}'
        return text if each.given.required else f"None if {each.name} is None else {text}"

    def _as_rows(self, letter: str, name: str) -> str:
        name, _, of = name.partition("=")
        if letter in "nNkK":
            return name
        own = {"j": "r", "i": "s", "l": "f"}.get(letter.lower(), letter.lower())
        text = f'_flat("{own}", {of or name}, {self.first})'
        return text if letter.isupper() else f"{name} if {name} is None else {text}"

    def _flat(self) -> list[str]:
        axes = self.arrays
        sizes = {name: marked("rest") if name == "..." else name for name in axes.names}
        order = [*axes.rows, *axes.features]
        places, back = [[of.index(name) for name in by] for of, by in ((axes.names, order), (order, axes.names))]
        turned, turned_back = [
            "" if each == sorted(each) else f".permute({', '.join(map(str, each))})" for each in (places, back)
        ]
        rows, features = ["*".join(sizes[name] for name in names) or "1" for names in (axes.rows, axes.features)]
        flat, beside = [], []
        for letter, own, shape in (
            ("r", order, f"{rows}, {features}"), ("s", axes.rows, rows), ("f", axes.features, features)
        ):  # fmt: skip
            wide, split = [", ".join(sizes[n] if n in own else "1" for n in names) for names in (axes.names, order)]
            flat += [f'if letter == "{letter}":', f"    return value.expand({wide}){turned}.reshape({shape})"]
            whole = ".contiguous()" if turned_back and letter == "r" else ""
            beside += [f'if letter == "{letter}":', f"    return value.reshape({split}){turned_back}{whole}"]
        first = f"{tuple_of(sizes.values()).strip('()')} = like.shape"
        head = "(letter, value, like):"
        return [
            f"def _flat{head}",
            '    """The rows of an array beside another: r for rows, s for one value a row, f for one a feature."""',
            *laid([first, *flat, "return value"]),
            "",
            "",
            f"def _beside{head}",
            '    """The array beside another of such rows."""',
            *laid([first, *beside, "return value"]),
        ]


def _within(lines: Sequence[str]) -> list[str]:
    return laid(f"    {line}" for line in lines)


def _parts(contract: LaunchContract, roles: Sequence[str] | None) -> list[str]:
    """The values of a kernel with some roles, or all arrays."""
    if roles is None:
        return [each.part for each in contract.arguments if each.role not in _SKIPPED]
    return [each.part for each in contract.arguments if each.role in roles]


_FORWARD = '    """The outputs and the row scalars by the compiled kernel, of tensors at some addresses."""'
_BACKWARD = '    """The gradients by the compiled kernels, of tensors at some addresses."""'
