"""Emitted layers as the `forward` of modules of PyTorch's."""

import copy
import importlib
import inspect
import io
import itertools
import pickle
import sys
from unittest import mock

import pytest

from lngen.errors import LngenError
from tests.hosts import compile_nothing, layer_of
from tests.requirements import NO_TORCH, needs_compiled_operators

torch = pytest.importorskip("torch", reason=NO_TORCH)
lngen_torch = importlib.import_module("lngen.torch")
runtime = importlib.import_module("generated._runtime.torch")
interface = importlib.import_module("generated._runtime.protocol.interface")
NAMES = ("layer_norm", "rms_norm", "offset_rms_norm", "gated_rms_norm", "softmax")
backends = {name: importlib.import_module(f"generated.{name}.torch_backend") for name in NAMES}
nn = torch.nn


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing."""
    compile_nothing(backends.values(), monkeypatch.setattr)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleDict({"first": nn.LayerNorm(6), "second": nn.RMSNorm(6, eps=0.5)})
        self.rest = nn.Sequential(nn.LayerNorm(6, bias=False), nn.Softmax(dim=-1), nn.Linear(6, 2))

    def forward(self, x):
        return self.rest(self.norms["second"](self.norms["first"](x)))


class Promoting(nn.Module):
    """A norm that rounds to the type of its rows before it multiplies, whose result has the wider type."""

    def __init__(self, features=6, eps=1e-6):
        super().__init__()
        self.scale, self.epsilon = nn.Parameter(torch.linspace(0.5, 2, features)), eps

    def normalized(self, rows):
        return rows * torch.rsqrt(rows.square().mean(-1, keepdim=True) + self.epsilon)

    def forward(self, rows):
        return self.scale * self.normalized(rows.float()).to(rows.dtype)


class Narrowing(Promoting):
    """One whose result has the type of the parameters."""

    def forward(self, rows):
        return self.scale * self.normalized(rows.float()).to(self.scale.dtype)


class Gated(Promoting):
    def forward(self, rows, gate):
        return self.scale * self.normalized(rows) * nn.functional.silu(gate)


class OptionallyGated(Promoting):
    def forward(self, rows, gate=None):
        return super().forward(rows) if gate is None else super().forward(rows) * nn.functional.silu(gate)


class Failing(Promoting):
    def forward(self, rows):
        raise RuntimeError("no GPU")


class Summed(Promoting):
    def forward(self, rows):
        return super().forward(rows).sum(-1)


class Twice(Promoting):
    def forward(self, rows):
        return super().forward(rows), rows


class WithoutSignature(Promoting):
    forward = max


class Spread(Promoting):
    def forward(self, *rows):
        return super().forward(*rows)


class Unscaled(Promoting):
    def normalized(self, rows):
        return rows * torch.rsqrt(rows.square().sum(-1, keepdim=True) + self.epsilon)


class EpsOutside(Promoting):
    def normalized(self, rows):
        return rows / (rows.square().mean(-1, keepdim=True).sqrt() + self.epsilon)


class Plain(nn.LayerNorm):
    pass


class OwnForward(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x) + 1


def standing_for(layer, name, attributes, conditions=None):
    """The module of a layer whose definition names another class."""
    made = copy.copy(layer_of(importlib.import_module(f"generated.{layer}.torch_backend")))
    made.interface = {**made.interface, "counterparts": [interface.counterpart(name, attributes, conditions)]}
    return type("Standing", (runtime.Module,), {"_layer": made})


def own(kind, layer="rms_norm"):
    parameter = importlib.import_module(f"generated.{layer}").INTERFACE["inputs"][-1]["name"]
    return standing_for(layer, f"{__name__}.{kind.__name__}", {"scale": parameter, "epsilon": "eps"})


def randomized(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    return model


def is_emitted(module, *rows):
    """Test whether a layer computes a module, or one inside it."""
    kinds = {type(each._lngen_forward) for each in module.modules() if hasattr(each, "_lngen_forward")}
    for kind in kinds:
        with mock.patch.object(kind, "computed", autospec=True, side_effect=kind.computed) as computed:
            module(*rows)
        if computed.called:
            return True
    return False


@pytest.mark.ci
def test_replace_of_a_model_computes_the_same_and_keeps_its_modules():
    torch.manual_seed(0)
    model, x = randomized(Model()), torch.randn(3, 6)
    before = [(repr(each), id(each)) for each in model.modules()]
    kinds = [type(each) for each in model.modules()]
    parameters = [(name, id(each)) for name, each in model.named_parameters()]
    state, expected = copy.deepcopy(model.state_dict()), model(x)
    done = lngen_torch.replace(model)
    assert str(done).splitlines() == [
        "norms.first: LayerNorm is computed by layer_norm",
        "norms.second: RMSNorm is computed by rms_norm",
        "rest.0: LayerNorm is computed by layer_norm",
        "rest.1: Softmax is computed by softmax",
    ]
    assert done.stayed == ()
    assert [(repr(each), id(each)) for each in model.modules()] == before
    assert all(isinstance(*pair) for pair in zip(model.modules(), kinds, strict=True))
    assert [(name, id(each)) for name, each in model.named_parameters()] == parameters
    assert model.state_dict().keys() == state.keys()
    torch.testing.assert_close(model(x), expected)
    assert is_emitted(model, x)
    assert inspect.signature(model.norms["first"].forward) == inspect.signature(Model().norms["first"].forward)
    randomized(model).load_state_dict(state)
    torch.testing.assert_close(model(x), expected)


def test_replace_undone_gives_the_bits_of_before_back():
    model, x = randomized(Model()), torch.randn(3, 6)
    expected = model(x)
    first, again = lngen_torch.replace(model), lngen_torch.replace(model)
    assert str(again) == str(first)
    again.undo()
    assert torch.equal(model(x), expected)
    assert type(model.norms["first"]) is nn.LayerNorm
    first.undo()
    assert torch.equal(model(x), expected)


@pytest.mark.ci
def test_undo_of_a_forward_that_another_has_taken_is_refused():
    model = nn.Sequential(nn.LayerNorm(4), nn.LayerNorm(4))
    done, x = lngen_torch.replace(model), torch.randn(2, 4)
    taken = model[1].forward
    vars(model[1])["forward"] = lambda rows: taken(rows)
    with pytest.raises(RuntimeError, match="another forward was set on 1 since"):
        done.undo()
    assert is_emitted(model[0], x)
    [stayed] = lngen_torch.replace(model).stayed
    assert (stayed.name, stayed.reason) == ("1", "a forward was set on it")


def test_replace_of_a_shared_module_is_of_one():
    norm = nn.LayerNorm(4).eval()
    norm.weight.requires_grad_(False)
    model = nn.Sequential(norm, nn.Linear(4, 4), norm)
    assert [each.name for each in lngen_torch.replace(model).replaced] == ["0", "2"]
    assert model[0] is model[2] is norm
    assert not norm.training
    assert not norm.weight.requires_grad


def test_replace_of_a_model_that_is_a_norm_and_has_hooks_keeps_them():
    norm, seen = nn.LayerNorm(4), []
    norm.register_forward_pre_hook(lambda *_: seen.append("before"))
    norm.register_forward_hook(lambda *_: seen.append("after"))
    assert str(lngen_torch.replace(norm)) == "the model: LayerNorm is computed by layer_norm"
    assert is_emitted(norm, torch.randn(2, 4))
    assert seen == ["before", "after"]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("affine", [True, False])
def test_eps_that_is_none_is_the_step_of_each_call(dtype, affine):
    """A step of another type would change rows this small in the first digit."""
    norm = nn.RMSNorm(64, elementwise_affine=affine)
    assert lngen_torch.replace(norm).replaced
    norm.to(dtype)
    computed = torch.promote_types(dtype, torch.float32)
    x = (torch.randn(5, 64, dtype=torch.float64) * torch.finfo(computed).eps ** 0.5).to(dtype)
    torch.testing.assert_close(norm(x), nn.RMSNorm.forward(norm, x))
    assert norm.eps is None


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (nn.LayerNorm((3, 4)), "its rows are of 2 axes (3, 4); a row here has one"),
        (nn.Softmax(dim=0), "its dim is 0, and has to be -1"),
        (OwnForward(4), "OwnForward has a forward of its own, not that of torch.nn.modules.normalization.LayerNorm"),
        (
            backends["layer_norm"].LayerNorm(4),
            "it is the module of an emitted layer already, of generated.layer_norm.torch_backend",
        ),
        (nn.LocalResponseNorm(2), "no layer names torch.nn.modules.normalization.LocalResponseNorm"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_replace_of_what_it_cannot_stand_for_lists_it_with_the_reason(module, reason):
    model = nn.Sequential(module, nn.Linear(4, 4))
    done = lngen_torch.replace(model)
    assert [(each.name, each.module, each.reason) for each in done.stayed] == [("0", module, reason)]
    assert str(done) == f"0: {type(module).__name__} stays: {reason}"
    assert done.replaced == ()
    assert not hasattr(module, "_lngen_forward")


def test_replace_of_a_subclass_without_a_forward_of_its_own_finds_it():
    model = nn.Sequential(Plain(4))
    assert str(lngen_torch.replace(model)) == "0: Plain is computed by layer_norm"
    assert isinstance(model[0], Plain)


def test_replace_by_chosen_layers_leaves_the_others():
    model = Model()
    done = lngen_torch.replace(model, ["rms_norm", backends["softmax"].Softmax])
    assert [each.name for each in done.replaced] == ["norms.second", "rest.1"]
    assert [each.name for each in done.stayed] == ["norms.first", "rest.0"]
    assert len(lngen_torch.replace(model, ["layer_norm"]).replaced) == 2
    assert lngen_torch.replace(model, ["softmax"]).stayed == ()


# ---- layers whose axes have names


@pytest.fixture
def groups(monkeypatch):
    """The layer of groups, which compiles nothing."""
    layer = importlib.import_module("generated.group_norm.torch_backend").GroupNorm
    compile_nothing([sys.modules[layer.__module__]], monkeypatch.setattr)
    return layer


def test_replace_of_a_norm_of_groups_computes_the_same(groups):
    torch.manual_seed(0)
    model = randomized(nn.Sequential(nn.GroupNorm(2, 6), nn.GroupNorm(3, 6, affine=False), nn.GroupNorm(6, 6, eps=0.1)))
    x = torch.randn(2, 6, 5, 3, requires_grad=True)
    expected = model(x)
    assert len(lngen_torch.replace(model, [groups]).replaced) == 3
    assert is_emitted(model[0], x)
    torch.testing.assert_close(model(x), expected)
    both = [torch.autograd.grad(each.square().sum(), [x, *model.parameters()]) for each in (model(x), expected)]
    torch.testing.assert_close(*both, rtol=1e-4, atol=1e-4)
    model[0].num_groups = 3
    torch.testing.assert_close(model[0](x), nn.GroupNorm.forward(model[0], x))
    for wrong, message in (((2, 5, 3), "divisible by num_groups"), ((6,), "Expected at least 2 dimensions")):
        with pytest.raises(RuntimeError, match=message):
            model[0](torch.randn(wrong))


@pytest.mark.parametrize(
    "attributes", [{"weight": "gamma", "bias": "beta"}, {"num_groups": "g", "weight": "beta", "bias": "gamma"}]
)
def test_a_norm_of_groups_whose_line_is_wrong_stays(groups, attributes):
    """The number of groups is left out, or the weight is the shift."""
    layer = groups._layer
    entry = interface.counterpart("torch.nn.GroupNorm", {**attributes, "eps": "eps"})
    named = copy.copy(layer)
    named.interface = {**layer.interface, "counterparts": [entry]}
    planted = type("Planted", (runtime.Module,), {"_layer": named})
    [stayed] = lngen_torch.replace(nn.GroupNorm(4, 32), [planted]).stayed
    assert stayed.reason.startswith("its forward computes something else than group_norm")


# ---- calls


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_forward_of_a_type_returns_it(dtype):
    model = nn.Sequential(nn.LayerNorm(4, dtype=dtype))
    lngen_torch.replace(model)
    assert model(torch.randn(2, 4, dtype=dtype)).dtype == dtype


@pytest.mark.parametrize("kind", [Promoting, Narrowing])
def test_forward_of_rows_and_parameters_of_two_types_returns_what_the_module_does(kind):
    types = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
    norm = kind()
    assert lngen_torch.replace(norm, [own(kind)]).replaced
    for row, parameter in itertools.product(types, types):
        x = torch.randn(3, 6).to(row)
        norm.to(parameter)
        expected = type(norm).forward(norm, x)
        # The module rounds once more, and that to the narrowest of the types.
        tolerance = 4 * max(torch.finfo(each).eps for each in (row, parameter, torch.float32))
        torch.testing.assert_close(norm(x), expected, rtol=tolerance, atol=tolerance)
        assert expected.dtype == (torch.promote_types(row, parameter) if kind is Promoting else parameter)


def test_forward_of_what_the_layer_does_not_stand_for_is_that_of_the_module():
    model = nn.Sequential(nn.LayerNorm(4, elementwise_affine=False), nn.Softmax(dim=-1))
    assert len(lngen_torch.replace(model).replaced) == 2
    with pytest.raises(RuntimeError, match="expected input with shape"):
        model[0](torch.randn(2, 5))
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        model[0]([1.0] * 4)
    model[1].dim = 0
    x = torch.randn(2, 4)
    assert torch.equal(model[1](x), torch.softmax(x, 0))
    model[0].normalized_shape = (2, 4)
    torch.testing.assert_close(model[0](x), nn.functional.layer_norm(x, (2, 4)))


def test_forward_reads_attributes_in_each_call():
    norm, x = nn.LayerNorm(4), torch.randn(2, 4)
    lngen_torch.replace(norm)
    norm.eps, norm.bias = 2.0, None
    norm.weight = nn.Parameter(torch.full((4,), 3.0))
    assert is_emitted(norm, x)
    torch.testing.assert_close(norm(x), nn.functional.layer_norm(x, (4,), norm.weight, None, 2.0))


# ---- what is copied, traced and transformed


def _saved(model):
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), _saved],
    ids=["deepcopy", "pickle", "save"],
)
def test_a_copy_of_a_replaced_model_has_parameters_of_its_own(copied):
    model, x = randomized(Model()), torch.randn(3, 6)
    lngen_torch.replace(model)
    expected = model(x)
    found = copied(model)
    randomized(model)
    assert torch.equal(found(x), expected)
    assert is_emitted(found, x)
    lngen_torch.replace(found).undo()
    assert not is_emitted(found, x)
    assert is_emitted(model, x)


@pytest.mark.ci
@needs_compiled_operators
def test_a_compiled_model_has_the_operators_in_one_graph_and_an_exported_one_those_of_pytorch(monkeypatch):
    model, x = nn.Sequential(Model(), nn.Linear(2, 6), Promoting()).to(torch.bfloat16), torch.randn(3, 6).bfloat16()
    model[2].float()
    lngen_torch.replace(model)
    assert lngen_torch.replace(model, [own(Promoting)]).replaced
    expected = model(x)
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        there.undo()  # operators compute without kernels too
        return graph

    layers = [layer_of(module) for module in backends.values()]
    there = pytest.MonkeyPatch()
    for layer in layers:
        there.setattr(layer, "has_kernels", True)
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    torch.testing.assert_close(compiled(x), expected)
    [graph] = graphs
    assert sum(str(node.target).startswith("lngen.") for node in graph.graph.nodes) == 5
    rows = {0: torch.export.Dim("rows", min=2)}
    program = torch.export.export(model, (x,), dynamic_shapes=(rows,))
    assert not any(str(node.target).startswith("lngen.") for node in program.graph.nodes)
    torch.testing.assert_close(program.module()(x[:2]), expected[:2])


# ---- definitions of one's own


def test_replace_by_ones_own_layer_finds_the_class_that_it_names():
    model = nn.Sequential(Promoting(), Promoting(4))
    done = lngen_torch.replace(model, [own(Promoting)])
    assert str(done) == "0: Promoting is computed by rms_norm\n1: Promoting is computed by rms_norm"


@pytest.mark.parametrize(
    ("kind", "layer", "reason"),
    [
        (Promoting, "offset_rms_norm", "its forward computes something else than offset_rms_norm: "),
        (Unscaled, "rms_norm", "its forward computes something else than rms_norm: "),
        (EpsOutside, "rms_norm", "its forward computes something else than rms_norm: "),
        (Gated, "rms_norm", "its forward takes (rows, gate), and rms_norm takes (x)"),
        (OptionallyGated, "rms_norm", "its forward takes (rows, gate=None), and rms_norm takes (x)"),
        (OptionallyGated, "gated_rms_norm", "its forward takes (rows, gate=None), and gated_rms_norm takes (x, z)"),
        (Failing, "rms_norm", "its own forward cannot be called with random rows: RuntimeError: no GPU"),
        (Summed, "rms_norm", "its forward returns a tensor of (2, 3), and rms_norm an array of (2, 3, 6)"),
        (Twice, "rms_norm", "its forward returns 2 results, and rms_norm 1"),
        (WithoutSignature, "rms_norm", "the arguments of its forward are not known"),
        (Spread, "rms_norm", "its forward takes (*rows), and rms_norm takes (x)"),
    ],
)
def test_replace_by_a_layer_that_computes_something_else_is_refused_with_the_reason(kind, layer, reason):
    [stayed] = lngen_torch.replace(kind(), [own(kind, layer)]).stayed
    assert stayed.reason.startswith(reason)


def test_replace_by_a_definition_that_names_what_is_not_there_is_refused_and_changes_nothing():
    model = nn.Sequential(nn.LayerNorm(4), nn.RMSNorm(4))
    misspelled = standing_for("rms_norm", "torch.nn.RMSNorm", {"weihgt": "gamma"})
    with pytest.raises(LngenError, match=r"rms_norm names the attribute weihgt, which 1, of class torch\.nn\S*RMSNorm"):
        lngen_torch.replace(model, ["layer_norm", misspelled])
    for name in ("torch.nn.NoSuchNorm", "torch.nn.functional.softmax"):
        with pytest.raises(LngenError, match=rf"the definition of rms_norm names {name}, and \S+ has no such class"):
            lngen_torch.replace(model, ["layer_norm", standing_for("rms_norm", name, {})])
    assert not any(hasattr(each, "_lngen_forward") for each in model)


def test_replace_imports_nothing_that_a_definition_names():
    layer = standing_for("rms_norm", "this.Norm", {"weight": "gamma"})
    assert lngen_torch.replace(nn.Linear(2, 2), [layer]) == lngen_torch.Replacement((), ())
    assert "this" not in sys.modules
