"""The command `throng`, which the wheel installs along with the package."""

from __future__ import annotations

import os
import signal
import sys

from . import _throng


def main() -> None:
    """Runs the command with the arguments of the process."""
    # The command has handlers of its own, for Ctrl-C as for closed pipes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    name = os.path.basename(sys.argv[0]) if sys.argv else "throng"
    sys.exit(_throng.run_command([name or "throng", *sys.argv[1:]]))
