"""Feeds kmutate inputs that reach code which others have not reached: coverage-guided, by atheris (the extra ``fuzz``).

    python tests/fuzz/guided.py TARGET --seconds 300 --out FOLDER

TARGET is one of ``source`` (a CUDA file: reading and all mutations), ``launch`` (launch declarations in one),
``declaration`` (a file that is one), ``listing`` (what nvdisasm prints, and what reads it), ``cubin``, ``machine``
(TOML), ``commands`` (a compilation database), or ``all``, which takes turns by an input's first byte. It begins with
the samples and what tests have in their text (``seeds.py``); what it learns stays in FOLDER/TARGET.corpus.

Anything but a result or one of kmutate's errors, more than ``--limit`` seconds of computing or ``--memory`` MB is a
finding: FOLDER/TARGET.*.in has the input, .txt the traceback. The exit status is 1 when there was one.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mangle import ODD, flipped, mangled

# Bytes of an input at most. Larger ones reach nothing else, and slowly.
SIZES = {"source": 2048, "launch": 2048, "declaration": 2048, "listing": 12288, "cubin": 40960, "machine": 8192,
         "commands": 2048}
_DECODING = ["sass", "sim.control_rules", "sim.decode", "sim.memory_rules", "sim.operand", "sim.row_rules", "sim.rules",
             "sim.texture_rules"]
_INSTRUMENTED = {
    "source": ["analysis", "frontend", "launch", "mutations", "pipeline.variants", "propose", "source",
               "toolchain.includes"],
    "launch": ["launch"], "declaration": ["launch"], "listing": _DECODING, "cubin": ["toolchain", "sass", "sim.image"],
    "machine": ["machines", "occupancy", "pipeline.counting", "sim.timing.model"], "commands": ["toolchain"]}
"""What the coverage is of. What numba compiles is not among it: it would compile the counting, too."""
_SECONDS_OF_READING = 3.0
_MOST_STARTS = 30
_STARTING = 120
_ARTIFACTS = {"timeout": "slow", "oom": "memory", "crash": "crash", "leak": "memory", "slow": "slow"}


class Findings:
    """Writes the first inputs of each kind of problem to a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count: Counter[str] = Counter()

    def add(self, target: str, what: str, text: str, data: bytes) -> None:
        problem = re.sub(r"[^\w.]+", "_", f"{target}.{what}")
        self.count[problem] += 1
        if self.count[problem] <= 2:
            stem = f"{problem}.{self.count[problem]}"
            (self.folder / f"{stem}.in").write_bytes(data)
            (self.folder / f"{stem}.txt").write_text(text, errors="backslashreplace")


def tried(calls: dict[str, Callable[[bytes], str]], findings: Findings, limit: float) -> Callable[[bytes], None]:
    """What atheris calls. With several targets the first byte chooses one."""
    names = list(calls)

    def once(data: bytes) -> None:
        name = names[0]
        if len(names) > 1:
            name, data = names[data[0] % len(names)] if data else name, data[1:]
        start = time.process_time()
        try:
            calls[name](data)
        except Exception as error:
            ours = [f for f in traceback.extract_tb(error.__traceback__) if "mutate" in f.filename]
            where = f"{Path(ours[-1].filename).name}.{ours[-1].lineno}" if ours else "nowhere"
            findings.add(name, f"{type(error).__name__}.{where}", traceback.format_exc(), data)
        if (took := time.process_time() - start) > limit:
            findings.add(name, "slow", f"{took:.1f} s of computing\n", data)

    return once


def child(target: str, out: Path, limit: float, options: list[str]) -> None:
    """The process that atheris runs in; it does not come back from ``Fuzz``."""
    import atheris

    chosen = sorted({f"mutate.{m}" for name in (_INSTRUMENTED if target == "all" else [target])
                     for m in _INSTRUMENTED[name]})
    with atheris.instrument_imports(include=chosen):
        import targets

        from mutate import limits

    limits.READING = _SECONDS_OF_READING
    calls: dict[str, Callable[[bytes], str]] = {
        "source": targets.frontend, "launch": targets.launches, "declaration": targets.declarations,
        "listing": targets.printed, "cubin": targets.cubin, "machine": targets.machine, "commands": targets.commands}
    calls = calls if target == "all" else {target: calls[target]}

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        head, rest = (data[:1], data[1:]) if target == "all" else (b"", data)
        changes = rng.choice((1, 1, 2, 5, 20))
        return (head + (flipped if target == "cubin" else mangled)(rest, rng, changes))[:most]

    atheris.Setup([sys.argv[0], *options], tried(calls, Findings(out), limit), custom_mutator=mutate)
    atheris.Fuzz()


def collected(out: Path, target: str, corpus: Path) -> bool:
    """Takes what libFuzzer left when it gave up for a finding, and its input out of the corpus."""
    found = [p for p in out.glob(f"{target}-*-*") if p.is_file()]
    for path in found:
        data = path.read_bytes()
        kind = _ARTIFACTS.get(path.name.removeprefix(f"{target}-").partition("-")[0], "crash")
        path.rename(out / f"{target}.{kind}.{path.name.rpartition('-')[2][:12]}.in")
        for known in corpus.iterdir():
            if known.read_bytes() == data:
                known.unlink()
    return bool(found)


def run(target: str, seconds: float, out: Path, limit: float, memory: int) -> list[str]:
    """Starts the process again each time that it ends before its time. Gives the names of the findings."""
    from seeds import write_seeds

    corpus, log = out / f"{target}.corpus", out / f"{target}.log"
    names = list(SIZES) if target == "all" else [target]
    most = max(SIZES[name] for name in names) if target != "all" else 2048
    for number, name in enumerate(names):
        write_seeds(name, corpus, most, bytes([number]) if target == "all" else b"")
    words = out / f"{target}.dict"
    words.write_text("".join('"' + "".join(f"\\x{b:02x}" for b in word) + '"\n' for word in ODD))
    end, runs, starts = time.monotonic() + seconds, 0, 0
    known = set(out.glob("*.in"))
    while (left := end - time.monotonic()) > 0 and starts < _MOST_STARTS:
        starts += 1
        options = [f"-max_total_time={max(1, round(left))}", f"-max_len={most}", f"-timeout={round(10 * limit)}",
                   f"-rss_limit_mb={memory}", f"-artifact_prefix={out}/{target}-", f"-dict={words}",
                   "-print_final_stats=1", "-use_value_profile=1", str(corpus)]
        with log.open("ab") as file:
            subprocess.run([sys.executable, __file__, target, "--child", "--out", str(out), "--limit", str(limit),
                            *options], stdout=file, stderr=file, timeout=left + _STARTING + 10 * limit, check=False)
        said = log.read_bytes()
        runs = sum(map(int, re.findall(rb"stat::number_of_executed_units: +(\d+)", said)))
        if not collected(out, target, corpus) and not re.search(rb"Done \d+ runs in \d+ second", said):
            print(said[-3000:].decode(errors="replace"))
            raise SystemExit(f"the fuzzer of {target} ended without a word")
    covered = re.findall(rb"cov: (\d+) ft: (\d+) corp: (\d+)", log.read_bytes())
    reached = " edges {} features {} corpus {}".format(*(n.decode() for n in covered[-1])) if covered else ""
    print(f"{target}: {runs} runs in {seconds:g} s,{reached}")
    return sorted(str(path) for path in set(out.glob("*.in")) - known)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=[*SIZES, "all"])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", type=Path, default=Path("fuzz-out"))
    parser.add_argument("--limit", type=float, default=20, help="seconds of computing that one input may take")
    parser.add_argument("--memory", type=int, default=2048, help="MB that the process may take")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given, options = parser.parse_known_args()
    if given.child:
        child(given.target, given.out, given.limit, options)
        return 0
    if options:
        parser.error(f"no such option: {' '.join(options)}")
    try:
        import atheris  # noqa: F401
    except ImportError:
        parser.error("atheris is not installed: pip install -e '.[fuzz]' (it has wheels for Linux on x86-64)")
    out = given.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    found = run(given.target, given.seconds, out, given.limit, given.memory)
    for path in found:
        print(f"FOUND {path}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
