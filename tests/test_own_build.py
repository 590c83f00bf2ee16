"""Kernels of several vendored layers in one program, as the page says that builds it."""

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from lngen.extensions import simt
from lngen.runtime.includes import inlined
from tests.requirements import NVCC, gxx, needs_gxx, needs_nvcc
from tests.shipped import ROOT

PAGE = (ROOT / "docs" / "how_to" / "own_build.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r'^```cpp title="([\w.]+)"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL))
OPTIONS = re.search(r"`g\+\+ (-std=.*?)`", PAGE)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The page's files beside the package of layers."""
    (tmp_path / "mymodel_layers").symlink_to(ROOT / "generated")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def compiled(compiler: str | None, *words: object, **how: object) -> str:
    """Return what a compiler prints, and require that it refuses nothing."""
    done = subprocess.run([str(compiler), *map(str, words)], capture_output=True, text=True, check=False, **how)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr[-3000:]
    return str(done.stdout + done.stderr)


@needs_nvcc
@pytest.mark.cuda
@pytest.mark.ci
def test_the_program_for_a_gpu_compiles(program: Path) -> None:
    options = ("-std=c++17", "-arch=sm_90", "-Werror=all-warnings", "-I", program)
    assert compiled(NVCC, *options, program / "main.cu", "-o", program / "main") == ""


TWO = """
#define LNGEN_F32
#define LNGEN_FORWARD
#define LNGEN_JVP
#define LNGEN_D 128
#include "mymodel_layers/layer_norm/kernels.cu"
#include "mymodel_layers/layer_norm/second_order.cu"
#undef LNGEN_D
#define LNGEN_D 100
#include "mymodel_layers/rms_norm/kernels.cu"
#define LNGEN_LAYER twice
#include "mymodel_layers/rms_norm/kernels.cu"
"""


@needs_gxx
@pytest.mark.cuda
def test_kernels_of_two_layers_run_from_one_file(program: Path) -> None:
    """Two layers, two files of one of them, and one of them under two names; each with a row length of its own."""
    kernels = simt.build(inlined(program / "two.cu", TWO), check=True)
    assert {*kernels} == {
        f"{each}_f32" for each in ("layer_norm_forward", "layer_norm_jvp", "rms_norm_forward", "twice_forward")
    }
    random = np.random.default_rng(0)
    for name, D, extra in (("layer_norm", 128, 1), ("rms_norm", 100, 0), ("twice", 100, 0)):
        x, gamma = (random.normal(size=size).astype(np.float32) for size in ((5, D), D))
        y, saved = np.zeros_like(x), [np.zeros(5, np.float32) for _ in range(1 + 2 * extra)]
        threads, rows, shared = kernels.launch_table(f"{name}_forward_f32")[:3].tolist()
        zeros = [np.zeros(D, np.float32)] * extra
        kernels[f"{name}_forward_f32"](-(-5 // rows), threads, shared, x, gamma, *zeros, 0.5, y, *saved, 5, D)
        np.testing.assert_allclose(y, normalized(x, extra) * gamma, rtol=1e-5, atol=1e-6)


def normalized(x: np.ndarray, is_centred: int) -> np.ndarray:
    centred = x.astype(np.float64) - (x.mean(-1, keepdims=True) if is_centred else 0)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 0.5)


@needs_gxx
def test_the_program_for_a_processor_computes_both(program: Path) -> None:
    assert OPTIONS is not None
    source, made = program / "main.cpp", program / "main.so"
    compiled(gxx(), *OPTIONS[1].split(), "-Wall", "-shared", "-fPIC", "-I", program, source, "-o", made)
    library, random = ctypes.CDLL(str(made)), np.random.default_rng(0)
    for name, extra in (("layer_norm", 1), ("rms_norm", 0)):
        x, gamma = (random.normal(size=size).astype(np.float32) for size in ((5, 100), 100))
        y, beta, saved = np.zeros_like(x), np.zeros(100, np.float32), np.zeros((3, 5), np.float32)
        arrays = [x, gamma, *[beta] * extra, y, *saved[: 1 + 2 * extra]]
        values = [ctypes.c_void_p(each.ctypes.data) for each in arrays]
        values.insert(2 + extra, ctypes.c_double(0.5))  # type: ignore[arg-type]
        getattr(library, name)(*values, ctypes.c_longlong(5), ctypes.c_longlong(100))
        np.testing.assert_allclose(y, normalized(x, extra) * gamma, rtol=1e-5, atol=1e-6)


COMPILERS = [
    pytest.param("cpp", marks=needs_gxx),
    pytest.param("cu", marks=[needs_nvcc, pytest.mark.cuda, pytest.mark.ci]),
]


@pytest.mark.parametrize("suffix", COMPILERS)
def test_objects_of_two_layers_link_and_those_of_one_name_do_not(program: Path, suffix: str) -> None:
    """The planted mistake, a name that both layers have, is what no prefix would be."""
    compiler, options = (NVCC, ["-arch=sm_90"]) if suffix == "cu" else (gxx(), [])
    macros = {"layer_norm": ["-DLNGEN_D=64", "-DLNGEN_F32"], "rms_norm": ["-DLNGEN_D=128", "-DLNGEN_F32"]}

    def linked(name: str) -> subprocess.CompletedProcess[str]:
        made = [program / f"{layer}.o" for layer in macros]
        for (layer, given), each in zip(macros.items(), made, strict=True):
            source = ROOT / "generated" / layer / f"kernels.{suffix}"
            compiled(
                compiler,
                "-std=c++17",
                "-c",
                "-Xcompiler=-fPIC" if suffix == "cu" else "-fPIC",
                *options,
                *given,
                *name.split(),
                source,
                "-o",
                each,
            )
        command = [str(compiler), "-shared", *map(str, made), "-o", str(program / "both.so")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert linked("").returncode == 0
    both = linked("-DLNGEN_LAYER=norm")
    assert both.returncode != 0
    assert "multiple definition of `norm_forward" in both.stderr
