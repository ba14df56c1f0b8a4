"""How opcodes map to operations: the table of SASS instructions that the simulator knows.

``RULES`` has one row for each opcode (without modifiers): the family of its operand modifiers, and which operation it
is by its modifiers. What is not in the table, and a modifier that a row does not name, is not simulated: the decoder
stops there. Meanings: NVIDIA, "CUDA Binary Utilities" (names), "PTX ISA" (semantics of what they implement), checked by
running (``tests/sim``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mutate.sim import layout as lay

Modifiers = tuple[str, ...]


class UnsupportedError(Exception):
    """A form that the table does not have; the text says which part."""


@dataclass(frozen=True, slots=True)
class Form:
    """One operation of the interpreter with its constants. ``carry``: missing source predicates count as false."""

    kind: str
    m: int = 0
    pk: int = lay.PK_NONE
    table: int = 0
    boolean: int = 0
    x: int = 0
    carry: bool = False


Select = Callable[[Modifiers], Form]


@dataclass(frozen=True, slots=True)
class Rule:
    """``family`` of the operands: i integer, l logic, f single, d double, h half, m no modifiers.

    ``immediates``: how many of the last sources are constants of the instruction, given as ``m`` (shift, table).
    """

    family: str
    select: Select
    immediate: int | None = None


_ROUND = {"RN": 0, "RM": 1, "RP": 2, "RZ": 3}
_FTZ_ETC = {"FTZ": 4, "SAT": 8}
_COMPARISON = {"F": 0, "LT": 1, "EQ": 2, "LE": 3, "GT": 4, "NE": 5, "GE": 6, "NUM": 7, "NAN": 8, "LTU": 9, "EQU": 10,
               "LEU": 11, "GTU": 12, "NEU": 13, "GEU": 14, "T": 15}
_BOOLEAN = {"AND": 0, "OR": 1, "XOR": 2}
_INT_ROUND = {"TRUNC": 3, "FLOOR": 1, "CEIL": 2, "RZ": 3, "RM": 1, "RP": 2, "RN": 0}


def only(mods: Modifiers, *allowed: str) -> None:
    """Stops at a modifier that is not one of those."""
    for mod in mods:
        if mod not in allowed:
            raise UnsupportedError(f"modifier .{mod}")


def bits(mods: Modifiers, values: Mapping[str, int], *ignored: str) -> int:
    """The sum of the values of modifiers; stops at one without a value."""
    total = 0
    for mod in mods:
        if mod in values:
            total += values[mod]
        elif mod not in ignored:
            raise UnsupportedError(f"modifier .{mod}")
    return total


def always(kind: str, *ignored: str, **more: int) -> Select:
    def select(mods: Modifiers) -> Form:
        only(mods, *ignored)
        return Form(kind, **more)  # type: ignore[arg-type]

    return select


def _float(kind: str) -> Select:
    """Arithmetic: the plain operation, or the one with rounding, flushing and saturation."""

    def select(mods: Modifiers) -> Form:
        m = bits(mods, {**_ROUND, **_FTZ_ETC})
        return Form(f"{kind}_m" if m else kind, m)

    return select


def _fmul(mods: Modifiers) -> Form:
    """A product, perhaps times a power of two before it is rounded: .D2 halves it, .M8 makes it eightfold."""
    scales = {"D2": 16, "D4": 32, "D8": 48, "M2": 64, "M4": 80, "M8": 96}
    m = bits(mods, {**_ROUND, **_FTZ_ETC, **scales})
    return Form("fmul_m" if m else "fmul", m)


def _iadd3(mods: Modifiers) -> Form:
    only(mods, "X")
    return Form("iadd3c", pk=lay.PK_CARRY, carry=True)


def _imad(mods: Modifiers) -> Form:
    kind = next((m for m in mods if m in ("MOV", "IADD", "SHL", "WIDE", "HI", "X")), "")
    rest = tuple(m for m in mods if m not in ("MOV", "IADD", "SHL", "U32"))
    if kind == "WIDE":
        only(rest, "WIDE", "X")
        if "X" in mods:
            return Form("wide_c", pk=lay.PK_MASK, table=2, carry=True)
        return Form("wide_u" if "U32" in mods else "wide_s")
    if kind == "HI":
        only(rest, "HI")
        return Form("imad_hi_u" if "U32" in mods else "imad_hi_s")
    only(rest, "X")
    return Form("imadx", carry=True) if kind == "X" else Form("imad")


def _lea(mods: Modifiers) -> Form:
    only(mods, "HI", "X", "SX32")
    if "HI" in mods:
        return Form("leahi_sx" if "SX32" in mods else "leahi", pk=lay.PK_CARRY, carry=True)
    return Form("lea", pk=lay.PK_CARRY, carry=True)


def _lop3(mods: Modifiers) -> Form:
    only(mods, "LUT", "PAND")
    return Form("lop3", pk=lay.PK_MASK, table=int("PAND" in mods), carry="PAND" not in mods)


def _shf(mods: Modifiers) -> Form:
    only(mods, "L", "R", "W", "HI", "U32", "S32", "U64", "S64")
    m = (("L" in mods) + 2 * ("HI" in mods) + 4 * ("S32" in mods or "S64" in mods) + 8 * ("W" in mods)
         + 16 * ("U64" in mods or "S64" in mods))
    return Form("shf", m)


def _sh(mods: Modifiers) -> Form:
    only(mods, "W", "U32", "S32")
    return Form("shf", 1 + 8 * ("W" in mods))


def _prmt(mods: Modifiers) -> Form:
    modes = {"IDX": 0, "F4E": 1, "B4E": 2, "RC8": 3, "ECL": 4, "ECR": 5, "RC16": 6}
    return Form("prmt", bits(mods, modes))


def _compare(kind: str, flush: str = "") -> Select:
    def select(mods: Modifiers) -> Form:
        chosen, table, boolean = kind, 0, 0
        for mod in mods:
            if mod in _COMPARISON:
                table = _COMPARISON[mod]
            elif mod in _BOOLEAN:
                boolean = _BOOLEAN[mod]
            elif mod == "U32" and kind == "isetp_s":
                chosen = "isetp_u"
            elif mod == "S32" and kind == "isetp_s":
                pass
            elif mod == "EX" and kind == "isetp_s":
                table |= 16
            elif mod == "FTZ" and flush:
                chosen = flush
            elif mod in ("MIN", "MAX") and kind == "dsetp":
                return _pick(f"d{mod.lower()}sel", mods)
            else:
                raise UnsupportedError(f"modifier .{mod}")
        if "EX" in mods:
            table |= 16
        if "T" in mods and kind == "isetp_s":
            table = 7
        return Form(chosen, pk=lay.PK_COMPARE, table=table, boolean=boolean)

    return select


def _pick(kind: str, mods: Modifiers) -> Form:
    """DSETP.MIN and DSETP.MAX: whether the first operand is it, and whether both are NaN."""
    only(mods, "MIN", "MAX", "AND")
    return Form(kind, pk=lay.PK_MASK, table=1)


def _set(kind: str, flush: str = "") -> Select:
    def select(mods: Modifiers) -> Form:
        form = _compare(kind, flush)(tuple(m for m in mods if m != "BF"))
        return Form(form.kind, pk=lay.PK_SET, table=form.table, boolean=form.boolean,
                    x=0x3F800000 if "BF" in mods else -1)

    return select


def _minmax(signed: str, unsigned: str, packed: int = 0) -> Select:
    """``packed``: the operation of ``vimnmx`` that does it in halves, or with zero as a bound."""

    def select(mods: Modifiers) -> Form:
        only(mods, "U32", "S32", *(("S16x2", "U16x2", "RELU") if packed >= 0 else ()))
        plain = all(m in ("U32", "S32") for m in mods)
        if not plain:
            return Form("vimnmx", packed + ("U16x2" not in mods and "U32" not in mods)
                        + 2 * ("S16x2" in mods or "U16x2" in mods) + 4 * ("RELU" in mods))
        return Form(unsigned if "U32" in mods else signed)

    return select


def _fmnmx(mods: Modifiers) -> Form:
    return Form("fmnmx", bits(mods, {"NAN": 1, "FTZ": 4}))


def _mufu(mods: Modifiers) -> Form:
    plain = {"RCP": 0, "RSQ": 1, "SQRT": 2, "EX2": 3, "LG2": 4, "SIN": 5, "COS": 6, "TANH": 7}
    if len(mods) == 1 and mods[0] in plain:
        return Form("mufu", plain[mods[0]])
    if len(mods) == 1 and mods[0] in ("RCP64H", "RSQ64H"):
        return Form("mufu64", int(mods[0].startswith("RSQ")))
    if len(mods) == 2 and mods[0] in ("EX2", "TANH") and mods[1] in ("F16", "BF16"):
        return Form("mufu_half", plain[mods[0]] + 8 * (mods[1] == "BF16"))
    raise UnsupportedError("modifier ." + ".".join(mods))


_HALF_BITS = {"BF16_V2": 1, "BF16": 1, "FTZ": 16, "SAT": 32, "RELU": 64}


def _half(kind: str) -> Select:
    def select(mods: Modifiers) -> Form:
        if "F32" in mods and kind in ("hadd2", "hmul2", "hfma2"):
            return Form(f"{kind}_f32", bits(mods, {"BF16_V2": 1}, "F32"))
        return Form(kind, bits(mods, {**_HALF_BITS, **({"NAN": 2048} if kind == "hmin2" else {})}, "MMA"))

    return select


def _hsetp2(mods: Modifiers) -> Form:
    rest = tuple(m for m in mods if m in _HALF_BITS)
    form = _compare("hsetp2")(tuple(m for m in mods if m not in _HALF_BITS and m != "H_AND"))
    return Form("hsetp2", bits(rest, _HALF_BITS), pk=lay.PK_HALVES, table=form.table, boolean=form.boolean,
                x=int("H_AND" in mods))


def _hset2(mods: Modifiers) -> Form:
    rest = tuple(m for m in mods if m in _HALF_BITS)
    form = _compare("hsetp2")(tuple(m for m in mods if m not in _HALF_BITS and m != "BF"))
    return Form("hsetp2", bits(rest, _HALF_BITS), pk=lay.PK_HALVES, table=form.table, boolean=form.boolean,
                x=(0x3F80 if "BF16_V2" in mods else 0x3C00) if "BF" in mods else 0xFFFF)


def _f2i(mods: Modifiers) -> Form:
    only(mods, *_INT_ROUND, "FTZ", "NTZ", "U32", "S32", "U64", "S64", "F64", "F32", "F16", "BF16", "U8", "S8", "U16",
         "S16")
    source = "d" if "F64" in mods else ("h" if "F16" in mods or "BF16" in mods else "f")
    wide = "U64" in mods or "S64" in mods
    m = next((_INT_ROUND[x] for x in mods if x in _INT_ROUND), 0) + 4 * ("FTZ" in mods)
    m += 8 * (not any(x.startswith("U") for x in mods)) + 64 * ("BF16" in mods)
    m += 16 * ("U8" in mods or "S8" in mods) + 32 * ("U16" in mods or "S16" in mods)
    return Form(f"{source}2i{64 if wide else 32}", m)


def _i2i(mods: Modifiers) -> Form:
    """``I2I.S8.S32.SAT``: type of the result, type of the source."""
    types = [x for x in mods if x != "SAT"]
    if "SAT" not in mods or len(types) != 2 or types[0] not in ("U8", "S8", "U16", "S16") or types[1][1:] != "32":
        raise UnsupportedError("this conversion of integers")
    return Form("i2i", 8 * (types[0][0] == "S") + 16 * (types[0][1:] == "8") + 32 * (types[0][1:] == "16")
                + 64 * (types[1] == "S32"))


def _i2ip(mods: Modifiers) -> Form:
    types = [x for x in mods if x != "SAT"]
    if "SAT" not in mods or len(types) != 2 or types[0][1:] not in ("8", "16") or types[1] != "S32":
        raise UnsupportedError("this packing of integers")
    return Form("i2ip", int(types[0][1:]) + 32 * (types[0][0] == "S"))


def _i2f(mods: Modifiers) -> Form:
    only(mods, *_ROUND, "U32", "S32", "U64", "S64", "U16", "S16", "U8", "S8", "F64", "F32", "F16", "BF16")
    m = next((_ROUND[x] for x in mods if x in _ROUND), 0)
    m += 8 * (not any(x.startswith("U") for x in mods))
    m += 16 * ("U8" in mods or "S8" in mods) + 32 * ("U16" in mods or "S16" in mods) + 64 * ("BF16" in mods)
    wide = "U64" in mods or "S64" in mods
    if "F16" in mods or "BF16" in mods:
        if wide:
            raise UnsupportedError("a 64-bit integer to half precision")
        return Form("i2h", m)
    return Form(("l2d" if wide else "i2d") if "F64" in mods else ("l2f" if wide else "i2f"), m)


def _f2f(mods: Modifiers) -> Form:
    types = [x for x in mods if x in ("F16", "BF16", "F32", "F64")]
    rest = tuple(x for x in mods if x not in ("F16", "BF16", "F32", "F64"))
    m = bits(rest, {**_ROUND, "FTZ": 4}) + 64 * ("BF16" in types)
    to, source = types if len(types) == 2 else (types[0], "F32") if types else ("F32", "F32")
    kinds = {("F32", "F32"): "f2f", ("F32", "F64"): "d2f", ("F64", "F32"): "f2d", ("F32", "F16"): "h2f",
             ("F32", "BF16"): "h2f", ("F64", "F16"): "h2dbl", ("F16", "F32"): "f2h", ("BF16", "F32"): "f2h",
             ("F16", "F64"): "d2h16", ("BF16", "F64"): "d2h16"}
    if (to, source) not in kinds:
        raise UnsupportedError(f"a conversion from {source} to {to}")
    return Form(kinds[to, source], m)


def _f2fp(mods: Modifiers) -> Form:
    if "E4M3" in mods or "E5M2" in mods:
        m = int("E5M2" in mods) + 2 * ("RELU" in mods)
        if "UNPACK_B" in mods:
            only(mods, "F16", "E4M3", "E5M2", "UNPACK_B")
            return Form("f8unpack", m)
        only(mods, "SATFINITE", "E4M3", "E5M2", "F32", "F16", "PACK_AB_MERGE_C", "UNPACK_B_MERGE_C", "RELU")
        if "SATFINITE" not in mods or ("F32" in mods) != ("PACK_AB_MERGE_C" in mods):
            raise UnsupportedError("this conversion to 8 bits")
        return Form("f8pack" if "F32" in mods else "f8pack_h", m)
    only(mods, "F16", "BF16", "F32", "PACK_AB", "RZ", "RELU")
    return Form("f2h2", 3 * ("RZ" in mods) + 64 * ("BF16" in mods) + 128 * ("RELU" in mods))


def _frnd(mods: Modifiers) -> Form:
    only(mods, *_INT_ROUND, "FTZ", "F64", "F32", "F16", "BF16")
    m = next((_INT_ROUND[x] for x in mods if x in _INT_ROUND), 0) + 4 * ("FTZ" in mods) + 64 * ("BF16" in mods)
    return Form("drnd" if "F64" in mods else ("hrnd" if "F16" in mods or "BF16" in mods else "frnd"), m)


def _flo(mods: Modifiers) -> Form:
    only(mods, "U32", "S32", "SH")
    return Form("flo", int("U32" not in mods) + 2 * ("SH" in mods), pk=lay.PK_MASK, carry=True)


def _bmsk(mods: Modifiers) -> Form:
    return Form("bmsk", bits(mods, {"W": 1}, "C"))


def _sgxt(mods: Modifiers) -> Form:
    return Form("sgxt", bits(mods, {"U32": 1, "W": 2}))


def _idp(mods: Modifiers) -> Form:
    only(mods, "4A", "2A", "LO", "HI", "U8", "S8", "U16", "S16")
    kinds = [x for x in mods if x[0] in "US"] + ["S8", "S8"]
    return Form("idp", int(kinds[0][0] == "S") + 2 * (kinds[1][0] == "S") + 4 * ("2A" in mods) + 8 * ("HI" in mods))


def _viadd(mods: Modifiers) -> Form:
    only(mods, "16x2")
    return Form("viadd16" if mods else "iadd3")


def _vabsdiff4(mods: Modifiers) -> Form:
    only(mods, "U8", "ACC")
    if "U8" not in mods:
        raise UnsupportedError("signed bytes")
    return Form("vabsdiff4", int("ACC" in mods))


def _vabsdiff(mods: Modifiers) -> Form:
    only(mods, "U32", "S32")
    return Form("vabsdiff", int("U32" not in mods))


def _iabs(mods: Modifiers) -> Form:
    only(mods)
    return Form("iabs")


def _fchk(mods: Modifiers) -> Form:
    only(mods, "DIVIDE")
    return Form("fchk", pk=lay.PK_MASK, carry=True)


RULES: dict[str, Rule] = {
    "MOV": Rule("i", always("mov")), "MOV32I": Rule("i", always("mov")), "UMOV": Rule("i", always("mov")),
    "UMOV64": Rule("i", always("mov64")),
    "IADD3": Rule("i", _iadd3), "UIADD3": Rule("i", _iadd3), "IADD": Rule("i", _iadd3), "IADD32I": Rule("i", _iadd3),
    "VIADD": Rule("i", _viadd), "UVIADD": Rule("i", _viadd),
    "IMAD": Rule("i", _imad), "UIMAD": Rule("i", _imad),
    "LEA": Rule("i", _lea, 1), "ULEA": Rule("i", _lea, 1),
    "LOP3": Rule("l", _lop3, 1), "ULOP3": Rule("l", _lop3, 1),
    "SHF": Rule("i", _shf), "USHF": Rule("i", _shf), "SHL": Rule("i", _sh),
    "USHL": Rule("i", _sh),
    "PRMT": Rule("i", _prmt), "UPRMT": Rule("i", _prmt),
    "SEL": Rule("i", always("sel")), "USEL": Rule("i", always("sel")), "FSEL": Rule("f", always("sel", "FTZ")),
    "ISETP": Rule("i", _compare("isetp_s")), "UISETP": Rule("i", _compare("isetp_s")),
    "IMNMX": Rule("i", _minmax("min_s", "min_u", -1)), "UIMNMX": Rule("i", _minmax("min_s", "min_u", -1)),
    "VIMNMX": Rule("i", _minmax("min_s", "min_u")), "UVIMNMX": Rule("i", _minmax("min_s", "min_u")),
    "VIADDMNMX": Rule("i", _minmax("addmin_s", "addmin_u", 8)), "VIMNMX3": Rule("i", _minmax("min3_s", "min3_u", 16)),
    "IABS": Rule("i", _iabs), "UIABS": Rule("i", _iabs), "POPC": Rule("l", always("popc")),
    "UPOPC": Rule("l", always("popc")), "BREV": Rule("l", always("brev")), "UBREV": Rule("l", always("brev")),
    "FLO": Rule("l", _flo), "UFLO": Rule("l", _flo), "BMSK": Rule("i", _bmsk), "UBMSK": Rule("i", _bmsk),
    "SGXT": Rule("i", _sgxt), "USGXT": Rule("i", _sgxt), "IDP": Rule("m", _idp), "UIDP": Rule("m", _idp),
    "VABSDIFF": Rule("m", _vabsdiff), "VABSDIFF4": Rule("m", _vabsdiff4),
    "FADD": Rule("f", _float("fadd")), "FADD32I": Rule("f", _float("fadd")), "FMUL": Rule("f", _fmul),
    "FMUL32I": Rule("f", _float("fmul")), "FFMA": Rule("f", _float("ffma")), "FFMA32I": Rule("f", _float("ffma")),
    "FMNMX": Rule("f", _fmnmx), "FSETP": Rule("f", _compare("fsetp", "fsetp_ftz")),
    "FSET": Rule("f", _set("fsetp", "fsetp_ftz")), "FCHK": Rule("f", _fchk),
    "MUFU": Rule("f", _mufu),
    "DADD": Rule("d", _float("dadd")), "DMUL": Rule("d", _float("dmul")), "DFMA": Rule("d", _float("dfma")),
    "DMNMX": Rule("d", always("dmnmx")), "DSETP": Rule("d", _compare("dsetp")),
    "HADD2": Rule("h", _half("hadd2")), "HMUL2": Rule("h", _half("hmul2")), "HFMA2": Rule("h", _half("hfma2")),
    "HADD2_32I": Rule("h", _half("hadd2")), "HMUL2_32I": Rule("h", _half("hmul2")),
    "HFMA2_32I": Rule("h", _half("hfma2")), "HMNMX2": Rule("h", _half("hmin2")), "VHMNMX": Rule("h", _half("hmin2")),
    "HSETP2": Rule("h", _hsetp2), "HSET2": Rule("h", _hset2),
    "F2I": Rule("f", _f2i), "I2I": Rule("i", _i2i), "I2IP": Rule("i", _i2ip),
    "I2F": Rule("m", _i2f), "I2FP": Rule("m", _i2f), "F2F": Rule("f", _f2f),
    "F2FP": Rule("f", _f2fp), "FRND": Rule("f", _frnd), "UI2F": Rule("m", _i2f), "UI2FP": Rule("m", _i2f),
    "UF2I": Rule("f", _f2i), "UFADD": Rule("f", _float("fadd")), "UFMUL": Rule("f", _float("fmul")),
    "UFFMA": Rule("f", _float("ffma")),
}
