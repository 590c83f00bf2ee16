"""The files of the NumPy backend: both directions lowered, and everything the template places around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lngen.backends import Notes
from lngen.backends.description import assignment, described
from lngen.backends.interface import Input, OwnFields, interface
from lngen.backends.layout import in_docstring, quoted, tuple_of, wrapped
from lngen.backends.numpy.body import Body, body
from lngen.backends.numpy.lowering import lower
from lngen.backends.numpy.presence import Cases
from lngen.backends.numpy.secondary import Secondary, by_event, secondary
from lngen.backends.numpy.short import ShortWays
from lngen.backends.numpy.small import Small, small
from lngen.backends.numpy.text import SHAPES, definition, given_by_name, indented, uses_scalar
from lngen.backends.numpy.wrappers import jvp_fields, second_fields
from lngen.backends.saved import saved_fields
from lngen.backends.signatures import Signatures, as_python
from lngen.backends.spelling import PYTHON, belongs_to, gradient, marked_program, plain_errors, spelled
from lngen.files import render
from lngen.plan.presence import NEVER
from lngen.plan.program import RowProgram

_MEANINGS = {
    "Row": "shape (..., D)",
    "RowScalar": "one value a row, shape x.shape[:-1]",
    "Feature": "one value a feature, shape (D,)",
    "Scalar": "a number or a 0-d array",
}


_ARRAY = "npt.NDArray[Any]"

_FUNCTION = re.compile(r"^(?=def |class )", re.MULTILINE)


@dataclass(frozen=True)
class _Part:
    """A direction, as the template places it."""

    signature: list[str]
    prologue: tuple[str, ...]
    block_signature: list[str]
    block: tuple[str, ...]
    setup: tuple[str, ...]
    loop: tuple[str, ...]
    epilogue: tuple[str, ...]
    least_rows: int
    uses_scalar: bool
    uses_chunk: bool


def emit(
    forward: RowProgram,
    backward: RowProgram,
    notes: Notes,
    jvp: RowProgram | None = None,
    backward_backward: RowProgram | None = None,
) -> dict[str, str]:
    """The files of a layer for NumPy, by name; the functions of directions that are None are left out.

    Raises LngenError for an expression that NumPy code cannot be written for.
    """
    with plain_errors():
        programs = [None if program is None else marked_program(program) for program in (jvp, backward_backward)]
        return _Emission(marked_program(forward), marked_program(backward), notes, *programs).files()


class _Emission:
    def __init__(
        self,
        forward: RowProgram,
        backward: RowProgram,
        notes: Notes,
        jvp: RowProgram | None,
        backward_backward: RowProgram | None,
    ) -> None:
        self.notes, self.layer = notes, (layer := interface(forward, notes))
        self.forward, self.backward = forward, backward
        self.several = len(layer.outputs) > 1
        self.residuals = tuple(centring.residual.symbol for centring in forward.centrings())
        self.cotangents = tuple(output.derivative.name for output in layer.outputs)
        self.backward_body, self.backward_small = self._backward_body()
        self.jvp = None if jvp is None else secondary(jvp, layer, (), self.residuals)
        self.second = (
            None
            if backward_backward is None
            else secondary(backward_backward, layer, self.cotangents if self.several else (), self.residuals)
        )
        self.forward_body, self.forward_small = self._forward_body()
        self.saved = saved_fields(layer, forward, backward, [other.program for other in self._others()])
        self.own = OwnFields.beside(field.name for field in self.saved)
        self.signatures = Signatures(layer, _ARRAY, _ARRAY, ("threads: int = 1",))

    # The two directions

    def _backward_body(self) -> tuple[Body, Small]:
        optional = self.layer.optional
        absent = self.cotangents if self.several else ()
        cases = Cases((*optional, *absent), self._tests(self.backward), absent)
        schedule = lower(self.backward, cases, self.residuals)
        given = {
            name: cases.everything & cases.present(belongs_to(name))
            for store in self.backward.results
            for name in store.names
        }
        wanted = by_event(self.backward.results, given)
        loaded = {parameter.name for parameter in self.backward.parameters}
        loaded |= {row.name for row in self.backward.rows}
        flagged = [name for name in optional if name not in loaded]
        results = [name for name in (gradient(given.name) for given in self.layer.inputs) if name in given]
        return body(schedule, wanted, given), small(schedule, wanted, given, results, flagged)

    def _forward_body(self) -> tuple[Body, Small]:
        cases = Cases(self.layer.optional, self._tests(self.forward))
        given = {name: cases.everything for store in self.forward.results for name in store.names}
        wanted = by_event(self.forward.results, given)
        for later in (self.backward_body, *(other.body for other in self._others())):
            for name, needed in later.saved_cases.items():
                # Forward cannot know what else those will be called with.
                unknown = needed.flags() - set(self.layer.optional)
                wanted[name] = wanted.get(name, NEVER) | needed.possible(sorted(unknown))
        given |= {symbol.name: wanted[symbol.name] for symbol in self.forward.saved}
        schedule = lower(self.forward, cases)
        results = [output.name for output in self.layer.outputs] + [symbol.name for symbol in self.forward.saved]
        return body(schedule, wanted, given), small(schedule, wanted, given, results)

    def _others(self) -> list[Secondary]:
        return [other for other in (self.jvp, self.second) if other is not None]

    def _tests(self, program: RowProgram) -> tuple[tuple[str, str], ...]:
        """What is written for "this argument was given", in `_forward` and `_backward`."""
        tests = {name: f"{gradient(name)}_out is not None" for name in self.layer.optional}
        tests |= {name: f"{name}_rows is not None" for name in self.cotangents}
        tests |= {row.name: f"{row.name}_rows is not None" for row in program.rows if row.origin != "saved output"}
        tests |= {parameter.name: f"{parameter.name} is not None" for parameter in program.parameters}
        return tuple(tests.items())

    # The files

    def files(self) -> dict[str, str]:
        exports = [
            "INTERFACE",
            "Gradients",
            *(["Outputs"] if self.several else []),
            "Saved",
            "backward",
            "forward",
            "saved_from",
        ]
        exports += (["jvp"] if self.jvp else []) + (["SecondGradients", "backward_backward"] if self.second else [])
        exports.sort(key=lambda name: (not name.isupper(), name[0].islower(), name))
        header, title = self.notes.header, self.notes.title
        module = render.render("numpy/module.py.jinja", header=header, title=title, **self._fields())
        module = re.sub(r"\n{4,}", "\n\n\n", module)
        return {
            "__init__.py": render.render("numpy/package.py.jinja", header=header, title=title, exports=exports),
            # No name of a function can meet one of another.
            "numpy_backend.py": "".join(spelled(part, PYTHON) for part in _FUNCTION.split(module)),
        }

    def _fields(self) -> dict[str, Any]:
        layer = self.layer
        small = (self.forward_small, self.backward_small)
        short = ShortWays(layer, self.forward, self.backward, *small, self.saved, self.own).parts()
        bodies = [self.forward_body, self.backward_body, *(other.body for other in self._others())]
        lines = [line for body in bodies for line in (*body.prologue, *body.block, *body.epilogue)]
        lines += [line for part in short.values() for line in part["lines"]]
        outputs = [
            {
                "name": output.public,
                "meaning": f"{_MEANINGS[output.kind]}.",
                "check": _check(f"d{output.public}", SHAPES[output.kind], f"the shape of {output.public}"),
            }
            for output in layer.outputs
        ]
        return {
            "layer": self.notes.layer,
            "description": self._description(),
            "jvp": self._jvp_fields() if self.jvp else None,
            "second": self._second_fields() if self.second else None,
            "forward_formulas": self.notes.forward_formulas,
            "backward_formulas": self.notes.backward_formulas,
            "several_outputs": self.several,
            "inputs": [self._input(given) for given in layer.inputs],
            "outputs": outputs,
            "constants": [
                {"name": given.public, "signed": given.name not in layer.nonnegative} for given in layer.constants
            ],
            "saved_fields": self.saved,
            "array": _ARRAY,
            "required": quoted(layer.required),
            "own": self.own,
            "forward_signature": self.signatures.forward(),
            "backward_signature": self.signatures.backward(),
            "saved_from": self.signatures.saved_from(self.saved, self.own),
            "saved_from_lines": self._saved_from(),
            "leading": self._leading(),
            "shared_text": self._shared_text(),
            "forward_given": indented([given_by_name({given.public: given.public for given in layer.inputs})]),
            "backward_given": self._backward_given(),
            "forward_results": self._forward_results(),
            "forward_call": self._forward_call(),
            "forward_return": self._forward_return(),
            "backward_results": self._backward_results(),
            "backward_call": self._backward_call(),
            "backward_return": [
                *wrapped(f"return _Gradients({', '.join(given.derivative.local for given in layer.inputs)})", 4)
            ],
            "forward": _part("_forward", self.forward_body, self._outs(self.forward, True)),
            "backward": _part("_backward", self.backward_body, self._outs(self.backward, False)),
            "short": short,
            "wide": self.forward.is_wide,
            "uses_functions": any("_functions." in line for line in lines),
        }

    def _description(self) -> list[str]:
        programs = [self.forward, self.backward, *(other.program for other in self._others())]
        return assignment("INTERFACE: _Interface", described(programs, self.layer, self.saved, self.notes))

    def _input(self, given: Input) -> dict[str, object]:
        meaning = _MEANINGS[given.kind]
        if given.kind == "RowScalar":
            meaning = meaning.replace("x.shape", f"{self.layer.rows[0].public}.shape")
        left_out = "" if given.neutral is None else f"; left out it is {as_python(given.neutral)}, and costs nothing"
        shape_text = "(D,)" if given.kind == "Feature" else f"the shape of {self.layer.rows[0].public}"
        if given.kind == "RowScalar":
            shape_text += " without its last axis"
        return {
            "name": given.public,
            "kind": given.kind,
            "required": given.required,
            "meaning": f"{meaning}{left_out}.",
            "gradient_meaning": f"The gradient of {given.public}, in its shape and type.",
            "check": _check(given.public, SHAPES[given.kind], shape_text),
        }

    def _saved_from(self) -> list[str]:
        fields = tuple_of(field.name for field in self.saved)
        first = f"{self.own.shape}, {self.own.dtype}, {self.own.dtypes}"
        return indented(
            [
                f"fields_ = {fields}",
                f"first_ = _saved.first_fields(_INTERFACE, fields_, {first}, {self.forward.is_wide})",
                f"saved_ = _Saved({', '.join(['*first_', *(field.name for field in self.saved)])})",
                "_check_saved(saved_)",
                "return saved_",
            ]
        )

    def _leading(self) -> list[str]:
        """The lines that take the shape of the rows, from the first row input that is there."""
        rows, minimum = [row.public for row in self.layer.rows], self.forward.minimum_features
        if self.layer.rows[0].required:
            return [f'shape_ = _calls.row_shape("{rows[0]}", {rows[0]}, {minimum})', f"leading_ = {rows[0]}"]
        names = ", ".join(rows)
        return [
            f"present_ = [array_ for array_ in ({names},) if array_ is not None]",
            "if not present_:",
            f'    raise TypeError("each of {names} is None; pass one of them")',
            "leading_ = present_[0]",
            f'shape_ = _calls.row_shape("{names}", leading_, {minimum})',
        ]

    def _jvp_fields(self) -> dict[str, Any]:
        assert self.jvp is not None
        part = _part("_jvp", self.jvp.body, self._outs(self.jvp.program, False))
        fields = jvp_fields(self.jvp, self.layer, self.saved, self.own)
        fields["signature"] = self.signatures.later(self.jvp.program)
        return {"part": part, "formulas": in_docstring(self.notes.jvp_formulas), **fields}

    def _second_fields(self) -> dict[str, Any]:
        assert self.second is not None
        part = _part("_backward_backward", self.second.body, self._outs(self.second.program, False))
        fields = second_fields(self.second, self.layer, self.saved, self.own)
        fields["signature"] = self.signatures.later(self.second.program)
        return {"part": part, "formulas": in_docstring(self.notes.backward_backward_formulas), **fields}

    def _shared_text(self) -> str:
        public = {given.derivative.name: given.derivative.public for given in self.layer.inputs}
        shared = [store.names for store in self.backward.results if len(store.names) > 1]
        return "".join(
            f"\n    {' and '.join(public[name] for name in names)} are one and the same array, "
            "unless `out` has one for each."
            for names in shared
        )

    # Results and calls

    def _forward_results(self) -> list[str]:
        lines = []
        if self.several:
            lines += [f"out = _calls.several(out, {quoted(output.public for output in self.layer.outputs)})"]
        for number, output in enumerate(self.layer.outputs):
            out = f"out[{number}]" if self.several else "out"
            arguments = f'"{output.public}", {out}, {SHAPES[output.kind]}, leading_.dtype, given_'
            lines.append(f"{output.local} = _calls.result({arguments})")
        for symbol in self.forward.saved:
            lines.append(f"{symbol.name}_ = _calls.empty(shape_[:-1], dtype_)")
        return indented(lines)

    def _forward_call(self) -> list[str]:
        known = {each.name: each.public for each in (*self.layer.inputs, *self.layer.constants)}
        computed = [name for store in self.forward.results for name in store.names]
        computed += [symbol.name for symbol in self.forward.saved]
        arguments = [known[name] for name in self.forward_body.arguments]
        known |= {name: f"{name}_" for name in computed}
        call = [*arguments, *(known[name] for name in computed), "shape_", "dtype_", "threads"]
        saved = ["shape_", "dtype_", "dtypes_", *(known[field.source.name] for field in self.saved)]
        unsaved = ["if not save:", f"    return {self._forward_return()}, None"]
        return indented([f"_forward({', '.join(call)})", *unsaved, f"saved = _Saved({', '.join(saved)})"])

    def _forward_return(self) -> str:
        names = ", ".join(output.local for output in self.layer.outputs)
        return f"_Outputs({names})" if self.several else names

    def _backward_given(self) -> list[str]:
        names = [output.derivative.public for output in self.layer.outputs]
        names += [field.place for field in self.saved if field.is_array]
        return indented([given_by_name(dict(zip(names, names, strict=True)))])

    def _backward_results(self) -> list[str]:
        results = [given.derivative for given in self.layer.inputs]
        lines = [f"out = _calls.several(out, {quoted(result.public for result in results)})"]
        groups = self.backward.groups()
        done: dict[str, str] = {}
        for number, (given, result) in enumerate(zip(self.layer.inputs, results, strict=True)):
            like = [done[other] for other in groups.get(result.name, ()) if other in done]
            last = f", like={tuple_of(like)}" if like else ""
            dtype = f'saved.{self.own.dtypes}.get("{given.public}")'
            arguments = f'"{result.public}", out[{number}], {SHAPES[given.kind]}, {dtype}, given_{last}'
            lines.append(f"{result.local} = _calls.result({arguments})")
            done[result.name] = result.local
            if result.name not in groups:
                lines += [f"if {result.local} is not None:", f"    {result.local}[...] = 0.0"]
        return indented(lines)

    def _backward_call(self) -> list[str]:
        known = {field.source.name: field.place for field in self.saved}
        known |= {output.derivative.name: output.derivative.public for output in self.layer.outputs}
        arguments = [known[name] for name in self.backward_body.arguments]
        results = [f"{name}_" for store in self.backward.results for name in store.names]
        return indented([f"_backward({', '.join([*arguments, *results, 'shape_', 'dtype_', 'threads'])})"])

    def _outs(self, program: RowProgram, saved: bool) -> list[str]:
        names = [name for store in program.results for name in store.names]
        names += [symbol.name for symbol in program.saved] if saved else []
        return [f"{name}_out" for name in names]


def _part(name: str, part: Body, outs: list[str]) -> _Part:
    arguments = [*part.parameters, *outs, "shape", "dtype", "threads"]
    return _Part(
        signature=definition(name, arguments),
        prologue=part.prologue,
        block_signature=wrapped(f"def block({', '.join(part.block_parameters)}):", 4),
        block=part.block,
        setup=part.setup,
        loop=part.loop,
        epilogue=part.epilogue,
        least_rows=4 if "column" in part.block_parameters else 1,
        uses_scalar=uses_scalar((*part.prologue, *part.block, *part.epilogue)),
        uses_chunk="chunk" in part.block_parameters,
    )


def _check(name: str, shape: str, meaning: str) -> list[str]:
    return wrapped(f'_calls.check_shape("{name}", {name}, {shape}, "{meaning}")', 4)
