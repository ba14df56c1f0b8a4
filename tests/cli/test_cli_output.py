"""What ``kmutate`` prints and writes when all is well: one table, or one JSON document, and files in one folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import mutate.report
from mutate.cli.main import cli, main
from mutate.model import Outcome, Verdict
from mutate.mutations.registry import all_mutations
from mutate.pipeline.run import run_variants
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.toolchain import locate, nvrtc
from mutate.toolchain.locate import Toolchain, find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
SCHEMA = json.loads((Path(mutate.report.__file__).parent / "schemas" / "variants-1.json").read_text())
ANSI = re.compile(r"\x1b\[")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with two samples. Relative names keep the compile cache warm between runs."""
    monkeypatch.chdir(tmp_path)
    for name in ("transpose", "spmv_csr", "vec4_copy", "reduction"):
        shutil.copy(samples_dir() / f"{name}.cu", tmp_path)
    return tmp_path


def kmutate(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mutate", *args], capture_output=True, text=True, check=False)


def _validate(text: str) -> dict[str, object]:
    document = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert isinstance(document, dict)
    return document


@needs_nvrtc
def test_the_table_counts_integers_where_there_is_no_floating_point(here: Path) -> None:
    Path("mix.cu").write_text("__global__ void mix(unsigned *p) { unsigned x = p[threadIdx.x]; "
                              "p[threadIdx.x] = (x ^ x >> 7) * 0x9e3779b1u; }\n")
    done = kmutate("variants", "mix.cu", "spmv_csr.cu", "-k", "^(mix|spmv_scalar)$", "-m", "memory-only")
    heads = [line.split()[-1] for line in done.stdout.splitlines() if line.startswith("variant ")]
    assert sorted(heads) == ["fp", "int"], done.stdout
    assert "floating point, int: of integers, addresses too;" in " ".join(done.stdout.split()), done.stdout


@needs_nvrtc
def test_json_is_one_document_of_the_schema(here: Path) -> None:
    done = kmutate("variants", "spmv_csr.cu", "--json")
    assert done.returncode == 0, done.stderr
    document = _validate(done.stdout)
    assert document["schema"] == "kmutate.variants/1"
    names = [k["name"] for k in document["kernels"]]  # type: ignore[attr-defined, index]
    assert names == ["spmv_scalar", "spmv_vector"]
    for kernel in document["kernels"]:  # type: ignore[attr-defined]
        assert [v["mutation"] for v in kernel["variants"]] == list(all_mutations())
        for variant in kernel["variants"]:
            if variant["outcome"] == "ok":
                assert Path(variant["path"]).read_text()
                assert Path(variant["diff"]).read_text()
                assert variant["certificate"]["static"]["original"]
            else:
                assert variant["refusals"][0]["slug"]


def test_json_of_an_unproven_run_and_of_a_failure_are_of_the_schema(here: Path) -> None:
    done = kmutate("variants", "transpose.cu", "--json", "--no-verify")
    assert done.returncode == 0, done.stderr
    document = _validate(done.stdout)
    reasons = document["kernels"][0]["variants"][0]["certificate"]["reasons"]  # type: ignore[index]
    assert [r["slug"] for r in reasons] == ["not-verified"]
    failed = kmutate("variants", "nowhere.cu", "--json")
    assert failed.returncode == 2
    error = _validate(failed.stdout)["error"]
    assert error["slug"] == "not-found"  # type: ignore[index]
    assert "[not-found]" in failed.stderr


@needs_nvrtc
def test_json_of_a_file_with_one_broken_kernel_has_the_other(here: Path) -> None:
    Path("half.cu").write_text("__global__ void good(float *p) { p[threadIdx.x] *= 2.0f; }\n"
                               "__global__ void bad(float *p) { p[threadIdx.x] = nothing; }\n")
    done = kmutate("variants", "half.cu", "--json", "-m", "memory-only")
    assert done.returncode == 2
    good, bad = _validate(done.stdout)["kernels"]  # type: ignore[misc]
    assert good["variants"][0]["outcome"] == "ok"
    assert bad["error"]["slug"] == "original-does-not-compile"
    assert "half.cu:2:" in done.stderr


def test_the_schema_is_strict() -> None:
    # A schema that takes anything proves nothing.
    document = {"schema": "kmutate.variants/1", "kmutate": "0", "file": "f", "arch": "sm_90", "kernels": []}
    _validate(json.dumps(document))
    for wrong in ({**document, "schema": "kmutate.variants/2"}, {**document, "surprise": 1},
                  {k: v for k, v in document.items() if k != "arch"}, {**document, "kernels": [{}]}):
        with pytest.raises(jsonschema.ValidationError):
            _validate(json.dumps(wrong))


@needs_nvrtc
def test_piped_output_is_plain_and_fits_80_columns(here: Path) -> None:
    done = kmutate("variants", "transpose.cu", "-o", "o")
    assert done.returncode == 0, done.stderr
    assert "transpose_padded" in done.stdout
    assert "memory-only" in done.stdout
    assert not ANSI.search(done.stdout + done.stderr)
    assert done.stderr == "", "no progress where nobody watches"
    for line in done.stdout.splitlines():
        assert len(line) <= 80 or line.startswith("next: "), line


@pytest.mark.parametrize("args", [("list",), ("list", "archs"), ("list", "machines"),
                                  *[("explain", m) for m in all_mutations()]])
def test_other_commands_are_plain_and_fit_80_columns(args: tuple[str, ...]) -> None:
    result = CliRunner().invoke(cli, list(args))
    assert result.exit_code == 0, result.output
    assert result.output.strip()
    assert not ANSI.search(result.output)
    assert max(map(len, result.output.splitlines())) <= 80


def test_list_names_all_mutations_and_samples() -> None:
    listed = json.loads(CliRunner().invoke(cli, ["list", "--json"]).output)
    assert [i["id"] for i in listed["items"]] == list(all_mutations())
    samples = json.loads(CliRunner().invoke(cli, ["list", "samples", "--json"]).output)
    assert {Path(i["id"]).name for i in samples["items"]} == {p.name for p in samples_dir().glob("*.cu")}
    assert all(i["summary"] for i in samples["items"]), "every sample says what it teaches"
    said = CliRunner().invoke(cli, ["list", "samples"]).output
    assert str(samples_dir()) in said.splitlines()[0] and "fd3d.cu " in said, "names stand in full"


def test_list_machines_says_what_each_is() -> None:
    listed = json.loads(CliRunner().invoke(cli, ["list", "machines", "--json"]).output)
    assert listed["what"] == "machines"
    said = {i["id"]: i["summary"] for i in listed["items"]}
    assert set(said) == {"h100", "h200", "a100", "t4", "l4", "rtx4090", "c2050", "gtx280"}
    assert all(("projection" in text) == (name in {"c2050", "gtx280"}) for name, text in said.items())
    assert "132 SMs" in said["h200"]
    assert "4800 GB/s" in said["h200"]
    assert all(("not calibrated" in text) == (name not in {"h100", "h200"}) for name, text in said.items())


@needs_nvrtc
def test_strict_turns_a_reservation_into_exit_code_1(here: Path) -> None:
    arguments = ["variants", "spmv_csr.cu", "-k", "spmv_scalar", "-o", "o", "-m"]
    for mutation, lax, strict in (("math-only", 0, 1), ("memory-only", 0, 0), ("no-sync", 0, 0)):
        for flags, code in (([], lax), (["--strict"], strict)):
            with pytest.raises(SystemExit) as ended:
                main([*arguments, mutation, *flags])
            assert (ended.value.code or 0) == code, mutation


def test_nothing_is_written_outside_the_output_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = here / "home"
    home.mkdir()
    work = here / "work"
    work.mkdir()
    shutil.copy(here / "transpose.cu", work)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "KMUTATE_"))}
    environment |= {"HOME": str(home), "KMUTATE_CACHE": str(here / "cache"), "TMPDIR": str(here / "tmp"),
                    "KMUTATE_CODE_CACHE": os.environ["KMUTATE_CODE_CACHE"]}  # not compiled again for this test
    (here / "tmp").mkdir()
    done = subprocess.run([sys.executable, "-m", "mutate", "variants", "transpose.cu", "-k", "transpose_padded",
                           "-m", "no-sync", "-o", "only/here"], cwd=work, env=environment, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 or find_toolchain().nvrtc is None, done.stderr
    assert sorted(p.name for p in work.iterdir()) == ["only", "transpose.cu"]
    assert not list(home.rglob("*"))
    assert not list((here / "tmp").iterdir())
    assert (work / "transpose.cu").read_bytes() == (samples_dir() / "transpose.cu").read_bytes()


def test_the_output_folder_holds_variants_diffs_manifest_and_bench(here: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["variants", "transpose.cu", "-k", "padded", "--no-verify", "-o", "o"])
    assert not ended.value.code
    names = {p.name for p in Path("o").iterdir()}
    assert names == {"manifest.json", "bench.cu", *(f"transpose_padded.{m}.{s}" for m in all_mutations()
                                                  for s in ("cu", "diff"))}
    manifest = json.loads(Path("o/manifest.json").read_text())
    source = Path("transpose.cu").read_bytes()
    assert {f["path"] for f in manifest["files"]} == {n for n in names if n.endswith(".cu")} - {"bench.cu"}
    for file in manifest["files"]:
        assert all(0 <= e["start"] <= e["end"] <= len(source) for e in file["edits"])


@pytest.mark.skipif(shutil.which("patch") is None, reason="no patch(1)")
def test_a_diff_applied_with_patch_gives_the_variant(here: Path) -> None:
    with pytest.raises(SystemExit):
        main(["variants", "transpose.cu", "-k", "padded", "--no-verify", "-o", "o"])
    for mutation in all_mutations():
        diff = Path(f"o/transpose_padded.{mutation}.diff")
        done = subprocess.run(["patch", "-s", "-o", "patched.cu", "transpose.cu", str(diff)], check=False,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert Path("patched.cu").read_bytes() == Path(f"o/transpose_padded.{mutation}.cu").read_bytes()


@needs_nvrtc
@pytest.mark.parametrize(("composition", "gone"), [
    ("memory-only+no-sync", ("barrier", "shared_load.32", "shared_store.32")),
    ("math-only+smem-conflict-free", ("global_load.32", "global_store.32")),
    ("no-sync+smem-broadcast", ("barrier",)),
])
def test_compositions_compile_and_lose_what_both_take_away(here: Path, composition: str, gone: tuple[str, ...]) -> None:
    report = run_variants(Request(Path("transpose.cu"), (composition,), ("conflicting",), output=Path("o")))
    (variant,) = report.kernels[0].variants
    assert variant.outcome is Outcome.OK, variant.log or variant.refusal
    assert variant.path is not None
    assert variant.path.name == f"transpose_conflicting.{composition}.cu"
    assert variant.certificate is not None
    assert variant.certificate.static is not None
    assert variant.certificate.verdict == "VALID", variant.certificate.reasons
    static = variant.certificate.static
    for name in gone:
        assert name in static.original
        assert name not in static.variant


@needs_nvrtc
def test_static_padding_keeps_the_resident_blocks(here: Path) -> None:
    shutil.copy(samples_dir() / "fd3d.cu", ".")
    report = run_variants(Request(Path("fd3d.cu"), ("memory-only", "math-only"), pad="static", output=Path("o")))
    for variant in report.kernels[0].variants:
        assert variant.outcome is Outcome.OK, variant.log
        certificate = variant.certificate
        assert certificate is not None
        plan, resources = certificate.occupancy, certificate.variant
        assert plan is not None
        assert resources is not None
        assert plan.variant > plan.original or plan.padded == plan.original
        assert plan.padded == plan.original or any("occupancy" in r.slug for r in certificate.reasons)
        assert variant.text is not None
        assert b"keeps the original's resident blocks" in variant.text.text
        assert resources.static_smem > 0, "the padding is in the binary, not only in the text"


THOUSAND = """/* kmutate launch
   int n = 64; dim3 block = 1024, grid = { 2, 2 };
   float a[n * n] = uniform(-1, 1), b[n * n] = uniform(-1, 1), c[n * n];
   tiles(c, a, b, n);
*/
__global__ void tiles(float *c, const float *a, const float *b, int n)
{
    __shared__ float sa[32 * 32], sb[32 * 32];
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    float sum = 0.0f;
    for (int at = 0; at < n; at += 32) {
        sa[y * 32 + x] = a[(blockIdx.y * 32 + y) * n + at + x];
        sb[y * 32 + x] = b[(at + y) * n + blockIdx.x * 32 + x];
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += sa[y * 32 + k] * sb[k * 32 + x];
        __syncthreads();
    }
    c[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x] = sum;
}
"""


@needs_nvrtc
def test_a_variant_of_which_no_block_fits_is_held_to_registers_that_let_one_fit() -> None:
    request = Request(Path("tiles.cu"), ("smem-broadcast",), text=THOUSAND.encode(), arch="sm_90")
    (variant,) = run_variants(request).kernels[0].variants
    certificate = variant.certificate
    assert certificate is not None and certificate.occupancy is not None and certificate.variant is not None
    assert certificate.occupancy.padded == 1 < certificate.occupancy.original
    assert certificate.variant.registers <= 64
    said = [r.text for r in certificate.reasons if r.slug == "register-cap"]
    assert any("no block would fit" in text for text in said), said
    assert variant.text is not None and b"__launch_bounds__(1024, 1)" in variant.text.text


BODIES = """__device__ float3 pull(float4 a, float4 b, float3 f)
{
    float3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
    float r = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f), s = b.w * r * r * r;
    f.x += d.x * s;
    f.y += d.y * s;
    f.z += d.z * s;
    return f;
}
__global__ void bodies(float4 *to, float4 *speed, const float4 *at, unsigned first, float dt, float damping, int tiles)
{
    extern __shared__ float4 tile[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = at[first + i];
    float3 f = {0.0f, 0.0f, 0.0f};
    for (int t = 0; t < tiles; t++) {
        tile[threadIdx.x] = at[t * blockDim.x + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (unsigned j = 0; j < blockDim.x; j++) f = pull(mine, tile[j], f);
        __syncthreads();
    }
    float4 v = speed[first + i];
    v.x = (v.x + f.x * dt) * damping;
    v.y = (v.y + f.y * dt) * damping;
    v.z = (v.z + f.z * dt) * damping;
    to[first + i] = {mine.x + v.x * dt, mine.y + v.y * dt, mine.z + v.z * dt, mine.w};
    speed[first + i] = v;
}
"""


@needs_nvrtc
def test_where_the_block_size_is_not_known_a_variant_is_held_to_the_registers_of_the_original() -> None:
    request = Request(Path("bodies.cu"), ("memory-only",), text=BODIES.encode(), arch="sm_90")
    (variant,) = run_variants(request).kernels[0].variants
    certificate = variant.certificate
    assert certificate is not None and certificate.occupancy is not None and certificate.variant is not None
    assert certificate.verdict is Verdict.VALID, certificate.reasons
    assert certificate.occupancy.padded == certificate.occupancy.original == 8
    said = next(r.text for r in certificate.reasons if r.slug == "register-cap")
    assert said.startswith(f"__maxnreg__ in its text holds it to {certificate.variant.registers} registers")
    assert variant.text is not None and b"__maxnreg__(32) /* kmutate: keeps the original" in variant.text.text
    assert b"__launch_bounds__" not in variant.text.text


def test_no_verify_needs_no_toolchain(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = Toolchain(None, None, ())
    monkeypatch.setattr(locate, "find_toolchain", lambda: absent)
    monkeypatch.setattr(nvrtc, "find_toolchain", lambda: absent)
    report = run_variants(Request(Path("transpose.cu"), verify=False, output=Path("o")))
    assert [v.mutation for v in report.kernels[-1].variants] == list(all_mutations())
    assert all(v.path is not None and v.path.is_file() for v in report.kernels[-1].variants)


def test_without_a_toolchain_the_message_says_how_to_go_on(
        here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(nvrtc, "find_toolchain", lambda: Toolchain(None, None, ()))
    with pytest.raises(SystemExit) as ended:
        main(["variants", "transpose.cu", "-o", "o"])
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert "[no-nvrtc]" in message
    assert "--no-verify" in message or "pip install" in message
