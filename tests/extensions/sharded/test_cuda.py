"""Emitted CUDA over parts of rows, on the GPU where there is one, else emulated: each part on a thread of its own."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from lngen.check.on_device import OnDevice, device
from lngen.extensions.simt import driver
from lngen.language.parsing import parse
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived
from lngen.runtime.sharded import collectives
from tests import corpus
from tests.emit.test_cuda_dlpack import Library
from tests.extensions.sharded.test_backend import Case, LeavesOut, joined, of_part, require_equal, spans, whole
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.shipped import NAMES
from tests.tiers import sample

pytestmark = [pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

EACH = sample((*NAMES, "scalar_bias"), (), ("layer_norm", "scaled_softmax", "add_rms_norm", "scalar_bias"))
"""One with a spread, the gradient of a Scalar, several outputs, and a gradient that takes no work per row."""

SIZES = (6, 0, 7)


@pytest.fixture(scope="module", autouse=True)
def place():
    with device():
        yield


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """The modules of a layer for NumPy and, of parts of its rows, for CUDA."""
    folder = tmp_path_factory.mktemp("sharded")

    @cache
    def load(name):
        definition = corpus.definition(name) if name in corpus.NAMES else parse(name)
        own = folder / f"at{len(list(folder.iterdir()))}"
        manifest.write(derived(definition, proved=False, backends=["sharded"]).emission, own)
        package = loading.load(own / definition.name).__name__
        plain, parts = (importlib.import_module(f"{package}.{each}") for each in ("numpy_backend", "cuda_sharded"))
        if driver.enabled():
            in_one_module(parts)
        return plain, parts

    return load


def in_one_module(parts):
    """Have all parts of a row length compiled at once: g++ takes not much longer for all than for one."""
    every = [each for each in vars(parts).values() if type(each).__name__ == "DevicePart"]
    own = {f"LNGEN_{each.name.upper()}" for each in every}
    for each in every:
        each.layer = replace(each.layer, macros=lambda given: [macro for macro in given if macro not in own])


def on_threads(task, sizes, wrap=lambda communicator: communicator):
    """Return the results of a task (span, communicator) for all shards, each on a thread with the device's context."""
    group = collectives.ThreadCommunicator.together(len(sizes), timeout=40.0)

    def run(span, communicator):
        with device():
            return task(span, wrap(communicator))

    with ThreadPoolExecutor(len(sizes)) as pool:
        tasks = [pool.submit(run, span, one) for span, one in zip(spans(sizes), group, strict=True)]
        return [each.result() for each in tasks]


def of_parts(parts, case, sizes=SIZES, **options):
    """Return the results of all shards in all directions, as NumPy arrays."""
    return on_threads(lambda span, one: of_part(OnDevice(parts), case, span, one), sizes, **options)


@pytest.mark.parametrize("name", EACH)
def test_parts_give_what_one_process_gives(name, modules):
    plain, parts = modules(name)
    case = Case(plain.INTERFACE, sum(SIZES), np.float32)
    require_equal(case, of_parts(parts, case), whole(plain, case), np.float32)


LABELS = """
def labels(x: Row, label: Int["..."], seed: Int[""], gamma: Feature = 1):
    kept = dropout(x, 0.25, seed)
    y = cast(20*gamma*kept, "int8")
    z = pick(gamma*kept, label)
    return y, z
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [np.int64, np.int8])
def test_places_labels_casts_and_random_numbers(kind, modules):
    plain, parts = modules(LABELS)
    case = Case(plain.INTERFACE, 300, np.float32)
    case.inputs[1:3] = np.asarray([[0, 299, 127], [-1, 300, 5]]).astype(kind), np.asarray(2**25 + 1)
    require_equal(case, of_parts(parts, case, (130, 0, 170)), whole(plain, case), np.float32)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_parts_of_other_types_and_sizes(name, modules):
    plain, parts = modules(name)
    optional = [each["name"] for each in plain.INTERFACE["inputs"] if each["default"] is not None]
    for sizes, left_out in (((5, 8), ()), ((1, 6, 0, 3), optional)):
        case = Case(plain.INTERFACE, sum(sizes), np.float64, left_out=left_out)
        require_equal(case, of_parts(parts, case, sizes), whole(plain, case))
        require_close_to_float32(plain, parts, sizes, left_out, np.float16)


@pytest.mark.ci
def test_rows_of_16_bits_beside_row_scalars_of_32(modules):
    require_close_to_float32(*modules("layer_norm"), (6, 7), (), ml_dtypes.bfloat16)


def require_close_to_float32(plain, parts, sizes, left_out, dtype):
    """Rows are read and written in 16 bits, and row scalars are not: each result is one rounding off, at its size.

    Where a direction reads an output that was rounded, its terms are that far off too.
    """
    case = Case(plain.INTERFACE, sum(sizes), np.float32, left_out=left_out)
    case.inputs, given = narrowed(case.inputs, case.input_kinds, dtype)
    case.along, along = narrowed(case.along, case.gradient_kinds, dtype)
    case.cotangents, cotangents = narrowed(case.cotangents, case.output_kinds, dtype)
    exact = whole(plain, case)
    case.inputs, case.along, case.cotangents = given, along, cotangents
    found = of_parts(parts, case, sizes)
    roundings = 100 if any(field["kind"] == "output" for field in plain.INTERFACE["saved"]) else 0.5
    bound = roundings * float(ml_dtypes.finfo(dtype).eps) + 1000 * np.finfo(np.float32).eps
    kinds = case.output_kinds, case.gradient_kinds, case.output_kinds, [*case.gradient_kinds, *case.output_kinds]
    for place, (several, expected) in enumerate(zip(kinds, exact, strict=True)):
        for kind, mine, other in zip(several, joined(several, [part[place] for part in found]), expected, strict=True):
            if other is not None:
                assert mine.dtype == (dtype if kind in ROWS else np.float32)
                assert np.abs(np.float32(mine) - other).max() <= bound * max(1.0, float(np.abs(other).max()))


ROWS = ("Row", "RowScalar", "Data")


def narrowed(values, kinds, dtype):
    """Values as 16 bits hold them, in float32, and rows among them in 16 bits."""
    narrow = [
        value.astype(dtype) if value is not None and kind in ROWS else value
        for value, kind in zip(values, kinds, strict=True)
    ]
    return [None if value is None else np.asarray(value, np.float32) for value in narrow], narrow


@pytest.mark.ci
def test_row_scalars_are_the_same_to_the_bit(modules):
    _, parts = modules("layer_norm")
    x = np.random.default_rng(0).standard_normal((4, sum(SIZES))).astype(np.float32)

    def task(span, communicator):
        _, saved = OnDevice(parts).forward(x[:, span], communicator=communicator)
        return [getattr(saved, name).get().tobytes() for name in ("mu", "mu_residual", "rstd")]

    first, *others = on_threads(task, SIZES)
    assert all(other == first for other in others)


@pytest.mark.ci
@pytest.mark.parametrize("number", [1, 2])
def test_a_collective_left_out_is_seen_in_the_results(number, modules):
    plain, parts = modules("layer_norm")
    case = Case(plain.INTERFACE, sum(SIZES), np.float32)
    found = of_parts(parts, case, (6, 7), wrap=lambda communicator: LeavesOut(communicator, number))
    with pytest.raises(AssertionError):
        require_equal(case, found, whole(plain, case), np.float32)


@pytest.mark.parametrize("absent", sample([0, 1], (), [1]))
def test_what_is_none_is_zero(absent, modules):
    """A cotangent of two, and the tangents and cotangents of gradients of all inputs but one."""
    plain, parts = modules("add_rms_norm")
    case = Case(plain.INTERFACE, sum(SIZES), np.float32, left_out=("gamma",) if absent else ())
    case.cotangents[absent] = None
    case.along = [value if place == absent else None for place, value in enumerate(case.along)]
    require_equal(case, of_parts(parts, case), whole(plain, case), np.float32)


@pytest.mark.ci
def test_results_in_arrays_of_the_caller_on_a_stream(modules):
    from pycuda import gpuarray
    from pycuda.driver import Stream

    plain, parts = modules("scaled_softmax")
    x, dy = np.random.default_rng(0).standard_normal((2, 4, 6)).astype(np.float32)
    out, dx, dscale = (gpuarray.empty(shape, np.float32) for shape in ((4, 6), (4, 6), ()))
    options = {"stream": Stream(), "communicator": collectives.Alone()}
    y, saved = parts.forward(gpuarray.to_gpu(x), 0.5, out=out, **options)
    gradients = parts.backward(saved, gpuarray.to_gpu(dy), out=(dx, dscale), **options)
    assert y is out
    assert [*gradients] == [dx, dscale]
    options["stream"].synchronize()
    y_expected, kept = plain.forward(x, 0.5)
    for mine, theirs in zip((out, dx, dscale), (y_expected, *plain.backward(kept, dy)), strict=True):
        np.testing.assert_allclose(mine.get(), theirs, rtol=0, atol=1e-6)
    assert parts.forward(gpuarray.to_gpu(x), 0.5, save=False, **options)[1] is None


@pytest.mark.ci
def test_arrays_come_and_go_by_dlpack(modules):
    import pycuda.driver
    from pycuda import gpuarray

    plain, parts = modules("layer_norm")
    library = Library(SimpleNamespace(driver=pycuda.driver, gpuarray=gpuarray))
    case = Case(plain.INTERFACE, 6, np.float32)
    inputs, cotangents = (map(library.array, values) for values in (case.inputs, case.cotangents))
    options = {"like": library, "communicator": collectives.Alone()}
    y, saved = parts.forward(*inputs, **options)
    (expected,), gradients, *_ = whole(plain, case)
    for mine, theirs in zip((y, *parts.backward(saved, *cotangents, **options)), (expected, *gradients), strict=True):
        np.testing.assert_allclose(mine.get(), theirs, rtol=0, atol=1e-5)
        mine.release()
    del saved
    assert not library.held


@pytest.mark.ci
@pytest.mark.parametrize("shape", [(0, 6), (2, 0, 6), (6,)])
def test_one_row_and_none(shape, modules):
    _, parts = modules("scaled_softmax")
    x = np.ones(shape, np.float32)
    (y, gradients), *_ = on_threads(lambda _, one: forward_and_backward(parts, x, one), (6, 6))
    assert np.array_equal(y, np.full(shape, 1 / 12, np.float32))
    assert gradients.dx.shape == shape
    assert gradients.dscale == 0


def forward_and_backward(parts, x, communicator):
    y, saved = OnDevice(parts).forward(x, 1.0, communicator=communicator)
    return y, OnDevice(parts).backward(saved, x, communicator=communicator)


@pytest.mark.ci
def test_what_is_no_array_of_a_device_is_refused(modules):
    _, parts = modules("layer_norm")
    with pytest.raises(TypeError, match="x is of type ndarray, not an array in device memory; pass a GPUArray"):
        parts.forward(np.ones((3, 4), np.float32), communicator=collectives.Alone())
