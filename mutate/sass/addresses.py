"""Which registers hold the upper word of an address of known origin, proven on the machine code.

An address is a pair of registers; what it points into is known where its upper word was read from a place that says so
(``Origin``), or comes of adding an offset to one that was, on every path; so does a place on the stack that such a
register is spilled to. What is not proven so is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Protocol

from mutate.sass.classes import width_of
from mutate.sass.disasm import Instruction
from mutate.sass.guards import Program
from mutate.sass.operands import Operand, operands_of

# The address of an access: the last bracket; pairs of registers and a constant are added in it.
_ADDRESS = re.compile(r"\[(U?R\d[^\[\]]*)\]")
_PAIR = re.compile(r"(U?R)(\d+)(\.64)?$")
# Each adds what its operands hold; of one with a product only the addend can be an address.
_SUMS = frozenset({"IADD3", "IADD", "VIADD", "UIADD3", "UVIADD", "LEA", "ULEA"})
_COPIES = frozenset({"MOV", "UMOV", "R2UR", "S2R", "S2UR"})
_LOADS = frozenset({"LDC", "ULDC", "LDCU"})
_PRODUCTS = frozenset({"IMAD", "UIMAD"})
_CHOICES = frozenset({"SEL", "USEL"})
_SPILL = re.compile(r"\[R1(?:\+(0x[0-9a-f]+))?\], R(\d+)")
_FILL = re.compile(r"R(\d+), \[R1(?:\+(0x[0-9a-f]+))?\]")
_HEX = re.compile(r"0x([0-9a-f]+)")


class Origin(Protocol):
    """Where addresses of one kind come from."""

    def upper(self, operand: Operand) -> bool:
        """Whether a 32-bit operand is the upper word of such an address."""

    def pair(self, operand: Operand) -> bool:
        """Whether a 64-bit operand is such an address."""


def accesses_of(instructions: Sequence[Instruction], wanted: Set[int], origin: Origin, *,
                indirect: Mapping[int, Iterable[int]] | None = None, functions: Iterable[int] = ()) -> frozenset[int]:
    """Those of the ``wanted`` instructions whose addresses are surely of the origin. The rest as in ``guards``."""
    program = Program(instructions, indirect or {}, functions)
    if any(s.anywhere and s.call is None and program.names[n] != "CALL" for n, s in enumerate(program.steps)):
        return frozenset()  # a jump may go anywhere
    at = _upper_words(program, origin)
    found = set()
    for number in wanted:
        state = at.get(number, frozenset())
        if sum(word in state for word in _address_words(instructions[number])) == 1:
            found.add(number)
    return frozenset(found)


def _address_words(instruction: Instruction) -> list[str]:
    """The registers that may be the upper word of an access's address: ``[R4.64+UR6+0x10]`` has R5 and UR7.

    sm_75 writes pairs without ".64"; there ".E" says that addresses have 64 bits.
    """
    brackets = _ADDRESS.findall(instruction.operands)
    wide = "E" in instruction.opcode.split(".")
    pairs = [_PAIR.match(term) for term in re.split(r"[+-]", brackets[-1])] if brackets else []
    return [f"{p[1]}{int(p[2]) + 1}" for p in pairs if p and (p[3] or wide)]


def _upper_words(program: Program, origin: Origin) -> dict[int, frozenset[str]]:
    """Before each instruction that is reached: the registers that surely hold an upper word."""
    returns = _returns(program)
    # A convergence register that is loaded from another one may hold any join.
    joins = program.joins if "BMOV" in program.names else set()
    at: dict[int, frozenset[str]] = {0: frozenset()} if program.code else {}
    at.update(dict.fromkeys(program.functions, frozenset()))
    todo = list(at)
    while todo:
        number = todo.pop()
        step, state = program.steps[number], at[number]
        targets = {*step.targets, *([number + 1] if step.falls else [])}
        if step.join is not None:
            targets |= joins if joins else program.joins_of.get(step.join, program.joins)
        if program.names[number] == "CALL":
            lost = program.written_by(step.call) if step.call is not None else None
            state = frozenset() if lost is None else _without_slots(state) - lost
            targets |= {number + 1, *returns[number]}
        else:
            state = _after(program, number, state, origin)
        for target in targets:
            if target >= len(program.code):
                continue
            known = at.get(target)
            merged = state if known is None else known & state
            if known is None or merged != known:
                at[target] = merged
                todo.append(target)
    return at


def _returns(program: Program) -> dict[int, frozenset[int]]:
    """Where the function of each call returns to, by the call's number.

    What the code says of all calls, each by the others' word that nobody else comes back between its MOV and its CALL,
    holds for all: the first return that broke it would have to come of a call that had kept it. Where one of them is
    silent any constant in a register may be a place that it returns to.
    """
    calls = [number for number, name in enumerate(program.names) if name == "CALL"]
    arrivals = {t for step in program.steps for t in step.targets} | program.joins | {*program.functions}
    said = {number: _said(program, number, arrivals) for number in calls}
    while (more := {t for places in said.values() for t in places or ()} - arrivals) and None not in said.values():
        arrivals |= more
        said = {number: _said(program, number, arrivals) for number in calls}
    if None not in said.values():
        return {number: places or frozenset() for number, places in said.items()}
    anywhere = frozenset(program.index[int(t, 16)] for i in program.code if i.name in ("MOV", "UMOV", "IMAD")
                         for t in _HEX.findall(i.operands) if int(t, 16) in program.index)
    return {number: _said(program, number, arrivals | anywhere) or anywhere for number in calls}


def _said(program: Program, call: int, arrivals: Set[int]) -> frozenset[int] | None:
    """Where a called function returns to, as the instructions just before the call say; ``None`` where they do not.

    ``arrivals`` are all places that are reached otherwise than from the instruction before.
    """
    entry = program.steps[call].call
    registers = program.returns_to(entry) if entry is not None else None
    if registers is None:
        return None
    found: set[int] = set()
    for register in registers:
        number = call
        while number and number not in arrivals and register not in (program.writes[number - 1] or (register,)):
            number -= 1
        if not number or number in arrivals:
            return None
        instruction = program.code[number - 1]
        value = _HEX.search(instruction.operands) if instruction.name == "MOV" and not instruction.predicate else None
        if value is None or int(value[1], 16) not in program.index:
            return None
        found.add(program.index[int(value[1], 16)])
    return frozenset(found)


def _after(program: Program, number: int, state: frozenset[str], origin: Origin) -> frozenset[str]:
    instruction, writes = program.code[number], program.writes[number]
    if writes is None:
        return frozenset()
    if instruction.name == "STL":
        return _spilled(instruction, state)
    if "R1" in writes:
        state = _without_slots(state)
    made = _filled(instruction, state) if instruction.name == "LDL" else _made(instruction, state, origin)
    if instruction.predicate:
        made &= state  # else it holds what it held
    return (state - set(writes)) | made if made or not state.isdisjoint(writes) else state


def _without_slots(state: frozenset[str]) -> frozenset[str]:
    return frozenset(key for key in state if not key.startswith("L"))


def _words(instruction: Instruction) -> int:
    return max(1, width_of(instruction.opcode) // 32)


def _spilled(instruction: Instruction, state: frozenset[str]) -> frozenset[str]:
    """After a store to local memory: registers are spilled to places relative to the stack pointer."""
    found = _SPILL.match(instruction.operands)
    if found is None:
        return _without_slots(state)
    at, register = int(found[1] or "0", 16), int(found[2])
    made = {f"L{at + 4 * n}" for n in range(_words(instruction)) if f"R{register + n}" in state}
    if instruction.predicate:
        made &= state
    return (state - {f"L{at + 4 * n}" for n in range(_words(instruction))}) | made


def _filled(instruction: Instruction, state: frozenset[str]) -> frozenset[str]:
    found = _FILL.match(instruction.operands)
    if found is None:
        return frozenset()
    register, at = int(found[1]), int(found[2] or "0", 16)
    return frozenset(f"R{register + n}" for n in range(_words(instruction)) if f"L{at + 4 * n}" in state)


def _made(instruction: Instruction, state: frozenset[str], origin: Origin) -> frozenset[str]:
    """The registers that hold an upper word after an instruction, of those that it writes."""
    name = instruction.name
    if name not in _SUMS | _COPIES | _LOADS | _PRODUCTS | _CHOICES:
        return frozenset()
    operands = operands_of(instruction.operands)
    target = next((o for o in operands if o.kind in ("R", "UR")), None)
    if target is None or target.number < 0:
        return frozenset()
    sources = [o for o in operands[operands.index(target) + 1 :] if o.kind not in ("P", "UP")]
    modifiers = instruction.opcode.split(".")
    # From sm_100 on additions may be of pairs, too: IADD.64.
    wide = not {"64", "WIDE"}.isdisjoint(modifiers)
    key = f"{target.kind}{target.number + wide}"
    if name in _COPIES or name in _LOADS:
        good = len(sources) == 1 and _holds(sources[0], state, origin, wide)
    elif name in _CHOICES:
        good = len(sources) == 2 and all(_holds(o, state, origin) for o in sources)
    elif name in _PRODUCTS and not wide and len(sources) == 3 and (sources[1].kind, sources[1].number) == ("int", 1):
        good = _sum_of_one((sources[0], sources[2]), state, origin)  # IMAD.IADD, IMAD.X
    elif name in _PRODUCTS:
        last = sources[-1] if len(sources) == 3 else None
        good = (last is not None and _holds(last, state, origin, wide)
                and not any(_mentions(o, state, origin) for o in sources[:2]))
    else:
        good = _sum_of_one(sources, state, origin, wide)
    return frozenset({key}) if good else frozenset()


def _sum_of_one(terms: Iterable[Operand], state: frozenset[str], origin: Origin, wide: bool = False) -> bool:
    """Whether an address and offsets are added: the difference of two addresses is none, nor is their sum."""
    return sum((-1 if o.negative or o.inverted else 1) * _mentions(o, state, origin, wide) for o in terms) == 1


def _mentions(operand: Operand, state: frozenset[str], origin: Origin, wide: bool = False) -> bool:
    if operand.kind in ("R", "UR"):
        return operand.number >= 0 and f"{operand.kind}{operand.number + wide}" in state
    return origin.pair(operand) if wide else origin.upper(operand)


def _holds(operand: Operand, state: frozenset[str], origin: Origin, wide: bool = False) -> bool:
    plain = not (operand.negative or operand.inverted or operand.absolute or operand.suffix)
    return plain and _mentions(operand, state, origin, wide)
