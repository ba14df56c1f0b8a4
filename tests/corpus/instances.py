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

from mutate.analysis.constants import split_arguments
from mutate.frontend.tree import Node
from mutate.frontend.units import File, Function, Unit, declarator_name
from mutate.toolchain.includes import HOST_HEADERS

_WORD = re.compile(r"\b[A-Za-z_]\w*")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
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


@dataclass(frozen=True)
class _Param:
    """A template parameter. ``kind``: ``type``, ``bool``, ``number``, ``function`` or ``other``."""

    name: str
    kind: str
    type: str
    default: str = ""
    pack: bool = False


@dataclass(frozen=True, eq=False)
class _Template:
    """What has template parameters, or is in something that has: a function, a class, a member of one.

    ``outer`` is the class of a member.
    """

    name: str
    node: Node
    params: tuple[_Param, ...]
    outer: _Template | None = None

    def all_names(self) -> set[str]:
        return {p.name for p in self.params} | (self.outer.all_names() if self.outer else set())


_NUMBER = re.compile(r"(?:const\s+)?(?:unsigned|int|uint|size_t|u?int\d+_t|long|short|char|auto)\b")


def _parameters(declaration: Node) -> tuple[_Param, ...]:
    plist = declaration.get("parameters") or declaration.find("template_parameter_list")
    out = []
    for p in plist.kids if plist is not None else ():
        text, _, default = p.text.partition("=")
        named = declarator_name(p.get("declarator")) or p.get("name") or declarator_name(p)
        name = named.text if named is not None else ""
        kind = "other"
        if re.match(r"(?:typename|class)\b", text):
            kind = "type"
        elif "(*" in text.replace(" ", ""):
            kind = "function"
        elif re.match(r"(?:const\s+)?bool\b", text):
            kind = "bool"
        elif _NUMBER.match(text):
            kind = "number"
        type_ = "" if kind in ("type", "function") else re.sub(rf"\b{re.escape(name)}\b", "", text).strip(" .")
        out.append(_Param(name, kind, text if kind == "function" else type_, default.strip(), "..." in text))
    return tuple(out)


def _template_of(function: Function) -> _Template:
    """A function with its own template parameters, in the class that it is a member of."""
    own: tuple[_Param, ...] = ()
    outer: _Template | None = None
    inside = False
    for up in function.node.ancestors():
        if up.type in ("struct_specifier", "class_specifier", "union_specifier"):
            inside = True
            label = up.get("name")
            outer = _Template(label.text.split("<")[0] if label is not None else "", up, ())
        elif up.type == "template_declaration":
            if inside and outer is not None:
                outer = _Template(outer.name, outer.node, _parameters(up))
            else:
                own = _parameters(up)
    return _Template(function.name, function.node, own, outer)


_GUESS = {"type": "float", "bool": "false", "number": "32"}
_VALUES = {"true_type": "true", "false_type": "false"}


@dataclass
class _Use:
    arguments: str
    inside: _Template | None
    at: int
    """Offset in the file's text."""


@dataclass
class Project:
    """All files of a project that were read, and where its templates are named with arguments."""

    units: list[Unit] = field(default_factory=list)
    _uses: dict[str, list[_Use]] = field(default_factory=dict)
    _templates: dict[int, _Template] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)
    _declared: set[str] = field(default_factory=set)
    _first: dict[str, str] = field(default_factory=dict)
    """Enumerations with their first enumerator."""
    _pointers: set[str] = field(default_factory=set)
    """Names of types that are pointers to functions."""

    def index(self) -> None:
        for unit in self.units:
            for file in unit.files():
                for item in file.items:
                    self._declared |= item.names
                self._read_types(file)
            for f in unit.main.functions:
                template = self._templates[id(f)] = _template_of(f)
                self._names |= {t.name for t in (template, template.outer) if t is not None and t.params}
        for unit in self.units:
            self._read(unit.main)

    def _read_types(self, file: File) -> None:
        for name, node in file.structs.items():
            if node.type == "enum_specifier" and (body := node.get("body")) is not None:
                first = next((e.get("name") for e in body.kids if e.type == "enumerator"), None)
                if first is not None:
                    self._first.setdefault(name, first.text)
        for name, node in file.typedefs.items():
            if "(*" in node.text.replace(" ", ""):
                self._pointers.add(name)

    def _read(self, file: File) -> None:
        text = file.expansion.text.decode("latin-1")
        owners = sorted(((f.node.start, f.node.end, self._templates[id(f)]) for f in file.functions),
                        key=lambda t: t[0])
        for match in _WORD.finditer(text):
            if match[0] not in self._names:
                continue
            at = match.end()
            while at < len(text) and text[at] in " \t\n":
                at += 1
            if at >= len(text) or text[at] != "<" or text.startswith("<<<", at):
                continue
            arguments = template_arguments(text, at)
            if arguments:
                inside = next((t for a, b, t in reversed(owners) if a <= match.start() < b), None)
                self._uses.setdefault(match[0], []).append(_Use(arguments, inside, match.start()))

    def instances(self, kernel: Function, most: int) -> list[str | None]:
        """Template arguments to compile a kernel with, at most so many; ``[None]`` for what is no template."""
        if not kernel.is_template:
            return [None]
        template = self._templates[id(kernel)]
        found: dict[str, None] = {}
        for given in self._bindings(template, _LEVELS, most) or [()]:
            # What a call leaves to be deduced is guessed.
            rest = template.params[self._filled(template, given) :]
            guesses = [self._guess(p, kernel) for p in rest if not p.default and not p.pack]
            if None not in guesses and (given or guesses):
                found[", ".join([*given, *(g for g in guesses if g)])] = None
        return [*list(found)[:most]] or [None]

    @staticmethod
    def _filled(template: _Template, given: tuple[str, ...]) -> int:
        """How many of a template's parameters the arguments are for: a pack takes all that are left."""
        pack = next((i for i, p in enumerate(template.params) if p.pack), None)
        return len(given) if pack is None or len(given) <= pack else pack + 1

    def _guess(self, param: _Param, user: Function | None = None) -> str | None:
        if param.kind in _GUESS:
            return _GUESS[param.kind]
        if param.kind == "function" and user is not None:
            wanted = len(split_arguments(param.type[param.type.rindex("(") + 1 : param.type.rindex(")")]))
            return next((f.name for f in user.file.functions if f.is_device and not f.is_kernel and not f.is_method
                         and not f.is_template and len(f.params) == wanted), None)
        return self._first.get(param.type)

    def _bindings(self, template: _Template, levels: int, most: int) -> list[tuple[str, ...]]:
        """Arguments that a template is used with, without names of enclosing templates."""
        out: dict[tuple[str, ...], None] = {}
        for use in self._uses.get(template.name, ()):
            if template.node.start <= use.at < template.node.end and use.inside is not None and template in (
                    use.inside, use.inside.outer):
                continue
            for names in self._environments(use, levels, most):
                arguments = tuple(_substitute(a, names) for a in split_arguments(use.arguments))
                # What an expansion gives is not followed: an empty pack will do.
                arguments = tuple(a for a in arguments if not a.endswith("..."))
                words = {w for a in arguments for w in _WORD.findall(a)}
                if arguments and all(w in self._declared or w in _KNOWN for w in words):
                    out[arguments] = None
            if len(out) >= most:
                break
        return list(out)[:most]

    def _environments(self, use: _Use, levels: int, most: int) -> Sequence[Mapping[str, str]]:
        """What names of the enclosing function stand for."""
        inside = use.inside
        if inside is None:
            return [{}]
        text, start = inside.node.text, inside.node.start
        mentioned = set(_WORD.findall(use.arguments))
        local: dict[str, str] = {}
        for _ in range(3):
            local = {n: v for n in mentioned if (v := _constant_at(text, n, use.at - start)) is not None}
            more = {w for v in local.values() for w in _WORD.findall(v)} - mentioned
            if not more:
                break
            mentioned |= more
        tagged = _tags(inside.node, use.at, mentioned) or [{}]
        mentioned |= {w for tags in tagged for v in tags.values() for w in _WORD.findall(v)}
        if not mentioned & inside.all_names():
            return [{**local, **tags} for tags in tagged][:most]
        if levels == 0:
            return []
        return [{**outer, **own, **local, **tags} for outer in self._bound(inside.outer, levels, most)
                for own in self._bound(inside, levels, most) for tags in tagged][: most * most]

    def _bound(self, template: _Template | None, levels: int, most: int) -> list[dict[str, str]]:
        """Values of a template's parameters, by name."""
        if template is None or not template.params:
            return [{}]
        out = []
        for given in self._bindings(template, levels - 1, most) or [()]:
            names: dict[str, str] = {}
            filled = self._filled(template, given)
            for i, p in enumerate(template.params):
                value = given[i] if i < filled else p.default or self._guess(p) or ("" if p.pack else "0")
                names[p.name] = value
            out.append(names)
        return out


def _constant_at(text: str, name: str, at: int) -> str | None:
    """The value of a constant or alias of a body: the last one before an offset."""
    found = None
    for m in re.finditer(rf"\b(?:constexpr|const|using)\b[\w\s:]*?\b{re.escape(name)}\s*=\s*([^;{{}}]+);", text):
        if m.start() < at or found is None:
            found = " ".join(m[1].split())
    return found


def _tags(function: Node, at: int, mentioned: set[str]) -> list[dict[str, str]]:
    """Values of the ``auto`` parameters of the lambda at an offset, where its calls give types with a value."""
    out: list[dict[str, str]] = []
    for node in function.walk():
        if node.type != "lambda_expression" or not node.start <= at < node.end:
            continue
        declarator, holder = node.get("declarator"), node.parent
        plist = declarator.get("parameters") if declarator is not None else None
        name = declarator_name(holder.get("declarator")) if holder is not None else None
        named = [(p, declarator_name(p.get("declarator"))) for p in (plist.kids if plist is not None else ())]
        params = [n.text if n is not None and p.text.startswith("auto") else "" for p, n in named]
        if name is None or mentioned.isdisjoint(params):
            continue
        for call in function.walk():
            called = call.get("function") if call.type == "call_expression" else None
            if called is not None and called.text == name.text:
                given = call.get("arguments")
                values = [_tag_value(k.text) for k in (given.kids if given is not None else ())]
                out.append({p: v for p, v in zip(params, values, strict=False) if p and v})
    return out


def _tag_value(text: str) -> str:
    """``3`` of ``std::integral_constant<int, 3>{}``, ``true`` of ``std::true_type{}``."""
    found = re.fullmatch(r"(?:std::)?(\w+?_type|integral_constant|bool_constant)\s*(?:<(.*)>)?\s*(?:\{\}|\(\))", text)
    if not found:
        return ""
    return _VALUES.get(found[1], "") or (split_arguments(found[2])[-1] if found[2] else "")


_TAG = re.compile(r"decltype\s*\(\s*(\w+)\s*\)\s*::\s*value\b")


def _substitute(text: str, names: Mapping[str, str]) -> str:
    for _ in range(6):
        changed = _TAG.sub(lambda m: m[1] if m[1] in names else m[0], text)
        changed = _WORD.sub(lambda m: names.get(m[0], m[0]), changed)
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
                place = Path(os.path.normpath(place))  # headers that include each other by ".." have no end of names
                if place not in seen:
                    seen.add(place)
                    todo.append(place)
        return tuple(found)

    def _nearest(self, wanted: str, current: Path) -> Path | None:
        fitting: Sequence[Path] = [p for p in self._by_name.get(Path(wanted).name, ()) if str(p).endswith("/" + wanted)]
        return max(fitting, key=lambda p: (len(os.path.commonpath([p, current])), -len(p.parts)), default=None)
