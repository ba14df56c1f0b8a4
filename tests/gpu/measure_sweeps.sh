#!/bin/sh
# On a machine with a GPU: sweeps of sample kernels, and which part of the originals' loads hits L1 by ncu.
# usage: measure_sweeps.sh OUT
set -e
out=$1
python3 tests/gpu/sweeps.py gpu "$out"
ncu --clock-control none --csv --print-units base --target-processes all -k "$(python3 tests/gpu/sweeps.py names)" \
    --metrics "$(python3 tests/gpu/sweeps.py metrics)" python3 tests/gpu/analyze_samples.py originals \
    > "$out/hits.csv" 2> "$out/hits.err" || tail -5 "$out/hits.err"
