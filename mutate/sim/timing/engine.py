"""One SM, clock by clock where something happens: four schedulers, their units, L1, and its share of L2 and DRAM.

When an instruction issues, everything that it will do is known but for what others do in between: units, queues and
memory are servers that take requests in the order of issue. So an instruction's result has a time as soon as it issues,
and a warp's next issue is the latest of its stall count, its scoreboards and what it waits for.
"""

from __future__ import annotations

import numpy as np

from mutate.sim import layout as lay
from mutate.sim.jit import jit_into
from mutate.sim.timing.banks import QUEUED
from mutate.sim.timing.blocks import NEVER, Blocks, Boards, Warps, begin, let_go, pass_barriers
from mutate.sim.timing.constant_cache import constant_wait, empty_constants
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.lines import HITS, TAGS
from mutate.sim.timing.scoreboard import FIXED, LONG, REGISTERS, SHORT
from mutate.sim.timing.scoreboard import held as held_until
from mutate.sim.timing.scoreboard import written as note_written
from mutate.sim.timing.sectors import TWINS, lines_of, read, write
from mutate.sim.timing.servers import L1, L2, RETURNS, Returns, Twins, returned
from mutate.sim.timing.settings import (
    B_DATA,
    B_DRAM,
    B_ISSUE,
    B_L2,
    B_L2_WRITE,
    B_WARPS,
    ISSUED,
    R_BRANCH,
    R_CONSTANT,
    R_DISPATCH,
    R_LG,
    R_LONG,
    R_MATH,
    R_MIO,
    R_NOT_SELECTED,
    R_SHORT,
    R_WAIT,
    S_BACKLOG,
    S_BARRIER,
    S_BARRIER_EACH,
    S_BETWEEN,
    S_BLOCKS,
    S_BUDGET,
    S_CONSTANT,
    S_CONSTANT_AGAIN,
    S_CONSTANT_HELD,
    S_CONSTANT_LINES,
    S_DUAL,
    S_L1_LATENCY,
    S_L1_LINES,
    S_L2_LINES,
    S_L2_WRITTEN,
    S_LAUNCH,
    S_LAUNCH_WARP,
    S_MIO_ISSUE,
    S_PACE,
    S_QUEUE,
    S_READ_RELEASE,
    S_REPLAY,
    S_RESIDENT,
    S_RESTART,
    S_SCHEDULERS,
    S_TRACKED,
    S_WAVE,
)
from mutate.sim.timing.units import (
    ACT,
    ARRIVE,
    AUX,
    BARRIER,
    COMMIT,
    CONSTANT,
    CONTROL,
    DEPBAR,
    EVEN,
    FMA,
    FREE,
    GLOBAL,
    HALF,
    HANDED,
    HEAVY,
    INTERVAL,
    LATENCY,
    MIO,
    ODD,
    PAIR,
    PLAIN,
    PORTS,
    READ_BOARD,
    SHARED,
    SLOT,
    SPECIAL,
    STALL,
    SYNCED,
    TAKEN,
    UNIT,
    WAIT_MASK,
    WRITE_BOARD,
    XU,
    YIELDS,
)

_LOAD, _ATOMIC = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_ATOMIC
_LOCAL_LOAD, _LOCAL_STORE = lay.H_LOCAL_LOAD, lay.H_LOCAL_STORE
# Wavefronts of a load that have no time of their own when its data comes back: those of neighbours.
_AT_ONCE = 4.0


def _play(table, needs, gives, streams, reuse, apart, late, around, settings, after, done, stalls, busy, marks):
    """Plays ``S_BLOCKS`` blocks; returns (clock at the end, instructions issued, blocks finished).

    ``after``: the settings from when the last of them has begun in place of another.

    ``streams`` and ``reuse``: of ``sampling``. The budget is in instructions, and eight sectors count as one. ``done``
    gets the clock at which each block finished, ``marks`` (parts, 2) the clock and the instructions issued when each of
    equal parts of the budget was used up. ``state``: see ``servers``.
    """
    pcs, which, costs, lanes, starts = streams.pc, streams.request, streams.cost, streams.on, streams.starts
    requests, cut = streams.requests, streams.cut
    resident = int(settings[S_RESIDENT])
    count = int(settings[S_BLOCKS])
    budget = int(settings[S_BUDGET])
    schedulers = int(settings[S_SCHEDULERS])
    queue = int(settings[S_QUEUE])
    sampled = starts.shape[0]
    each = starts.shape[1] - 1
    size = resident * each
    lines = int(settings[S_L1_LINES])
    l1 = L1(np.full(lines, -1, np.int64), np.zeros(lines, np.int64), np.zeros((lines, 4), np.float64),
            np.zeros(lines, np.bool_))
    lines = int(settings[S_L2_LINES])
    l2 = L2(np.full(lines, -1, np.int64), np.zeros(lines, np.int64), np.zeros(lines, np.int64))
    lines = int(settings[S_L2_WRITTEN])
    written = L2(np.full(lines, -1, np.int64), np.zeros(lines, np.int64), np.zeros(lines, np.int64))
    twins = Twins(np.full(TWINS, -1, np.int64), np.zeros(TWINS, np.float64))
    state = np.zeros(9, np.float64)
    returns = Returns(np.full(RETURNS, -1, np.int64), np.zeros(RETURNS, np.float64))
    seen = np.zeros(len(reuse.updates.places), np.float64)
    pace = np.int64(settings[S_PACE])
    tracked = settings[S_TRACKED] > 0.0
    warps = Warps(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64),
                  np.zeros(size, np.int64), np.full(size, NEVER, np.int64), np.zeros(size, np.int64),
                  np.zeros(size, np.int64), np.full(size, -1, np.int64), np.zeros(size, np.int64))
    at, end, nxt, due, born, taken = warps.at, warps.end, warps.nxt, warps.due, warps.born, warps.taken
    instance, issued_at, at_barrier = warps.instance, warps.issued_at, warps.at_barrier
    rows = size if tracked else 1
    boards = Boards(np.zeros((size, 6), np.float64), np.zeros((size, 6), np.int64), np.zeros((size, 6, 8), np.float64),
                    np.zeros((size, 6), np.int64), np.zeros(size, np.float64),
                    np.zeros((rows, REGISTERS), np.float64), np.zeros((rows, REGISTERS), np.int64))
    clear, far, ring, ring_n, copies = boards.until, boards.far, boards.ring, boards.ring_n, boards.copies
    registers, sources = boards.registers, boards.sources
    blocks = Blocks(np.full(resident, -1, np.int64), np.zeros(resident, np.int64),
                    np.zeros((resident, 16), np.int64))
    number, left, arrived = blocks.number, blocks.left, blocks.arrived
    ports = np.zeros((schedulers, PORTS), np.int64)
    # Of the two FMA pipes: when each is free, and which was used last.
    dual = settings[S_DUAL] > 0.0
    pipes = np.zeros((schedulers, 2), np.int64)
    side = np.zeros(schedulers, np.int64)
    mio = np.zeros((schedulers, 64), np.float64)
    mio_n = np.zeros(schedulers, np.int64)
    reading = np.zeros((schedulers, 3), np.int64)
    # The last store of each scheduler: its request, its warp, the warp's block.
    stored = np.full(schedulers, -1, np.int64)
    stored_by = np.zeros(schedulers, np.int64)
    stored_of = np.zeros(schedulers, np.int64)
    mio_in = np.zeros(schedulers, np.float64)
    port = np.zeros(schedulers, np.float64)
    last = np.full(schedulers, -1, np.int64)
    sched_next = np.zeros(schedulers, np.int64)
    barrier_free = 0.0
    lsu_free = 0.0
    tags_free = 0.0
    data_free = 0.0
    constant_free = 0.0
    lines = int(settings[S_CONSTANT_LINES])
    constants = empty_constants(schedulers, lines)
    launched = 0
    next_launch = 0.0
    leaves = -settings[S_LAUNCH]
    finished = 0
    issued = 0
    clock = np.int64(0)
    final = 0.0
    clock_end = np.int64(0)
    for b in range(min(resident, count)):
        begin(b, launched, next_launch, starts, tracked, warps, boards, blocks, sched_next)
        next_launch += min(settings[S_LAUNCH], settings[S_LAUNCH_WARP] * each)
        launched += 1

    work = 0
    while finished < count and work < budget:
        clock = NEVER
        for s in range(schedulers):
            clock = min(clock, sched_next[s])
        if clock >= NEVER:
            if not let_go(clock_end + 1, pcs, warps, blocks, sched_next, stalls):
                break
            continue
        clock_end = max(clock_end, clock)
        for s in range(schedulers):
            if sched_next[s] > clock:
                continue
            # --- who issues: the last one again, else of the oldest block the one that waited longest ---
            chosen = -1
            best = NEVER
            soonest = NEVER
            w = s
            while w < size:
                if nxt[w] <= clock:
                    pc = pcs[at[w]]
                    unit = table[pc, UNIT]
                    until = clock
                    if ports[s, unit] > clock:
                        until = ports[s, unit]
                        reason = R_MATH
                        if unit == MIO or unit == XU or unit >= SPECIAL:
                            reason = R_MIO
                        elif unit == CONTROL:
                            reason = R_DISPATCH
                    elif unit == MIO and (lanes[at[w]] > 0 or not tracked) and mio_n[s] >= queue and mio[
                            s, (mio_n[s] - queue) % 64] > clock:
                        until = np.int64(np.ceil(mio[s, (mio_n[s] - queue) % 64]))
                        reason = R_LG if table[pc, ACT] == GLOBAL else R_MIO
                    if until > clock:
                        stalls[pc, reason] += until - clock
                        stalls[pc, R_NOT_SELECTED] += clock - nxt[w] - taken[w]
                        stalls[pc, R_DISPATCH] += taken[w]
                        taken[w] = 0
                        nxt[w] = until
                    else:
                        key = due[w] if tracked else (instance[w] << 40) + due[w]
                        if w == last[s]:
                            key = -NEVER
                        if key < best:
                            best = key
                            chosen = w
                if nxt[w] < soonest and w != chosen:
                    soonest = nxt[w]
                w += schedulers
            if chosen < 0:
                sched_next[s] = max(soonest, clock + 1) if soonest < NEVER else NEVER
                continue
            w = chosen
            k = at[w]
            pc = pcs[k]
            row = table[pc]
            act = row[ACT]
            unit = row[UNIT]
            b = w // each
            stalls[pc, ISSUED] += 1
            stalls[pc, R_NOT_SELECTED] += clock - nxt[w] - taken[w]
            stalls[pc, R_DISPATCH] += taken[w]
            taken[w] = 0
            if work < budget:
                part = work * len(marks) // budget
                marks[part, 0], marks[part, 1] = clock, issued
            issued += 1
            work += 1
            busy[B_ISSUE] += 1
            part = 0.5 if unit == HEAVY or unit == HALF else 1.0
            busy[MIO if unit >= SPECIAL else FMA if unit >= HEAVY else unit] += part * row[INTERVAL]
            ports[s, unit] = clock + row[INTERVAL]
            if dual and (unit == FMA or unit == HEAVY or unit == PAIR):
                # FP32 takes the pipe that was not used last.
                if unit == PAIR:
                    pipes[s, 0] = pipes[s, 1] = clock + row[INTERVAL]
                elif unit == HEAVY:
                    side[s] = 0
                    pipes[s, 0] = clock + row[INTERVAL]
                else:
                    side[s] = 1 - side[s]
                    pipes[s, side[s]] = clock + 2 * row[INTERVAL]
                ports[s, FMA], ports[s, HEAVY] = pipes[s, 1 - side[s]], pipes[s, 0]
                ports[s, PAIR] = max(pipes[s, 0], pipes[s, 1])
            last[s] = -1 if row[YIELDS] else w
            at[w] = k + 1
            slot = row[SLOT]
            if row[HANDED] > 0:
                reading[s, 0] = max(reading[s, 0], clock) + row[EVEN]
                reading[s, 1] = max(reading[s, 1], clock) + row[ODD]
                reading[s, 2] = max(reading[s, 2], clock) + row[HANDED]
                slot = max(slot, max(reading[s, 0], reading[s, 1], reading[s, 2]) - clock - QUEUED)
            follow = clock + max(row[STALL], pace)
            if tracked:
                # The bits of the code are for other hardware. A branch is decided at the end of the pipeline.
                follow = clock + max(1, slot, row[LATENCY] if unit == CONTROL else 0)
            pause = follow - clock - 1
            resolving = np.int64(0)
            if unit == CONTROL and not tracked and at[w] < end[w]:
                resolving = row[SYNCED] + (row[TAKEN] if pcs[at[w]] != pc + 1 else 0)
                follow += resolving
            result = 0.0
            operands = 0.0
            is_long = 0
            if act == PLAIN or (tracked and lanes[k] == 0):
                result = float(clock + row[LATENCY])
                operands = float(clock + 8)
            elif act == GLOBAL or act == SHARED:
                entry = max(float(clock) + 4.0, mio_in[s])
                mio_in[s] = entry + settings[S_MIO_ISSUE]
                turn = begun = max(entry, lsu_free)
                lsu_free = begun + 1.0
                q = which[k]
                if lanes[k] == 0:
                    # It takes its turn all the same (off_lds, off_sts, off_ldg of tests/machines/patterns.cu).
                    leave = start = max(begun, data_free)
                    data_free = start + 1.0
                    busy[B_DATA] += 1.0
                    result = start - 4.0 + (row[LATENCY] if act == SHARED else settings[S_L1_LATENCY])
                    operands = start + settings[S_READ_RELEASE]
                elif act == SHARED or q < 0 or (2 < requests[q, 2] < 6):
                    cost = float(max(1, costs[k])) * settings[S_WAVE]
                    # Another scheduler's go between those of a conflict.
                    alone = cost + max(0.0, cost - row[FREE]) * settings[S_BETWEEN]
                    begun = max(begun, port[s])
                    port[s] = begun + alone
                    leave = start = max(begun, data_free)
                    data_free = max(turn, data_free) + cost
                    busy[B_DATA] += cost
                    ends = max(data_free, begun + alone)
                    result = ends - 5.0 + row[LATENCY]
                    operands = start + settings[S_READ_RELEASE]
                    if settings[S_REPLAY] > 0.0:
                        slot += max(0, np.int64(cost) - row[FREE])
                else:
                    kind = requests[q, 2]
                    is_long = 1
                    first, sectors = requests[q, 4], requests[q, 5]
                    loads = kind == _LOAD or kind == _LOCAL_LOAD
                    cost = float(max(1, requests[q, 6]))
                    alone = steps = 1.0
                    if loads and not tracked:
                        cost = float(requests[q, 6] & 255)
                        alone = float(requests[q, 6] >> HITS & 255)
                        steps = float(max(1, requests[q, 6] >> TAGS))
                        # What lanes get leaves L1 with 128 bytes a clock, also where all get the same.
                        least = float((lanes[k] * row[FREE] + 31) // 32)
                        alone = max(alone, least)
                        cost = max(cost, alone)
                    cost *= settings[S_WAVE]
                    start = max(begun, data_free)
                    if loads and not tracked:
                        begun = max(begun, tags_free)
                        tags_free = begun + steps
                        start = max(begun, data_free)
                        data_free = max(begun, data_free) + alone
                        busy[B_DATA] += max(alone, steps)
                        ends = max(data_free, begun + alone + max(0.0, alone - row[FREE]) * settings[S_BETWEEN])
                        result = ends + steps - 6.0 + settings[S_L1_LATENCY]
                    else:
                        if not loads:
                            start = max(start, state[1] - settings[S_BACKLOG], state[2] - settings[S_BACKLOG])
                        data_free = start + cost
                        busy[B_DATA] += cost
                        result = start + cost - 5.0 + settings[S_L1_LATENCY]
                    leave = start
                    operands = start + settings[S_READ_RELEASE]
                    # Many sectors take longer to play than an instruction.
                    work += sectors // 8
                    if loads:
                        hits = result
                        if tracked:
                            # All lines are looked up before the first is read.
                            hits += min(float(lines_of(streams.sectors, first, sectors)), cost) - 1.0
                        result = read(kind, first, sectors, start, hits, around[pc] and kind == _LOAD, b, instance[w],
                                      instance[w] // sampled, issued, streams, reuse, apart, late, l1, l2, twins, state,
                                      settings, busy)
                        if result > hits:
                            if not tracked:
                                # What comes from L2 comes line by line.
                                data_free += cost - alone
                                busy[B_DATA] += cost - alone
                            if cost > _AT_ONCE:
                                # What was waited for is read when the last of it is there.
                                result = returned(returns, result, cost)
                    else:
                        same = stored[s] if stored_by[s] == w and stored_of[s] == instance[w] else -1
                        result = write(kind, first, sectors, start, result, b, instance[w], instance[w] // sampled,
                                       issued, same, streams, reuse, apart, l1, l2, written, seen, state,
                                       settings, busy)
                        stored[s], stored_by[s], stored_of[s] = q, w, instance[w]
                    final = max(final, state[1], state[2])
                    if kind == _LOAD and row[WRITE_BOARD] == 7:
                        copies[w] = max(copies[w], result)
                mio[s, mio_n[s] % 64] = leave
                mio_n[s] += 1
            elif act == CONSTANT:
                line = costs[k] // lay.CONSTANT_LINES
                missed = 0.0
                if line > 0:
                    missed = constant_wait(constants, 0 if unit == MIO else 1 + s, line, row[AUX], issued, float(clock),
                                           settings)
                if unit == MIO:
                    words = float(max(1, costs[k] % lay.CONSTANT_LINES))
                    begun = max(float(clock), constant_free)
                    constant_free = begun + words * settings[S_CONSTANT] + min(missed, settings[S_CONSTANT_HELD])
                    result = begun + row[LATENCY] + (words - 1.0) * settings[S_CONSTANT_AGAIN] + missed
                    operands = begun + 8.0
                    mio[s, mio_n[s] % 64] = begun
                    mio_n[s] += 1
                elif missed > 0.0:
                    # A uniform load waits for its line before it is issued.
                    stalls[pc, R_CONSTANT] += np.int64(missed)
                    follow += np.int64(missed)
                    result = float(clock + row[LATENCY]) + missed
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
                             LONG if is_long else SHORT if unit == MIO or unit == XU or unit >= SPECIAL else FIXED)
            board = row[WRITE_BOARD]
            if board < 6:
                clear[w, board] = max(clear[w, board], result)
                far[w, board] = is_long
                turn = ring_n[w, board]
                ring[w, board, turn % 8] = clear[w, board]
                ring_n[w, board] = turn + 1
            board = row[READ_BOARD]
            if board < 6:
                if operands > clear[w, board]:
                    clear[w, board] = operands
                    far[w, board] = 0

            # --- when the warp may issue again ---
            jumps = at[w] < end[w] and unit == CONTROL and pcs[at[w]] != pc + 1
            if at[w] >= end[w] and cut[instance[w] % sampled]:
                # What the warp does then was not recorded.
                busy[B_WARPS] += clock + 1 - born[w]
                budget = 0
                break
            if at[w] >= end[w]:
                busy[B_WARPS] += clock + 1 - born[w]
                nxt[w] = NEVER
                at_barrier[w] = -1
                left[b] -= 1
                if left[b] == 0:
                    # Blocks leave one after another, as they come.
                    leaves = max(float(clock), leaves + settings[S_LAUNCH])
                    final = max(final, leaves)
                    done[number[b]] = clock
                    finished += 1
                    clock_end = max(clock_end, clock)
                    number[b] = -1
                    arrived[b, :] = 0
                    if launched < count:
                        next_launch = max(float(clock) + settings[S_RESTART], next_launch)
                        begin(b, launched, next_launch, starts, tracked, warps, boards, blocks, sched_next)
                        next_launch += settings[S_LAUNCH]
                        launched += 1
                        if launched == count:
                            settings = after
            elif at_barrier[w] >= 0:
                nxt[w] = NEVER
                issued_at[w] = follow
                stalls[pcs[at[w]], R_WAIT] += pause
            else:
                following = pcs[at[w]]
                stalls[following, R_BRANCH if jumps else R_WAIT] += pause
                stalls[following, R_BRANCH] += resolving
                until, source = np.int64(follow), FIXED
                if tracked:
                    until, source = held_until(table, needs, clear, far, registers, sources, tracked, w, following,
                                               until)
                else:
                    # As ``held`` has it: a call for each instruction takes as long as the rest.
                    mask = table[following, WAIT_MASK]
                    for j in range(6):
                        if mask >> j & 1 and clear[w, j] > until:
                            until = np.int64(np.ceil(clear[w, j]))
                            source = LONG if far[w, j] else SHORT
                reason = R_LONG if source == LONG else R_SHORT if source == SHORT else R_WAIT
                stalls[following, reason] += until - follow
                nxt[w] = until
                due[w] = until

            # --- barriers that are complete ---
            if (act == BARRIER or act == ARRIVE or nxt[w] == NEVER) and left[b] > 0:
                go = np.int64(max(float(clock), barrier_free) + settings[S_BARRIER])
                pass_barriers(b, each, clock, go, act != ARRIVE, table, needs, tracked, pcs, warps, boards, blocks,
                              sched_next, stalls)
            # A branch that is taken costs its scheduler one more clock. Those behind the first no warp can use.
            free = clock + slot + (1 if at[w] < end[w] and unit == CONTROL and pcs[at[w]] != pc + 1 else 0)
            sched_next[s] = free
            if free > clock + 1:
                for v in range(s, size, schedulers):
                    if nxt[v] < free:
                        taken[v] += free - max(nxt[v], clock + 1)
    for w in range(size):
        if number[w // each] >= 0 and at[w] < end[w]:
            # Cut off while it waited: it has reasons until it could issue next, or came to its barrier.
            busy[B_WARPS] += (issued_at[w] if at_barrier[w] >= 0 else nxt[w]) - born[w]
    if finished < count:
        # What L2 and DRAM have taken on and not done by then.
        busy[B_L2] -= max(0.0, state[0] - clock_end)
        busy[B_L2_WRITE] -= max(0.0, state[1] - clock_end)
        busy[B_DRAM] -= max(0.0, state[2] - clock_end)
    return max(float(clock_end), final if finished == count else float(clock_end)), issued, finished


play = jit_into(FOLDER, _play)
