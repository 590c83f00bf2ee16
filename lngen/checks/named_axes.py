"""Layers whose axes have names: the emitted functions beside those of the same layer on rows.

All other evidence is about the layer on rows. Arrays that lack axes are written out here, and the gradients of rows are
summed in more digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from math import prod
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np

from lngen.checks.claim import Claim, listed, same
from lngen.checks.evidence import Evidence
from lngen.checks.layer import Array
from lngen.checks.on_rows import on_rows
from lngen.language.axes import AxisParts
from lngen.language.definition import Definition
from lngen.runtime.numpy.axes import spread
from lngen.runtime.protocol.axes import REST, Arranged, Arrangement, Sizes
from lngen.runtime.protocol.interface import INTEGERS

KIND = "contracts"

_SMALL = (2, 3, 4, 2, 3, 2)
_MANY_ENTRIES = 150_000
_RUN, _MANY_ROWS = 67, 33


class Calls:
    """Forward and backward of an emitted module on drawn arrays, of one size for each axis."""

    def __init__(self, definition: Definition, module: Any, sizes: Sizes, seed: int) -> None:
        assert definition.layout is not None
        self.definition, self.module, self.sizes = definition, module, sizes
        self.arrangement = Arrangement(module.INTERFACE)
        self.rows = on_rows(module)
        self.given = {size.name: sizes[size.name][0] for size in definition.sizes}
        self.seed = seed
        inputs = module.INTERFACE["inputs"]
        self.names = [each["name"] for each in inputs]
        self.outputs = [each["name"] for each in module.INTERFACE["outputs"]]
        self.gradients = [each["name"] for each in module.INTERFACE["gradients"]]
        self.arrays = {
            each["name"]: self.drawn(each["name"], self.shape(each["name"]), each["kind"] in INTEGERS)
            for each in inputs
        }
        self.arrays |= {f"d{name}": self.drawn(f"d{name}", self.shape(name)) for name in self.outputs}
        self.inputs = [self.arrays[name] for name in self.names]
        self.cotangents = [self.arrays[f"d{name}"] for name in self.outputs]

    def drawn(self, name: str, shape: tuple[int, ...], is_integer: bool = False) -> Array:
        """Positive numbers of order one, which every layer is defined at, and places in a row for integers."""
        draw = np.random.default_rng([self.seed, crc32(name.encode())])
        if is_integer:
            return np.asarray(draw.integers(0, self.arrangement.row_shape(self.sizes)[-1], shape))
        return np.asarray(draw.uniform(0.25, 2.0, shape))

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array; that of a number is ()."""
        patterns = self.arrangement.patterns
        return self.arrangement.shape(patterns[name], self.sizes) if name in patterns else ()

    def results(self, inputs: list[Array] | None = None, **options: Any) -> dict[str, Array]:
        """The outputs and the gradients of the emitted functions."""
        y, saved = self.module.forward(*(inputs or self.inputs), **self.given, **options)
        gradients = self.module.backward(saved, *self.cotangents, **options)
        return self._named([*self.outputs, *self.gradients], y, gradients)

    def strided(self) -> list[Array]:
        """Return the inputs with gaps between the entries of a row."""
        return [np.repeat(value, 2, -1)[..., ::2] if value.ndim else value for value in self.inputs]

    def _named(self, names: list[str], y: Any, gradients: Any) -> dict[str, Array]:
        outputs = y if isinstance(y, tuple) else (y,)
        return dict(zip(names, (*outputs, *gradients), strict=True))

    def of_rows(self) -> dict[str, Array]:
        """The outputs and the gradients of the layer on rows, of arrays that are written out."""
        inputs = [self._written(self.arrays, entry.name, "") for entry in self.definition.positional]
        cotangents = [self._written(self.arrays, name, "d") for name in self.definition.outputs]
        y, saved = self.rows.forward(*inputs)
        names = [*self.definition.outputs, *(f"d{entry.name}" for entry in self.definition.differentiable)]
        return self._named(names, y, self.rows.backward(saved, *cotangents))

    def _written(self, arrays: Mapping[str, Array], name: str, sign: str) -> Array:
        value, how = self.value(arrays, name, sign), self.how(name)
        if how is None:
            return value
        return np.array(spread(value, how).reshape((*how.rows, prod(how.features)) if how.features else how.rows))

    def how(self, name: str) -> Arranged | None:
        """Return how a value of the definition is arranged, a part too; None for a number."""
        patterns, whole = self.arrangement.patterns, self.definition.whole(name)
        pattern = patterns.get(self.definition.public(name) if whole is None else name)
        return None if pattern is None else self.arrangement.arranged(pattern, self.sizes)

    def value(self, arrays: Mapping[str, Array], name: str, sign: str) -> Array:
        """Return a value of the definition, or its derivative with a sign before its name: a part of an array too."""
        whole = self.definition.whole(name)
        if whole is None:
            return arrays[f"{sign}{self.definition.public(name)}"]
        return self.part(arrays[f"{sign}{whole.name}"], whole, whole.names.index(name))

    def part(self, array: Array, whole: AxisParts, place: int) -> Array:
        """Return a part of an array, cut here: the entries that have a place along an axis."""
        shapes = {name: self.sizes[name] for name in whole.pattern.names}
        before = [size for name in list(shapes)[: list(shapes).index(whole.axis)] for size in shapes[name]]
        split = array.reshape([size for sizes in shapes.values() for size in sizes])
        return np.compress(np.arange(len(whole.names)) == place, split, len(before)).squeeze(len(before))

    def wrong(self, found: Mapping[str, Array]) -> str | None:
        """Describe results that are not those of rows: to the bit, and to the rounding of a sum for what is summed."""
        bad = []
        values = {name: ("", name) for name in self.definition.outputs}
        values |= {f"d{entry.name}": ("d", entry.name) for entry in self.definition.differentiable}
        for key, exact in self.of_rows().items():
            sign, name = values[key]
            if (how := self.how(name)) is None:
                continue
            each = np.asarray(exact, np.longdouble).reshape(how.shape)
            total, size = each.sum(how.lacks, keepdims=True), np.abs(each).sum(how.lacks, keepdims=True)
            count = prod(how.shape[place] for place in how.lacks)
            mine = np.asarray(self.value(found, name, sign), np.longdouble)
            mine = mine.reshape(how.split).transpose(how.order).reshape(how.spread)
            bound = (count - 1) * np.finfo(np.float64).eps * size
            if not ((np.abs(mine - total) <= bound) | ~np.isfinite(size)).all():
                bad.append(key)
        for whole in self.definition.parts:
            unread = [place for place, name in enumerate(whole.names) if not name]
            if any(self.part(found[f"d{whole.name}"], whole, place).any() for place in unread):
                bad.append(f"d{whole.name} of a part that nothing reads")
        return listed(bad, "not those of the layer on rows") or None


def named_axes(definition: Definition, module: ModuleType, seed: int) -> Iterator[Evidence]:
    """Yield the evidence about the named axes of an emitted module; nothing for a definition without."""
    if definition.layout is None:
        return
    for words, sizes in _sizes(definition):
        calls = Calls(definition, module, sizes, seed)
        shape = calls.arrangement.row_shape(sizes)
        if shape[-1] < definition.minimum_features:
            continue
        claim = Claim(f"named axes: results are those of rows, {words}", lambda on: on.wrong(on.results()))
        yield claim.evidence(KIND, module, calls, (prod(shape[:-1]), shape[-1]))
        if words != "small sizes":
            continue
        for statement, trouble in _CONTRACTS.items():
            claim = Claim(f"named axes: {statement}", trouble)
            yield claim.evidence(KIND, module, calls, (prod(shape[:-1]), shape[-1]))


def _sizes(definition: Definition) -> Iterator[tuple[str, Sizes]]:
    """Sizes of every axis: small ones, ones, none or several for axes without names, and large ones.

    The large ones are such that rows have several blocks, many are added up, or parameters are constant in runs.
    """
    assert definition.layout is not None
    names = definition.layout.pattern.names
    counts: Sizes = {each.axis: (len(each.names),) for each in definition.parts}
    small: Sizes = {name: (size,) for name, size in zip(names, _SMALL * len(names), strict=False)} | counts
    yield "small sizes", small
    yield "sizes of one", dict.fromkeys(names, (1,)) | counts
    if REST in names:
        if definition.layout.features != (REST,):
            yield "no further axes", {**small, REST: ()}
        yield "two further axes", {**small, REST: (3, 2)}
    rows, features = definition.layout.rows, definition.layout.features
    for name in rows:
        entries = prod(small[other][0] for other in names if other != name)
        yield f"a long axis {name}", {**small, name: (_MANY_ENTRIES // entries,)}
    if len(features) > 1 or len(definition.layout.pattern.names) > 2:
        yield f"runs of {features[-1]}", {**small, features[-1]: (_RUN,), rows[0]: (_MANY_ROWS,)}


def _different(calls: Calls, found: Mapping[str, Array]) -> str | None:
    bad = [name for name, value in calls.results().items() if not same(value, found[name])]
    return listed(bad, "other bits") or None


def _written_over(calls: Calls) -> str | None:
    """Results are written into given arrays, over NaN."""
    expected = calls.results()
    outs = tuple(np.full_like(expected[name], np.nan) for name in calls.outputs)
    _, saved = calls.module.forward(*calls.inputs, **calls.given, out=outs if len(outs) > 1 else outs[0])
    gradients = tuple(np.full_like(expected[name], np.nan) for name in calls.gradients)
    calls.module.backward(saved, *calls.cotangents, out=gradients)
    named = dict(zip([*calls.outputs, *calls.gradients], [*outs, *gradients], strict=True))
    bad = [name for name, value in expected.items() if not same(value, named[name])]
    return listed(bad, "not written") or None


def _shapes(calls: Calls) -> str | None:
    """An array of another shape is refused by its name."""
    for place, name in enumerate(calls.names):
        if name not in calls.arrangement.patterns:
            continue
        wrong = [*calls.inputs]
        for change in (partial(np.expand_dims, axis=0), partial(np.repeat, repeats=2, axis=-1)):
            wrong[place] = change(calls.inputs[place])
            if trouble := _refused(calls, wrong, name):
                return trouble
    return None


def _refused(calls: Calls, inputs: list[Array], name: str) -> str | None:
    alone = len([each for each in calls.names if each in calls.arrangement.patterns]) == 1
    try:
        calls.module.forward(*inputs, **calls.given)
    except ValueError as error:
        # Of two arrays that disagree about an axis, the other may be named.
        words = [name, *(f"{axis} = " for axis in chain.from_iterable(calls.arrangement.patterns[name]))]
        is_named = any(word in str(error) for word in words) or inputs[0] is not calls.inputs[0]
        return None if is_named else f"{error} does not name {name}"
    return None if alone or inputs[0] is not calls.inputs[0] else f"{name} of a wrong shape is taken"


_CONTRACTS: Mapping[str, Callable[[Calls], str | None]] = {
    "strided arrays give the same bits": lambda calls: _different(calls, calls.results(calls.strided())),
    "two threads give the same bits": lambda calls: _different(calls, calls.results(threads=2)),
    "out= is written, over NaN": _written_over,
    "an array of another shape is refused by name": _shapes,
}
