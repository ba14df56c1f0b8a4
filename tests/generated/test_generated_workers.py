"""What the processes that run generated kernels do with one that hangs or dies, and what a stopped run leaves."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from on_gpu import differing
from run_generated import read
from workers import SPENT, results


def _work(seed: int) -> dict[str, Any]:
    if seed == 1:
        time.sleep(600)
    if seed == 2:
        os._exit(3)
    return {"seed": seed, "failure": "", "process": os.getpid(), SPENT: seed == 3}


def test_who_hangs_or_dies_is_replaced() -> None:
    found = {r["seed"]: r for r in results(_work, range(7), jobs=2, limit=8.0)}
    assert sorted(found) == list(range(7))
    assert {s: r["failure"] for s, r in found.items() if r["failure"]} == {
        1: "takes longer than 8 s", 2: "the process died"}


def test_a_process_that_is_spent_gets_no_more_work() -> None:
    found = {r["seed"]: r["process"] for r in results(_work, (0, 3, 4), jobs=1, limit=60.0)}
    assert found[0] == found[3] != found[4]


def test_nothing_is_begun_after_the_end() -> None:
    assert list(results(_work, range(3), jobs=1, limit=60.0, end=time.monotonic() - 1)) == []


def test_a_line_that_was_cut_off_is_no_result(tmp_path: Path) -> None:
    log = tmp_path / "results.jsonl"
    log.write_text('{"seed": 4, "failure": ""}\n{"seed": 5, "fail')
    assert list(read(log)) == [4]
    assert read(tmp_path / "none") == {}


def test_memory_is_compared_bit_by_bit() -> None:
    assert differing({"a": bytes(8), "b": bytes(4)}, {"a": bytes(8)}) == []
    assert differing({"a": bytes(8)}, {"a": bytes(5) + b"\x80" + bytes(2)}) == [
        "a: 1 of 8 bytes, first at 4: simulated 00000000, GPU 00008000"]
