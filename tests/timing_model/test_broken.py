"""Additions at one place of L2 that others come between: what that costs, by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from launch_rows import launch_rows

from mutate.sim.timing import constants as c
from mutate.sim.timing.broken import Beside, broken, share, stored, together, turns

COUNTS, PARTS = st.floats(1, 1e7), st.floats(1e-3, 1.0)


@given(count=COUNTS, others=COUNTS, far=PARTS)
def test_a_broken_row_costs_no_more_than_one_break_each(count: float, others: float, far: float) -> None:
    took = broken(count, others, far)
    assert 0.0 <= took <= count * c.ROW_BROKEN / c.ROW_LONG * 1.000001
    assert took <= 1.000001 * others * far / c.ATOMIC_PARTS * c.ROW_BROKEN + 1e-6


@given(count=COUNTS, others=COUNTS, far=st.floats(1e-3, 0.5))
def test_more_that_waits_for_dram_breaks_more(count: float, others: float, far: float) -> None:
    assert broken(count, others, far) <= broken(count, others, 2.0 * far) * 1.000001


@pytest.mark.parametrize(("count", "others", "far"), [(0.0, 9.0, 1.0), (9.0, 0.0, 1.0), (9.0, 9.0, 0.0)])
def test_nothing_is_broken_where_nothing_comes_between(count: float, others: float, far: float) -> None:
    assert broken(count, others, far) == 0.0


def test_what_is_always_new_is_the_limit_of_what_falls() -> None:
    assert broken(1000.0, 4000.0, 1.0) == pytest.approx(broken(1000.0, 4000.0, 0.9999), rel=1e-3)


def test_the_counter_of_a_table_takes_what_was_measured() -> None:
    """tallies<2, 1>, 6, of an H100: 16,896 additions to one word beside 540,672 at random, of which 337,000 are new."""
    alone, beside = 16896 * c.ATOMIC_SAME / 1980, broken(16896.0, 540672.0, 0.62) / 1980
    assert alone < 13
    assert pytest.approx(alone + beside, rel=0.15) == 70.6 - 12.3


def test_stores_in_part_take_more_of_a_part_of_l2_than_reads() -> None:
    reads, stores = Beside(0.0, 0.0, 1e6, 0.0, 0.0, 0.0, 0.0, 0.0), Beside(0.0, 0.0, 0.0, 1e6, 1e6, 0.0, 0.0, 0.0)
    assert 0.0 < share(reads) < share(stores)


def test_reads_that_dram_has_to_answer_take_more_of_a_part_of_l2_than_others() -> None:
    there, fetched = (Beside(0.0, 0.0, 1e6, 0.0, 0.0, lines, 0.0, 0.0) for lines in (0.0, 1e6))
    assert 0.0 < 2.0 * share(there) < share(fetched)


@given(first=PARTS)
def test_what_went_before_the_first_addition_takes_nothing_beside_it(first: float) -> None:
    whole, rest = (Beside(1e6, first * since, 1e6, 1e6, 0.0, 1e6, 0.0, 0.0) for since in (0.0, 1e6))
    assert share(rest) == pytest.approx((1.0 - first) * share(whole))


@given(cycles=st.floats(0, 1e9), part=PARTS, bound=st.floats(0, 1e9), hot=st.floats(0, 1))
def test_both_take_at_least_the_longer_and_at_most_their_sum(cycles: float, part: float, bound: float, hot: float
                                                             ) -> None:
    first = part * cycles
    both = together(cycles, first, bound, hot)
    assert max(cycles, first + bound) <= both * 1.000001 and both <= (cycles + bound) * 1.000001
    assert together(cycles, first, bound, 0.0) == pytest.approx(max(cycles, first + bound))


@given(reads=st.floats(0, 1e9), more=st.floats(0, 1e9), count=st.floats(0, 1e7))
def test_additions_and_all_else_of_a_part_take_turns(reads: float, more: float, count: float) -> None:
    less, all_of_it = (Beside(1e6, 0.0, n, 0.0, 0.0, 0.0, 0.0, 0.0) for n in (reads, reads + more))
    assert count * c.TURN <= turns(count, less) * 1.000001
    longer = turns(0.0, all_of_it) - turns(0.0, less)
    assert turns(count, all_of_it) - turns(count, less) == pytest.approx(longer, rel=1e-6, abs=1e-3)


@pytest.mark.parametrize(("launch", "adds"), [
    (1, 65536), (2, 32768), (4, 65536), (5, 32768), (7, 65536), (8, 32768), (22, 65536)])
def test_an_addition_and_a_sector_take_what_ncu_counts(launch: int, adds: int) -> None:
    """The part of L2 that adds, beside look-ups that L2 has: every other sector of it is one of all else."""
    counted = next(row for kernel, instance, number, row in launch_rows("h200_counted_parts")
                   if (kernel, instance, number) == ("looked_up", "32, 1", launch))
    others = float(counted["most"]) - adds
    beside = Beside(1e9, 0.0, c.SLICES * others, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert turns(adds, beside) / c.TURN == pytest.approx(float(counted["clocks"]), rel=0.09)


@given(count=st.floats(1, 1e6), cycles=st.floats(1, 1e8), reads=st.floats(0, 1e9))
def test_stores_to_a_place_beside_others_take_no_less_than_those(count: float, cycles: float, reads: float) -> None:
    beside = Beside(cycles, 0.0, reads, 0.0, 0.0, 0.0, 0.0, 0.0)
    busy = turns(0.0, beside) > c.STORE_BUSY * cycles
    assert not busy or stored(count, beside, 132) >= max(cycles, turns(0.0, beside))
    assert stored(count, beside, 132) <= cycles + count * c.STORE_SAME + c.STORE_BESIDE * turns(0.0, beside)


def test_where_nothing_else_goes_on_stores_to_a_place_take_what_they_take() -> None:
    assert stored(1000.0, Beside(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 132) == 0.0
    assert stored(1000.0, Beside(1e6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 132) == 1000.0 * c.STORE_SAME
