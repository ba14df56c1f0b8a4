"""kmutate from Python: ``mutate.analyze``, ``mutate.simulate``, ``mutate.variants`` with the caller's own arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutate.api.results import AnalysisResult, SimulationResult, VariantsResult
from mutate.errors import KmutateError
from mutate.results import Request

if TYPE_CHECKING:
    from mutate.launch.model import Launch

__all__ = ["AnalysisResult", "SimulationResult", "VariantsResult", "analyze", "simulate", "variants"]

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, how many are done, of how many)."""
# What a source is called that is in no file.
_NAME = "source.cu"
_ARCH = "sm_90"


def analyze(source: str | Path, kernel: str | None = None, grid: Any = None, block: Any = None,
            args: Sequence[Any] | Mapping[str, Any] | None = None, smem: int = 0, instance: str | None = None, *,
            backend: str = "auto", machine: str | None = None, arch: str | None = None,
            defines: Sequence[str] | Mapping[str, Any] = (), include_dirs: Sequence[str | Path] = (),
            std: str | None = None, maxrregcount: int | None = None, use_fast_math: bool = False,
            mutations: Sequence[str] = (), settings: Mapping[str, Any] | None = None, l2: str = "cold",
            target: float = 0.01, budget: float = 10.0, limit: float = 30.0, device: int = 0, sweep: bool = True,
            counters: bool = True, sweeps: Sequence[str] = (), progress: Progress | None = None) -> AnalysisResult:
    """Times the variants of a kernel, names what limits it, and bounds what fixing each cause would gain.

    ``source`` is a ``.cu`` file or CUDA C++ text. ``grid`` and ``block`` are integers or up to three of them, ``args``
    the kernel's arguments in order, or by their names: arrays of NumPy, CuPy or PyTorch (which are copied and never
    changed), numbers, ``None`` for a null pointer, tuples for vector types, bytes, ctypes structures or NumPy records
    for structs. ``smem`` is dynamic shared memory in bytes, ``instance`` the template arguments (``"512"``; types are
    told from the arrays). With neither ``kernel``, ``grid``, ``block`` nor ``args`` the launches that the source
    declares are analyzed, and ``settings`` gives values to their variables.

    The other arguments are the options of ``kmutate analyze``; ``target`` is a fraction (0.01: 1 %), ``budget`` and
    ``limit`` are seconds, ``sweeps`` what ``--sweep`` takes, ``sweep=False`` is ``--no-sweep``. Raises
    ``mutate.KmutateError`` for all that is wrong.
    """
    from mutate.analyzed import AnalyzeRequest
    from mutate.pipeline.analyze import run_analysis
    from mutate.sweeps import parse_sweeps
    from mutate.timing import Settings

    if l2 not in ("cold", "warm"):
        raise KmutateError("bad-option", f"l2 is 'cold' or 'warm', not {l2!r}", hint="for example l2='warm'")
    if backend not in ("auto", "gpu", "sim"):
        raise KmutateError("bad-option", f"backend is 'auto', 'gpu' or 'sim', not {backend!r}",
                           hint="'auto' takes the GPU where there is one")
    request = _request(source, arch or "", defines, include_dirs, std, maxrregcount, use_fast_math, mutations, settings)
    request, launches = _launches(request, kernel, grid, block, args, smem, instance)
    made = AnalyzeRequest(request, backend, machine, Settings(l2=l2, target=target, budget=budget, limit=limit,
                                                              device=device), sweep, counters,
                          sweeps=parse_sweeps([sweeps] if isinstance(sweeps, str) else sweeps))
    return AnalysisResult(run_analysis(made, progress or _silent, launches))


def simulate(source: str | Path, kernel: str | None = None, grid: Any = None, block: Any = None,
             args: Sequence[Any] | Mapping[str, Any] | None = None, smem: int = 0, instance: str | None = None, *,
             machine: str | None = None, arch: str | None = None, defines: Sequence[str] | Mapping[str, Any] = (),
             include_dirs: Sequence[str | Path] = (), std: str | None = None, maxrregcount: int | None = None,
             use_fast_math: bool = False, settings: Mapping[str, Any] | None = None, blocks: int | None = None,
             budget: int | None = None, by_line: bool = False, dlcm: str = "ca", checks: Sequence[str] = (),
             progress: Progress | None = None) -> SimulationResult:
    """Executes a kernel without a GPU and counts what it does; the arguments of the launch are those of ``analyze``.

    ``blocks``: how many of the grid run, 0 for all; ``budget``: warp instructions of a launch; ``checks`` of ``races``
    and ``uninitialized``. Raises ``mutate.KmutateError`` for all that is wrong, also in the kernel.
    """
    from mutate.machines import default_machine, load_machine
    from mutate.pipeline.simulate import run_simulation
    from mutate.simulated import CHECKS, SimulateRequest

    unknown = [c for c in checks if c not in CHECKS]
    if unknown:
        raise KmutateError("unknown-check", f"checks has no {unknown[0]!r}", hint=f"it takes {', '.join(CHECKS)}")
    found = load_machine(machine) if machine is not None else default_machine(arch or _ARCH)
    request = _request(source, arch or (found.arch if machine is not None and found is not None else _ARCH), defines,
                       include_dirs, std, maxrregcount, use_fast_math, (), settings)
    request, launches = _launches(request, kernel, grid, block, args, smem, instance)
    made = SimulateRequest(request, machine, blocks, budget, by_line, dlcm, tuple(checks))
    return SimulationResult(run_simulation(made, found, progress or _silent, launches))


def variants(source: str | Path, kernel: str | None = None, grid: Any = None, block: Any = None,
             args: Sequence[Any] | Mapping[str, Any] | None = None, smem: int = 0, instance: str | None = None, *,
             arch: str = "sm_90", defines: Sequence[str] | Mapping[str, Any] = (),
             include_dirs: Sequence[str | Path] = (), std: str | None = None, maxrregcount: int | None = None,
             use_fast_math: bool = False, mutations: Sequence[str] = (), settings: Mapping[str, Any] | None = None,
             dynamic: bool = True, progress: Progress | None = None) -> VariantsResult:
    """Rewrites a kernel into variants that do less and proves what they still do; nothing is written.

    The arguments of the launch are those of ``analyze``; without any, and without a declaration in the source, only
    instructions are compared. ``dynamic``: whether original and variants are also run on the simulator.
    """
    from dataclasses import replace

    from mutate.pipeline.run import prove_file
    from mutate.pipeline.targets import make_targets

    request = _request(source, arch, defines, include_dirs, std, maxrregcount, use_fast_math, mutations, settings)
    request, launches = _launches(request, kernel, grid, block, args, smem, instance)
    request = replace(request, dynamic=dynamic)
    proven = prove_file(request, progress or _silent,
                        lambda unit, kernels, warnings: make_targets(unit, kernels, request, warnings, launches))
    return VariantsResult(request, tuple(proven.results), tuple(proven.warnings))


def _silent(what: str, done: int, total: int) -> None:
    del what, done, total


def _request(source: str | Path, arch: str, defines: Sequence[str] | Mapping[str, Any],
             include_dirs: Sequence[str | Path], std: str | None, maxrregcount: int | None, use_fast_math: bool,
             mutations: Sequence[str], settings: Mapping[str, Any] | None) -> Request:
    path, text = _source(source)
    if isinstance(defines, Mapping):
        defines = [name if value is None or value is True else f"{name}={value}" for name, value in defines.items()]
    for name, value in (("defines", defines), ("include_dirs", include_dirs), ("mutations", mutations)):
        if isinstance(value, str):
            raise KmutateError("bad-option", f"{name} is a list of strings, not one", hint=f"write {name}=[{value!r}]")
    return Request(path, tuple(mutations), (), (), arch, tuple(defines), tuple(str(d) for d in include_dirs), std,
                   maxrregcount, use_fast_math, {k: str(v) for k, v in (settings or {}).items()}, text=text)


def _source(source: str | Path) -> tuple[Path, bytes | None]:
    """The file that a source names, or its text. Text has a line break or a brace; a path has neither."""
    if isinstance(source, Path):
        return source, None
    if not isinstance(source, str):
        raise KmutateError("bad-option", f"source is a path or a text, not {type(source).__name__}",
                           hint="give a .cu file or CUDA C++ source")
    if "\n" not in source and "{" not in source:
        return Path(source), None
    return Path(_NAME), source.encode()


def _launches(request: Request, kernel: str | None, grid: Any, block: Any,
              args: Sequence[Any] | Mapping[str, Any] | None, smem: int, instance: str | None
              ) -> tuple[Request, tuple[Launch, ...] | None]:
    """The launch that the arguments describe, and the request for its kernel; ``None`` for the declared ones."""
    from dataclasses import replace

    if grid is None and block is None and args is None:
        chosen = replace(request, kernels=(kernel,) if kernel is not None else (),
                         instances=(f"{kernel}<{instance}>",) if kernel is not None and instance is not None else ())
        return chosen, None
    from mutate.api.launching import Call, launch_of
    from mutate.frontend.load import SourceOptions, load_unit

    if request.settings:
        raise KmutateError("bad-option", "settings belong to declared launches, not to grid, block and args",
                           hint="put the values into args")
    unit = load_unit(request.source(), str(request.path),
                     SourceOptions(request.defines, request.include_dirs, request.arch or _ARCH))
    launch = launch_of(unit, Call(kernel, grid, block, args if args is not None else (), smem, instance))
    return replace(request, kernels=(launch.kernel,)), (launch,)
