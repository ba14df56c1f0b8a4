"""Puts what `kmutate calibrate --results` kept into machine files of ours, beside what they have from elsewhere.

    python tests/machines/add_calibration.py

Values that a file has from another source stay, but guesses, which what was measured replaces. Run it again after
another measurement: what it wrote before is replaced.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from mutate.calibrate import Constant, Recording, constants, read_recording
from mutate.calibrate.write import measured_source, toml_value, unit_of
from mutate.machines import Source, load_machine, schema

REFERENCE = Path(__file__).parent / "reference"
MEASURED = ("h200", "h100")
SOURCE = "calibration"


def added(text: str, found: list[Constant], source: Source) -> str:
    """The text of a machine file with constants for which it has no other value."""
    lines = [line for line in text.splitlines()
             if f'source = "{SOURCE}"' not in line and not line.startswith(f"{SOURCE} = ")]
    document = tomllib.loads("\n".join(lines))
    guesses = {name for name, of in document["sources"].items() if of["kind"] == "guess"}
    keys = {c.key for c in found}
    sections = {section: values for section, values in document.items() if isinstance(values, dict)}
    del sections["sources"]
    measured = {(section, name) for section, values in sections.items() for name, value in values.items()
                if f"{section}.{name}" in keys and value["source"] in guesses}
    for section, name in measured:
        del document[section][name]
    new: dict[str, list[str]] = {"sources": [f"{SOURCE} = {{ kind = {toml_value(source.kind)}, "
                                             f"text = {toml_value(source.text)} }}"]}
    for constant in found:
        section, _, name = constant.key.partition(".")
        if name in document.get(section, {}):
            continue
        note = f", note = {toml_value(constant.note)}" if constant.note else ""
        new.setdefault(section, []).append(
            f"{name} = {{ value = {toml_value(constant.value)}, unit = {toml_value(unit_of(constant.key))}, "
            f'source = "{SOURCE}"{note} }}')
    parts: dict[str, list[str]] = {"": []}
    at = ""
    for line in lines:
        header = re.fullmatch(r"\[(\w+)\]", line)
        if header:
            at = header[1]
            parts[at] = []
        elif line.strip() and (at, line.partition(" ")[0]) not in measured:
            parts[at].append(line)
    order = ["", "sources", *(s for s, e in schema()["properties"].items() if s != "sources" and e.get("properties"))]
    out = []
    for section in order:
        body = [*parts.get(section, ()), *new.get(section, ())]
        if body:
            out.append("\n".join([f"[{section}]", *body] if section else body))
    return "\n\n".join(out) + "\n"


def files() -> dict[Path, str]:
    """The texts that the files ought to have."""
    out = {}
    for name in MEASURED:
        kept = REFERENCE / f"{name}_calibration.json"
        recording: Recording = read_recording(kept)
        path = Path(load_machine(name).file)
        out[path] = added(path.read_text(encoding="utf-8"), list(constants(recording)),
                          measured_source(recording, f"tests/machines/reference/{kept.name}"))
    return out


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
        print(path)
