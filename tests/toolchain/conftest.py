from __future__ import annotations

import sys

import pytest

from mutate.toolchain.locate import find_toolchain


@pytest.fixture(autouse=True)
def _private_cache(tmp_path, monkeypatch):
    """No test reads what another run left, and none writes into the user's cache."""
    monkeypatch.setenv("KMUTATE_CACHE", str(tmp_path / "cache"))


def pytest_collection_modifyitems(items):
    if find_toolchain().nvrtc is None:
        here = [i for i in items if "toolchain" in str(i.path)]
        for item in here:
            if "no_tools" not in item.keywords:
                item.add_marker(pytest.mark.skipif(sys.platform == "darwin", reason="no NVRTC for this platform"))
