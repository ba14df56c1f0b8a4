"""Sessions in real child processes, with a driver that pretends: rounds, stopping, faults, and no process left over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plans import DECLARATION, plan

from mutate.backends import process
from mutate.backends.gpu import measure
from mutate.backends.rounds import half_width, median
from mutate.errors import KmutateError
from mutate.timing import Plan, RunOutcome, Session, Settings
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

DRIVER = "fake_driver:FakeDriver"
QUICK = Settings(budget=5.0, least_rounds=7, most_rounds=12, limit=1.5)


@pytest.fixture(autouse=True)
def short_warm_up(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("mutate.backends.session._WARM_UP_SECONDS", 0.0)
    yield
    process.close_all()


def run(what: Plan, settings: Settings = QUICK, **options: Any) -> Session:
    (session,) = measure([what], settings, driver=DRIVER, options=options)
    return session


def calls(log: Path) -> list[list[Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def outcomes(session: Session) -> dict[str, RunOutcome]:
    return {r.name: r.outcome for r in session.runs}


def ends(pid: int, seconds: float = 5.0) -> bool:
    """Whether a process is gone (or a zombie that nobody has waited for) before so many seconds are over."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_session_has_a_time_of_each_run_for_each_round() -> None:
    session = run(plan("original", "memory", "math"), kernels={"original": {"ms": 3.0}, "memory": {"ms": 2.0},
                                                               "math": {"ms": 1.0}})
    assert session.stopped == "target" and session.rounds == QUICK.least_rounds and session.restarts == 0
    assert {r.name: set(r.times_ms) for r in session.runs} == {
        "original": {3.0}, "memory": {2.0}, "math": {1.0}}
    assert all(len(r.times_ms) == session.rounds for r in session.runs)
    assert session.overhead_ms == pytest.approx((0.002,) * session.rounds)
    first = session.runs[0]
    assert (first.registers, first.local_bytes, first.resident_blocks) == (32, 0, 4)
    assert session.gpu.name == "Fake" and session.gpu.capability == (9, 0)


def test_times_at_one_place_belong_to_one_round_whatever_its_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    # The n-th launch of each kernel takes n ms: trial 1, warm-up 2 and 3, so the first round has 4.
    growing = [float(n) for n in range(1, 100)]
    names = ("original", "memory", "math", "bad")
    session = run(plan(*names), replace(QUICK, target=-1.0), kernels={n: {"times": growing} for n in names},
                  log=str(log))
    assert session.stopped == "rounds"
    assert {r.times_ms for r in session.runs} == {tuple(float(4 + n) for n in range(12))}
    launched = [c[1] for c in calls(log) if c[0] == "launch" and c[1] in names]
    rounds = {tuple(launched[at : at + 4]) for at in range(12, len(launched), 4)}
    assert all(sorted(r) == sorted(names) for r in rounds) and len(rounds) > 3


def test_rounds_go_on_until_every_median_is_known_well_enough() -> None:
    noisy = {"times": [1.0, 1.4, 0.8, 1.2, 1.0, 1.1]}
    settings = replace(QUICK, most_rounds=200, target=0.06)
    session = run(plan("original", "memory"), settings, kernels={"memory": noisy})
    assert session.stopped == "target" and QUICK.least_rounds < session.rounds < 200
    again = run(plan("original", "memory"), replace(settings, target=-1.0, most_rounds=30), kernels={"memory": noisy})
    assert again.stopped == "rounds" and again.rounds == 30


def test_the_budget_ends_rounds() -> None:
    session = run(plan("original"), replace(QUICK, budget=0.3, target=-1.0, most_rounds=400),
                  kernels={"original": {"sleep": 0.02}})
    assert session.stopped == "budget" and 1 <= session.rounds < 40
    assert session.runs[0].outcome is RunOutcome.OK


def test_runs_that_the_budget_does_not_reach_are_skipped() -> None:
    session = run(plan("original", "memory", "math"), replace(QUICK, budget=0.3), kernels={"original": {"sleep": 0.5}})
    assert outcomes(session) == {"original": RunOutcome.OK, "memory": RunOutcome.SKIPPED, "math": RunOutcome.SKIPPED}
    assert "budget" in session.runs[1].message and session.rounds == 1


@pytest.mark.parametrize("what", ["hang", "block"])
def test_a_hang_is_a_timeout_and_the_rest_goes_on(what: str) -> None:
    start = time.monotonic()
    session = run(plan("original", "bad", "memory"), kernels={"bad": {"what": what}})
    assert outcomes(session) == {"original": RunOutcome.OK, "bad": RunOutcome.TIMEOUT, "memory": RunOutcome.OK}
    bad = session.run("bad")
    assert bad is not None and "1.5 s" in bad.message and not bad.times_ms
    assert session.restarts == 1 and session.rounds == QUICK.least_rounds
    assert time.monotonic() - start < 10


def test_a_fault_is_an_outcome_and_the_rest_goes_on() -> None:
    session = run(plan("original", "bad", "memory"), kernels={"bad": {"what": "fault"}})
    assert outcomes(session) == {"original": RunOutcome.OK, "bad": RunOutcome.ILLEGAL_ACCESS, "memory": RunOutcome.OK}
    bad = session.run("bad")
    assert bad is not None and "ILLEGAL_ADDRESS" in bad.message
    assert session.restarts == 1


def test_a_fault_in_a_late_round_keeps_the_rounds_before_it() -> None:
    session = run(plan("original", "bad", "memory"), replace(QUICK, target=-1.0),
                  kernels={"bad": {"what": "fault", "from": 8}})
    assert outcomes(session)["bad"] is RunOutcome.ILLEGAL_ACCESS and session.restarts == 1
    assert {len(r.times_ms) for r in session.runs if r.outcome is RunOutcome.OK} == {QUICK.most_rounds}


def test_a_refused_launch_needs_no_new_process() -> None:
    session = run(plan("original", "bad"), kernels={"bad": {"what": "refuse"}})
    assert outcomes(session) == {"original": RunOutcome.OK, "bad": RunOutcome.LAUNCH_FAILED}
    assert session.restarts == 0


def test_a_launch_that_is_refused_later_leaves_the_round_to_be_made_again() -> None:
    session = run(plan("original", "bad"), kernels={"bad": {"what": "refuse", "from": 6}})
    assert outcomes(session) == {"original": RunOutcome.OK, "bad": RunOutcome.LAUNCH_FAILED}
    assert session.restarts == 0 and len(session.runs[0].times_ms) == session.rounds == QUICK.least_rounds


def test_a_process_that_is_killed_once_is_replaced_and_nothing_is_lost(tmp_path: Path) -> None:
    session = run(plan("original", "memory"), kernels={"memory": {"what": "die", "from": 6,
                                                                  "once": str(tmp_path / "once")}})
    assert set(outcomes(session).values()) == {RunOutcome.OK}
    assert session.restarts == 1 and len(session.runs[1].times_ms) == session.rounds


def test_a_run_that_always_kills_the_process_is_given_up() -> None:
    session = run(plan("original", "bad", "memory"), kernels={"bad": {"what": "die"}})
    assert outcomes(session) == {"original": RunOutcome.OK, "bad": RunOutcome.LAUNCH_FAILED, "memory": RunOutcome.OK}
    bad = session.run("bad")
    assert bad is not None and "signal 9" in bad.message and session.restarts == 2


def test_too_much_shared_memory_is_an_outcome_of_that_run() -> None:
    what = plan("original", "memory")
    what = replace(what, runs=(what.runs[0], replace(what.runs[1], dynamic_smem=1 << 20)))
    session = run(what)
    assert outcomes(session) == {"original": RunOutcome.OK, "memory": RunOutcome.LAUNCH_FAILED}


def test_arrays_that_do_not_fit_say_what_is_asked_and_what_is_free() -> None:
    small, large = plan("original", "memory", name="large"), plan("original", name="small")
    declaration = DECLARATION.replace("n = 1024", "n = 50000000")
    small = plan("original", "memory", declaration=declaration, name="large")
    first, second = measure([small, large], QUICK, driver=DRIVER, options={"memory": 300_000_000})
    assert set(outcomes(first).values()) == {RunOutcome.OUT_OF_MEMORY}
    assert "0.40 GB" in first.runs[0].message and "0.30 GB" in first.runs[0].message
    assert second.runs[0].outcome is RunOutcome.OK


def test_arguments_that_are_not_the_kernels_are_an_outcome() -> None:
    session = run(plan("original", declaration=DECLARATION.replace("(out, in, n)", "(out, in)")))
    assert outcomes(session) == {"original": RunOutcome.LAUNCH_FAILED}
    assert "2 arguments" in session.runs[0].message


@pytest.mark.parametrize("memory", [1 << 30, 250 * 2**20], ids=["copies", "made again"])
def test_written_arrays_are_restored_before_every_launch(memory: int) -> None:
    """The kernel counts in the array and takes that much longer; where there is no room for a copy, it is refilled."""
    session = run(plan("original", "memory"), kernels={"original": {"counts": True}}, memory=memory)
    assert set(session.runs[0].times_ms) == {1.0}


def test_data_from_the_host_is_restored_without_room_for_a_copy() -> None:
    declaration = DECLARATION.replace("fill(0)", "{ 0, 1, 2 }")
    session = run(plan("original", declaration=declaration), kernels={"original": {"counts": True}},
                  memory=200 * 2**20)
    assert set(session.runs[0].times_ms) == {1.0}


def test_what_is_not_in_place_is_not_restored() -> None:
    session = run(plan("original", in_place=False), kernels={"original": {"counts": True}})
    assert list(session.runs[0].times_ms) == sorted(set(session.runs[0].times_ms))


def test_l2_is_flushed_before_each_timed_launch(tmp_path: Path) -> None:
    log = tmp_path / "log"
    session = run(plan("original"), log=str(log))
    assert session.batch == 1
    launched = [c[1] for c in calls(log) if c[0] == "launch"]
    places = [i for i, name in enumerate(launched) if name == "original"][1:]  # the first is the trial
    assert len(places) > QUICK.least_rounds
    assert all(launched[i - 2 : i] == ["kmutate_pause", "kmutate_flush"] for i in places)


def test_with_a_warm_l2_short_kernels_are_timed_in_batches(tmp_path: Path) -> None:
    log = tmp_path / "log"
    session = run(plan("original", "memory", "math"), replace(QUICK, l2="warm"), log=str(log),
                  kernels={"original": {"ms": 0.004}, "memory": {"ms": 0.010}, "math": {"ms": 0.5}})
    assert session.batch == 25 and [r.batch for r in session.runs] == [25, 10, 1]
    assert session.runs[0].times_ms == pytest.approx((0.004,) * session.rounds)
    launched = [c[1] for c in calls(log) if c[0] == "launch"]
    assert "kmutate_flush" not in launched
    batches = "|".join(launched).split("kmutate_pause")[-4:]
    # One that warms, and the batch.
    assert sorted(b.strip("|").count("|") + 1 for b in batches) == [2, 11, 26, 26]
    assert all(len(set(b.strip("|").split("|"))) == 1 for b in batches)


def test_with_a_warm_l2_long_kernels_are_timed_one_by_one() -> None:
    assert run(plan("original"), replace(QUICK, l2="warm"), kernels={"original": {"ms": 0.5}}).batch == 1


def test_a_launch_that_the_host_held_up_is_timed_again_after_a_longer_pause(tmp_path: Path) -> None:
    log = tmp_path / "log"
    session = run(plan("original"), log=str(log), late=5)
    assert session.stopped == "target"
    pauses = [c for c in calls(log) if c[:2] == ["launch", "kmutate_pause"]]
    flushes = [c for c in calls(log) if c[:2] == ["launch", "kmutate_flush"]]
    assert len(pauses) == len(flushes) == 2 * (session.rounds + 2) + 2


def test_symbols_are_set_from_the_declaration(tmp_path: Path) -> None:
    from plans import cubin, launch

    from mutate.timing import Run

    source = ('__constant__ float weights[4]; extern "C" __global__ void scale(float *out)'
              " { out[threadIdx.x] = weights[threadIdx.x & 3]; }")
    declaration = ("dim3 grid = { 1 }, block = { 32 }; float out[32]; __constant__ float weights[4] = { 1, 2, 3, 4 };"
                   " scale(out);")
    log = tmp_path / "log"
    what = Plan("symbols", launch(declaration), (Run("original", cubin(source, "scale"), "scale"),), ("out",))
    assert outcomes(run(what, log=str(log))) == {"original": RunOutcome.OK}
    assert ["symbol", "weights"] in calls(log)


def test_what_kernels_print_does_not_disturb() -> None:
    session = run(plan("original", "memory"), kernels={"memory": {"what": "print"}})
    assert set(outcomes(session).values()) == {RunOutcome.OK}


def test_clocks_are_read_before_and_after() -> None:
    before = {"sm_mhz": 1980, "memory_mhz": 3201, "temperature_c": 50, "throttle": []}
    after = {"sm_mhz": 1755, "memory_mhz": 3201, "temperature_c": 60, "throttle": ["SW power cap"]}
    clocks = run(plan("original"), clocks=[before, after]).clocks
    assert (clocks.sm_mhz_before, clocks.sm_mhz_after, clocks.memory_mhz) == (1980, 1755, 3201)
    assert clocks.throttle == ("SW power cap",) and clocks.temperature_c == 60
    nothing = run(plan("original")).clocks
    assert nothing.sm_mhz_before is None and nothing.throttle == ()


def test_one_process_serves_several_plans(tmp_path: Path) -> None:
    log = tmp_path / "log"
    seen: list[str] = []
    sessions = measure([plan("original", name="a"), plan("memory", name="b")], QUICK, lambda *_: None,
                       lambda s: seen.append(s.plan), driver=DRIVER, options={"log": str(log)})
    assert [s.plan for s in sessions] == seen == ["a", "b"]
    measure([plan("math")], QUICK, driver=DRIVER, options={"log": str(log)})
    assert len([c for c in calls(log) if c[0] == "process"]) == 1


def test_a_process_that_does_not_start_is_an_error_with_its_last_words() -> None:
    with pytest.raises(KmutateError) as error:
        run(plan("original"), broken="no such thing")
    assert error.value.slug == "gpu-process" and "no such thing" in str(error.value)


def test_the_driver_is_not_taken_from_the_environment() -> None:
    import mutate.backends.child

    assert "environ" not in Path(mutate.backends.child.__file__).read_text()


SCRIPT = """
    import signal, sys, threading, time, os
    sys.path[:0] = {paths!r}
    from plans import plan
    from mutate.backends.gpu import measure
    from mutate.timing import Settings
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    def progress(what, done, total):
        if "timing" in what and done == 3:
            {act}
    sessions = measure([plan("original", "memory", name="a"), plan("math", name="b")],
                       Settings(target=-1.0, most_rounds=100000, budget=30.0), progress,
                       driver="fake_driver:FakeDriver",
                       options={{"log": {log!r}, "kernels": {{"original": {{"sleep": 0.005}}}}}})
    print([(s.plan, s.stopped, [len(r.times_ms) for r in s.runs]) for s in sessions])
"""


def _script(act: str, log: Path) -> subprocess.Popen[str]:
    text = textwrap.dedent(SCRIPT).format(paths=[str(Path(__file__).parent), *sys.path], act=act, log=str(log))
    return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, start_new_session=True)


def test_an_interrupt_leaves_no_process_and_keeps_what_is_measured(tmp_path: Path) -> None:
    """Ctrl-C goes to the whole process group, the measuring process included."""
    log = tmp_path / "log"
    script = _script("os.killpg(0, signal.SIGINT)", log)
    out, _ = script.communicate(timeout=60)
    assert out.strip() == "[('a', 'interrupted', [3, 3])]", out
    assert all(ends(c[1]) for c in calls(log) if c[0] == "process")


def test_the_death_of_the_parent_ends_the_process(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = _script("os.kill(os.getpid(), signal.SIGKILL)", log)
    assert script.wait(timeout=60) == -signal.SIGKILL
    (pid,) = [c[1] for c in calls(log) if c[0] == "process"]
    assert ends(pid)


def test_the_death_of_the_parent_ends_a_process_that_hangs(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = _script("pass", log)
    script.kill()
    script.wait()
    text = textwrap.dedent(SCRIPT).replace('"sleep": 0.005', '"what": "hang"').format(
        paths=[str(Path(__file__).parent), *sys.path], act="pass", log=str(log))
    log.unlink(missing_ok=True)
    script = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while time.monotonic() < until and not (log.exists() and any(c[:2] == ["launch", "original"] for c in calls(log))):
        time.sleep(0.05)
    (pid,) = [c[1] for c in calls(log) if c[0] == "process"]
    os.kill(script.pid, signal.SIGKILL)
    script.wait()
    assert ends(pid)


def test_handles_of_the_simulators_objects_are_not_passed_on() -> None:
    declaration = DECLARATION.replace("original(out, in, n)", "original(out, texture2D(in, 32, 32), n)")
    session = run(plan("original", declaration=declaration))
    (only,) = session.runs
    assert only.outcome is RunOutcome.LAUNCH_FAILED
    assert "bench.cu" in only.message


@pytest.mark.parametrize(("count", "rank"), [(5, 0), (6, 1), (10, 2), (100, 40), (5000, 2431)])
def test_the_interval_of_a_median_for_any_number_of_rounds(count: int, rank: int) -> None:
    """Ranks of the binomial distribution (n, 1/2): k with P(X < k) <= 2.5 %, also where 2^n is no float."""
    times = [float(k) for k in range(1, count + 1)]
    expected = (count + 1 - 2 * rank) / 2 / median(times) if rank else float("inf")
    assert half_width(times) == pytest.approx(expected)
