"""Follows host variables: what gives them their value, and how a declaration declares them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mutate.frontend.tree import Node
from mutate.launch.types import DIM3, Scalar, Struct
from mutate.propose.draft import Draft
from mutate.propose.expressions import Expressions
from mutate.propose.hostcode import Context, Declared, HostCode, UnknownError, arguments_of, bare, call_name, plain_type
from mutate.propose.types import Types
from mutate.propose.writes import (
    COMMAND_LINE,
    PADDED,
    Write,
    decided_by_branches,
    padded_width,
    set_by_call,
    writes_before,
)

# Names of standard headers that turn up in sizes and arguments.
_STANDARD = {
    "INT_MAX": "2147483647", "UINT_MAX": "4294967295u", "FLT_MAX": "3.402823466e+38f", "FLT_MIN": "1.175494351e-38f",
    "DBL_MAX": "1.7976931348623157e+308", "FLT_EPSILON": "1.192092896e-07f", "M_PI": "3.14159265358979323846",
    "CHAR_BIT": "8", "RAND_MAX": "2147483647", "INFINITY": "3.402823466e+38f", "true": "true", "false": "false",
    "NULL": "0", "nullptr": "0",
}
# Properties of the GPU that host code asks for. Multiprocessors: NVIDIA H100 SXM and H200.
_OF_THE_GPU = {"multiProcessorCount": 132, "warpSize": 32, "maxThreadsPerBlock": 1024,
               "maxThreadsPerMultiProcessor": 2048, "sharedMemPerBlock": 49152, "regsPerBlock": 65536,
               "clockRate": 1_980_000}
_THREADS = re.compile(r"thread|blk|block_?(?:size|dim)|tpb|bdim|ntid|^block$", re.IGNORECASE)
_BLOCKS = re.compile(r"n?um_?blocks?|^n?blocks|grid", re.IGNORECASE)
PRODUCT = "a loop multiplies it up"
NOT_FOUND = "not found in the host code"


def guessed_integer(name: str) -> int:
    """What an integer is taken for that the host code does not say, by its name."""
    if _THREADS.search(name):
        return 256
    return 64 if _BLOCKS.search(name) else 1024


class Values(Expressions):
    """Follows values through the host code for one draft."""

    def __init__(self, host: HostCode, draft: Draft, types: Types) -> None:
        super().__init__(host, draft, types)
        self._names: dict[object, str] = {}
        self._active: set[object] = set()
        self._decided: dict[object, Node] = {}

    def decide(self, nodes: Sequence[Node], context: Context) -> None:
        """Takes what the branches around a launch, and around the calls that lead to it, say about variables."""
        for at in (*nodes, *(c.call for c in context.chain() if c.call is not None)):
            for name, value in decided_by_branches(at):
                declared = self.host.declaration(name.text, name)
                if declared is not None:
                    self._decided.setdefault((id(declared.node), declared.name), value)

    # --- names ---

    def name(self, node: Node, context: Context) -> str:
        """The declaration's name for a host variable, declared in the draft if it is not yet."""
        written = node.text
        declared = self.host.declaration(written, node)
        if declared is None:
            if written in _STANDARD:
                return _STANDARD[written]
            if written in self.host.enumerators:
                counted = self.host.enumerators[written]
                return str(counted) if isinstance(counted, int) else self.atom(
                    counted, self.host.context_at(counted, context))
            if written in context.types:
                return context.types[written]
            return self._elsewhere(written, node, context)
        if declared.kind == "parameter" and context.inlined:
            argument = self.host.argument(context, declared.index) or declared.init
            if argument is None or context.caller is None:
                raise UnknownError(f"the parameter {written}")
            return self.atom(argument, context.caller)
        key = (id(declared.node), written, id(context.call) if declared.kind == "parameter" else 0)
        if key not in self._names:
            if key in self._active:
                raise UnknownError(f"{written}, which depends on itself")
            self._active.add(key)
            try:
                self._names[key] = self._declare(declared, node, context)
            finally:
                self._active.discard(key)
        return self._names[key]

    def bind(self, declared: Declared, context: Context, name: str) -> None:
        """Lets a host variable be known as something that the draft has already."""
        self._names[id(declared.node), declared.name, id(context.call) if declared.kind == "parameter" else 0] = name

    def known(self, declared: Declared, context: Context) -> str | None:
        """The draft's name of a host variable that it has already."""
        return self._names.get((id(declared.node), declared.name,
                                id(context.call) if declared.kind == "parameter" else 0))

    def is_changed(self, declared: Declared, at: Node) -> bool:
        """Whether anything but its initialiser decides a variable's value at a place."""
        writes = writes_before(self.host, declared, at, lambda _: None)
        return len(writes) != 1 or writes[0].value is not declared.init

    def _declare(self, declared: Declared, node: Node, context: Context) -> str:
        if declared.pointers or declared.dims:
            raise UnknownError(f"{declared.name}, which is no number")
        if declared.kind == "parameter":
            argument = self.host.argument(context, declared.index)
            if argument is not None and context.caller is not None and bare(argument).type == "identifier" \
                    and (id(declared.node), declared.name) not in self._decided \
                    and not writes_before(self.host, declared, node, lambda _: None):
                return self.name(bare(argument), context.caller)
        spelled = self.type_of(declared, context)
        if spelled is None:
            raise UnknownError(f"{declared.name} of type {declared.type}")
        name = self.draft.unused_name(declared.name)
        try:
            if self.emit(name, spelled, declared, node, context):
                return name
            why = f"{NOT_FOUND} in a form that can be evaluated"
        except UnknownError as unknown:
            why = f"{NOT_FOUND} ({unknown})" if str(unknown) else NOT_FOUND
        if spelled == "dim3":
            raise UnknownError(declared.name)
        # The number of elements of a tensor, most likely.
        return self._guess(name, spelled, "1024 * 1024" if PRODUCT in why else "", why)

    def type_of(self, declared: Declared, context: Context) -> str | None:
        """The type of a variable as the declaration spells it; ``auto`` by its initialiser."""
        if plain_type(declared.type) != "auto":
            return self.types.spelled(declared.type, context.types)
        if declared.init is None:
            return None
        found = self.types.of(declared.init, context)
        if found is not None and not found[1] and (made := self.types.spelled(found[0], context.types)) is not None:
            return made
        try:
            value = self.draft.value(self.text(declared.init, context))
        except UnknownError:
            return None
        return value.type.name if value is not None and isinstance(value.type, Scalar) else None

    def emit(self, name: str, spelled: str, declared: Declared, node: Node, context: Context) -> bool:
        """Adds the lines that give a variable its value at a place; false when they cannot be evaluated."""
        decided = self._decided.get((id(declared.node), declared.name))
        if decided is not None:
            return self.draft.add(f"{spelled} {name} = {self.text(decided, context)};", name,
                                  "as the branch of this launch has it")
        writes = writes_before(self.host, declared, node, lambda c: self.truth(c, context))
        if declared.kind == "local" and (by := set_by_call(self.host, declared, node,
                                                           writes[-1].node if writes else declared.node)):
            width = padded_width(by, declared)
            if width is None:
                raise UnknownError(f"{call_name(by)}() sets it")
            return self.draft.add(f"{spelled} {name} = ({self.atom(width, context)} + 511) / 512 * 512;", name, PADDED)
        if declared.kind == "parameter" and not any(w.op == "=" and not w.member for w in writes):
            argument = self.host.argument(context, declared.index)
            if argument is None and declared.init is None:
                raise UnknownError("")
            outer = context.caller if argument is not None and context.caller is not None else context
            first = self.initial(spelled, argument or declared.init, outer)
            lines = [(f"{spelled} {name} = {first};", "")]
        elif not writes:
            raise UnknownError("")
        else:
            first_write, writes = writes[0], writes[1:]
            if first_write.op != "=" or (first_write.lost and self._is_repeated(first_write, declared)):
                raise UnknownError("a loop computes it")
            if first_write.member:
                writes = [first_write, *writes]
                lines = [(f"{spelled} {name};", "")]
            else:
                assert first_write.value is not None
                note = first_write.note or self._note(first_write.value)
                lines = [(f"{spelled} {name} = {self.initial(spelled, first_write.value, context)};", note)]
        for write in writes:
            if write.lost:
                raise UnknownError(PRODUCT if write.op == "*=" else "a loop computes it")
            lines.append((self._assignment(name, declared, write, context), write.note))
        added = len(self.draft.lines)
        for text, note in lines:
            if not self.draft.add(text, name, note):
                del self.draft.lines[added:]
                return False
        return True

    @staticmethod
    def _is_repeated(write: Write, declared: Declared) -> bool:
        return write.value is not None and any(n.type == "identifier" and n.text == declared.name
                                               for n in write.value.walk())

    def _note(self, value: Node) -> str:
        return "the default where the command line gives none" if COMMAND_LINE.search(value.text) else ""

    def _assignment(self, name: str, declared: Declared, write: Write, context: Context) -> str:
        target = f"{name}.{write.member}" if write.member else name
        if write.value is None:
            return f"{target}{write.op};"
        # The variable's own value is the one that the lines before gave it.
        saved = dict(self._names)
        self.bind(declared, context, name)
        try:
            text = self.text(write.value, context)
            return f"{target} {write.op} {text[1:-1] if _closes_at_end(text) else text};"
        finally:
            self._names = {**saved, **{k: v for k, v in self._names.items() if v != name}}

    def initial(self, spelled: str, value: Node | None, context: Context) -> str:
        """An initialiser: ``= x``, ``(a, b)`` or ``{a, b}`` of C++."""
        if value is None:
            raise UnknownError("")
        if value.type in ("argument_list", "initializer_list"):
            items = [self.text(k, context) for k in value.kids]
            if len(items) == 1 and spelled != "dim3":
                return items[0]
            return "{ " + ", ".join(items) + " }"
        inner = bare(value)
        if spelled == "dim3" and inner.type == "call_expression" and call_name(inner) == "dim3":
            return "{ " + ", ".join(self.text(a, context) for a in arguments_of(inner)) + " }"
        if spelled == "dim3" and inner.type == "compound_literal_expression" and (v := inner.get("value")) is not None:
            return "{ " + ", ".join(self.text(k, context) for k in v.kids) + " }"
        text = self.text(value, context)
        if spelled == "dim3" and not self._is_dim3(text):
            return "{ " + text + " }"
        return text[1:-1] if _closes_at_end(text) else text

    def _is_dim3(self, text: str) -> bool:
        value = self.draft.value(text)
        return value is not None and value.type == DIM3

    def truth(self, condition: Node, context: Context) -> bool | None:
        """Whether a condition holds, where that is known without a guess."""
        value = self.number(condition, context)
        return None if value is None else bool(value)

    def member(self, name: str, node: Node, context: Context) -> str:
        """A property of the GPU, or what any assignment of the file gives to a member of this name."""
        if name in _OF_THE_GPU:
            return self._guess(name, "int", str(_OF_THE_GPU[name]), "a property of the GPU")
        return self._elsewhere(name, node, context)

    def _elsewhere(self, name: str, node: Node, context: Context) -> str:
        """A member, or a name that is not declared here: what any assignment of the file gives to it."""
        key = ("member", name)
        if key in self._names:
            return self._names[key]
        if key in self._active:
            raise UnknownError(f"{name}, which depends on itself")
        self._active.add(key)
        try:
            for value in self._given(name):
                outer = self.host.context_at(value, context)
                found = self.types.of(value, outer)
                spelled = self.types.spelled(found[0], outer.types) if found is not None and not found[1] else "int"
                if spelled is None or COMMAND_LINE.search(value.text):
                    continue
                try:
                    text = self.initial(spelled, value, outer)
                except UnknownError:
                    continue
                made = text if text in self.draft.names else self.draft.unused_name(name)
                if made == text or self.draft.add(f"{spelled} {made} = {text};", made):
                    self._names[key] = made
                    return made
            self._names[key] = self._guess(self.draft.unused_name(name), "int", "", NOT_FOUND)
            return self._names[key]
        finally:
            self._active.discard(key)

    def of_struct(self, declared: Declared, kind: Struct, member: str, value: Node, context: Context) -> str:
        """The member of a structure that is given a value, as a variable of the declaration."""
        key = ("member", id(declared.node), declared.name, member)
        if key not in self._names:
            text, field = self.text(value, context), kind.field(member)
            if text not in self.draft.names and field is not None and isinstance(field.type, Scalar):
                name = self.draft.unused_name(member)
                text = name if self.draft.add(f"{field.type.name} {name} = {text};", name) else f"({text})"
            self._names[key] = text
        return self._names[key]

    def is_assigned(self, name: str) -> bool:
        """Whether any assignment of the file gives a value to a member of this name."""
        return any(True for _ in self._given(name))

    def _given(self, name: str) -> Iterator[Node]:
        for node in self.host.nodes("assignment_expression"):
            left, right, op = node.get("left"), node.get("right"), node.get("operator")
            if left is None or right is None or op is None or op.text != "=":
                continue
            last = left.get("field") if left.type == "field_expression" else left
            if last is not None and last.type in ("identifier", "field_identifier") and last.text == name:
                yield right
        for node in self.host.nodes("field_initializer"):
            if len(node.kids) == 2 and node.kids[0].text == name and len(node.kids[1].kids) == 1:
                yield node.kids[1].kids[0]

    def _guess(self, name: str, spelled: str, value: str, why: str) -> str:
        """Declares a variable with a guess and gives its name."""
        key = ("gpu", name)
        if name in _OF_THE_GPU and key in self._names:
            return self._names[key]
        kind = self.draft.kind(spelled)
        if not isinstance(kind, Scalar):
            raise UnknownError(f"{name} of type {spelled}")
        assumed = value or (str(guessed_integer(name)) if kind.is_integer and kind.size > 1 else "1")
        made = self.draft.unused_name(name)
        self.draft.guess(f"{spelled} {made} = {assumed};", made, assumed, why)
        if name in _OF_THE_GPU:
            self._names[key] = made
        return made

    def argument(self, wanted: str, spelled: str, node: Node | None, context: Context) -> str:
        """A kernel's scalar argument: its C, or a variable of the parameter's name with a guess."""
        why = NOT_FOUND
        if node is not None:
            try:
                text = self.text(node, context)
                if self.draft.value(text) is not None:
                    return text
            except UnknownError as unknown:
                why = f"{NOT_FOUND} ({unknown})" if str(unknown) else NOT_FOUND
        return self._guess(self.draft.unused_name(wanted or "argument"), spelled, "", why)


def _closes_at_end(text: str) -> bool:
    """Whether a parenthesis at the start is closed by the one at the end."""
    if not text.startswith("("):
        return False
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return index == len(text) - 1
    return False
