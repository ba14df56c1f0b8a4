"""The counters of a simulated launch: what was counted for each instruction, summed by name.

``COUNTERS`` is the table: a new counter is a new row. Each says what it counts, which of ncu's metrics it stands for
and where it differs from that. Counts of a sample of blocks are exact for the sample; for the grid they are multiplied
(``scaled``). Ratios are those of the sample.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sass.classes import class_of
from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay

LOAD, STORE, ATOMIC, REDUCTION, COPY = "load", "store", "atomic", "reduction", "copy"
TEXTURE, SURFACE_LOAD, SURFACE_STORE = "texture", "surface_load", "surface_store"
_ACTIONS = {"LDG": LOAD, "LD": LOAD, "LDS": LOAD, "LDL": LOAD, "LDSM": LOAD, "STG": STORE, "ST": STORE, "STS": STORE,
            "STL": STORE, "STSM": STORE, "LDGSTS": COPY, "ATOM": ATOMIC, "ATOMG": ATOMIC, "ATOMS": ATOMIC,
            "REDS": ATOMIC, "RED": REDUCTION, "REDG": REDUCTION, "TEX": TEXTURE, "TLD": TEXTURE, "TLD4": TEXTURE,
            "TXD": TEXTURE, "SULD": SURFACE_LOAD, "SUST": SURFACE_STORE}
_BRANCHES = frozenset(("BRA", "BRX", "BRXU", "JMP", "JMX", "CALL", "RET"))
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
class CacheView:
    """Whether there is an L1 and an L2, and whether local stores go through to L2."""

    l1: bool = False
    l2: bool = False
    local_through: bool = False


@dataclass(frozen=True)
class Totals:
    """Counted instructions, all of a kernel or those of a line. ``rows`` has shape (instructions, ``layout.COUNTERS``);

    ``caches`` says what a cache model saw.
    """

    kinds: Sequence[Kind]
    rows: npt.NDArray[np.int64]
    caches: CacheView = CacheView()

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
    needs: str = ""
    """The counter without which this one says nothing: it is not printed where that is 0."""


def _column(column: int, *actions: str) -> _Of:
    return lambda t: t.sum(column, *actions)


def _quotient(part: _Of, whole: _Of, factor: float = 1.0) -> _Of:
    def value(t: Totals) -> Value:
        a, b = part(t), whole(t)
        return None if a is None or not b else factor * a / b

    return value


def _in_l1(column: int, *actions: str) -> _Of:
    return lambda t: t.sum(column, *actions) if t.caches.l1 else None


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
                  _quotient(_column(lay.THREADS), _EXECUTED),
                  "smsp__average_thread_inst_executed_per_inst_executed.ratio", ratio=True)
    yield Counter("active_lanes_on", group, "lanes", "thread_instructions_on / instructions",
                  _quotient(_column(lay.THREADS_ON), _EXECUTED),
                  "smsp__average_thread_inst_executed_pred_on_per_inst_executed.ratio", ratio=True)
    yield Counter("branches", group, "warp instructions", "BRA, BRX, BRXU, JMP, CALL and RET, taken or not", _BRANCH,
                  "smsp__sass_inst_executed_op_branch.sum")
    yield Counter("divergent_branches", group, "warp instructions", "branches after which lanes of one warp go "
                  "different ways", _DIVERGENT, "smsp__sass_branch_targets_threads_divergent.sum")
    yield Counter("barriers", group, "warp instructions", "BAR executed",
                  lambda t: t.sum(lay.EXECUTED, where=lambda k: k.barrier), "")


def _with(needs: str, rows: Iterable[Counter]) -> Iterable[Counter]:
    return (replace(c, needs=needs) for c in rows)


def _global(direction: str, op: str) -> Iterable[Counter]:
    """``op`` as in ncu's names, which are others for LDGSTS."""
    group, name = "global memory", f"global_{direction}"
    pipe, stage = f"mem_global_op_{op}", "smsp__sass_l1tex" if direction == COPY else "l1tex_"
    differs = {LOAD: "ncu's has LDGSTS.BYPASS in it, which is global_copy here", COPY: "1.4 % more in one sample, not "
               "explained", REDUCTION: "docs/accuracy.md"}.get(direction, "")
    requests, sectors, asked = (_column(c, direction) for c in (lay.REQUESTS, lay.SECTORS, lay.BYTES))
    yield Counter(f"{name}_requests", group, "requests", f"{_words(direction)} with an active lane", requests,
                  f"{stage}_t_requests_pipe_lsu_{pipe}.sum", differs)
    yield Counter(f"{name}_sectors", group, "sectors of 32 bytes", "different sectors of each request"
                  + ("; lanes with one address one after another" if direction in (ATOMIC, REDUCTION) else ""),
                  sectors, f"{stage}_t_sectors_pipe_lsu_{pipe}.sum", differs)
    yield Counter(f"{name}_sectors_per_request", group, "sectors", f"{name}_sectors / {name}_requests",
                  _quotient(sectors, requests), f"{stage}_average_t_sectors_per_request_pipe_lsu_{pipe}.ratio", differs,
                  ratio=True)
    if direction in (ATOMIC, REDUCTION):
        return
    yield Counter(f"{name}_requested_bytes", group, "bytes", "different bytes that the lanes of a request ask for; a "
                  "broadcast counts once", asked, f"smsp__sass_data_bytes_{pipe}.sum",
                  differs if direction == COPY else "")
    yield Counter(f"{name}_moved_bytes", group, "bytes", f"32 × {name}_sectors", _times(sectors, 32),
                  "" if direction == COPY else f"l1tex__t_bytes_pipe_lsu_{pipe}.sum", differs)
    yield Counter(f"{name}_efficiency", group, "%", f"{name}_requested_bytes of {name}_moved_bytes",
                  _quotient(asked, _times(sectors, 32), 100.0),
                  "" if direction == COPY else f"smsp__sass_average_data_bytes_per_sector_{pipe}.pct", ratio=True)


def _words(direction: str) -> str:
    return {LOAD: "LDG and LD", STORE: "STG and ST", COPY: "LDGSTS, asynchronous copies to shared memory,",
            ATOMIC: "ATOMG and ATOM, whose old value is used,", REDUCTION: "RED, atomics without a result,"}[direction]


def _local(direction: str, op: str) -> Iterable[Counter]:
    group, name = "local memory", f"local_{direction}"
    yield Counter(f"{name}_requests", group, "requests", f"local {direction}s with an active lane, one for 32 bits",
                  _column(lay.LOCAL_REQUESTS, direction), f"l1tex__t_requests_pipe_lsu_mem_local_op_{op}.sum")
    yield Counter(f"{name}_sectors", group, "sectors of 32 bytes",
                  "of each request; a word of all 32 lanes is four sectors", _column(lay.LOCAL_SECTORS, direction),
                  f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum")


def _spills() -> Iterable[Counter]:
    group = "local memory"
    yield Counter("spill_bytes", group, "bytes", "bytes of all active lanes of local accesses that address the stack "
                  "at a constant place, where the compiler reports spills", _spilled(lay.LOCAL_BYTES))
    for direction in (LOAD, STORE):
        yield Counter(f"spill_{direction}_sectors", group, "sectors of 32 bytes", f"local_{direction}_sectors of these",
                      _spilled(lay.LOCAL_SECTORS, direction))


def _spilled(column: int, *actions: str) -> _Of:
    return lambda t: t.sum(column, *actions, where=lambda k: k.spill)


def _shared(direction: str, op: str) -> Iterable[Counter]:
    group, name = "shared memory", f"shared_{direction}"
    stage = "smsp__sass_l1tex_data" if direction == COPY else "l1tex__data"
    wavefronts, ideal = _column(lay.WAVEFRONTS, direction), _column(lay.IDEAL, direction)
    what = {LOAD: "LDS", STORE: "STS", ATOMIC: "ATOMS", COPY: "LDGSTS"}[direction]
    executed = "ldgsts" if direction == COPY else f"shared_{op}"
    noise = "ncu's also grows where other traffic is in the way: up to 2 % in the samples"
    active = "two launches differ, by 3 % and by 17 %: not explained"
    if direction == COPY:
        noise = "LDGSTS.BYPASS has none here, as in l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
    yield Counter(f"{name}_requests", group, "requests", f"{what} with an active lane",
                  _column(lay.SHARED_REQUESTS, direction), f"smsp__inst_executed_op_{executed}_pred_on_any.sum",
                  active if direction in (LOAD, STORE) else "")
    yield Counter(f"{name}_bytes", group, "bytes", "bytes of all active lanes, a broadcast for each lane",
                  _column(lay.SHARED_BYTES, direction))
    yield Counter(f"{name}_wavefronts", group, "wavefronts", "by the rules for banks in mutate/sim/coalesce.py",
                  wavefronts, f"{stage}_pipe_lsu_wavefronts_mem_shared_op_{op}.sum", noise)
    yield Counter(f"{name}_bank_conflicts", group, "wavefronts", f"{name}_wavefronts above those that the requests "
                  "would have without conflicts", _minus(wavefronts, ideal),
                  f"{stage}_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum", noise)


_TILED = "how a cudaArray lies in memory is not public, so its sectors are not known"


def _textures() -> Iterable[Counter]:
    group, differs = "textures and surfaces", _TILED
    requests, texels = _column(lay.TEXTURE_REQUESTS, TEXTURE), _column(lay.TEXELS, TEXTURE)
    yield Counter("texture_requests", group, "requests", "TEX, TLD, TLD4 and TXD with an active lane", requests)
    yield Counter("texture_texels", group, "texels", "texels that enter the lanes' results: one, or filtered up to "
                  "two, four or eight; none for the border", texels, differs=differs)
    yield Counter("texture_texels_per_request", group, "texels", "texture_texels / texture_requests",
                  _quotient(texels, requests), ratio=True)


def _surfaces(action: str, name: str) -> Iterable[Counter]:
    group = "textures and surfaces"
    yield Counter(f"{action}_requests", group, "requests", f"{name} with an active lane",
                  _column(lay.TEXTURE_REQUESTS, action))
    yield Counter(f"{action}_accesses", group, "accesses of threads", f"lanes of {name} inside the surface",
                  _column(lay.TEXELS, action), differs=_TILED)


_MODEL = "a model: see above"
_COALESCED = "an H200 merges equal reads of neighbouring SMs before L2, so it has fewer"


def _l1(space: str, direction: str, op: str) -> Iterable[Counter]:
    group, name = "caches", f"l1_{space}_{direction}"
    sectors = _column(lay.SECTORS if space == "global" else lay.LOCAL_SECTORS, direction)
    hits = _in_l1(lay.L1_HITS if space == "global" else lay.LOCAL_L1_HITS, direction)
    yield Counter(f"{name}_hits", group, "sectors of 32 bytes", f"sectors of {space} {direction}s that are in L1", hits,
                  f"l1tex__t_sectors_pipe_lsu_mem_{space}_op_{op}_lookup_hit.sum",
                  "what other blocks store in between throws more out on a GPU" if direction == STORE else _MODEL)
    yield Counter(f"{name}_hit_rate", group, "%", f"{name}_hits of {space}_{direction}_sectors",
                  _quotient(hits, sectors, 100.0), ratio=True)


def _l2() -> Iterable[Counter]:
    group = "caches"
    yield Counter("l2_read_sectors", group, "sectors of 32 bytes", "of loads and copies that miss L1 or go around it",
                  _l2_reads, "lts__t_sectors_srcunit_tex_op_read.sum", _COALESCED)
    yield Counter("l2_read_hits", group, "sectors of 32 bytes", "those of them that are in L2", _l2_read_hits,
                  "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", _COALESCED)
    yield Counter("l2_read_hit_rate", group, "%", "l2_read_hits of l2_read_sectors",
                  _quotient(_l2_read_hits, _l2_reads, 100.0), ratio=True)
    yield Counter("dram_read_sectors", group, "sectors of 32 bytes", "l2_read_sectors that are not in L2",
                  _minus(_l2_reads, _l2_read_hits), "dram__sectors_read.sum",
                  "ncu's has what the launch itself and other units read in it")


def _l2_writes() -> Iterable[Counter]:
    yield Counter("l2_write_sectors", "caches", "sectors of 32 bytes", "of global stores, and of local ones where L1 "
                  "writes through", _l2_write_sectors, "lts__t_sectors_srcunit_tex_op_write.sum",
                  "an H200 merges some partial writes of one sector")


def _l2_write_sectors(t: Totals) -> Value:
    if not t.caches.l2:
        return None
    return t.sum(lay.SECTORS, STORE) + (t.sum(lay.LOCAL_SECTORS, STORE) if t.caches.local_through else 0)


def _l2_reads(t: Totals) -> Value:
    if not t.caches.l2:
        return None
    hits = t.sum(lay.L1_HITS, LOAD, COPY) + t.sum(lay.LOCAL_L1_HITS, LOAD)
    return t.sum(lay.SECTORS, LOAD, COPY) + t.sum(lay.LOCAL_SECTORS, LOAD) - hits


def _l2_read_hits(t: Totals) -> Value:
    return t.sum(lay.L2_HITS, LOAD, COPY) + t.sum(lay.LOCAL_L2_HITS, LOAD) if t.caches.l2 else None


COUNTERS: tuple[Counter, ...] = (
    *_instructions(),
    *_with("global_load_requests", _global(LOAD, "ld")),
    *_with("global_store_requests", _global(STORE, "st")),
    *_with("global_copy_requests", _global(COPY, "ldgsts")),
    *_with("global_atomic_requests", _global(ATOMIC, "atom")),
    *_with("global_reduction_requests", _global(REDUCTION, "red")),
    *_with("local_load_requests", _local(LOAD, "ld")),
    *_with("local_store_requests", _local(STORE, "st")),
    *_with("spill_bytes", _spills()),
    *_with("shared_load_requests", _shared(LOAD, "ld")),
    *_with("shared_store_requests", _shared(STORE, "st")),
    *_with("shared_copy_requests", _shared(COPY, "ldgsts")),
    *_with("shared_atomic_requests", _shared(ATOMIC, "atom")),
    *_with("texture_requests", _textures()),
    *_with("surface_load_requests", _surfaces(SURFACE_LOAD, "SULD")),
    *_with("surface_store_requests", _surfaces(SURFACE_STORE, "SUST")),
    *_with("global_load_requests", _l1("global", LOAD, "ld")),
    *_with("global_store_requests", _l1("global", STORE, "st")),
    *_with("local_load_requests", _l1("local", LOAD, "ld")),
    *_with("local_store_requests", _l1("local", STORE, "st")),
    *_with("l2_read_sectors", _l2()),
    *_with("l2_write_sectors", _l2_writes()),
)
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(c.group for c in COUNTERS))


def evaluate(totals: Totals) -> dict[str, Value]:
    """All counters by name; ``None`` where there is nothing to divide or nobody looked."""
    return {c.name: c.of(totals) for c in COUNTERS}


def scaled(values: Mapping[str, Any], factor: float) -> dict[str, Value]:
    """The values for a grid ``factor`` times as large as the sample; ratios stay."""
    ratios = {c.name for c in COUNTERS if c.ratio}
    return {name: value if value is None or name in ratios else round(factor * value) for name, value in values.items()}
