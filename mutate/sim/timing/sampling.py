"""The instruction streams of a few blocks, with the sectors of their requests: what the engine plays.

The blocks are those of one SM: a GPU hands blocks out in turn, so an SM has every ``sms``-th one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.launch.model import Launch
from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.image import Image
from mutate.sim.places import Places
from mutate.sim.run import DEFAULT_BUDGET, Simulation
from mutate.sim.space import Initial
from mutate.sim.timing.gather import R_COLUMNS, SECTORS_OF_REQUEST, TESLA, VOLTA, WHOLE, arrange, gather, keep
from mutate.sim.timing.order import BEGINNING, MOST_EVERY, TOGETHER, at_few_places, follows_others
from mutate.sim.timing.placing import blocks_of_sm, columns_matter, sm_of
from mutate.sim.timing.revisit import LEAST_TRAIL, TRAIL, far_before, lines_bytes, sought
from mutate.sim.timing.survey import GOLDEN, SURVEY, instead_of, ran, survey, works_of
from mutate.sim.timing.touches import PAIRS, READS, SECTORS, Touches
from mutate.sim.timing.uneven import Work
from mutate.sim.turns import MOST_BYTES, Played, run_by_turns
from mutate.sim.watch import LOG_ROWS, Log

Array = npt.NDArray[Any]
_SECTOR = 5
# Where the arrays of a recording begin to grow.
_FIRST_ROOM = 1 << 12
FEW = 8
"""A block's neighbours are run whole where so many of them would fit into what is recorded, else as much of them."""
LEAST_BLOCKS, LONG = 16, 3
"""So many blocks are recorded if they are long, with up to so many times the instructions: rays that go elsewhere ask

memory for other lines with as many instructions, which a few blocks do not tell.
"""
# Blocks that are kept of those that a grid begins with.
_BEGUN = 32
GROUP = 4
"""Blocks with neighbouring numbers that are looked at for what they share, where the machine does not say how many SMs'

equal reads go to L2 as one (``l2.merging_sms``). A power of two.
"""
# The part of their sectors that two blocks of a group have in common at least where the other two are run as well.
_SHARED = 0.05


class Streams(NamedTuple):
    """The records of the sampled blocks by warp. ``pc``, ``request`` (-1: none), ``cost`` and ``on`` (lanes) of each

    record; ``starts`` (blocks, warps + 1) where a warp's records begin, ``cut`` whether the block goes on behind its
    last record. ``requests`` (n, R_COLUMNS) of global and local memory, ``sectors`` their sectors (address / 32),
    ``touch`` of each: bit 0 the block's first read of it, bit 1 its first write, others as
    ``touches.SHARED`` and ``PAIRED``; ``region``: the number of its array.
    """

    pc: Array
    request: Array
    cost: Array
    on: Array
    starts: Array
    cut: Array
    requests: Array
    sectors: Array
    touch: Array
    region: Array


def _room(arrays: tuple[Array, ...], used: int, more: int) -> tuple[Array, ...]:
    """The arrays, or some at least twice as long with the same beginning."""
    if used + more <= len(arrays[0]):
        return arrays
    longer = tuple(np.empty((max(2 * len(a), used + more), *a.shape[1:]), a.dtype) for a in arrays)
    for out, a in zip(longer, arrays, strict=True):
        out[:used] = a[:used]
    return longer


class Keeper:
    """A recorder and watcher in one: keeps the streams of blocks as they run. Of a block no more than ``longest``

    records (a buffer's worth aside) are kept, but all that it touches is noted. ``rules``: how requests become traffic,
    of those in ``gather``.
    """

    def __init__(self, warps: int, bases: Array, longest: int, rules: int = VOLTA) -> None:
        self.touches = Touches(bases, cached=rules != TESLA)
        self._warps, self._longest, self._rules = warps, longest, rules
        self._of_request = SECTORS_OF_REQUEST * (1 if rules == VOLTA else 2)
        self._order: dict[int, int] = {}
        self._starts: list[Array] = []
        self._cut: list[bool] = []
        # The block's records in the order of execution; those of the blocks before by warp.
        self._n = self._at = 0
        self._records: tuple[Array, ...] = (np.empty((_FIRST_ROOM, 5), np.int32),)
        self._streams = tuple(np.empty(_FIRST_ROOM, np.int32) for _ in range(4))
        # Requests, and their sectors with what is known of each; behind them those of the interpreter's turn.
        self._q = self._s = 0
        self._asked = (0, 0)
        self._requests: tuple[Array, ...] = (np.empty((2 * LOG_ROWS, R_COLUMNS), np.int64),)
        room = 2 * LOG_ROWS * self._of_request
        self._sectors: tuple[Array, ...] = (np.empty(room, np.int64), np.empty(room, np.uint8),
                                            np.empty(room, np.int32))
        # Of the interpreter's turn: the bytes of each sector that are written.
        self._covers = np.empty(room, np.uint32)

    def start_block(self, block: int) -> None:
        self._close()
        self._order[block] = len(self._cut)
        self._cut.append(False)

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        """Before ``add`` in each turn."""
        del counters
        self._requests = _room(self._requests, self._q, records)
        self._sectors = _room(self._sectors, self._s, records * self._of_request)
        requests, sectors = self._requests[0][self._q :], self._sectors[0][self._s :]
        if len(self._covers) < records * self._of_request:
            self._covers = np.empty(records * self._of_request, np.uint32)
        self._asked = gather(log.head, log.where, records, requests, sectors, self._covers, self._rules)

    def add(self, block: int, records: npt.NDArray[np.int64]) -> None:
        del block
        asked, count = self._asked
        requests = self._requests[0][self._q :]
        if count:
            sectors, touch, region = (a[self._s :] for a in self._sectors)
            self.touches.note(requests, asked, sectors, len(self._cut), self._covers, touch, region)
        if self._n >= self._longest:
            self._cut[-1] |= len(records) > 0
            return
        self._records = _room(self._records, self._n, len(records))
        self._q += keep(records, requests, asked, self._q, self._s, self._records[0], self._n, self._rules)
        self._s += count
        self._n += len(records)

    def tell(self, other: Keeper, most: int | None = None) -> None:
        """Tells another one what the blocks have touched that are kept as a whole, as if they were one block; of one

        block also what its first instructions have, ``most`` of them.
        """
        other.start_block(-1)
        sectors, touch, region = (a[: self._s] for a in self._sectors)
        # What is in part there counts nothing.
        covers = np.full(len(sectors), WHOLE, np.uint32)
        # Records and requests are in the order of execution.
        asked = self._q if most is None else 1 + int(self._records[0][: min(most, self._at), 2].max(initial=-1))
        other.touches.note(self._requests[0], asked, sectors, len(other._cut), covers, np.empty_like(touch),
                           np.empty_like(region))

    def _close(self) -> None:
        """Puts the records of the block that has run behind those of the blocks before."""
        if len(self._starts) == len(self._cut):
            return
        starts = np.empty(self._warps + 1, np.int64)
        self._streams = _room(self._streams, self._at, self._n)
        arrange(self._records[0], self._n, starts, self._at, *self._streams)
        self._starts.append(starts)
        self._at += self._n
        self._n = 0

    def streams(self, blocks: Sequence[int], marked: bool = False) -> Streams:
        """The streams of these blocks, which have run; ``starts`` and ``cut`` in their order.

        ``marked``: with what blocks have in common (``touches.mark``), which only those that are played need.
        """
        self._close()
        rows = [self._order[b] for b in blocks]
        pc, request, cost, on = (a[: self._at] for a in self._streams)
        sectors, touch, region = (a[: self._s] for a in self._sectors)
        if marked:
            self.touches.mark(sectors, touch)
        starts, cut = np.array([self._starts[r] for r in rows]), np.array([self._cut[r] for r in rows], np.bool_)
        return Streams(pc, request, cost, on, starts, cut, self._requests[0][: self._q], sectors, touch, region)


class Neighbour(NamedTuple):
    """A block ``distance`` blocks before the first that ran, on an axis with so many (``along``): its streams, and of

    each array the ``part`` of that one's sectors that it reads as well; ``whole``: not only of its first instructions.
    """

    distance: int
    along: int
    part: Array
    streams: Streams
    whole: bool


class Group(NamedTuple):
    """What blocks on neighbouring SMs touch together (``Touches.tally``), and the streams of the first one's mate."""

    touched: Array
    mate: Streams


class Trail(NamedTuple):
    """Of each array the part of the sectors that a block reads, and writes, which one of some ``blocks`` right before

    it has read, or written; shape (arrays + 1, 2). ``run``: streams of those, ``ran``; ``far``: of ``others`` before.
    """

    blocks: int
    part: Array
    run: Streams
    ran: Sequence[int]
    others: tuple[int, ...]
    far: Streams | None


class Beginning(NamedTuple):
    """Streams of some of the ``blocks`` that a grid begins with, by turns, where it is too large to be run so."""

    streams: Streams
    blocks: int


@dataclass(frozen=True)
class Sample:
    """Streams of the blocks that ran, and what the whole grid is. ``instructions``: of warps, that the blocks executed;

    ``touched``: ``Touches.tally``. ``works``: of these blocks and, where those say too little, of others of the grid.
    ``first``: the streams of the block that ran first, ``near`` of its neighbours in the grid, ``group`` of those on
    neighbouring SMs, where they have something in common, ``other`` of a block elsewhere. ``every``: of blocks that
    ask for what others write, of how many of the grid one was run, by turns (1: all were); 0: none, so that they met
    what was there before the launch (``beginning``: what those do that come first). ``None``: of other blocks.
    ``trail``: where the grid comes back to sectors and the sampled blocks do not show when. ``raced``: blocks run by
    turns for the same few places, so who has least to do need not be the first one.
    """

    streams: Streams
    touched: Array
    blocks: tuple[int, ...]
    grid_blocks: int
    instructions: int
    initial: Initial
    first: Streams
    works: tuple[Work, ...] = ()
    near: tuple[Neighbour, ...] = ()
    group: Group | None = None
    other: Streams | None = None
    every: int | None = None
    trail: Trail | None = None
    beginning: Beginning | None = None
    raced: bool = False

    @property
    def whole_near(self) -> tuple[Neighbour, ...]:
        """Neighbours of which all is known, as what they write is."""
        return tuple(n for n in self.near if n.whole)


def record(image: Image, listing: Sequence[Instruction], launch: Launch, sms: int, wanted: int, records: int,
           longest: int, initial: Initial | None = None, places: Places | None = None, budget: int = DEFAULT_BUDGET,
           rules: int = VOLTA, sm: int | None = None, mates: int = GROUP, first: int | None = None,
           chosen: int | None = None, known: Sequence[Work] = (), at_once: int = 1, resident: int = 1) -> Sample:
    """Runs up to ``wanted`` blocks of one SM, at least one, no more than about ``records`` instructions of warps.

    Where these are less than ``LEAST_BLOCKS``, ``LONG`` times as many. Of a block that has more, about ``longest`` are
    kept. ``mates``: blocks on SMs that L2 may serve together. ``first``: the block that runs first, one in the middle
    by default, or the longest where no SM has two. ``chosen``: the SM whose blocks run, by default a typical one, or,
    where it has no more than may run ``at_once``, the one with most to do; it is told by the work of blocks that is
    ``known`` then. ``resident``: blocks that an SM has room for.
    Raises ``KmutateError`` where the kernel does what it may not.
    """
    gx, gy, gz = launch.grid
    total = gx * gy * gz
    initial = initial or Initial(launch, image.globals_bytes, image.pointers)
    bases = np.array([r.base >> _SECTOR for r in initial.regions], np.int64)
    warps = (launch.threads + 31) // 32

    def start() -> tuple[Keeper, Simulation]:
        keeper = Keeper(warps, bases, longest, rules)
        return keeper, Simulation(image, listing, launch, initial=initial, watchers=(keeper,), recorder=keeper,
                                  places=places, budget=budget, counted=False)

    keeper, simulation = start()
    whose = chosen if sm is None else sm
    # The one with most to do was told by where blocks go that begin at once.
    anywhere = 0 if chosen is None else None
    (pilot,) = blocks_of_sm(total, sms, 1, whose, anywhere) if first is None else (first,)
    piloted = ran(simulation, pilot)
    each = max(1, piloted.total)
    pilots = keeper.streams((pilot,), marked=True)
    # Of long blocks the first instructions tell what they share. What neighbours that wait together take was measured
    # on Hopper: of GPUs before Volta long blocks are as if alone.
    few = records // FEW
    some, more = (None if each <= limit else few for limit in (few, records // mates))
    fork = simulation.fork((), None)

    def beside(most: int | None) -> tuple[Keeper, Simulation]:
        told = Keeper(warps, bases, longest, rules)
        keeper.tell(told, most)
        return told, fork.beside((told,), told)

    wanted_near = (total > sms or min(gx, gy * gz) > 1) and (some is None or rules == VOLTA)
    near = _near(pilot, launch.grid, *beside(some), some) if wanted_near else ()
    group = _group(pilot, mates, total, *beside(more), more) if more is None or rules == VOLTA else None
    near_by = resident if columns_matter(near, listing) and rules == VOLTA else 0
    if near_by and whose is None:
        whose = sm_of(pilot, sms, near_by)
    most = max(1, min(wanted, max(records // each, min(LEAST_BLOCKS, LONG * records // each))))
    blocks = blocks_of_sm(total, sms, most, whose, near_by or anywhere)
    if total <= sms:
        blocks = (pilot,)
    if pilot not in blocks:
        blocks = tuple(sorted((*blocks[1:], pilot)))
    elsewhere = int(total * GOLDEN)
    every = -(-total * each // TOGETHER)

    def by_turns(chosen: Sequence[int]) -> tuple[Keeper, Simulation, list[int], Played | None]:
        told, run = start()
        some = sorted({*range(0, total, every), *chosen, elsewhere})
        return told, run, some, run_by_turns(run, resident * sms, {*chosen, elsewhere}, 2 * TOGETHER, some)

    played = None
    follows, raced = follows_others(pilots, listing, len(bases)), at_few_places(pilots)
    # With works that are known this is the second call, and all blocks together were too much for the first.
    if follows and sm is None and not known and every <= MOST_EVERY:
        again, whole, those, played = by_turns(blocks)
        instead, where = None, near_by if raced else near_by or None
        if played is not None and wanted <= at_once:
            instead = instead_of(works_of(played, those), int(played.spent[pilot].sum()), launch.grid, sms, wanted,
                                 at_once, where)
        if instead is not None:
            blocks = (instead.first,) if instead.first is not None else \
                blocks_of_sm(total, sms, most, instead.chosen, where)
            again, whole, those, played = by_turns(blocks)
    if played is not None:
        keeper, simulation = again, whole
        for block in blocks:
            played.tapes[block].tell(keeper, whole.counters)
        works = {w.block: w for w in works_of(played, those)}
        instructions = sum(works[block].total for block in blocks)
    else:
        works = {pilot: piloted}
        for block in (b for b in blocks if b != pilot):
            works[block] = ran(simulation, block)
        instructions = int(simulation.counters[:, lay.EXECUTED].sum())
    other = beginning = None
    if sm is None:
        if elsewhere not in blocks and each <= max(records // 2, SURVEY):
            witness = Keeper(warps, bases, longest, rules)
            if played is not None:
                played.tapes[elsewhere].tell(witness, whole.counters)
            else:
                # Where it has more to do or less than those that are played, others are looked at, too.
                works[elsewhere] = ran(simulation.fork((witness,), witness), elsewhere)
            other = witness.streams((elsewhere,))
        if played is None:
            works.update((w.block, w) for w in known)
            if not known:
                survey(works, launch.grid, simulation)
            instead = None if known else instead_of(tuple(works.values()), each, launch.grid, sms, wanted, at_once,
                                                    near_by or None)
            if instead is not None:
                return record(image, listing, launch, sms, wanted, records, longest, initial, places, budget, rules,
                              mates=mates, first=instead.first, chosen=instead.chosen, known=tuple(works.values()))
        if follows and played is None and total * each > TOGETHER and resident * sms * each <= BEGINNING:
            beginning = _beginning(resident * sms, *start())
    trail = None
    length = min(TRAIL, pilot, records // (4 * each))
    if sm is None and total > sms and length >= LEAST_TRAIL:
        limits = np.array([*((r.nbytes + 31) >> _SECTOR for r in initial.regions), 1 << 60], np.float64)
        if sought(keeper.touches.tally, limits, len(blocks), total).any():
            others = far_before(pilot, lines_bytes(pilots.sectors), length // 2)
            # All that is run for it is no more than a few times what is recorded; a guess.
            if len(others) * each <= 2 * records:
                keepers = (Keeper(warps, bases, longest, rules) for _ in range(2))
                trail = _trail(pilot, length, others, simulation, *keepers)
    return Sample(keeper.streams(blocks, marked=True), keeper.touches.tally, blocks, total,
                  instructions, initial, pilots, tuple(sorted(works.values())), near, group, other,
                  (every if played is not None else 0) if follows else None, trail, beginning,
                  played is not None and raced)


def _beginning(wave: int, keeper: Keeper, simulation: Simulation) -> Beginning | None:
    """Runs the blocks of the first wave as they meet each other, of which some are kept."""
    some = range(0, wave, max(1, wave // _BEGUN))
    played = run_by_turns(simulation, wave, some, 2 * BEGINNING, range(wave), 2 * MOST_BYTES)
    if played is None:
        return None
    for block in some:
        played.tapes[block].tell(keeper, simulation.counters)
    return Beginning(keeper.streams(some), wave)


def _trail(block: int, length: int, others: Sequence[int], simulation: Simulation, keeper: Keeper, far: Keeper
           ) -> Trail:
    """Runs so many blocks before this one, of which the later half look for what those before them had, and others."""
    run = simulation.fork((keeper,), keeper)
    half = block - length // 2
    run.run(range(block - length, half))
    before = keeper.touches.tally.copy()
    run.run(range(half, block))
    new = keeper.touches.tally - before
    if others:
        simulation.fork((far,), far).run(others)
    return Trail(length // 2, (new[..., PAIRS] - new[..., SECTORS]) / np.maximum(1, new[..., PAIRS]),
                 keeper.streams(range(half, block)), range(half, block), tuple(others),
                 far.streams(others) if others else None)


def _group(block: int, size: int, total: int, keeper: Keeper, simulation: Simulation, most: int | None
           ) -> Group | None:
    """Runs the blocks of the block's group of SMs, ``most`` instructions of each; the keeper knows this one. One only

    where that shares little.
    """
    mates = [b for k in range(1, size) if (b := block ^ k) < total]
    if not mates:
        return None
    simulation.run(mates[:1], most)
    pairs, sectors = keeper.touches.tally[:, READS, PAIRS], keeper.touches.tally[:, READS, SECTORS]
    if not (pairs - sectors > _SHARED * sectors).any():
        return None
    simulation.run(mates[1:], most)
    return Group(keeper.touches.tally, keeper.streams(mates[:1]))


def _near(block: int, grid: tuple[int, int, int], keeper: Keeper, simulation: Simulation, most: int | None
          ) -> tuple[Neighbour, ...]:
    """Runs the blocks before this one, whose touches the keeper knows, along each axis of the grid, ``most``

    instructions of each.
    """
    own = keeper.touches.tally[:, READS, PAIRS].astype(np.float64)
    out = []
    for axis, distance in enumerate((1, grid[0], grid[0] * grid[1])):
        if grid[axis] > 1:
            # At a border of the grid the neighbour behind it, which has as much in common.
            neighbour = block - distance if (block // distance) % grid[axis] else block + distance
            before = keeper.touches.tally[:, READS].copy()
            simulation.run((neighbour,), most)
            new = keeper.touches.tally[:, READS] - before
            part = (new[:, PAIRS] - new[:, SECTORS]) / np.maximum(own, 1.0)
            out.append(Neighbour(distance, grid[axis], part, keeper.streams((neighbour,)), most is None))
    return tuple(out)
