"""Feeds kmutate bad inputs for a given time: mangled samples and kernels, damaged cubins, listings of random words.

    python tests/fuzz/fuzz.py --minutes 10 --seed 1 --out FOLDER

What ends in anything but a result or one of kmutate's errors, or takes longer than ``--limit`` seconds, is written to
FOLDER with the traceback. The exit status is 1 when there was something. ``--only`` names targets.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "generated"))

import targets
from generator import generate
from mangle import cut, flipped, mangled

from mutate.dynamic import Binary
from mutate.pipeline.binaries import compile_originals
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sass.disasm import Instruction

_WORDS = ("R0", "R255", "RZ", "UR4", "URZ", "P0", "!PT", "0x10", "-R3", "|R2|", "c[0x0][0x210]", "c[0x3][R2]",
          "desc[UR4][R2.64+0x10]", "[R1+-0x4]", "1.5", "+INF", "-QNAN", "B0", "SR_TID.X", "`(x)", "", "R2.reuse",
          "~R4", "c[0x99][0x0]", "[UR4]", "0xffffffffffffffff", "R99999", "{R1, R2}", "(*\"x\"*)")


def sources(rng: random.Random, good: Sequence[bytes]) -> bytes:
    """A text: of the good ones mangled or cut, or a generated kernel mangled."""
    text = rng.choice(good) if rng.random() < 0.7 else generate(rng.randrange(10_000)).source.encode()
    text = cut(text, rng) if rng.random() < 0.2 else text
    return mangled(text, rng, rng.choice((1, 2, 5, 30)))


def listings(rng: random.Random, good: Sequence[Binary]) -> list[Instruction]:
    """A listing of which some instructions have other operands, opcodes, predicates or words."""
    out = list(rng.choice(good).listing)
    for _ in range(rng.choice((1, 5, 40))):
        at = rng.randrange(len(out))
        i, other = out[at], rng.choice(out)
        operands = i.operands.split(", ")
        operands[rng.randrange(len(operands))] = rng.choice(_WORDS)
        out[at] = rng.choice((
            replace(i, operands=", ".join(operands)), replace(i, operands=other.operands),
            replace(i, opcode=other.opcode),
            replace(i, opcode=i.opcode + rng.choice((".X", ".64", ".E.128", ".GE", "."))),
            replace(i, predicate=rng.choice(("@P9", "@!UP1", "@", "x"))), replace(i, operands=", ".join(operands[:-1])),
            replace(i, hi=rng.getrandbits(64), lo=rng.getrandbits(64)),
            replace(i, operands="".join(chr(rng.randrange(32, 500)) for _ in range(rng.randrange(30))))))
    return out


def cases(seed: int, only: Sequence[str]) -> Callable[[random.Random], tuple[str, object, Callable[[], str]]]:
    """What to try next: target, input, and the call."""
    del seed
    good = [path.read_bytes() for path in sorted(samples_dir().glob("*.cu"))]
    binaries = [k.original for name in ("reduction", "matmul", "histogram", "spmv")
                for path in samples_dir().glob(f"*{name}*.cu")
                for k in compile_originals(Request(path))]

    def choose(rng: random.Random) -> tuple[str, object, Callable[[], str]]:
        name = rng.choice(only)
        if name == "listing":
            listing = listings(rng, binaries)
            return name, listing, lambda: targets.listing(listing)
        if name == "cubin":
            binary = rng.choice(binaries)
            image = flipped(binary.cubin, rng, rng.choice((1, 4, 30, 300)))
            return name, image, lambda: targets.cubin(image, binary.entry)
        text = sources(rng, good)
        return name, text, lambda: {"frontend": targets.frontend, "launches": targets.launches}[name](text)

    return choose


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=20, help="seconds that one input may take")
    parser.add_argument("--only", nargs="+", default=["frontend", "frontend", "launches", "listing", "cubin"])
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    choose = cases(given.seed, given.only)
    rng = random.Random(given.seed)
    end = time.monotonic() + 60 * given.minutes
    outcomes: Counter[str] = Counter()
    found: Counter[str] = Counter()
    while time.monotonic() < end:
        name, data, call = choose(rng)
        start, problem = time.monotonic(), ""
        try:
            outcomes[f"{name}: {call()}"] += 1
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            problem = f"{name}: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            text = traceback.format_exc()
        if not problem and time.monotonic() - start > given.limit:
            problem, text = f"{name}: slow", f"{time.monotonic() - start:.1f} s\n"
        if problem:
            found[problem] += 1
            if found[problem] <= 3:
                stem = f"{problem.replace(' ', '_').replace(':', '.')}.{found[problem]}"
                (given.out / f"{stem}.txt").write_text(text)
                (given.out / f"{stem}.in").write_bytes(data if isinstance(data, bytes) else repr(data).encode())
    for what, count in sorted(outcomes.items()):
        print(f"{count:7} {what}")
    for what, count in found.most_common():
        print(f"FOUND {count} {what}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
