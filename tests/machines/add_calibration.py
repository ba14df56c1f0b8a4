"""Puts what `kmutate calibrate --results` kept into machine files of ours, beside what they have from elsewhere.

    python tests/machines/add_calibration.py

Values that a file has from another source stay. What the H200's SM does is taken over by the H100, which has the same,
as a guess. Run it again after another measurement: what it wrote before is replaced.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from mutate.calibrate import Constant, Recording, constants, read_recording
from mutate.calibrate.write import measured_source, toml_value, unit_of
from mutate.machines import Source, load_machine, schema

RECORDING = Path(__file__).parent / "reference" / "h200_calibration.json"
NAMED = "tests/machines/reference/h200_calibration.json"
SOURCE = "calibration"
# What depends on the SM alone, and on its clock not at all.
OF_THE_SM = ("dependent", "alone", "interval", "barrier", "shared", "l1")
OF_THE_SM_LATENCIES = ("shared_8", "shared_16", "shared_atomic", "constant", "constant_uniform", "s2r", "s2ur",
                       "atomic")
OF_THE_SM_ALONE = ("l2.sm_read", "l2.sm_write")


def of_the_sm(key: str) -> bool:
    section, _, name = key.partition(".")
    return section in OF_THE_SM or key in OF_THE_SM_ALONE or (section == "latency" and name in OF_THE_SM_LATENCIES)


def added(text: str, found: list[Constant], source: Source) -> str:
    """The text of a machine file with constants for which it has no other value."""
    lines = [line for line in text.splitlines()
             if f'source = "{SOURCE}"' not in line and not line.startswith(f"{SOURCE} = ")]
    document = tomllib.loads("\n".join(lines))
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
        elif line.strip():
            parts[at].append(line)
    order = ["", "sources", *(s for s, e in schema()["properties"].items() if s != "sources" and e.get("properties"))]
    out = []
    for section in order:
        body = [*parts.get(section, ()), *new.get(section, ())]
        if body:
            out.append("\n".join([f"[{section}]", *body] if section else body))
    return "\n\n".join(out) + "\n"


def files() -> dict[Path, str]:
    """The texts that the two files ought to have."""
    recording: Recording = read_recording(RECORDING)
    found = list(constants(recording))
    measured = measured_source(recording, NAMED)
    guess = Source("guess", f"as the H200 has it: {measured.text}")
    out = {}
    for name, source, chosen in (("h200", measured, found), ("h100", guess, [c for c in found if of_the_sm(c.key)])):
        path = Path(load_machine(name).file)
        out[path] = added(path.read_text(encoding="utf-8"), chosen, source)
    return out


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
        print(path)
