"""The text of a proposal: a comment that declares a launch, ready to be pasted."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import cache
from typing import Any

from mutate.propose.model import Line
from mutate.resources import templates_dir

_WIDTH = 110


@cache
def _template() -> Any:
    import jinja2

    # C comes out, not HTML: nothing is to be autoescaped.
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(templates_dir()), undefined=jinja2.StrictUndefined,
                             trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    return env.get_template("launch/declaration.j2")


def render(lines: Sequence[Line], comment: str) -> str:
    """The comment. Each line's own comment stands behind it, or above it where that would be too wide."""
    rows = []
    for line in lines:
        note = " ".join(line.comment.replace("*/", "* /").split())
        above = bool(note) and len(line.text) + len(note) + 9 > _WIDTH
        rows.append({"text": line.text.replace("*/", "* /"), "note": "" if above else note,
                     "above": textwrap.wrap(note, _WIDTH - 6) if above else []})
    text: str = _template().render(comment=comment, rows=rows)
    return text
