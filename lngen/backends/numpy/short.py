"""How a call takes the short way: which arguments allow it, and the lines of `forward` and `backward` that do it.

The functions themselves are those of `small`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lngen.backends.interface import Interface
from lngen.backends.layout import condition
from lngen.backends.numpy.saved import Field
from lngen.backends.numpy.small import Small
from lngen.backends.numpy.text import SHAPES, definition, given_by_name, indented, quoted, tuple_of
from lngen.program import RowProgram


@dataclass(frozen=True)
class ShortWays:
    """The short ways of a layer's two directions; `saved` is what forward keeps for the other."""

    layer: Interface
    forward: RowProgram
    backward: RowProgram
    forward_small: Small
    backward_small: Small
    saved: Sequence[Field]

    def parts(self) -> dict[str, dict[str, Any]]:
        """What the template places, by direction; there is none without a row that tells the shape of all."""
        rows = [row.name for row in self.layer.rows if row.required]
        leading = [f"saved.{field.name}" for field in self.saved if field.kind == "Row"]
        leading += [f"d{output.name}" for output in self.layer.outputs if output.kind == "Row"]
        ways = {}
        if rows:
            way = _way(rows[0], self._forward_test(rows[0]), self._forward_call())
            ways["forward"] = _part("_forward_small", self.forward_small, way)
        if leading:
            way = _way(leading[0], self._backward_test(leading[0]), self._backward_call())
            ways["backward"] = _part("_backward_small", self.backward_small, way)
        return ways

    def _several(self) -> bool:
        return len(self.layer.outputs) > 1

    def _cotangents(self) -> list[str]:
        return [f"d{output.name}" for output in self.layer.outputs]

    def _forward_test(self, leading: str) -> list[str]:
        others = [other for other in self.layer.inputs if other.name != leading]
        optional = {other.name: "" if other.required else f"{other.name} is None or " for other in others}
        return [optional[other.name] + _fits(other.name, other.kind) for other in others]

    def _forward_call(self) -> list[str]:
        outputs = [output.name for output in self.layer.outputs]
        made = [*outputs, *(symbol.name for symbol in self.forward.saved)]
        inputs = [other.name for other in self.layer.inputs]
        types = ", ".join(f'"{other.name}": dtype' for other in self.layer.inputs if other.required)
        saved = ["shape", "dtype", "dtypes", *(field.name for field in self.saved)]
        returned = f"Outputs({', '.join(outputs)})" if self._several() else outputs[0]
        lines = [f"dtypes = {{{types}}}"]
        for name in self.layer.optional:
            lines += [f"if {name} is not None:", f'    dtypes["{name}"] = dtype']
        return [
            *lines,
            f"{', '.join(made)} = {_at_once('_forward_small', self.forward_small.arguments)}",
            *_placed(outputs, "out" if self._several() else "(out,)", inputs),
            f"saved = Saved({', '.join(saved)})",
            f"return {returned}, saved",
        ]

    def _backward_test(self, leading: str) -> list[str]:
        cotangents = self._cotangents()
        tests = ["_is_of_one_type(saved, shape, dtype)"]
        for name, output in zip(cotangents, self.layer.outputs, strict=True):
            fit = _fits(name, output.kind)
            tests.append(f"{name} is None or {fit}" if self._several() else fit)
        for field in self.saved:
            name = f"saved.{field.name}"
            if field.kind == "Constant":
                tests.append(f"type({name}) is float")
            elif name != leading:
                tests.append(_fits(name, field.kind, field.given))
        there = " or ".join(f"{name} is not None" for name in cotangents)
        return tests + ([there] if self._several() else [])

    def _backward_call(self) -> list[str]:
        cotangents = self._cotangents()
        arguments = [name if name in cotangents else f"saved.{name}" for name in self.backward_small.arguments]
        arguments += [f'"{name}" in saved.dtypes' for name in self.backward_small.flagged]
        made = {name for store in self.backward.results for name in store.names}
        results = [f"d{given.name}" for given in self.layer.inputs]
        computed = ", ".join(name for name in results if name in made)
        lines = [f"{computed} = {_at_once('_backward_small', arguments)}"]
        for given in self.layer.inputs:
            if f"d{given.name}" not in made:
                there = "" if given.required else f' if "{given.name}" in saved.dtypes else None'
                lines.append(f"d{given.name} = np.zeros({SHAPES[given.kind]}, dtype){there}")
        arrays = [*cotangents, *(f"saved.{field.name}" for field in self.saved if field.shape)]
        lines += _placed(results, "out", arrays)
        lines.append(f"return Gradients({', '.join(results)})")
        return lines


def _at_once(function: str, arguments: Sequence[str]) -> str:
    """The call of the function that takes few rows at once."""
    return f"_at_once({', '.join([function, *arguments, 'shape', 'dtype'])})"


def _placed(results: Sequence[str], out: str, arrays: Sequence[str]) -> list[str]:
    """The lines that put results where the caller wants them, which is apart from the arrays of the call."""
    computed = tuple_of(results)
    placed = computed if len(results) == 1 else ", ".join(results)
    return [
        "if out is not None:",
        f"    {given_by_name(arrays)}",
        f"    {placed} = _placed({quoted(results)}, {computed}, {out}, given)",
    ]


def _fits(name: str, kind: str, given: str = "") -> str:
    """The test whether an argument is an array of its kind; `given` tells whether it ought to be there."""
    return f"_fits({', '.join([name, SHAPES[kind], 'dtype', *([given] if given else [])])})"


def _way(leading: str, tests: Sequence[str], call: list[str]) -> list[str]:
    """The lines that look whether a call may take the short way, and that take it."""
    lines = [f"    if _are_few({leading}):", f"        shape, dtype = {leading}.shape, {leading}.dtype"]
    if not tests:
        return lines + indented(call, 8)
    several = [f"({test})" if " or " in test else test for test in tests]
    return lines + condition(" and ".join(several) if len(tests) > 1 else tests[0], 8) + indented(call, 12)


def _part(name: str, function: Small, way: list[str]) -> dict[str, Any]:
    return {
        "signature": definition(name, [*function.parameters, "shape", "dtype"]),
        "lines": function.lines,
        "helpers": function.helpers,
        "way": way,
    }
