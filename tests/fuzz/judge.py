"""One definition through everything: right, refused with a reason, or a failure with what is needed to see it.

The emitted code is held against three things, none of which shares anything with derivation and emission: what is exact
at small points (`exactly`, `oracle`), plain differentiation in the same float type at the ends of the domain
(`beside`), and each row alone beside a batch of many (`batch`).
"""

from __future__ import annotations

import random
import re
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import process_time
from types import ModuleType

import numpy as np

from lngen.checks.derived import checkable
from lngen.checks.named_axes import named_axes
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import Derived, EvidenceError, derived
from tests.fuzz import oracle
from tests.fuzz.answers import GRADIENT, OUTPUT, Point, Results, answers, rows_of
from tests.fuzz.batch import judge_batches
from tests.fuzz.beside import Beside
from tests.fuzz.exactly import compare
from tests.fuzz.failure import (
    BLAMED,
    BY_NAME,
    FAILURES,
    HANG,
    NO_POINT,
    RANGE,
    REFUSED,
    RIGHT,
    TRACEBACK,
    UNPROVED,
    WRONG,
    Failure,
)
from tests.fuzz.limits import OutOfTime, cpu_seconds
from tests.fuzz.names import plainly_named
from tests.fuzz.points import ENDS, ends, left_out, small
from tests.fuzz.wide import WIDE, with_digits

SECONDS = 30.0
SHAPES = ((2, 1), (1, 2), (2, 3), (1, 5))
"""(rows, D) of small points; a D below the smallest that the definition has is raised to it."""

_DRAWS = 12

# What a definition cannot be the cause of: a formula that a backend has no words for, a template that is wrong.
_OWN_FAULTS = ("fault of lngen", "template ", "backend cannot write", "no backend can write")


@dataclass(frozen=True)
class Verdict:
    """Verdict on a definition.

    `key` tells failures of one kind apart; `points` counts the shapes compared.
    """

    outcome: str
    key: str = ""
    detail: str = ""
    seconds: float = 0.0
    derive_seconds: float = 0.0
    points: int = 0

    @property
    def failed(self) -> bool:
        """Test whether lngen is at fault."""
        return self.outcome in FAILURES

    @property
    def title(self) -> str:
        """The outcome and the key on one line."""
        return " ".join(f"{self.outcome}: {self.key}".split())

    def same_as(self, other: Verdict) -> bool:
        """Test whether both are one failure, as far as visible from outside."""
        return self.title == other.title


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
    beyond: Failure | None = None

    def result(self) -> tuple[str, str, str]:
        try:
            self._go()
        except Failure as failure:
            return failure.found
        except EvidenceError as error:
            return UNPROVED, "", str(error)
        except LngenError as error:
            outcome = BLAMED if any(sign in str(error) for sign in _OWN_FAULTS) else REFUSED
            if outcome == REFUSED and self._goes_under_other_names():
                outcome = BY_NAME
            return outcome, f"{self.stage}: {_pattern(error, self.definition)}", str(error)
        except Exception as error:
            compiler = re.search(r"error: (.*)", str(error))
            where = compiler[1] if compiler else f"{type(error).__name__} in {_place(error)}"
            return TRACEBACK, f"{self.stage}: {where}", traceback.format_exc()
        if not self.points:
            return NO_POINT, "", "; ".join(sorted(set(self.unfit)))
        if self.beyond:
            return RANGE, *self.beyond.found[1:]
        return RIGHT, "", ""

    def _goes_under_other_names(self) -> bool:
        """Test whether a refused definition is accepted with plain names: the generator gives no refused name."""
        try:
            derived(parse(plainly_named(self.text)), proved=self.proved)
        except (LngenError, EvidenceError):
            return False
        return True

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
        self.beside = Beside.of(self.text, definition)
        files = made.files
        module = module_from_files(files, "layer")
        self._look_at_axes(definition, module)
        ways = {"at once": checkable(made.plan, module)}
        ways["in blocks"] = checkable(made.plan, module_from_files(files, "layer"))
        rows_of(ways["in blocks"]).FAST_PATH_BYTES = 0
        exact_points = []
        for point, exact in self._small_points(definition):
            exact_points.append((point, exact))
            for way, layer in ways.items():
                self.stage = f"run numpy, rows {way}"
                found = answers(layer, point)
                compare("numpy", made, layer, point, found, exact)
                self.beside.judge(found, point, np.float64, "numpy, float64 beside plain", exact)
        self.points = len(exact_points)
        self.stage = "run numpy, ends of the domain"
        for dtype in ENDS:
            for number, point in enumerate(ends(definition, dtype, str(self.seed))):
                found = answers(list(ways.values())[number % 2], point)
                key = f"numpy, {np.dtype(dtype).name} beside plain"
                self.points += self._judged(made, found, point, dtype, key) > 0
        self.stage = "run numpy, batches"
        self.points += judge_batches(self.beside, partial(self._judged, made), *ways.values(), str(self.seed)) > 0
        if self.cuda and exact_points:
            self.stage = "run cuda"
            self._run_cuda(made, exact_points)

    def _judged(self, made: Derived, found: Results, point: Point, dtype: type, key: str, **only: bool) -> int:
        """Return how much was compared; what is right with wider exponents is beyond the range of the type."""
        try:
            return self.beside.judge(found, point, dtype, key, **only)
        except Failure as failure:
            wide = checkable(made.plan, with_digits(module_from_files(made.files, "layer"), dtype))
            try:
                self.beside.judge(answers(wide, point.astype(WIDE)), point, dtype, key, **only)
            except Failure:
                raise failure from None
            self.beyond = self.beyond or failure
            return 1

    def _look_at_axes(self, definition: Definition, module: ModuleType) -> None:
        self.stage = "named axes"
        for evidence in named_axes(definition, module, self.seed):
            if not evidence.passed:
                raise Failure(WRONG, f"named axes: {evidence.what}", evidence.detail)

    def _small_points(self, definition: Definition) -> Iterator[tuple[Point, Results]]:
        """A point for each shape at which some point is fit, with what is exact there."""
        smallest = definition.minimum_features
        for number, (rows, features) in enumerate(sorted({(n, max(d, smallest)) for n, d in SHAPES})):
            self.stage = "oracle"
            for draw in range(_DRAWS):
                rng = random.Random(f"{self.seed} {number} {draw}")
                point = small(definition, rows, features, rng, draw, left_out(definition, number, rng))
                try:
                    yield point, oracle.exact(definition, point)
                    break
                except oracle.Unfit as reason:
                    self.unfit.append(str(reason))

    def _run_cuda(self, made: Derived, points: list[tuple[Point, Results]]) -> None:
        from lngen.checks.on_device import OnDevice, device

        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            stack.enter_context(device())
            module = _package(made, folder)
            layer = checkable(made.plan, OnDevice(module))
            # A D is a compilation of its own, and one says what there is to say: two rows of a size that no vector has.
            point, exact = max(points, key=lambda pair: pair[0].case.rows * pair[0].case.features)
            first_order = {result: value for result, value in exact.items() if result[0] in (OUTPUT, GRADIENT)}
            compare("cuda", made, layer, point, answers(layer, point, first_order=True), first_order)


def _package(made: Derived, folder: Path) -> ModuleType:
    """The emitted `cuda_backend`, from a folder."""
    import importlib

    from lngen.pipeline.files import loading, manifest

    manifest.write(made.emission, folder)
    package = loading.load(folder / made.definition.name)
    return importlib.import_module(f"{package.__name__}.cuda_backend")


# --- what tells failures apart ------------------------------------------------------------------------------


def _place(error: BaseException) -> str:
    """The innermost function of lngen, or of emitted code, that the exception came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/lngen/" in frame.filename or frame.filename.startswith("<")]
    last = (ours or list(frames))[-1]
    return f"{Path(last.filename).name}:{last.name}"


def _pattern(error: LngenError, definition: Definition | None) -> str:
    """The message without what differs from definition to definition: names, formulas, numbers."""
    message = re.sub("'[^']*'", "…", getattr(error, "message", None) or str(error).split("\n")[0])
    names = set() if definition is None else {entry.name for entry in (*definition.inputs, *definition.statements)}
    words = ["…" if word.strip(",.;:'") in names or re.search(r"[\d()*/]", word) else word for word in message.split()]
    return re.sub(r"…( (\S )?…)*", "…", " ".join(words))[:120]
