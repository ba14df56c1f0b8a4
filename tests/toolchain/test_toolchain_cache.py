"""The cache: what it returns, what it never returns, how large it gets."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from mutate.toolchain import cache, nvrtc
from mutate.toolchain.cache import Cache, cached_text, default_cache, digest
from mutate.toolchain.nvrtc import Compiled, CompileFailed, compile_program
from mutate.toolchain.options import CompileOptions

KERNEL = b"__global__ void k(int *p) { *p = 1; }"


def entries(cache):
    return [p for p in cache.folder.rglob("*") if p.is_file() and not p.name.startswith(".")]


def test_put_and_get(tmp_path):
    cache = Cache(tmp_path / "deep" / "folder")
    key = digest("a", b"b", 3)
    assert cache.get("kind", key) is None
    cache.put("kind", key, b"payload\0\xff")
    assert cache.get("kind", key) == b"payload\0\xff"
    assert cache.get("other", key) is None
    cache.put("kind", key, b"")
    assert cache.get("kind", key) == b""


def test_digests_depend_on_where_the_parts_end():
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert digest("1") != digest(1) != digest(b"1") and digest(None) != digest("None")
    assert digest("ab", "c") == digest("ab", "c")


@pytest.mark.parametrize("damage", [b"", b"kmutate1", b"garbage" * 50, None])
def test_damaged_entries_are_ignored_and_rewritten(tmp_path, damage):
    cache = Cache(tmp_path)
    key = digest("x")
    cache.put("kind", key, b"payload")
    (path,) = entries(cache)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] if damage is None else damage)
    assert cache.get("kind", key) is None
    cache.put("kind", key, b"payload")
    assert cache.get("kind", key) == b"payload"
    path.write_bytes(whole[:-1] + b"X")
    assert cache.get("kind", key) is None


def test_the_least_recently_used_entries_go_first(tmp_path):
    cache = Cache(tmp_path, limit_bytes=10_000)
    for n in range(8):
        cache.put("kind", digest(n), bytes(1000))
        os.utime(entries_path(cache, n), (1000 + n, 1000 + n))
    assert cache.get("kind", digest(0)) is not None
    for n in range(8, 12):
        cache.put("kind", digest(n), bytes(1000))
    cache.prune()
    assert sum(p.stat().st_size for p in entries(cache)) <= 10_000
    assert cache.get("kind", digest(0)) is not None
    assert cache.get("kind", digest(1)) is None
    assert cache.get("kind", digest(11)) is not None


def entries_path(cache, n):
    key = digest(n)
    return cache.folder / "kind" / key[:2] / key[2:]


def test_writing_alone_keeps_it_bounded(tmp_path):
    cache = Cache(tmp_path, limit_bytes=20_000)
    for n in range(200):
        cache.put("kind", digest(n), bytes(1000))
    assert sum(p.stat().st_size for p in entries(cache)) <= 2 * 20_000


def test_a_folder_that_cannot_be_written_is_an_empty_cache(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "cache")
    cache.put("kind", digest("x"), b"payload")
    assert cache.get("kind", digest("x")) is None


def test_the_environment_says_where(tmp_path, monkeypatch):
    monkeypatch.setenv("KMUTATE_CACHE", str(tmp_path / "here"))
    assert default_cache().folder == tmp_path / "here"
    for off in ("off", "OFF", ""):
        monkeypatch.setenv("KMUTATE_CACHE", off)
        assert default_cache().folder is None
        default_cache().put("kind", digest("x"), b"payload")
        assert default_cache().get("kind", digest("x")) is None
    monkeypatch.delenv("KMUTATE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert "kmutate" in str(default_cache().folder)


def test_many_threads_and_processes_share_it(tmp_path):
    program = """if True:
        import sys
        from pathlib import Path
        from mutate.toolchain.cache import Cache, digest
        cache = Cache(Path(sys.argv[1]), limit_bytes=300_000)
        for n in range(300):
            found = cache.get("kind", digest(n % 40))
            assert found in (None, str(n % 40).encode() * 1000), "mixed up"
            cache.put("kind", digest(n % 40), str(n % 40).encode() * 1000)
    """
    others = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) for _ in range(2)]
    cache, wrong = Cache(tmp_path, limit_bytes=300_000), []

    def work():
        for n in range(200):
            cache.put("kind", digest(n % 40), str(n % 40).encode() * 1000)
            if cache.get("kind", digest(n % 40)) not in (None, str(n % 40).encode() * 1000):
                wrong.append(n)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [p.wait(30) for p in others] == [0, 0]
    assert not wrong
    assert not list(tmp_path.rglob(".new-*"))


# -- compile results -------------------------------------------------------------------------------------------------

def compile_k(source=KERNEL, name="user.cu", **options):
    return compile_program(source, name, "k", CompileOptions(**options))


def test_a_second_compile_comes_from_the_cache(monkeypatch):
    first = compile_k()
    assert isinstance(first, Compiled) and not first.cached
    # Not even the compiler is needed for it.
    monkeypatch.setattr(nvrtc.workers, "shared_pool", None)
    second = compile_k()
    assert second.cached
    assert nvrtc.replace(second, cached=False) == first


def test_failures_are_cached_too():
    source = b"__global__ void k(int *p) { oops; }"
    first, second = compile_k(source), compile_k(source)
    assert isinstance(second, CompileFailed) and second.cached and second.error == first.error


@pytest.mark.parametrize("change", [
    {"arch": "sm_80"}, {"defines": ("X",)}, {"maxrregcount": 32}, {"std": "c++14"}, {"use_fast_math": True},
    {"extra": ("-lineinfo",)}, {"name": "other.cu"}, {"source": KERNEL + b" "},
])
def test_whatever_matters_is_part_of_the_key(change):
    compile_k()
    assert not compile_k(**change).cached


def test_included_files_are_part_of_the_key(tmp_path):
    inner, outer = tmp_path / "inner.h", tmp_path / "outer.h"
    inner.write_text("#define N 1\n")
    outer.write_text('  #  include "inner.h"\n')
    source, name = b'#include "outer.h"\n__global__ void k(int *p) { *p = N; }', str(tmp_path / "k.cu")
    first = compile_k(source, name)
    assert compile_k(source, name).cached
    inner.write_text("#define N 2\n")
    changed = compile_k(source, name)
    assert not changed.cached and changed.cubin != first.cubin
    inner.write_text("#define N 1\n")
    assert compile_k(source, name).cubin == first.cubin


def test_a_header_that_appears_changes_the_result(tmp_path):
    source = b'#if __has_include("late.h")\n#include "late.h"\n#else\n#define N 1\n#endif\n'
    source += KERNEL.replace(b"1", b"N")
    name = str(tmp_path / "k.cu")
    first = compile_k(source, name)
    assert isinstance(first, Compiled)
    (tmp_path / "late.h").write_text("#define N 2\n")
    assert compile_k(source, name).cubin != first.cubin


def test_an_include_made_by_a_macro_is_not_cached(tmp_path):
    (tmp_path / "one.h").write_text("#define N 1\n")
    source, name = b'#define H "one.h"\n#include H\n__global__ void k(int *p) { *p = N; }', str(tmp_path / "k.cu")
    assert isinstance(compile_k(source, name), Compiled)
    assert not compile_k(source, name).cached


def test_switched_off(monkeypatch):
    monkeypatch.setenv("KMUTATE_CACHE", "off")
    compile_k()
    assert not compile_k().cached


def test_texts_are_made_once_for_the_same_inputs():
    made = []

    def make() -> str:
        made.append(1)
        return f"text {len(made)} \udcff"

    assert cached_text(("a", 1), make) == cached_text(("a", 1), make) == "text 1 \udcff"
    assert cached_text(("a", "1"), make) == "text 2 \udcff"
    assert cached_text(("a1",), make) == "text 3 \udcff"


def test_texts_are_made_again_when_the_program_changes(monkeypatch):
    assert cached_text(("a",), lambda: "old") == "old"
    monkeypatch.setattr(cache, "_program", lambda: "another")
    assert cached_text(("a",), lambda: "new") == "new"
