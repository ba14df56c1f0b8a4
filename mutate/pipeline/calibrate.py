"""Measures a GPU and makes its machine file; or makes one from an earlier measurement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutate.backends.gpu import NoGpu, find_gpu
from mutate.backends.lock import exclusive
from mutate.backends.process import CUPY_DRIVER
from mutate.calibrate import Constant, Recording, constants, machine_text, measure_all, read_recording
from mutate.errors import KmutateError
from mutate.machines import Machine, load_machine, machine_names
from mutate.results import Progress
from mutate.timing import Gpu
from mutate.toolchain.cache import default_cache


@dataclass(frozen=True)
class Calibration:
    """``text`` is the machine file. ``base``: the machine whose values fill it up, ``None`` where none is known."""

    recording: Recording
    constants: tuple[Constant, ...]
    base: Machine | None
    name: str
    text: str


def calibrate(command: str, *, device: int = 0, base: str | None = None, name: str | None = None,
              recorded: Path | None = None, progress: Progress = lambda *_: None, gpu: Gpu | None = None,
              driver: str = CUPY_DRIVER, options: Mapping[str, Any] | None = None) -> Calibration:
    """``base``: name or path of a machine; without it the one of the GPU's name. ``recorded``: what an earlier run

    kept. Raises ``KmutateError``: ``no-gpu``, ``machine-name`` for a name that no machine file may have, what
    ``load_machine``, ``measure_all`` and ``read_recording`` raise. ``gpu``, ``driver`` and ``options`` are for tests.
    """
    if name is not None and not re.fullmatch(r"[a-z0-9-]+", name):
        raise KmutateError("machine-name", f"'{name}' cannot be a machine's name",
                           hint="use small letters, digits and hyphens")
    chosen = load_machine(base) if base is not None else None
    if recorded is not None:
        recording = read_recording(recorded)
    else:
        found = gpu or find_gpu(device)
        if isinstance(found, NoGpu):
            raise KmutateError("no-gpu", f"nothing can be measured: {found.why}", hint=found.hint)
        with exclusive(found, default_cache().folder, progress):
            recording = measure_all(found, command, progress, device=device, driver=driver, options=options)
    chosen = chosen or _known(recording.gpu)
    own = name or _own_name(recording.gpu, chosen)
    values = constants(recording)
    same = chosen is not None and _known(recording.gpu) == chosen
    title = chosen.title if same and chosen is not None else recording.gpu.name
    text = machine_text(recording, values, chosen, own, title=title, calibrated=not recording.failed, same=same)
    return Calibration(recording, values, chosen, own, text)


def _known(gpu: Gpu) -> Machine | None:
    """The machine of this GPU's name."""
    try:
        return load_machine(gpu.name)
    except KmutateError:
        return None


def _own_name(gpu: Gpu, base: Machine | None) -> str:
    """A name that none of our machines has."""
    plain = re.sub(r"[^a-z0-9]+", "-", gpu.name.lower().removeprefix("nvidia")).strip("-") or "gpu"
    return f"{plain}-measured" if plain in machine_names() or base is not None else plain
