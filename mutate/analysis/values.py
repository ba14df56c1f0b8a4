"""What an expression is: its type, the memory it names, the memory it points to.

Flow-insensitive: a pointer variable points to everything that is ever assigned to it. That errs on the
side of keeping code, never on the side of dropping an access.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutate.analysis.atomic_objects import makes_reference, referred
from mutate.analysis.called import may_keep, may_point, member_called, object_of, result, returned_type
from mutate.analysis.calls import arguments, callee_name, template_argument_type
from mutate.analysis.intrinsics import BUILTINS
from mutate.analysis.made import Parts, Sources, initialisers, kept_in, part_of
from mutate.analysis.objects import ObjectState, hands_out_shared, member_functions, shared_makers
from mutate.analysis.symbols import (
    UNKNOWN_TYPE,
    Scopes,
    Space,
    Type,
    Var,
    declared_type,
    pointer_to,
    resolve_named,
    type_name,
    type_of_descriptor,
)
from mutate.analysis.value import FLOATS, NONE, VECTOR_LIKE, Value, hides_no_pointer, is_number
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, Unit, declarator_name

BUILTIN_VARIABLES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
NAMED_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"})
_NO_ADDRESS = frozenset({"float", "double", "bool", "char", "short", "half"})


class Values:
    """Evaluates expressions of one function under given spaces of its pointer parameters."""

    def __init__(self, unit: Unit, function: Function, scopes: Scopes,
                 param_targets: Sequence[tuple[frozenset[Space], frozenset[Var]]] | None = None,
                 state: ObjectState | None = None, parts: Sequence[Parts | None] = ()) -> None:
        self.unit = unit
        self.function = function
        self.scopes = scopes
        self.methods, self.functions = unit.methods(), unit.device_functions()
        self._memo: dict[Node, Value] = {}
        self.made: dict[Var, Sources | None] = {}
        self._shared_makers = shared_makers(unit)
        for i, var in enumerate(scopes.params):
            if param_targets is not None and i < len(param_targets):
                var.spaces |= param_targets[i][0]
                var.roots |= param_targets[i][1]
            elif function.is_kernel and (var.is_ref or not hides_no_pointer(unit, var.type)):
                # What a kernel receives from the host can only point to global memory, or refer to it (if managed).
                var.spaces.add(Space.GLOBAL)
                var.roots.add(var)
            if var.type.kind == "pointer" and not var.spaces:
                var.spaces.add(Space.UNKNOWN)
        for var, of_members in zip(scopes.params, parts, strict=False):
            var.parts = None if var.is_ref else of_members
        made = {name for name, _ in initialisers(function)} if function.name == function.owner else set()
        for member, var in scopes.members.items():
            if member in made and state is None:
                continue  # points where its initialiser does
            if state is not None and var.member:
                var.home, var.home_roots = state.home
            plain = hides_no_pointer(unit, var.type.innermost() if var.type.kind == "array" else var.type)
            if var.is_ref or not plain:
                spaces, roots = state.pointers(member) if state is not None else (NONE, frozenset())
                if plain:  # a reference to numbers that nobody is known to keep in memory
                    spaces -= {Space.UNKNOWN}
                var.spaces |= spaces or (NONE if plain else {Space.UNKNOWN})
                var.roots |= roots if var.spaces else frozenset()
        self._propagate()

    def shared_made(self, functions: Sequence[Function]) -> Var | None:
        """The array that member functions hand out a part of: each returns one that it declares itself."""
        makers = {id(m): m for f in functions if hands_out_shared(f) and (m := self._shared_makers.get(f.owner))}
        return makers.popitem()[1] if len(makers) == 1 and all(hands_out_shared(f) for f in functions) else None

    # -- pointers -----------------------------------------------------------------------------------------

    def _assignments(self) -> Iterable[tuple[Var, Node, bool]]:
        """(variable, source expression, binds a reference)."""
        for var in self.scopes.vars:
            if var.init is not None:
                yield var, var.init, var.is_ref
        if self.function.name == self.function.owner:
            for initialised, given in initialisers(self.function):
                if (of := self.scopes.members.get(initialised)) is not None:
                    yield from ((of, g, of.is_ref) for g in given)
        for node in self.function.body.walk():
            if node.type == "assignment_expression":
                left, right = node.get("left"), node.get("right")
                root = self.root_variable(left) if left is not None else None
                if root is not None and right is not None:
                    yield root, right, False
            elif node.type == "call_expression" and (method := member_called(self, node)) is not None and \
                    method.receiver is not None and not method.arrow:
                # What a member function gets, it may keep in its object.
                holder = self.root_variable(method.receiver)
                if holder is not None and not is_number(holder.type) and any(
                        not f.is_const and may_keep(self, f) for f in method.functions):
                    for arg in arguments(node):
                        if self.value(arg).type.name not in FLOATS:
                            yield holder, arg, False
            elif node.type == "call_expression" and (kept := kept_in(self, node)):
                yield from kept
            elif (called := self._lambda_called(node)) is not None:
                for param, arg in zip(self.lambda_params(called), arguments(node), strict=False):
                    if param is not None:
                        yield param, arg, param.is_ref
            elif node.type == "declaration":
                for kid in node.kids:
                    if kid.type == "init_declarator" and (name := declarator_name(kid)) is not None:
                        declared = self.scopes.var_of.get(name)
                        value = kid.get("value")
                        if declared is not None and value is not None and declared.init is not value:
                            yield declared, value, declared.is_ref

    def lambda_params(self, var: Var) -> list[Var | None]:
        """Variables of the parameters of the lambda that a local variable names."""
        node = var.lambda_node
        declarator = node.get("declarator") if node is not None else None
        plist = declarator.get("parameters") if declarator is not None else None
        names = [declarator_name(p.get("declarator")) for p in (plist.kids if plist is not None else ())]
        return [self.scopes.var_of.get(n) if n is not None else None for n in names]

    def _lambda_called(self, node: Node) -> Var | None:
        function = node.get("function") if node.type == "call_expression" else None
        var = self.scopes.var_of.get(function) if function is not None else None
        return var if var is not None and var.lambda_node is not None else None

    def root_variable(self, node: Node) -> Var | None:
        """The local variable whose storage an lvalue is a part of (``s.p``, ``a[i]`` of a local array)."""
        while node.type in ("field_expression", "subscript_expression", "parenthesized_expression"):
            if (own := self.own_member(node)) is not None:
                return own
            if node.type == "field_expression" and (op := node.get("operator")) is not None and op.text == "->":
                return None
            if node.type == "subscript_expression":
                base = node.get("argument")
                if base is None or self.value(base).type.kind == "pointer" or member_called(self, node) is not None:
                    return None
            inner = node.get("argument") or (node.kids[0] if node.kids else None)
            if inner is None:
                return None
            node = inner
        return self.scopes.var_of.get(node) if node.type == "identifier" else None

    def own_member(self, node: Node) -> Var | None:
        """The member that ``this->member`` names."""
        field, of = node.get("field"), node.get("argument")
        return self.scopes.members.get(field.text) if node.type == "field_expression" and of is not None and \
            of.type == "this" and field is not None else None

    def this(self) -> Value:
        """The pointer to the object that a member function is called on."""
        members = frozenset(self.scopes.members.values())
        homes = frozenset(s for v in members for s in v.home)
        at = frozenset(r for v in members for r in v.home_roots) if homes else members
        return Value(pointer_to(Type("value", self.function.owner)), NONE, frozenset(),
                     homes or frozenset({Space.REGISTER}), at)

    def _propagate(self) -> None:
        moves = list(self._assignments())
        for _ in range(12):
            self._memo.clear()
            changed = False
            for var, source, binds in moves:
                value = self.value(source)
                if var.type == UNKNOWN_TYPE or var.type.name == "auto":
                    better = value.type if var.is_ref else value.decay().type
                    if var.part:
                        better = self.field_type(better.name, "x") if better.name in VECTOR_LIKE else UNKNOWN_TYPE
                    if better != var.type and (better.kind != "value" or better.name):
                        var.type = better
                        changed = True
                spaces, roots = (value.spaces, value.roots) if binds else (value.decay().targets,
                                                                          value.decay().target_roots)
                if binds and var.type.kind == "pointer":
                    spaces, roots = value.targets, value.target_roots
                if not spaces <= var.spaces or not roots <= var.roots:
                    var.spaces |= spaces
                    var.roots |= roots
                    changed = True
            if not changed:
                break
        self._memo.clear()

    # -- expressions --------------------------------------------------------------------------------------

    def value(self, node: Node | None) -> Value:
        if node is None:
            return Value()
        found = self._memo.get(node)
        if found is None:
            self._memo[node] = Value()  # breaks cycles
            found = self._evaluate(node)
            self._memo[node] = found
        return found

    def _of_variable(self, var: Var) -> Value:
        if var.is_ref and var.type.kind != "pointer":
            if var.is_param and not var.spaces:
                return Value(var.type, frozenset({Space.REGISTER}), frozenset({var}))
            return Value(var.type, frozenset(var.spaces or {Space.REGISTER}), frozenset(var.roots or {var}))
        storage = var.home or frozenset({var.space})
        at = var.home_roots if var.home else frozenset({var})
        if var.type.kind == "array":
            return Value(var.type, storage, at)
        return Value(var.type, storage, at, frozenset(var.spaces), frozenset(var.roots))

    def pointee_in(self, holder: Value, member: str = "") -> tuple[frozenset[Space], frozenset[Var]]:
        """Where a pointer points that is stored inside ``holder``'s memory."""
        if not holder.spaces and not holder.roots:
            return NONE, frozenset()
        if holder.spaces and holder.spaces <= {Space.REGISTER, Space.LOCAL, Space.PARAM}:
            spaces = frozenset(s for v in holder.roots for s in v.spaces)
            # A structure that the host fills points to something else by each of its members.
            roots = frozenset(r.pointee(member) if member and r is v else r for v in holder.roots for r in v.roots)
            if member and len(holder.roots) == 1 and (part := part_of(self, holder, member)) is not None:
                spaces, roots = part
            return (spaces, roots) if spaces else (frozenset({Space.UNKNOWN}), frozenset())
        spaces = frozenset({Space.GLOBAL})
        for v in holder.roots:
            if v.space in (Space.SHARED, Space.CONSTANT):
                spaces |= frozenset(v.spaces)
        return spaces, frozenset(r.pointee() for r in holder.roots)

    def class_named(self, name: str) -> str:
        """The class of the unit that a name means, an alias too; empty where it is none."""
        if self.unit.struct(name) is not None:
            return name
        meant = self.scopes.aliases.get(name) or resolve_named(self.unit, name).name
        return meant if meant and self.unit.struct(meant) is not None else ""

    def called_functions(self, node: Node) -> tuple[Function, ...]:
        """The functions that a call by a plain name may reach, constructors too."""
        name = callee_name(node)
        made = self.class_named(name)
        return self._functions_named(name, node.get("function")) or tuple(
            f for f in self.methods.get(made, ()) if f.owner == made)

    def _evaluate(self, node: Node) -> Value:
        kind = node.type
        if kind == "identifier":
            var = self.scopes.var_of.get(node)
            if var is None:
                return Value(Type("value", "dim3")) if node.text in BUILTIN_VARIABLES else Value()
            return self._of_variable(var)
        if kind in ("parenthesized_expression", "condition_clause"):
            return self.value(node.kids[-1]) if node.kids else Value()
        if kind == "comma_expression":
            return self.value(node.get("right"))
        if kind == "subscript_expression":
            return self._subscript(node)
        if kind == "pointer_expression":
            inner = self.value(node.get("argument"))
            op = node.get("operator")
            if op is not None and op.text == "&":
                return Value(pointer_to(inner.type), NONE, frozenset(), inner.spaces, inner.roots)
            return self.deref(inner)
        if kind == "field_expression":
            return self._field(node)
        if kind == "cast_expression":
            return self._cast(type_of_descriptor(self.unit, node.get("type")), self.value(node.get("value")))
        if kind in ("assignment_expression", "update_expression"):
            return self.value(node.get("left") or node.get("argument"))
        if kind == "conditional_expression":
            a = self.value(node.get("consequence")).decay()
            b = self.value(node.get("alternative")).decay()
            return a.join(b)
        if kind == "binary_expression":
            op = node.get("operator")
            left, right = self.value(node.get("left")).decay(), self.value(node.get("right")).decay()
            if op is not None and op.text in ("+", "-"):
                if left.type.kind == "pointer":
                    if right.type.kind == "pointer":
                        return Value(Type("value", "ptrdiff_t"))
                    return Value(left.type, NONE, frozenset(), left.targets, left.target_roots)
                if right.type.kind == "pointer":
                    return Value(right.type, NONE, frozenset(), right.targets, right.target_roots)
                # A pointer hidden in a type nobody here knows keeps what it may point to.
                return Value(left.type if left.type.name else right.type, NONE, frozenset(),
                             left.targets | right.targets, left.target_roots | right.target_roots)
            return Value(left.type if left.type.name else right.type)
        if kind == "call_expression":
            return self._call(node)
        if kind in ("initializer_list", "argument_list", "compound_literal_expression"):
            type_ = type_of_descriptor(self.unit, node.get("type")) if node.get("type") is not None else UNKNOWN_TYPE
            joined = Value(type_)
            for k in node.kids:
                v = self.handed(k)
                joined = Value(type_, NONE, frozenset(), joined.targets | v.targets,
                               joined.target_roots | v.target_roots)
            return joined
        if kind == "this":
            return self.this()
        if kind == "lambda_expression":
            return Value(Type("value", "lambda"))
        return Value()

    def deref(self, inner: Value) -> Value:
        inner = inner.decay()
        elem = inner.type.elem or UNKNOWN_TYPE
        spaces = inner.targets or frozenset({Space.UNKNOWN})
        held: tuple[frozenset[Space], frozenset[Var]] = (NONE, frozenset())
        if elem.kind == "pointer" or elem.name == "":
            held = self.pointee_in(Value(elem, spaces, inner.target_roots))
        return Value(elem, spaces, inner.target_roots, *held)

    def _subscript(self, node: Node) -> Value:
        called = member_called(self, node)
        if called is not None:
            return result(self, called.functions, arguments(node), object_of(self, called))
        value = self.value(node.get("argument"))
        indices = node.get("indices")
        count = max(1, len(indices.kids)) if indices is not None else 1
        for _ in range(count):
            if value.type.kind == "array":
                elem = value.type.elem or UNKNOWN_TYPE
                held: tuple[frozenset[Space], frozenset[Var]] = (NONE, frozenset())
                if elem.kind == "pointer":
                    held = self.pointee_in(value)
                value = Value(elem, value.spaces, value.roots, *held)
            elif value.type.kind == "pointer":
                value = self.deref(value)
            elif any(v.is_param for v in value.roots) and value.targets:
                # operator[] of a by-value parameter: an accessor over global memory.
                value = Value(UNKNOWN_TYPE, value.targets, value.target_roots, value.targets, value.target_roots)
            else:
                value = Value(UNKNOWN_TYPE, value.spaces, value.roots, value.targets, value.target_roots)
        return value

    def _field(self, node: Node) -> Value:
        if (own := self.own_member(node)) is not None:
            return self._of_variable(own)
        holder = self.value(node.get("argument"))
        op = node.get("operator")
        arrow = (op is not None and op.text == "->") or (op is None and "->" in node.text)
        if arrow:
            holder = self.deref(holder)
        field = node.get("field")
        type_ = self.field_type(holder.type.name, field.text if field is not None else "")
        held: tuple[frozenset[Space], frozenset[Var]] = (NONE, frozenset())
        if type_.kind == "pointer" or (type_.name == "" and holder.type.name not in VECTOR_LIKE):
            held = self.pointee_in(holder, field.text if field is not None else "")
        if type_.kind == "pointer" and holder.spaces <= {Space.REGISTER} and not held[0]:
            held = (frozenset({Space.UNKNOWN}), frozenset())
        return Value(type_, holder.spaces, holder.roots, *held)

    def field_type(self, struct: str, field: str) -> Type:
        if struct in VECTOR_LIKE:
            return Type("value", "unsigned" if struct == "dim3" else struct.rstrip("1234"))
        if struct == "fragment" and field == "x":
            return Type("array", elem=Type("value", "float"))  # of a matrix: numbers, whatever their type
        spec = self.unit.struct(struct)
        body = spec.get("body") if spec is not None else None
        for member in body.kids if body is not None else ():
            if member.type != "field_declaration":
                continue
            base = resolve_named(self.unit, type_name(member.get("type")))
            for kid in member.kids:
                if kid is member.get("type"):
                    continue
                name = declarator_name(kid)
                if name is not None and name.text == field:
                    return declared_type(base, kid)[0]
        return UNKNOWN_TYPE

    @staticmethod
    def _cast(type_: Type, inner: Value) -> Value:
        inner = inner.decay()
        if type_.kind == "pointer":
            return Value(type_, NONE, frozenset(), inner.targets or frozenset({Space.UNKNOWN}), inner.target_roots)
        if inner.targets:  # an integer or a typedef that still carries the address
            return Value(type_, NONE, frozenset(), inner.targets, inner.target_roots)
        return Value(type_)

    def _call(self, node: Node) -> Value:
        function = node.get("function")
        name = callee_name(node)
        args = arguments(node)
        called = self._lambda_called(node)
        if called is not None and called.lambda_node is not None:
            back = Value()
            for n in called.lambda_node.walk():
                if n.type == "return_statement" and n.kids:
                    back = back.join(self.value(n.kids[0]).decay())
            return Value(back.type, NONE, frozenset(), back.targets, back.target_roots)
        if function is not None and function.type == "template_function" and name in NAMED_CASTS and args:
            type_ = template_argument_type(self.unit, function)
            inner = self.value(args[0])
            if type_.kind != "pointer" and function.text.rstrip().rstrip(">").rstrip().endswith("&"):
                return Value(type_, inner.spaces, inner.roots)
            return self._cast(type_, inner)
        if function is not None and function.type == "primitive_type" and args:
            return Value(Type("value", name)) if name in _NO_ADDRESS else self._cast(Type("value", name),
                                                                                    self.value(args[0]))
        if (to := referred(self, name, args)) is not None:
            return to
        maker = self._shared_makers.get(name) or self._shared_makers.get(self._owner_type(node))
        if maker is not None:
            return Value(pointer_to(UNKNOWN_TYPE), frozenset({Space.SHARED}), frozenset({maker}),
                         frozenset({Space.SHARED}), frozenset({maker}))
        method = member_called(self, node)
        if method is not None and method.functions:
            return result(self, method.functions, args, object_of(self, method))
        if name in BUILTINS:
            return Value()
        known = self._functions_named(name, function)
        if any(f.returns_reference for f in known):
            return result(self, known, args, None)
        joined = Value()
        for a in args:
            v = self.value(a).decay() if known else self.handed(a)
            if v.type.kind == "pointer" or v.targets:
                joined = Value(UNKNOWN_TYPE, NONE, frozenset(), joined.targets | v.targets,
                               joined.target_roots | v.target_roots)
        returned = self._result_type(name, function)
        if may_point(self.unit, returned):
            return Value(returned, NONE, frozenset(), joined.targets, joined.target_roots)
        return Value(returned)

    def handed(self, node: Node) -> Value:
        """What an object is made of: the value of an argument, or where the shared object is that it refers to.

        ``BlockReduce<float>(storage)`` keeps a reference to ``storage``.
        """
        v = self.value(node)
        return Value(pointer_to(v.type), NONE, frozenset(), v.spaces, v.roots) if self.hands_over(node) else v.decay()

    def hands_over(self, node: Node) -> bool:
        """Whether a name is that of an object in shared memory that another object is made of: not what it holds."""
        if node.parent is not None and node.parent.type in ("argument_list", "initializer_list") and \
                node.parent.parent is not None and makes_reference(self, node.parent.parent):
            return True
        var = self.scopes.var_of.get(node) if node.type == "identifier" else None
        if var is None or var.space is not Space.SHARED or var.type.is_address or is_number(var.type):
            return False
        made = node.parent.parent if node.parent is not None and node.parent.type in ("argument_list",
                                                                                     "initializer_list") else None
        return made is not None and (made.type != "call_expression" or not self._functions_named(
            callee_name(made), made.get("function")))

    def _owner_type(self, node: Node) -> str:
        """Name of the type whose member function is called (``T<int>::f()``, ``object.f()``), or nothing."""
        function = node.get("function")
        if function is not None and function.type == "field_expression":
            return self.value(function.get("argument")).type.name
        scope = function.get("scope") if function is not None and function.type == "qualified_identifier" else None
        return scope.text.split("<")[0].strip() if scope is not None else ""

    def _functions_named(self, name: str, function: Node | None) -> tuple[Function, ...]:
        if function is not None and function.type == "qualified_identifier" and name not in self.functions:
            scope = function.get("scope")
            return member_functions(self.unit, self.methods, type_name(scope), name) if scope is not None else ()
        return tuple(self.functions.get(name, ())) if function is not None and name else ()

    def _result_type(self, name: str, function: Node | None) -> Type:
        if name.startswith("make_"):
            return Type("value", name[5:])
        if made := self.class_named(name):
            return Type("value", made)  # a constructor
        for f in self._functions_named(name, function):
            return returned_type(self, f)
        return UNKNOWN_TYPE
