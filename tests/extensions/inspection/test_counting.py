"""Number of executed instructions for an entry of a row."""

import pytest

from lngen.extensions.inspection.counting import KINDS, Access, accesses, kind, trips
from lngen.extensions.inspection.listing import Instruction, kernels, parsed


def instruction(words: str) -> Instruction:
    found = parsed(f"/*0000*/ {words} ;")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("FADD R1, R2, R3", "floating point"),
        ("DFMA R2, R4, R6, R8", "double precision"),
        ("HFMA2.BF16_V2 R1, R2, R3, R4", "floating point"),
        ("MUFU.RSQ R1, R2", "function"),
        ("F2FP.BF16.F32.PACK_AB R1, R2, R3", "conversion"),
        ("PRMT R1, R2, 0x7632, R1", "conversion"),
        ("SHF.L.U32 R1, R2, 0x10, RZ", "conversion"),
        ("SHF.L.U32 R1, R2, 0x3, RZ", "integer"),
        ("HADD2.F32 R1, -RZ, R2.H0_H0", "conversion"),
        ("IADD3 R1, R2, R3, RZ", "integer"),
        ("LDG.E.128 R4, desc[UR4][R2.64]", "memory"),
        ("SHFL.BFLY PT, R1, R2, 0x10, 0x1f", "shuffle"),
        ("BAR.SYNC.DEFER_BLOCKING 0x0", "barrier"),
        ("BRA `(.L_x_1)", "control"),
    ],
)
def test_the_kinds(words: str, expected: str) -> None:
    assert kind(instruction(words)) == expected
    assert expected in KINDS


# Before the rows, rows, and an epilogue that stores more than a row but reads nothing.
ROWS = """
.text.k:
        /*0000*/                   MOV R0, R1 ;
.L_x_1:
        /*0010*/                   MOV R9, R9 ;
.L_x_2:
        /*0020*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0030*/                   LDG.E.128 R12, desc[UR4][R2.64+0x1000] ;
        /*0040*/               @P0 BRA `(.L_x_2) ;
        /*0050*/                   STG.E desc[UR4][R2.64], R4 ;
        /*0060*/               @P1 BRA `(.L_x_1) ;
.L_x_3:
        /*0070*/                   LDS.128 R4, [R2] ;
        /*0080*/                   STG.E.128 desc[UR4][R2.64], R4 ;
        /*0090*/                   STG.E.128 desc[UR4][R2.64+0x10], R4 ;
        /*00a0*/                   STG.E.128 desc[UR4][R2.64+0x20], R4 ;
        /*00b0*/               @P2 BRA `(.L_x_3) ;
        /*00c0*/                   EXIT ;
"""


def test_the_rows_are_told_from_what_is_around() -> None:
    # 64 entries of 2 bytes are a thread's; the inner loop takes 2 x 16 bytes of them at a time.
    work = trips(kernels(ROWS)["k"], 64, 2)
    executed = list(work.weighted(work.trip.parts))
    found = accesses(iter(executed))
    assert found == {Access("LDG", 16): 8, Access("STG", 4): 1}
    assert [i.opcode for i, _ in work.weighted(work.before)] == ["MOV"]
    assert sum(times for i, times in work.weighted(work.after) if i.opcode == "EXIT") == 1


def test_without_a_loop_all_is_one_trip() -> None:
    code = kernels(".text.k:\n        /*0000*/  LDG.E R4, desc[UR4][R2.64] ;\n        /*0010*/  EXIT ;\n")["k"]
    work = trips(code, 1, 4)
    assert (work.before, work.after) == ((), ())
    assert [i.opcode for i, _ in work.weighted(work.trip.parts)] == ["LDG", "EXIT"]


def test_sums_that_a_loop_updates_do_not_tell_its_trips() -> None:
    code = kernels("""
.text.k:
.L_x_1:
        /*0010*/                   MOV R9, R9 ;
.L_x_2:
        /*0020*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0030*/                   LDG.E.128 R12, desc[UR4][R8.64] ;
        /*0040*/                   LDG.E.128 R16, desc[UR4][R8.64+0x10] ;
        /*0050*/                   STG.E.128 desc[UR4][R8.64], R12 ;
        /*0060*/                   STG.E.128 desc[UR4][R8.64+0x10], R16 ;
        /*0070*/               @P0 BRA `(.L_x_2) ;
        /*0080*/               @P1 BRA `(.L_x_1) ;
        /*0090*/                   EXIT ;
""")["k"]
    # 64 entries of 2 bytes are a thread's, and 8 of them make an access, but two of sums in 4 bytes each.
    work = trips(code, 64, 2)
    assert accesses(work.weighted(work.trip.parts)) == {Access("LDG", 16): 24, Access("STG", 16): 16}


def test_a_register_may_hold_the_addresses_of_two_arrays_in_turn() -> None:
    code = kernels("""
.text.k:
.L_x_1:
        /*0010*/                   MOV R9, R9 ;
.L_x_2:
        /*0020*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0030*/                   IMAD.WIDE R2, R20, 0x2, R22 ;
        /*0040*/                   LDG.E.128.CONSTANT R8, desc[UR4][R2.64] ;
        /*0050*/               @P0 BRA `(.L_x_2) ;
        /*0060*/               @P1 BRA `(.L_x_1) ;
        /*0070*/                   EXIT ;
""")["k"]
    work = trips(code, 64, 2)
    assert accesses(work.weighted(work.trip.parts)) == {Access("LDG", 16): 16}
