"""Which settings are tried: carve-outs, numbers of resident blocks, caps on registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mutate.errors import KmutateError
from mutate.launch.model import DeclarationText, Launch
from mutate.occupancy import device_for, resident_blocks
from mutate.pipeline import sweep as pipeline_sweep
from mutate.pipeline.sweep_settings import (
    Built,
    Subject,
    cache_settings,
    carveouts,
    no_cache_sweep,
    occupancy_settings,
    register_caps,
    register_settings,
)
from mutate.sass.disasm import Instruction
from mutate.source import Span
from mutate.sweeps import parse_sweeps
from mutate.toolchain.nvrtc import Compiled, CompileFailed
from mutate.toolchain.options import CompileOptions


def _code(registers: int, *opcodes: str, smem: int = 0, spills: int = 0) -> Built:
    compiled = Compiled(b"", "k", registers, spills, spills, spills, smem, 1, (), "", 0.0)
    return Built(compiled, tuple(Instruction(16 * n, "", o, "", registers, 0) for n, o in enumerate(opcodes)))


def _subject(code: Built, threads: int = 256, capability: tuple[int, int] = (9, 0), carveout_kb: int | None = None,
             emulates: bool = False, **others: Built) -> Subject:
    nowhere = Span(0, 0)
    launch = Launch("k", None, (1024, 1, 1), (threads, 1, 1), 0, (), (), (), 0, nowhere, nowhere,
                    DeclarationText("", b"", nowhere))
    parts = {"original": code, **{k.replace("_", "-"): v for k, v in others.items()}}
    return Subject("k", launch, device_for(capability), carveout_kb, parts, emulates)


def test_fermi_has_the_two_by_two() -> None:
    subject = _subject(_code(20, "LDG.E"), capability=(2, 0), emulates=True)
    settings, notes = cache_settings(subject, {})
    assert sorted((s.group, s.l1_kb) for s in settings) == [("ca", 16), ("ca", 48), ("cg", 16), ("cg", 48)]
    assert [s.name for s in settings if s.current] == ["ca, 16 KB L1"]
    by_name = {s.name: s for s in settings}
    assert by_name["ca, 16 KB L1"].how == ()
    assert by_name["cg, 48 KB L1"].how == ("nvcc -Xptxas -dlcm=cg", "cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1);")
    assert all(t.around for s in settings if s.group == "cg" for t in s.trials)
    assert not notes


def test_a_large_l1_leaves_no_room_for_blocks_with_much_shared_memory() -> None:
    subject = _subject(_code(20, "LDG.E", smem=20_000), capability=(2, 0), emulates=True)
    assert carveouts(subject) == [48], "16 KB of shared memory hold no block of 20 KB"
    small = _subject(_code(20, "LDG.E", smem=8_000), capability=(2, 0), emulates=True)
    blocks = {s.l1_kb: s.trials[0].occupancy.blocks_per_sm for s in cache_settings(small, {})[0]}
    assert blocks == {48: 2, 16: 6}


def test_a_modern_sweep_names_the_attribute_and_compiles_cg() -> None:
    cached, around = _code(32, "LDG.E", "LDG.E.CONSTANT"), _code(32, "LDG.E.STRONG.GPU", "LDG.E.CONSTANT")
    settings, notes = cache_settings(_subject(cached, memory_only=cached), {"original": around, "memory-only": around})
    assert 4 <= len(settings) <= 10 and {s.group for s in settings} == {"ca", "cg"}
    assert len([s for s in settings if s.current]) == 1
    for s in settings:
        assert s.carveout_kb is not None and s.l1_kb == 256 - s.carveout_kb
        assert not any(t.around for t in s.trials), "the code says what goes around L1"
        if not s.current and s.group == "ca":
            (line,) = s.how
            assert line.startswith("cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, ")
        assert len({t.occupancy.blocks_per_sm for t in s.trials}) == 1, "memory-only has as many blocks"
    assert "1 of 2 global loads still look into L1" in notes[0]


def test_cg_that_changes_nothing_is_said_and_left_out() -> None:
    code = _code(32, "LDG.E.CONSTANT")
    settings, notes = cache_settings(_subject(code), {"original": code})
    assert {s.group for s in settings} == {"ca"} and "changes nothing" in notes[0]


def test_without_an_l1_there_is_no_cache_sweep() -> None:
    assert "no L1" in no_cache_sweep(device_for((1, 3)), None)
    assert no_cache_sweep(device_for((9, 0)), None) == ""


@pytest.mark.parametrize(("threads", "most"), [(256, 6), (64, 24), (1024, 1)])
def test_every_number_of_blocks_is_reached(threads: int, most: int) -> None:
    subject = _subject(_code(40), threads, carveout_kb=100)
    settings, notes = occupancy_settings(subject)
    assert [s.value for s in settings] == list(range(1, most + 1)) and not notes
    assert [s.current for s in settings] == [False] * (most - 1) + [True]
    assert settings[-1].trials[0].pad == 0 and settings[-1].how == ()
    for s in settings[:-1]:
        (trial,) = s.trials
        padded = subject.original.resources(subject.launch).with_pad(trial.pad)
        assert resident_blocks(padded, subject.device, 100).blocks_per_sm == s.value
        assert f"{trial.pad:,} more bytes" in s.how[0]


def test_a_number_that_no_padding_gives_is_said() -> None:
    settings, notes = occupancy_settings(_subject(_code(40), 64, carveout_kb=32))
    assert 20 not in [s.value for s in settings] and notes == ["no padding gives 20, 22 resident blocks"]


def test_a_variant_that_cannot_have_the_blocks_is_left_out_and_named() -> None:
    settings, _ = occupancy_settings(_subject(_code(40), carveout_kb=32, math_only=_code(64)))
    last = settings[-1]
    assert [t.kernel for t in last.trials] == ["original"]
    assert last.left_out == ("math-only cannot have 6 resident blocks",)


def test_caps_are_where_one_more_block_fits() -> None:
    subject = _subject(_code(100))
    caps = register_caps(subject, 100)
    assert caps == sorted(caps, reverse=True) and all(16 <= c < 100 for c in caps)

    def blocks(registers: int) -> int:
        return resident_blocks(_code(registers).resources(subject.launch), subject.device).blocks_per_sm

    assert caps[0] == 80 and blocks(80) == blocks(81) + 1
    assert {blocks(c) for c in caps} >= {3, 4, 5, 6, 8}


def test_caps_show_spilling_where_no_cap_brings_a_block() -> None:
    caps = register_caps(_subject(_code(32)), 32)  # 8 blocks of 256 threads are all that an SM takes
    assert caps == [24, 16]


def test_caps_with_one_code_are_one_setting() -> None:
    subject = _subject(_code(56, "A"))
    settings, notes = register_settings(
        subject, [(None, subject.original), (48, _code(48, "B")), (24, _code(24, "C", spills=8)),
                  (16, _code(24, "D", spills=8))], None)
    assert [s.name for s in settings] == ["as it is", "cap 48", "cap 24"]
    assert settings[1].how[0].startswith("nvcc -maxrregcount=48") and "__launch_bounds__(256, 5)" in settings[1].how[0]
    assert settings[0].current and not notes


def test_code_of_which_no_block_fits_is_said() -> None:
    subject = _subject(_code(32, "A"), 1024)
    settings, notes = register_settings(subject, [(32, subject.original), (None, _code(80, "B"))], 32)
    assert [s.name for s in settings] == ["cap 32"]
    assert notes == ["no cap: no block fits on an SM with 80 registers a thread"]


def test_sweeps_are_named_in_one_order_once() -> None:
    assert parse_sweeps(["registers,cache", "cache"]) == ("cache", "registers")
    assert parse_sweeps([]) == ()
    with pytest.raises(KmutateError) as error:
        parse_sweeps(["cahce"])
    assert error.value.slug == "unknown-sweep" and "cache" in str(error.value.hint)
    with pytest.raises(KmutateError):
        parse_sweeps(["cache,"])


def test_code_comes_in_the_order_that_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of caps that lead to the same code the first gives the name, whichever compiler was ready first."""
    asked: list[tuple[int | None, Callable[[object], None]]] = []

    class Backwards:
        def __init__(self, request: object, headers: object) -> None:
            self.options, self.compiler = CompileOptions("sm_90"), self

        def submit(self, text: bytes, entry: str, done: Callable[[object], None]) -> None:
            asked.append((self.options.maxrregcount, done))

        def run(self, progress: object) -> None:
            for cap, done in reversed(asked):
                done(CompileFailed(f"cap {cap}", diagnostic, 0.0))

    monkeypatch.setattr(pipeline_sweep, "Compiling", Backwards)
    request: Any = None
    diagnostic: Any = None
    found = pipeline_sweep._build([(cap, b"", (), cap) for cap in (40, 24, 16)], "k", request, {}, lambda *_: None)
    assert list(found) == [40, 24, 16]
