"""Where in the user's source an instruction comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mutate.sass.lines import SourceLine
from mutate.source import Lines, Span
from mutate.toolchain.names import line_name


@dataclass(frozen=True, order=True)
class Place:
    """A line of a file of the user; ``file`` as the user named it, ``line`` from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Places:
    """``table`` is the line of each instruction by offset; ``sources`` the user's files by name.

    An instruction of an inlined function belongs to the innermost line that is in a file of the user, so one of a
    toolkit header belongs to the line that calls into it.
    """

    table: Mapping[int, SourceLine]
    sources: Mapping[str, bytes]
    _known: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for name in self.sources:
            self._known[str(Path(name).absolute())] = name
            self._known[str(Path(name).resolve())] = name
            self._known[line_name(name)] = name

    def _name(self, compiled: str) -> str | None:
        """The user's name of a file. The compiler's begins with the working folder, which is that of the run whose

        result the cache has, so only its end counts where the user's name is relative.
        """
        if compiled not in self._known:
            ends = {name: "/" + "/".join(p for p in Path(name).parts if p != "..") for name in self.sources
                    if not Path(name).is_absolute()}
            self._known[compiled] = next((name for name, end in ends.items() if compiled.endswith(end)), "")
        return self._known[compiled] or None

    def of(self, offset: int) -> Place | None:
        """The place of an instruction by its offset; ``None`` where nothing of the user's is known of it."""
        row = self.table.get(offset)
        if row is None:
            return None
        for file, line in ((row.file, row.line), *row.inlined_at):
            name = self._name(file)
            if name is not None and line > 0:
                return Place(name, line)
        return None

    def text(self, place: Place) -> str:
        """The line itself, without the blanks around it."""
        lines = Lines(self.sources[place.file])
        return lines.text(place.line).strip() if place.line <= len(lines) else ""

    def span(self, place: Place) -> Span | None:
        """Bytes of the line without the blanks around it; there are no columns in the line table."""
        source = self.sources[place.file]
        lines = Lines(source)
        if place.line > len(lines):
            return None
        start = lines.start_of(place.line)
        end = source.find(b"\n", start)
        text = source[start : len(source) if end < 0 else end]
        left = len(text) - len(text.lstrip())
        return Span(start + left, start + max(left + 1, len(text.rstrip())))
