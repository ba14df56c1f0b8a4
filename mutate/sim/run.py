"""Runs a launch, or a sample of its blocks, on the interpreter."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.launch import rng
from mutate.launch.data import materialize
from mutate.launch.model import Launch, pack_arg
from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.decode import Program, decode
from mutate.sim.failures import failure
from mutate.sim.image import Image, library_loads_of
from mutate.sim.objects import object_table
from mutate.sim.places import Places
from mutate.sim.space import VARIABLES, GlobalMemory, Initial
from mutate.sim.stream import RECORDS, Recorder
from mutate.sim.watch import Log, Watcher

DEFAULT_BUDGET = 200_000_000
_QUANTUM = 256
_WANTED = 1 << 16
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Counts:
    """What was counted. ``per_instruction`` has shape (instructions, COUNTERS); ``multisets``

    (MULTISETS, 4): two sums of

    hashes, the number of accesses and their bytes, by space and direction (``layout.H_...``).
    """

    per_instruction: npt.NDArray[np.int64]
    multisets: npt.NDArray[np.uint64]
    blocks: tuple[int, ...]
    grid_blocks: int


@dataclass
class Outcome:
    """A finished run: its counts and the memory it left."""

    counts: Counts
    memory: GlobalMemory
    program: Program
    image: Image


def sample_blocks(grid: Sequence[int], count: int) -> tuple[int, ...]:
    """``count`` blocks of a grid (x, y, z), as linear numbers in rising order; all when they are few.

    The block in the middle first, because blocks at an edge do less or other work; then one of each of ``count - 1``
    equal stretches of the grid, at a place that a hash chooses, so that no row or column is preferred.
    """
    gx, gy, gz = grid
    total = gx * gy * gz
    if count >= total:
        return tuple(range(total))
    chosen = {gx // 2 + gx * (gy // 2 + gy * (gz // 2))}
    stretches = count - 1
    for k in range(stretches):
        low, high = k * total // stretches, (k + 1) * total // stretches
        chosen.add(low + rng.splitmix64(k) % (high - low))
    return tuple(sorted(chosen))


class Simulation:
    """One launch of one compiled kernel."""

    def __init__(self, image: Image, listing: Sequence[Instruction], launch: Launch, *, initial: Initial | None = None,
                 extra_smem: int = 0, budget: int = DEFAULT_BUDGET, watchers: Sequence[Watcher] = (),
                 places: Places | None = None, recorder: Recorder | None = None, counted: bool = True) -> None:
        """``counted``: else only how often instructions ran is, for who reads requests from the log."""
        self.image = image
        self.launch = launch
        self.initial = initial or Initial(launch, image.globals_bytes, image.pointers)
        self.memory = GlobalMemory(self.initial)
        banks = dict(image.banks)
        arguments = [pack_arg(a, self.initial.addresses) for a in launch.args]
        banks[0] = image.bank0(launch.grid, launch.block, arguments, launch.smem + extra_smem)
        banks[4] = self._addresses(banks.get(4, b""))
        banks[3] = self._symbols(banks.get(3, b""))
        self.banks = banks
        self.program = decode(listing, banks, image.unknown_words())
        self.program.code[[*library_loads_of(image, listing)], lay.FLAGS] |= lay.OF_LIBRARY
        self.shared_bytes = image.static_smem + launch.smem + extra_smem
        self.budget = budget
        self.watchers = tuple(watchers)
        self.places = places
        self.log = Log(bool(watchers))
        self.recorder = recorder
        self.counted = counted
        self.slots = 1
        self._state()

    def fork(self, watchers: Sequence[Watcher], recorder: Recorder | None) -> Simulation:
        """One that goes on from the memory that this one has now, and counts from zero.

        It ends where this one goes on (``GlobalMemory.fork``).
        """
        out = self.beside(watchers, recorder)
        out.memory = self.memory.fork()
        out.local[:] = self.local
        return out

    def beside(self, watchers: Sequence[Watcher], recorder: Recorder | None) -> Simulation:
        """One for other blocks of the same launch, in the same memory; it counts from zero."""
        out = copy.copy(self)
        out.watchers, out.recorder, out.log = tuple(watchers), recorder, Log(bool(watchers))
        out._state()
        return out

    def together(self, slots: int) -> Simulation:
        """One for so many blocks at once that take turns, in the same memory, each in a slot (``turns``)."""
        out = copy.copy(self)
        out.watchers, out.recorder, out.log, out.slots = (), None, Log(False), slots
        out._state()
        return out

    # --- what a launch puts in place ---

    def _addresses(self, bank: bytes) -> bytes:
        """Bank 4 with the addresses of global variables filled in."""
        out = bytearray(bank)
        base = self.initial.addresses.get(VARIABLES)
        known = {v.name: v.offset for v in self.image.variables}
        for offset, symbol, addend in self.image.addresses:
            value = (base + known[symbol] + addend) if base is not None and symbol in known else 0
            if symbol in lay.SYSTEM_FUNCTIONS:
                value = lay.SYSTEM_WINDOW << 32 | lay.SYSTEM_FUNCTIONS.index(symbol)
            out[offset : offset + 8] = value.to_bytes(8, "little")
        return bytes(out)

    def _symbols(self, bank: bytes) -> bytes:
        """Bank 3 with the ``__constant__`` variables that the declaration sets."""
        out = bytearray(bank)
        for symbol in self.launch.symbols:
            data = np.ascontiguousarray(materialize(symbol)).tobytes()
            for variable in self.image.constants:
                if variable.name == symbol.name or variable.name.endswith(f"{len(symbol.name)}{symbol.name}E"):
                    size = min(len(data), variable.size)
                    out[variable.offset : variable.offset + size] = data[:size]
        return bytes(out)

    def _state(self) -> None:
        program = self.program
        threads = self.launch.threads
        self.warps = (threads + 31) // 32
        self.pool = program.pool.size
        warps = self.warps * self.slots
        self.registers = np.zeros(self.pool + warps * program.rows * 32, np.uint32)
        self.registers[: self.pool] = program.pool.reshape(-1)
        self.predicates = np.zeros((warps, 16), np.uint32)
        self.pcs = np.zeros((warps, 32), np.int64)
        self.masks = np.zeros((warps, 32), np.uint32)
        self.states = np.zeros((warps, 32), np.int64)
        self.details = np.zeros((warps, 32), np.int64)
        self.kept = np.zeros((warps, 32, lay.KEPT), np.uint32)
        self.sync = np.zeros((warps, 16 * 32), np.uint32)
        self.alive = np.zeros(warps, np.uint32)
        self.targets = np.zeros((self.slots, 16, 2), np.int64)
        self.red = np.zeros((self.slots, 2, 4), np.int64)
        self.shared = np.zeros((self.slots, max(1, self.shared_bytes)), np.uint8)
        self.local = np.zeros(warps * 32 * self.image.local_size, np.uint8)
        order = sorted(self.banks)
        self.constants = np.frombuffer(b"".join(self.banks[k] for k in order) or b"\0", np.uint8)
        self.starts = np.zeros((16, 2), np.int64)
        at = 0
        for k in order:
            self.starts[k] = at, len(self.banks[k])
            at += len(self.banks[k])
        self.wanted = np.zeros(_WANTED, np.int64)
        self.counters = np.zeros((len(program.listing), lay.COUNTERS), np.int64)
        # Instructions of each warp of the blocks that run, or ran last.
        self.spent = np.zeros(warps, np.int64)
        self.hashes = np.zeros((lay.MULTISETS, 4), np.uint64)
        self.objects = object_table(self.launch.textures, self.initial.addresses).reshape(-1)
        self.trace = np.zeros((RECORDS + lay.LANES if self.recorder is not None else 1, 4), np.int64)
        self.control = np.zeros(9, np.int64)
        self.error = np.zeros(8, np.int64)
        self.layout = np.array([self.pool, program.rows * 32, self.warps, _QUANTUM, self.image.shared_base,
                                self.shared_bytes, self.image.local_size, program.scratch * 32,
                                program.general_rows * 32, self.slots, self.slots > 1], np.int64)
        self.control[0] = self.control[4] = self.budget
        self.control[8] = self.counted
        first = program.specials
        self._own_registers = self.registers[self.pool :].reshape(warps, program.rows, 32)
        self._first_registers = np.zeros((self.warps, program.rows, 32), np.uint32)
        self._first_registers[:, first : first + len(lay.SPECIALS)] = self._fixed_specials()
        at = first + lay.SPECIALS.index("SR_CTAID.X")
        self._block_numbers = self._own_registers[:, at : at + 3]
        lanes = np.arange(self.warps * 32).reshape(self.warps, 32) < threads
        self._active = (lanes.astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum(axis=1).astype(np.uint32)

    def _fixed_specials(self) -> Array:
        """The special registers that are the same in every block, shape (warps, specials, 32)."""
        x, y, _ = self.launch.block
        out = np.zeros((self.warps, len(lay.SPECIALS), 32), np.uint32)
        thread = np.arange(self.warps * 32, dtype=np.uint32).reshape(self.warps, 32)
        lane = np.arange(32, dtype=np.uint64)
        tx, ty, tz = thread % x, thread // x % y, thread // (x * y)
        one = np.uint64(1) << lane
        values: dict[str, Any] = {"SR_LANEID": lane, "SR_TID.X": tx, "SR_TID.Y": ty, "SR_TID.Z": tz, "SR_EQMASK": one,
                  "SR_LTMASK": one - np.uint64(1), "SR_LEMASK": 2 * one - np.uint64(1),
                  "SR_GTMASK": 0xFFFFFFFF - (2 * one - np.uint64(1)), "SR_GEMASK": 0xFFFFFFFF - (one - np.uint64(1)),
                  "SR_SWINHI": lay.SHARED_WINDOW, "SR_LWINHI": lay.LOCAL_WINDOW, "SR_TID": tx | ty << 16 | tz << 26,
                  "SR_WARPID": thread // 32}
        for name, value in values.items():
            out[:, lay.SPECIALS.index(name)] = value
        return out

    def start_block(self, number: int, slot: int = 0) -> None:
        """Puts all state of a slot to the beginning of a block."""
        gx, gy, _ = self.launch.grid
        own = slice(slot * self.warps, (slot + 1) * self.warps)
        self._own_registers[own] = self._first_registers
        self._block_numbers[own] = ((number % gx,), (number // gx % gy,), (number // (gx * gy),))
        for zeros in (self.spent, self.predicates, self.pcs, self.masks, self.states, self.details, self.sync):
            zeros[own].fill(0)
        self.targets[slot] = 0
        self.shared[slot] = 0
        self.predicates[own, 7] = self.predicates[own, 15] = 0xFFFFFFFF
        self.kept[own, :, 0] = 0
        self.red[slot] = 0, 1, 0, 0
        self.alive[own] = self.masks[own, 0] = self._active
        self.states[own, 0] = lay.READY
        self.control[3] = slot * self.warps

    def go_on(self, log: Log, trace: npt.NDArray[np.int64]) -> int:
        """The interpreter's next turn; what it returns."""
        from mutate.sim.execute import execute

        memory = self.memory
        return int(execute(self.program.code, self.registers, self.predicates, self.layout, self.pcs, self.masks,
                           self.states, self.details, self.kept, self.sync, self.alive, self.targets, self.red,
                           memory.table, memory.limits, memory.pages, memory.origin, self.shared,
                           self.local, self.constants, self.starts, self.objects, self.wanted, self.counters,
                           self.spent, self.hashes, trace, log.head, log.where, self.control, self.error))

    def run(self, blocks: Sequence[int], most: int | None = None) -> Outcome:
        """Runs blocks one after another, ``most`` warp instructions of each (``None``: all).

        Raises ``KmutateError`` where the kernel does what it may not.
        """
        memory = self.memory
        for block in blocks:
            self.start_block(block)
            kept = max(0, int(self.control[0]) - most) if most is not None else 0
            self.control[0] -= kept
            for watcher in self.watchers:
                watcher.start_block(block)
            while True:
                self.control[1], self.control[5], self.control[6] = 0, memory.used, 0
                status = self.go_on(self.log, self.trace)
                memory.used = int(self.control[5])
                for watcher in self.watchers:
                    watcher.watch(self.log, int(self.control[6]), self.counters)
                if self.recorder is not None:
                    self.recorder.add(block, self.trace[: self.control[2]])
                    self.control[2] = 0
                if status == lay.OUT_OF_BUDGET and kept:
                    # Nobody asks for a page twice.
                    memory.bring(self.wanted[: self.control[1]])
                    break
                if status == lay.DONE:
                    break
                if status in (lay.NEED_PAGES, lay.LOG_FULL, lay.TRACE_FULL):
                    # Also what was asked for before a log was full: nobody asks for a page twice.
                    memory.bring(self.wanted[: self.control[1]])
                    self.states[self.states == lay.AT_FAULT] = lay.READY
                    continue
                raise failure(self, status, block)
            self.control[0] += kept
        gx, gy, gz = self.launch.grid
        counts = Counts(self.counters, self.hashes, tuple(blocks), gx * gy * gz)
        return Outcome(counts, memory, self.program, self.image)
