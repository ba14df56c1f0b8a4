"""Runs pycparser over preprocessed tokens, one token a line, so that every coordinate leads back to a user's token."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from mutate.errors import KmutateError, nearest
from mutate.launch.lex import Kind, Token
from mutate.launch.model import DeclarationText
from mutate.launch.types import known_types
from mutate.source import Span

# pycparser has no types for its nodes.
Node = Any

_QUALIFIERS = ("extern", "const", "static", "volatile", "typedef")
_TYPE_WORDS = ("char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "struct", "union",
               "enum", "void")
_STATEMENTS = ("if", "for", "while", "do", "switch", "return", "goto", "case", "else", "sizeof")

_LEAD = 2  # lines before the first token: typedefs, function head
_WHERE = re.compile(r"^[^:]*:(\d+)(?::\d+)?: (.*)$", re.DOTALL)


class _UnreadableError(Exception):
    """What pycparser says of a text, and the line that it had read."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@lru_cache(maxsize=128)
def _statements_of(text: str) -> Sequence[Node]:
    """The statements of a text's only function. Kept: each instance of a template has its declaration read again."""
    from pycparser.c_lexer import CLexer
    from pycparser.c_parser import CParser, ParseError

    last_line = 0

    class Lexer(CLexer):  # type: ignore[misc]
        """Remembers how far it was read, for the errors that pycparser raises without a place."""

        def token(self) -> Any:
            nonlocal last_line
            token = super().token()
            if token is not None:
                last_line = token.lineno
            return token

    try:
        parsed = CParser(lexer=Lexer).parse(text, "launch")
    except ParseError as fault:
        raise _UnreadableError(str(fault), last_line) from None
    except RecursionError:
        raise _UnreadableError(f"launch:{last_line}: nested too deeply", last_line) from None
    except Exception as fault:
        # A parser that is not ours must not end the command with a traceback, whatever it chokes on.
        raise _UnreadableError(f"launch:{last_line}: cannot be parsed as C ({type(fault).__name__})",
                               last_line) from fault
    functions = [n for n in parsed.ext if type(n).__name__ == "FuncDef"]
    return functions[0].body.block_items or ()


class Tree:
    """The statements of a declaration and the way from their nodes to the user's text."""

    def __init__(self, decl: DeclarationText, line: Sequence[Token], typedefs: Sequence[str] = ()) -> None:
        self.declaration = decl
        self.tokens = line
        self.typedefs = [*typedefs, *(b.text for a, b, c in zip(line, line[1:], line[2:], strict=False)
                                      if c.is_punct(";") and b.kind is Kind.NAME)]
        self.statements: Sequence[Node] = self._parse(typedefs)

    def token(self, node: Node) -> int:
        """Index of the token at which a node begins (pycparser: that of its leftmost operand)."""
        at = _coord_line(node)
        return min(max(at - 1 - _LEAD, 0), len(self.tokens) - 1)

    def span(self, node: Node) -> Span:
        """Span of the user's token at which a node begins."""
        return self.tokens[self.token(node)].span

    def statement_span(self, node: Node) -> Span:
        """From a node to the ``;`` that ends its statement, without it."""
        first = last = self.token(node)
        while last + 1 < len(self.tokens) and not self.tokens[last + 1].is_punct(";"):
            last += 1
        start = self.tokens[first].span.start
        return Span(start, max(self.tokens[last].span.end, self.tokens[first].span.end))

    def _parse(self, typedefs: Sequence[str]) -> Sequence[Node]:
        if not self.tokens:
            return ()
        used = {t.text for t in self.tokens if t.kind is Kind.NAME}
        names = [*(n for n in known_types() if n in used), *typedefs]
        head = " ".join(f"typedef int {n};" for n in dict.fromkeys(names))
        body = "\n".join(t.text.replace("\n", " ") for t in self.tokens)
        try:
            return _statements_of(f"{head}\nvoid kmutate_launch(void) {{\n{body}\n}}")
        except _UnreadableError as unread:
            raise self._syntax_error(unread.message, unread.line) from unread.__cause__

    def _syntax_error(self, message: str, last_line: int) -> KmutateError:
        match = _WHERE.match(message)
        line, what = (int(match[1]), match[2]) if match else (last_line, message.split(": ", 1)[-1])
        if what.lower().startswith("invalid"):
            # pycparser names the start of the declaration; the reader stopped nearer to the fault.
            line = max(line, last_line)
        index = line - 1 - _LEAD
        at = min(max(index, 0), len(self.tokens) - 1)
        token = self.tokens[at]
        if what.startswith("before: "):
            what = f"unexpected {token.text!r}" if 0 <= index < len(self.tokens) else "unexpected end"
        elif what.startswith(("Invalid expression", "At end of input")):
            what = f"expected an expression before {token.text!r}"
        else:
            what = what[:1].lower() + what[1:]
        statement = self._statement_around(at)
        unknown = self._unknown_type([*statement, *self.tokens[at + 1 : at + 2]])
        if unknown is not None:
            return unknown
        macro = next((t.macro for t in statement if t.macro is not None), None)
        hint = None
        if macro is not None:
            hint = f"{macro} is a #define here; use another name, or its value"
        elif at > 0 and token.first and not self.tokens[at - 1].is_punct(";"):
            token = self.tokens[at - 1]
            hint = f"is a ';' missing after {token.text!r}?"
        return self.declaration.error("launch-syntax", what, token.span, hint)

    def _unknown_type(self, statement: Sequence[Token]) -> KmutateError | None:
        """The error for a statement that begins like a declaration with a name that is no type: ``flot a[3]``."""
        words = [t for t in statement if not (t.kind is Kind.NAME and t.text in _QUALIFIERS)]
        if len(words) < 2 or words[0].kind is not Kind.NAME or words[1].kind is not Kind.NAME:
            return None
        known = [*_TYPE_WORDS, *known_types(), *self.typedefs]
        name = words[0].text
        if name in known or name in _STATEMENTS or words[0].macro is not None:
            return None
        # The runtime's long names are near to many.
        close = nearest(name, [k for k in known if name.startswith("cuda") or not k.startswith("cuda")])
        return self.declaration.error(
            "launch-unknown-type", f"{name} is no type", words[0].span,
            f"did you mean {close}?" if close else "a struct of the file must be repeated here with its members")

    def _statement_around(self, at: int) -> Sequence[Token]:
        """Tokens of the statement that one stands in, up to that one."""
        first = at
        while first > 0 and not self.tokens[first - 1].is_punct(";"):
            first -= 1
        return self.tokens[first : at + 1]


def _coord_line(node: Node) -> int:
    """Line of a node; initialiser lists and the like have none, so their first child's."""
    stack = [node]
    while stack:
        at = stack.pop()
        coord = getattr(at, "coord", None)
        if coord is not None and getattr(coord, "line", None):
            return int(coord.line)
        stack += [child for _, child in reversed(at.children())] if at is not None else []
    return 0
