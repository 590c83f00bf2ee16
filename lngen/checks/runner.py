"""All checks of one emitted layer, in the order of their strength, as one report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np

from lngen.checks import thresholds
from lngen.checks.apart import Tell
from lngen.checks.checker import Checker, References
from lngen.checks.contracts import check_contracts
from lngen.checks.evidence import KINDS, Evidence, Report
from lngen.checks.hard_inputs import hard_inputs
from lngen.checks.layer import Checkable
from lngen.checks.memory import check_memory
from lngen.checks.numbers import DTYPES
from lngen.checks.thresholds import ThresholdSide

QUICK_SHAPES = tuple(product((1, 2, 5), (1, 2, 3, 7, 33, 128)))
"""(rows, D) of a check that takes a second or two."""

FULL_SHAPES = tuple(product((1, 2, 37), (1, 2, 3, 7, 31, 32, 33, 127, 128, 1000, 1025)))
"""(rows, D) around everything that vectors, warps and blocks can trip over."""


def check(
    layer: Checkable,
    shapes: Iterable[tuple[int, int]] | None = None,
    dtypes: Sequence[str] = DTYPES,
    backend_name: str = "numpy",
    seed: int = 0,
    kinds: Sequence[str] = KINDS,
    references: References | None = None,
    thorough: bool = False,
    sides: Iterable[ThresholdSide] = (),
    tell: Tell = lambda what: None,
    word: str = "",
) -> Report:
    """Check an emitted layer against its definition.

    `shapes` are (rows, D), by default `QUICK_SHAPES`; shapes with too few features for the definition are left out, and
    those without rows, which a contract is about.
    `dtypes` are the storage types of the precision checks. `kinds` selects evidence. `references` keep results that do
    not depend on the emitted code, for several modules of one definition. `sides` are those of the thresholds of its
    code. `tell` gets a text about the next check. `word` is what the command line calls the layer, its name by default.
    An exception of the emitted code is a failure in the report, and is not raised here.
    """
    wanted = [
        (rows, features)
        for rows, features in (QUICK_SHAPES if shapes is None else shapes)
        if rows and features >= layer.definition.minimum_features
    ]
    with np.errstate(all="ignore"):
        return _check(
            Checker(
                layer, tuple(dtypes), backend_name, seed, {} if references is None else references, thorough, tell, word
            ),
            wanted,
            kinds,
            sides,
        )


def _check(
    checker: Checker, wanted: Sequence[tuple[int, int]], kinds: Sequence[str], sides: Iterable[ThresholdSide]
) -> Report:
    layer = checker.layer
    parts: dict[str, list[Evidence]] = {kind: [] for kind in KINDS}
    for proof in layer.proofs:
        parts[proof.kind].append(proof)
    for shape in wanted:
        for evidence in checker.shape(shape, kinds):
            parts[evidence.kind].append(evidence)
    if thresholds.KIND in kinds:
        parts[thresholds.KIND] += thresholds.at_thresholds(checker, sides)
    if "contracts" in kinds:
        parts["contracts"] += check_contracts(
            layer,
            checker.seed,
            checker.dtypes,
            checker.bounds_as_stored,
            checker.tell,
        )
    if "checker" in kinds and checker.backend == "cuda":
        parts["checker"] += check_memory(layer, checker.seed, checker.dtypes, checker.tell)
    if "hard inputs" in kinds:
        for dtype in checker.dtypes:
            parts["hard inputs"] += hard_inputs(checker, dtype)
    # Code that raises is reported under the first kind that would have run it, whatever was asked for.
    ordered = tuple(evidence for kind in KINDS for evidence in parts[kind] if kind in kinds or not evidence.passed)
    return Report(layer.definition.name, checker.backend, checker.seed, ordered)
