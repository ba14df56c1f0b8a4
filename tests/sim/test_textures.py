"""Texture fetches and surface accesses of compiled kernels against NumPy: shapes, filters, address modes, texels."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from snippets import ARCHS, Built, opcode_of
from texture_reference import as_float, cube, fetch, gather

from mutate.errors import KmutateError
from mutate.launch import Launch, evaluate_all, find_declarations
from mutate.launch.data import materialize
from mutate.sass.disasm import disassemble
from mutate.sim.image import read_image
from mutate.sim.run import Outcome, Simulation
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

Array = npt.NDArray[Any]
Before = Mapping[str, Array]
WIDTH, HEIGHT, DEPTH = 24, 10, 6
SIZES = f"enum {{ W = {WIDTH}, H = {HEIGHT}, D = {DEPTH} }};"
MODES = ("Wrap", "Clamp", "Mirror", "Border")


@dataclass(frozen=True)
class Case:
    """A kernel ``k``, its declaration, and what its arrays hold afterwards, given what they held before."""

    name: str
    declaration: str
    params: str
    body: str
    wanted: Callable[[Before], Mapping[str, Array]]
    needs: Mapping[str, str] | str = "TEX"
    tolerance: float = 0.0

    @property
    def source(self) -> bytes:
        return (
            f"/* kmutate launch\n{SIZES}\n{self.declaration}\n*/\n#include <cuda_fp16.h>\n"
            f'extern "C" __global__ void k({self.params})\n{{\n    int i = threadIdx.x;\n    {self.body}\n}}\n'
        ).encode()

    def __str__(self) -> str:
        return self.name


GRID = "dim3 grid = {1}; dim3 block = {256};"
# Coordinates around a texture and far outside, with no two components of a direction equal.
PLACES = "float x[256] = uniform({0}, {1}); float y[256] = uniform({0}, {1}); float z[256] = uniform({0}, {1});"


def _desc(mode: str = "Clamp", linear: bool = False, normalized: bool = False, as_fraction: bool = False) -> str:
    return (
        f"{{ .addressMode = {{ cudaAddressMode{mode}, cudaAddressMode{mode}, cudaAddressMode{mode} }}, "
        f".filterMode = cudaFilterMode{'Linear' if linear else 'Point'}, .normalizedCoords = {int(normalized)}, "
        f".readMode = cudaReadMode{'NormalizedFloat' if as_fraction else 'ElementType'} }}"
    )


def _modes() -> Case:
    """All address modes with both filters, by handles in an array."""
    combos = [(m, lin, norm) for norm in (False, True) for lin in (False, True) for m in MODES]
    lines = [f"cudaTextureObject_t t{n} = texture2D(img, W, H, (cudaTextureDesc){_desc(*c)});"
             for n, c in enumerate(combos)]
    handles = ", ".join(f"t{n}" for n in range(len(combos)))

    def wanted(a: Before) -> Mapping[str, Array]:
        rows = []
        for mode, linear, normalized in combos:
            at = (a["x"], a["y"]) if normalized else (a["x"] * np.float32(20), a["y"] * np.float32(20))
            rows.append(fetch(a["img"], at, mode.lower(), normalized, linear))
        return {"out": np.stack(rows).astype(np.float32)}

    return Case(
        "address modes and filters",
        f"float img[H][W] = uniform(-1, 1);\n{PLACES.format(-2.5, 2.5)} float out[{len(combos)}][256];\n"
        + "\n".join(lines)
        + f"\ncudaTextureObject_t t[] = {{ {handles} }};\n{GRID} k(out, x, y, t);",
        "float *out, const float *x, const float *y, const cudaTextureObject_t *t",
        f"""for (int n = 0; n < {len(combos)}; ++n) {{ float s = n < 8 ? 20.0f : 1.0f;
        out[256 * n + i] = tex2D<float>(t[n], s * x[i], s * y[i]); }}""",
        wanted,
    )


TYPES = {"unsigned char": np.uint8, "signed char": np.int8, "unsigned short": np.uint16, "short": np.int16,
         "int": np.int32, "unsigned int": np.uint32, "float": np.float32}
_VECTORS = {"unsigned char": "uchar", "signed char": "char", "unsigned short": "ushort", "short": "short",
            "int": "int", "unsigned int": "uint", "float": "float"}


def _texels(kind: str, channels: int) -> Case:
    """Texels read as they are, by rows of all texels."""
    name = kind if channels == 1 else f"{_VECTORS[kind]}{channels}"
    data = "uniform(-9, 9)" if kind == "float" else f"randint({np.iinfo(TYPES[kind]).min}, {np.iinfo(TYPES[kind]).max})"
    return Case(
        f"texels of {name}",
        f"{name} img[H][W] = {data}; {name} out[H * W]; cudaTextureObject_t t = texture2D(img, W, H);\n"
        f"dim3 grid = {{1}}; dim3 block = {{W * H}}; k(out, t);",
        f"{name} *out, cudaTextureObject_t t",
        f"{name} v = tex2D<{name}>(t, i % {WIDTH}, i / {WIDTH} + 0.5f); out[i] = v;",
        lambda a: {"out": a["img"].reshape(a["out"].shape)},
    )


def _fractions(kind: str) -> Case:
    """8- and 16-bit texels as fractions, nearest and filtered."""
    vector = f"{_VECTORS[kind]}4"
    low, high = np.iinfo(TYPES[kind]).min, np.iinfo(TYPES[kind]).max

    def wanted(a: Before) -> Mapping[str, Array]:
        places = a["x"], a["y"]
        return {"near": fetch(as_float(a["img"]), places), "out": fetch(a["img"], places, linear=True)}

    return Case(
        f"fractions of {kind}",
        f"{vector} img[H][W] = randint({low}, {high}); {PLACES.format(-3, 26)} float4 out[256]; float4 near[256];\n"
        f"cudaTextureDesc d = {_desc(as_fraction=True)}; cudaTextureObject_t n = texture2D(img, W, H, d);\n"
        f"d.filterMode = cudaFilterModeLinear; cudaTextureObject_t t = texture2D(img, W, H, d);\n{GRID} "
        "k(out, near, x, y, t, n);",
        "float4 *out, float4 *near, const float *x, const float *y, cudaTextureObject_t t, cudaTextureObject_t n",
        "out[i] = tex2D<float4>(t, x[i], y[i]); near[i] = tex2D<float4>(n, x[i], y[i]);",
        wanted,
    )


def _halves(a: Before) -> Mapping[str, Array]:
    return {"out": fetch(a["img"], (a["x"], a["y"]), linear=True)}


def _cube(a: Before, layers: int) -> Mapping[str, Array]:
    faces = a["img"].reshape(layers, 6, HEIGHT, HEIGHT)
    face, s, t = cube(a["x"].astype(np.float64), a["y"].astype(np.float64), a["z"].astype(np.float64))
    out = np.zeros(256, np.float32)
    for number in range(6):
        for layer in range(layers):
            mine = (face == number) & (np.arange(256) % layers == layer)
            out[mine] = fetch(faces[layer, number], (s[mine], t[mine]), "clamp", True, True)
    return {"out": out}


def _cubemap(layers: int) -> Case:
    made = "textureCubemap(img, H, d)" if layers == 1 else f"textureCubemapLayered(img, H, {layers}, d)"
    call = "texCubemap<float>(t, x[i], y[i], z[i])" if layers == 1 else (
        f"texCubemapLayered<float>(t, x[i], y[i], z[i], i % {layers})")
    return Case(
        "cubemap" if layers == 1 else "layered cubemap",
        f"float img[{6 * layers}][H][H] = uniform(0, 1); {PLACES.format(-1, 1)} float out[256];\n"
        f"cudaTextureDesc d = {_desc('Clamp', True, True)}; cudaTextureObject_t t = {made};\n"
        f"{GRID} k(out, x, y, z, t);",
        "float *out, const float *x, const float *y, const float *z, cudaTextureObject_t t",
        f"out[i] = {call};",
        lambda a: _cube(a, layers),
        # The compiled code divides by the largest component with an approximate reciprocal.
        tolerance=5e-3,
    )


def _gathered(a: Before) -> Mapping[str, Array]:
    out = np.zeros((4, 256, 4), np.uint8)
    for c in range(4):
        out[c] = gather(a["img"][..., c], a["x"], a["y"])
    return {"out": out.reshape(a["out"].shape)}


def _linear_memory(a: Before) -> Mapping[str, Array]:
    k = np.arange(256) - 20
    inside = (k >= 0) & (k < 200)
    return {"out": np.where(inside[:, None], a["img"][np.where(inside, k, 0)], 0)}


def _layered(a: Before) -> Mapping[str, Array]:
    out = np.zeros(256, np.float32)
    one = np.zeros(256, np.float32)
    for layer in range(DEPTH):
        mine = np.arange(256) % DEPTH == layer
        out[mine] = fetch(a["img"][layer], (a["x"][mine], a["y"][mine]), linear=True)
        one[mine] = fetch(a["img"].reshape(-1, WIDTH)[layer], (a["x"][mine],), linear=True)
    return {"out": out, "one": one}


def _divergent(a: Before) -> Mapping[str, Array]:
    images = a["img"].reshape(4, HEIGHT, WIDTH)
    pick = (np.arange(256) * 7) % 4
    out = np.zeros(256, np.float32)
    for n in range(4):
        mine = pick == n
        out[mine] = fetch(images[n], (a["x"][mine], a["y"][mine])) + fetch(images[n], (a["x"][mine], a["y"][mine]))
    return {"out": out}


_TEXTURES = (
    _modes(),
    *(_texels(kind, channels) for kind in TYPES for channels in (1, 2, 4)),
    *(_fractions(kind) for kind in ("unsigned char", "signed char", "unsigned short", "short")),
    Case("half texels",
         f"__half img[H][W] = uniform(-4, 4); {PLACES.format(-3, 26)} float out[256];\n"
         f"cudaTextureDesc d = {_desc(linear=True)}; cudaTextureObject_t t = texture2D(img, W, H, d);\n"
         f"{GRID} k(out, x, y, t);",
         "float *out, const float *x, const float *y, cudaTextureObject_t t", "out[i] = tex2D<float>(t, x[i], y[i]);",
         _halves),
    Case("one dimension",
         f"float2 img[W] = uniform(0, 1); {PLACES.format(-3, 26)} float2 out[256];\n"
         f"cudaTextureDesc d = {_desc(linear=True)}; cudaTextureObject_t t = texture1D(img, W, d);\n"
         f"{GRID} k(out, x, t);",
         "float2 *out, const float *x, cudaTextureObject_t t",
         "float2 v = tex1D<float2>(t, x[i]), w = tex1DLod<float2>(t, x[i], 1.0f); out[i] = make_float2(v.x, w.y);",
         lambda a: {"out": fetch(a["img"], (a["x"],), linear=True)}),
    Case("three dimensions",
         f"float img[D][H][W] = uniform(0, 1); {PLACES.format(-3, 16)} float out[256]; float lod[256];\n"
         f"cudaTextureDesc d = {_desc('Border', True)}; cudaTextureObject_t t = texture3D(img, W, H, D, d);\n"
         f"{GRID} k(out, lod, x, y, z, t);",
         "float *out, float *lod, const float *x, const float *y, const float *z, cudaTextureObject_t t",
         "out[i] = tex3D<float>(t, x[i], y[i], z[i]); lod[i] = tex3DLod<float>(t, x[i], y[i], z[i], z[i]);",
         lambda a: dict.fromkeys(("out", "lod"), fetch(a["img"], (a["x"], a["y"], a["z"]), "border", linear=True)),
         ),
    Case("three dimensions, clamped",
         f"__half2 img[D][H][W] = uniform(0, 1); {PLACES.format(-3, 16)} float2 out[256];\n"
         f"cudaTextureDesc d = {_desc('Clamp', True)}; cudaTextureObject_t t = texture3D(img, W, H, D, d);\n"
         f"{GRID} k(out, x, y, z, t);",
         "float2 *out, const float *x, const float *y, const float *z, cudaTextureObject_t t",
         "out[i] = tex3D<float2>(t, x[i], y[i], z[i]);",
         lambda a: {"out": fetch(a["img"], (a["x"], a["y"], a["z"]), linear=True)}),
    Case("layers",
         f"float img[D][H][W] = uniform(0, 1); {PLACES.format(-3, 26)} float out[256]; float one[256];\n"
         f"cudaTextureDesc d = {_desc(linear=True)}; cudaTextureObject_t t = texture2DLayered(img, W, H, D, d);\n"
         f"cudaTextureObject_t u = texture1DLayered(img, W, D, d); {GRID} k(out, one, x, y, t, u);",
         "float *out, float *one, const float *x, const float *y, cudaTextureObject_t t, cudaTextureObject_t u",
         f"out[i] = tex2DLayered<float>(t, x[i], y[i], i % {DEPTH}); "
         f"one[i] = tex1DLayered<float>(u, x[i], i % {DEPTH});",
         _layered),
    _cubemap(1),
    _cubemap(3),
    Case("level of detail and gradients",
         f"float4 img[H][W] = uniform(0, 1); {PLACES.format(-1, 26)} float4 out[256]; float4 lod[256]; "
         "float4 g[256];\n"
         f"cudaTextureDesc d = {_desc(linear=True)}; cudaTextureObject_t t = texture2D(img, W, H, d);\n"
         f"{GRID} k(out, lod, g, x, y, t);",
         "float4 *out, float4 *lod, float4 *g, const float *x, const float *y, cudaTextureObject_t t",
         "out[i] = tex2DLod<float4>(t, x[i], y[i], 0); lod[i] = tex2DLod<float4>(t, x[i], y[i], 3); "
         "g[i] = tex2DGrad<float4>(t, x[i], y[i], make_float2(1, x[i]), make_float2(0, 1));",
         lambda a: dict.fromkeys(("out", "lod", "g"), fetch(a["img"], (a["x"], a["y"]), linear=True)),
         "TEX(?:\\.\\w+)*\\.LZ TXD"),
    Case("channels that the texels do not have",
         f"float2 img[H][W] = uniform(0, 1); {PLACES.format(-1, 26)} float4 out[256];\n"
         f"cudaTextureDesc d = {_desc(linear=True)}; cudaTextureObject_t t = texture2D(img, W, H, d);\n"
         f"{GRID} k(out, x, y, t);",
         "float4 *out, const float *x, const float *y, cudaTextureObject_t t", "out[i] = tex2D<float4>(t, x[i], y[i]);",
         lambda a: {"out": np.pad(fetch(a["img"], (a["x"], a["y"]), linear=True), ((0, 0), (0, 2)))}),
    Case("gathers",
         f"uchar4 img[H][W] = randint(0, 255); {PLACES.format(-1, 26)} uchar4 out[4 * 256];\n"
         f"cudaTextureObject_t t = texture2D(img, W, H, (cudaTextureDesc){_desc()}); {GRID} k(out, x, y, t);",
         "uchar4 *out, const float *x, const float *y, cudaTextureObject_t t",
         "out[i] = tex2Dgather<uchar4>(t, x[i], y[i], 0); out[256 + i] = tex2Dgather<uchar4>(t, x[i], y[i], 1); "
         "out[512 + i] = tex2Dgather<uchar4>(t, x[i], y[i], 2); out[768 + i] = tex2Dgather<uchar4>(t, x[i], y[i], 3);",
         _gathered, "TLD4"),
    Case("linear memory",
         f"float4 img[200] = uniform(0, 1); float4 out[256]; cudaTextureObject_t t = textureLinear(img, 200); {GRID} "
         "k(out, t);",
         "float4 *out, cudaTextureObject_t t", "out[i] = tex1Dfetch<float4>(t, i - 20);", _linear_memory, "TLD"),
    Case("part of an array, pitched, as another type",
         "unsigned int raw[4096] = randint(0, 4294967295); uchar4 out[256];\n"
         "cudaTextureObject_t t = texturePitch2D((uchar4 *)raw + 128, W, H, 4 * (W + 8)); "
         "dim3 grid = {1}; dim3 block = {W * H}; k(out, t);",
         "uchar4 *out, cudaTextureObject_t t", f"out[i] = tex2D<uchar4>(t, i % {WIDTH}, i / {WIDTH});",
         lambda a: {"out": np.concatenate([a["raw"][128 : 128 + HEIGHT * (WIDTH + 8)].reshape(HEIGHT, WIDTH + 8)
                                           [:, :WIDTH].reshape(-1).view(np.uint8).reshape(-1, 4),
                                           np.zeros((16, 4), np.uint8)])}),
    Case("another object in each lane",
         f"float img[4 * H][W] = uniform(0, 1); {PLACES.format(-1, 26)} float out[256];\n"
         + " ".join(f"cudaTextureObject_t t{n} = texture2D(img + {n} * H * W, W, H);" for n in range(4))
         + f" cudaTextureObject_t t[4] = {{ t0, t1, t2, t3 }}; {GRID} k(out, x, y, t);",
         "float *out, const float *x, const float *y, const cudaTextureObject_t *t",
         "cudaTextureObject_t mine = t[i * 7 % 4]; out[i] = tex2D<float>(mine, x[i], y[i]) + "
         "tex2DLod<float>(mine, x[i], y[i], 0);", _divergent),
)

_SURFACE_TYPES = ("unsigned char", "short", "float", "float2", "uint4", "uchar4")


def _surface_copy(kind: str) -> Case:
    """A surface to another, mirrored."""
    data = "uniform(0, 1)" if "float" in kind else "randint(0, 100)"
    return Case(
        f"surfaces of {kind}",
        f"{kind} img[H][W] = {data}; {kind} out[H][W]; cudaSurfaceObject_t s = surface2D(img, W, H);\n"
        "cudaSurfaceObject_t o = surface2D(out, W, H); dim3 grid = {1}; dim3 block = {W * H}; k(s, o);",
        "cudaSurfaceObject_t s, cudaSurfaceObject_t o",
        f"int x = i % {WIDTH}, y = i / {WIDTH}; {kind} v; surf2Dread(&v, s, x * (int)sizeof(v), y); "
        f"surf2Dwrite(v, o, ({WIDTH - 1} - x) * (int)sizeof(v), {HEIGHT - 1} - y);",
        lambda a: {"out": a["img"][::-1, ::-1]},
        "SULD SUST",
    )


def _boundaries(a: Before) -> Mapping[str, Array]:
    k = np.arange(256) - 100
    inside = (k >= 0) & (k < WIDTH)
    clamped = a["line"][np.clip(k, 0, WIDTH - 1)]
    written = a["out"].copy()
    written[:] = np.arange(100, 100 + WIDTH)
    return {"zero": np.where(inside, clamped, 0), "near": clamped, "out": written}


_SURFACES = (
    *(_surface_copy(kind) for kind in _SURFACE_TYPES),
    Case("boundary modes of surfaces",
         "int line[W] = randint(1, 99); int out[W]; int zero[256]; int near[256]; cudaSurfaceObject_t s = "
         f"surface1D(line, W), o = surface1D(out, W); {GRID} k(zero, near, s, o);",
         "int *zero, int *near, cudaSurfaceObject_t s, cudaSurfaceObject_t o",
         "surf1Dread(zero + i, s, 4 * (i - 100), cudaBoundaryModeZero); "
         "surf1Dread(near + i, s, 4 * (i - 100), cudaBoundaryModeClamp); "
         "surf1Dwrite(i, o, 4 * (i - 100), cudaBoundaryModeZero);", _boundaries, "SULD SUST"),
    Case("deep and layered surfaces",
         "float img[D][H][W] = uniform(0, 1); float deep[D][H][W]; float layers[D][H][W]; float rows[D][W]; "
         "float faces[6][H][H];\ncudaSurfaceObject_t s = surface3D(img, W, H, D), a = surface3D(deep, W, H, D), b = "
         "surface2DLayered(layers, W, H, D), c = surface1DLayered(rows, W, D), f = surfaceCubemap(faces, H);\n"
         "dim3 grid = {6}; dim3 block = {W, H}; k(s, a, b, c, f);",
         "cudaSurfaceObject_t s, cudaSurfaceObject_t a, cudaSurfaceObject_t b, cudaSurfaceObject_t c, "
         "cudaSurfaceObject_t f",
         "int x = 4 * i, y = threadIdx.y, z = blockIdx.x; float v; surf3Dread(&v, s, x, y, z); "
         "surf3Dwrite(v + 1, a, x, y, z); surf2DLayeredwrite(v + 2, b, x, y, z); float w; "
         "surf2DLayeredread(&w, b, x, y, z); if (y == 0) surf1DLayeredwrite(w, c, x, z); "
         f"if (i < {HEIGHT}) surfCubemapwrite(v + 3, f, x, y, z);",
         lambda a: {"deep": a["img"] + np.float32(1), "layers": a["img"] + np.float32(2),
                    "rows": a["img"][:, 0] + np.float32(2), "faces": a["img"][:, :, :HEIGHT] + np.float32(3)},
         "SULD SUST"),
)
CASES = (*_TEXTURES, *_SURFACES)
_built: dict[str, dict[str, Built | str]] = {}


def _build(cases: Sequence[Case], arch: str) -> dict[str, Built | str]:
    jobs = [Job(c.source, "textures.cu", "k", CompileOptions(arch=arch)) for c in cases]
    results = compile_many(jobs)
    good = [(c, r) for c, r in zip(cases, results, strict=True) if isinstance(r, Compiled)]
    listings = disassemble([(r.cubin, r.entry) for _, r in good], arch)
    out: dict[str, Built | str] = {
        c.name: r.log for c, r in zip(cases, results, strict=True) if not isinstance(r, Compiled)
    }
    out.update({c.name: Built(r, listing) for (c, r), listing in zip(good, listings, strict=True)})
    return out


def _shaped(launch: Launch, name: str, flat: Array) -> Array:
    array = launch.array(name)
    lanes = array.lanes
    assert lanes is not None
    return flat.reshape(*array.dims, *((lanes[1],) if lanes[1] > 1 else ()))


def _run(built: Built, launch: Launch) -> tuple[Simulation, Outcome]:
    run = Simulation(read_image(built.compiled.cubin, built.compiled.entry), built.listing, launch)
    return run, run.run(range(launch.grid[0]))


@pytest.mark.parametrize(("case", "arch"), [(c, a) for a in ARCHS for c in CASES], ids=str)
def test_textures(case: Case, arch: str) -> None:
    if arch not in _built:
        _built[arch] = _build(CASES, arch)
    built = _built[arch][case.name]
    assert isinstance(built, Built), built
    for pattern in opcode_of(case.needs, arch):
        assert any(re.match(pattern + r"(?:\.|$)", i.opcode) for i in built.listing), pattern
    (launch,) = evaluate_all(find_declarations(case.source, "textures.cu"))
    before = {a.name: _shaped(launch, a.name, materialize(a)) for a in launch.arrays}
    run, _ = _run(built, launch)
    for name, good in case.wanted(before).items():
        region = next(r for r in run.initial.regions if r.name == name)
        got = _shaped(launch, name, run.memory.read(region).view(before[name].dtype))
        if case.tolerance:
            np.testing.assert_allclose(got, good, rtol=0, atol=case.tolerance * max(1.0, float(np.abs(good).max())))
        else:
            np.testing.assert_array_equal(got, good)


def _stopped(declaration: str, params: str, body: str) -> KmutateError:
    objects = f"float img[H][W]; float out[256]; {declaration} {GRID} k(out, t);"
    case = Case("stops", objects, params, body, lambda a: {})
    built = _build([case], "sm_90")["stops"]
    assert isinstance(built, Built), built
    (launch,) = evaluate_all(find_declarations(case.source, "textures.cu"))
    with pytest.raises(KmutateError) as caught:
        _run(built, launch)
    return caught.value


TEXTURE = "float *out, cudaTextureObject_t t"
SURFACE = "float *out, cudaSurfaceObject_t t"


@pytest.mark.parametrize(
    ("declaration", "params", "body", "slug", "words"),
    [
        ("long long t = 77;", TEXTURE, "out[i] = tex2D<float>(t, i, 0);", "bad-access", "no texture object"),
        ("cudaSurfaceObject_t t = surface2D(img, W, H);", TEXTURE, "out[i] = tex2D<float>(t, i, 0);", "bad-access",
         "no texture object"),
        ("cudaTextureObject_t t = texture2D(img, W, H);", TEXTURE, "out[i] = tex3D<float>(t, i, 0, 0);", "bad-access",
         "tex2D"),
        ("cudaTextureObject_t t = texture2D(img, W, H);", TEXTURE, "out[i] = tex1Dfetch<float>(t, i);", "bad-access",
         "another shape"),
        ("cudaTextureObject_t t = texture2D(img, W, H);", TEXTURE, "out[i] = tex2Dgather<float4>(t, i, 0, 1).w;",
         "bad-access", "has 1 channels"),
        ("cudaTextureObject_t t = texture2D(img, W, H);", TEXTURE, "out[i] = tex2D<float>(t, nanf(\"\"), 0);",
         "bad-access", "no number"),
        ("cudaTextureObject_t t = texture1DLayered(img, W, H);", TEXTURE, "out[i] = tex1DLayered<float>(t, i, i);",
         "out-of-range", "10 layers"),
        ("cudaSurfaceObject_t t = surface2D(img, W, H);", SURFACE, "surf2Dwrite(1.0f, t, 4 * i, 3);", "out-of-range",
         "thread (24, 0, 0)"),
        ("cudaSurfaceObject_t t = surface2D(img, W, H);", SURFACE, "surf2Dread(out + i, t, 0, i - 1);",
         "out-of-range", "y = -1"),
        ("cudaSurfaceObject_t t = surface2D(img, W, H);", SURFACE, "surf2Dread(out + i, t, i, 0);", "misaligned",
         "x = 1"),
    ],
)
def test_what_cannot_be_right_stops_with_the_reason(
    declaration: str, params: str, body: str, slug: str, words: str
) -> None:
    error = _stopped(declaration, params, body)
    assert error.slug == slug
    assert words in str(error)


def test_texels_are_counted_and_their_places_compared() -> None:
    """Equal fetches have equal multisets wherever the lanes are; another texel makes another one."""
    sums = []
    for place in ("i", "255 - i", "254 - i"):
        case = Case("counts", f"float img[1][256] = uniform(0, 1); float out[256]; cudaTextureObject_t t = "
                    f"texture2D(img, 256, 1); {GRID} k(out, t);", TEXTURE, f"out[i] = tex2D<float>(t, {place}, 0);",
                    lambda a: {})
        built = _build([case], "sm_90")["counts"]
        assert isinstance(built, Built), built
        (launch,) = evaluate_all(find_declarations(case.source, "textures.cu"))
        _, outcome = _run(built, launch)
        sums.append(outcome.counts.multisets[8].tolist())
    assert sums[0][2:] == [256, 1024]
    assert sums[0] == sums[1]
    assert sums[0] != sums[2]
