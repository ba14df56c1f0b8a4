"""Which tests run one after another in one process, and which of them first, when pytest-xdist shares them out.

By itself pytest-xdist hands out runs of tests, so two processes compile what the tests of one file have in common, and
both the simulator. Here a file goes to one process as a whole, some files together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "samples": ("bench/test_bench_samples.py", "certify/test_sample_certificates.py", "docs/test_docs.py",
                "dynamic/test_sample_runs.py", "golden/test_golden.py"),
    "patterns": ("timing_model/test_patterns.py", "timing_model/test_rooms.py"),
}
"""They prove the same samples, or compile the same microbenchmarks: what one of them has left is there for the next."""
FIRST = ("analyze/test_analyze_pipeline.py", "mutations/test_mutation_types.py", "fuzz/test_bad_sources.py",
         "samples/test_samples.py", "samples", "sim/test_sim_samples.py", "generated/test_generated.py",
         "patterns", "seeds/test_seeds.py", "sim/test_instructions.py", "sass/test_sass_guards.py",
         "properties/test_kernel_properties.py")
"""The first one compiles all of the simulator. The next ones do without it for that minute. Then what takes longest."""
_OF = {f"tests/{file}": group for group, files in TOGETHER.items() for file in files}


def group_of(nodeid: str) -> str:
    """The tests of a group are one process's."""
    file = nodeid.partition("::")[0]
    return _OF.get(file, file)


def in_order(nodeids: Sequence[str]) -> list[int]:
    """Places of the tests in the order in which their groups are handed out."""
    rank = {f"tests/{name}" if name.endswith(".py") else name: number for number, name in enumerate(FIRST)}
    return sorted(range(len(nodeids)), key=lambda n: rank.get(group_of(nodeids[n]), len(rank)))


class ByFile(LoadScopeScheduling):
    """Hands out groups in the order of collection."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    """``None`` where another distribution was asked for than the one that ``-n`` stands for."""
    if config.getoption("dist") != "load":
        return None
    config.option.loadscopereorder = False
    return ByFile(config, log)
