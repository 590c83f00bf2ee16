"""Reductions over the rows at the end of a definition: losses that are one number, from parsing to every backend."""

from fractions import Fraction
from importlib import import_module

import ml_dtypes
import numpy as np
import pytest

import lngen
from lngen.errors import DefinitionError
from lngen.language.oracle.evaluate import evaluate
from lngen.language.parsing import parse
from lngen.language.syntax import Kind
from tests.requirements import NO_TORCH, needs_gxx, needs_pycuda

torch = pytest.importorskip("torch", reason=NO_TORCH)
functional = torch.nn.functional

MEAN_CROSS_ENTROPY = """
def mean_cross_entropy(x: Row, t: Data):
    nll = -sum(t*(x - log(sum(exp(x)))))
    return mean(nll, "...")
"""
PREFERENCE = """
def preference(chosen: RowScalar, rejected: RowScalar, beta: Constant = 0.1):
    return mean(softplus(-beta*(chosen - rejected)), "...")
"""
BESIDE = """
def beside(x: Row, gamma: Feature = 1, w: Data["..."] = 1, c: Scalar = 1):
    y = gamma*(x - mean(x))
    a = w*sum(y**2)
    loss = c*sum(a, "...")/D + 0.5*mean(sqrt(1 + a), "...")
    return y, loss
"""
EVERY = {"mean_cross_entropy": MEAN_CROSS_ENTROPY, "preference": PREFERENCE, "beside": BESIDE}
SHAPES = ((3, 7), (1, 1), (40, 5))


def _labels(shape, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return x, np.eye(shape[-1])[rng.integers(0, shape[-1], shape[:-1])]


@pytest.fixture(scope="module")
def loss():
    return lngen.derive(MEAN_CROSS_ENTROPY, ["numpy", "cpu", "torch", "jax"]).load()


def _backend(layer, name):
    return import_module(f"{layer.__name__.removesuffix('.numpy_backend')}.{name}_backend")


# ---- the language


def test_a_mean_over_the_rows_is_read_as_a_sum_by_their_number():
    definition = parse(MEAN_CROSS_ENTROPY)
    assert definition.canonical().splitlines()[-2] == 'y: Scalar = (sum(nll, "...") / rows)'
    assert definition.output_kind("y") is Kind.SCALAR
    assert [(entry.name, entry.counts) for entry in definition.constants] == [("rows", "rows")]
    assert parse('def f(s: RowScalar, x: Row): return sum(s*mean(x), "...")').constants == ()


def test_the_number_of_rows_has_a_name_that_no_value_has():
    definition = parse('def f(x: Row, rows: RowScalar): return mean(rows*mean(x), "...")')
    assert [entry.name for entry in definition.inputs] == ["x", "rows", "rows_2"]


def test_losses_of_row_scalars_are_over_all_entries():
    definition = parse(PREFERENCE)
    assert [entry.counts for entry in definition.constants] == [None, "entries"]
    a, b = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    found = evaluate(definition, {"chosen": a, "rejected": b})["y"]
    np.testing.assert_allclose(found, np.mean(np.log1p(np.exp(-0.1 * (a - b)))), rtol=1e-15)


def test_the_oracle_counts_rows_unless_it_is_told_their_number():
    x = np.arange(6.0).reshape(3, 2)
    definition = parse('def f(x: Row): return mean(mean(x), "...")')
    assert evaluate(definition, {"x": x})["y"] == 2.5
    assert evaluate(definition, {"x": x, "rows": Fraction(6)})["y"] == 1.25
    assert evaluate(parse('def f(x: Row): return sum(mean(x), "...")'), {"x": x[:0]})["y"] == 0


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('return mean(x, "...")', r'of a Row\n[\s\S]*write mean\(mean\(x\), "..."\)'),
        ('return sum(2, "...")', "of a Scalar"),
        ('return mean(sum(w), "...")', "of a Scalar"),
        ('return mean(w, "...")', "of a Feature"),
        ('return x*mean(s, "...")', "inside of what has a value"),
        ('m = mean(s, "...")\n    return s - m', "inside of what has a value"),
        ('return where(mean(s, "...") > 0, x, s)', "inside of what has a value"),
        ('return sum(sum(x*mean(s, "...")), "...")', "inside of what has a value"),
        ('return mean(s, "...")**2', "no linear combination"),
        ('return exp(mean(s, "..."))', "no linear combination"),
        ('return mean(s, "...") + 1', "no linear combination"),
        ('return 1/mean(s, "...")', "no linear combination"),
        ('m = mean(s, "...")\n    return m*m', "no linear combination"),
        ('return max(s, "...")', "max over the rows"),
        ('return mean(s, "b")', "mean takes 1 argument"),
        ('return mean(s, "...", 1)', "mean takes 1 argument"),
        ('return rows*sum(s, "...")', "nothing is called 'rows'"),
        ("return c*c", "is a Scalar"),
    ],
)
def test_a_total_that_is_not_the_last_thing_is_refused(body, found):
    with pytest.raises(DefinitionError, match=found):
        parse(f"def f(x: Row, s: RowScalar = 1, w: Feature = 1, c: Scalar = 1):\n    {body}\n")


# ---- the derivation


def test_the_gradient_of_a_mean_over_rows_is_a_share_of_its_cotangent():
    derived = lngen.derive(MEAN_CROSS_ENTROPY, ["numpy"])
    assert derived.gradients["dx"] == "dy*(p*sum(t) - t)/rows"
    assert all(proof.passed and proof.kind.startswith("exact") for proof in derived.evidence)


def test_no_entry_of_a_row_is_divided_by_the_number_of_rows():
    backward = lngen.derive(MEAN_CROSS_ENTROPY, ["numpy"]).derived.plan.backward
    assert [str(line.expression) for line in backward.prologue] == ["dy/rows"]
    assert [each.name for each in backward.parameters if each.is_cotangent] == ["dy"]


# ---- NumPy and compiled code


@pytest.mark.ci
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("cpu", marks=needs_gxx)])
def test_every_check_holds(name, backend):
    report = lngen.derive(EVERY[name], ["numpy", "cpu"]).check(backend, shapes=SHAPES)
    assert [(e.what, e.detail) for e in report.failures] == []


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("backend", ["numpy", "cpu"])
@pytest.mark.parametrize("shape", [(5,), (1, 3), (2, 3, 4, 6), (3000, 40)])
def test_mean_cross_entropy_is_that_of_pytorch(loss, backend, shape):
    layer = _backend(loss, backend)
    x, t = _labels(shape)
    given, labels = torch.tensor(x, requires_grad=True), torch.tensor(t).reshape(-1, shape[-1])
    wanted = functional.cross_entropy(given.reshape(-1, shape[-1]), labels)
    (dx,) = torch.autograd.grad(wanted, given, create_graph=True)
    moved = np.random.default_rng(1).standard_normal(shape)
    paired = (dx * torch.tensor(moved)).sum()
    (d2x,) = torch.autograd.grad(paired, given)
    y, saved = layer.forward(x, t)
    assert y.shape == ()
    np.testing.assert_allclose(y, wanted.item(), rtol=1e-14)
    np.testing.assert_allclose(layer.backward(saved, np.asarray(1.0)).dx, dx.detach(), rtol=0, atol=1e-15)
    np.testing.assert_allclose(layer.jvp(saved, moved), paired.item(), rtol=1e-12, atol=1e-15)
    second = layer.backward_backward(saved, 2.0, moved)
    np.testing.assert_allclose(second.dx, 2 * d2x, rtol=0, atol=1e-15)
    np.testing.assert_allclose(second.ddy, paired.item(), rtol=1e-12, atol=1e-15)


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("backend", ["numpy", "cpu"])
def test_a_total_has_the_same_bits_for_every_number_of_threads(loss, backend):
    layer = _backend(loss, backend)
    x, t = (each.astype(np.float32) for each in _labels((20_000, 9)))
    assert len({layer.forward(x, t, threads=threads)[0].tobytes() for threads in (1, 2, 3, 7)}) == 1


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_a_total_has_the_type_of_the_rows(loss, dtype):
    x, t = (each.astype(dtype) for each in _labels((3, 5)))
    y, saved = loss.forward(x, t)
    assert (y.dtype, y.shape) == (dtype, ())
    out = np.empty((), dtype)
    assert loss.forward(x, t, out=out)[0] is out
    assert out == y
    assert loss.backward(saved, np.ones((), dtype)).dx.dtype == dtype


@pytest.mark.ci
def test_the_number_of_rows_may_be_that_of_parts_together(loss):
    """The terms of parts of the rows add up to the mean over all."""
    x, t = _labels((8, 5))
    whole, _ = loss.forward(x, t)
    parts = [loss.forward(x[rows], t[rows], rows=8)[0] for rows in (slice(0, 3), slice(3, 8))]
    np.testing.assert_allclose(sum(parts), whole, rtol=1e-15)


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:.*encountered in.*divide:RuntimeWarning")
@pytest.mark.parametrize("shape", [(0, 5), (2, 0, 5)])
def test_a_mean_over_no_rows_is_nan_and_has_no_gradient(loss, shape):
    y, saved = loss.forward(np.zeros(shape), np.zeros(shape))
    assert np.isnan(y)
    assert loss.backward(saved, 1.0).dx.shape == shape


@pytest.mark.ci
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda layer, x, t: layer.forward(x, t, rows=-1), "rows is -1; pass 0 or more"),
        (lambda layer, x, t: layer.forward(x, t, rows="all"), "rows is 'all' of type str"),
        (lambda layer, x, t: layer.forward([[1, 2], [3]], t), "x is not an array"),
        (lambda layer, x, t: layer.forward(None, t), "x is None"),
        (lambda layer, x, t: layer.backward(layer.forward(x, t)[1], np.ones(2)), "pass a number or a 0-d one"),
    ],
)
def test_what_is_no_number_is_refused(loss, call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(loss, *_labels((3, 5)))


@pytest.mark.cuda
@pytest.mark.exhaustive
@needs_pycuda
@needs_gxx
@pytest.mark.parametrize("name", ["mean_cross_entropy", "beside"])
def test_every_check_holds_on_cuda(name):
    report = lngen.derive(EVERY[name], ["numpy", "cuda"]).check(
        "cuda", shapes=((3, 7), (40, 5)), dtypes=("float32", "bfloat16")
    )
    # Kernels of a sum over the rows take rows and parameters of one type, and refuse others.
    apart = "x and the parameters differ in type"
    assert [(e.what, e.detail) for e in report.failures if apart not in e.detail] == []


# ---- frameworks


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
def test_the_loss_of_tensors_has_no_axes_and_is_differentiable_twice(loss):
    layer = _backend(loss, "torch").mean_cross_entropy
    x, t = (torch.tensor(each) for each in _labels((6, 5)))
    x.requires_grad_()
    assert layer(x, t).shape == ()
    assert torch.autograd.gradcheck(layer, (x, t), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(layer, (x, t))
    hessian = torch.func.hessian(layer)(x.detach(), t)
    torch.testing.assert_close(hessian, torch.func.hessian(functional.cross_entropy)(x.detach(), t))
    twice = torch.func.jacfwd(torch.func.jacfwd(layer))(x.detach(), t)
    torch.testing.assert_close(twice, hessian)


@pytest.mark.ci
@pytest.mark.parametrize("in_dims", [(0, 0), (0, None)])
def test_each_slice_of_vmap_has_a_mean_of_its_own(loss, in_dims):
    layer = _backend(loss, "torch").mean_cross_entropy
    x, t = (torch.tensor(each) for each in _labels((3, 6, 5)))
    t = t if in_dims[1] == 0 else t[0]
    for ours, theirs in ((layer, functional.cross_entropy), map(torch.func.grad, (layer, functional.cross_entropy))):
        found, wanted = (torch.vmap(each, in_dims)(x, t) for each in (ours, theirs))
        torch.testing.assert_close(found, wanted)


@pytest.mark.ci
def test_an_exported_loss_counts_the_rows_that_it_is_given(loss):
    module = _backend(loss, "torch").MeanCrossEntropy()
    x, t = (torch.tensor(each) for each in _labels((6, 5)))
    torch.testing.assert_close(module(x, t), functional.cross_entropy(x, t))
    rows = torch.export.Dim("rows", min=2, max=100)
    program = torch.export.export(module, (x, t), dynamic_shapes=({0: rows}, {0: rows})).module()
    x, t = (torch.tensor(each) for each in _labels((9, 5)))
    torch.testing.assert_close(program(x, t), functional.cross_entropy(x, t))


@pytest.mark.ci
def test_the_loss_of_jax_is_that_of_its_own_functions(loss):
    jax = pytest.importorskip("jax")
    layer = _backend(loss, "jax").mean_cross_entropy

    def own(x, t):
        return -jax.numpy.mean((t * jax.nn.log_softmax(x)).sum(-1))

    x, t = (each.astype(np.float32) for each in _labels((3, 6, 5)))
    made = ((f, jax.jit(jax.grad(f)), jax.hessian(f), jax.jacfwd(jax.jacfwd(f))) for f in (layer, own))
    for ours, theirs in zip(*made, strict=True):
        np.testing.assert_allclose(ours(x[0], t[0]), theirs(x[0], t[0]), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(jax.vmap(ours)(x, t), jax.vmap(theirs)(x, t), rtol=1e-4, atol=1e-6)
