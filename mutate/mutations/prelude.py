"""Renders the helpers a variant needs from ``templates/prelude.cuh.j2``."""

from __future__ import annotations

from functools import cache
from typing import Any

from mutate.resources import templates_dir
from mutate.toolchain.cache import cached_text

_NEEDS = {"put-each": {"put", "bits"}, "put-over": {"put", "bits"}, "put": {"bits"},
          "guarded-put": {"never-at", "bits"}, "never": {"bits"}, "never-at": {"bits"}, "sink": {"bits"},
          "site": {"never", "bits", "opaque"}, "opaque-at": {"opaque", "bits"}, "async": {"opaque"},
          "ptx": {"opaque"}, "fragment": {"opaque"}, "fragment-at": {"opaque-at", "opaque", "bits"},
          "far": {"site", "never", "bits", "opaque"}, "place": {"bits"}}

_NAME = "prelude.cuh.j2"


@cache
def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(str(templates_dir())), trim_blocks=True,
                                     lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined,
                                     autoescape=False)  # CUDA source, not markup
    return environment.get_template(_NAME)


@cache
def render_prelude(features: frozenset[str], guarded: tuple[str, ...], bank: tuple[str, str]) -> str:
    """The helpers for a set of features; empty when there are none and nothing is guarded."""
    wanted = set(features)
    for name in features:
        wanted |= _NEEDS.get(name, set())

    def render() -> str:
        return str(_template().render(features=wanted, guarded=guarded, bank_index=bank[0], bank_comment=bank[1]))

    # Importing jinja2 takes longer than everything else a known file asks for.
    source = (templates_dir() / _NAME).read_bytes()
    return cached_text((_NAME, source, sorted(wanted), guarded, bank), render)
