"""Compiler processes that crash, hang or are interrupted; and doing without them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from mutate.toolchain import nvrtc, workers
from mutate.toolchain.nvrtc import Compiled, CompileFailed, Compiler, Job, compile_many

GOOD = b"__global__ void k(int *p) { *p = 1; }"

# Speaks the workers' protocol without a compiler: the first word of the source says what happens.
FAKE = """
import marshal, os, sys, time
requests, replies = sys.stdin.buffer, sys.stdout.buffer
while True:
    try:
        request = marshal.load(requests)
    except EOFError:
        break
    word = request[1].split()[0]
    if word == b"abort":
        print("out of cheese", file=sys.stderr, flush=True)
        os.abort()
    if word == b"exit":
        os._exit(7)
    if word == b"hang":
        time.sleep(600)
    if word == b"garbage":
        replies.write(b"?" * 100)
        replies.flush()
        continue
    marshal.dump((6, "user.cu(1): error: " + word.decode(), b"", "", (), 0.0), replies)
    replies.flush()
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    script = tmp_path / "fake.py"
    script.write_text(FAKE)
    monkeypatch.setattr(workers, "_SCRIPT", str(script))
    pool = workers.Pool("unused", size=2)
    monkeypatch.setattr(workers, "shared_pool", lambda _: pool)
    yield pool
    pool.close()


def run(*sources: bytes, limit: float = 30) -> list[str]:
    results = compile_many([Job(s, "user.cu", "k") for s in sources], limit=limit)
    assert all(isinstance(r, CompileFailed) for r in results)
    return [r.error.message for r in results]


@pytest.mark.usefixtures("fake")
def test_a_crash_costs_one_job():
    said = run(b"one", b"abort", b"two", b"exit", b"three", b"garbage", b"four")
    assert [said[i] for i in (0, 2, 4, 6)] == ["one", "two", "three", "four"]
    assert "signal 6" in said[1] and "out of cheese" in said[1]
    assert "code 7" in said[3]
    assert "compiler" in said[5]


@pytest.mark.usefixtures("fake")
def test_a_hang_ends_at_the_limit():
    start = time.perf_counter()
    said = run(b"one", b"hang", b"two", limit=1)
    assert time.perf_counter() - start < 10
    assert [said[0], said[2]] == ["one", "two"]
    assert "time limit of 1 s" in said[1]


@pytest.mark.usefixtures("fake")
def test_crashes_and_hangs_are_not_cached():
    assert "signal" in run(b"abort")[0]
    assert "signal" in run(b"abort")[0]
    assert run(b"failed") == run(b"failed") == ["failed"]


def test_processes_stay_for_the_next_call(fake):
    run(b"one", b"two")
    before = {p._process.pid for p in fake._idle}
    run(b"three", b"four")
    assert before and before <= {p._process.pid for p in fake._idle}


def test_equal_jobs_are_compiled_once_and_results_may_ask_for_more(fake):
    compiler = Compiler()
    heard: list[str] = []

    def hear(result):
        heard.append(result.error.message)
        if result.error.message == "first":
            compiler.submit(Job(b"second", "user.cu", "k"), hear)
            compiler.submit(Job(b"first", "user.cu", "k"), lambda r: heard.append("again " + r.error.message))

    compiler.submit(Job(b"first", "user.cu", "k"))
    compiler.submit(Job(b"first", "user.cu", "k"), hear)
    compiler.run()
    assert sorted(heard) == ["again first", "first", "second"]
    assert compiler.compiled == 2
    compiler.run()  # nothing is open
    assert 0 < compiler.seconds < 30


def test_jobs_nobody_waits_for_any_more_do_not_hold_up_others(fake):
    compiler = Compiler()
    for _ in range(4):
        compiler.submit(Job(b"hang", "user.cu", "k"))
    compiler.submit(Job(b"hang too", "user.cu", "k"))
    compiler.submit(Job(b"hang three", "user.cu", "k"))
    compiler.cancel()
    start = time.perf_counter()
    assert run(b"one") == ["one"]
    assert time.perf_counter() - start < 10


@pytest.mark.usefixtures("fake")
def test_an_error_of_a_callback_reaches_the_caller():
    compiler = Compiler()
    compiler.submit(Job(b"one", "user.cu", "k"), lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        compiler.run()


def test_prestarted_processes_are_used(fake):
    fake.prestart()
    pids = {p._process.pid for p in fake._idle}
    assert len(pids) == 2
    run(b"one", b"two", b"three")
    assert {p._process.pid for p in fake._idle} == pids


def test_without_processes_everything_still_works(monkeypatch):
    monkeypatch.setattr(workers.Pool, "_spawn", lambda _: None)
    library = nvrtc.find_toolchain().nvrtc
    monkeypatch.setattr(workers, "shared_pool", lambda _: workers.Pool(library))
    good, bad = compile_many([Job(GOOD, "a.cu", "k"), Job(b"__global__ void k() { oops; }", "b.cu", "k")])
    assert isinstance(good, Compiled)
    assert isinstance(bad, CompileFailed) and bad.error.file == "b.cu"


def test_the_in_process_limit_stops_a_long_compile(monkeypatch):
    monkeypatch.setattr(workers.Pool, "_spawn", lambda _: None)
    library = nvrtc.find_toolchain().nvrtc
    monkeypatch.setattr(workers, "shared_pool", lambda _: workers.Pool(library))
    long = b"__global__ void k(float *p) {" + b"".join(b"p[%d] = sinf(p[%d]);" % (i, i + 1) for i in range(400)) + b"}"
    (result,) = compile_many([Job(long, "a.cu", "k")], limit=0.05)
    assert isinstance(result, CompileFailed)
    assert "time limit" in result.error.message


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_at_once_and_leaves_no_process(tmp_path):
    script = tmp_path / "fake.py"
    script.write_text(FAKE)
    program = textwrap.dedent(f"""
        import signal
        # Whoever runs the tests in the background has SIGINT ignored, and children inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from mutate.toolchain import workers
        workers._SCRIPT = {str(script)!r}
        pool = workers.Pool("unused", size=2)
        pool.prestart()
        print(*[p._process.pid for p in pool._idle], flush=True)
        pool.run([("/", b"hang", "a", "k", (), ())] * 4, 600)
    """)
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pids = list(map(int, child.stdout.readline().split()))
    assert len(pids) == 2
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert "KeyboardInterrupt" in err
    assert not [pid for pid in pids if is_running(pid)]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_worker_at_work_ends_with_a_parent_that_was_killed():
    program = textwrap.dedent("""
        from mutate.toolchain import nvrtc, workers
        workers.prestart(1)
        (pool,) = workers._pools.values()
        print(pool._idle[0]._process.pid, flush=True)
        # Takes far longer than the test waits.
        body = "".join(f"p[{i}] = sinf(p[{i + 1}]) * tanf(p[{i + 2}]);" for i in range(6000))
        nvrtc.compile_program(b"__global__ void k(float *p) {%s}" % body.encode(), "a.cu", "k")
        print("compiled", flush=True)
    """)
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    time.sleep(1)
    assert is_running(pid)
    parent.kill()
    out, _ = parent.communicate()
    assert "compiled" not in out
    deadline = time.perf_counter() + 10
    while time.perf_counter() < deadline and is_running(pid):
        time.sleep(0.1)
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    """Alive, and not only waiting for its new parent to notice its end."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_its_own_processes():
    (first,) = compile_many([Job(GOOD, "a.cu", "k")])
    assert isinstance(first, Compiled)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            (result,) = compile_many([Job(GOOD + b"//child", "a.cu", "k")])
            code = 0 if isinstance(result, Compiled) else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    (again,) = compile_many([Job(GOOD + b"//parent", "a.cu", "k")])
    assert isinstance(again, Compiled)


def test_two_threads_close_a_process_one_after_the_other(fake):
    """The one that talked to it, and the pool's: a buffer that both empty at once raises ValueError."""
    process = workers._Process("none")
    inside, met = [], []

    class Stream:
        def close(self):
            met.extend(inside)
            inside.append(self)
            time.sleep(0.05)
            inside.remove(self)

    with process._process.stdin:
        process._process.stdin, stdin = Stream(), process._process.stdin
        threads = [threading.Thread(target=process.close) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert met == [] and not process.alive and not stdin.closed
