#!/bin/sh
# On a machine with a GPU: kmutate's roofs, its analyses of all samples, and ncu's view of the originals.
# usage: measure_analysis.sh OUT
set -e
out=$1
metrics=$(python3 -c "import sys; sys.path.insert(0, 'tests/gpu'); import analyze_samples as a; print(','.join(a.METRICS.values()))")
python3 -m mutate doctor --json > "$out/doctor.json"
python3 tests/gpu/analyze_samples.py run "$out"
ncu --clock-control none --csv --print-units base --target-processes all -k "$(python3 tests/gpu/analyze_samples.py names)" \
    --metrics "$metrics" python3 tests/gpu/analyze_samples.py originals > "$out/ncu.csv" 2> "$out/ncu.err" || tail -5 "$out/ncu.err"
