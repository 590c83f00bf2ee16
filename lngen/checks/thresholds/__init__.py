"""Cases on both sides of each threshold of a backend: the sizes at which its code changes method.

Thresholds are read from the code that is checked, so that a changed threshold is tested at its new place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from lngen.checks import reference, second_order
from lngen.checks.checker import Checker
from lngen.checks.evidence import Evidence
from lngen.checks.hard_inputs import to_50_digits
from lngen.checks.layer import Case, Checkable, run
from lngen.checks.thresholds import of_cpu, of_cuda, of_numpy, of_triton
from lngen.checks.thresholds.side import ThresholdSide
from lngen.runtime.protocol.casts import dtype as storage_dtype

__all__ = ["KIND", "THRESHOLDS", "ThresholdSide", "at_thresholds", "sides"]

KIND = "thresholds"

THRESHOLDS: dict[str, Callable[[Checkable, tuple[str, ...], bool], Iterable[ThresholdSide]]] = {
    "numpy": of_numpy.sides,
    "cpu": of_cpu.sides,
    "cuda": of_cuda.sides,
    "triton": of_triton.sides,
}
"""Function of each backend that lists the sides of its thresholds: of a layer, in storage types, a few of them or all.

Every backend of lngen's that computes has an entry. Code without thresholds returns no sides.
"""


def sides(layer: Checkable, backend: str, dtypes: Sequence[str], thorough: bool) -> tuple[ThresholdSide, ...]:
    """The sides of each threshold of a layer's code for a backend, with as many features as the layer asks for."""
    least = layer.definition.minimum_features
    found = THRESHOLDS[backend](layer, tuple(dtypes), thorough) if backend in THRESHOLDS else ()
    return tuple(side for side in found if side.shape[1] >= least)


def at_thresholds(checker: Checker, of: Iterable[ThresholdSide]) -> Iterator[Evidence]:
    """Yield the comparison of every result on each side with its error bound, second order included."""
    for side in of:
        checker.tell(f"rows of a threshold, {side.what}, at {side.shape[0]} x {side.shape[1]}")
        case = checker.on.given(side.case(checker.definition, checker.seed))
        with side.meanwhile():
            for dtype in side.dtypes if {*side.dtypes} & {*checker.dtypes} else side.dtypes[:1]:
                yield from _first_order(checker, side, case, dtype)
            yield from _second_order(checker, side, case)


def _first_order(checker: Checker, side: ThresholdSide, case: Case, dtype: str) -> Iterator[Evidence]:
    stored = case.astype(storage_dtype(dtype))
    bounds = checker.bounds(stored, dtype)
    if bounds is None:
        return
    if side.means:
        exact = to_50_digits(checker, stored)
        bounds = {name: bound + reference.RESOLUTION for name, bound in bounds.items()}
    else:
        exact = checker.exact(stored)
    yield from checker.within(
        KIND,
        f"{side.what}: ",
        stored,
        dtype,
        bounds,
        *exact,
        options={**side.options, "over_nan": "out" in checker.on.can},
    )


def _second_order(checker: Checker, side: ThresholdSide, case: Case) -> Iterator[Evidence]:
    has_it = all(hasattr(checker.layer.module, function) for function in ("jvp", "backward_backward"))
    if not has_it or side.means or "float64" not in side.dtypes:
        return

    def compared(what: str, result: Any, exact: Any, bound: float) -> Evidence:
        return checker.compared(KIND, f"{side.what}: {what}", case, result, exact, max(bound, least))

    try:
        answer = run(checker.layer, case, **side.options)
        least = checker.second_bound(case, answer)
        yield from second_order.at_once(checker.layer, case, answer, checker.seed, compared)
    except Exception as error:  # whatever emitted code raises is its failure to report
        yield checker.broken(KIND, case, error)
