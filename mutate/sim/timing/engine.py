"""One SM, clock by clock where something happens: four schedulers, their units, L1, and its share of L2 and DRAM.

When an instruction issues, everything that it will do is known but for what others do in between: units, queues and
memory are servers that take requests in the order of issue. So an instruction's result has a time as soon as it issues,
and a warp's next issue is the latest of its stall count, its scoreboards and what it waits for.
"""

from __future__ import annotations

import numpy as np

from mutate.sim import layout as lay
from mutate.sim.jit import jit_into
from mutate.sim.timing.gather import FOLDER, LOCAL_BASE
from mutate.sim.timing.scoreboard import FIXED, LONG, REGISTERS, SHORT
from mutate.sim.timing.scoreboard import held as held_until
from mutate.sim.timing.scoreboard import written as note_written
from mutate.sim.timing.servers import dram, evict, fill, lookup, mix, stays, taken_of
from mutate.sim.timing.settings import (
    B_DATA,
    B_ISSUE,
    B_L2,
    B_L2_WRITE,
    B_WARPS,
    N_DRAM_READ,
    N_DRAM_WRITE,
    N_L1,
    N_L1_HITS,
    N_L2_READ,
    N_L2_WRITE,
    N_LOCAL,
    N_LOCAL_HITS,
    S_ATOMIC,
    S_ATOMIC_LATENCY,
    S_BACKLOG,
    S_BARRIER,
    S_BARRIER_EACH,
    S_BLOCKS,
    S_BUDGET,
    S_DRAM_LATENCY,
    S_HALVES,
    S_L1_LATENCY,
    S_L1_LINES,
    S_L2_CLOCKS,
    S_L2_LATENCY,
    S_L2_LINES,
    S_L2_SPREAD,
    S_L2_WRITTEN,
    S_LAUNCH,
    S_LOCAL_BACK,
    S_LOCAL_FAR,
    S_LONE,
    S_MIO_ISSUE,
    S_PACE,
    S_QUEUE,
    S_READ_LINE,
    S_READ_RELEASE,
    S_REPLAY,
    S_RESIDENT,
    S_RESTART,
    S_SCHEDULERS,
    S_STORE_EVICT,
    S_TRACKED,
    S_WAVE,
    S_WRITE_CLOCKS_L2,
    S_WRITE_LINE,
)
from mutate.sim.timing.units import (
    ACT,
    ARRIVE,
    AUX,
    BARRIER,
    COMMIT,
    CONTROL,
    DEPBAR,
    FREE,
    GLOBAL,
    INTERVAL,
    LATENCY,
    MIO,
    PLAIN,
    READ_BOARD,
    SHARED,
    SLOT,
    STALL,
    UNIT,
    WAIT_MASK,
    WRITE_BOARD,
    XU,
    YIELDS,
)

_LOAD, _STORE, _ATOMIC = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC
_LOCAL_LOAD, _LOCAL_STORE = lay.H_LOCAL_LOAD, lay.H_LOCAL_STORE
_LOCAL = LOCAL_BASE >> 5

# Why a warp did not issue: columns of ``stalls``, ncu's names in ``STALLS``. Each clock from a warp's start to its last
# issue has one reason, at the instruction that waits to be issued.
(ISSUED, R_WAIT, R_LONG, R_SHORT, R_BARRIER, R_MATH, R_MIO, R_LG, R_NOT_SELECTED, R_BRANCH, R_DISPATCH) = range(11)
STALLS = ("selected", "wait", "long_scoreboard", "short_scoreboard", "barrier", "math_pipe_throttle", "mio_throttle",
          "lg_throttle", "not_selected", "branch_resolving", "dispatch_stall")

# Places that remember what came with a sector.
_TWINS = 1 << 15
_NEVER = np.int64(1) << 60


def _play(table, needs, gives, pcs, which, costs, lanes, starts, cut, requests, sectors, touch, region, read, written,
          common, again, apart, sparse, late, around, settings, done, stalls, busy, marks):
    """Plays ``S_BLOCKS`` blocks; returns (clock at the end, instructions issued, blocks finished).

    The budget is in instructions, and eight sectors count as one. ``done`` gets the clock at which each block finished,
    ``marks`` (parts, 2) the clock and the instructions issued when each of equal parts of the budget was used up.
    ``state``: see ``servers``.
    """
    resident = int(settings[S_RESIDENT])
    blocks = int(settings[S_BLOCKS])
    budget = int(settings[S_BUDGET])
    schedulers = int(settings[S_SCHEDULERS])
    queue = int(settings[S_QUEUE])
    sampled = starts.shape[0]
    each = starts.shape[1] - 1
    warps = resident * each
    lines = int(settings[S_L1_LINES])
    tags = np.full(max(lines, 1), -1, np.int64)
    ages = np.zeros(max(lines, 1), np.int64)
    ready = np.zeros((max(lines, 1), 4), np.float64)
    dirty = np.zeros(max(lines, 1), np.bool_)
    far_lines = int(settings[S_L2_LINES])
    far_tags = np.full(max(far_lines, 1), -1, np.int64)
    far_ages = np.zeros(max(far_lines, 1), np.int64)
    far_parts = np.zeros(max(far_lines, 1), np.int64)
    kept_lines = int(settings[S_L2_WRITTEN])
    kept_tags = np.full(max(kept_lines, 1), -1, np.int64)
    kept_ages = np.zeros(max(kept_lines, 1), np.int64)
    kept_parts = np.zeros(max(kept_lines, 1), np.int64)
    pace = np.int64(settings[S_PACE])
    tracked = settings[S_TRACKED] > 0.0
    registers = np.zeros((warps if tracked else 1, REGISTERS), np.float64)
    sources = np.zeros((warps if tracked else 1, REGISTERS), np.int64)
    state = np.zeros(8, np.float64)
    at = np.zeros(warps, np.int64)
    end = np.zeros(warps, np.int64)
    instance = np.zeros(warps, np.int64)
    nxt = np.full(warps, _NEVER, np.int64)
    issued_at = np.zeros(warps, np.int64)
    # When a warp could first have issued: of those that wait for a unit, the first goes first.
    due = np.zeros(warps, np.int64)
    born = np.zeros(warps, np.int64)
    held = np.zeros(warps, np.int64)
    boards = np.zeros((warps, 6), np.float64)
    long_boards = np.zeros((warps, 6), np.int64)
    ring = np.zeros((warps, 6, 8), np.float64)
    ring_n = np.zeros((warps, 6), np.int64)
    copies = np.zeros(warps, np.float64)
    left = np.zeros(resident, np.int64)
    number = np.full(resident, -1, np.int64)
    at_barrier = np.full(warps, -1, np.int64)
    arrived = np.zeros((resident, 17), np.int64)
    ports = np.zeros((schedulers, 8), np.int64)
    mio = np.zeros((schedulers, 64), np.float64)
    mio_n = np.zeros(schedulers, np.int64)
    mio_in = np.zeros(schedulers, np.float64)
    last = np.full(schedulers, -1, np.int64)
    sched_next = np.zeros(schedulers, np.int64)
    twins = np.full(_TWINS, -1, np.int64)
    twin_at = np.zeros(_TWINS, np.float64)
    barrier_free = 0.0
    lsu_free = 0.0
    data_free = 0.0
    launched = 0
    next_launch = 0.0
    finished = 0
    issued = 0
    clock = np.int64(0)
    final = 0.0
    clock_end = np.int64(0)

    # --- the first blocks ---
    for b in range(resident):
        if launched < blocks:
            begin = np.int64(next_launch)
            next_launch += settings[S_LAUNCH]
            source = launched % sampled
            number[b] = launched
            left[b] = 0
            for i in range(each):
                w = b * each + i
                at[w], end[w] = starts[source, i], starts[source, i + 1]
                instance[w] = launched
                nxt[w] = begin
                due[w] = begin
                born[w] = begin
                if at[w] < end[w]:
                    left[b] += 1
                else:
                    nxt[w] = _NEVER
            launched += 1

    work = 0
    while finished < blocks and work < budget:
        clock = _NEVER
        for s in range(schedulers):
            clock = min(clock, sched_next[s])
        if clock >= _NEVER:
            # All wait at barriers of which some warps' ends are not in the stream as expected: let them go.
            any_waiting = False
            for w in range(warps):
                if at_barrier[w] >= 0:
                    any_waiting = True
                    at_barrier[w] = -1
                    nxt[w] = max(clock_end + 1, issued_at[w])
                    stalls[pcs[at[w]], R_BARRIER] += nxt[w] - issued_at[w]
                    sched_next[w % schedulers] = clock_end + 1
            for b in range(resident):
                for k in range(17):
                    arrived[b, k] = 0
            if not any_waiting:
                break
            continue
        clock_end = max(clock_end, clock)
        for s in range(schedulers):
            if sched_next[s] > clock:
                continue
            # --- who issues: the last one again, else the one that has waited longest ---
            chosen = -1
            best = _NEVER
            soonest = _NEVER
            w = s
            while w < warps:
                if nxt[w] <= clock:
                    pc = pcs[at[w]]
                    unit = table[pc, UNIT]
                    until = clock
                    if ports[s, unit] > clock:
                        until = ports[s, unit]
                        reason = R_MATH
                        if unit == MIO:
                            reason = R_MIO
                        elif unit == CONTROL:
                            reason = R_DISPATCH
                    elif unit == MIO and lanes[at[w]] > 0 and mio_n[s] >= queue and mio[
                            s, (mio_n[s] - queue) % 64] > clock:
                        until = np.int64(np.ceil(mio[s, (mio_n[s] - queue) % 64]))
                        reason = R_LG if table[pc, ACT] == GLOBAL else R_MIO
                    if until > clock:
                        stalls[pc, reason] += until - clock
                        stalls[pc, R_NOT_SELECTED] += clock - nxt[w] - held[w]
                        stalls[pc, R_DISPATCH] += held[w]
                        held[w] = 0
                        nxt[w] = until
                    else:
                        key = due[w] if unit == MIO else born[w] - (np.int64(1) << 50)
                        if w == last[s]:
                            key = -1
                        if key < best:
                            best = key
                            chosen = w
                if nxt[w] < soonest and w != chosen:
                    soonest = nxt[w]
                w += schedulers
            if chosen < 0:
                sched_next[s] = max(soonest, clock + 1) if soonest < _NEVER else _NEVER
                continue
            w = chosen
            k = at[w]
            pc = pcs[k]
            row = table[pc]
            act = row[ACT]
            unit = row[UNIT]
            b = w // each
            stalls[pc, ISSUED] += 1
            stalls[pc, R_NOT_SELECTED] += clock - nxt[w] - held[w]
            stalls[pc, R_DISPATCH] += held[w]
            held[w] = 0
            if work < budget:
                part = work * len(marks) // budget
                marks[part, 0], marks[part, 1] = clock, issued
            issued += 1
            work += 1
            busy[B_ISSUE] += 1
            busy[unit] += row[INTERVAL]
            ports[s, unit] = clock + row[INTERVAL]
            last[s] = -1 if row[YIELDS] else w
            at[w] = k + 1
            slot = row[SLOT]
            follow = clock + max(row[STALL], pace)
            if tracked:
                # The bits of the code are for other hardware. A branch is decided at the end of the pipeline.
                follow = clock + max(1, slot, row[LATENCY] if unit == CONTROL else 0)
            pause = follow - clock - 1
            result = 0.0
            operands = 0.0
            is_long = 0
            if act == PLAIN or lanes[k] == 0:
                result = float(clock + row[LATENCY])
                operands = float(clock + 8)
            elif act == GLOBAL or act == SHARED:
                entry = max(float(clock) + 4.0, mio_in[s])
                mio_in[s] = entry + settings[S_MIO_ISSUE]
                begin = max(entry, lsu_free)
                lsu_free = begin + 1.0
                q = which[k]
                if act == SHARED or q < 0 or (2 < requests[q, 2] < 6):
                    cost = float(max(1, costs[k])) * settings[S_WAVE]
                    start = max(begin, data_free)
                    data_free = start + cost
                    busy[B_DATA] += cost
                    leave = start
                    result = start - 4.0 + cost - 1.0 + row[LATENCY]
                    operands = start + settings[S_READ_RELEASE]
                    if settings[S_REPLAY] > 0.0:
                        slot += max(0, np.int64(cost) - row[FREE])
                else:
                    kind = requests[q, 2]
                    is_long = 1
                    first, count, waves = requests[q, 4], requests[q, 5], requests[q, 6]
                    asked_line = np.int64(-1)
                    credit = 0.0
                    cost = float(max(1, waves)) * settings[S_WAVE]
                    start = max(begin, data_free)
                    if kind == _STORE or kind == _LOCAL_STORE or kind == _ATOMIC:
                        start = max(start, state[1] - settings[S_BACKLOG], state[2] - settings[S_BACKLOG])
                    data_free = start + cost
                    busy[B_DATA] += cost
                    leave = start
                    operands = start + settings[S_READ_RELEASE]
                    result = start + cost - 1.0 - 4.0 + settings[S_L1_LATENCY]
                    through = around[pc] and kind == _LOAD
                    # Many sectors take longer to play than an instruction.
                    work += count // 8
                    for i in range(first, first + count):
                        sector = sectors[i]
                        r = region[i]
                        if sector >= _LOCAL:
                            sector += np.int64(instance[w]) << 40
                        elif not common[r]:
                            sector += np.int64(instance[w] // sampled) << 40
                        near = sector + (np.int64(b + 1) << 46 if apart[r] else 0)
                        if kind == _LOAD or kind == _LOCAL_LOAD:
                            busy[N_L1] += 1
                            if kind == _LOCAL_LOAD:
                                busy[N_LOCAL] += 1
                            place, victim = lookup(tags, ages, ready, lines, near, issued)
                            if not through and place >= 0 and ready[place, sector & 3] > 0.0:
                                busy[N_L1_HITS] += 1
                                if kind == _LOCAL_LOAD:
                                    busy[N_LOCAL_HITS] += 1
                                result = max(result, ready[place, sector & 3])
                                continue
                            asked = max(start, state[0])
                            taken, credit = taken_of(sector >> 2, asked_line, credit, settings[S_L2_CLOCKS],
                                                     settings[S_READ_LINE])
                            asked_line = sector >> 2
                            state[0] = asked + taken
                            busy[B_L2] += taken
                            busy[N_L2_READ] += 1
                            come = asked - 4.0 + settings[S_L2_LATENCY] + settings[S_L2_SPREAD] * (
                                2.0 * mix(sector >> 4, 7) - 1.0)
                            first_read = kind == _LOAD and touch[i] & 1 != 0
                            far = (mix(sector, 1) < read[r]) if first_read else (
                                kind == _LOCAL_LOAD and mix(sector, 5) < settings[S_LOCAL_FAR])
                            if again[r] and far_lines > 0:
                                there = stays(far_tags, far_ages, far_parts, far_lines, sector, issued)
                                far = far or not (there or first_read)
                            if twins[sector & (_TWINS - 1)] == sector:
                                come = max(come, twin_at[sector & (_TWINS - 1)])
                            elif far:
                                busy[N_DRAM_READ] += 1
                                other = sectors[i] ^ 1
                                factor = 1.0
                                alone = False
                                if settings[S_LONE] > 1.0 and not ((i > first and sectors[i - 1] == other)
                                        or (i + 1 < first + count and sectors[i + 1] == other)):
                                    # DRAM gives 64 bytes: beside others of the request they are no more than two
                                    # sectors, alone they have a row to open, too.
                                    alone = True
                                    factor = settings[S_LONE]
                                    if (i > first and sectors[i] - sectors[i - 1] < 8) or (
                                            i + 1 < first + count and sectors[i + 1] - sectors[i] < 8):
                                        factor = 2.0
                                    elif count == 1 and first_read:
                                        factor = 2.0 + (settings[S_LONE] - 2.0) * sparse[r]
                                moved = dram(state, settings, busy, asked, False, factor, mix(sector >> 5, 6))
                                come = moved - 4.0 + settings[S_DRAM_LATENCY] + late[
                                    int(mix(sector >> 5, 3) * len(late))]
                                if i > first and sectors[i - 1] >> 2 == sectors[i] >> 2 and sectors[i] & 3 == 2:
                                    come += settings[S_HALVES]
                                if alone:
                                    busy[N_DRAM_READ] += 1
                                    twins[(sector ^ 1) & (_TWINS - 1)] = sector ^ 1
                                    twin_at[(sector ^ 1) & (_TWINS - 1)] = come
                            result = max(result, come)
                            if victim >= 0 and not through:
                                if place < 0 and dirty[victim]:
                                    evict(state, settings, busy, dirty, victim, asked, mix(tags[victim], 5))
                                fill(tags, ages, ready, place, victim, near, issued, come)
                        else:
                            asked = max(start, state[1])
                            if kind == _LOCAL_STORE and lines > 0 and settings[S_LOCAL_BACK] > 0.0:
                                # Stays in L1 until its line is needed for something else.
                                place, victim = lookup(tags, ages, ready, lines, near, issued)
                                if place < 0 and dirty[victim]:
                                    evict(state, settings, busy, dirty, victim, asked, mix(tags[victim], 5))
                                fill(tags, ages, ready, place, victim, near, issued, 1.0)
                                dirty[victim] = True
                                continue
                            taken = settings[S_ATOMIC]
                            if kind != _ATOMIC:
                                taken, credit = taken_of(sector >> 2, asked_line, credit, settings[S_WRITE_CLOCKS_L2],
                                                         settings[S_WRITE_LINE])
                                asked_line = sector >> 2
                            state[1] = asked + taken
                            busy[B_L2_WRITE] += taken
                            busy[N_L2_WRITE] += 1
                            first_write = touch[i] & 2 != 0
                            far = (first_write and mix(sector, 2) < written[r]) if kind != _LOCAL_STORE else (
                                mix(sector, 5) < settings[S_LOCAL_FAR])
                            factor = 1.0
                            if again[r] and kept_lines > 0:
                                there = stays(kept_tags, kept_ages, kept_parts, kept_lines, sector, issued)
                                if not (there or first_write):
                                    # L2 gave it up before it was whole: it is read, and written once more.
                                    far, factor = True, settings[S_LONE]
                                    busy[N_DRAM_READ] += 1
                                    dram(state, settings, busy, asked, False, factor, 0.0)
                            if far:
                                busy[N_DRAM_WRITE] += 1
                                dram(state, settings, busy, asked, kind != _ATOMIC, factor, 0.0)
                            if kind == _ATOMIC:
                                result = max(result, asked + settings[S_ATOMIC_LATENCY])
                            else:
                                place, victim = lookup(tags, ages, ready, lines, near, issued)
                                if settings[S_STORE_EVICT] > 0.0 and kind == _STORE:
                                    if place >= 0:
                                        tags[place] = -1
                                        ages[place] = 0
                                elif victim >= 0:
                                    if place < 0 and dirty[victim]:
                                        evict(state, settings, busy, dirty, victim, asked, mix(tags[victim], 5))
                                    come = max(ready[victim, sector & 3], 1.0) if place >= 0 else 1.0
                                    fill(tags, ages, ready, place, victim, near, issued, come)
                    final = max(final, state[1], state[2])
                    if kind == _LOAD and row[WRITE_BOARD] == 7:
                        copies[w] = max(copies[w], result)
                mio[s, mio_n[s] % 64] = leave
                mio_n[s] += 1
            elif act == COMMIT:
                result = max(copies[w], float(clock + row[LATENCY]))
                is_long = 1
            elif act == DEPBAR:
                board, allowed = row[AUX] >> 8, row[AUX] & 255
                if board < 6 and ring_n[w, board] > allowed:
                    index = ring_n[w, board] - 1 - allowed
                    if index >= ring_n[w, board] - 8:
                        until = np.int64(np.ceil(ring[w, board, index % 8]))
                        if until > follow:
                            stalls[pc, R_LONG] += until - follow
                            follow = until
            elif act == BARRIER or act == ARRIVE:
                bar = min(row[AUX], 15)
                arrived[b, bar] += 1
                barrier_free = max(float(clock), barrier_free) + settings[S_BARRIER_EACH]
                if act == BARRIER:
                    at_barrier[w] = bar
            else:
                result = float(clock + row[LATENCY])
                operands = float(clock + 8)

            # --- scoreboards ---
            if tracked:
                note_written(gives, registers, sources, w, pc, result,
                             LONG if is_long else SHORT if unit == MIO or unit == XU else FIXED)
            board = row[WRITE_BOARD]
            if board < 6:
                boards[w, board] = max(boards[w, board], result)
                long_boards[w, board] = is_long
                turn = ring_n[w, board]
                ring[w, board, turn % 8] = boards[w, board]
                ring_n[w, board] = turn + 1
            board = row[READ_BOARD]
            if board < 6:
                if operands > boards[w, board]:
                    boards[w, board] = operands
                    long_boards[w, board] = 0

            # --- when the warp may issue again ---
            jumps = at[w] < end[w] and unit == CONTROL and pcs[at[w]] != pc + 1
            if at[w] >= end[w] and cut[instance[w] % sampled]:
                # What the warp does then was not recorded.
                busy[B_WARPS] += clock + 1 - born[w]
                budget = 0
                break
            if at[w] >= end[w]:
                busy[B_WARPS] += clock + 1 - born[w]
                nxt[w] = _NEVER
                at_barrier[w] = -1
                left[b] -= 1
                if left[b] == 0:
                    done[number[b]] = clock
                    finished += 1
                    clock_end = max(clock_end, clock)
                    number[b] = -1
                    for i in range(17):
                        arrived[b, i] = 0
                    if launched < blocks:
                        begin_at = max(float(clock) + settings[S_RESTART], next_launch)
                        next_launch = begin_at + settings[S_LAUNCH]
                        source = launched % sampled
                        number[b] = launched
                        for i in range(each):
                            v = b * each + i
                            at[v], end[v] = starts[source, i], starts[source, i + 1]
                            instance[v] = launched
                            born[v] = np.int64(begin_at)
                            copies[v] = 0.0
                            for j in range(6):
                                boards[v, j] = 0.0
                                ring_n[v, j] = 0
                            if tracked:
                                registers[v, :] = 0.0
                            if at[v] < end[v]:
                                left[b] += 1
                                nxt[v] = np.int64(begin_at)
                                due[v] = nxt[v]
                                sched_next[v % schedulers] = min(sched_next[v % schedulers], nxt[v])
                        launched += 1
            elif at_barrier[w] >= 0:
                nxt[w] = _NEVER
                issued_at[w] = follow
                stalls[pcs[at[w]], R_WAIT] += pause
            else:
                following = pcs[at[w]]
                stalls[following, R_BRANCH if jumps else R_WAIT] += pause
                until, source = np.int64(follow), FIXED
                if tracked:
                    until, source = held_until(table, needs, boards, long_boards, registers, sources, tracked, w,
                                               following, until)
                else:
                    # As ``held`` has it: a call for each instruction takes as long as the rest.
                    mask = table[following, WAIT_MASK]
                    for j in range(6):
                        if mask >> j & 1 and boards[w, j] > until:
                            until = np.int64(np.ceil(boards[w, j]))
                            source = LONG if long_boards[w, j] else SHORT
                reason = R_LONG if source == LONG else R_SHORT if source == SHORT else R_WAIT
                stalls[following, reason] += until - follow
                nxt[w] = until
                due[w] = until

            # --- barriers that are complete ---
            if (act == BARRIER or act == ARRIVE or nxt[w] == _NEVER) and left[b] > 0:
                for bar in range(16):
                    if arrived[b, bar] >= left[b] and arrived[b, bar] > 0:
                        waiting = False
                        go = np.int64(max(float(clock), barrier_free) + settings[S_BARRIER])
                        for i in range(each):
                            v = b * each + i
                            if at_barrier[v] == bar:
                                waiting = True
                                at_barrier[v] = -1
                                following = pcs[at[v]]
                                until = max(issued_at[v], go)
                                stalls[following, R_BARRIER] += until - issued_at[v]
                                go_on, source = held_until(table, needs, boards, long_boards, registers, sources,
                                                           tracked, v, following, until)
                                reason = R_LONG if source == LONG else R_SHORT if source == SHORT else R_WAIT
                                stalls[following, reason] += go_on - until
                                nxt[v] = go_on
                                due[v] = go_on
                                sched_next[v % schedulers] = min(sched_next[v % schedulers], max(go_on, clock + 1))
                        if waiting or act == ARRIVE:
                            arrived[b, bar] = 0
            # A branch that is taken costs its scheduler one more clock. Those behind the first no warp can use.
            free = clock + slot + (1 if at[w] < end[w] and unit == CONTROL and pcs[at[w]] != pc + 1 else 0)
            sched_next[s] = free
            if free > clock + 1:
                for v in range(s, warps, schedulers):
                    if nxt[v] < free:
                        held[v] += free - max(nxt[v], clock + 1)
    for w in range(warps):
        if number[w // each] >= 0 and at[w] < end[w]:
            # Cut off while it waited: it has reasons until it could issue next, or came to its barrier.
            busy[B_WARPS] += (issued_at[w] if at_barrier[w] >= 0 else nxt[w]) - born[w]
    return max(float(clock_end), final if finished == blocks else float(clock_end)), issued, finished


play = jit_into(FOLDER, _play)
