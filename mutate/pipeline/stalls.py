"""Why the warps of an original waited, by the model of time, on the lines of the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutate.launch.model import Launch
from mutate.machines import Machine
from mutate.sass.disasm import Listing
from mutate.simulated import LineStalls, Played, Stalls
from mutate.timing import Run

if TYPE_CHECKING:
    from mutate.sim.places import Place, Places
    from mutate.sim.timing.model import SimulatedTime

# Beside measured times the model only explains, and a tenth of what a prediction plays is enough for that.
_RECORDED, _PLAYED = 50_000, 100_000


def explain(original: Run, launch: Launch, listing: Listing, machine: Machine, carveout_kb: int | None
            ) -> SimulatedTime | None:
    """A short play of the original, for its stalls; ``None`` where the model cannot time it, or fails."""
    from mutate.sim.image import read_image
    from mutate.sim.timing.model import Kernel, predict

    try:
        return predict(Kernel(read_image(original.cubin, original.entry), listing), launch, machine,
                       extra_smem=original.dynamic_smem - launch.smem, carveout_kb=carveout_kb, recorded=_RECORDED,
                       played=_PLAYED)
    except Exception:  # also a defect of the model: what was measured is not lost for it
        return None


def played_of(time: SimulatedTime, machine: Machine) -> Played:
    """The sample that a time rests on."""
    return Played(len(time.sampled), time.grid_blocks, time.blocks_per_sm, time.turns,
                  min(int(machine.number("sm.count")), time.grid_blocks), time.played, time.instructions, time.limit,
                  time.utilisation.get(time.limit, 1.0), time.uneven, time.rest,
                  time.sampled if len(time.sampled) < time.grid_blocks else (), time.every)


def stalls_of(time: SimulatedTime, listing: Listing, places: Places | None, machine: Machine) -> Stalls:
    """The clocks of warps by reason, and by line where ``places`` has the lines of these instructions."""
    from mutate.sim.timing.settings import STALLS

    clocks = time.by_instruction
    whole = max(1, int(clocks.sum()))
    rows: dict[Place | None, list[int]] = {}
    for row, instruction in enumerate(listing if places is not None else ()):
        if clocks[row].any():
            rows.setdefault(places.of(instruction.offset) if places is not None else None, []).append(row)
    lines = []
    for place, mine in rows.items():
        part = clocks[mine].sum(axis=0)
        lines.append(LineStalls(place, places.text(place) if places is not None and place is not None else "",
                                {name: int(n) / whole for name, n in zip(STALLS, part, strict=True) if n}))
    lines.sort(key=lambda x: -x.share)
    total = clocks.sum(axis=0)
    return Stalls(machine.title, machine.calibrated, time.warps,
                  {name: int(n) / whole for name, n in zip(STALLS, total, strict=True) if n}, tuple(lines),
                  time.played, time.instructions)
