"""Control flow of a SASS listing: where each instruction may go next, basic blocks, dominators.

Divergence does not matter here: a path is one that some thread may take. ``BSSY B0, target`` / ``BSYNC B0`` are a
join: the threads that wait there go on at ``target``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mutate.sass.disasm import Instruction

_ADDRESS = re.compile(r"(?:^|[\s,(`])0x([0-9a-f]+)\)?$")
_BARRIER_REGISTER = re.compile(r"\bB(\d+)\b")
# Branches that always go, when their predicate holds; the others fall through as well.
_JUMPS = frozenset({"BRA"})
# Goes to one of several addresses, held in a register, or to an absolute one.
INDIRECT = frozenset({"BRX", "BRXU", "JMX", "JMXU", "JMP"})
_ENDS = frozenset({"EXIT", "RET", "KILL", "RTT"})
CONVERGENCE = re.compile(r"^BRA\.(?:DIV|CONV)\b")
_PREDICATE_OPERAND = re.compile(r"(!?U?P(?:\d|T))(?=\s*(?:,|$))")
_ALWAYS = frozenset({"", "@PT", "@UPT"})
_NEVER = frozenset({"@!PT", "@!UPT"})


_REGISTER = re.compile(r"\bU?R\d+\b")


def address_operand(instruction: Instruction) -> int | None:
    """The code address that is the last operand of a branch, call or join, as an offset of the kernel."""
    match = _ADDRESS.search(instruction.operands)
    return int(match.group(1), 16) if match else None


def operand_predicate(instruction: Instruction) -> str | None:
    """A second predicate that some control instructions have as first operand, `EXIT P1` or `BRA.U !UP0, 0x100`.

    They act only if it holds too. Returned as it is written ("!UP0").
    """
    match = _PREDICATE_OPERAND.match(instruction.operands)
    return match.group(1) if match else None


def conditional(instruction: Instruction) -> bool:
    """Whether a control instruction can be fallen through: by a predicate before it or among its operands.

    Branches on the convergence of the warp (`BRA.DIV`, `BRA.CONV`) can always be.
    """
    return (instruction.predicate not in _ALWAYS or operand_predicate(instruction) is not None
            or CONVERGENCE.match(instruction.opcode) is not None)


@dataclass(frozen=True)
class Step:
    """Where control goes after one instruction, as indices. ``call`` is the entry of a function it calls.

    ``join`` is the number of the convergence register whose target a ``BSYNC`` goes to; ``anywhere`` says that the
    targets are unknown.
    """

    targets: tuple[int, ...]
    falls: bool
    call: int | None = None
    join: int | None = None
    anywhere: bool = False


@dataclass(frozen=True)
class Block:
    """Instructions ``[start, end)`` with one way in and one way out; successors are numbers of blocks."""

    start: int
    end: int
    successors: tuple[int, ...]


@dataclass(frozen=True)
class Flow:
    """``entries`` are the blocks where the kernel and its functions begin; ``block_of`` maps instructions to blocks."""

    blocks: tuple[Block, ...]
    block_of: tuple[int, ...]
    entries: tuple[int, ...]
    predecessors: tuple[tuple[int, ...], ...] = field(default=())


def steps(instructions: Sequence[Instruction], indirect: Mapping[int, Iterable[int]] | None = None) -> list[Step]:
    """One step per instruction. ``indirect`` gives the targets of branches through a table, by the branch's offset."""
    index = {i.offset: n for n, i in enumerate(instructions)}
    return [_step(i, n, len(instructions), index, indirect or {}) for n, i in enumerate(instructions)]


def _step(instruction: Instruction, number: int, count: int, index: Mapping[int, int],
          indirect: Mapping[int, Iterable[int]]) -> Step:
    name, last = instruction.name, number + 1 >= count
    if instruction.predicate in _NEVER:
        return Step((), not last)
    falls = conditional(instruction) and not last
    address = address_operand(instruction)
    target = index.get(address) if address is not None else None
    if name in _JUMPS:
        return Step((target,) if target is not None else (), falls, anywhere=target is None)
    if name in INDIRECT:
        known = [index[t] for t in indirect.get(instruction.offset, ()) if t in index]
        return Step(tuple(sorted(set(known))), falls, anywhere=not known)
    if name in _ENDS:
        return Step((), falls)
    if name == "CALL":
        # The callee comes back to the next instruction (its return address is data).
        # With a register, whether absolute or relative to a place, it goes to where a pointer says.
        called = None if ".ABS" in instruction.opcode or _REGISTER.search(instruction.operands) else target
        return Step((), not last, call=called, anywhere=called is None)
    if name == "BSYNC":
        register = _BARRIER_REGISTER.search(instruction.operands)
        return Step((), not last, join=int(register.group(1)) if register else None)
    if name == "WARPSYNC" and "COLLECTIVE" in instruction.opcode:
        return Step((target,) if target is not None else (), not last, anywhere=target is None)
    return Step((), not last)


def join_targets(instructions: Sequence[Instruction]) -> dict[int, set[int]]:
    """For each convergence register the instructions that a ``BSSY`` names as its join."""
    index = {i.offset: n for n, i in enumerate(instructions)}
    found: dict[int, set[int]] = {}
    for instruction in instructions:
        if instruction.name == "BSSY":
            register, address = _BARRIER_REGISTER.search(instruction.operands), address_operand(instruction)
            if register and address in index:
                found.setdefault(int(register.group(1)), set()).add(index[address])
    return found


def build_flow(instructions: Sequence[Instruction], indirect: Mapping[int, Iterable[int]] | None = None,
               functions: Iterable[int] = ()) -> Flow:
    """Basic blocks of a listing. ``functions`` are offsets of device functions within it, beside those it calls.

    A call does not lead into its callee, so that loops and dominators stay those of each function.
    """
    if not instructions:
        return Flow((), (), ())
    moves = steps(instructions, indirect)
    joins = join_targets(instructions)
    index = {i.offset: n for n, i in enumerate(instructions)}
    everywhere = sorted({t for m in moves for t in m.targets})
    entries = {0} | {m.call for m in moves if m.call is not None} | {index[f] for f in functions if f in index}
    follow: list[list[int]] = []
    for number, move in enumerate(moves):
        targets = list(move.targets) + (everywhere if move.anywhere and move.call is None
                                        and instructions[number].name != "CALL" else [])
        if move.join is not None and number + 1 not in joins.get(move.join, set()):
            # Usually the join is the next instruction; where it is not, it may be any of this register.
            targets += sorted(joins.get(move.join, set()))
        if move.falls:
            targets.append(number + 1)
        follow.append(list(dict.fromkeys(targets)))
    leaders = set(entries)
    for number, targets in enumerate(follow):
        if targets != [number + 1]:
            leaders |= {*targets, number + 1}
    starts = sorted(n for n in leaders if n < len(instructions))
    ends = [*starts[1:], len(instructions)]
    block_at = {start: b for b, start in enumerate(starts)}
    blocks = tuple(Block(s, e, tuple(block_at[t] for t in follow[e - 1] if t in block_at))
                   for s, e in zip(starts, ends, strict=True))
    block_of = tuple(b for b, block in enumerate(blocks) for _ in range(block.start, block.end))
    before: list[list[int]] = [[] for _ in blocks]
    for number, block in enumerate(blocks):
        for successor in block.successors:
            before[successor].append(number)
    return Flow(blocks, block_of, tuple(sorted(block_at[e] for e in entries)), tuple(map(tuple, before)))


def reverse_postorder(flow: Flow) -> list[int]:
    """Blocks reachable from the entries, each after its predecessors except along back edges."""
    seen: set[int] = set()
    order: list[int] = []
    for entry in flow.entries:
        if entry in seen:
            continue
        seen.add(entry)
        stack = [(entry, iter(flow.blocks[entry].successors))]
        while stack:
            block, rest = stack[-1]
            for successor in rest:
                if successor not in seen:
                    seen.add(successor)
                    stack.append((successor, iter(flow.blocks[successor].successors)))
                    break
            else:
                order.append(block)
                stack.pop()
    return order[::-1]


def dominators(flow: Flow) -> dict[int, int]:
    """Immediate dominator of every reachable block; -1 for an entry (Cooper, Harvey and Kennedy's iteration)."""
    order = reverse_postorder(flow)
    rank = {block: n for n, block in enumerate(order)}
    entries = set(flow.entries)
    # One root above all entries makes the forest a tree.
    root = -1
    rank[root] = -1
    idom: dict[int, int] = {root: root}

    def meet(a: int, b: int) -> int:
        while a != b:
            while rank[a] > rank[b]:
                a = idom[a]
            while rank[b] > rank[a]:
                b = idom[b]
        return a

    changed = True
    while changed:
        changed = False
        for block in order:
            candidates = [p for p in flow.predecessors[block] if p in idom]
            if block in entries:
                candidates.append(root)
            best = candidates[0]
            for other in candidates[1:]:
                best = meet(best, other)
            if idom.get(block) != best:
                idom[block] = best
                changed = True
    del idom[root]
    return idom


def dominates(idom: Mapping[int, int], above: int, below: int) -> bool:
    """Whether every path from an entry to ``below`` passes ``above``."""
    at = below
    while at != above:
        if at < 0 or at not in idom:
            return False
        at = idom[at]
    return True
