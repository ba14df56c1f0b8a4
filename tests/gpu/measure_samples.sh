#!/usr/bin/env bash
# Times every variant of every sample on a GPU with the generated bench.cu, and reads hardware counters with ncu
# where it is installed. Needs nvcc and a GPU; no Python. Then, on any machine: tests/gpu/summarize.py RESULTS
#   kmutate variants samples/NAME.cu -o FOLDER/NAME   (for each sample, on any machine)
#   tests/gpu/measure_samples.sh FOLDER RESULTS
# ARCH (sm_90), ROUNDS (15 timed launches of each variant) and NCU_LIMIT (150 seconds of profiling for each sample; what
# it cuts off is missing in the counters) can be set in the environment.
set -u
[ $# -eq 2 ] || { sed -n "2,7s/^# //p" "$0" >&2; exit 2; }
folder=$1 results=$2 arch=${ARCH:-sm_90}
mkdir -p "$results"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
{
    date -u +%FT%TZ
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader
    nvcc --version | tail -2
} > "$results/machine.txt"
find "$folder" -mindepth 2 -maxdepth 2 -name bench.cu -printf '%h\n' | sort > "$build/all"
xargs -P "$(nproc)" -I{} sh -c 'n=$(basename {}); nvcc -O3 -arch='"$arch"' -o '"$build"'/$n {}/bench.cu 2> '"$build"'/$n.log || echo "nvcc failed: $n"' < "$build/all"
while read -r d; do
    n=$(basename "$d")
    [ -x "$build/$n" ] || continue
    (cd "$d" && timeout 100 "$build/$n" --rounds "${ROUNDS:-15}" --json) > "$results/$n.json" 2> "$results/$n.err"
    echo "$n: exit $?"
done < "$build/all"
command -v ncu > /dev/null || exit 0
metrics=smsp__inst_executed.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,smsp__sass_inst_executed_op_shared_ld.sum
metrics+=,smsp__sass_inst_executed_op_shared_st.sum,l1tex__data_bank_conflicts_pipe_lsu.sum
metrics+=,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,smsp__sass_thread_inst_executed_op_fadd_pred_on.sum
metrics+=,smsp__sass_thread_inst_executed_op_fmul_pred_on.sum,smsp__sass_thread_inst_executed_op_dfma_pred_on.sum
metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active,gpu__time_duration.sum
while read -r d; do
    n=$(basename "$d")
    [ -x "$build/$n" ] || continue
    # The harness warms up and times each variant; the last launch of each is what is read.
    (cd "$d" && timeout "${NCU_LIMIT:-150}" ncu --clock-control none --csv --page raw --metrics "$metrics" \
        --kernel-name-base demangled -k 'regex:km_' "$build/$n" --rounds 1) > "$results/$n.ncu.csv" 2> "$results/$n.ncu.err"
    echo "$n: ncu exit $?"
done < "$build/all"
