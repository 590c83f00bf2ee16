"""Checks of the JVP and of the double backward of emitted code.

* The *dot test*: `<J v, u> = <v, J^T u>` ties `jvp` to `backward`, which other checks compare with the definition, and
  `backward_backward` to the derivative of the gradients.
* *Complex step* on the evaluator: the derivative of the outputs along a direction in all inputs at once.
* *Differences* of the definition at 80 digits, twice: the gradients' derivative without any derivation.
* Both functions are linear, so that what the first direction gives and what all others give add up to the whole.

Sums of products are compared relative to the sum of their magnitudes: entries with a relative error of a few eps add up
to no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np

from lngen.checks import inputs
from lngen.checks.complex_step import STEP
from lngen.checks.layer import Array, Case, Checkable, Run, outputs_by_name, present
from lngen.language.definition import Input
from lngen.language.oracle.evaluate import COMPLEX128, evaluate

BOUND = 1e-13
_PARTS = "of the first input and of the others"
_ZERO_CASE = "ordinary, with inputs left out"
_Named = dict[str, Array]
Compared = Callable[[str, Any, Any, float], Any]
"""Function (what, result, reference, bound) -> Evidence, of the present case."""

Mixed = Callable[[Mapping[str, Array], Mapping[str, Array]], Any]
"""Function of directions in inputs and cotangents, and of cotangents of the gradients: `reference.mixed` of a case."""


class SeededDirections:
    """Seeded directions in the inputs (`v`), in the cotangents (`c`), and cotangents of the gradients (`w`)."""

    def __init__(self, layer: Checkable, case: Case, seed: int) -> None:
        self.there = present(layer, case)

        def draw(kind: str, name: str, like: Any) -> Array:
            words = f"{kind} {name} {np.shape(like)}"
            generator = np.random.default_rng([seed, crc32(words.encode())])
            return np.asarray(generator.standard_normal(np.shape(like)))

        self.v = {entry.name: draw("v", entry.name, case.inputs[entry.name]) for entry in self.there}
        self.w = {entry.name: draw("w", entry.name, case.inputs[entry.name]) for entry in self.there}
        self.c = {name: draw("c", name, value) for name, value in case.cotangents.items() if value is not None}
        # By the names of the results of `backward_backward`.
        self.all = {**self.v, **{f"d{name}": value for name, value in self.c.items()}}


def tangents(layer: Checkable, case: Case, answer: Run, seed: int, compared: Compared, mixed: Mixed) -> Iterator[Any]:
    """The evidence about `jvp` at one case."""
    along = SeededDirections(layer, case, seed)
    moved = _jvp(layer, answer, along.v)
    left, size = _dot(moved, case.cotangents)
    right, other = _dot(along.v, answer.gradients)
    scale = max(1.0, size, other)
    yield compared("<J v, u> = <v, J^T u>", left / scale, right / scale, BOUND)
    exact = _moved_along(layer, case, along.v)
    for name, value in moved.items():
        yield compared(f"d{name} along a direction in all inputs", value, exact[name], BOUND)
    if len(along.there) > 1:
        parts = [_jvp(layer, answer, part) for part in _parts(along.v)]
        for name, value in moved.items():
            yield compared(f"d{name}, {_PARTS}", sum(part[name] for part in parts), value, BOUND)


def second_order(
    layer: Checkable, case: Case, answer: Run, seed: int, compared: Compared, mixed: Mixed
) -> Iterator[Any]:
    """The evidence about `backward_backward` at one case."""
    along = SeededDirections(layer, case, seed)
    result = _double(layer, case, answer, along.w)
    moved = _jvp(layer, answer, along.w)
    for name in along.c:
        yield compared(f"dd{name} is what {name} moves by along w", result[f"d{name}"], moved[name], BOUND)
    defined = True
    for name in along.all if layer.second is not None else ():
        evidence = _against_second_derivation(layer, case, along, result, [name], compared)
        # At a 0/0 of the unsimplified form, as in the root of the variance of one feature, nothing is claimed.
        defined &= evidence is not None
        if evidence is not None:
            yield evidence
    if len(along.there) > 1:
        parts = [_double(layer, case, answer, part) for part in _parts(along.w)]
        for name, value in result.items():
            yield compared(f"d{name}, {_PARTS}", sum(part[name] for part in parts), value, BOUND)
    if defined and not inputs.has_kinks(layer.definition) and not layer.definition.stops_gradients:
        exact = mixed(along.all, along.w)
        right, size = _dot(along.all, result)
        scale = max(1.0, size, abs(float(exact)))
        yield compared("<w, dJ^T v> by differences of the definition", right / scale, exact / scale, BOUND)


def at_once(layer: Checkable, case: Case, answer: Run, seed: int, compared: Compared) -> Iterator[Any]:
    """The evidence about both functions at one case, along directions in all that moves: a few runs."""
    along = SeededDirections(layer, case, seed)
    exact = _moved_along(layer, case, along.v)
    for name, value in _jvp(layer, answer, along.v).items():
        yield compared(f"d{name} along a direction in all inputs", value, exact[name], BOUND)
    if layer.second is not None:
        result = _double(layer, case, answer, along.w)
        evidence = _against_second_derivation(layer, case, along, result, [*along.all], compared)
        if evidence is not None:
            yield evidence


def without(layer: Checkable, case: Case) -> Case | None:
    """Return the case with every optional input omitted; None if no input is optional."""
    gone = {entry.name for entry in layer.definition.positional if entry.default is not None}
    kept = {name: None if name in gone else value for name, value in case.inputs.items()}
    some_row = any(kept.get(entry.name) is not None for entry in layer.definition.rows)
    return replace(case, name=_ZERO_CASE, inputs=kept) if gone and some_row else None


# ---- what is compared


def _against_second_derivation(
    layer: Checkable, case: Case, along: SeededDirections, result: _Named, names: Sequence[str], compared: Compared
) -> Any:
    """Inputs, or cotangents, move; the gradients by the unsimplified adjoint move with them."""
    assert layer.second is not None
    directions = {name: along.all[name] for name in names}
    wide = case.exact()
    moved = layer.second(
        wide.inputs, wide.cotangents, {name: each.astype(np.longdouble) for name, each in directions.items()}
    )
    left, size = _dot(along.w, moved)
    if not np.isfinite(left):
        return None
    right, other = _dot(directions, result)
    scale = max(1.0, size, other)
    return compared(f"<w, dJ^T v> along {', '.join(names)}, unsimplified", right / scale, left / scale, BOUND)


# ---- running


def _jvp(layer: Checkable, answer: Run, v: Mapping[str, Array]) -> _Named:
    with np.errstate(all="ignore"):
        result = layer.module.jvp(answer.saved, *_in_order(layer.differentiable, v))  # type: ignore[attr-defined]
    return outputs_by_name(layer, result)


def _double(layer: Checkable, case: Case, answer: Run, w: Mapping[str, Array]) -> _Named:
    """Return the gradients by the name of an input, and by `d` and the name of an output, if present."""
    names = layer.definition.outputs
    cotangents = tuple(case.cotangents.get(name) for name in names)
    with np.errstate(all="ignore"):
        result = layer.module.backward_backward(  # type: ignore[attr-defined]
            answer.saved, cotangents, *_in_order(layer.differentiable, w)
        )
    keys = [*(entry.name for entry in layer.differentiable), *(f"d{name}" for name in names)]
    return {key: value for key, value in zip(keys, result, strict=True) if value is not None}


def _parts(directions: _Named) -> tuple[_Named, _Named]:
    """The first direction, and the others: kernels are compiled for either, and each direction is once left out."""
    first, *others = directions
    return {first: directions[first]}, {name: directions[name] for name in others}


def _in_order(entries: Sequence[Input], values: Mapping[str, Array]) -> list[Array | None]:
    return [values.get(entry.name) for entry in entries]


def _moved_along(layer: Checkable, case: Case, v: Mapping[str, Array]) -> _Named:
    moved = {
        name: value if name not in v else np.asarray(value, np.complex128) + 1j * STEP * v[name]
        for name, value in case.inputs.items()
    }
    with np.errstate(all="ignore"):
        outputs = evaluate(layer.definition, moved, COMPLEX128)
    return {name: np.asarray(value.imag / STEP, np.float64) for name, value in outputs.items()}


def _dot(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[Any, float]:
    """The sum of products over all entries that both have, and the sum of their magnitudes."""
    total, size = np.longdouble(0), 0.0
    for name, value in a.items():
        if value is None or b.get(name) is None:
            continue
        product = np.asarray(value, np.longdouble) * np.asarray(b[name], np.longdouble)
        total += product.sum()
        size += float(np.abs(product).sum())
    return total, size
