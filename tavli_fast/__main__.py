"""The command ``tavli-fast``, also ``python -m tavli_fast``."""

import sys

EXTRA = ("click", "rich")


def main() -> None:
    """Run the command line, or say what has to be installed for it.

    Examples
    --------
    >>> import subprocess, sys
    >>> command = [sys.executable, "-m", "tavli_fast", "plays", "fevga", "start", "65"]
    >>> print(subprocess.run(command, capture_output=True, text=True).stdout)
    1 play
    24/13
    <BLANKLINE>
    """
    try:
        # without the extra the package has to work, and to say what is missing
        from .cli.commands import commands  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        print(
            f'the command line needs {" and ".join(EXTRA)}: pip install "tavli_fast[cli]"',
            file=sys.stderr,
        )
        sys.exit(1)
    commands(prog_name="tavli-fast")


if __name__ == "__main__":
    main()
