"""How a call takes the short way: which arguments allow it, and the lines of `forward` and `backward` that do it.

The functions themselves are those of `small`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lngen.backends.interface import Interface, Named, OwnFields
from lngen.backends.layout import condition, quoted, tuple_of
from lngen.backends.numpy.small import Small
from lngen.backends.numpy.text import SHAPES, definition, given_by_name, indented
from lngen.backends.saved import Field
from lngen.plan.program import RowProgram


@dataclass(frozen=True)
class ShortWays:
    """The short ways of a layer's two directions; `saved` is what forward keeps for the other."""

    layer: Interface
    forward: RowProgram
    backward: RowProgram
    forward_small: Small
    backward_small: Small
    saved: Sequence[Field]
    own: OwnFields

    def parts(self) -> dict[str, dict[str, Any]]:
        """What the template places, by direction; there is none without a row that tells the shape of all, and none
        where rows are computed in another type than theirs.
        """
        if self.forward.is_wide:
            return {}
        rows = [row.public for row in self.layer.rows if row.required]
        leading = [field.place for field in self.saved if field.kind == "Row"]
        leading += [f"d{output.public}" for output in self.layer.outputs if output.kind == "Row"]
        ways = {}
        if rows:
            way = _way(rows[0], self.forward.minimum_features, self._forward_test(rows[0]), self._forward_call())
            ways["forward"] = _part("_forward_small", self.forward_small, way)
        if leading:
            way = _way(
                leading[0], self.forward.minimum_features, self._backward_test(leading[0]), self._backward_call()
            )
            ways["backward"] = _part("_backward_small", self.backward_small, way)
        return ways

    def _several(self) -> bool:
        return len(self.layer.outputs) > 1

    def _cotangents(self) -> list[Named]:
        return [output.derivative for output in self.layer.outputs]

    def _forward_test(self, leading: str) -> list[str]:
        others = [other for other in self.layer.inputs if other.public != leading]
        return [
            ("" if other.required else f"{other.public} is None or ") + _fits(other.public, other.kind)
            for other in others
        ]

    def _forward_call(self) -> list[str]:
        outputs = [output.local for output in self.layer.outputs]
        computed = {symbol.name: f"{symbol.name}_" for symbol in self.forward.saved}
        inputs = {each.name: each.public for each in (*self.layer.inputs, *self.layer.constants)}
        types = ", ".join(f'"{other.public}": dtype_' for other in self.layer.inputs if other.required)
        known = inputs | {output.name: output.local for output in self.layer.outputs} | computed
        saved = ["shape_", "dtype_", "dtypes_", *(known[field.source.name] for field in self.saved)]
        returned = f"_Outputs({', '.join(outputs)})" if self._several() else outputs[0]
        lines = [f"dtypes_ = {{{types}}}"]
        for given in self.layer.inputs:
            if not given.required:
                lines += [f"if {given.public} is not None:", f'    dtypes_["{given.public}"] = dtype_']
        arguments = [inputs[name] for name in self.forward_small.arguments]
        results = {output.public: output.local for output in self.layer.outputs}
        return [
            f"{', '.join([*outputs, *computed.values()])} = {_at_once('_forward_small', arguments)}",
            *_placed(results, "out" if self._several() else "(out,)", [given.public for given in self.layer.inputs]),
            "if not save:",
            f"    return {returned}, None",
            *lines,
            f"saved = _Saved({', '.join(saved)})",
            f"return {returned}, saved",
        ]

    def _backward_test(self, leading: str) -> list[str]:
        tests = [f"_calls.is_of_one_type(saved, shape_, dtype_, {quoted(self.layer.required)})"]
        for cotangent, output in zip(self._cotangents(), self.layer.outputs, strict=True):
            fit = _fits(cotangent.public, output.kind)
            tests.append(f"{cotangent.public} is None or {fit}" if self._several() else fit)
        for field in self.saved:
            if field.kind == "Constant":
                tests.append(f"type({field.place}) is float")
            elif field.place != leading:
                tests.append(_fits(field.place, field.kind, field.given(self.own)))
        there = " or ".join(f"{cotangent.public} is not None" for cotangent in self._cotangents())
        return tests + ([there] if self._several() else [])

    def _backward_call(self) -> list[str]:
        known = {field.source.name: field.place for field in self.saved}
        known |= {cotangent.name: cotangent.public for cotangent in self._cotangents()}
        inputs = {given.name: given for given in self.layer.inputs}
        arguments = [known[name] for name in self.backward_small.arguments]
        dtypes = f"saved.{self.own.dtypes}"
        arguments += [f'"{inputs[name].public}" in {dtypes}' for name in self.backward_small.flagged]
        made = {name for store in self.backward.results for name in store.names}
        results = [given.derivative for given in self.layer.inputs]
        computed = ", ".join(result.local for result in results if result.name in made)
        lines = [f"{computed} = {_at_once('_backward_small', arguments)}"]
        for given, result in zip(self.layer.inputs, results, strict=True):
            if result.name not in made:
                there = "" if given.required else f' if "{given.public}" in {dtypes} else None'
                lines.append(f"{result.local} = _calls.new_zeros({SHAPES[given.kind]}, dtype_){there}")
        arrays = [cotangent.public for cotangent in self._cotangents()]
        arrays += [field.place for field in self.saved if field.is_array]
        lines += _placed({result.public: result.local for result in results}, "out", arrays)
        lines.append(f"return _Gradients({', '.join(result.local for result in results)})")
        return lines


def _at_once(function: str, arguments: Sequence[str]) -> str:
    """The call of the function that takes few rows at once."""
    return f"_rows.at_once({', '.join([function, *arguments, 'shape_', 'dtype_'])})"


def _placed(results: Mapping[str, str], out: str, arrays: Sequence[str]) -> list[str]:
    """The lines that put results where the caller wants them, which is apart from the arrays of the call."""
    computed = tuple_of(results.values())
    placed = computed if len(results) == 1 else ", ".join(results.values())
    return [
        "if out is not None:",
        f"    {given_by_name(dict(zip(arrays, arrays, strict=True)))}",
        f"    {placed} = _calls.placed({quoted(results)}, {computed}, {out}, given_)",
    ]


def _fits(name: str, kind: str, given: str = "") -> str:
    """The test whether an argument is an array of its kind; `given` tells whether it ought to be there."""
    return f"_calls.fits({', '.join([name, SHAPES[kind], 'dtype_', *([given] if given else [])])})"


def _way(leading: str, minimum: int, tests: Sequence[str], call: list[str]) -> list[str]:
    """The lines that look whether a call may take the short way, and that take it."""
    lines = [
        f"    if _rows.are_few({leading}, {minimum}):",
        f"        shape_, dtype_ = {leading}.shape, {leading}.dtype",
    ]
    if not tests:
        return lines + indented(call, 8)
    several = [f"({test})" if " or " in test else test for test in tests]
    return lines + condition(" and ".join(several) if len(tests) > 1 else tests[0], 8) + indented(call, 12)


def _part(name: str, function: Small, way: list[str]) -> dict[str, Any]:
    return {
        "signature": definition(name, [*function.parameters, "shape", "dtype"]),
        "lines": function.lines,
        "way": way,
    }
