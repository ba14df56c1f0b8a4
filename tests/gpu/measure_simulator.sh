#!/bin/sh
# On a machine with a GPU: measures what tests/gpu/compare.py prepared. usage: measure_simulator.sh FOLDER OUT
set -e
folder=$1 out=$2
metrics=$(python3 -c "import sys; sys.path.insert(0, 'tests/gpu'); import compare; print(','.join(compare.METRICS.values()))")
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/gpu.txt"
date -u +%F >> "$out/gpu.txt"
python3 tests/gpu/compare.py run "$folder" "$out"
mkdir -p "$out/profiled"
ncu --clock-control none --csv --print-units base --metrics "$metrics" python3 tests/gpu/compare.py run "$folder" "$out/profiled" \
    > "$out/ncu.csv" 2> "$out/ncu.err" || tail -5 "$out/ncu.err"
rm -rf "$out/profiled"
