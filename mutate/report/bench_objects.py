"""Texture and surface objects of a launch as ``bench.cu`` makes them with the CUDA runtime."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from mutate.launch.model import Launch, TextureDecl, Value
from mutate.launch.types import SURFACE_OBJECT, TEXTURE_OBJECT, Rank, leaves

OBJECT_TYPES = (TEXTURE_OBJECT, SURFACE_OBJECT)
_KINDS = {Rank.UINT: "Unsigned", Rank.INT: "Signed"}
# cudaArrayLayered, cudaArraySurfaceLoadStore, cudaArrayCubemap, cudaArrayTextureGather.
_LAYERED, _STORED, _CUBE, _GATHER = 1, 2, 4, 8


def handle_places(value: Value) -> list[tuple[int, int]]:
    """(offset, handle) of the objects in a struct."""
    from mutate.launch.expressions import flatten

    return [(at, int(leaf.data)) for at, leaf in flatten(value)
            if leaf.type in OBJECT_TYPES and isinstance(leaf.data, int | float)]


def held_handles(launch: Launch, index: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Where arrays hold handles: (array, offset, object)."""
    out = []
    numbers = {t.handle: k for k, t in enumerate(launch.textures)}
    for array in launch.arrays:
        places = [at for at, leaf in leaves(array.elem) if leaf in OBJECT_TYPES]
        if not places:
            continue
        from mutate.launch.data import materialize  # numpy costs a tenth of a second

        raw = materialize(array).tobytes()
        for element in range(array.count):
            for at in places:
                start = element * array.elem.size + at
                handle = int.from_bytes(raw[start : start + 8], "little")
                if handle in numbers:
                    out.append((index[array.name], start, numbers[handle]))
    return out


def object_contexts(launch: Launch, index: Mapping[str, int], written: Set[str]) -> list[dict[str, Any]]:
    """What the template wants of each object, in the order of their handles behind the arrays."""
    made = launch.textures
    first: dict[tuple[object, ...], int] = {}
    stored = {_texels(t) for t in made if t.surface}
    out = []
    for number, t in enumerate(made):
        key = _texels(t)
        changed = key in stored or t.array in written
        out.append({
            "what": f"{t.name}({t.array})", "surface": str(t.surface).lower(), "type": _type(t),
            "array": index[t.array], "offset": t.offset, "first": first.setdefault(key, number),
            "written": str(changed).lower(), "extent": _extent(t),
            "pitch": t.pitch, "rows": t.height, "flags": _flags(t, key in stored),
            "format": _format(t), "desc": _desc(t),
        })
    return out


def _texels(t: TextureDecl) -> tuple[object, ...]:
    """Equal for objects that share a cudaArray."""
    return t.array, t.offset, t.shape, _extent(t), t.pitch, t.scalar, t.channels


def _type(t: TextureDecl) -> str:
    if t.shape == "Linear":
        return "cudaResourceTypeLinear"
    return "cudaResourceTypePitch2D" if t.name == "texturePitch2D" else "cudaResourceTypeArray"


def _extent(t: TextureDecl) -> tuple[int, int, int]:
    """Width, height and depth of cudaMalloc3DArray: 0 for what a shape does not have."""
    layered = t.shape.endswith("Layered") or t.shape == "Cubemap"
    return t.width, 0 if t.shape.startswith("1D") else t.height, t.layers if layered else t.depth * (t.shape == "3D")


def _flags(t: TextureDecl, stored: bool) -> int:
    return (_LAYERED * t.shape.endswith("Layered") | _CUBE * t.shape.startswith("Cubemap") | _STORED * stored
            | _GATHER * (t.shape == "2D"))


def _format(t: TextureDecl) -> str:
    bits = [8 * t.scalar.size * (k < t.channels) for k in range(4)]
    return f"{', '.join(map(str, bits))}, cudaChannelFormatKind{_KINDS.get(t.scalar.rank, 'Float')}"


def _desc(t: TextureDecl) -> str:
    modes = ", ".join(f"cudaAddressMode{m.capitalize()}" for m in t.address)
    return (f"{{ {modes} }}, cudaFilterMode{'Linear' if t.linear else 'Point'}, "
            f"cudaReadMode{'NormalizedFloat' if t.normalized_float else 'ElementType'}, 0, "
            f"{{ {', '.join(f'{b!r}f' for b in t.border)} }}, {int(t.normalized)}")
