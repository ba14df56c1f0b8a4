"""Texture and surface objects of a declaration: ``texture2D(img, width, height, desc)`` and its like.

Named after what makes them in the CUDA runtime: a shape, an array that holds the texels row after row (x fastest, then
y, then z or the layer; the six faces of a cubemap are layers), and a ``cudaTextureDesc``. What the runtime would refuse
is an error here too ("CUDA C++ Programming Guide", texture memory; "CUDA Runtime API", ``cudaTextureDesc``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutate.launch.model import (
    SURFACE_HANDLE,
    TEXTURE_HANDLE,
    Address,
    AddressMode,
    Shape,
    TextureDecl,
    Value,
)
from mutate.launch.scope import Scope
from mutate.launch.types import (
    SURFACE_OBJECT,
    TEXTURE_DESC,
    TEXTURE_OBJECT,
    Pointer,
    Rank,
    Scalar,
    leaves,
    uniform_lanes,
)

if TYPE_CHECKING:
    from mutate.errors import KmutateError
    from mutate.launch.expressions import Evaluator
    from mutate.launch.parse import Node


@dataclass(frozen=True)
class Maker:
    """A function of declarations and its integer arguments; ``pitch`` counts bytes, the others texels."""

    shape: Shape
    sizes: tuple[str, ...]
    surface: bool = False

    @property
    def usage(self) -> str:
        return f"(array, {', '.join(self.sizes)}{'' if self.surface else '[, desc]'})"


_SIZES: dict[Shape, tuple[str, ...]] = {
    "1D": ("width",), "2D": ("width", "height"), "3D": ("width", "height", "depth"), "1DLayered": ("width", "layers"),
    "2DLayered": ("width", "height", "layers"), "Cubemap": ("width",), "CubemapLayered": ("width", "cubes"),
}
MAKERS: dict[str, Maker] = {
    "textureLinear": Maker("Linear", ("width",)),
    "texturePitch2D": Maker("2D", ("width", "height", "pitch")),
    **{f"texture{shape}": Maker(shape, sizes) for shape, sizes in _SIZES.items()},
    **{f"surface{shape}": Maker(shape, sizes, True) for shape, sizes in _SIZES.items()},
}
# Handles count up to here; the interpreter finds a descriptor by its low 16 bits.
_MOST = 1 << 16
# "CUDA C++ Programming Guide", technical specifications: the largest of any shape (a linear texture has 2**28 texels).
_LARGEST = {"Linear": 1 << 28}
_MOST_TEXELS = 1 << 17
# cudaDeviceProp.textureAlignment and .texturePitchAlignment of every GPU so far.
_ALIGNMENT, _PITCH_ALIGNMENT = 512, 32
_ADDRESSES = ("cudaAddressModeWrap", "cudaAddressModeClamp", "cudaAddressModeMirror", "cudaAddressModeBorder")
ADDRESS_MODES: tuple[AddressMode, ...] = ("wrap", "clamp", "mirror", "border")
CONSTANTS = {**{name: k for k, name in enumerate(_ADDRESSES)}, "cudaFilterModePoint": 0, "cudaFilterModeLinear": 1,
             "cudaReadModeElementType": 0, "cudaReadModeNormalizedFloat": 1}
"""What the members of ``cudaTextureDesc`` may be set to."""


@dataclass(frozen=True)
class _Desc:
    address: tuple[int, int, int] = (0, 0, 0)
    linear: bool = False
    normalized_float: bool = False
    border: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    normalized: bool = False


def make_object(evaluator: Evaluator, node: Node, name: str, arguments: Sequence[Node]) -> Value:
    """The handle of a new object; it is added to the scope. Raises ``KmutateError`` at the argument that is wrong."""
    maker = MAKERS[name]
    count = 1 + len(maker.sizes)
    evaluator.check_arity(node, name, f"{name}{maker.usage}", len(arguments),
                          (count, count if maker.surface else count + 1))
    array, offset, scalar, channels = _texels(evaluator, arguments[0], name)
    sizes = [evaluator.integer(a, f"the {what}") for a, what in zip(arguments[1:], maker.sizes, strict=False)]
    _check_sizes(evaluator, maker, sizes, arguments)
    desc = _Desc() if maker.surface or len(arguments) == count else _read(evaluator, arguments[count])
    width, height, depth, layers, pitch = _extent(maker, sizes, scalar.size * channels)
    if "pitch" in maker.sizes and (pitch < width * scalar.size * channels or pitch % (scalar.size * channels)):
        raise evaluator.error("launch-texture", f"a pitch of {pitch} bytes does not fit rows of {width} texels of "
                              f"{scalar.size * channels} bytes", arguments[3], "pitch counts bytes")
    objects = evaluator.scope.textures
    made = TextureDecl(
        name=name, surface=maker.surface, shape=maker.shape, array=array, offset=offset, scalar=scalar,
        channels=channels, width=width, height=height, depth=depth, layers=layers, pitch=pitch,
        address=(ADDRESS_MODES[desc.address[0]], ADDRESS_MODES[desc.address[1]], ADDRESS_MODES[desc.address[2]]),
        linear=desc.linear, normalized_float=desc.normalized_float, normalized=desc.normalized,
        border=(desc.border[0], desc.border[1], desc.border[2], desc.border[3]),
        handle=(SURFACE_HANDLE if maker.surface else TEXTURE_HANDLE) + len(objects),
        span=evaluator.tree.span(node))
    _check(evaluator, made, arguments, count)
    if len(objects) + 1 >= _MOST:
        raise evaluator.error("launch-texture", f"more than {_MOST} texture and surface objects", node)
    objects.append(made)
    return Value(SURFACE_OBJECT if maker.surface else TEXTURE_OBJECT, made.handle)


def _texels(evaluator: Evaluator, node: Node, name: str) -> tuple[str, int, Scalar, int]:
    """The array, the offset in it, and what a texel consists of: (array, bytes, scalar, channels)."""
    value = evaluator.value(node)
    if not isinstance(value.data, Address) or value.data.array is None or not isinstance(value.type, Pointer):
        raise evaluator.error("launch-texture", f"{name} needs a declared array, not {value.type.name}", node,
                              "declare one above: float4 img[height * width] = uniform(0, 1);")
    elem = value.type.to
    lanes = uniform_lanes(elem) if elem is not None else None
    if lanes is None or lanes[1] not in (1, 2, 4) or lanes[0].size > 4 or lanes[0].rank in (Rank.BOOL, Rank.BF16):
        raise evaluator.error("launch-texture", f"a texel cannot be {elem.name if elem else 'void'}", node,
                              "texels have 1, 2 or 4 channels of 8-, 16- or 32-bit integers, __half or float; a double "
                              "is read as int2")
    scalar, channels = lanes
    if value.data.offset % (scalar.size * channels):
        raise evaluator.error("launch-texture", f"the texels begin at byte {value.data.offset} of {value.data.array}, "
                              f"no multiple of their {scalar.size * channels} bytes", node)
    return value.data.array, value.data.offset, scalar, channels


def _check_sizes(evaluator: Evaluator, maker: Maker, sizes: Sequence[int], arguments: Sequence[Node]) -> None:
    most = _LARGEST.get(maker.shape, _MOST_TEXELS)
    for size, what, node in zip(sizes, maker.sizes, arguments[1:], strict=False):
        if size < 1 or (size > most and what != "pitch"):
            raise evaluator.error("launch-size", f"the {what} is {size}; it must be 1 to {most}", node)


def _extent(maker: Maker, sizes: Sequence[int], texel: int) -> tuple[int, int, int, int, int]:
    """Width, height, depth, layers, and bytes of a row."""
    by_name = dict(zip(maker.sizes, sizes, strict=True))
    width = by_name["width"]
    if maker.shape.startswith("Cubemap"):
        return width, width, 1, 6 * by_name.get("cubes", 1), width * texel
    return (width, by_name.get("height", 1), by_name.get("depth", 1), by_name.get("layers", 1),
            by_name.get("pitch", width * texel))


def _read(evaluator: Evaluator, node: Node) -> _Desc:
    """A ``cudaTextureDesc`` that is given as an argument."""
    value = evaluator.value(node)
    if value.type != TEXTURE_DESC or not isinstance(value.data, tuple):
        raise evaluator.error("launch-texture", f"the last argument is a cudaTextureDesc, not {value.type.name}", node,
                              "write: cudaTextureDesc desc = { .filterMode = cudaFilterModeLinear };")
    raw = dict(zip((f.name for f in TEXTURE_DESC.fields), value.data, strict=True))

    def numbers(name: str) -> tuple[int | float, ...]:
        data = raw[name].data
        return tuple(_number(v) for v in data) if isinstance(data, tuple) else (_number(raw[name]),)

    def chosen(name: str, most: int) -> int:
        number = int(numbers(name)[0])
        if not 0 <= number <= most:
            raise evaluator.error("launch-texture", f"{name} is {number}; it is one of 0 to {most}", node)
        return number

    for name in ("sRGB", "seamlessCubemap", "mipmapFilterMode", "mipmapLevelBias", "minMipmapLevelClamp",
                 "maxMipmapLevelClamp"):
        if any(numbers(name)):
            raise evaluator.error("launch-texture", f"{name} is not simulated", node,
                                  "textures have one level here" if "ipmap" in name and name[0] != "s" else None)
    if numbers("maxAnisotropy")[0] > 1:
        raise evaluator.error("launch-texture", "anisotropic filtering is not simulated", node)
    modes = [int(n) for n in numbers("addressMode")]
    if any(not 0 <= m < len(_ADDRESSES) for m in modes):
        raise evaluator.error("launch-texture", f"addressMode is one of {', '.join(_ADDRESSES)}", node)
    border = tuple(float(n) for n in numbers("borderColor"))
    return _Desc((modes[0], modes[1], modes[2]), bool(chosen("filterMode", 1)), bool(chosen("readMode", 1)), border,
                 bool(numbers("normalizedCoords")[0]))


def _number(value: Value) -> int | float:
    return value.data if isinstance(value.data, int | float) else 0


def _check(evaluator: Evaluator, made: TextureDecl, arguments: Sequence[Node], count: int) -> None:
    """What an object may not be, by itself and with its array."""
    def wrong(what: str, node: Node, hint: str | None = None) -> KmutateError:
        return evaluator.error("launch-texture", what, node, hint)

    desc = arguments[count] if len(arguments) > count else arguments[0]
    array = evaluator.scope.arrays[made.array]
    if made.offset + made.nbytes > array.nbytes:
        raise wrong(f"the {'surface' if made.surface else 'texture'} has {made.nbytes} bytes, {made.array} "
                    f"{array.nbytes - made.offset}" + (" from there" if made.offset else ""), arguments[0],
                    "sizes count texels of the array's element type")
    if array.symbol:
        raise wrong(f"{made.array} is a variable of the file, no memory that an object can be made of", arguments[0])
    if (made.shape == "Linear" or "pitch" in MAKERS[made.name].sizes) and made.offset % _ALIGNMENT:
        raise wrong(f"the texels begin at byte {made.offset} of {made.array}; where an array's memory is used as it is "
                    f"they begin at a multiple of {_ALIGNMENT}", arguments[0])
    if "pitch" in MAKERS[made.name].sizes and made.pitch % _PITCH_ALIGNMENT:
        raise wrong(f"a pitch of {made.pitch} bytes is no multiple of {_PITCH_ALIGNMENT}", arguments[3])
    if made.linear and not made.returns_float:
        raise wrong("cudaFilterModeLinear needs texels that are read as floating point", desc,
                    "set readMode to cudaReadModeNormalizedFloat, or filterMode to cudaFilterModePoint")
    if any(made.border) and made.scalar.rank is not Rank.FLOAT:
        raise wrong("a borderColor other than 0 is simulated for float texels only", desc)


def objects_of(scope: Scope, values: Sequence[Value]) -> tuple[TextureDecl, ...]:
    """The objects whose handles are passed to a kernel; all of them where an array that is passed may hold handles."""
    from mutate.launch.expressions import flatten

    kinds = (TEXTURE_OBJECT, SURFACE_OBJECT)
    reached = [name for value in values for name in value.arrays()]
    if any(leaf in kinds for name in reached for _, leaf in leaves(scope.arrays[name].elem)):
        return tuple(scope.textures)
    handles = {leaf.data for value in values for _, leaf in flatten(value) if leaf.type in kinds}
    return tuple(t for t in scope.textures if t.handle in handles)
