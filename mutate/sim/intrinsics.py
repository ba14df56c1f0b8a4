"""The few machine operations that numba has no name for: reinterpreting bits, fused multiply-add, room on the stack."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj


def _cast(source: Any, target: Any, llvm: Any) -> Any:
    @intrinsic
    def cast(typingctx: Any, value: Any) -> Any:
        del typingctx, value

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            del context, signature
            return builder.bitcast(args[0], llvm)

        return target(source), codegen

    return cast


u2f = _cast(types.uint32, types.float32, ir.FloatType())
f2u = _cast(types.float32, types.uint32, ir.IntType(32))
u2d = _cast(types.uint64, types.float64, ir.DoubleType())
d2u = _cast(types.float64, types.uint64, ir.IntType(64))


def _fma(kind: Any) -> Any:
    @intrinsic
    def fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
        del typingctx, a, b, c

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            del context, signature
            return builder.fma(*args)

        return kind(kind, kind, kind), codegen

    return fma


fma32 = _fma(types.float32)
fma64 = _fma(types.float64)


# Without types.
_arrays: Any = arrayobj
_build: Any = cgutils


def _stack(kind: Any) -> Any:
    @intrinsic(prefer_literal=True)
    def stack(typingctx: Any, count: Any) -> Any:
        del typingctx
        array = types.Array(kind, 1, "C")

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            del signature, args
            out = _arrays.make_array(array)(context, builder)
            data = _build.alloca_once(builder, context.get_data_type(kind), size=count.literal_value)
            size = context.get_constant(types.intp, count.literal_value)
            step = context.get_constant(types.intp, kind.bitwidth // 8)
            _arrays.populate_array(out, data=data, shape=[size], strides=[step], itemsize=step, meminfo=None)
            return out._getvalue()

        return array(count), codegen

    return stack


# An array of so many elements (a literal) without first values, which lives as long as the function that makes it.
stack_u8, stack_u32, stack_u64 = _stack(types.uint8), _stack(types.uint32), _stack(types.uint64)
stack_i32, stack_i64, stack_f64 = _stack(types.int32), _stack(types.int64), _stack(types.float64)
