"""What sm_75 code is on compute capability 1.x, whose instructions read shared memory themselves.

From envytools, "Tesla CUDA ISA", memory addressing and shared memory access: one source operand of an ordinary
instruction may be a 32-bit word of shared memory; its address is one of four address registers and an offset of five
bits, in words; wider loads do not exist. So on a projection

* a loaded word that a single following multiplication or addition uses is that instruction's operand, and costs no
  instruction of its own; other words are moves, one each;
* an access whose offset leaves the 128 bytes that the last four address registers reach adds to one of them first.
  "Optimalizace" (Filipovič) shows such an ADD in the disassembly of its matrix multiplication.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mutate.machines import Machine
from mutate.sass.disasm import Instruction
from mutate.sim.timing.scoreboard import Ints, registers_of
from mutate.sim.timing.units import FREE, INTERVAL, SLOT, Rates

_REACH, _ADDRESS_REGISTERS = 128, 4
_TAKES_OPERAND = {"FFMA": 2, "FADD": 2, "FMUL": 2, "IADD3": 3, "IMAD": 2}
"""Instructions that may have a word of shared memory, and how many of their sources it may be."""
_ENDS = frozenset(["BRA", "BRX", "BRXU", "JMP", "CALL", "RET", "EXIT", "BSYNC", "BREAK", "WARPSYNC"])
_ADDRESS = re.compile(r"\[([^\]]*)\]")
_TARGET = re.compile(r"0x([0-9a-f]+)")


def read_shared_by_operands(table: Ints, listing: Sequence[Instruction], machine: Machine) -> None:
    """Changes rows of a table of instructions (``units.table_of``) to what the rules above make of them."""
    rates = Rates(machine)
    pace = int(table[0, SLOT])
    longer = rates.interval("fp32_shared")
    folded = _folded(listing)
    taking = {user for users in folded.values() for user in users}
    for k, added in _address_additions(listing).items():
        table[k, SLOT] += added * pace
    for k, instruction in enumerate(listing):
        if instruction.name in ("LDS", "STS"):
            words = 4 if ".128" in instruction.opcode else 2 if ".64" in instruction.opcode else 1
            table[k, SLOT] += (words - 1 - len(folded.get(k, ()))) * pace
            table[k, FREE] = words * pace
            if table[k, SLOT] == 0:
                table[k, INTERVAL] = 0
        elif k in taking:
            table[k, INTERVAL] = max(int(table[k, INTERVAL]), longer)
            table[k, SLOT] = max(int(table[k, SLOT]), longer)


def _folded(listing: Sequence[Instruction]) -> dict[int, list[int]]:
    """Of each load from shared memory the instructions that take a word of it as an operand."""
    needs, gives = registers_of(listing)
    reads = [{int(r) for r in row if r >= 0} for row in needs]
    writes = [{int(r) for r in row if r >= 0} for row in gives]
    live = _live_after(listing, reads, writes)
    starts = _targets(listing)
    taken: set[int] = set()
    out: dict[int, list[int]] = {}
    for k, instruction in enumerate(listing):
        if instruction.name != "LDS" or instruction.predicate:
            continue
        for register in sorted(writes[k]):
            user = _only_user(listing, k, register, writes, live, starts)
            if user is not None and user not in taken:
                taken.add(user)
                out.setdefault(k, []).append(user)
    return out


def _only_user(listing: Sequence[Instruction], k: int, register: int, writes: list[set[int]], live: list[int],
               starts: set[int]) -> int | None:
    name = re.compile(rf"\bR{register}\b")
    for j in range(k + 1, len(listing)):
        instruction = listing[j]
        if j in starts or instruction.name in _ENDS or instruction.name == "STS":
            return None
        sources = instruction.operands.split(",")[1:]
        where = [n for n, s in enumerate(sources) if name.search(s)]
        if where:
            fits = len(where) == 1 and where[0] < _TAKES_OPERAND.get(instruction.name, 0)
            dead = register in writes[j] or not live[j] >> register & 1
            return j if fits and dead and "WIDE" not in instruction.opcode else None
        if name.search(instruction.operands.split(",")[0]):
            return None
    return None


def _targets(listing: Sequence[Instruction]) -> set[int]:
    places = {instruction.offset: k for k, instruction in enumerate(listing)}
    found = set()
    for instruction in listing:
        if instruction.name in ("BRA", "BSSY", "CALL"):
            found |= {places[t] for t in (int(m, 16) for m in _TARGET.findall(instruction.operands)) if t in places}
    return found


def _live_after(listing: Sequence[Instruction], reads: list[set[int]], writes: list[set[int]]) -> list[int]:
    """Registers (bits) whose value is needed after each instruction."""
    places = {instruction.offset: k for k, instruction in enumerate(listing)}
    count = len(listing)
    after: list[list[int]] = []
    for k, instruction in enumerate(listing):
        nexts = [k + 1] if k + 1 < count and not (instruction.name in ("BRA", "EXIT", "RET")
                                                  and not instruction.predicate) else []
        if instruction.name in ("BRA", "BSSY", "CALL"):
            nexts += [places[t] for t in (int(m, 16) for m in _TARGET.findall(instruction.operands)) if t in places]
        after.append(nexts)
    used = [sum(1 << r for r in _sources(i, row, given)) for i, row, given in zip(listing, reads, writes, strict=True)]
    kept = [0 if i.predicate else sum(1 << r for r in given) for i, given in zip(listing, writes, strict=True)]
    before = [0] * count
    out = [0] * count
    changed = True
    while changed:
        changed = False
        for k in reversed(range(count)):
            out[k] = 0
            for n in after[k]:
                out[k] |= before[n]
            value = used[k] | out[k] & ~kept[k]
            if value != before[k]:
                before[k] = value
                changed = True
    return out


def _sources(instruction: Instruction, needed: set[int], given: set[int]) -> set[int]:
    """What an instruction reads: of what it needs and gives that which is among its sources by name."""
    sources = ",".join(instruction.operands.split(",")[1:])
    return {r for r in needed if r not in given or re.search(rf"\bR{r}\b", sources)}


def _address_additions(listing: Sequence[Instruction]) -> dict[int, int]:
    """Accesses to shared memory that need another address register first."""
    starts = _targets(listing)
    out: dict[int, int] = {}
    reached: list[tuple[str, int]] = []
    for k, instruction in enumerate(listing):
        if k in starts:
            reached = []
        if instruction.name not in ("LDS", "STS"):
            continue
        match = _ADDRESS.search(instruction.operands)
        parts = (match[1] if match else "").split("+")
        offset = next((int(p, 16) for p in parts if p.startswith("0x")), 0)
        window = ("+".join(p for p in parts if not p.startswith(("0x", "-0x"))), offset // _REACH)
        if window in reached:
            reached.remove(window)
        else:
            out[k] = 1
        reached = [*reached, window][-_ADDRESS_REGISTERS:]
    return out
