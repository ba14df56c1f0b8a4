"""Makes a ``Launch`` from the arguments of a Python call, checked against the kernel's parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mutate.api.arguments import Arguments, scalar_type
from mutate.api.memory import is_array, library_of
from mutate.errors import KmutateError, nearest
from mutate.frontend.units import Function, Unit
from mutate.launch.check import check_against, parameter
from mutate.launch.evaluate import MAX_BLOCK, MAX_GRID, MAX_SMEM, MAX_THREADS
from mutate.launch.model import DeclarationText, Launch
from mutate.source import Span

PLACE = "<arguments>"


@dataclass(frozen=True)
class Call:
    """How a kernel is to be launched, as the caller said it."""

    kernel: str | None
    grid: Any
    block: Any
    args: Sequence[Any] | Mapping[str, Any]
    smem: Any = 0
    instance: str | None = None


def launch_of(unit: Unit, call: Call) -> Launch:
    """The launch that a call describes. Copies the arrays, which are never changed.

    Raises ``KmutateError``: ``unknown-kernel``, ``argument-count``, ``argument-type``, ``argument-layout``,
    ``launch-size``, ``instance-needed`` and what ``check_against`` raises.
    """
    kernel, instance = _kernel(unit, call)
    values = _values(kernel, call)
    bound = _bound(kernel, instance, values)
    if kernel.is_template and instance is None:
        instance = _instance(kernel, bound)
    text = _Text(kernel.qualified + (f"<{instance}>" if instance is not None else ""))
    params = [parameter(_with_types(p.type_text, bound), p.name) for p in kernel.params]
    spans = [text.add(_shown(v)) for v in values]
    declaration = DeclarationText(PLACE, text.close(), Span(0, len(text.close())))
    made = Arguments(unit, declaration, params, spans).make(values)
    grid, block = _extent("grid", call.grid, MAX_GRID), _extent("block", call.block, MAX_BLOCK)
    if block[0] * block[1] * block[2] > MAX_THREADS:
        raise KmutateError("launch-block-too-large", f"the block has {block[0] * block[1] * block[2]} threads; the "
                           f"limit is {MAX_THREADS}", where=PLACE, hint="use a smaller block and more of them")
    smem = _whole("smem", call.smem)
    if not 0 <= smem <= MAX_SMEM:
        raise KmutateError("launch-smem-too-large", f"{smem} bytes of dynamic shared memory; a block has 0 to "
                           f"{MAX_SMEM}", where=PLACE, hint="smem counts bytes, not elements")
    launch = Launch(kernel.qualified, instance, grid, block, smem, made.args, made.arrays, (), 0,
                    Span(0, len(declaration.source)), Span(0, len(kernel.qualified)), declaration)
    return check_against(launch, [(_with_types(p.type_text, bound), p.name) for p in kernel.params]).launch


# --- which kernel ---


def _kernel(unit: Unit, call: Call) -> tuple[Function, str | None]:
    kernels = unit.kernels
    known = ", ".join(k.qualified for k in kernels)
    instance = call.instance
    if instance is not None and "<" in instance:
        instance = instance[instance.index("<") + 1 : instance.rindex(">")] if ">" in instance else instance
    if call.kernel is None:
        if len(kernels) != 1:
            raise KmutateError("unknown-kernel", f"the source has {len(kernels)} kernels" if kernels else
                               "the source has no kernel (no __global__ function with a body)", where=PLACE,
                               hint=f"say which: kernel=...; it has {known}" if kernels else "give CUDA C++ source")
        return kernels[0], instance
    name, _, rest = call.kernel.partition("<")
    if rest.rstrip().endswith(">") and instance is None:
        instance = rest.rstrip()[:-1].strip()
    found = [k for k in kernels if name.strip() in (k.name, k.qualified)]
    if not found:
        near = nearest(name, [k.qualified for k in kernels])
        raise KmutateError("unknown-kernel", f"the source has no kernel called '{name}'", where=PLACE,
                           hint=(f"did you mean '{near}'? " if near else "") + f"kernels: {known or 'none'}")
    count = len(call.args)
    return next((k for k in found if len(k.params) == count), found[0]), instance


def _values(kernel: Function, call: Call) -> list[Any]:
    names = [p.name for p in kernel.params]
    listed = ", ".join(f"{p.type_text} {p.name}".strip() for p in kernel.params) or "none"
    if isinstance(call.args, Mapping):
        unknown = [n for n in call.args if n not in names]
        if unknown:
            near = nearest(unknown[0], names)
            raise KmutateError("argument-count", f"{kernel.qualified} has no parameter {unknown[0]}", where=PLACE,
                               hint=f"did you mean {near}?" if near else f"its parameters: {listed}")
        missing = [n for n in names if n not in call.args]
        if missing:
            raise KmutateError("argument-count", f"args lacks {', '.join(missing)}", where=PLACE,
                               hint=f"the parameters of {kernel.qualified}: {listed}")
        return [call.args[n] for n in names]
    if len(call.args) != len(names):
        many = "s" * (len(names) != 1)
        raise KmutateError("argument-count", f"{kernel.qualified} takes {len(names)} argument{many}, args has "
                           f"{len(call.args)}", where=PLACE, hint=f"its parameters: {listed}")
    return list(call.args)


def _split(text: str) -> list[str]:
    """Template arguments, split at the commas outside of brackets."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
    return [*out, text[start:].strip()] if text.strip() else []


def _bound(kernel: Function, instance: str | None, values: Sequence[Any]) -> dict[str, str]:
    """What type template parameters stand for: as the instance has it, else by the arrays' dtypes and the numbers."""
    if not kernel.is_template:
        return {}
    bound = dict(zip(kernel.template_params, _split(instance or ""), strict=False))
    for param, value in zip(kernel.params, values, strict=True):
        wanted = parameter(param.type_text, param.name)
        name = wanted.base_text
        if name not in kernel.template_params or name in bound:
            continue
        kind = scalar_type(value)
        if kind is not None:
            bound[name] = kind.name
    return bound


def _instance(kernel: Function, bound: Mapping[str, str]) -> str | None:
    params = kernel.template_params
    needed = len(params) - kernel.template_defaults
    missing = [p for p in params[:needed] if p not in bound]
    if missing:
        raise KmutateError("instance-needed", f"{kernel.qualified} is a template; {', '.join(missing)} cannot be told "
                           "from the arguments", where=PLACE,
                           hint=f"say which instance: instance='{', '.join(params)}' with their values")
    given: list[str] = []
    for p in params:
        if p not in bound:
            break
        given.append(bound[p])
    return ", ".join(given)


def _with_types(text: str, bound: Mapping[str, str]) -> str:
    for name, stands_for in bound.items():
        text = re.sub(rf"\b{re.escape(name)}\b", stands_for, text)
    return text


# --- the extent ---


def _whole(what: str, value: Any) -> int:
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise KmutateError("launch-type", f"{what} is an integer, not {type(value).__name__}", where=PLACE,
                           hint=f"for example {what}=128") from None


def _extent(what: str, value: Any, most: tuple[int, int, int]) -> tuple[int, int, int]:
    if value is None:
        raise KmutateError(f"launch-no-{what}", f"the {what} is missing", where=PLACE, hint=f"give {what}=(x, y, z)")
    parts = tuple(value) if isinstance(value, Sequence) or hasattr(value, "__iter__") else (value,)
    if not 1 <= len(parts) <= 3:
        raise KmutateError("launch-type", f"the {what} has {len(parts)} dimensions", where=PLACE,
                           hint=f"give {what}=x, {what}=(x, y) or {what}=(x, y, z)")
    sizes = [_whole(what, p) for p in parts]
    for axis, size, limit in zip("xyz", sizes, most, strict=False):
        if not 1 <= size <= limit:
            raise KmutateError("launch-size", f"{what}.{axis} is {size}; it may be 1 to {limit}", where=PLACE,
                               hint=f"give another {what}")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


# --- the call as text ---


class _Text:
    """The call as a text that errors can point into."""

    def __init__(self, name: str) -> None:
        self._parts = [name, "("]
        self._first = True

    def add(self, shown: str) -> Span:
        if not self._first:
            self._parts.append(", ")
        self._first = False
        start = sum(len(p.encode()) for p in self._parts)
        self._parts.append(shown)
        return Span(start, start + len(shown.encode()))

    def close(self) -> bytes:
        return ("".join(self._parts) + ")").encode()


def _shown(value: Any) -> str:
    """A short text for an argument in messages."""
    if is_array(value):
        shape = "x".join(str(n) for n in getattr(value, "shape", ()))
        dtype = str(getattr(value, "dtype", "")).removeprefix("torch.")
        return f"{library_of(value)}[{shape} {dtype}]"
    text = repr(value).replace("\n", " ")
    return text if len(text) <= 24 else f"{type(value).__name__}"
