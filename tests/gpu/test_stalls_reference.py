"""ncu's reasons for stalls beside the model's: how ncu's output is read, and what is kept of it."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
import stalls
from compilers import nvrtc_version

from mutate.pipeline.binaries import compile_originals
from mutate.resources import samples_dir
from mutate.results import Request

RAW = '''==PROF== Connected
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
"gpu__time_duration.sum","smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",\
"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio","smsp__pcsamp_warps_issue_stalled_no_instructions",\
"smsp__pcsamp_warps_issue_stalled_long_scoreboard","smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"
"","","","","","","","","","","","ns","inst","inst","warp","warp","warp"
"0","1","python","127.0.0.1","void reduce6<(unsigned int)512>(const int *, int *)","1","7","(512, 1, 1)","(64, 1, 1)",\
"0","9.0","65,000","12.5","1.0","3","1,234","1000"
'''
SOURCE = '''"Kernel Name","a(float *)",
"Address","Source","group:smsp__pcsamp_warp_stall_reasons"
"0x10","      LDC R1, c[0x0][0x28]","16"
"0x20","@!P0  EXIT","0"
"0x30","      NOP","0"
"Kernel Name","b(float *)",
"Address","Source","group:smsp__pcsamp_warp_stall_reasons"
"0x10","      BRA 0x10","7"
'''
# The other launches could not be compared before the model was run on the code of 13.0.88.
NEWER = {
    "column_walk": ["column_walk 0", "column_walk_transposed 0"],
    "copy_offset": ["copy_offset 0", "copy_offset 1"],
    "divergent": ["divergent 0", "grouped 0"],
    "fp64_literal": ["fp64_literal 0", "fp32_literal 0"],
    "half_axpy": ["half_axpy 0"],
    "histogram": ["histogram_global 0", "histogram_shared 0"],
    "increment": ["increment1 0", "increment2 0", "increment4 0"],
    "matmul": ["matmul_naive 0", "matmul_naive 1", "matmul_padded 0", "matmul_one_shared 0"],
    "reduction": ["reduce2 0", "reduce6<512> 0", "reduce6<128> 0", "reduce7<512> 0"],
    "special_functions": ["special_intrinsic 0"],
    "spmv_csr": ["spmv_scalar 0", "spmv_vector 0"],
    "transpose": ["transpose_naive 0", "transpose_padded 0"],
    "vec4_copy": ["vec4_copy 0"],
}
"""By sample the launches (kernel and number) whose code NVRTC 13.5.37 makes as 13.0.88 does, which was profiled."""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    for name, text in (("raw", RAW), ("source", SOURCE)):
        with gzip.open(tmp_path / f"stalls_{name}.csv.gz", "wt") as file:
            file.write(text)
    return tmp_path


def test_ncu_s_launches_are_read_without_units_and_messages(written: Path) -> None:
    (row,) = stalls.read_raw(written / "stalls_raw.csv.gz")
    assert stalls.counted(row) == {"long_scoreboard": 12.5, "selected": 1.0}
    assert stalls.sampled(row) == {"no_instruction": 3.0, "long_scoreboard": 1234.0}
    assert stalls._key(row) == ("reduce6<512>", (64, 1, 1), (512, 1, 1))


def test_ncu_s_listings_are_one_a_launch(written: Path) -> None:
    first, second = stalls.read_source(written / "stalls_source.csv.gz")
    assert stalls._by_instruction(first) == {0: {"all": 16}} and stalls._by_instruction(second) == {0: {"all": 7}}
    assert stalls._opcodes(first) == ["LDC", "EXIT", "NOP"]


def test_padding_is_no_part_of_the_code() -> None:
    assert stalls.code_of(["LDC", "EXIT", "NOP"]) == stalls.code_of(["LDC", "EXIT"]) != stalls.code_of(["EXIT"])


def test_distributions_have_in_common_what_both_have() -> None:
    assert stalls.common({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5}) == 1
    assert stalls.common({"a": 0.7, "b": 0.3}, {"a": 0.2, "c": 0.8}) == pytest.approx(0.2)


def test_every_original_was_profiled_and_is_beside_the_model() -> None:
    with stalls.COUNTED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    launches = [(la["sample"], la["kernel"]) for la in stalls._launches()]
    for kind in ("counters", "samples"):
        assert [(r["sample"], r["kernel"]) for r in rows if r["kind"] == kind] == launches
    kept = json.loads(stalls.KEPT.read_text())
    assert sorted((r["sample"], r["kernel"]) for r in kept["rows"]) == sorted(launches)
    assert kept["summary"] == json.loads(json.dumps(stalls.summary(kept["rows"])))
    for row in kept["rows"]:
        assert sum(row["simulated"].values()) == pytest.approx(1, abs=0.001)
        assert sum(row["counters"].values()) == pytest.approx(1, abs=0.001)
        assert row["common_counters"] == pytest.approx(stalls.common(row["simulated"], row["counters"]), abs=0.002)


def test_the_model_agrees_with_ncu_as_far_as_it_did() -> None:
    found = json.loads(stalls.KEPT.read_text())["summary"]
    assert found["counters"]["median"] > 0.8
    assert found["instructions"]["launches"] == 49 and found["instructions"]["median"] > 0.7


def test_where_two_compilers_agree_the_model_is_as_near_as_it_was() -> None:
    rows = json.loads(stalls.KEPT.read_text())["rows"]
    both = [r for r in rows if f"{r['kernel']} {r['launch']}" in NEWER.get(r["sample"], ())]
    found = stalls.summary(both)["instructions"]
    assert found["launches"] == sum(map(len, NEWER.values())) == 28
    assert found["median"] > 0.85


@pytest.mark.skipif(nvrtc_version() != "13.5.37", reason="of NVRTC 13.5.37")
def test_where_two_compilers_agree_is_what_it_was() -> None:
    """By the code that NVRTC makes now, against the one that was profiled."""
    profiled = {key[:3]: key[3] for key in stalls.at_instructions()}
    found: dict[str, list[str]] = {}
    for sample in sorted({sample for sample, _, _ in profiled}):
        for k in compile_originals(Request(path=samples_dir() / f"{sample}.cu", arch="sm_90")):
            code = stalls.code_of(i.opcode for i in k.original.listing)
            for number in range(len(k.target.launches)):
                if profiled.get((sample, k.target.name, number)) == code:
                    found.setdefault(sample, []).append(f"{k.target.name} {number}")
    assert {s: sorted(v) for s, v in found.items()} == {s: sorted(v) for s, v in NEWER.items()}
