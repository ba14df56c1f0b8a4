"""The command line. Thin: it parses, calls, prints, exits."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

from mutate import __version__
from mutate.errors import KmutateError, nearest
from mutate.source import printable

_COMMANDS = {"variants": "mutate.cli.variants", "analyze": "mutate.cli.analyze",
             "simulate": "mutate.cli.simulate", "launch": "mutate.cli.launch", "classify": "mutate.cli.classify",
             "list": "mutate.cli.catalog", "explain": "mutate.cli.catalog", "doctor": "mutate.cli.doctor",
             "calibrate": "mutate.cli.calibrate"}


class _Lazy(click.Group):
    """Imports a command's module only when it is used: start-up time is part of the product."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        command = getattr(importlib.import_module(module), f"{cmd_name}_command")
        return command if isinstance(command, click.Command) else None

    def resolve_command(self, ctx: click.Context, args: list[str]
                        ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            near = nearest(args[0], _COMMANDS)
            ctx.fail(f"no command '{args[0]}'." + (f" Did you mean '{near}'?" if near else "")
                     + f" Commands: {', '.join(_COMMANDS)}.")
        return super().resolve_command(ctx, args)


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="kmutate")
def cli() -> None:
    """Finds what limits a CUDA kernel, by experiment: proven source variants, compiled, certified and timed.

    Start with `kmutate analyze kernel.cu`. Without a GPU, `kmutate variants kernel.cu` makes and proves the
    variants, and `kmutate simulate kernel.cu` counts what a profiler would.

    Exit codes: 0 fine, 1 a gate failed, 2 could not run, 3 inconclusive.
    """


def main(args: Sequence[str] | None = None) -> None:
    """Entry point. User errors end with exit code 2 and a message, never with a traceback."""
    # Most of what a run makes lives until it ends; looking for cycles in it takes 5 % of the time.
    gc.set_threshold(100_000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names of files need not be UTF-8, nor need the terminal. In JSON this is how such characters are escaped.
            stream.reconfigure(errors="backslashreplace")
    try:
        status = cli.main(args=list(args) if args is not None else None, prog_name="kmutate", standalone_mode=False)
        sys.stdout.flush()  # what cannot be written is to be known here, and not when the interpreter ends
    except KmutateError as error:
        click.echo(printable(str(error)), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        failed = KmutateError("system-error", error.strerror or str(error), file=error.filename and str(error.filename),
                              hint="is the disk full, or a folder closed to you? KMUTATE_CACHE names the cache's")
        click.echo(printable(str(failed)), err=True)
        # What is left in the buffer would be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)
