"""All snippets of the instruction tests."""

from __future__ import annotations

from cases_control import CONTROL
from cases_convert import CONVERT
from cases_float import FLOAT
from cases_integer import INTEGER
from cases_memory import MEMORY

SNIPPETS = (*INTEGER, *FLOAT, *CONVERT, *MEMORY, *CONTROL)
