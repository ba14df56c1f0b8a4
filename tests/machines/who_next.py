"""In which order a GPU's warps go the ways of branches: what the kernels of splits.cu count.

    python tests/machines/who_next.py build FOLDER      their code, by the NVRTC that is there, and their data
    python3 tests/machines/who_next.py run FOLDER       on a GPU with CuPy; the orders of reference/h100_who_next.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
TIMES = 50
MARKS, SHAPE = 12, (16, 32)


def order_of(marks: np.ndarray) -> list[list[int]]:
    """Marks in the order in which they were counted, each with as many lanes as did so right after one another.

    ``marks``: what each lane wrote at each, shape (marks, lanes), -1 where it never was; the last ones are no marks.
    """
    counted = sorted((int(t), k) for k in range(MARKS) for t in marks[k].tolist() if t >= 0)
    out: list[list[int]] = []
    for _, k in counted:
        if out and out[-1][0] == k:
            out[-1][1] += 1
        else:
            out.append([k, 1])
    return out


def build(folder: Path) -> None:
    from mutate.launch.data import materialize
    from mutate.pipeline.binaries import compile_originals
    from mutate.results import Request

    sys.path.insert(0, str(HERE.parent))
    from compilers import nvrtc_version

    folder.mkdir(parents=True, exist_ok=True)
    version = nvrtc_version()
    for found in compile_originals(Request(path=HERE / "splits.cu", arch="sm_90")):
        (folder / f"{found.target.name}-{version}.cubin").write_bytes(found.original.cubin)
        arrays = found.target.launches[0].arrays
        np.save(folder / "next.npy", next(materialize(a) for a in arrays if a.name == "next"))


def run(folder: Path) -> list[dict[str, Any]]:
    """By compiler, kernel and number of lanes what came after what (``order_of``)."""
    import cupy

    out: list[dict[str, Any]] = []
    following = cupy.asarray(np.load(folder / "next.npy"))
    for path in sorted(folder.glob("*.cubin")):
        name, _, version = path.stem.partition("-")
        kernel = cupy.RawModule(path=str(path)).get_function(name)
        for few in (8, 24):
            seen = []
            for _ in range(TIMES):
                marks = cupy.full(SHAPE, -1, np.int32)
                kernel((1,), (32,), (marks, following, np.int32(few)))
                seen.append(order_of(marks.get()))
            if any(order != seen[0] for order in seen):
                raise SystemExit(f"{path.name} with {few} is not the same each time")
            out.append({"nvrtc": version, "kernel": name, "few": few, "order": seen[0]})
    return out


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(Path(sys.argv[2]))
    else:
        print(json.dumps(run(Path(sys.argv[2]))))
