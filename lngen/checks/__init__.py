"""Gradient checking of emitted code.

Takes: emitted code and its `Definition`.
Gives: a `Report`: evidence with errors and bounds, against the oracle alone.
Knows nothing of: the derivation of what it checks.

The oracle is the evaluator (`lngen.language.oracle.evaluate`) alone: it walks the definition and shares nothing with
the derivation. Against it stand complex step, differences at 80 digits, error bounds derived from the row program,
and the contracts of the interface.
"""

from lngen.checks.evidence import KINDS, Evidence, Report
from lngen.checks.layer import Checkable
from lngen.checks.numbers import DTYPES
from lngen.checks.runner import FULL_SHAPES, QUICK_SHAPES, check

__all__ = ["DTYPES", "FULL_SHAPES", "KINDS", "QUICK_SHAPES", "Checkable", "Evidence", "Report", "check"]
