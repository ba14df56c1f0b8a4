"""The machine code of the calibration kernels is what they claim to measure. Needs no GPU."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from mutate.calibrate import PROBES, STEPS, Probe
from mutate.calibrate.bench import kernel_binaries
from mutate.calibrate.launches import MEMORY, MIXES, STREAMS
from mutate.calibrate.probes import FILE, GROUPS, NOTHING, probes_for
from mutate.sass.disasm import Instruction, disassemble
from mutate.toolchain.elf import Cubin
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
ARCHS = ((8, 0), (9, 0))
# Instructions beside the steps, in the frame: the set-up of chains, the clock, the end.
FRAME = 32
CLOCK = "SR_CLOCK"


@cache
def listings(capability: tuple[int, int]) -> dict[str, tuple[Instruction, ...]]:
    pairs = [(cubin, name) for cubin in kernel_binaries(capability).values() for name in Cubin(cubin).kernel_names]
    found = disassemble(pairs, "sm_{}{}".format(*capability))
    return {name: listing for (_, name), listing in zip(pairs, found, strict=True)}


def between_clocks(listing: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
    """What lies between the first two looks at the clock."""
    first, second = [i for i, x in enumerate(listing) if CLOCK in x.operands][:2]
    return listing[first + 1 : second]


def count(code: tuple[Instruction, ...], opcodes: str) -> int:
    return sum(any(x.opcode == o or x.opcode.startswith(o + ".") or (x.name == o) for o in opcodes.split("|"))
               for x in code)


@pytest.mark.parametrize("capability", ARCHS, ids=str)
@pytest.mark.parametrize("chains", [1, 8])
def test_each_probe_is_its_instructions_and_little_else(capability: tuple[int, int], chains: int) -> None:
    known = listings(capability)
    for probe in probes_for(capability):
        code = between_clocks(known[f"{probe.name}_{chains}"])
        assert probe.opcodes
        for opcodes, wanted in probe.opcodes.items():
            found = count(code, opcodes)
            assert STEPS * wanted <= found <= STEPS * wanted + FRAME, (probe.name, opcodes, found)
        assert not [x for x in code if x.name in ("STL", "LDL", "LDG", "CALL")], probe.name
        others = Counter(x.name for x in code)
        for opcodes in probe.opcodes:
            for o in opcodes.split("|"):
                others.pop(o.partition(".")[0], None)
        # The uniform move of redux, what turns a special register into a number, and branches belong to their steps;
        # sm_90's compiler fills a chain of matrix multiplications with uniform instructions.
        if probe.name not in ("redux", "s2r_branch", "s2ur_branch", "hmma", "hadd2_f32"):
            assert sum(others.values()) <= FRAME, (probe.name, others.most_common(4))


@pytest.mark.parametrize("capability", ARCHS, ids=str)
def test_a_chain_is_one_and_eight_are_eight(capability: tuple[int, int]) -> None:
    """In one chain each multiply-add reads the register that the one before wrote; in eight, the one eight before."""
    for chains in (1, 8):
        code = [x for x in between_clocks(listings(capability)[f"ffma_{chains}"]) if x.name == "FFMA"]
        registers = [[part.strip().removesuffix(".reuse") for part in x.operands.split(",")] for x in code]
        for earlier, later in zip(registers, registers[chains:], strict=False):
            assert earlier[0] in later[1:], "the result is needed"
        for earlier, later in pairwise(registers):
            assert (earlier[0] in later[1:]) == (chains == 1)


@pytest.mark.parametrize("capability", ARCHS, ids=str)
def test_the_frame_is_short(capability: tuple[int, int]) -> None:
    assert len(between_clocks(listings(capability)["nothing_1"])) <= FRAME


@pytest.mark.parametrize("capability", ARCHS, ids=str)
def test_memory_kernels_have_the_accesses_they_are_named_for(capability: tuple[int, int]) -> None:
    known = listings(capability)
    wide = {"4": "", "8": ".64", "16": ".128"}

    def has(name: str, op: str, at_least: int, *, width: str = "") -> None:
        found = [x for x in known[name] if x.name == op and (not width or width in x.opcode)]
        assert len(found) >= at_least, (name, op, width, len(found))

    for width, suffix in wide.items():
        has(f"chase_shared_{width}", "LDS", 256, width=suffix)
        has(f"shared_load_{width}", "LDS", 16, width=suffix)
        has(f"shared_store_{width}", "STS", 16, width=suffix)
        has(f"l1_load_{width}", "LDG", 4 if width == "16" else 16, width=suffix)
    assert not [name for name, listing in known.items() if any(x.name in ("LDL", "STL") for x in listing)]
    has("chase_shared_atomic", "ATOMS", 256)
    has("shared_add", "ATOMS", 16)
    has("chase_constant", "LDC", 256)
    has("chase_l1", "LDG", 64, width=".64")
    has("chase_l2", "LDG", 64, width="STRONG.GPU")
    has("chase_atomic", "ATOMG", 64)
    has("add_global", "RED" if count(known["add_global"], "RED") else "REDG", 16)
    has("barriers", "BAR", 64)
    has("window_l2_16", "LDG", 4, width="STRONG.GPU")
    for name in ("window_write_16", "window_write_4"):
        has(name, "STG", 4)
    for name in STREAMS:
        what, width, deep = name.split("_")
        loads, stores = (count(known[name], op) for op in ("LDG", "STG"))
        assert loads == (int(deep) if what != "write" else 0), name
        # A read writes only where its sum has a certain value.
        assert stores == (int(deep) if what != "read" else 1), name
        assert all(wide[width] in x.opcode for x in known[name] if x.name == "LDG")
        if what != "write":
            first_use = [i for i, x in enumerate(known[name]) if x.name in ("STG", "LOP3")
                         and i > max(j for j, y in enumerate(known[name]) if y.name == "LDG")]
            assert first_use, "all loads are under way before the first value is used"
    for name in MIXES:
        _, reads, writes = name.split("_")
        assert count(known[name], "LDG") == int(reads)
        assert count(known[name], "STG") == int(writes) + (1 if int(reads) else 0)


@pytest.mark.parametrize("capability", ARCHS, ids=str)
@pytest.mark.parametrize(("kernel", "op", "least"), [
    ("chase_shared_4", "LDS", 256), ("chase_shared_16", "LDS", 256), ("chase_shared_atomic", "ATOMS", 256),
    ("chase_constant", "LDC", 256), ("chase_l1", "LDG", 64), ("chase_l2", "LDG", 64), ("chase_atomic", "ATOMG", 64),
    ("lines_of_l2", "LDG", 4), ("shared_load_4", "LDS", 16), ("shared_store_16", "STS", 16),
    ("shared_add", "ATOMS", 16), ("l1_load_4", "LDG", 16), ("l1_load_16", "LDG", 4),
    ("barriers", "BAR", 64), ("turns", "LOP3", 1)])
def test_what_is_measured_lies_between_two_looks_at_the_clock(capability: tuple[int, int], kernel: str, op: str,
                                                              least: int) -> None:
    assert count(between_clocks(listings(capability)[kernel]), op) >= least


def test_parts_are_those_of_the_probes() -> None:
    assert {p.group for p in (*PROBES, NOTHING)} == set(range(GROUPS))
    assert len({p.name for p in PROBES}) == len(PROBES)
    assert isinstance(PROBES[0], Probe) and FILE != MEMORY
