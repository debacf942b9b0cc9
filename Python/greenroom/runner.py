"""Runs a script's plugins for the host that has started this process: ``python -m greenroom.runner``."""

from __future__ import annotations

import os
import stat
import sys

from . import _core, _program


def main() -> int:
    """Serves the host until it ends this process."""
    try:
        is_started = stat.S_ISSOCK(os.fstat(3).st_mode)
    except OSError:
        is_started = False
    if not is_started:
        print("greenroom starts this module, for plugins in Python: write plugin: bot.py in a session file.")
        return 64
    # A file of the module would be written into a folder that the sandbox protects.
    sys.dont_write_bytecode = True
    # Import the modules that callbacks need before the sandbox closes.
    import asyncio  # noqa: F401

    _program.open_library()
    status, text = _core.serve(_program.load)
    print(text, file=sys.stderr)
    return 0 if status == 0 else 64


if __name__ == "__main__":
    sys.exit(main())
