"""Evidence of a check, one line for each claim, and the report that gathers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

KINDS = (
    "exact proof",
    "50 digits",
    "modulo a prime",
    "run as Python",
    "forward vs oracle",
    "complex step",
    "tangents",
    "second order",
    "precision",
    "thresholds",
    "contracts",
    "checker",
    "hard inputs",
    "transformations",
)
"""The kinds of evidence, in the order in which a report lists them."""


@dataclass(frozen=True)
class Evidence:
    """Claim and its outcome.

    `error` and `bound` are in the metric of `metric_error` unless `detail` says otherwise; they are `None` for a yes or
    no. `shape` is (rows, D). A result whose error has no bound cannot be judged, and is not `claimed`: it neither
    passes nor fails.
    """

    kind: str
    what: str
    shape: tuple[int, ...]
    dtype: str
    error: float | None
    bound: float | None
    passed: bool
    detail: str = ""
    claimed: bool = True

    @property
    def ratio(self) -> float | None:
        """Measured error over its bound; `None` where there is no bound or it is infinite or zero."""
        if self.error is None or self.bound is None or not 0 < self.bound < float("inf"):
            return None
        return self.error / self.bound


def verdict(
    kind: str, what: str, trouble: str, shape: tuple[int, ...] = (), dtype: str = "", note: str = ""
) -> Evidence:
    """A claim that is a yes or no: it holds where there is no trouble."""
    return Evidence(kind, what, shape, dtype, None, None, not trouble, trouble or note)


Outcome = Literal["passed", "failed", "not run"]


@dataclass(frozen=True)
class Report:
    """Report: all evidence of one check of one emitted layer.

    `place` is the device on which kernels ran, if any. `not_run` is the reason why the code did not run on this
    machine, and is empty if it ran. Without a run the evidence consists of proofs and compilations. `code` says which
    code that is: the folder it lies in.
    """

    layer: str
    backend: str
    seed: int
    evidence: tuple[Evidence, ...]
    place: str = ""
    not_run: str = ""
    code: str = ""

    @property
    def outcome(self) -> Outcome:
        """`passed`, `failed` or `not run`: code that was not run has not passed."""
        if self.failures:
            return "failed"
        return "passed" if not self.not_run and any(item.claimed for item in self.evidence) else "not run"

    @property
    def passed(self) -> bool:
        """Test whether the code ran, something is claimed about it, and every claim holds."""
        return self.outcome == "passed"

    @property
    def failures(self) -> tuple[Evidence, ...]:
        """The evidence that speaks against the layer."""
        return tuple(item for item in self.evidence if not item.passed)

    @property
    def unclaimed(self) -> tuple[Evidence, ...]:
        """Return the evidence that could not be judged."""
        return tuple(item for item in self.evidence if item.passed and not item.claimed)

    def as_json(self) -> dict[str, Any]:
        """Plain dicts, lists, strings and finite numbers only, for `json.dumps`."""
        return {
            "layer": self.layer,
            "backend": self.backend,
            "place": self.place,
            "code": self.code,
            "seed": self.seed,
            "passed": self.passed,
            "outcome": self.outcome,
            "not_run": self.not_run,
            "evidence": [_plain(asdict(item)) for item in self.evidence],
        }


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    # JSON has no infinity and no NaN; a text says which of the two it was.
    def written(value: Any) -> Any:
        is_number = not isinstance(value, float) or np.isfinite(value)
        return str(value) if not is_number else list(value) if isinstance(value, tuple) else value

    return {name: written(value) for name, value in fields.items()}


def difference(result: ArrayLike, reference: ArrayLike) -> NDArray[np.float64]:
    """|result - reference|, entry by entry; 0 where both are the same infinity, infinite where only one is
    NaN.

    >>> difference([1.0, np.inf, np.nan], [1.5, np.inf, 0.0])
    array([0.5, 0. , inf])
    """
    a, b = np.asarray(result, np.longdouble), np.asarray(reference, np.longdouble)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(a - b)
    gap = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, gap)
    return np.asarray(np.where(np.isnan(gap), np.inf, gap), np.float64)


def metric_error(result: ArrayLike, reference: ArrayLike) -> float:
    """The error of design and tables: max|a - b| / max(1, max|b|); 0 for arrays without entries.

    >>> metric_error([10.0, 20.0], [10.0, 20.5])
    0.024390243902439025
    """
    return in_metric(difference(result, reference), reference)


def in_metric(absolute: ArrayLike, reference: ArrayLike) -> float:
    """Absolute errors (or bounds) of a result, as one number in the metric of `metric_error`."""
    errors, values = np.asarray(absolute), np.abs(np.asarray(reference, np.longdouble))
    if errors.size == 0:
        return 0.0
    finite = values[np.isfinite(values)]
    scale = max(1.0, float(finite.max())) if finite.size else 1.0
    return float(errors.max()) / scale


def diagnose(result: ArrayLike, reference: ArrayLike, command: str, reach: ArrayLike | None = None) -> str:
    """Describe a wrong result: its worst entry, the likely cause, and the command that repeats the check.

    `reach` is what each entry may be off by: then the worst is the one furthest beyond it. The error is folded over
    rows and columns. A tail of columns, the last row and a period in the columns each have causes of their own.
    """
    wrong, right = np.atleast_1d(np.asarray(result)), np.atleast_1d(np.asarray(reference))
    if wrong.shape != right.shape:
        return f"shape {wrong.shape}, expected {right.shape}; {command}"
    gap = difference(wrong, right)
    allowed = None if reach is None else np.broadcast_to(np.asarray(reach, np.float64), gap.shape)
    beyond = gap
    if allowed is not None:
        gap = np.where(gap > allowed, gap, 0.0)
        beyond = gap / np.maximum(allowed, np.finfo(np.float64).tiny)
    place = tuple(int(i) for i in np.unravel_index(int(beyond.argmax()), gap.shape))
    names = ("row", "column") if gap.ndim == 2 else ("entry",)
    where = ", ".join(f"{name} {i}" for name, i in zip(names, place, strict=False)) or "the number"
    lines = [f"worst at {where}: {float(wrong[place]):.9g}, expected {float(right[place]):.9g}"]
    if allowed is not None:
        lines[0] += f", may be off by {allowed[place]:.2g}"
    cause = _likely_cause(gap)
    if cause:
        lines.append(cause)
    lines.append(command)
    return "; ".join(lines)


def _likely_cause(gap: NDArray[np.float64]) -> str:
    """Return the cause that the pattern of the error suggests; empty if it has no pattern."""
    bad = gap > gap.max() * 1e-3
    columns = bad.reshape(-1, gap.shape[-1]).any(0)
    count = columns.size
    rows = bad.any(-1) if gap.ndim == 2 else np.ones(1, bool)
    if rows.size > 1 and rows.sum() == 1 and rows[-1]:
        return "only the last row is wrong: the tail of the rows"
    if rows.size > 1 and rows.sum() == 1 and rows[0]:
        return "only the first row is wrong"
    if count > 1 and columns.sum() <= max(1, count // 8) and columns[-1] and _contiguous(columns):
        return f"only the last {int(columns.sum())} columns are wrong: the tail of the row"
    folded = sorted(set((np.flatnonzero(columns) % 32).tolist()))
    if count > 32 and len(folded) <= 8:
        return f"wrong columns are {_short(folded)} modulo 32: a lane of a vector or of a warp"
    if columns.all() and rows.all() and count > 1:
        return "wrong everywhere: a term, a factor or a reduction of the formula"
    return ""


def _contiguous(columns: NDArray[np.bool_]) -> bool:
    at = np.flatnonzero(columns)
    return bool(at.size and at[-1] - at[0] + 1 == at.size)


def _short(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)
