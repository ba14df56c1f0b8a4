"""Compiles originals and variants, disassembles them all at once, and writes the certificates.

Compiling goes on while the caller makes the next variant. What a result asks for (loops rolled, launch bounds) is
compiled as soon as it is known to be needed, so that no compiler waits for another one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from mutate.certify import count, demands, matching, relevant_classes, static_reasons
from mutate.errors import KmutateError
from mutate.frontend.headers import Headers
from mutate.model import Certificate, OccupancyPlan, Reason, Resources, StaticCounts, Verdict, worst
from mutate.mutations.base import Mutation
from mutate.mutations.build import VariantText
from mutate.mutations.rolled import rolled_text
from mutate.occupancy import Device, KernelResources, PaddingPlan, capability_of, device_for, plan_padding
from mutate.pipeline.compiling import Compiling, original_error
from mutate.pipeline.retext import KEEPS, with_launch_bounds, with_static_pad
from mutate.report.bench import load_template
from mutate.results import Progress, Request, Target
from mutate.sass.disasm import Instruction, Listing, code_of, disassemble
from mutate.sass.rough import rough_counts
from mutate.source import Lines
from mutate.toolchain.elf import Cubin
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvdisasm import WaitingNvdisasm, start_nvdisasm
from mutate.toolchain.nvrtc import Compiled, CompileFailed, Result

_MOST_AGAIN = 6
_UNPADDED = "the original's and the variant's occupancy were not compared"


@dataclass
class Candidate:
    """One variant on its way to a certificate."""

    mutations: tuple[Mutation, ...]
    text: VariantText
    source: bytes
    """What NVRTC compiles."""
    compiled: Compiled | None = None
    failure: CompileFailed | None = None
    rolled: dict[bool, Compiled] = field(default_factory=dict)
    """With loops rolled: those without a pragma (``False``), all (``True``)."""
    extra: list[Reason] = field(default_factory=list)
    cap: int | None = None
    same: bool = False
    """The original's text has given this code, too."""

    @property
    def name(self) -> str:
        return self.text.mutation


@dataclass
class Work:
    """One kernel instance with its original and all its variants."""

    target: Target
    entry: str
    original_source: bytes
    candidates: list[Candidate]
    headers: Headers = field(default_factory=Headers)
    original: Compiled | None = None
    rolled: dict[bool, Compiled] = field(default_factory=dict)
    rolled_sources: dict[bool, bytes] = field(default_factory=dict)
    error: KmutateError | None = None
    plan: PaddingPlan | None = None
    open: int = 0
    """How many of its first compiles are not done."""


class Prover:
    """Runs the stages over all kernels of a file together, so that each tool is started once."""

    def __init__(self, request: Request, compiling: Compiling, source: bytes, progress: Progress) -> None:
        self.request = request
        self.compiling = compiling
        self.works: list[Work] = []
        self.file = compiling.file
        self.lines = Lines(source)
        self.source = source
        self.source_options = request.source_options()
        self.progress = progress
        self.seconds: dict[str, float] = {"nvrtc": 0.0, "nvdisasm": 0.0}
        self._device: Device | None = None
        self._nvdisasm: WaitingNvdisasm | None = None
        self._counts: dict[int, tuple[dict[str, int], dict[str, int]]] = {}
        self.listings: dict[tuple[int, str | None], Listing] = {}
        """What runs, by work and variant (``None``: the original)."""

    # -- compiling ----------------------------------------------------------------------------------------

    def _submit(self, work: Work, source: bytes, then: Callable[[Result], None]) -> None:
        self.compiling.submit(source, work.entry, then)

    def _finish(self) -> None:
        self.compiling.compiler.run(lambda done, total: self.progress("compiling", done, total))
        self.seconds["nvrtc"] = self.compiling.compiler.seconds

    def compile_all(self, works: Sequence[Work]) -> None:
        """Everything up to certificates but the disassembly. Raises what the compiler raises."""
        self.works = list(works)
        self._find_device()
        for work in works:
            work.headers = self.compiling.headers
            work.open = 1 + len(work.candidates)
            self._submit(work, work.original_source, partial(self._original_done, work))
            for c in work.candidates:
                self._submit(work, c.source, partial(self._candidate_done, work, c))
        if self.compiling.compiler.compiled:
            # What is being compiled will have to be disassembled.
            self._nvdisasm = start_nvdisasm(find_toolchain().nvdisasm, self.request.arch)
            if any(work.target.launches for work in works):
                load_template()
        self._finish()
        for work in works:
            if work.original is not None and self._device is not None:
                work.plan = self._plan(work, self._device)
        if self.request.pad == "static":
            self._pad_statically()
            self._finish()

    def close(self) -> None:
        """Ends what was started and is not done."""
        self.compiling.compiler.cancel()
        if self._nvdisasm is not None:
            self._nvdisasm.close()

    def _original_done(self, work: Work, result: Result) -> None:
        if isinstance(result, CompileFailed):
            work.error = original_error(work.target.name, result, self.request.arch, self.file, self.source,
                                        work.headers.missing)
        else:
            work.original = result
            for c in work.candidates:
                self._compare(work, c)
        self._one_less(work)

    def _candidate_done(self, work: Work, c: Candidate, result: Result) -> None:
        if isinstance(result, CompileFailed):
            c.failure = result
        else:
            c.compiled = result
            self._compare(work, c)
        self._one_less(work)

    def _one_less(self, work: Work) -> None:
        work.open -= 1
        if not work.open and work.original is not None and self._device is not None:
            self._cap(work, self._plan(work, self._device))

    def _compare(self, work: Work, c: Candidate) -> None:
        self._compare_loops(work, c)
        if work.original is not None and c.compiled is not None and any(
                check.kind == "identical" for _, check in demands(c.mutations)):
            self._again(work, c, {_code(work.original): work.original}, {_code(c.compiled): c.compiled}, 1)

    def _again(self, work: Work, c: Candidate, theirs: dict[bytes, Compiled], mine: dict[bytes, Compiled],
               number: int) -> None:
        """Compiles both texts again until they have given the same code: of a few kernels NVRTC gives now one code,

        now another one, which says nothing about the text.
        """
        common = next((code for code in mine if code in theirs), None)
        if common is not None and number > 1:
            c.compiled, c.same = mine[common], True
            c.extra.append(Reason("compiler-varies", "of one text the compiler does not always make the same code: the "
                                  "original's gave this code, too, when both were compiled again", Verdict.VALID))
        if common is not None or number > _MOST_AGAIN:
            return

        def done(result: Result, into: dict[bytes, Compiled], left: list[None]) -> None:
            left.pop()
            if isinstance(result, Compiled):
                into.setdefault(_code(result), result)
                if not left:
                    self._again(work, c, theirs, mine, number + 1)

        left: list[None] = [None, None]
        # What is cached is another text's: blank lines at the end change nothing else.
        for source, into in ((work.original_source, theirs), (c.source, mine)):
            self._submit(work, source + b"\n" * number, partial(done, into=into, left=left))

    # -- loops --------------------------------------------------------------------------------------------

    def _compare_loops(self, work: Work, c: Candidate) -> None:
        """Compiles with rolled loops what the compiler has unrolled differently from the original."""
        if work.original is None or c.compiled is None:
            return
        before = rough_counts(work.original.cubin, work.original.entry)
        after = rough_counts(c.compiled.cubin, c.compiled.entry)
        if not _differ(c.mutations, before, after):
            return
        self._roll(work, c, False)

    def _roll(self, work: Work, c: Candidate, all_loops: bool) -> None:
        if all_loops not in work.rolled_sources:
            work.rolled_sources[all_loops] = rolled_text(work.original_source, self.file, self.source_options,
                                                         all_loops=all_loops)
        source = work.rolled_sources[all_loops]
        if source in (work.original_source, work.rolled_sources.get(not all_loops)):
            if not all_loops:
                self._roll(work, c, True)
            return
        mine = rolled_text(c.source, self.file, self.source_options, all_loops=all_loops)
        self._submit(work, source, partial(self._rolled_done, work, c, all_loops, work))
        self._submit(work, mine, partial(self._rolled_done, work, c, all_loops, c))

    def _rolled_done(self, work: Work, c: Candidate, all_loops: bool, place: Work | Candidate, result: Result) -> None:
        """Where that does not even the loops, all are rolled."""
        if isinstance(result, Compiled):
            place.rolled[all_loops] = result
        if all_loops or all_loops not in work.rolled or all_loops not in c.rolled:
            return
        before, after = (rough_counts(r.cubin, r.entry) for r in (work.rolled[all_loops], c.rolled[all_loops]))
        if _differ(c.mutations, before, after):
            self._roll(work, c, True)

    # -- occupancy ----------------------------------------------------------------------------------------

    def _find_device(self) -> None:
        try:
            self._device = device_for(capability_of(self.request.arch))
        except KmutateError as error:
            for work in self.works:
                for c in work.candidates:
                    c.extra.append(Reason("occupancy-unknown", f"{error.what}: {_UNPADDED}", Verdict.DEGRADED))

    def _cap(self, work: Work, plan: PaddingPlan) -> None:
        """Gives launch bounds to the variants that need too many registers."""
        for c in work.candidates:
            if c.compiled is not None and plan.variants[c.name].register_cap is not None:
                fits = plan.variants[c.name].natural.blocks_per_sm > 0
                self._bound(work, c, plan.original.padded.blocks_per_sm, fits)

    def _bound(self, work: Work, c: Candidate, blocks: int, fits: bool, why: str = KEEPS) -> None:
        # As many registers as the original has leave as many resident blocks, whatever a block's size is.
        own = (work.original.registers + 7) // 8 * 8 if work.original is not None and fits else 0
        made = with_launch_bounds(work.target, c.text, c.source, blocks, why, own)
        if made is not None:
            self._submit(work, made[1], partial(self._bounded, work, c, made, blocks, fits))

    def _bounded(self, work: Work, c: Candidate, made: tuple[VariantText, bytes], blocks: int, fits: bool,
                 result: Result) -> None:
        """Keeps the bounds where they cost no spills, or where no block of the variant fits without them."""
        if not isinstance(result, Compiled) or c.compiled is None:
            return
        spilled = result.spill_stores + result.spill_loads
        if spilled <= c.compiled.spill_stores + c.compiled.spill_loads or (blocks == 1 and not fits):
            if not fits:
                c.extra.append(Reason("register-cap", f"__launch_bounds__ in its text holds it to {result.registers} "
                                      f"registers: with {c.compiled.registers} no block would fit", Verdict.VALID))
            c.text, c.source, c.compiled, c.cap = *made, result, result.registers
            return
        # Spill traffic would be measured instead: fewer resident blocks are the lesser evil.
        c.extra.append(Reason("register-cap", f"held to {result.registers} registers it would spill {spilled} bytes, "
                                              "so it is not held", Verdict.VALID))
        if not fits:
            self._bound(work, c, 1, fits, "lets one block fit")

    def _plan(self, work: Work, device: Device) -> PaddingPlan:
        def resources(c: Compiled) -> KernelResources:
            return KernelResources(c.registers, c.static_smem, work.target.threads, work.target.dynamic_smem,
                                   max(1, c.barriers))

        assert work.original is not None  # the caller has checked: a work without an original is not planned
        variants = {c.name: resources(c.compiled) for c in work.candidates if c.compiled is not None}
        return plan_padding(resources(work.original), variants, device,
                            "static" if self.request.pad == "static" else "launch")

    def _pad_statically(self) -> None:
        """Writes ``--pad static`` padding into the variants' text and compiles them again."""
        for work in self.works:
            if work.plan is None:
                continue
            for c in work.candidates:
                mine = work.plan.variants[c.name] if c.compiled is not None else None
                pad = mine.pad if mine is not None and mine.register_cap is None else 0
                if pad:
                    c.text, c.source = with_static_pad(work.target, c.text, c.source, pad)
                    self._submit(work, c.source, partial(_keep_padded, c))

    # -- counting -----------------------------------------------------------------------------------------

    def certify_all(self) -> dict[int, dict[str, Certificate]]:
        """Certificates by work (index) and variant."""
        images: list[Compiled] = []
        places: dict[int, int] = {}

        def add(c: Compiled | None) -> int | None:
            if c is None:
                return None
            if id(c) not in places:
                places[id(c)] = len(images)
                images.append(c)
            return places[id(c)]

        def even(w: Work, c: Candidate) -> list[tuple[int | None, int | None]]:
            return [(add(w.rolled[k]), add(c.rolled[k])) for k in (False, True) if k in w.rolled and k in c.rolled]

        slots = [(add(w.original), [(add(c.compiled), even(w, c)) for c in w.candidates]) for w in self.works]
        start = time.perf_counter()
        if images:
            self.progress("disassembling", 0, 1)
        listings = disassemble([(c.cubin, c.entry) for c in images], self.request.arch,
                               waiting=self._nvdisasm) if images else []
        self.seconds["nvdisasm"] += time.perf_counter() - start
        out: dict[int, dict[str, Certificate]] = {}
        for i, (work, (original, variants)) in enumerate(zip(self.works, slots, strict=True)):
            done = out[i] = {}
            if original is not None:
                self.listings[i, None] = listings[original]
            for c, (natural, pairs) in zip(work.candidates, variants, strict=True):
                if original is None or natural is None or c.compiled is None or work.original is None:
                    continue
                static, identical = self._static(c, images, listings, original, natural, pairs)
                done[c.name] = self._certificate(work, c, static, identical)
                self.listings[i, c.name] = listings[natural]
        return out

    def _static(self, c: Candidate, images: Sequence[Compiled], listings: Sequence[tuple[Instruction, ...]],
                original: int, natural: int, pairs: Sequence[tuple[int | None, int | None]]
                ) -> tuple[StaticCounts, bool]:
        def counted(slot: int) -> tuple[dict[str, int], dict[str, int]]:
            if slot not in self._counts:
                self._counts[slot] = count(listings[slot], Cubin(images[slot].cubin), images[slot].entry)
            return self._counts[slot]

        before, _ = counted(original)
        after, hidden = counted(natural)
        identical = c.same or (len(listings[original]) == len(listings[natural]) and all(
            str(a) == str(b) for a, b in zip(listings[original], listings[natural], strict=True)))
        best: StaticCounts | None = None
        for rolled, even in pairs if not self._agree(c, before, after) else ():
            if rolled is None or even is None:
                continue
            flat_before, _ = counted(rolled)
            flat_after, flat_hidden = counted(even)
            if best is None or self._agree(c, flat_before, flat_after):
                best = StaticCounts(flat_before, flat_after, flat_hidden, "rolled", before, after)
        return best or StaticCounts(before, after, hidden), identical

    @staticmethod
    def _agree(c: Candidate, before: Mapping[str, int], after: Mapping[str, int]) -> bool:
        return relevant_classes(c.mutations, before) == relevant_classes(c.mutations, after)

    def _certificate(self, work: Work, c: Candidate, static: StaticCounts, identical: bool) -> Certificate:
        assert c.compiled is not None and work.original is not None  # narrowed by certify_all
        spans = {n.span.start: self.lines.place(n.span.start)[1] for n in c.text.notes if n.span is not None}
        reasons = [*static_reasons(c.mutations, static, c.text.notes, identical=identical, lines=spans), *c.extra]
        if c.compiled.spill_stores > work.original.spill_stores and not any(r.slug == "spills" for r in reasons):
            reasons.append(Reason("spills", f"the variant spills {c.compiled.spill_stores} bytes, the original "
                                            f"{work.original.spill_stores}"))
        occupancy = None
        if work.plan is not None and c.name in work.plan.variants:
            mine, theirs = work.plan.variants[c.name], work.plan.original
            reasons += [Reason(r.slug, r.text, Verdict.DEGRADED) for r in mine.reasons]
            # The plan's padding is for a variant held to the cap; one that is not keeps what it has by itself.
            too_few = mine.register_cap is not None
            if too_few:
                reasons.append(Reason("occupancy-differs", f"{c.compiled.registers} registers leave "
                                      f"{mine.natural.blocks_per_sm} resident blocks per SM, the original has "
                                      f"{theirs.padded.blocks_per_sm}"))
            elif c.cap is not None:
                bound = "__maxnreg__" if any("__maxnreg__" in e.text for e in c.text.edits) else "__launch_bounds__"
                reasons.append(Reason("register-cap", f"{bound} in its text holds it to {c.cap} registers: "
                                                      "as many resident blocks as the original", Verdict.VALID))
            pad = 0 if too_few else mine.pad
            occupancy = OccupancyPlan(
                original=theirs.padded.blocks_per_sm, variant=mine.natural.blocks_per_sm,
                padded=mine.natural.blocks_per_sm if too_few else mine.padded.blocks_per_sm,
                threads_per_block=work.target.threads,
                dynamic_smem=work.target.dynamic_smem if too_few else mine.dynamic_smem, dynamic_smem_pad=pad,
                carveout_kb=mine.carveout_kb, carveout_percent=mine.carveout_percent,
                limiter=str(mine.natural.limiter), register_cap=c.cap, block_is_assumed=work.target.assumed_block)
            if work.target.assumed_block:
                reasons.append(Reason("block-assumed", f"no launch declaration: occupancy is for {work.target.threads} "
                                      "threads a block", Verdict.VALID))
        unique = tuple(dict.fromkeys(reasons))
        return Certificate(worst(unique), unique, static, _resources(work.original), _resources(c.compiled), occupancy)


def _code(c: Compiled) -> bytes:
    return code_of(Cubin(c.cubin), c.entry)


def _keep_padded(c: Candidate, result: Result) -> None:
    if isinstance(result, Compiled):
        c.compiled = result
    else:
        c.compiled, c.failure = None, result


def _resources(c: Compiled) -> Resources:
    return Resources(c.registers, c.spill_stores, c.spill_loads, c.local_bytes, c.static_smem)


def _differ(mutations: Sequence[Mutation], before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Whether two rough counts differ in a class that a check compares."""
    return any(check.kind.startswith("same") and matching(before, check.classes) != matching(after, check.classes)
               for _, check in demands(mutations))
