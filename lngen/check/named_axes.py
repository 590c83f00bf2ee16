"""Layers whose axes have names: the emitted functions beside those of the same layer on rows.

All other evidence is about the layer on rows. Arrays that lack axes are written out here, and the gradients of rows are
summed in more digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import prod
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np

from lngen.check.claim import Claim, listed, same
from lngen.check.evidence import Evidence
from lngen.check.layer import Array
from lngen.language.definition import Definition
from lngen.language.syntax import Kind
from lngen.runtime.numpy.axes import on_rows, spread
from lngen.runtime.protocol.axes import REST, Arrangement, Sizes

KIND = "contracts"

_SMALL = (2, 3, 4, 2, 3, 2)
_MANY_ENTRIES = 150_000


class Calls:
    """Forward and backward of an emitted module on drawn arrays, of one size for each axis."""

    def __init__(self, definition: Definition, module: Any, sizes: Sizes, seed: int) -> None:
        assert definition.layout is not None
        self.definition, self.module, self.sizes = definition, module, sizes
        self.arrangement = Arrangement(module.INTERFACE)
        self.rows = on_rows(module)
        self.given = {size.name: sizes[size.name][0] for size in definition.sizes}
        self.seed = seed
        self.inputs = [
            self.drawn(entry.name, self.shape(definition.public(entry.name)) if entry.pattern else (), entry.kind)
            for entry in definition.positional
        ]
        self.cotangents = [self.drawn(f"d{name}", self.shape(definition.public(name))) for name in definition.outputs]

    def drawn(self, name: str, shape: tuple[int, ...], kind: Kind = Kind.ROW) -> Array:
        """Positive numbers of order one, which every layer is defined at, and places in a row for integers."""
        draw = np.random.default_rng([self.seed, crc32(name.encode())])
        if kind.is_integer:
            return np.asarray(draw.integers(0, self.arrangement.row_shape(self.sizes)[-1], shape))
        return np.asarray(draw.uniform(0.25, 2.0, shape))

    def shape(self, name: str) -> tuple[int, ...]:
        return self.arrangement.shape(self.arrangement.patterns[name], self.sizes)

    def results(self, inputs: list[Array] | None = None, **options: Any) -> dict[str, Array]:
        """The outputs and the gradients of the emitted functions."""
        y, saved = self.module.forward(*(inputs or self.inputs), **self.given, **options)
        return self._named(y, self.module.backward(saved, *self.cotangents, **options))

    def _named(self, y: Any, gradients: Any) -> dict[str, Array]:
        outputs = (y,) if len(self.definition.outputs) == 1 else tuple(y)
        names = [*self.definition.outputs, *(f"d{entry.name}" for entry in self.definition.differentiable)]
        return dict(zip(names, (*outputs, *gradients), strict=True))

    def of_rows(self) -> dict[str, Array]:
        """The outputs and the gradients of the layer on rows, of arrays that are written out."""
        inputs = [
            self._written(value, self.definition.public(entry.name)) if entry.pattern else value
            for value, entry in zip(self.inputs, self.definition.positional, strict=True)
        ]
        names = map(self.definition.public, self.definition.outputs)
        cotangents = [self._written(value, name) for value, name in zip(self.cotangents, names, strict=True)]
        y, saved = self.rows.forward(*inputs)
        return self._named(y, self.rows.backward(saved, *cotangents))

    def _written(self, value: Array, name: str) -> Array:
        how = self.arrangement.arranged(self.arrangement.patterns[name], self.sizes)
        return np.array(spread(value, how).reshape((*how.rows, prod(how.features)) if how.features else how.rows))

    def wrong(self, found: Mapping[str, Array]) -> str | None:
        """Describe results that are not those of rows: to the bit, and to the rounding of a sum for what is summed."""
        bad = []
        public = {f"d{entry.name}": self.definition.public(entry.name) for entry in self.definition.differentiable}
        public |= {name: self.definition.public(name) for name in self.definition.outputs}
        for name, exact in self.of_rows().items():
            if public[name] not in self.arrangement.patterns:
                continue
            pattern = self.arrangement.patterns[public[name]]
            how = self.arrangement.arranged(pattern, self.sizes)
            each = np.asarray(exact, np.longdouble).reshape(how.shape)
            total, size = each.sum(how.lacks, keepdims=True), np.abs(each).sum(how.lacks, keepdims=True)
            count = prod(how.shape[place] for place in how.lacks)
            mine = found[name].reshape(how.split).transpose(how.order).reshape(how.spread)
            bound = (count - 1) * np.finfo(mine.dtype).eps * size
            if not ((np.abs(mine - total) <= bound) | ~np.isfinite(size)).all():
                bad.append(name)
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
    """Sizes of every axis: small ones, ones, none or several for axes without names, and so large that rows have
    several blocks.
    """
    assert definition.layout is not None
    names = definition.layout.pattern.names
    small: Sizes = {name: (size,) for name, size in zip(names, _SMALL * len(names), strict=False)}
    yield "small sizes", small
    yield "sizes of one", dict.fromkeys(names, (1,))
    if REST in names:
        if definition.layout.features != (REST,):
            yield "no further axes", {**small, REST: ()}
        yield "two further axes", {**small, REST: (3, 2)}
    for name in (definition.layout.rows[0], definition.layout.rows[-1]):
        entries = prod(size[0] for other, size in small.items() if other != name)
        yield f"a long axis {name}", {**small, name: (_MANY_ENTRIES // entries,)}


def _strided(calls: Calls) -> str | None:
    wide = [np.repeat(value, 2, -1)[..., ::2] if value.ndim else value for value in calls.inputs]
    return _different(calls, calls.results(wide))


def _threads(calls: Calls) -> str | None:
    return _different(calls, calls.results(threads=2))


def _different(calls: Calls, found: Mapping[str, Array]) -> str | None:
    bad = [name for name, value in calls.results().items() if not same(value, found[name])]
    return listed(bad, "other bits") or None


def _written_over(calls: Calls) -> str | None:
    """Results are written into given arrays, over NaN."""
    expected = calls.results()
    outs = tuple(np.full_like(expected[name], np.nan) for name in calls.definition.outputs)
    _, saved = calls.module.forward(*calls.inputs, **calls.given, out=outs if len(outs) > 1 else outs[0])
    gradients = tuple(np.full_like(expected[f"d{e.name}"], np.nan) for e in calls.definition.differentiable)
    calls.module.backward(saved, *calls.cotangents, out=gradients)
    named = calls._named(outs if len(outs) > 1 else outs[0], gradients)
    bad = [name for name, value in expected.items() if not same(value, named[name])]
    return listed(bad, "not written") or None


def _shapes(calls: Calls) -> str | None:
    """An array of another shape is refused by its name."""
    for place, entry in enumerate(calls.definition.positional):
        if not entry.pattern:
            continue
        wrong = [*calls.inputs]
        for change in (partial(np.expand_dims, axis=0), partial(np.repeat, repeats=2, axis=-1)):
            wrong[place] = change(calls.inputs[place])
            if trouble := _refused(calls, wrong, calls.definition.public(entry.name)):
                return trouble
    return None


def _refused(calls: Calls, inputs: list[Array], name: str) -> str | None:
    alone = len([entry for entry in calls.definition.positional if entry.pattern]) == 1
    try:
        calls.module.forward(*inputs, **calls.given)
    except ValueError as error:
        return None if name in str(error) or inputs[0] is not calls.inputs[0] else f"{error} does not name {name}"
    return None if alone or inputs[0] is not calls.inputs[0] else f"{name} of a wrong shape is taken"


_CONTRACTS: Mapping[str, Callable[[Calls], str | None]] = {
    "strided arrays give the same bits": _strided,
    "two threads give the same bits": _threads,
    "out= is written, over NaN": _written_over,
    "an array of another shape is refused by name": _shapes,
}
