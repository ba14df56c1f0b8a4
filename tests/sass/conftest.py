from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _private_cache(tmp_path, monkeypatch):
    """No test reads what another run left, and none writes into the user's cache."""
    monkeypatch.setenv("KMUTATE_CACHE", str(tmp_path / "cache"))
