"""Which sectors requests of recorded streams ask for."""

from __future__ import annotations

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


def of_first_block(s: Streams, kind: int) -> tuple[Array, Array]:
    """The record and the place in ``s.sectors`` of each sector of the first block's requests of a kind."""
    records = np.arange(s.starts[0][0], s.starts[0][-1])
    records = records[s.request[records] >= 0]
    records = records[s.requests[s.request[records], 2] == kind]
    asked = s.request[records]
    return np.repeat(records, s.requests[asked, 5]), places_of(s, asked)
