"""The whole way of ``kmutate analyze``, with a GPU that gives the times it is told to give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mutate.analyzed import Analysis, AnalyzeRequest
from mutate.errors import KmutateError
from mutate.limiter.model import Limiter
from mutate.model import Verdict
from mutate.pipeline import analyze
from mutate.report import figures
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.timing import Clocks, Gpu, Plan, Roofs, Run, RunOutcome, RunTimes, Session, Settings

GPU = Gpu("NVIDIA H200", (9, 0), "580", 132, uuid="GPU-test", l2_bytes=60 << 20, sm_mhz=1980)
ROOFS = Roofs(GPU, 4000, 4500, 4600, 65000, 2.8, 1.3, {8: 2000.0, 64: 4000.0})
FD3D = {"original": 1.0, "identity": 1.0, "memory-only": 0.75, "math-only": 0.43, "no-sync": 0.87}


class FakeGpu:
    """Stands for ``find_gpu`` and ``measure``: constant times by run, and what was asked for."""

    def __init__(self, times: Mapping[str, float], outcomes: Mapping[str, RunOutcome] | None = None,
                 change: Callable[[Session], Session] = lambda s: s) -> None:
        self.times = times
        self.outcomes = outcomes or {}
        self.change = change
        self.plans: list[Plan] = []

    def _run(self, run: Run) -> RunTimes:
        outcome = self.outcomes.get(run.name, RunOutcome.OK)
        base = self.times.get(run.name, 0.9)
        times = tuple(base * (1 + 0.001 * (k % 3)) for k in range(15)) if outcome is RunOutcome.OK else ()
        return RunTimes(run.name, outcome, times, "" if times else f"{run.name} failed", run.expected_blocks)

    def measure(self, plans: Sequence[Plan], settings: Settings, progress: object = None) -> list[Session]:
        self.plans += plans
        return [self.change(Session(p.name, GPU, settings, tuple(map(self._run, p.runs)), (0.002,) * 15, 15))
                for p in plans]


@pytest.fixture
def on_gpu(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeGpu], None]:
    def install(fake: FakeGpu) -> None:
        monkeypatch.setattr(analyze, "find_gpu", lambda device: GPU)
        monkeypatch.setattr(analyze, "measure", fake.measure)
        monkeypatch.setattr(analyze, "prestart", lambda device: None)
        monkeypatch.setattr(analyze, "load_roofs", lambda gpu: ROOFS)

    return install


def _request(sample: str, *kernels: str, **settings: str) -> AnalyzeRequest:
    source = Request(samples_dir() / f"{sample}.cu", kernels=kernels, arch="", settings=settings)
    return AnalyzeRequest(source, "auto")


def _fd3d() -> AnalyzeRequest:
    # Warps of boundary rows skip the arithmetic in math-only, and none of the blocks that are run here has any.
    return _request("fd3d", "fd3d", nz="256")


def _only(analysis: Analysis) -> analyze.LaunchAnalysis:
    (kernel,) = analysis.kernels
    assert kernel.error is None
    (launch,) = kernel.launches
    return launch


def test_times_become_a_verdict_with_evidence(on_gpu: Callable[[FakeGpu], None]) -> None:
    on_gpu(FakeGpu(FD3D))
    analysis = analyze.run_analysis(_fd3d())
    assert analysis.backend == "gpu" and analysis.request.source.arch == "sm_90"
    assert analysis.machine is not None and analysis.machine.name == "h200"
    launch = _only(analysis)
    assert launch.finding.limiter is Limiter.LATENCY
    causes = {c.slug: c for c in launch.finding.causes}
    payoff = causes["barriers"].payoff
    assert payoff is not None and payoff.gain.value == pytest.approx(1 / 0.87, rel=0.01)
    assert launch.facts.instructions and launch.facts.requested_bytes
    assert launch.counts is not None and launch.counts.lines
    assert launch.noise is not None and launch.noise.value == pytest.approx(1, abs=0.01)


def test_what_is_timed_is_what_was_certified(on_gpu: Callable[[FakeGpu], None]) -> None:
    fake = FakeGpu(FD3D)
    on_gpu(fake)
    launch = _only(analyze.run_analysis(_fd3d()))
    plan = fake.plans[0]
    names = [r.name for r in plan.runs]
    assert names[0] == "original" and "memory-only" in names
    for run in plan.runs[1:]:
        variant = next(v for v in launch.variants if v.name == run.name)
        assert variant.certificate is not None and variant.certificate.verdict != "INVALID"
        occupancy = variant.certificate.occupancy
        assert occupancy is not None
        assert run.dynamic_smem == occupancy.dynamic_smem
        assert run.carveout_percent == occupancy.carveout_percent
    assert plan.written == ("out",) and plan.in_place


def test_the_original_is_also_timed_with_fewer_blocks(on_gpu: Callable[[FakeGpu], None]) -> None:
    fake = FakeGpu({**FD3D, "original@1": 5.0, "original@5": 1.2})
    on_gpu(fake)
    launch = _only(analyze.run_analysis(_fd3d()))
    values = [p.value for p in launch.occupancy]
    assert values == sorted(values) and values[0] == 1 and values[-1] == 6
    assert any(c.slug == "occupancy" for c in launch.finding.causes)


def test_a_small_grid_is_repeated(on_gpu: Callable[[FakeGpu], None]) -> None:
    fake = FakeGpu({**FD3D, "original x2": 1.01, "original x4": 1.05})
    on_gpu(fake)
    launch = _only(analyze.run_analysis(_fd3d()))
    assert [p.value for p in launch.grids] == [1, 2, 4]
    cause = next(c for c in launch.finding.causes if c.slug == "too-few-blocks")
    assert cause.payoff is not None and cause.payoff.gain.value == pytest.approx(4 / 1.05, rel=0.01)


def test_a_variant_that_fails_is_reported_and_not_used(on_gpu: Callable[[FakeGpu], None]) -> None:
    on_gpu(FakeGpu(FD3D, {"no-sync": RunOutcome.TIMEOUT, "math-only": RunOutcome.ILLEGAL_ACCESS}))
    launch = _only(analyze.run_analysis(_fd3d()))
    assert launch.finding.limiter is Limiter.UNKNOWN
    assert "math-only failed" in launch.finding.summary
    by_name = {v.name: v.time for v in launch.variants}
    timeout = by_name["no-sync"]
    assert timeout is not None and timeout.outcome == "timeout" and not timeout.usable


def test_roofs_are_measured_once_where_nobody_has(on_gpu: Callable[[FakeGpu], None], monkeypatch: pytest.MonkeyPatch
                                                  ) -> None:
    on_gpu(FakeGpu(FD3D))
    kept: list[Roofs] = []
    monkeypatch.setattr(analyze, "load_roofs", lambda gpu: kept[0] if kept else None)
    monkeypatch.setattr(analyze, "measure_roofs", lambda *_, **__: ROOFS)
    monkeypatch.setattr(analyze, "save_roofs", kept.append)
    assert analyze.run_analysis(_fd3d()).roofs == ROOFS and kept == [ROOFS]
    monkeypatch.setattr(analyze, "measure_roofs", None)
    facts = _only(analyze.run_analysis(_fd3d())).facts
    assert facts.copy_gbs == 4000 and facts.sources["copy_gbs"] == "measured"
    assert facts.copy_gbs_here is not None and 2000 < facts.copy_gbs_here < 4000


def test_throttling_and_a_spent_budget_speak_against_the_verdict(on_gpu: Callable[[FakeGpu], None]) -> None:
    def change(s: Session) -> Session:
        return replace(s, stopped="budget", clocks=Clocks(1980, 1500, throttle=("SW power cap",)))

    on_gpu(FakeGpu(FD3D, change=change))
    against = " ".join(_only(analyze.run_analysis(_fd3d())).finding.against)
    assert "SW power cap" in against and "1500 MHz" in against and "budget" in against


def test_all_launches_of_a_kernel_are_analyzed(on_gpu: Callable[[FakeGpu], None]) -> None:
    fake = FakeGpu({})
    on_gpu(fake)
    analysis = analyze.run_analysis(_request("matmul", "matmul_naive", n="256"))
    (kernel,) = analysis.kernels
    assert [la.launch.block for la in kernel.launches] == [(128, 1, 1), (1, 128, 1)]
    assert all(la.session is not None and la.counts is not None for la in kernel.launches)


def test_on_the_simulator_times_are_simulated_and_that_is_said() -> None:
    analysis = analyze.run_analysis(replace(_fd3d(), backend="sim", machine="h200"))
    launch = _only(analysis)
    assert launch.session is None and not launch.untimed
    assert figures.source_of_times(analysis, launch) == "simulated"
    assert figures.backend_words(analysis, launch).startswith("simulated on NVIDIA H200")
    assert any("simulated" in words for words in launch.finding.against)
    full = launch.finding.full
    assert full is not None and full.low < 0.9 * full.value and full.high > 1.1 * full.value
    assert all(p.kind in ("simulated", "estimated") for p in launch.finding.payoffs)
    assert launch.noise is None
    held = [v.time for v in launch.variants if v.time is not None and v.time.usable]
    assert held and all(t.resident_blocks == t.expected_blocks for t in held if t.verdict is Verdict.VALID)


def test_a_machine_of_which_too_little_is_known_gives_no_times_and_that_is_said(little_known: str) -> None:
    request = replace(_fd3d(), backend="sim", machine=little_known)
    analysis = analyze.run_analysis(request)
    launch = _only(analysis)
    assert analysis.request.source.arch == "sm_80"
    assert launch.session is None and "which times need" in launch.untimed
    assert launch.finding.limiter is Limiter.UNKNOWN
    assert launch.counts is not None and launch.facts.moved_bytes


def test_without_a_gpu_that_was_asked_for_nothing_is_pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    from mutate.backends.gpu import NoGpu

    monkeypatch.setattr(analyze, "find_gpu", lambda device: NoGpu("no driver", "install one"))
    with pytest.raises(KmutateError) as caught:
        analyze.run_analysis(replace(_fd3d(), backend="gpu"))
    assert caught.value.slug == "no-gpu" and "no driver" in str(caught.value)
    analysis = analyze.run_analysis(_fd3d())
    assert figures.source_of_times(analysis, _only(analysis)) == "simulated"
    assert any("no driver" in words for words in analysis.warnings)


def test_a_kernel_without_a_launch_cannot_be_analyzed(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("__global__ void k(float *p) { p[threadIdx.x] = 1; }\n")
    with pytest.raises(KmutateError) as caught:
        analyze.run_analysis(AnalyzeRequest(Request(file, arch=""), "sim"))
    assert caught.value.slug == "no-launch"


def test_a_kernel_that_fails_on_the_simulator_is_still_timed(on_gpu: Callable[[FakeGpu], None], tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("""/* kmutate launch
       int n = 1024; dim3 grid = { 8 }; dim3 block = { 128 };
       float p[n] = zeros();
       k(p, n);
    */
    __global__ void k(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; p[i + 100] += 1; }
    """)
    on_gpu(FakeGpu({}))
    launch = _only(analyze.run_analysis(AnalyzeRequest(Request(file, arch=""))))
    assert launch.counts is None and launch.counts_error is not None
    assert launch.session is not None and launch.facts.requested_bytes is None


def test_after_ctrl_c_what_is_known_is_reported(on_gpu: Callable[[FakeGpu], None], monkeypatch: pytest.MonkeyPatch
                                                ) -> None:
    def cut(s: Session) -> Session:
        return replace(s, stopped="interrupted")

    on_gpu(FakeGpu(FD3D, change=cut))
    analysis = analyze.run_analysis(_fd3d())
    launch = _only(analysis)
    assert analysis.interrupted and launch.finding.limiter is Limiter.LATENCY
    assert "measuring was interrupted" in launch.finding.against

    def at_once(*_: object) -> list[Session]:
        raise KeyboardInterrupt

    monkeypatch.setattr(analyze, "measure", at_once)
    analysis = analyze.run_analysis(_fd3d())
    launch = _only(analysis)
    assert analysis.interrupted and "interrupted" in launch.untimed
    assert launch.counts is not None and launch.finding.limiter is Limiter.UNKNOWN
    assert "run it again" in launch.finding.next_step and "GPU" not in launch.finding.next_step


@pytest.mark.parametrize(("outcome", "says"), [
    (RunOutcome.TIMEOUT, "--limit"), (RunOutcome.ILLEGAL_ACCESS, "kmutate simulate"), (RunOutcome.SKIPPED, "--budget"),
    (RunOutcome.OUT_OF_MEMORY, "less data")])
def test_the_next_step_after_a_launch_that_has_no_time(outcome: RunOutcome, says: str,
                                                       on_gpu: Callable[[FakeGpu], None]) -> None:
    on_gpu(FakeGpu(FD3D, {"original": outcome}))
    finding = _only(analyze.run_analysis(_fd3d())).finding
    assert finding.limiter is Limiter.UNKNOWN and says in finding.next_step
    assert "on a GPU" not in finding.next_step, "it ran on one"


def test_the_next_step_where_the_machine_says_too_little(little_known: str) -> None:
    source = Request(samples_dir() / "increment.cu", kernels=("increment1",), arch="")
    finding = _only(analyze.run_analysis(AnalyzeRequest(source, "sim", little_known))).finding
    assert finding.limiter is Limiter.UNKNOWN and "kmutate analyze --backend gpu" in finding.next_step


def test_what_a_verdict_needs_is_made_beside_what_was_asked_for_and_the_original_timed_where_that_is_refused(
        on_gpu: Callable[[FakeGpu], None]) -> None:
    fake = FakeGpu(FD3D)
    on_gpu(fake)
    request = _request("increment", "increment1")
    found = analyze.run_analysis(replace(request, source=replace(request.source, mutations=("no-sync",))))
    (launch,) = found.kernels[0].launches
    assert [v.name for v in launch.variants] == ["no-sync", "memory-only", "math-only"]
    assert launch.finding.limiter is not Limiter.UNKNOWN
    assert [r.name for r in fake.plans[0].runs] == ["original", "memory-only", "math-only"]


def test_a_kernel_of_which_no_variant_could_be_made_is_simulated_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "empty.cu"
    path.write_text("/* kmutate launch\n dim3 grid = { 256 }; dim3 block = { 64 }; k();\n*/\n"
                    "__global__ void k() { __nanosleep(200); }\n")
    source = Request(path, arch="sm_90", mutations=("no-sync",))
    found = analyze.run_analysis(AnalyzeRequest(source, "sim", "h200", sweep=False, counters=False))
    (launch,) = found.kernels[0].launches
    assert not launch.untimed


def test_where_the_simulator_stops_it_says_what_to_mend(tmp_path: Path) -> None:
    path = tmp_path / "beyond.cu"
    path.write_text("/* kmutate launch\n dim3 grid = { 2 }; dim3 block = { 64 }; float out[64] = zeros(); k(out);\n*/\n"
                    "__global__ void k(float *out) { out[blockIdx.x * 64 + threadIdx.x] = 1; }\n")
    source = Request(path, arch="sm_90")
    found = analyze.run_analysis(AnalyzeRequest(source, "sim", "h200", sweep=False, counters=False))
    (launch,) = found.kernels[0].launches
    assert "out[64] is outside its 64 elements" in launch.untimed
    assert "declaration" in launch.finding.next_step


def test_a_defect_of_the_model_takes_one_kernel_and_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mutate.sim.timing import model

    path = tmp_path / "two.cu"
    path.write_text("\n".join("/* kmutate launch\n dim3 grid = { 32 }; dim3 block = { 64 }; float y[2048] = zeros(); "
                              f"{k}(y);\n*/\n__global__ void {k}(float *y) {{ y[blockIdx.x * 64 + threadIdx.x] = 1; }}"
                              for k in ("first", "second")))
    inner, asked = model.predict, []

    def fails_once(*given: object, **named: object) -> object:
        asked.append(given)
        return 1 // (len(asked) > 1) and inner(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(model, "predict", fails_once)
    source = Request(path, arch="sm_90", mutations=("store-only",))
    found = analyze.run_analysis(AnalyzeRequest(source, "sim", "h200", sweep=False, counters=False))
    (first,), (second,) = (k.launches for k in found.kernels)
    assert "a defect of kmutate (ZeroDivisionError at test_analyze_pipeline.py:" in first.untimed
    assert "report" in first.finding.next_step
    assert not second.untimed
