"""Reads machine files: our own by name, a user's by path. A user's file is checked against the schema."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mutate.errors import KmutateError, nearest
from mutate.files import read_file
from mutate.limits import READING, too_slow, within
from mutate.machines.model import Machine, Quantity, Source
from mutate.source import Span

_HERE = Path(__file__).resolve().parent
_DATA = _HERE / "data"
_ABOUT = ("name", "title", "aliases", "capability", "arch", "calibrated", "note", "sources")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
_MOST = {"KB": 1 << 20, "bytes": 1 << 30, "": 1 << 16}
"""What no GPU has more of, by unit: tables are made of these sizes. Of anything else ``_MOST_OF_ALL``."""
_MOST_OF_ALL = 1e9
_LEAST = 1e-6
_FINITE = 1 << 1000
_MAY_BE_ZERO = frozenset({"KB", "bytes", "clocks", "us"})
"""Of sizes there may be none, and something may take no time. Whatever else is measured is divided by."""


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The JSON schema of machine files: all keys with unit (``const``) and description."""
    found: dict[str, Any] = json.loads((_HERE / "machine-1.json").read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=1)
def all_machines() -> tuple[Machine, ...]:
    """Our machines, newest architecture first."""
    machines = [_read(path) for path in _DATA.glob("*.toml")]
    return tuple(sorted(machines, key=lambda m: (-m.capability[0], -m.capability[1], m.name)))


def machine_names() -> tuple[str, ...]:
    return tuple(m.name for m in all_machines())


def default_machine(arch: str) -> Machine | None:
    """The machine that stands for an architecture when nobody names one: of those with that architecture the one of

    which most was measured; ``None`` where there is none.
    """
    fitting = [m for m in all_machines() if m.arch == arch and not m.projection]
    return max(fitting, key=lambda m: sum(q.source.kind == "measured" for q in m.quantities.values()), default=None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower().removeprefix("nvidia"))


def load_machine(name_or_path: str | Path) -> Machine:
    """A machine by name or alias (case, spaces and a leading "NVIDIA" do not matter), or a file by path.

    What ends in ``.toml`` or has a folder is a path. Raises ``KmutateError``: ``machine-unknown`` for a name;
    ``not-found``, ``not-readable``, ``machine-syntax`` and ``machine-schema`` for a file.
    """
    text = os.fspath(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or Path(text).name != text:
        with within(READING, too_slow("reading", text)):
            return _read(Path(text), check=True)
    wanted = _plain(text)
    known = {_plain(n): m for m in all_machines() for n in (*m.aliases, m.title, m.name)}
    if wanted in known:
        return known[wanted]
    near = nearest(wanted, known)
    did = f"did you mean '{known[near].name}'? " if near else ""
    raise KmutateError("machine-unknown", f"no machine is called '{text}'",
                       hint=f"{did}see `kmutate list machines`; or pass the path of a TOML file of your own")


def _read(path: Path, check: bool = False) -> Machine:
    import tomllib

    try:
        source = read_file(path)
    except FileNotFoundError:
        raise KmutateError("not-found", f"no such machine file: {path}", hint="check the path, or pass a name of "
                           "`kmutate list machines`") from None
    except OSError as error:
        raise KmutateError("not-readable", f"cannot read {path}: {error.strerror}", hint="check the path") from None
    try:
        document = tomllib.loads(source.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise KmutateError("machine-syntax", "a machine file is UTF-8 text", file=str(path), source=source,
                           span=Span(error.start, error.start + 1), hint="save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise KmutateError("machine-syntax", f"this is not TOML: {_PLACE.sub('', str(error)).strip()}", file=str(path),
                           source=source, span=_place(source, str(error)), hint="correct the line") from None
    except RecursionError:
        raise KmutateError("machine-syntax", "its values are nested too deeply to be read", file=str(path),
                           hint="a value is a table of numbers and texts") from None
    except ValueError as error:  # a number of thousands of digits
        raise KmutateError("machine-syntax", f"this is not TOML: {error}", file=str(path),
                           hint="correct the number") from None
    if check:
        _check(document, source, path)
        _check_numbers(document, source, path)
    return _machine(document, source, path)


def _place(source: bytes, message: str) -> Span:
    """Where tomllib says that it stopped; the last character for "at end of document"."""
    match = _PLACE.search(message)
    if match is None:
        return Span(max(0, len(source.rstrip()) - 1), len(source.rstrip()))
    lines = source.decode("utf-8").split("\n")
    line, column = int(match[1]), int(match[2])
    before = "\n".join(lines[: line - 1]) + ("\n" if line > 1 else "") + lines[line - 1][: column - 1]
    start = len(before.encode("utf-8"))
    return Span(start, start + 1)


def _key_span(source: bytes, keys: list[str]) -> Span | None:
    """Where a key is written, as far as a look at the text finds it: ``[section]``, then ``key =``."""
    text = source.decode("utf-8")
    span, at = None, 0
    for key in keys[:2]:
        found = re.compile(rf"^[ \t]*(\[?{re.escape(key)}\]?)[ \t]*(?:=|#|$)", re.M).search(text, at)
        if found is None:
            break
        span = Span(len(text[: found.start(1)].encode()), len(text[: found.end(1)].encode()))
        at = found.end()
    return span


def _check(document: dict[str, Any], source: bytes, path: Path) -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(schema())
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    if error is None:
        return
    keys = [str(part) for part in error.absolute_path]
    what = error.message
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        allowed = error.schema.get("properties", {})
        unknown = next(k for k in error.instance if k not in allowed)
        near = nearest(unknown, allowed)
        what = f"no machine file has {'.'.join([*keys, unknown])}" + (f"; did you mean {near}?" if near else "")
        keys.append(unknown)
    elif keys:
        what = f"{'.'.join(keys)}: {what}"
    _refuse(what, keys, source, path)


def _check_numbers(document: dict[str, Any], source: bytes, path: Path) -> None:
    """What the schema cannot say: numbers that no GPU has, those that are none among them."""
    for section, entries in document.items():
        if section in _ABOUT:
            continue
        for key, entry in entries.items():
            value, unit = entry["value"], entry["unit"]
            most = _MOST.get(unit, _MOST_OF_ALL)
            least = 0 if unit in _MAY_BE_ZERO or isinstance(value, list) else _LEAST
            for number in _numbers(value):
                if not least <= number <= most:  # neither holds for NaN
                    _refuse(f"{section}.{key}: {number:g} is no GPU's; from {least:g} to {most:g} {unit} is understood",
                            [section, key], source, path)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, int | float):
        yield value if isinstance(value, float) or abs(value) < _FINITE else float("inf")


def _refuse(what: str, keys: list[str], source: bytes, path: Path) -> None:
    span = _key_span(source, keys)
    raise KmutateError("machine-schema", what, file=str(path), source=source if span else None, span=span,
                       hint="docs/machines.md has all keys and their units")


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _machine(document: dict[str, Any], source: bytes, path: Path) -> Machine:
    sources = {name: Source(entry["kind"], entry["text"]) for name, entry in document["sources"].items()}
    quantities: dict[str, Quantity] = {}
    for section, entries in document.items():
        if section in _ABOUT:
            continue
        for key, entry in entries.items():
            if entry["source"] not in sources:
                near = nearest(entry["source"], sources)
                _refuse(f"{section}.{key} names the source '{entry['source']}', which [sources] lacks"
                        + (f"; did you mean {near}?" if near else ""), [section, key], source, path)
            quantities[f"{section}.{key}"] = Quantity(_frozen(entry["value"]), entry["unit"], sources[entry["source"]],
                                                      entry.get("note", ""))
    major, minor = document["capability"].split(".")
    return Machine(document["name"], document["title"], tuple(document.get("aliases", ())), (int(major), int(minor)),
                   document["arch"], document["calibrated"], document.get("note", ""), str(path),
                   MappingProxyType(quantities))
