"""Global memory of a launch: the declared arrays at fixed addresses, filled page by page as they are touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mutate.errors import KmutateError
from mutate.launch import rng
from mutate.launch.data import materialize, materialize_blocks
from mutate.launch.model import ArrayDecl, Launch
from mutate.launch.types import Rank
from mutate.sim import filling
from mutate.sim import layout as lay

PAGE = 1 << lay.PAGE_SHIFT
# Arrays begin on a megabyte, with as much of nothing before each, so that running off an array does not hit the next.
_ALIGN = 1 << 20
_GUARD = 1 << 20
_MOST_BYTES = 1 << 38
"""No GPU has more memory; each KB of it takes eight bytes of tables here."""
# Pages of a new pool at most: 1 GiB.
_ROOM = 1 << 20
# Pages that are made before they are asked for, at most.
_AHEAD = 64
# Pages of a walk that the next one is expected to have, too, at least.
_REPEATED = 4
VARIABLES = "__device__ variables"
_UNIFORM = {(Rank.FLOAT, 4): filling.UNIFORM32, (Rank.FLOAT, 8): filling.UNIFORM64,
            (Rank.HALF, 2): filling.UNIFORM_HALF, (Rank.BF16, 2): filling.UNIFORM_BF16}
_NO_PAGES = np.zeros(0, np.int32)


@dataclass(frozen=True)
class Region:
    """One array in global memory; ``first`` is its first page, ``base`` its address."""

    name: str
    base: int
    nbytes: int
    first: int
    array: ArrayDecl | None
    contents: bytes = b""


def _rules(regions: Sequence[Region]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """The arrays that ``filling`` can make: its table and the numbers beside it."""
    table = np.zeros((len(regions), filling.RULE_COLUMNS), np.uint64)
    bounds = np.zeros((len(regions), 2), np.float64)
    for row, limits, region in zip(table, bounds, regions, strict=True):
        row[filling.FIRST_PAGE], row[filling.PAGES] = region.first, (region.nbytes + PAGE - 1) // PAGE
        row[filling.NBYTES], row[filling.SIZE] = region.nbytes, 1
        array = region.array
        if array is None:
            continue
        init, lanes = array.init, array.lanes
        if init.kind == "zeros":
            row[filling.RULE] = filling.ZEROS
        elif lanes is not None and init.kind in ("fill", "uniform", "randint", "csr_colidx"):
            kind = lanes[0]
            row[filling.SIZE] = kind.size
            row[filling.SEED] = rng.base(array.seed, array.stream)
            if init.kind == "fill":
                row[filling.RULE] = filling.FILL
                bits = np.ascontiguousarray(materialize(array, 0, 1)).view(np.uint8).reshape(-1)[: kind.size]
                row[filling.SPAN] = int.from_bytes(bits.tobytes(), "little")
            elif init.kind == "uniform" and (kind.rank, kind.size) in _UNIFORM:
                row[filling.RULE] = _UNIFORM[kind.rank, kind.size]
                limits[:] = init.args
            elif init.kind != "uniform" and kind.is_integer and kind.rank is not Rank.BOOL:
                a, b = map(int, init.args) if init.kind == "randint" else (0, int(init.args[0]))
                if abs(a) < 1 << 53:
                    row[filling.RULE] = filling.RANDINT
                    limits[0], row[filling.SPAN] = a, b - a
    return table, bounds


def _pointing(contents: bytes, pointers: Sequence[tuple[int, int]], base: int) -> bytes:
    out = bytearray(contents)
    for offset, target in pointers:
        out[offset : offset + 8] = (base + target).to_bytes(8, "little")
    return bytes(out)


class Initial:
    """The bytes that memory holds before a launch, each page made once and kept for all variants of a kernel."""

    def __init__(self, launch: Launch, variables: bytes = b"", pointers: Sequence[tuple[int, int]] = ()) -> None:
        """``pointers``: where in the variables the addresses of others belong, as (offset, offset of the other)."""
        self.regions: list[Region] = []
        at = _GUARD
        wanted: list[tuple[str, int, ArrayDecl | None, bytes]] = [(a.name, a.nbytes, a, b"") for a in launch.arrays]
        if variables:
            wanted.append((VARIABLES, len(variables), None, variables))
        total = sum(nbytes for _, nbytes, _, _ in wanted)
        if total > _MOST_BYTES:
            raise KmutateError("launch-size", f"the launch's arrays have {total / 1e9:,.0f} GB together; up to "
                               f"{_MOST_BYTES / 1e9:,.0f} GB are simulated", hint="declare smaller ones")
        for name, nbytes, array, contents in wanted:
            if array is None and pointers:
                contents = _pointing(contents, pointers, lay.GLOBAL_BASE + at)
            self.regions.append(Region(name, lay.GLOBAL_BASE + at, nbytes, at >> lay.PAGE_SHIFT, array, contents))
            at += (nbytes + _ALIGN - 1) // _ALIGN * _ALIGN + _GUARD
        self.pages = at >> lay.PAGE_SHIFT
        self._known = np.zeros(self.pages, np.int32)
        self._store = np.zeros((256, PAGE), np.uint8)
        self._used = 0
        self._firsts = np.array([r.first for r in self.regions] or [0], np.int64)
        self.rules = _rules(self.regions)
        # Of each array: the last page that was made, its distance from the one before, how many were made ahead, and
        # how many since the walk began.
        self._walks = [(-1, 0, 0, 0)] * len(self.regions)

    @property
    def addresses(self) -> Mapping[str, int]:
        return {r.name: r.base for r in self.regions}

    def region_of(self, address: int) -> tuple[Region, int] | None:
        """The array that an address lies in or nearest behind, and the offset in it."""
        best = None
        for region in self.regions:
            if region.base - _GUARD // 2 <= address < region.base + region.nbytes + _GUARD // 2:
                best = region, address - region.base
        return best

    def fetch(self, pages: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Contents of pages, shape ``(pages, PAGE)``."""
        missing = pages[self._known[pages] == 0]
        if missing.size:
            self._make(np.concatenate([missing, self._ahead(missing)]))
        return self._store[self._known[pages] - 1]

    def _ahead(self, pages: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Pages that are wanted next if these are part of a walk in equal steps, as the blocks of one SM take: making

        many at once costs hardly more than making one. A walk that goes on makes ever more of them, and one that begins
        elsewhere as many as the last one had.
        """
        if pages.size > 1:
            return pages[:0]
        page = int(pages[0])
        number = int(np.searchsorted(self._firsts, page, side="right")) - 1
        region, (last, step, ahead, made) = self.regions[number], self._walks[number]
        begins = page - last != step
        if region.array is None or (begins and made < _REPEATED):
            self._walks[number] = page, page - last, 0, 2 if made == 1 else 1
            return pages[:0]
        ahead = min(_AHEAD, made - 1 if begins else 2 * ahead + 1)
        more = page + step * np.arange(1, ahead + 1)
        inside = (more >= region.first) & (more < region.first + (region.nbytes + PAGE - 1) // PAGE)
        self._walks[number] = int(more[-1]), step, ahead, 1 + ahead + (0 if begins else made)
        out: npt.NDArray[np.int64] = more[inside & (self._known[np.where(inside, more, 0)] == 0)]
        return out

    def _make(self, pages: npt.NDArray[np.int64]) -> None:
        need = self._used + pages.size
        if need > len(self._store):
            grown = np.zeros((max(need, 2 * len(self._store)), PAGE), np.uint8)
            grown[: self._used] = self._store[: self._used]
            self._store = grown
        owner = np.searchsorted(self._firsts, pages, side="right") - 1
        first = int(owner[0])
        for number in (first,) if (owner == first).all() else np.unique(owner):
            chosen = pages[owner == number]
            region = self.regions[number]
            blocks = chosen - region.first
            rows = self._used + np.arange(chosen.size)
            if region.array is not None:
                self._store[rows] = materialize_blocks(region.array, blocks, PAGE)
            else:
                for row, block in zip(rows, blocks, strict=True):
                    part = region.contents[block * PAGE : (block + 1) * PAGE]
                    self._store[row, : len(part)] = np.frombuffer(part, np.uint8)
            self._known[chosen] = rows + 1
            self._used += chosen.size


class GlobalMemory:
    """Memory of one run: the pages that it has touched, and the table that finds them."""

    def __init__(self, initial: Initial) -> None:
        self.initial = initial
        self.table = np.zeros(initial.pages, np.int32)
        for region in initial.regions:
            self.table[region.first : region.first + (region.nbytes + PAGE - 1) // PAGE] = lay.UNTOUCHED
        # Memory that nobody touches costs address space only.
        room = min(_ROOM, int((self.table == lay.UNTOUCHED).sum()) + 1)
        self.pages = np.zeros(room * PAGE, np.uint8)
        self.limits = np.zeros(room, np.int32)
        self.used = 0
        rules, bounds = initial.rules
        self.origin = filling.Origin(rules, bounds, _NO_PAGES, _NO_PAGES, np.zeros(0, np.uint8))
        self._ends = {r.first + (r.nbytes - 1) // PAGE: (r.nbytes - 1) % PAGE + 1 for r in initial.regions if r.nbytes}

    def fork(self) -> GlobalMemory:
        """The same contents, to be changed by another run: each page is copied when that touches it.

        So this one may change only when nobody uses the other one any more.
        """
        if self.origin.table.size:
            raise ValueError("a fork has no forks")
        out = GlobalMemory(self.initial)
        out.origin = self.origin._replace(table=self.table, limits=self.limits, pages=self.pages)
        return out

    def _first(self, wanted: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Contents of pages before this run touched them, shape ``(pages, PAGE)``."""
        out = self.initial.fetch(wanted)
        if self.origin.table.size:
            known = self.origin.table[wanted]
            out[known > 0] = self.origin.pages.reshape(-1, PAGE)[known[known > 0] - 1]
        return out

    def bring(self, wanted: npt.NDArray[np.int64]) -> None:
        """Fills the pages that the interpreter asked for."""
        need = self.used + wanted.size
        if need > self.limits.size:
            room = max(need, 2 * self.limits.size)
            self.pages = np.concatenate([self.pages[: self.used * PAGE],
                                         np.zeros((room - self.used) * PAGE, np.uint8)])
            self.limits = np.concatenate([self.limits[: self.used], np.zeros(room - self.used, np.int32)])
        at = self.used * PAGE
        self.pages[at : at + wanted.size * PAGE] = self._first(wanted).reshape(-1)
        self.limits[self.used : need] = PAGE
        self.table[wanted] = np.arange(self.used + 1, need + 1)
        for page in wanted:
            end = self._ends.get(int(page))
            if end is not None:
                self.limits[self.table[page] - 1] = end
        self.used = need

    def touched(self, region: Region) -> npt.NDArray[np.int64]:
        """Pages of an array that are filled, counted from the array's start."""
        part = self.table[region.first : region.first + (region.nbytes + PAGE - 1) // PAGE]
        return np.flatnonzero(part > 0)

    def read(self, region: Region) -> npt.NDArray[np.uint8]:
        """All bytes of an array as they are now; for arrays that fit into memory."""
        count = (region.nbytes + PAGE - 1) // PAGE
        out = np.empty((count, PAGE), np.uint8)
        part = self.table[region.first : region.first + count]
        filled = np.flatnonzero(part > 0)
        rest = np.flatnonzero(part <= 0)
        out[filled] = self.pages.reshape(-1, PAGE)[part[filled] - 1]
        if rest.size:
            out[rest] = self._first(rest + region.first)
        return out.reshape(-1)[: region.nbytes]
