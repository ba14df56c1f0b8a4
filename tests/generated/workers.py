"""Processes that make one result each after the other, every one with a time limit; what hangs or dies is replaced."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

Result = dict[str, Any]
SPENT = "spent"
"""A result that has this key is its process's last."""


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    seed: int = -1
    since: float = 0.0


def _serve(pipe: Connection, work: Callable[[int], Result]) -> None:
    while True:
        seed = pipe.recv()
        if seed is None:
            return
        result = work(seed)
        pipe.send(result)
        if result.get(SPENT):
            return


def results(work: Callable[[int], Result], seeds: Iterable[int], jobs: int, limit: float,
            end: float = float("inf")) -> Iterator[Result]:
    """``work(seed)`` for each seed, as they come.

    A process has ``limit`` seconds for one; then, or when it dies, its result is ``{"seed": ..., "failure": ...}``.
    After ``end`` (``time.monotonic``) no seed is begun.
    """
    context = multiprocessing.get_context("spawn")
    left = list(reversed(list(seeds)))
    workers: list[_Worker] = []

    def start() -> _Worker:
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, work), daemon=False)
        process.start()
        there.close()
        return _Worker(process, here)

    def give(worker: _Worker) -> bool:
        if not left or time.monotonic() > end:
            return False
        worker.seed, worker.since = left.pop(), time.monotonic()
        worker.pipe.send(worker.seed)
        return True

    def stop(worker: _Worker, kill: bool) -> None:
        workers.remove(worker)
        if kill:
            worker.process.kill()
        else:
            try:
                worker.pipe.send(None)
            except OSError:
                worker.process.kill()
        worker.pipe.close()
        worker.process.join()

    def replace() -> None:
        fresh = start()
        workers.append(fresh)
        if not give(fresh):
            stop(fresh, kill=False)

    try:
        for _ in range(min(jobs, len(left))):
            replace()
        while workers:
            ready = wait([w.pipe for w in workers], timeout=1.0)
            for worker in list(workers):
                late = time.monotonic() - worker.since > limit
                if worker.pipe not in ready and not late:
                    continue
                try:
                    result = worker.pipe.recv() if worker.pipe in ready else None
                except (EOFError, OSError):
                    result = {"seed": worker.seed, "failure": "the process died", SPENT: True}
                if result is None:
                    result = {"seed": worker.seed, "failure": f"takes longer than {limit:g} s", SPENT: True}
                if result.pop(SPENT, False):
                    stop(worker, kill=True)
                    replace()
                elif not give(worker):
                    stop(worker, kill=False)
                yield result
    finally:
        for worker in list(workers):
            stop(worker, kill=True)
