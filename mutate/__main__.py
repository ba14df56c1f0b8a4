"""``python -m mutate`` is ``kmutate``."""

from mutate.cli.main import main

if __name__ == "__main__":
    main()
