"""Takes every kernel of real CUDA projects through all mutations, and says what came of them.

    python tests/corpus/run_corpus.py [--arch sm_90] [--results FILE] [--limit 240] [--processes 2] FOLDER...

Each folder is a CUDA project. Every kernel of its files is parsed, mutated by every mutation, compiled with the
project's include folders, and certified by comparing instructions; a template as an instance that the project
launches. A kernel is a line of the results file, keyed by the text that it was made of and the version of this code:
a run that was stopped goes on where it was, and a second run tries again only what has changed. `--show SLUG` lists
the kernels with that slug, `--not-compiled` those whose original does not compile.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import re
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

from kernel_runs import Record, Task, run_all
from outcomes import listing, not_compiled, table
from projects import Found, read_project
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mutate.errors import KmutateError

PACKAGE = Path(__file__).resolve().parents[2]


def code_version() -> str:
    """Changes with every change of what decides an outcome."""
    state = hashlib.sha256()
    for folder, pattern in (("mutate", "*.py"), ("templates", "*.j2"), ("mutate", "*.toml"), ("mutate", "*.h"),
                            ("tests/corpus", "*.py"), ("tests/corpus/host", "*")):
        for path in sorted((PACKAGE / folder).rglob(pattern)):
            if "sim" not in path.relative_to(PACKAGE).parts and path.is_file():
                state.update(path.read_bytes())
    return state.hexdigest()


def make_tasks(found: Iterable[Found], version: str, arch: str) -> list[Task]:
    tasks: list[Task] = []
    seen: dict[tuple[Path, str], int] = {}
    for f in found:
        place = (f.path, f.function.qualified)
        number = seen[place] = seen.get(place, -1) + 1
        state = hashlib.sha256(repr((version, arch, str(f.path), f.function.qualified, number, tuple(f.instances),
                                     f.folders)).encode())
        for file in f.unit.files():
            state.update(file.expansion.source)
        lines = f.function.node.text.count("\n") + 1
        tasks.append(Task(state.hexdigest(), f.path, f.function.qualified, number, tuple(f.instances), f.folders,
                          lines, arch))
    return tasks


def read_results(path: Path | None) -> dict[str, Record]:
    """Records by key. A line that was cut off by the end of a run is left out."""
    out: dict[str, Record] = {}
    for line in path.read_text().splitlines() if path is not None and path.exists() else ():
        try:
            record = json.loads(line)
            out[record["key"]] = record
        except (ValueError, KeyError, TypeError):
            continue
    return out


def run_project(root: Path, known: dict[str, Record], options: argparse.Namespace, problems: list[str],
                console: Console) -> list[Record]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(f"{root.name}: reading")
        found = read_project(root, options.arch, options.instances, problems, headers=True,
                             progress=lambda done, of: progress.update(bar, completed=done, total=of))
        tasks = [t for t in make_tasks(found, code_version(), options.arch)
                 if options.kernel is None or re.search(options.kernel, f"{t.path}:{t.kernel}")]
        tasks = tasks[:: options.every]
        del found
        records: dict[str, Record] = {t.key: known[t.key] for t in tasks if t.key in known}
        open_tasks = [t for t in tasks if t.key not in known]
        files = {t.key: str(t.path.relative_to(root)) for t in tasks}
        progress.update(bar, total=len(tasks), completed=len(records))
        sink = options.results.open("a") if options.results is not None else None
        try:
            for record in run_all(open_tasks, options.processes, options.limit, lambda t: progress.update(
                    bar, description=f"{root.name}: {t.path.name}:{t.kernel}"[:60])):
                record["file"] = files[record["key"]]
                record["project"] = root.name
                records[record["key"]] = record
                if sink is not None:
                    sink.write(json.dumps(record) + "\n")
                    sink.flush()
                progress.advance(bar)
        finally:
            if sink is not None:
                sink.close()
    return [records[t.key] for t in tasks]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--results", type=Path, help="JSON lines: what is there is not done again")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--limit", type=float, default=240.0, help="seconds a kernel may take")
    parser.add_argument("--instances", type=int, default=3, help="instances of a template to try until one compiles")
    parser.add_argument("--kernel", help="only kernels whose FILE:NAME this regular expression finds")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="a sample: each N-th kernel")
    parser.add_argument("--show", metavar="SLUG", help="list the variants with a refusal or reason of this slug")
    parser.add_argument("--not-compiled", action="store_true", help="list the kernels whose original does not compile")
    options = parser.parse_args()
    problems: list[str] = []
    known = read_results(options.results)
    console = Console(stderr=True)
    failed = False
    try:
        for root in options.folders:
            if not root.is_dir():
                problems.append(f"{root}: no such folder")
                continue
            records = run_project(root.absolute(), known, options, problems, console)
            print(table(root.absolute().name, records))
            if options.show:
                print("\n".join(listing(records, options.show)))
            if options.not_compiled:
                print("\n".join(not_compiled(records)))
            failed |= any(r["outcome"] in ("traceback", "hang") for r in records)
    except KmutateError as error:
        print(f"run_corpus: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; what is done stays in the results file", file=sys.stderr)
        return 130
    for problem in problems:
        print(f"not read: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    gc.disable()  # the trees of a project live until all are read; looking for cycles among them takes most of the time
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the processes end with this one
    sys.exit(main())
