"""Sweeps from a file to numbers: on the simulator, and on a GPU that gives the times it is told to give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from kernels import AGAIN, ALIVE, CHASE, WALK, analysis, launch, own, swept

from mutate.limiter.model import Limiter
from mutate.pipeline import analyze
from mutate.timing import Gpu, Plan, Roofs, RunOutcome, RunTimes, Session, Settings

GPU = Gpu("NVIDIA H200", (9, 0), "580", 132, uuid="GPU-test", l2_bytes=60 << 20, sm_mhz=1980)


def test_the_two_by_two_of_fermi_has_other_l1_hits(tmp_path: Path) -> None:
    sweep = swept(tmp_path, AGAIN, "cache", "c2050")
    found = {s.name: own(sweep, s.name).traffic for s in sweep.settings}
    assert set(found) == {"ca, 16 KB L1", "ca, 48 KB L1", "cg, 16 KB L1", "cg, 48 KB L1"}
    small, large, around = found["ca, 16 KB L1"], found["ca, 48 KB L1"], found["cg, 48 KB L1"]
    assert small is not None and large is not None and around is not None
    assert large.unit == 128 and large.l1_hit_rate == pytest.approx(0.5, abs=0.01)
    assert small.l1_hit_rate is not None and small.l1_hit_rate < 0.1
    assert around.l1_hit_rate is None
    assert large.l2_reads == pytest.approx(around.l2_reads / 2)
    assert large.l2_reads == pytest.approx(14 * 24 * 1024 / 32), "each block brings its 24 KB once"
    if not sweep.times:
        assert "no " in sweep.untimed and not sweep.best and "ca, 48 KB L1 has the least traffic" in sweep.summary


def test_warps_compete_for_l1(tmp_path: Path) -> None:
    sweep = swept(tmp_path, WALK, "cache", "c2050")
    small, large = own(sweep, "ca, 16 KB L1").traffic, own(sweep, "ca, 48 KB L1").traffic
    assert small is not None and large is not None and small.l1_hit_rate is not None
    assert large.l1_hit_rate == pytest.approx(31 / 32, abs=0.02), "the lines of all eight warps fit"
    assert small.l1_hit_rate < 0.3, "one warp's would fit, but all of them are under way"


def test_a_modern_gpu_sends_cg_loads_around_l1(tmp_path: Path) -> None:
    text = AGAIN.replace("const float *in", "float *in").replace("out[blockIdx", "in[0] = sum; out[blockIdx")
    sweep = swept(tmp_path, text, "cache")
    assert sweep.times == "simulated" and "H200" in sweep.where
    for s in sweep.settings:
        run = own(sweep, s.name)
        assert run.time is not None and run.traffic is not None and run.traffic.unit == 32
        assert (run.traffic.l1_hit_rate is None) == (s.group == "cg")
    cached, around = (next(own(sweep, s.name) for s in sweep.settings if s.group == g) for g in ("ca", "cg"))
    assert cached.traffic is not None and around.traffic is not None
    assert around.traffic.l2_reads > 1.5 * cached.traffic.l2_reads


def test_a_kernel_that_waits_gets_slower_with_fewer_blocks(tmp_path: Path) -> None:
    found = launch(analysis(tmp_path, CHASE, "occupancy"))
    (sweep,) = found.sweeps
    assert [s.value for s in sweep.settings] == list(range(1, len(sweep.settings) + 1))
    one, all_ = own(sweep, "1 block"), own(sweep, sweep.settings[-1].name)
    assert one.time is not None and all_.time is not None and one.gain is not None
    assert one.time.value > 2 * all_.time.value and one.gain.value == pytest.approx(all_.time.value / one.time.value)
    assert one.pad > 0 and all_.pad == 0 and one.warps == 4
    assert found.finding.full is not None and all_.time.value == found.finding.full.value, "the launch as it is"
    assert sweep.kernels[0] == "original" and "memory-only" in sweep.kernels


def test_caps_make_a_kernel_spill_and_slow(tmp_path: Path) -> None:
    sweep = swept(tmp_path, ALIVE, "registers")
    runs = [own(sweep, s.name) for s in sweep.settings]
    assert runs[0].spills == 0 and runs[0].traffic is not None and runs[0].traffic.local_of_l2 == 0
    tight = next(r for r in runs if r.registers == 32)
    assert tight.spills > 100 and tight.local_accesses > 20 and tight.blocks > runs[0].blocks
    assert tight.traffic is not None and tight.traffic.local_of_l2 > 0.9 and tight.traffic.local_of_instructions > 0.3
    assert tight.gain is not None and tight.gain.value < 0.7
    assert not sweep.best and "leave the registers to the compiler" in sweep.next_step
    assert any("spills" in e and "hurt" in e for e in sweep.evidence)


def test_launch_bounds_are_taken_away_for_caps(tmp_path: Path) -> None:
    bound = swept(tmp_path, ALIVE, "registers", bounds="__launch_bounds__(256, 8)")
    assert bound.current is not None and own(bound, "as it is").registers == 32
    assert own(bound, "no cap").spills == 0 and bound.best == "no cap"
    assert bound.next_step == "set it: without its __launch_bounds__"
    assert {own(bound, s.name).registers for s in bound.settings} >= {32, 40, 48}


def test_the_cap_that_was_asked_for_is_the_launch_as_it_is(tmp_path: Path) -> None:
    sweep = swept(tmp_path, ALIVE, "registers", cap=32)
    assert sweep.current is not None and sweep.current.name == "cap 32"
    assert sweep.best == "no cap" and "nvcc without -maxrregcount" in sweep.next_step
    assert any("without spills (no cap" in e for e in sweep.evidence)


def test_a_machine_without_an_l1_has_no_cache_sweep(tmp_path: Path) -> None:
    sweep = swept(tmp_path, AGAIN, "cache", "gtx280")
    assert not sweep.settings and "no L1" in sweep.summary


# --- on a GPU ---


class _FakeGpu:
    """Times by a rule over what is launched; keeps the plans."""

    def __init__(self, *, fails: str = "", stops: str = "target") -> None:
        self.plans: list[Plan] = []
        self.fails = fails
        self.stops = stops

    def measure(self, plans: Sequence[Plan], settings: Settings, progress: object = None) -> list[Session]:
        self.plans += plans
        out = []
        for p in plans:
            runs = []
            for r in p.runs:
                blocks = r.expected_blocks or 1
                times = tuple((1.0 + 1.0 / blocks) * (1 + 0.0005 * (k % 3)) for k in range(15))
                bad = bool(self.fails) and self.fails in r.name
                runs.append(RunTimes(r.name, RunOutcome.TIMEOUT if bad else RunOutcome.OK, () if bad else times,
                                     "it took too long" if bad else "", r.expected_blocks))
            stopped = self.stops if "registers sweep" in p.name else "target"
            out.append(Session(p.name, GPU, settings, tuple(runs), (0.002,) * 15, 15, stopped=stopped))
        return out


def _on_gpu(monkeypatch: pytest.MonkeyPatch, fake: _FakeGpu) -> None:
    monkeypatch.setattr(analyze, "find_gpu", lambda device: GPU)
    monkeypatch.setattr(analyze, "measure", fake.measure)
    monkeypatch.setattr(analyze, "prestart", lambda device: None)
    monkeypatch.setattr(analyze, "load_roofs", lambda gpu: Roofs(GPU, 4000, 4500, 4600, 65000, 2.8, 1.3))


def test_on_a_gpu_all_settings_are_measured_in_one_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = _FakeGpu()
    _on_gpu(monkeypatch, fake)
    found = launch(analysis(tmp_path, CHASE, "occupancy", backend="auto"))
    (sweep,) = found.sweeps
    plan = next(p for p in fake.plans if p.name.endswith("occupancy sweep"))
    assert plan.runs[0].name == "original" and "out" in plan.written
    assert len({r.name for r in plan.runs}) == len(plan.runs) == sum(len(s.runs) for s in sweep.settings)
    smem = {r.expected_blocks: r.dynamic_smem for r in plan.runs if r.name.startswith("original")}
    assert sorted(smem.values(), reverse=True) == [smem[k] for k in sorted(smem, key=lambda b: b or 0)]
    assert sweep.times == "measured" and sweep.where == "NVIDIA H200"
    one = own(sweep, "1 block")
    assert one.time is not None and one.time.low < one.time.high and one.blocks == 1


def test_cg_is_what_the_gpu_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = _FakeGpu()
    _on_gpu(monkeypatch, fake)
    text = AGAIN.replace("const float *in", "float *in").replace("out[blockIdx", "in[0] = sum; out[blockIdx")
    (sweep,) = launch(analysis(tmp_path, text, "cache", backend="auto")).sweeps
    plan = next(p for p in fake.plans if p.name.endswith("cache sweep"))
    by_name = {r.name: r for r in plan.runs}
    cg = {r.cubin for name, r in by_name.items() if name.startswith("original, cg")}
    ca = {r.cubin for name, r in by_name.items() if name == "original" or name.startswith("original, ca")}
    assert len(cg) == len(ca) == 1 and cg != ca
    assert len({r.carveout_percent for name, r in by_name.items() if name.startswith("original, cg")}) > 2
    assert all(own(sweep, s.name).traffic is not None for s in sweep.settings), "counters are the simulator's"


def test_a_setting_that_fails_says_why_and_the_others_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _on_gpu(monkeypatch, _FakeGpu(fails="cap 32"))
    (sweep,) = launch(analysis(tmp_path, ALIVE, "registers", backend="auto")).sweeps
    assert own(sweep, "cap 32").time is None and own(sweep, "cap 32").why == "it took too long"
    assert own(sweep, "cap 40").time is not None and sweep.times == "measured"


def test_an_interrupt_keeps_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _on_gpu(monkeypatch, _FakeGpu(stops="interrupted"))
    found = analysis(tmp_path, ALIVE, "registers", backend="auto")
    assert found.interrupted and launch(found).finding.limiter is Limiter.BALANCED and not launch(found).sweeps
