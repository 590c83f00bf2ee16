"""The kernels of shipped layers as the compiler lists them."""

import functools

import pytest

from lngen.emit.cpp.contract import DTYPES
from lngen.extensions.inspection.kernels import BLOCK_SHARED, Inspected, inspected
from lngen.extensions.inspection.machine_code import as_launched
from lngen.plan.cost import parse_dtype
from lngen.runtime.cuda.macros import macros
from tests.requirements import needs_nvdisasm, needs_nvrtc
from tests.shipped import NAMES, shipped, whole
from tests.tiers import sample


@pytest.fixture(autouse=True)
def by_nvrtc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")


@functools.cache
def looked_at(layer: str, arch: str, features: int, dtype: str, direction: str) -> tuple[Inspected, ...]:
    return inspected(shipped(layer), arch, features, parse_dtype(dtype), [direction])


@needs_nvrtc
@needs_nvdisasm
@pytest.mark.cuda
def test_rows_are_accessed_as_widely_as_they_can_be() -> None:
    kernel, ends = looked_at("layer_norm", "sm_90", 4096, "bf16", "backward")[:2]
    assert (kernel.name, ends.name) == ("layer_norm_backward_bf16", "layer_norm_backward_columns_bf16")
    assert kernel.accesses is not None
    assert kernel.instructions is not None
    assert sum(kernel.accesses.values()) < kernel.instructions < 2000
    read = kernel.accesses.get("LDG.128", 0) + kernel.accesses.get("LDGSTS.128", 0)
    # x and dy are read, and dx is written, by accesses of 16 bytes.
    of_a_row = 4096 * 2 // 16 // kernel.launch["threads_per_row"]
    assert read >= 2 * of_a_row
    assert kernel.accesses["STG.128"] >= of_a_row
    odd = looked_at("layer_norm", "sm_90", 4095, "bf16", "backward")[0].accesses
    assert odd is not None
    assert "STG.128" not in odd


ARCHITECTURES = ("sm_80", "sm_90", "sm_100", "sm_120")
LENGTHS = (130, 1024, 4096, 16384)
SOURCES = ("kernels.cu", "second_order.cu")
EVERY = [(name, arch, d, source) for name in NAMES for arch in ARCHITECTURES for d in LENGTHS for source in SOURCES]
# Each layer once, each architecture, length, file and type by turns.
SOME = [
    (name, ARCHITECTURES[n % 4], LENGTHS[n // 2 % 4], SOURCES[n // 3 % 2], DTYPES[n // 5 % 4])
    for n, name in enumerate(NAMES)
]


def spilled(layer: str, arch: str, features: int, source: str, *dtypes: str) -> dict[str, str]:
    """The kernels of a file that keep something in memory for want of registers, and what."""
    directions = ("forward", "backward") if source == "kernels.cu" else ("jvp", "backward_backward")
    found: dict[str, str] = {}
    for direction in directions:
        for dtype in dtypes or DTYPES:
            given = macros(direction, dtype, dtype, features, shared=BLOCK_SHARED[arch])
            built = as_launched(whole(shipped(layer).files, source), arch, [f"-D{macro}" for macro in given])
            assert built.resources
            found |= {name: ", ".join(faults) for name, used in built.resources.items() if (faults := used.faults())}
    return found


@needs_nvrtc
@pytest.mark.cuda
@pytest.mark.parametrize(("layer", "arch", "features", "source", "dtype"), sample(SOME, (), SOME[::3]))
def test_no_kernel_spills(layer: str, arch: str, features: int, source: str, dtype: str) -> None:
    assert spilled(layer, arch, features, source, dtype) == {}


@needs_nvrtc
@pytest.mark.cuda
@pytest.mark.exhaustive
@pytest.mark.parametrize(("layer", "arch", "features", "source"), EVERY)
def test_no_kernel_spills_anywhere(layer: str, arch: str, features: int, source: str) -> None:
    assert spilled(layer, arch, features, source) == {}
