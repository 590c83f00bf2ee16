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


FAR_FROM_ZERO = {
    "an output that is the centred row": "y = w*c*rsqrt(mean(c**2) + 0.01); return y, c",
    "no mean that is kept": "return w*c*tanh(mean(c**2))",
    "two means": "z = tanh(w*c); n = z - mean(z); y = n*rsqrt(mean(n**2) + 0.01); return y, c",
}


@pytest.mark.parametrize("name", FAR_FROM_ZERO)
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_a_row_in_blocks_has_the_bits_that_it_has_alone(name, offset):
    """Above the size of the fast path, with the mean in scratch that others use too."""
    definition = parse(f"def f(x: Row, w: Feature = 0):\n    c = x - mean(x); {FAR_FROM_ZERO[name]}")
    module = module_from_files(derived(definition, proved=False).files, "f")
    x = (np.random.default_rng(1).standard_normal((600, 256)) + offset).astype(np.float32)
    weight = np.linspace(0.5, 2, 256, dtype=np.float32)
    assert x.nbytes > module._directions.rows.FAST_PATH_BYTES
    batch, _ = module.forward(x, weight)
    for number in range(0, len(x), 97):
        alone, _ = module.forward(x[number], weight)
        assert np.array_equal(alone, batch[number] if isinstance(batch, np.ndarray) else [y[number] for y in batch])
