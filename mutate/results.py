"""What a run of ``kmutate variants`` is asked to do, and what it gives back."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a request is made before anything else is loaded
    from mutate.errors import KmutateError
    from mutate.frontend.load import SourceOptions
    from mutate.frontend.units import Function
    from mutate.launch.model import Launch
    from mutate.model import Certificate, Outcome
    from mutate.mutations.base import Refused
    from mutate.mutations.build import VariantText

DEFAULT_OUTPUT = Path("kmutate-out")
Progress = Callable[[str, int, int], None]
"""(what is being done, how many are done, of how many)."""
_TEMPLATE_ARGUMENTS = re.compile(rb"<([^;{}]{1,400})>")
_WORD = re.compile(rb"[A-Za-z_]\w*")


VARIANTS_DIALECT = "c++11"
_OLDER_DIALECTS = ("c++98", "c++03")


@dataclass(frozen=True)
class Request:
    """One source file and all the options of the command line that bear on it."""

    path: Path
    mutations: tuple[str, ...] = ()
    """Compositions such as ``memory-only+no-sync``; empty for all mutations."""
    kernels: tuple[str, ...] = ()
    """Names or regular expressions; empty for all kernels."""
    instances: tuple[str, ...] = ()
    arch: str = "sm_90"
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    std: str | None = None
    maxrregcount: int | None = None
    use_fast_math: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    launch_file: Path | None = None
    pad: str = "launch"
    verify: bool = True
    output: Path = DEFAULT_OUTPUT
    dynamic: bool = False
    """Whether original and variants are also run on the simulator (the command line does unless told not to)."""
    classes: bool = True
    """Whether classes of included files whose member functions are mutated stand in the text that is edited."""
    pre_includes: tuple[str, ...] = ()
    """Files that are read before the source, as by a compiler's ``-include``."""
    text: bytes | None = field(default=None, repr=False)
    """The source, where it is in no file; ``path`` is its name in messages and says where its includes are."""

    @property
    def dialect(self) -> str | None:
        """What the source and its variants are compiled as: no older C++ than the variants are written in."""
        return VARIANTS_DIALECT if self.std in _OLDER_DIALECTS else self.std

    def source(self) -> bytes:
        """The source text. ``KmutateError`` as ``read_source``."""
        if self.text is not None:
            return self.text
        from mutate.frontend.load import read_source

        return read_source(self.path)

    def source_options(self) -> SourceOptions:
        """What the front end reads the source with."""
        from mutate.errors import KmutateError
        from mutate.frontend.load import SourceOptions, read_source

        given = [i.encode(errors="surrogateescape") for i in self.instances]
        if self.launch_file is not None:
            with contextlib.suppress(KmutateError):  # is said where it is parsed
                given.append(read_source(self.launch_file))
        named = sorted({w.decode() for text in given for m in _TEMPLATE_ARGUMENTS.finditer(text)
                        for w in _WORD.findall(m[1])})
        return SourceOptions(self.defines, self.include_dirs, self.arch, self.pre_includes, tuple(named))


@dataclass(frozen=True)
class Target:
    """One kernel instance: what is mutated, compiled and certified together."""

    kernel: Function
    instance: str | None
    launches: tuple[Launch, ...]
    threads: int
    dynamic_smem: int
    assumed_block: bool
    stem: str
    """Start of the names of its files."""

    @property
    def name(self) -> str:
        if self.instance or self.kernel.is_template:  # a template whose parameters all have defaults: kernel<>
            return f"{self.kernel.qualified}<{self.instance or ''}>"
        return self.kernel.qualified


@dataclass(frozen=True)
class VariantResult:
    """One variant of one kernel. ``path`` and ``diff`` are set once written."""

    mutation: str
    outcome: Outcome
    text: VariantText | None = None
    refusal: Refused | None = None
    log: str = ""
    certificate: Certificate | None = None
    path: Path | None = None
    diff: Path | None = None


@dataclass(frozen=True)
class KernelResult:
    """One kernel instance; with an error where its original cannot be compiled."""

    target: Target
    variants: tuple[VariantResult, ...]
    error: KmutateError | None = None


@dataclass(frozen=True)
class Report:
    """Everything a run found out. ``seconds`` by stage; ``warnings`` are sentences for the user."""

    request: Request
    kernels: tuple[KernelResult, ...]
    seconds: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    written: tuple[Path, ...] = ()
