"""Work in threads: in order, with errors where they are waited for, and Ctrl-C waits for nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

import pytest

from mutate.sim import at_once as module
from mutate.sim.at_once import alone, at_once


def test_results_come_in_order_whichever_is_done_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cores", lambda: 8)
    second = threading.Event()

    def first() -> str:
        assert second.wait(10), "the second one runs beside the first"
        return "first"

    def then() -> str:
        second.set()
        return "second"

    with at_once([first, then, lambda: "third"], 2) as waits:
        assert [wait() for wait in waits] == ["first", "second", "third"]
    with at_once([], 2) as waits:
        assert waits == []


@pytest.mark.parametrize(("most", "cores"), [(3, 8), (8, 3), (1, 8)])
def test_no_more_run_than_may(most: int, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cores", lambda: cores)
    running, seen, lock = [0], [0], threading.Lock()

    def work() -> None:
        with lock:
            running[0] += 1
            seen[0] = max(seen[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1

    with at_once([work] * 12, most) as waits:
        for wait in waits:
            wait()
    assert 1 <= seen[0] <= min(most, cores)


def test_an_error_is_raised_where_it_is_waited_for() -> None:
    def fail() -> int:
        raise ValueError("this one")

    with at_once([lambda: 1, fail, lambda: 3], 2) as (first, second, third):
        assert first() == 1
        with pytest.raises(ValueError, match="this one"):
            second()
        assert third() == 3
    with pytest.raises(ValueError, match="this one"):
        alone(fail)


def test_ctrl_c_waits_for_nothing_and_what_has_not_begun_never_does(ctrl_c: Callable[[], None]) -> None:
    release, begun = threading.Event(), []

    def endless(number: int) -> None:
        begun.append(number)
        if number == 0:
            ctrl_c()
        release.wait(30)

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), at_once([partial(endless, k) for k in range(9)], 2) as waits:
        for wait in waits:
            wait()
    assert time.monotonic() - start < 10
    release.set()
    time.sleep(0.1)
    assert len(begun) <= 2
