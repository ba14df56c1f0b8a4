"""Tokens of C text with byte spans: for launch declarations, macro bodies and device sources.

Text is decoded as latin-1, so that a character is a byte and every offset is a byte offset of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from mutate.source import Span


class Kind(Enum):
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    CHAR = "character constant"
    PUNCT = "punctuation"
    STRAY = "stray character"


class Token(NamedTuple):
    """One token. ``span`` is where the user wrote it; for a token out of a macro, the macro's invocation.

    ``first`` says that the token is the first of its line; ``macro`` names the macro that it came out of.
    """

    kind: Kind
    text: str
    span: Span
    first: bool = False
    macro: str | None = None

    def is_punct(self, text: str) -> bool:
        return self.kind is Kind.PUNCT and self.text == text

    def is_name(self, text: str) -> bool:
        return self.kind is Kind.NAME and self.text == text

    def moved(self, span: Span, macro: str | None) -> Token:
        return self._replace(span=span, macro=macro)


# Longest operators first. `<<<` and `>>>` are CUDA's; `::` is C++'s.
_PUNCT = (r"<<<|>>>|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|=|\^=|::|\#\#"
          r"|[-+*/%&|^~!<>=?:;,.(){}\[\]\#]")

_TOKEN = re.compile(
    r"""(?P<newline>\n)
      | (?P<space>[^\S\n]+|\\\r?\n)
      | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
      | (?P<raw>(?:u8|[uUL])?R"(?P<delim>[^()\\\s"]{0,16})\(.*?\)(?P=delim)")
      | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
      | (?P<char>[uUL]?'(?:\\.|[^'\\\n])+')
      | (?P<number>\.?\d(?:[eEpP][+-]|'?[A-Za-z0-9_]|\.)*)
      | (?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
      | (?P<punct>""" + _PUNCT + r""")
      | (?P<stray>.)""",
    re.VERBOSE | re.DOTALL,
)

# Only what can hide or hold a comment: a search over this is many times faster than a full tokenisation.
_COMMENT = re.compile(
    r"""(?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
      | R"(?P<delim>[^()\\\s"]{0,16})\(.*?\)(?P=delim)"
      | "(?:\\.|[^"\\\n])*"
      | \b\d[\w.]*(?:'\w+)+
      | '(?:\\.|[^'\\\n])+'""",
    re.VERBOSE | re.DOTALL,
)

_KINDS = {
    "raw": Kind.STRING, "string": Kind.STRING, "char": Kind.CHAR, "number": Kind.NUMBER,
    "name": Kind.NAME, "punct": Kind.PUNCT, "stray": Kind.STRAY,
}


def decode(source: bytes) -> str:
    """Bytes as text with one character a byte."""
    return source.decode("latin-1")


def encode_utf8(text: str) -> str:
    """Undo ``decode`` for text that a person reads or that names a file: the UTF-8 it was written in."""
    return text.encode("latin-1", errors="replace").decode("utf-8", errors="replace")


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Tokens of ``text[start:end]`` without spaces and comments; spans are offsets in ``text``."""
    first = True
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        group = match.lastgroup or "stray"
        if group == "newline":
            first = True
        elif group in _KINDS:
            yield Token(_KINDS[group], match.group(), Span(match.start(), match.end()), first)
            first = False


def comments(text: str) -> Iterator[Span]:
    """Spans of the comments of a C++ text; what looks like one inside a string is none."""
    for match in _COMMENT.finditer(text):
        if match.lastgroup == "comment":
            yield Span(match.start(), match.end())
