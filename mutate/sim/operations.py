"""The operations of lanes as compiled functions: the table of ``semantics`` rendered to Python and imported.

The generated file and numba's machine code lie in the cache folder under a digest of everything they are made from, so
neither can be stale.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from dataclasses import dataclass
from types import ModuleType

from mutate.resources import templates_dir
from mutate.sim.code import code_folder
from mutate.sim.semantics import KINDS, Kind

_MODULE = "kmutate_lane_operations"


@dataclass(frozen=True)
class _View:
    """A row of the table as the template wants it."""

    kind: Kind

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def sources(self) -> list[tuple[str, str]]:
        return list(zip("abc", self.kind.reads.split(), strict=False))

    @property
    def results(self) -> list[tuple[str, str]]:
        return list(zip(self.kind.writes.split(), self.kind.expressions, strict=True))

    @property
    def masks(self) -> list[str]:
        return [target for target in self.kind.writes.split() if target.isdigit()]

    def _uses(self, name: str) -> bool:
        return any(re.search(rf"\b{name}\b", e) for e in self.kind.expressions)

    @property
    def uses_p(self) -> bool:
        return self._uses("p")

    @property
    def uses_q(self) -> bool:
        return self._uses("q")


def generated_source() -> str:
    """The Python text of all groups of operations."""
    import jinja2

    groups: dict[str, list[tuple[int, _View]]] = {}
    for number, kind in enumerate(KINDS):
        groups.setdefault(kind.group, []).append((number, _View(kind)))
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(templates_dir() / "sim"), trim_blocks=True,
                             lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False)
    return env.get_template("lanes.py.j2").render(groups=groups)


def _load() -> ModuleType:
    import numba

    folder = code_folder()
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    path = folder / f"{_MODULE}.py"
    if not path.exists():
        partial = path.with_suffix(f".{os.getpid()}.tmp")
        partial.write_text(generated_source())
        partial.replace(path)
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    spec.loader.exec_module(module)
    return module


_module = _load()
integer, single, double, half, convert = (getattr(_module, name)
                                          for name in ("integer", "single", "double", "half", "convert"))
FIRST: dict[str, int] = {}
for _number, _kind in enumerate(KINDS):
    FIRST.setdefault(_kind.group, _number)
