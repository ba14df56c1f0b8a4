"""Reads ``compile_commands.json``: with which options a project's build compiles a file.

Format: the JSON Compilation Database of Clang's documentation, an array of objects with ``directory``, ``file`` and
``arguments`` or ``command``. Options are understood in the spellings of nvcc, clang and gcc; what says nothing about
the device code (warnings, host compiler, outputs) is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutate.errors import KmutateError
from mutate.files import read_file

_HINT = "let the build write it anew, for example cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
_SPACE = re.compile(r"\s*")
# Response files may name others; more than this is a circle.
_MOST_NESTED = 8
# Those of the largest projects have some hundred thousand entries.
_MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class FileOptions:
    """Options of one file that bear on device code. Folders and files are absolute.

    ``defines`` are ``NAME`` or ``NAME=VALUE``; ``arch`` is ``sm_NN``, the newest of several, ``None`` without any.
    """

    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    pre_includes: tuple[str, ...] = ()
    std: str | None = None
    arch: str | None = None
    maxrregcount: int | None = None
    use_fast_math: bool = False


@dataclass(frozen=True)
class _Entry:
    file: str
    """Absolute, without ``..``."""
    folder: str
    arguments: tuple[str, ...]


class CompileCommands:
    """A database that was read. ``path`` is its file."""

    def __init__(self, path: Path) -> None:
        """Raises ``KmutateError``: ``no-compile-commands`` (not there), ``bad-compile-commands`` with the place."""
        self.path = path
        self._entries: list[_Entry] | None = None
        self._text = _read(path)

    def options(self, file: Path) -> FileOptions:
        """The options of a file's first entry. ``KmutateError`` ``no-compile-command`` names files that are like it."""
        if self._entries is None:
            self._entries = list(_entries(self._text, self.path))
        wanted = _plain(Path.cwd(), str(file))
        real = str(file.resolve())
        found = next((e for e in self._entries if e.file == wanted), None) or next(
            (e for e in self._entries if str(Path(e.file).resolve()) == real), None)
        if found is None:
            raise KmutateError("no-compile-command", f"{self.path} has no entry for {file}",
                               hint=_near(wanted, [e.file for e in self._entries]))
        return _options(found, self.path)


def _read(path: Path) -> str:
    if path.is_dir():
        path = path / "compile_commands.json"
    try:
        return read_file(path, _MOST_BYTES).decode("utf-8")
    except FileNotFoundError:
        raise KmutateError("no-compile-commands", f"no such file: {path}", hint=_HINT) from None
    except UnicodeDecodeError as error:
        raise KmutateError("no-compile-commands", f"cannot read {path}: {error}", hint=_HINT) from None
    except OSError as error:
        raise KmutateError("no-compile-commands", f"cannot read {path}: {error.strerror}", hint=_HINT) from None


def _bad(path: Path, text: str, at: int, what: str) -> KmutateError:
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return KmutateError("bad-compile-commands", what, where=f"{path}:{line}:{column}", hint=_HINT)


def _entries(text: str, path: Path) -> Iterator[_Entry]:
    """All entries, each checked. Decoded one by one, so that an error has the place of its entry."""
    import json

    decoder = json.JSONDecoder()

    def skip(at: int) -> int:
        found = _SPACE.match(text, at)
        return found.end() if found is not None else at

    at = skip(0)
    if text[at : at + 1] != "[":
        raise _bad(path, text, at, "a compilation database is a JSON array of entries")
    at = skip(at + 1)
    while text[at : at + 1] != "]":
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise _bad(path, text, error.pos, f"this is no JSON: {error.msg}") from None
        except RecursionError:
            raise _bad(path, text, at, "this entry is nested too deeply") from None
        yield _entry(value, text, at, path)
        at = skip(end)
        if text[at : at + 1] == ",":
            at = skip(at + 1)
        elif text[at : at + 1] != "]":
            raise _bad(path, text, at, "this is no JSON: ',' or ']' is missing behind an entry")


def _entry(value: Any, text: str, at: int, path: Path) -> _Entry:
    if not isinstance(value, dict) or not isinstance(value.get("file"), str):
        raise _bad(path, text, at, "an entry needs a 'file'")
    folder = value.get("directory", "")
    if not isinstance(folder, str):
        raise _bad(path, text, at, "'directory' is not a string")
    folder = _plain(path.absolute().parent, folder)
    arguments, command = value.get("arguments"), value.get("command")
    if isinstance(arguments, list) and all(isinstance(a, str) for a in arguments):
        words = list(arguments)
    elif isinstance(command, str):
        words = _split(command, text, at, path)
    else:
        raise _bad(path, text, at, "an entry needs 'arguments', a list of strings, or 'command', a string")
    return _Entry(_plain(Path(folder), value["file"]), folder, tuple(words))


def _split(command: str, text: str, at: int, path: Path) -> list[str]:
    import shlex

    try:
        return shlex.split(command)
    except ValueError as error:
        raise _bad(path, text, at, f"the 'command' of this entry cannot be split into arguments: {error}") from None


def _plain(folder: Path, name: str) -> str:
    """An absolute path without ``.`` and ``..``; links are left as they are."""
    import os.path

    return os.path.normpath(os.path.join(folder, name))  # noqa: PTH118 - pathlib does not take `..` away


def _near(wanted: str, known: Sequence[str]) -> str:
    """What to say instead of a file that has no entry."""
    import difflib

    name = Path(wanted).name
    near = [k for k in known if Path(k).name == name]
    if not near:
        names = {Path(k).name: k for k in known}
        near = [names[n] for n in difflib.get_close_matches(name, list(names), n=3, cutoff=0.6)]
    if near:
        return f"did you mean {', '.join(near[:3])}? A header has no entry: give -I and -D as a file that includes it"
    cuda = [k for k in known if k.endswith(".cu")]
    return f"its .cu files are {', '.join(cuda[:5])}" if cuda else "it has no .cu file; " + _HINT


# -- options ----------------------------------------------------------------------------------------------

# Options with a value, by what they mean. A value follows in the next argument, behind `=`, or (`glued`) at once.
_VALUES = {
    "-I": "include", "--include-path": "include", "-isystem": "system", "--system-include": "system",
    "-iquote": "include", "-idirafter": "after", "-D": "define", "--define-macro": "define", "-U": "undefine",
    "--undefine-macro": "undefine", "-include": "pre", "--pre-include": "pre", "-std": "std", "--std": "std",
    "-arch": "arch", "--gpu-architecture": "arch", "-code": "code", "--gpu-code": "code", "-gencode": "code",
    "--generate-code": "code", "--cuda-gpu-arch": "arch", "--offload-arch": "arch",
    "-maxrregcount": "registers", "--maxrregcount": "registers", "-optf": "file", "--options-file": "file",
}
_GLUED = ("-isystem", "-iquote", "-idirafter", "-I", "-D", "-U")
# Options of no interest here whose value is the next argument, which must not be read as an option.
_PASSED_OVER = frozenset({
    "-o", "--output-file", "-x", "--x", "-Xcompiler", "--compiler-options", "-Xptxas", "--ptxas-options", "-Xnvlink",
    "--nvlink-options", "-Xlinker", "--linker-options", "-Xcudafe", "-ccbin", "--compiler-bindir", "-MF", "-MT", "-MQ",
    "--dependency-output", "-L", "--library-path", "-l", "--library", "-odir", "--output-directory", "-diag-suppress",
    "--diag-suppress", "-Werror", "-rdc", "--relocatable-device-code", "-t", "--threads", "-Xclang", "-mllvm"})
_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d+)([af]?)")
_DEFINITION = re.compile(r"([A-Za-z_]\w*)(?:$|[=(])")
_DIALECT = re.compile(r"(?:c|gnu)\+\+(\w+)")


@dataclass
class _Found:
    defines: dict[str, str] = field(default_factory=dict)
    include: list[str] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    pre: list[str] = field(default_factory=list)
    archs: list[tuple[int, str]] = field(default_factory=list)
    std: str | None = None
    registers: int | None = None
    fast: bool = False


def _options(entry: _Entry, path: Path) -> FileOptions:
    found = _Found()
    for kind, value in _pairs(_with_files(entry.arguments[1:], entry, path, 0)):
        _take(found, kind, value, entry.folder)
    folders = dict.fromkeys((*found.include, *found.system, *found.after))
    return FileOptions(tuple(found.defines.values()), tuple(folders), tuple(found.pre), found.std,
                       max(found.archs)[1] if found.archs else None, found.registers, found.fast)


def _pairs(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(what it means, value) of the options that are understood."""
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument in _PASSED_OVER:
            next(rest, None)
        elif argument in ("-use_fast_math", "--use_fast_math"):
            yield "fast", ""
        elif argument in _VALUES:
            yield _VALUES[argument], next(rest, "")
        elif equals and name in _VALUES:
            yield _VALUES[name], value
        else:
            glued = next((g for g in _GLUED if argument.startswith(g) and len(argument) > len(g)), None)
            if glued is not None:
                yield _VALUES[glued], argument[len(glued) :]


def _with_files(arguments: Sequence[str], entry: _Entry, path: Path, depth: int) -> list[str]:
    """Arguments with the content of response files (``--options-file f``, ``@f``) in their place."""
    out: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        files: list[str] = []
        if argument in ("-optf", "--options-file"):
            files = next(rest, "").split(",")
        elif equals and name in ("-optf", "--options-file"):
            files = value.split(",")
        elif argument.startswith("@") and len(argument) > 1:
            files = [argument[1:]]
        else:
            out.append(argument)
        for file in files:
            place = Path(_plain(Path(entry.folder), file))
            try:
                text = read_file(place).decode("utf-8", errors="replace")
            except OSError as error:
                raise KmutateError("bad-compile-commands", f"the entry of {entry.file} takes options from {place}, "
                                   f"which cannot be read: {error.strerror}", where=str(path), hint=_HINT) from None
            if depth < _MOST_NESTED:
                out += _with_files(_split(text, text, 0, place), entry, path, depth + 1)
    return out


def _take(found: _Found, kind: str, value: str, folder: str) -> None:
    if kind == "define":
        # nvcc takes a list of definitions; a comma may also be in a value.
        parts = value.split(",")
        for one in parts if all(_DEFINITION.match(p) for p in parts) else [value]:
            name = _DEFINITION.match(one)
            if name is not None:
                found.defines[name[1]] = one
    elif kind == "undefine":
        found.defines.pop(value, None)
    elif kind in ("include", "system", "after"):
        place = {"include": found.include, "system": found.system, "after": found.after}[kind]
        place += [_plain(Path(folder), one) for one in value.split(",") if one]
    elif kind == "pre":
        # As the compilers do: beside the working folder first, else wherever includes are found.
        found.pre += [str(here) if (here := Path(_plain(Path(folder), one))).is_file() else one
                      for one in value.split(",") if one]
    elif kind in ("arch", "code"):
        found.archs += [(int(m[1]), f"sm_{m[1]}{m[2]}") for m in _ARCHITECTURE.finditer(value)]
    elif kind == "std":
        dialect = _DIALECT.fullmatch(value)
        found.std = f"c++{dialect[1]}" if dialect is not None else found.std
    elif kind == "registers" and value.isdigit():
        found.registers = int(value)
    elif kind == "fast":
        found.fast = True
