"""The console that reports are printed on: brackets are no markup, and no text can send the terminal a command."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from mutate.source import printable


class PlainConsole(Console):
    """Names and source lines come from files that somebody else wrote: what they hold is shown, never obeyed."""

    def __init__(self, *, stderr: bool = False, narrow: bool = False) -> None:
        if narrow:
            super().__init__(highlight=False, markup=False, emoji=False, stderr=stderr, width=80, color_system=None)
        else:
            super().__init__(highlight=False, markup=False, emoji=False, stderr=stderr)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def new_console() -> PlainConsole:
    """For stdout: as wide as the terminal, 80 columns and without colours where there is none."""
    console = PlainConsole()
    return console if console.is_terminal else PlainConsole(narrow=True)
