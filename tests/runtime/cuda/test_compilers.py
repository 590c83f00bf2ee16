"""Kernels made into machine code once, by whichever compiler there is."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lngen.language.parsing import parse
from lngen.pipeline.stages import derived
from lngen.runtime import cache as runtime_cache
from lngen.runtime.cuda import compilers, driver, kernels, variants
from lngen.runtime.cuda.macros import macros
from tests.requirements import needs_nvrtc
from tests.shipped import ROOT, whole

SOURCE = Path(__file__).parents[3] / "generated" / "layer_norm" / "kernels.cu"


class FakeCompiler:
    """Makes a text of what it is asked for, and counts."""

    def __init__(self, version: str = "1", log: str = "") -> None:
        self.version, self.log, self.runs = version, log, 0

    def identity(self) -> str:
        return self.version

    def compile(self, source: Path, text: str, architecture: str, options: Sequence[str]) -> tuple[bytes, str]:
        self.runs += 1
        return f"{architecture} {options} {self.version}".encode(), self.log


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))
    return tmp_path / "cuda"


def test_compiled_once_for_each_content(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = FakeCompiler()
    monkeypatch.setattr(compilers, "compiler", lambda driver: compiler)
    before = compilers.compilations()
    first = compilers.compiled(SOURCE, "sm_90", ["B=1", "A"])
    assert compilers.compiled(SOURCE, "sm_90", ["A", "B=1"]) == first
    assert compilers.compilations() - before == compiler.runs == 1
    (kept,) = cache.iterdir()
    assert re.fullmatch(r"[0-9a-f]{64}\.cubin", kept.name)
    assert runtime_cache.kept(kept) == first.kept
    compilers.compiled(SOURCE, "sm_80", ["A", "B=1"])
    compilers.compiled(SOURCE, "sm_90", ["A", "B=2"])
    compiler.version = "2"
    compilers.compiled(SOURCE, "sm_90", ["A", "B=1"])
    assert compiler.runs == len(list(cache.iterdir())) == 4
    compilers.compiled(SOURCE, "sm_90", ["A", "B=1"], again=True)
    assert (compiler.runs, len(list(cache.iterdir()))) == (5, 4)


def test_a_damaged_entry_is_made_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(content: bytes) -> str:
        if b"sm_90" not in content:
            raise driver.DriverError("no image")
        return "loaded"

    monkeypatch.setattr(compilers, "compiler", lambda driver: FakeCompiler())
    monkeypatch.setattr(driver, "LoadedCode", load)
    device: Any = SimpleNamespace(architecture="sm_90", cuda=13000)
    made = kernels.load(device, SOURCE, ["A"])
    (kept,) = cache.iterdir()
    content = kept.read_bytes()
    one_bit = content[:5] + bytes([content[5] ^ 1]) + content[6:]
    # The last is whole, and no machine code that the driver takes.
    for damaged in (b"", content[:10], one_bit, content + b"\0", runtime_cache.sealed(b"cut")):
        kept.write_bytes(damaged)
        assert kernels.load(device, SOURCE, ["A"]) == made
        assert kept.read_bytes() == content
    device.architecture = "sm_80"
    with pytest.raises(RuntimeError, match=r"the driver cannot load kernels for sm_80 \(no image\): update the driver"):
        kernels.load(device, SOURCE, ["A"])


FRAMES = "ptxas info    : 0 bytes gmem\n    {} bytes stack frame, {} bytes spill stores, {} bytes spill loads\n"


@pytest.mark.parametrize(
    ("log", "spilled"),
    [
        (FRAMES.format(0, 0, 0), None),
        (FRAMES.format(32, 0, 0), 0),
        (FRAMES.format(32, 0, 0) + FRAMES.format(80, 72, 80), 72),
        ("a compiler that says something else", None),
    ],
)
def test_spilled_what_a_compiler_said_is_kept_with_what_it_made(
    cache: Path, monkeypatch: pytest.MonkeyPatch, log: str, spilled: int | None
) -> None:
    monkeypatch.setattr(compilers, "compiler", lambda driver: FakeCompiler(log=log))
    made = compilers.compiled(SOURCE, "sm_90", [])
    again = compilers.compiled(SOURCE, "sm_90", [])
    assert made == again
    assert made.spilled == again.spilled == spilled
    assert len([*cache.iterdir()]) == 1


def program(path: Path, says: str) -> Path:
    """A program that fails with a line."""
    path.write_text(f"#!/bin/sh\necho '{says}' >&2\n[ \"$1\" = --version ]\n")
    path.chmod(0o755)
    return path


@needs_nvrtc
@pytest.mark.cuda
def test_compiled_where_one_is_too_old_another_is_taken(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvcc = program(tmp_path / "nvcc", "nvcc fatal   : Unsupported gpu architecture compute_90")
    monkeypatch.delenv("LNGEN_COMPILER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    macros = ["LNGEN_FORWARD", "LNGEN_F32", "LNGEN_D=64"]
    with monkeypatch.context() as chosen:
        chosen.setattr(compilers, "compiler", lambda driver: compilers.Nvcc(nvcc))
        assert compilers.compiled(SOURCE, "sm_90", macros).startswith(b"\x7fELF")
    too_old = f"{nvcc} is too old for sm_80: install a newer CUDA toolkit"
    monkeypatch.setenv("LNGEN_COMPILER", "nvcc")
    with pytest.raises(compilers.UnknownArchitecture, match=re.escape(too_old)):
        compilers.compiled(SOURCE, "sm_80", macros)
    monkeypatch.delenv("LNGEN_COMPILER")
    with pytest.warns(RuntimeWarning, match=r"NVRTC is too old for sm_999.*; kernels are made for compute_\d+: PTX"):
        assert b".target sm_" in compilers.compiled(SOURCE, "sm_999", macros)
    with pytest.raises(compilers.UnknownArchitecture, match="NVRTC is too old for sm_20"):
        compilers.compiled(SOURCE, "sm_20", macros)
    monkeypatch.setenv("LNGEN_COMPILER", "nvcc")
    program(nvcc, "kernels.cu(1): error: nothing is declared")
    with pytest.raises(
        RuntimeError, match=r"nvcc refused .*kernels\.cu:\nkernels\.cu\(1\): error: nothing is declared"
    ):
        compilers.compiled(SOURCE, "sm_80", macros)


@needs_nvrtc
def test_nvrtc_without_a_path_to_its_second_library_compiles(cache: Path, tmp_path: Path) -> None:
    library, headers = compilers.find_nvrtcs()[0]
    # The wheel of NVRTC 13.0, which PyTorch 2.11 brings, has no such path.
    pathless = library.read_bytes().replace(b"$ORIGIN\0", b"/lacks/\0")
    (tmp_path / library.name).write_bytes(pathless)
    for other in library.parent.glob("libnvrtc-builtins.so*"):
        shutil.copy2(other, tmp_path)
    code = (
        "import sys; from pathlib import Path; from lngen.runtime.cuda import compilers\n"
        "print(compilers.Nvrtc(*map(Path, sys.argv[1:3])).compile(Path('a.cu'), 'int a;', 'sm_90', [])[0][:4])\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / library.name), str(headers)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout == "b'\\x7fELF'\n", done.stderr


def test_an_older_architecture_of_the_family_has_machine_code(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        "  *--version*) echo 1 ;;\n"
        '  --list-gpu-code) printf "sm_90\\nsm_90a\\nsm_120\\n" ;;\n'
        '  *-arch=sm_120*|*-arch=compute_120*) echo "$1 $*" > kernels.cubin ;;\n'
        '  *) echo "nvcc fatal : Unsupported gpu architecture" >&2; exit 1 ;;\n'
        "esac\n"
    )
    nvcc.chmod(0o755)
    monkeypatch.setenv("LNGEN_COMPILER", "nvcc")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.warns(RuntimeWarning, match=r"too old for sm_121.*; kernels are made for sm_120: machine code"):
        assert compilers.compiled(SOURCE, "sm_121", []).startswith(b"-arch=sm_120")
    with pytest.warns(RuntimeWarning, match=r"; kernels are made for compute_120: PTX"):
        assert b"-ptx" in compilers.compiled(SOURCE, "sm_130", [])


# CUDA's own sine has a table on the stack for huge arguments, in every variant.
WAVES = "def waves(x: Row, eps: Constant = 1e-5):\n    return x/sqrt(mean(sin(x)**2) + eps)"


@pytest.mark.ci
@needs_nvrtc
@pytest.mark.cuda
def test_without_spills_a_stack_that_is_there_in_any_case_is_no_spill(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")
    source = tmp_path / "kernels.cu"
    source.write_text(whole(derived(parse(WAVES), proved=False).files), encoding="utf-8")
    given = macros("forward", "f32", "f32", 64)
    stack = 32
    before = compilers.compilations()
    made = variants.without_spills(
        lambda variant: compilers.compiled(source, "sm_90", [*given, *variant]),
        lambda cubin: variants.spilled_of(cubin, stack),
    )
    assert made.spilled == 0
    assert compilers.compilations() - before == 1
    # What it was: all of a stack counts where nobody says what of it is spilled.
    monkeypatch.setattr(compilers, "_FRAME", re.compile("nothing"))
    for path in cache.glob("*.cubin"):
        path.unlink()
    variants.without_spills(
        lambda variant: compilers.compiled(source, "sm_90", [*given, *variant]),
        lambda cubin: variants.spilled_of(cubin, stack),
    )
    assert compilers.compilations() - before == 1 + len(variants.VARIANTS)


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(compilers, "compiler", lambda driver: FakeCompiler())
    with pytest.warns(UserWarning, match="compiled kernels are not kept: set LNGEN_CACHE"):
        assert compilers.compiled(SOURCE, "sm_90", [])


@pytest.mark.ci
def test_compiled_one_of_several_processes_compiles_while_the_others_wait(cache: Path) -> None:
    code = (
        "import time; from pathlib import Path; from lngen.runtime.cuda import compilers\n"
        "class Slow:\n"
        "    identity = lambda self: '1'\n"
        "    def compile(self, *_): time.sleep(0.2); return bytes(1 << 22), ''\n"
        "compilers.compiler = lambda driver: Slow()\n"
        f"print(len(compilers.compiled(Path({str(SOURCE)!r}), 'sm_90', [])), compilers.compilations())\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(3)
    ]
    said = sorted(process.communicate()[0].split() for process in running)
    assert said == [[str(1 << 22), runs] for runs in "001"]
    (kept,) = cache.iterdir()
    assert compilers.MachineCode.read(runtime_cache.kept(kept) or b"") == bytes(1 << 22)


def test_compilers_are_found_and_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "nvcc"
    program.touch(0o755)
    nvrtc = tmp_path / "libnvrtc.so"
    for key in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "LNGEN_COMPILER"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compilers, "find_nvrtcs", lambda: [(nvrtc, tmp_path)])
    assert compilers.compiler().path == program  # the other is not there, or cannot be loaded
    monkeypatch.setattr(compilers.Nvrtc, "identity", lambda self: "NVRTC 13.5")
    assert compilers.compiler().path == nvrtc
    monkeypatch.setenv("LNGEN_COMPILER", "nvcc")
    assert compilers.compiler().path == program
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")
    monkeypatch.setattr(compilers, "find_nvrtcs", list)
    with pytest.raises(
        compilers.NoCudaCompiler, match=r"no compiler for kernels\.cu: install NVRTC .*, or put nvcc on the"
    ):
        compilers.compiler()
    monkeypatch.setenv("LNGEN_COMPILER", "gcc")
    with pytest.raises(ValueError, match='set it to "nvcc" or "nvrtc"'):
        compilers.compiler()


def test_compiler_one_that_is_newer_than_the_driver_comes_last_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LNGEN_COMPILER", raising=False)
    monkeypatch.setattr(compilers, "_told", set())
    monkeypatch.setattr(compilers, "find_nvrtcs", lambda: [(tmp_path / "libnvrtc.so.13", tmp_path)])
    monkeypatch.setattr(compilers, "_find_nvcc", lambda: tmp_path / "nvcc")
    monkeypatch.setattr(compilers.Nvrtc, "identity", lambda self: "NVRTC 13.5")
    monkeypatch.setattr(compilers.Nvcc, "identity", lambda self: "Cuda compilation tools, release 12.4, V12.4.131")
    assert [compilers.compiler(driver).path.name for driver in (0, 13000, 12040)] == [
        "libnvrtc.so.13",
        "libnvrtc.so.13",
        "nvcc",
    ]
    named = r"libnvrtc\.so\.13 of CUDA 13\.5 .* driver may refuse: update the driver, which is for CUDA 11\.8, or pip"
    with pytest.warns(RuntimeWarning, match=named):
        assert compilers.compiler(11080).path.name == "libnvrtc.so.13"


@pytest.mark.ci
@needs_nvrtc
@pytest.mark.cuda
def test_nvrtc_compiles_what_a_call_asks_for(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")
    macros = ["LNGEN_FORWARD", "LNGEN_BF16", "LNGEN_D=64", "LNGEN_PARAMETERS=f32", "LNGEN_WITHOUT_beta"]
    cubin = compilers.compiled(SOURCE, "sm_90", macros)
    assert cubin.startswith(b"\x7fELF")
    assert b"layer_norm_forward_bf16_launch" in cubin
    assert {path.suffix for path in cache.iterdir()} == {".cubin", ".version"}
    with pytest.raises(RuntimeError, match=r"NVRTC refused .*kernels\.cu:\n.*error"):
        compilers.compiled(SOURCE, "sm_90", ["LNGEN_FORWARD", "LNGEN_F32", "LNGEN_D=nothing"])
