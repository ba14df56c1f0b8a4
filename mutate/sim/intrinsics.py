"""The few machine operations that numba has no name for: reinterpreting bits and fused multiply-add."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


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
