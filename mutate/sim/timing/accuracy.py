"""How wrong the model is, on the sample kernels: what simulated times are given as uncertainty.

Copied from tests/gpu/reference/h200_timing.json (tests/gpu/timing_errors.py makes it; tests/timing_model compares).
"""

from __future__ import annotations

JUDGED = "h200"
"""The machine on which simulated times were compared with measured ones."""
WORDS = ("against an H200 the times of 49 sample kernels are off by 6 % on average, by up to "
         "50 %")
ABSOLUTE = (-0.169, -0.078, -0.054, -0.032, -0.025, -0.017, -0.014, -0.007, -0.002, 0.005, 0.007, 0.014, 0.024, 0.031,
            0.042, 0.054, 0.086, 0.097, 0.15, 0.219, 0.687)
"""Quantiles 0, 5, ... 100 % of ln(measured / simulated), of original kernels."""
RATIO = (-1.989, -0.333, -0.165, -0.11, -0.069, -0.052, -0.038, -0.029, -0.015, -0.008, -0.003, -0.001, 0.002, 0.007,
         0.01, 0.019, 0.026, 0.041, 0.074, 0.155, 0.719)
"""The same of a variant's time as a part of the original's."""
