"""How many files of real projects get launch declarations from `kmutate launch`, and how many of these simulate.

    python tests/corpus/propose_launches.py [--blocks 4] [--seconds 60] [--no-simulate] [--hosts] [--csv FILE] FOLDER...

Each folder is a CUDA project. Of each .cu file with a `<<<` it is said whether there is a proposal, whether that parses
with our own parser, how much of it is guessed, and, with the simulator, what became of the kernels launched so: run
without an error, an access out of range, not compiled, another error. The simulator runs a few blocks of each. With
`--hosts` the .cpp and .cu files of the same folder are given as host code, as `kmutate launch --host` does.
"""

from __future__ import annotations

import argparse
import csv
import re
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from instances import Includes
from projects import HOST, note

from mutate.errors import KmutateError
from mutate.frontend.load import SourceOptions, load_unit, read_source
from mutate.launch import declaration_file, evaluate_all
from mutate.machines import default_machine
from mutate.pipeline.simulate import run_simulation
from mutate.propose import Proposals, propose, with_host
from mutate.results import Request
from mutate.simulated import SimulateRequest

ARCH = "sm_90"
_OURS = re.compile(rb"/\* kmutate launch.*?\*/", re.DOTALL)


@dataclass
class Found:
    """One file. ``outcomes``: what became of each launched kernel instance."""

    path: Path
    proposals: Proposals | None = None
    parses: bool = False
    seconds: float = 0.0
    error: str = ""
    outcomes: dict[str, str] = field(default_factory=dict)

    @property
    def launched(self) -> int:
        """Proposals that come from a launch."""
        return sum(bool(p.function) for p in self.proposals.proposals) if self.proposals else 0


def propose_for(path: Path, folders: tuple[str, ...], hosts: bool = False) -> tuple[Found, dict[str, str]]:
    found = Found(path)
    start = time.perf_counter()
    defines: dict[str, str] = {}
    try:
        unit = load_unit(read_source(path), str(path), SourceOptions((), folders, ARCH))
        for other in sorted(path.parent.iterdir()) if hosts else ():
            if other.suffix in (".cpp", ".cc", ".cu") and other != path:
                unit = with_host(unit, load_unit(read_source(other), str(other), SourceOptions((), folders, ARCH)))
        found.proposals = propose(unit)
        defines = {m.name if m.params is None else f"{m.name}({', '.join(m.params)})": m.body.decode(errors="replace")
                   for m in unit.main.expansion.macros.values()}
    except KmutateError as error:
        found.error = error.slug
    found.seconds = time.perf_counter() - start
    if found.proposals is not None and found.proposals.proposals:
        text = "\n".join(p.text for p in found.proposals.proposals).encode(errors="replace")
        try:
            evaluate_all(declaration_file(text, str(path)), defines)
            found.parses = True
        except KmutateError as error:
            found.error = f"{error.slug}: {error.what}"
    return found, defines


def simulate(found: Found, folders: tuple[str, ...], blocks: int, limit: float) -> None:
    """Runs each proposal by itself, so that one failure does not hide the others."""
    assert found.proposals is not None
    start = time.perf_counter()
    for proposal in found.proposals.proposals:
        if not proposal.function:
            continue
        if time.perf_counter() - start > limit:
            found.outcomes[proposal.instance] = "not tried: time"
            continue
        with tempfile.TemporaryDirectory() as folder:
            launch = Path(folder) / "proposal.launch"
            launch.write_text(proposal.text)
            # One warp instruction budget keeps a kernel with made-up data from running for minutes.
            source = Request(found.path, (), (f"^{re.escape(proposal.kernel)}$",), (), ARCH, (),
                             (*folders, str(HOST)), launch_file=launch)
            for std in (None, "c++14"):  # `register` is no C++17
                request = SimulateRequest(replace(source, std=std), None, blocks, 3_000_000)
                try:
                    run_simulation(request, default_machine(ARCH))
                    found.outcomes[proposal.instance] = "ok"
                except KmutateError as error:
                    found.outcomes[proposal.instance] = f"{error.slug}: {error.what}"
                    if '"register" storage class' in error.what:
                        continue
                break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--no-simulate", action="store_true")
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--csv", type=Path)
    args = parser.parse_args()
    rows: list[list[str]] = []
    for root in args.folders:
        includes = Includes(root)
        files = [p for p in sorted(root.rglob("*.cu")) if p.is_file() and b"<<<" in _OURS.sub(b"", p.read_bytes())]
        all_found: list[Found] = []
        for number, path in enumerate(files):
            note(f"{root.name}: {number + 1}/{len(files)} {path.name}")
            folders = tuple(includes.folders(path))
            found, _ = propose_for(path, folders, args.hosts)
            if found.parses and not args.no_simulate:
                simulate(found, folders, args.blocks, args.seconds)
            all_found.append(found)
            for p in found.proposals.proposals if found.proposals else ():
                rows.append([str(path.relative_to(root)), p.instance, str(p.line), str(len(p.guesses)), p.problem,
                             found.outcomes.get(p.instance, "")])
            if found.proposals is None or not found.proposals.proposals:
                rows.append([str(path.relative_to(root)), "", "", "", found.error, "no proposal"])
        note("")
        report(root.name, all_found)
        if args.csv is not None:
            with args.csv.open("w", newline="") as stream:
                csv.writer(stream).writerows([["file", "instance", "line", "guesses", "problem", "outcome"], *rows])


def report(name: str, all_found: list[Found]) -> None:
    launched = [f for f in all_found if f.launched]
    proposals = [p for f in launched if f.proposals for p in f.proposals.proposals if p.function]
    complete = sum(not p.guesses for p in proposals)
    outcomes = Counter(o.split(":")[0] for f in all_found for o in f.outcomes.values())
    whole = sum(bool(f.outcomes) and all(o == "ok" for o in f.outcomes.values()) for f in all_found)
    print(f"{name}: {len(all_found)} files with <<<; {len(launched)} get a proposal from a launch, "
          f"{sum(f.parses for f in launched)} parse; {len(proposals)} declarations, {complete} without a guess; "
          f"{sum(f.seconds for f in all_found):.0f} s")
    if outcomes:
        print(f"  simulated: {sum(outcomes.values())}; {whole} files wholly; "
              + ", ".join(f"{o} {n}" for o, n in outcomes.most_common()))


if __name__ == "__main__":
    main()
