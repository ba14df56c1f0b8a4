"""Damaged cubins and listings of random words: an answer or an error that says so, never another exception."""

from __future__ import annotations

import random

import pytest
import targets
from fuzz import listings
from mangle import flipped

from mutate.dynamic import Binary
from mutate.errors import KmutateError
from mutate.pipeline.binaries import compile_originals
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sass.disasm import Instruction, _decode, _encode, _split
from mutate.sass.lines import _expand, _Row, line_table
from mutate.sim.decode import decode
from mutate.sim.image import read_image
from mutate.toolchain.elf import BadCubinError, Cubin
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


@pytest.fixture(scope="module")
def binaries() -> list[Binary]:
    return [k.original for name in ("reduction", "histogram", "matmul")
            for k in compile_originals(Request(samples_dir() / f"{name}.cu"))]


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_cubin_is_read_or_called_damaged(seed: int, binaries: list[Binary]) -> None:
    rng = random.Random(seed)
    binary = rng.choice(binaries)
    targets.cubin(flipped(binary.cubin, rng, rng.choice((1, 4, 30, 300))), binary.entry)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_no_cubin_is_called_so(seed: int, binaries: list[Binary]) -> None:
    rng = random.Random(seed)
    for data in (rng.randbytes(rng.randrange(400)), binaries[0].cubin[: rng.randrange(200)],
                 b"\x7fELF\x02\x01" + rng.randbytes(200)):
        with pytest.raises(BadCubinError):
            read_image(data, binaries[0].entry)


@pytest.mark.parametrize("seed", range(60))
def test_a_listing_with_random_words_is_taken(seed: int, binaries: list[Binary]) -> None:
    targets.listing(listings(random.Random(seed), binaries))


LINE = "        /*{:04x}*/                   {} ;  /* 0x0000000000007918 */\n  /* 0x000fc00000000000 */\n"


@pytest.mark.parametrize(("offsets", "sizes"), [((0, 16, 32), (32,)), ((0, 32), (32,)), ((16, 0), (32,)), ((0,), (32,)),
                                                ((0, 16, 0x20, 0x10), (32, 32))])
def test_a_listing_of_something_else_than_the_code_is_an_error(offsets: tuple[int, ...], sizes: tuple[int, ...]
                                                               ) -> None:
    with pytest.raises(KmutateError, match="nvdisasm printed"):
        _split("".join(LINE.format(at, "NOP") for at in offsets), sizes)


def test_what_the_cache_has_of_a_listing_is_the_listing() -> None:
    listing, other = _split(LINE.format(0, "MOV R1,\tR2") + LINE.format(16, "BRA\t0x10"), (16, 16))
    assert _decode(_encode(listing)) == listing and _decode(_encode(other)) == other


def test_a_table_of_lines_goes_no_further_than_the_code() -> None:
    rows = [_Row(0, "k.cu", 1, 0, False, "k"), _Row(1 << 60, "k.cu", 2, 0, True, "k")]
    assert set(_expand(rows, "k", 48)) == {0, 16, 32}
    circle = [_Row(0, "k.cu", 1, 1, False, "k"), _Row(16, "k.cu", 2, 0, True, "k")]
    assert _expand(circle, "k", 16)[0].outermost == ("k.cu", 1)


def test_a_table_of_lines_that_names_no_symbol_is_read() -> None:
    (built,) = compile_many([Job(b"__global__ void k(int *p) { *p = 1; }", "k.cu", "k",
                                 CompileOptions(extra=("-lineinfo",)))])
    assert isinstance(built, Compiled) and line_table(built.cubin, built.entry)
    image, damaged = Cubin(built.cubin), bytearray(built.cubin)
    (section,) = (s for s in image.sections if s.name in (".rela.debug_line", ".rel.debug_line"))
    damaged[section.offset + 12 : section.offset + 16] = b"\xff\xff\xff\x7f"  # the symbol of the first
    assert line_table(bytes(damaged), built.entry) == {}


def test_a_variable_in_a_section_that_is_not_there_is_not_found() -> None:
    (built,) = compile_many([Job(b"__constant__ int km_flag; __global__ void k(int *p) { *p = km_flag; }", "k.cu", "k",
                                 CompileOptions())])
    assert isinstance(built, Compiled) and Cubin(built.cubin).constant_offset("km_flag") == 0
    image, damaged = Cubin(built.cubin), bytearray(built.cubin)
    (table,) = (s for s in image.sections if s.name == ".symtab")
    at = next(k for k, s in enumerate(image.symbols) if s.name == "km_flag")
    damaged[table.offset + 24 * at + 6 : table.offset + 24 * at + 8] = b"\xff\x7f"  # its section
    assert Cubin(bytes(damaged)).constant_offset("km_flag") is None


def test_an_unknown_instruction_is_named_and_not_guessed() -> None:
    listing = [Instruction(0, "", "FROBNICATE.X", "R1, R2", 0, 0), Instruction(16, "", "FADD", "R1, R2, banana", 0, 0),
               Instruction(32, "", "LDS", "R0, [R2+0xff00000000]", 0, 0), Instruction(48, "", "EXIT", "", 0, 0)]
    program = decode(listing, {0: bytes(1024)})
    assert [u.index for u in program.unsupported] == [0, 1, 2]
    assert "FROBNICATE" in program.unsupported[0].why
