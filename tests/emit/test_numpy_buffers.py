"""Memory of results: helpers that still read their operands after they begin to write."""

import numpy as np
import pytest

from lngen.emit.numpy.buffers import READ_LATE
from lngen.emit.numpy.expressions import UFUNCS
from lngen.emit.numpy.graph import FILLS
from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import derived

ROWS, FEATURES = 6, 33
EVERY_HELPER = """
def every_helper(x: Row, z: Row):
    c = x - mean(x)
    n = c*rsqrt(mean(c**2) + 1)
    return where(z > 0, sigmoid(n), erf(z))*max(x)*softplus(z)
"""


@pytest.fixture(scope="module")
def module():
    return module_from_files(derived(parse(EVERY_HELPER), proved=False).files, "h")


def test_every_operation_of_more_than_one_ufunc_says_what_it_reads_late():
    helpers = {name for name, spelled in UFUNCS.items() if spelled.startswith("_")}
    assert helpers <= READ_LATE.keys()


def calls(module):
    """Yield the call and the operands of each helper that takes out=."""
    rng = np.random.default_rng(2)
    row, other = rng.standard_normal((2, ROWS, FEATURES))
    yield "sigmoid", module._kernels._functions.sigmoid, [other]
    yield "softplus", module._kernels._functions.softplus, [other]
    yield "erf", module._kernels._functions.erf, [other]
    yield "where", module._directions.rows.select, [other > 0, row, other]
    yield "attains_first", module._directions.rows.attains_first, [row, row.max(-1, keepdims=True)]


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
