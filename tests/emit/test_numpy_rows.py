"""Treatment of whole rows in NumPy code: skipped work, and independence of rows."""

import importlib

import numpy as np
import pytest

import lngen
from lngen.language.parsing import load
from lngen.language.syntax import Kind
from lngen.plan.program import FAR
from tests.derivatives import run, source
from tests.hosts import rows_of
from tests.shipped import NAMES, ROOT
from tests.tiers import LAYERS, sample

SEED = 5
RNG = np.random.default_rng(SEED)
WAYS = pytest.mark.parametrize("few", [2**30, 0], ids=["fast path", "in blocks"])
"""Up to how many bytes rows take the fast path."""


def _backend(name):
    return importlib.import_module(f"{lngen.load(name).__name__}.numpy_backend")


@pytest.fixture(autouse=True)
def _drawn_anew(monkeypatch):
    """Give each test the same numbers, whichever tests ran before it."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(SEED))


@pytest.fixture(scope="module")
def near_and_far():
    """Rows around zero, rows far from it in either direction, and rows of one number."""
    offsets = np.concatenate([np.zeros(30), np.full(20, 50.0), np.full(20, -1e4)])
    rows = RNG.standard_normal((70, 300)) + offsets[:, None]
    return np.concatenate([rows, np.full((10, 300), 3.7)]).astype(np.float32)


@pytest.mark.parametrize("name", ["layer_norm", "standardize"])
def test_what_rounding_leaves_of_a_mean_is_taken_off_where_it_may_matter(name, near_and_far):
    x = near_and_far
    _, saved = lngen.load(name).forward(x)
    exact = x.astype(np.float64)
    far = np.abs(exact.mean(-1)) > FAR * exact.std(-1)
    assert np.array_equal(saved.mu_residual[~far], np.zeros(30))
    assert 30 < np.count_nonzero(far) <= 50
    left = (exact - saved.mu[:, None]).mean(-1)
    assert np.abs(saved.mu_residual - left)[far].max() < 1e-3 * np.abs(left[far]).max()


@WAYS
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 3.0])
@pytest.mark.parametrize("features", [4096, 65536, 70001])
def test_a_mean_is_as_good_as_a_pairwise_one(features, offset, dtype, few, monkeypatch):
    monkeypatch.setattr(rows_of(_backend("layer_norm")), "FAST_PATH_BYTES", few)
    x = (np.random.default_rng(7).standard_normal((48, features)) + offset).astype(dtype)
    exact = x.astype(np.longdouble).mean(-1)

    def error(means):
        return np.sqrt(np.square(means - exact).mean())

    found = lngen.load("layer_norm").forward(x)[1].mu
    pairwise = error(np.add.reduce(x, axis=-1) / dtype(features))
    # 1/D, by which the entries are weighted, is off by half a unit, and so is every mean; where D is a power of 2, not.
    weights = 0 if features & (features - 1) == 0 else offset * np.finfo(dtype).eps / 2
    assert error(found) <= 2 * pairwise + weights


def _inputs(entries, shape, dtype):
    shapes = {Kind.ROW: shape, Kind.ROW_SCALAR: shape[:-1], Kind.FEATURE: shape[-1:], Kind.SCALAR: ()}
    return {entry.name: np.asarray(RNG.standard_normal(shapes[entry.kind]), dtype) for entry in entries}


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        (np.float32, (5, 33)),
        (np.float64, (33,)),
        (np.float32, (4, 1)),
        (np.float64, (2, 1, 9)),
        (np.float32, (3, 2500)),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", sample(sorted(LAYERS & {*NAMES}), ["layer_norm", "softmax"]))
def test_a_few_rows_have_the_bits_that_they_have_in_blocks(name, dtype, shape, monkeypatch):
    backend = _backend(name)
    definition = load(ROOT / "derive" / f"{name}.py")
    if shape[-1] == 1 and definition.minimum_features > 1:
        shape = (*shape[:-1], 2)
    entries = definition.differentiable
    optional = [entry.name for entry in entries if entry.default is not None]
    turns = [(left_out, infinite) for left_out in ([], optional) for infinite in (False, True)]
    for left_out, infinite in turns:
        given = {key: value for key, value in _inputs(entries, shape, dtype).items() if key not in left_out}
        if infinite:
            next(iter(given.values())).flat[0] = np.inf
        found = []
        for few in (2**30, 0):
            monkeypatch.setattr(rows_of(backend), "FAST_PATH_BYTES", few)
            with np.errstate(all="ignore"):
                outputs, saved = backend.forward(**given)
                cotangents = list(outputs) if isinstance(outputs, tuple) else [outputs]
                found.append((cotangents, backend.backward(saved, *cotangents)))
        (outputs, gradients), (in_blocks, others) = found
        assert [gradient is None for gradient in gradients] == [entry.name in left_out for entry in entries]
        for one, other in zip([*outputs, *gradients], [*in_blocks, *others], strict=True):
            if one is None:
                assert other is None
                continue
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            np.testing.assert_array_equal(one, other)
            numbers = ~np.isnan(one)
            assert np.array_equal(np.signbit(one)[numbers], np.signbit(other)[numbers])


@WAYS
@pytest.mark.parametrize("name", sorted(LAYERS & {*NAMES}))
def test_results_go_back_in_as_out(name, few, monkeypatch):
    """A loop hands in what the last turn returned."""
    backend = _backend(name)
    monkeypatch.setattr(rows_of(backend), "FAST_PATH_BYTES", few)
    entries = load(ROOT / "derive" / f"{name}.py").differentiable
    given = list(_inputs(entries, (5, 33), np.float64).values())
    outputs, saved = backend.forward(*given)
    cotangents = outputs if isinstance(outputs, tuple) else (outputs,)
    dys = tuple(RNG.standard_normal(output.shape) for output in cotangents)
    for function, arguments in (
        (backend.forward, given),
        (backend.backward, (saved, *dys)),
        (backend.jvp, (saved, *given)),
        (backend.backward_backward, (saved, dys, *given)),
    ):
        found = function(*arguments)
        first = found[0] if function is backend.forward else found
        wanted = [array.copy() for array in first] if isinstance(first, tuple) else [first.copy()]
        for array in first if isinstance(first, tuple) else (first,):
            array.fill(np.nan)
        again = function(*arguments, out=first)
        second = again[0] if function is backend.forward else again
        if not isinstance(first, tuple):
            first, second = (first,), (second,)
        assert all(one is other for one, other in zip(first, second, strict=True))
        assert all(np.array_equal(one, other) for one, other in zip(second, wanted, strict=True))


def test_nothing_is_written_if_one_array_will_not_do(monkeypatch):
    for few in (2**30, 0):
        backend = _backend("layer_norm")
        monkeypatch.setattr(rows_of(backend), "FAST_PATH_BYTES", few)
        x, gamma = RNG.standard_normal((3, 8)), np.ones(8)
        y, saved = backend.forward(x, gamma)
        place = np.full_like(x, 7)
        with pytest.raises(ValueError, match=r"out for dgamma has shape \(5,\)"):
            backend.backward(saved, y, out=(place, np.empty(5), None))
        assert np.all(place == 7)


@pytest.mark.parametrize("name", sorted(LAYERS & {*NAMES}))
def test_what_is_written_over_is_of_the_call_s_own_making(name):
    """Arguments, results and saved values are never scratch: the same call has the same results."""
    module = lngen.load(name)
    given = _inputs(load(ROOT / "derive" / f"{name}.py").differentiable, (5, 33), np.float64)
    for array in given.values():
        array.flags.writeable = False
    outputs, saved = module.forward(**given)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    cotangents = [output.copy() for output in outputs]
    kept = [value.copy() for value in saved if isinstance(value, np.ndarray)]
    for array in cotangents:
        array.flags.writeable = False
    first, again = (module.backward(saved, *cotangents) for _ in range(2))
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
    assert all(map(np.array_equal, (value for value in saved if isinstance(value, np.ndarray)), kept))
    assert all(map(np.array_equal, outputs, cotangents))


@pytest.mark.ci
@WAYS
def test_a_row_that_is_left_out_may_leave_a_number_a_row(few):
    """`beta*scale` is then as narrow as the scale: no parameter that is repeated for several rows fits it."""
    text = """
def layer(x: Row, gamma: Feature, beta: Row = 1):
    return gamma * (beta * rsqrt(sum(beta**2))) - x
"""
    module = run(source(text))
    rows_of(module).FAST_PATH_BYTES = few
    x, gamma = RNG.standard_normal((70, 9)), RNG.standard_normal(9)
    y, saved = module.forward(x, gamma)
    np.testing.assert_allclose(y, gamma / 3 - x, rtol=1e-14, atol=1e-14)
    found = module.backward(saved, x)
    assert np.array_equal(found.dx, -x)
    np.testing.assert_allclose(found.dgamma, x.sum(0) / 3, rtol=1e-13, atol=1e-14)
    assert found.dbeta is None


@pytest.mark.ci
@WAYS
def test_a_row_of_equal_entries_is_written_out_and_read_on_as_one_number(few):
    text = """
def layer(x: Row):
    level = sum(x) + 1 - x + x
    y = mean(level) * mean(x / (max(x)**2 + 1))
    return level, y
"""
    module = run(source(text))
    rows_of(module).FAST_PATH_BYTES = few
    x = RNG.standard_normal((70, 9))
    (level, y), _ = module.forward(x)
    wanted = x.sum(-1, keepdims=True) + 1
    # A dozen roundings of no more than the sum of magnitudes, whatever of it cancels.
    off = 12 * np.finfo(np.float64).eps * (np.abs(x).sum(-1).max() + 1)
    np.testing.assert_allclose(level, np.broadcast_to(wanted, x.shape), rtol=0, atol=off)
    factor = (x / (x.max(-1, keepdims=True) ** 2 + 1)).mean(-1)  # below 1/2
    np.testing.assert_allclose(y, wanted[:, 0] * factor, rtol=1e-12, atol=off)


@pytest.mark.ci
def test_a_select_of_two_numbers_is_of_the_compute_type():
    """NumPy makes a double of two Python numbers, and a row alone would be computed in double."""
    text = """
def layer(x: Row, c: Constant = 2):
    return x * (sum(x) * where(c > 1, 0.5, 0.25) / (sum(x * x) + 3))
"""
    module = run(source(text))
    rows_of(module).FAST_PATH_BYTES = 0
    x = RNG.standard_normal((70, 9)).astype(np.float32)
    together, _ = module.forward(x)
    rows_of(module).FAST_PATH_BYTES = 2**30
    alone = np.stack([module.forward(row)[0] for row in x])
    assert np.array_equal(together, alone)


@pytest.mark.ci
@WAYS
def test_weights_are_a_row_where_an_input_is_left_out(few):
    text = """
def layer(x: Row, z: Row, c: Scalar, a: Feature = 0):
    return x * sum(x * z * softplus(maximum(c, a)))
"""
    module = run(source(text))
    rows_of(module).FAST_PATH_BYTES = few
    x, z = RNG.standard_normal((70, 9)), RNG.standard_normal((70, 9))
    terms = x * z * np.log1p(np.exp(0.5))
    found, wanted = module.forward(x, z, 0.5)[0], x * terms.sum(-1, keepdims=True)
    # The sum may be near zero. Each side rounds a term 4 times, a sum of 9 terms 8 times, and the product once: 13
    # halves of a step, of the magnitude of the terms.
    bound = 16 * np.finfo(np.float64).eps * np.abs(x) * np.abs(terms).sum(-1, keepdims=True)
    assert (np.abs(found - wanted) <= bound).all()
