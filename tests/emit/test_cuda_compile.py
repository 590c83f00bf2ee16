"""Compiled kernels without a GPU: registers, accesses and arithmetic.

A layer is compiled for every architecture, some others once each, in types and sizes by turns; `make nightly` does the
rest.
"""

import functools
import re

import pytest

from lngen.checks.toolchain import nvrtc
from lngen.emit.cpp.contract import DTYPES, LAUNCH_FIELDS
from lngen.extensions.inspection.cubin import integers
from lngen.paths import generated_folder
from lngen.runtime.includes import inlined
from tests.emit.test_cuda_emit import emitted
from tests.requirements import needs_nvdisasm, needs_nvrtc
from tests.shipped import NAMES, REST, WHOLE, whole
from tests.tiers import sample

pytestmark = [pytest.mark.cuda, needs_nvrtc, needs_nvdisasm]

ARCHITECTURES = ("sm_80", "sm_90", "sm_100", "sm_120")
# Instructions that compute in double precision, or convert to or from it.
DOUBLE = re.compile(r"(DADD|DMUL|DFMA|DSETP|DMNMX|MUFU\.\w*64H|(F2F|I2F|F2I|FRND)\.[\w.]*F64)")


@functools.cache
def compiled(layer: str, arch: str, options: tuple[str, ...]) -> nvrtc.Compiled:
    return nvrtc.compile_as_launched(whole(emitted(layer)), arch, options)


def kernels(built: nvrtc.Compiled) -> dict[str, list[str]]:
    return nvrtc.instructions(nvrtc.disassemble(built.cubin))


def only(dtype: str, size: int, *more: str) -> tuple[str, ...]:
    return (f"-DLNGEN_{dtype.upper()}", f"-DLNGEN_D={size}", *more)


# One layer once for every architecture, in every type; some others in one type each.
SHIPPED = [(WHOLE[0], arch, size, ()) for arch, size in zip(ARCHITECTURES, (1024, 33, 4096, 1024), strict=True)] + [
    (layer, ARCHITECTURES[index % 4], (1024, 4096, 64)[index % 3], (DTYPES[(index // 2) % 4],))
    for index, layer in enumerate((*REST[::3], *WHOLE[1:]))
]


def writes_rows(text: str, direction: str) -> bool:
    """Test whether a direction has a result that is a row."""
    part = text.partition(f"namespace lngen::LNGEN_SPACE::{direction} {{")[2].partition("}  // namespace lngen")[0]
    return "Name<ROWS_OUT, " in part


def check_shipped(layer: str, arch: str, size: int, dtypes: tuple[str, ...]) -> None:
    text = inlined(generated_folder() / layer / "kernels.cu")
    built = nvrtc.compile_as_launched(
        text, arch, (f"-DLNGEN_D={size}", *(f"-DLNGEN_{dtype.upper()}" for dtype in dtypes))
    )
    code = kernels(built)
    directions = ("forward", "backward")
    assert {f"{layer}_{each}_{dtype}" for each in directions for dtype in dtypes or DTYPES} <= set(code)
    for name, used in built.resources.items():
        assert (used.spill_stores, used.spill_loads, used.stack) == (0, 0, 0), (name, used)
        if not name.endswith("f64"):
            assert not [line for line in code[name] if DOUBLE.match(line)], name
        if size % 8 == 0 and "columns" not in name:
            assert any(re.match(r"LDG(STS)?\.E[\w.]*\.128", line) for line in code[name]), name
            wide = any(re.match(r"STG\.E[\w.]*\.128", line) for line in code[name])
            assert wide == writes_rows(text, name.removeprefix(f"{layer}_").partition("_")[0]), name


@pytest.mark.parametrize(("layer", "arch", "size", "dtypes"), sample(SHIPPED, [("layer_norm", "sm_90", 33, ())]))
def test_what_is_shipped_compiles(layer: str, arch: str, size: int, dtypes: tuple[str, ...]) -> None:
    """Check the committed code: no spill, no stack frame, 16-byte accesses, no double in a narrow
    kernel.
    """
    check_shipped(layer, arch, size, dtypes)


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [1024, 4096])
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("layer", NAMES)
def test_what_is_shipped_compiles_for_every_architecture(layer: str, arch: str, size: int) -> None:
    check_shipped(layer, arch, size, ())


# What exp, erf and tanh give in one stage is kept for the next. Here those values, counted as rows, are what decides
# how many entries a thread has; not counted, they spill.
@pytest.mark.parametrize(
    ("layer", "dtype", "size"),
    [("layer_norm_gelu", "f32", 8192), ("rms_norm_gated", "f32", 12288), ("softmax", "f64", 4096)],
)
@pytest.mark.ci
def test_what_functions_give_has_room(layer: str, dtype: str, size: int) -> None:
    check_shipped(layer, "sm_90", size, (dtype,))


@pytest.mark.ci
@pytest.mark.parametrize(
    ("dtype", "size"), sample([("f16", 1000), ("bf16", 256), ("f32", 8192), ("f64", 1024)], [("f32", 8192)])
)
def test_rows_go_by_sixteen_bytes_where_they_can(dtype: str, size: int) -> None:
    code = kernels(compiled("layer_norm", "sm_90", only(dtype, size)))
    for name in (f"layer_norm_forward_{dtype}", f"layer_norm_backward_{dtype}"):
        assert any(re.match(r"LDG(STS)?\.E[\w.]*\.128", line) for line in code[name]), name
        assert any(re.match(r"STG\.E[\w.]*\.128", line) for line in code[name]), name


@pytest.mark.ci
def test_a_row_is_read_once_and_written_once() -> None:
    # 64 threads for a row of 1024 floats are four accesses of 16 bytes for each thread, input and output. The first
    # rows are copied before the loop, the others in it.
    built = compiled("layer_norm", "sm_90", only("f32", 1024, "-DLNGEN_THREADS_PER_ROW=64"))
    for name, arrays in (("layer_norm_forward_f32", 1), ("layer_norm_backward_f32", 2)):
        code = kernels(built)[name]
        table = dict(zip(LAUNCH_FIELDS, integers(built.cubin, f"{name}_launch") or (), strict=True))
        assert sum(line.startswith("LDGSTS") for line in code) == 4 * arrays * (table["rows_copied"] + 1)
        assert sum(line.startswith("STG.E.EF.128") for line in code) == 4
        assert not any(re.match(r"LDG\.E\.EF", line) for line in code)


@pytest.mark.ci
def test_odd_sizes_and_the_override_go_entry_by_entry() -> None:
    for options in (only("f32", 1025), only("f32", 1024, "-DLNGEN_VECTOR=1")):
        code = kernels(compiled("layer_norm", "sm_90", (*options, "-DLNGEN_FORWARD")))
        assert not any(re.match(r"(LDG|STG)\.E[\w.]*\.(64|128)", line) for line in code["layer_norm_forward_f32"])


@pytest.mark.ci
def test_what_is_left_out_is_gone() -> None:
    same = ("-DLNGEN_THREADS_PER_ROW=64",)
    left_out = ("-DLNGEN_WITHOUT_gamma", "-DLNGEN_WITHOUT_beta")
    everything = kernels(compiled("layer_norm", "sm_90", only("f32", 1024, *same)))
    nothing = kernels(compiled("layer_norm", "sm_90", only("f32", 1024, *same, *left_out)))

    def loads(code: dict[str, list[str]], name: str) -> int:
        return sum(1 for line in code[name] if re.match(r"LDG\b", line))

    # Without Features a forward copies its row and reads nothing else, and a backward has no workspace to write to.
    assert loads(nothing, "layer_norm_forward_f32") == 0 < loads(everything, "layer_norm_forward_f32")
    assert not any(re.match(r"STG\.E(?!\.EF)", line) for line in nothing["layer_norm_backward_f32"])
    assert any(re.match(r"STG\.E(?!\.EF)", line) for line in everything["layer_norm_backward_f32"])
    assert len(nothing["layer_norm_backward_f32"]) < len(everything["layer_norm_backward_f32"])


@pytest.mark.ci
def test_without_save_rows_are_all_that_is_written() -> None:
    def stores(*more: str) -> list[str]:
        code = kernels(compiled("layer_norm", "sm_90", only("f32", 1024, "-DLNGEN_FORWARD", *more)))[
            "layer_norm_forward_f32"
        ]
        return [line for line in code if re.match(r"STG\.E(?!\.EF\.128)", line)]

    assert stores()
    assert not stores("-DLNGEN_SAVE_NOTHING")


@pytest.mark.ci
def test_a_reduction_that_served_a_left_out_gradient_is_gone() -> None:
    present, absent = (
        kernels(compiled("dynamic_tanh", "sm_90", only("f32", 8192, "-DLNGEN_BACKWARD", *more)))[
            "dynamic_tanh_backward_f32"
        ]
        for more in ((), ("-DLNGEN_WITHOUT_alpha",))
    )
    assert any(line.startswith("SHFL") for line in present)
    assert not any(line.startswith(("SHFL", "BAR")) for line in absent)


@pytest.mark.ci
def test_reductions_of_a_stage_share_one_barrier() -> None:
    code = kernels(compiled("layer_norm", "sm_90", only("f32", 8192)))
    barriers = {name: sum(1 for line in lines if line.startswith("BAR.SYNC")) for name, lines in code.items()}
    # Two stages reduce in the forward: the mean, then its correction and the variance; one in the backward.
    assert barriers["layer_norm_forward_f32"] == 2
    assert barriers["layer_norm_backward_f32"] == 1


@pytest.mark.ci
def test_rows_of_one_warp_need_no_barrier() -> None:
    assert not any(
        line.startswith("BAR")
        for line in kernels(compiled("layer_norm", "sm_90", only("f32", 256, "-DLNGEN_FORWARD")))[
            "layer_norm_forward_f32"
        ]
    )
