"""`benchmarks.host`: what it times are the call and the same launches, and kernels run again when it is done."""

from typing import Any

import pytest

from benchmarks import host
from lngen.extensions.simt import driver
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])]


@pytest.mark.ci
def test_each_direction_is_beside_its_own_launches(capsys: pytest.CaptureFixture[str]) -> None:
    assert host.main(["rms_norm", "--rounds", "2"]) == 0
    _, _, forward, backward = capsys.readouterr().out.splitlines()
    assert forward.startswith("| rms_norm | forward | 1 |")
    assert backward.startswith("| rms_norm | backward | 2 |")
    assert driver.settings().run


@pytest.mark.ci
def test_launches_are_those_of_the_call() -> None:
    """The launches compute the results of the call."""
    with host.opened(emulated=not has_gpu()) as device:
        calls = host.layers.Calls("rms_norm", host.CASE, device)
        results: dict[str, Any] = calls.sets[0].gradients
        call = calls.call("backward", 0)
        call()
        wanted = {name: array.get() for name, array in results.items()}
        launch, kernels = host.own_launches(calls.cuda, call)
        for array in results.values():
            array.fill(0)
        launch()
        assert kernels == 2
        assert all((array.get() == wanted[name]).all() for name, array in results.items())
