"""Which accesses and barriers can execute only if ``km_flag`` is not zero, proven on the machine code.

The flag is a constant that is 0 at run time. So the question is decided by executing the kernel abstractly with the
flag's place in constant bank 3 known to be 0 and everything else unknown: an instruction that no path reaches, or
whose predicate is false on every path, never executes. The same run with an unknown flag gives the instructions
that are dead anyway; what is dead only with the flag is guarded by it. An address that depends on the flag is no
guard, and an access whose predicate merely depends on the flag but may still hold is none either.

Conservative throughout: an opcode without a rule writes every register, a jump whose target is unknown ends the
analysis with nothing guarded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from mutate.sass.cfg import (
    CONVERGENCE,
    INDIRECT,
    address_operand,
    conditional,
    join_targets,
    operand_predicate,
    steps,
)
from mutate.sass.classes import class_of
from mutate.sass.disasm import Instruction
from mutate.sass.fold import Flag, State, Value, evaluate, guard
from mutate.sass.operands import operands_of, written

_ADDRESSES = re.compile(r"0x([0-9a-f]+)")
_RETURN = re.compile(r"\bR\d+\b")
_UNIFORM = re.compile(r"UR\d+")
_BARRIER_REGISTER = re.compile(r"\bB(\d+)\b")
# Does not go on to the next instruction when its predicate holds.
_LEAVES = frozenset({"BRA", "EXIT", "RET", "KILL", "RTT", "CALL", *INDIRECT})
_COUNTED = ("global_", "shared_", "local_", "generic_", "async_copy", "tma", "texture", "surface", "barrier",
            "cluster_", "mbarrier", "warp_barrier")


def guarded(instructions: Sequence[Instruction], flag_offset: int | None, *,
            indirect: Mapping[int, Iterable[int]] | None = None, functions: Iterable[int] = ()) -> frozenset[int]:
    """Indices of the memory accesses and barriers that execute only if the flag is not zero.

    ``flag_offset`` is the flag's offset in constant bank 3 (``Cubin.constant_offset("km_flag")``), ``None`` when the
    compiler dropped it: then nothing is guarded. ``indirect`` and ``functions`` as in ``cfg.build_flow``.
    """
    return frozenset(n for n in never_executed(instructions, flag_offset, indirect=indirect, functions=functions)
                     if class_of(instructions[n]).startswith(_COUNTED))


def never_executed(instructions: Sequence[Instruction], flag_offset: int | None, *,
                   indirect: Mapping[int, Iterable[int]] | None = None,
                   functions: Iterable[int] = ()) -> frozenset[int]:
    """Indices of all instructions, of any class, that execute only if the flag is not zero."""
    if flag_offset is None:
        return frozenset()
    program = Program(instructions, indirect or {}, functions)
    with_flag, without = _executed(program, Flag(flag_offset)), _executed(program, Flag(None))
    return frozenset() if with_flag is None or without is None else frozenset(without - with_flag)


class _UnknownTargetError(Exception):
    """Control goes to a place that is not known."""


def _executed(program: Program, flag: Flag) -> set[int] | None:
    """Indices of the instructions that may execute; ``None`` when control flow cannot be followed."""
    machine = _Machine(program, flag)
    try:
        machine.run()
    except _UnknownTargetError:
        return None
    return machine.executed


class Program:
    """What both runs need to know of the code."""

    def __init__(self, instructions: Sequence[Instruction], indirect: Mapping[int, Iterable[int]],
                 functions: Iterable[int]) -> None:
        self.code = instructions
        self.names = [i.name for i in instructions]
        self.index = {i.offset: n for n, i in enumerate(instructions)}
        self.steps = steps(instructions, indirect)
        self.joins_of = join_targets(instructions)
        self.joins = {n for targets in self.joins_of.values() for n in targets}
        called = {step.call for step in self.steps if step.call is not None}
        self.functions = sorted(called | {self.index[f] for f in functions if f in self.index})
        self.writes = [written(i) for i in instructions]
        # Where control may arrive from elsewhere: states are merged and kept there, and only there.
        self.leaders = {0, *self.functions, *self.joins}
        # Instructions that may send control elsewhere.
        self.moves: set[int] = set()
        for number, (instruction, step) in enumerate(zip(instructions, self.steps, strict=True)):
            for text in _ADDRESSES.findall(instruction.operands):
                target = self.index.get(int(text, 16))
                if target is not None:
                    self.leaders.add(target)
            self.leaders.update(step.targets)
            if step.targets or not step.falls or step.call is not None or step.join is not None or step.anywhere:
                self.leaders.add(number + 1)
                self.moves.add(number)
        self.callee_writes: dict[int, frozenset[str] | None] = {}
        self.callee_returns: dict[int, frozenset[str] | None] = {}
        self.callee_bodies: dict[int, set[int]] = {}

    def written_by(self, entry: int) -> frozenset[str] | None:
        """All registers that a function, and what it calls, may write; ``None`` means any."""
        if entry not in self.callee_writes:
            self.callee_writes[entry] = self._collect_writes(entry)
        return self.callee_writes[entry]

    def returns_to(self, entry: int) -> frozenset[str] | None:
        """The registers that may hold, at a call, the address that a function returns to; ``None`` means any."""
        if entry not in self.callee_returns:
            self.callee_returns[entry] = self._collect_returns(entry)
        return self.callee_returns[entry]

    def _collect_returns(self, entry: int) -> frozenset[str] | None:
        """Follows registers that are copied on the way from the function's start to its RETs, as they were there."""
        if self.written_by(entry) is None:
            return None
        found: set[str] = set()
        at: dict[int, dict[str, str]] = {entry: {f"R{n}": f"R{n}" for n in range(255)}}
        todo, body = [entry], self.callee_bodies[entry]
        while todo:
            number = todo.pop()
            step, copies = self.steps[number], dict(at[number])
            name, writes = self.names[number], self.writes[number]
            if name == "CALL" or writes is None:
                return None
            if name == "RET":
                register = _RETURN.search(self.code[number].operands)
                origin = copies.get(register[0]) if register is not None else None
                if origin is None:
                    return None
                found.add(origin)
            source = _copied(self.code[number])
            value = copies.get(source) if source is not None else None
            for key in writes:
                if value is not None and (not self.code[number].predicate or copies.get(key) == value):
                    copies[key] = value
                else:
                    copies.pop(key, None)
            targets = {*step.targets, *([number + 1] if step.falls else [])}
            if step.join is not None:
                targets |= self._joins_within(step.join, body)
            for target in targets:
                if target >= len(self.code):
                    continue
                known = at.get(target)
                merged = copies if known is None else {k: v for k, v in known.items() if copies.get(k) == v}
                if known is None or len(merged) < len(known):
                    at[target] = merged
                    todo.append(target)
        return frozenset(found)

    def _joins_within(self, register: int, seen: set[int]) -> set[int]:
        """Where a wait in a function may go on: at the joins that the function itself has set, when it has set any.

        A BSSY comes before its BSYNC on every path, so those that were met so far are all that count.
        """
        own = {target for number in seen if self.names_at(number) == "BSSY"
               for target in self._join_of(number, register)}
        return own or self.joins_of.get(register, self.joins)

    def names_at(self, number: int) -> str:
        return self.names[number] if number < len(self.names) else ""

    def _join_of(self, number: int, register: int) -> set[int]:
        instruction = self.code[number]
        found = _BARRIER_REGISTER.search(instruction.operands)
        address = address_operand(instruction)
        if found is None or int(found.group(1)) != register or address not in self.index:
            return set()
        return {self.index[address]}

    def _collect_writes(self, entry: int) -> frozenset[str] | None:
        found: set[str] = set()
        seen, todo = {entry}, [entry]
        while todo:
            number = todo.pop()
            step, writes = self.steps[number], self.writes[number]
            if self.names[number] == "CALL":
                if step.call is None:
                    return None
                writes = ()
            if writes is None or (step.anywhere and step.call is None):
                return None
            found.update(writes)
            if self.names[number] in ("BSSY", "BMOV"):
                found.update(f"B{n}" for n in _BARRIER_REGISTER.findall(self.code[number].operands))
            # A callee's own functions count as part of it, so do all joins where it waits.
            targets = {*step.targets, *([number + 1] if step.falls else []), *([step.call] if step.call else [])}
            if step.join is not None:
                targets |= self._joins_within(step.join, seen)
            todo += [t for t in targets if t not in seen and t < len(self.code)]
            seen |= targets
        self.callee_bodies[entry] = seen
        return frozenset(found)


class _Machine:
    def __init__(self, program: Program, flag: Flag) -> None:
        self.program = program
        self.code = program.code
        self.steps = program.steps
        self.flag = flag
        self.at: dict[int, State] = {}
        self.todo: list[int] = []
        self.executed: set[int] = set()
        self.halves: set[str] = set()
        """Keys of what is known under a predicate only: "R11@!P0" is the value of R11 where P0 is false."""

    def run(self) -> None:
        if self.code:
            self._arrive(0, {})
        while self.todo:
            number = self.todo.pop()
            self._follow(number, dict(self.at[number]))

    def _arrive(self, number: int, state: State) -> None:
        """Merge a state into a leader's; look at it again when less is known than before."""
        if number >= len(self.code):
            return
        if number not in self.program.leaders:
            raise _UnknownTargetError
        known = self.at.get(number)
        if known is None:
            self.at[number] = dict(state)
        else:
            merged = {k: v for k, v in known.items() if k in state and state[k] == v}
            if len(merged) == len(known):
                return
            self.at[number] = merged
        if number not in self.todo:
            self.todo.append(number)

    def _follow(self, number: int, state: State) -> None:
        """Execute from a leader to the next one."""
        while True:
            holds = guard(state, self.code[number].predicate)
            if holds is not False:
                self.executed.add(number)
                if self.program.names[number] != "CALL":
                    self._transfer(number, state, certain=holds is True)
                if number in self.program.moves:
                    self._leave(number, state)
            number += 1
            if number >= len(self.code) or not self._falls(number - 1, state, holds):
                return
            if number in self.program.leaders:
                self._arrive(number, state)
                return

    def _falls(self, number: int, state: State, holds: bool | None) -> bool:
        """Whether the next instruction may follow this one."""
        if holds is not True:
            return True
        instruction, step = self.code[number], self.steps[number]
        if step.join is not None:
            return f"B{step.join}" not in state or self._second(number, state) is not True
        if CONVERGENCE.match(instruction.opcode) or self.program.names[number] not in _LEAVES:
            return True
        return self._second(number, state) is not True

    def _second(self, number: int, state: State) -> bool | None:
        """Value of the predicate among the operands of a control instruction: true when there is none."""
        operand = operand_predicate(self.code[number])
        return True if operand is None else guard(state, "@" + operand)

    def _transfer(self, number: int, state: State, certain: bool) -> None:
        instruction = self.code[number]
        results = evaluate(instruction, state, self.flag)
        killed = self.program.writes[number]
        if self.program.names[number] in ("BSSY", "BMOV"):
            self._set_join(instruction, state)
        if killed is None:
            state.clear()
            return
        other = _complement(instruction.predicate)
        other_half = {key for key in killed if key in results and state.get(f"{key}{other}") == results[key]}
        self._forget_halves(state, killed, other)
        for key in killed:
            if key in results and (certain or key in other_half or state.get(key) == results[key]):
                state[key] = results[key]
                continue
            state.pop(key, None)
            if key in results and instruction.predicate:
                self.halves.add(f"{key}{instruction.predicate}")
                state[f"{key}{instruction.predicate}"] = results[key]

    def _forget_halves(self, state: State, killed: Sequence[str], other: str) -> None:
        """A write ends what is known of a register, unless it is under the opposite predicate, or of a predicate."""
        for half in self.halves:
            if half in state:
                key, _, when = half.partition("@")
                if (key in killed and f"@{when}" != other) or when.removeprefix("!") in killed:
                    del state[half]

    def _set_join(self, instruction: Instruction, state: State) -> None:
        """Convergence registers hold the place of their join; one that is loaded from a register is unknown."""
        register = _BARRIER_REGISTER.search(instruction.operands)
        if register is None:
            return
        certain = instruction.name == "BSSY" and not conditional(instruction)
        address = address_operand(instruction) if certain else None
        if address is not None and address in self.program.index:
            state[f"B{register.group(1)}"] = address
        else:
            state.pop(f"B{register.group(1)}", None)

    def _leave(self, number: int, state: State) -> None:
        """Send the state to where this instruction may jump."""
        step = self.steps[number]
        if self._second(number, state) is False and self.program.names[number] in (*_LEAVES, "BSYNC"):
            return
        if self.program.names[number] == "CALL":
            self._call(number, state)
            return
        if step.anywhere:
            raise _UnknownTargetError
        if step.join is not None:
            known = state.get(f"B{step.join}")
            for target in [self.program.index[known]] if isinstance(known, int) else sorted(self.program.joins):
                self._arrive(target, state)
            return
        for target in step.targets:
            self._arrive(target, state)

    def _call(self, number: int, state: State) -> None:
        """The callee starts with nothing known; after it everything is known that it cannot have written.

        Results of functions are in vector registers. A uniform register that is read after a call was written since, or
        the callee has given it back as it was, even one that is not known.
        It comes back to the address that it was given in a register: the next instruction as a rule. Where the register
        is not known, any known register value that is a code address may be it.
        """
        step = self.steps[number]
        after: State = {k: v for k, v in state.items() if _UNIFORM.fullmatch(k)}
        if step.call is None:
            # An outside function or one called through a pointer: it may be any of these.
            for entry in self.program.functions:
                self._arrive(entry, {})
        else:
            self._arrive(step.call, {})
            lost = self.program.written_by(step.call)
            if lost is not None:
                after = {k: v for k, v in state.items() if k not in lost and k not in self.halves}
        self._arrive(number + 1, after)
        entries = self.program.functions if step.call is None else [step.call]
        registers = [self.program.returns_to(e) for e in entries]
        values = [state.get(r) for found in registers for r in found or ()]
        known = bool(values) and None not in registers and all(self._is_place(v) for v in values)
        for value in values if known else list(state.values()):
            if self._is_place(value):
                self._arrive(self.program.index[cast(int, value)], after)

    def _is_place(self, value: Value | None) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and bool(value) and value in self.program.index


def _copied(instruction: Instruction) -> str | None:
    """The register that an instruction copies to its destination."""
    operands = operands_of(instruction.operands)
    if instruction.name == "MOV" and len(operands) > 1:
        source = operands[1]
    elif instruction.opcode == "IMAD.MOV.U32" and len(operands) == 4 and operands[1].number == operands[2].number == -1:
        source = operands[3]
    else:
        return None
    plain = not (source.negative or source.inverted or source.absolute or source.suffix)
    return source.key if source.kind == "R" and plain else None


def _complement(predicate: str) -> str:
    """The opposite of what stands before an instruction: "@!P0" for "@P0"; something that is no key for "" (always)."""
    if not predicate:
        return "@"
    return "@" + predicate[2:] if predicate.startswith("@!") else "@!" + predicate[1:]
