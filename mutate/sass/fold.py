"""Evaluates SASS instructions whose inputs are partly known: enough to decide the comparisons that guard a site.

A value is an ``int`` (the 32 bits of a register), a ``bool`` (a predicate), or ``Floats``: the finite set of numbers
that a register may hold when seen as float, double or half. Zero times an unknown number is zero or NaN, so
``1 == x * 0`` is false although the product is unknown. A result that is not certain is absent.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mutate.sass.disasm import Instruction
from mutate.sass.operands import Operand, operands_of

_MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class Floats:
    """``kind`` is "f16" (of the low half), "f32" or "f64" (then both registers of the pair hold it)."""

    kind: str
    values: tuple[float, ...]


Value = int | bool | Floats
State = dict[str, Value]
_ZERO_OR_NAN = (0.0, math.nan)

_ORDERED: dict[str, Callable[[float, float], bool]] = {
    "LT": lambda a, b: a < b, "EQ": lambda a, b: a == b, "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b, "NE": lambda a, b: a != b, "GE": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Flag:
    """Where the flag lies in constant bank 3; ``None`` for a run in which nothing is known of it."""

    offset: int | None

    def byte_range_is_zero(self, bank: int, offset: int, size: int) -> bool:
        return self.offset is not None and bank == 3 and self.offset <= offset and offset + size <= self.offset + 4


def predicate(state: Mapping[str, Value], operand: Operand) -> bool | None:
    """Value of a predicate operand, its negation included."""
    if operand.kind not in ("P", "UP"):
        return None
    raw = True if operand.number < 0 else state.get(operand.key)
    return raw != operand.inverted if isinstance(raw, bool) else None


def guard(state: Mapping[str, Value], text: str) -> bool | None:
    """Value of what stands before an instruction: "" (true), "@P0", "@!UP1"."""
    if not text:
        return True
    operands = operands_of(text.removeprefix("@"))
    return predicate(state, operands[0]) if operands else None


def _integer(state: Mapping[str, Value], operand: Operand, flag: Flag) -> int | None:
    """The 32 bits of an operand."""
    if operand.suffix or operand.absolute:
        return None
    raw: Value | None = None
    if operand.kind in ("R", "UR"):
        raw = 0 if operand.number < 0 else state.get(operand.key)
    elif operand.kind == "int":
        raw = operand.number
    elif operand.kind == "c" and flag.byte_range_is_zero(operand.bank, operand.number, 4):
        raw = 0
    if not isinstance(raw, int) or isinstance(raw, bool):
        return None
    if operand.negative:
        raw = -raw
    return (~raw if operand.inverted else raw) & _MASK


def _pair(state: Mapping[str, Value], operand: Operand, flag: Flag) -> int | None:
    """The 64 bits of an operand: a register and the next, or a sign-extended constant."""
    if operand.kind == "int":
        return operand.number & 0xFFFFFFFFFFFFFFFF
    if operand.kind not in ("R", "UR") or operand.negative or operand.inverted:
        return None
    if operand.number < 0:
        return 0
    low = _integer(state, operand, flag)
    high = state.get(f"{operand.kind}{operand.number + 1}")
    if low is None or not isinstance(high, int) or isinstance(high, bool):
        return None
    return high << 32 | low


def _floats(state: Mapping[str, Value], operand: Operand, kind: str, flag: Flag) -> tuple[float, ...] | None:
    """The numbers that an operand of a floating-point instruction may be."""
    values: tuple[float, ...] | None = None
    if operand.kind == "float":
        values = (operand.value,)
    elif operand.kind == "int" and kind == "f64":
        # A double's constant is printed as the upper 32 bits when it is no short number.
        values = (_from_bits(operand.number << 32, "f64"),)
    elif operand.kind in ("R", "UR", "c", "int"):
        raw = state.get(operand.key) if operand.kind in ("R", "UR") and operand.number >= 0 else None
        if isinstance(raw, Floats):
            high = state.get(f"{operand.kind}{operand.number + 1}")
            whole = raw.kind != "f64" or high == raw
            low_half = not operand.suffix or operand.suffix in (".H0_H0", ".F32")
            values = raw.values if raw.kind == kind and whole and low_half else None
        else:
            plain = Operand(operand.text, operand.kind, operand.number, operand.bank)
            bits = (_pair if kind == "f64" else _integer)(state, plain, flag)
            if bits is not None and operand.suffix in ("", ".H0_H0"):
                values = (_from_bits(bits, kind),)
    if values is not None and operand.absolute:
        values = tuple(map(abs, values))
    return tuple(-v for v in values) if values is not None and operand.negative else values


def _from_bits(bits: int, kind: str) -> float:
    if kind == "f64":
        return float(struct.unpack("<d", struct.pack("<Q", bits & 0xFFFFFFFFFFFFFFFF))[0])
    if kind == "f32":
        return float(struct.unpack("<f", struct.pack("<I", bits & _MASK))[0])
    return float(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])


def _zero(values: tuple[float, ...] | None) -> bool:
    return values is not None and all(v == 0 or math.isnan(v) for v in values)


def _signed(value: int, bits: int = 32) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _both(a: bool | None, b: bool | None) -> bool | None:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def _either(a: bool | None, b: bool | None) -> bool | None:
    if a is True or b is True:
        return True
    return None if a is None or b is None else False


def _combine(how: str, a: bool | None, b: bool | None) -> bool | None:
    if how == "AND":
        return _both(a, b)
    if how == "OR":
        return _either(a, b)
    return None if a is None or b is None else a != b


def _lut(table: int, inputs: list[int | None], mask: int) -> int | None:
    """A three-input look-up in every bit of ``mask``; known where all choices of the unknown inputs agree.

    Bits do not influence each other, so all ones and all zeros are choices enough.
    """
    outcomes = set()
    for choice in range(8):
        if any(known is not None and choice >> n & 1 for n, known in enumerate(inputs)):
            continue
        a, b, c = ((mask if choice >> n & 1 else 0) if known is None else known for n, known in enumerate(inputs))
        result = 0
        for row in range(8):
            if table >> row & 1:
                result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
        outcomes.add(result & mask)
        if len(outcomes) > 1:
            return None
    return outcomes.pop()


def _multiply_add(i: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    modifiers = i.opcode.split(".")[1:]
    # With a carry, or with a predicate as second destination, it is an addition of another kind.
    if "X" in modifiers or len(ops) != 4 or ops[1].kind in ("P", "UP"):
        return {}
    a, b = _integer(state, ops[1], flag), _integer(state, ops[2], flag)
    product = 0 if a == 0 or b == 0 else None
    if product is None and a is not None and b is not None:
        product = a * b if "U32" in modifiers else _signed(a) * _signed(b)
    if product is None:
        return {}
    if "WIDE" in modifiers:
        c = _pair(state, ops[3], flag)
        if c is None:
            # The sum with an unknown pair is that pair, when the product is zero; nothing is known of it.
            return {}
        total = (product + c) & 0xFFFFFFFFFFFFFFFF
        return {ops[0].key: total & _MASK, f"{ops[0].kind}{ops[0].number + 1}": total >> 32}
    c = _integer(state, ops[3], flag)
    if c is None or ("HI" in modifiers and product):
        return {}
    return {ops[0].key: (product + c) & _MASK}


def _add(i: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    modifiers = i.opcode.split(".")[1:]
    inputs = [o for o in ops[1:] if o.kind not in ("P", "UP")]
    if "X" in modifiers or "64" in modifiers:
        return {}
    values = [_integer(state, o, flag) for o in inputs]
    known = [v for v in values if v is not None]
    return {ops[0].key: sum(known) & _MASK} if values and len(known) == len(values) else {}


def _move(_: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    if len(ops) < 2:
        return {}
    value: Value | None = _integer(state, ops[1], flag)
    if value is None and ops[1].kind in ("R", "UR") and not (ops[1].suffix or ops[1].negative or ops[1].absolute):
        value = state.get(ops[1].key)
    return {} if value is None else {ops[0].key: value}


def _logic(_: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    rest = list(ops)
    test = rest.pop(0) if rest[0].kind in ("P", "UP") else None
    if len(rest) < 5 or rest[4].kind != "int":
        return {}
    result = _lut(rest[4].number, [_integer(state, o, flag) for o in rest[1:4]], _MASK)
    if result is None:
        return {}
    found: State = {} if rest[0].number < 0 else {rest[0].key: result}
    if test is not None and test.number >= 0 and len(rest) > 5 and predicate(state, rest[5]) is False:
        found[test.key] = result != 0
    return found


def _predicate_logic(_: Instruction, ops: tuple[Operand, ...], state: State, __: Flag) -> State:
    if len(ops) < 7:
        return {}
    inputs = [None if p is None else int(p) for p in (predicate(state, o) for o in ops[2:5])]
    found: State = {}
    for target, table in ((ops[0], ops[5]), (ops[1], ops[6])):
        result = _lut(table.number, inputs, 1) if table.kind == "int" else None
        if result is not None and target.number >= 0:
            found[target.key] = bool(result)
    return found


def _select(_: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    if len(ops) != 4:
        return {}
    which = predicate(state, ops[3])
    a, b = _integer(state, ops[1], flag), _integer(state, ops[2], flag)
    chosen = a if which or a == b else b if which is False else None
    return {} if chosen is None else {ops[0].key: chosen}


def _two_results(ops: tuple[Operand, ...], compared: bool | None, how: str, state: State) -> State:
    """The two predicates of a comparison: it, and its negation, each combined with the predicate that is given."""
    with_what = predicate(state, ops[4])
    found: State = {}
    for target, outcome in ((ops[0], compared), (ops[1], None if compared is None else not compared)):
        result = _combine(how, outcome, with_what)
        if result is not None and target.number >= 0:
            found[target.key] = result
    return found


def _compare_integers(i: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    modifiers = i.opcode.split(".")[1:]
    operation = modifiers[0] if modifiers else ""
    how = next((m for m in modifiers if m in ("AND", "OR", "XOR")), "AND")
    if len(ops) < 5 or operation not in (*_ORDERED, "F", "T"):
        return {}
    wide = any("64" in m for m in modifiers)
    read = _pair if wide else _integer
    a, b = read(state, ops[2], flag), read(state, ops[3], flag)
    unsigned = any(m.startswith("U") for m in modifiers)
    compared: bool | None = None
    if a is not None and b is not None:
        bits = 64 if wide else 32
        x, y = (a, b) if unsigned else (_signed(a, bits), _signed(b, bits))
        compared = _decide(operation, x, y)
        if "EX" in modifiers:
            # Upper halves: they decide unless they are equal, then the lower halves' result does.
            low = predicate(state, ops[5]) if len(ops) > 5 else None
            compared = _decide(operation, x, y) if x != y else low
    elif "EX" in modifiers and len(ops) > 5:
        low = predicate(state, ops[5])
        compared = False if operation == "EQ" and low is False else True if operation == "NE" and low else None
    return _two_results(ops, compared, how, state)


def _decide(operation: str, a: float, b: float) -> bool:
    if operation in ("F", "T"):
        return operation == "T"
    return _ORDERED[operation](a, b)


def _compare_floats(kind: str) -> Callable[[Instruction, tuple[Operand, ...], State, Flag], State]:
    def compare(i: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
        modifiers = i.opcode.split(".")[1:]
        operation = next((m for m in modifiers if m.removesuffix("U") in _ORDERED), "")
        how = next((m for m in modifiers if m in ("AND", "OR", "XOR")), "AND")
        # Packed halves give one result each; only the case of the low half alone is evaluated.
        if len(ops) != 5 or not operation or "BF16_V2" in modifiers:
            return {}
        if kind == "f16" and any(o.kind in ("R", "UR") and o.number >= 0 and o.suffix != ".H0_H0" for o in ops[2:4]):
            return {}
        a, b = _floats(state, ops[2], kind, flag), _floats(state, ops[3], kind, flag)
        compared: bool | None = None
        if a is not None and b is not None:
            outcomes = {_float_outcome(operation, x, y) for x in a for y in b}
            compared = outcomes.pop() if len(outcomes) == 1 else None
        return _two_results(ops, compared, how, state)

    return compare


def _float_outcome(operation: str, a: float, b: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return operation.endswith("U")
    return _ORDERED[operation.removesuffix("U")](a, b)


def _float_product(kind: str, fused: bool) -> Callable[[Instruction, tuple[Operand, ...], State, Flag], State]:
    def product(i: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
        if kind == "f16" and fused and len(ops) == 5 and all(o.kind == "float" for o in ops[3:]):
            # A constant made of two halves: zero times zero plus the constants, the upper one first.
            if _integer(state, Operand("", ops[1].kind, ops[1].number), flag) == 0 and ops[1].number < 0:
                return {ops[0].key: _half_bits(ops[3].value) << 16 | _half_bits(ops[4].value)}
            return {}
        if len(ops) != (4 if fused else 3) or "BF16_V2" in i.opcode:
            return {}
        if not (_zero(_floats(state, ops[1], kind, flag)) or _zero(_floats(state, ops[2], kind, flag))):
            return {}
        values: tuple[float, ...] | None = _ZERO_OR_NAN
        if fused:
            addend = _floats(state, ops[3], kind, flag)
            values = None if addend is None else (*addend, math.nan)
        if values is None:
            return {}
        result = Floats(kind, values)
        return {ops[0].key: result, **({f"R{ops[0].number + 1}": result} if kind == "f64" else {})}

    return product


def _half_bits(value: float) -> int:
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0x7C00 | (0x8000 if value < 0 else 0)


def _to_float(i: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    modifiers = i.opcode.split(".")[1:]
    kind = next((m.lower() for m in modifiers if m in ("F16", "F32", "F64")), "f32")
    if len(ops) != 2 or any(m in ("S64", "U64", "S8", "U8", "S16", "U16") or m.startswith("B") for m in modifiers):
        return {}
    bits = _integer(state, ops[1], flag)
    if bits is None:
        return {}
    number = float(bits if "U32" in modifiers else _signed(bits))
    if kind == "f32" and abs(number) < 2**24:
        (raw,) = struct.unpack("<I", struct.pack("<f", number))
        return {ops[0].key: int(raw)}
    if kind == "f64":
        result = Floats("f64", (number,))
        return {ops[0].key: result, f"{ops[0].kind}{ops[0].number + 1}": result}
    return {ops[0].key: Floats("f16", (number,))} if kind == "f16" and abs(number) <= 2048 else {}


def _load_constant(i: Instruction, ops: tuple[Operand, ...], _: State, flag: Flag) -> State:
    if len(ops) != 2 or ops[1].kind != "c":
        return {}
    modifiers = i.opcode.split(".")[1:]
    if any(m in ("U8", "S8", "U16", "S16") for m in modifiers):
        size = 1 if any(m.endswith("8") for m in modifiers) else 2
        return {ops[0].key: 0} if flag.byte_range_is_zero(ops[1].bank, ops[1].number, size) else {}
    count = 4 if "128" in modifiers else 2 if "64" in modifiers else 1
    return {f"{ops[0].kind}{ops[0].number + n}": 0 for n in range(count)
            if flag.byte_range_is_zero(ops[1].bank, ops[1].number + 4 * n, 4)}


def _zero_in_zero_out(_: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    """Shifts and permutations: zero data stays zero, whatever the amount or the selector in the middle."""
    if len(ops) != 4:
        return {}
    zero = _integer(state, ops[1], flag) == 0 and _integer(state, ops[3], flag) == 0
    return {ops[0].key: 0} if zero else {}


def _vote(_: Instruction, ops: tuple[Operand, ...], state: State, __: Flag) -> State:
    """A predicate that all threads share is its own vote: `VOTEU.ANY UP0, P1`, `VOTE.ALL P0, P1`."""
    if len(ops) != 2 or ops[0].kind not in ("P", "UP") or ops[0].number < 0:
        return {}
    value = predicate(state, ops[1])
    return {} if value is None else {ops[0].key: value}


def _zeros(i: Instruction, ops: tuple[Operand, ...], _: State, __: Flag) -> State:
    if len(ops) != 2 or ops[1].text != "SRZ":
        return {}
    count = 1 if ".32" in i.opcode else 2
    return {f"{ops[0].kind}{ops[0].number + n}": 0 for n in range(count)}


def _pack_predicates(i: Instruction, ops: tuple[Operand, ...], state: State, flag: Flag) -> State:
    """``P2R Rd, PR, Ra, mask``: the predicates of the mask as bits of Rd, the other bits from Ra."""
    if i.opcode != "P2R" or len(ops) != 4 or ops[1].text != "PR" or ops[3].kind != "int":
        return {}
    base, mask = _integer(state, ops[2], flag), ops[3].number
    if base is None:
        return {}
    bits = base & ~mask
    for n in range(8):
        if mask >> n & 1:
            value = True if n == 7 else state.get(f"P{n}")
            if not isinstance(value, bool):
                return {}
            bits |= value << n
    return {ops[0].key: bits & _MASK}


_RULES: dict[str, Callable[[Instruction, tuple[Operand, ...], State, Flag], State]] = {
    "MOV": _move, "UMOV": _move, "MOV32I": _move, "R2UR": _move,
    "IMAD": _multiply_add, "UIMAD": _multiply_add,
    "IADD3": _add, "UIADD3": _add, "VIADD": _add, "UVIADD": _add, "IADD": _add, "UIADD": _add,
    "LOP3": _logic, "ULOP3": _logic,
    "PLOP3": _predicate_logic, "UPLOP3": _predicate_logic,
    "SEL": _select, "USEL": _select,
    "ISETP": _compare_integers, "UISETP": _compare_integers,
    "FSETP": _compare_floats("f32"), "UFSETP": _compare_floats("f32"), "DSETP": _compare_floats("f64"),
    "HSETP2": _compare_floats("f16"),
    "FMUL": _float_product("f32", False), "UFMUL": _float_product("f32", False), "FFMA": _float_product("f32", True),
    "DMUL": _float_product("f64", False), "DFMA": _float_product("f64", True),
    "HMUL2": _float_product("f16", False), "HFMA2": _float_product("f16", True),
    "I2F": _to_float, "I2FP": _to_float, "UI2F": _to_float, "UI2FP": _to_float,
    "LDC": _load_constant, "LDCU": _load_constant, "ULDC": _load_constant,
    "SHF": _zero_in_zero_out, "USHF": _zero_in_zero_out, "PRMT": _zero_in_zero_out, "UPRMT": _zero_in_zero_out,
    "VOTE": _vote, "VOTEU": _vote, "CS2R": _zeros, "P2R": _pack_predicates,
}


def evaluate(instruction: Instruction, state: State, flag: Flag) -> State:
    """What is known of the results of an instruction that executes in ``state``: by register, absent where unknown.

    ``RZ`` and ``PT`` as destinations give no entry.
    """
    rule = _RULES.get(instruction.name)
    if rule is None:
        return {}
    operands = operands_of(instruction.operands)
    if not operands:
        return {}
    found = rule(instruction, operands, state, flag)
    return {key: value for key, value in found.items()
            if not key.endswith("-1") and isinstance(value, bool) == ("P" in key)}
