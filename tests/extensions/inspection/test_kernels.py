"""The kernels of shipped layers, looked at: what is counted has to add up to what they do."""

import functools

import pytest

from lngen.check.toolchain import nvrtc
from lngen.check.toolchain.nvrtc import NvrtcMissing
from lngen.emit.cuda import DTYPES
from lngen.errors import LngenError
from lngen.extensions.inspection import kernels as module
from lngen.extensions.inspection import words
from lngen.extensions.inspection.architectures import Architecture, architecture
from lngen.extensions.inspection.counting import KINDS, Access
from lngen.extensions.inspection.kernels import Inspected, inspected
from lngen.extensions.inspection.machine_code import as_launched, spills
from lngen.plan.cost import cost, parse_dtype
from lngen.runtime.cuda.macros import macros
from tests.requirements import needs_nvdisasm, needs_nvrtc
from tests.shipped import NAMES, shipped, whole
from tests.tiers import sample

H200 = architecture("sm_90")


@pytest.fixture(autouse=True)
def by_nvrtc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")


@functools.cache
def looked_at(layer: str, arch: str, features: int, dtype: str, direction: str) -> tuple[Inspected, ...]:
    return inspected(shipped(layer), architecture(arch), features, parse_dtype(dtype), [direction])


CASES = [
    ("layer_norm", "sm_90", 1024, "bf16", "forward"),
    ("layer_norm", "sm_90", 4096, "bf16", "forward"),
    ("layer_norm", "sm_80", 4096, "f32", "backward"),
    ("layer_norm", "sm_100", 256, "bf16", "backward"),
    ("layer_norm", "sm_120", 1024, "f32", "forward"),
    ("layer_norm", "sm_90", 1000, "f16", "jvp"),
    ("layer_norm", "sm_90", 1024, "f64", "backward_backward"),
    ("layer_norm", "sm_120", 130, "f64", "backward"),
    ("rms_norm", "sm_80", 768, "f16", "forward"),
    ("softmax", "sm_90", 4096, "bf16", "backward"),
    ("layer_norm_gelu", "sm_100", 2048, "f32", "forward"),
]


@needs_nvrtc
@needs_nvdisasm
@pytest.mark.cuda
@pytest.mark.parametrize(("layer", "arch", "features", "dtype", "direction"), sample(CASES, CASES[:1]))
def test_a_row_is_read_once_and_written_once(layer: str, arch: str, features: int, dtype: str, direction: str) -> None:
    kernel, *others = looked_at(layer, arch, features, dtype, direction)
    assert kernel.name == f"{direction}_{dtype}"
    assert [other.name for other in others] in ([], [f"{direction}_columns_{dtype}"])
    assert all(other.ends_sums for other in others)
    assert all(other.work is None and not other.resources.spill_stores for other in others)
    work = kernel.work
    assert work is not None
    program = next(program for program in shipped(layer).plan.programs() if program.direction == direction)
    rows = work.facts.entries / features
    assert rows == kernel.launch["rows_per_block"]
    itemsize, least = parse_dtype(dtype).itemsize, cost(program)
    moved = {"LDG": 0.0, "LDGSTS": 0.0, "STG": 0.0}
    for access, times in work.accesses.items():
        if access.opcode in moved:
            moved[access.opcode] += access.bytes * times * kernel.launch["threads_per_block"] / work.facts.entries
    # Row scalars, and Features that are read in a trip, come on top of the rows, whose last access may pass their end.
    a_sweep = kernel.launch["threads_per_row"] * kernel.launch["vector"]
    padded = -(-features // a_sweep) * a_sweep / features * itemsize
    assert least.rows_read * itemsize <= moved["LDG"] + moved["LDGSTS"] < (least.rows_read + 2) * padded
    assert least.rows_written * itemsize <= moved["STG"] < (least.rows_written + 1) * padded
    # Rows that are copied come by copies alone, and nothing else does.
    if kernel.launch["rows_copied"]:
        assert least.rows_read * itemsize <= moved["LDGSTS"] <= least.rows_read * padded
        assert moved["LDG"] < 2 * padded
    else:
        assert moved["LDGSTS"] == 0
    assert work.facts.bytes == (least.rows_read + least.rows_written) * itemsize


@needs_nvrtc
@needs_nvdisasm
@pytest.mark.cuda
@pytest.mark.parametrize(("layer", "arch", "features", "dtype", "direction"), sample(CASES, CASES[:1]))
def test_what_is_counted_is_what_is_there(layer: str, arch: str, features: int, dtype: str, direction: str) -> None:
    kernel = looked_at(layer, arch, features, dtype, direction)[0]
    work = kernel.work
    assert work is not None
    assert set(work.instructions) == set(KINDS)
    operations = cost(next(p for p in shipped(layer).plan.programs() if p.direction == direction)).operations.element
    # A multiplication and an addition may be one instruction; what a function is made of may be many.
    assert work.instructions["floating point"] + work.instructions["double precision"] > operations / 4
    assert sum(work.instructions.values()) < 400
    assert work.facts.bytes_in_flight <= kernel.threads * 256
    # All rows that are copied ahead are in flight at a time, however soon a memory at rest would be done with them.
    rows = kernel.launch["rows_copied"] * kernel.launch["rows_per_block"] * kernel.blocks
    read = cost(next(p for p in shipped(layer).plan.programs() if p.direction == direction)).rows_read
    assert work.facts.bytes_in_flight >= rows * read * features * parse_dtype(dtype).itemsize
    assert 0 < work.expected.share <= 1
    assert 0 < kernel.blocks * kernel.launch["threads_per_block"] <= architecture(arch).multiprocessor.threads


@needs_nvrtc
@needs_nvdisasm
@pytest.mark.cuda
@pytest.mark.ci
def test_a_row_that_stays_in_shared_memory_is_copied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop that copies it goes over several accesses at a time."""
    monkeypatch.setattr(Architecture, "blocks_per_row", lambda *_: 1)
    kernel = looked_at.__wrapped__("layer_norm", "sm_90", 65536, "bf16", "forward")[0]
    assert (kernel.launch["row_held"], kernel.launch["rows_copied"]) == (0, 1)
    assert kernel.work is not None
    threads, copies = kernel.launch["threads_per_block"], kernel.work.accesses[Access("LDGSTS", 16)]
    assert copies * 16 * threads == 65536 * 2
    assert kernel.work.facts.bytes_in_flight == kernel.blocks * 65536 * 2


@needs_nvrtc
@needs_nvdisasm
@pytest.mark.cuda
@pytest.mark.ci
def test_sums_in_memory_are_not_taken_for_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums are wider than the rows, and two of them are loaded and stored for each entry."""
    monkeypatch.setattr(Architecture, "blocks_per_row", lambda *_: 1)
    kernel = looked_at.__wrapped__("layer_norm", "sm_90", 65536, "bf16", "backward")[0]
    assert kernel.launch["sums_over_rows"] == 2
    assert kernel.work is not None
    stored = sum(a.bytes * n for a, n in kernel.work.accesses.items() if a.opcode == "STG")
    assert stored * kernel.launch["threads_per_block"] == 65536 * (2 + 2 * 4)


@needs_nvrtc
@needs_nvdisasm
@pytest.mark.cuda
@pytest.mark.ci
def test_blocks_that_share_a_row_read_and_write_it_once() -> None:
    """Two rows are copied and one is stored, by all of them together, and sums stay in registers."""
    kernel = looked_at("layer_norm", "sm_90", 65536, "bf16", "backward")[0]
    assert (kernel.launch["blocks_per_row"], kernel.launch["sums_over_rows"]) == (8, 0)
    assert kernel.work is not None
    assert kernel.resources.faults() == []
    threads, found = 8 * kernel.launch["threads_per_block"], kernel.work.accesses
    assert found[Access("LDGSTS", 16)] * 16 * threads == 2 * 65536 * 2
    assert found[Access("STG", 16)] * 16 * threads == 65536 * 2


@needs_nvrtc
@needs_nvdisasm
@pytest.mark.cuda
@pytest.mark.ci
def test_a_row_that_is_read_again_moves_more() -> None:
    short, long = (looked_at("layer_norm", "sm_90", features, "f32", "forward")[0] for features in (1024, 2**20))
    assert short.work is not None
    assert long.work is not None
    assert long.work.facts.moved > 1.5 * short.work.facts.moved
    # Instructions for an entry do not grow with the row.
    assert sum(long.work.instructions.values()) < 3 * sum(short.work.instructions.values())


@needs_nvrtc
@pytest.mark.cuda
def test_without_a_disassembler_the_rest_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise NvrtcMissing("no nvdisasm: pip install it")

    monkeypatch.setattr(nvrtc, "disassembler", missing)
    (kernel,) = inspected(shipped("rms_norm"), H200, 64, parse_dtype("f32"), ["forward"])
    assert kernel.work is None
    assert kernel.blocks > 0
    assert module.missing_disassembler() == "no nvdisasm: pip install it"
    titles = [title for title, _ in words.facts(kernel, H200)]
    assert "registers a thread" in titles
    assert "bytes in flight" not in titles
    assert len(words.line(kernel, 64)) == len(words.HEADINGS)


@pytest.mark.parametrize("features", [0, 2**30 + 1])
def test_rows_that_no_layer_has_are_refused(features: int) -> None:
    with pytest.raises(
        LngenError, match=rf"--D {features} is not a length of the layer's rows: pass one from 1 to 1073741824"
    ):
        inspected(shipped("rms_norm"), H200, features, parse_dtype("f32"))


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
            given = macros(direction, dtype, dtype, features, shared=architecture(arch).block_shared)
            built = as_launched(whole(shipped(layer).files, source), arch, [f"-D{macro}" for macro in given])
            assert built.resources
            found |= spills(built)
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
