"""How wrong the model is, on the sample kernels: what simulated times are given as uncertainty.

Copied from tests/gpu/reference/h200_timing.json (tests/gpu/timing_errors.py makes it; tests/timing_model compares).
"""

from __future__ import annotations

JUDGED = "h200"
"""The machine on which simulated times were compared with measured ones."""
WORDS = ("against an H200 the times of 49 sample kernels are off by 9 % on average, by up to "
         "72 %")
ABSOLUTE = (-0.149, -0.095, -0.081, -0.062, -0.052, -0.034, -0.032, -0.028, -0.012, 0.004, 0.012, 0.015, 0.026, 0.036,
            0.047, 0.083, 0.11, 0.137, 0.201, 0.281, 1.283)
"""Quantiles 0, 5, ... 100 % of ln(measured / simulated), of original kernels."""
RATIO = (-1.108, -0.325, -0.18, -0.153, -0.119, -0.094, -0.068, -0.041, -0.031, -0.016, -0.01, -0.004, -0.0, 0.005,
         0.012, 0.018, 0.033, 0.063, 0.094, 0.137, 0.548)
"""The same of a variant's time as a part of the original's."""
