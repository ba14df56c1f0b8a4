"""Limits of one SM by compute capability, read from ``data/sm_*.toml``, where every value names its source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mutate.errors import KmutateError, nearest

_DATA = Path(__file__).resolve().parent / "data"
_ARCH = re.compile(r"(?:sm|compute|lto)_(\d{2,3})[af]?")


@dataclass(frozen=True)
class Device:
    """What an SM has to share out among its resident blocks.

    Threads, warps, blocks and barriers are counts; registers are 32-bit ones; shared memory is in bytes, the
    carve-outs and the unified data cache (L1 and shared memory together, 0 where global loads are not cached) in KB.
    ``register_granularity`` is ``"block"`` where the hardware allocates registers to whole blocks (1.x), else
    ``"warp"``. ``carveout_control`` says how a program asks for a carve-out: ``"percent"``
    (``cudaFuncAttributePreferredSharedMemoryCarveout``), ``"cache-config"`` (``cudaFuncSetCacheConfig``) or ``"none"``.
    """

    capability: tuple[int, int]
    gpus: tuple[str, ...]
    threads_per_block: int
    threads_per_sm: int
    warps_per_sm: int
    blocks_per_sm: int
    registers_per_sm: int
    registers_per_block: int
    registers_per_thread: int
    register_unit: int
    register_granularity: str
    warp_granularity: int
    shared_per_sm: int
    shared_per_block: int
    shared_per_block_opt_in: int
    shared_unit: int
    shared_reserved_per_block: int
    carveouts: tuple[int, ...]
    carveout_control: str
    unified_cache: int
    barriers_per_sm: int | None = None
    """Named barriers of an SM; ``None`` where they never limit the resident blocks (before 9.0)."""
    unshared_per_block: int | None = None
    """KB of carve-out that the driver chooses at least for each block of a kernel without shared memory ..."""
    unshared: int | None = None
    """... up to so many KB; ``None`` where none was seen to be chosen."""
    register_unit_exceptions: Mapping[int, int] = field(default_factory=dict)
    """Registers a thread → another allocation unit, for the counts that the hardware of 2.x rounds up further."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Field name → where its value comes from."""

    @property
    def name(self) -> str:
        return "sm_{}{}".format(*self.capability)

    def capacity(self, carveout_kb: float | None) -> int:
        """Shared memory in bytes of the smallest configuration that holds ``carveout_kb``; ``None`` means the largest.

        Raises ``KmutateError`` (``carveout-too-large``) above the largest configuration.
        """
        if carveout_kb is None:
            return self.carveouts[-1] * 1024
        for kb in self.carveouts:
            if carveout_kb <= kb:
                return kb * 1024
        raise KmutateError("carveout-too-large", f"{self.name} has no {carveout_kb:g} KB shared memory configuration",
                           hint=f"it has {', '.join(map(str, self.carveouts))} KB")

    def l1_kb(self, carveout_kb: int) -> int | None:
        """KB of L1 that a carve-out leaves, or ``None`` without an L1."""
        return self.unified_cache - carveout_kb if self.unified_cache else None


def capability_of(arch: str) -> tuple[int, int]:
    """Compute capability of an architecture name: ``sm_90a`` → ``(9, 0)``, ``compute_120f`` → ``(12, 0)``.

    Raises ``KmutateError`` (``unknown-arch``) for anything else, ``native`` and ``all`` included.
    """
    match = _ARCH.fullmatch(arch.strip())
    if match is None:
        known = [f"sm_{major}{minor}" for major, minor in known_capabilities()]
        near = nearest(arch, known)
        raise KmutateError("unknown-arch", f"'{arch}' does not name one GPU architecture",
                           hint=f"pass -arch {near or 'sm_90'}, for example; known are {', '.join(known)}")
    digits = match[1]
    return int(digits[:-1]), int(digits[-1])


@lru_cache(maxsize=1)
def known_capabilities() -> tuple[tuple[int, int], ...]:
    """All capabilities with a data file, in ascending order."""
    numbers = (path.stem.removeprefix("sm_") for path in _DATA.glob("sm_*.toml"))
    return tuple(sorted((int(number[:-1]), int(number[-1])) for number in numbers))


@lru_cache(maxsize=32)
def device_for(capability: tuple[int, int]) -> Device:
    """The SM of a compute capability. Raises ``KmutateError`` (``unknown-device``) without a data file for it."""
    major, minor = capability
    path = _DATA / f"sm_{major}{minor}.toml"
    if not path.is_file():
        known = ", ".join(f"{a}.{b}" for a, b in known_capabilities())
        raise KmutateError("unknown-device", f"no SM limits are known for compute capability {major}.{minor}, "
                           "so resident blocks cannot be computed", hint=f"known are {known}")
    return _load(path)


def _load(path: Path) -> Device:
    import tomllib

    document = tomllib.loads(path.read_text(encoding="utf-8"))
    names = document["sources"]
    values: dict[str, Any] = {key: entry["value"] for key, entry in document["limits"].items()}
    values["carveouts"] = tuple(values["carveouts"])
    exceptions = values.get("register_unit_exceptions", {})
    values["register_unit_exceptions"] = MappingProxyType(
        {count: int(unit) for unit, counts in exceptions.items() for count in counts})
    unknown = values.keys() - {f.name for f in fields(Device)}
    if unknown:
        raise ValueError(f"{path.name}: unknown limits {sorted(unknown)}")
    major, minor = document["capability"].split(".")
    return Device(capability=(int(major), int(minor)), gpus=tuple(document["gpus"]),
                  sources=MappingProxyType({k: names[entry["source"]] for k, entry in document["limits"].items()}),
                  **values)
