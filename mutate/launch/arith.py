"""C arithmetic on typed values: promotions, the usual conversions, 32-bit ``int`` with overflow as an error.

Errors are ``FaultError``s: without a place; the evaluator, which knows the token, turns them into ``KmutateError``.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable

from mutate.launch.model import Value, pack_scalar
from mutate.launch.types import DOUBLE, FLOAT, INT, LLONG, LONG, UINT, ULLONG, ULONG, Rank, Scalar


class FaultError(Exception):
    """``slug`` and message of what C leaves undefined or a declaration cannot mean.

    ``argument`` is the index of the call argument at fault where there is one.
    """

    def __init__(self, slug: str, what: str, hint: str | None = None, argument: int | None = None) -> None:
        super().__init__(what)
        self.slug = slug
        self.what = what
        self.hint = hint
        self.argument = argument


Number = int | float


def round_to(kind: Scalar, value: Number) -> Number:
    """A number as its type holds it: integers wrap (as a C cast does), floats are rounded."""
    if kind.rank is Rank.BOOL:
        return int(value != 0)
    if kind.is_integer:
        if isinstance(value, float):
            if not math.isfinite(value):
                raise FaultError("launch-overflow", f"{value} has no value as {kind.name}")
            value = math.trunc(value)
            low, high = kind.range
            if not low <= value <= high:
                raise FaultError("launch-overflow", f"{value} is out of the range of {kind.name}")
        bits = 8 * kind.size
        value &= (1 << bits) - 1
        return value - (1 << bits) if kind.rank is Rank.INT and value >> bits - 1 else value
    try:
        number = float(value)
    except OverflowError:
        number = math.copysign(math.inf, value)
    if kind.rank is Rank.BF16:
        widened: float = struct.unpack("<f", b"\0\0" + pack_scalar(kind, number))[0]
        return widened
    if kind.rank is Rank.HALF:
        rounded: float = struct.unpack("<e", pack_scalar(kind, float(round_to(FLOAT, number))))[0]
        return rounded
    if kind.size == 4:
        single: float = struct.unpack("<f", pack_scalar(kind, number))[0]
        return single
    return number


def scalar_of(value: Value) -> tuple[Scalar, Number]:
    if isinstance(value.type, Scalar) and isinstance(value.data, int | float):
        return value.type, value.data
    raise FaultError("launch-type", f"a number is needed here, not a value of type {value.type.name}")


def convert(value: Value, kind: Scalar) -> Value:
    """Conversion to an arithmetic type as by a cast or an assignment."""
    _, number = scalar_of(value)
    return Value(kind, round_to(kind, number))


def make_int(kind: Scalar, exact: int) -> Value:
    """The result of an integer operation: unsigned wraps, signed overflow is an error."""
    low, high = kind.range
    if kind.rank is Rank.INT and not low <= exact <= high:
        raise FaultError(
            "launch-overflow", f"{exact} overflows {kind.name} ({8 * kind.size} bits)",
            "make one operand 64 bits wide: (size_t)x" if kind.size < 8 else None)
    return Value(kind, round_to(kind, exact))


_RANKS = {INT: 0, UINT: 1, LONG: 2, ULONG: 3, LLONG: 4, ULLONG: 5}


def promote(kind: Scalar) -> Scalar:
    """Integer promotion; half and bfloat16 compute as float."""
    if kind.is_integer:
        return kind if kind in _RANKS else INT
    return FLOAT if kind.rank in (Rank.HALF, Rank.BF16) else kind


def common(a: Scalar, b: Scalar) -> Scalar:
    """The usual arithmetic conversions (C11 6.3.1.8) on LP64."""
    a, b = promote(a), promote(b)
    if DOUBLE in (a, b):
        return DOUBLE
    if FLOAT in (a, b):
        return FLOAT
    high, low = (a, b) if _RANKS[a] >= _RANKS[b] else (b, a)
    if high.rank is Rank.INT and low.rank is Rank.UINT and high.size == low.size:
        return ULLONG if high == LLONG else ULONG
    return high


_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}
_BITS: dict[str, Callable[[int, int], int]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}


def _divide(op: str, a: Number, b: Number, kind: Scalar) -> Value:
    if not kind.is_integer:
        if op == "%":
            raise FaultError("launch-type", "% needs integers")
        if b == 0:
            quotient = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
            return Value(kind, quotient)
        return Value(kind, round_to(kind, a / b))
    if b == 0:
        raise FaultError("launch-divide-by-zero", "division by zero")
    # C truncates toward zero, Python floors.
    quotient_abs = abs(int(a)) // abs(int(b))
    whole = quotient_abs if (a < 0) == (b < 0) else -quotient_abs
    return make_int(kind, whole if op == "/" else int(a) - whole * int(b))


def _shift(op: str, a: Value, b: Value) -> Value:
    (kind, value), (other, count) = scalar_of(a), scalar_of(b)
    if not kind.is_integer or not other.is_integer:
        raise FaultError("launch-type", f"{op} needs integers")
    kind = promote(kind)
    if not 0 <= count < 8 * kind.size:
        raise FaultError("launch-overflow", f"a shift of {kind.name} by {count} is undefined")
    return make_int(kind, int(value) << int(count) if op == "<<" else int(value) >> int(count))


def binary(op: str, left: Value, right: Value) -> Value:
    """``left op right`` for arithmetic operands; ``&&`` and ``||`` included (both sides already evaluated)."""
    (left_type, a), (right_type, b) = scalar_of(left), scalar_of(right)
    if op in ("&&", "||"):
        return Value(INT, int(bool(a) and bool(b)) if op == "&&" else int(bool(a) or bool(b)))
    if op in ("<<", ">>"):
        return _shift(op, left, right)
    kind = common(left_type, right_type)
    a, b = round_to(kind, a), round_to(kind, b)
    if op in _COMPARE:
        return Value(INT, int(_COMPARE[op](a, b)))
    if op in ("/", "%"):
        return _divide(op, a, b, kind)
    if op in _BITS:
        if not kind.is_integer:
            raise FaultError("launch-type", f"{op} needs integers")
        return Value(kind, round_to(kind, _BITS[op](int(a), int(b))))
    try:
        exact = a + b if op == "+" else a - b if op == "-" else a * b
    except OverflowError:
        exact = math.inf
    return make_int(kind, int(exact)) if kind.is_integer else Value(kind, round_to(kind, exact))


def unary(op: str, operand: Value) -> Value:
    kind, a = scalar_of(operand)
    if op == "!":
        return Value(INT, int(a == 0))
    kind = promote(kind)
    if op == "~":
        if not kind.is_integer:
            raise FaultError("launch-type", "~ needs an integer")
        return Value(kind, round_to(kind, ~int(a)))
    value = -a if op == "-" else a
    return make_int(kind, int(value)) if kind.is_integer else Value(kind, value)


def _float_function(f: Callable[..., float]) -> Callable[[list[Value]], Value]:
    def apply(args: list[Value]) -> Value:
        kind = FLOAT if all(promote(scalar_of(a)[0]) == FLOAT for a in args) else DOUBLE
        try:
            return Value(kind, round_to(kind, f(*(float(scalar_of(a)[1]) for a in args))))
        except (ValueError, OverflowError) as fault:
            raise FaultError("launch-overflow", f"the function has no value here: {fault}") from fault
    return apply


def _single(f: Callable[..., float]) -> Callable[[list[Value]], Value]:
    double = _float_function(f)
    return lambda args: convert(double([convert(a, FLOAT) for a in args]), FLOAT)


def _extreme(pick: Callable[[Number, Number], Number]) -> Callable[[list[Value]], Value]:
    def apply(args: list[Value]) -> Value:
        (ta, a), (tb, b) = map(scalar_of, args)
        kind = common(ta, tb)
        return Value(kind, pick(round_to(kind, a), round_to(kind, b)))
    return apply


def _absolute(args: list[Value]) -> Value:
    kind, a = scalar_of(args[0])
    kind = promote(kind)
    return make_int(kind, abs(int(a))) if kind.is_integer else Value(kind, abs(a))


_MATH: dict[str, tuple[int, Callable[..., float]]] = {
    "sqrt": (1, math.sqrt), "exp": (1, math.exp), "log": (1, math.log), "log2": (1, math.log2),
    "sin": (1, math.sin), "cos": (1, math.cos), "pow": (2, math.pow), "fabs": (1, math.fabs),
    "ceil": (1, lambda x: x if math.isinf(x) or math.isnan(x) else float(math.ceil(x))),
    "floor": (1, lambda x: x if math.isinf(x) or math.isnan(x) else float(math.floor(x))),
    "trunc": (1, lambda x: x if math.isinf(x) or math.isnan(x) else float(math.trunc(x))),
    # C's round() takes halves away from zero, rint() to the even neighbour.
    "round": (1, lambda x: x if math.isinf(x) or math.isnan(x)
              else math.copysign(float(math.floor(abs(x) + 0.5)), x)),
    "rint": (1, lambda x: x if math.isinf(x) or math.isnan(x) else float(round(x))),
}

# name -> (number of arguments, function). `sqrtf(x)` is `sqrt` of a float.
FUNCTIONS: dict[str, tuple[int, Callable[[list[Value]], Value]]] = {
    "min": (2, _extreme(min)), "max": (2, _extreme(max)), "abs": (1, _absolute),
    **{name: (n, _float_function(f)) for name, (n, f) in _MATH.items()},
    **{name + "f": (n, _single(f)) for name, (n, f) in _MATH.items()},
}

