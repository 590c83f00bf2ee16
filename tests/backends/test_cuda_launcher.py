"""`cuda_backend.py` as far as it goes without a device: its text, its interface, its errors, its cache."""

import ast
import inspect
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lngen.backends import Notes, numpy
from lngen.backends.cuda import emit
from lngen.backends.cuda.launcher import emit_launcher
from lngen.errors import LngenError
from lngen.program import Parameter, RowProgram
from lngen.symbolic import FeatureSymbol
from tests import programs
from tests.backends.cuda_programs import HEADS, SINK
from tests.backends.reference import module_of, notes_of
from tests.requirements import needs_nvrtc

ROOT = Path(__file__).parents[2]
PAIRS = {
    "centred": (programs.CENTRED_FORWARD, programs.CENTRED_BACKWARD),
    "tanh": (programs.TANH_FORWARD, programs.TANH_BACKWARD),
    "residual": (programs.RESIDUAL_FORWARD, programs.RESIDUAL_BACKWARD),
    "heads": HEADS,
    "sink": SINK,
}


def emitted(pair: tuple[RowProgram, RowProgram]) -> dict[str, str]:
    """The package of a layer, both backends."""
    notes = notes_of(pair[0])
    return numpy.emit(*pair, notes) | emit(*pair, notes) | emit_launcher(*pair, notes)


def backends(pair: tuple[RowProgram, RowProgram], folder: Path) -> tuple[ModuleType, ModuleType]:
    """The CUDA and the NumPy module of a layer."""
    package = module_of(emitted(pair), folder, pair[0].layer)
    names = [f"{package.__name__}.{backend}_backend" for backend in ("cuda", "numpy")]
    __import__(names[0])
    return sys.modules[names[0]], sys.modules[names[1]]


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[ModuleType, ModuleType]]:
    folder = tmp_path_factory.mktemp("emitted")
    return {name: backends(pair, folder) for name, pair in PAIRS.items()}


@pytest.fixture(scope="module")
def layer(modules: dict[str, tuple[ModuleType, ModuleType]]) -> Any:
    return modules["centred"][0]


@dataclass
class Fake:
    """Says that it is in device memory, which nothing here may look at."""

    shape: tuple[int, ...]
    typestr: str = "<f4"
    pointer: int = 0x10000
    strides: tuple[int, ...] | None = None
    read_only: bool = False
    mask: Any = None

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.typestr,
            "data": (self.pointer, self.read_only),
            "strides": self.strides,
            "mask": self.mask,
            "version": 3,
        }


# Text


@pytest.mark.parametrize("name", PAIRS)
def test_text_passes_ruff(name: str, tmp_path: Path) -> None:
    ruff = [sys.executable, "-m", "ruff"]
    if subprocess.run([*ruff, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("no ruff: pip install ruff")
    text = emit_launcher(*PAIRS[name], notes_of(PAIRS[name][0]))["cuda_backend.py"]
    (tmp_path / "cuda_backend.py").write_text(text)
    ast.parse(text, feature_version=(3, 11))
    for arguments in (["check", "--isolated"], ["format", "--isolated", "--diff"]):
        done = subprocess.run([*ruff, *arguments, str(tmp_path)], capture_output=True, text=True, check=False)
        assert not done.returncode, done.stdout + done.stderr


def test_text_needs_numpy_and_pycuda_alone() -> None:
    text = emit_launcher(*PAIRS["sink"], notes_of(SINK[0]))["cuda_backend.py"]
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(text))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported - set(sys.stdlib_module_names) == {"numpy", "pycuda", "ml_dtypes", "_runtime"}
    # Without it bfloat16 is raw.
    assert re.search(r"try:\n +from ml_dtypes import bfloat16\n +except ImportError:", text)


def test_notes_are_placed() -> None:
    notes = Notes("demo_centred", "A title.", ("one", "two"), ("y = f",), ("dx = g",))
    text = emit_launcher(*PAIRS["centred"], notes)["cuda_backend.py"]
    assert text.startswith('# one\n# two\n"""A title.\n\n    forward\n        y = f\n    backward\n        dx = g\n')


@pytest.mark.parametrize("name", ["stream", "workspace"])
def test_a_name_that_no_definition_may_use(name: str) -> None:
    forward, backward = PAIRS["centred"]
    given = (*forward.parameters, Parameter(name, FeatureSymbol(name), "Feature", None))
    notes = replace(notes_of(forward), inputs=("x", "gamma", "beta", name))
    with pytest.raises(LngenError, match=f"cannot use the name {name}, which is an argument of the emitted functions"):
        emit_launcher(replace(forward, parameters=given), backward, notes)


@pytest.mark.parametrize("name", PAIRS)
def test_tables_fit_the_kernels(name: str, modules: dict[str, tuple[ModuleType, ModuleType]]) -> None:
    """Each kernel of kernels.cu is passed as many arguments as it has, of its types, and each is known."""
    cuda = modules[name][0]
    source = emitted(PAIRS[name])["kernels.cu"]
    fixed = {"the rows", "the features", "the blocks", "the workspace"}
    saved = {f"saved {row_scalar}" for row_scalar in cuda._ROW_SCALARS}
    given = {*cuda._INPUTS, *cuda._SAVED, *cuda._CONSTANTS, *(f"d{output}" for output in cuda._OUTPUTS)}
    results = {*cuda._OUTPUTS, *(f"d{name}" for name in cuda._INPUTS)}
    for kernel, (letters, parts) in cuda._KERNELS.items():
        declared = re.search(rf"\b{kernel}_f32\(\s*(.*?)\)\s*{{", source, re.DOTALL)
        assert declared, kernel
        arguments = [argument.strip() for argument in declared[1].split(",")]
        assert len(arguments) == len(letters) == len(parts)
        for argument, letter, part in zip(arguments, letters, parts, strict=True):
            kind = argument.rpartition(" ")[0]
            expected = "P" if "*" in argument else {"long long": "q", "int": "i"}.get(kind, "A")
            assert letter == expected, argument
            written = part.split()[1:] if part.startswith("out ") else []
            assert set(written) <= results
            assert written or part in fixed | saved | given


# Interface


@pytest.mark.parametrize("name", PAIRS)
def test_functions_are_those_of_numpy(name: str, modules: dict[str, tuple[ModuleType, ModuleType]]) -> None:
    cuda, other = modules[name]
    for function in ("forward", "backward"):
        ours, theirs = (
            [(p.name, p.default, p.kind) for p in inspect.signature(vars(m)[function]).parameters.values()]
            for m in (cuda, other)
        )
        keyword = inspect.Parameter.KEYWORD_ONLY
        assert theirs.pop() == ("threads", 1, keyword)
        assert ours == [*theirs, ("stream", None, keyword), ("workspace", None, keyword)]
    for group in ("Outputs", "Gradients", "Saved"):
        assert hasattr(cuda, group) == hasattr(other, group)
        if hasattr(cuda, group):
            assert vars(cuda)[group]._fields == vars(other)[group]._fields


@pytest.mark.parametrize(
    ("pycuda", "words"),
    [
        (None, "needs PyCUDA: pip install pycuda"),
        ("raise ImportError('libcuda.so.1: cannot open')", "no NVIDIA driver or GPU (libcuda.so.1: cannot open)"),
        (
            "class Error(Exception): pass\ndef init(): raise Error('no device')",
            "no NVIDIA driver or GPU (no device); install the driver",
        ),
    ],
)
def test_what_is_missing_is_said(
    pycuda: str | None, words: str, modules: dict[str, tuple[ModuleType, ModuleType]], tmp_path: Path
) -> None:
    """It is imported without PyCUDA and without a driver, and called in vain."""
    if pycuda is not None:
        (tmp_path / "pycuda").mkdir()
        (tmp_path / "pycuda" / "__init__.py").touch()
        (tmp_path / "pycuda" / "driver.py").write_text(pycuda)
    missing = "sys.modules['pycuda'] = None" if pycuda is None else ""
    layer = Path(str(modules["centred"][0].__file__)).parent
    code = (
        f"import sys; sys.path[:0] = {[str(tmp_path), str(layer.parent.parent)]!r}; {missing}\n"
        f"from {layer.parent.name}.{layer.name} import cuda_backend\n"
        "interface = dict(shape=(3, 4), typestr='<f4', data=(4096, False), version=3)\n"
        "array = type('Array', (), {'__cuda_array_interface__': interface})()\n"
        "try: cuda_backend.forward(array)\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert words in done.stdout, done.stderr
    assert "the NumPy backend beside this file" in done.stdout


# Errors, before any call of the driver


@pytest.fixture
def no_driver(layer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("the driver was called")

    monkeypatch.setattr(layer, "_pycuda", refuse)
    monkeypatch.setattr(layer, "_driver_library", refuse)


X = Fake((3, 4))


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"x": None}, TypeError, "x is None; pass an array of floats"),
        ({"x": np.ones((3, 4))}, TypeError,
         r"x is of type ndarray, not an array in device memory; .*numpy_backend"),
        ({"x": 1.0}, TypeError, "x is of type float, not an array in device memory"),
        ({"x": Fake((3, 4), "<i4")}, TypeError, "x is of type <i4, not floating point"),
        ({"x": Fake((3, 4), "<c8")}, TypeError, "x is of type <c8, not floating point"),
        ({"x": Fake((3, 4), ">f4")}, TypeError, "x is of type >f4, not floating point"),
        ({"x": Fake(())}, ValueError, r"x has shape \(\); pass \(..., D\) with D of 1 or more"),
        ({"x": Fake((3, 0))}, ValueError, r"x has shape \(3, 0\); pass"),
        ({"x": Fake((1, 2**31))}, ValueError, r"pass rows of fewer than 2\*\*31"),
        ({"x": Fake((3, 4), strides=(4, 12))}, ValueError,
         r"x has strides \(4, 12\) .* pass a contiguous copy"),
        ({"x": Fake((3, 4), strides=(32, 4))}, ValueError, "x has strides"),
        ({"x": Fake((3, 4), strides=(0, 4))}, ValueError, "x has strides"),
        ({"x": Fake((3, 4), pointer=0x10002)}, ValueError,
         "x starts at 0x10002, which float32 cannot be read"),
        ({"x": Fake((3, 4), pointer=0)}, ValueError, r"x has shape \(3, 4\) and no memory"),
        ({"x": Fake((3, 4), mask=X)}, TypeError, "x has a mask"),
        ({"x": X, "gamma": Fake((5,))}, ValueError, r"gamma has shape \(5,\); pass \(D,\), which is \(4,\)"),
        ({"x": X, "gamma": Fake((4,), "<f2"), "beta": Fake((4,))}, TypeError,
         "beta is of type float32 and gamma of type float16; pass beta in float16"),
        ({"x": X, "eps": "1"}, TypeError, "eps is '1' of type str; pass a number"),
        ({"x": X, "eps": float("nan")}, ValueError, "eps is nan; pass a finite number"),
        ({"x": X, "eps": 10**400}, ValueError, "eps is 10+; pass a finite number"),
        ({"x": X, "eps": np.asarray(float("nan"))}, ValueError, "eps is nan; pass a finite number"),
        ({"x": X, "eps": np.asarray([1.0])}, TypeError, "of type ndarray; pass a number"),
        ({"x": X, "eps": True}, TypeError, "eps is True of type bool; pass a number"),
        ({"x": X, "out": Fake((4, 3))}, ValueError,
         r"out for y has shape \(4, 3\) and type float32; pass one of"),
        ({"x": X, "out": Fake((3, 4), "<f8")}, ValueError,
         "out for y has .* pass one of .* and type float32"),
        ({"x": X, "out": X}, ValueError, "out for y overlaps x; pass another array"),
        ({"x": X, "out": Fake((3, 4), read_only=True, pointer=0x20000)}, ValueError,
         "out for y is read-only"),
        ({"x": X, "out": np.ones((3, 4), np.float32)}, TypeError, "out for y is of type ndarray"),
        ({"x": X, "workspace": Fake((8,), pointer=0x20000)}, ValueError,
         r"workspace has 32 bytes and forward needs"),
        ({"x": X, "workspace": X}, ValueError, "workspace overlaps x"),
        ({"x": X, "workspace": Fake((8,), pointer=0x20004)}, ValueError,
         "workspace is not aligned to 16 bytes"),
        ({"x": X, "stream": "0"}, TypeError,
         "stream is of type str; pass a stream of PyCUDA, PyTorch or CuPy"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("no_driver")
def test_bad_forward(arguments: dict[str, Any], kind: type[Exception], words: str, layer: Any) -> None:
    with pytest.raises(kind, match=words):
        layer.forward(**arguments)


F4 = np.dtype(np.float32)


def saved_of(layer: Any, **changes: Any) -> Any:
    row_scalars = {name: Fake((3,), pointer=0x40000) for name in layer._ROW_SCALARS}
    fields = {"shape": (3, 4), "dtype": F4, "dtypes": {"x": F4, "gamma": F4}}
    fields |= {"x": X, "gamma": Fake((4,), pointer=0x30000), **row_scalars, **changes}
    return layer.Saved(**fields)


@pytest.mark.parametrize(
    ("changes", "arguments", "kind", "words"),
    [
        ({}, {"dy": None}, TypeError, "dy is None; pass an array of floats"),
        ({}, {"dy": Fake((4, 3))}, ValueError,
         r"dy has shape \(4, 3\); pass the shape of y, which is \(3, 4\)"),
        ({}, {"dy": Fake((3, 4), "<f8")}, TypeError,
         "dy is of type float64 and x of type float32; pass dy in"),
        ({}, {"dy": X, "out": X}, TypeError,
         r"out is of type Fake; pass a tuple for \('dx', 'dgamma', 'dbeta'\)"),
        ({}, {"dy": X, "out": (None,)}, ValueError, "out has 1 entries; pass 3"),
        ({}, {"dy": X, "out": (None, None, Fake((4,)))}, ValueError,
         "out for dbeta: its input was left out, so pass None"),
        ({}, {"dy": X, "out": (Fake((3, 4), pointer=0x40008), None, None)}, ValueError,
         "out for dx overlaps saved mu"),
        ({"x": Fake((4, 4))}, {"dy": X}, ValueError, r"saved.x has shape \(4, 4\); pass what forward saw"),
        ({"x": Fake((3, 4), "<f2")}, {"dy": X}, TypeError,
         "saved.x is of type float16 and what forward saw of"),
        ({"mu": Fake((3,), "<f8")}, {"dy": X}, TypeError,
         "saved.mu is of type float64 and what was computed of"),
        # Fields that do not go together, each of which kernels would take at its word.
        *(
            (changes, {"dy": X}, ValueError, f"saved.{name} does not go with the rest of saved; pass what forward")
            for name, changes in (
                ("shape", {"shape": [3, 4]}),
                ("shape", {"shape": ()}),
                ("shape", {"shape": (3, -4)}),
                ("shape", {"shape": (3, 0)}),
                ("dtypes", {"dtypes": None}),
                ("dtypes", {"dtypes": {}}),
                ("dtypes", {"dtypes": {"x": "<f4"}}),
                ("dtypes", {"dtypes": {"x": F4, "gamma": F4, "beta": np.dtype("f8")}}),
                ("dtypes", {"dtypes": {"x": F4, "y": F4}}),
                ("dtypes", {"dtypes": {"x": F4, "gamma": [F4]}}),
                ("dtype", {"dtype": np.dtype("f8")}),
                ("dtype", {"dtype": "float32"}),
                ("gamma", {"gamma": None}),
                ("gamma", {"dtypes": {"x": F4}}),
                ("x", {"x": None}),
            )
        ),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("no_driver")
def test_bad_backward(
    changes: dict[str, Any], arguments: dict[str, Any], kind: type[Exception], words: str, layer: Any
) -> None:
    with pytest.raises(kind, match=words):
        layer.backward(saved_of(layer, **changes), **arguments)


@pytest.mark.usefixtures("no_driver")
def test_bad_saved(layer: Any, modules: dict[str, tuple[ModuleType, ModuleType]]) -> None:
    with pytest.raises(TypeError, match="saved is of type tuple; pass what forward of demo_centred returned"):
        layer.backward((1, 2), X)
    residual: Any = modules["residual"][0]
    fields = [None] * (len(residual.Saved._fields) - 3)
    saved = residual.Saved((3, 4), np.dtype("f4"), {"x": np.dtype("f4")}, *fields)
    with pytest.raises(ValueError, match="every cotangent is None; pass at least one"):
        residual.backward(saved, None)


@pytest.mark.usefixtures("no_driver")
def test_forward_workspace_is_what_is_saved(layer: Any) -> None:
    """A piece for each of three row scalars, in the compute type, on a boundary of 256 bytes."""
    assert layer.workspace_bytes("forward", Fake((37, 4))) == 3 * 256
    assert layer.workspace_bytes("forward", Fake((65, 4), "<f2")) == 3 * 512
    assert layer.workspace_bytes("forward", Fake((33, 4)), Fake((4,), "<f8")) == 3 * 512
    with pytest.raises(ValueError, match="direction is 'sideways'"):
        layer.workspace_bytes("sideways", X)
    with pytest.raises(TypeError, match="forward takes 3 arrays at most, and 4 were given"):
        layer.workspace_bytes("forward", X, None, None, None)
    with pytest.raises(TypeError, match="saved is of type NoneType"):
        layer.workspace_bytes("backward")


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (None, 0),
        (5, 5),
        (type("Torch", (), {"cuda_stream": 7})(), 7),
        (type("CuPy", (), {"ptr": 8})(), 8),
        (type("PyCuda", (), {"handle": 9})(), 9),
        (type("Core", (), {"__cuda_stream__": lambda self: (0, 10)})(), 10),
    ],
)
def test_streams_of_every_library(stream: Any, handle: int, layer: Any) -> None:
    assert layer._stream_handle(stream) == handle


def test_numbers_are_rounded_to_nearest_even(layer: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.random.default_rng(0).standard_normal(1000)
    halfway = 1 + np.arange(8) / 256
    for value in (*values, *halfway, 0.0, -0.0, 1e-42, 3e38):
        assert layer._entry(float(value), "bf16") == np.float32(value).astype(ml_dtypes.bfloat16).tobytes()
        assert layer._entry(float(value), "f64") == np.float64(value).tobytes()


# The cache of compiled kernels


class FakeCompiler:
    """Makes a text of what it is asked for, and counts."""

    def __init__(self, version: str = "1") -> None:
        self.version, self.runs = version, 0

    def identity(self) -> str:
        return self.version

    def compile(self, source: str, architecture: str, options: list[str]) -> bytes:
        self.runs += 1
        return f"{architecture} {options} {self.version}".encode()


@pytest.fixture
def cache(layer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))
    return tmp_path / "cuda"


def test_compiled_once_for_each_content(layer: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = FakeCompiler()
    monkeypatch.setattr(layer, "_compiler", lambda: compiler)
    before = layer.compilations()
    first = layer._compiled("sm_90", ["B=1", "A"], again=False)
    assert layer._compiled("sm_90", ["A", "B=1"], again=False) == first
    assert layer.compilations() - before == compiler.runs == 1
    (kept,) = cache.iterdir()
    assert re.fullmatch(r"[0-9a-f]{64}\.cubin", kept.name)
    assert kept.read_bytes() == first
    layer._compiled("sm_80", ["A", "B=1"], again=False)
    layer._compiled("sm_90", ["A", "B=2"], again=False)
    compiler.version = "2"
    layer._compiled("sm_90", ["A", "B=1"], again=False)
    assert compiler.runs == len(list(cache.iterdir())) == 4
    layer._compiled("sm_90", ["A", "B=1"], again=True)
    assert (compiler.runs, len(list(cache.iterdir()))) == (5, 4)


def test_a_damaged_entry_is_made_again(layer: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Error(Exception):
        pass

    class Driver:
        pass

    def load(content: bytes) -> str:
        if b"sm_90" not in content:
            raise Error("no image")
        return "loaded"

    monkeypatch.setattr(layer, "_compiler", FakeCompiler)
    driver: Any = Driver()
    driver.Error, driver.module_from_buffer = Error, load
    device: Any = Driver()
    device.driver, device.architecture = driver, "sm_90"
    assert layer._load(device, ["A"])[1] == "loaded"
    (kept,) = cache.iterdir()
    content = kept.read_bytes()
    kept.write_bytes(b"cut")
    assert layer._load(device, ["A"]) == (content, "loaded")
    assert kept.read_bytes() == content


def test_a_folder_that_cannot_be_written(layer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(layer, "_compiler", FakeCompiler)
    with pytest.warns(UserWarning, match="compiled kernels are not kept: set LNGEN_CACHE"):
        assert layer._compiled("sm_90", [], again=False)


def test_processes_at_once_leave_one_whole_file(layer: Any, cache: Path) -> None:
    place = Path(str(layer.__file__)).parent
    code = (
        f"import sys; sys.path.insert(0, {str(place.parent.parent)!r})\n"
        f"import time; from {place.parent.name}.{place.name} import cuda_backend\n"
        "class Slow:\n"
        "    identity = lambda self: '1'\n"
        "    def compile(self, *_): time.sleep(0.2); return bytes(1 << 22)\n"
        "cuda_backend._compiler = Slow\n"
        "print(len(cuda_backend._compiled('sm_90', [], again=False)))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(3)]
    assert {process.communicate()[0].strip() for process in running} == {str(1 << 22).encode()}
    (kept,) = cache.iterdir()
    assert kept.stat().st_size == 1 << 22


def test_a_version_is_asked_for_once(layer: Any, cache: Path, tmp_path: Path) -> None:
    program, log = tmp_path / "nvcc", tmp_path / "log"
    program.write_text(f"#!/bin/sh\necho run >>{log}\necho release 1\n")
    program.chmod(0o755)
    assert layer._Nvcc(program).identity() == layer._Nvcc(program).identity() == "release 1\n"
    assert log.read_text() == "run\n"
    program.write_text(program.read_text().replace("release 1", "release 12"))
    assert layer._Nvcc(program).identity() == "release 12\n"
    assert log.read_text() == "run\nrun\n"


def test_compilers_are_found_and_chosen(layer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "nvcc"
    program.touch(0o755)
    for key in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "LNGEN_COMPILER"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert layer._compiler().path == program
    monkeypatch.setattr(layer, "_find_nvrtc", lambda: None)
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")
    with pytest.raises(RuntimeError, match=r"no compiler for kernels\.cu: put nvcc on the PATH, or install NVRTC"):
        layer._compiler()
    monkeypatch.setenv("LNGEN_COMPILER", "gcc")
    with pytest.raises(ValueError, match='set it to "nvcc" or "nvrtc"'):
        layer._compiler()


@needs_nvrtc
@pytest.mark.cuda
def test_nvrtc_compiles_what_a_call_asks_for(layer: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")
    macros = ["LNGEN_FORWARD", "LNGEN_BF16", "LNGEN_D=64", "LNGEN_PARAMETERS=f32", "LNGEN_WITHOUT_beta"]
    cubin = layer._compiled("sm_90", macros, again=False)
    assert cubin.startswith(b"\x7fELF")
    assert b"forward_bf16_launch" in cubin
    assert sorted(path.suffix for path in cache.iterdir()) == [".cubin", ".version"]
    with pytest.raises(RuntimeError, match=r"NVRTC refused .*kernels\.cu:\n.*error"):
        layer._compiled("sm_90", ["LNGEN_FORWARD", "LNGEN_F32", "LNGEN_D=nothing"], again=False)
