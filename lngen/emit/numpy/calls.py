"""Private functions of `numpy_backend.py`: the checks of a call, memory for its results, and what computes them.

They serve the kernels of `cpu_backend.py` too, by their first argument. Arguments have the names of the interface,
which neither begin nor end with an underscore. An array that is made ends with one, and any other name begins with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lngen.emit.interface import OwnFields, PublicInterface
from lngen.emit.layout import call, definition, laid, listed, quoted, tuple_of
from lngen.emit.signatures import checked_constants, cotangents_of
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
from lngen.runtime.protocol.interface import Interface, labels

_SHAPES = {ROW: "_shape", ROW_SCALAR: "_shape[:-1]", FEATURE: "_shape[-1:]", NUMBER: "()"}


@dataclass(frozen=True)
class CheckedCalls:
    """The functions of a layer that check calls; `public` and `protocol` describe it as `interface` does."""

    interface: Interface
    public: PublicInterface
    protocol: LayerProtocol
    own: OwnFields

    def functions(self) -> list[list[str]]:
        """Return the lines of each function: those of the directions, and that of saved values."""
        names = self.interface["directions"]
        made = [self._forward(self.protocol.directions["forward"])]
        made += [self._later(self.protocol.directions[name]) for name in names if name != "forward"]
        return [*made, self._saved()]

    # ---- forward

    def _forward(self, takes: DirectionProtocol) -> list[str]:
        public, inputs, results = self.public, takes.inputs, [f"{each.name}_" for each in takes.results]
        given = [each.name for each in takes.arguments]
        sizes = [size.name for size in public.sizes]
        values = tuple_of(each.name for each in inputs)
        rows = [each for each in inputs if each.kind == "Row"]
        first = next((each.name for each in rows if not each.may_be_none), "")
        lines = [*checked_constants(public), *_THREADS, *self._arrays(inputs, [each.name for each in inputs])]
        if not first:
            lines.append(f"_name, _row = _calls.first_row({', '.join(f'{each.name}={each.name}' for each in rows)})")
        if self._has_axes:
            lines += [
                f"_sizes = _AXES.sizes({values}, {tuple_of(sizes)})" if sizes else f"_sizes = _AXES.sizes({values})"
            ]
            lines.append("_shape = _AXES.row_shape(_sizes)")
        else:
            least = self.interface["minimum_features"]
            named = f'"{first}", {first}' if first else "_name, _row"
            lines.append(f"_shape = _calls.row_shape({named}, {least})")
            for each in inputs:
                if each.part != NUMBER and each.name != first:
                    meaning = each.meaning(first or "{_name}")
                    words = ("f" if "{" in meaning else "") + f'"{meaning}"'
                    lines.append(f'_calls.check_shape("{each.name}", {each.name}, {_SHAPES[each.part]}, {words})')
        lines += [f"_read = {values}", "_dtypes = _calls.types(_read)", "_dtype = _calls.compute_type(_read)"]
        stored = f"{first or '_row'}.dtype"
        lines += self._results(takes, [each.name for each in inputs], dict.fromkeys(takes.results, stored))
        lines += [f"{each.name}_ = _by.empty(_shape[:-1], _dtype)" for each in takes.row_scalars]
        made = [*results, *(f"{each.name}_" for each in takes.row_scalars)]
        lines += self._filled(takes, tuple_of(made), [(takes.arguments, given)])
        shown = f"_shown = Outputs(*_calls.returned({tuple_of(results)}, out))"
        shown = shown if takes.returned else f"_shown: {_ARRAY} = {results[0]} if out is None else out"
        owners = {*takes.results, *takes.row_scalars}
        kept = [f"{each.owner.name}{'_' * (each.owner in owners)}" for each in self.protocol.fields if each.owner]
        first_field = "_AXES.flat(_sizes)" if self._has_axes else "_shape"
        saved = call("Saved", first_field, "_dtype", "_dtypes", *kept)
        lines += [shown, f"_saved = {saved} if save else None", "return _shown, _saved"]
        returned = f"tuple[{takes.returned or _ARRAY}, Saved | None]"
        return self._function(takes.name, [*given, *sizes, "save", "out", "threads"], returned, lines)

    # ---- what follows forward

    def _later(self, takes: DirectionProtocol) -> list[str]:
        inputs, arguments = self.protocol.inputs, [*cotangents_of(takes), *(each.name for each in takes.tangents)]
        named = dict(zip(takes.arguments, arguments, strict=True))
        of = {place: f"_of_{each.name}" for place, each in enumerate(inputs)}
        lines = [*_THREADS, "_check(saved)", f"{listed([*of.values()])} = saved[2]"]
        lines += self._arrays(takes.arguments, arguments)
        count = len(takes.cotangents)
        if count > 1:
            lines.append(call("_calls.check_any", '"cotangent"', *arguments[:count]))
        if takes.tangents:
            kind = '"cotangent of a gradient"' if count else '"tangent"'
            lines.append(call("_calls.check_any", kind, *arguments[count:]))
        for each, name in named.items():
            if each.follows is not None and each.owner and inputs[each.follows].may_be_none:
                lines.append(f'_calls.check_left_out("{each.name}", {name}, "{each.owner.name}", {of[each.follows]})')
        lines += [f"_sizes = _AXES.sizes_of(saved.{self.own.shape})"] * self._has_axes
        lines.append(f"_shape = {'_AXES.row_shape(_sizes)' if self._has_axes else f'saved.{self.own.shape}'}")
        for each, name in named.items():
            if each.part != NUMBER:
                lines.append(f'_calls.check_shape("{each.name}", {name}, {self._shape(each)}, "{each.meaning("")}")')
        fields = [f"saved.{each.name}" for each in takes.fields]
        read = [*arguments, *(name for each, name in zip(takes.fields, fields, strict=True) if each.part != CONSTANT)]
        messages = [label for each, label in zip(takes.reads, takes.labels(), strict=True) if each.part != CONSTANT]
        lines += [f"_read = {tuple_of(read)}", f"_dtype = _calls.compute_type(_read, saved.{self.own.dtype})"]
        lines += self._results(takes, messages, self._types(takes, named, of))
        results = tuple_of(f"{each.name}_" for each in takes.results)
        groups = [(takes.arguments, arguments), (takes.fields, fields)]
        lines += self._filled(takes, results, groups)
        if takes.returned:
            lines.append(f"return {takes.returned}(*_calls.returned(_made, out))")
        else:
            lines.append(f"_shown: {_ARRAY} = {takes.results[0].name}_ if out is None else out")
            lines.append("return _shown")
        return self._function(takes.name, ["saved", *arguments, "out", "threads"], takes.returned or _ARRAY, lines)

    def _types(self, takes: DirectionProtocol, named: Mapping[Entry, str], of: Mapping[int, str]) -> dict[Entry, str]:
        """Return the type of each result: that of its input, of its cotangent, or of the rows; None if it has none."""
        rows = [place for place, each in enumerate(self.protocol.inputs) if each.kind == "Row"]
        first = next((of[place] for place in rows if not self.protocol.inputs[place].may_be_none), "")
        stored = first or f"next(_of for _of in {tuple_of(of[place] for place in rows)} if _of is not None)"
        found: dict[Entry, str] = {}
        for each in takes.results:
            if each.follows is not None:
                found[each] = of[each.follows]
            elif each.owner and each.owner in named:
                name = named[each.owner]
                found[each] = f"None if {name} is None else {name}.dtype" if each.owner.may_be_none else f"{name}.dtype"
            else:
                found[each] = stored
        return found

    def _saved(self) -> list[str]:
        """The function that refuses saved values that were changed; a number may be an array of a wrong shape now."""
        protocol, own, name = self.protocol, self.own, self.interface["name"]
        required = tuple(not each.may_be_none for each in protocol.inputs)
        lines = [
            f'_calls.check_is_saved(saved, Saved, "{name}")',
            f"_calls.check_first_fields(saved, {required})",
        ]
        arrays = []
        for each in protocol.fields:
            field = f'"{each.name}", saved.{each.name}'
            there = [] if each.follows is None else [f"saved.{own.dtypes}[{each.follows}] is not None"]
            if each.part in (NUMBER, CONSTANT):
                lines.append(call("_calls.check_number", field, *there))
            else:
                integers = ["of_integers=True"] * each.is_integer
                arrays.append(call("_calls.check_kept", field, self._shape(each), *there, *integers))
        shape = f"saved.{own.shape}"
        begin = [f"_sizes = _AXES.sizes_of({shape})", "_shape = _AXES.row_shape(_sizes)"]
        begin = begin if self._has_axes else [f"_shape = {shape}"]
        text = '    """Refuse saved values of a kind or a shape that forward does not return."""'
        return ["def _check(saved: Any) -> None:", text, *laid([*lines, *(begin if arrays else []), *arrays])]

    # ---- all

    @property
    def _has_axes(self) -> bool:
        return "layout" in self.interface

    def _function(self, name: str, arguments: Iterable[str], returned: str, lines: Sequence[str]) -> list[str]:
        given = ["_by: _blocks.ArrayFunction", *(f"{each}: Any" for each in arguments)]
        what = '    """Check a call, make its results, and have them computed."""'
        return [*definition(f"_{name}", given, returned), what, *laid(lines)]

    def _arrays(self, entries: Sequence[Entry], names: Sequence[str]) -> list[str]:
        """Return the lines that make arrays of what is passed, or refuse it."""
        may_be_labels = labels(self.interface)
        lines = []
        for place, (each, name) in enumerate(zip(entries, names, strict=True)):
            given = f'"{each.name}", {name}, {not each.may_be_none}'
            if each.is_integer:
                lines.append(f"{name} = _calls.integers({given}{', is_number=True' * (each.part == NUMBER)})")
            else:
                is_label = ", may_be_labels=True" * (each.owner is None and place in may_be_labels)
                lines.append(f"{name} = _calls.{'scalar' if each.part == NUMBER else 'array'}({given}{is_label})")
        return lines

    def _shape(self, each: Entry) -> str:
        """Return the shape of a value."""
        of = each
        while of.owner is not None:
            of = of.owner
        if not self._has_axes or of.kind == "Computed" or each.part == NUMBER:
            return _SHAPES[each.part]
        return f'_AXES.shape("{of.name}", _sizes)'

    def _results(self, takes: DirectionProtocol, read: Sequence[str], types: Mapping[Entry, str]) -> list[str]:
        """Return the lines that make memory for results, or take the caller's; what is `read` has names in errors."""
        lines, arrays = [f"_given = _calls.given(out, {quoted(read)}, _read)"], ["out"]
        if takes.returned:
            lines.append(f"_out = _calls.several(out, {quoted(takes.names)})")
            arrays = [f"_out[{place}]" for place in range(len(takes.results))]
        for each, array in zip(takes.results, arrays, strict=True):
            dtype = f'_types.dtype("{each.cast}", "{each.name}")' if each.cast else types[each]
            values = f'"{each.name}", {array}, {self._shape(each)}, {dtype}, _given, _by.empty'
            lines.append(f"{each.name}_ = _calls.result({values})")
        return lines

    def _filled(
        self, takes: DirectionProtocol, made: str, groups: Sequence[tuple[Sequence[Entry], Sequence[str]]]
    ) -> list[str]:
        """Return the lines that compute results of groups of values."""
        values = [
            tuple_of(self._taken(each, name) for each, name in zip(entries, names, strict=True))
            for entries, names in groups
        ]
        work = "_work = _blocks.Work(_shape, _dtype, threads)"
        if self._has_axes:
            return [
                f"_made = {made}",
                work,
                call("_AXES.fill", "_by", f'"{takes.name}"', "_made", "_sizes", "_work", *values),
            ]
        return [f"_made = {made}", work, call("_by.fill", "_made", "_work", *values)]

    def _taken(self, each: Entry, name: str) -> str:
        """Return a value as the mathematics of rows takes it: what all rows share in the compute type."""
        if self._has_axes or each.part not in (FEATURE, NUMBER):
            return name
        function = "parameter" if each.part == FEATURE else "number"
        return f"_calls.{function}({name}, {'_blocks.INTEGER' if each.is_integer else '_dtype'})"


_ARRAY = "npt.NDArray[Any]"
_THREADS = ["threads = _calls.thread_count(threads)"]
