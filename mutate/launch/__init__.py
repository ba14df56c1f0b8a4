"""Launch declarations: sizes, grids and data of a kernel, written in C in a comment of its file."""

from mutate.launch.check import Checked, LaunchWarning, check_against
from mutate.launch.evaluate import evaluate, evaluate_all
from mutate.launch.find import declaration_file, find_declarations
from mutate.launch.model import (
    Arg,
    ArrayArg,
    ArrayDecl,
    DeclarationText,
    Init,
    Launch,
    ScalarArg,
    StructArg,
    TextureDecl,
    pack_arg,
)

__all__ = [
    "Arg", "ArrayArg", "ArrayDecl", "Checked", "DeclarationText", "Init", "Launch", "LaunchWarning", "ScalarArg",
    "StructArg", "TextureDecl", "check_against", "declaration_file", "evaluate", "evaluate_all",
    "find_declarations", "pack_arg",
]
