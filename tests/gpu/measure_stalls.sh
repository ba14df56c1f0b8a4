#!/bin/sh
# On a machine with a GPU: why the warps of all samples' originals waited, by ncu's counters and by its sampling of warps.
# usage: measure_stalls.sh OUT     then anywhere: python tests/gpu/stalls.py keep OUT
set -e
out=$1
report=${TMPDIR:-/tmp}/kmutate-stalls
profile() {
    ncu --clock-control none --target-processes all -k "$(python3 tests/gpu/analyze_samples.py names)" -f -o "$report" \
        "$@" python3 tests/gpu/analyze_samples.py originals > "$out/stalls.log" 2>&1
}
sampled="group:smsp__pcsamp_warp_stall_reasons,gpu__time_duration.sum,sm__warps_active.avg.pct_of_peak_sustained_active"
profile --section WarpStateStats --metrics "$sampled" || { tail -5 "$out/stalls.log"
    # Without ncu's section files: the counters by name.
    profile --metrics "$sampled,$(python3 tests/gpu/stalls.py metrics)"; }
ncu --import "$report.ncu-rep" --page raw --csv --print-units base | gzip > "$out/stalls_raw.csv.gz"
ncu --import "$report.ncu-rep" --page source --csv | gzip > "$out/stalls_source.csv.gz"
ls -l "$out" "$report.ncu-rep"
