"""The peers: what they are given, in a PyTorch that is made up here, and what is said of those that are not there."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

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


def test_lngen_is_called_as_its_users_call_it() -> None:
    torch = pytest.importorskip("torch")
    own = BY_NAME["lngen in torch"]
    assert own.is_own
    assert set(own.functions) == set(layers.names())
    x = torch.randn(2, 8)
    expected = torch.nn.functional.layer_norm(x, (8,))
    torch.testing.assert_close(own.functions["layer_norm"](torch)(x, None, None), expected)


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
