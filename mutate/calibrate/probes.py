"""The arithmetic of ``templates/calibrate/arithmetic.cu``: what one step of each kernel is in machine code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FILE = "calibrate/arithmetic.cu"
# Steps of a kernel, as in the file; and its parts, which are compiled side by side.
STEPS, GROUPS = 256, 4


@dataclass(frozen=True)
class Probe:
    """``opcodes``: instructions of one step, by the beginning of the opcode (several with ``|``: together so many).

    ``since``: the least architecture that has it. ``chain``: whether a step waits for the one before, so that its
    latency means something; a mix has two chains.
    """

    name: str
    group: int
    opcodes: Mapping[str, int] = field(default_factory=dict)
    title: str = ""
    since: int = 70
    chain: bool = True


def _p(group: int, name: str, title: str, since: int = 70, chain: bool = True, **opcodes: int) -> Probe:
    return Probe(name, group, {k.replace("__", "|").replace("_", "."): v for k, v in opcodes.items()}, title, since,
                 chain)


NOTHING = Probe("nothing", 0, title="the frame around the steps")
_HALF = "on two pipes in turn (HFMA2.MMA and HFMA2) where the compiler does so"
PROBES: tuple[Probe, ...] = (
    _p(0, "ffma", "FP32 multiply-add", FFMA=1),
    _p(0, "fadd", "FP32 add", FADD=1),
    _p(0, "fmul", "FP32 multiply", FMUL=1),
    _p(0, "fmnmx", "FP32 minimum and maximum, two instructions", FMNMX=2),
    _p(0, "fsetp_fsel", "FP32 compare and the select by its predicate, two instructions", FSETP=1, FSEL=1),
    _p(0, "dfma", "FP64 multiply-add", DFMA=1),
    _p(0, "dadd", "FP64 add", DADD=1),
    _p(0, "dmul", "FP64 multiply", DMUL=1),
    _p(0, "hfma2", f"FP16x2 multiply-add, {_HALF}", HFMA2=1),
    _p(0, "hadd2", f"FP16x2 add, {_HALF}", HADD2__HFMA2=1),
    _p(0, "hmul2", f"FP16x2 multiply, {_HALF}", HMUL2__HFMA2=1),
    _p(0, "hfma2_bf16", f"BF16x2 multiply-add, {_HALF}", 80, HFMA2=1),
    _p(0, "hmma", "matrix multiplication m16n8k16 of FP16 with FP32 sums", 80, HMMA=1),
    _p(1, "iadd3", "32-bit integer add of three", IADD3=1),
    _p(1, "imad", "32-bit integer multiply-add", IMAD=1),
    _p(1, "imad_hi", "upper half of a 32-bit multiply-add", IMAD_HI=1),
    _p(1, "imad_wide_lop3", "32-bit multiply to 64 bits and a logic operation on the halves, two instructions",
       IMAD_WIDE=1, LOP3=1),
    _p(1, "lop3", "logic operation on three", LOP3=1),
    _p(1, "shf", "funnel shift", SHF=1),
    _p(1, "lea", "shift and add", LEA=1),
    _p(1, "prmt", "byte permutation", PRMT=1),
    _p(1, "imnmx", "integer minimum and maximum, two instructions", IMNMX__VIMNMX=2),
    _p(1, "isetp_sel", "integer compare and the select by its predicate, two instructions", ISETP=1, SEL=1),
    _p(1, "idp", "dot product of four bytes", IDP=1),
    _p(1, "popc", "count of bits", POPC=1),
    _p(1, "flo", "leading one", FLO=1),
    _p(1, "brev", "reversal of bits", BREV=1),
    _p(1, "shfl", "warp shuffle", SHFL=1),
    _p(1, "isetp_vote", "compare and the ballot of its predicate, two instructions", ISETP=1, VOTE=1),
    _p(1, "redux", "sum over the warp and the move from its uniform register, two instructions", 80, REDUX=1),
    _p(1, "s2r_branch", "special register, its shift and sign extension, compare, branch not taken: five instructions",
       70, False, S2R=1, ISETP=1),
    _p(1, "s2ur_branch", "special register to a uniform register, compare, branch not taken: three instructions", 75,
       False, S2UR__S2R=1, ISETP__UISETP=1),
    _p(1, "iadd3_branch", "add, compare, branch not taken: three instructions", IADD3=1, ISETP=1, BRA=1),
    _p(2, "mufu_ex2", "power of two", MUFU_EX2=1),
    _p(2, "mufu_lg2", "logarithm to base two", MUFU_LG2=1),
    _p(2, "fadd_mufu_rcp", "FP32 add and reciprocal, two instructions", FADD=1, MUFU_RCP=1),
    _p(2, "mufu_rsq", "reciprocal root", MUFU_RSQ=1),
    _p(2, "mufu_sqrt", "root", 75, MUFU_SQRT=1),
    _p(2, "fmul_mufu_sin", "FP32 multiply and sine, two instructions", FMUL=1, MUFU_SIN=1),
    _p(2, "fmul_mufu_cos", "FP32 multiply and cosine, two instructions", FMUL=1, MUFU_COS=1),
    _p(2, "mufu_tanh", "hyperbolic tangent", 75, MUFU_TANH=1),
    _p(2, "i2fp", "32-bit integer to FP32", I2FP__I2F=1),
    _p(2, "i2f_byte", "byte to FP32", I2F=1),
    _p(2, "f2i", "FP32 to integer", F2I=1),
    _p(2, "frnd", "FP32 to a whole number", FRND=1),
    _p(2, "f2fp", "two FP32 to FP16x2", 80, F2FP=1),
    _p(2, "hadd2_f32", "FP16 to FP32", HADD2=1),
    _p(2, "f2f_f64_f32", "FP64 to FP32 and back, two instructions", F2F=2),
    _p(2, "i2f_f2i_f64", "FP64 to integer and back, two instructions", F2I=1, I2F=1),
    _p(3, "ffma_iadd3", "FP32 multiply-add beside an integer add", 70, False, FFMA=1, IADD3=1),
    _p(3, "ffma_lop3", "FP32 multiply-add beside a logic operation", 70, False, FFMA=1, LOP3=1),
    _p(3, "ffma_imad", "FP32 multiply-add beside an integer one", 70, False, FFMA=1, IMAD=1),
    _p(3, "ffma_dfma", "FP32 multiply-add beside an FP64 one", 70, False, FFMA=1, DFMA=1),
    _p(3, "ffma_hfma2", "FP32 multiply-add beside an FP16x2 one", 70, False, FFMA=1, HFMA2=1),
    _p(3, "ffma_mufu", "FP32 multiply-add beside a power of two", 70, False, FFMA=1, MUFU=1),
    _p(3, "ffma_shfl", "FP32 multiply-add beside a shuffle", 70, False, FFMA=1, SHFL=1),
    _p(3, "iadd3_lop3", "integer add beside a logic operation", 70, False, IADD3=1, LOP3=1),
    _p(3, "imad_lop3", "integer multiply-add beside a logic operation", 70, False, IMAD=1, LOP3=1),
    _p(3, "imad_hfma2", "integer multiply-add beside an FP16x2 one", 70, False, IMAD=1, HFMA2=1),
)


def probes_for(capability: tuple[int, int]) -> tuple[Probe, ...]:
    """The probes that an architecture has, without ``NOTHING``."""
    number = capability[0] * 10 + capability[1]
    return tuple(p for p in PROBES if p.since <= number)
