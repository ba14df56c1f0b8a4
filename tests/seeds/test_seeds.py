"""The seeds' ladders on the projections: the order that the slides have, and that ladders.json is what comes out."""

from __future__ import annotations

import json
import re

import ladders
import pytest
from ladders import KEPT, LADDERS, STUDIES, Ladder, Study, in_order

from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


def kept() -> dict[str, list[float]]:
    found = json.loads(KEPT.read_text(encoding="utf-8"))["ladders"]
    return {la["name"]: [r["simulated"] for r in la["rungs"]] for la in found}


@pytest.mark.parametrize("name", ["matmul", "reductions"])
def test_the_ladder_comes_out_in_the_slides_order(name: str) -> None:
    """And as in docs/seeds.md: else run tests/seeds/ladders.py --write and tests/docs/make_docs.py seeds."""
    found = LADDERS[name]()
    (ladder,) = (x for x in found if isinstance(x, Ladder))
    assert len(ladder.rungs) >= 6
    assert all(in_order(ladder))
    assert [r.simulated for r in ladder.rungs] == pytest.approx(kept()[ladder.name], rel=0.002)
    assert all(x.holds for x in found if not isinstance(x, Ladder))


def test_an_offset_costs_loads_around_l1_more() -> None:
    drops = {}
    for dlcm in ("ca", "cg"):
        copies = [ladders.kernels("copy_offset", settings={"offset": offset})[0] for offset in ("0", "1")]
        times = [ladders.timed(copy, ladders.C2050, dlcm=dlcm).time_ms for copy in copies]
        drops[dlcm] = times[1] / times[0] - 1
    assert 0.0 < drops["ca"] < drops["cg"]


def test_two_outputs_are_faster_than_loads_around_l1_and_those_than_loads_through_it() -> None:
    (gains,) = (x for x in LADDERS["fd"]() if isinstance(x, Ladder) and x.name == "fd-gains")
    assert in_order(gains) == [True, True]
    assert [r.simulated for r in gains.rungs] == pytest.approx(kept()["fd-gains"], rel=0.002)


@pytest.mark.parametrize("study", STUDIES, ids=lambda s: s.sample)
def test_what_is_spilled_as_in_the_slides_is_judged_as_there(study: Study) -> None:
    """At the cap that ladders.py found to match; the kernel as it is elsewhere has other spills."""
    said = json.loads(KEPT.read_text(encoding="utf-8"))["statements"]
    (words,) = (x["simulated"] for x in said if x["about"] == f"spills of {study.sample}, {study.by} as in the slides")
    found = re.match(r"--maxrregcount (\d+),", words)
    assert found
    spilled = ladders.spilling_at(study.sample, int(found[1]))
    if study.by == "bytes":
        assert abs(spilled.spilled - study.spilled) <= 4
    else:
        assert spilled.often == pytest.approx(study.often, abs=0.05)
    judged = ladders.judged(spilled, study, held=32)
    assert judged.base.resident_blocks == 2
    assert judged.problem == study.problem
    # Where L1 has room for the spills of as many threads, a gain by it is as large as the problem.
    larger = judged.gains["48 KB of L1"]
    if larger.resident_blocks == 2:
        assert (judged.base.time_ms > 1.05 * larger.time_ms) == study.problem


def test_an_order_that_is_wrong_is_seen() -> None:
    rungs = tuple(ladders.Rung(str(v), v, s) for v, s in ((1.0, 1.0), (3.0, 2.0), (2.0, 3.0)))
    assert in_order(Ladder("", "", "", "", "", "", rungs)) == [True, False]
