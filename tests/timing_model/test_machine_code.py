"""Machine code of the model of time is kept by the texts that it is made from: all of them, or old code would stay."""

from __future__ import annotations

from pathlib import Path

from mutate.sim.timing import folder


def test_the_folder_is_named_by_every_module_that_keeps_code_there() -> None:
    here = Path(folder.__file__).parent
    keeping = {f"timing/{p.stem}" for p in here.glob("*.py") if "jit_into(FOLDER" in p.read_text(encoding="utf-8")}
    assert keeping and keeping <= set(folder.MODULES)
    assert all((here.parent / f"{name}.py").is_file() for name in folder.MODULES)
