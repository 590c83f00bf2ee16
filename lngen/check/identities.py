"""Identities that a definition's gradients obey, found from its symmetries and checked on the emitted ones.

If adding a constant to `x` leaves the outputs alone, then `sum(dx) = 0` in every row. If scaling `x` by s and `eps` by
s**2 does, then `sum(x*dx) + 2*eps*dL/deps = 0` (Euler). The identities are not given: every input is shifted and scaled
a little, by complex step, at random points. The linear relations between the responses of L = <cotangent, outputs> are
a null space. Relations with simple rational coefficients that hold at fresh points and at other D are kept.

They cost one backward at any size, and detect faults that a difference at large D cannot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lngen.check.complex_step import directional, loss_by_row
from lngen.check.inputs import ordinary
from lngen.check.layer import Array, Case, Run
from lngen.check.rounding import of_loss
from lngen.language.definition import Definition
from lngen.language.oracle.evaluate import FLOAT64, LONGDOUBLE, evaluate
from lngen.language.syntax import Kind

LongArray = NDArray[np.longdouble]

_POINTS = 32
_NULL = 1e-11
_LARGEST_DENOMINATOR = 12


@dataclass(frozen=True)
class SymmetryGenerator:
    """One infinitesimal change: of an input by a constant or by a factor, or of nothing but L's own scale."""

    change: Literal["shift", "scale", "loss"]
    name: str = ""

    def describe(self) -> str:
        """The response of L, as a formula."""
        match self.change:
            case "shift":
                return f"sum(d{self.name})"
            case "scale":
                return f"sum({self.name}*d{self.name})"
            case _:
                return "L"


@dataclass(frozen=True)
class Identity:
    """`sum of coefficient * response = 0`, for the cotangents of `outputs` and zero for all others."""

    outputs: tuple[str, ...]
    terms: tuple[tuple[SymmetryGenerator, Fraction], ...]

    def describe(self) -> str:
        """The identity as a formula; L is <cotangent, output>.

        >>> x, eps = SymmetryGenerator("scale", "x"), SymmetryGenerator("scale", "eps")
        >>> Identity(("y",), ((x, Fraction(1)), (eps, Fraction(2)))).describe()
        'sum(x*dx) + 2*sum(eps*deps) = 0'
        """
        text = ""
        for generator, coefficient in self.terms:
            size = "" if abs(coefficient) == 1 else f"{abs(coefficient)}*"
            sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
            text += f"{sign}{size}{generator.describe()}"
        return f"{text} = 0"


@dataclass(frozen=True)
class Residual:
    """Residual of an identity: the largest of all rows, and the part of it that rounding of the gradients explains."""

    error: float
    bound: float


def discover(definition: Definition, seed: int = 0) -> tuple[Identity, ...]:
    """All shift and scale identities of each output, and of all outputs together, in a fixed order."""
    groups: list[tuple[str, ...]] = [(name,) for name in definition.outputs]
    if len(groups) > 1:
        groups.append(tuple(definition.outputs))
    return tuple(chain.from_iterable(_of_outputs(definition, group, seed) for group in groups))


def _of_outputs(definition: Definition, outputs: tuple[str, ...], seed: int) -> list[Identity]:
    generators = _generators(definition)
    features = max(5, definition.minimum_features)
    responses = _responses(definition, generators, _random_case(definition, outputs, _POINTS, features, seed))
    found = []
    for vector in _null_vectors(responses):
        coefficients = [Fraction(float(v)).limit_denominator(_LARGEST_DENOMINATOR) for v in vector]
        if any(abs(float(c) - v) > 1e-6 for c, v in zip(coefficients, vector, strict=True)):
            continue
        terms = tuple((g, c) for g, c in zip(generators, coefficients, strict=True) if c)
        identity = Identity(outputs, terms)
        if all(_holds(definition, identity, features + more, seed + more) for more in (1, 3)):
            found.append(identity)
    return found


def _generators(definition: Definition) -> list[SymmetryGenerator]:
    shifts = [SymmetryGenerator("shift", entry.name) for entry in definition.inputs if entry.kind is Kind.ROW]
    scales = [SymmetryGenerator("scale", entry.name) for entry in definition.passed if not entry.kind.is_integer]
    return [*shifts, *scales, SymmetryGenerator("loss")]


def _random_case(definition: Definition, outputs: Sequence[str], rows: int, features: int, seed: int) -> Case:
    """Draw ordinary inputs, with Constants of order one, so that their effect is visible."""
    case = ordinary(definition, rows, features, seed)
    rng = np.random.default_rng([seed, features])
    constants = {entry.name: float(rng.uniform(0.3, 2.0)) for entry in definition.constants}
    cotangents = {name: value for name, value in case.cotangents.items() if name in outputs}
    return replace(case, inputs={**case.inputs, **constants}, cotangents=cotangents)


def _responses(definition: Definition, generators: Sequence[SymmetryGenerator], case: Case) -> LongArray:
    """dL along each generator, row by row: shape (rows, generators)."""
    return np.stack([_response(definition, generator, case) for generator in generators], -1)


def _response(definition: Definition, generator: SymmetryGenerator, case: Case) -> LongArray:
    if generator.change == "loss":
        return loss_by_row(case, evaluate(definition, case.inputs, FLOAT64))
    value = np.asarray(case.inputs[generator.name])
    direction = value if generator.change == "scale" else np.ones_like(value)
    return directional(definition, case, generator.name, direction)


def _null_vectors(responses: LongArray) -> list[NDArray[np.float64]]:
    """A basis of the linear relations between the columns, in reduced row echelon form."""
    columns = np.asarray(responses, np.float64)
    if not np.isfinite(columns).all():
        return []
    lengths = np.linalg.norm(columns, axis=0)
    lengths = np.where(lengths > _NULL * lengths.max(initial=0.0), lengths, 0.0)
    scaled = np.divide(columns, lengths, out=np.zeros_like(columns), where=lengths > 0)
    _, sizes, right = np.linalg.svd(scaled)
    basis = right[sizes < _NULL * sizes.max()] if sizes.max() > 0 else right
    basis = basis / np.where(lengths > 0, lengths, 1.0)
    return list(_echelon(basis))


def _echelon(basis: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = basis.copy()
    done = 0
    for column in range(rows.shape[1]):
        if done == len(rows):
            break
        pivot = done + int(np.abs(rows[done:, column]).argmax())
        if abs(rows[pivot, column]) < 1e-8 * np.abs(rows[done:]).max():
            continue
        rows[[done, pivot]] = rows[[pivot, done]]
        rows[done] /= rows[done, column]
        others = np.arange(len(rows)) != done
        rows[others] -= rows[others, column, None] * rows[done]
        done += 1
    return rows[:done]


def _holds(definition: Definition, identity: Identity, features: int, seed: int) -> bool:
    case = _random_case(definition, identity.outputs, _POINTS, features, seed)
    generators = [generator for generator, _ in identity.terms]
    weights = np.array([float(coefficient) for _, coefficient in identity.terms])
    terms = _responses(definition, generators, case) * weights
    magnitudes = np.abs(terms).sum(-1)
    # A shift that does nothing has one term, the response itself, which is then rounding of order one.
    return bool(np.all(np.abs(terms.sum(-1)) <= 1e-11 * np.maximum(1.0, magnitudes)))


def residual(
    definition: Definition,
    identity: Identity,
    case: Case,
    run: Run,
    bounds: Mapping[str, Array],
) -> Residual:
    """Return the residual of an identity in the emitted gradients, and the bound that their error bounds give it.

    The run must have had the cotangents of `identity.outputs` alone. Derivatives by Constants and by Data are taken by
    complex step, and L from the evaluator; sums are long double.
    """
    by_row = all(_per_row(definition, generator) for generator, _ in identity.terms)
    total = np.zeros(case.rows if by_row else 1, np.longdouble)
    allowed = np.zeros_like(total)
    for generator, coefficient in identity.terms:
        part, slack = _emitted_response(definition, generator, case, run, bounds)
        weight = np.longdouble(coefficient.numerator) / coefficient.denominator
        total = total + weight * (part if by_row else part.sum())
        allowed = allowed + abs(weight) * (slack if by_row else slack.sum())
    if total.size == 0:
        return Residual(0.0, 0.0)
    gap = np.where(np.isfinite(allowed), np.abs(total), 0)
    worst = int(np.argmax(gap / np.maximum(allowed, np.finfo(np.float64).tiny)))
    return Residual(float(gap[worst]), float(allowed[worst]))


def applies(identity: Identity, case: Case) -> bool:
    """Test whether every input of the identity is present."""
    return all(
        generator.change == "loss" or case.inputs.get(generator.name) is not None for generator, _ in identity.terms
    )


def _per_row(definition: Definition, generator: SymmetryGenerator) -> bool:
    if generator.change == "loss":
        return True
    kind = definition.input(generator.name).kind
    return kind.over_rows or kind is Kind.CONSTANT


def _emitted_response(
    definition: Definition, generator: SymmetryGenerator, case: Case, run: Run, bounds: Mapping[str, Array]
) -> tuple[LongArray, LongArray]:
    oracle_unit = 64 * float(np.finfo(np.float64).eps)
    if generator.change == "loss":
        terms = loss_by_row(case, evaluate(definition, case.exact().inputs, LONGDOUBLE))
        return terms, np.asarray(np.abs(terms) * oracle_unit + of_loss(definition, case), np.longdouble)
    if not definition.input(generator.name).kind.has_gradient:
        response = _response(definition, generator, case)
        return response, np.asarray(np.abs(response) * oracle_unit + oracle_unit, np.longdouble)
    gradient = np.asarray(run.gradients[generator.name], np.longdouble)
    value = np.asarray(case.inputs[generator.name], np.longdouble)
    weight = value if generator.change == "scale" else np.ones_like(value)
    error = np.asarray(bounds[f"d{generator.name}"], np.longdouble)
    shape = (case.rows, -1) if definition.input(generator.name).kind.over_rows else (1, -1)
    if not gradient.size:
        return np.zeros(case.rows, np.longdouble), np.zeros(case.rows, np.longdouble)
    return (weight * gradient).reshape(shape).sum(-1), (np.abs(weight) * error).reshape(shape).sum(-1)
