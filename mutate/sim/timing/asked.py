"""Which sectors requests of recorded streams ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
