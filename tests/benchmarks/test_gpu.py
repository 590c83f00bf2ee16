"""The benchmark on the emulator: layers and peers are judged before they are timed, and what it is asked for."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import compile as compile_ahead
from benchmarks import gate, gpu, grid, layers, measure, peers
from benchmarks.device import Device, opened
from benchmarks.results import Results
from benchmarks.sections import ROOFS
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

(TOY, OTHER) = grid.toy_jobs(layers.names())


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with opened(emulated=not has_gpu()) as found:
        yield found


class FakeCalls:
    """Fake of a peer's calls for the gate and the clock; it returns the NumPy module's results."""

    def __init__(self, torch: Any, peer: peers.Peer, calls: layers.Calls) -> None:
        self.peer, self.calls, self.scale = peer, calls, peer.functions[calls.name](torch)(1.0)
        self.asked: list[str] = []

    def forward(self, chosen: int) -> None:
        self.asked.append("forward")

    def backward(self, chosen: int) -> None:
        self.asked.append("backward")

    def peak_bytes(self) -> int:
        return 3 * self.calls.case.tensor_bytes

    def results(self, rows: list[int] | None) -> dict[str, dict[str, Any]]:
        expected = gate.Judge(self.calls, rows).expected
        return {
            direction: {name: self.scale * expected[direction][name] for name in self.calls.compared(direction, rows)}
            for direction in ("forward", "backward")
        }


def peer(name: str, scale: float, *, slow: bool = False) -> peers.Peer:
    return peers.Peer(name, "none", {TOY.layer: lambda torch: lambda x: scale * x}, slow=slow)


def broken(torch: Any) -> Any:
    raise RuntimeError("no kernel for this shape")


def test_a_layer_is_measured_beside_those_who_are_right_and_others_are_named(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "PeerCalls", FakeCalls)
    monkeypatch.setattr(measure, "PeerCalls", FakeCalls)
    asked = [peer("right", 1.0), peer("wrong", 1.01), peers.Peer("broken", "none", {TOY.layer: broken}),
             peers.Peer("of another layer", "none", {OTHER.layer: broken})]  # fmt: skip
    found = measure.layer(TOY.layer, TOY.case, device, rounds=2, peers=asked)
    own = ["forward", "backward", "jvp", "backward_backward"]
    assert set(found["sections"]) == {*ROOFS, *own, "right forward", "right backward"}
    assert found["sections"]["right backward"]["bytes"] == 3 * TOY.case.tensor_bytes
    assert found["sections"]["backward_backward"]["bytes"] == 5 * TOY.case.tensor_bytes
    assert {direction: best["name"] for direction, best in found["best_peer"].items()} == {
        "forward": "right", "backward": "right",
    }  # fmt: skip
    assert found["peak_bytes"] == {"right": 3 * TOY.case.tensor_bytes}
    assert set(found["left_out"]) == {"wrong", "broken"}
    assert "y has" in found["left_out"]["wrong"]
    assert "times the error allowed" in found["left_out"]["wrong"]
    assert found["left_out"]["broken"] == "RuntimeError: no kernel for this shape"
    assert 0 < found["error_over_bound"] < 1


@pytest.mark.ci
@pytest.mark.parametrize(("job", "direction"), [*zip([TOY, OTHER] * 2, layers.DIRECTIONS, strict=True)], ids=str)
def test_no_wrong_result_of_any_direction_is_timed(
    job: grid.Job, direction: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = layers.Calls(job.layer, job.case, device)
    right = calls.run
    for name in calls.results[direction]:

        def wrong(asked: str, chosen: int, name: str = name) -> None:
            right(asked, chosen)
            if asked == direction:
                array = calls.targets(direction, chosen)[name]
                device.cuda.memcpy_htod(array.ptr, np.full_like(array.get(), 0.75))

        monkeypatch.setattr(calls, "run", wrong)
        with pytest.raises(gate.WrongResult, match=f"lngen, {direction} of .*: {name} has .* times the error allowed"):
            gate.Judge(calls).own()


class Lost:
    """A device that an access to no memory has ended."""

    emulated, l2_bytes = True, 2**20

    def facts(self) -> dict[str, Any]:
        return {}

    def free_bytes(self) -> int:
        return 2**34

    def synchronize(self) -> None:
        raise RuntimeError("cuCtxSynchronize failed")


def test_after_the_device_is_lost_nothing_is_begun_and_it_is_said_what_was_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("illegal address")

    monkeypatch.setattr(measure, "layer", fails)
    monkeypatch.setattr(measure, "overhead", lambda *arguments, **options: [])
    results = Results.begin(tmp_path, "lost", "gpu")
    device: Any = Lost()
    run = gpu.Run(results, device, time.monotonic() + 60, layers.names(), quick=True)
    run.all()
    assert run.faults[0] == f"{TOY}: RuntimeError: illegal address"
    assert f"after {TOY} the device answers no more" in run.faults[1]
    assert (len(run.faults), run.left, run.cases) == (2, 1, [])
    assert Results.read(results.path).record["stages"]["benchmark"]["status"] == "failed"


@pytest.mark.skipif(has_gpu(), reason="a GPU's driver is there, and cannot be replaced")
@pytest.mark.ci
def test_the_command_begins_a_record_and_adds_to_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "record.json"
    asked = ["--emulator", "--quick", "--results", str(path), "--layers", TOY.layer]
    assert gpu.main(asked) == 0
    assert "1 shapes measured, 0 failed, 0 left out" in capsys.readouterr().out
    record = Results.read(path).record
    assert (record["complete"], record["place"], record["stages"]["benchmark"]["status"]) == (
        True,
        "emulator",
        "passed",
    )
    assert [case["layer"] for case in record["stages"]["benchmark"]["cases"]] == [TOY.layer]
    begun = Results.begin(tmp_path, "emulator", "emulator")
    assert gpu.main([*asked[:3], str(begun.path), "--seconds", "0"]) == 0
    assert not Results.read(begun.path).record["complete"]
    assert "0 shapes measured, 0 failed, 2 left out" in capsys.readouterr().out
    path.write_text("no json")
    assert gpu.main(asked) == 2
    assert "is no record" in capsys.readouterr().err


@pytest.mark.skipif(has_gpu(), reason="there is a device")
@pytest.mark.parametrize("command", [gpu.main, compile_ahead.main])
def test_without_a_device_there_is_one_message(
    command: Callable[[list[str]], int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pycuda.driver", None)
    assert command(["--quick"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "finds no device" in captured.err
    assert "--emulator --quick" in captured.err
