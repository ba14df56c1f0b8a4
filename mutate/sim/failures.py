"""What a simulation that stopped says: which access, of which block and thread, at which line of the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutate.errors import KmutateError
from mutate.sass.classes import without_padding
from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay

if TYPE_CHECKING:
    from mutate.sim.decode import Program
    from mutate.sim.run import Simulation

_DECLARATION = "correct the launch declaration or the kernel"


def dims(number: int, shape: tuple[int, int, int]) -> str:
    """A linear block or thread number as coordinates: ``(x, y, z)``."""
    x, y, _ = shape
    return f"({number % x}, {number // x % y}, {number // (x * y)})"


def coverage(program: Program) -> str:
    """How much of a kernel can be simulated: instructions and their forms, that is opcodes with modifiers."""
    code = without_padding(program.listing)
    forms = {i.opcode for i in code}
    missing = {u.index for u in program.unsupported if u.index < len(code)}
    unknown = sorted({code[k].opcode for k in missing})
    known = len(forms - {f for f in unknown if all(k in missing for k, i in enumerate(code) if i.opcode == f)})
    names = ", ".join(unknown[:8]) + (f" and {len(unknown) - 8} more" if len(unknown) > 8 else "")
    return (f"{len(code) - len(missing)} of the kernel's {len(code)} instructions are supported, {known} of their "
            f"{len(forms)} forms" + (f"; not {names}" if names else ""))


def failure(run: Simulation, status: int, block: int) -> KmutateError:
    """The error of a run that returned with ``status``."""
    code, warp, lane, pc, address, width = (int(v) for v in run.error[:6])
    if status == lay.DEADLOCK:
        return _deadlock(run, block)
    instruction = run.program.listing[pc]
    who = f"block {dims(block, run.launch.grid)}, thread {dims(32 * warp + lane, run.launch.block)}"
    if status == lay.OUT_OF_BUDGET:
        return error("instruction-budget", run, pc, f"more than {run.budget:,} instructions, the last of block "
                     f"{dims(block, run.launch.grid)}, warp {warp}",
                     "does this loop end? else simulate fewer --blocks, a smaller launch, or give a larger --budget")
    if code == lay.E_TRAP:
        return _trap(run, pc, instruction, f"block {dims(block, run.launch.grid)}, warp {warp}")
    if code == lay.E_ASSERT:
        return error("kernel-trap", run, pc, f"an assertion of the kernel does not hold; {who}", _DECLARATION)
    if code == lay.E_SYSTEM:
        name = lay.SYSTEM_FUNCTIONS[address] if 0 < address < len(lay.SYSTEM_FUNCTIONS) else "different functions"
        return error("unsupported-instruction", run, pc, f"cannot simulate a call of {name}; {who}, {instruction}",
                     "what the driver's functions do is not guessed")
    if code == lay.E_TEXTURE:
        slug, what, hint = _object(run, instruction, address & 0xFFFFFFFF, width, tuple(int(v) for v in run.error[6:8]))
        return error(slug, run, pc, f"{what}; {who}, {instruction}", hint)
    what, hint = _access(run, code, address, width)
    what = f"{what}; {who}, {instruction}"
    if code in (lay.E_GLOBAL, lay.E_SHARED):
        return error("out-of-range", run, pc, what, hint)
    return error("misaligned" if code == lay.E_MISALIGNED else "bad-access", run, pc, what, hint)


def error(slug: str, run: Simulation, pc: int, what: str, hint: str) -> KmutateError:
    """An error at the source line of an instruction, or at its offset where the line is not known."""
    offset = run.program.listing[pc].offset
    place = run.places.of(offset) if run.places is not None else None
    if run.places is None or place is None:
        return KmutateError(slug, what, where=f"{run.image.entry}+{offset:#x}", hint=hint)
    span = run.places.span(place)
    if span is None:
        return KmutateError(slug, what, where=str(place), hint=hint)
    return KmutateError(slug, what, file=place.file, source=run.places.sources[place.file], span=span, hint=hint)


def _trap(run: Simulation, pc: int, instruction: Instruction, who: str) -> KmutateError:
    why = next((u.why for u in run.program.unsupported if u.index == pc), None)
    if why is None:
        return error("kernel-trap", run, pc, f"the kernel stops itself here; {who}, {instruction}",
                     "look at the assertion or trap that it runs into")
    return error("unsupported-instruction", run, pc, f"cannot simulate {instruction}: {why}; "
                 f"{coverage(run.program)}", "please report the instruction; what it computes is not guessed")


def _access(run: Simulation, code: int, address: int, width: int) -> tuple[str, str]:
    address &= 0xFFFFFFFFFFFFFFFF
    if code == lay.E_GLOBAL:
        found = run.initial.region_of(address)
        if found is None:
            return f"address {address:#x} is in no declared array", _DECLARATION
        region, offset = found
        size = region.array.elem.size if region.array is not None else 1
        beyond = f", {width} bytes" if offset // size < region.nbytes // size and offset >= 0 else ""
        return (f"{region.name}[{offset // size}]{beyond} is outside its {region.nbytes // size} elements",
                _DECLARATION)
    if code == lay.E_SHARED:
        return (f"shared memory byte {address - (1 << 64) if address >> 63 else address} is outside the block's "
                f"{run.shared_bytes} bytes", "declare more dynamic shared memory or correct the kernel")
    if code == lay.E_MISALIGNED:
        found = run.initial.region_of(address)
        where = f" ({found[0].name} + {found[1]} bytes)" if found is not None else ""
        return f"address {address:#x}{where} is no multiple of the access's {width} bytes", "correct the kernel"
    return {lay.E_LOCAL: f"local memory byte {address} is outside the thread's {run.image.local_size} bytes",
            lay.E_SPLITS: "more than 32 divergent paths of one warp",
            lay.E_TARGET: f"a jump to {address:#x}, where there is no code"}.get(code, "failure"), "correct the kernel"


_OBJECTS = "declare it: cudaTextureObject_t t = texture2D(array, width, height, desc);"
_FETCHES = {"Linear": "tex1Dfetch", "1D": "tex1D", "2D": "tex2D", "3D": "tex3D", "1DLayered": "tex1DLayered",
            "2DLayered": "tex2DLayered", "Cubemap": "texCubemap", "CubemapLayered": "texCubemapLayered"}


def _object(run: Simulation, instruction: Instruction, value: int, why: int,
            place: Sequence[int]) -> tuple[str, str, str]:
    """Slug, what and hint of an access of a texture or surface object that fails. ``value`` is the handle."""
    surface = instruction.name in ("SULD", "SUST")
    kind = "surface" if surface else "texture"
    if why == lay.T_NO_ALIGNMENT:
        return "misaligned", f"x = {_signed(value)} is no multiple of the surface access's bytes", "x counts bytes"
    made = next((t for t in run.launch.textures if t.handle == value and t.surface == surface), None)
    if made is None:
        return "bad-access", f"{value:#x} is no {kind} object of the launch", _OBJECTS.replace(
            "texture2D(array, width, height, desc)", "surface2D(array, width, height)"
        ).replace("Texture", "Surface") if surface else _OBJECTS
    size = "x".join(map(str, (made.width, made.height, made.depth)[: max(1, "123".find(made.shape[0]) + 1)]))
    whole = f"the {kind} {made.name}({made.array}) of {size} texels"
    if why == lay.T_NO_SHAPE:
        return "bad-access", f"{whole} is accessed as another shape", (
            f"{made.name} makes a surface" if surface else f"{made.name} is read by {_FETCHES[made.shape]}()")
    if why == lay.T_NO_CHANNEL:
        return "bad-access", f"{whole} has {made.channels} channels; the kernel gathers another", (
            f"the elements of {made.array} must have the channels that the kernel reads")
    if why == lay.T_NO_NUMBER:
        return "bad-access", f"{whole} is read at a coordinate that is no number", "correct the kernel"
    if why == lay.T_NO_LAYER:
        return "out-of-range", f"{whole} has {made.layers} layers; the kernel accesses another", _DECLARATION
    axis, at = place
    unit = f"byte x = {_signed(at)}" if axis == 0 else f"{'xyz'[axis]} = {_signed(at)}"
    return "out-of-range", f"{whole}: {unit} is outside", "x counts bytes; or give a boundary mode"


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _deadlock(run: Simulation, block: int) -> KmutateError:
    waiting: dict[int, int] = {}
    for warp in range(run.warps):
        for k in range(32):
            if run.states[warp, k] in (lay.AT_BARRIER, lay.AT_SYNC, lay.AT_WARPSYNC):
                pc = int(run.pcs[warp, k])
                waiting[pc] = waiting.get(pc, 0) + int(run.masks[warp, k]).bit_count()
    order = sorted(waiting, key=lambda pc: -waiting[pc])
    lines = []
    for pc in order:
        place = run.places.of(run.program.listing[pc].offset) if run.places is not None else None
        lines.append(f"{waiting[pc]} at {place or hex(run.program.listing[pc].offset)} ({run.program.listing[pc]})")
    total = sum(int(a).bit_count() for a in run.alive)
    return error("deadlock", run, order[0] if order else 0,
                 f"block {dims(block, run.launch.grid)} waits for ever: of {total} threads that still run "
                 f"{'; '.join(lines[:4]) or 'none can go on'}",
                 "look for a barrier in a branch that not all threads of the block take")
