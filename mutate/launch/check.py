"""Compares the arguments of a launch with the kernel's parameters and converts them to the parameters' types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mutate.errors import KmutateError
from mutate.launch.arith import FaultError, convert, round_to, scalar_of
from mutate.launch.model import Arg, ArrayArg, Launch, ScalarArg, StructArg, Value
from mutate.launch.types import (
    SURFACE_OBJECT,
    TEXTURE_OBJECT,
    ULLONG,
    ULONG,
    Array,
    CType,
    Scalar,
    Struct,
    by_specifiers,
    known_types,
)
from mutate.source import Span


@dataclass(frozen=True)
class LaunchWarning:
    """What is odd about an argument, but may be meant. ``where`` is ``file:line:column``."""

    slug: str
    what: str
    where: str
    span: Span


@dataclass(frozen=True)
class Checked:
    """``launch`` has its scalar arguments converted to the parameters' types, as the call in C++ would."""

    launch: Launch
    warnings: tuple[LaunchWarning, ...]


class Parameter(NamedTuple):
    """A kernel parameter. ``base`` is ``None`` for a type that is not known here (``T``, a struct of the file)."""

    name: str
    text: str
    pointers: int
    const: bool
    base: CType | None
    base_text: str


# Qualifiers and attributes that change neither the size nor the meaning of an argument.
_NOISE = re.compile(r"\b(?:volatile|__restrict__|__restrict|restrict|__grid_constant__|typename|struct|enum|register)\b"
                    r"|__align__\s*\([^)]*\)|\[\[[^\]]*\]\]|alignas\s*\([^)]*\)")
_POINTER_TO_ARRAY = re.compile(r"\(\s*\*(?:\s*const\b)?\s*\)\s*(?:\[[^\]]*\]\s*)+")


def parameter(type_text: str, name: str) -> Parameter:
    """Read the type of a kernel parameter as its source spells it (``const float *__restrict__``, ``float in[]``)."""
    text = _NOISE.sub(" ", type_text)
    outer = _POINTER_TO_ARRAY.sub("*", text)
    # Of `float a[][32]` and `float (*a)[32]` what is pointed to is an array: elements that lie one after another.
    pointers = outer.count("*") + ("[" in outer)
    pointee = re.split(r"[*\[(]", text)[0]
    const = bool(re.search(r"\bconst\b", pointee))
    words = re.sub(r"\bconst\b|&", " ", pointee).split()
    base_text = " ".join(words)
    base: CType | None = by_specifiers(words)
    if base is None and len(words) == 1:
        base = known_types().get(words[0].removeprefix("::"))
    return Parameter(name, " ".join(type_text.split()), pointers, const, base, base_text)


def check_against(launch: Launch, params: Sequence[tuple[str, str]]) -> Checked:
    """Check a launch against the kernel's parameters, given as ``(type text, name)``.

    Raises ``KmutateError``: ``launch-argument-count``, ``launch-argument-type`` (a pointer for a scalar and the like),
    ``launch-overflow`` (a value that the parameter cannot hold). Types that are not known here are taken on trust.
    """
    wanted = [parameter(*p) for p in params]
    if len(launch.args) != len(wanted):
        span = launch.args[len(wanted)].span if len(launch.args) > len(wanted) else launch.name_span
        listed = ", ".join(f"{p.text} {p.name}".strip() for p in wanted) or "none"
        raise launch.declaration.error(
            "launch-argument-count", f"{launch.kernel} takes {len(wanted)} argument{'s' * (len(wanted) != 1)}, not "
            f"{len(launch.args)}", span, f"its parameters: {listed}")
    warnings: list[LaunchWarning] = []
    args = tuple(_check(launch, arg, want, warnings) for arg, want in zip(launch.args, wanted, strict=True))
    return Checked(replace(launch, args=args), tuple(warnings))


def _check(launch: Launch, arg: Arg, want: Parameter, warnings: list[LaunchWarning]) -> Arg:
    if want.pointers:
        return _check_pointer(launch, arg, want, warnings)
    if isinstance(arg, ArrayArg) and want.base is not None:
        hint = "pass a value, not an array"
        raise _mismatch(launch, arg, want, f"a pointer to {arg.array or 'null'}", hint)
    objects = (TEXTURE_OBJECT, SURFACE_OBJECT)
    if isinstance(arg, ScalarArg) and arg.type != want.base and (
            want.base in objects or (arg.type in objects and want.base not in (None, ULONG, ULLONG))):
        what = "surface2D" if want.base == SURFACE_OBJECT else "texture2D"
        hint = f"declare an object: {want.base_text} {want.name or 't'} = {what}(array, width, height);"
        raise _mismatch(launch, arg, want, f"a {_type_name(arg)}", hint if want.base in objects else None)
    if isinstance(want.base, Scalar):
        if isinstance(arg, ScalarArg):
            return _converted(launch, arg, want, want.base, warnings)
        raise _mismatch(launch, arg, want, f"a {_type_name(arg)}")
    if isinstance(want.base, Struct) and (not isinstance(arg, StructArg) or arg.type != want.base):
        raise _mismatch(launch, arg, want, f"a {_type_name(arg)}")
    return arg


def _type_name(arg: Arg) -> str:
    return arg.as_value().type.name


def _mismatch(launch: Launch, arg: Arg, want: Parameter, given: str, hint: str | None = None) -> KmutateError:
    return launch.declaration.error("launch-argument-type",
                                    f"the parameter {f'{want.text} {want.name}'.strip()} cannot take {given}", arg.span,
                                    hint)


def _check_pointer(launch: Launch, arg: Arg, want: Parameter, warnings: list[LaunchWarning]) -> Arg:
    if isinstance(arg, ScalarArg) and arg.type.is_integer and arg.value == 0:
        return ArrayArg(None, 0, None, arg.span)
    if not isinstance(arg, ArrayArg):
        raise _mismatch(launch, arg, want, f"a {_type_name(arg)}",
                        f"declare an array and pass its name: {want.base_text or 'float'} {want.name or 'data'}[n];")
    if want.pointers > 1 and arg.array is not None:
        raise _mismatch(launch, arg, want, f"the array {arg.array}", "arrays of pointers cannot be declared yet")
    if want.base is not None and arg.elem is not None and arg.array is not None and not _alike(want.base, arg.elem):
        _warn(launch, warnings, "launch-element-type",
              f"the elements of {arg.array} are {arg.elem.name}; {launch.kernel} takes them as {want.base.name}",
              arg.span)
    return arg


def _alike(a: CType, b: CType) -> bool:
    """Equal but for signedness and the spelling of an integer type. Of an array ``b`` its elements count."""
    while isinstance(b, Array):
        b = b.of
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.is_integer and b.is_integer:
        return a.size == b.size
    return a == b


def _converted(launch: Launch, arg: ScalarArg, want: Parameter, kind: Scalar,
               warnings: list[LaunchWarning]) -> ScalarArg:
    value = Value(arg.type, arg.value)
    try:
        made = convert(value, kind)
    except FaultError as fault:
        raise launch.declaration.error(fault.slug, f"{fault.what} (the parameter {want.name})", arg.span) from None
    _, number = scalar_of(made)
    if kind.is_integer and isinstance(arg.value, int) and number != arg.value and kind.name != "bool":
        raise launch.declaration.error("launch-overflow", f"{arg.value} does not fit the parameter "
                                       f"{want.text} {want.name}", arg.span)
    if kind.is_integer and isinstance(arg.value, float) and number != arg.value:
        _warn(launch, warnings, "launch-narrowing", f"{arg.value} becomes {number} in {want.text} {want.name}",
              arg.span)
    return ScalarArg(kind, round_to(kind, number), arg.span)


def _warn(launch: Launch, warnings: list[LaunchWarning], slug: str, what: str, span: Span) -> None:
    where = launch.declaration.error(slug, what, span).where or launch.declaration.file
    warnings.append(LaunchWarning(slug, what, where, span))
