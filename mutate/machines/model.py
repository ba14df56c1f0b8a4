"""What a machine file says: quantities with units and sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mutate.errors import KmutateError

Curve = tuple[tuple[float, float], ...]
"""Points (x, y), x rising; the unit of the quantity is y's, and the schema says what x is."""
Value = int | float | str | tuple[int, ...] | Curve


@dataclass(frozen=True)
class Source:
    """Where a value comes from. ``kind`` is ``measured`` (by us), ``published`` or ``guess``; ``text`` names the
    document, or the command that measured it."""

    kind: str
    text: str


def _item(value: int | float | str | tuple[float, float]) -> str:
    if isinstance(value, tuple):
        return ": ".join(_item(v) for v in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Quantity:
    """A value in its unit (empty for counts of what the key names, and for words)."""

    value: Value
    unit: str
    source: Source
    note: str = ""

    def __str__(self) -> str:
        text = ", ".join(_item(v) for v in self.value) if isinstance(self.value, tuple) else _item(self.value)
        return f"{text} {self.unit}".rstrip()


@dataclass(frozen=True)
class Machine:
    """One GPU. Quantities have keys like ``l2.size``; the schema has all keys, with units and meaning. A key that the
    file leaves out is unknown, and is never replaced by a default.

    ``arch`` is the architecture whose code stands for this machine's; ``projection`` says that it is another one's,
    as no current compiler emits the machine's own. ``calibrated`` says that timing constants were fitted to this GPU.
    """

    name: str
    title: str
    aliases: tuple[str, ...]
    capability: tuple[int, int]
    arch: str
    calibrated: bool
    note: str
    file: str
    quantities: Mapping[str, Quantity] = field(default_factory=dict)

    @property
    def projection(self) -> bool:
        return self.arch != "sm_{}{}".format(*self.capability)

    def get(self, key: str) -> Quantity | None:
        """The quantity, or ``None`` where it is unknown."""
        return self.quantities.get(key)

    def __getitem__(self, key: str) -> Quantity:
        """Raises ``KmutateError`` (``machine-lacks``) where the quantity is unknown."""
        quantity = self.quantities.get(key)
        if quantity is None:
            section, _, name = key.rpartition(".")
            raise KmutateError("machine-lacks", f"{self.title}: {key} is not known", file=self.file,
                               hint=f"pass the path of a copy that has {name} in [{section}], with unit and source")
        return quantity

    def number(self, key: str) -> float:
        """The value of a numeric quantity. Raises like indexing."""
        value = self[key].value
        if not isinstance(value, int | float):
            raise TypeError(f"{key} is no number")
        return float(value)

    def curve(self, key: str) -> Curve:
        """The points of a quantity that is a curve. Raises like indexing."""
        value = self[key].value
        points = [v for v in value if isinstance(v, tuple)] if isinstance(value, tuple) else []
        if not points:
            raise TypeError(f"{key} is no curve")
        return tuple(points)

    def balance(self, bandwidth: str = "dram.peak_bandwidth", rate: str = "issue.fp32") -> float:
        """Instructions (of one thread) for each byte of memory traffic at which both limits are reached together.

        The "perfect instructions:bytes ratio" of "Analysis-Driven Optimization": rate × SMs × clock / bandwidth.
        """
        rates = self.number(rate) * self.number("sm.count") * self.number("clock.boost") * 1e6
        return rates / (self.number(bandwidth) * 1e9)
