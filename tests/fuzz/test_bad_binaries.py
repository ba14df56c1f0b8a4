"""Damaged cubins and listings of random words: an answer or an error that says so, never another exception."""

from __future__ import annotations

import random

import pytest
import targets
from fuzz import listings
from mangle import flipped

from mutate.dynamic import Binary
from mutate.pipeline.binaries import compile_file
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sass.disasm import Instruction
from mutate.sim.decode import decode
from mutate.sim.image import read_image
from mutate.toolchain.elf import BadCubinError
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


@pytest.fixture(scope="module")
def binaries() -> list[Binary]:
    return [k.original for name in ("reduction", "histogram", "matmul")
            for k in compile_file(Request(samples_dir() / f"{name}.cu", mutations=("identity",)))]


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


def test_an_unknown_instruction_is_named_and_not_guessed() -> None:
    listing = [Instruction(0, "", "FROBNICATE.X", "R1, R2", 0, 0), Instruction(16, "", "FADD", "R1, R2, banana", 0, 0),
               Instruction(32, "", "EXIT", "", 0, 0)]
    program = decode(listing, {0: bytes(1024)})
    assert [u.index for u in program.unsupported] == [0, 1]
    assert "FROBNICATE" in program.unsupported[0].why
