"""Emitted code with the digits of a float type and the exponents of long double."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tests.fuzz.wide import WIDE, with_digits


def test_functions_and_reductions_round_to_the_digits_of_a_type() -> None:
    module: Any = with_digits(_computing_by_numpy(), np.float32)
    terms = np.array([1, 2**-30], WIDE)
    assert module.np.add.reduce(terms) == module.np.add(*terms) == 1
    assert module.np.multiply(terms[1], WIDE(2) ** -300) == WIDE(2) ** -330


def _computing_by_numpy() -> ModuleType:
    module: Any = ModuleType("emitted")
    module.np = np
    return module  # type: ignore[no-any-return]
