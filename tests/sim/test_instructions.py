"""Each instruction form against NumPy: small kernels, compiled for each architecture and run on the simulator."""

from __future__ import annotations

import pytest
from instruction_cases import SNIPPETS
from snippets import ARCHS, Built, Snippet, build, differences, missing, simulate

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
