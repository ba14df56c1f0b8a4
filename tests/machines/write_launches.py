"""Writes the declared launches of a file as cubins and a list, for time_launches.py on a GPU without this package.

    python tests/machines/write_launches.py tests/machines/turns.cu FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mutate.backends.tools import tool_cubin
from mutate.launch.model import Address, Value
from mutate.pipeline.binaries import compile_file
from mutate.results import Request


def argument(value: Value) -> dict[str, object]:
    if isinstance(value.data, Address):
        return {"array": value.data.array, "offset": value.data.offset}
    return {"hex": value.pack({}).hex()}


def main() -> None:
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    jobs: list[dict[str, object]] = []
    for found in compile_file(Request(path=source, arch="sm_90", mutations=("identity",))):
        file = f"{len(jobs):04}.cubin"
        (folder / file).write_bytes(found.original.cubin)
        jobs += [{"kernel": launch.kernel, "instance": launch.template_args or "", "launch": n, "cubin": file,
                  "entry": found.original.entry, "grid": launch.grid, "block": launch.block, "smem": launch.smem,
                  "arrays": [[a.name, a.nbytes, a.init.kind] for a in launch.arrays],
                  "args": [argument(a.as_value()) for a in launch.args]}
                 for n, launch in enumerate(found.target.launches)]
    (folder / "tools.cubin").write_bytes(tool_cubin((9, 0)))
    (folder / "launches.json").write_text(json.dumps(jobs))


if __name__ == "__main__":
    main()
