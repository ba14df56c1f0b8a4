"""The statement of ``--pad static``: the compiler keeps the bytes and changes nothing else. Needs the NVRTC wheel."""

from __future__ import annotations

import ctypes
import importlib.util
import struct
from pathlib import Path

import pytest

from mutate.occupancy import known_capabilities, static_pad_statement

SOURCE = """
template <int N> __global__ void smooth(float *out, const float *in, int n)
{
    %s
    __shared__ float tile[N + 2];
    extern __shared__ float more[];
    int i = blockIdx.x * N + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
    more[threadIdx.x] = 2.0f * tile[threadIdx.x + 1];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k)
        sum += tile[threadIdx.x + k] * more[threadIdx.x ^ k];
    if (i < n)
        out[i] = sum;
}
template __global__ void smooth<128>(float *, const float *, int);
template __global__ void smooth<256>(float *, const float *, int);
"""
PAD = 4096


@pytest.fixture(scope="module")
def nvrtc() -> ctypes.CDLL:
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or []) if spec else []:
        for library in sorted((Path(place) / "cu13" / "lib").glob("libnvrtc.so*")):
            return ctypes.CDLL(str(library))
    pytest.skip("needs the NVRTC wheel")


def compile_cubin(nvrtc: ctypes.CDLL, source: str, arch: str) -> bytes:
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"pad.cu", 0, None, None) == 0
    options = (ctypes.c_char_p * 1)(f"-arch={arch}".encode())
    assert nvrtc.nvrtcCompileProgram(program, 1, options) == 0
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return cubin.raw


def sections(elf: bytes) -> dict[str, tuple[int, bytes]]:
    """Name → size and bytes of every section of a 64-bit little-endian ELF file (no bytes for NOBITS)."""
    at, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, at + i * size) for i in range(count)]
    strings = headers[names][4]
    found = {}
    for name, kind, _flags, _address, offset, length in headers:
        start = strings + name
        text = elf[start:elf.index(b"\0", start)].decode()
        found[text] = length, b"" if kind == 8 else elf[offset:offset + length]
    return found


@pytest.mark.parametrize("capability", [c for c in known_capabilities() if c >= (7, 5)],
                         ids=lambda c: f"sm_{c[0]}{c[1]}")
def test_the_pad_is_kept_and_no_instruction_changes(nvrtc: ctypes.CDLL, capability: tuple[int, int]) -> None:
    arch = "sm_{}{}".format(*capability)
    plain = sections(compile_cubin(nvrtc, SOURCE % "", arch))
    padded = sections(compile_cubin(nvrtc, SOURCE % static_pad_statement(PAD), arch))
    code = [name for name in plain if name.startswith(".text.")]
    assert len(code) == 2
    for name in code:
        assert plain[name][1], name
        assert padded[name] == plain[name]
        shared = name.replace(".text.", ".nv.shared.")
        assert padded[shared][0] == plain[shared][0] + PAD


def test_an_unused_array_is_dropped(nvrtc: ctypes.CDLL) -> None:
    """Why the statement is PTX: without this the compiler would keep the plain C++ array, too."""
    plain = sections(compile_cubin(nvrtc, SOURCE % "", "sm_90"))
    array = sections(compile_cubin(nvrtc, SOURCE % f"__shared__ char pad[{PAD}];", "sm_90"))
    assert {n: s for n, (s, _) in plain.items() if n.startswith(".nv.shared.")} == {
        n: s for n, (s, _) in array.items() if n.startswith(".nv.shared.")}
