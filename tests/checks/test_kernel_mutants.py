"""Every mistake planted into a kernel is caught, and the page that says by what is up to date."""

from functools import cache

import pytest

from lngen.checks.on_device import device
from lngen.extensions import simt
from lngen.language.parsing import load
from lngen.pipeline.stages import derived
from tests.checks.kernel_mutants import kernel_mutants, kill_table
from tests.checks.layers import DEFINITIONS
from tests.checks.mutants import markdown
from tests.checks.test_mutants import PAGE
from tests.extensions.simt.test_emitted import assert_right, case_of, source_of
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.tiers import sample

MUTANTS = kernel_mutants(["gamma", "beta"])
FEW = ("`beta` from the column before",)

SHIPPED = [path for path in DEFINITIONS if path.parent.name == "derive"]

# What races does not show in every run of a GPU, so the page is of the emulator.
on_the_emulator = [
    pytest.mark.cuda,
    needs_pycuda,
    needs_gxx,
    pytest.mark.skipif(has_gpu(), reason="no GPU is to be there: the emulator takes its place"),
]


@cache
def kills(path):
    layer = derived(load(path), proved=False)
    with device():
        return kill_table(layer.plan, dict(layer.emission.files))


@pytest.mark.cuda
@needs_gxx
@pytest.mark.parametrize("mutant", sample(MUTANTS, lambda mutant: mutant.name in FEW), ids=lambda mutant: mutant.name)
def test_each_is_caught_by_the_values_or_the_checker_of_the_emulator(mutant):
    """A short version of the page's test: one type, without PyCUDA and without a GPU."""
    text = mutant.rewrite(source_of("layer_norm"))
    assert text != source_of("layer_norm")

    def run():
        # A tail of one entry, in rows of which a block takes several trips; rows that many warps share.
        for rows, features, blocks in ((37, 33, 1), (3, 1024, 3)):
            kernels = simt.build(text, {"LNGEN_F64": None, "LNGEN_D": features}, check=True)
            case = case_of(kernels, "layer_norm", "f64", rows, features)
            case.blocks = blocks
            assert_right(case)

    with pytest.raises((AssertionError, simt.KernelFault)):
        run()


def section(path):
    return markdown({f"{path.stem}, CUDA on the emulator": kills(path)})


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[*on_the_emulator, pytest.mark.exhaustive]) for path in SHIPPED],
    ids=lambda path: path.stem,
)
def test_no_kernel_mutant_survives(path):
    assert [kill.mutant for kill in kills(path)] != []
    assert [kill.mutant for kill in kills(path) if not kill.caught_by] == []
    assert section(path) in PAGE.read_text(encoding="utf-8"), "run: python -m tests.checks.test_mutants"
