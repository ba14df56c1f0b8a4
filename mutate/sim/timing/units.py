"""What each instruction occupies when it issues: the unit, for how long, and when its result is there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mutate.machines import Machine
from mutate.sass.disasm import Instruction
from mutate.sim.layout import CONSTANT_LINE
from mutate.sim.stream import NO_SCOREBOARD, scheduling_of
from mutate.sim.timing import constants as c
from mutate.sim.timing.banks import bank_reads, writes
from mutate.sim.timing.pending import entry_of
from mutate.sim.timing.tensor import PRODUCTS, product_of, timed

# Ports of a scheduler, in the order of what ``settings`` counts first.
# Where FP32 has two pipes: FMA is the one whose turn it is, HEAVY the one of them that multiplies integers, PAIR both
# (HFMA2), HALF a third one beside them (HFMA2.MMA). SPECIAL: special registers; LANES: those that say which thread it
# is (tests/machines/begins.cu: beside those of the block they take no time of their own).
ALU, FMA, FP64, XU, MIO, UNIFORM, CONTROL, TENSOR, HEAVY, PAIR, HALF, SPECIAL, LANES = range(13)
PORTS = 13

# What the engine does beside issuing.
PLAIN, GLOBAL, SHARED, BARRIER, ARRIVE, DEPBAR, COMMIT, VARIABLE, CONSTANT, MATCHED = range(10)

# Columns of the table of instructions.
# SLOT: clocks until its scheduler may issue again. FREE: clocks of a shared access that are in it; where bank conflicts
# make it longer, the rest is added (``S_REPLAY``).
# TAKEN, SYNCED: clocks beside the code's that a branch costs its warp when it is taken, and an instruction always.
# PASSES: whether a warp that waits at a barrier issues it all the same.
# LINE: of a constant at a fixed address, counted from 1 as those of indexed loads.
# EVEN, ODD: registers read from the two banks. KEPT: whether it has operands of the instruction before.
# WRITES, BESIDE: what its results take of the way to the registers, and what others wait for more (``banks.PARTS``).
# READS: what reads registers when it goes by them (NOTHING ...). HANDED: even registers, and odd ones, that are read
# when it is handed over to another unit's queue (``operands``).
(UNIT, INTERVAL, ACT, STALL, YIELDS, WRITE_BOARD, READ_BOARD, WAIT_MASK, LATENCY, AUX, SLOT, FREE, EVEN,
 ODD, READS, HANDED, HANDED_ODD, TAKEN, SYNCED, PASSES, LINE, KEPT, WRITES, BESIDE) = range(24)
COLUMNS = 24
NOTHING, ARITHMETIC, ELSEWHERE, LOADS = range(4)

_MEMORY = frozenset(["LDG", "STG", "LDL", "STL", "LD", "ST", "LDGSTS", "ATOM", "ATOMG", "RED", "REDG"])
_SHARED = frozenset(["LDS", "STS", "ATOMS", "REDS", "LDSM", "STSM"])
_FP32 = frozenset(["FADD", "FMUL", "FFMA", "FADD32I", "FMUL32I", "FFMA32I", "FSWZADD"])
_FP64 = frozenset(["DADD", "DMUL", "DFMA", "DSETP", "DMNMX", "DSET"])
_FP16 = frozenset(["HADD2", "HMUL2", "HFMA2", "HADD2_32I", "HMUL2_32I", "HFMA2_32I"])
_XU = frozenset(["MUFU", "POPC", "FLO", "BREV", "F2I", "I2F", "F2F", "FRND", "FCHK"])
_CONTROL = frozenset(["BRA", "BRX", "BRXU", "JMP", "CALL", "RET", "EXIT", "BSSY", "BSYNC", "BREAK", "WARPSYNC",
                      "NANOSLEEP", "YIELD", "NOP", "ENDCOLLECTIVE", "BMOV", "KILL", "BPT", "MEMBAR", "ERRBAR", "CCTL",
                      "DEPBAR", "BAR"])
_BRANCHES = frozenset(["BRA", "BRX", "BRXU", "CALL", "RET", "BSSY"])
_SLOW = frozenset(["S2R", "S2UR", "REDUX"])
_MIO = frozenset(["SHFL", "S2R", "S2UR", "LDC", "VOTEU", "MATCH", "REDUX", "QSPC", "B2R", "LDGDEPBAR",
                  "ARRIVES", "SYNCS"])
_INDEXED = re.compile(r"\]\[U?R\d+(?:\.\w+)*(?:\+(-?0x[0-9a-f]+))?")
# Where it goes is known late: as a return does, in by_pointer and chosen of tests/machines/jumps.cu and slow.cu.
_TO_REGISTER = re.compile(r"(?:RET|BRX|CALL) R\d")
# Not of bank 0, which has what the launch gives: it is taken to be there.
_FIXED = re.compile(r"c\[0x([1-9a-f])\]\[0x([0-9a-f]+)\]")
_BANK_LINES = 65536 // CONSTANT_LINE
_DEPBAR = re.compile(r"SB(\d+)(?:,\s*0x([0-9a-f]+))?")
_UNSUPPORTED = re.compile(r"^(?:[QO]MMA|[HIQB]GMMA|UTC\w+|TEX|TLD|TXQ|SULD|SUST|SUATOM|U?TMA\w+|UBLK\w+)$")


@dataclass(frozen=True)
class Rates:
    """Results a clock of one SM, by class, and latencies in clocks, of a machine."""

    machine: Machine

    def interval(self, key: str) -> int:
        """Clocks that a scheduler's share of a unit is taken by one warp instruction."""
        quantity = self.machine.get(f"issue.{key}")
        schedulers = self.number("sm.schedulers", 4)
        rate = float(self.machine.number(f"issue.{key}")) if quantity is not None else 16.0 * schedulers
        return max(1, round(32 * schedulers / rate))

    @cached_property
    def tracked(self) -> bool:
        """Whether the hardware tracks registers, so that the code's stall counts mean nothing."""
        quantity = self.machine.get("sm.dependencies")
        return quantity is not None and quantity.value == "hardware"

    @cached_property
    def pace(self) -> int:
        """Clocks from one issue of a scheduler to the next."""
        return max(1, round(1.0 / self.number("sm.issue_per_scheduler", 1.0)))

    def number(self, key: str, default: float) -> float:
        return default if self.machine.get(key) is None else float(self.machine.number(key))

    def latency(self, key: str, default: float) -> int:
        return round(self.number(f"latency.{key}", default))


def untimed(listing: Sequence[Instruction], machine: Machine) -> tuple[str, ...]:
    """Opcodes that the model of time, or a machine, has no unit for: textures, bulk copies, some kinds of products."""
    return tuple(sorted({i.name for i in listing if _UNSUPPORTED.match(i.name)}
                        | {i.opcode for i in listing if not timed(i, machine)}))


def table_of(listing: Sequence[Instruction], machine: Machine) -> npt.NDArray[np.int64]:
    """One row of ``COLUMNS`` for each instruction; intervals and latencies in clocks."""
    rates = Rates(machine)
    out = np.zeros((len(listing), COLUMNS), np.int64)
    for row, instruction, reads, written in zip(out, listing, bank_reads(listing), writes(listing), strict=True):
        bits = scheduling_of(instruction)
        row[STALL], row[YIELDS] = max(1, bits.stall), bits.yields
        row[WRITE_BOARD], row[READ_BOARD], row[WAIT_MASK] = bits.write_scoreboard, bits.read_scoreboard, bits.wait_mask
        _unit(row, instruction, rates)
        row[SLOT] = rates.pace
        row[FREE] = rates.pace * _words(instruction)
        if rates.tracked:
            _without_bits(row, instruction, rates)
        elif rates.machine.capability >= (7, 0):
            row[EVEN], row[ODD], row[KEPT] = reads
            row[WRITES], row[BESIDE] = written
            if row[UNIT] == HEAVY and row[INTERVAL] > 2:
                row[EVEN] = row[ODD] = c.WIDE_READS
            _handed_over(row, instruction)
            row[TAKEN] = c.TAKEN if row[UNIT] == CONTROL else 0
            if _TO_REGISTER.match(f"{instruction.name} {instruction.operands}"):
                row[TAKEN] = c.RETURNED
                row[SLOT] += c.RETURN_SLOTS
            row[SYNCED] = c.SYNCED if instruction.name == "BSYNC" else 0
            # Loads, stores, shuffles, MUFU, POPC and branches wait at a barrier (held of tests/machines/diverge.cu);
            # arithmetic, DADD and votes do not.
            row[PASSES] = row[UNIT] not in (XU, MIO, SPECIAL, LANES, CONTROL)
        if not rates.tracked and (found := _FIXED.search(instruction.operands)):
            _constant(row, int(found.group(1), 16), int(found.group(2), 16) // CONSTANT_LINE)
        if row[ACT] == PLAIN and (bits.write_scoreboard != NO_SCOREBOARD or bits.read_scoreboard != NO_SCOREBOARD):
            row[ACT] = VARIABLE
    return out


def _constant(row: npt.NDArray[np.int64], bank: int, line: int) -> None:
    """A constant at a fixed address: its line is looked up as that of an indexed load is, of users' (bank 3)."""
    row[LINE] = 1 + line + (bank - 3) % 4 * _BANK_LINES
    if row[UNIT] != MIO and row[ACT] == PLAIN:
        row[ACT], row[AUX] = CONSTANT, line % c.CONSTANT_SETS


def _words(instruction: Instruction) -> int:
    """Words of 32 bits that a lane's access has."""
    opcode = instruction.opcode
    if instruction.name in ("LDSM", "STSM"):
        return 4 if opcode.endswith(".4") else 2 if opcode.endswith(".2") else 1
    return 4 if ".128" in opcode else 2 if ".64" in opcode else 1


def _handed_over(row: npt.NDArray[np.int64], instruction: Instruction) -> None:
    """What an instruction reads, as arithmetic or on its way to another unit's queue."""
    if row[UNIT] in (CONTROL, UNIFORM):
        return
    row[READS] = ARITHMETIC
    if row[UNIT] in (XU, MIO, SPECIAL, LANES):
        loads = row[ACT] in (GLOBAL, SHARED) and instruction.name.startswith("LD")
        row[READS], row[HANDED], row[HANDED_ODD] = LOADS if loads else ELSEWHERE, row[EVEN], row[ODD]


_PRODUCTS = frozenset(["IMUL", "IDP", "IDP4A"])
_SHIFTS = frozenset(["SHF", "SHL", "SHR", "LEA", "BMSK", "SGXT"])
_COMPARES = frozenset(["ISETP", "FSETP", "IMNMX", "FMNMX", "FSET", "FCHK", "ISET"])


def _without_bits(row: npt.NDArray[np.int64], instruction: Instruction, rates: Rates) -> None:
    """What sm_75 code is on a GPU before Kepler: its lanes do integers, too, and every result has a latency.

    IMAD.MOV, .SHL and .IADD are a move, a shift and an add that Volta's compiler gives to another pipe. Where addresses
    have 32 bits (compute capability 1.x), a product with an element's size is a shift and an add.
    """
    name, modifiers = instruction.name, instruction.opcode.split(".")
    if row[UNIT] in (ALU, FMA, UNIFORM):
        integer = row[UNIT] != FMA or name.startswith("I")
        key = "shift" if name in _SHIFTS or "SHL" in modifiers else "compare" if name in _COMPARES else "int_add"
        if row[UNIT] != FMA or {"MOV", "SHL", "IADD"} & set(modifiers):
            row[INTERVAL] = rates.interval(key)
        if rates.machine.capability < (2, 0) and ("WIDE" in modifiers or name == "LEA"):
            row[INTERVAL] = rates.interval("shift") + rates.interval("int_add")
        row[UNIT] = FMA
        row[LATENCY] = rates.latency("int" if integer else "fp32", 0)
        if name.startswith("IMAD") and not {"MOV", "SHL", "IADD"} & set(modifiers):
            row[LATENCY] = rates.latency("int_mul", row[LATENCY])
    elif name in ("BSYNC", "WARPSYNC"):
        # Where lanes join is a mark of another instruction (envytools, "Tesla CUDA ISA": join; .S in Fermi's code), and
        # warps are never apart otherwise.
        row[SLOT] = 0
    elif row[UNIT] == CONTROL and name != "NOP":
        row[LATENCY] = rates.latency("int", 0)


def _mio_latency(name: str, rates: Rates) -> int:
    if name == "B2R" and not rates.tracked:
        return c.BARRIER_ANSWER
    if name in ("S2R", "B2R"):
        return rates.latency("s2r", c.S2R)
    if name == "S2UR":
        return rates.latency("s2ur", c.S2UR)
    return rates.latency("constant", c.CONSTANT) if name == "LDC" else rates.latency("shuffle", 24)


def _unit(row: npt.NDArray[np.int64], instruction: Instruction, rates: Rates) -> None:
    name = instruction.name
    unit, interval, latency, act = ALU, rates.interval("logic"), 0, PLAIN
    if instruction.predicate in ("@!PT", "@!UPT"):
        unit, interval = CONTROL, 1
    elif name in _MEMORY:
        unit, interval, act = MIO, 1, GLOBAL
        row[AUX] = entry_of(instruction)
    elif name in _SHARED:
        unit, interval, act, latency = MIO, 1, SHARED, rates.latency("shared", 24)
    elif name in _FP32:
        unit, interval = FMA, rates.interval("fp32")
    elif name.startswith("IMAD") or name in _PRODUCTS or (name == "VIADD" and rates.interval("fp32") == 1):
        unit, interval = FMA, rates.interval("int_mul")
        if ".HI" in instruction.opcode or ".WIDE" in instruction.opcode:
            interval *= 2
        if rates.interval("fp32") == 1:
            unit = HEAVY
    elif name in _FP64:
        unit, interval, latency = FP64, rates.interval("fp64"), rates.latency("fp64", 16)
    elif name in _FP16:
        # The packed half operations run on the FP32 units, one result of two halves a lane.
        unit, interval = FMA, rates.interval("fp32")
        if interval == 1:
            unit, interval = HALF if ".MMA" in instruction.opcode else PAIR, 2
    elif name in PRODUCTS:
        unit, (interval, latency) = TENSOR, product_of(instruction, rates.machine)
    elif name in _XU:
        unit, interval, latency = XU, rates.interval("sfu"), rates.latency("sfu", 18)
    elif name == "R2UR":
        latency = rates.latency("s2ur", c.S2UR)
    elif name == "SHFL":
        # Takes a turn of shared memory's, like a load.
        unit, interval, act, latency = MIO, 1, SHARED, rates.latency("shuffle", 24)
        if rates.tracked:
            interval, act = rates.interval("shuffle"), PLAIN
    elif name in _SLOW and not rates.tracked:
        unit = LANES if "SR_TID" in instruction.operands else SPECIAL
        interval = c.SLOW_BLOCK if "SR_CTAID" in instruction.operands else c.SLOW_MIO
        latency = _mio_latency(name, rates)
    elif name in _MIO:
        unit, latency = MIO, _mio_latency(name, rates)
        interval = rates.interval("shuffle") if name == "MATCH" else 2
        act = {"LDGDEPBAR": COMMIT, "LDC": CONSTANT, "MATCH": MATCHED}.get(name, PLAIN)
        if rates.tracked and act != COMMIT:
            act = PLAIN
    elif name == "BAR":
        unit, interval, act = CONTROL, 2, ARRIVE if ".ARV" in instruction.opcode else BARRIER
        first = instruction.operands.split(",")[0].strip()
        row[AUX] = int(first, 16) if first.startswith("0x") else 0
    elif name == "DEPBAR":
        unit, interval, act = CONTROL, 1, DEPBAR
        found = _DEPBAR.search(instruction.operands)
        row[AUX] = (int(found.group(1)) << 8 | int(found.group(2) or "0", 16)) if found else 0
    elif name in _CONTROL:
        unit, interval = CONTROL, 3 if name == "BSYNC" else 2 if name in _BRANCHES else 1
    elif name.startswith("U"):
        unit, interval = UNIFORM, 1 if name in ("UMOV", "ULDC") else 2
        latency = rates.latency("int", 5)
        found = _INDEXED.search(instruction.operands)
        if name in ("ULDC", "LDCU") and found:
            act = CONSTANT
            row[AUX] = int(found.group(1) or "0", 16) // CONSTANT_LINE % c.CONSTANT_SETS
    row[UNIT], row[INTERVAL], row[ACT], row[LATENCY] = unit, interval, act, latency
