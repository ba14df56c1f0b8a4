"""Which settings a sweep tries, and how each is set: the caches' 2×2, resident blocks by padding, register caps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mutate.launch.model import Launch
from mutate.machines import Machine
from mutate.occupancy import Device, KernelResources, Occupancy, percent_for, resident_blocks
from mutate.occupancy.calculator import default_carveout, effective_capacity
from mutate.pipeline.experiments import pad_for
from mutate.sass.disasm import Listing
from mutate.timing import ORIGINAL, Run
from mutate.toolchain.nvrtc import Compiled

CA, CG = "ca", "cg"
CG_OPTION = "--ptxas-options=-dlcm=cg"
# A sweep is not to take minutes: so many carve-outs, and so many caps.
_CARVEOUTS, _CAPS = 5, 6
_LEAST_CAP = 16
# Below the caps that change the resident blocks, these show what spilling costs.
_RUNGS = (168, 128, 96, 80, 64, 56, 48, 40, 32, 24, 16)


@dataclass(frozen=True)
class Built:
    """Machine code that runs."""

    compiled: Compiled
    listing: Listing

    def resources(self, launch: Launch) -> KernelResources:
        c = self.compiled
        return KernelResources(c.registers, c.static_smem, launch.threads, launch.smem, max(1, c.barriers))


@dataclass(frozen=True)
class Subject:
    """A launch whose settings are swept. ``name`` is the kernel's in a C++ expression; ``carveout_kb`` what its

    variants are timed with. ``parts``: the original and the certified variants. ``emulates``: the code is not the
    machine's own, so that what the compiler would do for it is done by the model of its caches. ``bounded``: the
    kernel has ``__launch_bounds__``.
    """

    name: str
    launch: Launch
    device: Device
    carveout_kb: int | None
    parts: Mapping[str, Built]
    emulates: bool = False
    bounded: bool = False

    @property
    def original(self) -> Built:
        return self.parts[ORIGINAL]

    def occupancy(self, built: Built, carveout_kb: int | None, pad: int = 0) -> Occupancy:
        return resident_blocks(built.resources(self.launch).with_pad(pad), self.device, carveout_kb)


@dataclass(frozen=True)
class Trial:
    """One kernel under one setting. ``around``: all its global loads go around L1, whatever its code says."""

    kernel: str
    built: Built
    occupancy: Occupancy
    carveout_kb: int | None
    percent: int | None = None
    pad: int = 0
    around: bool = False

    def run(self, name: str, launch: Launch) -> Run:
        c = self.built.compiled
        return Run(name, c.cubin, c.entry, launch.smem + self.pad, self.percent, self.occupancy.blocks_per_sm)


@dataclass(frozen=True)
class Planned:
    """One setting with the kernels that are tried under it; ``left_out`` says of others why not."""

    name: str
    value: float
    trials: tuple[Trial, ...]
    group: str = ""
    how: tuple[str, ...] = ()
    current: bool = False
    carveout_kb: int | None = None
    l1_kb: int | None = None
    cap: int | None = None
    left_out: tuple[str, ...] = ()


def trial(subject: Subject, kernel: str, built: Built, carveout_kb: int | None, blocks: int | None = None, *,
          around: bool = False) -> Trial | None:
    """A kernel at a carve-out with so many resident blocks (``None``: what it has by itself), if there is a way."""
    resources = built.resources(subject.launch)
    occupancy = subject.occupancy(built, carveout_kb)
    pad = 0
    if blocks is not None and blocks != occupancy.blocks_per_sm:
        found = pad_for(blocks, resources, subject.device, carveout_kb)
        if found is None:
            return None
        pad, occupancy = found, subject.occupancy(built, carveout_kb, found)
    if not occupancy.blocks_per_sm:
        return None
    percent = None
    if subject.device.carveout_control == "percent" and carveout_kb is not None:
        percent = percent_for(resources.with_pad(pad), subject.device, carveout_kb)
        if percent is None:
            return None
    return Trial(kernel, built, occupancy, carveout_kb, percent, pad, around)


# --- caches ---


def carveouts(subject: Subject) -> list[int]:
    """Configurations of shared memory that hold a block and differ in effect, at most five, the driver's among them."""
    device, resources = subject.device, subject.original.resources(subject.launch)
    usual = default_carveout(resources, device)
    found = list(dict.fromkeys(effective_capacity(resources, device, kb) // 1024 for kb in device.carveouts))
    found = [kb for kb in found if trial(subject, ORIGINAL, subject.original, kb) is not None or kb == usual]
    if len(found) <= _CARVEOUTS:
        return found
    others = _spread([kb for kb in found if kb != usual], _CARVEOUTS - 1)
    return sorted({*others, usual})


def _spread(values: Sequence[int], count: int) -> list[int]:
    """So many of them, with both ends."""
    if len(values) <= count:
        return list(values)
    return [values[round(k * (len(values) - 1) / (count - 1))] for k in range(count)]


def no_cache_sweep(device: Device, machine: Machine | None) -> str:
    """Why there is nothing to try; nothing where there is."""
    if not device.unified_cache:
        return f"{machine.title if machine is not None else device.name} has no L1 for global loads"
    return ""


def cache_settings(subject: Subject, rebuilt: Mapping[str, Built]) -> tuple[list[Planned], list[str]]:
    """{ca, cg} × carve-outs, and notes. ``rebuilt``: the kernels compiled with ``CG_OPTION``, where that is wanted."""
    from mutate.sim.caches import goes_around

    notes = []
    groups: list[tuple[str, Mapping[str, Built]]] = [(CA, subject.parts)]
    cg = subject.parts if subject.emulates else rebuilt
    mine = cg.get(ORIGINAL)
    if mine is None:
        notes.append("cg is missing: the kernel was not compiled with -dlcm=cg")
    elif not subject.emulates and mine.listing == subject.original.listing:
        notes.append("-dlcm=cg changes nothing here: the kernel has no global load that it sends around L1")
    else:
        groups.append((CG, cg))
        loads = [i for i in mine.listing if i.name in ("LDG", "LD")]
        kept = [i for i in loads if not goes_around(i, False)]
        if kept and not subject.emulates:
            notes.append(f"with cg {len(kept)} of {len(loads)} global loads still look into L1: read-only ones "
                         "(const __restrict__, __ldg) and those with a cache operator of their own do not heed -dlcm")
    usual = default_carveout(subject.original.resources(subject.launch), subject.device)
    out = []
    for group, parts in groups:
        for kb in carveouts(subject):
            around = group == CG and subject.emulates
            first = trial(subject, ORIGINAL, parts[ORIGINAL], kb, around=around)
            if first is None:
                continue
            blocks = first.occupancy.blocks_per_sm
            trials, left_out = [first], []
            for name in (n for n in parts if n != ORIGINAL):
                other = trial(subject, name, parts[name], kb, blocks, around=around)
                if other is None:
                    left_out.append(f"{name} cannot have {blocks} resident blocks beside {kb} KB of shared memory")
                else:
                    trials.append(other)
            l1 = subject.device.l1_kb(kb) or 0
            how = (*(["nvcc -Xptxas -dlcm=cg"] if group == CG else []),
                   *([_carveout_line(subject, kb, first.percent)] if kb != usual else []))
            out.append(Planned(f"{group}, {l1} KB L1", l1, tuple(trials), group, how, group == CA and kb == usual, kb,
                               l1, left_out=tuple(left_out)))
    return out, notes


def _carveout_line(subject: Subject, kb: int, percent: int | None) -> str:
    if subject.device.carveout_control == "percent":
        return f"cudaFuncSetAttribute({subject.name}, cudaFuncAttributePreferredSharedMemoryCarveout, {percent});"
    smallest = kb == subject.device.carveouts[0]
    return f"cudaFuncSetCacheConfig({subject.name}, cudaFuncCachePrefer{'L1' if smallest else 'Shared'});"


# --- occupancy ---


def occupancy_settings(subject: Subject) -> tuple[list[Planned], list[str]]:
    """Every number of resident blocks from one to what the launch has, by padding; the carve-out stays."""
    kb = subject.carveout_kb
    most = subject.occupancy(subject.original, kb).blocks_per_sm
    out, missing = [], []
    for blocks in range(1, most + 1):
        first = trial(subject, ORIGINAL, subject.original, kb, blocks)
        if first is None:
            missing.append(str(blocks))
            continue
        trials = [first]
        left_out = []
        for name in (n for n in subject.parts if n != ORIGINAL):
            other = trial(subject, name, subject.parts[name], kb, blocks)
            if other is None:
                left_out.append(f"{name} cannot have {blocks} resident blocks")
            else:
                trials.append(other)
        how = (f"{first.pad:,} more bytes of dynamic shared memory at launch",) if first.pad else ()
        out.append(Planned(f"{blocks} block{'s' if blocks > 1 else ''}", blocks, tuple(trials), how=how,
                           current=blocks == most, carveout_kb=kb, left_out=tuple(left_out)))
    notes = [f"no padding gives {', '.join(missing)} resident blocks"] if missing else []
    return out, notes


# --- registers ---


def register_caps(subject: Subject, natural: int) -> list[int]:
    """Caps below a kernel's own count, the highest first: those that allow more resident blocks, then round numbers."""
    device = subject.device
    top = min(natural, device.registers_per_thread + 1)
    resources = subject.original.resources(subject.launch)
    steps = []
    blocks = resident_blocks(replace(resources, registers=min(natural, device.registers_per_thread)),
                             device).blocks_per_sm
    for registers in range(top - 1, _LEAST_CAP - 1, -1):
        there = resident_blocks(replace(resources, registers=registers), device).blocks_per_sm
        if there > blocks:
            steps.append(registers)
            blocks = there
    chosen = _spread(steps, _CAPS)
    chosen += [r for r in _RUNGS if r < min([top, *steps])][: _CAPS - len(chosen)]
    return sorted(chosen, reverse=True)


def _alike(a: Compiled, b: Compiled) -> bool:
    """Whether a lower cap came to nothing: the compiler takes no fewer registers than it needs for calls."""
    return (a.registers, a.spill_stores, a.spill_loads) == (b.registers, b.spill_stores, b.spill_loads)


def register_settings(subject: Subject, built: Sequence[tuple[int | None, Built]], now: int | None
                      ) -> tuple[list[Planned], list[str]]:
    """Settings by cap (``None``: no cap), and notes. The first of ``built`` is the launch as it is, with cap ``now``.

    Caps that lead to the same code are one setting.
    """
    out: list[Planned] = []
    seen: list[Built] = []
    without_effect = []
    notes = []
    device, threads = subject.device, subject.launch.threads
    bounds = "without its __launch_bounds__, " if subject.bounded else ""
    for number, (cap, code) in enumerate(built):
        if any(code.listing == s.listing or _alike(code.compiled, s.compiled) for s in seen):
            without_effect.append(cap)
            continue
        kb = default_carveout(code.resources(subject.launch), device)
        found = trial(subject, ORIGINAL, code, kb)
        name = f"cap {cap}" if cap is not None else "as it is" if not number else "no cap"
        if found is None:
            notes.append(f"{name}: no block fits on an SM with {code.compiled.registers} registers a thread")
            continue
        seen.append(code)
        blocks = found.occupancy.blocks_per_sm
        how = () if not number else (f"{bounds}nvcc without -maxrregcount" if now is not None else bounds.rstrip(", "),
                                     ) if cap is None else \
            (f"{bounds}nvcc -maxrregcount={cap}; or for this kernel alone __launch_bounds__({threads}, {blocks})",)
        out.append(Planned(name, code.compiled.registers, (found,), "", how, not number, kb, device.l1_kb(kb), cap))
    if len(out) == 1 and without_effect:
        notes.append("no cap changes the code: the compiler takes no fewer registers than it needs for calls")
    if subject.bounded and now is not None:
        notes.append(f"the compiler heeds __launch_bounds__ rather than -maxrregcount={now}")
    return sorted(out, key=lambda p: (-p.value, p.cap is not None)), notes
