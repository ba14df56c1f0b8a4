"""Loops in machine code."""

from __future__ import annotations

import pytest
from sass_cases import ARCHS, build, corpus, guard_inputs, register, registered

from mutate.sass.cfg import build_flow, dominates, dominators
from mutate.sass.disasm import Instruction
from mutate.sass.loops import find_loops, place


def depth_of(listing, name):
    indices = [n for n, i in enumerate(listing) if i.name == name]
    return [p.depth for p in place(listing, indices)]


NEST = register("""extern "C" __global__ void k(volatile float *p, int n, int m) {
        p[0] = 1;
        #pragma unroll 1
        for (int i = 0; i < n; i++) {
            p[1] = 2;
            // The bound is read anew each time: otherwise the compiler splits the loop into two.
            #pragma unroll 1
            for (int j = 0; j < p[4]; j++) p[2] = j;
            __threadfence_block();
        }
        #pragma unroll 1
        for (int i = 0; i < m; i++) __nanosleep(i);
    }""")
UNROLLED = {times: register(f"""extern "C" __global__ void k(volatile float *p, int n) {{
    #pragma unroll {times}
    for (int i = 0; i < n * 4; i++) p[i] = i;
}}""") for times in (1, 4)}


@pytest.mark.parametrize("arch", ARCHS)
def test_nests_of_loops(arch):
    _, listing = registered(NEST, arch)
    loops = find_loops(listing)
    assert sorted(loop.depth for loop in loops) == [1, 1, 2]
    inner = next(loop for loop in loops if loop.depth == 2)
    outer = next(loop for loop in loops if loop.header == inner.parent)
    assert inner.blocks < outer.blocks and inner.instructions < outer.instructions
    assert sorted(depth_of(listing, "STG")) == [0, 1, 2]
    assert depth_of(listing, "MEMBAR") == [1]
    assert depth_of(listing, "NANOSLEEP") == [1]


@pytest.mark.parametrize("arch", ARCHS)
def test_unrolling_shows(arch):
    once, four = registered(UNROLLED[1], arch)[1], registered(UNROLLED[4], arch)[1]
    assert depth_of(once, "STG") == [1]
    assert depth_of(four, "STG").count(1) >= 4


@pytest.mark.parametrize("arch", ARCHS)
def test_the_fixtures(arch):
    def shape(name):
        result, listing = corpus(arch)[name]
        return sorted(loop.depth for loop in find_loops(listing, **guard_inputs(result)))

    assert shape("fd3d") == [1]
    assert shape("transpose") == []
    assert shape("scan").count(1) >= 2 and shape("softmax").count(1) >= 3
    _, listing = corpus(arch)["fd3d"]
    assert depth_of(listing, "LDS") == [1] * 16 and depth_of(listing, "STS") == [1] * 5
    assert depth_of(listing, "BAR") == [1, 1]


def test_dominators_of_a_diamond_and_a_loop():
    def i(n, opcode, operands="", predicate=""):
        return Instruction(16 * n, predicate, opcode, operands, 0, 0)

    code = (i(0, "ISETP"), i(1, "BRA", "0x40", "@P0"), i(2, "FADD"), i(3, "BRA", "0x50"), i(4, "FMUL"),
            i(5, "BRA", "0x50", "@P1"), i(6, "EXIT"))
    flow = build_flow(code)
    starts = [b.start for b in flow.blocks]
    assert starts == [0, 2, 4, 5, 6]
    idom = dominators(flow)
    assert {starts[b]: (starts[d] if d >= 0 else None) for b, d in idom.items()} == {0: None, 2: 0, 4: 0, 5: 0, 6: 5}
    assert dominates(idom, 0, 4) and not dominates(idom, 1, 3)
    (loop,) = find_loops(code)
    assert loop.header == 0x50 and loop.blocks == {0x50}


def test_a_switch_is_followed_through_its_table():
    text = """__global__ void k(float *p, int n) { switch (n) {
        case 0: p[1] = 1; __syncthreads(); break; case 1: p[2] *= 3; break; case 2: p[3] = sqrtf(p[2]); break;
        case 3: p[4] = 2; __threadfence(); break; case 4: p[5] = p[6] * 3; break; case 5: p[7] = expf(p[8]); break;
        case 6: p[9] = 1 / p[2]; break; case 7: p[1] = 4; } p[99] = 1; }"""
    result, listing = build(text, "sm_75")
    known = guard_inputs(result)
    branches = [i for i in listing if i.name == "BRX"]
    assert branches and {i.offset for i in branches} == set(known["indirect"])
    flow = build_flow(listing, known["indirect"])
    reachable = set(dominators(flow))
    stores = [n for n, i in enumerate(listing) if i.name == "STG"]
    assert all(flow.block_of[n] in reachable for n in stores)


def test_nothing():
    assert find_loops(()) == () and place((), ()) == ()
