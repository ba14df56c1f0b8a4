"""Looks for a way of writing a variant's loops and loads with which it touches exactly what the original touches.

Which line of the kernel touches other sectors says which of them to write otherwise. The next step goes on from what is
nearest to the original.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from mutate.dynamic import Binary
from mutate.errors import KmutateError
from mutate.mutations.build import VariantText
from mutate.pipeline.attempts import LOOPED, Choice, LineMap, at_calls, names_of, places_of, suspects, with_choice
from mutate.pipeline.by_line import Apart, ByLine, apart, run_by_line, same, sample
from mutate.pipeline.compiling import Compiling
from mutate.pipeline.prove import Candidate, Prover, Work
from mutate.sass.disasm import disassemble
from mutate.toolchain.nvrtc import Compiled, Result

_STEPS = 8
_WIDTH, _BEAM, _AT_ONCE = 16, 2, 8
"""Attempts that one step makes from each of the nearest, how many of these go on, how many are compiled together."""
_WORK = 30.0
"""What the attempts of one variant may cost: about as many seconds of one core.

It is reckoned by what is compiled and run, not by the clock: every machine tries the same, whatever else it does.
"""
_ATTEMPT, _OF_CODE, _OF_RUN = 0.06, 2.5e-4, 1e-6
"""An attempt's cost: by itself, by instructions of the original's code, by instructions that the original executes."""
_MOST_TIMES, _LEAST_BUDGET = 4, 1_000_000
_THREADS = 2


Outcome = tuple[bool, frozenset[tuple[int, float]]]


@dataclass(frozen=True)
class _Tried:
    choice: Choice
    text: VariantText
    source: bytes
    exact: bool
    apart: Apart

    @property
    def outcome(self) -> Outcome:
        return self.exact, frozenset(self.apart.items())

    @property
    def distance(self) -> float:
        return sum(self.apart.values())


def _order(t: _Tried) -> tuple[bool, float, int]:
    return not t.exact, t.distance, len(t.choice)


_UNFIT = {True: {("put", "gone"), ("put", "apart"), ("put", "equal"), ("fold", "own"), ("end", "loose")},
          False: {("put", "clobber")}}
"""What is not for variants that do not store (``True``), and not for those that do."""
_TOGETHER = {("put", "equal"), ("stored", "stored")}
Known = Mapping[tuple[str, int, int], str]
"""What was found for another variant of the kernel, by ``names_of``."""


class Search:
    """One variant's attempts. ``until``, by ``time.monotonic``, is when they are given up whatever is left to try."""

    def __init__(self, prover: Prover, work: Work, c: Candidate, until: float) -> None:
        self._work, self._c, self._until = work, c, until
        self._left, self._price = _WORK, 0.0
        self.stopped = False
        """Whether the clock ended it: another machine may find more."""
        self._mutation = c.mutations[0].id
        self._arch = prover.request.arch
        self._compiling: Compiling = copy.copy(prover.compiling)
        # Line information leaves the code as it is.
        self._compiling.options = replace(prover.compiling.options,
                                          extra=(*prover.compiling.options.extra, "-lineinfo"))
        self._places = places_of(c.text, prover.file, prover.source_options)
        self._lines = LineMap(c.text)
        """Of the text that the places are in: an attempt's has more lines."""
        self._ran: dict[bytes, tuple[bool, Apart] | None] = {}
        self._original: ByLine | None = None
        self._blocks: tuple[int, ...] = ()
        self.known: Known = {}
        """After ``found``: what another variant may be tried with."""

    def found(self, known: Known) -> tuple[VariantText, bytes, str] | None:
        """The variant's text, what NVRTC gets, and in words what was changed; ``None`` where nothing was found.

        Where nothing is exact, what touches as many sectors in every line, by more or fewer threads, is better than
        nothing.
        """
        if not self._places or not self._begin():
            return None
        names = names_of(self._places, self._lines)
        like = {p: known[name] for p, name in names.items() if name in known}
        # What was made first is where few changes begin, so it is gone on from, too.
        tried = self._step([{}, *([like] if like else []), *self._starts()])
        left = [*tried[:1], *(t for t in tried[1:] if not t.choice), *(t for t in tried[1:] if t.choice)]
        best = min(left, key=_order, default=None)
        done: set[Outcome] = set()
        for _ in range(_STEPS):
            if not left or best is None or best.exact or self._is_spent():
                break
            mine, left = left[:_BEAM], left[_BEAM:]
            done |= {t.outcome for t in mine}
            left += self._step([m for t in mine for m in self._moves(t)])
            best = min([best, *left], key=_order)
            # Of those that differ from the original alike the one with the fewest changes is enough.
            left.sort(key=_order, reverse=True)
            left = sorted((t for t in {t.outcome: t for t in left}.values() if t.outcome not in done), key=_order)
        if best is None or (not best.exact and best.distance > 0):
            return None
        self.known = {names[p]: what for p, what in best.choice.items()}
        return best.text, best.source, _words(best.choice)

    def _begin(self) -> bool:
        """Runs the original."""
        first = self._built([self._work.original_source])[0]
        if first is None:
            return False
        blocks = sample(first, self._work.target.launches, _WIDTH)
        if blocks is None:
            return False
        self._blocks, self._original = blocks, run_by_line(first, self._work.target.launches, blocks)
        if self._original is None:
            return False
        self._price = _ATTEMPT + _OF_CODE * len(first.listing) + _OF_RUN * self._original.instructions
        return True

    def _starts(self) -> list[Choice]:
        """All places alike; and calls where the original has them."""
        assert self._original is not None  # the search has begun

        def alike(how: str) -> Choice:
            return dict.fromkeys((p for p in self._places if how in p.options), how)

        calls, divides = (at_calls(self._places, self._lines, self._original.calls, how) for how in ("call", "divide"))
        rolled = {p: what for p, what in alike("1").items() if p.kind == "loop"}
        unrolled = [dict.fromkeys(rolled, factor) for factor in ("4", "2")]
        # What is only for variants that do not store, and only for those that do.
        clobber = alike("clobber") if self._mutation == "load-only" else {}
        loose = alike("loose") if self._mutation == "memory-only" else {}
        apart = alike("apart") if self._mutation == "store-only" else {}
        one = {p: "equal" for p in self._places if p.kind == "put"} if self._mutation != "load-only" else {}
        free = alike("free")
        plain = alike("plain")
        pure, stored = alike("pure"), alike("stored")
        of = self._lines.of
        puts = {of(line) for p in self._places if p.kind == "put" for line in p.lines}
        own = {p: "own" for p in self._places if p.kind == "fold" and not puts.isdisjoint(map(of, p.lines))
               } if self._mutation == "memory-only" else {}
        out: list[Choice] = [clobber, apart, plain, divides, free, rolled, {**plain, **divides}, alike("late"), calls,
                             stored, pure, own, alike("here"), *unrolled, {**free, **plain}, {**rolled, **divides},
                             {**free, **divides}, {**clobber, **loose, **divides}, {**rolled, **plain}, loose,
                             {**rolled, **calls}, {**alike("here"), **calls}, {**free, **rolled, **divides},
                             {**free, **plain, **divides}, {**unrolled[0], **divides}, alike("equal"),
                             {**clobber, **loose, **free}, {**clobber, **loose, **free, **divides}, alike("value"),
                             {**pure, **divides}, {**own, **divides}, {**own, **free}, {**stored, **divides}, one]
        return list({tuple(sorted((p.at, how) for p, how in x.items())): x for x in out if x}.values())

    def _moves(self, best: _Tried) -> list[Choice]:
        """One place more written otherwise, or one less."""
        out: list[Choice] = []
        suspected = suspects(self._places, self._lines, best.apart)
        mine = {p.at: what for p, what in best.choice.items()}
        for p in (*suspected, *(p for p in self._places if p not in suspected)):
            for what in p.options:
                if what == mine.get(p.at) or (p.kind, what) in _UNFIT[self._mutation == "load-only"]:
                    continue
                # What makes one of two branches is done in both.
                those = [q for q in self._places if (q.kind, q.lines, q.name) == (p.kind, p.lines, p.name)
                         ] if (p.kind, what) in _TOGETHER else [p]
                out.append({**best.choice, **dict.fromkeys(those, what)})
            if p in best.choice:
                out.append({q: what for q, what in best.choice.items() if q != p})
        return out[:_WIDTH]

    def _step(self, choices: Sequence[Choice]) -> list[_Tried]:
        """Attempts, some at once, until one is exact or nothing is left to spend."""
        tried: list[_Tried] = []
        at = 0
        while at < len(choices) and not any(t.exact for t in tried) and not self._is_spent():
            many = max(1, min(_AT_ONCE, int(self._left / self._price)))
            tried += self._tried(choices[at : at + many])
            at += many
        return sorted(tried, key=_order)

    def _is_spent(self) -> bool:
        if self._left > 0 and time.monotonic() > self._until:
            self.stopped = True
        return self._left <= 0 or self.stopped

    def _tried(self, choices: Sequence[Choice]) -> list[_Tried]:
        """What came of some attempts; of those with one binary that with the fewest changes."""
        texts = [with_choice(self._c.text, self._c.source, self._places, choice) for choice in choices]
        self._left -= self._price * len(texts)
        built = self._built([source for _, source in texts])
        fresh = {b.cubin: b for b in built if b is not None and b.cubin not in self._ran}
        lines = {b.cubin: LineMap(text) for (text, _), b in zip(texts, built, strict=True) if b is not None}
        with ThreadPoolExecutor(_THREADS) as pool:
            for cubin, result in zip(fresh, pool.map(lambda b: self._run(b, lines[b.cubin]), fresh.values()),
                                     strict=True):
                self._ran[cubin] = result
        tried: dict[bytes, _Tried] = {}
        for choice, text, b in zip(choices, texts, built, strict=True):
            if b is not None and b.cubin in fresh and (ran := self._ran[b.cubin]) is not None:
                one = _Tried(choice, *text, *ran)
                tried[b.cubin] = min(tried.get(b.cubin, one), one, key=_order)
        return list(tried.values())

    def _run(self, binary: Binary, lines: LineMap) -> tuple[bool, Apart] | None:
        assert self._original is not None  # the search has begun
        budget = _MOST_TIMES * self._original.instructions + _LEAST_BUDGET
        ran = run_by_line(binary, self._work.target.launches, self._blocks, budget)
        if ran is None:
            return None
        mine: dict[tuple[int, str], int] = {}
        theirs: dict[tuple[int, str], int] = {}
        for (line, kind), many in ran.sectors.items():
            mine[lines.of(line), kind] = mine.get((lines.of(line), kind), 0) + many
        for (line, kind), many in self._original.sectors.items():
            theirs[lines.original(line), kind] = theirs.get((lines.original(line), kind), 0) + many
        return same(self._mutation, self._original, ran), apart(self._mutation, theirs, mine)

    def _built(self, sources: Sequence[bytes]) -> list[Binary | None]:
        """The binaries, with line information; ``None`` for what does not compile."""
        results: dict[int, Result] = {}
        for k, source in enumerate(sources):
            self._compiling.submit(source, self._work.entry, partial(results.__setitem__, k))
        self._compiling.compiler.run()
        done = {k: r for k, r in results.items() if isinstance(r, Compiled)}
        unique = {r.cubin: r for r in done.values()}
        try:
            listings = dict(zip(unique, disassemble([(r.cubin, r.entry) for r in unique.values()], self._arch),
                                strict=True)) if unique else {}
        except KmutateError:
            return [None] * len(sources)
        return [Binary(done[k].cubin, done[k].entry, listings[done[k].cubin]) if k in done else None
                for k in range(len(sources))]


def _words(choice: Choice) -> str:
    def many(*kinds: str, way: str = "") -> int:
        return sum(p.kind in kinds and way in ("", what) for p, what in choice.items())

    factors = ", ".join(sorted({what for p, what in choice.items() if p.kind in LOOPED}))
    found = [f"{n} {text}" for n, text in (
        (many(*LOOPED), f"of its loops have a pragma (unroll {factors})"),
        (many("statement") + many("fold", way="divide"),
         "calls or divisions that are never made hold loads in their places"),
        (many("fold", "keep", way="here"), "loads are held in their places"),
        (many("fold", way="late"), "loads may be made where they are stored"),
        (many("keep", way="plain"), "loads are made for addresses and conditions alone"),
        (many("value"), "values that the original needs for more than addresses and conditions are folded"),
        (many("fold", way="own"), "loads are for one store alone"),
        (many("stored"), "values that stay are folded where the original stores them"),
        (many("fold", way="equal"), "loads of several branches are folded alike"),
        (many("fold", way="not"), "loads that the original does not make are left out"),
        (many("put", way="gone"), "stores that the original does not make are left out"),
        (many("put", way="equal"), "stores of several branches are alike"),
        (many("put", way="apart"), "stores of several branches are kept apart"),
        (many("put", way="clobber"), "stores that are not made are to the compiler as if they were"),
        (many("copy"), "functions return what they load"),
        (many("return"), "early returns do not wait for the loads"),
        (many("end"), "end does not wait for the loads")) if n]
    return "; ".join(found) or "nothing is changed"
