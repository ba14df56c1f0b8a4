"""Mixtures of instructions, alone in a loop: what one scheduler issues in how many clocks.

    python tests/machines/mixtures.py write FOLDER      cubins and their list, for time_mixtures.py on a GPU
                                                        (more, widths, reused, off, handed, drawn, stored: of a
                                                        list alone)
    python tests/machines/mixtures.py simulate [TIMES.csv [PATTERN]]  the same by the model of time,
        beside measured ones

A mixture is a line of MIXTURES: instructions by short names (OPS), with counts, which are put into the body of the loop
of mixtures.cu in turn until it is full. Registers are chosen here and not by the compiler: each instruction reads
registers of its own parity pattern and writes one that nothing reads, so nothing waits but for units, ports and
scoreboards (all are waited for once a turn of the loop). Encodings are those that nvdisasm shows of compiled code.
"""

from __future__ import annotations

import csv
import json
import random
import re
import struct
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mixture_lists import Mixture, drawn, handed, mixtures, more, off, random_mixtures, reused, stored, widths

from mutate.machines import load_machine
from mutate.pipeline.binaries import KernelBinaries, compile_originals
from mutate.results import Request
from mutate.sass.disasm import disassemble
from mutate.sim.image import read_image
from mutate.sim.timing.model import Kernel, predict
from mutate.toolchain.elf import Cubin

HERE = Path(__file__).parent
REGISTERS = 36
# Turns of the loop that the model plays; the GPU makes more. What they differ by counts.
STEPS = (4, 12)
# Shape of a launch by warps of a scheduler.
SHAPES = {1: (132, 128), 2: (132, 256), 4: (132, 512), 8: (132, 1024)}


@dataclass(frozen=True)
class Op:
    """An encoding, without registers and scheduling bits.

    ``kind``: "f" fixed latency, "v" a result by a scoreboard, "s" operands by a scoreboard. ``wide``: registers of the
    result; ``reads`` the places (a, b, c) of registers that it reads; ``pairs`` those of them that are 64 bits.
    """

    lo: int
    hi: int
    kind: str = "f"
    reads: str = ""
    wide: int = 1
    pairs: str = ""
    address: str = ""
    stall: int = 1


OPS = {
    "ffma": Op(0x7223, 0, reads="abc"),
    "fadd": Op(0x7221, 0, reads="ab"),
    "fmul": Op(0x7220, 0x400000, reads="ab"),
    "iadd3": Op(0x7210, 0x7ffe000, reads="abc"),
    "viadd": Op(0xc0c_0000_7836, 0, reads="a"),
    "lop3": Op(0x7212, 0x78e9600, reads="abc"),
    "shf": Op(0x17_0000_7819, 0x6ff, reads="a"),
    "prmt": Op(0x9910_0000_7816, 0xff, reads="a"),
    "lea": Op(0x7211, 0x78ec0ff, reads="ab"),
    "mov": Op(0x7202, 0xf00, reads="b"),
    "sel": Op(0x7207, 0x4000000, reads="ab"),
    "fsel": Op(0x7208, 0x5000000, reads="ab"),
    "fmnmx": Op(0x7209, 0x7800000, reads="ab"),
    "vimnmx": Op(0x7248, 0x7fe0100, reads="ab"),
    "isetp": Op(0x720c, 0x3f06070 | 5 << 17, reads="ab", wide=0),
    "fsetp": Op(0x720b, 0x3f0e000 | 5 << 17, reads="ab", wide=0),
    "plop3": Op(0x781c, 0x3f0f070 | 5 << 17, wide=0),
    "i2fp": Op(0x7245, 0x201400, reads="b"),
    "iabs": Op(0x7213, 0, reads="b"),
    "p2r": Op(0x1_ff00_7803, 0, wide=1),
    "vote": Op(0x7806, 0xe0100 | 5 << 23, wide=1),
    "imad": Op(0x7224, 0x78e0200, reads="abc"),
    "imad_mov": Op(0xff_ff00_7224, 0x78e0000, reads="c"),
    "imad_iadd": Op(0x1_0000_7824, 0x78e0200, reads="ac"),
    "imad_wide": Op(0x7225, 0x78e0200, reads="abc", wide=2, pairs="c"),
    "imad_wide_imm": Op(0x4_0000_7825, 0x78e0200, reads="ac", wide=2, pairs="c"),
    "imad_hi": Op(0x7227, 0x78e0000, reads="abc"),
    "idp": Op(0x7226, 0x600, reads="abc"),
    "hfma2": Op(0x7231, 0x800, reads="abc"),
    "hfma2_mov": Op(0xff007435, 0x1ff),
    "dfma": Op(0x722b, 0, reads="abc", wide=2, pairs="abc"),
    "dfma_ur": Op(0x30_0000_7c2b, 0x8000000, reads="ac", wide=2, pairs="ac"),
    "dadd": Op(0x7229, 0, reads="ac", wide=2, pairs="ac"),
    "dmul": Op(0x7228, 0, reads="ab", wide=2, pairs="ab"),
    "dsetp": Op(0x722a, 0x3f08000 | 5 << 17, reads="ab", wide=0, pairs="ab"),
    "mufu": Op(0x7308, 0x800, "v", reads="b"),
    "popc": Op(0x7309, 0, "v", reads="b"),
    "f2i": Op(0x7305, 0x203100, "v", reads="b"),
    "i2f": Op(0x7306, 0x209000, "v", reads="b"),
    "frnd": Op(0x7307, 0x205000, "v", reads="b"),
    "shfl": Op(0xe001f00_00007f89, 0xe0000, "v", reads="a"),
    "shfl_idx": Op(0x1f00_00007589 , 0xe0000, "v", reads="ab"),
    "lds": Op(0x7984, 0x800, "v", address="shared"),
    "lds64": Op(0x7984, 0xa00, "v", address="shared", wide=2),
    "lds128": Op(0x7984, 0xc00, "v", address="shared", wide=4),
    "lds8": Op(0x7984, 0x000, "v", address="shared"),
    "sts": Op(0x7388, 0x800, "s", reads="b", address="shared", wide=0),
    "sts64": Op(0x7388, 0xa00, "s", reads="b", pairs="b", address="shared", wide=0),
    "sts128": Op(0x7388, 0xc00, "s", reads="b", pairs="B", address="shared", wide=0),
    "reds": Op(0xff_798c, 0x800003f, "s", reads="b", address="shared", wide=0),
    "reds_inc": Op(0xff_7f8c, 0xd80003f, "s", address="shared", wide=0),
    "atoms": Op(0x798c, 0x800003f, "v", reads="b", address="shared"),
    "lds_ur": Op(0x3f_0000_7984, 0x8000800, "v", address="shared"),
    "at_e": Op(0x7202, 0xf00, stall=8),
    "at_o": Op(0x7202, 0xf00, stall=8),
    "lds_e": Op(0x7984, 0x800, "v", address="shared"),
    "lds_o": Op(0x7984, 0x800, "v", address="shared"),
    "lds128_e": Op(0x7984, 0xc00, "v", address="shared", wide=4),
    "lds128_o": Op(0x7984, 0xc00, "v", address="shared", wide=4),
    "sts_e": Op(0x7388, 0x800, "s", reads="b", address="shared", wide=0),
    "sts_o": Op(0x7388, 0x800, "s", reads="b", address="shared", wide=0),
    "hfma2_mma": Op(0x7235, 0x0, reads="abc"),
    "hfma2_all": Op(0x7231, 0, reads="abc"),
    "redux": Op(0x73c4, 0xc000, "v", reads="a", wide=-1),
    "bra": Op(0x7947, 0x3800000, wide=0, stall=5),
    "bra_not": Op(0x6947, 0x3800000, wide=0, stall=5),
    "never": Op(0x720c, 0x3f04070 | 6 << 17, reads="a", wide=0, stall=13),
    "bssy": Op(0x7945, 0x3800000, wide=0),
    "bsync": Op(0x7941, 0x3800000, wide=0, stall=5),
    "ldc64": Op(0x8400_ff00_7b82, 0xa00, "v", wide=2),
    "uldc64": Op(0x8800_0000_7ab9, 0xa00, wide=-1),
    "ushf": Op(0x5_3000_7899, 0x800063f, wide=-1),
    "mufu_rcp": Op(0x7308, 0x1000, "v", reads="b"),
    "f2fp": Op(0x723e, 0xff, reads="ab"),
    "imnmx3": Op(0x720f, 0x3800100, reads="abc"),
    "ldg": Op(0x7981, 0xc1e1900, "v", address="read"),
    "ldg64": Op(0x7981, 0xc1e1b00, "v", address="read", wide=2),
    "ldg128": Op(0x7981, 0xc1e1d00, "v", address="read", wide=4),
    "stg": Op(0x7986, 0xc101900, "s", reads="b", address="written", wide=0),
    "redg": Op(0x798e, 0xc10e180, "s", reads="b", address="written", wide=0),
    "ldc": Op(0x8400_ff00_7b82, 0x800, "v"),
    "s2r": Op(0x7919, 0x2100, "v"),
    "cs2r": Op(0x7805, 0x1ff00, wide=2),
    "r2ur": Op(0x72ca, 0xe0000, "f", reads="a", wide=-1),
    "umov": Op(0x4_0000_7882, 0, wide=-1),
    "uiadd3": Op(0xfffffffd_00007890, 0xff1e03f, wide=-2),
    "uldc": Op(0x8400_0000_7ab9, 0x800, wide=-1),
    "ffma_ur": Op(0x7c23, 0x8000000, reads="ac"),
    "ffma_cb": Op(0x8400_0000_7a23, 0, reads="ac"),
    "imad_ur": Op(0x7c24, 0xf8e0200, reads="ac"),
    "iadd3_ur": Op(0x7c10, 0xfffe0ff, reads="a"),
    "nop": Op(0x7918, 0, wide=0),
    "ffma_imm": Op(0x4b400001_00007823, 0, reads="ac"),
}


@cache
def template(slots: int) -> KernelBinaries:
    launches = "".join(
        f"/* kmutate launch\n   dim3 grid = {{ {grid} }}; dim3 block = {{ {threads} }};\n"
        f"   long long clocks[264] = zeros(); int in[4096] = iota(); int out[132 * 4096] = zeros();\n"
        + "".join(f"   mixture(clocks, in, out, {n});\n" for n in STEPS) + "*/\n" for grid, threads in SHAPES.values())
    text = f"#define SLOTS {slots}\n#define REGISTERS {REGISTERS}\n"
    source = (HERE / "mixtures.cu").read_text()
    at = source.index('extern "C"')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixtures.cu"
        path.write_text(text + source[:at] + launches + source[at:])
        (found,) = compile_originals(Request(path=path, arch="sm_90"))
    return found


@dataclass(frozen=True)
class Places:
    """Of a template: the instructions to be replaced, the others of its loop, registers, addresses."""

    slots: tuple[int, ...]
    others: tuple[int, ...]
    pool: tuple[int, ...]
    addresses: dict[str, tuple[int, int]]


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return int(found.group(1))


@cache
def places(slots: int) -> Places:
    listing = template(slots).original.listing
    back = [(k, int(i.operands.split("0x")[-1], 16) // 16) for k, i in enumerate(listing)
            if i.name == "BRA" and int(i.operands.split("0x")[-1], 16) < i.offset]
    last, first = max(back, key=lambda pair: pair[0] - pair[1])
    marks, others, pool, addresses = [], [], set(), {}
    for k in range(first, last + 1):
        i = listing[k]
        if i.name in ("STS", "LDG", "STG"):
            what = {"STS": "shared", "LDG": "read", "STG": "written"}[i.name]
            assert i.name != "STS" or "UR" not in i.operands, str(i)
            base = _number(r"\[R(\d+)", i.operands)
            addresses[what] = base, (_number(r"UR(\d+)", i.operands) if i.name != "STS" else 0)
            marks.append(k)
        elif i.name == "FFMA":
            pool |= {int(r) for r in re.findall(r"R(\d+)", i.operands)}
            marks.append(k)
        else:
            others.append(k)
    assert len(marks) == slots, (len(marks), slots)
    return Places(tuple(marks), tuple(others), tuple(sorted(pool)), addresses)


class Body:
    """Encodes the instructions of one mixture; ``pool``: registers, of which some are read and the others written."""

    def __init__(self, where: Places, seed: int | None) -> None:
        self.where, self.turn, self.written = where, 0, 0
        self.random = random.Random(seed) if seed is not None else None
        runs = [r for r in where.pool if all(r + k in where.pool for k in range(4)) and r % 4 == 0]
        quads = runs
        assert len(quads) >= 5, where.pool
        # Half of the registers are read, half are written.
        self.sources = [r for q in quads[:len(quads) // 2] for r in range(q, q + 4)]
        self.results = quads[len(quads) // 2:-1]
        # Copies of the shared address, in a register of either bank.
        self.copies = {"_e": quads[-1], "_o": quads[-1] + 1}
        self.board = 0

    def _sources(self, op: Op, suffix: str) -> dict[str, int]:
        """Registers by place. By default one of the even and one of the odd bank; a suffix gives the parity of each."""
        even, odd = [r for r in self.sources if r % 2 == 0], [r for r in self.sources if r % 2]
        out: dict[str, int] = {}
        for n, place in enumerate(op.reads):
            if place in op.pairs.lower():
                step = 4 if place.upper() in op.pairs else 2
                out[place] = [r for r in even if r % step == 0][n]
            elif self.random is not None:
                out[place] = self.random.choice(self.sources)
            elif suffix:
                of = even if suffix[n] in "eE" else odd
                out[place] = of[n if suffix[n].islower() else 0]
            else:
                out[place] = even[0] if n != 1 else odd[0]
        return out

    def encode(self, name: str) -> tuple[int, int]:
        """Its two words. ``>e``, ``>o``, ``>z``: which bank is written, or none; ``+ab``: ``.reuse`` of operands;

        ``!``: waits for the load before it; ``~``: yields; ``@2``: the stall count; ``-`` before it: no lane takes
        part, if ``never`` is in the loop before it.
        """
        off = name.startswith("-")
        name = name.removeprefix("-")
        name, _, stalls = name.partition("@")
        waits, yields = "!" in name, "~" in name
        name, _, kept = name.replace("!", "").replace("~", "").partition("+")
        name, _, parity = name.partition(">")
        name, _, suffix = name.partition("/")
        op = OPS[name]
        lo, hi = op.lo ^ (0x1000 if off else 0), op.hi
        if name.startswith("at_"):
            lo |= self.where.addresses["shared"][0] << 32
        for place, register in self._sources(op, suffix).items():
            shift = {"a": 24, "b": 32, "c": 64}[place]
            if shift == 64:
                hi |= register
            else:
                lo |= register << shift
        if op.address:
            base, uniform = self.where.addresses[op.address]
            base = self.copies.get(name[-2:], base)
            lo |= base << 24
            if op.address != "shared":
                if op.kind == "v":
                    lo |= uniform << 32
                else:
                    hi |= uniform
        if op.wide > 0:
            quad = self.results[self.written % len(self.results)]
            offset = 0 if op.wide == 4 else 2 * (self.written // len(self.results) % 2)
            if op.wide == 1:
                odd = self.random.random() < 0.5 if self.random else self.written % 2
                offset = {"e": 0, "o": 1}.get(parity, odd) + offset
            lo |= (255 if parity == "z" else quad + offset
                if not name.startswith("at_") else self.copies[name[-2:]]) << 16
            self.written += 1
        elif op.wide < 0:
            lo |= 40 + self.written % 8 << 16
            self.written += 1
            if name == "uiadd3":
                lo |= 48 << 24
        if name.endswith("_ur") and not op.address:
            lo |= 48 << 32
        if name == "never":
            lo |= (lo >> 24 & 0xff) << 32
        stall, write, read = int(stalls or op.stall), 7, 7
        if op.kind == "v":
            write, self.board = self.board, (self.board + 1) % 6
        elif op.kind == "s":
            read, self.board = self.board, (self.board + 1) % 6
        wait = 1 << (self.board - 1) % 6 if waits else 0
        reuse = sum(1 << "abc".index(place) for place in kept)
        hi |= (stall | (stall < 12 and not yields) << 4 | write << 5 | read << 8 | wait << 11 | reuse << 17) << 41
        return lo, hi


def image_of(mixture: Sequence[str], slots: int = 128, seed: int | None = None) -> bytes:
    """The template's cubin with the mixture in its loop."""
    found, where = template(slots).original, places(slots)
    cubin = Cubin(found.cubin)
    code = next(s for s in cubin.sections if s.name == f".text.{found.entry}")
    out = bytearray(found.cubin)
    body = Body(where, seed)
    for n, k in enumerate(where.slots):
        lo, hi = body.encode(mixture[n % len(mixture)])
        if n == len(where.slots) - 1:
            hi += 1 << 41  # a scoreboard is seen two clocks after it is set at the earliest
        out[code.offset + 16 * k:code.offset + 16 * k + 16] = struct.pack("<QQ", lo, hi)
    for k in where.others:
        i = found.listing[k]
        # Nothing but their own stall counts holds the loop's counter up; the branch waits for all scoreboards.
        stall = 5 if i.name == "BRA" else 13
        bits = stall | (stall < 12) << 4 | 7 << 5 | 7 << 8 | (63 if i.name == "BRA" else 0) << 11
        out[code.offset + 16 * k:code.offset + 16 * k + 16] = struct.pack("<QQ", i.lo,
            i.hi & ((1 << 41) - 1) | bits << 41)
    return bytes(out)


def kernel_of(image: bytes) -> Kernel:
    (listing,) = disassemble([(image, "mixture")], "sm_90")
    return Kernel(read_image(image, "mixture"), listing)


def parsed(text: str) -> list[str]:
    """``4 ffma, lds`` as a list of five."""
    out = []
    for part in text.split(","):
        words = part.split()
        out += [words[-1]] * (int(words[0]) if len(words) > 1 else 1)
    return out


def write(folder: Path, chosen: Sequence[Mixture], blocks: int | None = None) -> None:
    """Cubins and ``jobs.json``; ``blocks``: of the grid, in place of one for each SM."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    for n, m in enumerate(chosen):
        file = f"{n:04}.cubin"
        (folder / file).write_bytes(image_of(parsed(m.text), m.slots, m.seed))
        grid, threads = SHAPES[m.warps]
        jobs.append({"name": m.name, "cubin": file, "grid": blocks or grid, "threads": threads, "slots": m.slots,
            "warps": m.warps})
    (folder / "jobs.json").write_text(json.dumps(jobs))


def simulated(chosen: Sequence[Mixture]) -> Iterator[float]:
    """Clocks of an instruction on its scheduler, by the model."""
    images = [(image_of(parsed(m.text), m.slots, m.seed), "mixture") for m in chosen]
    machine = load_machine("h200")
    for m, (image, _), listing in zip(chosen, images, disassemble(images, "sm_90"), strict=True):
        kernel = Kernel(read_image(image, "mixture"), listing)
        launches = template(m.slots).target.launches
        at = 2 * list(SHAPES).index(m.warps)
        few, many = (predict(kernel, launches[at + k], machine).cycles for k in range(2))
        yield (many - few) / ((STEPS[1] - STEPS[0]) * m.slots * m.warps)


def measured(path: Path) -> dict[str, float]:
    rows = csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#"))
    return {r["name"]: float(r["clocks"]) for r in rows}


def main() -> None:
    what, *rest = sys.argv[1:]
    lists = {"widths": widths, "reused": reused, "off": off, "handed": handed, "more": more, "drawn": drawn,
             "stored": stored}
    if what in lists:
        write(Path(rest[0]), lists[what](), 8 if what == "stored" else None)
        return
    everything = mixtures(OPS) + random_mixtures(160) + widths() + reused() + off() + handed() + more() + drawn()
    if what == "write":
        write(Path(rest[0]), everything)
        return
    times = measured(Path(rest[0])) if rest else {}
    chosen = [m for m in everything if (not times or m.name in times) and (len(rest) < 2 or re.search(rest[1], m.name))]
    for m, clocks in zip(chosen, simulated(chosen), strict=True):
        was = times.get(m.name)
        print(f'"{m.name}",{clocks:.4f}' + (f",{was:.4f},{100 * (clocks / was - 1):+.1f}" if was else ""), flush=True)


if __name__ == "__main__":
    main()
