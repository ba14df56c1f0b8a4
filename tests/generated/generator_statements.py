"""Statements of generated kernels, and what stands between barriers."""

from __future__ import annotations

from generator_functions import Library
from generator_values import Array, Int, Scope, Values


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


class Statements:
    """Writes blocks of statements. ``features`` collects what was written."""

    def __init__(self, values: Values, library: Library, threads: int, block: tuple[int, ...],
                 sparse: bool) -> None:
        self.v = values
        self.rng = values.rng
        self.library = library
        self.threads = threads
        self.shape = block
        self.sparse = sparse
        self.features: set[str] = set()
        self.slots = 0
        """How many places of its own in ``out`` each thread has so far."""
        self._spent: set[str] = set()
        self._tiles: list[tuple[str, int, str]] = []
        """Shared arrays of the block's own use: (name, elements, element type)."""

    def block(self, s: Scope, count: int) -> list[str]:
        """Some statements, and the use of what they have declared."""
        before = {name: len(getattr(s, name)) for name in ("ints", "variables", "reals", "vectors")}
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(s)
        if self.v.careless:
            return lines
        new = {name: getattr(s, name)[count:] for name, count in before.items()}
        lines += [f"acc += (float){i.text};" for i in new["ints"]]
        lines += [f"acc += {x} * 0.5f;" for x in dict.fromkeys((*new["reals"], *new["variables"]))]
        return lines + [f"acc += {x}.x - {x}.y;" for x in new["vectors"]]

    def store(self, s: Scope, value: str) -> list[str]:
        """A store that no other one overwrites; in a loop it has a place for each turn."""
        stores = [text for text in s.stores if "{slot}" in text or text not in self._spent]
        if s.loops and not self.v.careless:
            stores = [text for text in stores if "{slot}" in text]
        text = self.rng.choice(stores)
        self._spent.add(text)
        slot, more = str(self.slots), 1
        if s.loops and not self.v.careless:
            at = ""
            for loop in s.loops:
                at, more = f"({at} * {loop.hi + 1} + {loop.text})" if at else loop.text, more * (loop.hi + 1)
            slot = f"({self.slots} + {at})"
        elif self.v.careless:
            slot, more = "0", 0
        self.slots += more
        return [text.replace("{slot}", slot).replace("{x}", value)]

    def statement(self, s: Scope) -> list[str]:
        kinds = ["assign", "assign", "store", "float", "int", "update"]
        if s.counters:
            kinds.append("count")
        if self.sparse and self.v.data_decide:
            kinds.append("sparse")
        if s.depth < 2:
            kinds += ["branch", "branch", "loop", "loop", "while", "do", "switch", "vector", "lambda", "local"]
            if any(a.read.startswith("in[") for a in s.floats):
                kinds += ["walk", "alias", "fetch"]
            if self.v.data_decide and any(a.read.startswith("idx") for a in s.integers):
                kinds.append("chase")
        if s.uniform and self.threads % 32 == 0:
            kinds.append("shuffle")
        kind = self.rng.choice(kinds)
        made: list[str] = getattr(self, f"_{kind}")(s)
        self.features.add(kind)
        return made

    # -- plain ----------------------------------------------------------------------------------------------------

    def _assign(self, s: Scope) -> list[str]:
        name, value = self.rng.choice(s.variables), self.v.real(s)
        if self.v.chance(0.2):
            return [f"{name} = {value};" if self.v.careless else f"{name} = {name} * 0.5f + {value};"]
        return [f"{name} {self.rng.choice(('+=', '+=', '*=', '-='))} {value};"]

    def _store(self, s: Scope) -> list[str]:
        return self.store(s, self.v.real(s, 1))

    def _float(self, s: Scope) -> list[str]:
        name, value = self.v.name("f"), self.v.real(s)
        kind = self.rng.choice(("float", "float", "auto", "const float", "const float"))
        s.reals.append(name)
        if kind != "const float":
            s.variables.append(name)
        return [f"{kind} {name} = (float)({value});"]

    def _int(self, s: Scope) -> list[str]:
        name, value = self.v.name("k"), self.v.integer(s)
        s.ints.append(Int(name, value.lo, value.hi))
        kind = "unsigned" if value.lo >= 0 and self.v.chance(0.1) else self.rng.choice(("int", "const int"))
        if kind == "unsigned":
            s.ints[-1] = Int(f"(int){name}", value.lo, value.hi)
        return [f"{kind} {name} = {value.text};"]

    def _update(self, s: Scope) -> list[str]:
        if not self.library.updates:
            return self._assign(s)
        text = self.rng.choice(self.library.updates).format(a=self.rng.choice(s.variables), x=self.v.real(s, 1))
        return [f"{text};"]

    def _count(self, s: Scope) -> list[str]:
        text, bound = self.rng.choice(s.counters)
        return [text.format(i=self.v.index(s, bound).text)]

    def _vector(self, s: Scope) -> list[str]:
        name = self.v.name("v")
        if self.library.pairs and self.v.chance(0.5):
            value = f"{self.rng.choice(self.library.pairs).format(x=self.v.real(s, 1))}"
        elif any(a.read.startswith("vec[") for a in s.floats) and self.v.chance(0.8):
            s.vectors.append(name)
            use = [] if self.v.careless else [f"cur += {name}.z * {name}.w;"]
            return [f"float4 {name} = vec[{self.v.index(s, 64).text}];", *use]
        else:
            value = f"make_float2({self.v.real(s, 1)}, {self.rng.choice(s.reals)} * 3.0f)"
        s.vectors.append(name)
        return [f"float2 {name} = {value};"]

    def _lambda(self, s: Scope) -> list[str]:
        name = self.v.name("fn")
        # An access of memory within a lambda is refused; most lambdas have none. None reads shared memory: it may be
        # called when others write that.
        apart = s.inner(floats=[a for a in s.floats if not self._is_shared(a)],
                        integers=[a for a in s.integers if not self._is_shared(a)])
        inside = self.v.real(apart, 1) if self.v.chance(0.15) else \
            f"x * {self.rng.choice(s.variables)} + {self.rng.choice(s.reals)}"
        s.calls.append(name + "({x})")
        use = [] if self.v.careless else [f"cur += {name}({self.rng.choice(s.variables)});"]
        return [f"auto {name} = [{self.rng.choice('=&')}](float x) {{ return x * 0.5f + {inside}; }};", *use]

    def _local(self, s: Scope) -> list[str]:
        name, size = self.v.name("r"), self.rng.choice((2, 4, 8))
        j = self.v.name("j")
        inner = s.inner()
        inner.ints.append(Int(j, 0, size - 1))
        fill = f"for (int {j} = 0; {j} < {size}; {j}++) {name}[{j}] = {self.v.real(inner, 1)};"
        s.floats.append(Array(name + "[{i}]", size))
        use = [] if self.v.careless else [f"for (int {j} = 0; {j} < {size}; {j}++) acc += {name}[{j}];"]
        return [f"float {name}[{size}];", *(["#pragma unroll"] if self.v.chance(0.5) else []), fill, *use]

    # -- control --------------------------------------------------------------------------------------------------

    def _body(self, s: Scope) -> list[str]:
        if self.v.chance(0.25):
            return ["    " + (self._assign(s) if self.v.chance(0.6) else self._store(s))[0]]
        return ["{", *indented(self.block(s, self.rng.randint(1, 3))), "}"]

    def _branch(self, s: Scope) -> list[str]:
        lines = [f"if ({self.v.condition(s)})", *self._body(s.inner(uniform=False))]
        if self.v.chance(0.4):
            lines += ["else", *self._body(s.inner(uniform=False))]
        elif self.v.chance(0.3):
            lines += [f"else if ({self.v.condition(s)})", *self._body(s.inner(uniform=False))]
        return lines

    def _bound(self, s: Scope) -> Int:
        few = [i for i in s.ints if i.lo > 0 and i.hi <= 8]
        bound = self.rng.choice((Int("4", 4, 4, True), Int("3", 3, 3, True), *few, None))
        if bound is not None:
            return bound
        value = self.v.unknown(s, 1)
        return value if value.lo >= 0 and value.hi <= 8 else Int(f"({value.text} & 7)", 0, 7)

    @staticmethod
    def _looped(s: Scope, variable: Int) -> Scope:
        inner = s.inner(uniform=False)
        inner.ints.append(variable)
        inner.loops.append(variable)
        return inner

    def _jump(self, s: Scope) -> list[str]:
        if self.v.chance(0.6):
            return []
        return [f"if ({self.v.condition(s, 1)}) {self.rng.choice(('break', 'continue'))};"]

    def _loop(self, s: Scope) -> list[str]:
        if self.v.data_decide and self.v.chance(0.1) and any("flags" in a.read for a in s.integers):
            return self._scan(s)
        j, bound = self.v.name("j"), self._bound(s)
        inner = self._looped(s, Int(j, 0, max(0, bound.hi - 1)))
        up = f"for (int {j} = 0; {j} < {bound.text};"
        head = self.rng.choice((f"{up} {j}++)", f"{up} ++{j})", f"for (int {j} = {bound.text} - 1; {j} >= 0; {j}--)"))
        pragma = f"#pragma unroll{self.rng.choice(('', ' 2', ' 1'))}"
        body = self._jump(inner) + self.block(inner, self.rng.randint(1, 3))
        return [*([pragma] if self.v.chance(0.4) else []), head + " {", *indented(body), "}"]

    def _scan(self, s: Scope) -> list[str]:
        """A loop that the data end."""
        j = self.v.name("j")
        start = self.v.index(s, 300)
        self.features.add("scan")
        return [f"int {j} = {start.text};", f"while ({j} < 399 && flags[{j}] != 0) {j}++;",
                f"{self.rng.choice(s.variables)} += in[{j} % {self._input(s)}];"]

    def _input(self, s: Scope) -> int:
        return next(a.size for a in s.floats if a.read.startswith("in["))

    def _while(self, s: Scope) -> list[str]:
        j, bound = self.v.name("w"), self._bound(s)
        inner = self._looped(s, Int(j, 1, max(1, bound.hi)))
        more = f" && {self.rng.choice(s.reals)} < 8.0f" if self.v.data_decide and self.v.chance(0.3) else ""
        return [f"int {j} = {bound.text};", f"while ({j} > 0{more}) {{",
                *indented(self.block(inner, self.rng.randint(1, 2))),
                self.rng.choice((f"    {j}--;", f"    {j} >>= 1;", f"    {j} /= 2;")), "}"]

    def _do(self, s: Scope) -> list[str]:
        j, bound = self.v.name("d"), self._bound(s)
        inner = self._looped(s, Int(j, 0, max(0, bound.hi - 1)))
        return [f"int {j} = 0;", "do {", *indented(self.block(inner, self.rng.randint(1, 2))),
                f"}} while (++{j} < {bound.text});"]

    def _switch(self, s: Scope) -> list[str]:
        value = self.v.unknown(s, 1)
        inner = s.inner(uniform=False)
        text = value.text if value.lo >= 0 else f"abs({value.text})"

        def one() -> str:
            return self.rng.choice((self._assign, self._store))(inner)[0]

        return [f"switch ({text} % 4) {{", f"case 0: {one()} break;", f"case 1: {one()}",
                f"case 2: {{ {one()} break; }}", f"default: {one()}", "}"]

    # -- pointers -------------------------------------------------------------------------------------------------

    def _walk(self, s: Scope) -> list[str]:
        if not self._plain_input(s):
            return self._assign(s)
        p, j, count = self.v.name("p"), self.v.name("j"), self.rng.choice((3, 4, 6))
        at, target = self.v.index(s, self._input(s) - count), self.rng.choice(s.variables)
        head = f"for (int {j} = 0; {j} < {count}; {j}++"
        return self.rng.choice((
            [f"const float *{p} = in + {at.text};", f"{head}) {target} += *{p}++;"],
            [f"const float *{p} = &in[{at.text}];", f"{head}, {p}++) {target} += {p}[0] * 0.5f;"],
            [f"const float *{p} = in + {at.text};", f"const float *{p}e = {p} + {count};",
             f"while ({p} != {p}e) {{ {target} = fmaxf({target}, *{p}); {p} += 1; }}"]))

    def _plain_input(self, s: Scope) -> bool:
        return any(a.read.startswith("__ldg(&in") for a in s.floats)

    def _alias(self, s: Scope) -> list[str]:
        if not self._plain_input(s):
            return self._assign(s)
        p, size = self.v.name("q"), self._input(s)
        base = self.v.index(s, size // 2)
        s.floats.append(Array(p + "[{i}]", size // 2))
        use = [] if self.v.careless else [f"acc += {p}[{self.v.index(s, size // 2).text}];"]
        if self.v.chance(0.3):
            return [f"const float *{p} = {self.v.condition(s, 1)} ? in + {base.text} : in;", *use]
        return [f"const float *{self.rng.choice(('', 'const '))}{p} = in + {base.text};", *use]

    def _fetch(self, s: Scope) -> list[str]:
        if not self.library.fetches or not self._plain_input(s):
            return self._assign(s)
        a, b = self.rng.sample(s.variables, 2)
        return [self.rng.choice(self.library.fetches).format(
            p="in", i=self.v.index(s, self._input(s) - 4).text, a=a, b=b) + ";"]

    def _chase(self, s: Scope) -> list[str]:
        idx = next(a for a in s.integers if a.read.startswith("idx"))
        at, j = self.v.name("at"), self.v.name("j")
        start = self.v.index(s, 256)
        s.ints.append(Int(at, 0, max(idx.hi, start.hi)))
        count = self.rng.choice((1, 2, 5))
        return [f"int {at} = {start.text};", f"for (int {j} = 0; {j} < {count}; {j}++) {at} = idx[{at}];"]

    def _sparse(self, s: Scope) -> list[str]:
        r, j, row = self.v.name("row"), self.v.name("j"), self.v.index(s, 64)
        return [f"const int {r} = {row.text};", f"for (int {j} = rows[{r}]; {j} < rows[{r} + 1]; {j}++)",
                f"    {self.rng.choice(s.variables)} += entries[{j}] * in[cols[{j}]];"]

    def _shuffle(self, s: Scope) -> list[str]:
        a, b = self.rng.sample(s.variables, 2)
        return self.rng.choice([
            [f"{a} += __shfl_xor_sync(0xffffffffu, {b}, {self.rng.choice((1, 4, 16))});"],
            [f"for (int o = 16; o > 0; o >>= 1) {a} += __shfl_down_sync(0xffffffffu, {a}, o);"],
            [f"{a} += (float)__popc(__ballot_sync(0xffffffffu, {b} > 0.0f));"],
            *([[f"if (__any_sync(0xffffffffu, {a} > {b})) {a} *= 0.5f;"]] * self.v.data_decide)])

    # -- shared memory --------------------------------------------------------------------------------------------

    def declare_shared(self, s: Scope) -> tuple[list[str], str]:
        """Declarations of shared arrays, and the dynamic bytes that the launch gives."""
        t, lines, smem = self.threads, [], ""
        kinds = self.rng.sample(("float", "int", "dynamic", "padded", "float2", "double"), self.rng.randint(1, 2))
        volatile = "volatile " if self.v.chance(0.1) else ""
        for kind in kinds:
            name = self.v.name("tile")
            if kind == "dynamic":
                if self.v.chance(0.5):
                    lines += ["extern __shared__ float dynamic[];"]
                    self._tiles.append(("dynamic", t, "float"))
                    smem = f"{t} * sizeof(float)"
                else:
                    lines += ["extern __shared__ __align__(16) unsigned char raw[];", f"float *{name} = (float *)raw;",
                              f"int *{name}i = reinterpret_cast<int *>(raw + {t} * sizeof(float));"]
                    self._tiles += [(name, t, "float"), (name + "i", t, "int")]
                    smem = f"{2 * t} * sizeof(float)"
            elif kind == "padded":
                columns = self.shape[0]
                lines.append(f"__shared__ float {name}[{t // columns}][{columns + 1}];")
                self._tiles.append((f"{name}[({{i}}) / {columns}][({{i}}) % {columns}]", t, "float"))
            else:
                size = t * self.rng.choice((1, 1, 2))
                lines.append(f"{volatile if kind == 'float' else ''}__shared__ {kind} {name}[{size}];")
                self._tiles.append((name, size, kind))
        return lines, smem

    def _is_shared(self, array: Array) -> bool:
        return any(self._at(name, "{i}") in array.read for name, _, _ in self._tiles)

    @staticmethod
    def _at(name: str, index: str) -> str:
        return name.replace("{i}", index) if "{i}" in name else f"{name}[{index}]"

    def _own(self) -> str:
        """An index that is another one for each thread of the block."""
        t = self.threads
        return self.rng.choice(["tid", "tid", f"{t - 1} - tid"] + (["(tid ^ 1)", f"((tid + 5) & {t - 1})"]
                                                                   if t & (t - 1) == 0 else []))

    def phase(self, s: Scope) -> list[str]:
        """Writes one shared array between barriers, after which it may be read."""
        name, size, kind = self.rng.choice(self._tiles)
        self.features.add("barrier")
        lines = ["__syncthreads();"]
        readable = self._at(name, "{i}")
        # Nobody reads it while it is written.
        s.floats = [a for a in s.floats if readable not in a.read]
        s.integers = [a for a in s.integers if a.read != readable]
        if kind == "int":
            return lines + self._int_phase(s, name, size)
        value = self.v.real(s, 1)
        if kind == "float2":
            value = f"make_float2({value}, 0.5f)"
        how = self.rng.choice(("own", "own", "strided", "split", "reduce", "tiled") if kind == "float" else
                              ("own", "strided"))
        self.features.add(f"shared-{how}")
        if size > self.threads or how == "strided":
            j = self.v.name("s")
            inner = s.inner()
            inner.ints.append(Int(j, 0, size - 1))
            value = value if kind == "float2" else self.v.real(inner, 1)
            lines += [f"for (int {j} = tid; {j} < {size}; {j} += {self.threads}) {self._at(name, j)} = {value};"]
        elif how == "split":
            half = self.threads // 2
            lines += [f"if (tid < {half}) {{", f"    {self._at(name, 'tid')} = {value};", "} else {",
                      f"    {self._at(name, 'tid')} = {self.v.real(s, 1)};", "}"]
        else:
            lines += [f"{self._at(name, self._own())} = {value};"]
        lines.append("__syncthreads();")
        if how == "reduce" and self.threads & (self.threads - 1) == 0:
            lines += [f"for (int h = {self.threads // 2}; h > 0; h >>= 1) {{",
                      f"    if (tid < h) {self._at(name, 'tid')} += {self._at(name, 'tid + h')};",
                      "    __syncthreads();", "}"]
        elif how == "tiled" and size == self.threads:
            lines += self._tiled(s, name, size)
        if kind == "float2":
            read = f"({readable}.x + {readable}.y)"
        else:
            read = readable if kind != "double" else f"(float){readable}"
        s.floats.append(Array(read, size))
        return lines if self.v.careless else [*lines, f"cur += {read.format(i=self.v.index(s, size).text)};"]

    def _tiled(self, s: Scope, name: str, size: int) -> list[str]:
        t, j = self.v.name("t"), self.v.name("j")
        inner = s.inner(uniform=False)
        inner.ints.append(Int(t, 0, 2))
        value = self.v.real(inner, 1)
        reader = s.inner(uniform=False)
        reader.ints += [Int(j, 0, 3), Int(t, 0, 2)]
        reader.floats.append(Array(self._at(name, "{i}"), size))
        return [f"for (int {t} = 0; {t} < 3; {t}++) {{", "    __syncthreads();",
                f"    {self._at(name, 'tid')} = {value};", "    __syncthreads();",
                *(["    #pragma unroll"] if self.v.chance(0.5) else []),
                f"    for (int {j} = 0; {j} < 4; {j}++) acc += {self._at(name, self.v.index(reader, size).text)} * "
                f"{self.v.real(reader, 2)};", "}"]

    def _int_phase(self, s: Scope, name: str, size: int) -> list[str]:
        j = self.v.name("s")
        readable = self._at(name, "{i}")
        head = f"for (int {j} = tid; {j} < {size}; {j} += {self.threads}) {self._at(name, j)}"
        if self.v.chance(0.4):
            self.features.add("shared-histogram")
            bins = min(size, 16)
            at = self.v.index(s, bins)  # of what can be read before: others count in it meanwhile
            s.integers.append(Array(readable, bins, 0, 2 * self.threads))
            return [f"{head} = 0;", "__syncthreads();",
                    f"atomicAdd(&{self._at(name, at.text)}, 1);", "__syncthreads();",
                    f"acc += (float){self._at(name, f'(tid % {bins})')};"]
        self.features.add("shared-indices")
        inner = s.inner()
        inner.ints.append(Int(j, 0, size - 1))
        value = self.v.index(inner, 64)
        s.integers.append(Array(readable, size, value.lo, value.hi))
        return [f"{head} = {value.text};", "__syncthreads();", f"acc += (float){self._at(name, 'tid')};"]
