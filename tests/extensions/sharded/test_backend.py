"""Emitted code over parts of rows, on threads and on processes, against emitted code on one process."""

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.language.parsing import parse
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived
from lngen.runtime.emitted import BACKENDS
from lngen.runtime.protocol.directions import FEATURE, PARTS, ROW
from lngen.runtime.protocol.interface import INTEGERS
from lngen.runtime.sharded import collectives
from tests import corpus
from tests.formatted import assert_passes_ruff
from tests.processes import in_processes
from tests.requirements import needs_gxx, needs_jax, needs_mpi, needs_ruff, needs_torch
from tests.shipped import NAMES
from tests.tiers import sample

SHAPE = (2, 3)
SPLITS = ((13,), (5, 8), (6, 0, 3, 4))
EACH = sample((*NAMES, "scalar_bias"), ("layer_norm", "softmax", "scalar_bias"), NAMES[::4])


WITHOUT_PARTS = ("feature_sum", "feature_maximum")
"""Definitions that have no sharded form."""


@cache
def emitted(text):
    """The emission of a layer by its name or its text, with code for its parts if there can be any."""
    definition = corpus.definition(text) if text in corpus.NAMES else parse(text)
    backends = (*BACKENDS, *["sharded"] * (text not in WITHOUT_PARTS))
    return derived(definition, proved=False, backends=backends).emission


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """The emitted modules of a layer, by its name or its text."""
    folder = tmp_path_factory.mktemp("sharded")

    @cache
    def load(text):
        emission = emitted(text)
        own = folder / f"at{len(list(folder.iterdir()))}"
        manifest.write(emission, own)
        package = loading.load(own / emission.name).__name__
        return tuple(
            importlib.import_module(f"{package}.{name}") for name in ("numpy_backend", "numpy_sharded", "cpu_sharded")
        )

    return load


class Case:
    """A layer's arguments: whole, and the parts of each."""

    def __init__(self, interface, features, dtype=np.float64, seed=0, left_out=(), rows=SHAPE):
        rng = np.random.default_rng(seed)
        shapes = dict(enumerate(((*rows, features), rows, (features,), ())))
        self.kinds = {each["name"]: each["kind"] for each in (*interface["inputs"], *interface["outputs"])}

        def drawn(name):
            shape = shapes[PARTS[self.kinds[name]]]
            if self.kinds[name] in INTEGERS:
                return rng.integers(-1, features, shape)
            return np.asarray(rng.standard_normal(shape), dtype)

        names = [each["name"] for each in interface["inputs"]]
        self.inputs = [None if name in left_out else drawn(name) for name in names]
        self.constants = {e["name"]: 0.3 for e in interface["constants"] if e["default"] is None}
        outputs = [each["name"] for each in interface["outputs"]]
        self.cotangents = [drawn(name) for name in outputs]
        self.input_kinds = [self.kinds[name] for name in names]
        self.output_kinds = [self.kinds[name] for name in outputs]
        differentiable = [each["of"] for each in interface["gradients"]]
        self.along = [value for name, value in zip(names, self.inputs, strict=True) if name in differentiable]
        self.gradient_kinds = [self.kinds[each["of"]] for each in interface["gradients"]]

    def part(self, values, kinds, span):
        return [
            v[..., span] if v is not None and PARTS[kind] in (ROW, FEATURE) else v
            for v, kind in zip(values, kinds, strict=True)
        ]


def as_tuple(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


def whole(module, case):
    outputs, saved = module.forward(*case.inputs, **case.constants)
    return as_tuple(outputs), module.backward(saved, *case.cotangents), *second_order(module, case, saved, WHOLE)


WHOLE = slice(None)


def second_order(module, case, saved, span, **options):
    """Return the results of the other two directions, with the inputs as directions."""
    along = case.part(case.along, case.gradient_kinds, span)
    cotangents = case.part(case.cotangents, case.output_kinds, span)
    moved = module.jvp(saved, *along, **options)
    return as_tuple(moved), module.backward_backward(saved, tuple(cotangents), *along, **options)


def of_part(module, case, span, communicator):
    """Compute the shard of one process."""
    inputs = case.part(case.inputs, case.input_kinds, span)
    outputs, saved = module.forward(*inputs, **case.constants, communicator=communicator)
    cotangents = case.part(case.cotangents, case.output_kinds, span)
    gradients = module.backward(saved, *cotangents, communicator=communicator)
    return as_tuple(outputs), gradients, *second_order(module, case, saved, span, communicator=communicator)


def spans(sizes):
    ends = np.cumsum(sizes)
    return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]


def on_threads(module, case, sizes, wrap=lambda communicator: communicator):
    """Return the results of all shards, each computed on a thread of its own."""
    group = collectives.ThreadCommunicator.together(len(sizes), timeout=60.0)
    with ThreadPoolExecutor(len(sizes)) as pool:
        parts = zip(spans(sizes), group, strict=True)
        tasks = [pool.submit(of_part, module, case, span, wrap(one)) for span, one in parts]
        return [task.result() for task in tasks]


def joined(kinds, parts):
    """Results of parts as those of one process; what is one value per row has to be the same in all."""
    found = []
    for kind, each in zip(kinds, zip(*parts, strict=True), strict=True):
        if each[0] is not None and PARTS[kind] in (ROW, FEATURE):
            found.append(np.concatenate(each, axis=-1))
        else:
            for other in each[1:]:
                assert other is None if each[0] is None else np.array_equal(other, each[0], equal_nan=True)
            found.append(each[0])
    return found


def require_equal(case, found, expected, dtype=np.float64):
    """A hundred roundings of the largest entry: some twenty terms, twice, and what is computed of them.

    What is of the second order holds products of three such sums.
    """
    kinds = case.output_kinds, case.gradient_kinds, case.output_kinds, [*case.gradient_kinds, *case.output_kinds]
    for place, (several, results) in enumerate(zip(kinds, expected, strict=True)):
        mine = joined(several, [part[place] for part in found])
        require_close(mine, results, (100 if place < 2 else 1000) * np.finfo(dtype).eps)


def require_close(found, expected, bound):
    for mine, other in zip(found, expected, strict=True):
        if other is None:
            assert mine is None
            continue
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape
        scale = max(1.0, float(np.abs(other).max(initial=0)))
        assert np.abs(mine - other).max(initial=0) <= bound * scale


@pytest.mark.parametrize("name", sample(corpus.NAMES, ("scalar_bias",), corpus.NAMES[::16]))
def test_every_emitted_python_text_compiles(name):
    texts = {path: text for path, text in emitted(name).files if path.endswith(".py")}
    over_parts = {"numpy_sharded_kernels.py", "cpu_sharded.py", "cuda_sharded.py"}
    assert texts.keys() >= {"numpy_kernels.py", *(over_parts if name not in WITHOUT_PARTS else ())}
    for path, text in texts.items():
        compile(text, path, "exec")


@pytest.mark.parametrize("name", EACH)
def test_parts_give_what_one_process_gives(name, modules):
    plain, parts, _ = modules(name)
    for sizes in SPLITS:
        for dtype in (np.float32, np.float64):
            case = Case(plain.INTERFACE, sum(sizes), dtype)
            require_equal(case, on_threads(parts, case, sizes), whole(plain, case), dtype)


@pytest.mark.parametrize("name", sample(NAMES, ("layer_norm",), ("add_layer_norm", "dynamic_tanh")))
def test_inputs_may_be_left_out(name, modules):
    plain, parts, _ = modules(name)
    optional = [each["name"] for each in plain.INTERFACE["inputs"] if each["default"] is not None]
    for left_out in [*([each] for each in optional), optional] if optional else []:
        case = Case(plain.INTERFACE, 13, left_out=left_out)
        require_equal(case, on_threads(parts, case, (6, 0, 3, 4)), whole(plain, case))


@needs_gxx
@pytest.mark.parametrize("name", sample((*NAMES, "scalar_bias"), (), ("cross_entropy", "scalar_bias")))
def test_compiled_parts_give_what_one_process_gives(name, modules):
    plain, _, parts = modules(name)
    optional = [each["name"] for each in plain.INTERFACE["inputs"] if each["default"] is not None]
    for sizes, dtype, left_out in (((5, 8), np.float32, ()), ((6, 0, 3, 4), np.float64, optional)):
        case = Case(plain.INTERFACE, sum(sizes), dtype, left_out=left_out)
        require_equal(case, on_threads(parts, case, sizes), whole(plain, case), dtype)


@pytest.mark.ci
@needs_gxx
def test_compiled_parts_without_a_cotangent(modules):
    plain, _, parts = modules("add_layer_norm")
    case = Case(plain.INTERFACE, 13)
    for absent in range(2):
        case.cotangents = Case(plain.INTERFACE, 13).cotangents
        case.cotangents[absent] = None
        require_equal(case, on_threads(parts, case, (6, 0, 7)), whole(plain, case))


@pytest.mark.ci
@needs_gxx
def test_compiled_parts_of_other_types_and_without_a_compiler(modules, monkeypatch):
    plain, _, parts = modules("layer_norm")
    for dtype in (np.float16, np.longdouble):
        case = Case(plain.INTERFACE, 13, dtype)
        require_equal(case, on_threads(parts, case, (6, 7)), whole(plain, case), np.float16)
    monkeypatch.setenv("CXX", "no-such-compiler")
    case = Case(plain.INTERFACE, 13)
    require_equal(case, on_threads(parts, case, (6, 7)), whole(plain, case))


def test_runs_are_equal_to_the_bit(modules):
    plain, parts, _ = modules("layer_norm")
    case = Case(plain.INTERFACE, 1000, np.float32)
    first, second = (on_threads(parts, case, (300, 1, 699)) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        for mine, theirs in zip((*one[0], *one[1]), (*other[0], *other[1]), strict=True):
            assert mine.tobytes() == theirs.tobytes()


@pytest.mark.ci
def test_sums_over_many_rows_are_the_same_for_parts_of_any_size(modules):
    """A sum of so many rows is one of blocks, whose size would be another for rows of another length."""
    plain, parts, _ = modules("scaled_softmax")
    case = Case(plain.INTERFACE, 401, np.float32, rows=(3000,))
    require_equal(case, on_threads(parts, case, (1, 400)), whole(plain, case), np.float32)


@pytest.mark.ci
def test_of_the_gradient_of_a_scalar_one_number_is_sent_for_all_rows(modules):
    plain, parts, _ = modules("dynamic_tanh")
    sent = []

    class Noted(collectives.Alone):
        def all_gather(self, given):
            sent.append(given.size)
            return super().all_gather(given)

    for rows in ((3,), (200, 7)):
        case = Case(plain.INTERFACE, 5, rows=rows)
        _, saved = parts.forward(*case.inputs, communicator=Noted())
        parts.backward(saved, *case.cotangents, communicator=Noted())
    head = 5 * 8
    assert sent == [head + 8] * 2


def test_a_large_offset_costs_no_digits(modules):
    plain, parts, _ = modules("layer_norm")
    case = Case(plain.INTERFACE, 96, np.float32)
    case.inputs[0] += np.float32(1e4)
    exact = Case(plain.INTERFACE, 96)
    exact.inputs = [np.asarray(value, np.float64) for value in case.inputs]
    found = joined(["Row"], [part[0] for part in on_threads(parts, case, (40, 0, 56))])[0]
    assert np.abs(found - whole(plain, exact)[0][0]).max() < 3e-6


def test_masked_parts(modules):
    plain, parts, _ = modules("softmax")
    case = Case(plain.INTERFACE, 13, np.float32)
    case.along = [case.inputs[0].copy()]
    case.inputs[0] -= 1e4
    case.inputs[0][..., :5] = -np.inf
    case.inputs[0][0, :, :8] = -np.inf
    require_equal(case, on_threads(parts, case, (5, 3, 5)), whole(plain, case), np.float32)


class LeavesOut:
    """A communicator that takes its own for everyone's: a collective is left out."""

    def __init__(self, communicator, number):
        self.rank, self.size, self._left = communicator.rank, communicator.size, number
        self._communicator = communicator

    def all_gather(self, sent):
        self._left -= 1
        if self._left == 0:
            return np.stack([sent] * self.size)
        return self._communicator.all_gather(sent)


@pytest.mark.parametrize("number", [1, 2])
def test_a_collective_left_out_everywhere_is_seen_in_the_results(number, modules):
    plain, parts, _ = modules("layer_norm")
    case = Case(plain.INTERFACE, 12)
    found = on_threads(parts, case, (5, 7), lambda communicator: LeavesOut(communicator, number))
    with pytest.raises(AssertionError):
        require_equal(case, found, whole(plain, case))


def test_a_collective_that_one_process_leaves_out_is_refused(modules):
    plain, parts, _ = modules("layer_norm")
    case = Case(plain.INTERFACE, 12)

    def first_leaves_out(communicator):
        return LeavesOut(communicator, 1) if communicator.rank == 0 else communicator

    with pytest.raises(RuntimeError, match="each has to"):
        on_threads(parts, case, (5, 7), first_leaves_out)


@pytest.mark.parametrize("backend", [1, pytest.param(2, marks=pytest.mark.ci)])
def test_a_part_that_is_refused_is_told_to_the_others_which_can_go_on(backend, modules):
    layer = modules("layer_norm")
    plain, parts = layer[0], layer[backend]
    group = collectives.ThreadCommunicator.together(2, timeout=20.0)
    x, dy = np.random.default_rng(0).standard_normal((2, 3, 8))

    def part(communicator, gamma):
        own = slice(4 * communicator.rank, 4 * communicator.rank + 4)
        y, saved = parts.forward(x[:, own], gamma, communicator=communicator)
        with pytest.raises((ValueError, collectives.PeerError)) as error:
            parts.backward(saved, dy[: 3 - communicator.rank, own], communicator=communicator)
        return y, parts.backward(saved, dy[:, own], communicator=communicator).dx, error.value

    with ThreadPoolExecutor(2) as pool:
        good, bad = (pool.submit(part, each, np.ones(4 - each.rank)) for each in group)
        with pytest.raises(ValueError, match="gamma has shape"):
            bad.result()
        with pytest.raises(
            collectives.PeerError, match="rank 1 refused the call, so this process stops too: ValueError: gamma has"
        ):
            good.result()
        (first, dx, error), (second, dx_2, own) = pool.map(part, group, [np.ones(4)] * 2)
    assert isinstance(own, ValueError)
    assert "rank 1 refused the call, so this process stops too: ValueError: dy has shape" in str(error)
    y, saved = plain.forward(x, np.ones(8))
    np.testing.assert_allclose(np.hstack([first, second]), y, atol=1e-12)
    np.testing.assert_allclose(np.hstack([dx, dx_2]), plain.backward(saved, dy).dx, atol=1e-12)


@pytest.mark.ci
def test_too_few_features_in_all(modules):
    _, parts, _ = modules("standardize")
    one = collectives.Alone()
    with pytest.raises(ValueError, match=r"the parts of a row have 1 features in all; pass .* with 2 or more"):
        parts.forward(np.ones((3, 1)), communicator=one)


@pytest.mark.ci
def test_an_extreme_belongs_to_the_first_part_that_has_it(modules):
    plain, parts, _ = modules("largest_entry")
    case = Case(plain.INTERFACE, 9)
    case.inputs[0][..., 2::3] = 7.0
    require_equal(case, on_threads(parts, case, (2, 0, 4, 3)), whole(plain, case))


@pytest.mark.ci
def test_rows_that_are_merged_by_some_of_the_processes_each(modules, monkeypatch):
    plain, parts, _ = modules("modulated_layer_norm")
    case = Case(plain.INTERFACE, 13)
    together = on_threads(parts, case, (6, 0, 3, 4))
    monkeypatch.setattr(collectives, "GATHERED_BYTES", 0)
    apart = on_threads(parts, case, (6, 0, 3, 4))
    require_equal(case, apart, whole(plain, case))
    for one, other in zip(together, apart, strict=True):
        for mine, theirs in zip((*one[0], *one[1]), (*other[0], *other[1]), strict=True):
            assert mine.tobytes() == theirs.tobytes()


@pytest.mark.ci
def test_a_layer_that_needs_all_features_first(modules):
    plain, parts, _ = modules("def f(x: Row): return x*mean((x/D)**2)/D")
    case = Case(plain.INTERFACE, 13)
    require_equal(case, on_threads(parts, case, (6, 0, 3, 4)), whole(plain, case))


@pytest.mark.parametrize("shape", [(5,), (0, 5), (2, 0, 5)])
def test_one_row_and_none(shape, modules):
    plain, parts, _ = modules("layer_norm")
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float16)
    y, saved = parts.forward(x, communicator=collectives.Alone())
    assert (y.shape, y.dtype) == (shape, np.float16)
    np.testing.assert_allclose(y, plain.forward(x)[0], rtol=1e-3, atol=1e-3)
    assert parts.backward(saved, x, communicator=collectives.Alone()).dx.shape == shape


@pytest.mark.ci
def test_results_in_arrays_of_the_caller(modules):
    _, parts, _ = modules("add_layer_norm")
    rng = np.random.default_rng(0)
    x, r = rng.standard_normal((2, 4, 7))
    out = np.empty((4, 7)), np.empty((4, 7))
    outputs, saved = parts.forward(x, r, out=out, communicator=collectives.Alone())
    assert outputs[0] is out[0]
    assert saved is not None
    found = np.empty((4, 7))
    gradients = parts.backward(
        saved, x, None, out=(found, *[None] * (len(saved.dtypes) - 1)), communicator=collectives.Alone()
    )
    assert gradients[0] is found


@pytest.mark.ci
def test_names_that_sharded_code_has():
    for text, message in (
        ("def f(x: Row, communicator: Row): return x*mean(x*communicator)", "an argument communicator; rename"),
        ("def f(x: Row, largest: Feature): return x*mean(x*largest)", "values largest; rename"),
    ):
        with pytest.raises(LngenError, match=message):
            derived(parse(text), proved=False, backends=["sharded"])


@pytest.mark.ci
@pytest.mark.parametrize("name", ["add_layer_norm", "scaled_softmax"])
@needs_ruff
def test_text_passes_ruff(name, tmp_path):
    files = derived(corpus.definition(name), proved=False, backends=["sharded"]).files
    texts = {path: text for path, text in files.items() if "sharded" in path and path.endswith(".py")}
    assert len(texts) == 4
    for path, text in texts.items():
        (tmp_path / path).write_text(text)
    assert_passes_ruff([tmp_path])


def test_what_is_not_installed_is_named(monkeypatch):
    for name in ("torch", "mpi4py.MPI", "jax"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"PyTorch is not installed; pip install torch installs it"):
        collectives.TorchCommunicator()
    with pytest.raises(ImportError, match=r"mpi4py is not installed; pip install mpi4py installs it"):
        collectives.MPICommunicator()
    with pytest.raises(ImportError, match=r"JAX is not installed; pip install jax installs it"):
        collectives.JAXCommunicator()


# ---- processes


@pytest.mark.ci
@needs_jax
def test_a_process_of_jax_that_is_alone():
    alone = collectives.JAXCommunicator()
    assert (alone.rank, alone.size) == (0, 1)
    assert np.array_equal(alone.all_gather(np.arange(3, dtype=np.uint8)), [[0, 1, 2]])
    assert np.array_equal(alone.all_to_all(np.array([[7, 255]], np.uint8)), [[7, 255]])


@pytest.mark.ci
@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("pipes", (5, 8)),
        ("pipes", (6, 0, 3, 4)),
        pytest.param("torch", (5, 0, 8), marks=needs_torch),
        pytest.param("mpi", (5, 8), marks=needs_mpi),
        pytest.param("jax", (5, 0, 8), marks=needs_jax),
    ],
)
def test_processes_give_what_one_gives(kind, sizes, tmp_path):
    plain, package = written(tmp_path)
    case = Case(plain.INTERFACE, 13, np.float32)
    given = [
        (case.part(case.inputs, case.input_kinds, span), case.part(case.cotangents, case.output_kinds, span))
        for span in spans(sizes)
    ]
    first, second = in_processes(package, kind, "features", given)
    first_order(case, first, whole(plain, case), np.float32)
    require_same_bits(first, second)


def written(folder):
    """The plain module of layer norm, and the folder of its package."""
    manifest.write(derived(corpus.definition("layer_norm"), proved=False, backends=["sharded"]).emission, folder)
    path = folder / "layer_norm"
    return importlib.import_module(f"{loading.load(path).__name__}.numpy_backend"), path


def first_order(case, found, expected, dtype):
    """The same of forward and backward alone."""
    for place, kinds in enumerate((case.output_kinds, case.gradient_kinds)):
        require_close(joined(kinds, [part[place] for part in found]), expected[place], 100 * np.finfo(dtype).eps)


def require_same_bits(first, second):
    for one, other in zip(first, second, strict=True):
        for mine, theirs in zip((*one[0], *one[1]), (*other[0], *other[1]), strict=True):
            assert mine.tobytes() == theirs.tobytes()
