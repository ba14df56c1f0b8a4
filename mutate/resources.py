"""Finds ``templates/`` and ``samples/`` in a wheel and in a checkout (also through an editable install)."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_dir(name: str) -> Path:
    """Folder of shipped data: ``mutate/_data/<name>`` in a wheel, ``<checkout>/<name>`` beside the package otherwise.

    Raises ``FileNotFoundError`` with both places when the installation is broken.
    """
    places = (_PACKAGE / "_data" / name, _PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"kmutate's {name}/ is in none of: {', '.join(map(str, places))}; reinstall kmutate")


def templates_dir() -> Path:
    return resource_dir("templates")


def samples_dir() -> Path:
    return resource_dir("samples")
