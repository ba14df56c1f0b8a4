"""Shared by the launch tests: a declaration from C text, and errors that show where they point."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mutate.errors import KmutateError
from mutate.launch import Launch, ScalarArg, evaluate_all, find_declarations

GRID = "dim3 grid = {1}; dim3 block = {32};"


def launches(body: str, defines: Mapping[str, str] | None = None, overrides: Mapping[str, str] | None = None,
             file: str = "kernel.cu") -> tuple[Launch, ...]:
    source = f"/* kmutate launch\n{body}\n*/\n".encode()
    return evaluate_all(find_declarations(source, file), defines, overrides)


def value_of(expression: str, before: str = "", defines: Mapping[str, str] | None = None) -> tuple[str, int | float]:
    """C type and value of an expression, seen through an argument of a launch."""
    (launch,) = launches(f"{GRID}\n{before}\nk({expression});", defines)
    (arg,) = launch.args
    assert isinstance(arg, ScalarArg)
    return arg.type.name, arg.value


def failure(body: str, defines: Mapping[str, str] | None = None,
            overrides: Mapping[str, str] | None = None, file: str = "kernel.cu") -> tuple[KmutateError, str]:
    """The error of a declaration and the text that its caret underlines."""
    with pytest.raises(KmutateError) as caught:
        launches(body, defines, overrides, file)
    return caught.value, underlined(caught.value)


def underlined(error: KmutateError) -> str:
    if error.caret is None:
        return ""
    text, marks = error.caret.split("\n")
    return text[marks.index("^"):marks.rindex("^") + 1]
