"""Kernels of the processor compiled once, by whichever compiler there is, or taken from where they were made before."""

import ctypes
import os
import shutil
import struct
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from lngen.runtime.native import compiler as host_compiler
from tests.requirements import CROSS_GXX, needs_cross_compiler, needs_gxx
from tests.runtime.native import host_kernels

pytestmark = needs_gxx
ARCHITECTURE = "armv8-a" if "asimd" in host_compiler._told_by_linux() else "x86-64"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(host_compiler, "_libraries", {})
    monkeypatch.delenv("CXX", raising=False)
    return tmp_path / "cache" / "cpu"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return host_kernels.written(tmp_path)


@pytest.fixture
def forget(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Begin as a process that has loaded nothing."""
    return lambda: monkeypatch.setattr(host_compiler, "_libraries", {})


def works(library: host_compiler.Library) -> bool:
    x, y = np.arange(5, dtype=np.float32), np.ones(5, np.float32)
    kernel = ctypes.CFUNCTYPE(None)(library.address("axpy"))
    kernel(struct.pack("2P", x.ctypes.data, y.ctypes.data), struct.pack("d", 2.0), struct.pack("2q", 1, 5))
    return bool((y == [1, 3, 5, 7, 9]).all())


def test_compiled_once_for_each_content(cache: Path, source: Path, forget: Callable[[], None]) -> None:
    before = host_compiler.compilations()
    library = host_compiler.library(source, ["B=1", "A"])
    assert works(library)
    assert host_compiler.library(source, ["A", "B=1"]) is library
    forget()
    assert host_compiler.library(source, ["A", "B=1"]).path == library.path
    assert host_compiler.compilations() - before == 1
    assert sorted(path.suffix for path in cache.iterdir()) == [".so", ".version"]
    host_compiler.library(source, ["A"])
    source.write_text(host_kernels.TEXT + "int more;\n")
    host_compiler.library(source, ["A"])
    assert host_compiler.compilations() - before == 3


def test_what_is_waited_for_is_told_once_at_a_terminal(
    cache: Path, source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    host_compiler.library(source, [])
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    host_compiler.library(source, ["ONE"])
    host_compiler.library(source, ["OTHER"])
    assert capsys.readouterr() == ("", f"compiling {source.parent.name}/{source.name}, once for this processor\n")


def test_a_processor_that_can_do_something_else_has_its_own(
    cache: Path, source: Path, forget: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = host_compiler.library(source, [])
    forget()
    monkeypatch.setattr(host_compiler, "_told_by_linux", lambda: "another")
    assert host_compiler.library(source, []).path != first.path
    monkeypatch.setattr(host_compiler, "_told_by_linux", lambda: "")  # a system without the list
    assert "#define" in host_compiler.compiler().features()


def test_what_the_compiler_refuses(cache: Path, source: Path) -> None:
    with pytest.raises(RuntimeError, match=r"refused small.cpp:\n(.*\n)*.*small.cpp:26:.*undeclared"):
        host_compiler.library(source, ["WRONG"])
    assert not list(cache.glob("*.so"))


def test_of_a_long_refusal_a_dozen_errors_are_told_and_a_file_has_all(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    text = "\n".join(f"int a{line} = missing_{line};" for line in range(40))
    with pytest.raises(RuntimeError) as raised:
        host_compiler.compiler().compile("small.cpp", text, ["-x", "c++", "-fPIC", "-shared"])
    _, *errors, last = str(raised.value).splitlines()
    assert [("error:" in line, f"missing_{number}" in line) for number, line in enumerate(errors)] == [
        (True, True)
    ] * 12
    assert "missing_39" in Path(last.partition(" ")[0]).read_text()


def test_kernels_ask_for_the_standard_that_they_are_written_in() -> None:
    header = host_compiler.__file__.replace("compiler.py", "simd.h")
    options = ["-x", "c++", "-std=c++14", "-fsyntax-only"]
    with pytest.raises(RuntimeError, match=r"compile them with -std=c\+\+17"):
        host_compiler.compiler().compile("small.cpp", f'#include "{header}"', options)


# ---- which compiler


def test_no_compiler(cache: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        host_compiler.NoCompiler, match=r"no C\+\+ compiler; install one .* numpy_backend works without"
    ):
        host_compiler.library(source, [])
    monkeypatch.setenv("CXX", "nowhere/g++ -m64")
    with pytest.raises(host_compiler.NoCompiler, match=r"CXX is 'nowhere/g\+\+ -m64', and there is no such program"):
        host_compiler.library(source, [])
    monkeypatch.setattr(os, "name", "nt")
    with pytest.raises(host_compiler.NoCompiler, match="Windows; numpy_backend works there"):
        host_compiler.compiler()


def test_what_is_no_compiler(cache: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program, why in (
        ("'", r"CXX is \"'\", which is not a command: No closing quotation"),
        ("true", "true does not compile a test program: it made nothing, and ended with status 0"),
        ("false", "false does not compile a test program: it made nothing, and ended with status 1"),
        ("g++ --no-such-option", r"g\+\+ --no-such-option does not compile a test program: .*no-such-option"),
    ):
        monkeypatch.setenv("CXX", program)
        with pytest.raises(host_compiler.NoCompiler, match=rf"^{why}.*; install one .* numpy_backend works without$"):
            host_compiler.library(source, [])
        assert not host_compiler.can_run(source.parent)


def test_sources_that_a_package_was_built_without(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(host_compiler.NoCompiler, match=r"kernels\.cpp was not installed .* has them by package data: "):
        host_compiler.library(tmp_path / "kernels.cpp", [])
    assert not host_compiler.can_run(tmp_path)


def test_of_several_compilers_the_first_that_works_is_taken(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c++").write_text("#!/bin/sh\necho 'install c++ 14.2'\n")
    (tmp_path / "c++").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert host_compiler.compiler().words == (shutil.which("g++"),)


def test_the_compiler_may_be_named_with_options(cache: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++ -DWRONG")
    with pytest.raises(RuntimeError, match=r"g\+\+ -DWRONG refused small.cpp"):
        host_compiler.library(source, [])


def test_a_compiler_that_was_replaced_is_another(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "c++"
    said = []
    for version in ("1", "22"):
        program.write_text(f'#!/bin/sh\ncase "$*" in *--version) echo {version};; *) exec g++ "$@";; esac\n')
        program.chmod(0o755)
        monkeypatch.setenv("CXX", str(program))
        said += [host_compiler.compiler().identity() for _ in "ab"]
    assert said == [f"{program}\n{version}\n" for version in ("1", "1", "22", "22")]


# ---- several at a time


def test_two_threads_compile_once(cache: Path, source: Path) -> None:
    before = host_compiler.compilations()
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda _: host_compiler.library(source, []), range(8))]
    assert {*found} == {found[0]}
    assert host_compiler.compilations() - before == 1


# ---- ahead of time


def test_compiled_ahead_of_time(
    cache: Path, source: Path, forget: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = host_compiler.ahead_of_time(source, ["A"], ARCHITECTURE)
    monkeypatch.setenv("PATH", "")
    library = host_compiler.library(source, ["A"])
    assert library.path == path
    assert path.parent == source.parent / "compiled"
    assert works(library)
    with pytest.raises(host_compiler.NoCompiler):
        host_compiler.library(source, ["B"])
    with pytest.raises(host_compiler.NoCompiler):
        host_compiler.library(source, ["A"], architecture=ARCHITECTURE)
    forget()
    monkeypatch.setattr(host_compiler, "_told_by_linux", lambda: "fpu")
    with pytest.raises(host_compiler.NoCompiler):
        host_compiler.library(source, ["A"])


def test_the_best_that_the_processor_can_run_is_taken(
    cache: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = host_compiler.ahead_of_time(source, [], ARCHITECTURE)
    better = host_compiler._place(source, host_compiler.inlined(source), [], "x86-64-v2")
    shutil.copy(made, better)
    basic = {"x86-64": "sse2", "armv8-a": "asimd"}[ARCHITECTURE]
    monkeypatch.setattr(host_compiler, "_told_by_linux", lambda: f"{basic} cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3")
    assert host_compiler.library(source, []).path == better
    better.unlink()  # what is loaded stays as it is
    better.write_bytes(b"cut")
    monkeypatch.setattr(host_compiler, "_libraries", {})
    assert host_compiler.library(source, []).path == made


@needs_cross_compiler
def test_compiled_for_another_processor(source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", CROSS_GXX)
    made = host_compiler.ahead_of_time(source, [], "armv8-a")
    assert int.from_bytes(made.read_bytes()[18:20], "little") == 183  # the number of AArch64 in ELF


def test_an_unknown_architecture(source: Path) -> None:
    with pytest.raises(ValueError, match=r"no architecture 'z80' .* pass one of \['x86-64-v4', 'x86-64-v3'"):
        host_compiler.ahead_of_time(source, [], "z80")
