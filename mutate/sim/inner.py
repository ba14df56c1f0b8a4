"""How numba compiles what only the interpreter calls: without the wrappers that Python would need to call it.

They take an eighth of the compiler's time.
"""

from __future__ import annotations

from typing import Any

UNCOUNTED: dict[str, Any] = {"_nrt": False}
"""For functions that make no arrays: without counting references, which numba does wherever an array is taken out of a

tuple or a row out of a table. That took a third of the interpreter's time. (``_nrt`` is numba's own name for it.)
"""
INNER: dict[str, Any] = {"error_model": "numpy", "cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
                         **UNCOUNTED}
