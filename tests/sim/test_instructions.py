"""Each instruction form against NumPy: small kernels, compiled for each architecture and run on the simulator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases_memory import kernel
from instruction_cases import SNIPPETS
from snippets import ARCHS, Built, Row, Snippet, build, differences, missing, simulate, table

from mutate.errors import KmutateError

_built: dict[str, dict[str, Built | str]] = {}


@pytest.mark.parametrize(
    ("snippet", "arch"), [(s, a) for a in ARCHS for s in SNIPPETS if a in s.archs], ids=str
)
def test_instruction(snippet: Snippet, arch: str) -> None:
    if arch not in _built:
        _built[arch] = build([s for s in SNIPPETS if arch in s.archs], arch)
    built = _built[arch][snippet.name]
    assert isinstance(built, Built), built
    assert missing(snippet, built.listing, arch) == [], "the compiler does not use it; the test shows nothing"
    assert differences(snippet, simulate(snippet, built), arch) == []


def test_a_product_is_doubled_by_the_form_that_compilers_leave_out() -> None:
    """FMUL.M2: the compiler adds instead, so the listing of FMUL.M4 is changed."""
    a = np.random.default_rng(1).normal(0, 2.0**-64, 256).astype(np.float32)  # many of the products are subnormal
    b = np.random.default_rng(2).normal(0, 2.0**-64, 256).astype(np.float32)
    snippet = table("doubled product", {"a": ("float", a), "b": ("float", b)}, [
        Row("float", "a * b * 4.0f", lambda a, b: (a.astype(np.float64) * b * 2).astype(np.float32))], "FMUL.M4")
    built = build([snippet], "sm_90")[snippet.name]
    assert isinstance(built, Built) and missing(snippet, built.listing, "sm_90") == []
    listing = tuple(replace(i, opcode=i.opcode.replace(".M4", ".M2")) for i in built.listing)
    assert differences(snippet, simulate(snippet, Built(built.compiled, listing)), "sm_90") == []


def stopped(name: str, body: str, head: str) -> KmutateError:
    """The error that a kernel ends with."""
    snippet = kernel(name, "int *out, const int *a", body, (np.arange(256, dtype=np.int32),), np.zeros(256, np.int32),
                     lambda: np.zeros(256, np.int32), head=head)
    built = build([snippet], "sm_90")[name]
    assert isinstance(built, Built), built
    with pytest.raises(KmutateError) as caught:
        simulate(snippet, built)
    return caught.value


def test_an_assertion_that_does_not_hold_stops_with_the_thread() -> None:
    error = stopped("assertion", "    assert(a[i] < 232); out[i] = a[i];", "#include <cassert>")
    assert error.slug == "kernel-trap"
    assert "thread (232, 0, 0)" in str(error)  # of one warp: which of several is first is open


def test_a_function_of_the_driver_that_is_not_simulated_is_named() -> None:
    error = stopped("heap", "    int *p = (int *)malloc(4 * a[i] + 4); p[a[i]] = i; out[i] = p[a[i]];", "")
    assert error.slug == "unsupported-instruction"
    assert "malloc" in str(error)
