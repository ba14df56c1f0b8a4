"""How well the model of time meets streams through DRAM, and which constants would meet them better.

    python tests/machines/fit_streams.py [--machine h100] [--set LOADED=20 ...] [--search] [--each]

Plays `read_4_1` to `copy_16_4` of `kmutate calibrate` (templates/calibrate/memory.cu) with 1, 4, 16 and 64 warps an SM,
as they were launched on the H200 (reference/h200_calibration.json) or the H100, and compares bytes a second. No sample
is part of it. `--search` changes one constant of mutate/sim/timing/constants.py after the other as long as that helps.
Half a minute for each set of constants.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mutate.calibrate import constants as constants_of
from mutate.calibrate import memory_bytes, read_recording
from mutate.calibrate.launches import STREAMS, stream_launch
from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.resources import templates_dir
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing import constants
from mutate.sim.timing.model import Kernel, predict, sample_of

WARPS = (1, 4, 16, 64)
FITTED = ("LOADED", "LOADED_WRITES", "SLACK", "HALVES")
# A constant is tried this much smaller and larger, then by less.
STEPS = (1.5, 1.2)


class Streams:
    """Kernels, launches and what they do, which no constant of the fit changes; measured GB/s."""

    def __init__(self, machine: str) -> None:
        known = load_machine(machine)
        # What a machine has of its own would stand before what is tried here.
        self.machine = replace(known, quantities={k: q for k, q in known.quantities.items() if k != "dram.loaded"})
        recording = read_recording(Path(__file__).parent / "reference" / f"{machine}_calibration.json")
        memory = memory_bytes(recording.gpu)
        measured = {c.key: dict(c.value) for c in constants_of(recording)  # type: ignore[arg-type]
                    if c.key.removeprefix("dram.") in STREAMS}
        self.names: list[tuple[str, int]] = []
        self.measured: list[float] = []
        self._played = []
        for kernel in STREAMS:
            what, width, _ = kernel.split("_")
            if what == "write":
                continue
            launches = {warps: stream_launch(recording.gpu, kernel, warps) for warps in WARPS}
            declared = "".join(
                f"/* kmutate launch\n   dim3 grid = {{ {x.grid} }}; dim3 block = {{ {x.threads} }};\n"
                f"   unsigned long long out[1024] = zeros(); char memory[{memory}] = zeros();\n"
                f"   {kernel}(out, memory, {x.n}ull, {x.a}ull, {x.b}ull); */\n" for x in launches.values())
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "stream.cu"
                path.write_text(declared + (templates_dir() / "calibrate" / "memory.cu").read_text())
                (found,) = compile_originals(Request(path=path, kernels=(kernel,), arch="sm_90"))
            binary = found.original
            compiled = Kernel(read_image(binary.cubin, binary.entry), binary.listing)
            for (warps, x), launch in zip(launches.items(), found.target.launches, strict=True):
                moved = x.n * int(width) * (2 if what == "copy" else 1)
                self.names.append((kernel, warps))
                self.measured.append(measured[f"dram.{kernel}"][warps])
                self._played.append((compiled, launch, sample_of(compiled, launch, self.machine), moved))

    def simulated(self, values: dict[str, float]) -> list[float]:
        """GB/s with these constants in place of those in the file."""
        before = {name: getattr(constants, name) for name in values}
        try:
            for name, value in values.items():
                setattr(constants, name, value)
            times = [predict(kernel, launch, self.machine, sample=sample).cycles
                     for kernel, launch, sample, _ in self._played]
        finally:
            for name, value in before.items():
                setattr(constants, name, value)
        clock = self.machine.number("clock.boost") * 1e6
        return [moved / (cycles / clock) / 1e9 for cycles, (*_, moved) in zip(times, self._played, strict=True)]


def errors(streams: Streams, values: dict[str, float], each: bool = False) -> float:
    """Prints the errors with these constants; returns their mean."""
    simulated = streams.simulated(values)
    off = np.array(simulated) / np.array(streams.measured) - 1.0
    if each:
        for (kernel, warps), was, now, error in zip(streams.names, streams.measured, simulated, off, strict=True):
            print(f"{kernel:10} {warps:3} warps: measured {was:6.0f} GB/s, simulated {now:6.0f}, {100 * error:+.1f} %")
    reads = np.array([kernel.startswith("read") for kernel, _ in streams.names])

    def mean(of: npt.NDArray[np.float64]) -> str:
        return f"{100 * abs(of).mean():.1f} %"

    print(", ".join(f"{k} {v:g}" for k, v in values.items()) + f": mean error {mean(off)} of {len(off)} points (reads "
          f"{mean(off[reads])}, copies {mean(off[~reads])}), largest {100 * abs(off).max():.1f} %, all in all "
          f"{100 * off.mean():+.1f} %", flush=True)
    return float(abs(off).mean())


def search(streams: Streams, values: dict[str, float]) -> None:
    best = errors(streams, values)
    for step in STEPS:
        better = True
        while better:
            better = False
            for name in FITTED:
                for factor in (1.0 / step, step):
                    tried = {**values, name: float(f"{values[name] * factor:.3g}")}
                    error = errors(streams, tried)
                    if error < best - 1e-4:
                        best, values, better = error, tried, True
                        break
    print("best: " + ", ".join(f"{k} = {v:g}" for k, v in values.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", choices=["h200", "h100"], default="h200")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="another value of a constant")
    parser.add_argument("--search", action="store_true", help="look for better values of " + ", ".join(FITTED))
    parser.add_argument("--each", action="store_true", help="every stream by itself")
    args = parser.parse_args()
    values = {name: float(getattr(constants, name)) for name in FITTED}
    values |= {name: float(value) for name, _, value in (text.partition("=") for text in args.set)}
    streams = Streams(args.machine)
    if args.search:
        search(streams, values)
    else:
        errors(streams, values, args.each)


if __name__ == "__main__":
    main()
