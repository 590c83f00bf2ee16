"""Kernels of layers compile for each target, and what the command says of them."""

import pytest

from tests.processes import run_alone
from tests.requirements import needs_triton
from tests.shipped import LAYERS
from tests.tiers import sample

pytestmark = needs_triton


@pytest.mark.parametrize("name", sample(LAYERS, (), ["rms_norm"]))
def test_kernels_compile_for_each_target(name):
    run_alone(
        f"""
        from tools.triton_registers import TARGETS, compiled

        for target in TARGETS:
            for features in (1000, 8192):
                found = [*compiled("{name}", target, features, "bfloat16")]
                assert found or "{name}" == "alibi_softmax"
                for each in found:
                    assert 0 < each.registers <= 255 + 257 * target.startswith("gfx"), each
                    assert 0 <= each.spilled <= 120, each
                # Rows of 16 bits that follow one another are read at 128 bits, of an even length or not.
                assert "{name}" != "rms_norm" or all(128 in each.widths for each in found)
        """
    )


def test_the_command_prints_a_line_for_each_kernel():
    run_alone(
        """
        import contextlib, io, re
        from tools.triton_registers import main

        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            main(["softmax", "--target", "sm_90", "--features", "64"])
        *lines, last = said.getvalue().splitlines()
        names = [f"softmax_{name} sm_90 64" for name in ("forward", "backward")]
        assert [line.partition(":")[0] for line in lines] == names
        assert all(re.search(r": [0-9]+ registers, accesses of [0-9 and]+ bits", line) for line in lines)
        assert last == "2 kernels compiled, 0 spill"
        """
    )
