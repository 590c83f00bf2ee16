"""The remedy for a power whose exponent is no number: right where the base is zero, in value and in gradient."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lngen.errors import DefinitionError
from lngen.language.parsing import instead, parse
from tests import derivatives


def power(base: str, exponent: str) -> str:
    """The remedy as it is printed, with a base and an exponent put in."""
    names = {"a": base, "b": exponent}
    return re.sub(r"\b[ab]\b", lambda found: names[found[0]], instead.POWER_OF)


FOCAL = """
def focal(x: Row, t: Data{g}):
    p = exp(x)/sum(exp(x))
    q = 1 - sum(t*p)
    y = {power}
    return y
"""


def test_the_remedy_is_what_a_refused_power_names() -> None:
    with pytest.raises(DefinitionError, match="exponent is not a rational number") as refused:
        parse("def f(x: Row, b: Constant = 2): return x**b")
    assert instead.POWER_OF in str(refused.value)


@pytest.mark.parametrize("exponent", [1.5, 2.0, 3.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_remedy_is_the_power_also_at_zero(exponent: float, dtype: type) -> None:
    module = derivatives.module(f"def f(x: Row, b: Constant = 2): return {power('x', 'b')}\n")
    x = np.array([[0.0, 1e-8, 0.5, 3.0]], dtype)
    y, saved = module.forward(x, b=exponent)
    np.testing.assert_allclose(y, x.astype(float) ** exponent, rtol=5e-5 if dtype is np.float32 else 1e-13)
    dx = module.backward(saved, np.ones_like(x)).dx
    wanted = exponent * x.astype(float) ** (exponent - 1)
    np.testing.assert_allclose(dx, wanted, rtol=5e-5 if dtype is np.float32 else 1e-13)


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_focal_loss_has_a_gradient_where_one_class_is_certain(dtype: type) -> None:
    """The probability of the others is 0 in floats, and a logarithm of it would be no number."""
    module = derivatives.module(FOCAL.format(power=power("q", "g"), g=", g: Constant = 2"))
    x, t = np.array([[2000, 0, 0], [1, 2, 0.5]], dtype), np.array([[1, 0, 0], [0, 1, 0]], dtype)
    y, saved = module.forward(x, t)
    dx = module.backward(saved, np.ones(2, dtype)).dx
    assert np.isfinite(y).all()
    assert np.isfinite(dx).all()
    squared = derivatives.module(FOCAL.format(power="q**2", g=""))
    wanted, saved = squared.forward(x, t)
    tolerance = {"rtol": 1e-5 if dtype is np.float32 else 1e-12, "atol": 1e-30}
    np.testing.assert_allclose(y, wanted, **tolerance)
    np.testing.assert_allclose(dx, squared.backward(saved, np.ones(2, dtype)).dx, **tolerance)


def test_the_plain_form_has_no_gradient_at_zero() -> None:
    module = derivatives.module("def f(x: Row, b: Constant = 2): return exp(b*log(x))\n")
    x = np.array([[0.0, 1.0]])
    with np.errstate(all="ignore"):
        _, saved = module.forward(x)
        assert not np.isfinite(module.backward(saved, np.ones_like(x)).dx).all()
