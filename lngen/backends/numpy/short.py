"""How a call takes the short way: which arguments allow it, and the lines of `forward` and `backward` that do it.

The functions themselves are those of `small`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lngen.backends.interface import Input, Interface, Output
from lngen.backends.layout import condition, wrapped
from lngen.backends.numpy.small import Small
from lngen.backends.numpy.text import SHAPES, definition, indented, quoted, tuple_of, uses_scalar
from lngen.program import RowProgram

_GROUPS = {"rows": "Row", "row_scalars": "RowScalar", "features": "Feature", "scalars": "Scalar"}


@dataclass(frozen=True)
class Kept:
    """A field of what forward saves; `optional` is that of an input that may be left out."""

    name: str
    constant: bool
    optional: bool


@dataclass(frozen=True)
class ShortWays:
    """The short ways of a layer's two directions. `kept` are the fields of what forward saves, after its own three."""

    layer: Interface
    forward: RowProgram
    backward: RowProgram
    forward_small: Small
    backward_small: Small
    kept: Sequence[Kept]

    def parts(self) -> dict[str, dict[str, Any]]:
        """What the template places, by direction; there is none without a row that tells the shape of all."""
        rows = [row.name for row in self.layer.rows if row.required]
        arrays = self._backward_kinds()
        leading = [name for name, kind in arrays if kind == "Row"]
        leading = [name for name in leading if name.startswith("saved.")] or leading
        ways = {}
        if rows:
            ways["forward"] = _part(
                "_forward_small", self.forward_small, self._forward_test(rows[0]), self._forward_call(rows[0])
            )
        if leading:
            ways["backward"] = _part(
                "_backward_small", self.backward_small, self._backward_test(leading[0], arrays), self._backward_call()
            )
        return ways

    def _several(self) -> bool:
        return len(self.layer.outputs) > 1

    def _cotangents(self) -> list[str]:
        return [f"d{output.name}" for output in self.layer.outputs]

    def _forward_test(self, leading: str) -> list[str]:
        given: list[tuple[str, str]] = [(other.name, other.kind) for other in self.layer.inputs]
        required = [other.name for other in self.layer.inputs if other.required]
        return _test(leading, given, [f"{name} is not None" for name in required if name != leading])

    def _forward_call(self, leading: str) -> list[str]:
        outputs = [output.name for output in self.layer.outputs]
        made = [*outputs, *(symbol.name for symbol in self.forward.saved)]
        given = ", ".join(f'"{other.name}": {other.name}' for other in self.layer.inputs)
        saved = ["shape", "dtype", "dtypes", *(field.name for field in self.kept)]
        returned = f"Outputs({', '.join(outputs)})" if self._several() else outputs[0]
        lines = [
            f"shape, dtype = {leading}.shape, {leading}.dtype",
            f"given = {{{given}}}",
            "dtypes = {name: dtype for name, array in given.items() if array is not None}",
            f"{', '.join(made)} = _forward_small({', '.join([*self.forward_small.arguments, 'shape', 'dtype'])})",
            *self._placed(outputs, self._several()),
            f"saved = Saved({', '.join(saved)})",
            f"return {returned}, saved",
        ]
        return indented(lines, 8)

    def _backward_kinds(self) -> list[tuple[str, str]]:
        """The arrays that backward is given, with their kinds."""
        every: list[Input | Output] = [*self.layer.inputs, *self.layer.outputs]
        kinds: dict[str, str] = {given.name: given.kind for given in every}
        named: list[tuple[str, str]] = [(f"d{output.name}", output.kind) for output in self.layer.outputs]
        saved = [field.name for field in self.kept if not field.constant]
        return named + [(f"saved.{name}", kinds.get(name, "RowScalar")) for name in saved]

    def _backward_test(self, leading: str, arrays: Sequence[tuple[str, str]]) -> list[str]:
        tests = [f"_is_of_one_type(saved, {leading})"]
        there = [f"{name} is not None" for name in self._cotangents()]
        tests += [] if self._several() else there
        for field in self.kept:
            name = f"saved.{field.name}"
            if field.optional:
                tests.append(f'({name} is not None) is ("{field.name}" in saved.dtypes)')
            elif field.constant:
                tests.append(f"type({name}) is float")
            elif name != leading:
                tests.append(f"{name} is not None")
        tests += [f"({' or '.join(there)})"] if self._several() else []
        return _test(leading, arrays, tests)

    def _backward_call(self) -> list[str]:
        cotangents = self._cotangents()
        arguments = [name if name in cotangents else f"saved.{name}" for name in self.backward_small.arguments]
        arguments += [f'"{name}" in saved.dtypes' for name in self.backward_small.flagged]
        made = {name for store in self.backward.results for name in store.names}
        results = [f"d{given.name}" for given in self.layer.inputs]
        computed = ", ".join(name for name in results if name in made)
        lines = ["shape, dtype = saved.shape, saved.dtype"]
        lines.append(f"{computed} = _backward_small({', '.join([*arguments, 'shape', 'dtype'])})")
        for given in self.layer.inputs:
            if f"d{given.name}" not in made:
                there = "" if given.required else f' if "{given.name}" in saved.dtypes else None'
                lines.append(f"d{given.name} = np.zeros({SHAPES[given.kind]}, dtype){there}")
        saved = [name for name, kind in self._backward_kinds() if kind != "Scalar"]
        arrays = ", ".join(f'"{name}": {name}' for name in saved)
        lines += self._placed(results, True, [f"given = {{{arrays}}}"])
        lines.append(f"return Gradients({', '.join(results)})")
        return indented(lines, 8)

    def _placed(self, results: list[str], several: bool, given: Sequence[str] = ()) -> list[str]:
        """The lines that put results where `out` says; what is one array for several results stays one."""
        groups: Mapping[str, tuple[str, ...]] = {
            name: store.names for store in self.backward.results for name in store.names
        }
        lines = ["if out is not None:", *(f"    {line}" for line in given)]
        lines += [f"    out = _several(out, {quoted(results)})"] if several else []
        for number, name in enumerate(results):
            out = f"out[{number}]" if several else "out"
            place = f'{name} = _placed("{name}", {name}, {out}, given)'
            before = [other for other in groups.get(name, ()) if other in results[:number]]
            if before:
                alone = " or ".join([f"{name} is None", f"{before[0]} is None", f"{out} is not None"])
                lines += [f"    if {alone}:", f"        {place}", "    else:", f"        {name} = {before[0]}"]
            else:
                lines.append(f"    {place}")
        return lines


def _test(leading: str, named: Sequence[tuple[str, str]], tests: Sequence[str]) -> list[str]:
    """The line that looks whether a call may take the short way, and the head of the `if` that takes it."""
    groups = {word: [name for name, own in named if own == kind] for word, kind in _GROUPS.items()}
    arrays = ", ".join(f"{word}={tuple_of(names)}" for word, names in groups.items() if names)
    head = wrapped(f"small = _are_small({leading}, {arrays})", 4)
    return [*head, *condition(" and ".join(["small", *tests]), 4)]


def _part(name: str, function: Small, test: list[str], call: list[str]) -> dict[str, Any]:
    return {
        "signature": definition(name, [*function.parameters, "shape", "dtype"]),
        "lines": function.lines,
        "uses_scalar": uses_scalar(function.lines),
        "helpers": function.helpers,
        "test": test,
        "call": call,
    }
