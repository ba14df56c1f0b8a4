"""Makes bad inputs of good ones: cuts, doubles, swaps and replaces tokens and bytes."""

from __future__ import annotations

import random
import re

_TOKEN = re.compile(rb"\w+|\s+|.", re.DOTALL)
ODD = [b"(", b")", b"{", b"}", b"[", b"]", b"<", b">", b"<<<", b">>>", b"#", b"\\", b"\"", b"'", b"/*", b"*/", b"//",
        b"R\"(", b"\n#if 1\n", b"\n#endif\n", b"\n#define A A\n", b"\n#define f(x) f(x\n", b"template<", b"__global__",
        b"__shared__", b"operator", b"::", b"...", b"\xff\xfe", b"\x1b[2J", b"asm(", b"goto", b"case", b"else", b"0x",
        b"1e999", b"__launch_bounds__(", b"/* kmutate launch", b"lambda", b"[&]", b"=", b";", b",", b"->", b"struct"]


def mangled(source: bytes, rng: random.Random, changes: int) -> bytes:
    """The source with some of its tokens and bytes changed."""
    tokens = _TOKEN.findall(source)
    for _ in range(changes):
        if not tokens:
            break
        at = rng.randrange(len(tokens))
        kind = rng.randrange(7)
        if kind == 0:
            del tokens[at : at + rng.choice((1, 1, 3, 20))]
        elif kind == 1:
            tokens.insert(at, tokens[at])
        elif kind == 2:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 3:
            tokens.insert(at, rng.choice(ODD))
        elif kind == 4:
            tokens[at] = rng.choice(ODD)
        elif kind == 5:
            other = rng.randrange(len(tokens))
            tokens[at:at] = tokens[other : other + rng.randrange(12)]
        else:
            tokens[at] = bytes(b ^ (1 << rng.randrange(8)) if rng.random() < 0.3 else b for b in tokens[at])
    return b"".join(tokens)


def cut(source: bytes, rng: random.Random) -> bytes:
    """A part of the source, from the start, the end, or the middle."""
    a, b = sorted((rng.randrange(len(source) + 1), rng.randrange(len(source) + 1)))
    return rng.choice((source[:a], source[b:], source[a:b], source[:a] + source[b:]))


def flipped(data: bytes, rng: random.Random, changes: int) -> bytes:
    """The bytes with some of them replaced, and sometimes an end cut off."""
    out = bytearray(data)
    for _ in range(changes):
        if out:
            out[rng.randrange(len(out))] = rng.choice((0, 0xFF, 0x7F, 0x80, rng.randrange(256)))
    return bytes(out[: rng.randrange(len(out) + 1)]) if rng.random() < 0.2 else bytes(out)
