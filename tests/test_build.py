"""Layers compiled ahead of time run where there is no compiler, and what was not compiled is said."""

from __future__ import annotations

import importlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lngen
from lngen.cli import build, layers
from lngen.cli import derive as derive_command
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.language.parsing import load
from lngen.language.syntax import Kind
from lngen.paths import RUNTIME
from lngen.pipeline.files import processor
from lngen.runtime.native import compiler as host_compiler
from lngen.runtime.native import extensions
from tests import named
from tests.hosts import private
from tests.requirements import CROSS_GXX, NO_TORCH, needs_cross_compiler, needs_gxx
from tests.shipped import NAMES, ROOT
from tests.tiers import sample

SCALED = """
from lngen.language import Feature, Row

def scaled(x: Row, w: Feature = 1):
    return w * x
"""


# ---- what is compiled


class Asked(Exception):
    """A library is asked for."""


@pytest.mark.parametrize("name", sample(NAMES, ["layer_norm", "cross_entropy", "add_rms_norm"]))
def test_they_are_what_calls_ask_for(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in (name, RUNTIME):
        shutil.copytree(ROOT / "generated" / part, tmp_path / part, ignore=shutil.ignore_patterns("compiled"))
    module, cpu = lngen.load(tmp_path / name), lngen.load(tmp_path / name, backend="cpu")
    compiler = importlib.import_module(f"{module.__name__.partition('.')[0]}.{RUNTIME}.native.compiler")
    asked: list[tuple[Path, frozenset[str]]] = []

    def library(source: Path, macros: Any) -> None:
        asked.append((source, frozenset(macros)))
        raise Asked

    monkeypatch.setattr(compiler, "library", library)
    definition = load(ROOT / "derive" / f"{name}.py")
    for call in calls(definition, module, cpu):
        with pytest.raises(Asked):
            call()
    built = private(build, "_of_arrays")(vars(cpu), "f32")
    assert {(source, frozenset(macros)) for source, macros in built} == set(asked)


def calls(definition: Definition, module: Any, cpu: Any) -> Iterator[Callable[[], Any]]:
    """Each function of a layer in float32, on what NumPy saved: with all inputs and directions, and with fewer."""
    values, directions, cotangents = named.values(definition)
    inputs = {entry: np.float32(value) for entry, value in zip(definition.inputs, values, strict=True)}
    moved = {entry: np.float32(value) for entry, value in zip(definition.differentiable, directions, strict=True)}
    cotangents = [np.float32(each) for each in cotangents]
    required = [entry for entry in definition.inputs if entry.default is None]
    for given, along in ((inputs, moved), (inputs, required), (required, required)):
        arrays = {definition.public(entry.name): inputs[entry] for entry in given if entry.kind is not Kind.CONSTANT}
        steps = {definition.public(entry.name): moved[entry] for entry in along if entry in moved}
        _, saved = module.forward(**arrays)
        yield partial(cpu.forward, **arrays)
        yield partial(cpu.backward, saved, *cotangents)
        yield partial(cpu.jvp, saved, **{f"{name}_dot": step for name, step in steps.items()})
        yield partial(cpu.backward_backward, saved, cotangents, **{f"dd{name}": step for name, step in steps.items()})


def test_pytorch_finds_what_it_asks_for_where_axes_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that PyTorch calls read what rows share in place, and are built besides those of NumPy's arrays."""
    pytest.importorskip("torch", reason=NO_TORCH)
    page = vars(lngen.load("group_norm", backend="torch"))
    built = {
        (source, frozenset(macros))
        for source, macros in private(build, "_builds")(ROOT / "generated/group_norm", ["f32"])
    }
    for direction in (page["_FORWARD"], page["_BACKWARD"]):
        asked: list[frozenset[str]] = []
        monkeypatch.setattr(type(direction), "compiled", lambda _, macros, asked=asked: asked.append(frozenset(macros)))
        for flag in (False, True):
            direction.__missing__(("f32", flag, flag))
        assert {(direction.source, macros) for macros in asked} <= built
        assert all("LNGEN_PLACED" in macros for macros in asked)


# ---- what is refused, before anything is written


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": ["no_such"]}, r"there is no layer 'no_such'\. There are "),
        ({"arch": "z80"}, r"no architecture 'z80' to compile for; there are x86-64-v4, .*armv8-a\."),
        ({"dtypes": ["i8"]}, "'i8' is not a number type"),
        ({"out": Path("a-b")}, "'a-b' is not the name of a Python package"),
        ({"out": Path("file", "layers")}, "is a file; layers are written to a folder"),
    ],
)
@needs_gxx
def test_what_is_refused(
    options: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    given = {"words": ["standardize"], "out": Path("layers"), "arch": None, "dtypes": []} | options
    with pytest.raises(LngenError, match=message):
        build.run(layers.definitions(given.pop("words")), **given)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_another_kind_of_processor_needs_a_compiler_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    other = "x86-64-v3" if platform.machine() in ("aarch64", "arm64") else "armv8-a"
    with pytest.raises(LngenError, match=f"{other} is an architecture of another kind .* Set CXX to a compiler for it"):
        build.run(layers.definitions(["standardize"]), tmp_path / "layers", other, [])


def test_without_a_compiler_nothing_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LngenError, match=r"nothing can be compiled: no C\+\+ compiler; install one"):
        build.run(layers.definitions(["standardize"]), tmp_path / "layers", None, [])
    assert not (tmp_path / "layers").exists()


# ---- which backend "auto" is


def script(folder: Path, text: str) -> Path:
    path = folder / "c++"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@needs_gxx
def test_compiled_where_there_is_a_compiler_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert processor.chosen() == processor.Choice("numpy", "no C++ compiler")
    assert lngen.load("layer_norm", backend="auto") is lngen.load("layer_norm")
    compiles = f'PATH={os.defpath} exec g++ "$@"'
    program = script(tmp_path, f"case $* in --version) echo 'c++ (here) 14.2.0';; *) {compiles};; esac")
    assert processor.chosen() == processor.Choice("cpu", f"there is a C++ compiler, {program} 14.2.0")
    assert lngen.load("layer_norm", backend="auto") is lngen.load("layer_norm", backend="cpu")
    host_compiler._found.cache_clear()
    script(tmp_path, "echo 'to have c++ 14.2, install it'; exit 1")
    reason = f"{program} does not compile a test program: it made nothing, and ended with status 1"
    assert processor.chosen() == processor.Choice("numpy", reason)
    assert lngen.load("layer_norm", backend="auto") is lngen.load("layer_norm")
    host_compiler._found.cache_clear()


@pytest.mark.ci
@pytest.mark.parametrize(
    ("program", "reason"), [("'", "is not a command"), ("true", "true does not compile a test program")]
)
def test_numpy_where_cxx_is_no_compiler(program: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", program)
    choice = processor.chosen()
    assert choice.backend == "numpy"
    assert reason in choice.reason
    assert lngen.load("layer_norm", backend="auto") is lngen.load("layer_norm")
    # A layer of its own: what another test has loaded needs no compiler any more.
    fresh = lngen.derive(f"def fresh_{len(program)}(x: Row): return x*mean(x)").load()
    compiled = importlib.import_module(f"{fresh.__name__}.cpu_backend")
    with pytest.raises(RuntimeError, match=f"{reason}.*; install one .* or set CXX to one"):
        compiled.forward(np.ones((2, 3), np.float32))


def test_compiled_where_it_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(host_compiler, "_told_by_linux", lambda: "sse2")
    folder = tmp_path / "compiled"
    folder.mkdir()
    (folder / "kernels.0.x86-64-v2.so").touch()
    assert processor.chosen(tmp_path).backend == "numpy"
    source = tmp_path / "kernels.cpp"
    source.write_text("")
    with pytest.raises(host_compiler.NoCompiler, match="ahead of time for x86-64-v2, and not for this processor"):
        host_compiler.library(source, ["A=1"])
    (folder / "kernels.0.x86-64.so").touch()
    assert processor.chosen(tmp_path) == processor.Choice("cpu", "it was compiled ahead of time; no C++ compiler")
    with pytest.raises(host_compiler.NoCompiler, match=r"but not with A=1, and here .* build it so, or install one"):
        host_compiler.library(source, ["A=1"])


# ---- built and used


USED = """
import warnings
warnings.simplefilter("error")
import numpy as np
from built._runtime.native import compiler as host_compiler
from built.scaled import cpu_backend as cpu, numpy_backend

x, dy, dx = (np.float32([[1, 2, 3], [4, 5, 7]]) * scale for scale in (1, 2, 3))
w = np.float32([1, -1, 2])
for inputs, directions in (((x, w), (dx, w)), ((x, w), (dx,)), ((x,), (dx,))):
    y, saved = cpu.forward(*inputs, threads=2)
    assert (y == x * (inputs[1] if len(inputs) > 1 else 1)).all()
    for mine, other in zip(
        (cpu.backward(saved, dy), cpu.backward_backward(saved, dy, *directions), (cpu.jvp(saved, *directions),)),
        (
            numpy_backend.backward(saved, dy),
            numpy_backend.backward_backward(saved, dy, *directions),
            (numpy_backend.jvp(saved, *directions),),
        ),
    ):
        assert all(a is b is None or np.allclose(a, b) for a, b in zip(mine, other, strict=True))
assert host_compiler.compilations() == 0
try:
    cpu.forward(np.ones((2, 3)))
except RuntimeError as error:
    print(error)
"""


@needs_gxx
@pytest.mark.ci
def test_a_built_layer_needs_no_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scaled.py").write_text(SCALED)
    architecture = "armv8-a" if platform.machine() in ("aarch64", "arm64") else "x86-64"
    build.run(layers.definitions(["./scaled.py"]), Path("built"), architecture, ["f32", "float32"])
    printed = capsys.readouterr()
    assert "compiled in built/scaled/compiled: 7 libraries, " in printed.out
    assert f"For {architecture} and rows in f32, built needs no compiler" in printed.out
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "LNGEN_CACHE": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", USED], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    message = done.stdout
    assert "kernels.cpp is compiled ahead of time, but not with LNGEN_COMPUTED=f64, LNGEN_ROWS=f64" in message
    assert not Path("cache").exists()

    # It may be derived again, and what it is no longer made of goes.
    assert derive_command.run(layers.definitions(["./scaled.py"]), ["./scaled.py"], Path("built"), True, "text") == 0
    assert derive_command.run(layers.definitions(["./scaled.py"]), ["./scaled.py"], Path("built"), False, "text") == 0
    libraries = sorted(Path("built").rglob("*.so"))
    own = len(extensions.EXTENSIONS) if extensions.headers() else 0
    assert len(libraries) == 7 + own
    Path("scaled.py").write_text(SCALED.replace("w * x", "2 * w * x"))
    assert derive_command.run(layers.definitions(["./scaled.py"]), ["./scaled.py"], Path("built"), False, "text") == 0
    assert not list(Path("built", "scaled").rglob("*.so"))


@needs_gxx
@pytest.mark.exhaustive
def test_without_headers_of_python_calls_go_by_ctypes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scaled.py").write_text(SCALED)
    monkeypatch.setattr(extensions, "headers", list)
    build.run(layers.definitions(["./scaled.py"]), Path("built"), None, [])
    assert "the extensions were not compiled: no headers of Python" in capsys.readouterr().err
    assert not list(Path("built", RUNTIME).rglob("addresses*.so"))


@needs_cross_compiler
@pytest.mark.exhaustive
def test_built_for_another_kind_of_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", CROSS_GXX)
    build.run(layers.definitions(["standardize"]), tmp_path / "layers", "armv8-a", ["bf16"])
    made = list((tmp_path / "layers" / "standardize" / "compiled").glob("*.armv8-a.so"))
    assert len(made) == 2
    assert {int.from_bytes(path.read_bytes()[18:20], "little") for path in made} == {183}  # AArch64 in ELF


@pytest.mark.ci
@needs_gxx
def test_what_a_compiler_refuses_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++ -Dtemplate=1")
    with pytest.raises(LngenError, match=r"g\+\+ -Dtemplate=1 refused .*\n.*error"):
        build.run(layers.definitions(["standardize"]), tmp_path / "layers", None, [])
