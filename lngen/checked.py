"""Python interface of the check of a function that lngen has not written: `lngen.check` and `lngen.claims`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lngen.checks.apart import Tell
from lngen.checks.callables.checking import SECOND, VALUES, CallableRequest, Subject, check_callable, check_own
from lngen.checks.callables.kept import kept_references
from lngen.checks.callables.shown import lines
from lngen.checks.contracts import KIND as CONTRACTS
from lngen.checks.contracts import asked_of
from lngen.checks.evidence import Evidence, Report
from lngen.checks.executed import KIND as AS_PYTHON
from lngen.checks.numbers import DTYPES
from lngen.definitions import definition_of
from lngen.pipeline.stages import planned

_HARD = "hard inputs"


@dataclass(frozen=True)
class FunctionReport:
    """Report on a function; its text has a line for each kind of claim, and what fails."""

    report: Report
    own: Report | None = None
    """The report on PyTorch's own module, where a function of PyTorch has failed."""

    def __str__(self) -> str:
        return "\n".join(lines(self.report, self.report.code, self.own))

    @property
    def passed(self) -> bool:
        """Test whether every claim holds."""
        return self.report.passed

    def require(self) -> None:
        """Raise AssertionError with the text of the report if a claim does not hold."""
        if not self.passed:
            raise AssertionError(str(self))


def check(
    function: Callable[..., Any],
    definition: str | os.PathLike[str],
    *,
    call: str = "",
    backward: Callable[..., Any] | None = None,
    constants: Mapping[str, float] | None = None,
    device: str = "",
    without: Sequence[str] = (),
    strict: bool = False,
    full: bool = False,
    dtypes: Sequence[str] = DTYPES,
    seed: int = 0,
) -> FunctionReport:
    """Hold a function of PyTorch, JAX or NumPy to a definition: the name of a shipped layer, a text, or a path.

    `call` says how the function is called in names of the definition; left out, its arguments are the inputs of the
    same names. `backward` gives the gradients of a function of NumPy, `constants` the Constants that the function has
    and does not take, `device` where its arrays lie, as "cuda". Claims with a word of `without` are left out. `strict`
    fails a function that rounds each step, `full` tries many lengths of rows. Raises LngenError where the function
    cannot be called.

    >>> import numpy as np, lngen
    >>> def centred(x):
    ...     return x - x.mean(-1, keepdims=True)
    >>> def backward(dy):
    ...     return dy - dy.mean(-1, keepdims=True)
    >>> lngen.check(
    ...     centred, "def centred(x: Row): return x - mean(x)", backward=backward, dtypes=["float64"]
    ... ).require()
    """
    found = definition_of(definition)
    subject = Subject.of(found, function, call, backward, constants, device)
    asked = CallableRequest(tuple(dtypes), seed, tuple(without), strict, full)
    return check_subject(subject, asked)


def check_subject(subject: Subject, asked: CallableRequest, tell: Tell = lambda what: None) -> FunctionReport:
    """Hold a function to its definition by the references of earlier runs, and PyTorch's own beside one that fails."""
    with kept_references(subject.definition) as references:
        plan = planned(subject.definition, proved=False)
        report = check_callable(plan, subject, asked, tell, references)
        return FunctionReport(report, check_own(plan, subject, asked, report, references))


@dataclass(frozen=True)
class FunctionClaim:
    """One claim about a function, as a parameter of a test; all claims are checked when the first is asked for."""

    name: str
    is_about: Callable[[Evidence], bool]
    made: Callable[[], FunctionReport]

    def __str__(self) -> str:
        return self.name

    def require(self) -> None:
        """Raise AssertionError with what speaks against the claim."""
        report = self.made().report
        own = replace(report, evidence=tuple(filter(self.is_about, report.evidence)))
        if own.failures:
            raise AssertionError(str(FunctionReport(own)))


def claims(
    function: Callable[..., Any],
    definition: str | os.PathLike[str],
    *,
    call: str = "",
    backward: Callable[..., Any] | None = None,
    constants: Mapping[str, float] | None = None,
    device: str = "",
    dtypes: Sequence[str] = DTYPES,
    **options: Any,
) -> list[FunctionClaim]:
    """Return the claims that `check` makes about a function, to parametrize a test by; the arguments are the same.

    A test `def test_kernel(claim): claim.require()` takes them by
    `@pytest.mark.parametrize("claim", lngen.claims(function, definition), ids=str)`.

    >>> [str(claim) for claim in claims(abs, "def f(x: Row): return abs(x)", call="f(x)", backward=abs)][0]
    'values and gradients, float64'
    """
    found = definition_of(definition)
    given: dict[str, Any] = {"call": call, "backward": backward, "constants": constants, "device": device}
    subject = Subject.of(found, function, call, backward, constants, device)
    made = cache(lambda: check(function, definition, dtypes=dtypes, **given, **options))

    def of(kind: str, dtype: str = "", what: str = "") -> Callable[[Evidence], bool]:
        return lambda each: each.kind == kind and dtype in ("", each.dtype) and what in ("", each.what)

    if found.layout:
        return [FunctionClaim("values and gradients", of(AS_PYTHON), made)]
    named = {f"values and gradients, {dtype}": of(VALUES, dtype) for dtype in dtypes}
    named |= {f"hard inputs, {dtype}": of(_HARD, dtype) for dtype in dtypes}
    for claim in asked_of(found, subject.on):
        statement = claim.statement.format(on=subject.on)
        named[statement] = of(CONTRACTS, what=statement)
    if subject.asks_for_second and "float64" in dtypes:
        named["second derivative"] = of(SECOND)
    return [FunctionClaim(name, each, made) for name, each in named.items()]
