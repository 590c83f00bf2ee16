"""Evidence of one layer, kind by kind: the results compared, their references, and the bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from lngen.checks import casts, complex_step, inputs, reference, second_order
from lngen.checks.adapter import adapter_of
from lngen.checks.apart import Tell
from lngen.checks.bounds import ANY_ORDER, CPU, CUDA, NUMPY, TRITON, Grade, Summation, error_bounds
from lngen.checks.evidence import Evidence, diagnose, difference, in_metric, metric_error, verdict
from lngen.checks.layer import Array, Case, Checkable, Run, present, run
from lngen.checks.rounding import outputs, rounding
from lngen.language.oracle.evaluate import LONGDOUBLE, evaluate
from lngen.runtime.protocol.casts import dtype as storage_dtype

References = dict[str, Any]
"""Remembered references of one definition; start with an empty one."""

_T = TypeVar("_T")

COMPLEX_STEP_BOUND = 1e-13
# Above this many entries of a row input the complex step takes a sample of the columns.
_EVERY_ENTRY = 100_000
_SAMPLED_COLUMNS = 32

# Every entry takes D evaluations of all rows: above rows*D*D of this it is done only when asked for.
_QUICK_WORK = 2_500_000
# Dozens of runs of emitted code are for arrays up to this many entries.
_MANY_RUNS = 10_000
# A second derivative loses digits where the first does, and some more: so many times the bound of the gradients.
_SECOND_LOSS = 32.0
_ARITHMETIC: Mapping[str, Summation] = {"numpy": NUMPY, "cpu": CPU, "cuda": CUDA, "triton": TRITON}


FUNCTION = "function"
"""The backend of a function that lngen has not written."""


class Checker:
    """Maker of the evidence of one emitted layer, shape by shape.

    `references` are kept across modules. `tell` gets a text about the next check.
    """

    def __init__(
        self,
        layer: Checkable,
        dtypes: tuple[str, ...],
        backend: str,
        seed: int,
        references: References,
        thorough: bool,
        tell: Tell = lambda what: None,
        word: str = "",
    ) -> None:
        self.thorough = thorough
        self.tell = tell
        self.references = references
        self.layer = layer
        self.on = adapter_of(layer.module)
        self.definition = layer.definition.straight_through
        self.casts = dict(layer.definition.casts)
        self.dtypes = dtypes
        self.backend = backend
        self.seed = seed
        self.word = word or layer.definition.name
        self.grades: dict[str, Grade] = {}
        self.differences = not layer.definition.stops_gradients

    def remembered(self, what: str, case: Case, compute: Callable[[], _T]) -> _T:
        """Return the result of `compute`, computed once for a case and shared by all modules."""
        key = case.key(what)
        if key not in self.references:
            self.references[key] = compute()
        return self.references[key]  # type: ignore[no-any-return]

    def shape(self, shape: tuple[int, int], kinds: Sequence[str]) -> Iterator[Evidence]:
        """Yield the evidence of one shape; an error of emitted code is a failure of the kind being checked."""
        case = self.on.given(inputs.ordinary(self.definition, *shape, self.seed))
        where = f"at {shape[0]} x {shape[1]}"
        self.tell(f"forward and backward {where}")
        try:
            answer = run(self.layer, case)
        except Exception as error:  # whatever emitted code raises is its failure to report
            yield self.broken("forward vs oracle", case, error)
            return
        bounds = self.bounds(case, "float64")
        parts: dict[str, Callable[[], Iterator[Evidence]]] = {
            "forward vs oracle": lambda: self._forward(case, answer, bounds),
            "complex step": lambda: self._complex_step(case, answer),
            "tangents": lambda: self._beyond(second_order.tangents, "tangents", "jvp", case, answer),
            "second order": lambda: self._beyond(
                second_order.second_order, "second order", "backward_backward", case, answer
            ),
            "precision": lambda: self._precision(case, answer),
        }
        for kind, part in parts.items():
            if kind in kinds:
                self.tell(f"{kind} {where}")
                yield from part()

    def _beyond(self, checks: Any, kind: str, function: str, case: Case, answer: Run) -> Iterator[Evidence]:
        """Yield the evidence about a further function, if the layer has it, also with omitted inputs."""
        if not hasattr(self.layer.module, function) or case.rows * case.features > _MANY_RUNS:
            return
        least = self.second_bound(case, answer)
        runs = [(case, answer)]
        fewer = second_order.without(self.layer, case)
        if fewer is not None:
            runs.append((fewer, run(self.layer, fewer)))
        for given, found in runs:

            def compared(what: str, result: Any, exact: Any, bound: float, given: Case = given) -> Evidence:
                words = what if given is case else f"{what}, {given.name.partition(', ')[2]}"
                return self.compared(kind, words, given, result, exact, max(bound, least))

            def mixed(along: Mapping[str, Array], gradients: Mapping[str, Array], given: Case = given) -> Any:
                compute = partial(reference.mixed, self.definition, given, along, gradients)
                return self.remembered("mixed derivative", given, compute)

            try:
                yield from checks(self.layer, given, found, self.seed, compared, mixed)
            except Exception as error:  # whatever emitted code raises is its failure to report
                yield self.broken(kind, given, error)

    def second_bound(self, case: Case, answer: Run) -> float:
        """The least bound of what is said of the derivatives of gradients: they are not known better than these."""
        own = self.bounds(case, "float64") or {}
        names = (entry.name for entry in present(self.layer, case))
        known = max((_at_least(0.0, own.get(f"d{name}"), answer.gradients[name]) for name in names), default=0.0)
        return _SECOND_LOSS * known

    def bounds(self, case: Case, dtype: str, parameters: str = "") -> Mapping[str, Array] | None:
        """Error bounds of every result of a case, at the grade of its type; None without row programs.

        `parameters` is their type, where that is not `dtype`.
        """
        if self.layer.forward_program is None or self.layer.backward_program is None:
            return None
        forward, backward = self.layer.forward_program, self.layer.backward_program
        arithmetic = _ARITHMETIC.get(self.backend, getattr(self.layer.module, "summation", ANY_ORDER))
        independent, grade = case.name == inputs.ORDINARY, self.grades.get(dtype)
        written = self.layer.derivation
        compute = partial(
            error_bounds, forward, backward, case, dtype, arithmetic, independent, grade, written, parameters
        )
        return self.remembered(f"bounds {dtype} {parameters} {arithmetic.name} {grade}", case, compute)

    def rounding(self, case: Case) -> Mapping[str, float]:
        """Errors of the references of an ordinary case: of outputs by name, of gradients as `dx`."""

        def compute(given: Case) -> dict[str, Any]:
            found = outputs(self.definition, given)
            if self.layer.adjoint is not None:
                gradients = self.layer.adjoint(_given(self.layer, given), given.cotangents)
                found |= {f"d{name}": value for name, value in gradients.items()}
            return found

        return self.remembered("rounding", case, lambda: rounding(self.definition, case, compute))

    def complex_gradient(self, case: Case, columns: Sequence[int] | None = None) -> dict[str, Array]:
        """Every gradient by complex step on the evaluator, or some columns of it."""
        compute = partial(complex_step.gradient, self.definition, case.astype(np.float64), columns)
        return self.remembered("complex step", case, compute)

    def command(self, case: Case, dtype: str) -> str:
        """Return the command that checks a case again; for a function of somebody else's, where it was checked."""
        if self.backend == FUNCTION:
            return f"seed {self.seed}"
        shape = f"--shape {case.rows},{case.features} " if case.by_shape else ""
        return (
            f"again: python -m lngen check {self.word} --backend {self.backend} "
            f"{shape}--dtype {dtype} --seed {self.seed}"
        )

    def broken(self, kind: str, case: Case, error: Exception, dtype: str = "float64") -> Evidence:
        """The failure of emitted code that raised."""
        detail = f"{type(error).__name__}: {error}; {self.command(case, dtype)}"
        return verdict(kind, case.name, detail, case.shape, dtype)

    def compared(
        self,
        kind: str,
        what: str,
        case: Case,
        result: Any,
        exact: Any,
        bound: Array | float,
        note: str = "",
        dtype: str = "float64",
        cast: str | None = None,
    ) -> Evidence:
        """A result against its reference. An array of bounds holds entry by entry, a number in the metric.

        A result that is cast to the type `cast` is held to what its reference rounds to.
        """
        if result is None or np.shape(result) != np.shape(exact):
            got = "None" if result is None else f"shape {np.shape(result)}"
            detail = f"{got}, expected shape {np.shape(exact)}; {self.command(case, dtype)}"
            return verdict(kind, what, detail, case.shape, dtype)
        values, allowed_at = np.asarray(result).astype(np.longdouble), None
        if cast is not None:
            exact, bound = casts.claimed(values, np.asarray(exact, np.longdouble), bound, cast)
        if isinstance(bound, float):
            known = ~np.isnan(np.asarray(exact, np.float64))
            if known.size and not known.any():
                return self._unclaimed(kind, what, case, "the reference has no finite value here", dtype)
            error = metric_error(np.where(known, values, 0), np.where(known, exact, 0))
            allowed, passed = bound, error <= bound
        else:
            claimed = np.isfinite(bound) & np.isfinite(np.asarray(exact, np.float64))
            if claimed.size and not claimed.any():
                return self._unclaimed(kind, what, case, "a kink is near, or something may overflow", dtype)
            gap = np.where(claimed, difference(values, exact), 0.0)
            reach, allowed_at = np.where(claimed, bound, 0.0), np.where(claimed, bound, np.inf)
            # Both in the metric at the entry that comes closest to its bound, so that their ratio is the
            # honest one.
            passed = bool(np.all(gap <= reach))
            error, allowed = in_metric(gap, exact), in_metric(reach, exact)
            silent = int(claimed.size - claimed.sum())
            if silent:
                note = f"no claim on {silent} of {claimed.size} entries: a kink is near, or something may overflow"
        detail = note if passed else diagnose(values, exact, self.command(case, dtype), allowed_at)
        return Evidence(kind, what, case.shape, dtype, error, allowed, bool(passed), detail)

    def _unclaimed(self, kind: str, what: str, case: Case, why: str, dtype: str = "float64") -> Evidence:
        return Evidence(kind, what, case.shape, dtype, None, None, True, why, claimed=False)

    def _forward(self, case: Case, answer: Run, bounds: Mapping[str, Array] | None) -> Iterator[Evidence]:
        exact = self.exact_outputs(case)
        for name, value in answer.outputs.items():
            bound = COMPLEX_STEP_BOUND if bounds is None else bounds[name] + self.rounding(case)[name]
            cast = self.casts.get(name)
            yield self.compared("forward vs oracle", name, case, value, exact[name], bound, cast=cast)

    def _complex_step(self, case: Case, answer: Run) -> Iterator[Evidence]:
        independent = complex_step.rows_are_independent(self.definition, case, self.seed)
        trouble = "" if independent else "a row changes with another"
        yield verdict("complex step", "rows of the evaluator are independent", trouble, case.shape, "float64")
        entries = case.rows * case.features
        sampled = entries > _EVERY_ENTRY or (entries * case.features > _QUICK_WORK and not self.thorough)
        columns: Any = slice(None)
        if sampled:
            rng = np.random.default_rng(self.seed)
            columns = np.sort(rng.choice(case.features, min(case.features, _SAMPLED_COLUMNS), replace=False))
        exact = self.complex_gradient(case, columns if sampled else None)
        note = f"{len(columns)} of {case.features} columns" if sampled else "every entry"
        bounds = self.bounds(case, "float64") or {}
        for entry in present(self.layer, case):
            result = answer.gradients[entry.name]
            if result is not None and entry.kind.over_features:
                result = np.asarray(result)[..., columns]
            name = f"d{entry.name}"
            bound = _at_least(COMPLEX_STEP_BOUND, bounds.get(name), answer.gradients[entry.name])
            yield self.compared("complex step", name, case, result, exact[entry.name], bound, note)
            if sampled:
                yield from self._directions(case, entry, answer)

    def _directions(self, case: Case, entry: Any, answer: Run) -> Iterator[Evidence]:
        for name, direction in complex_step.directions(case, entry, self.seed).items():
            exact = complex_step.directional(self.definition, case, entry.name, direction)
            exact = exact if entry.kind.over_rows else exact.sum()
            along = _along(answer.gradients[entry.name], direction, entry.kind.over_rows)
            length, what = np.linalg.norm(direction), f"d{entry.name} along a {name} direction"
            yield self.compared("complex step", what, case, along / length, exact / length, COMPLEX_STEP_BOUND)

    def _precision(self, case: Case, answer: Run) -> Iterator[Evidence]:
        for dtype in self.dtypes:
            stored = case.astype(storage_dtype(dtype))
            bounds = self.bounds(stored, dtype)
            if bounds is None:
                continue
            outputs, gradients = self.exact(stored)
            rounded = self.rounding(stored)
            bounds = {name: bound + rounded.get(name, 0.0) for name, bound in bounds.items()}
            # A float64 reference is as rounded as the result is: then each has one bound's worth of error.
            slack = 2.0 if dtype == "float64" and self.layer.adjoint is None else 1.0
            known = answer if dtype == "float64" else None
            yield from self.within("precision", "", stored, dtype, bounds, outputs, gradients, slack, answer=known)

    def bounds_as_stored(self, case: Case) -> Mapping[str, Array] | None:
        """Error bounds of a case in the type of its first row."""
        return self.bounds(case, np.asarray(case.inputs[self.definition.rows[0].name]).dtype.name)

    def exact(self, stored: Case) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
        """Outputs and gradients in long double."""
        return self.exact_outputs(stored), self.exact_gradients(stored)

    def exact_outputs(self, stored: Case) -> Mapping[str, Array]:
        """Outputs by the evaluator in long double."""
        return self.remembered(
            "exact outputs", stored, lambda: evaluate(self.definition, stored.exact().inputs, LONGDOUBLE)
        )

    def exact_gradients(self, stored: Case) -> Mapping[str, Array]:
        """Gradients by the second derivation in long double, or by complex step where there is none."""
        adjoint, wide = self.layer.adjoint, stored.exact()
        if adjoint is None:
            return self.complex_gradient(stored)
        return self.remembered("exact gradients", stored, lambda: adjoint(_given(self.layer, wide), wide.cotangents))

    def within(
        self,
        kind: str,
        prefix: str,
        case: Case,
        dtype: str,
        bounds: Mapping[str, Array],
        outputs: Mapping[str, Array],
        gradients: Mapping[str, Array],
        slack: float = 1.0,
        options: Mapping[str, Any] = MappingProxyType({}),
        answer: Run | None = None,
    ) -> Iterator[Evidence]:
        """Every result of a case, whose calls are passed `options`, within its derived error bounds.

        The case is run unless its `answer` is known.
        """
        try:
            answer = answer or run(self.layer, case, **options)
        except Exception as error:  # whatever emitted code raises is its failure to report
            yield self.broken(kind, case, error, dtype)
            return
        for name, value in answer.outputs.items():
            bound, cast = np.asarray(bounds[name]), self.casts.get(name)
            yield self.compared(kind, prefix + name, case, value, outputs[name], bound, "", dtype, cast)
        for entry in present(self.layer, case):
            if entry.name not in gradients:
                continue
            bound = slack * np.asarray(bounds[f"d{entry.name}"])
            gradient, exact = answer.gradients[entry.name], gradients[entry.name]
            yield self.compared(kind, f"{prefix}d{entry.name}", case, gradient, exact, bound, "", dtype)


def _at_least(bound: float, derived: Array | None, result: Any) -> float:
    """A bound in the metric, or the derived one where that is larger: then the gradient is known less well."""
    if derived is None or result is None or not np.isfinite(derived).all():
        return bound
    return max(bound, in_metric(derived, result))


def _given(layer: Checkable, case: Case) -> dict[str, Any]:
    return {entry.name: case.inputs.get(entry.name) for entry in layer.definition.passed}


def _along(gradient: Any, direction: Array, over_rows: bool) -> Array:
    """<gradient, direction>, of each row where the input has rows, in long double."""
    terms = np.asarray(gradient, np.longdouble) * direction
    return np.asarray(terms.reshape(len(terms), -1).sum(-1) if over_rows else terms.sum())
