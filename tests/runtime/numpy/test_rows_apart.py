"""Rows apart on several processes, and sums of gradients: what processes give is what one gives."""

import importlib

import numpy as np
import pytest

from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived
from lngen.runtime.sharded.collectives import GATHERED_BYTES
from tests import corpus
from tests.processes import in_processes
from tests.requirements import gxx, needs_mpi, needs_torch

FEATURES = 33
BACKENDS = ("numpy", "cpu") if gxx() else ("numpy",)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of an emitted layer."""
    folder = tmp_path_factory.mktemp("rows")
    manifest.write(derived(corpus.definition("layer_norm"), proved=False).emission, folder)
    return folder / "layer_norm"


class Alone:
    """Results of one process with all rows, in the form of `sharded_worker.of_rows`."""

    def __init__(self, package, rows, dtype=np.float32):
        rng = np.random.default_rng(0)
        self.x, self.dy = (rng.standard_normal((rows, FEATURES)).astype(dtype) for _ in range(2))
        self.parameters = {name: rng.standard_normal(FEATURES).astype(dtype) for name in ("gamma", "beta")}
        self.rows, self.sums, self.bounds = [], [], []
        xhat = ((self.x - self.x.mean(-1, keepdims=True)) / self.x.std(-1, keepdims=True)).astype(np.float64)
        for backend in BACKENDS:
            norm = loaded(package).LayerNorm(FEATURES, dtype=dtype, backend=backend)
            norm.parameters.update(self.parameters)
            self.rows += [norm(self.x), norm.backward(self.dy)]
            self.sums += norm.gradients.values()
            # In any order a sum of n products is off by n roundings of each term at most (Higham, 2002, 4.2), one more
            # of the product and one of the result: here and there.
            for terms in (self.dy * xhat, self.dy):
                self.bounds.append(2 * (rows + 2) * np.finfo(dtype).eps * np.abs(terms).sum(axis=0))

    def given(self, sizes):
        """Return the arguments of several processes with so many rows each."""
        ends = np.cumsum(sizes)
        spans = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        return [((self.x[span], self.parameters, BACKENDS), (self.dy[span],)) for span in spans]

    def require_same(self, found):
        """Rows to the bit, sums within their bound, and the same on all."""
        for mine, whole in zip(zip(*(rows for rows, *_ in found), strict=True), self.rows, strict=True):
            np.testing.assert_array_equal(np.concatenate(mine), whole)
        self.require_sums([sums for _, sums, _ in found])

    def require_sums(self, found):
        for several, whole, bound in zip(zip(*found, strict=True), self.sums, self.bounds, strict=True):
            assert len({each.tobytes() for each in several}) == 1
            assert several[0].dtype == whole.dtype
            assert (np.abs(several[0] - whole) <= bound).all()


def loaded(package):
    return importlib.import_module(loading.load(package).__name__)


@pytest.mark.ci
@pytest.mark.parametrize("sizes", [(7, 4), (5, 0, 1, 9)])
@pytest.mark.parametrize(
    "kind", ["pipes", pytest.param("torch", marks=needs_torch), pytest.param("mpi", marks=needs_mpi)]
)
def test_processes_give_what_one_gives(kind, sizes, package):
    alone = Alone(package, sum(sizes))
    first, second = in_processes(package, kind, "rows", alone.given(sizes))
    alone.require_same(first)
    for one, other in zip(first, second, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert [each.tobytes() for each in mine] == [each.tobytes() for each in theirs]
    # Had each kept the sums over its own rows, this would have seen it, also if they were alike.
    for rank in range(len(sizes)):
        with pytest.raises(AssertionError):
            alone.require_sums([first[rank][2]] * len(sizes))


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["pipes", pytest.param("mpi", marks=needs_mpi)])
def test_what_is_large_is_added_up_by_all(kind, package):
    sizes = {"matrix": (300, 401), "vector": (5,)}
    assert GATHERED_BYTES < 4 * 4 * 300 * 401
    rng = np.random.default_rng(0)
    given = [{name: rng.standard_normal(size).astype(np.float32) for name, size in sizes.items()} for _ in range(4)]
    first, second = in_processes(package, kind, "sums", [(gradients, None) for gradients in given])
    for found in (*first, *second):
        for value, name in zip(found, sizes, strict=True):
            total = sum((each[name].astype(np.float64) for each in given[1:]), given[0][name].astype(np.float64))
            assert value.tobytes() == total.astype(np.float32).tobytes()


@pytest.mark.ci
@pytest.mark.parametrize("kind", [pytest.param("torch", marks=needs_torch), pytest.param("mpi", marks=needs_mpi)])
def test_processes_with_other_shapes_are_told_and_none_waits(kind, package):
    given = [({"gamma": np.ones(size, np.float32)}, None) for size in (5, 4000)]
    message = (
        "gamma is an array of float32 and of shape (5,) on rank 0 and an array of float32 and of shape (4000,) on "
        "rank 1: each has to sum gradients of the same names, shapes and types"
    )
    assert in_processes(package, kind, "refusal", given) == [[message] * 2] * 2
