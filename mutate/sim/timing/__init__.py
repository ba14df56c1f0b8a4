"""Times by a model: how long a launch takes on a machine, reckoned from the instructions that a sample of it executes.

Modelled: issue by the scheduling bits, units with their intervals, queues of memory instructions, shared memory by
wavefronts, L1 by sectors, an SM's share of L2 and DRAM, barriers, resident blocks, the rate at which blocks start, the
overhead of a launch, register banks, constants, code that does not stay in the caches of instructions. Taken to be
perfect: address translation, parameters. L2 is near or far alike.
"""
