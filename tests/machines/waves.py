"""Grids of some waves of equal blocks: how long they take, which SM gets how many blocks, how far apart blocks end.

    python tests/machines/waves.py write FOLDER                  the code (NVRTC 13.0.88)
    python3 tests/machines/waves.py measure FOLDER [KERNEL ...] > TIMES.csv   on a GPU with CuPy
    python tests/machines/waves.py simulate [KERNEL ...]         the model of time beside reference/h200_waves.csv

Times are those of the GPU's clock, from the first block's begin to the last one's end: an empty launch has none.
``first_sd``: standard deviation over SMs of when the first of their blocks ends, and ``window``: from then to when the
last of the blocks that began with it ends, both in parts of what these blocks take on average. ``begins``: nanoseconds
from the first to the last begin of the blocks that an SM begins with, the median of all SMs (the clock goes by 32).
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE / "waves.cu"
MEASURED = HERE / "reference" / "h200_waves.csv"
ALSO_MEASURED = HERE / "reference" / "h200_waves_13_5.csv"
"""The first kernels with the code of NVRTC 13.5.37."""
SMS = 132
# Kernel: steps, and the second number that it takes.
WORK = {"math": (1500, 0), "uneven": (1500, 0), "sharedwork": (500, 0), "barriers": (300, 0), "stream": (16, 0),
        "chase": (30, (1 << 22) - 1), "mixed": (12, 30), "arrivals": (1000, 0), "rounds": (600, 0), "leaders": (600, 0)}
# Threads of a block, and resident blocks.
SHAPES = ((64, 11), (256, 8), (256, 4), (1024, 2), (128, 3))
MEETINGS = ("arrivals", "rounds", "leaders")
"""Kernels for barriers alone: one wave in more shapes, as of ``barriers``."""
MEETING_SHAPES = ((32, 1), (32, 4), (32, 8), (32, 16), (32, 24), (64, 1), (64, 4), (64, 8), (64, 11), (64, 16),
                  (64, 24), (128, 1), (128, 2), (128, 4), (128, 8), (128, 16), (256, 1), (256, 2), (256, 4), (256, 8),
                  (512, 1), (512, 2), (512, 4), (1024, 1), (1024, 2))
WAVES = (0.3, 0.7, 1.0, 1.05, 1.3, 1.6, 1.95, 2.0, 2.3, 2.6, 3.5, 4.4, 6.5, 10.5)
COLUMNS = ("kernel", "threads", "resident", "waves", "us", "most", "least", "first_sd", "window", "begins")


@dataclass(frozen=True)
class Job:
    kernel: str
    threads: int
    resident: int
    waves: float

    @property
    def grid(self) -> int:
        return max(1, round(self.waves * self.resident * SMS))

    @property
    def steps(self) -> int:
        few = self.threads * self.resident < 1024 and self.kernel in ("math", "uneven")
        return WORK[self.kernel][0] * (2 if few else 1)

    @property
    def more(self) -> int:
        return WORK[self.kernel][1]

    @property
    def smem(self) -> int:
        """Dynamic shared memory with which so many blocks fit, beside 8 KB of their own and 1 KB of the system's."""
        return max(0, 227 * 1024 // self.resident - 8192 - 1024 - 512)

    @property
    def floats(self) -> int:
        each = {"stream": 4 * self.steps * self.threads, "mixed": self.steps * self.threads}.get(self.kernel, 0)
        return max(1 << 22, each * self.grid)

    def declaration(self) -> str:
        return (f"/* kmutate launch\n   dim3 grid = {{ {self.grid} }}; dim3 block = {{ {self.threads} }}; "
                f"int smem = {self.smem};\n   float out[1024] = zeros(); float in[{self.floats}] = zeros(); "
                f"unsigned long long log[{3 * self.grid}] = zeros();\n"
                f"   {self.kernel}(out, in, log, {self.steps}, {self.more});\n*/\n")


def jobs() -> Iterator[Job]:
    kernels = [kernel for kernel in WORK if kernel not in MEETINGS]
    known = [Job(kernel, *shape, waves) for shape in SHAPES for kernel in kernels for waves in WAVES]
    more = [Job(kernel, *shape, 1.0) for kernel in ("barriers", *MEETINGS) for shape in MEETING_SHAPES]
    yield from dict.fromkeys(known + more)


def write(folder: Path) -> None:
    from mutate.pipeline.binaries import compile_originals
    from mutate.results import Request

    folder.mkdir(parents=True, exist_ok=True)
    for made in compile_originals(Request(path=SOURCE, arch="sm_90")):
        (folder / f"{made.target.name}.cubin").write_bytes(made.original.cubin)


def measure(folder: Path, kernels: list[str]) -> None:
    import cupy as cp
    import numpy as np

    wanted = [j for j in jobs() if not kernels or j.kernel in kernels]
    modules = {kernel: cp.RawModule(path=str(folder / f"{kernel}.cubin")) for kernel in WORK}
    out, flush = cp.zeros(1024, cp.float32), cp.zeros(1 << 26, cp.float32)
    data = cp.zeros(max(j.floats for j in wanted), cp.float32)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(COLUMNS)
    for job in wanted:
        function = modules[job.kernel].get_function(job.kernel)
        function.max_dynamic_shared_size_bytes = max(job.smem, 1)
        function.preferred_shared_memory_carveout = 100
        log = cp.zeros((job.grid, 3), cp.uint64)
        found = []
        for _ in range(5):
            flush += 1
            function((job.grid,), (job.threads,), (out, data, log, np.int32(job.steps), np.int32(job.more)),
                     shared_mem=job.smem)
            at = log.get().astype(np.int64)
            at[:, 1:] -= at[:, 1].min()
            found.append((int(at[:, 2].max()), at))
        # The first launch loads the code.
        time, at = sorted(found[1:], key=lambda f: f[0])[1]
        counts = np.bincount(at[:, 0], minlength=SMS)
        wave = at[: job.resident * SMS]
        ends = [wave[wave[:, 0] == sm, 2] for sm in range(SMS) if (wave[:, 0] == sm).any()]
        mean = float((wave[:, 2] - wave[:, 1]).mean())
        first = np.array([e.min() for e in ends])
        begins = [at[at[:, 0] == sm, 1][:job.resident] for sm in range(SMS)]
        spread = np.median([b.max() - b.min() for b in begins if len(b) == job.resident] or [0])
        window = float(np.mean([e.max() - e.min() for e in ends]))
        table.writerow((job.kernel, job.threads, job.resident, job.waves, f"{time / 1e3:.2f}", counts.max(),
                        counts.min(), f"{first.std() / mean:.4f}", f"{window / mean:.4f}", int(spread)))


def measured(table: Path = MEASURED) -> dict[Job, dict[str, float]]:
    with table.open(newline="") as file:
        return {Job(r["kernel"], int(r["threads"]), int(r["resident"]), float(r["waves"])):
                {k: float(r[k]) for k in COLUMNS[4:]} for r in csv.DictReader(x for x in file if x[0] != "#")}


def simulate(wanted: list[Job]) -> dict[Job, tuple[float, int]]:
    """Microseconds without the launch's overhead, and the blocks of the SM that was last, by the model.

    What is measured ends when the last block has read the clock, so before its stores are through.
    """
    from mutate.machines import load_machine
    from mutate.pipeline.binaries import compile_originals
    from mutate.results import Request
    from mutate.sim.image import read_image
    from mutate.sim.timing.constants import DRAIN
    from mutate.sim.timing.model import Kernel, predict

    out, machine = {}, load_machine("h200")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "waves.cu"
        path.write_text("".join(j.declaration() for j in wanted) + SOURCE.read_text())
        for made in compile_originals(Request(path=path, arch="sm_90",
                                         kernels=tuple({j.kernel for j in wanted}))):
            kernel = Kernel(read_image(made.original.cubin, made.original.entry), made.original.listing)
            mine = [j for j in wanted if j.kernel == made.target.name]
            for job, launch in zip(mine, made.target.launches, strict=True):
                found = predict(kernel, launch, machine)
                out[job] = (found.cycles - DRAIN) / machine.number("clock.boost"), found.blocks_per_sm
    return out


def main() -> None:
    if sys.argv[1:2] == ["write"] and len(sys.argv) == 3:
        write(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["measure"] and len(sys.argv) > 2:
        measure(Path(sys.argv[2]), sys.argv[3:])
    elif sys.argv[1:2] == ["simulate"]:
        gpu = measured()
        wanted = [j for j in gpu if j.waves in (1.0, 1.3, 2.6, 4.4) and (not sys.argv[2:] or j.kernel in sys.argv[2:])]
        errors = []
        for job, (us, blocks) in simulate(wanted).items():
            row = gpu[job]
            errors.append(abs(us / row["us"] - 1))
            print(f"{job.kernel:10s} {job.threads:4d} x {job.resident:2d} {job.waves:4.2f} waves: "
                  f"measured {row['us']:7.1f} us, model {us:7.1f} ({100 * (us / row['us'] - 1):+.0f} %); "
                  f"most blocks {row['most']:.0f}, {blocks}")
        print(f"mean error {sum(errors) / len(errors):.3f} of {len(errors)}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
