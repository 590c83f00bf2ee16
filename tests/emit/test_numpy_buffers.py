"""Memory of results: helpers that still read their operands after they begin to write."""

import numpy as np
import pytest

from lngen.emit.numpy.buffers import READ_LATE
from lngen.emit.numpy.graph import FILLS
from lngen.emit.numpy.reads import UFUNCS
from lngen.language.oracle.evaluate import evaluate
from lngen.language.parsing import parse
from tests import derivatives

ROWS, FEATURES = 6, 33
EVERY_HELPER = """
def every_helper(x: Row, z: Row):
    c = x - mean(x)
    n = c*rsqrt(mean(c**2) + 1)
    return where(z > 0, sigmoid(n), erf(z))*max(x)*softplus(z)
"""


@pytest.fixture(scope="module")
def module():
    return derivatives.module(EVERY_HELPER)


def test_every_operation_of_more_than_one_ufunc_says_what_it_reads_late():
    helpers = {name for name, spelled in UFUNCS.items() if spelled.startswith("_")}
    assert helpers <= READ_LATE.keys()


def calls(module):
    """Yield the call and the operands of each helper that takes out=."""
    rng = np.random.default_rng(2)
    row, other = rng.standard_normal((2, ROWS, FEATURES))
    yield "sigmoid", module._functions.sigmoid, [other]
    yield "softplus", module._functions.softplus, [other]
    yield "erf", module._functions.erf, [other]
    yield "where", module._blocks._rows.select, [other > 0, row, other]
    yield "attains_first", module._blocks._rows.attains_first, [row, row.max(-1, keepdims=True)]


@pytest.mark.ci
@pytest.mark.parametrize("operation", [name for name in READ_LATE if name not in FILLS])
def test_a_result_may_have_the_memory_of_what_is_not_read_late(module, operation):
    (function, operands), *_ = [(f, o) for name, f, o in calls(module) if name == operation]
    copies = [operand.copy() for operand in operands]
    shape = np.broadcast_shapes(*(o.shape for o in operands))
    expected = function(*copies, out=np.empty(shape)).copy()
    for place, operand in enumerate(operands):
        if place in READ_LATE[operation] or operand.shape != shape or operand.dtype == bool:
            continue
        copies = [operand.copy() for operand in operands]
        assert np.array_equal(function(*copies, out=copies[place]), expected)


@pytest.mark.ci
@pytest.mark.parametrize(
    "y",
    [
        "(where(m > 0, m*t, 1) - t)*sum(x**2) - where(m > 0, t, m)*m",
        "t - (where(m > 0, m*t, 0) - m)*t - (where(m > 0, t, m)*m - t)*m",
    ],
)
def test_what_a_nested_operation_reads_is_kept_until_its_line(y):
    """The first select is read in the last line, by an operation that the schedule has before the second select."""
    text = f"def f(x: Row, t: Scalar):\n    m = mean(x)\n    y = {y}\n    return y"
    given = {"x": np.random.default_rng(0).standard_normal((ROWS, FEATURES)), "t": 1.3}
    found, _ = derivatives.module(text).forward(**given)
    np.testing.assert_allclose(found, evaluate(parse(text), given)["y"], rtol=1e-13)
