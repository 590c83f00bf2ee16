"""The refusals of the language, each with an example, the definition its remedy leads to, and the value asked for.

The sentences themselves stand in `lngen/language/parsing/refusals.py`. `docs/make_errors.py` makes `docs/errors.md` of
these examples, and `tests/language/test_remedies.py` follows each remedy.
"""

from docs.refusals.formulas import CASTS, DERIVATION, EXPRESSIONS, MODULES, NUMBERS, RANDOM
from docs.refusals.habits import ELEMENTWISE, REDUCTIONS
from docs.refusals.texts import BODY, FILE, SIGNATURE

SECTIONS = (
    FILE,
    SIGNATURE,
    BODY,
    EXPRESSIONS,
    ELEMENTWISE,
    REDUCTIONS,
    CASTS,
    RANDOM,
    NUMBERS,
    MODULES,
    DERIVATION,
)
