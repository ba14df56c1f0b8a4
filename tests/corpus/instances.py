"""Which instances of template kernels a project launches, and which of its folders its includes come from.

Both are read off the text: a launch in a host template is followed to the calls of that template, a few levels up.
What nobody names is guessed: ``float`` for a type, 32 for a number, ``false`` for a bool.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mutate.frontend.units import File, Function, Unit
from mutate.toolchain.includes import HOST_HEADERS

_WORD = re.compile(r"[A-Za-z_]\w*")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_LOCAL = re.compile(r"\b(?:constexpr|const|using)\b[\w\s:]*?\b(\w+)\s*=\s*([^;{}]+);")
_LEVELS = 6


def template_arguments(text: str, at: int) -> str | None:
    """What stands between the ``<`` at an offset and its ``>``; ``None`` where that is no list of arguments."""
    depth = parens = 0
    for k in range(at, min(len(text), at + 400)):
        c = text[k]
        if c in "([":
            parens += 1
        elif c in ")]":
            parens -= 1
            if parens < 0:
                return None
        elif c in ";{}":
            return None
        elif parens == 0 and c == "<":
            depth += 1
        elif parens == 0 and c == ">":
            depth -= 1
            if depth == 0:
                return " ".join(text[at + 1 : k].split())
    return None


def split_arguments(text: str) -> list[str]:
    out, depth, start = [], 0, 0
    for k, c in enumerate(text):
        if c in "<([{":
            depth += 1
        elif c in ">)]}":
            depth -= 1
        elif c == "," and depth == 0:
            out.append(text[start:k].strip())
            start = k + 1
    return [*out, text[start:].strip()] if text.strip() else []


def _kinds(function: Function) -> list[str]:
    """For each template parameter ``type``, ``bool``, ``number`` or ``other``."""
    node = function.item.node
    template = next((n for n in node.walk() if n.type == "template_parameter_list"), None)
    out = []
    for parameter in template.kids if template is not None else ():
        text = parameter.text
        if "template" in text or "..." in text:
            out.append("other")
        elif re.match(r"(?:typename|class)\b", text):
            out.append("type")
        elif re.match(r"(?:const\s+)?bool\b", text):
            out.append("bool")
        else:
            out.append(
                "number"
                if re.match(r"(?:const\s+)?(?:unsigned|int|size_t|u?int\d+_t|long|short|char)\b", text)
                else "other"
            )
    return out


_GUESS = {"type": "float", "bool": "false", "number": "32"}


@dataclass
class _Use:
    arguments: str
    inside: Function | None
    file: File


@dataclass
class Project:
    """All files of a project that were read, and where its templates are named with arguments."""

    units: list[Unit] = field(default_factory=list)
    _uses: dict[str, list[_Use]] = field(default_factory=dict)
    _templates: set[str] = field(default_factory=set)
    _declared: set[str] = field(default_factory=set)

    def index(self) -> None:
        for unit in self.units:
            self._templates |= {f.name for f in unit.main.functions if f.is_template}
            self._declared |= {name for file in unit.files() for item in file.items for name in item.names}
        for unit in self.units:
            self._read(unit.main)

    def _read(self, file: File) -> None:
        text = file.expansion.text.decode("latin-1")
        owners = sorted(((f.node.start, f.node.end, f) for f in file.functions), key=lambda t: t[0])
        for match in _WORD.finditer(text):
            if match[0] not in self._templates:
                continue
            at = match.end()
            while at < len(text) and text[at] in " \t\n":
                at += 1
            if at >= len(text) or text[at] != "<" or text.startswith("<<<", at):
                continue
            arguments = template_arguments(text, at)
            if arguments:
                inside = next((f for a, b, f in owners if a <= match.start() < b), None)
                self._uses.setdefault(match[0], []).append(_Use(arguments, inside, file))

    def instances(self, kernel: Function, most: int) -> list[str | None]:
        """Template arguments to compile a kernel with, at most so many; ``[None]`` for what is no template."""
        if not kernel.is_template:
            return [None]
        kinds = _kinds(kernel)
        wanted = kinds[: len(kinds) - kernel.template_defaults]
        found: list[str] = []
        for given in self._bindings(kernel, _LEVELS, most) or [()]:
            # What a call leaves to be deduced is guessed.
            rest = wanted[len(given) :]
            if all(k in _GUESS for k in rest) and (given or rest):
                found.append(", ".join([*given, *(_GUESS[k] for k in rest)]))
        return [*list(dict.fromkeys(found))[:most]] or [None]

    def _bindings(self, function: Function, levels: int, most: int) -> list[tuple[str, ...]]:
        """Arguments that a template is used with, without names of enclosing templates."""
        out: dict[tuple[str, ...], None] = {}
        for use in self._uses.get(function.name, ()):
            if use.inside is function:
                continue
            for names in self._environments(use, levels, most):
                arguments = tuple(_substitute(a, names) for a in split_arguments(use.arguments))
                words = {w for a in arguments for w in _WORD.findall(a)}
                if all(w in self._declared or w in _KNOWN for w in words):
                    out[arguments] = None
            if len(out) >= most:
                break
        return list(out)[:most]

    def _environments(self, use: _Use, levels: int, most: int) -> list[Mapping[str, str]]:
        """What names of the enclosing function stand for."""
        inside = use.inside
        if inside is None:
            return [{}]
        body = inside.body.text
        local = {m[1]: m[2].strip() for m in _LOCAL.finditer(body)}
        mentioned = set(_WORD.findall(use.arguments))
        for _ in range(3):
            mentioned |= {w for name in mentioned & local.keys() for w in _WORD.findall(local[name])}
        local = {k: v for k, v in local.items() if k in mentioned}
        if not mentioned & set(inside.template_params):
            return [local]
        if levels == 0:
            return []
        bound = self._bindings(inside, levels - 1, most)
        if not bound:
            kinds = _kinds(inside)
            bound = [tuple(_GUESS.get(k, "0") for k in kinds)]
        return [{**local, **dict(zip(inside.template_params, b, strict=False))} for b in bound]


def _substitute(text: str, names: Mapping[str, str]) -> str:
    for _ in range(4):
        changed = _WORD.sub(lambda m: f"{names[m[0]]}" if m[0] in names else m[0], text)
        if changed == text:
            break
        text = changed
    return text


_KNOWN = frozenset(
    {
        "bool",
        "char",
        "short",
        "int",
        "long",
        "unsigned",
        "signed",
        "float",
        "double",
        "true",
        "false",
        "half",
        "__half",
        "half2",
        "__half2",
        "size_t",
        "std",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "float1",
        "float2",
        "float3",
        "float4",
        "double1",
        "double2",
        "double4",
        "int1",
        "int2",
        "int3",
        "int4",
        "uint",
        "uint1",
        "uint2",
        "uint3",
        "uint4",
        "uchar",
        "uchar4",
        "char4",
        "char2",
        "short2",
        "void",
        "const",
        "sizeof",
        "__nv_bfloat16",
        "__nv_bfloat162",
        "nv_bfloat16",
        "nv_bfloat162",
        "static_cast",
    }
)


class Includes:
    """Finds the folders of a project that the includes of its files need."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._by_name: dict[str, list[Path]] = {}
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if not f.startswith(".")]
            for name in names:
                if name.endswith((".h", ".hpp", ".cuh", ".cu", ".inl", ".hxx", ".hh", ".inc")):
                    self._by_name.setdefault(name, []).append(Path(folder, name))

    def folders(self, file: Path) -> tuple[str, ...]:
        """Include folders for one file, those of the nearest candidates."""
        found: dict[str, None] = {}
        seen, todo = {file}, [file]
        while todo:
            current = todo.pop()
            try:
                text = current.read_bytes()
            except OSError:
                continue
            for match in _INCLUDE.finditer(text):
                wanted = match[1].decode(errors="replace")
                if wanted in HOST_HEADERS:
                    continue
                place = next(
                    (p for p in (current.parent / wanted, *(Path(f) / wanted for f in found)) if p.is_file()), None
                ) or self._nearest(wanted, current)
                if place is None:
                    continue
                if place != current.parent / wanted and wanted in str(place):
                    found[str(place)[: -len(wanted)].rstrip("/")] = None
                if place not in seen:
                    seen.add(place)
                    todo.append(place)
        return tuple(found)

    def _nearest(self, wanted: str, current: Path) -> Path | None:
        fitting: Sequence[Path] = [p for p in self._by_name.get(Path(wanted).name, ()) if str(p).endswith("/" + wanted)]
        return max(fitting, key=lambda p: (len(os.path.commonpath([p, current])), -len(p.parts)), default=None)
