"""The peers: what they are given, in a PyTorch that is made up here, and what is said of those that are not there."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from benchmarks import layers, peers
from lngen.language.syntax import Kind

BY_NAME = {peer.name: peer for peer in peers.PEERS}


class Tensor:
    """Fake of a tensor for a peer's calls."""

    def __init__(self, source: Any) -> None:
        self.source, self.requires_grad, self.dtype = source, False, source.__cuda_array_interface__["typestr"]
        self.shape = source.__cuda_array_interface__["shape"]

    def view(self, dtype: str) -> Tensor:
        self.dtype = dtype
        return self

    def float(self) -> Tensor:
        self.dtype = "float32"
        return self

    def requires_grad_(self) -> Tensor:
        self.requires_grad = True
        return self


def array(pointer: int, shape: tuple[int, ...]) -> Any:
    return SimpleNamespace(__cuda_array_interface__={"shape": shape, "typestr": "<V2", "data": (pointer, False)})


def made_up_torch(asked: list[Any]) -> Any:
    return SimpleNamespace(
        as_tensor=lambda source, device: Tensor(source),
        bfloat16="bfloat16",
        nn=SimpleNamespace(functional=SimpleNamespace(layer_norm=lambda *given: asked.append(given) or "y")),
        autograd=SimpleNamespace(grad=lambda *given, retain_graph: asked.append((*given, retain_graph))),
        cuda=SimpleNamespace(synchronize=lambda: None),
    )


def calls_of(name: str) -> Any:
    buffers = SimpleNamespace(
        inputs={"x": array(16, (4, 8)), "gamma": array(32, (8,)), "beta": array(48, (8,))},
        cotangents={"dy": array(64, (4, 8))},
    )
    kinds = {"x": Kind.ROW, "gamma": Kind.FEATURE, "beta": Kind.FEATURE}
    return SimpleNamespace(name=name, sets=[buffers], case=SimpleNamespace(dtype="bf16"), kinds=kinds)


def test_torch_is_given_the_same_memory_and_the_layers_inputs_in_order() -> None:
    asked: list[Any] = []
    peers.PeerCalls(made_up_torch(asked), BY_NAME["torch"], calls_of("layer_norm"))
    x, shape, gamma, beta, eps = asked[0]
    assert [t.source.__cuda_array_interface__["data"][0] for t in (x, gamma, beta)] == [16, 32, 48]
    assert x.source.__cuda_array_interface__["typestr"] == "<i2"
    assert (x.dtype, shape, eps) == ("bfloat16", (8,), 1e-5)
    outputs, leaves, cotangents, kept = asked[-1]
    assert (outputs, leaves, kept) == (("y",), [x, gamma, beta], True)
    assert all(leaf.requires_grad for leaf in leaves)
    assert [cotangent.requires_grad for cotangent in cotangents] == [False]


def test_parameters_are_in_float32_for_a_peer_that_takes_no_other() -> None:
    seen: list[Any] = []
    peer = peers.Peer(
        "one",
        "none",
        {"layer_norm": lambda torch: lambda *given: seen.append(given) or "y"},
        float32_parameters=frozenset({"layer_norm"}),
    )
    peers.PeerCalls(made_up_torch([]), peer, calls_of("layer_norm"))
    assert [tensor.dtype for tensor in seen[0]] == ["bfloat16", "float32", "float32"]


def test_results_are_by_name_in_some_rows_or_in_all() -> None:
    class Result:
        def __init__(self, values: Any) -> None:
            self.values = np.asarray(values)

        def __getitem__(self, rows: list[int]) -> Result:
            return Result(self.values[rows])

        detach = double = cpu = lambda self: self

        def numpy(self) -> Any:
            return self.values

    results = {
        "forward": {"y": Kind.ROW, "h": Kind.ROW},
        "backward": {"dx": Kind.ROW, "dgamma": Kind.FEATURE},
    }
    work = object.__new__(peers.PeerCalls)
    work.calls = SimpleNamespace(results=results)  # type: ignore[assignment]
    work.calls.compared = lambda direction, rows: layers.Calls.compared(work.calls, direction, rows)
    work.outputs = [(Result([[1], [2], [3]]), Result([[4], [5], [6]]))]
    work.backward = lambda chosen: (Result([[7], [8], [9]]), Result([10]))  # type: ignore[method-assign]
    some, whole = work.results([0, 2]), work.results(None)
    assert {name: values.tolist() for name, values in some["forward"].items()} == {"y": [[1], [3]], "h": [[4], [6]]}
    assert {name: values.tolist() for name, values in some["backward"].items()} == {"dx": [[7], [9]]}
    assert whole["backward"]["dgamma"].tolist() == [10]


def test_a_compiled_function_keeps_its_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    config = SimpleNamespace(donated_buffer=True)
    monkeypatch.setitem(sys.modules, "torch._functorch.config", config)
    torch = MagicMock()
    torch.compile.side_effect = lambda function, **_: function
    function = BY_NAME["torch compiled"].functions["rms_norm"](torch)
    assert not config.donated_buffer
    assert torch.compile.call_args.kwargs == {"dynamic": False, "fullgraph": True}
    x, gamma = MagicMock(), MagicMock()
    function(x, gamma)
    torch.nn.functional.rms_norm.assert_called_once_with(x, x.shape[-1:], gamma, 1e-5)


@pytest.mark.parametrize(
    ("name", "layer", "module", "function", "inputs", "called"),
    [
        ("liger", "layer_norm", "liger_kernel.ops", "LigerLayerNormFunction.apply", "xgb", "xgb1"),
        ("liger", "rms_norm", "liger_kernel.ops", "LigerRMSNormFunction.apply", "xg", "xg1"),
        ("liger", "add_rms_norm", "liger_kernel.ops", "LigerFusedAddRMSNormFunction.apply", "xrg", "xrg1"),
        ("liger", "softmax", "liger_kernel.ops", "LigerSoftmaxFunction.apply", "x", "x"),
        ("apex", "layer_norm", "apex.normalization.fused_layer_norm", "fused_layer_norm_affine", "xgb", "xgb"),
        ("apex", "rms_norm", "apex.normalization.fused_layer_norm", "fused_rms_norm_affine", "xg", "xg"),
        ("flash-attn", "layer_norm", "flash_attn.ops.triton.layer_norm", "layer_norm_fn", "xgb", "xgb"),
        ("flash-attn", "rms_norm", "flash_attn.ops.triton.layer_norm", "rms_norm_fn", "xg", "xg0"),
        ("flash-attn", "add_rms_norm", "flash_attn.ops.triton.layer_norm", "rms_norm_fn", "xrg", "xg0"),
        ("triton", "layer_norm", "benchmarks.triton_layer_norm", "layer_norm", "xgb", "xgb1"),
        ("quack", "rms_norm", "quack.rmsnorm", "rmsnorm", "xg", "xg"),
        ("quack", "add_rms_norm", "quack.rmsnorm", "rmsnorm", "xrg", "xg"),
        ("quack", "softmax", "quack.softmax", "softmax", "x", "x"),
    ],
)
def test_the_others_are_called_by_their_names_with_the_inputs_first(
    name: str, layer: str, module: str, function: str, inputs: str, called: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up = MagicMock()
    monkeypatch.setattr(importlib, "import_module", lambda wanted: made_up if wanted == module else MagicMock())
    given = [MagicMock(name=letter) for letter in inputs]
    BY_NAME[name].functions[layer](MagicMock())(*given)
    target = made_up
    for part in function.split("."):
        target = getattr(target, part)
    target.assert_called_once()
    fixed = {"1": 1e-5, "0": None}
    wanted = [fixed[letter] if letter in fixed else given[inputs.index(letter)] for letter in called]
    assert list(target.call_args.args[: len(wanted)]) == wanted
    if name in ("quack", "flash-attn") and layer == "add_rms_norm":
        assert target.call_args.kwargs == {"residual": given[1], "prenorm": True, "eps": 1e-5}
    if name == "liger" and len(target.call_args.args) > len(wanted):
        assert target.call_args.args[-1] is False  # not in place: the cotangent is used again


def test_transformer_engine_has_the_parameters_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, torch = MagicMock(), MagicMock()
    monkeypatch.setattr(importlib, "import_module", lambda name: engine)
    function = BY_NAME["transformer engine"].functions["layer_norm"](torch)
    x, gamma, beta = MagicMock(shape=(4, 8), dtype="bf16"), MagicMock(), MagicMock()
    for _ in range(2):
        function(x, gamma, beta)
    engine.LayerNorm.assert_called_once_with(8, eps=1e-5, params_dtype="bf16")
    module = engine.LayerNorm.return_value
    torch.func.functional_call.assert_called_with(module, {"weight": gamma, "bias": beta}, (x,))


def test_lngen_is_called_as_its_users_call_it() -> None:
    torch = pytest.importorskip("torch")
    own = BY_NAME["lngen in torch"]
    assert own.is_own
    assert set(own.functions) == set(layers.names())
    x = torch.randn(2, 8)
    expected = torch.nn.functional.layer_norm(x, (8,))
    torch.testing.assert_close(own.functions["layer_norm"](torch)(x, None, None), expected)


def test_apex_is_told_of_memory_where_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    class Old:
        @staticmethod
        def forward(ctx: Any, x: Any, gamma: Any, beta: Any, epsilon: float) -> None: ...

        @staticmethod
        def apply(*given: Any) -> None:
            asked.append(given)

    class New(Old):
        @staticmethod
        def forward(
            ctx: Any, x: Any, gamma: Any, beta: Any, epsilon: float, memory_efficient: bool = False
        ) -> None: ...

    for function in (Old, New):
        module = SimpleNamespace(FastLayerNormFN=function)
        monkeypatch.setattr(importlib, "import_module", lambda name, module=module: module)
        BY_NAME["apex fast"].functions["layer_norm"](None)("x", "g", "b")
    assert asked == [("x", "g", "b", 1e-5), ("x", "g", "b", 1e-5, False)]


def test_those_who_are_not_there_are_left_out_and_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        peers,
        "PEERS",
        (
            peers.Peer("there", "numpy", {"softmax": lambda torch: len}),
            peers.Peer("absent", "no-such", {"softmax": lambda torch: importlib.import_module("no_such_module")}),
            peers.Peer("else", "numpy", {"softmax": lambda torch: len}),
        ),
    )
    there, said = peers.present(None, ["there", "absent"])
    assert [peer.name for peer in there] == ["there"]
    assert said["there"] == np.__version__
    assert said["absent"] == "ModuleNotFoundError: No module named 'no_such_module'"
    assert said["else"] == "not asked for"


def test_the_peers_are_for_layers_that_are_shipped_with_their_default_constants() -> None:
    for peer in peers.PEERS:
        assert set(peer.functions) <= set(layers.names())
        if peer.is_own:
            continue
        for name in peer.functions:
            constants = [entry.default for entry in layers.definition(name).inputs if entry.kind is Kind.CONSTANT]
            assert all(float(value) == peers.EPS for value in constants if value is not None)
    # The slow ones come last, so that a round has the same beginning with and without them.
    assert [peer.slow for peer in peers.PEERS] == sorted(peer.slow for peer in peers.PEERS)
