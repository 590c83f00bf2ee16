"""Few rows: one kernel ends the sums over them, in the place of two; and without a part of it, wrong."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from generated.layer_norm import numpy_backend
from lngen.runtime.cuda.few_rows import are_few
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

CALLS = [(1, 1), (2, 1), (1, 33), (31, 33), (64, 33), (64, 1024), (8, 2000)]


@pytest.fixture
def launches(centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The blocks of each launch on a new device, and the number of its attributes."""
    launcher, found = centred._launcher, []
    monkeypatch.setattr(launcher.devices, "DEVICES", {})
    launch = launcher.driver.bindings().cuLaunchKernelEx

    def noted(how: Any, *rest: Any) -> Any:
        found.append((int(how.gridDimX), int(how.numAttrs)))
        return launch(how, *rest)

    monkeypatch.setattr(launcher.driver.bindings(), "cuLaunchKernelEx", noted)
    return found


def gradients(module: Any, cuda: Any, values: Sequence[Any], dy: Any) -> list[Any]:
    _, saved = module.forward(*map(cuda.gpuarray.to_gpu, values))
    return [each.get() for each in module.backward(saved, cuda.gpuarray.to_gpu(dy))]


@pytest.mark.parametrize("setting", ["clusters", "one block", "off"])
def test_launches(centred: Any, cuda: Any, launches: Any, monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.setenv("LNGEN_CLUSTERS", "0" if setting == "one block" else "1")
    monkeypatch.setenv("LNGEN_FEW_ROWS", "0" if setting == "off" else "1")
    blocks = 8 if setting == "clusters" and cuda.driver.Device(0).compute_capability() >= (9, 0) else 1
    random = np.random.default_rng(0)
    for rows, features in CALLS:
        x, dy = random.standard_normal((2, rows, features)).astype(np.float32)
        gamma, beta = random.standard_normal((2, features)).astype(np.float32)
        launches.clear()
        found = gradients(centred, cuda, (x, gamma, beta), dy)
        few = setting != "off" and are_few(rows, features, 3, "f32", blocks)
        assert launches[1:] == [(blocks, int(blocks > 1))] if few else len(launches) == 3, (rows, features)
        wanted = numpy_backend.backward(numpy_backend.forward(x, gamma, beta)[1], dy)
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-5 * max(1, np.abs(theirs).max()))
