"""Runs a parsed declaration: variables, arrays and calls become launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mutate.errors import KmutateError, nearest
from mutate.launch import arith
from mutate.launch.arith import scalar_of
from mutate.launch.arrays import array_declaration, call_arguments
from mutate.launch.expressions import Evaluator
from mutate.launch.initialisers import INITIALISERS
from mutate.launch.lex import Kind, Token, encode_utf8
from mutate.launch.model import (
    Address,
    Arg,
    ArrayArg,
    DeclarationText,
    Launch,
    ScalarArg,
    StructArg,
    Value,
)
from mutate.launch.parse import Node, Tree
from mutate.launch.preprocess import Callee, Preprocessed, preprocess
from mutate.launch.scope import Scope
from mutate.launch.textures import MAKERS, objects_of
from mutate.launch.types import BOOL, INT, SIZE_T, Array, CType, Pointer, Scalar, Struct
from mutate.source import Span

# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same from 3.0 to 12.x.
MAX_THREADS = 1024
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = ((1 << 31) - 1, 65535, 65535)
# The largest shared memory of a block on any GPU so far (compute capabilities 9.0 and 10.0).
MAX_SMEM = 227 * 1024

_REDECLARABLE = ("grid", "block", "smem")


def evaluate(decl: DeclarationText, defines: Mapping[str, str] | None = None,
             overrides: Mapping[str, str] | None = None) -> tuple[Launch, ...]:
    """The launches of one declaration, in order.

    ``defines`` are the file's ``#define``s (``NAME`` or ``NAME(a, b)`` to body), ``overrides`` come from
    ``--set name=value`` and replace every value that the declaration gives to a name (``seed`` included).
    Raises ``KmutateError`` with the caret at the C token for all that is wrong.
    """
    return evaluate_all((decl,), defines, overrides)


def evaluate_all(decls: Sequence[DeclarationText], defines: Mapping[str, str] | None = None,
                 overrides: Mapping[str, str] | None = None) -> tuple[Launch, ...]:
    """The launches of all declarations of a file. An override must be of use in at least one of them."""
    defines, overrides = defines or {}, overrides or {}
    launches: list[Launch] = []
    used: set[str] = set()
    known: list[str] = []
    for decl in decls:
        run = _Run(decl, defines, overrides)
        launches += run.launches()
        used |= run.used
        known += [name for name in run.scope.variables if name not in run.scope.macros]
    for name in overrides:
        if decls and name not in used:
            raise _unknown_override(name, overrides[name], known, defines)
    return tuple(launches)


def _unknown_override(name: str, text: str, known: Sequence[str], defines: Mapping[str, str]) -> KmutateError:
    where = f"--set {name}={text}"
    if name in defines:
        return KmutateError("launch-unknown-name", f"{name} is a #define of the file", where=where,
                            hint=f"use -D {name}={text}, which changes the kernel too")
    close = nearest(name, known)
    return KmutateError("launch-unknown-name", f"no launch declaration has a variable {name}", where=where,
                        hint=f"did you mean {close}?" if close else f"declared: {', '.join(known) or 'none'}")


class _Run:
    """One pass over the statements of a declaration."""

    def __init__(self, decl: DeclarationText, defines: Mapping[str, str], overrides: Mapping[str, str]) -> None:
        self.decl = decl
        self.defines = defines
        self.overrides = overrides
        self.used: set[str] = set()
        self.text: Preprocessed = preprocess(decl, defines)
        self.scope = Scope(macros=self.text.macros)
        self.seed = 0
        if "seed" in overrides and not any(t.is_name("seed") and n.text in ("=", ";", ",") for t, n in
                                           zip(self.text.tokens, self.text.tokens[1:], strict=False)):
            self.seed = self._override_seed()
        self.folder = Path(decl.file).parent

    def launches(self) -> list[Launch]:
        try:
            tree = Tree(self.decl, self.text.tokens, self.text.struct_names)
            self.evaluator = Evaluator(tree, self.scope)
            out = []
            for statement in tree.statements:
                launch = self._statement(statement)
                if launch is not None:
                    out.append(launch)
        except RecursionError:
            raise self.decl.error("launch-syntax", "the declaration is nested too deeply", self.decl.span) from None
        if not out:
            raise self.decl.error("launch-no-call", "the declaration launches no kernel", self._whole(),
                                  "end it with a call: kernel(arguments);")
        return out

    def _whole(self) -> Span:
        return self.text.tokens[-1].span if self.text.tokens else Span(self.decl.span.start, self.decl.span.start + 1)

    # --- statements ---

    def _statement(self, node: Node) -> Launch | None:
        kind = type(node).__name__
        if kind == "Decl":
            self._declare(node)
        elif kind == "Typedef":
            self.scope.types[node.name] = self.evaluator.types.declared(node.type, node)
        elif kind == "Assignment":
            self._assign(node)
        elif kind == "UnaryOp" and node.op in ("p++", "++", "p--", "--"):
            self._step(node)
        elif kind == "FuncCall":
            return self._call(node)
        elif kind not in ("EmptyStatement", "Pragma"):
            raise self.evaluator.error("launch-unsupported", "a launch declaration has declarations, assignments and "
                                       "calls only", node, "write each launch out, or use ?: for a choice")
        return None

    def _declare(self, node: Node) -> None:
        evaluator = self.evaluator
        if node.bitsize is not None or type(node.type).__name__ == "FuncDecl":
            raise evaluator.error("launch-unsupported", "functions are not declared here", node,
                                  "to launch a kernel write a call: kernel(arguments);")
        if node.name is None:
            if type(node.type).__name__ == "Enum":
                evaluator.types.enum(node.type)
            else:
                evaluator.types.specified(node.type, node)
            return
        symbol = "extern" in (node.storage or ())
        taken = node.name in self.scope.arrays or node.name in self.scope.variables
        if taken and not (node.name in _REDECLARABLE and not symbol and type(node.type).__name__ != "ArrayDecl"):
            raise evaluator.error("launch-redeclared", f"{node.name} is declared twice", node)
        if symbol or type(node.type).__name__ == "ArrayDecl":
            self._declare_array(node, symbol)
            return
        kind = evaluator.types.declared(node.type, node)
        self.scope.variable_types[node.name] = kind
        value = None
        if node.name in self.overrides:
            value = self._override(node.name, kind)
        elif node.init is not None:
            value = evaluator.initial(node.init, kind, node)
        elif isinstance(kind, Struct):
            value = evaluator.initial([], kind, node)
        self.scope.variables[node.name] = value

    def _declare_array(self, node: Node, symbol: bool) -> None:
        if node.name in self.overrides:
            raise KmutateError("launch-type", f"{node.name} is an array; --set gives values to variables",
                               where=f"--set {node.name}={self.overrides[node.name]}")
        self.scope.arrays[node.name] = array_declaration(
            self.evaluator, node, self.folder, stream=len(self.scope.arrays), seed=self.seed, symbol=symbol)

    # --- assignments ---

    def _assign(self, node: Node) -> None:
        evaluator = self.evaluator
        name, path = self._target(node.lvalue)
        if name in self.overrides:
            return
        kind = self.scope.variable_types[name]
        for step in path:
            kind = kind.fields[step].type if isinstance(kind, Struct) else kind.of if isinstance(kind, Array) else kind
        if type(node.rvalue).__name__ == "Assignment":
            raise evaluator.error("launch-unsupported", "one assignment a statement, please", node.rvalue)
        if node.op == "=":
            value = evaluator.initial(node.rvalue, kind, node.rvalue)
        else:
            old, by = evaluator.value(node.lvalue), evaluator.value(node.rvalue)
            value = evaluator.assignable(node.rvalue, self._combined(node, node.op[:-1], old, by), kind)
        self.scope.variables[name] = _replaced(self.scope.variables[name], path, value)

    def _combined(self, node: Node, op: str, old: Value, by: Value) -> Value:
        if isinstance(old.data, Address) or isinstance(by.data, Address):
            raise self.evaluator.error("launch-unsupported", "write out the pointer: p = p + n", node)
        with self.evaluator.at(node):
            return arith.binary(op, old, by)

    def _step(self, node: Node) -> None:
        name, path = self._target(node.expr)
        if name in self.overrides:
            return
        old = self.evaluator.value(node.expr)
        made = self._combined(node, "+" if "++" in node.op else "-", old, Value(INT, 1))
        with self.evaluator.at(node):
            value = arith.convert(made, scalar_of(old)[0])
        self.scope.variables[name] = _replaced(self.scope.variables[name], path, value)

    def _target(self, node: Node) -> tuple[str, tuple[int, ...]]:
        """The variable that an lvalue names and the member indices into it."""
        evaluator = self.evaluator
        kind = type(node).__name__
        if kind == "ID" and node.name in self.scope.variables:
            return node.name, ()
        if kind == "ID" and node.name not in self.scope.arrays:
            evaluator.value(node)  # raises the error for an unknown name
        if kind == "StructRef" and node.type == ".":
            name, path = self._target(node.name)
            whole = evaluator.value(node.name)
            if isinstance(whole.type, Struct):
                return name, (*path, evaluator.member_index(whole.type, node))
        if kind == "ArrayRef" and not self._is_device(node):
            name, path = self._target(node.name)
            whole = evaluator.value(node.name)
            if isinstance(whole.type, Array):
                return name, (*path, evaluator.index(node.subscript, whole.type.count))
        raise evaluator.error("launch-unsupported", "only variables and their members can be assigned to", node,
                              "an array is filled by its initialiser")

    def _is_device(self, node: Node) -> bool:
        while type(node).__name__ in ("ArrayRef", "StructRef"):
            node = node.name
        return type(node).__name__ == "ID" and node.name in self.scope.arrays

    # --- overrides ---

    def _override(self, name: str, kind: CType) -> Value:
        """The value of ``--set name=value``: any C expression or list in braces over what is declared above."""
        text = self.overrides[name].encode()
        decl = DeclarationText(f"--set {name}", text, Span(0, len(text)))
        inner = preprocess(decl, self.defines)
        self.used.add(name)
        evaluator, init = self._expression(decl, inner.tokens)
        return evaluator.initial(init, kind, init)

    def _override_seed(self) -> int:
        value = self._override("seed", SIZE_T)
        return int(scalar_of(value)[1])

    def _expression(self, decl: DeclarationText, inner: Sequence[Token]) -> tuple[Evaluator, Node]:
        """An evaluator for loose tokens and the node of the initialiser that they are."""
        if not inner or any(t.is_punct(";") for t in inner):
            raise decl.error("launch-syntax", "one value is expected", Span(0, len(decl.source)))
        start, end = inner[0].span, inner[-1].span
        line = [Token(Kind.NAME, "int", start), Token(Kind.NAME, "kmutate_value", start), Token(Kind.PUNCT, "=", start),
                *inner, Token(Kind.PUNCT, ";", end)]
        tree = Tree(decl, line, self.text.struct_names)
        statements = tree.statements
        if len(statements) != 1 or getattr(statements[0], "init", None) is None:
            raise decl.error("launch-syntax", "one value is expected", start)
        return Evaluator(tree, self.scope), statements[0].init

    # --- calls ---

    def _call(self, node: Node) -> Launch | None:
        evaluator = self.evaluator
        written = getattr(node.name, "name", None)
        if not isinstance(written, str):
            raise evaluator.error("launch-syntax", "a kernel is called by its name", node)
        callee = self.text.callees.get(written)
        arguments = call_arguments(node)
        if callee is None and written == "seed":
            self._set_seed(node, arguments)
            return None
        if callee is None and (written in INITIALISERS or written in ("file", "csr_nnz")):
            raise evaluator.error("launch-syntax", f"{written}() is an initialiser, no kernel", node,
                                  f"write: T name[n] = {written}(...);")
        if callee is None and written in MAKERS:
            raise evaluator.error("launch-syntax", f"{written}() makes an object, it is no kernel", node,
                                  f"write: cudaTextureObject_t name = {written}{MAKERS[written].usage};")
        if callee is None and (written in self.scope.variables or written in self.scope.arrays):
            raise evaluator.error("launch-syntax", f"{written} is a variable, no kernel", node)
        name = callee.name if callee else written
        grid = self._extent(node, "grid")
        block = self._extent(node, "block")
        self._check_extents(node, grid, block)
        args = tuple(self._argument(a) for a in arguments)
        reached = [n for a in args for n in a.as_value().arrays()]
        textures = objects_of(self.scope, [a.as_value() for a in args])
        reached += [t.array for t in textures]
        return Launch(
            kernel=name,
            template_args=self._template_args(callee),
            grid=grid, block=block, smem=self._smem(node),
            args=args,
            arrays=tuple(a for a in self.scope.arrays.values() if a.name in reached),
            symbols=tuple(a for a in self.scope.arrays.values() if a.symbol),
            seed=self.seed,
            span=evaluator.tree.statement_span(node),
            name_span=evaluator.tree.span(node),
            declaration=self.decl,
            textures=textures,
        )

    def _set_seed(self, node: Node, arguments: Sequence[Node]) -> None:
        evaluator = self.evaluator
        evaluator.check_arity(node, "seed", "seed(N);", len(arguments), (1, 1))
        if self.scope.arrays:
            raise evaluator.error("launch-syntax", "seed(N) stands before the arrays that it seeds", node)
        value = evaluator.integer(arguments[0], "a seed")
        if value < 0:
            raise evaluator.error("launch-size", "a seed is not negative", arguments[0])
        if "seed" not in self.used:
            self.seed = value

    def _template_args(self, callee: Callee | None) -> str | None:
        if callee is None or callee.template_args is None:
            return None
        return ", ".join(self._template_arg(list(a)) for a in callee.template_args)

    def _template_arg(self, argument: list[Token]) -> str:
        """Integer expressions over the declaration's variables by value; types and all else as written."""
        names = [t.text for t in argument if t.kind is Kind.NAME]
        written = _join(argument)
        computes = bool(argument) and all(n in self.scope.variables or n in ("true", "false") for n in names)
        if not computes and "sizeof" not in names:
            return written
        try:
            evaluator, init = self._expression(self.decl, argument)
            value = evaluator.value(init)
        except KmutateError:
            if computes:
                raise
            return written
        if not isinstance(value.type, Scalar) or not value.type.is_integer:
            return written
        return ("true" if value.data else "false") if value.type == BOOL else str(value.data)

    def _extent(self, node: Node, name: str) -> tuple[int, int, int]:
        value = self.scope.variables.get(name)
        if value is None:
            raise self.evaluator.error(f"launch-no-{name}", f"the {name} is not declared before the call", node,
                                       f"write: dim3 {name} = {{ x, y, z }};")
        parts = value.data if isinstance(value.data, tuple) else (value,)
        numbers = [p.data for p in parts
                   if isinstance(p.type, Scalar) and p.type.is_integer and isinstance(p.data, int)]
        if len(numbers) != len(parts) or len(parts) > 3:
            raise self.evaluator.error("launch-type", f"{name} must be a dim3, not {value.type.name}", node)
        x, y, z = (*numbers, 1, 1)[:3]
        return x, y, z

    def _check_extents(self, node: Node, grid: tuple[int, int, int], block: tuple[int, int, int]) -> None:
        for name, extent, most in (("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK)):
            for axis, size, limit in zip("xyz", extent, most, strict=True):
                # dim3 is unsigned: what was negative has its top bit set.
                shown = size - (1 << 32) if 1 << 31 <= size < 1 << 32 else size
                if shown < 1:
                    raise self._bad_value(node, name, "launch-size", f"{name}.{axis} is {shown}; it must be at least 1")
                if size > limit:
                    raise self._bad_value(node, name, f"launch-{name}-too-large",
                                          f"{name}.{axis} is {size}; the limit is {limit}")
        threads = block[0] * block[1] * block[2]
        if threads > MAX_THREADS:
            raise self._bad_value(node, "block", "launch-block-too-large", f"the block has {threads} threads; the "
                                  f"limit is {MAX_THREADS}", "use a smaller block and more of them")

    def _smem(self, node: Node) -> int:
        value = self.scope.variables.get("smem")
        if value is None:
            return 0
        if not isinstance(value.type, Scalar) or not value.type.is_integer or not isinstance(value.data, int):
            raise self._bad_value(node, "smem", "launch-type", "smem is a number of bytes")
        if not 0 <= value.data <= MAX_SMEM:
            raise self._bad_value(node, "smem", "launch-smem-too-large", f"{value.data} bytes of dynamic shared "
                                  f"memory; a block has 0 to {MAX_SMEM}", "smem counts bytes, not elements")
        return value.data

    def _bad_value(self, node: Node, name: str, slug: str, what: str, hint: str | None = None) -> KmutateError:
        """An error about the value of a variable, at the last place before the call that gave it one."""
        line = self.text.tokens
        spans = [line[i].span for i in range(self.evaluator.tree.token(node))
                 if line[i].is_name(name) and line[i + 1].text in ("=", ";", ".", ",", "+=", "-=", "*=", "/=")]
        if name in self.overrides:
            hint = f"--set {name}={self.overrides[name]} gave it this value"
        return self.decl.error(slug, what, spans[-1] if spans else self.evaluator.tree.span(node), hint)

    def _argument(self, node: Node) -> Arg:
        value = self.evaluator.value(node)
        span = self.evaluator.tree.span(node)
        if isinstance(value.data, Address):
            elem = value.type.to if isinstance(value.type, Pointer) else None
            return ArrayArg(value.data.array, value.data.offset, elem, span)
        if isinstance(value.type, Struct):
            return StructArg(value.type, value, span)
        if isinstance(value.type, Scalar) and isinstance(value.data, int | float):
            return ScalarArg(value.type, value.data, span)
        raise self.evaluator.error("launch-type", f"{value.type.name} cannot be passed to a kernel", node)


def _replaced(value: Value | None, path: Sequence[int], by: Value) -> Value:
    """A value with the member at ``path`` replaced."""
    if not path or value is None or not isinstance(value.data, tuple):
        return by
    parts = list(value.data)
    parts[path[0]] = _replaced(parts[path[0]], path[1:], by)
    return Value(value.type, tuple(parts))


def _join(argument: Sequence[Token]) -> str:
    out = ""
    for token in argument:
        words = out[-1:].isalnum() or out[-1:] == "_"
        apart = token.kind in (Kind.NAME, Kind.NUMBER) and words
        out += " " * apart + token.text
    return encode_utf8(out)
