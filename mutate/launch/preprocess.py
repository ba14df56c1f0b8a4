"""From the text of a declaration to tokens that a C parser can read: leaders, macros, and the bits of C++ in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from mutate.launch.lex import Kind, Token, decode, tokens
from mutate.launch.model import DeclarationText
from mutate.source import Span

# Far above any real declaration; stops macros that double themselves.
_MAX_TOKENS = 50_000
_MAX_DEPTH = 60

_LEADER = re.compile(r"^[ \t]*(?://[/!]?|\*)", re.MULTILINE)
_MACRO_HEAD = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?\s*\Z")


class Macro(NamedTuple):
    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]
    text: str


class Callee(NamedTuple):
    """A kernel name that C cannot spell: qualified, or with template arguments (their tokens, comma-separated)."""

    name: str
    template_args: tuple[tuple[Token, ...], ...] | None
    span: Span


class Preprocessed(NamedTuple):
    """``tokens`` are plain C. ``callees`` maps the placeholder names among them to what they stand for."""

    tokens: tuple[Token, ...]
    callees: Mapping[str, Callee]
    macros: Mapping[str, Macro]
    struct_names: tuple[str, ...]


def preprocess(decl: DeclarationText, defines: Mapping[str, str]) -> Preprocessed:
    """Tokens of a declaration with the file's and its own ``#define``s expanded.

    ``defines`` maps ``NAME`` or ``NAME(a, b)`` to a body. Raises ``KmutateError`` with the caret at the user's token.
    """
    raw = _lex(decl)
    macros = {m.name: m for m in map(_macro, defines.items()) if m is not None}
    expanded: list[Token] = []
    for directive, line in _logical_lines(raw):
        if directive:
            _apply_directive(decl, line, macros)
        else:
            expanded += _Expander(decl, macros).expand(line)
        if len(expanded) > _MAX_TOKENS:
            raise decl.error("launch-syntax", "the declaration is too long", expanded[-1].span)
    _check_balance(decl, expanded)
    plain, callees = _plain_c(decl, expanded)
    structs = tuple(dict.fromkeys(b.text for a, b, c in zip(plain, plain[1:], plain[2:], strict=False)
                                  if a.is_name("struct") and b.kind is Kind.NAME and c.is_punct("{")))
    return Preprocessed(tuple(plain), callees, macros, structs)


def _lex(decl: DeclarationText) -> list[Token]:
    text = decode(decl.source)
    if decl.prefixed:
        # Leaders become spaces, so that every offset stays.
        body = text[decl.span.start : decl.span.end]
        first_end = body.find("\n") + 1
        if first_end:
            blanked = _LEADER.sub(lambda m: " " * len(m.group()), body[first_end:])
            text = text[: decl.span.start + first_end] + blanked
    out = []
    for token in tokens(text, decl.span.start, decl.span.end):
        if token.kind is Kind.STRAY:
            quote = {'"': "a string that is not closed", "'": "a character constant that is not closed"}
            what = quote.get(token.text, f"stray {token.text!r}")
            raise decl.error("launch-syntax", what, token.span)
        if token.kind is Kind.NUMBER:
            # C++'s digit separators; C has none.
            token = token._replace(text=token.text.replace("'", ""))
        out.append(token)
    return out


def _logical_lines(raw: Sequence[Token]) -> Iterable[tuple[bool, list[Token]]]:
    """Runs of ordinary tokens, and each line with a ``#`` in front by itself."""
    run: list[Token] = []
    directive = False
    for token in raw:
        if token.first and (directive or token.is_punct("#")):
            if run:
                yield directive, run
            run, directive = [], token.is_punct("#")
        run.append(token)
    if run:
        yield directive, run


def _apply_directive(decl: DeclarationText, line: list[Token], macros: dict[str, Macro]) -> None:
    word = line[1].text if len(line) > 1 else ""
    if word not in ("define", "undef"):
        raise decl.error("launch-unsupported", f"#{word} is not understood in a launch declaration", line[0].span,
                         "a declaration may use #define and #undef")
    if len(line) < 3 or line[2].kind is not Kind.NAME:
        raise decl.error("launch-syntax", f"#{word} needs a name", line[-1].span)
    name = line[2].text
    if word == "undef":
        macros.pop(name, None)
        return
    parameters: tuple[str, ...] | None = None
    body = line[3:]
    if body and body[0].is_punct("(") and body[0].span.start == line[2].span.end:
        close = next((i for i, t in enumerate(body) if t.is_punct(")")), None)
        if close is None:
            raise decl.error("launch-syntax", "the macro's parameter list is not closed", body[0].span)
        parameters = tuple(t.text for t in body[1:close] if not t.is_punct(","))
        body = body[close + 1 :]
    macros[name] = Macro(name, parameters, tuple(body), " ".join(t.text for t in body))


@lru_cache(maxsize=8192)
def _macro(item: tuple[str, str]) -> Macro | None:
    """A ``#define`` of the file. Proposals are evaluated line by line, each time with all that its headers define."""
    head = _MACRO_HEAD.match(item[0])
    if head is None:
        return None
    parameters = None
    if head[2] is not None:
        parameters = tuple(p.strip() for p in head[2].split(",")) if head[2].strip() else ()
    # A macro defined as itself is no macro.
    return Macro(head[1], parameters, tuple(tokens(item[1])), item[1])


class _Expander:
    def __init__(self, decl: DeclarationText, macros: Mapping[str, Macro]) -> None:
        self.decl = decl
        self.macros = macros
        self.made = 0

    def expand(self, line: Sequence[Token], hidden: frozenset[str] = frozenset()) -> list[Token]:
        out: list[Token] = []
        i = 0
        while i < len(line):
            token = line[i]
            macro = self.macros.get(token.text) if token.kind is Kind.NAME and token.text not in hidden else None
            i += 1
            if macro is None:
                out.append(token)
                self._count(token)
                continue
            if macro.parameters is None:
                body = [t.moved(token.span, token.macro or macro.name) for t in self._usable(macro, token)]
            else:
                if i >= len(line) or not line[i].is_punct("("):
                    out.append(token)
                    continue
                arguments, i = self._arguments(macro, token, line, i)
                expanded = [self.expand(a, hidden) for a in arguments]
                values = dict(zip(macro.parameters, expanded, strict=True))
                body = []
                for t in self._usable(macro, token):
                    body += values.get(t.text, [t]) if t.kind is Kind.NAME else [t]
                whole = Span(token.span.start, max(token.span.end, line[i - 1].span.end))
                body = [t.moved(whole, token.macro or macro.name) for t in body]
            self._count(token, len(body))
            out += self.expand(body, hidden | {macro.name})
        return out

    def _count(self, token: Token, n: int = 1) -> None:
        self.made += n
        if self.made > _MAX_TOKENS:
            raise self.decl.error("launch-syntax", "the macros expand to too much text", token.span)

    def _usable(self, macro: Macro, at: Token) -> tuple[Token, ...]:
        for t in macro.body:
            if t.kind is Kind.STRAY or t.text in ("#", "##", "..."):
                raise self.decl.error(
                    "launch-unsupported", f"the macro {macro.name} cannot be evaluated: {macro.text.strip()}", at.span,
                    "write its value in the declaration")
        return macro.body

    def _arguments(self, macro: Macro, name: Token, line: Sequence[Token], i: int) -> tuple[list[list[Token]], int]:
        """Arguments of a call whose ``(`` is at ``line[i]``, and the index after its ``)``."""
        depth = 0
        arguments: list[list[Token]] = [[]]
        for j in range(i, len(line)):
            t = line[j]
            depth += t.text in ("(", "[", "{") and t.kind is Kind.PUNCT
            depth -= t.text in (")", "]", "}") and t.kind is Kind.PUNCT
            if depth == 0:
                if arguments == [[]] and not macro.parameters:
                    arguments = []
                wanted = len(macro.parameters or ())
                if len(arguments) != wanted:
                    raise self.decl.error("launch-syntax", f"the macro {macro.name} takes {wanted} arguments, "
                                          f"not {len(arguments)}", name.span)
                return arguments, j + 1
            if t.is_punct(",") and depth == 1:
                arguments.append([])
            elif j > i:
                arguments[-1].append(t)
        raise self.decl.error("launch-syntax", f"the argument list of the macro {macro.name} is not closed", name.span)


_CLOSER = {"(": ")", "[": "]", "{": "}"}


def _check_balance(decl: DeclarationText, line: Sequence[Token]) -> None:
    stack: list[Token] = []
    for token in line:
        if token.kind is not Kind.PUNCT:
            continue
        if token.text in _CLOSER:
            stack.append(token)
            if len(stack) > _MAX_DEPTH:
                raise decl.error("launch-syntax", "nested too deeply", token.span)
        elif token.text in _CLOSER.values():
            if not stack:
                raise decl.error("launch-syntax", f"{token.text!r} closes nothing", token.span)
            opener = stack.pop()
            if _CLOSER[opener.text] != token.text:
                raise decl.error("launch-syntax",
                                 f"expected {_CLOSER[opener.text]!r} before {token.text!r}", token.span)
    if stack:
        raise decl.error("launch-syntax", f"{stack[-1].text!r} is never closed", stack[-1].span)


# Storage of a symbol in the file; in the declaration it is what `extern` says.
_SYMBOL_WORDS = ("__constant__", "__device__")


def _plain_c(decl: DeclarationText, line: Sequence[Token]) -> tuple[list[Token], dict[str, Callee]]:
    out: list[Token] = []
    callees: dict[str, Callee] = {}
    i = depth = 0
    while i < len(line):
        token = line[i]
        if token.kind is Kind.PUNCT:
            depth += (token.text in _CLOSER) - (token.text in _CLOSER.values())
        # Only a statement may begin with a template call; elsewhere `<` compares.
        starts = depth == 0 and (not out or out[-1].text in (";", "}"))
        if starts and token.kind is Kind.NAME:
            callee, after = _callee(decl, line, i)
            if callee is not None:
                name = f"kmutate_callee_{len(callees)}"
                callees[name] = callee
                out.append(token._replace(text=name, span=callee.span))
                i = after
                continue
        if token.is_punct("<<<"):
            raise decl.error("launch-syntax", "a declaration has no <<<...>>>", token.span,
                             "write: dim3 grid = {...}; dim3 block = {...}; int smem = ...; kernel(arguments);")
        if token.is_punct("::"):
            raise decl.error("launch-unsupported", "'::' is C++; only a kernel's name may be qualified", token.span)
        if token.is_name("dim3"):
            made, i = _dim3(line, i)
            out += made
            continue
        if token.kind is Kind.NAME and token.text in _SYMBOL_WORDS:
            token = token._replace(text="extern")
            if out and out[-1].is_name("extern"):
                i += 1
                continue
        elif token.is_name("constexpr"):
            token = token._replace(text="const")
        out.append(token)
        i += 1
    return out, callees


def _callee(decl: DeclarationText, line: Sequence[Token], i: int) -> tuple[Callee | None, int]:
    """A qualified or templated name before ``(`` at ``line[i]``, or ``None``; and the index of that ``(``."""
    j = i + 1
    name = line[i].text
    while j + 1 < len(line) and line[j].is_punct("::") and line[j + 1].kind is Kind.NAME:
        name += "::" + line[j + 1].text
        j += 2
    if j < len(line) and line[j].is_punct("<"):
        arguments, j = _template_arguments(decl, line, j)
    elif j == i + 1:
        return None, i
    else:
        arguments = None
    span = Span(line[i].span.start, line[j - 1].span.end)
    if j < len(line) and line[j].is_punct("("):
        return Callee(name, arguments, span), j
    if j < len(line) and line[j].is_punct("<<<"):
        return None, i
    raise decl.error("launch-syntax", f"expected the arguments of {name} in parentheses",
                     line[min(j, len(line) - 1)].span)


def _template_arguments(decl: DeclarationText, line: Sequence[Token],
                        i: int) -> tuple[tuple[tuple[Token, ...], ...], int]:
    """Arguments between ``<`` at ``line[i]`` and its ``>``, and the index after that."""
    arguments: list[list[Token]] = [[]]
    angle, paren = 1, 0
    for j in range(i + 1, len(line)):
        t = line[j]
        if t.kind is Kind.PUNCT:
            if t.text in ("(", "[", "{"):
                paren += 1
            elif t.text in (")", "]", "}"):
                paren -= 1
            elif t.text == ";":
                break
            elif paren == 0 and t.text == "<":
                angle += 1
            elif paren == 0 and t.text in (">", ">>", ">>>"):
                closed = min(angle, len(t.text))
                angle -= closed
                if angle == 0:
                    arguments[-1] += [t._replace(text=">")] * (closed - 1)
                    return tuple(map(tuple, arguments)), j + 1
            elif paren == 0 and angle == 1 and t.text == ",":
                arguments.append([])
                continue
        if paren < 0:
            break
        arguments[-1].append(t)
    raise decl.error("launch-syntax", "the template arguments are not closed by '>'", line[i].span)


def _dim3(line: Sequence[Token], i: int) -> tuple[list[Token], int]:
    """CUDA's ``dim3 grid(a, b)`` and ``dim3(a, b)`` as C: ``dim3 grid = {a, b}`` and ``(dim3){a, b}``."""
    dim3 = line[i]
    named = i + 2 < len(line) and line[i + 1].kind is Kind.NAME and line[i + 2].is_punct("(")
    at = i + 2 if named else i + 1
    if at >= len(line) or not line[at].is_punct("("):
        return [dim3], i + 1
    depth, close = 0, at
    for close in range(at, len(line)):
        depth += line[close].is_punct("(")
        depth -= line[close].is_punct(")")
        if depth == 0:
            break
    def punct(text: str, like: Token) -> Token:
        return Token(Kind.PUNCT, text, like.span, macro=like.macro)

    head = [dim3, line[i + 1], punct("=", line[at])] if named else [punct("(", dim3), dim3, punct(")", dim3)]
    inner: list[Token] = []
    j = at + 1
    while j < close:
        if line[j].is_name("dim3"):
            made, j = _dim3(line, j)
            inner += made
        else:
            inner.append(line[j])
            j += 1
    return [*head, punct("{", line[at]), *inner, punct("}", line[close])], close + 1
