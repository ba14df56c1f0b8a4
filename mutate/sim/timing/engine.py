"""One SM, clock by clock where something happens: four schedulers, their units, L1, and its share of L2 and DRAM.

When an instruction issues, everything that it will do is known but for what others do in between: units, queues and
memory are servers that take requests in the order of issue. So an instruction's result has a time as soon as it issues,
and a warp's next issue is the latest of its stall count, its scoreboards and what it waits for.
"""

from __future__ import annotations

import numpy as np

from mutate.sim import layout as lay
from mutate.sim.jit import jit_into
from mutate.sim.timing import settings as p
from mutate.sim.timing import units as u
from mutate.sim.timing.banks import BACKED_UP, PARTS
from mutate.sim.timing.blocks import NEVER, begin, begin_more, left_over, let_go, pass_barriers
from mutate.sim.timing.code_cache import LINE_BITS, arrives
from mutate.sim.timing.combining import before, note
from mutate.sim.timing.constant_cache import COMING, lanes_wait, uniform_wait
from mutate.sim.timing.constants import CROWDED, GONE
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.hints import BYTES, COPIED, PLAIN, WHAT
from mutate.sim.timing.lines import HITS, TAGS, holds_up, lines_of
from mutate.sim.timing.operands import COUNT, goes_by, handed
from mutate.sim.timing.pending import joins
from mutate.sim.timing.rewritten import CROWD, counts, goes_with, loaded, loses
from mutate.sim.timing.scoreboard import FIXED, LONG, SHORT
from mutate.sim.timing.scoreboard import held as held_until
from mutate.sim.timing.scoreboard import written as note_written
from mutate.sim.timing.sectors import on_its_way, read
from mutate.sim.timing.servers import lines_with, returned, written_with
from mutate.sim.timing.slots import room_for
from mutate.sim.timing.sm import (
    F_BARRIER,
    F_CONSTANT,
    F_DATA,
    F_FINAL,
    F_LAUNCH,
    F_LEAVES,
    F_LSU,
    F_MATCH,
    F_SENT,
    F_TAGS,
    K_CLOCK,
    K_FINISHED,
    K_ISSUED,
    K_LAUNCHED,
    K_LINES,
    K_WORK,
    QUEUE,
)
from mutate.sim.timing.writing import write

_LOAD, _STORE, _ATOMIC = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC
_LOCAL_LOAD, _LOCAL_STORE = lay.H_LOCAL_LOAD, lay.H_LOCAL_STORE
# Wavefronts of a load that have no time of their own when its data comes back: those of neighbours.
_AT_ONCE = 4.0


def _play(table, needs, gives, streams, reuse, apart, late, hints, settings, after, sm, stop):
    """Plays ``S_BLOCKS`` blocks on from where an SM (``sm.Sm``) is; returns the clock at the end, 0 at a pause.

    It pauses when ``stop`` blocks have begun. ``after``: the settings from when the last of all has begun in place of
    another. ``streams`` and ``reuse``: of ``sampling``. The budget is in instructions, and eight sectors count as one.
    """
    pcs, which, costs, lanes, starts = streams.pc, streams.request, streams.cost, streams.on, streams.starts
    requests, cut = streams.requests, streams.cut
    resident = int(settings[p.S_RESIDENT])
    count = int(settings[p.S_BLOCKS])
    budget = int(settings[p.S_BUDGET])
    schedulers = int(settings[p.S_SCHEDULERS])
    queue = int(settings[p.S_QUEUE])
    sampled = starts.shape[0]
    each = starts.shape[1] - 1
    l1, l2, written, passing, twins, returns = sm.l1, sm.l2, sm.written, sm.passing, sm.twins, sm.returns
    state, known, stored, constants, code, pending = sm.state, sm.known, sm.stored, sm.constants, sm.code, sm.pending
    done, stalls, busy, marks = sm.told.done, sm.told.stalls, sm.told.busy, sm.told.marks
    pace, tracked = np.int64(settings[p.S_PACE]), settings[p.S_TRACKED] > 0.0
    warps, boards, blocks = sm.warps, sm.boards, sm.blocks
    size, block_of = len(warps.at), warps.block
    last_begun = count if stop < 0 else min(count, stop)
    at, end, nxt, due, born, taken = warps.at, warps.end, warps.nxt, warps.due, warps.born, warps.taken
    instance, issued_at, at_barrier, kept = warps.instance, warps.issued_at, warps.at_barrier, warps.kept
    clear, far, ring, ring_n, copies = boards.until, boards.far, boards.ring, boards.ring_n, boards.copies
    registers, sources = boards.registers, boards.sources
    number, left, arrived, shared = blocks.number, blocks.left, blocks.arrived, blocks.shared
    # Of the two u.FMA pipes: when each is free, and which was used last.
    dual = settings[p.S_DUAL] > 0.0
    ports, pipes, side, reading = sm.schedulers.ports, sm.schedulers.pipes, sm.schedulers.side, sm.schedulers.reading
    mio, mio_n, mio_in, port = sm.schedulers.mio, sm.schedulers.mio_n, sm.schedulers.mio_in, sm.schedulers.port
    last, sched_next = sm.schedulers.last, sm.schedulers.next
    register_reads = sm.schedulers.operands
    operands_wait = register_reads.at
    lone = settings[p.S_BARRIER_LONE] if each == 1 else 0.0
    several = int(settings[p.S_CONSTANT_COMING])
    far_code = settings[p.S_CODE_LINES] > 0.0
    clock = np.int64(0)
    barrier_free, lsu_free, tags_free = sm.free[F_BARRIER], sm.free[F_LSU], sm.free[F_TAGS]
    data_free, sent, constant_free = sm.free[F_DATA], sm.free[F_SENT], sm.free[F_CONSTANT]
    match_free, next_launch, leaves, final = sm.free[F_MATCH], sm.free[F_LAUNCH], sm.free[F_LEAVES], sm.free[F_FINAL]
    lines_out, launched, finished = sm.counts[K_LINES], sm.counts[K_LAUNCHED], sm.counts[K_FINISHED]
    issued, work, clock_end = sm.counts[K_ISSUED], sm.counts[K_WORK], sm.counts[K_CLOCK]
    if launched == 0:
        for b in range(min(resident, count)):
            room_for(b, launched, clock, settings[p.S_PLACES] > 0.0, not tracked, schedulers, warps, blocks)
            begin(b, launched, next_launch, starts, tracked, warps, boards, blocks, sched_next)
            next_launch += min(settings[p.S_LAUNCH], settings[p.S_LAUNCH_WARP] * each)
            launched += 1
        last_settings = launched == count
    else:
        last_settings = False
        if settings[p.S_PLACES] > 0.0:  # the play paused while blocks began
            launched, next_launch = begin_more(-1, clock_end, launched, last_begun, next_launch, starts, tracked, warps,
                                               boards, blocks, sched_next, settings)

    while finished < count and work < budget and launched != stop:
        if launched == count and not last_settings:
            if after[p.S_L2_WRITTEN] > settings[p.S_L2_WRITTEN]:
                l2 = lines_with(int(after[p.S_L2_LINES]), l2)
                written = written_with(int(after[p.S_L2_WRITTEN]), written)
            settings, last_settings = after, True
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
                    unit = table[pc, u.UNIT]
                    until = clock
                    if ports[s, unit] > clock:
                        until = ports[s, unit]
                        reason = p.R_MATH
                        if unit == u.MIO or unit == u.XU or unit >= u.SPECIAL:
                            reason = p.R_MIO
                        elif unit == u.CONTROL:
                            reason = p.R_DISPATCH
                    elif unit == u.MIO and (lanes[at[w]] > 0 or not tracked) and mio_n[s] >= queue and mio[
                            s, (mio_n[s] - queue) % QUEUE] > clock:
                        until = np.int64(np.ceil(mio[s, (mio_n[s] - queue) % QUEUE]))
                        reason = p.R_LG if table[pc, u.ACT] == u.GLOBAL else p.R_MIO
                    elif table[pc, u.ACT] == u.CONSTANT and unit != u.MIO:
                        # Whoever issues: a uniform load has its line before it can be chosen.
                        line = max(table[pc, u.LINE], costs[at[w]] // lay.CONSTANT_LINES)
                        missed = uniform_wait(constants, 1 + s, line, table[pc, u.AUX], float(clock), settings)
                        until += np.int64(np.ceil(missed))
                        reason = p.R_CONSTANT
                    if until > clock:
                        stalls[pc, reason] += until - clock
                        stalls[pc, p.R_NOT_SELECTED] += clock - nxt[w] - taken[w]
                        stalls[pc, p.R_DISPATCH] += taken[w]
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
            act = row[u.ACT]
            if costs[k] >= lay.CONSTANT_MORE:
                # Of the lines that lanes want one after another is looked up, and waited for.
                missed = 0.0
                while costs[k] >= lay.CONSTANT_MORE and missed <= 0.0:
                    line = (costs[k] - lay.CONSTANT_MORE) // lay.CONSTANT_LINES
                    if act == u.CONSTANT:
                        missed = lanes_wait(constants, line, several, issued, float(clock), settings)
                    if missed <= 0.0:
                        k += 1
                at[w] = k
                if missed > 0.0:
                    until = clock + np.int64(np.ceil(missed))
                    stalls[pc, p.R_NOT_SELECTED] += clock - nxt[w] - taken[w]
                    stalls[pc, p.R_DISPATCH] += taken[w]
                    stalls[pc, p.R_SHORT] += until - clock
                    taken[w] = 0
                    nxt[w] = due[w] = until
                    sched_next[s] = clock + 1
                    continue
            unit = row[u.UNIT]
            b = block_of[w]
            stalls[pc, p.ISSUED] += 1
            stalls[pc, p.R_NOT_SELECTED] += clock - nxt[w] - taken[w]
            stalls[pc, p.R_DISPATCH] += taken[w]
            taken[w] = 0
            if work < budget:
                part = work * len(marks) // budget
                marks[part, 0], marks[part, 1] = clock, issued
            issued += 1
            work += 1
            busy[p.B_ISSUE] += 1
            part = 0.5 if unit == u.HEAVY or unit == u.HALF else 1.0
            busy[u.MIO if unit >= u.SPECIAL else u.FMA if unit >= u.HEAVY else unit] += part * row[u.INTERVAL]
            ports[s, unit] = clock + row[u.INTERVAL]
            behind = np.int64(0)
            if unit == u.XU and not tracked:
                # One may be issued when the one before is half done (`64 ffma, 8 mufu` of h200_handed_over.csv).
                behind = max(np.int64(0), reading[s, 5] - clock)
                reading[s, 5] = clock + behind + row[u.INTERVAL]
                ports[s, unit] = max(clock + 1, reading[s, 5] - row[u.INTERVAL] // 2)
            if dual and (unit == u.FMA or unit == u.HEAVY or unit == u.PAIR):
                # FP32 takes the pipe that was not used last.
                if unit == u.PAIR:
                    pipes[s, 0] = pipes[s, 1] = clock + row[u.INTERVAL]
                elif unit == u.HEAVY:
                    side[s] = 0
                    pipes[s, 0] = clock + row[u.INTERVAL]
                else:
                    side[s] = 1 - side[s]
                    pipes[s, side[s]] = clock + 2 * row[u.INTERVAL]
                ports[s, u.FMA], ports[s, u.HEAVY] = pipes[s, 1 - side[s]], pipes[s, 0]
                ports[s, u.PAIR] = max(pipes[s, 0], pipes[s, 1])
            at[w] = k + 1
            slot = row[u.SLOT]
            if row[u.READS] > 0 and lanes[k] > 0:
                # Without lanes nothing is read (`3 ffma, -sts` of h100_off.csv: 1.04 clocks, with lanes 1.41).
                reading[s, 0] = max(reading[s, 0], clock) + row[u.EVEN]
                reading[s, 1] = max(reading[s, 1], clock) + row[u.ODD]
                before_it = reading[s, 2]
                by = max(before_it, clock)
                if row[u.READS] == u.ARITHMETIC:
                    even, odd = row[u.EVEN] > 0, row[u.ODD] > 0
                    by = max(by, reading[s, 0] - 1 if even else by, reading[s, 1] - 1 if odd else by)
                    if operands_wait[s, COUNT] > 0:
                        by = goes_by(register_reads, s, by, even, odd)
                elif row[u.HANDED] + row[u.HANDED_ODD] > 0:
                    handed(register_reads, s, by, row[u.HANDED], row[u.HANDED_ODD], row[u.READS] == u.LOADS)
                reading[s, 2] = by + 1
                # The next one comes where the one before this has been.
                slot = max(slot, before_it - clock)
                reading[s, 3] = max(reading[s, 3], PARTS * clock) + row[u.WRITES]
                reading[s, 4] = max(reading[s, 4], PARTS * clock) + row[u.WRITES] + row[u.BESIDE]
                if row[u.WRITES] == PARTS:
                    slot = max(slot, reading[s, 4] // PARTS - clock - BACKED_UP)
                # What another warp's instruction has come between is not kept.
                slot += row[u.KEPT] if last[s] != w else 0
            last[s] = -1 if row[u.YIELDS] else w
            follow = clock + max(row[u.STALL], pace)
            if tracked:
                # The bits of the code are for other hardware. A branch is decided at the end of the pipeline.
                follow = clock + max(1, slot, row[u.LATENCY] if unit == u.CONTROL else 0)
            pause, resolving = follow - clock - 1, np.int64(0)
            if unit == u.CONTROL and not tracked and at[w] < end[w]:
                # One that parts the warp costs no more where it is taken first (split of tests/machines/diverge.cu).
                parts = row[u.SYNCED] == 0 and lanes[k] < lanes[k - 1]
                resolving = row[u.SYNCED] + (row[u.TAKEN] if pcs[at[w]] != pc + 1 and not parts else 0)
                follow += resolving
            result, operands, is_long = 0.0, 0.0, 0
            if act == u.PLAIN or (tracked and lanes[k] == 0):
                result = float(clock + row[u.LATENCY])
                operands = float(clock + 8)
            elif act == u.GLOBAL or act == u.SHARED:
                entry = max(float(clock) + 4.0, mio_in[s])
                mio_in[s] = entry + settings[p.S_MIO_ISSUE]
                turn = begun = max(entry, lsu_free)
                lsu_free = begun + 1.0
                q = which[k]
                if lanes[k] == 0:
                    # It takes its turn all the same (off_lds, off_sts, off_ldg of tests/machines/patterns.cu).
                    leave = start = max(begun, data_free)
                    data_free = start + 1.0
                    busy[p.B_DATA] += 1.0
                    result = start - 4.0 + (row[u.LATENCY] if act == u.SHARED else settings[p.S_L1_LATENCY])
                    operands = start + settings[p.S_READ_RELEASE]
                elif act == u.SHARED or q < 0 or (2 < requests[q, 2] < 6):
                    shared[b] = 1
                    cost = float(max(1, costs[k])) * settings[p.S_WAVE]
                    # Another scheduler's go between those of a conflict.
                    alone = cost + max(0.0, cost - row[u.FREE]) * settings[p.S_BETWEEN]
                    begun = max(begun, port[s])
                    port[s] = begun + alone
                    leave = start = max(begun, data_free)
                    data_free = max(turn, data_free) + cost
                    busy[p.B_DATA] += cost
                    ends = max(data_free, begun + alone)
                    # What it brings waits for its way to the registers.
                    result = ends - 5.0 + row[u.LATENCY] + max(0, reading[s, 3] // PARTS - clock - 1)
                    operands = start + settings[p.S_READ_RELEASE]
                    slot += max(0, np.int64(cost) - row[u.FREE]) if settings[p.S_REPLAY] > 0.0 else 0
                else:
                    kind, first, sectors, is_long = requests[q, 2], requests[q, 4], requests[q, 5], 1
                    loads = kind == _LOAD or kind == _LOCAL_LOAD
                    cost = float(max(1, requests[q, 6]))
                    alone = steps = 1.0
                    if loads and not tracked:
                        cost = float(requests[q, 6] & 255)
                        alone = float(requests[q, 6] >> HITS & 255)
                        steps = float(max(1, requests[q, 6] >> TAGS))
                        # What lanes get leaves L1 with 128 bytes a clock, also where all get the same.
                        least = float((lanes[k] * row[u.FREE] + 31) // 32)
                        alone = max(alone, least)
                        cost = max(cost, alone)
                        if kind == _LOAD and row[u.WRITE_BOARD] == 7:
                            # A copy is written to shared memory; around L1 that is all (ncu's wavefronts of async.cu).
                            around = hints[pc] & WHAT == COPIED
                            alone, cost = least + (0.0 if around else alone), least + (0.0 if around else cost)
                    cost *= settings[p.S_WAVE]
                    start = max(begun, data_free)
                    if loads and not tracked:
                        turn = max(begun, tags_free, sent)
                        tags_free = turn + steps
                        # Another scheduler's go between, as of shared memory (stored_ahead: 64 clocks for 32 of one).
                        begun = max(turn, port[s])
                        port[s] = begun + alone + max(0.0, alone - row[u.FREE]) * settings[p.S_BETWEEN]
                        start = max(begun, data_free)
                        data_free = max(turn, data_free) + alone
                        busy[p.B_DATA] += max(alone, steps)
                        ends = max(data_free, port[s])
                        result = ends + steps - 6.0 + settings[p.S_L1_LATENCY]
                    else:
                        if not loads:
                            start = max(start, state[1] - settings[p.S_BACKLOG], state[2] - settings[p.S_BACKLOG])
                        data_free, there = start + cost, 0
                        if kind == _STORE and not tracked:  # no load and no store goes by it meanwhile
                            start, there = on_its_way(first, sectors, max(start, tags_free), size, b,
                                                      instance[w] // sampled, streams, reuse, apart, l1, settings)
                            tags_free = start
                            data_free = start + cost if resident * each > CROWDED else data_free
                            start = max(start, port[s])
                            port[s] = start + cost + max(0.0, cost - row[u.FREE]) * settings[p.S_BETWEEN]
                        busy[p.B_DATA] += cost
                        result = start + cost - 5.0 + settings[p.S_L1_LATENCY]
                    leave = start
                    operands = start + settings[p.S_READ_RELEASE]
                    # Many sectors take longer to play than an instruction.
                    work += sectors // 8
                    if loads:
                        loaded(stored, streams, w, q)
                        hits = result
                        if tracked:
                            # All lines are looked up before the first is read.
                            hits += min(float(lines_of(streams.sectors, first, sectors)), cost) - 1.0
                        hint, asked = hints[pc] & WHAT if kind == _LOAD else PLAIN, busy[p.N_L2_READ]
                        result, coming, full = read(kind, first, sectors, start, hits, hint, b, instance[w],
                                              instance[w] // sampled, issued, streams, reuse, apart, late, l1, l2,
                                              passing, twins, pending, known, state, settings, busy)
                        if result > hits:
                            if not tracked:
                                taken_up = row[u.AUX] if busy[p.N_L2_READ] == asked else 0
                                waits, result = joins(pending, start, result, taken_up)
                                tags_free, leave = tags_free + waits, max(leave + waits, full)
                                cost = min(cost, alone + coming)  # what comes from L2 comes line by line
                                data_free += cost - alone
                                busy[p.B_DATA] += cost - alone
                            if cost > _AT_ONCE:
                                # What was waited for is read when the last of it is there.
                                result = returned(returns, result, cost)
                    else:
                        place, same, wrote = 0, np.int64(-1), lines_of(streams.sectors, first, sectors)
                        if kind == _STORE:
                            place = before(stored, streams, w, q, instance[w])
                            passed, same = goes_with(stored, streams, place, q, instance[w], there, wrote, due[w],
                                                     clock, lines_out, row[u.FREE] == 4, state[1] - start,
                                                     resident * each <= CROWDED)
                        result = write(kind, first, sectors, start, result, row[u.WRITE_BOARD] < 6, hints[pc] & WHAT, b,
                                       instance[w], instance[w] // sampled, issued, same, w, lanes[k], streams, reuse,
                                       apart, l1, l2, passing, written, known, state, settings, busy)
                        if kind == _STORE:
                            # Where many are before it, others come between (stored_ahead, 8 warps and 6).
                            if passed > 0 and not (mio_n[s] >= CROWD and mio[s, (mio_n[s] - CROWD) % QUEUE] > clock):
                                loses(streams, passed, q, reuse, apart, b, instance[w] // sampled, l1)
                            note(stored, streams, place, q, instance[w], clock, lines_out, wrote, lanes[k],
                                 hints[pc] >> BYTES, start, max(state[1], start), same >= 0, counts(stored, streams, q))
                        lines_out += wrote
                        if kind == _STORE and holds_up(streams.sectors, first, sectors):
                            sent = state[3]
                    final = max(final, state[1] if loads else state[1] + settings[p.S_DRAIN], state[2])
                    if kind == _LOAD and row[u.WRITE_BOARD] == 7:
                        copies[w] = max(copies[w], result)
                mio[s, mio_n[s] % QUEUE] = leave
                mio_n[s] += 1
            elif act == u.CONSTANT:
                if unit == u.MIO:
                    line = max(row[u.LINE], costs[k] // lay.CONSTANT_LINES)
                    missed = lanes_wait(constants, line, COMING + 1, issued, float(clock), settings)
                    words = float(max(1, costs[k] % lay.CONSTANT_LINES))
                    begun = max(float(clock), constant_free)
                    constant_free = begun + words * settings[p.S_CONSTANT] + min(missed, settings[p.S_CONSTANT_HELD])
                    result = begun + row[u.LATENCY] + (words - 1.0) * settings[p.S_CONSTANT_AGAIN] + missed
                    operands = begun + 8.0
                    mio[s, mio_n[s] % QUEUE] = begun
                    mio_n[s] += 1
                else:
                    # All others have waited for their line before they are issued.
                    result = float(clock + row[u.LATENCY])
                    operands = float(clock + 8)
            elif act == u.MATCHED:
                keys = float(max(1, costs[k]))
                begun = max(float(clock), match_free)
                match_free = begun + keys * settings[p.S_MATCH]
                result = begun + row[u.LATENCY] + (keys - 1.0) * settings[p.S_MATCH_AGAIN]
                operands = begun + 8.0
                mio[s, mio_n[s] % QUEUE] = begun
                mio_n[s] += 1
            elif act == u.COMMIT:
                result = max(copies[w], float(clock + row[u.LATENCY]))
                is_long = 1
            elif act == u.DEPBAR:
                board, allowed = row[u.AUX] >> 8, row[u.AUX] & 255
                if board < 6 and ring_n[w, board] > allowed:
                    index = ring_n[w, board] - 1 - allowed
                    if index >= ring_n[w, board] - 8:
                        until = np.int64(np.ceil(ring[w, board, index % 8]))
                        if until > follow:
                            stalls[pc, p.R_LONG] += until - follow
                            follow = until
            elif act == u.BARRIER or act == u.ARRIVE:
                bar = min(row[u.AUX], 15)
                arrived[b, bar] += 1
                barrier_free = max(float(clock), barrier_free) + settings[p.S_BARRIER_EACH] + lone
                if act == u.BARRIER:
                    at_barrier[w] = bar
            else:
                result = float(clock + behind + row[u.LATENCY])
                operands = float(clock + 8)

            # --- scoreboards ---
            if tracked:
                near = SHORT if unit == u.MIO or unit == u.XU or unit >= u.SPECIAL else FIXED
                note_written(gives, registers, sources, w, pc, result, LONG if is_long else near)
            board = row[u.WRITE_BOARD]
            if board < 6:
                far[w, board] = is_long if result >= clear[w, board] else far[w, board]
                clear[w, board] = max(clear[w, board], result)
                turn = ring_n[w, board]
                ring[w, board, turn % 8] = clear[w, board]
                ring_n[w, board] = turn + 1
            board = row[u.READ_BOARD]
            if board < 6:
                if operands > clear[w, board]:
                    clear[w, board] = operands
                    far[w, board] = is_long

            # --- when the warp may issue again ---
            jumps = at[w] < end[w] and unit == u.CONTROL and pcs[at[w]] != pc + 1
            if at[w] >= end[w] and cut[instance[w] % sampled]:
                # What the warp does then was not recorded.
                busy[p.B_WARPS] += clock + 1 - born[w]
                budget = 0
                break
            if at[w] >= end[w]:
                busy[p.B_WARPS] += clock + 1 - born[w]
                nxt[w] = NEVER
                at_barrier[w] = -1
                left[b] -= 1
                block_of[w], warps.gone[w] = -1, clock + GONE
                if left[b] == 0:
                    # Blocks leave one after another, as they come.
                    leaves = max(float(clock), leaves + settings[p.S_LAUNCH])
                    final = max(final, leaves)
                    done[number[b]] = clock
                    finished += 1
                    clock_end = max(clock_end, clock)
                    number[b] = -1
                    arrived[b, :] = 0
                    for v in blocks.slots[b]:
                        warps.gone[v] = min(warps.gone[v], clock)
                    if launched < count:
                        launched, next_launch = begin_more(b, clock, launched, last_begun, next_launch, starts, tracked,
                                                           warps, boards, blocks, sched_next, settings)
            elif at_barrier[w] >= 0 and not table[pcs[at[w]], u.PASSES]:
                nxt[w] = NEVER
                issued_at[w] = follow
                stalls[pcs[at[w]], p.R_BRANCH if jumps else p.R_WAIT] += pause
                stalls[pcs[at[w]], p.R_BRANCH] += resolving
            else:
                following = pcs[at[w]]
                stalls[following, p.R_BRANCH if jumps else p.R_WAIT] += pause
                stalls[following, p.R_BRANCH] += resolving
                if kept[w] > follow and not table[following, u.PASSES]:
                    stalls[following, p.R_BARRIER] += kept[w] - follow
                    follow = kept[w]
                if far_code and following >> LINE_BITS != pc >> LINE_BITS:
                    until = np.int64(arrives(code, s, following >> LINE_BITS, float(follow), settings))
                    stalls[following, p.R_NO_INSTRUCTION] += until - follow
                    follow = until
                until, source = np.int64(follow), FIXED
                if tracked:
                    until, source = held_until(table, needs, clear, far, registers, sources, tracked, w, following,
                                               until)
                else:
                    # As ``held`` has it: a call for each instruction takes as long as the rest.
                    mask = table[following, u.WAIT_MASK]
                    for j in range(6):
                        if mask >> j & 1 and clear[w, j] > until:
                            until = np.int64(np.ceil(clear[w, j]))
                            source = LONG if far[w, j] else SHORT
                reason = p.R_LONG if source == LONG else p.R_SHORT if source == SHORT else p.R_WAIT
                stalls[following, reason] += until - follow
                nxt[w] = until
                due[w] = until

            # --- barriers that are complete ---
            if (act == u.BARRIER or act == u.ARRIVE or nxt[w] == NEVER) and left[b] > 0:
                go = np.int64(max(float(clock), barrier_free) + settings[p.S_BARRIER] - lone)
                if pass_barriers(b, clock, go, act != u.ARRIVE, table, needs, tracked, pcs, warps, boards, blocks,
                                 sched_next, stalls) > 0 and shared[b] > 0:
                    shared[b] = 0
                    data_free = max(data_free, float(clock)) + settings[p.S_BARRIER_DATA] + (
                        settings[p.S_BARRIER_DATA_WARP] * left[b])
            # A branch that is taken costs its scheduler one more clock. Those behind the first no warp can use.
            free = clock + slot + (1 if at[w] < end[w] and unit == u.CONTROL and pcs[at[w]] != pc + 1 else 0)
            sched_next[s] = free
            if free > clock + 1:
                for v in range(s, size, schedulers):
                    if nxt[v] < free:
                        taken[v] += free - max(nxt[v], clock + 1)
    sm.free[F_BARRIER], sm.free[F_LSU], sm.free[F_TAGS] = barrier_free, lsu_free, tags_free
    sm.free[F_DATA], sm.free[F_SENT], sm.free[F_CONSTANT] = data_free, sent, constant_free
    sm.free[F_MATCH], sm.free[F_LAUNCH], sm.free[F_LEAVES], sm.free[F_FINAL] = match_free, next_launch, leaves, final
    sm.counts[K_LINES], sm.counts[K_LAUNCHED], sm.counts[K_FINISHED] = lines_out, launched, finished
    sm.counts[K_ISSUED], sm.counts[K_WORK], sm.counts[K_CLOCK] = issued, work, clock_end
    if launched == stop and finished < count and work < budget:
        return 0.0
    left_over(warps, busy, state, clock_end, finished < count)
    return max(float(clock_end), final if finished == count else float(clock_end))


play = jit_into(FOLDER, _play)
