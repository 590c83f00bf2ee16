"""Functions of `cpu_backend.py`: the straight way of a call, which checks, makes results and calls a kernel.

Arguments have the names of the interface, which neither begin nor end with an underscore. An array that is made or
converted ends with one, and any other name begins with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lngen.emit.cpp.kernels import KernelPair
from lngen.emit.interface import PublicInterface
from lngen.emit.layout import call, laid, listed, tuple_of
from lngen.emit.signatures import checked_constants, cotangents_of, each_cotangent
from lngen.emit.spelling import reading
from lngen.runtime.protocol.directions import (
    CONSTANT,
    FEATURE,
    NUMBER,
    ROW,
    ROW_SCALAR,
    DirectionProtocol,
    Entry,
    LayerProtocol,
)

_SHAPES = {ROW: "_shape", ROW_SCALAR: "_shape[:-1]", FEATURE: "(_D,)", NUMBER: "()"}
_NO_ARRAYS = ("Constant", "workspace", "rows", "blocks", "D")
_ROWS = "_shape, _rows, _D, _kind, _stored, _dtype"


@dataclass
class _Values:
    """Values of a call: what makes it unusual, checks of arrays, and expressions of each and of its absence.

    `dense` are arrays that are passed as they are, by their shape and type.
    """

    unusual: list[str] = field(default_factory=list)
    dense: dict[str, list[str]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    expressions: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def add(self, each: Entry, name: str, variable: str, may_be_none: bool) -> None:
        """Add a value that a call is passed as `name`; if it is converted, it gets a `variable`."""
        shape = _SHAPES[each.part]
        function = f"integers({shape}, " if each.is_integer else "number(_dtype, " if each.part == NUMBER else ""
        if each.part == FEATURE and not function:
            function = f"parameter({shape}, _dtype, "
        if function:
            self.others.append(f"{variable} = _straight.{function}{name})")
            if not may_be_none:
                self.unusual.append(f"{name} is None")
        else:
            like = f"{shape}, {'_dtype' if each.kind == 'Computed' else '_stored'}"
            if may_be_none:
                self.others += [f"if {name} is not None:", f"    _straight.dense({like}, {name})"]
            else:
                self.dense.setdefault(like, []).append(name)
        self.expressions[each.symbol] = variable if function else name

    def checks(self) -> list[str]:
        """Return the lines that check them."""
        unusual = [f"if {' or '.join(self.unusual)}:", "    raise _straight.Unusual"] if self.unusual else []
        dense = [f"_straight.dense({like}, {', '.join(names)})" for like, names in self.dense.items()]
        return [*unusual, *dense, *self.others]


class CompiledFunction:
    """Body of a public function that calls the kernels of a direction; rows have `least` features or more."""

    def __init__(
        self,
        takes: DirectionProtocol,
        kernels: KernelPair,
        layer: LayerProtocol,
        interface: PublicInterface,
        least: int,
    ) -> None:
        self.takes, self.kernels, self.layer, self.interface, self.least = takes, kernels, layer, interface, least
        self.cotangents = cotangents_of(takes)

    def lines(self) -> list[str]:
        """Return the lines."""
        begin = [*checked_constants(self.interface)] if self.takes.is_forward else []
        begin += each_cotangent(self.takes, self.cotangents)
        if self.interface.layout or any(each.cast for each in self.takes.makes):
            return laid([*begin, f"return {self._long_way()}"])
        made = self._forward() if self.takes.is_forward else self._later()
        return laid([*begin, *made])

    def _long_way(self) -> str:
        name = self.takes.name
        given = ["saved", *self._arguments()]
        if self.takes.is_forward:
            given = [
                *(each.name for each in self.takes.arguments),
                *(size.name for size in self.interface.sizes),
                "save",
            ]
        return call(f"_numpy._{name}", f"_{name}_on_kernels", *given, "out", "threads")

    # ---- forward

    def _forward(self) -> list[str]:
        found, takes = _Values(), self.takes
        of_rows = [each for each in takes.inputs if each.kind == "Row"]
        first = next((each.name for each in of_rows if not each.may_be_none), "")
        if not first:
            *before, last = (each.name for each in of_rows)
            first = "".join([*(f"{name} if {name} is not None else " for name in before), last])
        begin = [f"{_ROWS} = _straight.rows({first}, {self.least}, threads)"]
        for each in takes.inputs:
            found.absent[each.symbol] = f"{each.name} is None"
            if each.name == first:
                found.expressions[each.symbol] = first
            else:
                found.add(each, each.name, f"{each.name}_", each.may_be_none)
        found.expressions |= {each.symbol: each.name for each in takes.constants}
        makes = []
        for each in takes.row_scalars:
            found.expressions[each.symbol] = f"{each.name}_"
            makes.append(f"{each.name}_ = np.empty(_shape[:-1], _dtype)")
        outputs = [f"{each.name}_" for each in takes.results]
        results = self._results(found, ["" for _ in outputs], [each.name for each in takes.inputs])
        returned = f"Outputs({', '.join(outputs)})" if takes.returned else outputs[0]
        fields = [self._kept(each) for each in self.layer.fields]
        dtypes = tuple_of(_dtype(each) for each in takes.inputs)
        computed = [
            *makes,
            *self._called(found),
            "if not save:",
            f"    return {returned}, None",
            f"_dtypes = {dtypes}",
            f"return {returned}, Saved({', '.join(['_shape', '_dtype', '_dtypes', *fields])})",
        ]
        return self._tried([*begin, *found.checks(), *results], computed)

    def _kept(self, each: Entry) -> str:
        """Return the value that a field of `Saved` holds."""
        assert each.owner is not None
        inner = {*self.takes.results, *self.takes.row_scalars}
        names = {other.symbol for other in inner}
        return f"{each.owner.name}_" if each.owner.symbol in names else each.owner.name

    # ---- what follows forward

    def _later(self) -> list[str]:
        found, takes, layer = _Values(), self.takes, self.layer
        required = tuple(not each.may_be_none for each in layer.inputs)
        places = tuple(place for place, each in enumerate(layer.inputs) if each.kind in ("Row", "RowScalar"))
        given = f"saved, Saved, {required}, {places}, threads"
        types = [f"_of_{each.name}" for each in layer.inputs]
        begin = [f"{_ROWS} = _straight.kept({given})", f"{listed(types)} = saved[2]"]
        for each, type_ in zip(layer.inputs, types, strict=True):
            found.absent[each.symbol] = f"{type_} is None"
        arguments = self._arguments()
        groups = arguments[: len(takes.cotangents)], arguments[len(takes.cotangents) :]
        for group, entries in zip(groups, (takes.cotangents, takes.tangents), strict=True):
            if entries and all(each.may_be_none for each in entries):
                found.unusual.append(" is ".join([*group, "None"]))
        for each, name in zip(takes.arguments, arguments, strict=True):
            if each.may_be_none and each.follows is not None and layer.inputs[each.follows].may_be_none:
                found.unusual.append(f"(_of_{layer.inputs[each.follows].name} is None and {name} is not None)")
            found.absent[each.symbol] = f"{name} is None"
        for each in takes.fields:
            if each.follows is not None:
                of = f"_of_{layer.inputs[each.follows].name}"
                found.unusual.append(f"({of} is None) != (saved.{each.name} is None)")
            if each.part == CONSTANT:
                found.unusual.append(f"type(saved.{each.name}) is not float")
                found.expressions[each.symbol] = f"saved.{each.name}"
            else:
                found.add(each, f"saved.{each.name}", f"{each.name}_", each.follows is not None)
        for each, name in zip(takes.arguments, arguments, strict=True):
            found.add(each, name, f"{name}_", each.may_be_none)
        named = dict(zip((each.name for each in takes.arguments), arguments, strict=True))
        missing, results = [], []
        for each in takes.results:
            own = "" if each.follows is None else f"_of_{layer.inputs[each.follows].name}"
            if each.follows is not None:
                missing.append(f"{own} is None" if layer.inputs[each.follows].may_be_none else "")
            else:
                is_optional = each.owner is not None and each.owner in takes.arguments and each.owner.may_be_none
                missing.append(f"{named[each.owner.name]} is None" if each.owner and is_optional else "")
            results.append(f"{each.name}_" if each.is_per_row else f"_straight.rounded({each.name}_, {own})")
        taken = [*arguments, *(f"saved.{each.name}" for each in takes.fields if each.part != CONSTANT)]
        checks = [*begin, *found.checks(), *self._results(found, missing, taken)]
        returned = f"{takes.returned}({', '.join(results)})" if takes.returned else results[0]
        return self._tried(checks, [*self._called(found), f"return {returned}"])

    def _arguments(self) -> list[str]:
        """Return the names of the direction's own arguments; cotangents that come in one are taken apart."""
        return [*self.cotangents, *(each.name for each in self.takes.tangents)]

    # ---- both

    def _tried(self, checks: Sequence[str], computed: Sequence[str]) -> list[str]:
        """Return lines that compute if checks hold, and else go the long way, whose errors have no other one behind."""
        looked, made = [[f"    {line}" for line in lines] for lines in (checks, computed)]
        unusual = ["except _straight.Unusual:", "    pass"]
        return ["try:", *looked, *unusual, "else:", *made, f"return {self._long_way()}"]

    def _results(self, found: _Values, missing: Sequence[str], given: Sequence[str]) -> list[str]:
        """Return the lines that make memory for results, or take the caller's; some may be `missing`."""
        results = self.takes.results
        parts = {reading(argument.part) for contract in self.kernels.contracts for argument in contract.arguments}
        own = [f"_out[{place}]" for place in range(len(results))] if self.takes.returned else ["out"]
        lines = [f"_out = _straight.outs(out, {len(results)})"] if self.takes.returned else []
        for each, array, condition in zip(results, own, missing, strict=True):
            name, shape = f"{each.name}_", _SHAPES[each.part]
            found.expressions[f"out {each.symbol}"] = name
            kind = "_stored" if each.is_per_row else "_dtype"
            if not each.is_per_row and each.follows is not None:
                kind += f", _of_{self.layer.inputs[each.follows].name}"
            made = f"_straight.result({array}, {shape}, {kind})"
            lines.append(f"{name} = {f'None if {condition} else ' if condition else ''}{made}")
            if f"out {each.symbol}" not in parts:  # no kernel writes what is always zero
                lines += [f"if {name} is not None:", f"    {name}.fill(0.0)"] if condition else [f"{name}.fill(0.0)"]
        names = tuple_of(f"{each.name}_" for each in results)
        arrays = "_out" if self.takes.returned else "(out,)"
        return [*lines, "if out is not None:", f"    _straight.apart({arrays}, {names}, {', '.join(given)})"]

    def _called(self, found: _Values) -> list[str]:
        """Return the call of the kernels: arrays and numbers as each of them takes them, in order."""
        arrays = [
            [
                found.expressions[reading(argument.part)]
                for argument in contract.arguments
                if argument.role not in _NO_ARRAYS
            ]
            for contract in self.kernels.contracts
        ]
        numbers = [
            found.expressions[reading(argument.part)]
            for argument in self.kernels.contract.arguments
            if argument.role == "Constant"
        ]
        flags = [found.absent[name] for name in self.kernels.optional]
        addresses = [f"_straight.addresses({', '.join(each)})" for each in arrays]
        given = [addresses[0], tuple_of(numbers) if numbers else "()", "_rows", "_D", "threads", *addresses[1:]]
        key = ", ".join(["_kind", *flags]) if flags else "(_kind,)"
        return [f"_kernel = _{self.takes.name.upper()}[{key}]", f"_kernel({', '.join(given)})"]


def _dtype(each: Entry) -> str:
    """Return the type of an input, None for one that is left out."""
    own = f"_straight.dtype_of({each.name})" if each.part == NUMBER else f"{each.name}.dtype"
    return f"None if {each.name} is None else {own}" if each.may_be_none else own
