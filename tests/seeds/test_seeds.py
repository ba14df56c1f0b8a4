"""The seeds' ladders on the projections: the order that the slides have, and that ladders.json is what comes out."""

from __future__ import annotations

import json

import ladders
import pytest
from ladders import KEPT, LADDERS, Ladder, in_order

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


def test_an_order_that_is_wrong_is_seen() -> None:
    rungs = tuple(ladders.Rung(str(v), v, s) for v, s in ((1.0, 1.0), (3.0, 2.0), (2.0, 3.0)))
    assert in_order(Ladder("", "", "", "", "", "", rungs)) == [True, False]
