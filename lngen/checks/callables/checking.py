"""Evidence about a function that lngen has not written: values and gradients, hard inputs, contracts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lngen.checks.adapter import Adapter
from lngen.checks.apart import Tell
from lngen.checks.bounds import Grade
from lngen.checks.callables.adapters import adapted
from lngen.checks.callables.calling import calling
from lngen.checks.checker import FUNCTION, Checker, References
from lngen.checks.claim import NotRun
from lngen.checks.contracts import check_contracts
from lngen.checks.counterpart import counterpart, module_of
from lngen.checks.derived import checkable
from lngen.checks.evidence import Evidence, Report, verdict
from lngen.checks.executed import KIND as AS_PYTHON
from lngen.checks.executed import run_as_python
from lngen.checks.frameworks import FrameworkAdapter, NamedArrays
from lngen.checks.hard_inputs import finite, hard_inputs
from lngen.checks.inputs import ordinary
from lngen.checks.layer import as_tuple, mixed_types, run
from lngen.checks.numbers import DTYPES
from lngen.checks.reference import mixed
from lngen.checks.second_order import BOUND, SeededDirections
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.language.names import cotangent
from lngen.plan.planner import Plan
from lngen.runtime.protocol.casts import dtype as storage_dtype

VALUES, SECOND, ROUNDING = "precision", "second order", "rounding"
NARROW_BOUND = 1e-5
"""Bound of a second derivative whose function computes in float32: `second_order.BOUND` in the ratio of the units."""

SHAPES = ((5, 7), (1, 33), (3, 1), (4, 128), (37, 7), (5, 1000), (130, 31), (1100, 5), (2, 4099))
"""(rows, D) that values and gradients are compared at: short rows and long ones, one entry, many rows.

Some are shapes of contracts too: a framework that compiles compiles them once.
"""

SWEEP = tuple((2, features) for power in range(1, 14) for features in (2**power - 1, 2**power, 2**power + 1))
"""Powers of two and their neighbours, where a block of a kernel ends."""


@dataclass(frozen=True)
class CallableRequest:
    """Extent of the check of a function.

    Claims with one of the words `without` are left out. A `strict` check fails a function that rounds each step, or
    float64 to float32, and a `full` one tries every length of `SWEEP`.
    """

    dtypes: Sequence[str] = DTYPES
    seed: int = 0
    without: Sequence[str] = ()
    strict: bool = False
    full: bool = False


@dataclass(frozen=True)
class Subject:
    """A function as a definition's layer: the adapter that calls it, and its framework."""

    definition: Definition
    function: Callable[..., Any]
    on: Adapter
    framework: str

    @classmethod
    def of(
        cls,
        definition: Definition,
        function: Callable[..., Any],
        call: str = "",
        backward: Callable[..., Any] | None = None,
        fixed: Mapping[str, float] | None = None,
        device: str = "",
    ) -> Subject:
        """Return a function that is called as `call` says, such as `f(hidden_states=x, weight=gamma)`.

        `backward` gives the gradients of a function of NumPy, `fixed` the values of Constants that the function does
        not take, `device` where arrays lie. Raises LngenError where the function does not take what the definition
        needs, and where the definition draws random numbers.
        """
        if any(entry.draws for entry in definition.inputs):
            raise LngenError(f"{definition.name} draws random numbers, and a function draws others.")
        taken = calling(function, definition, call)
        results = {name: name for output in definition.outputs for name in (output, cotangent(output))}
        pulled_back = None if backward is None else calling(backward, definition, extra=taken.spelled | results)
        on, framework = adapted(definition, taken, pulled_back, fixed or {}, device)
        return cls(definition, function, on, framework)

    @property
    def name(self) -> str:
        """The name that the function gives itself."""
        owner = getattr(self.function, "__self__", None)
        if isinstance(owner, type):  # of a class of autograd, which inherits it
            return f"{owner.__name__}.{self.function.__name__}"
        return str(getattr(self.function, "__qualname__", type(self.function).__name__))

    @property
    def asks_for_second(self) -> bool:
        """Test whether a second derivative can be asked for."""
        return hasattr(self.on, "moved_along") and not self.definition.stops_gradients


def check_callable(
    plan: Plan,
    subject: Subject,
    asked: CallableRequest,
    tell: Tell = lambda what: None,
    references: References | None = None,
) -> Report:
    """Hold a function to the definition of a plan by every claim that can be asked of it.

    An exception of the function is a claim that does not hold. `references` are kept for other functions.
    """
    known = {} if references is None else references
    layer, on = checkable(plan, subject.on), subject.on
    checker = Checker(layer, tuple(asked.dtypes), FUNCTION, asked.seed, known, asked.full, tell)
    claims = _named_axes(subject, asked) if subject.definition.layout else _evidence(checker, subject, asked)
    with np.errstate(all="ignore"), on.setting() if isinstance(on, FrameworkAdapter) else nullcontext():
        found = _without(asked.without, [*_assumed(subject), *claims])
    return Report(plan.derivation.definition.name, subject.framework, asked.seed, tuple(found), code=subject.name)


def check_own(
    plan: Plan, subject: Subject, asked: CallableRequest, report: Report, references: References
) -> Report | None:
    """Return the report on PyTorch's own module where a function of PyTorch has failed; None if there is none."""
    definition = subject.definition
    if report.passed or subject.framework != "PyTorch":
        return None
    try:
        module = module_of(counterpart(definition))
    except LngenError:  # its docstring names none
        return None
    if module is subject.function:
        return None
    beside = Subject.of(definition, module, device=getattr(subject.on, "device", ""))
    return check_callable(plan, beside, replace(asked, without=()), references=references)


def _without(words: Sequence[str], found: Sequence[Evidence]) -> list[Evidence]:
    """Leave out hard inputs and claims about calls that have one of the words. Raises LngenError for others."""
    titles = [each.what.partition(": ")[0] if each.kind != VALUES else "" for each in found]
    for word in words:
        if not any(word.lower() in title.lower() for title in titles):
            known = "; ".join(dict.fromkeys(filter(None, titles)))
            raise LngenError(f"--without {word!r}: no claim has these words; there are: {known}.")
    named = [any(word.lower() in title.lower() for word in words) for title in titles]
    return [each for each, is_out in zip(found, named, strict=True) if not is_out]


def _assumed(subject: Subject) -> Iterator[Evidence]:
    """Yield a remark about each Constant that a function neither takes nor is said to have."""
    on: Any = subject.on
    for entry in subject.definition.constants:
        name, value = subject.definition.public(entry.name), float(entry.default or 0)
        if not {name, entry.name} & {*on.taken.names, *on.taken.fixed}:
            note = f"held to {name} = {value:g}; --constant {name}=NUMBER says what the function has"
            yield replace(verdict(ROUNDING, f"{name} is not passed", "", (), "", note), claimed=False)


def _evidence(checker: Checker, subject: Subject, asked: CallableRequest) -> Iterator[Evidence]:
    for dtype in asked.dtypes:
        yield from _values(checker, dtype, asked)
    for dtype in asked.dtypes:
        if checker.grades[dtype] == Grade.ANY_ORDER:
            checker.grades[dtype] = Grade.ONCE_MORE
        yield from hard_inputs(checker, dtype)
        if dtype in ("float16", "bfloat16"):
            yield from _wide_parameters(checker, dtype)
        if dtype == "float16":
            yield from _squares_beyond(checker)
    yield from check_contracts(checker.layer, asked.seed, asked.dtypes, checker.bounds_as_stored, checker.tell)
    if "float64" in asked.dtypes and subject.asks_for_second:
        yield _second(checker, asked)


def _wide_parameters(checker: Checker, dtype: str) -> Iterator[Evidence]:
    """Yield the evidence of rows of a half type with parameters of float32, whose digits all count.

    A function may refuse them, and its outputs may have either type.
    """
    features = checker.on.row_length(checker.definition, 7)
    drawn = checker.on.given(ordinary(checker.definition, 37, features, checker.seed))
    case = mixed_types(checker.definition, drawn, storage_dtype(dtype), np.float32)
    bounds, what = checker.bounds(case, dtype, "float32"), "parameters of float32"
    if bounds is None or all(case.inputs[entry.name] is None for entry in checker.definition.parameters):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # frameworks warn that this is slow
            answer = run(checker.layer, case)
    except Exception as error:  # whatever the function raises
        note = _refused(error)
        yield replace(verdict(ROUNDING, what, "", case.shape, dtype, note), claimed=False)
        return
    yield from checker.within(VALUES, f"{what}: ", case, dtype, bounds, *checker.exact(case), answer=answer)


def _named_axes(subject: Subject, asked: CallableRequest) -> Iterator[Evidence]:
    """Yield the evidence about a function whose arrays have named axes: values and gradients, without bounds."""
    on: Any = subject.on
    note = "in float64 alone; half types, hard inputs, layouts of memory and further calls are not tried"
    yield replace(verdict(ROUNDING, "arrays with named axes", "", (), "", note), claimed=False)
    try:
        fixed = {subject.definition.public(name): value for name, value in on.taken.fixed.items()}
        yield from run_as_python(subject.definition, NamedArrays(on, on.function), asked.seed, on.taken.names, fixed)
    except Exception as error:  # whatever a stranger's function raises
        yield verdict(
            AS_PYTHON, "a call", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", (), "float64"
        )


def _squares_beyond(checker: Checker) -> Iterator[Evidence]:
    """Yield the evidence of numbers that float16 has and their squares are beyond: results are numbers nevertheless."""
    features = checker.on.row_length(checker.definition, 7)
    base = ordinary(checker.definition, 4, features, checker.seed)
    rows = {entry.name: 1e3 * np.asarray(base.inputs[entry.name]) for entry in checker.definition.rows}
    case = checker.on.given(replace(base, name="values of 1e3", inputs={**base.inputs, **rows})).astype(np.float16)
    yield from finite(checker, case, *checker.exact(case), "float16")


def _second(checker: Checker, asked: CallableRequest) -> Evidence:
    """Return the evidence about the derivative of the gradients; a function may refuse to have one."""
    on: Any = checker.on
    features = on.row_length(checker.definition, 5)
    case = on.given(ordinary(checker.definition, 3, features, asked.seed))
    what, along = "second derivative", SeededDirections(checker.layer, case, asked.seed)
    numbers = [case.inputs[entry.name] for entry in checker.definition.constants]
    try:
        found = on.moved_along(
            lambda *inputs: as_tuple(on.layer.call(*inputs, *numbers)),
            [on.array(case.inputs.get(entry.name)) for entry in checker.definition.positional],
            [on.array(case.cotangents[name]) for name in checker.definition.outputs],
            [on.array(along.w[entry.name]) for entry in along.there],
        )
    except Exception as error:  # whatever the function or its framework raises
        note = _refused(error)
        return replace(verdict(SECOND, what, "", case.shape, "float64", note), claimed=False)
    names = [*along.v, *(f"d{name}" for name in along.c)]
    products = [along.all[name] * on.value(value) for name, value in zip(names, found, strict=True)]
    scale = max(1.0, sum(float(np.abs(each).sum()) for each in products))
    exact = checker.remembered(
        "mixed " + " ".join(names), case, partial(mixed, checker.definition, case, along.all, along.w)
    )
    bound = NARROW_BOUND if checker.grades["float64"] == Grade.FLOAT32 else BOUND
    return checker.compared(SECOND, what, case, sum(each.sum() for each in products) / scale, exact / scale, bound)


def _refused(error: Exception) -> str:
    by = "" if isinstance(error, NotRun) else f", by {type(error).__name__}"
    return f"refused{by}: {' '.join(str(error).split())[:200]}"


def _values(checker: Checker, dtype: str, asked: CallableRequest) -> Iterator[Evidence]:
    """Yield the evidence of ordinary inputs at the first grade at which all of it holds, or the most."""
    wanted, only = (*SHAPES, *(SWEEP if asked.full else ())), checker.on.only_features
    every = dict.fromkeys((rows, only or length) for rows, length in wanted)
    shapes = [each for each in every if each[1] >= checker.definition.minimum_features]
    drawn = [checker.on.given(ordinary(checker.definition, *shape, asked.seed)) for shape in shapes]
    cases = [case.astype(storage_dtype(dtype)) for case in drawn]
    by_grade: dict[Grade, list[Evidence]] = {}
    for grade in Grade.of(dtype)[: 2 if asked.strict else None]:
        checker.grades[dtype] = grade
        checker.tell(f"values and gradients in {dtype}, {grade}")
        by_grade[grade] = [each for case in cases for each in _at(checker, case, dtype)]
        if all(each.passed for each in by_grade[grade]):
            break
    else:
        least = min(by_grade, key=lambda each: sum(not e.passed for e in by_grade[each]))
        grade = checker.grades[dtype] = least if least == Grade.EACH_STEP else Grade.ONCE_MORE
    yield from by_grade[grade]
    if grade in (Grade.EACH_STEP, Grade.FLOAT32) and all(each.passed for each in by_grade[grade]):
        yield replace(verdict(ROUNDING, f"{grade}", "", (), dtype, "as its results in this type need"), claimed=False)


def _at(checker: Checker, case: Any, dtype: str) -> Iterator[Evidence]:
    bounds = checker.bounds(case, dtype)
    if bounds is None:
        return
    outputs, gradients = checker.exact(case)
    rounded = checker.rounding(case)
    bounds = {name: bound + rounded.get(name, 0.0) for name, bound in bounds.items()}
    yield from checker.within(VALUES, "", case, dtype, bounds, outputs, gradients)
