"""The counters of a simulated launch: what was counted for each instruction, summed by name.

``COUNTERS`` is the table: a new counter is a new row. Each says what it counts, which of ncu's metrics it stands for
and where it differs from that. Counts of a sample of blocks are exact for the sample; for the grid they are multiplied
(``scaled``). Ratios are those of the sample.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sass.classes import class_of
from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay

LOAD, STORE, ATOMIC, REDUCTION, COPY = "load", "store", "atomic", "reduction", "copy"
_ACTIONS = {"LDG": LOAD, "LD": LOAD, "LDS": LOAD, "LDL": LOAD, "LDSM": LOAD, "STG": STORE, "ST": STORE, "STS": STORE,
            "STL": STORE, "STSM": STORE, "LDGSTS": COPY, "ATOM": ATOMIC, "ATOMG": ATOMIC, "ATOMS": ATOMIC,
            "REDS": ATOMIC, "RED": REDUCTION, "REDG": REDUCTION}
_BRANCHES = frozenset(("BRA", "BRX", "JMP", "JMX", "CALL", "RET"))
_STACK = re.compile(r"\[R1(?:\+0x[0-9a-f]+)?\]")


@dataclass(frozen=True)
class Kind:
    """What an instruction is: its class, what it does to memory (``None``: nothing), whether it is a branch, a barrier,

    or moves spilled registers.
    """

    name: str
    action: str | None
    branch: bool
    barrier: bool
    spill: bool


def kinds(listing: Sequence[Instruction], spills: bool) -> tuple[Kind, ...]:
    """The kinds of a listing. ``spills``: the compiler says that registers were spilled; then local accesses at a

    constant distance from the stack pointer are taken for spills (a local array with constant indices is one too).
    """
    out = []
    for i in listing:
        name = i.name
        stack = name in ("LDL", "STL") and _STACK.search(i.operands) is not None
        out.append(Kind(class_of(i), _ACTIONS.get(name), name in _BRANCHES, name == "BAR", spills and stack))
    return tuple(out)


@dataclass(frozen=True)
class Totals:
    """Counted instructions, all of a kernel or those of a line. ``rows`` has shape (instructions, ``layout.COUNTERS``);

    ``caches`` says whether a cache model ran (L1, L2).
    """

    kinds: Sequence[Kind]
    rows: npt.NDArray[np.int64]
    caches: tuple[bool, bool] = (False, False)

    def sum(self, column: int, *actions: str, where: Callable[[Kind], bool] | None = None) -> int:
        """A column over the instructions with these actions (all when none is named) that ``where`` takes."""
        chosen = [k for k, kind in enumerate(self.kinds)
                  if (not actions or kind.action in actions) and (where is None or where(kind))]
        return int(self.rows[chosen, column].sum())

    def classes(self) -> dict[str, int]:
        """Warp instructions executed by class of ``sass.classes``, sorted by name."""
        out: dict[str, int] = {}
        for kind, executed in zip(self.kinds, self.rows[:, lay.EXECUTED].tolist(), strict=True):
            if executed:
                out[kind.name] = out.get(kind.name, 0) + executed
        return dict(sorted(out.items()))

    def part(self, indices: Sequence[int]) -> Totals:
        """Some of the instructions."""
        return Totals([self.kinds[k] for k in indices], self.rows[list(indices)], self.caches)


Value = int | float | None
_Of = Callable[[Totals], Value]


@dataclass(frozen=True)
class Counter:
    """One row. ``rule`` is in words what ``of`` computes; ``ncu`` the metric it stands for, or nothing; ``differs``

    where it does not agree with that. A ratio is not scaled to the grid. ``of`` gives ``None`` for what is not known
    (no cache model, nothing to divide).
    """

    name: str
    group: str
    unit: str
    rule: str
    of: _Of
    ncu: str = ""
    differs: str = ""
    ratio: bool = False


def _column(column: int, *actions: str) -> _Of:
    return lambda t: t.sum(column, *actions)


def _quotient(part: _Of, whole: _Of, factor: float = 1.0) -> _Of:
    def value(t: Totals) -> Value:
        a, b = part(t), whole(t)
        return None if a is None or not b else factor * a / b

    return value


def _cached(level: int, column: int, *actions: str) -> _Of:
    return lambda t: t.sum(column, *actions) if t.caches[level] else None


def _times(of: _Of, factor: int) -> _Of:
    def value(t: Totals) -> Value:
        v = of(t)
        return None if v is None else factor * v

    return value


def _minus(a: _Of, b: _Of) -> _Of:
    def value(t: Totals) -> Value:
        x, y = a(t), b(t)
        return None if x is None or y is None else x - y

    return value


_EXECUTED = _column(lay.EXECUTED)
_BRANCH: _Of = lambda t: t.sum(lay.EXECUTED, where=lambda k: k.branch)  # noqa: E731
_DIVERGENT = _column(lay.DIVERGENT)


def _instructions() -> Iterable[Counter]:
    group = "instructions"
    yield Counter("instructions", group, "warp instructions", "executed, also with all lanes predicated off", _EXECUTED,
                  "smsp__inst_executed.sum")
    yield Counter("thread_instructions", group, "thread instructions", "active lanes over all instructions",
                  _column(lay.THREADS), "smsp__thread_inst_executed.sum")
    yield Counter("thread_instructions_on", group, "thread instructions",
                  "active lanes that no predicate turns off, over all instructions", _column(lay.THREADS_ON),
                  "smsp__thread_inst_executed_pred_on.sum")
    yield Counter("active_lanes", group, "lanes", "thread_instructions / instructions",
                  _quotient(_column(lay.THREADS), _EXECUTED), "smsp__thread_inst_executed_per_inst_executed.ratio",
                  ratio=True)
    yield Counter("active_lanes_on", group, "lanes", "thread_instructions_on / instructions",
                  _quotient(_column(lay.THREADS_ON), _EXECUTED),
                  "smsp__thread_inst_executed_per_inst_executed_pred_on.ratio", ratio=True)
    yield Counter("branches", group, "warp instructions", "BRA, BRX, JMP, CALL and RET executed, taken or not", _BRANCH,
                  "smsp__inst_executed_op_branch.sum")
    yield Counter("divergent_branches", group, "warp instructions", "branches after which lanes of one warp go "
                  "different ways", _DIVERGENT, "smsp__sass_branch_targets_threads_divergent.sum")
    yield Counter("barriers", group, "warp instructions", "BAR executed",
                  lambda t: t.sum(lay.EXECUTED, where=lambda k: k.barrier), "")


def _global(direction: str, actions: tuple[str, ...], op: str, differs: str = "") -> Iterable[Counter]:
    group, name = "global memory", f"global_{direction}"
    pipe = f"mem_global_op_{op}"
    requests, sectors, asked = (_column(c, *actions) for c in (lay.REQUESTS, lay.SECTORS, lay.BYTES))
    yield Counter(f"{name}_requests", group, "requests", f"{_words(direction)} with an active lane", requests,
                  f"l1tex__t_requests_pipe_lsu_{pipe}.sum", differs)
    yield Counter(f"{name}_sectors", group, "sectors of 32 bytes", "different sectors of each request"
                  + ("; lanes with one address one after another" if direction in (ATOMIC, REDUCTION) else ""),
                  sectors, f"l1tex__t_sectors_pipe_lsu_{pipe}.sum", differs)
    yield Counter(f"{name}_sectors_per_request", group, "sectors", f"{name}_sectors / {name}_requests",
                  _quotient(sectors, requests), f"l1tex__average_t_sectors_per_request_pipe_lsu_{pipe}.ratio",
                  ratio=True)
    if direction in (ATOMIC, REDUCTION):
        return
    yield Counter(f"{name}_requested_bytes", group, "bytes", "bytes of all active lanes, a broadcast for each lane",
                  asked, f"smsp__sass_data_bytes_{pipe}.sum" if op in ("ld", "st") else "", differs)
    yield Counter(f"{name}_moved_bytes", group, "bytes", f"32 × {name}_sectors", _times(sectors, 32),
                  f"l1tex__t_bytes_pipe_lsu_{pipe}.sum", differs)
    yield Counter(f"{name}_efficiency", group, "%", "requested of moved bytes; over 100 where lanes share bytes",
                  _quotient(asked, _times(sectors, 32), 100.0),
                  f"smsp__sass_average_data_bytes_per_sector_{pipe}.pct" if op in ("ld", "st") else "", ratio=True)


def _words(direction: str) -> str:
    return {LOAD: "LDG and LD", STORE: "STG and ST", COPY: "LDGSTS, asynchronous copies to shared memory,",
            ATOMIC: "ATOMG and ATOM, whose old value is used,", REDUCTION: "RED, atomics without a result,"}[direction]


def _local() -> Iterable[Counter]:
    group = "local memory"
    for direction, op in ((LOAD, "ld"), (STORE, "st")):
        name = f"local_{direction}"
        yield Counter(f"{name}_requests", group, "requests", f"local {direction}s with an active lane",
                      _column(lay.LOCAL_REQUESTS, direction), f"l1tex__t_requests_pipe_lsu_mem_local_op_{op}.sum")
        yield Counter(f"{name}_sectors", group, "sectors of 32 bytes",
                      "of each request; a word of all 32 lanes is four sectors",
                      _column(lay.LOCAL_SECTORS, direction), f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum")
    for direction in (LOAD, STORE):
        yield Counter(f"spill_{direction}_sectors", group, "sectors of 32 bytes",
                      f"local_{direction}_sectors of instructions that address the stack at a constant place, where "
                      "the compiler reports spills", _spilled(lay.LOCAL_SECTORS, direction))
    yield Counter("spill_bytes", group, "bytes", "bytes of all active lanes of these", _spilled(lay.LOCAL_BYTES))


def _spilled(column: int, *actions: str) -> _Of:
    return lambda t: t.sum(column, *actions, where=lambda k: k.spill)


def _shared(direction: str, actions: tuple[str, ...], op: str, differs: str = "") -> Iterable[Counter]:
    group, name = "shared memory", f"shared_{direction}"
    wavefronts, ideal = _column(lay.WAVEFRONTS, *actions), _column(lay.IDEAL, *actions)
    what = {LOAD: "LDS", STORE: "STS", ATOMIC: "ATOMS", COPY: "LDGSTS"}[direction]
    yield Counter(f"{name}_requests", group, "requests", f"{what} with an active lane",
                  _column(lay.SHARED_REQUESTS, *actions), f"smsp__inst_executed_op_shared_{op}.sum" if op in (
                      "ld", "st", "atom") else "", "those with all lanes predicated off are not counted" if op else "")
    yield Counter(f"{name}_bytes", group, "bytes", "bytes of all active lanes", _column(lay.SHARED_BYTES, *actions))
    yield Counter(f"{name}_wavefronts", group, "wavefronts", "by the rules for banks in mutate/sim/coalesce.py",
                  wavefronts, f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" if op else "", differs)
    yield Counter(f"{name}_bank_conflicts", group, "wavefronts", f"{name}_wavefronts above those that the requests "
                  "would have without conflicts", _minus(wavefronts, ideal),
                  f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" if op else "",
                  "ncu counts arbitration with other traffic too" if op else "")


def _caches() -> Iterable[Counter]:
    group = "caches"
    note = "a model without time; docs/counters.md says what it leaves out"
    for direction, op in ((LOAD, "ld"), (STORE, "st")):
        sectors = _column(lay.SECTORS, direction)
        hits = _cached(0, lay.L1_HITS, direction)
        metric = f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}_lookup_hit.sum"
        yield Counter(f"l1_global_{direction}_hits", group, "sectors of 32 bytes",
                      f"sectors of global {direction}s that are in L1", hits, metric, note)
        yield Counter(f"l1_global_{direction}_hit_rate", group, "%", "of the sectors", _quotient(hits, sectors, 100.0),
                      "", note, ratio=True)
    for direction, op in ((LOAD, "ld"), (STORE, "st")):
        yield Counter(f"l1_local_{direction}_hits", group, "sectors of 32 bytes",
                      f"sectors of local {direction}s that are in L1", _cached(0, lay.LOCAL_L1_HITS, direction),
                      f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}_lookup_hit.sum", note)
    into = _l2_reads
    yield Counter("l2_read_sectors", group, "sectors of 32 bytes", "of loads and copies that miss L1 or go around it",
                  into, "lts__t_sectors_srcunit_tex_op_read.sum", note)
    hits = _l2_read_hits
    yield Counter("l2_read_hits", group, "sectors of 32 bytes", "those of them that are in L2", hits,
                  "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", note)
    yield Counter("l2_read_hit_rate", group, "%", "l2_read_hits / l2_read_sectors", _quotient(hits, into, 100.0),
                  "lts__t_sector_op_read_hit_rate.pct", note, ratio=True)
    yield Counter("l2_write_sectors", group, "sectors of 32 bytes", "of global stores",
                  lambda t: t.sum(lay.SECTORS, STORE) if t.caches[1] else None,
                  "lts__t_sectors_srcunit_tex_op_write.sum", note)
    yield Counter("dram_read_sectors", group, "sectors of 32 bytes", "l2_read_sectors that are not in L2",
                  _minus(into, hits), "dram__sectors_read.sum", note)


def _l2_reads(t: Totals) -> Value:
    if not t.caches[1]:
        return None
    hits = t.sum(lay.L1_HITS, LOAD, COPY) + t.sum(lay.LOCAL_L1_HITS, LOAD)
    return t.sum(lay.SECTORS, LOAD, COPY) + t.sum(lay.LOCAL_SECTORS, LOAD) - hits


def _l2_read_hits(t: Totals) -> Value:
    return t.sum(lay.L2_HITS, LOAD, COPY) + t.sum(lay.LOCAL_L2_HITS, LOAD) if t.caches[1] else None


COUNTERS: tuple[Counter, ...] = (
    *_instructions(),
    *_global(LOAD, (LOAD,), "ld"),
    *_global(STORE, (STORE,), "st"),
    *_global(COPY, (COPY,), "ldgsts"),
    *_global(ATOMIC, (ATOMIC,), "atom"),
    *_global(REDUCTION, (REDUCTION,), "red"),
    *_local(),
    *_shared(LOAD, (LOAD,), "ld"),
    *_shared(STORE, (STORE,), "st"),
    *_shared(COPY, (COPY,), ""),
    *_shared(ATOMIC, (ATOMIC,), "atom"),
    *_caches(),
)
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(c.group for c in COUNTERS))


def evaluate(totals: Totals) -> dict[str, Value]:
    """All counters by name; ``None`` where there is nothing to divide or nobody looked."""
    return {c.name: c.of(totals) for c in COUNTERS}


def scaled(values: Mapping[str, Any], factor: float) -> dict[str, Value]:
    """The values for a grid ``factor`` times as large as the sample; ratios stay."""
    ratios = {c.name for c in COUNTERS if c.ratio}
    return {name: value if value is None or name in ratios else round(factor * value) for name, value in values.items()}
