"""Errors as values: what they say survives the way to another process."""

from __future__ import annotations

import pickle

from mutate.errors import KmutateError
from mutate.source import Span


def test_an_error_can_be_sent_to_another_process() -> None:
    error = KmutateError("unknown-type", "there is no type 'flaot'", file="k.cu", span=Span(18, 23),
                         source=b"__global__ void k(flaot *p);", hint="did you mean 'float'?")
    again = pickle.loads(pickle.dumps(error))
    assert (again.slug, str(again)) == ("unknown-type", str(error))
    assert "k.cu:1:19" in str(again) and "^" in str(again)
