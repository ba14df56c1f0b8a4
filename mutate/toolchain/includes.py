"""Which files a source includes, by reading the ``#include`` lines: for cache keys, and for headers nobody has.

NVRTC has no dependency output. The scan ignores conditions, so it finds at least what the compiler reads, except
includes whose name is made by a macro; those are reported so that such a source is not cached.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mutate.errors import KmutateError
from mutate.files import NotAFileError, read_file, require_file

# The name after an include or in __has_include, or the macro that makes it.
_INCLUDE = re.compile(
    rb"""(?:^[ \t]*\#[ \t]*include(?:_next)?|__has_include[ \t]*\()[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(\w+))""",
    re.MULTILINE | re.VERBOSE,
)
_LINE_SPLICE = re.compile(rb"\\\r?\n")

# Host headers whose device-side content is in the prelude or that have none: their absence is no news.
_HOST_HEADER_NAMES = """
assert.h complex.h ctype.h errno.h fcntl.h features.h fenv.h float.h getopt.h inttypes.h iso646.h limits.h locale.h
malloc.h math.h memory.h omp.h mpi.h pthread.h sched.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
string.h strings.h tgmath.h time.h unistd.h wchar.h windows.h sys/mman.h sys/resource.h sys/stat.h sys/time.h
sys/types.h bits/stdc++.h algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat
charconv chrono cinttypes climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp
csignal cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution
expected filesystem format forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream
iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional ostream print queue
random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept
stop_token streambuf string string_view strstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector version
cuda_profiler_api.h nvToolsExt.h nvtx3/nvToolsExt.h
"""
HOST_HEADERS = frozenset(_HOST_HEADER_NAMES.split())

# NVRTC declares the content of these by itself.
BUILT_IN = frozenset({"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "vector_types.h",
                       "device_functions.h", "math_functions.h", "math_constants.h"})

# Headers that bring libcu++ with them, whose 64-bit integer typedefs the prelude must not contradict.
_CCCL_PREFIXES = ("cuda/", "cub/", "thrust/")
# More files than this means a loop through links or a project that is no kernel any more.
_MOST_FILES = 2000
_MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class Includes:
    """``files``: path and content of every file of the user's own; ``missing``: names found nowhere, as written;

    ``cccl``: whether libcu++, CUB or Thrust is asked for; ``groups``: whether cooperative groups are; ``computed``:
    whether some include's name is made by a macro, so that ``files`` may be incomplete; ``plain``: whether nothing is
    included but host headers and what NVRTC has built in.
    """

    files: tuple[tuple[str, bytes], ...]
    missing: tuple[str, ...]
    cccl: bool
    groups: bool
    computed: bool
    plain: bool


def scan_includes(source: bytes, name: str, user_dirs: Sequence[str], system_dirs: Sequence[str],
                  predefined: Sequence[str] = ()) -> Includes:
    """Follow the includes of a source with the file name ``name``, through the user's files but not the toolkit's.

    ``predefined`` are headers that NVRTC itself provides or that are given in memory.
    """
    files: dict[str, bytes] = {}
    missing: dict[str, None] = {}
    seen_names: set[str] = set()
    computed = False
    system = {str(Path(d)) for d in system_dirs}
    todo: list[tuple[Path, bytes]] = [(Path(name).parent, source)]
    while todo and len(files) < _MOST_FILES:
        folder, text = todo.pop()
        if b"include" not in text:
            continue
        for match in _INCLUDE.finditer(_LINE_SPLICE.sub(b"", text)):
            quoted, angled, macro = match.groups()
            if macro is not None:
                # `__has_include(X)` with a macro cannot bring a file in; a computed include can.
                computed = computed or b"has_include" not in match.group(0)
                continue
            wanted = (quoted or angled).decode(errors="replace").strip()
            seen_names.add(wanted)
            # NVRTC looks in the folder of the source for both forms.
            found = _find(wanted, [str(folder), *user_dirs, *system_dirs])
            if found is None:
                if wanted not in predefined:
                    missing[wanted] = None
            elif found[1] not in system and found[0] not in files:
                try:
                    content = read_file(found[0], _MOST_BYTES)
                except OSError:
                    continue
                files[found[0]] = content
                todo.append((Path(found[0]).parent, content))
    return Includes(tuple(sorted(files.items())), tuple(sorted(missing)),
                    any(n.startswith(_CCCL_PREFIXES) for n in seen_names),
                    any(n.startswith("cooperative_groups") for n in seen_names), computed,
                    not computed and not files and seen_names <= HOST_HEADERS | BUILT_IN)


def _find(name: str, folders: Sequence[str]) -> tuple[str, str] | None:
    """The file and the folder in which it was found.

    ``KmutateError`` ``not-a-file`` for what the compiler would open and wait for, be it in an inactive branch.
    """
    for folder in folders:
        path = Path(folder) / name
        try:
            require_file(path)
        except NotAFileError as error:
            raise KmutateError("not-a-file", f"cannot include {path}: {error.strerror}",
                               hint="include a file") from None
        except (OSError, ValueError):
            continue
        return str(path), str(Path(folder))
    return None
