#!/bin/sh
# On a machine with a GPU: launches what tests/gpu/textures.py prepared. usage: measure_textures.sh FOLDER OUT
set -e
folder=$1 out=$2
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/gpu.txt"
date -u +%F >> "$out/gpu.txt"
python3 tests/gpu/textures.py run "$folder" "$out"
mkdir -p "$out/profiled"
ncu --clock-control none --csv --print-units base --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum \
    python3 tests/gpu/textures.py run "$folder" "$out/profiled" > "$out/ncu.csv" 2> "$out/ncu.err" || tail -5 "$out/ncu.err"
rm -rf "$out/profiled"
