"""Kernels of real projects, with launches of our own: analysed source by source, as one document for heldout.py.

    git -C PROJECT checkout COMMIT          as tests/gpu/real/projects.toml says, for each project, below FOLDER
    python tests/gpu/real.py check FOLDER                          that every source is there; of real2: --set real2
    python tests/gpu/real3/PROJECT/gen.py                          makes a project's data (CloverLeaf_CUDA's: FOLDER)
    python tests/gpu/real.py run FOLDER SIM.json --backend sim --machine h100 [--jobs 2] [-k NAME]
    python tests/gpu/real.py run FOLDER GPU.json [--jobs 4]        on the GPU
    python tests/gpu/heldout.py other real GPU.json SIM.json       → reference/h100_real.json

The projects are not part of this repository; what is here are declarations of launches (tests/gpu/real/PROJECT and
real2/, real3/PROJECT), and wrappers that include a project's file. CUDA_HOME says where the toolkit is. What could not
be analysed is in the document's ``failed``, with the message.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SETS = ("real", "real2", "real3")
CUDA = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda-13.0"))
OPTIONS = ("--no-counters", "--no-sweep", "--json")


@dataclass(frozen=True)
class Entry:
    """A source of a project and the launches that are declared for it."""

    project: str
    name: str
    source: str
    launch: Path
    flags: tuple[str, ...]
    calls: int

    def data(self) -> list[Path]:
        """The files that its launches load."""
        names = re.findall(r'file\("([^":]+)', self.launch.read_text(encoding="utf-8"))
        return [self.launch.parent / name for name in dict.fromkeys(names)]

    def path(self, folder: Path) -> Path:
        kind, _, file = self.source.rpartition(":")
        return self.launch.parent / file if kind == "decl" else folder / self.project / self.source


def entries(name: str = "real") -> Iterator[Entry]:
    """Those of a set."""
    for index in sorted((HERE / name).glob("*/index.jsonl")):
        for line in index.read_text().splitlines():
            said = json.loads(line)
            yield Entry(index.parent.name, said["name"], said["source"], index.parent / said["launch"],
                        tuple(said["flags"]), said["calls"])


def command_of(entry: Entry, folder: Path, more: list[str]) -> list[str]:
    """Flags name the project's folders as PROJECT/..., this repository's as @/..., and the toolkit's as CUDA/..."""
    folders = {"PROJECT": folder / entry.project, "@": HERE.parents[1], "CUDA": CUDA}
    flags = []
    for flag in entry.flags:
        first, slash, rest = flag.partition("/")
        flags.append(str(folders[first] / rest) if slash and first in folders else flag)
    return [sys.executable, "-m", "mutate", "analyze", str(entry.path(folder)), "--launch", str(entry.launch), *flags,
            *OPTIONS, *more]


def _analysed(entry: Entry, folder: Path, more: list[str], limit: float) -> dict[str, Any]:
    try:
        ran = subprocess.run(command_of(entry, folder, more), capture_output=True, text=True, check=False,
                             timeout=limit)
    except subprocess.TimeoutExpired:
        return {"failed": f"longer than {limit:g} s"}
    try:
        found: dict[str, Any] = json.loads(ran.stdout)
    except ValueError:
        return {"failed": ran.stderr.strip()}
    return found


def _kernels(entry: Entry, document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One kernel a launch, with a name of its own."""
    for kernel in document["kernels"]:
        for number, launch in enumerate(kernel["launches"], 1):
            same = f" ({number})" if len(kernel["launches"]) > 1 else ""
            yield kernel | {"name": f"{entry.project}/{entry.name}: {kernel['name']}{same}", "launches": [launch]}


def run(chosen: list[Entry], folder: Path, more: list[str], jobs: int, limit: float) -> Iterator[dict[str, Any]]:
    """All of them as one document, after each of them; the head is the first one's that came to something."""
    head: dict[str, Any] = {}
    kernels: list[dict[str, Any]] = []
    failed: dict[str, str] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for entry, document in zip(chosen, pool.map(lambda e: _analysed(e, folder, more, limit), chosen), strict=True):
            name = f"{entry.project}/{entry.name}"
            if document.get("kernels"):
                head = head or document
                kernels += _kernels(entry, document)
            else:
                failed[name] = document.get("failed") or str(document.get("error"))
            print(f"{name}: {failed.get(name) or len(document['kernels'])}", file=sys.stderr)
            yield head | {"kernels": kernels, "failed": failed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "run"])
    parser.add_argument("folder", type=Path, help="has the projects as folders")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--set", choices=SETS, default=SETS[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300, help="seconds for a source")
    parser.add_argument("-k", dest="only", action="append", help="only entries whose PROJECT/NAME has this")
    args, more = parser.parse_known_args()
    chosen = [e for e in entries(args.set) if any(k in f"{e.project}/{e.name}" for k in args.only or [""])]
    missing = [str(e.path(args.folder)) for e in chosen if not e.path(args.folder).is_file()]
    missing += [f"{path} (made by gen.py beside it)" for e in chosen for path in e.data() if not path.is_file()]
    if missing:
        parser.error("not there: " + ", ".join(dict.fromkeys(missing)))
    if args.what == "check":
        print(f"{len(chosen)} sources")
        return
    if args.out is None:
        parser.error("run needs a file to write")
    for document in run(chosen, args.folder, more, args.jobs, args.limit):
        args.out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
