"""The part of `torch_backend` that is every layer's: types, memory, modes and messages."""

import functools
import importlib
import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lngen
from lngen.errors import LngenError
from lngen.pipeline.files import loading
from tests.hosts import compile_nothing, layer_of
from tests.requirements import NO_TORCH, needs_gxx, needs_words_of_compiled
from tests.shipped import ROOT

torch = pytest.importorskip("torch", reason=NO_TORCH)
backend = importlib.import_module("generated.layer_norm.torch_backend")
add = importlib.import_module("generated.add_layer_norm.torch_backend")
tanh = importlib.import_module("generated.dynamic_tanh.torch_backend")
softmax = importlib.import_module("generated.softmax.torch_backend")
# Forward mode has PyTorch load what it has deprecated itself.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")

MODULES = (backend, add, tanh, softmax)


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing unless a test asks for it."""
    compile_nothing(MODULES, monkeypatch.setattr)


def rows(*shape, dtype=torch.float32, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype).requires_grad_()


def against_torch(x, **tolerance):
    """A module's outputs and gradients beside those of `torch.nn.LayerNorm`."""
    D, kind = x.shape[-1], torch.float64 if x.dtype == torch.float64 else torch.float32
    ours, theirs = backend.LayerNorm(D, dtype=kind), torch.nn.LayerNorm(D, dtype=kind)
    with torch.no_grad():
        ours.gamma.copy_(torch.linspace(0.5, 2, D))
        ours.beta.copy_(torch.linspace(-1, 1, D))
    theirs.load_state_dict({"weight": ours.gamma, "bias": ours.beta})
    weight = torch.linspace(-1, 1, x.numel()).reshape(x.shape).to(x.dtype)
    y = ours(x)
    found = torch.autograd.grad(y, [x, *ours.parameters()], weight)
    z = theirs(x.to(kind))
    expected = torch.autograd.grad(z, [x, *theirs.parameters()], weight.to(kind))
    assert y.dtype == x.dtype
    assert [each.dtype for each in found] == [x.dtype, kind, kind]
    torch.testing.assert_close(y, z.to(x.dtype), **tolerance)
    torch.testing.assert_close(found, expected, **tolerance)


# ---- types and memory


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_rows_of_16_bits_go_with_parameters_of_32(kind):
    step = torch.finfo(kind).eps
    against_torch(rows(6, 32, dtype=kind), rtol=4 * step, atol=16 * step)


def test_rows_need_not_be_dense():
    x = rows(3, 5, 4, dtype=torch.float64)
    for view in (x.transpose(0, 2), x[::2, 1:, :2], x.expand(2, 3, 5, 4), x[:1].expand(3, 5, 4)):
        torch.testing.assert_close(backend.layer_norm(view), torch.nn.functional.layer_norm(view, view.shape[-1:]))
        found, expected = (
            torch.autograd.grad(f(view).sin().sum(), x)[0]
            for f in (backend.layer_norm, lambda v: torch.nn.functional.layer_norm(v, v.shape[-1:]))
        )
        torch.testing.assert_close(found, expected)


@needs_gxx
def test_results_share_no_memory(monkeypatch):
    monkeypatch.setattr(layer_of(add), "has_kernels", True)
    x, residual = rows(2, 3), rows(2, 3, seed=1)
    y, h = add.add_layer_norm(x, residual)
    dx, dresidual = torch.autograd.grad((y, h), (x, residual), (torch.ones(2, 3), torch.ones(2, 3)))
    places = [each.data_ptr() for each in (x, residual, y, h, dx, dresidual)]
    assert len(set(places)) == len(places)
    assert (dx == dresidual).all()


def test_memory_that_was_lent_can_still_be_resized():
    """FSDP resizes the memory of gathered parameters."""
    module, x = backend.LayerNorm(3), rows(2, 3)
    module(x).sum().backward()
    assert x.untyped_storage().resizable()
    assert module.gamma.untyped_storage().resizable()


def test_a_number_may_be_a_parameter():
    x = rows(2, 3)
    assert (tanh.dynamic_tanh(x, 0.5) == tanh.dynamic_tanh(x)).all()
    assert tanh.dynamic_tanh(x.bfloat16(), 2).dtype == torch.bfloat16


# ---- modes


def test_activations_may_be_made_anew():
    checkpoint = importlib.import_module("torch.utils.checkpoint").checkpoint
    module, x = backend.LayerNorm(6), rows(4, 6)
    found = torch.autograd.grad(checkpoint(module, x, use_reentrant=False).sin().sum(), x)
    torch.testing.assert_close(found, torch.autograd.grad(module(x).sin().sum(), x))


def test_autocast_takes_the_widest_of_the_rows():
    x, residual = rows(2, 3, dtype=torch.bfloat16), rows(2, 3, seed=1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y, h = add.add_layer_norm(x, residual)
        assert backend.layer_norm(x).dtype == torch.bfloat16
    assert (y.dtype, h.dtype) == (torch.float32, torch.float32)
    (y.sum() + h.sin().sum()).backward()
    assert (x.grad.dtype, residual.grad.dtype) == (torch.bfloat16, torch.float32)


@needs_gxx
@pytest.mark.ci
def test_the_compiler_of_pytorch_has_it_as_one_graph(monkeypatch, tmp_path):
    """The compiler's default mode generates code for the processor in which the operators are calls."""
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    model = torch.nn.Sequential(torch.nn.Linear(6, 6), backend.LayerNorm(6), torch.nn.GELU())
    compiled = torch.compile(model, fullgraph=True)
    for count in (4, 7, 9):
        x = rows(count, 6, seed=count)
        expected = torch.autograd.grad(model(x).sin().sum(), [x, *model.parameters()])
        found = torch.autograd.grad(compiled(x).sin().sum(), [x, *model.parameters()])
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.ci
@pytest.mark.parametrize("is_sharded", [False, True])
def test_a_call_that_is_compiled_may_be_the_first(is_sharded, tmp_path):
    """Dynamo itself imports DTensor, of which a layer is told by its next call."""
    program = (
        "from generated.layer_norm import torch_backend as backend\n"
        "import sys, torch\n"
        "assert not sys.modules.keys() & {'torch._dynamo', 'torch.distributed.tensor'}\n"
        "backend._LAYER.has_kernels = False\n"
        "x = torch.arange(8.0).reshape(2, 4)\n"
        "if sys.argv[1] == 'True':\n"
        "    from torch.distributed.tensor import DeviceMesh, Shard, distribute_tensor\n"
        "    torch.distributed.init_process_group('gloo', init_method='file://' + sys.argv[2], rank=0, world_size=1)\n"
        "    x = distribute_tensor(x, DeviceMesh('cpu', [0]), [Shard(0)])\n"
        "compiled = torch.compile(backend.layer_norm, fullgraph=True, backend='aot_eager')\n"
        "y = compiled(x)\n"
        "assert (y == backend.layer_norm(x)).all()\n"
        "with torch.compiler.set_stance('fail_on_recompile'):\n"
        "    compiled(x)\n"
        "if torch.distributed.is_initialized():\n"
        "    torch.distributed.destroy_process_group()\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", program, str(is_sharded), str(tmp_path / "meet")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _pushed_gradients(function, is_within, moved, is_recorded):
    """The gradients of x and gamma, and their tangents, where some of x, gamma and the cotangent have one."""
    dual = torch.autograd.forward_ad
    values = [rows(*shape, dtype=torch.float64, seed=n) for n, shape in enumerate([(2, 5), (5,), (2, 5)])]
    tangents = [rows(*each.shape, dtype=torch.float64, seed=7).detach() for each in values]
    y = function(*values[:2])
    with dual.dual_level():
        x, gamma, cotangent = (
            dual.make_dual(value, tangent) if moves else value
            for value, tangent, moves in zip(values, tangents, moved, strict=True)
        )
        y = function(x, gamma) if is_within else y
        found = torch.autograd.grad(y, values[:2], cotangent, create_graph=is_recorded)
        pairs = [dual.unpack_dual(each) for each in found]
        return [
            (value.detach(), torch.zeros_like(value) if along is None else along.detach()) for value, along in pairs
        ]


@pytest.mark.parametrize("is_recorded", [False, True])
@pytest.mark.parametrize(
    ("is_within", "moved"),
    [(False, (False, False, True)), *[(True, each) for each in itertools.product((False, True), repeat=3)]],
)
def test_gradients_move_along_whatever_has_a_tangent(is_within, moved, is_recorded):
    """Reverse mode by autograd in a level of forward mode, recorded or not, of a function called in it or before."""

    def written_out(x, gamma):
        centred = x - x.mean(-1, keepdim=True)
        return gamma * centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()

    found, expected = (
        _pushed_gradients(function, is_within, moved, is_recorded) for function in (backend.layer_norm, written_out)
    )
    torch.testing.assert_close(found, expected)


def test_derivatives_are_of_any_order_and_in_any_mode():
    func, x = torch.func, rows(2, 3, dtype=torch.float64)
    gamma = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)

    def written(x, gamma):  # PyTorch's own layer norm has other third derivatives, which are wrong
        centred = x - x.mean(-1, keepdim=True)
        return gamma * centred * (centred.square().mean(-1, keepdim=True) + 1e-5).rsqrt()

    def third(function):
        (first,) = torch.autograd.grad(function(x, gamma).sin().sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sin().sum(), x, create_graph=True)
        return torch.autograd.grad(second.sin().sum(), x)[0]

    def forward_of_forward(function):
        return func.jacfwd(func.jacfwd(lambda v: function(v, gamma).sin().sum()))(x.detach())

    def third_of_transforms(function):
        return func.jacrev(func.jacfwd(func.grad(lambda v: function(v, gamma).sin().sum())))(x.detach())

    for way in (third, forward_of_forward, third_of_transforms):
        torch.testing.assert_close(way(backend.layer_norm), way(written))


def test_inputs_that_depend_on_each_other_have_gradients_of_their_own():
    """The second order, where the scale is a function of the rows, and rows are passed twice."""
    x = rows(2, 3, dtype=torch.float64)

    def second(layer, added):
        gamma = x.square().mean(0)
        (found,) = torch.autograd.grad((layer(x, gamma) + added(x, x, gamma)).sin().sum(), x, create_graph=True)
        return torch.autograd.grad(found.square().sum(), x)[0]

    def written(x, gamma):
        return torch.nn.functional.layer_norm(x, (3,), gamma)

    found = second(backend.layer_norm, lambda *given: add.add_layer_norm(*given)[0])
    torch.testing.assert_close(found, second(written, lambda x, r, gamma: written(x + r, gamma)))


def test_an_outer_transform_sees_what_a_rule_for_tangents_adds_up():
    """Tangents of a gradient's rows and of its cotangent, of which the second depend on what is differentiated."""
    func = torch.func
    x, u, c, w = (rows(2, 5, dtype=torch.float64, seed=seed).detach() for seed in range(4))

    def written(x):
        centred = x - x.mean(-1, keepdim=True)
        return centred * (centred.square().mean(-1, keepdim=True) + 1e-5).rsqrt()

    def moved(f, s):
        of_gradient = func.jvp(lambda x, c: func.vjp(f, x)[1](c)[0], (x, c), (u, s * w))[1]
        return of_gradient.sin() + func.jvp(f, (x * s,), (s * w,))[1]

    found, expected = [], []
    for f, to in ((backend.layer_norm, found), (written, expected)):
        of = functools.partial(moved, f)
        to.append(func.jacrev(of)(torch.tensor(0.7, dtype=torch.float64)))
    torch.testing.assert_close(found, expected)


# ---- messages


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: backend.layer_norm([1.0, 2.0]), "x is of type list; pass a tensor, such as torch.as_tensor makes"),
        (lambda: backend.layer_norm(rows(2, 3).detach().numpy()), "x is of type ndarray; pass a tensor"),
        (lambda: backend.layer_norm(3), "x is of type int; pass a tensor"),
        (lambda: backend.layer_norm(None), "x is None; pass a tensor"),
        (lambda: backend.layer_norm(rows(2, 3), [1.0] * 3), "gamma is of type list; pass a tensor"),
        (lambda: add.add_layer_norm(rows(2, 3), None), "residual is None; pass a tensor"),
        (lambda: tanh.dynamic_tanh([0.0], 2), "x is of type list; pass a tensor"),
        (lambda: backend.layer_norm(torch.ones(2, 3, dtype=torch.int64)), r"x is of type torch.int64; .* as x.float"),
        (lambda: tanh.dynamic_tanh(rows(2, 3), [2]), "alpha is of type list; pass a tensor or a number"),
        pytest.param(
            lambda: torch.compile(backend.layer_norm, fullgraph=True, backend="eager")(3),
            "x is of type int; pass a",
            marks=needs_words_of_compiled,
        ),
    ],
)
def test_what_is_no_tensor_is_refused(call, message):
    with pytest.raises((TypeError, torch._dynamo.exc.Unsupported), match=message):
        call()


LOSS = importlib.import_module("generated.cross_entropy.torch_backend")


def test_integer_labels_are_refused_with_the_way_to_pass_them():
    x, labels = rows(4, 9), torch.arange(4)
    remedy = r"and labels one-hot, as torch\.nn\.functional\.one_hot\(target, D\)\.float\(\)$"
    with pytest.raises(TypeError, match=remedy):
        LOSS.cross_entropy(x, labels)
    with pytest.raises(TypeError, match=r"as residual\.float\(\)$"):  # of no loss
        importlib.import_module("generated.add_rms_norm.torch_backend").add_rms_norm(x, labels)
    y = LOSS.cross_entropy(x, torch.nn.functional.one_hot(labels, 9).float())
    torch.testing.assert_close(y, torch.nn.functional.cross_entropy(x, labels, reduction="none"), check_dtype=False)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (lambda: torch.eye(3).to_sparse(), r"x is a sparse tensor, sparse_coo; pass a dense one, such as x\.to_dense"),
        (lambda: torch.eye(3).to_sparse_csr(), "x is a sparse tensor, sparse_csr; pass a dense one"),
        (
            lambda: torch.nested.nested_tensor([torch.ones(2, 3)], layout=torch.jagged),
            r"x is a nested tensor; pass each of x\.unbind",
        ),
    ],
    ids=["coo", "csr", "nested"],
)
@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_tensor_without_a_row_for_each_index_is_refused(x, message):
    with pytest.raises(TypeError, match=message):
        backend.layer_norm(x())


WRONG = {
    r"gamma has shape \(2,\); pass \(D,\), which is \(3,\)": (backend.layer_norm, (4, 3), (2,)),
    r"residual has shape \(4, 2\); pass the shape of x, which is \(4, 3\)": (add.add_layer_norm, (4, 3), (4, 2)),
    r"alpha has shape \(3,\); pass a number or a 0-d one": (tanh.dynamic_tanh, (4, 3), (3,)),
    r"x has shape \(\); pass \(..., D\) with D of 1 or more": (backend.layer_norm, ()),
}


@pytest.mark.ci
@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_shape_is_refused(message):
    """Also of tensors that have no entries."""
    call, *shapes = WRONG[message]
    with pytest.raises(ValueError, match=message):
        call(*[torch.ones(shape) for shape in shapes])
    with pytest.raises(ValueError, match=message):
        call(*[torch.ones(shape, device="meta") for shape in shapes])


@needs_words_of_compiled
@pytest.mark.ci
@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_shape_is_refused_in_a_program_that_is_compiled(message, monkeypatch):
    call, *shapes = WRONG[message]
    for module in MODULES:  # the operator says it, before anything is compiled
        monkeypatch.setattr(layer_of(module), "has_kernels", True)
    # A program of any size has symbols in the place of sizes.
    symbols = re.sub(r"\d+", r"(\\d+|s\\d+)", message)
    for dynamic in (False, True):
        torch._dynamo.reset()
        with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match=symbols if dynamic else message):
            torch.compile(call, fullgraph=True, dynamic=dynamic)(*[torch.ones(shape) for shape in shapes])


def test_a_constant_is_looked_at_without_entries_too():
    with pytest.raises(ValueError, match=r"eps is -1; pass a finite number of 0 or more"):
        backend.layer_norm(torch.ones(2, 3, device="meta"), eps=-1)


@pytest.mark.ci
def test_a_size_that_is_not_known_yet_is_looked_at_when_it_is():
    def chosen(x, gamma):
        return backend.layer_norm(x[x.sum(-1) > 0], gamma)

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(chosen, fullgraph=True, backend="aot_eager", dynamic=True)
        x, gamma = rows(6, 3), torch.ones(3)
        assert (compiled(x, gamma) == chosen(x, gamma)).all()


def test_a_program_is_traced_by_its_symbols(monkeypatch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.norm, self.last = backend.LayerNorm(4), add.AddLayerNorm(4), tanh.DynamicTanh(4)

        def forward(self, x):
            y, h = self.norm(self.first(x), x)
            return self.last(y) + h

    model, x = Model(), rows(2, 4)
    with monkeypatch.context() as there:
        for module in MODULES:
            there.setattr(layer_of(module), "has_kernels", True)
        traced = torch.fx.symbolic_trace(model)
    assert (traced(x) == model(x)).all()
    assert any("add_layer_norm_forward" in str(node.target) for node in traced.graph.nodes)
    with pytest.raises(
        TypeError, match=r"alpha is 0.5, and the traced program does not know the type of the rows; pass a"
    ):
        torch.fx.symbolic_trace(lambda x: tanh.dynamic_tanh(x, 0.5))


def test_a_backend_without_pytorch_says_what_to_install(monkeypatch):
    monkeypatch.setattr(loading, "is_installed", lambda package: False)
    with pytest.raises(LngenError, match="which is not installed: pip install torch"):
        lngen.load("layer_norm", backend="torch")


def test_replacing_without_pytorch_says_what_to_install():
    program = "import sys; sys.modules['torch'] = None; import lngen.torch"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "lngen.errors.LngenError: lngen.torch needs PyTorch, which is not installed: pip install torch"
    )


@pytest.mark.ci
def test_layers_of_one_name_live_side_by_side(tmp_path: Path):
    for name in ("layer_norm", "_runtime"):
        shutil.copytree(ROOT / "generated" / name, tmp_path / "own" / name)
    program = (
        "from generated.layer_norm import torch_backend as a; from own.layer_norm import torch_backend as b\n"
        "import importlib, torch; x = torch.ones(2, 3)\n"
        "b = importlib.reload(b)\n"
        "assert a._LAYER.operators.forward is not b._LAYER.operators.forward\n"
        "assert (a.layer_norm(x) == b.layer_norm(x)).all()\n"
        "assert torch.ops.lngen.own__layer_norm_forward.default is b._LAYER.operators.forward\n"
    )
    environment = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "PATH": "/nowhere"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# ---- samples


def per_sample(x, *parameters):
    """The gradients of each sample's loss for all that is given, under vmap: samples share parameters of one axis."""
    dims = tuple(0 if each.ndim > 1 or each is x else None for each in (x, *parameters))
    gradients = torch.func.grad(lambda *given: backend.layer_norm(*given).sin().sum(), (0, 1, 2))
    return torch.func.vmap(gradients, dims)(x, *parameters)


@pytest.mark.parametrize("of_each", [True, False], ids=["own parameters", "shared parameters"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_gradients_of_each_sample_are_those_of_its_own(dtype, of_each):
    x = rows(5, 4, 33, dtype=dtype).detach().transpose(0, 1).contiguous().transpose(0, 1)
    shape = (5, 33) if of_each else (33,)
    gamma, beta = rows(*shape).detach(), rows(*shape, seed=1).detach()
    found = per_sample(x, gamma, beta)
    step = torch.finfo(dtype).eps
    tolerance = {"rtol": 4 * step, "atol": 16 * step} if dtype == torch.bfloat16 else {}
    for number in range(5):
        own = [x[number], *[each[number] if of_each else each for each in (gamma, beta)]]
        own = [each.clone().requires_grad_() for each in own]
        expected = torch.autograd.grad(backend.layer_norm(*own).sin().sum(), own)
        torch.testing.assert_close([each[number] for each in found], list(expected), **tolerance)


@needs_gxx
@pytest.mark.ci
def test_samples_of_samples_and_what_does_not_fit(monkeypatch):
    layer = layer_of(backend)
    x, gamma, beta = rows(2, 3, 4, 7).detach(), rows(2, 7).detach(), rows(3, 7).detach()
    nested = torch.func.vmap(torch.func.vmap(backend.layer_norm, (0, None, 0)), (0, 0, None))
    expected = torch.stack(
        [torch.stack([backend.layer_norm(x[i, j], gamma[i], beta[j]) for j in range(3)]) for i in range(2)]
    )
    for has_kernels in (False, True):
        monkeypatch.setattr(layer, "has_kernels", has_kernels)
        torch.testing.assert_close(nested(x, gamma, beta), expected)
        with pytest.raises(ValueError, match=r"gamma has shape \(6,\)"):
            torch.func.vmap(backend.layer_norm)(x[0], gamma[:, :6].repeat(2, 1)[:3])
