"""Natural loops of a SASS listing, so that one can say whether a variant was unrolled as the original was.

A loop is the set of blocks that reach a back edge (an edge to a block that dominates its source) without leaving
the header's dominance. Cycles with two entries have no header and are not reported; compilers hardly make any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mutate.sass.cfg import Flow, build_flow, dominates, dominators
from mutate.sass.classes import without_padding
from mutate.sass.disasm import Instruction


@dataclass(frozen=True)
class Loop:
    """``header``, ``blocks`` and ``parent`` (the header of the loop around it) are offsets of first instructions;

    ``depth`` is 1 for an outermost loop; ``instructions`` counts those of its blocks, inner loops included.
    """

    header: int
    blocks: frozenset[int]
    depth: int
    parent: int | None
    instructions: int


@dataclass(frozen=True)
class Placed:
    """An instruction (its index in the listing) and its innermost loop: header and depth; ``None`` and 0 outside."""

    index: int
    header: int | None
    depth: int


def find_loops(instructions: Sequence[Instruction], indirect: Mapping[int, Iterable[int]] | None = None,
               functions: Iterable[int] = ()) -> tuple[Loop, ...]:
    """All natural loops in order of their headers; those with the same header are one. Arguments as ``build_flow``."""
    code = without_padding(instructions)
    flow = build_flow(code, indirect, functions)
    bodies = _bodies(flow)
    loops = []
    for header, body in bodies.items():
        around = [h for h, other in bodies.items() if h != header and header in other and body <= other]
        parent = min(around, key=lambda h: len(bodies[h]), default=None)
        loops.append(Loop(
            header=code[flow.blocks[header].start].offset,
            blocks=frozenset(code[flow.blocks[b].start].offset for b in body),
            depth=1 + len(around),
            parent=None if parent is None else code[flow.blocks[parent].start].offset,
            instructions=sum(flow.blocks[b].end - flow.blocks[b].start for b in body),
        ))
    return tuple(sorted(loops, key=lambda loop: loop.header))


def _bodies(flow: Flow) -> dict[int, set[int]]:
    idom = dominators(flow)
    bodies: dict[int, set[int]] = {}
    for tail in idom:
        for header in flow.blocks[tail].successors:
            if not dominates(idom, header, tail):
                continue
            body = bodies.setdefault(header, {header})
            todo = [tail]
            while todo:
                block = todo.pop()
                if block not in body:
                    body.add(block)
                    todo += [p for p in flow.predecessors[block] if p in idom]
    return bodies


def place(instructions: Sequence[Instruction], wanted: Iterable[int],
          indirect: Mapping[int, Iterable[int]] | None = None, functions: Iterable[int] = ()) -> tuple[Placed, ...]:
    """For each wanted index the innermost loop around that instruction."""
    code = without_padding(instructions)
    flow = build_flow(code, indirect, functions)
    loops = find_loops(instructions, indirect, functions)
    result = []
    for index in wanted:
        start = code[flow.blocks[flow.block_of[index]].start].offset if index < len(code) else -1
        inner = max((loop for loop in loops if start in loop.blocks), key=lambda loop: loop.depth, default=None)
        result.append(Placed(index, inner.header if inner else None, inner.depth if inner else 0))
    return tuple(result)
