"""The way of a call by what has a say in it: a kernel, the layer's operator, or the decomposition."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from lngen.runtime.native.extensions import headers
from tests.hosts import layer_of, private
from tests.requirements import NO_TORCH, needs_compiled_operators, needs_exchange, needs_gxx

torch = pytest.importorskip("torch", reason=NO_TORCH)
pytestmark = [
    needs_gxx,
    pytest.mark.skipif(not headers(), reason="no headers of Python"),
    # Forward mode has PyTorch load what it has deprecated itself.
    pytest.mark.filterwarnings("ignore:.torch.jit.:DeprecationWarning"),
]
guards = importlib.import_module("generated._runtime.torch.guards")
norm = importlib.import_module("generated.layer_norm.torch_backend")
add = importlib.import_module("generated.add_layer_norm.torch_backend")
groups = importlib.import_module("generated.group_norm.torch_backend")
checkpoint = importlib.import_module("torch.utils.checkpoint").checkpoint  # which PyTorch 2.6 does not import itself
F = torch.nn.functional


class Seen(dict):  # type: ignore[type-arg]
    """Kernels of a direction, which count how often they are asked."""

    count = 0

    def __getitem__(self, key: Any) -> Any:
        self.count += 1
        return super().__getitem__(key)

    def __missing__(self, key: Any) -> Any:
        return self.of[key]

    of: Any


class Ways:
    """Counts of the calls of kernels, of the operator and of the decomposition of a layer."""

    def __init__(self, backend: Any, put: Callable[[Any, str, Any], None]) -> None:
        self.kernels = {name: Seen() for name in ("_FORWARD", "_BACKWARD")}
        for name, seen in self.kernels.items():
            seen.of = private(backend, name)
            put(backend, name, seen)
        self.operator = self.decomposition = 0
        layer = layer_of(backend)
        operator, decomposed = layer.operators.forward, layer.decomposed

        def counted(*given: Any) -> Any:
            self.operator += 1
            return operator(*given)

        def noted(*given: Any) -> Any:
            self.decomposition += 1
            return decomposed(*given)

        put(layer.operators, "forward", counted)
        put(layer, "decomposed", noted)

    @property
    def found(self) -> str:
        """The way of the forward of one call."""
        if self.operator:
            return "operator"
        return "kernel" if self.kernels["_FORWARD"].count else "decomposition" if self.decomposition else "none"


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    def made(backend: Any = norm) -> Ways:
        assert layer_of(backend).has_kernels  # they are found at the first call
        return Ways(backend, monkeypatch.setattr)

    return made


def within(context: Any, *, after: Callable[[Any], Any] = lambda value: value) -> Callable[[Any, Any], Any]:
    """A call in a context."""

    def call(function: Any, x: Any) -> Any:
        with context() as entered:
            return function(after(x) if after.__code__.co_argcount == 1 else after(x, entered))

    return call


def dual(function: Any, x: Any) -> Any:
    ad = torch.autograd.forward_ad
    with ad.dual_level():
        return ad.unpack_dual(function(ad.make_dual(x, x))).primal


def fake(function: Any, x: Any) -> Any:
    with private(torch, "_subclasses").FakeTensorMode() as mode:
        return function(mode.from_tensor(x))


class Subclass(torch.Tensor):
    """A tensor of another class."""


class FunctionMode(torch.overrides.TorchFunctionMode):
    """A mode that lets everything through."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


# PyTorch 2.6 does not say that there are hooks.
HOOKED = "kernel" if torch.__version__ < (2, 9) else "operator"
MODES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "plain": (lambda f, x: f(x), "kernel"),
    "recorded": (lambda f, x: f(x.requires_grad_()), "kernel"),
    "no_grad": (within(torch.no_grad), "kernel"),
    "inference_mode": (within(torch.inference_mode), "kernel"),
    "float64": (lambda f, x: f(x.double()), "kernel"),
    "bfloat16": (lambda f, x: f(x.bfloat16()), "kernel"),
    "float16": (lambda f, x: f(x.half()), "kernel"),
    "gaps": (lambda f, x: f(x.repeat(1, 2)[:, ::2]), "kernel"),
    "transposed": (lambda f, x: f(x.t().contiguous().t()), "kernel"),
    "parameter": (lambda f, x: f(torch.nn.Parameter(x)), "kernel"),
    "activation checkpoint": (
        lambda f, x: checkpoint(f, x.requires_grad_(), use_reentrant=False), HOOKED
    ),
    "autocast": (within(lambda: torch.autocast("cpu", torch.bfloat16)), "operator"),
    "profiler": (within(torch.profiler.profile), "operator"),
    "hooks": (within(lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x)), HOOKED),
    "function mode": (within(FunctionMode), "operator"),
    "vmap": (lambda f, x: torch.vmap(f)(x), "decomposition"),
    "grad": (lambda f, x: torch.func.grad(lambda v: f(v).sum())(x), "decomposition"),
    "jvp": (lambda f, x: torch.func.jvp(f, (x,), (x,))[0], "decomposition"),
    "functionalize": (lambda f, x: torch.func.functionalize(f)(x), "decomposition"),
    "hessian": (lambda f, x: torch.func.hessian(lambda v: f(v).sum())(x), "decomposition"),
    "dual": (dual, "decomposition"),
    "fake": (fake, "decomposition"),
    "meta": (lambda f, x: f(x.to("meta")), "decomposition"),
    "subclass": (lambda f, x: f(x.as_subclass(Subclass)), "decomposition"),
    "negative bit": (lambda f, x: f(private(torch, "_neg_view")(x)), "operator"),
    "zero tensor": (lambda f, x: f(private(torch, "_efficientzerotensor")(x.shape)), "operator"),
    "dispatch mode": (
        lambda f, x: torch.fx.experimental.proxy_tensor.make_fx(lambda v: f(v))(x)(x), "decomposition"
    ),
    "no rows": (lambda f, x: f(x[:0]), "operator"),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_a_call_in_a_mode_goes_its_way(mode, ways):
    call, wanted = MODES[mode]
    seen, x = ways(), torch.randn(3, 8)
    call(norm.layer_norm, x)
    assert seen.found == wanted


@pytest.mark.parametrize("mode", ["plain", "recorded", "gaps", "vmap", "jvp", "fake", "autocast", "bfloat16"])
def test_axes_that_have_names_go_the_same_way(mode, ways):
    call, wanted = MODES[mode]
    seen, x = ways(groups), torch.randn(3, 8)
    call(lambda x: groups.group_norm(x if x.ndim == 2 else x[None], g=2), x)
    assert seen.found == wanted


def spread(y: Any) -> Any:
    return torch.ones((), dtype=y.dtype).expand(y.shape)


COTANGENTS: dict[str, tuple[Callable[[Any], Any], dict[str, Any], bool]] = {
    "dense": (torch.ones_like, {}, True),
    "expanded": (spread, {}, True),
    "transposed": (lambda y: torch.ones(*y.shape[::-1]).t(), {}, True),
    "of another type": (lambda y: torch.ones_like(y, dtype=torch.float64), {}, True),
    "differentiated again": (torch.ones_like, {"create_graph": True}, False),
    "batched": (lambda y: torch.ones(2, *y.shape), {"is_grads_batched": True}, False),
}


@pytest.mark.parametrize("backend", [norm, groups], ids=["layer_norm", "group_norm"])
@pytest.mark.parametrize("kind", COTANGENTS)
def test_a_cotangent_goes_its_way(kind, backend, ways):
    make, options, wanted = COTANGENTS[kind]
    function = norm.layer_norm if backend is norm else lambda x: groups.group_norm(x, g=2)
    x = torch.randn(3, 8, requires_grad=True)
    function(x)
    seen = ways(backend)
    y = function(x)
    torch.autograd.grad(y, x, make(y), **options)
    assert bool(seen.kernels["_BACKWARD"].count) == wanted
    assert bool(seen.decomposition) != wanted


@needs_compiled_operators
def test_a_compiled_program_has_the_operator_and_an_exported_one_the_decomposition():
    graphs = []

    def keep(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph

    x = torch.randn(3, 8)
    torch.compile(norm.layer_norm, fullgraph=True, backend=keep)(x)
    assert any("layer_norm_forward" in str(node.target) for node in graphs[0].graph.nodes)
    program = torch.export.export(norm.LayerNorm(8), (x,))
    assert not any(str(node.target).startswith("lngen.") for node in program.graph.nodes)


# ---- calls of kernels


class Asked(Exception):
    """Signal that kernels were asked for, of a type and without some arguments."""


class Kernels(dict):  # type: ignore[type-arg]
    def __missing__(self, key: Any) -> Any:
        raise Asked(key)


def asked(run: Any, form: str, least: int, tensors: Any) -> Any:
    try:
        return run(Kernels(), form, least, (), (), False, *tensors)
    except Asked as error:
        return error.args[0][0]


def both(form: str, *tensors: Any, least: int = 1) -> Any:
    """The type of kernels that are asked for, or what is returned instead: C and Python agree, where PyTorch has the
    table by which C reads tensors, from 2.10 on.
    """
    guards.run(Kernels(), "R", 1, (), (), None, None)  # chooses
    in_python = private(guards, "_in_python")
    assert (guards.run is in_python) == (not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"))
    found = asked(guards.run, form, least, tensors)
    assert found == asked(in_python, form, least, tensors)
    return found


def test_kernels_run_on_tensors_as_the_form_has_them():
    x, gamma, label, scale = torch.randn(2, 3, 5), torch.ones(5), torch.ones(2, 3).int(), torch.ones(())
    assert both("Rfin+r", x, gamma, label, scale, x) == "f32"
    assert both("Rfin+r0", x[1:], None, None, None, x) == "f32"
    assert both("Rf+r|+f|r", x.bfloat16(), gamma, x, gamma, None) == "bf16"
    assert both("Rf", x.bfloat16(), gamma.bfloat16()) == "bf16_bf16"
    assert both("Rs", x.half(), torch.ones(2, 3).half()) == "f16"
    assert both("Rf", x.double(), gamma.double()) == "f64"
    assert both("Rf", x, gamma.clone().requires_grad_()) is True
    assert both("R|||Rf", x, x, gamma.clone().requires_grad_()) is True
    with torch.no_grad():
        assert both("Rf", x, gamma.clone().requires_grad_()) == "f32"
    assert both("R", x, least=5) == "f32"
    assert both("R", x, least=6) is None


def test_kernels_run_on_tensors_of_other_axes_by_their_entries():
    x, gamma = torch.randn(2, 6, 5), torch.ones(3, 5)
    assert both("=Rfs+r", x, gamma, torch.ones(2, 2), x, least=15) == "f32"
    assert both("=Rr", x, torch.ones(60), least=15) == "f32"
    assert both("=Rf", x, gamma.mT, least=15) is None
    assert both("=Rf", x, gamma, least=12) is None
    assert both("=Rf", x, gamma, least=7) is None
    assert both("=R", x, least=0) is None


def test_row_scalars_are_kept_where_autograd_records():
    x = torch.randn(2, 5)
    guards.run(Kernels(), "R", 1, (), (), None, None)
    for run in (guards.run, private(guards, "_in_python")):
        y, kept = private(norm, "_forward")(run, True, 1e-5, x, None, None)
        assert kept is None
        again, kept = private(norm, "_forward")(run, True, 1e-5, x.clone().requires_grad_(), None, None)
        assert kept.shape == (3, 2)
        assert (again == y).all()


@pytest.mark.parametrize("shape", [(3, 8), (300, 200), (2048, 1024)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_results_of_c_are_those_of_python(shape, dtype):
    x, gamma, dy = torch.randn(shape, dtype=dtype), torch.randn(shape[-1], dtype=dtype), torch.randn(shape, dtype=dtype)
    guards.run(Kernels(), "R", 1, (), (), None, None)
    found = []
    for run in (guards.run, private(guards, "_in_python")):
        y, kept = private(norm, "_forward")(run, None, 1e-5, x, gamma, None)
        alone = private(norm, "_forward")(run, False, 1e-5, x, gamma, None)
        assert (alone == y).all()
        assert kept.shape == (3, shape[0])
        dx, dgamma, dbeta = private(norm, "_backward")(run, kept, 1e-5, x, gamma, None, dy)
        assert dbeta is None
        found.append((y, kept, dx, dgamma))
    for one, other in zip(*found, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert (one == other).all()


@pytest.mark.parametrize(
    ("form", "tensors"),
    [
        ("Rf", lambda x: (x, torch.ones(4))),
        ("Rf", lambda x: (x, torch.ones(5).double())),
        ("Rf", lambda x: (x.bfloat16(), torch.ones(5).half())),
        ("Rff", lambda x: (x.bfloat16(), torch.ones(5).bfloat16(), torch.ones(5))),
        ("Rff", lambda x: (x.half(), torch.ones(5), torch.ones(5).half())),
        ("Rf", lambda x: (x, torch.ones(10)[::2])),
        ("RF", lambda x: (x, None)),
        ("Rf", lambda x: (x, [1.0] * 5)),
        ("RR", lambda x: (x, x.view(6, 5))),
        ("Rs", lambda x: (x, torch.ones(2, 1))),
        ("Ri", lambda x: (x, torch.ones(2, 3).long())),
        ("Rn", lambda x: (x, torch.ones(1))),
        ("R", lambda x: (x.mT,)),
        ("R", lambda x: (x[:0],)),
        ("R", lambda x: (x.int(),)),
        ("R", lambda x: (torch.ones(()),)),
        ("R", lambda x: (x.to("meta"),)),
        ("R", lambda x: (x.to_sparse(),)),
        ("R", lambda x: (x.as_subclass(Subclass),)),
        ("R", lambda x: (private(torch, "_neg_view")(x),)),
    ],
)
def test_kernels_do_not_run_on_other_tensors(form, tensors):
    assert both(form, *tensors(torch.randn(2, 3, 5))) is None


@needs_exchange
def test_a_form_of_another_length_is_refused():
    both("R", torch.ones(1))
    with pytest.raises(TypeError, match="pass a tensor or None for each letter of a form"):
        guards.run(Kernels(), "RR", 1, (), (), None, torch.ones(1))
    with pytest.raises(TypeError, match="pass a tensor or None for each letter of a form"):
        guards.run(Kernels(), "R", 1, (), (), None, torch.ones(1), torch.ones(1))


def test_a_release_without_a_name_that_is_needed_is_told():
    with pytest.raises(ImportError, match=r"has no _gone, by which lngen knows who has a say in a call"):
        private(importlib.import_module("generated._runtime.torch.asked"), "_private")(torch, "_gone")


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("shape", [(2, 8, 4, 4), (64, 8, 64, 8)])
def test_an_output_may_be_changed_in_place(shape, is_recorded):
    gamma = torch.ones(8, requires_grad=is_recorded)
    for call, given in ((lambda x: groups.group_norm(x, gamma, g=4), shape), (norm.layer_norm, shape)):
        x = torch.randn(given, requires_grad=is_recorded)
        made = call(x)
        wanted = torch.relu(made.detach().clone())
        changed = torch.relu_(made)
        assert (changed == wanted).all()
        if is_recorded:
            (found,) = torch.autograd.grad(changed.square().sum(), x)
            (expected,) = torch.autograd.grad(torch.relu(call(x)).square().sum(), x)
            assert (found == expected).all()


def test_a_large_output_made_without_autograd_may_be_changed_with_it():
    with torch.no_grad():
        made = norm.layer_norm(torch.randn(512, 128))
    assert made.mul_(torch.ones(128, requires_grad=True)).requires_grad


def test_rows_of_another_type_than_forward_saw_are_refused():
    x = torch.randn(64, 8, requires_grad=True)
    y = norm.layer_norm(x)
    x.data = x.data.double()
    with pytest.raises(RuntimeError, match="the rows have another type or shape than forward saw"):
        y.sum().backward()


def test_rows_of_eight_bits_are_refused_by_their_type():
    with pytest.raises(TypeError, match=r"x is of type torch\.float8_e4m3fn; pass float16"):
        norm.layer_norm(torch.ones(2, 4).to(torch.float8_e4m3fn))


# ---- arrays that rows share


def test_kernels_read_what_rows_share_where_it_lies():
    x, gamma, starts = torch.randn(2, 12, 5), torch.ones(12), guards.starts(5, (2, 4), (0, 3))
    assert both("=R*c+c", x, gamma, starts, gamma, least=15) == "f32"
    assert both("=R*c+c", x, None, starts, None, least=15) == "f32"
    assert both("=*cR", gamma, starts, x, least=15) == "f32"
    assert both("=R*c+c", x, torch.ones(24)[::2], starts, gamma, least=15) is None
    assert both("=R*c+c", x, gamma.double(), starts, gamma, least=15) is None
    assert both("=Rr+c", x, gamma, gamma, least=15) is None


def test_a_table_of_starts_is_kept_of_few_rows():
    given = 5, (2, 4), (0, 3)
    assert [*memoryview(guards.starts(*given)).cast("q")] == [5, *[0, 3, 6, 9] * 2]
    assert guards.starts(*given) is guards.starts(*given)
    many = 0, (2, 2**16), (0, 1)
    assert guards.starts(*many) is not guards.starts(*many)


SHARED = {
    # by the sizes of a group of channels: runs of one entry, of fewer and of more than lanes, and of several pieces
    **{f"group norm {rest}": ("group_norm", (3, 12, *rest), {"g": 4}) for rest in ((), (2,), (3, 5), (4, 4), (1100,))},
    "instance norm": ("instance_norm", (3, 4, 6), {}),
    "scales of samples": ("ada_layer_norm", (3, 4, 5, 6), {}),
    "weights of heads": ("head_rms_norm", (2, 3, 4, 5), {}),
}


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("name", SHARED)
def test_what_rows_share_has_the_values_and_gradients_of_the_decomposition(name, absent):
    module, shape, sizes = SHARED[name]
    backend = importlib.import_module(f"generated.{module}.torch_backend")
    layer = layer_of(backend)
    of = {"group_norm": (12,), "instance_norm": (4,), "ada_layer_norm": (3, 6), "head_rms_norm": (4, 5)}[module]
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    others = [torch.randn(of, dtype=torch.float64, requires_grad=True) for _ in layer.inputs[1:]]
    others[:1] = [None] if absent else others[:1]
    there = [each for each in (x, *others) if each is not None]
    dy = torch.randn(shape, dtype=torch.float64)
    decomposed = layer.decomposed(x, *others, 1e-5, *sizes.values())
    expected = [decomposed, *torch.autograd.grad(decomposed, there, dy)]
    for run in (guards.run, private(guards, "_in_python")):
        given = private(backend, "_rows_of")(x, *others, *sizes.values())
        assert all(any(each is one for one in given) for each in there)  # none is copied
        *results, kept = private(backend, "_forward")(run, None, 1e-5, *given)
        made = private(backend, "_Recorded").apply((*results, kept), x, *others, 1e-5, *sizes.values())
        for one, other in zip([made, *torch.autograd.grad(made, there, dy)], expected, strict=True):
            assert one.shape == other.shape
            assert torch.allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.ci
def test_copies_and_defaults_of_0_take_the_straight_way(monkeypatch):
    labels = importlib.import_module("generated.label_cross_entropy.torch_backend")
    for backend in (norm, labels):
        monkeypatch.setattr(layer_of(backend), "call", None)
    x, place = torch.randn(3, 14, requires_grad=True), torch.tensor([1, 2, 6])
    norm.layer_norm(x[:, ::2], torch.ones(7).half()).square().sum().backward()
    assert not x.grad[:, 1::2].any()
    assert x.grad[:, ::2].any()
    expected = F.cross_entropy(x[:, :7], place, reduction="none")
    torch.testing.assert_close(labels.label_cross_entropy(x[:, :7], place), expected)


def test_a_parameter_of_an_output_that_nobody_reads_has_zeros_by_a_kernel_and_none_by_operations(ways):
    count, layer, gamma = ways(add), layer_of(add), torch.ones(4, requires_grad=True)

    def gradient(call: Callable[..., Any]) -> Any:
        _, h = call(torch.randn(2, 4, requires_grad=True), torch.randn(2, 4), gamma, None, 1e-5)
        return torch.autograd.grad(h.sum(), gamma, allow_unused=True)[0]

    assert gradient(layer.decomposed) is None
    assert gradient(lambda *given: add.add_layer_norm(*given[:-1])).tolist() == [0.0] * 4
    assert count.found == "kernel"
