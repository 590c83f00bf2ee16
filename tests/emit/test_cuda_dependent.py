"""Dependent launches: the end of the sums over rows is launched while blocks are still at work on rows."""

from typing import Any

import numpy as np
import pytest

from lngen.runtime.cuda import driver
from lngen.runtime.cuda.devices import Device
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]


def test_results_and_launches(centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits, the second kernel launched with its attribute, and a direction of one kernel as ever."""
    random = np.random.default_rng(0)
    x, dy = (cuda.gpuarray.to_gpu(random.standard_normal((9, 33)).astype(np.float32)) for _ in range(2))
    gamma, beta = (cuda.gpuarray.to_gpu(random.standard_normal(33).astype(np.float32)) for _ in range(2))
    launcher = centred._launcher
    monkeypatch.setattr(launcher.devices, "DEVICES", {})
    monkeypatch.setenv("LNGEN_FEW_ROWS", "0")
    monkeypatch.setenv("LNGEN_DEPENDENT", "0")
    _, saved = centred.forward(x, gamma, beta)
    wanted = [array.get() for array in centred.backward(saved, dy)]

    monkeypatch.delenv("LNGEN_DEPENDENT")
    capability = cuda.driver.Device(0).compute_capability()
    monkeypatch.setattr(launcher.devices, "DEVICES", {})
    attributes: list[int] = []
    launch = launcher.driver.bindings().cuLaunchKernelEx

    def noted(how: Any, *rest: Any) -> Any:
        attributes.append(how.numAttrs)
        return launch(how, *rest)

    monkeypatch.setattr(launcher.driver.bindings(), "cuLaunchKernelEx", noted)
    for stream in (None, cuda.driver.Stream()):
        attributes.clear()
        _, saved = centred.forward(x, gamma, beta, stream=stream)
        assert attributes == [0]
        found = [array.get() for array in centred.backward(saved, dy, stream=stream)]
        assert attributes == [0, 0, int(capability >= (9, 0))]
        for ours, others in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(ours, others)
    # Code for an older architecture does not wait, so it is not launched early.
    attribute = launcher.driver.LoadedCode.attribute
    monkeypatch.setattr(
        launcher.driver.LoadedCode,
        "attribute",
        lambda code, kernel, name: 80 if name == "PTX_VERSION" else attribute(code, kernel, name),
    )
    monkeypatch.setattr(launcher.devices, "DEVICES", {})
    attributes.clear()
    centred.backward(saved, dy)
    assert attributes == [0, 0]


def test_what_it_may_be_set_to(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_dependent(value: str) -> bool:
        monkeypatch.setenv("LNGEN_DEPENDENT", value)
        return Device(cuda.driver, 0, None, 0).is_dependent

    assert not is_dependent("0")
    for value in ("", "1"):
        assert is_dependent(value) == (cuda.driver.Device(0).compute_capability() >= (9, 0))
    with pytest.raises(ValueError, match="LNGEN_DEPENDENT is 'yes'; set it to 0 for no dependent launches, or to 1"):
        is_dependent("yes")
    monkeypatch.setattr(driver, "call", lambda *_: 12020)  # no graph of this driver has such launches
    assert not is_dependent("")
