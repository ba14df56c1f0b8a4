"""Classes of SASS instructions: what a certificate counts and compares.

The names are those of the instruction tables in NVIDIA's CUDA Binary Utilities document (Turing to Blackwell) and of
listings of compiled kernels. An opcode that is in no table is counted as ``unknown.<OPCODE>``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from mutate.sass.disasm import Instruction

# Classes that are split by access width: class -> opcodes. Widths are in bits and per thread.
_BY_WIDTH = {
    "global_load": "LDG LDGMC",
    "global_store": "STG USTGR",
    "shared_load": "LDS",
    "shared_store": "STS",
    "local_load": "LDL",
    "local_store": "STL",
    "generic_load": "LD",
    "generic_store": "ST",
    "async_copy": "LDGSTS",
}

_PLAIN = {
    "global_atomic": "ATOMG",
    "global_reduction": "RED REDG UREDGR",
    "shared_atomic": "ATOMS REDS REDAS",
    "generic_atomic": "ATOM",
    "shared_load.matrix": "LDSM",
    "shared_store.matrix": "STSM",
    "cluster_store": "STAS",
    "constant_load": "LDC LDCU ULDC",
    "tma": "UBLKCP UBLKPF UBLKRED UTMALDG UTMASTG UTMALST UTMAREDG UTMAPF UTMACCTL UTMACMDFLUSH",
    "texture": "TEX TLD TLD4 TMML TXD TXQ",
    "surface": "SULD SUST SUATOM SURED SUQUERY",
    "barrier": "BAR",
    "cluster_barrier": "CGABAR_ARV CGABAR_WAIT UCGABAR_ARV UCGABAR_WAIT",
    "mbarrier": "SYNCS ARRIVES UTCBAR",
    "async_control": "LDGDEPBAR DEPBAR",
    "warp_barrier": "WARPSYNC",
    "fence": "MEMBAR FENCE ERRBAR CGAERRBAR",
    "cache_control": "CCTL CCTLL CCTLT ACQBULK",
    "fp32.add": "FADD FADD32I UFADD",
    "fp32.mul": "FMUL FMUL32I UFMUL",
    "fp32.fma": "FFMA FFMA32I UFFMA",
    "fp32.other": "FMNMX FMNMX3 FSEL FSET FSETP FCHK FSWZADD UFMNMX UFSEL UFSET UFSETP",
    "fp32x2.add": "FADD2",
    "fp32x2.mul": "FMUL2",
    "fp32x2.fma": "FFMA2",
    "fp64.add": "DADD",
    "fp64.mul": "DMUL",
    "fp64.fma": "DFMA",
    "fp64.other": "DSETP DMNMX DSET",
    "fp16.add": "HADD2 HADD2_32I FHADD",
    "fp16.mul": "HMUL2 HMUL2_32I",
    "fp16.fma": "HFMA2 HFMA2_32I FHFMA",
    "fp16.other": "HMNMX2 HSET2 HSETP2 VHMNMX",
    "integer": "IADD IADD3 IADD32I IMAD IMAD32I IMUL IMUL32I ISCADD ISCADD32I ISETP IABS IMNMX IDP IDP4A LEA LOP LOP3 "
               "LOP32I SHF SHL SHR SEL PRMT SGXT BMSK BREV FLO POPC VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 "
               "SCATTER GATHER GENMETADATA SPMETADATA",
    "predicate": "PLOP3 PSETP P2R R2P",
    "conversion": "F2F F2I F2FP F2IP FRND I2F I2FP I2I I2IP UF2F UF2FP UF2I UF2IP UFRND UI2F UI2FP UI2I UI2IP",
    "sfu": "MUFU",
    "tensor": "HMMA IMMA BMMA DMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCIMMA UTCOMMA UTCQMMA UTCMXQMMA UTCBMMA",
    "tensor_memory": "LDTM STTM UTCCP UTCSHIFT UTCATOMSWS",
    "shuffle_vote": "SHFL VOTE VOTEU MATCH REDUX CREDUX ELECT",
    "uniform": "UIADD3 UIADD UIMAD UISETP UIABS UIMNMX UISCADD ULEA UCLEA ULOP ULOP3 ULOP32I UMOV UPLOP3 UPSETP UPRMT "
               "UPOPC UP2UR UR2UP USEL USGXT USHF USHL USHR UBMSK UBREV UFLO UVIADD UVIMNMX UVIMNMX3 UVIADDMNMX R2UR "
               "UIDP UMUSEL",
    "move": "MOV MOV32I MOVM",
    "special": "S2R S2UR CS2R CS2UR B2R R2B BMOV RPCMOV LEPC GETLMEMBASE SETLMEMBASE QSPC PMTRIG SETCTAID UVIRTCOUNT "
               "USETSHMSZ UGETNEXTWORKID UMEMSETS",
    "control": "BRA BRX BRXU JMP JMX JMXU BSSY BSYNC BREAK CALL RET EXIT KILL BPT RTT YIELD NANOSLEEP PREEXIT "
               "ENDCOLLECTIVE WARPGROUP WARPGROUPSET USETMAXREG UREGPRERELEASE ACQSHMINIT",
    "nop": "NOP",
}

_CLASS_OF = {opcode: name for table in (_PLAIN, _BY_WIDTH) for name, opcodes in table.items()
             for opcode in opcodes.split()}
_WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "F16": 16, "BF16": 16, "64": 64, "128": 128, "256": 256}

# The compiler moves and converts with arithmetic opcodes: a constant by a half-precision multiply-add of zeros, a
# register by an integer multiply-add, half to float by an addition of zero. They are no arithmetic of the source.
_IDIOMS = (
    (re.compile(r"^IMAD\.MOV\b"), "move"),
    (re.compile(r"^UIMAD\.MOV\b"), "uniform"),
    (re.compile(r"^HFMA2(?:\.MMA)?(?:\.BF16_V2)? \w+, -RZ, RZ, "), "move"),
    (re.compile(r"^HADD2\.F32 \w+, -RZ, "), "conversion"),
    (re.compile(r"^CS2R(?:\.32)? \w+, SRZ$"), "move"),
)
_IDIOM_NAMES = frozenset({"IMAD", "UIMAD", "HFMA2", "HADD2", "CS2R"})


def width_of(opcode: str) -> int:
    """Bits that one thread moves with a load or store of this opcode; 32 where it has no modifier for it."""
    for modifier in opcode.split(".")[1:]:
        if modifier in _WIDTHS:
            return _WIDTHS[modifier]
    return 32


def class_of(instruction: Instruction) -> str:
    """The class, with the width behind it for loads, stores and copies: "fp32.fma", "global_load.128".

    What is predicated off for good (ptxas puts ``@!PT LDS RZ, [RZ]`` before each LDGSTS on sm_90) does nothing.
    """
    name = instruction.name
    if instruction.predicate in ("@!PT", "@!UPT"):
        return "nop"
    if name in _IDIOM_NAMES:
        text = f"{instruction.opcode} {instruction.operands}"
        for pattern, meaning in _IDIOMS:
            if pattern.match(text):
                return meaning
    found = _CLASS_OF.get(name)
    if found is None:
        return f"unknown.{name}"
    return f"{found}.{width_of(instruction.opcode)}" if found in _BY_WIDTH else found


def without_padding(instructions: Sequence[Instruction]) -> Sequence[Instruction]:
    """The listing without the NOPs that fill its last lines and the branch to itself before them."""
    end = len(instructions)
    while end and instructions[end - 1].opcode == "NOP":
        end -= 1
    if end:
        last = instructions[end - 1]
        if last.opcode == "BRA" and not last.predicate and last.operands == hex(last.offset):
            end -= 1
    return instructions[:end]


def count_classes(instructions: Sequence[Instruction]) -> dict[str, int]:
    """Instructions by class, sorted by class, without padding."""
    return dict(sorted(Counter(map(class_of, without_padding(instructions))).items()))


def unknown_opcodes(counts: Iterable[str]) -> list[str]:
    """The opcodes among class names that no table knows."""
    return sorted(c.removeprefix("unknown.") for c in counts if c.startswith("unknown."))
