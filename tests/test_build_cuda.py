"""Kernels compiled ahead of time for GPUs are those that calls ask for, and run where there is no compiler."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lngen
from lngen.cli import build, build_cuda
from lngen.cli import derive as derive_command
from lngen.cli.build_cuda import CudaBuild, cuda_build
from lngen.errors import LngenError
from lngen.extensions.simt import driver
from lngen.paths import RUNTIME
from lngen.pipeline.files import loading
from lngen.runtime import cache
from lngen.runtime.cuda import compilers
from lngen.runtime.cuda.arrays import part
from lngen.runtime.cuda.calls import KernelKey
from lngen.runtime.emitted import backend_module
from lngen.runtime.protocol.directions import DIRECTIONS, Entry
from tests.requirements import has_gpu, needs_gxx, needs_nvrtc, needs_pycuda

SCALED = """
from lngen.language import Feature, Row

def scaled(x: Row, w: Feature = 1):
    return w * x
"""
SHAPE = (3, 16)


@pytest.fixture
def arrays() -> Iterator[Any]:
    """PyCUDA's arrays, on the device that there is."""
    if not has_gpu():
        driver.enable()
    import pycuda.driver
    from pycuda import gpuarray

    pycuda.driver.init()
    context = pycuda.driver.Device(0).retain_primary_context()
    context.push()
    yield gpuarray
    context.pop()


def part_of(module: Any, name: str) -> Any:
    """A module of the runtime that a layer uses."""
    return importlib.import_module(f"{module.__name__.rpartition('.')[0]}.{RUNTIME}.cuda.{name}")


# ---- what is compiled


@needs_gxx
@needs_pycuda
@pytest.mark.cuda
@pytest.mark.parametrize("name", ["layer_norm", "label_cross_entropy", "softmax", "add_rms_norm"])
def test_keys_are_those_of_calls(name: str, arrays: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = lngen.load(name)
    cuda, kernels = backend_module(module.__name__, "cuda"), part_of(module, "kernels")
    asked: list[KernelKey] = []

    def launches(device: Any, plan: Any) -> Any:
        asked.append(KernelKey(*plan.wanted))
        return kernels.Launches(plan, device)

    monkeypatch.setattr(kernels.Launches, "_load", lambda self: None)
    monkeypatch.setattr(kernels, "launches", launches)
    takes, inputs = cuda._LAYER.takes, cuda._LAYER.inputs

    def given(entries: Iterator[Entry]) -> dict[str, Any]:
        kinds = {True: np.int64, False: np.float32}
        made = {each: np.ones(part(each.kind, SHAPE), kinds[each.is_integer]) for each in entries}
        # One integer is a number of Python's, as in a module of PyTorch.
        return {each.name: 1 if each.kind == 'Int[""]' else arrays.to_gpu(value) for each, value in made.items()}

    required = [each for each in inputs if not each.may_be_none]
    for present in (list(inputs), required):
        _, saved = cuda.forward(**given(iter(present)))
        cuda.forward(**given(iter(present)), save=False)
        dys = [*given(iter(takes["backward"].cotangents)).values()]
        cuda.backward(saved, *dys)
        for moved in (present, required):
            cuda.jvp(saved, **given(each for each in takes["jvp"].tangents if each.owner in moved))
            seconds = given(each for each in takes["backward_backward"].tangents if each.owner in moved)
            cuda.backward_backward(saved, dys, **seconds)
    wanted = CudaBuild((), SHAPE[1:], ("f32",), directions=DIRECTIONS)
    integers = asked[0].integer_types
    assert {each for each in build_cuda.keys(cuda._LAYER, wanted) if each.integer_types == integers} == set(asked)


def test_keys_of_other_types_and_of_inputs_that_are_left_out() -> None:
    layer = backend_module(lngen.load("layer_norm").__name__, "cuda")._LAYER
    build = cuda_build("sm_90", "768,4096", ["bf16"], "bf16, f32", ["beta"], "forward")
    found = list(build_cuda.keys(layer, build))
    assert {(each.row_type, each.parameter_type, each.without) for each in found} == {
        ("bf16", "bf16", ()),
        ("bf16", "bf16", ("beta",)),
        ("bf16", "bf16", ("gamma", "beta")),
        ("bf16", "f32", ()),
        ("bf16", "f32", ("beta",)),
    }
    assert {(each.features, each.saves) for each in found} == {(d, s) for d in (768, 4096) for s in (True, False)}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"cuda": "sm_91"}, r"no architecture 'sm_91' of devices; pass one of sm_75, .*sm_121"),
        ({"features": "768,"}, ""),
        ({"features": "768,0"}, "--D '768,0' is no list of row lengths"),
        ({"dtypes": ["bf16,i8"]}, "'i8' is not a number type"),
        ({"directions": "vjp"}, "no direction 'vjp'; there are forward, backward"),
    ],
)
def test_cuda_build_refuses(words: dict[str, Any], message: str) -> None:
    asked = {"cuda": "sm_90", "features": "768"} | words
    if not message:
        assert cuda_build(**asked).features == (768,)
        return
    with pytest.raises(LngenError, match=message):
        cuda_build(**asked)


def test_build_refuses_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "_installed", list)
    with pytest.raises(LngenError, match=r"nothing can be compiled for GPUs: no compiler for kernels\.cu"):
        build.run(["standardize"], tmp_path / "layers", None, [], cuda_build("sm_90", "64"))
    monkeypatch.setattr(compilers, "compiler", lambda: None)
    monkeypatch.setattr(compilers, "known_architectures", lambda: {75, 80})
    with pytest.raises(LngenError, match="no compiler here knows sm_90; they know sm_75, sm_80"):
        build.run(["standardize"], tmp_path / "layers", None, [], cuda_build("sm_80,sm_90", "64"))
    assert not (tmp_path / "layers").exists()


# ---- built and used


@needs_gxx
@needs_pycuda
@pytest.mark.cuda
@pytest.mark.ci
def test_built_kernels_run_without_a_compiler_and_no_others_do(
    tmp_path: Path, arrays: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(build, "_compile_extensions", lambda *_: None)
    monkeypatch.setattr(build, "_compile_handlers", lambda *_: None)
    Path("scaled.py").write_text(SCALED)
    architecture = f"sm_{''.join(map(str, device().compute_capability()))}"
    build.run(["./scaled.py"], Path("built"), None, ["f32"], cuda_build(architecture, "16", directions="forward"))
    printed = capsys.readouterr().out
    assert "compiled in built/scaled/compiled: 2 modules for GPUs, " in printed
    assert f"For {architecture}, D = 16 and rows in f32, no compiler of CUDA is needed for forward: " in printed
    assert derive_command.run(["./scaled.py"], Path("built"), True, "text") == 0

    module = loading.load(Path("built", "scaled"))
    cuda = backend_module(module.__name__, "cuda")
    monkeypatch.setattr(part_of(module, "compilers"), "_installed", list)
    x, w = (arrays.to_gpu(np.arange(size, dtype=np.float32).reshape(shape)) for size, shape in ((48, SHAPE), (16, 16)))
    y, saved = cuda.forward(x, w)
    assert (y.get() == x.get() * w.get()).all()
    assert (cuda.forward(x)[0].get() == x.get()).all()
    assert cuda.compilations() == 0

    def refused(words: str, *inputs: Any, fresh: bool = True) -> None:
        for each in part_of(module, "devices").DEVICES.values() if fresh else ():
            each.modules.clear()
            each.launches.clear()
        with pytest.raises(RuntimeError, match=f"{words}; no compiler .*; build it where there is one: `lngen build"):
            cuda.forward(*inputs)

    short = arrays.to_gpu(np.ones((3, 15), np.float32))
    named = r"scaled/kernels\.cu is compiled ahead of time"
    refused(rf"{named}, and not with [\w=, ]*LNGEN_D=15, LNGEN_F32, LNGEN_FORWARD, LNGEN_WITHOUT_w", short, fresh=False)
    with pytest.raises(RuntimeError, match=rf"LNGEN_BACKWARD.* --cuda {architecture} --D 16 --dtype f32`"):
        cuda.backward(saved, x)
    (path, *_) = made = sorted(Path("built", "scaled", "compiled").iterdir())
    for each in made:
        each.rename(each.with_name(each.name.replace(architecture, "sm_75")))
    refused(f"{named} for sm_75, and not for {architecture}", x, w)
    for each in made:
        each.with_name(each.name.replace(architecture, "sm_75")).rename(each)
    header = Path("built", RUNTIME, "cuda", "rows.cuh")
    header.write_text(header.read_text() + "// another\n")
    with pytest.warns(RuntimeWarning, match="build it anew with `lngen build`"):
        refused(r"scaled/kernels\.cu or one of its headers has changed since it was compiled ahead of time", x, w)
    assert cuda.compilations() == 0
    assert path.exists()


@needs_gxx
@needs_pycuda
@pytest.mark.cuda
@pytest.mark.ci
@pytest.mark.parametrize(
    ("few", "kernels"), [("1", ["backward_few_rows_f32"]), ("0", ["backward_f32", "backward_columns_f32"])]
)
def test_few_rows_are_served_by_what_is_built(
    tmp_path: Path, arrays: Any, monkeypatch: pytest.MonkeyPatch, few: str, kernels: list[str]
) -> None:
    """Kernels of their own serve them, or where there are none, those of any rows: nothing is compiled."""
    monkeypatch.setattr(build, "_compile_extensions", lambda *_: None)
    monkeypatch.setattr(build, "_compile_handlers", lambda *_: None)
    (tmp_path / "scaled.py").write_text(SCALED)
    out = tmp_path / "built"
    architecture = f"sm_{''.join(map(str, device().compute_capability()))}"
    with monkeypatch.context() as patched:
        patched.setenv("LNGEN_FEW_ROWS", few)
        build.run([f"{tmp_path}/scaled.py"], out, None, ["f32"], cuda_build(architecture, "16"))
    module = loading.load(out / "scaled")
    cuda = backend_module(module.__name__, "cuda")
    x, w = (arrays.to_gpu(np.ones(shape, np.float32)) for shape in (SHAPE, 16))
    _, saved = cuda.forward(x, w)
    assert (cuda.backward(saved, x)[1].get() == SHAPE[0]).all()
    assert cuda.compilations() == 0
    (used,) = part_of(module, "devices").DEVICES.values()
    made = {launches.plan.wanted.direction: launches.steps for launches in used.launches.values()}
    assert [kernel.name for kernel, *_ in made["backward"]] == kernels


def device() -> Any:
    import pycuda.driver

    return pycuda.driver.Device(0)


@needs_nvrtc
@pytest.mark.ci
@pytest.mark.cuda
def test_built_code_is_machine_code_of_its_architecture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")
    monkeypatch.setattr(build, "_compile_extensions", lambda *_: None)
    monkeypatch.setattr(build, "_compile_handlers", lambda *_: None)
    out = tmp_path / "built"
    build.run(
        ["standardize"],
        out,
        None,
        ["bf16"],
        cuda_build("sm_80,sm_90,compute_90", "64", ["bf16"], directions="backward"),
    )
    made = {
        path.name.split(".", 3)[3]: cache.unsealed(path.read_bytes()) for path in (out / "standardize").glob("c*/*")
    }
    assert sorted(made) == ["compute_90.ptx", "sm_80.cubin", "sm_90.cubin"]
    for number in (80, 90):
        code = made[f"sm_{number}.cubin"]
        assert code is not None
        assert code.startswith(b"\x7fELF")
        assert int.from_bytes(code[18:20], "little") == 190  # EM_CUDA
        flags = int.from_bytes(code[48:52], "little")
        assert number in (flags & 0xFF, flags >> 8 & 0xFF), hex(flags)
        assert b"backward_bf16" in code
    text = made["compute_90.ptx"]
    assert text is not None
    assert re.search(rb"\.target sm_90\b", text)
