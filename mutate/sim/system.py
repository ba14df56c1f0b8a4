"""Functions that the driver adds to a kernel when it is loaded, which device code calls by address: printf, assert.

Their addresses are entries of constant bank 4. Arguments are in R4 on, the address to return to is in R20 and R21, and
the result comes back in R4 (observed in code that NVRTC makes for sm_75 to sm_90).
"""

# mypy: ignore-errors
# Compiled by numba, which infers all types itself.
from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.layout import (
    DONE,
    E_ASSERT,
    E_SYSTEM,
    E_TARGET,
    SYSTEM_ASSERT,
    SYSTEM_PRINT,
    SYSTEM_WINDOW,
)
from mutate.sim.registers import first_lane
from mutate.sim.requests import fail, resolve_global

u32, u64, i64 = np.uint32, np.uint64, np.int64
_ARGUMENT, _RETURN = 4 * 32, 20 * 32
_PERCENT = 37
_LONGEST_FORMAT = 4096


@njit(**INNER)
def system_call(at, mask, base, registers, table, limits, pages, origin, addresses, offsets, wanted, control,
                error):
    """(status, code address at which to go on). ``at`` is the register pair with the function's address.

    ``vprintf`` prints nothing; its result is the number of conversions in the format.
    """
    lead = first_lane(mask)
    for lane in range(32):
        if mask >> u32(lane) & u32(1) and (registers[at + lane] != registers[at + lead]
                                           or registers[base + _RETURN + lane] != registers[base + _RETURN + lead]):
            return fail(error, E_SYSTEM, lane, 0, 0), i64(0)
    which = i64(registers[at + lead])
    if registers[at + 32 + lead] != u32(SYSTEM_WINDOW):
        return fail(error, E_TARGET, lead, which, 0), i64(0)
    if which != SYSTEM_PRINT:
        return fail(error, E_ASSERT if which == SYSTEM_ASSERT else E_SYSTEM, lead, which, 0), i64(0)
    for lane in range(32):
        if not mask >> u32(lane) & u32(1):
            continue
        start = u64(registers[base + _ARGUMENT + lane]) | u64(registers[base + _ARGUMENT + 32 + lane]) << u64(32)
        conversions, before = u32(0), False
        for k in range(_LONGEST_FORMAT):
            addresses[lane] = start + u64(k)
            status = resolve_global(addresses, u32(1) << u32(lane), 1, table, limits, pages, origin, offsets,
                                    wanted, control, error)
            if status != DONE:
                return status, i64(0)
            letter = pages[offsets[lane]]
            if letter == 0:
                break
            if letter == _PERCENT and before:
                before = False
            else:
                if before:
                    conversions += u32(1)
                before = letter == _PERCENT
        # A second call after missing pages must find the argument as it was, so results come last.
        addresses[lane] = u64(conversions)
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            registers[base + _ARGUMENT + lane] = u32(addresses[lane])
    return DONE, i64(registers[base + _RETURN + lead])
