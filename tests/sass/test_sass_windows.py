"""Generic accesses by addresses of the shared window."""

from __future__ import annotations

import pytest

from mutate.sass.disasm import Instruction
from mutate.sass.windows import shared_generic

WINDOW = ("S2R", "R5, SR_SWINHI")
STORE = ("ST.E.128", "desc[UR8][R4.64+0x40], R8")
END = ("EXIT",)


def shared(*code: tuple[str, ...]) -> list[bool]:
    """Of each generic access whether it is surely of shared memory."""
    listing = tuple(Instruction(16 * n, row[2] if len(row) > 2 else "", row[0], row[1] if len(row) > 1 else "", 0, 0)
                    for n, row in enumerate(code))
    found = shared_generic(listing)
    return [n in found for n, row in enumerate(code) if row[0].split(".")[0] in ("LD", "ST", "ATOM")]


@pytest.mark.parametrize("way", [
    (),
    (("MOV", "R7, R5"), ("IMAD.WIDE.U32", "R4, R80, 0x8, R6")),
    (("IMAD.MOV.U32", "R81, RZ, RZ, R5"), ("LEA.HI.X", "R5, R42, R81, R43, 0x3, P1")),
    (("IADD3", "R4, P0, R4, R9, RZ"), ("IADD3.X", "R5, R5, R10, RZ, P0, !PT")),
    (("IMAD.X", "R5, RZ, RZ, R5, P0"),),
    (("IMAD.X", "R5, R5, 0x1, R17, P0"),),
    (("IMAD.IADD", "R5, R17, 0x1, R5"),),
    # A lane has 2 doubles or 4 other elements of such a product.
    (("DMMA.8x8x4", "R0, R20, R22.reuse, R0"), ("HMMA.1684.F32.TF32", "R8, R20, R24, R8"), ("MOV", "R4, R30")),
    (("IMMA.8816.S8.S8", "R2, R20, R22, R2"),),
    (("MOV", "R7, R5"), ("SEL", "R5, R5, R7, P0")),
    (("MOV", "R5, R5", "@P0"),),
    (("STG.E", "desc[UR8][R20.64], R5"), ("BAR.SYNC", "0x0")),
    (("BRA", "0x30", "@P0"), ("NOP",)),
])
def test_an_offset_from_the_window_is_in_it(way: tuple[tuple[str, ...], ...]) -> None:
    assert shared(WINDOW, *way, STORE, END) == [True]


@pytest.mark.parametrize("way", [
    (("LDC", "R5, c[0x0][0x214]"),),
    (("LDG.E", "R5, desc[UR8][R20.64]"),),
    (("LDC", "R5, c[0x0][0x214]", "@P0"),),
    (("LDC", "R7, c[0x0][0x214]"), ("SEL", "R5, R5, R7, P0")),
    (("MOV", "R7, R5"), ("IADD3", "R5, R5, -R7, RZ")),
    (("MOV", "R7, R5"), ("IADD3.X", "R5, R5, R7, RZ, P0, !PT")),
    (("LDC", "R7, c[0x0][0x214]"), ("IADD3.X", "R5, R7, ~R5, RZ, P0, !PT")),
    (("IMAD", "R5, R5, 0x8, R20"),),
    (("IMAD.WIDE.U32", "R4, R5, 0x8, R20"),),
    (("IMAD.X", "R5, -R5, 0x1, R17, P0"),),
    (("MOV", "R7, R5"), ("IMAD.X", "R5, R5, 0x1, R7, P0")),
    (("DMMA.8x8x4", "R2, R20, R22, R2"),),
    (("DMMA.16x8x8", "R0, R20, R24, R0"),),
    (("HMMA.16816.F32", "R4, R20, R24, R4"),),
    (("HMMA.884.F32.F32.STEP0", "R0, R20, R24, R0"),),
    (("LOP3.LUT", "R5, R5, 0xff, RZ, 0xc0, !PT"),),
    (("FROBNICATE", "R9"),),
    # Another value on the other way here.
    (("BRA", "0x30", "@P0"), ("LDC", "R5, c[0x0][0x214]")),
    (("BRX", "R2 -0x10", "@P5"),),
])
def test_another_address_may_be_anywhere(way: tuple[tuple[str, ...], ...]) -> None:
    assert shared(WINDOW, *way, STORE, END) == [False]


def test_the_window_must_be_read_before() -> None:
    assert shared(STORE, WINDOW, ("LD.E", "R2, desc[UR8][R4.64]"), END) == [False, True]
    # In a loop the address is another one from the second turn on.
    assert shared(WINDOW, STORE, ("LDC.64", "R4, c[0x0][0x210]"), ("BRA", "0x10", "@P0"), END) == [False]
    assert shared(WINDOW, STORE, ("IMAD.X", "R5, RZ, RZ, R5, P0"), ("BRA", "0x10", "@P0"), END) == [True]


def test_an_address_that_is_spilled_is_the_same_when_it_comes_back() -> None:
    lost = ("LDC.64", "R4, c[0x0][0x210]")
    assert shared(WINDOW, ("STL.64", "[R1+0x8], R4"), lost, ("LDL.64", "R4, [R1+0x8]"), STORE, END) == [True]
    assert shared(WINDOW, ("STL", "[R1], R5"), lost, ("LDL", "R5, [R1]"), STORE, END) == [True]
    assert shared(WINDOW, ("STL.64", "[R1+0x8], R4"), lost, ("LDL.64", "R4, [R1+0x10]"), STORE, END) == [False]
    for between in (("STL", "[R1+0xc], R9"), ("STL", "[R7], R9"), ("IADD3", "R1, R1, -0x10, RZ"),
                    ("STL.128", "[R1], R8")):
        assert shared(WINDOW, ("STL.64", "[R1+0x8], R4"), lost, between, ("LDL.64", "R4, [R1+0x8]"), STORE, END
                      ) == [False]


def test_a_wait_goes_on_at_the_join_of_its_own_register() -> None:
    # The join of B0 is the store; what waits with B1 has another address.
    first = (("BSSY", "B0, 0x60"), ("BSSY", "B1, 0x50"), WINDOW, ("BRA", "0x60", "@P0"), ("BSYNC", "B0"))
    rest = (("LDC", "R5, c[0x0][0x214]"), STORE, END)
    assert shared(*first, *rest) == [False]
    other = (WINDOW, ("BSSY", "B0, 0x80"), ("BSSY", "B1, 0x50"), ("LDC", "R9, c[0x0][0x214]"), ("BSYNC", "B1"),
             ("BRA", "0x80", "@P0"), ("MOV", "R5, R9"), END, STORE, END)
    assert shared(*other) == [True]
    assert shared(*other[:3], ("MOV", "R5, R9"), *other[4:]) == [False]
    assert shared(("BMOV.32", "B1, R7"), *(tuple(p.replace("0x80", "0x90").replace("0x50", "0x60") for p in row)
                                          for row in other[:3]),
                  ("MOV", "R5, R9"), ("BSYNC", "B1"), ("EXIT",), ("NOP",), ("NOP",), STORE, END) == [False]


def test_a_call_loses_what_the_function_writes() -> None:
    call, back = (("MOV", "R20, 0x30"), ("CALL.REL.NOINC", "0x50")), ("RET.REL.NODEC", "R20 0x0")
    assert shared(WINDOW, *call, STORE, END, ("MOV", "R9, R10"), back) == [True]
    assert shared(WINDOW, *call, STORE, END, ("MOV", "R5, R10"), back) == [False]
    # A function that comes back to another place than is said, with what it was called with there.
    assert shared(("MOV", "R20, 0x30"), ("CALL.REL.NOINC", "0x50"), WINDOW, STORE, END, ("MOV", "R9, R10"), back
                  ) == [False]


def test_a_number_is_no_place_that_a_function_returns_to_where_all_calls_say_theirs() -> None:
    # 0x20 is the length of a row here, and by chance the place of the call; 0x40 is that of the store.
    rows = (("IMAD.WIDE.U32", "R8, R8, 0x20, R10"), ("MOV", "R12, 0x40"))
    call, back = (("MOV", "R20, 0x30"), ("CALL.REL.NOINC", "0x80")), ("RET.REL.NODEC", "R20 0x0")
    later = (WINDOW, STORE, *rows, END)
    assert shared(("NOP",), *call, *later, back) == [True]
    # Another call that does not say where its function returns to: it may be any number that there is.
    loses, number, again = ("LDC", "R5, c[0x0][0x214]"), ("MOV", "R12, 0x30"), ("CALL.REL.NOINC", "0x90")
    first = (("MOV", "R20, 0x20"), again, WINDOW, STORE, number, loses)
    assert shared(*first, ("MOV", "R20, 0x80"), again, END, back) == [True]
    assert shared(*first, ("LDC", "R20, c[0x0][0x210]"), again, END, back) == [False]
    # A function that returns to between a MOV and its CALL.
    skips = (("MOV", "R20, 0x40"), again, ("NOP",), ("MOV", "R20, 0x50"), again, WINDOW, STORE, ("MOV", "R12, 0x60"),
             END)
    assert shared(*skips, back) == [False]
    assert shared(("MOV", "R20, 0x20"), *skips[1:], back) == [True]


def test_nothing_is_said_without_the_window_or_without_generic_accesses() -> None:
    assert shared(("LDC.64", "R4, c[0x0][0x210]"), STORE, END) == [False]
    assert shared_generic((Instruction(0, "", "EXIT", "", 0, 0),)) == frozenset()
