"""Rows that blocks share as clusters, as the launcher launches them; and without a part of it, wrong.

Limits of few registers let short rows be shared as long ones are.
"""

import importlib
from typing import Any

import numpy as np
import pytest

from generated.layer_norm import numpy_backend
from lngen.extensions import simt
from tests.extensions.simt.test_emitted import assert_right, case_of, source_of
from tests.requirements import NO_GXX, gxx, has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci]

FEW = ("LNGEN_THREADS_PER_ROW=128", "LNGEN_ROOM=8")
ROWS, D = 5, 999


@pytest.mark.parametrize("most", [8, 2])
@needs_pycuda
@pytest.mark.skipif(not has_gpu() and gxx() is None, reason=NO_GXX)
def test_launches(centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Results are those of NumPy, also where a device holds no cluster of as many blocks as were wanted."""
    if cuda.driver.Device(0).compute_capability() < (9, 0):
        pytest.skip("clusters are from compute capability 9.0 on")
    launcher = centred._launcher
    clusters = launcher.driver.Launcher.clusters
    variants = importlib.import_module(f"{launcher.kernels.__package__}.variants")
    monkeypatch.setattr(launcher.kernels, "most_blocks_of_cluster", lambda *_: 8)
    monkeypatch.setattr(variants, "VARIANTS", (FEW,))
    monkeypatch.setattr(launcher.devices, "DEVICES", {})
    monkeypatch.setattr(launcher.driver.Launcher, "clusters", lambda it: clusters(it) if it.cluster <= most else 0)
    random = np.random.default_rng(0)
    x, dy = random.standard_normal((2, ROWS, D)).astype(np.float32)
    gamma, beta = random.standard_normal((2, D)).astype(np.float32)
    y, saved = numpy_backend.forward(x, gamma, beta)
    wanted = y, *numpy_backend.backward(saved, dy)
    found, saved = centred.forward(*map(cuda.gpuarray.to_gpu, (x, gamma, beta)))
    for ours, theirs in zip((found, *centred.backward(saved, cuda.gpuarray.to_gpu(dy))), wanted, strict=True):
        np.testing.assert_allclose(ours.get(), theirs, atol=1e-5 * np.abs(theirs).max())
    (device,) = launcher.devices.DEVICES.values()
    shared = {each.steps[0][0].name: each.steps[0][0].blocks_per_row for each in device.launches.values()}
    assert shared == {"layer_norm_forward_f32": 2, "layer_norm_backward_f32": {8: 8, 2: 1}[most]}


FAULTS = {
    "no barrier of the cluster": ("cluster_barrier();\n  }\n}\n\n// Every", "__syncthreads();\n  }\n}\n\n// Every"),
    "a block's own sum": ("WARPS_PER_ROW = G::ALL_THREADS / LANES;", "WARPS_PER_ROW = G::THREADS_PER_ROW / LANES;"),
    "no block need have begun": ("    cluster_barrier();\n  }\n}\n\n// Gives", "  }\n}\n\n// Gives"),
    "columns of the first block": ("lane += block_of_row<G>() * G::THREADS_PER_ROW;", "lane += 0;"),
    "sums in another's place": ("/ G::ALL_THREADS * G::THREADS + threadIdx.x;", "/ G::ALL_THREADS * G::THREADS;"),
}  # fmt: skip


@needs_gxx
@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_a_planted_fault_is_seen(fault: str | None) -> None:
    """The checker has a finding, or a number is wrong."""
    was, becomes = FAULTS[fault] if fault else ("", "")
    text = source_of("layer_norm")
    assert not was or text.count(was) == 1
    few: dict[str, int] = {"LNGEN_D": D, "LNGEN_ROOM": 10}
    if fault in (None, "sums in another's place"):
        few = {"LNGEN_D": 2000, "LNGEN_ROOM": 25, "LNGEN_SHARED": 16384}
    macros = {"LNGEN_BF16": None, "LNGEN_THREADS_PER_ROW": 128, "LNGEN_BLOCKS_PER_ROW": 2, **few}
    kernels = simt.build(text.replace(was, becomes), macros, check=True)
    case = case_of(kernels, "layer_norm", "bf16", 3, few["LNGEN_D"], schedule="reverse")
    if fault is None:
        return assert_right(case)
    with pytest.raises((simt.KernelFault, AssertionError)):
        assert_right(case)
