"""Host expressions as the C of a declaration."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from mutate.frontend.tree import Node
from mutate.launch.arith import FUNCTIONS
from mutate.launch.model import has_pointer
from mutate.launch.types import Scalar, Struct, by_specifiers, known_types
from mutate.propose.draft import Draft
from mutate.propose.hostcode import Context, Declared, HostCode, UnknownError, arguments_of, bare, call_name
from mutate.propose.members import given
from mutate.propose.types import Types
from mutate.propose.writes import COMMAND_LINE

_ATOM = re.compile(r"[\w.]+$|\([^()]*\)$|\([a-z_ ]+\)\w+$|\w+\([^()]*\)$")
_DEEPEST = 40


class Expressions(ABC):
    """Turns expressions into C. What a name means is for the one who declares it."""

    def __init__(self, host: HostCode, draft: Draft, types: Types) -> None:
        self.host = host
        self.draft = draft
        self.types = types
        self.row: Mapping[str, Node] = {}
        """What the members of a table's row are (`HostLaunch.row`)."""
        self._depth = 0

    @abstractmethod
    def name(self, node: Node, context: Context) -> str:
        """The declaration's name for a host variable."""

    @abstractmethod
    def member(self, name: str, node: Node, context: Context) -> str:
        """The value of a member of a struct that is not at hand."""

    @abstractmethod
    def of_struct(self, declared: Declared, kind: Struct, member: str, value: Node, context: Context) -> str:
        """The member of a structure that is given a value, as a variable of the declaration."""

    def text(self, node: Node, context: Context) -> str:
        """The C of a host expression. Raises ``UnknownError`` for what the declaration cannot have.

        Variables it mentions are declared in the draft, with a guess where nothing gives them a value.
        """
        with self._deeper():
            macro = self._macro(node)
            if macro is not None:
                return macro
            rule = getattr(self, f"_{node.type}", None)
            if rule is None:
                raise UnknownError(_short(node))
            made: str = rule(node, context)
            return made

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise UnknownError("what is nested too deeply")
            yield
        finally:
            self._depth -= 1

    def atom(self, node: Node, context: Context) -> str:
        """As ``text``, in parentheses unless it is one word."""
        text = self.text(node, context)
        return text if _ATOM.match(text) else f"({text})"

    def number(self, node: Node, context: Context) -> int | None:
        """The integer that an expression is, where it is known without a guess."""
        before = len(self.draft.guesses)
        try:
            value = self.draft.integer(self.text(node, context))
        except UnknownError:
            return None
        return value if len(self.draft.guesses) == before else None

    def _macro(self, node: Node) -> str | None:
        """The user's macro, where an expression is all of its expansion and a declaration can expand it too."""
        expansion = self.host.file_of(node).expansion
        segment = expansion.segments[expansion.segment_at(node.start)]
        if segment.verbatim or segment.start != node.start or segment.end != node.end:
            return None
        text = expansion.source[segment.source_start : segment.source_end].decode(errors="replace")
        if not re.fullmatch(r"[A-Za-z_]\w*", text) or text not in self.draft.defines:
            return None
        return text if self.draft.value(text) is not None else None

    def _number_literal(self, node: Node, context: Context) -> str:
        return node.text.replace("'", "")

    def _char_literal(self, node: Node, context: Context) -> str:
        return node.text

    def _true(self, node: Node, context: Context) -> str:
        return "true"

    def _false(self, node: Node, context: Context) -> str:
        return "false"

    def _null(self, node: Node, context: Context) -> str:
        return "0"

    def _parenthesized_expression(self, node: Node, context: Context) -> str:
        inner = self.text(node.kids[0], context)
        return inner if re.fullmatch(r"\w+", inner) else f"({inner})"

    def _condition_clause(self, node: Node, context: Context) -> str:
        return self.text(node.get("value") or node.kids[-1], context)

    def _binary_expression(self, node: Node, context: Context) -> str:
        left, op, right = node.get("left"), node.get("operator"), node.get("right")
        if left is None or op is None or right is None:
            raise UnknownError(_short(node))
        return f"{self.text(left, context)} {op.text} {self.text(right, context)}"

    def _unary_expression(self, node: Node, context: Context) -> str:
        op, argument = node.get("operator"), node.get("argument")
        if op is None or argument is None:
            raise UnknownError(_short(node))
        return f"{op.text}{self.atom(argument, context)}"

    def _conditional_expression(self, node: Node, context: Context) -> str:
        condition, yes, no = node.get("condition"), node.get("consequence"), node.get("alternative")
        if condition is None or yes is None or no is None:
            raise UnknownError(_short(node))
        if COMMAND_LINE.search(condition.text):
            # Without arguments: `argc > 1 ? atoi(argv[1]) : 1024` is 1024.
            taken = self._by_argument_count(condition)
            return self.atom(no if not taken else yes, context)
        return f"{self.atom(condition, context)} ? {self.atom(yes, context)} : {self.atom(no, context)}"

    @staticmethod
    def _by_argument_count(condition: Node) -> bool:
        match = re.fullmatch(r"\(?\s*argc\s*(<=|>=|==|!=|<|>)\s*(\d+)\s*\)?", condition.text)
        if match is None:
            return False
        count = int(match[2])
        return {"<": count > 1, "<=": count >= 1, ">": count < 1, ">=": count <= 1, "==": count == 1,
                "!=": count != 1}[match[1]]

    def _assignment_expression(self, node: Node, context: Context) -> str:
        right = node.get("right")
        if right is None:
            raise UnknownError(_short(node))
        return self.text(right, context)

    def _cast_expression(self, node: Node, context: Context) -> str:
        to, value = node.get("type"), node.get("value")
        if to is None or value is None or "*" in to.text:
            raise UnknownError(_short(node))
        return self._cast(to.text, value, context)

    def _cast(self, to: str, value: Node, context: Context) -> str:
        spelled = self.types.spelled(to, context.types)
        if spelled is None:
            raise UnknownError(f"the type {to}")
        inner = self.atom(value, context)
        return inner if spelled == "dim3" else f"({spelled}){inner}"

    def _sizeof_expression(self, node: Node, context: Context) -> str:
        to, value = node.get("type"), node.get("value")
        if value is not None:
            inner = bare(value)
            declared = self.host.declaration(inner.text, inner) if inner.type == "identifier" else None
            if declared is not None:
                spelled = "void *" if declared.pointers else self.types.spelled(declared.type, context.types)
                if spelled is None:
                    raise UnknownError(f"the size of {inner.text}")
                return " * ".join([*(self.atom(d, context) for d in self._dims(declared, context)),
                                   f"sizeof({spelled})"])
            if inner.type == "identifier":
                to = inner  # sizeof(T) is read as the size of a variable
            else:
                found = self.types.of(inner, context)
                spelled = self.types.spelled(found[0], context.types) if found is not None and not found[1] else None
                if spelled is None:
                    raise UnknownError(_short(node))
                return f"sizeof({spelled})"
        if to is None:
            raise UnknownError(_short(node))
        spelled = "void *" if "*" in to.text else self.types.spelled(to.text, context.types)
        if spelled is None:
            raise UnknownError(f"the type {to.text}")
        return f"sizeof({spelled})"

    def _dims(self, declared: Declared, context: Context) -> list[Node]:
        for dim in declared.dims:
            if dim.type.endswith("declarator"):
                items = declared.init.kids if declared.init is not None else []
                raise UnknownError(f"the size of {declared.name}, which its {len(items)} values give")
        return list(declared.dims)

    def _identifier(self, node: Node, context: Context) -> str:
        return self.name(node, context)

    def _qualified_identifier(self, node: Node, context: Context) -> str:
        last = node.kids[-1] if node.kids else node
        if last.type != "identifier":
            raise UnknownError(_short(node))
        return self.name(last, context)

    def _field_expression(self, node: Node, context: Context) -> str:
        argument, member = node.get("argument"), node.get("field")
        if argument is None or member is None:
            raise UnknownError(_short(node))
        if node.text in self.row:
            return self.atom(self.row[node.text], context)
        if argument.type == "identifier":
            declared = self.host.declaration(argument.text, argument)
            if declared is not None and not declared.pointers and not declared.dims:
                spelled = self.types.spelled(declared.type, context.types)
                kind = self.draft.kind(spelled) if spelled is not None else None
                if isinstance(kind, Struct) and kind.field(member.text) is not None:
                    if has_pointer(kind):  # no variable of the declaration has it before its arrays are there
                        value = given(self.host, declared, argument, kind).get(member.text)
                        return self.member(member.text, node, context) if value is None else \
                            self.of_struct(declared, kind, member.text, value, context)
                    try:
                        return f"{self.name(argument, context)}.{member.text}"
                    except UnknownError:
                        if spelled in known_types():
                            raise
        return self.member(member.text, node, context)

    def _subscript_expression(self, node: Node, context: Context) -> str:
        """An element of a host array whose values are listed."""
        argument, indices = node.get("argument"), node.get("indices")
        declared = self.host.declaration(argument.text, argument) \
            if argument is not None and argument.type == "identifier" else None
        if declared is not None and declared.init is not None and declared.init.type == "initializer_list" \
                and indices is not None and len(indices.kids) == 1:
            index = self.number(indices.kids[0], context)
            if index is not None and 0 <= index < len(declared.init.kids):
                return self.atom(declared.init.kids[index], self.host.context_at(declared.node, context))
        raise UnknownError(_short(node))

    def _initializer_list(self, node: Node, context: Context) -> str:
        return "{ " + ", ".join(self.text(k, context) for k in node.kids) + " }"

    def _compound_literal_expression(self, node: Node, context: Context) -> str:
        """``dim3{x, y}``, ``float2{a, b}``; of a number, ``int{n}``, its value."""
        to, value = node.get("type"), node.get("value")
        spelled = self.types.spelled(to.text, context.types) if to is not None else None
        if spelled is None or value is None:
            raise UnknownError(_short(node))
        if len(value.kids) == 1 and spelled != "dim3":
            return self._cast(spelled, value.kids[0], context)
        return f"({spelled})" + "{ " + ", ".join(self.text(k, context) for k in value.kids) + " }"

    # --- calls ---

    def _call_expression(self, node: Node, context: Context) -> str:
        name, arguments = call_name(node), arguments_of(node)
        function = node.get("function")
        if function is not None and len(arguments) == 1 and (
                function.type == "primitive_type" or name in context.types or by_specifiers([name]) is not None
                or isinstance(known_types().get(name), Scalar)):
            return self._cast(function.text, arguments[0], context)
        if name in ("static_cast", "reinterpret_cast") and function is not None and len(arguments) == 1 \
                and (to := function.get("arguments")) is not None:
            return self._cast(to.text.strip()[1:-1], arguments[0], context)
        if COMMAND_LINE.search(node.text) or name in ("atoi", "atof", "strtol", "stoi"):
            raise UnknownError(f"{_short(node)}, which the command line gives")
        if name in ("ceil_div", "div_ceil", "ceildiv", "divUp", "div_up") and len(arguments) == 2 \
                and not self.host.functions(name):
            a, b = (self.atom(x, context) for x in arguments)
            return f"({a} + {b} - 1) / {b}"
        if name in ("size", "length") and function is not None and function.type == "field_expression":
            receiver = function.get("argument")
            if receiver is not None and not arguments:
                return self._count_of(receiver, context)
        if function is not None and function.type in ("identifier", "qualified_identifier", "template_function"):
            if name in FUNCTIONS and len(arguments) == FUNCTIONS[name][0] and not self.host.functions(name):
                return f"{name}({', '.join(self.text(a, context) for a in arguments)})"
            if name == "dim3" or (name.startswith("make_") and name[5:] in known_types()):
                return f"{name}({', '.join(self.text(a, context) for a in arguments)})"
            return self._inlined(node, name, context)
        raise UnknownError(_short(node))

    def _inlined(self, node: Node, name: str, context: Context) -> str:
        """A helper function that is one ``return``: its value with the call's arguments."""
        arguments = arguments_of(node)
        for function in self.host.functions(name):
            statements = [k for k in function.body.kids if k.type != "static_assert_declaration"]
            if len(statements) == 1 and statements[0].type == "return_statement" and statements[0].kids \
                    and len(function.params) >= len(arguments) and context.depth < _DEEPEST // 4:
                types = self.types.deduced(function, [], arguments, context)
                inner = Context(function, node, context, types, inlined=True)
                return f"({self.text(statements[0].kids[0], inner)})"
        raise UnknownError(_short(node))

    def _count_of(self, receiver: Node, context: Context) -> str:
        """Elements of a vector: what its constructor or ``resize`` was given."""
        size = vector_size(self.host, receiver)
        if size is None:
            raise UnknownError(f"the size of {receiver.text}")
        return self.atom(size, self.host.context_at(size, context))


def vector_size(host: HostCode, receiver: Node) -> Node | None:
    """The expression that gives a vector or array object its number of elements."""
    receiver = bare(receiver)
    if receiver.type != "identifier":
        return None
    declared = host.declaration(receiver.text, receiver)
    if declared is None:
        return None
    init = declared.init
    if init is not None and init.type == "argument_list" and init.kids:
        first = init.kids[0]
        if call_name(first) in ("begin", "cbegin"):
            inner = first.get("function")
            source = inner.get("argument") if inner is not None else None
            return vector_size(host, source) if source is not None else None
        return first if first.type != "identifier" or not _is_object(host, first) else vector_size(host, first)
    if init is not None and init.type == "identifier":
        return vector_size(host, init)
    for call in host.calls("resize") + host.calls("assign"):
        function = call.get("function")
        target = function.get("argument") if function is not None else None
        if target is not None and target.text == receiver.text and arguments_of(call) \
                and call.text_source is receiver.text_source:
            return arguments_of(call)[0]
    return None


def _is_object(host: HostCode, node: Node) -> bool:
    declared = host.declaration(node.text, node)
    return declared is not None and "vector" in declared.type


def _short(node: Node) -> str:
    text = " ".join(node.text.split())
    return text if len(text) <= 40 else text[:37] + "..."
