"""`make pycuda`: what it looks for, what it says is missing, what it does once only."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lngen.errors import LngenError

SCRIPT = Path(__file__).resolve().parents[1] / "tools" / "build_pycuda.py"


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "cache"))
    spec = importlib.util.spec_from_file_location("build_pycuda", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, "build_pycuda", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like a toolkit's, and no nvcc on the PATH."""
    include = tmp_path / "toolkit" / "include"
    (include / "crt").mkdir(parents=True)
    (include / "cuda.h").write_text("#define CUDA_VERSION 13010\n", encoding="utf-8")
    (include / "crt" / "host_defines.h").touch()
    monkeypatch.setenv("CUDA_HOME", str(include.parent))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    return include


def test_what_is_installed_is_left_alone(
    tool: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tool, "installed", lambda: "2026.1")
    monkeypatch.setattr(tool, "wheelhouse", pytest.fail)
    assert tool.main([]) == 0
    assert capsys.readouterr().out == "PyCUDA 2026.1 is installed\n"


def test_headers_of_a_toolkit(tool: Any, toolkit: Path) -> None:
    assert tool.find_headers() == tool.Headers(toolkit, 13010, False)
    (toolkit / "curand.h").touch()
    assert tool.find_headers().curand


def test_without_a_compiler(
    tool: Any, toolkit: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tool, "installed", lambda: None)
    assert tool.main([]) == 1
    assert "apt-get install g++" in capsys.readouterr().err
    assert not list((toolkit.parents[1] / "cache").rglob("*.whl"))


def test_a_wheel_is_built_once(
    tool: Any, toolkit: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    built: list[str] = []

    def build(version: str, headers: Any, scratch: Path, wheels: Path) -> None:
        built.append(version)
        (wheels / "pycuda.whl").touch()

    installed_from: list[Path] = []
    monkeypatch.setattr(tool, "installed", lambda: None)
    monkeypatch.setattr(tool, "build", build)
    monkeypatch.setattr(tool, "install", lambda wheels, version: installed_from.append(wheels))
    assert tool.main(["--version", "2026.1"]) == 0
    assert tool.main(["--version", "2026.1"]) == 0
    assert built == ["2026.1"]
    assert [path.name for path in installed_from[1].iterdir()] == ["pycuda.whl"]
    assert "with the headers of CUDA 13.1" in capsys.readouterr().out


def test_a_command_that_fails_shows_its_end(tool: Any, tmp_path: Path) -> None:
    with pytest.raises(LngenError, match=r"line 40\n\nPyCUDA could not be built") as caught:
        tool._run(["sh", "-c", "for i in $(seq 40); do echo line $i; done; exit 3"], tmp_path)
    assert "line 10\n" not in str(caught.value)
