"""Survey of a machine: its tools, and for each missing one the way to install it."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import pytest

from lngen.checks.toolchain import device
from lngen.cli import device as command
from lngen.extensions.simt.driver import script
from lngen.extensions.simt.driver.library import build
from lngen.pipeline.files import gpu
from tests.requirements import gxx, needs_gxx, needs_pycuda


@pytest.fixture
def nothing_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    return programs


@pytest.fixture
def no_pycuda(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "has_device_files", lambda: False)


def test_what_is_missing_has_a_remedy_and_what_is_found_needs_none() -> None:
    for item in device.survey().items:
        assert bool(item.remedy) != item.found, item
        assert item.detail
        assert item.purpose


@pytest.mark.usefixtures("no_gpu", "nothing_on_the_path")
def test_without_a_compiler() -> None:
    survey = device.survey()
    assert not survey["g++"].found
    assert not survey["nvcc"].found
    assert not survey["emulator"].found
    assert survey.pycuda_runs_on is None
    assert "cannot be run" in survey.summary
    assert "apt-get install g++" in survey.next_step


@needs_gxx
@pytest.mark.usefixtures("no_gpu", "no_pycuda")
def test_without_pycuda() -> None:
    survey = device.survey()
    assert survey["g++"].detail[0].isdigit()
    assert survey["emulator"].found
    assert survey.pycuda_runs_on is None
    assert "PyCUDA is missing" in survey.summary
    assert "make pycuda" in survey.next_step


@needs_gxx
@needs_pycuda
@pytest.mark.usefixtures("no_gpu")
def test_without_the_bindings_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    version = importlib.metadata.version

    def others(name: str) -> str:
        if name == "cuda-bindings":
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(importlib.metadata, "version", others)
    survey = device.survey()
    assert survey["PyCUDA"].found
    assert survey.pycuda_runs_on is None
    assert "cuda.bindings is missing" in survey.summary
    assert survey.next_step == "pip install cuda-bindings"


@needs_gxx
@needs_pycuda
@pytest.mark.usefixtures("no_gpu")
def test_the_emulator_takes_the_place_of_a_gpu() -> None:
    survey = device.survey()
    assert survey.pycuda_runs_on == "emulator"
    assert not survey["GPU"].found
    assert survey["PyCUDA"].detail == importlib.metadata.version("pycuda")


@needs_gxx
@needs_pycuda
def test_a_driver_is_asked_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    # Any libcuda.so.1 that the dynamic linker finds: here it is the emulated one.
    monkeypatch.setattr(gpu, "has_device_files", lambda: True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(build().parent))
    survey = device.survey()
    assert survey["driver"].detail == "for CUDA 13.0"
    assert "emulator" in survey["GPU"].detail
    assert survey["PyCUDA"].found
    assert survey.pycuda_runs_on in ("gpu", None)


@needs_pycuda
def test_pycuda_that_does_not_fit_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "has_device_files", lambda: True)
    answers = {True: "12020\nA device"}
    monkeypatch.setattr(device, "_output", lambda command: answers.get("ctypes" in command[-1], ""))
    monkeypatch.setattr(device, "_fails", lambda statement: "undefined symbol: cuCtxCreate_v4")
    survey = device.survey()
    assert survey["driver"].detail == "for CUDA 12.2"
    assert not survey["PyCUDA"].found
    assert "cuCtxCreate_v4" in survey["PyCUDA"].detail
    assert survey.pycuda_runs_on is None
    assert "PyCUDA is missing" in survey.summary


@needs_gxx
def test_the_stand_in_is_no_nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = gxx()
    assert compiler is not None
    folders = [script.write().parent, Path(compiler).parent, Path("/usr/bin"), Path("/bin")]
    monkeypatch.setenv("PATH", ":".join(map(str, folders)))
    assert not device.survey()["nvcc"].found


@pytest.mark.ci
def test_the_command_prints_every_item(capsys: pytest.CaptureFixture[str]) -> None:
    survey = device.survey()
    command.run(False)
    printed = capsys.readouterr().out
    for item in survey.items:
        assert f"\n{item.name} " in printed
    assert survey.summary in printed
    command.run(True)
    assert [item["name"] for item in json.loads(capsys.readouterr().out)["items"]] == [
        item.name for item in survey.items
    ]


@needs_gxx
def test_the_compiler_for_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    survey = device.survey()
    path, version, *vectors = survey["C++ compiler"].detail.split()
    assert Path(path).is_absolute()
    assert version[0].isdigit()
    assert " ".join(vectors) in ("AVX-512", "AVX2", "SSE2", "NEON")
    assert f"are compiled: there is a C++ compiler, {path}" in survey.on_processor


@pytest.mark.usefixtures("no_gpu", "nothing_on_the_path")
def test_without_a_compiler_for_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    survey = device.survey()
    assert survey["C++ compiler"].detail == "none"
    assert "set CXX to one" in survey["C++ compiler"].remedy
    assert "are computed by NumPy: no C++ compiler." in survey.on_processor
    monkeypatch.setenv("CXX", "nowhere")
    assert device.survey()["C++ compiler"].detail == "CXX is 'nowhere', and there is no such program"
