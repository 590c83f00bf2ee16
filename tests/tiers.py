"""Tiers of tests: the default one is run by `make test`; `ci`, `matrix` and `exhaustive` are marks.

A test over many values has some in the default tier and the rest in another. Each kind of evidence is then tested
wherever lngen is, and each value where there is time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

TIERS = ("ci", "matrix", "exhaustive")
"""The marks of the tiers that `make test` leaves out."""


def tier_of(marks: Iterable[str]) -> str:
    """The tier of a test with these marks. Raises ValueError if they are those of two.

    >>> tier_of(["cuda"]), tier_of(["ci", "cuda"])
    ('default', 'ci')
    """
    found = sorted({*marks} & {*TIERS})
    if len(found) > 1:
        raise ValueError(f"a test is in one tier, and this one is in {' and '.join(found)}")
    return found[0] if found else "default"


def sample(
    values: Iterable[Any],
    default: Collection[Any] | Callable[[Any], bool],
    ci: Collection[Any] | Callable[[Any], bool] | None = None,
) -> list[Any]:
    """Values to parametrize a test by: those of `default` in the default tier, the rest in `ci`.

    Where it is told which are in `ci`, the others are in `exhaustive`. Raises ValueError for what is in `default` or
    `ci` and not among the values.
    """
    values = list(values)
    in_default, in_ci = _chosen(default, values), _chosen(ci, values) if ci is not None else lambda value: True
    return [
        value if in_default(value) else _marked(value, pytest.mark.ci if in_ci(value) else pytest.mark.exhaustive)
        for value in values
    ]


def _chosen(chosen: Collection[Any] | Callable[[Any], bool], values: Collection[Any]) -> Callable[[Any], bool]:
    if callable(chosen):
        return chosen
    if strangers := [value for value in chosen if value not in values]:
        raise ValueError(f"{strangers} are not among the values")
    return [*chosen].__contains__


def _marked(value: Any, mark: pytest.MarkDecorator) -> Any:
    if isinstance(value, type(pytest.param())):  # a mark of its own says where it is
        return value
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=mark)
