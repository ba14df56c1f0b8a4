"""Machine code of the model of time is kept by the texts that it is made from: all of them, or old code would stay."""

from __future__ import annotations

import re
from pathlib import Path

from mutate.sim.timing import folder


def test_the_folder_is_named_by_every_module_that_keeps_code_there() -> None:
    here = Path(folder.__file__).parent
    texts = {p.stem: p.read_text(encoding="utf-8") for p in here.glob("*.py")}
    keeping = {name for name, text in texts.items() if "jit_into(FOLDER" in text}
    # What they take from others is in their code, too.
    taken = {name for of in keeping for line in texts[of].splitlines() if line.startswith("from mutate.sim.timing")
             for name in re.findall(r"timing\.(\w+) import|import (\w+) as", line)[0] if name}
    assert keeping and {f"timing/{name}" for name in (keeping | taken) - {"folder"}} <= set(folder.MODULES)
    assert all((here.parent / f"{name}.py").is_file() for name in folder.MODULES)
