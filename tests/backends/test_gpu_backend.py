"""The real driver on a real GPU: faults, restoring, variables, arguments, and the bits of the arrays."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from plans import cubin, launch

from mutate.backends import process
from mutate.backends.gpu import NoGpu, find_gpu, measure
from mutate.backends.session import Measurement
from mutate.launch.data import materialize
from mutate.timing import Gpu, Plan, Run, RunOutcome, Session, Settings

pytestmark = pytest.mark.gpu
QUICK = Settings(budget=1.0, least_rounds=7, most_rounds=20, limit=3.0)
SPIN = """
__device__ void spin(double microseconds)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now < start + microseconds * 1000);
}
"""
KERNELS = SPIN + r"""
struct Job { float *out; int n; double by; char tail; };
__constant__ int wait_us;
__device__ int more_us[2];
extern "C" {
__global__ void add(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += in[i];
}
__global__ void null(float *out, const float *in, int n) { *(volatile int *)nullptr = n; }
__global__ void far(float *out, const float *in, int n) { out[(size_t)n << 34] = 1; }
__global__ void odd(float *out, const float *in, int n) { *(volatile float *)((char *)out + 1) = 1; }
__global__ void forever(float *out, const float *in, int n) { while (*(volatile float *)out < 1e30f) {} }
__global__ void print(float *out, const float *in, int n) { printf("hello %d from a kernel\n", n); }
__global__ void trap(float *out, const float *in, int n) { asm volatile("trap;"); }
__global__ void count(float *out, const float *in, int n)
{
    spin(50 + 50 * out[0]);
    out[0] += 1;
}
__global__ void symbols(float *out, const float *in, int n) { spin(wait_us + more_us[1]); more_us[1] = 0; }
__global__ void job(short first, Job job, long long last)
{
    int i = threadIdx.x;
    if (i < job.n) job.out[i] = first + job.by * i + last + job.tail;
}
__global__ void tiny(float *out, const float *in, int n) { if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x]; }
}
"""
ARRAYS = "int n = 4096; dim3 grid = 16, block = 256; float out[n] = zeros(), in[n] = uniform(0, 1); add(out, in, n);"


@pytest.fixture(scope="module")
def gpu() -> Iterator[Gpu]:
    found = find_gpu()
    if isinstance(found, NoGpu):
        pytest.skip(f"{found.why}: {found.hint}")
    yield found
    process.close_all()


def plan(gpu: Gpu, *names: str, declaration: str = ARRAYS, source: str = KERNELS, in_place: bool = True) -> Plan:
    code = cubin(source, names[0], "sm_{}{}".format(*gpu.capability))
    return Plan("plan", launch(declaration), tuple(Run(n, code, n) for n in names), ("out",), in_place)


def run(what: Plan, settings: Settings = QUICK) -> Session:
    (session,) = measure([what], settings)
    return session


def outcomes(session: Session) -> list[str]:
    return [str(r.outcome) for r in session.runs]


def mid(session: Session, name: str) -> float:
    found = session.run(name)
    assert found is not None and found.outcome is RunOutcome.OK, session
    return float(np.median(found.times_ms))


def test_a_session(gpu: Gpu) -> None:
    session = run(plan(gpu, "add", "tiny"))
    assert outcomes(session) == ["ok", "ok"] and session.restarts == 0
    assert session.gpu.name == gpu.name and session.gpu.uuid == gpu.uuid and "CuPy" in session.gpu.runtime
    assert len(session.overhead_ms) == session.rounds == len(session.runs[0].times_ms) >= QUICK.least_rounds
    assert 0.0005 < np.median(session.overhead_ms) < 0.05
    assert session.runs[0].registers and session.runs[0].resident_blocks


@pytest.mark.parametrize(("bad", "outcome"), [("null", "illegal-access"), ("far", "illegal-access"),
                                              ("odd", "illegal-access"), ("trap", "launch-failed")])
def test_a_fault_ends_one_run_only(gpu: Gpu, bad: str, outcome: str) -> None:
    session = run(plan(gpu, "add", bad, "tiny"))
    assert outcomes(session) == ["ok", outcome, "ok"] and session.restarts == 1, session.runs


def test_a_kernel_that_does_not_end_is_killed(gpu: Gpu) -> None:
    start = time.monotonic()
    session = run(plan(gpu, "add", "forever", "tiny"))
    assert outcomes(session) == ["ok", "timeout", "ok"] and session.restarts == 1
    assert time.monotonic() - start < 40


def test_resources_that_no_block_has_are_an_outcome(gpu: Gpu) -> None:
    what = plan(gpu, "add", "tiny")
    session = run(replace(what, runs=(what.runs[0], replace(what.runs[1], dynamic_smem=1 << 20))))
    assert outcomes(session) == ["ok", "launch-failed"] and session.restarts == 0


def test_code_for_another_gpu_is_an_outcome(gpu: Gpu) -> None:
    other = "sm_90" if gpu.capability != (9, 0) else "sm_80"
    what = plan(gpu, "add")
    session = run(replace(what, runs=(*what.runs, Run("tiny", cubin(KERNELS, "tiny", other), "tiny"))))
    assert outcomes(session) == ["ok", "launch-failed"]
    assert "sm_{}{}".format(*gpu.capability) in session.runs[1].message


def test_shared_memory_beyond_48_kb_is_opted_in_and_limits_blocks(gpu: Gpu) -> None:
    what = plan(gpu, "add", "tiny")
    session = run(replace(what, runs=(replace(what.runs[0], dynamic_smem=60 * 1024, carveout_percent=100),)))
    assert outcomes(session) == ["ok"]
    assert session.runs[0].resident_blocks in (1, 2, 3)


def test_arrays_larger_than_the_memory(gpu: Gpu) -> None:
    count = gpu.memory_bytes // 4
    session = run(plan(gpu, "add", declaration=ARRAYS.replace("n = 4096", f"n = 4096; size_t m = {count}")
                       .replace("[n]", "[m]")))
    assert outcomes(session) == ["out-of-memory"] and "GB are free" in session.runs[0].message


def test_what_kernels_print_does_not_disturb(gpu: Gpu) -> None:
    assert outcomes(run(plan(gpu, "print", "add"))) == ["ok", "ok"]


def test_arrays_are_restored_where_a_kernel_works_in_place(gpu: Gpu) -> None:
    restored = run(plan(gpu, "count"))
    assert max(restored.runs[0].times_ms) < 0.1
    left = run(plan(gpu, "count", in_place=False))
    assert left.runs[0].times_ms[-1] > left.runs[0].times_ms[0] + 0.1


def test_variables_of_the_module_are_set_before_each_launch(gpu: Gpu) -> None:
    declaration = ARRAYS.replace("add(", "__constant__ int wait_us = 100; __device__ int more_us[2] = { 0, 200 }; add(")
    session = run(plan(gpu, "symbols", declaration=declaration))
    assert min(session.runs[0].times_ms) > 0.29 and max(session.runs[0].times_ms) < 0.4


def contents(what: Plan, name: str, launches: int = 0, offset: int = 0, nbytes: int | None = None) -> bytes:
    """An array of a plan on the GPU, after its first run was launched so many times."""
    made = Measurement(what, QUICK, process.hire(0), lambda *_: None)
    made.prepare()
    child: Any = made.child
    for _ in range(launches):
        child.ask({"do": "try", "run": 0}, limit=10.0)
    size = what.launch.array(name).nbytes if nbytes is None else nbytes
    _, data = child.ask({"do": "read", "array": name, "offset": offset, "nbytes": size})
    process.give_back(child)
    return data


def test_arguments_of_all_kinds_arrive(gpu: Gpu) -> None:
    declaration = """struct Job { float *out; int n; double by; char tail; };
        dim3 grid = 1, block = 64; float out[64] = zeros(); struct Job j = { out, 60, 0.5, 3 };
        job((short)-7, j, 1000000LL);"""
    data = np.frombuffer(contents(plan(gpu, "job", declaration=declaration), "out", 1), np.float32)
    wanted = np.where(np.arange(64) < 60, -7 + 0.5 * np.arange(64) + 1000000 + 3, 0).astype(np.float32)
    assert np.array_equal(data, wanted)


EXACT = [
    *(f"{kind} a[n] = {init}" for kind in ("float", "double", "half", "__nv_bfloat16", "float4") for init in (
        "uniform(-3, 5)", "randint(-70000, 70001)", "iota(-2, 0.3)", "fill(0.1)", "zeros()")),
    *(f"{kind} a[n] = {init}" for kind in ("int", "unsigned", "long long", "short", "unsigned char", "int2")
      for init in ("randint(3, 120)", "iota(-5, 7)", "fill(-3)")),
    "int a[n] = permutation()", "long a[n] = permutation()", "int a[n] = csr_colidx(1 << 20)",
    "int a[n] = ascending(3, 120)", "float a[n] = ascending(-3, 5)",
    "bool a[n] = randint(0, 2)", "int a[n + 1] = csr_rowptr(n, 1, 9)", "short a[n] = { 1, -2, [2000] = 3 }",
]


def filled(gpu: Gpu, declarations: list[str]) -> tuple[Plan, list[str]]:
    """One launch with an array for each declaration, so that all are made by one process."""
    names = [f"a{i}" for i in range(len(declarations))]
    text = "int n = 3001; dim3 grid = 1, block = 1; " + "; ".join(
        d.replace(" a[", f" {name}[") for d, name in zip(declarations, names, strict=True))
    source = f'struct All {{ void *p[{len(names)}]; }}; extern "C" __global__ void none(All all) {{}}'
    text += (f"; struct All {{ void *p[{len(names)}]; }}; struct All all = {{ {{ {', '.join(names)} }} }};"
             " none(all);")
    return plan(gpu, "none", declaration=text, source=source), names


def test_the_gpu_makes_the_same_bits_as_numpy(gpu: Gpu) -> None:
    what, names = filled(gpu, EXACT)
    made = Measurement(what, QUICK, process.hire(0), lambda *_: None)
    made.prepare()
    child: Any = made.child
    for name, text in zip(names, EXACT, strict=True):
        array = what.launch.array(name)
        _, data = child.ask({"do": "read", "array": name, "offset": 0, "nbytes": array.nbytes})
        assert data == np.ascontiguousarray(materialize(array)).tobytes(), text
    process.give_back(child)


def test_normal_numbers_are_close(gpu: Gpu) -> None:
    what, names = filled(gpu, ["float a[n] = normal(1, 3)", "double a[n] = normal()"])
    for name, kind in zip(names, (np.float32, np.float64), strict=True):
        data = np.frombuffer(contents(what, name), kind)
        assert np.allclose(data, materialize(what.launch.array(name)), rtol=1e-6, atol=1e-9)


def test_large_arrays_are_made_in_no_time(gpu: Gpu) -> None:
    text = ("size_t n = 200000000; dim3 grid = 1, block = 1; float out[n] = uniform(0, 1), in[n] = normal();"
            " add(out, in, 0);")
    what = plan(gpu, "add", declaration=text)
    contents(what, "out", nbytes=4)  # compiles
    start = time.monotonic()
    count = 1000
    offset = what.launch.array("out").count - count
    data = contents(what, "out", offset=4 * offset, nbytes=4 * count)
    assert time.monotonic() - start < 1.0
    assert data == materialize(what.launch.array("out"), offset, count).tobytes()


def test_with_a_warm_l2_a_short_kernel_is_timed_in_batches(gpu: Gpu) -> None:
    what = plan(gpu, "tiny", in_place=False)
    cold, warm = run(what), run(what, replace(QUICK, l2="warm"))
    assert cold.batch == 1 and warm.batch > 1
    assert mid(warm, "tiny") < mid(cold, "tiny")


def test_a_process_that_is_killed_is_replaced(gpu: Gpu) -> None:
    killed = []

    def progress(what: str, done: int, total: int) -> None:
        if "timing" in what and done == 5 and not killed and made.child is not None:
            killed.append(made.child.pid)
            made.child._process.kill()

    made = Measurement(plan(gpu, "add", "tiny"), QUICK, process.hire(0), progress)
    session = made.measure()
    assert outcomes(session) == ["ok", "ok"] and session.restarts == 1 and killed
    assert {len(r.times_ms) for r in session.runs} == {session.rounds}
    if made.child is not None:
        process.give_back(made.child)
