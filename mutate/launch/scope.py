"""The names that a declaration has made so far."""

from __future__ import annotations

from collections.abc import Mapping

from mutate.launch.model import ArrayDecl, TextureDecl, Value
from mutate.launch.types import CType, Struct


class Scope:
    """What the names of a declaration mean so far. A variable without a value yet has the value ``None``."""

    def __init__(self, macros: Mapping[str, object]) -> None:
        self.variables: dict[str, Value | None] = {}
        self.variable_types: dict[str, CType] = {}
        self.types: dict[str, CType] = {}
        self.structs: dict[str, Struct] = {}
        self.arrays: dict[str, ArrayDecl] = {}
        self.textures: list[TextureDecl] = []
        self.macros = macros

    def names(self) -> list[str]:
        return [*self.variables, *self.arrays, *self.macros]
