"""Which sectors requests of recorded streams ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mutate.sim.timing.sampling import Streams

Array = npt.NDArray[Any]


def places_of(s: Streams, requests: Array) -> Array:
    """Where in ``s.sectors`` the sectors of these requests stand, one request after another."""
    count = s.requests[requests, 5]
    return np.asarray(np.repeat(s.requests[requests, 4] - np.cumsum(count) + count, count) + np.arange(count.sum()))


def of_block(s: Streams, kinds: Sequence[int], block: int = 0) -> tuple[Array, Array]:
    """The record and the place in ``s.sectors`` of each sector of a block's requests of these kinds, in order by warp.
    """
    records = np.arange(s.starts[block][0], s.starts[block][-1])
    records = records[s.request[records] >= 0]
    records = records[np.isin(s.requests[s.request[records], 2], kinds)]
    asked = s.request[records]
    return np.repeat(records, s.requests[asked, 5]), places_of(s, asked)


def of_first_block(s: Streams, kind: int) -> tuple[Array, Array]:
    """As ``of_block``, of the first block and one kind."""
    return of_block(s, (kind,))


def where_blocks_begin(s: Streams, numbers: Sequence[int]) -> tuple[Array, Array]:
    """Where the sectors of each block that has any begin among those of all, rising, and the blocks' numbers."""
    asked = [(number, s.request[row[0] : row[-1]]) for number, row in zip(numbers, s.starts, strict=True)]
    began = sorted((int(s.requests[a[a >= 0].min(), 4]), number) for number, a in asked if (a >= 0).any())
    return np.array([at for at, _ in began], np.int64), np.array([number for _, number in began], np.int64)


class Sought(NamedTuple):
    """Of each sector of all requests the record, whose warp it is (blocks in order, and their warps), its place in

    ``Streams.sectors`` and the request's kind.
    """

    record: Array
    warp: Array
    at: Array
    kind: Array


def all_sought(s: Streams) -> Sought:
    """What all recorded warps ask for."""
    begin = s.starts[:, :-1].ravel()
    order = np.argsort(begin, kind="stable")
    records = np.flatnonzero(s.request >= 0)
    asked = s.request[records]
    count = s.requests[asked, 5]
    warps = order[np.searchsorted(begin[order], records, side="right") - 1]
    return Sought(np.repeat(records, count), np.repeat(warps, count), places_of(s, asked),
                  np.repeat(s.requests[asked, 2], count))
