"""What the engine is told and what it counts: places in its arrays."""

from __future__ import annotations

# Settings (float64): see ``model.settings_of``.
(S_RESIDENT, S_BLOCKS, S_BUDGET, S_SCHEDULERS, S_L1_LATENCY, S_L2_LATENCY, S_DRAM_LATENCY, S_L2_CLOCKS, S_READ_CLOCKS,
 S_WRITE_CLOCKS, S_MIX, S_LOAD, S_LAUNCH, S_BARRIER, S_QUEUE, S_READ_LINE, S_WRITE_LINE, S_ATOMIC, S_BACKLOG,
 S_MIO_ISSUE, S_L1_LINES, S_READ_RELEASE, S_WRITE_CLOCKS_L2, S_RESTART, S_LONE, S_BARRIER_EACH, S_SPREAD,
 S_ATOMIC_LATENCY, S_PACE, S_TRACKED, S_WAVE, S_REPLAY, S_STORE_EVICT, S_LOCAL_BACK, S_LOCAL_FAR) = range(35)
SETTINGS = 35

# What is counted: clocks that a server is busy, traffic, clocks that warps are resident.
(B_ALU, B_FMA, B_FP64, B_XU, B_MIO, B_UNIFORM, B_CONTROL, B_ISSUE, B_DATA, B_L2, B_DRAM, N_L1, N_L1_HITS,
 N_L2_READ, N_DRAM_READ, N_L2_WRITE, N_DRAM_WRITE, B_L2_WRITE, B_WARPS) = range(19)
BUSY = 19
