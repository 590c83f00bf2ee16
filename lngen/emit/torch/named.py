"""Rows of arrays whose axes have names, as kernels take them, and arrays of the rows that kernels make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lngen.emit.array.arrays import ArgumentOfRows, PublicArrays
from lngen.emit.interface import PublicInput, PublicOutput
from lngen.emit.layout import call, laid, tuple_of
from lngen.emit.spelling import gradient, marked
from lngen.language.axes import Pattern


@dataclass(frozen=True)
class ArrayOfRows:
    """Array that callers have, or a part of one by its number, beside rows.

    `letter` is that of its form, and `name` that of an argument.
    """

    text: str
    letter: str
    pattern: Pattern | None
    part: int | None = None
    name: str = ""


class NamedRows:
    """Lines that make rows of arrays, and arrays of rows.

    `arrays` has their sizes, `letters` those of arguments, and `read` the values that kernels of backward read. Rows
    stand for others that none reads, so that none is copied. Kernels read arguments in `starts` where they lie: a table
    says at which place each row starts. Those in `runs` have one entry for so many of a row.
    """

    def __init__(
        self, arrays: PublicArrays, arguments: Sequence[ArgumentOfRows], letters: Mapping[str, str], read: set[str]
    ) -> None:
        self.arrays, self.layer, self.arguments, self.letters = arrays, arrays.layer, arguments, letters
        axes = arrays.layout
        self.names, self.features = axes.names, axes.features
        self.over = {"r": (*axes.rows, *axes.features), "s": axes.rows, "f": axes.features, "n": ()}
        self.first = next(each for each in arguments if each.given is arrays.first)
        self.starts, self.runs = dict[str, str](), dict[str, str]()
        for each in arguments:
            self._place_apart(each)
        unread = {each.name for each in arguments if letters[each.name] == "r" and each.name not in read}
        self.stand_ins = unread - {*self.starts} | {self.first.name}
        assert self.layer.layout
        self.whole, self.of_row = self.layer.layout.pattern, Pattern(tuple((name,) for name in axes.rows))

    # ---- functions

    def rows(self, least: int) -> list[str]:
        """Return the function that makes rows of inputs, or None of those that the decomposition refuses."""
        first = self.arrays.first.public
        count = len(self.whole.axes) - (("...",) in self.whole.axes)
        tests = [f"{first}.ndim {'<' if ('...',) in self.whole.axes else '!='} {count}"]
        tests += [f"{size.name} < 1" for size in self.layer.sizes]
        others = []
        for each in self.layer.inputs:
            if each is not self.arrays.first and each.pattern:
                there = "" if each.required else f"{each.public} is not None and "
                others.append(f"{there}{each.public}.shape != {self.arrays.shape_text(each.pattern)}")
        D, refusal = self._count(self.features), ["    return None"]
        if least > 1:
            others.append(f"{D} < {least}")
        lines = [f"if {' or '.join(tests)}:", *refusal, *self.arrays.sized(refusal)]
        lines += [line for test in others for line in (f"if {test}:", *refusal)]
        values = [self._argument(each, {}) for each in self.arguments]
        lines += [*self._tables(), f"return {tuple_of([D, *self.tables, *values])}"]
        return self._function("_rows_of", self._public(), _ROWS, lines)

    def pulled_rows(self, kept: Sequence[str]) -> list[str]:
        """Return the function that makes rows of inputs, outputs that are kept, and cotangents."""
        first = marked("first")
        stand_ins = dict.fromkeys(self.stand_ins, first)
        values = [self._argument(each, stand_ins) for each in self.arguments]
        wholes = [each for each in self.layer.outputs if {each.name, *each.parts} & {*kept}]
        values += [text for each in wholes for text in self._output(each, each.name, kept)]
        values += [text for each in self.layer.outputs for text in self._output(each, gradient(each.name))]
        lines = [*self.arrays.sized(), f"{first} = {self._argument(self.first, {})}"]
        lines += [*self._tables(), f"return {tuple_of([self._count(self.features), *self.tables, *values])}"]
        names = [each.public for each in self.layer.inputs]
        names += [*(each.name for each in wholes), *(gradient(each.name) for each in self.layer.outputs)]
        return self._function("_pulled_rows", [*names, *self._sizes()], _PULLED, lines)

    def outputs(self, letters: Mapping[str, str]) -> list[str]:
        """Return the function that makes the outputs of rows; none where rows are the outputs."""
        found, names = [], [name for each in self.layer.outputs for name in (each.parts or (each.name,)) if name]
        is_plain = self._is_plain(self._of(self.first))
        for each in self.layer.outputs:
            letter = letters[next(name for name in (*each.parts, each.name) if name in letters)]
            pattern = each.pattern or (self.whole if letter == "r" else self.of_row)
            if each.parts:
                place = pattern.names.index(next(name for name in pattern.names if name in self.layer.counts))
                parts = [self._back(name, letter, pattern) for name in each.parts]
                text = f"torch.stack({tuple_of(parts)}, {place}).reshape({self.arrays.shape_text(pattern)}).detach()"
            elif letter == "r" and is_plain and self.over[letter] == pattern.names:
                text = each.name
            else:
                rows = each.name if letter == "s" else self._back(each.name, letter, pattern)
                text = f"{rows}.reshape({self.arrays.shape_text(pattern)}).detach()"
            found.append(text)
        if found == names:
            return []
        lines = [*self.arrays.sized(), f"return {', '.join(found)}"]
        return self._function("_outputs", [*names, *self._public()], _OUTPUTS, lines)

    def gradients(self) -> list[str]:
        """Return the function that makes the gradients of rows; none where rows are the gradients."""
        of = {each: [a for a in self.arguments if a.given is each] for each in self.layer.inputs}
        names = [gradient(a.name) if a.given.has_gradient else f"_{n}" for n, a in enumerate(self.arguments)]
        found = [self._gradient(each, of[each]) for each in self.layer.inputs]
        if len(found) == len(names) and all(own in ("None", name) for own, name in zip(found, names, strict=True)):
            return []
        lines = [*self.arrays.sized(), f"return {', '.join(found)}{',' * (len(found) == 1)}"]
        return self._function("_gradients", [*names, *self._public()], _GRADIENTS, lines)

    def _public(self) -> list[str]:
        return [*(each.public for each in self.layer.inputs), *self._sizes()]

    def _sizes(self) -> list[str]:
        return [size.name for size in self.layer.sizes]

    def _function(self, name: str, arguments: Sequence[str], docstring: str, lines: list[str]) -> list[str]:
        """Lay a function out, without the sizes that it does not read."""
        rest, entries = f"_product({marked('rest')})", marked("entries")
        text = "\n".join(lines)
        if text.count(rest) > 1:
            place = next(n for n, line in enumerate(lines) if f"*{marked('rest')}" in line) + 1
            lines = [*lines[:place], f"{entries} = {rest}", *(line.replace(rest, entries) for line in lines[place:])]
        for size in reversed(self.arrays.sized()):
            place, (targets, sign, value) = lines.index(size), size.partition(" = ")
            later = "\n".join(lines[place + 1 :])
            names = [(each, each.strip("* ,")) for each in targets.split(", ")]
            read = [re.search(rf"(?<!\w){re.escape(name)}(?!\w)", later) is not None for _, name in names]
            kept = [
                each if is_read else each.replace(name, "_") for (each, name), is_read in zip(names, read, strict=True)
            ]
            lines[place : place + 1] = [f"{', '.join(kept)}{sign}{value}"] if any(read) else []
        return [f"def {name}({', '.join(arguments)}):", docstring, *laid(lines)]

    # ---- arrays whose rows lie apart

    @property
    def tables(self) -> list[str]:
        """The tables of the starts of rows."""
        return [*dict.fromkeys(self.starts.values())]

    def _place_apart(self, each: ArgumentOfRows) -> None:
        """Let kernels read an argument in place where its rows have no gaps: whole ones, or an entry for each run."""
        of = self._of(each)
        if of.letter not in "rs" or of.part is not None or of.pattern is None or self._is_plain(of):
            return
        over, memory = self.over[of.letter], self._memory(of.pattern)
        own = tuple(name for name in self.features if name in memory)
        run = self._count(self.features[len(own) :]) if of.letter == "r" and own != self.features else ""
        is_prefix = of.letter == "s" or own == self.features[: len(own)]
        if memory != tuple(name for name in over if name in memory) or not is_prefix:
            return
        if run and (each.is_integer or {run} != {*self.runs.values(), run}):  # kernels have one length of runs
            return
        self.starts[each.name] = marked("_".join(["starts", *memory]).replace("...", "rest"))
        self.runs |= {each.name: run} if run else {}

    def _tables(self) -> Iterator[str]:
        """The lines that make the tables."""
        named = {
            name: next(each for each in self.arguments if self.starts.get(each.name) == name) for name in self.tables
        }
        for name, each in named.items():
            of = self._of(each)
            assert of.pattern
            memory, steps = self._memory(of.pattern), []
            for axis in self.over["s"]:
                later = memory[memory.index(axis) + 1 :] if axis in memory else ()
                steps.append((self._count(later) or "1") if axis in memory else "0")
            sizes = [self.arrays.size(axis) for axis in self.over["s"]]
            run = self.runs.get(each.name, "0")
            yield f"{name} = {call('_guards.starts', run, tuple_of(sizes), tuple_of(steps))}"

    # ---- arrays

    def _of(self, each: ArgumentOfRows) -> ArrayOfRows:
        text = each.given.public
        part = each.given.parts.index(each.name) if each.given.parts else None
        text = f"_guards.whole({text})" if each.is_integer else text
        return ArrayOfRows(text, self.letters[each.name], each.given.pattern, part, each.name)

    def _argument(self, each: ArgumentOfRows, stand_ins: Mapping[str, str]) -> str:
        text = stand_ins.get(each.name) or self._rows(self._of(each))
        return (
            text
            if each.given.required or text == each.given.public
            else (f"None if {each.given.public} is None else {text}")
        )

    def _output(self, each: PublicOutput, name: str, kept: Sequence[str] | None = None) -> Iterator[str]:
        """An output's value, or those of its parts, that are `kept`, as rows; a cotangent of several may be None."""
        there = "" if len(self.layer.outputs) == 1 or kept is not None else f"None if {name} is None else "
        letter = "r" if each.kind == "Row" else "s"
        pattern = each.pattern or (self.whole if letter == "r" else self.of_row)
        for part in range(len(each.parts)) if each.parts else (None,):
            if kept is not None and part is not None and each.parts[part] not in kept:
                continue
            # In a batch of gradients a cotangent may not be detached, and autograd does not know it.
            yield there + self._rows(ArrayOfRows(name, letter, pattern, part)).replace(".detach()", "", 1)

    def _memory(self, pattern: Pattern) -> tuple[str, ...]:
        """The axes of an array, or of a part of one, in the order of memory."""
        return tuple(name for name in pattern.names if name not in self.layer.counts)

    def _is_plain(self, of: ArrayOfRows) -> bool:
        """Test whether an array has the entries of rows in their order."""
        return of.letter == "n" or (
            of.pattern is not None and of.part is None and self._memory(of.pattern) == self.over[of.letter]
        )

    def _rows(self, of: ArrayOfRows) -> str:
        """An array as rows without gaps."""
        if of.letter == "n":
            return of.text
        assert of.pattern
        over, memory = self.over[of.letter], self._memory(of.pattern)
        if self._is_plain(of) or (of.name in self.starts):
            return f"{of.text}.contiguous()"
        text = of.text if "(" in of.text else f"{of.text}.detach()"  # it is no view of a tensor that autograd knows
        if grouped := self._grouped(of):
            shape, whole, _ = grouped
            return f"{text}.reshape({shape}).expand({whole}).contiguous()"
        order = tuple(name for name in over if name in memory)
        if of.part is not None:
            text += f".reshape({self._each(of.pattern.names)})[{':, ' * self._place(of.pattern)}{of.part}]"
        elif memory != order:
            text += f".reshape({self._each(memory)})"
        if memory != order:
            text += f".permute({', '.join(str(memory.index(name)) for name in order)})"
        if order != over:
            text += f".reshape({', '.join(self.arrays.size(n) if n in memory else '1' for n in over)})"
            text += f".expand({self._each(over)})"
        elif memory == order and of.part is None:
            text += f".reshape({self._each(over)})"
        return f"{text}.contiguous()"

    def _place(self, pattern: Pattern) -> int:
        return next(n for n, name in enumerate(pattern.names) if name in self.layer.counts)

    def _over(self, of: ArrayOfRows) -> tuple[str, ...]:
        """The axes of rows, without those of a run where an array has an entry for each."""
        over = self.over[of.letter]
        assert of.pattern
        return tuple(n for n in over if n in (*self.over["s"], *of.pattern.names)) if of.name in self.runs else over

    def _grouped(self, of: ArrayOfRows) -> tuple[str, str, list[int]] | None:
        """The shape of an array beside that of callers' rows, and the places of the axes that it lacks.

        None for an array whose axes are not those of callers' rows, or in another order.
        """
        assert of.pattern
        over = self._over(of)
        axes = [axis for axis in self.whole.axes if {*axis} <= {*over}]
        own = [axis for axis in axes if axis in of.pattern.axes]
        if of.part is not None or own != [*of.pattern.axes] or [n for axis in axes for n in axis] != [*over]:
            return None
        sizes = ["*".join(map(self.arrays.size, axis)) for axis in axes]
        shape = [size if axis in own else "1" for axis, size in zip(axes, sizes, strict=True)]
        return ", ".join(shape), ", ".join(sizes), [n for n, axis in enumerate(axes) if axis not in own]

    def _back(self, text: str, letter: str, pattern: Pattern) -> str:
        """Rows with an axis each, in the order of memory of an array that lacks none."""
        over, memory = self.over[letter], self._memory(pattern)
        text += f".reshape({self._each(over)})"
        if memory != over:
            text += f".permute({', '.join(str(over.index(name)) for name in memory)}).contiguous()"
        return text

    def _gradient(self, each: PublicInput, arguments: Sequence[ArgumentOfRows]) -> str:
        """The gradient of an input, of those of the arguments that are made of it."""
        if not each.has_gradient:
            return "None"
        values = [
            self._summed(gradient(a.name), self._of(a), a.name in {*self.stand_ins, *self.starts}) for a in arguments
        ]
        if not each.parts:
            text = values[0]
        else:
            assert each.pattern
            made = dict(zip([a.name for a in arguments], values, strict=True))
            parts = [made[name] if name else f"torch.zeros_like({values[0]})" for name in each.parts]
            text = f"torch.stack({tuple_of(parts)}, {self._place(each.pattern)}).reshape({each.public}.shape)"
        return text if each.required or len(text.split("(")) == 1 else f"None if {each.public} is None else {text}"

    def _summed(self, text: str, of: ArrayOfRows, is_of_first: bool) -> str:
        """Rows, or sums of them over the axes that an array lacks; those of the shape of the first rows are cut."""
        if self._is_plain(of):
            return text
        assert of.pattern
        if grouped := self._grouped(of):
            return f"{text}{f'.reshape({grouped[1]})' * is_of_first}.sum({_places(grouped[2])})"
        over, memory = self._over(of), self._memory(of.pattern)
        order = tuple(name for name in over if name in memory)
        text += f".reshape({self._each(over)})" * is_of_first
        if order != over:
            text += f".sum({_places([n for n, name in enumerate(over) if name not in memory])})"
        if memory != order:
            text += f".permute({', '.join(str(order.index(name)) for name in memory)}).contiguous()"
        return text if of.part is not None else f"{text}.reshape({of.text}.shape)"

    def _each(self, names: Sequence[str]) -> str:
        return ", ".join(map(self.arrays.size, names))

    def _count(self, names: Sequence[str]) -> str:
        return "*".join(map(self.arrays.size, names))


def _places(places: Sequence[int]) -> str:
    return str(places[0]) if len(places) == 1 else f"({', '.join(map(str, places))})"


_ROWS = '    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""'
_PULLED = '    """D, and what the kernels of backward take, of arrays."""'
_OUTPUTS = '    """The outputs as callers have them."""'
_GRADIENTS = '    """The gradients of inputs as callers have these."""'
