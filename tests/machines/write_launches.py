"""Writes the declared launches of a file as cubins and a list, for time_launches.py on a GPU without this package.

    python tests/machines/write_launches.py tests/machines/turns.cu FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mutate.backends.tools import tool_cubin
from mutate.launch.data import materialize
from mutate.launch.model import Address, ArrayDecl, Value
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request

MOST = 8 << 20


def argument(value: Value) -> dict[str, object]:
    if isinstance(value.data, Address):
        return {"array": value.data.array, "offset": value.data.offset}
    return {"hex": value.pack({}).hex()}


def contents(array: ArrayDecl, folder: Path) -> str:
    """How an array is filled: a kind that time_launches.py knows, or a file in the folder."""
    if array.init.kind in ("zeros", "iota"):
        return array.init.kind
    if array.nbytes > MOST:
        raise SystemExit(f"{array.name}: only arrays up to {MOST >> 20} MiB can have other data than zeros or iota()")
    file = folder / f"{array.name}_{array.nbytes}.bin"
    file.write_bytes(materialize(array).tobytes())
    return file.name


def main() -> None:
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    jobs: list[dict[str, object]] = []
    for found in compile_originals(Request(path=source, arch="sm_90")):
        file = f"{len(jobs):04}.cubin"
        (folder / file).write_bytes(found.original.cubin)
        jobs += [{"kernel": launch.kernel, "instance": launch.template_args or "", "launch": n, "cubin": file,
                  "entry": found.original.entry, "grid": launch.grid, "block": launch.block, "smem": launch.smem,
                  "arrays": [[a.name, a.nbytes, contents(a, folder)] for a in launch.arrays],
                  "args": [argument(a.as_value()) for a in launch.args]}
                 for n, launch in enumerate(found.target.launches)]
    (folder / "tools.cubin").write_bytes(tool_cubin((9, 0)))
    (folder / "launches.json").write_text(json.dumps(jobs))


if __name__ == "__main__":
    main()
