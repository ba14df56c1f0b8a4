"""Machine files as text: what was measured, and the rest from the file of another machine."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mutate.calibrate.constants import Constant
from mutate.calibrate.records import Recording
from mutate.machines import Machine, Quantity, Source, all_machines, schema
from mutate.occupancy import device_for, known_capabilities

_MODERN = (7, 5)


@dataclass(frozen=True)
class _Line:
    value: Any
    unit: str
    source: Source
    note: str


def unit_of(key: str) -> str:
    """The unit that the schema has for a key."""
    section, _, name = key.partition(".")
    return str(schema()["properties"][section]["properties"][name]["properties"]["unit"]["const"])


def measured_source(recording: Recording, file: str = "") -> Source:
    """``file``: where the recording lies, for a machine file whose readers have it."""
    gpu = recording.gpu
    text = f"{recording.command} on {gpu.name}, driver {gpu.driver}, {recording.date}"
    return Source("measured", f"{file}: made by {text}" if file else text)


def machine_text(recording: Recording, found: Sequence[Constant], base: Machine | None, name: str, *,
                 title: str = "", aliases: Sequence[str] = (), calibrated: bool = True, same: bool = False,
                 file: str = "") -> str:
    """The TOML text. ``same``: the base is this very kind of GPU, so that its values and their sources hold as they

    are; else they are written as guesses, and only where the GPU's driver says nothing else.
    """
    lines: dict[str, _Line] = {}
    gpu = recording.gpu
    if base is not None:
        for key, quantity in base.quantities.items():
            lines[key] = _taken(quantity, base, same)
    if not same:
        lines |= _attributes(recording)
        for key, line in _common().items():
            lines.setdefault(key, line)
    source = measured_source(recording, file)
    for constant in found:
        lines[constant.key] = _Line(constant.value, unit_of(constant.key), source, constant.note)
    head: dict[str, Any] = {"name": name, "title": title or gpu.name}
    if aliases:
        head["aliases"] = list(aliases)
    head |= {"capability": "{}.{}".format(*gpu.capability), "arch": "sm_{}{}".format(*gpu.capability),
             "calibrated": calibrated}
    if same and base is not None and base.note:
        head["note"] = base.note
    return _text(head, lines)


def _taken(quantity: Quantity, base: Machine, same: bool) -> _Line:
    source = quantity.source
    if not same and source.kind != "guess":
        source = Source("guess", f"as the {base.title} has it ({source.text})")
    return _Line(quantity.value, quantity.unit, source, quantity.note)


def _common() -> dict[str, _Line]:
    """What all of our machines have alike since 7.5: lines, sectors, banks, schedulers."""
    known = [m for m in all_machines() if m.capability >= _MODERN]
    first, others = known[0], known[1:]
    source = Source("guess", f"as {', '.join(sorted(m.name for m in known))} all have it")
    return {key: _Line(q.value, q.unit, source, "") for key, q in first.quantities.items()
            if key.partition(".")[0] in ("sm", "shared", "l1", "l2")
            and all((o := m.get(key)) is not None and (o.value, o.unit) == (q.value, q.unit) for m in others)}


def _attributes(recording: Recording) -> dict[str, _Line]:
    """What the driver says of the GPU, and the limits of its architecture."""
    gpu = recording.gpu
    source = Source("measured", f"attributes of {gpu.name} by its driver, {gpu.driver}")
    out = {"sm.count": _Line(gpu.sm_count, "", source, ""),
           "l2.size": _Line(gpu.l2_bytes // 1024, "KB", source, ""),
           "dram.size": _Line(round(gpu.memory_bytes / 1e9, 1), "GB", source, "")}
    if gpu.sm_mhz:
        out["clock.boost"] = _Line(round(gpu.sm_mhz), "MHz", source, "")
    if gpu.capability in known_capabilities():
        device = device_for(gpu.capability)
        guide = Source("published", "CUDA C++ Programming Guide, Compute Capabilities")
        for section, keys in schema()["properties"].items():
            for key in keys.get("properties", ()) if section in ("sm", "shared", "l1") else ():
                if key in type(device).__dataclass_fields__:
                    value = getattr(device, key)
                    out[f"{section}.{key}"] = _Line(value, unit_of(f"{section}.{key}"), guide, "")
    return out


def _text(head: Mapping[str, Any], lines: Mapping[str, _Line]) -> str:
    order = [f"{section}.{key}" for section, entry in schema()["properties"].items() if section != "sources"
             for key in (entry.get("properties") or ())]
    lines = {key: lines[key] for key in order if key in lines}
    names = _source_names(dict.fromkeys(line.source for line in lines.values()))
    out = [f"{key} = {toml_value(value)}" for key, value in head.items()]
    out += ["", "[sources]"]
    out += [f"{name} = {{ kind = {toml_value(s.kind)}, text = {toml_value(s.text)} }}" for s, name in names.items()]
    section = ""
    for key, line in lines.items():
        if key.partition(".")[0] != section:
            section = key.partition(".")[0]
            out += ["", f"[{section}]"]
        note = f", note = {toml_value(line.note)}" if line.note else ""
        out.append(f"{key.partition('.')[2]} = {{ value = {toml_value(line.value)}, unit = {toml_value(line.unit)}, "
                   f"source = {toml_value(names[line.source])}{note} }}")
    return "\n".join(out) + "\n"


def _source_names(sources: Mapping[Source, None]) -> dict[Source, str]:
    counts: dict[str, int] = {}
    out = {}
    for source in sources:
        base = re.sub(r"[^a-z]", "", source.kind)
        counts[base] = counts.get(base, 0) + 1
        out[source] = f"{base}{counts[base]}"
    return out


def toml_value(value: Any) -> str:
    """A TOML value. JSON's strings are TOML's but for DEL, which no value of ours has."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, float):
        return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
