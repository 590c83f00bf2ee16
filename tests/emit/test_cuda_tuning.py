"""`autotune=True`: a grid is measured once, kept, and changes no bit of a result."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.extensions.simt import driver
from lngen.runtime import cache
from tests.emit.test_cuda_launcher import PAIRS, backends
from tests.graphs import captured
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

FEATURES = 33


@pytest.fixture(scope="module")
def cuda() -> Iterator[Any]:
    if not has_gpu():
        driver.enable()
    import pycuda.driver
    import pycuda.gpuarray

    pycuda.driver.init()
    pycuda.driver.Device(0).retain_primary_context().push()
    yield SimpleNamespace(driver=pycuda.driver, gpuarray=pycuda.gpuarray)
    pycuda.driver.Context.pop()


@pytest.fixture(scope="module")
def centred(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return backends(PAIRS["centred"], tmp_path_factory.mktemp("emitted"))[0]


class Tuned:
    """A layer whose measurements are made up, in a cache of its own."""

    def __init__(self, layer: Any, cuda: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.layer, self.folder, self.monkeypatch = layer, folder, monkeypatch
        self.tuning = layer._launcher.kernels.tuning
        self.asked: list[list[int]] = []
        self.times = {"first": 1.0, "others": 1.0, "last": 1.0}
        monkeypatch.setattr(self.tuning, "cache_folder", lambda: folder)
        monkeypatch.setattr(self.tuning, "measured", self._measured)
        self.forget()
        processors = cuda.driver.Device(0).get_attribute(cuda.driver.device_attribute.MULTIPROCESSOR_COUNT)
        random = np.random.default_rng(0)
        rows = 2048 * processors + 1  # far more than are resident
        self.x = cuda.gpuarray.to_gpu(random.standard_normal((rows, FEATURES)).astype(np.float32))
        self.parameters = [cuda.gpuarray.to_gpu(random.standard_normal(FEATURES).astype(np.float32)) for _ in "ab"]

    def forget(self) -> None:
        """Begin as a process that has loaded nothing."""
        self.monkeypatch.setattr(self.layer._launcher.devices, "DEVICES", {})

    def _measured(self, launches: Any, stream: int) -> dict[int, float]:
        self.asked.append(list(launches))
        for launch in launches.values():
            launch()
        first, *others, last = launches
        return {first: self.times["first"], **dict.fromkeys(others, self.times["others"]), last: self.times["last"]}

    def forward(self, **options: Any) -> Any:
        return self.layer.forward(self.x, *self.parameters, **options)[0].get()

    def blocks(self) -> int:
        """The grid of the forward that was loaded last."""
        (device,) = self.layer._launcher.devices.DEVICES.values()
        return int(list(device.launches.values())[-1].steps[0][1])

    def kept(self) -> list[Path]:
        return sorted(self.folder.glob("*.grid.json"))


@pytest.fixture
def tuned(centred: ModuleType, cuda: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tuned:
    return Tuned(centred, cuda, tmp_path / "cache", monkeypatch)


def test_the_soonest_grid_is_taken_and_kept(tuned: Tuned) -> None:
    wanted = tuned.forward()
    usual = tuned.blocks()
    assert not tuned.asked
    tuned.times["last"] = 0.5
    np.testing.assert_array_equal(tuned.forward(autotune=True), wanted)
    assert tuned.blocks() > usual
    assert len(tuned.asked) == 1
    assert json.loads(cache.kept(tuned.kept()[0]) or b"")["blocks_held"] == 0
    tuned.forward(autotune=True)
    tuned.forget()
    np.testing.assert_array_equal(tuned.forward(autotune=True), wanted)
    assert tuned.blocks() > usual
    assert len(tuned.asked) == 1


def test_what_is_hardly_sooner_is_not_taken(tuned: Tuned) -> None:
    tuned.forward()
    usual = tuned.blocks()
    tuned.times["last"] = 0.99
    tuned.forward(autotune=True)
    assert tuned.asked
    assert tuned.blocks() == usual


def test_what_was_kept_and_cannot_be_read_is_measured_again(tuned: Tuned) -> None:
    tuned.forward(autotune=True)
    for text in ("", "[]", '{"blocks_held": -1}', '{"blocks_held": "3"}'):
        cache.keep(tuned.kept()[0], text.encode())
        tuned.forget()
        before = len(tuned.asked)
        tuned.forward(autotune=True)
        assert len(tuned.asked) == before + 1


def test_sums_over_rows_keep_their_grid(tuned: Tuned) -> None:
    """The bits of a sum over rows depend on the blocks. Without sums, the same direction has grids to choose from."""
    y, saved = tuned.layer.forward(tuned.x, *tuned.parameters)
    tuned.layer.backward(saved, y, autotune=True)
    assert not tuned.asked
    y, saved = tuned.layer.forward(tuned.x)
    wanted = tuned.layer.backward(saved, y).dx.get()
    np.testing.assert_array_equal(tuned.layer.backward(saved, y, autotune=True).dx.get(), wanted)
    assert len(tuned.asked) == 1


def test_few_rows_leave_nothing_to_choose(tuned: Tuned) -> None:
    tuned.x = tuned.x[:2]
    tuned.forward(autotune=True)
    assert not tuned.asked
    assert not tuned.kept()


def test_a_measurement(centred: Any, cuda: Any) -> None:
    """A measurement uses events of the driver and warmed-up launches in turns."""
    stream, x = cuda.driver.Stream(), cuda.gpuarray.zeros(16, np.uint8)
    order: list[int] = []

    def launch(key: int) -> None:
        order.append(key)
        cuda.driver.memset_d8_async(x.gpudata, key, 16, stream)

    launches = {key: (lambda key=key: launch(key)) for key in (4, 0)}  # type: ignore[misc]
    times = centred._launcher.kernels.tuning.measured(launches, stream.handle)
    assert list(times) == [4, 0]
    assert all(time > 0 for time in times.values())
    assert order[:6] == [4, 4, 4, 0, 0, 0]
    assert order.count(4) == order.count(0) > 6


def test_a_grid_that_was_measured_is_captured(tuned: Tuned, cuda: Any) -> None:
    wanted = tuned.forward(autotune=True)
    y, stream = cuda.gpuarray.zeros(tuned.x.shape, np.float32), cuda.driver.Stream()
    options = {"save": False, "out": y, "stream": stream, "autotune": True}
    tuned.layer.forward(tuned.x, *tuned.parameters, **options)
    y.fill(0)
    with captured(stream) as graph:
        tuned.layer.forward(tuned.x, *tuned.parameters, **options)
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(y.get(), wanted)
