"""One definition through everything: right, refused with a reason, or a failure with what is needed to see it.

The emitted code is held against `oracle`, which shares nothing with derivation and emission. Agreement to 1e-10 of
the largest entry, or of 1, is right; a wrong gradient is off by far more. A result that is further off is held against
the derivation evaluated at 60 digits. If that is off too, the gradient is wrong. If it is not, digits were lost in
float64, and the question is whether the definition made that unavoidable: the error has to be inside the bound of
`lngen.check.bounds`, or within 1000 times what the unsimplified adjoint loses at the same point.
"""

from __future__ import annotations

import random
import re
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any

import mpmath
import numpy as np

from lngen.check import bounds
from lngen.check.derived import checkable
from lngen.check.layer import Case, Checkable, run
from lngen.check.mutants import module_from_text
from lngen.definition import Definition, Input, Kind, parse
from lngen.emission import Derived, EvidenceError, derived
from lngen.errors import LngenError
from lngen.numeric import Arithmetic, evaluate_equations
from lngen.symbolic import D
from tests.fuzz import oracle
from tests.fuzz.limits import OutOfTime, cpu_seconds

RIGHT, REFUSED, NO_POINT = "right", "refused", "no point"
WRONG, NOT_FINITE, IMPRECISE = "wrong", "not finite", "imprecise"
TRACEBACK, HANG, UNPROVED, BLAMED = "traceback", "hang", "unproved", "blamed on lngen"
FAILURES = (WRONG, NOT_FINITE, IMPRECISE, TRACEBACK, HANG, UNPROVED, BLAMED)

SECONDS = 30.0
SHAPES = ((2, 1), (1, 2), (2, 3), (1, 5))
"""(rows, D); a D below the smallest that the definition has is raised to it."""

_AGREES = 1e-10
# A formula that is right agrees to some 38 digits less what the point is sensitive by.
_SAME_FORMULA = 1e-15
_LOST_BY_ADJOINT = 1000.0
_DRAWS = 12

# What a definition cannot be the cause of: a formula that a backend has no words for, a template that is wrong.
_OWN_FAULTS = ("fault of lngen", "template ", "backend cannot write", "no backend can write")


@dataclass(frozen=True)
class Verdict:
    """What became of a definition. `key` tells failures of one kind apart; `points` counts the shapes compared."""

    outcome: str
    key: str = ""
    detail: str = ""
    seconds: float = 0.0
    derive_seconds: float = 0.0
    points: int = 0

    @property
    def failed(self) -> bool:
        """Whether lngen is at fault."""
        return self.outcome in FAILURES

    @property
    def title(self) -> str:
        """The outcome and the key on one line."""
        return " ".join(f"{self.outcome}: {self.key}".split())

    def same_as(self, other: Verdict) -> bool:
        """Whether both are one failure, as far as can be told from outside."""
        return self.title == other.title


class _Failure(Exception):
    def __init__(self, outcome: str, key: str, detail: str) -> None:
        self.found = outcome, key, detail


def judge(text: str, *, seed: int = 0, cuda: bool = False, proved: bool = False, seconds: float = SECONDS) -> Verdict:
    """Derive, emit and run a definition, and compare; `cuda` runs its kernels too, `proved` asks for the evidence.

    `seconds` is processor time. The verdict is the same for the same arguments, but for its times.
    """
    start = process_time()
    work = _Work(text, seed, cuda, proved)
    try:
        with cpu_seconds(seconds):
            outcome, key, detail = work.result()
    except OutOfTime:
        outcome, key, detail = HANG, work.stage, f"over {seconds:g} s of processor time in the stage {work.stage!r}"
    return Verdict(outcome, key, detail, process_time() - start, work.derive_seconds, work.points)


@dataclass
class _Work:
    text: str
    seed: int
    cuda: bool
    proved: bool
    stage: str = "parse"
    definition: Definition | None = None
    points: int = 0
    derive_seconds: float = 0.0
    unfit: list[str] = field(default_factory=list)

    def result(self) -> tuple[str, str, str]:
        try:
            self._go()
        except _Failure as failure:
            return failure.found
        except EvidenceError as error:
            return UNPROVED, "", str(error)
        except LngenError as error:
            outcome = BLAMED if any(sign in str(error) for sign in _OWN_FAULTS) else REFUSED
            return outcome, f"{self.stage}: {_pattern(error, self.definition)}", str(error)
        except Exception as error:
            compiler = re.search(r"error: (.*)", str(error))
            where = compiler[1] if compiler else f"{type(error).__name__} in {_place(error)}"
            return TRACEBACK, f"{self.stage}: {where}", traceback.format_exc()
        if not self.points:
            return NO_POINT, "", "; ".join(sorted(set(self.unfit)))
        return RIGHT, "", ""

    def _go(self) -> None:
        definition = self.definition = parse(self.text)

        def on_stage(name: str) -> None:
            self.stage = name

        start = process_time()
        try:
            made = derived(definition, proved=self.proved, on_stage=on_stage)
        finally:
            self.derive_seconds = process_time() - start
        self.stage = "import"
        modules = [module_from_text(made.text("numpy_backend.py"), "numpy_backend") for _ in range(2)]
        vars(modules[1])["FEW_BYTES"] = 0
        layers = [checkable(made.plan, module) for module in modules]
        cases = []
        for case, exact in self._cases(definition):
            cases.append((case, exact))
            for way, layer in zip(("at once", "in blocks"), layers, strict=True):
                self.stage = f"run numpy, rows {way}"
                _compare("numpy", made, layer, case, exact)
        self.points = len(cases)
        if self.cuda and cases:
            self.stage = "run cuda"
            self._run_cuda(made, cases)

    def _cases(self, definition: Definition) -> Iterator[tuple[Case, oracle.Exact]]:
        """A case for each shape at which some point is fit, with what is exact there."""
        smallest = definition.minimum_features
        for number, (rows, features) in enumerate(sorted({(n, max(d, smallest)) for n, d in SHAPES})):
            self.stage = "oracle"
            for draw in range(_DRAWS):
                rng = random.Random(f"{self.seed} {number} {draw}")
                case = _case(definition, rows, features, rng, draw, _left_out(definition, number, rng))
                try:
                    yield case, oracle.exact(definition, case.inputs, case.cotangents)
                    break
                except oracle.Unfit as reason:
                    self.unfit.append(str(reason))

    def _run_cuda(self, made: Derived, cases: list[tuple[Case, oracle.Exact]]) -> None:
        from lngen.check.on_device import OnDevice, device

        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            stack.enter_context(device())
            module = _package(made, folder)
            layer = checkable(made.plan, OnDevice(module))
            # A D is a compilation of its own, and one says what there is to say: two rows of a size that no vector has.
            case, exact = max(cases, key=lambda pair: pair[0].rows * pair[0].features)
            _compare("cuda", made, layer, case, exact)


def _package(made: Derived, folder: Path) -> ModuleType:
    """The emitted `cuda_backend`, from a folder."""
    import importlib

    from lngen import loading

    place = folder / made.definition.name
    place.mkdir()
    for path, content in made.emission.files:
        (place / path).write_text(content, encoding="utf-8")
    package = loading.load(place)
    return importlib.import_module(f"{package.__name__}.cuda_backend")


# --- points -------------------------------------------------------------------------------------------------


def _left_out(definition: Definition, number: int, rng: random.Random) -> set[str]:
    """The inputs that a case does without: of those that may be left out each is, in one shape of three or oftener."""
    optional = [entry.name for entry in definition.differentiable if entry.default is not None]
    return {name for place, name in enumerate(optional) if (number + place) % 3 == 1 or rng.random() < 0.2}


def _case(definition: Definition, rows: int, features: int, rng: random.Random, draw: int, left_out: set[str]) -> Case:
    """Inputs and cotangents. The first draws have what breaks formulas: zeros, equal entries."""

    def number() -> float:
        if draw < 6:
            return rng.gauss(0.2, 1.0) if draw % 2 == 0 else rng.gauss(0, 0.4)
        return rng.uniform(0.25, 2.0) if draw < 10 else rng.uniform(0.3, 0.9)

    def array(kind: Kind, special: bool) -> Any:
        shape = ((rows,) if kind.over_rows else ()) + ((features,) if kind.over_features else ())
        values = np.array([number() for _ in range(int(np.prod(shape)))]).reshape(shape)
        if special and kind is Kind.ROW:
            return np.full_like(values, values.flat[0])
        return np.where(values < 0.2, 0.0, values) if special else values

    inputs: dict[str, Any] = {}
    for entry in definition.inputs:
        inputs[entry.name] = None if entry.name in left_out else _given(entry, rng, draw, array)
    cotangents: dict[str, Any] = {
        name: array(definition.output_kind(name), special=False) for name in definition.outputs
    }
    if len(cotangents) > 1 and rng.random() < 0.3:
        cotangents[rng.choice(sorted(cotangents))] = None
    return Case(f"draw {draw}", rows, features, inputs, cotangents)


def _given(entry: Input, rng: random.Random, draw: int, array: Any) -> Any:
    if entry.kind is Kind.CONSTANT:
        return float(entry.default) if entry.default is not None else 0.75
    return array(entry.kind, special=draw < 3 and rng.random() < 0.25)


# --- comparison ---------------------------------------------------------------------------------------------


def _compare(backend: str, made: Derived, layer: Checkable, case: Case, exact: oracle.Exact) -> None:
    """Raise _Failure for the first result that is not what it should be."""
    answer = run(layer, case)
    found = {**answer.outputs, **{f"d{name}": value for name, value in answer.gradients.items()}}
    wanted = {**exact.outputs, **{f"d{name}": value for name, value in exact.gradients.items()}}
    for name, value in found.items():
        if (value is None) != (name not in wanted):
            raise _failure(WRONG, backend, name, case, "an array and None are mixed up", value, wanted.get(name))
        if value is None:
            continue
        if value.shape != np.shape(wanted[name]):
            raise _failure(WRONG, backend, name, case, "the shape is wrong", value, wanted[name])
        error = _error(value, wanted[name])
        if error <= _AGREES:
            continue
        formula = _error(_by_formula(made, case)[name], wanted[name])
        if not formula <= _SAME_FORMULA:
            note = f"off by {error:.3g}; the derivation at 60 digits is off by {formula:.3g}"
            raise _failure(WRONG, f"{backend}, by formula", name, case, note, value, wanted[name])
        if not np.isfinite(value).all():
            raise _failure(NOT_FINITE, backend, name, case, "the formula is right", value, wanted[name])
        allowed, lost = _allowed(made, layer, case, name, wanted[name], backend)
        if not error <= max(allowed, _LOST_BY_ADJOINT * lost):
            note = f"off by {error:.3g}; bound {allowed:.3g}; the unsimplified adjoint loses {lost:.3g}"
            outcome = WRONG if error > 1e-3 else IMPRECISE
            raise _failure(outcome, f"{backend}, formula right", name, case, note, value, wanted[name])


def _error(value: Any, wanted: Any) -> float:
    """max|a - b| / max(1, max|b|); infinite where a is not finite."""
    with mpmath.workdps(oracle.DIGITS):
        left, right = np.broadcast_arrays(np.asarray(value, object), np.asarray(wanted, object))
        if not all(mpmath.isfinite(number) for number in left.flat):
            return float("inf")
        gap = max((abs(mpmath.mpf(a) - b) for a, b in zip(left.flat, right.flat, strict=True)), default=mpmath.mpf(0))
        return float(gap / max([mpmath.mpf(1), *(abs(b) for b in right.flat)]))


def _by_formula(made: Derived, case: Case) -> dict[str, Any]:
    """Outputs and gradients by the derivation's own formulas, at 60 digits."""
    derivation = made.plan.derivation
    definition = derivation.definition
    with mpmath.workdps(oracle.DIGITS):
        environment: dict[Any, Any] = {D: mpmath.mpf(case.features)}
        for entry, symbol in zip(derivation.forward.inputs, derivation.forward.symbols, strict=True):
            given = case.inputs.get(entry.name)
            value: Any = entry.default if given is None else given
            environment[symbol] = _lifted(value, entry.kind, case)
        for name, symbol in zip(definition.outputs, derivation.adjoint.cotangents, strict=True):
            given = case.cotangents.get(name)
            environment[symbol] = _lifted(0.0 if given is None else given, definition.output_kind(name), case)
        arithmetic = Arithmetic(oracle.DIGITS)
        values = evaluate_equations(derivation.forward.equations, environment, arithmetic)
        values = evaluate_equations(derivation.backward, values, arithmetic)
        kinds = {symbol.name: definition.output_kind(symbol.name) for symbol in derivation.forward.outputs}
        by_name = {symbol.name: values[symbol] for symbol in derivation.forward.outputs}
        for symbol, gradient in derivation.gradients:
            by_name[f"d{symbol.name}"] = values[gradient]
            kinds[f"d{symbol.name}"] = definition.input(symbol.name).kind
        return {name: _public(value, kinds[name], case) for name, value in by_name.items()}


def _lifted(value: Any, kind: Kind, case: Case) -> Any:
    lifted = np.frompyfunc(lambda number: mpmath.mpf(number.numerator) / number.denominator, 1, 1)(
        np.frompyfunc(_as_fraction, 1, 1)(np.asarray(value, object))
    )
    stored = _stored(kind, case)
    array = np.empty(stored, object)
    array[...] = lifted[:, None] if kind is Kind.ROW_SCALAR and np.ndim(lifted) else lifted
    return array if stored else array[()]


def _as_fraction(value: Any) -> Any:
    from fractions import Fraction

    return Fraction(value)


def _stored(kind: Kind, case: Case) -> tuple[int, ...]:
    if kind.over_rows:
        return (case.rows, case.features if kind.over_features else 1)
    return (case.features,) if kind.over_features else ()


def _public(value: Any, kind: Kind, case: Case) -> Any:
    full = np.empty(_stored(kind, case), object)
    full[...] = value
    return full[:, 0] if kind is Kind.ROW_SCALAR else full


def _allowed(made: Derived, layer: Checkable, case: Case, name: str, wanted: Any, backend: str) -> tuple[float, float]:
    """The derived error bound of a result, and what the unsimplified adjoint loses; in the metric of `_error`."""
    scale = max([1.0, *(abs(float(number)) for number in np.asarray(wanted, object).flat)])
    arithmetic = bounds.NUMPY if backend == "numpy" else bounds.CUDA
    try:
        bound = bounds.error_bounds(made.plan.forward, made.plan.backward, case, "float64", arithmetic)[name]
        allowed = float(np.max(bound)) / scale
    except LngenError:
        allowed = 0.0
    # An infinite bound says nothing; the other yardstick has to do.
    allowed = allowed if np.isfinite(allowed) else 0.0
    if not name.startswith("d") or layer.adjoint is None or name in made.definition.outputs:
        return allowed, 1e-12
    adjoint: Mapping[str, Any] = layer.adjoint(case.inputs, case.cotangents)
    lost = _error(adjoint[name.removeprefix("d")], wanted)
    return allowed, lost if np.isfinite(lost) else 0.0


def _failure(outcome: str, backend: str, name: str, case: Case, note: str, value: Any, wanted: Any) -> _Failure:
    what = "gradient" if name.startswith("d") else "output"

    def shown(numbers: Any) -> str:
        if numbers is None:
            return "None"
        return repr(np.frompyfunc(lambda number: mpmath.nstr(number, 17), 1, 1)(np.asarray(numbers, object)).tolist())

    lines = [
        f"{backend}: {name}: {note}",
        f"rows {case.rows}, D {case.features}, {case.name}",
        *(f"{key} = {None if given is None else np.asarray(given).tolist()}" for key, given in case.inputs.items()),
        *(
            f"d{key} = {None if given is None else np.asarray(given).tolist()}"
            for key, given in case.cotangents.items()
        ),
        f"expected {shown(wanted)}",
        f"found    {shown(value)}",
    ]
    return _Failure(outcome, f"{backend}: {what}", "\n".join(lines))


# --- what tells failures apart ------------------------------------------------------------------------------


def _place(error: BaseException) -> str:
    """The innermost function of lngen, or of emitted code, that the exception came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/lngen/" in frame.filename or frame.filename.startswith("<")]
    last = (ours or list(frames))[-1]
    return f"{Path(last.filename).name}:{last.name}"


def _pattern(error: LngenError, definition: Definition | None) -> str:
    """The message without what differs from definition to definition: names, formulas, numbers."""
    message = getattr(error, "message", None) or str(error).split("\n")[0]
    names = set() if definition is None else {entry.name for entry in (*definition.inputs, *definition.statements)}
    words = ["…" if word.strip(",.;:'") in names or re.search(r"[\d()*/]", word) else word for word in message.split()]
    return re.sub(r"…( (\S )?…)*", "…", " ".join(words))[:120]
