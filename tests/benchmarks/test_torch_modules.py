"""`benchmarks.torch_modules`: both modules are timed at what they compute alike."""

import pytest

from tests.requirements import NO_TORCH, needs_gxx

torch = pytest.importorskip("torch", reason=NO_TORCH)
torch_modules = pytest.importorskip("benchmarks.torch_modules")
pytestmark = [needs_gxx, pytest.mark.ci]


def test_lines_are_of_both_kinds(capsys):
    arguments = ["rms_norm", "--steps", "6x8", "--samples", "3x2x8", "--seconds", "0"]
    threads = torch.get_num_threads()
    try:
        assert torch_modules.main(arguments) == 0
    finally:
        torch.set_num_threads(threads)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("| rms_norm | 6 x 8 |")]
    assert [line for line in lines if line.startswith("| rms_norm | 3 x 2 x 8 |")]
    assert sum("times as fast" in line and line.startswith("geometric") for line in lines) == 2


def test_what_computes_something_else_is_not_timed(monkeypatch):
    first, second = torch_modules.pair("layer_norm", 8)
    assert type(second) is not type(first)
    assert isinstance(second, type(first))
    with torch.no_grad():
        second.bias.add_(1)
    monkeypatch.setattr(torch_modules, "pair", lambda name, features: (first, second))
    with pytest.raises(AssertionError):
        torch_modules.measured(torch_modules.step, "layer_norm", (4, 8), 0)


def test_a_layer_without_a_counterpart_is_refused(capsys):
    with pytest.raises(SystemExit):
        torch_modules.main(["l2_norm"])
    assert "l2_norm stands for no module of PyTorch's here" in capsys.readouterr().err
