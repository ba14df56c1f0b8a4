"""A play that goes on from where another had begun all blocks but its last tells what one from the start tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from timed_kernels import KERNELS, compiled

from mutate.machines import load_machine
from mutate.sim.timing.model import sample_of
from mutate.sim.timing.player import Played, Player
from mutate.sim.timing.reuse import reuse_of
from mutate.sim.timing.shares import settings_of

RESIDENT = 2


@pytest.fixture
def player(tmp_path: Path, request: pytest.FixtureRequest) -> Player:
    kernel, launch = compiled(tmp_path, *KERNELS[request.param])
    machine = load_machine("h200")
    sample = sample_of(kernel, launch, machine)
    settings = settings_of(machine, RESIDENT, 5, sample.grid_blocks, 131072, 1_000_000)
    return Player(kernel.listing, False, machine, sample, reuse_of(sample, 264, 4e7, 132, True), settings)


def same(one: Played, other: Played) -> bool:
    return (one.end, one.issued, one.finished) == (other.end, other.issued, other.finished) and all(
        np.array_equal(a, b) for a, b in zip(one.told, other.told, strict=True))


@pytest.mark.parametrize("player", KERNELS, indirect=True)
def test_it_is_as_from_the_start(player: Player) -> None:
    short = player.play(5)
    assert short.begun is not None and short.finished == 5
    for turn, part in ((5, 0.5), (7, 1.0), (7, 0.5)):
        assert same(player.play(turn, part, begun=short.begun), player.play(turn, part))
    # What it goes on from stays as it was.
    assert same(player.play(5, begun=short.begun), short)


@pytest.mark.parametrize("player", ["stream"], indirect=True)
def test_a_shorter_play_begins_anew(player: Player) -> None:
    longer = player.play(7)
    assert same(player.play(4, begun=longer.begun), player.play(4))


@pytest.mark.parametrize("player", ["stream"], indirect=True)
def test_blocks_that_all_begin_at_once_have_no_such_place(player: Player) -> None:
    assert player.play(RESIDENT).begun is None
