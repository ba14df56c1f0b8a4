"""What the engine is told and what it counts: places in its arrays."""

from __future__ import annotations

# Settings (float64): see ``shares.settings_of``.
(S_RESIDENT, S_BLOCKS, S_BUDGET, S_SCHEDULERS, S_L1_LATENCY, S_L2_LATENCY, S_DRAM_LATENCY, S_L2_CLOCKS, S_READ_CLOCKS,
 S_WRITE_CLOCKS, S_MIX, S_LOAD, S_LAUNCH, S_BARRIER, S_QUEUE, S_READ_LINE, S_LOOK_UP, S_WRITE_LINE, S_ATOMIC,
 S_BACKLOG, S_MIO_ISSUE, S_L1_LINES, S_READ_RELEASE, S_WRITE_CLOCKS_L2, S_RESTART, S_LONE, S_BARRIER_EACH,
 S_ATOMIC_LATENCY, S_PACE, S_TRACKED, S_WAVE, S_REPLAY, S_STORE_EVICT, S_LOCAL_BACK, S_LOCAL_FAR, S_L2_SPREAD,
 S_LOAD_WRITES, S_L2_LINES, S_SLACK, S_HALVES, S_L2_WRITTEN, S_CONSTANT, S_CONSTANT_AGAIN,
 S_CONSTANT_FILL, S_CONSTANT_MISS, S_CONSTANT_LINES, S_DUAL, S_PART,
 S_PART_WAITS, S_CONSTANT_FAR, S_CONSTANT_HELD,
 S_CONSTANT_UNIFORM, S_LAUNCH_WARP, S_BETWEEN, S_UNIFORM_FILL, S_UNIFORM_MISS, S_BARRIER_LONE,
 S_CONSTANT_COMING, S_ATOMIC_GIVES, S_READ_PORT, S_WRITE_PORT, S_STORE_READS, S_READ_AGAIN,
 S_MATCH, S_MATCH_AGAIN, S_HELD, S_STORED, S_L1_PLACES, S_DRAIN, S_PACKET, S_PACKET_WORD, S_STAYS,
 S_FILL_LINE, S_CODE_LINES, S_CODE_FILL, S_CODE_STAYS, S_BARRIER_DATA, S_BARRIER_DATA_WARP,
 S_IN_ORDER, S_WRITE_AGAIN, S_FILLED, S_LOCAL_LINE, S_PARTED, S_CROSSED, S_PLACES,
 S_WARP_SLOTS) = range(86)
SETTINGS = 86

# What is counted: clocks that a server is busy, traffic, clocks that warps are resident; when the first atomic came;
# sectors that are added to, of them those that wait for DRAM, and those that are stored in part, at random; lines of
# requests that DRAM reads something of.
(B_ALU, B_FMA, B_FP64, B_XU, B_MIO, B_UNIFORM, B_CONTROL, B_TENSOR, B_ISSUE, B_DATA, B_L2, B_DRAM, N_L1, N_L1_HITS,
 N_L2_READ, N_DRAM_READ, N_L2_WRITE, N_DRAM_WRITE, B_L2_WRITE, B_WARPS, N_LOCAL, N_LOCAL_HITS, T_ADDED,
 N_ADDED, N_ADDED_FAR, N_IN_PART, N_FETCHED) = range(27)
BUSY = 27

# Why a warp did not issue: columns of ``stalls``, ncu's names in ``STALLS``. Each clock from a warp's start to its last
# issue has one reason, at the instruction that waits to be issued.
(ISSUED, R_WAIT, R_LONG, R_SHORT, R_BARRIER, R_MATH, R_MIO, R_LG, R_NOT_SELECTED, R_BRANCH, R_DISPATCH,
 R_CONSTANT, R_NO_INSTRUCTION) = range(13)
STALLS = ("selected", "wait", "long_scoreboard", "short_scoreboard", "barrier", "math_pipe_throttle", "mio_throttle",
          "lg_throttle", "not_selected", "branch_resolving", "dispatch_stall", "imc_miss",
          "no_instruction")
