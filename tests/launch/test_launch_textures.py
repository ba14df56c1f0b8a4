"""Texture and surface objects in launch declarations: what they become, and what is refused where."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch_cases import GRID, failure, launches

from mutate.errors import KmutateError
from mutate.launch import TextureDecl, check_against, evaluate_all, find_declarations, pack_arg
from mutate.launch.data import materialize

IMAGE = "int w = 32, h = 16; float img[h * w] = uniform(0, 1); uchar4 rgba[h * w]; double wide[8];"


def objects(body: str) -> tuple[TextureDecl, ...]:
    (launch,) = launches(f"{GRID} {IMAGE} {body}")
    return launch.textures


def test_a_texture_has_the_runtimes_defaults() -> None:
    (made,) = objects("cudaTextureObject_t t = texture2D(img, w, h); k(t);")
    assert (made.name, made.array, made.shape, made.surface) == ("texture2D", "img", "2D", False)
    assert (made.width, made.height, made.depth, made.layers, made.pitch, made.channels) == (32, 16, 1, 1, 128, 1)
    assert made.address == ("wrap", "wrap", "wrap")
    assert not (made.linear or made.normalized or made.normalized_float or any(made.border))


def test_a_description_is_read_when_the_object_is_made() -> None:
    before, after = objects("""cudaTextureDesc d = { .addressMode = { cudaAddressModeClamp, cudaAddressModeMirror },
        .filterMode = cudaFilterModeLinear, .readMode = cudaReadModeNormalizedFloat, .normalizedCoords = 1 };
        cudaTextureObject_t a = texture2D(rgba, w, h, d);
        d.filterMode = cudaFilterModePoint; d.addressMode[0] = cudaAddressModeBorder;
        cudaTextureObject_t b = texture2D(rgba, w, h, d); k(a, b);""")
    assert before.address == ("clamp", "mirror", "wrap")
    assert (before.linear, before.converts, before.normalized, before.channels) == (True, True, True, 4)
    assert (after.linear, after.address[0]) == (False, "border")


@pytest.mark.parametrize(
    ("made", "shape", "extent"),
    [
        ("textureLinear(img, 500)", "Linear", (500, 1, 1, 1)),
        ("texture1D(img, w)", "1D", (32, 1, 1, 1)),
        ("texture3D(img, 8, 8, 8)", "3D", (8, 8, 8, 1)),
        ("texture1DLayered(img, w, h)", "1DLayered", (32, 1, 1, 16)),
        ("texture2DLayered(img, 8, 4, 16)", "2DLayered", (8, 4, 1, 16)),
        ("textureCubemap(img, 9)", "Cubemap", (9, 9, 1, 6)),
        ("textureCubemapLayered(img, 4, 5)", "CubemapLayered", (4, 4, 1, 30)),
        ("texturePitch2D((float2 *)(img + 128), 10, 3, 128)", "2D", (10, 3, 1, 1)),
        ("surface2DLayered(img, 8, 4, 16)", "2DLayered", (8, 4, 1, 16)),
    ],
)
def test_every_shape(made: str, shape: str, extent: tuple[int, ...]) -> None:
    kind = "cudaSurfaceObject_t" if made.startswith("surface") else "cudaTextureObject_t"
    (found,) = objects(f"{kind} t = {made}; k(t);")
    assert (found.shape, (found.width, found.height, found.depth, found.layers)) == (shape, extent)
    assert found.surface == made.startswith("surface")


def test_a_cast_says_what_a_texel_is() -> None:
    (made,) = objects("k(texture2D((uchar4 *)img, w, h));")
    assert (made.scalar.name, made.channels, made.pitch) == ("unsigned char", 4, 128)


def test_a_launch_has_the_objects_and_arrays_that_its_arguments_reach() -> None:
    first, second, third = launches(f"""{GRID} {IMAGE} struct P {{ int n; cudaTextureObject_t t; }};
        cudaTextureObject_t a = texture2D(img, w, h), b = texture2D(rgba, w, h); struct P p = {{ 1, b }};
        cudaTextureObject_t both[2] = {{ a, b }};
        k(a); k(p); k(both);""")
    assert [t.array for t in first.textures] == ["img"]
    assert [a.name for a in first.arrays] == ["img"]
    assert [t.array for t in second.textures] == ["rgba"]
    assert [t.array for t in third.textures] == ["img", "rgba"]
    assert {a.name for a in third.arrays} == {"img", "rgba", "both"}


def test_handles_in_arrays_and_arguments_are_the_same() -> None:
    (launch,) = launches(f"{GRID} {IMAGE} cudaTextureObject_t a = texture2D(img, w, h); "
                         "cudaTextureObject_t both[2] = { 0, a }; k(a, both);")
    held = materialize(launch.array("both"))
    assert held[0] == 0
    assert int(held[1]).to_bytes(8, "little") == pack_arg(launch.args[0], {})


@pytest.mark.parametrize(
    ("body", "slug", "place"),
    [
        ("k(texture2D(img, w, h + 1));", "launch-texture", "img"),
        ("k(texture2D(img + 8, w, h));", "launch-texture", "img"),
        ("k(texture2D(wide, 2, 2));", "launch-texture", "wide"),
        ("k(texture2D(w, 2, 2));", "launch-texture", "w"),
        ("k(texture2D(img, 0, 2));", "launch-size", "0"),
        ("k(texture2D(img, w));", "launch-argument-count", "texture2D"),
        ("k(surface2D(img, w, h, (cudaTextureDesc){ 0 }));", "launch-argument-count", "surface2D"),
        ("k(texture2D(img, w, h, 1));", "launch-texture", "1"),
        ("cudaTextureDesc d = { .filterMode = cudaFilterModeLinear }; k(texture2D(rgba, w, h, d));", "launch-texture",
         "d"),
        ("cudaTextureDesc d = { .addressMode = { 7 } }; k(texture2D(img, w, h, d));", "launch-texture", "d"),
        ("cudaTextureDesc d = { .maxAnisotropy = 8 }; k(texture2D(img, w, h, d));", "launch-texture", "d"),
        ("cudaTextureDesc d = { .maxMipmapLevelClamp = 3 }; k(texture2D(img, w, h, d));", "launch-texture", "d"),
        ("cudaTextureDesc d = { .borderColor = { 1 } }; k(texture2D(rgba, w, h, d));", "launch-texture", "d"),
        ("k(texturePitch2D(img, 8, 8, 40));", "launch-texture", "40"),
        ("k(textureLinear(img + 4, 100));", "launch-texture", "img"),
        ("cudaTextureDesc d = { .filterMod = 1 }; k(texture2D(img, w, h, d));", "launch-unknown-name", "filterMod"),
        ("k(texture2d(img, w, h));", "launch-unknown-name", "texture2d"),
        ("texture2D(img, w, h);", "launch-syntax", "texture2D"),
    ],
)
def test_what_is_wrong_has_its_place(body: str, slug: str, place: str) -> None:
    error, text = failure(f"{GRID} {IMAGE} {body}")
    assert error.slug == slug
    assert text == place


def test_near_names_are_proposed() -> None:
    error, _ = failure(f"{GRID} {IMAGE} k(texture2d(img, w, h));")
    assert "texture2D" in str(error)
    error, _ = failure(f"{GRID} {IMAGE} cudaTextureDesc d = {{ .filterMode = cudaFilterModeLiner }}; k(1);")
    assert "cudaFilterModeLinear" in str(error)


@pytest.mark.parametrize(
    ("argument", "parameter", "words"),
    [
        ("5", "cudaTextureObject_t", "texture2D(array"),
        ("5", "cudaSurfaceObject_t", "surface2D(array"),
        ("img", "cudaTextureObject_t", "a pointer to img"),
        ("texture2D(img, w, h)", "cudaSurfaceObject_t", "surface2D(array"),
        ("texture2D(img, w, h)", "int", "a cudaTextureObject_t"),
        ("texture2D(img, w, h)", "const float *", "a cudaTextureObject_t"),
    ],
)
def test_an_object_goes_to_its_parameter_only(argument: str, parameter: str, words: str) -> None:
    (launch,) = launches(f"{GRID} {IMAGE} k({argument});")
    with pytest.raises(KmutateError) as caught:
        check_against(launch, [(parameter, "p")])
    assert caught.value.slug == "launch-argument-type"
    assert words in str(caught.value)


def test_an_object_fits_what_the_runtime_makes_of_it() -> None:
    (launch,) = launches(f"{GRID} {IMAGE} k(texture2D(img, w, h));")
    for text in ("cudaTextureObject_t", "const cudaTextureObject_t", "unsigned long long", "T"):
        assert check_against(launch, [(text, "p")]).warnings == ()


def test_the_sample_kernel_with_objects_has_a_declaration() -> None:
    path = Path(__file__).with_name("textured.cu")
    (launch,) = evaluate_all(find_declarations(path.read_bytes(), str(path)))
    assert [t.name for t in launch.textures] == ["texture2D", "textureLinear", "surface2D"]
