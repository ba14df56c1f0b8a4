"""How texture fetches and surface accesses are decoded.

``TEX.SCR.LL R0, R7, R6, R8, 0x0, 0x5c, 3D, 0x7``: where the third and fourth channel of the mask go, where the first
two, coordinates, more of them, the object's handle, shape, mask. Coordinates begin with the layer. With .SCR the first
two registers hold two of them (one, if there are only two) and the others hold the rest, a level of detail last;
without it the first registers hold all coordinates. The handle is in a constant bank, in a uniform register or, with
.B, in the register before the rest. (Seen in code that NVRTC makes for sm_75 to sm_90.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutate.sim import layout as lay
from mutate.sim.operand import operand as parse
from mutate.sim.operand import parse_address
from mutate.sim.row_rules import destination_operand, is_predicate, rule
from mutate.sim.rules import UnsupportedError

if TYPE_CHECKING:
    from mutate.sim.decode import Decoder

# Shape of a fetch and its coordinates without the layer.
_SHAPES = {"1D": (lay.T_1D, 1), "2D": (lay.T_2D, 2), "3D": (lay.T_3D, 3), "CUBE": (lay.T_CUBE, 3),
           "ARRAY_1D": (lay.T_LAYERED_1D, 1), "ARRAY_2D": (lay.T_LAYERED_2D, 2), "ARRAY_CUBE": (lay.T_LAYERED_CUBE, 3)}
_SURFACES = {"1D": (lay.T_1D, 1), "2D": (lay.T_2D, 2), "3D": (lay.T_3D, 3), "1D_ARRAY": (lay.T_LAYERED_1D, 1),
             "2D_ARRAY": (lay.T_LAYERED_2D, 2)}
_CHANNELS = {"R": 0, "G": 1, "B": 2, "A": 3}
# Textures have one level, so the level of detail and gradients have no effect.
_LEVELS = frozenset(("LZ", "LL", "NODEP"))
_SIZES = {"U8": (1, 0), "S8": (1, 1), "U16": (2, 0), "S16": (2, 1), "64": (8, 0), "128": (16, 0)}
_ORDERS = frozenset(("D", "BA", "STRONG", "WEAK", "SM", "CTA", "GPU", "SYS"))


@rule("TEX", "TLD", "TLD4", "TXD")
def _fetch(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    if any(is_predicate(o) for o in operands):
        raise UnsupportedError("a predicate as operand")
    rest = list(operands)
    mask = int(rest.pop(), 16) if rest[-1].startswith("0x") else 15
    shape = rest.pop()
    if shape not in _SHAPES or not 0 < mask < 16:
        raise UnsupportedError(f"texture shape {shape}")
    number, dims = _SHAPES[shape]
    row[lay.OP], row[lay.M], row[lay.WIDTH] = lay.TEXTURE_FETCH, number, mask
    taken = list(mods)
    scattered = "SCR" in taken
    if name == "TLD":
        if shape != "1D":
            raise UnsupportedError(f"an unfiltered fetch of shape {shape}")
        row[lay.M] = lay.T_LINEAR
    if name == "TLD4":
        chosen = next((m for m in taken if m in _CHANNELS), None)
        if chosen is None:
            raise UnsupportedError("a gather of no channel")
        taken.remove(chosen)
        row[lay.TABLE] = _CHANNELS[chosen] + 1
    bindless = "B" in taken
    for m in taken:
        if m not in ("SCR", "B") and m not in _LEVELS:
            raise UnsupportedError(f"modifier .{m}")
    _results(decoder, rest.pop(0), rest.pop(0))
    coordinates = dims + (number >= lay.T_LAYERED_1D)
    near = coordinates
    if scattered:
        all_of_them = coordinates + ("LL" in taken)
        near = min(coordinates, 2 if bindless or all_of_them > 2 else 1)
    row[lay.X] = dims | near << 4
    _registers(decoder, lay.A, rest.pop(0))
    if bindless:
        if coordinates > near or len(rest) != 1:
            raise UnsupportedError("operands of an unknown form")
        _registers(decoder, lay.C, rest[0])
        decoder.put_words(lay.B, 0)
        return
    _handle(decoder, lay.C, rest[-2:])
    if len(rest) == 3:
        _registers(decoder, lay.B, rest[0])
    elif len(rest) == 2 and coordinates == near:
        decoder.put_words(lay.B, 0)
    else:
        raise UnsupportedError("operands of an unknown form")


def _results(decoder: Decoder, later: str, first: str) -> None:
    """Where the channels go: the first two of the mask, and those after them."""
    row = decoder.code[decoder.index]
    destination_operand(decoder, first)
    value = parse(later)
    if value.kind != "R":
        raise UnsupportedError(f"destination {later}")
    if value.number >= 0:
        row[lay.SECOND], row[lay.SECOND_REL] = decoder.register("R", value.number) * lay.LANES, -1


def _registers(decoder: Decoder, column: int, text: str) -> None:
    value = parse(text)
    if value.kind != "R":
        raise UnsupportedError(f"operand {text}")
    if value.number < 0:
        decoder.put_words(column, 0, 0, 0, 0)
    else:
        decoder.put_source(column, "R", value.number)


def _handle(decoder: Decoder, column: int, operands: Sequence[str]) -> None:
    """The handle: ``UR4, 0x0``, or bank and word of a constant bank."""
    where, offset = operands
    value = parse(where)
    if value.kind == "UR" and int(offset, 16) == 0:
        decoder.put_source(column, "UR", value.number)
    elif value.kind == "int":
        decoder.put_words(column, decoder.bank_word(value.number, 4 * int(offset, 16)))
    else:
        raise UnsupportedError(f"texture handle {where}, {offset}")


@rule("SULD", "SUST")
def _surface(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    storing = decoder.listing[decoder.index].name == "SUST"
    shapes = [m for m in mods if m in _SURFACES]
    sizes = [m for m in mods if m in _SIZES]
    for m in mods:
        if m not in _SURFACES and m not in _SIZES and m not in _ORDERS and m not in ("TRAP", "IGN"):
            raise UnsupportedError(f"modifier .{m}")
    if len(shapes) != 1 or "D" not in mods or "BA" not in mods:
        raise UnsupportedError("a surface access that is not by bytes")
    row[lay.OP], row[lay.ACTION] = lay.SURFACE_ACCESS, lay.STORE if storing else lay.LOAD
    row[lay.M], row[lay.X] = _SURFACES[shapes[0]]
    row[lay.WIDTH], row[lay.Y] = _SIZES[sizes[0]] if sizes else (4, 0)
    row[lay.TABLE] = lay.T_TRAP if "TRAP" in mods else (lay.T_IGNORED if "IGN" in mods else lay.T_CLAMPED)
    rest = list(operands)
    if not storing:
        destination_operand(decoder, rest.pop(0))
    address = parse_address(rest.pop(0))
    if address is None or address.uniform is not None or address.offset or address.scale:
        raise UnsupportedError("the coordinates of a surface access")
    if address.register is None:
        decoder.put_words(lay.A, 0, 0, 0, 0)
    else:
        decoder.put_source(lay.A, "R", address.register)
    if storing:
        _registers(decoder, lay.C, rest.pop(0))
    if len(rest) == 2:
        _handle(decoder, lay.B, rest)
    elif len(rest) == 1:
        _registers(decoder, lay.B, rest[0])
    else:
        raise UnsupportedError("operands of an unknown form")
