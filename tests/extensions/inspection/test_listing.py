"""A listing of machine code: its instructions, blocks and loops."""

from lngen.extensions.inspection.listing import Block, Instruction, Loop, kernels, parsed

# A loop over rows that has a loop inside, an exceptional call, and a way that only warps that came apart take.
LISTING = """
	.section	.text.scale_f32,"ax",@progbits
.text.scale_f32:
        /*0000*/                   S2R R0, SR_TID.X ;               /* 0x0 */
        /*0010*/              @P1 EXIT ;
.L_x_1:
        /*0020*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0030*/                   BRA.DIV UR6, `(.L_x_9) ;
.L_x_2:
        /*0040*/                   LDG.E.64.CONSTANT R8, desc[UR4][R10.64+0x8] ;
        /*0050*/                   FADD R4, R4, R8 ;
        /*0060*/               @P2 BRA `(.L_x_2) ;
        /*0070*/               @P0 BRA `(.L_x_3) ;
        /*0080*/                   MOV R9, 0xa0 ;
        /*0090*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath) ;
        /*00a0*/                   BRA `(.L_x_4) ;
.L_x_3:
        /*00b0*/                   MUFU.RCP R4, R4 ;
.L_x_4:
        /*00c0*/                   STG.E.128 desc[UR4][R2.64], R4 ;
        /*00d0*/               @P3 BRA `(.L_x_1) ;
        /*00e0*/                   EXIT ;
.L_x_9:
        /*00f0*/                   WARPSYNC R3 ;
        /*0100*/                   BRA `(.L_x_2) ;
$__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath:
        /*0110*/                   RET.REL.NODEC R8 `(scale_f32) ;
.L_x_10:
        /*0120*/                   BRA `(.L_x_10) ;
.text.other_f32:
        /*0000*/                   EXIT ;
"""


def opcodes(part: Block | Loop) -> list[object]:
    if isinstance(part, Block):
        return [instruction.opcode for instruction in part.instructions]
    return [opcodes(inner) for inner in part.parts]


def test_loops_are_found_in_each_other() -> None:
    code = kernels(LISTING)["scale_f32"]
    before, row_loop, after = code.parts[-3], code.parts[-2], code.parts[-1]
    assert isinstance(before, Block)
    assert isinstance(row_loop, Loop)
    assert opcodes(after) == ["EXIT"]
    (inner,) = [part for part in row_loop.parts if isinstance(part, Loop)]
    assert opcodes(inner) == [["LDG", "FADD", "BRA"]]
    assert list(code.loops()) == [code, row_loop, inner]


def test_what_is_exceptional_is_told_from_the_rest() -> None:
    blocks = list(kernels(LISTING)["scale_f32"].blocks())
    exceptional = [block for block in blocks if block.is_exceptional]
    assert [opcodes(block) for block in exceptional] == [["MOV", "CALL"]]
    everything = [instruction.opcode for block in blocks for instruction in block.instructions]
    assert "WARPSYNC" not in everything
    assert "RET" not in everything
    assert everything.count("MUFU") == 1


def test_kernels_are_apart() -> None:
    found = kernels(LISTING)
    assert set(found) == {"scale_f32", "other_f32"}
    assert [opcodes(part) for part in found["other_f32"].parts] == [["EXIT"]]


def test_an_instruction_has_its_parts() -> None:
    line = "        /*0a10*/              @!P0 LDG.E.EF.128 R4, desc[UR8][R58.64+0x1000] ;   /* 0x00 */"
    assert parsed(line) == Instruction(0xA10, "@!P0", "LDG", ("E", "EF", "128"), ("R4", "desc[UR8][R58.64+0x1000]"))
    found = [parsed(f"/*0000*/ {words} ;") for words in ("LDG.E R1, [R2]", "LDG.E.U16 R1, [R2]", "STG.E.64 [R2], R4")]
    assert [instruction.bytes for instruction in found if instruction] == [4, 2, 8]
    assert parsed("  .align 128") is None


def test_a_kernel_without_a_loop_is_its_blocks() -> None:
    assert all(isinstance(part, Block) for part in kernels(LISTING)["other_f32"].parts)
