"""A warp's way through its instructions: when it waits, and for what."""

from lngen.extensions.inspection.counting import trips
from lngen.extensions.inspection.listing import kernels
from lngen.extensions.inspection.walk import Walk, walk

LATENCY = 1000.0


def way(*lines: str, warps: int = 4) -> Walk:
    body = "\n".join(f"        /*{16 * n:04x}*/  {line} ;" for n, line in enumerate(lines, 1))
    end = 16 * (len(lines) + 1)
    text = (
        f".text.k:\n.L_x_1:\n{body}\n        /*{end:04x}*/  @P0 BRA `(.L_x_1) ;\n        /*{end + 16:04x}*/  EXIT ;\n"
    )
    return walk(trips(kernels(text)["k"], 8, 4), LATENCY, warps)


LOADS = ("LDG.E.128 R4, desc[UR4][R2.64]", "LDG.E.128 R8, desc[UR4][R2.64+0x10]")


def test_loads_that_are_asked_for_together_are_waited_for_once() -> None:
    together = way(*LOADS, "FADD R1, R4, R8")
    assert together.in_flight == 32
    assert LATENCY < together.trip < 1.1 * LATENCY
    one_by_one = way(LOADS[0], "FADD R1, R4, R4", LOADS[1], "FADD R1, R8, R1")
    assert one_by_one.in_flight == 16
    assert 2 * LATENCY < one_by_one.trip < 2.1 * LATENCY


def test_what_nothing_waits_for_costs_its_issue() -> None:
    assert way("STG.E.128 desc[UR4][R2.64], R4", "STG.E.128 desc[UR4][R2.64+0x10], R8").trip < 10


def test_a_chain_takes_the_latency_of_each_link() -> None:
    chain = way(LOADS[0], *["FADD R4, R4, R5"] * 50).trip
    wide = way(LOADS[0], *[f"FADD R{n}, R4, R5" for n in range(20, 70)]).trip
    assert chain - wide > 100


def test_a_copy_ahead_takes_no_time_of_its_own() -> None:
    copies = ("LDGSTS.E.BYPASS.128 [R3], desc[UR4][R2.64]", "LDGDEPBAR")
    at_once = way(*copies, "DEPBAR.LE SB0, 0x0", "LDS.128 R4, [R3]", *["FADD R4, R4, R5"] * 300)
    ahead = way(*copies, "DEPBAR.LE SB0, 0x1", "LDS.128 R4, [R3]", *["FADD R4, R4, R5"] * 300)
    assert at_once.trip - ahead.trip > 0.9 * LATENCY
    # Until it is waited for, a copy may be under way, and the one before it as well.
    assert (at_once.in_flight, ahead.in_flight) == (16, 32)
    assert way(*copies, "DEPBAR.LE SB0, 0x2", "LDS.128 R4, [R3]").in_flight == 48
    assert way(*copies, *copies, "DEPBAR.LE SB0, 0x0").in_flight == 32


def test_a_load_is_in_flight_until_it_is_read() -> None:
    late = [*["FADD R20, R20, R21"] * 300, LOADS[1], "FADD R1, R4, R8"]
    assert way(LOADS[0], *late).in_flight == 32
    assert way(LOADS[0], "FADD R1, R5, R5", *late).in_flight == 16


def test_a_loop_of_copies_is_in_flight_as_a_whole() -> None:
    text = """
.text.k:
.L_x_1:
        /*0010*/  MOV R9, R9 ;
.L_x_2:
        /*0020*/  LDGSTS.E.BYPASS.128 [R3], desc[UR4][R2.64] ;
        /*0030*/  LDGSTS.E.BYPASS.128 [R5], desc[UR4][R4.64] ;
        /*0040*/  @P1 BRA `(.L_x_2) ;
        /*0050*/  LDGDEPBAR ;
        /*0060*/  DEPBAR.LE SB0, 0x0 ;
        /*0070*/  @P0 BRA `(.L_x_1) ;
        /*0080*/  EXIT ;
"""
    # 64 entries of 4 bytes are a thread's, of which a trip of the inner loop copies 8, by two addresses.
    assert walk(trips(kernels(text)["k"], 64, 4), LATENCY, 4).in_flight == 64 * 4


def test_a_block_of_many_warps_waits_for_them_at_a_barrier() -> None:
    lines = (*(f"FADD R{n}, R4, R5" for n in range(20, 70)), "BAR.SYNC.DEFER_BLOCKING 0x0")
    assert way(*lines, warps=32).trip > 6 * way(*lines, warps=4).trip / 2
