"""What the model of time needs and no machine file says. Each value names its source or is called a guess.

None is from the samples.
"""

from __future__ import annotations

SCATTERED = "tests/machines/reference/h200_scattered.csv: made by tests/machines/scattered.cu on an H200"
"""The source of values that name a row of it. In clocks of one SM, so that they can stand for other machines.

As the .cu files say, made in tests/machines by nvcc -O3 -arch=sm_90 -o scattered scattered.cu; ./scattered (or caches).
"""
CACHES = "tests/machines/reference/h200_caches.csv: made by tests/machines/caches.cu on an H200"
# "Calibration": what `kmutate calibrate` measured on that GPU on 2026-11-21 (tests/machines/reference/
# h200_calibration.json), by its name in h200.toml; taken where the machine file has no value.
_PER_NS = 132 * 1.98
"""Clocks of all SMs in a nanosecond."""

SLICES = 96.0
"""Slices of the H200's L2, of which ``READ_LINE``, ``WRITE_LINE``, ``ATOMIC_SECTOR`` and ``ATOMIC_PACKET`` are.

The H100 has 80, each as fast: 122 to 128 reads of lines a ns by ncu's lts__t_tag_requests (quads of
tests/machines/buckets.cu), additions at random 0.83 as many (tests/machines/reference/h100_adds.csv). Old values come
back as often (swaps.cu: 66 a ns).
"""
READ_LINE = _PER_NS / 150.1
"""Least clocks of an SM between its look-ups for reads in L2: of different lines (read_1_16MB), or, of copies around L1

to shared memory, of different halves of them (copied of tests/machines/async.cu, an H100's).
"""
WRITE_LINE = _PER_NS / 76.3
"""Least clocks of an SM between its writes to different lines in L2 (write_1_16MB)."""
CROSSED = 14.0 * _PER_NS / 1000.0
"""Clocks more for a sector in part that blocks on other SMs write the rest of at the same time, where they have not

written it before (shared_parts<2> of tests/machines/halves.cu: 11, 13 and 22 ps; offset_tiles<0> of offsets.cu, 5 and
6: 15; of a sector that they have written before 2 to 8, and 3 of one whose rest a warp of the block writes: none is
taken), and most of what a block writes are whole ones: of nothing but parts many go together (permuted_stores 1 of
permuted.cu, near_writes 0 of nearby.cu).
"""
LOCAL_LINE = 4.5
"""As ``WRITE_LINE``, of local memory, where a store writes a part of a line (own_words of tests/machines/locals.cu on

an H100: by ncu's requests 56 lines of one sector a ns, 38 of two, 23 of four; kept_locally of threads.cu on an H200,
7 % more). SMs that are few have more: 4 or 16 take 2.1 clocks each, as their ports do (some_words of stacks.cu).
"""
WRITE_BYTES, WRITTEN_AGAIN_BYTES, FILLED_BYTES = 17.1, 15.85, 16.6
"""Bytes that each of all SMs writes to the H200's L2 in a clock, 4.5 a ns in all (an H100 less: l2.write_bandwidth)

(once<0> of tests/machines/sizes.cu and stream<0> of fills.cu, to 67 MB: 4.4 to 4.7); those that it writes
where it has written before (l2_write_132_sms has 16.2; less, with apart_stores of stores.cu, 12, in view); those that
come there from DRAM, and go through the same.
"""
OLDER_WRITE_BYTES, OLDER_LOADED_WRITES = 16.2, 650.0
"""The same, and ``LOADED_WRITES``, of GPUs before Volta: guesses (an H200's by l2_write_132_sms, and fit_streams)."""
HOT_LINE, HOT_SLOW, COLD_LINE = 0.151 * 1.98, 0.297 * 1.98, 0.292 * 1.98
"""Clocks that a load of a line around L1 takes where L2 has it: of one that all SMs load, the same if it is volatile

or there are atomic operations on the line, and of one that no others load.

tests/machines/words.cu and hot.cu: 1.081 M loads of one line take 162 us, 4.325 M of two quarters of a KB 654, and
volatile ones, or with a compare and swap now and then, 320 instead of 162 (hot_words, hot_lines, hot_and_changed);
where a line's loads are one of 32 of a slice's, each is as long as any other, a slice's clock of 1.71 GHz (hot_among).
"""
HOT_CHANGED, HOT_ALONE = 6.4 * 1.98, 0.877 * 1.98
"""Clocks that an atomic operation on such a line adds, up to so many for each load, which then is on its own.

tests/machines/words.cu: 16,900 of any kind take 112 us more, 4,200 of them 28 (hot_among_changed), fewer where they
come together (hot_and_changed 4). The most is a guess: a load for itself takes 1.5 of a slice's clocks more.
"""
READ_PORT, WRITE_PORT = 117.7, 32.0
"""Bytes a clock that an SM alone reads from L2 and writes to it (calibration: l2.sm_read, l2.sm_write; of reads the

recording has 114.6, 117.7 was an earlier run's).
"""
READ_LINE_PORT = 1.0
"""Clocks of an SM alone for a line of which it reads a sector from L2 (tests/machines/reference/h200_mixed.csv, 7, 22

and 29: 9600, 2400 and 4800 loads of 32 such lines in 156, 40 and 78 us).
"""
ATOMIC_SECTOR = _PER_NS / 103.0
"""Clocks of an SM between its additions to different sectors in L2 (add_1_16MB)."""
ADDS = "tests/machines/reference/h200_adds.csv: made by tests/machines/adds.cu on an H200, with ncu's counts"
"""The source of values that name it."""
ATOMIC_SAME, ATOMIC_WHOLE = 1.98 / 1.3666, 1.98 * 0.61
"""Clocks of the whole GPU for a sector of additions at one place in L2 (add_one_word; ADDS, float_adds: 0.70 to

0.75 ns), and for one to all words of which a warp adds (ADDS, row_adds<int>, 15 to 19, row_gives, 5 and 6: 0.60 to

0.64 ns).
"""
ATOMIC_PORT = 1.27
"""Clocks of an SM between sectors of additions that it sends to L2, when it is alone (ADDS, shared_adds<int>, 17 to 19:

16384 sectors in 10.5 us).
"""
ATOMIC_PACKET, ATOMIC_PACKET_WORD = _PER_NS / 64.0, _PER_NS / 85.0
"""Clocks of an SM between additions of several words of a line (ADDS, shared_adds<float>, 2 and 3, run_adds, 6 and 10,

turn_adds<float>, 4 and 8: 63 to 65 a ns), and between those of lanes that go one after another at one word
(shared_adds<float>, 4 and 7, turn_adds<float>, 14: 78 to 87; at different lines 102: run_adds, 4).
"""
ATOMIC_PACKET_PORT = 2.1
"""The same of several words and an SM alone (ADDS, turn_adds<float>, 31, 36 and 37: 2.1 to 2.4)."""
ATOMIC_STAYS = 0.15
"""By how much of both they take longer where warps stay at a place for e additions in a row (ADDS, turn_adds<float>, 3

to 6: 61 packets a ns where each is elsewhere, then 55, 44 and 37 where 3, 12 and 60 are at one place; 14: 57 of 77).
"""
ATOMIC_SUM, ATOMIC_TURNS, ATOMIC_TURNED = 1.98 * 1.757, 16, 1.4
"""Those between additions of floats to one word or in one sector (ADDS, float_adds; in_turn<2, float>, 0 to 2, of

tests/machines/sums.cu), how many sectors of a place take turns where none is waited for (float_adds, 3 and 4), and by
which power what is waited for falls to that (in_turn<WORDS, float> 8 words apart: 1.38, 1.11 and 0.92 ns each of 2, 4
and 8, where ``ATOMIC_SAME`` alone would be 0.73).
"""
ATOMIC_STEP = 64
"""Blocks that are at the same sector where each goes from one to the next: of n times as many it is as if the root of n

sectors took turns (strip_sums of tests/machines/sums.cu: 2.1 and 1.9 ns for a sum where 32 and 64 blocks next to each
other add, 1.1 where 512 do, 1.0 to 1.2 where 64 do that are spread over a grid of 2048, 0.9 of 512).
"""
ATOMIC_GIVES = _PER_NS / 72.0
"""Clocks of an SM between additions to different sectors whose old values are wanted (ADDS, row_gives: 69 to 74 a ns).
"""
HELD_UP, LOOKED_UP_AGAIN = 265 * 1.98, 1.5
"""Clocks for which an atomic operation holds up loads of its sector, and look-ups more of a load that is.

A warp's load and swap of 32 words of a table of 1 << 16 take 230 ns longer than a load in one and a swap in another, of
1 << 18 156, of 1 << 20 69, and one lane's no longer (changed_words<2> and <8> of tests/machines/changed.cu, 512 steps):
as the sectors tell that all SMs have swaps on their way to for so long; 260 and 280 ns fit as well, and the loads of
unions<1> in meets.cu the less. With 64 warps on an SM 261 us, and 165 in two.
"""
ATOMIC_PARTS, ATOMIC_APART = 85, 8
"""Parts of L2 that add, and so many places that each is in another part.

Of all sectors the busiest part has, by ncu (ADDS: lts__d_atomic_input_cycles_active.max), those of 256 bytes, a half of
512 and of 1 KB, a quarter of 2 KB, a 16th of 8 KB, a 32nd of 16 KB, a 64th of 64 KB, an 85th of 256 KB: two quarters of
a KB are in one part, the others in another. Up to 4 KB the busiest one's time is all; of more it has 1.2 to 1.3 times
as much to do as the words alone say, as if it had a share of all others. 32 KB lie in no more parts than 16 do, and
take 23 % longer than that (spread_adds 7).
"""
ROW_BROKEN, ROW_LONG = 99.0, 13.4
"""Clocks that it takes at most where an addition that waits for DRAM comes between those at one place, and how many

would have gone in the row where it takes half as many (tests/machines/tallies.cu: a counter of the grid beside what is
added to or swapped at random: 2.0 to 4.4 ns each where the table is not in L2; where L2 has it 0.75, as alone).
"""
READ_SHARE, STORE_PART_SHARE = 0.58, 1.83
"""Clocks of a part of L2 for a sector that is read, or stored in part, while additions at one place wait for it

(tallies<1, 1> and <4, 1> on an H100: 117 and 170 us beside loads and stores at random, 99 alone).
"""
FETCHED_SHARE = 2.0
"""Those for a line of a request that DRAM has to read first (tests/machines/finds.cu on an H100, 131,000 additions by

warps beside loads at random: 1.4 to 2.0 from 32 and 64 MB, 2.7 to 4 from 256, which is not understood).
"""
TURN, TURN_IN_PART, TURN_FETCHED = 1.98 / 1.683, 1.55, 2.2
"""Clocks of an SM for one of L2: a part of it adds at a place, or reads or stores a sector, once in that; turns for a

sector that is stored in part, and for a line of which DRAM reads hardly anything, fewer the more it reads
(counted.cu and reference/h200_counted_parts.csv of tests/machines, clocks and sectors of the part that adds: 32,768
additions and 45,000 sectors that L2 has take 76,300 turns, 65,536 and 133,000 190,000; 44,000 each of another line, of
64 and 128 MB, 78,000 and 90,000 beside additions that take ``ATOMIC_SAME``; 87,000 in a row from DRAM 104,000 and
77,000 beside 131,000 and 65,500 of read_on<0, 1> and <0, 8> of finds.cu, as many stored the same). Random sectors of
256 MB or more take 140,000, and differ by a tenth from run to run, which is not understood.
"""
HOT_BESIDE = 8.0
"""The power by which clocks of a hot place and of all else come together (tallies<1, 1>, 2: 54 us of 37 and 45; of

appends<4>, 1: 23 of 22 and 15).
"""
STORE_PLACE = 9
"""Stores to addresses that agree but for so many last bits go one after another (hot_stores)."""
STORE_SAME = 1.98 * 1.1
"""Clocks of the whole GPU between them (hot_stores to 64 places, hot_flag and hot_branch to 32 of
tests/machines/patterns.cu: 1.08, 1.28 and 1.10 ns).
"""
STORE_MERGED = 20.0
"""An SM that stores to one place more often than once in so many clocks sends most of its stores there together

(hot_flag to one place: once in 6 clocks, and no time beside that of other stores). A guess between that and none."""
STORE_WAITS, STORE_BESIDE, STORE_BUSY, STORE_FEW = 200.0, 1.25, 0.3, 0.12
"""Clocks for which a store to such a place waits for others of its SM to go with it where its part of L2 is busy, how

much longer all else there takes beside them (flagged of tests/machines/counted.cu and h200_counted_parts.csv: of stores
that an SM has 171, 266, 347, 442, 641 and 944 turns after each other 50, 64, 69, 75, 75 and 89 % come there); from
which part of the time on it is called busy; which part those stores may take that hold up nobody. The last two are
guesses, and the last was made when judging kernels had come out 80 % too slow without it: it wants a microbenchmark.
"""
LONE = _PER_NS / 40.85 * (4533 / 1.98 / 132) / 32
"""A read of 32 bytes from DRAM of which nobody reads the other half of 64, against one in a stream (read_1_2048MB)."""
UPDATES = "tests/machines/reference/h200_update_sectors.csv: made by tests/machines/updates.cu on an H200 with ncu"
"""The source of values that name it; their times are in h200_updates.csv."""
PART = 3.25
"""A write to DRAM of a lone sector that was added to or written in part, against one in a stream (it was read before).

Fitted, with what follows: the times of random_stores, random_adds and random_pairs, to 1 to 512 MB.
"""
PART_WAITS = 5000.0
"""Clocks of DRAM's work for sectors that an SM has written in part which L2 puts off: about 40,000 lines of all SMs

(UPDATES, random_stores: of the sectors of 4 MB hardly one is read, of 8 MB a third).
"""
UPDATED = 1.15
"""What L2 holds of sectors that are added to or stored at random, against what it holds of reads (UPDATES: additions

and stores to 64 MB that read from DRAM again).
"""
DIRTY, DIRTY_ADDED, PARTLY = 0.7, 0.5, 0.25
"""Parts of L2: lines that were stored to, and lines that were added to, which it writes back when there are more of

them (UPDATES, 32 MB: after a sixth and a half of all writes); those with a sector of which it has a part only (of the
sectors of 8 MB a third is read from DRAM, of 16 MB 80 %, of 32 MB 92 %).
"""
WRITTEN_AGAIN, WRITTEN_AGAIN_READ = 0.85, 0.5
"""The part of writes at random to a sector that the block has just written that L2 writes back once more, against the

first; and where it had read it before that (claim_places<2> and <4> of tests/machines/tables.cu: 5.55 M of 6.27 M and
3.14 M of 6.13 M, reference/h100_tables_sectors.csv).
"""
LOST, LOST_WAITED = 0.5, 0.2
"""The part of sectors read at random that L2 has given up when the block that read them adds to them or stores there,

where it has none of those that were touched longest ago: what nobody waits for (unless a warp changes what it has read
itself: ``given_up``), and compares and swaps, or additions that follow another write (reads from DRAM of
claim_places<5>, <6> and <7>, and <4>, beside those of loads alone; of 64 MB fewer, so it falls as the square of what L2
has not).
"""
READ_THEN_CHANGED = 120.0
"""Clocks that a compare-and-swap takes longer at a place at random that the block has read before (claims<2> and <3> of

tests/machines/claims.cu: 150 to 600 a step; changed_words<2> of changed.cu with 256 threads on an SM: none).
"""
STORED_WHERE_READ, IN_EACH_OTHERS_WAY, MOST_IN_THE_WAY = 0.45, 580.0, 4.0
"""How much longer L2 takes for a store at random to a sector that the block has read before, of what it takes else; by

how much more, over the sectors that there are for each SM's part of the stores, and at most (random_bumps of updates.cu
of 16 and of 2 MB, claim_places<6> of 32 and of 2 MB).
"""
ON_ITS_WAY, ON_ITS_WAY_SECTOR, CROWDED = 30.0, 78.0, 32
"""Clocks at most that a store to a line of which something is on its way waits in L1, and what comes after it: for each

store, and more for each of its sectors (replaced<unsigned char, 0> and <unsigned, 0> of tests/machines/replaced.cu: 81
for one sector, 232 for four, whose line comes from L2, and 228 of one that comes from DRAM). That is of 64 warps on an
SM; of 16 and of two it waits longer (stores_behind of onway.cu). From how many on is a guess.
"""
BARRIER, BARRIER_EACH, BARRIER_LONE = 13.7, 2.03, 1.0
"""Clocks of a barrier: from the last warp's arrival, between arrivals (of one block 2.0: barrier_32 to barrier_1024; of

as many as fit 2.1: barred<0, 0, 0, 1> of bars.cu, leaders and barriers of WAVES 2.1 to 2.2), and until the next
one more after a block of one warp (WAVES, arrivals: 8 and 16 of them take three each, eight blocks of two warps four).
"""
BARRIER_DATA, BARRIER_DATA_WARP = 3.0, 0.23
"""Clocks that a block's barrier takes of L1's data stage, and each of its warps more: 3.5, 3.9 and 5.0 for two, four

and eight warps, of blocks of which as many as fit load and store shared memory between barriers, and do so without them
(barred<0, 1, 1, *> and barred<0, 2, 1, *> of tests/machines/bars.cu). None where the block has not asked for shared
memory since the one before (h100_bars_wavefronts.csv: ncu counts one for 0.7 to 1 of the barriers there, else none).
"""
BARRIER_ANSWER = 108
"""Clocks until what a barrier that asks all threads was told is there (h200_walks.csv: rows_by_barriers<1>, 0, against

rows_by_barriers<0>, 0, 155 clocks a step more with eight warps, of which its other instructions take 47).
"""
QUEUE, QUEUE_BEFORE_VOLTA = 13, 5
"""Memory instructions of a scheduler on their way before issue stalls (WAVES: with fewer, blocks that share the SM with

up to ten others end far apart, with more close together; sharedwork's first blocks of an SM end within 9 to 19 % of
their time, with 5 here within 48 to 74, with 13 within 5 to 21). Huerta et al., "Dissecting and Modeling the
Architecture of Modern GPU Cores", MICRO 2025, say 5 for the queue alone; of GPUs before Volta nothing was measured.
"""
BETWEEN = 1.0
"""Clocks of a scheduler between two wavefronts of a conflict in shared memory or L1, in which others' go (bank_chain

and line_chain of tests/machines/lines.cu: each wavefront more comes two clocks later where one or two warps are; from
four warps on there is one a clock).
"""
READ_RELEASE = 6.0
"""Clocks from the start of a memory instruction until its operands are read (the same paper: 9 to 11 from issue)."""
LOADED, LOADED_WRITES = 30.0, 657.0
"""Clocks that a read waits on average where DRAM gives the share ``u`` of its bandwidth: u / (1 - u) times the first,

and the second times ``u`` times the part of writes (no stream that was measured writes more than it reads). With
``HALVES`` so that streams by 1 to 64 warps an SM come out as measured (calibration: dram.read_4_1 to dram.copy_16_4):
`python tests/machines/fit_streams.py` prints a mean error of 3.4 % of 48 points, 10 % at most. Its --search ends at 65,
650 and 38 with 2.3 %, with which rows_in_steps, tile_loads and others are worse; with ``WRITE_BYTES`` as it is now the
copies of 4 bytes by 64 warps want seven clocks more. An H100 has its own (dram.loaded).
"""
SLACK = 800.0
"""Clocks of DRAM's work for an SM that others leave to it for a while. A guess: 533 and 1800 do as well for streams."""
HALVES = 65.0
"""Clocks by which the second half of a line comes after the first (fitted with ``LOADED``)."""
DRAM_SPREAD = ((0.0, -172.0), (1.0, -171.0), (10.0, -153.0), (25.0, -127.0), (50.0, 7.0), (75.0, 62.0), (90.0, 142.0),
               (95.0, 337.0), (99.0, 556.0), (100.0, 650.0))
"""Per cent of reads from DRAM, and the clocks by which they come later than on average (CACHES: dram_idle; the

ends by extension)."""
L2_SPREAD = 30.0
"""Clocks by which L2 answers earlier or later than on average (CACHES: l2_idle)."""
PARTED = "tests/machines/reference/h200_parts.csv: made by tests/machines/parts.cu on an H200, with ncu's sectors"
"""The source of values that name it."""
WRITTEN = 0.1
"""Part of L2 that holds nothing of what a block read or wrote last (PARTED, rows_beside, 8 to 21: what 35 to 43 MB of

reads and writes come back to is still there, of 69 MB hardly any. Of 0, 0.1, 0.2 and 0.3 the one that is off least:
`python tests/machines/compare_launches.py parts -k rows_beside`).
"""
IN_PARTS = 0.15
"""Part of L2 whose lines have sectors of which it has a part, and nobody looks random: beyond it reads the rest of them

(PARTED, slow_rows of 42 to 135 k lines, 5 to 17 MB: of the sectors 15 to 75 % are read; times within 15 %,
of 0.1, 0.15, 0.2 and 0.25 the least).
"""
SHARED, SHARED_LINES = 0.62, 0.65
"""Part of L2 that holds what all SMs read at random (table_loads of tests/machines/patterns.cu has the hits of 33 MB):

each half of an H200's L2 keeps lines of the other. And of lines, where what was read is stored to (change_one of
exchanges.cu: of 32, 64 and 128 MB 0.1, 0.75 and 0.89 are not there).
"""
FILLS = "tests/machines/reference/h200_fills.csv: made by tests/machines/fills.cu on an H200, with ncu's sectors"
"""The source of values that name it."""
STORED, PASSING = (0.426, 0.465), (0.62, 0.72)
"""Parts of L2 that hold what was stored and DRAM has not, and with it what was read meanwhile: where all blocks run at

once and go over whole arrays (FILLS: stream<0>, of <2> 0.41 to 0.43; of <1> 0.31 to 0.35, half of what passes through),
and where each of many has a piece (once<0> of tests/machines/sizes.cu, an H100 0.477, changed in place 0.453 and 0.464;
of <1> and of row_copies of copies.cu 0.42), by ncu's sectors. Of a quarter stored it is 0.10 to 0.12, of a sixteenth
0.005, where ``PASSING`` says 0.12 and 0.04; of a copy across sectors by many blocks 0.35, which is in it, too.
"""
IN_ORDER = 0.8
"""Of what DRAM loses by reads and writes in turn where all blocks run at once and go over whole arrays (by

dram.copy_bandwidth: a copy has 3.94 bytes a ns on an H200, 2.9 on an H100), the part that is lost where each of many
blocks has a piece. By once<1> and <2> of tests/machines/sizes.cu (4.28 and 3.05) it is 0.3 to 0.45; with less than 0.8
`turned` of capacity.cu and row_gathers are more than 6 % too fast. What is not in order loses all of it.
"""
DRAIN = 500.0
"""Clocks from when L2 has taken a kernel's last store until the kernel ends (tests/machines/reference/h200_cold.csv: 21

kernels with few stores were 0.19 to 0.35 us too fast with the overhead of one that stores nothing).
"""
BACKLOG = 1000.0
"""Clocks of writing that may lie between an SM and DRAM before its stores wait. A guess: row_copies of copies.cu and

structs.cu are best with 2000 to 4000, stride_stores and `turned` of capacity.cu with 1000.
"""
LAGS, LAGS_BY = 1500.0, 0.125
"""Clocks, and the part of the time so far, by which an SM's shares of L2's writes and of DRAM may lag, once blocks

follow others: each SM is elsewhere in its blocks then, so what one leaves others use and give back. By `worked` of
work_beside.cu, of streams; of the first blocks, and of what is not whole lines in order, shares are lost that are not
taken.
"""
LAUNCH_WARP = 7.9
"""Clocks of an SM for each warp of the blocks that it begins with (WAVES, `begins` by the warps of an SM's blocks

but one, the median of each kernel and shape: their median is 4.0 ns; 0 to 11, and three of 35 more than 150). Between
blocks that follow others, and between blocks that leave: launch.blocks of the machine (first_loads of
tests/machines/cold.cu: eight blocks of an SM that end together take 0.7 us more than one).
"""
TAKEN, SYNCED, RETURNED, RETURN_SLOTS = 4, 10, 34, 3
"""Clocks beside its stall count by which a warp goes on later after a branch that it takes, after BSYNC (whether lanes

were apart or not), after a return from a function, and by which the scheduler's others do after a return. All of
tests/machines/diverge.cu: one warp that goes around work 3.6 and 9.7 (skip), one with WAYS ways or a loop that lanes
leave at different times the same for each branch and each part (split, trips), calls 38 together (called).
"""
CODE_LINES, CODE_GONE, CODE_FILL = 240, 80, 22.4
"""Lines of 128 bytes of code that stay in the caches next to the schedulers, how many more it takes until none does of

a loop over all, and clocks of a scheduler from one line to the next then (tests/machines/icache.cu, code_rounds of one
warp: 1920 instructions lose 3 %, 2304 take twice as long, 2560 to 8192 take three clocks each; code_chain, where each
takes four, nothing: the next line comes early). Warps of a scheduler that are apart get in each other's way, which is
not known here: four or more lose up to 45 % more (code_rounds of 512 threads and more).
"""
CODE_FAR, CODE_FAR_GONE, CODE_FAR_FILL = 1024, 512, 60.0
"""The same of the next cache (code_rounds<8192> and <12288>)."""
RESTART = 320.0
"""Clocks from the end of a block until its successor issues (calibration: turnaround_by_threads, 317 to 326)."""
GONE = 700
"""Clocks from the end of a warp until another block's may have its place (ragged of tests/machines/ragged.cu, and of

blocks whose warps have as much to do as chance has it how many are on an SM, by their clocks: 440 to 1000 fit).
"""
WAVES = "tests/machines/reference/h200_waves.csv: made by tests/machines/waves.py on an H200"
SM_SPREAD, SM_SPREAD_L2, SM_LEAD_DRAM = 0.003, 0.012, 0.04
"""Standard deviations of the speeds of SMs that do the same, of what they do by themselves and what is added where

their warps wait for L2; and of what they are ahead by chance where they wait for DRAM, in parts of a block's time
(WAVES, by when the first block of an SM ends: math 0.1 to 0.3 %, sharedwork 0.3 to 1.8, chase 0.9 to 2.2, stream 2.4 to
5; after ten waves some SM has had 5 % more blocks of chase than the mean, of stream 2).
"""
MIXTURES = "tests/machines/reference/h200_mixtures.csv: made by tests/machines/time_mixtures.py on an H200"
WIDE_READS = 4
"""Clocks for which IMAD.WIDE and IMAD.HI keep others from reading registers (MIXTURES: `2 ffma, imad_wide`)."""
SLOW_MIO = 8
"""Clocks of a scheduler between two S2R or REDUX (MIXTURES: `s2r`, `redux`; S2UR by calibration:

interval.s2ur_branch)."""
SLOW_BLOCK = 11
"""The same between two S2R of a block's numbers, fitted to begins of tests/machines/begins.cu: blocks of 1024 threads

with one to six special registers, of which those of a thread take no time beside them (11: within 13 %; with 8 within
17 %; all of them in one go 17 % too slow, of 512 threads).
"""
S2R, S2UR, CONSTANT, ATOMIC = 23, 35, 28, 389
"""Latencies in clocks of special registers, constant memory by an index, and atomics with a result (calibration:

latency.s2r, s2ur, constant, atomic).
"""
MATCH_TURN, MATCH_AGAIN = 2.2, 11.0
"""Clocks that the SM's one unit for match.any takes for each different value of a warp, and by which each further one

delays the result (matches of tests/machines/stores.cu: 2.1 to 2.3 of 16 warps, 11.0 to 11.3 of one).
"""
CONSTANT_TURN, CONSTANT_AGAIN = 2.0, 11.0
"""Clocks that the SM's one unit for indexed constants takes for a word, and by which each further word of a warp's load

comes later: lanes that want different words have them one after another (lane_loads and lane_chain of
tests/machines/constants.cu: 2.0 to 2.1 and 10.8 to 11.1 with 2 to 32 words).
"""
CONSTANT_CACHE, CONSTANT_UNIFORM, CONSTANT_SETS = 32, 4, 8
"""Lines of 64 bytes of the SM's one first cache for constants by lanes (2 KB stay in it and 4 KB do not: table_walk);

of each scheduler's one for uniform loads, lines that have the same place, and places: three bits of the *immediate*
part of the address choose it. So loads with no or one such part stay within 256 bytes, with four from 64 to 192 bytes
within 1 KB (by one warp: uniform_lines<4>, 1 and 2, <16>, 13 and 14, <64>, 2 and 3).
"""
CONSTANT_COMING = 4
"""Lines on their way at once for loads whose lanes want several, which wait for one after another (lane_random: tables

of 4 to 64 KB by 1, 4 and 32 warps within 12 %; just more than the cache holds, 2.5 and 3 KB, 37 and 32 % too fast).
"""
CONSTANT_FILL, CONSTANT_MISS, CONSTANT_HELD, CONSTANT_FAR = 36.0, 75.0, 3.0, 460.0
"""Clocks from one such line to the next of an SM, those by which a load of it comes later, those that a load which

waits for its line keeps the unit for indexed constants, and those by which lines come later that no load has asked
for before, four at a time. All of tests/machines/constants.cu: lanes' loads get a line in 29 to 37, wherever 32 warps
are (lane_lines, 4 to 8); table_walk, 9 to 13, for the unit.
"""
UNIFORM_COMING, UNIFORM_AGAIN = 4, 2.0
"""Lines on their way at once to a scheduler's cache for uniform loads, and clocks after which who waits for one asks

again (own_lines of tests/machines/uniforms.cu: of 5, 6, 8, 12, 16 warps with a line each, all in one place, 1.00, 0.87,
0.68, 0.87, 0.94 of the loads miss; here 1.00, 0.87, 0.67, 0.86, 0.95. Two clocks: tried with series.cu, no others).
"""
UNIFORM_FILL, UNIFORM_MISS = 35.5, 75.0
"""The same of uniform loads: an SM gets one in 36.4 clocks, wherever its warps are (own_lines, 16 lines each, by 4 to

16 warps of one scheduler or of each: 36.3 to 37.7); with 36.4 fixed_taps<6> takes 11 % too long, so a little less. One
warp waits 80 clocks for a line and 195 the first time (uniform_lines, 8 to 10).
"""

MERGED, MERGED_LATER = 0.92, 0.5
"""The part of the equal reads of neighbouring SMs that L2 gets as one, while the first blocks run and later

(tests/machines/reference/h200_neighbours.csv, same_lines: L2's sectors against those that come to the SMs; pairs 1.0,
fours 0.91; of 8 and 32 waves 0.47 to 0.53; with arithmetic between loads 0.4 to 0.9, where L2 is no limit). Only of
lines that are read as a whole: same_sectors has none of sectors and pairs of them.
"""
MERGING_SMS = 6
"""SMs among which equal reads become one, at random of all; fitted, and a third of a GPC has as many. Of columns of

tiles that 8, 32 and 64 blocks read in step L2 gets 0.94, 0.54 and 0.66 to 0.69 of the reads (h100_spaced_sectors.csv,
tile_reads<0, 1>; the last two of two waves), of the rows of 64 0.30 to 0.43, also in later waves (<1, 0>).
"""
MERGED_MANY = 0.33
"""The part of that for requests of more than four lines (same_sectors, 15 to 17; 6 to 8, of few warps, have all)."""
TOGETHER, IN_STEP, ALL_IN_STEP = 1, 2, 3
"""Whether the first blocks of all SMs come to what an array holds at the same time: neighbours do; all do, where it was

recorded as first; all do, whoever is there first.
"""
FOREMOST, CAUGHT_UP = 120.0, 160000.0
"""Clocks by which DRAM's data is there sooner than an SM alone has it, where all go through one array: who is nearest

to a line asks for it first. By within<0>, summed and nearest of tests/machines/scans.cu, up to 512 threads (12 % too
slow without; 100 blocks in rows_in_step of permuted.cu go faster than one alone). Not at once, as SMs begin at
different times: by a straight line, in so many clocks (lookups of together.cu: -5 % on average, -13 % with all of it
from the beginning on). Also where neighbours go through an array (tile_products of products.cu: 7.7 % instead of 9.2,
rows_in_step 13.5 instead of 15.4, in_turn of neighbours.cu 13.6 instead of 13.1; at once 7.2, but in_turn 16.6).
"""
CROWD = 16
"""Blocks that run at once and read the same in step, of a row or a column of the grid, of which one is that near from

the beginning on (tile_reads and tile_walks of spaced.cu: 8.6 % off instead of 11.4).
"""
DEPENDENTS = 1.98 * 1.205
"""Clocks of the GPU from one block that lets a dependent grid start (griddepcontrol.launch_dependents) to the next

(tests/machines/reference/h100_leaving.csv, lets_start<1>: 32768 and 65536 blocks, of 32 to 256 threads, take 42.5 and
82.1 us with the launch, without it 23.3 and 43.0; one lane says it as well as all).
"""
