"""Where the machine code of the model of time is kept: a folder named by the texts that it is made from."""

from __future__ import annotations

from mutate.sim.code import machine_code_folder, text_digest

MODULES = ("coalesce", "inner", "intrinsics", "jit", "layout", "timing/banks", "timing/blocks", "timing/code_cache",
           "timing/combining", "timing/constant_cache", "timing/constants", "timing/engine", "timing/gather",
           "timing/held_up", "timing/hints", "timing/lines", "timing/open_lines", "timing/operands", "timing/paces",
           "timing/packets", "timing/passing", "timing/pending", "timing/placing", "timing/rewritten",
           "timing/scoreboard", "timing/sectors", "timing/servers", "timing/sets", "timing/settings", "timing/slots",
           "timing/sm", "timing/tags", "timing/touches", "timing/units", "timing/writing")
FOLDER = machine_code_folder(f"timing-{text_digest(MODULES)[:16]}")
