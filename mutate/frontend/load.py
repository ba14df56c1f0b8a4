"""Reads a ``.cu`` file into a ``Unit``: bytes, local includes, macros, tree, declarations."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mutate.errors import KmutateError
from mutate.files import NotAFileError, read_file
from mutate.frontend.preprocess import Preprocessor
from mutate.frontend.tree import Node, TooDeepError, TooSlowError, parse
from mutate.frontend.units import Unit, build_file
from mutate.limits import bounded, too_slow
from mutate.resources import samples_dir


@dataclass(frozen=True)
class SourceOptions:
    """What decides how the text is read: ``-D`` definitions, ``-I`` folders, the architecture, ``-include`` files.

    ``named``: words of template arguments that are given outside the text.
    """

    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    arch: str = "sm_90"
    pre_includes: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


def read_source(path: Path) -> bytes:
    """The bytes of a source file.

    ``KmutateError``: ``not-found``, ``not-readable``, ``not-a-file``, ``not-text``, ``too-large``.
    """
    try:
        data = read_file(path)
    except FileNotFoundError:
        sample = samples_dir() / path.name
        raise KmutateError("not-found", f"no such file: {path}", hint="check the path" + (
            f"; kmutate's own sample is {sample}" if sample.is_file() else "")) from None
    except (NotAFileError, IsADirectoryError) as error:
        raise KmutateError("not-a-file", f"cannot read {path}: {error.strerror}",
                           hint="give a .cu file; what comes through a pipe has to be written to one") from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise KmutateError("too-large", f"cannot read {path}: {error.strerror}",
                               hint="is it a CUDA source?") from None
        raise KmutateError("not-readable", f"cannot read {path}: {error.strerror}",
                           hint="check the permissions") from None
    if b"\0" in data[:65536]:
        raise KmutateError("not-text", f"{path} is not a text file", hint="give CUDA C++ source, not a binary")
    return data


@lru_cache(maxsize=128)
def _parse_included(text: bytes) -> Node:
    """The tree of a header. Files of one project, and the steps of one composition, share most of them."""
    return parse(text)


def load_unit(source: bytes, name: str, options: SourceOptions | None = None) -> Unit:
    """Parses a source text. Local ``#include`` files are looked up beside whoever asks, beside this one, in ``-I``.

    ``KmutateError``: ``too-deep``, ``too-slow``, ``too-large``, as ``limits.bounded``.
    """
    with bounded("reading", name):
        return _load(source, name, options)


def _is_toolkit(folder: Path) -> bool:
    """Whether a folder has CUDA's own headers: the compiler knows them, and ``__global__`` is a macro there."""
    try:
        return (folder / "cuda_runtime_api.h").exists() and (folder / "crt" / "host_defines.h").exists()
    except OSError:
        return False


def _load(source: bytes, name: str, options: SourceOptions | None) -> Unit:
    options = options or SourceOptions()
    folders: Sequence[Path] = [Path(name).parent, *(p for p in map(Path, options.include_dirs) if not _is_toolkit(p))]
    names: dict[tuple[int, int], str] = {}
    with contextlib.suppress(OSError, ValueError):
        state = Path(name).stat()
        names[state.st_dev, state.st_ino] = name

    def load(path: str, by: str) -> tuple[str, bytes] | None:
        passed: IsADirectoryError | None = None
        for folder in (Path(by).parent, *folders):
            candidate = folder / path
            try:
                data, state = read_file(candidate), candidate.stat()
                # However it is written, a file has one name.
                return names.setdefault((state.st_dev, state.st_ino), str(candidate)), data
            except NotAFileError:
                raise  # a compiler would wait for it
            except IsADirectoryError as error:
                passed = error
            except (OSError, ValueError):
                continue
        if passed is not None:
            raise passed
        return None

    preprocessor = Preprocessor(options.defines, options.arch, load, name)
    for path in options.pre_includes:
        try:
            preprocessor.include(path)
        except (NotAFileError, IsADirectoryError) as error:
            raise KmutateError("not-a-file", f"cannot include {path}: {error.strerror}", where=f"-include {path}",
                               hint="name a file") from None
    expansion = preprocessor.run(source)
    try:
        main = build_file(name, expansion, parse(expansion.text))
        included = [build_file(n, e, _parse_included(e.text), main=False) for n, e in preprocessor.included]
    except TooSlowError:
        raise too_slow("reading", name) from None
    except TooDeepError:
        raise KmutateError("too-deep", f"{name} nests expressions or blocks too deeply to be read",
                           file=name, hint="split the expression") from None
    return Unit(main, included, frozenset(options.named))
