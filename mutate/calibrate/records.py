"""What the launches gave, as they gave it: kept as JSON, so that constants can be derived from it again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mutate.backends.libcuda import from_message
from mutate.calibrate.launches import Launch
from mutate.errors import KmutateError
from mutate.files import read_file
from mutate.timing import Gpu

FORMAT = "kmutate.calibration/1"


@dataclass(frozen=True)
class Recording:
    """``results``: by name of the launch its parameter ``n``, what it wrote (``out``: numbers, or a summary of many)

    and its ``ms``, one for each round. ``failed``: why a launch gave nothing. ``sm_mhz``: the least and the greatest
    clock of the SMs that NVML said while it ran.
    """

    gpu: Gpu
    date: str
    command: str
    sm_mhz: tuple[float, float] | None
    results: Mapping[str, Mapping[str, Any]]
    failed: Mapping[str, str]

    def out(self, name: str) -> list[Any]:
        return list(self.results.get(name, {}).get("out", ()))

    def ms(self, name: str) -> list[float]:
        return list(self.results.get(name, {}).get("ms", ()))

    def n(self, launch: Launch) -> int:
        """As it was when it was launched."""
        return int(self.results.get(launch.name, {}).get("n", launch.n))

    def text(self) -> str:
        """One line for each launch. Which GPU of its kind it was is nobody's business."""
        head = {"format": FORMAT, "date": self.date, "command": self.command, "gpu": {**asdict(self.gpu), "uuid": ""},
                "sm_mhz": self.sm_mhz, "failed": dict(self.failed)}
        rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(found)}" for name, found in self.results.items())
        return json.dumps(head, indent=1)[:-2] + ',\n "results": {\n' + rows + "\n }\n}\n"


def read_recording(path: Path) -> Recording:
    """Raises ``KmutateError`` ``not-readable`` and ``calibration-bad`` for what is no such file."""
    try:
        found = json.loads(read_file(path, 64 << 20))
        if found["format"] != FORMAT:
            raise ValueError(found["format"])
        clocks = found["sm_mhz"]
        return Recording(from_message(found["gpu"]), found["date"], found["command"], tuple(clocks) if clocks else None,
                         found["results"], found["failed"])
    except OSError as error:
        raise KmutateError("not-readable", f"cannot read {path}: {error.strerror}", hint="check the path") from None
    except (ValueError, KeyError, TypeError):
        raise KmutateError("calibration-bad", f"{path} holds no measurements of kmutate calibrate", file=str(path),
                           hint="pass a file that `kmutate calibrate --results` wrote") from None


def summarized(launch: Launch, words: Sequence[int]) -> list[Any]:
    """The words as they are, but for two launches that write very many.

    Lines of L2: [clocks, how often]. Blocks in turn: clocks from one block's end to the next one's start on its SM.
    """
    if launch.kernel == "lines_of_l2":
        lines = Counter(w for i, w in enumerate(words) if i % (launch.n + 1))
        return sorted([clocks, count] for clocks, count in lines.items())
    if launch.kernel == "blocks_in_turn":
        by_sm: dict[int, list[tuple[int, int]]] = {}
        for i in range(0, len(words), 3):
            by_sm.setdefault(words[i], []).append((words[i + 1], words[i + 2]))
        return sorted(later[0] - sooner[1] for blocks in by_sm.values()
                      for sooner, later in zip(sorted(blocks), sorted(blocks)[1:], strict=False))
    return list(words)
