"""The backend for JAX: a layer as one page of `jnp`, whose tangents are the derived ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from lngen.emit import Notes
from lngen.emit.array import JNP
from lngen.emit.array.arrays import PublicArrays
from lngen.emit.array.lines import ArrayText, TextLine
from lngen.emit.array.tangents import TangentText
from lngen.emit.functions import FrameworkFunction
from lngen.emit.interface import interface
from lngen.emit.layout import WIDTH, call, in_lines, laid, tuple_of
from lngen.emit.numpy import handed
from lngen.emit.render import module
from lngen.emit.spelling import PYTHON, marked_program, plain_errors, spelled, tangent
from lngen.plan.program import RowProgram

_MODULES = ("jax", "jnp", "math")
_RAISES = "Raises TypeError for another type, ValueError for a wrong shape."
_FORWARD = '    """The outputs, and the numbers of each row that tangents read."""'
_TYPED = '    """The inputs in the widest of their types, or float32."""'
_TANGENTS = '    """The tangents of the outputs; that of an input that does not move is None."""'


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """The file of a layer for JAX by its name; `programs` has forward first.

    JAX differentiates a layer that was derived without tangents. Raises LngenError as `interface` does.
    """
    with plain_errors():
        every = {program.direction: marked_program(handed(program)) for program in programs}
        return {"jax_backend.py": _JaxText(every["forward"], every.get("jvp"), notes).module()}


class _JaxText:
    """Texts of a layer's file: its functions, from the programs of the forward and of the tangents."""

    def __init__(self, forward: RowProgram, jvp: RowProgram | None, notes: Notes) -> None:
        self.layer = interface(forward, notes)
        self.notes, self.forward, self.jvp = notes, forward, jvp
        self.arrays = PublicArrays(self.layer, max(each.minimum_features for each in (forward, jvp) if each), JNP)
        self.checks = [*self.arrays.checks(), *self._seeds()]
        self.arguments = self.arrays.arguments()
        self.first = next(each.name for each in self.arguments if each.given is self.arrays.first)
        self.constants = [each.name for each in self.layer.constants]
        self.dots = [tangent(each.name) for each in self.arguments if each.given.has_gradient]
        optional = {each.name for each in self.arguments if not each.given.required}
        self.made = ArrayText(forward, JNP, self.arrays.layout, optional)
        self.made_lines = self.made.lines()
        self.outputs = {name: store.symbol for store in forward.results for name in store.names}
        self.saved: list[str] = []
        self.kept: list[str] = []
        self.full = self.made.full
        if jvp:
            self.saved = [symbol.name for symbol in forward.saved]
            self.kept = [row.name for row in jvp.rows if row.origin == "saved output" and row.symbol in jvp.read()]
            self.moved = TangentText(jvp, JNP, self.arrays.layout, optional, self.dots)
            self._axes_of_saved()
            self.moved_lines = self.moved.lines()
            self.full |= self.moved.full

    def _seeds(self) -> Iterator[str]:
        """Lines that check the seeds."""
        rows = ", ".join(each.public for each in self.layer.inputs if each.kind == "Row" and each.required)
        yield from (f'_check_seed("{e.public}", {e.public}, {rows})' for e in self.layer.inputs if e.draws)

    def _axes_of_saved(self) -> None:
        """Let values that forward makes have the same axes where tangents read them."""
        found = {symbol.name: axes for symbol, axes in self.made.has.items()}
        for symbol in self.moved.has:
            if symbol.name in found:
                self.moved.has[symbol] = found[symbol.name]

    def module(self) -> str:
        """Return the text of the file."""
        function = FrameworkFunction(self.layer, self.notes, "jax.Array", "an array")
        given = self._given()
        parts_read = ["outputs"] * bool(self.kept) + ["saved"] * bool(self.saved)
        read = ", ".join([*["made"] * (not self.forward.casts), "inputs", *parts_read, "dots"])
        parts = {
            "public": laid([*self.checks, *self._called()]),
            "core": [f"def _layer({given}):", *laid([f"return {self._stored()}"])],
            "derivative": laid(self._derivative()) if self.jvp else [],
            "forward": [f"def _forward({given}):", _FORWARD, *laid(self._forward())],
            "tangents": [f"def _tangents({read}):", _TANGENTS, *laid(self._tangents(self.jvp))] if self.jvp else [],
            "typed": [f"def _in_type({given}):", _TYPED, *laid(self._in_type())],
        }
        texts = {name: _spelled("\n".join(lines)) for name, lines in parts.items()}
        used = "\n".join(texts.values())
        fields = function.fields()
        fields |= {
            "returns": in_lines(" ".join([*fields["returns"], _RAISES]), WIDTH - 4),
            "helpers": _helpers(used),
            "kept": "the inputs" + " and numbers of rows" * bool(self.saved) + ", and an output" * bool(self.kept),
            **{name: text.split("\n") if text else [] for name, text in texts.items()},
        }
        text = module("jax/backend.py.jinja", **fields)
        names = {self.notes.layer, *(each.public for each in (*self.layer.inputs, *self.layer.constants))}
        names |= {size.name for size in self.layer.sizes}
        return _renamed(text, self.notes.layer) if names & {*_MODULES} else text

    # ---- functions

    def _given(self) -> str:
        return ", ".join([*(each.name for each in self.arguments), *self.constants])

    def _called(self) -> list[str]:
        """The call of the function of rows, and what callers get."""
        names = [each.public for each in self.layer.constants]
        made = call("_layer", *(each.text for each in self.arguments), *names)
        values = {name: name for name in self.outputs}
        results = self.arrays.results(values)
        if len(results) == 1 and results == [*self.outputs]:
            return [f"return {made}"]
        return [f"{', '.join(self.outputs)} = {made}", f"return {', '.join(results)}"]

    def _in_type(self) -> list[str]:
        """The function that brings the inputs to the compute type."""
        given = [*(each.name for each in self.arguments), *self.constants]
        integers = {each.name for each in self.arguments if each.is_integer}
        every, real = tuple_of(given), [name for name in given if name not in integers]
        typed = [name for name in real if name not in self.constants]
        optional = [each for each in self.arguments if not each.given.required]
        types = ", ".join(typed)
        if any(each.name in typed for each in optional):
            types = f"*[u for u in {tuple_of(typed)} if u is not None]"
        made = f"    dtype = jnp.result_type(jnp.float32, {types})"
        if len(made) + 4 > WIDTH and types.startswith("*"):
            made = "    dtype = jnp.result_type(jnp.float32, *given)"
        # Whoever has JAX refuse to promote types means those of their own operations.
        lines = [f"given = {types[1:]}"] * made.endswith("*given)")
        lines += ['with jax.numpy_dtype_promotion("standard"):', made]
        values = {e.name: self.arrays.neutral(e, self.full, JNP.module) for e in optional}
        there = {name: f"{value} if {name} is None else {name}" for name, value in values.items()}
        together = f"{', '.join(there)} = {', '.join(there.values())}"
        lines += [together] if len(together) + 4 <= WIDTH and there else [f"{n} = {v}" for n, v in there.items()]
        lines = [*self._shape(lines), *lines]
        if integers:
            of_real = f"[jnp.asarray(u, dtype) for u in {tuple_of(real)}]"
            return [*lines, f"{', '.join(real)}{',' * (len(real) == 1)} = {of_real}", f"return {every}"]
        return [*lines, f"return [jnp.asarray(u, dtype) for u in {every}]"]

    def _typed(self, lines: Sequence[str], values: str) -> list[str]:
        """Statements for the inputs in the compute type, and for what other `lines` read of them."""
        names = [*(each.name for each in self.arguments), *self.constants]
        own = [name for name in ("dtype", "shape") if name in _words(lines)]
        reading = [*lines, self.first] if own or self.first in values else lines
        made = [_unpacked(names, f"_in_type({values})", reading)]
        return [*made, *[f"{', '.join(own)} = {', '.join(f'{self.first}.{name}' for name in own)}"] * bool(own)]

    def _shape(self, lines: Iterable[str]) -> list[str]:
        return [f"shape = {self.first}.shape"] * bool(re.search(r"\bshape\b", " ".join(lines)))

    def _forward(self) -> list[str]:
        body = [*self.made.head(line.text for line in self.made_lines), *(line.text for line in self.made_lines)]
        casts = dict(self.forward.casts)
        outputs = []
        for name, symbol in self.outputs.items():
            value = self.made.with_every_axis(symbol)
            if casts:
                value = f"_cast({value}, jnp.{casts[name]})" if name in casts else f"{value}.astype(stored)"
            outputs.append(value)
        returned = f"{outputs[0] if len(outputs) == 1 else tuple_of(outputs)}, {tuple_of(self.saved)}"
        stored = [f"stored = {self.first}.dtype"] * ("stored" in returned)
        return [*stored, *self._typed([*body, returned], self._given()), *body, f"return {returned}"]

    def _stored(self) -> str:
        """The outputs in the type of the first rows."""
        made = f"_forward({self._given()})[0]"
        if self.forward.casts:
            return made
        if len(self.outputs) > 1:
            return f"tuple(u.astype({self.first}.dtype) for u in {made})"
        return f"{made}.astype({self.first}.dtype)"

    def _derivative(self) -> list[str]:
        outputs = [*self.outputs]
        made = "made" if len(outputs) > 1 else outputs[0]
        kept = [name if len(outputs) == 1 else f"made[{outputs.index(name)}]" for name in self.kept]
        read = [*([tuple_of(kept)] if kept else []), *(["saved"] if self.saved else [])]
        arguments = [*[made] * (not self.forward.casts), "inputs", *read, f"dots[:{self._last}]"]
        lines = [
            f"{made}, saved = _layer(*inputs), _forward(*inputs)[1]" if self.saved else f"{made} = _layer(*inputs)",
            "zero = jax.custom_derivatives.SymbolicZero",
            "dots = [None if isinstance(t, zero) else t for t in tangents]",
            *self._constants_do_not_move(),
        ]
        return [*lines, *self._moved(made, ", ".join(arguments))]

    def _moved(self, made: str, arguments: str) -> list[str]:
        """Return the statements that return the outputs and their tangents."""
        made_of = f"jax.checkpoint(_tangents, prevent_cse=False)({arguments})"
        if not self.forward.casts:
            return [f"return {made}, {made_of}"]
        own = "tuple(map(_like, made, moved))" if len(self.outputs) > 1 else f"_like({made}, moved)"
        return [f"moved = {made_of}", f"return {made}, {own}"]

    def _constants_do_not_move(self) -> list[str]:
        if not self.constants:
            return []
        refusal = f"{', '.join(self.constants)}: a constant of {self.notes.layer} has no derivative"
        return [
            f"if any(t is not None for t in dots[{len(self.arguments)}:]):",
            f'    raise NotImplementedError("{refusal}")',
        ]

    def _tangents(self, jvp: RowProgram) -> list[str]:
        results = {name: store.symbol for store in jvp.results for name in store.names}
        returned = []
        for name in self.outputs:
            symbol = results.get(tangent(name))
            text = "0" if symbol is None else self.moved.names[symbol]
            returned.append(f"0 if {text} is None else {text}" if text in self.dots else text)
        body = [*self.moved.head(line.text for line in self.moved_lines), *_guarded(self.moved_lines)]
        text = ", ".join(returned) if len(returned) > 1 else returned[0]
        # Zeros like an output lie on the devices that it lies on, as its tangent has to.
        if not self.forward.casts and len(returned) > 1:
            text = f"tuple(map(_like, made, {tuple_of(returned)}))"
        elif not self.forward.casts:
            text = f"jnp.zeros_like(made) + jnp.asarray({text}, made.dtype)"
        body.append(f"return {text}")
        lines = [_unpacked(names, of, body) for names, of in self._groups() if {*names} & _words(body)]
        return [*self._typed([*lines, *body], "*inputs"), *lines, *body]

    def _groups(self) -> Iterator[tuple[list[str], str]]:
        if self.kept:
            yield self.kept, f"[u.astype({self.first}.dtype) for u in outputs]"
        if self.saved:
            yield self.saved, "saved"
        moved = [tangent(each.name) if each.given.has_gradient else "_" for each in self.arguments]
        value = f"[t if t is None else t.astype({self.first}.dtype) for t in dots]"
        yield moved[: self._last], value

    @property
    def _last(self) -> int:
        """The number of arguments up to the last one that has a tangent."""
        return max(n for n, each in enumerate(self.arguments, 1) if each.given.has_gradient)


def _guarded(lines: Iterable[TextLine]) -> Iterator[str]:
    """Lines under the conditions in which they are run."""
    for wanted, group in groupby(lines, key=lambda line: line.wanted):
        if wanted:
            yield f"if {' or '.join(f'{name} is not None' for name in wanted)}:"
        for line in group:
            yield "    " * bool(wanted) + line.text


def _words(lines: Iterable[str]) -> set[str]:
    """The words of some lines of code."""
    return {*re.findall(r"(?<![.\w])\w+", re.sub(r"  # .*", "", "\n".join(lines), flags=re.MULTILINE))} - {""}


def _unpacked(names: Sequence[str], value: str, lines: Iterable[str]) -> str:
    """The statement that unpacks a value for those lines that read a part of it."""
    read = _words(re.sub(r"^(\s*)\w+ = ", r"\1", line) for line in lines)
    parts = [name if name in read else "_" for name in names]
    return f"{', '.join(parts)}{',' * (len(parts) == 1)} = {value}"


def _helpers(text: str) -> frozenset[str]:
    """The names of the functions of the template that a text calls."""
    return frozenset(re.findall(r"(?<!\w)_[a-z_]+(?=[(,])", text))


def _spelled(text: str) -> str:
    """A function with names in plain letters, of which none is that of a module."""
    modules = f"\n{' '.join(_MODULES)}"
    return spelled(text + modules, PYTHON).removesuffix(modules)


def _renamed(text: str, function: str) -> str:
    """A file whose modules have names that no argument has."""
    modules = "|".join(_MODULES)
    parts = text.split("\n\n\n")
    for place, part in enumerate(parts):
        if part.startswith(f"def {function}("):
            parts[place] = re.sub(r"\b(jax\.Array\b|jnp\.inf\b|jnp\.ndim\()", r"_\1", part)
        else:
            part = re.sub(rf"(?<![.\w])({modules})(?=\.)(?!\.numpy as)", r"_\1", part)
            part = re.sub(r"^import _?jax\.numpy as jnp$", "import jax.numpy as _jnp", part, flags=re.MULTILINE)
            parts[place] = re.sub(r"^import (jax|math)$", r"import \1 as _\1", part, flags=re.MULTILINE)
    return "\n\n\n".join(parts)
