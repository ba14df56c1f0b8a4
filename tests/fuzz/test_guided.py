"""The coverage-guided fuzzer runs, and what it finds is reported."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import guided
import pytest
import seeds
import targets

from mutate.machines import load_machine


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_some_seconds_find_nothing(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, guided.__file__, "declaration", "--seconds", "3", "--out", str(tmp_path)],
                          capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    runs, edges = int(done.stdout.split()[1]), int(done.stdout.split()[done.stdout.split().index("edges") + 1])
    assert runs > 20 and edges > 300, done.stdout


def test_other_exceptions_and_slow_inputs_are_findings(tmp_path: Path) -> None:
    def fails(data: bytes) -> str:
        load_machine(data)  # type: ignore[arg-type]
        return ""

    def sleeps(data: bytes) -> str:
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
        return data.decode()

    once = guided.tried({"fails": fails, "sleeps": sleeps}, guided.Findings(tmp_path), 0.05)
    for data in (b"\0bad", b"\0worse", b"\0again", b"\1slow", b""):
        once(data)
    assert {p.name: p.read_bytes() for p in tmp_path.glob("*.in") if "slow" in p.name} == {"sleeps.slow.1.in": b"slow"}
    found = sorted(p for p in tmp_path.glob("fails.*.in"))
    assert [p.read_bytes() for p in found] == [b"bad", b"worse"], "of each problem the first two"
    assert "load.py" in found[0].name
    assert "Traceback" in found[0].with_suffix(".txt").read_text()


def test_what_the_fuzzer_gives_up_for_is_a_finding_and_leaves_the_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, data in (("a", b"much"), ("b", b"little")):
        (corpus / name).write_bytes(data)
    (tmp_path / "source-oom-0123456789abcdef").write_bytes(b"much")
    assert guided.collected(tmp_path, "source", corpus)
    assert (tmp_path / "source.memory.0123456789ab.in").read_bytes() == b"much"
    assert [p.name for p in corpus.iterdir()] == ["b"]
    assert not guided.collected(tmp_path, "source", corpus)


@pytest.mark.parametrize(("name", "call", "best"), [
    ("source", targets.frontend, "ok"), ("launch", targets.launches, "ok"), ("declaration", targets.declarations, "ok"),
    ("machine", targets.machine, "ok"), ("commands", targets.commands, "ok")])
def test_seeds_reach_what_they_are_for(name: str, call: targets.Target, best: str) -> None:
    chosen = [s for s in seeds.MAKERS[name]() if len(s) <= guided.SIZES[name]]
    assert best in {call(s) for s in sorted(chosen, key=len)[-8:]}


def test_what_nvdisasm_prints_reaches_the_decoder() -> None:
    line = "        /*{:04x}*/                   {} ;  /* 0x0000000000007918 */\n  /* 0x000fc00000000000 */\n"
    text = "".join(line.format(16 * n, i) for n, i in enumerate(("S2R R0, SR_TID.X", "@P0 BRA 0x30", "NOP", "EXIT")))
    assert targets.printed(text.encode()) == "ok"
    assert targets.printed(b"\xff" + text.encode()[:-9]) == "ok"
