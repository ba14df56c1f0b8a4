"""How wrong the model is, on the sample kernels: what simulated times are given as uncertainty.

Copied from tests/gpu/reference/h200_timing.json (tests/gpu/timing_errors.py makes it; tests/timing_model compares).
"""

from __future__ import annotations

JUDGED = "h200"
"""The machine on which simulated times were compared with measured ones."""
WORDS = "against an H200 the times of 49 sample kernels are off by 9 % on average, by up to 72 %"
ABSOLUTE = (-0.144, -0.095, -0.081, -0.062, -0.051, -0.034, -0.032, -0.028, -0.012, 0.004, 0.012, 0.015, 0.022, 0.036,
            0.045, 0.083, 0.11, 0.137, 0.188, 0.278, 1.283)
"""Quantiles 0, 5, ... 100 % of ln(measured / simulated), of original kernels."""
RATIO = (-1.108, -0.29, -0.173, -0.144, -0.11, -0.088, -0.062, -0.038, -0.029, -0.016, -0.01, -0.004, 0.0, 0.006, 0.013,
         0.02, 0.037, 0.066, 0.105, 0.148, 0.545)
"""The same of a variant's time as a part of the original's."""
