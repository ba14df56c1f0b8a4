"""The model of time on patterns that an H200 was timed with, or an H100 (tests/machines: patterns.cu and others)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from compilers import MEASURED, nvrtc_version
from launch_rows import REFERENCE, launch_rows

from mutate.machines import load_machine
from mutate.pipeline.binaries import KernelBinaries, compile_originals
from mutate.results import Request
from mutate.sass.disasm import Instruction
from mutate.sim.image import read_image
from mutate.sim.timing.banks import bank_reads
from mutate.sim.timing.model import Kernel, SimulatedTime, predict
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
MACHINES = Path(__file__).parents[1] / "machines"
CASE, UNMERGED = ("kernel", "launch", "within"), "same_lines"


FILES = ("patterns", "constants", "updates", "lines", "cold", "diverge", "capacity", "adds", "tiles", "neighbours",
         "steps", "stores", "parts", "walks", "lopsided", "mixed", "swaps", "permuted", "sums", "buckets",
         "claims", "hot", "words", "meets", "changed", "phases", "append", "edges", "grids", "leaving", "runs",
         "merges", "hints", "async", "tallies", "structs", "scans", "passes", "windows", "maxima", "branches", "apart",
         "fixed", "slow", "jumps", "planes", "streams", "icache", "begins", "few",
         "bars", "trees", "products", "quads", "chases", "spaced", "taps", "rolls", "pending", "marches", "atoms",
         "late", "tables", "homes", "tails", "copies", "gathers", "functions",
         "idle", "cas", "sizes", "onway", "locals", "partials", "byterows", "joins", "finds", "counted", "stacks",
         "walkers", "exchanges", "replaced", "walled", "holes", "fields", "knees", "naive", "uniforms",
         "nearby", "butterflies", "offsets", "halves", "ragged", "hits_beside", "stored_twice", "stored_ahead",
         "stored_rows", "dealt", "lengths")


@cache
def named() -> frozenset[str]:
    """Of the files' instances, a thousand, those that a test of this file names."""
    cases = [case for test in globals().values() for mark in getattr(test, "pytestmark", ())
             if mark.name == "parametrize" and mark.args[0] == CASE for case in mark.args[1]]
    # Of a case that is marked the first of its parts are its values.
    return frozenset(case[0] if isinstance(case[0], str) else case[0][0] for case in cases) | {UNMERGED}


@cache
def text_of(file: str) -> str:
    return (MACHINES / f"{file}.cu").read_text()


@cache
def compiled(file: str) -> dict[str, KernelBinaries]:
    """All that tests name of a file: several processes that run tests find in the cache what one has compiled."""
    path = MACHINES / f"{file}.cu"
    return {b.target.name: b for b in compile_originals(Request(path=path, arch="sm_90"), names=set(named()))}


def pattern(kernel: str) -> KernelBinaries:
    defined = re.compile(rf"__global__[^;{{}}]*\b{kernel.partition('<')[0]}\s*\(")
    return next(compiled(file)[kernel] for file in FILES if defined.search(text_of(file)) and kernel in compiled(file))


def kept(name: str) -> dict[tuple[str, int], dict[str, str]]:
    """The row of each launch in a file of reference data."""
    return {(f"{kernel}<{instance}>" if instance else kernel, launch): row
            for kernel, instance, launch, row in launch_rows(name)}


@cache
def times() -> dict[tuple[str, int], tuple[float, str]]:
    """Of each launch microseconds, of the code of this compiler where that was measured, too, and the machine: h200

    where it was.
    """
    files = FILES if nvrtc_version() == MEASURED else ("nvrtc_13_5", *FILES)
    found: dict[tuple[str, int], tuple[float, str]] = {}
    for name, machine in ((name, machine) for name in files for machine in ("h200", "h100")):
        if (REFERENCE / f"{machine}_{name}.csv").exists():
            for launch, row in kept(f"{machine}_{name}").items():
                found.setdefault(launch, (float(row["us"]), machine))
    return found


def measured(kernel: str, launch: int) -> float:
    return times()[kernel, launch][0]


def played(kernel: str, launch: int, machine: str = "h200") -> SimulatedTime:
    binaries = pattern(kernel)
    code = Kernel(read_image(binaries.original.cubin, binaries.original.entry), binaries.original.listing)
    return predict(code, binaries.target.launches[launch], load_machine(machine))


def simulated(kernel: str, launch: int) -> float:
    """Microseconds, on the machine that was measured."""
    return 1e3 * played(kernel, launch, times()[kernel, launch][1]).time_ms


def missed(kernel: str, launch: int, within: float) -> object:
    """A bound that was met before instructions took the slots (h200_stored.csv) and the turns in L1 that they have on a

    GPU (h200_stored_ahead.csv), or before the clock fell as it does there (h200_clocks_mhz.csv), and is not now.
    """
    mark = pytest.mark.xfail(strict=True, raises=AssertionError, reason="more off than before")
    return pytest.param(kernel, launch, within, marks=mark)


@pytest.mark.parametrize(CASE, [
    ("off_lds", 0, 0.03), ("off_sts", 0, 0.03), ("off_ldg", 0, 0.03),  # no lane is on
    ("off_ldg", 2, 0.03),  # hits in L1
    ("bank_updates", 2, 0.03),
    ("halo_loads", 0, 0.1), ("halo_loads", 1, 0.1), ("halo_loads", 2, 0.1),  # a lone sector of each row
    ("table_loads", 0, 0.1), ("table_loads", 3, 0.15), ("table_loads", 5, 0.15), ("table_loads", 7, 0.1),  # 8 to 512 MB
    ("lane_loads", 0, 0.05), ("lane_loads", 3, 0.03), ("lane_loads", 10, 0.05),  # words that lanes want of constants
    ("lane_chain", 0, 0.06), ("lane_chain", 5, 0.03),  # ... one load after another
    ("table_walk", 0, 0.05), ("table_walk", 9, 0.1),  # a table that the first constant cache holds, and one of 4 KB
    ("lane_lines", 4, 0.05), ("lane_lines", 8, 0.06), ("lane_lines", 13, 0.03),  # 32 and 4 warps, each at its place
    ("lane_random", 2, 0.03), ("lane_random", 5, 0.13), ("lane_random", 7, 0.05),  # lanes' own words: 2, 4 and 16 KB
    ("lane_random", 10, 0.08), ("lane_random", 16, 0.03),  # one warp, and four
    ("lane_steps", 2, 0.1), ("lane_steps", 5, 0.08), ("lane_steps", 13, 0.09),  # lines one after another: 4 and 32
    ("uniform_lines<16>", 3, 0.05), ("uniform_lines<16>", 8, 0.05),  # 32 warps in step, and one: 64 and 4 KB
    ("uniform_lines<16>", 9, 0.05), ("table_sweep", 10, 0.04),  # for the first time
    ("table_sweep", 8, 0.05),  # one warp
    ("random_stores", 0, 0.05), ("random_adds", 0, 0.05), ("random_adds64", 0, 0.05),  # in L2
    ("random_stores", 1, 0.1), ("random_stores", 2, 0.05), ("random_stores", 3, 0.06),  # 16 to 256 MB, in parts
    ("random_adds", 2, 0.08), ("random_adds64", 2, 0.08),
    ("random_pairs", 0, 0.07), ("random_pairs", 1, 0.12),  # L2 does one after another
    ("apart_stores", 13, 0.04), ("apart_stores", 18, 0.15), ("apart_stores", 22, 0.04),  # 32 lines: all SMs, 16, one
    ("apart_stores", 27, 0.04), ("apart_stores", 26, 0.04), ("apart_stores", 12, 0.04),  # ... of eight warps
    missed("summed_in_place", 3, 0.1), ("paced_stores<0>", 8, 0.1),  # stores that wait for the next, and that do not
    ("walk_rows<1>", 2, 0.05), ("walk_rows<2>", 2, 0.07), ("walk_rows<2>", 4, 0.05),  # rows written, changed in place
    ("matches<1>", 1, 0.08), ("matches<2>", 0, 0.05), ("matches<3>", 1, 0.06),  # 2, 8 and 32 different keys of a warp
    ("behind_stores<1>", 6, 0.1), ("beside_stores<1>", 2, 0.1),  # loads behind stores
    ("part_stores<8, 1>", 0, 0.12), ("part_stores<4, 1>", 0, 0.12),  # a word of each sector, and two
    ("row_walks", 1, 0.05), ("row_walks", 9, 0.05), ("row_walks", 8, 0.06),  # 32 lines a load: looked up, then read
    ("sector_steps<0>", 0, 0.05), ("sector_steps<0>", 1, 0.05), ("sector_steps<0>", 7, 0.05),  # one load at a time
    ("line_chain<unsigned>", 3, 0.02), ("line_chain<unsigned>", 10, 0.02), ("line_chain<unsigned>", 22, 0.02),
    ("line_chain<unsigned>", 35, 0.02), ("line_chain<uint2>", 2, 0.03), ("line_chain<uint4>", 2, 0.06),
    ("line_turns", 2, 0.03), ("line_turns", 9, 0.03), ("line_turns", 12, 0.02),  # tags are looked up, or banks read
    ("bank_chain<0>", 3, 0.04), ("bank_chain<0>", 9, 0.02), ("bank_chain<1>", 3, 0.06), ("bank_chain<2>", 3, 0.05),
    ("bank_chain<2>", 5, 0.02), ("load_batch<4>", 0, 0.11),  # one warp, and a block of eight
    ("uniform_lines<4>", 1, 0.06), ("uniform_lines<4>", 2, 0.08), ("uniform_lines<16>", 13, 0.05),
    ("uniform_lines<16>", 14, 0.03), ("uniform_lines<64>", 3, 0.05), ("uniform_lines<16>", 19, 0.06),
    ("cold_code<4>", 0, 0.04), ("cold_code<1024>", 1, 0.05), ("first_loads", 3, 0.09),  # launch, blocks' ends
    ("split<2>", 0, 0.04), ("split<4>", 0, 0.03), ("skip<1>", 0, 0.06), ("skip<1>", 1, 0.03), ("skip<1>", 2, 0.05),
    ("trips", 0, 0.03), ("trips", 4, 0.04), ("called", 1, 0.03), ("descend", 0, 0.03),  # one warp, lanes apart or not
    ("split<1>", 1, 0.04), ("split<2>", 2, 0.04), ("skip<1>", 5, 0.05), ("descend", 2, 0.07),  # 32
    ("trips", 5, 0.1), ("held", 3, 0.03), ("held", 7, 0.04),  # a loop behind a barrier waits, and before one does not
    ("around", 4, 0.03), ("around", 13, 0.03), ("turned", 1, 0.06), ("turned", 3, 0.13),  # L1 holds it, and does not
    ("around", 8, 0.03), ("turned", 0, 0.05),  # ... nearly, and lines come from DRAM
    ("permuted_stores", 5, 0.1), ("permuted_stores", 9, 0.11), ("turned_axes", 0, 0.07),  # other blocks write what lies
    ("permuted_loads", 2, 0.08), ("permuted_loads", 4, 0.09), ("permuted_loads", 9, 0.03),  # beside, and read it
    ("row_adds<int>", 15, 0.02), ("row_adds<int>", 17, 0.08), ("row_adds<int>", 19, 0.06),  # all warps to few rows
    ("row_adds<int>", 22, 0.08), ("row_adds<int>", 24, 0.11), ("row_adds<float>", 8, 0.12),  # ... lanes apart, at one
    ("row_gives", 2, 0.03), ("row_gives", 4, 0.05), ("row_adds<double>", 3, 0.17),  # old values, wide words
    ("float_adds", 0, 0.02), ("float_adds", 2, 0.06), ("float_adds", 4, 0.03), ("float_adds", 7, 0.07),
    ("same_lines", 10, 0.03), ("same_lines", 11, 0.02), ("same_lines", 12, 0.07),  # equal reads of 1, 2 and 4 SMs
    ("same_lines", 21, 0.09), ("same_lines", 23, 0.05),  # of eight waves, whose blocks are no longer side by side
    ("pairs", 8, 0.05), ("pairs", 9, 0.08),  # of pairs of SMs, and of others
    ("same_sectors", 10, 0.05), ("same_sectors", 13, 0.03), ("same_sectors", 17, 0.06),  # of parts of lines, and many
    ("row_reads<float, 4>", 0, 0.08), ("row_reads<float4, 1>", 0, 0.06),  # a row misses as a whole
    ("near_stores", 1, 0.1), ("near_stores", 3, 0.1),
    ("rows_by_barriers<0>", 0, 0.04), ("rows_by_barriers<1>", 0, 0.03), ("rows_in_steps", 5, 0.1),  # one that asks
    ("rows_beside<1>", 13, 0.09), ("rows_beside<1>", 14, 0.06), ("rows_beside<1>", 8, 0.07),  # parts beside reads in L2
    ("rows_beside<1>", 16, 0.04), ("rows_beside<1>", 19, 0.1), ("rows_beside<1>", 1, 0.16),  # 43, 56, 69 MB: given up
    ("slow_rows", 17, 0.04), ("slow_rows", 8, 0.04),  # parts of 67 and 135 k lines
    ("shared_adds<int>", 17, 0.03), ("shared_adds<int>", 0, 0.04), ("shared_adds<int>", 15, 0.05),  # one SM, and all
    ("shared_adds<float>", 3, 0.03), ("turn_adds<float>", 4, 0.05), ("turn_adds<float>", 8, 0.05),  # words of a line
    ("run_adds", 4, 0.04), ("run_adds", 8, 0.09), ("run_adds", 10, 0.06),  # runs of 1, 32 and 3 floats by chance
    ("counts<1>", 0, 0.05), ("counts<0>", 4, 0.02), ("count_walk", 2, 0.11),  # counters, and places by chance
    ("turn_adds<float>", 3, 0.07), ("turn_adds<float>", 6, 0.07), ("turn_adds<float>", 36, 0.04),  # staying at a place
    ("some_warps", 2, 0.04), ("some_warps", 6, 0.04), ("some_warps", 14, 0.04), ("some_warps", 19, 0.04),  # one of each
    ("some_warps", 22, 0.04), ("some_warps", 25, 0.04), ("some_warps", 30, 0.04),  # block works: by 32 to 256 threads
    ("mixed_lines", 1, 0.04), ("mixed_lines", 2, 0.05), ("mixed_lines", 5, 0.09), ("mixed_lines", 7, 0.04),  # of 32
    ("mixed_lines", 24, 0.04), ("mixed_lines", 27, 0.05), ("mixed_lines", 29, 0.04),  # lines 1 to 32 come from L2
    ("by_grid<0>", 4, 0.04), ("by_grid<0>", 0, 0.09), ("by_grid<1>", 2, 0.06), ("sums_by_grid", 0, 0.05),  # 32 and
    ("arrays_by_grid<3>", 0, 0.03),  # 64 warps of an SM by the grid's width, one load and four at a time
    ("lets_start<1>", 2, 0.03), ("lets_start<2>", 0, 0.03),  # blocks that let a dependent grid start
    ("few_work<1>", 0, 0.05), ("some_stay<2, 0>", 0, 0.1),  # blocks of which most warps leave at once
    ("lane_runs<float, 4, 1, 1>", 2, 0.1), ("lane_runs<float, 2, 1, 1>", 0, 0.05),  # parts of sectors that wait for
    missed("lane_runs<float, 4, 3, 1>", 1, 0.06), ("lane_runs<half, 4, 1, 1>", 2, 0.05),  # the rest
    ("merged<int, 4, 3>", 0, 0.06), ("merged<short, 4, 2>", 0, 0.04), ("lane_runs<float, 8, 2, 1>", 0, 0.12),
    ("merged<int, 8, 3>", 0, 0.14), ("merged<short, 8, 2>", 1, 0.12), ("merged<short, 8, 0>", 2, 0.11),  # do not
    ("rows_hinted<1, 1>", 0, 0.04), ("rows_hinted<0, 0>", 0, 0.04),  # rows with and without hints
    ("copied<64, 8, 0>", 2, 0.09), ("copied<16, 0, 0>", 1, 0.06), ("copied<32, 0, 0>", 1, 0.04),  # to shared memory
    ("copied<64, 4, 1>", 0, 0.07),  # ... through L1
    ("near_stores", 4, 0.1),  # over and over in L2, which has read the rest of each once
    ("counted", 3, 0.06), ("counted", 4, 0.06), ("counted", 7, 0.06),  # two arrays of 16 and 32 MB that share L2
    ("counted", 5, 0.11), ("counted", 6, 0.06),  # few places of 64 and of 32 MB, in lines of their own
    ("swaps<0>", 5, 0.13), ("swaps<0>", 7, 0.05),  # 32 and 128 MB
    ("in_turn<2, float>", 1, 0.02), ("in_turn<2, float>", 3, 0.05), ("in_turn<8, float>", 1, 0.07),  # sums in a sector,
    ("in_turn<2, float>", 6, 0.02), ("lanes_to<float>", 8, 0.08), ("block_adds<2>", 2, 0.02),  # in a line, at a place
    ("strip_sums<0>", 5, 0.12), ("strip_sums<0>", 8, 0.18), ("strip_sums<1>", 3, 0.15),  # in rows, by blocks in step
    ("quads<2, 2>", 0, 0.09), ("quads<4, 2>", 1, 0.05), ("quads<8, 1>", 2, 0.07),  # in L1, in L2, of DRAM's 64 bytes
    ("claims<1>", 0, 0.06), ("claims<1>", 2, 0.08), ("claims<6>", 0, 0.06),  # few blocks at 2**18 and 2**22 places
    ("hot_words<1, 0>", 6, 0.04), ("hot_words<1, 1>", 2, 0.03), ("hot_lines<4>", 12, 0.02),  # lines that all load
    ("hot_and_changed<0, 0>", 1, 0.03), ("hot_among_changed<0>", 0, 0.13),
    ("hot_among<0>", 5, 0.17), ("hot_among<1>", 4, 0.1),  # beside others
    ("changed_words<0>", 1, 0.06), ("changed_words<1>", 1, 0.05), ("changed_words<6>", 1, 0.07),  # one lane, few places
    ("changed_words<1>", 2, 0.13), ("changed_words<2>", 10, 0.06), ("changed_words<2>", 11, 0.12),  # loads held up
    ("row_parts<4, 1, 1, 0>", 1, 0.04), ("row_parts<4, 2, 0, 0>", 0, 0.06),  # parts
    ("row_parts<8, 2, 1, 0>", 0, 0.07),
    ("row_passes<1, 1>", 0, 0.06), ("appends<0>", 1, 0.03), ("appends<4>", 1, 0.03),  # of rows, then stores; a list
    ("some_add<4, 0>", 5, 0.1), ("some_add<4, 3>", 2, 0.03), ("some_add<4, 5>", 1, 0.08),  # neighbours' words, own ones
    ("tallies<2, 1>", 6, 0.06), ("tallies<3, 1>", 1, 0.06), ("tallies<1, 1>", 1, 0.06),  # a counter
    ("tallies<4, 1>", 1, 0.1), ("tallies<2, 1>", 4, 0.09), ("some_tally<2>", 0, 0.05), ("tallies<2, 1>", 5, 0.16),
    ("finds<0, 1>", 4, 0.04), ("finds<0, 4>", 1, 0.08), ("finds<0, 4>", 7, 0.08), ("finds<1, 3>", 0, 0.1),  # beside
    ("flagged<32>", 3, 0.06), ("flagged<1>", 7, 0.12), ("flagged<11>", 7, 0.07), ("hits_beside<8, 2, 1, 1>", 0, 0.06),
    ("looked_up<32, 1>", 5, 0.06), ("looked_up<32, 1>", 22, 0.07), ("looked_up<32, 1>", 14, 0.05),
    ("read_on<1, 2>", 0, 0.08),
    ("stacks<0>", 3, 0.05), ("stacks<1>", 8, 0.07), ("some_words<2>", 9, 0.05), ("some_words<8>", 6, 0.05),  # local
    ("walkers<0, 1>", 2, 0.04), ("walkers<0, 1>", 3, 0.05), ("walkers<2, 2>", 0, 0.11), ("walkers<1, 0>", 3, 0.1),
    ("lane_rows<2>", 0, 0.08), ("lane_rows<2>", 6, 0.02), ("lane_rows<1>", 0, 0.06),  # more on some SMs than on others
    ("lane_turns<float, 2, 4, 1>", 1, 0.16), missed("lane_turns<float, 2, 2, 1>", 0, 0.06),
    ("records<9, 6, 6>", 0, 0.07),
    ("summed<3>", 1, 0.03), ("within<0>", 5, 0.06), ("within<0>", 7, 0.09), ("nearest<1>", 2, 0.1),  # lists of all
    ("rows_each<2>", 0, 0.07), ("rows_each<3>", 0, 0.06), ("walk_rows<2>", 5, 0.07),  # stores of 32 lines
    ("wide_most<0>", 3, 0.3), ("most_of<0>", 3, 0.03), ("most_of<2>", 3, 0.1),  # one maximum of all
    ("fixed_lines<32, 16>", 0, 0.03), ("fixed_lines<256, 16>", 0, 0.04), ("fixed_lines<256, 16>", 1, 0.05),  # constants
    ("fixed_lines<1024, 1>", 0, 0.04), ("fixed_lines<1024, 1>", 2, 0.05), ("fixed_taps<6>", 2, 0.09),  # of the code
    ("quotients", 1, 0.03), ("two_quotients", 1, 0.04), ("roots", 1, 0.03), ("double_roots", 1, 0.04),  # the long way
    ("called_places<4>", 0, 0.03), ("chosen", 0, 0.04), ("by_pointer", 0, 0.03),  # and back
    ("runs_in_planes", 3, 0.17), ("streams<7, 1>", 2, 0.05), ("streams<6, 3>", 2, 0.1), ("torques", 2, 0.05),
    ("code_rounds<2560>", 0, 0.04), ("code_rounds<6144>", 2, 0.11), ("code_rounds<12288>", 0, 0.06),  # code of 40, 98
    ("code_chain<6144>", 0, 0.03), ("code_once<4096>", 0, 0.04), ("code_once<1024>", 0, 0.03),  # and 197 KB
    ("begins<6, 0>", 2, 0.04), ("begins<6, 24>", 0, 0.05), ("begins<4, 0>", 0, 0.1),  # special registers
    ("few_sums<1>", 2, 0.05), ("few_sums<4>", 10, 0.04), ("few_copies", 2, 0.04),  # few blocks
    ("barred<0, 1, 1, 1>", 16, 0.06), ("barred<0, 2, 1, 1>", 12, 0.06), ("barred<0, 1, 0, 1>", 8, 0.1),  # barriers
    ("halves<2>", 6, 0.12), ("halves<0>", 0, 0.05),
    ("tile_products<8, 4, 0>", 0, 0.08), ("tile_products<8, 4, 2>", 0, 0.12),  # tiles that long blocks share
    ("word_quads<float4, 4>", 3, 0.03), ("word_quads<float4, 2>", 1, 0.05), ("chase_words<4, 3>", 1, 0.02),  # wide
    missed("tile_reads<0, 1>", 0, 0.06), ("tile_reads<0, 1>", 2, 0.08), ("tile_reads<0, 1>", 4, 0.04),  # in step
    ("tile_walks<0, 1>", 3, 0.05), ("product_walks", 0, 0.04), ("spaced_lines", 1, 0.09),
    ("again<8>", 3, 0.1), ("rolls<int, 4, 0, 9>", 0, 0.1), ("rolls<unsigned char, 4, 1, 9>", 1, 0.1),  # on their way
    ("taps<unsigned char, 3, 3, 1>", 2, 0.1), ("taps<int, 3, 3, 1>", 0, 0.1), ("kept_atoms<12, 0>", 0, 0.05),
    ("late_sums<0, 1>", 2, 0.08), ("late_sums<1, 1>", 6, 0.08), ("late_sums<1, 32>", 4, 0.06),  # all end at once
    ("claim_places<2>", 0, 0.04), ("claim_places<5>", 0, 0.05), ("claim_places<7>", 0, 0.07),  # more than L2 holds
    ("claim_places<2>", 1, 0.08), ("claim_places<6>", 1, 0.07), ("claim_places<0>", 2, 0.09),
    ("probe_homes<0, 1>", 2, 0.11), ("probe_homes<0, 1>", 3, 0.15), ("probe_homes<0, 8>", 1, 0.05),  # half of 64 bytes
    ("row_copies<float2, 4, 1>", 0, 0.05), ("row_copies<float, 1, 0>", 0, 0.04), ("row_copies<float, 4, 2>", 0, 0.05),
    ("row_copies<float2, 8, 3>", 0, 0.06), ("last_waves<14, 0>", 5, 0.03), ("last_waves<8, 0>", 3, 0.03),
    ("unions<0>", 2, 0.22), ("unions<1>", 7, 0.08), ("pushes", 2, 0.12),  # by turns
    ("change_one", 3, 0.15), ("change_two", 3, 0.12), ("change_four", 2, 0.08),  # where they are, at random
    ("replaced<unsigned char, 0>", 1, 0.06), ("replaced<unsigned, 0>", 0, 0.06), ("replaced<unsigned, 0>", 2, 0.05),
    ("replaced<unsigned, 1>", 2, 0.03), ("walled<0>", 1, 0.04), ("walled<3>", 3, 0.11),  # parts of sectors, in time
    missed("walled<2>", 1, 0.05), ("walled<2>", 3, 0.05),  # a few in part
    ("holes<2, 0>", 1, 0.07), ("holes<2, 2>", 1, 0.06), ("holes<8, 3>", 0, 0.07), ("walls_then_rest<1>", 0, 0.04),
    ("shifted<3>", 0, 0.04), ("shifted<3>", 1, 0.04), ("shifted<1>", 5, 0.07), ("changed_rows", 2, 0.08),
    ("fields<0, 1>", 0, 0.08),  # lines that are changed in part
    ("read_once<24, 4>", 0, 0.04), ("copied_elements<40>", 0, 0.03),  # as long to load as to reckon
    ("looped<24, 4>", 0, 0.04),
    ("key_rows<2>", 0, 0.08), missed("key_rows<2>", 5, 0.04), ("key_rows<2>", 8, 0.08),  # who is first of neighbours
    ("least_record<40, 12, 0>", 1, 0.03), ("least_record<40, 12, 1>", 0, 0.11),  # a line, however many ask for it
    ("own_lines<4, 1, 1, 0>", 4, 0.06), ("own_lines<4, 1, 1, 0>", 5, 0.06), ("own_lines<4, 1, 1, 0>", 12, 0.06),
    ("own_lines<1, 1, 1, 0>", 12, 0.05), ("own_lines<4, 4, -4, 8>", 2, 0.12),  # more lines than a scheduler's cache has
    ("stored_twice<32, 1, 2, 0, 0, 1>", 0, 0.06), ("stored_twice<16, 1, 4, 0, 0, 1>", 0, 0.06),  # lines changed again
    ("stored_twice<32, 1, 4, 0, 0, 1>", 0, 0.08), ("stored_ahead<8, 0, 0, 0, 0, 32, 0, 0>", 0, 0.06),  # ... and loaded
])
def test_a_pattern_takes_what_it_took_on_the_gpu(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("random_stores", 1, 0.12), ("random_stores", 3, 0.05),  # 16 and 256 MB: most sectors are in parts
    ("random_stores", 6, 0.25), ("random_stores", 13, 0.1),  # 8 MB: a third of them; 16 MB over and over: no more
    ("random_adds", 1, 0.03),  # 16 MB: each sector once
    ("known_stores", 4, 0.08),  # read before
])
def test_dram_reads_what_is_missing_of_sectors(kernel: str, launch: int, within: float) -> None:
    """Sectors that ncu counted."""
    row = kept("h200_update_sectors")[kernel, launch]
    found = played(kernel, launch)
    share = found.blocks_per_sm / found.grid_blocks
    assert found.traffic["dram_read_sectors"] / share == pytest.approx(float(row["dram_read"]), rel=within)


@pytest.mark.parametrize(CASE, [
    ("tile_loads<float>", 3, 0.03), ("tile_loads<float2>", 2, 0.03), ("tile_loads<float4>", 1, 0.03)])
def test_tiles_that_neighbours_complete_take_no_longer_than_wider_ones(kernel: str, launch: int, within: float) -> None:
    """Whole sectors, and sixteen rows of pieces."""
    expected = measured(kernel, launch) / measured(kernel, 0)
    assert simulated(kernel, launch) / simulated(kernel, 0) == pytest.approx(expected, rel=within)


@pytest.mark.parametrize(CASE, [
    ("in_turn<float>", 2, 0.1), ("in_turn<float>", 8, 0.05), ("at_once<float4>", 7, 0.03),  # four blocks
    ("tiles_in_steps", 7, 0.03), ("tiles_in_steps", 14, 0.06), ("tiles_in_steps", 16, 0.05)])
def test_blocks_that_read_the_same_wait_for_dram_together(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("row_gathers<float4, 1>", 0, 0.05), ("row_gathers<float4, 1>", 1, 0.06), ("row_gathers<float4, 1>", 2, 0.08),
    ("row_gathers<float4, 4>", 0, 0.05), ("row_gathers<float4, 4>", 1, 0.06),
    ("row_gathers<float2, 1>", 2, 0.05), ("row_gathers<float2, 1>", 6, 0.12),  # more than L2 has
    ("row_gathers<float2, 1>", 7, 0.06)])  # two blocks an SM
def test_of_rows_read_at_random_l2_has_what_was_read_last(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("near_reads<0>", 1, 0.05), ("near_reads<0>", 3, 0.05), ("near_reads<0>", 4, 0.06), ("near_reads<2>", 2, 0.08),
    ("near_reads<2>", 4, 0.05), ("near_reads<0>", 5, 0.05),  # the last anywhere in an array of more than L2 has
    ("near_turns<0>", 1, 0.08), ("near_turns<0>", 2, 0.08), ("near_turns<2>", 1, 0.08),
    ("near_writes<0, 1>", 2, 0.05), ("near_writes<0, 0>", 1, 0.05)])
def test_l2_has_the_window_of_what_is_read_or_changed_near_by(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("butterflies<float2>", 2, 0.09), ("butterflies<float2>", 4, 0.07), ("butterflies<float>", 3, 0.05),
    ("gates<float2>", 0, 0.05), ("gates<float2>", 4, 0.05)])
def test_a_line_that_the_warp_has_read_costs_no_more_where_parts_of_it_are_changed(
        kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("tile_turns<0>", 2, 0.03), ("tile_turns<2>", 2, 0.04), ("tile_turns<2>", 0, 0.15),
    ("tile_turns<0>", 1, 0.12)])  # of 32 lines none do
def test_parts_of_sectors_go_together_of_warps_right_behind_each_other(
        kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("ragged<0, 1>", 0, 0.03), ("ragged<0, 1>", 1, 0.06), ("ragged<0, 1>", 4, 0.12), ("ragged<0, 1>", 8, 0.04),
    ("ragged<0, 5000>", 0, 0.08), ("ragged<0, 7000>", 0, 0.05), ("ragged<2, 1>", 1, 0.1), ("ragged<2, 1>", 3, 0.08),
    ("ragged<3, 1>", 3, 0.04), ("ragged<3, 1>", 4, 0.04),  # all blocks end together
    ("wide_ragged<0, 40>", 0, 0.1), ("wide_ragged<0, 90>", 0, 0.06), ("ragged_rows", 0, 0.08), ("ragged_rows", 1, 0.06),
    ("some_stay<1, 0>", 0, 0.05), ("some_stay<1, 0>", 2, 0.05)])
def test_warps_that_have_left_make_room_when_a_block_ends(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("stored_twice<32, 1, 2, 0, 0, 1>", 0, 0.03), ("stored_twice<32, 1, 2, 40, 0, 1>", 0, 0.03),  # eight steps behind
    ("stored_twice<32, 1, 2, 0, 0, 8>", 0, 0.03), ("stored_twice<32, 1, 2, 0, 0, 1>", 1, 0.06),  # others' lines between
    ("stored_twice<16, 1, 2, 0, 0, 1>", 0, 0.03), ("stored_twice<32, 1, 1, 0, 0, 1>", 0, 0.03)])  # none is lost
def test_l1_asks_l2_again_for_lines_that_are_stored_to_twice(kernel: str, launch: int, within: float) -> None:
    counted = int(kept("h200_stored_twice_sectors")[kernel, launch]["l2_read"])
    prediction = played(kernel, launch)
    of_all = prediction.instructions / prediction.played * prediction.grid_blocks / prediction.blocks_per_sm
    assert prediction.traffic["l2_read_sectors"] * of_all == pytest.approx(counted, rel=within)


@pytest.mark.parametrize(CASE, [
    ("ragged<0, 1>", 2, 0.1), missed("ragged<0, 1>", 4, 0.1), ("ragged<0, 5000>", 0, 0.1), ("ragged<1, 1>", 4, 0.05),
    ("wide_ragged<0, 90>", 0, 0.1), ("ragged_rows", 0, 0.1)])
def test_as_many_warps_are_on_an_sm_as_ncu_counts(kernel: str, launch: int, within: float) -> None:
    counted = float(kept("h200_ragged_warps")[kernel, launch]["warps"])
    assert played(kernel, launch).warps == pytest.approx(counted, rel=within)


@pytest.mark.parametrize(CASE, [
    ("offset_tiles<0>", 4, 0.05), ("offset_tiles<0>", 5, 0.2), ("offset_tiles<0>", 8, 0.2),
    ("offset_tiles<1>", 5, 0.15), ("shared_parts<2, 32>", 6, 0.2), ("shared_parts<1, 32>", 7, 0.04),
    ("shared_parts<2, 32>", 5, 0.08)])
def test_sectors_that_two_sms_write_parts_of_take_l2_longer(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("warp_search<1>", 0, 0.07), ("warp_search<1>", 1, 0.05), ("warp_search<2>", 2, 0.07), ("warp_search<2>", 3, 0.07)])
def test_l1_has_the_first_steps_of_searches_from_other_blocks(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("curve_sums<0, 2>", 0, 0.06), ("curve_sums<0, 2>", 1, 0.05), ("curve_sums<0, 2>", 5, 0.05),
    ("curve_sums<1, 2>", 0, 0.05), ("curve_sums<2, 2>", 4, 0.06)])
def test_blocks_that_go_through_the_same_rows_side_by_side_wait_for_dram_together(
        kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("lattice_sums", 0, 0.05), ("lattice_sums", 1, 0.06), ("lattice_sums", 2, 0.06), ("lattice_sums", 3, 0.06)])
def test_short_blocks_among_others_leave_no_sm_without_work(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("idle_blocks<1, 1>", 0, 0.03), ("idle_blocks<1, 1>", 2, 0.04), ("idle_blocks<1, 1>", 5, 0.04),  # triangles
    ("idle_blocks<2, 1>", 1, 0.03), ("idle_blocks<2, 1>", 3, 0.03), ("idle_blocks<2, 44>", 1, 0.04),
    ("idle_blocks<3, 1>", 1, 0.04), ("idle_blocks<3, 1>", 3, 0.04), ("idle_blocks<4, 1>", 2, 0.04),
    ("idle_blocks<4, 44>", 0, 0.04), ("idle_blocks<5, 44>", 0, 0.04)])
def test_of_blocks_that_have_nothing_to_do_each_sm_has_as_many_as_the_gpu_gave_it(
        kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("wide_sums<0>", 0, 0.08), ("wide_sums<0>", 3, 0.08), ("wide_sums<0>", 11, 0.08), ("wide_sums<0>", 13, 0.08),
    ("wide_sums<1>", 0, 0.08), ("wide_sums<1>", 3, 0.1), ("wide_sums<1>", 4, 0.1), ("wide_sums<2>", 0, 0.08)])
def test_sums_by_swaps_begin_again_where_other_warps_came_in_between(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("part_lines<1>", 7, 0.03), ("part_lines<2>", 3, 0.03), ("part_lines<3>", 3, 0.03), ("part_lines<4>", 1, 0.04)])
def test_stores_of_a_part_of_a_sector_take_l2_a_line(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("of_length<0>", 6, 0.05), ("of_length<0>", 10, 0.05), ("of_length<0>", 14, 0.08), ("of_length<2>", 1, 0.05),
    ("of_length<2>", 2, 0.05)])
def test_who_has_more_to_do_gets_what_others_leave_of_memory(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("dealt<float4, 2, 1>", 0, 0.05), ("dealt<float4, 2, 1>", 1, 0.08), ("dealt<float2, 2, 1>", 1, 0.1),
    ("dealt<float4, 2, 2>", 0, 0.05)])
def test_sectors_that_a_warp_itself_completes_cost_dram_no_more(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("byte_rows_by_four<2, 0>", 3, 0.05), ("byte_rows_by_four<2, 0>", 7, 0.08),
    missed("byte_rows_by_four<2, 1>", 0, 0.1), ("byte_rows_by_four<1, 1>", 0, 0.03)])
def test_rows_of_bytes_take_what_they_took(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(("kernel", "launch"), [
    ("byte_rows_by_four<2, 0>", 3), ("byte_rows_by_four<2, 0>", 7), ("byte_rows_by_four<2, 1>", 0),
    ("byte_rows_by_four<1, 1>", 0)])
def test_l1_has_what_warps_soon_come_back_to_though_all_want_more_lines(kernel: str, launch: int) -> None:
    found, sectors = played(kernel, launch), kept("h200_byterows_sectors")[kernel, launch]
    hits = found.traffic["l1_hits"] / found.traffic["l1_sectors"]
    assert hits == pytest.approx(int(sectors["l1_hit"]) / int(sectors["l1"]), abs=0.08)


@pytest.mark.parametrize(CASE, [
    ("spaced<char, 4, 0>", 0, 0.08), ("spaced<char, 4, 1>", 0, 0.08), ("spaced<char, 4, 1>", 2, 0.08),
    ("spaced<int, 4, 1>", 1, 0.03), ("spaced<int, 4, 1>", 2, 0.14), ("spaced<char, 4, 16>", 1, 0.03),
    ("jittered<int, 4>", 2, 0.08), ("jittered<int, 6>", 2, 0.1),
    ("jittered<int, 8>", 3, 0.08)])
def test_parts_of_sectors_go_together_where_nothing_comes_between(kernel: str, launch: int, within: float) -> None:
    found, sectors = played(kernel, launch), kept("h200_joins_sectors")[kernel, launch]
    assert 1e3 * found.time_ms == pytest.approx(measured(kernel, launch), rel=within)
    # One of 132 SMs was played.
    pieces = 132 * found.traffic["l2_write_sectors"] / int(sectors["whole"])
    assert pieces == pytest.approx(int(sectors["stored"]) / int(sectors["whole"]), abs=0.6)


@pytest.mark.parametrize(CASE, [
    ("own_words<STORES>", 0, 0.08), ("own_words<STORES>", 1, 0.08), ("own_words<STORES>", 3, 0.08),
    ("own_words<STORES>", 4, 0.08), ("own_words<STORES>", 5, 0.08), ("own_words<ELSEWHERE>", 1, 0.08)])
def test_words_of_local_memory_that_lanes_index_apart_are_lines_in_part(kernel: str, launch: int, within: float
                                                                        ) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("stores_behind<LINE_BEFORE>", 0, 0.1), ("stores_behind<SAME_LINE>", 2, 0.2), ("some_change<3, 9>", 0, 0.06)])
def test_a_store_that_waits_for_its_line_does_not_hold_up_shuffles(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("once<0>", 5, 0.06), ("once<0>", 7, 0.06), ("once<1>", 5, 0.08), ("once<2>", 6, 0.06), ("once<4>", 5, 0.1)])
def test_what_goes_through_l2_once_takes_its_ports_and_dram_as_long(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


@pytest.mark.parametrize(CASE, [
    ("point_sums<GLOBAL, SINE>", 0, 0.03), ("point_sums<GLOBAL, LOG>", 0, 0.04), ("point_sums<GLOBAL, EXP>", 0, 0.05),
    ("point_sums<GLOBAL, POWER>", 0, 0.04), ("point_sums<SHARED, LOG>", 0, 0.04)])
def test_functions_take_their_instructions(kernel: str, launch: int, within: float) -> None:
    assert simulated(kernel, launch) == pytest.approx(measured(kernel, launch), rel=within)


def test_of_a_gpu_where_nothing_was_measured_no_reads_are_merged() -> None:
    alone, four = (played(UNMERGED, launch, "a100").time_ms for launch in (10, 12))
    assert four > 0.97 * alone


def reads(operands: str, opcode: str = "FFMA", before: str = "") -> list[int]:
    code = [Instruction(0, "", "FFMA", before, 0, 0), Instruction(16, "", opcode, operands, 0, 0)]
    return [int(n) for n in bank_reads(code if before else code[1:])[-1][:2]]


@pytest.mark.parametrize(("operands", "opcode", "expected"), [
    ("R8, R2, R5, R4", "FFMA", [2, 1]),
    ("R8, R2, R2, R4", "FFMA", [2, 0]),  # a register that is named twice is read once
    ("R8, R2, c[0x0][0x210], R5", "FFMA", [1, 1]),
    ("R8, -R3, 1, |R5|", "FADD", [0, 2]),
    ("R13, P3, R10, 0x40, RZ", "IADD3", [1, 0]),
    ("P1, PT, R9, R26, PT", "FSETP.GEU.AND", [1, 1]),
    ("R6, R7, 0x4, R2", "IMAD.WIDE", [1, 2]),  # the sum has 64 bits
    ("R4, R21, UR4, RZ", "IMAD", [0, 1]),
])
def test_registers_are_read_from_two_banks(operands: str, opcode: str, expected: list[int]) -> None:
    assert reads(operands, opcode) == expected


def test_what_the_instruction_before_keeps_is_not_read() -> None:
    assert reads("R9, R2, R5, R4", before="R8, R2.reuse, R6, R4") == [1, 1]
    assert reads("R9, R5, R2, R4", before="R8, R2.reuse, R6, R4") == [2, 1]  # at another place
