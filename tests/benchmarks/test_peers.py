"""The peers: what they are given, in a PyTorch that is made up here, and what is said of those that are not there."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from benchmarks import layers, peers

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
