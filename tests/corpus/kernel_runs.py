"""Takes one kernel of a project through everything that ``kmutate variants`` does, in a process that may be killed.

A record is plain data (what a line of the results file holds)::

    {"kernel", "instance", "outcome", "slug", "why", "way", "seconds": {stage: s}, "lines", "variants": {id: {...}}}

``outcome``: ``done`` (the original compiles), ``not-compiled``, ``error`` (another ``KmutateError``), ``traceback``,
``slow-compile`` (the compilers were at work when its time was over) or ``hang``. A variant has ``outcome`` (``ok``,
``refused``, ``compile-failed``), ``slug`` and ``why`` of a refusal, ``verdict`` and ``reasons`` of a certificate.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from projects import AS_IT_STANDS, Way, other_way

from mutate.errors import KmutateError
from mutate.frontend.units import Function, Unit
from mutate.pipeline.run import prove_file
from mutate.pipeline.targets import make_targets
from mutate.results import KernelResult, Request, Target, VariantResult

Record = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """One kernel: the ``number``-th of this name in its file, and the instances to try until one compiles."""

    key: str
    path: Path
    kernel: str
    number: int
    instances: tuple[str | None, ...]
    folders: tuple[str, ...]
    lines: int
    arch: str


def run_kernel(task: Task, say: Callable[[str], None]) -> Record:
    """Everything up to static certificates. Never raises; ``say`` hears what is being done."""
    record: Record = {"key": task.key, "kernel": task.kernel, "instance": None, "lines": task.lines, "variants": {}}
    start = time.perf_counter()
    for instance in task.instances:
        record["instance"] = instance
        if _try_ways(task, instance, record, say):
            break
    record["seconds"]["all"] = time.perf_counter() - start
    return record


def _try_ways(task: Task, instance: str | None, record: Record, say: Callable[[str], None]) -> bool:
    """Whether this instance's original compiles, in the first way or in another one."""
    way: Way | None = AS_IT_STANDS
    while way is not None:
        found = _try(task, instance, way, say)
        if way is AS_IT_STANDS or found["outcome"] != "not-compiled":
            record.update(found)
        way = other_way(found["why"]) if found["outcome"] == "not-compiled" and way is AS_IT_STANDS else None
    return bool(record["outcome"] != "not-compiled")


def _try(task: Task, instance: str | None, way: Way, say: Callable[[str], None]) -> Record:
    given = (f"{task.kernel}<{instance}>",) if instance is not None else ()
    request = Request(task.path, (), (task.kernel,), given, task.arch, (), (*task.folders, *way.include_dirs), way.std,
                      pre_includes=way.pre_includes)

    def targets(unit: Unit, kernels: Sequence[Function], warnings: list[str]) -> list[Target]:
        same = [k for k in kernels if k.qualified == task.kernel]
        made = make_targets(unit, [same[task.number]], request, warnings)
        return [replace(made[0], instance=instance)]

    def progress(what: str, done: int, total: int) -> None:
        del done, total
        say(what)

    record: Record = {"outcome": "done", "slug": "", "why": "", "way": str(way.std or len(way.pre_includes)),
                      "seconds": {}}
    try:
        say("reading")
        proven = prove_file(request, progress, targets)
        record["seconds"] = {k: round(v, 4) for k, v in proven.seconds.items()}
        (result,) = proven.results
        record["variants"] = {v.mutation: _variant(v) for v in result.variants}
        _refuse(record, result)
    except KmutateError as error:
        record |= {"outcome": "not-compiled" if error.slug == "original-does-not-compile" else "error",
                   "slug": error.slug, "why": _place(error)}
    except Exception:
        record |= {"outcome": "traceback", "slug": "traceback", "why": traceback.format_exc()}
    return record


def _place(error: KmutateError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what


def _refuse(record: Record, result: KernelResult) -> None:
    if result.error is not None:
        record |= {"outcome": "not-compiled" if result.error.slug == "original-does-not-compile" else "error",
                   "slug": result.error.slug, "why": _place(result.error)}


def _variant(v: VariantResult) -> Record:
    out: Record = {"outcome": str(v.outcome)}
    if v.refusal is not None:
        out |= {"slug": v.refusal.slug, "why": v.refusal.why}
    if v.log:
        out |= {"slug": "compile-failed", "why": next((x for x in v.log.splitlines() if "error" in x), v.log)[:300]}
    if v.certificate is not None:
        out["verdict"] = str(v.certificate.verdict)
        out["reasons"] = [[r.slug, str(r.severity), r.text] for r in v.certificate.reasons if r.severity != "VALID"]
    return out


def _serve(pipe: Connection, core: int | None) -> None:
    """The loop of a worker: tasks in, what is being done and records out."""
    os.setsid()  # its compilers die with it
    gc.set_threshold(100_000)  # as the command line does
    if core is not None:
        os.sched_setaffinity(0, {core})
    while (task := pipe.recv()) is not None:
        pipe.send(run_kernel(task, pipe.send))


class _Worker:
    def __init__(self, core: int | None) -> None:
        self.core = core
        self.task: Task | None = None
        self.stage = ""
        self._start()

    def _start(self) -> None:
        self.pipe, theirs = get_context("spawn").Pipe()
        self.process = get_context("spawn").Process(target=_serve, args=(theirs, self.core), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, task: Task, limit: float) -> None:
        self.task, self.stage = task, "starting"
        self.until = time.monotonic() + limit
        self.pipe.send(task)

    def hear(self) -> Record | None:
        """The record of its task, once there is one. What kills the process is a traceback of its own."""
        try:
            said = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return self._lost("traceback", f"the process ended with code {self.process.exitcode} while {self.stage}")
        if isinstance(said, str):
            self.stage = said
            return None
        self.task = None
        return dict(said)

    def expire(self, limit: float) -> Record:
        slow = self.stage == "compiling"
        return self._lost("slow-compile" if slow else "hang", f"stopped after {limit:g} s while {self.stage}")

    def _lost(self, outcome: str, why: str) -> Record:
        task = self.task
        assert task is not None  # only a worker with a task is heard or expires
        self.end()
        self.task = None
        self._start()
        return {"key": task.key, "kernel": task.kernel, "instance": task.instances[0], "lines": task.lines,
                "outcome": outcome, "slug": outcome, "why": why, "way": "", "seconds": {}, "variants": {}}

    def end(self) -> None:
        pid = self.process.pid
        if pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run_all(tasks: Sequence[Task], processes: int, limit: float,
            started: Callable[[Task], None] = lambda task: None) -> Iterator[Record]:
    """Records as they come. ``limit`` is in seconds per kernel; each process has a core of its own where there is one.

    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    todo = list(reversed(tasks))
    workers = [_Worker(cores[i % len(cores)] if cores else None) for i in range(min(processes, len(tasks)))]
    give = partial(_give, todo, limit, started)
    try:
        for w in workers:
            give(w)
        while any(w.task is not None for w in workers):
            busy = [w for w in workers if w.task is not None]
            ready = wait([w.pipe for w in busy], timeout=max(0.0, min(w.until for w in busy) - time.monotonic()))
            for w in busy:
                record = w.hear() if w.pipe in ready else None
                if record is None and time.monotonic() > w.until:
                    record = w.expire(limit)
                if record is not None:
                    yield record
                    give(w)
    finally:
        for w in workers:
            w.end()


def _give(todo: list[Task], limit: float, started: Callable[[Task], None], worker: _Worker) -> None:
    if todo:
        started(todo[-1])
        worker.give(todo.pop(), limit)
