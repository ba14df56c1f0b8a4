"""A plan's runs by the model: each code once, in the plan's order, whatever some of them end with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mutate.errors import KmutateError
from mutate.machines import load_machine
from mutate.pipeline import predictions
from mutate.sim import image
from mutate.sim.timing import model


def _predicted(codes: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, fails: bytes = b"") -> tuple[Any, list[bytes]]:
    asked: list[bytes] = []

    def predict(kernel: model.Kernel, *_: Any, **__: Any) -> Any:
        code: Any = kernel.image
        asked.append(code)
        if code == fails:
            raise KmutateError("no-time", "this one has none", hint="take another one")
        return SimpleNamespace(code=code)

    monkeypatch.setattr(image, "read_image", lambda cubin, entry: cubin)
    monkeypatch.setattr(model, "predict", predict)
    runs = [SimpleNamespace(name=n, cubin=c, entry="k", dynamic_smem=0) for n, c in codes.items()]
    plan: Any = SimpleNamespace(runs=runs, launch=SimpleNamespace(smem=0))
    found = predictions.predict_plan(plan, dict.fromkeys(codes, ()), load_machine("h200"), None, "cold",
                                     lambda what, done, total: None)
    return found, asked


def test_what_is_the_same_code_is_predicted_once_and_times_are_in_the_plans_order(monkeypatch: pytest.MonkeyPatch
                                                                                  ) -> None:
    found, asked = _predicted({"original": b"a", "identity": b"a", "load-only": b"b"}, monkeypatch)
    assert sorted(asked) == [b"a", b"b"] and list(found.times) == ["original", "identity", "load-only"]
    assert found.times["identity"] is found.times["original"]
    found, asked = _predicted({"original": b"a", "identity": b"c", "load-only": b"b"}, monkeypatch)
    assert sorted(asked) == [b"a", b"b", b"c"] and found.times["identity"] is not found.times["original"]


def test_a_variant_without_a_time_costs_its_own_only_and_the_original_all(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = {"original": b"a", "identity": b"a", "load-only": b"b", "math-only": b"c"}
    found, _ = _predicted(codes, monkeypatch, fails=b"b")
    assert list(found.times) == ["original", "identity", "math-only"]
    assert found.errors == {"load-only": "this one has none"} and not found.hint
    found, _ = _predicted(codes, monkeypatch, fails=b"a")
    assert not found.times and found.errors == {"original": "this one has none"} and found.hint == "take another one"
