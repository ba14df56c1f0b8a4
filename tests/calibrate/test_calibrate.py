"""From launches to a machine file, with a driver that pretends; and what becomes of launches that fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from calibrate_driver import CLOCKS, MHZ
from click.testing import CliRunner
from fake_driver import GPU

from mutate.backends import process
from mutate.backends.libcuda import from_message
from mutate.calibrate import PROBES, STEPS, constants, launches, machine_text, memory_bytes, read_recording
from mutate.calibrate.launches import OUT_BYTES, Launch
from mutate.calibrate.records import summarized
from mutate.calibrate.write import unit_of
from mutate.cli.main import cli
from mutate.errors import KmutateError
from mutate.machines import all_machines, load_machine, schema
from mutate.pipeline.calibrate import Calibration, calibrate
from mutate.timing import Gpu
from mutate.toolchain.locate import find_toolchain

DRIVER = "calibrate_driver:CalibrateDriver"
FRAME = 96
GIVES = {"clock_rate": [MHZ, 1000], "nothing_1": [FRAME], "nothing_8": [FRAME],
         "lines_of_l2": [4000] * 4 + [6400] * 4}
MEMORY = 1 << 26
needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


def gpu(**changes: object) -> Gpu:
    return from_message({**GPU, "memory_bytes": MEMORY, **changes})


def measured(base: str | None = None, name: str | None = None, facts: dict[str, object] | None = None,
             **options: object) -> Calibration:
    facts = {"memory_bytes": MEMORY, **(facts or {})}
    return calibrate("kmutate calibrate", base=base, name=name, gpu=gpu(**facts), driver=DRIVER,
                     options={"gives": GIVES, "gpu": facts, **options})


@pytest.fixture(scope="module")
def done() -> Iterator[Calibration]:
    yield measured()
    process.close_all()


@needs_nvrtc
def test_values_follow_from_what_the_launches_gave(done: Calibration) -> None:
    found = {c.key: c.value for c in done.constants}
    assert found["clock.measured"] == MHZ
    assert found["dependent.ffma"] == pytest.approx((CLOCKS - FRAME) / STEPS, rel=1e-3)
    # 32 warps on four schedulers: eight warps' steps took that long.
    assert found["interval.ffma"] == pytest.approx((CLOCKS - FRAME) / STEPS / 8, rel=1e-3)
    assert found["latency.shared"] == CLOCKS / 256
    assert found["latency.l1"] == 1.0  # 4096 loads
    assert found["l2.sm_read"] == pytest.approx(4 * 256 * 1024 * 16 / CLOCKS, rel=1e-3)
    assert found["barrier.by_warps"] == tuple((w, CLOCKS / 64) for w in (1, 2, 4, 8, 16, 32))
    assert found["launch.by_events"] == 1000
    # 16 loads of a line took 4000 or 6400 clocks.
    assert (found["latency.l2_near"], found["latency.l2_far"]) == (250, 400)
    # Streams take as long as an empty kernel here: nothing is left to divide by, and nothing is invented.
    assert not [k for k in found if k.startswith("dram.read")]
    assert "latency.dram" in found and not done.recording.failed


@needs_nvrtc
def test_the_file_is_a_machine(done: Calibration, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(done.text, encoding="utf-8")
    machine = load_machine(path)
    assert (machine.name, machine.title, machine.arch, machine.calibrated) == ("fake", "Fake", "sm_90", True)
    for constant in done.constants:
        quantity = machine[constant.key]
        assert quantity.value == constant.value and quantity.unit == unit_of(constant.key)
        assert quantity.source.kind == "measured"
        for word in ("kmutate calibrate", "Fake", "driver 1.0", done.recording.date):
            assert word in quantity.source.text
    assert machine.number("sm.count") == 2 and machine["sm.count"].source.kind == "measured"
    assert machine["sm.warps_per_sm"].source.kind == "published"
    assert machine.get("dram.peak_bandwidth") is None, "nobody knows it"
    # What a simulation cannot do without, and all GPUs of our files have alike.
    for key, value in (("sm.schedulers", 4), ("shared.banks", 32), ("l1.sector", 32), ("shared.rules", "volta")):
        assert machine[key].value == value and machine[key].source.kind == "guess"


@needs_nvrtc
def test_a_base_fills_up_as_a_guess(done: Calibration, tmp_path: Path) -> None:
    h100 = load_machine("h100")
    path = tmp_path / "mine.toml"
    path.write_text(machine_text(done.recording, done.constants, h100, "mine"), encoding="utf-8")
    machine = load_machine(path)
    assert machine["dram.peak_bandwidth"].value == h100["dram.peak_bandwidth"].value
    assert machine["dram.peak_bandwidth"].source.kind == "guess"
    assert h100.title in machine["dram.peak_bandwidth"].source.text
    assert machine["latency.l1"].source.kind == "measured" and machine.number("latency.l1") == 1.0
    assert machine.number("sm.count") == 2, "the driver knows better than another GPU's file"


@needs_nvrtc
def test_the_same_kind_of_gpu_keeps_its_sources(tmp_path: Path) -> None:
    found = measured(facts={"name": "NVIDIA H200"})
    assert found.base is not None and found.base.name == "h200" and found.name == "h200-measured"
    path = tmp_path / "mine.toml"
    path.write_text(found.text, encoding="utf-8")
    machine = load_machine(path)
    assert machine["dram.peak_bandwidth"] == load_machine("h200")["dram.peak_bandwidth"]
    process.close_all()


@needs_nvrtc
def test_launches_that_fail_are_left_out_and_named() -> None:
    found = measured(fault="chase_l1", refuse="barriers")
    keys = {c.key for c in found.constants}
    assert {"latency.l1", "barrier.by_warps"}.isdisjoint(keys)
    assert {"latency.l2", "dependent.ffma", "interval.shfl"} <= keys, "a new process went on"
    assert "l1" in found.recording.failed and "barriers 8" in found.recording.failed
    assert "calibrated = false" in found.text
    process.close_all()


@needs_nvrtc
def test_when_nothing_runs_it_is_an_error() -> None:
    with pytest.raises(KmutateError) as error:
        measured(refuse="scramble")
    assert error.value.slug == "calibrate-failed" and "refused" in str(error.value)
    process.close_all()


@needs_nvrtc
def test_what_was_kept_gives_the_same_file(done: Calibration, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text(done.recording.text(), encoding="utf-8")
    assert json.loads(kept.read_text())["gpu"]["uuid"] == ""
    path = tmp_path / "mine.toml"
    ran = CliRunner().invoke(cli, ["calibrate", "--from", str(kept), "-o", str(path)])
    assert ran.exit_code == 0 and path.read_text(encoding="utf-8") == done.text
    assert f"{len(done.constants)} values measured on Fake" in ran.output
    named = CliRunner().invoke(cli, ["calibrate", "--from", str(kept), "-o", str(path), "--name", "mine",
                                     "--base", "l4"])
    assert named.exit_code == 0 and load_machine(path).name == "mine"


def test_mistakes_of_the_user(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    for arguments, slug in ((["--from", str(bad)], "calibration-bad"),
                            (["--from", str(tmp_path / "no")], "not-readable"),
                            (["--name", "My GPU"], "machine-name"), (["--base", "rtx490"], "machine-unknown")):
        ran = CliRunner().invoke(cli, ["calibrate", *arguments, "-o", str(tmp_path / "x.toml")])
        assert isinstance(ran.exception, KmutateError) and ran.exception.slug == slug
        assert not (tmp_path / "x.toml").exists()


@pytest.mark.parametrize("facts", [
    {}, {"sm_count": 132, "memory_bytes": 150109880320, "l2_bytes": 62914560},
    {"sm_count": 24, "memory_bytes": 6 << 30, "l2_bytes": 2 << 20, "capability": [7, 5]},
    {"sm_count": 188, "memory_bytes": 96 << 30, "l2_bytes": 128 << 20, "capability": [12, 0]}], ids=str)
def test_launches_stay_within_their_memory(facts: dict[str, object]) -> None:
    this = gpu(**facts)
    size = memory_bytes(this)
    assert size <= this.memory_bytes / 8
    all_ = launches(this)
    assert len({x.name for x in all_}) == len(all_)
    for x in all_:
        assert 8 * x.reads <= OUT_BYTES, x.name
        width = int(x.kernel.split("_")[1]) if x.kernel.split("_")[0] in ("read", "copy", "write") else 16
        if x.cold and not x.kernel.startswith("mix"):
            assert 0 < x.n * width <= size // 2, x.name
            assert x.n % (x.grid * x.threads) == 0, "no thread has a remainder"
        elif x.kernel == "chain":
            assert x.n * x.a <= size and x.n & (x.n - 1) == 0, x.name
        elif x.kernel.startswith("mix"):
            assert 3 * x.a + x.n * 16 <= size
        elif x.kernel == "flush":
            assert x.a + x.n <= size
        elif x.kernel.startswith("window"):
            assert x.a <= min(size, this.l2_bytes)


def test_near_and_far_only_where_there_are_two_groups() -> None:
    from mutate.calibrate.constants import _two_groups

    assert _two_groups([(200, 50), (201, 50), (260, 40), (262, 60)]) == (200.5, pytest.approx(261.2))
    assert _two_groups([(200 + i, 10) for i in range(40)]) is None
    assert _two_groups([(200, 100), (900, 1)]) is None, "a straggler is no part of L2"
    assert _two_groups([(200, 5)]) is None and _two_groups([]) is None


def test_long_results_are_summarized() -> None:
    lines = Launch("x", "lines_of_l2", n=2, reads=6)
    assert summarized(lines, (7, 300, 310, 8, 300, 320)) == [[300, 2], [310, 1], [320, 1]]
    turns = Launch("x", "blocks_in_turn")
    assert summarized(turns, (0, 100, 200, 1, 90, 210, 0, 250, 300)) == [50]


def test_every_probe_has_its_keys() -> None:
    sections = schema()["properties"]
    for section in ("dependent", "alone", "interval"):
        names = {p.name for p in PROBES if p.chain or section != "dependent"}
        assert names == set(sections[section]["properties"]) - {"loop_turn"}


def test_the_reference_gives_keys_of_the_schema() -> None:
    path = Path(__file__).parent.parent / "machines" / "reference" / "h200_calibration.json"
    found = constants(read_recording(path))
    assert len(found) > 150 and all(unit_of(c.key) is not None for c in found)
    assert all(m.file for m in all_machines())
