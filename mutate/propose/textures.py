"""Texture and surface objects of a kernel: guessed, by what the kernel reads through them."""

from __future__ import annotations

import re

from mutate.frontend.units import Function

_FETCH = r"\b(tex(?:1Dfetch|\w+)|surf\w+)\s*(?:<([^<>();]*)>)?\s*\(([^;]*)"
# Fetch → what makes the object, its sizes, its texels.
_SHAPES: tuple[tuple[str, str, str, int], ...] = (
    (r"tex1Dfetch", "textureLinear", "1024 * 1024", 1 << 20),
    (r"texCubemapLayered", "textureCubemapLayered", "256, 2", 256 * 256 * 12),
    (r"texCubemap", "textureCubemap", "256", 256 * 256 * 6),
    (r"tex1DLayered", "texture1DLayered", "1024, 4", 4096),
    (r"tex2DLayered", "texture2DLayered", "512, 512, 4", 1 << 20),
    (r"tex1D", "texture1D", "1024", 1024),
    (r"tex2D", "texture2D", "1024, 1024", 1 << 20),
    (r"tex3D", "texture3D", "64, 64, 64", 1 << 18),
    (r"surfCubemap", "surfaceCubemap", "256", 256 * 256 * 6),
    (r"surf1DLayered", "surface1DLayered", "1024, 4", 4096),
    (r"surf2DLayered", "surface2DLayered", "512, 512, 4", 1 << 20),
    (r"surf1D", "surface1D", "1024", 1024),
    (r"surf2D", "surface2D", "1024, 1024", 1 << 20),
    (r"surf3D", "surface3D", "64, 64, 64", 1 << 18),
)


def is_object(text: str) -> bool:
    """Whether a type is that of a texture or surface object."""
    return text.rsplit("::", maxsplit=1)[-1] in ("cudaTextureObject_t", "cudaSurfaceObject_t")


def guessed_object(kernel: Function, param: str, surface: bool) -> tuple[str, str, str, int]:
    """What makes the object that a kernel takes as ``param``, its sizes, the type of its texels and their number."""
    default = ("surface2D" if surface else "texture2D", "1024, 1024", "float", 1 << 20)
    for match in re.finditer(_FETCH, kernel.body.text):
        if not re.search(rf"\b{re.escape(param)}\b", match[3].split(";")[0]):
            continue
        for prefix, maker, sizes, count in _SHAPES:
            if match[1].startswith(prefix):
                texel = (match[2] or "float").split(",")[0].strip()
                return maker, sizes, texel if re.fullmatch(r"[a-z_ ]+\d?", texel) else "float", count
    return default
