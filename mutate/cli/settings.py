"""Options whose values have a form of their own."""

from __future__ import annotations

from mutate.errors import KmutateError


def parse_settings(values: tuple[str, ...]) -> dict[str, str]:
    """``--set name=value``, repeated. Raises ``KmutateError`` ``bad-setting``."""
    out: dict[str, str] = {}
    for text in values:
        name, eq, value = text.partition("=")
        if not eq or not name.strip():
            raise KmutateError("bad-setting", f"--set takes name=value, not '{text}'", hint="for example --set nx=1024")
        out[name.strip()] = value.strip()
    return out
