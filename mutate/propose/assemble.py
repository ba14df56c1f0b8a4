"""Puts one declaration together: grid, block, shared memory, symbols, arguments, the call."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mutate.frontend.tree import Node
from mutate.launch.check import Parameter, parameter
from mutate.launch.model import has_pointer
from mutate.launch.types import Field, Rank, Scalar, Struct, uniform_lanes
from mutate.launch.types import Pointer as PointerType
from mutate.propose.draft import Draft
from mutate.propose.hostcode import Context, Declared, HostCode, UnknownError, arguments_of, bare
from mutate.propose.members import given, variable
from mutate.propose.memory import Block, Memory, Pointer
from mutate.propose.model import Guess, Line
from mutate.propose.sites import HostLaunch, template_arguments
from mutate.propose.sizes import Sizes
from mutate.propose.symbols import Symbols
from mutate.propose.textures import guessed_object, is_object
from mutate.propose.types import Types
from mutate.propose.use import Use
from mutate.propose.values import NOT_FOUND, Values

# What may be guessed although the host code gives it.
PARTS = frozenset({"grid", "block", "smem", "scalars", "arrays"})
# Elements of an array whose size is not found: as many as an image of 1024 by 1024 has.
GUESSED_ELEMENTS = 1 << 20
# Entries of a row of a matrix whose row starts are made up.
_ROW = 8


class Assembly:
    """One launch as one call of its function reaches it.

    ``forced`` are the parts for which the host code is not followed, because what it gives fits no launch: of
    ``PARTS``.
    """

    def __init__(self, host: HostCode, memory: Memory, draft: Draft, launch: HostLaunch, context: Context,
                 used: tuple[Mapping[str, Use], frozenset[str]], forced: frozenset[str]) -> None:
        self.host = host
        self.memory = memory
        self.draft = draft
        self.launch = launch
        self.kernel = launch.kernel
        self.context = context
        self.use, self.mentions = used
        self.forced = forced
        self.types = Types(host, draft)
        self.values = Values(host, draft, self.types)
        self.sizes = Sizes(host, draft, self.types, self.values)
        self._notes: list[str] = []
        """What is guessed in the call itself."""
        self._arrays: dict[object, tuple[str, str]] = {}
        """Key of a block of memory -> (name in the declaration, its number of elements)."""

    def run(self) -> str | None:
        """Fills the draft; gives the template arguments of the instance, ``None`` for no template."""
        if self.context.function is not None and self.context.function.template_params:
            self.context.types.update(self._types_of_caller())
        self._guess_types()
        bound = self._bound()
        if "arrays" not in self.forced:
            self.values.decide([n for n in (self.launch.node, self.launch.chosen) if n is not None], self.context)
            self.values.row = self.launch.row
        self._extent("grid", self.launch.grid, "{ 64 }")
        self._extent("block", self.launch.block, "{ 256 }")
        self._smem()
        Symbols(self.host, self.draft, self.values, self.types, self.context).declare(self.mentions,
                                                                                                "arrays" not in
                                                                                                self.forced)
        params = [parameter(p.type_text, p.name) for p in self.kernel.params]
        args: dict[int, str] = {}
        # Row starts and indices come last: they are bounded by the sizes of the other arrays.
        for i in sorted(range(len(params)), key=lambda i: self._rank(params[i]) if params[i].pointers else -1):
            node = self._argument_node(i)
            args[i] = self._pointer(params[i], node, bound) if params[i].pointers else self._scalar(params[i], node,
                                                                                                   bound)
        instance = self._instance(bound)
        name = self.kernel.qualified + (f"<{instance}>" if instance is not None else "")
        call = f"{name}({', '.join(args[i] for i in range(len(params)))});"
        self.draft.lines.append(Line(call, "; ".join(dict.fromkeys(self._notes)) + ": set it" * bool(self._notes),
                                     bool(self._notes)))
        return instance

    def _note(self, guess: Guess) -> None:
        self.draft.guesses.append(guess)
        self._notes.append(f"{guess.name} = {guess.assumed}, {guess.why}")

    def _rank(self, param: Parameter) -> int:
        use = self.use.get(param.name, Use())
        return 2 if use.indexes and not use.starts else 1 if use.starts else 0

    def _argument_node(self, index: int) -> Node | None:
        if self.launch.grid is None:
            return None
        if index < len(self.launch.args):
            return self.launch.args[index]
        param = self.kernel.params[index].node
        return param.get("default_value")

    # --- the instance ---

    def _types_of_caller(self) -> dict[str, str]:
        """Template parameters of the function around the launch, by its call or its explicit instantiation."""
        function, call = self.context.function, self.context.call
        assert function is not None
        found: dict[str, str] = {}
        if call is not None and self.context.caller is not None:
            outer = self.context.caller
            explicit = [outer.types.get(t, t) for t in template_arguments(call)]
            found = self.types.deduced(function, explicit, arguments_of(call), outer)
            # A parameter of the caller's own that nobody instantiates says nothing.
            unknown = () if outer.function is None else outer.function.template_params
            found = {name: t for name, t in found.items() if t not in unknown or t in outer.types}
        if any(name not in found for name in function.template_params):
            text = self.host.unit.main.expansion.text.decode(errors="replace")
            match = re.search(rf"\btemplate\s+[\w:]+\s+{re.escape(function.name)}\s*<([^;(]*)>\s*\(", text)
            if match is not None:
                given = zip(function.template_params, (t.strip() for t in match[1].split(",")), strict=False)
                found = dict(given) | found
        return found

    def _guess_types(self) -> None:
        """Takes template types of the function or class around the launch that nobody instantiates as ``float``."""
        for up in self.launch.node.ancestors() if self.launch.grid is not None else ():
            plist = up.get("parameters") if up.type == "template_declaration" else None
            for param in plist.kids if plist is not None else ():
                if not param.type.endswith("type_parameter_declaration"):
                    continue
                name = param.kids[-1].text if param.kids else ""
                if re.fullmatch(r"[A-Za-z_]\w*", name) and name not in self.context.types:
                    self.context.types[name] = "float"
                    self._note(Guess(f"type {name}", "float", NOT_FOUND))

    def _bound(self) -> dict[str, str]:
        """What the kernel's template parameters stand for, as text."""
        explicit = []
        for node in self.launch.explicit:
            text = " ".join(node.text.split())
            explicit.append(self.context.types.get(text, text))
        return self.types.deduced(self.kernel, explicit, list(self.launch.args), self.context)

    def _instance(self, bound: Mapping[str, str]) -> str | None:
        params = self.kernel.template_params
        if not params:
            return None
        out = []
        for index, name in enumerate(params):
            node = self.launch.explicit[index] if index < len(self.launch.explicit) else None
            if name in bound:
                out.append(self._template_argument(bound[name], node))
            elif len(params) - index <= self.kernel.template_defaults:
                break
            else:
                is_type = self._is_type_parameter(index)
                guessed = "float" if is_type else "256"
                self._note(Guess(f"template argument {name}", guessed, NOT_FOUND))
                out.append(guessed)
        return ", ".join(out)

    def _template_argument(self, text: str, node: Node | None) -> str:
        spelled = self.types.spelled(text, self.context.types) if re.fullmatch(r"[\w:\s]+", text) else None
        if node is None or (node.type == "type_descriptor" and spelled is not None):
            return text
        value = self.values.number(bare(node), self.context) if node.type != "type_descriptor" else None
        if value is None and node.type == "type_descriptor" and node.kids and re.fullmatch(r"[A-Za-z_]\w*", text):
            # A constant alone is read as a type.
            declared = self.host.declaration(text, node)
            if declared is not None and declared.init is not None:
                value = self.values.number(declared.init, self.host.context_at(declared.node, self.context))
            if value is None:
                counted = self.host.enumerators.get(text)
                value = counted if isinstance(counted, int) else None
        if value is not None and text not in ("true", "false"):
            return str(value)
        return text

    def _is_type_parameter(self, index: int) -> bool:
        template = next((a for a in self.kernel.node.ancestors() if a.type == "template_declaration"), None)
        plist = template.get("parameters") if template is not None else None
        return plist is None or index >= len(plist.kids) \
            or plist.kids[index].type.endswith("type_parameter_declaration")

    # --- the extent ---

    def _extent(self, name: str, node: Node | None, guessed: str) -> None:
        why = NOT_FOUND
        if name not in self.forced and node is not None:
            node = self.launch.row.get(node.text, node)
            inner = bare(node)
            declared = self.host.declaration(inner.text, inner) if inner.type == "identifier" else None
            try:
                spelled = self.values.type_of(declared, self.context) if declared is not None else None
                if declared is not None and spelled == "dim3" and declared.kind != "parameter" \
                        and not declared.dims and not declared.pointers:
                    known = self.values.known(declared, self.context)
                    done = self.draft.add(f"dim3 {name} = {known};", name) if known is not None else \
                        self.values.emit(name, "dim3", declared, inner, self.context)
                    if done:
                        if known is None:
                            self.values.bind(declared, self.context, name)
                        return
                elif self.draft.add(f"dim3 {name} = {self.values.initial('dim3', node, self.context)};", name):
                    return
            except UnknownError as unknown:
                why = f"{NOT_FOUND} ({unknown})" if str(unknown) else NOT_FOUND
        elif node is not None:
            why = "what the host code gives does not fit a launch"
        self.draft.guess(f"dim3 {name} = {guessed};", name, guessed, why)

    def _smem(self) -> None:
        node = self.launch.smem
        if node is not None:
            node = self.launch.row.get(node.text, node)
        elif self.launch.grid is None and re.search(r"\bextern\s+__shared__", self.kernel.body.text):
            self.draft.guess("int smem = 16 * 1024;", "smem", "16384", NOT_FOUND)
            return
        if node is None or node.text == "0":
            return
        if "smem" not in self.forced:
            try:
                inner = bare(node)
                declared = self.host.declaration(inner.text, inner) if inner.type == "identifier" else None
                if declared is not None and declared.name == "smem" and declared.kind != "parameter" \
                        and (spelled := self.values.type_of(declared, self.context)) is not None \
                        and self.values.known(declared, self.context) is None \
                        and self.values.emit("smem", spelled, declared, inner, self.context):
                    self.values.bind(declared, self.context, "smem")
                    return
                text = self.values.initial("int", node, self.context)
                if self.draft.add(f"int smem = {text};", "smem"):
                    return
            except UnknownError:
                pass
        self.draft.guess("int smem = 16 * 1024;", "smem", "16384", NOT_FOUND)

    # --- arguments ---

    def _scalar(self, param: Parameter, node: Node | None, bound: dict[str, str]) -> str:
        if is_object(param.base_text) and (made := self._object(param)):
            return made
        spelled = self.types.spelled(param.base_text, bound)
        if spelled is None:
            self._note(Guess(param.name or "argument", "0",
                                            f"a declaration has no type {param.base_text}"))
            return "0"
        kind = self.draft.kind(spelled)
        if not isinstance(kind, Scalar):
            return self._struct(param, spelled, node)
        text = self.values.argument(param.name, spelled, node if "scalars" not in self.forced or
                                    _is_literal(node) else None, self.context)
        value = self.draft.value(text) if param.base is None else None
        # A type that only the file knows: the call converts to it, nobody else does.
        return f"({spelled})({text})" if value is not None and value.type != kind else text

    def _object(self, param: Parameter) -> str:
        """A texture or surface object over an array of its own; "" where a declaration cannot make one."""
        kind = param.base_text.split("::")[-1]
        maker, sizes, texel, count = guessed_object(self.kernel, param.name, "Surface" in kind)
        spelled = self.types.spelled(texel, {}) or "float"
        name = self.draft.unused_name(param.name or "object")
        texels = self.draft.unused_name(f"{name}_texels")
        for elem in dict.fromkeys((spelled, "float")):
            lanes = uniform_lanes(found) if (found := self.draft.kind(elem)) is not None else None
            init = "randint(0, 100)" if lanes is not None and lanes[0].is_integer else "uniform(0, 1)"
            array = f"{elem} {texels}[{_short_power(count)}] = {init};"
            line = f"{kind} {name} = {maker}({texels}, {sizes});"
            if self.draft.evaluates(f"{array}\n{line}"):
                self.draft.guess(array, texels, f"{_short_power(count)} elements", f"its texels are {NOT_FOUND}")
                self.draft.guess(line, name, f"{maker}(..., {sizes})", f"its shape is {NOT_FOUND}")
                return name
        return ""

    def _struct(self, param: Parameter, spelled: str, node: Node | None) -> str:
        filled, empty = self._members(param, spelled, node)
        if node is not None and "scalars" not in self.forced and not filled:
            try:
                text = self.values.text(node, self.context)
                value = self.draft.value(text)
                if value is not None and not isinstance(value.type, Scalar):
                    return text
            except UnknownError:
                pass
        name = self.draft.unused_name(param.name or "argument")
        if filled and self.draft.evaluates(line := f"{spelled} {name} = {{ {', '.join(filled)} }};"):
            if empty:
                self.draft.guess(line, name, "0 for some members", f"{', '.join(empty)}: {NOT_FOUND}")
            else:
                self.draft.add(line, name)
            return name
        self.draft.guess(f"{spelled} {name} = {{ 0 }};", name, "{ 0 }", f"its members are {NOT_FOUND}")
        return name

    def _members(self, param: Parameter, spelled: str, node: Node | None) -> tuple[list[str], list[str]]:
        """Initialisers of the members of a structure with pointers, with arrays for these; and which are not found."""
        kind = self.draft.kind(spelled)
        found = variable(self.host, node, self.context) if node is not None and "scalars" not in self.forced else None
        if found is None or not isinstance(kind, Struct) or not has_pointer(kind):
            return [], []
        declared, at, context = found
        values = given(self.host, declared, at, kind)
        filled, empty = [], []
        for field in kind.fields:
            try:
                text = self._member(param, kind, field, declared, values.get(field.name), context)
            except UnknownError:
                text = ""
            if text:
                filled.append(f".{field.name} = {text}")
            else:
                empty.append(field.name)
        return filled, empty

    def _member(self, param: Parameter, kind: Struct, field: Field, declared: Declared, value: Node | None,
                context: Context) -> str:
        """The value of one member; "" where it is not found. Raises ``UnknownError``."""
        if not isinstance(field.type, PointerType):
            text = self.values.of_struct(declared, kind, field.name, value, context) if value is not None else \
                self.values.member(field.name, declared.node, context) if self.values.is_assigned(field.name) else ""
            return text if text and self.draft.value(text) is not None else ""
        block = self.memory.of_member(declared, field.name, context)
        if value is not None and (pointer := self.memory.pointer(value, context)).offset is None:
            if pointer.null:
                return "0"
            block = pointer.block
        elem = field.type.to.name if field.type.to is not None else "unsigned char"
        if block is None or self.draft.kind(elem) is None:
            return ""
        member = Parameter(f"{param.name}.{field.name}", f"{elem} *", 1, False, None, elem)
        return self._known_array(member, block, elem, "")[0]

    def _pointer(self, param: Parameter, node: Node | None, bound: dict[str, str]) -> str:
        if param.pointers > 1:
            self._note(Guess(param.name or "argument", "0",
                                            "arrays of pointers cannot be declared; the kernel gets a null pointer"))
            return "0"
        why = NOT_FOUND
        found: Pointer | None = None
        if node is not None:
            try:
                found = self.memory.pointer(node, self.context)
            except UnknownError as unknown:
                why = f"the size is {NOT_FOUND} ({unknown})"
        if found is not None and found.null:
            return "0"
        elem, elem_why = self._element(param, node, bound)
        if found is None or found.block is None:
            name, _ = self._array(param, param.name or "data", elem, None, why, elem_why)
            return name
        name, _ = self._known_array(param, found.block, elem, elem_why)
        if found.offset is not None and found.context is not None:
            try:
                offset = self.values.atom(found.offset, found.context)
                if self.draft.value(offset) is not None:
                    return f"{name} + {offset}"
            except UnknownError:
                pass
            self._note(Guess(name, "its beginning", f"the offset into it is {NOT_FOUND}"))
        return name

    def _element(self, param: Parameter, node: Node | None, bound: dict[str, str]) -> tuple[str, str]:
        """The element type of an array, and why it is a guess if it is one."""
        text = param.base_text
        if text == "void" and node is not None:
            found = self.types.of(node, self.context) or self.types.of(bare(node), self.context)
            if found is not None and found[0] != "void" and (
                    made := self.types.spelled(found[0], self.context.types)) is not None:
                return made, ""
            return "unsigned char", "the type of its elements is not known"
        spelled = self.types.spelled(text, bound)
        if spelled is not None and spelled != "void":
            kind = self.draft.kind(spelled)
            if kind is None or not has_pointer(kind):
                return spelled, ""
        inner = self.types.of(bare(node), self.context) if node is not None else None
        if inner is not None and (made := self.types.spelled(inner[0], self.context.types)) is not None \
                and made != "void" and text in self.kernel.template_params:
            return made, ""
        if text in self.kernel.template_params and text not in bound:
            return "float", f"the type {text} is {NOT_FOUND}"
        return "unsigned char", f"a declaration has no type {text}; these are bytes"

    def _known_array(self, param: Parameter, block: Block, elem: str, elem_why: str) -> tuple[str, str]:
        if block.key in self._arrays:
            self._known_name(param, *self._arrays[block.key])
            return self._arrays[block.key]
        try:
            count = self.sizes.count(block, elem)
            if "arrays" in self.forced:
                raise UnknownError("what it gives fits no launch")
            why = ""
        except UnknownError as unknown:
            count, why = "", f"the size is {NOT_FOUND}" + (f" ({unknown})" if str(unknown) else "")
        made = self._array(param, block.name, elem, count or None, why, elem_why)
        self._arrays[block.key] = made
        return made

    def _array(self, param: Parameter, wanted: str, elem: str, count: str | None, why: str, elem_why: str
               ) -> tuple[str, str]:
        """Declares an array; gives its name and its number of elements."""
        name = self.draft.unused_name(wanted)
        use = self.use.get(param.name, Use())
        assumed = count or _short_power(GUESSED_ELEMENTS)
        init, note = self._initialiser(param, use, elem, assumed)
        reason = "; ".join(r for r in ((why or f"the size is {NOT_FOUND}") if count is None else "", elem_why) if r)
        text = f"{elem} {name}[{assumed}] = {init};"
        if count is not None and not reason:
            if not self.draft.add(text, name, note):
                if self.draft.add(f"{elem} {name}[{assumed}] = zeros();", name, "its values are not known: zeros"):
                    return name, assumed
                reason, assumed = f"the size is {NOT_FOUND}", _short_power(GUESSED_ELEMENTS)
                text = f"{elem} {name}[{assumed}] = zeros();"
            else:
                self._known_name(param, name, assumed)
                return name, assumed
        if not self.draft.evaluates(text):
            text = f"{elem} {name}[{assumed}] = zeros();"
        if not self.draft.evaluates(text):
            assumed = _short_power(GUESSED_ELEMENTS)
            text = f"unsigned char {name}[{assumed}] = zeros();"
        self.draft.guess(text, name, f"{assumed} elements" if count is None else f"elements of {elem}", reason)
        self._known_name(param, name, assumed)
        return name, assumed

    def _known_name(self, param: Parameter, name: str, count: str) -> None:
        self._arrays[("parameter", param.name)] = (name, count)

    def _initialiser(self, param: Parameter, use: Use, elem: str, count: str) -> tuple[str, str]:
        """How an array is filled, and what to know about that."""
        kind = self.draft.kind(elem)
        lanes = uniform_lanes(kind) if kind is not None else None
        if not use.reads:
            return "zeros()", ""
        if lanes is None:
            return "zeros()", "elements of several types: zeros"
        scalar = lanes[0]
        if not scalar.is_integer:
            return "uniform(0, 1)", ""
        if scalar.rank is Rank.BOOL:
            return "randint(0, 2)", ""
        if use.starts and lanes[1] == 1 and scalar.size >= 4:
            total = self.draft.integer(count)
            if total is not None and total > 1:
                return self._row_starts(use, count)
        if use.indexes:
            counts = [self._arrays[("parameter", t)][1] for t in use.indexes if ("parameter", t) in self._arrays]
            if counts:
                known = [c for c in counts if self.draft.integer(c)]
                bound = min(known, key=lambda c: self.draft.integer(c) or 0, default="")
                if bound and (self.draft.integer(bound) or 0) <= scalar.range[1]:
                    return f"randint(0, {bound})", f"the range is a guess: indices into {', '.join(use.indexes)}"
        high = min(100, scalar.range[1])
        return f"randint(0, {high})", "the range is a guess"

    def _row_starts(self, use: Use, count: str) -> tuple[str, str]:
        """Starts of rows of a CSR matrix, so long that the last ends within the arrays that they index."""
        rows = self.draft.integer(count) or 2
        counts = [self.draft.integer(self._arrays["parameter", t][1]) for t in use.indexes
                  if ("parameter", t) in self._arrays]
        entries = min((c for c in counts if c), default=rows * _ROW)
        length = max(1, entries // max(1, rows - 1))
        text = count.removesuffix("+ 1").strip() if count.endswith("+ 1") else f"{count} - 1"
        return f"csr_rowptr({text}, {length}, {length})", "row starts with rows of equal length: a guess"


def _is_literal(node: Node | None) -> bool:
    return node is not None and bare(node).type in ("number_literal", "true", "false", "unary_expression") \
        and not any(n.type == "identifier" for n in node.walk())


def _short_power(number: int) -> str:
    return "1024 * 1024" if number == 1 << 20 else str(number)
