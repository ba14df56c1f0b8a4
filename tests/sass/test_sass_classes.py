"""Classes and widths of instructions."""

from __future__ import annotations

import pytest
from sass_cases import ARCHS, build, corpus

from mutate.sass.classes import class_of, count_classes, unknown_opcodes, width_of
from mutate.sass.disasm import Instruction


def of(opcode: str, operands: str = "") -> str:
    return class_of(Instruction(0, "", opcode, operands, 0, 0))


@pytest.mark.parametrize("arch", ARCHS)
def test_the_compiler_makes_no_opcode_without_a_class(arch):
    unknown = {name: unknown_opcodes(count_classes(listing)) for name, (_, listing) in corpus(arch).items()}
    assert not {name: opcodes for name, opcodes in unknown.items() if opcodes}


@pytest.mark.parametrize("arch", ARCHS)
def test_counts_of_known_sources(arch):
    counts = {name: count_classes(listing) for name, (_, listing) in corpus(arch).items()}
    widths = counts["widths"]
    for space in ("shared_load", "shared_store"):
        assert (widths[f"{space}.8"], widths[f"{space}.16"], widths[f"{space}.32"]) == (2, 2, 1)
        assert (widths[f"{space}.64"], widths[f"{space}.128"]) == (1, 1)
    assert (widths["global_load.8"], widths["global_load.16"], widths["global_load.32"]) == (4, 2, 1)
    assert (widths["global_load.64"], widths["global_load.128"], widths["global_store.128"]) == (1, 2, 2)
    assert widths["barrier"] == 14
    assert counts["atomics"]["shared_atomic"] == 6
    assert counts["atomics"]["global_atomic"] + counts["atomics"].get("generic_atomic", 0) >= 8
    assert counts["generic_and_local"]["generic_atomic"] == 1
    assert counts["generic_and_local"]["generic_load.8"] == 1
    assert sum(n for c, n in counts["generic_and_local"].items() if c.startswith("local_store")) > 0
    assert counts["memory_paths"]["texture"] == 6 and counts["memory_paths"]["surface"] == 2
    if int(arch[3:]) >= 80:
        paths = counts["memory_paths"]
        assert [paths[f"async_copy.{w}"] for w in (32, 64, 128)] == [1, 1, 1]
        assert counts["tensors"]["shared_load.matrix"] == 2
    assert counts["tensors"]["tensor"] >= 3
    assert counts["floats"]["sfu"] > 5 and counts["floats"]["fp64.fma"] > 10 and counts["floats"]["conversion"] > 5
    assert counts["halves"]["fp16.fma"] >= 2
    assert counts["warp"]["shuffle_vote"] >= 8
    if int(arch[3:]) >= 90:
        assert counts["hopper"]["tma"] >= 2 and counts["hopper"]["mbarrier"] >= 2
        assert counts["hopper"]["cluster_barrier"] == 2


def test_simple_arithmetic_is_counted_exactly():
    _, listing = build("""__global__ void k(float *p, double *d) {
        float a = p[0], b = p[1], c = p[2]; double x = d[0], y = d[1], z = d[2];
        p[3] = a + b; p[4] = b * c; p[5] = fmaf(a, b, c); p[6] = fmaf(b, c, a); p[7] = __fsqrt_rn(1.0f);
        d[3] = x + y; d[4] = y * z; d[5] = fma(x, y, z); d[6] = fma(y, z, x); d[7] = fma(z, x, y);
    }""")
    counts = count_classes(listing)
    assert (counts["fp32.add"], counts["fp32.mul"], counts["fp32.fma"]) == (1, 1, 2)
    assert (counts["fp64.add"], counts["fp64.mul"], counts["fp64.fma"]) == (1, 1, 3)
    assert counts["global_load.32"] == 3 and counts["global_load.64"] == 3
    assert counts["global_store.32"] == 5 and counts["global_store.64"] == 5
    assert list(counts) == sorted(counts)


@pytest.mark.parametrize(("opcode", "operands", "expected"), [
    ("LDG.E.128.CONSTANT", "R4, desc[UR4][R2.64]", "global_load.128"),
    ("LDG.E.U8.SYS", "R4, [R2]", "global_load.8"), ("LDG.E.ENL2.256", "R4, R8, desc[UR4][R2.64]", "global_load.256"),
    ("STS.U16", "[R2], R0", "shared_store.16"), ("LDS.S8", "R0, [R2]", "shared_load.8"), ("LD.E", "R0, [R2]",
     "generic_load.32"), ("LDGSTS.E.BYPASS.LTC128B.128", "[R1], [R2]", "async_copy.128"),
    ("RED.E.ADD.F32.FTZ.RN.STRONG.GPU", "[R2], R5", "global_reduction"), ("ATOMS.POPC.INC.32", "RZ, [R2]",
     "shared_atomic"), ("MUFU.RCP", "R0, R1", "sfu"), ("UFADD", "UR1, UR2, UR3", "fp32.add"),
    ("IMAD.MOV.U32", "R1, RZ, RZ, R2", "move"), ("IMAD.WIDE", "R2, R3, 0x4, R4", "integer"),
    ("HFMA2.MMA", "R6, -RZ, RZ, 1.5, -0.05", "move"), ("HFMA2", "R6, R2, R3, R4", "fp16.fma"),
    ("HADD2.F32", "R0, -RZ, R2.H0_H0", "conversion"), ("HADD2", "R0, R1, R2", "fp16.add"), ("CS2R", "R2, SRZ", "move"),
    ("CS2R", "R2, SR_CLOCKLO", "special"), ("BAR.SYNC.DEFER_BLOCKING", "0x0", "barrier"),
    ("UTMALDG.2D", "[UR4], [UR8]", "tma"), ("ULDC.64", "UR4, c[0x0][0x208]", "constant_load"),
    ("WARPSYNC.ALL", "", "warp_barrier"), ("FROBNICATE.X", "R1", "unknown.FROBNICATE"),
])
def test_single_instructions(opcode, operands, expected):
    assert of(opcode, operands) == expected


def test_unknown_opcodes_are_named_and_never_guessed():
    counts = count_classes([Instruction(0, "", "LDQ.E.128", "R1, [R2]", 0, 0), Instruction(16, "", "FMA9", "", 0, 0)])
    assert counts == {"unknown.FMA9": 1, "unknown.LDQ": 1}
    assert unknown_opcodes(counts) == ["FMA9", "LDQ"]


def test_widths():
    assert [width_of(o) for o in ("LDG.E", "LDG.E.64", "STG.E.U8", "LDS.S16", "LDL.128")] == [32, 64, 8, 16, 128]


def test_an_access_that_is_predicated_off_for_good_is_no_access() -> None:
    dead = Instruction(0, "@!PT", "LDS", "RZ, [RZ]", 0, 0)
    live = Instruction(16, "@P0", "LDS", "R1, [R2]", 0, 0)
    assert count_classes([dead, live]) == {"nop": 1, "shared_load.32": 1}
