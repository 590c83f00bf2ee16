"""Kernels of several vendored layers in one program, as the page says that builds it."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from generated import layer_norm, poly_norm, rms_norm
from lngen.extensions import simt
from lngen.runtime.includes import inlined
from lngen.runtime.native import compiled as native
from tests.requirements import NO_GPU, NVCC, gxx, needs_gxx, needs_nvcc
from tests.shipped import ROOT

PAGE = (ROOT / "docs" / "how_to" / "own_build.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r'^```(?:cpp|cmake) title="([\w./]+)"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL))
OPTIONS = re.search(r"`g\+\+ (-std=.*?)`", PAGE)
# The one of the tests' environment first, which need not be on the path.
CMAKE = shutil.which("cmake", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


def has_toolkit() -> bool:
    """Test whether nvcc links programs: its wheel has no libraries."""
    if NVCC is None:
        return False
    done = subprocess.run([NVCC, "--dryrun", "-x", "cu", os.devnull], capture_output=True, text=True, check=False)
    return any((Path(place) / "libcudart_static.a").is_file() for place in re.findall(r'"?-L"?([^"\s]+)', done.stderr))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The page's files beside the package of layers."""
    (tmp_path / "mymodel_layers").symlink_to(ROOT / "generated")
    (tmp_path / "gpu").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def compiled(compiler: str | None, *words: object, **how: object) -> str:
    """Return what a compiler prints, and require that it refuses nothing."""
    done = subprocess.run([str(compiler), *map(str, words)], capture_output=True, text=True, check=False, **how)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr[-3000:]
    return str(done.stdout + done.stderr)


def _nvcc(*words: object, **how: object) -> str:
    # The wheels have the headers that CUDA's own include in a folder beside them; a toolkit finds them itself.
    headers = Path(str(NVCC)).parents[1] / "include" / "cccl"
    return compiled(NVCC, "-std=c++17", "-arch=sm_90", "-Werror=all-warnings", f"-I{headers}", *words, **how)


# CUDA's runtime for a program whose kernels run elsewhere: memory of the device is the process's, and a launch is told.
RUNTIME = """
#include <cstdlib>
#include <cstring>
#include <map>
using Launched = int (*)(const char* kernel, unsigned blocks, unsigned threads, size_t shared, void** arguments);
static Launched launched;
static std::map<const void*, const char*> names;
static std::map<const void*, size_t> sizes;
struct Config { unsigned grid[3], block[3]; size_t shared; void* stream; void* attributes; unsigned count; };
extern "C" {
void tell(Launched whom) { launched = whom; }
size_t size_of(const void* made) { return sizes.count(made) ? sizes[made] : 0; }
void* __cudaRegisterFatBinary(void*) { return &names; }
void __cudaRegisterFatBinaryEnd(void*) {}
void __cudaUnregisterFatBinary(void*) {}
void __cudaRegisterVar(...) {}
void __cudaRegisterFunction(void*, const void* host, char*, const char* name, ...) { names[host] = name; }
char __cudaInitModule(void*) { return 1; }
int __cudaGetKernel(...) { return 1; }
int __cudaLaunchKernel(...) { return 1; }
int __cudaPopCallConfiguration(...) { return 1; }
int cudaLaunchKernelExC(const Config* how, const void* kernel, void** arguments) {
  return launched(names.at(kernel), how->grid[0], how->block[0], how->shared, arguments);
}
int cudaMalloc(void** made, size_t bytes) {
  *made = memset(malloc(bytes), 0xff, bytes);
  sizes[*made] = bytes;
  return 0;
}
int cudaMallocAsync(void** made, size_t bytes, void*) { return cudaMalloc(made, bytes); }
int cudaFreeAsync(void* made, void*) { return sizes.erase(made) - 1; }
int cudaMemcpy(void* to, const void* from, size_t bytes, int) { return memcpy(to, from, bytes) != to; }
int cudaStreamCreate(void** stream) { *stream = nullptr; return 0; }
int cudaStreamSynchronize(void*) { return 0; }
int cudaGetDevice(int* device) { *device = 0; return 0; }
int cudaDeviceGetAttribute(int* value, int, int) { *value = 3; return 0; }
int cudaFuncSetAttribute(const void*, int, int) { return 0; }
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, ...) { *blocks = 2; return 0; }
const char* cudaGetErrorString(int) { return "no kernel ran"; }
}
"""


@pytest.mark.ci
@pytest.mark.skipif(not has_toolkit(), reason=f"{NO_GPU} toolkit: no CUDA libraries beside nvcc")
@pytest.mark.skipif(CMAKE is None, reason="needs cmake")
def test_the_program_for_a_gpu_is_built_by_cmake(program: Path) -> None:
    compiled(CMAKE, "-S", program / "gpu", "-B", program / "build", f"-DCMAKE_CUDA_COMPILER={NVCC}")
    compiled(CMAKE, "--build", program / "build")
    assert (program / "build" / "main").is_file()


@needs_nvcc
@needs_gxx
@pytest.mark.ci
def test_the_program_for_a_gpu_prints_what_numpy_computes(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The launches, as nvcc compiles them, run on the emulator. Memory for sums begins as NaN."""
    shared = program / "main.so"
    (program / "runtime.cpp").write_text(RUNTIME, encoding="utf-8")
    library = program / "libruntime.so"
    compiled(gxx(), "-shared", "-fPIC", program / "runtime.cpp", "-o", library)
    options = ("-Dmain=run", "-shared", "-Xcompiler=-fPIC", "-cudart=none", "-I", program, library)
    assert _nvcc(*options, program / "main.cu", "-o", shared) == ""
    runtime = ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    runtime.size_of.restype = ctypes.c_size_t
    kernels = {}
    for layer in ("layer_norm", "rms_norm"):
        text = f'#define LNGEN_D 1000\n#define LNGEN_F32\n#include "mymodel_layers/{layer}/kernels.cu"\n'
        kernels.update(simt.build(inlined(program / f"{layer}.cu", text)))
    grids = []

    @ctypes.CFUNCTYPE(
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_uint,
        ctypes.c_uint,
        ctypes.c_size_t,
        ctypes.POINTER(ctypes.c_void_p),
    )
    def launched(name: bytes, blocks: int, threads: int, shared: int, places: object) -> int:
        kernel = kernels[name.decode()]
        grids.append((name.decode(), blocks))
        given = []
        for parameter, place in zip(kernel.parameters, places, strict=False):  # type: ignore[call-overload]
            if not parameter.pointer:
                given.append(np.frombuffer(ctypes.string_at(place, int(parameter.kind[1])), parameter.kind)[0].item())
                continue
            address = ctypes.c_void_p.from_address(place).value
            entries = runtime.size_of(ctypes.c_void_p(address)) // 4
            given.append(np.ctypeslib.as_array((ctypes.c_float * entries).from_address(address)))
        kernel(blocks, threads, shared, *given)
        return 0

    runtime.tell(launched)
    assert ctypes.CDLL(str(shared))["_Z3runv"]() == 0
    ctypes.CDLL(None).fflush(None)
    _is_what_numpy_computes(capfd.readouterr().out)
    assert [name for name, _ in grids] == [
        "layer_norm_forward_f32",
        "layer_norm_backward_f32",
        "layer_norm_backward_columns_f32",
        "rms_norm_forward_f32",
    ]


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
@pytest.mark.skipif(CMAKE is None, reason="needs cmake")
def test_the_program_for_a_processor_prints_what_numpy_computes(program: Path) -> None:
    compiled(CMAKE, "-S", program, "-B", program / "build", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
    compiled(CMAKE, "--build", program / "build")
    _is_what_numpy_computes(compiled(program / "build" / "main"))


def _is_what_numpy_computes(printed: str) -> None:
    x = np.sin(np.arange(64 * 1000) % 977).reshape(64, 1000)
    (y, saved), gamma = layer_norm.forward(x, np.full(1000, 2.0), np.ones(1000)), np.full(1000, 2.0)
    dx, dgamma, dbeta = layer_norm.backward(saved, y)
    z, _ = rms_norm.forward(y, gamma)
    assert dgamma is not None
    assert dbeta is not None
    wanted = [y[0, 7], dx[0, 7], dgamma[7], dbeta[7], z[0, 7]]
    np.testing.assert_allclose([float(word) for word in printed.split()], wanted, rtol=1e-5, atol=2e-6)


def test_rows_are_cut_into_chunks_as_for_python() -> None:
    text = (ROOT / "lngen" / "runtime" / "native" / "typed.h").read_text(encoding="utf-8")
    stated = re.findall(r"\b(\w*CHUNK\w*) = (\d+)(?: << (\d+))?[,;]", text)
    found = {name: int(number) << int(shift or 0) for name, number, shift in stated}
    assert found == {name: getattr(native, name) for name in ("CHUNKS", "FEW_CHUNKS", "CHUNK_ROWS", "CHUNK_ENTRIES")}


TYPED = """
#define LNGEN_ROWS f64
#define LNGEN_COMPUTED f64
#define LNGEN_WITHOUT_cubic
#include "mymodel_layers/poly_norm/layer.hpp"
#include "mymodel_layers/softcap_cross_entropy/layer.hpp"
extern "C" void forward(const double* x, const double* square, const double* linear, const double* bias, double* y,
                        double* a, double* b, double* c, long long rows, int D) {
  poly_norm::forward(x, nullptr, square, linear, bias, 1e-6, y, {a, b, c}, rows, D, 3);
}
extern "C" void backward(const double* x, const double* dy, const double* square, const double* linear, double* dx,
                         double* dsquare, double* dlinear, double* dbias, double* a, double* b, double* c,
                         long long rows, int D) {
  poly_norm::backward(x, dy, nullptr, square, linear, dx, nullptr, dsquare, dlinear, dbias, {a, b, c}, rows, D, 3);
}
"""


@needs_gxx
def test_functions_of_a_layer_without_an_input_are_those_of_numpy(program: Path) -> None:
    """Sums into numbers over many chunks, shared by threads; a layer with integers beside it."""
    assert OPTIONS is not None
    (program / "typed.cpp").write_text(TYPED, encoding="utf-8")
    made = program / "typed.so"
    compiled(gxx(), *OPTIONS[1].split(), "-Wall", "-shared", "-fPIC", "-I", program, program / "typed.cpp", "-o", made)
    library, random = ctypes.CDLL(str(made)), np.random.default_rng(0)
    x, dy, y, dx = (random.normal(size=(300, 500)) for _ in range(4))
    numbers = [random.normal(size=()) for _ in range(3)]
    scalars, sums = [np.zeros(300) for _ in range(3)], [np.zeros(()) for _ in range(3)]

    def call(name: str, *arrays: np.ndarray) -> None:
        places = [ctypes.c_void_p(each.ctypes.data) for each in arrays]
        getattr(library, name)(*places, ctypes.c_longlong(300), ctypes.c_int(500))

    call("forward", x, *numbers, y, *scalars)
    call("backward", x, dy, *numbers[:2], dx, *sums, *scalars)
    made_y, saved = poly_norm.forward(x, None, *numbers)
    gradients = poly_norm.backward(saved, dy)
    for found, wanted in zip([y, dx, *sums], [made_y, gradients[0], *gradients[2:]], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)


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
