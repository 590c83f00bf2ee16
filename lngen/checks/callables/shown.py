"""The report on a function as lines: a count for each kind of claim, then what fails, one cause first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lngen.checks.callables.checking import ROUNDING, SECOND, VALUES
from lngen.checks.contracts import ANOTHER_PARAMETER
from lngen.checks.contracts import KIND as CONTRACTS
from lngen.checks.evidence import Evidence, Report
from lngen.checks.executed import KIND as AS_PYTHON

_TITLES = {
    VALUES: "values and gradients",
    AS_PYTHON: "values and gradients",
    "hard inputs": "hard inputs",
    CONTRACTS: "calls",
    SECOND: "second derivative",
}
_SHOWN = 3  # failures of one kind


def lines(report: Report, word: str, own: Report | None = None) -> Iterator[str]:
    """Yield the lines of a report on the function that the user calls `word`; `own` is that on PyTorch's own module."""
    failed = report.failures
    yield f"{word} beside {report.layer}, {report.backend}: {'FAILED' if failed else 'all claims hold'}"
    for kind, title in _TITLES.items():
        found = [each for each in report.evidence if each.kind == kind and each.claimed]
        if found:
            held = sum(each.passed for each in found)
            yield f"  {title:<22} {held} of {len(found)} hold"
    for each in report.evidence:
        if each.kind == ROUNDING:
            yield f"  {each.what}{f' in {each.dtype}' if each.dtype else ''}: {each.detail}"
        elif not each.claimed and each.kind in (SECOND, CONTRACTS):
            yield f"  {each.what}: {each.detail}"
    if failed:
        yield ""
        yield from _unread(report)
        yield from _causes(failed, own)


def _unread(report: Report) -> Iterator[str]:
    """Yield the parameter whose values do not arrive: some results are right if an earlier call's is kept."""
    for each in report.failures:
        if each.what == ANOTHER_PARAMETER:
            outputs = each.detail.partition(":")[0].split(", ")
            was_right = any(e.passed and e.kind == VALUES and e.what in outputs for e in report.evidence)
            why = "it is kept from an earlier call" if was_right else "it is not read"
            yield f"  {each.detail}: {why}"


def _causes(failed: Sequence[Evidence], own: Report | None) -> Iterator[str]:
    """Yield what fails; where values fail already, the rest may fail by the same fault, and is counted."""
    values = [each for each in failed if each.kind == VALUES]
    if values:
        smallest = min(values, key=_size)
        alike = [each for each in values if (each.shape, each.dtype) == (smallest.shape, smallest.dtype)]
        for each in alike[:_SHOWN]:
            yield from _shown(each, own)
        names = "; ".join(dict.fromkeys(each.what for each in values))
        shapes = len({each.shape for each in values})
        types = ", ".join(dict.fromkeys(each.dtype for each in values))
        yield f"  {names}, at {shapes} shapes, in {types}"
        if rest := len(failed) - len(values):
            yield f"  {rest} other claims fail too, as they do by the same fault; mend this one first"
        return
    for kind in _TITLES:
        alike = [each for each in failed if each.kind == kind]
        for each in alike[:_SHOWN]:
            yield from _shown(each, own)
        if len(alike) > _SHOWN:
            yield f"  and {len(alike) - _SHOWN} more of {_TITLES[kind]}"


def _size(found: Evidence) -> tuple[int, int]:
    rows, features = (*found.shape, 0, 0)[:2]
    return rows * features, ("float64", "float32", "float16", "bfloat16").index(found.dtype)


def _shown(found: Evidence, own: Report | None) -> Iterator[str]:
    where = " x ".join(map(str, found.shape))
    yield f"  {_TITLES[found.kind]}: {found.what}, {where} in {found.dtype}"
    yield f"    {found.detail}"
    if own is None:
        return
    for each in own.evidence:
        if (each.kind, each.what, each.shape, each.dtype) == (found.kind, found.what, found.shape, found.dtype):
            yield f"    PyTorch's own {own.code} {'holds this claim' if each.passed else 'fails it, too'}"
