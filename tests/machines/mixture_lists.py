"""The mixtures of instructions that mixtures.py makes: what is in them, how long, by how many warps."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mixture:
    """``text``: instructions (``parsed``); ``slots`` of the loop; ``warps`` of a scheduler;

    ``seed`` of random registers.
    """

    text: str
    slots: int = 128
    warps: int = 8
    seed: int | None = None

    @property
    def name(self) -> str:
        return f"{self.text}|{self.slots}|{self.warps}|{'' if self.seed is None else self.seed}"


# Those that make sense only with what stands before them.
PARTNERS = ("bra_not", "bsync", "bssy", "never", "at_e", "at_o", "lds_e", "lds_o", "lds128_e", "lds128_o", "sts_e",
            "sts_o")


def mixtures(ops: Iterable[str]) -> list[Mixture]:
    """Each of ``ops`` alone and among FP32, and in what else tells why."""
    units = [op for op in ops if op not in PARTNERS]
    out = [Mixture(op) for op in units]
    units.remove("ffma")
    for op in units:
        out += [Mixture(f"{n} ffma, {op}") for n in (1, 2, 3, 4, 6, 8, 12)]
    slow = ("mufu", "popc", "f2i", "i2f", "shfl", "lds", "lds64", "lds128", "sts", "sts64", "sts128", "ldg", "ldg64",
        "ldg128",
            "stg", "reds", "reds_inc", "atoms", "ldc", "s2r", "dfma", "r2ur", "vote", "redux", "imad_wide", "imad_hi")
    for op in slow:
        # With ALU beside; with one read of an instruction only; with no free read of one bank; two of the kind in a
        # row.
        out += [Mixture(f"{n} ffma, {n} iadd3, {op}") for n in (1, 2, 4)]
        out += [Mixture(f"{n} ffma/eee, {op}") for n in (2, 4, 8)]
        out += [Mixture(f"{n} ffma/eoe, {op}") for n in (2, 4, 8)]
        out += [Mixture(f"8 ffma, 2 {op}"), Mixture(f"16 ffma, 4 {op}")]
        out += [Mixture(f"4 ffma, {op}", warps=w) for w in (1, 2, 4)]
        out += [Mixture(f"4 ffma>e, {op}>e"), Mixture(f"4 ffma>o, {op}>e"), Mixture(f"4 ffma>e, {op}>o")]
        out += [Mixture(f"4 hfma2, {op}"), Mixture(f"4 imad, {op}"), Mixture(f"2 lop3, {op}"), Mixture(f"4 lop3, {op}")]
    for a in ("mufu", "shfl", "lds", "lds128", "ldg", "sts", "f2i", "dfma"):
        for b in ("mufu", "shfl", "lds", "lds128", "ldg", "sts", "ldc", "imad_wide"):
            if a != b:
                out += [Mixture(f"{n} ffma, {a}, {n} ffma, {b}") for n in (1, 3)]
    # Which of the FP32 pipes: products of integers, halves, and moves that run on them; pairs of classes.
    fixed = ("ffma", "fadd", "fmul", "iadd3", "lop3", "shf", "prmt", "lea", "mov", "sel", "fsel", "fmnmx", "isetp",
        "fsetp",
             "imad", "imad_mov", "imad_iadd", "imad_wide", "hfma2", "hfma2_mov", "idp", "i2fp", "umov", "uiadd3",
             "uldc", "nop",
             "dfma", "ffma_ur", "ffma_cb", "ffma_imm", "plop3", "cs2r", "vote", "r2ur", "f2fp")
    for i, a in enumerate(fixed):
        out += [Mixture(f"{a}, {b}") for b in fixed[i + 1:] if a != "ffma"]
    out += [Mixture(f"{n} ffma, {n} fadd, {n} fmul") for n in (1,)]
    out += [Mixture("2 ffma, 2 iadd3, 2 imad, 2 lop3"), Mixture("3 ffma, fsel, 2 ffma, fsetp"), Mixture(
        "3 ffma, iadd3, imad")]
    # Registers that are named twice, and writes of one bank.
    out += [Mixture(t) for t in ("ffma>e", "ffma>o", "ffma/eee>e", "fadd/eo", "fadd/ee", "ffma/eoe", "ffma/eoo",
        "ffma/eee",
                                 "ffma/ooo", "iadd3/eee", "iadd3/eoe", "imad/eoe", "hfma2/eoe", "hfma2/eee", "dfma/eee",
                                 "lop3/eee", "imad_wide/eoe", "imad_hi/eoe")]
    for text in ("dfma_ur, 2 umov", "dfma_ur, umov", "dfma, 2 umov", "dfma, umov", "dfma, 2 umov, imad_mov",
        "dfma, 2 umov, mov",
                 "2 ffma, umov, 2 ffma, r2ur", "2 umov, 2 iadd3", "2 umov, ffma, dfma", "imad_mov, 2 umov",
                 "dfma, imad_mov",
                 "2 dfma, ffma", "dfma, dmul, dadd", "dfma, 2 iadd3", "dfma, 2 ffma", "dfma, lds", "2 dfma, lds",
                 "2 dfma, mufu"):
        out += [Mixture(text, warps=w) for w in (1, 2, 4, 8)]
    # Branches.
    for n in (1, 2, 4, 8, 16):
        not_taken = ", ".join([f"{n} ffma, bra_not"] * (112 // (n + 1)))
        out += [Mixture(f"{n} ffma, bra"), Mixture(f"never, 15 ffma, {not_taken}"), Mixture(f"{n} ffma, bssy, bsync")]
        out += [Mixture(f"{n} ffma, bra", warps=w) for w in (1, 4)]
    # Length of the loop: the instruction caches.
    for slots in (48, 64, 96, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072):
        for warps in (1, 2, 4, 8):
            out += [Mixture("ffma", slots, warps), Mixture("ffma, iadd3", slots, warps)]
    # Fixed instructions at few warps.
    for op in ("ffma", "iadd3", "imad", "hfma2", "dfma", "mufu", "lds", "shfl"):
        out += [Mixture(op, warps=w) for w in (1, 2, 4)]
    return list(dict.fromkeys(out))


def more() -> list[Mixture]:
    """What tells reads of registers from writes, and who issues next."""
    out = []
    ops = ("mufu/E", "mufu/O", "mufu/E>z", "shfl/E", "shfl/O", "shfl/E>z", "shfl_idx/EO", "shfl_idx/OE",
        "shfl_idx/ee", "shfl_idx/oo",
           "shfl_idx/EE", "shfl_idx/EO>z", "lds_e", "lds_o", "lds_e>z", "lds_o>z", "sts_e/E", "sts_e/O", "sts_o/E",
           "sts_o/O", "ldg", "ldg>z",
           "lds128_e", "lds128_o", "lds128_e>z", "hfma2_mov", "hfma2_mov>z", "hfma2_mma", "hfma2_all",
           "hfma2_all/EEE", "hfma2_all>z",
           "hfma2", "dadd", "dadd>z", "dsetp", "dmul>z", "dfma>z", "imad_wide", "imad_wide>z", "ldc", "ldc>z",
           "f2i/O", "r2ur/E", "r2ur/O",
           "i2fp/E", "lop3/EEE", "lop3/OOO", "fadd/EE", "imad/EEE", "imad/EEE>z", "iadd3>z", "ffma>z", "reds_inc",
           "popc/O", "vote", "s2r")
    for op in ops:
        before = "at_e, at_o, " if op[:4] in ("lds_", "sts_", "lds1") else ""
        for n in (6, 10, 14):
            for base in ("ffma", "ffma/EEE", "ffma/OOO", "nop", "ffma>z"):
                text = ", ".join([f"{n} {base}, {op}"] * (124 // (n + 1)))
                out.append(Mixture(before + text))
    # In turn or in runs: which warp is next.
    for a, b in (("ffma", "iadd3"), ("ffma", "imad"), ("lop3", "imad"), ("ffma", "dfma"), ("ffma", "mufu"), ("ffma",
        "lds"), ("iadd3", "lds")):
        for n in (1, 2, 3, 4, 6, 8, 16):
            out += [Mixture(f"{n} {a}, {n} {b}", warps=w) for w in (1, 2, 4, 8)]
    return list(dict.fromkeys(out))


def widths() -> list[Mixture]:
    """Loads of 4, 8 and 16 bytes among what reads and writes registers or not, waited for or not."""
    out = []
    for load in ("lds", "lds64", "lds128", "ldg", "ldg64", "ldg128"):
        for base in ("ffma", "nop", "ffma>z", "fmul", "ffma/eoe"):
            out += [Mixture(f"{n} {base}, {load}") for n in (5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 31)]
        for warps in (1, 2, 4, 8):
            out += [Mixture(f"{load}, {n} ffma, ffma!", warps=warps) for n in (1, 2, 3, 5, 7, 10, 14, 19, 29)]
            out += [Mixture(f"{load}, {n} nop, nop!", warps=warps) for n in (1, 3, 7, 14, 29)]
            out += [Mixture(f"{n} ffma, {load}", warps=warps) for n in (8, 16)]
    return list(dict.fromkeys(out))


def reused() -> list[Mixture]:
    """Operands that are kept from one instruction to the next, where the scheduler goes to another warp in between or

    not; loads of 16 bytes in runs.
    """
    out = []
    for warps in (1, 2, 4, 8):
        out += [Mixture(f"ffma/eoe{s}", warps=warps) for s in ("", "+a", "+a~", "+a@2", "~", "@2", "+ac", "+ac~")]
        for n in (3, 7, 11, 19):
            for load in ("lds", "lds128"):
                for op in ("ffma/eoe+a", "ffma/eoe+ac"):
                    out += [Mixture(f"{load}, 4 {op}, {op}{wait}, {n} {op}", warps=warps) for wait in ("!", "")]
                out += [Mixture(f"{load}, 4 ffma/eoe+ac, ffma/eoe+ac~, {n} ffma/eoe+ac", warps=warps)]
                out += [Mixture(f"{load}, 4 ffma, ffma!, {n} ffma", warps=warps)]
            out += [Mixture(f"lop3/eoe+ac, lop3/eoe+ac, {n} ffma/eoe+ac", warps=warps),
                    Mixture(f"2 lop3, {n} ffma", warps=warps)]
    for load in ("lds", "lds64", "lds128"):
        for n, k in ((64, 4), (32, 4), (32, 2), (24, 2), (48, 2), (96, 4), (48, 4)):
            out += [Mixture(f"{n} {op}, {k} {load}", (n + k) * max(1, 128 // (n + k)), warps)
                    for op in ("ffma", "ffma/eoe+ac", "nop") for warps in (2, 4, 8)]
        out += [Mixture(f"{n} ffma, {n} nop, {load}") for n in (4, 6, 8)]
        out += [Mixture(f"{n} ffma{p}, {load}") for n in (8, 12, 20) for p in (">e", ">o")]
        out += [Mixture(f"{n} {op}, {load}") for n in (3, 4, 6, 8) for op in ("iadd3", "lop3", "imad", "dfma", "sts")]
    return list(dict.fromkeys(out))


def _some(n: int, base: str) -> str:
    """``n`` instructions, those of ``base`` in turn."""
    kinds = base.count(",") + 1
    return f"{n} {base}" if kinds == 1 else ", ".join([base] * (n // kinds))


def handed() -> list[Mixture]:
    """What is handed to another unit's queue among instructions of each pipe, one by one and in runs."""
    out = []
    bases = ("ffma", "ffma>z", "ffma/EEE", "fmul", "ffma_imm", "ffma_cb", "nop", "lop3", "iadd3", "iadd3/EEE", "mov",
             "isetp", "fmnmx", "imad", "imad_mov", "hfma2", "hfma2_mma", "umov", "viadd", "ffma, iadd3",
             "ffma, lop3/EEE", "imad, iadd3", "imad, ffma", "nop, lop3", "nop, ffma")
    for op in ("shfl", "shfl_idx", "sts", "sts64", "lds", "ldg", "mufu", "popc", "s2r", "reds_inc", "bra", "imad_wide"):
        for base in bases:
            of = len(base.split(", "))
            out += [Mixture(f"{_some(n, base)}, {op}") for n in (2, 3, 4, 6, 8, 12) if n % of == 0]
            if op in ("shfl", "sts", "mufu", "lds"):
                out += [Mixture(f"{_some(n, base)}, {k} {op}") for n, k in ((16, 2), (16, 4), (24, 3))]
                out += [Mixture(f"{_some(8, base)}, {op}", warps=w) for w in (1, 2, 4)]
    # Long runs, and what comes between.
    for op in ("shfl", "shfl_idx", "sts", "sts64", "lds", "lds64", "lds128", "mufu", "ldg"):
        for base in ("ffma", "nop", "ffma/EEE", "lop3"):
            for k in (2, 4, 6, 8, 12, 16):
                for n in (3, 5, 8):
                    if (n + 1) * k <= 124:
                        out += [Mixture(f"{n * k} {base}, {k} {op}", (n + 1) * k * max(1, 124 // ((n + 1) * k)))]
            out += [Mixture(f"{', '.join([f'{base}, {op}'] * k)}, {n} {base}", (n + 2 * k) * (124 // (n + 2 * k)))
                    for k, n in ((2, 16), (4, 32), (8, 64))]
            out += [Mixture(f"24 {base}, 3 {op}, 5 {base}", 128, warps) for warps in (1, 2, 4, 8)]
    return list(dict.fromkeys(out))


def stored() -> list[Mixture]:
    """Stores to global memory and additions there, as ``handed``: of few blocks, so that they do not wait for L2."""
    out = []
    for op in ("stg", "redg", "sts", "ldg"):
        for base in ("ffma", "ffma/EEE", "ffma/OOO", "nop", "lop3", "ffma, iadd3"):
            for n in (8, 12, 16, 24, 30, 40):
                some = _some(n, base)
                out += [Mixture(f"{some}, {op}", (n + 1) * (124 // (n + 1))),
                        Mixture(f"{some}, {some}, 2 {op}", (2 * n + 2) * max(1, 124 // (2 * n + 2)))]
    return list(dict.fromkeys(out))


def drawn() -> list[Mixture]:
    """A few kinds of instructions in an order by chance, with registers by chance and without: what comes of either."""
    out = []
    for kinds, weights in (("ffma", (1,)), ("iadd3", (1,)), ("ffma fadd fmul", (2, 1, 1)), ("ffma iadd3", (1, 1)),
                           ("ffma iadd3", (3, 1)), ("ffma iadd3", (7, 1)), ("ffma imad", (3, 1)),
                           ("ffma hfma2", (3, 1)), ("ffma imad_wide", (7, 1)), ("iadd3 imad", (1, 1)),
                           ("iadd3 lop3 isetp mov", (1, 1, 1, 1)), ("ffma iadd3 imad", (2, 1, 1)),
                           ("ffma mufu", (11, 1)), ("ffma mufu", (15, 1)), ("ffma lds", (7, 1)),
                           ("ffma shfl", (7, 1)), ("ffma ldg", (9, 1)), ("ffma sts", (9, 1)), ("ffma dfma", (7, 1)),
                           ("ffma umov", (3, 1)), ("ffma nop", (3, 1)), ("ffma ffma_cb", (1, 1)),
                           ("ffma iadd3 lds", (5, 3, 1)), ("ffma iadd3 mufu", (8, 6, 1)), ("ffma lds128", (15, 1)),
                           ("ffma iadd3 umov", (5, 4, 1)), ("ffma iadd3 bra", (5, 4, 1)), ("ffma ldc", (15, 1))):
        names = kinds.split()
        for seed in range(3):
            rng = random.Random(seed)
            text = ", ".join(rng.choices(names, weights, k=128)) if len(names) > 1 else names[0]
            out += [Mixture(text, seed=seed), Mixture(text)]
    return list(dict.fromkeys(out))


def off() -> list[Mixture]:
    """Instructions of which no lane takes part, and the same of all lanes."""
    out = []
    for op in ("ffma", "iadd3", "imad", "mufu", "shfl", "lds", "lds128", "sts", "ldg", "stg", "dfma", "isetp", "popc",
               "ffma/eoe", "ffma/eee", "imad/eee", "iadd3/eee", "imad_wide"):
        for sign in ("-", ""):
            out += [Mixture(", ".join(["never", *[f"{n} ffma, {sign}{op}"] * (127 // (n + 1))]), warps=w)
                    for n in (1, 3, 7) for w in (1, 4, 8)]
            out += [Mixture(", ".join(["never", *[f"{sign}{op}"] * 127]), warps=w) for w in (1, 4, 8)]
    return list(dict.fromkeys(out))


PARTS = {"ffma": 20, "fadd": 14, "fmul": 9, "iadd3": 8, "lop3": 5, "shf": 3, "imad": 6, "imad_wide": 3,
    "imad_mov": 3, "isetp": 4,
         "fsetp": 4, "fsel": 4, "fmnmx": 3, "lea": 2, "mov": 2, "prmt": 2, "viadd": 2, "hfma2": 2, "mufu": 3,
         "lds": 4, "lds128": 3,
         "lds64": 1, "sts": 2, "shfl": 2, "ldg": 2, "ldg128": 1, "ldc": 1, "f2i": 1, "i2fp": 1, "popc": 1, "umov": 2,
         "uiadd3": 1,
         "ffma_ur": 1, "ffma_cb": 2, "dfma": 1, "sel": 1}


def random_mixtures(count: int) -> list[Mixture]:
    """Instructions at random, as often as code has them more or less, with registers at random: to judge,

    not to fit.
    """
    out = []
    for seed in range(count):
        rng = random.Random(seed)
        names = rng.sample(sorted(PARTS), rng.choice((3, 5, 8, 14, 24)))
        if "ffma" not in names and rng.random() < 0.7:
            names.append("ffma")
        drawn = rng.choices(names, [PARTS[n] for n in names], k=rng.choice((32, 64, 128)))
        out.append(Mixture(", ".join(drawn), seed=seed))
    return out
