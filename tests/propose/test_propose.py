"""Declarations proposed from host code: what is followed, what is guessed, and that all of them parse."""

from __future__ import annotations

import re

import pytest

from mutate.frontend.load import load_unit
from mutate.launch import Launch, check_against, declaration_file, evaluate_all
from mutate.launch.model import ArrayArg
from mutate.propose import Proposals, propose, with_host
from mutate.resources import samples_dir

COPY = """__global__ void copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
"""
MAIN = """int main(int argc, char **argv)
{
    float *a, *b;
    %s
}
"""


def proposed(source: str, name: str = "kernel.cu") -> Proposals:
    return propose(load_unit(source.encode(), name))


def launches_of(source: str, found: Proposals) -> list[Launch]:
    """The proposals' text through the parser that reads declarations."""
    unit = load_unit(source.encode(), "kernel.cu")
    defines = {m.name if m.params is None else f"{m.name}({', '.join(m.params)})": m.body.decode()
               for m in unit.main.expansion.macros.values()}
    text = "\n".join(p.text for p in found.proposals)
    out = list(evaluate_all(declaration_file(text.encode(), "p.launch"), defines))
    for la in out:
        kernel = next(k for k in unit.kernels if k.qualified == la.kernel)
        check_against(la, [(p.type_text, p.name) for p in kernel.params])
    return out


def one(body: str, kernel: str = COPY, before: str = "") -> tuple[Launch, Proposals]:
    source = before + kernel + MAIN % body
    found = proposed(source)
    assert len(found.proposals) == 1 and not found.proposals[0].problem
    launches = launches_of(source, found)
    assert len(launches) == 1
    return launches[0], found


def sizes(launch: Launch) -> list[int]:
    return [launch.array(a.array).count for a in launch.args if isinstance(a, ArrayArg) and a.array]


ALLOCATE = "cudaMalloc(&a, n * sizeof(float)); cudaMalloc((void **)&b, sizeof(float) * n);"


@pytest.mark.parametrize("body", [
    "int n = 4096; " + ALLOCATE + " copy<<<n / 256, 256>>>(a, b, n);",
    "const int n = 4096; " + ALLOCATE + " dim3 grid(n / 256), block(256); copy<<<grid, block>>>(a, b, n);",
    "constexpr int n = 1 << 12; " + ALLOCATE + " copy<<<dim3(16, 1, 1), dim3{256}>>>(a, b, n);",
    "int n = argc > 1 ? atoi(argv[1]) : 4096; " + ALLOCATE + " copy<<<(n + 255) / 256, 256>>>(a, b, n);",
    "int n = 4096; if (argc > 1) n = atoi(argv[1]); " + ALLOCATE + " copy<<<n / 256, 256, 0, 0>>>(a, b, n);",
    "int n; n = 4096; " + ALLOCATE + " dim3 g; g.x = n / 256; copy<<<g, 256>>>(a, b, n);",
    "int n = 2048; n *= 2; " + ALLOCATE + " copy<<<std::max(1, n / 256), 256u>>>(a, b, n);",
    "int n = 4096; size_t bytes = n * sizeof(float); cudaMallocManaged(&a, bytes); cudaMallocAsync(&b, bytes, 0);"
    " copy<<<static_cast<unsigned>(n / 256), 256>>>(a, b, n);",
    "int n = 4096; check(cudaMalloc(&a, n * sizeof(*a))); check(cudaMalloc(&b, n * sizeof *b));"
    " for (int k = 0; k < 9; k++) copy<<<n / 256, 256>>>(a, b, n);",
    "int n = 4096; thrust::device_vector<float> x(n), y(n); copy<<<n / 256, 256>>>("
    "thrust::raw_pointer_cast(x.data()), y.data().get(), n);",
    "int n = 4096; std::vector<float> h(n); cudaMalloc(&a, h.size() * sizeof(float)); cudaMalloc(&b, 16384);"
    " copy<<<h.size() / 256, 256>>>(a, b, h.size());",
    "int n = 4096; " + ALLOCATE + " void *args[] = { &a, &b, &n };"
    " cudaLaunchKernel((void *)copy, dim3(n / 256), dim3(256), args, 0, 0);",
    "int n = 4096; while (n * 4 > free_bytes()) n /= 2; " + ALLOCATE + " copy<<<n / 256, 256>>>(a, b, n);",
    "int n = 4096; " + ALLOCATE + " auto kernel = copy; kernel<<<n / 256, 256>>>(a, b, n);",
])
def test_ways_to_launch_4096_elements(body: str) -> None:
    launch, found = one(body)
    assert (launch.grid, launch.block, launch.smem) == ((16, 1, 1), (256, 1, 1), 0)
    assert sizes(launch) == [4096, 4096]
    assert [g.name for g in found.proposals[0].guesses] == []
    assert launch.args[2].as_value().data == 4096
    init = {a.name: a.init.kind for a in launch.arrays}
    assert sorted(init.values()) == ["uniform", "zeros"], "what is only written starts as zeros"


def test_sizes_stay_variables() -> None:
    source = COPY + MAIN % ("int n = 4096; " + ALLOCATE + " copy<<<n / 256, 256>>>(a, b, n);")
    text = proposed(source).proposals[0].text.encode()
    launch = evaluate_all(declaration_file(text, "p"), {}, {"n": "1024"})[0]
    assert launch.grid == (4, 1, 1) and sizes(launch) == [1024, 1024]


def test_macros_stay_macros() -> None:
    before = "#define TILE 16\n#define DIV_UP(a, b) (((a) + (b) - 1) / (b))\n"
    source = before + COPY + MAIN % ("int n = 4000; " + ALLOCATE + " copy<<<DIV_UP(n, TILE), TILE>>>(a, b, n);")
    found = proposed(source)
    assert "dim3 block = { TILE };" in found.proposals[0].text
    assert launches_of(source, found)[0].grid == (250, 1, 1)


def test_callers_are_followed() -> None:
    source = COPY + """
static int blocks_for(int n, int block) { return (n + block - 1) / block; }
template <typename T> void run(T *out, T *in, int count, int block)
{
    size_t smem = block * sizeof(T);
    copy<<<blocks_for(count, block), block, smem>>>(out, in, count);
}
int main()
{ const int n = 1000; float *x, *y; cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, 4 * n); run(x, y, n, 64); }
"""
    found = proposed(source)
    launch = launches_of(source, found)[0]
    assert (launch.grid, launch.block, launch.smem) == ((16, 1, 1), (64, 1, 1), 256)
    assert sizes(launch) == [1000, 1000] and not found.proposals[0].guesses
    assert found.proposals[0].function == "run"


def test_branches_decide_and_instances_are_apart() -> None:
    source = """template <int B> __global__ void sum(const int *in, int *out) { out[blockIdx.x] = in[threadIdx.x] + B; }
int main()
{
    int *in, *out, n = 8192; cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4);
    for (int b = 64; b <= 128; b *= 2)
        switch (b) {
        case 64: sum<64><<<n / b, b>>>(in, out); break;
        case 128: sum<128><<<n / b, b>>>(in, out); break;
        }
}
"""
    found = proposed(source)
    assert [p.instance for p in found.proposals] == ["sum<64>", "sum<128>"]
    assert [(la.grid[0], la.block[0]) for la in launches_of(source, found)] == [(128, 64), (64, 128)]


def test_template_types_come_from_the_arguments() -> None:
    kernel = COPY.replace("float", "T").replace("__global__", "template <typename T> __global__")
    source = kernel + "int main() { double *a, *b; cudaMalloc(&a, 80); cudaMalloc(&b, 80); copy<<<1, 10>>>(a, b, 10); }"
    found = proposed(source)
    assert found.proposals[0].instance == "copy<double>"
    assert sizes(launches_of(source, found)[0]) == [10, 10]


def test_a_template_around_the_launch_is_taken_as_instantiated_or_as_float() -> None:
    source = """template <class T> __global__ void fill(T *out, int n) { if (threadIdx.x < n) out[threadIdx.x] = 0; }
template <class T> void inner(T *p, int n) { fill<T><<<1, n>>>(p, n); }
template <class T> void outer() { T *p; cudaMalloc(&p, 64 * sizeof(T)); inner<T>(p, 64); }
"""
    (found,) = proposed(source).proposals
    assert "fill<float>(" in found.text
    assert not found.problem
    (found,) = proposed(source + "template void inner<int>(int *, int);").proposals
    assert "fill<int>(" in found.text


def test_symbols_structs_and_pitches() -> None:
    source = """struct Body { float x, y; int id; };
typedef double real;
__constant__ float c_weights[3];
__constant__ int c_count;
__global__ void step(Body *bodies, real *rows, size_t pitch, real dt)
{ if (threadIdx.x < c_count) { bodies[threadIdx.x].x += c_weights[0] * dt; rows[threadIdx.x] = pitch; } }
int main()
{
    const float weights[3] = {0.25f, -0.5f, 0.25f};
    int count = 100;
    Body *bodies; real *rows; size_t pitch;
    cudaMalloc(&bodies, count * sizeof(Body));
    cudaMallocPitch(&rows, &pitch, 1000, 8);
    cudaMemcpyToSymbol(c_weights, weights, sizeof(weights));
    cudaMemcpyToSymbol(c_count, &count, sizeof(int));
    step<<<1, 128>>>(bodies, rows, pitch, 0.5);
}
"""
    found = proposed(source)
    launch = launches_of(source, found)[0]
    assert {s.name: s.init.data for s in launch.symbols}["c_count"] == (100).to_bytes(4, "little")
    assert launch.array("bodies").elem.size == 12 and launch.array("bodies").count == 100
    assert launch.array("rows").count == 1024 * 8 // 8 and launch.args[2].as_value().data == 1024
    early = source.replace("real *rows, size_t pitch,", "size_t pitch, real *rows,")
    early = early.replace("rows, pitch, 0.5", "width, rows, 0.5")
    early = early.replace("8);\n", "8); int width = pitch / sizeof(real);\n")
    launch = launches_of(early, proposed(early))[0]
    assert launch.args[1].as_value().data == 128 and launch.array("rows").count == 1024 * 8 // 8
    assert "{ 0.25f, -0.5f, 0.25f }" in found.proposals[0].text


def test_indices_stay_within_what_they_index() -> None:
    kernel = """__global__ void gather(float *out, const float *table, const int *index, const int *start, int n)
{
    int i = threadIdx.x;
    if (i < n) { int k = index[i]; for (int j = start[i]; j < start[i + 1]; j++) out[i] += table[k]; }
}
"""
    launch, _ = one("int n = 32; int *k, *s; cudaMalloc(&a, n * 4); cudaMalloc(&b, 512 * 4); cudaMalloc(&k, n * 4);"
                    " cudaMalloc(&s, (n + 1) * sizeof(int)); gather<<<1, n>>>(a, b, k, s, n);", kernel)
    init = {a.name: a.init for a in launch.arrays}
    assert init["k"].kind == "randint" and init["k"].args == (0, 512)
    assert init["s"].kind == "csr_rowptr"


def test_offsets_and_shared_arrays() -> None:
    launch, _ = one("int n = 64; cudaMalloc(&a, 2 * n * sizeof(float)); copy<<<1, n>>>(a, a + n, n);")
    assert len(launch.arrays) == 1 and launch.arrays[0].count == 128
    assert [a.offset for a in launch.args if isinstance(a, ArrayArg)] == [0, 256]
    launch, _ = one("copy<<<1, 64>>>(nullptr, NULL, 0);")
    assert [a.as_value().data for a in launch.args] == [0, 0, 0] and launch.arrays == ()


def test_what_is_not_found_is_a_marked_guess() -> None:
    source = COPY + ("void run(float *out, torch::Tensor in)"
                     "{ copy<<<4, 64>>>(out, in.data_ptr<float>(), in.size(0)); }\n")
    found = proposed(source)
    proposal = found.proposals[0]
    assert {g.name for g in proposal.guesses} == {"out", "in", "n"}
    marked = [line for line in proposal.text.split("\n") if "not found in the host code" in line and "set it" in line]
    assert len(marked) == 3
    launches_of(source, found)


def test_numbers_of_the_types_that_the_file_defines_are_guessed_as_others_are() -> None:
    source = ("typedef double real; typedef real number;\n"
              "__global__ void k(real *p, number dt, int n) { *p = dt + n; }\n"
              "int main() { real *p; cudaMalloc(&p, 64 * sizeof(real)); k<<<1, 64>>>(p, later(), 5); }\n")
    found = proposed(source)
    (launch,) = launches_of(source, found)
    assert [(g.name, g.assumed) for g in found.proposals[0].guesses] == [("dt", "1")]
    assert launch.args[1].as_value().data == 1.0


def test_a_value_that_a_call_sets_is_not_taken_for_its_initial_one() -> None:
    launch, found = one("int n = 64, block = 0, blocks = 0; cudaOccupancyMaxPotentialBlockSize(&blocks, &block, copy);"
                        + ALLOCATE + " copy<<<blocks, block>>>(a, b, n);")
    assert {g.name for g in found.proposals[0].guesses} == {"blocks", "block_size"}
    assert launch.threads == 256 and "sets it" in found.proposals[0].guesses[0].why


def test_a_block_that_does_not_fit_is_guessed() -> None:
    launch, found = one("int n = 4096; " + ALLOCATE + " copy<<<1, n>>>(a, b, n);")
    assert launch.threads == 256 and [g.name for g in found.proposals[0].guesses] == ["block"]
    assert sizes(launch) == [4096, 4096], "the rest is kept"


def test_tables_of_kernels() -> None:
    source = COPY + """
struct Rung { const char *name; void (*kernel)(float *, const float *, int); int blocks; };
int main()
{
    float *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096);
    const Rung ladder[] = { {"one", copy, 4} };
    for (const Rung &rung : ladder) rung.kernel<<<rung.blocks, 256>>>(a, b, 1024);
}
"""
    found = proposed(source)
    assert launches_of(source, found)[0].grid == (4, 1, 1)


def test_launches_that_are_not_understood_are_listed() -> None:
    found = proposed(COPY + "int main() { other<<<1, 1>>>(); }\n")
    assert [s.line for s in found.skipped] == [6] and "not defined in this file" in found.skipped[0].why
    assert [p.function for p in found.proposals] == [""], "a start by the parameters alone"


def test_host_code_in_another_file() -> None:
    source = COPY + "void run(float *o, float *i, int n) { copy<<<n / 64, 64>>>(o, i, n); }\n"
    kernels = load_unit(source.encode(), "k.cu")
    host = load_unit(b"void run(float *, float *, int);\nint main() { float *x, *y; cudaMalloc(&x, 512); "
                     b"cudaMalloc(&y, 512); run(x, y, 128); }\n", "main.cpp")
    assert propose(kernels).proposals[0].guesses
    together = propose(with_host(kernels, host)).proposals[0]
    assert not together.guesses and "dim3 grid = { 128 / 64 };" in together.text.replace("n / 64", "128 / 64")


@pytest.mark.parametrize("body", [
    "copy<<<1>>>(a, b, 1);", "copy<<<x(), y->z[3]>>>(q.r, *s, t ? u : v);", "copy<<<1, 1>>>();",
    "copy<<<1, 1>>>(a, b, 1, 2, 3);", "int n = n; copy<<<n, n>>>(a, a + a, n);",
    "auto f = [&](int k) { copy<<<k, k>>>(a, b, k); }; f(3);", "copy<<<1, 1>>>(a, b, (((((((((1))))))))));",
    "int n = 1 / 0; copy<<<n, n>>>(a, b, n);", "copy<<<-1, 100000>>>(a, b, 1 << 40);",
    "float *p = a; p = p + 1; copy<<<1, 1>>>(p, p++, 3);", "/* */ copy<<<1, 1>>>(a, b, sizeof(struct Unknown));"])
def test_odd_host_code_gives_a_declaration_or_none_but_no_error(body: str) -> None:
    source = COPY + MAIN % body
    found = proposed(source)
    for proposal in found.proposals:
        assert proposal.text.count("*/") == 1
    if found.proposals and not any(p.problem for p in found.proposals):
        launches_of(source, found)


def test_a_macro_that_is_in_the_way_is_a_problem_that_is_said() -> None:
    source = "#define block 16\n" + COPY + MAIN % "copy<<<block, block>>>(a, b, 1);"
    (proposal,) = proposed(source).proposals
    assert proposal.problem and "copy(" in proposal.text


def test_kernels_without_parameters() -> None:
    source = "__global__ void nothing(void) {}\nint main() { nothing<<<1, 32>>>(); }\n"
    found = proposed(source)
    assert launches_of(source, found)[0].args == ()


STRIPPED = re.compile(rb"/\* kmutate launch.*?\*/", re.DOTALL)


@pytest.mark.parametrize("name", ["fd3d", "matmul", "reduction", "spmv_csr"])
def test_samples_with_a_main_get_their_declared_launches_back(name: str) -> None:
    source = (samples_dir() / f"{name}.cu").read_bytes()
    unit = load_unit(source, f"{name}.cu")
    defines = {m.name: m.body.decode() for m in unit.main.expansion.macros.values() if m.params is None}
    from mutate.launch import find_declarations

    declared = evaluate_all(find_declarations(source, name), defines)
    stripped = STRIPPED.sub(lambda m: re.sub(rb"[^\n]", b" ", m.group()), source)
    found = propose(load_unit(stripped, f"{name}.cu"))
    launches = {la.instance: la for la in launches_of(stripped.decode(), found)}
    assert set(launches) <= {la.instance for la in declared}
    assert {la.kernel for la in launches.values()} == {la.kernel for la in declared}
    for mine in launches.values():
        # A kernel may be declared with several grids.
        same = [la for la in declared if (la.instance, la.grid, la.block, la.smem)
                == (mine.instance, mine.grid, mine.block, mine.smem)]
        assert len(same) == 1
        la = same[0]
        # How many entries spmv_csr's matrix has is decided when it runs; reduction allocates for its widest step.
        if name not in ("spmv_csr", "reduction"):
            assert sorted(a.nbytes for a in mine.arrays) == sorted(a.nbytes for a in la.arrays)
            assert [s.init for s in mine.symbols] == [s.init for s in la.symbols]
            assert not any(p.guesses for p in found.proposals)




def test_members_are_looked_up_where_they_are_assigned() -> None:
    source = COPY + """
struct Work { size_t bytes; int count, blocks; float *in, *out; };
void prepare(Work *w)
{
    w->count = 1 << 10;
    size_t bytes = w->count * sizeof(float);
    w->bytes = bytes;
    w->blocks = w->count / 64;
    cudaMalloc(&w->in, w->bytes);
    cudaMalloc(&w->out, bytes);
}
int main() { Work w; prepare(&w); copy<<<w.blocks, 64>>>(w.out, w.in, w.count); }
"""
    found = proposed(source)
    launch = launches_of(source, found)[0]
    assert not found.proposals[0].guesses
    assert launch.grid == (16, 1, 1) and sizes(launch) == [1024, 1024]


def test_guessed_textures_are_honest() -> None:
    source = """__global__ void look(float *out, cudaTextureObject_t image) { out[0] = tex3D<float>(image, 0, 0, 0); }
void run(float *out, cudaTextureObject_t t) { look<<<1, 1>>>(out, t); }
"""
    assert any("image" in g.name for g in proposed(source).proposals[0].guesses)


PUSH = """struct Parts { float *x, *v; const float *m; int n; float dt; };
__global__ void push(Parts p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) p.x[i] += p.dt * p.v[i] / p.m[i];
}
"""


@pytest.mark.parametrize(("body", "open_members"), [
    ("Parts p; p.n = 4096; p.dt = 0.5f; size_t bytes = p.n * sizeof(float); cudaMalloc(&p.x, bytes);"
     " cudaMalloc((void **)&p.v, bytes); cudaMalloc(&a, bytes); p.m = a; push<<<p.n / 256, 256>>>(p);", ""),
    ("int n = 4096; float *c; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&c, n * 4);"
     " Parts p = {a, b, c, n, 0.5f}; push<<<p.n / 256, 256>>>(p);", ""),
    ("Parts q; fill(&q, 4096); q.dt = 0.5f; push<<<16, 256>>>(q);", ""),
    ("int n = 4096; Parts p; p.n = n; cudaMalloc(&p.x, n * 4); p.v = nullptr; push<<<n / 256, 256>>>(p);", "m, dt"),
])
def test_the_members_of_a_structure_are_followed(body: str, open_members: str) -> None:
    fill = "void fill(Parts *p, int n) { p->n = n; cudaMalloc(&p->x, n * 4); cudaMalloc(&p->v, n * 4);\n" \
           "    float *m; cudaMalloc(&m, n * 4); cudaMalloc((void **)&p->m, n * 4); }\n"
    launch, found = one(body, PUSH + fill * ("fill" in body))
    assert [g.why for g in found.proposals[0].guesses] == [f"{open_members}: not found in the host code"] * bool(
        open_members)
    assert launch.grid == (16, 1, 1)
    counts = [a.count for a in launch.arrays]
    assert counts == [4096] * (1 if "nullptr" in body else 3)


def test_a_size_is_a_member_of_a_structure_that_is_given_in_braces() -> None:
    kernel = COPY.replace("int n)", "Size s)").replace("i < n", "i < s.n")
    launch, found = one("Size s = {4096, 1}; cudaMalloc(&a, s.n * 4); cudaMalloc(&b, s.n * 4);"
                        " copy<<<s.n / 256, 256>>>(a, b, s);", "struct Size { int n, m; };\n" + kernel)
    assert not found.proposals[0].guesses and sizes(launch) == [4096, 4096]
