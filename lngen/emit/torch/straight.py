"""The straight call of a layer's compiled kernels on tensors, which autograd records."""

from __future__ import annotations

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
from lngen.errors import LngenError
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.casts import TARGETS
from lngen.runtime.protocol.directions import FEATURE, NUMBER, PARTS, ROW, ROW_SCALAR

_LETTERS = {ROW: "rj", ROW_SCALAR: "si", FEATURE: "fl", NUMBER: "nk"}
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
        letter = _LETTERS[PARTS[each.given.kind]][each.is_integer]
        return letter.upper() if each.given.required else letter

    # ---- the functions

    def functions(self) -> dict[str, list[str]]:
        """Return the lines of each function by its field of the template."""
        constants = [each.name for each in self.layer.constants]
        forward = ", ".join(["run", "kept", *self.inputs, *constants])
        backward = ", ".join(["run", "kept", *self.inputs, *self.kept, *self.cotangents, *constants])
        found = {
            "made": [f"def _forward({forward}):", _FORWARD, *laid(self._of_forward())],
            "pulled": [f"def _backward({backward}):", _BACKWARD, *laid(self._of_backward())],
        }
        return found | {"beside": self._on_named(constants) if self.arrays.named else self._node(constants)}

    def _of_forward(self) -> list[str]:
        casts = dict(self.forward.casts)
        made = {
            f"out {name}": (letter, f"_guards.of_type(torch.{casts[name]})" if name in casts else self.first)
            for name, letter in self.outputs.items()
        }
        return [f"return {self._run(self.kernels[0], self.inputs, made)}"]

    def _of_backward(self) -> list[str]:
        moved = {f"out {gradient(each.name)}": each for each in self.arguments if each.given.has_gradient}
        made = {part: (self._letter(each).lower(), each.name) for part, each in moved.items()}
        values = [*self.inputs, *self.kept, *self.cotangents]
        run = self._run(self.kernels[1], values, made)
        order = [part for part in self._parts_of(self.kernels[1]) if part in made]
        if order == [*moved] and len(moved) == len(self.arguments) > 1:
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

    def _run(self, kernels: KernelPair, values: Sequence[str], made: dict[str, tuple[str, str]]) -> str:
        """The call of kernels, given the letter of each result, and a tensor of its type."""
        letters = dict(zip(values, self.forms[kernels is self.kernels[1]], strict=True))
        letters |= {part: f"+{letter}" for part, (letter, _) in made.items()}
        letters |= {part: chr(ord("0") + place) for place, part in enumerate(self.saved)}
        sections = [_parts(each, None) for each in kernels.contracts]
        unread = [name for name in values if name not in self._parts_of(kernels)]
        sections += [[]] * (2 - len(sections)) + [unread] if unread else []
        form = "|".join("".join(letters[part] for part in each) for each in sections)
        given = [
            made[part][1] if part in made else part for each in sections for part in each if part not in self.saved
        ]
        absent = tuple_of([f"{flag} is None" for flag in kernels.flags if reading(flag) in kernels.optional])
        numbers = tuple_of(_parts(kernels.contract, ("Constant",)))
        kernel = f"_cpu._{kernels.name.upper()}"
        return call("run", kernel, f'"{form}"', str(self.least), absent, numbers, "kept", *given)

    def _node(self, constants: Sequence[str]) -> list[str]:
        backward = [*self._pulled(constants), f"return None, *found{', None' * len(constants)}"]
        return self._recorded(constants, [self._made(constants)], backward)

    def _made(self, constants: Sequence[str]) -> str:
        return f"{', '.join(self.outputs)}, ctx.kept = {call('_forward', '_guards.run', 'None', '*given', *constants)}"

    def _pulled(self, constants: Sequence[str], values: Sequence[str] = ()) -> list[str]:
        """The lines that find gradients, given values of the form of backward."""
        own, numbers = [*self.inputs, *self.kept, *self.cotangents], ["*ctx.constants"] * bool(constants)
        pulled = f"found = {call('_backward', '_guards.run', 'ctx.kept', '*given', *numbers)}"
        kept = tuple_of(self.kept) if self.kept else "()"
        inputs = tuple_of([*self.inputs, *numbers])
        long = call("_LAYER.gradients", "_LAYER", "ctx.kept", inputs, kept, tuple_of(self.cotangents))
        if len(self.cotangents) == 1:  # which is never None, and expanded where y is summed
            own[-1] += ".contiguous()"
        return [
            f"given = {tuple_of(values or own)}",
            pulled,
            "if found is None:",
            f'    given = _guards.dense("{self.forms[1]}", *given, follows=True)',
            f"    {pulled}",
            "if found is None or found is True:",
            f"    found = {long}",
        ]

    def looked(self, values: Sequence[str], constants: Sequence[str]) -> list[str]:
        """Return the lines that compute the outputs of tensors, or of copies."""
        made = f"made = {call('_forward', '_guards.run', 'False', '*given', *constants)}"
        return [
            f"given = {tuple_of(values)}",
            made,
            "if made is None:",
            f'    given = _guards.dense("{self.forms[0]}", *given)',
            f"    {made}",
            "if made is True:",
            f"    return {call('_Recorded.apply', 'given', *self.inputs, *constants)}",
        ]

    def _recorded(self, constants: Sequence[str], made: Sequence[str], backward: Sequence[str]) -> list[str]:
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
            f"    def forward({', '.join(['ctx', 'given', *self.inputs, *constants])}):",
            *_within([line for line in forward if line]),
            "",
            "    @staticmethod",
            f"    def backward({', '.join(['ctx', *self.cotangents])}):",
            *_within([saved, *backward]),
        ]

    # ---- axes that have names

    def _on_named(self, constants: Sequence[str]) -> list[str]:
        """The same of arrays beside rows, which are made rows here."""
        outputs, values = ", ".join(self.outputs), [*self.inputs, *constants]
        rows = [self._as_rows(*each) for each in zip(self.forms[0], self.inputs, strict=True)]
        every = [self._as_rows(*each) for each in zip(self.forms[1], self._stand_ins(), strict=True)]
        made = [f'_beside("{letter}", {name}, {self.first})' for name, letter in self.outputs.items()]
        # Gradients of what rows share are sums over them, which sixteen bits would round.
        tests = ["_LAYER.straight", "not torch.compiler.is_compiling()"]
        tests += [f"{self.first}.itemsize > 2"] * (self.forms[0].lower().count("r") > 1)
        tests += [f"type({name}) is float" for name in constants]
        straight = [
            f"if {' and '.join(tests)}:",
            *(f"    {line}" for line in self.looked(rows, constants)),
            "    if made is not None:",
            *([] if len(self.outputs) == 1 and outputs == "made" else [f"        {outputs} = made"]),
            f"        return {', '.join(made)}",
            f"return {call('_LAYER.call', *values)}",
        ]
        found = [gradient(each.name) if each.given.has_gradient else "_" for each in self.arguments]
        results = [self._beside(*each) for each in zip(self.forms[0].lower(), self.arguments, strict=True)]
        backward = [
            *self._pulled(constants, every),
            f"    return None, *found{', None' * len(constants)}",
            f"{', '.join(found)}{',' * (len(found) == 1)} = found",
            f"return {', '.join(['None', *results, *['None'] * len(constants)])}",
        ]
        first = [self._made(constants)]
        # No view: autograd refuses to change one in place that a node made.
        first += [f"{name} = {text}.detach()" for name, text in zip(self.outputs, made, strict=True)]
        return [
            f"def _of_rows({', '.join(values)}):",
            '    """The outputs as `_rows` has them, by kernels where these alone have a say."""',
            *laid(straight),
            "",
            "",
            *self._recorded(constants, first, backward),
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


_FORWARD = '    """The outputs by the compiled kernel, then the row scalars if `kept` is None."""'
_BACKWARD = '    """The gradients by the compiled kernels."""'
