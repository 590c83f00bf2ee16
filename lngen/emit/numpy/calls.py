"""Private functions of `numpy_backend.py`: the checks of a call, memory for its results, and what computes them.

They serve the kernels of `cpu_backend.py` too, by their first argument. Arguments have the names of the interface,
which neither begin nor end with an underscore. An array that is made ends with one, and any other name begins with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lngen.emit.interface import OwnFields, PublicInterface
from lngen.emit.layout import call, definition, laid, listed, table, tuple_of
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
        values = {each.name: each.name for each in inputs}
        rows = [each for each in inputs if each.kind == "Row"]
        first = next((each.name for each in rows if not each.may_be_none), "")
        lines = [*checked_constants(public), *_THREADS, *self._arrays(inputs, [each.name for each in inputs])]
        if not first:
            lines.append(f"_name, _row = _calls.first_row({', '.join(f'{each.name}={each.name}' for each in rows)})")
        if self._has_axes:
            lines.append(f"_sizes = {call('_AXES.sizes', tuple_of(values), *[tuple_of(sizes)] * bool(sizes))}")
            lines.append("_shape = _AXES.row_shape(_sizes)")
        else:
            least = self.interface["minimum_features"]
            named = f'"{first}", {first}' if first else "_name, _row"
            lines.append(f"_shape = _calls.row_shape({named}, {least})")
            lines += self._shapes({each: each.name for each in inputs if each.name != first}, first or "{_name}")
        lines += [f"_read = {table(values)}", "_dtypes, _dtype = _calls.types(_read)"]
        lines.append(self._memory(takes, dict.fromkeys(takes.results, f"{first or '_row'}.dtype")))
        lines += [f"{each.name}_ = _by.empty(_shape[:-1], _dtype)" for each in takes.row_scalars]
        lines += self._filled(takes, [(takes.arguments, given)])
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
        lines = [*_THREADS, f"{'_sizes = ' * self._has_axes}_check(saved)", f"{listed([*of.values()])} = saved[2]"]
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
        lines.append(f"_shape = {'_AXES.row_shape(_sizes)' if self._has_axes else f'saved.{self.own.shape}'}")
        lines += self._shapes(named, "")
        fields = [f"saved.{each.name}" for each in takes.fields]
        read = {
            label: name
            for each, label, name in zip(takes.reads, takes.labels(), [*arguments, *fields], strict=True)
            if each.part != CONSTANT
        }
        lines += [f"_read = {table(read)}", f"_dtype = _calls.compute_type(_read, saved.{self.own.dtype})"]
        lines.append(self._memory(takes, self._types(takes, named, of)))
        lines += self._filled(takes, [(takes.arguments, arguments), (takes.fields, fields)])
        results = [f"{each.name}_" for each in takes.results]
        if takes.returned:
            lines.append(f"return {takes.returned}(*_calls.returned({tuple_of(results)}, out))")
        else:
            lines += [f"_shown: {_ARRAY} = {results[0]} if out is None else out", "return _shown"]
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
        arrays: dict[tuple[str, ...], dict[str, str]] = {}
        for each in protocol.fields:
            field, place = f"saved.{each.name}", each.follows
            optional = place is not None and protocol.inputs[place].may_be_none
            there = [f"saved.{own.dtypes}[{place}] is not None"] * optional
            if each.part in (NUMBER, CONSTANT):
                lines.append(call("_calls.check_number", f'"{each.name}"', field, *there))
            else:
                function = f"_calls.check_kept{'_integers' * each.is_integer}"
                arrays.setdefault((function, self._shape(each), *there), {})[each.name] = field
        shape, kept = f"saved.{own.shape}", [call(*kind, **fields) for kind, fields in arrays.items()]
        if self._has_axes:
            lines.append(f"_sizes = _AXES.sizes_of({shape})")
            kept.append("return _sizes")
        elif arrays:
            lines.append(f"_shape = {shape}")
        is_read = self._has_axes and any(of.startswith("_shape") for _, of, *_ in arrays)
        lines += ["_shape = _AXES.row_shape(_sizes)"] * is_read
        returned, text = ("Any", _SIZES) if self._has_axes else ("None", _REFUSES)
        return [f"def _check(saved: Any) -> {returned}:", text, *laid([*lines, *kept])]

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
        lines, plain = [], {}
        for place, (each, name) in enumerate(zip(entries, names, strict=True)):
            given = f'"{each.name}", {name}, {not each.may_be_none}'
            if each.is_integer:
                lines.append(f"{name} = _calls.integers({given}{', is_number=True' * (each.part == NUMBER)})")
            elif each.part == NUMBER:
                lines.append(f"{name} = _calls.scalar({given})")
            elif each.owner is None and place in may_be_labels:
                lines.append(f"{name} = _calls.array({given}, may_be_labels=True)")
            else:
                plain[each] = name
        if len(plain) == 1:
            ((each, name),) = plain.items()
            lines.insert(0, f'{name} = _calls.array("{each.name}", {name}, {not each.may_be_none})')
        elif plain:
            plain = dict(sorted(plain.items(), key=lambda each: each[0].may_be_none))
            required = sum(not each.may_be_none for each in plain)
            arrays = call("_calls.arrays", str(required), **{each.name: name for each, name in plain.items()})
            lines.insert(0, f"{listed([*plain.values()])} = {arrays}")
        return lines

    def _shapes(self, named: Mapping[Entry, str], first: str) -> list[str]:
        """Return the lines that refuse arrays of other shapes than their kind has."""
        of_shape: dict[tuple[str, str], dict[str, str]] = {}
        for each, name in named.items():
            if each.part != NUMBER:
                meaning = each.meaning(first)
                words = "f" * ("{" in meaning) + f'"{meaning}"'
                of_shape.setdefault((self._shape(each), words), {})[each.name] = name
        return [call("_calls.check_shapes", *shape, **values) for shape, values in of_shape.items()]

    def _shape(self, each: Entry) -> str:
        """Return the shape of a value."""
        of = _first_owner(each)
        if not self._has_axes or of.kind == "Computed" or each.part == NUMBER:
            return _SHAPES[each.part]
        return f'_AXES.shape("{of.name}", _sizes)'

    def _memory(self, takes: DirectionProtocol, types: Mapping[Entry, str]) -> str:
        """Return the line that makes memory for results, or takes the caller's, which may not overlap what is read."""
        wanted = {}
        for each in takes.results:
            dtype = f'_types.dtype("{each.cast}", "{each.name}")' if each.cast else types[each]
            wanted[each.name] = f"{self._shape(each)}, {dtype}"
        if takes.returned:
            pairs = {name: f"({kind})" for name, kind in wanted.items()}
            made = call("_calls.results", "out", "_read", "_by.empty", **pairs)
            return f"{listed([f'{name}_' for name in wanted])} = {made}"
        ((name, kind),) = wanted.items()
        return f'{name}_ = _calls.result("{name}", out, {kind}, _read, _by.empty)'

    def _filled(self, takes: DirectionProtocol, groups: Sequence[tuple[Sequence[Entry], Sequence[str]]]) -> list[str]:
        """Return the lines that compute results of groups of values, as rows where their axes have names."""
        values = [
            tuple_of(text for each, name in zip(*group, strict=True) for text in self._taken(each, name))
            for group in groups
        ]
        work, made = "_blocks.Work(_shape, _dtype, threads)", [f"{each.name}_" for each in takes.makes]
        if not self._has_axes:
            return [call("_by.fill", tuple_of(made), work, *values)]
        before, after, targets = [f"_arranged = _AXES.arranged(_by, _sizes, {work})"], list[str](), list[str]()
        for each, name in zip(takes.makes, made, strict=True):
            if each.part in (NUMBER, CONSTANT) or each.kind == "Computed":
                targets.append(name)
                continue
            of = f'"{_first_owner(each).name}", {name}'
            for part in each.parts or (None,):
                variable = f"_{name}rows" if part is None else f"_{name}{part}"
                number = "" if part is None else f", {part}"
                feature = "_feature" * (each.part == FEATURE)
                before.append(f"{variable} = _arranged.target{feature}({of}{number})")
                after.append(f"_arranged.write({of}, {variable}{number})")
                targets.append(variable)
            if each.parts:
                before += [
                    f"_arranged.clear({of}, {part})" for part in sorted({*range(self._count(each))} - {*each.parts})
                ]
        return [*before, call("_by.fill", tuple_of(targets), "_arranged.work", *values), *after]

    def _taken(self, each: Entry, name: str) -> list[str]:
        """Return a value, or its parts, as the mathematics of rows takes it: parameters in the compute type."""
        if each.part == NUMBER:
            return [f"_calls.number({name}, {'_blocks.INTEGER' if each.is_integer else '_dtype'})"]
        if self._has_axes and each.part != CONSTANT and _first_owner(each).kind != "Computed":
            function = f"_arranged.{'feature' if each.part == FEATURE else 'rows'}"
            of = f'"{_first_owner(each).name}", {name}'
            return [f"{function}({of}, {part})" for part in each.parts] or [f"{function}({of})"]
        if each.part == FEATURE and not self._has_axes:
            return [f"_calls.parameter({name}, {'_blocks.INTEGER' if each.is_integer else '_dtype'})"]
        return [name]

    def _count(self, each: Entry) -> int:
        """Return the number of parts of an array."""
        entries = (*self.interface["inputs"], *self.interface["outputs"])
        return next(len(found["parts"]) for found in entries if found["name"] == _first_owner(each).name)


def _first_owner(each: Entry) -> Entry:
    """Return the input, the output or the row scalar that a value belongs to."""
    while each.owner is not None:
        each = each.owner
    return each


_ARRAY = "npt.NDArray[Any]"
_REFUSES = '    """Refuse saved values of a kind or a shape that forward does not return."""'
_SIZES = '    """Refuse saved values that forward does not return, and return the sizes of axes."""'
_THREADS = ["threads = _calls.thread_count(threads)"]
