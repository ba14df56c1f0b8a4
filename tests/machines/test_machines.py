"""Machine files: all of ours fit the schema and agree with what else is known; mistakes in a user's are shown."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import jsonschema
import pytest
from add_calibration import REFERENCE, files

from mutate.calibrate import constants, read_recording
from mutate.errors import KmutateError
from mutate.machines import Machine, all_machines, load_machine, machine_names, schema
from mutate.occupancy import Device, device_for
from mutate.sim.timing.constants import WRITE_BYTES

DATA = Path(load_machine("h200").file).parent
FILES = sorted(DATA.glob("*.toml"))
NAMES = {"h100", "h200", "a100", "t4", "l4", "rtx4090", "c2050", "gtx280"}


def test_all_wanted_machines_are_there() -> None:
    assert set(machine_names()) == NAMES
    assert {p.stem for p in FILES} == NAMES
    assert len({a for m in all_machines() for a in (m.name, m.title, *m.aliases)}) == sum(
        2 + len(m.aliases) for m in all_machines()), "a name means one machine"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_our_files_are_of_the_schema(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(document, schema(), cls=jsonschema.Draft202012Validator)
    assert document["name"] == path.stem
    used = {e["source"] for s, entries in document.items() if s != "sources" and isinstance(entries, dict)
            for e in entries.values()}
    assert used == set(document["sources"]), "every source is used, every value has one"
    assert load_machine(path).quantities == load_machine(path.stem).quantities


@pytest.mark.parametrize("machine", all_machines(), ids=lambda m: m.name)
def test_values_that_a_simulation_cannot_do_without_are_known(machine: Machine) -> None:
    for key in ("clock.boost", "sm.count", "sm.schedulers", "sm.issue_per_scheduler", "sm.warps_per_sm", "shared.banks",
                "shared.bank_width", "dram.peak_bandwidth", "dram.size", "issue.fp32", "issue.fp64", "issue.sfu",
                "latency.shared"):
        if (machine.name, key) != ("c2050", "latency.shared"):
            assert machine.number(key) > 0, key
    assert machine["shared.rules"].value == {1: "tesla", 2: "fermi"}.get(machine.capability[0], "volta")
    assert machine.projection == (machine.capability < (7, 5))
    assert bool(machine.note) or not machine.projection
    assert machine.calibrated == (machine.name in {"h100", "h200"}), "no others were there"


@pytest.mark.parametrize("machine", all_machines(), ids=lambda m: m.name)
def test_occupancy_facts_are_those_of_the_occupancy_calculator(machine: Machine) -> None:
    """The same limits are in mutate/occupancy/data, from which padding is computed."""
    device = device_for(machine.capability)
    same = [key for key in machine.quantities if hasattr(Device, key.split(".")[1])
            or key.split(".")[1] in Device.__dataclass_fields__]
    assert len(same) == 12
    for key in same:
        assert machine[key].value == getattr(device, key.split(".")[1]), key


@pytest.mark.parametrize("machine", all_machines(), ids=lambda m: m.name)
def test_peaks_follow_from_rates_and_clocks(machine: Machine) -> None:
    """Documents round, and the GTX 280's FP32 peak counts a multiply beside the multiply-add."""
    per_clock = machine.number("sm.count") * machine.number("clock.boost") * 2 / 1e3
    if machine.name != "gtx280":
        assert machine.number("peak.fp32") == pytest.approx(machine.number("issue.fp32") * per_clock, rel=0.01)
    if machine.get("peak.fp64"):
        assert machine.number("peak.fp64") == pytest.approx(machine.number("issue.fp64") * per_clock, rel=0.02)


@pytest.mark.parametrize("machine", all_machines(), ids=lambda m: m.name)
def test_reached_bandwidths_are_below_the_theoretical(machine: Machine) -> None:
    peak = machine.number("dram.peak_bandwidth")
    for key in ("read_bandwidth", "write_bandwidth", "copy_bandwidth", "ecc_bandwidth"):
        if machine.get(f"dram.{key}"):
            assert 0.5 * peak < machine.number(f"dram.{key}") < peak, key


def test_measured_values_are_the_recorded_ones() -> None:
    lines = (REFERENCE / "h200_rates.csv").read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    recorded = {r["name"]: float(r["value"]) for r in rows}
    h200 = load_machine("h200")
    for key, name, scale in (
            ("sm.count", "sms", 1), ("clock.boost", "clock", 1), ("clock.memory", "memory_clock", 1),
            ("dram.bus_width", "bus_width", 1), ("l2.size", "l2_size", 1 / 1024),
            ("dram.read_bandwidth", "dram_read", 1), ("dram.write_bandwidth", "dram_write", 1),
            ("dram.copy_bandwidth", "dram_copy", 1),
            ("l2.read_bandwidth", "l2_read_32MB", 1), ("latency.shared", "shared_latency", 1),
            ("latency.l1", "l1_latency", 1), ("latency.l2", "l2_latency_8MB", 1),
            ("latency.dram", "dram_latency_1024MB", 1), ("launch.back_to_back", "launch_back_to_back", 1),
            ("launch.by_events", "launch_by_events", 1), ("launch.blocks", "blocks_of_256", 1000),
            ("l1.bandwidth", "l1_read", 1e9 / (132 * 1980e6))):
        assert h200[key].source.kind == "measured", key
        assert h200.number(key) == pytest.approx(recorded[name] * scale, rel=0.002), key
    lines = (REFERENCE / "h200_issue.csv").read_text(encoding="utf-8").splitlines()
    issue = {r["name"]: r for r in csv.DictReader(line for line in lines if not line.startswith("#"))}
    rate, clocks = "results_per_clock", "clocks"
    for key, name, column in (
            ("issue.convert_narrow", "i2f_byte", rate), ("issue.convert_64", "f2f_64_32", rate),
            ("issue.convert", "frnd", rate), ("latency.fp32", "fadd", clocks), ("latency.fp64", "dadd", clocks),
            ("latency.int", "lop3", clocks), ("latency.int_mul", "imad", clocks), ("latency.sfu", "ex2", clocks),
            ("latency.shuffle", "shfl", clocks), ("latency.convert", "frnd", clocks)):
        assert h200[key].source.kind == "measured", key
        assert h200.number(key) == pytest.approx(float(issue[name][column]), rel=0.002), key
    # What the guide says of arithmetic is what the probe reaches, to 4 %.
    for key, name in (("fp32", "fadd"), ("fp64", "dadd"), ("int_mul", "imad"), ("logic", "lop3"), ("shift", "shf"),
                      ("compare", "imnmx"), ("sfu", "ex2"), ("popc", "popc"), ("shuffle", "shfl")):
        assert float(issue[name]["results_per_clock"]) == pytest.approx(h200.number(f"issue.{key}"), rel=0.04), key
    for machine in all_machines():
        if machine.name not in {"h100", "h200"}:
            assert not [k for k, q in machine.quantities.items() if q.source.kind == "measured"], machine.name


def test_the_calibration_is_in_the_files() -> None:
    """tests/machines/add_calibration.py has been run since the measurement and since its derivation changed."""
    for path, text in files().items():
        assert path.read_text(encoding="utf-8") == text, f"run add_calibration.py: {path.name}"


def test_what_the_calibration_and_the_probe_both_measured_agrees() -> None:
    """Two programs, two machines of a kind: latencies to 1 clock, the rest to 8 %."""
    h200 = load_machine("h200")
    found = {c.key: c.value for c in constants(read_recording(REFERENCE / "h200_calibration.json"))}
    for key in ("latency.shared", "latency.l1", "latency.l2"):
        assert found[key] == pytest.approx(h200.number(key), abs=1), key
    for key in ("latency.dram", "l2.read_bandwidth", "dram.read_bandwidth", "dram.write_bandwidth",
                "dram.copy_bandwidth", "launch.blocks", "clock.boost"):
        measured = found["clock.measured" if key == "clock.boost" else key]
        assert measured == pytest.approx(h200.number(key), rel=0.08), key
    assert h200.number("dependent.ffma") == pytest.approx(4, abs=0.1)
    assert h200.curve("dram.read_16_4")[-1][0] == 64


def test_the_calibration_gives_the_rate_of_l2s_writes_that_microbenchmarks_of_their_own_have() -> None:
    """By sizes.cu and fills.cu an H100's file has its rate, and the model what an H200's SM writes in a clock."""
    h200 = load_machine("h200")
    by_others = {"h100": load_machine("h100").number("l2.write_bandwidth"),
                 "h200": WRITE_BYTES * h200.number("sm.count") * h200.number("clock.boost") / 1000.0}
    for name, rate in by_others.items():
        found = {c.key: c.value for c in constants(read_recording(REFERENCE / f"{name}_calibration.json"))}
        assert found["l2.write_bandwidth"] == pytest.approx(rate, rel=0.02), name


def test_arrays_beyond_l2_say_nothing_of_its_writes() -> None:
    recording = read_recording(REFERENCE / "h100_calibration.json")
    small = replace(recording, gpu=replace(recording.gpu, l2_bytes=1 << 22))
    assert "l2.write_bandwidth" not in {c.key for c in constants(small)}


def test_what_the_h100_has_from_the_h200_is_the_h200s() -> None:
    h100, h200 = load_machine("h100"), load_machine("h200")
    taken = [k for k, q in h100.quantities.items() if "/h200_" in q.source.text and k != "shared.rules"]
    assert len(taken) > 10
    for key in taken:
        assert h100[key].source.kind == "guess"
        assert (h100[key].value, h100[key].unit) == (h200[key].value, h200[key].unit), key


def test_the_h100_and_the_h200_have_the_same_sms() -> None:
    """What was measured on both: latencies of dependent instructions, their rates, L1 and shared memory, to 3 %."""
    h100, h200 = load_machine("h100"), load_machine("h200")
    same = [k for k, q in h100.quantities.items() if k.partition(".")[0] in {"dependent", "interval", "shared", "l1"}
            and q.source.kind == "measured" and isinstance(q.value, float) and h200.get(k) is not None]
    assert len(same) > 60
    for key in same:
        assert h100.number(key) == pytest.approx(h200.number(key), rel=0.03), key


def test_the_balance_is_the_seeds() -> None:
    """"Perfect instructions:bytes ratio" of a C2050: about 3.6 : 1 without ECC, about 4.5 : 1 with."""
    c2050 = load_machine("C2050")
    assert round(c2050.balance(), 1) == 3.6
    assert round(c2050.balance("dram.ecc_bandwidth"), 1) == 4.5


@pytest.mark.parametrize(("name", "machine"), [
    ("h200", "h200"), ("H200", "h200"), ("NVIDIA H200", "h200"), ("H100 SXM", "h100"), ("H100-SXM5", "h100"),
    ("NVIDIA GeForce RTX 4090", "rtx4090"), ("A100-SXM4-80GB", "a100"), ("Tesla C2050", "c2050"),
    ("gtx 280", "gtx280")])
def test_names(name: str, machine: str) -> None:
    assert load_machine(name).name == machine


def test_unknown_names_and_quantities() -> None:
    with pytest.raises(KmutateError) as e:
        load_machine("rtx490")
    assert (e.value.slug, "rtx4090" in str(e.value)) == ("machine-unknown", True)
    gtx280 = load_machine("gtx280")
    assert gtx280.get("latency.l2") is None
    with pytest.raises(KmutateError) as e:
        gtx280.number("latency.l2")
    assert e.value.slug == "machine-lacks"
    assert "latency.l2 is not known" in str(e.value)
    with pytest.raises(FrozenInstanceError):
        gtx280.name = "x"  # type: ignore[misc]


# -- a user's own file ------------------------------------------------------------------------------------------------

def own(folder: Path, *changes: tuple[str, str], base: str = "l4") -> Path:
    text = (DATA / f"{base}.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_own_file_by_path(tmp_path: Path) -> None:
    path = own(tmp_path, ('name = "l4"', 'name = "mine"'), ("value = 58", "value = 60"))
    for spelled in (path, str(path)):
        machine = load_machine(spelled)
        assert (machine.name, machine.number("sm.count")) == ("mine", 60)


@pytest.mark.parametrize(("change", "slug", "says", "shows"), [
    (("value = 58", "value = "), "machine-syntax", "not TOML", "count = { value = ,"),
    (("[shared]", "[shared"), "machine-syntax", "not TOML", "[shared"),
    (("value = 58", 'value = "many"'), "machine-schema", "sm.count.value", "count = "),
    (("value = 58", "value = -1"), "machine-schema", "sm.count.value", "count = "),
    (('unit = "MHz"', 'unit = "GHz"'), "machine-schema", "clock.base.unit: 'MHz' was expected", "base = "),
    (("schedulers = {", "scheduler = {"), "machine-schema", "did you mean schedulers?", "scheduler = "),
    (("[latency]", "[latencies]"), "machine-schema", "did you mean latency?", "[latencies]"),
    (('capability = "8.9"', 'capability = "Ada"'), "machine-schema", "capability", 'capability = "Ada"'),
    (('kind = "published"', 'kind = "hearsay"'), "machine-schema", "sources.guide.kind", "guide = "),
    (('source = "datasheet"', 'source = "datashet"'), "machine-schema", "did you mean datasheet?", "size = "),
    (('value = "volta"', 'value = "hopper"'), "machine-schema", "shared.rules.value", "rules = "),
    (("value = 58", "value = 0"), "machine-schema", "sm.count: 0 is no GPU's", "count = "),
    (("value = 58", "value = nan"), "machine-schema", "sm.count: nan is no GPU's", "count = "),
    (("value = 58", f"value = 1{400 * '0'}"), "machine-schema", "sm.count: inf is no GPU's", "count = "),
    (("value = 49152, unit = \"KB", "value = inf, unit = \"KB"), "machine-schema", "l2.size: inf is no GPU's; from 0",
     "size = "),
    (("value = 49152, unit = \"KB", "value = 1e13, unit = \"KB"), "machine-schema", "l2.size: 1e+13 is no GPU's",
     "size = "),
])
def test_mistakes_are_shown(tmp_path: Path, change: tuple[str, str], slug: str, says: str, shows: str) -> None:
    with pytest.raises(KmutateError) as e:
        load_machine(own(tmp_path, change))
    text = str(e.value)
    assert e.value.slug == slug
    assert says in text
    assert e.value.caret is not None
    assert shows in e.value.caret
    assert "mine.toml:" in text
    assert "next: " in text


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(KmutateError) as e:
        load_machine(own(tmp_path, ('arch = "sm_89"\n', "")))
    assert e.value.slug == "machine-schema"
    assert "'arch' is a required property" in str(e.value)


@pytest.mark.parametrize("text", ["a = " + 5000 * "[", "a = " + 5000 * "[" + 5000 * "]", "a = " + 3000 * "{a=",
                                  "a = " + 5000 * "9"])
def test_what_no_reader_of_toml_can_take_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.toml").write_text(text)
    with pytest.raises(KmutateError) as e:
        load_machine(tmp_path / "deep.toml")
    assert e.value.slug == "machine-syntax"
    assert len(str(e.value)) < 500


def test_unreadable_files(tmp_path: Path) -> None:
    for path, slug in ((tmp_path / "none.toml", "not-found"), (tmp_path, "not-readable")):
        with pytest.raises(KmutateError) as e:
            load_machine(path)
        assert e.value.slug == slug
    (tmp_path / "bytes.toml").write_bytes(b'name = "\xff"\n')
    with pytest.raises(KmutateError) as e:
        load_machine(tmp_path / "bytes.toml")
    assert e.value.slug == "machine-syntax"
    (tmp_path / "empty.toml").write_text("")
    with pytest.raises(KmutateError) as e:
        load_machine(tmp_path / "empty.toml")
    assert e.value.slug == "machine-schema"
