"""What the pages say of the model: its errors on microbenchmarks (compare_launches.py --write) and kernels held out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).parents[1]


def _signed(error: float) -> str:
    return f"{100 * error:+.0f}".replace("-", "−")


class Patterns:
    """Errors of the model's times by file and kernel, as parts of the measured ones."""

    def __init__(self) -> None:
        kept = json.loads((TESTS / "machines" / "reference" / "h200_compared.json").read_text())
        self.nvrtc: str = kept["nvrtc"]
        self.files: dict[str, dict[str, list[float]]] = kept["files"]

    def of(self, name: str) -> list[float]:
        """A file's, or a kernel's: ``file/kernel`` where several files have one of that name."""
        if name in self.files:
            return [e for errors in self.files[name].values() for e in errors]
        file, _, kernel = name.rpartition("/")
        (found,) = [kernels[kernel] for at, kernels in self.files.items() if kernel in kernels and file in ("", at)]
        return found

    def worst(self, *kernels: str) -> str:
        return f"{100 * max(abs(e) for k in kernels for e in self.of(k)):.0f} %"

    def mean(self, *kernels: str) -> str:
        errors = [abs(e) for k in kernels for e in self.of(k)]
        return f"{100 * sum(errors) / len(errors):.1f} %"

    def span(self, *kernels: str) -> str:
        errors = [e for k in kernels for e in self.of(k)]
        return f"{_signed(min(errors))} to {_signed(max(errors))} %"

    def within(self, percent: float, *kernels: str) -> str:
        errors = [abs(e) for k in kernels for e in self.of(k)]
        return f"{sum(100 * e < percent + 0.5 for e in errors)} of {len(errors)} within {percent} %"

    def rows(self) -> list[tuple[str, str, int, str, str, str, str]]:
        """File, kernel, launches, mean, nine of ten within, most too fast, most too slow."""
        out = []
        for name, kernels in self.files.items():
            for kernel in ("", *kernels):
                errors = self.of(f"{name}/{kernel}" if kernel else name)
                off = np.abs(errors)
                out.append((name, kernel, len(errors), f"{100 * off.mean():.1f} %",
                            f"{100 * np.quantile(off, 0.9):.0f} %", f"{_signed(min(errors))} %",
                            f"{_signed(max(errors))} %"))
        return out


def held_out(sets: list[dict[str, Any]], kernel: str) -> str:
    """The error of a held-out kernel by the model's last prediction of it."""
    (row,) = [r for kept in sets for r in (kept["later"] or kept)["rows"] if r["kernel"] == kernel]
    return f"{_signed(row['sim']['identity'] / row['gpu']['identity'] - 1)} %"
