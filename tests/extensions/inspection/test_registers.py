"""Registers that an instruction writes and reads."""

import pytest

from lngen.extensions.inspection.listing import parsed
from lngen.extensions.inspection.registers import used


@pytest.mark.parametrize(
    ("words", "written", "read"),
    [
        ("FFMA R1, R2, -R3.reuse, R4", "R1", "R2 R3 R4"),
        ("LDG.E.EF.128 R4, desc[UR8][R58.64+0x1000]", "R4 R5 R6 R7", "R58 R59 UR8"),
        ("STG.E.EF.64 desc[UR8][R2.64], R4", "", "R2 R3 R4 R5 UR8"),
        ("@!P0 STS [R57], R72", "", "P0 R57 R72"),
        ("IADD3 R2, P0, R24, UR6, RZ", "R2 P0", "R24 UR6"),
        ("IADD3.X R3, RZ, UR7, RZ, P0, !PT", "R3", "P0 UR7"),
        ("ISETP.GE.AND.EX P0, PT, RZ, R3, PT, P1", "P0", "P1 R3"),
        ("SHFL.BFLY PT, R58, R3, 0x10, 0x1f", "R58", "R3"),
        ("IMAD.WIDE.U32 R74, R5, 0x82, R66", "R74 R75", "R5 R66"),
        ("DFMA R2, R4, R6, R8", "R2 R3", "R4 R5 R6 R7 R8 R9"),
        ("ULDC.64 UR6, c[0x0][0x218]", "UR6 UR7", ""),
        ("BAR.SYNC.DEFER_BLOCKING 0x0", "", ""),
        ("LDGSTS.E.BYPASS.128 [R3], desc[UR4][R2.64]", "", "R2 R3 UR4"),
    ],
)
def test_what_is_used(words: str, written: str, read: str) -> None:
    instruction = parsed(f"/*0000*/ {words} ;")
    assert instruction is not None
    found = used(instruction)
    assert (list(found[0]), sorted(found[1])) == (written.split(), sorted(read.split()))
